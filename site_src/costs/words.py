"""Words for parts of answers on costs; `assets/cost_words.js` builds whole answers."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import floor, log10
from typing import Final

from kernels.records import ClockScope, Direction, Origin, Price, PriceKind
from site_src.costs.question import REMARKS, Offer, Row, State
from site_src.costs.setup import Case, Setup
from site_src.locales import Locale, currency_decimals
from site_src.tables import BLEU, FORMATS
from site_src.tables import level as quality
from site_src.tables.curve import PLAIN
from site_src.tables.recorded import setting

TIMES: Final = ((3600.0, "h", 2), (60.0, "min", 1), (1.0, "s", 1))
"""Seconds from which a time is shown in a unit, and its decimals."""

ENERGY_DECIMALS: Final = 2

_EXACT: Final = 6
"""Decimals of a percentage beyond which a fraction's digits are artefacts of binary numbers."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A figure as shown: `value` in `unit`, with so many decimals."""

    value: float
    unit: str
    decimals: int

    def text(self, locale: Locale) -> str:
        """The figure with its unit."""
        return locale.quantity(self.value, self.unit, self.decimals)


def places(value: float, least: int) -> int:
    """Decimals of a figure: `least`, or as many as show two digits of a smaller one."""
    return (
        least
        if value == 0 or abs(value) >= (10.0**-least if least else 10.0)
        else 1 - floor(log10(abs(value)))
    )


def money(value: float, currency: str) -> Amount:
    """An amount of money with the decimals of its currency."""
    return Amount(value, currency, places(value, currency_decimals(currency)))


def time(seconds: float) -> Amount:
    """A time in the unit in which it is shown."""
    size, unit, decimals = next((row for row in TIMES if seconds >= row[0]), TIMES[-1])
    return Amount(seconds / size, unit, places(seconds / size, decimals))


def kind(metric: str) -> str:
    """The kind of a quality's text: `percent`, `number` or `bleu`."""
    return BLEU if metric == BLEU else "number" if metric in PLAIN else "percent"


def level(metric: str, value: float, locale: Locale) -> str:
    """A quality as shown, with all its digits: 75.7%, BLEU 21.8, AUC 0.9835."""
    which = kind(metric)
    shown = 100 * value if which == "percent" else quality(metric, value)
    decimals = max(0 if which == "number" else 1, _decimals(shown))
    return locale.percent(value, decimals) if which == "percent" else locale.number(shown, decimals)


def _decimals(value: float) -> int:
    return max(0, -int(Decimal(repr(round(value, _EXACT))).normalize().as_tuple().exponent))


def target_text(case: Case, target: float, locale: Locale) -> str:
    """The target in words: "ResNet-50, top-1 accuracy ≥ 75.7%"."""
    metric = case.workload.metric
    return locale.say(
        "costs.goal",
        workload=locale.workload(case.workload.workload, case.workload.name),
        metric=locale.metric(metric),
        sign="≥" if case.question.direction is Direction.AT_LEAST else "≤",
        level=level(metric, target, locale),
    )


def names(setups: Sequence[Setup], locale: Locale) -> dict[str, str]:
    """The name of each setup by its candidate's id: its label, with what sets it apart."""
    groups = defaultdict(list)
    for setup in setups:
        groups[setup.label].append(setup)
    telling = {
        label: [name for name in _TELLING if len({str(_field(one, name)) for one in group}) > 1]
        for label, group in groups.items()
    }
    found = {}
    for setup in setups:
        told = (_field_text(setup, name, locale) for name in telling[setup.label])
        found[setup.candidate.id] = " · ".join((setup.label, *filter(None, told)))
    times = Counter(found.values())
    numbers: Counter[str] = Counter()
    for id_, name in found.items():
        if times[name] > 1:
            numbers[name] += 1
            found[id_] = f"{name} · {locale.say('costs.number', n=numbers[name])}"
    return found


_TELLING: Final = ("accelerators", "global_batch_size", "precision", "backend", "suite_size")
"""Fields and settings of runs that distinguish setups of one label, as far as they differ."""


def _field(setup: Setup, name: str) -> object:
    return setting(setup.run, name) if name == "suite_size" else getattr(setup.run, name)


def _field_text(setup: Setup, name: str, locale: Locale) -> str:
    value = _field(setup, name)
    if value is None:
        return ""
    if name == "suite_size":
        return locale.say(f"suite_size.{value}")
    if name == "accelerators":
        return locale.quantity(setup.run.accelerators or 0, "chips", 0)
    if name == "global_batch_size":
        return locale.say("run.batch", batch=value)
    return (
        FORMATS.get(str(value), locale.say(f"precision.{value}"))
        if name == "precision"
        else str(value)
    )


def offer_name(price: Price, locale: Locale) -> str:
    """An offer's provider and name; once if they are equal."""
    if price.provider == price.offer:
        return price.provider
    return locale.say("join.comma", first=price.provider, second=price.offer)


