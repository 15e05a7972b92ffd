"""Charts that travel: every figure as HTML for our pages and as files for everyone else's, in each
language.

Addresses below `c/<chart-id>/` and the keys of a chart's state are promises (README, "A chart's
address").
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from kernels.records import Source
from site_src.charts import downloads, embed, markup, panel, vega
from site_src.charts import payload as share_payload
from site_src.charts import pictures as share_pictures
from site_src.charts.drawn import Body, DrawnFigure, Options
from site_src.charts.markup import embedded_json
from site_src.charts.pictures import Order
from site_src.charts.runtime import Runtime
from site_src.charts.vega import Compiled
from site_src.figures import presets
from site_src.figures import theme as themes
from site_src.figures.base import Figure
from site_src.figures.controls import Preset
from site_src.locales import Locale
from site_src.minify import lean
from site_src.model import Asset
from site_src.templates import charts
from site_src.templates.slots import put, slot

_ASSETS: Final = Path(__file__).resolve().parents[1] / "assets"
CLIENT: Final[Mapping[str, tuple[str, ...]]] = {
    "chart.js": ("chart.js", "chart_page.js", "chart_tables.js"),
    "chart.css": ("figure.css", "chart.css"),
    "frame.js": ("frame.js", "chart.js", "chart_away.js", "chart_frame.js"),
    "mount.js": ("chart.js", "chart_away.js", "chart_mount.js"),
    "frame.css": ("figure.css", "frame.css"),
    **{name: (name,) for name in ("favicon.svg", "cost.js", "calculator.js", "calculator.css")},
    "cost_words.js": ("cost_question.js", "cost_words.js"),
}
"""What pages with charts, frames, the element and the calculator load, and the files that each is
made of; the runtime follows when a chart comes into view.
"""

_REM: Final = re.compile(r"(\d*\.?\d+)rem\b")


def draw(
    figures: Sequence[Figure],
    locales: Sequence[Locale],
    runtime: Runtime,
    options: Options,
    sources: Iterable[Source] = (),
) -> dict[str, DrawnFigure]:
    """Compile and picture every figure in every language; by chart id.

    Raises:
        FigureError: A figure's words and data disagree.
        GlyphError: A picture has a letter that no font at hand has.
    """
    cited = {one.source: one for one in sources}
    compiled = {figure.id: vega.prepare(figure, locales, options.cache) for figure in figures}
    orders = {
        (figure.id, locale.code, preset.id if preset else ""): order(
            figure, locale, compiled[figure.id][locale.code], options, preset
        )
        for figure in figures
        for locale in locales
        for preset in (None, *figure.presets)
    }
    made = share_pictures.draw(
        list(orders.values()), options.cache, options.jobs, painted=not options.draft
    )
    pictures = dict(zip(orders, made, strict=True))
    client = paths(runtime) | panel.paths(locales)
    return {
        figure.id: DrawnFigure(
            figure,
            tuple(locales),
            {locale.code: pictures[figure.id, locale.code, ""] for locale in locales},
            client,
            options,
            {
                locale.code: {
                    one.id: pictures[figure.id, locale.code, one.id] for one in figure.presets
                }
                for locale in locales
            },
            compiled=compiled[figure.id],
            sources=cited,
        )
        for figure in figures
    }


def order(
    figure: Figure, locale: Locale, compiled: Compiled, options: Options, preset: Preset | None
) -> Order:
    """Returns what the pictures of a figure in one language and state are made of."""
    return Order(
        compiled.pictures if preset is None else {"wide": compiled.presets[preset.id]},
        themes.dark_colours(series.look for series in figure.series),
        locale,
        figure.caption(locale) if preset is None else presets.caption(figure, preset, locale),
        figure.headline(locale) if preset is None else presets.alt(figure, preset, locale),
        tuple(figure.pictured(locale, preset.state if preset else {})),
        markup.credit(figure, locale, options.site_name),
        f"{figure.id}{f'/{preset.id}' if preset else ''} ({locale.code})",
        address=f"{options.base_url}{locale.code}/c/{figure.id}/".partition("://")[2],
    )


def paths(runtime: Runtime) -> dict[str, str]:
    """Paths below site/ of what charts load."""
    return {name: path for name, (path, _) in client().items()} | {"runtime": runtime.script.path}


def client() -> dict[str, tuple[str, bytes]]:
    """Path below site/ and content of the files that all charts share; the name changes with the
    content.
    """
    found = {}
    for name, parts in CLIENT.items():
        content = b"".join(lean(part, (_ASSETS / part).read_bytes()) for part in parts)
        if name == "frame.css":  # below a shadow root rem is the host page's, which may be anything
            content = _REM.sub(lambda size: f"{float(size[1]) * 16:g}px", content.decode()).encode()
        stem, _, ending = name.partition(".")
        found[name] = (
            f"assets/touchstone-{stem}.{hashlib.sha256(content).hexdigest()[:10]}.{ending}",
            content,
        )
    return found


def head(root: str, drawn: DrawnFigure) -> str:
    """Returns what a page with charts has in its `<head>`; the same for every chart."""
    return charts.head(root, drawn.client)


def calculator(root: str, drawn: DrawnFigure) -> str:
    """Returns what the page of the calculator has in its `<head>`: what charts load, and its own
    files.
    """
    return charts.calculator_head(root, drawn.client)


def block(
    drawn: DrawnFigure, locale: Locale, root: str, level: int = 3, *, own_page: bool = False
) -> Markup:
    """The chart on a page.

    Args:
        drawn: The chart.
        locale: The page's language.
        root: Relative path from the page to the site's root.
        level: Of its heading, 2 to 6.
        own_page: True on the chart's own page, which does not link to itself.
    """
    figure = drawn.figure
    folder = f"{root}{drawn.folder}"
    body = drawn.bodies.get(locale.code)
    if body is None:
        body = drawn.bodies[locale.code] = _body(drawn, locale)
    links = markup.links(figure, locale, root, drawn.options.report_link, folder, own_page=own_page)
    chart = markup.at_once(body.chart) if own_page else body.chart
    return charts.block(
        figure, locale, level, _rooted(chart, root), links, _rooted(body.below, root)
    )


def _rooted(part: str, root: str) -> Markup:
    """A part of a chart on a page of that root."""
    return Markup(put(part, {"root": root}))  # noqa: S704 - as safe as it was


def _body(drawn: DrawnFigure, locale: Locale) -> Body:
    figure = drawn.figure
    payload = {
        **drawn.common[locale.code],
        **drawn.own[locale.code],
        "table": share_payload.table_words(locale),
    }
    root = slot("root")
    chart = charts.chart(
        markup.headline(figure, locale),
        markup.controls(figure, locale),
        markup.legend(figure, locale),
        markup.pictures(figure, locale, drawn.pictures[locale.code], f"{root}{drawn.folder}"),
        embedded_json(payload),
    )
    return Body(chart, markup.notes(figure, locale) + markup.table(figure, locale, root))


def preview(drawn: DrawnFigure, locale: Locale, root: str) -> Markup:
    """The chart's picture and sentence above the place on the same page where the chart stands, and
    the ways there and into a post.
    """
    figure = drawn.figure
    # an error is reported where the figures are
    links = markup.links(figure, locale, root, "", f"{root}{drawn.folder}")
    picture = markup.at_once(
        markup.pictures(
            figure, locale, drawn.pictures[locale.code], f"{root}{drawn.folder}", said=False
        )
    )
    return charts.preview(figure, locale, markup.headline(figure, locale), picture, links)


def assets(drawn: Mapping[str, DrawnFigure], runtime: Runtime) -> Iterator[Asset]:
    """Every file of every chart, and what they share."""
    for path, content in client().values():
        yield Asset(path, content)
    yield from runtime.assets
    for one in drawn.values():
        yield from _files(one)
    if drawn:
        one = next(iter(drawn.values()))
        yield from embed.scripts(one.client, one.locales)


def _files(drawn: DrawnFigure) -> Iterator[Asset]:
    yield Asset(f"{drawn.folder}embed.html", embed.embed(drawn))
    for locale in drawn.locales:
        yield Asset(f"{drawn.folder}data.{locale.code}.js", embed.data(drawn, locale))
    yield from downloads_of(drawn)


def downloads_of(drawn: DrawnFigure) -> Iterator[Asset]:
    """The files of a chart that run nothing: tables, descriptions, specifications, pictures."""
    figure, options, folder = drawn.figure, drawn.options, drawn.folder
    for name, content in downloads.tables(figure).items():
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


def records(drawn: Mapping[str, DrawnFigure]) -> list[dict[str, Any]]:
    """The records of `api/v1/charts.json`."""
    return [
        downloads.record(one.figure, one.locales, one.options.base_url) for one in drawn.values()
    ]


def card(drawn: DrawnFigure, locale: Locale) -> str:
    """Path below site/ of the picture for feeds and messengers."""
    return f"{drawn.folder}{share_pictures.names(locale.code)['card']}"
