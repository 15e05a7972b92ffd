"""The commands of the harness: `python -m kernels COMMAND --help`. The only place that joins its
parts and prints.

Exit status: 0 on success, 1 on a refused input or a run that failed, 2 on wrong usage, 130 after
Ctrl-C, 143 after SIGTERM.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from types import ModuleType
from typing import Final

from kernels import disk
from kernels.cli import (
    check,
    compare,
    data,
    doctor,
    imports,
    listing,
    migrate,
    pack,
    recover,
    run,
    score,
    show,
    submit,
    withdraw,
)
from kernels.cli.command import warn
from kernels.errors import TouchstoneError
from kernels.harness import jobs, worker

COMMANDS: Final[Mapping[str, ModuleType]] = {
    "list": listing,
    "doctor": doctor,
    "run": run,
    "data": data,
    "import": imports,
    "show": show,
    "compare": compare,
    "check": check,
    "pack": pack,
    "recover": recover,
    "submit": submit,
    "withdraw": withdraw,
    "migrate": migrate,
    "score": score,
}
"""The commands, in the order of `--help`; `cli.command` says what one consists of."""


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
        warn(f"error: {error}")
        return 1
    except KeyboardInterrupt as error:
        warn("interrupted; what was recorded until now is kept")
        return 128 + (signal.SIGTERM if isinstance(error, worker.Terminated) else signal.SIGINT)
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain once more when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in disk.FULL:
            raise
        # what is recorded is put in place whole: this was on the way to it
        warn(f"error: {disk.told(error)}")
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m kernels",
        description="Runs training benchmarks, imports others' and records both.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="name")
    for name, command in COMMANDS.items():
        made = commands.add_parser(
            name,
            help=command.SUMMARY,
            description=command.SUMMARY,
            epilog=getattr(command, "EPILOG", None),
        )
        if hasattr(command, "main"):
            made.set_defaults(command=command.main)
        command.options(made)
    return parser


if __name__ == "__main__":
    sys.exit(main())
