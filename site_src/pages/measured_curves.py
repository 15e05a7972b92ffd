"""What the page of a measured machine says of training to the end: curves, where the time went, and sensors on the same clock."""

from collections.abc import Iterator, Sequence
from typing import Final

from markupsafe import Markup

from kernels.records import Run
from kernels.setups import Setup, setups
from site_src import tables_curve, tables_timeline
from site_src.pages import tables, timeline
from site_src.pages.measured_blocks import conditions
from site_src.pages.site import Machine
from site_src.pages.tables import Entry, Line, heads, noted
from site_src.pages.tables import table as html_table
from site_src.pages.writer import Writer

PARTS: Final = ("first_step_s", "warmup_time_s", "measured_time_s", "evaluation_time_s", "rest_time_s")
"""Figures that a run's wall time is made of."""

SLOW_START: Final = 10.0
"""Median steps that the first step of a throughput run takes, from which on it has a row: something was compiled."""


def trained(runs: Sequence[Run]) -> list[Setup]:
    """The setups whose runs were evaluated, those of a workload together, with most runs first."""
    found = [setup for setup in setups(runs) if any(run.evaluations for run in setup.runs)]
    return sorted(found, key=lambda setup: (setup.run.workload, -len(setup.runs)))


def _named(writer: Writer, setup: Setup, run: Run | None = None) -> Entry:
    """The workload with its conditions; with the one run that the row is of."""
    name = writer.workload_name(setup.run.workload)
    href = writer.url(f"workloads/{setup.run.workload}/" if run is None else f"runs/{run.run_id}/")
    return Entry(noted(Markup('<a href="{}">{}</a>').format(href, name), conditions(writer, setup)), name)


def convergence(writer: Writer, machine: Machine, runs: Sequence[Run]) -> list[Markup]:
    """Who reached the target, after how much, and where it ended; then the curves of each workload."""
    found = trained(runs)
    if not found:
        return []
    names = ("workload", "reached#", "epochs_taken#", "to_target#", "held#", "final_quality#")
    lines = [_goal(writer, setup) for setup in found]
    listed = html_table(writer, writer.t("measured.convergence"), heads(writer, *names), lines)
    note = Markup('<p class="ts-note">{}</p>').format(writer.t("measured.held"))
    return [listed, note, *_charts(writer, machine, found, "convergence")]


def _goal(writer: Writer, setup: Setup) -> Line:
    target = next(iter(setup.run.targets), None)
    counts = {name: writer.fig(setup.figure(name), link=False) for name in ("reached", "runs")}
    reached = writer.t("measured.reached", **counts)
    metric = setup.run.metric(f"time_to_target_s@{target.value:g}") if target is not None else None
    goal = Markup("") if metric is None else tables.goal(writer, metric)
    ends = [key for run in setup.runs for metric in run.metrics if (key := metric.key).startswith("final_")]
    keys = [f"{name}@{target.value:g}" for name in _TO_TARGET] if target is not None else []
    spans = [_span(writer, setup, key) for key in keys] or [Entry(Markup("–"))] * len(_TO_TARGET)
    final = _span(writer, setup, ends[0]) if ends else Entry(Markup("–"))
    return Line([_named(writer, setup), Entry(noted(reached, goal), len(setup.reached), "number"), *spans, final])


_TO_TARGET: Final = ("epochs_to_target", "time_to_target_s", "epochs_to_target_sustained")


def _span(writer: Writer, setup: Setup, key: str) -> Entry:
    """A figure from its lowest to its highest over the runs that have it, and its median where there are three or more."""
    found = tables_curve.spread(writer.site.facts, setup.runs, key, "{}", "at")
    low, high = (found[f"at_{end}_ref"] for end in ("low", "high"))
    if low is None or high is None:
        return Entry(writer.missing(setup.run.status if setup.run.status != "ok" else "not_reported"), None, "number")
    several = int(str(found["at_runs"])) >= _SEVERAL and found["at_low"] != found["at_high"]
    median = writer.t("measured.median", value=writer.fig(setup.figure(key), tables.places(writer, str(low), str(high)), unit=True))
    return Entry(noted(tables.span(writer, str(low), str(high)), median if several else ""), found["at_mid"], "number")


_SEVERAL: Final = 3


def _charts(writer: Writer, machine: Machine, found: Sequence[Setup], word: str) -> Iterator[Markup]:
    """The workloads' charts of that name in which the machine has a run, each below its workload's name."""
    own = {run.run_id for run in writer.site.runs_of(system=machine.id)}
    for workload in dict.fromkeys(setup.run.workload for setup in found):
        drawn = writer.site.figures.get(f"{workload}-{word}")
        if drawn is not None and own & set(drawn.figure.runs):
            yield _heading(writer, workload, word)
            yield writer.chart(drawn.id, 4)


def _heading(writer: Writer, workload: str, word: str) -> Markup:
    return Markup('<h3 id="{}-{}-here">{}</h3>').format(workload, word, writer.workload_name(workload))


