"""The article on T4 and V100: its tables, its runs with unprinted targets, its audit."""

import shutil
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from kernels import catalog
from kernels.errors import SourceError
from kernels.importers import article
from kernels.importers.mlperf import rules
from kernels.records import Certainty, Precision, Status, Verdict
from tests.makers import audited, transcribed

ROOT = Path(__file__).resolve().parents[3]
SOURCE = "t4-v100-mlperf"
FOLDER = ROOT / "runs" / "sources" / SOURCE
BENCHMARKS = {
    "resnet50": "resnet",
    "ssd": "ssd",
    "mask-rcnn": "maskrcnn",
    "gnmt": "gnmt",
    "transformer": "transformer",
    "ncf": "ncf",
}


found = partial(transcribed, SOURCE)
facts = partial(audited, SOURCE)


def value(ref: str) -> float | None:
    """A figure of the source."""
    return facts().get(ref).value


def test_the_catalogue_holds_the_figures_of_table_1() -> None:
    """MHz and TFLOPS of the table in base units; which memory the V100 had is not stated."""
    scale = {"MHz": 1e6, "TFLOP/s": 1e12, "GB": 1e9}
    names = {"peak-mixed": "peak_tensor_fp16", "tdp": "power"}

    for cell in found().cells:
        quantity = names.get(cell.row, cell.row.replace("-", "_"))
        if (
            cell.table != "specifications"
            or cell.value is None
            or quantity not in catalog.QUANTITIES
        ):
            continue
        spec = catalog.load().spec(cell.column, quantity, SOURCE)
        assert spec is not None
        if (cell.row, cell.column) == ("memory", "v100-pcie"):
            assert (spec.value, spec.certainty) == (None, Certainty.NOT_STATED)
        else:
            assert spec.value == pytest.approx(cell.value * scale.get(str(cell.unit), 1.0))


def test_tasks_are_told_in_the_source_s_words_too() -> None:
    """As printed, and by a key that has words in each language."""
    cells = {(c.row, c.column): c.text for c in found().cells if c.table == "benchmarks"}

    assert cells["ssd", "task-as-printed"] == "Clasificación de objetos"
    assert cells["ssd", "task"] == "object-detection"


@pytest.mark.parametrize("word", list(BENCHMARKS))
def test_targets_are_those_of_the_round(word: str) -> None:
    """It names no target: each run has the round's, reconstructed, and no time."""
    for run in (run for run in found().runs if run.run_id.startswith(f"{SOURCE}-{word}-")):
        assert run.targets == rules.targets(BENCHMARKS[word], "v0.5")
        times = [metric for metric in run.metrics if metric.name == "time_to_target_s"]
        assert [metric.status for metric in times] == [Status.NOT_REPORTED] * len(run.targets)
        assert run.framework == ("TensorFlow" if word == "resnet50" else "PyTorch")
        assert run.precision == Precision.UNKNOWN
        assert run.container == "none"
        assert (run.accelerators is None) == (run.status is not Status.OK)


def test_no_ratio_can_be_checked_but_the_range_of_all_follows() -> None:
    """The times behind five ratios are in pictures."""
    judged = facts().judgements(SOURCE)
    ratios = [each.verdict for each in judged if each.claim.quantity == "v100-times-t4"]
    low, high = (facts().judgement(f"{SOURCE}-overall-{end}") for end in ("low", "high"))

    assert ratios == [Verdict.NOT_CHECKABLE] * 5
    assert (low.recomputed, low.verdict) == (2.2, Verdict.REPRODUCES)
    assert (high.recomputed, high.verdict) == (3.6, Verdict.REPRODUCES)


def test_the_super_linear_speed_up_parts_into_epochs_and_throughput() -> None:
    """10.4 times is 3 times fewer epochs x 3.47; 155 and 260 % a card become 90 and 87 %."""
    assert value(f"claim:{SOURCE}-gnmt-superlinear-2:recomputed") == pytest.approx(1.55)
    assert value(f"claim:{SOURCE}-gnmt-superlinear-4:recomputed") == pytest.approx(2.6)
    assert value(f"claim:{SOURCE}-gnmt-explained-2:recomputed") == pytest.approx(3.1 * 7 / 12 / 2)
    assert value(f"claim:{SOURCE}-gnmt-explained-4:recomputed") == pytest.approx(10.4 / 3 / 4)


def test_the_audit_contradicts_one_figure() -> None:
    """More T4 than the server may take. Peaks are estimates: no source says FLOP a cycle."""
    judged = facts().judgements(SOURCE)
    count = Counter(judgement.verdict for judgement in judged)
    wrong = {
        judgement.claim.claim_id: judgement.recomputed
        for judgement in judged
        if judgement.verdict is Verdict.CONTRADICTS
    }

    assert wrong == {f"{SOURCE}-t4-supported": 4.0}
    assert value(f"claim:{SOURCE}-peak-mixed-v100:recomputed") == pytest.approx(113.0496)
    assert count[Verdict.ESTIMATE] == 8
    assert len(judged) >= 30


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "box_ap; mask_ap",
            "box_ap; mask_ap; map",
            "target_metric: found 3 metrics, wanted one, or one for each target: 0.377, 0.339",
        ),
        (
            "top1,reconstructed",
            "top1,guessed",
            "target_certainty: found 'guessed', wanted one of stated, reconstructed",
        ),
    ],
)
def test_targets_that_do_not_fit_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    """As many metrics as targets, or one; and a certainty that there is."""
    folder = Path(shutil.copytree(FOLDER, tmp_path / SOURCE))
    text = (folder / "runs.csv").read_text(encoding="utf-8")
    (folder / "runs.csv").write_text(text.replace(old, new), encoding="utf-8")

    with pytest.raises(SourceError, match=said):
        article.transcribed(folder)
