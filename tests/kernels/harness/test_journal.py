"""A journal: what a crash leaves is read and makes a run, what is no journal is refused."""

import errno
import json
from collections.abc import Iterator
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import store
from kernels.errors import MeasureError, StoreError
from kernels.harness import journal, recover
from kernels.harness.journal import Journal
from kernels.records import Environment, Epoch, Evaluation, Phase, Status, Step
from kernels.store import packs
from tests import full_disk
from tests.examples import tried
from tests.kernels import own_runs

JOB = replace(own_runs.JOB, system="toy", threads=1)


def written(folder: Path, *, end: bool = True) -> Path:
    """A journal of two epochs of 25 steps each."""
    path = journal.create(folder, JOB, Environment(os="Toy OS"))
    book = Journal(path, clock=lambda: 0.0)
    book.write(
        "environment",
        environment={"threads": 1},
        extra={"peak_memory_of": "toy"},
        software={"torch": "9.9"},
        settings={"momentum": "0.9"},
    )
    for epoch in range(2):
        for index in range(25 * epoch, 25 * epoch + 25):
            phase = Phase.COMPILE if index == 0 else Phase.MEASURE if epoch else Phase.WARMUP
            book.step(Step(index, phase, index * 0.1, 0.1, epoch))
        book.epoch(Epoch(epoch, 1600, epoch * 3.0, 2.5, 0.5, 0.1, 1.0, 0.0))
        value, seen, time = 0.5 + 0.48 * epoch, 1600 * (epoch + 1), epoch * 3.0 + 3
        book.evaluation(
            Evaluation("top1", value, epoch + 1.0, None, seen, None, time, epoch * 2.5 + 2.5)
        )
    if end:
        how: dict[str, Any] = {"status": "ok", "stop_reason": "epochs_done", "detail": None}
        book.write("end", **how, peak_memory_bytes=5, foreign_cores=0.5)
    book.close()
    return path


def test_a_journal_becomes_a_run(tmp_path: Path) -> None:
    """Steps, curve, figures, environment and the doubt about the neighbour, all from its lines."""
    run = recover.run_of(journal.read(written(tmp_path)))

    assert run.status == Status.OK
    assert len(run.steps) == 50
    assert len(run.epochs) == 2
    assert len(run.evaluations) == 2
    assert run.value("epochs_to_target@0.97") == 2
    assert run.environment and (run.environment.os, run.environment.threads) == ("Toy OS", 1)
    assert "other_load" in [doubt.code for doubt in run.doubts]
    assert (run.framework_version, run.seed) == ("9.9", 3)


def test_a_journal_without_an_end_is_an_unfinished_run(tmp_path: Path) -> None:
    """Everything that was written is kept; what was not reached is null for that reason."""
    run = recover.run_of(journal.read(written(tmp_path, end=False))[:-1])

    assert run.status is Status.UNFINISHED
    assert len(run.steps) == 50
    missed = run.metric("epochs_to_target@0.97")
    assert missed is not None and (missed.value, missed.status) == (None, Status.UNFINISHED)


def test_steps_that_wait_are_written_when_asked_for(tmp_path: Path) -> None:
    """As before an evaluation: a kill in it loses none, though no second has passed."""
    path = journal.create(tmp_path, JOB, Environment())
    book = Journal(path, clock=lambda: 0.0)
    book.step(Step(0, Phase.COMPILE, 0.0, 0.1, 0))
    waiting = journal.read(path)

    book.flush()

    assert [event["event"] for event in waiting] == ["start"]
    assert [event["event"] for event in journal.read(path)] == ["start", "steps"]
    book.close()


class Disk:
    """A file on a disk that has room for so many bytes."""

    def __init__(self, file: FileIO, free: int) -> None:
        self._file = file
        self.free = free

    def write(self, data: memoryview) -> int:
        """As much as fits; nothing fits: ENOSPC."""
        if not self.free:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._file.write(data[: self.free])
        self.free -= written
        return written


