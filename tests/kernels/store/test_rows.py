"""Records go to columns and back without loss."""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import store, texts
from kernels.errors import RecordError, StoreError
from kernels.records import (
    MOST_DECIMALS,
    Evaluation,
    Metric,
    Origin,
    Phase,
    Price,
    PriceKind,
    Run,
    Status,
    Step,
)
from kernels.store.rows import conform, to_arrow, to_records
from kernels.store.schema import TABLES, Column
from kernels.units import UNITS
from tests.examples import tried
from tests.makers import make_run

ids = st.from_regex(r"[a-z0-9]{1,6}(-[a-z0-9]{1,4})?", fullmatch=True)
finite = st.floats(allow_nan=False, allow_infinity=False)
scalars: dict[type, st.SearchStrategy[Any]] = {
    str: st.text(
        st.characters().filter(lambda letter: texts.rule(Run, "credit").fault(letter) is None),
        max_size=8,
    ),
    bool: st.booleans(),
    int: st.integers(-(2**63), 2**63 - 1),
    float: finite,
    date: st.dates(),
    datetime: st.datetimes(
        min_value=datetime(1970, 1, 2),
        timezones=st.just(UTC) | st.just(timezone(timedelta(hours=9))),
    ),
}
currencies = st.sampled_from(["USD", "EUR", "JPY"])
decimals = st.integers(-MOST_DECIMALS, MOST_DECIMALS)
addresses = st.none() | st.text(max_size=8).map(lambda text: f"https://example.org/{quote(text)}")
words: dict[tuple[str, str], st.SearchStrategy[Any]] = {
    ("Run", "implementation_url"): addresses,
    ("Run", "accelerator"): st.none() | ids,
    ("Source", "url"): addresses,
    ("Source", "code"): addresses | st.just("none"),
    ("PrintedCell", "table"): ids,
    ("Metric", "unit"): st.sampled_from(sorted(UNITS)),
    ("Claim", "unit"): st.sampled_from(sorted(UNITS)),
    ("Claim", "printed"): finite,
    ("Claim", "decimals"): decimals,
    ("PrintedCell", "decimals"): st.none() | decimals,
    ("Metric", "decimals"): st.none() | decimals,
    ("Price", "decimals"): decimals,
    ("Price", "currency"): currencies,
    ("Rate", "base"): currencies,
    ("Rate", "quote"): currencies,
    ("Tariff", "currency"): currencies,
    ("Tariff", "amount"): st.floats(0.01, 1e6),
    ("Price", "amount"): st.floats(0.01, 1e6),
    ("Price", "kind"): st.sampled_from([kind for kind in PriceKind if kind is not PriceKind.FREE]),
    ("Run", "accelerators"): st.none() | st.integers(1, 4096),
    ("Run", "global_batch_size"): st.none() | st.integers(1, 2**40),
}


def values(owner: str, column: Column) -> st.SearchStrategy[Any]:
    """What one field of a record may hold."""
    if (owner, column.name) in words:
        return words[owner, column.name]
    if column.columns:
        one = records(column.kind, column.columns)
    elif issubclass(column.kind, StrEnum):
        one = st.sampled_from(list(column.kind))
    elif column.name.endswith("_id") or column.name in {"source", "workload", "system"}:
        one = ids
    else:
        one = scalars[column.kind]
    if column.many:
        return st.lists(one, max_size=3).map(tuple)
    return one if column.required else st.none() | one


def made(kind: type, fields: dict[str, Any]) -> Any:
    """The record, where its own checks let it be."""
    if kind is Metric and (
        fields["low"] is None or fields["high"] is None or fields["interval"] is None
    ):
        fields |= {"low": None, "high": None, "interval": None}
    if kind is Metric and fields["low"] is not None:
        fields["low"], fields["high"] = sorted((fields["low"], fields["high"]))
    if kind is Run:
        fields["metrics"] = tuple({metric.key: metric for metric in fields["metrics"]}.values())
    try:
        return kind(**fields)
    except RecordError:
        return None


