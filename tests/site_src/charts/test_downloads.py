import gzip
import io
import json
import re
from dataclasses import replace
from datetime import date

import pandas as pd
import pytest
import vl_convert

from site_src.charts import downloads, markup, size, vega
from site_src.figures.columns import Column
from site_src.locales import Locale, load
from tests.site_src import recorded
from tests.site_src.reading import elements
from tests.site_src.tongues import STRINGS

BASE = "https://example.org/bench/"
DAY = date(2026, 11, 20)
PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="340"></svg>'
CHARTS = sorted(recorded.drawn())


class BibtexError(ValueError):
    """A text that a strict reader of BibTeX refuses."""


def parse(text: str) -> dict[str, dict[str, str]]:
    """Entries of a BibTeX file by key, each with its fields as written between their outer
    braces.
    """
    found: dict[str, dict[str, str]] = {}
    place = 0
    while text[place:].strip():
        head = re.compile(r"\s*@([a-z]+)\{([a-z0-9][a-z0-9.:_-]*),\n", re.ASCII).match(text, place)
        if head is None:
            raise BibtexError(f"no entry begins at {text[place : place + 40]!r}")
        if head[2] in found:
            raise BibtexError(f"the key {head[2]} stands twice")
        fields, place = _fields(text, head.end())
        found[head[2]] = fields
    return found


def _fields(text: str, place: int) -> tuple[dict[str, str], int]:
    fields: dict[str, str] = {}
    while (start := re.compile(r"\s*([a-z]+) = \{").match(text, place)) is not None:
        depth, end = 1, start.end()
        while depth:
            if end >= len(text):
                raise BibtexError(f"the field {start[1]} has no end")
            escaped = text[end - 1] == "\\"
            depth += {"{": 1, "}": -1}.get(text[end], 0) if not escaped else 0
            end += 1
        value = text[start.end() : end - 1]
        if start[1] in fields:
            raise BibtexError(f"the field {start[1]} stands twice")
        if start[1] != "url" and (
            loose := re.search(
                r"(?<!\\)[&%$#_^~]", re.sub(r"\$\\?[a-z-]+ ?\$|(?<! )~(?! )", "", value)
            )
        ):
            raise BibtexError(f"{loose[0]!r} in {value!r} means something else to LaTeX")
        fields[start[1]] = value
        comma = re.compile(r",(?=\n)").match(text, end)
        place = comma.end() if comma else end
        if comma is None:
            break
    end_ = re.compile(r"\s*\}\n?").match(text, place)
    if end_ is None or not fields:
        raise BibtexError(f"the entry does not end at {text[place : place + 20]!r}")
    return fields, end_.end()


def cited(id_: str, base: str = BASE) -> dict[str, dict[str, str]]:
    """The citation of a chart."""
    origins = {one.source: one for one in recorded.archive().sources}
    made = downloads.bibtex(
        recorded.drawn()[id_], recorded.english(), origins, site="Touchstone", base=base, day=DAY
    )
    return parse(made.decode())


@pytest.mark.parametrize("id_", CHARTS)
def test_a_citation_is_valid_bibtex(id_: str) -> None:
    """Year, address, the day it said so, and whose figures it has; then its sources."""
    first, *sources = cited(id_).items()

    key, fields = first
    assert key == f"touchstone-{id_}"
    assert (
        fields["year"] == "2026"
        and fields["urldate"] == "2026-11-20"
        and fields["url"] == f"{BASE}en/c/{id_}/"
    )
    assert fields["note"].startswith("Figures: ") and ". Terms: " in fields["note"]
    named = set(recorded.drawn()[id_].table["source"])
    assert [source for source, _ in sources] == [
        f"{key}:{one.source}" for one in recorded.archive().sources if one.source in named
    ]
    assert "LicenseRef" not in fields["note"]


def test_a_cited_source_says_who_and_when() -> None:
    """Author, publisher and year, and its terms in words."""
    known = recorded.archive().sources[0]
    undated = replace(known, published=None, published_about=date(2017, 7, 1), authors="Ada & Bob")
    made = parse(
        downloads.bibtex(
            recorded.drawn()["tpuv2-v100-target"],
            recorded.english(),
            {undated.source: undated},
            site="Touchstone",
            base=BASE,
            day=DAY,
        ).decode()
    )[f"touchstone-tpuv2-v100-target:{known.source}"]

    assert (made["author"], made["year"], made["howpublished"]) == (
        "{Ada \\& Bob}",
        "2017",
        known.publisher,
    )
    assert made["note"].endswith("Terms: figures quoted as facts, with credit")


