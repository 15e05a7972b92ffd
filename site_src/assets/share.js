// The share panel: fills the formats of site_src/charts/snippets.py with what a chart shows now, or with a comparison of two. A list of
// the files that it may load stands above this line; markup, formats and words come with the language, what is said of a chart with the
// chart, and what makes pictures when one is wanted.
(() => {
  "use strict";

  const here = document.currentScript.src;
  const root = new URL("../", here);
  const language = document.documentElement.lang;
  const loaded = new Map();

  const load = (address) => {
    if (!loaded.has(address)) {
      const script = document.createElement("script");
      loaded.set(address, new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = () => {
          loaded.delete(address);
          reject(new Error(`${address} could not be loaded`));
        };
      }));
      script.src = address;
      document.head.append(script);
    }
    return loaded.get(address);
  };

  const spoken = () => load(beside(language)).then(() => window.touchstoneSharing[language]);
  const beside = (name) => new URL(touchstoneShareFiles[name], here).href;

  // Words, formats and what is said of a chart
  async function known(id) {
    const [words] = await Promise.all([spoken(), load(new URL(`c/${id}/share.js`, root).href), load(new URL("r/editions.js", root).href).catch(() => {})]);
    return { ...words, chart: window.touchstoneShared[id] };
  }

  // What an edition said of the chart then, by its file; that says it under the name by which the living one is known
  const kept = new Map();
  function frozen(id, edition) {
    const address = new URL(`r/${edition}/c/${id}/share.js`, root).href;
    if (!kept.has(address)) {
      const live = window.touchstoneShared[id];
      const then = load(address).then(() => {
        const found = window.touchstoneShared[id];
        window.touchstoneShared[id] = live;
        return found;
      });
      then.catch(() => kept.delete(address));
      kept.set(address, then);
    }
    return kept.get(address);
  }

  const editions = (id) => Object.entries(window.touchstoneEditions ?? {}).filter(([, charts]) => charts.includes(id)).map(([name]) => name);

  // Formats: as `fill` and `written` in site_src/charts/snippets.py

  const escaped = (text, letters) => [...text].map((letter) => letters[letter] ?? letter).join("");

  function fill(format, values, escapes) {
    const chosen = format.replace(/\[\[(\w+)\|([^]*?)\]\]/g, (_, name, part) => (values[name] ? part : ""));
    return chosen.replace(/\{(\w+)\|(\w+)\}/g, (_, name, escape) => escaped(String(values[name]), escapes[escape]));
  }

  // As `guarded` in site_src/csv_cells.py
  function guarded({ guard, formula, plain }, text) {
    if (!guard) return text;
    const bare = String(text).replaceAll("\u2060", "");
    return bare && (guard + formula).includes(bare[0]) && !new RegExp(`^(?:${plain})$`).test(bare) ? guard + bare : bare;
  }

  function written(form, { head, rows }, values, escapes) {
    const row = (cells) => fill(form.row, { cells: cells.join(form.between) }, escapes);
    return fill(form.whole, {
      ...values,
      head: row(head.map(({ text }) => fill(form.text, { cell: text, value: guarded(form, text) }, escapes))),
      marks: head.map(({ number }) => (number ? form.number_mark : form.text_mark)).join(form.marks_between),
      rows: rows
        .map((cells) => {
          const cell = ({ text, value }, at) => fill(head[at].number ? form.number : form.text, { cell: text, value: guarded(form, value) }, escapes);
          return row(cells.map(cell));
        })
        .join("\n"),
    }, escapes);
  }

  const plain = (element) => element.textContent.replaceAll("\u00ad", "").trim();

  // The table as it stands there: what is left of it, as it is sorted
  function table(chart, silent) {
    const found = chart.table;
    const head = [...found.tHead.rows[0].cells].map((cell) => ({ text: plain(cell), number: cell.classList.contains("ts-number") }));
    const rows = [...found.tBodies[0].rows].filter((row) => !row.hidden);
    const read = (cell, at) => {
      const text = plain(cell);
      return { text, value: cell.querySelector("data")?.value ?? (head[at].number || silent.includes(text) ? "" : text) };
    };
    return { head, rows: rows.map((row) => [...row.cells].map(read)) };
  }

  // The columns that make a post: as `main` in site_src/charts/snippets.py
  function main({ head, rows }, chart, { ranks, most, chart: { columns } }) {
    const value = chart.data.controls.reduce((name, { key, fields }) => fields?.value?.[chart.state[key]] ?? name, chart.data.fields.value);
    const ranked = columns
      .map(([name, part], at) => [ranks[part === "value" && name !== value ? "other" : part], at])
      .filter(([rank, at]) => rank !== undefined && ([ranks.value, ranks.count].includes(rank) || !rows.length || rows.some((row) => row[at].value)))
      .filter(([rank, at]) => rank !== ranks.detail || new Set(rows.map((row) => row[at].text)).size > 1);
    const kept = ranked.sort(([a, i], [b, j]) => a - b || i - j).slice(0, most).map(([, at]) => at).sort((i, j) => i - j);
    const some = (cells) => kept.map((at) => cells[at]);
    return { head: some(head), rows: rows.map(some) };
  }

  // Words put together, as `Locale.say` does

  const put = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const colon = ({ join }, what, text) => put(join.colon, { what, text });
  const noted = ({ join }, text, notes) => (notes.length ? put(join.paren, { text, note: notes.join(" · ") }) : text);

  // State

  const readable = (query) => query.toString().replaceAll("%2C", ",");

  // A part of names of files and citations that says the state
  const slug = (chart) => [...chart.query()].map(([key, value]) => `-${key}-${value}`).join("").replace(/[^\w.-]+/g, "-").slice(0, 80);

  const DRAWN = ["scale", "view", "baseline"]; // they change how a chart is drawn, and no table

  // The choices that are not as they are at first, in words; the legend says which series are shown
  function choices(chart, all, but = []) {
    const said = chart.query();
    const found = [];
    for (const select of chart.controls?.querySelectorAll("select") ?? []) {
      const { key } = select.dataset;
      if (!said.has(key) && !(key === "baseline" && chart.state.view === "relative")) continue;
      if (key === all.chart[language].titled || but.includes(key)) continue; // the title names the former
      const label = select.closest("label").querySelector("span").textContent;
      found.push(colon(all, label, select.selectedOptions[0].textContent));
    }
    return found;
  }

  // Which preset the chart shows; undefined for none
  function preset(chart) {
    const { keys, state, data } = chart;
    const same = (wanted) =>
      state.hide.join() === (wanted.hide ?? "").split(",").filter(Boolean).sort((a, b) => data.series.indexOf(a) - data.series.indexOf(b)).join() &&
      [...keys].every(([key, [first]]) => (key === "baseline" && state.view !== "relative") || state[key] === (wanted[key] ?? first));
    return Object.entries(data.presets ?? {}).find(([, wanted]) => same(wanted))?.[0];
  }

  const shownSeries = (chart) => [...chart.figure.querySelectorAll('.ts-legend > span, .ts-legend button[aria-pressed="true"]:not([hidden])')];

  const MOST_NOTES = 3; // below a picture, as in site_src/figures/base.py
  const SOME = 4; // names that a caption has room for

  // Which series a table leaves out, in words; none for none
  function leftOut(chart, { words, join }) {
    const buttons = [...chart.figure.querySelectorAll(".ts-legend button[data-series]:not([hidden])")];
    const out = buttons.filter((button) => button.getAttribute("aria-pressed") === "false").map(plain);
    if (!out.length) return [];
    if (out.length > SOME) return [put(words.series_shown, { shown: buttons.length - out.length, all: buttons.length })];
    return [put(words.without, { series: out.reduce((first, second) => put(join.comma, { first, second })) })];
  }

  const captions = (told, chart) => told.captions[chart.state[told.titled] ?? ""] ?? Object.values(told.captions)[0];

  // As `values` in site_src/charts/panel.py, of a state
  function values(chart, all, { lang, theme, height, edition }) {
    const told = all.chart[lang];
    const { id } = chart.data;
    const site = location.protocol.startsWith("http") ? root.href : all.chart.base;
    const base = edition ? `${site}r/${edition}/` : site;
    const query = readable(chart.query());
    const named = preset(chart);
    const picture = (kind) => `${base}c/${id}/${lang}${named ? `-${named}` : ""}${kind}.svg`;
    const chosen = theme === "auto" ? "" : theme;
    const dark = (kind) => (named || kind ? `${picture(kind)}#dark` : picture("-dark"));
    const themed = (kind) => (chosen === "dark" ? dark(kind) : picture(kind));
    // the picture of another state shows the default view, whose sentence may name what is hidden now
    const title = named ? told.presets[named].title : query ? told.heading : told.title;
    const found = {
      title,
      credit: told.credit,
      width: told.width,
      picture_height: (named && told.presets[named].picture_height) || told.picture_height,
      state: named ? `-${named}` : slug(chart),
      id, lang, base, query,
      theme: chosen,
      page: `${base}${lang}/c/${id}/${query && `?${query}`}`,
      embed: `${base}c/${id}/embed.html?lang=${lang}${chosen && `&theme=${chosen}`}${query && `&${query}`}`,
      spec: `${base}c/${id}/spec.${lang}.json`,
      svg: themed(""),
      both: chosen ? "" : dark(""),
      narrow: named ? "" : themed("-narrow"), // a named view has none for phones
      narrow_both: named || chosen ? "" : dark("-narrow"),
      narrow_width: told.narrow_width,
      narrow_height: told.narrow_height,
      height,
      caption: noted(all, captions(all.chart[language], chart), [...choices(chart, all, DRAWN), ...leftOut(chart, all)]),
      colon: colon(all, "", ""),
    };
    return { ...found, bib: fill(told.bib, found, all.escapes) };
  }

  // What a picture of now says: as `Order` in site_src/charts/pictures.py, whose notes are those of `Figure.pictured`
  function order(chart, all, theme) {
    const told = all.chart[language];
    const subtitle = captions(told, chart);
    const chosen = choices(chart, all);
    const held = (wanted) => wanted && Object.entries(wanted).every(([key, value]) => chart.state[key] === value);
    const remarks = [...chart.figure.querySelectorAll(".ts-notes li, .ts-conditions li")];
    const own = remarks.filter((_, at) => held(told.pictured[at])); // null for a note of pages alone
    const general = (note) => !Object.keys(told.pictured[remarks.indexOf(note)]).length;
    const notes = own.sort((one, other) => general(one) - general(other)).slice(0, MOST_NOTES); // those on this state first
    const series = shownSeries(chart).map((entry) => ({ name: plain(entry), shapes: entry.querySelectorAll(`.ts-swatch .ts-${theme}`) }));
    const about = noted(all, subtitle, chosen);
    const names = series.map(({ name }) => name);
    const listed = names.length ? colon(all, about, names.reduce((first, second) => put(all.join.comma, { first, second }))) : about;
    const { page } = values(chart, all, { lang: language, theme, height: 0 });
    const address = page.split("://")[1]; // none from a file: it would lead nowhere
    return {
      title: chart.said(),
      subtitle,
      series,
      choices: chosen.join(" · "),
      small: [...notes.map(plain), told.credit, ...(address ? [address] : [])],
      desc: listed,
    };
  }

  // Code that does not scroll is no stop for the keyboard; its button is one. All are measured at once, when they are laid out
  const due = new Set();
  function stop(code) {
    if (!due.size) requestAnimationFrame(stops);
    due.add(code);
  }
  function stops() {
    const scrolls = [...due].map((code) => [code, code.scrollWidth > code.clientWidth || code.scrollHeight > code.clientHeight]);
    due.clear();
    for (const [code, scroll] of scrolls) {
      if (scroll) code.tabIndex = 0;
      else if (code !== document.activeElement) code.removeAttribute("tabindex");
    }
  }

  // The panel

  class Panel {
    constructor(element, all) {
      Object.assign(this, { element, all });
      this.said = this.part("said");
      this.part("theme").addEventListener("input", () => this.fill());
      const sized = new ResizeObserver((found) => found.forEach(({ target }) => stop(target)));
      for (const code of this.ways) {
        this.copyable(code);
        sized.observe(code);
      }
      for (const part of element.querySelectorAll(".ts-share-choices, .ts-share-export")) part.hidden = false;
      this.tab();
    }

    get ways() {
      return this.element.querySelectorAll("[data-way]");
    }

    put(code, text) {
      if (code.textContent !== text) code.textContent = text;
      stop(code);
    }

    part(name) {
      return this.element.querySelector(`[data-share="${name}"]`);
    }

    // One tab at a time, by pointer and by arrow keys
    tab() {
      const parts = [...this.element.querySelectorAll(".ts-tab")];
      const list = document.createElement("div");
      list.className = "ts-tabs";
      list.setAttribute("role", "tablist");
      const tabs = parts.map((part) => {
        const tab = Object.assign(document.createElement("button"), { type: "button", id: `ts-tab-${part.dataset.tab}`, textContent: part.dataset.label });
        tab.setAttribute("role", "tab");
        part.setAttribute("role", "tabpanel");
        part.setAttribute("aria-labelledby", tab.id);
        list.append(tab);
        return tab;
      });
      const choose = (at) => {
        tabs.forEach((tab, index) => {
          tab.setAttribute("aria-selected", String(index === at));
          tab.tabIndex = index === at ? 0 : -1;
          parts[index].hidden = index !== at;
        });
        parts[at].querySelectorAll("[data-way]").forEach(stop);
      };
      list.addEventListener("click", ({ target }) => tabs.includes(target) && choose(tabs.indexOf(target)));
      list.addEventListener("keydown", (event) => {
        const on = document.documentElement.dir === "rtl" ? -1 : 1;
        const at = tabs.indexOf(document.activeElement);
        const to = { ArrowRight: at + on, ArrowLeft: at - on, Home: 0, End: tabs.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        choose((to + tabs.length) % tabs.length);
        tabs[(to + tabs.length) % tabs.length].focus();
      });
      parts[0].before(list);
      choose(0);
    }

    say(text) {
      this.said.textContent = "";
      setTimeout(() => (this.said.textContent = text), 50); // the same words again are news too
    }

    copyable(code) {
      const { words } = this.all;
      const button = Object.assign(document.createElement("button"), { type: "button", className: "ts-share-copy", textContent: words.copy });
      const name = code.getAttribute("aria-label");
      button.setAttribute("aria-label", colon(this.all, words.copy, name));
      button.addEventListener("click", async () => {
        this.fill(); // a table may have been sorted since
        let done = words.copied;
        try {
          await touchstoneSite.copied(code.textContent, this.element);
        } catch {
          done = words.copy_failed;
          getSelection().selectAllChildren(code);
        }
        button.textContent = done;
        setTimeout(() => (button.textContent = words.copy), 2500);
        button.focus({ preventScroll: true });
        this.say(colon(this.all, name, done));
      });
      code.parentElement.querySelector("h4").after(button);
    }
  }

  class ChartPanel extends Panel {
    constructor(element, chart, all) {
      super(element, all);
      this.chart = chart;
      const [lang, height] = [this.part("lang"), this.part("height")];
      const usual = () => (height.value = all.chart[lang.value].height);
      lang.addEventListener("input", usual);
      height.addEventListener("change", () => (height.value = this.choice.height)); // what is not in its range is not taken
      for (const name of ["lang", "height", "columns"]) this.part(name).addEventListener("input", () => this.fill());
      for (const button of element.querySelectorAll("[data-export]")) button.addEventListener("click", () => this.export(button.dataset.export));
      const relative = this.part("relative");
      if (relative && location.protocol.startsWith("http")) relative.hidden = true;
      this.versions();
      usual();
      this.fill();
    }

    get choice() {
      const lang = this.part("lang").value;
      const { value, min, max } = this.part("height");
      const height = value.trim() ? Math.min(max, Math.max(min, Math.round(Number(value)))) : this.all.chart[lang].height;
      return { lang, theme: this.part("theme").value, height, edition: this.edition };
    }

    // Offers the editions that have the chart
    versions() {
      const choice = this.part("edition");
      const names = editions(this.chart.data.id);
      choice.append(...names.map((name) => new Option(name)));
      choice.closest("label").hidden = !names.length;
      choice.addEventListener("input", async () => {
        const { value } = choice;
        const then = value && (await frozen(this.chart.data.id, value).catch(() => null));
        if (choice.value !== value) return; // another was chosen meanwhile
        this.edition = then ? (choice.value = value) : (choice.value = "");
        this.then = then && { ...this.all, chart: { ...then, base: this.all.chart.base } };
        this.fill();
      });
    }

    fill() {
      const { chart, all } = this;
      chart.show();
      const found = values(chart, this.then || all, this.choice);
      const live = this.then ? values(chart, all, { ...this.choice, edition: "" }) : found; // tables have what is shown here
      const whole = table(chart, all.chart[language].absent);
      const few = this.part("columns").value === "main" ? main(whole, chart, all) : whole;
      for (const code of this.ways) {
        const { way } = code.dataset;
        const form = all.tables[way];
        const text = form ? written(form, way === "table_csv" ? whole : few, live, all.escapes) : fill(all.formats[way], found, all.escapes);
        this.put(code, text);
      }
      this.tell(live);
    }

    // Which state the fixed pictures show, and where tables and pictures in another language are
    tell({ page, lang, query }) {
      const { words, join, chart } = this.all;
      const named = preset(this.chart);
      const told = this.part("told");
      const parts = [];
      if (query) parts.push(named ? put(words.state_preset, { name: chart[language].presets[named]?.label ?? named }) : words.state_default);
      if (lang !== language) {
        const name = this.part("lang").selectedOptions[0].textContent;
        const link = Object.assign(document.createElement("a"), { href: new URL(`${lang}/c/${this.chart.data.id}/${query && `?${query}`}#share`, root).href });
        link.textContent = name;
        link.lang = link.hreflang = lang;
        const [before, after] = words.elsewhere.split("{language}");
        parts.push(before, link, after);
      }
      const between = put(join.sentences, { first: "", second: "" });
      told.replaceChildren(...parts.flatMap((part, at) => (at === 1 && query ? [between, part] : [part])));
      told.hidden = !parts.length;
    }

    async export(kind) {
      const { chart, all } = this;
      const theme = this.choice.theme === "dark" ? "dark" : "light";
      const name = `${chart.data.id}${slug(chart)}${kind === "png2" ? "@2x" : ""}.${kind === "svg" ? "svg" : "png"}`;
      try {
        await load(beside("share_picture.js"));
        chart.show();
        await touchstonePicture.save(chart, order(chart, all, theme), { kind, name, theme, look: all.look });
        this.say(put(all.words.saved, { name }));
      } catch (error) {
        this.say(all.words.export_failed);
        console.warn(`${chart.data.id}: ${error.message}`);
      }
    }
  }

  // A comparison of two: its address, its card if it has one, and a frame that shows the page itself (compare_frame.js)
  class PairPanel extends Panel {
    constructor(element, title, all, card) {
      const ways = new Set(["link", "iframe", ...(card ? ["markdown"] : [])]);
      for (const code of element.querySelectorAll("[data-way]")) if (!ways.has(code.dataset.way)) code.closest(".ts-way").remove();
      for (const part of element.querySelectorAll("h3, .ts-share-export, label:not(:has([data-share=theme])), .ts-tab:not(:has([data-way]))")) part.remove();
      super(element, all);
      Object.assign(this, { title, card });
      this.fill();
    }

    fill() {
      const page = location.href.replace(location.hash, "");
      const last = [this.title, ...document.querySelectorAll(".ts-vs:first-of-type, .ts-vs ~ .ts-note")].at(-1);
      const found = {
        page, base: root.href,
        title: this.title.textContent.replaceAll("\u2060", ""),
        svg: this.card && new URL(this.card, page).href,
        embed: `${page}${location.search ? "&" : "?"}embed=${this.part("theme").value}`,
        height: Math.ceil((last.getBoundingClientRect().bottom - this.title.getBoundingClientRect().top) / 10) * 10,
      };
      for (const code of this.ways) this.put(code, fill(this.all.formats[code.dataset.way], found, this.all.escapes));
    }
  }

  async function follow(element) {
    const [chart, all] = await Promise.all([window.touchstoneCharts.tabled(element.dataset.chart), known(element.dataset.chart)]);
    const panel = new ChartPanel(element, chart, all);
    for (const event of ["touchstone:change", "click"]) chart.figure.addEventListener(event, () => setTimeout(() => panel.fill()));
    return panel;
  }

  const style = (address) =>
    document.querySelector(`link[href="${address}"]`) ? Promise.resolve() : new Promise((resolve) => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address, onload: resolve, onerror: resolve });
      document.head.append(link);
    });

  // What the dialog of a link says, and how its panel is filled
  async function asked(link) {
    const figure = link.closest("figure"); // the chart's own, or that of its picture at the head of a report
    if (!figure) {
      const [all, title] = [await spoken(), document.querySelector("h1")];
      return { all, said: title.textContent, panel: (inner) => new PairPanel(inner, title, all, link.dataset.card) };
    }
    const id = figure.dataset.chart ?? figure.id;
    const [chart, all] = await Promise.all([window.touchstoneCharts.tabled(id), known(id)]);
    return { all, said: all.chart[language].title, panel: (inner) => new ChartPanel(inner, chart, all) };
  }

  async function open(link) {
    const [{ all, said, panel }] = await Promise.all([asked(link), style(beside("share.css"))]);
    if (document.querySelector(".ts-share-dialog")) return; // pressed twice before it came
    const dialog = Object.assign(document.createElement("dialog"), { className: "ts-share-dialog" });
    const title = Object.assign(document.createElement("h2"), { id: "ts-share-title", textContent: said });
    const word = Object.assign(document.createElement("span"), { id: "ts-share-word", textContent: plain(link) });
    const close = Object.assign(document.createElement("button"), { type: "button", className: "ts-share-close", textContent: all.words.close });
    const inner = document.createElement("div");
    inner.className = "ts-sharing";
    inner.innerHTML = all.html; // the build's own words
    const bar = document.createElement("div");
    bar.className = "ts-share-bar";
    bar.append(word, close);
    dialog.append(bar, title, inner);
    dialog.setAttribute("aria-labelledby", `${word.id} ${title.id}`);
    document.body.append(dialog);
    panel(inner);
    close.addEventListener("click", () => dialog.close());
    const opened = performance.now();
    // the second press of a double click falls on what has just come
    dialog.addEventListener("click", (event) => event.target === dialog && performance.now() - opened > 700 && dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      link.focus(); // some browsers give a pressed link no focus to go back to
    });
    dialog.showModal();
    dialog.scrollTop = 0; // Firefox remembers how far the one before was scrolled
    close.focus();
  }

  window.touchstoneShare = { open, follow };
})();
