"""Charts for all uses: every figure as HTML for our pages and as files for other sites. Addresses
below `c/<chart-id>/` and the keys of a chart's state never change.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import quote

from markupsafe import Markup

from kernels.records import Source
from site_src.charts import downloads, embed, markup, panel, vega
from site_src.charts import pictures as share_pictures
from site_src.charts.drawn import Body, DrawnFigure, Options
from site_src.charts.pictures import Order
from site_src.charts.runtime import Runtime
from site_src.charts.vega import Compiled
from site_src.figures import presets
from site_src.figures import theme as themes
from site_src.figures.base import Figure
from site_src.figures.controls import Preset
from site_src.locales import Locale
from site_src.minify import lean, shortened, slim
from site_src.model import Asset
from site_src.templates import charts
from site_src.templates.slots import put, slot

_ASSETS: Final = Path(__file__).resolve().parents[1] / "assets"
CLIENT: Final[Mapping[str, tuple[str, ...]]] = {
    "chart.js": ("chart.js", "chart_page.js", "chart_tables.js", "chart_enlarge.js"),
    "frame.js": ("frame.js", "chart.js", "chart_away.js", "chart_frame.js"),
    "mount.js": ("chart.js", "chart_away.js", "chart_mount.js"),
    "frame.css": ("figure.css", "frame.css"),
    **{
        name: (name,)
        for name in ("favicon.svg", "cost.js", "calculator.js", "compare_frame.js", "home_ask.js")
    },
    "cost_words.js": ("cost_question.js", "cost_words.js"),
}
"""The files loaded by pages with charts or of two, frames, the element and the calculator."""

_REM: Final = re.compile(r"(\d*\.?\d+)rem\b")


def drawn(
    figure: Figure,
    locales: Sequence[Locale],
    client: Mapping[str, str],
    options: Options,
    sources: Iterable[Source] = (),
) -> DrawnFigure:
    """Compiles and draws a figure in every language; `client` are the paths of the scripts and
    styles it loads.
    """
    compiled = vega.prepare(figure, locales, options.cache)
    pictures = {
        key: share_pictures.draw(one, options.cache, painted=not options.draft)
        for key, one in orders(figure, locales, compiled, options).items()
    }
    return DrawnFigure(
        figure,
        tuple(locales),
        {locale.code: pictures[locale.code, ""] for locale in locales},
        client,
        options,
        {
            locale.code: {preset.id: pictures[locale.code, preset.id] for preset in figure.presets}
            for locale in locales
        },
        compiled={code: replace(made, pictures={}, presets={}) for code, made in compiled.items()},
        sources={one.source: one for one in sources},
    )


def orders(
    figure: Figure, locales: Sequence[Locale], compiled: Mapping[str, Compiled], options: Options
) -> dict[tuple[str, str], Order]:
    """The inputs of a figure's pictures, by language and preset."""
    return {
        (locale.code, preset.id if preset else ""): order(
            figure, locale, compiled[locale.code], options, preset
        )
        for locale in locales
        for preset in (None, *figure.presets)
    }


def order(
    figure: Figure, locale: Locale, compiled: Compiled, options: Options, preset: Preset | None
) -> Order:
    """The inputs of a figure's pictures in one language and state."""
    return Order(
        compiled.pictures if preset is None else {"wide": compiled.presets[preset.id]},
        themes.dark_colours(series.look for series in figure.series),
        locale,
        figure.headline(locale) if preset is None else presets.finding(figure, preset, locale),
        figure.caption(locale) if preset is None else presets.caption(figure, preset, locale),
        tuple(figure.pictured(locale, preset.state if preset else {})),
        markup.credit(figure, locale, options.site_name),
        f"{figure.id}{f'/{preset.id}' if preset else ''} ({locale.code})",
        address=f"{options.base_url}{locale.code}/c/{figure.id}/".partition("://")[2],
    )


