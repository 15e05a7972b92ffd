"""The sampler: a rate kept, a file that survives a crash, an end with its parent."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kernels.errors import StoreError
from kernels.telemetry import process, readings
from kernels.telemetry.base import QUANTITIES, Absent
from kernels.telemetry.process import Watch, beside, chosen_cards, sample
from tests.patience import PATIENCE_S, ended, started, wait_for


class Toy:
    """Draws 10 W; loses its sensor at the fifth reading."""

    source = "toy"
    reads = frozenset(QUANTITIES)

    def __init__(self) -> None:
        self.missing = {name: "no such sensor" for name in QUANTITIES if name != "power_w"}
        self.times: list[float] = []

    def read(self, now: float) -> dict[str, float]:
        """Power until it is lost."""
        self.times.append(now)
        if len(self.times) >= 5:
            self.missing["power_w"] = "the wire was cut"
            return {}
        return {"power_w": 10.0}

    def close(self) -> None:
        """Nothing."""


def taken(path: Path, read: dict[int, Toy], wrist: "Wrist", cost: float = 0.004) -> None:
    """Ten readings a second on that clock, at that cost."""
    path.touch()
    sample(path, read, 10.0, wrist.wait, clock=wrist, used=lambda: (wrist.now - 100.0) * cost)


def back(path: Path) -> readings.Watched:
    """What a file has of a run whose clock started at 100 s."""
    found = readings.read(path, {"zero": 100.0, **process.clocks()})
    assert found is not None
    return found


class Wrist:
    """A clock that waits as told; one reading takes `slow` seconds of it."""

    def __init__(self, ticks: int, slow: Callable[[int], float] = lambda _: 0.001) -> None:
        self.now = 100.0
        self.left = ticks
        self._slow = slow

    def __call__(self) -> float:
        """Now."""
        return self.now

    def wait(self, seconds: float) -> bool:
        """Sleep, and stop after so many times."""
        self.now += seconds + self._slow(self.left)
        self.left -= 1
        return self.left <= 0


def test_readings_are_taken_at_the_rate_and_reach_the_file(tmp_path: Path) -> None:
    """Ten a second; what is missing has its reason, and so has what is lost on the way."""
    toy, wrist = Toy(), Wrist(20)

    taken(tmp_path / "x.telemetry", {0: toy}, wrist)
    found = back(tmp_path / "x.telemetry")

    assert len(found.samples) == 21
    assert found.samples[3].power_w == 10.0 and found.samples[4].power_w is None
    assert found.missing["power_w"].startswith("the wire was cut (after 0.4")
    assert (found.missing["fan"], found.sources, found.clock) == ("no such sensor", "toy", "shared")
    assert found.cost == pytest.approx(0.004)


def test_a_reading_that_takes_too_long_does_not_pile_up_others(tmp_path: Path) -> None:
    """After half a second away the next tick is the next whole one, not five at once."""
    toy, wrist = Toy(), Wrist(10, lambda left: 0.55 if left == 8 else 0.0)

    taken(tmp_path / "x.telemetry", {0: toy}, wrist)

    gaps = [after - before for before, after in zip(toy.times, toy.times[1:], strict=False)]
    assert max(gaps) == pytest.approx(0.65)
    assert min(gaps[:-1]) > 0.04


def test_a_file_cut_anywhere_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """Whatever byte the crash came at: whole lines count, before the first there is none."""
    path, wrist = tmp_path / "x.telemetry", Wrist(30)
    taken(path, {0: Toy()}, wrist)
    whole, zero = path.read_bytes(), {"zero": 100.0, **process.clocks()}

    counts = []
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        found = readings.read(path, zero)
        counts.append(0 if found is None else len(found.samples))

    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] > 20


def test_two_clocks_are_brought_together_by_the_wall(tmp_path: Path) -> None:
    """A worker's clock runs 1,000 s ahead: readings are on its time all the same."""
    wrist = Wrist(3)
    taken(tmp_path / "x.telemetry", {0: Toy()}, wrist)
    here = process.clocks()
    ahead = {
        "zero": 1100.0,
        "now": float(str(here["now"])) + 1000.0,
        "wall": here["wall"],
        "implementation": here["implementation"],
    }

    found = readings.read(tmp_path / "x.telemetry", ahead)

    assert found is not None and found.clock == "wall_clock"
    assert found.samples[0].time_s == pytest.approx(0.0, abs=0.05)


