from collections.abc import Iterator
from dataclasses import replace

import pytest

from kernels import store
from kernels.analysis.mlperf_scores import Outcome, Score
from kernels.records import Metric, Origin, Run
from site_src.pages.accelerator import best_scores, scores, throughput
from site_src.pages.components.tables import LONG
from tests.makers import RUNS, make_run, make_source
from tests.site_src.recorded import page_at
from tests.site_src.submitted import submission

SOURCE = make_source("mlperf-v0.5-toyco", licence="Apache-2.0", credit="Toyco")


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


def _submitted(count: int) -> Iterator[Run]:
    """The five runs of as many submissions, each with one accelerator more."""
    for n in range(1, count + 1):
        for run in submission("v0.5", 2018, range(100, 105), range(60, 65)):
            id_, file = (text.replace("box", f"box-{n}") for text in (run.run_id, run.locator))
            yield replace(run, run_id=id_, locator=file, accelerators=n)


def test_many_scores_are_folded_away_behind_the_smallest_number_of_each_workload() -> None:
    """All of them unfold below; few stand open and are not said twice."""
    at = page_at("accelerators/v100-sxm2-16gb/", *_submitted(LONG + 1), sources=(SOURCE,))
    best = best_scores(at.site.scores_of())

    many, few = (str(scores(at, found)) for found in (best, best[:-1]))

    assert len(best) == LONG + 1
    assert many.count("</tr>") == 2 + len(best) + 1
    assert f"Table ({len(best)}\N{NO-BREAK SPACE}rows)" in many
    assert few.count("</tr>") == len(best) and "<details" not in few


def test_the_throughput_of_one_stands_with_training_and_inference_apart() -> None:
    """As published tables state it; nothing where none does, or where only a round's logs do."""
    runs = store.read_file(RUNS / "imported" / "timm-results-runs.parquet")
    logged = make_run(
        "mlperf-toy",
        origin=Origin.IMPORTED,
        round="v5.1",
        accelerator="h100-sxm",
        accelerators=1,
        metrics=(Metric("throughput_images_per_s", 9.0, "images/s"),),
    )
    at = page_at("accelerators/rtx-3090/", *runs, logged)
    hardware = at.site.catalog.hardware

    trained, inferred = str(throughput(at, hardware["rtx-3090"])[0]).split("</table>")[:2]

    assert "1,218" in trained
    assert "3,219" in inferred
    assert "3,219" not in trained
    assert "inference" in inferred
    assert throughput(at, hardware["h100-sxm"]) == []
    [*_, way] = throughput(at, hardware["rtx-3090"])
    assert "../../throughput/" in way


@pytest.mark.parametrize(
    ("accelerator", "listed"), [("h100-sxm", True), ("cpu-intel-core-i7-12700h", False)]
)
def test_what_our_harness_did_on_a_card_stands_on_its_page(accelerator: str, listed: bool) -> None:
    """With the way to all that was measured; of a processor the machine's page has it."""
    run = make_run(
        "own",
        system="one-card",
        origin=Origin.MEASURED,
        accelerator=accelerator,
        accelerators=1,
        metrics=(Metric("throughput_images_per_s", 4112.0, "images/s"),),
    )
    at = page_at(f"accelerators/{accelerator}/", run)

    shown = throughput(at, at.site.catalog.hardware[accelerator])

    assert ("4,112" in "".join(shown)) is listed
    assert ("../../measured/one-card/" in "".join(shown)) is listed
