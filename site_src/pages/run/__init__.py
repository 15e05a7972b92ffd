"""The page of one run: all that is recorded of it, on a small page, with a picture of its curve or
its steps.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from markupsafe import Markup, escape

from kernels.analysis.repetitions import OWN
from kernels.reading import where
from kernels.records import Origin, Run, Status
from site_src.minify import slim
from site_src.model import Page
from site_src.pages.components import limits, run_details, tables, warnings
from site_src.pages.components.writer import Writer, capital
from site_src.pages.run import (
    configuration,
    environment,
    figures,
    picture,
    telemetry,
    timeline,
)
from site_src.templates import html

MOST_BODY: Final = 6_700
"""Target for the bytes of a page's body: ten kilobytes with the page around it."""

LEAST_ROOM: Final = 1_400
"""Bytes to leave for the picture of an own run's sensors; if there are fewer, some settings are not
shown.
"""

OF_A_CARD: Final = 2_500
"""Additional bytes for an own run on a card, which has power, clocks, temperature and memory to
show.
"""


_PHASES: Final = (
    "import",
    "build",
    "train",
    "forward",
    "backward",
    "optimizer",
    "evaluation",
    "unknown",
)
"""Phases in which a run of this harness ran out of memory; older runs say `train` for a step."""


def run_page(writer: Writer, run: Run) -> Page:
    """The page of one run in one language."""
    writer.of = f"run:{run.run_id}:"
    described = values(writer, run)
    body, room = _made(writer, described, run)
    if room < (LEAST_ROOM if run.telemetry else 0):
        described["configuration"] = configuration.rows(writer, run, brief=True)
        described["environment"] = environment.brief(writer, run, least=True)
        body, room = _made(writer, described, run)
    if run.telemetry:
        body = writer.render("run.html", telemetry=sensors(writer, run, room), **described)
    title = str(writer.t("run.title", **_names(writer, run)))
    label, status = writer.run_label(run, system=False), writer.word("status", run.status)
    description = writer.plain("run.description", label=label, status=status)
    updated = run.started_at.date() if run.started_at else None
    return writer.page("results", title, description, body, light=True, updated=updated)


def sensors(writer: Writer, run: Run, room: int) -> Markup:
    """Sensor readings during the run, in at most `room` bytes; empty without any."""
    if not run.telemetry:
        return Markup("")
    if timeline.has(run):
        return timeline.block(writer, run, room)
    return telemetry.block(writer, run, room)


def _names(writer: Writer, run: Run) -> dict[str, str]:
    return {
        "workload": writer.workload_name(run.workload),
        "system": writer.system_name(run.system),
    }


def values(writer: Writer, run: Run) -> dict[str, object]:
    """Values of the template, except the telemetry."""
    return about(writer, run) | {
        "configuration": configuration.rows(writer, run),
        "metrics": "" if telemetry.is_alone(run) else figures.metrics(writer, run),
        "picture": pictured(writer, run),
        "software": software(writer, run),
        "environment": environment.brief(writer, run),
        "caveats": caveats(writer, run),
        "doubts": warnings.sentences(writer, run),
        "charts": charts(writer, run),
    }


def pictured(writer: Writer, run: Run) -> picture.Picture | None:
    """The picture of a run; None where the picture of its sensors shows the same."""
    return None if timeline.has(run) else picture.drawn(writer, run)


def about(writer: Writer, run: Run) -> dict[str, object]:
    """Metadata of a run, which the page of a result takes from one of its runs."""
    own = run.origin in OWN
    code, licence = writer.locale.code, writer.name("licence", run.licence)
    return {
        "linked": writer.t("run.title", **linked(writer, run)),
        "run": run,
        "label": conditions_line(writer, run) if own else writer.run_label(run, system=False),
        "detail": detail(writer, run),
        "metrics_heading": figures.heading(writer, run),
        "unrecorded": environment.unrecorded(writer, run),
        "terms": writer.t("run.terms", credit=writer.run_credit(run), licence=licence),
        # the credit of an own run names its source
        "source": writer.locator(run.locator)
        if run.origin is Origin.MEASURED
        else tables.place(writer, run.source, run.locator),
        "several": False,
        "report": writer.site.options.report_url(code, f"{code} {run.run_id}", brief=True),
    }