def test_the_clock_of_all_processes_is_one() -> None:
    """On this system; elsewhere the wall's clock has to help, which the run then says."""
    before = time.perf_counter()
    there = float(
        subprocess.run(
            [sys.executable, "-c", "import time; print(time.perf_counter())"],
            capture_output=True,
            check=True,
        ).stdout
    )

    assert before < there < time.perf_counter()


def test_a_sampler_runs_beside_and_ends_when_told(tmp_path: Path) -> None:
    """A process of its own; readings of this machine, and its cost."""
    journal = tmp_path / "run-p3.8x.jsonl"
    with Watch(journal, 20.0, "cpu", 1, os.environ) as watch:
        wait_for(
            lambda: beside(journal).exists() and b'"readings"' in beside(journal).read_bytes(),
            "the first readings",
        )
    lines = [json.loads(line) for line in beside(journal).read_text().splitlines()]

    assert watch.reason is None
    assert [lines[0]["event"], lines[-1]["event"]] == ["start", "end"]
    assert beside(journal).name == "run-p3.8x.telemetry"
    assert 0 < lines[-2]["cpu_s"] < lines[-2]["wall_s"]


def test_a_sampler_ends_with_its_parent(tmp_path: Path) -> None:
    """SIGKILL on the command: its pipe closes, and so does the sampler, within a tick."""
    code = (
        "import os, sys, time; from pathlib import Path; from kernels.telemetry.process import "
        "Watch; watch = Watch(Path(sys.argv[1]), 20.0, 'cpu', 1, os.environ).__enter__(); "
        "print(watch._process.pid, flush=True); time.sleep(3600)"
    )
    with started(
        [sys.executable, "-c", code, str(tmp_path / "x.jsonl")], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())

    wait_for(lambda: ended(pid), "the sampler's end")


def test_a_sampler_that_cannot_write_costs_the_readings_alone(tmp_path: Path) -> None:
    """A full disk: the reason is kept, and nothing is raised."""
    (tmp_path / "x.telemetry").symlink_to("/dev/full")
    with Watch(tmp_path / "x.jsonl", 20.0, "cpu", 1, os.environ) as watch:
        process_ = watch._process
        assert process_ is not None
        process_.wait(timeout=PATIENCE_S)

    assert (
        watch.reason
        == "the sampler ended early with status 1: its file cannot be written to: No space left on "
        "device"
    )


@pytest.mark.parametrize(
    ("device", "processes", "visible", "wanted"),
    [
        ("cuda:0", 1, None, ["0"]),
        ("cuda:2", 1, None, ["2"]),
        ("cuda:0", 2, None, ["0", "1"]),
        ("cuda:1", 1, "3,5", ["5"]),
        ("cuda:0", 2, "GPU-a, GPU-b", ["GPU-a", "GPU-b"]),
        ("cuda:0", 1, "", ["0"]),
    ],
)
def test_the_cards_that_train_are_the_ones_read(
    device: str, processes: int, visible: str | None, wanted: list[str]
) -> None:
    """CUDA counts only what it may see; NVML counts them all."""
    assert chosen_cards(device, processes, visible) == wanted


def test_a_damaged_file_is_refused_by_name(tmp_path: Path) -> None:
    """Another version, or a row that is none."""
    path = tmp_path / "x.telemetry"
    path.write_text('{"event": "start", "version": 99}\n')
    with pytest.raises(StoreError, match="version 99, wanted 1"):
        readings.read(path, None)
    wrist = Wrist(3)
    path.unlink()
    taken(path, {0: Toy()}, wrist)
    path.write_text(path.read_text() + '{"event": "readings", "rows": 5}\n')
    with pytest.raises(StoreError, match="a line is damaged"):
        back(path)
    assert readings.read(tmp_path / "absent", None) is None


def test_what_cannot_be_read_is_not_read_off_the_machine_around_it() -> None:
    """A TPU shows no sensors here; its host's power and load are the host's."""
    found = process.samplers("tpu:0", 1)

    assert found[0].read(0.0) == {} and found[0].missing["power_w"] == "no sensor of a TPU is read"
    assert found[process.MACHINE].read(0.0) != {}


def test_a_device_that_cannot_be_read_has_no_readings(tmp_path: Path) -> None:
    """Not ten empty ones a second; the reason is there."""
    path = tmp_path / "x.telemetry"
    path.touch()
    wrist = Wrist(5)
    sample(
        path,
        {0: Absent("tpu", "no sensor of a TPU is read")},
        10.0,
        wrist.wait,
        clock=wrist,
        used=lambda: 0.0,
    )
    found = back(path)

    assert found.samples == () and found.missing["power_w"] == "no sensor of a TPU is read"
