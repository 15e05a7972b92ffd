/* Leads from two named accelerators to the page of both, in either order; says plainly where there is none. */
(() => {
  "use strict";
  const { names, pages, trained, words } = window.touchstoneCompare;
  const folded = (text) => text.normalize("NFKC").toLowerCase().replace(/[аевкмнорстух]/g, (letter) => "aebkmhopctyx"["аевкмнорстух".indexOf(letter)]).replace(/[^a-z0-9+]/g, "");
  const known = Object.entries(names).map(([id, called]) => ({ id, name: called[0], called: [id, ...called].map(folded) }));
  const results = (one) => (pages[one.id] ?? []).length;

  /* The accelerator of that name; of a part of a name the one that compares with most others. */
  const find = (text) => {
    const wanted = folded(text);
    if (!wanted) return undefined;
    const exact = known.filter((one) => one.called.includes(wanted));
    const near = known.filter((one) => one.called.some((name) => name.includes(wanted)));
    const best = (found) => [...found].sort((one, other) => results(other) - results(one))[0];
    const sure = best(exact);
    return sure && results(sure) ? sure : best(near) ?? sure;
  };

  const page = (one, other) => `${[one.id, other.id].sort().join("-vs-")}/`;
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const told = (one) => filled(trained[one.id] ? words.trained : words.trained_none, { name: one.name, workloads: trained[one.id] });

  const answer = (a, b) => {
    const [one, other] = [find(a), find(b)];
    if (!one || !other) return [filled(words.unknown, { name: one ? b : a })];
    if (one === other) return [words.alike];
    if (pages[one.id]?.includes(other.id)) {
      const file = location.protocol === "file:" ? "index.html" : "";
      location.replace(new URL(page(one, other) + file, location.href.replace(/[?#].*$/, "")));
      return [];
    }
    return [filled(words.nothing, { a: one.name, b: other.name }), told(one), told(other)];
  };

  const asked = new URLSearchParams(location.search);
  const form = document.querySelector(".ts-ask--two");
  const [a, b] = ["a", "b"].map((name) => asked.get(name) ?? "");
  if (!a && !b) return;
  form.elements.a.value = a;
  form.elements.b.value = b;
  if (!a || !b) return;
  const place = document.querySelector("[data-ts-answer]");
  for (const text of answer(a, b)) place.append(Object.assign(document.createElement("p"), { textContent: text }));
})();
