"""What an accelerator's hour has cost: the least of a provider on each day that changes it."""

import dataclasses
from datetime import date

import pytest

from kernels.records import Price, PriceKind
from kernels.store import Archive
from site_src import tables
from site_src.evidence import Evidence
from site_src.questions.cost import price_history as question
from site_src.tables import price_history
from tests.makers import catalogue, make_price

HOUR = make_price(
    "h100-20240101",
    provider="Acme",
    offer="big",
    system="acme-big",
    accelerators=8,
    amount=80.0,
    region="us-east-1",
    valid_from=date(2024, 1, 1),
    source="list",
    locator="line 1",
    licence="CC0-1.0",
    hardware="h100",
)


def later(price: Price, day: date, amount: float, **changes: object) -> Price:
    """The same offer on another day."""
    return dataclasses.replace(
        price, price_id=f"{price.price_id}-{day:%Y%m%d}-{amount:g}", valid_from=day, amount=amount,
        **changes,  # type: ignore[arg-type]  # fields by name
    )  # fmt: skip


def shown(*prices: Price) -> list[tuple[str, str, str, float]]:
    """Provider, terms, day and the least of each row."""
    evidence = Evidence(Archive(prices=prices), catalogue())
    table = price_history.hours(evidence, prices)
    return [(row["label"], row["terms"], row["day"], row["hourly"]) for row in tables.rows(table)]


def test_a_line_is_the_least_of_a_provider_and_ends_with_its_list() -> None:
    """Of two machines the cheaper, until the last day of its source."""
    small = dataclasses.replace(
        HOUR, price_id="small", offer="small", system="acme-small", accelerators=1, amount=9.0,
        valid_from=date(2024, 3, 1),
    )  # fmt: skip
    other = dataclasses.replace(HOUR, price_id="t4", hardware="t4", valid_from=date(2025, 6, 1))
    prices = (HOUR, small, later(HOUR, date(2025, 1, 1), 64.0))

    evidence = Evidence(Archive(prices=(*prices, other)), catalogue())
    rows = tables.rows(price_history.hours(evidence, prices))

    assert [(row["day"], row["hourly"]) for row in rows] == [
        ("2024-01-01", 10.0),
        ("2024-03-01", 9.0),
        ("2025-01-01", 8.0),
        ("2025-06-01", 8.0),
    ]
    assert rows[1]["along"] == pytest.approx(2024 + 60 / 365.25, abs=0.001)


def test_an_offer_that_ended_is_the_least_no_more() -> None:
    """The next cheapest takes its place on the day after which it was not seen."""
    gone = later(HOUR, date(2024, 1, 1), 40.0, offer="gone", valid_to=date(2024, 6, 1))
    dear = later(HOUR, date(2024, 9, 1), 90.0)

    assert [row[2:] for row in shown(HOUR, gone, dear)] == [
        ("2024-01-01", 5.0),
        ("2024-06-02", 10.0),
        ("2024-09-01", 11.25),
    ]


def test_terms_and_providers_are_lines_of_their_own() -> None:
    """A commitment is told by its months; what was seen on one day alone is no line."""
    told = [
        later(HOUR, day, amount, kind=kind, term_months=months, offer=f"{kind} {months}")
        for kind, months in ((PriceKind.SPOT, None), (PriceKind.RESERVED, 12))
        for day, amount in ((date(2024, 1, 1), 40.0), (date(2024, 6, 1), 32.0))
    ]
    alone = dataclasses.replace(HOUR, price_id="alone", provider="Once")

    found = shown(*told, alone)

    assert {row[:2] for row in found} == {("Acme", "spot"), ("Acme", "reserved_12")}


def test_a_kind_takes_its_usual_forms_with_it() -> None:
    """SXM is what an H100 is without a word; PCIe has prices of its own."""
    forms = [
        dataclasses.replace(HOUR, price_id=kind, hardware=kind)
        for kind in ("h100", "h100-sxm", "h100-pcie", "t4")
    ]
    evidence = Evidence(Archive(prices=tuple(forms)), catalogue())

    found = price_history.kinds(evidence)

    assert {kind: len(prices) for kind, prices in found.items()} == {
        "h100": 2,
        "h100-pcie": 1,
        "t4": 1,
    }


def test_a_history_needs_providers_and_days() -> None:
    """Three providers on three days; one row of each is none."""
    prices = [
        later(HOUR, date(2024, month, 1), 80.0 - month, provider=name, offer=name)
        for name in ("a", "b", "c")
        for month in (1, 2, 3)
    ]

    assert list(question.asked(Evidence(Archive(prices=tuple(prices)), catalogue()))) == ["h100"]
    few = tuple(price for price in prices if price.provider != "c")
    assert not question.asked(Evidence(Archive(prices=few), catalogue()))
