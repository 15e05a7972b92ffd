"""Text of a stranger's record is text wherever it stands: it makes no element, no attribute and no
link that runs.
"""

import dataclasses
import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import partial
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from kernels import catalog, store
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.checks import keys
from kernels.checks.records import check
from kernels.errors import RecordError, Severity, StoreError
from kernels.records import (
    Certainty,
    Hardware,
    Hardwares,
    Metric,
    Origin,
    PrintedCell,
    Recording,
    Run,
    ServerKind,
    Spec,
    System,
)
from kernels.store import schema
from kernels.store.schema import TABLES, Column
from site_src.addresses import ledger
from site_src.build.output import OutputError, writing
from site_src.charts import embed
from site_src.cli.building import build
from site_src.cli.inputs import Order, read
from site_src.links import away, unsafe
from site_src.model import BuildOptions
from site_src.reports import prose
from tests.site_src.reading import elements

HOSTILE = (
    "javascript:alert(1)//\"><img src=x onerror=alert(1)><script>alert(1)</script>' "
    "onmouseover='alert(1)' ]]></style></title>"
    "</textarea><svg/onload=alert(1)> {{7*7}} ${7*7} [x](javascript:alert(1)) <!-- --> `x` "
    "&lt;b&gt; \\u003cb"
)
HARMLESS = "x" * (len(escape(HOSTILE)) - 1) + "X"
ADDRESS = "https://example.org/?q=javascript:alert(1)&lt=%22onclick%3D"


_NO_REFERENCE = dict.fromkeys(map(ord, ",:()"), ".")
"""What no name of a row or column has (`keys`): all else of the text stays."""


def filled(kind: type, columns: tuple[Column, ...], text: str, **given: Any) -> Any:
    """A record of which every text is this one, unless it is given or must be a key or an address:
    a new field is covered by itself.
    """
    made: dict[str, Any] = {}
    given = _GIVEN.get(kind.__name__, {}) | given
    for column in columns:
        if kind is PrintedCell and column.name in {"row", "column"}:
            made[column.name] = text.translate(_NO_REFERENCE)
        elif column.name in given:
            made[column.name] = given[column.name]
        elif column.columns:
            one = filled(column.kind, column.columns, text)
            made[column.name] = (one,) if column.many else one
        elif column.kind is str:
            group = keys.groups(kind).get(column.name)
            word = (
                min(keys.known()[group])
                if group
                else ADDRESS
                if column.name in {"implementation_url", "url", "code"}
                else text
            )
            made[column.name] = (word,) if column.many else word
        elif issubclass(column.kind, StrEnum):
            made[column.name] = next(iter(column.kind))
        else:
            made[column.name] = _NUMBERS[column.kind] if column.required else None
    return kind(**made)


_NUMBERS: dict[type, Any] = {
    int: 1,
    float: 0.5,
    bool: True,
    date: date(2026, 1, 2),
    datetime: datetime(2026, 1, 2, tzinfo=UTC),
}
_GIVEN: dict[str, dict[str, Any]] = {
    "Metric": {"unit": "1", "low": None, "high": None, "interval": None, "target": None, "value": 0.5},
    "RunWarning": {"code": "few_steps"},
    "Evaluation": {"metric": "top1", "epoch": 1.0},
    "Target": {"metric": "top1"},
    "Run": {
        "workload": "digits-cnn", "system": "a-machine", "accelerator": None, "withdrawn": None, "licence": "CC0-1.0", "telemetry": (),
    },
    "Source": {"source": "a-source", "licence": "CC0-1.0", "modified": None},
    "Claim": {
        "claim_id": "a-claim", "source": "a-source", "unit": "1", "formula": "none", "printed": 0.5, "printed_low": None, "order": False,
    },
    "Review": {"source": "a-source"},
    "PrintedCell": {"source": "a-source", "unit": None, "decimals": None},
    "Price": {
        "price_id": "a-price", "source": "a-source", "system": "a-machine", "currency": "USD", "licence": "CC0-1.0", "note": None,
        "workload": None, "hardware": None, "valid_to": None,
    },
    "Rate": {"base": "XXX", "quote": "EUR", "source": "a-source", "licence": "CC0-1.0"},
    "Tariff": {"tariff_id": "a-tariff", "currency": "USD", "source": "a-source", "licence": "CC0-1.0", "valid_to": None},
    "Withdrawal": {"run_id": "gone"},
    "Recording": {"run_id": "three", "source": "a-source", "licence": "CC0-1.0", "offset_s": 0.0},
}  # fmt: skip
"""Fields that must be something else than any text: each is refused with hostile text, or leads to
another record.
"""


