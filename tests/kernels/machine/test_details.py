"""What a machine tells of itself, from files that look like its own."""

import os
import re
from pathlib import Path

import pytest

from kernels.machine import details, system

ID = "0123456789abcdef" * 4


def a_root(folder: Path, files: dict[str, str]) -> Path:
    """A machine with these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def cache(number: int, level: int, kind: str, size: str) -> dict[str, str]:
    """One cache of the first processor."""
    folder = f"sys/devices/system/cpu/cpu0/cache/index{number}"
    return {
        f"{folder}/level": f"{level}\n",
        f"{folder}/type": f"{kind}\n",
        f"{folder}/size": f"{size}\n",
    }


def test_caches_and_uptime_are_read(tmp_path: Path) -> None:
    """Level by level, in KiB; seconds since the start without their hundredths."""
    files = (
        cache(0, 1, "Data", "48K")
        | cache(1, 1, "Instruction", "32K")
        | cache(2, 2, "Unified", "1024K")
        | {"proc/uptime": "4711.92 9"}
    )

    found = details.facts(a_root(tmp_path, files))

    assert found == {
        "cpu_caches": "L1d 48 KiB, L1i 32 KiB, L2 1024 KiB",
        "uptime_s": "4711",
        "timer_resolution_s": found["timer_resolution_s"],
    }
    assert float(found["timer_resolution_s"]) < 1e-3


PODMAN = f'engine="podman-4.3.1"\nname="of-somebody"\nid="{ID}"\nimage="registry.example/private:1"\nimageid="{ID[::-1]}"\n'


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({}, {}),
        ({".dockerenv": ""}, {"container": "docker"}),
        (
            {".dockerenv": "", "proc/self/cgroup": f"0::/docker/{ID}\n"},
            {"container": "docker", "container_id": "a8ae6e6ee929"},
        ),
        (
            {
                ".dockerenv": "",
                "proc/self/mountinfo": f"1 2 8:1 /var/lib/docker/containers/{ID}/hosts /etc/hosts "
                "rw - ext4 /dev/sda1 rw",
            },
            {"container": "docker", "container_id": "a8ae6e6ee929"},
        ),
        (
            {
                "proc/self/mountinfo": f"1 2 0:9 / /var/lib/docker/containers/{ID}/mounts/shm rw - "
                "tmpfs shm rw"
            },
            {},
        ),
        (
            {"run/.containerenv": PODMAN},
            {"container": "podman", "container_image": f"sha256:{ID[::-1]}"},
        ),
    ],
)
def test_a_container_is_named_by_its_image_and_not_by_itself(
    tmp_path: Path, files: dict[str, str], wanted: dict[str, str]
) -> None:
    """An image's digest is kept, its name, maybe private, is not; the container's id is hashed."""
    found = {
        name: text
        for name, text in details.facts(a_root(tmp_path, files)).items()
        if name.startswith("container")
    }

    assert found == wanted
    assert ID not in found.values()


def test_clocks_are_those_of_our_processors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By cpufreq, else /proc/cpuinfo; lowest and highest, or one where they agree."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2}, raising=False)
    info = "\n\n".join(
        f"processor\t: {number}\ncpu MHz\t\t: {clock}"
        for number, clock in enumerate(("2596.096", "9000.0", "2596.096"))
    )
    root = a_root(tmp_path, {"proc/cpuinfo": info})
    by_info = details.clocks("start", root)
    for number, hertz in enumerate((1497000, 800000, 3695000)):
        a_root(root, {f"sys/devices/system/cpu/cpu{number}/cpufreq/scaling_cur_freq": f"{hertz}\n"})

    assert by_info == {"cpu_clock_start_mhz": "2596"}
    assert details.clocks("end", root) == {"cpu_clock_end_mhz": "1497-3695"}
    assert details.clocks("end", tmp_path / "nowhere") == {}


@pytest.mark.parametrize(
    ("place", "turns", "wanted"), [("", "1", "yes"), ("/sda1", "0", "no"), ("/sda1", None, None)]
)
def test_data_lie_on_a_disk(
    tmp_path: Path, place: str, turns: str | None, wanted: str | None
) -> None:
    """The deepest mount above; of two the later. A partition's disk says whether it turns."""
    data = tmp_path / "my data"
    data.mkdir()
    written = str(tmp_path).replace(" ", r"\040")
    mounts = [
        "1 0 0:9 / / rw - overlay none rw",
        rf"2 1 0:7 / {written}/my\040data rw - tmpfs none rw",
        rf"3 1 8:1 / {written}/my\040data rw - ext4 /dev/sda1 rw",
        f"4 1 0:8 / {written}/my rw - proc proc rw",
    ]
    root = a_root(tmp_path / "root", {"proc/self/mountinfo": "\n".join(mounts)})
    disk = root / "sys/devices/pci0/block/sda"
    (disk / "sda1").mkdir(parents=True)
    if turns is not None:
        a_root(disk, {"queue/rotational": f"{turns}\n"})
    (root / "sys/dev/block").mkdir(parents=True)
    (root / "sys/dev/block/8:1").symlink_to(f"{disk}{place}")

    found = details.storage(data, root)

    assert (found["data_filesystem"], found.get("data_disk_rotates")) == ("ext4", wanted)
    assert int(found["data_volume_bytes"]) > 0
    assert details.storage(tmp_path / "absent", root) == {}


def test_the_environment_tells_of_this_machine() -> None:
    """Under names of their own, and nothing that tells it from all others."""
    extra = {setting.name: setting.value for setting in system.environment().extra}

    assert details.facts().keys() <= extra.keys()
    assert not [value for value in extra.values() if re.fullmatch(r"[0-9a-f]{64}", value)]
