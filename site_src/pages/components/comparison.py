"""The sides of a comparison next to each other, and whether they match, worked out from what is
recorded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from markupsafe import Markup, escape

from kernels.errors import FactError
from kernels.records import Certainty, Precision, Run
from site_src.pages.components import tables
from site_src.pages.components.site import Machine
from site_src.pages.components.text import small
from site_src.pages.components.writer import PageError, Writer
from site_src.reports import Report, Side
from site_src.tables.recorded import certainty_of_container


@dataclass(frozen=True, slots=True)
class Cell:
    """One side's value: what is shown, and what is compared; None where it is not stated."""

    text: Markup
    value: object


@dataclass(frozen=True, slots=True)
class Row:
    """One property on all sides; `match` is None where a side does not state it.

    Attributes:
        compared: True for what the comparison is about: that it differs is no fault.
        called: Its name in a sentence, where that is another.
    """

    name: Markup
    cells: tuple[Cell, ...]
    compared: bool = False
    called: Markup | None = None

    @property
    def stated(self) -> bool:
        """Whether any side states it."""
        return any(cell.value is not None for cell in self.cells)

    @property
    def match(self) -> bool | None:
        """Whether all sides have the same."""
        values = [cell.value for cell in self.cells]
        return None if None in values else len(set(values)) == 1


def _table(
    writer: Writer,
    report: Report,
    label: Markup,
    rows: Sequence[Row],
    warnings: Sequence[Markup] = (),
) -> Markup:
    """The rows that one side at the least states; what none states is named in a sentence."""
    told = [row for row in rows if row.stated]
    unstated = [row.called or small(row.name) for row in rows if not row.stated]
    shown = Markup("")
    if told:
        columns = _columns(writer, report)
        shown = writer.render(
            "blocks/sides.html",
            label=label,
            columns=columns,
            rows=_template_rows(told),
            warnings=warnings,
        )
    if not unstated:
        return shown
    return shown + Markup('<p class="ts-note">{}</p>').format(
        writer.t("sides.unstated", names=writer.joined("comma", unstated))
    )


def _template_rows(rows: Sequence[Row]) -> list[dict[str, object]]:
    return [
        {
            "name": row.name,
            "cells": [cell.text for cell in row.cells],
            "match": row.match,
            "compared": row.compared,
        }
        for row in rows
    ]


def _run(writer: Writer, report: Report, side: Side) -> Run:
    try:
        return writer.site.runs[side.runs[0]]
    except (KeyError, IndexError):
        raise PageError(
            f"{report.path}: side {side.system!r} has no recorded run; found {list(side.runs)}"
        ) from None


def _machine(writer: Writer, report: Report, side: Side) -> Machine:
    try:
        return writer.site.machines[side.system]
    except KeyError:
        raise PageError(
            f"{report.path}: no system {side.system!r} in the catalogue or the runs"
        ) from None


def sides(writer: Writer, report: Report, _: str) -> Markup:
    """Chips, memory, scheme, precision, code and host of each side, with matched and unmatched
    marks, and what follows.
    """
    runs = [_run(writer, report, side) for side in report.sides]
    machines = [_machine(writer, report, side) for side in report.sides]

    def told(
        name: str,
        values: Sequence[object],
        texts: Sequence[Markup] | None = None,
        *,
        compared: bool = False,
    ) -> Row:
        shown = texts if texts is not None else [writer.given(value) for value in values]
        return Row(
            writer.field(name),
            tuple(Cell(text, value) for text, value in zip(shown, values, strict=True)),
            compared,
        )

    def figures(name: str, refs: Sequence[str], *, unit: bool = True) -> Row:
        return Row(writer.field(name), tuple(_figure(writer, ref, unit=unit) for ref in refs))

    def of_host(name: str) -> Row:
        cells = [
            _figure(writer, host(writer, machine, name), unit=name != "cpu_cores")
            for machine in machines
        ]
        marked = zip(cells, machines, strict=True)
        return Row(
            writer.field(name),
            tuple(
                Cell(machine_fact(writer, machine, name, cell.text), cell.value)
                for cell, machine in marked
            ),
        )

    def of_machine(name: str, *, compared: bool = False) -> Row:
        values = [getattr(machine, name) for machine in machines]
        texts = [
            machine_fact(writer, machine, name, writer.given(value))
            for machine, value in zip(machines, values, strict=True)
        ]
        return told(name, values, texts, compared=compared)

    def of_memory(name: str, refs: Sequence[str]) -> Row:
        """A dagger marks what another source than the report's says of the accelerator."""
        cells = zip(machines, [_figure(writer, ref, unit=True) for ref in refs], strict=True)
        marked = [
            Cell(cell.text + Markup(" †"), cell.value) if machine.hardware in others else cell
            for machine, cell in cells
        ]
        return Row(writer.field(name), tuple(marked))

    chips = figures("accelerators", [f"run:{run.run_id}:accelerators" for run in runs], unit=False)
    counted = [
        machine_fact(writer, machine, "accelerators", cell.text)
        for machine, cell in zip(machines, chips.cells, strict=True)
    ]
    chips = replace(
        chips,
        cells=tuple(
            Cell(text, cell.value) for text, cell in zip(counted, chips.cells, strict=True)
        ),
    )
    others = _memory_elsewhere(writer, report, machines)
    memory = [f"spec:{machine.hardware}:memory" for machine in machines]
    total = of_memory(
        "memory_total",
        [
            f"product(run:{run.run_id}:accelerators, {ref})"
            for run, ref in zip(runs, memory, strict=True)
        ],
    )
    scheme = told(
        "parallelism",
        [run.parallelism for run in runs],
        [writer.word("parallelism", run.parallelism) for run in runs],
    )
    # two unknown formats are no match
    formats = [None if run.precision is Precision.UNKNOWN else run.precision for run in runs]
    precision = told(
        "precision", formats, [writer.word("precision", run.precision) for run in runs]
    )
    code = told(
        "implementation",
        [run.implementation for run in runs],
        [writer.word("implementation", run.implementation) for run in runs],
    )
    rows = [
        of_machine("accelerator", compared=True),
        chips,
        of_memory("memory_each", memory),
        total,
        scheme,
        precision,
        code,
        told(
            "server_kind",
            [m.server_kind for m in machines],
            [writer.word("server_kind", m.server_kind) for m in machines],
        ),
        of_machine("provider", compared=True),
        of_machine("instance", compared=True),
        told(
            "region",
            [m.region for m in machines],
            [writer.named_or_missing("region", m.region) for m in machines],
        ),
        of_machine("cpu_model"),
        of_host("cpu_cores"),
        of_host("cpu_hz"),
        of_host("memory_bytes"),
        of_machine("os"),
    ]
    warned = (
        ("chips", chips),
        ("memory", total),
        ("scheme", scheme),
        ("precision", precision),
        ("implementation", code),
    )
    warnings = [writer.t(f"sides.differ_{name}") for name, row in warned if row.match is False]
    named = writer.joined(
        "comma", [writer.source_name(source) for source in dict.fromkeys(others.values())]
    )
    note = (
        Markup('<p class="ts-note">{}</p>').format(writer.t("sides.elsewhere", sources=named))
        if others
        else Markup("")
    )
    return _table(writer, report, writer.t("sides.caption"), rows, warnings) + note


