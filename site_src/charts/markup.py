"""A chart as HTML: picture first, the same figures as a table below, and what the browser needs to
make it interactive.
"""

import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote

from site_src.charts import table as share_table
from site_src.charts.chart import Chart
from site_src.charts.pictures import names, size
from site_src.charts.table import Entry, Head, machine
from site_src.figures.base import Figure
from site_src.figures.controls import Series
from site_src.figures.fonts import letters
from site_src.figures.theme import Filling
from site_src.locales import Locale, kept, unbroken

LONG_TABLE: Final = 40
"""Rows from which a table is folded: it is a click away and stays in the page."""

HEAD_WIDTHS: Final = (4, 5, 6, 7, 8, 9, 10, 12, 14)
"""Least widths of columns by their headings in em; `chart.css` has a class for each."""

HEAD_LINES: Final = 2.5
"""Lines that a heading's words should fill, so that with their unit they need no more than four."""

SHORT_HEAD: Final = 6
ARROW: Final = 2
"""Widths in em: of a heading that stays on one line, and of the sign that it sorts."""

PHONE_MEDIA: Final = "(max-width: 479px)"

LAZY: Final = 'loading="lazy"'

SHAPES: Final[Mapping[str, str]] = {
    "circle": "M8 2a6 6 0 1 0 .01 0z",
    "square": "M3 3h10v10H3z",
    "diamond": "M8 1l6 7-6 7-6-7z",
    "triangle-up": "M8 2l6.5 11.5h-13z",
    "triangle-down": "M8 14l6.5-11.5h-13z",
    "triangle-right": "M14 8L2.5 14.5v-13z",
    "triangle-left": "M2 8l11.5 6.5v-13z",
}
"""Vega's symbols as paths in a square of 16, for the page's legend."""


def escape(text: str) -> str:
    """Text for HTML, in attributes too."""
    return html.escape(text, quote=True)


def datum(value: float, text: str, ref: str) -> str:
    """A figure on a page: machine value, reference, and the language's text."""
    return f'<data value="{machine(value)}" data-ref="{escape(ref)}">{escape(text)}</data>'


def embedded_json(value: object) -> str:
    """JSON for a data block: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def headline(figure: Figure, locale: Locale) -> str:
    """The sentence, its figures with their references, its names on one line each."""
    return kept(
        unbroken(figure.spoken(locale, lambda text, value, ref: datum(value, text, ref), escape))
    )


def alt(figure: Chart, locale: Locale) -> str:
    """What the picture says."""
    return figure.headline(locale)


def credit(figure: Chart, locale: Locale, site: str) -> str:
    """Who is to be named beside the chart."""
    others = [name for name in figure.credits(locale) if name != site]
    return (
        locale.say("share.credit", site=site, sources=locale.joined("terms", others))
        if others
        else site
    )


def pictures(
    figure: Chart, locale: Locale, drawn: Mapping[str, bytes], folder: str, *, said: bool = True
) -> str:
    """The picture, light and dark, wide and for phones; the one that does not show is not fetched.

    Where the text beside it says what it says (`said` is False), it stays silent.
    """
    named = names(locale.code)
    words = escape(alt(figure, locale)) if said else ""
    found = []
    for theme, dark in (("light", ""), ("dark", "-dark")):
        width, height = size(drawn[f"page{dark}"])
        narrow = size(drawn[f"phone{dark}"])
        source = (
            f'<source media="{PHONE_MEDIA}" srcset="{folder}{named[f"phone{dark}"]}" '
            f'width="{narrow[0]}" height="{narrow[1]}">'
        )
        picture = (
            f'<img src="{folder}{named[f"page{dark}"]}" alt="{words}" width="{width}" '
            f'height="{height}" {LAZY} decoding="async">'
        )
        found.append(f'<picture class="ts-{theme}">{source}{picture}</picture>')
    return f'<div class="ts-picture">{"".join(found)}</div>'


def at_once(drawn: str) -> str:
    """HTML with its first picture fetched before the styles are there: the light one, where it
    stands at the head of a page.

    In the dark that costs two kilobytes that nobody sees; all others are fetched when they come
    into view.
    """
    return drawn.replace(LAZY, 'fetchpriority="high"', 1)


INSIDES: Final[Mapping[Filling, str]] = {"filled": "1", "both": "0.5", "hollow": "0"}
"""Opacity of a swatch's fill; of a series with filled marks and hollow ones it is neither."""


