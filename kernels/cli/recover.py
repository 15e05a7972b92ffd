"""`python -m kernels recover`: makes runs of leftover journals, and says how to restore files."""

import argparse
from pathlib import Path

from kernels import store
from kernels.analysis import summary
from kernels.cli.command import runs_option, say, warn
from kernels.errors import StoreError, TouchstoneError
from kernels.harness import journal
from kernels.harness import recover as measured
from kernels.store import ADDED_ONLY


def options(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    runs_option(parser)


def main(chosen: argparse.Namespace) -> int:
    """Goes through journals, then damaged files; returns 1 if one of them remains."""
    if not chosen.runs.is_dir():
        raise StoreError(f"{chosen.runs} is no folder: give the one with the recorded runs")
    refused = sum(
        not _kept(path, chosen) for path in sorted((chosen.runs / journal.FOLDER).glob("*.jsonl"))
    )
    named = dict.fromkeys(problem.path for problem in store.read(chosen.runs).problems)
    left = [
        path
        for path in named
        if path.suffix == ".parquet" and path.is_file() and store.is_damaged(path)
    ]
    for path in left:
        warn(f"error: {path}: is damaged and stays as it is: {_again(path, chosen.runs)}")
    if not left and not any((chosen.runs / journal.FOLDER).glob("*.jsonl")):
        say("nothing is left to recover")
    return 1 if refused or left else 0


def _kept(path: Path, chosen: argparse.Namespace) -> bool:
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


def _again(path: Path, runs: Path) -> str:
    folder = path.parent.name
    if folder in ADDED_ONLY:
        return "only a copy has it whole: bring it back from git or a backup"
    aside = f"mv {path} {path}.damaged"
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
        "was imported into it, since what is not imported again is lost"
    )
