"""Columns of a table of runs that are no fields of `Run`: metrics, targets, software, settings.

Transcriptions of articles and the plain table share them; `runs/sources/README.md` describes each.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from kernels.errors import SourceError
from kernels.importers.mlperf.rules import direction
from kernels.metrics import metric_unit
from kernels.printed import Printed, parse
from kernels.records import Certainty, Interval, Metric, Setting, Software, Stat, Status, Target
from kernels.tabular import Entry, build

LISTS: Final = ("software", "settings", "target_metric", "target_certainty", "n")
"""Columns that are no field of `Run`, besides those of the metrics."""

NOT_CELLS: Final = frozenset(
    {
        "metrics",
        "targets",
        "steps",
        "epochs",
        "evaluations",
        "telemetry",
        "doubts",
        "environment",
    }
)
"""Fields of `Run` that no cell can hold."""

NO_FIGURE: Final = tuple(status for status in Status if status is not Status.OK)
"""Statuses allowed in a cell instead of a figure."""

_MOST_DIGITS: Final = 15


def metric_name(column: str) -> str:
    """Returns the metric of a column: `epochs_to_target` of `epochs_to_target@0.757 at`."""
    return column.removesuffix(" at").partition("@")[0]


def metric(entry: Entry, column: str) -> Metric:
    """Returns the figure of a column, or why it is missing; `column` may name a target, as in
    `epochs_to_target@0.757`.
    """
    name, _, threshold = column.partition("@")
    text = entry.text(column)
    given: dict[str, object] = {"name": name, "unit": metric_unit(name), "n": _n(entry)}
    given["locator"] = entry.values.get(f"{column} at", entry.values.get("locator"))
    given["stat"] = Stat.NOT_STATED
    if threshold:
        given["target"] = _target(entry, column, threshold)
    missing = next((status for status in NO_FIGURE if status.value == text), None)
    if missing is not None:
        given["status"] = missing
    else:
        printed = printed_as(entry, column, text)
        given |= {"value": printed.value, "bound": printed.bound, "decimals": printed.decimals}
        if printed.value is None:
            given |= {"low": printed.low, "high": printed.high, "interval": Interval.PRINTED}
        elif given["n"] == 1:
            given["stat"] = Stat.SINGLE
    return build(Metric, Entry(entry.place, {}), given)


def _target(entry: Entry, column: str, threshold: str) -> Target:
    """Returns the target in a column's name; `target_metric` names one metric, or one for each of
    the row's targets in the columns' order.
    """
    entry.text("target_metric")
    metrics = tuple(_listed(entry, "target_metric"))
    targeted = (name for name in entry.values if "@" in name and not name.endswith(" at"))
    thresholds = list(dict.fromkeys(name.partition("@")[2] for name in targeted))
    if len(metrics) not in (1, len(thresholds)):
        raise entry.error(
            "target_metric",
            f"one, or one for each target: {', '.join(thresholds)}",
            f"{len(metrics)} metrics",
        )
    metric = metrics[0] if len(metrics) == 1 else metrics[thresholds.index(threshold)]
    certainty = str(entry.values.get("target_certainty", Certainty.STATED))
    if certainty not in list(Certainty):
        raise entry.error("target_certainty", f"one of {', '.join(Certainty)}")
    value = printed_as(entry, column, threshold).value
    if value is None:
        raise entry.error(column, "one threshold", f"the range {threshold!r}")
    return Target(metric, value, direction(metric), certainty=Certainty(certainty))


def _n(entry: Entry) -> int | None:
    n = entry.values.get("n")
    if n is None:
        return None
    if not str(n).isdecimal() or len(str(n)) > _MOST_DIGITS or int(str(n)) < 1:
        raise entry.error(
            "n", "how many runs the figures are of, or nothing where the source does not say"
        )
    return int(str(n))


def printed_as(entry: Entry, name: str, text: object) -> Printed:
    """Returns the figure in a cell.

    Raises:
        SourceError: Not a figure; names file, line and column.
    """
    try:
        return parse(str(text))
    except SourceError as error:
        raise SourceError(
            f"{entry.place}: {name}: {error}; or a status: {', '.join(NO_FIGURE)}"
        ) from None


def _listed(entry: Entry, name: str) -> Iterator[str]:
    for part in str(entry.values.get(name, "")).split(";"):
        if part.strip():
            yield part.strip()


def lists(entry: Entry, metrics: Sequence[Metric]) -> dict[str, object]:
    """Returns fields of a run that several columns make."""
    targets = (each.target for each in metrics if each.target is not None)
    return {
        "metrics": tuple(metrics),
        "targets": tuple(dict.fromkeys(targets)),
        "software": tuple(_software(entry)),
        "settings": tuple(_settings(entry)),
    }


def _software(entry: Entry) -> Iterator[Software]:
    """Parses `TensorFlow 1.7.0 reconstructed; CUDA 9.0`: name, version or `-`, certainty unless
    `stated`.
    """
    for part in _listed(entry, "software"):
        words = part.split()
        certainty = next((c for c in Certainty if c.value == words[-1]), None)
        if certainty is not None:
            words = words[:-1]
        if len(words) < 2:  # noqa: PLR2004 - name and version
            raise entry.error(
                "software",
                "a name and a version, or '-' for none, as in 'CUDA 9.0 reconstructed'",
                repr(part),
            )
        version = None if words[-1] == "-" else words[-1]
        yield Software(" ".join(words[:-1]), version, certainty or Certainty.STATED)


def _settings(entry: Entry) -> Iterator[Setting]:
    """Parses `momentum=0.9; weight_decay=1e-4`."""
    for part in _listed(entry, "settings"):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise entry.error("settings", "name=value", repr(part))
        yield Setting(name.strip(), value.strip())
