"""The page of a workload: its ranking chart, fastest and cheapest results, all results, then what
it is, its data, and what was left out and why; and the list of workloads.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from kernels.analysis import variation
from kernels.analysis.mlperf_scores import Outcome, Score
from kernels.catalog.price_warnings import Reason
from kernels.records import PrintedCell, Run, Workload
from site_src import links
from site_src.costs import cases, words
from site_src.costs.bills import Bill
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages import compare, home, machine, workload_lists
from site_src.pages.calculator import table as cost_table
from site_src.pages.components import run_details, run_list, scores, tables
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import PageError, Writer
from site_src.pages.machine import curves
from site_src.pages.report.source_tables import source_table
from site_src.reports.prose import Prose, brief, plain
from site_src.tables import printed, series_label
from site_src.tables.stability import Label, Stability
from site_src.templates import html


def workload_page(writer: Writer, workload: Workload) -> Page:
    """The page of one workload in one language.

    Raises:
        PageError: There is no text in this language on why it is here.
    """
    text = writer.text(f"workloads/{workload.workload}.md")
    why = text.sections.get("why")
    if why is None or not why.parts[0]:
        raise PageError(
            f"{text.path}: no section 'why' (## ... {{#why}}), wanted the reason for this workload"
        )
    name, runs = workload.workload, writer.site.runs_of(workload=workload.workload)
    lead = first_chart(writer, workload)
    extra: dict[str, list[Markup]] = {
        "runs": [
            *fastest(writer, workload),
            machine.of_workload(writer, workload),
            *curves.of_workload(writer, name),
            *all_results(writer, workload, runs),
            run_list.withdrawn(writer, workload=name),
        ],
        "charts": charts(writer, workload, shown=lead),
        "why": [],
        "data": [card(writer, workload), blocks(writer, workload), dataset(writer, workload)],
        "variants": [variants(writer, workload)],
        "reports": [writer.links(writer.report_links(writer.site.reports_of(workload=name)))],
    }
    if unknown := set(text.sections) - set(extra):
        raise PageError(
            f"{text.path}: sections {', '.join(sorted(unknown))} have no place on a workload's "
            f"page; wanted {', '.join(extra)}"
        )
    first = [writer.chart(id_, 2) for id_ in lead]
    sections = {id_: _section(writer, text, id_, found) for id_, found in extra.items()}
    costed = {
        "id": "costs",
        "title": writer.t("cost_table.heading"),
        "blocks": [costs(writer, workload)],
    }
    shown = [sections.pop("runs"), costed, *sections.values()]
    body = writer.render(
        "ranking.html",
        title=text.title,
        lead=writer.html(text.lead),
        cheapest=cheapest_first(writer, workload),
        first=first,
        sections=shown,
    )
    description = brief(plain(str(writer.html(why.parts[0]))))
    task = f"workload_task.{workload.task}"
    return writer.page(
        "workloads",
        text.title,
        description,
        body,
        names=(workload.name, writer.plain(task), *writer.searched(f"task.{workload.task}")),
        figure=_figure(writer, workload),
        results=len(runs),
    )


def _section(writer: Writer, text: Prose, id_: str, found: Sequence[Markup]) -> dict[str, object]:
    """A section of the page: figures first where it ranks, prose first elsewhere."""
    part = text.sections[id_]
    first, *rest = (writer.html(writer.recorded(piece)) for piece in part.parts)
    blocks = [*found, first, *rest] if id_ == "runs" else [first, *found, *rest]
    return {"id": id_, "title": part.title, "blocks": blocks}


def first_chart(writer: Writer, workload: Workload) -> list[str]:
    """The chart that ranks: cost against time, else throughput, else the first of this page; empty
    without charts.
    """
    figures, id_ = writer.site.figures, workload.workload
    own = [
        one for one in writer.site.charts_of("workload", id_) if figures[one].page == writer.path
    ]
    ranking = (f"{id_}-costs", f"{id_}-throughput", *own)
    return [one for one in ranking if one in figures][:1]


def cheapest_first(writer: Writer, workload: Workload) -> dict[str, object] | None:
    """The cheapest setup with its time and the date of its price; None without costs."""
    chart = f"{workload.workload}-costs"
    found = home.leaders(writer, chart) if chart in writer.site.figures else ()
    return (
        {"workload": writer.workload_name(workload.workload), **home.leader(writer, found[0])}
        if found
        else None
    )


FASTEST: Final = 10
"""Results in a ranking; up to this many, all are listed."""


def _figure(writer: Writer, workload: Workload) -> Markup:
    for best in _fastest(writer, workload)[:1]:
        return writer.colon(writer.system_name(best.system), scores.minutes(writer, best))
    return Markup("")


def fastest(writer: Writer, workload: Workload) -> list[Markup]:
    """The scores of the newest round with the shortest time to the target; empty without scores."""
    found = _fastest(writer, workload)
    if not found:
        return []
    label = writer.t("workload.fastest")
    return [
        scores.table(
            writer, found[:FASTEST], of="workload", label=label, ways=_ways(writer, found[:FASTEST])
        )
    ]


def _ways(writer: Writer, found: Sequence[Score]) -> dict[str, Markup]:
    first, *others = (one.run_ids[0] for one in found)
    results = writer.site.results
    return {
        run: compare.way(writer, results.id_with(run), results.id_with(first)) for run in others
    }


def _fastest(writer: Writer, workload: Workload) -> list[Score]:
    """The scores of the newest round and those with the same target, fastest first."""
    found = [
        one
        for one in scores.of(writer, workload=workload.workload)
        if one.verdict is Outcome.SCORED and one.score_minutes is not None
    ]
    if not found:
        return []
    targets = {one.run_ids: writer.site.runs[one.run_ids[0]].targets for one in found}
    newest = max(found, key=scores.order)
    comparable = [one for one in found if targets[one.run_ids] == targets[newest.run_ids]]
    return sorted(comparable, key=lambda one: (one.score_minutes or 0.0, one.run_ids))


def all_results(writer: Writer, workload: Workload, runs: list[Run]) -> list[Markup]:
    """All results and scores, or a link to their page if there are many."""
    count = len({writer.site.results.id_with(run.run_id) for run in runs})
    if count <= workload_lists.FEW:
        return workload_lists.results(writer, workload, runs)
    said = writer.t("workload.all_results", n=count)
    path = workload_lists.results_path(workload.workload)
    return [html.paragraph(writer.link(path, said))]


def costs(writer: Writer, workload: Workload) -> Markup:
    """The cost of reaching a quality at each matching offer; if there are many, the cheapest of
    each system and a link to all.
    """
    found = cost_table.of(writer, workload=workload.workload)
    if len(found) <= cost_table.MANY:
        label = writer.t("cost_table.of_workload", name=writer.workload_name(workload.workload))
        return cost_table.block(writer, found, label)
    best = cheapest(writer, workload, found) or found[:FASTEST]
    targets = {
        words.target_text(bill.case, bill.case.question.target, writer.locale) for bill in best
    }
    label = (
        writer.t("cost_table.cheapest_to", goal=targets.pop())
        if len(targets) == 1
        else writer.t("cost_table.cheapest")
    )
    path = workload_lists.costs_path(workload.workload)
    way = writer.link(path, writer.t("cost_table.all", n=len(found)))
    return cost_table.block(writer, best, label) + html.paragraph(way)


def cheapest(writer: Writer, workload: Workload, found: Sequence[Bill]) -> list[Bill]:
    """The lowest bills, one a setup, for the most common target, at the offers that the calculator
    prefers; prices with warnings are left out.
    """
    targets = {(bill.setup.candidate.id, bill.case.question.target) for bill in found}
    usual = Counter(target for _, target in sorted(targets)).most_common(1)
    least: dict[str, tuple[float, str, Bill]] = {}
    for case in cases(writer.site.evidence, least=1, only=workload.workload):
        for bill in found:
            row = {**bill.others, bill.price.currency: bill.row}.get(case.question.currency)
            if (
                row is not None
                and row.cost is not None
                and bill.case.question.target == usual[0][0]
                and bill.price.price_id in bill.setup.listed
                and not _PRICE_WARNINGS & {*bill.row.remarks}
            ):
                id_, mine = bill.setup.candidate.id, (row.cost.value, bill.price.price_id, bill)
                least[id_] = min(least.get(id_, mine), mine, key=lambda one: one[:2])
    ranked = sorted(least.values(), key=lambda one: one[:2])
    return [bill for *_, bill in ranked[:FASTEST]]


_PRICE_WARNINGS: Final = frozenset(Reason)


def card(writer: Writer, workload: Workload) -> Markup:
    """The task: model, data, quality metric."""
    counted = ("parameters", "train_samples", "eval_samples", "classes")
    rows = {
        "task": writer.t(f"workload_task.{workload.task}"),
        "dataset": writer.name("dataset", workload.dataset),
        "metric": writer.name("metric", workload.metric),
        **{name: writer.fig(f"workload:{workload.workload}:{name}") for name in counted},
        "input_shape": writer.given(workload.input_shape),
        "runnable": writer.yes_no(workload.runnable),
        "stability": stable(writer, workload),
    }
    if workload.references:
        links_ = (links.away(url, reference_name(url)) for url in workload.references)
        rows["references"] = html.lines(*links_)
    return html.meta(writer.gathered(writer.fields(rows)))


def stable(writer: Writer, workload: Workload) -> Markup:
    """Sensitivity of the epochs to the seed: label, evidence, rule, and statements of sources."""
    found = writer.site.stability_of(workload.workload)
    unknown = found.label is Label.UNKNOWN
    why = writer.t("stability.no_seeds") if unknown else _rests_on(writer, found)
    rule = writer.link("method/#stability", writer.t("stability.rule"))
    if any(run.round is not None for run in found.runs):
        rule = html.dotted(rule, writer.link("seeds/#runs", writer.t("stability.all_sets")))
    said = [
        writer.t(
            "stability.said",
            source=tables.place(writer, cell.source, ""),
            text=writer.name("cell_text", cell.text),
        )
        for cells in writer.site.cells.values()
        for cell in cells
        if cell.table == "stability"
        and cell.text
        and f"{workload.workload}-".startswith(f"{cell.row}-")
    ]
    return html.lines(html.spaced(writer.badge("stability", found.label), why, rule), *said)


def _rests_on(writer: Writer, found: Stability) -> Markup:
    first, last = (variation.reference(found.runs[at], found.measure) for at in (0, -1))
    targets = variation.hits(found.runs[0], found.measure)
    # one target by its threshold, as the card names its metric; several with their metrics
    named = run_details.target if len(targets) > 1 else run_details.threshold
    said = [
        writer.t(
            "stability.of_seeds",
            n=len(found.runs),
            epochs=run_details.span(writer, first, last),
            target=writer.joined("both", *(named(writer, metric) for metric in targets)),
        )
    ]
    if found.missed:
        said.append(writer.t("stability.missed", n=found.missed))
    if found.sets > 1:
        decides = unbroken(series_label(found.runs[0], writer.site.catalog))
        said.append(writer.t("stability.decides", n=found.sets, set=decides))
    return writer.joined("sentences", *said)


def reference_name(url: str) -> str:
    """A reference's name from its address: repository and file, without commit and folders."""
    host, *path = url.split("/")[2:]
    if host == "github.com" and len(path) > 4 and path[2] == "blob":  # noqa: PLR2004 - owner, repository, blob, commit, path
        return " · ".join((path[1], "/".join(path[4:][-4:])))
    return "/".join((host, *path))


