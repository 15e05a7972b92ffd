"""The files of a chart that are no pictures: downloads, specification, citation, description, and what others' pages load."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from json.encoder import encode_basestring
from typing import Any, Final

import pandas as pd

from kernels.store import frame_bytes
from site_src.figures.base import Figure
from site_src.locales import Locale
from site_src.share_pictures import CARD, names
from site_src.share_vega import Compiled

EMBED_SIZE = (760, 560)
"""Width and height in px that an embed asks for where nothing says its own."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Title, publisher and address of each source by id, for citations."""

    titles: Mapping[str, str]
    urls: Mapping[str, str]


def download(figure: Figure) -> pd.DataFrame:
    """The table as it is downloaded: each column of the figure, figures with their references, terms and credit in each row."""
    names_ = [column.name for column in figure.columns if column.name in figure.table]
    refs = [column.ref for column in figure.columns if column.ref and column.ref in figure.table]
    intervals = [
        name for name in map(str, figure.table) if name.removesuffix("_low").removesuffix("_high") in names_ and name not in names_
    ]
    ordered = [name for name in dict.fromkeys([*names_, *intervals, *refs]) if name != "label"]
    return figure.table[["label", *ordered]].rename(columns={"label": "series_label"})


def csv(figure: Figure) -> bytes:
    """Comma-separated, UTF-8, decimal point, figures at full precision; missing is empty."""
    text: str = download(figure).to_csv(index=False, lineterminator="\n")
    return text.encode()


def parquet(figure: Figure) -> bytes:
    """The same as Parquet."""
    terms = {"licence": "; ".join(_distinct(figure, "licence")), "credit": "; ".join(_distinct(figure, "credit"))}
    return frame_bytes(download(figure), figure.id, {**terms, "page": figure.page})


def _distinct(figure: Figure, name: str) -> list[str]:
    return [str(value) for value in dict.fromkeys(figure.table[name]) if value is not None]


def spec(figure: Figure, compiled: Compiled, locale: Locale) -> bytes:
    """Vega-Lite with its data, formats of the language included, for the Vega editor and `altair.Chart.from_json`."""
    formats = locale.d3()
    own = {
        **compiled.lite,
        "title": figure.heading(locale),
        "usermeta": {"chart": figure.id, "embedOptions": {"formatLocale": formats["number"], "timeFormatLocale": formats["time"]}},
    }
    return _json(own)


def _json(value: object) -> bytes:
    return f"{_indented(value, '')}\n".encode()


_LEAF: Final = json.JSONEncoder(ensure_ascii=False).encode


def _indented(value: object, margin: str) -> str:
    """As `json.dumps(value, ensure_ascii=False, indent=1)`, which writes a large specification three times slower."""
    if isinstance(value, str):
        return encode_basestring(value)
    inner = f"{margin} "
    between = f",\n{inner}"
    if isinstance(value, dict) and value:
        items = between.join([f"{encode_basestring(name)}: {_indented(one, inner)}" for name, one in value.items()])
        return f"{{\n{inner}{items}\n{margin}}}"
    if isinstance(value, list | tuple) and value:
        items = between.join([_indented(one, inner) for one in value])
        return f"[\n{inner}{items}\n{margin}]"
    return _LEAF(value)


def address(base: str, path: str) -> str:
    """An address below the site's root; without a base it is the path from there."""
    return f"{base}{path}"


