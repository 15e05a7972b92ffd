"""What a monitoring log shows of a run: a small picture of its sensors, its figures, each
accelerator's energy, and its terms.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from markupsafe import Markup, escape

from kernels.records import Metric, Run, Sample
from site_src.pages.components import tables
from site_src.pages.components.writer import Writer, capital

PREFIX: Final = "monitored_"
"""Beginning of the names of a log's figures; those of one accelerator end in `_of_<number>`."""

_DRAWN: Final = (("power_w", "W"), ("temperature_c", "degC"), ("utilisation", "1"))
"""Sensors that are drawn, with their unit: a row each."""

WIDTH: Final = 560
ROW: Final = 64
_LEFT: Final = 56
_RIGHT: Final = 554
_ABOVE: Final = 20
_BETWEEN: Final = 6

MOST_POINTS: Final = 240
"""Points of the whole picture, over all sensors and accelerators: a page of a run is small."""

MOST_TIGHT: Final = 48
"""The same where there is little room."""

TIGHT: Final = 3_000
"""Bytes of room below which the first sensor and the main figures stand for all."""

_MAIN: Final = frozenset(
    {"energy_j", "mean_power_w", "peak_power_w", "covered_s", "largest_gap_s", "readings"}
)
"""Figures that are shown even where there is little room."""

LEAST_POINTS: Final = 6
"""Points of one line."""

_PARTED: Final = 5.0
"""Median steps between readings beyond which a line is parted: nobody knows what was between."""

MOST_DEVICES: Final = 8
"""Accelerators that have a row each; of more, the figures over all stand alone and the downloads
have the rest.
"""

_MOST_GAPS: Final = 12
"""Gaps of one line that are drawn, the longest ones."""

Points = Sequence[tuple[float, float]]
Thinned = Callable[[Points, int], Points]


@dataclass(frozen=True, slots=True)
class Row:
    """One strip: its name, the ends of its scale as text, where they stand, and its lines; of a log
    a panel for each accelerator.
    """

    name: Markup
    low: str
    high: str
    top: int
    bottom: int
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The picture: rows of sensors over columns of accelerators, on one axis of time."""

    rows: Sequence[Row]
    label: Markup
    caption: Markup
    height: int
    width: int = WIDTH


def is_monitored(metric: Metric) -> bool:
    """Whether a figure is a log's."""
    return metric.name.startswith(PREFIX)


def is_alone(run: Run) -> bool:
    """Whether a log is all that there is of a run: then nothing says what was done."""
    return bool(run.metrics) and all(map(is_monitored, run.metrics))


def block(writer: Writer, run: Run, thinned: Thinned, room: int) -> Markup:
    """All of it; empty for a run without telemetry.

    Args:
        writer: Of the page.
        run: With what a recording put into it.
        thinned: Takes the points of a line and how many there may be.
        room: Bytes that the rest of the page leaves; where it is tight, the first sensor and the
            main figures stand for all.
    """
    figures = [
        metric for metric in run.metrics if is_monitored(metric) and "_of_" not in metric.name
    ]
    tight = room < TIGHT
    recording = next(
        (each for each in writer.site.archive.recordings if each.run_id == run.run_id), None
    )
    source = terms = Markup("")
    if recording is not None:
        source = tables.place(writer, recording.source, recording.locator)
        terms = writer.t(
            "run.terms", credit=recording.credit, licence=writer.name("licence", recording.licence)
        )
    count = run.metric(f"{PREFIX}readings")
    return writer.render(
        "blocks/telemetry.html",
        picture=drawing(writer, run, thinned, tight=tight),
        figures=[
            (capital(writer.quantity_name(metric.name)), _value(writer, run, metric))
            for metric in figures
            if not tight or metric.name.removeprefix(PREFIX) in _MAIN
        ],
        each="" if tight else _each(writer, run),
        energy=run.metric(f"{PREFIX}energy_j") is not None,
        kept=count is not None and count.value is not None and len(run.telemetry) < count.value,
        source=source,
        terms=terms,
    )


def _value(writer: Writer, run: Run, metric: Metric) -> Markup:
    """A figure with its unit, an energy in watt-hours too."""
    # a log's times have no more
    decimals = (
        3 if metric.unit == "s" and metric.value is not None and 0 < metric.value < 1 else None
    )
    shown = writer.fig(f"run:{run.run_id}:{metric.key}", decimals, unit=True)
    note = tables.readable(writer, metric)
    if metric.unit == "J" and metric.value is not None:
        note = escape(writer.locale.quantity(metric.value / 3600, "Wh", digits=3))
    return writer.paren(shown, note) if note else shown


