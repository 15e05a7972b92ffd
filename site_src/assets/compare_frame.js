// A comparison in a frame on someone else's page (`?embed=auto`, `light` or `dark`): light.css leaves of its page what it says and shows.
// Its links open beside the frame, the site's name leads to the page, and whoever embeds is told its height, as by frame.js.
(() => {
  "use strict";

  const { body, documentElement: root } = document;
  if (!root.classList.contains("ts-framed")) return;
  document.head.append(Object.assign(document.createElement("base"), { target: "_blank" }));
  const page = new URL(location.href);
  page.searchParams.delete("embed");
  document.querySelector(".ts-top__home").href = page.href;
  if (window.parent === window) return;
  const say = () => window.parent.postMessage({ touchstone: "height", chart: page.pathname, height: Math.ceil(body.getBoundingClientRect().height) }, "*");
  new ResizeObserver(say).observe(body);
  addEventListener("message", ({ data, source }) => source === window.parent && data?.touchstone === "tell" && say());
})();
