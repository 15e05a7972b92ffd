"""MLPerf Training result logs and the system facts beside them as runs: of a repository, a
submission, a system or one benchmark.

`parse` (in `mlperf.log`) makes events of the lines, `facts_of` (in `mlperf.system`) reads the files
around a log, and `run_of` joins the two with the rules of the round (`mlperf.rules`).

A figure computed here is not a result of MLCommons: it must be shown with round, division,
submitter and system, and as computed from the log and not verified; the credit of each run says so.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from kernels.errors import SourceError
from kernels.importers.base import Flags, Imported, Part, head
from kernels.importers.mlperf import power, rules
from kernels.importers.mlperf.log import lines_of, parse
from kernels.importers.mlperf.run import FIRST, LICENCE, Submission, generated_after, missed, run_of
from kernels.importers.mlperf.system import SubmissionFacts, facts_of
from kernels.machine.system import slug
from kernels.records import Run, Source, SourceKind, Status

SUMMARY: Final = (
    "MLPerf Training result logs: a results repository, a submission, a system, a "
    "benchmark's folder or one log"
)

_SUFFIXES: Final = frozenset({".txt", ".log", ".out", ""})
"""Suffixes of files that may be logs; repositories contain the submitters' code as well."""

_RESULT: Final = re.compile(r"result_?\d+|result[_-].*\d", re.IGNORECASE)
"""Names of logs by the rules, and variants by submitters: `result_run10`,
`result_240928162719380693721_01`. A file with such a name that is no log is refused, any other is
skipped.
"""


_NAMED: Final = 20
"""Most logs named in a shared warning."""


OPTIONS: Final[Flags] = {}


def parts(path: Path, options: Mapping[str, str | None]) -> Iterator[Part]:  # noqa: ARG001 - the same for every importer
    """Yields each folder that may have logs, with its files; a single file is a part of its own."""
    if path.is_file():
        yield Part(path.name, (path,))
        return
    found = False
    for folder, below, names in os.walk(path):
        below.sort()
        here = Path(folder)
        logs = [here / name for name in sorted(names) if Path(name).suffix.lower() in _SUFFIXES]
        if results := [each for each in logs if _RESULT.fullmatch(each.stem)]:
            # power readings are read with their runs; raw logs are results before cleaning
            below.clear()
            logs = [
                each
                for each in results
                if "raw_" not in each.stem or each.with_stem(_clean(each)) not in results
            ]
        files = tuple(filter(_may_be_log, logs))
        if files:
            found = True
            yield Part(here.relative_to(path).as_posix(), files)
    if not found:
        wanted = "wanted files such as <system>/<benchmark>/result_0.txt"
        raise SourceError(f"{path}: no MLPerf result log below it; {wanted}")


def _clean(path: Path) -> str:
    return path.stem.replace("raw_", "")


def _may_be_log(path: Path) -> bool:
    if path.exists() and not path.is_file():
        return False  # a pipe or a socket never ends
    return bool(_RESULT.fullmatch(path.stem)) or b":::ML" in head(path, 65536)


def read(part: Part) -> Imported:
    """Returns the runs of a folder's logs; invalid logs are refused by name."""
    found: list[Imported] = []
    refused: list[str] = []
    for path in part.files:
        try:
            one = read_log(path)
        except SourceError as error:
            refused.append(str(error))
            continue
        if found and one.name != found[0].name:
            refused.append(
                f"{part.name}/{path.name}: a log of {one.name}, beside logs of {found[0].name}; "
                "import it by itself"
            )
        elif any(one.runs[0].run_id == other.runs[0].run_id for other in found):
            refused.append(
                f"{part.name}/{path.name}: a second log with the number of another in its folder; "
                "rename one of them"
            )
        else:
            found.append(one)
    if not found:
        raise SourceError("; ".join(refused))
    round_ = found[0].runs[0].round
    return Imported(
        # a file per round: two thousand files of one submission are slow to open
        source=found[0].source if round_ is None else f"mlperf-{round_}",
        name=found[0].name if round_ is None else "",
        runs=tuple(run for one in found for run in one.runs),
        sources=found[0].sources,
        warnings=tuple(_together(found)),
        refused=tuple(refused),
    )


