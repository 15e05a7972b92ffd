"""How does the workload of an article converge elsewhere on the same chips?"""

from kernels.audit.facts import Facts
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
from site_src.tables.submissions import Submission


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Curves of a benchmark's rounds beside the points that an article prints; None without either,
    and for an article with several workloads, which has them by score.
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
    found = alike(evidence, own)
    goals = curve.goals(own, metrics[0])
    if not found or not goals:
        return None
    rounds = [run for one in found for run in one.runs]
    table = curve.curve(evidence.catalog, [*own, *rounds], metrics)
    publisher = next(
        (one.publisher or one.title for one in evidence.archive.sources if one.source == source),
        source,
    )
    # where training ended is beside the point here: the best value is among the targets
    table = table[table["kind"] != "final"].reset_index(drop=True)
    printed = table["source"] == source
    table.loc[printed, "label"] = table["label"][printed] + f" · {publisher}"

    def notes(locale: Locale) -> list[str]:
        return [
            MarkNote(locale.say("figure.elsewhere.article")),
            *(locale.say(f"figure.elsewhere.{key}") for key in ("protocol", "crossings")),
            *([locale.say("figure.elsewhere.cards")] if _other_numbers(own, rounds) else []),
        ]

    def told(locale: Locale) -> Sentence:
        return _sentence(found, evidence, locale)

    asked = convergence.Asked(
        f"{source}-mlperf",
        page,
        "elsewhere",
        source,
        metrics,
        near=True,
        chosen=False,
        said=notes,
        told=told,
        spending=spendings(evidence, source, workload.workload),
    )
    return convergence.of(table, [*own, *rounds], evidence, asked)


def alike(evidence: Evidence, own: list[Run]) -> list[Submission]:
    """Submissions to rounds that train a workload of these runs on accelerators of their kind."""
    workloads = {run.workload for run in own}
    kinds = {submissions.family(run, evidence.catalog) for run in own} - {None}
    found = submissions.submissions(
        evidence, *sorted(workloads), each_round=True, each_submitter=True
    )
    return [one for one in found if submissions.family(one.first, evidence.catalog) in kinds]


def _other_numbers(own: list[Run], rounds: list[Run]) -> bool:
    return any(run.accelerators not in {one.accelerators for one in own} for run in rounds)


def _end(one: Submission, end: str, facts: Facts) -> float | None:
    return facts.get(one.ref(end)).value


def _sentence(found: list[Submission], evidence: Evidence, locale: Locale) -> Sentence:
    told = [one for one in found if evidence.facts.get(one.ref("epochs_low")).value is not None]
    low = min(told, key=lambda one: evidence.facts.get(one.ref("epochs_low")).value or 0.0)
    high = max(told, key=lambda one: evidence.facts.get(one.ref("epochs_high")).value or 0.0)
    figures = [
        common.count("submissions", len(told), locale),
        *(
            (f"{name}_value", locale.quantity(value, "epochs"), value, one.ref(ref))
            for name, one, ref in (("first", low, "epochs_low"), ("second", high, "epochs_high"))
            for value in [float(evidence.facts.get(one.ref(ref)).value or 0.0)]
        ),
        *(
            (f"{name}_target", locale.percent(goal, 1), goal, f"number:{goal:g}")
            for name, one in (("first", low), ("second", high))
            for goal in [one.targets[0].value]
        ),
    ]
    names = {}
    for name, end, one in (("first", "epochs_low", low), ("second", "epochs_high", high)):
        # all that share the end of the range and its target: naming one alone would say that the
        # others differ
        ties = [
            each
            for each in told
            if _end(each, end, evidence.facts) == _end(one, end, evidence.facts)
            and each.targets[0].value == one.targets[0].value
        ]
        names[name] = locale.join(
            [tables.series_label(each.first, evidence.catalog) for each in ties]
        )
    return Sentence("headline.first", tuple(figures), names)
