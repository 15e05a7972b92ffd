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

  let asked = 0, calculator;
  async function answer() {
    const mine = (asked += 1);
    place.setAttribute("aria-busy", "true");
    try {
      await Promise.all(scripts.map(once));
      const data = window.touchstoneCosts, id = fields.workload.value;
      if (!data.workloads.some((one) => one.id === id)) await once(new URL(data.others[id], costs).href);
      if (mine !== asked) return;
      calculator ??= { ...touchstoneQuestions(data), ...touchstoneAnswers(data) };
      const { answerTo, usual, shown } = calculator;
      const limit = ({ value }) => (value && Number(value) >= 0 ? Number(value) : null);
      const state = { ...usual(id), currency: fields.currency.value, target: Number(fields.target.value), budget: limit(fields.budget), deadline: limit(fields.deadline) || null };
      const { sentence, leaders } = shown(state, answerTo(state));
      const [heading, list, told] = place.children;
      heading.textContent = place.dataset.tsAsked.replace("{}", () => fields.workload.selectedOptions[0].textContent);
      list.innerHTML = leaders; // the build's own words, as the sentence
      told.innerHTML = sentence;
      for (const link of place.querySelectorAll("a[href]")) link.href = new URL(link.getAttribute("href"), costs);
    } catch (error) {
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
  const changed = () => fields.workload.selectedIndex || fields.target.selectedOptions[0]?.defaultSelected === false || fields.budget.value || fields.deadline.value;
  addEventListener("pageshow", () => { if (changed()) later(); }); // the way back keeps what was asked
})();