def paths(runtime: Runtime) -> dict[str, str]:
    """Paths below site/ of the files that charts load."""
    return {name: path for name, (path, _) in client().items()} | {"runtime": runtime.script.path}


def client() -> dict[str, tuple[str, bytes]]:
    """Path below site/ and content of the files that charts share; the name has their hash."""
    found = {}
    for name, parts in CLIENT.items():
        content = b"".join(lean(part, (_ASSETS / part).read_bytes()) for part in parts)
        if (
            name == "frame.css"
        ):  # below a shadow root rem is the host page's, which may have any size
            content = _REM.sub(lambda size: f"{float(size[1]) * 16:g}px", content.decode()).encode()
        stem, _, ending = name.partition(".")
        found[name] = (
            f"assets/touchstone-{stem}.{hashlib.sha256(content).hexdigest()[:10]}.{ending}",
            content,
        )
    return found


def head(root: str, client: Mapping[str, str]) -> str:
    """The `<head>` part of a page with charts; the same for every chart."""
    return charts.head(root, client)


def calculator(root: str, client: Mapping[str, str], data: str) -> str:
    """The `<head>` part of the calculator's page."""
    return charts.calculator_head(root, client, data)


def asked_head(root: str, client: Mapping[str, str], data: str) -> str:
    """The `<head>` part of the home page, whose question the calculator's scripts answer."""
    return charts.asked_head(root, client, data)


def block(drawn: DrawnFigure, locale: Locale, root: str, level: int | str = 3) -> Markup:
    """The chart on a page.

    Args:
        drawn: The chart.
        locale: The page's language.
        root: Relative path from the page to the site's root.
        level: Of its heading, 2 to 6, or a slot for that.
    """
    figure, folder, body = drawn.figure, f"{root}{drawn.folder}", body_of(drawn, locale)
    own = f"{root}{locale.code}/c/{quote(figure.id)}/index.html"
    table = _script("table", folder, locale, body)
    below = (
        markup.links(figure, locale, root, drawn.options.report_link, folder)
        + _rooted(body.notes, root)
        + charts.numbers_by_need(table, own, "permalink", locale, _rooted(body.conditions, root))
    )
    return charts.block(
        figure,
        locale,
        level,
        markup.headline_size(figure.headline(locale)),
        _rooted(body.headline, root),
        _rooted(body.picture, root) + _rooted(body.choices, root),
        below,
        _script("data", folder, locale, body),
    )


def own_page(drawn: DrawnFigure, locale: Locale, root: str) -> Markup:
    """The chart at the top of its own page, which its sentence is the heading of."""
    figure, folder, body = drawn.figure, f"{root}{drawn.folder}", body_of(drawn, locale)
    report, conditions = drawn.options.report_link, _rooted(body.conditions, root)
    if markup.apart(figure):
        rows = f"{root}{locale.code}/c/{quote(figure.id)}/rows/index.html"
        table = _script("table", folder, locale, body)
        numbers = charts.numbers_by_need(table, rows, "rows", locale, conditions)
    else:
        table = _rooted(body.table, root)
        numbers = charts.numbers(table, locale, markup.folded(figure), conditions)
    return charts.own_page(
        figure,
        locale,
        markup.headline_size(figure.headline(locale)),
        _rooted(body.headline, root),
        markup.at_once(_rooted(body.picture, root)),
        _rooted(body.choices, root),
        markup.links(figure, locale, root, report, folder, own_page=True),
        _rooted(body.notes, root) + numbers,
        _script("data", folder, locale, body),
    )


def _script(kind: str, folder: str, locale: Locale, body: Body) -> str:
    return f"{folder}{kind}.{locale.code}.js?{body.version}"


def sheets(drawn: DrawnFigure, locale: Locale, root: str) -> tuple[Markup, ...]:
    """The chart's table on pages of its own, if it is very long."""
    figure = drawn.figure
    numbers = range(1, markup.sheets(figure) + 1)
    return tuple(markup.table(figure, locale, root, sheet=number) for number in numbers)


