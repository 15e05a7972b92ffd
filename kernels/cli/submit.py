"""`python -m kernels submit RUN...`: prepares runs of this machine for submission, after the checks
that they will meet there.

Nothing is sent: the file moves from `measured/` to `submitted/`, to be offered by a pull request.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Final

from kernels import checks, store
from kernels.cli.command import runs_option, say
from kernels.errors import Finding, Severity, StoreError
from kernels.records import Origin, Run
from kernels.store import Archive, lock, packs
from kernels.store.names import place

CREDIT: Final = "Touchstone, submitted measurement"


def options(parser: argparse.ArgumentParser) -> None:
    """Adds options for the runs, and the name to credit."""
    runs_option(parser)
    parser.add_argument(
        "run", nargs="+", help="id of a run that `kernels run` recorded on this machine"
    )
    parser.add_argument(
        "--credit",
        default=CREDIT,
        metavar="NAME",
        help=f"name to credit with the figures (default: {CREDIT})",
    )


def main(chosen: argparse.Namespace) -> int:
    """Moves runs to `submitted/`, all or none."""
    with lock.writing(chosen.runs, chosen.runs / Origin.SUBMITTED / f"{chosen.run[0]}.parquet"):
        made, findings = _moved(chosen)
    for finding in findings:
        say(str(finding))
    say("a reviewer will look at what is said above; offer the new files by a pull request:")
    say(
        f"by that you give the figures away under {made[0].licence}, with the credit: "
        f"{chosen.credit}"
    )
    return 0


def _moved(chosen: argparse.Namespace) -> tuple[list[Run], list[Finding]]:
    archive = store.read(chosen.runs)
    made = [_made(name, archive, chosen.credit) for name in dict.fromkeys(chosen.run)]
    findings = _findings(made, archive)
    refused = [str(finding) for finding in findings if finding.severity is Severity.ERROR]
    if refused:
        raise StoreError("\n".join(["nothing was moved:", *refused]))
    for run in made:
        path = chosen.runs / _file(run)
        # a crash may have come between writing and deleting
        if not path.exists() or store.read_file(path) != (run,):
            store.write(path, [run])
    for file in {archive.files[run.run_id] for run in made}:
        packs.take_out(chosen.runs / file, {run.run_id for run in made})
    for run in made:
        say(f"{run.run_id} is in {chosen.runs / _file(run)}")
    return made, findings


def _made(name: str, archive: Archive, credit: str) -> Run:
    run = next((run for run in archive.runs if run.run_id == name), None)
    if run is None:
        raise StoreError(f"{name}: no such run; `show` lists all")
    if run.origin is not Origin.MEASURED or run.withdrawn is not None:
        found = run.origin if run.withdrawn is None else f"withdrawn ({run.withdrawn})"
        raise StoreError(
            f"{name} is {found}, wanted a run that `kernels run` recorded on this machine"
        )
    submitted, locator = Origin.SUBMITTED, f"file 'runs/{_file(run).as_posix()}'"
    return replace(run, origin=submitted, source=submitted.value, locator=locator, credit=credit)


def _file(run: Run) -> Path:
    return Path(Origin.SUBMITTED) / f"{run.run_id}.parquet"


def _findings(made: list[Run], archive: Archive) -> list[Finding]:
    new = {run.run_id: run for run in made}
    runs = tuple(new.get(run.run_id, run) for run in archive.runs)
    files = {**archive.files, **{name: _file(run) for name, run in new.items()}}
    there = replace(archive, runs=runs, files=files, problems=())
    about = {place(run, there) for run in made}
    return [finding for finding in checks.check(there) if finding.place in about]
