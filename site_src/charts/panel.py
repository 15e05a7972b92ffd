"""The share panel: every way to reuse a chart in a post, on the chart's own page and in a dialog.
The page has it filled for the default state, without JavaScript; `assets/share.js` fills the same
formats for other states.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from site_src.charts import downloads
from site_src.charts import markup as share_html
from site_src.charts import pictures as share_pictures
from site_src.charts import snippets as share_snippets
from site_src.charts.drawn import DrawnFigure
from site_src.charts.markup import credit, embedded_json
from site_src.charts.size import embed_size
from site_src.charts.snippets import FORMATS, TABLES, fill
from site_src.figures import presets
from site_src.figures import theme as themes
from site_src.figures.base import WIDE, Figure
from site_src.figures.controls import State, StateNote
from site_src.locales import Locale
from site_src.minify import lean
from site_src.model import Asset
from site_src.templates import charts

_ASSETS: Final = Path(__file__).resolve().parents[1] / "assets"

TABS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "group_address": {"address": ("link",)},
    "group_picture": {"picture": ("markdown", "picture")},
    "embed": {"live": ("iframe", "element")},
    "more": {
        "table": ("table_markdown", "table_latex", "table_csv"),
        "notebook": ("altair", "ipython"),
        "citation": ("bibtex",),
    },
}
"""The ways by group and tab, each named `share.<tab>`."""

PLACES: Final = (
    "habr",
    "qiita",
    "wordpress",
    "wordpress_plain",
    "medium",
    "github",
    "notebook",
    "paper",
    "html",
)
"""Places for posts; `share.place_<name>` and `share.takes_<name>` describe them."""

WORDS: Final = (
    "copy",
    "copied",
    "copy_failed",
    "close",
    "state_default",
    "state_preset",
    "export_failed",
    "saved",
    "elsewhere",
    "without",
    "series_shown",
)
"""The browser's words, as `share.<name>`."""

JOINS: Final = ("colon", "comma", "paren", "sentences")
"""The browser's joins of words, as `join.<name>`."""

EXPORTS: Final = ("svg", "png1", "png2")

LONG: Final = 40
"""Rows from which the panel on the page leaves a table to the downloads."""


# Values


def record(drawn: DrawnFigure, locale: Locale) -> dict[str, Any]:
    """The panel's data about a chart in a language."""
    figure, options = drawn.figure, drawn.options
    titled = figure.titled
    captions = (
        {one.value: figure.caption(locale, {titled.key: one.value}) for one in titled.choices}
        if titled
        else {}
    )
    cited = downloads.bibtex(
        figure, locale, drawn.sources, site=options.site_name, base="{base|raw}", day=options.date
    ).decode()
    # the chart is cited as shown, on the day of its figures
    cited = re.sub(r"  url = \{[^\n]*\}", "  url = {{page|raw}}", cited, count=1)
    cited = re.sub(rf"(?m)^(@misc\{{touchstone-{re.escape(figure.id)})", r"\1{state|raw}", cited)
    pictures = drawn.pictures[locale.code]
    own = drawn.presets.get(locale.code, {})
    named = {
        one.id: {
            "label": presets.label(figure, one, locale),
            "title": presets.finding(figure, one, locale),
            "picture_height": share_pictures.size(own[one.id]["svg"])[1],
        }
        for one in figure.presets
    }
    return {
        "title": figure.headline(locale),
        "heading": figure.heading(locale),
        "titled": titled.key if titled else "",
        "captions": captions or {"": figure.caption(locale)},
        "credit": credit(figure, locale, options.site_name),
        "width": share_pictures.size(pictures["svg"])[0],
        "picture_height": share_pictures.size(pictures["svg"])[1],
        **dict(
            zip(
                ("narrow_width", "narrow_height"),
                share_pictures.size(pictures["narrow"]),
                strict=True,
            )
        ),
        "height": embed_size(figure, locale, pictures["page"])[1],
        "absent": share_snippets.absent(figure, locale),
        "pictured": pictured(figure, locale),
        "bib": cited.strip(),
        "presets": named,
    }


def pictured(figure: Figure, locale: Locale) -> list[State | None]:
    """For each remark the state of pictures that have it: an empty one for all, None for none."""
    beside = len(figure.beside(locale))
    return [
        (note.state or None) if isinstance(note, StateNote) else {} if at < beside else None
        for at, note in enumerate(figure.remarks(locale))
    ]


_TOLD: Final = (
    "title",
    "credit",
    "width",
    "picture_height",
    "narrow_width",
    "narrow_height",
    "height",
)
"""The fields of a record that formats use unchanged."""


