"""Rules of MLPerf Training that logs often omit: names, metrics, targets; from `rules.toml`.

Targets are from the training rules of each round (mlcommons/training_policies,
`training_rules.adoc`); runs record them as reconstructed.
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
"""Other names of benchmarks in logs and folders."""


def _all(what: str) -> dict[str, Any]:
    """Returns a fact of each benchmark that has it."""
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
EVALUATIONS_AN_EPOCH: Final[Mapping[str, int]] = _all("evaluations_an_epoch")
"""Facts of benchmarks, described in `rules.toml`."""

PARTS: Final[Mapping[str, str]] = _TABLES["parts"]
LOWER: Final = frozenset(_TABLES["lower"])
PERCENT: Final = frozenset(_TABLES["percent"])
SUBMITTERS: Final[Mapping[str, str]] = _TABLES["submitters"]
ACCELERATORS: Final[Mapping[str, str]] = _TABLES["accelerators"]
AMBIGUOUS: Final[Sequence[Sequence[str]]] = _TABLES["ambiguous"]
SYSTEMS: Final[Sequence[Sequence[str]]] = _TABLES["systems"]

CLOSE: Final = 0.05
"""Relative difference allowed between steps times batch size and the images of an epoch; Google's
SSD counts 120,000.
"""

TOKENS_FROM: Final = 20_000_000
"""A count from here on is one of tokens: such a run has some hundred thousand sequences, and
evaluates every 24,576.
"""


def order(round_: str) -> tuple[int, ...]:
    """Returns a round as numbers, so that v10.0 sorts after v5.1."""
    return tuple(int(part) for part in round_.lstrip("v").split("."))


def system_of(submitter: str, folder: str) -> str | None:
    """Returns the catalogue's id of a system, or None."""
    return next(
        (
            id_
            for who, what, id_ in SYSTEMS
            if who == submitter.lower() and re.fullmatch(what, folder.lower())
        ),
        None,
    )


def submitter_of(folder: str | None, written: str | None) -> tuple[str, str]:
    """Returns the name of a submitter, and the name for its source.

    The source's depends on the folder alone, so that it does not depend on the log that is read
    first. The name written in a submission is used for its runs if no table has the folder and more
    than case differs.
    """
    known = folder or written or "unknown submitter"
    name = SUBMITTERS.get(known.lower(), known)
    if known.lower() in SUBMITTERS or written is None or written.lower() == name.lower():
        return name, name
    return written, name


def accelerator_of(submitter: str, round_: str | None, folder: str, name: str) -> str | None:
    """Returns the hardware id of an accelerator by its name in a submission, if known."""
    plain = name.strip().lower()
    for who, when, where, what, id_ in AMBIGUOUS:
        if (who, when, what) == (submitter.lower(), round_, plain) and re.fullmatch(
            where, folder.lower()
        ):
            return id_
    return ACCELERATORS.get(plain)


def benchmark_of(name: str, round_: str | None = None) -> str:
    """Returns the usual name of a benchmark, by the meaning of its name in a round."""
    plain = name.strip().lower().replace("-", "_")
    usual = BENCHMARKS.get(plain, plain)
    since, later = BECAME.get(usual, ("", usual))
    return later if since and round_ is not None and order(round_) >= order(since) else usual


def title_of(benchmark: str) -> str:
    """Returns the name of a benchmark in a credit."""
    return str(_BENCHMARKS.get(benchmark, {}).get("title", benchmark))


def metrics_of(benchmark: str) -> tuple[str, ...]:
    """Returns the quality metrics of a benchmark."""
    return tuple(METRICS.get(benchmark, ("quality",)))


def direction(metric: str) -> Direction:
    """Returns the direction in which a target is reached."""
    return Direction.AT_MOST if metric in LOWER else Direction.AT_LEAST


def fraction(metric: str, value: float) -> float:
    """Returns a value as recorded: hundredths become a fraction if the metric is one."""
    return value / 100 if metric in PERCENT and value > 1 else value


def targets(benchmark: str, round_: str | None) -> tuple[Target, ...]:
    """Returns the targets of a benchmark in a round; empty if the round is unknown and the target
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
