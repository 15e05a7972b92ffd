"""The files of a chart other than pictures: downloads, specification, citation, description, and
files that other sites load.
"""

import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, Final

import pandas as pd

from kernels.records import Source
from kernels.store.frames import frame_bytes
from site_src.charts import markup
from site_src.charts import table as share_table
from site_src.charts.pictures import CARD, DARK, names, wrap
from site_src.charts.rows import packed
from site_src.charts.size import embed_size
from site_src.charts.snippets import FORMATS, escaped, fill
from site_src.csv_cells import to_csv
from site_src.figures import presets
from site_src.figures.base import Figure
from site_src.figures.columns import Column
from site_src.figures.controls import Preset
from site_src.figures.theme import BACKGROUND, QUIET
from site_src.locales import Locale

CACHE_AGE: Final = 86_400
"""Seconds for which an oEmbed answer may be cached."""

TERMS: Final[Mapping[str, str]] = {
    "LicenseRef-quoted-facts": "figures quoted as facts, with credit",
    "LicenseRef-none-stated": "none stated",
    "LicenseRef-ecb-reuse": "free reuse with the source named",
}
"""Terms without a name of their own, as in notes of sources."""

_LINE_WIDTH: Final = 680
"""Px of a line of words in the specification, whose chart is as wide as a page's."""

_ALONE: Final = frozenset({"unit", "source", "licence", "credit"})
"""Columns of a download that the page shows in another place."""

HEADERS: Final[Mapping[str, str]] = {"label": "series_label"}
"""Columns that have another name in a download."""

_LIMIT: Final = re.compile(r"_(low|high|bound)$")
"""Suffixes of columns about the figure before them."""


def download(figure: Figure) -> pd.DataFrame:
    """Each column of the figure, with limits, references, terms and credit in each row."""
    return _written(figure.table, figure.columns)


