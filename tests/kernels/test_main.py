"""The commands: what they print, what they refuse, with which exit status."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from kernels import __main__ as commands
from kernels import store
from kernels.backends.base import Device, Probe
from kernels.harness import journal, lock, worker
from kernels.records import Environment, Interval, Metric, Precision, RunWarning, Status
from tests.kernels.analysis.test_repetitions import learned
from tests.makers import make_run

LOG = """:::MLPv0.5.0 resnet 200.25 (a.py:2) run_start
:::MLPv0.5.0 resnet 270.25 (a.py:6) eval_accuracy: {"epoch": 0, "value": 0.5}
:::MLPv0.5.0 resnet 350.25 (a.py:7) eval_accuracy: {"epoch": 1, "value": 0.75}
:::MLPv0.5.0 resnet 351.25 (a.py:8) run_stop: {"success": "true"}
"""
DIGITS = "run digits_cnn --device cpu --threads 1"
CPU = Device("cpu", None, None, (Precision.FP32,))


def log(folder: Path) -> Path:
    """A result log where its repository would have it."""
    path = folder / "training_results_v0.5/v0.5.0/toyco/box/results/box/resnet/result_0.txt"
    path.parent.mkdir(parents=True)
    path.write_text(LOG)
    return path


def imported(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """`--runs` of an archive that has the log."""
    runs = ["--runs", str(folder / "runs")]
    assert commands.main(["import", "mlperf", str(log(folder / "logs")), *runs]) == 0
    capsys.readouterr()
    return runs


def typed(line: str, runs: Path) -> int:
    """Exit status of a command, as it is typed."""
    return commands.main([*line.split(), "--runs", str(runs)])


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What wrong usage is answered with; checks that the exit status is 2."""
    with pytest.raises(SystemExit) as found:
        commands.main(arguments)
    assert found.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("command", commands.COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` is answered and ends well."""
    with pytest.raises(SystemExit) as found:
        commands.main([command, "--help"])

    assert found.value.code == 0
    assert "--runs" in capsys.readouterr().out or command == "data"


@cache
def found(backend: str) -> Probe:
    """What a backend finds on this machine, asked once: it takes a process that imports it."""
    return worker.probe(backend)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are told of a processor and nothing else."""
    monkeypatch.setattr(worker, "probe", lambda name: Probe(name, "9.9", (CPU,)))


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are told what PyTorch finds here, without a process for each of them."""
    pytest.importorskip("torch", reason="the machine's devices are asked for by PyTorch")
    there = found("torch")
    monkeypatch.setattr(worker, "probe", lambda _: there)


@pytest.mark.torch
@pytest.mark.usefixtures("probed")
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
        (["--backend", "jax"], "digits_cnn can be run with torch"),
        (["--processes", "3000", "--batch-size", "3000"], "more processes would only wait"),
        (["--processes", "2", "--batch-size", "63"], "share a batch evenly"),
        (["--budget", "5"], "--budget belongs to --measure throughput"),
        (["--telemetry", "often"], "readings a second from 0.1 to 1000, or off"),
    ],
)
def test_what_the_harness_cannot_do_is_refused(
    flags: list[str], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what it can do, before anything starts, and nothing is recorded."""
    assert wanted in refused(["run", "digits_cnn", *flags, "--runs", str(tmp_path)], capsys)
    assert not list(tmp_path.iterdir())


@pytest.mark.torch
@pytest.mark.usefixtures("plain")
def test_a_run_is_recorded_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file a seed, seeds counted, no journal left; `show` has figures, `check` no error. The
    workers are this process, which has its framework loaded.
    """
    pytest.importorskip("torch", reason="measuring needs PyTorch")
    runs = ["--runs", str(tmp_path)]
    monkeypatch.setattr(worker, "run", lambda path, *_: worker._work(path))

    assert typed(f"{DIGITS} --epochs 3 --target 0.2 --seeds 0,1", tmp_path) == 0
    archive = store.read(tmp_path)

    assert [run.seed for run in archive.runs] == [0, 1]
    assert {run.status for run in archive.runs} == {Status.OK}
    assert not list((tmp_path / "journals").iterdir())
    assert "2 of 2 seeds reached top1 0.2" in capsys.readouterr().out.splitlines()[-1]
    assert commands.main(["check", *runs]) == 0
    capsys.readouterr()
    assert commands.main(["show", "--json", *runs]) == 0
    records = json.loads(capsys.readouterr().out)["records"]
    assert records[0]["metrics"]["throughput_images_per_s"]["value"] > 0
    assert records[0]["metrics"]["epochs_to_target@0.2"]["unit"] == "epochs"


@pytest.mark.torch
@pytest.mark.usefixtures("probed")
def test_a_run_that_fails_does_not_end_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Out of memory is a finding, a failure exit status 1; the run after both takes place."""
    ends = iter([Status.OOM, Status.FAILED, Status.OK])

    def work(path: Path, *_: object) -> None:
        journal.append(
            path, "exit", status=next(ends), detail="as the test wants it", stop_reason="test"
        )

    monkeypatch.setattr(worker, "run", work)

    assert typed(f"{DIGITS} --repeats 3", tmp_path) == 1
    assert sorted((run.repeat_index, run.status) for run in store.read(tmp_path).runs) == [
        (0, Status.OOM),
        (1, Status.FAILED),
        (2, Status.OK),
    ]
    said = capsys.readouterr().out
    assert (
        "the same for all runs of this command: tuned allocator, channels_last, eager, 1 thread"
        in said
    )
    assert "failed: as the test wants it" in said


def test_runs_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two batch sizes, what differs, warnings in words; JSON has the intervals."""
    runs = ["--runs", str(tmp_path)]
    for name, rate, batch in (("small", 100.0, 64), ("large", 120.0, 128)):
        metric = Metric(
            "throughput_images_per_s", rate, "images/s", rate - 1, rate + 1, Interval.CI95, n=50
        )
        run = make_run(name, metrics=(metric,))
        store.write(
            tmp_path / "measured" / f"{name}.parquet", [replace(run, global_batch_size=batch)]
        )

    shaky = replace(
        run, run_id="shaky", global_batch_size=128, doubts=(RunWarning("other_load", 0.3, 0.05),)
    )
    store.write(tmp_path / "measured" / "shaky.parquet", [shaky])

    assert commands.main(["compare", "large", "small", *runs]) == 0
    said = capsys.readouterr().out
    assert (
        "1.200 (1.178 to 1.222)  +20.0 % of B  faster" in said
        and "differs in global_batch_size: 128 against 64" in said
    )
    assert commands.main(["compare", "sm*", "large", "--json", *runs]) == 0
    told = json.loads(capsys.readouterr().out)
    (record,) = told["records"]
    assert record["answer"] == "slower"
    assert record["a"]["interval"] == "ci95"
    assert record["b"]["high"] == 121.0
    assert round(record["percent"], 2) == -16.67
    assert told["unlike"] == ["global_batch_size: 64 against 128"]
    assert commands.main(["compare", "shaky", "small", *runs]) == 0
    said = capsys.readouterr().out
    assert "throughput_images_per_s: not separable: run shaky has 1 warning (other_load)" in said
    assert "warning: shaky: other programs used 0.3 cores during the timed steps" in said


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.usefixtures("plain")
def test_a_second_run_at_once_is_refused_or_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the other's name; with --together it takes place, says so, and leaves no file."""
    pytest.importorskip("torch", reason="measuring needs PyTorch")
    command = f"{DIGITS} --epochs 3 --target 0.2"

    with lock.held() as other:
        other.name("digits-cnn-other-1")
        assert typed(command, tmp_path) == 1
        assert "digits-cnn-other-1 is being measured on this machine" in capsys.readouterr().err
        assert not list(tmp_path.iterdir())
        assert typed(f"{command} --together", tmp_path) == 0
    (run,) = store.read(tmp_path).runs

    assert "together" in [doubt.code for doubt in run.doubts]
    assert run.extra["together_with"] == "digits-cnn-other-1"
    assert run.telemetry
    assert not list((tmp_path / "journals").iterdir())
    assert commands.main(["check", "--runs", str(tmp_path)]) == 0


@pytest.mark.usefixtures("plain")
def test_runs_that_cannot_be_written_are_refused_before_they_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that nobody may write to: exit status 1, the reason, and what to do."""
    (tmp_path / "file").touch()

    assert commands.main(["run", "digits_cnn", "--runs", str(tmp_path / "file")]) == 1
    assert (
        "nothing was started: mend its permissions, or choose another --runs"
        in capsys.readouterr().err
    )


def test_show_and_compare_sum_seeds_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below their tables, and in JSON."""
    for name, scale in (("a", 1.0), ("b", 2.0)):
        for seed in range(3):
            run = learned(
                seed,
                scale * (9.0 + seed),
                f"{name}-s{seed}",
                environment=Environment(allocator=name),
            )
            store.write(tmp_path / "measured" / f"{run.run_id}.parquet", [run])
    sides = ["compare", "a-*", "b-*", "--runs", str(tmp_path)]

    assert commands.main(["show", "a-s1", "--runs", str(tmp_path)]) == 0
    assert "a-s2 with its seeds: 3 of 3 seeds reached top1 0.9" in capsys.readouterr().out
    assert commands.main(sides) == 0
    assert "time to the target: A over B 0.500 in these means" in capsys.readouterr().out
    assert commands.main([*sides, "--json"]) == 0
    assert [side["mean_s"] for side in json.loads(capsys.readouterr().out)["seeds"]] == [10.0, 20.0]


def test_one_run_of_five_has_no_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run stays, the score is null, and the reason is given."""
    runs = imported(tmp_path, capsys)

    assert commands.main(["score", "--json", *runs]) == 0
    (score,) = json.loads(capsys.readouterr().out)["records"]

    assert score["verdict"] == "incomplete"
    assert score["score_minutes"] is None
    assert score["reason"] == "1 of 5 runs"


def test_a_withdrawn_run_stays_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It scores nothing; a second withdrawal and an unknown run are refused."""
    runs = imported(tmp_path, capsys)
    name = store.read(tmp_path / "runs").runs[0].run_id

    assert commands.main(["withdraw", name, "--why", "the clock was wrong", *runs]) == 0
    assert store.read(tmp_path / "runs").runs[0].withdrawn == "the clock was wrong"
    capsys.readouterr()
    assert commands.main(["score", "--json", *runs]) == 0
    assert json.loads(capsys.readouterr().out)["records"] == []
    assert commands.main(["withdraw", name, "--why", "again", *runs]) == 1
    assert commands.main(["withdraw", "no-such-run", "--why", "x", *runs]) == 1
    assert commands.main(["import", "mlperf", str(log(tmp_path / "again")), *runs]) == 0
    assert store.read(tmp_path / "runs").runs[0].withdrawn == "the clock was wrong", (
        "importing again keeps it withdrawn"
    )


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["import", "mlperf", "/no/such/file"], "/no/such/file: no such file or folder; give"),
        (["show", "--runs", "/no/such/folder"], "/no/such/folder"),
        (["import", "mlperf", str(commands.__file__)], "not an MLPerf result log"),
    ],
)
def test_a_refused_input_is_named(
    arguments: list[str], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 1 and one line that says what was found."""
    folder = [] if "--runs" in arguments else ["--runs", str(tmp_path)]

    assert commands.main([*arguments, *folder]) == 1
    assert wanted in capsys.readouterr().err


def test_a_damaged_file_fails_the_check_and_not_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check` ends with 1 and names the file; `show` shows what can be read."""
    runs = imported(tmp_path, capsys)
    (tmp_path / "runs" / "broken.parquet").write_bytes(b"PAR1 nothing")

    assert commands.main(["check", *runs]) == 1
    assert "broken.parquet" in capsys.readouterr().out
    assert commands.main(["show", *runs]) == 0
    assert "mlperf-v0.5-toyco" in capsys.readouterr().out


def test_the_stump_of_a_journal_is_cleared_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed while it wrote the first line: nothing was measured, and nothing is lost."""
    path = tmp_path / "journals" / "digits-cnn-toy-1.jsonl"
    path.parent.mkdir()
    path.write_text('{"event": "sta')
    os.utime(path, (0, 0))

    assert commands.main(["recover", "--runs", str(tmp_path)]) == 0
    assert "digits-cnn-toy-1: had not begun" in capsys.readouterr().out
    assert not list(path.parent.iterdir())


def test_recovering_nothing_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And a file that is no journal is refused by name, exit status 1."""
    assert commands.main(["recover", "--runs", str(tmp_path)]) == 0
    assert "nothing is left" in capsys.readouterr().out
    (tmp_path / "journals").mkdir()
    (tmp_path / "journals" / "x.jsonl").write_text("[]\n")
    assert commands.main(["recover", "--runs", str(tmp_path)]) == 1
    assert "x.jsonl: not a journal" in capsys.readouterr().err


def test_a_closed_pipe_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`... | head` ends without a traceback."""
    runs = imported(tmp_path, capsys)
    read, write = os.pipe()
    os.close(read)
    found = subprocess.run(
        [sys.executable, "-m", "kernels", "show", "--json", *runs],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)

    assert (found.returncode, found.stderr) == (0, b"")
