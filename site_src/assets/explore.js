/* All results as one table: filters, order, columns and what is picked stand in the address. Rows are made for what is in sight alone.
   Chart and downloads are scripts of their own, which come when they are first wanted. */
(() => {
  "use strict";
  const { ids, runs, words: keys, figures, kinds } = window.touchstoneResults;
  const say = window.touchstoneExplore;
  const place = document.getElementById("explore");
  const form = place.querySelector("form");
  const [said, pickedSaid] = place.querySelectorAll(".ts-explore__said [role=status], .ts-explore__picked [role=status]");
  const wrap = place.querySelector(".ts-explore__table");
  const [head, body] = [wrap.querySelector("thead"), wrap.querySelector("tbody")];
  const count = ids.length;
  const FIRST = "system"; // the column that leads to the result
  const AHEAD = 12; // rows made above and below what is in sight

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
  const value = (name, row) => {
    const found = figures[name][0][row];
    return found === null ? null : found * kinds[figures[name][1][row]][1];
  };
  const reference = (name, row) => kinds[figures[name][1][row]][0].replaceAll("{}", runs[row] || ids[row]);

  /* Four digits say enough, three of what is less than one; no more decimals than the column has */
  function written(name, row) {
    const found = value(name, row);
    if (found === null) return null;
    const most = say.figures[name];
    const size = found ? Math.floor(Math.log10(Math.abs(found))) : 0;
    const places = Number.isInteger(found) && most < 2 ? 0 : Math.max(0, Math.min(size < 0 ? 2 - size : 3 - size, size < 0 ? 6 : most));
    const [pattern, note] = say.of[kinds[figures[name][1][row]][2]] ?? ["{n}", ""];
    return [number(found, places), pattern, note];
  }

  /* Words in the order of the language, numbers in them by size */
  const order = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const ranks = {};
  const ranked = (name) => {
    if (!ranks[name]) {
      const all = keys[name][0].map((key, at) => [key ? named(name, key) : "", at]).sort(([a], [b]) => order.compare(a, b));
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

  /* Filters: of each row what it has of a filter, by the value that stands in the address */
  const parts = (name, key) => (name === "status" ? key.split(say.several) : [key]);
  const named = (name, key) => parts(name, key).map((part) => called(name, part)).join(", ");
  const has = Object.fromEntries(say.filters.map((name) => {
    if (isFigure(name)) return [name, (row, wanted) => String(figures[name][0][row] ?? "") === wanted];
    const cache = new Map();
    return [name, (row, wanted) => {
      if (!cache.has(wanted)) cache.set(wanted, keys[name][0].map((key) => parts(name, key).includes(wanted)));
      return cache.get(wanted)[keys[name][1][row]];
    }];
  }));
  const UNSTATED = "not_stated"; // an empty word, as it stands in an address
  const held = (name) => (state.filters[name] === UNSTATED ? "" : state.filters[name]);

  const usual = () => ({ filters: {}, sort: "round", down: true, columns: [...say.shown], picked: [], chart: null });
  let state = usual();
  let rows = [];

  function read() {
    const asked = new URLSearchParams(location.search);
    const now = usual();
    for (const name of say.filters) if (asked.get(name)) now.filters[name] = asked.get(name);
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
    const set = say.filters.filter((name) => state.filters[name]);
    const offered = Object.fromEntries(say.filters.map((name) => [name, new Map()]));
    rows = [];
    const offer = (name, row) => {
      const of = offered[name], key = isFigure(name) ? figures[name][0][row] ?? "" : keys[name][1][row];
      of.set(key, (of.get(key) ?? 0) + 1);
    };
    for (let row = 0; row < count; row += 1) {
      let missed = "";
      let misses = 0;
      for (const name of set) {
        if (has[name](row, held(name))) continue;
        missed = name;
        misses += 1;
        if (misses > 1) break;
      }
      if (misses > 1) continue;
      if (misses) offer(missed, row);
      else {
        rows.push(row);
        for (const name of say.filters) offer(name, row);
      }
    }
    return offered;
  }

  function arrange() {
    const of = sortable(state.sort);
    const sign = state.down ? -1 : 1;
    const keyed = rows.map((row) => [of(row), row]);
    keyed.sort(([a, one], [b, other]) => {
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b) || one - other;
      return sign * (a - b) || one - other;
    });
    rows = keyed.map(([, row]) => row);
  }

  /* What a filter offers: its words in order, numbers by size, with how many results each leaves */
  const shownOptions = {};
  function options(name, offered) {
    const found = new Map();
    for (const [key, n] of offered) {
      for (const part of isFigure(name) ? [String(key)] : parts(name, keys[name][0][key])) found.set(part, (found.get(part) ?? 0) + n);
    }
    const wanted = state.filters[name];
    if (wanted && !found.has(held(name))) found.set(held(name), 0);
    const text = (key) => (isFigure(name) ? (key ? number(Number(key), 0) : say.unstated) : called(name, key));
    const listed = [...found].map(([key, n]) => [key, text(key), n]);
    listed.sort(([a, one], [b, other]) => !a - !b || order.compare(one, other));
    const html = listed.map(([key, label, n]) => `<option value="${escaped(key || UNSTATED)}">${escaped(label)} (${number(n, 0)})</option>`).join("");
    const select = form.elements[name];
    if (shownOptions[name] !== html) {
      shownOptions[name] = html;
      while (select.options.length > 1) select.remove(1);
      select.insertAdjacentHTML("beforeend", html);
    }
    select.value = wanted ?? "";
  }

  /* The table */
  const columns = () => [FIRST, ...state.columns];

  function heads() {
    head.innerHTML = `<tr>${columns().map((name) => {
      const sorted = state.sort === name ? ` aria-sort="${state.down ? "descending" : "ascending"}"` : "";
      return `<th scope="col"${isFigure(name) ? ' class="ts-num"' : ""}${sorted}><button type="button" class="ts-sort" data-sort="${name}">${escaped(say.titles[name])}</button></th>`;
    }).join("")}</tr>`;
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
    return `<tr aria-rowindex="${at + 2}" data-row="${row}"><th scope="row"><div>${pick}${link}</div></th>${state.columns.map((each) => cell(each, row)).join("")}</tr>`;
  }

  let height = 0;
  let from = -1;
  let to = -1;
  function fill(anew) {
    if (anew) [from, to] = [-1, -1];
    if (!height) {
      body.innerHTML = rows.length ? line(0) : "";
      height = body.rows[0]?.getBoundingClientRect().height ?? 0;
    }
    const high = Math.ceil(wrap.clientHeight / (height || 1));
    const top = Math.floor(wrap.scrollTop / (height || 1));
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

  function show() {
    const offered = narrow();
    arrange();
    for (const name of say.filters) options(name, offered[name]);
    for (const box of form.querySelectorAll("[name=columns]")) box.checked = state.columns.includes(box.value);
    for (const fold of form.querySelectorAll("details")) if (fold.querySelector("select") && [...fold.querySelectorAll("select")].some((select) => select.value)) fold.open = true;
    said.textContent = rows.length ? filled(say.said, { left: number(rows.length, 0), all: number(count, 0) }) : say.empty;
    wrap.hidden = !rows.length;
    place.querySelector(".ts-explore__notes").hidden = !rows.length;
    place.querySelector(".ts-explore__tools").hidden = !rows.length;
    wrap.firstElementChild.setAttribute("aria-rowcount", rows.length + 1);
    heads();
    wrap.scrollTop = 0;
    fill(true);
    picked();
    chart();
  }

  /* What comes when it is first wanted; each finds here what it needs */
  const coming = {};
  const later = (name) => (coming[name] ??= new Promise((done, failed) => {
    document.head.append(Object.assign(document.createElement("script"), { src: say.later[name], onload: done, onerror: failed }));
  }).catch((why) => { delete coming[name]; throw why; }));
  window.touchstoneExplored = {
    say, ids, kinds, figures, isFigure, word, named, value, written, reference, number, filled, escaped, columns,
    rows: () => rows, state: () => state, show, keep,
  };

  const fold = place.querySelector(".ts-explore__chart");
  function chart() {
    if (!fold) return;
    if (!state.chart) fold.open = false;
    else if (!fold.open) fold.open = true; // which asks for it
    else later("chart.js").then(() => window.touchstoneExplored.draw(fold)).catch((why) => console.warn(why));
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
    show();
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    state.filters = {};
    keep();
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  head.addEventListener("click", ({ target }) => {
    const name = target.closest("[data-sort]")?.dataset.sort;
    if (!name) return;
    if (state.sort !== name || (state.down && name === usual().sort)) [state.sort, state.down] = [name, false];
    else if (!state.down) state.down = true;
    else ({ sort: state.sort, down: state.down } = usual());
    keep();
    show();
    head.querySelector(`[data-sort="${name}"]`).focus({ preventScroll: true });
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
    } else if (what === "copy") {
      try {
        await touchstoneSite.copied(location.href);
        said.textContent = say.copied;
      } catch { said.textContent = say.copy_failed; }
    } else if (what) {
      await later("files.js");
      window.touchstoneExplored.download(what);
    }
  });

  let waiting = false;
  wrap.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; fill(); });
  }, { passive: true });
  let width = 0;
  new ResizeObserver(() => {
    if (wrap.clientWidth === width) return;
    width = wrap.clientWidth;
    height = 0;
    fill(true);
  }).observe(wrap);
  const restore = () => { state = read(); show(); };
  addEventListener("popstate", restore);
  restore();
})();
