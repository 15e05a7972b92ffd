"""The commands of the harness: `python -m kernels COMMAND --help`. The only place that joins its
parts and prints.

Exit status: 0 on success, 1 on a refused input or a run that failed, 2 on wrong usage, 130 after
Ctrl-C, 143 after SIGTERM.
"""

import argparse
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from kernels import checks, disk, store
from kernels.analysis import compare, repetitions
from kernels.analysis import summary as show
from kernels.analysis.mlperf_scores import UNVERIFIED, scores
from kernels.analysis.warnings import say
from kernels.cli import data, doctor, imports, migrate, pack, recover, submit
from kernels.cli import run as run_command
from kernels.cli import show as show_run
from kernels.errors import Severity, StoreError, TouchstoneError
from kernels.harness import jobs, worker
from kernels.harness import suites as suite
from kernels.records import Withdrawal
from kernels.store import lock
from kernels.store.schema import SCHEMA_VERSION
from kernels.workloads import WORKLOADS

RUNS = Path(__file__).resolve().parents[1] / "runs"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        with _terminable() if chosen.name == "run" else nullcontext():
            status = int(chosen.command(chosen))
        # here and not when Python ends, where nobody could catch that the reader has gone
        sys.stdout.flush()
        return status
    except jobs.UsageError as error:
        parser.exit(2, f"python -m kernels {chosen.name}: {error}\n")
    except TouchstoneError as error:
        _say(f"error: {error}")
        return 1
    except KeyboardInterrupt as error:
        _say("interrupted; what was recorded until now is kept")
        return 128 + (signal.SIGTERM if isinstance(error, worker.Terminated) else signal.SIGINT)
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in disk.FULL:
            raise
        # what is recorded is put in place whole: this was on the way to it
        _say(f"error: {disk.told(error)}")
        return 1


@contextmanager
def _terminable() -> Iterator[None]:
    """Within it SIGTERM ends as Ctrl-C does: children first, then the journal, then what is
    recorded. Asking twice changes nothing.
    """

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise worker.Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - this module is where the harness prints


def _print(text: str) -> None:
    print(text)  # noqa: T201 - this module is where the harness prints


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m kernels",
        description="Runs training benchmarks, imports others' and records both.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="name")

    def add(
        name: str,
        command: Callable[[argparse.Namespace], int],
        summary: str,
        *,
        as_json: bool = False,
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=summary, description=summary)
        made.add_argument(
            "--runs",
            type=Path,
            default=RUNS,
            metavar="DIR",
            help="folder with recorded runs (default: runs/ of this checkout)",
        )
        if as_json:
            made.add_argument("--json", action="store_true", help="write JSON instead of a table")
        made.set_defaults(command=command)
        return made

    add("list", _list, "show the workloads and suites that can be run", as_json=True)
    add("doctor", _doctor, "show what this machine can run and what is missing", as_json=True)
    run_command.options(add("run", run_command.run, run_command.SUMMARY), _print)
    data.options(commands.add_parser("data", help=data.SUMMARY, description=data.SUMMARY), _print)
    made = imports.SUMMARY
    imports.options(
        commands.add_parser("import", help=made, description=made, epilog=imports.EPILOG),
        RUNS,
        _print,
    )
    shown = add("show", _show, "list recorded runs, or show all that is known of one", as_json=True)
    shown.add_argument(
        "run", nargs="*", help="ids of runs, each shown whole (default: a list of all)"
    )
    comparing = add(
        "compare",
        _compare,
        "say whether runs A are faster than runs B, as far as their intervals allow",
        as_json=True,
    )
    for side in ("a", "b"):
        comparing.add_argument(
            side,
            metavar=side.upper(),
            help="id of a run, several with commas between, or a pattern such as '*-b64'",
        )
    add(
        "check",
        _check,
        "look for damaged files and implausible records; exit 1 on an error",
        as_json=True,
    )
    pack.options(add("pack", pack.pack, pack.SUMMARY, as_json=True), _print, _say)
    recover.options(add("recover", recover.recover, recover.SUMMARY), _print, _say)
    submit.options(add("submit", submit.submit, submit.SUMMARY), _print)
    withdrawing = add(
        "withdraw", _withdraw, "hide a run from comparisons; its page stays and says why"
    )
    withdrawing.add_argument("run", help="id of the run")
    withdrawing.add_argument("--why", required=True, help="the reason, for the readers of its page")
    migrate.options(add("migrate", migrate.migrate, migrate.SUMMARY, as_json=True), _print)
    add(
        "score",
        _score,
        "score imported MLPerf submissions by the rules of their round",
        as_json=True,
    )
    return parser


