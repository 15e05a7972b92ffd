"""Pages described in schema.org terms, as JSON-LD, for data search engines.

Its addresses must be absolute, so without the site's address there is none. Only recorded facts are
stated: terms that are not in `SPDX` are left out, and rows of a source stay the source's, which
`creditText` and `isBasedOn` name.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import chain
from typing import Any, Final

from kernels.records import DatePrecision, Run, Source
from site_src.api.tables import Shape, csv_ending
from site_src.charts import card
from site_src.charts.parts import Chart, Words
from site_src.model import Page
from site_src.pages.components.writer import Writer
from site_src.reports import Report
from site_src.reports.prose import unmarked

Thing = dict[str, Any]

SPDX: Final = frozenset(
    {
        "Apache-2.0",
        "BSD-3-Clause",
        "CC-BY-4.0",
        "CC-BY-SA-4.0",
        "CC0-1.0",
        "MIT",
        "MPL-2.0",
        "ODbL-1.0",
    }
)
"""Terms that the SPDX list has under the name that we record."""

LEAST: Final = 50
MOST: Final = 5000
"""Fewest and most characters in a data set's description (Google's rule)."""

_FORMATS: Final = {
    "csv": "text/csv",
    "csv.gz": "application/gzip",
    "parquet": "application/vnd.apache.parquet",
}

_PRINTED: Final = {DatePrecision.YEAR: 4, DatePrecision.MONTH: 7, DatePrecision.DAY: 10}
"""Characters of an ISO 8601 date that a source prints."""


def chart(writer: Writer, drawn: Chart) -> tuple[Thing, ...]:
    """A chart's table as a data set: variables, units, creators, downloads."""
    base, locale = writer.site.options.base_url, writer.locale
    if not base:
        return ()
    known = writer.site.sources
    words = drawn.words(locale)
    runs = [writer.site.runs[id_] for id_ in drawn.runs]
    sources = [known[id_] for id_ in dict.fromkeys(run.source for run in runs) if id_ in known]
    title, headline = words.heading, words.headline
    if len(headline) < LEAST:
        headline = locale.say("join.colon", what=title, text=headline)
    return (
        {
            **_data(writer, f"{base}{locale.code}/c/{drawn.id}/", title, headline, drawn.id),
            **_given(
                license=licences(words.licences),
                creditText=locale.join(words.credits),
                isBasedOn=[_work(source) for source in sources],
                citation=[_cited(source) for source in sources],
                dateModified=_iso(newest(runs, sources)),
                variableMeasured=_variables(words),
            ),
            "image": f"{base}{card(drawn.id, locale)}",
            "distribution": _downloads(f"{base}{drawn.folder}table"),
            "includedInDataCatalog": _own_catalog(writer),
        },
    )


def _variables(words: Words) -> list[Thing]:
    return [
        {"@type": "PropertyValue", "name": name} | ({"unitText": unit} if unit else {})
        for name, unit in words.variables
    ]


def source(writer: Writer, known: Source, page: Page, tables: Sequence[str]) -> tuple[Thing, ...]:
    """A source's page, with the published tables that show its figures; empty if there are none.

    Its rows have no download of their own: the description says which rows of the tables are meant.
    """
    base, locale = writer.site.options.base_url, writer.locale
    if not base or not tables:
        return ()
    runs = writer.site.runs_of(source=known.source) if "runs" in tables else []
    rows = locale.say("structured.rows", source=known.source, tables=locale.joined("comma", tables))
    description = locale.joined("sentences", (page.description, rows))
    terms = [known.licence, *(run.licence for run in runs)]
    downloads = (_downloads(f"{base}data/{table}", csv_ending(table)) for table in tables)
    return (
        {
            **_data(writer, _address(writer, page), page.title, description, known.source),
            **_given(
                license=licences(terms),
                creditText=known.credit,
                citation=[_cited(known)],
                dateModified=_iso(newest(runs, [known])),
            ),
            "isBasedOn": [_work(known)],
            "distribution": [*chain.from_iterable(downloads)],
            "includedInDataCatalog": _own_catalog(writer),
        },
    )


def _address(writer: Writer, page: Page) -> str:
    return f"{writer.site.options.base_url}{page.language}/{page.path}"


def _own_catalog(writer: Writer) -> Thing:
    return {
        "@type": "DataCatalog",
        "name": _site_name(writer),
        "url": f"{writer.site.options.base_url}{writer.locale.code}/data/",
    }


