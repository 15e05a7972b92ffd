import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from site_src.pages.components import badges
from site_src.verify import machines
from site_src.verify.facts import figure
from site_src.verify.html import Shown, read
from site_src.verify.words import names, words
from tests.site_src import recorded
from tests.site_src.outputs import newsworthy

BASE = "https://example.org/bench/"
REPORT = "tpuv2-v100"
OEMBED = "c/a/oembed.en.json"
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


DOWNLOAD = {"contentUrl": f"{BASE}c/a/data.csv"}


@pytest.mark.parametrize(
    ("thing", "fault"),
    [
        (json.dumps({"inLanguage": "en", "distribution": [DOWNLOAD]}), ""),
        ('{"inLanguage": "ru"}', "is in 'ru'"),
        ('{"inLanguage": "en"', "its JSON-LD cannot be read"),
        (
            json.dumps({"inLanguage": "en", "image": f"{BASE}lost.png"}),
            "which is no file of the site",
        ),
        (
            '{"inLanguage": "en", "dataset": [{"contentUrl": "c/a/data.csv"}]}',
            "which is no file of the site",
        ),
    ],
)
def test_structured_data_that_lead_elsewhere_are_found(
    tmp_path: Path, thing: str, fault: str
) -> None:
    """Its language is the page's, its downloads are there, by absolute addresses."""
    (tmp_path / "page.html").write_text(HEAD.format(thing))

    pages = {"en/sources/tpu2/index.html": read(tmp_path / "page.html")}
    found = [each for _, each in machines.structured(pages, {"c/a/data.csv"}, BASE)]

    assert found == [] if not fault else fault in found[0]


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("It is fast. Rows of tpu2 in table data.", ""),
        ("It is fast. 7 rows of tpu2 in table data.", "the figure '7'"),
        ("It is {fast}.", "the placeholder '{fast}'"),
    ],
)
def test_structured_data_have_no_figure_that_the_page_does_not_show(
    tmp_path: Path, said: str, fault: str
) -> None:
    """What it says of the page is held as what the page says of itself; names may hold digits."""
    (tmp_path / "page.html").write_text(HEAD.format(json.dumps({"description": said})))

    pages = {"en/sources/tpu2/index.html": read(tmp_path / "page.html")}
    found = [each for _, each in words(pages, ["en"], names(["tpu2"]), {}, {})]

    assert found == [] if not fault else fault in found[0]


@pytest.mark.parametrize("base", [BASE, ""])
def test_an_address_in_a_list_that_leads_nowhere_is_found(tmp_path: Path, base: str) -> None:
    """In feeds, sitemaps, oEmbed answers and llms.txt; with the site's address and without it."""
    page, lost = f"{base}en/reports/", f"{base}en/lost/"
    (tmp_path / "feed.en.xml").write_text(
        f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="{page}#a"/><link href="{lost}"/>'
        "</feed>"
    )
    (tmp_path / "sitemap.xml").write_text(
        f'<urlset xmlns="s"><url><loc>{page}</loc></url><url><loc>{lost}</loc></url></urlset>'
    )
    (tmp_path / "llms.txt").write_text(f"- [Reports]({page}): all\n- [Lost]({lost})\n")
    (tmp_path / "c" / "a").mkdir(parents=True)
    (tmp_path / OEMBED).write_text(
        json.dumps({"html": f'<iframe src="{lost}"></iframe>', "thumbnail_url": page})
    )
    files = {"feed.en.xml", "sitemap.xml", "llms.txt", OEMBED, "en/reports/index.html"}

    found = list(machines.lists(tmp_path, files, base))

    assert found == [
        (name, f"leads to {lost}, which is not there")
        for name in (OEMBED, "feed.en.xml", "llms.txt", "sitemap.xml")
    ]
