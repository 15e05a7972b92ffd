"""The commands: what they print, what they refuse, with which exit status."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernels import __main__ as commands
from kernels import store
from kernels.records import Status

LOG = """:::MLPv0.5.0 resnet 200.25 (a.py:2) run_start
:::MLPv0.5.0 resnet 270.25 (a.py:6) eval_accuracy: {"epoch": 0, "value": 0.5}
:::MLPv0.5.0 resnet 350.25 (a.py:7) eval_accuracy: {"epoch": 1, "value": 0.75}
:::MLPv0.5.0 resnet 351.25 (a.py:8) run_stop: {"success": "true"}
"""
COMMANDS = ["list", "doctor", "run", "import", "show", "check", "recover", "score", "withdraw"]


def log(folder: Path) -> Path:
    """A result log where its repository would have it."""
    path = folder / "training_results_v0.5" / "v0.5.0" / "toyco" / "box" / "results" / "box" / "resnet" / "result_0.txt"
    path.parent.mkdir(parents=True)
    path.write_text(LOG)
    return path


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What wrong usage is answered with; checks that the exit status is 2."""
    with pytest.raises(SystemExit) as found:
        commands.main(arguments)
    assert found.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` is answered and ends well."""
    with pytest.raises(SystemExit) as found:
        commands.main([command, "--help"])

    assert found.value.code == 0
    assert "--runs" in capsys.readouterr().out


@pytest.mark.torch
@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (["--batch-size", "5000"], "1437 training samples"),
        (["--batch-size", "64,64"], "each number once"),
        (["--batch-size", "0"], "1 or more"),
        (["--data", "synthetic_host"], "can be fed with real"),
        (["--device", "cuda:77"], "this machine has"),
        (["--threads", "100000"], "may use"),
        (["--target", "97"], "fraction"),
        (["--epochs", "1", "--batch-size", "1437"], "leaves none"),
        (["--measure", "throughput", "--epochs", "3"], "belong to --measure convergence"),
        (["--backend", "jax"], "invalid choice"),
        (["--precision", "fp8"], "cpu can do fp32, amp_bf16"),
        (["--seeds", "1,1"], "each number once"),
    ],
)
def test_what_the_harness_cannot_do_is_refused(flags: list[str], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what it can do, before anything starts, and nothing is recorded."""
    pytest.importorskip("torch", reason="the machine's devices are asked for by PyTorch")

    assert wanted in refused(["run", "digits_cnn", *flags, "--runs", str(tmp_path)], capsys)
    assert not list(tmp_path.iterdir())


@pytest.mark.torch
def test_a_run_is_recorded_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file a seed; no journal is left; `show` has the figures, `check` finds no error."""
    pytest.importorskip("torch", reason="measuring needs PyTorch")
    runs = ["--runs", str(tmp_path)]

    assert commands.main(["run", "digits_cnn", "--epochs", "3", "--target", "0.2", "--seeds", "0,1", "--device", "cpu", *runs]) == 0
    archive = store.read(tmp_path)

    assert [run.seed for run in archive.runs] == [0, 1]
    assert {run.status for run in archive.runs} == {Status.OK}
    assert not list((tmp_path / "journals").iterdir())
    capsys.readouterr()
    assert commands.main(["check", *runs]) == 0
    capsys.readouterr()
    assert commands.main(["show", "--json", *runs]) == 0
    records = json.loads(capsys.readouterr().out)["records"]
    assert records[0]["metrics"]["throughput_images_per_s"]["value"] > 0
    assert records[0]["metrics"]["epochs_to_target@0.2"]["unit"] == "epochs"


def test_importing_twice_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second import says so, and no byte of any file differs; a dry run writes nothing at all."""
    path, runs = log(tmp_path / "logs"), tmp_path / "runs"

    assert commands.main(["import", "mlperf", str(path), "--runs", str(runs), "--dry-run"]) == 0
    assert not runs.exists()
    assert commands.main(["import", "mlperf", str(path), "--runs", str(runs)]) == 0
    before = {each: (each.read_bytes(), each.stat().st_mtime_ns) for each in runs.rglob("*.parquet")}
    capsys.readouterr()
    assert commands.main(["import", "mlperf", str(path), "--runs", str(runs)]) == 0

    assert capsys.readouterr().out.count("records, unchanged") == 2
    assert {each: (each.read_bytes(), each.stat().st_mtime_ns) for each in runs.rglob("*.parquet")} == before


def test_one_run_of_five_has_no_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run stays, the score is null, and the reason is given."""
    runs = ["--runs", str(tmp_path / "runs")]
    commands.main(["import", "mlperf", str(log(tmp_path / "logs")), *runs])
    capsys.readouterr()

    assert commands.main(["score", "--json", *runs]) == 0
    (score,) = json.loads(capsys.readouterr().out)["records"]

    assert (score["verdict"], score["score_minutes"], score["reason"]) == ("incomplete", None, "1 of 5 runs")


def test_a_withdrawn_run_stays_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is shown as withdrawn, scores nothing, and a second withdrawal or an unknown run is refused."""
    runs = ["--runs", str(tmp_path / "runs")]
    commands.main(["import", "mlperf", str(log(tmp_path / "logs")), *runs])
    name = store.read(tmp_path / "runs").runs[0].run_id

    assert commands.main(["withdraw", name, "--why", "the clock was wrong", *runs]) == 0
    assert store.read(tmp_path / "runs").runs[0].withdrawn == "the clock was wrong"
    capsys.readouterr()
    assert commands.main(["score", "--json", *runs]) == 0
    assert json.loads(capsys.readouterr().out)["records"] == []
    assert commands.main(["withdraw", name, "--why", "again", *runs]) == 1
    assert commands.main(["withdraw", "no-such-run", "--why", "x", *runs]) == 1
    assert commands.main(["import", "mlperf", str(log(tmp_path / "again")), *runs]) == 0
    assert store.read(tmp_path / "runs").runs[0].withdrawn == "the clock was wrong", "importing again keeps it withdrawn"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["import", "mlperf", "/no/such/file"], "/no/such/file is not there"),
        (["show", "--runs", "/no/such/folder"], "/no/such/folder"),
        (["import", "mlperf", str(commands.__file__)], "not an MLPerf result log"),
    ],
)
def test_a_refused_input_is_named(arguments: list[str], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 1 and one line that says what was found."""
    folder = [] if "--runs" in arguments else ["--runs", str(tmp_path)]

    assert commands.main([*arguments, *folder]) == 1
    assert wanted in capsys.readouterr().err


def test_a_damaged_file_fails_the_check_and_not_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` ends with 1 and names the file; `show` shows what can be read."""
    runs = ["--runs", str(tmp_path / "runs")]
    commands.main(["import", "mlperf", str(log(tmp_path / "logs")), *runs])
    (tmp_path / "runs" / "broken.parquet").write_bytes(b"PAR1 nothing")
    capsys.readouterr()

    assert commands.main(["check", *runs]) == 1
    assert "broken.parquet" in capsys.readouterr().out
    assert commands.main(["show", *runs]) == 0
    assert "mlperf-v0.5-toyco" in capsys.readouterr().out


def test_recovering_nothing_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And a file that is no journal is refused by name, exit status 1."""
    assert commands.main(["recover", "--runs", str(tmp_path)]) == 0
    assert "nothing is left" in capsys.readouterr().out
    (tmp_path / "journals").mkdir()
    (tmp_path / "journals" / "x.jsonl").write_text("[]\n")
    assert commands.main(["recover", "--runs", str(tmp_path)]) == 1
    assert "x.jsonl: not a journal" in capsys.readouterr().err


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """`... | head` ends without a traceback."""
    commands.main(["import", "mlperf", str(log(tmp_path / "logs")), "--runs", str(tmp_path / "runs")])
    read, write = os.pipe()
    os.close(read)
    found = subprocess.run(
        [sys.executable, "-m", "kernels", "show", "--json", "--runs", str(tmp_path / "runs")],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)

    assert (found.returncode, found.stderr) == (0, b"")
