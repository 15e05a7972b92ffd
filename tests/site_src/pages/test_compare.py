"""The page of two accelerators: its sentence, its rows, and the choice of two."""

import json
import re

import pytest

from site_src.charts.cards import Card
from site_src.minify import slim
from site_src.model import BuildOptions, Page
from site_src.pages.compare import pair_page, sourced_page
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.pages.picker import chosen as choosable
from site_src.pages.picker import compare_page
from tests.makers import chosen
from tests.site_src.recorded import english, make_site, spoken

LANGUAGES = ("en", "ru", "ja", "es")


@pytest.fixture(scope="module")
def site() -> Site:
    """Of the chosen records."""
    return make_site(chosen())


def page(site: Site, name: str, language: str = "en") -> Page:
    """The page of a pair."""
    return pair_page(Writer(site, spoken(language), f"compare/{name}/"), name)


def test_the_title_says_which_is_how_much_faster_on_what_and_when(site: Site) -> None:
    """The faster one first, whichever the address names first."""
    found = page(site, "a30-vs-v100")

    assert found.title.startswith("8 A30 trained ResNet-50 1.51 times as fast as 8 V100")
    assert "MLPerf v3.1 vs v0.7" in found.title
    assert "from different rounds" in found.body


def test_a_ratio_has_its_reference_its_range_and_both_times(site: Site) -> None:
    """Each time leads to its result."""
    body = page(site, "a30-vs-v100").body

    assert "data-of=pair:a30-vs-v100:" in body
    assert ":resnet50-imagenet:ratio>1.51</data>×" in body
    assert "data-end=low>1.50</data>" in body
    assert "results/mlperf-v3.1-xfusion-g5500v7x8xa30-resnet/" in body
    assert "results/mlperf-v0.7-google-gpu-v100-8-tf2.0-resnet/" in body


def test_a_range_whose_ends_read_alike_is_left_out(site: Site) -> None:
    """It would repeat the ratio."""
    at = Writer(site, spoken("en"), "compare/a30-vs-v100/")
    ref = "pair:a30-vs-v100:resnet50-imagenet:ratio"

    assert at.ends(ref, 2).striptags().startswith("1.50–")
    assert at.ends(ref, 0) == ""


def test_what_an_article_has_of_both_stands_there_too(site: Site) -> None:
    """Its own figures on equal terms, with its report, where their scores have no ratio."""
    body = page(site, "tpu-v2-vs-v100-sxm2-16gb").body

    assert "the numbers differ" in body
    assert "sources/tpuv2-v100/" in body  # there is no report here, which comes first
    assert "results/tpuv2-v100-tpu-imagenet-1024/" in body
    both = "run:tpuv2-v100-{}-imagenet-1024:throughput_images_per_s"
    ref = f"ratio({both.format('tpu')}, {both.format('v100-tensorflow')})"
    assert ref in body and ">0.98</data>×" in body


@pytest.mark.parametrize(
    ("name", "why"),
    [("a30-vs-tpu-v4", "the numbers differ"), ("tpu-v2-vs-tpu-v3", "the targets differ")],
)
def test_what_cannot_be_compared_has_no_ratio_and_says_why(site: Site, name: str, why: str) -> None:
    """Both times stand there all the same."""
    body = page(site, name).body
    rows = body.partition("<tbody>")[2].partition("</table>")[0]

    assert f"no ratio: {why}" in rows
    assert ":ratio" not in rows
    assert rows.count("/results/") == 2
    assert "There is no ratio" in body


def test_systems_are_compared_as_wholes(site: Site) -> None:
    """Also with other numbers of accelerators, which then stand below the title."""
    found = page(site, "cloud-tpu-v4-128-vs-gcp-8xv100-v0.7")

    assert re.search(r"^TPU v4-128 .*trained ResNet-50 \S+ times as fast as ", found.title)
    assert "whole systems" in found.body
    assert "64</data> vs" in found.body
    assert "systems/gcp-8xv100-v0.7/" in found.body


def test_a_pair_has_a_card_of_its_sentence_and_bars(site: Site) -> None:
    """With what the rows say; none in a draft, which goes without PNG."""
    found = page(site, "a30-vs-v100")
    [card] = found.beside
    draft = make_site(chosen(), options=BuildOptions(site.options.built, draft=True))
    without = page(draft, "a30-vs-v100")

    assert isinstance(card, Card)
    assert (found.image, card.path) == (card.path, "en/compare/a30-vs-v100/card.png")
    assert card.title == found.title
    assert [(bar.text, bar.firm) for bar in card.bars] == [("ResNet-50 · 1.51×", True)]
    assert "data-card=card.png" in found.body
    assert (without.beside, without.image, "data-card" in without.body) == ((), "", False)


def test_the_systems_of_an_article_have_a_page_by_it_alone(site: Site) -> None:
    """The faster one first, with the article's figures, beside each other's pages and in search."""
    name = "aws-p3.8xlarge-vs-cloud-tpu-v2-8"
    found = sourced_page(Writer(site, english(), f"compare/{name}/"), name)
    [card] = found.beside

    assert name in site.versus_sourced and found.in_search
    assert re.search(r"^\S.* trained ResNet-50 about 1\.02 times as fast as ", found.title)
    assert "No MLPerf workload" in found.body and found.body.count("/results/tpuv2-v100-") == 2
    assert isinstance(card, Card) and card.bars[0].end < card.bars[0].one + 10  # 1.02 times
    assert "cloud-tpu-v2-8" in site.versus_with("aws-p3.8xlarge")


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.whole)])
def test_every_pair_has_a_small_page_in_each_language(site: Site, every: bool) -> None:
    """No figure outside a reference in its description, and nothing unfilled. Pairs are alike but for
    their words: languages take turns, of which Cyrillic takes most bytes.
    """
    for number, name in enumerate((*site.versus, *site.versus_systems)):
        turn = LANGUAGES[number % len(LANGUAGES)]
        for language in LANGUAGES if every else {turn, "ru"}:
            found = page(site, name, language)

            assert len(slim(found.body).encode()) < 10_000
            assert not re.search(r"\{\w+\}", found.body + found.title + found.description)


def test_the_choice_lists_pairs_and_knows_every_name(site: Site) -> None:
    """Without JavaScript by links; with it by names, and by which of two have a page."""
    found = compare_page(Writer(site, english(), "compare/"))
    script = found.beside[0]
    text = script.content.decode()
    data = json.loads(text[text.index("=") + 1 : text.index(";\n")])

    assert 'href="a30-vs-v100/"' in found.body or 'href="../compare/a30-vs-v100/"' in found.body
    assert all(f"accelerators/{id_}/#compare" in found.body for id_ in choosable(site))
    assert "v100" in data["pages"]["a30"]
    assert "a30" in data["pages"]["v100"]
    assert "h100-sxm" in data["names"]
    assert "h100-sxm" not in data["pages"]
