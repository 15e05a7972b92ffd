"""Charts of one machine: what they say first, what is marked, and what is drawn."""

import dataclasses
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # it ships without type hints

from kernels.analysis.window import ONE_STEP
from kernels.records import Precision, Run, RunWarning, Setting, Status
from kernels.store import Archive
from site_src.charts import pictures, vega
from site_src.evidence import Evidence
from site_src.figures import fonts
from site_src.figures.base import MARGIN, PHONE, WORDS, Figure
from site_src.figures.marks import rows
from site_src.locales import load
from tests.site_src.charts.test_charts import LIBERATION
from tests.site_src.drawing import figures
from tests.site_src.machines import a_run, computing, known, of_suite, seeded
from tests.site_src.recorded import english, foreign
from tests.site_src.tongues import STRINGS


def drawn(*runs: Run) -> dict[str, Figure]:
    """The machine's figures by their last word, drawn for a desk and, in another language, a phone."""
    found = {
        figure.short: figure
        for figure in figures(Evidence(Archive(runs=runs), known()))
        if figure.page.startswith("measured/")
    }
    for figure in found.values():
        figure.chart(english())
        figure.chart(foreign(), width=360)
    return found


def test_the_batch_chart_names_the_fastest() -> None:
    """That with most batch sizes, with an interval; crosses and few steps are explained."""
    figure = drawn(
        seeded(0, 10.0),
        a_run("a"),
        a_run("b", 150.0, None, global_batch_size=256),
        a_run("c", None, global_batch_size=512, status=Status.OOM),
        of_suite(a_run("d", 90.0, workload="wrn28-10-cifar10"), "quick", "small"),
    )["batch"]

    notes = " ".join(figure.remarks(english()))
    texts = {str(row["text"]) for row in figure.rows(english(), {})}
    assert figure.headline(english()).replace("\xa0", " ") == (
        "Among the speeds with an interval, CNN-10 is fastest at a global "
        "batch size of 128, with FP32: 100 images/s."
    )
    assert texts == {"100", "150 (n = 7)", "out of memory"}
    assert "from too few steps for an interval" in notes
    assert "out of memory" in notes
    assert "reduced suite (small size)" in notes
    assert [choice.label(english()) for choice in figure.controls[0].choices] == [
        "CNN-10",
        "WRN-28-10",
        "CNN-10 (real data)",
    ]


def test_the_fastest_of_all_is_called_so() -> None:
    """Where nothing faster stands beside it: with an interval, and where no speed has one."""
    for runs in (
        (a_run("a"), a_run("b", 90.0, None, global_batch_size=256)),
        (a_run("a", 100.0, None),),
    ):
        headline = drawn(*runs)["batch"].headline(english()).replace("\xa0", " ")
        assert (
            headline
            == "With the settings shown, CNN-10 runs fastest at a global batch size of 128, "
            "with FP32: 100 images/s."
        )


def test_a_series_column_is_named_for_what_it_holds() -> None:
    """The number format, and the framework where there are two."""
    jax = a_run("jax", backend="jax", framework="jax", set_={"compile_mode": "jit"})

    for runs, title in (
        ((a_run("a"),), "Precision"),
        ((a_run("a"), jax), "Precision and framework"),
    ):
        assert drawn(*runs)["batch"].column("label").title(english()) == title


def test_the_settings_chart_names_what_matters_most() -> None:
    """By the factor that is furthest from 1 and can be told apart."""
    figure = drawn(
        a_run("a"),
        a_run("b", 150.0, precision=Precision.AMP_BF16),
        a_run("c", 101.0, 5.0, set_={"compile_mode": "inductor"}),
    )["settings"]

    rows = {
        str(row["name"]): (str(row["text"]), str(row["under"]))
        for row in figure.rows(english(), {})
    }
    assert figure.headline(english()).replace("\xa0", " ") == (
        "The biggest difference (precision): CNN-10 at a batch size of 128 is 1.5× as fast "
        "with mixed precision (bfloat16) as with FP32. "
        "Comparisons with a clear difference: 1 of 2."
    )
    assert rows["mixed precision (bfloat16) against FP32"] == (
        "1.50×",
        "faster · CNN-10 · batch 128",
    )
    assert rows["compiled against not compiled"] == (
        "1.01×",
        "cannot be told apart · CNN-10 · batch 128 · FP32",
    )


def parted(words: object) -> list[str]:
    """The lines of words as they are drawn."""
    return [line.rstrip() for line in str(words).replace(rows.HOLDER, "").split("\n")]


