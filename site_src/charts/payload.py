"""The data for interactive charts in the browser: the rows, rules and words of the picture."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from site_src.charts.vega import Compiled, columns_used
from site_src.figures import presets
from site_src.figures.base import MARGIN, Figure
from site_src.figures.columns import Column
from site_src.locales import Locale
from site_src.tables import Row


def _columns_for_browser(figure: Figure, compiled: Compiled) -> list[str]:
    names_ = [str(name) for name in figure.table.columns]
    used = set(columns_used(compiled.spec, names_)) | {
        "series",
        "origin",
        "status",
        "n",
        "reference",
    }
    values = {figure.fields[channel] for channel in figure.fields}
    for control in figure.controls:
        used |= {control.filters} if control.filters else set()
        values |= {name for choices in control.fields.values() for name in choices.values()}
    used |= {
        column.name
        for column in figure.told
        if column.kind == "number" and column.decimals is not None
    }
    used |= (
        values
        | {f"{name}_{end}" for name in values for end in ("low", "high")}
        | ({figure.group} if figure.group else set())
    )
    used -= {"run_id", "source", "locator", "licence", "credit"} - set(
        columns_used(compiled.spec, ["run_series"])
    )
    return [name for name in names_ if name in used and not name.endswith("_ref")]


def common_payload(figure: Figure, compiled: Compiled, rows: Sequence[Row]) -> dict[str, Any]:
    """The data for every language: figures and rules."""
    columns = _columns_for_browser(figure, compiled)
    # what all rows of a long table share is sent once
    shared = [
        name
        for name in columns
        if figure.digest is not None and all(row[name] == rows[0][name] for row in rows)
    ]
    columns = [name for name in columns if name not in shared]
    return {
        "id": figure.id,
        "short": figure.short,
        **({"same": {name: rows[0][name] for name in shared}} if shared else {}),
        "count": len(rows),
        "columns": {name: _packed([row[name] for row in rows]) for name in columns},
        "series": [series.id for series in figure.series],
        "fields": dict(figure.fields),
        "controls": [
            {
                "key": control.key,
                **(
                    {
                        "fields": {
                            channel: dict(names_) for channel, names_ in control.fields.items()
                        }
                    }
                    if control.fields
                    else {}
                ),
                **({"filters": control.filters} if control.filters else {}),
                **({"every": control.every} if control.every else {}),
            }
            for control in figure.controls
        ],
        "keys": {key: values for key, values in figure.keys.items() if key != "hide"},
        "aside": [control.key for control in figure.controls if not figure.deciding(control)]
        + ["scale", "view"],
        **(
            {"presets": {preset.id: dict(preset.state) for preset in figure.presets}}
            if figure.presets
            else {}
        ),
        "group": figure.group,
        "margin": MARGIN,
        "dark": compiled.dark,
    }


def tips(figure: Figure, rows: Sequence[Row], locale: Locale) -> list[list[object]]:
    """The tooltips: heading and texts of each column. The texts are one for all rows, a list,
    `words` with the index of each row's, or how the browser writes the `column`'s figures: with
    `decimals`, put into `pattern`.
    """
    found: list[list[object]] = []
    for column in figure.told:
        texts = [
            column.write(row, locale, unit=True) if column.tells(row) else None for row in rows
        ]
        words = list(dict.fromkeys(texts))
        pattern = _pattern(figure, column, locale)
        missing = None in words or any(row[column.name] is None for row in rows)
        told: object = texts
        if len(words) == 1:
            told = words[0]
        elif pattern is not None and not missing:
            told = {"column": column.name, "decimals": column.decimals, "pattern": pattern}
        elif len(words) <= len(texts) // 2:
            told = {"words": words, "rows": [words.index(text) for text in texts]}
        found.append([column.title(locale), told])
    return found


def _packed(texts: list[object]) -> list[object] | dict[str, list[object]]:
    """The texts with repeated ones stated once, if that is shorter."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return (
        {"words": list(places), "rows": [places[text] for text in texts]}
        if len(places) <= len(texts) // 2
        else texts
    )


def _pattern(figure: Figure, column: Column, locale: Locale) -> str | None:
    """The pattern of a column's figures with their unit; None if rows differ."""
    by_row = any(f"{column.name}_{what}" in figure.table for what in ("decimals", "bound"))
    plural = (
        not isinstance(locale.strings.get(f"unit.{column.unit}", ""), str) and not column.counted
    )
    if column.kind != "number" or column.decimals is None or by_row or plural or column.signed:
        return None
    return locale.pattern(0, "1" if column.counted else column.unit)


def language_payload(
    figure: Figure, compiled: Compiled, rows: Sequence[Row], locale: Locale
) -> dict[str, Any]:
    """The data for one language: specification, words, formats."""
    values, said = figure.compared, headlines(figure, locale)
    texts: dict[str, list[object]] = {
        name: [row[name] for row in rows] for name in ("label", "name", "under", "one")
    }
    if figure.texts:
        texts |= {
            f"text:{name}": [figure.text_of(row, name, locale) for row in rows]
            for name in sorted(values)
        }
    for name in ("under", "one", *(("name",) if figure.line is None else ())):
        if name == "name" or not any(texts[name]):
            del texts[name]
    return {
        "lang": locale.code,
        "spec": {
            name: told
            for name, told in compiled.spec.items()
            if name not in {"$schema", "description"}
        },
        "patches": [[state, patch] for state, patch in compiled.patches],
        **({"headlines": said} if said else {}),
        "texts": {name: _packed(told) for name, told in texts.items()}
        if figure.digest is not None
        else texts,
        "tips": tips(figure, rows, locale),
        "line": figure.row_height(locale),
        "formats": {
            kind: told for kind, told in locale.d3().items() if kind != "time" or _timed(compiled)
        },
        "words": {
            **(
                {
                    "times": locale.template("figure.times"),
                    "no_baseline": locale.say("figure.no_baseline"),
                }
                if figure.relative
                else {}
            ),
            **_headline_words(figure, locale),
            "changed": locale.say("control.changed", title=figure.title(locale)),
        },
    }


def headlines(figure: Figure, locale: Locale) -> dict[str, str]:
    """The sentences of other states, by query; `view` is the query with a `baseline`."""
    said = presets.headlines(figure, locale)
    return {
        urlencode(sorted((key, value) for key, value in state.items() if key != "view")): text
        for state, text in said
    }


def _headline_words(figure: Figure, locale: Locale) -> dict[str, str]:
    """The words before a headline that does not quite match the drawing."""
    words = {"hidden": len(figure.series) > 1, "absolute": figure.relative}
    keys = {"hidden": "figure.headline_shown", "absolute": "figure.headline_absolute"}
    return {name: locale.template(keys[name]) for name, can in words.items() if can}


def _timed(compiled: Compiled) -> bool:
    """Returns True if the chart writes days or hours: names of months are long."""
    text = json.dumps([compiled.spec, *compiled.patches])
    return any(word in text for word in ('"time"', '"utc"', "timeFormat", "utcFormat"))