BY_HAND = frozenset(
    {
        "Run.licence",
        "Source.licence",
        "Price.licence",
        "Rate.licence",
        "Tariff.licence",
        "Recording.licence",
        "Run.withdrawn",
    }
    | {
        "Price.note",
        "Price.workload",
        "Price.hardware",
        "Metric.unit",
        "Evaluation.metric",
        "Target.metric",
        "RunWarning.code",
        "PrintedCell.unit",
    }
)
"""Texts that are given above: terms decide what is published at all, a withdrawal's reason comes
from its own table.
"""


def archive(text: str, folder: Path) -> Path:
    """Records of every kind, full of the text."""
    throughput = Metric("throughput_samples_per_s", 10.0, "samples/s")
    for name, origin, source in (
        ("one", Origin.PUBLISHED, "a-source"),
        ("two", Origin.MEASURED, "measured"),
        ("three", Origin.IMPORTED, "a-source"),
        ("gone", Origin.IMPORTED, "a-source"),
    ):
        own = filled(Run, TABLES[Run].columns, text, run_id=name, origin=origin, source=source)
        store.write(
            folder / str(origin) / f"{name}.parquet",
            [dataclasses.replace(own, metrics=(throughput, *own.metrics), doubts=())],
        )
    for kind, table in TABLES.items():
        if kind is not Run:
            one = filled(kind, table.columns, text)
            if isinstance(one, Recording):
                one = dataclasses.replace(
                    one, metrics=(Metric("monitored_mean_power_w", 1.0, "W", locator=text),)
                )
            store.write(folder / "published" / f"a-source-{table.name}.parquet", [one])
    (folder / ledger.NAME).write_text(
        f"{','.join(ledger.COLUMNS)}\nchart,old-name,,2026-11-01,a-source-convergence,\n", "utf-8"
    )
    return folder


