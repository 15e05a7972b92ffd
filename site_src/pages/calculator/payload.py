"""Data of the calculator in one language: runs, offers, rates, the first question of each workload,
words and patterns.

Figures have full precision; missing ones are left out. Words that depend on the answer are put
together in the browser.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from kernels.analysis.repetitions import OWN
from kernels.catalog import exchange
from kernels.reading import Name
from kernels.records import Price, PriceKind, Rate
from site_src import costs as tables_costs
from site_src.charts.markup import SHAPES
from site_src.charts.vega import differences, places_of, vega
from site_src.costs import Setup, bills, words
from site_src.costs.question import REMARKS, Offer, State, plain
from site_src.costs.words import BOTH, BOUNDS, OF_TIME
from site_src.figures import theme as themes
from site_src.figures.marks import bars
from site_src.locales import NUMBERED, Locale, currency_decimals, unbroken
from site_src.pages.calculator.answer import Answer
from site_src.pages.calculator.table import RATE_DECIMALS, look
from site_src.pages.components import offers
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.questions.cost import costs
from site_src.questions.cost.pareto import ROOM

_MORE: Final = ("BRL", "MXN", "RUB")
"""Currencies that the calculator offers in addition to those of tables, which write out each
amount.
"""

_PLACED: Final = (
    "join.terms",
    "join.comma",
    "join.sentences",
    "join.nothing",
    "join.paren",
    "join.colon",
    "range",
    "axis.log",
    "axis.spent",
    "axis.time_to_target",
    "head.rank",
    "head.system",
    "head.offer",
    "head.time",
    "head.cost",
    "head.energy",
)
"""Strings that join others."""


@dataclass(frozen=True, slots=True)
class Handed:
    """The calculator's data for one workload.

    Attributes:
        currencies: Of its prices.
        runs: Number of runs behind its times.
    """

    workload: Mapping[str, Any]
    currencies: tuple[str, ...]
    runs: tuple[int, ...]

    @classmethod
    def of(cls, writer: Writer, answer: Answer) -> "Handed":
        """The data of a first answer."""
        setups = answer.case.setups
        currencies = {price.currency for setup in setups for price in setup.prices}
        runs = {len(setup.runs) for setup in setups}
        return cls(_case(writer, answer), tuple(sorted(currencies)), tuple(sorted(runs)))


def payload(
    writer: Writer, workloads: Sequence[Handed], rates: Sequence[Rate], today: date
) -> dict[str, Any]:
    """Everything that `assets/calculator.js` needs on a page."""
    locale = writer.locale
    known = [*bills.CURRENCIES, *_MORE, *(name for one in workloads for name in one.currencies)]
    return {
        "numbered": NUMBERED.pattern,
        "tag": str(locale.babel).replace("_", "-"),
        **locale.d3(),
        "today": today.isoformat(),
        **_rates(writer, rates, today),
        "currencies": {
            name: [locale.pattern(1, name), currency_decimals(name)] for name in sorted({*known})
        },
        "units": {
            **{unit: [locale.pattern(2, unit), places, size] for size, unit, places in words.TIMES},
            "kWh": [locale.pattern(2, "kWh"), words.ENERGY_DECIMALS, 1],
        },
        "words": _words(locale),
        "runs_reached": {
            str(count): _reached(count, locale)
            for count in sorted({count for one in workloads for count in one.runs})
        },
        "remarks": list(REMARKS),
        "bounds": dict(BOUNDS),
        "both_bounds": BOTH,
        "of_time": sorted(OF_TIME),
        "states": [str(state) for state in State],
        "shapes": dict(SHAPES),
        "colours": {theme: {"paper": themes.BACKGROUND[theme]} for theme in themes.THEMES},
        "chart": compiled(writer.site),
        "workloads": [one.workload for one in workloads],
    }


def _rates(writer: Writer, rates: Sequence[Rate], today: date) -> dict[str, Any]:
    newest = exchange.newest_day(rates, today)
    days, sources = sorted({rate.day for rate in rates}), sorted({rate.source for rate in rates})
    return {
        "rates": [
            [rate.base, rate.quote, rate.day.isoformat(), rate.rate, rate.source] for rate in rates
        ],
        "rate_day": newest.isoformat() if newest else None,
        "rate_days": {day.isoformat(): writer.locale.date(day) for day in days},
        "rate_sources": {name: _titled(writer, name) for name in sources},
        "rate_decimals": RATE_DECIMALS,
    }


def _words(locale: Locale) -> dict[str, Any]:
    own = [str(key) for key in locale.strings if key.startswith("costs.")]
    return {
        **{key.removeprefix("costs."): locale.template(key) for key in own},
        **{key: locale.template(key) for key in (*_PLACED, *BOUNDS.values(), BOTH)},
        **{f"remark.{key}": locale.say(f"price_remark.{key}") for key in REMARKS},
    }


def _titled(writer: Writer, source: str) -> list[str]:
    known, name = writer.site.sources.get(source), str(writer.source_name(source).striptags())
    foreign = known is not None and known.language != writer.locale.code and name == known.title
    return [name, known.language] if known is not None and foreign else [name]


def _reached(count: int, locale: Locale) -> list[str]:
    return [
        locale.say("costs.runs_reached", who=locale.runs_of(part, count))
        for part in range(count + 1)
    ]


def compiled(site: Site) -> dict[str, Any]:
    """The calculator's chart."""
    found: dict[str, Any] = site.graph.get(*node_of_chart(site))
    return found


