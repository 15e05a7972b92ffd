"""Text of a stranger's record is text wherever it stands: it makes no element, no attribute and no link that runs."""

import dataclasses
import json
from datetime import UTC, date, datetime
from enum import StrEnum
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import build
from kernels import keys, store, texts
from kernels.checks import Severity, check
from kernels.records import Cell, Claim, Metric, Origin, Price, Rate, Recording, Review, Run, Source, Tariff, Withdrawal
from kernels.schema import TABLES, Column
from site_src.addresses import away, unsafe

HOSTILE = (
    "javascript:alert(1)//\"><img src=x onerror=alert(1)><script>alert(1)</script>' onmouseover='alert(1)' ]]></style></title>"
    "</textarea><svg/onload=alert(1)> {{7*7}} ${7*7} [x](javascript:alert(1)) <!-- --> `x` &lt;b&gt; \\u003cb"
)
HARMLESS = "x" * len(escape(HOSTILE))
ADDRESS = "https://example.org/?q=javascript:alert(1)&lt=%22onclick%3D"


def filled(kind: type, columns: tuple[Column, ...], text: str, **given: Any) -> Any:
    """A record of which every text is this one, unless it is given or must be a key or an address: a new field is covered by itself."""
    made: dict[str, Any] = {}
    for column in columns:
        if column.name in given:
            made[column.name] = given[column.name]
        elif column.columns:
            one = filled(column.kind, column.columns, text, **_OF.get(column.kind.__name__, {}))
            made[column.name] = (one,) if column.many else one
        elif column.kind is str:
            group = keys._FIELDS.get(kind.__name__, {}).get(column.name)
            word = min(keys.known()[group]) if group else ADDRESS if column.name in {"implementation_url", "url", "code"} else text
            made[column.name] = (word,) if column.many else word
        elif issubclass(column.kind, StrEnum):
            made[column.name] = next(iter(column.kind))
        else:
            made[column.name] = _NUMBERS[column.kind] if column.required else None
    return kind(**made)


_NUMBERS: dict[type, Any] = {int: 1, float: 0.5, bool: True, date: date(2026, 1, 2), datetime: datetime(2026, 1, 2, tzinfo=UTC)}
_OF: dict[str, dict[str, Any]] = {
    "Metric": {"unit": "1", "low": None, "high": None, "interval": None, "target": None, "value": 0.5},
    "Doubt": {"code": "few_steps"},
    "Evaluation": {"metric": "top1", "epoch": 1.0},
    "Target": {"metric": "top1"},
}


_GIVEN: dict[type, dict[str, Any]] = {
    Claim: {"formula": "none", "inputs": (), "unit": "1", "printed": 1.0},
    Cell: {"table": min(keys.known()["table"]), "unit": "1"},
    Price: {"system": "a-machine", "amount": 1.0, "currency": "USD", "hardware": "t4", "note": None, "accelerators": 1},
    Rate: {"base": "USD", "quote": "EUR"},
    Recording: {"run_id": "one", "offset_s": 0.0, "metrics": ()},
    Review: {},
    Tariff: {"tariff_id": "a-tariff", "currency": "EUR", "note": None},
    Withdrawal: {"run_id": "three"},
}
"""What those other records are given, beside their source, so that pages tell of them."""

_NAMES = {"claim_id": "a-claim", "price_id": "a-price", "source": "a-source", "licence": "CC0-1.0"}


def archive(text: str, folder: Path) -> Path:
    """Recorded runs, their source and a record of each other kind, full of the text."""
    runs, sources = TABLES[Run].columns, TABLES[Source].columns
    throughput = Metric("throughput_samples_per_s", 10.0, "samples/s")
    given = {
        "workload": "digits-cnn",
        "system": "a-machine",
        "accelerator": None,
        "withdrawn": None,
        "licence": "CC0-1.0",
        "recordings": (),
    }
    for name, origin, source in (
        ("one", Origin.PUBLISHED, "a-source"),
        ("two", Origin.MEASURED, "measured"),
        ("three", Origin.IMPORTED, "a-source"),
    ):
        own = filled(Run, runs, text, run_id=name, origin=origin, source=source, **given)
        watched = () if name == _GIVEN[Recording]["run_id"] else own.telemetry
        own = dataclasses.replace(own, metrics=(throughput, *own.metrics), doubts=(), telemetry=watched)
        store.write(folder / str(origin) / f"{name}.parquet", [own])
    about = filled(Source, sources, text, source="a-source", licence="CC0-1.0", modified=None)
    store.write(folder / "published" / "a-source-sources.parquet", [about])
    for record, own in _GIVEN.items():
        columns = TABLES[record].columns
        named = {name: word for name, word in _NAMES.items() if name in {column.name for column in columns}}
        store.write(folder / "published" / f"a-source-{TABLES[record].name}.parquet", [filled(record, columns, text, **(named | own))])
    return folder


