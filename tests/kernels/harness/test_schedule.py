"""A suite on a machine: what is run, its order, what is recorded, time and room."""

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kernels import catalog, store
from kernels.backends.base import Device, Probe
from kernels.errors import StoreError
from kernels.harness import journal, recover, schedule, suites
from kernels.harness.schedule import Basis, Known, Schedule
from kernels.harness.spec import Job
from kernels.harness.suites import Line, Size, Suite
from kernels.records import Environment, Metric, Precision, Run, Status, Withdrawal

NOTHING = Known((), {})
LATER = datetime(9999, 1, 1, tzinfo=UTC)
DIGITS = Line("digits_cnn", {"seeds": [0, 1], "epochs": 3}, 2.0)
MATMUL = Line("matmul", {"operation_size": [64, 128], "repeats": 2, "budget": 5}, None)
BESIDE: Mapping[str, Any] = {
    "device": "cpu",
    "threads": 1,
    "telemetry": None,
    "timeout": None,
    "processes": 1,
}


def found(backend: str) -> Probe:
    """A processor that knows two formats; no JAX."""
    if backend == "jax":
        return Probe("jax", None, missing="No module named 'jax'")
    return Probe(
        backend,
        "9.9",
        (Device("cpu", None, None, (Precision.FP32, Precision.BF16, Precision.AMP_BF16)),),
    )


def laid_out(
    *lines: Line,
    before: Known = NOTHING,
    since: datetime | None = None,
    runs: Path = Path("nowhere"),
    size: str = "small",
) -> Schedule:
    """The toy suite of these lines."""
    sizes = {size: Size(size, "anybody", (), lines)}
    toy = Suite("toy", "toys", None, None, sizes)
    return of(toy, size, runs=runs, before=before, since=since)


def of(suite: Suite, size: str, beside: Mapping[str, Any] = BESIDE, **given: Any) -> Schedule:
    """A suite in one of its sizes."""
    usual: dict[str, Any] = {"runs": Path("nowhere"), "probe": found, "before": NOTHING}
    return schedule.schedule(
        suite, suite.sizes[size], beside, catalogue=catalog.load(), **usual | given
    )


def ended(job: Job, status: Status = Status.OK, **fields: Any) -> Run:
    """The run that a job came to, in 7 seconds."""
    told: dict[str, Any] = {
        "event": "environment",
        "environment": {},
        "extra": {},
        "software": {job.backend: "9.9"},
        "settings": {"momentum": "0.9"},
    }
    events: list[dict[str, Any]] = [
        {"event": "start", "job": asdict(job), "environment": {}},
        told,
        {"event": "end", "status": status, "detail": None},
    ]
    return replace(recover.run_of(events), wall_time_s=7.0, **fields)


def test_rounds_hold_every_configuration_once() -> None:
    """First seeds of all lines first, in random order, each named with suite and size."""
    half = replace(MATMUL, given={"operation_size": [64, 128], "precision": "bf16", "budget": 5})
    planned = laid_out(DIGITS, MATMUL, half)
    jobs = [item.job for item in planned.items]

    assert len(jobs) == 8
    rounds = [max(job.repeat_index, job.seed) for job in jobs]
    assert rounds == sorted(rounds) and len({job.run_id for job in jobs}) == len(jobs)
    assert {(job.suite, job.suite_size) for job in jobs} == {("toy", "small")}


def test_what_cannot_be_run_is_left_with_its_reason() -> None:
    """A number format, a backend, a data set, a folder that are not there; the rest is laid out."""
    lines = (
        Line("cnn10", {"data": "synthetic_device", "precision": "amp_fp16"}, None),
        Line("matmul", {"backend": "jax"}, None),
        Line("resnet50", {"data": "real"}, None),
        DIGITS,
    )

    planned = laid_out(*lines)

    assert [item.job.workload for item in planned.items] == ["digits_cnn", "digits_cnn"]
    assert [each.label for each in planned.left] == [
        "cnn10 data=synthetic_device precision=amp_fp16",
        "matmul backend=jax",
        "resnet50 data=real",
    ]
    reasons = [each.reason for each in planned.left]
    assert (
        "cpu can do fp32, bf16, amp_bf16" in reasons[0]
        and "No module named 'jax'" in reasons[1]
        and "--data-dir DIR" in reasons[2]
    )


