"""The table of costs on pages of reports, systems and workloads."""

import dataclasses
import re
from types import SimpleNamespace

import pytest

from site_src.figures.theme import Look
from site_src.pages.calculator import table
from site_src.pages.components.writer import Writer
from site_src.tables import series_id
from tests.site_src.pages.conftest import Written
from tests.site_src.recorded import make_site

DATA = re.compile(r'<data value="([^"]+)" data-ref="([^"]+)">')


def shown(written: Written, path: str, **of: str) -> tuple[Writer, str]:
    """The table of a report, a system or a workload."""
    writer = written(path)
    return writer, str(table.block(writer, table.of(writer, **of), writer.t("nothing")))


def test_amounts_stand_in_the_currency_of_the_offer(written: Written) -> None:
    """Without JavaScript no other one is seen; each of the others says at which rate of which day
    it was converted.
    """
    _, body = shown(written, "reports/tpuv2-v100/", source="tpuv2-v100")
    own, euros = (
        re.findall(r'<span data-ts-in="\|USD"', body),
        re.findall(r'<template data-ts-in="EUR">', body),
    )

    assert own and len(own) == len(euros)
    assert "at EUR\xa00.8119 for USD\xa01, 13 April 2018" in body
    assert "USD\xa0<data" in body and "54.58" in body


def test_every_amount_has_a_reference_that_gives_it(written: Written) -> None:
    """Also those that were converted, those of several chips, and those of a machine that was
    bought.
    """
    for source in ("tpuv2-v100", "catalyst-cost", "rtx2080ti-colab-tpu"):
        writer, body = shown(written, f"reports/{source}/", source=source)
        found = DATA.findall(body)

        assert found
        assert all(float(value) == writer.fact(ref).value for value, ref in found)
        assert body.count("<data ") == len(found), "none stands without one"


def test_what_follows_from_about_is_about(written: Written) -> None:
    """A monthly price that its source gives as "about" makes a cost that is."""
    _, body = shown(written, "reports/tpuv2-v100/", source="tpuv2-v100")
    [row] = [row for row in body.split("<tr") if "Cirrascale" in row]

    assert row.count("about ") >= 2


def test_a_long_table_is_folded(written: Written) -> None:
    """Its form stays before it; a short one stands open."""
    writer = written("workloads/resnet50-imagenet/")
    [bill, *_] = table.of(writer, source="tpuv2-v100")
    short, long = (
        str(table.block(writer, [bill] * n, writer.t("nothing")))
        for n in (table.MANY, table.MANY + 1)
    )

    assert "data-ts-fold" not in short
    assert (
        long.index("data-ts-filters")
        < long.index('<details data-ts-fold="13"><summary>Table (13 rows)')
        < long.index("<table")
    )


def test_one_system_alone_is_not_looked_for_in_the_calculator(written: Written) -> None:
    """A workload that the calculator does not rank is no address of it."""
    writer = written("workloads/resnet50-imagenet/")
    [bill, *_] = table.of(writer, source="tpuv2-v100")
    other = dataclasses.replace(bill.case.workload, workload="toy")
    alone = dataclasses.replace(bill, case=dataclasses.replace(bill.case, workload=other))

    assert table._calculator(writer, [bill]) == "costs/?workload=resnet50-imagenet"
    assert table._calculator(writer, [alone]) == "costs/"
    assert not writer.site.ranked.get("toy") and writer.site.ranked["resnet50-imagenet"]


def test_what_is_free_has_no_amount(written: Written) -> None:
    """A free session is free up to its end, in every currency."""
    _, body = shown(written, "systems/colab-tpu-v2-8/", system="colab-tpu-v2-8")
    free = [row for row in body.split("<tr") if 'data-f-kind="free"' in row]

    assert free
    assert all(
        "free (up to 10 h per session)" in row.replace("\xa0", " ") and "JPY" not in row
        for row in free
    )


