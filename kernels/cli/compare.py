"""`python -m kernels compare A B`: whether runs A, or accelerator A, are faster than B."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from kernels import catalog
from kernels.analysis import compare, pairs, repetitions, summary
from kernels.analysis.compare import Answer
from kernels.analysis.mlperf_scores import scores
from kernels.analysis.pairs import Basis, Match, Ratio
from kernels.analysis.warnings import say as warning
from kernels.catalog import Catalog
from kernels.cli.command import archive, json_option, runs_option, say, say_json
from kernels.errors import RecordError
from kernels.records import Run


def options(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    runs_option(parser)
    json_option(parser)
    for name in ("a", "b"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help="id of a run, several separated by commas, or a pattern such as '*-b64'; or an "
            "accelerator's name, on both sides",
        )


def main(chosen: Namespace) -> int:
    """The command."""
    runs = archive(chosen.runs).runs
    known = catalog.load()
    two = sorted(filter(None, (_accelerator(word, known) for word in (chosen.a, chosen.b))))
    if len(two) == 2:  # noqa: PLR2004 - both are accelerators
        return _accelerators(two[0], two[1], runs, known, as_json=chosen.json)
    a, b = (compare.choose(runs, words) for words in (chosen.a, chosen.b))
    slow = summary.remarks([run.run_id for run in (*a, *b)], runs, seeded=False)
    if chosen.json:
        say_json(_record(a, b, slow))
    else:
        for line in _lines(a, b, slow):
            say(line)
    return 0


def _warnings(runs: Sequence[Run]) -> dict[str, list[str]]:
    return {run.run_id: [warning(doubt) for doubt in run.doubts] for run in runs if run.doubts}


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


def _accelerator(word: str, known: Catalog) -> str | None:
    """The accelerator of that id or name."""
    return word if word in known.hardware else known.called(word)


def _accelerators(a: str, b: str, runs: Sequence[Run], known: Catalog, *, as_json: bool) -> int:
    """Compare two accelerators, in the order of their page, by the best scores of each that have
    most in common.
    """
    best = pairs.grouped(pairs.sides(scores(runs), {run.run_id: run for run in runs}))
    if a == b or a not in best or b not in best or not best[a].keys() & best[b].keys():
        raise RecordError(f"{a} and {b} share no workload with scores: nothing to compare")
    found = pairs.pair(best, a, b)
    if as_json:
        say_json({"a": a, "b": b, "records": [*map(_matched, found)]})
        return 0
    say(_sentence(pairs.leading(found), known))
    head = ("workload", "round", "accelerators", f"{a}, min", f"{b}, min", "A is")
    say(summary.table([_compared(match) for match in found], head))
    return 0


def _matched(match: Match) -> dict[str, object]:
    ratio = None if match.told is None else asdict(Ratio.of(match.a, match.b))
    sides = {
        name: {
            "runs": side.score.run_ids,
            "round": side.score.round,
            "accelerators": side.number,
            "minutes": side.minutes,
        }
        for name, side in (("a", match.a), ("b", match.b))
    }
    separable = match.separable
    return {"workload": match.workload, "ratio": ratio, "separable": separable, **sides}


def _compared(match: Match) -> tuple[str, ...]:
    one, other = match.a, match.b
    rounds = dict.fromkeys((one.score.round or "", other.score.round or ""))
    numbers = dict.fromkeys((str(one.number), str(other.number)))
    said = {Basis.NEAREST: "no ratio: the numbers differ", Basis.TARGET: "no ratio: other targets"}
    ratio = Ratio.of(one, other)
    times = f"{ratio.value:.2f} times as fast ({ratio.low:.2f} to {ratio.high:.2f})"
    told = said.get(match.basis) or (times if match.separable else f"not separable: {times}")
    minutes = (f"{side.minutes:.2f}" for side in (one, other))
    return match.workload, " / ".join(rounds), " / ".join(numbers), *minutes, told


def _sentence(match: Match, known: Catalog) -> str:
    """The title of the page of two, without costs."""
    fast, base = match.a, match.b
    if match.told is not None and fast.minutes > base.minutes:
        fast, base = base, fast
    one, other = (
        known.hardware[side.accelerator].name.removeprefix(
            f"{known.hardware[side.accelerator].vendor} "
        )
        for side in (fast, base)
    )
    workload, round_ = known.workload_name(match.workload), f"MLPerf {fast.score.round}"
    if fast.score.round != base.score.round:
        round_ += f" against {base.score.round}"
    if match.basis is Basis.TARGET:
        said = f"{one} and {other} trained {workload} to different targets"
    elif match.told is None:
        times = [f"{each.minutes:.3g} min on {each.number}" for each in (fast, base)]
        said = f"{workload} took {times[0]} {one} and {times[1]} {other}"
    elif match.told.answer is Answer.NOT_SEPARABLE:
        said = (
            f"{workload} on {fast.number} {one} or {base.number} {other}: the runs cannot be "
            "told apart"
        )
    elif match.told.answer is Answer.SAME:
        said = f"{fast.number} {one} and {base.number} {other} trained {workload} equally fast"
    else:
        times_as = Ratio.of(fast, base).value
        said = (
            f"{fast.number} {one} trained {workload} {times_as:.{1 if times_as >= 2 else 2}f} "  # noqa: PLR2004 - as the page writes it
            f"times as fast as {base.number} {other}"
        )
    return f"{said} ({round_})"
