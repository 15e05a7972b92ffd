/* All results as one table: filters, order, columns and what is picked stand in the address. Rows are made for what is in sight alone.
   Chart and downloads are scripts of their own, which come when they are first wanted. */
(() => {
  "use strict";
  const say = window.touchstoneExplore;
  const place = document.getElementById("explore");
  if (!window.touchstoneResults) {
    place.querySelector("[role=status]").textContent = say.failed;
    place.querySelector(".ts-explore__table").remove();
    return;
  }
  const { ids, runs, words: keys, figures, kinds } = window.touchstoneResults;
  const form = place.querySelector("form");
  const [said, pickedSaid] = place.querySelectorAll(".ts-explore__said [role=status], .ts-explore__picked [role=status]");
  const wrap = place.querySelector(".ts-explore__table");
  const [cols, head, body] = ["colgroup", "thead", "tbody"].map((name) => wrap.querySelector(name));
  const count = ids.length;
  const FIRST = "system"; // the column that leads to the result
  const PRINTED = 300; // rows on paper
  const AHEAD = 6; // rows made above and below what is in sight

  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
  const number = (value, decimals) => {
    const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
    const sign = value < 0 && Number(value.toFixed(decimals)) ? say.number.minus : "";
    return sign + whole.replace(/\B(?=(...)+$)/g, say.number.thousands) + (rest ? say.number.decimal + rest : "");
  };

  /* Columns: a word is a number into the different words of its column, a figure a value with its kind */
  const isFigure = (name) => Object.hasOwn(figures, name);
  const word = (name, row) => keys[name][0][keys[name][1][row]];
  const called = (name, key) => (key ? say.names[name]?.[key] ?? key : say.unstated);
  const parts = (name, key) => (name === "status" ? key.split(say.several) : [key]);
  const named = (name, key) => parts(name, key).map((part) => called(name, part)).join(", ");
  const value = (name, row) => {
    const found = figures[name][0][row];
    return found === null ? null : found * kinds[figures[name][1][row]][1];
  };
  const reference = (name, row) => kinds[figures[name][1][row]][0].replaceAll("{}", runs[row] || ids[row]).replaceAll("{r}", ids[row]);

  /* Four digits say enough, three of what is less than one and no quality; no more decimals than the column has */
  function written(name, row) {
    const found = value(name, row);
    if (found === null) return null;
    const most = say.figures[name];
    const size = found ? Math.floor(Math.log10(Math.abs(found))) : 0;
    const digits = size < 0 && name !== "quality" ? 3 : 4;
    const places = Number.isInteger(found) && most < 2 ? 0 : Math.max(0, Math.min(digits - 1 - size, size < 0 ? 6 : most));
    const [pattern, note] = say.of[kinds[figures[name][1][row]][2]] ?? ["{n}", ""];
    return [number(found, places), pattern, note];
  }

  /* Words in the order of the language, numbers in them by size; what all languages write alike needs no collator, which takes a phone a
     tenth of a second when it is first wanted */
  const alike = (key) => key.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(9, "0"));
  let collator;
  const inOrder = (one, other) => (collator ??= new Intl.Collator(document.documentElement.lang, { numeric: true })).compare(one, other);
  const ranks = {};
  const ranked = (name) => {
    if (!ranks[name]) {
      const said = Object.keys(say.names[name] ?? {}).length;
      const all = keys[name][0].map((key, at) => [key ? named(name, key) : "", at]).sort(([a], [b]) => (said ? inOrder(a, b) : (alike(a) > alike(b)) - (alike(a) < alike(b))));
      ranks[name] = [];
      all.forEach(([text, at], rank) => { ranks[name][at] = text ? rank : NaN; });
    }
    return ranks[name];
  };
  const sortable = (name) => {
    if (isFigure(name)) return (row) => value(name, row) ?? NaN;
    const own = ranked(name);
    return (row) => own[keys[name][1][row]];
  };

  /* Filters: the different values of each, and which of them a row has */
  const UNSTATED = "not_stated"; // an empty word, as it stands in an address
  const filters = Object.fromEntries(say.filters.map((name) => {
    const [values, numbers] = isFigure(name) ? [[...new Set(figures[name][0])], []] : keys[name];
    const own = new Map();
    const placed = (part) => own.get(part) ?? own.set(part, own.size).get(part);
    const of = values.map((key) => (isFigure(name) ? [String(key ?? "")] : parts(name, key)).map(placed));
    const at = isFigure(name) ? new Map(values.map((key, place) => [key, place])) : null;
    const rowOf = at ? figures[name][0].map((key) => at.get(key)) : numbers;
    const text = (key) => (!key ? say.unstated : isFigure(name) ? number(Number(key), 0) : called(name, key));
    const offers = [...own].map(([key, place]) => ({ key: key || UNSTATED, place, text: text(key), last: !key }));
    const before = (one, other) => one.last - other.last || (isFigure(name) ? one.key - other.key : inOrder(one.text, other.text));
    return [name, { of, rowOf, offers, before, counts: new Uint32Array(own.size), html: "", due: false }];
  }));

  const usual = () => ({ filters: {}, sort: "round", down: true, columns: [...say.shown], picked: [], chart: null });
  let state = usual();
  let kept = []; // rows that the filters leave, as they are recorded
  let rows = []; // and in their order

  function read() {
    const asked = new URLSearchParams(location.search);
    const now = usual();
    for (const name of say.filters) if (filters[name].offers.some(({ key }) => key === asked.get(name))) now.filters[name] = asked.get(name);
    const sort = asked.get("sort") ?? "";
    const by = sort.replace(/^-/, "");
    if (by === FIRST || say.columns.includes(by)) [now.sort, now.down] = [by, sort.startsWith("-")];
    const known = (text) => (text ?? "").split(",").filter((name) => say.columns.includes(name));
    if (asked.has("columns")) now.columns = say.columns.filter((name) => known(asked.get("columns")).includes(name));
    now.picked = (asked.get("with") ?? "").split(",").filter((id) => ids.includes(id)).slice(0, say.most);
    const [x, y, colour] = (asked.get("chart") ?? "").split(",");
    if ([x, y].every(isFigure) && Object.hasOwn(keys, colour)) now.chart = { x, y, colour, log: (asked.get("log") ?? "").replace(/[^xy]/g, "") };
    return now;
  }

  function address() {
    const asked = new URLSearchParams(location.search);
    for (const name of [...say.filters, "sort", "columns", "with", "chart", "log"]) asked.delete(name);
    for (const name of say.filters) if (state.filters[name]) asked.set(name, state.filters[name]);
    if (state.sort !== usual().sort || !state.down) asked.set("sort", (state.down ? "-" : "") + state.sort);
    if (state.columns.join() !== say.shown.join()) asked.set("columns", state.columns.join());
    if (state.picked.length) asked.set("with", state.picked.join());
    if (state.chart) {
      asked.set("chart", [state.chart.x, state.chart.y, state.chart.colour].join());
      if (state.chart.log) asked.set("log", state.chart.log);
    }
    const text = asked.toString().replaceAll("%2C", ",");
    return location.pathname + (text && `?${text}`) + location.hash;
  }

  /* A step that the way back leads over */
  function keep() {
    const next = address();
    if (next === location.pathname + location.search + location.hash) return;
    try { history.pushState(history.state, "", next); } catch { /* a frame without history */ }
  }

  /* The rows that all filters leave; and of each filter what the others leave, which is what it offers */
  function narrow() {
    for (const filter of Object.values(filters)) filter.counts.fill(0);
    const set = say.filters.filter((name) => state.filters[name]).map((name) => {
      const filter = filters[name];
      const wanted = filter.offers.find(({ key }) => key === state.filters[name])?.place;
      return { filter, kept: filter.of.map((places) => places.includes(wanted)) };
    });
    const offer = ({ of, rowOf, counts }, row) => { for (const place of of[rowOf[row]]) counts[place] += 1; };
    const every = Object.values(filters);
    kept = [];
    for (let row = 0; row < count; row += 1) {
      const missed = set.filter((one) => !one.kept[one.filter.rowOf[row]]);
      if (missed.length === 1) offer(missed[0].filter, row);
      if (missed.length) continue;
      kept.push(row);
      for (const filter of every) offer(filter, row);
    }
    for (const filter of every) filter.due = true;
  }

  function arrange() {
    const of = sortable(state.sort);
    const sign = state.down ? -1 : 1;
    const keyed = kept.map((row) => [of(row), row]);
    keyed.sort(([a, one], [b, other]) => {
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b) || one - other;
      return sign * (a - b) || one - other;
    });
    rows = keyed.map(([, row]) => row);
  }

  /* What a filter offers, with how many results each leaves: one after another once the rows are there, or all when one is asked; what is
     folded away waits */
  function options(event) {
    for (const [name, filter] of Object.entries(filters)) {
      const select = form.elements[name];
      if (!filter.due || select.closest("details:not([open])")) continue;
      if (!event) setTimeout(options);
      filter.due = false;
      if (filter.before) filter.offers.sort(filter.before);
      filter.before = null;
      const wanted = state.filters[name] ?? "";
      const listed = filter.offers.filter(({ key, place }) => filter.counts[place] || key === wanted);
      const html = listed.map(({ key, place, text }) => `<option value="${escaped(key)}">${escaped(text)} (${number(filter.counts[place], 0)})</option>`).join("");
      if (filter.html !== html) {
        filter.html = html;
        select.innerHTML = `<option value="">${escaped(select.options[0].text)}</option>${html}`;
      }
      select.value = wanted;
      if (!event) return;
    }
  }
  for (const event of ["toggle", "pointerdown", "focusin"]) form.addEventListener(event, options, true);

  /* The table */
  const columns = () => [FIRST, ...state.columns];
  /* On a phone, which is as wide as explore.css says, the column of the order stands beside the names */
  const phone = matchMedia("(max-width: 44.98em)");
  const placed = () => [...new Set([FIRST, ...columns().filter((name) => phone.matches && name === state.sort), ...state.columns])];

  const WIDTHS = { [FIRST]: 11, workload: 6.5, accelerator: 6.2, accelerators: 6.7, round: 4.2, year: 3.6, time: 11, cost: 12, mode: 5.5 }; // rem; all alike would leave names no room
  function heads() {
    const wide = placed().map((name) => (name === "time" && phone.matches ? 8 : WIDTHS[name] ?? 8));
    cols.innerHTML = wide.map((each) => `<col style="width:${each}rem">`).join("");
    wrap.firstElementChild.style.minWidth = `${wide.reduce((sum, each) => sum + each, 0)}rem`;
    head.innerHTML = `<tr aria-rowindex="1">${placed().map((name) =>
      `<th scope="col"${isFigure(name) ? ' class="ts-num"' : ""}><button type="button" class="ts-sort" data-sort="${name}">${escaped(say.titles[name])}</button></th>`).join("")}</tr>`;
    mark();
  }
  function mark() {
    for (const heading of head.rows[0].cells) {
      if (heading.firstElementChild.dataset.sort === state.sort) heading.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    }
  }

  function cell(name, row) {
    if (!isFigure(name)) {
      const key = word(name, row);
      const of = named(name, key);
      return `<td title="${escaped(key ? of : "")}"><span>${key ? escaped(of) : say.nothing}</span></td>`;
    }
    const found = written(name, row);
    if (!found) return `<td class="ts-num">${say.nothing}</td>`;
    const [text, pattern, note] = found;
    const shown = `<data value="${figures[name][0][row]}" data-ref="${escaped(reference(name, row))}">${text}</data>`;
    return `<td class="ts-num">${filled(escaped(pattern), { n: shown })}${note ? `<span class="ts-note" title="${escaped(note)}">${escaped(note)}</span>` : ""}</td>`;
  }

  function line(at) {
    const row = rows[at];
    const id = ids[row];
    const name = called(FIRST, word(FIRST, row));
    const picked = state.picked.includes(id);
    const full = !picked && state.picked.length >= say.most;
    const pick = `<input type="checkbox" value="${escaped(id)}" aria-label="${escaped(filled(say.pick, { name }))}"${picked ? " checked" : ""}${full ? " disabled" : ""}>`;
    const link = `<a href="../results/${encodeURIComponent(id)}/" title="${escaped(name)}">${escaped(name)}</a>`;
    return `<tr aria-rowindex="${at + 2}" data-row="${row}"><th scope="row"><div>${pick}${link}</div></th>${placed().slice(1).map((each) => cell(each, row)).join("")}</tr>`;
  }

  /* Of a row, of what is in sight, and how far it is scrolled: asking for them would have the page laid out anew */
  let width = 0;
  let height = 0;
  let tall = 0;
  let scrolled = 0;
  function measure() {
    body.innerHTML = rows.length ? line(0) : "";
    width = wrap.clientWidth;
    height = body.rows[0]?.getBoundingClientRect().height ?? 0;
    tall = Math.max(wrap.clientHeight, parseFloat(getComputedStyle(wrap).maxHeight) || 0);
  }
  let from = -1;
  let to = -1;
  let printing = false;
  function fill(anew) {
    if (printing) return;
    if (anew) [from, to] = [-1, -1];
    if (!height) measure();
    const high = Math.ceil(tall / (height || 1));
    const top = Math.floor(scrolled / (height || 1));
    const enough = (n) => n >= AHEAD / 3;
    if (from >= 0 && (from === 0 || enough(top - from)) && (to === rows.length || enough(to - top - high))) return;
    from = Math.max(0, top - AHEAD);
    to = Math.min(rows.length, top + high + AHEAD);
    const focused = body.contains(document.activeElement) && [document.activeElement.closest("tr").dataset.row, document.activeElement.localName];
    const space = (n) => (n ? `<tr aria-hidden="true" class="ts-explore__space"><td colspan="${columns().length}" style="height:${n * height}px"></td></tr>` : "");
    const lines = [];
    for (let at = from; at < to; at += 1) lines.push(line(at));
    body.innerHTML = space(from) + lines.join("") + space(rows.length - to);
    if (focused) body.querySelector(`[data-row="${focused[0]}"] ${focused[1]}`)?.focus({ preventScroll: true });
  }

  function picked() {
    const bar = place.querySelector(".ts-explore__picked");
    bar.hidden = !state.picked.length;
    pickedSaid.textContent = filled(say.picked, { n: number(state.picked.length, 0), most: number(say.most, 0) });
    const link = bar.querySelector("a");
    link.search = state.picked.length ? `?with=${state.picked.map(encodeURIComponent).join(",")}` : "";
  }

  const numbers = () => filled(say.said, { left: number(rows.length, 0), all: number(count, 0) });
  function shown() {
    said.textContent = rows.length ? numbers() : say.empty;
    for (const part of [wrap, ...place.querySelectorAll(".ts-explore__notes, .ts-explore__tools")]) part.hidden = !rows.length;
    wrap.firstElementChild.setAttribute("aria-rowcount", rows.length + 1);
    mark();
    if (scrolled) wrap.scrollTop = scrolled = 0;
    fill(true);
    chart();
  }

  /* After the filters have changed; after the order; after all of it */
  function refilter() {
    narrow();
    arrange();
    shown();
    requestAnimationFrame(() => setTimeout(options));
  }
  function show() {
    for (const fold of form.querySelectorAll("details")) if ([...fold.querySelectorAll("select")].some(({ name }) => state.filters[name])) fold.open = true;
    for (const box of form.querySelectorAll("[name=columns]")) box.checked = state.columns.includes(box.value);
    arrange();
    shown();
    requestAnimationFrame(() => setTimeout(options));
    picked();
  }

  /* What comes when it is first wanted; each finds here what it needs */
  const coming = {};
  const later = (name) => (coming[name] ??= new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src: say.later[name], onload: done, onerror: failed });
    if (name === "charts") script.dataset.runtime = say.later.runtime; // which that of charts loads in its turn
    document.head.append(script);
  }).catch((why) => { delete coming[name]; throw why; }));
  window.touchstoneExplored = {
    say, ids, kinds, figures, isFigure, word, named, value, written, reference, number, filled, escaped, columns,
    rows: () => rows, state: () => state,
  };

  const fold = place.querySelector(".ts-explore__chart");
  function chart() {
    if (!fold) return;
    if (!state.chart) fold.open = false;
    else if (!fold.open) fold.open = true; // which asks for it
    else later("charts").then(() => later("chart.js")).then(() => window.touchstoneExplored.draw(fold)).catch((why) => {
      fold.querySelector("[role=status]").textContent = say.failed;
      console.warn(why);
    });
  }
  fold?.addEventListener("toggle", () => {
    if (fold.open && !state.chart) state.chart = { x: "accelerators", y: "time", colour: "vendor", log: "xy" };
    if (!fold.open) state.chart = null;
    keep();
    if (fold.open) chart();
  });
  fold?.addEventListener("change", ({ target }) => {
    const of = (name) => fold.querySelector(`select[name=${name}]`).value;
    if (!state.chart || !target.name) return;
    const log = [...fold.querySelectorAll("[name=log]:checked")].map((box) => box.value).join("");
    state.chart = { x: of("x"), y: of("y"), colour: of("colour"), log };
    keep();
    chart();
  });

  form.addEventListener("change", ({ target }) => {
    if (target.name === "columns") {
      const chosen = [...form.querySelectorAll("[name=columns]:checked")].map((box) => box.value);
      state.columns = say.columns.filter((name) => chosen.includes(name));
    } else if (target.value) state.filters[target.name] = target.value;
    else delete state.filters[target.name];
    keep();
    if (target.name === "columns") {
      heads();
      shown();
    } else refilter();
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    state.filters = {};
    keep();
    refilter();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  head.addEventListener("click", ({ target }) => {
    const name = target.closest("[data-sort]")?.dataset.sort;
    if (!name) return;
    if (state.sort !== name || (state.down && name === usual().sort)) [state.sort, state.down] = [name, false];
    else if (!state.down) state.down = true;
    else ({ sort: state.sort, down: state.down } = usual());
    keep();
    arrange();
    if (phone.matches) {
      heads();
      head.querySelector(`[data-sort=${name}]`).focus({ preventScroll: true });
      wrap.scrollLeft = 0;
    }
    shown();
  });
  body.addEventListener("change", ({ target }) => {
    state.picked = target.checked ? [...state.picked, target.value] : state.picked.filter((id) => id !== target.value);
    keep();
    picked();
    fill(true);
  });
  place.addEventListener("click", async ({ target }) => {
    const what = target.closest("[data-do]")?.dataset.do;
    if (what === "clear") {
      state.picked = [];
      keep();
      picked();
      fill(true);
      wrap.focus(); // the button is gone
    } else if (what === "copy") {
      try {
        await touchstoneSite.copied(location.href);
        said.textContent = say.copied;
      } catch { said.textContent = say.copy_failed; }
    } else if (what) {
      try {
        await Promise.all([later("files.js"), later("credits")]);
        window.touchstoneExplored.download(what);
      } catch { said.textContent = say.failed; }
    }
  });

  /* Paper has no frame: the first rows all stand there, and what is said above them says how many there are */
  addEventListener("beforeprint", () => {
    printing = true;
    body.innerHTML = rows.slice(0, PRINTED).map((_, at) => line(at)).join("");
    said.textContent = !rows.length ? say.empty : rows.length > PRINTED ? `${numbers()} · ${filled(say.printed, { most: number(PRINTED, 0) })}` : numbers();
  });
  addEventListener("afterprint", () => {
    printing = false;
    said.textContent = rows.length ? numbers() : say.empty;
    fill(true);
  });

  let waiting = false;
  wrap.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; scrolled = wrap.scrollTop; fill(); });
  }, { passive: true });
  new ResizeObserver(() => {
    if (wrap.clientWidth === width) return;
    height = 0;
    fill(true);
  }).observe(wrap);
  phone.addEventListener("change", () => { heads(); fill(true); });
  const restore = (next) => { state = read(); heads(); narrow(); next(); };
  addEventListener("popstate", () => restore(show));
  restore(() => setTimeout(show)); // in a task of its own
})();
