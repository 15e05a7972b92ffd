"""What a post takes from a chart, as formats that Python and the browser fill alike.
`{name|escape}` stands for a value, escaped for its place; `[[name|...]]` is left out where that
value is empty. A test holds both against each other.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from site_src import csv_cells
from site_src.charts import table as share_table
from site_src.charts.markup import PHONE_MEDIA
from site_src.charts.table import Entry, Line
from site_src.figures.base import Figure
from site_src.figures.columns import ABSENT, UNKNOWN, Column
from site_src.locales import Locale

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
    "md": {
        **{letter: f"\\{letter}" for letter in "\\`*_[]|~$"},
        "<": "&lt;",
        ">": "&gt;",
        "&": "&amp;",
        "\n": " ",
    },
    "mdurl": {"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E", "\\": "%5C"},
    "tex": _TEX,
    "texnum": {**_TEX, ",": "{,}"},
    "texurl": {"%": "\\%", "#": "\\#"},
    "py": {"\\": "\\\\", '"': '\\"', "\n": "\\n"},
    "csv": {'"': '""', "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2060": ""},
}
"""What becomes of single letters in HTML, Markdown, its addresses, LaTeX (where a comma between
digits keeps its distance), addresses there, Python, quoted cells of CSV (with plain spaces).
"""

_DARK: Final = "(prefers-color-scheme: dark)"
_WIDE_SIZE: Final = 'width="{width|raw}" height="{picture_height|raw}"'
_NARROW_SIZE: Final = 'width="{narrow_width|raw}" height="{narrow_height|raw}"'
_PICTURE: Final = (
    '<a href="{page|html}"><picture>\n'
    f'[[narrow_both|  <source media="{PHONE_MEDIA} and {_DARK}" srcset="{{narrow_both|html}}" '
    f"{_NARROW_SIZE}>\n]]"
    f'[[narrow|  <source media="{PHONE_MEDIA}" srcset="{{narrow|html}}" {_NARROW_SIZE}>\n]]'
    f'[[both|  <source media="{_DARK}" srcset="{{both|html}}" {_WIDE_SIZE}>\n]]'
    f'  <img src="{{svg|html}}" alt="{{title|html}}" {_WIDE_SIZE} loading="lazy" '
    'style="max-width:100%;height:auto">\n'
    "</picture></a>"
)
"""The picture for wide screens and phones, light or dark; a named state has none for phones."""

FORMATS: Final[Mapping[str, str]] = {
    "link": "{page|raw}",
    "iframe": (
        '<iframe src="{embed|html}" title="{title|html}" width="100%" height="{height|raw}" '
        'loading="lazy" '
        'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" style="border:0">'
        "</iframe>\n"
        '<script src="{base|html}c/touchstone-frames.js" async></script>'
    ),
    "element": (
        '<script src="{base|html}c/touchstone-chart.js" async></script>\n'
        '<touchstone-chart chart="{id|html}" lang="{lang|html}"[[theme| '
        'theme="{theme|html}"]][[query| state="{query|html}"]]'
        '[[base| site="{base|html}"]]>\n'
        f"{_PICTURE}\n"
        "</touchstone-chart>"
    ),
    "markdown": "[![{title|md}]({svg|mdurl})]({page|mdurl})",
    "picture": _PICTURE,
    "altair": (
        "import urllib.request\n\nimport altair as alt\n\n"
        'with urllib.request.urlopen("{spec|py}") as answer:\n    chart = '
        "alt.Chart.from_json(answer.read().decode())\nchart"
    ),
    "ipython": 'from IPython.display import IFrame\n\nIFrame("{embed|py}", width="100%", '
    "height={height|raw})",
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
        "whole": "{head|raw}\n| {marks|raw} "
        "|\n{rows|raw}\n\n{caption|md}\n\n{credit|md}{colon|md}<{page|raw}>",
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
            "% \\usepackage{adjustbox,booktabs,hyperref}; with pdfLaTeX also "
            "\\usepackage[T1]{fontenc}\n"
            "% Cyrillic and Japanese letters: XeLaTeX or LuaLaTeX, with a font that has them\n"
            "\\begin{table}\n  \\centering\n  \\caption{{caption|tex}}\n  \\begin{adjustbox}{max "
            "width=\\linewidth}\n"
            "  \\begin{tabular}{{marks|raw}}\n    \\toprule\n{head|raw}\n    "
            "\\midrule\n{rows|raw}\n    \\bottomrule\n  \\end{tabular}\n"
            "  \\end{adjustbox}\n\n"
            "  \\smallskip\n  {\\footnotesize "
            "{credit|tex}{colon|tex}\\url{{page|texurl}}}\n\\end{table}"
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
        "guard": csv_cells.GUARD,
        "formula": csv_cells.FORMULA,
        "plain": csv_cells.NUMBER,
    },
}
"""How a cell of text and of numbers is written, what stands between, a row, the columns' marks, the
whole; for CSV also how `csv_cells.guarded` works.
"""

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
    """A cell as readers see it, and its machine value or text; empty for what is missing."""

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

    def value(text: str) -> str:
        # that letter goes, and bares the next
        return csv_cells.guarded(text.replace("\u2060", "")) if "guard" in form else text

    def row(cells: Sequence[str]) -> str:
        return fill(form["row"], {"cells": form["between"].join(cells)})

    head = row([fill(form["text"], {"cell": text, "value": value(text)}) for text, _ in table.head])
    rows = [
        row(
            [
                fill(
                    form["number" if number else "text"],
                    {"cell": cell.text, "value": value(cell.value)},
                )
                for cell, number in zip(cells, numbers, strict=True)
            ]
        )
        for cells in table.rows
    ]
    marks = form["marks_between"].join(
        form["number_mark" if number else "text_mark"] for number in numbers
    )
    return fill(form["whole"], {**values, "head": head, "marks": marks, "rows": "\n".join(rows)})


MOST: Final = 7
"""Columns that a table in a post has, as long as nobody asks for all."""

RANKS: Final[Mapping[str, int]] = {
    "name": 0,
    "value": 1,
    "choice": 2,
    "count": 3,
    "other": 4,
    "detail": 5,
}
"""Which columns come first where there are too many; `detail` only where rows differ."""


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
        summed = figure.digest is not None and column.kind in share_table.NUMBERS
        return "count" if column.name == "n" else "other" if summed else "detail"

    return [(column.name, part(column)) for column in share_table.shown(figure)]


def main(parts_: Sequence[tuple[str, str]], table: "Table", value: str) -> "Table":
    """The columns that make a post, as `main` in share.js: names, the state's `value`, choices, how
    many runs, other values, and those in which rows differ; none without a value in any row, but
    for the first.
    """
    ranked: list[tuple[int, int]] = []
    for at, (name, part) in enumerate(parts_):
        own = "other" if part == "value" and name != value else part
        said = (
            own in {"value", "count"} or not table.rows or any(row[at].value for row in table.rows)
        )
        if (
            own in RANKS
            and said
            and (own != "detail" or len({row[at].text for row in table.rows}) > 1)
        ):
            ranked.append((RANKS[own], at))
    kept = sorted(at for _, at in sorted(ranked)[:MOST])
    return Table([table.head[at] for at in kept], [[row[at] for at in kept] for row in table.rows])


def table(figure: Figure, locale: Locale) -> Table:
    """The page's table in the default state."""
    filters = {control.filters: control for control in figure.controls if control.filters}
    heads = [share_table.head(column, locale) for column in share_table.shown(figure)]
    silent = absent(figure, locale)

    def shown(line: Line) -> bool:
        return all(
            control.default in {control.every, line.marks[name]}
            for name, control in filters.items()
            if name in line.marks
        )

    def cell(entry: Entry, *, number: bool) -> Cell:
        text = _plain(entry.text)
        return Cell(text, entry.value or ("" if number or text in silent else text))

    return Table(
        [(_plain(head.text), head.number) for head in heads],
        [
            [
                cell(entry, number=head.number)
                for entry, head in zip(line.entries, heads, strict=True)
            ]
            for line in share_table.lines(figure, locale)
            if shown(line)
        ],
    )


def absent(figure: Figure, locale: Locale) -> list[str]:
    """Returns the texts of cells where there is nothing, which programs read as empty."""
    found, table = [ABSENT], figure.table if figure.digest is None else figure.digest.table
    for column in share_table.shown(figure):
        if column.absent:
            found.append(locale.say(column.absent))
        if (key := f"{column.prefix}.unknown") in UNKNOWN:
            found.append(locale.say(key))
        why = f"{column.name}_why"
        if why in table:
            found += [locale.say(f"why.{reason}") for reason in table[why].dropna().unique()]
    return list(dict.fromkeys(found))


def _plain(text: str) -> str:
    return text.replace("\u00ad", "").strip()
