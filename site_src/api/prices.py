"""Prices and costs for machines: the records of `api/v1/prices.json` and `api/v1/costs.json`."""

from collections.abc import Iterator, Sequence
from datetime import date

from kernels.catalog import Catalog, cost
from kernels.catalog.price_warnings import PriceWarning, price_warnings
from kernels.records import Per, Price
from kernels.units import SECONDS_AN_HOUR
from site_src import costs
from site_src.api.fields import Record, fields_of
from site_src.costs import bills
from site_src.costs.bills import Bill
from site_src.costs.question import State
from site_src.evidence import Evidence
from site_src.tables.prices import hardware, per_accelerator_hour


def offers(evidence: Evidence) -> dict[str, Price]:
    """All offers by id: those recorded with the runs, and the catalogue's."""
    return {
        price.price_id: price
        for price in (*evidence.archive.prices, *evidence.catalog.prices.values())
    }


def price_records(evidence: Evidence) -> Iterator[Record]:
    """All offers."""
    found = offers(evidence)
    warned = price_warnings(found.values(), evidence.catalog.systems)
    for name, price in found.items():
        yield price_record(price, evidence.catalog, warned.get(name, ()))


def price_record(price: Price, catalog: Catalog, warnings: Sequence[PriceWarning] = ()) -> Record:
    """An offer, with the warnings on its price and the prices that contradict it."""
    hourly = None if price.per is Per.PURCHASE else cost.per_hour(price)
    return {
        **fields_of(price, "price_id provider offer system"),
        "hardware": hardware(price, catalog),
        **fields_of(price, "accelerators workload kind amount bound currency per"),
        "per_hour": hourly,
        "per_accelerator_hour": per_accelerator_hour(price),
        **fields_of(
            price,
            "region valid_from valid_to term_months upfront includes tax granularity_s "
            "session_limit_s preparation_s note",
        ),
        "doubts": [{"reason": str(one.reason), "against": list(one.against)} for one in warnings],
        **fields_of(price, "source source_locator=locator licence"),
    }


def cost_records(evidence: Evidence, today: date, workload: str | None = None) -> Iterator[Record]:
    """Yields the cost of each reached quality, for all setups of one workload or of any, at each
    offer for its own machine and source and the cheapest others.
    """
    rates = (*evidence.archive.rates, *evidence.catalog.rates.values())
    for bill in bills.bills(costs.cases(evidence, least=1, only=workload), rates, today):
        yield cost_record(bill)


def cost_record(bill: Bill) -> Record:
    """A setup, a quality and an offer; hours are the setup's own, `billed_hours` with preparation
    and rounding as the offer bills.
    """
    row, question, price = bill.row, bill.case.question, bill.price
    assert (  # noqa: S101 - a bill
        row.cost is not None
        and row.seconds is not None
        and row.billed_s is not None
        and row.offer is not None
    )
    begun = (
        question.preparation_s if row.offer.preparation_s is None else row.offer.preparation_s
    ) / SECONDS_AN_HOUR
    bought = price.per is Per.PURCHASE
    return {
        "run_id": row.candidate.id,
        "run_ids": [run.run_id for run in bill.setup.runs],
        "origin": str(bill.setup.run.origin),
        **fields_of(row.candidate, "system workload accelerators"),
        **fields_of(price, "price_id provider price_kind=kind price_day=valid_from"),
        "target_metric": bill.case.workload.metric,
        "target_value": question.target,
        "target_direction": str(question.direction),
        "reached": row.reached,
        "runs": row.trials,
        "clock_scope": str(row.candidate.clock_scope),
        "hours": row.seconds.value / SECONDS_AN_HOUR - begun,
        "hours_low": row.seconds.low / SECONDS_AN_HOUR - begun,
        "hours_high": row.seconds.high / SECONDS_AN_HOUR - begun,
        "billed_hours": row.billed_s.value / SECONDS_AN_HOUR,
        "per_hour": row.hourly,
        "amount": row.cost.value,
        "amount_low": row.cost.low,
        "amount_high": row.cost.high,
        "currency": price.currency,
        "owned_months": question.months if bought else None,
        "owned_utilisation": question.utilisation if bought else None,
        "state": str(State.DOUBTFUL_PRICE if row.offer.doubtful else row.state),
        "remarks": [remark for remark in row.remarks if remark != "old-price"],
    }
