"""The page of a system: what it is, what it costs, what was run on it; and the list of systems."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from kernels.records import Run, Status
from site_src.model import Page
from site_src.pages import scores, tables
from site_src.pages.sides import host, machine_fact
from site_src.pages.site import Machine, Site
from site_src.pages.tables import Entry, Line
from site_src.pages.writer import Writer


def system_page(site: Site, writer: Writer, machine: Machine) -> Page:
    """The page of one system in one language."""
    runs = site.runs_of(system=machine.id)
    sections: list[tuple[str, list[Markup]]] = [("about", [about(writer, machine), whose_host(writer, machine, runs)])]
    if machine.hardware:
        specs = site.specs.get(machine.hardware, ())
        label = writer.t("system.specifications_of", name=machine.accelerator or machine.hardware)
        sections.append(
            ("specifications", [tables.specifications(writer, specs, label), Markup("<p>{}</p>").format(writer.t("system.per_piece"))])
        )
        sections.append(("availability", [availability(writer, machine)]))
    prices = [price for price in site.prices.values() if price.system == machine.id]
    label = writer.t("price.of_system", name=machine.name)
    sections.append(("prices", [tables.offers(writer, prices, label, system=False), Markup("<p>{}</p>").format(writer.t("price.note"))]))
    sections.append(("runs", [tables.runs(writer, runs, writer.t("runs.of_system", name=machine.name), by="workload")]))
    if scored := scores.of(writer, system=machine.id):
        sections.append(("scores", [scores.table(writer, scored)]))
    seen = writer.report_links(site.reports_of(system=machine.id)) + writer.chart_links(site.charts_of(system=machine.id))
    if seen:
        sections.append(("seen_in", [writer.links(seen)]))
    lead = writer.t(f"system_reason.{machine.reason}") if machine.reason else writer.t("system.from_runs") if not machine.catalogued else ""
    body = writer.render("plain.html", title=machine.name, lead=lead, sections=writer.titled("system", sections))
    ended = sum(run.status is Status.OK for run in runs)
    description = writer.t("system.description" if ended else "system.description_none", name=machine.name, n=ended)
    return writer.page("systems", machine.name, str(description.striptags()), body)


def about(writer: Writer, machine: Machine) -> Markup:
    """What is known of the system; its parts that nobody states read "not stated"."""
    hardware = writer.site.catalog.hardware.get(machine.hardware or "")
    rows: list[tuple[str, Markup]] = [
        ("accelerator", writer.given(machine.accelerator)),
        ("accelerators", writer.given(machine.accelerators)),
    ]
    if hardware:
        rows += [
            ("vendor", escape(hardware.vendor)),
            ("kind", writer.t(f"hardware_kind.{hardware.kind}")),
            ("architecture", writer.given(hardware.architecture)),
        ]
    rows += [
        ("server_kind", writer.word("server_kind", machine.server_kind)),
        ("provider", writer.given(machine.provider)),
        ("instance", writer.given(machine.instance)),
        ("region", writer.given(machine.region)),
        ("cpu_model", writer.given(machine.cpu_model)),
        ("cpu_cores", writer.given(machine.cpu_cores)),
        ("cpu_hz", _host(writer, machine, "cpu_hz", writer.quantity(machine.cpu_hz, "Hz"))),
        ("memory_bytes", _host(writer, machine, "memory_bytes", machine.memory_bytes and writer.locale.bytes_(machine.memory_bytes))),
        ("os", writer.given(machine.os)),
    ]
    if machine.virtualised is not None:
        rows.append(("virtualised", writer.t("yes" if machine.virtualised else "no")))
    if not machine.catalogued:  # a run tells neither who owns the machine nor where it stands
        rows = [(name, value) for name, value in rows if value not in (writer.missing("not_stated"), writer.t("not_stated"))]
    if machine.source and machine.locator:
        rows.append(("source", tables.place(writer, machine.source, machine.locator)))
    return writer.meta([(writer.field(name), machine_fact(writer, machine, name, value)) for name, value in rows])


def whose_host(writer: Writer, machine: Machine, runs: Sequence[Run]) -> Markup:
    """Whose words about the host the page shows, where other sources ran the same accelerators, maybe with another host."""
    if not machine.catalogued or machine.source is None or all(run.source == machine.source for run in runs):
        return Markup("")
    return Markup("<p>{}</p>").format(writer.t("system.host_of", source=writer.source_name(machine.source)))


def _host(writer: Writer, machine: Machine, field: str, recorded: str | int | None) -> Markup:
    """A figure of the host as the source prints it; what a run recorded of it where nobody printed it."""
    if not machine.catalogued or recorded is None:
        return writer.given(recorded)
    return writer.fig(host(writer, machine, field), unit=True)


def availability(writer: Writer, machine: Machine) -> Markup:
    """Who offers the accelerator, as the sources say, with the source's date."""
    lines = []
    aliases = {machine.hardware, *(machine.hardware or "").split("-")[:1]}
    for source, cells in writer.site.cells.items():
        day = writer.given(writer.site.sources[source].published)
        lines += [
            Line(
                [
                    Entry(tables.column_name(writer, cell.column)),
                    Entry(tables.certain(writer, writer.name("cell_text", cell.text or "not-available"), cell.certainty)),
                    Entry(day),
                    Entry(tables.place(writer, source, cell.locator)),
                ]
            )
            for cell in cells
            if cell.table == "availability" and cell.row in aliases
        ]
    return tables.table(
        writer, writer.t("system.availability_caption"), tables.heads(writer, "offered_by", "offered", "date", "source"), lines
    )


def systems_page(site: Site, writer: Writer) -> Page:
    """The list of systems."""
    text = writer.text("systems.md")
    lines = []
    for machine in site.machines.values():
        link = Markup('<a href="{}">{}</a>').format(writer.url(f"systems/{machine.id}/"), machine.name)
        runs = site.runs_of(system=machine.id)
        lines.append(
            Line(
                [
                    Entry(link, machine.name),
                    Entry(machine_fact(writer, machine, "accelerator", writer.given(machine.accelerator))),
                    Entry(writer.given(machine.accelerators), machine.accelerators, "number"),
                    Entry(writer.given(machine.provider)),
                    Entry(writer.word("server_kind", machine.server_kind)),
                    Entry(escape(writer.locale.number(len(runs))), len(runs), "number"),
                ]
            )
        )
    columns = tables.heads(writer, "system", "accelerator", "accelerators#", "provider", "server_kind", "runs#")
    listed = tables.table(writer, writer.t("system.list"), columns, lines)
    return writer.prose_page("systems", text, {"list": [listed]})