def known(text: str, there: Catalog) -> Catalog:
    """The catalogue with a machine, its accelerator and their figures in such words."""
    chip = Hardware("a-chip", text, text, Hardwares.GPU, text, text, (text,))
    system = System(
        "a-machine",
        text,
        "a-chip",
        1,
        1,
        ServerKind.OWNED,
        text,
        text,
        text,
        text,
        1,
        1e9,
        1,
        text,
        "a-source",
        text,
        None,
        (),
    )
    spec = Spec("a-chip", "memory", 1e9, "byte", Certainty.STATED, None, "a-source", text, text)
    work = dataclasses.replace(
        there.workloads["digits-cnn"],
        name=text,
        dataset=text,
        input_shape=text,
        references=(ADDRESS,),
    )
    return dataclasses.replace(
        there,
        hardware={**there.hardware, "a-chip": chip},
        systems={**there.systems, "a-machine": system},
        specs=(*there.specs, spec),
        workloads={**there.workloads, "digits-cnn": work},
    )


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> tuple[Path, Path]:
    """A site of hostile text, and one of harmless text that is as long."""
    made = []
    for name, text in (("hostile", HOSTILE), ("harmless", HARMLESS)):
        folder = tmp_path_factory.mktemp(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(catalog, "load", partial(known, text, catalog.load()))
            runs = archive(text, folder / "runs")
            assert not [
                found for found in check(store.read(runs)) if found.severity is Severity.ERROR
            ]
            options = BuildOptions(
                built=date(2026, 11, 20), base_url="https://example.org/", out=folder / "site", cache=repository / ".cache",
                config=repository / "mkdocs.yml", runtime="full", draft=True,
            )  # fmt: skip
            order = Order(runs, ("en",), options)
            build(order, read(order))
        made.append(folder / "site")
    return made[0], made[1]


def test_pages_have_no_element_and_no_attribute_more(sites: tuple[Path, Path]) -> None:
    """Pages, frames and feeds are made of the same elements with the same attributes, and no link
    runs anything.
    """
    hostile, harmless = sites
    pages = sorted(path.relative_to(hostile) for path in hostile.rglob("*.html"))

    assert len(pages) > 10
    for page in pages:
        text = (hostile / page).read_text("utf-8")
        found, plain = (
            {(tag, frozenset(given)) for tag, given in elements(html)}
            for html in (text, (harmless / page).read_text("utf-8"))
        )
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
            assert not [
                value
                for name, value in element.attrib.items()
                if name.endswith("href") and "script:" in value[:12]
            ], path
    for path in hostile.rglob("*.json"):
        json.loads(path.read_text("utf-8"))
    assert HOSTILE in json.dumps(
        json.loads(gzip.decompress((hostile / "api/v1/runs.json.gz").read_bytes())),
        ensure_ascii=False,
    ).replace('\\"', '"').replace("\\\\", "\\")


def test_scripts_hold_no_end_of_themselves(sites: tuple[Path, Path]) -> None:
    """What a page's scripts, frames and linked data say cannot close their element, nor end a line
    of a program; data among it parses.
    """
    hostile, harmless = sites
    kinds = set()
    for path in sorted(hostile.rglob("*.html")):
        text = path.read_text("utf-8")
        assert text.count("</script") == (harmless / path.relative_to(hostile)).read_text(
            "utf-8"
        ).count("</script"), path
        for kind, script in re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL):
            assert not set("\u2028\u2029") & set(script), path
            if "json" in kind:
                kinds.add(kind)
                json.loads(script)
    assert kinds
    for path in sorted(hostile.rglob("data.*.js")):
        text = path.read_text("ascii")
        json.loads(text.removeprefix(embed.DATA).removesuffix(";\n"))


_URL = re.compile(r"""<[^>]*?\b(?:style|fill|clip-path|mask)=["'][^"'>]*?url\(["']?([^)"']*)""")


def test_nothing_in_a_style_leads_away(sites: tuple[Path, Path]) -> None:
    """Each `url()` in an attribute of a page or picture leads to a part of the same file."""
    hostile, _ = sites
    found = {
        (path, address)
        for kind in ("html", "svg")
        for path in hostile.rglob(f"*.{kind}")
        for address in _URL.findall(path.read_text())
    }

    assert not [each for each in found if not each[1].startswith("#")]


def test_every_kind_of_page_is_there(sites: tuple[Path, Path]) -> None:
    """Pages, frames, moved pages and feeds are among what was looked at."""
    hostile, _ = sites
    for name in (
        "en/index.html",
        "c/a-source-convergence/embed.html",
        "c/old-name/embed.html",
        "en/c/old-name/index.html",
        "feed.en.xml",
    ):
        assert (hostile / name).is_file(), name


def _texts(kind: type, columns: tuple[Column, ...]) -> Iterator[tuple[type, str]]:
    for column in columns:
        if column.columns:
            yield from _texts(column.kind, column.columns)
        elif column.kind is str:
            yield kind, column.name


TEXTS = sorted(
    {found for kind, table in TABLES.items() for found in _texts(kind, table.columns)}, key=str
)


@pytest.mark.parametrize(
    ("kind", "field"), TEXTS, ids=[f"{kind.__name__}.{field}" for kind, field in TEXTS]
)
def test_every_text_is_built_or_refused(kind: type, field: str, tmp_path: Path) -> None:
    """Each field of each record kind that takes texts is full of the hostile one above, is refused
    with it, or was decided on here.
    """
    columns = TABLES[kind].columns if kind in TABLES else schema._columns(kind)
    record = filled(
        kind, columns, HOSTILE, **({"run_id": "a", "source": "a"} if kind is Run else {})
    )
    value = getattr(record, field)

    if value in {HOSTILE, (HOSTILE,)} or f"{kind.__name__}.{field}" in BY_HAND:
        return
    try:
        other = dataclasses.replace(
            record, **{field: (HOSTILE,) if isinstance(value, tuple) else HOSTILE}
        )
        if kind in TABLES:
            store.write(tmp_path / "a.parquet", [other])
    except (RecordError, StoreError):
        return
    there = store.read(tmp_path)
    found = check(there) + Facts(there, catalog.load()).check()
    assert [*keys.faults(other)] or any(
        HOSTILE[:20] in one.text for one in found if one.severity is Severity.ERROR
    ), "taken, and not built"


