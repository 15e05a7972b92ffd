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
    listed(tmp_path)
    monkeypatch.setattr(unchanged, "ROOT", tmp_path)
    monkeypatch.setattr(unchanged, "MADE_FROM", ("site_src",))
    monkeypatch.setattr(unchanged, "CACHE", tmp_path / "cache")
    given = asked(tmp_path)
    read, wrote = unchanged.sources(given), unchanged.written(given)
    unchanged.keep(given, read, wrote, ["left out: a run"], "built 1 page")
    return tmp_path


def listed(place: Path) -> None:
    """Write the list of the site's files, as a build does."""
    digest = unchanged._hash(place / "site" / PAGE)
    files = {"files": [PAGE], "sha256": {PAGE: digest}}
    (place / "site" / MARKER).write_text(json.dumps(files))


def asked(place: Path, *more: str) -> Namespace:
    """What the command was asked for."""
    where = ["--runs", str(place / "runs"), "--out", str(place / "site")]
    return parse([*where, "--date", "2026-11-20", *more])


def test_what_was_said_is_said_again(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The build that left it out is not made again, and still says so."""
    assert unchanged.last_result(asked(place)) == (
        "built 1 page (0 files written, 0 removed)",
        True,
    )
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

    assert unchanged.last_result(asked(place)) is not None


def _written(name: str) -> Callable[[Path], None]:
    def write(place: Path) -> None:
        (place / name).write_text("changed")

    return write


def _same_size_and_time(place: Path) -> None:
    path = place / RUN
    before = path.stat()
    path.write_text("THE FIRST" + path.read_text()[9:])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _built(place: Path) -> None:
    (place / "site" / PAGE).write_text("of another commit")
    listed(place)


def _damaged(place: Path) -> None:
    for note in (place / "cache" / "built").iterdir():
        note.write_text("changed")


def _of_another_form(place: Path) -> None:
    for note in (place / "cache" / "built").iterdir():
        note.write_text(f'{place / "site"}\n{{"read": {{"states": [], "hashes": []}}}}')


CHANGES: dict[str, Callable[[Path], None]] = {
    "a run": _written(RUN),
    "a run more": _written("runs/measured/two.parquet"),
    "a module more": _written("site_src/other.py"),
    "a page": _written(f"site/{PAGE}"),
    "another build, without a note": _built,
    "the note": _damaged,
    "a note of another form": _of_another_form,
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

    assert unchanged.last_result(asked(place)) is None


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
    assert unchanged.last_result(asked(place, *more)) is None


def test_another_package_is_built(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of what draws may draw otherwise."""
    (place / "lib" / "altair-99.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(place / "lib"))

    assert unchanged.last_result(asked(place)) is None


def test_a_file_that_cannot_be_read_is_the_builds_to_name(place: Path) -> None:
    """An editor's link that leads nowhere, a run that is being measured: neither ends a build."""
    (place / "site_src" / ".#page.py").symlink_to("somebody@host.1")
    (place / "runs" / "journals").mkdir()
    (place / "runs" / "journals" / "now.jsonl").touch()
    (place / "runs" / ".lock").touch()

    assert unchanged.last_result(asked(place)) is not None
    assert unchanged.sources(parse(["--runs", str(place / "nowhere")])).states


def test_notes_of_sites_that_are_gone_are_forgotten(place: Path) -> None:
    """So the cache does not grow with every folder that was ever built into."""
    other = place.parent / "other"
    (other / "site").mkdir(parents=True)
    (other / "site" / MARKER).write_text('{"files": []}')
    given = parse(["--runs", str(place / "runs"), "--out", str(other / "site")])
    unchanged.keep(given, unchanged.sources(given), {}, [], "built nothing")
    before = len(list((place / "cache" / "built").iterdir()))
    (other / "site" / MARKER).unlink()
    given = asked(place)
    unchanged.keep(given, unchanged.sources(given), unchanged.written(given), [], "built 1 page")

    assert (before, len(list((place / "cache" / "built").iterdir()))) == (2, 1)
    unchanged.forget(given)
    assert unchanged.last_result(given) is None
