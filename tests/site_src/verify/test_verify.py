import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from kernels.catalog import Catalog
from kernels.records import Claim, Metric, Origin
from kernels.store import Archive, Problem
from kernels.store.frames import frame_bytes
from site_src import build
from site_src.build import sitemap
from site_src.evidence import Evidence
from site_src.model import Asset
from site_src.verify import verify
from site_src.verify.downloads import _records
from site_src.verify.html import css, read
from tests.makers import make_run
from tests.site_src.build import small_site
from tests.site_src.build.small_site import ARABIC, ENGLISH

LOCALES = (ENGLISH, ARABIC)

RUN = make_run(
    "a-run",
    origin=Origin.PUBLISHED,
    source="a",
    credit="A",
    workload="resnet50",
    system="tpu",
    metrics=(Metric("throughput_images_per_s", 3186.0, "images/s"),),
)
ARCHIVE = Archive(runs=(RUN,))
CATALOG = Catalog(hardware={}, systems={}, prices={}, rates={}, tariffs={}, workloads={}, specs=())


def api(value: float) -> Asset:
    """The API's file of runs."""
    metric = {"value": value, "low": None, "high": None, "unit": "images/s", "n": None}
    table = {
        "schema_version": "1.0",
        "records": [{"run_id": "a-run", "metrics": {"throughput_images_per_s": metric}}],
    }
    return Asset("api/v1/runs.json.gz", gzip.compress(json.dumps(table).encode()))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A written site in which nothing is wrong."""
    pages = [
        replace(page, description=page.description.replace("3186", "3,186"))
        for locale in LOCALES
        for page in small_site.pages(locale.code)
    ]
    assets = [
        api(3186.0),
        Asset("c/a-speed/data.csv", b"system,speed\nTPU,3186.0\nGPU,\n"),
        Asset("c/a-speed/data.parquet", frame_bytes(_frame(), "figure", {})),
        Asset(
            "c/a-speed/spec.en.json",
            json.dumps({"data": {"values": [{"system": "TPU", "speed": 3186}]}}).encode(),
        ),
        *(Asset(f"feed.{locale.code}.xml", b"<feed/>") for locale in LOCALES),
        *(
            Asset(name, b'{"schema_version": "1.0", "records": []}')
            for name, _ in sitemap.MACHINES
            if name != "api/v1/runs.json.gz"
        ),
    ]
    options = small_site.options(tmp_path_factory.mktemp("written"))
    build.render(
        small_site.jobs(pages),
        {"assets": lambda: assets},
        {locale.code: small_site.nav(locale.code) for locale in LOCALES},
        LOCALES,
        options,
    )
    return options.out


@pytest.fixture
def site(written: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may spoil."""
    return shutil.copytree(written, tmp_path / "site")


def _frame() -> pd.DataFrame:
    return pd.DataFrame({"system": ["TPU", "GPU"], "speed": [3186.0, None]})


def faults(site: Path, archive: Archive = ARCHIVE) -> list[str]:
    """What `verify` says of the site."""
    return [str(failure) for failure in verify(site, Evidence(archive, CATALOG), LOCALES)]


def test_a_site_as_built_passes(site: Path) -> None:
    """Every check holds on what was just rendered."""
    assert faults(site) == []


def test_scores_and_claims_of_the_api_are_held_too(site: Path) -> None:
    """A claim that is not recorded is named, as is another figure than the recorded one."""
    claim = Claim("a-sum", "a", "table 1", "sum", "1", "sum", ("number:1", "number:2"), printed=3.0)
    archive = replace(ARCHIVE, claims=(claim,))
    (site / "api/v1/claims.json").write_text(
        json.dumps(
            {
                "schema_version": "1.0",
                "records": [{"id": "a-sum", "printed": 3.0, "recomputed": 4.0}, {"id": "gone"}],
            }
        )
    )

    found = "\n".join(fault for fault in faults(site, archive) if "claims.json" in fault)

    assert "claim:a-sum:recomputed is 4.0" in found
    assert "claim:a-sum:printed" not in found
    assert "gone" in found


