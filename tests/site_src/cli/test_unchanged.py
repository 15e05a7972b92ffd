"""A build that would change nothing is found out before anything is read."""

import json
import os
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest

from site_src.cli import unchanged
from site_src.cli.arguments import parse
from site_src.model import MARKER

PAGE = "en/index.html"
RUN = "runs/measured/one.parquet"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of one module with one recorded run, and the site of one page that was built."""
    for name in ("site_src/page.py", RUN, f"site/{PAGE}"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f"the first {name}")
    digest = unchanged._hash(tmp_path / "site" / PAGE)  # as the list of files has it
    listed = {"files": [PAGE], "sha256": {PAGE: digest}}
    (tmp_path / "site" / MARKER).write_text(json.dumps(listed))
    monkeypatch.setattr(unchanged, "ROOT", tmp_path)
    monkeypatch.setattr(unchanged, "MADE_FROM", ("site_src",))
    given = asked(tmp_path)
    unchanged.keep(given, unchanged.sources(given), ["left out: a run"], "built 1 page")
    return tmp_path


def asked(place: Path, *more: str) -> Namespace:
    """What the command was asked for."""
    where = ["--runs", str(place / "runs"), "--out", str(place / "site")]
    return parse([*where, "--date", "2026-11-20", *more])


def test_what_was_said_is_said_again(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The build that left it out is not made again, and still says so."""
    assert unchanged.told(asked(place)) == ("built 1 page (0 files written, 0 removed)", True)
    assert capsys.readouterr().err == "build.py: left out: a run\n"


def _touch(place: Path) -> None:
    for name in ("site_src/page.py", RUN, f"site/{PAGE}"):
        os.utime(place / name, (1, 1))


def _cached(place: Path) -> None:
    (place / "site_src" / "__pycache__").mkdir()
    (place / "site_src" / "__pycache__" / "page.pyc").touch()


@pytest.mark.parametrize("change", [_touch, _cached])
def test_other_times_and_what_python_caches_change_nothing(
    place: Path, change: Callable[[Path], None]
) -> None:
    """As after a checkout of the same commit."""
    change(place)

    assert unchanged.told(asked(place)) is not None


def _written(name: str) -> Callable[[Path], None]:
    def write(place: Path) -> None:
        (place / name).write_text("changed")

    return write


def _same_size_and_time(place: Path) -> None:
    path = place / RUN
    before = path.stat()
    path.write_text("THE FIRST" + path.read_text()[9:])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], None]] = {
    "a run": _written(RUN),
    "a run more": _written("runs/measured/two.parquet"),
    "a module more": _written("site_src/other.py"),
    "a page": _written(f"site/{PAGE}"),
    "the note": _written(".site.built"),
    "a run, in secret": _same_size_and_time,
    "a run less": lambda place: (place / RUN).unlink(),
    "a page less": lambda place: (place / "site" / PAGE).unlink(),
    "no list of files": lambda place: (place / "site" / MARKER).unlink(),
    "a page for its owner": lambda place: (place / "site" / PAGE).chmod(0o600),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_built(place: Path, change: Callable[[Path], None]) -> None:
    """Of a run, a module, a page; a file more or less; a damaged note."""
    change(place)

    assert unchanged.told(asked(place)) is None


@pytest.mark.parametrize(
    "more",
    [
        ["--verify"],
        ["--ledger"],
        ["--clean"],
        ["--draft"],
        ["--unlicensed"],
        ["--runtime", "full"],
        ["--lang", "en,es,ja,ru"],
        ["--date", "2026-11-21"],
        ["--base-url", "https://example.org/"],
        ["--retire", "a-chart", "--why", "it was wrong"],
    ],
)
def test_another_wish_is_built(place: Path, more: list[str]) -> None:
    """Another site, or more than the site as it is."""
    assert unchanged.told(asked(place, *more)) is None


def test_another_package_is_built(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of what draws may draw otherwise."""
    (place / "lib" / "altair-99.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(place / "lib"))

    assert unchanged.told(asked(place)) is None
