"""What is said of the machine, and nothing of its owner."""

import os
import socket
import subprocess
import sys
import time
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import system
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
    ("model", "wanted"), [("NVIDIA H200", "h200"), ("NVIDIA GeForce RTX 2080 Ti", "geforce-rtx-2080-ti"), ("Tesla T4", "t4")]
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


def test_the_environment_knows_cores_and_memory() -> None:
    """What every machine tells is there."""
    found = system.environment()

    assert found.logical_cores and found.memory_bytes and found.python
    assert 1 <= system.usable_cores() <= found.logical_cores


def test_a_busy_neighbour_is_seen_and_own_work_is_not() -> None:
    """A process that spins for a second costs others most of a core; our own spinning does not count."""
    meter = system.LoadMeter((os.getpid(),))
    neighbour = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
    try:
        meter.start(time.perf_counter())
        until = time.perf_counter() + 1
        while time.perf_counter() < until:
            pass
        with_child = meter.foreign_cores(time.perf_counter())
    finally:
        neighbour.kill()
        neighbour.wait()
    stranger = system.LoadMeter(())
    stranger.start(time.perf_counter())
    until = time.perf_counter() + 1
    while time.perf_counter() < until:
        pass
    as_stranger = stranger.foreign_cores(time.perf_counter())

    assert with_child is not None and as_stranger is not None
    assert as_stranger > 0.3, "to somebody else, this test is the busy neighbour"


def test_processes_of_the_run_are_its_own_even_after_they_ended() -> None:
    """A sibling rank, a reader of data, the sampler: children of the command count as ours, living and dead, and once."""
    spin = "import time\nuntil = time.process_time() + 0.4\nwhile time.process_time() < until: pass"
    meter, stranger = system.LoadMeter((os.getpid(), os.getpid())), system.LoadMeter(())
    meter.start(0.0)
    stranger.start(0.0)

    subprocess.run([sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}])"], check=True)
    ours, theirs = meter.foreign_cores(1.0), stranger.foreign_cores(1.0)

    assert ours is not None and theirs is not None
    assert theirs - ours > 0.3, "what a grandchild used before it ended is taken off"


def test_too_short_a_time_has_no_load() -> None:
    """The kernel counts in ticks of 10 ms: a share of 0.1 s would be rounding."""
    meter = system.LoadMeter((os.getpid(),))
    meter.start(0.0)

    assert meter.foreign_cores(0.1) is None


def test_lists_of_processors_are_read_and_written() -> None:
    """As Linux writes them."""
    assert system.processors("0-2,5") == (0, 1, 2, 5)
    assert system._ranges(list(system.processors("7,0-2,1,5"))) == "0-2,5,7"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not bind processes to processors")
def test_a_process_is_bound_to_processors() -> None:
    """To the list, to no more than a number of them, or not at all."""
    before = os.sched_getaffinity(0)
    try:
        system.bind(None)
        assert os.sched_getaffinity(0) == before
        system.bind(None, 1)
        assert os.sched_getaffinity(0) == {min(before)}
        system.bind(system._ranges(sorted(before)))
        assert system.affinity() == system._ranges(sorted(before))
    finally:
        os.sched_setaffinity(0, before)
