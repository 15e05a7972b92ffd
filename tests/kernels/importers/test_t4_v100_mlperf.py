"""The article on T4 and V100: its tables, its runs with unprinted targets, its audit."""

import csv
import re
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
EXPECTED = ROOT / "tests" / "site_src" / "expected" / "articles" / SOURCE
BENCHMARKS = {
    "resnet50": "resnet",
    "ssd": "ssd",
    "mask-rcnn": "maskrcnn",
    "gnmt": "gnmt",
    "transformer": "transformer",
    "ncf": "ncf",
}
PRINTED = {
    "9e+11 byte/s": ("900", "GB/s"),
    "3.2e+11 byte/s": ("320", "GB/s"),
    "7.82e+14 byte": ("782", "TB"),
}
"""Figures that are recorded in base units, as the source prints them."""
EPOCHS = {"gnmt": "epochs_to_target@0.218", "transformer": "epochs_to_target@0.25"}


found = partial(transcribed, SOURCE)
facts = partial(audited, SOURCE)


def value(ref: str) -> float | None:
    """A figure of the source."""
    return facts().get(ref).value


def expected(name: str) -> list[dict[str, str]]:
    """A printed table, written down a second time by someone else."""
    return list(csv.DictReader((EXPECTED / f"{name}.csv").read_text(encoding="utf-8").splitlines()))


def table(name: str) -> dict[tuple[str, str], str]:
    """Cells of a table by row and column: their text, or their figure with its unit."""
    return {
        (cell.row, cell.column): cell.text
        or " ".join(PRINTED.get(f"{cell.value:g} {cell.unit}", (f"{cell.value:g}", str(cell.unit))))
        for cell in found().cells
        if cell.table == name
    }


@pytest.mark.parametrize("gpu", ["t4", "v100-pcie"])
def test_specifications_are_those_of_table_1(gpu: str) -> None:
    """14 rows; each figure stands there with its unit, and each text."""
    cells = table("specifications")
    rows = {
        "memory": ("memory", "memory-alternative"),
        "power": ("tdp",),
        "slot_width": ("slot-width",),
    }

    for row in expected("specifications"):
        wanted = row[gpu]
        given = " ".join(
            cells[key, gpu]
            for key in rows.get(row["quantity"], (row["quantity"].replace("_", "-"),))
        )

        assert re.sub(r" (1|cores|no-second-size)$", "", given) == wanted


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


def test_benchmarks_are_those_of_table_2() -> None:
    """Six benchmarks with data, size as printed, framework; tasks in the source's words too."""
    cells = table("benchmarks")
    sizes = {"GB": 1e9, "MB": 1e6}

    for row, key in zip(expected("benchmarks"), BENCHMARKS, strict=True):
        number, unit = row["size"].split()

        assert value(f"cell:{SOURCE}:benchmarks:{key}:size") == pytest.approx(
            float(number) * sizes[unit]
        )
        assert cells[key, "framework"] == row["framework"]
        assert row["data"].lower() in cells[key, "data"].lower()
    assert cells["ssd", "task-as-printed"] == "Clasificación de objetos"
    assert cells["ssd", "task"] == "object-detection"


def test_the_configuration_is_that_of_table_3() -> None:
    """14 rows; each name or version, and each figure, is the printed row's."""
    cells = table("configuration")
    scaled = {"3.0 GHz": "3 GHz", "2": "2 1", "": "no-figure"}

    rows = expected("configuration")
    for row in rows:
        for column in ("name", "quantity", "clock"):
            assert cells[row["item"], column] == scaled.get(row[column], row[column])
    assert len(rows) == len({row for row, _ in cells}) == 14


def test_epochs_are_those_of_the_text() -> None:
    """By number of cards; each target is that of MLPerf v0.5 and marked as not printed."""
    runs = {run.run_id: run for run in found().runs}

    for row in expected("epochs"):
        gpu = row["gpu"].removesuffix("-pcie")
        for cards in "1234":
            run = runs.get(f"{SOURCE}-{row['benchmark']}-{gpu}-{cards}")
            metric = run.metric(EPOCHS[row["benchmark"]]) if run else None

            assert (f"{metric.value:g}" if metric and metric.value else "") == row[cards]


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


def test_ratios_are_those_of_the_text() -> None:
    """Five benchmarks with ratios, none of them checkable; the overall range follows."""
    for row in expected("ratios"):
        if row["benchmark"] == "overall":
            ends = [facts().judgement(f"{SOURCE}-overall-{end}") for end in ("low", "high")]
            assert [str(end.recomputed) for end in ends] == [row["low"], row["high"]]
            assert {end.verdict for end in ends} == {Verdict.REPRODUCES}
            continue
        judged = facts().judgement(f"{SOURCE}-ratio-{row['benchmark']}")
        assert judged.verdict is Verdict.NOT_CHECKABLE
        low, high = (
            judged.claim.printed_low or judged.claim.printed,
            judged.claim.printed_high or judged.claim.printed,
        )
        assert str(low) == row["low"]
        assert str(high) == row["high"]
        assert judged.claim.quantity == "v100-times-t4"


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
