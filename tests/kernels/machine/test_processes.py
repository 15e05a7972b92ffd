"""A process is known again by its number and its start, whatever the calendar says meanwhile."""

import os
import subprocess
import sys

import psutil
import pytest

from kernels.machine import processes


def test_this_process_runs_and_another_of_its_number_does_not() -> None:
    """The number may have gone to another; a line without a start, or none, is nobody's."""
    said = processes.identity()

    assert processes.runs(said)
    assert not processes.runs(said | {"ticks": 1, "created": 0.0})
    assert not processes.runs({"pid": said["pid"]}) and not processes.runs({})


@pytest.mark.skipif(
    processes.ticks(os.getpid()) is None,
    reason="this system has no /proc that says when a process started",
)
def test_setting_the_clock_ends_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour's correction moves the calendar's start; a run that goes on is not dead."""
    said = processes.identity()
    moved = psutil.Process().create_time() + 3600.0
    monkeypatch.setattr(psutil.Process, "create_time", lambda _: moved)

    assert processes.runs(said)


def test_a_process_that_ended_does_not_run_though_nobody_waited_for_it() -> None:
    """Its number stays taken until then."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    said = {
        "pid": child.pid,
        "created": psutil.Process(child.pid).create_time(),
        "ticks": processes.ticks(child.pid),
    }
    before = processes.runs(said)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    after = processes.runs(said)
    child.communicate()

    assert before and not after
