"""A run's figures follow from its raw records; what no arithmetic can tell is said."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kernels.analysis.warnings import warnings_of
from kernels.analysis.window import ONE_STEP
from kernels.checks import submissions
from kernels.checks.records import check
from kernels.errors import Finding, Severity
from kernels.records import (
    Environment,
    Metric,
    Origin,
    Phase,
    Run,
    Sample,
    Setting,
    Stat,
    Status,
    Step,
)
from kernels.store import Archive
from tests.kernels.own_runs import a_run, submitted

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ERROR, WARNING, REVIEW = Severity.ERROR, Severity.WARNING, Severity.REVIEW


def found(*runs: Run, known: bool | None = True) -> list[Finding]:
    """What the check says of these runs."""
    return submissions.check(Archive(runs=runs), now=NOW, known=lambda _: known)


Change = Callable[[Run], Run]


def given(**fields: Any) -> Change:
    """Other fields of a run."""
    return lambda run: replace(run, **fields)


def metric(key: str, **fields: Any) -> Change:
    """Other fields of one of its figures."""
    return lambda run: replace(
        run,
        metrics=tuple(replace(each, **fields) if each.key == key else each for each in run.metrics),
    )


def steps(change: Callable[[Step], Step]) -> Change:
    """Each of its steps changed."""
    return lambda run: replace(run, steps=tuple(map(change, run.steps)))


def first(name: str, **fields: Any) -> Change:
    """Other fields of its first epoch, or of its first evaluation."""

    def change(run: Run) -> Run:
        head, *rest = getattr(run, name)
        return given(**{name: (replace(head, **fields), *rest)})(run)

    return change


def environment(**fields: Any) -> Change:
    """Other facts of its machine."""
    return lambda run: replace(run, environment=replace(run.environment or Environment(), **fields))


def ended(status: Status, detail: str) -> Change:
    """Another end."""
    return given(status=status, status_detail=detail)


def untimed(status: Status, detail: str) -> Change:
    """An end before the second timed step."""

    def change(run: Run) -> Run:
        begun = replace(run, steps=run.steps[:26], epochs=(), evaluations=(), metrics=())
        return replace(begun, wall_time_s=None, status=status, status_detail=detail)

    return change


def test_a_run_in_order_passes() -> None:
    """Ours in silence; of a stranger's what it claims, and that nothing is there beside it."""
    claims, sensors, alone, seed = (finding.text for finding in found(submitted()))

    assert found(a_run()) == check(Archive(runs=(a_run(),))) == []
    assert claims.startswith("claims throughput_images_per_s 696.3 images/s (")
    assert claims.endswith(
        "time_to_target_s 6 s to 0.97 (digits-cnn, batch 64, fp32, cpu-toy-2c; ok, 50 steps; "
        "credit: Touchstone, own measurement)"
    )
    assert (
        "no sensors were read" in sensors
        and "no other run of this workload" in alone
        and "one seed (3) alone" in seed
    )
    assert {finding.severity for finding in found(submitted())} == {REVIEW}


def test_what_a_single_operation_claims_is_what_it_computes() -> None:
    """FLOP a second; its samples a second are calls."""
    computed = (
        Metric("throughput_samples_per_s", 25.74, "samples/s"),
        Metric("achieved_flop_per_s", 53.3e9, "FLOP/s"),
    )
    product = replace(submitted(), workload="micro-matmul", metrics=computed)

    (claims,) = (
        each.text
        for each in found(product)
        if each.severity is REVIEW and each.text.startswith("claims")
    )

    assert claims.startswith("claims achieved_flop_per_s 53.3 GFLOP/s (micro-matmul, batch 64")


THROUGHPUT = "throughput_images_per_s"
TO_TARGET = "time_to_target_s@0.97"


@pytest.mark.parametrize(
    ("change", "severity", "words"),
    [
        (metric(THROUGHPUT, value=2000.0, high=2100.0), ERROR, "records make it 696"),
        (metric(THROUGHPUT, n=900), ERROR, "is of 900 samples, and 25 are recorded"),
        (metric(THROUGHPUT, stat=Stat.MEDIAN), ERROR, "it is median of its samples"),
        (metric(THROUGHPUT, low=696.2, high=696.3), WARNING, "made by other code"),
        (metric(TO_TARGET, value=3.0), ERROR, "time_to_target_s@0.97 is 3.0"),
        (given(wall_time_s=60.0), ERROR, "60.0, and its steps, epochs and readings end at 6.0"),
        (
            steps(lambda step: replace(step, index=step.index * 2)),
            WARNING,
            "2 follows 0: lines of its journal",
        ),
        (
            steps(lambda step: replace(step, start_s=step.index * 0.05)),
            ERROR,
            "not taken one after another",
        ),
        (steps(partial(replace, duration_s=0.0)), ERROR, "at 0.0 s and takes 0.0 s, of 50 such"),
        (first("epochs", duration_s=1.0), ERROR, "0 took 1 s, and its 25"),
        (first("epochs", samples=9), ERROR, "9 samples, and its 25"),
        (first("evaluations", time_s=1.0), ERROR, "epoch 1 is at 1 s, and the epoch ends at 3 s"),
        (given(started_at=datetime(1970, 1, 1, tzinfo=UTC)), ERROR, "is 1970-01-01 00:00, wanted"),
        (given(started_at=datetime(2027, 1, 1, tzinfo=UTC)), ERROR, "to now (2026-11-21): set the"),
        (given(started_at=None), WARNING, "started_at is not recorded"),
        (
            given(telemetry=(Sample(0.0, 0, power_w=90_000.0),)),
            WARNING,
            "power_w is 90000, wanted 5000 or less",
        ),
        (environment(memory_bytes=4), ERROR, "peak_memory_bytes is 5, and the machine has 4"),
        (environment(command="run --data-dir /home/jane/x"), ERROR, "command holds '/home/jane/x'"),
        (
            given(settings=(Setting("note", "ask jane@toys.example"),)),
            ERROR,
            "note holds 'jane@toys.example'",
        ),
        (environment(foreign_cores=0.9), WARNING, "not carry: other programs used 0.9 cores"),
    ],
)
def test_what_does_not_add_up_is_found(change: Change, severity: Severity, words: str) -> None:
    """In our own runs as in a stranger's, naming the run."""
    for run in (a_run(), submitted()):
        assert [
            finding
            for finding in found(change(run))
            if words in finding.text and finding.severity is severity
        ], words
        assert all(finding.place == "run digits-cnn-toy-1" for finding in found(change(run)))


