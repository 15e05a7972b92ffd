"""An answer on costs in a page: the sentence, what it rests on, the table of ranked systems, and
what is not ranked and why.

`assets/calculator.js` makes the same of its own answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from markupsafe import Markup, escape

from kernels.audit.facts import Facts
from kernels.catalog import cost
from kernels.catalog.cost import Spread
from kernels.records import PriceKind, Rate
from site_src.charts.markup import datum, swatch
from site_src.costs import Case, Side, first_answers, words
from site_src.costs.question import By, Row, State
from site_src.costs.references import exact, hourly_ref, refs
from site_src.costs.words import Amount
from site_src.figures import theme as themes
from site_src.figures.controls import Series
from site_src.locales import kept, unbroken
from site_src.pages.components import offers
from site_src.pages.components.writer import Writer


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with all that its words need."""

    case: Case
    rows: tuple[Row, ...]
    names: Mapping[str, str]
    rates: Sequence[Rate]

    @classmethod
    def all(
        cls, writer: Writer, cases: Sequence[Case], rates: Sequence[Rate], today: date
    ) -> list["Answer"]:
        """The answers to the first question of each workload."""
        return [
            cls(case, rows, words.names(case.sides, writer.locale), rates)
            for case, rows in zip(cases, first_answers(cases, rates, today), strict=True)
        ]

    @property
    def ranked(self) -> list[Row]:
        """The rows that answer the question, best first."""
        return words.ranked(self.rows)

    def name(self, row: Row) -> str:
        """What a row's side is called."""
        return unbroken(self.names[row.candidate.id])


def look(side: Side) -> Series:
    """A side's colour and shape, as in every chart."""
    run = side.run
    return Series(side.candidate.id, side.label, themes.look(run.system, run.framework, run.round))


def figure(writer: Writer, amount: Amount, ref: str | None = None) -> Markup:
    """A figure with its unit, its machine value and its reference; without one it is a text like
    the words around it.
    """
    text = writer.locale.number(amount.value, amount.decimals)
    # `exact` let the last digit differ, which is the order of a product's factors
    known = writer.fact(ref).value if ref else None
    data = datum(known, text, ref) if known is not None and ref else f"<span>{escape(text)}</span>"
    return Markup(escape(writer.locale.pattern(amount.value, amount.unit))).format(n=Markup(data))  # noqa: S704 - escaped


def read_refs(facts: Facts, case: Case, side: Side, row: Row) -> tuple[str | None, str | None]:
    """References of a row's time, in the unit in which it is read, and of its cost."""
    return refs(facts, case, side, row, words.time(row.seconds.value).unit if row.seconds else "")


def strong(name: str) -> Markup:
    """A name in a sentence."""
    return Markup("<strong>{}</strong>").format(Markup(kept(str(escape(name)))))  # noqa: S704 - escaped here


def bounded(writer: Writer, keys: Sequence[str], amount: Markup) -> Markup:
    """A figure: about so much, more, or at most that, where that is what the source of its price or
    of its time says.
    """
    for key in keys:
        amount = writer.t(key, shown=amount)
    return amount


def rests(writer: Writer, answer: Answer) -> Markup:
    """What the first row rests on, and the day of its price; nothing where nothing is ranked."""
    if not answer.ranked:
        return Markup("")
    best = answer.ranked[0]
    parts = [
        words.rests(best, answer.case.side(best), writer.locale),
        words.of_day(best.offer, writer.locale) if best.offer else "",
    ]
    return writer.t("costs.rests", parts=writer.locale.joined("terms", parts))


def cells(writer: Writer, answer: Answer) -> list[dict[str, object]]:
    """The ranked rows as the template takes them."""
    rows, currency = answer.ranked, answer.case.question.currency
    _, numbered = words.marks(answer.rows)
    unlike = len({words.power(row) for row in rows if row.energy_kwh}) > 1
    made: list[dict[str, object]] = []
    for row in rows:
        side = answer.case.side(row)
        time, money = read_refs(writer.site.facts, answer.case, side, row)
        shared = sum(other.rank == row.rank for other in rows) > 1
        made.append(
            {
                "rank": writer.t("costs.tie", rank=row.rank)
                if shared
                else escape(writer.locale.number(row.rank or 0)),
                "swatch": Markup(swatch(look(side))),  # noqa: S704 - made of numbers and colours
                "name": kept(str(escape(answer.name(row)))),
                "href": writer.url(f"systems/{row.candidate.system}/"),
                "under": words.rests(row, side, writer.locale),
                "offer": offer(writer, side, row),
                "time": bounded(
                    writer, words.time_bounds(row), ranged(writer, row.seconds, words.time, time)
                ),
                "cost": _cost(writer, row, currency, money),
                "energy": _energy(writer, row, unlike=unlike),
                "marks": [numbered.index(key) + 1 for key in numbered if key in row.remarks],
            }
        )
    return made