def terms(price: Price, locale: Locale) -> str:
    """The terms: "reserved, for 12 months", "free (up to 10 h per session)"."""
    if price.kind is PriceKind.FREE:
        return locale.free(price.session_limit_s)
    said = locale.say(f"price_kind.{price.kind}")
    return (
        locale.say("join.comma", first=said, second=locale.say("price.term", n=price.term_months))
        if price.term_months
        else said
    )


BOUNDS: Final = {
    "about": "about",
    "about-time": "about",
    "at-least": "more_than",
    "at-most": "up_to",
    "between": "up_to",
}
"""Remarks that also apply to the cost, with the strings that say so."""

BOTH: Final = "up_to_about"
"""The string for a figure that is approximate but not a bound."""

OF_TIME: Final = frozenset({"about-time", "at-most", "between"})
"""Those of them that are remarks on a time."""


def asked(price: Price, offer: Offer, locale: Locale) -> str:
    """The price of an offer for all accelerators; empty for free offers."""
    if price.kind is PriceKind.FREE:
        return ""
    bought = offer.hourly is None
    amount = money((offer.purchase if bought else offer.hourly) or 0.0, offer.currency).text(locale)
    for key in bounds(offer.remarks):
        amount = locale.say(key, n=amount)
    return locale.say("costs.bought" if bought else "costs.hourly", amount=amount)


def bounds(remarks: Sequence[str]) -> list[str]:
    """The strings that say a figure with these remarks is approximate, a minimum or a maximum."""
    found = list(dict.fromkeys(BOUNDS[key] for key in remarks if key in BOUNDS))
    if {"more_than", "up_to"} <= {*found}:
        return ["about"]
    return [BOTH] if {"about", "up_to"} <= {*found} else found


def time_bounds(row: Row) -> list[str]:
    """The same for a row's time and energy."""
    return bounds([key for key in row.remarks if key in OF_TIME])


def cost_bounds(row: Row) -> list[str]:
    """The same for its cost; free offers are free for any time."""
    return [] if row.offer and row.offer.kind is PriceKind.FREE else bounds(row.remarks)


def of_day(day: date | None, locale: Locale) -> str:
    """The day of an offer's price, or that it has none."""
    return locale.say("costs.price_day", day=day) if day else locale.say("costs.price_undated")


def under(price: Price, offer: Offer, locale: Locale) -> str:
    """Terms, price and day of an offer in a line, its billing, and a note on a doubtful price."""
    named = ["granularity_s", "preparation_s"]
    if price.kind is not PriceKind.FREE:  # its terms say so
        named.append("session_limit_s")
    stated = [
        locale.say(f"price.{name}", time=locale.duration(seconds))
        for name in named
        if (seconds := getattr(price, name)) is not None
    ]
    warning = locale.say("costs.state.doubtful_price") if offer.doubtful else ""
    return locale.joined(
        "terms",
        (
            terms(price, locale),
            asked(price, offer, locale),
            *stated,
            of_day(offer.day, locale),
            warning,
        ),
    )


def short(price: Price, locale: Locale) -> str:
    """An offer within a sentence: its provider, and its terms unless it is free."""
    if price.kind is PriceKind.FREE:
        return offer_name(price, locale)
    return locale.say("join.comma", first=offer_name(price, locale), second=terms(price, locale))


def of_run(setup: Setup, locale: Locale) -> list[str]:
    """What a setup's figures are based on: timing, origin, and the number of runs."""
    run = setup.run
    parts = [
        locale.say("run.clock_unknown")
        if run.clock_scope is ClockScope.UNKNOWN
        else locale.say("costs.clock", scope=locale.say(f"clock_scope.{run.clock_scope}")),
        locale.say("costs.origin", origin=locale.say(f"origin.{run.origin}")),
    ]
    if len(setup.runs) == 1:
        printed = next((metric.n for metric in run.metrics if metric.n is not None), None)
        n = printed if run.origin is Origin.PUBLISHED else 1
        parts.append(locale.say("n_not_stated") if n is None else locale.say("runs.count", n=n))
    return parts


def rests(row: Row, setup: Setup, locale: Locale) -> str:
    """What a row is based on, in a line."""
    counted = (
        [locale.say("costs.runs_reached", who=locale.runs_of(row.reached, row.trials))]
        if len(setup.runs) > 1
        else []
    )
    return locale.joined("terms", [*of_run(setup, locale), *counted])


def counted(name: str, row: Row, locale: Locale) -> str:
    """A row's name in a sentence, with how many runs reached the target if not all did."""
    if row.reached == row.trials:
        return name
    return locale.say(
        "join.paren",
        text=name,
        note=locale.say("costs.runs_reached", who=locale.runs_of(row.reached, row.trials)),
    )


def ranked(rows: Sequence[Row]) -> list[Row]:
    """The rows that answer the question, best first."""
    return [row for row in rows if row.state is State.OK]


def marks(rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    """Remarks that all ranked rows share, and those that distinguish some."""
    said = [set(row.remarks) for row in ranked(rows)]
    found = [key for key in REMARKS if any(key in one for one in said)]
    shared = [key for key in found if all(key in one for one in said)]
    return shared, [key for key in found if key not in shared]
