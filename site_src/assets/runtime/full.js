// The same `draw` over the whole Vega-Embed that vl-convert brings along; larger, and made without npm.
const address = document.currentScript.src;

async function draw(element, spec, options) {
  const result = await vegaEmbed(element, spec, {
    actions: false,
    ast: true,
    defaultStyle: false,
    formatLocale: options.number,
    logLevel: 1, // errors alone, as in the slim runtime
    mode: "vega",
    renderer: "svg",
    timeFormatLocale: options.time,
    tooltip: options.tooltip,
  });
  return read(result.view, element, spec, options);
}

(window.touchstoneRuntimes ??= {})[address] = { draw };
