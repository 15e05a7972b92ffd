"""Every file of every chart in every language; pictures are stood in for."""

import csv
import gzip
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import pytest

from site_src import locales
from site_src.charts import downloads, payload, pictures, runtime
from site_src.charts.drawn import DrawnFigure, Options
from site_src.locales import Locale
from tests.site_src import drawing, recorded
from tests.site_src.charts import stand_ins

CODES = ("en", "ru", "ja", "es")
PROMISED = (
    "embed.html",
    "data.csv.gz",
    "data.parquet",
    "table.csv",
    "table.parquet",
    "meta.json",
    "cite.bib",
)
"""PRODUCT: below c/<chart-id>/, once."""

BY_LANGUAGE = (
    "{}.svg",
    "{}-dark.svg",
    "{}-narrow.svg",
    "{}.png",
    "{}-card.png",
    "spec.{}.json",
    "data.{}.js",
    "table.{}.js",
    "oembed.{}.json",
)
"""And in each language."""


@pytest.fixture(scope="module")
def languages(repository: Path) -> list[Locale]:
    """The languages of the site."""
    return locales.load(repository / "site_src" / "strings")


@pytest.fixture(scope="module")
def drawn(chart_cache: Path, languages: list[Locale]) -> dict[str, DrawnFigure]:
    """Every chart in every language."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "draw", stand_ins.draw)
        options = Options(chart_cache, date(2026, 11, 20))
        client = runtime.build("full", chart_cache)
        return drawing.draw(
            list(recorded.drawn().values()), languages, client, options, recorded.archive().sources
        )


@pytest.fixture(scope="module")
def files(drawn: dict[str, DrawnFigure], chart_cache: Path) -> dict[str, bytes]:
    """Every asset by path."""
    return {
        asset.path: asset.content
        for asset in drawing.assets(drawn, runtime.build("full", chart_cache))
    }


@pytest.mark.parametrize("chart", sorted(recorded.drawn()))
def test_every_promised_file_is_there(chart: str, files: dict[str, bytes]) -> None:
    """No chart lacks a file in any language, and none is empty."""
    wanted = [*PROMISED, *(name.format(code) for name in BY_LANGUAGE for code in CODES)]

    assert not [name for name in wanted if not files.get(f"c/{chart}/{name}")]


def test_a_figure_that_is_about_so_much_is_so_in_the_download() -> None:
    """The source prints about 3,280 images a second."""
    made = downloads.tables(recorded.drawn()["tpuv2-v100-throughput"])

    rows = csv.DictReader(io.StringIO(made["table.csv"].decode()))

    assert ("3280", "approx") in [(row["throughput"], row["throughput_bound"]) for row in rows]


@pytest.mark.parametrize("chart", sorted(recorded.drawn()))
def test_every_file_says_what_the_table_says(
    chart: str, drawn: dict[str, DrawnFigure], files: dict[str, bytes]
) -> None:
    """As tables, as specifications that open in Altair, as JSON. Altair takes a second for each: beside
    English the languages take turns, and those of the others differ from it in words alone.
    """
    table = drawn[chart].figure.table
    rows = list(
        csv.DictReader(io.StringIO(gzip.decompress(files[f"c/{chart}/data.csv.gz"]).decode()))
    )
    frame = pd.read_parquet(io.BytesIO(files[f"c/{chart}/data.parquet"]))
    about = json.loads(files[f"c/{chart}/meta.json"])

    assert len(rows) == len(frame) == len(table) == about["rows"]
    assert list(rows[0]) == list(frame.columns)
    assert all(
        row[name]
        for row in rows
        for name in ("licence", "credit", "origin", "source", "locator", "run_id")
    )
    for column in (name for name in frame.columns if name in table):
        for cell, stored, value in zip(
            (row[column] for row in rows), frame[column], table[column], strict=True
        ):
            if value is None or value != value:  # noqa: PLR0124 - not a number is not itself
                assert cell == "" and pd.isna(stored)
            elif isinstance(value, float | int) and not isinstance(value, bool):
                assert float(cell) == float(stored) == float(value)
            else:
                assert cell == str(stored) == str(value)
    english, *others = CODES
    opened = alt.Chart.from_json(files[f"c/{chart}/spec.{english}.json"].decode())
    turn = others[sorted(recorded.drawn()).index(chart) % len(others)]
    type(opened).from_json(files[f"c/{chart}/spec.{turn}.json"].decode(), validate=False).to_dict()
    for code in CODES:
        specification = json.loads(files[f"c/{chart}/spec.{code}.json"])
        answer = json.loads(files[f"c/{chart}/oembed.{code}.json"])
        assert specification["data"]["name"] == "rows" and specification["data"]["values"]
        assert marks(specification) == marks(opened.to_dict(validate=False))
        assert answer["type"] == "rich" and f"embed.html?lang={code}" in answer["html"]
        assert answer["title"] == about["title"][code]
    assert f"@misc{{touchstone-{chart}," in files[f"c/{chart}/cite.bib"].decode()


def marks(specification: dict[str, Any]) -> Any:
    """All but the rows and the lines of the title, without words: it is the same in all languages."""
    return wordless({**specification, "data": None, "title": None})


def wordless(value: Any) -> Any:
    """The value with empty texts."""
    if isinstance(value, dict):
        return {key: wordless(one) for key, one in value.items()}
    if isinstance(value, list):
        return [wordless(one) for one in value]
    return "" if isinstance(value, str) else value


def test_every_embed_is_light(files: dict[str, bytes]) -> None:
    """With four languages and without the runtime an embed is 15 KB or less in gzip."""
    sizes = {
        path: len(gzip.compress(content, 9))
        for path, content in files.items()
        if path.endswith("embed.html")
    }

    assert sizes and max(sizes.values()) < 15_000, sizes


def test_no_two_charts_have_one_title(
    drawn: dict[str, DrawnFigure], languages: list[Locale]
) -> None:
    """In each language links to charts can be told apart."""
    for locale in languages:
        titles = [one.figure.heading(locale) for one in drawn.values()]
        assert len(set(titles)) == len(titles)


def test_what_the_pointer_tells_can_be_put_together_again(
    drawn: dict[str, DrawnFigure], languages: list[Locale]
) -> None:
    """The packed texts give each row the lines that Python wrote."""
    for one in drawn.values():
        for locale in languages:
            rows = one.figure.records(locale)
            packed = payload.tips(one.figure, rows, locale)
            columns = payload.common_payload(one.figure, one.compiled[locale.code], rows)["columns"]
            for index, row in enumerate(rows):
                lines = []
                for heading, told in packed:
                    text: object = told
                    if isinstance(told, list):
                        text = told[index]
                    elif isinstance(told, dict) and "words" in told:
                        text = told["words"][told["rows"][index]]
                    elif isinstance(told, dict):
                        assert told["column"] in columns
                        figure = locale.number(float(str(row[told["column"]])), told["decimals"])
                        text = told["pattern"].replace("{n}", figure)
                    if text is not None:
                        lines.append(f"{heading}: {text}")
                assert "\n".join(lines) == row["tip"], (one.id, locale.code, index)
