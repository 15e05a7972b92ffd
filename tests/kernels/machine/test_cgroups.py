"""Limits of a control group, from folders that look like the kernel's."""

from pathlib import Path

import pytest

from kernels.machine import cgroups


def tree(folder: Path, own: str, files: dict[str, str]) -> tuple[Path, Path]:
    """The folder of all groups, and the file that says which is ours."""
    for name, text in files.items():
        path = folder / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "own").write_text(own)
    return folder / "groups", folder / "own"


NESTED = {"a/cpu.max": "50000 100000\n", "a/b/cpu.max": "300000 100000\n"} | {
    "a/b/memory.max": "1024\n"
}


def of_version_1(cpu: str, quota: str, memory: str) -> dict[str, str]:
    """Files of a group as they were before version 2."""
    return {
        f"{cpu}/cpu.cfs_quota_us": f"{quota}\n",
        f"{cpu}/cpu.cfs_period_us": "100000\n",
        "memory/memory.limit_in_bytes": f"{memory}\n",
    }


@pytest.mark.parametrize(
    ("own", "files", "cpus", "memory"),
    [
        ("0::/\n", {"cpu.max": "200000 100000\n", "memory.max": "4294967296\n"}, 2.0, 2**32),
        ("0::/\n", {"cpu.max": "max 100000\n", "memory.max": "max\n"}, None, None),
        ("0::/a/b\n", NESTED, 0.5, 1024),
        ("0::/../x\n", {"cpu.max": "150000 100000\n"}, 1.5, None),
        (
            "5:cpu,cpuacct:/docker/x\n3:memory:/docker/x\n0::/\n",
            of_version_1("cpu,cpuacct", "400000", "2048"),
            4.0,
            2048,
        ),
        ("5:cpu:/\n3:memory:/\n", of_version_1("cpu", "-1", "9223372036854771712"), None, None),
        ("", {}, None, None),
    ],
    ids=[
        "container",
        "unlimited",
        "nested",
        "outside",
        "version 1 in a container",
        "version 1 unlimited",
        "no such thing",
    ],
)
def test_the_tightest_limit_holds(
    own: str, files: dict[str, str], cpus: float | None, memory: int | None, tmp_path: Path
) -> None:
    """From the process's own group up to the root, in either version."""
    root, mine = tree(tmp_path, own, files)

    assert (cgroups.cpus(root, mine), cgroups.memory(root, mine)) == (cpus, memory)


def test_kills_for_memory_are_counted_in_either_version(tmp_path: Path) -> None:
    """And none where nothing says so, as on macOS."""
    new = tree(tmp_path / "new", "0::/a\n", {"a/memory.events": "low 0\noom 3\noom_kill 2\n"})
    old = tree(
        tmp_path / "old",
        "3:memory:/\n",
        {"memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"},
    )

    assert (cgroups.oom_kills(*new), cgroups.oom_kills(*old)) == (2, 1)
    assert cgroups.oom_kills(tmp_path / "absent", tmp_path / "absent" / "own") == 0
