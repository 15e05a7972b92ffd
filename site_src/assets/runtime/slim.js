// What a chart needs to draw a compiled Vega specification, and no more: parser, view, the transforms that Vega-Lite's
// bars, lines, points and rules compile to, and the interpreter, which takes expressions without eval.
import { Transform, transforms } from "vega-dataflow";
import * as encode from "vega-encode";
import { expressionInterpreter } from "vega-interpreter";
import { parse } from "vega-parser";
import * as core from "vega-transforms";
import { View } from "vega-view";
import * as viewTransforms from "vega-view-transforms";

Object.assign(transforms, core, viewTransforms, encode);

// Loading, parsing and drawing each take a slow phone a tenth of a second: between them the page gets to scroll and answer.
const pause = () => new Promise((done) => setTimeout(done));

// So it does between the steps of a first drawing, which waits for a step that promises its end.
const TURN = 16; // ms
const { run } = Transform.prototype;
Transform.prototype.run = function (pulse) {
  const { dataflow } = pulse;
  if (!dataflow.turn || performance.now() - dataflow.turn < TURN) return run.call(this, pulse);
  return pause().then(() => {
    dataflow.turn = performance.now();
    return run.call(this, pulse);
  });
};

async function draw(element, spec, options) {
  await pause();
  const parsed = parse(spec, null, { ast: true });
  await pause();
  const view = new View(parsed, {
    expr: expressionInterpreter,
    locale: { number: options.number, time: options.time },
    renderer: "svg",
  });
  view.tooltip(options.tooltip);
  await pause();
  view.turn = performance.now();
  view.runAfter(() => { view.turn = 0; }, true, 2); // before what the layout runs again, which has to end at once
  await view.runAsync();
  await pause();
  element.style.cursor = "default"; // which the first run says, and an element that came later does not hear
  await view.initialize(element).runAsync();
  return read(view, element, spec, options);
}

// Keyed by its own address: two versions of the site on one page each find their own.
(window.touchstoneRuntimes ??= {})[document.currentScript.src] = { draw };
