"""How much of this machine's peak arithmetic does training use?"""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from kernels.analysis.repetitions import Setup
from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common, own_runs
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Control, Sentence
from site_src.figures.marks import bars, ranges, rows
from site_src.locales import Locale
from site_src.questions.machine.measured_batch import few, series, series_column
from site_src.tables import Row, measured

PEAKS = ("measured", "nominal")


def figure(found: Sequence[Setup], evidence: Evidence, system: str, page: str) -> Figure | None:
    """Operations per second as a share of measured and nominal peak; None without either."""
    table = measured.arithmetic(found, evidence)
    if table.empty:
        return None
    known = [peak for peak in PEAKS if table[f"of_{peak}"].notna().any()]
    if not known:
        return None
    table["category"] = table["workload"] + " " + table["series"]
    records = tables.rows(table)
    choices = tuple(common.choice(peak, f"control.peak_{peak}") for peak in known)
    peaks = Control("peak", choices, fields={"value": {peak: f"of_{peak}" for peak in known}})

    return Figure(
        id=f"{system}-peak",
        page=page,
        key="measured_peak",
        subject=system,
        table=table,
        columns=_columns(table, known),
        series=series(table),
        fields={"value": f"of_{known[0]}"},
        draw=draw,
        sentence=lambda locale: sentence(records, known[0], evidence.facts, locale),
        axis={f"of_{peak}": f"axis.of_{peak}_peak" for peak in known},
        controls=(peaks,) if len(known) > 1 else (),
        notes=lambda locale: [
            *_notes(records, known, locale),
            *own_runs.warning_notes(found, table, locale),
        ],
        name=_name,
        reason=lambda _, locale: locale.say("figure.measured_peak.no_peak"),
        remark=lambda row, name, locale: own_runs.remark(row, _over(row, name, locale), locale),
        count=False,
        line=rows.LINE,
        whose=measured.name(found, evidence.catalog),
    )


def _columns(table: pd.DataFrame, known: Sequence[str]) -> tuple[Column, ...]:
    return (
        series_column(table),
        common.WORKLOAD,
        common.WORKLOAD_ID,
        Column(
            "batch", "column.global_batch_size", "number", decimals=0, counted=True, shown=False
        ),
        Column("flop", "column.achieved_flop_per_s", "quantity"),
        Column("steps", "column.steps_timed", "number", decimals=0, counted=True),
        *(
            column
            for peak in known
            for column in (
                Column(f"of_{peak}", f"column.of_{peak}_peak", "fraction", decimals=1),
                Column(f"{peak}_peak", f"column.{peak}_peak", "quantity"),
            )
        ),
        Column("peak_run", "column.peak_run", "run", shown=False),
        Column("peak_framework", "column.peak_framework", shown=False),
        Column("nominal_source", "column.nominal_source", shown=False),
        *own_runs.sizes(table),
        *common.warned(table),
        *common.PROVENANCE,
    )


def _notes(rows: Sequence[Row], known: Sequence[str], locale: Locale) -> list[str]:
    said = ["counted", *(f"origin_{peak}" for peak in known)]
    if any((row[f"of_{peak}"] or 0.0) > 1 for row in rows for peak in known):
        said.append("over")
    peaks = locale.join([_peak(row, locale) for row in rows if row["peak_run"] == row["run_id"]])
    return [
        locale.say(
            f"figure.measured_peak.{key}", **({"peaks": peaks} if key == "origin_measured" else {})
        )
        for key in said
    ]


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    batch = "" if present(row["operation"]) else locale.say("run.batch", batch=row["batch"])
    under = (rate(row["flop"], locale), batch, few(row, "flop", locale))
    return f"{row['workload_name']} · {row['label']}", " · ".join(filter(None, under))


def _peak(row: Row, locale: Locale) -> str:
    text = locale.say(
        "figure.measured_peak.peak_of",
        value=rate(row["flop"], locale),
        series=tables.FORMATS.get(row["precision"], row["precision"]),
        framework=row["framework"],
    )
    steps = few(row, "flop", locale)
    return locale.say("join.paren", text=text, note=steps) if steps else text


def rate(value: float, locale: Locale) -> str:
    """Operations per second in the multiple in which they are shown."""
    return locale.quantity(*locale.scaled(value, "FLOP/s"), digits=3)


def _over(row: Row, name: str, locale: Locale) -> str | None:
    """A figure may exceed its peak; it is then flagged, not hidden."""
    return locale.say("figure.measured_peak.flag") if (row.get(name) or 0.0) > 1 else None


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Horizontal bars, with a tick at the peak."""
    return [
        rows.order(),
        *ranges.draw(sketch, bars.value_axis(sketch), from_zero=True),
        rows.ticks(sketch, alt.XDatum(1)),
    ]


def _sure(row: Row, peak: str) -> bool:
    """Returns True if the share and its measured peak have intervals: no others may come first."""
    return present(row["flop_low"]) and (peak == "nominal" or present(row["measured_peak_low"]))


def sentence(rows: Sequence[Row], peak: str, facts: Facts, locale: Locale) -> Sentence:
    """The network that uses most of the peak; without networks the fastest operation."""
    spoken = common.Spoken(facts, locale)
    told = [row for row in rows if present(row[f"of_{peak}"])]
    networks = [row for row in told if not present(row["operation"])]
    if networks:
        best = max(networks, key=lambda row: (_sure(row, peak), row[f"of_{peak}"]))
        share = spoken.percent("share", best[f"of_{peak}_ref"])
        held = spoken.put("peak", best[f"{peak}_peak_ref"], lambda value: rate(value, locale))
        names = {"workload": best["workload_name"], "series": best["label"]}
        if peak == "measured":
            names["framework"] = best["peak_framework"]
        return Sentence(f"headline.{peak}", (share, held), names)
    best = max(told, key=lambda row: (present(row["flop_low"]), row["flop"]))
    value = spoken.put("value", best["flop_ref"], lambda value: rate(value, locale))
    names = {"workload": best["workload_name"], "series": best["label"]}
    return Sentence("headline.alone", (value,), names)
