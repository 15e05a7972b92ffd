"""What the browser makes pages of any two of: its rules are those of `kernels.analysis.pairs`."""

import re
from dataclasses import replace
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from kernels.analysis import sourced
from kernels.analysis.pairs import (
    Bridge,
    Grouped,
    Match,
    Ratio,
    bridge,
    grouped,
    leading,
    pair,
    system,
)
from site_src import node
from site_src.pages.compare import pair_page
from site_src.pages.components.scripts import ASSETS
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.pages.picker import results, words
from tests.kernels.analysis.test_pairs import side
from tests.makers import chosen, transcribed
from tests.site_src.recorded import make_site, spoken

ARTICLES = ("catalyst-cost", "rtx2080ti-colab-tpu", "t4-v100-mlperf", "tpuv2-v100")

ASKED = """
({ data, pairs }) => {
  const { pair, leading, ratio, bridge } = touchstonePairs(data);
  const told = (one) => [one.workload, one.basis, one.a.minutes, one.b.minutes, one.separable, one.told !== null && ratio(one.a, one.b)];
  return pairs.map(([a, b]) => {
    const found = pair(a, b), way = found.length ? null : bridge(a, b);
    return [found.map(told), found.length ? told(leading(found)) : null, way && [way.third, told(way.first), told(way.second), way.ratio]];
  });
};
"""
OF_SOURCES = """
({ data, pairs }) => {
  const { sourced } = touchstonePairs(data);
  return pairs.map(([a, b]) => sourced(a, b).map((one) => [one.source, one.workload, one.a.result, one.b.result, one.a.value, one.b.value, one.ratio]));
};
"""
SHOWN = """
({ data, words, asked }) => asked.map((ids) => touchstoneVersus(words, data).beside(ids));
"""


@pytest.fixture(scope="module")
def site() -> Site:
    """Of the chosen records."""
    return make_site(chosen())


def ask(script: str, given: object, folder: Path, *files: str) -> Any:
    """What a function makes of what is given, after files of the site."""
    made = folder / "asked.js"
    made.write_text(script)
    return node.run([*(ASSETS / name for name in files), made], given)


def read(body: str) -> str:
    """What stands below a title, without the button that shares it and the ways to other pages."""
    shown = re.split("<ul class=.?ts-vs__ways", body.rpartition("</h1>")[2])[0]
    shown = re.sub("<div class=.?ts-vs__share.*?</div>", "", shown, flags=re.DOTALL)
    return re.sub(r"\s+", "", unescape(re.sub("<[^>]+>", "", shown)))


def told(match: Match) -> list[object]:
    """A match as the script tells it."""
    ratio = Ratio.of(match.a, match.b)
    said = match.told is not None and near(ratio)
    times = (pytest.approx(one.minutes, rel=1e-6) for one in (match.a, match.b))
    return [match.workload, str(match.basis), *times, match.separable, said]


def near(ratio: Ratio) -> dict[str, object]:
    """A ratio to six digits."""
    return {
        name: pytest.approx(getattr(ratio, name), rel=1e-5) for name in ("value", "low", "high")
    }


def over(found: Bridge | None) -> list[object] | None:
    """A bridge as the script tells it."""
    if found is None:
        return None
    return [found.third, told(found.first), told(found.second), near(found.ratio)]


def expected(best: Grouped, thirds: list[str], a: str, b: str) -> list[object]:
    """What the script says of a pair."""
    shared = pair(best, a, b)
    way = None if shared else bridge(best, thirds, a, b)
    return [[told(one) for one in shared], told(leading(shared)) if shared else None, over(way)]


def test_the_browser_compares_by_the_rules_of_the_records(site: Site, tmp_path: Path) -> None:
    """Accelerators, systems, and one of each."""
    submissions = site.scored_submissions
    best = {**grouped(submissions, system), **grouped(submissions)}
    accelerators = sorted(grouped(submissions))
    asked = [*combinations(sorted(best), 2)]
    data = results(site)

    found = ask(ASKED, {"data": data, "pairs": asked}, tmp_path, "compare_pairs.js")

    assert len(asked) > 100
    for (a, b), one in zip(asked, found, strict=True):
        assert one == expected(best, accelerators, a, b), (a, b)
    assert any(one[1] and one[1][1] == "nearest" and one[1][5] for one in found)


