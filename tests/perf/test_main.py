"""The table of contents of `make perf`."""

import argparse
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.perf import __main__ as commands
from tests.perf import browsing


def test_without_chromium_a_part_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One visible line, and nothing is built."""
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setattr(browsing, "built", None)

    commands.main(["--only", "lighthouse"])

    assert capsys.readouterr().out.splitlines()[1] == "not measured: no chromium on the PATH"


def test_a_part_says_how_busy_others_kept_the_machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After its rows: a ratio means something where nobody else did anything."""
    monkeypatch.setattr(commands, "PARTS", {"build": ("building", lambda *_: iter(["a row"]))})

    commands.main(["--only", "build"])

    first, row, last = capsys.readouterr().out.splitlines()
    assert (first, row) == ("== build: building", "a row")
    assert "others" in last


def test_a_command_that_fails_is_named_with_what_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """And ends the whole: a part without its figures must not look like one with them."""

    def part(_folder: Path, _given: argparse.Namespace) -> Iterator[str]:
        raise subprocess.CalledProcessError(3, ["python", "build.py", "--draft"], b"no room")

    monkeypatch.setattr(commands, "PARTS", {"build": ("building", part)})

    with pytest.raises(
        SystemExit, match=r"no room\nerror: build: build.py --draft ended with status 3: see above"
    ):
        commands.main(["--only", "build"])
