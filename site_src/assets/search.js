/* Search in the browser. Takes window.touchstoneSearch (search/<lang>.js, made by site_src/search.py) and defines window.touchstoneFind.
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
      for (const stem of [].concat(index.words[word])) if ((stems.get(stem) || 0) < sure) stems.set(stem, sure);
    };
    if (CJK.test(typed)) {
      if (typed.length === 1) { for (const word of index.vocabulary) if (word.includes(typed)) take(word, 1); }
      else if (Object.hasOwn(index.words, typed)) take(typed, 1);
      return stems;
    }
    const word = fold(typed);
    if (Object.hasOwn(index.words, word)) take(word, 1);
    for (let i = lower(index.vocabulary, word); i < index.vocabulary.length && index.vocabulary[i].startsWith(word); i++) take(index.vocabulary[i], 0.7);
    /* A form that the pages do not have: a stem of theirs with another ending, */
    for (let end = word.length - 1; !stems.size && end >= Math.max(3, word.length - 4); end--) {
      if (Object.hasOwn(index.words, word.slice(0, end))) take(word.slice(0, end), 0.6);
    }
    /* or a word whose own ending differs. */
    if (!stems.size && word.length > 4) {
      const least = Math.max(4, word.length - 3);
      let best = 0, near = [];
      for (const other of index.vocabulary) {
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

  function lower(sorted, word) {
    let low = 0, high = sorted.length;
    while (low < high) { const middle = (low + high) >> 1; if (sorted[middle] < word) low = middle + 1; else high = middle; }
    return low;
  }

  const wanted = (query) => tokens(query).flatMap((token) =>
    !CJK.test(token) || token.length === 1 ? [token] : Array.from({ length: token.length - 1 }, (_, i) => token.slice(i, i + 2)));

  /* Sections with all words of the query, or with the most of them; best first. */
  window.touchstoneFind = (query, limit = 30) => {
    const index = window.touchstoneSearch;
    index.vocabulary ||= Object.keys(index.words).sort();
    const terms = [...new Set(wanted(query))];
    const scores = new Map();
    for (const term of terms) {
      const best = new Map();
      for (const [stem, sure] of meanings(index, term)) {
        const list = index.stems[stem];
        const rare = Math.log(1 + index.sections.length / (list.length / 2));
        for (let i = 0; i < list.length; i += 2) {
          const score = sure * rare * (1 + Math.log(list[i + 1]));
          if ((best.get(list[i]) || 0) < score) best.set(list[i], score);
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
        const [path, anchor, title, heading, text] = index.sections[section];
        const exact = whole.length > 1 && fold(`${title} ${heading} ${text}`).includes(whole) ? 1.5 : 1;
        const own = path.startsWith("c/") ? 0.6 : 1; /* a chart's own page repeats what its report says */
        return { path, anchor, title, heading, text, score: sum.score * exact * own };
      })
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
      .filter(({ path }) => { shown.set(path, (shown.get(path) || 0) + 1); return shown.get(path) <= OF_A_PAGE; }).slice(0, limit);
  };

  /* Where in a text the query's words stand: [from, to] pairs, for highlights. A word counts from its shared beginning on. */
  window.touchstoneMarks = (query, text) => {
    const marks = [];
    const lowered = text.toLowerCase().length === text.length ? text.toLowerCase() : text;
    for (const typed of tokens(query)) {
      if (CJK.test(typed)) {
        for (let at = lowered.indexOf(typed); at >= 0; at = lowered.indexOf(typed, at + 1)) marks.push([at, at + typed.length]);
        continue;
      }
      const word = fold(typed);
      const root = word.slice(0, word.length > 4 ? Math.max(4, word.length - 3) : 3);
      for (const match of lowered.matchAll(TOKEN)) if (fold(match[0]).startsWith(root)) marks.push([match.index, match.index + match[0].length]);
    }
    return marks.sort((a, b) => a[0] - b[0]);
  };
})();
