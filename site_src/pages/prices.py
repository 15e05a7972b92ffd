"""The page of prices: every recorded offer by kind of accelerator, with its places and its history,
and an accelerator's hour at it.
"""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup, escape

from kernels.catalog.cost import by_time
from kernels.records import Per
from site_src.costs.words import places
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages.components import offers, tables
from site_src.pages.components.conditions import EITHER, UNSTATED
from site_src.pages.components.site import Site
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer, capital
from site_src.pages.report.source import licence
from site_src.tables.prices import MANY, Offered, by_accelerator, cheapest, hardware, offered
from site_src.templates import html

FOLDER: Final = "prices/"

FILTERS: Final = ("provider", "accelerator", "kind", "currency", "region", "source")
"""What the offers can be filtered by, in the order of the form, by the names that they have in an
address.
"""


def prices_page(site: Site, writer: Writer) -> Page:
    """The page in one language."""
    found = offered(sorted(site.prices.values(), key=lambda price: price.price_id))
    kinds = by_accelerator(found, site.catalog, site.price_doubts)
    blocks = [
        _form(writer, found),
        *(_kind(writer, kind, own, folded=len(found) > MANY) for kind, own in kinds),
    ]
    files = [
        writer.asset(f"{path}")
        for path in (
            "data/prices.parquet",
            "data/prices.csv",
            "api/v1/prices.json",
            "data/rates.csv",
        )
    ]
    links = writer.links([(path, path.rsplit("/", 1)[-1]) for path in files])
    return writer.prose_page(
        "prices",
        writer.text("prices.md"),
        {"least": [_least(writer, kinds)], "offers": blocks, "download": [links, _terms(writer)]},
    )


def _values(writer: Writer, offer: Offered) -> dict[str, dict[str, Markup]]:
    """What an offer says of itself to the filters: for each of them values, as they stand in an
    address, with their texts.
    """
    price = offer.price
    kind = hardware(price, writer.site.catalog)
    regions = {
        each.region or UNSTATED: writer.name("region", each.region)
        if each.region
        else writer.t("not_stated")
        for each in offer.newest
    }
    return {
        "provider": {price.provider: escape(price.provider)},
        "accelerator": {kind or UNSTATED: _kind_name(writer, kind)},
        "kind": {price.kind.value: writer.word("price_kind", price.kind)},
        "currency": {price.currency: escape(price.currency)},
        "region": regions,
        "source": {price.source: writer.source_name(price.source)},
    }


def _form(writer: Writer, found: Sequence[Offered]) -> Markup:
    """The form that leaves some offers; hidden where no JavaScript works it, so that all stand
    there.
    """
    every = [_values(writer, offer) for offer in found]
    fields = []
    for name in FILTERS:
        options = {value: text for each in every for value, text in each[name].items()}
        if len(options) > 1:
            ordered = sorted(
                options.items(),
                key=lambda option: (option[0] == UNSTATED, str(option[1].striptags()).casefold()),
            )
            fields.append(
                (
                    name,
                    writer.t(f"prices.by.{name}"),
                    [
                        (value, text.striptags() if name == "region" else capital(text.striptags()))
                        for value, text in ordered
                    ],
                )
            )
    said = writer.t("filter.said", left="{left}", all="{all}")
    return writer.render(
        "blocks/filters.html",
        fields=fields,
        label=writer.t("prices.filter"),
        reset=writer.t("prices.all"),
        said=said,
    )


def _kind_name(writer: Writer, kind: str | None) -> Markup:
    known = writer.site.catalog.hardware.get(kind or "")
    return (
        escape(unbroken(known.name))
        if known
        else escape(kind)
        if kind
        else writer.t("prices.unknown")
    )