def charts(writer: Writer, workload: Workload, shown: Sequence[str] = ()) -> list[Markup]:
    """The charts of this page that are not shown above, and links to those in reports."""
    above = {*shown}
    found = [
        id_ for id_ in writer.site.charts_of("workload", workload.workload) if id_ not in above
    ]
    own = [id_ for id_ in found if writer.site.figures[id_].page == writer.path]
    others = [id_ for id_ in found if id_ not in own]
    drawn = [writer.chart(id_) for id_ in own]
    linked = [_chart_link(writer, workload.workload, id_) for id_ in others]
    return [*drawn, *([writer.links(linked)] if linked or not (drawn or above) else [])]


def _chart_link(writer: Writer, workload: str, id_: str) -> tuple[str, str]:
    chart = writer.site.figures[id_]
    asked = f"?workload={workload}" if workload in chart.workloads else ""
    return writer.url(f"c/{id_}/{asked}"), chart.heading(writer.locale)


def _cells(writer: Writer, workload: Workload, table: str) -> list[PrintedCell]:
    sources = dict.fromkeys(run.source for run in writer.site.runs_of(workload=workload.workload))
    return [
        cell
        for source in sources
        for cell in writer.site.cells.get(source, ())
        if cell.table == table
    ]


def blocks(writer: Writer, workload: Workload) -> Markup:
    """The network block by block, as a source prints it: rows `<first word of the workload's
    id>-block-<n>` of its table `networks`.
    """
    word, _, _ = workload.workload.partition("-")
    cells = [
        cell
        for cell in _cells(writer, workload, "networks")
        if cell.row.startswith(f"{word}-block-")
    ]
    return source_table(writer, cells, writer.t("table.networks")) if cells else Markup("")


