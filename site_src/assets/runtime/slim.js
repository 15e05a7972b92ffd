// What a chart needs to draw a compiled Vega specification, and no more: parser, view, the transforms that Vega-Lite's
// bars, lines, points and rules compile to, and the interpreter, which takes expressions without eval.
import { transforms } from "vega-dataflow";
import * as encode from "vega-encode";
import { expressionInterpreter } from "vega-interpreter";
import { parse } from "vega-parser";
import * as core from "vega-transforms";
import { View } from "vega-view";
import * as viewTransforms from "vega-view-transforms";

Object.assign(transforms, core, viewTransforms, encode);

// Loading, parsing and drawing each take a slow phone a tenth of a second: between them the page gets to scroll and answer.
const pause = () => new Promise((done) => setTimeout(done));

async function draw(element, spec, options) {
  await pause();
  const parsed = parse(spec, null, { ast: true });
  await pause();
  const view = new View(parsed, {
    container: element,
    expr: expressionInterpreter,
    locale: { number: options.number, time: options.time },
    renderer: "svg",
  });
  view.tooltip(options.tooltip);
  await pause();
  await view.runAsync();
  return nearest(view, element, spec, options.tooltip);
}

// Keyed by its own address: two versions of the site on one page each find their own.
(window.touchstoneRuntimes ??= {})[document.currentScript.src] = { draw };
