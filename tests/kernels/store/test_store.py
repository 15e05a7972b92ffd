"""The only door: whole files or nothing, every unreadable file named, nothing recorded is lost."""

import dataclasses
import errno
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import store
from kernels.errors import StoreError
from kernels.records import Metric, Phase, Rate, Run, Step, Tariff
from kernels.store.parquet import parquet_bytes
from kernels.store.rows import to_arrow
from kernels.store.schema import SCHEMA_VERSION, TABLES
from tests.examples import tried
from tests.makers import make_run, make_source
from tests.patience import PATIENCE_S

SOURCE = make_source()


a_run = partial(
    make_run, steps=tuple(Step(index, Phase.MEASURE, index * 0.5, 0.5) for index in range(3))
)
"""A run with a few steps."""


ROWS = to_arrow(TABLES[Run], [a_run()])
MISNAMED = ROWS.set_column(0, "run_id", pa.array(["Not An Id"]))


def labelled(path: Path, labels: dict[str, str], rows: pa.Table = ROWS) -> None:
    """A Parquet file with any metadata."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(parquet_bytes(rows, labels))


def relabelled(table: str, version: str, rows: pa.Table = ROWS) -> Callable[[Path], None]:
    """Puts a file of that table and version in the place of another."""
    labels = {"touchstone.table": table, "touchstone.schema_version": version}
    return partial(labelled, labels=labels, rows=rows)


def test_the_same_records_make_the_same_bytes(tmp_path: Path) -> None:
    """A file that is made again shows no difference in a review."""
    store.write(tmp_path / "a.parquet", [a_run(), a_run("other")])
    store.write(tmp_path / "b.parquet", [a_run(), a_run("other")])

    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    """Table, version and writer stand in the metadata."""
    store.write(tmp_path / "a.parquet", [a_run()])

    labels = pq.read_metadata(tmp_path / "a.parquet").metadata
    assert labels[b"touchstone.table"] == b"runs"
    assert labels[b"touchstone.schema_version"] == SCHEMA_VERSION.encode()
    assert labels[b"touchstone.writer"].startswith(b"touchstone ")


def test_other_readers_see_the_types_of_the_schema(tmp_path: Path) -> None:
    """Pandas, DuckDB and such need nothing of ours: times have zones, lists their fields."""
    store.write(tmp_path / "a.parquet", [a_run()])

    assert pq.read_schema(tmp_path / "a.parquet").equals(TABLES[Run].arrow)


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([], "no records"),
        ([a_run(), SOURCE], "Run, Source"),
        (["run"], "str"),
        ([a_run(), a_run()], "run_id 'toy-run' is given twice"),
    ],
)
def test_a_file_holds_records_of_one_type(records: list[Any], words: str, tmp_path: Path) -> None:
    """One or more, each once; otherwise nothing is written."""
    with pytest.raises(StoreError, match=words):
        store.write(tmp_path / "runs" / "a.parquet", records)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_reader_would_find_is_refused(tmp_path: Path) -> None:
    """A recorded file ends in .parquet."""
    with pytest.raises(StoreError, match="ends in"):
        store.write(tmp_path / "a.csv", [a_run()])


@pytest.mark.parametrize("folder", ["measured", "submitted", "measured/2026"])
def test_a_measured_file_is_added_and_never_rewritten(folder: str, tmp_path: Path) -> None:
    """The second writer of a name is refused, and the first file is untouched."""
    path = tmp_path / folder / "a.parquet"
    store.write(path, [a_run()])

    with pytest.raises(StoreError, match="there already"):
        store.write(path, [a_run(seed=1)])

    assert store.read_file(path) == (a_run(),)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("folder", ["published", "imported", "measured/published"])
def test_a_file_made_from_text_may_be_made_again(folder: str, tmp_path: Path) -> None:
    """The folder nearest to the file decides."""
    path = tmp_path / folder / "a.parquet"
    store.write(path, [a_run()])
    store.write(path, [a_run(seed=1)])

    assert store.read_file(path) == (a_run(seed=1),)


@pytest.mark.parametrize("folder", ["measured", "published"])
def test_a_full_disk_leaves_what_was_there(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing half-written stays, and the error says that nothing was recorded."""
    store.write(tmp_path / folder / "a.parquet", [a_run()])

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"No space left on device.*nothing was recorded"):
        store.write(tmp_path / folder / "b.parquet", [a_run("other")])

    assert [path.name for path in (tmp_path / folder).iterdir()] == ["a.parquet"]


