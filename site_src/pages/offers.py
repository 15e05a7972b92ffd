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
        offer = writer.joined("comma", (price.provider, unbroken(price.offer)))
        first = tables.noted(escape(writer.system_name(price.system)), offer) if system else offer
        term = writer.t("price.term", n=price.term_months) if price.term_months else Markup("")
        terms = [writer.word("price_kind", price.kind), term, writer.t("price.no_upfront") if price.upfront == 0 else Markup("")]
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
                    tables.figure(writer, f"price:{price.price_id}:amount"),
                    hourly(writer, price),
                    Entry(tables.noted(writer.given(price.valid_from), region), price.valid_from.isoformat() if price.valid_from else None),
                    Entry(tables.place(writer, price.source, price.locator, short=short)),
                ],
                f"price-{price.price_id}",
            )
        )
    shown = tables.table(writer, label, tables.heads(writer, "offer", "terms", "price#", "price_per_hour#", "date", "source"), lines)
    notes = [
        writer.t(
            "price.remark",
            offer=writer.joined("comma", (price.provider, unbroken(price.offer))),
            remark=writer.t(f"price_note.{price.note}"),
        )
        for price in found
        if price.note
    ]
    return shown + Markup("").join(Markup('<p class="ts-note">{}</p>').format(note) for note in notes)


def hourly(writer: Writer, price: Price) -> Entry:
    """An offer's price by the hour; what is bought has none, and what is free needs none."""
    if price.per is Per.PURCHASE:
        return Entry(writer.t("price.bought"), None, "number")
    if price.kind is PriceKind.FREE:
        return Entry(writer.word("price_kind", price.kind), "0.0", "number")
    return tables.figure(writer, f"price:{price.price_id}:per_hour")


def includes(writer: Writer, price: Price) -> Markup:
    """What an amount covers, as far as the source says."""
    words = [str(writer.t(f"includes.{part}")) for part in price.includes]
    return escape(writer.locale.join(words)) if words else writer.missing("not_stated")
