// What every frame (embed.html) does: it speaks the language and has the theme that its address asks for, and tells its height. The
// whole script of a retired chart, of which there is nothing to draw; the first part of that of all others, whose last part,
// chart_frame.js, makes the chart interactive.
// Plain script without modules, and data in a script: both must run from file:// and in sandboxed frames, whose origin no server answers.
(() => {
  "use strict";

  const { body, currentScript, documentElement: root } = document;
  const said = new URLSearchParams(location.search);
  const theme = said.get("theme");
  if (theme === "light" || theme === "dark") body.dataset.theme = theme;
  const languages = currentScript.dataset.languages.split(" ");
  const wanted = said.get("lang")?.toLowerCase() ?? "";
  const spoken = (tag) => languages.find((language) => language.toLowerCase() === tag);
  const main = document.querySelector("main");
  const still = main.textContent; // of its noscript, which is text where scripts run

  const load = (language) => {
    const script = document.createElement("script");
    script.src = `data.${language}.js`;
    script.onload = () => show(window.touchstoneData[script.src]);
    // the picture for where no script runs is better than nothing
    script.onerror = () => (main.innerHTML = still);
    document.head.append(script);
  };

  const show = (data) => {
    root.lang = data.lang;
    root.dir = data.dir;
    main.innerHTML = data.html;
    const [heading, low] = [document.createElement("h1"), main.querySelector("h3")];
    heading.className = low.className;
    heading.append(...low.childNodes);
    low.replaceWith(heading);
    document.title = heading.textContent;
    window.touchstoneFrame?.(data);
    if (window.parent !== window) tell(main.querySelector(".ts-figure").id);
  };

  // The height is told to whoever embeds; the host checks who says so. WordPress knows its frames by a secret in their address.
  const tell = (chart) => {
    const secret = /^#\?secret=(\w+)$/.exec(location.hash)?.[1];
    const say = () => {
      const height = Math.ceil(body.getBoundingClientRect().height);
      window.parent.postMessage({ touchstone: "height", chart, height }, "*");
      if (secret) window.parent.postMessage({ message: "height", value: height, secret }, "*");
    };
    new ResizeObserver(say).observe(body);
    addEventListener("message", ({ data, source }) => {
      if (source === window.parent && (data?.touchstone === "tell" || data?.message === "ready")) say();
    });
  };

  load(spoken(wanted) ?? spoken(wanted.split("-")[0]) ?? languages[0]);
})();
