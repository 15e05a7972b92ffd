/* The rows that are shown, in their order, with the columns that are shown, as a file: CSV, or Parquet in its plainest form (one group
   of rows, one page a column, nothing packed), which needs no library. Words are those of the records, which all downloads share. */
(() => {
  "use strict";
  const at = window.touchstoneExplored;
  const NAMES = { time: "time_to_target_min", epochs: "epochs_to_target", quality: "final_quality", batch: "global_batch_size", energy: "energy_kwh", memory: "peak_memory_gb", cost: "cost_to_target_usd" };
  const RECORDED = ["quality"]; // a fraction in the files, as in all others

  const [INT64, DOUBLE, BYTE_ARRAY] = [2, 5, 6]; // as Parquet counts them
  const whole = (name) => at.say.figures[name] === 0; // figures without decimals
  /* Columns as [name, cells, kind]: names and kinds are the same whatever rows are chosen */
  function table() {
    const rows = at.rows();
    const of = (make) => rows.map(make);
    const found = [["result_id", of((row) => at.ids[row]), BYTE_ARRAY]];
    const text = (name, make) => found.push([name, of((row) => make(row) || null), BYTE_ARRAY]);
    for (const name of at.columns()) {
      if (name === "year") found.push([name, of((row) => Number(at.word(name, row)) || null), INT64]);
      else if (!at.isFigure(name)) text(name, (row) => at.word(name, row));
      else {
        const [values, numbers] = at.figures[name];
        const known = (make) => (row) => (values[row] === null ? null : make(row));
        const own = NAMES[name] ?? name;
        found.push([own, of(RECORDED.includes(name) ? (row) => values[row] : (row) => at.value(name, row)), whole(name) ? INT64 : DOUBLE]);
        if (numbers.some((kind) => at.kinds[kind]?.[2])) text(`${own}_of`, known((row) => at.kinds[numbers[row]][2]));
        text(`${own}_ref`, known((row) => at.reference(name, row)));
      }
    }
    for (const [name, [words, numbers]] of Object.entries(window.touchstoneCredits)) text(name, (row) => words[numbers[row]]);
    return found;
  }

  function csv(columns) {
    const cell = (value) => (value === null ? "" : /[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
    const lines = [columns.map(([name]) => name), ...columns[0][1].map((_, row) => columns.map(([, cells]) => cells[row]))];
    return [lines.map((line) => line.map(cell).join(",") + "\n").join("")];
  }

  /* Thrift's compact protocol, as far as Parquet's descriptions need it: each field is [number, kind, value] */
  const utf8 = new TextEncoder();
  const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];
  function varint(value) {
    const bytes = [];
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    return [...bytes, rest];
  }
  const written = {
    [I32]: (value) => varint(2 * value),
    [I64]: (value) => varint(2 * value),
    [BINARY]: (value) => { const bytes = utf8.encode(value); return [...varint(bytes.length), ...bytes]; },
    [LIST]: ([kind, items]) => [...(items.length < 15 ? [16 * items.length + kind] : [0xf0 + kind, ...varint(items.length)]), ...items.flatMap((item) => written[kind](item))],
    [STRUCT]: (fields) => {
      let last = 0;
      const bytes = fields.flatMap(([number, kind, value]) => {
        const header = 16 * (number - last) + kind;
        last = number;
        return [header, ...written[kind](value)];
      });
      return [...bytes, 0];
    },
  };

  function plain(kind, cells) {
    const known = cells.filter((cell) => cell !== null);
    const texts = kind === BYTE_ARRAY ? known.map((cell) => utf8.encode(cell)) : [];
    const bytes = new Uint8Array(kind === BYTE_ARRAY ? texts.reduce((sum, each) => sum + 4 + each.length, 0) : 8 * known.length);
    const view = new DataView(bytes.buffer);
    let place = 0;
    for (const each of texts) {
      view.setUint32(place, each.length, true);
      bytes.set(each, place + 4);
      place += 4 + each.length;
    }
    if (kind === INT64) known.forEach((cell, row) => view.setBigInt64(8 * row, BigInt(cell), true));
    if (kind === DOUBLE) known.forEach((cell, row) => view.setFloat64(8 * row, cell, true));
    return bytes;
  }

  /* Which cells there are: one bit each, packed in groups of eight */
  function levels(cells) {
    const groups = Math.ceil(cells.length / 8);
    const header = varint(2 * groups + 1);
    const bytes = new Uint8Array(4 + header.length + groups);
    new DataView(bytes.buffer).setUint32(0, header.length + groups, true);
    bytes.set(header, 4);
    cells.forEach((cell, row) => { if (cell !== null) bytes[4 + header.length + (row >> 3)] |= 1 << (row & 7); });
    return bytes;
  }

  function parquet(columns) {
    const count = columns[0][1].length;
    const parts = [utf8.encode("PAR1")];
    let size = 4;
    const put = (bytes) => { parts.push(bytes); size += bytes.length; };
    const chunks = columns.map(([name, cells, kind]) => {
      const [there, values] = [levels(cells), plain(kind, cells)];
      const long = there.length + values.length;
      const page = [[1, I32, count], [2, I32, 0], [3, I32, 3], [4, I32, 3]];
      const header = Uint8Array.from(written[STRUCT]([[1, I32, 0], [2, I32, long], [3, I32, long], [5, STRUCT, page]]));
      const start = size;
      for (const bytes of [header, there, values]) put(bytes);
      const all = size - start;
      const about = [[1, I32, kind], [2, LIST, [I32, [0, 3]]], [3, LIST, [BINARY, [name]]], [4, I32, 0], [5, I64, count], [6, I64, all], [7, I64, all], [9, I64, start]];
      return [[2, I64, start], [3, STRUCT, about]];
    });
    const fields = columns.map(([name, , kind]) => {
      return [[1, I32, kind], [3, I32, 1], [4, BINARY, name], ...(kind === BYTE_ARRAY ? [[6, I32, 0]] : [])];
    });
    const schema = [[[4, BINARY, "schema"], [5, I32, columns.length]], ...fields];
    const group = [[1, LIST, [STRUCT, chunks]], [2, I64, size - 4], [3, I64, count]];
    const footer = Uint8Array.from(written[STRUCT]([[1, I32, 1], [2, LIST, [STRUCT, schema]], [3, I64, count], [4, LIST, [STRUCT, [group]]], [6, BINARY, "Touchstone"]]));
    put(footer);
    const end = new Uint8Array(8);
    new DataView(end.buffer).setUint32(0, footer.length, true);
    end.set(utf8.encode("PAR1"), 4);
    put(end);
    return parts;
  }

  at.download = (what) => {
    const columns = table();
    const [parts, type] = what === "csv" ? [csv(columns), "text/csv;charset=utf-8"] : [parquet(columns), "application/vnd.apache.parquet"];
    const href = URL.createObjectURL(new Blob(parts, { type }));
    Object.assign(document.createElement("a"), { href, download: `touchstone-results.${what}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  };
})();
