"""Figures in downloads have the digits that were recorded, and derived ones no traces of binary
arithmetic.
"""

import dataclasses
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd

from kernels import catalog, store
from site_src import api, questions
from site_src.charts import downloads
from site_src.evidence import Evidence

TRACE = re.compile(r"-?\d*\.\d*(?:0{6,}[1-9]\d?|9{6,}\d{1,2})")
"""0.40870000000000006 and 19.999999999999996: what is left where a decimal figure was scaled in
binary.
"""

RUNS = Path(__file__).parents[3] / "runs"


@cache
def recorded() -> tuple[store.Archive, frozenset[float]]:
    """The archive, and every number in it that has such digits itself: what a clock or an optimiser
    of a run said.
    """
    archive = store.read(RUNS)
    return archive, frozenset(
        number for record in (*archive.runs, *archive.recordings) for number in _numbers(record)
    )


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, float) and TRACE.fullmatch(repr(value)):
        yield value
    elif dataclasses.is_dataclass(value) or isinstance(value, tuple):
        parts = (
            value
            if isinstance(value, tuple)
            else [getattr(value, each.name) for each in dataclasses.fields(value)]
        )
        for part in parts:
            yield from _numbers(part)


def _traces(name: str, frame: pd.DataFrame) -> list[str]:
    known = recorded()[1]
    cells = (
        (column, value) for column in frame for value in frame[column] if isinstance(value, float)
    )
    return [
        f"{name}: {column} {value!r}"
        for column, value in cells
        if TRACE.fullmatch(repr(float(value))) and float(value) not in known
    ]


def test_charts_have_the_digits_that_were_recorded() -> None:
    """A price of EUR 0.004087 a second is 0.4087 cents in the table of a chart."""
    archive, _ = recorded()
    known = catalog.load()

    drawn = questions.figures(Evidence(archive, known))

    assert len(drawn) > 20  # so many that every kind of figure is among them
    assert not [each for figure in drawn for each in _traces(figure.id, downloads.download(figure))]


def test_tables_have_the_digits_that_were_recorded() -> None:
    """A recomputed claim of 0.4087 is that, and not 0.40870000000000006."""
    archive, _ = recorded()
    known = catalog.load()

    assert not [
        each
        for name, frame in api.frames(Evidence(archive, known)).items()
        for each in _traces(name, frame)
    ]
