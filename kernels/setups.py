"""Runs that repeat each other, as one: the same training with the same settings on the same machine, again or with another seed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kernels.compare import ALIKE, DIFFERENCES, SETTINGS, UNKNOWN, text
from kernels.records import Metric, Origin, Run, Status

OWN: Final = (Origin.MEASURED, Origin.SUBMITTED)
"""Origins of runs of this harness: they alone say enough of themselves to be known as repetitions."""

PREFIX: Final = "setting:"
"""Beginning of the parts that are settings without a field of their own."""

_OF_RUN: Final = (*ALIKE, *DIFFERENCES, "origin", "epochs_planned")
_OF_MACHINE: Final = (*SETTINGS, "memory_bytes", "logical_cores", "os")
"""Two machines with the same processor or card have the same name; these fields tell them apart as far as they can."""

INTERVAL: Final = "evaluation_interval_samples"
"""Setting of a convergence run: samples between two evaluations. It follows from data and batch size, and older runs lack it."""

_BESIDE: Final = frozenset({"seed", "seeds", "suite", INTERVAL})
"""Settings in which repetitions may differ; the size of a suite is none of them, as a small one is never shown as the full one."""

_TOLD: Final = ("data_sha256", "THP_MEM_ALLOC_ENABLE", "transparent_hugepage")
"""Facts of the environment that older runs do not tell: the data, and what decides on the size of memory's pages."""

_Key = tuple[tuple[str, str], ...]


def parts(run: Run) -> Mapping[str, str]:
    """All that two runs must have in common to repeat each other, by name; `UNKNOWN` where a run does not tell."""
    found = {name: text(getattr(run, name)) for name in _OF_RUN}
    found |= {name: text(getattr(run.environment, name, None)) for name in _OF_MACHINE}
    found["targets"] = ", ".join(f"{target.metric} {target.value!r}" for target in run.targets)
    found |= {name: text(value) for name, value in _told(run).items()}
    return found | {f"{PREFIX}{each.name}": each.value for each in run.settings if each.name not in _BESIDE}


def _told(run: Run) -> dict[str, str | None]:
    known = run.environment
    given: dict[str, str | None] = {} if known is None else {each.name: each.value for each in known.extra}
    given["data_sha256"] = None if known is None else known.data_sha256
    return {name: given.get(name) for name in _TOLD}


@dataclass(frozen=True, slots=True)
class Setup:
    """Runs that repeat each other, the oldest first.

    Attributes:
        parts: What they have in common.
    """

    parts: Mapping[str, str]
    runs: tuple[Run, ...]

    @property
    def run(self) -> Run:
        """The one that stands for all: the newest that ended well, else the newest."""
        return next((run for run in reversed(self.runs) if run.status is Status.OK), self.runs[-1])

    @property
    def reached(self) -> tuple[Run, ...]:
        """Those that reached all their targets; none where they had none."""
        return tuple(run for run in self.runs if run.targets and run.status is Status.OK)

    def figure(self, name: str) -> str:
        """The reference of a figure over all of them."""
        return f"alike:{self.run.run_id}:{name}"

    def metrics(self, name: str) -> tuple[Metric, ...]:
        """That figure of each run that has it."""
        found = (run.metric(name) for run in self.runs)
        return tuple(metric for metric in found if metric is not None and metric.value is not None)


def setups(runs: Iterable[Run]) -> list[Setup]:
    """The runs of this harness that are in force, gathered; in the order of each one's first run.

    A run that does not tell one of `_TOLD` counts as having what those agree on that are like it in all else.
    """
    own = [run for run in runs if run.origin in OWN and run.withdrawn is None]
    own.sort(key=lambda run: (run.started_at.timestamp() if run.started_at else 0.0, run.run_id))
    like: dict[_Key, list[Run]] = {}
    for run in own:
        like.setdefault(_key(parts(run), but=_TOLD), []).append(run)
    agreed = {key: _agreed(alike) for key, alike in like.items()}
    found: dict[_Key, list[Run]] = {}
    for run in own:
        said = parts(run)
        known = {name: value for name, value in agreed[_key(said, but=_TOLD)].items() if said[name] == UNKNOWN}
        found.setdefault(_key({**said, **known}), []).append(run)
    return [Setup(dict(key), tuple(alike)) for key, alike in found.items()]


def _agreed(alike: Sequence[Run]) -> dict[str, str]:
    """What of `_TOLD` all runs have that tell it."""
    values = {name: {value for run in alike if (value := _told(run)[name]) is not None} for name in _TOLD}
    return {name: next(iter(each)) for name, each in values.items() if len(each) == 1}


def _key(given: Mapping[str, str], but: tuple[str, ...] = ()) -> _Key:
    return tuple(sorted((name, value) for name, value in given.items() if name not in but))
