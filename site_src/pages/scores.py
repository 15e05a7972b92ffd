"""Scores of benchmark rounds on pages: what the rules make of imported runs, marked as computed here and unverified."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from kernels.scores import Outcome, Score
from site_src.pages import tables
from site_src.pages.tables import Entry, Line
from site_src.pages.writer import Writer


def of(writer: Writer, *, source: str | None = None, system: str | None = None) -> list[Score]:
    """Scores of a source, or of a system."""
    return [score for score in writer.site.scores if source in (None, score.source) and system in (None, score.system)]


def table(writer: Writer, found: Sequence[Score]) -> Markup:
    """Scores with the runs behind them, and how they came about."""
    lines = [_line(writer, score) for score in found]
    columns = tables.heads(writer, "workload", "system", "submitter", "round", "runs#", "converged#", "score#")
    return tables.table(writer, writer.t("score.caption"), columns, lines) + Markup('<p class="ts-note">{}</p>').format(
        writer.t("score.note")
    )


def _line(writer: Writer, score: Score) -> Line:
    workload = Markup('<a href="{}">{}</a>').format(writer.url(f"workloads/{score.workload}/"), writer.workload_name(score.workload))
    system = Markup('<a href="{}">{}</a>').format(writer.url(f"systems/{score.system}/"), writer.system_name(score.system))
    value = Entry(writer.t(f"score.{score.verdict}"), None, "number")
    if score.verdict is Outcome.SCORED:
        given = tables.figure(writer, f"score:{score.run_ids[0]}:minutes")
        value = Entry(tables.noted(given.text, writer.t("score.unverified")), given.value, "number")
    return Line(
        [
            Entry(workload, score.workload),
            Entry(system, score.system),
            Entry(writer.given(score.submitter)),
            Entry(writer.given(score.round)),
            Entry(escape(writer.locale.number(score.runs)), score.runs, "number"),
            Entry(escape(writer.locale.number(score.converged)), score.converged, "number"),
            value,
        ]
    )