def test_a_charts_note_is_in_one_language() -> None:
    """That of its title: no English word before or between what the page's language says."""
    figure, origins = (
        recorded.drawn()["tpuv2-v100-target"],
        {one.source: one for one in recorded.archive().sources},
    )
    [locale] = load(STRINGS, ["ru"])
    made = parse(
        downloads.bibtex(figure, locale, origins, site="Touchstone", base=BASE, day=DAY).decode()
    )
    said = made["touchstone-tpuv2-v100-target"]["note"]

    assert said.startswith("Числа: ") and said.endswith(
        ". Условия: числа цитируются как факты, с указанием источника"
    )
    assert not {"Figures", "Terms"} & set(re.findall(r"\w+", said))


def test_terms_are_said_as_the_site_says_them() -> None:
    """Each licence without a name of its own, in the words of the site's English."""
    strings = recorded.english().strings

    assert {f"licence.{name}": text for name, text in downloads.TERMS.items()} == {
        key: text for key, text in strings.items() if key.startswith("licence.LicenseRef")
    }


def test_a_specification_stands_alone() -> None:
    """It has its own paper, what it says as title, and what it shows and the credit below."""
    figure, locale = recorded.drawn()["tpuv2-v100-target"], recorded.english()
    plain = {"mark": "bar", "data": {"name": "rows", "values": []}}
    made = json.loads(downloads.spec(figure, plain, locale, "Touchstone"))

    assert made["background"] == "#ffffff"
    assert "".join(made["title"]["text"]) == figure.headline(locale)
    shown = [figure.heading(locale), markup.credit(figure, locale, "Touchstone")]
    assert made["title"]["subtitle"] == shown


def test_a_specification_writes_numbers_as_its_language_does() -> None:
    """Wherever it is drawn: by vega-embed, and by Altair, which saves pictures without it."""
    figure, locale = recorded.drawn()["tpuv2-v100-throughput"], recorded.foreign()
    made = json.loads(
        downloads.spec(
            figure, vega.lite(figure, locale, "light", {}, width=400, interactive=False), locale, ""
        )
    )
    drawn = vl_convert.vegalite_to_svg(made, vl_version=vega.VEGA_LITE)

    assert (
        made["config"]["locale"]["number"]
        == made["usermeta"]["embedOptions"]["formatLocale"]
        == locale.d3()["number"]
    )
    assert (
        locale.number(1000.0, 0) in re.findall(r">([^<]+)</text>", drawn)
        and locale.number(1000.0, 0) != "1,000"
    )


def test_an_address_that_is_not_known_is_not_cited() -> None:
    """Nor is a day on which it was read."""
    assert (
        not {"url", "urldate"}
        & cited("tpuv2-v100-target", "")["touchstone-tpuv2-v100-target"].keys()
    )


@pytest.mark.parametrize(
    "text",
    [
        "@misc{a,\n  title = {x\n}\n",
        "@misc{a,\n  title = {50 % of it}\n}\n",
        "@misc{a b,\n  title = {x}\n}\n",
        "@misc{a,\n  year = {1},\n  year = {2}\n}\n",
    ],
)
def test_the_reader_of_bibtex_is_strict(text: str) -> None:
    """A brace that does not close, a sign that LaTeX takes for its own, a key with a space, a field
    twice.
    """
    with pytest.raises(BibtexError):
        parse(text)


def answer(
    id_: str, locale: Locale, picture: bytes = PICTURE, base: str = BASE
) -> dict[str, object]:
    """The oEmbed answer of a chart."""
    found: dict[str, object] = json.loads(
        downloads.oembed(recorded.drawn()[id_], locale, picture, "Touchstone", base)
    )
    return found


@pytest.mark.parametrize("id_", CHARTS)
@pytest.mark.parametrize(
    "locale", [recorded.english(), recorded.foreign()], ids=lambda locale: locale.code
)
def test_oembed_is_as_its_specification_wants_it(id_: str, locale: Locale) -> None:
    """Type rich with whole sizes and a thumbnail; the frame lazy, named, in a sandbox."""
    said = answer(id_, locale)

    assert (said["type"], said["version"], said["provider_name"], said["provider_url"]) == (
        "rich",
        "1.0",
        "Touchstone",
        BASE,
    )
    assert all(
        isinstance(said[name], int)
        for name in ("width", "height", "thumbnail_width", "thumbnail_height", "cache_age")
    )
    assert said["thumbnail_url"] == f"{BASE}c/{id_}/{locale.code}-card.png"
    [(tag, frame)] = elements(str(said["html"]))
    assert (tag, frame["src"], frame["title"]) == (
        "iframe",
        f"{BASE}c/{id_}/embed.html?lang={locale.code}",
        said["title"],
    )
    assert frame["frameborder"] == "0"  # styles are not kept everywhere
    assert frame["loading"] == "lazy" and frame["height"] == str(said["height"])
    assert {"allow-scripts", "allow-popups"} <= set(
        str(frame["sandbox"]).split()
    ) and "allow-same-origin" not in str(frame["sandbox"])


