"""Training to the end on a measured machine's page: curves, parts of the time, and sensors over
time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from markupsafe import Markup

from kernels.analysis.repetitions import Setup, Trim, seeds, setups
from kernels.records import Run, Status
from site_src.pages.components import run_details, tables, warnings
from site_src.pages.components.site import Machine
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer
from site_src.pages.machine.blocks import conditions, reached
from site_src.pages.run import timeline
from site_src.pages.run.families import OF_WALL_TIME
from site_src.tables import curve
from site_src.tables import timeline as tables_timeline
from site_src.templates import html

SLOW_START: Final = 10.0
"""A throughput run whose first step takes this many median steps has a row: something was
compiled.
"""


def trained(runs: Sequence[Run]) -> list[Setup]:
    """The setups whose runs were evaluated, grouped by workload, with most runs first, then by
    batch size.
    """
    found = [setup for setup in setups(runs) if any(run.evaluations for run in setup.runs)]
    return sorted(
        found,
        key=lambda setup: (setup.run.workload, -len(setup.runs), setup.run.global_batch_size or 0),
    )


def _named(writer: Writer, setup: Setup, run: Run) -> Entry:
    name = writer.workload_name(setup.run.workload)
    about = conditions(writer, setup)
    return Entry(html.noted(writer.run_link(run.run_id, name), about), name)


def convergence(writer: Writer, machine: Machine, runs: Sequence[Run]) -> list[Markup]:
    """The table of targets; then the curves of each workload."""
    found = trained(runs)
    if not found:
        return []
    return [*to_targets(writer, found, "workload"), *_charts(writer, machine, found, "convergence")]


def of_workload(writer: Writer, workload: str) -> list[Markup]:
    """The table of targets on a workload's page, over all machines; empty if none trained to the
    end.
    """
    found = trained(writer.site.runs_of(workload=workload))
    return to_targets(writer, found, "system") if found else []


def to_targets(writer: Writer, found: Sequence[Setup], named: str) -> list[Markup]:
    """A row for each setup, named by its `workload` or `system`: runs that reached the target,
    after how much, and where they ended; and how to read it.
    """
    rows = [_to_target(writer, setup, named) for setup in found]
    listed = tables.table(writer, writer.t("measured.convergence"), rows, name="dense")
    said = ["measured.held"]
    if any(
        (told := seeds(setup.runs)) is not None and told.trim is not Trim.FEW for setup in found
    ):
        said.append("measured.trim_rule")
    return [listed, *(html.note(writer.t(key)) for key in said)]


def _to_target(writer: Writer, setup: Setup, named: str) -> Cells:
    target = next(iter(setup.run.targets), None)
    metric = setup.run.metric(f"time_to_target_s@{target.value:g}") if target is not None else None
    asked = Markup("") if metric is None else run_details.target(writer, metric)
    ends = [
        metric.key
        for run in setup.runs
        for metric in run.metrics
        if metric.key.startswith("final_")
    ]
    spans = {
        heading: Entry("–", kind="text")
        if target is None
        else _span(writer, setup, f"{name}@{target.value:g}")
        for heading, name in _TO_TARGET.items()
    }
    return {
        named: _titled(writer, setup, named),
        "converged#": Entry(html.noted(reached(writer, setup), asked), len(setup.reached)),
        **spans,
        "final_quality#": _span(writer, setup, ends[0]) if ends else Entry("–", kind="text"),
    }


def _titled(writer: Writer, setup: Setup, named: str) -> Entry:
    run, href = setup.run, "#doubts"
    name, path = writer.workload_name(run.workload), f"workloads/{run.workload}/"
    if named == "system":
        name, path = writer.system_name(run.system), f"measured/{run.system}/"
        href = f"{writer.url(path)}#doubts"
    about = html.lines(conditions(writer, setup), warnings.badge(writer, setup.runs, href))
    return Entry(html.noted(writer.link(path, name), about), name)


_TO_TARGET: Final = {
    "epochs_taken#": "epochs_to_target",
    "to_target#": "time_to_target_s",
    "held#": "epochs_to_target_sustained",
}


def _span(writer: Writer, setup: Setup, key: str) -> Entry:
    """The range of a figure over the runs that have it; the median of three or more, for a time the
    trimmed mean.
    """
    trimmed = _trimmed(writer, setup) if key.startswith("time_to_target_s") else Markup("")
    found = curve.spread(writer.site.facts, setup.runs, key)
    low, high = found.low.ref, found.high.ref
    if low is None or high is None:
        return Entry(html.noted(writer.missing(_why(setup, key)), trimmed))
    ends = run_details.span(writer, low, high)
    several = found.runs >= _SEVERAL and ends != run_details.span(writer, low, low)
    median = writer.t(
        "measured.median",
        value=writer.fig(setup.figure(key), run_details.places(writer, low, high), unit=True),
    )
    below = html.lines(median if several else "", trimmed)
    return Entry(html.noted(ends, below), found.mid.value)


def _why(setup: Setup, key: str) -> str:
    if setup.run.status is not Status.OK:
        return setup.run.status
    found = (metric.status for run in setup.runs if (metric := run.metric(key)) is not None)
    return next((status for status in found if status is not Status.OK), Status.NOT_REPORTED)


def _trimmed(writer: Writer, setup: Setup) -> Markup:
    """The mean time to the target over seeds without the fastest and the slowest, or why there is
    none; empty for few seeds.
    """
    told = seeds(setup.runs)
    if told is None or told.trim is Trim.FEW:
        return Markup("")
    n, hits = (setup.figure(name) for name in ("seeds", "seeds_reached"))
    about = {"n": writer.fig(n, link=False)}
    if told.trim is Trim.MISSED:
        said = writer.t(
            "measured.untrimmed", missed=writer.fig(f"difference({n}, {hits})", link=False), **about
        )
    else:
        mean = writer.fig(setup.figure("seeds_mean_s"), unit=True)
        said = writer.t("measured.trimmed", value=mean, **about)
    return writer.joined(
        "comma", said, *([writer.t("measured.cut", n=told.cut)] if told.cut else [])
    )


_SEVERAL: Final = 3


def _charts(writer: Writer, machine: Machine, found: Sequence[Setup], word: str) -> list[Markup]:
    own = {run.run_id for run in writer.site.runs_of(system=machine.id)}
    shown = {}
    for workload in dict.fromkeys(setup.run.workload for setup in found):
        drawn = writer.site.figures.get(f"{workload}-{word}")
        if drawn is not None and own & set(drawn.runs):
            shown[workload] = writer.chart(drawn.id, 4)
    return _headed(writer, word, shown)


def _headed(writer: Writer, word: str, shown: Mapping[str, Markup]) -> list[Markup]:
    return [
        html.headed(f"{id_}-{word}-here", writer.workload_name(id_), drawn, not place)
        for place, (id_, drawn) in enumerate(shown.items())
    ]


def clock(writer: Writer, _: Machine, runs: Sequence[Run]) -> list[Markup]:
    """Parts of wall times, and training times predicted from first and median epochs."""
    chosen = [(setup, _middle(setup)) for setup in trained(runs)]
    started = [
        (setup, setup.run)
        for setup in setups(runs)
        if not any(run.evaluations for run in setup.runs) and _slow(setup.run)
    ]
    parts = [
        _wall_time(writer, setup, run)
        for setup, run in (*chosen, *started)
        if run.metric(OF_WALL_TIME[0]) is not None
    ]
    epochs = [
        _epochs(writer, setup, run)
        for setup, run in chosen
        if run.metric("median_epoch_s") is not None
    ]
    shown = []
    if any(len(setup.runs) > 1 for setup, _ in (*chosen, *started)):
        shown.append(html.note(writer.t("measured.row_run")))
    if parts:
        shown.append(tables.table(writer, writer.t("measured.parts"), parts))
    if epochs:
        label = writer.t("measured.epochs")
        told = tables.table(writer, label, epochs, quiet=True) + html.note(
            writer.t("measured.estimate")
        )
        shown.append(html.details(label, told))
    return shown


def _middle(setup: Setup) -> Run:
    """The middle run of a setup, preferably of those with the parts of their time."""
    told = [run for run in setup.runs if run.metric(OF_WALL_TIME[0]) is not None]
    return tables_timeline.middle(told or setup.runs)[0]


def _slow(run: Run) -> bool:
    first, median = run.metric("first_step_s"), run.metric("step_time_s")
    if not first or not median or first.value is None or median.value is None:
        return False
    return first.value > SLOW_START * median.value


def _wall_time(writer: Writer, setup: Setup, run: Run) -> Cells:
    whole = f"run:{run.run_id}:wall_time_s"
    refs = {
        name: f"run:{run.run_id}:{name}" for name in OF_WALL_TIME if run.metric(name) is not None
    }
    cells: dict[str, Entry | str] = {"workload": _named(writer, setup, run)}
    for heading, name in _PART_HEADINGS.items():
        cells[heading] = "–"
        if name in refs:
            entry = tables.figure(writer, refs[name], digits=3)
            share = writer.fig(f"ratio({refs[name]}, {whole})", 1, percent=True, link=False)
            cells[heading] = replace(entry, text=html.noted(entry.text, share))
    total = f"sum({', '.join(refs.values())})" if len(refs) > 1 else next(iter(refs.values()))
    return {
        **cells,
        "sum_of_parts#": tables.figure(writer, total, digits=4),
        "wall_time_s#": tables.figure(writer, whole, digits=4),
    }


_PART_HEADINGS: Final = dict(
    zip(
        ("first_step_s#", "warmup#", "measured_time_s#", "evaluation#", "rest#"),
        OF_WALL_TIME,
        strict=True,
    )
)


def _epochs(writer: Writer, setup: Setup, run: Run) -> Cells:
    """First epoch, median of the later ones, compilation; training time as predicted and as
    measured.
    """
    at = f"run:{run.run_id}"
    estimate = f"time_of_epochs({at}:first_epoch_s, {at}:median_epoch_s, {at}:epochs_planned)"
    training = f"difference({at}:train_time_s, {at}:evaluation_time_s)"
    apart = f"ratio(difference({estimate}, {training}), {training})"
    return {
        "workload": _named(writer, setup, run),
        "first_epoch_s#": tables.figure(writer, f"{at}:first_epoch_s", digits=3),
        "median_epoch_s#": tables.figure(writer, f"{at}:median_epoch_s", digits=3),
        "compile_time_s#": tables.figure(writer, f"{at}:compile_time_s", digits=3)
        if run.metric("compile_time_s")
        else "–",
        "estimate#": tables.figure(writer, estimate, digits=4),
        "trained#": tables.figure(writer, training, digits=4),
        "estimate_apart#": tables.figure(writer, apart, 1, unit=False, percent=True, sign=True),
    }


def telemetry(writer: Writer, _: Machine, runs: Sequence[Run]) -> list[Markup]:
    """Curve, learning rate and sensors of one run for each workload, with a link to its chart if it
    has one.
    """
    found = trained(runs)
    shown = {}
    for workload in dict.fromkeys(setup.run.workload for setup in found):
        chosen = tables_timeline.chosen_run(
            setup for setup in found if setup.run.workload == workload
        )
        if chosen is None:
            continue
        run = chosen[0]
        drawn = writer.site.figures.get(f"{workload}-telemetry")
        links = (
            writer.chart_links([drawn.id]) if drawn is not None and run.run_id in drawn.runs else []
        )
        mark = warnings.badge(writer, [run], "#doubts")
        shown[workload] = timeline.small(writer, run, links) + mark
    note = html.note(writer.t("figure.timeline.chosen"))
    return [*_headed(writer, "telemetry", shown), note] if shown else []
