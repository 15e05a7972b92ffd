"""`python -m kernels import FORMAT PATH`: reads others' files by one of `importers.FORMATS`, merges
them into the records, and reports what was not taken.

Each part is read in its own process; the parts of one recorded file are written together once all
are read, so memory holds one file's records, and Ctrl-C leaves whole files. Recorded rows that are
no longer found stay: an import adds and corrects, it never drops. Prices are only added, never
changed (`price_history`).
"""

import argparse
import sys
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, islice
from multiprocessing import get_context
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from tqdm import tqdm

from kernels import store, texts
from kernels.catalog import price_history
from kernels.checks import keys
from kernels.checks.records import about
from kernels.cli.command import runs_option, say
from kernels.errors import RecordError, Severity, SourceError, StoreError, UsageError
from kernels.harness.flags import number
from kernels.importers import FORMATS
from kernels.importers.base import Imported, Part, Refused
from kernels.machine import system
from kernels.records import Origin, Price
from kernels.store import lock
from kernels.store.schema import TABLES, Record

EPILOG: Final = (
    "Each format takes PATH, --runs DIR and --dry-run, and may have options of its "
    "own: python -m kernels import FORMAT --help"
)

AHEAD: Final = 2
"""Parts in work or waiting, per process."""

_COMMON: Final = frozenset(
    {"name", "format", "path", "runs", "dry_run", "jobs", "command", "template"}
)


