// What every frame (embed.html) does: it speaks the language and has the theme that its address asks for, and tells its height. The
// whole script of a retired chart, of which there is nothing to draw; the first part of that of all others, whose last part,
// chart_frame.js, reads from the page which language it is.
// Plain script without modules: it must run from file:// and in sandboxed frames, whose origin no server answers.
(() => {
  "use strict";

  const { body, documentElement: root } = document;
  const said = new URLSearchParams(location.search);
  const theme = said.get("theme");
  if (theme === "light" || theme === "dark") body.dataset.theme = theme;
  const templates = [...document.querySelectorAll("template[data-lang]")];
  const wanted = said.get("lang")?.toLowerCase() ?? "";
  const spoken = (tag) => templates.find(({ dataset }) => dataset.lang.toLowerCase() === tag);
  const chosen = spoken(wanted) ?? spoken(wanted.split("-")[0]) ?? templates[0];
  root.lang = chosen.dataset.lang;
  root.dir = chosen.dataset.dir;
  document.title = chosen.dataset.title;
  document.querySelector("main").replaceChildren(chosen.content.cloneNode(true));
  if (window.parent === window) return;

  // The height is told to whoever embeds; the host checks who says so. WordPress knows its frames by a secret in their address.
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