def records(kind: type, columns: Sequence[Column]) -> st.SearchStrategy[Any]:
    """Records of one type, over all their fields."""
    fields = st.fixed_dictionaries(
        {column.name: values(kind.__name__, column) for column in columns}
    )
    return fields.map(lambda found: made(kind, found)).filter(lambda record: record is not None)


def named(record: type, found: list[Any]) -> list[Any]:
    """The first of each name."""
    return list(
        {tuple(getattr(one, key) for key in TABLES[record].key): one for one in found}.values()
    )


@pytest.mark.parametrize("record", list(TABLES))
@settings(max_examples=tried(25))
@given(data=st.data())
def test_what_is_written_is_what_is_read(record: type, data: st.DataObject, tmp_path: Path) -> None:
    """Every table, every field: unicode, None, nested records, enumerations, microseconds."""
    table = TABLES[record]
    written = named(
        record, data.draw(st.lists(records(record, table.columns), min_size=1, max_size=3))
    )
    path = tmp_path / "file.parquet"

    store.write(path, written)
    found = store.read_file(path)

    assert list(found) == written
    assert [repr(type(one)) for one in found] == [repr(record)] * len(written)


a_run = partial(make_run, origin=Origin.PUBLISHED)


def there_and_back(run: Run) -> Run:
    """Through the columns."""
    table = TABLES[Run]
    found: Run = to_records(table, to_arrow(table, [run]))[0]
    return found


def test_types_come_back_as_they_were() -> None:
    """An enumeration is its member again, a list a tuple, a whole number whole."""
    # whole numbers where fractions are wanted
    run = there_and_back(a_run(steps=(Step(0, Phase.WARMUP, 0, 1),), caveats=("a", "b")))

    assert run.status is Status.OK
    assert run.steps[0].phase is Phase.WARMUP
    assert isinstance(run.steps[0].duration_s, float)
    assert isinstance(run.steps[0].index, int)
    assert run.caveats == ("a", "b")


def test_a_time_in_tokyo_is_the_same_instant_in_utc() -> None:
    """Times are kept in UTC."""
    tokyo = datetime(2026, 11, 20, 9, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))

    found = there_and_back(a_run(started_at=tokyo)).started_at

    assert found is not None
    assert found.isoformat() == "2026-11-20T00:00:00.123456+00:00"


