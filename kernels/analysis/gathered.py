"""Results, each made of the runs that repeat each other: a submission's runs of one benchmark,
repetitions of one configuration by this harness, or a published row.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kernels.analysis.repetitions import setups
from kernels.records import Origin, Run, locator_parts

_NUMBERED: Final = re.compile(r"(.+)-\d+")
"""Run id of a submission: the submission's id and the number of the log."""


@dataclass(frozen=True, slots=True)
class Result:
    """Runs that repeat each other.

    Attributes:
        id: The part of the id that a submission's runs share; else the id of the first run.
        run_ids: Includes withdrawn runs of a submission.
    """

    id: str
    run_ids: tuple[str, ...]


def folder(run: Run) -> str:
    """The folder of an imported run's log."""
    return dict(locator_parts(run.locator)).get("file", "").rpartition("/")[0]


def submission(run: Run) -> tuple[str, str, str] | None:
    """Returns source, folder of the logs and workload of a submission; None for other runs."""
    if run.origin is not Origin.IMPORTED or run.round is None:
        return None
    return run.source, folder(run), run.workload


def groups(runs: Iterable[Run]) -> list[tuple[Run, ...]]:
    """Groups runs by result, in the order of first runs: submissions by the number of the log,
    repetitions by this harness oldest first; any other run is alone.
    """
    given = list(runs)
    own = {run.run_id: setup.runs for setup in setups(given) for run in setup.runs}
    found: dict[object, list[Run]] = {}
    for run in given:
        repeats = own.get(run.run_id)
        key = submission(run) or (repeats[0].run_id if repeats else run.run_id)
        found.setdefault(key, []).append(run)
    return [
        own.get(group[0].run_id) or tuple(sorted(group, key=number)) for group in found.values()
    ]


def number(run: Run) -> tuple[bool, int, str]:
    """Sort key for a submission's runs: the number of the log, unnumbered ones last."""
    return run.repeat_index is None, run.repeat_index or 0, run.run_id


def gather(runs: Sequence[Run]) -> list[Result]:
    """Returns the results that the runs make, in the order of first runs."""
    taken = {run.run_id for run in runs}
    found = []
    for group in groups(runs):
        id_ = _shared(group, taken)
        taken.add(id_)
        found.append(Result(id_, tuple(run.run_id for run in group)))
    return found


def _shared(group: Sequence[Run], taken: Collection[str]) -> str:
    """Returns the shared part of a submission's run ids, if there is only one and it is unused."""
    first = group[0].run_id
    if submission(group[0]) is None:
        return first
    names = {numbered[1] if (numbered := _NUMBERED.fullmatch(run.run_id)) else "" for run in group}
    name = names.pop()
    return first if names or not name or name in taken else name
