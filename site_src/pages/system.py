"""The page of a system: its best result, price per hour, runs and properties; and the list of
systems.
"""

from collections.abc import Callable, Collection, Sequence
from operator import attrgetter

from markupsafe import Markup, escape

from kernels.analysis.mlperf_scores import Score
from kernels.records import Hardware, PriceKind, Run
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages import compare
from site_src.pages import machine as measured
from site_src.pages.calculator import table
from site_src.pages.components import (
    conditions,
    limits,
    offers,
    ranks,
    run_list,
    scores,
    tables,
)
from site_src.pages.components.comparison import host, machine_fact
from site_src.pages.components.site import Machine
from site_src.pages.components.tables import Cells, Entry, Line
from site_src.pages.components.writer import Writer, capital
from site_src.tables.prices import cheapest, offered
from site_src.templates import html


def system_page(writer: Writer, machine: Machine) -> Page:
    """The page of one system in one language."""
    runs = writer.site.runs_of(system=machine.id)
    sections = writer.headed("system", _sections(writer, machine, runs))
    body = writer.render(
        "ranking.html",
        title=machine.name,
        lead=what(writer, machine),
        cheapest=None,
        first=[
            block
            for block in (numbers(writer, machine), ranks.picture(writer, machine.id))
            if block
        ],
        sections=sections,
    )
    description = writer.plain("system.description", name=machine.name)
    return writer.page(
        "systems",
        machine.name,
        description,
        body,
        light=True,
        names=filter(None, (machine.instance,)),
        figure=_figure(writer, machine),
        results=len(runs),
    )


def what(writer: Writer, machine: Machine) -> Markup:
    """The system in a line: accelerators, host, provider, as far as known."""
    known = [_accelerators(writer, machine)]
    if machine.cpu_model:
        if machine.cpu_model != machine.accelerator:  # else it is the accelerator already named
            known.append(escape(machine.cpu_model))
    elif machine.cpu_cores:
        known.append(escape(writer.locale.quantity(machine.cpu_cores, "cores", 0)))
    if machine.provider and machine.provider not in machine.name:
        known.append(escape(machine.provider))
    elif machine.server_kind:
        known.append(writer.word("server_kind", machine.server_kind))
    return html.dotted(*known)


def _accelerators(writer: Writer, machine: Machine) -> Markup:
    if not machine.accelerator:
        return Markup("")
    name = named_accelerator(writer, machine)
    count = machine.accelerators
    return html.spaced(f"{writer.locale.number(count)}\u00a0×", name) if count else name


def why(writer: Writer, machine: Machine, runs: Sequence[Run]) -> str:
    """The reason the system is here, or the source of one that is in no catalogue."""
    if machine.reason:
        return writer.t(f"system_reason.{machine.reason}")
    if machine.catalogued:
        return ""
    submitted = next((run.source for run in runs if run.submitter), None)
    if submitted is None:
        return writer.t("system.from_runs")
    return writer.t(
        "system.from_submission", source=writer.source_link(writer.site.sources[submitted])
    )


def _sections(writer: Writer, machine: Machine, runs: Sequence[Run]) -> dict[str, list[Markup]]:
    """The blocks of each section; sections without content are empty. Facts about the accelerator
    alone are on its own page, and repeated for systems of the catalogue.
    """
    site, id_ = writer.site, machine.id
    scored = scores.of(writer, system=id_)
    counted = {run for score in scored for run in score.run_ids}
    others = [run for run in runs if run.run_id not in counted]
    reason = why(writer, machine, runs)
    prices, bills = site.prices_of(system=id_), table.of(writer, system=id_)
    label, priced = writer.t("result.runs"), writer.t("head.prices")
    seen = writer.report_links(site.reports_of(system=id_))
    seen += writer.chart_links(site.charts_of("system", id_))
    return {
        "runs": [
            measured.of_system(writer, id_),
            scores.results(writer, scored, writer.t("system.results")) if scored else Markup(""),
            *(
                [run_list.runs(writer, others, label, by="workload")]
                if others or not scored
                else []
            ),
            run_list.withdrawn(writer, system=id_),
        ],
        "compare": compare.of(writer, id_) if scored or machine.catalogued else [],
        "costs": [table.block(writer, bills, writer.t("cost_table.heading"), converted=False)]
        if bills
        else [],
        "prices": [
            offers.offers(writer, prices, priced, system=False),
            html.paragraph(writer.t("price.note")),
        ]
        if prices
        else [],
        "limits": [limits.limits(writer, machine)],
        "seen_in": [writer.links(seen)] if seen else [],
        "about": [
            limits.unsupported(writer, machine),
            _folded(
                writer,
                "about",
                html.note(reason) if reason else Markup(""),
                about(writer, machine),
                whose_host(writer, machine, runs),
            ),
        ],
        "specifications": [
            _folded(
                writer,
                "specifications",
                *specifications(writer, machine.hardware, machine.accelerator or machine.hardware),
            )
        ]
        if machine.hardware and machine.catalogued
        else [],
        "availability": [_folded(writer, "availability", availability(writer, machine))]
        if machine.hardware and machine.catalogued
        else [],
    }


