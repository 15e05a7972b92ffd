"""`python -m kernels run`: measures and records a workload or a suite, and prints the outcome."""

import argparse
import contextlib
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tqdm import tqdm

from kernels import catalog
from kernels.analysis import summary, warnings
from kernels.cli.command import runs_option, say
from kernels.errors import StoreError, TouchstoneError, UsageError
from kernels.harness import jobs as runner
from kernels.harness import journal, lock, recover, schedule, suites, worker
from kernels.harness import options as flags
from kernels.harness.measure import Progress
from kernels.harness.schedule import Schedule, duration
from kernels.harness.spec import FLAGS, Job
from kernels.machine import system
from kernels.records import Run
from kernels.units import counted
from kernels.workloads import WORKLOADS

SITE = system.ROOT / "site"


def options(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    runs_option(parser)
    names = sorted(WORKLOADS)
    parser.add_argument(
        "workload",
        nargs="?",
        choices=names,
        metavar="WORKLOAD",
        help=f"one of: {', '.join(names)}; or use --suite",
    )
    parser.add_argument(
        "--suite",
        metavar="NAME",
        help=f"run a protocol instead, one of: {', '.join(suites.names())}",
    )
    parser.add_argument(
        "--size", choices=suites.SIZES, help=f"size of the suite (default: {suites.DEFAULT})"
    )
    for flag, text in (
        ("--dry-run", "suite: show what would be run, how long it takes and what is skipped"),
        ("--again", "suite: repeat its recorded runs, or continue repeating them"),
    ):
        parser.add_argument(flag, action="store_true", help=text)
    flags.options(parser)
    for flag, text in (
        (
            "--together",
            "measure while another run is being measured on this machine; both are marked",
        ),
        ("--site", "then build the site and print the address of this machine's page"),
    ):
        parser.add_argument(flag, action="store_true", help=text)


def main(chosen: argparse.Namespace) -> int:
    """Runs the command."""
    if (chosen.workload is None) == (chosen.suite is None):
        names = ", ".join(sorted(WORKLOADS))
        raise UsageError(
            f"name a WORKLOAD, or a suite with --suite, and not both; workloads are {names}"
        )
    failed, on = _suite(chosen) if chosen.suite else _workload(chosen)
    return (_site(chosen, on) if chosen.site and on and not chosen.dry_run else 0) or failed


def _workload(chosen: argparse.Namespace) -> tuple[int, str]:
    for name in ("size", "dry_run", "again"):
        if getattr(chosen, name):
            raise UsageError(f"--{name.replace('_', '-')} belongs to --suite")
    given = flags.said(chosen)
    folders = given["data_dir"] or [None]
    if len(folders) > 1:
        raise UsageError(f"--data-dir: {chosen.workload} reads one folder; give one")
    request = flags.request(chosen.workload, given, folders[0])
    runner.refuse(request)
    with lock.held(together=chosen.together) as machine:
        place = runner.place(request, worker.probe(request.backend), catalog.load())
        if place.fallen:
            say(runner.on_the_cpu(request.backend, place.fallen))
        jobs = runner.jobs(request, place, chosen.runs)
        say(f"the same for all runs of this command: {request.settings()}")
        done = _one_by_one(jobs, machine, chosen.runs)
        for line in summary.remarks([run.run_id for run in done], done):
            say(line)
    return 1 if any(run.status in runner.BAD for run in done) else 0, place.system


def _one_by_one(jobs: Sequence[Job], machine: lock.Lock, runs: Path) -> list[Run]:
    done: list[Run] = []
    for number, job in enumerate(jobs, 1):
        with runner.bar(f"{number}/{len(jobs)} {job.run_id}") as progress:
            done.append(_measured(job, machine, runs, progress))
        say(summary.table([summary.row(done[-1])]))
        _tell(done[-1], runs, say)
    return done


def _measured(planned: Job, machine: lock.Lock, runs: Path, progress: Progress) -> Run:
    """Measures one job; whatever happens, what was measured is recorded."""
    job = replace(planned, started_at=datetime.now(UTC).isoformat())
    path = journal.create(runs / journal.FOLDER, job, system.environment(_command()))
    machine.name(job.run_id)
    others = machine.others()
    unwritten: str | None = None
    try:
        worker.run(path, job, progress, machine.descriptors())
        journal.beside(path, (other.run_id for other in (*others, *machine.others())))
    except StoreError as error:  # a full disk, say
        unwritten = str(error)
    finally:
        done = recover.keep(path, runs, unwritten)  # after Ctrl-C too
    return done


def _command() -> str:
    """Returns the command line as typed, without folders of this machine."""
    words = sys.argv[1:]
    shown = [
        word if "/" not in word and before not in {"--data-dir", "--runs"} else "DIR"
        for before, word in zip(["", *words], words, strict=False)
    ]
    return "python -m kernels " + " ".join(shown)


def _tell(run: Run, runs: Path, say: Callable[[str], None]) -> None:
    if run.status_detail:
        say(f"  {run.status}: {run.status_detail}")
    for line in summary.copied(run):
        say(f"  {line}")
    for warning in run.doubts:
        say(f"  warning: {warnings.say(warning)}")
    say(f"  recorded in {runs / 'measured' / f'{run.run_id}.parquet'}")


def _suite(chosen: argparse.Namespace) -> tuple[int, str | None]:
    """Returns exit status and system id; None if no run of the suite can be run here."""
    _refuse_beside(chosen)
    wanted = suites.load(chosen.suite)
    size = wanted.size(chosen.size or suites.DEFAULT)
    now = datetime.now(UTC)
    # A dry run measures nothing, so it does not hold the lock.
    with (
        contextlib.nullcontext(lock.Lock())
        if chosen.dry_run
        else lock.held(together=chosen.together) as machine
    ):
        if not chosen.dry_run:
            _recover(chosen, wanted.name, size.name)
        before = schedule.known(chosen.runs)
        planned, begun = _planned(chosen, wanted, size, before, now)
        for backend, why in planned.fallen.items():
            say(runner.on_the_cpu(backend, why))
        for line in _announced(wanted, size, planned, whole=chosen.dry_run):
            say(line)
        free = schedule.refuse_small_disk(planned, chosen.runs)
        say(_cost(planned, free, begun))
        if chosen.dry_run:
            return 0 if planned.items else 1, planned.system
        if planned.open and chosen.again and begun is None:
            schedule.begin_round(chosen.runs, wanted.name, size.name, now)
        failed = (
            _measure_all(planned, f"{wanted.name}/{size.name}", machine, chosen, before.runs)
            if planned.open
            else not planned.items
        )
        if chosen.again:
            schedule.end_round(chosen.runs, wanted.name, size.name)
        return int(failed), planned.system


def _planned(
    chosen: argparse.Namespace,
    wanted: suites.Suite,
    size: suites.Size,
    before: schedule.Known,
    now: datetime,
) -> tuple[Schedule, datetime | None]:
    """Returns the suite on this machine, and the start of the `--again` round to continue."""
    begun = schedule.round_begun(chosen.runs, wanted.name, size.name, now) if chosen.again else None
    plan = partial(
        schedule.schedule,
        wanted,
        size,
        flags.said(chosen),
        runs=chosen.runs,
        probe=worker.probe,
        catalogue=catalog.load(),
        before=before,
    )
    planned = plan(since=(begun or now) if chosen.again else None)
    if begun and not planned.open:  # it was killed after its last run, so that round is over
        return plan(since=now), None
    return planned, begun


def _refuse_beside(chosen: argparse.Namespace) -> None:
    for name, flag in FLAGS.items():
        if not flag.beside_a_suite and getattr(chosen, name) != flag.default:
            word = f"--{name.replace('_', '-')}"
            said = f"suite {chosen.suite} says itself what it measures"
            raise UsageError(f"{word}: {said}; leave it out, or run a workload by its name")


def _recover(chosen: argparse.Namespace, name: str, size: str) -> None:
    found, wrong = schedule.recover(chosen.runs, name, size)
    for run in found:
        say(summary.recovered(run))
    for reason in wrong:
        tqdm.write(f"error: {reason}", file=sys.stderr)


def _announced(
    wanted: suites.Suite, size: suites.Size, planned: Schedule, *, whole: bool
) -> list[str]:
    lines = [f"suite {wanted.name}, size {size.name}: {wanted.summary}", f"  for {size.note}"]
    if wanted.source:
        lines.append(f"  follows {wanted.source}: {wanted.protocol}")
        lines += [f"  differs from it: {each}" for each in size.differs]
    if whole and planned.items:
        rows = [
            (
                str(number),
                item.label,
                "unknown" if item.seconds is None else duration(item.seconds),
                f"recorded: {item.done}" if item.done else "to be run",
            )
            for number, item in enumerate(planned.items, 1)
        ]
        lines += summary.table(rows, ("", "run", "about", "state")).splitlines()
    return lines + [f"  skipped: {each.label}: {each.reason}" for each in planned.left]


def _cost(planned: Schedule, free: int | None, begun: datetime | None) -> str:
    done = len(planned.items) - len(planned.open)
    since = f" since --again began at {begun:%Y-%m-%d %H:%M} UTC" if begun else ""
    recorded = f"{done} of {len(planned.items)} runs are recorded on this system{since}"
    if not planned.items:
        return "nothing of it can be run here: mend one of the reasons above"
    if not planned.open:
        return f"{recorded}, so nothing is left to do; --again measures them once more"
    bases = ", ".join(f"{count} {basis}" for basis, count in planned.bases.items())
    if planned.start_s > 2 * schedule.START_S:
        bases = f"starting takes {duration(planned.start_s)} a run; {bases}"
    of = "" if free is None else f" of {free / 1e6:.0f} MB that are free"
    return (
        f"{counted(len(planned.open), 'run')} to go, about {duration(planned.seconds)} ({bases}); "
        f"{planned.disk_bytes / 1e6:.1f} MB on disk{of}{f'; {recorded}' if done else ''}"
    )


def _measure_all(
    planned: Schedule,
    title: str,
    machine: lock.Lock,
    chosen: argparse.Namespace,
    earlier: Sequence[Run],
) -> int:
    """Measures the open runs; however it ends, the table of results is printed last."""
    items, runs = planned.open, chosen.runs
    done: list[Run] = []
    took: list[tuple[schedule.Item, float]] = []
    began = time.monotonic()
    usual = planned.seconds / len(items) or 1.0  # for a run of unknown duration
    weights = [item.seconds or usual for item in items]
    try:
        with runner.bar(title) as bar:
            for number, item in enumerate(items):
                label = f"{number + 1}/{len(items)} {item.label}"
                progress = _part(bar, sum(weights[:number]), weights[number], sum(weights), label)
                progress(0.0, 1.0, "starting")
                start = time.monotonic()
                done.append(_measured(item.job, machine, runs, progress))
                took.append((item, time.monotonic() - start))
                rest = schedule.left(took, items[number + 1 :])
                _aside(
                    f"{label}: {done[-1].status}{f'; about {duration(rest)} left' if rest else ''}"
                )
                _tell(done[-1], runs, _aside)
    finally:
        if done:
            say(summary.table([summary.row(run) for run in done]))
            for line in summary.remarks([run.run_id for run in done], (*earlier, *done)):
                say(f"  {line}")
        spent = duration(time.monotonic() - began)
        for line in _ended(planned, done, title, spent, again=chosen.again):
            say(line)
    return 1 if any(run.status in runner.BAD for run in done) else 0


def _ended(
    planned: Schedule, done: Sequence[Run], title: str, spent: str, *, again: bool
) -> Iterator[str]:
    statuses = Counter(run.status for run in done)
    counts = ", ".join(f"{count} {status}" for status, count in statuses.items())
    yield f"{title}: {counted(len(done), 'run')} in {spent}{f' ({counts})' if counts else ''}"
    if rest := len(planned.open) - len(done):
        within = " within a day" if again else ""
        yield f"{counted(rest, 'run')} left; the same command goes on{within}"
    if planned.left:
        labels = "; ".join(each.label for each in planned.left)
        yield f"skipped: {labels}; the reasons stand above"


def _part(bar: Progress, before: float, weight: float, whole: float, label: str) -> Progress:
    def progress(done: float, total: float, note: str) -> None:
        share = min(done / total, 1.0) if total > 0 else 0.0
        bar(before + weight * share, whole, f"{label}: {note}")

    return progress


def _aside(text: str) -> None:
    tqdm.write(text, file=sys.stdout)


def _site(chosen: argparse.Namespace, on: str) -> int:
    command = [sys.executable, str(system.ROOT / "build.py"), "--runs", str(chosen.runs)]
    say("building the site")
    sys.stdout.flush()
    status = subprocess.call(command)  # noqa: S603 - ourselves
    if status == 0:
        say(address(SITE, on, languages()))
    return status


def languages(variables: Sequence[str] = ("LC_ALL", "LC_MESSAGES", "LANG")) -> list[str]:
    """Returns the language codes of the user's locale, the preferred first."""
    return [os.environ[name][:2].lower() for name in variables if os.environ.get(name)]


def address(site: Path, on: str, wanted: Sequence[str]) -> str:
    """Returns the address of a system's page, in the first of the languages that the site has."""
    language = next((each for each in wanted if (site / each).is_dir()), "en")
    page = site / language / "measured" / on / "index.html"
    if not page.is_file():
        raise TouchstoneError(
            f"{page} is not there although the site was built: open "
            f"{site / language / 'index.html'}"
        )
    return f"this machine beside the published ones: {page.as_uri()}"
