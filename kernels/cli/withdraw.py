"""`python -m kernels withdraw RUN --why "..."`: hides a run from comparisons."""

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime

from kernels import store
from kernels.cli.command import archive, runs_option, say
from kernels.errors import StoreError
from kernels.records import Withdrawal
from kernels.store import lock


def options(parser: ArgumentParser) -> None:
    """Adds the command's options."""
    runs_option(parser)
    parser.add_argument("run", help="id of the run")
    parser.add_argument("--why", required=True, help="the reason, for the readers of its page")


def main(chosen: Namespace) -> int:
    """Writes the withdrawal."""
    path = chosen.runs / "withdrawn" / f"{chosen.run}.parquet"
    run = next((run for run in archive(chosen.runs).runs if run.run_id == chosen.run), None)
    if run is None:
        raise StoreError(f"{chosen.run}: no such run below {chosen.runs}; `show` lists all")
    with lock.writing(chosen.runs, path):
        why = store.read_file(path)[0].why if path.exists() else run.withdrawn
        if why is not None:
            raise StoreError(f"{chosen.run} is withdrawn already: {why}")
        store.write(path, [Withdrawal(chosen.run, chosen.why, datetime.now(UTC).date())])
    say(f"{chosen.run} is withdrawn; {path} says so, delete it to take that back")
    return 0
