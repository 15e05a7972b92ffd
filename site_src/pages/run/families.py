"""The figures on the page of a run of this harness: a row for each family, each figure with its
interval, statistic and count.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup, escape

from kernels.records import ClockScope, Metric, Run, Stat, Status
from site_src.pages.components import run_details
from site_src.pages.components.writer import Writer, capital
from site_src.tables import within
from site_src.tables.recorded import extra
from site_src.templates import html

_PERCENTILE: Final = re.compile(r"step_time_p(\d+)_s")

OF_WALL_TIME: Final = (
    "first_step_s",
    "warmup_time_s",
    "measured_time_s",
    "evaluation_time_s",
    "rest_time_s",
)
"""Parts of the wall time, which add up to it."""

WALL_TIME: Final = "wall_time_s"


def family(metric: Metric) -> str:
    """The row a figure belongs to: the time per step and its percentiles, parts of the wall time,
    epochs, a last and a best value; else "".
    """
    if metric.name == "step_time_s" or _PERCENTILE.fullmatch(metric.name):
        return "step_time_s"
    if metric.name in OF_WALL_TIME:
        return WALL_TIME
    if metric.name in {"first_epoch_s", "median_epoch_s"}:
        return "first_epoch_s"
    kind, _, quality = metric.name.partition("_")
    return f"final_{quality.removesuffix('_epoch')}" if kind in {"final", "best"} else ""


def row(writer: Writer, run: Run, key: str, found: Sequence[Metric]) -> tuple[Markup, Markup]:
    """Name and figures of a family."""
    if key == WALL_TIME and run.wall_time_s is not None:
        return writer.field(WALL_TIME), _wall_time(writer, run, found)
    first, *more = [metric for metric in found if not metric.name.endswith("_epoch")]
    epochs = {
        metric.name.removesuffix("_epoch"): writer.of_run(run, metric.key, unit=True)
        for metric in found
        if metric.name.endswith("_epoch")
    }
    percentiles = [metric for metric in more if _PERCENTILE.fullmatch(metric.name)]
    lines = [_figure(writer, run, first, epochs), _percentiles(writer, run, percentiles)]
    for metric in more:
        # the last reading is the best
        if metric.name.startswith("best_") and metric.value == first.value:
            lines[0] = _figure(writer, run, first, epochs, metric)
        elif metric not in percentiles:
            shown = _figure(writer, run, metric, epochs)
            lines.append(html.spaced(writer.quantity_name(metric.name), shown))
    return capital(_called(writer, run, first)), html.lines(*lines)


def _wall_time(writer: Writer, run: Run, found: Sequence[Metric]) -> Markup:
    named = [
        html.spaced(writer.quantity_name(metric.name), figure(writer, run, metric))
        for metric in sorted(found, key=lambda metric: OF_WALL_TIME.index(metric.name))
    ]
    readable = run_details.readable(writer, Metric(WALL_TIME, run.wall_time_s, "s"))
    whole = _noted(writer.of_run(run, WALL_TIME, unit=True), readable)
    return html.lines(whole, writer.joined("terms", *named))


def _percentiles(writer: Writer, run: Run, found: Sequence[Metric]) -> Markup:
    if not found:
        return Markup("")
    names = writer.locale.join([_PERCENTILE.sub(r"\1", metric.name) for metric in found])
    values = [writer.of_run(run, metric.key, unit=metric is found[-1]) for metric in found]
    name = writer.t("run.percentiles", names=names)
    return writer.colon(name, writer.joined("terms", *values))


def _called(writer: Writer, run: Run, metric: Metric) -> Markup:
    """A figure's name; for the training time with its timing scope, for the peak memory with its
    allocator: sensors read another value.
    """
    if metric.name == "train_time_s" and run.clock_scope is not ClockScope.UNKNOWN:
        return writer.paren(
            writer.quantity_name(metric.name), writer.word("clock_scope", run.clock_scope)
        )
    whose = extra(run, "peak_memory_of") if metric.name == "peak_memory_bytes" else None
    return writer.t(f"peak_memory.{whose}") if whose else writer.quantity_name(metric.name)


def figure(writer: Writer, run: Run, metric: Metric) -> Markup:
    """A figure with its interval, count and statistic; a long time also in hours."""
    notes = writer.joined("terms", note(writer, metric), behind(writer, run, metric))
    return _noted(writer.of_run(run, metric.key, unit=True), notes)


def note(writer: Writer, metric: Metric) -> Markup:
    """The interval of a figure, and a long time in hours; else empty."""
    return run_details.interval(writer, metric) or run_details.readable(writer, metric)


def behind(writer: Writer, run: Run, metric: Metric) -> Markup:
    """The statistic and its number of steps, epochs or evaluations; empty for a single reading,
    which the heading states.
    """
    if metric.status is not Status.OK:
        return Markup("")
    named = metric.name.startswith(("median_", "peak_"))
    stat = (
        Markup("")
        if named or metric.stat in (Stat.SINGLE, Stat.NOT_STATED)
        else writer.t(f"stat.{metric.stat}")
    )
    counted = within(run, metric)
    return writer.joined("comma", stat, escape(writer.locale.quantity(*counted)) if counted else "")


def _noted(text: Markup, note: Markup) -> Markup:
    return html.spaced(text, html.smaller(note)) if note else text


def _figure(
    writer: Writer,
    run: Run,
    metric: Metric,
    epochs: Mapping[str, Markup],
    also: Metric | None = None,
) -> Markup:
    """A figure; a best value, or one that is `also` the best, with its epoch."""
    best = also or metric
    if best.name not in epochs:
        return figure(writer, run, metric)
    notes = writer.joined("comma", epochs[best.name], behind(writer, run, best))
    return _noted(writer.of_run(run, metric.key, unit=True), notes)
