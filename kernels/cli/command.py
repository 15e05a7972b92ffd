"""Shared parts of commands: `--runs`, `--json`, and printing.

A command is a module with `main(chosen)`, which returns the exit status, and `options(parser)` if
it has other options than these two; `kernels.__main__` lists them.
"""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kernels.machine import system

if TYPE_CHECKING:
    from kernels.store import Archive

RUNS: Final = system.ROOT / "runs"

CACHE: Final = system.ROOT / ".cache" / "store"
"""Cache of packed files, shared with builds of the site."""


def runs_option(parser: ArgumentParser) -> None:
    """Add `--runs`."""
    parser.add_argument(
        "--runs",
        type=Path,
        default=RUNS,
        metavar="DIR",
        help="folder with recorded runs (default: runs/ of this checkout)",
    )


def json_option(parser: ArgumentParser, instead_of: str = "a table") -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help=f"write JSON instead of {instead_of}")


def runs_and_json(parser: ArgumentParser) -> None:
    """Add `--runs` and `--json`."""
    runs_option(parser)
    json_option(parser)


def say(text: str) -> None:
    """Prints a line of the answer."""
    print(text)  # noqa: T201 - this module is where the harness prints


def say_json(answer: object) -> None:
    """Prints an answer as JSON."""
    say(json.dumps(answer, indent=1))


def warn(text: str) -> None:
    """Prints a line on standard error."""
    print(text, file=sys.stderr)  # noqa: T201 - this module is where the harness prints


def archive(runs: Path) -> "Archive":
    """Reads the recorded files, and warns of those that cannot be read."""
    from kernels import store  # noqa: PLC0415 - arrow takes longer than most commands

    found = store.read(runs, CACHE if runs == RUNS else None)
    for problem in found.problems:
        warn(f"problem: {problem}")
    return found
