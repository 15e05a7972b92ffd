"""What a post takes from a chart, as formats that Python and the browser fill alike: snippets, tables, citations.

`{name|escape}` stands for a value, escaped for where it stands; `[[name|...]]` is left out where that value is empty. The browser is
given these formats as data (`share_panel.assets`) and fills them with the state, language and theme that a reader chose; a test holds
both against each other.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from site_src import share_html
from site_src.figures.base import Figure
from site_src.figures.columns import ABSENT, Column
from site_src.locales import Locale
from site_src.prose import unmarked

_TEX: Final = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\u00a0": "~",
    "\u202f": "\\,",
    "\u2009": "\\,",
    "\u2011": "\\mbox{-}",
    "\u2060": "",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": "\\dots{}",
    "’": "\\textquoteright{}",
    "‘": "\\textquoteleft{}",
    "“": "\\textquotedblleft{}",
    "”": "\\textquotedblright{}",
    "«": "\\guillemotleft{}",
    "»": "\\guillemotright{}",
    "÷": "$\\div$",
    "×": "$\\times$",
    "±": "$\\pm$",
    "≈": "$\\approx$",
    "≤": "$\\le$",
    "≥": "$\\ge$",
    "·": "$\\cdot$",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\textquotedbl{}",
    "`": "\\textasciigrave{}",
    "\n": " ",
}

ESCAPES: Final[Mapping[str, Mapping[str, str]]] = {
    "raw": {},
    "html": {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"},
    "md": {**{letter: f"\\{letter}" for letter in "\\`*_[]|~$"}, "<": "&lt;", ">": "&gt;", "&": "&amp;", "\n": " "},
    "mdurl": {"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E", "\\": "%5C"},
    "tex": _TEX,
    "texnum": {**_TEX, ",": "{,}"},
    "texurl": {"%": "\\%", "#": "\\#"},
    "py": {"\\": "\\\\", '"': '\\"', "\n": "\\n"},
    "csv": {'"': '""', "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2060": ""},
}
"""What becomes of single letters: in attributes and text of HTML, Markdown, its addresses, LaTeX (where a comma between digits must keep
its distance in formulas too), addresses there, strings of Python, quoted cells of CSV (with plain spaces, as the downloads have them)."""

_PICTURE: Final = (
    '<img src="{svg|html}" alt="{alt|html}" width="{width|raw}" height="{picture_height|raw}" loading="lazy" '
    'style="max-width:100%;height:auto">'
)

FORMATS: Final[Mapping[str, str]] = {
    "link": "{page|raw}",
    "iframe": (
        '<iframe src="{embed|html}" title="{title|html}" width="100%" height="{height|raw}" loading="lazy" '
        'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" style="border:0"></iframe>\n'
        '<script src="{base|html}c/touchstone-frames.js" async></script>'
    ),
    "element": (
        '<script src="{base|html}c/touchstone-chart.js" async></script>\n'
        '<touchstone-chart chart="{id|html}" lang="{lang|html}"[[theme| theme="{theme|html}"]][[query| state="{query|html}"]]'
        '[[base| site="{base|html}"]]>\n'
        f'  <a href="{{page|html}}">{_PICTURE}</a>\n'
        "</touchstone-chart>"
    ),
    "markdown": "[![{alt|md}]({svg|mdurl})]({page|mdurl})",
    "picture": (
        '<a href="{page|html}"><picture>\n'
        '[[both|  <source media="(prefers-color-scheme: dark)" srcset="{both|html}">\n]]'
        f"  {_PICTURE}\n"
        "</picture></a>"
    ),
    "altair": (
        "import urllib.request\n\nimport altair as alt\n\n"
        'with urllib.request.urlopen("{spec|py}") as answer:\n    chart = alt.Chart.from_json(answer.read().decode())\nchart'
    ),
    "ipython": 'from IPython.display import IFrame\n\nIFrame("{embed|py}", width="100%", height={height|raw})',
    "bibtex": "{bib|raw}",
}
"""Ways to take a chart into a post."""

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "table_markdown": {
        "text": "{cell|md}",
        "number": "{cell|md}",
        "between": " | ",
        "row": "| {cells|raw} |",
        "text_mark": ":--",
        "number_mark": "--:",
        "marks_between": " | ",
        "whole": "{head|raw}\n| {marks|raw} |\n{rows|raw}\n\n{caption|md}\n\n{credit|md}{colon|md}<{page|raw}>",
    },
    "table_latex": {
        "text": "{cell|tex}",
        "number": "{cell|texnum}",
        "between": " & ",
        "row": "    {cells|raw} \\\\",
        "text_mark": "l",
        "number_mark": "r",
        "marks_between": "",
        "whole": (
            "% \\usepackage{booktabs,hyperref}; with pdfLaTeX also \\usepackage[T1]{fontenc}\n"
            "\\begin{table}\n  \\centering\n  \\caption{{caption|tex}}\n"
            "  \\begin{tabular}{{marks|raw}}\n    \\toprule\n{head|raw}\n    \\midrule\n{rows|raw}\n    \\bottomrule\n  \\end{tabular}\n\n"
            "  \\smallskip\n  {\\footnotesize {credit|tex}{colon|tex}\\url{{page|texurl}}}\n\\end{table}"
        ),
    },
    "table_csv": {
        "text": '"{value|csv}"',
        "number": "{value|raw}",
        "between": ",",
        "row": "{cells|raw}",
        "text_mark": "",
        "number_mark": "",
        "marks_between": "",
        "whole": "{head|raw}\n{rows|raw}",
    },
}
"""Tables: how a cell of text and one of numbers is written, what stands between, a row, the columns' marks, and the whole."""

