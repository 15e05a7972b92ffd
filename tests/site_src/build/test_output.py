import json
import multiprocessing
import os
import re
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from kernels.disk import FullDiskError
from site_src.build import output
from site_src.build.output import OutputError, Stage, writing
from site_src.model import MARKER
from tests import full_disk
from tests.patience import PATIENCE_S


def files(folder: Path) -> dict[str, bytes]:
    """What stands below a folder, the marker left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MARKER
    }


def build(out: Path, content: dict[str, bytes], *, incremental: bool = True) -> None:
    """Write these files as a build does."""
    with writing(out, incremental=incremental) as stage:
        for path, text in content.items():
            stage.put(path, text)


def test_a_build_leaves_its_files_and_nothing_beside_them(tmp_path: Path) -> None:
    """After a first build the folder stands, and no lock and no half is left next to it."""
    build(tmp_path / "site", {"a/b.html": b"1", "c.txt": b"2"})

    assert files(tmp_path / "site") == {"a/b.html": b"1", "c.txt": b"2"}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize("incremental", [True, False])
def test_the_next_build_replaces_what_changed_and_removes_what_is_gone(
    tmp_path: Path, incremental: bool
) -> None:
    """Stale files go with their empty folders; files that the owner laid there stay."""
    out = tmp_path / "site"
    build(out, {"a/b.html": b"1", "c.txt": b"2", "same": b"s"})
    (out / "CNAME").write_bytes(b"example.org")

    build(out, {"c.txt": b"3", "same": b"s", "new/d": b"4"}, incremental=incremental)

    assert files(out) == {"c.txt": b"3", "same": b"s", "new/d": b"4", "CNAME": b"example.org"}
    assert not (out / "a").exists()


def test_files_that_did_not_change_are_not_written_again(tmp_path: Path) -> None:
    """An unchanged file keeps its time; so does the list of files when nothing changed."""
    out = tmp_path / "site"
    build(out, {"a": b"1", "b": b"2"})
    for name in ("a", "b", MARKER):
        os.utime(out / name, (1, 1))

    build(out, {"a": b"1", "b": b"2"})
    unchanged = [(out / name).stat().st_mtime for name in ("a", "b", MARKER)]
    build(out, {"a": b"1", "b": b"3"})

    assert unchanged == [1, 1, 1]
    assert (out / "a").stat().st_mtime == 1


def test_a_failed_build_leaves_the_site_as_it_was(tmp_path: Path) -> None:
    """An error in the middle changes no file."""
    out = tmp_path / "site"
    build(out, {"a": b"1"})

    with pytest.raises(ZeroDivisionError), writing(out) as stage:
        stage.put("a", b"2")
        raise ZeroDivisionError

    assert files(out) == {"a": b"1"}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """Without the marker a folder with files is not ours to write, and nothing in it is touched."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_bytes(b"years")

    with pytest.raises(OutputError, match=r"no build has written"):
        build(tmp_path / "home", {"index.html": b""})

    assert files(tmp_path / "home") == {"thesis.tex": b"years"}


def test_a_file_of_the_owner_is_not_overwritten(tmp_path: Path) -> None:
    """A page that would land on a file that no build wrote is refused by name."""
    build(tmp_path / "site", {"a": b"1"})
    (tmp_path / "site" / "robots.txt").write_bytes(b"mine")

    for incremental in (True, False):
        with pytest.raises(OutputError, match=r"robots\.txt"):
            build(tmp_path / "site", {"a": b"1", "robots.txt": b"ours"}, incremental=incremental)

    assert (tmp_path / "site" / "robots.txt").read_bytes() == b"mine"


def test_two_parts_may_not_write_one_file(tmp_path: Path) -> None:
    """A path put twice is an error, and so is one outside the folder."""
    stage = Stage(tmp_path, tmp_path / "aside", None)
    stage.put("a", b"1")

    with pytest.raises(OutputError, match="two parts"):
        stage.put("a", b"2")
    with pytest.raises(OutputError, match="below"):
        stage.put("../a", b"2")


OWNED = {"CNAME": b"example.org", ".git/refs": None, ".well-known/deep/token": b"t"}
"""What an owner laid beside the site; None is an empty folder."""


