// A chart as large as the window, when the link below it asks for that: its figure moves into a dialog, and back when that closes. Part
// of pages alone, behind chart.js, whose charts these are. A picture without a chart on its page has a link that leads to one.
(() => {
  "use strict";

  const { tooltip, wanted } = window.touchstoneCharts;
  const BELOW = 130; // px of the dialog for the links below the chart, and a line of its notes

  function shown(chart, link) {
    const { figure, slot } = chart;
    const place = document.createElement("div");
    place.style.height = `${figure.offsetHeight}px`; // nothing on the page moves
    const dialog = Object.assign(document.createElement("dialog"), { className: "ts-enlarged md-typeset" });
    dialog.setAttribute("aria-label", figure.querySelector(".ts-headline").textContent);
    const close = Object.assign(document.createElement("button"), { type: "button", className: "ts-close", textContent: link.dataset.close });
    close.addEventListener("click", () => dialog.close());
    figure.replaceWith(place);
    dialog.append(close, figure);
    document.body.append(dialog);
    const onPage = tooltip.layer;
    tooltip.layer = dialog; // which is in front of the page
    dialog.addEventListener("close", () => {
      tooltip.layer = onPage;
      place.replaceWith(figure);
      dialog.remove();
      chart.tall = 0;
      chart.refresh();
      link.focus({ preventScroll: true });
    });
    dialog.showModal();
    chart.tall = innerHeight - (slot.getBoundingClientRect().top - dialog.getBoundingClientRect().top) - BELOW;
    chart.draw();
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a.ts-enlarge");
    const { id, dataset } = link?.closest("figure") ?? {};
    const figure = dataset && document.getElementById(dataset.chart ?? id);
    if (!figure?.dataset.from || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    wanted(figure.id).then((chart) => shown(chart, link)).catch(() => location.assign(link.href));
  });

  // The list of files closes when one looks elsewhere
  const closed = (but) => document.querySelectorAll(".ts-download[open]").forEach((list) => list !== but && (list.open = false));
  document.addEventListener("click", ({ target }) => closed(target.closest?.(".ts-download")));
  document.addEventListener("keydown", ({ key }) => {
    const list = key === "Escape" && document.activeElement.closest(".ts-download[open]");
    if (list) list.querySelector("summary").focus();
    if (key === "Escape") closed();
  });
})();
