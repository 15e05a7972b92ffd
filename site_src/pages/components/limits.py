"""Limits of a system that sources print, with their date, and runs that exceeded them."""

from collections.abc import Iterator

from markupsafe import Markup

from kernels.records import Hardware, PrintedCell, Run
from kernels.units import SECONDS_AN_HOUR
from site_src.pages.components import tables
from site_src.pages.components.site import Machine
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer
from site_src.tables import printed
from site_src.templates import html


def limits(writer: Writer, machine: Machine | Hardware) -> Markup:
    """Printed limits of a system: of its accelerator, the kind of accelerator and its provider; for
    an accelerator without a system, its own.

    They come from these tables of sources: `<kind or hardware>-limits`, one limit a row, in the
    column `limit`; `free-sessions`, a row for each provider; `limits`, a column for each
    accelerator; `support`, a row for each accelerator in the source's own machine. A limit for a
    kind applies to the accelerators of that kind that the source itself ran, not to later ones.
    """
    rows = [_row(writer, name, cell) for name, cell in _found(writer, machine)]
    if not rows:
        return Markup("")
    return tables.table(writer, writer.t("system.limits_caption", name=machine.name), rows)


def _found(writer: Writer, machine: Machine | Hardware) -> Iterator[tuple[Markup, PrintedCell]]:
    hardware = writer.site.catalog.hardware.get(machine.hardware or "")
    provider, own_source = (
        (None, None) if isinstance(machine, Hardware) else (machine.provider, machine.source)
    )
    for source, cells in writer.site.cells.items():
        ran = {
            system.hardware
            for run in writer.site.runs_of(source=source)
            if (system := writer.site.machines.get(run.system))
        }
        own = {
            f"{machine.hardware}-limits",
            f"{hardware.kind}-limits" if hardware and machine.hardware in ran else None,
        }
        for cell in cells:
            if (cell.table in own and cell.column == "limit") or (
                cell.table == "limits" and cell.column == machine.hardware
            ):
                yield tables.row_name(writer, cell.table, cell.row), cell
            elif (cell.table == "free-sessions" and cell.row == provider) or (
                cell.table == "support" and cell.row == machine.hardware and source == own_source
            ):
                yield tables.column_name(writer, cell.column), cell


def _row(writer: Writer, name: Markup, cell: PrintedCell) -> Cells:
    source = writer.site.sources[cell.source]
    as_of = writer.site.cell(cell.source, cell.table, cell.row, "as-of")
    dated = as_of.text if as_of else None
    return {
        "limit": name,
        "value": tables.printed_cell(writer, cell),
        "as_of": Entry(writer.printed_text(dated), dated)
        if dated
        else tables.dated(writer, source.updated),
        "source": tables.place(writer, cell.source, cell.locator),
    }


def unsupported(writer: Writer, machine: Machine) -> Markup:
    """Says that a system has more accelerators than its maker supported, with the limit and its
    date; empty if no source says so.
    """
    cell = _exceeded(writer, machine, machine.accelerators)
    if cell is None:
        return Markup("")
    text = writer.t(
        "system.unsupported",
        tested=writer.fig(f"system:{machine.id}:accelerators"),
        supported=writer.fig(printed.ref(cell)),
        source=tables.place(writer, cell.source, ""),
        date=writer.given(writer.site.sources[cell.source].updated),
    )
    return html.caveat(text)


def _exceeded(writer: Writer, machine: Machine, accelerators: int | None) -> PrintedCell | None:
    source, hardware = machine.source or "", machine.hardware or ""
    cell = writer.site.cell(source, "support", hardware, "supported")
    if cell is None or cell.value is None or accelerators is None or accelerators <= cell.value:
        return None
    return cell


def of_run(writer: Writer, run: Run) -> list[Markup]:
    """Limits that a run exceeded: accelerators supported, shortest session of its provider."""
    machine = writer.site.machines.get(run.system)
    if machine is None:
        return []
    said = []
    if cell := _exceeded(writer, machine, run.accelerators):
        date = writer.given(writer.site.sources[cell.source].updated)
        limit = writer.fig(printed.ref(cell))
        said.append(writer.t("run.unsupported", limit=limit, date=date))
    time = run.metric("train_time_s")
    seconds = run.wall_time_s if time is None else time.value
    shortest = session(writer, machine)
    if seconds is not None and shortest is not None and seconds > shortest:
        said.append(writer.t("run.over_session", time=writer.locale.duration(shortest)))
    return said


def session(writer: Writer, machine: Machine) -> float | None:
    """Seconds after which the provider may end a session, from its offers and from sources; None if
    unknown.
    """
    found: list[float] = [
        price.session_limit_s
        for price in writer.site.prices_of(system=machine.id)
        if price.session_limit_s
    ]
    found += [
        cell.value * SECONDS_AN_HOUR
        for cell in writer.site.free_sessions
        if cell.row == machine.provider
        and cell.column.startswith("session-")
        and cell.unit == "h"
        and cell.value
    ]
    return min(found, default=None)