def test_a_price_that_cannot_be_right_is_shown_with_its_reason(written: Written) -> None:
    """The report retells what its source charges, and says which other rate the same source prints
    for the machine.
    """
    _, body = shown(written, "reports/catalyst-cost/", source="catalyst-cost")
    texts = [re.sub(r"<[^>]+>", "", row).replace("\xa0", " ") for row in body.split("<tr")]
    [text] = [
        text for text in texts if "Tesla T4" in text and "ResNet-101 (paintings), AUC" in text
    ]

    assert "4.10" in text
    assert (
        "two rates for one machine, and at most one can be right. "
        "The price was compared with EUR 8.26/h" in text
    )
    assert not any("two rates" in text for text in texts if "HOSTKEY" in text)


def test_a_bought_machine_says_over_which_time(written: Written) -> None:
    """Its hour rests on a life of 36 months of use at all hours, and leaves its electricity out."""
    _, body = shown(written, "systems/rtx2080ti-2x/", system="rtx2080ti-2x")
    text = re.sub(r"<[^>]+>", "", body)

    assert "spread over 36 months" in text
    assert "to buy" in text
    assert "Electricity is not included" in text


def test_terms_can_be_chosen_where_there_are_several(written: Written) -> None:
    """Rows say theirs; a table of one kind offers the currency alone."""
    _, several = shown(written, "reports/tpuv2-v100/", source="tpuv2-v100")
    _, one = shown(written, "reports/catalyst-cost/", source="catalyst-cost")

    assert {'data-f-kind="on_demand"', 'data-f-kind="reserved"'} <= set(
        re.findall(r'data-f-kind="\w+"', several)
    )
    assert 'name="kind"' in several
    assert 'name="kind"' not in one
    assert "data-ts-money" in one


def test_without_a_price_or_a_time_it_says_so(written: Written) -> None:
    """The article on MLPerf prints neither; the calculator takes the reader's own."""
    _, body = shown(written, "reports/t4-v100-mlperf/", source="t4-v100-mlperf")

    assert "<table" not in body
    assert 'href="../../costs/"' in body


def test_amounts_of_two_currencies_sort_apart(written: Written) -> None:
    """A workload with offers in euros and in yen has no order of amounts as offered."""
    before = written("").site
    yen = before.catalog.prices["rtx2080ti-2x-purchase"]
    euros = dataclasses.replace(yen, price_id="euros", currency="EUR", amount=2000.0)
    archive = dataclasses.replace(before.archive, prices=(euros,))
    site = make_site(archive)
    writer = Writer(site, written("").locale, "systems/rtx2080ti-2x/")
    body = str(table.block(writer, table.of(writer, system="rtx2080ti-2x"), writer.t("nothing")))

    assert 'data-ts-sort="JPY 00' in body
    assert 'data-ts-sort="EUR 00' in body


def test_a_row_has_the_mark_of_the_workload_s_chart(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the chart gave a system another look than its own; one that it does not draw keeps its
    own.
    """
    writer = written("workloads/resnet50-imagenet/")
    bills = table.of(writer, source="tpuv2-v100")
    drawn = bills[0].setup
    others = [bill.setup for bill in bills if bill.setup.run.system != drawn.run.system]
    own = [table.look(writer, setup).look for setup in (drawn, others[0])]
    other = Look("#123456", "#abcdef", "diamond")
    chart = SimpleNamespace(looks=lambda _: {series_id(drawn.run): other})
    monkeypatch.setattr(writer.site, "figures", {"resnet50-imagenet-costs": chart})

    assert [table.look(writer, setup).look for setup in (drawn, others[0])] == [other, own[1]]
    assert own[0] != other


def test_what_can_be_had_on_demand_is_named_before_what_is_cheaper_on_other_terms(
    written: Written,
) -> None:
    """A reserved or preemptible machine costs less; an offer for another machine comes after it."""
    writer = written("workloads/resnet50-imagenet/")
    bills = [one for one in table.of(writer, source="tpuv2-v100") if one.setup.run.accelerators]
    system = next(one.setup.run.system for one in bills if one.price.kind != "on_demand")
    own = [one for one in bills if one.setup.run.system == system]

    assert table.least(own).price.kind == "on_demand"
    assert (
        min(one.row.cost.value for one in own if one.row.cost)
        < (table.least(own).row.cost or pytest.fail()).value
    )
