"""`python -m kernels pack`: the files of one run each in `measured/` and `submitted/`, put into
files of many.
"""

import argparse
import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

from kernels.errors import StoreError
from kernels.store import ADDED_ONLY, Problem, lock, packs

SUMMARY: Final = (
    "put the files of one run in measured/ and submitted/ into files of many, row "
    "for "
    "row; thousands are slow to open"
)

Say = Callable[[str], None]


def options(parser: argparse.ArgumentParser, say: Say, warn: Say) -> None:
    """Whether to write; `say` prints a line of the answer, `warn` one about a file that stays as it
    is.
    """
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be packed, write and delete nothing"
    )
    parser.set_defaults(say=say, warn=warn)


def pack(chosen: argparse.Namespace) -> int:
    """Pack each folder; the exit status is 1 where a file could not be taken.

    Raises:
        StoreError: The folder is not there, a pack is damaged, or a file cannot be written.
    """
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
        chosen.say(
            json.dumps({"dry_run": chosen.dry_run, "records": records, "left": left}, indent=1)
        )
        return 1 if problems else 0
    would = "would be" if chosen.dry_run else "are"
    for each in done:
        chosen.say(
            f"{each.pack}: {each.runs} runs {would} in it, and the {len(each.files)} files that "
            f"held them {would} removed"
        )
    for problem in problems:
        chosen.warn(f"left as it is: {problem}")
    if not done:
        chosen.say("nothing is left to pack")
    elif not chosen.dry_run:
        chosen.say("where these files are in git, commit the packs and the removals together")
    return 1 if problems else 0
