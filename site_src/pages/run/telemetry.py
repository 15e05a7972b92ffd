"""What a monitoring log shows of a run: a small picture of its sensors, its figures, each
accelerator's energy, and its terms.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from markupsafe import Markup, escape

from kernels.reading import where
from kernels.records import Metric, Run, Sample
from site_src.pages.components import run_details, tables
from site_src.pages.components.writer import Writer, capital
from site_src.pages.run.drawing import ABOVE, LEFT, RIGHT, Drawing, Row
from site_src.tables.curve import thinned

PREFIX: Final = "monitored_"
"""Beginning of the names of a log's figures; those of one accelerator end in `_of_<number>`."""

_DRAWN: Final = (("power_w", "W"), ("temperature_c", "degC"), ("utilisation", "1"))
"""Sensors that are drawn, with their unit: a row each."""

_TALL: Final = 64
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


def is_monitored(metric: Metric) -> bool:
    """Whether a figure is a log's."""
    return metric.name.startswith(PREFIX)


def is_alone(run: Run) -> bool:
    """Whether a log is all that there is of a run: then nothing says what was done."""
    return bool(run.metrics) and all(map(is_monitored, run.metrics))


def block(writer: Writer, run: Run, room: int) -> Markup:
    """All of it; empty for a run without telemetry.

    Args:
        writer: Of the page.
        run: With what a recording put into it.
        room: Bytes that the rest of the page leaves; where it is tight, the first sensor and the
            main figures stand for all.
    """
    figures = [
        metric for metric in run.metrics if is_monitored(metric) and "_of_" not in metric.name
    ]
    tight = room < TIGHT
    recording = next(iter(where(writer.site.archive.recordings, run_id=run.run_id)), None)
    source = terms = Markup("")
    if recording is not None:
        source = tables.place(writer, recording.source, recording.locator)
        terms = writer.t(
            "run.terms", credit=recording.credit, licence=writer.name("licence", recording.licence)
        )
    count = run.metric(f"{PREFIX}readings")
    return writer.render(
        "blocks/telemetry.html",
        picture=drawing(writer, run, tight=tight),
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
    note = run_details.readable(writer, metric)
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


def drawing(writer: Writer, run: Run, *, tight: bool = False) -> Drawing | None:
    """Power, temperature and load over time, as far as they were read; None without two readings of
    any.
    """
    found = {sensor: series for sensor in _DRAWN if (series := _series(run.telemetry, sensor[0]))}
    if not found:
        return None
    if tight:
        found = dict(list(found.items())[:1])
    devices = sorted({sample.device for sample in run.telemetry})
    span = run.telemetry[0].time_s, max(sample.time_s for sample in run.telemetry)
    most = max(LEAST_POINTS, (MOST_TIGHT if tight else MOST_POINTS) // (len(found) * len(devices)))
    rows = [
        _row(
            writer,
            sensor,
            [series.get(device, ()) for device in devices],
            span=span,
            top=ABOVE + place * (_TALL + ABOVE),
            most=most,
        )
        for place, (sensor, series) in enumerate(found.items())
    ]
    names = writer.locale.join([str(row.name) for row in rows])
    # of a long log the last reading need not be among those that are kept
    whole = run.metric(f"{PREFIX}time_s")
    time = writer.locale.duration(whole.value if whole and whole.value else span[1] - span[0])
    key = "telemetry.several" if len(devices) > 1 else "telemetry.one"
    return Drawing(
        rows,
        capital(writer.t(key, names=names, time=time)),
        rows[-1].bottom + _BETWEEN,
        writer.t("telemetry.label", names=names),
    )


def _row(
    writer: Writer,
    sensor: tuple[str, str],
    series: Sequence[Points],
    *,
    span: tuple[float, float],
    top: int,
    most: int,
) -> Row:
    """The lines of a sensor, a panel for each accelerator."""
    field, unit = sensor
    values = [value for points in series for _, value in points]
    low, high = min(values), max(values)
    first, last = span
    panel = (RIGHT - LEFT + _BETWEEN) / len(series)

    def at(point: tuple[float, float], left: float) -> str:
        x = left + (point[0] - first) / ((last - first) or 1.0) * max(panel - _BETWEEN, 1.0)
        return f"{x:.0f},{top + (1 - (point[1] - low) / ((high - low) or 1.0)) * _TALL:.0f}"

    def say(value: float) -> str:
        if unit == "1":
            return writer.locale.percent(value, 0)
        return writer.locale.quantity(value, unit, digits=3)

    lines = [
        " ".join(at(point, LEFT + column * panel) for point in piece)
        for column, points in enumerate(series)
        for piece in _pieces(points, most)
    ]
    return Row(writer.t(f"telemetry.{field}"), say(low), say(high), top, top + _TALL, lines)


def _series(samples: Sequence[Sample], field: str) -> dict[int, list[tuple[float, float]]]:
    """Time and reading by accelerator; empty where no accelerator has two."""
    found: dict[int, list[tuple[float, float]]] = {}
    for sample in samples:
        value = getattr(sample, field)
        if value is not None:
            found.setdefault(sample.device, []).append((sample.time_s, value))
    return found if any(len(points) > 1 for points in found.values()) else {}


def _pieces(points: Points, most: int) -> Iterator[Points]:
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