REPORT = "en/reports/a/index.html"
OF_A = '<a href="a/index.html">'


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        (REPORT, 'value="3186.0"', 'value="3187.0"', "the page has 3187.0, the records 3186.0"),
        (REPORT, ">3,186<", ">3,168<", "the text '3,168' is not 3186.0 as en writes it"),
        (REPORT, "number:3186", "run:nobody:throughput_images_per_s", "no run 'nobody'"),
        (
            REPORT,
            'value="3186.0" data-ref="number:3186"',
            'value="3"',
            "figure without reference: the text '3,186' is not 3.0",
        ),
        (
            "ar-XB/reports/a/index.html",
            '<data value="3186.0" data-ref="number:3186">3,186</data>',
            "",
            "figures differ from en",
        ),
        (
            REPORT,
            'name="description" content="It says &quot;3,186',
            'name="description" content="It says &quot;3,168',
            "the figure '3,168' in the desc",
        ),
        (
            REPORT,
            "<p>low</p>",
            "<p>low, 12.5 of them</p>",
            "the figure '12.5' in 'low, 12.5 of them' stands outside <data>",
        ),
        (REPORT, 'id="cost"', 'id="speed"', "ids stand twice: speed"),
        (REPORT, "</article>", "</section></article>", "tags do not match: /section"),
        (
            "en/index.html",
            "#speed",
            "#spead",
            "#spead, which en/reports/a/index.html does not have",
        ),
        (
            "en/reports/index.html",
            OF_A,
            '<a href="a/">',
            "which opened from a disk is a list of files; write a/index.html",
        ),
        (
            "en/reports/index.html",
            OF_A,
            '<a href="b/index.html">',
            "leads to en/reports/b/index.html, which is not there",
        ),
        ("en/reports/index.html", OF_A, '<a href="a">', "names a folder"),
        ("en/reports/index.html", OF_A, '<a href="/en/reports/a/">', "begins at the host's root"),
        (
            REPORT,
            "</article>",
            '<img src="https://example.org/x.png"></article>',
            "from another host",
        ),
        (
            REPORT,
            "</article>",
            "<style>@import '//example.org/x.css';</style></article>",
            "from another host",
        ),
        (REPORT, "</article>", '<img src="x.png"></article>', "x.png, which is not there"),
        (
            REPORT,
            "</head>",
            '<meta property="og:image" content="https://example.org/x.png"></head>',
            "the address https://example.org/x.png is not below the site's own",
        ),
        (REPORT, '<html lang="en"', '<html lang="ja"', "<html lang> is 'ja', wanted 'en'"),
        ("search/en.js", "reports/a/\\t", "reports/z/\\t", "leads to en/reports/z/"),
        ("search/en.js", "A < B\\t\\t", "A < B\\t7 min\\t", "says '7 min' of en/reports/a/"),
        ("c/a-speed/spec.en.json", "3186", "3187", "draws speed = 3187"),
        ("api/v1/runs.json.gz", "3186.0", "3186.5", "value is 3186.5, recorded is 3186.0"),
        ("api/v1/runs.json.gz", "3186.0", "NaN", "NaN is no JSON number"),
        ("api/v1/runs.json.gz", "}", "", "is no table of the API"),
    ],
)
def test_each_fault_is_found_and_named(
    site: Path, file: str, old: str, new: str, fault: str
) -> None:
    """One thing changed in one written file, and the message names the file and both sides."""
    content = (site / file).read_bytes()
    packed = file.endswith(".gz")
    text = gzip.decompress(content) if packed else content
    assert old.encode() in text
    text = text.replace(old.encode(), new.encode(), 1)
    (site / file).write_bytes(gzip.compress(text) if packed else text)

    found = faults(site)

    assert any(fault in each for each in found), found
    assert any(each.startswith(file) for each in found)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            lambda site: (site / REPORT).unlink(),
            "en/reports/a/index.html: is missing; ar-XB has this page",
        ),
        (
            lambda site: (site / "api/v1/runs.json.gz").write_bytes(
                gzip.compress(b'{"schema_version": "1.0", "records": []}')
            ),
            "run a-run is only recorded",
        ),
        (
            lambda site: (site / "c/a-speed/data.parquet").unlink(),
            "c/a-speed/data.parquet: was written by the build and is gone",
        ),
    ],
)
def test_what_is_missing_is_named(site: Path, change: Callable[[Path], object], fault: str) -> None:
    """A page, record or file that is not there is a fault of its own."""
    change(site)

    assert any(fault in each for each in faults(site, ARCHIVE)), faults(site)


def test_a_damaged_record_fails_the_site(site: Path) -> None:
    """A file that the store could not read is a failure of the site, though its pages were built
    without it.
    """
    archive = Archive(
        runs=(RUN,), problems=(Problem(Path("runs/x.parquet"), "half of it is missing"),)
    )

    assert "runs/x.parquet: is left out of the site: half of it is missing" in faults(site, archive)


def test_a_charts_rows_are_read_wherever_they_stand() -> None:
    """Rows of inline data, of layers, of named datasets, and of what a page is told."""
    rows = [{"speed": 3186}]

    assert list(_records({"layer": [{"data": {"values": rows}}]})) == rows
    assert list(_records({"datasets": {"a": rows}})) == rows
    packed = {"values": "speed\n3186\n", "format": {"type": "csv", "parse": {"speed": "number"}}}
    shared = [{"calculate": "1", "as": "n"}, {"calculate": "datum.a", "as": "b"}]
    assert list(_records({"data": packed, "transform": shared})) == [{"speed": 3186, "n": 1}]
    told = {"count": 1, "columns": {"speed": [3186]}, "same": {"origin": "measured"}}
    assert list(_records(told)) == [*rows, {"origin": "measured"}]


def test_resources_are_told_from_links(tmp_path: Path) -> None:
    """What a browser loads by itself is a resource, wherever it is written; a link is not."""
    (tmp_path / "x.html").write_text(
        '<a href="https://example.org/">x</a><img srcset="a.png 1x, b.png 2x"><p '
        'style="background:url(c.png)">'
        '<link rel="preload" href="d.js">'
        "<svg><use href='#e'/></svg>",
        encoding="utf-8",
    )

    page = read(tmp_path / "x.html")

    assert page.links == ["https://example.org/"]
    assert sorted(page.resources) == ["#e", "a.png", "b.png", "c.png", "d.js"]
    assert css('@import "a.css"; b{background:url(data:x)}') == ["a.css"]
