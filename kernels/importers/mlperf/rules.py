"""What the rules of MLPerf Training say and the logs often leave out: names, metrics, targets by
round; `rules.toml` has the tables.

Targets are from the training rules of each round (mlcommons/training_policies,
`training_rules.adoc`); a run that takes one from here records it as reconstructed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kernels.importers.base import tables_of
from kernels.records import Certainty, Direction, Target

_TABLES: Final = tables_of(__file__)
_BENCHMARKS: Final = _TABLES["benchmarks"]

BENCHMARKS: Final[Mapping[str, str]] = {
    other: name for name, each in _BENCHMARKS.items() for other in each.get("names", ())
}
"""Other names that logs and folders give a benchmark."""


def _all(what: str) -> dict[str, Any]:
    """A fact of each benchmark that has it."""
    return {name: each[what] for name, each in _BENCHMARKS.items() if what in each}


BECAME: Final[Mapping[str, Sequence[str]]] = _all("became")
WORKLOADS: Final[Mapping[str, str]] = _all("workload")
METRICS: Final[Mapping[str, Sequence[str]]] = _all("metrics")
BATCH_OF: Final[Mapping[str, Mapping[str, str]]] = _all("batch_of")
BATCH_UNITS_UNKNOWN: Final[Mapping[str, bool]] = _all("batch_unit_unknown")
BATCHES_AS_SAMPLES: Final[Mapping[str, bool]] = _all("batches_as_samples")
EPOCH_SAMPLES: Final[Mapping[str, int]] = _all("epoch_samples")
TOKENS: Final[Mapping[str, int]] = _all("tokens")
MOST_EPOCHS: Final[Mapping[str, int]] = _all("most_epochs")
"""Facts of benchmarks; `rules.toml` says what each is."""

PARTS: Final[Mapping[str, str]] = _TABLES["parts"]
LOWER: Final = frozenset(_TABLES["lower"])
PERCENT: Final = frozenset(_TABLES["percent"])
SUBMITTERS: Final[Mapping[str, str]] = _TABLES["submitters"]
ACCELERATORS: Final[Mapping[str, str]] = _TABLES["accelerators"]
AMBIGUOUS: Final[Sequence[Sequence[str]]] = _TABLES["ambiguous"]
SYSTEMS: Final[Sequence[Sequence[str]]] = _TABLES["systems"]

CLOSE: Final = 0.05
"""How far steps by batch size may be from the images of an epoch; Google's SSD takes 120,000 for
them.
"""

TOKENS_FROM: Final = 20_000_000
"""A count from here on is one of tokens: the sequences of such a run are some hundred thousand, and
it is evaluated every 24,576.
"""


def order(round_: str) -> tuple[int, ...]:
    """A round as numbers, so that v10.0 comes after v5.1."""
    return tuple(int(part) for part in round_.lstrip("v").split("."))


def system_of(submitter: str, folder: str) -> str | None:
    """The catalogue's id of a system; None for one that is not there."""
    return next(
        (
            id_
            for who, what, id_ in SYSTEMS
            if who == submitter.lower() and re.fullmatch(what, folder.lower())
        ),
        None,
    )


def submitter_of(folder: str | None, written: str | None) -> tuple[str, str]:
    """Name of a submitter, and the one that its source goes by.

    The source's depends on the folder alone, so that it is the same whichever of the submitter's
    logs is read first. What a submission writes counts for its runs where no table knows the folder
    and more than upper and lower case differs.
    """
    known = folder or written or "unknown submitter"
    name = SUBMITTERS.get(known.lower(), known)
    if known.lower() in SUBMITTERS or written is None or written.lower() == name.lower():
        return name, name
    return written, name


def accelerator_of(submitter: str, round_: str | None, folder: str, name: str) -> str | None:
    """The hardware id of an accelerator by the name that a submission writes, as far as the tables
    above know it.
    """
    plain = name.strip().lower()
    for who, when, where, what, id_ in AMBIGUOUS:
        if (who, when, what) == (submitter.lower(), round_, plain) and re.fullmatch(
            where, folder.lower()
        ):
            return id_
    return ACCELERATORS.get(plain)


def benchmark_of(name: str, round_: str | None = None) -> str:
    """The benchmark by its usual name, and by what that name means in a round."""
    plain = name.strip().lower().replace("-", "_")
    usual = BENCHMARKS.get(plain, plain)
    since, later = BECAME.get(usual, ("", usual))
    return later if since and round_ is not None and order(round_) >= order(since) else usual


def title_of(benchmark: str) -> str:
    """A benchmark as a credit names it."""
    return str(_BENCHMARKS.get(benchmark, {}).get("title", benchmark))


def metrics_of(benchmark: str) -> tuple[str, ...]:
    """Returns what the benchmark's quality is measured by."""
    return tuple(METRICS.get(benchmark, ("quality",)))


def direction(metric: str) -> Direction:
    """On which side of a target it is reached."""
    return Direction.AT_MOST if metric in LOWER else Direction.AT_LEAST


def fraction(metric: str, value: float) -> float:
    """A value as it is recorded: hundredths become a fraction where the metric is one."""
    return value / 100 if metric in PERCENT and value > 1 else value


def targets(benchmark: str, round_: str | None) -> tuple[Target, ...]:
    """The targets of a benchmark in a round; empty where the round is unknown and the target
    changed, or nothing is known.
    """
    by_round: Mapping[str, Sequence[float]] = _BENCHMARKS.get(benchmark, {}).get("targets", {})
    known = [
        values
        for since, values in by_round.items()
        if round_ is None or order(since) <= order(round_)
    ]
    if not known or (round_ is None and len(known) > 1):
        return ()
    return tuple(
        Target(metric, value, direction(metric), certainty=Certainty.RECONSTRUCTED)
        for metric, value in zip(metrics_of(benchmark), known[-1], strict=True)
    )
