import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from site_src.pages.components import badges
from site_src.verify import machines
from site_src.verify.facts import figure
from site_src.verify.html import Shown, read
from site_src.verify.words import names
from tests.site_src import recorded
from tests.site_src.outputs import newsworthy

BASE = "https://example.org/bench/"
REPORT = "tpuv2-v100"
HEAD = (
    '<!doctype html><html lang="en"><head><meta name="description" content="It is fast.">'
    '<script type="application/ld+json">{}</script>'
)


def wrong(shown: Shown, code: str) -> Iterator[str]:
    """As `verify` asks."""
    assert code == "en"
    yield from figure(shown, recorded.facts(), recorded.english())


@pytest.fixture
def badge(tmp_path: Path) -> Path:
    """A badge as built."""
    site = newsworthy.site()
    [made] = [
        asset
        for asset in badges.assets(site, [recorded.english()])
        if asset.path == f"badges/{REPORT}/throughput.en.svg"
    ]
    path = tmp_path / made.path
    path.parent.mkdir(parents=True)
    path.write_bytes(made.content)
    return path


def badge_faults(out: Path) -> list[str]:
    """What is wrong with the badges of a site."""
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    return [
        fault for _, fault in machines.badges(out, files, wrong, names(["TPU v2-8", "4 × V100"]))
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("", "", ""),
        (">1.9%</tspan>", ">2.9%</tspan>", "the text '2.9%' is not"),
        ('data-value="1.85', 'data-value="2.85', "the records"),
        ("tpuv2-v100-tpu-synthetic-1024", "tpuv2-v100-lost", "lost"),
        ("throughput: TPU", "throughput by 7: TPU", "the figure '7'"),
        ("<title", "<titel", "is no well-formed picture"),
    ],
)
def test_a_badge_with_another_figure_is_found(badge: Path, old: str, new: str, fault: str) -> None:
    """Its text, its value, whose it is, and figures that do not say so."""
    text = badge.read_text(encoding="utf-8")
    assert old in text
    badge.write_text(text.replace(old, new), encoding="utf-8")

    found = badge_faults(badge.parents[2])

    assert found == [] if not fault else any(fault in one for one in found)


def test_a_badge_that_says_nothing_aloud_is_found(badge: Path) -> None:
    """Without its description."""
    badge.write_text(
        re.sub("<desc.*?</desc>", "", badge.read_text(encoding="utf-8")), encoding="utf-8"
    )

    assert badge_faults(badge.parents[2]) == ["has no desc: who does not see it hears nothing"]


def test_an_oembed_frame_that_cuts_or_leads_elsewhere_is_found(tmp_path: Path) -> None:
    """It is the chart's, as high as it says, and higher than the picture."""
    folder = tmp_path / "c" / "a"
    folder.mkdir(parents=True)
    files = {"c/a/oembed.en.json", "c/a/en-page.svg", "c/a/en-card.png"}
    (folder / "en-page.svg").write_text('<svg width="720" height="400"></svg>')

    def faults(
        height: int, source: str = "c/a/embed.html?lang=en", card: str = "c/a/en-card.png"
    ) -> list[str]:
        frame = f'<iframe src="{BASE}{source}" height="{height}"></iframe>'
        answer = {"html": frame, "height": 500, "thumbnail_url": f"{BASE}{card}"} | (
            {"height": 300} if height == 300 else {}
        )
        (folder / "oembed.en.json").write_text(json.dumps(answer))
        return [fault for _, fault in machines.oembed(tmp_path, files, BASE)]

    assert faults(500) == []
    assert "cuts" in faults(300)[0]
    assert "not 500 px high" in faults(501)[0]
    assert "its frame is not" in faults(500, "c/b/embed.html?lang=en")[0]
    assert "is not there" in faults(500, card="c/a/ru-card.png")[0]


ROWS = {"identifier": "tpu2", "distribution": [{"contentUrl": f"{BASE}c/a/data.csv"}]}
"""A data set whose description names it and its tables."""


@pytest.mark.parametrize(
    ("thing", "fault"),
    [
        (
            {
                "description": "It is fast.",
                "inLanguage": "en",
                "distribution": [{"contentUrl": f"{BASE}c/a/data.csv"}],
            },
            "",
        ),
        (
            {"description": "It is fast. Rows of tpu2 in table data.", "inLanguage": "en", **ROWS},
            "",
        ),
        (
            {
                "description": "It is fast. Rows of tpu2 in table prices.",
                "inLanguage": "en",
                **ROWS,
            },
            "which the page's description",
        ),
        (
            {"description": "It is fast. Rows in the table data.", "inLanguage": "en", **ROWS},
            "which the page's description",
        ),
        (
            {
                "description": "It is fast. 7 rows of tpu2 in table data.",
                "inLanguage": "en",
                **ROWS,
            },
            "which the page's description",
        ),
        (
            {
                "description": "It is fast. Rows of tpu2 in table datacenter.",
                "inLanguage": "en",
                **ROWS,
            },
            "which the page's description",
        ),
        (
            {"description": "It is fast. And more.", "inLanguage": "en"},
            "which the page's description does not",
        ),
        ({"name": "Speed", "description": "Speed: It is fast.", "inLanguage": "en"}, ""),
        (
            {"name": "Speed", "description": "Speed 7: It is fast.", "inLanguage": "en"},
            "which the page's description does not",
        ),
        (
            {"description": "It is slow.", "inLanguage": "en"},
            "which the page's description does not",
        ),
        ({"description": "It is fast.", "inLanguage": "ru"}, "is in 'ru'"),
        (
            {"description": "It is fast.", "inLanguage": "en", "image": f"{BASE}lost.png"},
            "which is no file of the site",
        ),
        (
            {
                "description": "It is fast.",
                "inLanguage": "en",
                "dataset": [{"contentUrl": "c/a/data.csv"}],
            },
            "which is no file of the site",
        ),
    ],
)
def test_structured_data_that_say_something_else_are_found(
    tmp_path: Path, thing: dict[str, object], fault: str
) -> None:
    """Its sentence and language are the page's, its downloads are there, by absolute addresses."""
    (tmp_path / "page.html").write_text(HEAD.format(json.dumps(thing)))

    pages = {"en/sources/tpu2/index.html": read(tmp_path / "page.html")}
    found = [each for _, each in machines.structured(pages, {"c/a/data.csv"}, BASE)]

    assert found == [] if not fault else fault in found[0]


@pytest.mark.parametrize("base", [BASE, ""])
def test_an_address_in_a_list_that_leads_nowhere_is_found(tmp_path: Path, base: str) -> None:
    """In feeds, sitemaps and llms.txt; with the site's address and without it."""
    page, lost = f"{base}en/reports/", f"{base}en/lost/"
    (tmp_path / "feed.en.xml").write_text(
        f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="{page}#a"/><link href="{lost}"/>'
        "</feed>"
    )
    (tmp_path / "sitemap.xml").write_text(
        f'<urlset xmlns="s"><url><loc>{page}</loc></url><url><loc>{lost}</loc></url></urlset>'
    )
    (tmp_path / "llms.txt").write_text(f"- [Reports]({page}): all\n- [Lost]({lost})\n")
    files = {"feed.en.xml", "sitemap.xml", "llms.txt", "en/reports/index.html"}

    found = list(machines.lists(tmp_path, files, base))

    assert found == [
        (name, f"leads to {lost}, which is not there")
        for name in ("feed.en.xml", "llms.txt", "sitemap.xml")
    ]