def _folded(writer: Writer, section: str, *blocks: Markup) -> Markup:
    """Blocks for few readers, folded under the heading of their section."""
    return html.details(writer.t(f"system.unfold_{section}"), Markup("").join(blocks))


def numbers(writer: Writer, machine: Machine) -> Markup:
    """The page's key figures, where known: newest score with its place, price per hour, power of
    its accelerators.
    """
    rows = [
        (writer.t(key), value)
        for key, value in (
            ("system.number_newest", _newest(writer, machine)),
            ("head.per_hour", _hour(writer, machine)),
            ("system.number_power", _power(writer, machine)),
        )
        if value
    ]
    return html.numbers(rows) if rows else Markup("")


def _figure(writer: Writer, machine: Machine) -> Markup:
    newest = _newest_score(writer, machine)
    if newest is None:
        return _hour(writer, machine) or Markup("")
    return writer.colon(writer.workload_name(newest.workload), scores.minutes(writer, newest))


def _newest(writer: Writer, machine: Machine) -> Markup | None:
    newest = _newest_score(writer, machine)
    if newest is None:
        return None
    said = writer.colon(writer.workload_link(newest.workload), scores.minutes(writer, newest))
    return html.noted(said, scores.placed(writer, newest))


def _newest_score(writer: Writer, machine: Machine) -> Score | None:
    return max(scores.newest(writer, machine.id), key=scores.order, default=None)


def _hour(writer: Writer, machine: Machine) -> Markup | None:
    """The lowest hourly price of the whole system with its date; of one accelerator if only that is
    offered.
    """
    site = writer.site
    least = cheapest(
        offered(site.prices_of(system=machine.id)), site.price_warnings, site.prices_read
    )
    if not least:
        each = offers.hour_from(writer, machine.hardware) if machine.hardware else None
        return html.noted(each, writer.t("system.hour_each")) if each else None
    price = max(least, key=lambda one: (one.currency == "USD", one.price_id))
    amount = offers.rounded(writer, f"price:{price.price_id}:per_hour")
    if price.valid_from is None:
        return html.noted(amount, writer.t("price_remark.undated"))
    return writer.t("prices.from", amount=amount, day=price.valid_from)


def _power(writer: Writer, machine: Machine) -> Markup | None:
    each = f"spec:{machine.hardware}:power"
    if machine.accelerators is None or not machine.hardware or not writer.known(each):
        return None
    return writer.fig(f"product(number:{machine.accelerators}, {each})", unit=True)


def specifications(writer: Writer, hardware: str, name: str) -> list[Markup]:
    """The specifications of an accelerator, and which accelerator they describe."""
    label = writer.t("system.specifications_of", name=name)
    known = writer.site.catalog.hardware.get(hardware)
    notes = ("per_piece", "per_gpu") if known and known.per == "gpu" else ("per_piece",)
    note = writer.joined("sentences", *(writer.t(f"system.{key}") for key in notes))
    specs = writer.site.specs.get(hardware, ())
    return [tables.specifications(writer, specs, label), html.paragraph(note)]


