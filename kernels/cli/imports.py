"""`python -m kernels import FORMAT PATH`: what others published, read by one of
`importers.FORMATS`, and a report of what was not taken.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from tqdm import tqdm

from kernels.cli import importing
from kernels.cli.importing import Change
from kernels.errors import SourceError, StoreError
from kernels.harness import jobs
from kernels.harness import options as flags
from kernels.importers import FORMATS, Imported, Refused
from kernels.machine import system

SUMMARY: Final = "turn others' figures into runs; importing the same thing again changes nothing"

EPILOG: Final = (
    "Each format takes PATH, --runs DIR and --dry-run, and may have options of its "
    "own: python -m kernels import FORMAT --help"
)

Say = Callable[[str], None]

_COMMON: Final = frozenset(
    {"name", "format", "path", "runs", "dry_run", "jobs", "command", "template", "say"}
)


def options(parser: argparse.ArgumentParser, runs: Path, say: Say) -> None:
    """A command of its own for each format, since each may have options; `say` prints a line of the
    answer.
    """
    formats = parser.add_subparsers(required=True, metavar="FORMAT", dest="format")
    for name, importer in FORMATS.items():
        made = formats.add_parser(name, help=importer.SUMMARY, description=importer.SUMMARY)
        made.add_argument(
            "path", type=Path, nargs="?", metavar="PATH", help="file or folder to read"
        )
        made.add_argument(
            "--runs",
            type=Path,
            default=runs,
            metavar="DIR",
            help="folder with recorded runs (default: runs/ of this checkout)",
        )
        made.add_argument(
            "--dry-run",
            action="store_true",
            help="say what would be recorded and what is doubtful, write nothing",
        )
        made.add_argument(
            "--jobs", type=flags.number(1), help="processes (default: one for each core)"
        )
        importer.arguments(made)
        made.set_defaults(command=bring_in, say=say)


def bring_in(chosen: argparse.Namespace) -> int:
    """Read the parts and record them; the exit status is 1 where a file was refused, or nothing of
    its rows was taken.

    Raises:
        StoreError: The path is not there, or a file cannot be written.
        SourceError: Nothing of the format is there.
    """
    if chosen.path is None:
        return _template(chosen)
    if not chosen.path.exists():
        raise StoreError(
            f"{chosen.path}: no such file or folder; give the path of what you want to import"
        )
    importer = FORMATS[chosen.format]
    parts = list(
        importer.parts(
            chosen.path,
            {name: value for name, value in vars(chosen).items() if name not in _COMMON},
        )
    )
    counts: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    found = importing.outcomes(chosen.format, parts, chosen.jobs or system.usable_cores())
    with (
        closing(found),
        tqdm(
            found,
            total=len(parts),
            desc=f"importing {chosen.format}",
            unit=" parts",
            leave=False,
            disable=None,
        ) as bar,
    ):
        for part, outcome in bar:
            bar.set_postfix_str(part.name[-40:])
            if isinstance(outcome, SourceError):
                counts["refused"] += 1
                _aside(f"refused: {outcome}")
                continue
            _tell(outcome, counts, rows)
            for kept in importing.keep(outcome, chosen.runs, dry=chosen.dry_run):
                counts[kept.change] += 1
                counts["runs"] += len(outcome.runs) if kept.kind == "run" else 0
                counts["prices"] += kept.fresh if kept.kind == "price" else 0
                _rows(kept.refused, rows)
                fresh = (
                    f", {kept.fresh} new or changed" if kept.fresh not in (0, kept.records) else ""
                )
                tqdm.write(
                    f"{kept.path}: {kept.records} {kept.kind} records{fresh}, {kept.change}",
                    file=sys.stdout,
                )
    if rows:
        chosen.say(
            f"{rows.total()} rows and prices refused: "
            f"{', '.join(f'{reason} ({n})' for reason, n in rows.most_common())}"
        )
    taken = (
        f"{counts['prices']} new prices" if chosen.format == "prices" else f"{counts['runs']} runs"
    )
    files = ", ".join(f"{counts[change]} {change}" for change in Change if counts[change])
    refused = counts["refused"] + rows.total()
    chosen.say(
        f"{taken} of {len(parts)} parts; files: {files or 'none'}; {counts['doubts']} doubts, "
        f"{refused} refused"
    )
    return 1 if counts["refused"] or (rows and not files) else 0


def _tell(found: Imported, counts: Counter[str], rows: Counter[str]) -> None:
    """Say what is doubtful about a part and what of it is refused."""
    for doubt in found.doubts:
        _aside(f"doubt: {doubt}")
    for refusal in found.refused:
        _aside(f"refused: {refusal}")
    counts["doubts"] += len(found.doubts)
    counts["refused"] += len(found.refused)
    _rows(found.left_out, rows)


def _rows(refused: Iterable[Refused], rows: Counter[str]) -> None:
    """Say each row that is refused, and count it by its reason."""
    for each in refused:
        _aside(f"refused: {each.text}")
        rows[each.reason] += 1


def _template(chosen: argparse.Namespace) -> int:
    """Write an example of the format, for formats that have one."""
    template = getattr(FORMATS[chosen.format], "TEMPLATE", None)
    if template is None or not getattr(chosen, "template", False):
        also = " or --template" if template is not None else ""
        raise jobs.UsageError(f"{chosen.format}: no PATH; give the file or folder to read{also}")
    chosen.say(template.rstrip("\n"))
    return 0


def _aside(text: str) -> None:
    """A line to whoever waits, above the progress bar."""
    tqdm.write(text, file=sys.stderr)