def _cost(writer: Writer, row: Row, currency: str, ref: str | None) -> Markup:
    """What a row costs; of what is free that it is, and no amount of nothing in some currency."""
    if row.offer and row.offer.kind is PriceKind.FREE:
        return escape(writer.locale.free(row.offer.session_limit_s))
    return bounded(
        writer,
        words.cost_bounds(row),
        ranged(writer, row.cost, lambda value: words.money(value, currency), ref),
    )


def _energy(writer: Writer, row: Row, *, unlike: bool) -> Markup:
    """What a row draws; below it what that is made of, where rows differ in it."""
    shown = bounded(
        writer, words.time_bounds(row), ranged(writer, row.energy_kwh, words.energy, None)
    )
    if row.energy_kwh is None or not unlike:
        return shown
    return Markup('{}<span class="ts-note">{}</span>').format(
        shown, writer.t(f"costs.power.{words.power(row)}")
    )


def offer(writer: Writer, side: Side, row: Row) -> Markup:
    """An offer with its terms, its price and its day, and the way to where it is recorded; a dash
    without one.
    """
    price = side.price(row.offer.id) if row.offer else None
    if price is None or row.offer is None:
        return writer.t("join.nothing")
    name, below = words.offer_name(price), words.under(price, row.offer, writer.locale)
    shown = writer.kept(unbroken(name))
    place = writer.origin_of(f"price:{price.price_id}:amount")
    linked = Markup('<a href="{}">{}</a>').format(writer.url(place), shown) if place else shown
    return Markup('{}<span class="ts-note">{}</span>').format(linked, below)


def ranged(
    writer: Writer, spread: Spread | None, read: Callable[[float], Amount], ref: str | None
) -> Markup:
    """A figure with its interval below it, where that shows; a dash where there is none."""
    if spread is None:
        return writer.t("join.nothing")
    amount = read(spread.value)
    texts = [
        writer.locale.number(*_like(amount, spread.value, end)) for end in (spread.low, spread.high)
    ]
    shown = figure(writer, amount, ref)
    if texts[0] == texts[1]:
        return shown
    return Markup('{}<span class="ts-note">{}</span>').format(
        shown, writer.t("range", low=texts[0], high=texts[1])
    )


def _like(amount: Amount, value: float, end: float) -> tuple[float, int]:
    """An end of an interval in the unit and with the decimals of its figure."""
    return end * (amount.value / value if value else 1.0), amount.decimals


def unranked(writer: Writer, answer: Answer) -> list[Markup]:
    """A line for each reason: the systems that are not ranked for it, each once; with the offer
    where others of theirs are ranked.
    """
    lines, ranked = [], {row.candidate.id for row in answer.ranked}

    def named(row: Row) -> Markup:
        price = (
            answer.case.side(row).price(row.offer.id)
            if row.offer and row.candidate.id in ranked
            else None
        )
        name = escape(answer.name(row))
        named = writer.paren(name, escape(words.short(price, writer.locale))) if price else name
        offered = (
            answer.case.side(row).price(row.offer.id)
            if row.offer and row.state is State.DOUBTFUL_PRICE
            else None
        )
        return (
            writer.paren(named, escape(offers.contradiction(writer, offered))) if offered else named
        )

    for state in State:
        own = [row for row in answer.rows if row.state is state and state is not State.OK]
        if own:
            listed = writer.joined("terms", dict.fromkeys(named(row) for row in own))
            lines.append(
                writer.t(
                    "costs.list_of",
                    state=Markup("<b>{}</b>").format(writer.t(f"costs.state.{state}")),
                    systems=listed,
                )
            )
    return lines


def notes(writer: Writer, answer: Answer) -> list[tuple[int | None, Markup]]:
    """Remarks below the table: those of all rows without a number, then the numbered ones; and at
    which rate amounts were converted.
    """
    shared, numbered = words.marks(answer.rows)
    found: list[tuple[int | None, Markup]] = [
        (None, writer.t(f"price_remark.{key}")) for key in shared
    ]
    found += [(None, line) for line in (*converted(writer, answer), *owned(writer, answer))]
    return found + [
        (place, writer.t(f"price_remark.{key}")) for place, key in enumerate(numbered, 1)
    ]


