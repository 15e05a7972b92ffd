"""Every chart with an address: the questions, and the sources and workloads they are asked of. Ids
never change; `runs/ledger.csv` lists them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from kernels.analysis.gathered import submission
from kernels.reading import Kept, chosen
from kernels.records import Origin, Price, Run, SourceKind, Workload
from site_src import tables
from site_src.costs import prepare
from site_src.costs.spent import spendings
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import present
from site_src.figures.controls import MarkNote
from site_src.graph import Items
from site_src.locales import Locale
from site_src.questions.cost import (
    cost_history,
    costs,
    energy,
    pareto,
    platforms,
    price_history,
    tenancy,
    value,
)
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
    by_card,
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
from site_src.tables.submissions import are_few, comparable, submissions

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
"""Questions asked of each article; None if it has no data."""


FEW_RESULTS: Final = 2
"""Up to this number of results each has its own sentence in a chart's credit; more share one."""


Ask = Callable[[], Iterable[Figure | None]]
"""One question about one subject."""


def answers(ask: Ask, evidence: Evidence) -> list[Figure]:
    """The figures that a question gives."""
    return [_named(figure, evidence) for figure in ask() if figure is not None]


def asks(evidence: Evidence) -> dict[str, Ask]:
    """Every question about every subject, in the order of the figures."""
    prepare(evidence)
    groups = (
        _of_sources,
        _of_workloads,
        _of_costs,
        _of_prices,
        _of_submissions,
        _of_cards,
        _of_machines,
    )
    return dict(one for group in groups for one in group(evidence))


def _named(figure: Figure, evidence: Evidence) -> Figure:
    """The figure with its workload's name, if all its runs have one."""
    runs = chosen(evidence.archive.runs, "run_id", figure.runs)
    workloads = list(dict.fromkeys(run.workload for run in runs))
    known = [
        evidence.catalog.workloads[workload].name
        for workload in workloads
        if workload in evidence.catalog.workloads
    ]
    about = known[0] if len(workloads) == 1 and known else ""
    written = [
        {run.implementation for run in runs if run.workload == workload and run.implementation}
        for workload in workloads
    ]
    mixed = any(len(implementations) > 1 for implementations in written)
    few = any(map(submission, runs)) and are_few(evidence)

    def notes(locale: Locale) -> list[str]:
        unsaid = [MarkNote(locale.say("figure.precisions_unsaid"))] if _unsaid(figure) else []
        return [
            *common.feed_notes(figure.table, locale),
            *unsaid,
            *figure.notes(locale),
            *([locale.say("figure.implementations")] if mixed else []),
            *([locale.say("figure.few_submissions")] if few else []),
        ]

    first = {run.run_id: f"{run.credit}; " for run in runs}
    given = [
        (first.get(row["run_id"], ""), row["credit"])
        for row in tables.rows(figure.table)
        if present(row["credit"])
    ]
    # sources without runs, and second sources of figures that combine a run and another
    others = [credit.removeprefix(own) for own, credit in given if credit.startswith(own)]
    credited = lambda locale: list(dict.fromkeys([*_credits(runs, locale), *others]))  # noqa: E731 - as short as its use
    return replace(
        figure,
        about=about,
        credited=figure.credited or credited,
        notes=notes,
        place=evidence.results.page_with,
    )


def _unsaid(figure: Figure) -> bool:
    """Returns True if some series are named by their precision and that of others is not stated."""
    unsaid = set(figure.table.loc[figure.table["precision"] == "unknown", "series"])
    named = any(one.label.rpartition(" · ")[2] in tables.FORMATS.values() for one in figure.series)
    return named and bool(unsaid)


def _credits(runs: list[Run], locale: Locale) -> Iterator[str]:
    """Yields the credit of each run: a round's in its own wording; none for the site's own runs."""
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


def _of_sources(evidence: Evidence) -> Iterator[tuple[str, Ask]]:
    for source in evidence.archive.sources:
        if source.kind is SourceKind.ARTICLE:
            name, page = source.source, f"reports/{source.source}/"
            for ask in OF_SOURCES:
                yield f"{ask.__module__} of {name}", partial(_one, ask, evidence, name, page)
            yield f"curves of {name}", partial(_curves, evidence, name, page)


