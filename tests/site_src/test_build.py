"""The command `python build.py`, end to end, on one recorded run."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import build
from kernels import store
from kernels.errors import TouchstoneError
from kernels.records import DataKind, Evaluation, Metric
from site_src import pages
from tests.makers import make_run

RUN = make_run(
    "digits-cnn-one",
    licence="CC0-1.0",
    credit="Touchstone",
    system="a-machine",
    accelerators=1,
    data=DataKind.REAL,
    global_batch_size=64,
    metrics=(
        Metric("throughput_samples_per_s", 1234.5678, "samples/s", n=20),
        Metric("final_accuracy", 0.9861),
    ),
    evaluations=(Evaluation("top1", 0.91, epoch=1.0), Evaluation("top1", 0.9861, epoch=2.0)),
)


def charts(runs: Path) -> set[Path]:
    """Files of charts beside the runs."""
    return {path for path in (runs.parent / "site" / "c").rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[Path]]:
    """A folder with one recorded run, and the site of it beside that; files of charts that a draft
    before it had.
    """
    runs = tmp_path_factory.mktemp("built") / "runs"
    store.write(runs / "measured" / "one.parquet", [RUN])
    assert command(runs, "--draft") == 0
    drafted = charts(runs)
    assert command(runs) == 0
    return runs, drafted


@pytest.fixture
def runs(built: tuple[Path, set[Path]]) -> Iterator[Path]:
    """The folder, in which a test may change records: the next finds them as they were, and makes again
    what has changed.
    """
    runs, _ = built
    kept = runs.with_name("kept")
    shutil.copytree(runs, kept)
    yield runs
    shutil.rmtree(runs)
    kept.rename(runs)


def command(runs: Path, *more: str) -> int:
    """Build one language beside the runs, with the runtime that needs no npm."""
    place = ["--runs", str(runs), "--out", str(runs.parent / "site"), "--lang", "en"]
    return build.main([*place, "--date", "2026-11-20", "--runtime", "full", "--jobs", "1", *more])


def test_a_run_becomes_a_verified_site(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run in, its page out; the last line says what was built and where; the next build writes
    nothing.
    """
    assert command(runs, "--verify") == 0
    first = capsys.readouterr().out.splitlines()[-1]
    assert command(runs) == 0
    second = capsys.readouterr().out.splitlines()[-1]

    assert (runs.parent / "site" / "en" / "runs" / RUN.run_id / "index.html").is_file()
    assert "from 1 runs" in first
    assert "verified" in first
    assert first.endswith(str(runs.parent / "site"))
    assert "0 files written, 0 removed" in second


def test_a_damaged_file_is_left_out_and_fails_verification(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other runs are published; the file is named; only --verify refuses."""
    (runs / "measured" / "half.parquet").write_bytes(
        (runs / "measured" / "one.parquet").read_bytes()[:500]
    )

    assert command(runs) == 0
    assert "half.parquet" in capsys.readouterr().err
    assert command(runs, "--verify") == 1
    assert "half.parquet" in capsys.readouterr().err


def test_ctrl_c_ends_it_with_a_line(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it does the commands of the harness."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "read", interrupt)

    assert command(runs) == 130
    assert "interrupted; where a site stands, it is whole" in capsys.readouterr().err


def test_a_draft_leaves_png_out(built: tuple[Path, set[Path]]) -> None:
    """Only them: the next build has them, and takes nothing else away."""
    runs, drafted = built
    found = charts(runs)

    assert found - drafted == {path for path in found if path.suffix == ".png"} != set()
    assert drafted < found


def test_a_failed_build_leaves_the_site(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error while pages are made is one clear message and exit 1; the site stands as it was."""
    assert command(runs) == 0
    before = {
        path: path.read_bytes() for path in (runs.parent / "site").rglob("*") if path.is_file()
    }

    def broken(*_: object, **__: object) -> None:
        raise TouchstoneError("templates/run.html:7: no such thing")

    monkeypatch.setattr(pages, "pages", broken)
    store.write(runs / "measured" / "two.parquet", [replace(RUN, run_id="digits-cnn-two")])
    assert command(runs) == 1

    assert (
        capsys.readouterr().err.splitlines()[-1]
        == "build.py: error: templates/run.html:7: no such thing"
    )
    assert before == {
        path: path.read_bytes() for path in (runs.parent / "site").rglob("*") if path.is_file()
    }


def test_a_published_chart_cannot_be_lost(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--ledger records the charts; a build without one of them fails, names it, and leaves the
    site.
    """
    assert command(runs, "--ledger") == 0
    recorded = (runs / "ledger.csv").read_text("utf-8")
    page = runs.parent / "site" / "en" / "index.html"
    before = page.read_bytes()
    (runs / "ledger.csv").write_text(f"{recorded}chart,digits-cnn-gone,,2026-01-01,,\n", "utf-8")

    assert "chart,digits-cnn-convergence,,2026-11-20" in recorded
    assert command(runs) == 1
    assert "digits-cnn-gone" in capsys.readouterr().err
    assert page.read_bytes() == before


def test_a_folder_that_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No runs folder, no site: exit 1 and one line that names it."""
    assert command(tmp_path / "nowhere") == 1

    assert "nowhere" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()