def record(figure: Figure, locales: Sequence[Locale], base: str) -> dict[str, Any]:
    """The chart's record of `api/v1/charts.json`: addresses from the site's root, absolute where the site's own is known."""
    folder = f"c/{figure.id}/"

    def each(path: str) -> dict[str, str]:
        return {locale.code: address(base, path.replace("{}", locale.code)) for locale in locales}

    return {
        "id": figure.id,
        "title": {locale.code: figure.heading(locale) for locale in locales},
        "headline": {locale.code: figure.headline(locale) for locale in locales},
        "page": each(f"{{}}/c/{figure.id}/"),
        "report": each(f"{{}}/{figure.page}"),
        "embed": each(f"{folder}embed.html?lang={{}}"),
        "svg": each(f"{folder}{{}}.svg"),
        "svg_dark": each(f"{folder}{{}}-dark.svg"),
        "png": each(f"{folder}{{}}.png"),
        "png_dark": each(f"{folder}{{}}-dark.png"),
        "card": each(f"{folder}{{}}-card.png"),
        "spec": each(f"{folder}spec.{{}}.json"),
        "csv": address(base, f"{folder}data.csv"),
        "parquet": address(base, f"{folder}data.parquet"),
        "runs": list(figure.runs),
        "origin": list(figure.origins),
        "licence": _distinct(figure, "licence"),
        "credit": _distinct(figure, "credit"),
        "state": {
            **{control.key: [choice.value for choice in control.choices] for control in figure.controls},
            **({"scale": list(figure.scales)} if figure.scales else {}),
            **({"view": ["absolute", "relative"], "baseline": [series.id for series in figure.baselines]} if figure.relative else {}),
            "hide": [series.id for series in figure.series],
        },
    }


def meta(figure: Figure, locales: Sequence[Locale], base: str, day: date) -> bytes:
    """`meta.json`: the record with the columns of the downloads and the day of the build."""
    columns = [
        {"name": column.name, "unit": column.unit, "meaning": {locale.code: column.title(locale) for locale in locales}}
        for column in figure.columns
        if column.name != "label"
    ]
    caption = {locale.code: figure.caption(locale) for locale in locales}  # what pictures are called: they show one workload of several
    return _json(
        {**record(figure, locales, base), "caption": caption, "columns": columns, "rows": len(figure.table), "built": day.isoformat()}
    )


def _tex(text: str) -> str:
    for letter in "\\{}":
        text = text.replace(letter, "")
    for letter in "&%$#_":
        text = text.replace(letter, f"\\{letter}")
    return text


def bibtex(figure: Figure, locale: Locale, origins: Origins, *, site: str, base: str, day: date) -> bytes:
    """`cite.bib`: the chart, and each source that its figures come from."""
    path = address(base, f"{locale.code}/c/{figure.id}/")
    entries = [
        [
            ("title", f"{{{_tex(figure.heading(locale))}}}"),
            ("howpublished", f"{{{_tex(site)}}}"),
            ("year", f"{{{day.year}}}"),
            ("url", f"{{{path}}}" if base else None),
            ("note", f"{{Figures: {_tex('; '.join(_distinct(figure, 'credit')))}}}"),
        ]
    ]
    keys = [f"touchstone-{figure.id}"]
    for source in _distinct(figure, "source"):
        if source in origins.titles:
            keys.append(source)
            url = origins.urls.get(source)
            entries.append([("title", f"{{{_tex(origins.titles[source])}}}"), ("url", f"{{{url}}}" if url else None)])
    found = []
    for key, fields in zip(keys, entries, strict=True):
        inner = ",\n".join(f"  {name} = {value}" for name, value in fields if value)
        found.append(f"@misc{{{key},\n{inner}\n}}\n")
    return "\n".join(found).encode()


def oembed(figure: Figure, locale: Locale, site: str, base: str) -> bytes:
    """An oEmbed answer of type rich; addresses are from the site's root where the site's own is not known."""
    source = address(base, f"c/{figure.id}/embed.html?lang={locale.code}")
    width, height = EMBED_SIZE
    title = escape(figure.heading(locale))
    frame = f'<iframe src="{escape(source)}" title="{title}" width="{width}" height="{height}" loading="lazy" style="border:0"></iframe>'
    return _json(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": site,
            **({"provider_url": base} if base else {}),
            "title": figure.heading(locale),
            "width": width,
            "height": height,
            "thumbnail_url": address(base, f"c/{figure.id}/{names(locale.code)['card']}"),
            "thumbnail_width": CARD[0],
            "thumbnail_height": CARD[1],
            "html": frame,
        }
    )
