/* The chart of the results that are shown: any two of their figures against each other, coloured by what they are. */
(() => {
  "use strict";
  const at = window.touchstoneExplored;
  const { spec: plain, scales, dark: darker, titles, looks } = window.touchstoneScatter;
  const { dark, drawIn, setIn, preference } = window.touchstoneCharts;
  let wanted = 0;
  let drawn;

  /* Words with most points have a look of their own, the rest share the last one */
  function grouped(colour, rows) {
    const counts = new Map();
    for (const row of rows) counts.set(at.word(colour, row), (counts.get(at.word(colour, row)) ?? 0) + 1);
    const first = [...counts].sort(([, a], [, b]) => b - a).slice(0, looks.length - 1).map(([word]) => word);
    return { first, of: (row) => { const found = first.indexOf(at.word(colour, row)); return found < 0 ? looks.length - 1 : found; }, more: counts.size > first.length };
  }

  const told = (name, row) => {
    const [text, pattern, note] = at.written(name, row);
    return `${at.say.titles[name]}: ${at.filled(pattern, { n: text })}${note ? ` · ${note}` : ""}`;
  };

  async function draw(fold) {
    drawn = fold;
    const slot = fold.querySelector(".ts-explore__drawing");
    const { x, y, colour, log } = at.state().chart;
    for (const [name, value] of [["x", x], ["y", y], ["colour", colour]]) fold.querySelector(`select[name=${name}]`).value = value;
    for (const box of fold.querySelectorAll("[name=log]")) box.checked = log.includes(box.value);
    const shows = (name, row) => { const found = at.value(name, row); return found !== null && (found > 0 || !log.includes(name === x ? "x" : "y")); };
    const rows = at.rows().filter((row) => shows(x, row) && shows(y, row));
    const groups = grouped(colour, rows);
    const theme = dark() ? 1 : 0;
    const mine = (wanted += 1);
    const status = fold.querySelector("[role=status]");
    status.textContent = rows.length ? at.filled(at.say.points, { n: at.number(rows.length, 0) }) : at.say.no_points;
    legend(fold, colour, groups, theme, rows);
    slot.hidden = !rows.length;
    if (!rows.length) return;
    const spec = structuredClone(plain);
    for (const [path, value] of scales["xy".replace(/./g, (axis) => (log.includes(axis) ? axis : ""))]) setIn(spec, path, structuredClone(value));
    if (theme) for (const [path, value] of darker) setIn(spec, path, value);
    for (const [axis, name] of [["x", x], ["y", y]]) {
      const title = log.includes(axis) ? at.filled(at.say.log, { title: at.say.titles[name] }) : at.say.titles[name];
      for (const path of titles[axis]) setIn(spec, path, title);
    }
    spec.data.find((each) => each.name === "rows").values = rows.map((row) => {
      const look = looks[groups.of(row)];
      const name = [at.named("system", at.word("system", row)), at.named("workload", at.word("workload", row))].join(" · ");
      return { x: at.value(x, row), y: at.value(y, row), colour: look[theme], shape: look[2], id: at.ids[row], tip: [name, told(x, row), told(y, row)].join("\n") };
    });
    await drawIn(slot, spec, `${at.say.titles[y]} / ${at.say.titles[x]}. ${status.textContent}`, at.say, () => mine !== wanted);
  }

  function legend(fold, colour, { first, more }, theme, rows) {
    const entry = (text, [light, night, , path]) =>
      `<span><svg class="ts-swatch" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d="${path}" fill="${theme ? night : light}"/></svg> ${at.escaped(text)}</span>`;
    const entries = first.map((word, number) => entry(at.named(colour, word), looks[number]));
    if (more) entries.push(entry(at.say.other, looks.at(-1)));
    fold.querySelector(".ts-explore__legend").innerHTML = rows.length ? entries.join(" ") : "";
  }

  at.draw = draw;
  const again = () => { if (drawn?.open && at.state().chart) draw(drawn); };
  new MutationObserver(again).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  preference.addEventListener("change", again);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; again(); } });
})();
