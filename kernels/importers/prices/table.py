"""Imports prices from a plain table of our own columns, in any currency, terms and unit; `python -m
kernels import prices --template` writes one.

An invalid row is refused with its line, field, what was found and what was wanted; the others are
taken.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

from kernels import catalog
from kernels.catalog import Catalog
from kernels.errors import SourceError
from kernels.importers.base import Refused, accelerator, place
from kernels.importers.prices.offers import Offers, Sheet, id_of
from kernels.machine.system import slug
from kernels.records import Price, PriceKind
from kernels.tabular import Entry, build, decoded, nearest, table, without_comments

REQUIRED: Final = ("provider", "offer", "accelerators", "kind", "amount", "currency", "per")

COLUMNS: Final = (
    *REQUIRED,
    "hardware",
    "system",
    "region",
    "valid_from",
    "valid_to",
    "term_months",
    "upfront",
    "includes",
    "tax",
    "granularity_s",
    "session_limit_s",
    "preparation_s",
    "workload",
)

TEMPLATE: Final = Path(__file__).with_name("template.csv").read_text(encoding="utf-8")
"""A table to fill in; it can be imported as it is."""

_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "includes": ("accelerator", "host", "storage", "traffic"),
    "tax": ("included", "excluded"),
}
_LEAST: Final = {
    "accelerators": 1,
    "term_months": 1,
    "granularity_s": 1,
    "session_limit_s": 1,
    "preparation_s": 0,
    "upfront": 0,
}


def fits(path: Path) -> bool:
    """Returns True if a file is a table with the required columns."""
    try:
        first = next((line for line in without_comments(decoded(path)) if line.strip()), "")
    except SourceError:
        return False
    return set(REQUIRED) <= {cell.strip() for cell in first.split(",")}


def read(path: Path, sheet: Sheet, day: date | None, known: Catalog) -> Offers:
    """Returns the offers of a table; rows without a day take the given one."""
    found = table(path, sheet.name, comments=True)
    for column in found.columns:
        if column not in COLUMNS:
            raise SourceError(
                f"{sheet.name}: unknown column {column!r}; {nearest(column, COLUMNS)}"
            )
    refused = [Refused("a row of another width", text) for text in found.refused]
    prices: dict[str, Price] = {}
    warnings: dict[str, None] = {}
    for row in found.rows:
        entry = Entry(
            f"{sheet.name}:{row.line}", {name: cell for name, cell in row.cells.items() if cell}
        )
        try:
            price = _price(entry, sheet, place(sheet.name, row.line), day, known)
        except SourceError as error:
            refused.append(Refused("a field that cannot be taken", str(error)))
            continue
        chip = entry.values.get("hardware")
        if chip is not None and price.hardware is None:
            open_ = (
                "is not in catalog/hardware.csv; the offer is kept, and no machine is priced "
                "with it"
            )
            warnings[
                f"{entry.place}: hardware {chip!r} {open_}; {nearest(str(chip), known.hardware)}"
            ] = None
        first = prices.setdefault(price.price_id, price)
        if first is not price:
            text = (
                f"{entry.place}: found an offer and day that {first.locator} has too, wanted "
                "each once"
            )
            refused.append(Refused("a second price for one offer", text))
    return Offers(tuple(prices.values()), tuple(refused), tuple(warnings))


def _price(entry: Entry, sheet: Sheet, locator: str, day: date | None, known: Catalog) -> Price:
    _check(entry, known)
    amount = catalog.amount_of(entry)
    if amount.value == 0 and entry.values.get("kind") != PriceKind.FREE:
        raise entry.error(
            "amount", "an amount above 0; 0 stands for no price, or for the kind free"
        )
    chip = str(entry.values.get("hardware", ""))
    hardware = chip if chip in known.hardware else accelerator(chip, known.hardware)
    offer = entry.text("offer")
    price = build(
        Price,
        entry,
        {
            "price_id": "0",
            "system": entry.values.get("system") or slug(f"{entry.text('provider')} {offer}"),
            "hardware": hardware,
            "offer": offer if hardware or not chip or chip in offer else f"{offer} ({chip})",
            "amount": amount.value,
            "bound": amount.bound,
            "decimals": amount.decimals,
            "source": sheet.source,
            "locator": locator,
            "licence": sheet.licence,
        },
        ignore=("system", "hardware", "offer", "amount"),
    )
    seen = price.valid_from or day
    if seen is None:
        raise entry.error("valid_from", "the day on which the price was seen, here or as --day")
    for name, least in _LEAST.items():
        if (value := getattr(price, name)) is not None and value < least:
            raise entry.error(name, f"{least} or more")
    price = replace(price, valid_from=seen)
    return replace(price, price_id=id_of(price, offer, chip))


def _check(entry: Entry, known: Catalog) -> None:
    for name in ("provider", "offer"):
        if not slug(entry.text(name)):
            raise entry.error(
                name, "a name with Latin letters or digits; the offer's id is made of it"
            )
    for name, words in _WORDS.items():
        for word in (each.strip() for each in str(entry.values.get(name, "")).split(";")):
            if word and word not in words:
                raise entry.error(name, f"one of {', '.join(words)}", repr(word))
    for name, there in (("system", known.systems), ("workload", known.workloads)):
        entry.check_listed(name, there, "an id that is listed, or nothing")
