"""Monitoring logs of accelerators (nvidia-smi, GPU-Z), attached to a recorded run or shown alone.

With `--run` a log becomes a recording beside the run, whose own file is never rewritten; the store
joins the two. Without it, the log is a run of its own without a stated workload. Energy, means and
peaks use all readings; for a long log evenly spaced ones are recorded.

Local times without a zone give durations only: `--zone` adds it. A log is aligned with a run by
both clocks, or `--offset`.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from kernels import catalog
from kernels.errors import RecordError, SourceError
from kernels.importers.base import Flags, Imported, Part
from kernels.importers.telemetry.columns import CHIP_ALONE, Column, key_of, number
from kernels.importers.telemetry.energy import Log, Track
from kernels.importers.telemetry.log import Options, Seen, is_log, readings
from kernels.machine.system import slug
from kernels.records import (
    NO_LICENCE,
    Environment,
    Origin,
    Recording,
    Run,
    RunWarning,
    Setting,
    Source,
    SourceKind,
    Status,
    check_id,
)
from kernels.tabular import nearest
from kernels.telemetry.energy import GAP, LEAST_GAP_S

SUMMARY: Final = (
    "a monitoring log: nvidia-smi's CSV or GPU-Z's sensor log, attached to a run "
    "(--run) or shown alone"
)

WORKLOAD: Final = "telemetry"
"""Workload of a log that is shown alone: none is stated."""

CARD_NAME: Final = "accelerator_name_of_"
"""Prefix of names in `Environment.extra` for the kind of each card, if they differ."""

_SUFFIXES: Final = frozenset({".csv", ".log", ".tsv", ".txt"})
_HEAD: Final = 4096
"""Bytes at the start of a log that distinguish it from others of the same name; a log that has
grown keeps its id.
"""

_BURSTS: Final = 1 / 3
"""Share of rows at the time of the previous one from which a log has several unnumbered cards."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


OPTIONS: Final[Flags] = {
    "--run": {
        "metavar": "RUN",
        "help": "id of the recorded run that the log monitored (default: a run of its own)",
    },
    "--offset": {
        "metavar": "SECONDS",
        "help": "with --run: the first reading's time since the run began (default: from the "
        "clocks)",
    },
    "--zone": {"help": "time zone of the log's clock, such as Europe/Berlin (default: unknown)"},
    "--interval": {
        "metavar": "SECONDS",
        "help": "time between readings of one accelerator, for a log without times",
    },
    "--devices": {
        "metavar": "N",
        "help": "number of accelerators whose rows alternate, for a log that does not number them",
    },
    "--columns": {
        "metavar": "NAME,...",
        "help": "names of the columns as nvidia-smi writes them, for a log without a header or of "
        "a monitor whose header is not known, such as ELSA's",
    },
    "--hardware": {
        "help": "the accelerator, by its id or name in the catalogue (default: what the log says)"
    },
    "--licence": {
        "help": f"terms of the log, as an SPDX id (default: {NO_LICENCE}, which is not published)"
    },
    "--credit": {"help": "name to credit with its figures (default: none)"},
}
"""Options for what a log does not state."""


def parts(path: Path, options: Mapping[str, str | None]) -> Iterator[Part]:
    """Yields the log, or the logs of a folder, each as a part."""
    _checked(options)
    if path.is_file():
        yield Part(path.name, (path,), options)
        return
    found = sorted(
        each for each in path.rglob("*") if each.suffix.lower() in _SUFFIXES and is_log(each)
    )
    if not found:
        raise SourceError(
            f"{path}: no monitoring log below it, wanted files with a header such as `timestamp, "
            "index, power.draw [W]`"
        )
    if len(found) > 1 and options.get("run"):
        raise SourceError(f"{path}: {len(found)} logs, and --run takes one: give the file")
    for each in found:
        yield Part(each.relative_to(path).as_posix(), (each,), options)


def _checked(options: Mapping[str, str | None]) -> tuple[Options, float | None]:
    """Returns what a log leaves open, and the time of its first reading since the run began."""
    zone, run, columns = (options.get(name) for name in ("zone", "run", "columns"))
    try:
        place = ZoneInfo(zone) if zone else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SourceError(
            f"--zone: found {zone!r}, wanted a name such as Europe/Berlin or UTC"
        ) from None
    if run:
        try:
            check_id("--run", run)
        except RecordError as error:
            raise SourceError(str(error)) from None
    elif options.get("offset"):
        raise SourceError("--offset lays a log on a run: give --run too, or leave it out")
    if hardware := options.get("hardware"):
        _hardware(hardware)
    devices = _figure(
        options, "devices", "a whole number of 1 or more", lambda n: n >= 1 and n % 1 == 0
    )
    log = Options(
        zone=place,
        interval_s=_figure(options, "interval", "seconds above 0", lambda s: s >= 1e-6),  # noqa: PLR2004 - the resolution of times
        devices=None if devices is None else int(devices),
        columns=tuple(name.strip() for name in columns.split(",")) if columns else (),
    )
    return log, _figure(options, "offset", "seconds", lambda _: True)