def test_a_data_set_that_is_absent_is_left_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What to type to have it."""
    monkeypatch.setenv("TOUCHSTONE_DATA", str(tmp_path))

    (left,) = laid_out(Line("fashion_cnn", {"data": "real"}, None)).left

    assert "python -m kernels data fetch fashion-mnist" in left.reason


def test_what_is_recorded_is_not_run_again() -> None:
    """Of the same suite, size, configuration, seed, system, software; failures do not count."""
    first = laid_out(DIGITS)
    zero, one = (item.job for item in first.items)

    def left(run: Run, **asked: Any) -> list[int]:
        return [item.job.seed for item in laid_out(DIGITS, before=Known((run,), {}), **asked).open]

    assert left(ended(zero)) == [1]
    assert left(ended(one, Status.NOT_CONVERGED)) == [0]
    assert left(ended(zero, Status.OOM, framework_version=None)) == [1]
    assert left(ended(zero, Status.KILLED)) == [0, 1]
    assert left(ended(zero, framework_version="9.8")) == [0, 1]
    assert left(ended(zero, system="other")) == [0, 1]
    assert left(ended(zero), size="smoke") == [0, 1]
    assert left(ended(replace(zero, epochs=4))) == [0, 1]
    assert left(ended(replace(zero, suite=None))) == [0, 1]
    assert left(ended(zero), since=LATER) == [0, 1]


def test_measuring_again_makes_another_repetition() -> None:
    """Told apart from those recorded; what was recorded since it began is not run again."""
    first = laid_out(DIGITS).items[0].job
    pairs = [ended(item.job) for item in laid_out(MATMUL).items]

    digits = laid_out(DIGITS, before=Known((ended(first),), {}), since=LATER)
    matmul = laid_out(MATMUL, before=Known(tuple(pairs), {}), since=LATER)
    fresh = replace(ended(matmul.items[0].job), started_at=LATER + timedelta(minutes=1))
    going_on = laid_out(MATMUL, before=Known((*pairs, fresh), {}), since=LATER)

    assert sorted((item.job.seed, item.job.repeat_index) for item in digits.items) == [
        (0, 1),
        (1, 0),
    ]
    assert sorted((item.job.size or 0, item.job.repeat_index) for item in matmul.items) == [
        (64, 2),
        (64, 3),
        (128, 2),
        (128, 3),
    ]
    assert [item.label for item in going_on.open] == [item.label for item in matmul.items[1:]]


@pytest.mark.parametrize("name", suites.names())
def test_no_two_runs_of_a_suite_read_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a size, on a machine that can do all of it; what makes the difference is said."""
    monkeypatch.setattr("kernels.machine.system.usable_cores", lambda: 8)
    monkeypatch.setattr("kernels.datasets.require", lambda _: None)
    able = Probe("torch", "9.9", (Device("cpu", None, None, tuple(Precision)),))
    wanted = suites.load(name)
    beside = {**BESIDE, "threads": None}
    for size in wanted.sizes.values():
        planned = of(wanted, size.name, beside, probe=lambda _: able)
        labels = [item.label for item in planned.items]

        # which may want folders of data that only the user has
        assert labels or size.name == "full"
        assert sorted(set(labels)) == sorted(labels)


def test_threads_are_said_where_the_suite_says_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """And they are not what the machine would take."""
    monkeypatch.setattr("kernels.machine.system.usable_cores", lambda: 2)
    threads = [
        Line("matmul", {"batch_size": [1], "operation_size": [64], "threads": count}, None)
        for count in (1, 2)
    ]

    labels = {item.label for item in laid_out(*threads).items}

    assert labels == {
        "matmul, batch 1, fp32, size 64, 1 thread, seed 0",
        "matmul, batch 1, fp32, size 64, seed 0",
    }


