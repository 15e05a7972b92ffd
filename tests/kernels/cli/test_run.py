"""`kernels run --suite`: what it says before, skips, leaves after Ctrl-C, and ends with."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from kernels import __main__ as commands
from kernels import store
from kernels.backends.base import Device, Probe
from kernels.cli import run as run_command
from kernels.errors import TouchstoneError
from kernels.harness import journal, worker
from kernels.harness.spec import Job
from kernels.machine.system import ROOT
from kernels.records import Precision, Run, Setting, Status
from tests.kernels.harness.kills import kill_suite

QUICK = ["run", "--suite", "quick", "--size", "smoke", "--device", "cpu", "--threads", "1"]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[str]]]:
    """A worker that ends each run with the next of the statuses, then `ok`; `None` is Ctrl-C."""
    ends: list[Status | None] = []
    done: list[str] = []

    def run(path: Path, job: Job, progress: Callable[[float, float, str], None], _: object) -> None:
        status = ends.pop(0) if ends else Status.OK
        journal.append(
            path, "environment", environment={}, extra={}, software={"torch": "9.9"}, settings={}
        )
        progress(1.0, 2.0, "half")
        done.append(job.run_id)
        journal.append(
            path, "exit", status=status or Status.KILLED, detail=None, stop_reason="test"
        )
        if status is None:
            raise KeyboardInterrupt

    def wanted(*statuses: Status | None) -> list[str]:
        ends[:] = statuses
        done.clear()
        return done

    device = Device("cpu", None, None, (Precision.FP32, Precision.BF16))
    monkeypatch.setattr(worker, "run", run)
    monkeypatch.setattr(worker, "probe", lambda name: Probe(name, "9.9", (device,)))
    yield wanted


def test_a_suite_goes_on_where_it_stopped(
    work: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After Ctrl-C (130) or a failure (1) it does what is left, then nothing, `--again` all."""
    command = [*QUICK, "--runs", str(tmp_path)]
    done = work(Status.OK, None)

    assert commands.main(command) == 130
    said = capsys.readouterr()
    assert len(done) == 2 and "3 runs left; the same command goes on" in said.out
    assert "interrupted" in said.err

    done = work(Status.FAILED)
    assert commands.main(command) == 1
    said = capsys.readouterr()
    assert (
        len(done) == 3
        and "1 of 4 runs are recorded on this system" in said.out
        and "(1 failed, 2 ok)" in said.out
    )

    assert commands.main(command) == 0
    assert "1 run to go" in capsys.readouterr().out
    assert commands.main(command) == 0
    assert (
        "4 of 4 runs are recorded on this system, so nothing is left to do; --again"
        in capsys.readouterr().out
    )
    done = work()
    assert commands.main([*command, "--again"]) == 0
    assert len(done) == 4
    runs = store.read(tmp_path).runs
    assert {setting for run in runs for setting in run.settings} == {
        Setting("suite", "quick"),
        Setting("suite_size", "smoke"),
    }
    assert not list((tmp_path / "journals").iterdir())


