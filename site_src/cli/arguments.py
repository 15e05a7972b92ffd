"""The options of the command."""

import argparse
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from site_src.model import RUNTIMES

ROOT: Final = Path(__file__).resolve().parents[2]
CACHE: Final = ROOT / ".cache"
STRINGS: Final = ROOT / "site_src" / "strings"

MADE_FROM: Final = (
    "site_src",
    "kernels",
    "build.py",
    "mkdocs.yml",
    "package.json",
    "package-lock.json",
    ".npmrc",
)
"""Sources of a site, besides the recorded runs."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options, checked; wrong usage ends with 2."""
    parser = argparse.ArgumentParser(
        prog="build.py", description="Build the site from the recorded runs.", allow_abbrev=False
    )
    _add_inputs(parser)
    _add_tasks(parser)
    _add_ways(parser)
    given = parser.parse_args(arguments)
    if given.date is None:
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        try:
            given.date = datetime.fromtimestamp(int(epoch), UTC).date() if epoch else date.today()
        except (ValueError, OverflowError):
            parser.error(f"SOURCE_DATE_EPOCH is {epoch!r}, wanted seconds since 1970")
    for fault in _faults(given):
        parser.error(fault)
    return given


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--runs", type=Path, default=ROOT / "runs", help="folder with recorded runs (default: runs)"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "site", help="folder to write (default: site)"
    )
    parser.add_argument(
        "--lang",
        type=lambda text: tuple(text.split(",")),
        help="such as en,ja (default: all); needs another --out",
    )
    parser.add_argument(
        "--base-url",
        default="",
        help="address of the site's root; without it nothing absolute is written",
    )
    parser.add_argument(
        "--date", type=_day, help="the build's date (default: SOURCE_DATE_EPOCH, else today)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="processes, on Linux (default: one per core; elsewhere always one)",
    )


def _add_tasks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--verify",
        action="store_true",
        help="check every figure, link and file of the written site against the records",
    )
    parser.add_argument(
        "--ledger",
        action="store_true",
        help="record new chart ids and verdicts in ledger.csv; from then on they are promises",
    )
    parser.add_argument(
        "--draft",
        action="store_true",
        help="leave out PNG files, which take much of a first build; do not publish that",
    )
    parser.add_argument(
        "--retire",
        metavar="CHART",
        help="keep the last version of a chart before it is removed; build nothing",
    )
    parser.add_argument(
        "--why",
        default="",
        help="for --retire: the reason, in English, shown to readers where the chart was",
    )
    parser.add_argument(
        "--freeze",
        metavar="NAME",
        help="build, and keep charts, tables and API as the edition of that name, such as 2026.4, "
        "at addresses that never change; needs --base-url",
    )
    parser.add_argument(
        "--unlicensed",
        action="store_true",
        help="also show runs of sources that state no licence; do not publish that",
    )


def _add_ways(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--serve",
        action="store_true",
        help="serve the site here and rebuild when something changes",
    )
    parser.add_argument("--port", type=int, default=8000, help="for --serve (default: 8000)")
    parser.add_argument(
        "--clean", action="store_true", help="clear the caches and build everything from scratch"
    )
    parser.add_argument(
        "--runtime",
        choices=RUNTIMES,
        default="slim",
        help="the charts' JavaScript (default: slim)",
    )


def _faults(given: argparse.Namespace) -> Iterator[str]:
    known = [path.stem for path in sorted(STRINGS.glob("*.toml"))]
    some = bool(given.lang) and set(given.lang) != set(known)
    if unknown := sorted(set(given.lang or ()) - set(known)):
        yield f"--lang: no strings for {', '.join(unknown)}; there are {', '.join(known)}"
    if some and given.out.resolve() == ROOT / "site":
        yield "--lang with some of the languages needs another --out: site/ has all of them"
    if given.base_url and not given.base_url.startswith(("https://", "http://")):
        yield (
            f"--base-url is {given.base_url!r}, wanted an address such as "
            "https://example.org/bench/"
        )
    if bool(given.retire) != bool(given.why.strip()):
        yield (
            "--retire CHART and --why TEXT go together: readers are told why the chart was removed"
        )
    if given.retire and some:
        yield "--retire keeps a chart in every language: leave --lang out"
    if given.freeze and (some or given.unlicensed):
        yield "--freeze keeps what is published: leave --lang and --unlicensed out"
    if given.freeze and not given.base_url:
        yield (
            "--freeze needs --base-url: what cites or embeds an edition names its address, which "
            "never changes"
        )
    told = (given.base_url, given.verify, given.ledger, given.retire, given.freeze)
    if given.draft and any(told):
        yield (
            "--draft leaves out files that a published site has: it goes without --base-url, "
            "--verify, --ledger, --retire and --freeze"
        )
    if given.jobs < 1:
        yield f"--jobs is {given.jobs}, wanted 1 or more"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date, wanted YYYY-MM-DD") from None
