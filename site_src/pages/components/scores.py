"""Scores of benchmark rounds on pages: what the rules make of imported runs, marked as computed
here and unverified.
"""

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from kernels.analysis.mlperf_scores import Outcome, Score
from site_src.pages.components import run_details, tables
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer
from site_src.templates import html


def of(
    writer: Writer,
    *,
    source: str | None = None,
    system: str | None = None,
    workload: str | None = None,
) -> list[Score]:
    """Scores of a source, of a system, or of a workload."""
    return writer.site.scores_of(source=source, system=system, workload=workload)


def table(
    writer: Writer, found: Sequence[Score], *, of: str = "", label: Markup | None = None
) -> Markup:
    """Scores with the runs behind them, and how they came about; who submitted them is a column
    only where several did.

    Args:
        writer: Of the page.
        found: The scores.
        of: `workload` or `system` where the page is about one: it needs no column.
        label: Its caption, where it has one of its own.
    """
    several = len({(score.submitter, score.round) for score in found}) > 1
    rows = [_row(writer, score, several=several, of=of) for score in found]
    return tables.table(writer, label or writer.t("score.caption"), rows) + note(writer)


def _row(writer: Writer, score: Score, *, several: bool, of: str) -> Cells:
    workload, system = writer.workload_link(score.workload), writer.system_link(score.system)
    framework = run_details.framework(writer, writer.site.runs[score.run_ids[0]])
    division = writer.named_or_missing("division", score.division)
    cells: dict[str, Entry | str] = {}
    if of != "workload":
        shown = workload if of != "system" else html.noted(workload, framework)
        cells["workload"] = Entry(shown, score.workload)
    if of != "system":
        cells["system"] = Entry(html.noted(system, framework), score.system)
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


def _value(writer: Writer, score: Score) -> Entry:
    """The score, with how it came about; why there is none."""
    if score.verdict is not Outcome.SCORED:
        return Entry(minutes(writer, score))
    given = tables.figure(writer, f"score:{score.run_ids[0]}:minutes")
    return replace(given, text=html.noted(given.text, html.lines(*notes(writer, score))))


def minutes(writer: Writer, score: Score) -> Markup:
    """The score, or why there is none."""
    if score.verdict is not Outcome.SCORED:
        return writer.t(f"score.{score.verdict}")
    return writer.fig(f"score:{score.run_ids[0]}:minutes", unit=True)


def notes(writer: Writer, score: Score) -> list[Markup]:
    """How a score came about; nothing of one that is none."""
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


def note(writer: Writer) -> Markup:
    """What scores are, and the way to their rule."""
    rule = writer.link("method/#mlperf", writer.t("score.rule"))
    return html.note(writer.joined("sentences", writer.t("score.note"), rule))
