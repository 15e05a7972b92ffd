"""Downloads have the digits that were recorded, and no traces of binary arithmetic."""

import dataclasses
import re
from collections.abc import Callable, Iterator

import pandas as pd

from kernels import catalog
from kernels.store import Archive
from kernels.store.frames import nested_frame, runs_frame
from site_src.api import tables
from site_src.charts import downloads
from site_src.evidence import Evidence
from tests.makers import EACH
from tests.site_src import drawing

TRACE = re.compile(r"-?\d*\.\d*(?:0{6,}[1-9]\d?|9{6,}\d{1,2})")
"""0.40870000000000006 and 19.999999999999996: what is left where a decimal figure was scaled in
binary.
"""


def clocked(archive: Archive) -> frozenset[float]:
    """Every number in the archive that has such digits itself: what a clock or an optimiser of a
    run said.
    """
    return frozenset(
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


def _traces(name: str, frame: pd.DataFrame, known: frozenset[float]) -> list[str]:
    cells = (
        (column, value) for column in frame for value in frame[column] if isinstance(value, float)
    )
    return [
        f"{name}: {column} {value!r}"
        for column, value in cells
        if TRACE.fullmatch(repr(float(value))) and float(value) not in known
    ]


@EACH
def test_charts_and_tables_have_the_digits_that_were_recorded(
    recorded: Callable[[], Archive],
) -> None:
    """A price of EUR 0.004087 a second is 0.4087 cents, and not 0.40870000000000006."""
    archive = recorded()
    evidence, clocks = Evidence(archive, catalog.load()), clocked(archive)
    drawn = {figure.id: downloads.download(figure) for figure in drawing.figures(evidence)}

    assert len(drawn) > 20  # so many that every kind of figure is among them
    of_runs = {name: nested_frame(archive.runs, name, archive.recordings) for name in tables.NESTED}
    others = {name: make(evidence) for name, make in tables.FRAMES.items()}
    frames = drawn | {"runs": runs_frame(archive.runs)} | of_runs | others
    assert not [each for name, frame in frames.items() for each in _traces(name, frame, clocks)]
