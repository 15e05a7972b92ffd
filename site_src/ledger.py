"""What was ever published: chart ids and verdicts, in `runs/ledger.csv`.

Rows are only added; an id that the site no longer has is an error. A verdict that has changed is a new row below the
old one: the ledger tells when readers began to see it.
"""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Final

from kernels.errors import TouchstoneError

NAME: Final = "ledger.csv"
KINDS: Final = ("chart", "claim")


class LedgerError(TouchstoneError):
    """The ledger cannot be read, or the site lost what it promises; names file and line, or the ids."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row.

    Attributes:
        kind: `chart` or `claim`.
        id: The chart's or the claim's id.
        verdict: The claim's verdict; empty for a chart.
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
        raise LedgerError(f"{path}: the first line is {','.join(rows[0]) if rows else ''!r}, wanted {','.join(COLUMNS)}")
    found = []
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS) or row[0] not in KINDS or not row[1]:
            raise LedgerError(f"{path}:{line}: {','.join(row)!r} is no entry; wanted {', '.join(COLUMNS)} with kind {' or '.join(KINDS)}")
        try:
            date.fromisoformat(row[3])
        except ValueError:
            raise LedgerError(f"{path}:{line}: first_published is {row[3]!r}, wanted a day such as 2026-11-20") from None
        found.append(Entry(*row))
    return found


def lost(entries: Iterable[Entry], charts: Iterable[str], claims: Iterable[str]) -> list[Entry]:
    """Entries whose id the site no longer has, each id once."""
    have = {"chart": set(charts), "claim": set(claims)}
    return list({(entry.kind, entry.id): entry for entry in entries if entry.id not in have[entry.kind]}.values())


def new(entries: Sequence[Entry], charts: Iterable[str], verdicts: Iterable[tuple[str, str]], day: date) -> list[Entry]:
    """What the ledger does not have yet: charts, and claims with a verdict that is not the last one recorded."""
    last = {(entry.kind, entry.id): entry.verdict for entry in entries}
    built = [*(("chart", id_, "") for id_ in charts), *(("claim", id_, verdict) for id_, verdict in verdicts)]
    return [Entry(kind, id_, verdict, day.isoformat()) for kind, id_, verdict in built if last.get((kind, id_)) != verdict]


def hold(path: Path, charts: Iterable[str], verdicts: Iterable[tuple[str, str]], day: date) -> list[Entry]:
    """Hold what was built against the ledger; what is to be added to it.

    Raises:
        LedgerError: Ids that were published are gone; names them all.
    """
    entries, charts, verdicts = read(path), list(charts), list(verdicts)
    gone = lost(entries, charts, (id_ for id_, _ in verdicts))
    if gone:
        names = ", ".join(f"{entry.kind} {entry.id} (since {entry.first_published})" for entry in gone)
        raise LedgerError(
            f"{path} promises what this build does not have: {names}. Addresses that others link to must stay: bring back the runs, claims "
            "or figures behind them; if their file was left out as damaged, mend that first"
        )
    return new(entries, charts, verdicts, day)


def append(path: Path, entries: Sequence[Entry]) -> None:
    """Add rows at the end; the whole file is written beside and renamed, so that a stopped writer loses nothing."""
    if not entries:
        return
    text = path.read_text(encoding="utf-8") if path.is_file() else ",".join(COLUMNS) + "\n"
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(astuple(entry) for entry in entries)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        file.write(f"{text}{'' if text.endswith(chr(10)) else chr(10)}{made.getvalue()}")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