def dataset(writer: Writer, workload: Workload) -> Markup:
    """The data set as each source prints it: counts and sizes, approximate ones with "about"."""
    rows: list[Cells] = [
        {
            "part": tables.row_name(writer, cell.table, cell.row),
            "quantity": tables.column_name(writer, cell.column),
            "value#": tables.figure(writer, printed.ref(cell)),
            "source": tables.place(writer, cell.source, cell.locator),
        }
        for cell in _cells(writer, workload, "dataset")
    ]
    return tables.table(writer, writer.t("workload.dataset"), rows) if rows else Markup("")


def variants(writer: Writer, workload: Workload) -> Markup:
    """Implementations that were tried, with use and reason; abandoned ones are folded away."""
    found: dict[tuple[str, str], dict[str, PrintedCell]] = {}
    for cell in _cells(writer, workload, "implementations"):
        found.setdefault((cell.source, cell.row), {})[cell.column] = cell
    if not found:
        return Markup("")  # the text above names the code
    kept: list[Cells] = []
    dropped: list[Cells] = []
    for cells in found.values():
        rows = dropped if _text(cells, "use") == "rejected" else kept
        rows.append(_variant(writer, cells))
    shown = tables.table(writer, writer.t("workload.variants"), kept)
    if not dropped:
        return shown
    label = writer.t("workload.dropped", n=len(dropped))
    return shown + html.details(label, tables.table(writer, label, dropped))


