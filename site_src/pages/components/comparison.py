"""The systems of a comparison next to each other, and whether their recorded properties match."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from markupsafe import Markup, escape

from kernels.errors import FactError
from kernels.records import Certainty, Precision, Run
from site_src.pages.components.site import Machine
from site_src.pages.components.tables import Entry
from site_src.pages.components.text import small
from site_src.pages.components.writer import PageError, Writer
from site_src.reports import ComparedSystem, Report
from site_src.tables.recorded import certainty_of_container
from site_src.templates import html


@dataclass(frozen=True, slots=True)
class Row:
    """A property of all systems.

    Attributes:
        cells: Shown text of each system and the value compared; None where it is not stated.
        compared: True if the comparison is about this property, so that a difference is by design.
        called: Its name in a sentence, where different.
    """

    name: Markup
    cells: tuple[Entry, ...]
    compared: bool = False
    called: Markup | None = None

    @property
    def stated(self) -> bool:
        """True if any system states it."""
        return any(cell.value is not None for cell in self.cells)

    @property
    def match(self) -> bool | None:
        """True if all systems have the same value; None if one does not state it."""
        values = [cell.value for cell in self.cells]
        return None if None in values else len(set(values)) == 1


def _table(
    writer: Writer,
    report: Report,
    label: Markup,
    rows: Sequence[Row],
    warnings: Sequence[Markup] = (),
) -> Markup:
    """A table of the rows that at least one system states; a note names the others."""
    stated = [row for row in rows if row.stated]
    unstated = [row.called or small(row.name) for row in rows if not row.stated]
    shown = Markup("")
    if stated:
        shown = writer.render(
            "blocks/comparison.html",
            label=label,
            columns=_columns(writer, report),
            rows=stated,
            warnings=warnings,
        )
    if not unstated:
        return shown
    return shown + html.note(writer.t("sides.unstated", names=writer.joined("comma", *unstated)))


def _run(writer: Writer, report: Report, system: ComparedSystem) -> Run:
    try:
        return writer.site.runs[system.runs[0]]
    except (KeyError, IndexError):
        raise PageError(
            f"{report.path}: system {system.system!r} has no recorded run; "
            f"found {list(system.runs)}"
        ) from None


def _machine(writer: Writer, report: Report, system: ComparedSystem) -> Machine:
    try:
        return writer.site.machines[system.system]
    except KeyError:
        raise PageError(
            f"{report.path}: no system {system.system!r} in the catalogue or the runs"
        ) from None


class _Systems:
    """The systems that a report compares, and the rows of their table.

    Attributes:
        runs: The first run of each system.
        machines: The systems.
        other_sources: Accelerators whose memory comes from a source other than the report's, with
            that source.
    """

    def __init__(self, writer: Writer, report: Report) -> None:
        self.writer = writer
        self.runs = [_run(writer, report, system) for system in report.systems]
        self.machines = [_machine(writer, report, system) for system in report.systems]
        self.other_sources = _other_sources(writer, report, self.machines)

    def row(
        self,
        name: str,
        texts: Iterable[str],
        values: Iterable[object],
        *,
        compared: bool = False,
    ) -> Row:
        return Row(self.writer.field(name), tuple(map(Entry, texts, values)), compared)

    def worded(self, name: str) -> Row:
        """A field of the runs, in words. Two unknown precisions do not match."""
        values = [getattr(run, name) for run in self.runs]
        return self.row(
            name,
            [self.writer.word(name, value) for value in values],
            [None if value is Precision.UNKNOWN else value for value in values],
        )

    def of_machine(self, name: str, *, compared: bool = False) -> Row:
        values = [getattr(machine, name) for machine in self.machines]
        texts = [self.writer.given(value) for value in values]
        return self.row(name, self.marked(name, texts), values, compared=compared)

    def figures(self, name: str, refs: Iterable[str], *, unit: bool, marked: bool = True) -> Row:
        cells = [_figure(self.writer, ref, unit=unit) for ref in refs]
        texts = [cell.text for cell in cells]
        return self.row(
            name,
            self.marked(name, texts) if marked else texts,
            [cell.value for cell in cells],
        )

    def marked(self, name: str, texts: Sequence[str]) -> list[Markup]:
        """The texts, marked where the source does not print them like this."""
        pairs = zip(self.machines, texts, strict=True)
        return [machine_fact(self.writer, machine, name, text) for machine, text in pairs]

    def of_host(self, name: str) -> Row:
        refs = [host(self.writer, machine, name) for machine in self.machines]
        return self.figures(name, refs, unit=name != "cpu_cores")

    def memory(self, name: str, refs: Iterable[str]) -> Row:
        """Memory; a dagger marks values from a source other than the report's."""
        row = self.figures(name, refs, unit=True, marked=False)
        cells = (
            replace(cell, text=html.spaced(cell.text, "†"))
            if machine.hardware in self.other_sources
            else cell
            for machine, cell in zip(self.machines, row.cells, strict=True)
        )
        return replace(row, cells=tuple(cells))

    def rows(self) -> dict[str, Row]:
        counts = [f"run:{run.run_id}:accelerators" for run in self.runs]
        each = [f"spec:{machine.hardware}:memory" for machine in self.machines]
        total = [f"product({count}, {ref})" for count, ref in zip(counts, each, strict=True)]
        kinds = [machine.server_kind for machine in self.machines]
        regions = [machine.region for machine in self.machines]
        word, named = self.writer.word, self.writer.named_or_missing
        return {
            "accelerator": self.of_machine("accelerator", compared=True),
            "chips": self.figures("accelerators", counts, unit=False),
            "memory_each": self.memory("memory_each", each),
            "memory": self.memory("memory_total", total),
            "scheme": self.worded("parallelism"),
            "precision": self.worded("precision"),
            "implementation": self.worded("implementation"),
            "server_kind": self.row("server_kind", [word("server_kind", k) for k in kinds], kinds),
            "provider": self.of_machine("provider", compared=True),
            "instance": self.of_machine("instance", compared=True),
            "region": self.row("region", [named("region", one) for one in regions], regions),
            "cpu_model": self.of_machine("cpu_model"),
            **{name: self.of_host(name) for name in _HOSTS},
            "os": self.of_machine("os"),
        }