@pytest.mark.parametrize("free", [0, 1, 37, 1500])
def test_a_full_disk_ends_the_run_and_what_was_written_stays(tmp_path: Path, free: int) -> None:
    """Wherever it breaks off; the run's end is the parent's to say, or where all of it is."""
    path = journal.create(tmp_path, JOB, Environment())
    book = Journal(path, clock=lambda: 0.0)
    file = book._file
    book._file = Disk(file, free)  # type: ignore[assignment]  # all that a journal asks of its file
    with pytest.raises(
        MeasureError,
        match=rf"{path}: the disk filled up .*No space left.*make room, and run it again",
    ):
        for epoch in range(30):
            book.epoch(Epoch(epoch, 1600, 0.0, 3.0, 0.5, 0.1, 1.0, 0.0))
    file.close()
    journal.append(path, "exit", status="failed", detail="the disk", stop_reason="failed")

    run = recover.run_of(journal.read(path))

    assert (run.status, run.status_detail) == (Status.FAILED, "the disk")
    assert bool(run.epochs) == (free == 1500)


def test_a_parent_without_room_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the worker wrote is there."""
    path = written(tmp_path, end=False)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(
            StoreError, match=r"cannot be written .*No space left.*is kept: make room on its disk"
        ):
            journal.append(path, "exit", status="killed", detail="signal 9", stop_reason="killed")

    assert len(recover.run_of(journal.read(path)).steps) == 50


def test_a_folder_that_cannot_be_written_to_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is measured, with what to do; a full disk leaves no stump."""
    (tmp_path / "file").touch()
    with pytest.raises(
        StoreError,
        match=r"cannot be written .*nothing was started: mend its permissions, or choose another "
        r"--runs",
    ):
        journal.create(tmp_path / "file" / journal.FOLDER, JOB, Environment())

    full_disk.after(0, monkeypatch)
    with pytest.raises(StoreError, match=r"No space left on device.*make room on its disk"):
        journal.create(tmp_path, JOB, Environment())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_readings_go_with_their_journal(tmp_path: Path) -> None:
    """The sampler's file beside it becomes the run's telemetry; both go, the journal last."""
    path = written(tmp_path / journal.FOLDER)
    clocks = {"now": 100.0, "wall": 5000.0, "implementation": "x"}
    text = path.read_text().splitlines()
    path.write_text(
        "\n".join([text[0], json.dumps({"event": "clock", "zero": 98.0, **clocks}), *text[1:]])
        + "\n"
    )
    head = {
        "event": "start",
        "version": 1,
        "hz": 10.0,
        "quantities": ["power_w"],
        "sources": {"0": "toy"},
        "missing": {"0": {"fan": "none"}},
    }
    rows = [[98.0 + tick / 10, 0, 50.0] for tick in range(60)]
    lines = [
        {**head, "clocks": clocks},
        {"event": "readings", "rows": rows, "cpu_s": 0.01, "wall_s": 6.0},
    ]
    path.with_suffix(".telemetry").write_text(
        "\n".join(map(json.dumps, lines)) + '\n{"event": "readi'
    )

    run = recover.keep(path, tmp_path)

    assert len(run.telemetry) == 60 and run.telemetry[10].time_s == pytest.approx(1.0)
    assert run.value("mean_power_w") == pytest.approx(50.0)
    assert run.extra["telemetry_missing_fan"] == "none"
    assert store.read(tmp_path).runs[0].telemetry == run.telemetry
    assert not list((tmp_path / journal.FOLDER).iterdir())


def test_steps_are_on_the_disk_after_a_second(tmp_path: Path) -> None:
    """Nothing within the second, all of it once it has passed."""
    ticks: Iterator[float] = iter([0.0, 0.5, 1.5, 1.5, 1.5])
    path = journal.create(tmp_path, JOB, Environment())
    book = Journal(path, clock=lambda: next(ticks))

    book.step(Step(0, Phase.COMPILE, 0.0, 0.1))
    before = len(journal.read(path))
    book.step(Step(1, Phase.MEASURE, 0.1, 0.1))
    after = journal.read(path)
    book.close()

    assert before == 1
    assert len(after[1]["rows"]) == 2


