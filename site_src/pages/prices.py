"""The page of prices: each recorded offer by kind of accelerator, with its places, its history and
its price per accelerator-hour.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from markupsafe import Markup, escape

from kernels.catalog.cost import by_time
from kernels.records import Per
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages.components import conditions, offers, tables
from site_src.pages.components.conditions import EITHER, UNSTATED
from site_src.pages.components.site import Site
from site_src.pages.components.tables import Cells, Entry, Line
from site_src.pages.components.text import small
from site_src.pages.components.writer import Writer
from site_src.tables.prices import (
    MANY,
    UNKNOWN,
    Offered,
    by_accelerator,
    cheapest,
    hardware,
    offered,
    standing,
)
from site_src.templates import html

FOLDER: Final = "prices/"

_FILES: Final = (
    "data/prices.parquet",
    "data/prices.csv",
    "api/v1/prices.json",
    "data/rates.csv",
)

FILTERS: Final = ("provider", "accelerator", "kind", "currency", "region", "source")
"""Filters of offers, in the order of the form, by their names in addresses."""


def prices_page(writer: Writer) -> Page:
    """The page in one language."""
    site = writer.site
    kinds = list(site.offers_of_kind.items())
    found = [offer for _, own in kinds for offer in own]
    if site.prices_apart:
        ways = [(writer.url(_path(kind)), _kind_name(writer, kind)) for kind, _ in kinds]
        blocks = [writer.links(ways)]
    else:
        blocks = [
            _form(writer, found),
            *(_kind(writer, kind, own, folded=len(found) > MANY) for kind, own in kinds),
        ]
    return writer.prose_page(
        "prices",
        writer.text("prices.md"),
        {
            "least": [_least(writer, kinds)],
            "offers": blocks,
            "download": [_files(writer), _terms(writer)],
        },
    )


def _path(kind: str) -> str:
    return f"{FOLDER}{kind}/"


def kind_page(writer: Writer, kind: str) -> Page:
    """The current offers of one kind of accelerator in one language; earlier ones are in the
    downloads.
    """
    site = writer.site
    every = site.offers_of_kind[kind]
    held = standing(every, site.prices_read)
    ((_, found),) = by_accelerator(offered(held), site.catalog, site.price_warnings)
    former = sum(len(place) for offer in every for place in offer.places) - len(held)
    title = writer.t("prices.kind_title", name=_kind_name(writer, kind))
    lead = writer.t("prices.kind_lead")
    drawn = f"{kind}-price-history"
    blocks = {
        "offers": [
            tables.table(writer, writer.t("prices.least"), [*_cheapest(writer, kind, found)]),
            _form(writer, found),
            _kind(writer, kind, found, folded=False),
        ],
        "download": [
            *([html.note(writer.t("prices.former", n=former))] if former else []),
            _files(writer),
            writer.links([(writer.url(FOLDER), writer.t("home.all_accelerators"))]),
        ],
    }
    told = writer.text("prices.md").sections
    sections = [{"id": id_, "title": told[id_].title, "blocks": own} for id_, own in blocks.items()]
    if drawn in site.figures:
        title_ = writer.t("prices.history")
        sections.insert(0, {"id": "history", "title": title_, "blocks": [writer.chart(drawn)]})
    body = writer.render("plain.html", title=title, lead=lead, sections=sections)
    return writer.page("prices", title.striptags(), str(lead.striptags()), body)


def kinds(site: Site) -> list[str]:
    """The kinds of accelerator whose offers have a page of their own."""
    return list(site.offers_of_kind) if site.prices_apart else []


def _files(writer: Writer) -> Markup:
    return writer.links([(writer.asset(path), path.rsplit("/", 1)[-1]) for path in _FILES])


def _values(writer: Writer, offer: Offered) -> dict[str, dict[str, Markup]]:
    price = offer.price
    kind = hardware(price, writer.site.catalog)
    unstated = writer.t("not_stated")
    return {
        "provider": {price.provider: escape(price.provider)},
        "accelerator": {kind or UNSTATED: _kind_name(writer, kind or UNKNOWN)},
        "kind": {price.kind.value: writer.word("price_kind", price.kind)},
        "currency": {price.currency: escape(price.currency)},
        "region": {
            each.region or UNSTATED: writer.name("region", each.region) if each.region else unstated
            for each in offer.newest
        },
        "source": {price.source: writer.source_name(price.source)},
    }


def _form(writer: Writer, found: Sequence[Offered]) -> Markup:
    every = [_values(writer, offer) for offer in found]
    fields = []
    for name in FILTERS:
        texts = {
            value: str(text.striptags()) for each in every for value, text in each[name].items()
        }
        ordered = sorted(
            texts.items(), key=lambda option: (option[0] == UNSTATED, option[1].casefold())
        )
        options = [
            (value, text if name == "region" else text[:1].upper() + text[1:])
            for value, text in ordered
        ]
        if len(options) > 1:
            fields.append((name, writer.t(f"prices.by.{name}"), options))
    return conditions.form(writer, fields, "prices.filter", "prices.all")


def _kind_name(writer: Writer, kind: str) -> Markup:
    known = writer.site.catalog.hardware.get(kind)
    if known:
        return escape(unbroken(known.name))
    return writer.t("prices.unknown") if kind == UNKNOWN else escape(kind)


def _least(writer: Writer, kinds: Sequence[tuple[str, Sequence[Offered]]]) -> Markup:
    rows = [row for kind, found in kinds for row in _cheapest(writer, kind, found)]
    return tables.table(writer, writer.t("prices.least"), rows)


def _cheapest(writer: Writer, kind: str, found: Sequence[Offered]) -> Iterator[Cells]:
    name = _kind_name(writer, kind)
    count = small(writer.t("prices.unfold", n=len(found)))
    apart = writer.site.prices_apart and writer.path == FOLDER
    way = writer.url(_path(kind)) if apart else f"#{kind}"
    first = Entry(html.noted(html.link(way, name), count), str(name))
    read = writer.site.prices_read
    least = cheapest(found, writer.site.price_warnings, read)
    if not least and cheapest(found, (), read):
        nothing = writer.t("join.nothing")
        yield {
            "accelerator": first,
            "per_accelerator_hour#": html.noted(nothing, writer.t("prices.doubtful")),
            **dict.fromkeys(("terms", "offer", "date"), nothing),
        }
    for price in least:
        ref = f"price:{price.price_id}:per_accelerator_hour"
        value = writer.fact(ref).value or 0.0
        place = writer.name("region", price.region) if price.region else Markup("")
        yield {
            "accelerator": first,
            "per_accelerator_hour#": Entry(
                offers.rounded(writer, ref), f"{price.currency} {value:020.9f}"
            ),
            "terms": writer.word("price_kind", price.kind),
            "offer": Entry(html.noted(offers.named(writer, price), place), price.provider),
            "date": tables.dated(writer, price.valid_from),
        }


def _kind(writer: Writer, kind: str, found: Sequence[Offered], *, folded: bool) -> Markup:
    name = _kind_name(writer, kind)
    mixed = len({offer.price.currency for offer in found}) > 1
    _, numbered = offers.marks(writer, found)
    lines = [_line(writer, offer, numbered, mixed=mixed) for offer in found]
    table = tables.table(writer, name, lines) + offers.notes(writer, found)
    fold = html.folded(writer.t("prices.unfold", n=len(found)), table, open=not folded)
    return html.filtered_section(kind, name, fold)


def _line(writer: Writer, offer: Offered, numbered: Sequence[offers.Said], *, mixed: bool) -> Line:
    """An offer as a row; in a table with several currencies figures sort within theirs."""
    price, currency = offer.price, offer.price.currency if mixed else ""
    amount = offers.amount(writer, offer)
    each = offers.hourly(writer, offer, "per_accelerator_hour")
    if by_time(price) and price.per is not Per.HOUR:
        amount = replace(amount, text=html.noted(amount.text, offers.hourly(writer, offer).text))
    name = offers.named(writer, price)
    if price.system in writer.site.machines:
        name = writer.link(f"systems/{price.system}/#prices", name)
    name += offers.signs(writer, offer, numbered)
    chips = writer.locale.quantity(price.accelerators, "chips", 0)
    said = writer.joined("terms", chips, offers.terms(writer, price))
    return Line(
        {
            "offer": Entry(html.noted(name, said), f"{price.provider} {price.offer}"),
            "per_accelerator_hour#": _within(currency, each),
            "price#": _within(currency, amount),
            "date": offers.since(writer, offer, numbered, offers.source(writer, offer)),
        },
        f"price-{price.price_id}",
        data={name: EITHER.join(values) for name, values in _values(writer, offer).items()},
    )


def _within(currency: str, entry: Entry) -> Entry:
    """The entry, sorted by currency first: amounts in two currencies have no order."""
    if not currency or entry.value is None:
        return entry
    return replace(entry, value=f"{currency} {float(str(entry.value)):020.9f}")


def _terms(writer: Writer) -> Markup:
    site = writer.site
    used = Counter(price.source for price in site.prices.values())
    used.update(rate.source for rate in site.rates)
    rows: list[Cells] = [
        {
            "source": Entry(writer.source_link(source), source.title),
            "licence": writer.name("licence", source.licence),
            "credit": writer.source_credit(source),
            "rows#": tables.count(writer, number),
        }
        for name, number in used.items()
        if (source := site.sources.get(name))
    ]
    return tables.table(writer, writer.t("prices.terms"), rows)
