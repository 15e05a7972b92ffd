"""What the records give, made a second time for `verify` to hold the site against: JSON tables,
downloads, and what charts are told.

It is made by the code that made the site, so it finds files that were changed, lost, left over or
mixed up after the records were read, and not an error in that code: figures on pages go through
`Facts` instead. Pictures and compiled specifications are not made again.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, starmap
from pathlib import Path
from typing import Any, Final

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.store import Archive
from site_src import api, charts, questions
from site_src.addresses import moved
from site_src.addresses.moved import Move
from site_src.addresses.retired import Retired
from site_src.addresses.retired_files import kept_files
from site_src.charts import downloads, embed, table, vega
from site_src.charts import payload as share_payload
from site_src.charts.downloads import Origins
from site_src.charts.drawn import DrawnFigure, Options
from site_src.charts.markup import embedded_json
from site_src.figures.base import Figure
from site_src.locales import Locale
from site_src.model import Asset, BuildOptions
from site_src.outputs import promises
from site_src.pages import site_of
from site_src.pages.components import badges
from site_src.tables.recorded import machine_name
from site_src.verify.html import Read

Fault = tuple[str, str]

_MOST: Final = 5
"""Faults told of one file: more say no more."""

_FOLDERS: Final = ("api/", "data/", "badges/")
"""Folders that hold nothing but what is made again here."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a chart is told in one language.

    Attributes:
        headline: The sentence: what the picture says, and its `alt`.
        headlines: What is said in other states.
        rows: Of the table, with every column.
        drawn: Rows of the default state, as the specification has them.
        texts: What is written at marks, by `text:<column>` and the like.
        tips: What the pointer tells.
        presets: Specifications of its presets, of which there are pictures alone.
        summed: Where the page's table sums the chart up: its columns by their names in `table.csv`,
            in order, each with the words of its rows; None for figures, whose values say it.
    """

    headline: str
    rows: list[dict[str, Any]]
    drawn: list[dict[str, Any]]
    texts: Mapping[str, list[Any]]
    tips: list[Any]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    summed: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    headlines: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Again:
    """What the records give.

    Attributes:
        files: Content by path below site/.
        told: By chart id and language.
        names: Names of catalogue and records, which may hold digits.
        sentences: Headlines of retired charts, as they were kept.
        moved: New ids by old ones, by kind.
    """

    files: Mapping[str, bytes]
    told: Mapping[tuple[str, str], Told]
    names: frozenset[str]
    sentences: frozenset[str] = frozenset()
    moved: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def again(  # noqa: PLR0917 - all that a build knows
    archive: Archive,
    catalog: Catalog,
    facts: Facts,
    locales: Sequence[Locale],
    options: BuildOptions,
    retired: Sequence[Retired] = (),
    moves: Sequence[Move] = (),
) -> Again:
    """Make it, without drawing anything."""
    about = Options(options.cache, options.date, options.base_url, report_link=options.issues)
    origins = Origins.of(archive.sources)
    found = questions.figures(archive, catalog, facts)
    plain = {
        figure.id: DrawnFigure(figure, tuple(locales), {}, {}, about, compiled={}, sources=origins)
        for figure in found
    }
    files = {
        asset.path: asset.content
        for asset in api.assets(archive, catalog, facts, plain, locales, options)
    }
    for one in plain.values():
        figure, first = one.figure, locales[0]
        files |= {
            f"{one.folder}{name}": content for name, content in downloads.tables(figure).items()
        }
        files[f"{one.folder}meta.json"] = downloads.meta(
            figure, locales, about.base_url, about.date
        )
        files[f"{one.folder}cite.bib"] = downloads.bibtex(
            figure, first, origins, site=about.site_name, base=about.base_url, day=about.date
        )
    site = site_of(archive, catalog, facts, plain, options)
    files |= {asset.path: asset.content for asset in badges.assets(site, locales)}
    for gone in retired:
        files |= {asset.path: asset.content for asset in kept_files(gone, locales, about)}
    told = {
        (figure.id, locale.code): _told(figure, locale) for figure in found for locale in locales
    }
    ways = promises.ways(site, retired, moves)
    files = {
        asset.path: asset.content for asset in moved.forwarded(starmap(Asset, files.items()), ways)
    }
    told |= {
        (old, code): said
        for old, new in ways["chart"].items()
        for (id_, code), said in list(told.items())
        if id_ == new
    }
    sentences = frozenset(gone.headline(locale) for gone in retired for locale in locales)
    return Again(files, told, frozenset(_names(archive, catalog, found)), sentences, ways)


def _told(figure: Figure, locale: Locale) -> Told:
    rows = figure.records(locale)
    texts: dict[str, list[Any]] = {
        name: [row[name] for row in rows] for name in ("label", "name", "under", "one")
    }
    texts |= {
        f"text:{name}": [figure.text_of(row, name, locale) for row in rows]
        for name in sorted(figure.compared)
    }
    return Told(
        figure.headline(locale),
        _json(rows),
        _json(figure.rows(locale, {})),
        texts,
        _json(share_payload.tips(figure, rows, locale)),
        {
            one.id: json.loads(
                downloads.spec(figure, vega.preset_lite(figure, one, locale), locale, "")
            )
            for one in figure.presets
        },
        _summed(figure, locale),
        share_payload.headlines(figure, locale),
    )


def _summed(figure: Figure, locale: Locale) -> dict[str, list[str | None]]:
    """As `Told.summed`."""
    if figure.digest is None:
        return {}
    names = [downloads.HEADERS.get(column.name, column.name) for column in table.shown(figure)]
    rows = [
        [None if entry.value else entry.text for entry in line.entries]
        for line in table.lines(figure, locale)
    ]
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _json(value: Any) -> Any:
    """As it comes back from a page."""
    return json.loads(embedded_json(value))


def _names(archive: Archive, catalog: Catalog, found: Sequence[Figure]) -> Iterator[str]:
    named = [
        *(one.name for one in catalog.hardware.values()),
        *(one.name for one in catalog.systems.values()),
    ]
    yield from (*named, *map(badges.brief, named))
    yield from (one.name for one in catalog.workloads.values())
    for figure in found:
        for series in figure.series:
            yield series.label
            yield series.label.partition(" · ")[0]  # the system without its framework
    for source in archive.sources:
        yield from (
            name
            for name in (
                source.title,
                source.publisher,
                source.authors,
                source.credit,
                source.licence,
            )
            if name
        )
    for run in archive.runs:
        yield run.run_id
        yield run.system
        if run.environment is not None and (name := machine_name(run.environment)):
            yield name
        yield from (name for name in (run.framework_version, run.credit, run.licence) if name)
    yield from (system.instance for system in catalog.systems.values() if system.instance)


def files_differ(out: Path, files: set[str], made: Mapping[str, bytes]) -> Iterator[Fault]:
    """(file, fault) for each file of the API, download and chart's table that is not what the
    records give, to the byte.
    """
    for name in sorted(
        name
        for name in files
        if name.startswith(_FOLDERS) and not name.endswith(".html") and name not in made
    ):
        yield name, "is no file that the records give; remove it, or build again"
    for name, wanted in sorted(made.items()):
        if name not in files:
            yield name, "is missing; the records give it"
            continue
        content = (out / name).read_bytes()
        if content == wanted:
            continue
        told = list(_where(name, content, wanted))
        yield from ((name, fault) for fault in told[:_MOST])
        if not told:
            yield name, "is not, byte for byte, what the records give; build again"


def _where(name: str, content: bytes, wanted: bytes) -> Iterator[str]:
    """Where two files of one name differ, as far as their form tells."""
    try:
        if name.endswith(".json"):
            yield from _values("", json.loads(content), json.loads(wanted))
        elif name.endswith(".csv"):
            yield from _values("", _table(content), _table(wanted))
    except (ValueError, csv.Error) as error:
        yield f"cannot be read: {error}"


def _table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


_IDS: Final = ("id", "run_id", "price_id", "system", "workload", "source")


def _values(place: str, found: Any, wanted: Any) -> Iterator[str]:
    """Every place at which two JSON values differ."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in [*wanted, *(key for key in found if key not in wanted)]:
            here = f"{place}, {key}" if place else str(key)
            if key not in found or key not in wanted:
                yield f"{here}: is only {'here' if key in found else 'in the records'}"
            else:
                yield from _values(here, found[key], wanted[key])
    elif isinstance(found, list) and isinstance(wanted, list):
        if len(found) != len(wanted):
            yield f"{place or 'table'}: has {len(found)} rows, the records give {len(wanted)}"
            return
        for number, (one, other) in enumerate(zip(found, wanted, strict=True), 1):
            name = (
                next((str(other[key]) for key in _IDS if key in other), "")
                if isinstance(other, dict)
                else ""
            )
            here = f"row {number}{f' ({name})' if name else ''}"
            yield from _values(f"{place}, {here}" if place else here, one, other)
    elif found != wanted or type(found) is not type(wanted):
        yield f"{place}: {found!r}; the records give {wanted!r}"


