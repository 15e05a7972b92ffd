"""The files of a chart that are no pictures: downloads, specification, citation, description, and what others' pages load."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from json.encoder import encode_basestring
from typing import Any, Final

import pandas as pd

from kernels.records import Source
from kernels.store import frame_bytes
from site_src.figures import presets
from site_src.figures.base import Figure
from site_src.figures.theme import BACKGROUND, QUIET
from site_src.locales import Locale
from site_src.share_html import credit
from site_src.share_pictures import CARD, names, wrap
from site_src.share_size import embed_size
from site_src.share_snippets import FORMATS, escaped, fill

CACHE_AGE: Final = 86_400
"""Seconds for which an oEmbed answer may be kept."""

TERMS: Final[Mapping[str, str]] = {
    "LicenseRef-quoted-facts": "figures quoted as facts, with credit",
    "LicenseRef-none-stated": "none stated",
    "LicenseRef-ecb-reuse": "free reuse with the source named",
}
"""Terms that have no name of their own, as citations say them: in English, as their notes are."""

_CREDIT_WIDTH: Final = 680
"""Px of a line of credit in the specification, whose chart is as wide as a page's."""

_LIMIT: Final = re.compile(r"_(low|high|bound)$")
"""What a column says of the figure before it: from where to where it is, and whether it is about or more than that."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Title, address, year, terms with credit, author and publisher of each source by id, for citations."""

    titles: Mapping[str, str]
    urls: Mapping[str, str]
    years: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    authors: Mapping[str, str] = field(default_factory=dict)
    publishers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Iterable[Source]) -> "Origins":
        """Those of sources: terms and credit are their notes; of one without a printed date the year that it points to."""
        known = list(sources)
        days = {one.source: one.published or one.published_about for one in known}
        return cls(
            {one.source: one.title for one in known},
            {one.source: one.url for one in known if one.url},
            {source: str(day.year) for source, day in days.items() if day},
            {one.source: f"{one.credit}. Terms: {_terms(one.licence)}" for one in known},
            {one.source: one.authors for one in known if one.authors},
            {one.source: one.publisher for one in known if one.publisher},
        )

    def cited(self, source: str) -> dict[str, str | None]:
        """The fields of a source's citation."""
        fields = {
            "author": self.authors,
            "title": self.titles,
            "howpublished": self.publishers,
            "year": self.years,
            "url": self.urls,
            "note": self.notes,
        }
        return {name: known.get(source) for name, known in fields.items()}


def download(figure: Figure) -> pd.DataFrame:
    """The table as it is downloaded: each column of the figure, figures with their limits and references, terms and credit in each row."""
    names_ = [column.name for column in figure.columns if column.name in figure.table]
    refs = [column.ref for column in figure.columns if column.ref and column.ref in figure.table]
    limits = [name for name in map(str, figure.table) if _LIMIT.sub("", name) in names_ and name not in names_]
    ordered = [name for name in dict.fromkeys([*names_, *limits, *refs]) if name != "label"]
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


def spec(figure: Figure, lite: Mapping[str, Any], locale: Locale, site: str) -> bytes:
    """Vega-Lite with its data, formats of the language included, for the Vega editor and `altair.Chart.from_json`.

    Where it is drawn nothing of ours stands around it: it has its own paper, and the credit below its title.
    """
    formats = locale.d3()
    own = {
        **lite,
        "background": BACKGROUND["light"],
        "title": {
            "text": figure.heading(locale),
            "subtitle": wrap(credit(figure, locale, site), _CREDIT_WIDTH, 12),
            "subtitleColor": QUIET["light"],
        },
        "usermeta": {"chart": figure.id, "embedOptions": {"formatLocale": formats["number"], "timeFormatLocale": formats["time"]}},
    }
    return as_json(own)


def as_json(value: object) -> bytes:
    """A file of JSON, indented by one."""
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
        "state": figure.keys,
        "presets": {
            preset.id: {
                "state": dict(preset.state),
                "label": {locale.code: presets.label(figure, preset, locale) for locale in locales},
                "caption": {locale.code: presets.caption(figure, preset, locale) for locale in locales},
                "headline": {locale.code: presets.alt(figure, preset, locale) for locale in locales},
                **{kind.replace("-", "_"): each(f"{folder}{name}") for kind, name in names("{}", preset.id).items()},
            }
            for preset in figure.presets
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
    return as_json(
        {**record(figure, locales, base), "caption": caption, "columns": columns, "rows": len(figure.table), "built": day.isoformat()}
    )


def bibtex(figure: Figure, locale: Locale, origins: Origins, *, site: str, base: str, day: date) -> bytes:
    """`cite.bib`: the chart, and each source that its figures come from; `day` is that of the build, on which the chart said this.

    The names of fields and the words of notes are English in every language, as BibTeX's own are. A source's key begins with the
    chart's, so that the files of several charts can stand in one bibliography.
    """
    page = address(base, f"{locale.code}/c/{figure.id}/") if base else None
    credits_ = [name for name in figure.credits(locale) if name != site] or _distinct(figure, "credit")
    about = {
        "title": figure.heading(locale),
        "howpublished": site,
        "year": str(day.year),
        "url": page,
        "urldate": day.isoformat() if page else None,
        "note": f"Figures: {'; '.join(credits_)}. Terms: {', '.join(map(_terms, _distinct(figure, 'licence')))}",
    }
    sources = [source for source in _distinct(figure, "source") if source in origins.titles]
    key = f"touchstone-{figure.id}"
    found = [_entry(key, about), *(_entry(f"{key}:{source}", origins.cited(source)) for source in sources)]
    return "\n".join(found).encode()


def _terms(licence: str) -> str:
    """A licence by its name, terms without one in words."""
    return TERMS.get(licence, licence)


def _entry(key: str, fields: Mapping[str, str | None]) -> str:
    """One entry; what is not known is left out.

    An address is no text, so nothing in it is escaped; a title keeps its capitals, and authors stand as they are printed.
    """
    written = {name: value if name == "url" else escaped(value, "tex") for name, value in fields.items() if value}
    inner = ",\n".join(f"  {name} = {{{f'{{{value}}}' if name in {'title', 'author'} else value}}}" for name, value in written.items())
    return f"@misc{{{key},\n{inner}\n}}\n"


def oembed(figure: Figure, locale: Locale, picture: bytes, site: str, base: str) -> bytes:
    """An oEmbed answer of type rich, its frame the one of the share panel; `picture` is the chart's wide one, without words around it.

    Addresses are from the site's root where the site's own is not known.
    """
    width, height = embed_size(figure, locale, picture)
    title, source = figure.heading(locale), address(base, f"c/{figure.id}/embed.html?lang={locale.code}")
    given = {"embed": source, "title": title, "height": str(height), "base": base}
    frame, end, _ = fill(FORMATS["iframe"], given).partition("</iframe>")
    frame = frame.replace("<iframe ", '<iframe frameborder="0" ', 1)  # WordPress takes the style away
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
            "thumbnail_url": address(base, f"c/{figure.id}/{names(locale.code)['card']}"),
            "thumbnail_width": CARD[0],
            "thumbnail_height": CARD[1],
            "html": frame + end,
        }
    )
