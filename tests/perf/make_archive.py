"""Archives of any size, made of what is recorded here: `python -m tests.perf.make_archive N FOLDER`.

An archive as large as this one is a copy of it; a larger one holds made results beside that copy,
a smaller one beside the chosen records of `tests.makers`. A made result has all runs of a chosen
one, nine in ten of a submission to MLPerf, one of this harness: by a submitter or on a machine that
does not exist, with other dates, and with all times longer or shorter by a draw, so that figures go
on following from steps, epochs and readings. The same N makes the same records.
"""

import random
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

from kernels import store
from kernels.analysis.gathered import groups
from kernels.analysis.repetitions import setups
from kernels.records import (
    Environment,
    Epoch,
    Evaluation,
    Metric,
    Origin,
    Run,
    Sample,
    Source,
    Step,
    locator_parts,
)
from kernels.store import ADDED_ONLY
from tests.makers import RUNS, chosen, make_archive

T = TypeVar("T")

SUBMITTERS: Final = 24
"""Made submitters: about as many as take part in a round."""

OWN_EVERY: Final = 10
"""One in so many made results is of this harness."""

GROWING: Final[Mapping[type, Sequence[str]]] = {
    kind: [field.name for field in fields(kind) if field.metadata["unit"] in {"s", "J"}]
    for kind in (Step, Epoch, Evaluation, Sample)
}
"""Fields that grow with time."""


@cache
def recorded() -> int:
    """How many runs are recorded here."""
    own = [path for folder in ADDED_ONLY for path in RUNS.glob(f"{folder}/*.parquet")]
    return sum(len(store.run_ids(path)) for path in (*own, *RUNS.glob("*/*-runs.parquet")))


def make(folder: Path, wanted: int) -> None:
    """Lay an archive of so many runs into an empty folder.

    Raises:
        ValueError: The chosen ones are more than that.
    """
    if wanted >= recorded():
        ignored = shutil.ignore_patterns("sources")
        shutil.copytree(RUNS, folder, ignore=ignored, dirs_exist_ok=True)
        left = wanted - recorded()
    else:
        make_archive(folder)
        left = wanted - len(chosen().runs)
    if left < 0:
        raise ValueError(f"chosen are {wanted - left} runs, wanted {wanted}: ask for as many")
    sources: dict[str, Source] = {}
    results = made()
    while left:
        runs = next(results)[:left]
        left -= len(runs)
        if runs[0].origin is Origin.MEASURED:
            for run in runs:
                store.write(folder / "measured" / f"{run.run_id}.parquet", [run])
        else:
            store.write(folder / "imported" / f"{runs[0].run_id}.parquet", runs)
            sources[runs[0].source] = _source(runs[0])
    if sources:
        store.write(folder / "imported" / "made-sources.parquet", list(sources.values()))


def made() -> Iterator[list[Run]]:
    """Results without end: of submissions to MLPerf, one in `OWN_EVERY` of this harness."""
    submitted = _again(groups(run for run in chosen().runs if run.round), _submitted)
    alike = [setup.runs for setup in setups(chosen().runs) if len(setup.runs) > 1]
    own = _again(alike, _measured)
    return (next(submitted if number % OWN_EVERY else own) for number in count())


def _again(
    results: Sequence[Sequence[Run]], change: Callable[[Run, int], Run]
) -> Iterator[list[Run]]:
    for copy in count():
        for runs in results:
            yield [_timed(change(run, copy), _pace(run, copy)) for run in runs]


def _submitted(run: Run, copy: int) -> Run:
    """The run by another submitter; of each further round of submitters on twice as many chips."""
    size, number = divmod(copy, SUBMITTERS)
    name, larger = f"works{number + 1:02}", f"-{2**size}x" * (size > 0)
    file = Path(dict(locator_parts(run.locator))["file"])
    system = f"{name}-{run.system}{larger}"
    place = f"training_results_{run.round}/{name}/results/{system}-{file.parent.parent.name}"
    return replace(
        run,
        run_id=f"{run.run_id}-{name}{larger}",
        source=f"mlperf-{run.round}-{name}",
        submitter=f"Works {number + 1}",
        system=system,
        accelerators=run.accelerators and run.accelerators * 2**size,
        locator=f"file '{place}/{file.parent.name}/{file.name}'",
        credit=f"MLPerf {run.round} Training, {run.division}, Works {number + 1}; made",
        started_at=run.started_at and run.started_at - timedelta(days=copy, minutes=7 * copy),
    )


def _measured(run: Run, copy: int) -> Run:
    """The run on a machine with more cores, some months earlier."""
    cores = 2 ** (2 + copy % 6)
    name = f"{run.run_id}-made{copy}"
    machine = replace(
        run.environment or Environment(), physical_cores=cores, logical_cores=cores, threads=cores
    )
    return replace(
        run,
        run_id=name,
        system=f"{run.accelerator}-{cores}c",
        locator=f"file 'runs/measured/{name}.parquet'",
        started_at=run.started_at and run.started_at - timedelta(days=90 * (copy + 1)),
        environment=machine,
    )


def _pace(run: Run, copy: int) -> float:
    """By how much longer a copy's times are: twice the chips take six tenths of the time."""
    size = copy // SUBMITTERS if run.origin is Origin.IMPORTED else 0
    draw = random.Random(f"{run.run_id} {copy}")  # noqa: S311 - times, no secrets
    return draw.uniform(0.8, 1.25) * 0.6**size


def _timed(run: Run, pace: float) -> Run:
    """The run with all times so many times as long, and all that follows from them."""
    parts: dict[str, Any] = {
        name: tuple(_scaled(each, GROWING[type(each)], pace) for each in getattr(run, name))
        for name in ("steps", "epochs", "evaluations", "telemetry")
    }
    metrics = tuple(_paced(metric, pace) for metric in run.metrics)
    return replace(_scaled(run, ["wall_time_s"], pace), metrics=metrics, **parts)


def _paced(metric: Metric, pace: float) -> Metric:
    rate = metric.unit.endswith("/s") or metric.name == "peak_share"
    by = pace if metric.unit in {"s", "J"} else 1 / pace if rate else 1.0
    return _scaled(metric, ["value", "low", "high"], by)


def _scaled(record: T, names: Iterable[str], by: float) -> T:
    numbers: dict[str, Any] = {name: getattr(record, name) for name in names}
    return replace(record, **{name: each and each * by for name, each in numbers.items()})  # type: ignore[type-var] # every record is a dataclass


def _source(run: Run) -> Source:
    """That of a made submission, after a chosen one of its round."""
    like = next(each for each in chosen().sources if each.source.startswith(f"mlperf-{run.round}-"))
    title, credit = f"MLPerf Training {run.round}: {run.submitter}", run.credit
    return replace(like, source=run.source, title=title, credit=credit)


if __name__ == "__main__":
    make(Path(sys.argv[2]), int(sys.argv[1]))
