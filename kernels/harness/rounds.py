"""Rounds of `run --suite --again`: when one began, kept beside the journals until its last run, so
that the same command goes on with it.

What was recorded before that moment counts for nothing, whoever recorded it: a checkout comes with
runs of other machines, and some of them have the name of this one.
"""

import contextlib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from kernels.errors import StoreError
from kernels.harness import journal

LASTS: Final = timedelta(days=1)
"""Time after which an interrupted round is given up: the machine of today is asked for, not that of
last week.
"""


def begun(runs: Path, suite: str, size: str, now: datetime) -> datetime | None:
    """When the round of this suite began that was interrupted; None where there is none to go on
    with.
    """
    # a file that is not there, or that a full disk left empty
    with contextlib.suppress(OSError, ValueError):
        moment = datetime.fromisoformat(_file(runs, suite, size).read_text(encoding="utf-8"))
        return moment if moment.tzinfo is not None and now - LASTS < moment <= now else None
    return None


def begin(runs: Path, suite: str, size: str, moment: datetime) -> None:
    """Keep when a round began; again, where it goes on.

    Raises:
        StoreError: The folder cannot be written to.
    """
    path = _file(runs, suite, size)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(moment.isoformat(), encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written ({error.strerror}): make room, or choose another --runs"
        ) from error


def end(runs: Path, suite: str, size: str) -> None:
    """Forget the round: its last run is done."""
    _file(runs, suite, size).unlink(missing_ok=True)


def _file(runs: Path, suite: str, size: str) -> Path:
    return runs / journal.FOLDER / f"{suite}-{size}.round"
