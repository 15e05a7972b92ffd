"""What one machine does: which setups a sweep takes, what failed, and shares of a peak."""

import dataclasses

import pytest

from kernels.analysis.repetitions import setups
from kernels.records import Environment, Origin, Precision, Run, Sample, Setting, Status
from kernels.store import Archive
from site_src.tables import measured
from site_src.tables.measured import arithmetic, batches, digits
from tests.site_src.machines import SYSTEM, a_run, computing, evidence, of_suite, seeded


def rows(*runs: Run) -> list[dict[str, object]]:
    """The table of batches as dictionaries."""
    return batches(setups(runs), evidence(*runs)).to_dict("records")  # type: ignore[return-value]  # columns are named by strings


def test_a_sweep_takes_the_settings_with_most_batch_sizes() -> None:
    """Compiled at one batch size is no sweep; it is compared elsewhere."""
    found = rows(
        a_run("a"),
        a_run("b", 150.0, global_batch_size=256),
        a_run("c", 300.0, set_={"compile_mode": "inductor"}),
    )

    assert [(row["batch"], row["throughput"]) for row in found] == [(128, 100.0), (256, 150.0)]


def test_a_batch_that_ran_out_of_memory_is_a_row_without_a_figure() -> None:
    """Even where it ended before it told its settings; not where the batch was timed."""
    gone = a_run(
        "d",
        None,
        global_batch_size=512,
        status=Status.OOM,
        environment=Environment(os="Debian 12", cpu_model="Toy CPU"),
    )
    gone = dataclasses.replace(
        gone,
        environment=dataclasses.replace(
            gone.environment or Environment(), memory_bytes=8_000_000_000
        ),
    )
    again = a_run("e", None, status=Status.OOM)

    found = rows(a_run("a"), a_run("b", 150.0, global_batch_size=256), gone, again)

    assert [(row["batch"], row["status"], row["throughput"]) for row in found] == [
        (128, "ok", 100.0),
        (256, "ok", 150.0),
        (512, "oom", None),
    ]


def test_mean_load_stands_beside_the_throughput() -> None:
    """Of repetitions the median of theirs, with its reference; nothing where none was read."""
    loads = {"a": 0.7, "b": 0.8, "c": 0.9}
    read = [
        dataclasses.replace(a_run(name), telemetry=(Sample(0.0, 0, utilisation=load),), steps=())
        for name, load in loads.items()
    ]

    (three, other) = rows(*read, a_run("d", 150.0, global_batch_size=256))

    assert (three["load"], three["load_ref"]) == (0.8, f"alike:{read[-1].run_id}:mean_load")
    assert other["load_ref"] is None


def test_too_few_steps_have_their_number_and_no_interval() -> None:
    """Seven steps are n = 7, of two such runs the fewer; where both have one, the interval over the runs."""
    (few,) = rows(a_run("a", 100.0, None))
    (both,) = rows(a_run("a", 100.0, None), a_run("b", 110.0, None))
    (several,) = rows(a_run("a", 100.0, 0.5), a_run("b", 110.0, 0.5))

    assert (few["steps"], few["throughput_low"]) == (7, None)
    assert (both["steps"], both["throughput_low"], both["n"]) == (7, None, 2)
    assert (
        several["steps"],
        several["throughput_low"],
        several["throughput_high"],
        several["n"],
    ) == (None, 99.5, 110.5, 2)


def test_real_data_stand_apart_from_made_up_ones() -> None:
    """Of one workload they are two choices; one on real data alone keeps its name."""
    both = rows(a_run("a"), seeded(0, 10.0))
    alone = rows(seeded(0, 10.0))

    assert [row["workload"] for row in both] == ["cnn10-cifar10", "cnn10-cifar10-real"]
    assert [row["workload"] for row in alone] == ["cnn10-cifar10"]


def test_the_size_of_a_suite_is_a_column() -> None:
    """A small size is not pooled with a run by itself."""
    found = rows(
        of_suite(a_run("a", global_batch_size=64), "quick", "small"),
        of_suite(a_run("b"), "quick", "small"),
        a_run("c", 120.0),
    )

    assert {row["size"] for row in found} == {"small"}
    assert [row["batch"] for row in found] == [64, 128]


def test_a_smaller_suite_gives_way_to_a_sweep_by_itself() -> None:
    """Two batch sizes make one, however many the suite had."""
    suite = [
        of_suite(a_run(f"s{batch}", global_batch_size=batch), "quick", "small")
        for batch in (32, 64, 128)
    ]

    found = rows(*suite, a_run("a"), a_run("b", global_batch_size=64))

    assert [(row["batch"], row["size"]) for row in found] == [(64, None), (128, None)]


