"""Runs are one setup where they differ in nothing but seed and time, and nowhere else."""

import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.analysis import compare
from kernels.analysis.repetitions import INTERVAL, Trim, of_another_machine, seeds, setups, slow
from kernels.audit.facts import Facts
from kernels.errors import FactError
from kernels.records import Environment, Metric, Origin, Precision, Run, Setting, Status, Target
from kernels.store import Archive
from tests.kernels.analysis.test_compare import RATE, a_run
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
    """A small size of a suite, and another machine of the same name, among it."""
    assert len(setups([a_run("one"), a_run("other", **changed)])) == 2


def pages(size: str) -> Environment:
    """What a machine with that setting says of the size of its memory's pages."""
    return Environment(extra=(Setting("transparent_hugepage", size),))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Environment(data_sha256="a" * 64), Environment(data_sha256="b" * 64)),
        (pages("madvise"), pages("always")),
        (
            Environment(extra=(Setting("THP_MEM_ALLOC_ENABLE", "1"),)),
            Environment(extra=(Setting("THP_MEM_ALLOC_ENABLE", "unset"),)),
        ),
    ],
)
def test_other_data_and_other_pages_are_no_repetition(one: Environment, other: Environment) -> None:
    """Two folders of as many images; a run that tells of neither repeats nobody knows which."""
    told = [a_run("one", environment=one), a_run("other", environment=other)]

    assert [
        len(found.runs) for found in setups([*told, a_run("untold", environment=Environment())])
    ] == [1, 1, 1]


def processor(**facts: str) -> Environment:
    """A machine of one masked name, with what else it tells of its processor."""
    return Environment(
        cpu_model="AMD EPYC",
        memory_bytes=2**34,
        extra=tuple(Setting(*fact) for fact in facts.items()),
    )


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("cpu_capability", "AVX2", "AVX512"),
        ("cpu_family_model_stepping", "25/1/1", "26/2/1"),
        ("cpu_caches", "L3 32768 KiB", "L3 16384 KiB"),
        ("cpu_instructions", "avx2", "avx2 amx_bf16"),
    ],
)
def test_two_processors_of_one_name_are_two_setups(name: str, one: str, other: str) -> None:
    """Compare says what differs; a run made on nobody knows which of the two is with neither."""
    a, b, untold = (
        a_run(each, environment=processor(**told))
        for each, told in (("one", {name: one}), ("other", {name: other}), ("untold", {}))
    )

    assert len(setups([a, b])) == 2 and len(setups([a, b, untold])) == 3
    assert f"{name}: {one} against {other}" in compare.differences([a], [b])


@pytest.mark.parametrize(
    "changed",
    [
        {"cgroup_cpus": 1.0},
        {"accelerator_power_limit_w": 250.0},
        {"driver": "570.1"},
        {"logical_cores": 4},
    ],
)
def test_what_a_machine_may_use_is_part_of_it(changed: dict[str, Any]) -> None:
    """Processor time of the container, the power limit of the card, its driver, the cores."""
    limits: dict[str, Any] = {
        "accelerator_power_limit_w": 700.0,
        "driver": "580.2",
        "logical_cores": 2,
    }
    there = dataclasses.replace(processor(), cgroup_cpus=2.0, **limits)
    a = a_run("one", environment=there)
    b = a_run("other", environment=dataclasses.replace(there, **changed))

    assert len(setups([a, b])) == 2
    assert [each.partition(":")[0] for each in compare.differences([a], [b])] == list(changed)


def test_a_machine_that_one_run_describes_is_known_to_its_other_runs() -> None:
    """Older runs do not tell the capability: they repeat newer ones while one value is told."""
    old = a_run("untold", environment=processor())
    new = a_run("other", workload="ncf", environment=processor(cpu_capability="AVX512"))

    assert [found.parts["cpu_capability"] for found in setups([old, new])] == ["AVX512", "AVX512"]
    assert not any(each.startswith("cpu_") for each in compare.differences([old], [new]))


