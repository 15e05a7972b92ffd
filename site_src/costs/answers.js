// Questions on costs answered for the build by assets/cost.js, all in one run: candidates and offers go by their places.
({ candidates, offers, rates, today, asked }) =>
  asked.map(({ question, pairs }) => {
    const given = pairs.map(([candidate, offer]) => [candidates[candidate], offers[offer] ?? null]);
    return touchstoneCosts.answer(question, given, rates, today).map(({ candidate, offer, ...row }) => ({
      ...row, pair: given.findIndex((pair) => pair[0] === candidate && pair[1] === offer),
    }));
  });
