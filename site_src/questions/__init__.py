"""Every chart with an address: which questions are asked of which sources and workloads.

A figure's id is its subject (a source, a workload or a page) and a word; ids are promises, recorded
in `runs/ledger.csv`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from kernels.records import Origin, Run, SourceKind
from site_src import tables
from site_src.costs.spent import spendings
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, FigureError
from site_src.figures.columns import present
from site_src.locales import Locale
from site_src.questions.cost import costs, energy, pareto, platforms, tenancy, value
from site_src.questions.machine import (
    measured_batch,
    measured_peak,
    measured_settings,
    monitoring,
    steps,
    timeline,
)
from site_src.questions.mlperf import curves, rounds, seeds, software, spread
from site_src.questions.quality import (
    accuracy,
    convergence,
    learning_rate,
    quality_by_batch,
    target,
)
from site_src.questions.speed import (
    batch,
    cards,
    epochs_by_cards,
    input_data,
    largest_batch,
    ratios,
    specifications,
    startup,
    superlinear,
    throughput,
)
from site_src.questions.speed import workload as speed
from site_src.tables import measured
from site_src.tables.recorded import result
from site_src.tables.submissions import submissions

OF_SOURCES: Final[tuple[Callable[[Evidence, str, str], Figure | None], ...]] = (
    throughput.figure,
    input_data.figure,
    value.figure,
    accuracy.figure,
    target.figure,
    platforms.figure,
    pareto.figure,
    tenancy.figure,
    specifications.figure,
    ratios.figure,
    epochs_by_cards.figure,
    superlinear.figure,
    quality_by_batch.figure,
    monitoring.figure,
    learning_rate.figure,
    energy.figure,
    batch.figure,
    startup.figure,
    cards.figure,
    largest_batch.figure,
    curves.figure,
    rounds.figure,
    spread.figure,
)
"""Questions asked of each article; each answers None where the article has no data for it."""


FEW_RESULTS: Final = 2
"""Results of rounds that a chart credits in a sentence each; more share one."""


def figures(evidence: Evidence) -> list[Figure]:
    """All figures that the archive has data for: sources first, then workloads, the pages that
    compare submissions, and machines.

    Raises:
        FigureError: Two figures with one id.
    """
    found = [
        _named(figure, evidence)
        for figure in (
            *_of_sources(evidence),
            *_of_workloads(evidence),
            *costs.figures(evidence),
            *_of_submissions(evidence),
            *_of_machines(evidence),
        )
    ]
    twice = [name for name, count in Counter(figure.id for figure in found).items() if count > 1]
    if twice:
        raise FigureError(
            f"two figures have the id {twice[0]}; a source and a workload may not share their name"
        )
    return found


def _named(figure: Figure, evidence: Evidence) -> Figure:
    """The figure with the name of its workload, where all its runs have the same, and of a source's
    publisher.

    Here all series get the names of their number formats, where a chart has several.
    """
    figure = _formats_named(figure)
    workloads = {run.workload for run in evidence.archive.runs if run.run_id in figure.runs}
    known = [
        evidence.catalog.workloads[workload].name
        for workload in workloads
        if workload in evidence.catalog.workloads
    ]
    source = next(
        (source for source in evidence.archive.sources if source.source == figure.subject), None
    )
    publisher = (source.publisher or source.title) if source is not None else figure.publisher
    runs = [run for run in evidence.archive.runs if run.run_id in figure.runs]
    about = known[0] if len(workloads) == 1 and known else ""
    written = [
        {run.implementation for run in runs if run.workload == workload and run.implementation}
        for workload in workloads
    ]
    mixed = any(len(implementations) > 1 for implementations in written)

    def notes(locale: Locale) -> list[str]:
        unsaid = [locale.say("figure.precisions_unsaid")] if _unsaid(figure) else []
        return [
            *common.feed_notes(figure.table, locale),
            *figure.notes(locale),
            *unsaid,
            *([locale.say("figure.implementations")] if mixed else []),
        ]

    first = {run.run_id: f"{run.credit}; " for run in runs}
    given = [
        (first.get(row["run_id"], ""), row["credit"])
        for row in tables.rows(figure.table)
        if present(row["credit"])
    ]
    # what rests on no run, and the second source of what rests on a run and another
    others = [credit.removeprefix(own) for own, credit in given if credit.startswith(own)]
    credited = lambda locale: list(dict.fromkeys([*_credits(runs, locale), *others]))  # noqa: E731 - as short as its use
    return replace(
        figure, about=about, publisher=publisher, credited=figure.credited or credited, notes=notes
    )


def _formats_named(figure: Figure) -> Figure:
    table = common.by_precision(figure.table)
    labels = (
        dict(zip(table["series"], table["label"], strict=True)) if table is not figure.table else {}
    )
    series = tuple(replace(one, label=str(labels.get(one.id, one.label))) for one in figure.series)
    digest = figure.digest
    if digest is not None and labels:
        digest = replace(
            digest,
            table=digest.table.assign(label=[labels[name] for name in digest.table["series"]]),
        )
    return replace(figure, table=table, series=series, digest=digest)


def _unsaid(figure: Figure) -> bool:
    """Whether some series are called by their number formats and others have one that their source
    does not state.
    """
    unsaid = set(figure.table.loc[figure.table["precision"] == "unknown", "series"])
    named = any(one.label.rpartition(" · ")[2] in tables.FORMATS.values() for one in figure.series)
    return named and bool(unsaid)


def _credits(runs: list[Run], locale: Locale) -> Iterator[str]:
    """Whom each run is owed to: a benchmark's round in the wording that it asks for; the site's own
    runs need no second name.
    """
    results = list(dict.fromkeys(found for run in runs if (found := result(run))))
    if len({(found.round, found.submitter) for found in results}) > FEW_RESULTS:
        yield common.credit_of_results(results, locale)
        results = []
    for found in results:
        yield locale.say(
            "run.credit_result",
            **found.names(locale.say("not_stated"), common.division(found.division, locale)),
        )
    for run in runs:
        if result(run) is None and run.origin is not Origin.MEASURED:
            yield run.credit


def _of_sources(evidence: Evidence) -> Iterator[Figure]:
    archive = evidence.archive
    for source in archive.sources:
        if source.kind is not SourceKind.ARTICLE:
            continue
        page = f"reports/{source.source}/"
        for ask in OF_SOURCES:
            made = ask(evidence, source.source, page)
            if made is not None:
                yield made
        runs = tables.runs_in_force(archive, lambda run, source=source: run.source == source.source)  # type: ignore[misc]
        made = convergence.figure(runs, evidence, source.source, page)
        if made is not None:
            yield made


def _read(metrics: Sequence[str], runs: Sequence[Run]) -> tuple[str, ...]:
    """Those of the metrics that a run was evaluated by."""
    return tuple(
        metric
        for metric in metrics
        if any(e.metric == metric for run in runs for e in run.evaluations)
    )


def _of_workloads(evidence: Evidence) -> Iterator[Figure]:
    """Curves and step times of runs that were measured or logged: those of articles stand with
    their report.
    """
    spending = spendings(evidence)
    for workload in evidence.catalog.workloads.values():
        page = f"workloads/{workload.workload}/"

        def here(run: Run, name: str = workload.workload) -> bool:
            return run.workload == name and run.origin is not Origin.PUBLISHED

        runs = tables.runs_in_force(evidence.archive, here)
        read = [run for run in runs if run.evaluations]
        # a workload may have two targets, such as that of boxes and that of masks
        metrics = tuple(
            dict.fromkeys(
                [workload.metric, *sorted({goal.metric for run in read for goal in run.targets})]
            )
        )
        evaluated = [run for run in read if any(e.metric in metrics for e in run.evaluations)]
        for made in (
            speed.figure(evidence, workload.workload, page),
            convergence.figure(
                evaluated,
                evidence,
                workload.workload,
                page,
                metrics=_read(metrics, evaluated),
                spending=spending,
            ),
            timeline.figure(evaluated, evidence, workload.workload, page),
            steps.figure(runs, evidence, workload.workload, page),
        ):
            if made is not None:
                yield made


def _of_submissions(evidence: Evidence) -> Iterator[Figure]:
    """Figures that belong to a page of their own, over all rounds and submitters: their subject is
    the page.
    """
    found = submissions(evidence.archive)
    yield from seeds.figures(found, evidence)
    yield from software.figures(found, evidence)


def _of_machines(evidence: Evidence) -> Iterator[Figure]:
    """Figures of each machine that was measured with this harness."""
    for system in measured.machines(evidence.archive):
        found = measured.own(evidence.archive, system)
        for ask in (measured_batch.figure, measured_settings.figure, measured_peak.figure):
            made = ask(found, evidence, system, f"measured/{system}/")
            if made is not None:
                yield made


__all__ = ["Figure", "FigureError", "figures"]
