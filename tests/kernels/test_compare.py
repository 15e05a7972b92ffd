"""A difference is claimed where the intervals lie apart, and nowhere else."""

import dataclasses

import pytest

from kernels import compare
from kernels.compare import Answer
from kernels.errors import RecordError
from kernels.records import Environment, Interval, Metric, Origin, Precision, Run, Stat, Status

RATE = "throughput_images_per_s"


def a_run(name: str, value: float | None = 100.0, half: float | None = None, **fields: object) -> Run:
    """A run with a throughput, and its interval where `half` says how wide."""
    low, high = (None, None) if half is None or value is None else (value - half, value + half)
    interval = None if low is None else Interval.CI95
    metrics = () if value is None else (Metric(RATE, value, "images/s", low, high, interval, n=50, stat=Stat.MEDIAN),)
    run = Run(name, Origin.MEASURED, "measured", "here", "MIT", "Toy Works", "digits-cnn", "toy-box", Status.OK, metrics=metrics)
    run = dataclasses.replace(run, processes=1, global_batch_size=64, precision=Precision.FP32)
    return dataclasses.replace(run, **fields)  # type: ignore[arg-type]  # tests name the fields


def answer(a: list[Run], b: list[Run]) -> Answer:
    """What is said of the throughput."""
    (only,) = compare.compare(a, b)
    return only.answer


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ((115, 2), (100, 2), Answer.FASTER),
        ((85, 2), (100, 2), Answer.SLOWER),
        ((111.9, 0.1), (100, 0.1), Answer.NOT_SEPARABLE),
        ((112.1, 0.1), (100, 0.1), Answer.FASTER),
        ((100, 0.1), (111.9, 0.1), Answer.NOT_SEPARABLE),
        ((104, 3), (100, 3), Answer.NOT_SEPARABLE),
        ((100.5, 0.5), (100, 0.5), Answer.SAME),
        ((101.5, 0.2), (100, 0.2), Answer.SAME),
        ((110, None), (100, 2), Answer.NOT_SEPARABLE),
    ],
)
def test_two_runs_are_told_apart_by_their_intervals(a: tuple[float, float | None], b: tuple[float, float | None], wanted: Answer) -> None:
    """Apart by more than single runs repeat is faster or slower, within 2 % at their furthest ends the same; one value says nothing."""
    assert answer([a_run("a", *a)], [a_run("b", *b)]) is wanted


def few(side: str, *runs: tuple[float, float | None]) -> list[Run]:
    """Runs of one side, each with its throughput and half its interval."""
    return [a_run(f"{side}{n}", value, half) for n, (value, half) in enumerate(runs)]


def test_few_runs_have_the_union_of_their_intervals() -> None:
    """Where all of A lie above all of B; one that does not, or is as wide as that, and nobody can tell."""
    a, b = few("a", (110, 1), (111, 2)), few("b", (100, 3), (103, 1), (101, 1))

    (found,) = compare.compare(a, b)

    assert (found.answer, found.a.low, found.a.high) == (Answer.FASTER, 109, 113)
    assert (found.b.value, found.b.low, found.b.high, found.b.interval, found.b.n) == (101, 97, 104, Interval.SEEDS, 3)
    assert answer([*a, a_run("late", 102.0, 1)], b) is Answer.NOT_SEPARABLE
    assert answer(few("a", (110, 1), (111, 8)), b) is Answer.NOT_SEPARABLE
    assert answer(few("a", (104.5, 0.1), (104.6, 0.1)), b) is Answer.FASTER


def test_few_runs_of_too_few_steps_have_no_interval() -> None:
    """Medians that lie close together say nothing of what each would be with more steps."""
    (found,) = compare.compare(few("a", (110, 1), (111, None)), few("b", (100, 1), (101, 1)))

    assert (found.answer, found.a.value, found.a.low, found.a.high, found.a.interval) == (Answer.NOT_SEPARABLE, 110.5, None, None, None)
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
        return a_run(name, metrics=(Metric("train_time_s", seconds, "s", n=1), Metric("final_accuracy", quality, n=1)))

    found = {
        each.metric: each.answer
        for each in compare.compare([run("a0", 9, 0.9), run("a1", 10, 0.91)], [run("b0", 19, 0.8), run("b1", 20, 0.81)])
    }

    assert found == {"train_time_s": Answer.FASTER, "final_accuracy": Answer.HIGHER}


def test_unlike_things_are_named() -> None:
    """Another batch size makes no fair comparison; another allocator is what may be compared, and is said."""
    a = a_run("a", environment=Environment(allocator="tuned"))
    b = a_run("b", global_batch_size=128, environment=Environment(allocator="default"))

    assert compare.unlike([a], [b]) == ("global_batch_size: 64 against 128",)
    assert compare.differences([a], [b]) == ("allocator: tuned against default",)
    assert compare.unlike([a], [a_run("c")]) == ()


def test_runs_are_chosen_by_id_and_pattern() -> None:
    """A withdrawn one is left out; a word that names nothing is refused."""
    runs = [a_run("toy-s0"), a_run("toy-s1"), a_run("toy-s2", withdrawn="wrong clock"), a_run("other")]

    assert [run.run_id for run in compare.choose(runs, "other,toy-*")] == ["other", "toy-s0", "toy-s1"]
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
