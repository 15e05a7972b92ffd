"""Energy of a training: each with the status of its power."""

from datetime import date

import pytest

from site_src.charts import downloads
from site_src.questions.cost import energy
from tests.site_src import articles, recorded

EN = recorded.english()
SOURCE = "rtx2080ti-colab-tpu"
JOINED = "\N{NO-BREAK SPACE}"


def told(**state: str) -> dict[tuple[str, str], tuple[object, str]]:
    """Value and text of each line, by system and status of the power."""
    rows = articles.drawn(SOURCE)["energy"].rows(EN, state)
    return {
        (str(row["system"]), str(row["power_status"])): (row["value"], str(row["text"]))
        for row in rows
    }


def test_the_largest_common_batch_comes_first() -> None:
    """126.1, 8.3 and 233.6 Wh; one card has no memory for it."""
    found = told()

    assert found["rtx2080ti-2x", "sum-by-the-author"] == (
        pytest.approx(500 * 908 / 3600),
        "≈ 126.1",
    )
    assert found["colab-tpu-v2-8", "unverified"] == (pytest.approx(40 * 751 / 3600), "8.3")
    assert found["colab-tpu-v2-8", "catalogue"] == (pytest.approx(4 * 280 * 751 / 3600), "233.6")
    assert found["rtx2080ti-1x", "specified"] == (None, EN.say("status.oom"))


def test_a_measured_range_of_power_is_a_range_of_energy() -> None:
    """For 1040 and 1037 s; of the TPU nothing was measured, the catalogue stays beside it."""
    found = told(power="measured", batch="1024")

    assert found["rtx2080ti-1x", "both-cards-one-idle"] == (None, "78.0–95.3")
    assert found["rtx2080ti-2x", "both-cards-both-used"] == (None, "86.4–144.0")
    assert found["colab-tpu-v2-8", "not-measured"] == (None, EN.say("figure.energy.no_power"))
    assert ("colab-tpu-v2-8", "catalogue") in found


def test_a_reading_is_not_carried_over_to_another_network() -> None:
    """The ranges were read with CNN-10: the Wide ResNet has no measured energy."""
    found = told(workload="wrn28-10-cifar10", power="measured", batch="128")
    unread = (None, EN.say("figure.energy.other_network"))

    assert (
        found["rtx2080ti-1x", "other-network"] == found["rtx2080ti-2x", "other-network"] == unread
    )
    assert told(workload="wrn28-10-cifar10", batch="128")["rtx2080ti-1x", "specified"][
        0
    ] == pytest.approx(250 * 11421 / 3600)


def test_each_line_says_what_its_energy_is_made_of() -> None:
    """Power, time and the status of the power."""
    rows = articles.drawn(SOURCE)["energy"].rows(EN, {})
    unders = {
        str(row["power_status"]): str(row["under"]).replace(JOINED, " ")
        for row in rows
        if row["value"] is not None
    }

    assert unders["unverified"] == "40 W × 0:12:31, quoted, unverified"


def test_the_catalogues_figure_has_its_own_source_and_terms() -> None:
    """Its rows rest on two sources, and may be passed on under the terms of both."""
    table = articles.drawn(SOURCE)["energy"].table
    row = table[table["power_status"] == "catalogue"].iloc[0]

    assert row["source"] == "epoch-ai"
    assert row["licence"] == "LicenseRef-quoted-facts; CC-BY-4.0"


def test_the_headline_gives_both_bases() -> None:
    """Whoever reads one sentence learns that the answer turns with the power of the TPU."""
    said = articles.drawn(SOURCE)["energy"].headline(EN)

    assert all(figure in said for figure in ("126.1", "8.3", "233.6", "1,120"))
    # unlike kinds of power
    assert ", the author’s sum of specified powers)" in said and ", quoted, unverified)" in said


def test_a_source_without_power_has_no_such_chart() -> None:
    """The first article gives no power."""
    source = "tpuv2-v100"

    assert energy.figure(articles.evidence(source), source, "") is None


def test_both_sources_of_a_row_are_credited() -> None:
    """Whoever shows the chart names both, under the terms of both."""
    figure = articles.drawn("rtx2080ti-colab-tpu")["energy"]
    second = sorted({str(credit).partition("; ")[2] for credit in figure.table["credit"]} - {""})
    cited = downloads.bibtex(
        figure, recorded.english(), {}, site="Touchstone", base="", day=date(2026, 11, 20)
    ).decode()

    assert second and set(second) < set(figure.credits(recorded.english()))
    assert "LicenseRef" not in cited and cited.count("CC-BY-4.0") == 1