def about(writer: Writer, machine: Machine) -> Markup:
    """The known facts of the system; unknown ones have no row."""
    hardware = writer.site.catalog.hardware.get(machine.hardware or "")
    rows = {
        "accelerator": named_accelerator(writer, machine),
        **(
            {"written_as": written_as(writer, hardware)}
            if hardware and hardware.aliases and machine.catalogued
            else {}
        ),
        "accelerators": writer.given(machine.accelerators),
        **_nodes(writer, machine),
        **_memory(writer, machine),
        **(hardware_facts(writer, hardware) if hardware else {}),
        "server_kind": writer.word("server_kind", machine.server_kind),
        "provider": writer.given(machine.provider),
        "instance": writer.given(machine.instance),
        "region": writer.named_or_missing("region", machine.region),
        "cpu_model": writer.given(machine.cpu_model),
        "cpu_cores": writer.given(machine.cpu_cores),
        **_host(writer, machine),
        "os": writer.given(machine.os),
    }
    if machine.virtualised is not None:
        rows["virtualised"] = writer.yes_no(machine.virtualised)
    unstated = (writer.missing("not_stated"), writer.t("not_stated"))
    rows = {name: value for name, value in rows.items() if value not in unstated}
    if machine.source and machine.locator:
        rows["source"] = tables.place(writer, machine.source, machine.locator)
    marked = {name: machine_fact(writer, machine, name, value) for name, value in rows.items()}
    return html.meta(writer.gathered(writer.fields(marked)))


def named_accelerator(writer: Writer, machine: Machine) -> Markup:
    """A machine's accelerator, linked to its page if it has one."""
    name = writer.given(machine.accelerator)
    return writer.link(f"accelerators/{machine.hardware}/", name) if machine.hardware else name


def hardware_facts(writer: Writer, hardware: Hardware) -> dict[str, Markup]:
    """Vendor, kind and architecture of an accelerator."""
    return {
        "vendor": escape(hardware.vendor),
        "kind": writer.t(f"hardware_kind.{hardware.kind}"),
        "architecture": writer.given(hardware.architecture),
    }


def written_as(writer: Writer, hardware: Hardware) -> Markup:
    """Other names of an accelerator, as submissions, logs and drivers write them."""
    return writer.joined("terms", *hardware.aliases)


def _nodes(writer: Writer, machine: Machine) -> dict[str, Markup]:
    """The number of nodes of a system if there are several: facts about the host hold for each."""
    known = writer.site.catalog.systems.get(machine.id)
    if known is None or known.nodes == 1:
        return {}
    nodes = writer.fig(f"system:{machine.id}:nodes")
    return {"nodes": writer.t("system.nodes_each", n=nodes)}


def _memory(writer: Writer, machine: Machine) -> dict[str, Markup]:
    each = f"spec:{machine.hardware}:memory"
    if machine.accelerators is None or not writer.known(each):
        return {}
    count = f"system:{machine.id}:accelerators"
    if not machine.catalogued:
        count = f"number:{machine.accelerators}"
    shown = writer.fig(each, unit=True)
    if spec := writer.site.catalog.spec(machine.hardware or "", "memory"):
        shown = writer.certain(shown, spec.certainty)
        if spec.source != machine.source:
            shown = html.noted(shown, tables.place(writer, spec.source, spec.locator))
    total = writer.fig(f"product({count}, {each})", unit=True)
    return {"memory_each": shown, "memory_total": total}


def whose_host(writer: Writer, machine: Machine, runs: Sequence[Run]) -> Markup:
    """The source of the facts about the host, if others ran the same accelerators, maybe with
    another host.
    """
    if (
        not machine.catalogued
        or machine.source is None
        or all(run.source == machine.source for run in runs)
    ):
        return Markup("")
    return html.paragraph(writer.t("system.host_of", source=writer.source_name(machine.source)))


def _host(writer: Writer, machine: Machine) -> dict[str, Markup]:
    """Figures of the host as its source prints them, else as a run recorded them."""
    memory = machine.memory_bytes
    recorded = {
        "cpu_hz": writer.quantity(machine.cpu_hz, "Hz"),
        "memory_bytes": writer.locale.bytes_(memory) if memory else memory,
    }
    return {
        name: writer.given(value)
        if value is None or not machine.catalogued
        else writer.fig(host(writer, machine, name), unit=True)
        for name, value in recorded.items()
    }


def availability(writer: Writer, machine: Machine) -> Markup:
    """Providers of the accelerator: as dated sources say, and by recorded offers."""
    rows = _offered(writer, machine)
    aliases = {machine.hardware, *(machine.hardware or "").split("-")[:1]}
    for source, cells in writer.site.cells.items():
        day = writer.published(writer.site.sources[source])
        rows += [
            {
                "provider": tables.column_name(writer, cell.column),
                "offered": writer.certain(
                    writer.name("cell_text", cell.text or "not-available"),
                    cell.certainty,
                ),
                "date": day,
                "source": tables.place(writer, source, cell.locator),
            }
            for cell in cells
            if cell.table == "availability" and cell.row in aliases
        ]
    return tables.table(writer, writer.t("system.availability_caption"), rows)


