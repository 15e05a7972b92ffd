"""`python -m kernels compare A B`: whether runs A are faster than runs B."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from kernels.analysis import compare, repetitions, summary
from kernels.analysis.warnings import say as warning
from kernels.cli.command import archive, json_option, runs_option, say, say_json
from kernels.records import Run


def options(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    runs_option(parser)
    json_option(parser)
    for name in ("a", "b"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help="id of a run, several separated by commas, or a pattern such as '*-b64'",
        )


def main(chosen: Namespace) -> int:
    """The command."""
    runs = archive(chosen.runs).runs
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
