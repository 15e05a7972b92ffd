"""Runs for a terminal and as JSON: missing figures say why, ranges stay ranges."""

from dataclasses import replace

import pytest

from kernels.analysis import summary
from kernels.analysis.compare import compare as compare_sides
from kernels.analysis.repetitions import seeds
from kernels.records import Interval, Metric, Precision, Run, Stat, Status, Target
from tests.kernels.analysis.test_compare import a_run as rated
from tests.kernels.analysis.test_repetitions import learned
from tests.makers import make_run


def a_run(*metrics: Metric, status: Status = Status.OK, withdrawn: str | None = None) -> Run:
    """A run with these figures."""
    return make_run(
        locator="file 'x'",
        credit="Toy",
        system="toy",
        status=status,
        metrics=metrics,
        withdrawn=withdrawn,
    )


def test_a_figure_is_shown_with_its_interval_or_its_reason() -> None:
    """Value and interval; a range without a value; a missed target's status; else a dash."""
    rate = Metric(
        "throughput_images_per_s",
        2000.0,
        "images/s",
        1900.0,
        2100.0,
        Interval.CI95,
        n=20,
        stat=Stat.MEDIAN,
    )
    printed = Metric("throughput_images_per_s", None, "images/s", 2.2, 2.7, Interval.PRINTED)
    missed = Metric(
        "time_to_target_s", None, "s", target=Target("top1", 0.9), status=Status.NOT_CONVERGED
    )

    assert summary.figure(rate) == "2000 images/s (1900 to 2100)"
    assert summary.figure(printed) == "2.2 to 2.7 images/s"
    assert summary.figure(missed) == "not_converged"
    assert summary.figure(None) == "-"


def test_an_unknown_value_is_null_in_json() -> None:
    """And a printed range has no value."""
    found = summary.record(
        a_run(
            Metric("throughput_images_per_s", None, "images/s", 2.2, 2.7, Interval.PRINTED),
            status=Status.OOM,
        )
    )

    assert (found["status"], found["seed"], found["global_batch_size"]) == (Status.OOM, None, None)
    assert found["metrics"] == {
        "throughput_images_per_s": {
            "value": None,
            "low": 2.2,
            "high": 2.7,
            "interval": Interval.PRINTED,
            "bound": "eq",
            "unit": "images/s",
            "n": None,
            "stat": Stat.SINGLE,
            "status": Status.OK,
        }
    }


def test_a_withdrawn_run_says_so_in_the_table() -> None:
    """Whatever its status was; columns are as wide as their longest cell."""
    text = summary.table([summary.row(a_run(withdrawn="wrong clock"))])

    assert text.splitlines()[1].split()[:2] == ["toy-run", "withdrawn"]
    assert text.splitlines()[0].startswith("run      status")


def test_seeds_are_summed_up_below_the_table() -> None:
    """Once for a run that is shown, with all points; of slower runs those that are shown."""
    runs = [learned(seed, seconds) for seed, seconds in enumerate((12.0, 10.0, 14.0, 11.0))]
    rates = [
        rated(f"rate{n}", rate, 1.0) for n, rate in enumerate((100.0, 101.0, 80.0, 81.0, 102.0))
    ]

    said = summary.remarks(["seed1", "rate2"], [*runs, *rates])

    assert said == [
        "rate2: 25% slower than the median of its 5 repetitions (single runs alike: 13%): "
        "something may have held it up; measure it again",
        "seed3 with its seeds: 4 of 4 seeds reached top1 0.9, mean time without the fastest and "
        "the slowest 11.5 s; all: 10, 11, 12, 14 s",
    ]
    assert summary.remarks(["seed1", "rate2"], [*runs, *rates], seeded=False) == said[:1]
    assert summary.remarks(["rate0"], rates) == []


@pytest.mark.parametrize(
    ("times", "wanted"),
    [
        (
            (10.0, 12.0),
            "2 of 2 seeds reached top1 0.9, no mean without the fastest and the slowest, which "
            "wants 3 seeds; all: 10, 12 s",
        ),
        (
            (10.0, None, None),
            "1 of 3 seeds reached top1 0.9, no mean, as 2 missed it and 1 may; all: 10 s",
        ),
        ((None, None, None), "0 of 3 seeds reached top1 0.9, no mean, as 3 missed it and 1 may"),
    ],
)
def test_seeds_without_a_mean_say_why(times: tuple[float | None, ...], wanted: str) -> None:
    """Too few, or too many that missed; a run that was cut off is counted beside."""
    runs = [learned(seed, seconds) for seed, seconds in enumerate(times)]
    found, cut = seeds(runs), seeds([*runs, learned(9, None, status=Status.KILLED)])

    assert found is not None and summary.seeds(found) == wanted
    assert cut is not None and summary.seeds(cut) == f"{wanted}; 1 cut off and not counted"