def _figure(
    options: Mapping[str, str | None], name: str, wanted: str, fits: Callable[[float], bool]
) -> float | None:
    text = options.get(name)
    if text is None:
        return None
    found = number(text.strip())
    if found is None or found[1] or not fits(found[0]):
        raise SourceError(f"--{name}: found {text!r}, wanted {wanted}")
    return found[0]


def _by_name() -> dict[str, str]:
    return {
        name.lower(): each.hardware
        for each in catalog.load().hardware.values()
        for name in (*each.aliases, each.name, each.hardware)
    }


def _hardware(name: str) -> str:
    known, wanted = _by_name(), name.strip().lower()
    if wanted not in known:
        raise SourceError(
            f"--hardware: {name!r} is not in the catalogue; {nearest(name.lower(), known)}"
        )
    return known[wanted]


def read(part: Part) -> Imported:
    """Returns the log as a run of its own, or as a recording of one."""
    asked, offset_s = _checked(part.options)
    seen, log, digest = _scan(part, asked)
    run_id = part.options.get("run")
    _refuse_bursts(part.name, seen, log, asked)
    started = _EPOCH + timedelta(microseconds=log.start_us) if seen.zoned else None
    source = _source(part.options)
    said = [*_warnings(seen, log, asked, alone=not run_id)]
    recordings: tuple[Recording, ...] = ()
    runs: tuple[Run, ...] = ()
    if run_id:
        recordings = (_recording(part, run_id, source, log, started, offset_s),)
    else:
        runs = (_run(part, source, seen, log, started, digest),)
        said += [
            f"the accelerator is not in the catalogue ({run.system}): --hardware says which it is"
            for run in runs
            if not run.accelerator
        ]
    return Imported(
        source.source,
        runs=runs,
        recordings=recordings,
        sources=(source,),
        warnings=tuple(f"{part.name}: {each}" for each in said),
    )


def _scan(part: Part, asked: Options) -> tuple[Seen, Log, str]:
    seen = Seen()
    try:
        content = part.files[0].read_bytes()
    except OSError as error:
        raise SourceError(f"{part.name}: cannot be read ({error.strerror or error})") from error
    log = Log(readings(content, part.name, asked, seen))
    if not log.tracks:
        where = f"; line {seen.damaged[0]} is the first that cannot be read" if seen.damaged else ""
        raise SourceError(
            f"{part.name}: no row with a time such as 2025/06/13 00:27:52.195 or "
            f"2025-09-08T17:26:50+08:00{where}"
        )
    return seen, log, hashlib.sha256(content[:_HEAD]).hexdigest()


def _recording(  # noqa: PLR0917 - the fields of a recording
    part: Part,
    run_id: str,
    source: Source,
    log: Log,
    started: datetime | None,
    offset_s: float | None,
) -> Recording:
    if offset_s is None and started is None:
        raise SourceError(
            f"{part.name}: its clock has no zone, so nothing says where in run {run_id} it lies: "
            "give --zone, or --offset SECONDS"
        )
    return Recording(
        run_id=run_id,
        source=source.source,
        locator=_place(part),
        licence=source.licence,
        credit=source.credit,
        started_at=started,
        offset_s=offset_s,
        samples=log.samples(),
        metrics=log.metrics(),
        doubts=_gap_warning(log),
    )


def _place(part: Part) -> str:
    name = part.files[0].name.replace("'", "’")
    return f"file '{name}'"


def _refuse_bursts(name: str, seen: Seen, log: Log, options: Options) -> None:
    """Refuses a log whose rows come in bursts: it is of several cards, and their energy as one card
    would be wrong.
    """
    numbered = seen.identified or options.devices is not None
    if numbered or not seen.timed or (seen.grain_s or 0.0) >= 1:
        return
    if any(track.at_us.size > 2 and track.bursts() >= _BURSTS for track in log.tracks.values()):  # noqa: PLR2004 - two make no pattern
        raise SourceError(
            f"{name}: rows come in bursts, as of several accelerators, and no column numbers them: "
            "give --devices N (1 if it is one)"
        )


def _word(text: str) -> str:
    """Returns a text as part of an id."""
    return slug(text)[:60].strip("-.")


def _source(options: Mapping[str, str | None]) -> Source:
    licence, credit = options.get("licence") or NO_LICENCE, options.get("credit")
    words = map(_word, ("telemetry", credit or "", licence if licence != NO_LICENCE else ""))
    return Source(
        source="-".join(filter(None, words)),
        kind=SourceKind.LOGS,
        title=f"Monitoring logs: {credit}" if credit else "Monitoring logs",
        url=None,
        language="en",
        licence=licence,
        credit=credit or "Monitoring log, author not stated",
        transcription_note="telemetry-computed",
    )


