"""Of a damaged file what is proven is restored, what reads put beside, none destroyed."""

import io
import os
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it ships without type hints
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import __main__ as commands
from kernels import store
from kernels.store import salvage
from kernels.store.salvage import Salvage
from tests.examples import tried
from tests.kernels.store.test_store import SOURCE, a_run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of two runs."""
    made = tmp_path / "imported" / "lab-runs.parquet"
    store.write(made, [a_run("one"), a_run("two")])
    return made


def flipped(content: bytes, place: int, bit: int = 0) -> bytes:
    """The content with one bit of one byte turned."""
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def cut(path: Path, column: str) -> None:
    """Fill the chunk of a column with zeros."""
    content = path.read_bytes()
    group = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0)
    [chunk] = [
        each
        for each in map(group.column, range(group.num_columns))
        if each.path_in_schema == column
    ]
    first = chunk.dictionary_page_offset or chunk.data_page_offset
    path.write_bytes(
        content[:first]
        + bytes(chunk.total_compressed_size)
        + content[first + chunk.total_compressed_size :]
    )


@settings(max_examples=tried(10))
@given(data=st.data())
def test_a_flipped_bit_is_turned_back(data: st.DataObject, path: Path) -> None:
    """Save in the seal itself: the file is what it was, and the damaged one lies beside."""
    store.write(path, [a_run("one"), a_run("two")])
    whole = path.read_bytes()
    [seal] = salvage._SEALED.finditer(whole)
    place = data.draw(
        st.one_of(st.integers(0, seal.start() - 1), st.integers(seal.end(), len(whole) - 1))
    )
    broken = flipped(whole, place, data.draw(st.integers(0, 7)))
    path.write_bytes(broken)

    found = salvage.save(path)

    assert found is not None and found.restored and found.beside is not None
    assert path.read_bytes() == whole and found.beside.read_bytes() == broken


def test_columns_that_read_are_put_beside(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk of zeros is no flipped bit: the file stays, other columns lie beside, once."""
    monkeypatch.setattr(salvage, "WORK", 10**7)
    cut(path, "workload")
    broken = path.read_bytes()

    found = salvage.save(path)

    beside = path.with_name("lab-runs.parquet.saved")
    assert found == Salvage(restored=False, beside=beside, rows=2, lost=("workload",))
    assert path.read_bytes() == broken
    assert pq.read_table(beside).column("run_id").to_pylist() == ["one", "two"]
    assert salvage.save(path) == found
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "lab-runs.parquet",
        "lab-runs.parquet.saved",
    ]


def die(_: bytes) -> salvage._Look:
    """End the process at once, as arrow does."""
    os._exit(6)


def test_a_reader_that_ends_its_process_ends_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some damaged files end every reader; a flipped bit is found all the same."""
    whole = path.read_bytes()
    path.write_bytes(flipped(whole, 100))
    monkeypatch.setattr(salvage, "_looked", die)

    found = salvage.save(path)

    assert found is not None and found.restored and path.read_bytes() == whole


def test_a_whole_file_and_a_foreign_one_are_left_alone(path: Path) -> None:
    """What is wrong with them is no damage."""
    foreign = path.with_name("foreign.parquet")
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), foreign)

    assert salvage.save(path) is None and salvage.save(foreign) is None
    assert len(list(path.parent.iterdir())) == 2


@pytest.mark.parametrize("length", [-100, 1000, 0])
def test_a_file_cut_short_has_nothing_to_be_read(
    length: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its end nobody knows where its columns are, nor that it is one of ours."""
    monkeypatch.setattr(salvage, "WORK", 10**7)
    path.write_bytes(path.read_bytes()[:length])

    assert salvage.save(path) == Salvage(restored=False)
    assert len(list(path.parent.iterdir())) == 1


def test_recover_restores_and_says_how_the_rest_can_be_had(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By folder: a copy, its source's text, importing again. Exit 1 while one is damaged."""
    monkeypatch.setattr(salvage, "WORK", 10**9)
    measured, published = (
        tmp_path / "measured" / "three.parquet",
        tmp_path / "published" / "toy-a-runs.parquet",
    )
    for each, name in ((measured, "three"), (published, "four")):
        store.write(each, [a_run(name)])
    (tmp_path / "sources" / "toy-a").mkdir(parents=True)
    store.write(tmp_path / "imported" / "toy-sources.parquet", [SOURCE])
    path.write_bytes(flipped(path.read_bytes(), 100))
    for each in (measured, published):
        cut(each, "workload")
    command = ["recover", "--runs", str(tmp_path)]

    assert commands.main(command) == 1
    out, err = capsys.readouterr()
    assert f"{path}: one bit had flipped; it is again what was recorded" in out
    assert f"error: {measured}: is damaged" in err and "only a copy has it whole" in err
    assert f"columns workload cannot be read; the others of 1 rows are in {measured}.saved" in err
    assert f"then python -m kernels import article {tmp_path / 'sources' / 'toy-a'}" in err
    assert [run.run_id for run in store.read(tmp_path).runs] == ["one", "two"]

    published.unlink()
    cut(path, "system")
    assert commands.main(command) == 1
    assert (
        f"mv {path} {path}.damaged, then import again all that was imported into it"
        in capsys.readouterr().err
    )
    for each in (measured, path):
        each.unlink()
    assert commands.main(command) == 0
    assert capsys.readouterr().out == "nothing is left to recover\n"
