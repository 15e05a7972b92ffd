"""`python -m kernels pack`: merges single-run files in `measured/` and `submitted/`."""

import argparse
from contextlib import nullcontext

from kernels.cli.command import runs_and_json, say, say_json, warn
from kernels.errors import StoreError
from kernels.store import ADDED_ONLY, Problem, lock, packs


def options(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    runs_and_json(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be packed; write and delete nothing"
    )


def main(chosen: argparse.Namespace) -> int:
    """Packs each folder; returns 1 if a file could not be packed."""
    if not chosen.runs.is_dir():
        raise StoreError(f"{chosen.runs} is no folder: give the one with the recorded runs")
    problems: list[Problem] = []
    done: list[packs.Packing] = []
    for name in sorted(ADDED_ONLY):
        folder = chosen.runs / name
        with (
            nullcontext()
            if chosen.dry_run or not folder.is_dir()
            else lock.writing(chosen.runs, folder)
        ):
            done += packs.pack(folder, problems, dry=chosen.dry_run)
    if chosen.json:
        records = [
            {"pack": str(each.pack), "runs": each.runs, "files": [str(path) for path in each.files]}
            for each in done
        ]
        left = [{"path": str(problem.path), "reason": problem.reason} for problem in problems]
        say_json({"dry_run": chosen.dry_run, "records": records, "left": left})
        return 1 if problems else 0
    would = "would be" if chosen.dry_run else "are"
    for each in done:
        say(
            f"{each.pack}: {each.runs} runs {would} in it, and the {len(each.files)} files that "
            f"held them {would} removed"
        )
    for problem in problems:
        warn(f"left as it is: {problem}")
    if not done:
        say("nothing is left to pack")
    elif not chosen.dry_run:
        say("where these files are in git, commit the packs and the removals together")
    return 1 if problems else 0
