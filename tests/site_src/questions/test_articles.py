"""What holds for every chart of the later reports."""

import pytest

from site_src.figures.columns import present
from tests.site_src import articles, recorded

EN = recorded.english()
CHARTS = [
    *(("t4-v100-mlperf", short) for short in ("specifications", "ratios", "epochs", "superlinear")),
    *(
        ("rtx2080ti-colab-tpu", short)
        for short in ("accuracy", "monitoring", "learning-rate", "energy")
    ),
    *(("rtx2080ti-colab-tpu", short) for short in ("batch", "startup", "cards", "largest-batch")),
    ("catalyst-cost", "cards"),
]


@pytest.mark.parametrize(("source", "short"), CHARTS)
def test_each_figure_is_valid_and_worded(source: str, short: str) -> None:
    """Every figure passes the Vega-Lite schema in both languages and has title, question and
    headline.
    """
    figure = articles.drawn(source)[short]
    for locale in (EN, recorded.foreign()):
        assert figure.chart(locale).to_dict()["data"]["name"] == "rows"
        assert figure.title(locale) and figure.question(locale)
        assert figure.headline(locale).endswith("." if locale is EN else "ñandú")


@pytest.mark.parametrize(("source", "short"), CHARTS)
def test_every_figure_of_a_table_is_its_reference(source: str, short: str) -> None:
    """Each figure in a table has a reference, and equals what that resolves to."""
    figure = articles.drawn(source)[short]
    for row in figure.table.to_dict("records"):
        for column in figure.columns:
            if column.ref in row and present(row[column.name]):
                assert articles.facts(source).get(str(row[column.ref])).value == row[column.name], (
                    column.name
                )
