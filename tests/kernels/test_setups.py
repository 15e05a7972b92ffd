"""Runs are one setup where they differ in nothing but seed and time, and nowhere else."""

import dataclasses
from typing import Any

import pytest

from kernels.claims import Facts
from kernels.errors import FactError
from kernels.records import Environment, Metric, Origin, Precision, Run, Setting, Status, Target
from kernels.setups import INTERVAL, setups
from kernels.store import Archive
from tests.kernels.test_compare import RATE, a_run
from tests.site_src.recorded import known

GOAL = Target("top1", 0.9)


def facts(*runs: Run) -> Facts:
    """Figures of these runs."""
    return Facts(Archive(runs=runs), known())


def test_seeds_of_one_configuration_are_one_setup() -> None:
    """Seed, time and id are no part of it, and neither is the suite's name."""
    one = a_run("one", seed=0, settings=(Setting("suite", "quick"),))
    other = a_run("other", seed=1, settings=(Setting("suite", "catalyst-cost"),))

    (found,) = setups([one, other])

    assert [run.run_id for run in found.runs] == ["one", "other"]


@pytest.mark.parametrize(
    "changed",
    [
        {"global_batch_size": 128},
        {"precision": Precision.AMP_BF16},
        {"framework_version": "3.0"},
        {"processes": 2},
        {"origin": Origin.SUBMITTED},
        {"targets": (GOAL,)},
        {"environment": Environment(allocator="default")},
        {"environment": Environment(memory_bytes=1)},
        {"settings": (Setting("operation_size", "2048"),)},
        {"settings": (Setting("suite_size", "small"),)},
    ],
)
def test_what_else_differs_makes_another_setup(changed: dict[str, Any]) -> None:
    """A small size of a suite among it, which never stands for the full one, and another machine of the same name."""
    assert len(setups([a_run("one"), a_run("other", **changed)])) == 2


def pages(size: str) -> Environment:
    """What a machine with that setting says of the size of its memory's pages."""
    return Environment(extra=(Setting("transparent_hugepage", size),))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Environment(data_sha256="a" * 64), Environment(data_sha256="b" * 64)),
        (pages("madvise"), pages("always")),
        (Environment(extra=(Setting("THP_MEM_ALLOC_ENABLE", "1"),)), Environment(extra=(Setting("THP_MEM_ALLOC_ENABLE", "unset"),))),
    ],
)
def test_other_data_and_other_pages_are_no_repetition(one: Environment, other: Environment) -> None:
    """Two folders with as many images each; and a run that tells of neither repeats one of them, nobody knows which."""
    told = [a_run("one", environment=one), a_run("other", environment=other)]

    assert [len(found.runs) for found in setups([*told, a_run("untold", environment=Environment())])] == [1, 1, 1]


def test_what_a_run_does_not_tell_is_what_the_others_agree_on() -> None:
    """As of runs from before it was recorded; a setting that follows from data and batch is no part of it either."""
    told = [a_run(f"told{n}", environment=pages("madvise"), settings=(Setting(INTERVAL, "50000"),)) for n in range(2)]

    (found,) = setups([a_run("untold", environment=Environment()), *told])

    assert len(found.runs) == 3
    assert found.parts["transparent_hugepage"] == "madvise"


def test_only_runs_of_the_harness_in_force_count() -> None:
    """A publication does not say enough of its runs, and a withdrawn one takes part in nothing."""
    published = a_run("published", origin=Origin.PUBLISHED)
    withdrawn = a_run("withdrawn", withdrawn="measured beside another run")

    assert setups([published, withdrawn]) == []


def test_a_figure_over_runs_is_their_median_and_range() -> None:
    """Of one run its own figure with its own interval, of three the middle one and the ends of theirs, of runs without one none."""
    alone = facts(a_run("alone", 100.0, 2.0)).get(f"alike:alone:{RATE}")
    values = tuple(enumerate((90.0, 100.0, 120.0)))
    three = facts(*(a_run(f"run{n}", value, 2.0) for n, value in values)).get(f"alike:run1:{RATE}")
    short = facts(*(a_run(f"run{n}", value) for n, value in values)).get(f"alike:run1:{RATE}")

    assert (alone.value, alone.low, alone.high) == (100.0, 98.0, 102.0)
    assert (three.value, three.low, three.high, three.unit) == (100.0, 88.0, 122.0, "images/s")
    assert (short.value, short.low, short.high) == (100.0, None, None)


def test_runs_that_missed_their_target_are_counted_beside() -> None:
    """Two of three reached it: the time is that of the two."""
    runs = []
    for seed, seconds in enumerate((10.0, None, 14.0)):
        status = Status.OK if seconds else Status.NOT_CONVERGED
        hit = Metric("time_to_target_s", seconds, "s", target=GOAL, status=status)
        runs.append(a_run(f"seed{seed}", seed=seed, status=status, targets=(GOAL,), metrics=(hit,)))
    found = facts(*runs)

    values = [found.get(f"alike:seed1:{name}").value for name in ("runs", "reached", "time_to_target_s@0.9")]

    assert values == [3, 2, 12.0]


def test_a_figure_that_no_run_reached_says_why() -> None:
    """Missing with the run's status, not an error; a figure that none could have is one."""
    missed = Metric("time_to_target_s", None, "s", target=GOAL, status=Status.NOT_CONVERGED)
    found = facts(a_run("missed", status=Status.NOT_CONVERGED, targets=(GOAL,), metrics=(missed,)))

    assert found.get("alike:missed:time_to_target_s@0.9").status is Status.NOT_CONVERGED
    with pytest.raises(FactError, match="unknown field 'train_time_s'"):
        found.get("alike:missed:train_time_s")


def test_the_newest_that_ended_well_stands_for_all() -> None:
    """A later one that was killed does not."""
    killed = dataclasses.replace(a_run("z"), status=Status.KILLED)

    (found,) = setups([a_run("a"), a_run("b"), killed])

    assert found.run.run_id == "b"