@pytest.mark.parametrize(
    ("change", "severity", "words"),
    [
        (given(environment=None), ERROR, "it has no environment"),
        (given(steps=()), ERROR, "no steps, from which its figures could be computed again"),
        (environment(threads=None), WARNING, "environment: threads not recorded"),
        (given(licence="MIT"), WARNING, "licence is MIT, wanted CC0-1.0"),
        (environment(git_dirty=True), WARNING, "files differed from commit 0123abc0123a"),
        (environment(cpu_model="Other CPU"), WARNING, "names Other CPU, which makes cpu-other"),
        (ended(Status.UNFINISHED, ONE_STEP), ERROR, "it is unfinished (one step was timed"),
        (untimed(Status.KILLED, "signal 9"), ERROR, "it is killed (signal 9), which is no"),
        (untimed(Status.FAILED, "lost"), ERROR, "it is failed (lost), which is no"),
        (ended(Status.KILLED, "signal 9"), REVIEW, "ended as killed: signal 9"),
        (
            lambda run: replace(run, doubts=warnings_of(environment(foreign_cores=0.9)(run))),
            REVIEW,
            "carries the warnings other_load",
        ),
    ],
)
def test_a_strangers_run_must_say_more_of_itself(
    change: Change, severity: Severity, words: str
) -> None:
    """Of our own we can ask ourselves."""
    assert [
        finding
        for finding in found(change(submitted()))
        if words in finding.text and finding.severity is severity
    ], words
    assert not [finding for finding in found(change(a_run())) if words in finding.text]


@pytest.mark.parametrize(
    ("known", "severity", "words"),
    [
        (False, WARNING, "is none of this repository's history"),
        (None, REVIEW, "cannot be said here: look in a full clone"),
    ],
)
def test_code_that_nobody_knows_is_said(known: bool | None, severity: Severity, words: str) -> None:
    """A commit of another history, or a clone without one."""
    (said,) = (finding for finding in found(submitted(), known=known) if "code: " in finding.text)

    assert said.severity is severity and words in said.text


def test_one_run_under_two_names_is_found() -> None:
    """By its steps, which are never alike to the last digit."""
    (said,) = (
        finding
        for finding in found(
            a_run(),
            a_run(run_id="digits-cnn-toy-2", seed=4),
            a_run(1.01, run_id="digits-cnn-toy-3"),
        )
    )

    assert (said.severity, said.place) == (ERROR, "run digits-cnn-toy-2")
    assert "those of run digits-cnn-toy-1 took, to the last digit" in said.text


def test_a_run_far_from_others_of_its_kind_is_odd() -> None:
    """Twice as fast as ours on what is called the same processor; a tenth faster is nothing."""
    ours = a_run(run_id="digits-cnn-toy-0")
    (far,) = (
        each for each in found(ours, submitted(faster=2.0)) if "times the median" in each.text
    )

    assert (
        far.severity is WARNING
        and "is 2 times the median of 1 other runs of the kind (digits-cnn-toy-0)" in far.text
    )
    assert not [
        each
        for each in found(ours, submitted(faster=1.1))
        if "times the median" in each.text or "no other run" in each.text
    ]


def test_steps_without_a_finite_length_are_said_and_crash_nothing() -> None:
    """A file that another program wrote may hold them."""
    nan = float("nan")
    broken = steps(lambda s: replace(s, duration_s=nan) if s.phase is Phase.MEASURE else s)(a_run())

    assert [finding for finding in found(broken) if "takes nan s, of 25 such" in finding.text]


def test_runs_of_others_pass_the_gate_unseen() -> None:
    """It is for runs that carry their raw steps."""
    assert found(a_run(origin=Origin.PUBLISHED, source="toy", wall_time_s=1.0)) == []


def test_a_measured_run_in_the_wrong_folder_is_told_how_to_be_handed_in() -> None:
    """Copied there instead of submitted."""
    archive = Archive(
        runs=(a_run(),), files={"digits-cnn-toy-1": Path("submitted/digits-cnn-toy-1.parquet")}
    )

    assert [each.text for each in check(archive)] == [
        "origin is measured, and the file lies in submitted/: hand it in with `python -m kernels "
        "submit digits-cnn-toy-1`"
    ]
