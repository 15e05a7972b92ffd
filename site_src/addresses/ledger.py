"""What was ever published: ids of charts, presets and badges, and verdicts, in `runs/ledger.csv`.

Rows are only added; an id whose addresses the site no longer answers is an error: a chart goes only
by a new name (`moved`) or by its last version (`retired`). A verdict that has changed is a new row
below the old one: the ledger tells when readers began to see it.
"""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Final

from kernels import disk
from kernels.errors import TouchstoneError
from kernels.store import lock

NAME: Final = "ledger.csv"
KINDS: Final = ("chart", "preset", "badge", "claim")


class LedgerError(TouchstoneError):
    """The ledger cannot be read, or the site lost what it promises; names file and line, or the
    ids.
    """


@dataclass(frozen=True, slots=True)
class Entry:
    """One row.

    Attributes:
        kind: One of `KINDS`.
        id: The chart's or the claim's id; `<chart>/<preset>`, `<report>/<finding>`.
        verdict: The claim's verdict; empty for the others.
        first_published: Day, ISO 8601, of the build that recorded it.
    """

    kind: str
    id: str
    verdict: str
    first_published: str


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
        try:
            date.fromisoformat(row[3])
        except ValueError:
            raise LedgerError(
                f"{path}:{line}: first_published is {row[3]!r}, wanted a day such as 2026-11-20"
            ) from None
        found.append(Entry(*row))
    return found


def lost(entries: Iterable[Entry], have: Mapping[str, Collection[str]]) -> list[Entry]:
    """Entries whose id the site no longer has, each id once."""
    return list(
        {
            (entry.kind, entry.id): entry
            for entry in entries
            if entry.id not in have.get(entry.kind, ())
        }.values()
    )


def new(
    entries: Sequence[Entry],
    built: Mapping[str, Iterable[str]],
    verdicts: Iterable[tuple[str, str]],
    day: date,
) -> list[Entry]:
    """What the ledger does not have yet: ids of what was built, and claims with a verdict that is
    not the last one recorded.
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


def hold(
    path: Path,
    built: Mapping[str, Collection[str]],
    verdicts: Sequence[tuple[str, str]],
    day: date,
    kept: Mapping[str, Collection[str]] | None = None,
) -> list[Entry]:
    """Hold what was built against the ledger; what is to be added to it.

    Args:
        path: The ledger.
        built: Ids of this build by kind.
        verdicts: Claims with their verdicts.
        day: The build's.
        kept: Ids that are answered though nothing is built for them: renamed and retired ones.

    Raises:
        LedgerError: Ids that were published are gone; names them all.
    """
    entries, kept = read(path), kept or {}
    have = {kind: {*built.get(kind, ()), *kept.get(kind, ())} for kind in KINDS} | {
        "claim": {id_ for id_, _ in verdicts}
    }
    gone = lost(entries, have)
    if gone:
        names = ", ".join(
            f"{entry.kind} {entry.id} (since {entry.first_published})" for entry in gone
        )
        raise LedgerError(
            f"{path} promises what this build does not have: {names}. Addresses that others link "
            "to must stay: bring back the runs, claims "
            "or figures behind them. To rename a chart or a badge, add a line to moved.csv; to "
            "remove a chart, bring it back, run build.py "
            "--retire CHART --why TEXT, then remove it. If their file was left out as damaged, "
            "mend that first"
        )
    return new(entries, built, verdicts, day)


def append(path: Path, entries: Sequence[Entry]) -> None:
    """Add rows at the end, one builder at a time, so that what another has added meanwhile stays.

    Raises:
        StoreError: Another build holds the folder for too long, or it cannot be written to.
    """
    if not entries:
        return
    with lock.writing(path.parent, path):
        text = path.read_text(encoding="utf-8") if path.is_file() else ",".join(COLUMNS) + "\n"
        made = io.StringIO()
        csv.writer(made, lineterminator="\n").writerows(astuple(entry) for entry in entries)
        with disk.named(path):
            disk.put(
                path, f"{text}{'' if text.endswith(chr(10)) else chr(10)}{made.getvalue()}".encode()
            )
