// Charts on the site's own pages: many on one, their state in its address, light and dark as its switch says. A chart's data are a
// script of their own, which comes when the chart comes near. Behind chart.js.
(() => {
  "use strict";

  const { src, dataset: { runtime } } = document.currentScript;
  const parts = window.touchstoneChartsAt[src];
  const { addressed, attend, brought, preference, tooltipIn } = parts;

  function dark() {
    const scheme = document.body.dataset.mdColorScheme;
    return scheme ? scheme === "slate" : preference.matches;
  }

  // The table below a chart has the same rows
  function shown(chart) {
    for (const row of chart.table?.tBodies[0].rows ?? []) {
      const kept = chart.keeps((column) => row.getAttribute(`data-${column}`));
      row.hidden = !kept || chart.state.hide.includes(row.dataset.series);
    }
  }

  // A phone's picture is as wide as its place: it stays until somebody reaches for the chart, or another state is wanted
  function still(chart) {
    return !chart.wanted && matchMedia(chart.slot.querySelector("source").media).matches && !String(chart.query());
  }

  // The runtime is there by then, and runs no sooner. What was done to the picture is done to the chart in its place; a finger that
  // scrolls does nothing
  let fetched;
  function reachable(chart) {
    const { slot } = chart;
    const others = [chart.controls, chart.legend].filter(Boolean);
    const hide = (hidden) => others.forEach((part) => part.toggleAttribute("hidden", hidden));
    const late = {};
    if (still(chart)) {
      for (const image of slot.querySelectorAll("img")) image.tabIndex = 0;
      hide(false);
      chart.show();
      fetched ??= document.head.appendChild(Object.assign(document.createElement("link"), { rel: "prefetch", href: runtime }));
    }
    const reach = async (event) => {
      if (chart.view || (event.type === "pointermove" && event.pointerType === "touch")) return;
      if (slot.contains(event.target)) late[event.type] = event;
      if (!still(chart)) return;
      slot.style.minHeight = `${slot.offsetHeight}px`; // nothing moves below a finger
      await chart.draw();
      slot.style.minHeight = "";
      hide(!chart.view);
      if (!chart.view) return;
      if (slot.contains(document.activeElement)) chart.place.focus({ preventScroll: true });
      const { click, keydown, pointermove = click } = late;
      for (const [type, { clientX, clientY }] of Object.entries({ ...(pointermove && { pointermove }), ...(click && { click }) })) {
        const at = document.elementFromPoint(clientX, clientY);
        if (chart.place.contains(at)) at.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX, clientY }));
      }
      if (keydown) chart.place.dispatchEvent(new KeyboardEvent("keydown", keydown));
    };
    for (const part of [slot, ...others]) for (const type of ["pointermove", "click", "keydown", "focusin"]) part.addEventListener(type, reach);
  }

  const figures = [...document.querySelectorAll(".ts-figure[data-from]")];
  const charts = [];
  const coming = new Map();
  const tooltip = tooltipIn(document.body);

  const place = { charts, tooltip, dark, shown, still, several: figures.length > 1, ...addressed("pushState") };

  // The chart of a figure, as soon as its data are there
  function stand(figure) {
    if (!coming.has(figure)) {
      near.unobserve(figure);
      const address = new URL(figure.dataset.from, document.baseURI).href;
      coming.set(figure, brought("touchstoneData", address).then((data) => {
        const chart = parts.stand(figure, data, place);
        reachable(chart);
        const write = chart.write.bind(chart);
        // an unprefixed key of the address speaks to charts too that have not come yet
        chart.write = () => {
          const unprefixed = [...place.query().keys()].some((key) => !key.includes("."));
          if (unprefixed && charts.length < figures.length) Promise.allSettled(figures.map(stand)).then(write);
          else write();
        };
        charts.sort((one, other) => figures.indexOf(one.figure) - figures.indexOf(other.figure));
        return chart;
      }));
    }
    return coming.get(figure);
  }

  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) stand(target).catch((error) => console.warn(error.message));
    },
    { rootMargin: "600px 0px" },
  );

  // For the scripts of pages: `find` knows charts that have come, `wanted` brings one
  const find = (id) => charts.find((chart) => chart.data.id === id);
  const wanted = (id) => stand(figures.find((figure) => figure.id === id));

  // Draws a chart that is no figure's in a slot, in place of the last one there; false where `late` says that another is wanted by now
  const views = new WeakMap();
  async function drawIn(slot, spec, label, { number, time }, late) {
    const { draw } = await parts.runtime();
    if (late()) return false;
    const element = Object.assign(document.createElement("div"), { className: "ts-live" });
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", label);
    spec.width = Math.max(240, Math.floor(slot.getBoundingClientRect().width));
    const view = await draw(element, spec, { number: { ...number, currency: ["", ""] }, time, tooltip: (...event) => tooltip.show(...event) });
    if (late()) {
      view.finalize();
      return false;
    }
    views.get(slot)?.finalize();
    views.set(slot, view);
    tooltip.hide();
    element.firstElementChild.setAttribute("aria-hidden", "true");
    element.removeAttribute("aria-roledescription");
    slot.replaceChildren(element);
    return true;
  }

  window.touchstoneCharts = { ...parts, charts, figures, dark, drawIn, tooltip, shown, find, wanted };

  for (const figure of figures) near.observe(figure);
  const refresh = () => charts.forEach((chart) => chart.refresh());
  new MutationObserver(refresh).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  addEventListener("popstate", () => charts.forEach((chart) => chart.reread()));
  attend(place, document.body);
})();