def test_an_interrupted_writer_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C is not an Exception, and cleans up all the same."""

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write(tmp_path / "a.parquet", [a_run()])

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_file_system_without_links_is_written_too(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory sticks and some shares have none; a taken name is refused there as well."""

    def no_links(*_: object) -> None:
        raise OSError(number, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "measured" / "a.parquet"
    store.write(path, [a_run()])
    with pytest.raises(StoreError, match="there already"):
        store.write(path, [a_run(seed=1)])

    assert store.read_file(path) == (a_run(),)
    assert list(path.parent.iterdir()) == [path]


def test_a_killed_writer_leaves_no_damaged_file(tmp_path: Path, repository: Path) -> None:
    """Killed before renaming: the old file is whole, the left-over is named, the rest read."""
    path = tmp_path / "published" / "a.parquet"
    store.write(path, [a_run()])
    program = (
        "import os, sys; from pathlib import Path; from kernels import store\npath = "
        "Path(sys.argv[1]); (run,) = store.read_file(path)\nos.fsync = lambda _: os._exit(9)\n"
        "store.write(path, [run, *store.read_file(path)][:1])\n"
    )

    ended = subprocess.run(
        [sys.executable, "-c", program, str(path)], cwd=repository, check=False, timeout=PATIENCE_S
    )

    archive = store.read(tmp_path)
    assert ended.returncode == 9
    assert archive.runs == (a_run(),)
    assert ["half-written" in problem.reason for problem in archive.problems] == [True]


def damage(path: Path, how: Callable[[bytes], bytes]) -> None:
    """Change a file's content."""
    path.write_bytes(how(path.read_bytes()))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: damage(path, lambda _: b""), "empty"),
        (lambda path: damage(path, lambda content: content[: len(content) // 2]), "damaged"),
        (lambda path: damage(path, lambda content: content[:-1]), "damaged"),
        (lambda path: damage(path, lambda content: os.urandom(len(content))), "damaged"),
        (lambda path: damage(path, lambda _: b"run_id,system\n"), "damaged"),
        (lambda path: labelled(path, {}), "not recorded by Touchstone"),
        (relabelled("runs", "2.0"), "schema version 2.0"),
        (lambda path: labelled(path, {"touchstone.table": "runs"}), "schema version ''"),
        (relabelled("dreams", "1.0"), "'dreams' is unknown"),
        (relabelled("rates", "1.0"), "not in this schema"),
        (relabelled("runs", "1.0", ROWS.slice(0, 0)), "no record"),
        (relabelled("runs", "1.0", MISNAMED), "lower-case"),
        (lambda path: (path.unlink(), path.symlink_to("nowhere")), "cannot be read"),
        (lambda path: (path.unlink(), path.mkdir()), None),
        (lambda path: path.rename(path.with_name(".b.parquet.0123.tmp")), "half-written"),
    ],
)
@pytest.mark.parametrize("cached", [False, True])
def test_an_unreadable_file_is_named_and_the_others_are_read(
    spoil: Callable[[Path], object], words: str | None, cached: bool, tmp_path: Path
) -> None:
    """Whatever is wrong with one file, the rest of the archive is there."""
    runs, cache = tmp_path / "runs", tmp_path / "cache" if cached else None
    for name in "abc":
        store.write(runs / "measured" / f"{name}.parquet", [a_run(f"toy-{name}")])
    store.read(runs, cache)
    spoil(runs / "measured" / "b.parquet")

    archive = store.read(runs, cache)

    assert [run.run_id for run in archive.runs] == ["toy-a", "toy-c"]
    assert [words in problem.reason for problem in archive.problems if words] == [True] * (
        words is not None
    )
    assert all("b.parquet" in problem.path.name for problem in archive.problems)


def test_reading_one_damaged_file_names_it(tmp_path: Path) -> None:
    """The message starts with the path."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1")

    with pytest.raises(StoreError, match=r"a\.parquet: is damaged"):
        store.read_file(tmp_path / "a.parquet")
    with pytest.raises(StoreError, match=r"b\.parquet: cannot be read"):
        store.read_file(tmp_path / "b.parquet")


@settings(max_examples=tried(150))
@given(data=st.data())
def test_no_bytes_break_the_reader(data: st.DataObject, tmp_path: Path) -> None:
    """Cut anywhere, or with bytes written over it, a file is refused by name or read."""
    path = tmp_path / "a.parquet"
    store.write(path, [a_run()])
    content = path.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        spoilt = content[:place]
    else:
        bytes_over = data.draw(st.binary(min_size=1, max_size=6))
        spoilt = content[:place] + bytes_over + content[place + len(bytes_over) :]
    path.write_bytes(spoilt)

    try:
        store.read_file(path)
    except StoreError as error:
        assert str(path) in str(error)
    else:
        assert len(spoilt) >= len(content)


@settings(max_examples=tried(150))
@given(data=st.data())
def test_a_flipped_bit_anywhere_is_an_error(data: st.DataObject, tmp_path: Path) -> None:
    """Else it were another figure, or a null; Parquet's checksums leave out the footer."""
    path = tmp_path / "a.parquet"
    store.write(path, [a_run()])
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)

    with pytest.raises(StoreError, match=r"a\.parquet"):
        store.read_file(path)


