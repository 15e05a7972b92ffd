// The tables of figures below charts: a click on a heading sorts. Part of pages alone, behind chart.js, whose charts these are.
(() => {
  "use strict";

  // Figures by their machine value, missing ones last
  function sortable(table, { data, status }) {
    const words = data.table;
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
        status.textContent = words[order === "ascending" ? "sorted_up" : "sorted_down"].replace("{column}", name);
      });
    });
  }

  // One at a time: a report has a dozen, and a phone that makes all of them at once answers nobody meanwhile
  const waiting = window.touchstoneCharts.charts
    .map((chart) => [chart.figure.querySelector("table.ts-table"), chart])
    .filter(([table]) => table);
  (function next() {
    const first = waiting.shift();
    if (!first) return;
    sortable(...first);
    setTimeout(next);
  })();
})();
