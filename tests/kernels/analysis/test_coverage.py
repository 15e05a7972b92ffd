"""What has been run on which accelerator, and which runs would make most pairs comparable."""

from dataclasses import replace
from typing import Any

import pytest

from kernels.analysis.coverage import Gap, Mark, Target, mark, next_of, reached
from kernels.analysis.sourced import compared_pairs, figures
from kernels.records import Metric, Origin, Run, Status
from kernels.records import Target as Goal
from tests.makers import make_run

WORKLOAD = "digits-cnn"


def timed(accelerator: str, value: float = 0.97, **fields: Any) -> Run:
    """A run of the harness that was timed to a top-1 accuracy."""
    time = Metric("time_to_target_s", 60.0, "s", target=Goal("top1", value))
    usual: dict[str, Any] = {
        "origin": Origin.MEASURED,
        "workload": WORKLOAD,
        "accelerator": accelerator,
    }
    usual |= {"metrics": (time,), "accelerators": 1}
    return make_run(f"{accelerator}-{value}", **{**usual, **fields})


@pytest.mark.parametrize(
    ("statuses", "wanted"),
    [
        ([Status.FAILED, Status.OK], Mark.PUBLISHED),
        ([Status.OOM, Status.NOT_REPORTED], Mark.OOM),
        ([Status.NOT_CONVERGED], Mark.NOT_CONVERGED),
        ([Status.FAILED, Status.DIVERGED, Status.SKIPPED], Mark.DIVERGED),
        ([Status.TIMEOUT], Mark.TIMEOUT),
        ([Status.UNFINISHED], Mark.UNFINISHED),
        ([Status.NOT_REPORTED, Status.SKIPPED], Mark.NOT_REPORTED),
    ],
)
def test_one_run_that_ended_well_speaks_for_a_result(statuses: list[Status], wanted: Mark) -> None:
    """By its origin; else memory that ran out, then how it failed, by its own name."""
    runs = [make_run(origin=Origin.PUBLISHED, status=one) for one in statuses]

    assert mark(runs) is wanted


def test_a_run_of_the_harness_reaches_what_others_of_it_can_be_compared_with() -> None:
    """One accelerator alone, and a known one; scores and articles are none of it, nor is a run that
    failed.
    """
    runs = [
        timed("a"),
        timed("b", origin=Origin.SUBMITTED),
        timed("c", origin=Origin.PUBLISHED),
        timed("d", round="v1.0", origin=Origin.IMPORTED),
        timed("e", accelerators=8),
        timed("f", metrics=(Metric("time_to_target_s", None, "s", status=Status.OOM),)),
        replace(timed("g"), accelerator=None),
    ]

    assert reached(figures([run] for run in runs)) == {
        Target(WORKLOAD, 0.97): {"a": 60.0, "b": 60.0}
    }


def test_the_gaps_that_add_most_come_first_each_after_those_before() -> None:
    """A card gains those that reached the target; the next one gains that card too, but none that
    it has a ratio with already.
    """
    found = [*figures([run] for run in (timed("a"), timed("b"), timed("a", 0.9)))]
    compared = compared_pairs(found) | {("b", "f")}

    gaps = next_of(compared, reached(found), ["e", "f", "a", "b"], {WORKLOAD}, 4)

    goal = Target(WORKLOAD, 0.97)
    assert compared == {("a", "b"), ("b", "f")}
    assert gaps == [Gap("e", goal, 2), Gap("f", goal, 2)]
    assert next_of(compared, reached(found), ["e"], set(), 3) == []


def test_of_gaps_that_add_as_many_pairs_the_sooner_target_comes_first() -> None:
    """On the accelerator that is compared with fewest others."""
    other = "another-cnn"  # before the first in the alphabet
    slow = Metric("time_to_target_s", 90.0, "s", target=Goal("top1", 0.97))
    runs = [timed("a"), timed("b"), *(timed(id_, workload=other, metrics=(slow,)) for id_ in "ab")]
    found = [*figures([run] for run in runs)]

    gaps = next_of({("a", "b"), ("e", "x")}, reached(found), ["e", "f"], {WORKLOAD, other}, 1)

    assert gaps == [Gap("f", Target(WORKLOAD, 0.97), 2)]
