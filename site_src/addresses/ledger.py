"""The ledger of everything published: ids of charts, presets and badges, and verdicts, in
`runs/ledger.csv`.

Rows are only added. A build that lacks an id of the ledger fails, unless its row says where it
went: for a chart or badge its new id (`moved_to`), for a removed chart day and reason (`retired`),
with its last version in `runs/retired/`. Presets go with their charts. A changed verdict is a new
row after the old one: the ledger tells when readers first saw it.
"""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Final

from kernels import disk, tabular
from kernels.errors import TouchstoneError
from kernels.store import RETIRED, lock

NAME: Final = "ledger.csv"

Moved = Mapping["Kind", Mapping[str, str]]
"""New ids by old ones, by kind."""


class LedgerError(TouchstoneError):
    """A row of the ledger contradicts itself, or the site lost an id; names the ids."""


class Kind(StrEnum):
    """Kinds of ids."""

    CHART = "chart"
    PRESET = "preset"
    BADGE = "badge"
    CLAIM = "claim"


MOVABLE: Final = (Kind.CHART, Kind.BADGE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row.

    Attributes:
        kind: Of the id.
        id: The chart's or the claim's id; `<chart>/<preset>`, `<report>/<finding>`.
        verdict: The claim's verdict; empty for the others.
        first_published: Day of the build that recorded it.
        moved_to: The new id of a chart or badge that was renamed.
        retired: Of a chart that was removed: the day, a space, and why.
    """

    kind: Kind
    id: str
    verdict: str
    first_published: date
    moved_to: str = ""
    retired: str = ""

    def __post_init__(self) -> None:
        if self.moved_to and self.kind not in MOVABLE:
            raise LedgerError(
                f"moved_to: only a {' or a '.join(MOVABLE)} can be renamed, not a {self.kind}"
            )
        if self.retired and (self.kind != Kind.CHART or self.moved_to or not self._dated()):
            raise LedgerError(
                f"retired is {self.retired!r}, wanted a day and a reason, of a chart not renamed"
            )

    def _dated(self) -> bool:
        day, _, why = self.retired.partition(" ")
        try:
            return date.fromisoformat(day) is not None and bool(why.strip())
        except ValueError:
            return False


COLUMNS: Final = tuple(field.name for field in fields(Entry))


def read(path: Path) -> list[Entry]:
    """The ledger's rows in order; empty if there is no ledger yet.

    Raises:
        SourceError: Other columns than `COLUMNS`, an unknown kind, or an invalid day.
    """
    if not path.is_file():
        return []
    return [
        tabular.build(Entry, row, {"verdict": row.values.get("verdict", "")}, {"verdict"})
        for row in tabular.rows(path, COLUMNS, COLUMNS)
    ]


def hold(
    path: Path, built: Sequence[Entry], retired: Mapping[str, Collection[str]]
) -> tuple[list[Entry], Moved]:
    """Compares a build with the ledger: returns rows to add, and the targets of renamed ids.

    Args:
        path: The ledger.
        built: Contents of this build, as rows of its day.
        retired: Presets of the retired charts that have their files, by id.

    Raises:
        LedgerError: Published ids are gone, all of which it names; or a renamed id leads nowhere;
            or a retired one is still there.
    """
    entries = read(path)
    have = {(one.kind, one.id) for one in built}
    _hold_retired(path, entries, have, retired)
    have |= {(Kind.CHART, chart) for chart in retired}
    have |= {(Kind.PRESET, f"{chart}/{name}") for chart in retired for name in retired[chart]}
    moved = renamed(entries, have)
    for kind, ids in moved.items():
        have |= {(kind, old) for old in ids}
    have |= {
        (Kind.PRESET, old + preset.removeprefix(new))
        for old, new in moved[Kind.CHART].items()
        for kind, preset in have
        if kind is Kind.PRESET and preset.startswith(f"{new}/")
    }
    lost = {(one.kind, one.id): one for one in entries if (one.kind, one.id) not in have}
    if lost:
        names = (f"{one.kind} {one.id} (since {one.first_published})" for one in lost.values())
        raise LedgerError(
            f"{path} promises what this build does not have: {', '.join(names)}. Addresses that "
            "others link to must stay: bring back the runs, claims or figures behind them. To "
            "rename a chart or a badge, write its new id into moved_to of its row; to remove a "
            "chart, bring it back, run build.py --retire CHART --why TEXT, then remove it. If "
            "their file was left out as damaged, mend that first"
        )
    last = {(one.kind, one.id): one.verdict for one in entries}
    return [one for one in built if last.get((one.kind, one.id)) != one.verdict], moved


def renamed(entries: Sequence[Entry], have: Collection[tuple[Kind, str]]) -> Moved:
    """The final target of each renamed id, by kind.

    Raises:
        LedgerError: An id still exists under its old name, leads in a circle, or to one that does
            not exist.
    """
    ways = {(one.kind, one.id): one.moved_to for one in entries if one.moved_to}
    found: dict[Kind, dict[str, str]] = {kind: {} for kind in MOVABLE}
    for (kind, old), new in ways.items():
        if (kind, old) in have:
            raise LedgerError(
                f"{kind} {old} was renamed to {new} and is still on the site; give it its new id "
                "there, or empty its moved_to"
            )
        last, passed = new, {old}
        while (kind, last) in ways:
            if last in passed:
                raise LedgerError(f"{kind} {old} was renamed to {new}, and on in a circle")
            passed.add(last)
            last = ways[kind, last]
        if (kind, last) not in have:
            raise LedgerError(f"{kind} {old} was renamed to {last}, which is not on the site")
        found[kind][old] = last
    return found


def _hold_retired(
    path: Path,
    entries: Sequence[Entry],
    have: Collection[tuple[Kind, str]],
    retired: Mapping[str, Collection[str]],
) -> None:
    removed = {entry.id for entry in entries if entry.retired}
    live = {id_ for kind, id_ in have if kind is Kind.CHART}
    for ids, fault in (
        (removed & live, "retired, and still on the site; remove the figure or its data"),
        (removed - {*retired}, f"retired, and not in runs/{RETIRED}/; take it from the history"),
        ({*retired} - removed, f"in runs/{RETIRED}/, and not retired in {path}"),
    ):
        if ids:
            raise LedgerError(f"{', '.join(sorted(ids))}: {fault}")


def append(path: Path, entries: Sequence[Entry]) -> None:
    """Append rows, one builder at a time, so that rows of others are kept.

    Raises:
        StoreError: Another build holds the folder for too long, or it cannot be written to.
    """
    if entries:
        with lock.writing(path.parent, path):
            _write(path, [*read(path), *entries])


def retire(path: Path, chart: str, day: date, why: str) -> None:
    """Record in a chart's row that it was retired.

    Raises:
        LedgerError: It was never published, or retired before.
        StoreError: Another build holds the folder for too long, or it cannot be written to.
    """
    with lock.writing(path.parent, path):
        entries = read(path)
        row = {one.id: one for one in entries if one.kind == Kind.CHART}.get(chart)
        if row is None:
            raise LedgerError(
                f"{path}: chart {chart} was never published, so nobody links to it: remove it as "
                "it is"
            )
        if row.retired:
            raise LedgerError(f"{path}: chart {chart} was retired before: {row.retired}")
        marked = replace(row, retired=f"{day} {why}")
        _write(path, [marked if one is row else one for one in entries])


def _write(path: Path, entries: Iterable[Entry]) -> None:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(entry, name) for name in COLUMNS] for entry in entries)
    with disk.named(path):
        disk.put(path, made.getvalue().encode())
