"""`python -m kernels recover`: journals that a crash left become runs, and of damaged files is
said, or done, what can be saved.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from kernels import store
from kernels.analysis import summary
from kernels.cli.command import runs_option, say, warn
from kernels.errors import StoreError, TouchstoneError
from kernels.harness import journal
from kernels.harness import recover as measured
from kernels.store import ADDED_ONLY, Problem, lock, salvage


def options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    runs_option(parser)


def main(chosen: argparse.Namespace) -> int:
    """Go through journals, then through damaged files; the exit status is 1 where one of them stays
    as it is.

    Raises:
        StoreError: The folder is not there.
    """
    if not chosen.runs.is_dir():
        raise StoreError(f"{chosen.runs} is no folder: give the one with the recorded runs")
    refused = sum(
        not _kept(path, chosen) for path in sorted((chosen.runs / journal.FOLDER).glob("*.jsonl"))
    )
    left = sum(not _saved(problem, chosen) for problem in _files(store.read(chosen.runs).problems))
    if not left and not any((chosen.runs / journal.FOLDER).glob("*.jsonl")):
        say("nothing is left to recover")
    return 1 if refused or left else 0


def _kept(path: Path, chosen: argparse.Namespace) -> bool:
    """Make a run of a journal; False where that cannot be done."""
    try:
        if journal.is_stump(path):
            journal.discard(path)
            say(f"{path.stem}: had not begun")
            return True
        events = journal.read(path)
        if journal.alive(events):
            say(f"{path.stem}: is running")
            return True
        say(summary.recovered(measured.keep(path, chosen.runs)))
    except TouchstoneError as error:
        warn(f"error: {error}")
        return False
    return True


def _files(problems: tuple[Problem, ...]) -> Iterator[Problem]:
    """One problem of each recorded file."""
    yield from {
        problem.path: problem
        for problem in problems
        if problem.path.suffix == ".parquet" and problem.path.is_file()
    }.values()


def _saved(problem: Problem, chosen: argparse.Namespace) -> bool:
    """Restore a damaged file, or say what is left of it; True where it is whole, or is wrong in a
    way that `check` names.
    """
    path = problem.path
    try:
        with lock.writing(chosen.runs, path):
            found = salvage.save(path)
    except (OSError, StoreError) as error:
        warn(f"error: {path}: {error}")
        return False
    if found is None:
        return True
    if found.restored:
        say(
            f"{path}: one bit had flipped; it is again what was recorded, as its SHA-256 proves, "
            f"and what it was is {found.beside}"
        )
        return True
    warn(f"error: {problem}")
    if found.beside is None:
        warn("  nothing of it can be read")
    else:
        columns = (
            f"columns {', '.join(found.lost)} cannot be read; the others"
            if found.lost
            else "all columns"
        )
        warn(
            f"  {columns} of {found.rows} rows are in {found.beside}, to be looked at: nothing "
            "proves that they are right"
        )
    warn(f"  {_again(path, chosen.runs)}")
    return False


def _again(path: Path, runs: Path) -> str:
    """Returns how the whole file can be had again."""
    folder = path.parent.name
    if folder in ADDED_ONLY:
        return "only a copy has it whole: bring it back from git or a backup"
    aside = f"mv {path} {path}{salvage.DAMAGED}"
    sources = [
        each.name for each in (runs / "sources").glob("*") if path.name.startswith(f"{each.name}-")
    ]
    if folder == "published" and sources:
        return (
            f"it can be made again whole: {aside}, then python -m kernels import article "
            f"{runs / 'sources' / max(sources, key=len)}"
        )
    return (
        f"bring it back from git or a backup; without a copy: {aside}, then import again all that "
        "was imported into it, since what is not "
        "imported again is lost"
    )