def _variant(writer: Writer, cells: Mapping[str, PrintedCell]) -> Cells:
    def said(column: str) -> Markup:
        text = _text(cells, column)
        return writer.name("cell_text", text) if text else writer.missing("not_stated")

    first = next(iter(cells.values()))
    return {
        "implementation": tables.row_name(writer, "implementations", first.row),
        "use": said("use"),
        "recommended_by": said("recommended-by"),
        "reason": said("reason"),
        "source": tables.place(writer, first.source, first.locator),
    }


def _text(cells: Mapping[str, PrintedCell], column: str) -> str | None:
    cell = cells.get(column)
    return None if cell is None or str(cell.certainty).startswith("not_") else cell.text


def workloads_page(writer: Writer) -> Page:
    """The list of workloads."""
    rows = [_row(writer, workload) for workload in writer.site.catalog.workloads.values()]
    listed = tables.table(writer, writer.t("workload.list"), rows)
    return writer.prose_page("workloads", writer.text("workloads.md"), {"list": [listed]})


def _row(writer: Writer, workload: Workload) -> Cells:
    id_, runs = workload.workload, writer.site.runs_of(workload=workload.workload)
    return {
        "workload": Entry(writer.workload_link(id_), writer.workload_name(id_)),
        "task": writer.t(f"workload_task.{workload.task}"),
        "dataset": writer.name("dataset", workload.dataset),
        "train_samples#": tables.figure(writer, f"workload:{id_}:train_samples"),
        "stability": writer.badge("stability", writer.site.stability_of(id_).label),
        "runnable": writer.yes_no(workload.runnable),
        "runs#": tables.count(writer, len(runs)),
    }
