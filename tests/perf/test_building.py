"""The table of what a build costs after a change."""

import gzip
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from site_src.cli.arguments import STRINGS
from tests.perf import __main__ as commands
from tests.perf import building, make_archive
from tests.perf.building import Site, measured, reworded, row
from tests.perf.measures import Cost


def _told(strings: Path) -> list[str]:
    """The lines of each language."""
    paths = sorted(strings.glob("*.toml"))
    return [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def test_changes_come_one_after_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From nothing without one run, then with it, then with another string; all in copies."""
    seen: list[tuple[int, bool]] = []

    def cost(command: Sequence[str], made: Path) -> Cost:
        site, archive = (Path(command[command.index(name) + 1]) for name in ("--out", "--runs"))
        site.mkdir(exist_ok=True)
        (site / "index.html").write_text("x" * 1000)
        strings = made / "site_src" / "strings"
        runs = sum(1 for _ in archive.glob("measured/*"))
        seen.append((runs, _told(strings) != _told(STRINGS)))
        return Cost(2.0, 1.0, 500_000_000)

    def make(folder: Path, wanted: int) -> None:
        (folder / "measured").mkdir(parents=True)
        for number in range(wanted):
            (folder / "measured" / f"{number}.parquet").touch()

    monkeypatch.setattr(building, "cost", cost)
    monkeypatch.setattr(make_archive, "make", make)

    commands.main(["--only", "build", "--sizes", "3", "2", "--languages", "en", "--draft"])

    told = capsys.readouterr().out.splitlines()
    assert seen == [(2, False), (2, False), (3, False), (3, True),
                    (1, False), (1, False), (2, False), (2, True)]  # fmt: skip
    assert told[1].startswith("build.py --lang en --draft; ")
    assert [line.split()[0] for line in told[4:-1]] == ["3"] * 4 + ["2"] * 4


def test_a_row_has_the_aims_of_its_size() -> None:
    """Beside each figure that has one; of a size between the two nothing is aimed at."""
    for runs, words in {
        512: "3.0 5 4.0 5 600 6 7.0 130 8.0 60",
        2000: "3.0 4.0 5 6 7.0 8.0",
        21_000: "3.0 10 4.0 5 2000 6 7.0 600 8.0 60",
    }.items():
        found = row(runs, "one run", Cost(3.0, 4.0, 5_000_000), Site(6, 7_000_000, 8_000))
        assert found.split() == f"{runs} one run {words}".split()


def test_a_string_is_changed_in_each_language(tmp_path: Path) -> None:
    """In those of today, one line of each; a change that changes nothing would measure nothing."""
    shutil.copytree(STRINGS, tmp_path / "strings")

    reworded(tmp_path / "strings")

    lines = zip(_told(STRINGS), _told(tmp_path / "strings"), strict=True)
    assert sum(old != new for old, new in lines) == len(list(STRINGS.glob("*.toml")))
    (tmp_path / "strings" / "xx.toml").touch()
    with pytest.raises(ValueError, match=r"xx\.toml has 0 lines like .*, wanted one"):
        reworded(tmp_path / "strings")


def test_the_largest_page_is_that_by_gzip(tmp_path: Path) -> None:
    """Which may be the smaller file; what is no page counts for the site alone."""
    (tmp_path / "en").mkdir()
    dense = "".join(map(str, range(300)))
    (tmp_path / "en" / "index.html").write_text(dense)
    (tmp_path / "long.html").write_text("x" * 5000)
    (tmp_path / "data.bin").write_bytes(bytes(10_000))

    found = measured(tmp_path)

    assert found == Site(3, len(dense) + 15_000, len(gzip.compress(dense.encode(), 9)))