def own(out: Path) -> None:
    """Lay it there."""
    for name, content in OWNED.items():
        path = out / name
        (path if content is None else path.parent).mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_bytes(content)
    (out / ".well-known").chmod(0o2711)


def owned(out: Path) -> bool:
    """Whether all of it is there, as it was."""
    return (
        (out / ".git" / "refs").is_dir()
        and all(
            content is None or (out / name).read_bytes() == content
            for name, content in OWNED.items()
        )
        and stat.S_IMODE((out / ".well-known").stat().st_mode) == 0o2711
    )


@pytest.mark.parametrize("incremental", [True, False])
def test_what_the_owner_laid_there_moves_along_as_it_is(tmp_path: Path, incremental: bool) -> None:
    """Files, empty folders and permissions; the site's own, too."""
    out = tmp_path / "site"
    build(out, {"a/b": b"1", "c": b"1"})
    own(out)
    (out / "a" / "mine").write_bytes(b"in a folder of ours that goes")
    out.chmod(0o2775)

    build(out, {"c": b"2"}, incremental=incremental)

    assert owned(out) and (out / "a" / "mine").exists() and not (out / "a" / "b").exists()
    assert stat.S_IMODE(out.stat().st_mode) == 0o2775
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize("page", ["mine", "mine/page", "folder"])
def test_a_page_in_the_place_of_something_of_the_owners_is_refused(
    tmp_path: Path, page: str
) -> None:
    """A file that would be a folder, a folder that would be a file: the site stands as it was."""
    out = tmp_path / "site"
    build(out, {"c": b"1"})
    (out / "mine").write_bytes(b"mine")
    (out / "folder" / "deep").mkdir(parents=True)
    (out / "folder" / "deep" / "x").touch()

    with pytest.raises(OutputError, match="was not written by a build"):
        build(out, {"c": b"2", page: b"2"})

    assert files(out) == {"c": b"1", "mine": b"mine", "folder/deep/x": b""}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_file_that_is_as_the_build_would_write_it_becomes_ours(tmp_path: Path) -> None:
    """And goes when the site no longer has it."""
    out = tmp_path / "site"
    build(out, {"c": b"1"})
    (out / "d").write_bytes(b"1")
    (out / "d").chmod(0o644)

    build(out, {"c": b"1", "d": b"1"})
    build(out, {"c": b"1"})

    assert files(out) == {"c": b"1"}


BEFORE = {"a": b"1", "b": b"1", "same": b"s", "gone/c": b"1"}
AFTER = {"a": b"2", "b": b"2", "same": b"s", "d": b"2"}


def ours(out: Path) -> dict[str, bytes]:
    """The files of the site alone."""
    return {name: content for name, content in files(out).items() if name not in OWNED}


class Killed(BaseException):
    """A build has died."""


@pytest.mark.parametrize("exchanging", [True, False])
@pytest.mark.parametrize("incremental", [True, False])
@pytest.mark.parametrize("steps", range(14))
def test_a_killed_build_leaves_the_old_site_or_the_new_one(
    tmp_path: Path, steps: int, incremental: bool, exchanging: bool
) -> None:
    """Wherever it dies the site is whole, and the next build tidies up. Where folders cannot change
    their names in one step the old site may be without its name, until then.
    """
    out = tmp_path / "site"
    build(out, BEFORE)
    own(out)

    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        _dying(patch, steps, exchanging=exchanging)
        build(out, AFTER, incremental=incremental)
        assert steps > 11  # else it was to die
    left = ours(out) if out.exists() or exchanging else BEFORE
    with pytest.raises(ZeroDivisionError), writing(out):
        raise ZeroDivisionError  # it does none of its own work

    assert left in (BEFORE, AFTER) and ours(out) == left and owned(out)
    assert json.loads((out / MARKER).read_text())["files"] == sorted(left)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def _dying(patch: pytest.MonkeyPatch, steps: int, *, exchanging: bool) -> None:
    """Let a build die after that many steps, and clear up nothing."""
    left = iter(range(steps))

    def or_die(real: Callable[..., object]) -> Callable[..., object]:
        def step(*args: object, **more: object) -> object:
            if next(left, None) is None:
                raise Killed
            return real(*args, **more)

        return step

    exchange = output._exchanged if exchanging else lambda *_: False
    patch.setattr(output, "_exchanged", or_die(exchange))
    patch.setattr(output, "_tidy", or_die(output._tidy))
    for place, name in ((os, "link"), (Path, "rename"), (Path, "open")):
        patch.setattr(place, name, or_die(getattr(place, name)))