def _together(found: Sequence[Imported]) -> Iterator[str]:
    """Yields the warnings of a folder's logs; shared ones once, with the logs' names."""
    said: dict[str, list[str]] = {}
    for one in found:
        where = (one.runs[0].locator or "").removeprefix("file '").removesuffix("'")
        for warning in one.warnings:
            said.setdefault(warning.removeprefix(f"{where}: "), []).append(where)
    for warning, places in said.items():
        names = [place.rpartition("/")[2] for place in places[1:_NAMED]]
        names += [f"{len(places) - _NAMED} more"] if places[_NAMED:] else []
        yield f"{', '.join([places[0], *names])}: {warning}"


def read_log(path: Path) -> Imported:
    """Returns the run of a log file.

    Raises:
        SourceError: Not a compliance log, or a log of no run.
    """
    facts = facts_of(path)
    try:
        with path.open("rb") as file:
            events = parse(lines_of(file), facts.path)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror})") from error
    run = run_of(events, facts)
    energy = power.energy_of(path, facts, run)
    run = replace(
        run, metrics=(*run.metrics, *energy.metrics), settings=(*run.settings, *energy.settings)
    )
    log = Submission(events, facts)
    warnings = (*facts.missing, *_left_open(facts, run), *energy.warnings, *_oddities(log, run))
    name = run.run_id.removesuffix(f"-{log.suffix(run.started_at)}")
    if facts.benchmark is None and facts.folder is not None:
        # one folder and one file for all benchmarks of a system
        name = name.removesuffix(f"-{slug(log.benchmark)}")
    return Imported(
        source=run.source,
        name=name,
        runs=(run,),
        sources=(_source(run, facts),),
        warnings=tuple(f"{facts.path}: {each}" for each in warnings),
    )


def _left_open(facts: SubmissionFacts, run: Run) -> Iterator[str]:
    if run.round is None:
        yield (
            "no folder above it names the round, as training_results_v5.0 does; "
            "targets that changed are left open"
        )
    if run.accelerator is None:
        named = (
            "no file names the accelerator"
            if facts.accelerator is None
            else f"accelerator '{facts.accelerator}' is in no table"
        )
        yield f"{named}; left open"


def _oddities(log: Submission, run: Run) -> Iterator[str]:
    if log.events.damaged:
        lines = f"line {log.events.damaged[0]}" + (
            f" and {len(log.events.damaged) - 1} more" if log.events.damaged[1:] else ""
        )
        yield f"{lines}: a marker and nothing readable behind it"
    if run.status_detail:
        yield run.status_detail
    if run.started_at is None and run.wall_time_s is not None:
        yield f"the log's times lie before {FIRST:%Y}: how long it took is taken, not when it ran"
    if generated_after(log) is not None:
        yield (
            "models were evaluated after training: the run's time is that of "
            "eval_result, evaluations have none"
        )
    elif run.wall_time_s is not None and (
        late := sum(each.time_s is None for each in run.evaluations)
    ):
        yield f"evaluations logged while the run was not on the clock: {late}; they have no time"
    if log.events.passed:
        yield f"{log.events.passed} events beyond what is kept of one log were passed over"
    if run.status is Status.OK and (far := missed(run.targets, run.evaluations)):
        yield f"the log says success, and no evaluation in it reaches {far}"


def _source(run: Run, facts: SubmissionFacts) -> Source:
    """Returns the source of a run: one per round and submitter, whichever of its logs is read."""
    _, submitter = rules.submitter_of(facts.submitter_folder, run.submitter)
    url = f"https://github.com/mlcommons/training_results_{run.round}" if run.round else None
    return Source(
        source=run.source,
        kind=SourceKind.LOGS,
        title=f"MLPerf Training {run.round or '(round unknown)'}: {submitter}",
        url=url,
        language="en",
        licence=LICENCE,
        credit=f"MLPerf {run.round or ''} Training, {submitter}; figures computed from the logs, "
        "unverified by MLCommons",
        publisher="MLCommons",
        published_note="mlperf-published",
        transcription_note="mlperf-computed",
    )
