// Two that have no page of their own, or up to six, beside each other: with the words and the pieces of the pages of pairs (pages/compare.py,
// templates/_versus.html). Defines touchstoneVersus(words, data).
const touchstoneVersus = (words, data) => {
  "use strict";

  const MOST = 6;
  const WIDTH = 200; // of a bar
  const DIGITS = 100; // a time of so many minutes needs no decimals
  const { of, order, ratio, middle, pair, leading, bridge, sourced, related } = touchstonePairs(data);
  const { text: say, pieces } = words;

  const safe = (text) => String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const said = (key, values = {}) => filled(say[key], values);
  const piece = (key, values) => filled(pieces[key], values);

  // Numbers as the language writes them
  function number(value, decimals) {
    const [whole, rest] = value.toFixed(decimals).split(".");
    return whole.replace(/\B(?=(...)+$)/g, words.number.thousands) + (rest ? words.number.decimal + rest : "");
  }
  const places = (value) => (value >= 2 ? 1 : 2);
  const times = (value) => number(value, places(value));
  const ofRatio = ({ value, low, high }, separable) => {
    const [from, to] = [low, high].map((end) => number(end, places(value)));
    return [from === to ? "" : said("range", { low: from, high: to }), separable ? "" : said("not_separable")].filter(Boolean).join(" · ");
  };
  const minutes = (value) => words.units.min.replace("{n}", number(value, value >= DIGITS ? 0 : value >= 10 ? 1 : 2));
  const money = (value, unit) => words.units[unit].replace("{n}", number(value, 2));
  const joined = (key, parts) => parts.filter(Boolean).reduce((first, second) => said(key, { first, second }));
  const listed = (parts) => {
    const plain = parts.map((part) => part.replace(/<[^>]*>/g, "")); // Spanish says "y" or "e", by the word that follows
    let at = 0;
    return new Intl.ListFormat(words.tag, { type: "conjunction" }).formatToParts(plain).map(({ type, value }) => (type === "element" ? parts[at++] : value)).join("");
  };
  const linked = (path, text) => `<a href="../${path}">${text}</a>`;

  // What is named: an accelerator, a system or a result
  const systems = new Map(data.systems), others = new Map(data.others.map((one) => [one[0], one]));
  function subject(id) {
    const side = [...of(id).values()][0]?.[0], other = others.get(id);
    if (Object.hasOwn(words.accelerators, id)) return { id, kind: "accelerators", name: words.accelerators[id], hardware: id };
    const system = side?.system ?? (other && data.systems[other[1]][0]);
    const name = systems.has(id) ? systems.get(id) : systems.get(system) ?? id;
    const hardware = side?.accelerator ?? (other ? other[2] : words.systems[id]);
    return { id, kind: systems.has(id) ? "systems" : "results", name, hardware, other, round: systems.has(id) ? "" : side?.round };
  }
  // Results of one system are told apart by their rounds, or their names
  function named(subjects) {
    for (const one of subjects) {
      const alike = subjects.filter(({ name }) => name === one.name).length > 1;
      const apart_ = one.round || (one.other && one.id);
      one.plain = alike && apart_ ? `${one.name}, ${apart_}` : one.name;
      one.called = safe(one.plain);
    }
    return subjects;
  }

  const framework = (side) => words.frameworks[side.framework] ?? side.framework;
  const workload = (id) => safe(words.workloads[id] ?? id);

  function when(one, other) {
    if (one.round !== other.round) return said("when_two", { one: one.round, other: other.round });
    return one.year ? said("when", { round: one.round, year: one.year }) : said("round", { round: one.round });
  }
  const result = (side) => linked(`results/${side.result}/`, minutes(side.minutes));

  // Two that share a workload: as Two of pages/compare.py
  function two(one, other) {
    const matches = pair(one.id, other.id), lead = leading(matches);
    const swapped = lead.told !== null && lead.b.minutes < lead.a.minutes;
    const [fast, base] = swapped ? [other, one] : [one, other];
    const ends = (match) => (swapped ? [match.b, match.a] : [match.a, match.b]);
    return { matches, lead, fast, base, ends, ratio: (match) => ratio(...ends(match)) };
  }

  // The prices of an hour of two accelerators on one day
  function priced(one, other) {
    const found = words.prices[[one, other].sort(order).join(" ")];
    if (!found) return undefined;
    const [day, ...both] = found;
    return { day, both: order(one, other) > 0 ? both.reverse() : both };
  }
  const cost = (side, [hour]) => side.minutes / 60 * side.number * hour;

  function sentence(found, prices) {
    const { lead, fast, base } = found, [one, other] = found.ends(lead);
    const values = { fast: fast.called, base: base.called, workload: workload(lead.workload), when: when(one, other), number: number(one.number, 0) };
    if (lead.basis === "target") return said("target", values);
    const accelerators = [fast, base].filter(({ kind }) => kind === "accelerators");
    const group = accelerators.length < 2 ? "whole." : "";
    if (group && accelerators.length) { // a system has its number in its name, an accelerator beside it has none
      for (const [name, side, of_] of [["fast", one, fast], ["base", other, base]]) {
        if (of_.kind === "accelerators") values[name] = `${number(side.number, 0)} × ${values[name]}`;
      }
    }
    if (!lead.told) {
      Object.assign(values, { fast_time: minutes(one.minutes), base_time: minutes(other.minutes), fast_number: number(one.number, 0), base_number: number(other.number, 0) });
      return said(`${group}nearest`, values);
    }
    if (lead.told !== "apart") return said(`${group}${lead.told}`, values);
    values.ratio = times(found.ratio(lead).value);
    if (!prices) return said(`${group}faster`, values);
    const [first, second] = [cost(one, prices.both[0]), cost(other, prices.both[1])];
    values.share = words.units.percent.replace("{n}", number(100 * first / second, 0));
    return said(`${group}faster_cost`, values);
  }

  function leads(found, prices) {
    const { lead, matches, fast, base } = found, [one, other] = found.ends(lead);
    const apart = matches.filter((match) => match.basis === lead.basis && match.separable)
      .sort((x, y) => found.ratio(x).value - found.ratio(y).value);
    const told = [];
    if (apart.length > 1) {
      const [low, high] = [apart[0], apart.at(-1)], n = apart.length;
      const form = say.range_of[new Intl.PluralRules(words.tag).select(n)] ?? say.range_of.other;
      told.push(filled(form, {
        n, fast: fast.called, base: base.called, low: times(found.ratio(low).value), high: times(found.ratio(high).value),
        low_workload: workload(low.workload), high_workload: workload(high.workload),
      }));
    }
    if (lead.told && one.number !== other.number) told.push(said("sizes", { fast: number(one.number, 0), base: number(other.number, 0) }));
    if (lead.told && one.round !== other.round) told.push(said("rounds_differ"));
    if (lead.basis === "nearest" && !lead.told) told.push(said("no_number"));
    if (lead.basis === "target") told.push(said("no_target"));
    if (!prices && lead.told) told.push(said("no_cost"));
    if (prices && lead.told) {
      const [first, second] = [cost(one, prices.both[0]), cost(other, prices.both[1])];
      told.push(said("cost", {
        providers: listed([...new Set(prices.both.map(([, provider]) => provider))]), day: words.days[prices.day], fast: fast.called, base: base.called, workload: workload(lead.workload),
        fast_cost: money(first, "USD"), base_cost: money(second, "USD"),
      }));
    }
    return told.map((text) => piece("lead", { text })).join("");
  }

  function chips(found) {
    const { lead } = found, [one, other] = found.ends(lead), same = lead.basis !== "target";
    const all = [[same, said(same ? "chip.target" : "chip.targets")]];
    all.push(one.number === other.number
      ? [true, said("chip.number", { number: words.numbers[one.number] })]
      : [false, said("chip.numbers", { one: number(one.number, 0), other: number(other.number, 0) })]);
    for (const [name, x, y] of [["round", one.round, other.round], ["submitter", one.submitter, other.submitter], ["framework", framework(one), framework(other)]]) {
      if (x && y) all.push([x === y, said(`chip.${name}${x === y ? "" : "s"}`, { one: safe(x), other: safe(y) })]);
    }
    return piece("chips", { inside: all.map(([alike, text]) => piece(alike ? "chip_same" : "chip_other", { text })).join(" ") });
  }

  function bar(found, match) {
    const every = found.matches.filter(({ told }) => told).map(found.ratio);
    const left = Math.log(Math.min(1, ...every.map(({ low }) => low))), right = Math.log(Math.max(1, ...every.map(({ high }) => high)));
    const at = (value) => Math.round(WIDTH * (Math.log(value) - left) / ((right - left) || 1));
    const { value, low, high } = found.ratio(match);
    return { one: at(1), end: at(value), low: at(low), high: at(high) };
  }

  // Whose code it is where it differs, as _codes of pages/compare.py
  function codes(one, other) {
    const [x, y] = [one, other].map(framework);
    if (x && y) return x === y ? "" : said("against", { one: safe(x), other: safe(y) });
    return one.submitter && other.submitter && one.submitter !== other.submitter ? said("chip.submitters", { one: safe(one.submitter), other: safe(other.submitter) }) : "";
  }

  function conditions(one, other) {
    const against = (x, y, shown = y) => (x === y ? shown : said("against", { one: x, other: shown }));
    const count = one.number === other.number ? words.numbers[one.number] : said("against", { one: number(one.number, 0), other: words.numbers[other.number] });
    return joined("comma", [said("round", { round: against(one.round, other.round) }), count, codes(one, other)]);
  }

  // The ratio of a match, or why there is none
  function told(found, match) {
    if (!match.told) return piece("reason", { why: said(`why.${match.basis}`) });
    const own = found.ratio(match);
    const values = { ...bar(found, match), times: said("times_as", { n: times(own.value) }), said: ofRatio(own, match.separable) };
    return piece(match.separable ? "ratio" : "ratio_unclear", values);
  }

  function row(found, match) {
    const [one, other] = found.ends(match);
    return piece("row", {
      workload: linked(`workloads/${match.workload}/`, workload(match.workload)), note: conditions(one, other), ratio: told(found, match),
      fast_name: found.fast.called, base_name: found.base.called, fast: result(one), base: result(other),
    });
  }

  function table(found, matches = found.matches) {
    const values = { fast: found.fast.called, base: found.base.called }, drawn = matches.some((match) => match.told);
    const head = piece("head", { first: said("workload"), second: drawn ? said("times", values) : said("ratio"), fast_name: values.fast, base_name: values.base });
    const caption = said(drawn ? "caption" : "caption_times", values);
    return piece("table", { caption, head, rows: matches.map((match) => row(found, match)).join("") });
  }

  // Specifications, energy and prices
  function specified(fast, base, found) {
    const rows = [], plain = (name, note, value, one, other) => rows.push(piece("row_plain", {
      name, note, ratio: piece("bare", { times: said("times_as", { n: times(value) }) }), fast_name: fast.called, base_name: base.called, fast: one, base: other,
    }));
    if (found?.lead.told && [fast, base].every(({ kind }) => kind === "accelerators")) { // what follows is of one accelerator
      const [one, other] = found.ends(found.lead);
      plain(said("measured", { workload: workload(found.lead.workload) }), "", found.ratio(found.lead).value, minutes(one.minutes), minutes(other.minutes));
    }
    if (found && found.lead.basis !== "target") {
      const [one, other] = found.ends(found.lead).map((side) => words.energy[side.result]);
      if (one && other) plain(said("energy", { workload: workload(found.lead.workload) }), "", one[0] / other[0], one[1], other[1]);
    }
    const [own, theirs] = [words.specifications[fast.hardware], words.specifications[base.hardware]];
    if (own && theirs && fast.hardware !== base.hardware) {
      for (const [name, label] of Object.entries(words.quantities)) {
        if (own[name] && theirs[name]) plain(label, "", own[name][0] / theirs[name][0], own[name][1], theirs[name][1]);
      }
    }
    const prices = priced(fast.hardware, base.hardware);
    if (prices) {
      const [one, other] = prices.both, note = joined("comma", [words.days[prices.day], ...new Set([one[1], other[1]])]);
      plain(said("hour"), safe(note), one[0] / other[0], money(one[0], "USD/h"), money(other[0], "USD/h"));
    }
    if (!rows.length) return "";
    const head = piece("head", { first: said("quantity"), second: said("ratio"), fast_name: fast.called, base_name: base.called });
    return `<h2 id="specifications">${said("specifications")}</h2>${piece("table_plain", { head, rows: rows.join("") })}`;
  }

  const ways = (all) => piece("ways", { items: all.map(([path, text]) => `<li>${linked(path, text)}</li>`).join("") });
  const own = (subjects) => subjects.map((one) => [`${one.kind}/${one.id}/`, one.called]);
  const note = (base) => `<p class="ts-note">${said("read", { base: base.called })}</p>${words.note}`;

  function shared(one, other) {
    const found = two(one, other), [x, y] = found.ends(found.lead), prices = priced(x.accelerator, y.accelerator);
    const title = sentence(found, prices), drawn = found.matches.some((match) => match.told);
    Object.assign(found.fast, { hardware: x.accelerator }); // a system may have had another one in another round
    Object.assign(found.base, { hardware: y.accelerator });
    const html = leads(found, prices) + chips(found) + table(found) + (drawn ? note(found.base) : words.note)
      + alone(sourced(found.fast.id, found.base.id), found.fast, found.base) + specified(found.fast, found.base, found) + ways(own([found.fast, found.base]));
    return { title, html };
  }

  // By way of a third: the ratio is the product of two, and says so
  function indirect(one, other, way, told) {
    const slower = way.ratio.value < 1;
    const [fast, base] = slower ? [other, one] : [one, other];
    const own_ = slower ? { value: 1 / way.ratio.value, low: 1 / way.ratio.high, high: 1 / way.ratio.low } : way.ratio;
    const third = named([subject(way.third)])[0], [first, second] = slower ? [way.second, way.first] : [way.first, way.second];
    const rounds = [first.a, first.b, second.a, second.b].sort((x, y) => order(x.parts, y.parts));
    const values = {
      third: third.called, fast: fast.called, base: base.called, ratio: times(own_.value), low: number(own_.low, places(own_.value)), high: number(own_.high, places(own_.value)),
      first: workload(first.workload), second: workload(second.workload), when: when(rounds[0], rounds.at(-1)),
    };
    const title = said(own_.low > 1 ? "bridge.faster" : "bridge.open", values);
    const legs = [[fast, first], [base, second]].map(([from, match]) => {
      const found = two(...[from, third].sort((x, y) => order(x.id, y.id)));
      return table({ ...found, matches: [match] }, [match]);
    });
    const text = ["bridge.how", "bridge.rough"].map((key) => piece("lead", { text: said(key, values) })).join("");
    return { title, html: text + legs.join("") + note(third) + told + specified(fast, base) + ways([...own([fast, base, third])]) };
  }

  // What single sources have of both, without a score
  function alone(every, one, other, slower = false) {
    const found = every.filter(({ a, b }) => a.value !== null || b.value !== null), [fast, base] = slower ? [other, one] : [one, other];
    const places = [...new Set(every.filter((each) => !found.includes(each)).map(({ source }) => source))];
    const seen = places.length ? piece("lead", { text: said("seen", { names: listed(places.map((id) => linked(...words.sources[id]))) }) }) : "";
    if (!found.length) return seen;
    const drawn = found.some((each) => each.ratio !== null);
    const shown = ({ result: id, value, unit }) => linked(`results/${id}/`, value === null ? said("missing") : unit === "s" ? minutes(value / 60)
      : words.units[unit].replace("{n}", number(value, value >= DIGITS ? 0 : 2)));
    const rows = found.map((each) => {
      const [first, second] = slower ? [each.b, each.a] : [each.a, each.b];
      const [path, name] = words.sources[each.source], same = first.metric === second.metric;
      const numbers = !first.number || !second.number ? "" : first.number === second.number ? words.numbers[first.number]
        : said("against", { one: number(first.number, 0), other: words.numbers[second.number] });
      return piece("row_plain", {
        name: linked(`workloads/${each.workload}/`, workload(each.workload)),
        note: joined("comma", [linked(path, name), same ? words.metrics[first.metric] : "", numbers]),
        ratio: each.ratio === null ? piece("reason", { why: said("why.sourced") }) : piece("bare", { times: said("times_as", { n: times(slower ? 1 / each.ratio : each.ratio) }) }),
        fast_name: fast.called, base_name: base.called, fast: shown(first), base: shown(second),
      });
    });
    const head = piece("head", {
      first: said("workload"), second: drawn ? said("times", { base: base.called }) : said("ratio"), fast_name: fast.called, base_name: base.called,
    });
    const texts = ["sourced", drawn && "sourced_ratio"].filter(Boolean).map((key) => piece("lead", { text: said(key) }));
    return texts.join("") + piece("table_plain", { head, rows: rows.join("") }) + seen;
  }

  function apart(one, other, found, lead) {
    const slower = lead !== undefined && lead.ratio < 1, [fast, base] = slower ? [other, one] : [one, other];
    const title = lead && said("whole.faster", {
      fast: fast.called, base: base.called, workload: workload(lead.workload), ratio: times(slower ? 1 / lead.ratio : lead.ratio), when: said("by_one"),
    });
    const texts = [said("nothing", { a: fast.called, b: base.called }), ...[fast, base].map((each) => {
      const trained = [...of(each.id).keys()].map(workload).sort();
      return said(trained.length ? "trained" : "trained_none", { name: each.called, workloads: listed(trained) });
    })];
    const [first, ...rest] = texts.map((text) => piece("lead", { text }));
    const both = alone(found, one, other, slower), html = (lead ? first + both : both + first) + rest.join("") + specified(fast, base) + ways(own([fast, base]));
    return { title: title ?? said("many", { names: listed([one.called, other.called]) }), html };
  }

  // Several: the first is the base of all ratios
  function several(subjects) {
    const [base] = subjects;
    const head = piece("heads", { first: said("workload"), names: subjects.map(({ called }) => piece("heading", { name: called })).join("") });
    const work = [...new Set(subjects.flatMap((one) => [...of(one.id).keys(), ...(one.other ? [data.workloads[one.other[3]]] : [])]))].sort();
    const cells = (inside) => subjects.map((one) => piece("cell", { name: one.called, inside: inside(one) })).join("");
    const line = (name, inside) => piece("line", { name, cells: cells(inside) });
    const rows = work.map((id) => line(linked(`workloads/${id}/`, workload(id)), (one) => figure(base, one, id)));
    const known = subjects.filter((one) => words.specifications[one.hardware]);
    if (known.length > 1) {
      for (const [name, label] of Object.entries(words.quantities)) {
        const shown = (one) => words.specifications[one.hardware]?.[name]?.[1];
        if (subjects.some(shown)) rows.push(line(label, (one) => shown(one) ?? said("missing")));
      }
    }
    const caption = said("many_caption", { base: base.called });
    return {
      title: said("many", { names: listed(subjects.map(({ called }) => called)) }),
      html: piece("table_many", { head, rows: rows.join(""), caption }) + words.note + ways(own(subjects)),
    };
  }

  // What one has in a workload: its time, how many times as fast that is, and under which conditions
  function figure(base, one, id) {
    if (one.other && data.workloads[one.other[3]] === id) return speed(one.other);
    if (!of(one.id).has(id)) return said("missing");
    const match = one !== base && of(base.id).has(id) ? pair(...[base.id, one.id].sort(order)).find((each) => each.workload === id) : null;
    const side = match ? (order(base.id, one.id) < 0 ? match.b : match.a) : [...of(one.id).get(id)].sort((x, y) => order(y.parts, x.parts) || x.number - y.number)[0];
    const lines = [result(side)];
    if (match?.told) {
      const against = ratio(side, match.a === side ? match.b : match.a);
      lines.push(piece("bare", { times: said("times_as", { n: times(against.value) }) }));
      const why = ofRatio(against, match.separable);
      if (why) lines.push(piece("reason", { why }));
    } else if (match) lines.push(piece("reason", { why: said(`why.${match.basis}`) }));
    lines.push(piece("reason", { why: joined("comma", [said("round", { round: side.round }), words.numbers[side.number], safe(framework(side) ?? "")]) }));
    return lines.join("<br>");
  }

  // A result without a score has its speed alone
  function speed([id, , , , value, unit]) {
    const shown = value === null ? said("missing") : words.units[unit].replace("{n}", number(value, value >= DIGITS ? 0 : 2));
    return `${linked(`results/${id}/`, shown)}<br>${piece("reason", { why: said("why.unscored") })}`;
  }

  const exists = (id) => Object.hasOwn(words.accelerators, id) || systems.has(id) || others.has(id) || of(id).size > 0;

  function beside(ids) {
    const subjects = named(ids.slice(0, MOST).map(subject));
    const [one, other] = subjects;
    let made;
    const found = sourced(one.id, other.id), lead = middle(found.filter((each) => each.ratio), (each) => each.ratio);
    if (subjects.length > 2 || (!lead && subjects.some((each) => each.other))) made = several(subjects);
    else if (pair(one.id, other.id).length) made = shared(one, other);
    else {
      const way = lead ? null : bridge(one.id, other.id); // what one source says of both is nearer than a third
      made = way ? indirect(one, other, way, alone(found, one, other)) : apart(one, other, found, lead);
    }
    const more = ids.length > MOST ? piece("lead", { text: said("too_many") }) : "";
    return { ...made, html: more + made.html, share: piece("share", { text: say.share }), names: subjects.map(({ plain }) => plain) };
  }

  return { beside, exists, related };
};
