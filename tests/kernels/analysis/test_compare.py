"""A difference is claimed where the intervals lie apart, and nowhere else."""

import dataclasses
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from kernels import store
from kernels.analysis import compare, repetitions, summary
from kernels.analysis.compare import Answer
from kernels.errors import RecordError
from kernels.records import (
    Environment,
    Interval,
    Metric,
    Origin,
    Precision,
    Run,
    RunWarning,
    Stat,
    Status,
    Target,
)
from tests.makers import make_archive, make_run, transcribed

RATE = "throughput_images_per_s"


def a_run(
    name: str, value: float | None = 100.0, half: float | None = None, **fields: object
) -> Run:
    """A run with a throughput, and its interval where `half` says how wide."""
    low, high = (None, None) if half is None or value is None else (value - half, value + half)
    interval = None if low is None else Interval.CI95
    metrics = (
        ()
        if value is None
        else (Metric(RATE, value, "images/s", low, high, interval, n=50, stat=Stat.MEDIAN),)
    )
    usual = {"processes": 1, "global_batch_size": 64, "precision": Precision.FP32}
    return make_run(name, **{"metrics": metrics, **usual, **fields})


def answer(a: list[Run], b: list[Run]) -> Answer:
    """What is said of the throughput."""
    (only,) = compare.compare(a, b)
    return only.answer


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ((115, 2), (100, 2), Answer.FASTER),
        ((85, 2), (100, 2), Answer.SLOWER),
        ((112.9, 0.1), (100, 0.1), Answer.NOT_SEPARABLE),
        ((113.1, 0.1), (100, 0.1), Answer.FASTER),
        ((100, 0.1), (112.9, 0.1), Answer.NOT_SEPARABLE),
        ((104, 3), (100, 3), Answer.NOT_SEPARABLE),
        ((100.5, 0.5), (100, 0.5), Answer.SAME),
        ((101.5, 0.2), (100, 0.2), Answer.SAME),
        ((110, None), (100, 2), Answer.NOT_SEPARABLE),
    ],
)
def test_two_runs_are_told_apart_by_their_intervals(
    a: tuple[float, float | None], b: tuple[float, float | None], wanted: Answer
) -> None:
    """Apart by more than runs repeat is faster or slower, within 2 % the same; or it is open."""
    assert answer([a_run("a", *a)], [a_run("b", *b)]) is wanted


def few(side: str, *runs: tuple[float, float | None]) -> list[Run]:
    """Runs of one side, each with its throughput and half its interval."""
    return [a_run(f"{side}{n}", value, half) for n, (value, half) in enumerate(runs)]


def test_few_runs_have_the_union_of_their_intervals() -> None:
    """Where all of A lie above all of B; else nobody can tell."""
    a, b = few("a", (110, 1), (111, 2)), few("b", (100, 3), (103, 1), (101, 1))

    (found,) = compare.compare(a, b)

    assert (found.answer, found.a.low, found.a.high) == (Answer.FASTER, 109, 113)
    assert found.b.value == 101
    assert found.b.low == 97
    assert found.b.high == 104
    assert found.b.interval == Interval.SEEDS
    assert found.b.n == 3
    assert answer([*a, a_run("late", 102.0, 1)], b) is Answer.NOT_SEPARABLE
    assert answer(few("a", (110, 1), (111, 8)), b) is Answer.NOT_SEPARABLE
    assert answer(few("a", (104.5, 0.1), (104.6, 0.1)), b) is Answer.FASTER


def test_few_runs_of_too_few_steps_have_no_interval() -> None:
    """Medians that lie close together say nothing of what each would be with more steps."""
    (found,) = compare.compare(few("a", (110, 1), (111, None)), few("b", (100, 1), (101, 1)))

    assert found.answer == Answer.NOT_SEPARABLE
    assert found.a.value == 110.5
    assert found.a.low is None
    assert found.a.high is None
    assert found.a.interval is None
    assert found.ratio_low is None
    assert found.reason == "a side without an interval: time more steps, or make more runs"


