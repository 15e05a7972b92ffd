// Makes a chart's picture interactive: legend, choices, state in the address, dark and light, numbers in the page's language.
// Plain script without modules: it must run from file:// and in sandboxed frames, whose origin no server answers. The rules for
// choosing rows are those of `Figure.rows` in site_src/figures/base.py; a test holds the two against each other.
// Pages, frames (embed.html) and the element of touchstone-chart.js each have a part of their own behind this one; a `place` says how
// they differ: its `charts` and `tooltip`, whether it is `dark()`, how state is read (`query()`) and written (`write(query)`), what
// else follows a chart's state (`shown(chart)`), whether it has `several`, and whether a picture may stay (`still(chart)`).
(() => {
  "use strict";

  const script = document.currentScript;
  const runtimeAddress = new URL(script.dataset.runtime, document.baseURI).href;
  const loading = {};

  // What a script puts below its address in one of the window's names; each is loaded once

  async function brought(name, address) {
    if (!window[name]?.[address]) {
      await (loading[address] ??= new Promise((resolve, reject) => {
        const element = document.createElement("script");
        element.charset = "utf-8"; // the page around an element may have another
        element.src = address;
        element.onload = resolve;
        element.onerror = () => reject(new Error(`${address} could not be loaded`));
        document.head.append(element);
      }));
    }
    return window[name][address];
  }

  // The runtime, when the first chart comes into view
  const runtime = () => brought("touchstoneRuntimes", runtimeAddress);

  // Numbers as the language writes them: decimal sign, groups and minus are those of the page's d3 locale

  function written(value, decimals, format) {
    const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
    const groups = whole.replace(/\B(?=(...)+$)/g, format.thousands);
    const sign = Number(value.toFixed(decimals)) < 0 ? format.minus : "";
    return sign + groups + (rest ? format.decimal + rest : "");
  }

  // Three, and of small ratios as many as show three digits, as Figure's are written
  const relativeDecimals = (value) => Math.max(3, 2 - Number(value.toExponential().split("e")[1]));

  const preference = matchMedia("(prefers-color-scheme: dark)");

  const present = (value) => value !== null && value !== undefined;

  // What a row says: each has its own, or the index of what several share
  const textOf = (texts, index) => (texts.words ? texts.words[texts.rows[index]] : texts[index]);

  function setIn(target, path, value) {
    let place = target;
    for (const step of path.slice(0, -1)) place = place[step];
    if (value === null) delete place[path.at(-1)];
    else place[path.at(-1)] = value;
  }

  // What the pointer is on: lines that were written when the page was built, as text

  const tooltipIn = (layer) => ({
    layer,
    show(_handler, event, _item, value) {
      if (!value) return this.hide();
      this.element ??= Object.assign(document.createElement("div"), { className: "ts-tooltip" });
      if (this.element.parentNode !== this.layer) this.layer.append(this.element);
      const text = typeof value === "object" ? Object.values(value).join("\n") : String(value);
      if (this.element.textContent !== text) this.element.textContent = text;
      this.element.setAttribute("aria-hidden", "true");
      this.element.hidden = false;
      const { style } = this.element;
      style.left = style.top = "0";
      // zero is the window's corner, unless something around the element that it stands in has been moved or turned
      const { left: x, top: y, width, height } = this.element.getBoundingClientRect();
      const right = document.documentElement.clientWidth;
      const left = Math.max(4, Math.min(event.clientX + 14, right - width - 4));
      const below = event.clientY + 16;
      const top = below + height > innerHeight ? Math.max(4, event.clientY - height - 12) : below;
      style.left = `${left - x}px`;
      style.top = `${top - y}px`;
    },
    hide() {
      if (this.element) this.element.hidden = true;
    },
  });

  // State in the address of the page or the frame; `keep` is how its history takes it

  const readable = (query) => query.toString().replaceAll("%2C", ",");

  const addressed = (keep) => ({
    query: () => new URLSearchParams(location.search),
    write(query) {
      const text = readable(query);
      if (`?${text}` === (location.search || "?")) return;
      try {
        history[keep](history.state, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
      } catch {
        // without an address of its own, or asked too often: the chart has its state all the same
      }
    },
  });

  class Chart {
    constructor(figure, data, place) {
      this.figure = figure;
      this.at = place;
      this.data = data;
      this.short = figure.dataset.short;
      this.slot = figure.querySelector(".ts-picture");
      this.controls = figure.querySelector(".ts-controls");
      this.legend = figure.querySelector(".ts-legend");
      this.status = figure.querySelector(".ts-status");
      this.headline = figure.querySelector(".ts-headline");
      this.first = { html: this.headline?.innerHTML, text: this.slot.querySelector("img").alt };
      this.keys = new Map(Object.entries(data.keys));
      this.state = this.read();
      this.wire();
    }

    // Made when it is first drawn: a page has many charts, of which most are never seen
    get rows() {
      this.told ??= Array.from({ length: this.data.count }, (_, index) => {
        const row = { ...this.data.same };
        const { columns, texts } = this.data;
        for (const [name, told] of Object.entries({ ...columns, ...texts })) row[name] = textOf(told, index);
        row.tip = this.tip(row, index);
        return row;
      });
      return this.told;
    }

    // What the pointer tells of a row: as `tips` in site_src/charts/payload.py packs it

    tip(row, index) {
      const { tips, formats } = this.data;
      const lines = [];
      for (const [heading, told] of tips) {
        let text = told;
        if (told?.column) text = told.pattern.replace("{n}", written(row[told.column], told.decimals, formats.number));
        else if (told instanceof Object) text = textOf(told, index);
        if (text !== null) lines.push(`${heading}: ${text}`);
      }
      return lines.join("\n");
    }

    // State: keys and values are words that stand in addresses; what is unknown is left aside

    read() {
      const said = this.at.query();
      const get = (key) => said.get(`${this.short}.${key}`) ?? said.get(key);
      const preset = this.data.presets?.[get("preset")] ?? {};
      const state = {};
      for (const [key, choices] of this.keys) {
        state[key] = [get(key), preset[key]].find((value) => choices.includes(value)) ?? choices[0];
      }
      const hidden = (get("hide") ?? preset.hide ?? "").split(",");
      state.hide = this.data.series.filter((id) => hidden.includes(id));
      if (state.hide.length === this.data.series.length) state.hide = []; // an address that leaves nothing to see asks for nothing
      return state;
    }

    // What of the state is not as it is at first
    query() {
      const said = new URLSearchParams();
      for (const [key, choices] of this.keys) {
        const idle = key === "baseline" && this.state.view !== "relative";
        if (this.state[key] !== choices[0] && !idle) said.set(key, this.state[key]);
      }
      if (this.state.hide.length) said.set("hide", this.state.hide.join(","));
      return said;
    }

    knows(key, value) {
      if (value === null) return false;
      if (key === "preset") return Object.hasOwn(this.data.presets ?? {}, value);
      if (key === "hide") return !value || value.split(",").some((id) => this.data.series.includes(id));
      return this.keys.get(key).includes(value);
    }

    write() {
      const said = this.at.query();
      const { charts } = this.at;
      const spent = new Set();
      for (const chart of charts) {
        const own = chart.query();
        for (const key of [...chart.keys.keys(), "hide", "preset"]) {
          const prefixed = `${chart.short}.${key}`;
          // an unprefixed key speaks to every chart of a page: from now on each has what it said under its own name
          const [name, other] = this.at.several ? [prefixed, key] : [key, prefixed];
          if (own.has(key)) said.set(name, own.get(key));
          else if (chart.knows(key, said.get(name))) said.delete(name);
          if (chart.knows(key, said.get(other))) spent.add(other);
        }
      }
      for (const name of spent) said.delete(name);
      this.at.write(said);
    }

    // Rows of a state

    field(channel) {
      for (const control of this.data.controls) {
        if (control.fields?.[channel]) return control.fields[channel][this.state[control.key]];
      }
      return this.data.fields[channel];
    }

    // Whether the controls leave a row in, by its value in each column that they filter by
    keeps(valueIn) {
      return this.data.controls.every(({ key, filters, every }) => {
        const value = filters && valueIn(filters);
        return !present(value) || [every, String(value)].includes(this.state[key]);
      });
    }

    drawn() {
      const { data, state } = this;
      const name = this.field("value");
      const kept = this.rows.filter((row) => this.keeps((column) => row[column]));
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
      const divided = (value) => (present(value) ? value / reference : value);
      const value = divided(row.value);
      const text = words.times.replace("{n}", written(value, relativeDecimals(value), formats.number));
      return { ...row, value, beside: divided(row.beside), low: divided(row.low), high: divided(row.high), text };
    }

    // The headline: what it says is of the rows that are drawn, as `Figure.decides` and `headlines` in site_src/figures have it

    // What of the state chooses rows or their figures, in the order in which the headlines' keys have it
    decides() {
      const said = this.query();
      if (said.has("view")) said.set("baseline", this.state.baseline);
      for (const key of this.data.aside) said.delete(key);
      said.sort();
      return said;
    }

    // Of a state without one: what is said of all series, and of values that are relative to none
    said(decides = this.decides()) {
      const { headlines, words } = this.data;
      const found = headlines?.[decides];
      if (found) return found;
      for (const [key, text] of [["hide", words.hidden], ["baseline", words.absolute]]) {
        if (!decides.has(key)) continue;
        decides.delete(key);
        return text.replace("{headline}", () => this.said(decides));
      }
      return this.first.text;
    }

    // Drawing

    // Of the rows in a theme and a width, for exports too; else as it stands here
    specification(rows = this.drawn(), { theme = this.at.dark() ? "dark" : "light", width = this.room() } = {}) {
      const { data, state } = this;
      const spec = structuredClone(data.spec);
      for (const [when, places] of data.patches) {
        if (Object.entries(when).every(([key, value]) => state[key] === value)) {
          for (const [path, value] of places) setIn(spec, path, structuredClone(value));
        }
      }
      if (theme === "dark") for (const [path, value] of data.dark) setIn(spec, path, value);
      spec.data.find((each) => each.name === "rows").values = rows;
      spec.width = width;
      if (this.tall && !data.line) spec.height = Math.max(spec.height, this.tall);
      if (data.line) spec.height = new Set(rows.map((row) => row.category)).size * data.line + data.margin;
      return spec;
    }

    room() {
      return Math.max(240, Math.floor(this.slot.getBoundingClientRect().width));
    }

    async draw(announce) {
      const wanted = (this.wanted = (this.wanted ?? 0) + 1);
      try {
        const { draw } = await runtime();
        if (wanted !== this.wanted) return;
        const { tooltip } = this.at;
        this.width = this.room();
        const place = document.createElement("div");
        const { number, time } = this.data.formats;
        const said = () => (this.status.textContent = tooltip.element.textContent);
        const view = await draw(place, this.specification(), { number, time, said, tooltip: (...event) => tooltip.show(...event) });
        if (wanted !== this.wanted) {
          view.finalize();
          return;
        }
        this.place?.remove();
        this.view?.finalize();
        tooltip.hide();
        this.view = view;
        this.place = place;
        this.inFront = undefined;
        place.className = "ts-live";
        place.setAttribute("role", "img");
        place.setAttribute("aria-label", this.said());
        // the label is the chart's sentence and the table has its figures; Vega's own words for its marks are English
        place.removeAttribute("aria-roledescription");
        place.firstElementChild.setAttribute("aria-hidden", "true");
        this.slot.append(place);
        this.figure.dataset.state = "interactive";
        for (const part of [this.controls, this.legend]) part?.removeAttribute("hidden");
        this.show();
        if (announce) this.status.textContent = this.data.words.changed;
      } catch (error) {
        // the picture and the table stay as they are
        this.figure.dataset.state = "picture";
        this.status.textContent = this.figure.querySelector(".ts-numbers")?.dataset.failed ?? "";
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
        // a series of which the choices leave nothing has no button: no row, or no figure where the usual choice has one
        button.hidden = !this.rows.some(
          (row) =>
            row.series === button.dataset.series &&
            this.keeps((column) => row[column]) &&
            Object.entries(data.fields).every(([channel, usual]) => present(row[this.field(channel)]) || !present(row[usual])),
        );
      });
      const reset = this.controls?.querySelector(".ts-reset");
      if (reset) reset.hidden = !String(this.query());
      const { headline } = this;
      const before = headline?.textContent;
      if (headline && String(this.decides())) headline.textContent = this.said();
      else if (headline) headline.innerHTML = this.first.html;
      // where the chart is what the page or the frame is about
      if (headline?.tagName === "H1" && before !== headline.textContent) document.title = document.title.replace(this.titled ?? this.first.text, this.said());
      this.titled = this.said();
      this.at.shown(this);
    }

    change(changes) {
      Object.assign(this.state, changes);
      this.write();
      this.follow(true);
    }

    // After the state has changed
    follow(announce) {
      this.show();
      this.figure.dispatchEvent(new CustomEvent("touchstone:change", { bubbles: true, composed: true }));
      if (announce) this.draw(announce);
      else this.refresh();
    }

    // The address may say something else now
    reread() {
      const before = JSON.stringify(this.state);
      this.state = this.read();
      if (JSON.stringify(this.state) !== before) this.follow();
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
        if (event.shiftKey || event.ctrlKey || event.metaKey) this.toggle(id);
        else this.only(id);
      });
      const pointed = (target) => target.closest("button")?.dataset.series ?? target.__data__?.datum?.series;
      for (const part of [this.legend, this.slot]) {
        for (const name of ["pointerover", "focusin"]) part?.addEventListener(name, ({ target }) => this.front(pointed(target)));
        for (const name of ["pointerleave", "focusout"]) part?.addEventListener(name, () => this.front());
      }
      this.slot.addEventListener("click", ({ target }) => target.tagName === "text" && this.only(pointed(target)));
    }

    // One series alone, by its entry of the legend or its name in the chart; once more, and all are back
    only(id) {
      const others = this.buttons().map((button) => button.dataset.series).filter((each) => each !== id);
      if (!id || !others.length) return;
      const alone = others.every((each) => this.state.hide.includes(each)) && !this.state.hide.includes(id);
      this.change({ hide: alone ? [] : this.data.series.filter((each) => each !== id) });
    }

    // With a key held: one more or one less
    toggle(id) {
      const { series } = this.data;
      const hide = series.filter((each) => this.state.hide.includes(each) !== (each === id));
      // at least one series stays, or there would be no axes
      if (hide.length < series.length) this.change({ hide });
    }

    // The series that the choices leave something of
    buttons() {
      return [...(this.legend?.querySelectorAll("button:not([hidden])") ?? [])];
    }

    // One series in front of all others; none: as they are drawn
    front(id) {
      if (this.inFront === id || (id && (!this.buttons().length || this.state.hide.includes(id)))) return;
      this.inFront = id;
      const labels = new Map(this.rows.map((row) => [row.label, row.series])); // which is all that a band knows
      for (const mark of this.place?.querySelectorAll("svg *") ?? []) {
        const { label, series = labels.get(label) } = mark.__data__?.datum ?? {};
        if (series && !mark.__data__.items) mark.style.opacity = id && series !== id ? 0.15 : "";
      }
    }

    refresh() {
      if (this.seen && !this.at.still?.(this)) this.draw();
    }

    resize() {
      if (this.view ? this.room() !== this.width : !this.wanted) this.refresh();
    }
  }

  // A chart is drawn when it comes near the window, and again when its room or the theme changes

  const near = new WeakMap();
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        near.get(target).seen = true;
        near.get(target).refresh();
      }
    },
    { rootMargin: "300px 0px" },
  );

  function stand(figure, data, place) {
    const chart = new Chart(figure, data, place);
    place.charts.push(chart);
    near.set(chart.slot, chart);
    seen.observe(chart.slot);
    return chart;
  }

  // From now on a place's charts follow their room in `element` and the device's colours, until what is returned is aborted

  function attend(place, element) {
    const ending = new AbortController();
    const { signal } = ending;
    const hide = () => place.tooltip.hide();
    let timer;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => place.charts.forEach((chart) => chart.resize()), 150);
    });
    observer.observe(element);
    signal.addEventListener("abort", () => observer.disconnect());
    preference.addEventListener("change", () => place.charts.forEach((chart) => chart.refresh()), { signal });
    addEventListener("scroll", hide, { passive: true, signal });
    addEventListener("keydown", (event) => event.key === "Escape" && hide(), { signal });
    return ending;
  }

  // For the parts behind this one, by the file's address: of two versions on one page each finds its own

  const published = { addressed, attend, brought, preference, readable, runtime, seen, setIn, stand, tooltipIn, written };
  (window.touchstoneChartsAt ??= {})[script.src] ??= published;
})();