@pytest.mark.parametrize(
    ("there", "wanted"),
    [
        (processor(), False),
        (processor(cpu_caches="L3 16384 KiB"), True),
        (processor(cpu_capability="AVX2"), False),
        (dataclasses.replace(processor(), cpu_model="AMD EPYC 9654"), True),
        (dataclasses.replace(processor(), memory_bytes=2**34 - 4096), False),
        (dataclasses.replace(processor(), memory_bytes=2**35), True),
        (Environment(), False),
    ],
)
def test_a_run_of_this_name_from_another_machine_is_known(there: Environment, wanted: bool) -> None:
    """By what both tell; what only one tells is no difference."""
    assert (
        of_another_machine(a_run("one", environment=there), processor(cpu_caches="L3 32768 KiB"))
        is wanted
    )


@pytest.mark.parametrize(
    ("able", "wanted"), [("avx avx2 fma", True), ("avx avx2 fma avx512f", False)]
)
def test_what_pytorch_could_use_there_this_processor_must_be_able_to_do(
    able: str, wanted: bool
) -> None:
    """A run with AVX-512 was not made on a machine without it."""
    assert (
        of_another_machine(
            a_run("one", environment=processor(cpu_capability="AVX512")),
            processor(cpu_instructions=able),
        )
        is wanted
    )


def test_a_figure_within_a_suite_is_over_its_runs_alone() -> None:
    """Those that it measured in turns with others; a run by itself has the figure of all."""
    by_suite = (("a", "quick", 90.0), ("b", "settings", 100.0), ("c", "settings", 120.0))
    found = facts(
        *(
            a_run(name, value, settings=(Setting("suite", suite),))
            for name, suite, value in by_suite
        )
    )

    assert [found.get(f"{kind}:c:{RATE}").value for kind in ("alike", "suite")] == [100.0, 110.0]
    assert facts(a_run("by-hand", 100.0)).get(f"suite:by-hand:{RATE}").value == 100.0


def test_what_a_run_does_not_tell_is_what_the_others_agree_on() -> None:
    """As before it was recorded; nor does a setting count that follows from data and batch."""
    told = [
        a_run(f"told{n}", environment=pages("madvise"), settings=(Setting(INTERVAL, "50000"),))
        for n in range(2)
    ]

    (found,) = setups([a_run("untold", environment=Environment()), *told])

    assert len(found.runs) == 3
    assert found.parts["transparent_hugepage"] == "madvise"


def test_only_runs_of_the_harness_in_force_count() -> None:
    """A publication does not say enough of its runs, and a withdrawn one takes part in nothing."""
    published = a_run("published", origin=Origin.PUBLISHED)
    withdrawn = a_run("withdrawn", withdrawn="measured beside another run")

    assert setups([published, withdrawn]) == []


def test_a_figure_over_runs_is_their_median_and_range() -> None:
    """Of one run its own interval, of three the ends of theirs, of runs without one none."""
    alone = facts(a_run("alone", 100.0, 2.0)).get(f"alike:alone:{RATE}")
    values = tuple(enumerate((90.0, 100.0, 120.0)))
    three = facts(*(a_run(f"run{n}", value, 2.0) for n, value in values)).get(f"alike:run1:{RATE}")
    short = facts(*(a_run(f"run{n}", value) for n, value in values)).get(f"alike:run1:{RATE}")

    assert (alone.value, alone.low, alone.high) == (100.0, 98.0, 102.0)
    assert (three.value, three.low, three.high, three.unit) == (100.0, 88.0, 122.0, "images/s")
    assert (short.value, short.low, short.high) == (100.0, None, None)


def test_a_run_of_too_few_steps_counts_only_where_no_other_timed_enough() -> None:
    """Beside one with an interval its median is left out; alone it is all that there is."""
    loose, firm = a_run("loose", 90.0, None), a_run("firm", 100.0, 2.0)

    beside = facts(loose, firm).get(f"alike:firm:{RATE}")

    assert (beside.value, beside.low, beside.high) == (100.0, 98.0, 102.0)
    assert facts(loose).get(f"alike:loose:{RATE}").value == 90.0


