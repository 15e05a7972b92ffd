"""Words of a page: what no source states shares one row, whatever the language calls it."""

import pytest
from markupsafe import Markup

from site_src.locales import LANGUAGES
from site_src.pages.components.text import capital, small
from tests.site_src.pages.conftest import Written
from tests.site_src.recorded import english, spoken


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_unknown_precision_shares_the_row_of_what_is_not_stated(
    written: Written, code: str
) -> None:
    """Also where the word for it has another gender."""
    locale = spoken(code)
    writer = written("runs/x/")
    writer.locale = locale
    rows = [
        (Markup("Precision"), writer.word("precision", "unknown")),
        (Markup("Cluster"), writer.missing("not_stated")),
        (Markup("Batch"), Markup("128")),
    ]

    kept, last = writer.gathered(rows)

    assert kept == (Markup("Batch"), Markup("128"))
    assert last[0].lower() == writer.t("not_stated").lower()
    assert "Precision".lower() in last[1].lower()


def test_every_column_of_a_printed_table_has_its_word(written: Written) -> None:
    """Columns that a reader sees as heads; names of companies are written as they are."""
    site = written("reports/").site
    columns = {cell.column for cells in site.cells.values() for cell in cells}

    assert columns
    assert (
        sorted(
            column
            for column in columns
            if column.islower() and not english().has(f"cell_column.{column}")
        )
        == []
    )


@pytest.mark.parametrize(
    ("code", "source", "name"),
    [
        ("ru", "ecb", "Справочные курсы евро"),
        ("ja", "tpuv2-v100", "ResNet-50で比べるCloud TPU v2とV100 4基"),
        ("es", "t4-v100-mlperf", "Rendimiento de aprendizaje profundo"),
        ("en", "ecb", "Euro foreign exchange reference rates"),
    ],
)
def test_a_source_of_another_language_has_a_name_in_this_one(
    written: Written, code: str, source: str, name: str
) -> None:
    """Its report's title, or ours for it; its own title where that can be read."""
    locale = spoken(code)
    writer = written("costs/")
    writer.locale = locale
    reports = dict.fromkeys(("tpuv2-v100", "t4-v100-mlperf"))
    writer.site.reports = reports  # type: ignore[assignment]  # their names are asked for, nothing else

    said = writer.source_name(source)

    assert said.startswith(name)
    assert "lang=" not in said


@pytest.mark.parametrize(
    ("text", "line", "within"),
    [("final loss", "Final loss", "final loss"), ("Final", "Final", "final")]
    + [(text, text, text) for text in ("mAP", "GPU", "")],
)
def test_an_abbreviation_keeps_its_letters(text: str, line: str, within: str) -> None:
    """At the beginning of a line as within a sentence."""
    assert (capital(Markup.escape(text)), small(Markup.escape(text))) == (line, within)
