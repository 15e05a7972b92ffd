// Charts on the site's own pages: many on one, their state in its address, light and dark as its switch says. Behind chart.js.
(() => {
  "use strict";

  const parts = window.touchstoneChartsAt[document.currentScript.src];
  const { addressed, attend, preference, stand, tooltipIn } = parts;

  function dark() {
    const scheme = document.body.dataset.mdColorScheme;
    return scheme ? scheme === "slate" : preference.matches;
  }

  // The table below a chart has the same rows
  function shown(chart) {
    for (const row of chart.figure.querySelectorAll("tbody tr")) {
      const kept = chart.keeps((column) => row.getAttribute(`data-${column}`));
      row.hidden = !kept || chart.state.hide.includes(row.dataset.series);
    }
  }

  const charts = [];
  const tooltip = tooltipIn(document.body);
  const place = { charts, tooltip, dark, shown, ...addressed("pushState") };

  // For the scripts of pages
  window.touchstoneCharts = { ...parts, charts, dark, tooltip, find: (id) => charts.find((chart) => chart.data.id === id) };

  for (const figure of document.querySelectorAll(".ts-figure")) {
    stand(figure, JSON.parse(figure.querySelector("script.ts-data").textContent), place);
  }
  const refresh = () => charts.forEach((chart) => chart.refresh());
  new MutationObserver(refresh).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  addEventListener("popstate", () => charts.forEach((chart) => chart.reread()));
  attend(place, document.body);
})();
