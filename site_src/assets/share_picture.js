// Pictures of what a chart shows now, in the frame of `frame` in site_src/charts/pictures.py. Comes when the share panel is asked for one.
(() => {
  "use strict";

  const { runtime } = window.touchstoneCharts;
  const { lang, dir } = document.documentElement;
  const rtl = dir === "rtl";

  const PAD = 16;
  const SWATCH = 16;

  // How lines of text are set: letter height and line step in px, weight; as in `frame`
  const TITLES = [19, 17, 15].map((size) => ({ size, step: size + 6, weight: "bold" }));
  const TITLE_LINES = 3; // of the largest
  const SUBTITLES = [14, 13, 12].map((size) => ({ size, step: size + 5, weight: "normal" }));
  const CHOICES = { size: 13, step: 18, weight: "normal" };
  const SERIES = { size: 13, step: 17, weight: "normal" };
  const SMALL = { size: 12, step: 17, weight: "normal" };

  // What stays on one line, as in `wrap` there: no line begins with a sign or a small letter of Japanese that closes, none ends with one
  // that opens, and only plain spaces part words: a no-break space keeps a number with its unit. A number keeps its counter, and a word of
  // Japanese its particles
  const CLOSING = "、。，．・：；？！％）］｝〕〉》」』】’”ー～〜…々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ),.:;?!%\\]";
  const OPENING = "（［｛〔〈《「『【‘“(\\[";
  const WIDE = "\\u2e80-\\uffef";
  const PARTICLES = "ぁ-ゖゝゞ";
  const NAME = "(?:[ァ-ヺー]+|[㐀-鿿々〇]+)";
  const PIECE = new RegExp(
    `[${OPENING}]*(?![${OPENING}])` +
      `(?:${NAME}[${PARTICLES}]*|[${PARTICLES}]+|[${WIDE}])[${CLOSING}]*\\s*` +
      `|[${OPENING}]*(?:[^ \\n\\t${WIDE}]*\\d${NAME}` +
      `|[^ \\n\\t${WIDE}]+?(?=[${OPENING}]*[${WIDE}]|[ \\n\\t]|$))` +
      `[${PARTICLES}]*[${CLOSING}]*[ \\n\\t]*` +
      `|[ \\n\\t]+|[${WIDE}]`,
    "gu",
  );

  // Parts of an address that is longer than a line, and of a name that has no such parts
  const STEP = /[^/?&,]+[/?&,]*|[/?&,]+/g;
  const LETTER = new RegExp(`[${OPENING}]*.[${CLOSING}]*`, "gsu");

  const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const xml = (text) => text.replace(/[&<>"]/g, (sign) => SIGNS[sign]);

  // Lines that fit into so many px, each with its width, in the letters that this browser draws
  function wrap(text, room, { size, weight }, font) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${weight} ${size}px ${font}`;
    const wide = (line) => pen.measureText(line.trim()).width;
    const found = [""];
    for (const [whole] of text.matchAll(PIECE)) {
      const steps = wide(whole) > room ? whole.match(STEP) : [whole];
      for (const piece of steps.flatMap((step) => (wide(step) > room ? step.match(LETTER) : [step]))) {
        if (found.at(-1) && piece.trim() && wide(found.at(-1) + piece) > room) found.push("");
        found[found.length - 1] += piece;
      }
    }
    // joined they are the text, for who copies it: spaces stay at their ends
    const lines = found.filter((line) => line.trim());
    return lines.map((line, at) => ({ text: line.trim() + (at + 1 < lines.length && /\s$/.test(line) ? " " : ""), width: wide(line) }));
  }

  // The chart itself
  async function inner(chart, theme, width) {
    const { draw } = await runtime();
    const { number, time } = chart.data.formats;
    const specification = chart.specification(chart.drawn(), { theme, width });
    const view = await draw(document.createElement("div"), specification, { number, time, tooltip() {} });
    try {
      return (await view.toSVG()).replaceAll("\u200b", "").replaceAll("</text>", "</text> "); // as `apart` in site_src/charts/vega.py
    } finally {
      view.finalize();
    }
  }

  // The series with their shapes from `top` on, in rows as full as they get; `set` sets lines of text
  function legend(series, { top, width, font, set }) {
    const gap = 6; // between shape and name
    const apart = 18; // between series
    let [x, y, end] = [0, top, top];
    const parts = series.map(({ name, shapes }) => {
      const lines = wrap(name, width - SWATCH - gap, SERIES, font);
      const own = SWATCH + gap + Math.max(...lines.map((line) => line.width));
      if (x && x + own > width) [x, y] = [0, end];
      const at = x + SWATCH + gap;
      const drawn = [...shapes].map((shape) => {
        const copy = shape.cloneNode();
        copy.removeAttribute("class");
        return new XMLSerializer().serializeToString(copy);
      });
      const left = PAD + (rtl ? width - x - SWATCH : x);
      end = Math.max(end, y + SERIES.step * lines.length + 5);
      x += own + apart;
      return `<g transform="translate(${left} ${y})">${drawn.join("")}</g>${set(lines, y + 13, SERIES, at)}`;
    });
    return { drawn: parts.join(""), end: parts.length ? end + 2 : top };
  }

  // The first way to set a text in which it fills so few px, and its lines
  function fitted(text, room, kinds, height, font) {
    let found;
    const whole = text.replace(/(\d) × (?=\S)/g, "$1\u00a0×\u00a0"); // as `_TIMES` there
    for (const kind of kinds) {
      found = { kind, lines: wrap(whole, room, kind, font) };
      if (kind.step * found.lines.length <= height) break;
    }
    return found;
  }

  // Likewise on one line, cut off in the last way
  function onLine(text, room, kinds, font) {
    for (const kind of kinds) {
      const lines = wrap(text, room, kind, font);
      if (lines.length === 1) return { kind, lines };
    }
    const kind = kinds.at(-1);
    let cut = text;
    while (wrap(`${cut}…`, room, kind, font).length > 1) cut = cut.slice(0, -1).trimEnd();
    return { kind, lines: wrap(`${cut}…`, room, kind, font) };
  }

  async function picture(chart, { title, subtitle, choices, series, small, desc }, { look, theme }) {
    const { font } = look;
    const drawn = await inner(chart, theme, look.width);
    const size = (name) => Math.round(Number(drawn.match(new RegExp(`<svg[^>]*? ${name}="([\\d.]+)"`))[1]));
    const [width, height] = [size("width"), size("height")];
    const [ink, quiet] = [look.ink[theme], look.quiet[theme]];
    const set = (lines, y, { size, step, weight }, at = 0, colour = ink) => {
      const x = PAD + (rtl ? width - at : at);
      const style = `font-family="${xml(font)}" font-size="${size}" font-weight="${weight}" fill="${colour}"`;
      return lines.map(({ text }, row) => `<text x="${x}" y="${y + step * row}" text-anchor="start" ${style}>${xml(text)}</text>`).join("") + " ";
    };
    const titles = fitted(title, width, TITLES, TITLE_LINES * TITLES[0].step, font);
    const named = onLine(subtitle, width, SUBTITLES, font);
    const chosen = wrap(choices, width, CHOICES, font);
    const words = small.flatMap((line) => wrap(line, width, SMALL, font));
    const line = PAD + titles.kind.step * titles.lines.length;
    const below = Math.round(line + named.kind.step + 8);
    const under = below + (chosen.length && CHOICES.step * chosen.length + 4);
    const { drawn: listed, end: top } = legend(series, { top: under, width, font, set });
    const [wide, high] = [width + 2 * PAD, top + height + 10 + SMALL.step * words.length + PAD];
    const svg = [
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${wide}" height="${high}" `,
      `viewBox="0 0 ${wide} ${high}" role="img" xml:lang="${lang}"${rtl ? ' direction="rtl"' : ""} aria-labelledby="title desc">`,
      `<title id="title">${xml(title)}</title><desc id="desc">${xml(desc)}</desc>`,
      `<rect width="100%" height="100%" fill="${look.paper[theme]}"/>`,
      set(titles.lines, PAD + titles.kind.size - 1, titles.kind),
      set(named.lines, line + named.kind.size, named.kind, 0, quiet),
      set(chosen, below + 12, CHOICES, 0, quiet),
      listed,
      `<svg x="${PAD}" y="${top}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
      drawn.slice(drawn.indexOf(">") + 1),
      set(words, top + height + 22, SMALL, 0, quiet),
      "</svg>",
    ];
    return { svg: svg.join(""), width: wide, height: high };
  }

  async function painted({ svg, width, height }, scale) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
  }

  function download(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // A file of a chart with the words of `order` in share.js
  async function save(chart, order, { kind, name, theme, look }) {
    const made = await picture(chart, order, { look, theme });
    download(kind === "svg" ? new Blob([made.svg], { type: "image/svg+xml" }) : await painted(made, kind === "png2" ? 2 : 1), name);
  }

  window.touchstonePicture = { save };
})();
