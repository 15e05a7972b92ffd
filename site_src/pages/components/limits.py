"""What a system cannot do or must not be asked: limits that sources print, with their date, and
what is done beyond them.
"""

from collections.abc import Iterator

from markupsafe import Markup

from kernels.records import PrintedCell, Run
from kernels.units import SECONDS_AN_HOUR
from site_src.pages.components import tables
from site_src.pages.components.site import Machine
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer
from site_src.templates import html


def limits(writer: Writer, machine: Machine) -> Markup:
    """The limits that sources print of a system: of its kind of accelerator, its accelerator, its
    provider and its own kind.

    They are read off these tables of the sources: `<kind or hardware>-limits`, a row a limit with
    its text in the column `limit`; `free-sessions`, whose rows are providers; `limits`, whose
    columns are accelerators; `support`, whose rows are accelerators in the source's own machine.
    What a source says of a kind holds for the accelerators of that kind that it ran itself, not for
    later ones.
    """
    lines = [_line(writer, name, cell) for name, cell in _found(writer, machine)]
    if not lines:
        return Markup("")
    heads = tables.heads(writer, "limit", "value", "as_of", "source")
    return tables.table(writer, writer.t("system.limits_caption", name=machine.name), heads, lines)


def _found(writer: Writer, machine: Machine) -> Iterator[tuple[Markup, PrintedCell]]:
    hardware = writer.site.catalog.hardware.get(machine.hardware or "")
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
            of_row = tables.row_name(writer, cell.table, cell.row)
            of_column = tables.column_name(writer, cell.column)
            if cell.table in own and cell.column == "limit":
                yield of_row, cell
            elif cell.table == "free-sessions" and cell.row == machine.provider:
                yield of_column, cell
            elif cell.table == "limits" and cell.column == machine.hardware:
                yield of_row, cell
            elif (
                cell.table == "support"
                and cell.row == machine.hardware
                and source == machine.source
            ):
                yield of_column, cell


def _line(writer: Writer, name: Markup, cell: PrintedCell) -> Line:
    source = writer.site.sources[cell.source]
    dated = next(
        (
            other.text
            for other in writer.site.cells[cell.source]
            if (other.table, other.row, other.column) == (cell.table, cell.row, "as-of")
            and other.text
        ),
        None,
    )
    day = writer.printed_text(dated) if dated else writer.given(source.updated)
    order = dated or (source.updated.isoformat() if source.updated else None)
    return Line(
        [
            Entry(name),
            tables.printed_cell(writer, cell),
            Entry(day, order),
            Entry(tables.place(writer, cell.source, cell.locator)),
        ]
    )


def unsupported(writer: Writer, machine: Machine) -> Markup:
    """That a system has more accelerators than its maker supported, with the limit and its date;
    nothing where no source says so.
    """
    cell = _supported(writer, machine)
    if (
        cell is None
        or machine.accelerators is None
        or cell.value is None
        or machine.accelerators <= cell.value
    ):
        return Markup("")
    source = writer.site.sources[cell.source]
    text = writer.t(
        "system.unsupported",
        tested=writer.fig(f"system:{machine.id}:accelerators"),
        supported=writer.fig(f"cell:{cell.source}:{cell.table}:{cell.row}:{cell.column}"),
        source=tables.place(writer, cell.source, ""),
        date=writer.given(source.updated),
    )
    return html.caveat(text)


def _supported(writer: Writer, machine: Machine) -> PrintedCell | None:
    named = ("support", machine.hardware, "supported")
    found = writer.site.cells.get(machine.source or "", ())
    return next((cell for cell in found if (cell.table, cell.row, cell.column) == named), None)


def of_run(writer: Writer, run: Run) -> list[Markup]:
    """What a run did beyond a limit: more accelerators than supported, or longer than a session of
    its provider lasts at the least.
    """
    machine = writer.site.machines.get(run.system)
    if machine is None:
        return []
    said = []
    cell = _supported(writer, machine)
    if (
        cell is not None
        and cell.value is not None
        and run.accelerators is not None
        and run.accelerators > cell.value
    ):
        limit = writer.fig(f"cell:{cell.source}:{cell.table}:{cell.row}:{cell.column}")
        said.append(
            writer.t(
                "run.unsupported",
                limit=limit,
                date=writer.given(writer.site.sources[cell.source].updated),
            )
        )
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
        for price in writer.site.prices.values()
        if price.system == machine.id and price.session_limit_s
    ]
    found += [
        cell.value * SECONDS_AN_HOUR
        for cells in writer.site.cells.values()
        for cell in cells
        if (cell.table, cell.row) == ("free-sessions", machine.provider)
        and cell.column.startswith("session-")
        and cell.unit == "h"
        and cell.value
    ]
    return min(found, default=None)
