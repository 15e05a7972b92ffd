"""An edition through the steps of a build: its addresses stay what they were, whatever changes."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from kernels import store
from site_src.addresses.editions import EditionError
from site_src.cli.building import Built, build, freeze, verify
from site_src.cli.inputs import Inputs, Order, read
from site_src.model import BuildOptions
from tests.makers import RUNS, make_archive

CHOSEN = ("published/tpuv2-v100-*", "measured/cnn10-cifar10-cpu-*t143859*", "prices/gpuhunt-*")
"""An article, runs by batch size, prices."""


def order(folder: Path) -> Order:
    """A site of one language, without PNG."""
    checkout = RUNS.parent
    options = BuildOptions(
        date(2026, 11, 20),
        base_url="https://example.org/bench/",
        out=folder / "site",
        cache=checkout / ".cache",
        config=checkout / "mkdocs.yml",
        draft=True,
    )
    return Order(folder / "runs", ("en",), options)


def built(wanted: Order) -> tuple[Inputs, Built]:
    """The site as it is recorded now."""
    inputs = read(wanted)
    return inputs, build(wanted, inputs)


def frozen(wanted: Order, name: str) -> Mapping[str, str]:
    """Hashes of all files of an edition, as the site has them."""
    folder = wanted.options.out / "r" / name
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def faults(wanted: Order, inputs: Inputs) -> list[str]:
    """What is wrong with the site, but for the pictures that were left out."""
    return [str(one) for one in verify(wanted, inputs) if ".png" not in one.found]


def test_the_addresses_of_an_edition_never_change(tmp_path: Path) -> None:
    """A price and the runs change: the edition stays byte for byte, its page lists the change, and
    the next edition keeps only what is new.
    """
    wanted = order(tmp_path)
    make_archive(wanted.runs, *CHOSEN)
    inputs, site = built(wanted)
    first = freeze(wanted, inputs, site, "2026.4")
    inputs, site = built(wanted)
    before = frozen(wanted, "2026.4")

    prices = wanted.runs / "prices" / "gpuhunt-tpu-prices.parquet"
    price, *others = store.read_file(prices)
    prices.unlink()
    store.write(prices, [replace(price, amount=3 * price.amount), *others])
    next(wanted.runs.glob("measured/*-b1024.parquet")).unlink()
    inputs, site = built(wanted)

    page = (wanted.options.out / "en/editions/2026.4/index.html").read_text("utf-8")
    assert len(before) > 100 and frozen(wanted, "2026.4") == before
    assert faults(wanted, inputs) == []
    assert f"{price.amount:g} USD" in page and f"{3 * price.amount:g} USD" in page
    assert "t143859-s0-b1024" in page and "c/cpu-amd-epyc-2c-batch/" in page
    second = freeze(wanted, inputs, site, "2026.5")
    with pytest.raises(EditionError, match="an edition never changes"):
        freeze(wanted, inputs, site, "2026.5")
    assert second.stat().st_size < first.stat().st_size / 2
    inputs, _ = built(wanted)
    assert frozen(wanted, "2026.4") == before
    assert frozen(wanted, "2026.5").keys() == before.keys()
    (wanted.options.out / "r/2026.4/c/tpuv2-v100-value/data.csv.gz").unlink()
    assert any("edition 2026.4 has it" in one for one in faults(wanted, inputs))
    assert (wanted.options.out / "en/editions/2026.4/feed.xml").exists()
    front = (wanted.options.out / "r/2026.4/index.html").read_text("utf-8")
    assert "../../en/editions/2026.4/index.html" in front
    assert '"tpuv2-v100-value"' in (wanted.options.out / "r/editions.js").read_text("utf-8")


def test_without_charts_nothing_can_be_frozen(tmp_path: Path) -> None:
    """It says so."""
    wanted = order(tmp_path)
    wanted.runs.mkdir()
    inputs, site = built(wanted)

    with pytest.raises(EditionError, match="no chart was built"):
        freeze(wanted, inputs, site, "2026.4")
