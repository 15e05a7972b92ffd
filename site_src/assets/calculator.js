// The calculator of costs: the reader's question in a form and in the address, the answer in a sentence, a table and a chart.
// Plain script without modules, like chart.js, whose colours and runtime it uses; the arithmetic is cost.js, question and words are cost_question.js and cost_words.js.
(() => {
  "use strict";

  const place = document.getElementById("calculator");
  const data = window.touchstoneCosts; // answers.js beside the page
  if (!place || !data) return;
  const { dark, drawIn, setIn, preference } = window.touchstoneCharts;
  const { NEWEST, OWN, allowed, amount, answerTo, known, usual, workload } = touchstoneQuestions(data);
  const { FIGURES, factor, money, number, shown, sideOf, spoken, text, time, typed } = touchstoneAnswers(data);
  const form = place.querySelector("form");
  const status = form.querySelector("[role=status]");
  const leadersPlace = place.querySelector(".ts-costs__leaders");
  const answerPlace = place.querySelector(".ts-costs__answer");
  const resultPlace = place.querySelector(".ts-costs__result");
  const outPlace = place.querySelector(".ts-costs__out");
  const figurePlace = place.querySelector(".ts-costs__chart");
  const more = form.querySelector(".ts-costs__more");
  const folded = more.querySelector("template").content; // a browser lays out each field of a page that comes, to fill it in: these come once they are asked for
  const pricesFold = folded.querySelector(".ts-costs__prices");
  const pricesPlace = pricesFold.querySelector("div");
  const folds = [more, ...folded.querySelectorAll("details")];
  const priceTemplate = place.querySelector(":scope > template").content.firstElementChild;
  const NUMBERS = ["budget", "deadline", "energy", "jobs", "increment", "minimum", "preparation", "tariff", "pue", "utilisation", "months"];
  const FOLDS = { prices: ["prices", "offers", "powers"], billed: ["jobs", "increment", "minimum"], owned: ["preparation", "tariff", "pue", "utilisation", "months"] };
  FOLDS.more = ["currency", "day", "energy", ...Object.values(FOLDS).flat()]; // what opens where its question is another than the first
  const FEW = 3; // ticks that tell an axis
  const FAR = 5; // how many times the least figure the most is, from where points on linear axes would crowd in a corner

  // The question: keys and values are words that stand in addresses; only what differs from the first question of the workload does

  // A day that has prices, as it stands in the address
  const priced = (one, day) => /^\d{4}-\d\d-\d\d$/.test(day ?? "") && !Number.isNaN(Date.parse(day)) && one.first_day <= day && day <= data.today;

  const PRICE = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)([A-Z]{3})(\/purchase)?$/;

  function read() {
    const asked = new URLSearchParams(location.search);
    const id = workload(asked.get("workload")) ? asked.get("workload") : data.workloads[0].id;
    const state = usual(id);
    const one = workload(id);
    const target = Number(asked.get("target") ?? NaN);
    if (asked.get("target") && amount(target)) state.target = target;
    if (Object.hasOwn(FIGURES, asked.get("by"))) state.by = asked.get("by");
    if (Object.hasOwn(data.currencies, asked.get("currency"))) state.currency = asked.get("currency");
    if (priced(one, asked.get("prices"))) state.day = asked.get("prices");
    for (const name of NUMBERS) {
      const value = Number(asked.get(name) || NaN);
      if (Number.isFinite(value) && allowed[name](value)) state[name] = value;
    }
    for (const system of Object.keys(one.systems)) {
      const [, value, currency, bought] = PRICE.exec(asked.get(`price.${system}`) ?? "") ?? [];
      if (known(value) && amount(Number(value)) && Object.hasOwn(data.currencies, currency)) {
        state.prices[system] = { value: Number(value), currency, per: bought ? "purchase" : "hour" };
      }
      const offer = asked.get(`offer.${system}`);
      if (offer === "none" || one.sides.some((side) => side.candidate.system === system && side.offers.some((own) => own.id === offer))) {
        state.offers[system] = offer;
      }
      const power = Number(asked.get(`power.${system}`) || NaN);
      if (amount(power)) state.powers[system] = power;
    }
    return state;
  }

  function address(state) {
    const asked = new URLSearchParams(location.search);
    for (const key of [...asked.keys()]) if (/^(workload|target|by|currency|prices|(price|offer|power)\..*)$/.test(key) || NUMBERS.includes(key)) asked.delete(key);
    const first = usual(state.workload);
    if (state.workload !== data.workloads[0].id) asked.set("workload", state.workload);
    for (const name of ["target", "by", "currency", ...NUMBERS]) if (state[name] !== first[name] && known(state[name])) asked.set(name, state[name]);
    if (state.day !== NEWEST) asked.set("prices", state.day);
    for (const [system, { value, currency, per }] of Object.entries(state.prices)) {
      asked.set(`price.${system}`, `${value}${currency}${per === "purchase" ? "/purchase" : ""}`);
    }
    for (const [system, offer] of Object.entries(state.offers)) asked.set(`offer.${system}`, offer);
    for (const [system, power] of Object.entries(state.powers)) asked.set(`power.${system}`, power);
    const query = asked.toString().replaceAll("%2F", "/");
    return `${location.pathname}${query && `?${query}`}${location.hash}`;
  }

  // The chart: cost against time, drawn by the charts' runtime when it is in view

  // The picture that came with the page shows the first answer; it is drawn anew for another one, and once a pointer or the keyboard is on it

  let wanted = 0, inView = false, touched = false, chartOf = null;

  // Of numbers that would overprint one stays: the frontier's, else the better rank. Positions are shares of the axes.
  const NEAR = 0.045;
  function sparse(points, places) {
    const numbered = [];
    const near = (one, other) => places.every((at) => Math.abs(at(one) - at(other)) < NEAR);
    for (const point of [...points].sort((one, other) => other.frontier.localeCompare(one.frontier))) {
      if (numbered.some((other) => near(point, other))) point.text = "";
      else numbered.push(point);
    }
  }

  function drawn(state, rows) {
    const ranked = rows.filter((row) => row.state === "ok" && row.cost && row.seconds);
    if (!ranked.length) return null;
    const unit = time(Math.max(...ranked.map((row) => row.seconds.value))).unit;
    const size = data.units[unit][2];
    const theme = dark() ? 1 : 0;
    const ends = (name, spread, by) => (spread.low === spread.high ? {} : { [`${name}_low`]: spread.low / by, [`${name}_high`]: spread.high / by });
    const points = ranked.map((row) => {
      const side = sideOf(state, row);
      const offer = row.offer.id === OWN ? data.words.own_offer : row.offer.short;
      return {
        time: row.seconds.value / size, cost: row.cost.value, ...ends("time", row.seconds, size), ...ends("cost", row.cost, 1),
        frontier: row.frontier ? "yes" : "no", colour: side.look[theme], inside: side.own ? side.look[theme] : data.colours[theme ? "dark" : "light"].paper,
        shape: side.look[2], text: String(row.rank),
        tip: [side.name, offer, `${data.words["head.time"]}: ${text(time(row.seconds.value))}`, `${data.words["head.cost"]}: ${row.offer.free ?? text(money(row.cost.value, state.currency))}`].join("\n"),
      };
    });
    const span = (name) => points.map((point) => point[name]).reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 0]);
    const log = ["time", "cost"].every((name) => span(name)[0] > 0) && ["time", "cost"].some((name) => span(name)[1] > FAR * span(name)[0]);
    const spans = { x: span("time"), y: span("cost") };
    sparse(points, [["time", spans.x], ["cost", spans.y]].map(([name, [low, high]]) => {
      const of = log ? Math.log : Number, { room } = data.chart; // as the axes have it
      const [from, to] = log ? [low / room, high * room] : [0, high * room];
      return (point) => (of(point[name]) - of(from)) / (of(to) - of(from) || 1);
    }));
    return { points, log, unit, of: state.workload, currency: state.currency, ends: spans };
  }

  // 1, 2 and 5 times the powers of ten around the points, on logarithmic axes; all digits where that gives too few
  function ticks(low, high, digits = [1, 2, 5]) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)); power += 1) {
      for (const digit of digits) found.push(Number(`${digit}e${power}`));
    }
    const within = found.filter((tick) => tick >= low / data.chart.room && tick <= high * data.chart.room);
    return within.length < FEW && digits.length < 9 ? ticks(low, high, [1, 2, 3, 4, 5, 6, 7, 8, 9]) : within;
  }

  const slot = figurePlace.querySelector(".ts-picture");

  async function draw() {
    const mine = (wanted += 1); // whatever is being drawn is of an answer before
    if (!inView || (!touched && slot.querySelector("picture"))) return;
    if (chartOf === undefined) chartOf = drawn(now, answerTo(now)); // of the answer that came with the page
    if (!chartOf) return;
    try {
      const { points, log, unit, currency, ends } = chartOf;
      const spec = structuredClone(data.chart.spec);
      if (log) {
        for (const [path, value] of data.chart.log) setIn(spec, path, structuredClone(value));
        for (const axis of spec.axes) {
          axis.values = ticks(...ends[axis.scale]);
          axis.tickCount = axis.values.length;
        }
      }
      if (dark()) for (const [path, value] of data.chart.dark) setIn(spec, path, value);
      const named = data.units[unit][0].replace("{n}", "").trim();
      const titles = { time: spoken("axis.time_to_target", { unit: named }), cost: spoken("axis.spent", { currency }) };
      for (const [name, paths] of Object.entries(data.chart.titles)) {
        const title = log ? spoken("axis.log", { title: titles[name] }) : titles[name];
        for (const path of paths) setIn(spec, path, title);
      }
      spec.data.find((each) => each.name === "rows").values = points;
      const label = answerPlace.firstElementChild.textContent;
      if (!(await drawIn(slot, spec, label, data, () => mine !== wanted || !chartOf))) return;
      figurePlace.querySelector("figcaption").hidden = false;
      const tools = figurePlace.querySelector(".ts-tools"); // of the archive's chart, which is that of the first workload
      if (tools) tools.hidden = chartOf.of !== data.workloads[0].id;
      figurePlace.dataset.state = "interactive";
    } catch (error) {
      if (!slot.firstElementChild) figurePlace.hidden = true; // the table has the figures
      console.warn(`calculator: ${error.message}`);
    }
  }

  // The form

  const fields = Object.fromEntries([form, folded].flatMap((part) => [...part.querySelectorAll("[name]")]).map((field) => [field.name, field]));
  const unfold = () => {
    if (!folded.hasChildNodes()) return;
    more.append(folded);
    showDay(now);
  };
  more.querySelector("summary").addEventListener("click", unfold); // before it opens, so that the next key finds them
  more.addEventListener("toggle", unfold);

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  function options(select, choices, chosen) {
    const same = String([...select.options].map(({ value, text }) => [value, text])) === String(choices); // as they came with the page
    if (!same) select.replaceChildren(...choices.map(([value, label]) => make("option", { value }, label)));
    select.value = chosen;
  }

  // Many fields, which stand there while one looks at them: a price of the reader's own keeps them open
  pricesFold.addEventListener("toggle", () => showPrices(now));
  let shownPrices = "";

  function showPrices(state) {
    const one = workload(state.workload);
    const own = FOLDS.prices.some((key) => Object.keys(state[key]).length);
    const wanted = pricesFold.open || own ? one.id : "";
    if (shownPrices !== wanted) {
      shownPrices = wanted;
      pricesPlace.replaceChildren(
        ...Object.entries(wanted && one.systems).flatMap(([system, [name]]) => {
          const sides = one.sides.filter((side) => side.candidate.system === system);
          if (!sides.some((side) => side.candidate.trials.some((trial) => trial.points.length))) return []; // nothing to put a price on
          const row = priceTemplate.cloneNode(true);
          row.dataset.system = system;
          row.querySelector("legend").textContent = name;
          const offers = new Map(sides.flatMap((side) => side.offers.map((offer) => [offer.id, offer])));
          const choices = [...offers].map(([id, offer]) => [id, `${offer.name}: ${offer.under}`]);
          const listed = sides.some((side) => side.listed.length);
          options(row.querySelector("[data-of=offer]"), [...(listed ? [["", data.words.all_offers]] : []), ...choices, [listed ? "none" : "", data.words.no_offer]], "");
          options(row.querySelector("[data-of=currency]"), Object.keys(data.currencies).map((code) => [code, code]), state.currency);
          const rated = sides.find((side) => known(side.candidate.power_w))?.candidate.power_w;
          if (known(rated)) row.querySelector("[data-of=power]").placeholder = typed(rated);
          for (const field of row.querySelectorAll("select, input")) {
            const said_ = field.closest("label").querySelector("span").textContent;
            field.setAttribute("aria-label", spoken("of_system", { field: said_, system: name }));
          }
          return [row];
        }),
      );
    }
    for (const row of pricesPlace.children) {
      const { system } = row.dataset;
      const price = state.prices[system];
      set(row.querySelector("[data-of=offer]"), state.offers[system] ?? "");
      set(row.querySelector("[data-of=price]"), typed(price?.value));
      set(row.querySelector("[data-of=currency]"), price?.currency ?? row.dataset.currency ?? state.currency);
      set(row.querySelector("[data-of=per]"), price?.per ?? row.dataset.per ?? "hour");
      set(row.querySelector("[data-of=power]"), typed(state.powers[system]));
    }
  }

  let held = []; // what a reader is typing, and what is no number, stays as it was typed

  function set(field, value) {
    if (!held.includes(field)) field.value = value;
  }

  let ownTarget = false;

  function show(state) {
    const one = workload(state.workload);
    const listed = one.targets.some(([value]) => value === state.target);
    if (!listed) ownTarget = true;
    set(fields.workload, state.workload);
    const choices = [...one.targets.map(([value, label]) => [String(value), label]), [OWN, data.words.other_target]];
    options(fields.target, choices, ownTarget ? OWN : String(state.target));
    fields.own_target.closest("label").hidden = !ownTarget;
    set(fields.own_target, typed(Number((state.target * factor(one)).toFixed(6))));
    options(fields.currency, Object.keys(data.currencies).map((code) => [code, code]), state.currency);
    set(fields.by, state.by);
    showDay(state);
    fields.prices.closest("label").hidden = !one.first_day; // without a price there is nothing to choose
    for (const name of ["budget", "tariff"]) {
      const said = fields[name].closest("label").querySelector("span"), wanted = spoken(`field.${name}`, { currency: state.currency });
      if (said.textContent !== wanted) said.textContent = wanted;
    }
    for (const name of NUMBERS) set(fields[name], typed(name === "utilisation" ? Number((100 * state[name]).toFixed(6)) : state[name]));
    const first = usual(state.workload);
    const asked = (key) => (Object(state[key]) === state[key] ? Object.keys(state[key]).length : state[key] !== first[key]);
    for (const [name, keys] of Object.entries(FOLDS)) if (keys.some(asked)) folds.find((fold) => fold.classList.contains(`ts-costs__${name}`)).open = true;
    showPrices(state);
  }

  // To make a field for a day takes a phone a twentieth of a second: it is made once it is seen, or has a day
  function showDay(state) {
    if (!fields.prices.isConnected && fields.prices.value === state.day) return;
    fields.prices.min = workload(state.workload).first_day ?? "";
    fields.prices.max = data.today;
    set(fields.prices, state.day);
  }

  // What the form says: the state, and the fields that hold no number that can be used, which leave it as it was
  function asked(before) {
    const wrong = [];
    const take = (field, old, holds, by = 1) => {
      const value = number(field.value);
      const good = value === null || (Number.isFinite(value) && holds(value / by));
      if (good) field.removeAttribute("aria-invalid");
      else field.setAttribute("aria-invalid", "true");
      if (!good) wrong.push(field);
      return good ? (value === null ? null : value / by) : old;
    };
    const id = fields.workload.value;
    if (id !== before.workload) return { state: usual(id), wrong };
    const state = { ...before, by: fields.by.value, currency: fields.currency.value, offers: {}, prices: {}, powers: {} };
    const first = usual(id);
    if (fields.target.value === OWN) state.target = take(fields.own_target, before.target, amount, factor(workload(id))) ?? before.target;
    else state.target = Number(fields.target.value);
    const { value: day } = fields.prices;
    if (!day || priced(workload(id), day)) {
      state.day = day || NEWEST;
      fields.prices.removeAttribute("aria-invalid");
    } else {
      fields.prices.setAttribute("aria-invalid", "true");
      wrong.push(fields.prices);
    }
    for (const name of NUMBERS) state[name] = take(fields[name], before[name], allowed[name], name === "utilisation" ? 100 : 1) ?? first[name];
    for (const row of pricesPlace.children) {
      const { system } = row.dataset;
      const of = (name) => row.querySelector(`[data-of=${name}]`);
      const value = take(of("price"), before.prices[system]?.value ?? null, amount);
      if (value !== null) state.prices[system] = { value, currency: of("currency").value, per: of("per").value };
      if (of("offer").value) state.offers[system] = of("offer").value;
      const power = take(of("power"), before.powers[system] ?? null, amount);
      if (power !== null) state.powers[system] = power;
    }
    return { state, wrong };
  }

  // Together

  let now = usual(data.workloads[0].id);

  // The first workload comes with the page, each other when it is asked about
  const named = () => new URLSearchParams(location.search).get("workload") ?? "";
  const coming = {};
  function handed(id) {
    if (workload(id) || !Object.hasOwn(data.others, id)) return Promise.resolve();
    coming[id] ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = data.others[id];
      script.addEventListener("load", done);
      script.addEventListener("error", () => {
        delete coming[id]; // the next time it may come
        done();
      });
      document.head.append(script);
    });
    return coming[id];
  }

  const isFirst = () => address(now) === `${location.pathname}${location.hash}`;

  function put(rows, { leaders, sentence, rests, table, unranked }) {
    leadersPlace.innerHTML = leaders;
    answerPlace.innerHTML = `<p class="ts-costs__sentence">${sentence}</p>${rests}`;
    resultPlace.innerHTML = table;
    const opened = outPlace.querySelector("details")?.open;
    outPlace.innerHTML = unranked;
    if (opened) outPlace.querySelector("details")?.setAttribute("open", "");
    chartOf = drawn(now, rows);
    figurePlace.hidden = !chartOf;
    // the picture that came with the page shows the first answer, and no other
    if (!isFirst()) figurePlace.querySelector("picture")?.closest("a").remove();
    draw();
  }

  function answer() {
    const rows = answerTo(now);
    put(rows, shown(now, rows));
  }

  async function changed(event) {
    const id = fields.workload.value;
    if (!workload(id)) {
      await handed(id);
      if (!workload(id)) fields.workload.value = now.workload; // it could not be loaded
    }
    const { state, wrong } = asked(now);
    const label = (field) => field.getAttribute("aria-label") ?? field.closest("label").querySelector("span").textContent;
    status.textContent = wrong.map((field) => spoken(field.type === "date" ? "no_day" : "no_number", { field: label(field), text: field.value })).join(" ");
    const other = state.workload !== now.workload;
    if (event.target === fields.target) ownTarget = fields.target.value === OWN;
    if (other) ownTarget = false;
    const { of } = event.target.dataset;
    // chosen before its price is typed
    if (["currency", "per"].includes(of)) event.target.closest("[data-system]").dataset[of] = event.target.value;
    now = state;
    held = event.type === "input" ? [...wrong, event.target] : wrong;
    const next = address(now);
    // one step back undoes one finished edit, not one letter of it
    if (event.type === "change" && next !== `${location.pathname}${location.search}${location.hash}`) history.pushState(history.state, "", next);
    show(now);
    answer();
  }

  form.addEventListener("input", (event) => event.target.tagName === "INPUT" && changed(event));
  form.addEventListener("change", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", async (event) => {
    const what = event.target.dataset.do;
    if (what === "reset") {
      history.pushState(history.state, "", `${location.pathname}${location.hash}`);
      restore().then(() => fields.workload.focus());
    } else if (what === "copy") {
      try {
        await touchstoneSite.copied(location.href);
        status.textContent = data.words.link_copied;
      } catch {
        status.textContent = data.words.copy_failed;
      }
      event.target.focus({ preventScroll: true });
    }
  });
  const openPrice = (event) => {
    const { system } = event.target.closest(".ts-costs__own")?.dataset ?? {};
    if (!system) return;
    unfold();
    for (const fold of [more, pricesFold]) fold.open = true;
    showPrices(now);
    const field = pricesPlace.querySelector(`[data-system="${CSS.escape(system)}"] [data-of=price]`);
    field.scrollIntoView({ block: "center" });
    field.focus({ preventScroll: true });
  };
  const labelled = () => { for (const own of place.querySelectorAll(".ts-costs__own:empty")) own.textContent = data.words.own_price; };
  resultPlace.addEventListener("click", openPrice);
  outPlace.addEventListener("click", openPrice);

  async function restore() {
    await handed(named());
    now = read();
    held = [];
    ownTarget = false;
    status.textContent = "";
    for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    for (const row of pricesPlace.children) for (const name of ["currency", "per"]) delete row.dataset[name];
    show(now);
    answer();
  }

  addEventListener("popstate", restore);
  const repaint = () => answer();
  new MutationObserver(repaint).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  preference.addEventListener("change", repaint);
  let timer, width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const found = Math.floor(contentRect.width);
      if (found !== width) {
        width = found;
        draw();
      }
    }, 150);
  }).observe(figurePlace);
  new IntersectionObserver(
    ([entry], seen) => {
      if (!entry.isIntersecting) return;
      inView = true;
      seen.disconnect();
      draw();
    },
    { rootMargin: "300px 0px" },
  ).observe(figurePlace);
  for (const type of ["pointerenter", "focusin"]) {
    figurePlace.addEventListener(type, () => {
      touched = true;
      draw();
    }, { once: true });
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".ts-costs__open");
    if (!link) return;
    event.preventDefault();
    history.pushState(history.state, "", new URL(link.href).search + "#calculator");
    restore().then(() => place.scrollIntoView());
  });
  // Each in a task of its own, so that a phone can answer its reader between them. The first answer came with the page.
  let rows, first;
  const answering = [() => { rows = answerTo(now); }, () => { first = shown(now, rows); }, () => put(rows, first)];
  const steps = [
    () => {
      now = read();
      if (!isFirst() || !slot.querySelector("picture")) steps.unshift(...answering);
      else {
        chartOf = undefined;
        draw(); // a pointer may be on it already
      }
    },
    () => show(now), () => { form.inert = false; },
    () => {
      labelled();
      place.addEventListener("toggle", labelled, true); // what is folded away came as text
    },
  ];
  const next = () => { steps.shift()(); if (steps.length) setTimeout(next); };
  handed(named()).then(() => setTimeout(next));
})();