def _written(table: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    names_ = [column.name for column in columns if column.name in table]
    refs = [column.ref for column in columns if column.ref and column.ref in table]
    limits = [
        name for name in map(str, table) if _LIMIT.sub("", name) in names_ and name not in names_
    ]
    ordered = [name for name in dict.fromkeys([*names_, *limits, *refs]) if name != "label"]
    return table[["label", *ordered]].rename(columns=HEADERS)


def tables(figure: Figure) -> dict[str, bytes]:
    """The downloads by name as CSV and Parquet: `data` with every row, its CSV packed, and `table`,
    its summary or the same.
    """
    frames = {"data": download(figure)}
    frames["table"] = (
        frames["data"] if figure.digest is None else _written(figure.digest.table, summed(figure))
    )
    terms = {name: "; ".join(_distinct(figure, name)) for name in ("licence", "credit")}
    return {
        "table.csv": to_csv(frames["table"]),
        "data.csv.gz": gzip.compress(to_csv(frames["data"]), mtime=0),
        **{
            f"{name}.parquet": frame_bytes(frame, figure.id, {**terms, "page": figure.page})
            for name, frame in frames.items()
        },
    }


def summed(figure: Figure) -> list[Column]:
    """The columns of `table`: those of the page, and those that rows need without the page."""
    shown = share_table.shown(figure)
    held = figure.table if figure.digest is None else figure.digest.table
    named = {column.name for column in shown}
    return [
        *shown,
        *(
            one
            for one in figure.columns
            if one.name in _ALONE and one.name in held and one.name not in named
        ),
    ]


def _distinct(figure: Figure, name: str) -> list[str]:
    return [str(value) for value in dict.fromkeys(figure.table[name]) if value is not None]


def spec(figure: Figure, lite: Mapping[str, Any], locale: Locale, site: str) -> bytes:
    """Vega-Lite with its data and formats, on its own background, with title and credit: for the
    Vega editor and `altair.Chart.from_json`.
    """
    formats = locale.d3()
    own = {
        **packed(lite, figure, locale),
        # for Altair's own pictures
        "config": {
            **lite.get("config", {}),
            "locale": {"number": formats["number"], "time": formats["time"]},
        },
        "background": BACKGROUND["light"],
        "title": {
            "text": wrap(figure.headline(locale), _LINE_WIDTH, 13, bold=True),
            "subtitle": [
                line
                for text in (figure.heading(locale), markup.credit(figure, locale, site))
                for line in wrap(text, _LINE_WIDTH, 12)
            ],
            "subtitleColor": QUIET["light"],
        },
        "usermeta": {
            "chart": figure.id,
            "embedOptions": {
                "formatLocale": formats["number"],
                "timeFormatLocale": formats["time"],
            },
        },
    }
    return f"{json.dumps(own, ensure_ascii=False, separators=(',', ':'))}\n".encode()


def as_json(value: object) -> bytes:
    """A JSON file, indented by one."""
    return f"{json.dumps(value, ensure_ascii=False, indent=1)}\n".encode()


def _each(path: str, locales: Sequence[Locale], base: str) -> dict[str, str]:
    return {locale.code: f"{base}{path.replace('{}', locale.code)}" for locale in locales}


def record(figure: Figure, locales: Sequence[Locale], base: str) -> dict[str, Any]:
    """The chart's record of `api/v1/charts.json`."""
    folder, each = f"c/{figure.id}/", partial(_each, locales=locales, base=base)
    return {
        "id": figure.id,
        "title": {locale.code: figure.headline(locale) for locale in locales},
        "subtitle": {locale.code: figure.heading(locale) for locale in locales},
        "page": each(f"{{}}/c/{figure.id}/"),
        "report": each(f"{{}}/{figure.page}"),
        "embed": each(f"{folder}embed.html?lang={{}}"),
        "svg": each(f"{folder}{{}}.svg"),
        "svg_dark": each(f"{folder}{{}}-dark.svg"),
        "svg_narrow": each(f"{folder}{{}}-narrow.svg"),
        "svg_narrow_dark": each(f"{folder}{{}}-narrow.svg#{DARK}"),
        "png": each(f"{folder}{{}}.png"),
        "card": each(f"{folder}{{}}-card.png"),
        "spec": each(f"{folder}spec.{{}}.json"),
        "csv": f"{base}{folder}data.csv.gz",
        "parquet": f"{base}{folder}data.parquet",
        "table_csv": f"{base}{folder}table.csv",
        "table_parquet": f"{base}{folder}table.parquet",
        "runs": list(figure.runs),
        "origin": list(figure.origins),
        "licence": _distinct(figure, "licence"),
        "credit": _distinct(figure, "credit"),
        "state": figure.keys,
        "presets": {preset.id: _preset(figure, preset, locales, base) for preset in figure.presets},
    }


def _preset(
    figure: Figure, preset: Preset, locales: Sequence[Locale], base: str
) -> dict[str, object]:
    return {
        "state": dict(preset.state),
        "label": {locale.code: presets.label(figure, preset, locale) for locale in locales},
        "subtitle": {locale.code: presets.caption(figure, preset, locale) for locale in locales},
        "title": {locale.code: presets.finding(figure, preset, locale) for locale in locales},
        **{
            kind.replace("-", "_"): _each(f"c/{figure.id}/{name}", locales, base)
            for kind, name in _themed(names("{}", preset.id)["svg"]).items()
        },
    }


def _themed(name: str) -> dict[str, str]:
    return {"svg": name, "svg-dark": f"{name}#{DARK}"}


def described(columns: Iterable[Column], locales: Sequence[Locale]) -> list[dict[str, Any]]:
    """The meaning of the columns of a download, by language."""
    return [
        {
            "name": column.name,
            "unit": column.unit,
            "meaning": {locale.code: column.title(locale) for locale in locales},
        }
        for column in columns
        if column.name != "label"
    ]


def meta(figure: Figure, locales: Sequence[Locale], base: str, day: date) -> bytes:
    """`meta.json`: the record with captions, columns and rows of the downloads, and the day."""
    digest = figure.digest
    return as_json(
        {
            **record(figure, locales, base),
            "caption": {locale.code: figure.caption(locale) for locale in locales},
            "columns": described(figure.columns, locales),
            "rows": len(figure.table),
            "table_columns": None if digest is None else described(summed(figure), locales),
            "table_rows": None if digest is None else len(digest.table),
            "built": day.isoformat(),
        }
    )


def bibtex(
    figure: Figure,
    locale: Locale,
    sources: Mapping[str, Source],
    *,
    site: str,
    base: str,
    day: date,
) -> bytes:
    """`cite.bib`: the chart as of that `day`, and each source. Title and note are in the page's
    language, the sources' in English; a source's key begins with the chart's, so that several files
    can be in one bibliography.
    """
    page = f"{base}{locale.code}/c/{figure.id}/" if base else None
    credits_ = [name for name in figure.credits(locale) if name != site] or _distinct(
        figure, "credit"
    )
    # a row from two sources
    held = dict.fromkeys(
        one for licence in _distinct(figure, "licence") for one in licence.split("; ")
    )
    terms = [locale.say(f"licence.{one}") if locale.has(f"licence.{one}") else one for one in held]
    about = {
        "author": site,
        "title": figure.heading(locale),
        "year": str(day.year),
        "url": page,
        "urldate": day.isoformat() if page else None,
        "note": locale.say("share.cited", credits="; ".join(credits_), terms=", ".join(terms)),
    }
    read = [name for name in _distinct(figure, "source") if name in sources]
    key = f"touchstone-{figure.id}"
    found = [
        _entry(key, about),
        *(_entry(f"{key}:{name}", _cited(sources[name])) for name in read),
    ]
    return "\n".join(found).encode()


def _cited(source: Source) -> dict[str, str | None]:
    """A source's citation; without a printed date it has the year that it points to."""
    day = source.published or source.published_about
    terms = TERMS.get(source.licence, source.licence)
    return {
        "author": source.authors,
        "title": source.title,
        "howpublished": source.publisher,
        "year": str(day.year) if day else None,
        "url": source.cited_url,
        "note": f"{source.credit}. Terms: {terms}",
    }


def _entry(key: str, fields: Mapping[str, str | None]) -> str:
    """One entry: an address is not escaped, a title keeps its capitals."""
    written = {
        name: value if name == "url" else escaped(value, "tex")
        for name, value in fields.items()
        if value
    }
    inner = ",\n".join(
        f"  {name} = {{{f'{{{value}}}' if name in {'title', 'author'} else value}}}"
        for name, value in written.items()
    )
    return f"@misc{{{key},\n{inner}\n}}\n"


def oembed(figure: Figure, locale: Locale, picture: bytes, site: str, base: str) -> bytes:
    """An oEmbed answer of type rich; `picture` is the chart's wide one, without words around it."""
    width, height = embed_size(figure, locale, picture)
    title, source = figure.headline(locale), f"{base}c/{figure.id}/embed.html?lang={locale.code}"
    given = {"embed": source, "title": title, "height": str(height), "base": base}
    frame, end, _ = fill(FORMATS["iframe"], given).partition("</iframe>")
    # WordPress removes the style
    frame = frame.replace("<iframe ", '<iframe frameborder="0" ', 1)
    return as_json(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": site,
            **({"provider_url": base} if base else {}),
            "title": title,
            "cache_age": CACHE_AGE,
            "width": width,
            "height": height,
            "thumbnail_url": f"{base}c/{figure.id}/{names(locale.code)['card']}",
            "thumbnail_width": CARD[0],
            "thumbnail_height": CARD[1],
            "html": frame + end,
        }
    )
