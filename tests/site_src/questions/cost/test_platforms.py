"""Time and cost by platform: what the chart says, marks and leaves out."""

import pytest

from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.questions.cost import platforms
from tests.makers import transcribed
from tests.site_src import recorded

EN = recorded.english()
SOURCE = "catalyst-cost"
HEAVY = {"workload": "resnet101-artists"}


def drawn(run: str = "", name: str = "", value: float = 0) -> Figure:
    """The chart of the article, with one figure of one run changed."""
    found = recorded.changed(transcribed(SOURCE), f"{SOURCE}-{run}", name, value=value)
    made = platforms.figure(Evidence(found, recorded.known()), SOURCE, f"reports/{SOURCE}/")
    assert made is not None
    return made


def test_the_headline_names_cheapest_and_fastest() -> None:
    """One GTX 1080 Ti for EUR 0.44 in 7092 s, the T4 in 1003 s for EUR 4.10."""
    said = drawn().headline(EN).replace("\N{NO-BREAK SPACE}", " ")

    assert all(
        text in said
        for text in ("GTX 1080 Ti (HOSTKEY): EUR 0.44, in 7,092 s", "T4: 1,003 s, for EUR 4.10")
    )


def test_one_platform_can_be_both() -> None:
    """With the machine at 900 s it is cheapest and fastest, and the sentence has one of it."""
    said = drawn("1080ti-resnet101", "train_time_s", 900.0).headline(EN)

    assert "fastest there too" in said and "T4" not in said


def test_each_row_follows_workload_and_measure() -> None:
    """Five heavy rows and five light ones; cost and price are other columns of the same rows."""
    figure = drawn()
    time, cost, hourly = (
        [row["value"] for row in figure.rows(EN, {**HEAVY, "measure": name})]
        for name in ("time", "cost", "hourly")
    )

    assert time == [1003, 2430, 7092, 7581, 13080]
    assert [round(float(str(value)), 2) for value in cost] == [4.10, 0.49, 0.44, 0.47, 5.61]
    assert [round(float(str(value)), 2) for value in hourly] == [14.71, 0.73, 0.22, 0.22, 1.54]
    assert [row["status"] for row in figure.rows(EN, {"workload": "resnet34-artists"})].count(
        "not_reported"
    ) == 1


def test_a_contradicted_cost_stands_beside_the_recomputed_one() -> None:
    """The T4's row says what is printed and marks it at 4.50; no other row has a mark of its
    own.
    """
    found = drawn().rows(EN, {"measure": "cost"})

    assert [row["beside"] == row["value"] for row in found] == [False, True, True, True, True]
    assert found[0]["beside"] == 4.5 and "printed" in str(found[0]["text"])
    assert all(row["beside"] == row["value"] for row in drawn().rows(EN, {}))


def test_the_mark_keeps_its_place_in_relative_values() -> None:
    """Over the recomputed cost of the T4 the printed one is 4.50 / 4.10."""
    figure = drawn()
    row = figure.rows(EN, {"measure": "cost", "view": "relative", "baseline": figure.series[0].id})[
        0
    ]

    assert row["value"] == 1
    assert row["beside"] == pytest.approx(4.5 / 4.099261)


def test_equal_quality_is_said_and_unequal_too() -> None:
    """0.9835 everywhere; with one run at 0.9 the remark gives the range."""
    equal = " ".join(drawn().notes(EN))
    unequal = " ".join(drawn("t4-resnet101", "final_auc", 0.9).notes(EN))

    assert "0.9835 on every platform" in equal
    assert "from 0.9000 to 0.9835" in unequal


def test_the_picture_says_currency_and_how_costs_came_about() -> None:
    """Axis and remarks say EUR, seconds times price, and what the source leaves open."""
    figure = drawn()

    assert "EUR" in figure.axis_title(
        EN, {"measure": "cost"}
    ) and "seconds × price" in figure.axis_title(EN, {"measure": "cost"})
    notes = ("recomputed", "count_not_stated", "undated_prices")
    for key in ("clock_scope_meaning.unknown", *(f"figure.{name}" for name in notes)):
        assert EN.say(key) in figure.notes(EN)
    assert EN.say("figure.month_hours") not in figure.notes(EN)
