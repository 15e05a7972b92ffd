"""How a chart is retired: what is kept of it, and its folder in `runs/retired/`; `retired` reads
that back.
"""

import shutil
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

from kernels import disk
from site_src.addresses.retired import WORDS, RetireError
from site_src.charts import downloads, table
from site_src.charts.drawn import DrawnFigure
from site_src.figures import presets
from site_src.figures import theme as themes
from site_src.figures.base import Figure
from site_src.locales import REFERENCE, Locale

WRITTEN_IN: Final = REFERENCE
"""The language of reasons, where `chart.json` says no other."""

_VERSION: Final = "1.0"


def freeze(drawn: DrawnFigure, day: date, why: str) -> dict[str, bytes]:
    """The files of `runs/retired/<id>/` for a chart that a build has drawn, by name."""
    figure, sources = drawn.figure, drawn.sources
    words = {
        "schema_version": _VERSION,
        "id": figure.id,
        "subject": figure.subject,
        "page": figure.page,
        "day": day.isoformat(),
        "why": why,
        "why_language": WRITTEN_IN,
        "dark": dict(themes.dark_colours(series.look for series in figure.series)),
        "units": {column.name: column.unit for column in figure.columns if column.name != "label"},
        **downloads.table_description(figure, drawn.locales),
        "presets": {preset.id: dict(preset.state) for preset in figure.presets},
        "sources": {
            id_: sources.cited(id_) for id_ in sources.titles if id_ in set(figure.table["source"])
        },
        "languages": {locale.code: _words(figure, locale) for locale in drawn.locales},
    }
    same = () if figure.digest is not None else downloads.TABLE
    tables = {
        name: content for name, content in downloads.tables(figure).items() if name not in same
    }
    files = {WORDS: downloads.as_json(words), **tables}
    for locale in drawn.locales:
        code, pictures = locale.code, drawn.pictures[locale.code]
        files |= {f"{code}.svg": pictures["page"], f"{code}-phone.svg": pictures["phone"]}
        files |= {
            f"{code}-{id_}.svg": made["svg"] for id_, made in drawn.presets.get(code, {}).items()
        }
        files[f"spec.{code}.json"] = downloads.spec(
            figure, drawn.compiled[code].lite, locale, drawn.options.site_name
        )
    return files


def _words(figure: Figure, locale: Locale) -> dict[str, Any]:
    heads = [table.head(column, locale) for column in table.shown(figure)]
    return {
        "title": figure.title(locale),
        "heading": figure.heading(locale),
        "caption": figure.caption(locale),
        "headline": figure.headline(locale),
        "notes": list(figure.remarks(locale)),
        "credits": figure.credits(locale),
        "head": [head.text for head in heads],
        "numbers": [at for at, head in enumerate(heads) if head.number],
        "rows": [[entry.text for entry in line.entries] for line in table.lines(figure, locale)],
        "meanings": {
            column.name: column.title(locale) for column in figure.columns if column.name != "label"
        },
        "presets": {
            preset.id: {
                "label": presets.label(figure, preset, locale),
                "caption": presets.caption(figure, preset, locale),
                "headline": presets.alt(figure, preset, locale),
            }
            for preset in figure.presets
        },
    }


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a chart's folder whole or not at all.

    Raises:
        RetireError: It was retired before.
    """
    if folder.exists():
        raise RetireError(
            f"{folder}: the chart was retired before; remove its folder first if it is to be "
            "retired as it is now"
        )
    aside = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(aside, ignore_errors=True)
    with disk.named(folder):
        try:
            aside.mkdir(parents=True)
            for name, content in files.items():
                (aside / name).write_bytes(content)
            aside.rename(folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