class Change(StrEnum):
    """Change of a file by an import."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    WOULD_BE_WRITTEN = "would be written"


@dataclass(frozen=True, slots=True)
class Kept:
    """One file of an import; `fresh` counts new and changed records."""

    path: Path
    kind: str
    records: int
    fresh: int
    change: Change
    refused: tuple[Refused, ...] = ()


def options(parser: argparse.ArgumentParser) -> None:
    """Adds a command for each format, since each may have options."""
    formats = parser.add_subparsers(required=True, metavar="FORMAT", dest="format")
    for name, importer in FORMATS.items():
        made = formats.add_parser(name, help=importer.SUMMARY, description=importer.SUMMARY)
        made.add_argument(
            "path", type=Path, nargs="?", metavar="PATH", help="file or folder to read"
        )
        runs_option(made)
        made.add_argument(
            "--dry-run",
            action="store_true",
            help="show what would be recorded, and every warning; write nothing",
        )
        made.add_argument("--jobs", type=number(1), help="processes (default: one per core)")
        for flag, option in importer.OPTIONS.items():
            made.add_argument(flag, **option)
        made.set_defaults(command=main)


def main(chosen: argparse.Namespace) -> int:
    """Reads the parts and records them; returns 1 if a file was refused, or no row was taken."""
    if chosen.path is None:
        return _template(chosen)
    if not chosen.path.exists():
        raise StoreError(
            f"{chosen.path}: no such file or folder; give the path of what you want to import"
        )
    given = {name: value for name, value in vars(chosen).items() if name not in _COMMON}
    parts = list(FORMATS[chosen.format].parts(chosen.path, given))
    counts: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    found = outcomes(chosen.format, parts, chosen.jobs or system.usable_cores())
    title = f"importing {chosen.format}"
    bar = tqdm(found, title, len(parts), unit=" parts", leave=False, disable=None)
    with closing(found), bar:
        waiting: Imported | None = None
        for part, outcome in bar:
            bar.set_postfix_str(part.name[-40:])
            if isinstance(outcome, SourceError):
                counts["refused"] += 1
                _aside(f"refused: {outcome}")
                continue
            if waiting is None or _place(outcome) != _place(waiting):
                _keep(waiting, chosen, counts, rows)
                waiting = None
            new = outcome if waiting is None else _without_known(outcome, waiting)
            _tell(new, counts, rows)
            waiting = new if waiting is None else _joined(waiting, new)
        _keep(waiting, chosen, counts, rows)
    for line in _summary(chosen.format, len(parts), counts, rows):
        say(line)
    taken = any(counts[change] for change in Change)
    return 1 if counts["refused"] or (rows and not taken) else 0


def _place(found: Imported) -> tuple[object, ...]:
    """Returns the key of the recorded file that a part belongs to."""
    return found.source, found.name, found.origin, found.folder, found.prices


def _without_known(found: Imported, known: Imported) -> Imported:
    """Returns the part without runs that another part of the file has under the same name."""
    places = {run.run_id: run.locator for run in known.runs}
    twice = [
        f"{run.locator}: run {run.run_id} is that of {places[run.run_id]} too; rename one of them"
        for run in found.runs
        if run.run_id in places
    ]
    runs = tuple(run for run in found.runs if run.run_id not in places)
    return replace(found, runs=runs, refused=(*found.refused, *twice))


def _joined(one: Imported, other: Imported) -> Imported:
    tables: dict[str, Any] = {
        name: (*records, *getattr(other, name)) for name, records in _tables(one).items()
    }
    return replace(one, **tables | {"sources": tuple(dict.fromkeys(tables["sources"]))})


def _keep(
    found: Imported | None, chosen: argparse.Namespace, counts: Counter[str], rows: Counter[str]
) -> None:
    if found is None:
        return
    for kept in keep(found, chosen.runs, dry=chosen.dry_run):
        counts["runs"] += len(found.runs) if kept.kind == "run" else 0
        counts[kept.change] += 1
        counts["prices"] += kept.fresh if kept.kind == "price" else 0
        _rows(kept.refused, rows)
        fresh = f", {kept.fresh} new or changed" if kept.fresh not in (0, kept.records) else ""
        text = f"{kept.path}: {kept.records} {kept.kind} records{fresh}, {kept.change}"
        tqdm.write(text, file=sys.stdout)


def _summary(format_: str, parts: int, counts: Counter[str], rows: Counter[str]) -> Iterator[str]:
    if rows:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in rows.most_common())
        yield f"{rows.total()} rows and prices refused: {reasons}"
    taken = f"{counts['prices']} new prices" if format_ == "prices" else f"{counts['runs']} runs"
    files = ", ".join(f"{counts[change]} {change}" for change in Change if counts[change])
    refused = counts["refused"] + rows.total()
    yield (
        f"{taken} of {parts} parts; files: {files or 'none'}; {counts['warnings']} warnings, "
        f"{refused} refused"
    )


def _tell(found: Imported, counts: Counter[str], rows: Counter[str]) -> None:
    for what, texts_of in (("warning", found.warnings), ("refused", found.refused)):
        for text in texts_of:
            _aside(f"{what}: {text}")
    counts["warnings"] += len(found.warnings)
    counts["refused"] += len(found.refused)
    _rows(found.left_out, rows)


def _rows(refused: Iterable[Refused], rows: Counter[str]) -> None:
    for each in refused:
        _aside(f"refused: {each.text}")
        rows[each.reason] += 1


def _template(chosen: argparse.Namespace) -> int:
    template = getattr(FORMATS[chosen.format], "TEMPLATE", None)
    if template is None or not getattr(chosen, "template", False):
        also = " or --template" if template is not None else ""
        raise UsageError(f"{chosen.format}: no PATH; give the file or folder to read{also}")
    say(template.rstrip("\n"))
    return 0


def _aside(text: str) -> None:
    tqdm.write(text, file=sys.stderr)


def outcomes(
    format_: str, parts: Sequence[Part], jobs: int
) -> Generator[tuple[Part, Imported | SourceError], None, None]:
    """Yields the records of each part, or why none can be taken, in the order of the parts."""
    if jobs < 2 or len(parts) < 2:  # noqa: PLR2004 - one process pays for nothing
        yield from ((part, read_part(format_, part)) for part in parts)
        return
    # A fresh process, because a fork of one with threads can hang; it lives as long as the
    # import.
    with ProcessPoolExecutor(min(jobs, len(parts)), get_context("spawn")) as pool:
        waiting: deque[tuple[Part, Future[Imported | SourceError]]] = deque()
        todo = iter(parts)
        try:
            while True:
                waiting.extend(
                    (part, pool.submit(read_part, format_, part))
                    for part in islice(todo, jobs * AHEAD - len(waiting))
                )
                if not waiting:
                    return
                part, future = waiting.popleft()
                yield part, future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def read_part(format_: str, part: Part) -> Imported | SourceError:
    """Returns the recordable records of a part, or why none can be taken."""
    try:
        return _sound(_recordable(FORMATS[format_].read(part), part.name))
    except SourceError as error:
        return error
    except RecordError as error:
        return SourceError(f"{part.name}: {error}")
    except OSError as error:
        return SourceError(f"{part.name}: cannot be read ({error.strerror or error})")


def _recordable(found: Imported, part: str) -> Imported:
    for table, records in _tables(found).items():
        for record in records:
            if fault := next(chain(texts.faults(record), keys.faults(record)), None):
                name = ", ".join(
                    str(getattr(record, each))[:80] for each in TABLES[type(record)].key
                )
                raise SourceError(f"{part}: {table}, {name}: {fault}")
    return found


def _sound(found: Imported) -> Imported:
    wrong = {
        run.run_id: f"{run.locator}: run {run.run_id}: {text}"
        for run in found.runs
        for severity, text in about(run)
        if severity is Severity.ERROR
    }
    if not wrong:
        return found
    left = tuple(run for run in found.runs if run.run_id not in wrong)
    if not left or found.origin is Origin.PUBLISHED:
        raise SourceError("; ".join((*wrong.values(), *found.refused)))
    return replace(found, runs=left, refused=(*found.refused, *wrong.values()))


def keep(found: Imported, runs: Path, *, dry: bool = False) -> Iterator[Kept]:
    """Merges records into their files; a file is written only if it changes.

    Raises:
        StoreError: A recorded file is damaged, and left as it is: today's import does not replace
            its records.
    """
    for path, records in _files(found, runs):
        with nullcontext() if dry else lock.writing(runs, path):
            merged, fresh, refused = _merged(path, records)
            if fresh and not dry:
                store.write(path, merged)
        done = Change.WOULD_BE_WRITTEN if dry else Change.WRITTEN
        change = done if fresh else Change.UNCHANGED
        yield Kept(path, TABLES[type(records[0])].singular, len(merged), fresh, change, refused)


def _files(found: Imported, runs: Path) -> Iterator[tuple[Path, tuple[Record, ...]]]:
    folder = runs / (found.folder or found.origin)
    for table, records in _tables(found).items():
        if records:
            own = found.name if table == "runs" and found.name else f"{found.source}-{table}"
            yield folder / f"{own}.parquet", records


_TABLES: Final = (
    "runs", "claims", "sources", "reviews", "cells", "prices", "recordings",
)  # fmt: skip


def _tables(found: Imported) -> dict[str, tuple[Record, ...]]:
    return {name: getattr(found, name) for name in _TABLES}


def _merged(
    path: Path, records: Sequence[Record]
) -> tuple[tuple[Record, ...], int, tuple[Refused, ...]]:
    """Returns a file's records with new ones merged in, the number of new or changed, and the
    refused.

    A published source is transcribed whole and replaced; any part of a set of logs may be imported
    again.
    """
    if path.parent.name == Origin.PUBLISHED:
        return tuple(records), 0 if _before(path) == tuple(records) else len(records), ()
    if isinstance(records[0], Price):
        return _added(path, [each for each in records if isinstance(each, Price)])
    name = attrgetter(*TABLES[type(records[0])].key)
    known = {name(record): record for record in _before(path)}
    fresh = sum(known.get(name(record)) != record for record in records)
    known.update((name(record), record) for record in records)
    return tuple(known[key] for key in sorted(known)), fresh, ()


def _added(
    path: Path, prices: Sequence[Price]
) -> tuple[tuple[Record, ...], int, tuple[Refused, ...]]:
    found = price_history.joined(_before(path), prices)
    refused = [
        Refused(
            "another price on the same day",
            f"{price.locator}: {price.price_id}: found {price.amount:g} {price.currency}, recorded "
            f"is {recorded.amount:g} from {recorded.locator}; a recorded price is never changed: "
            "see that the day is the snapshot's own",
        )
        for recorded, price in found.contradictions
    ]
    return found.prices, len(found.fresh), tuple(refused)


def _before(path: Path) -> tuple[Any, ...]:
    try:
        return store.read_file(path) if path.exists() else ()
    except StoreError as error:
        raise StoreError(
            f"{error}; nothing of it was overwritten: `python -m kernels recover` says how it can "
            "be had again"
        ) from error