def test_a_bridge_is_the_product_of_two_ratios(tmp_path: Path) -> None:
    """Worked out by hand: 3 times as fast as the third, which is twice as fast as the other; the
    better of two thirds is the one with the narrower interval. Likewise in the browser.
    """
    found = [
        side("a", 10, workload="bert"),
        side("c", 30, workload="bert"),
        side("wide", 30, workload="bert", spread=0.2),
        side("c", 7, workload="ssd"),
        side("wide", 7, workload="ssd", spread=0.2),
        side("b", 14, workload="ssd"),
    ]
    best = grouped(found)
    lists: dict[str, list[object]] = {
        "systems": [["toy-box", "Toy"]],
        "accelerators": ["a", "b", "c", "wide"],
        "workloads": ["bert", "ssd"],
        "rounds": ["v2.1"],
        "frameworks": [""],
        "submitters": ["Toy Works"],
        "others": [],
        "figures": [],
    }
    rows = [
        [
            one.run,
            0,
            lists["accelerators"].index(one.accelerator),
            lists["workloads"].index(one.workload),
            *(0, 0, one.number, one.minutes, one.low / 60, one.high / 60, 5, 2022, 0, 0),
        ]
        for one in found
    ]

    way = bridge(best, sorted(best), "a", "b")
    data: dict[str, object] = {"rows": rows, **lists}
    [shown] = ask(ASKED, {"data": data, "pairs": [["a", "b"]]}, tmp_path, "compare_pairs.js")

    assert way is not None
    assert way.third == "c"
    assert way.ratio.value == pytest.approx(6)
    assert way.ratio.low == pytest.approx(6 * (0.95 / 1.05) ** 2)
    assert way.ratio.high == pytest.approx(6 * (1.05 / 0.95) ** 2)
    assert shown[2] == over(way)
    assert bridge(best, [], "a", "b") is None


@pytest.mark.parametrize("language", ["en", "ru", "ja", "es"])
def test_the_browser_says_what_a_made_page_says(site: Site, tmp_path: Path, language: str) -> None:
    """Word for word, of accelerators and of systems; but for "about", which only its source says."""
    locale = spoken(language)
    about = locale.say("about", n="").strip()
    writer = Writer(site, locale, "compare/")
    names = [*site.versus, *site.versus_systems]
    given = {
        "data": results(site),
        "words": words(writer),
        "asked": [name.split("-vs-") for name in names],
    }

    found = ask(SHOWN, given, tmp_path, "compare_pairs.js", "compare_page.js")

    for name, one in zip(names, found, strict=True):
        made = pair_page(Writer(site, locale, f"compare/{name}/"), name)
        assert " ".join(one["title"].split()) == made.title
        assert read(one["html"]) == read(made.body).replace(about, "")
        assert "undefined" not in one["html"]
        assert "NaN" not in one["html"]


@pytest.mark.parametrize("language", ["en", "ru", "ja", "es"])
def test_a_system_has_its_number_in_its_name(site: Site, tmp_path: Path, language: str) -> None:
    """Beside an accelerator, which has it before its own: "16 Cloud TPU v3-32" were 256 of them."""
    writer = Writer(site, spoken(language), "compare/")
    asked = [["cloud-tpu-v3-32", "v100"]]
    given = {"data": results(site), "words": words(writer), "asked": asked}

    [one] = ask(SHOWN, given, tmp_path, "compare_pairs.js", "compare_page.js")

    assert "Cloud TPU v3-32" in one["title"] and "8 × V100" in one["title"]
    assert not re.search(r"\b16", one["title"]) and "undefined" not in one["title"]


