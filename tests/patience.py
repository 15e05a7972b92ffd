"""Waiting for what another process or thread does: for the event itself, since how long it takes
says how busy the machine is.
"""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

PATIENCE_S: Final = 600.0
"""After this nothing comes any more, however busy the machine: what should have happened is
broken.
"""


def wait_for(
    happened: Callable[[], bool], what: str, process: "subprocess.Popen[Any] | None" = None
) -> None:
    """Return once it has happened.

    Args:
        happened: Whether it has.
        what: Named where it never does.
        process: Whose doing it is: once that has ended there is nothing to wait for.
    """
    latest = time.monotonic() + PATIENCE_S
    while not happened():
        over = process is not None and process.poll() is not None
        if over and happened():  # it did it just before it ended
            return
        assert not over, (
            f"{what} did not happen: the process ended with status {process and process.returncode}"
        )
        assert time.monotonic() < latest, f"{what} did not happen within {PATIENCE_S:g} s"
        time.sleep(0.02)


def ended(pid: int) -> bool:
    """Whether a process is over; one that nobody has asked after yet is."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] in {"Z", "X"}


@contextmanager
def started(command: list[str], **given: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that is over at the end, whatever the test finds: one left behind would fail a test
    that knows nothing of it.

    Ctrl-C reaches it also where the tests run in the background of a shell without job control,
    which has them ignore it.
    """
    # whoever ignores it hands that on
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process: subprocess.Popen[bytes] = subprocess.Popen(command, **given)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                process.kill()
