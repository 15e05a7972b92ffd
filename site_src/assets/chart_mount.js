// A chart in the element of touchstone-chart.js: in a shadow root on someone else's page, whose address and storage are none of ours.
// State and theme are told by the element. Behind chart.js and chart_away.js.
(() => {
  "use strict";

  const parts = window.touchstoneChartsAt[document.currentScript.src];
  const { attend, away, readable, seen, stand } = parts;

  // `layer` holds the figure and `chosen` the state to begin with; what is returned takes new ones, tells the state, and ends the chart
  parts.mount ??= (layer, data, { state, theme }, chosen) => {
    let asked = state;
    let query = new URLSearchParams(chosen);
    const place = away(layer, {
      query: () => new URLSearchParams(query),
      write: (changed) => (query = changed),
    });
    layer.dataset.theme = theme;
    const chart = stand(layer.querySelector(".ts-figure"), data, place);
    place.shown(chart);
    const attending = attend(place, layer);
    return {
      change(told) {
        if (asked !== told.state) {
          asked = told.state;
          query = new URLSearchParams(asked);
          chart.reread();
        }
        if (layer.dataset.theme === told.theme) return;
        layer.dataset.theme = told.theme;
        chart.refresh();
      },
      state: () => readable(query),
      end() {
        attending.abort();
        seen.unobserve(chart.slot);
        chart.wanted = NaN; // equals no turn, not even itself
        chart.view?.finalize();
      },
    };
  };
})();