def test_a_run_keeps_suite_and_size() -> None:
    """As settings, which the site shows; the configuration is the same for every seed."""
    zero, one = (ended(item.job) for item in laid_out(DIGITS).items)

    assert {(setting.name, setting.value) for setting in zero.settings} == {
        ("momentum", "0.9"),
        ("suite", "toy"),
        ("suite_size", "small"),
    }
    assert zero.environment is not None and one.environment is not None
    assert zero.environment.extra == one.environment.extra
    assert (
        "workload=digits_cnn" in zero.environment.extra[-1].value
        and "seed" not in zero.environment.extra[-1].value
    )


def estimate(line: Line, *runs: Run) -> tuple[Any, Basis]:
    """What is said of its first run, less the start."""
    item = laid_out(line, before=Known(runs, {run.run_id: 1000 for run in runs})).items[0]
    return None if item.seconds is None else item.seconds - schedule.START_S, item.basis


def test_time_rests_on_the_best_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its runs by epochs; else its throughput; else other machines by cores; else the budget."""
    monkeypatch.setattr("kernels.machine.system.usable_cores", lambda: 4)
    job = replace(laid_out(DIGITS).items[0].job, suite=None, suite_size=None)
    here = ended(replace(job, epochs=6))
    rate = Metric("throughput_images_per_s", 1437.0, "images/s")
    other = ended(replace(job, batch_size=32), metrics=(rate,))

    assert estimate(DIGITS, here, other) == (pytest.approx(3.5), Basis.RECORDED)
    assert estimate(DIGITS, other) == (pytest.approx(3 * schedule.EVALUATING), Basis.RATE)
    assert estimate(DIGITS) == (pytest.approx(1.0), Basis.OTHER_MACHINE)
    assert estimate(replace(DIGITS, seconds=None)) == (None, Basis.NOTHING)
    assert estimate(MATMUL) == (5.0, Basis.BUDGET)
    assert estimate(replace(MATMUL, given={})) == (180.0, Basis.BUDGET)


def test_the_estimate_holds_on_a_slow_machine() -> None:
    """30 s to start, steps eight times as long: it ends within 1.5 times what was said."""
    quick = suites.load("quick")
    now = iter([0.0, 12.0])  # what the backend took to answer
    planned = of(quick, "small", clock=lambda: next(now))
    # A run with a budget goes on for half of it more, where steps are long; one without takes eight
    # times the suite's second.
    took = [
        (item, 30.0 + (8.0 if item.job.budget_s is None else 1.5 * item.job.budget_s))
        for item in planned.open
    ]
    whole = sum(seconds for _, seconds in took)

    assert planned.start_s == 30.0 and len(took) == 10
    said = [
        sum(seconds for _, seconds in took[:n]) + schedule.left(took[:n], planned.open[n:])
        for n in range(10)
    ]
    assert said[0] == planned.seconds
    assert all(whole / 1.5 <= each <= whole * 1.5 for each in said)


def test_what_is_left_goes_by_what_was_seen() -> None:
    """The first runs tell: digits by digits, the others by all that ended."""
    planned = laid_out(DIGITS, MATMUL)
    digits, *more = sorted(planned.open, key=lambda item: item.job.workload)
    done = [(digits, 10 * (digits.seconds or 0.0))]

    assert schedule.left([], planned.open) == pytest.approx(planned.seconds)
    assert schedule.left(done, more) == pytest.approx(
        10 * sum(item.seconds or 0.0 for item in more)
    )
    both = [
        *done,
        *((item, 2 * (item.seconds or 0.0)) for item in more if item.job.workload == "matmul"),
    ]
    (last,) = (item for item in more if item.job.workload == "digits_cnn")
    assert schedule.left(both, [last]) == pytest.approx(10 * (last.seconds or 0.0))
    assert schedule.left(done, [replace(last, seconds=None)]) == pytest.approx(done[0][1])
    assert schedule.left([], [replace(last, seconds=None)]) == 0.0


def test_a_full_disk_is_said_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With what is free and what is wanted; a suite that is done wants nothing."""
    planned = laid_out(DIGITS)
    assert schedule.refuse_small_disk(planned, tmp_path / "runs") is not None

    monkeypatch.setattr(schedule, "free_bytes", lambda _: 3_000_000)

    with pytest.raises(
        StoreError,
        match=r"3 MB are free and 50 MB are wanted for 2 runs; nothing was started: make room",
    ):
        schedule.refuse_small_disk(planned, tmp_path / "runs")
    assert schedule.refuse_small_disk(replace(planned, items=()), tmp_path) == 3_000_000