def _list(chosen: argparse.Namespace) -> int:
    suites = [suite.load(name) for name in suite.names()]
    if chosen.json:
        records = [asdict(plan) for plan in WORKLOADS.values()]
        _print(
            json.dumps({"records": records, "suites": [asdict(each) for each in suites]}, indent=1)
        )
        return 0
    rows = [
        (
            plan.name,
            ", ".join(plan.backends),
            ", ".join(plan.data),
            plan.dataset or "-",
            ", ".join(f"{width:g}" for width in (1.0, *(each.factor for each in plan.widths))),
            str(plan.batch_size),
            str(plan.epochs),
            "-" if plan.target is None else f"{plan.target.metric} {plan.target.value:g}",
            plan.summary,
        )
        for plan in WORKLOADS.values()
    ]
    _print(
        show.table(
            rows,
            (
                "workload",
                "backends",
                "data",
                "data set",
                "widths",
                "batch",
                "epochs",
                "target",
                "what it is",
            ),
        )
    )
    protocols = [
        (each.name, ", ".join(each.sizes), each.source or "-", each.summary) for each in suites
    ]
    _print("\n" + show.table(protocols, ("suite", "sizes", "follows", "what it finds out")))
    return 0


def _doctor(chosen: argparse.Namespace) -> int:
    report = doctor.examine(chosen.runs)
    if chosen.json:
        _print(json.dumps(doctor.record(report), indent=1))
        return 0  # the answer itself says whether anything can run
    for line in doctor.lines(report):
        _print(line)
    return 0 if report.able else 1


def _archive(runs: Path) -> store.Archive:
    archive = store.read(runs)
    for problem in archive.problems:
        _say(f"problem: {problem}")
    return archive


def _show(chosen: argparse.Namespace) -> int:
    archive = _archive(chosen.runs)
    known = {run.run_id: run for run in archive.runs}
    unknown = [name for name in chosen.run if name not in known]
    if unknown:
        raise StoreError(
            f"{', '.join(unknown)}: no such run below {chosen.runs}; `show` without an id lists all"
        )
    runs = [known[name] for name in chosen.run] or list(archive.runs)
    if chosen.json:
        # Without an id it is the list of all, short; a run that is asked for by its id is shown
        # whole.
        records = [
            show_run.record(run, archive.files.get(run.run_id)) if chosen.run else show.record(run)
            for run in runs
        ]
        _print(json.dumps({"schema_version": SCHEMA_VERSION, "records": records}, indent=1))
    else:
        if chosen.run:
            for run in runs:
                _print("\n".join([*show_run.lines(run, archive.files.get(run.run_id)), ""]))
        else:
            _print(
                show.table([show.row(run) for run in runs])
                if runs
                else f"no runs below {chosen.runs}"
            )
        for line in show.remarks([run.run_id for run in runs], archive.runs):
            _print(f"  {line}")
    return 0


