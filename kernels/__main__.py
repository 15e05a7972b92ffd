"""The commands of the harness: `python -m kernels COMMAND --help`. The only place that joins its parts and prints.

Exit status: 0 on success, 1 on a refused input or a run that failed, 2 on wrong usage, 130 after Ctrl-C.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from kernels import (
    catalog,
    checks,
    compare,
    data_command,
    doctor,
    folders,
    importing,
    journal,
    lock,
    measured,
    runner,
    show,
    store,
    system,
    worker,
)
from kernels.errors import SourceError, StoreError, TouchstoneError
from kernels.importers import FORMATS
from kernels.records import DataKind, Precision, Run, Withdrawal
from kernels.schema import SCHEMA_VERSION
from kernels.scores import UNVERIFIED, scores
from kernels.telemetry.process import DEFAULT_HZ
from kernels.workloads import WORKLOADS, Plan

RUNS = Path(__file__).resolve().parents[1] / "runs"

IMPORT = "turn others' figures into runs; importing the same thing again changes nothing"

EPILOG = "Each format takes PATH, --runs DIR and --dry-run, and may have options of its own: python -m kernels import FORMAT --help"

PRECISIONS = {each.value: each for each in Precision if each not in (Precision.MIXED, Precision.UNKNOWN)} | {
    "bf16": Precision.AMP_BF16,
    "fp16": Precision.AMP_FP16,
}
"""Precisions on the command line; `bf16` and `fp16` mean automatic mixed precision. What a device can do, it says itself."""

DATA = {kind.value: kind for kind in DataKind} | {"synthetic": DataKind.SYNTHETIC_DEVICE}
"""Kinds of data on the command line; `synthetic` is made on the device."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        status = int(chosen.command(chosen))
        sys.stdout.flush()  # here and not when Python ends, where nobody could catch that the reader has gone
        return status
    except runner.UsageError as error:
        parser.exit(2, f"python -m kernels {chosen.name}: {error}\n")
    except TouchstoneError as error:
        _say(f"error: {error}")
        return 1
    except KeyboardInterrupt:
        _say("interrupted; what was recorded until now is kept")
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - this module is where the harness prints


def _print(text: str) -> None:
    print(text)  # noqa: T201 - this module is where the harness prints


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kernels", description="Runs training benchmarks, imports others' and records both.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="name")

    def add(name: str, command: Callable[[argparse.Namespace], int], summary: str, *, as_json: bool = False) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=summary, description=summary)
        made.add_argument(
            "--runs", type=Path, default=RUNS, metavar="DIR", help="folder with recorded runs (default: runs/ of this checkout)"
        )
        if as_json:
            made.add_argument("--json", action="store_true", help="write JSON instead of a table")
        made.set_defaults(command=command)
        return made

    add("list", _list, "show the workloads that can be run", as_json=True)
    add("doctor", _doctor, "say what this machine can run and what is missing", as_json=True)
    _run_options(add("run", _run, "train a workload on this machine and record it"))
    data_command.options(commands.add_parser("data", help=data_command.SUMMARY, description=data_command.SUMMARY), _print)
    _import_options(commands.add_parser("import", help=IMPORT, description=IMPORT, epilog=EPILOG))
    shown = add("show", _show, "list recorded runs", as_json=True)
    shown.add_argument("run", nargs="*", help="ids of runs (default: all)")
    comparing = add("compare", _compare, "say whether runs A are faster than runs B, as far as their intervals allow", as_json=True)
    for side in ("a", "b"):
        comparing.add_argument(side, metavar=side.upper(), help="id of a run, several with commas between, or a pattern such as '*-b64'")
    comparing.add_argument("--anyway", action="store_true", help="compare runs of unlike workload, batch size, precision or data")
    add("check", _check, "look for damaged files and implausible records; exit 1 on an error", as_json=True)
    add("recover", _recover, "turn journals that a crash left into runs")
    withdrawing = add("withdraw", _withdraw, "hide a run from comparisons; its page stays and says why")
    withdrawing.add_argument("run", help="id of the run")
    withdrawing.add_argument("--why", required=True, help="the reason, for the readers of its page")
    add("score", _score, "score imported MLPerf submissions by the rules of their round", as_json=True)
    return parser