def swatch(series: Series, *, shaped: bool = True, filling: Filling = "filled") -> str:
    """A series' shape in its colours, light and dark, filled as its marks are; a circle where
    shapes do not tell series.
    """
    path = SHAPES[series.look.shape if shaped else "circle"]
    dash = (
        f' stroke-dasharray="{" ".join(map(str, series.look.dash))}"' if series.look.dash[1] else ""
    )
    look = f'fill-opacity="{INSIDES[filling]}"{dash}'
    drawn = "".join(
        f'<path class="ts-{theme}" d="{path}" fill="{colour}" stroke="{colour}" stroke-width="1.5" '
        f"{look}/>"
        for theme, colour in (("light", series.look.light), ("dark", series.look.dark))
    )
    return (
        '<svg class="ts-swatch" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">'
        f"{drawn}</svg>"
    )


def legend(figure: Figure, locale: Locale) -> str:
    """Buttons that show and hide series; hidden until the chart is interactive. One series alone is
    named, where no row does.
    """
    swatches = {
        series.id: swatch(series, shaped=figure.shapes, filling=figure.filling(series))
        for series in figure.series
    }
    if len(figure.series) < 2:  # noqa: PLR2004 - one series cannot be told from another
        named = "".join(
            f"<span>{swatches[series.id]} <bdi>{escape(series.told(locale))}</bdi></span>"
            for series in figure.series
        )
        return f'<p class="ts-legend" hidden>{named}</p>' if figure.line is None else ""
    buttons = "".join(
        f'<button type="button" aria-pressed="true" data-series="{escape(series.id)}">'
        f"{swatches[series.id]}<bdi>{escape(series.told(locale))}</bdi></button>"
        for series in figure.series
    )
    return (
        '<div class="ts-legend" role="group" '
        f'aria-label="{escape(locale.say("share.legend"))}" '
        f"hidden>{buttons}</div>"
    )


def _select(key: str, label: str, options: Iterable[tuple[str, str]]) -> str:
    inner = "".join(
        f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options
    )
    select = f'<select data-key="{escape(key)}">{inner}</select>'
    return (
        f'<label class="ts-control" data-for="{escape(key)}"><span>{escape(label)}</span> '
        f"{select}</label>"
    )


def controls(figure: Figure, locale: Locale) -> str:
    """What the reader can choose; hidden until the chart is interactive."""
    found = [
        _select(
            control.key,
            locale.say(f"control.{control.key}"),
            [(choice.value, choice.label(locale)) for choice in control.choices],
        )
        for control in figure.controls
        if len(control.choices) > 1
    ]
    if figure.scales:
        words = [(value, locale.say(f"control.scale_{value}")) for value in figure.scales]
        found.append(_select("scale", locale.say("control.scale"), words))
    if figure.relative:
        words = [(value, locale.say(f"control.view_{value}")) for value in ("absolute", "relative")]
        found.append(_select("view", locale.say("control.view"), words))
        bases = [(series.id, figure.baseline_label(series, locale)) for series in figure.baselines]
        found.append(_select("baseline", locale.say("control.baseline"), bases))
    if not found:
        return ""
    reset = (
        '<button type="button" class="ts-reset" hidden>'
        f"{escape(locale.say('control.reset'))}</button>"
    )
    return (
        '<div class="ts-controls" role="group" '
        f'aria-label="{escape(locale.say("share.controls"))}" hidden>'
        f"{''.join(found)}{reset}</div>"
    )


def cell(entry: Entry, locale: Locale, root: str) -> str:
    """One cell: a figure with its reference, a run with a link to its page, a series with its
    name.
    """
    text = escape(entry.text)
    if entry.kind == "missing":
        return f'<td class="ts-number ts-missing">{text}</td>'
    if entry.kind == "number":
        reference = "" if entry.ref is None else f' data-ref="{escape(entry.ref)}"'
        figure = f'<data value="{entry.value}"{reference}>{text}</data>' if entry.value else text
        return f'<td class="ts-number">{figure}</td>'
    if entry.link:
        return f'<td><a href="{root}{locale.code}/{entry.link}">{text}</a></td>'
    return (
        f'<th scope="row">{kept(text)}</th>' if entry.kind == "name" else f"<td>{kept(text)}</td>"
    )


def heading(head: Head) -> str:
    """A column's heading with its unit, which stays on one line."""
    before, after = map(escape, head.around)
    return (
        f'{before}<span class="ts-unit">{escape(head.unit)}</span>{after}' if head.unit else before
    )


