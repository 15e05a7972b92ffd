"""What pages say of a run and of its figures: framework, number format, suite, intervals, targets,
how many runs and steps stand behind a figure.
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
"""Seconds from which a time is also given in hours and minutes."""


def main_metric(run: Run, *starts: str, target: bool = False) -> Metric | None:
    """The first figure of a run whose name begins so, among those that belong to a target or among
    the others. For the throughput of a single operation it is the rate of its work: samples say
    nothing of it.
    """
    if run.workload.startswith(OPERATION) and "throughput_" in starts:
        starts = (*OPERATIONS, *starts)
    own = [metric for metric in run.metrics if (metric.target is not None) is target]
    return next(
        (metric for start in starts for metric in own if metric.name.startswith(start)), None
    )


def places(writer: Writer, *refs: str) -> int | None:
    """Decimals that figures in a row share: parts of an epoch, as some logs count them, have two;
    else what each is shown with.
    """
    facts = [writer.fact(ref) for ref in refs]
    parts = any(fact.value is not None and not fact.value.is_integer() for fact in facts)
    return _EPOCH_DECIMALS if parts and {fact.unit for fact in facts} == {"epochs"} else None


_EPOCH_DECIMALS: Final = 2


def span(writer: Writer, low: str, high: str, *, link: bool = True) -> Markup:
    """Two figures of one kind as a range with its unit, with as many decimals; one where they are
    the same.
    """
    decimals = places(writer, low, high)
    text = writer.fig(high, decimals, unit=True, link=link)
    if writer.fact(low).value == writer.fact(high).value:
        return writer.fig(low, decimals, unit=True, link=link)
    return writer.t("range", low=writer.fig(low, decimals, link=link), high=text)


def precision(writer: Writer, run: Run) -> Markup:
    """The number format, or that the source does not say which."""
    if run.precision is Precision.UNKNOWN:
        return writer.t("run.precision_unknown")
    return writer.word("precision", run.precision)


def reduced(writer: Writer, *runs: Run) -> Markup:
    """Suite and size of runs of a suite made smaller, which is never shown as the full one; nothing
    for any other.
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
    """Framework and version."""
    if not run.framework:
        return writer.missing("not_stated")
    name = writer.name("framework", run.framework)
    if not run.framework_version:
        return name
    return writer.certain(html.spaced(name, run.framework_version), certainty_of_framework(run))


def interval(writer: Writer, metric: Metric) -> Markup:
    """The interval of a figure, in the multiple of the unit in which that is read; nothing without
    one.
    """
    if metric.value is None or metric.low is None or metric.high is None or not metric.interval:
        return Markup("")
    low, _ = writer.multiple(metric.low, metric.unit, like=metric.value)
    high, unit = writer.multiple(metric.high, metric.unit, like=metric.value)
    ends = [writer.locale.number(low, digits=4), writer.locale.quantity(high, unit, digits=4)]
    return writer.t(f"interval.{metric.interval}", low=ends[0], high=ends[1])


def readable(writer: Writer, metric: Metric) -> Markup:
    """A long time in hours and minutes, to stand beside its seconds; nothing for any other
    figure.
    """
    if metric.unit != "s" or metric.value is None or metric.value < _LONG_S:
        return Markup("")
    return escape(writer.locale.duration(metric.value))


def each_target(run: Run, metric: Metric) -> list[Metric]:
    """The run's figures of that name, one for each measure of quality: a target may ask for two at
    once, such as boxes and masks.
    """
    found = {metric.target.metric: metric} if metric.target else {}
    for other in run.metrics:
        if other.name == metric.name and other.target is not None:
            found.setdefault(other.target.metric, other)
    return list(found.values())


def target(writer: Writer, metric: Metric) -> Markup:
    """The target of a figure: the measure of quality and its threshold, "BLEU ≥ 21.8"."""
    assert metric.target is not None  # noqa: S101 - asked by those who saw one
    sign = "≥" if metric.target.direction is Direction.AT_LEAST else "≤"
    kept = html.nowrap(f"{sign} {threshold(writer, metric)}")
    return html.spaced(writer.name("metric", metric.target.metric), kept)


def threshold(writer: Writer, metric: Metric) -> str:
    """A target's threshold, fractions as percentages; BLEU as its rules have it, from 0 to 100 and
    no percentage; a loss as it is.
    """
    assert metric.target is not None  # noqa: S101 - asked by those who saw one
    return common.level(metric.target.metric, metric.target.value, writer.locale)


def samples(writer: Writer, run: Run, metric: Metric) -> Markup:
    """How many runs stand behind a figure, and of how many steps of one run it is the median: "1
    run; 242 steps", never "1, 2 340".
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