def _least(writer: Writer, kinds: Sequence[tuple[str | None, Sequence[Offered]]]) -> Markup:
    """What an hour of each kind of accelerator costs where it is cheapest, in each currency, and
    the way to all its offers.
    """
    lines = []
    for kind, found in kinds:
        name = _kind_name(writer, kind)
        link = html.link(f"#{kind or UNSTATED}", name)
        count = writer.t("prices.unfold", n=len(found))
        least = cheapest(found, writer.site.price_doubts)
        if not least and cheapest(found):
            nothing = writer.t("join.nothing")
            none = Entry(html.noted(nothing, writer.t("prices.doubtful")), None, "number")
            lines.append(
                Line([Entry(html.noted(link, count), str(name)), none, *[Entry(nothing)] * 3])
            )
        for price in least:
            ref = f"price:{price.price_id}:per_accelerator_hour"
            value = writer.fact(ref).value or 0.0
            place = writer.name("region", price.region) if price.region else Markup("")
            cells = [
                Entry(html.noted(link, count), str(name)),
                Entry(
                    writer.fig(ref, places(value, 2), unit=True),
                    f"{price.currency} {value:020.9f}",
                    "number",
                ),
                Entry(writer.word("price_kind", price.kind)),
                Entry(html.noted(offers.named(writer, price), place), price.provider),
                Entry(
                    writer.given(price.valid_from),
                    price.valid_from.isoformat() if price.valid_from else None,
                ),
            ]
            lines.append(Line(cells))
    heads = tables.heads(writer, "accelerator", "per_accelerator_hour#", "terms", "offer", "date")
    return tables.table(writer, writer.t("prices.least"), heads, lines)


def _kind(writer: Writer, kind: str | None, found: Sequence[Offered], *, folded: bool) -> Markup:
    """The offers of one kind of accelerator."""
    name = _kind_name(writer, kind)
    mixed = len({offer.price.currency for offer in found}) > 1
    heads = tables.heads(writer, "offer", "per_accelerator_hour#", "price#", "date")
    _, numbered = offers.marks(writer, found)
    lines = [_line(writer, offer, numbered, mixed=mixed) for offer in found]
    table = tables.table(
        writer, writer.t("prices.of_kind", name=name), heads, lines
    ) + offers.notes(writer, found)
    fold = html.folded(writer.t("prices.unfold", n=len(found)), table, open=not folded)
    return html.filtered_section(kind or UNSTATED, name, fold)


def _line(writer: Writer, offer: Offered, numbered: Sequence[offers.Said], *, mixed: bool) -> Line:
    """An offer as a row; in a table of several currencies figures sort within theirs."""
    price = offer.price
    amount, each = (
        offers.amount(writer, offer),
        offers.hourly(writer, offer, "per_accelerator_hour"),
    )
    if by_time(price) and price.per is not Per.HOUR:
        amount = Entry(
            html.noted(amount.text, offers.hourly(writer, offer).text), amount.value, amount.kind
        )
    system = price.system if price.system in writer.site.machines else None
    name = offers.named(writer, price)
    head = writer.link(f"systems/{system}/#prices", name) if system else name
    head += offers.signs(writer, offer, numbered)
    said = writer.joined(
        "terms",
        (writer.locale.quantity(price.accelerators, "chips", 0), offers.terms(writer, price).text),
    )
    return Line(
        [
            Entry(html.noted(head, said), f"{price.provider} {price.offer}"),
            *(_within(price.currency, entry) if mixed else entry for entry in (each, amount)),
            offers.since(writer, offer, numbered, offers.source(writer, offer).text),
        ],
        f"price-{price.price_id}",
        data={name: EITHER.join(values) for name, values in _values(writer, offer).items()},
    )


def _within(currency: str, entry: Entry) -> Entry:
    """The same, sorted by currency first: amounts of two currencies have no order."""
    return (
        entry
        if entry.value is None
        else Entry(entry.text, f"{currency} {float(str(entry.value)):020.9f}", entry.kind)
    )


def _terms(writer: Writer) -> Markup:
    """Whose prices and rates these are, under which terms, and whom to name."""
    site = writer.site
    used = [price.source for price in site.prices.values()] + [
        rate.source for rate in (*site.archive.rates, *site.catalog.rates.values())
    ]
    lines = []
    for name in dict.fromkeys(used):
        source = site.sources.get(name)
        if source is None:
            continue
        link = writer.link(f"sources/{name}/", writer.source_title(source))
        entries = [
            Entry(link, source.title),
            Entry(licence(writer, source.licence)),
            Entry(writer.source_credit(source)),
        ]
        lines.append(
            Line(
                [
                    *entries,
                    Entry(
                        escape(writer.locale.number(used.count(name))), used.count(name), "number"
                    ),
                ]
            )
        )
    return tables.table(
        writer,
        writer.t("prices.terms"),
        tables.heads(writer, "source", "licence", "credit", "rows#"),
        lines,
    )
