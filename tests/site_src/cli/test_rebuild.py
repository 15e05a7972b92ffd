"""A build that makes again only what has changed gives the site that a build from nothing gives,
byte for byte.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from kernels import store
from site_src.model import MARKER
from tests.makers import RUNS, make_archive

REPOSITORY: Final = Path(__file__).parents[3]
CODE: Final = ("kernels", "site_src")
FILES: Final = ("build.py", "mkdocs.yml", "package.json", "package-lock.json", ".npmrc")
DAY: Final = "2026-11-20"


class Checkout:
    """A copy of this checkout with recorded runs of its own."""

    def __init__(self, folder: Path, *languages: str) -> None:
        self.folder, self.languages, self.day = folder, ",".join(languages), DAY
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        for name in CODE:
            shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
        for name in FILES:
            shutil.copyfile(REPOSITORY / name, folder / name)
        (folder / ".cache").mkdir()
        for name in ("runtime", "fonts", "theme"):
            if (REPOSITORY / ".cache" / name).exists():
                shutil.copytree(REPOSITORY / ".cache" / name, folder / ".cache" / name)
        if (REPOSITORY / "node_modules").exists():
            (folder / "node_modules").symlink_to(REPOSITORY / "node_modules")

    def edit(self, file: str, pattern: str, new: str) -> None:
        """Replace the first place in a file that looks like this."""
        path = self.folder / file
        text, count = re.subn(pattern, new, path.read_text("utf-8"), count=1)
        assert count == 1, f"{file} has nothing like {pattern}"
        path.write_text(text, "utf-8")

    def built(self, out: str) -> tuple[dict[str, bytes], int]:
        """The files of the site built into a folder, and how many were written."""
        place = self.folder / out
        asked = ["--lang", self.languages, "--date", self.day, "--out", str(place)]
        ran = subprocess.run(
            [sys.executable, "build.py", "--draft", *asked],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr[-3000:]
        [written] = re.findall(r"\((\d+) files written", ran.stdout)
        files = (path for path in place.rglob("*") if path.is_file())
        return {path.relative_to(place).as_posix(): path.read_bytes() for path in files}, int(
            written
        )


def _again(checkout: Checkout) -> None:
    """One is measured again: another seed, faster."""
    path = min((checkout.folder / "runs" / "measured").glob("digits-cnn-cpu-*.parquet"))
    [run] = store.read_file(path)
    metrics = tuple(replace(one, value=one.value and one.value * 1.01) for one in run.metrics)
    again = replace(run, run_id=f"{run.run_id}-again", seed=4711, metrics=metrics)
    store.write(path.with_stem(again.run_id), [again])


def _edit(file: str, pattern: str, new: str) -> Callable[[Checkout], None]:
    return lambda checkout: checkout.edit(file, pattern, new)


CODE_CHANGED: Final = "a function"
CHANGES: Final[Mapping[str, Callable[[Checkout], None]]] = {
    CODE_CHANGED: _edit(
        "site_src/pages/components/run_list.py",
        r"html\.spaced\(writer\.link\(page, name\)",
        "html.dotted(writer.link(page, name)",
    ),
    "a run": _again,
    "a price": _edit("kernels/catalog/prices.csv", r"0\.000429,EUR", "0.000439,EUR"),
    "a string": _edit("site_src/strings/en.toml", '= "not stated"', '= "nobody says"'),
    "a text": _edit("site_src/content/en/method.md", r"(?m)^(\w)", r"Well, \1"),
    "a template": _edit("site_src/templates/run.html", '<h1 id="top"', r'\g<0> data-x="y"'),
    "a row of the catalogue": _edit("kernels/catalog/systems.csv", r"1 × K80 \(", "1 × K81 ("),
    "a date": lambda checkout: setattr(checkout, "day", "2026-11-21"),
}


def different(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> set[str]:
    """Files of two sites that are not the same, but for the list of them all."""
    return {path for path in one.keys() | other if one.get(path) != other.get(path)} - {MARKER}


SMALL: Final = ("published/catalyst-*", "measured/digits-cnn-*t143747*")
"""An article and a few runs."""


def changed_at_once(checkout: Checkout, *, runs: Path | None = None) -> None:
    """Change one of each kind of input between two builds, and add all of some runs: what the second
    makes is what a build from nothing makes, and nothing that stays is written.
    """
    before, _ = checkout.built("kept")
    if runs is not None:
        shutil.copytree(runs, checkout.folder / "runs", dirs_exist_ok=True)
    for name, change in CHANGES.items():
        if name != CODE_CHANGED:
            change(checkout)
    after, written = checkout.built("kept")
    changed = different(before, after) & after.keys()
    assert len(changed) == written < len(after)
    del before
    at_once, _ = checkout.built("anew")
    assert different(after, at_once) == set()


def test_what_changed_is_made_again(tmp_path: Path) -> None:
    """On a small site."""
    make_archive(tmp_path / "runs", *SMALL)
    changed_at_once(Checkout(tmp_path, "en"))


@pytest.mark.whole
def test_what_changed_of_the_whole_is_made_again(tmp_path: Path) -> None:
    """From the chosen records to all that is recorded."""
    make_archive(tmp_path / "runs")
    changed_at_once(Checkout(tmp_path, "en"), runs=RUNS)


@pytest.mark.whole
def test_each_change_shows(tmp_path: Path) -> None:
    """One after the other, in two languages, one of code among them; together they give what is
    built at once.
    """
    make_archive(tmp_path / "runs", *SMALL)
    checkout = Checkout(tmp_path, "en", "ja")
    before, _ = checkout.built("kept")
    for name, change in CHANGES.items():
        change(checkout)
        after, written = checkout.built("kept")
        assert len(different(before, after) & after.keys()) == written > 0, name
        gone = before.keys() - after.keys()
        assert all(path.startswith("search/") for path in gone), f"after {name}: {gone}"
        before = after
    at_once, _ = checkout.built("anew")

    assert different(before, at_once) == set()
