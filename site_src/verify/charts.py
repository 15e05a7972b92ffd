"""Tables against each other: every CSV holds the rows of the Parquet file beside it, in `c/` and in
`data/`.

A chart's specifications are held here by column alone: each number that they draw is one of that
column of `data.csv`. That their rows are the records' own is held in `verify.again`.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from site_src import csv_cells

Fault = tuple[str, str]

_EXACT: Final = 1e-12


def charts(out: Path, files: set[str]) -> Iterator[Fault]:
    """(file, fault) for whatever differs, over all tables that stand as CSV and as Parquet, and the
    specifications beside them.
    """
    for name in sorted(files):
        if not name.endswith(".csv"):
            continue
        other = f"{name.removesuffix('.csv')}.parquet"
        if other not in files:
            yield name, f"has no {other} beside it"
            continue
        with (out / name).open(encoding="utf-8", newline="") as file:
            rows = csv_cells.rows(file)
        try:
            frame = _frame(out / other)
        except (ValueError, OSError) as error:
            yield other, f"is no Parquet file: {error}"
            continue
        yield from ((name, fault) for fault in tables_differ(rows, frame, other))
        folder = name.rpartition("/")[0]
        if name.startswith("c/") and name.endswith("/data.csv"):
            for spec in sorted(
                file
                for file in files
                if file.startswith(f"{folder}/spec.") and file.endswith(".json")
            ):
                try:
                    held = json.loads((out / spec).read_text(encoding="utf-8"))
                except ValueError:
                    continue  # told with the pictures
                yield from ((spec, fault) for fault in spec_differs(held, rows, name))


def _frame(path: Path) -> pd.DataFrame:
    return pd.read_parquet(path)


def tables_differ(
    rows: Sequence[Mapping[str, str]], frame: pd.DataFrame, other: str
) -> Iterator[str]:
    """What differs between a CSV's rows and the same table from Parquet."""
    if len(rows) != len(frame):
        yield f"has {len(rows)} rows, {other} has {len(frame)}"
        return
    columns = list(map(str, frame.columns))
    if rows and list(rows[0]) != columns:
        yield f"has the columns {', '.join(rows[0])}; {other} has {', '.join(columns)}"
        return
    for column in columns:
        for number, (row, value) in enumerate(zip(rows, frame[column], strict=True), 1):
            if not same(row[column], value):
                yield f"row {number}, {column}: {row[column]!r}; {other} has {value!r}"
                break  # one cell a column tells enough


def same(text: str, value: object) -> bool:
    """Whether a cell of a CSV is that value; empty is missing."""
    if (
        value is None
        or value is pd.NA
        or value is pd.NaT
        or (isinstance(value, float) and math.isnan(value))
    ):
        return text == ""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, int | float):
        try:
            return _close(float(text), float(value))
        except ValueError:
            return False
    written = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return text in {written, str(value)}


def spec_differs(
    spec: Mapping[str, Any], rows: Sequence[Mapping[str, str]], name: str
) -> Iterator[str]:
    """Numbers of a specification that its table does not have, by column of the same name."""
    known = {column: _numbers(row[column] for row in rows) for column in (rows[0] if rows else ())}
    missing: Counter[str] = Counter()
    for record in _records(spec):
        for column, value in record.items():
            if column not in known or isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if not any(_close(float(value), number) for number in known[column]):
                missing[f"{column} = {value!r}"] += 1
    for what in sorted(missing)[:3]:
        yield f"draws {what}, which {name} does not have"


def _numbers(texts: Iterator[str]) -> set[float]:
    found = set()
    for text in texts:
        try:
            found.add(float(text))
        except ValueError:
            continue
    return found


def _records(spec: object) -> Iterator[Mapping[str, object]]:
    """Every row of inline data anywhere in a Vega-Lite specification."""
    if isinstance(spec, dict):
        for key, value in spec.items():
            if key == "values" and isinstance(value, list):
                yield from (row for row in value if isinstance(row, dict))
            elif key == "datasets" and isinstance(value, dict):
                yield from (
                    row
                    for table in value.values()
                    if isinstance(table, list)
                    for row in table
                    if isinstance(row, dict)
                )
            else:
                yield from _records(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from _records(value)


def _close(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=_EXACT)
