"""Records in order, for tests that say only what matters to them: what is not given has a value
that stands for nothing.
"""

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kernels import catalog, store
from kernels.audit.facts import Facts
from kernels.importers import article
from kernels.records import (
    Bound,
    Certainty,
    Origin,
    Per,
    Price,
    PriceKind,
    PrintedCell,
    Run,
    Source,
    SourceKind,
    Status,
)
from kernels.store import Archive

RUNS = Path(__file__).resolve().parents[1] / "runs"
SOURCES = RUNS / "sources"
CHOSEN = (
    "published/*",  # articles with cells, claims, reviews, prices: texts cite all of their runs
    "prices/*",
    "withdrawn/*",
    "imported/*-sources.parquet",
    "imported/*-resnet.parquet",  # every submission to one benchmark
    "measured/*t065349*",  # those that were withdrawn
    "measured/digits-cnn-*t143747*",  # seeds, to a target, with telemetry
    "measured/*t154756*",  # a suite
    "measured/cnn10-cifar10-cpu-*t143859*",  # batch sizes
    "measured/cnn10-cifar10-cpu-*t173704-s0-r[01].parquet",  # settings side by side, rounds
    "measured/cnn10-cifar10-cpu-*t173704-s0-r[01]-5.parquet",
    "measured/cnn10-cifar10-cpu-*t173705-s0-r[01].parquet",  # the other framework
    "measured/cnn10-cifar10-cpu-*t173705-s0-r[01]-2.parquet",
)
"""Files below `runs/` that have a record of each kind: few enough to build a site of in seconds."""
PLACES = {Origin.MEASURED: ("measured", "here"), Origin.PUBLISHED: ("toy", "table 1")}
"""Source and place in it where a run comes from."""


def make_run(run_id: str = "toy-run", **fields: Any) -> Run:
    """A run of the digits network that ended well; as measured here if nothing else is said."""
    source, locator = PLACES.get(fields.get("origin", Origin.MEASURED), ("toy", "here"))
    usual = {
        "origin": Origin.MEASURED,
        "source": source,
        "locator": locator,
        "licence": "MIT",
        "credit": "Toy Works",
        "workload": "digits-cnn",
        "system": "toy-box",
        "status": Status.OK,
    }
    return Run(run_id, **{**usual, **fields})


def make_source(source: str = "toy", **fields: Any) -> Source:
    """An article in English."""
    usual = {
        "kind": SourceKind.ARTICLE,
        "title": "Toys",
        "url": None,
        "language": "en",
        "licence": "MIT",
        "credit": "Toy Works",
    }
    return Source(source, **{**usual, **fields})


def make_price(price_id: str = "toy-hour", **fields: Any) -> Price:
    """A dollar an hour, on demand, wherever and whenever."""
    usual = {
        "provider": "toy",
        "offer": "toy",
        "system": "toy-box",
        "accelerators": 1,
        "kind": PriceKind.ON_DEMAND,
        "amount": 1.0,
        "currency": "USD",
        "per": Per.HOUR,
        "region": None,
        "valid_from": None,
        "valid_to": None,
        "source": "toy",
        "locator": "table 1",
        "licence": "MIT",
    }
    return Price(price_id, **{**usual, **fields})


def make_cell(table: str = "hosts", **fields: Any) -> PrintedCell:
    """An empty cell of a printed table."""
    usual = {"row_index": 0, "row": "Toy Box", "column": "memory", "text": None, "value": None}
    usual |= {"unit": None, "decimals": None, "bound": Bound.EQ, "certainty": Certainty.STATED}
    return PrintedCell(table=table, **{"source": "toy", "locator": "table 1", **usual, **fields})


def make_archive(folder: Path, *patterns: str) -> Path:
    """Lay records of this repository into a folder of runs, each file as it is: the chosen ones
    where no others are.
    """
    for pattern in patterns or CHOSEN:
        found = sorted(RUNS.glob(pattern))
        assert found, f"runs/{pattern}: no such records"
        for path in found:
            (place := folder / path.relative_to(RUNS)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    return folder


@cache
def chosen() -> Archive:
    """Those records, read."""
    with TemporaryDirectory() as folder:
        return store.read(make_archive(Path(folder)))


@cache
def transcribed(*sources: str) -> Archive:
    """Articles of `runs/sources` as they are transcribed; all of them where none is named."""
    wanted = sources or sorted(path.name for path in SOURCES.iterdir() if path.is_dir())
    found = [article.transcribed(SOURCES / source) for source in wanted]
    tables = ("runs", "claims", "sources", "reviews", "cells", "prices", "rates")
    records: dict[str, Any] = {
        table: tuple(one for each in found for one in getattr(each, table)) for table in tables
    }
    return Archive(**records)


@cache
def audited(*sources: str) -> Facts:
    """Their figures by reference, with those of the catalogue."""
    return Facts(transcribed(*sources), catalog.load())