def _import_options(parser: argparse.ArgumentParser) -> None:
    """A command of its own for each format, since each may have options."""
    formats = parser.add_subparsers(required=True, metavar="FORMAT", dest="format")
    for name, importer in FORMATS.items():
        made = formats.add_parser(name, help=importer.SUMMARY, description=importer.SUMMARY)
        made.add_argument("path", type=Path, nargs="?", metavar="PATH", help="file or folder to read")
        made.add_argument(
            "--runs", type=Path, default=RUNS, metavar="DIR", help="folder with recorded runs (default: runs/ of this checkout)"
        )
        made.add_argument("--dry-run", action="store_true", help="say what would be recorded and what is doubtful, write nothing")
        made.add_argument("--jobs", type=_number(1), help="processes (default: one for each core)")
        importer.arguments(made)
        made.set_defaults(command=_import)


def _run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", choices=sorted(WORKLOADS), metavar="WORKLOAD", help=f"one of: {', '.join(sorted(WORKLOADS))}")
    parser.add_argument("--backend", choices=sorted(worker.BACKENDS), default="torch", help="framework (default: torch)")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N (default: auto, a GPU where there is one)")
    parser.add_argument("--batch-size", type=_numbers(1), metavar="N[,N...]", help="samples a step over all accelerators; one run each")
    parser.add_argument("--precision", choices=sorted(PRECISIONS), default="fp32", help="bf16, fp16: mixed precision (default: fp32)")
    parser.add_argument("--data", choices=sorted(DATA), help="what to feed the model (default: what the workload has)")
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="folder with the data, for workloads that have you name one")
    parser.add_argument("--augmentation", choices=["none", "standard", "heavy"], help="how training images are changed at random")
    parser.add_argument(
        "--width", type=float, default=1.0, metavar="F", help="share of the network's channels, 1 or less; recorded as another workload"
    )
    parser.add_argument("--readers", type=_number(0), help="processes that read and decode images (default: what the cores allow)")
    parser.add_argument(
        "--operation-size", type=_numbers(1), metavar="N[,N...]", help="matmul: rows of the matrices; copy: bytes; one run each"
    )
    parser.add_argument(
        "--measure", choices=["convergence", "throughput"], help="what to find out (default: convergence, where there is a target)"
    )
    parser.add_argument("--epochs", type=_number(1), help="length of a convergence run (default: the workload's)")
    parser.add_argument("--target", type=float, help="quality that a convergence run is timed to (default: the workload's)")
    parser.add_argument("--seeds", type=_numbers(0), default=[0], metavar="N[,N...]", help="one run each (default: 0)")
    parser.add_argument("--threads", type=_number(1), help="threads of the framework (default: all cores this process may use)")
    parser.add_argument("--affinity", metavar="CPUS", help="processors to keep to, such as 0-3,8 (default: all that this process may use)")
    parser.add_argument("--allocator", choices=["tuned", "default"], default="tuned", help="C library's memory allocator (default: tuned)")
    parser.add_argument("--compile", action="store_true", help="compile the model; the first step pays for it, with an empty cache")
    parser.add_argument(
        "--memory-format",
        choices=["channels_last", "contiguous"],
        default="channels_last",
        help="order of an image's dimensions in memory (default: channels_last, the faster one)",
    )
    parser.add_argument("--deterministic", action="store_true", help="only algorithms that give the same result each time")
    parser.add_argument("--processes", type=_number(1), default=1, help="training processes that share each batch (default: 1)")
    parser.add_argument(
        "--repeats", type=_number(1), default=1, help="repetitions of each run; batch sizes take turns at random (default: 1)"
    )
    parser.add_argument(
        "--budget", type=_number(1), metavar="SECONDS", help="longest throughput run, from its first step on (default: 3 min)"
    )
    parser.add_argument("--timeout", type=_number(1), metavar="SECONDS", help="end each run after this time (default: never)")
    parser.add_argument(
        "--telemetry", type=_rate, default=DEFAULT_HZ, metavar="HZ|off", help="readings of the sensors a second (default: 10)"
    )
    parser.add_argument("--together", action="store_true", help="measure although another run is measured on this machine; both are marked")


