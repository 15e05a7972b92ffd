"""The record behind a measured machine's page: the machine itself, warnings, and each run with its
command.
"""

from collections.abc import Sequence

from markupsafe import Markup

from kernels.records import Run, RunWarning, Status
from site_src.pages.components import tables
from site_src.pages.components.site import Machine
from site_src.pages.components.tables import Cells, Entry, Line
from site_src.pages.components.warnings import sentence, slower, worst
from site_src.pages.components.writer import Writer
from site_src.pages.run import environment
from site_src.tables.measured import OPERATIONS
from site_src.tables.recorded import has_warning, setting
from site_src.templates import html


def lead(writer: Writer, runs: Sequence[Run]) -> Markup:
    """Numbers of runs, workloads and runs with warnings, and the dates."""
    workloads = len({run.workload for run in runs})
    said = [
        writer.t(
            "measured.lead",
            n=writer.fig(f"number:{len(runs)}"),
            workloads=writer.fig(f"number:{workloads}"),
        )
    ]
    days = sorted(run.started_at.date() for run in runs if run.started_at is not None)
    if days:
        first, last = (writer.locale.date(day) for day in (days[0], days[-1]))
        said.append(
            writer.t("measured.lead_day", first=first)
            if first == last
            else writer.t("measured.lead_days", first=first, last=last)
        )
    warned = sum(map(has_warning, runs))
    if warned:
        link = html.link("#doubts", writer.fig(f"number:{warned}", link=False))
        said.append(writer.t("measured.lead_doubts", n=link))
    return writer.joined("sentences", *said)


def warnings(writer: Writer, _: Machine, runs: Sequence[Run]) -> list[Markup]:
    """Each kind of warning once, at its worst, with its runs; and runs slower than comparable
    ones.
    """
    found: dict[str, list[tuple[RunWarning, Run]]] = {}
    for run in runs:
        for warning in run.doubts:
            found.setdefault(warning.code, []).append((warning, run))
    told = [
        (sentence(writer, worst(warning for warning, _ in each)), [run for _, run in each])
        for each in found.values()
    ]
    told += [
        (text, [run for run in runs if run.run_id in writer.site.slower])
        for text in slower(writer, runs)
    ]
    told.sort(key=lambda each: len(each[1]), reverse=True)
    lines = [_warning(writer, text, warned) for text, warned in told]
    return [tables.table(writer, writer.t("measured.doubts"), lines, quiet=True)] if lines else []


def _warning(writer: Writer, text: Markup, warned: Sequence[Run]) -> Line:
    links = (writer.run_link(run.run_id, number) for number, run in enumerate(warned, 1))
    inside = html.details(writer.t("runs.count", n=len(warned)), html.spaced(*links))
    return Line({"doubted": text, "runs#": Entry(inside, len(warned))}, head=False)


def machine(writer: Writer, machine: Machine, runs: Sequence[Run]) -> list[Markup]:
    """The machine as its runs recorded it, with a link to its page as a system."""
    rows = environment.of_machine(writer, runs)
    link = html.paragraph(writer.link(f"systems/{machine.id}/", writer.t("measured.as_system")))
    if not rows:
        return [link]
    return [html.details(writer.t("system.unfold_about"), html.meta(rows)), link]


def runs(writer: Writer, _: Machine, found: Sequence[Run]) -> list[Markup]:
    """All runs: conditions, status, suite and size, command."""
    rows = [
        _run(writer, run)
        for run in sorted(found, key=lambda run: (str(run.started_at or ""), run.run_id))
    ]
    label = writer.t("measured.runs", n=len(found))
    return [html.details(label, tables.table(writer, label, rows))]


def _run(writer: Writer, run: Run) -> Cells:
    name = writer.workload_name(run.workload)
    batched = run.global_batch_size is not None and not run.workload.startswith(OPERATIONS)
    about = (
        writer.t("run.batch", batch=run.global_batch_size) if batched else "",
        writer.word("precision", run.precision),
        writer.word("data", run.data),
        writer.given(run.started_at),
    )
    link = html.noted(writer.run_link(run.run_id, name), writer.joined("comma", *about))
    exception = [] if run.status is Status.OK else [writer.badge("status", run.status)]
    badges = html.spaced(*exception, writer.badge("origin", run.origin))
    command = run.environment.command if run.environment else None
    return {
        "workload": Entry(link, name),
        "suite": suite(writer, run),
        "status": Entry(badges, str(run.status)),
        "command": html.code(command) if command else writer.missing("not_stated"),
    }


def suite(writer: Writer, run: Run) -> Markup:
    """A run's suite and its size: a small one is never shown as the full one."""
    named, size = setting(run, "suite"), setting(run, "suite_size")
    if named is None:
        return writer.t("measured.no_suite")
    return html.noted(html.code(named), writer.t(f"suite_size.{size}") if size else "")
