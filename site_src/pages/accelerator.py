"""The page of an accelerator: its best results by number of accelerators, throughput of one,
systems that have it, and price per hour; and the list of accelerators.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from markupsafe import Markup, escape

from kernels.analysis.mlperf_scores import Outcome, Score
from kernels.analysis.repetitions import OWN
from kernels.reading import where
from kernels.records import Hardware, PriceKind
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages import compare
from site_src.pages import machine as measured
from site_src.pages.components import limits, offers, run_list, tables
from site_src.pages.components import scores as mlperf
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer, capital
from site_src.pages.prices import kinds
from site_src.pages.system import hardware_facts, specifications, written_as
from site_src.tables import has_speed
from site_src.templates import html

FEW: Final = 5
"""Runs that are visible at once; more are folded away."""


def accelerator_page(writer: Writer, hardware: Hardware) -> Page:
    """The page of one accelerator in one language."""
    site, name = writer.site, unbroken(hardware.name)
    limited = limits.limits(writer, hardware)
    best, systems = best_scores(site.scores_on(hardware.hardware)), _systems(writer, hardware)
    prices = [
        price
        for id_ in site.systems_of(hardware.hardware)
        for price in site.prices_of(system=id_)
        if price.kind is not PriceKind.OWNED
    ]
    sections: dict[str, list[Markup]] = {
        "by_number": [scores(writer, best)] if best else [],
        "compare": compare.of(writer, hardware.hardware),
        "throughput": throughput(writer, hardware),
        "about": [about(writer, hardware, limited=bool(limited))],
        "specifications": specifications(writer, hardware.hardware, name),
        "limits": [limited] if limited else [],
        "prices": [
            *history(writer, hardware),
            *([offers.offers(writer, prices, writer.t("head.prices"))] if prices else []),
        ],
        "carried_by": [
            tables.table(writer, writer.t("system.carried_by", name=name), systems, folding=True),
            *_all(writer, hardware),
        ],
    }
    figures = _figures(writer, hardware)
    body = writer.sections("system", sections, name, _lead(writer, hardware, figures))
    description = writer.plain("system.accelerator_description", name=name)
    return writer.page(
        "accelerators",
        name,
        description,
        body,
        names=hardware.aliases,
        figure=writer.joined("comma", *figures),
        results=sum(site.systems_of(hardware.hardware).values()),
    )


def _lead(writer: Writer, hardware: Hardware, figures: Sequence[Markup]) -> Markup:
    known = [writer.t(f"hardware_kind.{hardware.kind}")]
    if hardware.architecture:
        known.append(escape(hardware.architecture))
    return capital(writer.joined("comma", *known, *figures))


def _figures(writer: Writer, hardware: Hardware) -> list[Markup]:
    memory = f"spec:{hardware.hardware}:memory"
    shown = [writer.fig(memory, unit=True)] if writer.known(memory) else []
    hour = offers.hour_from(writer, hardware.hardware)
    return [*shown, hour] if hour else shown


def best_scores(found: Sequence[Score]) -> list[Score]:
    """The best score of each workload and number of accelerators in the newest round that has one;
    workloads by id, small numbers first.
    """
    scored = [one for one in found if one.verdict is Outcome.SCORED and one.accelerators]
    scored.sort(
        key=lambda one: (
            [-part for part in mlperf.order(one)],
            one.score_minutes or 0.0,
            one.run_ids,
        )
    )
    best: dict[tuple[str, int], Score] = {}
    for one in scored:
        best.setdefault((one.workload, one.accelerators or 0), one)
    return [best[key] for key in sorted(best)]


def _all(writer: Writer, hardware: Hardware) -> list[Markup]:
    """A link to all results, as on the pages of systems."""
    if not sum(writer.site.systems_of(hardware.hardware).values()):
        return []
    way = f"explore/?accelerator={hardware.hardware}"
    return [html.paragraph(writer.link(way, writer.t("explore.title")))]


def scores(writer: Writer, best: Sequence[Score]) -> Markup:
    """Scores by number of accelerators with their round and system; if many, those with the
    smallest number, and all folded away.
    """
    label, shown, more = writer.t("system.by_number"), [*best], Markup("")
    if len(best) > tables.LONG:
        shown = [next(group) for _, group in groupby(best, key=lambda one: one.workload)]
        listed = tables.table(writer, label, _scored(writer, best), quiet=True)
        more = html.folded(tables.counted(writer, "table", len(best), "rows"), listed)
    rule = writer.link("method/#mlperf", writer.t("score.rule"))
    note = writer.joined(
        "sentences", writer.t("system.rounds_differ"), writer.t("score.note"), rule
    )
    return tables.table(writer, label, _scored(writer, shown)) + more + html.note(note)


def _scored(writer: Writer, found: Sequence[Score]) -> list[Cells]:
    return [
        {
            "workload": Entry(writer.workload_link(one.workload), one.workload),
            "accelerators#": tables.count(writer, one.accelerators or 0),
            "score#": tables.figure(writer, f"score:{one.run_ids[0]}:minutes"),
            "round": writer.given(one.round),
            "system": Entry(
                writer.run_link(one.run_ids[0], writer.system_name(one.system)), one.system
            ),
        }
        for one in found
    ]


def throughput(writer: Writer, hardware: Hardware) -> list[Markup]:
    """Results on one accelerator that state a throughput, the share of peak that our own reached,
    and links to all its measurements and those of all cards; empty without any. Runs of our harness
    on a processor are on the machine's page only.
    """
    found = [
        run
        for run in where(writer.site.archive.runs, accelerator=hardware.hardware)
        if run.round is None
        and run.accelerators == 1
        and run.withdrawn is None
        and has_speed(run)
        and (run.origin not in OWN or hardware.kind != "cpu")
    ]
    if not found:
        return []
    own = dict.fromkeys(run.system for run in found if run.origin in OWN)
    peaks = [id_ for system in own if (id_ := f"{system}-peak") in writer.site.figures]
    label = writer.t("result.runs")
    listed = run_list.runs(writer, found, label, by="workload", folding=False)
    return [
        *map(writer.chart, peaks),
        html.folded(label, listed) if len(found) > FEW else listed,
        *(measured.of_system(writer, system) for system in own),
        html.paragraph(writer.link("throughput/", writer.t("system.every_card"))),
    ]


def history(writer: Writer, hardware: Hardware) -> list[Markup]:
    """The price history of an hour, and a link to its offers, or to those of a kind with no form
    named.
    """
    site = writer.site
    found = [kind for kind in kinds(site) if site.catalog.covers(kind, hardware.hardware)]
    drawn = [id_ for kind in found if (id_ := f"{kind}-price-history") in site.figures]
    ways = [
        (
            writer.url(f"prices/{kind}/"),
            writer.t("prices.kind_title", name=unbroken(site.catalog.hardware[kind].name)),
        )
        for kind in found
    ]
    return [*map(writer.chart, drawn[:1]), *([writer.links(ways)] if ways else [])]


def about(writer: Writer, hardware: Hardware, *, limited: bool) -> Markup:
    """Its maker, kind, names, and a note if its limits are unknown."""
    rows = hardware_facts(writer, hardware)
    if hardware.aliases:
        rows["written_as"] = written_as(writer, hardware)
    told = writer.fields(rows)
    if not limited:
        told.append((writer.t("system.heading_limits"), writer.missing("not_stated")))
    return html.meta(writer.gathered(told))


def _systems(writer: Writer, hardware: Hardware) -> list[Cells]:
    found = writer.site.systems_of(hardware.hardware)
    machines = [writer.site.machines[id_] for id_ in found]
    machines.sort(key=lambda one: (one.accelerators or 0, one.name, one.id))
    return [
        {
            "system": Entry(writer.link(f"systems/{one.id}/", one.name), one.name),
            "accelerators#": Entry(writer.given(one.accelerators), one.accelerators),
            "results#": tables.count(writer, found[one.id]),
        }
        for one in machines
    ]


def accelerators_page(writer: Writer) -> Page:
    """The list of accelerators, those with the most results first."""
    counted = {id_: writer.site.systems_of(id_) for id_ in writer.site.catalog.hardware}
    order = sorted(counted, key=lambda id_: (-sum(counted[id_].values()), id_))
    rows: list[Cells] = []
    for id_ in order:
        hardware, memory = writer.site.catalog.hardware[id_], f"spec:{id_}:memory"
        name = unbroken(hardware.name)
        rows.append(
            {
                "accelerator": Entry(writer.link(f"accelerators/{id_}/", name), name),
                **hardware_facts(writer, hardware),
                "memory_each#": tables.figure(writer, memory)
                if writer.known(memory)
                else Entry(writer.t("not_stated")),
                "systems#": tables.count(writer, len(counted[id_])),
                "results#": tables.count(writer, sum(counted[id_].values())),
            }
        )
    headings = {
        name: capital(writer.t(f"field.{name.removesuffix('#')}"))
        for name in ("vendor", "architecture", "memory_each#")
    }
    listed = tables.table(writer, writer.t("system.accelerators"), rows, headings)
    return writer.prose_page("accelerators", writer.text("accelerators.md"), {"list": [listed]})