def test_five_runs_have_an_interval_over_runs() -> None:
    """So one outlier among many does not hide the difference."""
    a = [a_run(f"a{n}", 110.0 + n) for n in range(9)]
    b = [a_run(f"b{n}", 100.0 + n) for n in range(8)] + [a_run("b8", 130.0)]

    (found,) = compare.compare(a, b)

    assert found.a.interval is Interval.CI95
    assert found.answer is Answer.FASTER


def test_less_time_is_faster_and_more_quality_is_higher() -> None:
    """The direction follows the metric."""

    def run(name: str, seconds: float, quality: float) -> Run:
        time = Metric("train_time_s", seconds, "s", n=1)
        return a_run(name, metrics=(time, Metric("final_accuracy", quality, n=1)))

    found = {
        each.metric: each.answer
        for each in compare.compare(
            [run("a0", 9, 0.9), run("a1", 10, 0.91)], [run("b0", 19, 0.8), run("b1", 20, 0.81)]
        )
    }

    assert found == {"train_time_s": Answer.FASTER, "final_accuracy": Answer.HIGHER}


def test_unlike_things_are_named() -> None:
    """Another batch size is not comparable; another allocator may be compared, and is said."""
    a = a_run("a", environment=Environment(allocator="tuned"))
    b = a_run("b", global_batch_size=128, environment=Environment(allocator="default"))

    assert compare.unlike([a], [b]) == ("global_batch_size: 64 against 128",)
    assert compare.differences([a], [b]) == ("allocator: tuned against default",)
    assert compare.unlike([a], [a_run("c")]) == ()


def test_runs_are_chosen_by_id_and_pattern() -> None:
    """A withdrawn one is left out; a word that names nothing is refused."""
    runs = [a_run("toy-s0"), a_run("toy-s1"), a_run("toy-s2", withdrawn="clock"), a_run("other")]

    assert [run.run_id for run in compare.choose(runs, "other,toy-*")] == [
        "other",
        "toy-s0",
        "toy-s1",
    ]
    with pytest.raises(RecordError, match=r"nothing-\*: no run has this id"):
        compare.choose(runs, "nothing-*")
    with pytest.raises(RecordError, match="withdrawn"):
        compare.choose(runs, "toy-s2")


def test_what_has_no_figures_is_refused_with_the_reason() -> None:
    """Out of memory is no speed; and a run is not compared with itself."""
    with pytest.raises(RecordError, match="b is oom"):
        compare.compare([a_run("a")], [a_run("b", None, status=Status.OOM)])
    with pytest.raises(RecordError, match="a: on both sides"):
        compare.compare([a_run("a")], [a_run("a")])


def test_scaling_is_throughput_over_that_of_one_process() -> None:
    """Two processes with 180 images/s against one with 100: 90 %, whichever side they are on."""
    one, two = a_run("one"), a_run("two", 180.0, processes=2)

    assert compare.scaling([two], [one]) == compare.scaling([one], [two]) == 0.9
    assert compare.scaling([one], [a_run("again")]) is None
    assert compare.scaling([two], [a_run("four", processes=4)]) is None


