"""Two accelerators beside each other: which results are compared, and what is said of them."""

from dataclasses import replace
from statistics import mean

import pytest

from kernels.analysis.compare import Answer
from kernels.analysis.mlperf_scores import Outcome, Score, scores
from kernels.analysis.pairs import (
    Basis,
    Match,
    Ratio,
    Submission,
    grouped,
    leading,
    match,
    pair,
    pairs,
    submissions,
)
from tests.makers import chosen


def side(
    accelerator: str,
    minutes: float,
    *,
    number: int = 8,
    round_: str = "v2.1",
    workload: str = "bert",
    target: float = 0.72,
    spread: float = 0.05,
) -> Submission:
    """A submission whose runs lie so far around its score, as a fraction of it."""
    score = Score(
        source="toy",
        submitter="Toy Works",
        round=round_,
        division="closed",
        system="toy-box",
        workload=workload,
        accelerators=number,
        run_ids=(f"{accelerator}-{workload}-{number}-{round_}-{minutes}",),
        runs=5,
        converged=5,
        score_minutes=minutes,
        verdict=Outcome.SCORED,
        reason=None,
    )
    return Submission(
        accelerator,
        score,
        (("mlm_accuracy", target),),
        framework=None,
        year=2022,
        round=tuple(int(part) for part in round_[1:].split(".")),
        low=60 * minutes * (1 - spread),
        high=60 * minutes * (1 + spread),
    )


def of(*found: Submission) -> Match:
    """The match of A and B."""
    return match(grouped(found), "a", "b", "bert")


def test_the_same_number_comes_before_the_same_round_and_the_newest_round_before_others() -> None:
    """Then the nearest round, the fewest accelerators, and the best score of each."""
    equal = of(
        side("a", 10, round_="v1.0"),
        side("b", 20, round_="v1.0"),
        side("a", 6, round_="v2.1"),
        best := side("a", 5, round_="v2.1"),
        other := side("b", 15, round_="v2.1"),
        side("a", 1, number=64),
        side("b", 2, number=64),
    )
    number = of(
        side("a", 10, round_="v2.1"),
        side("b", 20, round_="v1.0"),
        side("b", 9, number=16),
    )
    nearest = of(side("a", 10), side("b", 3, number=64), near := side("b", 9, number=16))

    assert (equal.basis, equal.a, equal.b) == (Basis.ROUND, best, other)
    assert (number.basis, number.b.score.round) == (Basis.NUMBER, "v1.0")
    assert (nearest.basis, nearest.b, nearest.told) == (Basis.NEAREST, near, None)


def test_results_with_other_targets_have_no_ratio() -> None:
    """However alike they are otherwise; one with the same target is taken before them."""
    other = of(side("a", 10), side("b", 20, target=0.7))
    same = of(side("a", 10), side("b", 20, target=0.7), side("b", 99, number=512))

    assert (other.basis, other.told) == (Basis.TARGET, None)
    assert (same.basis, same.b.number) == (Basis.NEAREST, 512)


def test_the_ends_of_a_ratio_are_those_of_the_runs() -> None:
    """Fastest run of one against the slowest of the other; where they overlap, nothing is said."""
    apart = of(side("a", 10), side("b", 20))
    overlap = of(side("a", 10), side("b", 10.5))
    ratio = Ratio.of(apart.a, apart.b)

    assert apart.told is not None
    assert overlap.told is not None
    assert apart.told.answer is Answer.SLOWER  # B, by its times
    assert overlap.told.answer is Answer.NOT_SEPARABLE
    assert ratio.value == 2
    assert (ratio.low, ratio.high) == pytest.approx((2 * 0.95 / 1.05, 2 * 1.05 / 0.95))


def leads(ratios: dict[str, float], **spread: float) -> str:
    """The workload that speaks for A and B, where A takes 10 minutes in each."""
    times = [(name, workload, 10 * ratio) for workload, ratio in ratios.items() for name in "ab"]
    best = grouped(
        side(
            name,
            minutes if name == "b" else 10,
            workload=workload,
            round_="v2.0" if workload == "dlrm" and name == "b" else "v2.1",
            spread=spread.get(workload, 0.05),
        )
        for name, workload, minutes in times
    )
    return leading(pair(best, "a", "b")).workload


def test_the_middle_ratio_of_what_compares_best_speaks_for_a_pair() -> None:
    """Not the largest, nor another basis while there is a better one; of two the one that claims
    less.
    """
    assert leads({"bert": 2, "ssd": 3, "gnmt": 9, "dlrm": 2.5}) == "ssd"
    assert leads({"bert": 2, "ssd": 3, "gnmt": 9, "rnnt": 4}) == "ssd"
    assert leads({"bert": 1 / 2, "ssd": 1 / 3}) == "bert"


def test_a_middle_that_cannot_be_told_apart_yields_to_what_its_runs_allow() -> None:
    """One workload with 21 times the speed does not speak for one without a difference."""
    assert leads({"bert": 2, "ssd": 3, "gnmt": 9}, ssd=0.6) == "bert"
    assert leads({"bert": 21, "lora": 1.02}) == "lora"
    assert leads({"bert": 1.18, "lora": 1.15}, lora=0.3) == "bert"


def test_open_submissions_and_those_without_a_score_are_not_compared() -> None:
    """Nor is what does not say on how many accelerators it ran."""
    archive = chosen()
    runs = {run.run_id: run for run in archive.runs}
    first = next(one for one in scores(archive.runs) if one.verdict is Outcome.SCORED)
    left_out = [
        replace(first, division="open"),
        replace(first, verdict=Outcome.INVALID),
        replace(first, accelerators=None),
    ]

    assert [one.score for one in submissions([first, *left_out], runs)] == [first]


@pytest.mark.parametrize(("a", "b", "n"), [("a30", "v100", 8), ("a30", "v100-sxm2-16gb", 8)])
def test_ratios_follow_from_the_runs_as_they_are_recorded(a: str, b: str, n: int) -> None:
    """By the rule of the round, without the fastest and the slowest run, worked out anew."""
    archive = chosen()
    best = grouped(submissions(scores(archive.runs), {run.run_id: run for run in archive.runs}))
    found = match(best, a, b, "resnet50-imagenet")
    times = []
    for one in (found.a, found.b):
        own = sorted(
            run.wall_time_s or 0.0 for run in archive.runs if run.run_id in one.score.run_ids
        )
        times.append(own)
        assert one.minutes == pytest.approx(mean(own[1:-1]) / 60)
    ratio = Ratio.of(found.a, found.b)

    assert (found.a.number, found.b.number) == (n, n)
    assert ratio.value == pytest.approx(mean(times[1][1:-1]) / mean(times[0][1:-1]))
    assert ratio.low == pytest.approx(times[1][0] / times[0][-1])
    assert ratio.high == pytest.approx(times[1][-1] / times[0][0])


def test_each_pair_that_shares_a_workload_has_one_name() -> None:
    """The same in both orders; no accelerator is beside itself."""
    best = grouped([side("b", 1), side("a", 2), side("c", 3, workload="ssd")])

    assert list(pairs(best)) == ["a-vs-b"]
