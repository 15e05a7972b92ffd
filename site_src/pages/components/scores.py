"""Scores of benchmark rounds: computed here from imported runs by the rules, and marked as
unverified.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from markupsafe import Markup

from kernels.analysis.mlperf_scores import Outcome, Score
from kernels.records import Metric, Run, Status
from site_src.pages.components import run_details, run_list, tables
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer
from site_src.tables import round_label, settings
from site_src.templates import html


def of(
    writer: Writer,
    *,
    source: str | None = None,
    system: str | None = None,
    workload: str | None = None,
) -> list[Score]:
    """The scores of a source, of a system, or of a workload."""
    return writer.site.scores_of(source=source, system=system, workload=workload)


def table(
    writer: Writer,
    found: Sequence[Score],
    *,
    of: str = "",
    label: Markup | None = None,
    ways: Mapping[str, Markup] = MappingProxyType({}),
) -> Markup:
    """A table of scores with their runs and how they were computed. Submitters have a column if
    there are several.

    Args:
        writer: Of the page.
        found: The scores.
        of: `workload` where the page is about one, which then needs no column.
        label: Its caption, where it has one of its own.
        ways: Other links for a run's score.
    """
    several = len({(score.submitter, score.round) for score in found}) > 1
    rows = [
        _row(writer, score, several=several, of=of, way=ways.get(score.run_ids[0], Markup("")))
        for score in found
    ]
    return tables.table(writer, label or writer.t("score.caption"), rows) + note(writer)


def _row(writer: Writer, score: Score, *, several: bool, of: str, way: Markup) -> Cells:
    workload, system = writer.workload_link(score.workload), writer.system_link(score.system)
    framework = run_details.framework(writer, writer.site.runs[score.run_ids[0]])
    division = writer.named_or_missing("division", score.division)
    cells: dict[str, Entry | str] = {}
    if of != "workload":
        cells["workload"] = Entry(workload, score.workload)
    cells["system"] = Entry(html.noted(system, html.dotted(framework, way)), score.system)
    if several:
        cells["submitter"] = writer.given(score.submitter)
        cells["round"] = html.noted(writer.given(score.round), division)
    else:
        cells["division"] = division
    return {
        **cells,
        "score#": _value(writer, score),
        "runs#": tables.count(writer, score.runs),
        "converged#": tables.count(writer, score.converged),
    }


def _value(writer: Writer, score: Score, *, alone: bool = True) -> Entry:
    """The score and how it was computed, or why there is none. Remarks that apply to a whole table
    are left out of its rows.
    """
    if score.verdict is not Outcome.SCORED:
        return Entry(minutes(writer, score))
    given = tables.figure(writer, f"score:{score.run_ids[0]}:minutes")
    said = notes(writer, score)[0 if alone else 1 :]
    return replace(given, text=html.noted(given.text, html.lines(*said)))


def order(score: Score) -> list[int]:
    """A round's version as numbers, so that v10.0 sorts after v5.1."""
    return [int(part) for part in re.findall(r"\d+", score.round or "")]


def newest(writer: Writer, system: str) -> list[Score]:
    """A system's scores in the newest round of each workload, sorted by the number of others in the
    same benchmark and division, then by place.
    """
    found = [one for one in of(writer, system=system) if one.verdict is Outcome.SCORED]
    last: dict[str, list[int]] = {}
    for one in found:
        last[one.workload] = max(order(one), last.get(one.workload, []))

    def height(one: Score) -> tuple[int, int, str]:
        place, count = writer.site.results.place_of(one)
        return -count, place, one.run_ids[0]

    return sorted((one for one in found if order(one) == last[one.workload]), key=height)


def placed(writer: Writer, score: Score) -> Markup:
    """A score's place in its round; empty if it is the only one."""
    place, count = writer.site.results.place_of(score)
    if count == 1:
        return Markup("")
    among = {"place": place, "count": count}
    said = {name: writer.fig(f"number:{n}", link=False) for name, n in among.items()}
    return writer.t("result.place", round=score.round or "", **said)


