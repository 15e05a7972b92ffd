// Of evaluations that are too many for a mark each the pointer tells the nearest: their layer has the name of Curves in
// site_src/figures/marks. Part of both runtimes.
const REACH = 24; // px, about as wide as the finger that points

function nearest(view, element, spec, tooltip) {
  if (!spec.marks.some(({ name }) => name === "evaluations_marks")) return view;
  let points;
  const placed = () => (points ??= view.data("rows")
    .filter(({ kind, along, value }) => kind === "evaluation" && along !== null && value !== null)
    .map(({ along, value, tip }) => [view.scale("x")(along), view.scale("y")(value), tip])
    .filter(([across, down]) => across >= 0 && across <= view.width() && down >= 0 && down <= view.height()));
  const seen = () => {
    const marks = element.querySelector("svg"), box = marks.getBoundingClientRect(), [left, top] = view.origin();
    return { box, left, top, scale: marks.viewBox.baseVal.width / box.width };
  };
  // Each where it is on the screen, with what it tells
  view.stops = () => {
    const { box, left, top, scale } = seen();
    return placed().map(([across, down, tip]) => ({ clientX: box.left + (left + across) / scale, clientY: box.top + (top + down) / scale, tip }));
  };
  const told = ({ clientX, clientY }) => {
    const { box, left, top, scale } = seen();
    const [x, y] = [(clientX - box.left) * scale - left, (clientY - box.top) * scale - top];
    let [least, found] = [REACH, null];
    for (const [across, down, tip] of placed()) {
      const far = Math.hypot(across - x, down - y);
      if (far < least) [least, found] = [far, tip];
    }
    return found;
  };
  // a mark of its own below the pointer tells itself
  const show = (event) => event.target.__data__?.tooltip ?? tooltip(null, event, null, told(event));
  for (const name of ["pointermove", "pointerdown"]) element.addEventListener(name, show);
  element.addEventListener("pointerleave", (event) => tooltip(null, event, null, null));
  return view;
}