def test_a_peak_of_too_few_steps_leads_nothing() -> None:
    """A product with an interval is the peak where there is one, and its framework is told."""
    few = computing("m1", "micro-matmul", 120e9, settings=(Setting("operation_size", "64"),))
    few = dataclasses.replace(
        few,
        metrics=tuple(
            dataclasses.replace(m, low=None, high=None, interval=None, n=7) for m in few.metrics
        ),
    )
    runs = few, computing("m2", "micro-matmul", 100e9), computing("r", "resnet50-imagenet", 60e9)

    found = {
        row["workload"]: row for row in arithmetic(setups(runs), evidence(*runs)).to_dict("records")
    }
    (alone,) = arithmetic(setups([few]), evidence(few)).to_dict("records")

    network = found["resnet50-imagenet"]
    assert (network["of_measured"], network["peak_run"], network["peak_framework"]) == (
        0.6,
        "m2",
        "PyTorch",
    )
    assert (network["steps"], network["flop_low"]) == (50, 60e9)
    assert (alone["peak_run"], alone["steps"], alone["flop_low"]) == ("m1", 7, None)


def test_runs_without_the_figure_do_not_count() -> None:
    """One of two repetitions ran out of memory before it told its arithmetic."""
    runs = (
        computing("m1", "micro-matmul", 100e9),
        a_run("m2", None, workload="micro-matmul", status=Status.OOM),
    )

    (row,) = arithmetic(setups(runs), evidence(*runs)).to_dict("records")

    assert (row["n"], row["steps"]) == (1, 50)


def test_arithmetic_is_held_against_the_fastest_product_of_its_format() -> None:
    """Mixed precision against bfloat16, the rest against their own."""
    runs = (
        computing("m1", "micro-matmul", 80e9),
        computing("m2", "micro-matmul", 100e9, settings=(Setting("operation_size", "2048"),)),
        computing("m3", "micro-matmul", 400e9, precision=Precision.BF16),
        computing("r1", "resnet50-imagenet", 60e9),
        computing("r2", "resnet50-imagenet", 200e9, precision=Precision.AMP_BF16),
        computing("r3", "resnet50-imagenet", 10e9, precision=Precision.FP64),
    )

    table = arithmetic(setups(runs), evidence(*runs))

    shares = {
        (row["workload"], row["series"]): row["of_measured"] for row in table.to_dict("records")
    }
    assert shares == {
        ("micro-matmul", "bf16"): 1.0,
        ("micro-matmul", "fp32"): 1.0,
        ("resnet50-imagenet", "bf16"): 0.5,
        ("resnet50-imagenet", "fp32"): 0.6,
        ("resnet50-imagenet", "fp64"): None,
    }
    assert set(table["of_nominal"]) == {None}


def test_the_makers_peak_counts_for_each_accelerator() -> None:
    """Two cards can do twice as much; the processor of an unlisted machine has no such figure."""
    run = computing("r1", "resnet50-imagenet", 67e12, accelerator="h200-sxm", accelerators=2)

    table = arithmetic(setups([run]), evidence(run))

    (row,) = table.to_dict("records")
    assert row["of_nominal"] == pytest.approx(67e12 / (2 * 66.91e12))
    assert (
        row["of_nominal_ref"]
        == "ratio(alike:r1:achieved_flop_per_s, product(spec:h200-sxm:peak_fp32, "
        "run:r1:accelerators))"
    )


def test_machines_are_those_of_the_harness() -> None:
    """A published system has no such page."""
    published = a_run("p", system="elsewhere", origin=Origin.PUBLISHED)

    assert measured.machines(Archive(runs=(a_run("a"), published))) == [SYSTEM]


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ((250.0,), 0),
        ((12.3,), 1),
        ((1.5,), 2),
        ((0.34,), 3),
        ((0.0034,), 5),
        ((None,), 0),
        ((0.0,), 0),
        ((250.0, 248.0, 252.0), 0),
        ((100.0, 99.8, 100.2), 1),
        ((100.0, 100.0, 100.0), 0),
        ((100.0, None, None), 0),
    ],
)
def test_three_digits_are_written(values: tuple[float | None, ...], decimals: int) -> None:
    """Of small figures too; one more where the ends of the interval would read the same."""
    assert digits(*values) == decimals
