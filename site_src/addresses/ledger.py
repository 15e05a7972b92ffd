"""What was ever published: ids of charts, presets and badges, and verdicts, in `runs/ledger.csv`.

Rows are only added; a build without an id of the ledger fails, unless its row says where it went: a
chart or badge by its new id (`moved_to`), a removed chart by day and reason (`retired`), with its
last version in `runs/retired/`. Presets go with their charts. A verdict that has changed is a new
row below the old one: the ledger tells when readers began to see it.
"""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Final

from kernels import disk
from kernels.errors import TouchstoneError
from kernels.store import RETIRED, lock

NAME: Final = "ledger.csv"
KINDS: Final = ("chart", "preset", "badge", "claim")
MOVABLE: Final = ("chart", "badge")

Moved = Mapping[str, Mapping[str, str]]
"""New ids by old ones, by kind."""


class LedgerError(TouchstoneError):
    """The ledger cannot be read, or the site lost an id; names file and line, or the ids."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row.

    Attributes:
        kind: One of `KINDS`.
        id: The chart's or the claim's id; `<chart>/<preset>`, `<report>/<finding>`.
        verdict: The claim's verdict; empty for the others.
        first_published: Day, ISO 8601, of the build that recorded it.
        moved_to: The new id of a chart or badge that was renamed.
        retired: Of a chart that was removed: the day, a space, and why.
    """

    kind: str
    id: str
    verdict: str
    first_published: str
    moved_to: str = ""
    retired: str = ""


COLUMNS: Final = tuple(field.name for field in fields(Entry))


def read(path: Path) -> list[Entry]:
    """The ledger's rows in order; none where there is no ledger yet.

    Raises:
        LedgerError: Other columns than `COLUMNS`, an unknown kind, a day that is none.
    """
    if not path.is_file():
        return []
    try:
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
    except (UnicodeDecodeError, csv.Error) as error:
        raise LedgerError(f"{path}: {error}; take the file from the repository") from None
    if not rows or tuple(rows[0]) != COLUMNS:
        raise LedgerError(
            f"{path}: the first line is {','.join(rows[0]) if rows else ''!r}, wanted "
            f"{','.join(COLUMNS)}"
        )
    found = []
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS) or row[0] not in KINDS or not row[1]:
            raise LedgerError(
                f"{path}:{line}: {','.join(row)!r} is no entry; wanted {', '.join(COLUMNS)} with "
                f"kind {' or '.join(KINDS)}"
            )
        found.append(Entry(*row))
        if fault := _fault(found[-1]):
            raise LedgerError(f"{path}:{line}: {fault}")
    return found


def _fault(entry: Entry) -> str | None:
    """What is wrong with a row."""
    day, _, why = entry.retired.partition(" ")
    if entry.moved_to and entry.kind not in MOVABLE:
        return f"moved_to: only a {' or a '.join(MOVABLE)} can be renamed, not a {entry.kind}"
    if entry.retired and (entry.kind != "chart" or entry.moved_to or not why.strip()):
        return f"retired is {entry.retired!r}, wanted a day and a reason, of a chart not renamed"
    for name, text in (("first_published", entry.first_published), ("retired", day)):
        try:
            date.fromisoformat(text or "2026-11-20")
        except ValueError:
            return f"{name} is {text!r}, wanted a day such as 2026-11-20"
    return None if entry.first_published else "first_published is missing"


def renamed(entries: Sequence[Entry], have: Mapping[str, Collection[str]]) -> Moved:
    """Where each renamed id leads in the end, by kind.

    Args:
        entries: The ledger.
        have: Ids by kind that the site has, retired charts among them.

    Raises:
        LedgerError: An id is still there under its old name, leads in a circle, or to one that is
            not there.
    """
    found: dict[str, dict[str, str]] = {}
    for kind in MOVABLE:
        ways = {one.id: one.moved_to for one in entries if one.kind == kind and one.moved_to}
        for old, new in ways.items():
            if old in have.get(kind, ()):
                raise LedgerError(
                    f"{kind} {old} was renamed to {new} and is still on the site; give it "
                    "its new id there, or empty its moved_to"
                )
        found[kind] = {old: _end(kind, old, ways, have.get(kind, ())) for old in ways}
    return found


def _end(kind: str, old: str, ways: Mapping[str, str], there: Collection[str]) -> str:
    last, passed = old, {old}
    while last in ways:
        last = ways[last]
        if last in passed:
            raise LedgerError(f"{kind} {old} was renamed to {ways[old]}, and on in a circle")
        passed.add(last)
    if last not in there:
        raise LedgerError(f"{kind} {old} was renamed to {last}, which is not on the site")
    return last


