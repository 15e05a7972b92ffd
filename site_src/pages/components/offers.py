"""Offers in pages: what they cost, on which terms, by the hour, where, since when and as whom their
source has it.

An offer is one row, whatever its places and its history (`tables.prices.offered`); both unfold in
it.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from markupsafe import Markup, escape

from kernels.catalog.price_warnings import PriceWarning, Reason
from kernels.records import Per, Price, PriceKind
from site_src.costs.words import places
from site_src.locales import unbroken
from site_src.pages.components import tables
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer
from site_src.tables.prices import Offered, cheapest, offered
from site_src.templates import html


def offers(
    writer: Writer,
    found: Sequence[Price],
    label: Markup,
    *,
    system: bool = True,
    short: bool = False,
) -> Markup:
    """Offers with terms, hourly equivalent, region, date and place; `short` where the page says
    which source they are from.
    """
    listed = offered(found)
    _, numbered = marks(writer, listed)
    lines = [_line(writer, offer, numbered, system=system, short=short) for offer in listed]
    return tables.table(writer, label, lines) + notes(writer, listed)


def rounded(writer: Writer, ref: str, *, link: bool = True) -> Markup:
    """A price or a cost with two decimals; with more where it is less than ten cents."""
    return writer.fig(ref, places(writer.fact(ref).value or 0.0, 2), unit=True, link=link)


def hour_from(writer: Writer, kind: str) -> Markup | None:
    """What an hour of an accelerator costs where it is cheapest, with the day of that price: of its
    own form, else of offers that name none. None where nobody offers it.
    """
    site = writer.site
    kinds = [kind, *(one for one in site.offers_of_kind if site.catalog.covers(one, kind))]
    for one in kinds:
        found = site.offers_of_kind.get(one, ())
        least = cheapest(found, site.price_warnings, site.prices_read)
        dated = [price for price in least if price.valid_from]
        if dated:
            price = max(dated, key=lambda price: (price.currency == "USD", price.valid_from))
            ref = f"price:{price.price_id}:per_accelerator_hour"
            return writer.t("prices.from", amount=rounded(writer, ref), day=price.valid_from)
    return None


Said = str | PriceWarning
"""What is to be said of a price: the key of a note, or why it cannot be right."""


def _line(
    writer: Writer, offer: Offered, numbered: Sequence[Said], *, system: bool, short: bool
) -> Line:
    price = offer.price
    name = named(writer, price)
    own = name + signs(writer, offer, numbered)
    known = system and price.system in writer.site.machines
    machine = escape(writer.system_name(price.system)) if known else name
    return Line(
        {
            "offer": Entry(
                own if machine == name else html.noted(machine, own),
                f"{price.provider} {price.offer}",
            ),
            "terms": terms(writer, price),
            "price#": amount(writer, offer),
            "price_per_hour#": hourly(writer, offer),
            "date": since(writer, offer, numbered),
            "source": source(writer, offer, short=short),
        },
        f"price-{price.price_id}",
    )


def marks(writer: Writer, found: Sequence[Offered]) -> tuple[list[Said], list[Said]]:
    """Remarks on all prices in force, and those on some, which get numbers."""
    held = [_said(writer, price) for offer in found for price in offer.newest]
    said = dict.fromkeys(key for keys in held for key in keys)
    shared = [key for key in said if all(key in keys for keys in held)]
    return shared, [key for key in said if key not in shared]


def notes(writer: Writer, found: Sequence[Offered]) -> Markup:
    """Remarks on all these offers, and by number those on some."""
    shared, numbered = marks(writer, found)
    said = [_note_of(writer, key) for key in shared]
    said += [
        html.spaced(html.raised(place), _note_of(writer, key))
        for place, key in enumerate(numbered, 1)
    ]
    return html.list(said, "ts-bills__notes") if said else Markup("")


def _said(writer: Writer, price: Price) -> list[Said]:
    """The notes of a price, and the reasons against it; an older import has one of those reasons as
    a note.
    """
    return [
        *(key for key in price.notes if key not in frozenset(Reason)),
        *writer.site.price_warnings.get(price.price_id, ()),
    ]


def _note_of(writer: Writer, said: Said) -> Markup:
    return writer.t(f"price_note.{said}") if isinstance(said, str) else against(writer, said)


def against(writer: Writer, warning: PriceWarning) -> Markup:
    """Why a price cannot be right, with the prices that contradict it."""
    others = writer.joined(
        "terms", *(_other(writer, writer.site.prices[name]) for name in warning.against)
    )
    return writer.joined(
        "sentences",
        writer.t(f"price_remark.{warning.reason}"),
        writer.t("price.compared", others=others),
    )


def _other(writer: Writer, price: Price) -> Markup:
    name, place = named(writer, price), writer.origin_of(f"price:{price.price_id}:amount")
    if writer.path == "prices/":  # each price has its anchor there
        name = html.link(f"#price-{price.price_id}", name)
    elif place:
        name = writer.link(place, name)
    chips = writer.locale.quantity(price.accelerators, "chips", 0) if price.accelerators > 1 else ""
    trained = (
        writer.t("price.of_workload", name=writer.workload_name(price.workload))
        if price.workload
        else ""
    )
    told = writer.joined("comma", name, writer.word("price_kind", price.kind), chips, trained)
    return writer.paren(_hour(writer, price), told)


def _hour(writer: Writer, price: Price) -> Markup:
    return rounded(writer, f"price:{price.price_id}:per_hour", link=False)


def contradiction(writer: Writer, price: Price) -> str:
    """An hour of a price that cannot be right, with the prices that contradict it; nothing for one
    that can be.
    """
    warnings = writer.site.price_warnings.get(price.price_id, ())
    others = dict.fromkeys(name for one in warnings for name in one.against)
    if not others:
        return ""
    told = writer.joined("terms", *(_other(writer, writer.site.prices[name]) for name in others))
    return writer.plain("costs.doubted", amount=_hour(writer, price), others=told)


def signs(writer: Writer, offer: Offered, numbered: Sequence[Said]) -> Markup:
    """The numbers of what is said of an offer: of what holds for all its places, as each other
    place has its own.
    """
    return _signs(
        [key for key in numbered if all(key in _said(writer, price) for price in offer.newest)],
        numbered,
    )


def _signs(keys: Sequence[Said], numbered: Sequence[Said]) -> Markup:
    return (
        html.raised(" ".join(str(numbered.index(key) + 1) for key in keys)) if keys else Markup("")
    )


def named(writer: Writer, price: Price) -> Markup:
    """Provider and name of an offer; once where they are the same."""
    return writer.joined("comma", *dict.fromkeys((price.provider, unbroken(price.offer))))


def terms(writer: Writer, price: Price) -> Markup:
    """On which terms, for how long, in which steps it is billed, and what the amount covers."""
    term = writer.t("price.term", n=price.term_months) if price.term_months else Markup("")
    free = price.kind is PriceKind.FREE
    kind = (
        escape(writer.locale.free(price.session_limit_s))
        if free
        else writer.word("price_kind", price.kind)
    )
    said = [kind, term, writer.t("price.no_upfront") if price.upfront == 0 else Markup("")]
    said += [
        writer.t(f"price.{name}", time=writer.locale.duration(seconds))
        for name in ("granularity_s", *(() if free else ("session_limit_s",)), "preparation_s")
        if (seconds := getattr(price, name)) is not None
    ]
    if price.workload:
        said.append(writer.t("price.of_workload", name=writer.workload_name(price.workload)))
    covered = writer.t("price.includes", what=includes(writer, price))
    return html.noted(writer.joined("terms", *said), covered)


def amount(writer: Writer, offer: Offered) -> Entry:
    """An offer's price as its source has it; what is free says so, and has no price of nothing in
    some currency.
    """
    if offer.price.kind is PriceKind.FREE:
        return Entry(escape(writer.locale.free(offer.price.session_limit_s)), "0.0")
    return figure(writer, offer, "amount")


def hourly(writer: Writer, offer: Offered, field: str = "per_hour") -> Entry:
    """An offer's price by the hour, of all its accelerators or of one; what is bought has none, and
    what is free needs none.
    """
    if offer.price.per is Per.PURCHASE:
        return Entry(writer.t("price.bought"))
    if offer.price.kind is PriceKind.FREE:
        return Entry(writer.t("join.nothing"), "0.0")
    return figure(writer, offer, field)


def figure(writer: Writer, offer: Offered, field: str) -> Entry:
    """A figure of an offer; from its cheapest place to its dearest where they differ."""
    low, high = (f"price:{price.price_id}:{field}" for price in (offer.newest[0], offer.newest[-1]))
    first, last = writer.fact(low), writer.fact(high)
    if first.value is None or last.value is None or first.value == last.value:
        decimals = None if field == "amount" or first.value is None else places(first.value, 2)
        return Entry(writer.fig(low, decimals, unit=True), first.value)
    decimals = max(places(first.value, 2), places(last.value, 2))
    between = writer.t("range", low=writer.fig(low, decimals), high=writer.fig(high, decimals))
    unit = Markup(escape(writer.locale.pattern(last.value, last.unit)))  # noqa: S704 - escaped
    return Entry(unit.format(n=between), repr(float(first.value)))


def since(writer: Writer, offer: Offered, numbered: Sequence[Said], told: str = "") -> Entry:
    """The newest day on which the price was seen, where it holds, what else is told; below it the
    other places and the earlier prices.
    """
    several = len(offer.places) > 1
    if several:
        label = writer.t("price.places", n=len(offer.places))
    else:
        region = writer.named_or_missing("region", offer.price.region)
        where = writer.t("price.region", region=region)
        label = writer.t("price.earlier", n=offer.earlier)
    shown = html.noted(writer.given(offer.last_day), html.lines("" if several else where, told))
    folded = [_everywhere(writer, offer, numbered)] if several else []
    folded += [_earlier(writer, place) for place in offer.places if len(place) > 1]
    if folded:
        shown += html.details(label, Markup("").join(folded), "ts-history")
    return replace(tables.dated(writer, offer.last_day), text=shown)


def _everywhere(writer: Writer, offer: Offered, numbered: Sequence[Said]) -> Markup:
    """The places of an offer, those of one price on one day together, each with its anchor and what
    is said of it alone.
    """
    own = [
        key for key in numbered if not all(key in _said(writer, price) for price in offer.newest)
    ]
    lines = []
    for _, same in groupby(offer.newest, key=lambda price: (price.amount, price.valid_from)):
        prices = list(same)
        names = writer.joined(
            "comma",
            *(
                html.anchored(
                    "" if price is offer.price else f"price-{price.price_id}",
                    writer.named_or_missing("region", price.region)
                    + _signs([key for key in own if key in _said(writer, price)], numbered),
                )
                for price in prices
            ),
        )
        lines.append(
            writer.colon(names, _seen(writer, prices[0], writer.given(prices[0].valid_from)))
        )
    return html.list(lines)


def _seen(writer: Writer, price: Price, *told: Markup) -> Markup:
    text = writer.joined(
        "comma", writer.fig(f"price:{price.price_id}:amount", unit=True, link=False), *told
    )
    return html.spaced(text, html.small(writer.locator(price.locator)))


def _earlier(writer: Writer, place: Sequence[Price]) -> Markup:
    lines = [
        (
            f"price-{price.price_id}",
            writer.colon(writer.given(price.valid_from), _seen(writer, price)),
        )
        for price in reversed(place[:-1])
    ]
    if region := place[-1].region:
        told = writer.t("price.earlier_in", region=writer.name("region", region))
        lines.insert(0, ("", told))
    return html.anchored_list(lines)


def source(writer: Writer, offer: Offered, *, short: bool = False) -> Markup:
    """Where an offer is printed; of several places or days the source alone, as each of them has
    its line in what unfolds.
    """
    alone = len(offer.places) == 1 and not offer.earlier
    locator = offer.price.locator if alone or short else ""
    return tables.place(writer, offer.price.source, locator, short=short)


def includes(writer: Writer, price: Price) -> Markup:
    """The things that an amount covers, as far as the source says."""
    words = [str(writer.t(f"includes.{part}")) for part in price.includes]
    return escape(writer.locale.join(words)) if words else writer.missing("not_stated")