def systems(writer: Writer, report: Report, _: str) -> Markup:
    """A table of each system's accelerators, memory, parallelism, precision, code and host, with
    match marks and warnings.
    """
    found = _Systems(writer, report)
    rows = found.rows()
    warnings = [writer.t(f"sides.differ_{name}") for name in _WARNED if rows[name].match is False]
    shown = _table(writer, report, writer.t("sides.caption"), list(rows.values()), warnings)
    if not found.other_sources:
        return shown
    sources = dict.fromkeys(found.other_sources.values())
    named = writer.joined("comma", *map(writer.source_name, sources))
    return shown + html.note(writer.t("sides.elsewhere", sources=named))


_WARNED: Final = ("chips", "memory", "scheme", "precision", "implementation")
"""Rows that give a warning if the systems differ."""


def _other_sources(writer: Writer, report: Report, machines: Sequence[Machine]) -> dict[str, str]:
    known = (
        writer.site.catalog.spec(machine.hardware, "memory")
        for machine in machines
        if machine.hardware
    )
    return {
        spec.hardware: spec.source
        for spec in known
        if spec is not None and spec.value is not None and spec.source != report.source
    }


_ROOMY: Final = 4
"""Most systems for which each column is as wide as a line of text."""


def _columns(writer: Writer, report: Report) -> list[tuple[Markup, str, str]]:
    width = "ts-w2" if len(report.systems) <= _ROOMY else "ts-w1"
    names = [
        (escape(writer.system_name(system.system)), "text", width) for system in report.systems
    ]
    return [(writer.t("head.property"), "text", ""), *names, (writer.t("head.match"), "text", "")]


def machine_fact(writer: Writer, machine: Machine, field: str, text: str) -> Markup:
    """A fact about a machine, marked where its source does not print it like this."""
    named = {"accelerator": "hardware", "vendor": "hardware", "kind": "hardware"}.get(field, field)
    return writer.certain(
        text,
        Certainty.RECONSTRUCTED if named in machine.reconstructed else Certainty.STATED,
    )


_HOSTS: Final[Mapping[str, str]] = {
    "cpu_cores": "cores",
    "cpu_hz": "clock",
    "memory_bytes": "memory",
}
"""Fields of systems, with their columns in the table `hosts` of sources."""


def host(writer: Writer, machine: Machine, field: str) -> str:
    """Reference to a figure of a machine's host, as printed where possible: 2.30 GHz stays 2.30
    GHz.
    """
    cells = writer.site.cells.get(machine.source or "", ())
    printed = {
        cell.row
        for cell in cells
        if cell.table == "hosts" and cell.column == _HOSTS[field] and cell.value is not None
    }
    # looked up in the archive: for each missing cell `Facts` would search thousands for the nearest
    # name
    for row in (machine.instance, machine.id):
        if row in printed:
            return f"cell:{machine.source}:hosts:{row}:{_HOSTS[field]}"
    return f"system:{machine.id}:{field}"


def _figure(writer: Writer, ref: str, *, unit: bool) -> Entry:
    try:
        fact = writer.site.facts.get(ref)
    except FactError:
        return Entry(writer.missing("not_stated"))
    return Entry(writer.fig(ref, unit=unit), fact.value)


def container(writer: Writer, run: Run) -> Markup:
    """A run's container image, marked where it was inferred rather than read."""
    if run.container is None:
        return writer.certain(writer.given(None), Certainty.NOT_STATED)
    return writer.certain(writer.name("container", run.container), certainty_of_container(run))


def software(writer: Writer, report: Report, _: str) -> Markup:
    """Software of each system with the certainty of its version, and whether all match."""
    runs = [_run(writer, report, system) for system in report.systems]
    # the host's rows have them
    names_of_os = {_machine(writer, report, system).os for system in report.systems}
    names = dict.fromkeys(
        piece.name
        for run in runs
        for piece in run.software
        if f"{piece.name} {piece.version}" not in names_of_os
    )
    rows = [
        Row(
            escape(name),
            tuple(_version(writer, run, name) for run in runs),
            called=writer.t("sides.version_of", name=name),
        )
        for name in names
    ]
    containers = tuple(Entry(container(writer, run), run.container) for run in runs)
    rows.append(Row(writer.field("container"), containers))
    return _table(writer, report, writer.t("sides.software"), rows)


def _version(writer: Writer, run: Run, name: str) -> Entry:
    piece = next((piece for piece in run.software if piece.name == name), None)
    if piece is None or piece.version is None:
        return Entry(writer.missing("not_stated"))
    return Entry(writer.certain(piece.version, piece.certainty), piece.version)