def _each(writer: Writer, run: Run) -> Markup:
    """Energy, mean and peak power of each accelerator, where there are several and not too many."""
    devices = sorted({sample.device for sample in run.telemetry})
    shown = [
        name
        for name in (f"{PREFIX}{kind}" for kind in ("energy_j", "mean_power_w", "peak_power_w"))
        if any(run.metric(f"{name}_of_{device}") for device in devices)
    ]
    if not 1 < len(devices) <= MOST_DEVICES or not shown:
        return Markup("")
    rows = [
        (
            escape(writer.locale.number(device)),
            *(
                writer.of_run(run, key, unit=True)
                if run.metric(key := f"{name}_of_{device}")
                else writer.missing("not_stated")
                for name in shown
            ),
        )
        for device in devices
    ]
    headings = [
        tables.heading(writer, "accelerator"),
        *(capital(writer.quantity_name(name)) for name in shown),
    ]
    return tables.small_table(writer, writer.t("telemetry.each"), headings, rows)


def drawing(writer: Writer, run: Run, thinned: Thinned, *, tight: bool = False) -> Drawing | None:
    """Power, temperature and load over time, as far as they were read; None without two readings of
    any.
    """
    found = [
        (field, unit, series) for field, unit in _DRAWN if (series := _series(run.telemetry, field))
    ][: 1 if tight else None]
    if not found:
        return None
    devices = sorted({sample.device for sample in run.telemetry})
    first, last = run.telemetry[0].time_s, max(sample.time_s for sample in run.telemetry)
    most = max(LEAST_POINTS, (MOST_TIGHT if tight else MOST_POINTS) // (len(found) * len(devices)))
    panel = (_RIGHT - _LEFT + _BETWEEN) / len(devices)
    rows = []
    for place, (field, unit, series) in enumerate(found):
        top = _ABOVE + place * (ROW + _ABOVE)
        values = [value for points in series.values() for _, value in points]
        low, high = min(values), max(values)

        def at(
            point: tuple[float, float],
            left: float,
            top: int = top,
            low: float = low,
            tall: float = (high - low) or 1.0,
        ) -> str:
            x = left + (point[0] - first) / ((last - first) or 1.0) * max(panel - _BETWEEN, 1.0)
            return f"{x:.0f},{top + (1 - (point[1] - low) / tall) * ROW:.0f}"

        lines = [
            " ".join(at(point, _LEFT + column * panel) for point in piece)
            for column, device in enumerate(devices)
            for piece in _pieces(series.get(device, ()), most, thinned)
        ]

        def say(value: float, unit: str = unit) -> str:
            return (
                writer.locale.percent(value, 0)
                if unit == "1"
                else writer.locale.quantity(value, unit, digits=3)
            )

        rows.append(Row(writer.t(f"telemetry.{field}"), say(low), say(high), top, top + ROW, lines))
    names = writer.locale.join([str(row.name) for row in rows])
    # of a long log the last reading need not be among those that are kept
    whole = run.metric(f"{PREFIX}time_s")
    span = writer.locale.duration(whole.value if whole and whole.value else last - first)
    caption = capital(
        writer.t(
            "telemetry.several" if len(devices) > 1 else "telemetry.one", names=names, time=span
        )
    )
    label = writer.t("telemetry.label", names=names)
    return Drawing(rows, label, caption, rows[-1].bottom + _BETWEEN)


def _series(samples: Sequence[Sample], field: str) -> dict[int, list[tuple[float, float]]]:
    """Time and reading by accelerator; empty where no accelerator has two."""
    found: dict[int, list[tuple[float, float]]] = {}
    for sample in samples:
        value = getattr(sample, field)
        if value is not None:
            found.setdefault(sample.device, []).append((sample.time_s, value))
    return found if any(len(points) > 1 for points in found.values()) else {}


def _pieces(points: Points, most: int, thinned: Thinned) -> Iterator[Points]:
    """A line parted at its longest gaps, of about `most` points in all."""
    if len(points) < 2:  # noqa: PLR2004 - a line has two ends
        return
    steps = [after[0] - before[0] for before, after in pairwise(points)]
    limit = _PARTED * median(steps)
    gaps = sorted(
        (place + 1 for place, step in enumerate(steps) if step > limit),
        key=lambda place: -steps[place - 1],
    )
    for start, end in pairwise([0, *sorted(gaps[:_MOST_GAPS]), len(points)]):
        piece = points[start:end]
        if len(piece) > 1:
            yield thinned(piece, max(2, most * len(piece) // len(points)))