def _memory_elsewhere(
    writer: Writer, report: Report, machines: Sequence[Machine]
) -> dict[str, str]:
    """Hardware whose memory is known from another source than the report's, and that source."""
    known = [
        writer.site.catalog.spec(machine.hardware, "memory")
        for machine in machines
        if machine.hardware
    ]
    return {
        spec.hardware: spec.source
        for spec in known
        if spec is not None and spec.value is not None and spec.source != report.source
    }


_ROOMY: Final = 4
"""Sides up to which each has the width of a line of text."""


def _columns(writer: Writer, report: Report) -> list[tuple[Markup, str, str]]:
    width = "ts-w2" if len(report.sides) <= _ROOMY else "ts-w1"
    names = [(escape(writer.system_name(side.system)), "text", width) for side in report.sides]
    return [(writer.t("head.property"), "text", ""), *names, (writer.t("head.match"), "text", "")]


def machine_fact(writer: Writer, machine: Machine, field: str, text: Markup) -> Markup:
    """A fact about a machine, marked where its source does not print it as it stands."""
    named = {"accelerator": "hardware", "vendor": "hardware", "kind": "hardware"}.get(field, field)
    return tables.certain(
        writer,
        text,
        Certainty.RECONSTRUCTED if named in machine.reconstructed else Certainty.STATED,
    )


_HOSTS: Final[Mapping[str, str]] = {
    "cpu_cores": "cores",
    "cpu_hz": "clock",
    "memory_bytes": "memory",
}
"""Fields of systems, and the columns of the table `hosts` in which a source prints them."""


def host(writer: Writer, machine: Machine, field: str) -> str:
    """The reference to a figure of a machine's host: as its source prints it where it does, so that
    2.30 GHz stays 2.30 GHz.
    """
    cells = writer.site.cells.get(machine.source or "", ())
    printed = {
        cell.row
        for cell in cells
        if cell.table == "hosts" and cell.column == _HOSTS[field] and cell.value is not None
    }
    # looked up and not asked for: `Facts` names the nearest of thousands of cells for each that is
    # not there
    for row in (machine.instance, machine.id):
        if row in printed:
            return f"cell:{machine.source}:hosts:{row}:{_HOSTS[field]}"
    return f"system:{machine.id}:{field}"


def _figure(writer: Writer, ref: str, *, unit: bool) -> Cell:
    try:
        fact = writer.site.facts.get(ref)
    except FactError:
        return Cell(writer.missing("not_stated"), None)
    return Cell(writer.fig(ref, unit=unit), fact.value)


def container(writer: Writer, run: Run) -> Markup:
    """A run's container image, marked where it was put together rather than read."""
    if run.container is None:
        return tables.certain(writer, writer.given(None), Certainty.NOT_STATED)
    return tables.certain(
        writer, writer.name("container", run.container), certainty_of_container(run)
    )


def software(writer: Writer, report: Report, _: str) -> Markup:
    """Software of each side with how certain its version is, and whether the sides have the
    same.
    """
    runs = [_run(writer, report, side) for side in report.sides]
    # they stand among the hosts
    systems = {machine.os for machine in (_machine(writer, report, side) for side in report.sides)}
    pieces = [
        piece
        for run in runs
        for piece in run.software
        if f"{piece.name} {piece.version}" not in systems
    ]
    names = list(dict.fromkeys(piece.name for piece in pieces))
    rows = []
    for name in names:
        cells = []
        for run in runs:
            piece = next((piece for piece in run.software if piece.name == name), None)
            if piece is None or piece.version is None:
                cells.append(Cell(writer.missing("not_stated"), None))
            else:
                cells.append(
                    Cell(tables.certain(writer, piece.version, piece.certainty), piece.version)
                )
        rows.append(Row(escape(name), tuple(cells), called=writer.t("sides.version_of", name=name)))
    rows.append(
        Row(
            writer.field("container"),
            tuple(Cell(container(writer, run), run.container) for run in runs),
        ),
    )
    return _table(writer, report, writer.t("sides.software"), rows)