def hold(
    path: Path,
    built: Mapping[str, Collection[str]],
    verdicts: Sequence[tuple[str, str]],
    day: date,
    retired: Mapping[str, Collection[str]],
) -> tuple[list[Entry], Moved]:
    """Hold what was built against the ledger: what is to be added to it, and where renamed ids
    lead.

    Args:
        path: The ledger.
        built: Ids of this build by kind.
        verdicts: Claims with their verdicts.
        day: The build's.
        retired: Presets of the retired charts that have their files, by id.

    Raises:
        LedgerError: Ids that were published are gone; names them all. Or one leads nowhere, or was
            retired and is still there.
    """
    entries, charts = read(path), built.get("chart", ())
    _agree(path, entries, charts, retired)
    moved = renamed(entries, {**built, "chart": [*charts, *retired]})
    last = [f"{chart}/{name}" for chart, names in retired.items() for name in names]
    presets = [*built.get("preset", ()), *last]
    presets += [
        f"{old}{id_.removeprefix(new)}"
        for old, new in moved["chart"].items()
        for id_ in list(presets)
        if id_.startswith(f"{new}/")
    ]
    have = {
        "chart": {*charts, *retired, *moved["chart"]},
        "preset": {*presets},
        "badge": {*built.get("badge", ()), *moved["badge"]},
        "claim": {id_ for id_, _ in verdicts},
    }
    lost = {(one.kind, one.id): one for one in entries if one.id not in have[one.kind]}
    if lost:
        names = ", ".join(
            f"{one.kind} {one.id} (since {one.first_published})" for one in lost.values()
        )
        raise LedgerError(
            f"{path} promises what this build does not have: {names}. Addresses that others link "
            "to must stay: bring back the runs, claims or figures behind them. To rename a chart "
            "or a badge, write its new id into moved_to of its row; to remove a chart, bring it "
            "back, run build.py --retire CHART --why TEXT, then remove it. If their file was left "
            "out as damaged, mend that first"
        )
    return _new(entries, built, verdicts, day), moved


def _agree(
    path: Path, entries: Sequence[Entry], live: Collection[str], retired: Collection[str]
) -> None:
    """Hold the retired charts of the ledger against those that have files, and those of the
    site.
    """
    removed = {entry.id for entry in entries if entry.retired}
    for ids, fault in (
        (removed & {*live}, "retired, and still on the site; remove the figure or its data"),
        (
            removed - {*retired},
            f"retired, and not in runs/{RETIRED}/; take it from the history",
        ),
        ({*retired} - removed, f"in runs/{RETIRED}/, and not retired in {path}"),
    ):
        if ids:
            raise LedgerError(f"{', '.join(sorted(ids))}: {fault}")


def _new(
    entries: Sequence[Entry],
    built: Mapping[str, Iterable[str]],
    verdicts: Iterable[tuple[str, str]],
    day: date,
) -> list[Entry]:
    """Ids of what was built that the ledger does not have, and claims with a verdict that is not
    the last one recorded.
    """
    last = {(entry.kind, entry.id): entry.verdict for entry in entries}
    rows = [
        *((kind, id_, "") for kind, ids in built.items() for id_ in ids),
        *(("claim", id_, verdict) for id_, verdict in verdicts),
    ]
    return [
        Entry(kind, id_, verdict, day.isoformat())
        for kind, id_, verdict in rows
        if last.get((kind, id_)) != verdict
    ]


def append(path: Path, entries: Sequence[Entry]) -> None:
    """Add rows at the end, one builder at a time, so that what another has added meanwhile stays.

    Raises:
        StoreError: Another build holds the folder for too long, or it cannot be written to.
    """
    if not entries:
        return
    with lock.writing(path.parent, path):
        text = path.read_text(encoding="utf-8") if path.is_file() else ",".join(COLUMNS) + "\n"
        with disk.named(path):
            disk.put(path, f"{text.removesuffix(chr(10))}\n{_rows(entries)}".encode())


def retire(path: Path, chart: str, day: date, why: str) -> None:
    """Write into a chart's row that it was retired.

    Raises:
        LedgerError: It was never published.
        StoreError: Another build holds the folder for too long, or it cannot be written to.
    """
    with lock.writing(path.parent, path):
        entries = read(path)
        rows = {one.id: one for one in entries if one.kind == "chart"}
        if chart in rows and rows[chart].retired:
            raise LedgerError(f"{path}: chart {chart} was retired before: {rows[chart].retired}")
        if chart not in rows:
            raise LedgerError(
                f"{path}: chart {chart} was never published, so nobody links to it: remove it as "
                "it is"
            )
        marked = [
            replace(one, retired=f"{day} {why}") if one is rows[chart] else one for one in entries
        ]
        with disk.named(path):
            disk.put(path, f"{','.join(COLUMNS)}\n{_rows(marked)}".encode())


def _rows(entries: Iterable[Entry]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(astuple(entry) for entry in entries)
    return made.getvalue()
