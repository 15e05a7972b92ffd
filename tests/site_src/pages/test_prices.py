"""The page of all prices."""

import dataclasses
import re
from datetime import date

from kernels.records import Price, PriceKind
from site_src.api.prices import price_record
from site_src.pages import prices
from site_src.pages.components import offers
from site_src.pages.components.writer import Writer
from site_src.pages.report.source import source_page
from site_src.tables.prices import APART, MANY, offered
from tests.site_src.pages.conftest import Written
from tests.site_src.reading import said
from tests.site_src.recorded import make_site
from tests.site_src.tables.test_prices import EUROPE, LATER, RENT, SPOT

POUNDS = dataclasses.replace(SPOT, price_id="pounds-uk-20260101", currency="GBP", region=None)


def of(written: Written, *found: Price) -> Writer:
    """The page over these prices."""
    before = written("").site
    archive = dataclasses.replace(before.archive, prices=found)
    site = make_site(archive)
    return Writer(site, written("").locale, "prices/")


def page(written: Written) -> tuple[Writer, str]:
    """The page with an offer of two places and two days, one in pounds, and its text."""
    writer = of(written, RENT, LATER, EUROPE, POUNDS)
    return writer, prices.prices_page(writer).body


def test_every_price_has_its_anchor(written: Written) -> None:
    """Earlier prices and other places too, each once; a remark or a cost elsewhere leads to it."""
    writer, body = page(written)
    anchors = re.findall(r'id="price-([^"]+)"', body)

    assert sorted(anchors) == sorted(writer.site.prices)


def test_the_cheapest_accelerator_hour_stands_first(written: Written) -> None:
    """Of the T4 it is a quarter of the newest price of four; pounds stand apart, and a spot price
    only where nothing is on demand.
    """
    _, body = page(written)
    first = body[: body.index("data-ts-filters")]

    assert re.search(r">1\.50</data>", first)
    assert f'data-ref="price:{LATER.price_id}:per_accelerator_hour"' in first
    assert RENT.price_id not in first, "an earlier price is no longer in force"
    assert POUNDS.price_id not in first, "it is a spot price beside prices on demand"


def test_rows_say_what_the_filters_go_by(written: Written) -> None:
    """A row has every region in which the offer is made; what none states is a choice too; the form
    offers what there is.
    """
    _, body = page(written)
    [row] = re.findall(rf'<tr id="price-{LATER.price_id}"[^>]*>', body)
    [pounds] = re.findall(rf'<tr id="price-{POUNDS.price_id}"[^>]*>', body)

    assert 'data-f-region="us-east1|europe-west4"' in row
    assert 'data-f-kind="on_demand"' in row
    assert 'data-f-accelerator="t4"' in row
    assert 'data-f-region="not_stated"' in pounds
    assert '<option value="GBP">GBP</option>' in body


def test_few_offers_stand_open_and_many_are_folded(written: Written) -> None:
    """A catalogue of a thousand rows stays a page one can read: its kinds stand there, their offers
    unfold.
    """
    writer, body = page(written)
    found = offered(writer.site.prices.values())

    assert re.search(r'<details data-ts-fold="\d+" open>', body)
    folded = prices._kind(writer, "t4", found, folded=True)
    assert f'<details data-ts-fold="{len(found)}"><summary>' in folded


def test_amounts_of_two_currencies_sort_apart(written: Written) -> None:
    """In a table of several currencies the code stands before the figure that is sorted by."""
    _, body = page(written)

    assert 'data-value="GBP 000000000' in body
    assert 'data-value="USD 0000000001.500000000"' in body


def test_a_note_of_a_dearer_place_is_said(written: Written) -> None:
    """At that place, as the cheapest one, which stands for the offer, has none; all notes of a
    price have their numbers.
    """
    dear = dataclasses.replace(EUROPE, note="host-not-stated host-apart")
    writer = of(written, RENT, LATER, dear, POUNDS)
    body = prices.prices_page(writer).body

    assert f"{writer.name('region', 'europe-west4')}<sup>1 2</sup>" in body
    assert (
        "<sup>1</sup> The source does not say whether" in body
        and "<sup>2</sup> The price is for the accelerators only" in body
    )
    assert body.count("<sup>1 2</sup>") == 1


def test_a_note_of_most_offers_leaves_the_others_out(written: Written) -> None:
    """It has a number beside those that it holds for, and none where it holds for all of the
    table.
    """
    noted = [
        dataclasses.replace(RENT, price_id=f"noted-{n}", offer=f"noted {n}", note="host-apart")
        for n in (1, 2)
    ]
    writer = of(written, *noted, LATER)
    some, every = (
        offers.offers(writer, found, writer.t("nothing")) for found in ([*noted, LATER], noted)
    )

    assert (
        some.count("noted 1<sup>1</sup>") == some.count("noted 2<sup>1</sup>") == 1
        and "big<sup>" not in some
    )
    assert "<sup>1</sup> The price is for the accelerators only" in some
    assert "<sup>" not in every and "<li>The price is for the accelerators only" in every


