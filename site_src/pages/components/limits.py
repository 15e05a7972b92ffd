"""What a system cannot do or must not be asked: limits that sources print, with their date, and
what is done beyond them.
"""

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
    """The limits that sources print of a system: of its kind of accelerator, its accelerator, its
    provider and its own kind; of an accelerator without a system those of its own.

    They are read off these tables of the sources: `<kind or hardware>-limits`, a row a limit with
    its text in the column `limit`; `free-sessions`, whose rows are providers; `limits`, whose
    columns are accelerators; `support`, whose rows are accelerators in the source's own machine.
    What a source says of a kind holds for the accelerators of that kind that it ran itself, not for
    later ones.
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
    """That a system has more accelerators than its maker supported, with the limit and its date;
    nothing where no source says so.
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
    """Limits that a run went beyond: accelerators supported, shortest session of its provider."""
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
    """Seconds after which a session of the system's provider may end, by its offers and by what
    sources say of it; None without.
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
