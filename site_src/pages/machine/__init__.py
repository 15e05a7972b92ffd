"""The page of a machine measured with this harness, made from its runs alone; and the list of such
machines.

Anybody's machine has the same page; sections without runs are left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from markupsafe import Markup

from kernels.analysis.repetitions import OWN
from kernels.reading import where
from kernels.records import Run, Workload
from site_src.evidence import Evidence
from site_src.model import Page
from site_src.pages.components import tables
from site_src.pages.components.site import Machine, Site
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import PageError, Writer
from site_src.pages.machine import blocks, curves, record
from site_src.reports import prose
from site_src.tables import measured as tables_measured
from site_src.tables.recorded import system_names
from site_src.templates import html

FOLDER: Final = "measured/"

Block = Callable[[Writer, Machine, Sequence[Run]], Sequence[Markup]]
"""Called with the page's writer, the machine and its runs in force that this harness measured;
returns nothing if there is nothing to show.
"""

BLOCKS: Final[Mapping[str, tuple[Block, ...]]] = {
    "answer": (blocks.answer,),
    "batch": (lambda writer, machine, _: blocks.chart(writer, machine, "batch"),),
    "settings": (blocks.settings,),
    "peak": (lambda writer, machine, _: blocks.chart(writer, machine, "peak"),),
    "convergence": (curves.convergence,),
    "clock": (curves.clock,),
    "telemetry": (curves.telemetry,),
    "published": (blocks.published,),
    "doubts": (record.warnings,),
    "machine": (record.machine,),
    "runs": (record.runs,),
}
"""Blocks of each section of `content/<lang>/measured/machine.md`, after the first part of its
prose.
"""


def own_runs(site: Site, system: str) -> list[Run]:
    """The runs of this harness on a system, without withdrawn ones."""
    return [run for run in site.runs_of(system=system) if run.origin in OWN]


def names(evidence: Evidence) -> Mapping[str, str]:
    """The names of the machines, for the navigation."""
    ids = tables_measured.machines(evidence.archive)
    first = (run for id_ in ids for run in where(evidence.archive.runs, system=id_)[:1])
    found = system_names(first, evidence.catalog)
    return dict(sorted(((id_, found[id_]) for id_ in ids), key=lambda pair: (pair[1], pair[0])))


def own_page(writer: Writer, system: str) -> Page:
    """The page of a system that was measured with this harness."""
    return machine_page(writer, writer.site.machines[system], own_runs(writer.site, system))


def machine_page(writer: Writer, machine: Machine, runs: Sequence[Run]) -> Page:
    """The page of one machine in one language.

    Raises:
        PageError: The text's sections differ from `BLOCKS`.
    """
    text = writer.text("measured/machine.md")
    if list(text.sections) != list(BLOCKS):
        raise PageError(
            f"{text.path}: sections {', '.join(text.sections)}, wanted {', '.join(BLOCKS)}"
        )
    sections = []
    for id_, part in text.sections.items():
        shown = [block for make in BLOCKS[id_] for block in make(writer, machine, runs)]
        if shown:
            first, *rest = (writer.html(piece) for piece in part.parts)
            sections.append({"id": id_, "title": part.title, "blocks": [first, *shown, *rest]})
    lead = html.paragraph(record.lead(writer, runs)) + writer.html(text.lead)
    body = writer.render("plain.html", title=machine.name, lead=lead, sections=sections)
    title, description = (
        writer.plain(f"measured.{key}", name=machine.name) for key in ("title", "description")
    )
    return writer.page("measured", title, description, body)


def measured_page(writer: Writer) -> Page:
    """The list of machines."""
    text = writer.text("measured.md")
    site = writer.site
    rows = [_row(writer, site.machines[id_], own_runs(site, id_)) for id_ in site.measured_with()]
    listed = tables.table(writer, writer.t("measured.list"), rows)
    return writer.prose_page(
        "measured", text, {"list": [listed]}, prose.plain(str(writer.html(text.lead)))
    )


def _row(writer: Writer, machine: Machine, runs: Sequence[Run]) -> Cells:
    days = [run.started_at.date() for run in runs if run.started_at is not None]
    workloads = dict.fromkeys(writer.workload_name(run.workload) for run in runs)
    origins = dict.fromkeys(writer.badge("origin", run.origin) for run in runs)
    return {
        "machine": Entry(writer.link(f"{FOLDER}{machine.id}/", machine.name), machine.name),
        "runs#": tables.count(writer, len(runs)),
        "workloads": writer.joined("comma", *workloads),
        "newest": tables.dated(writer, max(days, default=None)),
        "origin": html.spaced(*origins),
    }


def of_system(writer: Writer, system: str) -> Markup:
    """A link from a system's page to its measurements; empty without any."""
    if not own_runs(writer.site, system):
        return Markup("")
    return html.paragraph(writer.link(f"{FOLDER}{system}/", writer.t("measured.of_system")))


def of_workload(writer: Writer, workload: Workload) -> Markup:
    """Links from a workload's page to the machines on which it was measured; empty without any."""
    found = writer.site.measured_with(workload.workload)
    if not found:
        return Markup("")
    links = [writer.link(f"{FOLDER}{id_}/", writer.system_name(id_)) for id_ in found]
    return html.paragraph(writer.t("measured.of_workload", machines=writer.joined("terms", *links)))