RUNNING = [
    '<a href="javascript:x">',
    "<a href='data:text/html,x'>",
    "<a\nHREF=vbscript:x>",
    '<a href="java&#x09;script:x">',
    '<img src=" javascript:x">',
    '<a title="a"href="javascript:x">',
    '<svg><a xlink:href="javascript:x"></a></svg>',
]


@pytest.mark.parametrize("html", RUNNING)
def test_a_link_that_runs_is_found(html: str) -> None:
    """As a browser reads it: with entities, blanks, and in any case of letters."""
    assert [*unsafe(html)]


@pytest.mark.parametrize(
    "html",
    [
        '<a href="https://a.org/?q=javascript:x">',
        '<a href="../a/#b:c">',
        '<a href="#x">',
        '<link href="data:,">',
        '<a href="?a=b:c">',
        "<p>an address such as href=javascript:x or src=data:x</p>",
        '<p title="that of href=javascript:x">',
        "<script>const text = 'href=javascript:x'</script>",
    ],
)
def test_a_link_that_leads_to_a_page_is_not(html: str) -> None:
    """Addresses of the web, of the site, and of the page itself; and what is text, which leads
    nowhere.
    """
    assert not [*unsafe(html)]


@pytest.mark.parametrize(
    "name",
    [
        "c/a/embed.html",
        "ru/c/a/index.html",
        "c/a/en.svg",
        "feed.en.xml",
        "c/old/index.html",
        "404.html",
    ],
)
@pytest.mark.parametrize("html", RUNNING)
def test_no_file_with_a_link_that_runs_is_written(name: str, html: str, tmp_path: Path) -> None:
    """Pages, frames, pictures, feeds, moved and retired files all go through one door, which names
    the file.
    """
    text = escape(html) if name.endswith(".xml") else html
    with (
        pytest.raises(OutputError, match=f"{name}: .*wanted an address"),
        writing(tmp_path / "site") as stage,
    ):
        stage.put(name, text.encode())

    assert not (tmp_path / "site").exists()


def test_linked_data_leads_to_pages() -> None:
    """An address in JSON-LD is one of the web; a title may begin with any word."""
    data = (
        '<script type="application/ld+json">{"name": "javascript: a title", "url": "%s"}</script>'
    )

    assert not [*unsafe(data % "https://a.org/")]
    assert [*unsafe(data % "javascript:x")] == ["an address in linked data, 'javascript:x',"]


@pytest.mark.parametrize(
    "line",
    [
        "[a](javascript:x)",
        "![a]( <data:image/svg+xml,x>)",
        "[a]: vbscript:x",
        '<a href="javascript:x">a</a>',
    ],
)
def test_a_text_of_a_language_links_to_pages(line: str, tmp_path: Path) -> None:
    """A link that runs in a report's text is named with its file and line before anything is
    built.
    """
    (tmp_path / "names.txt").write_text("")
    (tmp_path / "en").mkdir()
    path = tmp_path / "en" / "a.md"
    path.write_text(
        f"# A\n\nText with {{{{ url('a/') }}}}, [a page](../a/), [another](https://a.org/) and a "
        f"colon: x.\n\n{line}\n"
    )

    assert [found.partition(": ")[0] for found in prose.lint(tmp_path)] == [f"{path}:5"]


def test_what_is_no_address_is_shown_and_leads_nowhere() -> None:
    """A link from a record whose address slipped through is its text."""
    assert str(away("javascript:x", "here")) == "here"
    assert (
        str(away("https://a.org/?a&b"))
        == '<a href="https://a.org/?a&amp;b" rel="external">https://a.org/?a&amp;b</a>'
    )
