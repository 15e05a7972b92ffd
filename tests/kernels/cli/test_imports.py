"""Importing: what is new is merged in, what is there stays, and memory holds a few parts. It says
what it took, what it warns of, and each line that it refused.
"""

import multiprocessing
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import BrokenBarrierError

import pytest

from kernels import __main__ as commands
from kernels import store
from kernels.cli import imports
from kernels.cli.imports import Change
from kernels.errors import SourceError, StoreError
from kernels.importers import FORMATS, mlperf, prices
from kernels.importers.base import Imported, Part
from kernels.records import Origin, Run
from kernels.store.schema import Record
from tests import full_disk
from tests.makers import make_run, make_source
from tests.patience import PATIENCE_S

LOG = """:::MLLOG {{"time_ms": 1000, "key": "run_start", "value": null}}
:::MLLOG {{"time_ms": {end}, "key": "eval_accuracy", "value": 0.8, "metadata": {{"epoch_num": 1}}}}
:::MLLOG {{"time_ms": {end}, "key": "run_stop", "value": null, "metadata": {{"status": "success"}}}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two logs of one benchmark, as a round's repository has them."""
    here = tmp_path / "training_results_v0.7" / "Toyco" / "results" / "toy" / "resnet"
    here.mkdir(parents=True)
    for index in range(2):
        (here / f"result_{index}.txt").write_text(LOG.format(end=(index + 2) * 60_000))
    return tmp_path / "training_results_v0.7"


def imported(path: Path, runs: Path, *, dry: bool = False, jobs: int = 1) -> list[Change]:
    """What became of each file of runs."""
    changes = []
    for _, outcome in imports.outcomes("mlperf", list(mlperf.parts(path, {})), jobs):
        assert not isinstance(outcome, SourceError), outcome
        changes += [
            kept.change for kept in imports.keep(outcome, runs, dry=dry) if kept.kind == "run"
        ]
    return changes


def recorded(runs: Path) -> tuple[Run, ...]:
    """All runs below a folder, without problems."""
    archive = store.read(runs)
    assert archive.problems == ()
    return archive.runs