def test_words_of_settings_fit_on_a_phone() -> None:
    """In every language, with the longest sides and names, in rows as high as they need."""
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    fp16: dict[str, Any] = {"precision": Precision.AMP_FP16}
    old = {"allocator": "default", "memory_format": "contiguous"}
    wide: dict[str, Any] = {"workload": "wrn28-10-cifar10-tenth-width", "global_batch_size": 65536}
    figure = drawn(
        *(a_run(f"p{n}", 100.0 + n, 30.0, **kind, **wide) for n, kind in enumerate((bf16, fp16))),
        *(
            a_run(f"o{n}", 100.0 + n, 30.0, set_={**old, **how}, **bf16, **wide)
            for n, how in enumerate(({}, {"compile_mode": "inductor"}))
        ),
        *(a_run(f"m{n}", 80.0, 30.0, set_={"threads": 12}, processes=n, **wide) for n in (1, 16)),
    )["settings"]

    for locale in load(STRINGS):
        records = figure.records(locale)
        for row in records:
            figures = 2 * GAP + width(figure.text_of(row, "ratio", locale), bold=True)
            assert all(width(line) + figures <= PLOT for line in parted(row["name"])), (
                locale.code,
                row["name"],
            )
            assert all(width(line) <= PLOT for line in parted(row["under"])), (
                locale.code,
                row["under"],
            )
        most = max(str(row["name"]).count("\n") + str(row["under"]).count("\n") for row in records)
        assert most and figure.row_height(locale) == rows.LINE + WORDS * most
        spec: dict[str, Any] = figure.chart(locale, width=PHONE).to_dict(validate=False)
        assert spec["height"] == len(records) * (rows.LINE + WORDS * most) + MARGIN
    assert {"o0", "m16", "p0"} <= set(figure.table["run_id"]) | set(figure.table["b_run"])


PLOT = PHONE - 8
"""Width in px of a chart on a phone, without its padding."""

GAP = 4


def width(text: str, *, bold: bool = False) -> float:
    """In px at 13 px; as `fonts.letters` has it where Liberation Sans is no file."""
    file = LIBERATION.with_name("LiberationSans-Bold.ttf") if bold else LIBERATION
    if not file.is_file():
        return 13 * fonts.letters(text)
    latin, japanese = _advances(file), _advances(fonts.folder() / "ipaexg.ttf")
    return 13 * sum(latin.get(ord(letter)) or japanese[ord(letter)] for letter in text)


@cache
def _advances(file: Path) -> dict[int, float]:
    """Width of each letter in letter heights."""
    with TTFont(file) as font:
        size = font["head"].unitsPerEm
        return {code: font["hmtx"][name][0] / size for code, name in font.getBestCmap().items()}


def test_nothing_that_can_be_told_apart_is_said() -> None:
    """The headline names no winner then."""
    figure = drawn(a_run("a"), a_run("b", 101.0, 5.0, precision=Precision.AMP_BF16))["settings"]

    assert figure.headline(english()) == "Comparisons with a clear difference: none of 1."
    assert not figure.controls and not figure.presets, "of one setting there is nothing to choose"


def test_more_than_the_peak_is_flagged() -> None:
    """A convolution above the fastest product stays, with a word beside it and the reason."""
    product = computing("m", "micro-matmul", 100e9, settings=(Setting("operation_size", "2048"),))
    figure = drawn(
        product,
        computing("c", "micro-convolution", 130e9),
        computing("r", "resnet50-imagenet", 60e9),
    )["peak"]

    rows: dict[Any, Any] = {row["workload"]: row["text"] for row in figure.rows(english(), {})}
    assert rows == {
        "micro-convolution": "130.0% (above the peak)",
        "micro-matmul": "100.0%",
        "resnet50-imagenet": "60.0%",
    }
    assert figure.headline(english()).replace("\xa0", " ") == (
        "ResNet-50 with FP32 reaches 60.0% of the 100 GFLOP/s that a plain matrix product with "
        "PyTorch reaches on this machine."
    )
    assert any("flagged, not left out" in note for note in figure.remarks(english()))
    assert any("in any framework: FP32 100" in note for note in figure.remarks(english()))


def test_a_share_of_a_peak_of_too_few_steps_does_not_lead() -> None:
    """The higher share stands there with the number of its steps; the headline is another's."""
    few = computing("m", "micro-matmul", 100e9)
    few = dataclasses.replace(
        few,
        metrics=tuple(
            dataclasses.replace(m, low=None, high=None, interval=None, n=7) for m in few.metrics
        ),
    )
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    runs = (
        computing("r", "resnet50-imagenet", 90e9),
        computing("b", "resnet50-imagenet", 50e9, **bf16),
    )

    figure = drawn(few, computing("p", "micro-matmul", 200e9, precision=Precision.BF16), *runs)[
        "peak"
    ]

    assert figure.headline(english()).startswith("ResNet-50 with bfloat16 reaches 25.0%")
    assert any(
        "FP32 100 GFLOP/s with PyTorch (n = 7)" in note.replace("\xa0", " ")
        for note in figure.remarks(english())
    )


def test_without_a_peak_there_is_no_chart() -> None:
    """Arithmetic alone is a figure of the run's page; one run makes no comparison either."""
    assert set(drawn(computing("r", "resnet50-imagenet", 60e9))) == {"batch"}


