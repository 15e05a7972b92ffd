"""A chart as HTML: the picture first, the same figures as a table below, and the data that the
browser needs to make it interactive.
"""

import html
import json
import re
from collections.abc import Mapping
from itertools import islice
from math import ceil
from typing import Final
from urllib.parse import quote

from markupsafe import Markup

from site_src.charts import table as share_table
from site_src.charts.pictures import DARK, names, size
from site_src.charts.table import Entry, Heading, machine
from site_src.figures.base import Figure
from site_src.figures.controls import Series
from site_src.figures.fonts import letters
from site_src.figures.theme import Filling
from site_src.locales import Locale, kept, unbroken
from site_src.templates import charts

LONG_TABLE: Final = 40
"""Rows from which a table is folded, but still in the page."""

SHEET: Final = 500
"""Rows of a table on one page."""

MOST_ROWS: Final = 200
"""Rows from which a table has pages of its own."""

HEADING_WIDTHS: Final = (4, 5, 6, 7, 8, 9, 10, 12, 14)
"""Minimum widths of columns by their headings in em; `chart.css` has a class for each."""

HEADING_LINES: Final = 2.5
"""Lines that a heading's words should fill; with their unit they need at most four."""

SHORT_HEADING: Final = 6
ARROW: Final = 2
"""Widths in em: of a heading that stays on one line, and of its sorting sign."""

HEADLINES: Final = (("large", 110), ("medium", 180))
SMALLEST: Final = "small"
"""Sizes of the sentence as a heading, by the letter heights that three lines of it hold."""

PACKED: Final = {"data.csv": "data.csv.gz"}
"""Files that grow with the steps of runs: always packed, so that addresses stay."""

PHONE_MEDIA: Final = "(max-width: 479px)"

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
    return charts.data(machine(value), ref, text)


def one_line(text: str) -> Markup:
    """Text for HTML that keeps names containing a number on one line."""
    return Markup(kept(escape(text)))  # noqa: S704 - escaped here


def embedded_json(value: object) -> Markup:
    """JSON for a data block: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(text)  # noqa: S704 - no element ends in it


def headline(figure: Figure, locale: Locale) -> Markup:
    """The sentence, its figures with their references, its names on one line each."""
    spoken = figure.spoken(locale, lambda text, value, ref: datum(value, text, ref), escape)
    return Markup(kept(unbroken(spoken)))  # noqa: S704 - escaped piece by piece


def headline_size(text: str) -> str:
    """The size class of a sentence as a page's heading, so that few lines hold it."""
    width = letters(text)
    return next((size for size, most in HEADLINES if width <= most), SMALLEST)


def credit(figure: Figure, locale: Locale, site: str) -> str:
    """The names credited beside the chart."""
    others = [name for name in figure.credits(locale) if name != site]
    return (
        locale.say("share.credit", site=site, sources=locale.joined("terms", others))
        if others
        else site
    )


def pictures(figure: Figure, locale: Locale, drawn: Mapping[str, bytes], folder: str) -> Markup:
    """The picture, light and dark, wide and for phones; only the visible one is fetched."""
    named = names(locale.code)

    def sized(kind: str, end: str) -> tuple[str, int, int]:
        return (f"{folder}{named[kind]}{end}", *size(drawn[kind]))

    themes = [
        (theme, sized("page", end), sized("phone", end))
        for theme, end in (("light", ""), ("dark", f"#{DARK}"))
    ]
    return charts.pictures(themes, figure.headline(locale), PHONE_MEDIA)


def at_once(drawn: str) -> Markup:
    """HTML whose first picture, at the top of a page, is fetched before the styles arrive."""
    return Markup(str(drawn).replace('loading="lazy"', 'fetchpriority="high"', 1))  # noqa: S704 - as safe as it was


INSIDES: Final[Mapping[Filling, str]] = {"filled": "1", "both": "0.5", "hollow": "0"}
"""Opacity of a swatch's fill; for a series with both filled and hollow marks it is between."""


def swatch(
    series: Series, *, shaped: bool = True, dashed: bool = True, filling: Filling = "filled"
) -> Markup:
    """A series' shape in its colours, filled like its marks and outlined like its lines."""
    shape = series.look.shape if shaped else "circle"
    return charts.swatch(SHAPES[shape], series.look, INSIDES[filling], dashed)


def legend(figure: Figure, locale: Locale) -> Markup:
    """Buttons for series, hidden until the chart is interactive; a single series is only named."""
    found = [
        (
            series.id,
            swatch(
                series,
                shaped=figure.shapes,
                dashed=figure.dashed,
                filling=figure.filling(series),
            ),
            series.told(locale),
        )
        for series in figure.series
    ]
    if len(found) > 1:
        return charts.legend(found, locale.say("share.legend"))
    return charts.single_legend(found) if figure.line is None else Markup("")