def values(drawn: DrawnFigure, locale: Locale) -> dict[str, str]:
    """The values of formats in the default state: as `values` in share.js."""
    known, base, code, id_ = record(drawn, locale), drawn.options.base_url, locale.code, drawn.id
    found = {
        **{name: str(known[name]) for name in _TOLD},
        "id": id_,
        "lang": code,
        "base": base,
        "theme": "",
        "query": "",
        "state": "",
        "page": f"{base}{code}/c/{id_}/",
        "embed": f"{base}c/{id_}/embed.html?lang={code}",
        "spec": f"{base}c/{id_}/spec.{code}.json",
        "svg": f"{base}c/{id_}/{code}.svg",
        "both": f"{base}c/{id_}/{code}-dark.svg",
        "narrow": f"{base}c/{id_}/{code}-narrow.svg",
        "narrow_both": f"{base}c/{id_}/{code}-narrow.svg#{share_pictures.DARK}",
        "caption": next(iter(known["captions"].values())),
        "colon": locale.say("join.colon", what="", text=""),
    }
    return {**found, "bib": fill(known["bib"], found)}


def snippets(drawn: DrawnFigure, locale: Locale) -> dict[str, str]:
    """Every way, filled for the default state; a long table only says that it is long."""
    own = values(drawn, locale)
    table = share_snippets.table(drawn.figure, locale)
    if len(table.rows) > LONG:
        told = {kind: locale.say("share.long_table", n=len(table.rows)) for kind in TABLES}
    else:
        main = share_snippets.main(
            share_snippets.parts(drawn.figure), table, drawn.figure.field_of("value", {})
        )
        told = {
            kind: share_snippets.written(kind, table if kind == "table_csv" else main, own)
            for kind in TABLES
        }
    return {way: fill(format_, own) for way, format_ in FORMATS.items()} | told


# Markup


def panel(drawn: DrawnFigure, locale: Locale, root: str) -> Markup:
    """The panel on the chart's own page, filled for the default state."""
    summed = drawn.figure.digest is not None
    files = share_html.files(locale, f"{root}{drawn.folder}", summed=summed)
    inner = markup(drawn.locales, locale, snippets(drawn, locale), files)
    return charts.panel(drawn, locale, root, inner)


def markup(
    locales: Sequence[Locale], locale: Locale, code: Mapping[str, str], files: str = ""
) -> Markup:
    """Choices, ways and platforms; the browser fills the empty parts."""
    themed = ("auto", *themes.THEMES)
    return charts.panel_inner(locales, locale, code, themed, TABS, PLACES, EXPORTS, files)


# Files


def _language(locales: Sequence[Locale], locale: Locale) -> bytes:
    told = {
        "html": markup(locales, locale, {}),
        "words": {name: locale.template(f"share.{name}") for name in WORDS},
        "join": {name: locale.template(f"join.{name}") for name in JOINS},
        "formats": FORMATS,
        "tables": TABLES,
        "escapes": share_snippets.ESCAPES,
        "ranks": share_snippets.RANKS,
        "most": share_snippets.MOST,
        "look": {
            "font": themes.FONT,
            "ink": themes.INK,
            "quiet": themes.QUIET,
            "paper": themes.BACKGROUND,
            "width": WIDE,
        },
    }
    return (
        f"(window.touchstoneSharing ??= {{}})[{json.dumps(locale.code)}] = {embedded_json(told)};\n"
    ).encode()


def _named(name: str, content: bytes) -> tuple[str, bytes]:
    stem, _, ending = name.rpartition(".")
    return f"assets/touchstone-{stem}.{hashlib.sha256(content).hexdigest()[:10]}.{ending}", content


def _files(locales: Sequence[Locale]) -> dict[str, tuple[str, bytes]]:
    names = ("share.css", "share_button.js", "share_picture.js")
    found = {name: _named(name, lean(name, (_ASSETS / name).read_bytes())) for name in names}
    found |= {one.code: _named(f"share-{one.code}.js", _language(locales, one)) for one in locales}
    about = {
        name: path.rpartition("/")[2]
        for name, (path, _) in found.items()
        if name != "share_button.js"
    }
    code = f"const touchstoneShareFiles = {json.dumps(about)};\n".encode() + lean(
        "share.js", (_ASSETS / "share.js").read_bytes()
    )
    return found | {"share.js": _named("share.js", code)}


def paths(locales: Sequence[Locale]) -> dict[str, str]:
    """Paths below site/ of the files that pages load for the panel, by name."""
    found = _files(locales)
    return {name: found[name][0] for name in ("share.css", "share.js", "share_button.js")}


def head(root: str, client: Mapping[str, str]) -> str:
    """The `<head>` part of a page with a button that opens the panel."""
    return charts.panel_head(root, client)


def words_of(one: DrawnFigure) -> Asset:
    """The panel's data about a chart."""
    said = {
        "base": one.options.base_url,
        "columns": share_snippets.parts(one.figure),
        **{locale.code: record(one, locale) for locale in one.locales},
    }
    code = f"(window.touchstoneShared ??= {{}})[{json.dumps(one.id)}] = {embedded_json(said)};\n"
    return Asset(f"{one.folder}share.js", code.encode())


def shared(locales: Sequence[Locale]) -> Iterator[Asset]:
    """The panel's own files."""
    for path, content in _files(locales).values():
        yield Asset(path, content)