def test_a_frame_grows_with_its_picture_and_its_words() -> None:
    """A picture higher by some px makes it higher by as many; so do longer words."""
    figure, english = recorded.drawn()["tpuv2-v100-throughput"], recorded.english()
    longer = {
        key: f"{text} {'word ' * 40}" if isinstance(text, str) else text
        for key, text in english.strings.items()
    }
    wordy = replace(english, strings=longer)

    plain, high, long = (
        size.embed_size(figure, locale, picture)[1]
        for locale, picture in (
            (english, PICTURE),
            (english, PICTURE.replace(b"340", b"540")),
            (wordy, PICTURE),
        )
    )

    assert high == plain + 200
    assert long > plain


SUMMED = "digits-cnn-steps"
"""A chart whose table on the page has a row a phase, and whose marks are steps."""


def test_a_summed_up_chart_has_its_table_as_files() -> None:
    """The page's columns at full precision, source, terms and references."""
    made = downloads.tables(recorded.drawn()[SUMMED])

    head, *rows = made["table.csv"].decode().splitlines()
    assert (
        head == "series_label,batch,phase,steps,low,mid,high,run_id,source,licence,credit,batch_ref"
    )
    assert rows[2] == (
        "Example CPU · "
        "PyTorch,32,measure,3,0.01,0.01,0.01,digits-cnn-example,measured,CC-BY-4.0,Touchstone,"
        "run:digits-cnn-example:global_batch_size"
    )
    frame = pd.read_parquet(io.BytesIO(made["table.parquet"]))
    assert ",".join(frame.columns) == head
    assert frame["mid"].to_list() == [0.5, 0.02, 0.01] and frame["steps"].to_list() == [1, 1, 3]


ADDRESSES = ("csv", "parquet", "table_csv", "table_parquet")


@pytest.mark.parametrize("id_", CHARTS)
def test_a_table_stands_beside_every_row(id_: str) -> None:
    """It sums them up, with its own columns in `meta.json`, or is the same and has none there."""
    figure = recorded.drawn()[id_]
    made = downloads.tables(figure)
    told = json.loads(downloads.meta(figure, [recorded.english()], BASE, DAY))

    assert [told[name].removeprefix(f"{BASE}c/{id_}/") for name in ADDRESSES] == sorted(made)
    same = made["table.parquet"] == made["data.parquet"]
    assert same == (made["table.csv"] == gzip.decompress(made["data.csv.gz"]))
    assert same == (figure.digest is None)
    if figure.digest is None:
        assert told["table_rows"] is told["table_columns"] is None
    else:
        assert told["table_rows"] == len(figure.digest.table)
        assert {"name": "low", "unit": "s", "meaning": {"en": "Lowest"}} in told["table_columns"]


def test_a_mixed_table_says_the_unit_of_each_row() -> None:
    """Where quantities stand below each other, the unit is a column."""
    figure = recorded.drawn()[SUMMED]
    assert figure.digest is not None
    mixed = replace(
        figure,
        columns=(*figure.columns, Column("unit", "column.unit", shown=False)),
        digest=replace(figure.digest, table=figure.digest.table.assign(unit="GB")),
    )

    frame = pd.read_parquet(io.BytesIO(downloads.tables(mixed)["table.parquet"]))

    assert frame["unit"].to_list() == ["GB", "GB", "GB"]


def test_the_page_leads_to_both_tables() -> None:
    """Of a summed-up chart data and table, told apart by name; others have one."""
    english = recorded.english()
    below = markup.links(recorded.drawn()[SUMMED], english, "../", "", "x/")
    both, one = markup.files(english, "x/", summed=True), markup.files(english, "x/")

    assert (
        '<a href="x/table.csv">Table (CSV)</a>' in both
        and '<a href="x/data.csv.gz">Chart data (CSV, gzip)</a>' in both
    )
    assert (
        '<a href="x/table.parquet">Table (Parquet)</a>' in both
        and '<a href="x/data.parquet">Chart data (Parquet)</a>' in both
    )
    assert (
        '<a href="x/table.csv">Table (CSV)</a>' in below
        and '<a href="x/data.csv.gz">Chart data (CSV, gzip)</a>' in below
    )
    assert "data." not in one and '<a href="x/table.csv">CSV</a>' in one
