"""What holds for every chart of the later reports."""

import pytest

from tests.site_src import articles

CHARTS = [
    *(("t4-v100-mlperf", short) for short in ("specifications", "ratios", "epochs", "superlinear")),
    *(
        ("rtx2080ti-colab-tpu", short)
        for short in ("accuracy", "monitoring", "learning-rate", "energy")
    ),
    *(("rtx2080ti-colab-tpu", short) for short in ("batch", "startup", "cards", "largest-batch")),
    *(("catalyst-cost", short) for short in ("cards", "platforms")),
]


@pytest.mark.parametrize(("source", "short"), CHARTS)
def test_each_figure_is_valid_and_worded(source: str, short: str) -> None:
    """Every figure passes the Vega-Lite schema in both languages, and has its words."""
    articles.hold_words(articles.drawn(source)[short])


@pytest.mark.parametrize(("source", "short"), CHARTS)
def test_every_figure_of_a_table_is_its_reference(source: str, short: str) -> None:
    """Each figure in a table has a reference, and equals what that resolves to."""
    figure = articles.drawn(source)[short]
    articles.hold_references(articles.facts(source), figure.table, figure.columns)
