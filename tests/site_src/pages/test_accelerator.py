import pytest

from kernels import store
from kernels.analysis.mlperf_scores import Outcome, Score
from kernels.records import Metric, Origin
from kernels.store import Archive
from site_src.locales import load
from site_src.pages.accelerator import best_scores, throughput
from site_src.pages.components.writer import Writer
from tests.makers import RUNS, make_run
from tests.site_src.recorded import make_site
from tests.site_src.tongues import STRINGS


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
    site = make_site(Archive(runs=(*runs, logged)))
    at = Writer(site, load(STRINGS, ("en",))[0], "accelerators/rtx-3090/")
    hardware = site.catalog.hardware

    trained, inferred = str(throughput(at, hardware["rtx-3090"], "RTX 3090")[0]).split("</table>")[
        :2
    ]

    assert "1,218" in trained
    assert "3,219" in inferred
    assert "3,219" not in trained
    assert "inference" in inferred
    assert throughput(at, hardware["h100-sxm"], "H100") == []
    [*_, way] = throughput(at, hardware["rtx-3090"], "RTX 3090")
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
    site = make_site(Archive(runs=(run,)))
    at = Writer(site, load(STRINGS, ("en",))[0], f"accelerators/{accelerator}/")

    shown = throughput(at, site.catalog.hardware[accelerator], "One")

    assert ("4,112" in "".join(shown)) is listed
    assert ("../../measured/one-card/" in "".join(shown)) is listed
