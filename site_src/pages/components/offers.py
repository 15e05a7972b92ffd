"""Offers in pages: price, terms, hourly price, region, date and source.

An offer is one row, whatever its places and its history (`tables.prices.offered`), which unfold in
the row.
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
    """A table of offers with terms, hourly price, region, date and source; `short` where the page
    names the source.
    """
    listed = offered(found)
    _, numbered = marks(writer, listed)
    lines = [_line(writer, offer, numbered, system=system, short=short) for offer in listed]
    return tables.table(writer, label, lines) + notes(writer, listed)


def rounded(writer: Writer, ref: str, *, link: bool = True) -> Markup:
    """A price or a cost with two decimals; more if below ten cents."""
    return writer.fig(ref, places(writer.fact(ref).value or 0.0, 2), unit=True, link=link)


def hour_from(writer: Writer, kind: str) -> Markup | None:
    """The lowest price of an accelerator-hour and its date, from offers of the accelerator's own
    form if any, else from those that name no form. None if there are no offers.
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
"""A remark on a price: the key of a note, or a warning."""


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
    """Remarks on all current prices, and remarks on some, which are numbered."""
    held = [_said(writer, price) for offer in found for price in offer.newest]
    said = dict.fromkeys(key for keys in held for key in keys)
    shared = [key for key in said if all(key in keys for keys in held)]
    return shared, [key for key in said if key not in shared]


def notes(writer: Writer, found: Sequence[Offered]) -> Markup:
    """The remarks as a list, numbered where they are on some offers only."""
    shared, numbered = marks(writer, found)
    said = [_note_of(writer, key) for key in shared]
    said += [
        html.spaced(html.raised(place), _note_of(writer, key))
        for place, key in enumerate(numbered, 1)
    ]
    return html.list(said, "ts-bills__notes") if said else Markup("")


def _said(writer: Writer, price: Price) -> list[Said]:
    """A price's notes and warnings. Older imports noted a warning's reason, which is left out."""
    return [
        *(key for key in price.notes if key not in frozenset(Reason)),
        *writer.site.price_warnings.get(price.price_id, ()),
    ]


def _note_of(writer: Writer, said: Said) -> Markup:
    return writer.t(f"price_note.{said}") if isinstance(said, str) else against(writer, said)


def against(writer: Writer, warning: PriceWarning) -> Markup:
    """The warning in words, with the prices that contradict this one."""
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
    if writer.path == "prices/":  # which has an anchor for each price
        name = html.link(f"#price-{price.price_id}", name)
    elif place:
        name = writer.link(place, name)
    chips = writer.locale.quantity(price.accelerators, "chips", 0) if price.accelerators > 1 else ""
    trained = (
        writer.t("price.of_workload", name=writer.workload_name(price.workload))
        if price.workload
        else ""
    )
    kind = writer.word("price_kind", price.kind)
    return writer.joined("comma", _hour(writer, price), name, kind, chips, trained)


def _hour(writer: Writer, price: Price) -> Markup:
    return rounded(writer, f"price:{price.price_id}:per_hour", link=False)


def contradiction(writer: Writer, price: Price) -> str:
    """The hourly price and the prices that contradict it; empty for a price without warnings."""
    warnings = writer.site.price_warnings.get(price.price_id, ())
    others = dict.fromkeys(name for one in warnings for name in one.against)
    if not others:
        return ""
    told = writer.joined("terms", *(_other(writer, writer.site.prices[name]) for name in others))
    return writer.plain("costs.doubted", amount=_hour(writer, price), others=told)


def signs(writer: Writer, offer: Offered, numbered: Sequence[Said]) -> Markup:
    """Numbers of the remarks on all places of an offer; each place also has its own."""
    return _signs(
        [key for key in numbered if all(key in _said(writer, price) for price in offer.newest)],
        numbered,
    )


def _signs(keys: Sequence[Said], numbered: Sequence[Said]) -> Markup:
    return (
        html.raised(" ".join(str(numbered.index(key) + 1) for key in keys)) if keys else Markup("")
    )


def named(writer: Writer, price: Price) -> Markup:
    """Provider and offer's name, once where they are the same."""
    return writer.joined("comma", *dict.fromkeys((price.provider, unbroken(price.offer))))


def terms(writer: Writer, price: Price) -> Markup:
    """Kind of price, term, billing increment, limits, and what the amount covers."""
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
    """An offer's price as printed; "free" has no amount in a currency."""
    if offer.price.kind is PriceKind.FREE:
        return Entry(escape(writer.locale.free(offer.price.session_limit_s)), "0.0")
    return figure(writer, offer, "amount")


def hourly(writer: Writer, offer: Offered, field: str = "per_hour") -> Entry:
    """An offer's hourly price, of all its accelerators or of one; hardware for sale and free offers
    have none.
    """
    if offer.price.per is Per.PURCHASE:
        return Entry(writer.t("price.bought"))
    if offer.price.kind is PriceKind.FREE:
        return Entry(writer.t("join.nothing"), "0.0")
    return figure(writer, offer, field)


def figure(writer: Writer, offer: Offered, field: str) -> Entry:
    """A figure of an offer; the range from its cheapest place to the dearest where they differ."""
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
    """The newest date of the price, its region and `told`; below them the other places and earlier
    prices.
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
    """The places of an offer, grouped by price and date, with their anchors and remarks."""
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
    """The source of an offer and the place in it. For several places or days only the source: each
    has its own line in what unfolds.
    """
    alone = len(offer.places) == 1 and not offer.earlier
    locator = offer.price.locator if alone or short else ""
    return tables.place(writer, offer.price.source, locator, short=short)


def includes(writer: Writer, price: Price) -> Markup:
    """The goods and services that an amount covers, as far as the source says."""
    words = [str(writer.t(f"includes.{part}")) for part in price.includes]
    return escape(writer.locale.join(words)) if words else writer.missing("not_stated")
