"""How does the workload of an article converge in MLPerf's rounds, on the same chips?"""

from functools import partial

from kernels.records import Run
from site_src import tables
from site_src.costs.spent import spendings
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.controls import MarkNote, Sentence
from site_src.locales import Locale
from site_src.questions.quality import convergence
from site_src.tables import curve, submissions
from site_src.tables.printed import source_of
from site_src.tables.submissions import Submission


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Curves of a benchmark's rounds beside the points that an article prints; None without either,
    and for an article with several workloads, whose scores are compared instead.
    """
    own = tables.runs_in_force(evidence.archive, source=source)
    workload = (
        evidence.catalog.workloads.get(own[0].workload)
        if len({run.workload for run in own}) == 1
        else None
    )
    if workload is None:
        return None
    metrics = (workload.metric,)
    found = on_same_chips(evidence, own)
    targets = curve.targets(own, metrics[0])
    if not found or not targets:
        return None
    rounds = [run for one in found for run in one.runs]
    table = curve.curve(evidence.catalog, [*own, *rounds], metrics)
    origin = source_of(evidence.archive, source)
    # where training ended does not matter here: the best value is among the targets
    table = table[table["kind"] != "final"].reset_index(drop=True)
    printed = table["source"] == source
    table.loc[printed, "label"] = table["label"][printed] + f" · {origin.publisher or origin.title}"

    def notes(locale: Locale) -> list[str]:
        return [
            MarkNote(locale.say("figure.elsewhere.article")),
            *(locale.say(f"figure.elsewhere.{key}") for key in ("protocol", "crossings")),
            *([locale.say("figure.elsewhere.cards")] if _other_numbers(own, rounds) else []),
        ]

    asked = convergence.Asked(
        f"{source}-mlperf",
        page,
        "elsewhere",
        source,
        metrics,
        near=True,
        chosen=False,
        said=notes,
        told=partial(_sentence, found, evidence),
        spending=spendings(evidence, source, workload.workload),
    )
    return convergence.of(table, [*own, *rounds], evidence, asked)


def on_same_chips(evidence: Evidence, own: list[Run]) -> list[Submission]:
    """Submissions to rounds that train a workload of these runs on accelerators of their kind."""
    workloads = {run.workload for run in own}
    kinds = {submissions.family(run, evidence.catalog) for run in own} - {None}
    found = submissions.submissions(
        evidence, *sorted(workloads), each_round=True, each_submitter=True
    )
    return [one for one in found if submissions.family(one.first, evidence.catalog) in kinds]


def _other_numbers(own: list[Run], rounds: list[Run]) -> bool:
    return any(run.accelerators not in {one.accelerators for one in own} for run in rounds)


def _sentence(found: list[Submission], evidence: Evidence, locale: Locale) -> Sentence:

    def at(one: Submission, end: str) -> float | None:
        return evidence.facts.get(one.ref(f"epochs_{end}")).value

    told = [one for one in found if at(one, "low") is not None]
    figures = [common.count("submissions", len(told), locale)]
    names = {}
    for name, end, pick in (("first", "low", min), ("second", "high", max)):
        one = pick(told, key=lambda one: at(one, end) or 0.0)
        value, target = at(one, end) or 0.0, one.targets[0].value
        shown = locale.quantity(value, "epochs")
        figures += [
            (f"{name}_value", shown, value, one.ref(f"epochs_{end}")),
            (f"{name}_target", locale.percent(target, 1), target, f"number:{target:g}"),
        ]
        # all that share the end of the range and its target: naming only one would imply that the
        # others differ
        ties = [
            tables.series_label(each.first, evidence.catalog)
            for each in told
            if (at(each, end), each.targets[0].value) == (value, target)
        ]
        names[name] = locale.join(ties)
    return Sentence("headline.first", tuple(figures), names)