def catalog(writer: Writer, page: Page) -> tuple[Thing, ...]:
    """The page of downloads: each published table as a data set."""
    base, locale = writer.site.options.base_url, writer.locale
    if not base:
        return ()
    address, site = _address(writer, page), _site_name(writer)
    tables = [
        {
            **_data(
                writer,
                address,
                locale.say("structured.table", site=site, name=table),
                _described(writer, table, shape),
                table,
                part=table,
            ),
            **_given(license=licences(shape.licences)),
            "distribution": _downloads(f"{base}data/{table}", csv_ending(table)),
        }
        for table, shape in writer.site.tables.items()
    ]
    return (
        {
            **_thing("DataCatalog", address, "catalog"),
            "name": locale.say("join.colon", what=site, text=page.title),
            "description": page.description,
            "inLanguage": page.language,
            "dataset": tables,
        },
    )


def _described(writer: Writer, table: str, shape: Shape) -> str:
    what = writer.locale.say(f"download.{table}")
    columns = unmarked(writer.joined("comma", *shape.columns))
    text = writer.locale.say(
        "structured.about", what=f"{what[:1].upper()}{what[1:]}", columns=columns
    )
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"


def article(writer: Writer, report: Report, page: Page) -> tuple[Thing, ...]:
    """A report: ours, on a source that it names."""
    base = writer.site.options.base_url
    if not base:
        return ()
    source, address = writer.site.sources[report.source], _address(writer, page)
    return (
        {
            **_thing("TechArticle", address, "article"),
            "mainEntityOfPage": address,
            "headline": page.title,
            "description": page.description,
            "inLanguage": page.language,
            "isAccessibleForFree": True,
            "author": _publisher(writer),
            "publisher": _publisher(writer),
            "isBasedOn": _work(source),
            **_given(
                image=f"{base}{page.image}" if page.image else None,
                dateModified=_iso(page.updated),
                keywords=[str(writer.t(f"tag.{tag}")) for tag in source.tags],
            ),
        },
    )


def newest(runs: Iterable[Run], sources: Iterable[Source]) -> date | None:
    """The latest date of these runs and sources; None where none has a date."""
    days = [run.started_at.date() for run in runs if run.started_at]
    return max([*days, *(source.updated for source in sources if source.updated)], default=None)


def licences(names: Iterable[str]) -> list[str]:
    """Addresses of the licences of all rows; empty if one is not on the SPDX list, since the others
    would not cover the whole.
    """
    found = sorted({str(name) for name in names})
    if not SPDX.issuperset(found):
        return []
    return [f"https://spdx.org/licenses/{name}.html" for name in found]


def _data(  # noqa: PLR0917 - the fields that all data sets have
    writer: Writer, address: str, name: str, description: str, id_: str, part: str = "dataset"
) -> Thing:
    return {
        **_thing("Dataset", address, part),
        "inLanguage": writer.locale.code,
        "isAccessibleForFree": True,
        "publisher": _publisher(writer),
        "name": name,
        "description": description,
        "identifier": id_,
    }


def _thing(kind: str, address: str, part: str) -> Thing:
    return {
        "@context": "https://schema.org",
        "@type": kind,
        "@id": f"{address}#{part}",
        "url": address,
    }


def _publisher(writer: Writer) -> Thing:
    base = writer.site.options.base_url
    return {"@type": "Organization", "name": _site_name(writer), "url": base}


def _site_name(writer: Writer) -> str:
    return writer.locale.say("ui.site_name")


def _downloads(stem: str, csv: str = "csv") -> list[Thing]:
    return [
        {
            "@type": "DataDownload",
            "contentUrl": f"{stem}.{ending}",
            "encodingFormat": _FORMATS[ending],
        }
        for ending in (csv, "parquet")
    ]


def _work(source: Source) -> Thing:
    publisher = {"@type": "Organization", "name": source.publisher} if source.publisher else None
    printed = (
        source.published.isoformat()[: _PRINTED[source.published_precision]]
        if source.published
        else None
    )
    about = _given(
        url=source.cited_url, creditText=source.authors, publisher=publisher, datePublished=printed
    )
    return {"@type": "CreativeWork", "name": source.title, "inLanguage": source.language, **about}


def _cited(source: Source) -> str:
    parts: Sequence[str | None] = (source.authors, source.title, source.publisher, source.cited_url)
    return ". ".join(part for part in parts if part)


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _given(**values: object) -> Thing:
    return {name: value for name, value in values.items() if value}
