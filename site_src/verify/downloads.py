"""Charts against their tables: all data that draw or describe a chart must have its numbers from
the chart's table. Tests and hashes check that Parquet files have the rows of the CSV beside them.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from site_src import csv_cells
from site_src.charts import embed
from site_src.charts.rows import unpacked
from site_src.verify.facts import DAMAGED, Fault, Tables, close
from site_src.verify.html import Read

_CSV: Final = (".csv", ".csv.gz")

_MOST: Final = 3
"""Most faults reported of one file."""

_CHART_FILE: Final = re.compile(r"c/([^/]+)/(?:[^/]+\.json|data\.[^/]+\.js)")

_DRAWN: Final = ("value", "low", "high", "along")

Numbers = Mapping[str, set[float]]
"""The numbers of a table by column."""


def tables(out: Path, files: set[str]) -> Tables:
    """Rows of all CSV files, packed or not; empty for one that cannot be unpacked."""
    found = {}
    for name in sorted(file for file in files if file.endswith(_CSV)):
        unpack = gzip.open if name.endswith(".gz") else open
        with unpack(out / name, "rt", encoding="utf-8", newline="") as file:
            try:
                found[name] = csv_cells.rows(file)
            except DAMAGED:
                found[name] = []
    return found


def charts(out: Path, files: set[str], pages: Mapping[str, Read], read: Tables) -> Iterator[Fault]:
    """Yields numbers that charts draw or pages show of them, and that the charts' downloads lack.

    Checked are specifications, the data of pages, frames and the element, and the tables on pages.
    """
    numbers: dict[str, dict[str, set[float]]] = {}
    for name, rows in read.items():
        if name.startswith("c/"):
            _add(numbers.setdefault(name.split("/")[1], {}), rows)
    for name, chart, text in _drawn(out, files):
        if chart not in numbers:
            yield name, f"has data of the chart {chart!r}, which has no downloads"
            continue
        try:
            told = json.loads(text)
        except ValueError as error:
            yield name, f"is no JSON: {error}"
            continue
        found = _strange(_records(told), numbers[chart])
        yield from ((name, f"the chart {chart} {fault}") for fault in found)
    every = {chart: set().union(*columns.values()) for chart, columns in numbers.items()}
    for name, page in pages.items():
        for shown in page.figures:
            known = every.get(shown.chart)
            value = float(shown.value or "nan")
            if known and not _among(value, known):
                yield name, f"the table of {shown.chart} shows {value!r}, which no download has"


def _add(numbers: dict[str, set[float]], rows: Sequence[Mapping[str, str]]) -> None:
    for column, text in (cell for row in rows for cell in row.items()):
        found = numbers.setdefault(column, set())
        with suppress(ValueError):
            found.add(float(text))


def _drawn(out: Path, files: set[str]) -> Iterator[tuple[str, str, str]]:
    """Yields data with a chart's figures, as file, chart and JSON: descriptions, specifications,
    and data of pages, frames and the element.
    """
    for name in sorted(files):
        if found := _CHART_FILE.fullmatch(name):
            text = (out / name).read_text(encoding="utf-8")
            yield name, found[1], text.removeprefix(embed.DATA).removesuffix(";\n")


def _strange(records: Iterable[Mapping[str, object]], known: Numbers) -> Iterator[str]:
    """Yields numbers that the table lacks, by column of the same name; numbers along an axis may be
    in any column.
    """
    known = {**known, **dict.fromkeys(_DRAWN, set().union(*known.values()))}
    missing = {
        f"draws {column} = {value!r}, which its downloads do not have"
        for record in records
        for column, value in record.items()
        if column in known
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and not _among(float(value), known[column])
    }
    return islice(sorted(missing), _MOST)


def _among(value: float, numbers: set[float]) -> bool:
    return value in numbers or any(close(value, number) for number in numbers)


def _records(told: object) -> Iterator[Mapping[str, object]]:
    """All rows of inline data in a specification or a chart's data: as records, as CSV, or by
    `columns` of a chart's data.
    """
    if isinstance(told, dict):
        data = told.get("data")
        if isinstance(data, dict) and ("transform" in told or isinstance(data.get("values"), str)):
            yield from unpacked(told)
        if isinstance(told.get("columns"), dict):
            for name, column in told["columns"].items():
                cells = column["words"] if isinstance(column, dict) else column
                yield from ({name: cell} for cell in cells)
            yield told.get("same", {})
        for key, value in told.items():
            tables = value.values() if key == "datasets" and isinstance(value, dict) else [value]
            if key in {"values", "datasets"} and all(isinstance(one, list) for one in tables):
                yield from (row for table in tables for row in table if isinstance(row, dict))
            else:
                yield from _records(value)
    elif isinstance(told, list):
        for value in told:
            yield from _records(value)
