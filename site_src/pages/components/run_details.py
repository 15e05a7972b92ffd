"""Details of runs and their figures: framework, precision, suite, intervals, targets, numbers of
runs and steps.
"""

from typing import Final

from markupsafe import Markup, escape

from kernels.analysis.compare import OPERATION, OPERATIONS
from kernels.records import (
    Direction,
    Metric,
    Precision,
    Run,
)
from site_src.figures import common
from site_src.pages.components.writer import Writer
from site_src.tables import runs_behind, within
from site_src.tables.recorded import certainty_of_framework, setting
from site_src.templates import html

_LONG_S: Final = 120.0
"""Times from this many seconds are also given in hours and minutes."""


def main_metric(run: Run, *starts: str, target: bool = False) -> Metric | None:
    """The first figure of a run whose name has one of these prefixes, among those with a target or
    among the others. For a single operation the throughput is its work rate: samples mean nothing
    there.
    """
    if run.workload.startswith(OPERATION) and "throughput_" in starts:
        starts = (*OPERATIONS, *starts)
    own = [metric for metric in run.metrics if (metric.target is not None) is target]
    return next(
        (metric for start in starts for metric in own if metric.name.startswith(start)), None
    )


def places(writer: Writer, *refs: str) -> int | None:
    """Decimals that figures in a row share: two for parts of an epoch, else the usual ones."""
    facts = [writer.fact(ref) for ref in refs]
    parts = any(fact.value is not None and not fact.value.is_integer() for fact in facts)
    return _EPOCH_DECIMALS if parts and {fact.unit for fact in facts} == {"epochs"} else None


_EPOCH_DECIMALS: Final = 2


def span(writer: Writer, low: str, high: str, *, link: bool = True) -> Markup:
    """Two figures as a range with its unit and the same decimals; one figure if they read alike."""
    decimals = places(writer, low, high)
    one, text = (writer.fig(ref, decimals, unit=True, link=link) for ref in (low, high))
    if one.striptags() == text.striptags():
        return one
    return writer.t("range", low=writer.fig(low, decimals, link=link), high=text)


def precision(writer: Writer, run: Run) -> Markup:
    """The run's precision, or that the source does not say."""
    if run.precision is Precision.UNKNOWN:
        return writer.t("run.precision_unknown")
    return writer.word("precision", run.precision)


def reduced(writer: Writer, *runs: Run) -> Markup:
    """Suite and size of runs of a reduced suite, which is never shown as the full one; otherwise
    empty.
    """
    size = setting(runs[0], "suite_size")
    if size in (None, "full"):
        return Markup("")
    suites = dict.fromkeys(filter(None, (setting(run, "suite") for run in runs)))
    named = writer.t(f"suite_size.{size}")
    if suites:
        named = writer.t("measured.of_suite", suite=writer.locale.join(list(suites)), size=named)
    return html.strong(named)


def framework(writer: Writer, run: Run) -> Markup:
    """The run's framework and version."""
    if not run.framework:
        return writer.missing("not_stated")
    name = writer.name("framework", run.framework)
    if not run.framework_version:
        return name
    return writer.certain(html.spaced(name, run.framework_version), certainty_of_framework(run))


def interval(writer: Writer, metric: Metric) -> Markup:
    """A figure's interval, in its usual multiple of the unit; empty without one."""
    if metric.value is None or metric.low is None or metric.high is None or not metric.interval:
        return Markup("")
    low, _ = writer.multiple(metric.low, metric.unit, like=metric.value)
    high, unit = writer.multiple(metric.high, metric.unit, like=metric.value)
    ends = [writer.locale.number(low, digits=4), writer.locale.quantity(high, unit, digits=4)]
    return writer.t(f"interval.{metric.interval}", low=ends[0], high=ends[1])


def readable(writer: Writer, metric: Metric) -> Markup:
    """A long time in hours and minutes, to follow its seconds; empty for other figures."""
    if metric.unit != "s" or metric.value is None or metric.value < _LONG_S:
        return Markup("")
    return escape(writer.locale.duration(metric.value))


def each_target(run: Run, metric: Metric) -> list[Metric]:
    """The run's figures of that name, one for each quality metric: a target may have two, such as
    boxes and masks.
    """
    found = {metric.target.metric: metric} if metric.target else {}
    for other in run.metrics:
        if other.name == metric.name and other.target is not None:
            found.setdefault(other.target.metric, other)
    return list(found.values())


def target(writer: Writer, metric: Metric) -> Markup:
    """A figure's target: quality metric and threshold, "BLEU ≥ 21.8"."""
    assert metric.target is not None  # noqa: S101 - callers have checked for a target
    sign = "≥" if metric.target.direction is Direction.AT_LEAST else "≤"
    kept = html.nowrap(f"{sign} {threshold(writer, metric)}")
    return html.spaced(writer.name("metric", metric.target.metric), kept)


def threshold(writer: Writer, metric: Metric) -> str:
    """A target's threshold: fractions as percentages; BLEU from 0 to 100, as its rules define; a
    loss as it is.
    """
    assert metric.target is not None  # noqa: S101 - callers have checked for a target
    return common.level(metric.target.metric, metric.target.value, writer.locale)


def samples(writer: Writer, run: Run, metric: Metric) -> Markup:
    """Number of runs behind a figure, and of steps where it is their median: "1 run; 242 steps",
    never "1, 2 340".
    """
    number = runs_behind(run, metric)
    counted = within(run, metric)
    return html.count(
        writer.joined(
            "counts",
            writer.t("n_not_stated") if number is None else writer.t("runs.count", n=number),
            writer.locale.quantity(*counted) if counted else "",
        )
    )
