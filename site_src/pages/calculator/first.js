// The first answer of each workload in words, as the page has them without a script; `refs` are the references of its figures, by row.
({ data, refs }) => {
  const { answerTo, usual } = touchstoneQuestions(data);
  return data.workloads.map(({ id }) => {
    const asked = usual(id);
    return touchstoneAnswers(data, refs[id]).shown(asked, answerTo(asked));
  });
};
