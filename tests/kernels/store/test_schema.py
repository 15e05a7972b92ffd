"""The tables, their versions, and the words that describe them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernels import records
from kernels.errors import StoreError
from kernels.metrics import METRICS, metric_unit
from kernels.store.schema import (
    SCHEMA_VERSION,
    TABLES,
    Column,
    columns_markdown,
    is_newer,
    table_of,
)
from kernels.units import UNITS

SUFFIXES = {"_s": "s", "_w": "W", "_j": "J", "_hz": "Hz", "_bytes": "byte", "_c": "degC"}


def every_column() -> Iterator[Column]:
    """All columns of all tables, nested ones included."""
    waiting = [column for table in TABLES.values() for column in table.columns]
    while waiting:
        column = waiting.pop()
        waiting += column.columns
        yield column


def test_the_readme_describes_the_columns_as_they_are(repository: Path) -> None:
    """`runs/README.md` ends with what `python -m kernels.store.schema` prints."""
    text = (repository / "runs" / "README.md").read_text(encoding="utf-8")

    assert text.endswith(columns_markdown()), (
        "replace what follows '## Columns' by the output of `python -m kernels.store.schema`"
    )
    assert f"now `{SCHEMA_VERSION}`" in text


def test_a_meaning_is_one_sentence() -> None:
    """It starts with a capital or a name and ends with a full stop."""
    for column in every_column():
        assert re.fullmatch(r"[A-Z`].*[.]", column.meaning), column.name


def test_a_unit_is_a_known_one_and_agrees_with_the_name() -> None:
    """`step_time_s` is in seconds, `power_w` in watts."""
    for column in every_column():
        assert column.unit in UNITS | {"-", "UTC", "day", "(unit)", "(currency)"}, column.name
        for suffix, unit in SUFFIXES.items():
            if column.name.endswith(suffix):
                assert column.unit == unit, column.name
    for name, (unit, _) in METRICS.items():
        assert unit in UNITS, name


def test_numbers_have_units_and_words_have_none() -> None:
    """A column of numbers says in what; a column of words or yes and no does not."""
    for column in every_column():
        assert (column.unit == "-") == (
            column.kind not in {int, float} and column.unit not in {"UTC", "day"}
        ), column.name


def test_a_row_is_named_by_columns_that_are_there() -> None:
    """The key of a table is made of its own columns."""
    for table in TABLES.values():
        assert set(table.key) <= {column.name for column in table.columns}


def test_what_may_be_absent_is_null_in_older_files() -> None:
    """A column without which a file still reads has a default that its type allows."""
    for column in every_column():
        if not column.required:
            assert column.default is None, column.name


def test_the_tables_are_those_of_the_contract() -> None:
    """Ten tables; catalogues of hardware, systems and workloads are text."""
    names = [
        "runs", "claims", "sources", "reviews", "cells", "prices", "rates", "tariffs",
        "withdrawals", "recordings",
    ]  # fmt: skip
    assert [table.name for table in TABLES.values()] == names
    assert TABLES[records.Run].name == "runs"


@pytest.mark.parametrize("version", ["1.0", SCHEMA_VERSION, "1.99"])
def test_any_second_number_is_read(version: str) -> None:
    """Versions that add columns are read, newer ones as far as we know them."""
    assert table_of("runs", version).record is records.Run
    assert is_newer(version) == (version == "1.99")


@pytest.mark.parametrize(
    ("name", "version", "words"),
    [
        ("runs", "2.0", "2.0.*reads 1.x: update"),
        ("runs", "0.9", "import or record it again"),
        ("runs", "", "not of the form"),
        ("runs", "1", "not of the form"),
        ("dreams", "1.0", "dreams.*wanted one of runs"),
    ],
)
def test_an_unknown_version_or_table_is_refused_by_name(
    name: str, version: str, words: str
) -> None:
    """The refusal names what was found and says what to do."""
    with pytest.raises(StoreError, match=words):
        table_of(name, version)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("throughput_images_per_s", "images/s"),
        ("final_hr10", "1"),
        ("best_accuracy", "1"),
        ("best_accuracy_epoch", "epochs"),
        ("monitored_energy_j_of_12", "J"),
        ("monitored_speed_of_1", None),
        ("speed", None),
    ],
)
def test_the_name_of_a_metric_gives_its_unit(name: str, unit: str | None) -> None:
    """Families such as `final_*` are known by their pattern; other names are not known."""
    assert metric_unit(name) == unit