def test_a_makers_peak_can_be_chosen() -> None:
    """Where both are known the measured one comes first."""
    card = {"accelerator": "h200-sxm"}
    figure = drawn(
        computing("m", "micro-matmul", 50e12, **card),
        computing("r", "resnet50-imagenet", 20e12, **card),
    )["peak"]

    rows = {row["workload"]: row["text"] for row in figure.rows(english(), {"peak": "nominal"})}
    assert [control.key for control in figure.controls] == ["peak"]
    assert rows == {"micro-matmul": "74.7%", "resnet50-imagenet": "29.9%"}


def test_a_doubted_run_has_a_sign_at_its_mark() -> None:
    """With how many runs are doubted; no sign and no column without a doubt."""
    doubt = (RunWarning("other_load", 0.4, 0.05),)
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    sure = (
        computing("m", "micro-matmul", 100e9),
        a_run("a"),
        a_run("b", 150.0, None, doubts=(RunWarning("few_steps", 7, 20),), **bf16),
    )
    made = drawn(*(dataclasses.replace(run, doubts=(*run.doubts, *doubt)) for run in sure))

    assert [row["text"] for row in made["batch"].rows(english(), {})] == [
        "150 (n = 7, ‡)",
        "100 (‡)",
    ]
    assert [row["text"] for row in made["peak"].rows(english(), {})] == ["100.0% (‡)"]
    assert [
        str(row["under"]).partition(" · ")[0] for row in made["settings"].rows(english(), {})
    ] == ["too few steps ‡"]
    for figure in made.values():
        assert any(
            note.startswith("‡ ") and "warnings" in note.lower()
            for note in figure.remarks(english())
        )
    for figure in drawn(*sure).values():
        assert not any(
            "‡" in str(found) for found in (*figure.remarks(english()), *figure.rows(english(), {}))
        )
        assert "doubted" not in {column.name for column in figure.columns}


def test_a_broken_line_is_copied_as_its_sentence() -> None:
    """Who copies long words of two lines gets the space where the language has one."""
    figure = drawn(a_run("a"), a_run("b", 60.0, set_={"allocator": "default"}))["settings"]

    for locale in load(STRINGS):
        sides = {
            side: locale.say(f"setting_side.{value}")
            for side, value in (("a", "tuned"), ("b", "default"))
        }
        whole = locale.say("figure.measured_settings.pair", **sides)
        drawing = vega.lite(figure, locale, "light", {}, width=PHONE, interactive=False)
        texts = pictures.texts(vega.svg(vega.vega(drawing), locale))
        assert whole in texts, (locale.code, texts)
        assert locale.code != "ru" or "\n" in str(figure.records(locale)[0]["name"]), (
            "nothing is broken here"
        )


def test_what_stands_under_a_name_is_copied_apart() -> None:
    """Its parts, where they do not fit into one line, in a language without spaces too."""
    said = rows.wrapped(
        ("name", ""), ["とても長い言葉がここに続いて", "もう一つの長い言葉がここに続く"]
    )[1]

    assert (
        said.replace(rows.HOLDER, "").replace("\n", "")
        == "とても長い言葉がここに続いて もう一つの長い言葉がここに続く"
    )


def test_a_run_of_one_timed_step_is_drawn_as_none() -> None:
    """Without throughput it leads nothing; its mark says how it ended."""
    one = a_run("b", None, global_batch_size=256, status=Status.UNFINISHED, status_detail=ONE_STEP)
    figure = drawn(a_run("a"), one, a_run("c", 90.0, global_batch_size=512))["batch"]
    rows = {row["batch"]: row for row in figure.rows(english(), {})}

    assert "100" in str(figure.headline(english())) and rows[256]["throughput"] is None
    assert [str(rows[batch]["text"]) for batch in (128, 256, 512)] == ["100", "unfinished", "90.0"]


def test_the_settings_chart_rests_on_one_suite() -> None:
    """Where another left its runs beside, it counts no doubt of theirs."""
    doubt = (RunWarning("other_load", 0.4, 0.05),)
    sides = a_run("a"), a_run("b", 150.0, precision=Precision.AMP_BF16)
    turns = [of_suite(run, "settings", "small") for run in sides]
    beside = of_suite(a_run("0", 90.0, doubts=doubt), "quick", "small")

    said = drawn(*turns, beside)["settings"].remarks(english())

    assert said and not any("‡" in note for note in said)


def test_the_settings_chart_says_of_how_many_runs_it_is() -> None:
    """Of repeated sides the numbers; of single runs what they cannot tell."""
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    repeated = drawn(
        *(a_run(f"a{n}", 100.0 + n) for n in range(5)),
        *(a_run(f"b{n}", 150.0 + n, **bf16) for n in range(6)),
    )["settings"]
    single = drawn(a_run("a"), a_run("b", 150.0, **bf16))["settings"]

    (many,), (one,) = (figure.rows(english(), {}) for figure in (repeated, single))
    assert str(many["under"]) == "faster · CNN-10 · batch 128 · runs: 6 against 5"
    assert "runs:" not in str(one["under"])
    told = [
        any("interval of a single run" in note for note in figure.remarks(english()))
        for figure in (repeated, single)
    ]
    assert told == [False, True]
