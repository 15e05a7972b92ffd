"""The table of costs on pages of reports, systems and workloads: the cost of reaching a quality at
each matching offer.

The reader can choose one kind of terms and a currency; without JavaScript every row is in the
currency of its offer. A converted amount names its rate and date; without a rate there is no
conversion.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from markupsafe import Markup, escape

from kernels.audit.facts import Facts
from kernels.catalog.cost import Spread, exactly
from kernels.catalog.price_warnings import Reason
from kernels.records import Per, Price, PriceKind
from site_src.charts.markup import datum, swatch
from site_src.costs import OTHER, Case, Setup, words
from site_src.costs.bills import Bill
from site_src.costs.question import Row
from site_src.costs.references import exact, hourly_ref, refs
from site_src.costs.words import Amount
from site_src.figures import theme as themes
from site_src.figures.controls import Series
from site_src.locales import unbroken
from site_src.pages.components import conditions, offers, tables
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer, capital
from site_src.tables import series_id
from site_src.tables.quality import loose
from site_src.templates import html

RATE_DECIMALS: Final = 4
"""Decimals of exchange rates."""

MANY: Final = 12
"""Tables with more rows than this are folded: on a phone each row takes a third of a screen."""

_UNSAID: Final = frozenset({"estimate-energy", *Reason})
"""Remarks that this table does not show, and those shown with the offer."""

_OWN: Final = ""
"""Represents the currency of each offer; also in the markup, where `site.js` reads it."""


def of(
    writer: Writer,
    *,
    system: str = "",
    workload: str = "",
    source: str = "",
) -> list[Bill]:
    """The bills of a system, a workload or a source: by workload and quality; offers of the
    machines that were measured come first.
    """
    return ordered(writer, writer.site.bills_of(system=system, workload=workload, source=source))


def ordered(writer: Writer, found: Sequence[Bill]) -> list[Bill]:
    """Bills by workload and quality, offers of the machines that were measured first."""
    workloads = [*writer.site.catalog.workloads]
    return sorted(
        found, key=lambda bill: (workloads.index(bill.case.workload.workload), *_order(bill))
    )


def _order(bill: Bill) -> tuple[float, bool, str, float, str]:
    assert bill.row.cost is not None  # noqa: S101 - a bill has a cost
    return (
        bill.case.question.target,
        OTHER in bill.row.remarks,
        bill.case.question.currency,
        bill.row.cost.value,
        bill.price.price_id,
    )


def block(
    writer: Writer,
    found: Sequence[Bill],
    label: Markup,
    *,
    folding: bool = True,
    converted: bool = True,
) -> Markup:
    """The table with its form, its remarks and a link to the calculator; if there are no bills, the
    reason.

    Args:
        writer: Of the page.
        found: The bills, in their order.
        label: Caption.
        folding: True to fold it where it is long.
        converted: True if the reader may choose another currency than the offer's, and terms; the
            calculator always lets him.
    """
    calculator = writer.link(_calculator(writer, found), writer.t("cost_table.link"))
    if not found:
        return html.note(writer.t("cost_table.none", calculator=calculator))
    rows = [
        replace(bill.row, remarks=tuple(key for key in bill.row.remarks if key not in _UNSAID))
        for bill in found
    ]
    shared, numbered = words.marks(rows)
    names = {
        id_: name
        for case in {bill.case.workload.workload: bill.case for bill in found}.values()
        for id_, name in words.names(case.setups, writer.locale).items()
    }
    mixed = len({bill.price.currency for bill in found}) > 1
    currencies = writer.site.currencies if converted else ()
    several = len({bill.setup.candidate.id for bill in found}) > 1
    lines = [
        _line(writer, bill, names, numbered, currencies, mixed=mixed, several=several)
        for bill in found
    ]
    notes = html.list(
        [
            *(writer.t(f"price_remark.{key}") for key in shared),
            *_remarks(writer, found, converted=converted),
            *(
                html.spaced(html.raised(place), writer.t(f"price_remark.{key}"))
                for place, key in enumerate(numbered, 1)
            ),
        ],
        "ts-bills__notes",
    )
    shown = tables.table(writer, label, lines) + notes
    if folding and len(lines) > MANY:  # choosing in the form opens it
        shown = html.folded(tables.counted(writer, "table", len(lines), "rows"), shown)
    return html.bills(
        _form(writer, found) if converted else Markup(""),
        shown,
        writer.t("cost_table.calculator", calculator=calculator),
    )


def _remarks(writer: Writer, found: Sequence[Bill], *, converted: bool) -> list[Markup]:
    said = []
    if any(bill.price.kind is PriceKind.OWNED for bill in found):
        months = writer.fig(f"number:{found[0].case.question.months:g}", 0)
        said.append(writer.t("cost_table.owned", months=months))
    keys = dict.fromkeys(key for bill in found for run in bill.setup.runs for key in loose(run))
    said += [writer.t(f"caveat.{key}") for key in keys]
    turned = {
        source
        for bill in (found if converted else ())
        for row in bill.others.values()
        if row.converted
        for source in row.converted.sources
    }
    if turned:
        named = writer.joined("comma", *(tables.place(writer, name, "") for name in sorted(turned)))
        said.append(writer.t("cost_table.rates", source=named))
    return said


def section(writer: Writer, found: Sequence[Bill], label: Markup) -> Markup:
    """The table under a heading of its own, within a section of the page."""
    return html.heading("costs", writer.t("cost_table.heading")) + block(writer, found, label)


def _calculator(writer: Writer, found: Sequence[Bill]) -> str:
    ids = {bill.case.workload.workload for bill in found}
    ranked = len(ids) == 1 and writer.site.ranked.get(next(iter(ids)))
    return f"costs/?workload={next(iter(ids))}" if ranked else "costs/"


def _form(writer: Writer, found: Sequence[Bill]) -> Markup:
    kinds = {bill.price.kind.value: writer.word("price_kind", bill.price.kind) for bill in found}
    options = [(value, capital(kinds[value])) for value in sorted(kinds)]
    fields = [("kind", writer.t("head.terms"), options)] if len(kinds) > 1 else []
    return conditions.form(
        writer, fields, "cost_table.form", "cost_table.reset", writer.site.currencies
    )


def _line(
    writer: Writer,
    bill: Bill,
    names: Mapping[str, str],
    numbered: Sequence[str],
    currencies: Sequence[str],
    *,
    mixed: bool,
    several: bool,
) -> Line:
    row, setup, price = bill.row, bill.setup, bill.price
    assert row.seconds is not None  # noqa: S101 - a bill has a time
    time, _ = read_refs(writer.site.facts, bill.case, setup, row)
    hour, cost = bill_refs(writer.site.facts, bill)
    marks = [str(numbered.index(key) + 1) for key in numbered if key in row.remarks]
    target = escape(words.target_text(bill.case, bill.case.question.target, writer.locale))
    name = html.spaced(
        Markup(swatch(look(writer, setup), dashed=False)),  # noqa: S704 - made of numbers and colours
        writer.link(f"systems/{setup.run.system}/", unbroken(names[setup.candidate.id])),
    )
    about, lines = (name, [target]) if several else (target, [])
    if marks:
        about += html.raised(" ".join(marks))
    told = html.lines(*lines, words.rests(row, setup, writer.locale))
    sorted_by = names[setup.candidate.id] if several else str(target)
    return Line(
        {
            "system" if several else "to_target": Entry(html.noted(about, told), sorted_by),
            "cost#": _amounts(writer, bill, _cost, cost, currencies, mixed=mixed),
            "time#": Entry(ranged(writer, row.seconds, words.time, time), repr(row.seconds.value)),
            "price_per_hour#": _amounts(writer, bill, _hourly, hour, currencies, mixed=mixed),
            "offer": Entry(_offer(writer, bill), f"{price.provider} {price.offer}"),
        },
        data={"kind": price.kind.value} if currencies else {},
    )


def cheapest(writer: Writer, found: Sequence[Bill]) -> Markup:
    """The cheapest offer and its cost, preferably an offer for the measured machine itself."""
    bill = least(found)
    _, ref = bill_refs(writer.site.facts, bill)
    amount = _amounts(writer, bill, _cost, ref, (), mixed=False)
    return html.noted(amount, offered(writer, bill.price))


def least(found: Sequence[Bill]) -> Bill:
    """The bill of the cheapest offer, preferably one for the measured machine itself, and one that
    can be had at once and kept: on demand, or free.
    """

    def order(bill: Bill) -> tuple[object, ...]:
        _, other, *rest = _order(bill)
        return (other, bill.price.kind not in {PriceKind.ON_DEMAND, PriceKind.FREE}, *rest)

    return min(found, key=order)


def offered(writer: Writer, price: Price) -> Markup:
    """The offer's name, terms and date."""
    return writer.joined(
        "terms",
        unbroken(words.offer_name(price, writer.locale)),
        words.terms(price, writer.locale),
        words.of_day(price.valid_from, writer.locale),
    )


