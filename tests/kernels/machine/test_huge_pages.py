"""Huge pages: what can be asked for on which machine, how it is asked, and what comes of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from kernels.errors import UsageError
from kernels.harness import environment, jobs, options
from kernels.harness.spec import FLAGS
from kernels.machine import huge_pages


def a_kernel(root: Path, setting: str | None) -> Path:
    """A machine whose kernel has that setting; None for none at all."""
    if setting is not None:
        path = root / huge_pages.KERNEL
        path.parent.mkdir(parents=True)
        path.write_text(
            " ".join(
                f"[{each}]" if each == setting else each for each in ("always", "madvise", "never")
            )
            + "\n"
        )
    return root


@pytest.mark.parametrize(
    ("setting", "chosen", "reason"),
    [
        ("madvise", "madvise", None),
        ("always", "never", None),
        ("never", "never", None),
        (
            "never",
            "madvise",
            "/sys/kernel/mm/transparent_hugepage/enabled is never, so the kernel gives none to "
            "whoever asks",
        ),
        (None, "madvise", "this system shows no /sys/kernel/mm/transparent_hugepage/enabled"),
        (None, "never", "this system shows no /sys/kernel/mm/transparent_hugepage/enabled"),
        (None, "system", None),
        ("never", "system", None),
    ],
)
def test_what_the_kernel_cannot_do_is_refused(
    tmp_path: Path, setting: str | None, chosen: str, reason: str | None
) -> None:
    """To leave it to the system is always possible; a reason says what to do."""
    said = huge_pages.refusal(chosen, a_kernel(tmp_path, setting))

    assert (said is None) if reason is None else (said or "").startswith(reason)
    assert said is None or "leave it out" in said


def test_the_command_refuses_with_the_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is started."""
    monkeypatch.setattr(huge_pages, "of_kernel", lambda *_: "never")
    given = {name: flag.default for name, flag in FLAGS.items()} | {"huge_pages": "madvise"}

    with pytest.raises(
        UsageError, match=r"--huge-pages madvise: /sys/kernel/mm/.* have root write madvise there"
    ):
        jobs.refuse(options.request("digits_cnn", given, None))


def test_only_who_is_asked_to_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of the user's own shell do not reach the run."""
    monkeypatch.setenv("THP_MEM_ALLOC_ENABLE", "1")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=2")

    found = {
        chosen: environment.of_worker(1, "tuned", tmp_path, pages=chosen)
        for chosen in huge_pages.CHOICES
    }

    assert [
        huge_pages.ASKED.items() <= found[chosen].items()
        for chosen in ("system", "madvise", "never")
    ] == [False, True, False]
    assert not huge_pages.ASKED.keys() & (found["system"].keys() | found["never"].keys())


def test_what_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was chosen, PyTorch's variable as seen, the kernel's setting if it has one."""
    monkeypatch.delenv("THP_MEM_ALLOC_ENABLE", raising=False)
    rollup = a_kernel(tmp_path, "madvise") / huge_pages.ROLLUP
    rollup.parent.mkdir(parents=True)
    rollup.write_text("Rss:  4096 kB\nAnonHugePages:      2048 kB\n")

    told = huge_pages.recorded("never", tmp_path)

    assert told == {
        "huge_pages": "never",
        "THP_MEM_ALLOC_ENABLE": "unset",
        "transparent_hugepage": "madvise",
    }
    assert huge_pages.recorded("system", tmp_path / "nowhere") == {
        "huge_pages": "system",
        "THP_MEM_ALLOC_ENABLE": "unset",
    }
    assert huge_pages.in_use(tmp_path) == 2 * 2**20
    assert huge_pages.in_use(tmp_path / "nowhere") is None


TOUCHED = """
import mmap, sys
from kernels.machine import huge_pages
huge_pages.keep_from_us(sys.argv[1])
area = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
area.madvise(mmap.MADV_HUGEPAGE)
for page in range(0, 64 << 20, 4096):
    area[page] = 1
print(huge_pages.in_use())
"""


@pytest.mark.skipif(
    huge_pages.of_kernel() not in {"always", "madvise"}, reason="this kernel gives no huge pages"
)
def test_a_process_can_have_them_kept_from_it() -> None:
    """64 MiB that ask for huge pages get some, and after `never` none."""
    used = {
        chosen: int(
            subprocess.run(
                [sys.executable, "-c", TOUCHED, chosen], capture_output=True, text=True, check=True
            ).stdout
        )
        for chosen in ("system", "never")
    }

    assert used["system"] > 0
    assert used["never"] == 0


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.skipif(
    huge_pages.of_kernel() not in {"always", "madvise"}, reason="this kernel gives no huge pages"
)
def test_pytorch_asks_where_it_is_told_to(tmp_path: Path) -> None:
    """Of a tensor of 64 MiB more than half lies in huge pages."""
    pytest.importorskip("torch", reason="what is looked at is PyTorch's allocator")
    code = (
        "import torch; from kernels.machine import huge_pages; made = torch.ones(16 << 20); "
        "print(huge_pages.in_use())"
    )
    told = environment.of_worker(1, "tuned", tmp_path, pages=huge_pages.MADVISE)

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=told
    )

    assert int(done.stdout) > 32 << 20
