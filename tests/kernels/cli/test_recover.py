"""Damaged files: named, left as they are, and how each can be had again."""

from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it ships without type hints
import pytest

from kernels import __main__ as commands
from kernels import store
from tests.makers import make_run, make_source


def test_recover_says_how_damaged_files_can_be_had_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By folder: a copy, its source's text, importing again. Exit 1 while one is damaged."""
    measured = tmp_path / "measured" / "three.parquet"
    published = tmp_path / "published" / "toy-a-runs.parquet"
    imported = tmp_path / "imported" / "lab-runs.parquet"
    for path in (measured, published, imported):
        store.write(path, [make_run(path.stem)])
    (tmp_path / "sources" / "toy-a").mkdir(parents=True)
    store.write(tmp_path / "imported" / "toy-sources.parquet", [make_source()])
    whole = imported.read_bytes()
    broken = {
        measured: whole[:1000],
        published: b"",
        imported: whole[:100] + bytes([whole[100] ^ 1]) + whole[101:],
    }
    for path, content in broken.items():
        path.write_bytes(content)
    foreign = tmp_path / "imported" / "foreign.parquet"
    pq.write_table(
        pq.read_table(tmp_path / "imported" / "toy-sources.parquet").replace_schema_metadata(None),
        foreign,
    )
    command = ["recover", "--runs", str(tmp_path)]

    assert commands.main(command) == 1
    err = capsys.readouterr().err
    assert f"error: {measured}: is damaged" in err and "only a copy has it whole" in err
    assert f"then python -m kernels import article {tmp_path / 'sources' / 'toy-a'}" in err
    assert f"mv {imported} {imported}.damaged, then import again all" in err
    assert str(foreign) not in err
    assert {path: path.read_bytes() for path in broken} == broken

    for path in broken:
        path.unlink()
    assert commands.main(command) == 0
    assert capsys.readouterr().out == "nothing is left to recover\n"
