// An answer on costs in words, as HTML: numbers as the language writes them, the sentence, the table and what is not ranked. Words, patterns
// and names come with the page (`data`). The build asks it under Node for the page that stands there without a script: then `still` has the
// references of the figures, and nothing is made that needs a script. Plain script without the page, like cost_question.js.
const touchstoneAnswers = (data, still) => {
  "use strict";

  const OWN = "own"; // the reader's own price, in place of an offer's id
  const FIGURES = { cost: "cost", time: "seconds", energy: "energy_kwh" };
  const MISSED = { over_budget: ["cost", money], over_energy: ["energy", energy] }; // limits of time apart: the figure, and how it is read
  const LACKING = { doubtful_price: "goal_sound", no_price: "goal_priced", no_rate: "goal_priced", no_energy: "goal_powered" };
  const known = (value) => value !== null && value !== undefined;
  const workload = (id) => data.workloads.find((one) => one.id === id);

  // Numbers as the language writes them

  // As in the charts (chart.js): decimal sign, groups and minus are those of the page's d3 locale
  function written(value, decimals, format) {
    const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
    const groups = whole.replace(/\B(?=(...)+$)/g, format.thousands);
    const sign = Number(value.toFixed(decimals)) < 0 ? format.minus : "";
    return sign + groups + (rest ? format.decimal + rest : "");
  }

  const places = (value, least) =>
    !value || Math.abs(value) >= (least ? 10 ** -least : 10) ? least : 1 - Math.floor(Math.log10(Math.abs(value)));

  function amount(value, pattern, decimals) {
    return { value, pattern, decimals };
  }

  function money(value, currency) {
    const [pattern, decimals] = data.currencies[currency];
    return amount(value, pattern, places(value, decimals));
  }

  function time(seconds) {
    const unit = ["h", "min", "s"].find((name) => seconds >= data.units[name][2]) ?? "s";
    const [pattern, decimals, size] = data.units[unit];
    return { ...amount(seconds / size, pattern, places(seconds / size, decimals)), unit };
  }

  function energy(kwh) {
    const [pattern, decimals] = data.units.kWh;
    return amount(kwh, pattern, places(kwh, decimals));
  }

  const numberText = ({ value, decimals }) => written(value, decimals, data.number);
  const text = (figure) => figure.pattern.replace("{n}", numberText(figure));

  // As short as a figure can be without losing anything: what stands in a field
  const typed = (value) => (known(value) ? String(value).replace(".", data.number.decimal) : "");

  // A number as people type it: the language's own signs, or a decimal point, in any width. NaN for what is none, null for nothing.
  function number(given) {
    let found = given.normalize("NFKC").replace(/[\s\u00a0\u202f]/g, ""); // full-width digits are digits
    if (!found) return null;
    const { decimal, thousands } = data.number;
    const grouped = new RegExp(`^\\d{1,3}(\\${thousands}\\d{3})+(\\${decimal}\\d*)?$`);
    if (thousands.trim() && grouped.test(found)) found = found.replaceAll(thousands, "");
    found = found.replace(decimal, ".");
    return /^(\d+\.?\d*|\.\d+)(e-?\d+)?$/.test(found) ? Number(found) : NaN;
  }

  // Qualities are read as percentages, from 0 to 100, or as they are

  const factor = (one) => (one.kind === "number" ? 1 : 100);

  function level(one, target) {
    const listed = one.targets.find(([value]) => value === target);
    if (listed) return listed[1];
    const number_ = plain(target * factor(one), one.kind === "number" ? 0 : 1);
    return one.kind === "percent" ? number_ + data.number.percent : number_;
  }

  const goal = (state) => workload(state.workload).goal.replace("{level}", level(workload(state.workload), state.target));

  function plain(value, least = 0) {
    const shown = Number(value.toFixed(6));
    return written(shown, Math.max(least, (String(shown).split(".")[1] ?? "").length), data.number);
  }

  // HTML: text becomes it by being escaped, once

  class Html extends String {}
  const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const escaped = (value) => (value instanceof Html ? String(value) : String(value).replace(/[&<>"']/g, (sign) => ESCAPES[sign]));
  const fragment = (...children) => new Html(children.filter(known).map(escaped).join(""));

  // Without literals within literals, whose spaces minifying would drop
  const attribute = ([name, value]) => " " + name + '="' + escaped(value) + '"';

  function make(tag, attributes = {}, ...children) {
    const given = Object.entries(attributes).filter(([, value]) => known(value));
    return new Html("<" + tag + given.map(attribute).join("") + ">" + fragment(...children) + "</" + tag + ">");
  }

  // A string with texts or elements in its places
  function phrase(key, parts = {}) {
    const pieces = data.words[key].split(/(\{\w+\})/);
    return fragment(...pieces.map((piece) => (piece.startsWith("{") ? parts[piece.slice(1, -1)] ?? "" : piece)));
  }

  // The same for a title or a label: text alone
  const spoken = (key, parts = {}) => data.words[key].replace(/\{(\w+)\}/g, (_, name) => parts[name] ?? "");

  const strong = (name) => make("strong", {}, name);

  // Folded away at first; on paper open. In the page that the build writes what is inside is text, which site.js opens (as `unopened` in templates)
  function folded(summary, inside) {
    return make("details", { class: "ts-printed" }, make("summary", {}, summary), still ? make("noscript", {}, inside) : inside);
  }

  // About so much, more, or at most that, where that is what the source of its price or of its time says; about, where both ways are open
  function bounded(remarks, shown) {
    const keys = [...new Set(remarks.filter((remark) => remark in data.bounds).map((remark) => data.bounds[remark]))];
    const open = keys.includes("more_than") && keys.includes("up_to");
    const both = keys.includes("about") && keys.includes("up_to");
    return (open ? ["about"] : both ? [data.both_bounds] : keys).reduce((inner, key) => phrase(key, { n: inner }), shown);
  }

  const ofTime = (row, shown) => bounded(row.remarks.filter((remark) => data.of_time.includes(remark)), shown);
  const ofCost = (row, shown) => (row.offer?.kind === "free" ? shown : bounded(row.remarks, shown)); // free for any time

  const power = (row) => (row.remarks.includes("estimate-energy") ? row.candidate.power_basis : "metered");

  // Whether energies are of unlike kinds: of a meter, of a power typed in, or of what the makers of different accelerators rate
  function unlike(state, rows) {
    return new Set(rows.map((row) => [power(row), power(row) === "rated" ? sideOf(state, row).accelerator : ""].join())).size > 1;
  }

  // Names that have a number stay on one line
  const numbered = new RegExp(data.numbered, "g");
  const keep = (html) => String(html).replace(/(<[^>]*>)|[^<]+/g, (text_, tag) => tag ?? text_.replace(numbered, '<span class="ts-kept">$&</span>'));

  // A figure, with the formula that gives it where the build has one
  function figure(found, ref = null) {
    const [before, after] = found.pattern.split("{n}");
    return fragment(before, make("data", { value: found.value, "data-ref": ref }, numberText(found)), after);
  }

  function joined(how, parts) {
    const found = parts.filter((part) => part?.length);
    return found.slice(1).reduce((first, second) => phrase(`join.${how}`, { first, second }), found[0] ?? "");
  }

  let listing; // slow to make, and most answers have no list

  function list(nodes) {
    if (nodes.length < 2) return fragment(...nodes);
    listing ??= new Intl.ListFormat(data.tag, { style: "long", type: "conjunction" });
    const parts = listing.formatToParts(nodes.map((node) => String(node).replace(/<[^>]*>/g, ""))); // Spanish says "y" or "e", by the word that follows
    let at = 0;
    return fragment(...parts.map((part) => (part.type === "element" ? nodes[at++] : part.value)));
  }

  const dated = (day) => new Intl.DateTimeFormat(data.tag, { dateStyle: "long", timeZone: "UTC" }).format(new Date(day));

  const refOf = (row, name) => still?.[`${row.candidate.id} ${row.offer?.id ?? ""}`]?.[name];

  const sideOf = (state, row) => workload(state.workload).sides.find((side) => side.candidate.id === row.candidate.id);
  const same = (one, other) => one.candidate.id === other.candidate.id;

  // Sentences

  function said(state, row) {
    const side = sideOf(state, row);
    return {
      system: row.reached === row.trials ? strong(side.name) : phrase("join.paren", { text: strong(side.name), note: counted(row) }),
      offer: row.offer ? (row.offer.id === OWN ? data.words.own_offer : row.offer.short) : "",
      ...(row.seconds ? { time: ofTime(row, figure(time(row.seconds.value), refOf(row, "time"))) } : {}),
      ...(row.cost ? { paid: paid(state, row), cost: paidCost(state, row) } : {}),
      ...(row.energy_kwh ? { energy: ofTime(row, figure(energy(row.energy_kwh.value))), power: phrase(`power.${power(row)}`) } : {}),
    };
  }

  // Of what is free that it is, and no amount of nothing in some currency
  const paid = (state, row) => row.offer.free ?? phrase("paid", { cost: paidCost(state, row) });
  const paidCost = (state, row) => ofCost(row, figure(money(row.cost.value, state.currency), refOf(row, "cost")));

  function why(rows, by) {
    const found = (...states) => rows.some((row) => states.includes(row.state));
    if (found("doubtful_price", "no_price", "no_rate")) return "no_price";
    return by === "energy" && found("no_energy") ? "energy" : "reached";
  }

  const TIED = 3; // names of those that share the first rank

  function sentence(state, rows) {
    const ranked = rows.filter((row) => row.state === "ok");
    const wanted = state.day ? phrase("goal_day", { goal: goal(state), day: dated(state.day) }) : goal(state);
    const near = ranked.length ? null : touchstoneCosts.nearest(rows);
    if (near) return missed(state, wanted, near);
    if (!ranked.length) return phrase("answer.none", { goal: wanted, why: data.words[`why.${why(rows, state.by)}`] });
    const left = lacking(rows, ranked);
    const among = new Set(left.map((row) => LACKING[row.state]));
    const limits = limitsOf(state);
    const within = limits.length ? phrase("goal_limits", { goal: wanted, limits: list(limits) }) : wanted;
    const asked = [...among].reduce((found, key) => phrase(key, { goal: found }), within);
    const [best] = ranked;
    const parts = [phrase(`answer.${state.by === "time" && best.cost ? "time_cost" : state.by}`, { goal: asked, ...said(state, best) })];
    const shared = ranked.slice(1).filter((row) => row.rank === best.rank && !same(row, best));
    const tied = [...new Set(shared.map((row) => sideOf(state, row).name))].map(strong), more = tied.length - TIED;
    if (more > 1) parts.push(phrase("tied_more", { systems: joined("comma", tied.slice(0, TIED)), n: more }));
    else if (tied.length) parts.push(phrase("tied", { systems: list(tied) }));
    if (state.by === "energy") return joined("sentences", [...parts, unlike(state, ranked) ? phrase("energy_unlike") : null]);
    const other = state.by === "time" ? "cost" : "time";
    const priced = ranked.filter((row) => row[FIGURES[other]] && row.cost);
    let fastest = best;
    if (priced.length) {
      const least = priced.reduce((first, row) => (row[FIGURES[other]].value < first[FIGURES[other]].value ? row : first));
      if (other === "time") fastest = least;
      const both = same(least, best) && least.offer?.id === best.offer?.id;
      const some = first(least, priced, other, fasterOf(left, fastest) || priced.length < ranked.length, left.length && both);
      parts.push(both ? phrase(`same.${other}${some}`) : phrase(`also.${other}${some}`, said(state, least)));
    }
    const faster = fasterOf(left, fastest);
    if (faster?.state === "doubtful_price") parts.push(phrase("faster_doubtful", said(state, faster)));
    else if (faster) {
      const others = left.some((row) => row.state !== "doubtful_price" && fasterOf([row], fastest) && !same(row, faster));
      const alike = text(time(faster.seconds.value)) === text(time(fastest.seconds.value)); // as they are shown
      parts.push(phrase(alike ? "faster_slightly" : others ? "faster_among" : "faster", said(state, faster)));
    }
    return joined("sentences", parts);
  }

  const read = (limit) => MISSED[limit]?.[1] ?? time;

  function limitsOf(state) {
    const limits = [["over_budget", state.budget], ["too_late", known(state.deadline) ? state.deadline * 3600 : null], ["over_energy", state.energy]];
    return limits.filter(([, limit]) => known(limit)).map(([name, limit]) => figure(read(name)(limit, state.currency)));
  }

  // Within which limits nothing stays, what comes nearest, and by how much it misses each that it breaks
  function missed(state, goal_, near) {
    const told_ = said(state, near), asked = limitsOf(state);
    const shown = (limit, value) => figure(read(limit)(value, state.currency));
    const misses = near.excess.map(({ state: limit, limit: most, over }) =>
      phrase(`miss.${limit}`, { figure: told_[MISSED[limit]?.[0] ?? "time"], over: shown(limit, over), limit: shown(limit, most) }));
    const system = told_.offer ? phrase("join.paren", { text: told_.system, note: told_.offer }) : told_.system;
    return phrase("answer.missed", {
      goal: goal_, limits: asked.length ? list(asked) : data.words.one_session, system, misses: joined("terms", misses),
    });
  }

  // Among which systems a row is first: where others are known by upper limits alone, it may not be
  function first(least, known_, by, priced, left) {
    const below = (row) => row[FIGURES[by]].low < least[FIGURES[by]].value;
    const mayBeLess = (row) => row.remarks.includes("at-most") || (row.remarks.includes("between") && below(row));
    const open = least[FIGURES[by]].high > 0 && known_.some((row) => mayBeLess(row) && !same(row, least));
    return open ? "_at_most" : priced ? "_priced" : left && by === "time" ? "_all" : "";
  }

  // What reached the target and is not ranked for want of a price or a power, while no offer of it is ranked
  function lacking(rows, ranked) {
    return rows.filter((row) => row.state in LACKING && !ranked.some((other) => same(other, row)));
  }

  function fasterOf(left, fastest) {
    const faster = left.filter((row) => row.seconds && row.seconds.value < fastest.seconds.value);
    return faster.reduce((first, row) => (first && first.seconds.value <= row.seconds.value ? first : row), null);
  }

  const counted = (row) => data.runs_reached[row.trials][row.reached];

  function told(state, row) {
    const side = sideOf(state, row);
    return [...side.told, ...(side.candidate.trials.length > 1 ? [counted(row)] : [])];
  }

  const dayOf = (offer) => (offer.id === OWN ? data.words.price_own : offer.day_said);

  // The table

  function ranged(spread, read, ref) {
    if (!spread) return [data.words["join.nothing"]];
    const shown = read(spread.value);
    const scale = spread.value ? shown.value / spread.value : 1;
    const [low, high] = [spread.low, spread.high].map((end) => numberText({ ...shown, value: end * scale }));
    return [figure(shown, ref), ...(low === high ? [] : [make("span", { class: "ts-note" }, phrase("range", { low, high }))])];
  }

  // Of what is free that it is, and no amount of nothing in some currency
  function costCell(row, currency) {
    if (row.offer?.free) return row.offer.free;
    return ofCost(row, fragment(...ranged(row.cost, (value) => money(value, currency), refOf(row, "cost"))));
  }

  // What the energy is made of stands below it, where rows differ in that
  function energyCell(row, apart) {
    const note = row.energy_kwh && apart ? [make("span", { class: "ts-note" }, phrase(`power.${power(row)}`))] : [];
    return [ofTime(row, fragment(...ranged(row.energy_kwh, energy))), ...note];
  }

  function swatch({ look: [light, darker, shape] }) {
    const paths = [["light", light], ["dark", darker]].map(([theme, colour]) =>
      make("path", { class: `ts-${theme}`, d: data.shapes[shape], fill: colour, stroke: colour, "stroke-width": 1.5 }));
    return make("svg", { class: "ts-swatch", width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, ...paths);
  }

  function hourly(offer) {
    const price = text(money(offer.hourly ?? offer.purchase, offer.currency));
    return phrase(known(offer.hourly) ? "hourly" : "bought", { amount: price });
  }

  // The way to typing one's own price
  function ownPrice(system) {
    const said = still ? "" : data.words.own_price; // the page's script says it where it is of use
    return make("button", { type: "button", class: "ts-costs__own ts-no-print", "data-system": system }, said);
  }

  function offerCell(offer, system) {
    if (!offer) return [data.words["join.nothing"], ownPrice(system)];
    if (offer.id === OWN) return [data.words.own_offer, make("span", { class: "ts-note" }, hourly(offer))];
    const name = offer.href ? make("a", { href: offer.href }, offer.name) : offer.name;
    return [name, ownPrice(system), make("span", { class: "ts-note" }, offer.under)];
  }

  function marksOf(ranked) {
    const found = data.remarks.filter((key) => ranked.some((row) => row.remarks.includes(key)));
    const shared = found.filter((key) => ranked.every((row) => row.remarks.includes(key)));
    return [shared, found.filter((key) => !shared.includes(key))];
  }

  const FOREMOST = 10; // rows that stand open

  function table(state, rows) {
    const ranked = rows.filter((row) => row.state === "ok");
    const [shared, numbered] = marksOf(ranked);
    const apiece = ranked.map((row) => told(state, row)); // what all rows have alike is said once
    const alike = ranked.length > 1 ? apiece[0].filter((one) => apiece.every((all) => all.includes(one))) : [];
    const parts = [];
    const label = spoken("caption", { goal: goal(state) });
    if (ranked.length) {
      const drawn = ranked.some((row) => row.energy_kwh);
      const apart = new Set(ranked.filter((row) => row.energy_kwh).map(power)).size > 1;
      const names = ["rank", "system", "offer", "time", "cost", ...(drawn ? ["energy"] : [])];
      const figures = new Set(["time", "cost", "energy"]);
      const headOf = (name) => make("th", { scope: "col", class: figures.has(name) ? "ts-num" : null }, data.words[`head.${name}`]);
      const cell = (name, content) => make("td", { class: "ts-num", "data-label": data.words[`head.${name}`] }, ...content);
      const body = ranked.map((row, at) => {
        const own = apiece[at].filter((one) => !alike.includes(one)), side = sideOf(state, row);
        const { system } = row.candidate;
        const tied = ranked.filter((other) => other.rank === row.rank).length > 1;
        const marks = numbered.flatMap((key, index) => (row.remarks.includes(key) ? [index + 1] : []));
        const first = make(
          "th", { scope: "row" }, swatch(side), " ", make("a", { href: workload(state.workload).systems[system][1] }, side.name),
          marks.length ? make("sup", {}, marks.join(" ")) : null, own.length ? make("span", { class: "ts-note" }, joined("terms", own)) : null,
        );
        return make(
          "tr", { "data-system": system }, make("td", { class: "ts-costs__rank" }, tied ? phrase("tie", { rank: row.rank }) : String(row.rank)), first,
          make("td", {}, ...offerCell(row.offer, system)), cell("time", [ofTime(row, fragment(...ranged(row.seconds, time, refOf(row, "time"))))]),
          cell("cost", [costCell(row, state.currency)]), drawn ? cell("energy", energyCell(row, apart)) : null,
        );
      });
      const tableOf = (rows, caption) => make(
        "div", { class: "ts-table-wrap", role: "region", tabindex: 0, "aria-label": spoken("scroll", { caption }) },
        make(
          "table", { class: "ts-table ts-table--costs" }, make("caption", {}, make("span", { class: "ts-caption" }, caption)),
          make("thead", {}, make("tr", {}, ...names.map((name) => headOf(name)))), make("tbody", {}, ...rows),
        ),
      );
      parts.push(tableOf(body.slice(0, FOREMOST), label));
      const others = body.slice(FOREMOST);
      const rest = spoken("rest", { n: plain(others.length) });
      if (others.length) parts.push(folded(rest, tableOf(others, spoken("join.colon", { what: label, text: rest }))));
    }
    const notes = [
      ...(alike.length ? [make("li", {}, phrase("every_row", { parts: joined("terms", alike) }))] : []),
      ...shared.map((key) => make("li", {}, data.words[`remark.${key}`])),
      ...converted(state, ranked).map((line) => make("li", {}, line)),
      ...owned(state, ranked).map((line) => make("li", {}, line)),
      ...numbered.map((key, index) => make("li", {}, make("sup", {}, String(index + 1)), " ", data.words[`remark.${key}`])),
    ];
    if (notes.length) parts.push(make("ul", { class: "ts-costs__notes" }, ...notes));
    const even = breakEven(state, ranked);
    if (even) parts.push(make("p", { class: "ts-costs__even" }, even));
    return fragment(...parts);
  }

  function converted(state, ranked) {
    const found = new Map();
    for (const row of ranked) {
      if (row.converted && row.offer.currency !== state.currency) found.set(`${row.offer.currency} ${row.converted.day}`, row);
    }
    return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, { offer, converted: { rate, day, sources } }]) => {
      const one = { ...money(1, offer.currency), decimals: 0 };
      const price = { ...money(rate, state.currency), decimals: places(rate, data.rate_decimals) };
      const source = list(sources.map(sourceName));
      return phrase("converted", { currency: offer.currency, rate: text(price), one: text(one), day: data.rate_days[day] ?? day, source });
    });
  }

  // Over what the price of what is bought was spread
  function owned({ months, utilisation }, ranked) {
    const share = plain(100 * utilisation) + data.number.percent;
    return ranked.some((row) => known(row.offer?.purchase)) ? [phrase("owned", { months: plain(months), share })] : [];
  }

  function sourceName(id) {
    const [title, lang] = data.rate_sources[id];
    return lang ? make("span", { lang }, title) : title;
  }

  function breakEven(state, ranked) {
    const [first] = ranked;
    if (state.by !== "cost" || !first?.hourly) return null; // nothing is as cheap as what is free
    const second = ranked.find((row) => row.candidate.system !== first.candidate.system && row.hourly);
    if (!second || [first, second].some((row) => row.remarks.includes("at-most") || row.remarks.includes("between"))) return null; // upper limits do not meet
    const price = touchstoneCosts.breakEvenPrice(second.billed_s, first.billed_s, first.hourly);
    const shown = money(price.value, state.currency);
    const [low, high] = [price.low, price.high].map((end) => numberText({ ...shown, value: end }));
    const name = (row) => strong(sideOf(state, row).name);
    const said = phrase("break_even", {
      first: name(first), second: name(second), price: figure(shown, evenRef(first, second)), range: low === high ? "" : phrase("break_even_range", { low, high }),
      hourly: figure(money(second.hourly, state.currency), refOf(second, "hourly")),
    });
    return joined("sentences", [said, turningPoint(state, first, second)]);
  }

  const evenRef = (first, second) =>
    still && `break_even_price(${refOf(second, "base")}, ${refOf(first, "base")}, ${refOf(first, "hourly")})`;

  function turningPoint(state, first, second) {
    const ready = [first, second].map((row) => row.offer.preparation_s ?? (state.preparation ?? 0) * 60);
    const own = [first, second].map(({ seconds }, index) => ({
      value: seconds.value - ready[index], low: seconds.low - ready[index], high: seconds.high - ready[index],
    }));
    if (Math.min(own[0].low, own[1].low) <= 0) return null;
    const ratio = touchstoneCosts.relative(own[1], own[0]);
    if (state.minimum) return null; // below it the length of the job changes nothing
    const typed = (state.increment ?? 0) * 60 || null;
    const steps = [second, first].map((row) => row.offer.granularity_s || typed);
    const turn = touchstoneCosts.breakEvenSeconds(ratio, second.hourly, first.hourly, [ready[1], ready[0]], steps);
    if (!turn) return null;
    const name = (row) => strong(sideOf(state, row).name);
    const key = turn.value < own[0].value ? "break_even_shorter" : "break_even_longer";
    return phrase(key, { time: figure(time(turn.value)), first: name(first), second: name(second) });
  }

  // Of what did not reach the target: how near it came
  function best(state, { candidate }) {
    const task = workload(state.workload), ends = candidate.trials.map((trial) => trial.best).filter(known);
    const least = task.question.direction === "at_least", nearest = (least ? Math.max : Math.min)(...ends), short = Math.round(nearest * 1e4) / 1e4;
    return level(task, (least ? short >= state.target : short <= state.target) ? nearest : short); // a miss does not read as a hit
  }

  const FEW = 8; // names that are shown at once

  function unranked(state, rows) {
    let names = 0;
    const lines = data.states.filter((one) => one !== "ok").flatMap((one) => {
      const own = rows.filter((row) => row.state === one);
      if (!own.length) return [];
      // an offer is told where others of the same system are ranked
      const told_ = (row) => (row.offer && rows.some((other) => other.state === "ok" && same(other, row)) ? row.offer : null);
      const once = own.filter((row, index) => own.findIndex((other) => same(other, row) && told_(other) === told_(row)) === index);
      const named = once.map((row) => {
        const side = sideOf(state, row);
        const offer = told_(row);
        const shown = offer ? phrase("join.paren", { text: side.name, note: offer.id === OWN ? data.words.own_offer : offer.short }) : side.name;
        const against = one === "doubtful_price" ? phrase("join.paren", { text: shown, note: row.offer.doubted }) : shown;
        if (offer) return against;
        if (one === "not_reached") return phrase("join.paren", { text: side.name, note: best(state, row) });
        return ["doubtful_price", "no_price", "no_rate"].includes(one) ? fragment(against, ownPrice(side.candidate.system)) : side.name;
      });
      names += named.length;
      return [make("li", {}, phrase("list_of", { state: make("b", {}, data.words[`state.${one}`]), systems: joined("terms", named) }))];
    });
    if (!lines.length) return "";
    const list = make("ul", {}, ...lines);
    if (names <= FEW) return fragment(make("p", {}, data.words.unranked), list);
    return folded(phrase("join.paren", { text: data.words.unranked, note: String(names) }), list);
  }

  const LEADERS = 4; // the first, and the next three

  // The first setups of the ranking, each at its first offer: what it costs, how long it takes, at whose price of which day
  function leaders(state, rows) {
    const ranked = rows.filter((row) => row.state === "ok");
    const found = ranked.filter((row, index) => ranked.findIndex((other) => same(other, row)) === index).slice(0, LEADERS);
    if (!found.length) return "";
    const items = found.map((row) => {
      const { offer, time: took, energy: drawn } = said(state, row);
      const costs = row.cost ? row.offer.free ?? paidCost(state, row) : null;
      const [foremost, beside] = { cost: [costs, took], time: [took, costs], energy: [drawn, took] }[state.by];
      const system = make("a", { href: workload(state.workload).systems[row.candidate.system][1] }, sideOf(state, row).name);
      const notes = [...(row.offer ? [offer, dayOf(row.offer)] : []), ...(row.reached < row.trials ? [counted(row)] : [])];
      const price = notes.length ? make("span", { class: "ts-note" }, joined("terms", notes)) : null;
      return make("li", {}, system, make("span", { class: "ts-leaders__figures" }, foremost, known(beside) ? " · " : null, beside), price);
    });
    return make("ol", { class: "ts-leaders" }, ...items);
  }

  // Who is first, sentence, table and what is not ranked, as the page has them in its places
  function shown(state, rows) {
    const [best] = rows.filter((row) => row.state === "ok");
    const rests = best ? make("p", { class: "ts-note" }, phrase("rests", { parts: joined("terms", [...told(state, best), best.offer ? dayOf(best.offer) : ""]) })) : "";
    const told_ = { leaders: leaders(state, rows), sentence: sentence(state, rows), rests, table: table(state, rows), unranked: unranked(state, rows) };
    return Object.fromEntries(Object.entries(told_).map(([name, html]) => [name, keep(html)]));
  }

  return { FIGURES, OWN, factor, known, money, number, shown, sideOf, spoken, text, time, typed, workload };
};
