from kernels.analysis.mlperf_scores import Outcome, Score
from site_src.pages.accelerator import best_scores


def score(
    workload: str, accelerators: int | None, minutes: float, round_: str, **more: object
) -> Score:
    """A score of a submission with one run."""
    usual = {
        "source": "toy",
        "submitter": "Toy Works",
        "division": "closed",
        "system": "toy-box",
        "run_ids": (f"{workload}-{accelerators}-{minutes}-{round_}",),
        "runs": 5,
        "converged": 5,
        "verdict": Outcome.SCORED,
        "reason": None,
    }
    given = {"round": round_, "workload": workload, "accelerators": accelerators}
    return Score(**{**usual, **given, "score_minutes": minutes, **more})  # type: ignore[arg-type]


def test_the_best_score_is_of_the_newest_round_that_has_one() -> None:
    """For each workload and number of accelerators, and v10.0 is newer than v9.1."""
    newest = score("bert", 8, 6.0, "v10.0")
    found = [
        score("bert", 8, 5.0, "v9.1"),
        newest,
        score("bert", 8, 7.0, "v10.0"),
        score("bert", 8, 1.0, "v10.0", verdict=Outcome.INVALID),
        unscored := score("bert", 16, 3.0, "v9.1", verdict=Outcome.INCOMPLETE),
        score("bert", None, 3.0, "v9.1"),
        other := score("ssd", 4, 9.0, "v0.5"),
        small := score("bert", 2, 20.0, "v9.1"),
    ]

    best = best_scores(found)

    assert best == [small, newest, other]
    assert unscored not in best
