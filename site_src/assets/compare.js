/* Leads from two names to the page of both, in either order; where there is none, shows both with what the site knows of them, and up to
   six of `?with=`. The rules, the words and all results are loaded then: results.js and words.js beside the page. */
(() => {
  "use strict";
  const { names, pages, files, unknown, alike, failed } = window.touchstoneCompare;
  const MOST_NAMES = 2;
  const own = (all, id) => (Object.hasOwn(all, id) ? all[id] : undefined);
  const folded = (text) => text.normalize("NFKC").toLowerCase().replace(/[аевкмнорстух]/g, (letter) => "aebkmhopctyx"["аевкмнорстух".indexOf(letter)]).replace(/[^a-z0-9+]/g, "");
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

  function show(ids, query) {
    const { title, html, share } = made.beside(ids), heading = document.querySelector("h1");
    heading.innerHTML = title;
    document.title = [heading.textContent, ...document.title.split(" · ").slice(1)].join(" · ");
    place.innerHTML = html;
    [form.elements.a.value, form.elements.b.value] = ids.map(called);
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
    const ids = texts.map(find), missing = ids.findIndex((id) => !id || !made.exists(id));
    if (missing >= 0) return say(unknown.replace("{name}", () => texts[missing]));
    if (new Set(ids).size < ids.length) return say(alike);
    if (ids.length === MOST_NAMES && own(pages, ids[0])?.includes(ids[1])) return lead(...ids);
    const sorted = ids.length === MOST_NAMES ? [...ids].sort() : ids;
    const query = several ? `?with=${sorted.map(encodeURIComponent).join()}` : `?a=${encodeURIComponent(sorted[0])}&b=${encodeURIComponent(sorted[1])}`;
    return show(sorted, query);
  }

  /* Systems are many: their names come when the form is used. */
  form.addEventListener("focusin", () => loaded().then(() => {
    const list = document.getElementById("ts-accelerators");
    list.append(...window.touchstoneResults.systems.map(([, name]) => Object.assign(document.createElement("option"), { value: name })));
  }, () => {}), { once: true });

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
