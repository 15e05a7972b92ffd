"""What has been run on which accelerator, and which runs would make most pairs comparable."""

from typing import Any

import pytest

from kernels import catalog
from kernels.analysis.coverage import (
    HARNESS,
    Code,
    Gap,
    Mark,
    Target,
    comparable,
    grounds,
    mark,
    next_of,
    shared,
)
from kernels.records import Metric, Mode, Origin, Run, Status
from kernels.records import Target as Goal
from tests.makers import make_run

RESNET = "resnet50-imagenet"


def reached(accelerator: str, value: float, workload: str = RESNET, **fields: Any) -> Run:
    """A run of a round that was timed to a top-1 accuracy."""
    time = Metric("time_to_target_s", 60.0, "s", target=Goal("top1", value))
    usual = {"origin": Origin.IMPORTED, "workload": workload, "accelerator": accelerator}
    return make_run(f"{accelerator}-{value}", metrics=(time,), **{**usual, **fields})


def timed(accelerator: str, **fields: Any) -> Run:
    """A run with a throughput."""
    speed = Metric("throughput_images_per_s", 9.0, "images/s")
    return make_run(accelerator, metrics=(speed,), accelerator=accelerator, **fields)


@pytest.mark.parametrize(
    ("statuses", "wanted"),
    [
        ([Status.FAILED, Status.OK], Mark.PUBLISHED),
        ([Status.OOM, Status.NOT_REPORTED], Mark.OOM),
        ([Status.NOT_CONVERGED], Mark.FAILED),
        ([Status.NOT_REPORTED, Status.SKIPPED], Mark.NOT_REPORTED),
    ],
)
def test_one_run_that_ended_well_speaks_for_a_result(statuses: list[Status], wanted: Mark) -> None:
    """By its origin; else memory that ran out, then whatever failed."""
    runs = [make_run(origin=Origin.PUBLISHED, status=one) for one in statuses]

    assert mark(runs) is wanted


def test_times_share_a_target_and_speeds_the_code_of_a_source() -> None:
    """Whoever ran our harness used one code; inference, failures and withdrawn runs share nothing."""
    assert list(grounds(reached("a", 0.759))) == [Target(RESNET, "top1", 0.759)]
    assert list(grounds(timed("a", workload="w"))) == [Code("w", HARNESS)]
    assert list(grounds(timed("a", workload="w", origin=Origin.SUBMITTED))) == [Code("w", HARNESS)]
    assert list(grounds(timed("a", workload="w", origin=Origin.PUBLISHED))) == [Code("w", "toy")]
    for unfit in ({"mode": Mode.INFERENCE}, {"status": Status.OOM}, {"withdrawn": "wrong"}):
        assert list(grounds(timed("a", **unfit))) == []


def test_pairs_share_something() -> None:
    """Another target is none that is shared."""
    found = shared([reached("a", 0.759), reached("b", 0.759), reached("c", 0.749)])

    assert comparable(found) == {("a", "b")}


def test_the_gaps_that_add_most_come_first_each_after_those_before() -> None:
    """A card without results gains all that reached the target; the next one gains that card too."""
    known = {id_: one for id_, one in catalog.load().workloads.items() if one.command}
    runs = [*(reached(name, 0.759) for name in "abc"), reached("d", 0.749), timed("e"), timed("f")]

    gaps = next_of(shared(runs), ["e", "f", "a"], known, 3)

    goal, other = Target(RESNET, "top1", 0.759), Target(RESNET, "top1", 0.749)
    assert gaps == [Gap("e", goal, 3), Gap("f", goal, 3), Gap("a", other, 1)]
    assert next_of(shared(runs), ["e"], {}, 3) == []