def _offered(writer: Writer, machine: Machine) -> list[Cells]:
    """A row for each provider with a recorded offer of the accelerator and each source, with the
    date of the offer, else of the source.
    """
    found = {
        (price.provider, price.source): price
        for price in writer.site.prices.values()
        if (system := writer.site.machines.get(price.system))
        and system.hardware == machine.hardware
        and price.kind is not PriceKind.OWNED
    }
    sources = writer.site.sources
    return [
        {
            "provider": price.provider,
            "offered": writer.link(f"systems/{price.system}/#prices", writer.t("system.offered")),
            "date": tables.dated(
                writer,
                price.valid_from
                or (sources[price.source].updated if price.source in sources else None),
            ),
            "source": tables.place(writer, price.source, price.locator),
        }
        for price in found.values()
    ]


def systems_page(writer: Writer) -> Page:
    """The list of systems, a fold for each accelerator, those with most systems first."""
    label, groups = writer.t("system.list"), dict[str, list[Machine]]()
    for machine in writer.site.machines.values():
        groups.setdefault(machine.accelerator or "", []).append(machine)
    blocks = [_filters(writer)]
    for name, found in sorted(groups.items(), key=lambda one: (-len(one[1]), one[0])):
        found.sort(key=lambda one: (one.accelerators or 0, one.name, one.id))
        count = writer.paren(writer.given(name), writer.locale.number(len(found)))
        known = [name for name in ("provider", "server_kind") if any(map(attrgetter(name), found))]
        lines = [_listed(writer, one, known) for one in found]
        blocks.append(
            html.filtered(html.folded(count, tables.table(writer, label, lines, quiet=True)))
        )
    shown = {"list": blocks, "names": [names(writer)]}
    return writer.prose_page("systems", writer.text("systems.md"), shown)


def _listed(writer: Writer, machine: Machine, known: Collection[str]) -> Line:
    """A row of its accelerator's table."""
    stated = {
        "provider": writer.given(machine.provider),
        "server_kind": writer.word("server_kind", machine.server_kind),
    }
    cells: Cells = {
        "system": Entry(writer.link(f"systems/{machine.id}/", machine.name), machine.name),
        "accelerators#": Entry(writer.given(machine.accelerators), machine.accelerators),
        "runs#": tables.count(writer, len(writer.site.runs_of(system=machine.id))),
        **{name: stated[name] for name in known},
    }
    return Line(cells, data=_filtered_by(writer, machine))


def _filtered_by(writer: Writer, machine: Machine) -> dict[str, str]:
    hardware = writer.site.catalog.hardware.get(machine.hardware or "")
    number, server = machine.accelerators, machine.server_kind
    found = {"vendor": hardware and hardware.vendor, "chips": number, "server": server}
    return {name: str(value) for name, value in found.items() if value}


def _filters(writer: Writer) -> Markup:
    """The form that filters systems by maker and number of accelerators and kind of server."""
    found = [_filtered_by(writer, machine) for machine in writer.site.machines.values()]
    asked: dict[str, tuple[Markup, Callable[[str], str]]] = {
        "vendor": (writer.t("field.vendor"), str),
        "chips": (
            tables.heading(writer, "accelerators"),
            lambda one: writer.locale.number(int(one)),
        ),
        "server": (writer.t("filter.server"), lambda one: writer.word("server_kind", one)),
    }
    fields = [
        (
            name,
            capital(heading),
            [(one, told(one)) for one in sorted(values, key=conditions.natural)],
        )
        for name, (heading, told) in asked.items()
        if (values := {each[name] for each in found if name in each})
    ]
    return conditions.form(writer, fields, "system.list", "control.reset")


def names(writer: Writer) -> Markup:
    """Each accelerator of the catalogue with its other names, which importers accept."""
    rows: list[Cells] = [
        {
            "accelerator": Entry(unbroken(each.name), each.name),
            "written_as": written_as(writer, each),
        }
        for each in writer.site.catalog.hardware.values()
        if each.aliases
    ]
    return tables.table(writer, writer.t("system.names_caption"), rows, folding=True)
