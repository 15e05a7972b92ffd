"""`python -m kernels data list|fetch`: data sets, with size, licence, origin and download."""

import argparse
from pathlib import Path
from typing import Final

from kernels import datasets
from kernels.analysis import summary
from kernels.cli.command import json_option, say, say_json
from kernels.datasets import Dataset, fetch
from kernels.datasets.fetch import State
from kernels.errors import FetchError
from kernels.harness import jobs

_COLUMNS: Final = (
    "data set", "state", "download", "on disk", "package", "licence", "origin", "what it is",
)  # fmt: skip


def options(parser: argparse.ArgumentParser) -> None:
    """Adds the two commands."""
    commands = parser.add_subparsers(required=True, metavar="list|fetch", dest="what")
    listing = commands.add_parser("list", help="list what can be fetched and what is there")
    listing.description = "Lists what can be fetched."
    fetching = commands.add_parser("fetch", help="fetch a data set into the cache")
    fetching.description = f"Fetches a set into ${datasets.VARIABLE}."
    names = sorted(datasets.DATASETS)
    fetching.add_argument("set", choices=names, metavar="NAME", help=f"one of: {', '.join(names)}")
    fetching.add_argument(
        "--from",
        dest="package",
        type=Path,
        metavar="FILE",
        help="take the package from this file, not from its registry",
    )
    for made, command in ((listing, _list), (fetching, _fetch)):
        json_option(made, "text")
        made.set_defaults(command=command)


def _record(dataset: Dataset, state: State) -> dict[str, object]:
    return {
        "name": dataset.name,
        "state": state.value,
        "summary": dataset.summary,
        "folder": str(datasets.path(dataset.name)),
        "registry": dataset.package.registry,
        "package": dataset.package.name,
        "version": dataset.package.version,
        "package_sha256": dataset.package.sha256,
        "package_licence": dataset.package.licence,
        "data_sha256": dataset.sha256,
        "download_bytes": dataset.package.size,
        "disk_bytes": dataset.size,
        "origin": dataset.origin,
        "licence": dataset.licence,
    }


def _list(chosen: argparse.Namespace) -> int:
    found = [
        (dataset, fetch.state(dataset, datasets.path(dataset.name)))
        for dataset in datasets.DATASETS.values()
    ]
    if chosen.json:
        say_json({"records": [_record(*each) for each in found]})
        return 0
    rows = [
        (
            dataset.name,
            state.value,
            _megabytes(dataset.package.size),
            _megabytes(dataset.size),
            str(dataset.package),
            dataset.licence.partition(";")[0],
            dataset.origin.partition(";")[0],
            dataset.summary,
        )
        for dataset, state in found
    ]
    say(summary.table(rows, _COLUMNS))
    say(
        f"in {datasets.root()}; ${datasets.VARIABLE} names another folder; licence and origin in "
        "full: `data list --json`"
    )
    return 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _fetch(chosen: argparse.Namespace) -> int:
    dataset = datasets.DATASETS[chosen.set]
    folder = datasets.path(dataset.name)
    if chosen.package is not None and not chosen.package.is_file():
        raise FetchError(
            f"{chosen.package} is no file: give the package that you got, {dataset.package}"
        )

    def tell(text: str) -> None:
        if not chosen.json:
            say(text)

    tell(f"{dataset.name}: {dataset.summary}")
    sizes = map(_megabytes, (dataset.package.size, dataset.size))
    tell("  size     {} to download, {} on disk".format(*sizes))
    tell(f"  licence  {dataset.licence}; its package says {dataset.package.licence}")
    tell(f"  origin   {dataset.origin}")
    tell(f"  package  {dataset.package}")
    before = fetch.state(dataset, folder)
    if before is State.PRESENT:
        tell(f"is in {folder} already, and is what it should be (SHA-256 {dataset.sha256})")
    else:
        if before is State.DAMAGED:
            tell(f"what is in {folder} is damaged and will be replaced")
        with jobs.bar(f"fetching {dataset.name}") as progress:
            fetch.fetch(dataset, folder, progress, chosen.package)
        tell(f"is in {folder} now; SHA-256 of package and data are as they should be")
    if chosen.json:
        say_json(_record(dataset, State.PRESENT))
    return 0