def caveats(writer: Writer, run: Run) -> list[Markup]:
    """Remarks on a run."""
    return [
        *(writer.t(f"caveat.{key}") for key in run.caveats),
        *limits.of_run(writer, run),
        *_too_large(writer, run),
    ]


def _too_large(writer: Writer, run: Run) -> Iterator[Markup]:
    """The reason for the batch size, if the run at the next larger one ran out of memory."""

    def terms(one: Run) -> tuple[object, ...]:
        return one.framework, one.precision, one.data, one.accelerators

    of = {"system": run.system, "workload": run.workload, "source": run.source}
    if not where(writer.site.archive.runs, status=Status.OOM, **of):
        return
    larger = [
        (other.global_batch_size or 0, other.run_id)
        for other in writer.site.runs_of(**of)
        if terms(other) == terms(run)
        and (other.global_batch_size or 0) > (run.global_batch_size or math.inf)
    ]
    if run.status is Status.OK and larger:
        after = writer.site.runs[min(larger)[1]]
        if after.status is Status.OOM:
            label = writer.run_label(after, system=False)
            link = writer.run_link(after.run_id, label)
            yield writer.colon(capital(writer.word("status", after.status)), link)


def charts(writer: Writer, run: Run) -> list[tuple[str, str]]:
    """The charts that show the run, with workload and publisher only where needed to distinguish
    them; several of its machine become one link.
    """
    page, drawn = f"measured/{run.system}/", writer.site.figures
    shown = writer.site.charts_of("run_id", run.run_id)
    others = [id_ for id_ in shown if drawn[id_].page != page]
    several = len(shown) - len(others) > 1
    shown = others if several else shown
    titles = [drawn[id_].title(writer.locale) for id_ in shown]
    found = [
        (href, title if titles.count(title) == 1 else heading)
        for (href, heading), title in zip(writer.chart_links(shown), titles, strict=True)
    ]
    if several:
        found.append((writer.url(page), str(writer.t("run.charts_of_machine"))))
    return found


def _made(writer: Writer, values: Mapping[str, object], run: Run) -> tuple[Markup, int]:
    """The body without sensors, and the bytes left for them."""
    body = writer.render("run.html", telemetry="", **values)
    card = run.environment is not None and run.environment.accelerator_name is not None
    most = MOST_BODY + (OF_A_CARD if card and timeline.has(run) else 0)
    return body, most - len(slim(str(body)).encode())


def detail(writer: Writer, run: Run) -> Markup:
    """Why a run ended as it did; empty for an own run that missed its target, as its badge and
    figures say so.
    """
    missed = run.origin in OWN and run.status is Status.NOT_CONVERGED
    if not run.status_detail or missed:
        return Markup("")
    short = re.fullmatch(
        rf"phase ({'|'.join(_PHASES)})(?:, (\d{{1,18}}) bytes requested)?", run.status_detail
    )
    if short is None:
        return writer.name("status_detail", run.status_detail)
    part = writer.t(f"oom_part.{short[1]}")
    if not short[2]:
        return writer.t("run.oom", part=part)
    return writer.t("run.oom_size", part=part, size=writer.locale.bytes_(float(short[2])))


def linked(writer: Writer, run: Run) -> dict[str, Markup]:
    """Workload and system, linked to their pages."""
    known = run.workload in writer.site.catalog.workloads
    return {
        "workload": writer.workload_link(run.workload)
        if known
        else escape(writer.workload_name(run.workload)),
        "system": writer.system_link(run.system),
    }


def conditions_line(writer: Writer, run: Run) -> Markup:
    """The conditions below the title of an own run's page."""
    return html.dotted(
        run_details.framework(writer, run),
        run_details.precision(writer, run),
        writer.word("data", run.data),
        writer.augmented(run),
        writer.batch(run),
    )


def software(writer: Writer, run: Run) -> list[tuple[Markup, Markup]]:
    """Software with versions and their certainty."""
    if run.origin in OWN and len(run.software) == 1:
        return []  # only the framework, which the configuration names with its version
    return [
        (
            writer.name("framework", piece.name),
            writer.certain(piece.version, piece.certainty)
            if piece.version
            else writer.missing("not_stated"),
        )
        for piece in run.software
    ]
