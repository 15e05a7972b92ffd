/* Search in the browser: defines window.touchstoneFind. Scripts of site_src/build/search.py, which says what is in them, put themselves into
   window.touchstoneSearch: the names of all pages at first, then the parts of the text that a query wants.
   No stemmer here: what is typed is looked up among the forms of the pages' words, which stand beside their stem. */
(() => {
  "use strict";
  const CJK = /[\u3005\u3006\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
  const PIECE = /[\u3400-\u9fff\uf900-\ufaff\u3005\u3006]+|[\u3041-\u309f]+|[\u30a0-\u30ff]+|\d+(?:[.,]\d+)*|(?:(?![\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff])[\p{L}\p{M}])+/gu;
  const LIKE = Object.fromEntries([..."авекмнорстух"].map((letter, i) => [letter, "abekmhopctyx"[i]]));
  const SHORT = 2;
  const JOINED = /^[\s/\u2010-\u2013-]?$/u;

  const fold = (text) => text.normalize("NFKC").toLowerCase().replace(/ё/g, "е")
    .replace(/[\u00c0-\u024f\u1e00-\u1eff]/g, (letter) => letter.normalize("NFD")[0]);
  const latin = (text) => text.replace(/[авекмнорстух]/g, (letter) => LIKE[letter]);
  const number = (word) => /^\d/.test(word);

  /* Pieces of a text: words, numbers, runs of one East Asian script, each with where it stands. */
  const pieces = (text) => [...text.matchAll(PIECE)].map((match) =>
    ({ word: fold(match[0]), from: match.index, to: match.index + match[0].length }));

  /* What a query asks for, each a list of pieces with the keys that they may be found under: a name with numbers is one unit (DGX-1,
     2080 Ti, v100) where the pages know it as one, else its pieces are wanted each. */
  function wanted(query, known) {
    const text = query.normalize("NFKC").replace(/(\d\s*)[xх](?=\s)/gi, "$1×"), found = pieces(text), terms = [], taken = new Set();
    for (let i = 0; i + 1 < found.length; i++) {
      const [a, b] = [found[i], found[i + 1]], gap = text.slice(a.to, b.from);
      if (CJK.test(a.word + b.word) || !JOINED.test(gap) || !number(a.word) && !number(b.word)) continue;
      const both = number(a.word) && number(b.word), before = found[i - 1];
      if (both && (!gap || /\s/.test(gap))) continue;
      if (gap && number(a.word) && !number(b.word) && b.word.length > SHORT) continue;
      if (gap && number(a.word) && found[i + 2]?.from === b.to && number(found[i + 2].word)) continue; /* 4 V100 */
      const unit = latin(`${a.word}${both ? "-" : ""}${b.word}`);
      const whole = a.word === "v" && before && !number(before.word) && latin(before.word) + unit; /* TPU v3 is TPUv3 */
      const key = whole && known(whole) ? whole : unit;
      if (!known(key) && gap) continue;
      terms.push({ key, pieces: key === whole ? [before, a, b] : [a, b] });
      for (const piece of terms.at(-1).pieces) taken.add(piece);
    }
    for (const piece of found) {
      if (taken.has(piece)) continue;
      const { word } = piece;
      if (!CJK.test(word) || word.length === 1) terms.push({ key: word, pieces: [piece] });
      else for (let i = 0; i + 1 < word.length; i++) terms.push({ key: word.slice(i, i + 2), pieces: [piece] });
    }
    return [...new Map(terms.map((term) => [term.key, term])).values()];
  }

  /* Lines of `words_of`, taken apart once: what has a key under each of its forms. Postings are read when they are wanted. */
  function table(text) {
    const forms = new Map();
    for (const line of text.split("\n")) {
      const [written, postings] = line.split("\t"), entry = { postings };
      for (const form of written.split(" ")) forms.has(form) ? forms.get(form).push(entry) : forms.set(form, [entry]);
    }
    return forms;
  }
  function holding(entry) {
    let at = 0;
    return entry.held ??= entry.postings.split(" ").map((part) => {
      const [gap, weight] = part.split("*");
      return [at += Number(gap), Number(weight ?? 1)];
    });
  }

  /* Entries that a typed word may mean, with how sure we are: the word itself, else words it begins, else a stem
     with another ending, else words that begin as it does. */
  function meant(tables, word) {
    const exact = tables.flatMap((forms) => forms.get(word) ?? []);
    if (exact.length) return [exact, 1];
    const begun = new Set(), begins = word.length > 1 || CJK.test(word), alike = word.length > 3 && !/\d/.test(word) && !CJK.test(word);
    let near = new Set(), best = Math.max(4, word.length - 3);
    for (const forms of tables) for (const [form, held] of forms) {
      if (begins && form.startsWith(word)) for (const entry of held) begun.add(entry);
      if (!alike || form[0] !== word[0] || form.length > word.length + 3 || /\d/.test(form)) continue;
      let same = 1;
      while (same < form.length && form[same] === word[same]) same++;
      if (same < best || form.length - same > 3) continue;
      if (same > best) { best = same; near = new Set(); }
      for (const entry of held) near.add(entry);
    }
    for (let end = word.length - 1; alike && !begun.size && end >= Math.max(3, word.length - 4); end--) {
      const stem = tables.flatMap((forms) => forms.get(word.slice(0, end)) ?? []);
      if (stem.length) return [stem, 0.6];
    }
    return begun.size ? [[...begun], 0.7] : [[...near], 0.5];
  }

  /* The first of sorted numbers or texts that is above one. */
  function above(sorted, one) {
    let low = 0, high = sorted.length;
    while (low < high) { const middle = (low + high) >> 1; if (sorted[middle] <= one) low = middle + 1; else high = middle; }
    return low;
  }

  /* The first script, taken apart: pages with the number of their first section, and of each phrase its page and length. */
  let ready;
  function names() {
    if (ready) return ready;
    const { language, pages, phrases, words, parts, texts } = window.touchstoneSearch.names;
    let section = 0;
    const listed = pages.split("\n").map((line) => {
      const [path, title, figure, results, sections] = line.split("\t"), first = section;
      section += Number(sections);
      return { path, title, figure, results: Number(results), first };
    });
    const of = phrases.map((phrase, i) => Array.isArray(phrase) ? phrase : [phrase, i]);
    return ready = { language, pages: listed, phrases: of, words: [table(words)], parts, texts, sections: section,
      firsts: listed.map(({ first }) => first), starts: parts.map(([key]) => key), chunks: texts.map(([first]) => first) };
  }

  /* A part that has come, as `read` has it; one that has not is wanted. */
  const had = new Map();
  function part(file, wants, read) {
    if (!had.has(file)) {
      const text = window.touchstoneSearch[file];
      if (text === undefined) { wants.add(file); return undefined; }
      had.set(file, read(text));
    }
    return had.get(file);
  }

  /* The tables of the text's words that may have what is meant by a typed one: those with its first letters. */
  function around(index, word, wants) {
    const start = CJK.test(word) || /\d/.test(word) ? word : word.slice(0, Math.max(3, word.length - 4));
    const from = Math.max(0, above(index.starts, start) - 1), to = above(index.starts, start + "\uffff");
    return index.parts.slice(from, to).flatMap(([, file]) => part(file, wants, table) ?? []);
  }

  /* Kinds of pages: an accelerator, a workload, a system come before what is written about them; results, charts and runs behind all. */
  const KINDS = [[/^accelerators\/./, 1.06], [/^workloads\/./, 1.05], [/^systems\/./, 1.04], [/^reports\/[^/]+\/$/, 1.03], [/^(c|runs|results|compare)\/./, 0.3], [/\/details\/$/, 0.8], [/^sources\/./, 0.7]];
  const kind = (path) => KINDS.find(([starts]) => starts.test(path))?.[1] ?? 1;

  const rare = (all, some) => some ? Math.log(1 + all / some) : Infinity;

  /* Where a term stands: phrases, and sections with its weight there; each with how sure we are that it is meant. */
  function standing(index, term, wants) {
    const phrases = new Map(), sections = new Map(), add = (found, at, value) => { if (value > (found.get(at) ?? 0)) found.set(at, value); };
    const [called, sure] = meant(index.words, term.key), [said, surely] = meant(around(index, term.key, wants), term.key);
    for (const entry of called) for (const [at] of holding(entry)) add(phrases, at, sure);
    for (const entry of said) for (const [at, weight] of holding(entry)) add(sections, at, surely * weight);
    const weight = Math.min(rare(index.phrases.length, phrases.size), rare(index.sections, sections.size));
    return { phrases, sections, weight: Number.isFinite(weight) ? weight ** 1.5 * (term.key.length > 1 || CJK.test(term.key) ? 1 : 0.2) : 0 };
  }

  /* How well the names of pages fit: the share of the query that all of them have, and how much of one of them the query has. */
  function named(index, terms, total) {
    const phrases = new Map(), pages = new Map();
    for (const { phrases: found, weight, at } of terms) {
      for (const [phrase, sure] of found) {
        const page = index.phrases[phrase][1], part = sure * weight / total;
        if (!phrases.has(phrase)) phrases.set(phrase, { share: 0, terms: 0 });
        if (!pages.has(page)) pages.set(page, { terms: 0, parts: [], like: 0 });
        const sum = phrases.get(phrase), one = pages.get(page);
        sum.share += part; sum.terms++;
        one.terms |= 1 << at;
        one.parts[at] = Math.max(part, one.parts[at] ?? 0);
      }
    }
    for (const [phrase, { share, terms: had }] of phrases) {
      const [length, page] = index.phrases[phrase], one = pages.get(page);
      one.like = Math.max(one.like, share * share * had / Math.max(had, length));
    }
    for (const one of pages.values()) {
      one.share = one.parts.reduce((sum, part) => sum + part, 0);
      one.fit = 2 * one.share * one.share + one.like;
    }
    return pages;
  }

  /* The sections that have words of the query, by page, with the best: the share of the query that each has, in its heading at best. */
  function told(index, terms, total) {
    const scores = new Map(), pages = new Map(), value = (one) => one.share * (1 + one.fit);
    for (const { sections, weight, at } of terms) {
      const part = weight / total;
      for (const [section, often] of sections) {
        let sum = scores.get(section);
        if (!sum) scores.set(section, sum = { section, share: 0, fit: 0, terms: 0 });
        sum.terms |= 1 << at;
        sum.share += part * Math.min(1, often * 2); sum.fit += part * (Math.min(1, often / HEADED) + Math.log1p(often) / 4);
      }
    }
    for (const sum of scores.values()) {
      const page = above(index.firsts, sum.section) - 1, list = pages.get(page);
      if (!list) pages.set(page, [sum]);
      else if (value(sum) > value(list[0]) || value(sum) === value(list[0]) && sum.section < list[0].section) list.unshift(sum);
      else list.push(sum);
    }
    return pages;
  }

  const HEADED = 8, OF_A_PAGE = 2, PAGES = 20, MOST = 0.99, ENOUGH = 0.8, TERMS = 30, NONE = { share: 0, fit: 0, terms: 0 };

  /* Pages for a query, the best first, each with up to two of its sections; and the files that would say more. */
  window.touchstoneFind = (query) => {
    const index = names(), wants = new Set();
    const known = (key) => [...index.words, ...around(index, key, wants)].some((forms) => forms.has(key));
    const versus = compared(query, index);
    const terms = wanted(versus ? versus.asked.join(" ") : query, known).slice(0, TERMS).map((term, at) => ({ ...standing(index, term, wants), at })), total = terms.reduce((sum, { weight }) => sum + weight, 0);
    const titles = named(index, terms, total), texts = told(index, terms, total);
    const scored = [...new Set([...titles.keys(), ...texts.keys()])].map((at) => {
      const page = index.pages[at], title = titles.get(at) ?? NONE, sections = texts.get(at) ?? [], best = sections[0] ?? NONE;
      const score = (title.fit + best.share * (1 + best.fit) / 2 * (1.02 - title.share)) * kind(page.path) * (1 + Math.log1p(page.results) / 200);
      const had = title.terms | best.terms, share = terms.reduce((sum, { weight }, i) => sum + (had >> i & 1 ? weight : 0), 0) / total;
      return { ...page, score, share, sections };
    });
    const most = Math.max(0, ...scored.map(({ share }) => share));
    const best = scored.filter(({ share }) => share >= most * ENOUGH)
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, PAGES);
    const hits = best.map(({ path, title, figure, sections }) => {
      const good = sections.filter(({ share }) => share >= sections[0].share * MOST).sort((a, b) => b.fit - a.fit || a.section - b.section).slice(0, OF_A_PAGE + 1).map(({ section }) => sectionOf(index, section, wants));
      return { path, title, figure, text: good.find(({ anchor }) => !anchor)?.text ?? good[0]?.text ?? "",
        sections: good.filter(({ anchor }) => anchor).slice(0, OF_A_PAGE) };
    });
    return { hits: versus ? [versus.hit, ...hits.filter(({ path }) => path !== versus.hit.path)] : hits, wants: [...wants] };
  };

  function sectionOf(index, section, wants) {
    const chunk = above(index.chunks, section) - 1, [first, file] = index.texts[chunk];
    const [anchor = "", heading = "", text = ""] = part(file, wants, (all) => all.split("\n").map((line) => line.split("\t")))?.[section - first] ?? [];
    return { anchor, heading, text };
  }

  /* "X vs Y" of two accelerators or systems: the page that compares them, where the site has one for any two. */
  const VERSUS = /^(.+?)\s*(?:\s(?:vs\.?|versus|against|против|и|or|или|frente a|contra|y|と|対|к)\s|対|vs\.?|と(?=[a-z\d]))\s*(.+)$/iu;
  function compared(query, index) {
    const text = query.normalize("NFKC"), names = text.match(VERSUS)?.slice(1) ?? beside(text, index), sides = names?.map((side) => subjects(side, index));
    if (!sides?.every(([first]) => first) || sides[0][0] === sides[1][0]) return undefined;
    const id = ({ path }) => path.split("/")[1], pages = new Map(index.pages.filter(({ path }) => path.startsWith("compare/")).map((page) => [page.path, page]));
    const pairs = sides[0].flatMap((one) => sides[1].map((other) => ({ one, other, page: pages.get(`compare/${[id(one), id(other)].sort().join("-vs-")}/`) })));
    // of the pages of two that may be meant that of the first, else of those with most results
    const [first] = pairs, { page } = first.page ? first : pairs.filter(({ page }) => page).sort((a, b) => b.one.results + b.other.results - a.one.results - a.other.results)[0] ?? first;
    const any = pages.get("compare/"), asked = names.map((name) => name.trim());
    if (page) return { asked, hit: { ...page, text: "", sections: [] } };
    return any && { asked, hit: { path: `compare/?a=${encodeURIComponent(asked[0])}&b=${encodeURIComponent(asked[1])}`, title: `${any.title}: ${asked.join(" – ")}`, figure: "", text: "", sections: [] } };
  }
  /* Two names without a word between, each with a number, where nothing is called by both. */
  function beside(text, index) {
    const words = text.trim().split(/\s+/), name = /\p{L}.*\d|\d.*\p{L}/u;
    if (words.filter((word) => /\d/.test(word)).length < 2 || subjects(text, index).length) return undefined;
    for (let at = 1; at < words.length; at++) {
      const parts = [words.slice(0, at), words.slice(at)].map((some) => some.join(" "));
      if (parts.every((part) => name.test(part) && subjects(part, index).length)) return parts;
    }
    return undefined;
  }
  /* The accelerators, else the systems, that are called so, the likeliest first. */
  function subjects(side, index) {
    const terms = wanted(side, (key) => index.words[0].has(key))
      .map((term, at) => ({ ...standing({ ...index, starts: [], parts: [] }, term, new Set()), at }));
    const total = terms.reduce((sum, { weight }) => sum + weight, 0);
    const score = ([at, { fit }]) => fit * (1 + Math.log1p(index.pages[at].results) / 200);
    const found = [...named(index, terms, total)].filter(([, { share }]) => share > MOST).sort((a, b) => score(b) - score(a)).map(([at]) => index.pages[at]);
    return [/^accelerators\/./, /^systems\/./].map((kind) => found.filter(({ path }) => kind.test(path))).find((some) => some.length) ?? [];
  }

  /* Where in a text the query's words stand: [from, to] pairs, for highlights. A word counts from its shared beginning on, a number whole,
     and what belongs to a name with the name alone, or where a text has no such name, if it is long enough to say something. */
  window.touchstoneMarks = (query, text) => {
    const marks = [], lowered = latin(text.toLowerCase()).length === text.length ? latin(text.toLowerCase()) : text;
    const asked = query.normalize("NFKC"), units = [];
    for (const piece of pieces(asked)) {
      const last = units.at(-1), gap = last && asked.slice(last.at(-1).to, piece.from);
      const joins = last && !CJK.test(piece.word + last.at(-1).word) && JOINED.test(gap) && (number(piece.word) !== number(last.at(-1).word) || gap && !/\s/.test(gap) && number(piece.word));
      if (joins && (!/\s/.test(gap) || number(piece.word) || piece.word.length <= SHORT)) last.push(piece); else units.push([piece]);
    }
    for (const unit of units) {
      const words = unit.map(({ word }) => word);
      let whole = 0;
      if (words.length > 1) {
        const standing = new RegExp(`(?<![\\p{L}\\p{N}])${words.map(latin).map((word) => word.replace(/\./g, "\\.")).join("[\\s/.\\u2010-\\u2013-]*")}(?!\\p{N})`, "gu");
        for (const match of lowered.matchAll(standing)) whole = marks.push([match.index, match.index + match[0].length]);
      }
      for (const word of words) {
        if (CJK.test(word)) { for (let at = lowered.indexOf(word); at >= 0; at = lowered.indexOf(word, at + 1)) marks.push([at, at + word.length]); continue; }
        if (words.length > 1 && (whole || word.length <= SHORT)) continue;
        const root = word.slice(0, word.length > 4 ? Math.max(4, word.length - 3) : 3);
        for (const { word: other, from, to } of pieces(text)) if (number(word) || words.length > 1 ? other === word : other.startsWith(root)) marks.push([from, to]);
      }
    }
    return marks.sort((a, b) => a[0] - b[0]);
  };
})();
