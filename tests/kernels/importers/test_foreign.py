"""What importers of others' tables share: cells as numbers, accelerators by name, and nobody's
address.
"""

from pathlib import Path

import pytest

from kernels import catalog
from kernels.errors import SourceError
from kernels.importers import foreign


@pytest.mark.parametrize(
    ("text", "number", "whole"),
    [("8", 8.0, 8), ("8.0", 8.0, 8), ("8.5", 8.5, None), ("0", 0.0, None), ("1e3", 1000.0, 1000)]
    + [(text, None, None) for text in ("", "1,5", "1_0", "nan", "inf", "1e999", "٣", "9" * 30)],
)
def test_a_cell_is_a_number_with_a_point_or_none(
    text: str, number: float | None, whole: int | None
) -> None:
    """No other spelling is taken, and none overflows."""
    assert (foreign.number(text), foreign.whole(text)) == (number, whole)


def test_addresses_and_folders_are_taken_out() -> None:
    """The file's own name stays."""
    text = (
        "cannot open /home/someone/data/train.csv (someone@example.org) or "
        "C:\\Users\\someone\\x.txt"
    )

    assert foreign.without_names(text) == "cannot open .../train.csv ((address)) or .../x.txt"
    assert (foreign.has_address("a@b"), foreign.has_address("metric @0.75")) == (True, False)


def test_an_accelerator_has_one_id_or_none() -> None:
    """Blanks, hyphens and capitals do not matter; a name that is only like one does."""
    hardware = catalog.load().hardware

    assert [
        foreign.accelerator(name, hardware) for name in ("rtx4090", "Tesla-V100", "RTX 4090 D", "")
    ] == ["rtx-4090", "v100", None, None]


def test_a_table_names_rows_that_do_not_fit(tmp_path: Path) -> None:
    """Blank rows are none; quoted cells may hold commas."""
    path = tmp_path / "a.csv"
    path.write_bytes(b'\xef\xbb\xbfa,b\r\n1,"2,0"\r\n,\r\n3\r\n')

    read = foreign.table(path, "a.csv")

    assert [(row.line, dict(row.cells)) for row in read.rows] == [(2, {"a": "1", "b": "2,0"})]
    assert read.refused == ("a.csv:4: found 1 cells, wanted 2; the row is left out",)
    path.write_text("a,a\n", encoding="utf-8")
    with pytest.raises(SourceError, match="the column 'a' is there twice"):
        foreign.table(path, "a.csv")


def test_files_of_a_folder_come_in_order_and_without_hidden_ones(tmp_path: Path) -> None:
    """By their path below it."""
    for name in ("b/c.csv", "a.csv", ".git/x.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert [name for name, _ in foreign.files(tmp_path)] == ["a.csv", "b/c.csv"]
    assert [name for name, _ in foreign.files(tmp_path / "a.csv")] == ["a.csv"]


def test_many_lines_are_counted() -> None:
    """The first are named."""
    assert (foreign.lines([4]), foreign.lines([2, 3, 5], most=2)) == (
        "line 4",
        "lines 2, 3 and 1 more",
    )