_FIELD: Final = re.compile(r"\{(\w+)\|(\w+)\}")
_OPTION: Final = re.compile(r"\[\[(\w+)\|(.*?)\]\]", re.DOTALL)


def escaped(text: str, escape: str) -> str:
    """The text as it is written in that place."""
    letters = ESCAPES[escape]
    return "".join(letters.get(letter, letter) for letter in text)


def fill(format_: str, values: Mapping[str, str]) -> str:
    """The format with its values."""
    chosen = _OPTION.sub(lambda part: part[2] if values[part[1]] else "", format_)
    return _FIELD.sub(lambda part: escaped(values[part[1]], part[2]), chosen)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as readers see it, and as programs do: a machine value, or a text; empty for what is missing."""

    text: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A chart's table in some state: headings with whether they stand above numbers, and rows."""

    head: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[Cell]]


def written(kind: str, table: Table, values: Mapping[str, str]) -> str:
    """The table in a form of `TABLES`."""
    form = TABLES[kind]
    numbers = [number for _, number in table.head]

    def row(cells: Sequence[str]) -> str:
        return fill(form["row"], {"cells": form["between"].join(cells)})

    head = row([fill(form["text"], {"cell": text, "value": text}) for text, _ in table.head])
    rows = [
        row(
            [
                fill(form["number" if number else "text"], {"cell": cell.text, "value": cell.value})
                for cell, number in zip(cells, numbers, strict=True)
            ]
        )
        for cells in table.rows
    ]
    marks = form["marks_between"].join(form["number_mark" if number else "text_mark"] for number in numbers)
    return fill(form["whole"], {**values, "head": head, "marks": marks, "rows": "\n".join(rows)})


MOST: Final = 7
"""Columns that a table in a post has, as long as nobody asks for all."""

RANKS: Final[Mapping[str, int]] = {"name": 0, "value": 1, "choice": 2, "count": 3, "other": 4, "detail": 5}
"""Which parts come first where there are too many columns; those of `detail` only where rows differ, and `run` never."""


def parts(figure: Figure) -> list[tuple[str, str]]:
    """Each column of the page's table, and which part it has in it."""
    chosen = tuple(control.filters for control in figure.controls if control.filters)
    limits = {f"{name}_{end}" for name in figure.compared for end in ("low", "high")}

    def part(column: Column) -> str:
        if column.kind == "series" or column.head:
            return "name"
        if column.name in figure.compared:
            return "value"
        if column.name in limits | {"unit"}:
            return "choice"  # without it the value is not whole
        if column.name.startswith(chosen):
            return "choice"
        if column.kind in {"run", "link"}:
            return "run"
        # a digest's figures are what is compared, summed up
        summed = figure.digest is not None and column.kind in share_html.NUMBERS
        return "count" if column.name == "n" else "other" if summed else "detail"

    return [(column.name, part(column)) for column in share_html.shown(figure)]


def main(parts_: Sequence[tuple[str, str]], table: "Table", value: str) -> "Table":
    """The columns that make a post, as `main` in share.js has them.

    They are names, the state's `value`, what was chosen, how many runs, other values that can be compared, and those in which rows differ.
    """
    ranked: list[tuple[int, int]] = []
    for at, (name, part) in enumerate(parts_):
        own = "other" if part == "value" and name != value else part
        if own in RANKS and (own != "detail" or len({row[at].text for row in table.rows}) > 1):
            ranked.append((RANKS[own], at))
    kept = sorted(at for _, at in sorted(ranked)[:MOST])
    return Table([table.head[at] for at in kept], [[row[at] for at in kept] for row in table.rows])


_ROW: Final = re.compile(r"<tr([^>]*)>(.*?)</tr>", re.DOTALL)
_CELL: Final = re.compile(r"<t[hd]\b([^>]*)>(.*?)</t[hd]>", re.DOTALL)
_DATUM: Final = re.compile(r'<data value="([^"]*)"')


def table(figure: Figure, locale: Locale) -> Table:
    """The page's table in the default state."""
    head, *rows = _ROW.findall(share_html.table(figure, locale, ""))
    filters = {control.filters: control for control in figure.controls if control.filters}

    def shown(attributes: str) -> bool:
        marks = {name: html.unescape(value) for name, value in re.findall(r'data-([^=]+)="([^"]*)"', attributes)}
        return all(control.default in {control.every, marks[name]} for name, control in filters.items() if name in marks)

    heads = [(_plain(text), "ts-number" in attributes) for attributes, text in _CELL.findall(head[1])]
    silent = absent(figure, locale)

    def cell(text: str, *, number: bool) -> Cell:
        datum, plain = _DATUM.search(text), _plain(text)
        return Cell(plain, datum[1] if datum else "" if number or plain in silent else plain)

    return Table(
        heads,
        [
            [cell(text, number=number) for (_, text), (_, number) in zip(_CELL.findall(cells), heads, strict=True)]
            for attributes, cells in rows
            if shown(attributes)
        ],
    )


def absent(figure: Figure, locale: Locale) -> list[str]:
    """What cells say where there is nothing, which programs read as empty."""
    found, table = [ABSENT], figure.table if figure.digest is None else figure.digest.table
    for column in share_html.shown(figure):
        if column.absent:
            found.append(locale.say(column.absent))
        why = f"{column.name}_why"
        if why in table:
            found += [locale.say(f"why.{reason}") for reason in table[why].dropna().unique()]
    return list(dict.fromkeys(found))


def _plain(text: str) -> str:
    """The words of a piece of HTML, without the places where it may be broken."""
    return unmarked(text).replace("\u00ad", "").strip()