def test_nothing_firm_is_said_with_a_warning_on_a_side() -> None:
    """The reason names the run and its warnings, the ratio stays; quality is another matter."""
    shaky = (RunWarning("other_load", 0.3, 0.05), RunWarning("unstable", 0.1, 0.05))
    quality = Metric("final_accuracy", 0.9, low=0.89, high=0.91, interval=Interval.SEEDS, n=3)
    worse = dataclasses.replace(quality, value=0.7, low=0.69, high=0.71)
    calm = a_run("calm", 150.0, 1.0)
    warned = a_run("shaky", 100.0, 1.0, doubts=shaky)

    speed, reached = compare.compare(
        [dataclasses.replace(calm, metrics=(*calm.metrics, quality))],
        [dataclasses.replace(warned, metrics=(*warned.metrics, worse))],
    )
    (alike,) = compare.compare([a_run("a", 100, 0.1)], [a_run("b", 100, 0.1, doubts=shaky[:1])])
    (some,) = compare.compare(
        few("a", (150, 1), (151, 1)),
        [a_run("b0", 100, 1, doubts=shaky[:1]), a_run("b1", 101, 1, doubts=shaky)],
    )

    assert (speed.answer, speed.ratio) == (Answer.NOT_SEPARABLE, 1.5)
    assert speed.reason == "run shaky has 2 warnings (other_load, unstable)"
    assert alike.answer == Answer.NOT_SEPARABLE
    assert alike.reason == "run b has 1 warning (other_load)"
    assert some.answer == Answer.NOT_SEPARABLE
    assert some.reason == "2 of the 4 runs have warnings (other_load, unstable)"
    assert reached.answer is Answer.HIGHER


def test_runs_of_the_archive_that_repeat_each_other_are_not_called_different(
    tmp_path: Path,
) -> None:
    """At most one pair in twenty is called faster or slower, without warnings too."""
    archive = store.read(make_archive(tmp_path, "measured/*", "withdrawn/*"))
    answers = {True: Counter[Answer](), False: Counter[Answer]()}
    for setup in repetitions.setups(archive.runs):
        for one, other in combinations(
            [run for run in setup.runs if compare.speed(run) is not None], 2
        ):
            first = compare.compare([one], [other])[0]
            answers[bool(one.doubts or other.doubts)][first.answer] += 1
    calm = answers[False]

    assert calm.total() >= 20 and answers[True].total() >= 20
    assert calm[Answer.FASTER] + calm[Answer.SLOWER] <= 0.05 * calm.total()
    assert set(answers[True]) == {Answer.NOT_SEPARABLE}


def test_how_many_runs_are_behind_a_published_figure_its_source_says_or_nobody() -> None:
    """Its number where it gives one, else not stated; a run of our own is one."""
    metric = Metric(RATE, 100.0, "images/s", stat=Stat.NOT_STATED)
    silent = a_run("silent", origin=Origin.PUBLISHED, metrics=(metric,))
    said = a_run("said", origin=Origin.PUBLISHED, metrics=(dataclasses.replace(metric, n=5),))

    (found,) = compare.compare([silent], [a_run("own", 100.0, 1.0)])
    (other,) = compare.compare([said], [silent])

    assert (found.a.stated, found.b.stated, found.b.n) == (False, True, 1)
    assert other.a.n == 5
    assert other.a.stated is True
    assert summary.estimate(other.a, "images/s") == "100 images/s n=5"
    assert summary.estimate(found.a, "images/s") == "100 images/s n not stated"
    assert [summary.comparison(found)[side]["n"] for side in "ab"] == [None, 1]  # type: ignore[index]  # a dictionary within
    assert (
        found.reason == "no interval of A: a published figure does not say how far it would repeat"
    )
    assert compare.compare([a_run("own", 100.0, 1.0)], [said, silent])[0].b.stated is False


