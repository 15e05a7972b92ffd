"""Records in order, for tests that say only what matters to them: what is not given has a value
that stands for nothing.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pyarrow import compute  # type: ignore[import-untyped]  # it ships without type hints

from kernels import catalog, store
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
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
from kernels.store import Archive, parquet

RUNS = Path(__file__).resolve().parents[1] / "runs"
SOURCES = RUNS / "sources"
CHOSEN = (
    "published/*",  # articles with cells, claims, reviews, prices: texts cite all of their runs
    "prices/gpuhunt-*",  # the other lists have thousands of offers
    "withdrawn/*",
    "measured/*t065349*",  # those that were withdrawn
    "measured/digits-cnn-*t143747*",  # seeds, to a target, with telemetry
    "measured/*t154756*",  # a suite
    "measured/cnn10-cifar10-cpu-*t143859*",  # batch sizes
    "measured/cnn10-cifar10-cpu-*t173704-s0-r[01].parquet",  # settings side by side, rounds
    "measured/cnn10-cifar10-cpu-*t173704-s0-r[01]-5.parquet",
    "measured/cnn10-cifar10-cpu-*t173705-s0-r[01].parquet",  # the other framework
    "measured/cnn10-cifar10-cpu-*t173705-s0-r[01]-2.parquet",
)
"""Files below `runs/` that have, with the submissions, a record of each kind: few enough to build
a site of in seconds.
"""
SUBMISSIONS = (
    "v0.5-google-cloud-v100x8-8xv100-resnet",
    "v0.5-google-cloud-v2.8-resnet-tpuv2-8-tpu-resnet",
    "v0.5-nvidia-dgx1-ngc18.11-mxnet-resnet",
    "v0.6-google-tpu-v3-32-resnet",
    "v0.6-nvidia-dgx1-ngc19.05-mxnet-resnet",
    "v0.7-dellemc-c4140-resnet",
    "v0.7-google-gpu-v100-8-tf2.0-resnet",
    "v0.7-google-tpu-v3-32-tf2.0-resnet",
    "v1.0-google-tpu-v4-128-tf-resnet",
    "v3.1-xfusion-g5500v7x8xa30-resnet",
)
"""Submissions to one benchmark over five rounds of MLPerf that are beside those files: few of the
thousands, by the names of their results.
"""
CARDS = "-rtx[34]090-resnet50-"
"""What rows of timm's tables that are beside them have in their ids: training and inference on two
cards.
"""
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


def value(run: Run, key: str) -> float | None:
    """The figure of a metric that a run has."""
    metric = run.metric(key)
    assert metric is not None, key
    return metric.value


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
    where no others are, with the chosen submissions.
    """
    for pattern in patterns or CHOSEN:
        found = sorted(RUNS.glob(pattern))
        assert found, f"runs/{pattern}: no such records"
        for path in found:
            lay(folder / path.relative_to(RUNS), path.read_bytes())
    for name, content in _imported().items() if not patterns else ():
        lay(folder / "imported" / name, content)
    return folder


def lay(place: Path, content: bytes) -> None:
    """Write a file, with the folders above it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


@cache
def _imported() -> dict[str, bytes]:
    """Files of imported runs that have the chosen submissions and cards with their sources, and no
    others.
    """
    rounds = dict.fromkeys(name.partition("-")[0] for name in SUBMISSIONS)
    submitted = rf"^mlperf-({'|'.join(map(re.escape, SUBMISSIONS))})-[0-9]+$"
    wanted = {f"mlperf-{version}": submitted for version in rounds} | {"timm-results": CARDS}
    return {
        file: content
        for name, pattern in wanted.items()
        for file, content in imported(name, partial(compute.match_substring_regex, pattern=pattern))
    }


def imported(name: str, taken: Callable[[Any], Any]) -> Iterator[tuple[str, bytes]]:
    """The files of a round, or of another source of imported runs, with those of its runs whose ids
    are `taken`, and their sources.
    """
    of_runs, of_sources = (f"{name}-{table}.parquet" for table in ("runs", "sources"))
    table, runs = parquet.opened(RUNS / "imported" / of_runs)
    runs = runs.filter(taken(runs["run_id"]))
    if runs.num_rows:
        yield of_runs, parquet.table_bytes(table, runs)
        table, sources = parquet.opened(RUNS / "imported" / of_sources)
        sources = sources.filter(compute.is_in(sources["source"], runs["source"]))
        yield of_sources, parquet.table_bytes(table, sources)


@cache
def catalogue() -> Catalog:
    """That of this repository, read once; whoever notes what a build reads reads it again."""
    return catalog.load()


@cache
def chosen() -> Archive:
    """Those records, read."""
    with TemporaryDirectory() as folder:
        return store.read(make_archive(Path(folder)))


@cache
def whole() -> Archive:
    """All that is recorded here, read once; for tests that are marked so."""
    return store.read(RUNS)


EACH = pytest.mark.parametrize(
    "recorded", [chosen, pytest.param(whole, marks=pytest.mark.whole)], ids=lambda f: f.__name__
)
"""A test of the chosen records, and of all where every test runs: `recorded()` has them."""


@cache
def transcribed(*sources: str) -> Archive:
    """Articles of `runs/sources` as they are transcribed; all of them where none is named."""
    wanted = sources or sorted(path.name for path in SOURCES.iterdir() if path.is_dir())
    found = [article.transcribed(SOURCES / source) for source in wanted]
    tables = ("runs", "claims", "sources", "reviews", "cells", "prices", "rates")
    records: dict[str, Any] = {
        table: tuple(one for each in found for one in getattr(each, table, ())) for table in tables
    }
    return Archive(**records)


@cache
def audited(*sources: str) -> Facts:
    """Their figures by reference, with those of the catalogue."""
    return Facts(transcribed(*sources), catalogue())
