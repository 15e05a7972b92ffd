// Makes a chart's picture interactive: legend, choices, state in the address, dark and light, numbers in the page's language.
// Plain script without modules: it must run from file:// and in sandboxed frames, whose origin no server answers. The rules for
// choosing rows are those of `Figure.rows` in site_src/figures/base.py; a test holds the two against each other.
(() => {
  "use strict";

  const script = document.currentScript;
  const runtimeAddress = new URL(script.dataset.runtime, document.baseURI).href;
  const query = () => new URLSearchParams(location.search);
  const embedded = () => document.body.classList.contains("ts-embed");
  const charts = [];
  let loading;

  // The runtime, once a page, when the first chart comes into view

  function runtime() {
    loading ??= new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = runtimeAddress;
      element.onload = () => {
        const found = window.touchstoneRuntimes?.[runtimeAddress];
        if (found) resolve(found);
        else reject(new Error(`${runtimeAddress} brought no runtime`));
      };
      element.onerror = () => reject(new Error(`${runtimeAddress} could not be loaded`));
      document.head.append(element);
    });
    return loading;
  }

  // Numbers as the language writes them: decimal sign, groups and minus are those of the page's d3 locale

  function written(value, decimals, format) {
    const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
    const size = format.grouping[0];
    const groups = [];
    for (let end = whole.length; end > 0; end -= size) groups.unshift(whole.slice(Math.max(0, end - size), end));
    const sign = value < 0 && Number(value.toFixed(decimals)) !== 0 ? format.minus ?? "\u2212" : "";
    return sign + groups.join(format.thousands) + (rest ? format.decimal + rest : "");
  }

  // Colours

  const preference = matchMedia("(prefers-color-scheme: dark)");

  function dark() {
    if (embedded()) {
      const theme = document.documentElement.dataset.theme;
      return theme === "dark" || (theme !== "light" && preference.matches);
    }
    const scheme = document.body.dataset.mdColorScheme;
    return scheme ? scheme === "slate" : preference.matches;
  }

  function setIn(target, path, value) {
    let place = target;
    for (const step of path.slice(0, -1)) place = place[step];
    if (value === null) delete place[path.at(-1)];
    else place[path.at(-1)] = value;
  }

  class Chart {
    constructor(figure, data) {
      this.figure = figure;
      this.data = data;
      this.short = figure.dataset.short;
      this.slot = figure.querySelector(".ts-picture");
      this.controls = figure.querySelector(".ts-controls");
      this.legend = figure.querySelector(".ts-legend");
      this.status = figure.querySelector(".ts-status");
      this.rows = data.rows.map((cells, index) => {
        const row = { ...data.same };
        data.columns.forEach((name, column) => (row[name] = cells[column]));
        for (const [name, texts] of Object.entries(data.texts)) row[name] = texts.words ? texts.words[texts.rows[index]] : texts[index];
        row.tip = this.tip(row, index);
        return row;
      });
      this.keys = this.defaults();
      this.state = this.read();
      this.wire();
    }

    // What the pointer tells of a row: as `tips` in site_src/share_html.py packs it

    tip(row, index) {
      const { tips, formats } = this.data;
      const lines = [];
      for (const [heading, told] of tips) {
        let text = told;
        if (Array.isArray(told)) text = told[index];
        else if (told?.words) text = told.words[told.rows[index]];
        else if (told?.column) text = told.pattern.replace("{n}", written(row[told.column], told.decimals, formats.number));
        if (text !== null) lines.push(`${heading}: ${text}`);
      }
      return lines.join("\n");
    }

    // State: keys and values are words that stand in addresses; what is unknown is left aside

    defaults() {
      const found = new Map();
      for (const control of this.data.controls) found.set(control.key, control.choices);
      if (this.data.scales.length) found.set("scale", this.data.scales);
      if (this.data.baselines.length) {
        found.set("view", ["absolute", "relative"]);
        found.set("baseline", this.data.baselines);
      }
      return found;
    }

    read() {
      const asked = query();
      const get = (key) => asked.get(`${this.short}.${key}`) ?? asked.get(key);
      const state = {};
      for (const [key, choices] of this.keys) {
        const value = get(key);
        state[key] = choices.includes(value) ? value : choices[0];
      }
      const hidden = (get("hide") ?? "").split(",");
      state.hide = this.data.series.filter((id) => hidden.includes(id));
      if (state.hide.length === this.data.series.length) state.hide = []; // an address that leaves nothing to see asks for nothing
      return state;
    }

    write() {
      const asked = query();
      const prefix = charts.length > 1 ? `${this.short}.` : "";
      for (const key of [...this.keys.keys(), "hide"]) {
        asked.delete(`${this.short}.${key}`);
        // an unprefixed key speaks to every chart of the page: the others keep what it said
        if (asked.has(key)) {
          const value = asked.get(key);
          asked.delete(key);
          for (const other of charts) {
            const meant = key === "hide" ? other.state.hide.length : other.keys.get(key)?.slice(1).includes(value);
            if (other !== this && meant && !asked.has(`${other.short}.${key}`)) {
              asked.set(`${other.short}.${key}`, key === "hide" ? other.state.hide.join(",") : value);
            }
          }
        }
        const value = key === "hide" ? this.state.hide.join(",") : this.state[key];
        const usual = key === "hide" ? "" : this.keys.get(key)[0];
        const idle = key === "baseline" && this.state.view !== "relative";
        if (value !== usual && !idle) asked.set(prefix + key, value);
      }
      const text = asked.toString().replaceAll("%2C", ",");
      history.replaceState(history.state, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
    }

    // Rows of a state

    field(channel) {
      for (const control of this.data.controls) {
        if (control.fields?.[channel]) return control.fields[channel][this.state[control.key]];
      }
      return this.data.fields[channel];
    }

    // Whether a control leaves a row in, by the row's value in the column that it filters by
    kept(control, value) {
      const choice = this.state[control.key];
      return value === null || value === undefined || choice === control.every || String(value) === choice;
    }

    drawn() {
      const { data, state } = this;
      const name = this.field("value");
      const kept = this.rows.filter((row) => data.controls.every((control) => !control.filters || this.kept(control, row[control.filters])));
      let rows = kept.map((row) => {
        const own = { ...row };
        for (const channel of Object.keys(data.fields)) own[channel] = row[this.field(channel)];
        own.text = row[`text:${name}`];
        own.low = row[`${name}_low`] ?? null;
        own.high = row[`${name}_high`] ?? null;
        return own;
      });
      if (state.view === "relative") {
        const base = rows.filter((row) => row.series === state.baseline && row.value !== null);
        rows = rows.map((row) => this.over(row, this.reference(base, row)));
      }
      return rows.filter((row) => !state.hide.includes(row.series));
    }

    reference(base, row) {
      const own = this.data.group ? base.filter((other) => other[this.data.group] === row[this.data.group]) : base;
      return (own.find((other) => other.reference) ?? own[0])?.value;
    }

    over(row, reference) {
      if (row.value === null) return row;
      const { words, formats } = this.data;
      if (!reference) return { ...row, value: null, low: null, high: null, text: words.no_baseline };
      const divided = (value) => (value === null ? null : value / reference);
      const value = divided(row.value);
      const text = words.times.replace("{n}", written(value, 3, formats.number));
      const beside = "beside" in row ? { beside: divided(row.beside) } : {};
      return { ...row, ...beside, value, low: divided(row.low), high: divided(row.high), text };
    }

    // Drawing

    specification(rows) {
      const { data, state } = this;
      const spec = structuredClone(data.spec);
      for (const [when, places] of data.patches) {
        if (Object.entries(when).every(([key, value]) => state[key] === value)) {
          for (const [path, value] of places) setIn(spec, path, structuredClone(value));
        }
      }
      if (dark()) for (const [path, value] of data.dark) setIn(spec, path, value);
      spec.data.find((each) => each.name === "rows").values = rows;
      this.width = Math.max(240, Math.floor(this.slot.getBoundingClientRect().width));
      spec.width = this.width;
      if (data.line) spec.height = new Set(rows.map((row) => row.category)).size * data.line + data.margin;
      return spec;
    }

    async draw(announce) {
      const wanted = (this.wanted = (this.wanted ?? 0) + 1);
      try {
        const { draw } = await runtime();
        if (wanted !== this.wanted) return;
        const rows = this.drawn();
        const place = document.createElement("div");
        const { number, time } = this.data.formats;
        const view = await draw(place, this.specification(rows), { number, time, tooltip: (...event) => tooltip.show(...event) });
        if (wanted !== this.wanted) {
          view.finalize();
          return;
        }
        this.place?.remove();
        this.view?.finalize();
        tooltip.hide();
        this.view = view;
        this.place = place;
        place.className = "ts-live";
        place.setAttribute("role", "img");
        place.setAttribute("aria-label", this.slot.querySelector("img").alt);
        // the label is the chart's sentence and the table has its figures; Vega's own words for its marks are English
        place.removeAttribute("aria-roledescription");
        place.firstElementChild.setAttribute("aria-hidden", "true");
        this.slot.append(place);
        this.figure.dataset.state = "interactive";
        for (const part of [this.controls, this.legend]) part?.removeAttribute("hidden");
        this.show();
        if (announce) this.status.textContent = this.data.words.changed;
        announceHeight();
      } catch (error) {
        // the picture and the table stay as they are
        this.figure.dataset.state = "picture";
        this.status.textContent = this.data.words.failed;
        console.warn(`${this.data.id}: ${error.message}`);
      }
    }

    show() {
      const { state, data } = this;
      this.controls?.querySelectorAll("select").forEach((select) => (select.value = state[select.dataset.key]));
      const baseline = this.controls?.querySelector('[data-for="baseline"]');
      if (baseline) baseline.hidden = state.view !== "relative";
      this.legend?.querySelectorAll("button").forEach((button) => {
        button.setAttribute("aria-pressed", String(!state.hide.includes(button.dataset.series)));
        // a series of which the choices leave nothing has no button
        button.hidden = !this.rows.some(
          (row) =>
            row.series === button.dataset.series &&
            data.controls.every((control) => !control.filters || this.kept(control, row[control.filters])),
        );
      });
      const reset = this.controls?.querySelector(".ts-reset");
      if (reset) reset.hidden = !state.hide.length && [...this.keys].every(([key, choices]) => state[key] === choices[0]);
      for (const row of this.figure.querySelectorAll("tbody tr")) {
        const out = data.controls.some((control) => control.filters && !this.kept(control, row.getAttribute(`data-${control.filters}`)));
        row.hidden = out || state.hide.includes(row.dataset.series);
      }
    }

    change(changes) {
      Object.assign(this.state, changes);
      this.write();
      this.show();
      this.draw(true);
    }

    wire() {
      this.controls?.addEventListener("change", (event) => {
        const { key } = event.target.dataset;
        if (key) this.change({ [key]: event.target.value });
      });
      this.controls?.querySelector(".ts-reset")?.addEventListener("click", () => {
        const usual = Object.fromEntries([...this.keys].map(([key, choices]) => [key, choices[0]]));
        this.change({ ...usual, hide: [] });
        this.controls.querySelector("select")?.focus();
      });
      this.legend?.addEventListener("click", (event) => {
        const id = event.target.closest("button")?.dataset.series;
        if (!id) return;
        const { hide } = this.state;
        const hidden = hide.includes(id) ? hide.filter((other) => other !== id) : [...hide, id];
        // at least one series stays, or there would be no axes
        if (hidden.length < this.data.series.length) this.change({ hide: this.data.series.filter((other) => hidden.includes(other)) });
      });
    }

    refresh() {
      if (this.seen) this.draw(false);
    }

    resize() {
      if (this.view && Math.floor(this.slot.getBoundingClientRect().width) !== this.width) this.draw(false);
    }
  }

  // What the pointer is on: lines that were written when the page was built, as text

  const tooltip = {
    element: null,
    show(_handler, event, _item, value) {
      if (!value) return this.hide();
      this.element ??= document.body.appendChild(Object.assign(document.createElement("div"), { className: "ts-tooltip" }));
      const text = typeof value === "object" ? Object.values(value).join("\n") : String(value);
      if (this.element.textContent !== text) this.element.textContent = text;
      this.element.setAttribute("aria-hidden", "true");
      this.element.hidden = false;
      const { width, height } = this.element.getBoundingClientRect();
      const right = document.documentElement.clientWidth;
      const left = Math.max(4, Math.min(event.clientX + 14, right - width - 4));
      const below = event.clientY + 16;
      const top = below + height > innerHeight ? Math.max(4, event.clientY - height - 12) : below;
      this.element.style.left = `${left}px`;
      this.element.style.top = `${top}px`;
    },
    hide() {
      if (this.element) this.element.hidden = true;
    },
  };

  // Tables: a click on a heading sorts; figures by their machine value, missing ones last

  function sortable(table, words, status) {
    const body = table.tBodies[0];
    const first = [...body.rows];
    const key = (row, column) => {
      const cell = row.cells[column];
      const figure = cell.querySelector("data");
      return figure ? Number(figure.value) : cell.textContent;
    };
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const name = cell.textContent;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "ts-sort";
      button.title = words.sort.replace("{column}", name);
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const order = cell.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", order);
        const numbers = cell.classList.contains("ts-number");
        const sign = order === "ascending" ? 1 : -1;
        const sorted = [...first].sort((one, other) => {
          const [a, b] = [key(one, column), key(other, column)];
          if (numbers && (typeof a !== "number" || typeof b !== "number")) return (typeof a !== "number") - (typeof b !== "number");
          return sign * (numbers ? a - b : a.localeCompare(b, document.documentElement.lang, { numeric: true }));
        });
        body.append(...sorted);
        status.textContent = words[order === "ascending" ? "sorted_up" : "sorted_down"].replace("{column}", name);
      });
    });
  }

  // Frames: the height is told to whoever embeds; the host checks who says so

  function announceHeight() {
    if (embedded() && window.parent !== window) {
      const id = document.querySelector(".ts-figure")?.id;
      window.parent.postMessage({ touchstone: "height", chart: id, height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
    }
  }

  function unpackEmbed() {
    const asked = query();
    const root = document.documentElement;
    const theme = asked.get("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    const templates = [...document.querySelectorAll("template[data-lang]")];
    const chosen = templates.find((template) => template.dataset.lang === asked.get("lang")) ?? templates[0];
    root.lang = chosen.dataset.lang;
    root.dir = chosen.dataset.dir;
    document.title = chosen.dataset.title;
    document.querySelector("main").replaceChildren(chosen.content.cloneNode(true));
    const block = (selector) => JSON.parse(document.querySelector(selector).textContent);
    const language = block(`script.ts-language[data-lang="${chosen.dataset.lang}"]`);
    // the link leads to the chart's own page in the same state
    const home = document.querySelector(".ts-home");
    asked.delete("lang");
    asked.delete("theme");
    if (asked.size) home.href += `?${asked}`;
    return { ...block("script.ts-common"), ...language };
  }

  function start() {
    const whole = embedded() ? unpackEmbed() : null;
    for (const figure of document.querySelectorAll(".ts-figure")) {
      const data = whole ?? JSON.parse(figure.querySelector("script.ts-data").textContent);
      const chart = new Chart(figure, data);
      charts.push(chart);
      const table = figure.querySelector("table.ts-table");
      if (table) sortable(table, data.words, chart.status);
    }
    const seen = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const chart = charts.find((each) => each.slot === target);
          if (isIntersecting && !chart.seen) {
            chart.seen = true;
            seen.unobserve(target);
            chart.draw(false);
          }
        }
      },
      { rootMargin: "300px 0px" },
    );
    for (const chart of charts) seen.observe(chart.slot);
    const refresh = () => charts.forEach((chart) => chart.refresh());
    if (!embedded()) new MutationObserver(refresh).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
    preference.addEventListener("change", refresh);
    addEventListener("popstate", () => {
      for (const chart of charts) {
        chart.state = chart.read();
        chart.show();
        chart.refresh();
      }
    });
    let timer;
    new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => charts.forEach((chart) => chart.resize()), 150);
    }).observe(document.body);
    if (embedded()) new ResizeObserver(announceHeight).observe(document.body);
    addEventListener("scroll", () => tooltip.hide(), { passive: true });
    addEventListener("keydown", (event) => event.key === "Escape" && tooltip.hide());
  }

  // For scripts beside this one, which draw their own answers as charts are drawn
  window.touchstoneCharts = { runtime, written, dark, setIn, tooltip, preference };

  start();
})();