def test_two_sides_with_seeds_are_compared_by_their_means() -> None:
    """Where both have one; to two targets nothing is said."""
    a, b, c = (
        seeds([learned(seed, seconds) for seed, seconds in enumerate(times)])
        for times in ((9.0, 10.0, 11.0), (18.0, 20.0, 99.0), (1.0, 1.0))
    )
    other = seeds([learned(seed, 1.0, targets=(Target("top1", 0.8),)) for seed in range(3)])

    assert summary.both(a, b)[2] == "time to the target: A over B 0.500 in these means"
    assert summary.both(a, c)[2] == "time to the target: no ratio, as a side has no mean"
    assert summary.both(a, other) == summary.both(a, None) == []


def test_what_a_copy_counts_is_said() -> None:
    """A byte moved within a memory is read and written: twice; of a network nothing is said."""
    copied = a_run(
        Metric("copy_bytes_per_s", 1e10, "byte/s"),
        Metric("memory_bandwidth_byte_per_s", 2e10, "byte/s"),
    )

    assert summary.copied(copied) == (
        "copy_bytes_per_s 10 GB/s: bytes copied, each counted once",
        "memory_bandwidth_byte_per_s 20 GB/s: bytes read and bytes written: twice what is copied",
    )
    assert summary.copied(rated("network")) == ()


@pytest.mark.parametrize(
    ("value", "unit", "wanted"),
    [
        (53.3e9, "FLOP/s", "53.3 GFLOP/s"),
        (989.5e12, "FLOP/s", "989.5 TFLOP/s"),
        (2e10, "byte/s", "20 GB/s"),
        (512.0, "byte", "512 byte"),
        (2e21, "FLOP/s", "2000000 PFLOP/s"),
        (0.0, "J", "0 J"),
        (-1500.0, "J", "-1.5 kJ"),
        (4252.4, "images/s", "4252 images/s"),
        (17423.4, "images/s", "17420 images/s"),
        (1.57e-06, "1", "1.57e-06"),
        (0.7198, "1", "0.7198"),
    ],
)
def test_large_quantities_have_prefixes(value: float, unit: str, wanted: str) -> None:
    """Of operations, bytes and joules; what has no prefix in common use stays plain."""
    assert summary.amount(value, unit) == wanted


def test_ends_are_in_the_unit_of_the_value_beside_them() -> None:
    """Also where one of them would have another prefix by itself."""
    metric = Metric("achieved_flop_per_s", 1e12, "FLOP/s", 9.9e11, 1.01e12, Interval.CI95, n=20)

    assert summary.figure(metric) == "1 TFLOP/s (0.99 to 1.01)"


def test_a_single_operation_is_listed_with_what_it_computes() -> None:
    """FLOP or bytes a second in the place of a training's throughput."""
    calls, flop = (
        Metric("throughput_samples_per_s", 25.74, "samples/s"),
        Metric("achieved_flop_per_s", 442e9, "FLOP/s"),
    )

    listed = [
        summary.row(replace(a_run(calls, flop), workload=name))[4]
        for name in ("micro-matmul", "digits-cnn")
    ]

    assert listed == ["442 GFLOP/s", "25.74 samples/s"]


@pytest.mark.parametrize(
    ("a", "wanted"),
    [
        (3186.0, "+1.85 % of B"),
        (1742.0, "-44.3 % of B"),
        (9000.0, "+188 % of B"),
        (3128.0, "+0.00 % of B"),
    ],
)
def test_a_ratio_comes_with_its_per_cent(a: float, wanted: str) -> None:
    """With direction and base, to three figures or so."""
    (found,) = compare_sides([rated("a", a)], [rated("b", 3128.0)])

    assert summary.gap(found) == wanted


def test_a_side_says_what_it_is() -> None:
    """Accelerators with number, how they shared work, what was trained; or that it is unknown."""
    several = replace(
        rated("a"), accelerators=4, accelerator="t4", parallelism="synchronous_data_parallel"
    )
    silent = replace(rated("b"), precision=Precision.UNKNOWN, global_batch_size=None)

    assert summary.group([several]) == (
        "toy-box, 4 x t4, parallel scheme synchronous_data_parallel, digits-cnn, batch 64, fp32, "
        "data not stated"
    )
    assert summary.group([silent]) == (
        "toy-box, number of accelerators not stated, parallel scheme not stated, digits-cnn, batch "
        "size not stated, precision not stated, data not stated"
    )
    assert summary.group([several, replace(several, accelerators=1, parallelism=None)]).startswith(
        "toy-box, 4 x t4 or 1 x t4, "
    )


def test_an_efficiency_above_all_is_called_what_it_is() -> None:
    """Five times what N processes could do; so is a base of more threads than each of them."""
    assert (
        summary.efficiency(0.9, unequal=False)
        == "scaling efficiency 90.0%: throughput of N processes over N times that of one"
    )
    assert summary.efficiency(5.115, unequal=True) == (
        "scaling efficiency 511.5%: throughput of N processes over N times that of one, which had "
        "another number of threads, so it is no N-th of the other side; above 100 % is "
        "superlinear: usually a sign of a wrong base or of a shaky run"
    )
    assert "superlinear" not in summary.efficiency(1.0, unequal=False)
