"""An edition through the steps of a build: its addresses stay what they were, whatever changes."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kernels import store
from kernels.store import Archive
from site_src.addresses.editions import EditionError
from site_src.cli import unchanged
from site_src.cli.arguments import parse
from site_src.cli.building import Built, build, freeze, verify
from site_src.cli.inputs import Inputs, Order, order_of, read
from site_src.model import Report
from site_src.verify import html
from site_src.verify.pages import links
from tests.makers import make_archive
from tests.site_src import recorded

CHOSEN = ("published/tpuv2-v100-*", "measured/cnn10-cifar10-cpu-*t143859*", "prices/gpuhunt-*")
"""An article, runs by batch size, prices."""


def ordered(folder: Path) -> Order:
    """A site of one language, without PNG."""
    words = ["--runs", f"{folder / 'runs'}", "--out", f"{folder / 'site'}", "--lang", "en"]
    known = ["--date", "2026-11-20", "--base-url", "https://example.org/bench/", "--jobs", "1"]
    given = parse([*words, *known])
    seen = unchanged.sources(given)
    order = order_of(given, unchanged.state(given, seen), seen.hashes)
    return replace(order, options=replace(order.options, draft=True))


def built(folder: Path) -> tuple[Order, Inputs, Built]:
    """The site as it is recorded now; what has not changed since the last time is not made again."""
    order = ordered(folder)
    inputs = read(order)
    site = build(order, inputs)
    inputs.evidence.graph.save()
    return order, inputs, site


def frozen(order: Order, name: str) -> Mapping[str, str]:
    """Hashes of all files of an edition, as the site has them."""
    folder = order.options.out / "r" / name
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def faults(order: Order, inputs: Inputs) -> list[str]:
    """What is wrong with the site, but for the pictures that were left out."""
    return [str(one) for one in verify(order, inputs) if ".png" not in one.found]


def test_the_addresses_of_an_edition_never_change(tmp_path: Path) -> None:
    """A price and the runs change: the edition stays byte for byte, its page lists the change, and
    the next edition keeps only what is new.
    """
    runs, site = make_archive(tmp_path / "runs", *CHOSEN), tmp_path / "site"
    first = freeze(*built(tmp_path), "2026.4")
    order, *_ = built(tmp_path)
    before = frozen(order, "2026.4")

    prices = runs / "prices" / "gpuhunt-tpu-prices.parquet"
    price, *others = store.read_file(prices)
    prices.unlink()
    store.write(prices, [replace(price, amount=3 * price.amount), *others])
    next(runs.glob("measured/*-b1024.parquet")).unlink()
    order, inputs, made = built(tmp_path)

    page = (site / "en/editions/2026.4/index.html").read_text("utf-8")
    assert len(before) > 100 and frozen(order, "2026.4") == before
    assert faults(order, inputs) == []
    assert f"{price.amount:g} USD" in page and f"{3 * price.amount:g} USD" in page
    assert "t143859-s0-b1024" in page and "c/cpu-amd-epyc-2c-batch/" in page
    second = freeze(order, inputs, made, "2026.5")
    with pytest.raises(EditionError, match="an edition never changes"):
        freeze(order, inputs, made, "2026.5")
    assert second.stat().st_size < first.stat().st_size / 2
    order, inputs, _ = built(tmp_path)
    assert frozen(order, "2026.4") == before
    assert frozen(order, "2026.5").keys() == before.keys()
    (site / "r/2026.4/c/tpuv2-v100-value/data.csv.gz").unlink()
    assert any("edition 2026.4 has it" in one for one in faults(order, inputs))
    assert (site / "en/editions/2026.4/feed.xml").exists()
    front = (site / "r/2026.4/index.html").read_text("utf-8")
    assert "../../en/editions/2026.4/index.html" in front
    assert '"tpuv2-v100-value"' in (site / "r/editions.js").read_text("utf-8")


def test_an_earlier_version_of_a_report_stays_reachable(tmp_path: Path) -> None:
    """The edition has it, with its own charts; its links, those of the menu aside, lead to pages
    that are there; the details of the living report and the edition's page lead to it.
    """
    make_archive(tmp_path / "runs", *CHOSEN)
    freeze(*built(tmp_path), "2026.4")
    order, inputs, _ = built(tmp_path)
    site, place = tmp_path / "site", "r/2026.4/en/reports/tpuv2-v100/index.html"

    report, page = (site / place).read_text("utf-8"), html.read(site / place)
    files = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    base = "en/reports/tpuv2-v100/index.html"  # as its <base> says

    assert f'<base href="../../../../../{base.removesuffix("index.html")}">' in report
    assert len(page.links) > 10 and list(links({base: page}, files)) == []
    assert any("/r/2026.4/c/" in address for address in page.resources)
    details = (site / "en/reports/tpuv2-v100/details/index.html").read_text("utf-8")
    assert f"../../../../{place}" in details and "Earlier versions" in details
    assert f"../../../{place}" in (site / "en/editions/2026.4/index.html").read_text("utf-8")
    assert faults(order, inputs) == []


def test_without_charts_nothing_can_be_frozen(tmp_path: Path) -> None:
    """It says so."""
    empty = recorded.make_site(Archive())
    inputs = Inputs(empty.evidence, [recorded.english()], [])

    with pytest.raises(EditionError, match="no chart was built"):
        freeze(ordered(tmp_path), inputs, Built(Report(0, ("en",), 0), empty, []), "2026.4")
