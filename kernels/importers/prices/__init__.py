"""Imports dated offers of cloud machines and accelerators from catalogues, lists and plain tables.

Layouts are recognised by content: catalogues in SkyPilot's format, rows of GPU-hunt and its list of
TPU prices, a daily index, lists of AWS, Azure and Google Cloud with a day in each row, lists of
many small clouds, and a plain table of our own columns (`--template`). Options give what a file
does not state (day, provider, source, licence, credit).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from kernels import catalog
from kernels.errors import RecordError, SourceError
from kernels.importers.base import TEMPLATE_OPTION, Flags, Imported, Part, files, has_address
from kernels.importers.plain_csv import check_licence
from kernels.importers.prices import gpuhunt, index, lists, skypilot, snapshots, table
from kernels.importers.prices.offers import Sheet, offers
from kernels.importers.prices.rows import PROVIDERS, SOURCES, Read
from kernels.importers.prices.table import TEMPLATE
from kernels.records import NO_LICENCE, Origin, Source, SourceKind, check_id
from kernels.tabular import Entry

__all__ = ["OPTIONS", "SUMMARY", "TEMPLATE", "parts", "read"]

SUMMARY: Final = (
    "prices: catalogues of SkyPilot and GPU-hunt, dated lists of clouds, daily indices, plain "
    "tables; "
    "--template writes one to fill in"
)

FOLDER: Final = "prices"
"""Folder of prices, below `runs/`."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of file: its recognition and reader.

    Attributes:
        read: None for the plain table, whose rows are offers already.
        provider_word: Returns the provider's name in a file's path; None if rows or `rows.toml`
            have it.
        dated: True if the rows or the file's name state the day.
        whole: True if each day lists all offers, so that one missing on a later day has ended.
    """

    fits: Callable[[Path], bool]
    read: Read | None
    provider_word: Callable[[Path], str] | None = None
    dated: bool = False
    whole: bool = False


LAYOUTS: Final[Mapping[str, Layout]] = {
    "SkyPilot": Layout(skypilot.fits, skypilot.read, skypilot.provider_word),
    "GPU-hunt": Layout(gpuhunt.fits, gpuhunt.read, gpuhunt.provider_word),
    "TPU list": Layout(gpuhunt.fits_list, gpuhunt.read_list),
    "daily index": Layout(index.fits, index.read, dated=True),
    "list of AWS": Layout(snapshots.fits_aws, snapshots.read_karpenter, dated=True, whole=True),
    "list of Azure": Layout(snapshots.fits_azure, snapshots.read_karpenter, dated=True, whole=True),
    "list of Google Cloud": Layout(
        snapshots.fits_google, snapshots.read_google, dated=True, whole=True
    ),
    "table of clouds": Layout(lists.fits_table, lists.read_table, dated=True),
    "offers": Layout(lists.fits_offers, lists.read_offers, dated=True),
    "price feed": Layout(lists.fits_feed, lists.read_feed, dated=True, whole=True),
    "plain table": Layout(table.fits, None),
}
"""Layouts by their names in messages, in the order in which they are tried."""

_TABLES: Final = frozenset({".csv", ".json", ".jsonl"})


OPTIONS: Final[Flags] = {
    "--day": {
        "metavar": "YYYY-MM-DD",
        "help": "date of the snapshot, if the file does not state it",
    },
    "--provider": {
        "metavar": "NAME",
        "help": "provider, if neither rows nor path name it, as gcp/vms.csv does",
    },
    "--source": {
        "metavar": "ID",
        "help": "id of the source in lower case; ids of its prices begin with it",
    },
    "--licence": {"metavar": "SPDX", "help": f"licence of the prices; {NO_LICENCE} for none"},
    "--credit": {"metavar": "TEXT", "help": "name to credit: a team or a project, no mail address"},
    "--title": {"metavar": "TEXT", "help": "title of the source"},
    "--url": {"metavar": "ADDRESS", "help": "where it is published"},
    "--commit": {
        "metavar": "HEX",
        "help": "commit of the repository from which the file was taken",
    },
    **TEMPLATE_OPTION,
}
"""Options for what files of prices do not state."""


def parts(path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:
    """Yields each file of prices, all of one layout."""
    found = [(name, each, layout) for name, each in files(path) if (layout := _layout(each, path))]
    if not found:
        raise SourceError(f"{path.name}: found no prices, wanted one of: {', '.join(LAYOUTS)}")
    kinds = sorted({layout for _, _, layout in found})
    if len(kinds) > 1:
        raise SourceError(
            f"{path.name}: found {', '.join(kinds)}, wanted one of them at a time: --source and "
            "--day hold for every file"
        )
    if len(found) > 1 and options.get("provider"):
        raise SourceError(
            f"{path.name}: found {len(found)} files for --provider {options['provider']}, wanted "
            "one"
        )
    for name, each, layout in found:
        word = LAYOUTS[layout].provider_word
        known = PROVIDERS.get(word(each).lower()) if word else None
        # the folder that names the provider belongs to the file's name, whether it is given or
        # above the given path
        full = (
            f"{each.resolve().parent.name}/{name}"
            if known and "/" not in name and layout == "SkyPilot"
            else name
        )
        yield Part(
            full,
            (each,),
            {**options, "layout": layout, "provider": options.get("provider") or known},
        )


def _layout(path: Path, given: Path) -> str | None:
    if path != given and path.suffix.lower() not in _TABLES:
        return None
    return next((name for name, layout in LAYOUTS.items() if layout.fits(path)), None)


def read(part: Part) -> Imported:
    """Returns the offers of a file."""
    name = str(part.options["layout"])
    layout = LAYOUTS[name]
    said = {**SOURCES[name], **{key: value for key, value in part.options.items() if value}}
    _check_options(part, layout, said)
    warnings: list[str] = []
    source = _source(part, said, warnings)
    sheet = Sheet(part.name, source.source, source.licence)
    known = catalog.load()
    day = _day(part.name, said)
    (file,) = part.files
    if layout.read is None:
        found = table.read(file, sheet, day, known)
    else:
        rows = layout.read(file, part.name, said.get("provider", ""), day or date.min, known)
        found = offers(sheet, rows, known, whole=layout.whole)
    return Imported(
        source=source.source,
        folder=FOLDER,
        prices=found.prices,
        sources=(source,) if found.prices else (),
        warnings=(*warnings, *found.warnings),
        left_out=found.refused,
    )


def _check_options(part: Part, layout: Layout, said: Mapping[str, str]) -> None:
    wanted = {
        "source": "--source my-prices",
        "licence": f"--licence CC-BY-4.0 ({NO_LICENCE} for none)",
        "credit": "--credit 'Who made it'",
    }
    if not layout.dated and layout.read is not None:
        wanted["day"] = "--day 2026-08-19"
    if layout.provider_word is not None:
        wanted["provider"] = "--provider 'Google Cloud'"
    missing = [option for name, option in wanted.items() if not said.get(name)]
    if missing:
        raise SourceError(
            f"{part.name}: the file does not say all of what a price needs; wanted "
            f"{', '.join(missing)}"
        )
    if layout.dated and said.get("day"):
        raise SourceError(
            f"{part.name}: found --day {said['day']}, and each row says its own day; leave the "
            "option out"
        )


def _day(name: str, said: Mapping[str, str]) -> date | None:
    if "day" not in said:
        return None
    try:
        return date.fromisoformat(said["day"])
    except ValueError:
        raise SourceError(
            f"{name}: --day: found {said['day']!r}, wanted a day such as 2026-08-19"
        ) from None


def _source(part: Part, said: Mapping[str, str], warnings: list[str]) -> Source:
    entry = Entry(part.name, said)
    no_address = "no mail address: name teams and projects"
    for name in ("credit", "title", "provider"):
        if has_address(said.get(name, "")):
            raise entry.error(f"--{name}", no_address, repr(said[name]))
    if "url" in said and not said["url"].startswith(("https://", "http://")):
        raise entry.error("--url", "an address that begins with https://", repr(said["url"]))
    if said["source"] in set(Origin):
        another = "another id: this one is a folder of recorded runs"
        raise entry.error("--source", another, repr(said["source"]))
    try:
        check_id("--source", said["source"])
    except RecordError as error:
        raise SourceError(f"{part.name}: {error}") from None
    check_licence(entry, warnings)
    return Source(
        source=said["source"],
        kind=SourceKind.CATALOGUE,
        title=said["title"],
        url=said.get("url"),
        language="en",
        licence=said["licence"],
        credit=said["credit"],
        version=said.get("commit"),
    )
