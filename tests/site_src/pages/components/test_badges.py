import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # it ships without type hints
from markupsafe import Markup

from site_src import locales
from site_src.figures import text_width
from site_src.figures.fonts import LIBERATION
from site_src.locales import Locale
from site_src.pages.components import badges
from site_src.pages.components.badges import Badge
from site_src.pages.components.writer import Writer
from site_src.reports.prose import html, unmarked
from tests.site_src import recorded
from tests.site_src.outputs import newsworthy
from tests.site_src.outputs.newsworthy import BASE

SVG = "{http://www.w3.org/2000/svg}"
FONT = Path("/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf")
REPORT = "tpuv2-v100"
STRINGS = Path(badges.__file__).parents[2] / "strings"


def made(finding: str, locale: Locale) -> Badge:
    """The badge of a finding of the first report."""
    site = newsworthy.site()
    report = site.reports[REPORT]
    chosen = next(each for each in report.findings if each.id == finding)
    return badges.badge(Writer(site, locale, f"reports/{REPORT}/"), report, chosen)


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_every_finding_has_a_badge() -> None:
    """In each language, under an address that says of what."""
    site = newsworthy.site()

    paths = {asset.path for asset in badges.assets(site, [recorded.english(), recorded.foreign()])}

    wanted = {
        f"badges/{REPORT}/{finding.id}.{code}.svg"
        for finding in site.reports[REPORT].findings
        for code in ("en", "qq")
    }
    assert paths == wanted


@pytest.mark.parametrize(
    "locale", [recorded.english(), recorded.foreign()], ids=lambda locale: locale.code
)
def test_a_badge_says_figure_kind_and_the_whole_sentence(locale: Locale) -> None:
    """Its parts lie side by side and fill it; the figure says whose it is; title and description
    are for those who do not see it.
    """
    badge = made("throughput", locale)
    root = ElementTree.fromstring(badges.svg(badge, locale))  # noqa: S314 - our own picture

    boxes = [
        (float(rect.get("x", 0)), float(rect.get("width", 0)))
        for rect in root.findall(f"{SVG}g/{SVG}rect")
    ]
    [mark] = root.iter(f"{SVG}tspan")
    assert [x for x, _ in boxes] == [0, boxes[0][1], boxes[0][1] + boxes[1][1]]
    assert sum(wide for _, wide in boxes) == float(root.get("width", 0)) == badge.width
    assert mark.get("data-ref", "").startswith("percent_more(run:tpuv2-v100-")
    assert locale.shows(mark.text or "", float(mark.get("data-value", "")))
    assert root.findtext(f"{SVG}title") == badge.text
    assert root.findtext(f"{SVG}desc") == badge.sentence
    assert (root.get("direction") == "rtl") == (locale.direction == "rtl")


def test_an_english_badge_reads_as_expected() -> None:
    """Site, finding and kind, in this order."""
    parts = [
        text.replace("\u00a0", " ") for _, text in made("throughput", recorded.english()).parts
    ]

    assert parts == ["Touchstone", "throughput: TPU v2-8 ahead of 4 × V100 by 1.9%", "derived"]


@pytest.mark.parametrize("code", ["en", "ru", "ja", "es"])
def test_every_badge_fits_on_a_phone(code: str) -> None:
    """In two lines, if one is too wide; a figure stays whole, and nothing that is said is lost."""
    site, locale = newsworthy.site(), locales.load(STRINGS, ["en", code])[-1]
    for report in site.reports.values():
        for finding in report.findings:
            badge = badges.badge(Writer(site, locale, f"reports/{report.id}/"), report, finding)
            assert badge.width <= badges.WIDEST, (finding.id, badge.text)
            assert "".join(map(unmarked, badge.lines)).replace(" ", "") == badge.text.replace(
                " ", ""
            )
            assert badge.height == badges.HEIGHT * (1 if len(badge.lines) == 1 else 1.7)


def test_a_badge_of_published_figures_does_not_say_measured() -> None:
    """What is read off a run was measured by whoever published it."""
    assert [text for _, text in made("accuracy", recorded.english()).parts][2:] == ["published"]


def test_short_names_that_are_one_stay_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two machines with the same accelerators are not confused; no name is parted at a line's
    end.
    """
    writer = Writer(newsworthy.site(), recorded.english(), "")
    named = {"system:a": Markup("1 × T4 (Google Cloud)"), "system:b": Markup("1 × T4 (Colab)")}
    monkeypatch.setattr(writer, "named", named.__getitem__)

    assert badges.briefly(writer, ["system:a"]) == {"system:a": "T4"}
    assert badges.briefly(writer, named) == {
        reference: name.replace(" ", "\N{NO-BREAK SPACE}") for reference, name in named.items()
    }


@pytest.mark.parametrize("part", sorted(badges.PAPER))
def test_every_part_can_be_read(part: str) -> None:
    """Contrast 4.5:1 or more, on any page, since the ground is the badge's own."""
    ink, paper = sorted((luminance(badges.INK), luminance(badges.PAPER[part])), reverse=True)

    assert (ink + 0.05) / (paper + 0.05) >= 4.5


def test_the_text_for_a_readme_is_a_picture_that_leads_to_the_finding() -> None:
    """Markdown makes a link with the badge in it, even of a sentence with brackets."""
    site = newsworthy.site()
    report = site.reports[REPORT]
    badge = Badge(made("throughput", recorded.english()).said, (), "A [b] c.")

    shown = html(badges.markdown(badge, BASE, "en", report, report.findings[0]))

    [(place, alt, picture)] = re.findall(
        r'<a href="([^"]+)"><img alt="([^"]*)" src="([^"]+)"', shown
    )
    assert place == f"{BASE}en/reports/{REPORT}/details/#finding-{report.findings[0].id}"
    assert (alt, picture) == ("A [b] c.", f"{BASE}badges/{REPORT}/{report.findings[0].id}.en.svg")


@pytest.mark.skipif(not FONT.is_file(), reason="needs Debian's package fonts-liberation")
def test_widths_are_those_of_the_font() -> None:
    """Every letter that pictures may use is as wide as in Liberation Sans."""
    with TTFont(FONT, lazy=True) as font:
        known, advances, em = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
        wanted = {
            chr(code): advances[known[code]][0] / em
            for low, high in LIBERATION
            for code in range(low, high + 1)
        }

    assert {letter: text_width.width(letter, 1.0) for letter in wanted} == pytest.approx(wanted)


def test_japanese_is_as_wide_as_high() -> None:
    """Its letters come from the other font, and what neither has is taken for one of them."""
    assert text_width.width("速い", 11) == text_width.width("한글", 11) == 22