def test_a_run_that_check_would_refuse_is_not_recorded(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A percentage for a fraction: file, run, field, value are said; the other log is kept."""
    backwards = next(folder.rglob("result_0.txt"))
    backwards.write_text(LOG.replace("0.8", "80").format(end=60_000))
    command = ["import", "mlperf", "--runs", str(tmp_path / "runs")]

    assert commands.main([*command, str(folder)]) == 1
    said = capsys.readouterr().err
    assert (
        "result_0.txt': run " in said
        and "-resnet-0: evaluation of top1 is 80.0, wanted a fraction from 0 to 1" in said
    )
    assert [run.repeat_index for run in recorded(tmp_path / "runs")] == [1]
    assert commands.main(["check", "--runs", str(tmp_path / "runs")]) == 0
    assert commands.main([*command, str(backwards)]) == 1
    assert len(recorded(tmp_path / "runs")) == 1


def test_one_log_and_its_folder_make_the_same_file(folder: Path, tmp_path: Path) -> None:
    """A log lands beside the others of its benchmark; the folder adds what is missing."""
    one = next(folder.rglob("result_1.txt"))

    assert imported(one, tmp_path / "runs") == [Change.WRITTEN]
    assert imported(folder, tmp_path / "runs") == [Change.WRITTEN]
    assert imported(one, tmp_path / "runs") == [Change.UNCHANGED]
    assert imported(folder, tmp_path / "whole") == [Change.WRITTEN]

    assert recorded(tmp_path / "runs") == recorded(tmp_path / "whole")
    assert len(recorded(tmp_path / "whole")) == 2


def test_a_round_is_one_file_and_stays_as_it_is(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its parts are written together; reading it again, or a part of it, changes no byte."""
    for benchmark in ("ssd", "bert"):
        other = folder / "Other" / "results" / "box" / benchmark
        other.mkdir(parents=True)
        (other / "result_0.txt").write_text(LOG.format(end=60_000))
    command = ["import", "mlperf", "--runs", str(tmp_path / "runs"), "--jobs", "1"]
    assert commands.main([*command, str(folder)]) == 0
    first = {path: path.read_bytes() for path in (tmp_path / "runs").rglob("*.parquet")}
    capsys.readouterr()

    for again in (folder, other):
        assert commands.main([*command, str(again)]) == 0
        assert "2 unchanged" in capsys.readouterr().out
    assert sorted(path.name for path in first) == [
        "mlperf-v0.7-runs.parquet",
        "mlperf-v0.7-sources.parquet",
    ]
    assert {path: path.read_bytes() for path in first} == first
    assert len(recorded(tmp_path / "runs")) == 4


def test_a_run_with_the_name_of_another_part_s_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two folders may differ in signs that no name has: neither run takes the other's place."""
    other = folder / "Toyco" / "results" / "toy+" / "resnet"
    other.mkdir(parents=True)
    (other / "result_0.txt").write_text(LOG.format(end=90_000))
    command = ["import", "mlperf", str(folder), "--runs", str(tmp_path / "runs"), "--jobs", "1"]

    assert commands.main(command) == 1
    said = capsys.readouterr().err
    assert "toy+/resnet/result_0.txt': run " in said and "toy/resnet/result_0.txt' too" in said
    assert [run.wall_time_s for run in recorded(tmp_path / "runs")] == [119.0, 179.0]


def test_a_corrected_log_replaces_its_run_and_no_other(folder: Path, tmp_path: Path) -> None:
    """What is no longer there stays recorded: an import adds and corrects, it never drops."""
    imported(folder, tmp_path / "runs")
    next(folder.rglob("result_0.txt")).unlink()
    next(folder.rglob("result_1.txt")).write_text(LOG.format(end=999_000))

    imported(folder, tmp_path / "runs")

    assert [run.wall_time_s for run in recorded(tmp_path / "runs")] == [119.0, 998.0]


def test_a_dry_run_writes_nothing(folder: Path, tmp_path: Path) -> None:
    """And says what would be written."""
    assert imported(folder, tmp_path / "runs", dry=True) == [Change.WOULD_BE_WRITTEN]
    assert not (tmp_path / "runs").exists()


def damaged(path: Path) -> bytes:
    """A file with one flipped bit; its bytes."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return bytes(content)


def test_a_damaged_file_is_named_and_not_overwritten(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It holds what today's logs may not: the import stops, and its rows can be saved."""
    runs = tmp_path / "runs"
    imported(folder, runs)
    (path,) = (runs / "imported").glob("*-runs.parquet")
    content = damaged(path)
    next(folder.rglob("result_0.txt")).unlink()

    with pytest.raises(
        StoreError, match=rf"{path}: is damaged.*nothing of it was overwritten.*recover"
    ):
        imported(folder, runs)
    assert path.read_bytes() == content
    assert commands.main(["import", "mlperf", str(folder), "--runs", str(runs)]) == 1
    assert f"error: {path}: is damaged" in capsys.readouterr().err
    assert path.read_bytes() == content


def test_a_damaged_transcription_is_not_overwritten_either(tmp_path: Path) -> None:
    """Of a file that cannot be read nobody knows which source it was made from."""
    path = tmp_path / "published" / "toy-sources.parquet"
    source = make_source()
    tuple(imports.keep(Imported("toy", origin=Origin.PUBLISHED, sources=(source,)), tmp_path))
    content = damaged(path)

    with pytest.raises(StoreError, match="is damaged"):
        tuple(imports.keep(Imported("toy", origin=Origin.PUBLISHED, sources=(source,)), tmp_path))
    assert path.read_bytes() == content


def kept_at_once(name: str, runs: Path, barrier: Barrier) -> None:
    """Keep one run; between reading and replacing, wait for another process to have read."""
    write = store.write

    def late(path: Path, records: Sequence[Record]) -> None:
        with suppress(BrokenBarrierError):
            barrier.wait(1.0)
        write(path, records)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "write", late)
        run = make_run(name, origin=Origin.IMPORTED)
        tuple(imports.keep(Imported("toy", runs=(run,)), runs))


