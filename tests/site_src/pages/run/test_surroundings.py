"""What a run's page says of its machine beside the columns, in the page's language."""

import re
from dataclasses import replace

import pytest

from kernels.records import Environment, Metric, Run, Setting
from kernels.store import Archive
from tests.site_src.own import watched_run
from tests.site_src.pages.run.test_telemetry import page
from tests.site_src.pages.test_pages import text as lines

TOLD = {
    "cpu_caches": "L1d 48 KiB, L1i 32 KiB, L2 1024 KiB, L3 32768 KiB",
    "cpu_clock_start_mhz": "1497-3695",
    "cpu_clock_end_mhz": "3695",
    "uptime_s": "47110",
    "container": "podman",
    "container_image": f"sha256:{'0123456789abcdef' * 4}",
    "data_filesystem": "ext4",
    "data_volume_bytes": "270553309184",
    "data_disk_rotates": "no",
    "huge_pages": "madvise",
}


def a_run(**told: str) -> Run:
    """A run that tells these facts of its machine."""
    run = watched_run()
    there = run.environment or Environment()
    extra = (*there.extra, *(Setting(name, value) for name, value in told.items()))
    return replace(run, environment=replace(there, load_average_1min=0.52, extra=extra))


def test_a_run_tells_of_its_surroundings() -> None:
    """Caches beside the processor, and a row each for clocks, load, disk and huge pages."""
    text = lines(page(Archive(runs=(a_run(**TOLD),)))).replace("\xa0", " ")

    assert re.search(
        r"Machine \| Test CPU.*, L1d 48 KiB, L1i 32 KiB, L2 1024 KiB, L3 32768 KiB\n", text
    )
    assert "Processor clock at start and end | 1,497 MHz – 3,695 MHz, 3,695 MHz\n" in text
    assert "Before the run | load average 0.52, uptime 13 h 5 min\n" in text
    assert "Data disk | ext4, 271 GB, non-rotating disk\n" in text
    assert "Huge pages | huge pages requested\n" in text


def test_what_is_not_known_has_no_row() -> None:
    """Of an older run, or where everything is left to the system."""
    text = lines(page(Archive(runs=(a_run(huge_pages="system"),))))

    assert not [
        word for word in ("Clock of", "Before the run", "Disk of", "Huge pages") if word in text
    ]


@pytest.mark.parametrize(
    "name", sorted(TOLD.keys() - {"data_filesystem", "container", "container_image"})
)
def test_what_a_stranger_garbled_is_left_out(name: str) -> None:
    """No page is lost by it, and no raw word stands there."""
    assert "<b>x</b>" not in (text := page(Archive(runs=(a_run(**TOLD | {name: "<b>x</b> raw"}),))))
    assert "raw" not in text


def test_a_page_that_is_full_leaves_them_out() -> None:
    """The downloads have them; what the run was asked for stays."""
    run = a_run(**TOLD)
    full = replace(run, metrics=(*run.metrics, *(Metric(f"read_{n}", n / 100) for n in range(60))))

    text = page(Archive(runs=(full,)))

    assert "Data disk" not in text
    assert "huge pages requested" in text, "a setting is no surrounding"
    assert len(page(Archive(runs=(run,))).encode()) < 7_200
