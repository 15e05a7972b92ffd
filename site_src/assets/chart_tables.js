// The tables of figures below charts: they come when one opens them, and a click on a heading sorts. Part of pages alone, behind
// chart.js, whose charts these are.
(() => {
  "use strict";

  const { brought, figures, shown, wanted } = window.touchstoneCharts;

  // Figures by their machine value, missing ones last
  function sortable({ table, figure, status }) {
    const words = figure.querySelector(".ts-numbers").dataset;
    const body = table.tBodies[0];
    const first = [...body.rows];
    const key = (row, column) => {
      const cell = row.cells[column];
      const figure = cell.querySelector("data");
      return figure ? Number(figure.value) : cell.textContent;
    };
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const name = cell.textContent;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "ts-sort";
      button.title = words.sort.replace("{column}", name);
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const order = cell.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", order);
        const numbers = cell.classList.contains("ts-number");
        const sign = order === "ascending" ? 1 : -1;
        const sorted = [...first].sort((one, other) => {
          const [a, b] = [key(one, column), key(other, column)];
          if (numbers && (typeof a !== "number" || typeof b !== "number")) return (typeof a !== "number") - (typeof b !== "number");
          return sign * (numbers ? a - b : a.localeCompare(b, document.documentElement.lang, { numeric: true }));
        });
        body.append(...sorted);
        status.textContent = words[order === "ascending" ? "sortedUp" : "sortedDown"].replace("{column}", name);
      });
    });
  }

  // The block of a figure's table: where it stands, as text beside it, or from its script, whose links begin at the script
  async function block(figure) {
    const standing = figure.querySelector(".ts-scroll");
    if (standing) return standing;
    const { dataset, lastElementChild } = figure.querySelector(".ts-numbers");
    const template = document.createElement("template");
    if (!dataset.rows) {
      template.innerHTML = lastElementChild.textContent;
      return template.content.firstElementChild;
    }
    const address = new URL(dataset.rows, document.baseURI).href;
    template.innerHTML = await brought("touchstoneTables", address);
    for (const link of template.content.querySelectorAll("a")) link.href = new URL(link.getAttribute("href"), address).href;
    return template.content.firstElementChild;
  }

  // A chart with its table, which need not stand on the page yet
  const coming = new Map();
  function tabled(id) {
    if (!coming.has(id)) {
      coming.set(id, (async () => {
        const chart = await wanted(id);
        const found = await block(chart.figure);
        chart.table = found.querySelector("table");
        sortable(chart);
        shown(chart);
        return chart;
      })());
    }
    return coming.get(id);
  }
  window.touchstoneCharts.tabled = tabled;

  for (const { id, lastElementChild } of figures) {
    const numbers = lastElementChild.querySelector(".ts-numbers");
    const fill = async () => {
      const { table } = await tabled(id);
      if (!numbers.contains(table)) numbers.lastElementChild.replaceWith(table.parentElement);
    };
    const opened = () => numbers.open && fill().catch((error) => console.warn(error.message));
    numbers.addEventListener("toggle", opened);
    opened();
  }
})();