def _offer(writer: Writer, bill: Bill) -> Markup:
    price, offer = bill.price, bill.row.offer
    assert offer is not None  # noqa: S101 - a bill has an offer
    name = escape(unbroken(words.offer_name(price, writer.locale)))
    place = writer.origin_of(f"price:{price.price_id}:amount")
    linked = writer.link(place, name) if place else name
    bought = words.asked(price, offer, writer.locale) if offer.hourly is None else ""
    region = writer.name("region", price.region) if price.region else ""
    where = tables.place(
        writer, price.source, price.locator, short=price.source == bill.setup.run.source
    )
    told = writer.joined(
        "terms",
        words.terms(price, writer.locale),
        bought,
        region,
        words.of_day(offer.day, writer.locale),
    )
    warnings = [
        offers.against(writer, warning)
        for warning in writer.site.price_warnings.get(price.price_id, ())
    ]
    return html.noted(linked, html.lines(told, where, *warnings))


def _hourly(row: Row) -> Spread | None:
    return None if row.hourly is None else exactly(row.hourly)


def _cost(row: Row) -> Spread | None:
    return row.cost


def bill_refs(facts: Facts, bill: Bill) -> tuple[str | None, str | None]:
    """Formulas of the hourly price and of the cost; a purchase is spread over the months of the
    question.
    """
    question = bill.case.question
    if bill.price.per is not Per.PURCHASE:
        _, cost = read_refs(facts, bill.case, bill.setup, bill.row)
        return hourly_ref(facts, bill.setup, bill.row), cost
    hour = (
        f"owned_per_hour(price:{bill.price.price_id}:amount, number:{question.months:g}, "
        f"number:{question.utilisation:g})"
    )
    base = bill.setup.time_ref(question.target, question.direction)
    return hour, f"cost_of_time({base}, {hour})" if base else None


