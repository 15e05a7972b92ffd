"""Editions: what one keeps, what the next one adds to it, and how a site has them."""

import os
import tarfile
from datetime import date
from pathlib import Path

import pytest

from site_src.addresses import editions
from site_src.addresses.editions import Edition, EditionError
from tests.site_src.tongues import language

BASE = "https://example.org/bench/"
FILES = {"c/toy/en.svg": b"<svg/>", "c/toy/data.csv": b"a\n1\n", "data/runs.parquet": b"PAR1"}


def kept(runs: Path, name: str, files: dict[str, bytes]) -> Path:
    """An edition of these files."""
    made = Edition(name, date(2026, 11, 20), editions.hashes(files), ("toy",), {"charts": {}})
    return editions.write(runs, made, files)


def set_out(runs: Path, name: str, base: str = BASE) -> dict[str, bytes]:
    """Its files on a site, by path."""
    found = editions.assets(runs, editions.read(runs), name, base)
    return {one.path: one.content for one in found}


def members(path: Path) -> set[str]:
    """What lies in the file of an edition."""
    with tarfile.open(path) as pack:
        return set(pack.getnames())


def test_the_next_edition_stores_what_changed_and_both_are_whole(tmp_path: Path) -> None:
    """A file of the same bytes is in the first alone; the first stays what it was."""
    first = kept(tmp_path, "2026.9", FILES)
    before, alone = first.read_bytes(), set_out(tmp_path, "2026.9")
    second = kept(tmp_path, "2026.10", FILES | {"c/toy/data.csv": b"a\n2\n"})

    changed = editions.read(tmp_path)[1].files["c/toy/data.csv"]
    assert members(second) == {"edition.json", changed} and len(members(first)) == 4
    assert alone == {f"r/2026.9/{path}": content for path, content in FILES.items()}
    assert set_out(tmp_path, "2026.9") == alone and first.read_bytes() == before
    now = set_out(tmp_path, "2026.10")
    assert (
        now["r/2026.10/c/toy/data.csv"] == b"a\n2\n" and now["r/2026.10/c/toy/en.svg"] == b"<svg/>"
    )
    assert [one.name for one in editions.read(tmp_path)] == ["2026.9", "2026.10"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("april", "a year and a number, such as 2026.4"),
        ("2026.04", "a year and a number"),
        ("../2026.4", "a year and a number"),
        ("2026.9", "an edition never changes"),
        ("2026.4", "comes before 2026.9"),
    ],
)
def test_a_name_that_cannot_be_had_is_refused(tmp_path: Path, name: str, said: str) -> None:
    """And nothing is written."""
    path = kept(tmp_path, "2026.9", FILES)

    with pytest.raises(EditionError, match=said):
        kept(tmp_path, name, FILES)

    assert list((tmp_path / "editions").iterdir()) == [path]


def test_an_interrupted_freeze_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is free afterwards."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, "fsync", stopped)
        kept(tmp_path, "2026.9", FILES)

    assert editions.read(tmp_path) == ()
    assert kept(tmp_path, "2026.9", FILES).exists()


def test_a_damaged_or_missing_file_is_named(tmp_path: Path) -> None:
    """Its addresses are promises: it is no warning."""
    first, _ = kept(tmp_path, "2026.9", FILES), kept(tmp_path, "2026.10", FILES)
    whole = first.read_bytes()

    first.unlink()
    with pytest.raises(EditionError, match=r"2026\.10.*in none of the earlier editions"):
        set_out(tmp_path, "2026.10")
    first.write_bytes(whole[:40])
    with pytest.raises(EditionError, match=r"2026\.9\.tar\.xz: is no whole edition"):
        editions.read(tmp_path)
    first.write_bytes(whole)
    first.rename(first.with_name("2026.11.tar.xz"))
    with pytest.raises(EditionError, match=r"holds the edition '2026\.9'"):
        editions.read(tmp_path)


def test_addresses_of_what_an_edition_has_are_its_own(tmp_path: Path) -> None:
    """Those of other pages and of PNG, which it does not have, lead to the living site; it may be
    served from another address later, or from none.
    """
    written = {
        "c/toy/meta.json": f'"{BASE}c/toy/en.svg" "{BASE}en/c/toy/" "{BASE}en/results/a/" '
        f'"{BASE}c/toy/en-card.png"',
        "c/toy/oembed.en.json": f'{{"provider_url": "{BASE}", "url": "{BASE}c/toy/en.svg"}}',
        "c/toy/data.en.js": '"../../en/results/a/" "../../en/c/toy/" "../../assets/x.js"',
        "c/toy/en.png": "png",
        "c/other/en.svg": "<svg/>",
        "en/index.html": "page",
        "api/v1/runs.json.gz": "{}",
    }
    for path, text in written.items():
        (tmp_path / "site" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / path).write_text(text)

    taken = dict(editions.taken(tmp_path / "site", written, ["toy"], ["en"], BASE))
    kept(tmp_path, "2026.4", taken)

    assert set(taken) == written.keys() - {"c/toy/en.png", "c/other/en.svg", "en/index.html"}
    own, elsewhere = set_out(tmp_path, "2026.4"), set_out(tmp_path, "2026.4", "https://else.org/")
    assert own["r/2026.4/c/toy/meta.json"].decode() == (
        f'"{BASE}r/2026.4/c/toy/en.svg" "{BASE}r/2026.4/en/c/toy/" "{BASE}en/results/a/" '
        f'"{BASE}c/toy/en-card.png"'
    )
    assert own["r/2026.4/c/toy/data.en.js"].decode() == (
        '"../../../../en/results/a/" "../../en/c/toy/" "../../assets/x.js"'
    )
    assert own["r/2026.4/c/toy/oembed.en.json"].decode() == (
        f'{{"provider_url": "{BASE}", "url": "{BASE}r/2026.4/c/toy/en.svg"}}'
    )
    assert b"https://else.org/r/2026.4/c/toy/en.svg" in elsewhere["r/2026.4/c/toy/meta.json"]


def test_the_panel_is_told_which_editions_have_a_chart(tmp_path: Path) -> None:
    """The newest first."""
    kept(tmp_path, "2026.9", FILES)
    kept(tmp_path, "2026.10", FILES)

    said = editions.listed(editions.read(tmp_path)).content.decode()

    assert said == 'window.touchstoneEditions={"2026.10": ["toy"], "2026.9": ["toy"]};\n'


def test_the_address_of_an_edition_leads_to_its_page() -> None:
    """In each language, from wherever the site lies."""
    one = Edition("2026.4", date(2026, 11, 20), {}, (), {})

    front = editions.front(one, [language("ru"), language("en")])

    assert front.path == "r/2026.4/index.html"
    for code in ("ru", "en"):
        assert f'"../../{code}/editions/2026.4/index.html"' in front.content.decode()
