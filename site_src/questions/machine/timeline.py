"""What did the machine's sensors read while the model improved?"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

from kernels.analysis.repetitions import setups
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Run
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common, own_runs
from site_src.figures.base import LEGEND, Digest, Figure
from site_src.figures.columns import Column
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import tracks
from site_src.figures.marks.tracks import Timeline
from site_src.figures.targets import ChartTarget
from site_src.locales import Locale
from site_src.tables import Row, curve, timeline
from site_src.tables.recorded import warned
from site_src.tables.timeline import QUALITY, RATE, SENSORS

AXIS: Final = 58
"""Height in px of the axis of time with its title."""

MOST_NUMBERS: Final = 12
"""The most ends of epochs with a number."""


def figure(runs: Sequence[Run], evidence: Evidence, subject: str, page: str) -> Figure | None:
    """Quality, learning rate and sensors of one run, of the most repeated settings; None if no run
    of this harness has both curve and sensors.
    """
    chosen = timeline.chosen_run(setups(runs))
    if chosen is None:
        return None
    run = chosen[0]
    names = own_runs.named([*filter(own_runs.is_own, own_runs.chosen(runs)), run], evidence.catalog)
    line = Timeline.of(run)
    table = own_runs.labelled(tables.frame(_rows(line, evidence.catalog)), names)
    alone = sum(map(timeline.watched, runs)) == 1
    several = any(len(each.track.lines) > 1 for each in line.tracks)
    return Figure(
        id=f"{subject}-telemetry",
        page=page,
        key="timeline",
        subject=subject,
        table=table,
        columns=(
            common.SERIES,
            Column("kind", "head.kind", "key", prefix="point"),
            Column("strip", "column.quantity", "key", prefix="telemetry"),
            Column("device", "column.device", "number", decimals=0, shown=several),
            Column("epoch", "column.epoch", "number", unit="epochs", decimals=0, counted=True),
            Column("time", "column.time", "number", unit=line.unit, decimals=2),
            Column("reading", "column.reading", "quantity", fractions=True),
            Column("plain", "column.value", "number"),
            common.UNIT,
            *common.warned(table),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "reading"},
        draw=lambda sketch: tracks.draw(sketch, line),
        sentence=lambda locale: _sentence(line, evidence.facts, names[run.run_id][1], locale),
        axis={"reading": "column.reading"},
        notes=lambda locale: list(_notes(line, locale, alone=alone)),
        reason=lambda _row, _locale: "",
        count=False,
        texts=False,
        height=round(line.tracks[-1].bottom) + AXIS + LEGEND,
        digest=_digest(line, evidence.catalog, names),
    )


def _rows(line: Timeline, catalog: Catalog) -> Iterator[Row]:
    base: Row = {
        **tables.common(line.run, None, catalog),
        "status": "ok",
        "n": 1,
        "kind": None,
        "time": None,
    }
    base["doubted"] = warned([line.run])
    base |= dict.fromkeys(
        ("strip", "device", "epoch", "reading", "reading_decimals", "plain", "unit", "y", "number")
    )
    for each in line.tracks:
        track = each.track
        word = timeline.word(track.name, line.run)
        kind = {QUALITY: "evaluation", RATE: "rate_held"}.get(track.name, "sensor")
        for device, points in track.lines.items():
            for time, value in curve.thinned(points, line.most) if kind == "sensor" else points:
                row: Row = {
                    "kind": kind,
                    "strip": word,
                    "device": device if kind == "sensor" else None,
                }
                yield {
                    **base,
                    **row,
                    "time": line.moment(time),
                    "y": each.at(value),
                    **tracks.read(track, value, line.run),
                }
    ends = timeline.ends_of_epochs(line.run)
    every = -(-len(ends) // MOST_NUMBERS)
    for epoch, time in ends:
        numbered = str(epoch) if epoch % every == 0 else None
        yield {
            **base,
            "kind": "epoch",
            "epoch": epoch,
            "time": line.moment(time),
            "number": numbered,
        }
    for epoch, time in timeline.drops(line.run):
        yield {**base, "kind": "rate", "epoch": epoch, "time": line.moment(time)}


def _digest(line: Timeline, catalog: Catalog, names: Mapping[str, tuple[str, str]]) -> Digest:
    rows: list[Row] = []
    for track in (each.track for each in line.tracks):
        told = tracks.read(track, track.low, line.run)
        if "plain" in told:
            continue
        ends = {
            "low": min(track.values),
            "mean": None if track.name == QUALITY else fmean(track.values),
            "high": max(track.values),
        }
        row: Row = {**tables.common(line.run, None, catalog), "status": "ok", "unit": told["unit"]}
        row["strip"] = timeline.word(track.name, line.run)
        row["readings"] = len(track.values)
        places = 2 if track.name in {QUALITY, timeline.MEMORY} else 1
        for name, value in ends.items():
            read = None if value is None else tracks.read(track, value, line.run)["reading"]
            row |= {name: read, f"{name}_decimals": places}
        rows.append(row)
    return Digest(
        own_runs.labelled(tables.frame(rows), names),
        (
            common.SERIES,
            Column("strip", "column.quantity", "key", prefix="telemetry"),
            Column("readings", "column.readings", "number", decimals=0),
            *(
                Column(name, f"column.{name}", "quantity", fractions=True)
                for name in ("low", "mean", "high")
            ),
            Column("run_id", "column.run", "run"),
        ),
    )


def _notes(line: Timeline, locale: Locale, *, alone: bool) -> Iterator[str]:
    run = line.run
    if not alone:
        yield locale.say("figure.timeline.chosen")
    yield from common.warning_notes([run], locale)
    yield MarkNote(locale.say("figure.timeline.strips"))
    if any(each.track.name == timeline.MEMORY for each in line.tracks):
        yield locale.say("figure.timeline.memory")
    yield MarkNote(locale.say("telemetry.clock_caption"))
    if any(
        len(points) > line.most
        for each in line.tracks
        if each.track.name in SENSORS
        for points in each.track.lines.values()
    ):
        yield locale.say("figure.thinned")
    if lowered := timeline.reasons(run):
        named = [
            locale.say(
                "join.paren", text=locale.say(f"throttle.{name}"), note=locale.percent(share, 1)
            )
            for name, share in lowered.items()
        ]
        yield locale.say("figure.timeline.lowered", names=locale.join(named))
    if unread := timeline.unread(run):
        yield locale.say(
            "figure.timeline.unread",
            names=locale.join([locale.say(f"telemetry.{name}") for name in unread]),
        )


def _sentence(line: Timeline, facts: Facts, label: str, locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    run = line.run
    hit, target = timeline.to_target(run), line.target
    ref = f"run:{run.run_id}:{hit.key if hit else 'wall_time_s'}"
    figures = [spoken.quantity("time", curve.IN_UNIT[line.unit].format(ref), line.unit, None, 3)]
    names = {"first": label}
    key = "headline.plain"
    if target is not None:
        key = "headline.reached" if hit else "headline.missed"
        aim = ChartTarget(tables.level(target.metric, target.value), 0, 0, metric=target.metric)
        figures.append(("target", aim.level(locale), aim.value, f"number:{aim.value:g}"))
        names["metric"] = locale.metric(target.metric)
    power = run.metric("mean_power_w")
    load = next(
        (each.track.values for each in line.tracks if each.track.name == "utilisation"), None
    )
    if power is not None and power.value is not None:
        drawn = spoken.quantity("power", f"run:{run.run_id}:mean_power_w", "W")
        then = Sentence("headline.power", (drawn,))
    elif load:
        mean = fmean(load)
        shown = ("load", locale.percent(mean, 1), mean, f"number:{mean!r}")
        then = Sentence("headline.load", (shown,))
    else:
        then = None
    return Sentence(key, tuple(figures), names, then=then)
