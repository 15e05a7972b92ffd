"""The rows of a downloadable specification in few bytes: as CSV within it, with only the columns it
names. Shared values and tooltips are computed in the specification.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from site_src.figures.base import Figure
from site_src.locales import Locale
from site_src.tables import Row

_WORDS: Final = frozenset({"config", "data", "description", "name", "title", "type"})
"""Parts of a specification that name no column."""

_TIP: Final = "tip"

_KINDS: Final[Mapping[type, str]] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
}

Columns = dict[str, list[Any]]


def packed(lite: Mapping[str, Any], figure: Figure, locale: Locale) -> dict[str, Any]:
    """Vega-Lite that draws the same from packed rows."""
    rows: Sequence[Row] = lite["data"]["values"]
    named = _named(lite, list(rows[0]) if rows else [])
    columns: Columns = {name: [row[name] for row in rows] for name in named}
    calculated: dict[str, str] = {}
    if columns.pop(_TIP, None):
        calculated[_TIP] = _pointer_text(columns, figure, rows, locale)
    for name in [name for name, values in columns.items() if _all_equal(values)]:
        calculated = {name: _literal(columns.pop(name)[0]), **calculated}
    transform = [{"calculate": how, "as": name} for name, how in calculated.items()]
    return {
        **lite,
        "data": {"name": lite["data"]["name"], **_table(columns, len(rows))},
        **({"transform": [*transform, *lite.get("transform", ())]} if transform else {}),
    }


def _named(lite: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    text = "\n".join(_texts(lite))
    return [
        name
        for name in names
        if name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    ]


def _texts(part: object) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for key, inner in part.items():
            yield from _texts(inner) if key not in _WORDS else ()
    elif isinstance(part, list | tuple):
        for inner in part:
            yield from _texts(inner)


def _pointer_text(columns: Columns, figure: Figure, rows: Sequence[Row], locale: Locale) -> str:
    """The expression that builds tooltips as `Figure.records` does."""
    lines = []
    for column in figure.told:
        texts = [
            column.write(row, locale, unit=True) if column.tells(row) else None for row in rows
        ]
        heading = f"\n{column.title(locale)}: "
        if _all_equal(texts):
            lines += [_literal(f"{heading}{texts[0]}")] if texts[0] is not None else []
            continue
        known = (name for name, values in columns.items() if values == texts)
        name = next(known, f"{_TIP}_{column.name}")
        columns[name] = texts
        line = f"{_literal(heading)} + datum.{name}"
        lines.append(f"(isValid(datum.{name}) ? {line} : '')" if None in texts else line)
    return f"slice({' + '.join(lines or [_literal('')])}, 1)"


def _all_equal(values: Sequence[object]) -> bool:
    return len(values) > 1 and all(
        one == values[0] and type(one) is type(values[0]) for one in values
    )


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _table(columns: Columns, count: int) -> dict[str, Any]:
    """CSV if all columns survive it, else records."""
    kinds = {
        name: {_KINDS.get(type(value), "") for value in values if value is not None}
        for name, values in columns.items()
    }
    plain = not any("" in values for values in columns.values())
    if not (
        columns and plain and all(len(found) == 1 and "" not in found for found in kinds.values())
    ):
        return {
            "values": [
                {name: values[at] for name, values in columns.items()} for at in range(count)
            ]
        }
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    cells = ([_cell(value) for value in values] for values in columns.values())
    writer.writerows(zip(*cells, strict=True))
    parsed = {name: found.pop() for name, found in kinds.items()}
    return {"values": file.getvalue(), "format": {"type": "csv", "parse": parsed}}


def _cell(value: object) -> object:
    return _literal(value) if isinstance(value, bool) else value


def unpacked(lite: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a specification, with the values that all of them share."""
    data = lite["data"]
    values, parsed = data.get("values", []), data.get("format", {}).get("parse", {})
    if isinstance(values, str):
        values = [
            {name: _read(cell, parsed.get(name)) for name, cell in row.items()}
            for row in csv.DictReader(io.StringIO(values))
        ]
    shared = {}
    for step in lite.get("transform", ()):
        with suppress(KeyError, ValueError):  # computed columns are not values
            shared[step["as"]] = json.loads(step["calculate"])
    return [{**shared, **row} for row in values if isinstance(row, dict)]


def _read(cell: str, kind: str | None) -> object:
    if cell == "":
        return None
    with suppress(ValueError):
        return float(cell) if kind == "number" else cell == "true" if kind == "boolean" else cell
    return cell
