// How a chart's values are read: by the pointer, and by arrow keys. Part of both runtimes.
const REACH = 24; // px, about as wide as the finger that points

// Arrow keys lead along the marks, or the evaluations of curves: each says its value, as it does under a pointer
function read(view, element, spec, { tooltip, said }) {
  const marks = () => [...element.querySelectorAll("svg *")].filter(({ __data__: item }) => item?.tooltip).map((mark) => {
    const { left, top, width, height } = mark.getBoundingClientRect();
    return { clientX: left + width / 2, clientY: top + height / 2, tip: mark.__data__.tooltip };
  });
  const stops = spec.marks.some(({ name }) => name === "evaluations_marks") ? nearest(view, element, tooltip) : marks;
  let stop;
  element.tabIndex = 0;
  element.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], found = by ? stops() : [];
    if (!found.length) return;
    event.preventDefault();
    stop = ((stop ?? (by < 0 ? 0 : -1)) + by + found.length) % found.length;
    const { tip, ...where } = found[stop];
    tooltip(null, where, null, tip);
    said?.();
  });
  element.addEventListener("blur", (event) => tooltip(null, event, null, null));
  return view;
}

// Of evaluations that are too many for a mark each the pointer tells the nearest: their layer has the name of Curves in
// site_src/figures/marks. Returns what gives each, where it is on the screen, with what it tells.
function nearest(view, element, tooltip) {
  let points;
  const placed = () => (points ??= view.data("rows")
    .filter(({ kind, along, value }) => kind === "evaluation" && along !== null && value !== null)
    .map(({ along, value, tip }) => [view.scale("x")(along), view.scale("y")(value), tip])
    .filter(([across, down]) => across >= 0 && across <= view.width() && down >= 0 && down <= view.height()));
  const seen = () => {
    const marks = element.querySelector("svg"), box = marks.getBoundingClientRect(), [left, top] = view.origin();
    return { box, left, top, scale: marks.viewBox.baseVal.width / box.width };
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
  return () => {
    const { box, left, top, scale } = seen();
    return placed().map(([across, down, tip]) => ({ clientX: box.left + (left + across) / scale, clientY: box.top + (top + down) / scale, tip }));
  };
}

