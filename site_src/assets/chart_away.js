// What charts in frames and elements have alike: a block on someone else's page with a theme of its own, and a link home. Between
// chart.js and the part of either.
(() => {
  "use strict";

  const parts = window.touchstoneChartsAt[document.currentScript.src];
  const { preference, readable, tooltipIn } = parts;

  // The link below a chart goes to its own page in the same state
  function shown(chart) {
    const said = chart.at.query();
    for (const key of ["lang", "theme"]) said.delete(key);
    chart.figure.querySelector(".ts-home").search = readable(said);
  }

  function dark({ theme }) {
    return theme === "dark" || (theme !== "light" && preference.matches);
  }

  // A place in a block; `state` is how its state is read and written
  parts.away = (block, state) => ({ charts: [], tooltip: tooltipIn(block), dark: () => dark(block.dataset), shown, ...state });
})();
