"""Renamed charts and badges: the list is checked line by line, and old addresses go on
answering.
"""

import json
from pathlib import Path

import pytest

from site_src import locales
from site_src.addresses import moved
from site_src.addresses.moved import Move, MovedError
from site_src.model import Asset

HEAD = "kind,id,to,day,why\n"
WAYS = {"chart": {"old": "new"}, "badge": {"a/slow": "a/fast"}}


def _list(folder: Path, *rows: str) -> Path:
    path = folder / "moved.csv"
    path.write_text(HEAD + "".join(f"{row}\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind,id\n", "the first line is 'kind,id', wanted kind,id,to,day,why"),
        (
            f"{HEAD}page,a,b,2026-11-20,\n",
            r"moved\.csv:2: 'page,a,b,2026-11-20,' is no rename; .*kind chart or badge",
        ),
        (f"{HEAD}chart,a,,2026-11-20,\n", r"moved\.csv:2: .*wanted"),
        (
            f"{HEAD}chart,a,b,2026-11-20,\nchart,a,c,2026-11-21,\n",
            r"moved\.csv:3: chart a was renamed before, at .*:2",
        ),
        (f"{HEAD}chart,a,b,soon,\n", r"moved\.csv:2: day is 'soon'"),
        (f'{HEAD}chart,a,b,2026-11-20,"open\n', r"moved\.csv: .*wanted UTF-8"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    """File, line, and what was wanted."""
    (tmp_path / "moved.csv").write_text(text, "utf-8")

    with pytest.raises(MovedError, match=message):
        moved.read(tmp_path / "moved.csv")


def test_no_list_is_no_rename(tmp_path: Path) -> None:
    """An archive in which nothing was renamed has no list."""
    assert moved.read(tmp_path / "moved.csv") == []


def test_a_chart_that_was_renamed_twice_leads_to_its_last_name(tmp_path: Path) -> None:
    """Both old names lead there, whatever the order of the lines; a badge of that name is another
    thing.
    """
    path = _list(
        tmp_path,
        "chart,a,b,2026-11-20,",
        "chart,b,c,2026-11-21,clearer",
        "badge,r/a,r/c,2026-11-21,",
    )

    assert moved.resolve(moved.read(path), {"chart": ["c"], "badge": ["r/c"]}) == {
        "chart": {"a": "c", "b": "c"},
        "badge": {"r/a": "r/c"},
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["chart,a,a,2026-11-20,"], r"moved\.csv:2: chart a leads to a, and on in a circle"),
        (
            ["chart,a,b,2026-11-20,", "chart,b,a,2026-11-20,"],
            r"moved\.csv:2: chart a leads to b, and on in a circle",
        ),
        (
            [f"chart,{way},2026-11-20," for way in ("a,b", "b,c", "c,a")],
            r"moved\.csv:2: chart a leads to b, and on in a circle",
        ),
        (
            ["chart,x,a,2026-11-20,", "chart,a,a,2026-11-20,"],
            r"moved\.csv:2: chart x leads to a, and on in a circle",
        ),
        (
            ["chart,a,b,2026-11-20,", "badge,b,a,2026-11-20,"],
            r"moved\.csv:2: chart a leads to b, which is not on the site",
        ),
        (
            ["chart,a,nowhere,2026-11-20,"],
            r"moved\.csv:2: chart a leads to nowhere, which is not on the site",
        ),
        (["chart,here,there,2026-11-20,"], r"moved\.csv:2: chart here is still on the site"),
    ],
)
def test_a_way_that_leads_nowhere_is_refused(tmp_path: Path, rows: list[str], message: str) -> None:
    """Circles, targets that are not there, and ids that are both old and live."""
    with pytest.raises(MovedError, match=message):
        moved.resolve(moved.read(_list(tmp_path, *rows)), {"chart": ["here", "there"]})


def test_an_id_that_was_never_published_is_refused(tmp_path: Path) -> None:
    """Nobody can have linked to it: the line is named, and the ledger that does not have it; an id
    of another kind is another one.
    """
    moves = moved.read(_list(tmp_path, "chart,a,b,2026-11-20,", "badge,r/a,r/b,2026-11-20,"))

    moved.hold(moves, {("chart", "a"), ("badge", "r/a")}, tmp_path / "ledger.csv")
    with pytest.raises(
        MovedError,
        match=r"moved\.csv:3: badge r/a was never published, for \S+ledger\.csv does not have it",
    ):
        moved.hold(moves, {("chart", "a"), ("chart", "r/a")}, tmp_path / "ledger.csv")


def test_every_file_stands_under_the_old_name_too() -> None:
    """Byte for byte, but the description says where the chart is now; files of ids that begin alike
    are left alone.
    """
    given = {
        "c/new/en.svg": b"<svg/>",
        "c/new/meta.json": b'{"id": "new"}',
        "c/new-er/en.svg": b"",
        "badges/a/fast.en.svg": b"f",
    }

    made = {
        asset.path: asset.content
        for asset in moved.forwarded((Asset(*item) for item in given.items()), WAYS)
    }

    assert made.keys() - given.keys() == {"c/old/en.svg", "c/old/meta.json", "badges/a/slow.en.svg"}
    assert (made["c/old/en.svg"], made["badges/a/slow.en.svg"]) == (b"<svg/>", b"f")
    assert json.loads(made["c/old/meta.json"]) == {"id": "new", "moved_to": "new"}
    assert made["c/new/meta.json"] == given["c/new/meta.json"]


def test_the_old_page_leads_to_the_new_one_in_its_language(repository: Path) -> None:
    """A link for everybody, the browser's own way where no script runs, the canonical address, and
    nothing for search engines.
    """
    language = locales.load(repository / "site_src" / "strings", ["en"])

    (page,) = moved.pages(
        {"old": "new"}, {"new": {"en": "A & B"}}, language, "https://example.org/"
    )
    text = page.content.decode()

    assert page.path == "en/c/old/index.html"
    assert '<html lang="en" dir="ltr">' in text and "<title>A &amp; B</title>" in text
    assert (
        '<link rel="canonical" href="https://example.org/en/c/new/">' in text
        and 'content="noindex"' in text
    )
    assert (
        '<noscript><meta http-equiv="refresh" content="0; url=../new/index.html"></noscript>'
        in text
    )
    assert '<a href="../new/index.html">A &amp; B</a>' in text


def test_verification_finds_what_an_old_address_lacks(tmp_path: Path) -> None:
    """A copy that is missing or differs, and a page that leads elsewhere, are named."""
    files = {
        "c/new/en.svg": "1", "c/new/en.png": "1", "c/new/meta.json": "1", "c/old/en.svg": "2", "c/old/meta.json": "2",
        "en/c/old/index.html": "", "badges/a/fast.en.svg": "1", "badges/a/slow.en.svg": "1",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    faults = dict(moved.unforwarded(tmp_path, set(files), WAYS, ["en"]))

    assert faults.keys() == {"c/old/en.svg", "c/old/en.png", "en/c/old/index.html"}
    assert (
        "differs from c/new/en.svg" in faults["c/old/en.svg"]
        and "is missing" in faults["c/old/en.png"]
    )


def test_the_repositorys_list_can_be_read(repository: Path) -> None:
    """Whatever was renamed, the list is whole."""
    assert all(isinstance(move, Move) for move in moved.read(repository / "runs" / moved.NAME))
