"""`python -m kernels compare A B`: is A (runs, an accelerator or a system) faster than B?"""

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product

from kernels import catalog
from kernels.analysis import compare, gathered, pairs, repetitions, sourced, summary
from kernels.analysis.compare import Answer
from kernels.analysis.mlperf_scores import scores
from kernels.analysis.pairs import Basis, Bridge, Grouped, Match, Ratio, Submission
from kernels.analysis.sourced import Beside, Figure
from kernels.analysis.warnings import say as warning
from kernels.catalog import Catalog
from kernels.cli.command import archive, json_option, runs_option, say, say_json
from kernels.errors import RecordError
from kernels.records import Run


def options(parser: ArgumentParser) -> None:
    """Adds the command's options."""
    runs_option(parser)
    json_option(parser)
    for name in ("a", "b"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help="id of a run, several separated by commas, or a pattern such as '*-b64'; or the "
            "name of an accelerator or a system, on both sides",
        )


def main(chosen: Namespace) -> int:
    """Runs the command."""
    runs = archive(chosen.runs).runs
    known = catalog.load()
    one, other = (_named(word, known, runs) for word in (chosen.a, chosen.b))
    if one and other:
        named = {one: chosen.a, other: chosen.b}
        return _both(named, runs, known, as_json=chosen.json)
    a, b = (compare.choose(runs, words) for words in (chosen.a, chosen.b))
    slow = summary.remarks([run.run_id for run in (*a, *b)], runs, seeded=False)
    if chosen.json:
        say_json(_record(a, b, slow))
    else:
        for line in _lines(a, b, slow):
            say(line)
    return 0


def _warnings(runs: Sequence[Run]) -> dict[str, list[str]]:
    return {run.run_id: [warning(each) for each in run.doubts] for run in runs if run.doubts}


def _record(a: Sequence[Run], b: Sequence[Run], slow: Sequence[str]) -> dict[str, object]:
    seeds = [repetitions.seeds(each) for each in (a, b)]
    return {
        "a": summary.group(a),
        "b": summary.group(b),
        "unlike": compare.unlike(a, b),
        "differences": compare.differences(a, b),
        "scaling_efficiency": compare.scaling(a, b),
        "slow": slow,
        "warnings": _warnings((*a, *b)),
        "not_compared": compare.lacking(a, b),
        "records": [summary.comparison(each) for each in compare.compare(a, b)],
        "seeds": [None if each is None else asdict(each) for each in seeds],
    }


def _row(found: compare.Comparison) -> tuple[str, ...]:
    a, b = (summary.estimate(each, found.unit) for each in (found.a, found.b))
    answer = found.answer.replace("_", " ")
    return found.metric, a, b, summary.ratio(found), summary.gap(found), answer


def _lines(a: Sequence[Run], b: Sequence[Run], slow: Sequence[str]) -> Iterator[str]:
    found = compare.compare(a, b)
    yield from (f"{name}: {summary.group(runs)}" for name, runs in (("A", a), ("B", b)))
    yield summary.table([*map(_row, found)], ("metric", "A", "B", "A over B", "A less B", "A is"))
    for reason in dict.fromkeys(each.reason for each in found if each.reason):
        metrics = ", ".join(each.metric for each in found if each.reason == reason)
        yield f"  {metrics}: not separable: {reason}"
    epochs = compare.far_epochs(found)
    yield from (f"  {line}" for line in compare.lacking(a, b))
    if epochs is not None:
        yield f"  {epochs}"
    both = summary.both(repetitions.seeds(a), repetitions.seeds(b))
    yield from (f"  {line}" for line in (*both, *slow))
    yield from (f"  differs in {line}" for line in compare.unlike(a, b))
    yield from (f"  differs in {line}" for line in compare.differences(a, b))
    efficiency = compare.scaling(a, b)
    if efficiency is not None:
        yield f"  {summary.efficiency(efficiency, unequal=compare.unequal_threads(a, b))}"
    for name, lines in _warnings((*a, *b)).items():
        yield from (f"  warning: {name}: {line}" for line in lines)


