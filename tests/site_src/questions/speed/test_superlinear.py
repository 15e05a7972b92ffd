"""Speed-ups split into epochs and throughput."""

import pytest

from site_src.evidence import Evidence
from site_src.figures.columns import present
from site_src.tables import epochs
from tests.makers import transcribed
from tests.site_src import articles, recorded

EN = recorded.english()
FIGURE = articles.drawn("t4-v100-mlperf")["superlinear"]
ROWS = FIGURE.rows(EN, {})


def of(part: str) -> list[float]:
    """The factor on two and on four cards."""
    return [float(str(row["factor"])) for row in ROWS if row["part"] == part]


def test_the_parts_multiply_to_the_speedup() -> None:
    """3.1 is 12/7 times 1.81, 10.4 is 3 times 3.47; the bars end where the whole's does."""
    assert of("speedup") == [3.1, 10.4]
    assert of("convergence") == [12 / 7, 3]
    assert [round(factor, 2) for factor in of("throughput")] == [1.81, 3.47]
    finishes = {(row["cards"], row["part"]): row["finish"] for row in ROWS}
    assert finishes[2, "convergence"] == pytest.approx(3.1)
    assert finishes[4, "convergence"] == pytest.approx(10.4)


def test_efficiency_above_linear_is_said_to_be() -> None:
    """155 % and 260 % are above 100 %; without the epochs it is 90 % and 87 %."""
    found = [row["under"] for row in ROWS if present(row["efficiency"])]

    assert found == [
        "efficiency 155%: above linear",
        "efficiency 90%",
        "efficiency 260%: above linear",
        "efficiency 87%",
    ]


def test_linear_is_the_number_of_cards() -> None:
    """The line stands at 2 and at 4."""
    assert [row["linear"] for row in ROWS] == [2, 2, 2, 4, 4, 4]


def test_the_axis_is_logarithmic_and_no_other() -> None:
    """Factors multiply, so their bars add up on a logarithmic axis alone."""
    assert FIGURE.scales == ()
    chart = FIGURE.chart(EN).to_dict(validate=False)
    assert {
        layer["encoding"]["x"]["scale"]["type"]
        for layer in chart["layer"]
        if "scale" in layer["encoding"].get("x", {})
    } == {"log"}


def test_the_headline_takes_the_speedup_apart() -> None:
    """On four T4: the speed-up, both parts, and how far they are from linear."""
    said = FIGURE.headline(EN)

    assert all(figure in said for figure in ("4 × T4", "10.4×", "260%", "3×", "3.47×", "87%"))


def test_a_speedup_without_epochs_cannot_be_split() -> None:
    """Without the run on one card there is nothing to split by."""
    archive = recorded.without(transcribed("t4-v100-mlperf"), "t4-v100-mlperf-gnmt-t4-1")

    assert epochs.speedups(Evidence(archive, recorded.known()), "t4-v100-mlperf").empty