@pytest.mark.slow
def test_two_processes_that_write_one_file_keep_both(tmp_path: Path) -> None:
    """The second reads what the first wrote, however their steps fall."""
    fresh = multiprocessing.get_context("spawn")
    barrier = fresh.Barrier(2)
    writers = [
        fresh.Process(target=kept_at_once, args=(name, tmp_path, barrier))
        for name in ("one", "two")
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(PATIENCE_S)

    assert [writer.exitcode for writer in writers] == [0, 0]
    assert [run.run_id for run in recorded(tmp_path)] == ["one", "two"]


def test_a_full_disk_stops_an_import_by_name_and_loses_nothing(
    folder: Path, tmp_path: Path
) -> None:
    """Whichever write finds no room, files before it are whole; with room it ends as it would."""
    imported(folder, tmp_path / "whole")
    wanted = {path.name: path.read_bytes() for path in (tmp_path / "whole" / "imported").iterdir()}
    runs = tmp_path / "runs"
    for writes in range(len(wanted)):
        with pytest.MonkeyPatch.context() as patch:
            full_disk.after(0 if writes == 0 else 1, patch)
            with pytest.raises(
                StoreError,
                match=rf"{runs}.*parquet cannot be written \(No space left on device\).*free space",
            ):
                imported(folder, runs)
        found = {path.name: path.read_bytes() for path in (runs / "imported").iterdir()}
        assert len(found) == writes and found.items() <= wanted.items()

    imported(folder, runs)
    assert {path.name: path.read_bytes() for path in (runs / "imported").iterdir()} == wanted


def test_processes_read_the_same(folder: Path, tmp_path: Path) -> None:
    """Two processes give what one gives, in the order of the parts."""
    other = folder / "Toyco" / "results" / "toy" / "ssd"
    other.mkdir()
    (other / "result_0.txt").write_text(LOG.format(end=5000))

    imported(folder, tmp_path / "one")
    imported(folder, tmp_path / "two", jobs=2)

    assert recorded(tmp_path / "one") == recorded(tmp_path / "two")


def test_a_file_that_cannot_be_read_is_refused_by_name() -> None:
    """Neither a traceback nor silence."""
    ((_, outcome),) = imports.outcomes("mlperf", [Part("gone", (Path("/gone/result_0.txt"),))], 1)

    assert isinstance(outcome, SourceError)
    assert "/gone/result_0.txt" in str(outcome)


def test_every_format_has_its_line_of_help() -> None:
    """What `--help` says of each."""
    assert all(
        importer.SUMMARY and not importer.SUMMARY.endswith(".") for importer in FORMATS.values()
    )


def priced(path: Path, runs: Path, day: str) -> tuple[imports.Kept, ...]:
    """What became of the files of an import of prices: sources and prices."""
    said = {"day": day, "source": "toy", "licence": "MIT", "credit": "Toyco"}
    ((_, outcome),) = imports.outcomes("prices", list(prices.parts(path, said)), 1)
    assert not isinstance(outcome, SourceError), outcome
    return tuple(imports.keep(outcome, runs))


def catalogue(path: Path, t4: float, v100: float) -> Path:
    """A catalogue of two offers."""
    path.parent.mkdir(exist_ok=True)
    rows = "".join(
        f"m{chip},{chip},1,r,{amount}\n" for chip, amount in (("T4", t4), ("V100", v100))
    )
    path.write_text(
        f"InstanceType,AcceleratorName,AcceleratorCount,Region,Price\n{rows}", encoding="utf-8"
    )
    return path


def test_a_later_snapshot_adds_the_prices_that_changed(tmp_path: Path) -> None:
    """The same snapshot again adds nothing, and the bytes stay."""
    runs, path = tmp_path / "runs", tmp_path / "gcp" / "vms.csv"
    _, first = priced(catalogue(path, 0.35, 2.48), runs, "2026-05-20")
    before = first.path.read_bytes()
    _, again = priced(path, runs, "2026-05-20")

    assert first.path == runs / "prices" / "toy-prices.parquet"
    assert first.fresh == 2
    assert again.fresh == 0
    assert again.change == Change.UNCHANGED
    assert first.path.read_bytes() == before

    _, later = priced(catalogue(path, 0.35, 2.5), runs, "2026-08-19")

    assert (later.records, later.fresh, later.change) == (3, 1, Change.WRITTEN)
    assert [(each.price_id[-8:], each.amount) for each in store.read(runs).prices] == [
        ("20260520", 0.35),
        ("20260520", 2.48),
        ("20260819", 2.5),
    ]


def test_a_recorded_price_is_not_overwritten(tmp_path: Path) -> None:
    """Another amount on the same day is refused by line, and what is recorded stays."""
    runs, path = tmp_path / "runs", tmp_path / "gcp" / "vms.csv"
    priced(catalogue(path, 0.35, 2.48), runs, "2026-05-20")

    _, again = priced(catalogue(path, 0.4, 2.48), runs, "2026-05-20")

    assert again.fresh == 0
    assert [each.reason for each in again.refused] == ["another price on the same day"]
    assert (
        "file 'gcp/vms.csv', line 2: toy-google-cloud-mt4-r-on-demand-20260520: found 0.4 USD, "
        "recorded is 0.35" in again.refused[0].text
    )
    assert {each.amount for each in store.read(runs).prices} == {0.35, 2.48}


def test_a_damaged_file_of_prices_is_not_made_again(tmp_path: Path) -> None:
    """One snapshot does not hold the history that it held."""
    runs, path = tmp_path / "runs", tmp_path / "gcp" / "vms.csv"
    _, kept = priced(catalogue(path, 0.35, 2.48), runs, "2026-05-20")
    kept.path.write_bytes(b"PAR1")

    with pytest.raises(StoreError, match=r"toy-prices\.parquet"):
        priced(path, runs, "2026-08-19")
    assert kept.path.read_bytes() == b"PAR1"


HEAD = "InstanceType,AcceleratorName,AcceleratorCount,Region,Price\n"
SAID = ["--day", "2026-05-20", "--source", "toy", "--licence", "MIT", "--credit", "Toyco"]


def told(folder: Path, rows: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, list[str]]:
    """Exit status, last lines of the answer, and what was said aside."""
    path = folder / "gcp" / "vms.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEAD + rows, encoding="utf-8")
    status = commands.main(["import", "prices", str(path), "--runs", str(folder / "runs"), *SAID])
    said = capsys.readouterr()
    return status, said.out.partition("\n")[2], said.err.splitlines()


def test_refused_lines_are_said_and_counted_by_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is left is recorded, and that is a success."""
    status, answer, aside = told(
        tmp_path, "m,T4,1,r,0.35\nm,,,r,0.1\nn,T4,1,r,0.00\no,T4,1,r,0\np,XPU9,1,r,1.0\n", capsys
    )

    assert status == 0
    assert [line.split(":")[:3] for line in aside] == [
        ["warning", " gcp/vms.csv", " line 6"],
        ["refused", " gcp/vms.csv", "3"],
        ["refused", " gcp/vms.csv", "4"],
        ["refused", " gcp/vms.csv", "5"],
    ]
    assert "3 rows and prices refused: 0 stands for no price (2), no accelerator (1)\n" in answer
    assert answer.endswith("2 new prices of 1 parts; files: 2 written; 1 warnings, 3 refused\n")


def test_nothing_taken_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Though every line has its reason."""
    status, answer, aside = told(tmp_path, "m,T4,1,r,0.00\n", capsys)

    assert (status, len(aside), list((tmp_path / "runs").glob("**/*.parquet"))) == (1, 1, [])
    assert answer == "0 new prices of 1 parts; files: none; 0 warnings, 1 refused\n"


def test_formats_of_tables_write_one_to_fill_in(capsys: pytest.CaptureFixture[str]) -> None:
    """The others have none to write."""
    assert commands.main(["import", "prices", "--template"]) == 0
    assert "provider,offer," in capsys.readouterr().out
    with pytest.raises(SystemExit):
        commands.main(["import", "prices"])
    assert "no PATH; give the file or folder to read or --template" in capsys.readouterr().err