def _named(word: str, known: Catalog, runs: Sequence[Run]) -> str | None:
    """Returns the accelerator or system of that id or name, else the accelerator with most runs
    among those that have the word in their name.
    """
    called = word if word in known.hardware else known.called(word)
    if called or word in known.systems or any(run.system == word for run in runs):
        return called or word
    count = Counter(run.accelerator for run in runs)
    return max(known.meant(word), key=lambda id_: count[id_], default=None)


def _both(named: Mapping[str, str], runs: Sequence[Run], known: Catalog, *, as_json: bool) -> int:
    """Compares two accelerators or systems, given by the words that name them, in the order of
    their page: by their most comparable best scores, else by figures of one source, else by way of
    a third. As JSON all have the keys `records` (scores), `sources` and `bridge`.
    """
    a, b = min(named), max(named)
    submissions = [*pairs.submissions(scores(runs), {run.run_id: run for run in runs})]
    accelerators = pairs.grouped(submissions)
    best = {**pairs.grouped(submissions, pairs.system), **accelerators}
    told = sourced.beside(sourced.figures(gathered.groups(runs)), a, b) if a != b else []
    if a != b and not told and not best.get(a, {}).keys() & best.get(b, {}).keys():
        some, others = ([id_, *known.meant(named[id_])] for id_ in (a, b))
        a, b = _nearest(best, some, others) or (a, b)
    found = pairs.pair(best, a, b) if a != b and a in best and b in best else ()
    alone, way = not found and any(one.ratio for one in told), None
    if a != b and a in best and b in best and not (found or alone):
        way = pairs.bridge(best, accelerators, a, b)
    if not (found or alone or way):
        of_both = ", ".join(f"{one.workload} ({one.source})" for one in told)
        why = f"; without figures on equal terms there is {of_both}" if told else ""
        raise RecordError(f"{a} and {b} share no workload with scores: nothing to compare{why}")
    if as_json:
        records, sources = [*map(_matched, found)], [*map(asdict, told)]
        bridge = way and {
            "third": way.third,
            "ratio": asdict(way.ratio),
            "legs": [_matched(way.first), _matched(way.second)],
        }
        say_json({"a": a, "b": b, "records": records, "sources": sources, "bridge": bridge})
    elif way:
        _indirect(a, b, way, known)
    elif found:
        say(_sentence(pairs.leading(found), a, b, known))
        _table(found, a, b)
    else:
        say(f"{_name(a, known)} and {_name(b, known)} have no scores in the same workload")
    if told and not (as_json or way):
        _of_sources(told, a, b)
    return 0


def _nearest(best: Grouped, some: Sequence[str], others: Sequence[str]) -> list[str] | None:
    """Returns the pair of two ambiguous names that shares a workload and has most results."""
    shared = [
        sorted(two)
        for two in product(some, others)
        if len(set(two)) > 1 and best.get(two[0], {}).keys() & best.get(two[1], {}).keys()
    ]
    return max(
        shared,
        key=lambda two: sum(len(each) for id_ in two for each in best[id_].values()),
        default=None,
    )


def _table(found: Sequence[Match], a: str, b: str) -> None:
    head = ("workload", "round", "accelerators", f"{a}, min", f"{b}, min", "A is")
    say(summary.table([_compared(match) for match in found], head))


def _of_sources(told: Sequence[Beside], a: str, b: str) -> None:
    say("In results of one source each, without a score:")
    head = ("workload", "source", "accelerators", "figure", a, b, "A is")
    say(summary.table([_of_source(one) for one in told], head))
    say("  ratios without an interval: a repeat may differ")


def _of_source(one: Beside) -> tuple[str, ...]:
    numbers = dict.fromkeys(str(each.number or "?") for each in (one.a, one.b))
    metrics = dict.fromkeys(each.metric for each in (one.a, one.b))
    ratio = "no ratio: no figures of both on equal terms"
    if one.ratio is not None:
        ratio = f"{one.ratio:.2f} times as fast"
    figures = (_figure(each) for each in (one.a, one.b))
    return one.workload, one.source, " / ".join(numbers), " / ".join(metrics), *figures, ratio


def _figure(one: Figure) -> str:
    return "none" if one.value is None else f"{one.value:.6g} {one.unit}"