def test_make_bench_always_measures(
    work: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Interrupted it goes on with what it has measured itself; the next time it begins anew."""
    (recipe,) = (
        line for line in (ROOT / "Makefile").read_text().splitlines() if "-m kernels run" in line
    )
    words = recipe.partition("-m kernels ")[2].replace("$(ARGS)", "").split()
    bench = [*(word for word in words if word != "--site"), *QUICK[3:], "--runs", str(tmp_path)]
    work()
    commands.main([*QUICK, "--runs", str(tmp_path)])
    capsys.readouterr()

    done = work(Status.OK, None)
    assert commands.main(bench) == 130
    assert (
        len(done) == 2
        and "3 runs left; the same command goes on within a day" in capsys.readouterr().out
    )
    done = work()
    assert commands.main(bench) == 0
    assert (
        len(done) == 3
        and "1 of 4 runs are recorded on this system since --again began at 20"
        in capsys.readouterr().out
    )
    done = work()
    assert commands.main(bench) == 0
    assert len(done) == 4 and "are recorded on this system" not in capsys.readouterr().out
    assert not list((tmp_path / "journals").iterdir())


def test_a_round_whose_runs_are_all_done_is_over(
    work: Callable[..., list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Killed after its last run: the next one begins anew, and so does a dry one."""
    command = [*QUICK, "--again", "--runs", str(tmp_path)]
    monkeypatch.setattr("kernels.harness.schedule.end_round", lambda *_: None)
    for asked in ([], ["--dry-run"], []):
        done = work()
        assert commands.main([*command, *asked]) == 0
        said = capsys.readouterr().out
        assert "4 runs to go" in said and "since --again" not in said
        assert len(done) == (0 if asked else 4)


def test_what_was_recorded_before_has_its_say(
    work: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of runs that are repeated: which is slow only all of them together tell."""
    command = [*QUICK, "--runs", str(tmp_path)]
    work()
    commands.main(command)
    before = {run.run_id for run in store.read(tmp_path).runs}
    told: list[tuple[set[str], set[str]]] = []

    def remarks(shown: Sequence[str], runs: Iterable[Run]) -> list[str]:
        told.append((set(shown), {run.run_id for run in runs}))
        return []

    monkeypatch.setattr("kernels.analysis.summary.remarks", remarks)
    commands.main([*command, "--again"])

    ((shown, runs),) = told
    assert len(shown) == 4 and not shown & before
    assert runs == shown | before


def test_a_dry_run_says_all_and_does_nothing(
    work: Callable[..., list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Differences from the source, runs with times, what is skipped and why, the whole, room."""
    # nor is the machine held: whoever measures would be told that somebody else does
    monkeypatch.delattr("kernels.harness.lock.held")
    monkeypatch.setenv("TOUCHSTONE_DATA", str(tmp_path / "data"))
    done = work()

    command = ["run", "--suite", "t4-v100-mlperf", "--device", "cpu", "--dry-run", "--runs"]
    assert commands.main([*command, str(tmp_path / "runs")]) == 0
    said = capsys.readouterr().out

    assert (
        "suite t4-v100-mlperf, size small: time to a target" in said
        and "differs from it: MovieLens-100k instead of" in said
    )
    assert "resnet50, batch 8, fp32, synthetic_device, seed 0" in said and "29 s" in said
    assert "skipped: fashion_cnn data=real precision=amp_bf16" in said
    assert "(1 from time budgets)" in said and "MB on disk of" in said
    assert done == [] and not (tmp_path / "runs").exists()


def test_a_suite_of_which_nothing_can_be_run_fails(
    work: Callable[..., list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit status 1, with the reason; an absent data set alone leaves the others to run."""
    monkeypatch.setenv("TOUCHSTONE_DATA", str(tmp_path / "data"))
    done = work()

    command = ["run", "--suite", "t4-v100-mlperf", "--device", "cpu", "--runs"]
    assert commands.main([*command, str(tmp_path)]) == 0
    assert len(done) == 1
    assert "python -m kernels data fetch movielens-100k" in capsys.readouterr().out
    monkeypatch.setattr(worker, "probe", lambda name: Probe(name, None, missing="no framework"))
    assert commands.main([*QUICK, "--runs", str(tmp_path / "other")]) == 1
    assert "nothing of it can be run here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["run"], "name a WORKLOAD, or a suite with --suite"),
        (["run", "digits_cnn", "--suite", "quick"], "and not both"),
        (["run", "digits_cnn", "--dry-run"], "--dry-run belongs to --suite"),
        (["run", "digits_cnn", "--data-dir", "a", "--data-dir", "b"], "reads one folder"),
        (
            ["run", "--suite", "quick", "--batch-size", "8"],
            "--batch-size: suite quick says itself what it measures",
        ),
        (["run", "--suite", "quick", "--compile"], "--compile: suite quick says itself"),
        (["run", "--suite", "quick", "--size", "full"], "suite quick has small, smoke"),
        (["run", "--suite", "slow"], "no such suite"),
    ],
)
def test_what_does_not_go_together_is_refused(
    words: list[str], wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As wrong usage, before anything starts."""
    with pytest.raises(SystemExit) as found:
        commands.main(words)

    assert found.value.code == 2
    assert wanted in capsys.readouterr().err


def test_suites_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """With their sizes and what they follow; in JSON with all that they run."""
    assert commands.main(["list"]) == 0
    assert "rtx2080ti-colab-tpu  full, small, smoke  rtx2080ti-colab-tpu" in capsys.readouterr().out
    assert commands.main(["list", "--json"]) == 0
    assert "quick" in {each["name"] for each in json.loads(capsys.readouterr().out)["suites"]}


def test_the_address_is_that_of_the_machines_page(tmp_path: Path) -> None:
    """In the user's language if the site has it, else English; an absent page is an error."""
    for language in ("en", "ja"):
        page = tmp_path / language / "measured" / "toy-2c" / "index.html"
        page.parent.mkdir(parents=True)
        page.touch()

    assert run_command.address(tmp_path, "toy-2c", ["ja", "en"]).endswith(
        "/ja/measured/toy-2c/index.html"
    )
    english = f"file://{tmp_path}/en/measured/toy-2c/index.html"
    assert (
        run_command.address(tmp_path, "toy-2c", ["xx"])
        == f"this machine beside the published ones: {english}"
    )
    with pytest.raises(
        TouchstoneError, match=r"index\.html is not there although the site was built"
    ):
        run_command.address(tmp_path, "other", [])


def test_the_site_is_built_after_the_runs(
    work: Callable[..., list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With their folder; the address comes last. A failed build makes the exit status."""
    built: list[list[str]] = []
    work()
    monkeypatch.setattr(run_command, "SITE", tmp_path / "site")
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    command = [*QUICK, "--site", "--runs", str(tmp_path)]

    def build(words: list[str]) -> int:
        built.append(words)
        (system,) = {run.system for run in store.read(tmp_path).runs}
        for language in ("en", "ru"):
            (tmp_path / "site" / language / "measured" / system).mkdir(parents=True, exist_ok=True)
            (tmp_path / "site" / language / "measured" / system / "index.html").touch()
        return len(built) - 1

    monkeypatch.setattr("subprocess.call", build)

    assert commands.main(command) == 0
    assert "/site/ru/measured/" in capsys.readouterr().out.splitlines()[-1]
    assert built[0][1].endswith("build.py") and built[0][2:] == ["--runs", str(tmp_path)]
    assert commands.main(command) == 1


@pytest.mark.torch
def test_a_killed_suite_goes_on(tmp_path: Path) -> None:
    """SIGKILL in its first run."""
    pytest.importorskip("torch", reason="measuring needs PyTorch")
    suite = "--suite t4-v100-mlperf --size smoke --device cpu --threads 1 --telemetry off"

    done = kill_suite(tmp_path, "command", 0.2, command=suite, wanted=2)

    assert done.refused is None
    assert done.status == Status.UNFINISHED


def test_falling_back_to_the_cpu_is_the_first_thing_said(
    work: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a workload and of a suite, with the reason; not where the CPU was asked for."""
    work()
    suite = [word for word in QUICK if word not in {"--device", "cpu"}]
    command = ["run", "digits_cnn", "--threads", "1"]
    said = []

    for words in (command, suite, [*command, "--device", "cpu"], QUICK):
        assert commands.main([*words, "--runs", str(tmp_path)]) == 0
        said.append(capsys.readouterr().out.splitlines()[0])

    wanted = (
        "measuring on the CPU, since torch has no accelerator here: torch finds no "
        "accelerator and does not say why"
    )
    assert said[:2] == [wanted, wanted]
    assert not any("measuring on the CPU" in line for line in said[2:])
