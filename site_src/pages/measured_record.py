"""What stands behind the page of a measured machine: the machine itself, doubts with advice, and each run with the command that made it."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from kernels.records import Doubt, Run
from kernels.setups import PREFIX, parts
from site_src.pages import run as of_run
from site_src.pages import run_environment
from site_src.pages.measured_blocks import folded
from site_src.pages.site import Machine
from site_src.pages.tables import Entry, Line, heads, noted
from site_src.pages.tables import table as html_table
from site_src.pages.writer import Writer
from site_src.tables_measured import OPERATIONS


def lead(writer: Writer, runs: Sequence[Run]) -> Markup:
    """How many runs of how many workloads there are, from when, and how many of them are doubted."""
    days = sorted(run.started_at.date() for run in runs if run.started_at is not None)
    workloads = len({run.workload for run in runs})
    counts = {"n": len(runs), "shown": writer.fig(f"number:{len(runs)}"), "workloads": writer.fig(f"number:{workloads}")}
    said = [writer.t("measured.lead", **counts)]
    if days:
        ends = [writer.locale.date(day) for day in (days[0], days[-1])]
        one_day = writer.t("measured.lead_day", n=len(runs), first=ends[0])
        said.append(one_day if ends[0] == ends[1] else writer.t("measured.lead_days", first=ends[0], last=ends[1]))
    doubted = sum(bool(run.doubts) for run in runs)
    if doubted:
        alone = len(runs) == 1
        link = Markup('<a href="#doubts">{}</a>').format(
            writer.t("measured.lead_doubt_alone") if alone else writer.fig(f"number:{doubted}", link=False)
        )
        said.append(link if alone else writer.t("measured.lead_doubts", n=doubted, shown=link))
    return writer.joined("sentences", said)


def doubts(writer: Writer, _: Machine, runs: Sequence[Run]) -> list[Markup]:
    """Each kind of doubt once, at its worst, with advice and the runs that have it."""
    found: dict[str, list[tuple[Doubt, Run]]] = {}
    for run in runs:
        for each in run.doubts:
            found.setdefault(each.code, []).append((each, run))
    lines = []
    for code in sorted(found, key=lambda code: -len(found[code])):
        worst = max(found[code], key=lambda pair: pair[0].value or 0.0)[0]
        if code == "few_steps":
            worst = min(found[code], key=lambda pair: pair[0].value or 0.0)[0]
        links = Markup(" ").join(
            Markup('<a href="{}">{}</a>').format(writer.url(f"runs/{run.run_id}/"), number)
            for number, (_, run) in enumerate(found[code], 1)
        )
        inside = folded(writer.t("runs.count", n=len(found[code])), links)
        lines.append(Line([Entry(of_run.doubt(writer, worst)), Entry(inside, len(found[code]), "number")], head=False))
    return [html_table(writer, writer.t("measured.doubts"), heads(writer, "doubt_worst", "runs#"), lines, quiet=True)] if lines else []


def machine(writer: Writer, machine: Machine, runs: Sequence[Run]) -> list[Markup]:
    """The machine as its newest run found it, and its page as a system."""
    newest = max(runs, key=lambda run: (str(run.started_at or ""), run.run_id))
    rows = [(name, value) for name, value in run_environment.environment(writer, newest)]
    link = Markup('<p><a href="{}">{}</a></p>').format(writer.url(f"systems/{machine.id}/"), writer.t("measured.as_system"))
    return [writer.meta(rows), link] if rows else [link]


def runs(writer: Writer, _: Machine, found: Sequence[Run]) -> list[Markup]:
    """Every run: what was trained how, how it ended, the suite and its size, and the command."""
    lines = [_run(writer, run) for run in sorted(found, key=lambda run: (str(run.started_at or ""), run.run_id))]
    columns = heads(writer, "workload", "suite", "status", "command")
    table = html_table(writer, writer.t("measured.runs"), columns, lines)
    return [folded(writer.t("measured.show_runs", n=len(found)), table)]


def _run(writer: Writer, run: Run) -> Line:
    name = writer.workload_name(run.workload)
    link = Markup('<a href="{}">{}</a>').format(writer.url(f"runs/{run.run_id}/"), name)
    batched = run.global_batch_size is not None and not run.workload.startswith(OPERATIONS)
    told = [writer.t("run.batch", batch=run.global_batch_size)] if batched else []
    about = writer.joined(
        "comma", (*told, writer.word("precision", run.precision), writer.word("data", run.data), writer.given(run.started_at))
    )
    command = run.environment.command if run.environment else None
    return Line(
        [
            Entry(noted(link, about), name),
            Entry(suite(writer, run)),
            Entry(Markup(" ").join((writer.badge("status", run.status), writer.badge("origin", run.origin))), str(run.status)),
            Entry(Markup("<code>{}</code>").format(command) if command else writer.missing("not_stated")),
        ]
    )


def suite(writer: Writer, run: Run) -> Markup:
    """The suite that a run was part of, and its size: a small one is never shown as the full one."""
    named = next((setting.value for setting in run.settings if setting.name == "suite"), None)
    size = parts(run).get(f"{PREFIX}suite_size")
    if named is None:
        return writer.t("measured.no_suite")
    return noted(Markup("<code>{}</code>").format(named), writer.t(f"suite_size.{size}") if size else "") if named else escape("")
