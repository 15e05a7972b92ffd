"""Every finding says where to look: the file, the record, and the field that is wrong."""

import dataclasses
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from kernels import catalog
from kernels.audit.facts import Facts
from kernels.checks.records import check
from kernels.errors import Finding, RecordError, Severity
from kernels.records import (
    Claim,
    Direction,
    Environment,
    Epoch,
    Evaluation,
    Interval,
    Metric,
    Origin,
    Phase,
    Price,
    PriceKind,
    PrintedCell,
    Rate,
    Recording,
    Review,
    Run,
    RunWarning,
    Sample,
    Setting,
    Software,
    Source,
    Step,
    Target,
    Tariff,
    Withdrawal,
)
from kernels.store import Archive
from kernels.store.schema import TABLES, Column
from tests.makers import make_cell, make_price, make_run, make_source

CATALOG = catalog.load()
RATE = "throughput_images_per_s"
TARGET = Target("top1", 0.5, Direction.AT_LEAST)
RUN = make_run(origin=Origin.PUBLISHED, system="cloud-tpu-v2-8", accelerator="tpu-v2", accelerators=4, global_batch_size=64, wall_time_s=100.0, started_at=datetime(2026, 1, 1, tzinfo=UTC), seed=1, metrics=(Metric(RATE, 3186.0, "images/s", 3000.0, 3200.0, Interval.CI95, n=3, decimals=0), Metric("best_top1", 0.7)), targets=(TARGET,), steps=(Step(0, Phase.MEASURE, 0.0, 1.0), Step(1, Phase.MEASURE, 1.0, 1.0)), epochs=(Epoch(0, duration_s=1.0, evaluation_s=1.0, data_wait_s=0.5),), evaluations=(Evaluation("top1", 0.6, epoch=1.0, time_s=2.0, train_time_s=1.0),), telemetry=(Sample(0.0, 0, power_w=5.0), Sample(1.0, 0, power_w=5.0)), software=(Software("torch", "2"),), settings=(Setting("momentum", "0.9"),), caveats=("few-trials",), doubts=(RunWarning("unstable", 0.5, 0.05),), environment=Environment())  # fmt: skip
CELL = make_cell("power", row="gpu-one", column="specified", value=200.0, unit="W", decimals=0)
RECORDS: dict[type, Any] = {
    Run: RUN,
    Claim: Claim("toy-claim", "toy", "table 1", "memory-total", "1", "repeats", ("number:3186",), 3186.0),
    Source: make_source(tags=("cloud",), disclaimers=("editors-may-differ",)),
    Review: Review("toy", "Toy Works", "vendor", "asked", None, None, "end"),
    PrintedCell: CELL,
    Price: make_price(kind=PriceKind.SPOT, valid_from=date(2018, 1, 1), valid_to=date(2019, 1, 1)),
    Rate: Rate("USD", "EUR", 0.8, date(2018, 2, 23), "toy", "table 1", "MIT"),
    Tariff: Tariff("toy-2018", "toyland", 0.31, "EUR", date(2018, 1, 1), date(2019, 1, 1), "toy", "table 2", "MIT"),
    Recording: Recording("toy-run", "toy", "a.csv", "MIT", "Toy Works", offset_s=0.0),
    Withdrawal: Withdrawal("toy-run", "a mistake", date(2026, 1, 1)),
}  # fmt: skip
"""One of each kind that is in order."""

TOLD = [
    (kind, column.name)
    for kind, table in TABLES.items()
    for column in table.columns
    if column.name not in table.key
]
ODD: dict[type, tuple[Any, ...]] = {
    str: ("", " ", "unheard-of", "Unheard of", "a, b", "2019-13", "https://"),
    int: (-1, 0, 10**15),
    float: (-1.0, 0.0, math.nan, math.inf, 1e15, 76.4),
    bool: (True,),
    date: (date(1970, 1, 1), date(9999, 12, 31)),
    datetime: (datetime(2012, 1, 1, tzinfo=UTC),),
}


def archive_of(record: Any) -> Archive:
    """An archive of all the records above, with this one for its kind; each kind in a file."""
    held = {**RECORDS, type(record): record}
    tables = {TABLES[kind].name: (one,) for kind, one in held.items()}
    others = {
        (table.name, key[0] if len(key) == 1 else key): Path(f"published/{table.name}.parquet")
        for kind, table in TABLES.items()
        if (key := tuple(getattr(held[kind], name) for name in table.key))
    }
    return Archive(**tables, files={"toy-run": Path("published/runs.parquet")}, others=others)


def found(record: Any) -> list[Finding]:
    """What `check` refuses in that archive."""
    archive = archive_of(record)
    return [
        finding
        for finding in check(archive) + Facts(archive, CATALOG).check()
        if finding.severity is Severity.ERROR
    ]


def mistakes(column: Column, value: Any) -> Iterator[tuple[str, Any]]:
    """A field with something odd in it, and each field of records within it, by path."""
    if column.columns:
        inner = value if column.many else (value,) if value is not None else ()
        for child in column.columns:
            for one in inner[:1]:
                for path, odd in mistakes(child, getattr(one, child.name)):
                    try:
                        changed = dataclasses.replace(one, **{child.name: odd})
                    except RecordError as error:
                        assert child.name in str(error), f"{column.name}.{path}: {error}"
                        continue
                    yield f"{column.name}.{path}", (changed, *inner[1:]) if column.many else changed
        return
    odd_ones = tuple(column.kind) if issubclass(column.kind, StrEnum) else ODD[column.kind]
    for odd in odd_ones:
        yield column.name, (odd,) if column.many else odd


def test_the_records_are_in_order() -> None:
    """So that what is found in them below is the mistake."""
    assert [finding for record in RECORDS.values() for finding in found(record)] == []


@pytest.mark.parametrize(
    ("kind", "name"), TOLD, ids=[f"{kind.__name__}.{name}" for kind, name in TOLD]
)
def test_a_finding_names_the_file_and_the_field(kind: type, name: str) -> None:
    """Whatever is refused, by the record or by `check`, says in which field and file it is."""
    record = RECORDS[kind]
    column = next(column for column in TABLES[kind].columns if column.name == name)

    for path, odd in mistakes(column, getattr(record, name)):
        fields = path.split(".")
        try:
            wrong = dataclasses.replace(record, **{name: odd})
        except RecordError as error:
            assert any(field.removesuffix("s") in str(error) for field in fields), (
                f"{path} {odd!r}: {error}"
            )
            continue
        for finding in found(wrong):
            assert "(published/" in finding.place, f"{path} {odd!r}: {finding}"
            assert any(field.removesuffix("s") in finding.text for field in fields), (
                f"{path} {odd!r}: {finding}"
            )