def test_journals_of_the_suite_are_recovered_and_no_others(tmp_path: Path) -> None:
    """Nor one whose command is still at it."""
    jobs = [item.job for item in laid_out(DIGITS, runs=tmp_path).items]
    alone = replace(jobs[0], run_id="alone", suite=None, suite_size=None)
    for job in (jobs[0], alone):
        path = journal.create(tmp_path / "journals", job, Environment())
        # of a command that is gone
        path.write_text(path.read_text().replace(f'"pid": {os.getpid()}', '"pid": 999999999'))
    journal.create(tmp_path / "journals", jobs[1], Environment())
    (tmp_path / "journals" / "broken.jsonl").write_text("[]\n")

    runs, wrong = schedule.recover(tmp_path, "toy", "small")

    assert [(run.run_id, run.status) for run in runs] == [(jobs[0].run_id, Status.UNFINISHED)]
    assert len(wrong) == 1 and "broken.jsonl" in wrong[0]
    assert [run.run_id for run in schedule.known(tmp_path).runs] == [jobs[0].run_id]


def test_a_withdrawn_run_is_not_known(tmp_path: Path) -> None:
    """So a suite measures it again."""
    run = ended(laid_out(DIGITS).items[0].job)
    store.write(tmp_path / "measured" / f"{run.run_id}.parquet", [run])
    assert schedule.known(tmp_path).sizes[run.run_id] > 1000

    store.write(
        tmp_path / "withdrawn" / "x.parquet", [Withdrawal(run.run_id, "why", date(2026, 11, 20))]
    )

    assert schedule.known(tmp_path).runs == ()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (59.6, "1 min"), (100, "1 min 40 s"), (7500, "2 h 5 min"), (9e5, "10 d 10 h")],
)
def test_times_are_written_in_their_largest_units(seconds: float, text: str) -> None:
    """Two of them, without zeros."""
    assert schedule.duration(seconds) == text


NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)


def test_a_round_is_gone_on_with_for_a_day(tmp_path: Path) -> None:
    """Until it is over; another size of the suite has its own."""
    schedule.begin_round(tmp_path, "quick", "small", NOW)

    assert schedule.round_begun(tmp_path, "quick", "small", NOW + timedelta(hours=23)) == NOW
    assert schedule.round_begun(tmp_path, "quick", "small", NOW + timedelta(hours=25)) is None
    assert schedule.round_begun(tmp_path, "quick", "smoke", NOW) is None
    schedule.end_round(tmp_path, "quick", "small")
    assert schedule.round_begun(tmp_path, "quick", "small", NOW) is None
    schedule.end_round(tmp_path, "quick", "small")


@pytest.mark.parametrize(
    "written", ["", "yesterday", "2026-11-20T17:00:00", "2026-11-20T19:00:00+00:00", "\x00"]
)
def test_nonsense_is_no_round(written: str, tmp_path: Path) -> None:
    """Empty, without a zone, or of a clock that has gone back: the round begins anew."""
    schedule.begin_round(tmp_path, "quick", "small", NOW)
    (file,) = (tmp_path / "journals").iterdir()
    file.write_text(written)

    assert schedule.round_begun(tmp_path, "quick", "small", NOW) is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A file in its place: what to do about it."""
    (tmp_path / "runs").touch()

    with pytest.raises(
        StoreError,
        match=r"quick-small\.round: cannot be written \(.*\): make room, or choose another --runs",
    ):
        schedule.begin_round(tmp_path / "runs", "quick", "small", NOW)
