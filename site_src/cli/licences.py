"""Leaves out records that may be read but not passed on, because their source states no licence,
unless the build is told otherwise.
"""

from dataclasses import replace
from typing import Any

from kernels.records import NO_LICENCE
from kernels.store import Archive
from kernels.store.join import without


def without_unlicensed(archive: Archive) -> tuple[Archive, int]:
    """The archive without records of sources that state no licence, and the number of runs left
    out.

    The sources themselves go too, and so do their claims, cells and reviews, which have no licence
    of their own.
    """
    gone = {source.source for source in archive.sources if source.licence == NO_LICENCE}

    def stays(one: Any) -> bool:
        return one.source not in gone and getattr(one, "licence", "") != NO_LICENCE

    logs = [each for each in archive.recordings if not stays(each)]
    # if only the log that watched it has no licence, a run keeps its own figures
    runs = tuple(filter(stays, without(archive.runs, logs)))
    kept = {run.run_id for run in runs}
    tables = ("sources", "claims", "reviews", "cells", "prices", "rates", "tariffs")
    others: dict[str, Any] = {name: tuple(filter(stays, getattr(archive, name))) for name in tables}
    slim = replace(
        archive,
        runs=runs,
        **others,
        recordings=tuple(
            each
            for each in archive.recordings
            if each.run_id in kept - {log.run_id for log in logs}
        ),
        withdrawals=tuple(each for each in archive.withdrawals if each.run_id in kept),
        files={name: path for name, path in archive.files.items() if name in kept},
    )
    return slim, len(archive.runs) - len(runs)
