"""Several processes: how they are started, and which of them is named when one dies."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from kernels.harness import distributed
from kernels.records import Status
from tests.patience import PATIENCE_S, started

REPORT = """Root Cause (first observed failure):
[0]:
  time      : 2026-11-20_05:00:00
  host      : somewhere
  rank      : {rank} (local_rank: {rank})
  exitcode  : {code} (pid: 4711)
"""
START = {"event": "start"}


def end(status: Status, at: float, detail: str | None = None) -> dict[str, Any]:
    """The end that a rank writes."""
    return {"event": "end", "status": status.value, "detail": detail, "ended_s": at}


def beside(folder: Path, rank: int, *events: dict[str, Any]) -> None:
    """The journal of a rank other than 0."""
    (folder / f"rank-{rank}.jsonl").write_text(
        "".join(json.dumps(event) + "\n" for event in events) + '{"event": "st'
    )


def test_one_process_needs_no_launcher(tmp_path: Path) -> None:
    """Several are started by `torchrun`, on this machine alone."""
    alone, three = (distributed.command(tmp_path, count) for count in (1, 3))

    assert alone == [sys.executable, "-m", "kernels.harness.worker", str(tmp_path)]
    assert three[1:6] == ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "3"]


def test_each_rank_writes_its_own_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank 0 the run's, the others beside it; a RANK of somebody else's cluster is none of ours."""
    monkeypatch.setenv("RANK", "2")
    assert distributed.journal_of(tmp_path / "run.jsonl") == tmp_path / "run.jsonl"

    monkeypatch.setenv(distributed.FOLDER, str(tmp_path))
    assert distributed.journal_of(tmp_path / "run.jsonl") == tmp_path / "rank-2.jsonl"


@pytest.mark.parametrize(
    ("first", "second", "said", "wanted"),
    [
        (end(Status.OK, 9.0), end(Status.OK, 9.0), "", None),
        (end(Status.OK, 9.0), end(Status.FAILED, 9.5, "lost its partner"), "", None),
        (
            end(Status.FAILED, 5.0, "lost its partner"),
            end(Status.OOM, 4.0, "phase train"),
            "",
            (Status.OOM, "rank 1: phase train"),
        ),
        (
            end(Status.FAILED, 3.0, "no such file"),
            end(Status.FAILED, 4.0, "lost"),
            "",
            (Status.FAILED, "rank 0: no such file"),
        ),
        (
            end(Status.FAILED, 5.0, "lost"),
            None,
            REPORT.format(rank=1, code=-9),
            (Status.KILLED, "rank 1: signal 9, cause unknown"),
        ),
        (
            START,
            end(Status.FAILED, 4.0, "bad"),
            REPORT.format(rank=0, code=-15),
            (Status.FAILED, "rank 1: bad"),
        ),
        (START, None, "", None),
    ],
)
def test_the_first_to_fail_is_named(
    first: dict[str, Any],
    second: dict[str, Any] | None,
    said: str,
    wanted: tuple[Status, str] | None,
    tmp_path: Path,
) -> None:
    """Not the one that lost its partner by it; a signal comes before what the others say."""
    if second is not None:
        beside(tmp_path, 1, {"event": "steps"}, second)

    assert distributed.verdict(tmp_path, [START, first], said, lambda _: None) == wanted


@pytest.mark.parametrize(
    ("code", "limit", "wanted"),
    [
        (-9, 700, (Status.OOM, "rank 1: killed, and 700 bytes were resident")),
        (-9, 701, (Status.KILLED, "rank 1: signal 9, cause unknown")),
        (-11, 0, (Status.KILLED, "rank 1: signal 11, cause unknown")),
    ],
)
def test_a_rank_that_the_kernel_killed_ran_out_of_memory(
    code: int, limit: int, wanted: tuple[Status, str], tmp_path: Path
) -> None:
    """With evidence: the most that each rank had, added up. Another signal is no such lack."""
    beside(tmp_path, 1, *({"event": "steps", "resident_bytes": each} for each in (100, 400, 300)))
    said = REPORT.format(rank=1, code=code)
    events: list[dict[str, Any]] = [START, {"event": "steps", "resident_bytes": 300}]

    assert (
        distributed.verdict(
            tmp_path,
            events,
            said,
            lambda all_: f"{all_} bytes were resident" if all_ >= limit else None,
        )
        == wanted
    )


def test_a_launcher_is_ended_with_all_that_it_started() -> None:
    """Also with what is in a session of its own."""
    script = (
        "import subprocess, sys; c = subprocess.Popen(['sleep', '3600'], "
        "start_new_session=True); print(c.pid, flush=True); c.wait()"
    )
    with started([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        child = psutil.Process(int(process.stdout.readline()))

        distributed.kill(process)

        process.wait()
    _, alive = psutil.wait_procs([child], timeout=PATIENCE_S)
    assert not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]
