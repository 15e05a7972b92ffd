"""What is said of the machine, and nothing of its owner."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.machine import system
from kernels.records import check_id


@pytest.mark.parametrize(
    ("model", "vendor", "wanted"),
    [
        ("AMD EPYC", "AuthenticAMD", "cpu-amd-epyc"),
        ("AMD EPYC 7763 64-Core Processor", "AuthenticAMD", "cpu-amd-epyc-7763"),
        ("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", "GenuineIntel", "cpu-intel-xeon-gold-6148"),
        ("Intel(R) Core(TM) i7-8700K CPU @ 3.70GHz", "GenuineIntel", "cpu-intel-i7-8700k"),
        (None, None, f"cpu-{system.slug(os.uname().machine)}"),
    ],
)
def test_a_processor_has_a_plain_id(model: str | None, vendor: str | None, wanted: str) -> None:
    """Trade marks, clocks and core counts are no part of the name."""
    assert system.cpu_id(model, vendor) == wanted


@pytest.mark.parametrize(
    ("model", "wanted"),
    [("NVIDIA H200", "h200"), ("NVIDIA GeForce RTX 2080", "geforce-rtx-2080"), ("Tesla T4", "t4")],
)
def test_a_card_has_a_plain_id(model: str, wanted: str) -> None:
    """The maker's name goes, the product's stays."""
    assert system.gpu_id(model) == wanted


@given(st.text())
def test_every_name_makes_a_valid_id(text: str) -> None:
    """Whatever a driver calls a card, its id can stand in an address."""
    check_id("system", f"{system.gpu_id(text)}-1x")
    check_id("accelerator", system.cpu_id(text, None))


def test_the_environment_does_not_name_the_machine() -> None:
    """No host name and no folder of the user in any field."""
    text = str(asdict(system.environment("python -m kernels run digits_cnn")))

    assert socket.gethostname() not in text
    assert os.path.expanduser("~") not in text  # noqa: PTH111 - the text is compared, no file is opened


@pytest.mark.skipif(
    shutil.which("git") is None, reason="without git nothing is known of any commit"
)
def test_a_commit_is_known_by_the_history_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another history's is not, nor what is no commit; without a history nobody can say."""
    monkeypatch.setattr(system, "ROOT", tmp_path)
    without = system.in_history("0" * 40)
    who = ["-c", "user.name=Toy", "-c", "user.email=toy@toys.example"]
    for words in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "First"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    commit, dirty = system._git()

    assert without is None and commit is not None and dirty is False
    assert [
        system.in_history(each) for each in (commit, commit[:12], "0" * 40, "--all", "HEAD")
    ] == [True, True, False, False, False]


def test_the_environment_knows_cores_and_memory() -> None:
    """What every machine tells is there."""
    found = system.environment()

    assert found.logical_cores and found.memory_bytes and found.python
    assert 1 <= system.usable_cores() <= found.logical_cores


@pytest.mark.parametrize(
    ("info", "wanted"),
    [
        (
            {
                "cpu family": "25",
                "model": "17",
                "stepping": "1",
                "flags": "fpu sse2 avx avx2 fma avx512f avx512_bf16 constant_tsc",
            },
            {
                "cpu_family_model_stepping": "25/17/1",
                "cpu_instructions": "avx avx2 fma avx512f avx512_bf16",
            },
        ),
        ({"Features": "fp asimd sve bf16"}, {"cpu_instructions": "asimd sve bf16"}),
        ({"flags": "fpu sse2", "model": "1"}, {}),
        ({}, {}),
    ],
)
def test_a_processor_tells_its_generation_and_what_it_can_do(
    info: dict[str, str], wanted: dict[str, str]
) -> None:
    """What the brand name hides; nothing where the system does not say."""
    assert system.processor(info) == wanted


def test_a_busy_neighbour_is_seen() -> None:
    """A spinning process whose starter has gone is not ours: others have a part of a core."""
    start = (
        "import subprocess, sys; none = subprocess.DEVNULL; "
        "print(subprocess.Popen([sys.executable, '-c', 'while True: pass'], stdout=none, "
        "stderr=none).pid)"
    )
    neighbour = int(
        subprocess.run(
            [sys.executable, "-c", start], capture_output=True, text=True, check=True
        ).stdout
    )
    meter = system.LoadMeter((os.getpid(),))
    try:
        meter.start(time.perf_counter())
        time.sleep(0.8)
        found = meter.foreign_cores(time.perf_counter())
    finally:
        os.kill(neighbour, signal.SIGKILL)

    assert found is not None and found > 0.2


def test_own_work_is_no_neighbour() -> None:
    """What this process spins is no load by others; to somebody else it is."""
    meter, stranger = system.LoadMeter((os.getpid(),)), system.LoadMeter(())
    meter.start(0.0)
    stranger.start(0.0)
    until = time.process_time() + 0.5
    while time.process_time() < until:
        pass
    ours, theirs = meter.foreign_cores(1.0), stranger.foreign_cores(1.0)

    assert ours is not None and theirs is not None
    assert theirs - ours > 0.4


def test_processes_of_the_run_are_its_own_even_after_they_ended() -> None:
    """A sibling rank, a reader, the sampler: children count as ours, living and dead, once."""
    spin = "import time\nuntil = time.process_time() + 0.4\nwhile time.process_time() < until: pass"
    meter, stranger = system.LoadMeter((os.getpid(), os.getpid())), system.LoadMeter(())
    meter.start(0.0)
    stranger.start(0.0)

    subprocess.run(
        [
            sys.executable,
            "-c",
            f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])",
        ],
        check=True,
    )
    ours, theirs = meter.foreign_cores(1.0), stranger.foreign_cores(1.0)

    assert ours is not None and theirs is not None
    assert theirs - ours > 0.3, "what a grandchild used before it ended is taken off"


def test_too_short_a_time_has_no_load() -> None:
    """The kernel counts in ticks of 10 ms: a share of 0.1 s would be rounding."""
    meter = system.LoadMeter((os.getpid(),))
    meter.start(0.0)

    assert meter.foreign_cores(0.1) is None


def test_lists_of_processors_are_written_as_linux_does() -> None:
    """Those that follow on each other as a range."""
    assert system._ranges([0, 1, 2, 5, 7, 8]) == "0-2,5,7-8"


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="this system does not bind processes to processors"
)
def test_a_process_is_bound_to_processors() -> None:
    """To no more than a number of them."""
    before = os.sched_getaffinity(0)
    try:
        system.bind(1)
        assert os.sched_getaffinity(0) == {min(before)}
        assert system.affinity() == str(min(before))
    finally:
        os.sched_setaffinity(0, before)
