"""Handing a run in: it moves to `submitted/` after the checks that it will meet there."""

from dataclasses import replace
from pathlib import Path

import pytest

from kernels import __main__ as commands
from kernels import store
from kernels.records import Origin, Run, Status
from tests.kernels.own_runs import a_run

NAME = "digits-cnn-toy-1"


def recorded(runs: Path, run: Run) -> Path:
    """The run in its file."""
    path = runs / "measured" / f"{run.run_id}.parquet"
    store.write(path, [run])
    return path


def test_a_run_is_handed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same figures, another origin, the credit asked for; what a reviewer will look at."""
    path = recorded(tmp_path, a_run())

    assert commands.main(["submit", NAME, "--credit", "Toy Works", "--runs", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    (run,) = store.read(tmp_path).runs

    assert (run.origin, run.source, run.credit) == (Origin.SUBMITTED, "submitted", "Toy Works")
    assert run.metrics == a_run().metrics and run.steps == a_run().steps
    assert not path.exists() and (tmp_path / "submitted" / f"{NAME}.parquet").exists()
    assert (
        "review: run digits-cnn-toy-1 (submitted/digits-cnn-toy-1.parquet): claims "
        "throughput_images_per_s" in said
    )
    assert "under CC0-1.0, with the credit: Toy Works" in said
    assert commands.main(["submit", NAME, "--runs", str(tmp_path)]) == 1
    assert (
        f"{NAME} is submitted, wanted a run that `kernels run` recorded on this machine"
        in capsys.readouterr().err
    )
    assert commands.main(["check", "--runs", str(tmp_path)]) == 0
    assert "0 errors" in capsys.readouterr().out


def test_what_the_gate_refuses_stays_where_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All or none: of two runs, one altered, neither moves."""
    paths = [
        recorded(tmp_path, a_run()),
        recorded(tmp_path, a_run(1.01, run_id="digits-cnn-toy-2", wall_time_s=60.0)),
    ]

    assert commands.main(["submit", NAME, "digits-cnn-toy-2", "--runs", str(tmp_path)]) == 1
    assert (
        "nothing was moved:" in (said := capsys.readouterr().err) and "wall_time_s is 60.0" in said
    )
    assert all(path.exists() for path in paths) and not (tmp_path / "submitted").exists()
    assert commands.main(["submit", "digits-cnn-toy-9", "--runs", str(tmp_path)]) == 1
    assert "digits-cnn-toy-9: no such run" in capsys.readouterr().err


def test_a_run_of_one_timed_step_is_not_handed_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Recorded as unfinished or, by an older harness, as a finding; nor one of none."""
    one = replace(
        a_run(),
        targets=(),
        epochs=(),
        evaluations=(),
        metrics=(),
        steps=a_run().steps[:26],
        wall_time_s=None,
    )
    path = recorded(tmp_path, one)

    assert commands.main(["submit", NAME, "--runs", str(tmp_path)]) == 1
    assert (
        "it is unfinished (one step was timed, which is no measurement" in capsys.readouterr().err
    )
    path.unlink()
    recorded(
        tmp_path, replace(one, steps=(), status=Status.TIMEOUT, status_detail="its budget was 5 s")
    )
    assert commands.main(["submit", NAME, "--runs", str(tmp_path)]) == 1
    assert (
        "it is unfinished (its budget was 5 s), which is no measurement" in capsys.readouterr().err
    )
    assert path.exists() and not (tmp_path / "submitted").exists()


def test_a_crash_on_the_way_is_mended_by_doing_it_again(tmp_path: Path) -> None:
    """Killed between writing one and deleting the other: both are there, then the new one."""
    recorded(tmp_path, a_run())
    commands.main(["submit", NAME, "--runs", str(tmp_path)])
    recorded(tmp_path, a_run())

    assert len(store.read(tmp_path).problems) == 1
    assert commands.main(["submit", NAME, "--runs", str(tmp_path)]) == 0
    assert [run.origin for run in store.read(tmp_path).runs] == [Origin.SUBMITTED]


def test_another_run_of_the_name_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are added, never rewritten; the measured one stays."""
    path = recorded(tmp_path, a_run())
    other = replace(a_run(1.01), origin=Origin.SUBMITTED, source="submitted")
    store.write(tmp_path / "submitted" / f"{NAME}.parquet", [other])

    assert commands.main(["submit", NAME, "--runs", str(tmp_path)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert path.exists()
