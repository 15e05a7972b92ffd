"""The page of a result: its score and place, all its runs with their curves, common and differing
properties, and its cost.
"""

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from kernels.analysis.gathered import Result
from kernels.analysis.mlperf_scores import Score, order
from kernels.analysis.repetitions import OWN
from kernels.records import Run
from site_src.costs.bills import Bill
from site_src.locales import Share
from site_src.minify import slim
from site_src.model import Page
from site_src.pages import compare
from site_src.pages import run as of_run
from site_src.pages.calculator import table as cost_table
from site_src.pages.components import run_list, scores, tables
from site_src.pages.components.writer import Writer
from site_src.pages.result import repeats
from site_src.pages.run import picture
from site_src.templates import html


def result_page(writer: Writer, result: Result) -> Page:
    """The page of one result in one language."""
    runs = [writer.site.runs[id_] for id_ in result.run_ids]
    counted = [run for run in runs if run.withdrawn is None]
    first = (counted or runs)[0]
    writer.of = f"run:{first.run_id}:"
    bills = cost_table.ordered(writer, writer.site.bills_with(result.id))
    own, several = first.origin in OWN, len(runs) > 1
    values = (of_run.about if own or several else of_run.values)(writer, first) | {
        "first": first,
        "several": several,
        "repeats": "",
        "status": run_list.ended(writer, runs),
        "count": writer.t("runs.count", n=len(runs)) if several else "",
        "numbers": _numbers(writer, runs, bills),
        "score_note": scores.note(writer) if _scored(writer, runs) else "",
        "compare": compare.way(writer, result.id) if counted else "",
        "costs": _costs(writer, bills),
        "telemetry": "",
        "caveats": _caveats(writer, runs),
        "doubts": [],
        "charts": _charts(writer, runs),
    }
    if several:
        values["picture"] = picture.drawn(writer, *(counted or runs))
    elif own:
        values["picture"] = of_run.pictured(writer, first)
    if own:
        values |= {"repeats": repeats.own(writer, runs), **repeats.shared(writer, runs)}
    elif several:
        told, apart = repeats.compared(writer, runs)
        source = tables.place(writer, first.source, run_list.folder(first))
        values |= {"repeats": repeats.listed(writer, runs, apart), "source": source, **told}
        writer.of = f"run:{first.run_id}:"
    if not several and first.telemetry:
        left = of_run.MOST_BODY - len(slim(str(writer.render("result.html", **values))).encode())
        values["telemetry"] = of_run.sensors(writer, first, left)
    ends = Counter(str(writer.word("status", run.status)) for run in runs)
    ended = list(ends)
    if len(ends) > 1:
        ended = [
            writer.plain("join.paren", text=end, note=writer.locale.number(number))
            for end, number in ends.most_common()
        ]
    return writer.page(
        "results",
        result_title(writer, first),
        writer.plain(
            "run.description",
            label=writer.run_label(first, system=False),
            status=writer.locale.join(ended),
        ),
        writer.render("result.html", **values),
        light=True,
        figure=_figure(writer, runs, bills),
        results=len(runs),
        updated=max((run.started_at.date() for run in runs if run.started_at), default=None),
    )


def result_title(writer: Writer, run: Run) -> str:
    """A result's title, from one of its runs."""
    workload, system = writer.workload_name(run.workload), writer.system_name(run.system)
    return str(writer.t("run.title", workload=workload, system=system))


def _charts(writer: Writer, runs: Sequence[Run]) -> list[tuple[str, str]]:
    found = (link for run in runs for link in of_run.charts(writer, run))
    return list(dict.fromkeys(found))


def _figure(writer: Writer, runs: Sequence[Run], bills: Sequence[Bill]) -> Markup:
    score = _scored(writer, runs)
    if score is not None:
        return scores.minutes(writer, score)
    return cost_table.cheapest(writer, bills) if bills else Markup("")


def _scored(writer: Writer, runs: Sequence[Run]) -> Score | None:
    counted = (writer.site.score_with(run.run_id) for run in runs if run.round)
    return next(filter(None, counted), None)


def _numbers(writer: Writer, runs: Sequence[Run], bills: Sequence[Bill]) -> Markup:
    rows = repeats.numbers(writer, runs) if runs[0].origin in OWN else []
    score = _scored(writer, runs)
    if score is not None:
        rows.append((writer.t("head.score"), _score(writer, score)))
        if score.converged < score.runs:
            rows.append((writer.t("head.converged"), _converged(writer, score)))
        if score.converged:
            spread = run_list.span(writer, runs, "time_to_target_s", target=True)
            rows.append((writer.t("head.to_target"), spread))
    if bills:
        rows.append((writer.t("head.cost"), cost_table.cheapest(writer, bills)))
    return html.numbers(rows) if rows else Markup("")


def _score(writer: Writer, score: Score) -> Markup:
    placed = "" if score.score_minutes is None else scores.placed(writer, score)
    notes = html.lines(placed, *scores.notes(writer, score))
    return html.noted(scores.minutes(writer, score), notes)


def _converged(writer: Writer, score: Score) -> Markup:
    hits, runs = (writer.fig(f"number:{n}", link=False) for n in (score.converged, score.runs))
    share = Share.of(score.converged, score.runs)
    return writer.t(f"runs_of.{share}", n=score.runs, hits=hits, runs=runs)


def _costs(writer: Writer, bills: Sequence[Bill]) -> Markup:
    if not bills:
        return Markup("")
    return cost_table.block(writer, bills, writer.t("result.costs"), converted=False)


def _caveats(writer: Writer, runs: Sequence[Run]) -> list[Markup]:
    said = Counter(text for run in runs for text in of_run.caveats(writer, run))
    told = [
        text if n == len(runs) else writer.paren(text, writer.t("runs.count", n=n))
        for text, n in said.items()
    ]
    return [*_again(writer, runs), *told]


def _again(writer: Writer, runs: Sequence[Run]) -> list[Markup]:
    """Says if an earlier round has the logs, with a link to its result."""
    score = _scored(writer, runs)
    if score is None:
        return []
    first = writer.site.results.first_with(score)
    before = writer.site.runs[first].round or ""
    if order(before) >= order(score.round or ""):
        return []
    page = writer.site.results.page_with(first).partition("#")[0]
    return [writer.t("result.again", round=writer.link(page, before))]
