"""Time and price into money: pure functions, each with its formula.

A month has 730 hours (`units.HOURS_A_MONTH`). Amounts stay in the offer's currency; nothing here converts one into another.
"""

from kernels.errors import FactError
from kernels.records import Per, Price, PriceKind, Run
from kernels.units import HOURS_A_MONTH, SECONDS_AN_HOUR


def per_hour(price: Price) -> float:
    """What one hour of an offer costs, in its currency.

    Formula: amount x 3600 per second, amount per hour, amount / 730 per month; 0 for a free offer. An amount that is paid before
    the term is spread over the term: + upfront / (730 x months).

    Raises:
        FactError: A purchase, whose hour depends on its lifetime and use.
    """
    if price.per is Per.PURCHASE:
        raise FactError(f"price {price.price_id} buys the thing itself; an hour of it depends on lifetime, use and electricity")
    hourly = {Per.SECOND: price.amount * SECONDS_AN_HOUR, Per.HOUR: price.amount, Per.MONTH: price.amount / HOURS_A_MONTH}[price.per]
    if price.upfront and price.term_months:
        hourly += price.upfront / (HOURS_A_MONTH * price.term_months)
    return hourly


def hours(epochs: float, samples: float, throughput: float) -> float:
    """Hours of training without evaluation and start-up: epochs x samples / (samples per second) / 3600."""
    return epochs * samples / throughput / SECONDS_AN_HOUR


def cost(hours_used: float, hourly: float) -> float:
    """Hours x price per hour, in the price's currency, as if billed by the instant; see `billed_seconds`."""
    return hours_used * hourly


def billed_seconds(seconds: float, granularity_s: int | None) -> float:
    """Seconds as billed: rounded up to whole multiples of the granularity; as they are where the offer names none."""
    if not granularity_s:
        return seconds
    return float(-(-seconds // granularity_s) * granularity_s)


def throughput_per_price(throughput: float, hourly: float) -> float:
    """Samples per second for each currency unit per hour: throughput / price per hour."""
    return throughput / hourly


def samples_per_currency_unit(throughput: float, hourly: float) -> float:
    """Samples trained for one currency unit: 3600 x throughput / price per hour."""
    return SECONDS_AN_HOUR * throughput / hourly


def applies(price: Price, run: Run) -> bool:
    """Whether an offer is one of the run's own system, and not printed for another workload."""
    return price.system == run.system and price.workload in (None, run.workload)


def by_time(price: Price) -> bool:
    """Whether an offer is paid for by time: a purchase has no price per hour, and where nothing is paid no ratio per price exists."""
    return price.per is not Per.PURCHASE and price.kind is not PriceKind.FREE


def remarks(price: Price, run: Run, hours_used: float | None = None) -> tuple[str, ...]:
    """Keys of what must be said beside a cost that applies this offer to this run (`strings/`, `price_remark.<key>`).

    `other-machine`: the run was measured on another system than the one offered. `undated`: the source prints no day for the price.
    `about`: the source prints it as "about". `free`: nothing is paid, so ratios per price do not exist. `session-limit`: the job is
    longer than the longest session. `commitment`: the price holds only with a term.
    """
    seconds = None if hours_used is None else hours_used * SECONDS_AN_HOUR
    found = {
        "other-machine": price.system != run.system,
        "undated": price.valid_from is None,
        "about": price.bound.value != "eq",
        "free": price.kind is PriceKind.FREE,
        "session-limit": price.session_limit_s is not None and seconds is not None and seconds > price.session_limit_s,
        "commitment": price.term_months is not None,
    }
    return tuple(key for key, holds in found.items() if holds)
