// The share panel: fills the formats of site_src/share_snippets.py with what a chart shows now, and makes pictures of it. A list of the
// files of each language stands above this line; markup, formats and words come with the language, what is said of a chart with the chart.
(() => {
  "use strict";

  const here = document.currentScript.src;
  const root = new URL("../", here);
  const { find, runtime } = window.touchstoneCharts;
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

  // Words, formats and what is said of a chart
  async function known(id) {
    const files = touchstoneShareFiles;
    await Promise.all([load(new URL(files[language], here).href), load(new URL(`c/${id}/share.js`, root).href)]);
    return { ...window.touchstoneSharing[language], chart: window.touchstoneShared[id] };
  }

  // Formats: as `fill` and `written` in site_src/share_snippets.py

  const escaped = (text, letters) => [...text].map((letter) => letters[letter] ?? letter).join("");

  function fill(format, values, escapes) {
    const chosen = format.replace(/\[\[(\w+)\|([^]*?)\]\]/g, (_, name, part) => (values[name] ? part : ""));
    return chosen.replace(/\{(\w+)\|(\w+)\}/g, (_, name, escape) => escaped(String(values[name]), escapes[escape]));
  }

  function written(form, { head, rows }, values, escapes) {
    const row = (cells) => fill(form.row, { cells: cells.join(form.between) }, escapes);
    return fill(form.whole, {
      ...values,
      head: row(head.map(({ text }) => fill(form.text, { cell: text, value: text }, escapes))),
      marks: head.map(({ number }) => (number ? form.number_mark : form.text_mark)).join(form.marks_between),
      rows: rows
        .map((cells) => row(cells.map(({ text, value }, at) => fill(head[at].number ? form.number : form.text, { cell: text, value }, escapes))))
        .join("\n"),
    }, escapes);
  }

  const plain = (element) => element.textContent.replaceAll("\u00ad", "").trim();

  // The table as it stands there: what is left of it, as it is sorted
  function table(chart, silent) {
    const found = chart.figure.querySelector("table.ts-table");
    const head = [...found.tHead.rows[0].cells].map((cell) => ({ text: plain(cell), number: cell.classList.contains("ts-number") }));
    const rows = [...found.tBodies[0].rows].filter((row) => !row.hidden);
    const read = (cell, at) => {
      const text = plain(cell);
      return { text, value: cell.querySelector("data")?.value ?? (head[at].number || silent.includes(text) ? "" : text) };
    };
    return { head, rows: rows.map((row) => [...row.cells].map(read)) };
  }

  // The columns that make a post: as `main` in site_src/share_snippets.py
  function main({ head, rows }, chart, { ranks, most, chart: { columns } }) {
    const value = chart.data.controls.reduce((name, { key, fields }) => fields?.value?.[chart.state[key]] ?? name, chart.data.fields.value);
    const ranked = columns
      .map(([name, part], at) => [ranks[part === "value" && name !== value ? "other" : part], at])
      .filter(([rank, at]) => rank !== undefined && (rank !== ranks.detail || new Set(rows.map((row) => row[at].text)).size > 1));
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

  // As `values` in site_src/share_panel.py, of a state
  function values(chart, all, { lang, theme, height }) {
    const told = all.chart[lang];
    const { id } = chart.data;
    const base = location.protocol.startsWith("http") ? root.href : all.chart.base;
    const query = readable(chart.query());
    const named = preset(chart);
    const picture = (dark) => `${base}c/${id}/${lang}${named ? `-${named}` : ""}${dark}.svg`;
    const chosen = theme === "auto" ? "" : theme;
    const found = {
      title: told.title,
      // the picture of another state shows the default view, whose sentence may name what is hidden now
      alt: named ? told.presets[named].alt : query ? told.title : told.alt,
      credit: told.credit,
      width: told.width,
      picture_height: (named && told.presets[named].picture_height) || told.picture_height,
      state: named ? `-${named}` : slug(chart),
      id, lang, base, query,
      theme: chosen,
      page: `${base}${lang}/c/${id}/${query && `?${query}`}`,
      embed: `${base}c/${id}/embed.html?lang=${lang}${chosen && `&theme=${chosen}`}${query && `&${query}`}`,
      spec: `${base}c/${id}/spec.${lang}.json`,
      svg: picture(chosen === "dark" ? "-dark" : ""),
      both: chosen ? "" : picture("-dark"),
      height,
      caption: noted(all, captions(all.chart[language], chart), [...choices(chart, all, DRAWN), ...leftOut(chart, all)]),
      colon: colon(all, "", ""),
    };
    return { ...found, bib: fill(told.bib, found, all.escapes) };
  }

  // Pictures: the chart of now in the frame of `frame` in site_src/share_pictures.py

  const letters = (text) => [...text].reduce((sum, one) => sum + (one.codePointAt(0) >= 0x2e80 ? 1 : " .,:;'|ilj()·".includes(one) ? 0.3 : 0.58), 0);

  function wrap(text, width, height) {
    const found = [""];
    for (const [piece] of text.matchAll(/[^ \n\t\u2e80-\uffef]+[ \n\t]*|[ \n\t]+|[\u2e80-\uffef]\s*/g)) {
      if (found.at(-1) && letters(found.at(-1) + piece.trimEnd()) > width / height) found.push("");
      found[found.length - 1] += piece;
    }
    return found.map((line) => line.trim()).filter(Boolean);
  }

  const xml = (text) => escaped(text, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" });

  async function drawing(chart, theme, width) {
    const { draw } = await runtime();
    const { number, time } = chart.data.formats;
    const view = await draw(document.createElement("div"), chart.specification(chart.drawn(), { theme, width }), { number, time, tooltip() {} });
    try {
      return await view.toSVG();
    } finally {
      view.finalize();
    }
  }

  // The shown series with their shapes, in lines
  function legend(chart, theme, { left, top, width, look }) {
    let [x, y] = [left, top];
    const parts = shownSeries(chart).map((entry) => {
      const name = plain(entry);
      const room = 24 + letters(name) * 15 + 16;
      if (x > left && x + room > left + width) [x, y] = [left, y + 22];
      const shape = entry.querySelector(`.ts-swatch .ts-${theme}`).cloneNode();
      shape.removeAttribute("class");
      const drawn = `<g transform="translate(${x} ${y})">${new XMLSerializer().serializeToString(shape)}`;
      const text = `<text x="22" y="13" font-family="${look.font}" font-size="13" fill="${look.ink[theme]}">${xml(name)}</text></g>`;
      x += room;
      return drawn + text;
    });
    return { drawn: parts.join(""), bottom: parts.length ? y + 24 : top };
  }

  async function picture(chart, all, theme) {
    const { look } = all;
    const told = all.chart[language];
    chart.show();
    const pad = 16;
    const inner = await drawing(chart, theme, look.width);
    const [width, height] = ["width", "height"].map((name) => Math.round(Number(inner.match(new RegExp(`<svg[^>]*? ${name}="([\\d.]+)"`))[1])));
    const rtl = document.documentElement.dir === "rtl";
    const title = captions(told, chart);
    const said = choices(chart, all);
    const { page } = values(chart, all, { lang: language, theme, height: 0 });
    const set = (lines, y, [size, step, weight, colour]) =>
      lines
        .map((line, at) => `<text x="${rtl ? pad + width : pad}" y="${y + step * at}" text-anchor="start" font-family="${look.font}" font-size="${size}" font-weight="${weight}" fill="${colour}">${xml(line)}</text>`)
        .join("");
    const [ink, quiet] = [look.ink[theme], look.quiet[theme]];
    const titles = wrap(title, width, 19);
    const below = wrap(said.join(" · "), width, 13);
    const notes = [...chart.figure.querySelectorAll(".ts-notes li")].map(plain);
    const small = [...notes, told.credit, page].flatMap((line) => wrap(line, width, 12));
    let top = pad + 25 * titles.length + 6;
    const choicesAt = top + 12;
    top += 18 * below.length + (below.length ? 4 : 0);
    const series = legend(chart, theme, { left: pad, top, width, look });
    top = series.bottom;
    const total = top + height + 10 + 17 * small.length + pad;
    const about = noted(all, title, said);
    const shown = shownSeries(chart).map(plain);
    const listed = shown.length ? colon(all, about, shown.reduce((first, second) => put(all.join.comma, { first, second }))) : about;
    const desc = chart.query().size ? listed : told.alt;
    const full = width + 2 * pad;
    const svg =
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${full}" height="${total}" viewBox="0 0 ${full} ${total}" role="img" xml:lang="${language}"${rtl ? ' direction="rtl"' : ""} aria-labelledby="title desc">` +
      `<title id="title">${xml(title)}</title><desc id="desc">${xml(desc)}</desc><rect width="100%" height="100%" fill="${look.paper[theme]}"/>` +
      set(titles, pad + 18, [19, 25, "bold", ink]) +
      set(below, choicesAt, [13, 18, "normal", quiet]) +
      `${series.drawn}<svg x="${pad}" y="${top}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${inner.slice(inner.indexOf(">") + 1)}` +
      `${set(small, top + height + 22, [12, 17, "normal", quiet])}</svg>`;
    return { svg, width: full, height: total };
  }

  async function painted({ svg, width, height }, scale) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
  }

  function save(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // The panel

  class Panel {
    constructor(element, chart, all) {
      Object.assign(this, { element, chart, all });
      this.said = this.part("said");
      const [lang, height] = [this.part("lang"), this.part("height")];
      const usual = () => (height.value = all.chart[lang.value].height);
      lang.addEventListener("input", usual);
      height.addEventListener("change", () => (height.value = this.choice.height)); // what is not in its range is not taken
      for (const name of ["lang", "theme", "height", "columns"]) this.part(name).addEventListener("input", () => this.fill());
      for (const code of element.querySelectorAll("[data-way]")) this.copyable(code);
      for (const button of element.querySelectorAll("[data-export]")) button.addEventListener("click", () => this.export(button.dataset.export));
      for (const part of element.querySelectorAll(".ts-share-choices, .ts-share-export")) part.hidden = false;
      const relative = this.part("relative");
      if (relative && location.protocol.startsWith("http")) relative.hidden = true;
      usual();
      this.fill();
    }

    part(name) {
      return this.element.querySelector(`[data-share="${name}"]`);
    }

    get choice() {
      const lang = this.part("lang").value;
      const { value, min, max } = this.part("height");
      const height = value.trim() ? Math.min(max, Math.max(min, Math.round(Number(value)))) : this.all.chart[lang].height;
      return { lang, theme: this.part("theme").value, height };
    }

    fill() {
      const { chart, all } = this;
      chart.show();
      const found = values(chart, all, this.choice);
      const whole = table(chart, all.chart[language].absent);
      const few = this.part("columns").value === "main" ? main(whole, chart, all) : whole;
      for (const code of this.element.querySelectorAll("[data-way]")) {
        const { way } = code.dataset;
        const form = all.tables[way];
        const text = form ? written(form, way === "table_csv" ? whole : few, found, all.escapes) : fill(all.formats[way], found, all.escapes);
        if (code.textContent !== text) code.textContent = text;
      }
      this.tell(found);
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

    async export(kind) {
      const { chart, all } = this;
      const theme = this.choice.theme === "dark" ? "dark" : "light";
      const name = `${chart.data.id}${slug(chart)}${kind === "png2" ? "@2x" : ""}.${kind === "svg" ? "svg" : "png"}`;
      try {
        const made = await picture(chart, all, theme);
        save(kind === "svg" ? new Blob([made.svg], { type: "image/svg+xml" }) : await painted(made, kind === "png2" ? 2 : 1), name);
        this.say(put(all.words.saved, { name }));
      } catch (error) {
        this.say(all.words.export_failed);
        console.warn(`${chart.data.id}: ${error.message}`);
      }
    }
  }

  async function follow(element) {
    const chart = find(element.dataset.chart);
    const panel = new Panel(element, chart, await known(chart.data.id));
    for (const event of ["touchstone:change", "click"]) chart.figure.addEventListener(event, () => setTimeout(() => panel.fill()));
    return panel;
  }

  const style = (address) =>
    document.querySelector(`link[href="${address}"]`) ? Promise.resolve() : new Promise((resolve) => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address, onload: resolve, onerror: resolve });
      document.head.append(link);
    });

  async function open(link) {
    const figure = link.closest(".ts-figure");
    const chart = find(figure.id);
    const [all] = await Promise.all([known(chart.data.id), style(new URL(touchstoneShareFiles["share.css"], here).href)]);
    if (document.querySelector(".ts-share-dialog")) return; // pressed twice before it came
    const dialog = Object.assign(document.createElement("dialog"), { className: "ts-share-dialog" });
    const title = Object.assign(document.createElement("h2"), { id: "ts-share-title", textContent: all.chart[language].title });
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
    new Panel(inner, chart, all);
    close.addEventListener("click", () => dialog.close());
    const opened = performance.now();
    // the second press of a double click falls on what has just come
    dialog.addEventListener("click", (event) => event.target === dialog && performance.now() - opened > 700 && dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      link.focus(); // some browsers give a pressed link no focus to go back to
    });
    dialog.showModal();
    close.focus();
  }

  window.touchstoneShare = { open, follow };
})();