def test_a_file_that_another_program_wrote_again_is_refused(tmp_path: Path) -> None:
    """Even with our metadata kept: what it did to the figures is not known."""
    store.write(tmp_path / "a.parquet", [a_run()])
    labels = pq.read_metadata(tmp_path / "a.parquet").metadata
    pq.write_table(
        pq.read_table(tmp_path / "a.parquet").replace_schema_metadata(labels),
        tmp_path / "a.parquet",
    )

    with pytest.raises(StoreError, match="changed by another program"):
        store.read_file(tmp_path / "a.parquet")


def test_a_run_recorded_twice_is_named_with_both_files(tmp_path: Path) -> None:
    """The first by path counts."""
    store.write(tmp_path / "imported" / "a.parquet", [a_run(seed=1), a_run("other")])
    store.write(tmp_path / "imported" / "b.parquet", [a_run(seed=2)])

    archive = store.read(tmp_path)

    assert [(run.run_id, run.seed) for run in archive.runs] == [("other", None), ("toy-run", 1)]
    (problem,) = archive.problems
    assert problem.path.name == "b.parquet"
    assert "a.parquet" in problem.reason
    assert "toy-run" in problem.reason


def test_all_tables_are_told_apart_by_their_metadata(tmp_path: Path) -> None:
    """Names and folders of files mean nothing."""
    rate = Rate("USD", "EUR", 0.8, date(2018, 2, 23), "toy", "table 1", "MIT")
    store.write(tmp_path / "x" / "one.parquet", [SOURCE])
    store.write(tmp_path / "x" / "two.parquet", [rate])
    tariff = Tariff(
        "toy-2018", "toyland", 0.31, "EUR", date(2018, 1, 1), None, "toy", "table 2", "MIT"
    )
    store.write(tmp_path / "x" / "four.parquet", [tariff])
    store.write(tmp_path / "three.parquet", [a_run()])
    (tmp_path / "notes.txt").write_text("not ours")

    archive = store.read(tmp_path)

    assert archive.sources == (SOURCE,)
    assert archive.rates == (rate,)
    assert archive.runs == (a_run(),)
    assert archive.problems == ()
    assert archive.tariffs == (tariff,)
    assert archive.files == {"toy-run": Path("three.parquet")}
    found = [archive.file(record) for record in (SOURCE, rate, a_run(), tariff)]
    assert found == [
        Path("x/one.parquet"),
        Path("x/two.parquet"),
        Path("three.parquet"),
        Path("x/four.parquet"),
    ]
    assert archive.file(dataclasses.replace(rate, base="CHF")) is None


def test_an_absent_folder_is_an_error_and_an_empty_one_is_not(tmp_path: Path) -> None:
    """A mistyped --runs must not look like an archive without runs."""
    assert store.read(tmp_path) == store.Archive()
    with pytest.raises(StoreError, match="--runs"):
        store.read(tmp_path / "absent")


def test_retired_charts_are_passed_over(tmp_path: Path) -> None:
    """Their tables, and left-overs there, are the site's; another folder of that name is read."""
    for name in (
        "retired/a-chart/data.parquet",
        "retired/.a-chart.tmp",
        "measured/retired/half.parquet",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"no record")
    store.write(tmp_path / "measured" / "one.parquet", [a_run()])

    archive = store.read(tmp_path)

    assert [run.run_id for run in archive.runs] == ["toy-run"]
    assert [problem.path.name for problem in archive.problems] == ["half.parquet"]


def test_packing_changes_nothing_for_a_reader(tmp_path: Path) -> None:
    """Many files or one: the same archive, runs by name."""
    runs = [a_run(f"toy-{number}", seed=number) for number in (3, 1, 2)]
    for run in runs:
        store.write(tmp_path / "many" / f"{run.run_id}.parquet", [run])
    store.write(tmp_path / "one" / "packed.parquet", runs)

    assert store.read(tmp_path / "many").runs == store.read(tmp_path / "one").runs


def test_progress_counts_the_files(tmp_path: Path) -> None:
    """Files done, and files to open."""
    for name in "abc":
        store.write(
            tmp_path / f"{name}.parquet",
            [a_run(f"toy-{name}", metrics=(Metric("step_time_s", 1.0, "s"),))],
        )
    heard: list[tuple[int, int]] = []

    store.read(tmp_path, progress=lambda done, all_: heard.append((done, all_)))

    assert heard == [(1, 3), (2, 3), (3, 3)]
