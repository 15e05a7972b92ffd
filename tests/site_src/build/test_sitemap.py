import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

from site_src.build import sitemap
from site_src.build.shell import OWN_FILES, Dressing
from site_src.build.sitemap import Card
from site_src.model import Asset
from tests.site_src.build import small_site
from tests.site_src.build.small_site import ARABIC, ENGLISH

BASE = "https://example.org/bench/"
SPACES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
IMAGE = "{http://www.google.com/schemas/sitemap-image/1.1}"
CHART = Card(
    "c/a-speed/",
    "charts",
    "full",
    "Speed [of A]",
    "A is\nfast.",
    False,
    date(2026, 11, 2),
    "c/a-speed/en-card.png",
)


def cards() -> dict[str, list[Card]]:
    """The small site's, a chart's, and one that no search engine may list."""
    hidden = replace(CHART, path="runs/hidden/", section="runs", noindex=True)
    return {
        locale.code: [*(Card.of(page) for page in small_site.pages(locale.code)), CHART, hidden]
        for locale in (ENGLISH, ARABIC)
    }


FILES = ("api/v1/charts.json", "data/runs.parquet")
"""What the site has beside its pages."""


def dressing(base: str = BASE) -> Dressing:
    """Of two languages."""
    locales = (ENGLISH, ARABIC)
    nav = {locale.code: small_site.nav(locale.code) for locale in locales}
    return Dressing(locales, nav, {}, small_site.options(Path(), base_url=base), {})


def sitemap_faults(content: bytes, most: int = 50_000) -> list[str]:
    """What sitemaps.org does not allow: too many, too large, twice, not absolute."""
    root = ElementTree.fromstring(content)  # noqa: S314 - our own file
    pages = {url.findtext("s:loc", "", SPACES) for url in root.findall("s:url", SPACES)}
    faults = [] if root.tag == f"{{{SPACES['s']}}}urlset" else [f"root is {root.tag}"]
    if len(root) > most or len(content) > 50_000_000 or len(pages) != len(root):
        faults.append(
            f"{len(root)} addresses, {len(pages)} of them different, {len(content)} bytes"
        )
    faults += [f"{place} is none of the site's" for place in pages if not place.startswith(BASE)]
    days = [each.text or "" for each in root.iter(f"{{{SPACES['s']}}}lastmod")]
    faults += [f"{day} is no day" for day in days if not re.fullmatch(r"\d{4}-\d\d-\d\d", day)]
    return faults


def sitemaps(most: int = 50_000) -> list[Asset]:
    """As written."""
    return list(sitemap.sitemaps(cards(), dressing(), most))


def test_a_sitemap_is_valid() -> None:
    """Each page in each language; what is hidden is not in it; a chart's page has its picture."""
    [made] = sitemaps()

    assert sitemap_faults(made.content) == []
    assert made.content.count(b"<url>") == 2 * 6 and b"hidden" not in made.content
    assert [
        image.findtext(f"{IMAGE}loc")
        for image in ElementTree.fromstring(made.content).iter(f"{IMAGE}image")  # noqa: S314
    ] == [f"{BASE}c/a-speed/en-card.png"] * 2


def test_the_validation_finds_what_is_wrong() -> None:
    """A page that is listed twice, or elsewhere."""
    [made] = sitemaps()
    place = f"<loc>{BASE}ar-XB/results/</loc>".encode()
    assert place in made.content

    for other in (f"{BASE}en/results/", "https://example.com/"):
        broken = made.content.replace(place, f"<loc>{other}</loc>".encode(), 1)
        assert len(sitemap_faults(broken)) == 1
    assert sitemap_faults(made.content, most=3)


def test_many_addresses_are_parted() -> None:
    """No file has more than allowed; the index names them all."""
    *parts, index = sitemaps(most=5)

    assert [part.path for part in parts] == ["sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]
    assert [len(ElementTree.fromstring(part.content)) for part in parts] == [5, 5, 2]  # noqa: S314 - our own files
    assert index.path == "sitemap.xml"
    assert re.findall(r"<loc>([^<]+)</loc>", index.content.decode()) == [
        f"{BASE}{part.path}" for part in parts
    ]


def test_robots_are_shown_the_sitemap_where_it_is_known() -> None:
    """Its address must be absolute."""
    files = {name: Asset(name, b"") for name in (*OWN_FILES, "site.en.js", "site.ar-XB.js")}
    known, unknown = (
        {
            asset.path: asset.content
            for asset in sitemap.assets(cards(), replace(dressing(base), files=files), FILES)
        }
        for base in (BASE, "")
    )

    assert (
        f"\nSitemap: {BASE}sitemap.xml\n" in known["robots.txt"].decode() and "sitemap.xml" in known
    )
    assert not {"robots.txt", "sitemap.xml"} & unknown.keys()


def llms_faults(text: str) -> list[str]:
    """What llmstxt.org does not allow: one title first, then a quote, prose without headings, then
    sections that are lists of links.
    """
    lines = text.splitlines()
    faults = (
        []
        if re.fullmatch(r"# \S.*", lines[0]) and lines[2].startswith("> ")
        else ["no title with a quote below it"]
    )
    faults += ["a second title"] if any(re.match(r"# ", line) for line in lines[1:]) else []
    first = next(number for number, line in enumerate(lines) if line.startswith("## "))
    for line in lines[first:]:
        if line and not re.fullmatch(
            r"## \S.*|- \[(?:[^\[\]]|\\[\[\]])+\]\([^()\s]+\)(?:: \S.*)?", line
        ):
            faults.append(f"{line!r} is neither heading nor link")
    return faults


def test_llms_txt_has_the_form_of_llmstxt_org() -> None:
    """Title, quote, lists of links with a line each; what may be skipped last; data and languages
    are named.
    """
    text = sitemap.llms(cards(), dressing(), FILES)

    assert llms_faults(text) == []
    assert [line for line in text.splitlines() if line.startswith("## ")][-1] == "## Optional"
    assert rf"- [Speed \[of A\]]({BASE}en/c/a-speed/): A is fast." in text
    assert f"({BASE}api/v1/charts.json)" in text and f"({BASE}data/runs.parquet)" in text
    assert "data/claims.parquet" not in text  # this site has none
    assert f"- [العربية]({BASE}ar-XB/)" in text
    assert "](en/reports/a/)" in sitemap.llms(cards(), dressing(""), FILES)


def test_the_check_of_llms_txt_finds_what_is_wrong() -> None:
    """A paragraph among the links, or a second title."""
    text = sitemap.llms(cards(), dressing(), FILES)

    assert llms_faults(f"{text}\nMore.\n") and llms_faults(f"{text}\n# Again\n")
