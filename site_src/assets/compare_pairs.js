// Which results of two are compared, and what they say: the rules of kernels/analysis/pairs.py, where each has its reason; tests hold both
// against each other. Plain script without modules and without the page, so that it runs from file:// and in Node.
const touchstonePairs = (data) => {
  "use strict";

  const SAME = 0.02;
  const REPEAT = 0.13;
  const BASES = ["round", "number", "nearest", "target"];

  const sides = data.rows.map(([result, system, accelerator, workload, targets, round, number, minutes, low, high, runs, year, framework, submitter]) => ({
    result, targets, number, minutes, low, high, runs, year,
    system: data.systems[system][0], accelerator: data.accelerators[accelerator], workload: data.workloads[workload], round: data.rounds[round],
    parts: (data.rounds[round].match(/\d+/g) ?? []).map(Number), framework: data.frameworks[framework], submitter: data.submitters[submitter],
  }));

  // Lists as Python orders them
  function order(one, other) {
    if (!Array.isArray(one)) return one < other ? -1 : Number(one > other);
    for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
      const found = order(one[at], other[at]);
      if (found) return found;
    }
    return one.length - other.length;
  }
  const least = (all, key) => all.map((one) => [key(one), one]).sort((one, other) => order(one[0], other[0]))[0]?.[1];
  const later = (one, other) => (order(one.parts, other.parts) > 0 ? one : other).parts.map((part) => -part);

  const known = new Map();
  // By workload what an accelerator, a system or a result has: of each target, round and number the best
  function of(id) {
    if (!known.has(id)) {
      const found = new Map(), taken = new Set();
      const own = sides.filter((side) => [side.accelerator, side.system, side.result].includes(id));
      for (const side of own.sort((one, other) => order([one.minutes, one.result], [other.minutes, other.result]))) {
        const key = [side.workload, side.targets, side.round, side.number].join();
        if (taken.has(key)) continue;
        taken.add(key);
        found.set(side.workload, [...(found.get(side.workload) ?? []), side]);
      }
      known.set(id, found);
    }
    return known.get(id);
  }

  // How many times as fast the first is as the second, and what the runs of both allow
  const ratio = (fast, base) => ({ value: base.minutes / fast.minutes, low: base.low / fast.high, high: base.high / fast.low });

  // "same", "apart" or "unclear"
  function judged(a, b) {
    const { value, low, high } = ratio(a, b);
    if (low >= 1 / (1 + SAME) && high <= 1 + SAME) return "same";
    if (a.runs === 1 && b.runs === 1 && value >= 1 / (1 + REPEAT) && value <= 1 + REPEAT) return "unclear";
    return b.low > a.high || b.high < a.low ? "apart" : "unclear";
  }

  function match(a, b, workload) {
    const both = of(a).get(workload).flatMap((one) => of(b).get(workload).map((other) => [one, other]));
    const [one, other] = least(both, ([x, y]) => [
      [x.targets !== y.targets, x.number !== y.number, x.round !== y.round],
      Math.abs(Math.log(x.number / y.number)), x.parts.slice(0, y.parts.length).map((part, at) => Math.abs(part - y.parts[at])),
      later(x, y), x.number, x.minutes + y.minutes, x.result, y.result,
    ]);
    const wholes = a !== one.accelerator && b !== other.accelerator;
    const basis = one.targets !== other.targets ? "target" : one.number !== other.number ? "nearest" : one.round === other.round ? "round" : "number";
    const told = basis === "target" || (basis === "nearest" && !wholes) ? null : judged(one, other);
    return { workload, basis, a: one, b: other, told, wholes, separable: told !== null && told !== "unclear" };
  }

  // All workloads that two share, the best comparable first
  function pair(a, b) {
    const shared = [...of(a).keys()].filter((workload) => of(b).has(workload)).sort(order);
    return shared.map((workload) => match(a, b, workload))
      .sort((one, other) => order(rank(one), rank(other)));
  }
  const rank = (found) => [BASES.indexOf(found.basis), later(found.a, found.b), found.a.number, found.workload];

  // The middle one by ratio, of two in the middle the one that is nearer to 1
  function middle(found, value) {
    const sorted = [...found].sort((one, other) => value(one) - value(other));
    return least(sorted.slice(Math.max(0, Math.floor((sorted.length - 1) / 2)), Math.floor(sorted.length / 2) + 1), (one) => [Math.abs(Math.log(value(one)))]);
  }

  // The match that speaks for a pair: the middle one of those that compare best; where its runs leave open which is faster, the nearest that tells and that they do not exclude
  function leading(found) {
    const value = (one) => ratio(one.a, one.b).value;
    const told = found.filter((one) => one.basis === found[0].basis && one.told !== null), lead = middle(told, value) ?? found[0];
    if (lead.separable || !told.length) return lead;
    const open = ratio(lead.a, lead.b), agree = told.filter((one) => one.separable && open.low <= value(one) && value(one) <= open.high);
    return least(agree, (one) => [Math.abs(Math.log(value(one) / open.value))]) ?? lead;
  }

  function leg(one, other) {
    const found = pair(...[one, other].sort(order)), lead = found.length ? leading(found) : null;
    if (!lead?.separable) return null;
    const [fast, base] = order(one, other) < 0 ? [lead.a, lead.b] : [lead.b, lead.a];
    return { lead, ratio: ratio(fast, base) };
  }

  // Two that share no workload, by way of a third accelerator
  function bridge(a, b) {
    const found = data.accelerators.filter((third) => third !== a && third !== b).map((third) => {
      const first = leg(a, third), second = first && leg(third, b);
      if (!second) return null;
      const product = Object.fromEntries(["value", "low", "high"].map((end) => [end, first.ratio[end] * second.ratio[end]]));
      return { third, first: first.lead, second: second.lead, ratio: product };
    });
    return least(found.filter(Boolean), (one) => [
      BASES.indexOf(one.first.basis) + BASES.indexOf(one.second.basis), one.ratio.high / one.ratio.low, one.third,
    ]) ?? null;
  }

  // What one source has of two, of results without a score: the rules of kernels/analysis/sourced.py
  const figures = data.figures.map(([result, system, accelerator, workload, source, metric, terms, number, value, unit]) => ({
    result, accelerator, source, metric, terms, number, value, unit, system: data.systems[system][0], workload: data.workloads[workload],
    pace: !value ? Infinity : metric.startsWith("throughput_") ? 1 / value : value,
  }));
  const fastest = (found) => least(found, (one) => [!one.value, one.terms, one.pace, one.result]);
  function sourced(a, b) {
    const has = (one, id) => id === one.accelerator || id === one.system || id === one.result;
    const own = [a, b].map((id) => figures.filter((one) => has(one, id)));
    const wholes = [a, b].every((id, at) => own[at].every((one) => id !== one.accelerator));
    const place = (one) => JSON.stringify([one.source, one.workload]);
    const terms = (one) => [one.terms, wholes ? 0 : one.number];
    const shared = [...new Set(own[0].map(place))].filter((text) => own[1].some((one) => place(one) === text));
    return shared.map((text) => {
      const both = own.map((some) => some.filter((one) => place(one) === text)), [source, workload] = JSON.parse(text);
      const valued = both.map((some) => some.filter((one) => one.value && (wholes || one.number)));
      const alike = valued[0].map(terms).filter((one) => valued[1].some((other) => !order(terms(other), one)));
      const chosen = alike.length ? least(alike, (one) => one) : null;
      const [one, other] = chosen ? valued.map((some) => fastest(some.filter((each) => !order(terms(each), chosen)))) : both.map(fastest);
      return { source, workload, a: one, b: other, ratio: chosen && other.pace / one.pace };
    }).sort((one, other) => order([!one.ratio, one.source, one.workload], [!other.ratio, other.source, other.workload]));
  }

  const related = (a, b) => of(a).size > 0 && [...of(a).keys()].some((workload) => of(b).has(workload)) || sourced(a, b).length > 0;
  return { sides, of, order, ratio, match, middle, pair, leading, bridge, sourced, related };
};
