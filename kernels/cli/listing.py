"""`python -m kernels list`: the workloads and suites that can be run."""

from argparse import Namespace
from dataclasses import asdict
from typing import Final

from kernels.analysis.summary import table
from kernels.cli.command import say, say_json
from kernels.harness import suites
from kernels.workloads import WORKLOADS, Plan

_COLUMNS: Final = (
    "workload", "backends", "data", "data set", "widths", "batch", "epochs", "target", "what it is",
)  # fmt: skip


def main(chosen: Namespace) -> int:
    """Runs the command."""
    protocols = [suites.load(name) for name in suites.names()]
    plans = WORKLOADS.values()
    if chosen.json:
        say_json({"records": list(map(asdict, plans)), "suites": list(map(asdict, protocols))})
        return 0
    say(table(list(map(_row, plans)), _COLUMNS))
    rows = [
        (each.name, ", ".join(each.sizes), each.source or "-", each.summary) for each in protocols
    ]
    say("\n" + table(rows, ("suite", "sizes", "follows", "what it finds out")))
    return 0


def _row(plan: Plan) -> tuple[str, ...]:
    return (
        plan.name,
        ", ".join(plan.backends),
        ", ".join(plan.data),
        plan.dataset or "-",
        ", ".join(f"{width:g}" for width in (1.0, *(each.factor for each in plan.widths))),
        str(plan.batch_size),
        str(plan.epochs),
        "-" if plan.target is None else f"{plan.target.metric} {plan.target.value:g}",
        plan.summary,
    )