def _run(  # noqa: PLR0917 - the fields of a run
    part: Part, source: Source, seen: Seen, log: Log, started: datetime | None, digest: str
) -> Run:
    names = sorted(seen.facts.get("name", ()))
    drivers = sorted(seen.facts.get("driver", ()))
    only = names[0] if len(names) == 1 else ""
    said = part.options.get("hardware")
    hardware = _hardware(said) if said else _by_name().get(only.lower())
    count = len(log.tracks)
    # Two logs of unnamed cards are not of one machine.
    words = _word(only or hardware or "") or f"unknown-{digest[:8]}"
    return Run(
        run_id="-".join(filter(None, ("telemetry", _word(part.files[0].stem), digest[:8]))),
        origin=Origin.IMPORTED,
        source=source.source,
        locator=_place(part),
        licence=source.licence,
        credit=source.credit,
        workload=WORKLOAD,
        system=f"monitored-{count}x-{words}" if count > 1 else f"monitored-{words}",
        status=Status.OK,
        accelerator=hardware,
        accelerators=count,
        clock_resolution_s=seen.grain_s,
        started_at=started,
        metrics=log.metrics(),
        telemetry=log.samples(),
        doubts=_gap_warning(log),
        environment=Environment(
            accelerator_name=" + ".join(names)[:200] or None,
            accelerator_memory_bytes=_memory_bytes(seen),
            driver=drivers[0] if len(drivers) == 1 else None,
            extra=tuple(
                Setting(f"{CARD_NAME}{number}", name)
                for number, name in sorted(seen.names.items())
                if not only
            ),
        ),
    )


def _memory_bytes(seen: Seen) -> int | None:
    column = Column("memory_bytes", float(1 << 20), 0)
    found = {column.value(each) for each in seen.facts.get("memory_total", ())} - {None}
    return int(found.pop() or 0) or None if len(found) == 1 else None


def _gap_warning(log: Log) -> tuple[RunWarning, ...]:
    share = _uncovered(log)
    gaps = any(track.gaps for track in log.tracks.values())
    return (RunWarning("monitoring_gaps", share, 0.0),) if share > 0 and gaps else ()


def _uncovered(log: Log) -> float:
    """Returns the largest share of an accelerator's time without readings."""
    spans = [
        (track.covered_s, (track.at_us[-1] - track.at_us[0]) / 1e6) for track in log.tracks.values()
    ]
    return float(max(max(0.0, 1 - covered / span) if span > 0 else 0.0 for covered, span in spans))


def _warnings(seen: Seen, log: Log, asked: Options, *, alone: bool) -> Iterator[str]:
    tracks = list(log.tracks.values())
    if seen.unknown:
        yield f"columns that are not taken: {_listed(seen.unknown)}"
    if seen.twice:
        yield f"columns that say the same, of which the first is taken: {_listed(seen.twice)}"
    if seen.damaged:
        yield (
            f"line {_first(seen.damaged)}: cut off or of another width than the header, and passed "
            "over"
        )
    if seen.absurd:
        yield "readings that no accelerator can have, left out: " + _listed(
            f"{name} {count}" for name, count in sorted(seen.absurd.items())
        )
    if len(seen.headers) > 1:
        yield f"line {_first(seen.headers[1:])}: the header again, logging was switched on anew"
    if not seen.timed:
        yield (
            f"it has no times: they are made of --interval {asked.interval_s:g} s, and so "
            "is what rests on them"
        )
    if not seen.zoned and seen.timed and alone:
        yield "its clock has no zone, so it is not known when it was taken: --zone says it"
    if back := sum(track.backwards for track in tracks):
        yield (
            f"its clock goes back {back} times: what follows is put behind what came before, and "
            "no energy is taken across"
        )
    yield from _power_warnings(seen, tracks)
    if gaps := sum(track.gaps for track in tracks):
        longest = max(track.longest_s for track in tracks)
        yield (
            f"{gaps} gaps longer than {GAP:g} intervals and {LEAST_GAP_S:g} s, the longest "
            f"{longest:.6g} s; energy is not taken across them, {1 - _uncovered(log):.1%} of the "
            "time is covered"
        )
    if log.stride > 1:
        yield (
            f"every {log.stride}th of {log.readings} readings is recorded; energy, means and "
            "peaks are of all"
        )


def _power_warnings(seen: Seen, tracks: Sequence[Track]) -> Iterator[str]:
    without = [str(track.number) for track in tracks if track.energy_j() is None]
    zero = [str(each.number) for each in tracks if "power_w" in each.values and not each.has_power]
    if zero:
        yield (
            f"power is 0 W throughout on accelerator {', '.join(zero[:16])}: it has no such "
            "sensor, so none is recorded"
        )
    if len(without) == len(tracks):
        yield "no energy: power is not among its readings"
    elif without:
        yield (
            f"no power of accelerator {', '.join(without[:16])}: energy and mean power leave it out"
        )
    if key_of(seen.columns.get("power_w", ""))[0] == CHIP_ALONE:
        yield "its power is that of the chip alone, without memory and losses of the board"


def _listed(names: Iterable[str], most: int = 30) -> str:
    first = [*names]
    more = f" and {len(first) - most} more" if len(first) > most else ""
    return ", ".join(first[:most]) + more


def _first(lines: Sequence[int]) -> str:
    return f"{lines[0]} and {len(lines) - 1} more" if len(lines) > 1 else str(lines[0])
