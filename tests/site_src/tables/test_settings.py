"""Which setups are held against each other, and what is said of them."""

import dataclasses
from typing import Any

import pytest

from kernels.analysis.repetitions import setups
from kernels.records import Precision, Run, RunWarning
from site_src.tables.settings import compared, others, pairs, said
from tests.site_src.machines import a_run, evidence, of_suite
from tests.site_src.recorded import english

PLAIN = {"allocator": "default", "memory_format": "contiguous"}


def factors(*runs: Run) -> list[tuple[str, str, str]]:
    """Factor, side compared and baseline of each pair."""
    return [(pair.factor, pair.a.run.run_id, pair.b.run.run_id) for pair in pairs(setups(runs))]


@pytest.mark.parametrize(
    ("factor", "environment", "fields"),
    [
        ("compile", {"compile_mode": "inductor"}, {}),
        ("precision", {}, {"precision": Precision.AMP_BF16}),
        (
            "framework",
            {"compile_mode": "jit"},
            {"backend": "jax", "framework": "jax", "framework_version": "0.8"},
        ),
        ("threads", {"threads": 4}, {}),
    ],
)
def test_one_thing_that_differs_makes_a_pair(
    factor: str, environment: dict[str, Any], fields: dict[str, Any]
) -> None:
    """The plain side is the baseline, whichever was measured first."""
    assert factors(a_run("plain"), a_run("other", set_=environment, **fields)) == [
        (factor, "other", "plain")
    ]
    assert factors(a_run("zplain"), a_run("other", set_=environment, **fields)) == [
        (factor, "other", "zplain")
    ]


def test_two_things_that_differ_are_not_compared() -> None:
    """Nor the size of a suite with anything; only all settings of the harness together are."""
    plain = a_run("plain")

    assert (
        factors(plain, a_run("other", set_={"compile_mode": "inductor", "allocator": "default"}))
        == []
    )
    assert (
        factors(
            plain, of_suite(a_run("other", set_={"compile_mode": "inductor"}), "quick", "small")
        )
        == []
    )
    assert factors(plain, a_run("other", set_=PLAIN)) == [("own", "plain", "other")]


def test_the_allocator_alone_is_not_all_settings() -> None:
    """With the memory format unchanged it is a factor of its own."""
    assert factors(a_run("tuned"), a_run("default", set_={"allocator": "default"})) == [
        ("allocator", "tuned", "default")
    ]


def test_a_pair_says_what_its_intervals_allow() -> None:
    """Apart, overlapping, and without an interval: then it has no ends."""
    fast, close, few = a_run("b", 150.0), a_run("b", 101.0, 3.0), a_run("b", 150.0, None)
    found = []
    for other in (fast, close, few):
        runs = (a_run("a", 100.0, 3.0), dataclasses.replace(other, precision=Precision.AMP_BF16))
        (row,) = compared(pairs(setups(runs)), evidence(*runs)).to_dict("records")
        found.append((row["answer"], row["ratio"], row["ratio_low"] is None))

    assert found == [("faster", 1.5, False), ("not_separable", 1.01, False), ("few", 1.5, True)]


def test_a_pair_says_how_many_runs_and_which_interval() -> None:
    """That of a run's steps, a range of two alike, none for too few steps."""
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    runs = (
        a_run("a"),
        a_run("a2", 101.0),
        a_run("b", 150.0, **bf16),
        a_run("few", 150.0, None, set_={"compile_mode": "inductor"}),
    )

    rows = {
        str(row["factor"]): row
        for row in compared(pairs(setups(runs)), evidence(*runs)).to_dict("records")
    }

    read = {
        name: [(row[f"{side}_n"], row[f"{side}_interval"]) for side in "ab"]
        for name, row in rows.items()
    }
    assert read == {"precision": [(1, "ci95"), (2, "seeds")], "compile": [(1, None), (2, "seeds")]}


def test_scaling_is_held_against_as_many_threads_in_each() -> None:
    """Against one thread in each; against one process of two it is no scaling."""
    alone = a_run("alone", 60.0, set_={"threads": 1})
    both = a_run("both", 100.0)
    two = a_run("two", 90.0, processes=2, set_={"threads": 1})
    runs = (alone, both, two)

    found = compared(pairs(setups(runs)), evidence(*runs))

    rows = {
        (row["factor"], row["a_run"], row["b_run"]): row["efficiency"]
        for row in found.to_dict("records")
    }
    assert rows == {
        ("threads", "both", "alone"): None,
        ("processes", "two", "alone"): 0.75,
        ("processes", "two", "both"): None,
    }