def test_readers_see_one_site_or_the_other(tmp_path: Path) -> None:
    """Whoever looks while builds go on finds a site, and never files of two."""
    out, seen, done = tmp_path / "site", [], threading.Event()
    build(out, dict.fromkeys("abc", b"0"))

    def read() -> None:
        while not done.is_set():
            folder = os.open(out, os.O_RDONLY)
            with suppress(FileNotFoundError):  # of a site that has gone meanwhile
                found = set()
                for name in "abc":
                    file = os.open(name, os.O_RDONLY, dir_fd=folder)
                    found.add(os.read(file, 9))
                    os.close(file)
                seen.append(found)
            os.close(folder)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(50):
        build(out, {name: str(number).encode() for name in "abc"})
    done.set()
    reader.join(PATIENCE_S)

    assert seen and all(len(found) == 1 for found in seen)


def test_a_second_build_into_one_folder_is_refused(tmp_path: Path) -> None:
    """While one build holds the folder another one stops with a word, and does not wait or mix
    in.
    """
    with writing(tmp_path / "site") as stage:
        stage.put("a", b"1")
        process = multiprocessing.get_context("spawn").Process(
            target=_second, args=(tmp_path / "site",)
        )
        process.start()
        process.join(PATIENCE_S)

    assert process.exitcode == 0
    assert files(tmp_path / "site") == {"a": b"1"}


def _second(out: Path) -> None:
    try:
        build(out, {"a": b"2"})
    except OutputError as error:
        raise SystemExit("another build" not in str(error)) from None
    raise SystemExit(2)


def test_a_lock_without_a_holder_does_not_matter(tmp_path: Path) -> None:
    """A lock file that a killed build left is taken over."""
    (tmp_path / ".site.lock").touch()

    build(tmp_path / "site", {"a": b"1"})

    assert files(tmp_path / "site") == {"a": b"1"}


@pytest.mark.parametrize("incremental", [True, False])
def test_a_full_disk_is_named_and_leaves_the_site_as_it_was(
    tmp_path: Path, incremental: bool
) -> None:
    """Whichever write finds no room: the error has the path and what to do, no half file stays, and
    with room the site stands.
    """
    out = tmp_path / "site"
    before, after = {"a/b": b"1", "c": b"2"}, {"a/b": b"3", "d/e": b"4"}
    build(out, before)
    refused = 0
    for writes in count():
        try:
            with pytest.MonkeyPatch.context() as patch:
                full_disk.after(writes, patch)
                build(out, after, incremental=incremental)
            break
        except FullDiskError as error:
            refused += 1
            assert re.match(
                rf"{out}.* cannot be written \(No space left on device\): free space, or give "
                r"another --out",
                str(error),
            )
            assert files(out) == before and [path.name for path in tmp_path.iterdir()] == ["site"]

    assert refused == 3  # two files, the list of files
    assert files(out) == after


@pytest.mark.parametrize("incremental", [True, False])
def test_all_may_read_a_site_whatever_the_umask(tmp_path: Path, incremental: bool) -> None:
    """Of a first build, of a later one, and of files that an older build left to its owner
    alone.
    """
    out = tmp_path / "site"
    build(out, {"same/a": b"1", "old/b": b"2"})
    for path in (out / "same" / "a", out / MARKER, out / "same", out):
        path.chmod(0o600 if path.is_file() else 0o700)
    before = os.umask(0o077)
    try:
        build(tmp_path / "first", {"x/y/z": b""})
        build(out, {"same/a": b"1", "old/b": b"3", "new/deep/c": b"4"}, incremental=incremental)
    finally:
        os.umask(before)

    for folder in (out, tmp_path / "first"):
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}
        assert modes == {path: 0o755 if path.is_dir() else 0o644 for path in modes}
