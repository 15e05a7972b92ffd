/* Search in the browser. Takes window.touchstoneSearch (search/<lang>.js, made by site_src/build/search.py), and window.touchstoneSearchText
   (search/<lang>.text.js) once it is there, and defines window.touchstoneFind.
   No stemmer here: what is typed is looked up in the vocabulary of the pages, whose words carry the number of their stem. */
(() => {
  "use strict";
  const CJK = /[\u3005\u3006\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
  const TOKEN = /[\u3400-\u9fff\uf900-\ufaff\u3005\u3006]+|[\u3041-\u309f]+|[\u30a0-\u30ff]+|[0-9]+(?:[.,][0-9]+)*|(?:(?![\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\d_])[\p{L}\p{M}])(?:(?![\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff_])[\p{L}\p{M}\p{N}])*/gu;

  const OF_A_PAGE = 2;

  const fold = (text) => text.normalize("NFKC").toLowerCase().replace(/ё/g, "е")
    .replace(/[\u00c0-\u024f\u1e00-\u1eff]/g, (letter) => letter.normalize("NFD")[0]);
  const tokens = (text) => text.normalize("NFKC").toLowerCase().match(TOKEN) || [];

  /* Stems that a typed word may mean, with how sure we are: the word itself, words it begins, words that begin as it does. */
  function meanings(index, typed) {
    const stems = new Map();
    const take = (word, sure) => {
      for (const stem of stemsOf(index, word)) if ((stems.get(stem) || 0) < sure) stems.set(stem, sure);
    };
    if (CJK.test(typed)) {
      if (typed.length === 1) { for (const word of index.words) if (word.includes(typed)) take(word, 1); }
      else take(typed, 1);
      return stems;
    }
    const word = fold(typed);
    take(word, 1);
    for (let i = lower(index.words, word); i < index.words.length && index.words[i].startsWith(word); i++) take(index.words[i], 0.7);
    /* A form that the pages do not have: a stem of theirs with another ending, */
    for (let end = word.length - 1; !stems.size && end >= Math.max(3, word.length - 4); end--) {
      take(word.slice(0, end), 0.6);
    }
    /* or a word whose own ending differs. */
    if (!stems.size && word.length > 4) {
      const least = Math.max(4, word.length - 3);
      let best = 0, near = [];
      for (const other of index.words) {
        let same = 0;
        while (same < word.length && same < other.length && word[same] === other[same]) same++;
        if (same < least || other.length - same > 4) continue;
        if (same > best) { best = same; near = []; }
        if (same === best) near.push(other);
      }
      for (const other of near) take(other, 0.5);
    }
    return stems;
  }

  /* A section with its page's path and title. */
  function sectionOf(index, number) {
    const [page, anchor, heading] = index.sections[number], [path, title] = index.pages[page];
    return { path, anchor, title, heading, text: index.texts?.[number] ?? "" };
  }

  /* The sections that have a stem, each with its weight there; search.py says how they are written. */
  function holding(index, stem) {
    let section = 0;
    return index.stems[stem].split(" ").map((part) => {
      const [gap, weight] = part.split("*");
      return [section += Number(gap), Number(weight ?? 1)];
    });
  }

  function lower(sorted, word) {
    let low = 0, high = sorted.length;
    while (low < high) { const middle = (low + high) >> 1; if (sorted[middle] < word) low = middle + 1; else high = middle; }
    return low;
  }

  /* Numbers of the stems of a word of the pages; none of another. */
  function stemsOf(index, word) {
    const at = lower(index.words, word);
    return index.words[at] === word ? index.meanings[at].split(" ").map(Number) : [];
  }

  /* The index as it came, its texts of many lines as lists. */
  const LISTS = ["words", "meanings", "stems", "texts"];
  function unfold(index) {
    for (const name of LISTS) if (typeof index[name] === "string") index[name] = index[name].split("\n");
    return index;
  }

  const wanted = (query) => tokens(query).flatMap((token) =>
    !CJK.test(token) || token.length === 1 ? [token] : Array.from({ length: token.length - 1 }, (_, i) => token.slice(i, i + 2)));

  /* The names in a query, each a list of its letters and numbers in turn: DGX-1, v100, 2080Ti; a small number belongs to the word before
     it (DGX 1), a short word to the number before it (2080 Ti). */
  const SMALL = 2;
  const parts = (word) => word.match(/\d+|\p{L}+/gu) || [];
  function names(query) {
    const words = fold(query).split(/\s+/).filter((word) => word && !CJK.test(word)), found = [];
    const number = (word) => /^\d+$/.test(word || ""), letters = (word) => /^\p{L}+$/u.test(word || "");
    for (let i = 0; i < words.length; i++) {
      if (!/\d/.test(words[i])) continue;
      const from = number(words[i]) && words[i].length <= SMALL && letters(words[i - 1]) ? i - 1 : i;
      if (/\d$/.test(words[i]) && letters(words[i + 1]) && words[i + 1].length <= SMALL) i++;
      const name = parts(words.slice(from, i + 1).join(" "));
      if (name.some(letters)) found.push(name);
    }
    return found;
  }

  /* Where a name stands as one: its parts behind each other, whatever parts them, no end of a word and no beginning of a longer number. */
  const standing = (name) =>
    new RegExp(`(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{N}])${name.join("[\\s.\\u2010-\\u2013-]*")}(?!\\p{N})`, "giu");
  const stands = (called, text) => called.every((name) => standing(name).test(fold(text)));

  /* Of pages with the words in their title: accelerators, systems and workloads before what is written about them, titles that begin with them before
     others, short ones before long ones. Runs and charts, which are many, are found behind them all. */
  const KINDS = [["accelerators/", "systems/", "workloads/"], ["reports/"], [""]];
  const kind = (path) => KINDS.findIndex((starts) => starts.some((start) => path.startsWith(start)));
  const small = (path) => path.startsWith("c/") || path.startsWith("runs/") || path.startsWith("results/") && path !== "results/";

  /* Of headings those of what is written come before those that each of very many systems has. */
  const headed = (path) => [/^reports\//, /^(?!systems\/|accelerators\/)/, /./].findIndex((start) => start.test(path));

  /* Sections with all words of the query, or with the most of them: those of pages that have them in their title first, then those that
     have them in their heading, names as one, and of equals the best. */
  window.touchstoneFind = (query, limit = 30) => {
    const rest = window.touchstoneSearchText;
    if (rest && !window.touchstoneSearch.texts) Object.assign(window.touchstoneSearch, rest);
    const index = unfold(window.touchstoneSearch);
    const called = names(query), within = new Set(called.flat());
    const terms = [...new Set(wanted(query))];
    /* Words beside the names that say something, and whether a text has all of them. */
    const beside = terms.filter((term) => (CJK.test(term) || term.length > SMALL) && !parts(term).every((part) => within.has(part)));
    const meant = beside.map((term) => meanings(index, term));
    const has = (text) => {
      const stems = new Set(wanted(text).flatMap((word) => stemsOf(index, fold(word))));
      return meant.every((term) => [...term.keys()].some((stem) => stems.has(stem))) && stands(called, text);
    };
    const words = ({ title, heading, text }) => `${title} ${heading} ${text}`;
    const sections = (term) => {
      const best = new Map();
      for (const [stem, sure] of meanings(index, term)) {
        const list = holding(index, stem);
        const rare = Math.log(1 + index.sections.length / list.length);
        for (const [section, weight] of list) {
          const score = sure * rare * (1 + Math.log(weight));
          if ((best.get(section) || 0) < score) best.set(section, score);
        }
      }
      return best;
    };
    const scores = new Map();
    for (const term of terms) {
      const best = sections(term);
      if (/\p{L}\d/u.test(term)) { /* ResNet50 is also ResNet-50 */
        const [first, ...rest] = parts(term).map(sections);
        for (const [section, score] of first) {
          const sum = rest.reduce((so, other) => so + (other.get(section) ?? NaN), score);
          if (sum > (best.get(section) || 0) && stands([parts(term)], words(sectionOf(index, section)))) best.set(section, sum);
        }
      }
      for (const [section, score] of best) {
        const sum = scores.get(section) || { count: 0, score: 0 };
        sum.count++; sum.score += score;
        scores.set(section, sum);
      }
    }
    const most = Math.max(0, ...[...scores.values()].map((sum) => sum.count));
    const whole = fold(query.trim());
    const shown = new Map(); /* a long page says a word in many sections: its best ones leave room for other pages */
    return [...scores].filter(([, sum]) => sum.count === most)
      .map(([section, sum]) => {
        const found = sectionOf(index, section), { path, anchor, title, heading, text } = found, all = words(found);
        const exact = whole.length > 1 && fold(all).includes(whole) ? 1.5 : 1;
        /* a chart's own page repeats what its report says; the details of a report are behind its first page */
        const own = path.startsWith("c/") ? 0.6 : path.endsWith("/details/") ? 0.8 : 1;
        const titled = has(title) && !small(path);
        const tier = titled ? 3 : has(`${title} ${heading}`) ? 2 : stands(called, all) ? 1 : 0;
        const place = [touchstoneMarks(query, title)[0]?.[0] ? 1 : 0, wanted(title).length, path, anchor ? 1 : 0];
        const order = tier < 2 ? [] : titled ? [kind(path), ...place] : [headed(path)];
        return { path, anchor, title, heading, text, score: sum.score * exact * own, order: [-tier, ...order] };
      })
      .sort((a, b) => {
        const at = a.order.findIndex((part, i) => part !== b.order[i]);
        if (at >= 0) return a.order[at] < b.order[at] ? -1 : 1;
        return b.score - a.score || (a.path < b.path ? -1 : 1);
      })
      .filter(({ path }) => { shown.set(path, (shown.get(path) || 0) + 1); return shown.get(path) <= OF_A_PAGE; }).slice(0, limit);
  };

  /* Where in a text the query's words stand: [from, to] pairs, for highlights. A word counts from its shared beginning on, a number
     whole, and what belongs to a name with the name alone, or where a text has no such name, if it is long enough to say something. */
  window.touchstoneMarks = (query, text) => {
    const marks = [];
    const lowered = text.toLowerCase().length === text.length ? text.toLowerCase() : text;
    const called = names(query), within = new Set(called.flat());
    let named = 0;
    for (const name of called) for (const match of lowered.matchAll(standing(name))) named = marks.push([match.index, match.index + match[0].length]);
    for (const typed of tokens(query)) {
      if (CJK.test(typed)) {
        for (let at = lowered.indexOf(typed); at >= 0; at = lowered.indexOf(typed, at + 1)) marks.push([at, at + typed.length]);
        continue;
      }
      const word = fold(typed), number = /^\d/.test(word);
      if (parts(word).every((part) => within.has(part)) && (named || word.length <= SMALL)) continue;
      const root = word.slice(0, word.length > 4 ? Math.max(4, word.length - 3) : 3);
      const same = number ? (other) => other === word : (other) => other.startsWith(root);
      for (const match of lowered.matchAll(TOKEN)) if (same(fold(match[0]))) marks.push([match.index, match.index + match[0].length]);
    }
    return marks.sort((a, b) => a[0] - b[0]);
  };
})();
