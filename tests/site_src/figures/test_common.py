"""What several figures share: whom results of rounds are owed to, and what series and figures are
called.
"""

import csv
import io

import pytest

from site_src.charts.downloads import tables
from site_src.charts.table import shown
from site_src.costs import words
from site_src.figures.base import Figure
from site_src.figures.common import credit_of_results, level
from site_src.figures.targets import ChartTarget
from site_src.tables import FORMATS
from site_src.tables.recorded import Result
from tests.site_src.recorded import english, every


def mixed() -> list[Figure]:
    """Charts in which systems compute in several number formats."""
    return [
        figure
        for figure in every().values()
        if len(set(figure.table["precision"]) & set(FORMATS)) > 1
    ]


def test_each_result_keeps_its_round_division_submitter_and_system() -> None:
    """Each is said once, and no system loses those that it belongs to."""
    found = [
        Result("v0.6", "closed", "NVIDIA", "DGX-1 with V100"),
        Result("v0.5", "closed", "NVIDIA", "DGX-1V"),
        Result("v0.5", "closed", "Google", "tpuv2-8"),
        Result("v0.5", "closed", "Google", "8xV100"),
        Result("v0.7", "", "", ""),
    ]

    said = credit_of_results(found, english())

    assert (
        "v0.5, closed: Google (8xV100, tpuv2-8), NVIDIA (DGX-1V); v0.6, closed: NVIDIA (DGX-1 with "
        "V100)" in said
    )
    assert "v0.7, not stated: not stated (not stated)" in said
    assert "unverified" in said


def test_where_number_formats_differ_each_series_or_each_mark_names_its_own() -> None:
    """In the picture itself; a note says what it means that a series names none."""
    said = english()
    for figure, row in ((one, row) for one in mixed() for row in one.rows(said, {})):
        if row["precision"] not in FORMATS:
            assert "precision not stated" in str(row["under"]) or said.say(
                "figure.precisions_unsaid"
            ) in figure.pictured(said), figure.id
            continue
        words = " ".join(str(row.get(name)) for name in ("label", "name", "under"))
        assert (
            FORMATS[row["precision"]] in words or said.say(f"precision.{row['precision']}") in words
        ), (figure.id, words)


def test_all_charts_of_the_first_article_are_among_them() -> None:
    """Its TPU computes in bfloat16, its GPUs in FP16, and each series says so."""
    own = {"throughput", "data", "value", "accuracy", "target", "mlperf", "convergence"}

    assert {f"tpuv2-v100-{name}" for name in own} | {
        "resnet50-imagenet-costs",
        "resnet50-imagenet-throughput",
    } <= {one.id for one in mixed()}


@pytest.mark.parametrize(
    "id_", ["tpuv2-v100-throughput", "tpuv2-v100-value", "resnet50-imagenet-throughput"]
)
def test_a_picture_of_throughput_says_that_its_data_are_synthetic(id_: str) -> None:
    """Who reads it alone must know: real data are slower."""
    assert "Data: synthetic; augmentation: off." in every()[id_].pictured(english())


@pytest.mark.parametrize(
    ("id_", "said"),
    [
        ("rtx2080ti-colab-tpu-batch", {("real", "")}),
        ("tpuv2-v100-throughput", {("synthetic", "off")}),
        ("cpu-amd-epyc-2c-batch", {("synthetic", "off"), ("real", "off")}),
    ],
)
def test_downloads_say_data_and_augmentation_of_each_throughput(
    id_: str, said: set[tuple[str, str]]
) -> None:
    """As the page's table does: nothing where the source says nothing."""
    figure = every()[id_]
    header, *lines = csv.reader(io.StringIO(tables(figure)["table.csv"].decode()))

    assert {
        (line[header.index("feed")], line[header.index("augmentation")]) for line in lines
    } == said
    assert {"feed", "augmentation"} <= {column.name for column in shown(figure)}


@pytest.mark.parametrize(
    ("metric", "value", "said"),
    [("auc", 0.80275, "0.80275"), ("auc", 0.8025, "0.8025"), ("top1", 0.757, "75.7%")],
)
def test_a_target_is_said_alike_in_charts_costs_and_tables(
    metric: str, value: float, said: str
) -> None:
    """An AUC with its digits: the targets of DLRM and DLRM-DCNv2 are not one."""
    charted = ChartTarget(value, 1, 1, metric=metric).level(english())

    assert {charted, level(metric, value, english()), words.level(metric, value, english())} == {
        said
    }