@pytest.mark.parametrize(
    ("a", "b", "ratio", "differing"),
    [
        (
            "tpuv2-v100-tpu-synthetic-1024",
            "tpuv2-v100-v100-tensorflow-synthetic-1024",
            {RATE: 3186 / 3128},
            {"precision: amp_bf16 against amp_fp16", "accelerator: tpu-v2 against v100-sxm2-16gb"},
        ),
        (
            "t4-v100-mlperf-gnmt-t4-3",
            "t4-v100-mlperf-gnmt-v100-3",
            {"epochs_to_target@0.218": 5 / 9},
            {"accelerator: t4 against v100-pcie"},
        ),
        (
            "rtx2080ti-colab-tpu-2gpu-cnn10-128",
            "rtx2080ti-colab-tpu-1gpu-cnn10-128",
            {
                "median_epoch_s": 14.22 / 11.68,
                "train_time_s": 1427 / 1174,
                "final_accuracy": 0.9003 / 0.896,
            },
            {"accelerators: 2 against 1", "parallelism: synchronous_data_parallel against none"},
        ),
    ],
)
def test_pairs_of_the_articles_are_compared(
    a: str, b: str, ratio: dict[str, float], differing: set[str]
) -> None:
    """What differs is said, and no verdict is given on figures without an interval."""
    runs = {run.run_id: run for run in transcribed().runs}

    found = compare.compare([runs[a]], [runs[b]])

    assert {each.metric: each.ratio for each in found} == pytest.approx(ratio)
    assert {each.answer for each in found} == {Answer.NOT_SEPARABLE}
    assert differing <= {
        *compare.unlike([runs[a]], [runs[b]]),
        *compare.differences([runs[a]], [runs[b]]),
    }


def test_epochs_far_apart_are_named_before_a_time_to_the_target() -> None:
    """More than a tenth apart, times to a target tell of learning too; throughput comes first."""

    def learnt(name: str, epochs: float, *more: Metric) -> Run:
        needed = Metric("epochs_to_target", epochs, "epochs", n=1, target=Target("bleu", 0.218))
        return a_run(name, metrics=(needed, *more))

    rate = a_run("rate").metrics[0]
    far = compare.compare([learnt("a", 5.0)], [learnt("b", 9.0)])
    fast = compare.compare([learnt("a", 10.0, rate)], [learnt("b", 8.0, rate)])

    text = (
        "A needed {} epochs to the target than B, so times to it differ by what was learned too: {}"
    )
    assert compare.far_epochs(far) == text.format(
        "44.4% fewer", "no throughput tells their speed apart"
    )
    assert compare.far_epochs(fast) == text.format(
        "25.0% more", "throughput, above, compares their speed"
    )
    assert fast[0].metric == RATE
    assert compare.far_epochs(compare.compare([learnt("a", 10.0)], [learnt("b", 10.5)])) is None


def test_what_only_one_side_has_is_named() -> None:
    """A missed target by its status, a figure never taken as not recorded."""
    target = Target("top1", 0.9)
    missed = Metric("time_to_target_s", None, "s", target=target, status=Status.NOT_CONVERGED)
    hit = dataclasses.replace(missed, value=9.0, status=Status.OK)
    deaf = Metric("compile_time_s", None, "s", status=Status.NOT_SUPPORTED)
    a, b = a_run("a"), a_run("b")
    a = dataclasses.replace(a, metrics=(*a.metrics, hit, deaf))
    b = dataclasses.replace(b, metrics=(*b.metrics, missed, Metric("energy_j", 4.0, "J"), deaf))

    assert compare.lacking([a], [b]) == (
        "time_to_target_s@0.9: not compared, as B has none (not_converged)",
        "energy_j: not compared, as A has none (not recorded)",
    )


def test_a_single_operation_is_compared_by_what_it_computes() -> None:
    """FLOP or bytes a second and no samples, which are calls; two workloads are never faster."""

    def operation(name: str, flop: float, workload: str = "micro-matmul") -> Run:
        metrics = tuple(
            Metric(metric, value, unit, value, value, Interval.CI95, n=50)
            for metric, value, unit in (
                ("throughput_samples_per_s", flop / 1e9, "samples/s"),
                ("achieved_flop_per_s", flop, "FLOP/s"),
            )
        )
        return a_run(name, metrics=metrics, workload=workload)

    (found,) = compare.compare([operation("a", 3e11)], [operation("b", 2e11)])
    other = compare.compare([operation("a", 3e11)], [operation("b", 2e11, "micro-convolution")])[0]

    assert (found.metric, found.answer, found.ratio) == ("achieved_flop_per_s", Answer.FASTER, 1.5)
    assert other.answer == Answer.NOT_SEPARABLE
    assert other.reason == "two workloads: their figures say nothing of each other"
