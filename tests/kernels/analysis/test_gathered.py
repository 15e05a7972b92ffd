"""Runs that repeat each other make one result, with a name that stays."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from kernels.analysis.gathered import gather
from kernels.analysis.mlperf_scores import scores
from kernels.records import Origin, Run
from kernels.store import Archive
from tests.makers import EACH, make_run


def logged(name: str, folder: str = "box/resnet", index: int | None = 0) -> Run:
    """A run of a submission."""
    return make_run(
        name,
        origin=Origin.IMPORTED,
        source="mlperf-v0.5-toyco",
        round="v0.5",
        repeat_index=index,
        locator=f"file 'results/{folder}/result_{index}.txt'",
    )


def gathered(*runs: Run) -> dict[str, tuple[str, ...]]:
    """Runs by the result that has them."""
    return {one.id: one.run_ids for one in gather(runs)}


def test_a_submission_is_one_result_in_the_order_of_its_logs() -> None:
    """Its name is what its runs' names share; the tenth log comes after the second."""
    runs = [logged(f"box-resnet-{n}", index=n) for n in (0, 10, 2)]

    assert gathered(*runs) == {"box-resnet": ("box-resnet-0", "box-resnet-2", "box-resnet-10")}


def test_a_withdrawn_run_of_a_submission_stays_with_it() -> None:
    """Its row says so; the result keeps its name."""
    first, second = logged("box-resnet-0"), logged("box-resnet-1", index=1)

    assert gathered(replace(first, withdrawn="wrong log"), second) == {
        "box-resnet": ("box-resnet-0", "box-resnet-1")
    }


@pytest.mark.parametrize(
    ("others", "name"),
    [
        ((logged("box-ssd-1", index=1),), "box-resnet-0"),
        ((make_run("box-resnet"),), "box-resnet-0"),
        ((logged("box-resnet-1", "box2/resnet", 1),), "box-resnet"),
    ],
    ids=["no name is shared", "another run has the name", "two folders"],
)
def test_a_name_that_is_not_its_own_is_not_taken(others: tuple[Run, ...], name: str) -> None:
    """Then the first run's stands for the result."""
    found = gathered(logged("box-resnet-0"), *others)

    assert next(id_ for id_, runs in found.items() if "box-resnet-0" in runs) == name
    assert len({run for runs in found.values() for run in runs}) == 1 + len(others)


@EACH
def test_every_run_belongs_to_one_result_and_every_score_to_one(
    recorded: Callable[[], Archive],
) -> None:
    """Of all that is recorded: nothing is lost or counted twice."""
    runs = recorded().runs
    found = gather(runs)

    assert sorted(run for one in found for run in one.run_ids) == sorted(r.run_id for r in runs)
    assert len({one.id for one in found}) == len(found)
    of = {run: one for one in found for run in one.run_ids}
    for score in scores(runs):
        assert {of[run].id for run in score.run_ids} == {of[score.run_ids[0]].id}
        assert set(of[score.run_ids[0]].run_ids) >= set(score.run_ids)
