// The question that the calculator of costs asks first of each workload, and the answer to any: what the page was handed (`data`) as cost.js
// takes it. Plain script without the page, so that it runs in Node too.
const touchstoneQuestions = (data) => {
  "use strict";

  const OWN = "own"; // the reader's own price, in place of an offer's id
  const NEWEST = ""; // in place of a day of prices
  const SECONDS_AN_HOUR = 3600;
  const SECONDS_A_MINUTE = 60;
  const known = (value) => value !== null && value !== undefined;

  // Beyond these no figure means anything, and sums of them would be infinite or could not be written down
  const LEAST = 1e-9;
  const MOST = 1e12;
  const amount = (value) => value === 0 || (value >= LEAST && value <= MOST);
  const allowed = {
    budget: amount,
    deadline: (value) => value > 0 && amount(value),
    energy: amount,
    jobs: (value) => value > 0 && amount(value),
    increment: amount,
    minimum: amount,
    preparation: amount,
    tariff: amount,
    pue: (value) => value >= 1 && amount(value),
    utilisation: (value) => value >= 1e-6 && value <= 1, // as cost.js takes them
    months: (value) => value * 730 >= 1 && amount(value),
  };

  // What the page was handed, as cost.js takes it; a workload when it is first asked for, as it may come later than the others

  const taken = new Set();
  function workload(id) {
    const one = data.workloads.find((each) => each.id === id);
    if (!one || taken.has(id)) return one;
    taken.add(id);
    for (const side of one.sides) {
      for (const name of ["offers", "listed"]) side[name] = side[name].map((index) => one.offers[index]);
      side.days = one.days[side.days].map(([first, last, index]) => ({ first, last, offer: one.offers[index] }));
      for (const trial of side.candidate.trials) {
        trial.points = trial.points.map(([quality, seconds, energy_j = null, low_s = null, high_s = null]) => ({
          quality, seconds, energy_j, low_s, high_s,
        }));
      }
    }
    return one;
  }
  const rates = data.rates.map(([base, quote, day, rate, source]) => ({ base, quote, day, rate, source }));

  function usual(id) {
    const { target, by, currency, budget = null, deadline_s, energy_kwh = null, preparation_s, tariff = null, ...owned } = workload(id).question;
    const { pue, utilisation, months, jobs = 1, increment_s, minimum_s } = owned;
    const deadline = known(deadline_s) ? deadline_s / SECONDS_AN_HOUR : null;
    const preparation = preparation_s ? preparation_s / SECONDS_A_MINUTE : null;
    const increment = increment_s ? increment_s / SECONDS_A_MINUTE : null;
    const minimum = minimum_s ? minimum_s / SECONDS_A_MINUTE : null;
    const limits = { budget, deadline, energy: energy_kwh, jobs, increment, minimum, preparation, tariff };
    return { workload: id, target, by, currency, day: NEWEST, ...limits, pue, utilisation, months, offers: {}, prices: {}, powers: {} };
  }

  function ownOffer({ value, currency, per }) {
    const bought = per === "purchase";
    const price = bought ? { kind: "owned", hourly: null, purchase: value } : { kind: "on_demand", hourly: value, purchase: null };
    return { ...price, id: OWN, currency, day: data.rate_day ?? data.today, rate_day: null, remarks: [] };
  }

  function pairsOf(state) {
    const pairs = [];
    for (const side of workload(state.workload).sides) {
      const { system } = side.candidate;
      const power = state.powers[system];
      const candidate = known(power) ? { ...side.candidate, power_w: power, power_basis: "typed" } : side.candidate;
      const chosen = state.offers[system];
      const { day } = state;
      let offers = side.listed;
      if (day !== NEWEST) offers = side.days.filter(({ first, last }) => first <= day && day <= last).map(({ offer }) => offer);
      if (chosen) offers = side.offers.filter((offer) => offer.id === chosen);
      if (state.prices[system]) offers = [ownOffer(state.prices[system])];
      pairs.push(...(offers.length ? offers : [null]).map((offer) => [candidate, offer]));
    }
    return pairs;
  }

  function answerTo(state) {
    const { direction } = workload(state.workload).question;
    const { target, by, currency, budget, deadline, energy: most, jobs, increment, minimum, preparation, tariff, pue, utilisation, months } = state;
    const limits = { budget, deadline_s: known(deadline) ? deadline * SECONDS_AN_HOUR : null, energy_kwh: most };
    const preparation_s = (preparation ?? 0) * SECONDS_A_MINUTE;
    const billed = { jobs, increment_s: (increment ?? 0) * SECONDS_A_MINUTE, minimum_s: (minimum ?? 0) * SECONDS_A_MINUTE };
    const question = { target, direction, by, currency, ...limits, ...billed, tariff, pue, utilisation, months, preparation_s };
    return touchstoneCosts.answer(question, pairsOf(state), rates, data.today);
  }

  return { NEWEST, OWN, allowed, amount, answerTo, known, usual, workload };
};
