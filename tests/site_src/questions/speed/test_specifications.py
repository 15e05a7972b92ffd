"""Two accelerators by what is printed of them."""

from dataclasses import replace

import pytest

from site_src.charts import markup, table
from site_src.evidence import Evidence
from site_src.questions.speed import specifications
from tests.makers import transcribed
from tests.site_src import articles, recorded

EN = recorded.english()
FIGURE = articles.drawn("t4-v100-mlperf")["specifications"]


def test_ratios_follow_from_the_table() -> None:
    """27.516 for FP64, 3.571 for the power, down to 0.868 for the boost clock."""
    found = {row["quantity"]: row["ratio"] for row in FIGURE.rows(EN, {}) if row["ratio"]}

    assert {name: round(float(str(ratio)), 4) for name, ratio in found.items()} == {
        "peak_fp64": 27.5157,
        "power": 3.5714,
        "memory_bandwidth": 2.8125,
        "base_clock": 2.1282,
        "cuda_cores": 2,
        "tensor_cores": 2,
        "peak_fp32": 1.7284,
        "peak_tensor_fp16": 1.7231,
        "boost_clock": 0.8679,
    }


def test_both_sides_are_read_in_one_unit() -> None:
    """What the source prints as 7 TFLOPS and 254.4 GFLOPS is compared in TFLOP/s."""
    row = next(row for row in FIGURE.rows(EN, {}) if row["quantity"] == "peak_fp64")

    assert (
        str(row["under"]).replace("\N{NO-BREAK SPACE}", " ") == "7 TFLOP/s against 0.2544 TFLOP/s"
    )


def test_a_memory_of_two_sizes_has_no_ratio() -> None:
    """16 GB/32 GB is no single figure: a cross and why, and no bar."""
    row = next(row for row in FIGURE.rows(EN, {}) if row["quantity"] == "memory")

    assert row["value"] is None
    assert row["text"] == EN.say("figure.specifications.missing")


def test_the_axis_is_logarithmic_first() -> None:
    """A half is as far from 1 as twice; a linear axis is the reader's choice."""
    assert FIGURE.scales == ("log", "linear")


def test_the_headline_counts_and_names_the_ends() -> None:
    """8 of 9 ratios are above 1; FP64 is the largest, the boost clock the smallest."""
    said = FIGURE.headline(EN)

    assert all(
        words in said
        for words in (
            "V100 PCIe exceeds T4 in 8 of 9",
            "0.868× (boost clock)",
            "27.5× (peak, FP64)",
        )
    )


@pytest.mark.parametrize("kept", ["t4", "none"])
def test_one_side_is_no_comparison(kept: str) -> None:
    """A source that prints specifications of one accelerator, or of none, has no such chart."""
    known = recorded.known()
    specs = tuple(
        spec for spec in known.specs if spec.source == "t4-v100-mlperf" and spec.hardware == kept
    )
    archive = transcribed("t4-v100-mlperf")

    assert (
        specifications.figure(Evidence(archive, replace(known, specs=specs)), "t4-v100-mlperf", "")
        is None
    )


def test_rows_lead_to_the_systems() -> None:
    """No run stands behind a specification: its row leads to the two systems' pages."""
    row = FIGURE.records(EN)[0]

    assert row["run_id"] is None
    assert row["first_page"] == "accelerators/v100-pcie/#specifications"
    assert row["second_page"] == "accelerators/t4/#specifications"
    assert FIGURE.credits(EN) == [row["credit"]]
    cell = markup.cell(table.entry(FIGURE.column("second_page"), row, EN), EN, "../../")
    assert cell == '<td><a href="../../en/accelerators/t4/#specifications">T4</a></td>'