class Elements(HTMLParser):
    """Every element with the names of its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[tuple[str, frozenset[str]]] = set()
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note it."""
        self.found.add((tag, frozenset(name for name, _ in attrs)))


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A site of hostile text, and one of harmless text that is as long."""
    made = []
    for name, text in (("hostile", HOSTILE), ("harmless", HARMLESS)):
        folder = tmp_path_factory.mktemp(name)
        runs = archive(text, folder / "runs")
        assert not [found for found in check(store.read(runs)) if found.severity is Severity.ERROR and "unknown" not in found.text]
        place = ["--runs", str(runs), "--out", str(folder / "site"), "--lang", "en", "--date", "2026-11-20"]
        assert build.main([*place, "--draft", "--runtime", "full"]) == 0
        made.append(folder / "site")
    return made[0], made[1]


def test_pages_have_no_element_and_no_attribute_more(sites: tuple[Path, Path]) -> None:
    """Pages, frames and feeds are made of the same elements with the same attributes, and no link runs anything."""
    hostile, harmless = sites
    pages = sorted(path.relative_to(hostile) for path in hostile.rglob("*.html"))

    assert len(pages) > 10
    for page in pages:
        text = (hostile / page).read_text("utf-8")
        found, plain = Elements(text).found, Elements((harmless / page).read_text("utf-8")).found
        assert found <= plain, f"{page}: {found - plain}"
        assert not [*unsafe(text)], page
        assert not [name for _, names in found for name in names if name.startswith("on")], page


def test_pictures_feeds_and_data_are_whole(sites: tuple[Path, Path]) -> None:
    """SVG and Atom parse and have nothing that runs; each JSON file parses."""
    hostile, _ = sites
    for path in [*hostile.rglob("*.svg"), *hostile.rglob("*.xml")]:
        for element in ElementTree.parse(path).iter():  # noqa: S314 - files of the build above
            assert str(element.tag).rpartition("}")[2] not in {"script", "foreignObject"}, path
            assert not [name for name in element.attrib if name.startswith("on")], path
            assert not [value for name, value in element.attrib.items() if name.endswith("href") and "script:" in value[:12]], path
    for path in hostile.rglob("*.json"):
        json.loads(path.read_text("utf-8"))
    assert HOSTILE in json.dumps(json.loads((hostile / "api" / "v1" / "runs.json").read_text("utf-8")), ensure_ascii=False).replace(
        '\\"', '"'
    ).replace("\\\\", "\\")


def test_scripts_hold_no_end_of_themselves(sites: tuple[Path, Path]) -> None:
    """What a page's scripts and the search's index say cannot close their element."""
    hostile, _ = sites
    for path in hostile.rglob("*.html"):
        for part in path.read_text("utf-8").split("<script")[1:]:
            assert "alert(1)</script" not in part.partition("</script>")[0], path


def test_every_text_of_a_record_is_filled() -> None:
    """The archive above has every kind of record, and leaves no text of a run out but those that are given."""
    assert {*_GIVEN, Run, Source} == {*TABLES}
    run = filled(Run, TABLES[Run].columns, HOSTILE, run_id="a", source="a", workload="a", system="a", accelerator=None)

    texts_ = [column.name for column in TABLES[Run].columns if column.kind is str and getattr(run, column.name) == HOSTILE]
    assert {"credit", "licence", "locator", "status_detail", "framework", "submitter"} <= set(texts_)
    assert not [*texts.faults(run)]


@pytest.mark.parametrize(
    "html",
    [
        '<a href="javascript:x">',
        "<a href='data:text/html,x'>",
        "<a\nHREF=vbscript:x>",
        '<a href="java&#x09;script:x">',
        '<img src=" javascript:x">',
    ],
)
def test_a_link_that_runs_is_found(html: str) -> None:
    """As a browser reads it: with entities, blanks, and in any case of letters."""
    assert [*unsafe(html)]


@pytest.mark.parametrize(
    "html",
    ['<a href="https://a.org/?q=javascript:x">', '<a href="../a/#b:c">', '<a href="#x">', '<link href="data:,">', '<a href="?a=b:c">'],
)
def test_a_link_that_leads_to_a_page_is_not(html: str) -> None:
    """Addresses of the web, of the site, and of the page itself."""
    assert not [*unsafe(html)]


def test_what_is_no_address_is_shown_and_leads_nowhere() -> None:
    """A link from a record whose address slipped through is its text."""
    assert str(away("javascript:x", "here")) == "here"
    assert str(away("https://a.org/?a&b")) == '<a href="https://a.org/?a&amp;b" rel="external">https://a.org/?a&amp;b</a>'
