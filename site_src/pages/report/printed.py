"""Tables declared in a report's definition: figures by reference, linked names, verdicts, words of
runs, remarks on rows.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Final

from markupsafe import Markup, escape

from kernels.errors import TouchstoneError
from kernels.records import Run, Status
from site_src.pages.components import run_details, tables
from site_src.pages.components.tables import Entry
from site_src.pages.components.writer import PageError, Writer
from site_src.reports import Column, PrintedTable, Report
from site_src.templates import html

_MARKS: Final = "†‡§¶"
_NOTHING: Final = "-"
"""Written in a row where nothing belongs, such as a ratio of two names."""
_SIGNS: Final = re.compile(r"\{([\w-]+)\}")


def printed_table(writer: Writer, report: Report, subject: str) -> Markup:
    """The table `[[table]]` of that id with its remarks below, folded.

    Raises:
        PageError: No such table, or a row that cannot be shown; names file, table, row and column.
    """
    inside = short_table(writer, report, subject, sortable=True)
    label = writer.t(f"table.{subject}")
    return html.details(label, inside, "ts-printed", id=f"table-{subject}")


def short_table(writer: Writer, report: Report, subject: str, *, sortable: bool = False) -> Markup:
    """The table without remarks or fold, in the order of its rows.

    Raises:
        PageError: As for `printed_table`.
    """
    table = report.tables.get(subject)
    if table is None:
        known = ", ".join(report.tables) or "none"
        raise PageError(
            f"{report.path}: a section shows table {subject!r}, which has no [[table]]; there are "
            f"{known}"
        )
    remarks: dict[str, str] = {}
    rows = [
        _row(writer, table, row, remarks, f"{report.path}: [[table]] {table.id}: row {number}")
        for number, row in enumerate(table.rows, 1)
    ]
    # a text among figures is aligned with them
    names = [
        f"{at}#" if any(row[at].kind == "number" for row in rows) else str(at)
        for at in range(len(table.columns))
    ]
    headings = [writer.t(f"head.{column.head}") for column in table.columns]
    label = writer.t(f"table.{table.id}")
    shown = tables.table(
        writer,
        label,
        [
            {name: replace(cell, kind="") for name, cell in zip(names, row, strict=True)}
            for row in rows
        ],
        dict(zip(names, headings, strict=True)),
        quiet=True,
        sortable=sortable,
    )
    notes = [
        html.note(html.spaced(sign, writer.t(f"caveat.{key}")), f"table-{table.id}-{key}")
        for key, sign in remarks.items()
    ]
    return shown + Markup("").join(notes)


def _row(
    writer: Writer,
    table: PrintedTable,
    row: Mapping[str, object],
    remarks: dict[str, str],
    place: str,
) -> list[Entry]:
    words = {key: value for key, value in row.items() if isinstance(value, str)}
    first, *others = (
        _cell(writer, column, words, f"{place}, column {column.head!r}") for column in table.columns
    )
    marks = (_mark(writer, table, key, remarks, place) for key in _listed(row.get("mark", ())))
    return [replace(first, text=escape(first.text) + Markup("").join(marks)), *others]


def _listed(mark: object) -> list[str]:
    if isinstance(mark, str):
        return [mark] if mark else []
    return [str(key) for key in mark] if isinstance(mark, list | tuple) else []


def _mark(
    writer: Writer, table: PrintedTable, key: str, remarks: dict[str, str], place: str
) -> Markup:
    if not writer.locale.has(f"caveat.{key}"):
        raise PageError(f"{place}: mark {key!r} is not in {writer.locale.path} as caveat.{key}")
    if key not in remarks:
        turn, at = divmod(len(remarks), len(_MARKS))
        remarks[key] = _MARKS[at] * (turn + 1)
    label = writer.t("report.remark")
    return html.remark_mark(f"table-{table.id}-{key}", label, remarks[key])


def _cell(writer: Writer, column: Column, row: Mapping[str, str], place: str) -> Entry:
    """One cell; a placeholder that a row leaves empty reads "not stated"."""

    def filled(text: str) -> str:
        lost = [name for name in _SIGNS.findall(text) if name not in row]
        if lost:
            raise PageError(
                f"{place}: the row has no {lost[0]!r}; found {', '.join(row)} (an empty string "
                "reads 'not stated')"
            )
        return (
            ""
            if any(not row[name] for name in _SIGNS.findall(text))
            else _SIGNS.sub(lambda match: row[match[1]], text)
        )

    kind = next(kind for kind in ("ref", *_CELLS) if getattr(column, kind))
    wanted = filled(getattr(column, kind))
    if wanted in {"", _NOTHING}:
        text = writer.t("join.nothing") if wanted else writer.missing("not_stated")
        return Entry(text, None, "number" if kind == "ref" else "")
    try:
        if kind == "ref":
            return _figure(writer, column, wanted, filled(column.to))
        return _CELLS[kind](writer, wanted)
    except TouchstoneError as error:
        raise PageError(f"{place}: {error}") from error


def _figure(writer: Writer, column: Column, ref: str, to: str) -> Entry:
    """A figure, or the text of a printed cell; a missing one says why."""
    if ref.startswith("cell:") and "," not in ref:
        source, table, row, name = ref.split(":")[1:]
        cell = writer.site.cell(source, table, row, name)
        if cell is not None and cell.unit is None:
            return tables.printed_cell(writer, cell)

    def fig(ref: str, *, unit: bool = column.unit) -> Markup:
        return writer.fig(
            ref,
            column.decimals,
            unit=unit,
            percent=column.percent,
            sign=column.sign,
            digits=column.digits,
            clock=column.form == "duration",
        )

    if not to:
        text = fig(ref)
    elif column.form == "either":
        text = writer.t("join.either", first=fig(ref), second=fig(to))
    else:
        text = writer.t("range", low=fig(ref, unit=False), high=fig(to))
    return tables.valued(writer, ref, text)


def _name(writer: Writer, reference: str) -> Entry:
    kind, found, id_ = reference.partition(":")
    site = writer.site
    if not found:
        return Entry(escape(reference))
    if kind == "text":
        key = f"cell_text.{id_}"
        return Entry(writer.t(key if writer.locale.has(key) else id_))
    if kind == "run" and id_ in site.runs:
        return Entry(writer.run_link(id_, writer.run_label(site.runs[id_])))
    path = ""
    if kind == "hardware" and id_ in site.catalog.hardware:
        path = f"accelerators/{id_}/#specifications"
    elif kind == "price" and id_ in site.prices:
        path = f"{site.price_page(site.prices[id_])}#price-{id_}"
    elif (kind == "system" and id_ in site.machines) or (
        kind == "workload" and id_ in site.catalog.workloads
    ):
        path = f"{kind}s/{id_}/"
    else:
        raise PageError(
            f"no {kind} {id_!r}; wanted run:, system:, workload:, hardware: or price: with the id "
            "of one, or text: with a key"
        )
    name = writer.named(reference)
    return Entry(writer.link(path, name) if path else name, name.striptags())


def _verdict(writer: Writer, claim: str) -> Entry:
    judgement = writer.site.judgements.get(claim)
    if judgement is None:
        raise PageError(f"no claim {claim!r}")
    source = judgement.claim.source
    href = writer.url(f"sources/{source}/#{claim}")
    badge = writer.badge("verdict", judgement.verdict)
    return Entry(html.verdict_link(href, badge), str(judgement.verdict))


def _field(writer: Writer, wanted: str) -> Entry:
    id_, _found, name = wanted.rpartition(":")
    run = writer.site.runs.get(id_)
    if run is None:
        raise PageError(f"no run {id_!r}")
    if name in _FIELDS:
        return Entry(_FIELDS[name](writer, run))
    if name not in Run.__dataclass_fields__:
        raise PageError(f"a run has no field {name!r}")
    value = getattr(run, name)
    if isinstance(value, bool):
        return Entry(writer.t("yes" if value else "no"))
    if isinstance(value, StrEnum) or (
        isinstance(value, str) and writer.locale.has(f"{name}.{value}")
    ):
        return Entry(writer.word(name, value))
    return Entry(writer.given(value))


_FIELDS: Final[Mapping[str, Callable[[Writer, Run], Markup]]] = {
    "precision": run_details.precision,
    "framework": run_details.framework,
    "status": lambda writer, run: (writer.word if run.status is Status.OK else writer.badge)(
        "status", run.status
    ),
    "origin": lambda writer, run: writer.badge("origin", run.origin),
    "system": lambda writer, run: writer.system_link(run.system),
    "workload": lambda writer, run: writer.workload_link(run.workload),
}
"""Fields of runs with a formatter of their own; others are shown as their word, or as they are."""

_CELLS: Final[Mapping[str, Callable[[Writer, str], Entry]]] = {
    "name": _name,
    "verdict": _verdict,
    "field": _field,
}