def controls(figure: Figure, locale: Locale) -> Markup:
    """The controls, hidden until the chart is interactive."""
    found = [
        (key, locale.say(f"control.{key}"), options) for key, options in figure.choices(locale)
    ]
    return charts.controls(found, locale) if found else Markup("")


def cell(entry: Entry, locale: Locale, root: str) -> Markup:
    """One cell: a figure with its reference, a run with a link to its page, or a series' name."""
    href = f"{root}{locale.code}/{entry.link}" if entry.link else ""
    return charts.cell(entry, one_line(entry.text), href)


def heading_width(heading: Heading) -> int:
    """The width with which a heading's words need at most three lines; see `HEADING_WIDTHS`."""
    longest = max(letters(piece) for piece in re.split(r"[\s\u00ad-]", heading.words))
    whole = letters(heading.words)
    wanted = ARROW + (whole if whole < SHORT_HEADING else max(longest, whole / HEADING_LINES))
    return next((size for size in HEADING_WIDTHS if size >= wanted), HEADING_WIDTHS[-1])


def folded(figure: Figure) -> bool:
    """Returns True if the chart's table is folded on its own page."""
    return figure.folded or _length(figure) > LONG_TABLE


def apart(figure: Figure) -> bool:
    """Returns True if the chart's table has a page of its own, being too long for the chart's."""
    return _length(figure) > MOST_ROWS


def _length(figure: Figure) -> int:
    return len(figure.plain if figure.digest is None else figure.digest.plain)


def sheets(figure: Figure) -> int:
    """The number of pages for the rows alone; 0 if they are on the chart's page."""
    return ceil(_length(figure) / SHEET) if apart(figure) else 0


def table(figure: Figure, locale: Locale, root: str, *, sheet: int | None = None) -> Markup:
    """The chart's figures, or those of one of its sheets, counted from 1."""
    headings = [share_table.heading(column, locale) for column in share_table.shown(figure)]
    lines = share_table.lines(figure, locale)
    if sheet is not None:
        lines = islice(lines, (sheet - 1) * SHEET, sheet * SHEET)
    rows = [(line.marks, [cell(entry, locale, root) for entry in line.entries]) for line in lines]
    return charts.table(
        [(heading, heading_width(heading)) for heading in headings],
        rows,
        figure.title(locale),
        locale,
    )


def report_address(template: str, figure: str, page: str) -> str:
    """Address of a new issue about a figure, from a template with `{figure}` and `{page}`."""
    return template.replace("{figure}", quote(figure, safe="")).replace(
        "{page}", quote(page, safe="")
    )


def links(
    figure: Figure, locale: Locale, root: str, report: str, folder: str, *, own_page: bool = False
) -> Markup:
    """The tools on a chart's frame."""
    own = f"{root}{locale.code}/c/{quote(figure.id)}/"
    named = (
        _tables("csv", "parquet", summed=figure.digest is not None)
        | _pictures(locale)
        | _more(locale)
    )
    return charts.tools(
        "" if own_page else own,
        f"{folder}{locale.code}.svg" if own_page else own,
        _files(locale, folder, named),
        report and report_address(report, figure.id, f"{locale.code}/{figure.page}"),
        locale,
    )


def files(locale: Locale, folder: str, *, summed: bool = False) -> Markup:
    """Every file of the chart; `summed` if its table sums up what is drawn."""
    embed = {"embed": f"embed.html?lang={locale.code}"}
    named = _tables("csv", "parquet", summed=summed) | _pictures(locale) | _more(locale) | embed
    return charts.links(_files(locale, folder, named), locale.say("share.files"))


def _files(locale: Locale, folder: str, named: Mapping[str, str]) -> list[tuple[str, str, str]]:
    return [("", f"{folder}{name}", locale.say(f"share.{key}")) for key, name in named.items()]


def _tables(*endings: str, summed: bool) -> dict[str, str]:
    kinds = ("table", "data") if summed else ("table",)
    return {
        f"{kind}_{ending}" if summed else ending: PACKED.get(f"{kind}.{ending}", f"{kind}.{ending}")
        for kind in kinds
        for ending in endings
    }


def _pictures(locale: Locale) -> dict[str, str]:
    return {"svg": f"{locale.code}.svg", "png": f"{locale.code}.png"}


def _more(locale: Locale) -> dict[str, str]:
    return {"spec": f"spec.{locale.code}.json", "cite": "cite.bib"}


def notes(figure: Figure, locale: Locale) -> Markup:
    """The remarks on marks."""
    return charts.notes([one_line(unbroken(note)) for note in figure.beside(locale)])


def conditions(figure: Figure, locale: Locale) -> Markup:
    """All other remarks, shown beside the table."""
    rest = figure.remarks(locale)[len(figure.beside(locale)) :]
    return charts.conditions([one_line(unbroken(note)) for note in rest])
