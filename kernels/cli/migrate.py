"""`python -m kernels migrate`: rewrites files of older schema versions as of today, and prints the
changes of each.

Each file is written under another name and renamed, so a crash leaves it old or new, and the
command can be run again. Files of today's version are never touched.
"""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from kernels import store
from kernels.analysis import summary
from kernels.cli.command import runs_and_json, say, say_json
from kernels.errors import StoreError
from kernels.records import Metric, Run, Status
from kernels.store import lock
from kernels.store.schema import SCHEMA_VERSION
from kernels.units import counted


def options(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    runs_and_json(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would change; write nothing"
    )


def main(chosen: argparse.Namespace) -> int:
    """Runs the command; returns 1 if a file could not be migrated."""
    runs: Path = chosen.runs
    if not runs.is_dir():
        raise StoreError(f"{runs} is no folder: give the folder with the recorded runs by --runs")
    files = sorted(runs.rglob("*.parquet"))
    files = [path for path in files if store.RETIRED not in path.relative_to(runs).parts]
    done: list[dict[str, Any]] = []
    problems: list[str] = []
    for path in files:
        try:
            with nullcontext() if chosen.dry_run else lock.writing(runs, path):
                found = store.migrated(path, dry=chosen.dry_run)
        except StoreError as error:
            problems.append(str(error))
            continue
        if found is not None:
            done.append(_record(path.relative_to(runs), found))
            if not chosen.json:
                _tell(done[-1])
    if chosen.json:
        about = {"schema_version": SCHEMA_VERSION, "written": not chosen.dry_run}
        say_json(about | {"records": done, "problems": problems})
        return 1 if problems else 0
    for problem in problems:
        say(f"error: {problem}")
    how = "would be lifted" if chosen.dry_run else "lifted"
    left = f"of schema {SCHEMA_VERSION} or newer already: {len(files) - len(done) - len(problems)}"
    say(
        f"{counted(len(done), 'file')} {how}; {left}"
        + (f"; could not be lifted: {len(problems)}" if problems else "")
    )
    return 1 if problems else 0


def _record(path: Path, found: store.Migrated) -> dict[str, Any]:
    return {
        "file": path.as_posix(),
        "from": found.version,
        "to": SCHEMA_VERSION,
        "changes": [
            line
            for before, after in zip(found.before, found.after, strict=True)
            for line in changes(before, after)
        ],
    }


def _tell(done: Mapping[str, Any]) -> None:
    nothing = "" if done["changes"] else ", nothing else changes"
    say(f"{done['file']}: schema {done['from']} to {done['to']}{nothing}")
    for line in done["changes"]:
        say(f"  {line}")


def changes(before: object, after: object) -> Iterator[str]:
    """Yields the differences between a run as recorded and as of today, one sentence each."""
    if not isinstance(before, Run) or not isinstance(after, Run) or before == after:
        return
    now = {metric.key: metric for metric in after.metrics}
    for old in before.metrics:
        new = now.get(old.key)
        if new is None:
            yield (
                f"{before.run_id}: {old.key} was {_said(old)}, and is left out: one timed step "
                "is no measurement"
            )
        elif new != old:
            yield f"{before.run_id}: {old.key} was {_said(old)}, is {_said(new)}"
    if after.status is not before.status:
        yield (
            f"{before.run_id}: status was {before.status}, is {after.status}: {after.status_detail}"
        )
    was, are = ([warning.code for warning in run.doubts] for run in (before, after))
    for code in dict.fromkeys((*was, *are)):
        if (code in was) != (code in are):
            change = "no longer holds" if code in was else "is added"
            yield f"{before.run_id}: warning {code} {change}"


def _said(metric: Metric) -> str:
    text = summary.figure(metric)
    return text if metric.status is not Status.OK else f"{text}, {metric.stat} of {metric.n}"