def _rooted(part: str, root: str) -> Markup:
    return Markup(put(part, {"root": root}))  # noqa: S704 - as safe as it was


def body_of(drawn: DrawnFigure, locale: Locale) -> Body:
    """The parts of the chart that are the same on each page of a language."""
    return drawn.bodies.get(locale.code, lambda: _body(drawn, locale))


def _body(drawn: DrawnFigure, locale: Locale) -> Body:
    figure = drawn.figure
    root = slot("root")
    table = markup.table(figure, locale, root)
    told = hashlib.sha256(embed.data(drawn, locale) + table.encode())
    return Body(
        headline=markup.headline(figure, locale),
        choices=markup.controls(figure, locale) + markup.legend(figure, locale),
        picture=picture(drawn, locale, root),
        notes=markup.notes(figure, locale),
        conditions=markup.conditions(figure, locale),
        table=table,
        version=told.hexdigest()[:8],
    )


def shared(
    runtime: Runtime, names: Mapping[str, str], locales: Sequence[Locale]
) -> Iterator[Asset]:
    """The files that charts share; `names` are their paths."""
    for path, content in client().values():
        yield Asset(path, content)
    yield from runtime.assets
    yield from embed.scripts(names, locales)
    yield from panel.shared(locales)


def files(drawn: DrawnFigure) -> Iterator[Asset]:
    """Every file of a chart."""
    yield panel.words_of(drawn)
    yield Asset(f"{drawn.folder}embed.html", embed.embed(drawn))
    for locale in drawn.locales:
        yield Asset(f"{drawn.folder}data.{locale.code}.js", embed.data(drawn, locale))
        table = slim(shortened(_rooted(body_of(drawn, locale).table, embed.ROOT)))
        yield Asset(f"{drawn.folder}table.{locale.code}.js", embed.table(table))
    yield from downloads_of(drawn)


def downloads_of(drawn: DrawnFigure) -> Iterator[Asset]:
    """The files of a chart without scripts: tables, descriptions, specifications, pictures."""
    figure, options, folder = drawn.figure, drawn.options, drawn.folder
    for name, content in drawn.tables.items():
        yield Asset(f"{folder}{name}", content)
    yield Asset(
        f"{folder}meta.json", downloads.meta(figure, drawn.locales, options.base_url, options.date)
    )
    first = drawn.locales[0]
    yield Asset(
        f"{folder}cite.bib",
        downloads.bibtex(
            figure,
            first,
            drawn.sources,
            site=options.site_name,
            base=options.base_url,
            day=options.date,
        ),
    )
    for locale in drawn.locales:
        lite = drawn.compiled[locale.code].lite
        yield Asset(
            f"{folder}spec.{locale.code}.json",
            downloads.spec(figure, lite, locale, options.site_name),
        )
        answer = downloads.oembed(
            figure, locale, drawn.pictures[locale.code]["page"], options.site_name, options.base_url
        )
        yield Asset(f"{folder}oembed.{locale.code}.json", answer)
        yield from drawn.files(locale.code)


def picture(drawn: DrawnFigure, locale: Locale, root: str) -> str:
    """Only the chart's picture."""
    made = drawn.pictures[locale.code]
    return markup.pictures(drawn.figure, locale, made, f"{root}{drawn.folder}")


def links(drawn: DrawnFigure, locale: Locale, root: str) -> Markup:
    """The links below a chart that the page shows already: to share it, its files."""
    return markup.links(drawn.figure, locale, root, "", f"{root}{drawn.folder}")


def small(id_: str, locale: Locale) -> str:
    """Path below site/ of the picture without title and credit, which is also a small file."""
    return f"c/{id_}/{share_pictures.names(locale.code)['page']}"


def card(id_: str, locale: Locale) -> str:
    """Path below site/ of the picture for feeds and messengers."""
    return f"c/{id_}/{share_pictures.names(locale.code)['card']}"
