"""A monitoring log on a run's page: a small picture of its sensors, its figures, each accelerator's
energy, and its terms.
"""

from typing import Final

from markupsafe import Markup, escape

from kernels.reading import where
from kernels.records import Metric, Run
from site_src.minify import slim
from site_src.pages.components import run_details, tables
from site_src.pages.components.writer import Writer, capital
from site_src.pages.run import panels

PREFIX: Final = "monitored_"
"""Prefix of the names of a log's figures; those of one accelerator end in `_of_<number>`."""

BUDGETS: Final = (1600, 800, 560, 400, 240, 120, 0)
"""Total points of the picture, tried in turn until the page is small enough."""

MOST_OWN: Final = 32
"""A run with more figures of its own shows only the log's first quantity and main figures; a
number, not a length, so that all languages show the same.
"""

MOST_TIGHT: Final = 48
"""Most points if only the first quantity and the main figures fit."""

_MAIN: Final = frozenset(
    {"energy_j", "mean_power_w", "peak_power_w", "covered_s", "largest_gap_s", "readings"}
)
"""Figures that are shown even in little room."""

MOST_DEVICES: Final = 8
"""Most accelerators with a row each; for more, only the figures over all are shown, and the
downloads have the rest.
"""


def is_monitored(metric: Metric) -> bool:
    """True for a figure from a log."""
    return metric.name.startswith(PREFIX)


def is_alone(run: Run) -> bool:
    """True if a run consists of a log alone, which does not say what was run."""
    return bool(run.metrics) and all(map(is_monitored, run.metrics))


def block(writer: Writer, run: Run, room: int) -> Markup:
    """The picture, figures, energy and terms of a log; empty without telemetry.

    Args:
        writer: Of the page.
        run: With the telemetry of a recording.
        room: Bytes left on the page; with few, lines have fewer points.
    """
    if sum(not is_monitored(metric) for metric in run.metrics) > MOST_OWN:
        return _block(writer, run, MOST_TIGHT, tight=True)
    made = Markup("")
    for most in BUDGETS:
        made = _block(writer, run, most)
        if len(slim(str(made)).encode()) <= room:
            break
    return made


def _block(writer: Writer, run: Run, most: int, *, tight: bool = False) -> Markup:
    figures = [
        metric for metric in run.metrics if is_monitored(metric) and "_of_" not in metric.name
    ]
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
        picture=panels.drawing(writer, run, most, first_alone=tight),
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