def minutes(writer: Writer, score: Score) -> Markup:
    """The score, or why there is none."""
    if score.verdict is not Outcome.SCORED:
        return writer.t(f"score.{score.verdict}")
    return writer.fig(f"score:{score.run_ids[0]}:minutes", unit=True)


def notes(writer: Writer, score: Score) -> list[Markup]:
    """How a score was computed; empty without a score."""
    if score.verdict is not Outcome.SCORED:
        return []
    ref = f"score:{score.run_ids[0]}"
    found = [writer.t("score.unverified")]
    if score.scaling_factor != 1:
        mean = writer.fig(f"{ref}:mean_minutes", unit=True)
        factor = writer.fig(f"number:{score.scaling_factor!r}", digits=5, link=False)
        found.append(writer.t("score.scaled", factor=factor, mean=mean))
    if score.energy_j is not None:
        found.append(writer.t("score.energy", energy=writer.fig(f"{ref}:energy_j", unit=True)))
    return found


def results(writer: Writer, found: Sequence[Score], label: Markup) -> Markup:
    """A table of the results that a system was submitted with: score, spread and number of runs,
    epochs, batch size.
    """
    rows = [_result(writer, score) for score in found]
    headings = {"span#": writer.t("system.run_span")}
    return tables.table(writer, label, rows, headings) + note(writer)


def _result(writer: Writer, score: Score) -> Cells:
    runs = [writer.site.runs[id_] for id_ in score.run_ids]
    targets = dict.fromkeys(
        run_details.target(writer, metric)
        for run in runs
        for metric in run.metrics
        if metric.target is not None
    )
    about = html.dotted(
        run_details.framework(writer, runs[0]),
        *settings.stated(runs[0], writer.locale),
        run_details.reduced(writer, *runs),
    )
    closed = score.division in (None, "closed")
    page = f"results/{writer.site.results.id_with(runs[0].run_id)}/"
    name = writer.workload_name(score.workload)
    ended = run_list.ended(writer, runs, origin=False)
    shown = html.lines(about, writer.joined("both", *targets) if targets else "", ended)
    return {
        "workload": Entry(html.noted(writer.link(page, name), shown), name),
        "round": html.noted(
            round_label(runs[0]) or writer.missing("not_stated"),
            "" if closed else writer.named_or_missing("division", score.division),
        ),
        "score#": _value(writer, score, alone=False),
        "span#": _span(writer, runs, "time_to_target_s", "in_minutes"),
        "runs#": _counted(writer, score),
        "epochs_to_target#": _span(writer, runs, "epochs_to_target"),
        "batch#": run_list.batch(writer, runs[0]),
    }


def _counted(writer: Writer, score: Score) -> Entry:
    counted = tables.count(writer, score.runs)
    if score.converged == score.runs:
        return counted
    reached = writer.colon(writer.t("head.converged"), writer.locale.number(score.converged))
    return replace(counted, text=html.noted(counted.text, reached))


def _span(writer: Writer, runs: Sequence[Run], start: str, read: str = "") -> Entry:
    """The range of a figure over the runs, read by a formula."""
    own = [(run, run_details.main_metric(run, start, target=True)) for run in runs]
    known = sorted(
        (metric.value, f"run:{run.run_id}:{metric.key}")
        for run, metric in own
        if metric is not None and metric.value is not None
    )
    if not known:
        reasons = Counter(_why(run, metric) for run, metric in own)
        return Entry(writer.missing(reasons.most_common(1)[0][0]))
    low, high = (f"{read}({ref})" if read else ref for _, ref in (known[0], known[-1]))
    return Entry(run_details.span(writer, low, high), repr(float(known[0][0])))


def _why(run: Run, metric: Metric | None) -> Status:
    """Why a run has no such figure; a log that counts samples may have reached its target."""
    if metric is not None:
        return metric.status
    return run.status if run.status is not Status.OK else Status.NOT_REPORTED


def note(writer: Writer) -> Markup:
    """Explains scores, with a link to their rule."""
    rule = writer.link("method/#mlperf", writer.t("score.rule"))
    return html.note(writer.joined("sentences", writer.t("score.note"), rule))