def _amounts(
    writer: Writer,
    bill: Bill,
    pick: Callable[[Row], Spread | None],
    ref: str | None,
    currencies: Sequence[str],
    *,
    mixed: bool,
) -> Markup:
    """An amount in the offer's currency and in each of the others; the reader's choice is shown."""
    own = bill.price.currency
    if bill.price.kind is PriceKind.FREE:
        return escape(writer.locale.free(bill.price.session_limit_s))
    found = {own: bill.row, **bill.others}
    shown = []
    for currency in [own, *(name for name in currencies if name != own)]:
        row, which = found.get(currency), "|".join((_OWN, own)) if currency == own else currency
        spread = None if row is None else pick(row)
        text = (
            writer.t("costs.state.no_rate")
            if row is None or spread is None
            else _amount(writer, row, currency, spread, ref)
        )
        # amounts in two currencies have no order: they sort within the offer's currency
        order = f"{own} {spread.value:020.9f}" if mixed and currency == own and spread else ""
        if not currencies and not order:
            return text
        # a template is not read aloud, searched or copied
        tag = "span" if currency == own else "template"
        shown.append(html.in_currency(tag, which, order, text))
    return Markup("").join(shown)


def _amount(writer: Writer, row: Row, currency: str, spread: Spread, ref: str | None) -> Markup:
    turned, offer = row.converted, row.offer
    ref = turned_ref(ref, row, currency)
    known = exact(writer.site.facts, ref, spread.value) if ref else None
    text = ranged(writer, spread, lambda value: words.money(value, currency), known)
    # computed from "about", so "about" too
    if known:
        text = writer.bounded(text, writer.fact(known).bound)
    if turned is None or offer is None or offer.currency == currency or spread is not row.cost:
        return text
    decimals = words.places(turned.rate, RATE_DECIMALS)
    rate = Amount(turned.rate, currency, decimals).text(writer.locale)
    one = Amount(1.0, offer.currency, 0).text(writer.locale)
    return text + html.small(writer.t("cost_table.rate", rate=rate, one=one, day=turned.day))


def turned_ref(ref: str | None, row: Row, currency: str) -> str | None:
    """The formula of a converted amount, from that in the offer's currency."""
    turned, offer = row.converted, row.offer
    if not ref or turned is None or offer is None:
        return ref
    return f"product({ref}, rate:{offer.currency}:{currency}:{turned.day})"


def look(writer: Writer, setup: Setup) -> Series:
    """A setup's colour and shape, as in the workload's chart of costs."""
    run, id_ = setup.run, series_id(setup.run)
    drawn = writer.site.figures.get(f"{run.workload}-costs")
    known = drawn.looks(writer.locale) if drawn else {}
    own = known.get(id_) or themes.look(run.system, run.framework, run.round)
    return Series(setup.candidate.id, setup.label, own)


def figure(writer: Writer, amount: Amount, ref: str | None = None) -> Markup:
    """A figure with its unit, its machine value and its reference; without a reference, plain
    text.
    """
    text = writer.locale.number(amount.value, amount.decimals)
    # `exact` may differ in the last digit, with the order of a product's factors
    known = writer.fact(ref).value if ref else None
    data = datum(known, text, ref) if known is not None and ref else f"<span>{escape(text)}</span>"
    return Markup(escape(writer.locale.pattern(amount.value, amount.unit))).format(n=Markup(data))  # noqa: S704 - escaped


def read_refs(facts: Facts, case: Case, setup: Setup, row: Row) -> tuple[str | None, str | None]:
    """References of a row's time, in its usual unit, and of its cost."""
    return refs(facts, case, setup, row, words.time(row.seconds.value).unit if row.seconds else "")


def ranged(
    writer: Writer, spread: Spread | None, read: Callable[[float], Amount], ref: str | None
) -> Markup:
    """A figure with its interval below it, if that shows; a dash if missing."""
    if spread is None:
        return writer.t("join.nothing")
    amount = read(spread.value)
    texts = [
        writer.locale.number(*_like(amount, spread.value, end)) for end in (spread.low, spread.high)
    ]
    shown = figure(writer, amount, ref)
    if texts[0] == texts[1]:
        return shown
    return shown + html.small(writer.t("range", low=texts[0], high=texts[1]))


def _like(amount: Amount, value: float, end: float) -> tuple[float, int]:
    return end * (amount.value / value if value else 1.0), amount.decimals
