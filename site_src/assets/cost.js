// What training to a target costs, and which setup is first, cheapest and least energy-hungry, over the records of
// costs/question.py as `plain` writes them; why a rule is as it is stands there and in costs/answers.py. The build asks this file under
// Node; money, times and rates are those of kernels/catalog/cost.py and exchange.py, by which `verify` works each figure out again.
// Plain script without modules and without the page, so that it runs from file://, in a frame, and in Node.
const touchstoneCosts = (() => {
  "use strict";

  const HOURS_A_MONTH = 730;
  const SECONDS_AN_HOUR = 3600;
  const JOULES_A_KWH = 3.6e6;
  const SAME_GRANULE = 1e-9;
  const LEAST_USE = 1e-6;
  const MOST_DAYS = 10;
  const THROUGH = "EUR";
  const OLD_YEARS = 2;
  const FAILED = ["oom", "timeout", "killed", "failed", "unfinished", "not_supported"];
  const STATES = [
    "ok", "over_budget", "too_late", "over_energy", "session_too_short", "doubtful_price", "no_price", "no_rate", "no_energy",
    "not_reached", "not_stated", "failed",
  ];
  const REASONS = ["spot-above-on-demand", "two-rates", "one-price-two-sizes", "far-from-median"];
  const REMARKS = [
    ...REASONS,
    "other-machine", "form-not-named", "undated", "old-price", "later-price", "about", "at-least", "accelerators-alone", "free", "commitment",
    "spot", "session-limit", "pro-rata", "preparation", "no-electricity", "n1", "k-of-n", "at-most", "between", "about-time", "estimate-energy", "mixed-clocks", "maybe",
  ];

  const known = (value) => value !== null && value !== undefined;

  function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const half = Math.floor(sorted.length / 2);
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  // cost.py

  function spread(value, low, high) {
    if (!(low <= value && value <= high)) throw new Error(`a spread of ${low} to ${high} around ${value}`);
    return { value, low, high };
  }

  const rising = (x, of) => spread(of(x.value), of(x.low), of(x.high));

  function relative(a, b) {
    if (b.low <= 0) throw new Error(`a figure over ${b.low}, wanted more than 0`);
    return spread(a.value / b.value, a.low / b.high, a.high / b.low);
  }

  function checkOwnership(months, utilisation, pue) {
    if (!(months * HOURS_A_MONTH >= 1)) throw new Error(`a lifetime of ${months} months, wanted an hour or more`);
    if (!(utilisation >= LEAST_USE && utilisation <= 1)) throw new Error(`a utilisation of ${utilisation}, wanted ${LEAST_USE} to 1`);
    if (!(pue >= 1)) throw new Error(`a PUE of ${pue}, wanted 1 or more`);
  }

  function ownedPerHour(purchase, months, utilisation, power_w = 0, tariff = 0, pue = 1) {
    checkOwnership(months, utilisation, pue);
    if (Math.min(purchase, power_w, tariff) < 0) throw new Error(`a purchase of ${purchase}, ${power_w} W and ${tariff} a kWh, below 0`);
    return purchase / (HOURS_A_MONTH * months * utilisation) + power_w / 1000 * tariff * pue;
  }

  function billedSeconds(seconds, granularity) {
    if (!granularity) return seconds;
    return Math.ceil(seconds / granularity * (1 - SAME_GRANULE)) * granularity;
  }

  const jobCost = (seconds, hourly, preparation = 0, granularity = null) =>
    billedSeconds(preparation + seconds, granularity) / SECONDS_AN_HOUR * hourly;

  const energyKwh = (power_w, seconds, pue = 1) => power_w * seconds * pue / JOULES_A_KWH;

  const breakEvenPrice = (secondsA, secondsB, hourlyB) => rising(relative(secondsB, secondsA), (times) => times * hourlyB);

  function breakEvenSeconds(ratio, hourlyA, hourlyB, preparation = [0, 0], granularity = [null, null]) {
    const slopes = [ratio.value, ratio.low, ratio.high].map((times) => hourlyB - times * hourlyA);
    if (!(Math.min(...slopes) > 0 || Math.max(...slopes) < 0)) return null;
    const value = (hourlyA * preparation[0] - hourlyB * preparation[1]) / slopes[0];
    if (value <= 0) return null;
    const ends = [];
    for (const slope of slopes) {
      for (const a of [0, granularity[0] || 0]) {
        for (const b of [0, granularity[1] || 0]) {
          ends.push((hourlyA * (preparation[0] + a) - hourlyB * (preparation[1] + b)) / slope);
        }
      }
    }
    return spread(value, Math.max(0, Math.min(...ends)), Math.max(...ends));
  }

  // exchange.py

  const dayNumber = (day) => Date.parse(`${day}T00:00:00Z`) / 86_400_000;
  const inOrder = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  function leg(base, quote, rates) {
    for (const rate of rates) {
      if (rate.base === base && rate.quote === quote) return [rate.rate, rate.source];
      if (rate.base === quote && rate.quote === base) return [1 / rate.rate, rate.source];
    }
    return null;
  }

  function legs(base, quote, rates) {
    const ways = [[[base, quote]]];
    if (base !== THROUGH && quote !== THROUGH) ways.push([[base, THROUGH], [THROUGH, quote]]);
    for (const way of ways) {
      const found = way.map(([from, to]) => leg(from, to, rates));
      if (found.every(known)) return found;
    }
    return null;
  }

  // Null where no dated rate is known: nothing is converted without one.
  function convert(amount, base, quote, day, rates) {
    if (base === quote) return { amount, rate: 1, day, sources: [] };
    const wanted = dayNumber(day);
    const near = rates.filter((rate) => dayNumber(rate.day) <= wanted && dayNumber(rate.day) >= wanted - MOST_DAYS);
    for (const found of [...new Set(near.map((rate) => rate.day))].sort().reverse()) {
      const ofDay = near.filter((rate) => rate.day === found).sort((a, b) => inOrder(a.source, b.source));
      const way = legs(base, quote, ofDay);
      if (way) {
        const rate = way.reduce((total, [each]) => total * each, 1);
        return { amount: amount * rate, rate, day: found, sources: [...new Set(way.map(([, source]) => source))] };
      }
    }
    return null;
  }

  // Answers

  const meets = (quality, question) => (question.direction === "at_least" ? quality >= question.target : quality <= question.target);

  function reach(trial, question) {
    const place = trial.points.findIndex((point) => meets(point.quality, question));
    if (place < 0) return null;
    const point = trial.points[place];
    const beyond = (place === 0 || known(point.low_s)) && point.quality !== question.target;
    const after = beyond && place > 0;
    const before = after ? trial.points[place - 1] : point; // an easier target, before which this one was not reached
    return {
      seconds: point.seconds,
      low: Math.min(point.low_s ?? point.seconds, before.low_s ?? before.seconds, point.seconds),
      high: Math.max(point.high_s ?? point.seconds, point.seconds),
      energy_j: point.energy_j,
      beyond: beyond && !after,
      after,
    };
  }

  function unreached(candidate, question) {
    const tried = candidate.trials.filter((trial) => !FAILED.includes(trial.status));
    if (candidate.trials.length && !tried.length) return "failed";
    const short = tried.length && tried.every((trial) => known(trial.best) && !meets(trial.best, question));
    return short ? "not_reached" : "not_stated";
  }

  // Another recorded price contradicts it: no cost is worked out with it
  const doubtful = (offer) => REASONS.some((reason) => (offer?.remarks ?? []).includes(reason));

  const preparationOf = (question, offer) => offer?.preparation_s ?? question.preparation_s ?? 0;

  const incrementOf = (question, offer) => offer.granularity_s || question.increment_s || null;

  function saidOf(question, candidate, offer, reached, today) {
    const trials = candidate.trials.length;
    const said = new Set(offer ? offer.remarks : []);
    const note = (key, holds) => holds && said.add(key);
    note("n1", trials === 1 && reached.length > 0);
    note("k-of-n", reached.length > 0 && reached.length < trials);
    note("at-most", reached.some((each) => each.beyond));
    note("between", reached.some((each) => each.after));
    note("preparation", reached.length > 0 && preparationOf(question, offer) > 0);
    for (const key of candidate.remarks ?? []) note(key, reached.length > 0);
    if (!offer) return said;
    const old = `${String(Number(today.slice(0, 4)) - OLD_YEARS).padStart(4, "0")}${today.slice(4)}`;
    note("undated", !known(offer.day));
    const seen = offer.day ?? offer.rate_day;
    note("old-price", known(seen) && seen < old);
    note("free", offer.kind === "free");
    note("commitment", known(offer.term_months));
    note("spot", offer.kind === "spot");
    note("pro-rata", known(offer.hourly) && offer.kind !== "free" && !incrementOf(question, offer) && !question.minimum_s);
    return said;
  }

  const sorted = (said) => [
    ...REMARKS.filter((key) => said.has(key)), ...[...said].filter((key) => !REMARKS.includes(key)).sort(),
  ];

  const metered = (reached) => reached.map((each) => each.energy_j).filter(known);

  function energyOf(question, candidate, reached, own) {
    const joules = metered(reached);
    if (joules.length) {
      const drawn = spread(median(joules), Math.min(...joules), Math.max(...joules));
      return rising(drawn, (joule) => energyKwh(joule * (question.jobs ?? 1), 1, question.pue));
    }
    if (!known(candidate.power_w)) return null;
    return rising(own, (time) => energyKwh(candidate.power_w, time, question.pue));
  }

  function powerOf(candidate, reached) {
    if (known(candidate.power_w)) return candidate.power_w;
    const drawn = reached.filter((each) => known(each.energy_j) && each.seconds > 0).map((each) => each.energy_j / each.seconds);
    return drawn.length ? median(drawn) : null;
  }

  function priced(row, question, reached, rates) {
    const { offer, seconds } = row;
    if (!offer || doubtful(offer)) return;
    const free = offer.kind === "free";
    const bought = !free && !known(offer.hourly);
    let amount = free ? 0 : bought ? offer.purchase : offer.hourly;
    if (!known(amount)) return;
    if (amount && offer.currency !== question.currency) {
      const day = offer.rate_day ?? offer.day;
      const converted = known(day) ? convert(amount, offer.currency, question.currency, day, rates) : null;
      if (!converted) return;
      row.converted = converted;
      amount = converted.amount;
    }
    const power = powerOf(row.candidate, reached) ?? 0;
    const { months, utilisation, tariff, pue } = question;
    row.hourly = bought ? ownedPerHour(amount, months, utilisation, power, tariff ?? 0, pue) : amount;
    row.billed_s = rising(seconds, (time) => Math.max(billedSeconds(time, incrementOf(question, offer)), question.minimum_s ?? 0));
    row.cost = rising(row.billed_s, (time) => jobCost(time, row.hourly));
  }

  function stateOf(row, question) {
    const { offer, seconds, cost, energy_kwh: energy } = row;
    const limits = [
      [cost, question.budget, "over_budget"], [seconds, question.deadline_s, "too_late"],
      [energy, question.energy_kwh, "over_energy"], [seconds, offer?.session_limit_s, "session_too_short"],
    ].filter(([figure, limit]) => known(figure) && known(limit));
    const maybe = limits.some(([figure, limit]) => figure.low <= limit && limit < figure.high);
    if (!cost && (question.by === "cost" || known(question.budget))) {
      if (doubtful(offer)) return ["doubtful_price", maybe, []];
      const unpriced = !offer || (!known(offer.hourly) && !known(offer.purchase));
      return [unpriced ? "no_price" : "no_rate", maybe, []];
    }
    if (!energy && (question.by === "energy" || known(question.energy_kwh))) return ["no_energy", maybe, []];
    const broken = limits.filter(([figure, limit]) => figure.value > limit);
    const excess = broken.map(([figure, limit, state]) => ({ state, limit, over: figure.value - limit }));
    return [excess.length ? excess[0].state : "ok", maybe, excess];
  }

  function rowOf(question, candidate, offer, rates, today) {
    const reached = candidate.trials.map((trial) => reach(trial, question)).filter(known);
    const said = saidOf(question, candidate, offer, reached, today);
    const row = {
      candidate, offer, seconds: null, billed_s: null, reached: reached.length, trials: candidate.trials.length, hourly: null, cost: null,
      converted: null, energy_kwh: null, state: "ok", rank: null, frontier: false, remarks: [],
      excess: [],
    };
    if (!reached.length) {
      row.state = unreached(candidate, question);
    } else {
      const times = reached.map((each) => each.seconds);
      const one = spread(median(times), Math.min(...reached.map((each) => each.low)), Math.max(...reached.map((each) => each.high)));
      const own = rising(one, (time) => time * (question.jobs ?? 1));
      row.seconds = rising(own, (time) => time + preparationOf(question, offer));
      row.energy_kwh = energyOf(question, candidate, reached, own);
      priced(row, question, reached, rates);
      const [state, maybe, excess] = stateOf(row, question);
      row.state = state;
      row.excess = excess;
      if (row.energy_kwh && !metered(reached).length) said.add("estimate-energy");
      if (state === "session_too_short") said.add("session-limit");
      if (known(offer?.purchase) && (!known(question.tariff) || !known(powerOf(candidate, reached)))) said.add("no-electricity");
      if (maybe) said.add("maybe");
    }
    row.remarks = sorted(said);
    return row;
  }

  const figures = { cost: "cost", time: "seconds", energy: "energy_kwh" };

  function beats(other, row) {
    if (!other.cost || !row.cost) return false;
    const [time, money] = [other.seconds.value - row.seconds.value, other.cost.value - row.cost.value];
    return time <= 0 && money <= 0 && (time < 0 || money < 0);
  }

  // Rows that answer the question, best first, then those that do not, by state. Pairs are [candidate, offer or null].
  function answer(question, pairs, rates, today) {
    checkOwnership(question.months, question.utilisation, question.pue);
    const rows = pairs.map(([candidate, offer]) => rowOf(question, candidate, offer, rates, today));
    const ranked = rows.filter((row) => row.state === "ok");
    const by = (row) => row[figures[question.by]];
    const mixed = new Set(ranked.map((row) => row.candidate.clock_scope)).size > 1;
    for (const row of ranked) {
      row.rank = 1 + ranked.filter((other) => by(other).high < by(row).low).length;
      row.frontier = known(row.cost) && !ranked.some((other) => beats(other, row));
      if (mixed) row.remarks = sorted(new Set([...row.remarks, "mixed-clocks"]));
    }
    const order = (row) => [
      STATES.indexOf(row.state), row.rank ?? 0, known(row.rank) ? by(row).value : 0, known(row.rank) ? row.seconds.value : 0,
      row.candidate.id, row.offer?.id ?? "",
    ];
    const keys = new Map(rows.map((row) => [row, order(row)]));
    return rows.sort((a, b) => keys.get(a).reduce((found, key, place) => found || inOrder(key, keys.get(b)[place]), 0));
  }

  // Of the rows that break a limit the one that misses by least, as a share of the limit; null where none does.
  function nearest(rows) {
    const miss = (row) => [
      Math.max(...row.excess.map(({ over, limit }) => (limit ? over / limit : Infinity))), row.candidate.id, row.offer?.id ?? "",
    ];
    const less = (one, other) => one.reduce((found, key, place) => found || inOrder(key, other[place]), 0) < 0;
    return rows.filter((row) => row.excess.length).reduce((first, row) => (first && !less(miss(row), miss(first)) ? first : row), null);
  }

  return {
    answer, billedSeconds, breakEvenPrice, breakEvenSeconds, convert, energyKwh, jobCost, nearest, ownedPerHour, relative,
  };
})();