def test_of_many_batch_sizes_the_largest_is_drawn() -> None:
    """Of those with an interval on both sides; all are pairs, and the chart has one row."""
    made = []
    for batch in (64, 1024, 128):
        made += [
            a_run(f"a{batch}", global_batch_size=batch),
            a_run(f"b{batch}", 200.0, global_batch_size=batch, precision=Precision.AMP_BF16),
        ]
    made += [
        a_run("a2048", 100.0, None, global_batch_size=2048),
        a_run("b2048", 200.0, global_batch_size=2048, precision=Precision.AMP_BF16),
    ]
    found = pairs(setups(made))

    table = compared(found, evidence(*made))

    assert len(found) == 4
    assert list(table["batch"]) == [1024]


def test_both_sides_have_words() -> None:
    """Numbers of processes and threads, and a framework that was compiled."""
    runs = (
        a_run("alone"),
        a_run("two", processes=2, set_={"threads": 1}),
        a_run("inductor", set_={"compile_mode": "inductor"}),
        a_run("jax", backend="jax", framework="jax", set_={"compile_mode": "jit"}),
    )

    words = {
        (pair.factor, said(pair, pair.a, english()), said(pair, pair.b, english()))
        for pair in pairs(setups(runs))
    }

    assert words == {
        ("processes", "2 processes × 1 thread", "1 × 2 threads"),
        ("compile", "compiled", "not compiled"),
        ("framework", "JAX", "PyTorch"),
        ("framework", "JAX", "PyTorch, compiled"),
    }


def repeated(name: str, value: float, **fields: Any) -> list[Run]:
    """Five runs alike of a suite, a little apart."""
    return [
        of_suite(a_run(f"{name}{n}", value + n / 10, **fields), "settings", "small")
        for n in range(5)
    ]


def test_repeated_sides_are_drawn_before_single_runs() -> None:
    """Even at a smaller batch; single runs stay pairs of their own."""
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    single = [a_run("a", global_batch_size=1024), a_run("b", 180.0, global_batch_size=1024, **bf16)]
    older = [a_run("c"), a_run("d", 150.0, **bf16)]
    runs = [*single, *older, *repeated("r", 100.0), *repeated("s", 200.0, **bf16)]

    found = pairs(setups(runs))
    (row,) = compared(found, evidence(*runs)).to_dict("records")

    assert [(pair.found.a.n, pair.found.b.n) for pair in found] == [(5, 5), (1, 1), (1, 1)]
    assert (row["a_n"], row["b_n"], row["batch"], row["size"], row["answer"]) == (
        5,
        5,
        128,
        "small",
        "faster",
    )
    assert (row["ratio"], row["a_interval"]) == (200.2 / 100.2, "ci95")


def test_sides_are_compared_within_one_suite() -> None:
    """In that with most runs; runs of other suites, at another hour, have no say."""
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    beside = [
        of_suite(a_run(name, 50.0), suite, "small")
        for name, suite in (("q", "quick"), ("t", "thermal"))
    ]
    rarer = of_suite(a_run("u", 80.0, **bf16), "quick", "small")
    runs = [*repeated("r", 100.0), *beside, *repeated("s", 200.0, **bf16), rarer]

    (pair,) = pairs(setups(runs))
    (row,) = compared([pair], evidence(*runs)).to_dict("records")

    assert {
        setting.value for side in (pair.a, pair.b) for run in side.runs for setting in run.settings
    } == {"settings", "small"}
    assert (row["a_n"], row["b_n"], row["ratio"], row["b_throughput"]) == (
        5,
        5,
        200.2 / 100.2,
        100.2,
    )
    assert row["b_throughput_ref"] == "suite:r4:throughput_images_per_s"


def test_a_doubt_of_either_side_marks_the_pair() -> None:
    """Not that of a run that is no side of it."""
    doubt = (RunWarning("other_load", 0.4, 0.05),)
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    for a, b, wanted in (((), doubt, "yes"), (doubt, (), "yes"), ((), (), None)):
        runs = (
            a_run("a", doubts=b),
            a_run("b", 150.0, doubts=a, **bf16),
            a_run("else", doubts=doubt, global_batch_size=64),
        )

        (row,) = compared(pairs(setups(runs)), evidence(*runs)).to_dict("records")

        assert row["doubted"] == wanted


def test_what_both_sides_share_is_said() -> None:
    """Another number format, an unusual setting, threads and processes; nothing usual."""
    shared: dict[str, Any] = {"set_": {"threads": 1, "allocator": "default"}, "processes": 2}
    unusual = pairs(
        setups([a_run("a", **shared), a_run("b", precision=Precision.AMP_BF16, **shared)])
    )
    usual = pairs(setups([a_run("a"), a_run("b", set_={"compile_mode": "inductor"})]))
    fewer = pairs(setups([a_run("a"), a_run("b", set_={"threads": 1})]))

    assert [others(pair, english()) for pair in (*unusual, *usual, *fewer)] == [
        ["default allocator", "2 processes × 1 thread"],
        ["FP32"],
        ["FP32"],
    ]
