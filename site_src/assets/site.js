/* What every page does with JavaScript: theme, language links that keep the view, sortable tables, search. All of it is an addition:
   without this file pages read, link and print the same. */
(() => {
  "use strict";
  const { language, client, words } = touchstoneSite;
  const root = new URL("../", document.currentScript.src);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const number = (n) => (n < 1000 ? String(n) : n.toLocaleString(language)); /* the first use of a locale takes a phone a tenth of a second */

  /* Links name the file of a page, since from a disk a folder is a list of files. On a server the address that is seen, and copied, is
     the promised one, without it; from a disk links that scripts make name it too. */
  const FILE = "index.html", { pathname, search, hash, protocol } = location;
  if (protocol !== "file:" && pathname.endsWith("/" + FILE)) {
    try { history.replaceState(history.state, "", pathname.slice(0, -FILE.length) + search + hash); } catch { /* a frame without history */ }
  }
  if (protocol === "file:") {
    const opened = ({ target }) => {
      const link = target.closest?.("a[href]");
      if (link?.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += FILE;
    };
    for (const event of ["pointerdown", "click"]) document.addEventListener(event, opened, true);
  }

  /* The sections of a light page in a narrow window, which has no room for them in the line of the header. */
  for (const nav of all(".ts-top .ts-top__nav")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "ts-tool ts-i-menu" });
    button.setAttribute("aria-label", nav.getAttribute("aria-label"));
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => button.setAttribute("aria-expanded", String(nav.toggleAttribute("data-open"))));
    nav.before(button);
  }

  /* Theme: as the device, light, dark. Charts and styles watch data-md-color-scheme on the body. */
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const KEY = "ts-theme";
  let chosen = "auto";
  try { chosen = localStorage.getItem(KEY) || "auto"; } catch { /* storage is refused in some frames; the choice then lasts a page */ }
  chosen = new URLSearchParams(search).get("embed") ?? chosen; // of a comparison in a frame
  if (!["auto", "light", "dark"].includes(chosen)) chosen = "auto";
  const paint = () => {
    document.body.dataset.mdColorScheme = chosen === "dark" || (chosen === "auto" && dark.matches) ? "slate" : "default";
    for (const button of all("[data-ts-theme]")) {
      button.hidden = false;
      button.setAttribute("aria-label", words["theme_" + chosen]);
      button.title = words["theme_" + chosen];
      for (const name of ["auto", "light", "dark"]) button.classList.toggle("ts-i-" + name, name === chosen);
    }
  };
  dark.addEventListener("change", paint);
  for (const button of all("[data-ts-theme]")) {
    button.addEventListener("click", () => {
      chosen = { auto: "light", light: "dark", dark: "auto" }[chosen];
      try { chosen === "auto" ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, chosen); } catch { /* as above */ }
      paint();
    });
  }
  paint();

  /* Language links keep page, state of charts and place. The state changes while one reads, so it is taken when the link is used. */
  for (const link of all(".ts-lang a[hreflang]")) {
    const plain = link.getAttribute("href");
    const keep = () => link.setAttribute("href", plain + location.search + location.hash);
    for (const event of ["pointerdown", "focus", "click", "mouseenter", "contextmenu"]) link.addEventListener(event, keep);
  }
  for (const menu of all(".ts-lang")) {
    document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
    menu.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && menu.open) { menu.open = false; menu.querySelector("summary").focus(); }
    });
  }

  /* The chooser of languages points to the reader's own, it does not send anyone anywhere. */
  const offered = all("[data-ts-offer]");
  if (offered.length) {
    const wants = (navigator.languages || [navigator.language]).map((tag) => tag.toLowerCase());
    const best = wants.map((tag) => offered.find((link) => tag === link.hreflang.toLowerCase() || tag.startsWith(link.hreflang.toLowerCase() + "-"))).find(Boolean);
    if (best) best.classList.add("ts-offer--own");
  }

  /* A tag leaves the reports that carry it. Without JavaScript its link leads to a list of them. */
  const tagged = all("[data-tags]");
  if (tagged.length) {
    const choose = () => {
      const tag = location.hash.startsWith("#tag-") ? decodeURIComponent(location.hash.slice(5)) : "";
      for (const card of tagged) card.hidden = tag !== "" && !card.dataset.tags.split(" ").includes(tag);
      for (const link of all(".ts-tags a")) {
        if (link.hash === (tag ? location.hash : "#list")) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
      }
    };
    addEventListener("hashchange", choose);
    choose();
  }

  /* The drawer of small screens closes with Escape and when a heading of this page is chosen in it. */
  const drawer = document.getElementById("__drawer");
  if (drawer) {
    document.addEventListener("keydown", (event) => { if (event.key === "Escape" && drawer.checked) { drawer.checked = false; drawer.focus(); } });
    for (const link of all('.ts-nav a[href^="#"]')) link.addEventListener("click", () => { drawer.checked = false; });
  }

  /* Paper shows what is folded away of a source; browsers that cannot say so in CSS open it for the while. */
  addEventListener("beforeprint", () => { for (const part of all("details.ts-printed:not([open])")) { fill(part); part.open = true; part.dataset.tsPrinted = ""; } });
  addEventListener("afterprint", () => { for (const part of all("details[data-ts-printed]")) { part.open = false; delete part.dataset.tsPrinted; } });

  /* While one reads: the heading one is at in the table of contents, the way back to the top. */
  const entries = all(".md-nav--secondary a[href^='#']").map((link) => [link, document.getElementById(decodeURIComponent(link.hash.slice(1)))]).filter(([, target]) => target);
  const back = document.querySelector(".ts-totop");
  if (entries.length || back) {
    let waiting = entries.length > 0 || location.hash !== "";
    const follow = () => {
      waiting = false;
      back?.classList.toggle("ts-totop--wanted", scrollY > innerHeight);
      const bottom = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
      const at = bottom ? entries.length - 1 : entries.findLastIndex(([, target]) => target.getBoundingClientRect().top < 110);
      entries.forEach(([link], i) => {
        link.classList.toggle("md-nav__link--active", i === at);
        if (i === at) link.setAttribute("aria-current", "location"); else link.removeAttribute("aria-current");
      });
    };
    addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(follow); } }, { passive: true });
    if (waiting) requestAnimationFrame(() => setTimeout(follow)); // once the first layout is done
  }

  /* Sortable tables: a button in each header, numbers by data-value, rows without a value last in either order. */
  function sortable(table) {
    const body = table.tBodies[0];
    if (!body || all("[rowspan], [colspan]", body).length) return;
    const order = [...body.rows];
    all("thead tr:last-child th", table).forEach((header) => {
      if (header.dataset.sort === "none" || !header.textContent.trim()) return;
      const column = header.cellIndex;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "ts-sort";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const next = { none: "ascending", ascending: "descending", descending: "none" }[header.getAttribute("aria-sort") || "none"];
        for (const other of all("thead th[aria-sort]", table)) other.removeAttribute("aria-sort");
        if (next !== "none") header.setAttribute("aria-sort", next);
        body.append(...(next === "none" ? order : sorted(order, column, next === "descending" ? -1 : 1, header.dataset.sort)));
      });
    });
  }
  function sorted(rows, column, sign, kind) {
    const text = new Intl.Collator(document.documentElement.lang, { numeric: true });
    const value = (row) => {
      const cell = row.cells[column];
      if (!cell) return "";
      const given = cell.dataset.value ?? cell.querySelector("[data-ts-in]:not([hidden])")?.dataset.sort ?? cell.querySelector("data:not([hidden] *)")?.value;
      return given ?? (kind === "number" ? "" : cell.textContent.trim());
    };
    const pairs = rows.map((row) => [row, value(row)]);
    const numbers = kind !== "text" && pairs.every(([, given]) => given === "" || Number.isFinite(Number(given)));
    return pairs.sort(([, a], [, b]) => {
      if (a === "" || b === "") return (a === "") - (b === "");
      return sign * (numbers ? a - b : text.compare(a, b));
    }).map(([row]) => row);
  }

  /* A table that does not scroll is no stop for the keyboard; on a narrower screen it may be one again. */
  const scrolls = (region) => region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
  const measured = new ResizeObserver((found) => {
    for (const { target } of found) {
      if (scrolls(target)) target.tabIndex = 0;
      else if (target !== document.activeElement) target.removeAttribute("tabindex");
    }
  });

  /* What is folded away and long stands there as text until it is opened. */
  const filled = [];
  const fill = (fold) => {
    const text = fold.querySelector(":scope > noscript");
    if (!text) return false;
    const template = document.createElement("template");
    template.innerHTML = text.textContent;
    text.replaceWith(template.content);
    wire(fold);
    return true;
  };
  document.addEventListener("toggle", ({ target }) => { if (target.open && fill(target)) for (const follow of filled) follow(); }, true);

  wire(document);

  /* A list leaves the rows of the chosen conditions, of which a row may have several; the address keeps the choice, with the names of
     conditions as they stand there. */
  for (const form of all("[data-ts-filters]")) {
    form.hidden = false;
    const chosen = all("select", form), said = form.querySelector("[data-ts-said]"), parts = all("[data-ts-filtered]");
    const money = form.querySelector("[data-ts-money]");
    /* what stands in other currencies is no text of the page until somebody chooses one */
    const currencies = () => {
      for (const other of parts.flatMap((part) => all("template[data-ts-in]", part))) {
        const text = Object.assign(document.createElement("span"), { hidden: true });
        text.dataset.tsIn = other.dataset.tsIn;
        text.append(other.content);
        other.replaceWith(text);
      }
    };
    const folds = all("[data-ts-fold]").filter((fold) => parts.some((part) => part.contains(fold) || fold.contains(part))).map((fold) => [fold, fold.open]);
    /* what an address does not say is as the page has it at first */
    const read = () => {
      const asked = new URLSearchParams(location.search);
      for (const select of chosen) {
        const options = [...select.options], value = asked.get(select.name);
        select.value = (options.find((option) => option.value === value) || options.find((option) => option.defaultSelected) || options[0]).value;
      }
    };
    const narrow = (opened = false) => {
      const narrowed = chosen.some((select) => select.value);
      const waiting = parts.flatMap((part) => all("[data-ts-fold]:has(> noscript)", part));
      if (narrowed) waiting.splice(0).forEach(fill);
      const unfilled = waiting.reduce((sum, fold) => sum + Number(fold.dataset.tsFold), 0);
      const rows = parts.flatMap((part) => all("tbody tr", part));
      currencies();
      for (const row of rows) row.hidden = chosen.some((select) => select.value && select !== money && !row.getAttribute("data-f-" + select.name)?.split("|").includes(select.value));
      for (const part of parts) part.hidden = !waiting.some((fold) => part.contains(fold)) && all("tbody tr", part).every((row) => row.hidden);
      /* amounts stand there in each currency: that of the offer, and those for which a dated rate is known */
      for (const text of money ? parts.flatMap((part) => all("[data-ts-in]", part)) : []) {
        text.hidden = !text.dataset.tsIn.split("|").includes(money.value);
        if (money.value) delete text.dataset.sort; else if (text.dataset.tsSort) text.dataset.sort = text.dataset.tsSort;
      }
      if (!opened) for (const fold of folds) fold[0].open = narrowed || fold[1] || Boolean(money) && fold[0].open;
      const left = rows.filter((row) => !row.hidden).length + unfilled, every = rows.length + unfilled;
      said.textContent = said.dataset.tsSaid.replace("{left}", number(left)).replace("{all}", number(every));
    };
    /* Each choice is a step that the way back leads over; one that changes nothing is none. A value that a list does not have stays
       in the address until one chooses from that list. */
    const choose = (changed) => {
      narrow();
      const query = new URLSearchParams(location.search);
      for (const select of chosen) {
        const known = [...select.options].some((option) => option.value === query.get(select.name));
        if (select.value) query.set(select.name, select.value); else if (known || select === changed) query.delete(select.name);
      }
      const text = query.toString();
      if (text === new URLSearchParams(location.search).toString()) return;
      try { history.pushState(history.state, "", (text ? "?" + text : location.pathname) + location.hash); } catch { /* a frame without history */ }
    };
    form.addEventListener("change", (event) => choose(event.target));
    form.addEventListener("reset", () => setTimeout(choose));
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("popstate", () => { read(); narrow(); });
    filled.push(() => narrow(true));
    read();
    narrow();
  }

  /* Tables can be copied as text, one line a row, tabs between columns, as they are sorted at the moment. What is folded away stays out. */
  const copied = async (text, place = document.body) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    /* pages opened from a file or over plain HTTP have no clipboard of their own */
    const field = Object.assign(document.createElement("textarea"), { value: text, className: "ts-visually-hidden" });
    place.append(field); /* outside of an open dialog nothing can be selected */
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error("refused");
  };
  touchstoneSite.copied = copied;

  const line = (cell) => cell.innerText.replace(/\s*\n\s*/g, "; ").replace(/\t/g, " ").trim();
  function copyable(wrap) {
    const table = wrap.querySelector("table");
    const button = document.createElement("button"), said = document.createElement("span");
    button.type = "button";
    button.className = "ts-copy-table";
    button.textContent = words.copy_table;
    said.className = "ts-copy-said";
    said.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      const text = [...table.tHead.rows, ...table.tBodies[0].rows].map((row) => [...row.cells].map(line).join("\t")).join("\n");
      said.textContent = "";
      try { await copied(text); said.textContent = words.table_copied; } catch { said.textContent = words.copy_failed; }
      button.focus({ preventScroll: true });
      setTimeout(() => { said.textContent = ""; }, 6000);
    });
    const bar = document.createElement("p");
    bar.className = "ts-copy-bar ts-no-print";
    bar.append(button, " ", said);
    wrap.after(bar);
  }

  function wire(part) {
    all("table.ts-sortable", part).forEach(sortable);
    for (const region of all('[role="region"][tabindex]', part)) measured.observe(region);
    all("[data-ts-copy]", part).forEach(copyable);
  }

  /* An address may lead into what is folded away. */
  const lead = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    if (!document.getElementById(id)) {
      const text = all("details > noscript").find(({ textContent }) => textContent.includes(`id="${id}"`));
      if (text && fill(text.parentElement)) for (const follow of filled) follow();
    }
    const target = document.getElementById(id);
    const closed = [];
    for (let fold = target?.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) closed.push(fold);
    for (const fold of closed) fold.open = true;
    if (closed.length) target.scrollIntoView();
  };
  addEventListener("hashchange", lead);
  lead();

  /* Blocks of code can be copied. */
  if (navigator.clipboard) {
    for (const code of all("pre > code")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "ts-copy";
      button.textContent = words.copy;
      button.setAttribute("aria-live", "polite");
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(code.textContent.trimEnd());
        button.textContent = words.copied;
        setTimeout(() => { button.textContent = words.copy; }, 2000);
      });
      code.parentElement.append(button);
    }
  }

  /* Search: a dialog made when it is first wanted; index and client are classic scripts, which also load from a file. */
  const opener = document.querySelector("[data-ts-search]");
  if (!opener || !window.HTMLDialogElement) return;
  opener.hidden = false;
  let dialog, field, status, list, ready;

  const load = (src) => new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src, onload: done, onerror: failed });
    document.head.append(script);
  });
  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, given] of Object.entries(attributes)) node.setAttribute(name, given);
    node.append(...children);
    return node;
  };
  function open() {
    if (!dialog) {
      field = make("input", { type: "search", "aria-label": words.label, placeholder: words.label, autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
      status = make("p", { class: "ts-search__status", role: "status", "aria-live": "polite" }, words.hint);
      list = make("ol");
      const close = make("button", { type: "button", class: "ts-tool ts-i-close", "aria-label": words.close });
      const form = make("form", { role: "search" }, field, close);
      dialog = make("dialog", { class: "ts-search", "aria-label": words.label }, form, status, list);
      document.body.append(dialog);
      close.addEventListener("click", () => dialog.close());
      form.addEventListener("submit", (event) => { event.preventDefault(); list.querySelector("a")?.click(); });
      dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
      dialog.addEventListener("keydown", move);
      field.addEventListener("input", show);
      list.addEventListener("click", (event) => { if (event.target.closest("a")) dialog.close(); });
    }
    if (!dialog.open) dialog.showModal();
    field.focus();
    field.select();
    ready ||= Promise.all([`search/${language}.js`, client].map(fetched)).then(() => window.touchstoneFind("") && true, () => { status.textContent = words.failed; ready = undefined; return false; });
    show();
  }
  const asked = new Map();
  function fetched(path) {
    if (!asked.has(path)) asked.set(path, load(new URL(path, root)).catch((why) => { asked.delete(path); throw why; }));
    return asked.get(path);
  }
  /* Names answer first; what the text adds comes by need. */
  async function show() {
    const query = field.value.trim(), same = () => field.value.trim() === query;
    if (!query) { list.replaceChildren(); status.textContent = words.hint; return; }
    if (!window.touchstoneFind) status.textContent = words.loading;
    if (!(await ready)) return;
    for (let wants = [0]; wants.length && same();) {
      const found = window.touchstoneFind(query);
      wants = found.wants.filter((path) => !lost.has(path));
      offer(query, found.hits, wants.length);
      await Promise.all(wants.map((path) => fetched(path).catch(() => lost.add(path))));
    }
  }
  const lost = new Set();
  function offer(query, hits, more) {
    const { scrollTop } = list, chosen = list.querySelector(":focus")?.href;
    status.textContent = hits.length ? words.count.replace("{count}", number(hits.length))
      : more ? words.loading : lost.size ? words.failed : words.none.replace("{query}", () => query);
    list.replaceChildren(...hits.map((hit) => {
      const href = new URL(`${language}/${hit.path}`, root);
      const link = make("a", { href }, make("b", {}, ...marked(query, hit.title)));
      if (hit.figure) link.append(make("small", {}, hit.figure));
      if (hit.text) link.append(make("span", {}, ...snippet(query, hit.text)));
      return make("li", {}, link, ...hit.sections.map(({ anchor, heading }) =>
        make("a", { href: `${href}#${encodeURIComponent(anchor)}`, class: "ts-search__section" }, ...marked(query, heading))));
    }));
    list.scrollTop = query === list.dataset.query ? scrollTop : 0;
    if (chosen) (all("a", list).find((link) => link.href === chosen) ?? field).focus();
    list.dataset.query = query;
    list.setAttribute("aria-busy", !!more);
  }
  function marked(query, text) {
    const parts = [];
    let at = 0;
    for (const [from, to] of window.touchstoneMarks(query, text)) {
      if (from < at) continue;
      parts.push(text.slice(at, from), make("mark", {}, text.slice(from, to)));
      at = to;
    }
    return [...parts, text.slice(at)];
  }
  function snippet(query, text) {
    const first = window.touchstoneMarks(query, text)[0]?.[0] ?? 0;
    let from = Math.max(0, first - 50);
    if (from > 0 && language !== "ja") from = Math.max(from, text.indexOf(" ", from) + 1);
    const piece = text.slice(from, from + 170);
    return [from > 0 ? "… " : "", ...marked(query, piece), from + 170 < text.length ? " …" : ""];
  }
  function move(event) {
    if (event.key === "Escape") { event.preventDefault(); dialog.close(); return; } /* a search field would only clear itself */
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [field, ...all("a", list)];
    const at = stops.indexOf(document.activeElement);
    stops[(at + (event.key === "ArrowDown" ? 1 : -1) + stops.length) % stops.length].focus();
    event.preventDefault();
  }
  opener.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if ((event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) || (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      open();
    }
  });

  /* A page with which visits begin has the styles of what is in it. The whole stylesheet takes their place once the page is there, on a
     phone when somebody does something: to style all again takes it a tenth of a second. */
  const first = document.querySelector("style.ts-first");
  if (first) {
    const coming = first.previousElementSibling, whole = document.createElement("link");
    const take = () => coming.replaceWith(whole);
    whole.rel = "stylesheet";
    whole.href = coming.href;
    whole.addEventListener("load", () => first.remove());
    addEventListener("load", () => {
      if (!matchMedia("(max-width: 44.98em)").matches) setTimeout(take);
      else for (const deed of ["pointerdown", "keydown", "focusin", "click", "scroll"]) addEventListener(deed, take, { once: true, capture: true, passive: true });
    });
  }
})();
