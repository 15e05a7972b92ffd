// Defines <touchstone-chart>, which shows a chart of this site on any page, without a frame:
//
//   <touchstone-chart chart="ID" lang="ja" theme="auto" state="measure=hours"><a href="..."><img src="..." alt="..."></a></touchstone-chart>
//   <script async src="https://.../c/touchstone-chart.js"></script>
//
// chart  the chart's id
// lang   a language of the site; without it that of the text around, else the site's first
// theme  auto (follows the reader's device), light or dark
// state  what stands behind the ? of the chart's address
// site   address of the site's root, where scripts of several sites or copies are on a page; without it the first script's site is meant
//
// What stands inside it shows until the chart does, and whenever it cannot. All attributes may change at any time. It keeps nothing,
// touches no address, and takes scripts, style and pictures from its own site alone. Nothing of the page's style reaches into it: to
// give it a width or a margin, put it into a block that has them.
//
// Two versions on one page: the first script defines the element, which only asks the script of each element's site to draw
// (`touchstoneSites`, by address of the root). That much must never change; all the rest is each version's own.
((build) => {
  "use strict";

  const TAG = "touchstone-chart";
  const root = new URL("../", document.currentScript.src).href;
  const address = (path) => new URL(path, root).href;
  const sites = (window.touchstoneSites ??= {});
  const loading = new Map();

  // A script of this site, once a page; it leaves what it brings in a register, under its own address
  function load(register, path, told = {}) {
    const src = address(path);
    const brought = () => window[register]?.[src];
    if (brought()) return Promise.resolve(brought());
    if (loading.has(src)) return loading.get(src);
    const wanted = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      Object.assign(script.dataset, told);
      script.charset = "utf-8"; // the page may have another
      script.onload = () => (brought() ? resolve(brought()) : reject(new Error(`${src} brought nothing`)));
      script.onerror = () => reject(new Error(`${src} could not be loaded`));
      script.src = src;
      document.head.append(script);
    });
    loading.set(src, wanted);
    wanted.catch(() => loading.delete(src));
    return wanted;
  }

  // The site's language behind a tag such as EN or pt-BR
  const named = (tag) => build.languages.find((language) => language.toLowerCase() === tag);
  const spoken = (tag) => named(tag?.toLowerCase()) ?? named(tag?.toLowerCase().split("-")[0]);

  function read(element) {
    const own = element.getAttribute("lang");
    const theme = element.getAttribute("theme");
    return {
      chart: element.getAttribute("chart") ?? "",
      language: spoken(own) ?? spoken(element.parentElement?.closest("[lang]")?.lang) ?? build.languages[0],
      refused: own && !spoken(own) ? own : "",
      theme: theme === "light" || theme === "dark" ? theme : "auto",
      state: element.getAttribute("state") ?? "",
    };
  }

  const make = (name, settings, ...children) => {
    const made = Object.assign(document.createElement(name), settings);
    made.append(...children);
    return made;
  };

  const near = new Map();
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) near.get(target)?.();
    },
    { rootMargin: "600px 0px" },
  );

  const drawings = new WeakMap();
  const choices = new WeakMap(); // what the reader chose, for when an element leaves the page and comes back, or changes its language

  const LOW = 200; // px below which what stands in an element is no picture with its room
  const ROOM = 600; // px that most charts need or exceed

  class Drawing {
    constructor(element, asked) {
      this.element = element;
      this.asked = asked;
      this.shadow = element.shadowRoot ?? element.attachShadow({ mode: "open" });
      // what was drawn before stays until there is something else
      this.stage = this.shadow.querySelector(".ts-stage");
      if (!this.stage) {
        this.stage = make("div", { className: "ts-stage" }, make("slot"));
        this.shadow.append(this.stage);
        if (this.stage.clientHeight < LOW) this.stage.style.minHeight = `${ROOM}px`;
      }
      if (asked.refused) {
        const known = build.languages.join(", ");
        console.warn(`<${TAG} chart="${asked.chart}" lang="${asked.refused}">: the site has ${known}; showing ${asked.language}`);
      }
      this.begin();
    }

    async begin() {
      const { chart, language } = this.asked;
      await new Promise((resolve) => {
        near.set(this.element, resolve);
        seen.observe(this.element);
      });
      this.away();
      if (this.ended) return;
      let data;
      try {
        data = await load("touchstoneData", `c/${encodeURIComponent(chart)}/data.${language}.js`);
      } catch (error) {
        console.warn(`<${TAG} chart="${chart}" lang="${language}">: ${error.message}`);
        const text = build.failed[language].replace("{chart}", chart); // a script does not say whether it is missing or was blocked
        await this.show([make("p", { className: "ts-failed", lang: language }, text), make("slot")]);
        return;
      }
      const template = make("template", { innerHTML: data.html });
      for (const name of ["href", "src", "srcset"]) {
        for (const found of template.content.querySelectorAll(`[${name}]`)) {
          found.setAttribute(name, new URL(found.getAttribute(name), address(`c/${chart}/`)).href);
        }
      }
      if (!(await this.show([template.content], { lang: language, dir: data.dir }))) return;
      if (!data.spec) return; // of a retired chart there is the picture alone
      try {
        const charts = await load("touchstoneChartsAt", build.script, { runtime: address(build.runtime) });
        if (this.ended) return;
        const chosen = choices.get(this.element);
        const same = chosen?.chart === chart && chosen.asked === this.asked.state;
        this.mounted = charts.mount(this.layer, data, this.asked, same ? chosen.state : this.asked.state);
      } catch (error) {
        console.warn(`<${TAG} chart="${chart}">: ${error.message}`); // the picture and the link stay
      }
    }

    // True when it stands: the style has come, and nothing else is wanted by now. A chart stands unseen below what the page has in the
    // element until its picture has come or it is interactive.
    async show(parts, chart) {
      let style = this.shadow.querySelector("link");
      if (style?.href !== address(build.style)) {
        style = make("link", { rel: "stylesheet", href: address(build.style) });
        await new Promise((resolve) => {
          style.onload = style.onerror = resolve;
          this.shadow.prepend(style);
        });
      }
      if (this.ended) return false;
      this.layer = make("div", { className: "ts-embed", dir: "ltr", ...chart }, ...parts);
      const { layer, stage, element } = this;
      layer.dataset.theme = this.asked.theme;
      stage.style.minHeight = "";
      const slot = chart && (element.firstElementChild || element.textContent.trim()) ? stage.querySelector(":scope > slot") : null;
      if (!slot) {
        stage.replaceChildren(layer);
        return true;
      }
      layer.classList.add("ts-waiting");
      stage.replaceChildren(slot, layer);
      const reveal = () => {
        layer.classList.remove("ts-waiting");
        slot.remove();
        drawn.disconnect();
      };
      const drawn = new MutationObserver(() => layer.querySelector('[data-state="interactive"]') && reveal());
      drawn.observe(layer, { subtree: true, attributeFilter: ["data-state"] });
      layer.addEventListener("load", reveal, { capture: true, once: true }); // of a picture
      return true;
    }

    change(asked) {
      this.asked = asked;
      if (this.mounted) this.mounted.change(asked);
      else if (this.layer) this.layer.dataset.theme = asked.theme;
    }

    away() {
      seen.unobserve(this.element);
      near.delete(this.element);
    }

    end() {
      this.ended = true;
      this.away();
      if (!this.mounted) return;
      choices.set(this.element, { chart: this.asked.chart, asked: this.asked.state, state: this.mounted.state() });
      this.mounted.end();
    }
  }

  function draw(element) {
    const asked = read(element);
    const drawing = drawings.get(element);
    if (drawing?.asked.chart === asked.chart && drawing.asked.language === asked.language) return drawing.change(asked);
    drawing?.end();
    drawings.set(element, new Drawing(element, asked));
  }

  function leave(element) {
    drawings.get(element)?.end();
    drawings.delete(element);
  }

  sites[root] ??= { draw, leave };
  if (!customElements.get(TAG)) {
    customElements.define(
      TAG,
      class extends HTMLElement {
        static observedAttributes = ["chart", "lang", "theme", "state", "site"];

        connectedCallback() {
          this.attributeChangedCallback();
        }

        disconnectedCallback() {
          this.attributeChangedCallback();
        }

        // several changes at once, or a move within the page, are one
        attributeChangedCallback() {
          this.due ??= Promise.resolve().then(() => {
            this.due = null;
            this.handleEvent();
          });
        }

        handleEvent() {
          const site = this.site();
          if (this.drawnBy && this.drawnBy !== site) this.drawnBy.leave(this);
          this.drawnBy = site;
          if (site) site.draw(this);
          else if (this.isConnected) addEventListener("touchstone:site", this, { once: true });
        }

        site() {
          if (!this.isConnected) return undefined;
          const asked = this.getAttribute("site");
          // by its place in the page: which one comes first over the network is chance
          const first = [...document.scripts].find(({ src }) => src.endsWith("/c/touchstone-chart.js"));
          if (asked === null) return first ? sites[new URL("../", first.src).href] : Object.values(sites)[0];
          if (URL.canParse?.(asked, document.baseURI) === false) {
            console.warn(`touchstone-chart: site="${asked}" is no address, wanted the root of a site`);
            return undefined;
          }
          return sites[new URL(asked.replace(/\/?$/, "/"), document.baseURI).href];
        }
      },
    );
  }
  dispatchEvent(new Event("touchstone:site"));
})
