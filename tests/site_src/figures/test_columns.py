"""Cells of a figure's table: differences have their sign, and series that are numbers are written
as numbers.
"""

import pytest

from site_src.figures.base import Figure
from site_src.figures.columns import Column, labelled, present
from tests.site_src import articles, recorded

EN = recorded.english()


@pytest.mark.parametrize(
    ("value", "text"), [(0.14, "+0.14"), (-0.43, "−0.43"), (0.0, "0.00"), (0.001, "0.00")]
)
def test_a_difference_has_its_sign(value: float, text: str) -> None:
    """Plus above zero, minus below, none where it rounds to nothing."""
    column = Column("points", "column.points", "number", decimals=2, signed=True)

    assert column.write({"points": value}, EN) == text


@pytest.mark.parametrize("name", ["accuracy", "startup"])
def test_differences_of_an_article_have_their_signs(name: str) -> None:
    """All of a column, below and above zero alike."""
    figure: Figure = articles.drawn("rtx2080ti-colab-tpu")[name]
    told = {"accuracy": "points", "startup": "difference"}[name]
    texts = [
        figure.column(told).write(row, EN) for row in figure.rows(EN, {}) if present(row[told])
    ]

    assert texts
    assert {text[0] for text in texts if text.strip("−+0.")} <= {"+", "−"}


def test_a_label_keeps_its_name() -> None:
    """A number among letters is a part of a name."""
    assert [labelled(label, EN) for label in ("1024", "V100", "RTX 2080 Ti")] == [
        "1,024",
        "V100",
        "RTX 2080 Ti",
    ]
