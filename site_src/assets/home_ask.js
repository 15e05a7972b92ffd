// The question at home is answered beside it, by the scripts of the page of costs, which come when somebody asks another than the first.
// Without them its button leads to that page.
(() => {
  "use strict";

  const form = document.querySelector(".ts-ask"), place = document.querySelector("[data-ts-asked]");
  if (!form || !place) return;
  const scripts = document.currentScript.dataset.scripts.split(" ");
  const costs = new URL(form.action); // what the answer links to is relative to that page
  const fields = form.elements;

  const load = (src) =>
    new Promise((done, failed) => {
      document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: failed, async: false }));
    });
  const coming = {};
  const once = (src) => (coming[src] ??= load(src).catch((why) => { delete coming[src]; throw why; }));

  const ready = () => Promise.all(scripts.map(once)).then(() => {
    const data = window.touchstoneCosts;
    return (calculator ??= { data, ...touchstoneQuestions(data), ...touchstoneAnswers(data) });
  });

  // The limits as they are written in the reader's language; what is no number is said, and no limit
  const LIMITS = ["budget", "deadline"];
  const label = (field) => field.closest("label").querySelector("span").textContent;
  function limits({ number, spoken }) {
    const wrong = [];
    const found = LIMITS.map((name) => {
      const field = fields[name], value = number(field.value);
      const good = value === null || (Number.isFinite(value) && value >= 0 && (value || name === "budget"));
      if (good) field.removeAttribute("aria-invalid");
      else field.setAttribute("aria-invalid", "true");
      if (!good) wrong.push(spoken("no_number", { field: label(field), text: field.value }));
      return [name, good ? value : null];
    });
    return { ...Object.fromEntries(found), wrong: wrong.join(" ") };
  }

  let asked = 0, calculator;
  async function answer() {
    const mine = (asked += 1);
    place.setAttribute("aria-busy", "true");
    try {
      const found = await ready(), { data, answerTo, usual, shown } = found, id = fields.workload.value;
      if (!data.workloads.some((one) => one.id === id)) await once(new URL(data.others[id], costs).href);
      if (mine !== asked) return;
      place.hidden = false;
      const [heading, list, told] = place.children;
      const { budget, deadline, wrong } = limits(found);
      if (wrong) {
        told.textContent = wrong;
        list.replaceChildren();
        return;
      }
      const state = { ...usual(id), currency: fields.currency.value, target: Number(fields.target.value), budget, deadline };
      const { sentence, leaders } = shown(state, answerTo(state));
      heading.textContent = place.dataset.tsAsked.replace("{}", () => fields.workload.selectedOptions[0].textContent);
      list.innerHTML = leaders; // the build's own words, as the sentence
      told.innerHTML = sentence;
      for (const link of place.querySelectorAll("a[href]")) link.href = new URL(link.getAttribute("href"), costs);
    } catch (error) {
      if (mine === asked) place.hidden = true; // it answers another question
      console.warn(`question: ${error.message ?? "a script could not be loaded"}`);
    } finally {
      if (mine === asked) place.removeAttribute("aria-busy");
    }
  }

  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(answer, 250); // a number has several digits
  };
  form.addEventListener("input", later);
  // An address has numbers as scripts write them
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const to = new URL(costs);
    for (const name of ["currency", "workload", "target"]) to.searchParams.set(name, fields[name].value);
    try {
      const { wrong, ...given } = limits(await ready());
      if (wrong) return answer();
      for (const name of LIMITS) if (given[name] !== null) to.searchParams.set(name, given[name]);
    } catch { /* the page of costs asks again */ }
    location.assign(to);
  });
  const changed = () => fields.workload.selectedIndex || fields.target.selectedOptions[0]?.defaultSelected === false || fields.budget.value || fields.deadline.value;
  addEventListener("pageshow", () => { if (changed()) later(); }); // the way back keeps what was asked
})();
