// A chart in a frame (embed.html), of the data that frame.js loads. Behind frame.js, chart.js and chart_away.js.
(() => {
  "use strict";

  const { addressed, attend, away, stand } = window.touchstoneChartsAt[document.currentScript.src];

  window.touchstoneFrame = (data) => {
    const place = away(document.body, addressed("replaceState")); // the way back in a frame is its host's
    place.shown(stand(document.querySelector(".ts-figure"), data, place));
    attend(place, document.body);
  };
})();
