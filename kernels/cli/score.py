"""`python -m kernels score`: MLPerf submissions by the rules of their round."""

from argparse import Namespace
from dataclasses import asdict

from kernels.analysis.mlperf_scores import UNVERIFIED, scores
from kernels.analysis.summary import table
from kernels.cli.command import archive, say, say_json
from kernels.store.schema import SCHEMA_VERSION


def main(chosen: Namespace) -> int:
    """Runs the command."""
    found = scores(archive(chosen.runs).runs)
    if chosen.json:
        records = [asdict(each) for each in found]
        say_json({"schema_version": SCHEMA_VERSION, "note": UNVERIFIED, "records": records})
        return 0
    if not found:
        say("no MLPerf submissions recorded")
        return 0
    rows = [
        (
            each.source,
            each.system,
            each.workload,
            f"{each.converged}/{each.runs}",
            "-" if each.score_minutes is None else f"{each.score_minutes:.2f} min",
            each.reason or each.verdict,
        )
        for each in found
    ]
    say(table(rows, ("source", "system", "workload", "converged", "score", "verdict")))
    say(f"scores {UNVERIFIED}")
    return 0
