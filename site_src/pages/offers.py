"""Offers in pages: what they cost, on which terms, by the hour, since when and as whom their source has it."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from kernels.records import Per, Price, PriceKind
from site_src.locales import unbroken
from site_src.pages import tables
from site_src.pages.tables import Entry, Line
from site_src.pages.writer import Writer


def offers(writer: Writer, found: Sequence[Price], label: Markup, *, system: bool = True, short: bool = False) -> Markup:
    """Offers with terms, hourly equivalent, region, date and place; `short` where the page says which source they are from."""
    lines = []
    for price in found:
        offer = named(writer, price)
        name = escape(writer.system_name(price.system))
        first = offer if not system else name if name == offer else tables.noted(name, offer)
        term = writer.t("price.term", n=price.term_months) if price.term_months else Markup("")
        terms = [writer.word("price_kind", price.terms), term, writer.t("price.no_upfront") if price.upfront == 0 else Markup("")]
        terms += [
            writer.t(f"price.{name}", time=writer.locale.duration(seconds))
            for name in ("granularity_s", "session_limit_s", "preparation_s")
            if (seconds := getattr(price, name)) is not None
        ]
        if price.workload:
            terms.append(writer.t("price.of_workload", name=writer.workload_name(price.workload)))
        region = writer.t("price.region", region=writer.named_or_missing("region", price.region))
        lines.append(
            Line(
                [
                    Entry(first, f"{price.provider} {price.offer}"),
                    Entry(tables.noted(writer.joined("terms", terms), writer.t("price.includes", what=includes(writer, price)))),
                    amount(writer, price),
                    hourly(writer, price),
                    Entry(tables.noted(writer.given(price.valid_from), region), price.valid_from.isoformat() if price.valid_from else None),
                    Entry(tables.place(writer, price.source, price.locator, short=short)),
                ],
                f"price-{price.price_id}",
            )
        )
    shown = tables.table(writer, label, tables.heads(writer, "offer", "terms", "price#", "price_per_hour#", "date", "source"), lines)
    notes = [remark for key in dict.fromkeys(price.note for price in found if price.note) for remark in remarks(writer, found, key)]
    return shown + Markup("").join(Markup('<p class="ts-note">{}</p>').format(note) for note in notes)


def remarks(writer: Writer, found: Sequence[Price], key: str) -> list[Markup]:
    """A note beside its offers' names; once and without them where most of the table has it."""
    noted = [price for price in found if price.note == key]
    text = writer.t(f"price_note.{key}")
    if 2 * len(noted) > len(found) > 1:
        return [text]
    return [writer.t("price.remark", offer=named(writer, price), remark=text) for price in noted]


def named(writer: Writer, price: Price) -> Markup:
    """Whose offer it is and what it is called; once where both have one name."""
    return writer.joined("comma", dict.fromkeys((price.provider, unbroken(price.offer))))


def amount(writer: Writer, price: Price) -> Entry:
    """An offer's price as its source has it; what is free says so, and has no price of nothing in some currency."""
    if price.kind is PriceKind.FREE:
        return Entry(writer.word("price_kind", price.kind), "0.0", "number")
    return tables.figure(writer, f"price:{price.price_id}:amount")


def hourly(writer: Writer, price: Price) -> Entry:
    """An offer's price by the hour; what is bought has none, and what is free needs none."""
    if price.per is Per.PURCHASE:
        return Entry(writer.t("price.bought"), None, "number")
    if price.kind is PriceKind.FREE:
        return Entry(writer.t("join.nothing"), "0.0", "number")
    return tables.figure(writer, f"price:{price.price_id}:per_hour")


def includes(writer: Writer, price: Price) -> Markup:
    """What an amount covers, as far as the source says."""
    words = [str(writer.t(f"includes.{part}")) for part in price.includes]
    return escape(writer.locale.join(words)) if words else writer.missing("not_stated")
