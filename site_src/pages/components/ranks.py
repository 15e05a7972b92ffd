"""The rank of a system among all others: a line for each workload, a mark for each result on it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kernels.analysis.mlperf_scores import Score
from kernels.records import Mode
from site_src.pages.components import scores
from site_src.pages.components.writer import Writer
from site_src.templates import html


@dataclass(frozen=True, slots=True)
class Rank:
    """A system's result among comparable ones.

    Attributes:
        about: The conditions that they share.
        values: Their figures, best first.
        refs: References to the best figure, the system's own and the last.
        place: Index of the system's own in `values`.
    """

    workload: str
    run_id: str
    about: Markup
    values: Sequence[float]
    own: float
    refs: tuple[str, str, str]
    place: int


def picture(writer: Writer, system: str) -> Markup:
    """The picture, which is also a table; empty if there is no other result."""
    found = [*_scored(writer, system), *_timed(writer, system)]
    if not found:
        return Markup("")
    return writer.render("blocks/ranks.html", rows=[_row(writer, one) for one in found])


def _scored(writer: Writer, system: str) -> list[Rank]:
    best: dict[str, Score] = {}
    for one in scores.newest(writer, system):
        if writer.site.results.place_of(one)[1] > 1:
            best.setdefault(one.workload, one)
    return [_score(writer, best[name]) for name in sorted(best)]


def _score(writer: Writer, score: Score) -> Rank:
    among = writer.site.results.like(score)
    refs = [f"score:{one.run_ids[0]}:minutes" for one in (among[0], score, among[-1])]
    closed = score.division in (None, "closed")
    return Rank(
        score.workload,
        score.run_ids[0],
        html.dotted(
            score.round or "", "" if closed else writer.name("division", score.division or "")
        ),
        [one.score_minutes or 0.0 for one in among],
        score.score_minutes or 0.0,
        (refs[0], refs[1], refs[2]),
        writer.site.results.place_of(score)[0],
    )


def _timed(writer: Writer, system: str) -> list[Rank]:
    found = []
    for workload in sorted({run.workload for run in writer.site.runs_of(system=system)}):
        for (mode, data, _), among in writer.site.speeds_in(workload).items():
            own = next((one for one in among if one.system == system), None)
            if own is None or len(among) == 1:
                continue
            trained = mode is Mode.TRAINING
            about = html.dotted(
                writer.t("head.throughput"),
                "" if trained else writer.word("mode", mode),
                writer.word("data", data) if data else "",
            )
            values = [one.value for one in among]
            refs = among[0].ref, own.ref, among[-1].ref
            place = 1 + values.index(own.value)
            found.append(Rank(workload, own.run_id, about, values, own.value, refs, place))
    return found


def _row(writer: Writer, rank: Rank) -> dict[str, object]:
    """A row of the picture, best at the left, distances as ratios."""
    first, last = rank.values[0], rank.values[-1]
    whole = abs(math.log(last / first)) or 1.0

    def at(value: float) -> str:
        return f"{100 * abs(math.log(value / first)) / whole:.1f}".removesuffix(".0")

    said = {"place": rank.place, "count": len(rank.values)}
    numbers = {name: writer.fig(f"number:{n}", link=False) for name, n in said.items()}
    best, own, worst = rank.refs
    return {
        "workload": writer.workload_link(rank.workload),
        "about": rank.about,
        "marks": list(dict.fromkeys(map(at, rank.values))),
        "own": at(rank.own),
        "best": writer.fig(best, unit=True, link=False),
        "worst": writer.fig(worst, unit=True, link=False),
        "place": writer.t("system.place", **numbers),
        "figure": writer.fig(own, unit=True),
    }