def test_a_system_is_shown_with_the_accelerator_of_its_result(tmp_path: Path) -> None:
    """Not with that of another round: here both are of V100, so nothing is said beside each other."""
    found = chosen()
    runs = tuple(
        replace(run, accelerator="a30")
        if (run.system, run.round) == ("nvidia-dgx-1", "v0.6")
        else run
        for run in found.runs
    )
    site, name = make_site(replace(found, runs=runs)), "gcp-8xv100-vs-nvidia-dgx-1"
    writer = Writer(site, spoken("en"), f"compare/{name}/")
    given = {"data": results(site), "words": words(writer), "asked": [name.split("-vs-")]}

    [one] = ask(SHOWN, given, tmp_path, "compare_pairs.js", "compare_page.js")

    assert "MLPerf v0.5" in one["html"]
    assert read(one["html"]) == read(pair_page(writer, name).body)


def test_the_browser_has_of_each_source_what_the_records_have(tmp_path: Path) -> None:
    """Accelerators, systems, and one of each: which results, their figures, and the ratio."""
    site = make_site(transcribed(*ARTICLES))
    found = site.figures_of_sources
    ids = sorted({id_ for one in found for id_ in (one.accelerator, one.system) if id_})
    asked = [*combinations(ids, 2)]

    told = ask(OF_SOURCES, {"data": results(site), "pairs": asked}, tmp_path, "compare_pairs.js")

    ratios = 0
    for (a, b), rows in zip(asked, told, strict=True):
        expected = [
            [
                one.source,
                one.workload,
                *(site.results.id_with(each.run) for each in (one.a, one.b)),
                one.a.value,
                one.b.value,
                one.ratio and pytest.approx(one.ratio, rel=1e-5),
            ]
            for one in sourced.beside(found, a, b)
        ]
        assert rows == expected, (a, b)
        ratios += sum(row[-1] is not None for row in rows)
    assert ratios > 20


@pytest.mark.parametrize(
    ("language", "said"), [("en", "13.0"), ("ru", "13,0"), ("ja", "13.0"), ("es", "13,0")]
)
def test_results_of_one_source_are_held_against_each_other(
    tmp_path: Path, language: str, said: str
) -> None:
    """With their ratio and the report; one without a figure of either is named alone."""
    site = make_site(transcribed(*ARTICLES))
    locale = spoken(language)
    asked = [["k80", "t4"], ["t4", "v100-pcie"]]
    given = {"data": results(site), "words": words(Writer(site, locale, "compare/"))}

    ratio, none = ask(
        SHOWN, {**given, "asked": asked}, tmp_path, "compare_pairs.js", "compare_page.js"
    )

    assert locale.say("figure.times", n=said) in ratio["html"].replace("\u00a0", " ")
    assert locale.say("versus.nothing", a="T4", b="Tesla K80") in ratio["html"]
    assert "results/catalyst-cost-t4-resnet101/" in ratio["html"]
    assert "catalyst-cost/" in ratio["html"] and "T4" in ratio["title"]
    assert locale.say("versus.seen", names="").strip() in none["html"]
    assert "t4-v100-mlperf/" in none["html"] and "gnmt-wmt-en-de/" not in none["html"]
    for one in (ratio, none):
        assert "undefined" not in one["html"] and "NaN" not in one["html"]


def test_a_round_without_a_year_is_named_alone(tmp_path: Path) -> None:
    """By the build and by the browser alike."""
    found = chosen()
    site = make_site(
        replace(found, runs=tuple(replace(run, started_at=None) for run in found.runs))
    )
    name = "gcp-8xv100-vs-nvidia-dgx-1"
    writer = Writer(site, spoken("en"), f"compare/{name}/")
    given = {"data": results(site), "words": words(writer), "asked": [name.split("-vs-")]}

    [one] = ask(SHOWN, given, tmp_path, "compare_pairs.js", "compare_page.js")

    assert "(MLPerf v0.5)" in (body := pair_page(writer, name).body) and "v0.5, )" not in body
    assert read(one["html"]) == read(body)