def test_a_loss_that_is_no_number_stays_so() -> None:
    """A diverging run's loss is NaN, which is not the same as not recorded."""
    steps = tuple(
        Step(index, Phase.MEASURE, 0.0, 1.0, loss=loss)
        for index, loss in enumerate((1.0, float("nan"), None, float("inf")))
    )

    found = [step.loss for step in there_and_back(a_run(steps=steps)).steps]

    assert [repr(loss) for loss in found] == ["1.0", "nan", "None", "inf"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"global_batch_size": 1.5}, "global_batch_size.*float"),
        ({"seed": True}, "seed.*bool"),
        ({"seed": 2**70}, "seed"),
        ({"credit": 7}, "credit"),
        ({"credit": "\ud800"}, "credit"),
        ({"credit": None}, "credit: found None"),
        ({"status": "fine"}, "status.*fine"),
        ({"epochs_planned": 2**60 + 1}, "epochs_planned"),
        ({"steps": (Step(0, Phase.MEASURE, 0.0, None),)}, "steps.duration_s: found None"),  # type: ignore[arg-type]  # that is the fault
        ({"caveats": ("a", None)}, "caveats: found None"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_name(fields: dict[str, Any], words: str) -> None:
    """Python does not check the types of fields; before anything is written, this does."""
    with pytest.raises(StoreError, match=words):
        to_arrow(TABLES[Run], [a_run(**fields)])


def older(table: pa.Table, *absent: str) -> pa.Table:
    """The same table from before these columns were there."""
    return table.drop_columns(list(absent))


def test_a_column_that_an_older_file_lacks_is_null() -> None:
    """The next minor version's reader sees None, an empty list, or the column's written default."""
    table = TABLES[Run]
    found = older(
        to_arrow(table, [a_run(seed=3, caveats=("a",))]), "seed", "caveats", "environment", "mode"
    )

    (run,) = to_records(table, conform(table, found, ignore_unknown=False))

    assert run == a_run()


def test_a_nested_column_that_an_older_file_lacks_is_null() -> None:
    """Fields of nested records are columns too."""
    table = TABLES[Run]
    reading = Evaluation("top1", 0.5, epoch=1.0, locator="line 7")
    found = to_arrow(table, [a_run(), a_run(run_id="other", evaluations=(reading, reading))])
    place = found.schema.get_field_index("evaluations")
    values = found.column(place).combine_chunks()
    keep = [
        index
        for index in range(values.type.value_type.num_fields)
        if values.type.value_type.field(index).name != "locator"
    ]
    flat = pa.StructArray.from_arrays(
        [values.values.field(index) for index in keep],
        fields=[values.type.value_type.field(index) for index in keep],
    )
    found = found.set_column(place, "evaluations", pa.ListArray.from_arrays(values.offsets, flat))

    runs = to_records(table, conform(table, found, ignore_unknown=False))

    assert runs[1].evaluations == (dataclasses.replace(reading, locator=None),) * 2
    assert runs[0].evaluations == ()


def test_an_unknown_column_is_dropped_from_a_newer_file_and_refused_in_ours() -> None:
    """A newer minor version may add; a file of our own version that has more is not ours."""
    table = TABLES[Run]
    found = to_arrow(table, [a_run()]).append_column("mood", pa.array(["good"]))

    assert to_records(table, conform(table, found, ignore_unknown=True)) == [a_run()]
    with pytest.raises(StoreError, match="column mood is not in this schema"):
        conform(table, found, ignore_unknown=False)


@pytest.mark.parametrize(
    ("column", "array", "words"),
    [
        ("credit", pa.array([1]), "column credit has type int64, wanted string"),
        ("seed", pa.array(["1"]), "column seed has type string, wanted int64"),
        ("steps", pa.array([1.0]), "column steps has type double"),
        ("steps", pa.array([[{"index": 1}]]), "column steps.phase is absent"),
        ("environment", pa.array([{"os": 1}]), "column environment.os has type int64"),
        ("status", pa.array(["fine"]), "column status.*fine"),
        ("credit", pa.array([None], pa.string()), "column credit: found null"),
        ("run_id", pa.array(["Not An Id"]), "lower-case"),
    ],
)
def test_a_column_that_is_not_as_it_should_be_is_refused_by_name(
    column: str, array: pa.Array, words: str
) -> None:
    """Wrong types, absent fields, nulls for values, and records that refuse themselves."""
    table = TABLES[Run]
    found = to_arrow(table, [a_run()])
    found = found.set_column(found.schema.get_field_index(column), column, array)

    with pytest.raises(StoreError, match=words):
        to_records(table, conform(table, found, ignore_unknown=False))


def test_an_absent_column_without_default_is_refused() -> None:
    """A run without an id is no run."""
    table = TABLES[Run]

    with pytest.raises(StoreError, match="column run_id is absent"):
        conform(table, older(to_arrow(table, [a_run()]), "run_id"), ignore_unknown=False)


def test_prices_keep_their_words_and_days() -> None:
    """A side table goes the same way."""
    table = TABLES[Price]
    price = made(
        Price,
        {
            **{column.name: None for column in table.columns},
            "price_id": "toy-hour",
            **dict.fromkeys(("provider", "offer", "source", "locator", "licence"), "toy"),
            **{
                "system": "toy-box",
                "accelerators": 1,
                "kind": PriceKind.SPOT,
                "amount": 0.5,
                "currency": "JPY",
                "per": "hour",
            },
            **{
                "valid_from": date(2018, 2, 23),
                "bound": "eq",
                "decimals": 1,
                "includes": ("host", "accelerator"),
            },
        },
    )

    assert to_records(table, to_arrow(table, [price])) == [price]