def _compare(chosen: argparse.Namespace) -> int:
    archive = _archive(chosen.runs)
    a, b = (compare.choose(archive.runs, words) for words in (chosen.a, chosen.b))
    found = compare.compare(a, b)
    unlike, others, efficiency = (
        compare.unlike(a, b),
        compare.differences(a, b),
        compare.scaling(a, b),
    )
    lacking, epochs = compare.lacking(a, b), compare.far_epochs(found)
    sides = [repetitions.seeds(side) for side in (a, b)]
    slow = show.remarks([run.run_id for run in (*a, *b)], archive.runs, seeded=False)
    warnings = {run.run_id: [say(doubt) for doubt in run.doubts] for run in (*a, *b) if run.doubts}
    if chosen.json:
        records = [show.comparison(each) for each in found]
        said: dict[str, object] = {
            "a": show.group(a),
            "b": show.group(b),
            "unlike": unlike,
            "differences": others,
            "scaling_efficiency": efficiency,
        }
        said |= {"slow": slow, "warnings": warnings, "not_compared": lacking, "records": records}
        _print(
            json.dumps(
                {**said, "seeds": [None if each is None else asdict(each) for each in sides]},
                indent=1,
            )
        )
        return 0
    for name, side in (("A", a), ("B", b)):
        _print(f"{name}: {show.group(side)}")
    rows = [
        (
            each.metric,
            show.side(each.a, each.unit),
            show.side(each.b, each.unit),
            show.ratio(each),
            show.gap(each),
            each.answer.replace("_", " "),
        )
        for each in found
    ]
    _print(show.table(rows, ("metric", "A", "B", "A over B", "A less B", "A is")))
    for reason in dict.fromkeys(each.reason for each in found if each.reason):
        _print(
            f"  {', '.join(each.metric for each in found if each.reason == reason)}: not "
            f"separable: {reason}"
        )
    for line in (*lacking, *([] if epochs is None else [epochs]), *show.both(*sides), *slow):
        _print(f"  {line}")
    for line in (*unlike, *others):
        _print(f"  differs in {line}")
    if efficiency is not None:
        _print(f"  {show.efficiency(efficiency, unequal=compare.unequal_threads(a, b))}")
    for name, lines in warnings.items():
        for line in lines:
            _print(f"  warning: {name}: {line}")
    return 0


def _check(chosen: argparse.Namespace) -> int:
    archive = store.read(chosen.runs)
    findings = checks.check(archive)
    counts = Counter(finding.severity for finding in findings)
    if chosen.json:
        _print(json.dumps({"records": [asdict(finding) for finding in findings]}, indent=1))
    else:
        for finding in findings:
            _print(str(finding))
        error, warning, review = (counts[each] for each in Severity)
        _print(
            f"{error} errors, {warning} warnings"
            + (f", {review} matters for review" if review else "")
        )
    return 1 if counts[Severity.ERROR] else 0


def _withdraw(chosen: argparse.Namespace) -> int:
    path = chosen.runs / "withdrawn" / f"{chosen.run}.parquet"
    run = next((run for run in _archive(chosen.runs).runs if run.run_id == chosen.run), None)
    if run is None:
        raise StoreError(f"{chosen.run}: no such run below {chosen.runs}; `show` lists all")
    with lock.writing(chosen.runs, path):
        why = store.read_file(path)[0].why if path.exists() else run.withdrawn
        if why is not None:
            raise StoreError(f"{chosen.run} is withdrawn already: {why}")
        store.write(path, [Withdrawal(chosen.run, chosen.why, datetime.now(UTC).date())])
    _print(f"{chosen.run} is withdrawn; {path} says so, delete it to take that back")
    return 0


def _score(chosen: argparse.Namespace) -> int:
    found = scores(_archive(chosen.runs).runs)
    if chosen.json:
        _print(
            json.dumps(
                {
                    "schema_version": SCHEMA_VERSION,
                    "note": UNVERIFIED,
                    "records": [asdict(each) for each in found],
                },
                indent=1,
            )
        )
        return 0
    rows = [
        (
            each.source,
            each.system,
            each.workload,
            f"{each.converged}/{each.runs}",
            "-" if each.score_minutes is None else f"{each.score_minutes:.2f} min",
            each.reason or each.verdict,
        )
        for each in found
    ]
    _print(
        show.table(rows, ("source", "system", "workload", "converged", "score", "verdict"))
        if rows
        else "no MLPerf submissions recorded"
    )
    if rows:
        _print(f"scores {UNVERIFIED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