def head_cell(head: Head) -> str:
    """The heading's cell; its class says how wide it must be for the words to need three lines or
    less.
    """
    longest = max(letters(piece) for piece in re.split(r"[\s\u00ad-]", head.words))
    whole = letters(head.words)
    wanted = ARROW + (whole if whole < SHORT_HEAD else max(longest, whole / HEAD_LINES))
    width = next((size for size in HEAD_WIDTHS if size >= wanted), HEAD_WIDTHS[-1])
    return (
        f'<th scope="col" class="{"ts-number " if head.number else ""}ts-head-{width}">'
        f"{heading(head)}</th>"
    )


def table(figure: Figure, locale: Locale, root: str) -> str:
    """The chart's figures; rows carry what controls filter by, so that the table follows the
    chart.
    """
    head = "".join(
        head_cell(share_table.head(column, locale)) for column in share_table.shown(figure)
    )
    body = []
    for line in share_table.lines(figure, locale):
        attributes = "".join(
            f' data-{name}="{escape(value)}"' for name, value in line.marks.items()
        )
        body.append(
            f"<tr{attributes}>{''.join(cell(entry, locale, root) for entry in line.entries)}</tr>"
        )
    title = escape(figure.title(locale))
    scrolls = escape(locale.say("share.numbers_label", title=figure.title(locale)))
    summary = f"<summary>{escape(locale.say('share.numbers'))}</summary>"
    return (
        f'<details class="ts-numbers"{" open" if len(body) <= LONG_TABLE and not figure.folded else ""}>{summary}'  # noqa: E501 - one element
        f'<div class="ts-scroll" role="region" tabindex="0" aria-label="{scrolls}">'
        f'<table class="ts-table"><caption class="ts-unseen">{title}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div></details>"
    )


def report_address(template: str, figure: str, page: str) -> str:
    """Address of a new issue about a figure; `{figure}` and `{page}` in the template are filled,
    percent-encoded.
    """
    return template.replace("{figure}", quote(figure, safe="")).replace(
        "{page}", quote(page, safe="")
    )


def links(
    figure: Figure, locale: Locale, root: str, report: str, folder: str, *, own_page: bool = False
) -> str:
    """Where the chart goes from here: the share panel, its own page, its most wanted files, and the
    tracker.
    """
    own = f"{root}{locale.code}/c/{quote(figure.id)}/"
    found = [
        f'<a class="ts-share" href="{"" if own_page else own}#share">'
        f"{escape(locale.say('share.share'))}</a>"
    ]
    found += (
        []
        if own_page
        else [f'<a class="ts-permalink" href="{own}">{escape(locale.say("share.permalink"))}</a>']
    )
    named = _tables("csv", summed=figure.digest is not None) | _pictures(locale)
    found += [
        f'<a href="{folder}{name}">{escape(locale.say(f"share.{key}"))}</a>'
        for key, name in named.items()
    ]
    if report:
        tracker = escape(report_address(report, figure.id, f"{locale.code}/{figure.page}"))
        found.append(
            f'<a class="ts-report" href="{tracker}" rel="nofollow">'
            f"{escape(locale.say('share.report'))}</a>"
        )
    return _listed(found, locale.say("share.links"))


def files(locale: Locale, folder: str, *, summed: bool = False) -> str:
    """Every file of the chart; `summed` says that its table sums up what is drawn, so that both can
    be downloaded.
    """
    more = {
        "spec": f"spec.{locale.code}.json",
        "cite": "cite.bib",
        "embed": f"embed.html?lang={locale.code}",
    }
    named = _tables("csv", "parquet", summed=summed) | _pictures(locale) | more
    found = [
        f'<a href="{folder}{name}">{escape(locale.say(f"share.{key}"))}</a>'
        for key, name in named.items()
    ]
    return _listed(found, locale.say("share.files"))


def _tables(*endings: str, summed: bool) -> dict[str, str]:
    """What files with figures are called, and where they are."""
    kinds = ("table", "data") if summed else ("data",)
    return {
        f"{kind}_{ending}" if summed else ending: f"{kind}.{ending}"
        for kind in kinds
        for ending in endings
    }


def _pictures(locale: Locale) -> dict[str, str]:
    return {"svg": f"{locale.code}.svg", "png": f"{locale.code}.png"}


def _listed(links: Iterable[str], label: str) -> str:
    inner = "".join(f"<li>{link}</li>" for link in links)
    return f'<ul class="ts-links" aria-label="{escape(label)}">{inner}</ul>'


def notes(figure: Chart, locale: Locale) -> str:
    """Remarks that belong to the figures; the first says how origin is marked."""
    remarks = (kept(unbroken(escape(note))) for note in figure.remarks(locale))
    return f'<ul class="ts-notes">{"".join(f"<li>{each}</li>" for each in remarks)}</ul>'