def test_a_price_that_cannot_be_right_is_marked_and_is_no_cheapest_hour(written: Written) -> None:
    """A spot price above the one on demand stands there with its reason and the way to the other;
    the other is the cheapest hour.
    """
    wrong = dataclasses.replace(SPOT, amount=9.0, note="spot-above-on-demand")
    euros = [
        dataclasses.replace(
            RENT,
            price_id=f"euro-{at:g}",
            offer="euro",
            workload=work,
            amount=at,
            currency="EUR",
            system="euro",
        )
        for at, work in ((4.0, "resnet34-artists"), (12.0, "resnet101-artists"))
    ]
    writer = of(written, RENT, wrong, *euros)
    body = prices.prices_page(writer).body
    first, rest = body[: body.index("data-ts-filters")], body[body.index("data-ts-filters") :]
    row = rest[rest.index(f'id="price-{wrong.price_id}"') :].partition("</tr>")[0]
    text = said(rest)

    cheapest = next(line for line in first.split("<tr") if 'href="#t4"' in line)
    assert "EUR" not in cheapest, "of the two rates neither is the cheapest"
    assert f"price:{RENT.price_id}:per_accelerator_hour" in first and wrong.price_id not in first
    assert re.search(r"<sup>\d( \d)*</sup>", row)
    assert (
        "cannot exceed the on-demand price of the same offer. "
        "The price was compared with USD 8.00/h, Acme, big, on demand" in text
    )
    assert (
        "two rates for one machine, and at most one can be right. "
        "The price was compared with EUR 12.00/h, Acme, euro, on demand" in text
    )
    assert f'href="#price-{RENT.price_id}"' in rest


def test_a_kind_whose_prices_all_contradict_each_other_has_no_cheapest_hour(
    written: Written,
) -> None:
    """Of the K80 the archive has two rates for one machine: its line leads to them and names no
    price.
    """
    writer = of(written)
    first = prices.prices_page(writer).body.partition("data-ts-filters")[0]
    row = next(line for line in first.split("<tr") if 'href="#k80"' in line)

    assert "every price contradicts another" in row
    assert "EUR" not in row


def test_the_page_and_the_api_say_the_same_terms(written: Written) -> None:
    """A source that does not say on which terms it sells has the kind `unknown` in both, which
    reads "terms not stated".
    """
    before = written("").site
    writer = of(
        written,
        RENT,
        dataclasses.replace(SPOT, price_id="open-us-20260101", kind=PriceKind.UNKNOWN),
    )
    body = prices.prices_page(writer).body
    rows = dict(re.findall(r'<tr id="price-([^"]+)"[^>]*data-f-kind="([^"]+)"', body))
    open_ = body[body.index('<tr id="price-open-us-20260101"') :]

    assert rows == {
        name: price_record(price, before.catalog)["kind"]
        for name, price in writer.site.prices.items()
    }
    assert rows["open-us-20260101"] == "unknown"
    assert "terms not stated" in open_[: open_.index("</tr>")]


def test_prices_and_rates_name_their_terms(written: Written) -> None:
    """Files to download, and whom to name for which of them."""
    _, body = page(written)
    download = body[body.index('id="download"') :]

    assert all(
        f'href="../../{path}"' in download
        for path in (
            "data/prices.csv",
            "data/prices.parquet",
            "api/v1/prices.json",
            "data/rates.csv",
        )
    )
    assert "sources/catalyst-cost/" in download


def test_a_source_of_many_offers_points_to_all_prices(written: Written) -> None:
    """Its own page lists a few, and leads to the list with its filter where they are many."""
    before = written("").site
    [source] = [source for source in before.archive.sources if source.source == "tpuv2-v100"]
    many = tuple(
        dataclasses.replace(RENT, price_id=f"rent-{n}", offer=f"offer {n}", source=source.source)
        for n in range(MANY + 1)
    )
    archive = dataclasses.replace(before.archive, prices=many)
    site = make_site(archive)

    few = source_page(Writer(before, written("").locale, "sources/tpuv2-v100/"), source).body
    body = source_page(Writer(site, written("").locale, "sources/tpuv2-v100/"), source).body

    assert 'id="price-aws-p3.8xlarge-on-demand-2018"' in few
    assert 'href="../../prices/?source=tpuv2-v100#offers"' in body
    assert 'id="price-rent-0"' not in body


def test_each_kind_of_many_offers_has_a_page(written: Written) -> None:
    """It lists what held in the newest year, the cheapest first; the page of all prices leads to
    it, and what held before is counted.
    """
    many = [
        dataclasses.replace(RENT, price_id=f"rent-{n}-20260101", offer=f"offer {n}")
        for n in range(APART + 1)
    ]
    old = dataclasses.replace(
        RENT, price_id="old", offer="old", provider="Gone", valid_from=date(2022, 1, 1), amount=0.1
    )
    writer = of(written, *many, old)
    every = prices.prices_page(writer).body

    assert "t4" in prices.kinds(writer.site)
    assert re.search(r'href="[^"]*t4/"', every)
    assert 'id="price-rent-1-20260101"' not in every
    body = prices.kind_page(Writer(writer.site, written("").locale, "prices/t4/"), "t4").body
    assert body.count('id="price-rent-') == len(many)
    assert 'id="price-old"' not in body
    assert "The newest recorded offers" in body
    assert "Earlier prices in the downloads: 1." in body
    assert writer.site.price_page(old) == "prices/t4/"
    assert writer.origin_of("price:old:amount") == "prices/t4/#offers"
