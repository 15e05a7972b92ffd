"""The learning rate of each batch size by the source's rule."""

import pytest

from site_src.charts import markup
from site_src.locales import Locale
from site_src.questions.quality import learning_rate
from tests.site_src import articles, recorded

EN = recorded.english()
SOURCE = "rtx2080ti-colab-tpu"


def test_initial_rates_are_in_proportion_to_the_batch_size() -> None:
    """0.1, 0.2, 0.4, 0.8 and 1.6, for 128 to 2048."""
    table = articles.drawn(SOURCE)["learning-rate"].table
    first = table[table["start"] == 0]

    assert list(first["batch"]) == [128, 256, 512, 1024, 2048]
    assert list(first["rate"]) == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6])


def test_the_rate_falls_to_a_tenth_twice() -> None:
    """At epochs 50 and 80 of 100; the last stretch is followed by nothing."""
    table = articles.drawn(SOURCE)["learning-rate"].table
    rows = table[table["batch"] == 512].to_dict("records")

    assert [(row["start"], row["end"]) for row in rows] == [(0, 50), (50, 80), (80, 100)]
    assert [row["rate"] for row in rows] == pytest.approx([0.4, 0.04, 0.004])
    assert [row["next"] for row in rows] == [pytest.approx(0.04), pytest.approx(0.004), None]


def test_the_first_step_names_its_batch_size() -> None:
    """Words stand at the first step of each batch size alone."""
    words = [str(row["under"]) for row in articles.drawn(SOURCE)["learning-rate"].rows(EN, {})]

    assert [word for word in words if word][-1] == "batch size 2,048: 1.6"
    assert sum(bool(word) for word in words) == 5


@pytest.mark.parametrize(
    ("locale", "size"), [(EN, "2,048"), (recorded.foreign(), recorded.foreign().number(2048, 0))]
)
def test_legend_and_table_write_a_batch_size_as_the_language_does(
    locale: Locale, size: str
) -> None:
    """As words and other tables do: 2,048, never 2048."""
    figure = articles.drawn(SOURCE)["learning-rate"]
    last = next(row for row in figure.rows(locale, {}) if row["batch"] == 2048)

    assert figure.series[-1].told(locale) == size
    assert figure.column("label").write(last, locale) == size
    assert f"<bdi>{size}</bdi>" in markup.legend(figure, locale)


def test_a_source_without_a_rule_has_no_such_chart() -> None:
    """The first article prints none."""
    source = "tpuv2-v100"

    assert learning_rate.figure(articles.evidence(source), source, "") is None
