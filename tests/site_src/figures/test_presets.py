"""States with a name: what they may be, are called, and say truly of their pictures."""

import re
from dataclasses import replace

import pytest

from site_src.figures import presets
from site_src.figures.base import Figure
from site_src.figures.controls import Preset
from site_src.figures.written import FigureError
from site_src.locales import Locale
from tests.site_src import recorded

EN = recorded.english()
FIGURE = recorded.drawn()["tpuv2-v100-throughput"]


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        ((Preset("Per Chip", {"basis": "chip"}),), "small letters"),
        ((Preset("chip-dark", {"basis": "chip"}),), "does not end in"),
        ((Preset("chip", {"bases": "chip"}),), "has the key 'bases'"),
        ((Preset("chip", {"basis": "core"}),), "has basis=core; there is global, chip"),
        ((Preset("few", {"hide": "cloud-tpu-v2-8-tensorflow,abacus"}),), "has hide=abacus"),
        ((Preset("chip", {"basis": "global"}),), "shows at first"),
        ((Preset("idle", {"baseline": "aws-p3.8xlarge-tensorflow"}),), "shows at first"),
        (
            (
                Preset("a", {"view": "relative"}),
                Preset("b", {"view": "relative", "baseline": "cloud-tpu-v2-8-tensorflow"}),
            ),
            "the same state",
        ),
        (
            (Preset("a", {"basis": "chip"}), Preset("a", {"scale": "log"})),
            "two presets have the id 'a'",
        ),
    ],
)
def test_a_preset_that_is_no_state_of_its_own_is_refused(
    made: tuple[Preset, ...], fault: str
) -> None:
    """The error names figure and preset, what was found and what there is."""
    with pytest.raises(FigureError, match=f"tpuv2-v100-throughput: .*{re.escape(fault)}"):
        replace(FIGURE, presets=made)


@pytest.fixture(params=[EN, recorded.foreign()], ids=["en", "qq"])
def locale(request: pytest.FixtureRequest) -> Locale:
    """Each language."""
    found: Locale = request.param
    return found


@pytest.mark.parametrize(
    "figure", [one for one in recorded.drawn().values() if one.presets], ids=lambda one: one.id
)
def test_each_preset_has_a_name_and_a_subtitle_of_its_own(figure: Figure, locale: Locale) -> None:
    """One that counts or compares otherwise says something else."""
    subtitles = [
        figure.caption(locale),
        *(presets.caption(figure, one, locale) for one in figure.presets),
    ]
    first = figure.headline(locale)

    assert len(set(subtitles)) == len(subtitles)
    assert all(
        (presets.finding(figure, one, locale) != first) == bool(figure.decides(one.state))
        for one in figure.presets
    )
    assert all(presets.label(figure, one, locale) for one in figure.presets)


def test_a_preset_without_values_says_so() -> None:
    """As when nobody gave the other measure of these runs."""
    preset = next(one for one in FIGURE.presets if one.id == "chip")
    empty = FIGURE.table.assign(throughput_per_chip=None)

    assert presets.finding(replace(FIGURE, table=empty), preset, EN).endswith(": no values.")


def test_what_is_said_of_values_over_a_baseline_are_their_ends() -> None:
    """From the least to the greatest that is drawn, with the baseline's name."""
    preset = next(one for one in FIGURE.presets if one.id == "relative")
    rows = [row for row in FIGURE.rows(EN, preset.state) if row["value"] is not None]
    low, high = (end(rows, key=lambda row: float(str(row["value"]))) for end in (min, max))

    said = presets.finding(FIGURE, preset, EN)

    assert said.startswith("Multiples of 4 × V100")
    assert f"from {low['text']} ({low['name']}) to {high['text']} ({high['name']})" in said


def test_ends_of_one_name_bear_it_once() -> None:
    """Else "from 1 (X) to 2 (X)" would look like a slip."""
    figure = recorded.drawn()["tpuv2-v100-data"]

    said = presets.finding(figure, next(one for one in figure.presets if one.id == "relative"), EN)

    assert said.endswith(": from 0.985× to 1.019×, both Cloud TPU v2-8 · bfloat16.")


def test_a_name_without_words_of_its_own_says_of_what() -> None:
    """A bare "hours" could be of anything."""
    figure = recorded.drawn()["tpuv2-v100-target"]

    labels = [presets.label(figure, one, EN) for one in figure.presets]

    assert labels == ["Measure: hours", "Target: 76.4%"]
