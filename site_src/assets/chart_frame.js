// A chart in a frame (embed.html), in the language that frame.js chose. Behind frame.js, chart.js and chart_away.js.
(() => {
  "use strict";

  const { addressed, attend, away, setIn, stand } = window.touchstoneChartsAt[document.currentScript.src];
  const block = (selector) => JSON.parse(document.querySelector(selector).textContent);
  const language = block(`script.ts-language[data-lang="${document.documentElement.lang}"]`);
  const data = { ...block("script.ts-common"), ...block("script.ts-language"), ...language };
  // the first language's specification stands there whole, of the others' what differs
  for (const [path, value] of language.differs ?? []) setIn(data, path, value);

  const place = away(document.body, addressed("replaceState")); // the way back in a frame is its host's
  place.shown(stand(document.querySelector(".ts-figure"), data, place));
  attend(place, document.body);
})();
