"""Reviewable text is read whole or refused with file, line and field."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import tabular
from kernels.errors import SourceError
from kernels.records import Bound
from kernels.tabular import Entry, build, document, rows, tables
from tests.examples import tried


@dataclass(frozen=True)
class Thing:
    """One field of each kind."""

    name: str
    count: int | None
    bound: Bound
    day: date | None = None
    parts: tuple[str, ...] = ()
    right: bool | None = None
    size: float = 1.5


def test_a_row_becomes_a_record_by_its_types(tmp_path: Path) -> None:
    """Cells are converted as the fields want them; empty ones are None or the default."""
    path = tmp_path / "things.csv"
    path.write_text(
        "\ufeffname,count,bound,day,parts,right\na,3,lt,2018-04-30,x; y,yes\nb,,eq,,,\n",
        encoding="utf-8",
    )

    made = [
        build(Thing, entry)
        for entry in rows(path, ("name", "count", "bound", "day", "parts", "right"))
    ]

    assert made[0] == Thing("a", 3, Bound.LT, date(2018, 4, 30), ("x", "y"), True)
    assert made[1] == Thing("b", None, Bound.EQ)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,cuont,bound\na,1,eq\n", r"csv:1: unknown column 'cuont'; did you mean 'count'\?"),
        ("name,bound\na,eq,1\n", "things.csv:2: found 3 cells, wanted 2"),
        (
            "name,bound\na,nearly\n",
            "things.csv:2: bound: found 'nearly', wanted one of eq, approx, lt, gt",
        ),
        ("name,count,bound\na,1.5,eq\n", "things.csv:2: count: found '1.5', wanted a whole number"),
        ("name,name,bound\na,b,eq\n", "the column 'name' is there twice"),
        ("bound\neq\n", "the column 'name' is missing"),
        ('name,bound\n"a,eq\n', "not readable as CSV"),
        ("", "found an empty file"),
    ],
)
def test_an_error_says_where_and_what(tmp_path: Path, text: str, said: str) -> None:
    """A refused cell is named by file, line and column, with what was found and wanted."""
    path = tmp_path / "things.csv"
    path.write_text(text)

    with pytest.raises(SourceError, match=said):
        [build(Thing, entry) for entry in rows(path, ("name", "count", "bound"), ("name",))]


def test_a_missing_field_and_a_wrong_key_are_named() -> None:
    """TOML tables are held to the same rules as rows."""
    with pytest.raises(SourceError, match="name: found nothing, wanted a text"):
        build(Thing, Entry("x.toml", {"bound": "eq"}))
    with pytest.raises(SourceError, match="unknown field 'nam'; did you mean 'name'"):
        build(Thing, Entry("x.toml", {"nam": "a"}))


_FUZZ = settings(max_examples=tried(150))


@_FUZZ
@given(
    st.binary(max_size=200)
    | st.text(alphabet='name,bound\n"\r\0;eq1é', max_size=60).map(
        lambda t: ("name,bound\n" + t).encode()
    )
)
def test_any_bytes_are_rows_or_an_error(tmp_path: Path, content: bytes) -> None:
    """No CSV file crashes the reader with anything but a SourceError."""
    path = tmp_path / "things.csv"
    path.write_bytes(content)

    try:
        [build(Thing, entry) for entry in rows(path, ("name", "count", "bound"), ("name",))]
    except SourceError as error:
        assert "things.csv" in str(error)


@_FUZZ
@given(
    st.binary(max_size=200) | st.text(alphabet="[]thing=\"'\n.{}#1-:T", max_size=80).map(str.encode)
)
def test_any_bytes_are_tables_or_an_error(tmp_path: Path, content: bytes) -> None:
    """No TOML file crashes the reader with anything but a SourceError."""
    path = tmp_path / "things.toml"
    path.write_bytes(content)

    try:
        [build(Thing, entry) for entry in tables(path, "thing")]
    except SourceError as error:
        assert "things.toml" in str(error)


def test_deep_nesting_is_an_error(tmp_path: Path) -> None:
    """A file that would exhaust the parser is refused by name."""
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 100_000)

    with pytest.raises(SourceError, match=r"deep\.toml"):
        document(path)


@pytest.mark.parametrize(
    ("text", "number", "whole"),
    [("8", 8.0, 8), ("8.0", 8.0, 8), ("8.5", 8.5, None), ("0", 0.0, None), ("1e3", 1000.0, 1000)]
    + [(text, None, None) for text in ("", "1,5", "1_0", "nan", "inf", "1e999", "٣", "9" * 30)],
)
def test_a_cell_is_a_number_with_a_point_or_none(
    text: str, number: float | None, whole: int | None
) -> None:
    """No other spelling is taken, and none overflows."""
    assert (tabular.number(text), tabular.whole(text)) == (number, whole)


def test_a_table_names_rows_that_do_not_fit(tmp_path: Path) -> None:
    """Blank rows are none; quoted cells may hold commas."""
    path = tmp_path / "a.csv"
    path.write_bytes(b'\xef\xbb\xbfa,b\r\n1,"2,0"\r\n,\r\n3\r\n')

    read = tabular.table(path, "a.csv")

    assert [(row.line, dict(row.cells)) for row in read.rows] == [(2, {"a": "1", "b": "2,0"})]
    assert read.refused == ("a.csv:4: found 1 cells, wanted 2; the row is left out",)
    path.write_text("a,a\n", encoding="utf-8")
    with pytest.raises(SourceError, match="the column 'a' is there twice"):
        tabular.table(path, "a.csv")