def _number(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < least:  # noqa: PLR2004 - what fits 64 bits
            raise argparse.ArgumentTypeError(f"found {text!r}, wanted a whole number of {least} or more")
        return int(text)

    return number


def _rate(text: str) -> float | None:
    """Readings a second, or None for none."""
    if text == "off":
        return None
    try:
        hertz = float(text)
    except ValueError:
        hertz = 0.0
    if not 0.1 <= hertz <= 1000:  # noqa: PLR2004 - sensors have nothing new to say a thousand times a second
        raise argparse.ArgumentTypeError(f"found {text!r}, wanted readings a second from 0.1 to 1000, or off")
    return hertz


def _numbers(least: int) -> Callable[[str], list[int]]:
    one = _number(least)

    def numbers(text: str) -> list[int]:
        found = [one(part) for part in text.split(",")]
        if len(found) != len(set(found)):
            raise argparse.ArgumentTypeError(f"found {text!r}, wanted each number once")
        return found

    return numbers


def _list(chosen: argparse.Namespace) -> int:
    if chosen.json:
        _print(json.dumps({"records": [asdict(plan) for plan in WORKLOADS.values()]}, indent=1))
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
    _print(show.table(rows, ("workload", "backends", "data", "data set", "widths", "batch", "epochs", "target", "what it is")))
    return 0


def _doctor(chosen: argparse.Namespace) -> int:
    report = doctor.examine(chosen.runs)
    if chosen.json:
        _print(json.dumps(doctor.record(report), indent=1))
        return 0  # the answer itself says whether anything can run
    for line in doctor.lines(report):
        _print(line)
    return 0 if report.able else 1


def _run(chosen: argparse.Namespace) -> int:
    plan = runner.narrowed(WORKLOADS[chosen.workload], chosen.width)
    data = DATA[chosen.data] if chosen.data else DataKind.REAL if chosen.data_dir else plan.data[0]
    can_learn = plan.target is not None and data in plan.converges
    request = runner.Request(
        plan=plan,
        backend=chosen.backend,
        device=chosen.device,
        batch_sizes=tuple(chosen.batch_size or [plan.batch_size]),
        precision=_precision(chosen.precision, plan),
        data=data,
        measure=chosen.measure or ("convergence" if can_learn else "throughput"),
        epochs=chosen.epochs,
        target=chosen.target,
        seeds=tuple(chosen.seeds),
        threads=chosen.threads,
        allocator=chosen.allocator,
        limit_s=chosen.timeout,
        compiled=chosen.compile,
        memory_format=chosen.memory_format,
        deterministic=chosen.deterministic,
        affinity=chosen.affinity,
        processes=chosen.processes,
        repeats=chosen.repeats,
        budget_s=chosen.budget,
        telemetry_hz=chosen.telemetry,
        augmentation=chosen.augmentation or (plan.augmentations[0] if plan.augmentations and data is DataKind.REAL else "none"),
        folder=chosen.data_dir,
        images=folders.look(chosen.data_dir) if chosen.data_dir and plan.folder == "images" else None,
        readers=chosen.readers,
        sizes=tuple(chosen.operation_size or ()),
        width=chosen.width,
    )
    runner.refuse(request)
    with lock.held(together=chosen.together) as machine:
        place = runner.place(request, worker.probe(request.backend), catalog.load())
        jobs = runner.jobs(request, place, chosen.runs)
        failed = 0
        _print(f"the same for all runs of this command: {request.settings()}")
        for number, planned in enumerate(jobs, 1):
            job = replace(planned, started_at=datetime.now(UTC).isoformat())
            title = f"{number}/{len(jobs)} {job.run_id}"
            path = journal.create(chosen.runs / journal.FOLDER, job, system.environment(_command()))
            machine.name(job.run_id)
            others = machine.others()
            unwritten: str | None = None
            try:
                with runner.bar(title) as progress:
                    worker.run(path, job, progress, machine.descriptors())
                journal.beside(path, (other.run_id for other in (*others, *machine.others())))
            except StoreError as error:  # a full disk, say
                unwritten = str(error)
            finally:
                run = measured.keep(path, chosen.runs, unwritten)  # after Ctrl-C too
            failed += run.status in runner.BAD
            _tell(run, chosen.runs)
    return 1 if failed else 0


def _precision(asked: str, plan: Plan) -> Precision:
    """The number format; of a workload that is no network, `bf16` and `fp16` mean all of its numbers."""
    chosen = PRECISIONS[asked]
    pure = {Precision.AMP_BF16: Precision.BF16, Precision.AMP_FP16: Precision.FP16}.get(chosen, chosen)
    return pure if chosen not in plan.precisions and pure in plan.precisions else chosen


def _command() -> str:
    """The command line as typed, less folders of this machine."""
    words = sys.argv[1:]
    shown = [
        word if "/" not in word and before not in {"--data-dir", "--runs"} else "DIR"
        for before, word in zip(["", *words], words, strict=False)
    ]
    return "python -m kernels " + " ".join(shown)


def _tell(run: Run, runs: Path) -> None:
    """What a run came to: its figures, its doubts, its file."""
    _print(show.table([show.row(run)]))
    if run.status_detail:
        _print(f"  {run.status}: {run.status_detail}")
    for doubt in run.doubts:
        _print(f"  doubt: {checks.say(doubt)}")
    _print(f"  recorded in {runs / 'measured' / f'{run.run_id}.parquet'}")


def _import(chosen: argparse.Namespace) -> int:
    importer = FORMATS[chosen.format]
    if chosen.path is None:
        return _template(chosen)
    if not chosen.path.exists():
        raise StoreError(f"{chosen.path} is not there: give the path of what you want to import")
    common = {"name", "format", "path", "runs", "dry_run", "jobs", "command", "template"}
    parts = list(importer.parts(chosen.path, {name: value for name, value in vars(chosen).items() if name not in common}))
    counts: Counter[str] = Counter()
    found = importing.outcomes(chosen.format, parts, chosen.jobs or system.usable_cores())
    with closing(found), tqdm(found, total=len(parts), desc=f"importing {chosen.format}", unit=" parts", leave=False, disable=None) as bar:
        for part, outcome in bar:
            bar.set_postfix_str(part.name[-40:])
            if isinstance(outcome, SourceError):
                counts["refused"] += 1
                _aside(f"refused: {outcome}")
                continue
            counts["refused"] += len(outcome.refused)
            for doubt in outcome.doubts:
                _aside(f"doubt: {doubt}")
            for refusal in outcome.refused:
                _aside(f"refused: {refusal}")
            for kept in importing.keep(outcome, chosen.runs, dry=chosen.dry_run):
                counts[kept.change] += 1
                counts["runs"] += len(outcome.runs) if kept.kind == "run" else 0
                fresh = f", {kept.fresh} new or changed" if kept.fresh not in (0, kept.records) else ""
                tqdm.write(f"{kept.path}: {kept.records} {kept.kind} records{fresh}, {kept.change}", file=sys.stdout)
            counts["doubts"] += len(outcome.doubts)
    said = ", ".join(f"{counts[change]} {change}" for change in importing.Change if counts[change])
    _print(f"{counts['runs']} runs of {len(parts)} parts; files: {said or 'none'}; {counts['doubts']} doubts, {counts['refused']} refused")
    return 1 if counts["refused"] else 0


def _template(chosen: argparse.Namespace) -> int:
    """Write an example of the format, for formats that have one."""
    template = getattr(FORMATS[chosen.format], "TEMPLATE", None)
    if template is None or not getattr(chosen, "template", False):
        also = " or --template" if template is not None else ""
        raise runner.UsageError(f"{chosen.format}: no PATH; give the file or folder to read{also}")
    _print(template.rstrip("\n"))
    return 0


def _aside(text: str) -> None:
    """A line to whoever waits, above the progress bar."""
    tqdm.write(text, file=sys.stderr)


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
        raise StoreError(f"{', '.join(unknown)}: no such run below {chosen.runs}; `show` without an id lists all")
    runs = [known[name] for name in chosen.run] or list(archive.runs)
    if chosen.json:
        _print(json.dumps({"schema_version": SCHEMA_VERSION, "records": [show.record(run) for run in runs]}, indent=1))
    else:
        _print(show.table([show.row(run) for run in runs]) if runs else f"no runs below {chosen.runs}")
    return 0


def _compare(chosen: argparse.Namespace) -> int:
    archive = _archive(chosen.runs)
    a, b = (compare.choose(archive.runs, words) for words in (chosen.a, chosen.b))
    unlike = compare.unlike(a, b)
    if unlike and not chosen.anyway:
        raise StoreError(f"these are not alike ({'; '.join(unlike)}): compare like with like, or say --anyway")
    found = compare.compare(a, b)
    others, efficiency = compare.differences(a, b), compare.scaling(a, b)
    if chosen.json:
        records = [asdict(each) for each in found]
        _print(json.dumps({"unlike": unlike, "differences": others, "scaling_efficiency": efficiency, "records": records}, indent=1))
        return 0
    rows = [
        (each.metric, show.side(each.a, each.unit), show.side(each.b, each.unit), show.ratio(each), each.answer.replace("_", " "))
        for each in found
    ]
    _print(show.table(rows, ("metric", "A", "B", "A over B", "A is")))
    for each in (each for each in found if each.reason):
        _print(f"  {each.metric}: {each.reason}")
    for line in (*unlike, *others):
        _print(f"  differs in {line}")
    if efficiency is not None:
        _print(f"  scaling efficiency {efficiency:.1%}: throughput of N processes over N times that of one")
    return 0


def _check(chosen: argparse.Namespace) -> int:
    findings = checks.check(store.read(chosen.runs))
    errors = sum(finding.severity is checks.Severity.ERROR for finding in findings)
    if chosen.json:
        _print(json.dumps({"records": [asdict(finding) for finding in findings]}, indent=1))
    else:
        for finding in findings:
            _print(str(finding))
        _print(f"{errors} errors, {len(findings) - errors} warnings")
    return 1 if errors else 0


def _recover(chosen: argparse.Namespace) -> int:
    if not chosen.runs.is_dir():
        raise StoreError(f"{chosen.runs} is no folder: give the one with the recorded runs")
    folder = chosen.runs / journal.FOLDER
    refused = 0
    for path in sorted(folder.glob("*.jsonl")):
        try:
            if journal.is_stump(path):
                journal.discard(path)
                _print(f"{path.stem}: had not begun")
                continue
            events = journal.read(path)
            if journal.alive(events):
                _print(f"{path.stem}: is running")
                continue
            run = measured.keep(path, chosen.runs)
            _print(f"{run.run_id}: recovered as {run.status}, {len(run.steps)} steps, {len(run.evaluations)} evaluations")
        except TouchstoneError as error:
            refused += 1
            _say(f"error: {error}")
    if not folder.is_dir() or not any(folder.glob("*.jsonl")):
        _print("nothing is left to recover")
    return 1 if refused else 0


def _withdraw(chosen: argparse.Namespace) -> int:
    run = next((run for run in _archive(chosen.runs).runs if run.run_id == chosen.run), None)
    if run is None:
        raise StoreError(f"{chosen.run}: no such run below {chosen.runs}; `show` lists all")
    if run.withdrawn is not None:
        raise StoreError(f"{chosen.run} is withdrawn already: {run.withdrawn}")
    path = chosen.runs / "withdrawn" / f"{chosen.run}.parquet"
    store.write(path, [Withdrawal(chosen.run, chosen.why, datetime.now(UTC).date())])
    _print(f"{chosen.run} is withdrawn; {path} says so, delete it to take that back")
    return 0


def _score(chosen: argparse.Namespace) -> int:
    found = scores(_archive(chosen.runs).runs)
    if chosen.json:
        _print(json.dumps({"schema_version": SCHEMA_VERSION, "note": UNVERIFIED, "records": [asdict(each) for each in found]}, indent=1))
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
        show.table(rows, ("source", "system", "workload", "converged", "score", "verdict")) if rows else "no MLPerf submissions recorded"
    )
    if rows:
        _print(f"scores {UNVERIFIED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