def charts_differ(
    out: Path, files: set[str], pages: Mapping[str, Read], told: Mapping[tuple[str, str], Told]
) -> Iterator[Fault]:
    """(file, fault) for what charts are told on pages, in embeds and in specifications otherwise
    than the records give.
    """
    for name, page in pages.items():
        for block in page.blocks:
            chart = name.split("/")[1] if name.startswith("c/") else block.chart
            language = block.language or page.language
            wanted = told.get((chart, language))
            if wanted is None:
                yield (
                    name,
                    f"has data of the chart {chart!r} in {language!r}, which the records do not "
                    "give",
                )
                continue
            try:
                payload = json.loads(block.text)
            except ValueError as error:
                yield name, f"the data of {chart} are no JSON: {error}"
                continue
            found = list(islice(payload_differs(payload, wanted), _MOST))
            if block.kind != "ts-language" and "rows" not in payload:
                found.append("has no rows")
            yield from ((name, f"chart data of {chart}, {fault}") for fault in found)
        for chart, alt in page.alts:
            wanted = told.get((chart, page.language))
            if wanted is not None and not name.startswith("c/") and alt != wanted.headline:
                yield (
                    name,
                    f"a picture of {chart} says {alt!r}; the records give {wanted.headline!r}",
                )
    yield from _scripts_differ(out, files, pages, told)
    for (chart, language), wanted in told.items():
        name = f"c/{chart}/spec.{language}.json"
        if name in files:
            try:
                spec = json.loads((out / name).read_text(encoding="utf-8"))
            except ValueError:
                continue  # told with the pictures
            yield from ((name, fault) for fault in islice(spec_rows_differ(spec, wanted), _MOST))


