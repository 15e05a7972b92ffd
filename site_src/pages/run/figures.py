"""The figures on a run's page: each with its value or the reason it is missing, statistic and
count, and source.
"""

import math
import re
from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from kernels.analysis.repetitions import OWN
from kernels.analysis.warnings import WARNINGS
from kernels.records import Metric, Run, Status
from site_src.pages.components import run_details, tables
from site_src.pages.components.writer import Writer, capital
from site_src.pages.run import families, telemetry
from site_src.tables import timeline, within
from site_src.templates import html


def heading(writer: Writer, run: Run) -> Markup:
    """The heading of the figures, which for a run of this harness says that they are of one run."""
    title = writer.t("run.metrics")
    return writer.paren(title, writer.t("runs.count", n=1)) if run.origin in OWN else title


def metrics(writer: Writer, run: Run) -> Markup:
    """All figures of the run: value, range or the reason it is missing, statistic and count, and
    source.
    """
    placed = any(metric.locator for metric in run.metrics if not telemetry.is_monitored(metric))
    groups = by_row(run)
    if run.origin in OWN:
        return html.meta([_family(writer, run, key, found) for key, found in groups.items()])
    rows = [_metric(writer, run, found, placed) for found in groups.values()]
    columns = ("metric", "value", "statistic", *(["place"] if placed else []))
    headings = [tables.heading(writer, name) for name in columns]
    return tables.small_table(writer, writer.t("run.metrics"), headings, rows)


def by_row(run: Run) -> dict[str, list[Metric]]:
    """The shown figures of a run, grouped by row."""
    groups: dict[str, list[Metric]] = {}
    for metric in run.metrics:
        if (
            not _said_before(run, metric)
            and not telemetry.is_monitored(metric)
            and not _idle(run, metric)
        ):
            groups.setdefault(_row(run, metric), []).append(metric)
    return groups


_SAME: Final = 0.01
"""Largest relative difference at which the training time is not shown beside the wall time; the row
of the wall time explains it.
"""

_HELD: Final = "_sustained"
_TO_TARGET: Final = re.compile(r"(?:epochs|samples|time)_to_target(_sustained)?(?:_s)?")


def _row(run: Run, metric: Metric) -> str:
    to_target = _TO_TARGET.fullmatch(metric.name)
    if to_target and metric.target:
        return f"{'' if run.origin in OWN else to_target[1]}@{metric.target.value}"
    if run.origin in OWN and (key := families.family(metric)):
        return key
    return metric.name.removesuffix("_epoch") if metric.name.startswith("best_") else metric.key


def _idle(run: Run, metric: Metric) -> bool:
    """True if a figure only repeats others on the page: a run's page is small, and the downloads
    have all.

    Such are the samples to a target if they are all of its epochs; the median step, shown as time
    per step; the training time if it is the wall time; the compilation of a run that compiles
    nothing; a queue too short for a warning; energy where no power could be read.
    """
    if metric.name == "queued_share":
        return metric.value is not None and metric.value <= WARNINGS["unsynchronised"].limit
    if metric.name == "train_time_s":
        return (
            metric.value is not None
            and run.wall_time_s is not None
            and math.isclose(metric.value, run.wall_time_s, rel_tol=_SAME)
        )
    if metric.name.startswith("samples_to_target"):
        return _all_but_remainders(run, metric)
    if metric.name == "compile_time_s":
        return (
            run.environment is not None
            and run.environment.compile_mode == "eager"
            and run.metric("first_step_s") is not None
        )
    unread = (
        metric.status is Status.NOT_SUPPORTED
        and metric.name == "energy_j"
        and "power_w" in timeline.unread(run)
    )
    return metric.name == "step_time_p50_s" or unread


def _all_but_remainders(run: Run, metric: Metric) -> bool:
    """True if the samples to a target are those of its epochs, except incomplete batches at the end
    of each.
    """
    epochs = run.metric(metric.key.replace("samples_", "epochs_"))
    if epochs is None or epochs.value is None or metric.value is None or run.train_samples is None:
        return False
    return (
        0
        <= epochs.value * run.train_samples - metric.value
        < epochs.value * (run.global_batch_size or 1)
    )


def _unheld(name: str) -> str:
    """Name of the time to the first reaching of a target, from the name of the time from which it
    was held.
    """
    return name.replace(_HELD, "")


def _said_before(run: Run, metric: Metric) -> bool:
    """True if a target was held from the first time that it was reached: one row shows both."""
    first = next(
        (m for m in run.metrics if m.name == _unheld(metric.name) and m.target and metric.target),
        None,
    )
    return (
        _HELD in metric.name
        and metric.value is not None
        and first is not None
        and first.value == metric.value
    )


def _held(run: Run, metric: Metric) -> bool:
    return any(
        _unheld(other.name) == metric.name and other is not metric and _said_before(run, other)
        for other in run.metrics
    )


def name(writer: Writer, run: Run, found: Sequence[Metric]) -> Markup:
    """The heading of a row of figures; for a target with its threshold and whether it was held."""
    metric = found[0]
    if metric.target is None:
        return capital(writer.quantity_name(metric.name))
    what = writer.t("head.to_target") if len(found) > 1 else writer.quantity_name(metric.name)
    said = writer.t("run.metric_to_target", metric=what, target=run_details.target(writer, metric))
    if (len(found) > 1 and _HELD in metric.name) or _held(run, metric):
        said = writer.joined("comma", said, writer.t("run.held"))
    return capital(said)


def _shown(found: Sequence[Metric]) -> list[Metric]:
    return [metric for metric in found if metric.status is Status.OK] or list(found[:1])


def _family(writer: Writer, run: Run, key: str, found: Sequence[Metric]) -> tuple[Markup, Markup]:
    if found[0].target is None:
        return families.row(writer, run, key, found)
    hits = [metric for metric in found if _HELD not in metric.name] or found
    lines = [
        writer.joined("terms", *(families.figure(writer, run, metric) for metric in _shown(hits)))
    ]
    later = [metric for metric in found if metric not in hits]
    reached = any(metric.status is Status.OK for metric in hits)  # else it was not held either
    if later and reached and not any(_held(run, metric) for metric in hits):
        values = [families.figure(writer, run, metric) for metric in _shown(later)]
        lines.append(writer.colon(capital(writer.t("run.held")), writer.joined("terms", *values)))
    return name(writer, run, hits), html.lines(*lines)


def _metric(writer: Writer, run: Run, found: Sequence[Metric], placed: bool) -> tuple[Markup, ...]:
    metric = found[0]
    behind = Markup("–")
    if metric.status is Status.OK:
        # number of steps or epochs of the statistic; other rows say that this is one run
        number = (
            Markup("")
            if within(run, metric)
            else run_details.samples(writer, run, metric).striptags()
        )
        behind = writer.joined("comma", families.behind(writer, run, metric), number)
    place = [writer.locator(metric.locator) if metric.locator else Markup("–")] if placed else []
    return (name(writer, run, found), values(writer, run, found), behind, *place)


def values(writer: Writer, run: Run, found: Sequence[Metric]) -> Markup:
    """The figures of a row, or why there are none."""
    lines = [
        html.noted(writer.of_run(run, each.key, unit=True), families.note(writer, each))
        for each in _shown(found)
    ]
    return html.lines(*lines) if len(lines) > 1 else lines[0]
