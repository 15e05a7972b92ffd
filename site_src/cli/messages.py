"""Messages of the command about a build."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from site_src.addresses import ledger
from site_src.cli.building import Built
from site_src.cli.inputs import Inputs
from site_src.verify import Failure

SHOWN: Final = 5
"""Most new ids that are named."""

UNRECORDED: Final = (
    "error: a site that is published must keep what it shows: run build.py --ledger, and commit "
    "the ledger"
)


def left_out(inputs: Inputs) -> Iterator[str]:
    """Yields notes on records that are not on the site."""
    for problem in inputs.evidence.archive.problems:
        yield f"left out: {problem}"
    if inputs.unlicensed:
        yield (
            f"left out: {inputs.unlicensed} runs of sources that state no licence; "
            "--unlicensed shows them, on a site of your own"
        )


def retired(chart: str, folder: Path) -> str:
    """Says where a chart's last version is, and the next steps."""
    return (
        f"kept the last version of {chart} in {folder}: review and commit it, then remove the chart"
    )


def frozen(name: str, path: Path) -> str:
    """Says where an edition is, and the next steps."""
    size = path.stat().st_size / 1e6
    return f"kept edition {name} in {path} ({size:.1f} MB): commit it; building the site with it"


def added(given: Namespace, added: Sequence[ledger.Entry], *, recorded: bool) -> Iterator[str]:
    """Yields the first of the ids and verdicts that were new to the ledger."""
    if not added:
        return
    names = ", ".join(f"{entry.kind} {entry.id}" for entry in added[:SHOWN])
    more = ", ..." if len(added) > SHOWN else ""
    done = "recorded in" if recorded else "not yet recorded (publishing with --ledger does) in"
    path = given.runs / ledger.NAME
    yield f"{len(added)} new charts or verdicts {done} {path}: {names}{more}"


def site(inputs: Inputs, built: Built) -> str:
    """Describes the site, for the command's last line."""
    report = built.report
    return (
        f"built {report.pages} pages in {', '.join(report.languages)} from "
        f"{len(inputs.evidence.archive.runs)} runs with {built.charts} charts"
    )


def changes(given: Namespace, built: Built, failures: Sequence[Failure]) -> str:
    """Describes its changes, for the command's last line."""
    report = built.report
    checked = f", {len(failures)} failures" if failures else ", verified" if given.verify else ""
    return f"{len(report.written)} files written, {len(report.removed)} removed{checked}"