def _scripts_differ(
    out: Path, files: set[str], pages: Mapping[str, Read], told: Mapping[tuple[str, str], Told]
) -> Iterator[Fault]:
    """(file, fault) for what the element is told of a chart otherwise than the records give, or
    than the chart's own page is told.
    """
    for (chart, language), wanted in told.items():
        name, page = f"c/{chart}/data.{language}.js", f"{language}/c/{chart}/index.html"
        if name not in files:
            yield name, "is missing; each chart has one in each language"
            continue
        text = (out / name).read_text(encoding="utf-8")
        try:
            payload = json.loads(text.removeprefix(embed.DATA).removesuffix(";\n"))
        except ValueError as error:
            yield name, f"is not {embed.DATA} and JSON: {error}"
            continue
        yield from (
            (name, f"chart data of {chart}, {fault}")
            for fault in islice(payload_differs(payload, wanted), _MOST)
        )
        own: dict[str, Any] = (
            next((json.loads(block.text) for block in pages[page].blocks), {})
            if page in pages
            else {}
        )
        for key in sorted(own.keys() - charts.PAGE_ONLY):
            if payload.get(key) != own[key]:
                yield name, f"differs from {page} in {key}"


def payload_differs(payload: Mapping[str, Any], told: Told) -> Iterator[str]:
    """What a page's or an embed's chart data have otherwise than the records give: rows, texts at
    marks, and what the pointer tells.
    """
    columns, rows = payload.get("columns", []), payload.get("rows", [])
    if "rows" in payload:
        yield from _values(
            "rows",
            [dict(zip(columns, row, strict=False)) for row in rows],
            [_only(row, columns) for row in told.rows],
        )
    for name, value in payload.get("same", {}).items():
        if any(row.get(name) != value for row in told.rows):
            yield f"all rows have {name} = {value!r}; in the records they do not"
    for name, texts in payload.get("texts", {}).items():
        yield from _values(f"texts, {name}", _unpacked(texts), told.texts.get(name))
    if "tips" in payload:
        yield from _values("tips", payload["tips"], told.tips)
        yield from _values("headlines", payload.get("headlines", {}), told.headlines)


def _unpacked(texts: Any) -> Any:
    """Texts of all rows, of which the repeated ones stand once."""
    return [texts["words"][index] for index in texts["rows"]] if isinstance(texts, dict) else texts


def _only(row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    return {name: row[name] for name in columns if name in row}


def spec_rows_differ(spec: Mapping[str, Any], told: Told) -> Iterator[str]:
    """What the rows of a downloadable specification have otherwise than the records give."""
    data = spec.get("data")
    yield from _values("data", data.get("values") if isinstance(data, dict) else None, told.drawn)
