// For pages that show charts or comparisons of this site in frames: each frame becomes as high as what it shows. Nothing else is done or stored, and
// frames work without this script, at the height that they were given.
(() => {
  "use strict";
  const root = new URL("../", document.currentScript.src);
  const ours = () => [...document.querySelectorAll("iframe")].filter(({ src }) => src.startsWith(root) && /^(c|[^/]+\/compare)\//.test(src.slice(root.href.length)));
  // a sandboxed frame that does not keep its origin has none
  const origin = (frame) => (frame.hasAttribute("sandbox") && !frame.sandbox.contains("allow-same-origin") ? "null" : root.origin);
  addEventListener("message", ({ data, origin: from, source }) => {
    if (data?.touchstone !== "height" || !(data.height > 0)) return;
    const frame = ours().find((each) => each.contentWindow === source);
    if (!frame || from !== origin(frame)) return;
    const border = getComputedStyle(frame).boxSizing === "border-box" ? frame.offsetHeight - frame.clientHeight : 0;
    frame.style.height = `${Math.min(4000, Math.max(100, Math.ceil(data.height))) + border}px`;
  });
  // those that were there before this script have told already
  for (const frame of ours()) frame.contentWindow.postMessage({ touchstone: "tell" }, "*");
})();