def converted(writer: Writer, answer: Answer) -> list[Markup]:
    """Which currencies were converted, at whose rate of which day."""
    found = {}
    for row in answer.ranked:
        if (
            row.converted is not None
            and row.offer is not None
            and row.offer.currency != answer.case.question.currency
        ):
            found[row.offer.currency, row.converted.day] = row.converted
    lines = []
    for (currency, day), one in sorted(found.items()):
        rate = Amount(
            one.rate, answer.case.question.currency, words.places(one.rate, RATE_DECIMALS)
        ).text(writer.locale)
        base = Amount(1.0, currency, 0).text(writer.locale)
        sources = writer.locale.join([str(writer.source_name(source)) for source in one.sources])
        lines.append(
            writer.t(
                "costs.converted",
                currency=currency,
                rate=rate,
                one=base,
                day=day,
                source=Markup(sources),  # noqa: S704 - escaped
            )
        )
    return lines


RATE_DECIMALS: Final = 4


def owned(writer: Writer, answer: Answer) -> list[Markup]:
    """Over which months, and which share of their hours, the price of what is bought was spread;
    nothing where all is rented.
    """
    if not any(row.offer and row.offer.purchase is not None for row in answer.ranked):
        return []
    question, locale = answer.case.question, writer.locale
    return [
        writer.t(
            "costs.owned",
            months=locale.number(question.months),
            share=words.share(question.utilisation, locale),
        )
    ]


def break_even(writer: Writer, answer: Answer) -> Markup:
    """At which price an hour the next system would cost what the first costs; nothing without one,
    and where the first one is free.
    """
    priced = [row for row in answer.ranked if row.hourly and row.billed_s is not None]
    first = answer.ranked[0] if answer.ranked else None
    second = next(
        (
            row
            for row in priced
            if first is not None and row.candidate.system != first.candidate.system
        ),
        None,
    )
    if second is None or first not in priced or answer.case.question.by is not By.COST:
        return Markup("")
    if any({"at-most", "between"} & {*row.remarks} for row in (first, second)):
        return Markup("")  # two upper limits have no price at which they meet
    assert first is not None and first.billed_s is not None and second.billed_s is not None  # noqa: S101 - among those with a price
    currency = answer.case.question.currency
    price = cost.break_even_price(second.billed_s, first.billed_s, first.hourly or 0.0)
    amount = words.money(price.value, currency)
    low, high = (
        writer.locale.number(*_like(amount, price.value, end)) for end in (price.low, price.high)
    )
    between = writer.t("costs.break_even_range", low=low, high=high) if low != high else Markup("")
    sides = [answer.case.side(row) for row in (second, first)]
    hourly = [
        hourly_ref(writer.site.facts, side, row)
        for side, row in zip(sides, (second, first), strict=True)
    ]
    target, direction = answer.case.question.target, answer.case.question.direction
    ref = (
        f"break_even_price({', '.join(str(side.time_ref(target, direction)) for side in sides)}, "
        f"{hourly[1]})"
    )
    said = writer.t(
        "costs.break_even",
        first=strong(answer.name(first)),
        second=strong(answer.name(second)),
        price=figure(writer, amount, exact(writer.site.facts, ref, price.value)),
        range=between,
        hourly=figure(writer, words.money(second.hourly or 0.0, currency), hourly[0]),
    )
    return writer.joined("sentences", (said, turning_point(writer, answer, first, second)))


def turning_point(writer: Writer, answer: Answer, first: Row, second: Row) -> Markup:
    """For which other jobs the second system would cost less, where one of the two takes longer to
    prepare; else nothing.
    """
    assert first.offer and second.offer and first.seconds and second.seconds  # noqa: S101 - both have a price
    usual = answer.case.question.preparation_s
    ready = [
        usual if offer.preparation_s is None else offer.preparation_s
        for offer in (first.offer, second.offer)
    ]
    own = [
        Spread(time.value - less, time.low - less, time.high - less)
        for time, less in zip((first.seconds, second.seconds), ready, strict=True)
    ]
    if min(each.low for each in own) <= 0:
        return Markup("")
    turn = cost.break_even_seconds(
        cost.relative(own[1], own[0]),
        second.hourly or 0.0,
        first.hourly or 0.0,
        preparation_a_s=ready[1],
        preparation_b_s=ready[0],
        granularity_a_s=second.offer.granularity_s,
        granularity_b_s=first.offer.granularity_s,
    )
    if turn is None:
        return Markup("")
    key = "shorter" if turn.value < own[0].value else "longer"
    names = {"first": strong(answer.name(first)), "second": strong(answer.name(second))}
    return writer.t(f"costs.break_even_{key}", time=figure(writer, words.time(turn.value)), **names)


def block(writer: Writer, answer: Answer) -> Markup:
    """The table, its remarks, and the price at which its first two change places."""
    rows = cells(writer, answer)
    return writer.render(
        "blocks/costs.html",
        caption=writer.t(
            "costs.caption",
            goal=words.goal(answer.case, answer.case.question.target, writer.locale),
        ),
        rows=rows,
        energy=any(row.energy_kwh is not None for row in answer.ranked),
        notes=notes(writer, answer),
        break_even=break_even(writer, answer),
    )