def _indirect(a: str, b: str, way: Bridge, known: Catalog) -> None:
    """Prints what follows from the ratios of both to a third, as their page does."""
    legs = ((way.first, a), (way.second, b))
    ratio, fast, base = way.ratio, _name(a, known), _name(b, known)
    if ratio.value < 1:
        ratio, fast, base = pairs.Ratio(1 / ratio.value, 1 / ratio.high, 1 / ratio.low), base, fast
    workloads = [known.workload_name(match.workload) for match, _ in legs]
    found = [each for match, _ in legs for each in (match.a, match.b)]
    rounds = dict.fromkeys(each.score.round or "" for each in sorted(found, key=_round))
    ends = " against ".join(dict.fromkeys((next(iter(rounds)), [*rounds][-1])))
    said = (
        f"{fast} is {_times(ratio)} times as fast as {base}"
        if ratio.low > 1
        else f"{fast} or {base} may be the faster one"
    )
    if fast != _name(a, known):
        workloads.reverse()
    say(
        f"Indirectly, via {_name(way.third, known)}: {said} "
        f"(on {workloads[0]} and {workloads[1]}, MLPerf {ends})"
    )
    say(
        f"  range {ratio.low:.2f} to {ratio.high:.2f}: the product of the two ratios below, no "
        "measured ratio"
    )
    for match, name in legs:
        _table([match], *sorted((name, way.third)))


def _round(found: Submission) -> tuple[int, ...]:
    return found.round


def _times(ratio: Ratio) -> str:
    return f"{ratio.value:.{1 if ratio.value >= 2 else 2}f}"  # noqa: PLR2004 - as the page writes it


def _name(id_: str, known: Catalog) -> str:
    if id_ in known.hardware:
        return known.hardware[id_].name.removeprefix(f"{known.hardware[id_].vendor} ")
    return known.systems[id_].name if id_ in known.systems else id_


def _matched(match: Match) -> dict[str, object]:
    ratio = None if match.told is None else asdict(Ratio.of(match.a, match.b))
    results = {
        name: {
            "runs": each.score.run_ids,
            "round": each.score.round,
            "accelerators": each.number,
            "minutes": each.minutes,
        }
        for name, each in (("a", match.a), ("b", match.b))
    }
    separable = match.separable
    return {"workload": match.workload, "ratio": ratio, "separable": separable, **results}


def _compared(match: Match) -> tuple[str, ...]:
    one, other = match.a, match.b
    rounds = dict.fromkeys((one.score.round or "", other.score.round or ""))
    numbers = dict.fromkeys((str(one.number), str(other.number)))
    said = {Basis.NEAREST: "no ratio: the numbers differ", Basis.TARGET: "no ratio: other targets"}
    ratio = Ratio.of(one, other)
    times = f"{ratio.value:.2f} times as fast ({ratio.low:.2f} to {ratio.high:.2f})"
    told = times if match.separable else f"not separable: {times}"
    if match.told is None:
        told = said[match.basis]
    minutes = (f"{each.minutes:.2f}" for each in (one, other))
    return match.workload, " / ".join(rounds), " / ".join(numbers), *minutes, told


def _sentence(match: Match, a: str, b: str, known: Catalog) -> str:
    """Returns the title of the page of two, without costs."""
    fast, base = match.a, match.b
    if match.told is not None and fast.minutes > base.minutes:
        fast, base, a, b = base, fast, b, a
    one, other = _name(a, known), _name(b, known)
    workload, round_ = known.workload_name(match.workload), f"MLPerf {fast.score.round}"
    if fast.score.round != base.score.round:
        round_ += f" against {base.score.round}"
    if match.basis is Basis.TARGET:
        return f"{one} and {other} trained {workload} to different targets ({round_})"
    # a system's name includes the number
    one = f"{fast.number} {one}" if a in known.hardware else one
    other = f"{base.number} {other}" if b in known.hardware else other
    if match.told is None:
        times = [f"{each.minutes:.3g} min on" for each in (fast, base)]
        return f"{workload} took {times[0]} {one} and {times[1]} {other} ({round_})"
    if match.told.answer is Answer.NOT_SEPARABLE:
        return f"{workload} on {one} or {other}: the runs cannot be told apart ({round_})"
    if match.told.answer is Answer.SAME:
        return f"{one} and {other} trained {workload} equally fast ({round_})"
    times_as = _times(Ratio.of(fast, base))
    return f"{one} trained {workload} {times_as} times as fast as {other} ({round_})"