def learned(seed: int, seconds: float | None, name: str = "", **fields: Any) -> Run:
    """A run of that seed which reached its target after that time, or missed it."""
    status = Status.OK if seconds is not None else Status.NOT_CONVERGED
    hit = Metric("time_to_target_s", seconds, "s", target=GOAL, status=status)
    told: dict[str, Any] = {"seed": seed, "status": status, "targets": (GOAL,), "metrics": (hit,)}
    return a_run(name or f"seed{seed}", **told | fields)


def test_runs_that_missed_their_target_are_counted_beside() -> None:
    """Two of three reached it: the time is that of the two. One cut off is none of them."""
    cut = learned(3, None, status=Status.KILLED)
    found = facts(cut, *(learned(seed, seconds) for seed, seconds in enumerate((10.0, None, 14.0))))

    values = [
        found.get(f"alike:seed1:{name}").value
        for name in ("ended", "reached", "time_to_target_s@0.9")
    ]

    assert values == [3, 2, 12.0]


@given(st.lists(st.none() | st.floats(0.1, 1e6), min_size=2, max_size=12))
def test_seeds_have_the_mean_of_the_rule(times: list[float | None]) -> None:
    """Every seed is counted; below three seeds, or with two that missed, there is none."""
    found = seeds([learned(seed, seconds) for seed, seconds in enumerate(times)])

    assert found is not None
    there = sorted(seconds for seconds in times if seconds is not None)
    assert list(found.times) == there
    assert found.missed == len(times) - len(there)
    assert len(found.run_ids) == len(times)
    assert found.cut == 0
    assert found.trim is (
        Trim.FEW if len(times) < 3 else Trim.MISSED if found.missed > 1 else Trim.MEAN
    )
    assert (found.mean_s is None) == (found.trim is not Trim.MEAN)
    assert found.mean_s is None or there[0] * (1 - 1e-12) <= found.mean_s <= there[-1] * (1 + 1e-12)


def test_one_that_missed_is_the_slowest() -> None:
    """It is left out with the fastest: of 10, 14, 15, 16 and none the mean is that of three."""
    found = facts(
        *(learned(seed, seconds) for seed, seconds in enumerate((16.0, None, 14.0, 10.0, 15.0)))
    )

    values = [
        found.get(f"alike:seed1:{name}") for name in ("seeds", "seeds_reached", "seeds_mean_s")
    ]

    assert [(each.value, each.unit) for each in values] == [(5, "1"), (4, "1"), (15.0, "s")]


def test_a_seed_counts_once() -> None:
    """By its newest run that ended; one whose runs were all cut off is said."""
    early, late = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 2, tzinfo=UTC)
    runs = [
        learned(0, 20.0, "later", started_at=late),
        learned(0, 10.0, "first", started_at=early),
        learned(0, None, "killed", started_at=late, status=Status.KILLED),
        learned(1, None, "cut", status=Status.UNFINISHED),
        learned(2, None, "slow", status=Status.TIMEOUT),
    ]

    found = seeds(runs)

    assert found is not None
    assert found.run_ids == ("later", "slow")
    assert found.times == (20.0,)
    assert found.cut == 1
    assert found.trim == Trim.FEW


@pytest.mark.parametrize(
    "runs",
    [
        [learned(0, 1.0), learned(0, 2.0, "again")],
        [a_run("a", seed=0), a_run("b", seed=1)],
        [],
        [learned(0, 1.0), learned(1, 1.0, targets=(Target("top1", 0.8),))],
    ],
)
def test_without_seeds_to_one_target_there_is_nothing_to_sum_up(runs: list[Run]) -> None:
    """One seed twice, no target, no run, two targets."""
    assert seeds(runs) is None


def test_a_run_slower_than_its_repetitions_stands_out() -> None:
    """By more than single runs differ; of two neither is the odd one, few steps tell nothing."""
    runs = [a_run(f"run{n}", rate, 1.0) for n, rate in enumerate((100.0, 101.0, 99.0, 94.0, 80.0))]

    (found,) = slow([*runs, a_run("short", 50.0)])

    assert (found.run_id, found.n) == ("run4", 5)
    assert found.share == pytest.approx(0.2375)
    assert slow([runs[0], runs[4]]) == ()


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
