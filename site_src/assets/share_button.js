// Brings the share panel when somebody asks for it: by the button below a chart or a comparison, or on the chart's own page, where it
// stands.
(() => {
  "use strict";

  const address = document.currentScript.dataset.share;
  let ready;

  const panel = () =>
    (ready ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => resolve(window.touchstoneShare);
      script.onerror = () => {
        ready = undefined;
        reject(new Error(`${address} could not be loaded`));
      };
      document.head.append(script);
    }));

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".ts-share"), href = link?.getAttribute("href");
    const own = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || (href && (own || href.startsWith("#") || !window.touchstoneCharts))) return;
    event.preventDefault();
    // without the panel there is the chart's page
    panel().then((share) => share.open(link)).catch(() => href && location.assign(link.href));
  });

  const standing = document.querySelector(".ts-sharing");
  const near = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      near.disconnect();
      panel().then((share) => share.follow(standing)).catch(() => { standing.dataset.still = ""; });
    },
    { rootMargin: "300px 0px" },
  );
  if (standing) near.observe(standing);
})();
