"""One article at a time, as it is transcribed, and the figures that it has data for."""

from collections.abc import Iterable
from functools import cache
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from tests.makers import transcribed
from tests.site_src import drawing, recorded
from tests.site_src.recorded import known

FIGURES: Final = {"number", "quantity", "fraction", "money", "times"}
"""Kinds of columns that hold figures."""

COUNTED: Final = {
    *("n", "steps", "step", "device", "epoch"),
    *("target", "target_second", "target_value"),
}
"""Columns that count or name rows, and figures that are asked for."""


@cache
def evidence(source: str) -> Evidence:
    """Its runs beside the catalogue."""
    return Evidence(transcribed(source), known())


def facts(source: str) -> Facts:
    """Facts about it."""
    return evidence(source).facts


@cache
def drawn(source: str) -> dict[str, Figure]:
    """Its figures by their short names."""
    return {figure.short: figure for figure in drawing.figures(evidence(source))}


def hold_words(figure: Figure) -> None:
    """A figure passes the Vega-Lite schema, and in two languages, which differ in words alone, it has
    title and headline.
    """
    assert figure.chart(recorded.english()).to_dict()["data"]["name"] == "rows"
    assert figure.chart(recorded.foreign()).to_dict(validate=False)["data"]["name"] == "rows"
    for locale in (recorded.english(), recorded.foreign()):
        assert figure.title(locale)
        assert figure.headline(locale).endswith("." if locale.code == "en" else "ñandú")


def hold_references(
    facts: Facts, table: pd.DataFrame, columns: Iterable[Column], *, each: bool = True
) -> None:
    """Each figure of a table equals what its reference resolves to; with `each` all have one."""
    for row in table.to_dict("records"):
        for column in (one for one in columns if present(row[one.name])):
            if present(row.get(column.ref)):
                assert facts.get(str(row[column.ref])).value == row[column.name], column.name
            elif each:
                assert column.kind not in FIGURES or column.name in COUNTED, column.name