def node_of_chart(site: Site) -> Name:
    """Name of the chart's node."""
    site.graph.register("calculator's chart", chart, keep=True)
    return ("calculator's chart",)


def chart() -> dict[str, Any]:
    """The calculator's compiled chart: its specification, changes for logarithmic axes and for dark
    pages, positions of its titles.
    """
    linear, log = (vega(costs.live(log=scale).to_dict()) for scale in (False, True))
    titles = {
        name: [list(path) for path in places_of(linear, text)]
        for name, text in (("time", bars.X_TITLE), ("cost", bars.Y_TITLE))
    }
    return {
        "room": ROOM,
        "spec": linear,
        "log": differences(linear, log),
        "dark": differences(linear, themes.darken(linear, [])),
        "titles": titles,
    }


def _systems(answer: Answer) -> list[str]:
    """The systems of a workload: first those with a price to set, in the order of the first answer,
    then those that reached nothing.
    """
    timed = [row for row in answer.rows if any(trial.points for trial in row.candidate.trials)]
    return list(dict.fromkeys(row.candidate.system for row in (*timed, *answer.rows)))


def _case(writer: Writer, answer: Answer) -> dict[str, Any]:
    case = answer.case
    locale, metric = writer.locale, case.workload.metric
    named = words.names(case.setups, locale)
    offers: list[dict[str, Any]] = []
    days: list[list[list[Any]]] = []
    first = tables_costs.first_day(case.setups)
    return {
        "id": case.workload.workload,
        "goal": words.target_text(case, case.question.target, locale).replace(
            words.level(metric, case.question.target, locale), "{level}"
        ),
        "kind": words.kind(metric),
        "targets": [[target, words.level(metric, target, locale)] for target in case.targets],
        "question": _known(plain(case.question)),
        "systems": {
            system: [unbroken(writer.system_name(system)), writer.url(f"systems/{system}/")]
            for system in _systems(answer)
        },
        "sides": [
            _setup(writer, setup, named[setup.candidate.id], offers, days) for setup in case.setups
        ],
        "offers": offers,
        "days": days,
        "first_day": first.isoformat() if first else None,
    }


def _setup(
    writer: Writer,
    setup: Setup,
    name: str,
    offers: list[dict[str, Any]],
    days: list[list[list[Any]]],
) -> dict[str, Any]:
    """A setup; its offers, and the index of the one it uses on each day, refer to the workload's
    list, to which missing ones are added.
    """
    locale, candidate = writer.locale, _fields(setup.candidate)
    trials, _ = candidate.pop("trials"), candidate.pop("workload")
    drawn = look(writer, setup).look
    places = {
        offer.id: _place(offers, _offer(writer, price, offer))
        for price, offer in zip(setup.prices, setup.offers, strict=True)
    }
    taken = [
        [span.first.isoformat(), span.last.isoformat(), places[span.offer]] for span in setup.days
    ]
    return {
        "name": unbroken(name),
        "told": words.of_run(setup, locale),
        "look": [drawn.light, drawn.dark, drawn.shape],
        "accelerator": setup.run.accelerator,
        "own": setup.run.origin in OWN,
        "candidate": {**_known(candidate), "trials": [_trial(trial) for trial in trials]},
        "offers": [*places.values()],
        "listed": [places[offer.id] for offer in setup.offers if offer.id in setup.listed],
        "days": _place(days, taken),
    }


def _offer(writer: Writer, price: Price, offer: Offer) -> dict[str, Any]:
    place = writer.origin_of(f"price:{price.price_id}:amount")
    return _known(
        {
            **_fields(offer),
            "name": unbroken(words.offer_name(price, writer.locale)),
            "short": words.short(price, writer.locale),
            "under": words.under(price, offer, writer.locale),
            "day_said": words.of_day(offer.day, writer.locale),
            "href": writer.url(place) if place else None,
            "free": writer.locale.free(price.session_limit_s)
            if price.kind is PriceKind.FREE
            else None,
            "doubted": offers.contradiction(writer, price) or None,
        }
    )


def _place(known: list[Any], one: object) -> int:
    if one not in known:
        known.append(one)
    return known.index(one)


def _trial(trial: Mapping[str, Any]) -> dict[str, Any]:
    """A run: its points as lists, without its id, which no answer needs."""
    return {
        **_known({key: value for key, value in trial.items() if key != "run_id"}),
        "points": [_point(point) for point in trial["points"]],
    }


def _fields(record: object) -> dict[str, Any]:
    found = plain(record)
    assert isinstance(found, dict)  # noqa: S101 - a record
    return found


def _known(fields: object) -> dict[str, Any]:
    """The fields that have a value; an empty list means that there is nothing."""
    assert isinstance(fields, Mapping)  # noqa: S101 - a record
    return {name: value for name, value in fields.items() if value is not None}


def _point(point: Mapping[str, float | None]) -> list[float | None]:
    """Quality, seconds, joules and rounding margins, up to the last known one."""
    found = [point[name] for name in ("quality", "seconds", "energy_j", "low_s", "high_s")]
    while found[-1] is None:
        del found[-1]
    return found
