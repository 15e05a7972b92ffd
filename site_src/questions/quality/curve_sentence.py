"""The headline of a chart of curves: which runs reached the target and when, or how they ended."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from kernels.analysis import variation
from kernels.analysis.variation import Measure
from kernels.audit.facts import Facts
from kernels.records import Origin, Run, Target
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.controls import Sentence, Shown
from site_src.figures.targets import ChartTarget, aimed
from site_src.locales import Locale, Share
from site_src.tables import curve

COUNTED: Final = frozenset({"seeds", "seeds_equal", "range_one", "equal_one"})
"""Sentences that count the runs of one series that reached a target."""

SEVERAL: Final = frozenset({"headline.range", "headline.equal"})
"""Sentences about several submissions that name none."""

BESIDE: Final = 5
"""The most series named beside the leading one; the table has them all."""

_DECIMALS: Final = 3
"""Decimals of a loss."""

Names = Mapping[str, tuple[str, str]]
"""Series and label by run."""


def sentence(
    runs: Sequence[Run],
    evidence: Evidence,
    metrics: Sequence[str],
    locale: Locale,
    *,
    names: Names,
    left: int = 0,
    family: str = "",
) -> Sentence:
    """Epochs to the lowest target that two systems reached, or one did repeatedly; else the final
    values. For rounds, and for other qualities than accuracy, the target that most aimed at. For
    other series, that with the most runs leads, and each has its own count, as other settings are
    not repetitions. If runs are `left` out, the counts are of those drawn; a `family` of
    accelerators is named.
    """
    found = apart(runs, metrics[0], names)
    target, lead = found[0] if found else (None, runs)
    said = _said(lead, evidence, metrics, names, locale)
    if family and said.key in SEVERAL:
        said = replace(said, key=f"{said.key}_of", names={**said.names, "first": family})
    if target is None or len(found) < 2:  # noqa: PLR2004 - a series alone has none beside it
        counted = left and said.key.removeprefix("headline.") in COUNTED
        return _of_those_drawn(said) if counted else said
    shown = ChartTarget.of(target, lead)
    if not shown.hits:
        counts = (
            ("target", shown.level(locale), shown.value, f"number:{shown.value:g}"),
            common.count("runs", len(lead), locale),
        )
        said = Sentence("headline.none", counts, {"metric": locale.metric(target.metric)})
    beside = Sentence(
        "headline.beside", names={"others": _others(found, target, names, locale)}, then=said.then
    )
    return replace(
        _of_those_drawn(said), names={**said.names, "first": names[lead[0].run_id][1]}, then=beside
    )


def _of_those_drawn(said: Sentence) -> Sentence:
    return replace(said, parts={name: (f"{key}_drawn", n) for name, (key, n) in said.parts.items()})


def apart(runs: Sequence[Run], metric: str, names: Names) -> list[tuple[Target, Sequence[Run]]]:
    """Each series with its lowest target and the runs that aimed at it, most runs first. Empty if
    none reached one, and for publications and rounds, which are counted together.
    """
    targets = curve.targets(runs, metric)
    if any(run.origin is Origin.PUBLISHED or run.round is not None for run in runs) or not targets:
        return []
    series: dict[str, list[Run]] = {}
    for run in runs:
        series.setdefault(names[run.run_id][0], []).append(run)
    found = []
    for group in series.values():
        asked = [target for run in group for target in curve.named(run, metric)] or targets
        held = [
            (target, aimed(group, target))
            for target in sorted(asked, key=lambda target: target.value)
        ]
        found += [pair for pair in held if pair[1]][:1]
    return sorted(found, key=lambda pair: _order(*pair), reverse=True)


def _order(target: Target, held: Sequence[Run]) -> tuple[int, int, float]:
    took = [
        hit.value
        for run in held
        if (hit := run.metric(f"epochs_to_target@{target.value:g}")) is not None
        and hit.value is not None
    ]
    return len(held), ChartTarget.of(target, held).hits, -min(took, default=0.0)


def _others(
    found: Sequence[tuple[Target, Sequence[Run]]], target: Target, names: Names, locale: Locale
) -> str:
    """The series after the first that aimed at the target, each with how many runs reached it."""
    labels = {
        names[group[0].run_id][0]: names[group[0].run_id][1].split(_BETWEEN) for _, group in found
    }
    shared = set.intersection(*map(set, labels.values()))
    told = []
    for _, group in found[1:]:
        held, parts = aimed(group, target), labels[names[group[0].run_id][0]]
        if held:
            shown = ChartTarget.of(target, held)
            label = _BETWEEN.join(part for part in parts if part not in shared) or _BETWEEN.join(
                parts
            )
            told.append(locale.say("join.paren", text=label, note=shown.count(locale)))
    more = len(told) - BESIDE
    return locale.join(
        [
            *told[:BESIDE],
            *([locale.say("figure.convergence.beside_more", n=more)] if more > 0 else []),
        ]
    )


_BETWEEN: Final = " · "
"""The separator between parts of a label."""


def _said(
    runs: Sequence[Run], evidence: Evidence, metrics: Sequence[str], names: Names, locale: Locale
) -> Sentence:
    said = _logged(runs, evidence.facts, metrics, names, locale)
    if said is not None:
        return said
    if metrics[0] != "top1" or all(run.round is not None for run in runs):
        return _best(runs, names, metrics[0], locale)
    levels = [target.value for target in curve.targets(runs, metrics[0])]
    for ask in (_several, _alone):
        for level in levels:
            said = ask(runs, evidence.facts, level, names, locale)
            if said is not None:
                return said
    return _finals(runs, names, locale)


def main_target(
    runs: Sequence[Run], facts: Facts, metrics: Sequence[str]
) -> tuple[list[Run], Target, tables.Row] | None:
    """The target that most runs aimed at, those runs, and the spread of what they took; None if
    none reached one, and for accuracies outside rounds, whose targets have their own words. Of
    several qualities all must be reached.
    """
    if metrics[0] == "top1" and all(run.round is None for run in runs):
        return None
    runs = [run for run in runs if run.round is not None] or runs
    named = "epochs" if curve.axis(runs, metrics) == "epoch" else "samples"
    found = [(aimed(runs, target), target) for target in curve.targets(runs, metrics[0])]
    if not found:
        return None
    held, target = max(found, key=lambda pair: (len(pair[0]), pair[1].value))
    measure = Measure(named)
    told = sorted(
        (value, variation.reference(run, measure))
        for run in held
        if (value := variation.reading(run, measure)) is not None
    )
    if not told:
        return None
    ends = {"low": told[0][1], "high": told[-1][1]}
    hits: tables.Row = {f"reach_{end}_ref": ref for end, ref in ends.items()}
    return (
        held,
        target,
        hits | {f"reach_{end}": tables.figure(facts, ref) for end, ref in ends.items()},
    )


def _logged(
    runs: Sequence[Run], facts: Facts, metrics: Sequence[str], names: Names, locale: Locale
) -> Sentence | None:
    """The number of runs that reached the main target, and the range of epochs or samples."""
    found = main_target(runs, facts, metrics)
    if found is None:
        return None
    held, target, hits = found
    targets = [
        ChartTarget.of(target, held),
        *(
            ChartTarget.of(named, held)
            for metric in metrics[1:]
            for named in curve.named(held[0], metric)[:1]
        ),
    ]
    shown = targets[-1]
    named = "epochs" if curve.axis(runs, metrics) == "epoch" else "samples"
    aim = ("target", shown.level(locale), shown.value, f"number:{shown.value:g}")
    counts, parts = _who(min(one.hits for one in targets), len(held), locale)
    submissions = len({tables.series_id(run) for run in held})
    low, high = (hits[f"reach_{end}"] for end in ("low", "high"))
    decimals = 0 if low % 1 == high % 1 == 0 else 2  # some logs count fractions of epochs
    last = (
        "second_value",
        locale.quantity(high, named, decimals),
        high,
        hits["reach_high_ref"],
    )
    # "boxes: 37.7 %, masks" and then the target of the masks
    asked = [
        locale.say("join.colon", what=locale.metric(one.metric), text=one.level(locale))
        for one in targets[:-1]
    ]
    metric = reduce(
        lambda one, other: locale.say("join.comma", first=one, second=other),
        (*asked, locale.metric(shown.metric)),
    )
    said = {"metric": metric, "first": names[held[0].run_id][1]}
    others = len(runs) - len(held)  # drawn, but not counted: their rounds set another target
    then = (
        Sentence("headline.other_targets", (common.count("others", others, locale),))
        if others
        else None
    )
    key, ends = "headline.equal", [last]
    if low != high:
        key, ends = (
            "headline.range",
            [("first_value", locale.number(low, decimals), low, hits["reach_low_ref"]), last],
        )
    if len(held) == 1:
        return Sentence("headline.single_one", (aim, last), said, then=then)
    if submissions == 1:
        return Sentence(f"{key}_one", (aim, *counts, *ends), said, parts, then)
    return Sentence(
        key,
        (aim, *counts, common.count("submissions", submissions, locale), *ends),
        said,
        parts,
        then,
    )


def _hits(runs: Sequence[Run], facts: Facts, level: float) -> list[tuple[float, str, Run]]:
    key = f"epochs_to_target@{level:g}"
    found = []
    for run in runs:
        hit = run.metric(key)
        if hit is not None and hit.value is not None:
            ref = f"run:{run.run_id}:{key}"
            found.append((float(facts.get(ref).value or hit.value), ref, run))
    return sorted(found, key=lambda entry: entry[0])


def _who(hits: int, runs: int, locale: Locale) -> tuple[list[Shown], dict[str, tuple[str, int]]]:
    share = Share.of(hits, runs)
    said = {Share.SOME: {"hits": hits, "runs": runs}, Share.BOTH: {}, Share.ALL: {"runs": runs}}[
        share
    ]
    return [common.count(name, number, locale) for name, number in said.items()], {
        "who": (f"runs_of.{share}", runs)
    }


def _several(
    runs: Sequence[Run], facts: Facts, level: float, names: Names, locale: Locale
) -> Sentence | None:
    """The fewest and the most epochs to a target, if two systems reached it."""
    hits = _hits(runs, facts, level)
    systems = {tables.series_id(run) for _, _, run in hits}
    if len(systems) < 2:  # noqa: PLR2004 - one system compares with nothing
        return None
    (low, low_ref, first), (high, high_ref, last) = hits[0], hits[-1]
    figures = [
        ("target", locale.percent(level, 1), level, f"number:{level:g}"),
        ("first_value", locale.quantity(low, "epochs", 0), low, low_ref),
        ("second_value", locale.quantity(high, "epochs", 0), high, high_ref),
    ]
    if len(hits) > len(systems):
        return Sentence("headline.range", (*figures, common.count("runs", len(hits), locale)))
    said = {"first": names[first.run_id][1], "second": names[last.run_id][1]}
    return Sentence("headline.first", tuple(figures), said)


def _alone(
    runs: Sequence[Run], facts: Facts, level: float, names: Names, locale: Locale
) -> Sentence | None:
    """The number of runs of the only system that reached a target, and after how many epochs."""
    hits = _hits(runs, facts, level)
    if not hits or len({tables.series_id(run) for run in runs}) > 1:
        return None
    (low, low_ref, first), (high, high_ref, _) = hits[0], hits[-1]
    said = {"first": names[first.run_id][1]}
    target = ("target", locale.percent(level, 1), level, f"number:{level:g}")
    whole = ("first_value", locale.quantity(low, "epochs"), low, low_ref)
    if len(runs) == 1:
        return Sentence("headline.single", (target, whole), said)
    counts, parts = _who(len(hits), len(runs), locale)
    if low == high:
        return Sentence("headline.seeds_equal", (*counts, target, whole), said, parts)
    ends = (
        ("first_value", locale.number(low), low, low_ref),
        ("second_value", locale.quantity(high, "epochs"), high, high_ref),
    )
    return Sentence("headline.seeds", (*counts, target, *ends), said, parts)


def _best(runs: Sequence[Run], names: Names, metric: str, locale: Locale) -> Sentence:
    read = [(run, each) for run in runs for each in run.evaluations if each.metric == metric]
    run, one = (min if metric in curve.LOWER else max)(read, key=lambda pair: pair[1].value)
    best = ChartTarget(tables.level(metric, one.value), 0, 0, metric=metric)
    said = best.level(locale)
    if metric in curve.PLAIN:  # a reading has more digits than a target
        least = _DECIMALS if metric in curve.LOWER else curve.PLAIN_DECIMALS
        targets = curve.targets_of(run, metric)
        said = locale.number(best.value, tables.apart(best.value, targets, least, scale=1))
    figure = ("first_value", said, best.value, f"number:{best.value!r}")
    return Sentence(
        "headline.best",
        (figure,),
        {"first": names[run.run_id][1], "metric": locale.metric(metric)},
    )


def _finals(runs: Sequence[Run], names: Names, locale: Locale) -> Sentence:
    """The best and the worst final value, or the best evaluation."""
    finals = [(run, run.metric("final_accuracy")) for run in runs]
    known = sorted(
        ((run, m.value) for run, m in finals if m is not None and m.value is not None),
        key=lambda pair: pair[1],
        reverse=True,
    )
    if not known:
        run, value = max(
            ((run, e.value) for run in runs for e in run.evaluations), key=lambda pair: pair[1]
        )
        said = {"first": names[run.run_id][1]}
        return Sentence(
            "headline.best",
            (("first_value", locale.percent(value, 2), value, f"number:{value!r}"),),
            said,
        )
    figures = [
        (f"{ordinal}_value", locale.percent(value, 2), value, f"run:{run.run_id}:final_accuracy")
        for ordinal, (run, value) in (("first", known[0]), ("second", known[-1]))
    ]
    said = {"first": names[known[0][0].run_id][1], "second": names[known[-1][0].run_id][1]}
    if len(known) == 1:
        return Sentence("headline.final", (figures[0],), said)
    return Sentence("headline.finals", (*figures, common.count("runs", len(known), locale)), said)
