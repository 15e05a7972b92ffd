"""Headlines say what is drawn: what they count is what the state shows."""

import re
from collections.abc import Callable, Iterator, Mapping

import pytest

from site_src.figures import common, presets
from site_src.figures.base import Figure
from site_src.figures.columns import present
from site_src.figures.controls import Sentence, State
from site_src.tables import Row
from tests.site_src import recorded

EN = recorded.english()


def _runs(rows: list[Row]) -> int:
    return len({row["run_series"] for row in rows})


def _every_run(sentence: Sentence) -> int:
    """Those counted first, those of other series ("bs 256 (1 of 1)"), and other targets'."""
    told: Sentence | None = sentence
    beside, counts = 0, dict[str, int]()
    while told is not None:
        others = told.names.get("others", "").replace("(both)", "(all 2)")
        beside += sum(int(n) for n in re.findall(r"\((?:\d+ of|all) (\d+)\)", others))
        counts |= {name: int(value) for name, _, value, _ in told.figures}
        told = told.then
    return counts["runs"] + beside + counts.get("others", 0)


COUNTED: Mapping[str, Mapping[str, Callable[[Figure, list[Row]], int]]] = {
    "curves": {},
    "convergence": {},
    "elsewhere": {
        "submissions": lambda _, rows: len(
            {row["series"] for row in rows if row["kind"] == "evaluation"}
        )
    },
    "speed": {"runs": lambda _, rows: len(rows)},
    "measured_settings": {
        "pairs": lambda _, rows: len(rows),
        "apart": lambda _, rows: sum(row["answer"] in {"faster", "slower"} for row in rows),
    },
    "seed_benchmarks": {"all": lambda _, rows: len(rows)},
    "ratios": {
        "count": lambda _, rows: sum(
            row["part"] == "benchmark" and present(row["times_low"]) for row in rows
        )
    },
    "specifications": {"count": lambda _, rows: sum(present(row["value"]) for row in rows)},
    "spread": {
        "runs": lambda _, rows: sum(int(str(row["n"])) for row in rows if row["part"] == "seeds"),
        "submissions": lambda _, rows: sum(row["part"] == "seeds" for row in rows),
    },
    # said of all benchmarks, whichever is drawn
    "rounds": {"submissions": lambda figure, _: int((figure.table["part"] == "round").sum())},
}
"""How many rows of a state each count in a headline is about, by kind of figure and placeholder."""

WHOLE = pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.whole)])
COUNTS = frozenset({"runs", "submissions", "pairs", "apart", "all", "count"})


def _stated(whole: bool) -> Iterator[tuple[Figure, State]]:
    """Every figure in each state that has a headline."""
    for figure in recorded.every(whole=whole).values():
        states: list[State] = [
            {},
            *(said.state for said in figure.sentences),
            *(preset.state for preset in figure.presets),
        ]
        for state in states:
            if figure.sentence_in(state) is not None:
                yield figure, state


@WHOLE
def test_what_a_headline_counts_is_drawn(whole: bool) -> None:
    """In every state with a headline no run is counted that the picture lacks, none unsaid."""
    for figure, state in _stated(whole):
        ask = figure.sentence_in(state)
        assert ask is not None
        sentence, rows = ask(EN), figure.rows(EN, state)
        counts = {name: int(value) for name, _, value, _ in sentence.figures if name in COUNTS}

        if figure.key in {"curves", "convergence"}:
            if "runs" in counts:
                assert _every_run(sentence) == _runs(rows), (figure.id, state)
            if "submissions" in counts:
                reached = {row["series"] for row in rows}
                assert counts["submissions"] <= len(reached), (figure.id, state)
            continue
        assert counts.keys() <= COUNTED.get(figure.key, {}).keys(), (
            f"{figure.id} counts {sorted(counts)}, of which no rule is known here"
        )
        for name, count in counts.items():
            assert count == COUNTED[figure.key][name](figure, rows), (figure.id, state, name)


@WHOLE
def test_every_choice_of_rows_or_figures_has_a_headline(whole: bool) -> None:
    """None is said of rows that another choice shows."""
    for figure in recorded.every(whole=whole).values():
        said = presets.headlines(figure, EN)
        deciding = [
            control for control in figure.controls if control.filters or "value" in control.fields
        ]
        alone = [
            {control.key: choice.value} for control in deciding for choice in control.choices[1:]
        ]

        assert all(state in [found for found, _ in said] for state in alone), figure.id
        assert all(text and "\n" not in text for _, text in said), figure.id
        assert len({tuple(sorted(state.items())) for state, _ in said}) == len(said), figure.id


@WHOLE
def test_series_have_their_names_before_they_are_spoken_of(whole: bool) -> None:
    """No chart is left to be named by precision, and the headline says what the legend says."""
    figures = recorded.every(whole=whole)
    for figure in figures.values():
        if "precision" in figure.table:
            named = common.by_precision(figure.table)["label"]
            assert list(named) == list(figure.table["label"]), figure.id

    for chart in ("throughput", "data", "value", "accuracy", "target", "convergence"):
        figure = figures[f"tpuv2-v100-{chart}"]
        drawn = [one.label for one in figure.series if one.label.endswith(("bfloat16", "FP16"))]
        assert len(drawn) == 2 and all(one in figure.headline(EN) for one in drawn), chart


def test_curves_of_one_kind_of_accelerator_are_counted_alone() -> None:
    """25 runs on V100, 15 of them to 75.9 %; 20 on TPU, 15 of them; five on A30."""
    figure = recorded.every()["resnet50-imagenet-convergence"]
    said = {
        state.get("family"): text
        for state, text in [({}, figure.headline(EN)), *presets.headlines(figure, EN)]
    }
    plain = {
        family: text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")
        for family, text in said.items()
    }

    assert plain[None].startswith(
        "V100: the target (top-1 accuracy: 75.9%) is reached by all 15 runs from 3 submissions"
    )
    assert plain[None].endswith("Runs shown with another target: 10.")
    assert "all 15 runs from 3 submissions" in plain["tpu"] and plain["tpu"].endswith(
        "another target: 5."
    )
    assert "all 5 runs" in plain["a30"]
    assert "all 35 runs from 7 submissions" in plain["all"] and plain["all"].endswith(
        "another target: 15."
    )
    assert [
        _runs(figure.rows(EN, state))
        for state in ({}, {"family": "tpu"}, {"family": "a30"}, {"family": "all"})
    ] == [25, 20, 5, 50]


def test_a_picture_of_a_state_is_described_by_its_headline() -> None:
    """So the alternative text of a specification with TPU alone does not speak of V100."""
    figure = recorded.every()["resnet50-imagenet-convergence"]

    described = figure.chart(EN, state={"family": "tpu"}, rows=[]).description

    assert described == figure.headline(EN, {"family": "tpu"}) != figure.headline(EN)
