"""Scores of benchmark rounds on pages: what the rules make of imported runs, marked as computed
here and unverified.
"""

from collections.abc import Sequence

from markupsafe import Markup, escape

from kernels.analysis.mlperf_scores import Outcome, Score
from site_src.pages.components import tables
from site_src.pages.components.tables import Entry, Line
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
    return [
        score
        for score in writer.site.scores
        if source in (None, score.source)
        and system in (None, score.system)
        and workload in (None, score.workload)
    ]


def table(writer: Writer, found: Sequence[Score], *, of: str = "") -> Markup:
    """Scores with the runs behind them, and how they came about; who submitted them is a column
    only where several did.

    Args:
        writer: Of the page.
        found: The scores.
        of: `workload` or `system` where the page is about one: it needs no column.
    """
    several = len({(score.submitter, score.round) for score in found}) > 1
    lines = [_line(writer, score, several=several, of=of) for score in found]
    who = ("submitter", "round") if several else ("division",)
    what = [name for name in ("workload", "system") if name != of]
    columns = tables.heads(writer, *what, *who, "score#", "runs#", "converged#")
    rule = writer.link("method/#mlperf", writer.t("score.rule"))
    note = writer.joined("sentences", (writer.t("score.note"), rule))
    return tables.table(writer, writer.t("score.caption"), columns, lines) + html.note(note)


def _line(writer: Writer, score: Score, *, several: bool, of: str) -> Line:
    workload = writer.link(f"workloads/{score.workload}/", writer.workload_name(score.workload))
    system = writer.link(f"systems/{score.system}/", writer.system_name(score.system))
    run = writer.site.runs[score.run_ids[0]]
    value = Entry(writer.t(f"score.{score.verdict}"), None, "number")
    if score.verdict is Outcome.SCORED:
        given = tables.figure(writer, f"score:{run.run_id}:minutes")
        notes = [writer.t("score.unverified")]
        if score.scaling_factor != 1:
            mean = writer.fig(f"score:{run.run_id}:mean_minutes", unit=True)
            factor = writer.fig(f"number:{score.scaling_factor!r}", digits=5, link=False)
            notes.append(writer.t("score.scaled", factor=factor, mean=mean))
        if score.energy_j is not None:
            notes.append(
                writer.t(
                    "score.energy", energy=writer.fig(f"score:{run.run_id}:energy_j", unit=True)
                )
            )
        value = Entry(html.noted(given.text, html.lines(*notes)), given.value, "number")
    who = [Entry(writer.named_or_missing("division", score.division))]
    if several:
        who = [
            Entry(writer.given(score.submitter)),
            Entry(html.noted(writer.given(score.round), who[0].text)),
        ]
    what = {
        "workload": Entry(
            workload if of != "system" else html.noted(workload, tables.framework(writer, run)),
            score.workload,
        ),
        "system": Entry(html.noted(system, tables.framework(writer, run)), score.system),
    }
    return Line(
        [
            *(entry for name, entry in what.items() if name != of),
            *who,
            value,
            Entry(escape(writer.locale.number(score.runs)), score.runs, "number"),
            Entry(escape(writer.locale.number(score.converged)), score.converged, "number"),
        ]
    )
