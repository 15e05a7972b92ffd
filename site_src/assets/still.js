// A retired chart in a frame: in the language and the theme that the address asks for. There is nothing to draw.
// Plain script without modules: it must run from file:// and in sandboxed frames, whose origin no server answers.
(() => {
  "use strict";
  const { body, documentElement: root } = document;
  const said = new URLSearchParams(location.search);
  const theme = said.get("theme");
  if (theme === "light" || theme === "dark") body.dataset.theme = theme;
  const wanted = said.get("lang")?.toLowerCase() ?? "";
  const spoken = (tag) => [...document.querySelectorAll("template[data-lang]")].find(({ dataset }) => dataset.lang.toLowerCase() === tag);
  const chosen = spoken(wanted) ?? spoken(wanted.split("-")[0]);
  if (chosen) {
    root.lang = chosen.dataset.lang;
    root.dir = chosen.dataset.dir;
    document.title = chosen.dataset.title;
    document.querySelector("main").replaceChildren(chosen.content.cloneNode(true));
  }
  if (window.parent === window) return;
  // the height is told to whoever embeds, as in chart.js
  const secret = /^#\?secret=(\w+)$/.exec(location.hash)?.[1];
  const tell = () => {
    const { id } = document.querySelector(".ts-figure");
    const height = Math.ceil(body.getBoundingClientRect().height);
    window.parent.postMessage({ touchstone: "height", chart: id, height }, "*");
    if (secret) window.parent.postMessage({ message: "height", value: height, secret }, "*");
  };
  new ResizeObserver(tell).observe(body);
  addEventListener("message", ({ data, source }) => {
    if (source === window.parent && (data?.touchstone === "tell" || data?.message === "ready")) tell();
  });
})();