def clock(writer: Writer, _: Machine, runs: Sequence[Run]) -> list[Markup]:
    """What the wall time of a run is made of, and how first epochs and the median of the others make up its training."""
    chosen = [(setup, _middle(setup)) for setup in trained(runs)]
    started = [(setup, setup.run) for setup in setups(runs) if not any(run.evaluations for run in setup.runs) and _slow(setup.run)]
    parts = [_parts(writer, setup, run) for setup, run in (*chosen, *started) if run.metric(PARTS[0]) is not None]
    epochs = [_epochs(writer, setup, run) for setup, run in chosen if run.metric("median_epoch_s") is not None]
    shown = []
    if any(len(setup.runs) > 1 for setup, _ in (*chosen, *started)):
        shown.append(Markup('<p class="ts-note">{}</p>').format(writer.t("measured.row_run")))
    if parts:
        columns = heads(writer, "workload", "first_step#", "warmup#", "timed_steps#", "evaluation#", "rest#", "sum_of_parts#", "wall_time#")
        shown.append(html_table(writer, writer.t("measured.parts"), columns, parts))
    if epochs:
        columns = heads(writer, "workload", "first_epoch#", "median_epoch#", "compile_time#", "estimate#", "trained#", "estimate_apart#")
        shown.append(html_table(writer, writer.t("measured.epochs"), columns, epochs))
        shown.append(Markup('<p class="ts-note">{}</p>').format(writer.t("measured.estimate")))
    return shown


def _middle(setup: Setup) -> Run:
    """The run that stands for a setup, of those that tell the parts of their time."""
    told = [run for run in setup.runs if run.metric(PARTS[0]) is not None]
    return tables_timeline.middle(told or setup.runs)[0]


def _slow(run: Run) -> bool:
    first, median = run.metric("first_step_s"), run.metric("step_time_s")
    known = first is not None and median is not None and first.value is not None and median.value is not None
    return known and first.value > SLOW_START * median.value  # type: ignore[union-attr, operator]  # known, as asked


def _parts(writer: Writer, setup: Setup, run: Run) -> Line:
    """The parts of a run's wall time with their shares of it, their sum, and the wall time as the clock had it."""
    whole = f"run:{run.run_id}:wall_time_s"
    refs = {name: f"run:{run.run_id}:{name}" for name in PARTS if run.metric(name) is not None}
    cells = []
    for name in PARTS:
        if name not in refs:
            cells.append(Entry(Markup("–"), None, "number"))
            continue
        entry = tables.figure(writer, refs[name], digits=3)
        share = writer.fig(f"ratio({refs[name]}, {whole})", 1, percent=True, link=False)
        cells.append(Entry(noted(entry.text, share), entry.value, "number"))
    total = tables.figure(writer, f"sum({', '.join(refs.values())})" if len(refs) > 1 else next(iter(refs.values())), digits=4)
    return Line([_named(writer, setup, run), *cells, total, tables.figure(writer, whole, digits=4)])


def _epochs(writer: Writer, setup: Setup, run: Run) -> Line:
    """First epoch, median of the later ones, compilation; the training that these let expect, and the one that was."""
    at = f"run:{run.run_id}"
    estimate = f"time_of_epochs({at}:first_epoch_s, {at}:median_epoch_s, {at}:epochs_planned)"
    training = f"difference({at}:train_time_s, {at}:evaluation_time_s)"
    compiled = (
        [tables.figure(writer, f"{at}:compile_time_s", digits=3)] if run.metric("compile_time_s") else [Entry(Markup("–"), None, "number")]
    )
    apart = f"ratio(difference({estimate}, {training}), {training})"
    return Line(
        [
            _named(writer, setup, run),
            tables.figure(writer, f"{at}:first_epoch_s", digits=3),
            tables.figure(writer, f"{at}:median_epoch_s", digits=3),
            *compiled,
            tables.figure(writer, estimate, digits=4),
            tables.figure(writer, training, digits=4),
            Entry(writer.fig(apart, 1, percent=True, sign=True), writer.fact(apart).value, "number"),
        ]
    )


def telemetry(writer: Writer, _: Machine, runs: Sequence[Run]) -> list[Markup]:
    """Curve, learning rate and sensors of one run a workload, with the way to its chart where there is one of this run."""
    found = trained(runs)
    shown = []
    for workload in dict.fromkeys(setup.run.workload for setup in found):
        chosen = tables_timeline.representative(next(setup for setup in found if setup.run.workload == workload).runs)
        if chosen is None:
            continue
        run = chosen[0]
        drawn = writer.site.figures.get(f"{workload}-telemetry")
        links = writer.chart_links([drawn.id]) if drawn is not None and run.run_id in drawn.figure.runs else []
        shown += [_heading(writer, workload, "telemetry"), timeline.small(writer, run, links)]
    return shown
