"""A journal: what a crash leaves is read, what is no journal is refused, and a run comes out of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernels import journal, measured, store
from kernels.errors import StoreError
from kernels.journal import Job, Journal
from kernels.records import DataKind, Environment, Epoch, Evaluation, Phase, Precision, Status, Step

JOB = Job(
    run_id="digits-cnn-toy-1",
    workload="digits_cnn",
    backend="torch",
    device="cpu",
    system="toy",
    accelerator="cpu-toy",
    batch_size=64,
    precision=Precision.FP32,
    data=DataKind.REAL,
    measure="convergence",
    epochs=2,
    target=0.97,
    seed=3,
    repeat_index=0,
    threads=1,
    allocator="tuned",
    started_at="2026-11-20T05:00:00+00:00",
)


def written(folder: Path, *, end: bool = True) -> Path:
    """A journal of two epochs of 25 steps each."""
    path = journal.create(folder, JOB, Environment(os="Toy OS"))
    book = Journal(path, clock=lambda: 0.0)
    book.write(
        "environment", environment={"threads": 1}, extra={"peak_memory_of": "toy"}, software={"torch": "9.9"}, settings={"momentum": "0.9"}
    )
    for epoch in range(2):
        for index in range(25 * epoch, 25 * epoch + 25):
            phase = Phase.COMPILE if index == 0 else Phase.MEASURE if epoch else Phase.WARMUP
            book.step(Step(index, phase, index * 0.1, 0.1, epoch))
        book.epoch(Epoch(epoch, 1600, epoch * 3.0, 2.5, 0.5, 0.1, 1.0, 0.0))
        book.evaluation(
            Evaluation("top1", 0.5 + 0.48 * epoch, epoch + 1.0, None, 1600 * (epoch + 1), None, epoch * 3.0 + 3, epoch * 2.5 + 2.5)
        )
    if end:
        book.write("end", status="ok", stop_reason="epochs_done", detail=None, peak_memory_bytes=5, foreign_cores=0.5)
    book.close()
    return path


def test_a_journal_becomes_a_run(tmp_path: Path) -> None:
    """Steps, curve, figures, environment and the doubt about the neighbour, all from its lines."""
    run = measured.run_of(journal.read(written(tmp_path)))

    assert (run.status, len(run.steps), len(run.epochs), len(run.evaluations)) == (Status.OK, 50, 2, 2)
    reached = run.metric("epochs_to_target@0.97")
    assert reached is not None and reached.value == 2
    assert run.environment is not None and (run.environment.os, run.environment.threads) == ("Toy OS", 1)
    assert "other_load" in [doubt.code for doubt in run.doubts]
    assert (run.framework_version, run.seed) == ("9.9", 3)


def test_a_journal_without_an_end_is_an_unfinished_run(tmp_path: Path) -> None:
    """Everything that was written is kept; what was not reached is null for that reason."""
    run = measured.run_of(journal.read(written(tmp_path, end=False))[:-1])

    assert run.status is Status.UNFINISHED
    assert len(run.steps) == 50
    missed = run.metric("epochs_to_target@0.97")
    assert missed is not None and (missed.value, missed.status) == (None, Status.UNFINISHED)


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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.floats(0, 1))
def test_a_journal_cut_anywhere_gives_a_run_or_a_clear_refusal(tmp_path: Path, share: float) -> None:
    """Whatever byte the crash came at; and never a run that claims to have ended well."""
    (tmp_path / f"{JOB.run_id}.jsonl").unlink(missing_ok=True)
    path = written(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])

    try:
        run = measured.run_of(journal.read(path))
    except StoreError as error:
        assert "not a journal" in str(error)
    else:
        assert run.status is (Status.OK if b'"event": "end"' in path.read_bytes() and share == 1 else Status.UNFINISHED) or share > 0.99


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 8))
def test_no_bytes_crash_the_reader(tmp_path: Path, noise: bytes, line: int) -> None:
    """Noise in place of a line is a refusal that names the run, or is passed over."""
    (tmp_path / f"{JOB.run_id}.jsonl").unlink(missing_ok=True)
    path = written(tmp_path)
    lines = path.read_bytes().splitlines()
    lines[min(line, len(lines) - 1)] = noise
    path.write_bytes(b"\n".join(lines))

    try:
        measured.run_of(journal.read(path))
    except StoreError as error:
        assert str(error)


def test_the_parents_word_goes_behind_a_line_that_was_cut(tmp_path: Path) -> None:
    """A half-written line does not swallow the exit that follows it."""
    path = written(tmp_path, end=False)
    path.write_bytes(path.read_bytes()[:-20])

    journal.append(path, "exit", status="killed", detail="signal 9", stop_reason="killed")

    assert measured.run_of(journal.read(path)).status is Status.KILLED


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
    """A crash between writing the file and removing the journal leaves both; the next recovery removes the journal alone."""
    path = written(tmp_path / journal.FOLDER)
    text = path.read_text()

    measured.keep(path, tmp_path)
    first = (tmp_path / "measured" / f"{JOB.run_id}.parquet").read_bytes()
    path.write_text(text)
    measured.keep(path, tmp_path)

    assert not path.exists()
    assert (tmp_path / "measured" / f"{JOB.run_id}.parquet").read_bytes() == first
    assert store.read(tmp_path).runs[0].run_id == JOB.run_id
