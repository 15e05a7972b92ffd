// The question at home is answered beside it, by the scripts of the page of costs, which come when somebody asks another than the first.
// Without them its button leads to that page.
(() => {
  "use strict";

  const form = document.querySelector(".ts-ask"), place = document.querySelector("[data-ts-asked]");
  if (!form || !place) return;
  const scripts = document.currentScript.dataset.scripts.split(" ");
  const costs = new URL(form.action); // what the answer links to is relative to that page
  const fields = form.elements, more = place.parentElement.querySelector("p > a.ts-ask__more");

  const load = (src) =>
    new Promise((done, failed) => {
      const async = !scripts.includes(src); // those run one after the other; a workload waits for none
      document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: failed, async }));
    });
  const coming = {};
  const once = (src) => (coming[src] ??= load(src).catch((why) => { delete coming[src]; throw why; }));

  const ready = () => Promise.all(scripts.map(once)).then(() => {
    const data = window.touchstoneCosts;
    return (calculator ??= { data, ...touchstoneQuestions(data), ...touchstoneAnswers(data) });
  });

  // Each workload has targets of its own
  const offer = () => {
    const choices = JSON.parse(fields.workload.selectedOptions[0].dataset.targets);
    fields.target.replaceChildren(...choices.map(([value, text, usual]) => new Option(text, value, usual, usual)));
  };

  // What is asked is kept with the page, so that the way back and a reload find it as it was
  const LIMITS = ["budget", "deadline"];
  const ASKED = ["workload", "target", ...LIMITS];
  const keep = () => history.replaceState({ ...history.state, asked: ASKED.map((name) => fields[name].value) }, "");

  // The page of costs with this question; an address has numbers as scripts write them
  function address(limits) {
    const to = new URL(costs);
    for (const name of ["currency", "workload", "target"]) to.searchParams.set(name, fields[name].value);
    for (const name of LIMITS) if (limits[name] !== null) to.searchParams.set(name, limits[name]);
    return to.href;
  }

  const typed = () => Object.fromEntries(LIMITS.map((name) => [name, fields[name].value || null]));

  // The limits as they are written in the reader's language; what is no number is said, and no limit
  const label = (field) => field.closest("label").querySelector("span").textContent;
  function limits({ allowed, number, spoken }) {
    const wrong = [];
    const found = LIMITS.map((name) => {
      const field = fields[name], value = number(field.value);
      const good = value === null || (Number.isFinite(value) && allowed[name](value));
      if (good) field.removeAttribute("aria-invalid");
      else field.setAttribute("aria-invalid", "true");
      if (!good) wrong.push(spoken("no_number", { field: label(field), text: field.value }));
      return [name, good ? value : null];
    });
    return { ...Object.fromEntries(found), wrong: wrong.join(" ") };
  }

  // Beside an answer stands its workload's chart, if that is of the target asked, else the way to its own; its headline is what the answer says
  const figure = place.closest(".ts-home__first").querySelector("figure"), headline = figure.querySelector("h2");
  const own = fields.workload.options[0].value;
  const parts = ["href", "src", "srcset", "alt", "aria-label"].flatMap((name) =>
    [...figure.querySelectorAll(`:is(a, picture > *)[${name}]`)].map((part) => [part, name, part.getAttribute(name)]));
  const subtitle = figure.querySelector("p"), there = figure.querySelector(".ts-ask__there");
  function draw(shown) {
    const { value: id, dataset: { title } } = fields.workload.selectedOptions[0];
    for (const part of figure.children) part.hidden = part !== headline && !shown;
    there.parentElement.hidden = shown || !headline.textContent;
    there.href = more.href;
    if (!shown || subtitle.textContent === title) return;
    subtitle.textContent = title;
    for (const [part, name, value] of parts) {
      const spoken = id === own ? value : title;
      part.setAttribute(name, /^a/.test(name) ? spoken : value.replaceAll(`/${own}-`, `/${id}-`));
    }
    figure.dataset.chart = figure.dataset.chart.replace(/.*(?=-)/, id);
  }

  const [heading, list, told] = place.children;
  const first = [heading, list, headline].map((part) => [part, part.innerHTML]);
  function say(title, leaders, sentence) {
    [heading, list, headline].forEach((part, at) => { part.innerHTML = [title, leaders, sentence][at]; });
    draw(Boolean(sentence) && fields.target.selectedOptions[0]?.defaultSelected);
    for (const link of list.querySelectorAll("a[href]")) link.href = new URL(link.getAttribute("href"), costs);
  }
  function sayFirst() {
    for (const [part, html] of first) part.innerHTML = html;
    draw(true);
  }
  const usualAsked = () => !fields.workload.selectedIndex && fields.target.selectedOptions[0]?.defaultSelected && !fields.budget.value && !fields.deadline.value;

  let edits = 0, calculator;
  async function answer() {
    const mine = edits; // as the question is now; another edit has an answer of its own
    place.setAttribute("aria-busy", "true");
    try {
      const found = await ready(), { data, answerTo, usual, shown } = found, id = fields.workload.value;
      if (!data.workloads.some((one) => one.id === id)) await once(new URL(data.others[id], costs).href);
      if (mine !== edits) return;
      const { wrong, ...given } = limits(found), limited = LIMITS.some((name) => given[name] !== null);
      const title = place.dataset[limited ? "tsWithin" : "tsAsked"].replace("{}", () => fields.workload.selectedOptions[0].innerHTML);
      more.href = address(given);
      told.textContent = wrong;
      if (wrong) return say("", "", "");
      if (usualAsked()) return sayFirst();
      const state = { ...usual(id), currency: fields.currency.value, target: Number(fields.target.value), ...given };
      const { sentence, leaders } = shown(state, answerTo(state)); // the build's own words
      say(leaders && title, leaders, sentence);
    } catch (error) {
      if (mine !== edits) return;
      say("", "", ""); // what is there answers another question
      told.textContent = place.dataset.tsFailed;
      console.warn(`question: ${error.message ?? "a script could not be loaded"}`);
    } finally {
      if (mine === edits) place.removeAttribute("aria-busy");
    }
  }

  let timer;
  form.addEventListener("input", ({ target }) => {
    edits += 1;
    if (target === fields.workload) offer();
    keep();
    more.href = address(typed());
    clearTimeout(timer);
    timer = setTimeout(answer, 250); // a number has several digits
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const asked = typed();
    if (!asked.budget && !asked.deadline) return location.assign(address(asked));
    try {
      const { wrong, ...given } = limits(await ready());
      if (wrong) answer();
      else location.assign(address(given));
    } catch {
      location.assign(address(asked)); // as it is typed: the page of costs takes what is a number
    }
  });
  addEventListener("hashchange", keep); // another entry of the history, of the same question
  addEventListener("pageshow", ({ persisted }) => {
    const { asked } = history.state ?? {};
    if (persisted || !asked) return;
    [fields.workload.value] = asked;
    if (fields.workload.selectedIndex < 0) return form.reset(); // no longer here
    offer();
    ASKED.forEach((name, at) => { fields[name].value = asked[at]; });
    if (fields.target.selectedIndex < 0) offer();
    answer();
  });
})();
