"""Rows within a specification: fewer bytes, the same picture."""

import json
import re
from typing import Any

import pytest
import vl_convert

from site_src.charts import vega
from site_src.charts.rows import packed, unpacked
from site_src.figures.base import Figure
from site_src.locales import Locale
from tests.site_src import recorded

CHARTS = sorted(
    name for name in recorded.drawn() if name.endswith(("throughput", "target", "steps", "epochs"))
)


def both(figure: Figure, locale: Locale) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chart's Vega-Lite with its rows as records, and packed."""
    plain = vega.lite(figure, locale, "light", {}, width=400, interactive=False)
    return plain, json.loads(json.dumps(packed(plain, figure, locale)))


def svg(lite: dict[str, Any]) -> str:
    """The picture; Vega numbers what it cuts by through all that it draws."""
    drawn: str = vl_convert.vegalite_to_svg(lite, vl_version=vega.VEGA_LITE)
    return re.sub(r"clip\d+", "clip", drawn)


@pytest.mark.parametrize("name", CHARTS)
def test_packed_rows_draw_the_same(name: str) -> None:
    """Every mark, axis and legend, to the byte."""
    plain, small = both(recorded.drawn()[name], recorded.foreign())

    assert svg(small) == svg(plain)


@pytest.mark.parametrize("name", CHARTS)
def test_the_pointer_tells_the_same(name: str) -> None:
    """Line by line, drawn as words."""
    plain, small = both(recorded.drawn()[name], recorded.foreign())
    told = {"mark": "text", "encoding": {"text": {"field": "tip", "type": "nominal"}}}
    texts = [
        re.findall(
            r"<text[^>]*>(.*?)</text>",
            svg({"data": one["data"], "transform": one.get("transform", []), **told}),
            re.DOTALL,
        )
        for one in (plain, small)
    ]

    assert texts[0] == texts[1]
    assert any(": " in text for text in texts[0])


@pytest.mark.parametrize("name", CHARTS)
def test_rows_are_read_back(name: str) -> None:
    """Each with the figures that the chart draws, shared ones too."""
    plain, small = both(recorded.drawn()[name], recorded.english())
    found = unpacked(small)

    assert [row["value"] for row in found] == [row["value"] for row in plain["data"]["values"]]
    assert [row["label"] for row in found] == [row["label"] for row in plain["data"]["values"]]


def test_long_tables_take_a_fifth() -> None:
    """A line a row, without what no mark needs."""
    plain, small = both(recorded.drawn()["digits-cnn-steps"], recorded.english())

    assert len(json.dumps(small["data"])) < len(json.dumps(plain["data"])) / 5


def test_texts_that_csv_would_lose_stay_records() -> None:
    """An empty text is no missing one."""
    row = {"value": 1.0, "label": "", "tip": ""}
    lite = {
        "data": {"name": "rows", "values": [row, row | {"label": "a"}]},
        "encoding": {"x": {"field": "value"}, "y": {"field": "label"}},
    }

    small = packed(lite, recorded.drawn()["digits-cnn-steps"], recorded.english())

    assert small["data"]["values"] == [{"label": ""}, {"label": "a"}]
    assert unpacked(small) == [{"value": 1.0, "label": ""}, {"value": 1.0, "label": "a"}]
