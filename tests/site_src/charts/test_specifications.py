"""Specifications that several languages share are, to the letter, those that each would have
alone.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kernels.reading import Named, noting
from site_src import locales
from site_src.charts import vega
from site_src.charts.vega import Specifications
from site_src.figures.base import PHONE, WIDE
from site_src.locales import Locale
from tests.site_src import recorded

SAMPLE = (
    "catalyst-cost-frontier",  # a title too long for a phone, in one language
    "cpu-amd-epyc-2c-settings",  # rows as high as their longest words
    "digits-cnn-convergence",  # words of targets, among the data
    "digits-cnn-telemetry",
    "rtx2080ti-colab-tpu-accuracy",
    "rtx2080ti-colab-tpu-largest-batch",  # words in expressions
    "rtx2080ti-colab-tpu-monitoring",
    "tpuv2-v100-accuracy",  # names that give way to the widest figure
    "tpuv2-v100-data",
)
"""A chart of each kind; all of them where TEST_ALL is set."""


@pytest.fixture(scope="module")
def languages(repository: Path) -> list[Locale]:
    """The languages of the site."""
    return locales.load(repository / "site_src" / "strings")


def written(specification: Mapping[str, Any]) -> str:
    """As in a file, each key in its place."""
    return json.dumps(specification, ensure_ascii=False)


def test_a_chart_from_the_cache_rests_on_the_words_that_it_says(
    tmp_path: Path, languages: list[Locale]
) -> None:
    """As the one that was compiled: those of axes stand nowhere else on its page."""
    figure = recorded.every()["tpuv2-v100-data"]
    spoken = [replace(one, strings=Named(one.code, one.strings)) for one in languages]
    with noting() as compiled:
        first = vega.prepare(figure, spoken, tmp_path)
    with noting() as kept:
        again = vega.prepare(figure, spoken, tmp_path)

    with noting() as alone:
        vega.prepare(figure, [one for one in spoken if one.code == "en"], tmp_path)

    assert again == first
    assert {read[0] for read in alone if read[0] in first} == {"en"}
    assert ("en", "axis.images_per_second") in compiled
    assert {read for read in compiled if read[0] in first} == {
        read for read in kept if read[0] in first
    }


@pytest.mark.parametrize(
    "chart", sorted(recorded.every()) if os.environ.get("TEST_ALL") else SAMPLE
)
def test_drawn_for_all_languages_is_drawn_for_each(chart: str, languages: list[Locale]) -> None:
    """In every state, for browser, page, phones and presets; each is valid Vega-Lite."""
    figure = recorded.every()[chart]
    shared = Specifications(figure, languages)
    views: list[tuple[dict[str, str], int, bool]] = [
        ({}, WIDE, False),
        ({}, PHONE, False),
        *((dict(preset.state), WIDE, False) for preset in figure.presets),
        *((state, WIDE, True) for state in ({}, *vega.states(figure))),
    ]
    for state, width, interactive in views:
        for locale in languages:
            alone = vega.lite(figure, locale, "light", state, width=width, interactive=interactive)
            alone["data"]["values"] = []
            assert list(
                map(written, shared.of(locale, state, width=width, interactive=interactive))
            ) == [written(alone), written(vega.vega(alone, empty=True))], (state, locale.code)