@settings(max_examples=tried(60))
@given(st.floats(0, 1))
def test_a_journal_cut_anywhere_gives_a_run_or_a_clear_refusal(
    tmp_path: Path, share: float
) -> None:
    """Whatever byte the crash came at; and never a run that claims to have ended well."""
    (tmp_path / f"{JOB.run_id}.jsonl").unlink(missing_ok=True)
    path = written(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])

    try:
        run = recover.run_of(journal.read(path))
    except StoreError as error:
        assert "not a journal" in str(error)
    else:
        assert (
            run.status
            is (
                Status.OK
                if b'"event": "end"' in path.read_bytes() and share == 1
                else Status.UNFINISHED
            )
            or share > 0.99
        )


@given(st.binary(max_size=300), st.integers(0, 8))
def test_no_bytes_crash_the_reader(tmp_path: Path, noise: bytes, line: int) -> None:
    """Noise in place of a line is a refusal that names the run, or is passed over."""
    (tmp_path / f"{JOB.run_id}.jsonl").unlink(missing_ok=True)
    path = written(tmp_path)
    lines = path.read_bytes().splitlines()
    lines[min(line, len(lines) - 1)] = noise
    path.write_bytes(b"\n".join(lines))

    try:
        recover.run_of(journal.read(path))
    except StoreError as error:
        assert str(error)


def test_the_parents_word_goes_behind_a_line_that_was_cut(tmp_path: Path) -> None:
    """A half-written line does not swallow the exit that follows it."""
    path = written(tmp_path, end=False)
    path.write_bytes(path.read_bytes()[:-20])

    journal.append(path, "exit", status="killed", detail="signal 9", stop_reason="killed")

    assert recover.run_of(journal.read(path)).status is Status.KILLED


def test_a_journal_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    """The file, the version found and the one wanted."""
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"event": "start", "version": 99, "job": {}}) + "\n")

    with pytest.raises(StoreError, match="version 99, wanted 1"):
        journal.read(path)


def test_the_owner_of_a_fresh_journal_is_alive(tmp_path: Path) -> None:
    """This very process; one that never was is not."""
    events = journal.read(written(tmp_path))

    assert journal.alive(events)
    assert not journal.alive([{"event": "start", "owner": {"pid": 2**22 - 7, "created": 0.0}}])
    assert not journal.alive([{"event": "start"}])


def test_keeping_a_journal_twice_records_once(tmp_path: Path) -> None:
    """A crash between file and journal leaves both; the next recovery removes the journal."""
    path = written(tmp_path / journal.FOLDER)
    text = path.read_text()

    recover.keep(path, tmp_path)
    first = (tmp_path / "measured" / f"{JOB.run_id}.parquet").read_bytes()
    path.write_text(text)
    recover.keep(path, tmp_path)

    assert not path.exists()
    assert (tmp_path / "measured" / f"{JOB.run_id}.parquet").read_bytes() == first
    assert store.read(tmp_path).runs[0].run_id == JOB.run_id


def test_a_journal_of_a_packed_run_is_only_removed(tmp_path: Path) -> None:
    """The crash between writing and removing may be found after the run was packed with others."""
    path = written(tmp_path / journal.FOLDER)
    text = path.read_text()
    run = recover.keep(path, tmp_path)
    store.write(tmp_path / "measured" / "other.parquet", [replace(run, run_id="other")])
    assert [each.runs for each in packs.pack(tmp_path / "measured", [])] == [2]

    path.write_text(text)
    recover.keep(path, tmp_path)

    assert not path.exists()
    assert [each.name.startswith("packed-") for each in (tmp_path / "measured").iterdir()] == [True]
