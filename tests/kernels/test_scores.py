"""Scores by the rules: trimmed means, failures, and why there is none."""

from kernels.records import Origin, Run, Setting, Status
from kernels.scores import Outcome, scores


def a_run(
    index: int, minutes: float | None, status: Status = Status.OK, workload: str = "resnet50-imagenet", factor: float | None = None
) -> Run:
    """One imported run of the toy submission."""
    return Run(
        run_id=f"mlperf-toy-{workload}-{index}",
        origin=Origin.IMPORTED,
        source="mlperf-v0.5-toy",
        locator=f"file 'toy/results/box/{workload}/result_{index}.txt'",
        licence="Apache-2.0",
        credit="MLPerf",
        workload=workload,
        system="toy-box",
        status=status,
        repeat_index=index,
        wall_time_s=None if minutes is None else minutes * 60,
        settings=() if factor is None else (Setting("scaling_factor", str(factor)),),
    )


def test_the_fastest_and_the_slowest_are_dropped() -> None:
    """Of 1, 2, 3, 4 and 100 minutes the mean of 2, 3 and 4 counts."""
    (found,) = scores(a_run(index, minutes) for index, minutes in enumerate((1, 100, 3, 2, 4)))

    assert (found.score_minutes, found.verdict, found.converged) == (3.0, Outcome.SCORED, 5)


def test_one_failed_run_is_the_slowest() -> None:
    """It is the one dropped at the slow end: 2, 3 and 4 remain."""
    (found,) = scores([*(a_run(index, minutes) for index, minutes in enumerate((1, 3, 2, 4))), a_run(4, None, Status.UNFINISHED)])

    assert (found.score_minutes, found.converged) == (3.0, 4)


def test_two_failed_runs_are_no_score() -> None:
    """And the reason says how many may fail."""
    runs = [a_run(0, 1), a_run(1, 2), a_run(2, 3), a_run(3, 9, Status.NOT_CONVERGED), a_run(4, None, Status.UNFINISHED)]
    (found,) = scores(runs)

    assert (found.score_minutes, found.verdict) == (None, Outcome.INVALID)
    assert found.reason == "2 of 5 runs did not reach the target; 1 may fail"


def test_too_few_runs_are_no_score() -> None:
    """One run of five is just that."""
    (found,) = scores([a_run(0, 1)])

    assert (found.verdict, found.reason) == (Outcome.INCOMPLETE, "1 of 5 runs")


def test_unet3d_drops_four_at_each_end() -> None:
    """Forty runs of 1 to 40 minutes: the mean of 5 to 36 is 20.5."""
    (found,) = scores(a_run(index, index + 1.0, workload="unet3d-kits19") for index in range(40))

    assert found.score_minutes == 20.5


def test_ncf_takes_the_first_fifty_that_converge() -> None:
    """Failures in between do not count, later and slower runs neither."""
    runs = [a_run(2 * index, 1.0, workload="ncf-movielens-20m") for index in range(50)]
    runs += [a_run(2 * index + 1, None, Status.NOT_CONVERGED, "ncf-movielens-20m") for index in range(20)]
    runs += [a_run(200 + index, 50.0, workload="ncf-movielens-20m") for index in range(10)]
    (found,) = scores(runs)

    assert (found.score_minutes, found.runs, found.converged) == (1.0, 80, 60)


def test_a_scaling_factor_multiplies_the_mean() -> None:
    """And is shown beside the score that it is in."""
    (found,) = scores(a_run(index, 10, factor=1.5) for index in range(5))

    assert (found.score_minutes, found.scaling_factor) == (15.0, 1.5)


def test_withdrawn_and_measured_runs_have_no_score() -> None:
    """Only what a round counts is scored."""
    assert scores([]) == []