def _one(ask: Callable[..., Figure | None], *given: object) -> Iterator[Figure | None]:
    yield ask(*given)


def _curves(evidence: Evidence, source: str, page: str) -> Iterator[Figure | None]:
    runs = tables.runs_in_force(evidence.archive, source=source)
    yield convergence.figure(runs, evidence, source, page)


def _read(metrics: Sequence[str], runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(
        metric
        for metric in metrics
        if any(e.metric == metric for run in runs for e in run.evaluations)
    )


def _of_workloads(evidence: Evidence) -> Iterator[tuple[str, Ask]]:
    for workload in evidence.catalog.workloads.values():
        yield f"workload {workload.workload}", partial(_of_workload, evidence, workload)


def _of_workload(evidence: Evidence, workload: Workload) -> Iterator[Figure | None]:
    """Yields curves and step times; those of articles are with their report."""
    name, page = workload.workload, f"workloads/{workload.workload}/"
    runs = tables.runs_in_force(
        evidence.archive, lambda run: run.origin is not Origin.PUBLISHED, workload=name
    )
    runs = comparable(evidence, runs)
    read = [run for run in runs if run.evaluations]
    # a workload may have two targets, such as for boxes and for masks
    targets = sorted({target.metric for run in read for target in run.targets})
    metrics = tuple(dict.fromkeys([workload.metric, *targets]))
    evaluated = [run for run in read if any(e.metric in metrics for e in run.evaluations)]
    yield speed.figure(evidence, name, page)
    yield convergence.figure(
        evaluated,
        evidence,
        name,
        page,
        metrics=_read(metrics, evaluated),
        spending=spendings(evidence, workload=name),
    )
    yield timeline.figure(evaluated, evidence, name, page)
    yield steps.figure(runs, evidence, name, page)


def _of_costs(evidence: Evidence) -> Iterator[tuple[str, Ask]]:
    graph = evidence.graph
    graph.register("costs ranked", partial(costs.ranked, evidence))
    graph.register(
        "costs drawn", lambda name: graph.get("costs ranked", name) is not None, keep=True
    )

    def drawn(name: str) -> Figure:
        case, rows = graph.get("costs ranked", name)
        return costs.figure(case, rows, evidence)

    def history(name: str) -> Figure | None:
        return cost_history.figure(graph.get("costs ranked", name)[0], evidence)

    for name in evidence.catalog.workloads:
        if graph.get("costs drawn", name):
            yield f"costs of {name}", partial(_one, drawn, name)
            if name in cost_history.WORKLOADS:
                yield f"cost history of {name}", partial(_one, history, name)


def _of_prices(evidence: Evidence) -> Iterator[tuple[str, Ask]]:
    kept: Kept[str, Mapping[str, Sequence[Price]]] = Kept()
    found = Items(
        evidence.graph,
        "prices asked",
        lambda: kept.get("", lambda: price_history.asked(evidence)),
    )
    for kind in found:
        yield (
            f"prices of {kind}",
            partial(_one, lambda of: price_history.figure(evidence, of, found[of]), kind),
        )


def _of_submissions(evidence: Evidence) -> Iterator[tuple[str, Ask]]:
    """Yields figures over all rounds and submitters; the subject is their page."""
    yield "seeds", lambda: seeds.figures(submissions(evidence), evidence)
    yield (
        "software",
        lambda: software.figures(submissions(evidence, each_round=True), evidence),
    )


def _of_cards(evidence: Evidence) -> Iterator[tuple[str, Ask]]:
    yield by_card.SUBJECT, lambda: by_card.figures(evidence)


def _of_machines(evidence: Evidence) -> Iterator[tuple[str, Ask]]:
    for system in measured.machines(evidence.archive):
        yield f"machine {system}", partial(_of_machine, evidence, system)


def _of_machine(evidence: Evidence, system: str) -> Iterator[Figure | None]:
    found = measured.own(evidence.archive, system)
    for ask in (measured_batch.figure, measured_settings.figure, measured_peak.figure):
        yield ask(found, evidence, system, f"measured/{system}/")
