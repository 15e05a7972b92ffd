/* Leads from two names to the page of both, in either order; where there is none, shows both with what the site knows of them, and up to
   six of `?with=`. The rules, the words and all results are loaded then: results.js and words.js beside the page. */
(() => {
  "use strict";
  const { names, pages, files, unknown, alike, taken, failed } = window.touchstoneCompare;
  const MOST_NAMES = 2;
  const own = (all, id) => (Object.hasOwn(all, id) ? all[id] : undefined);
  const folded = (text) => text.normalize("NFKC").toLowerCase().replace(/[аевкмнорстух]/g, (letter) => "aebkmhopctyx"["аевкмнорстух".indexOf(letter)]).replace(/(\d)\s*x\s*(?=[a-z])/g, "$1").replace(/[^a-z0-9+]/g, "");
  const known = Object.entries(names).map(([id, called]) => ({ id, called: [id, ...called].map(folded) }));
  const results = ({ id }) => (own(pages, id) ?? []).length;
  const best = (found) => [...found].sort((one, other) => results(other) - results(one))[0];
  const place = document.querySelector("[data-ts-answer]"), form = document.querySelector(".ts-ask--two");

  /* Of the systems that a name may mean the one with most results. */
  const most = (systems, rows, near) => systems.map(([id, name], at) => ({ id, name, at })).filter(({ name }) => near(name))
    .map(({ id, at }) => ({ id, results: rows.filter((row) => row[1] === at).length })).sort((one, other) => other.results - one.results)[0]?.id;
  /* The accelerator, the system or the result of that name; of a part of a name the one that compares with most others. */
  const exact = (text) => (own(pages, text) ? text : best(known.filter((one) => one.called.includes(folded(text))))?.id);
  const find = (text) => {
    const wanted = folded(text), sure = exact(text);
    if (!wanted || (sure && own(pages, sure))) return wanted ? sure : undefined;
    const { systems = [], rows = [] } = window.touchstoneResults ?? {}, near = (name) => folded(name).includes(wanted);
    const system = systems.find(([id, name]) => id === text || folded(name) === wanted);
    const part = best(known.filter((one) => one.called.some(near)));
    return system?.[0] ?? (made?.exists(text) ? text : undefined) ?? part?.id ?? sure ?? most(systems, rows, near);
  };

  /* What a name may mean: itself, and the accelerators that have it as words of theirs. */
  const meant = (text, id) => {
    const name = (own(names, id)?.[0] ?? text).replace(/[^\p{L}\d]+/gu, " ").trim().replaceAll(" ", "[^\\p{L}\\d]+");
    const words = new RegExp(`(^|[^\\p{L}\\d])${name}($|[^\\p{L}\\d])`, "iu");
    return [id, ...Object.keys(names).filter((other) => other !== id && names[other].some((called) => words.test(called)))];
  };
  /* The two of whom the site knows something together, if these have nothing in common: those with a page and most results first. */
  const nearest = (texts, ids) => {
    const [some, others] = texts.map((text, at) => meant(text, ids[at])), all = some.flatMap((one) => others.map((other) => [one, other]));
    const rank = ([one, other]) => (own(pages, one)?.includes(other) ? 1e6 : 0) + results({ id: one }) + results({ id: other });
    return all.filter(([one, other]) => one !== other && made.related(one, other)).sort((one, other) => rank(other) - rank(one))[0] ?? ids;
  };

  let made;
  const brought = (file) => new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: file, charset: "utf-8", onload: resolve, onerror: reject }));
  });
  let coming; // once, however many ask, and again after a failure
  const loaded = () => (coming ??= Promise.all(files.map(brought)).then(
    () => { made = touchstoneVersus(window.touchstoneWords, window.touchstoneResults); },
    () => { coming = undefined; say(failed); throw new Error("a file could not be loaded"); },
  ));

  const say = (text) => place.replaceChildren(Object.assign(document.createElement("p"), { textContent: text }));
  const address = (query) => { try { history.replaceState(history.state, "", query); } catch { /* a frame without history */ } };
  const lead = (one, other) => {
    const file = location.protocol === "file:" ? "index.html" : "", embed = asked.get("embed");
    location.replace(new URL(`${[one, other].sort().join("-vs-")}/${file}${embed === null ? "" : `?embed=${embed}`}`, location.href.replace(/[?#].*$/, "")));
  };

  function show(ids, query, meant) {
    const { title, html, share, names: shown } = made.beside(ids), heading = document.querySelector("h1");
    heading.innerHTML = title;
    document.title = [heading.textContent, ...document.title.split(" · ").slice(1)].join(" · ");
    place.innerHTML = html;
    place.prepend(...meant.map(([text, id]) => {
      const values = { asked: text, name: shown[ids.indexOf(id)] };
      return Object.assign(document.createElement("p"), { className: "ts-note", textContent: taken.replace(/\{(\w+)\}/g, (_, key) => values[key]) });
    }));
    ["a", "b"].forEach((name, at) => {
      const input = form.elements[name];
      input.value = shown[at];
      Object.assign(input.dataset, { id: ids[at], was: shown[at] });
    });
    heading.after(place);
    document.querySelector(".ts-vs__share")?.remove();
    (place.querySelector("table.ts-vs") ?? heading).insertAdjacentHTML("afterend", share);
    for (const rest of document.querySelectorAll("[data-ts-choice]")) rest.hidden = true;
    const embed = asked.get("embed");
    address(embed === null ? query : `${query}&embed=${encodeURIComponent(embed)}`);
  }

  async function answer(texts, several) {
    const sure = texts.map(exact);
    if (sure.length === MOST_NAMES && own(pages, sure[0])?.includes(sure[1])) return lead(...sure);
    if (!(await loaded().then(() => true, () => false))) return undefined;
    let ids = texts.map(find);
    const missing = ids.findIndex((id) => !id || !made.exists(id));
    if (missing >= 0) return say(unknown.replace("{name}", () => texts[missing]));
    if (new Set(ids).size < ids.length) return say(alike);
    const named = ids;
    if (ids.length === MOST_NAMES && !made.related(...ids)) ids = nearest(texts, ids);
    if (ids.length === MOST_NAMES && own(pages, ids[0])?.includes(ids[1])) return lead(...ids);
    const sorted = ids.length === MOST_NAMES ? [...ids].sort() : ids;
    const query = several ? `?with=${sorted.map(encodeURIComponent).join()}` : `?a=${encodeURIComponent(sorted[0])}&b=${encodeURIComponent(sorted[1])}`;
    return show(sorted, query, ids.flatMap((id, at) => (id === named[at] ? [] : [[texts[at], id]])));
  }

  /* Systems are many: their names come when the form is used. */
  form.addEventListener("focusin", () => loaded().then(() => {
    const list = document.getElementById("ts-accelerators");
    list.append(...window.touchstoneResults.systems.map(([, name]) => Object.assign(document.createElement("option"), { value: name })));
  }, () => {}), { once: true });

  /* What is shown in words goes on by its id, as long as nobody writes another. */
  form.addEventListener("submit", () => {
    for (const input of ["a", "b"].map((name) => form.elements[name])) if (input.dataset.id && input.value === input.dataset.was) input.value = input.dataset.id;
  });

  const asked = new URLSearchParams(location.search);
  const several = (asked.get("with") ?? "").split(",").filter(Boolean);
  const [a, b] = ["a", "b"].map((name) => asked.get(name) ?? "");
  form.elements.a.value = a || (several.length === 1 ? several[0] : "");
  form.elements.b.value = b;
  const called = (id) => own(names, id)?.[0] ?? window.touchstoneResults.systems.find(([system]) => system === id)?.[1] ?? id;
  const sole = a && b ? "" : a || b || (several.length === 1 ? several[0] : "");
  if (sole) loaded().then(() => { form.elements[b && !a ? "b" : "a"].value = called(sole); }, () => {});
  if (several.length > 1) answer([...new Set(several)], true);
  else if (a && b) answer([a, b], false);
})();
