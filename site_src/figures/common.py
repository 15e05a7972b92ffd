"""What several figures share: their series, columns and controls, and the words of an offer."""

from collections.abc import Callable, Mapping

import pandas as pd

from kernels.claims import Facts
from kernels.records import Bound
from site_src.figures import theme as themes
from site_src.figures.base import FigureError
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Series
from site_src.locales import Locale

SERIES = Column("label", "column.series", "series")
ORIGIN = Column("origin", "column.origin", "key", prefix="origin")
STATUS = Column("status", "column.status", "key", prefix="status")
COUNT = Column("n", "column.n", "number", decimals=0, absent="not_stated")
FEED = (
    Column("feed", "column.feed", "key", prefix="feed", absent="not_stated"),
    Column("augmentation", "column.augmentation", "key", prefix="augmentation", absent="not_stated"),
)
"""What a throughput was measured with: it says little without."""

PROVENANCE = (
    STATUS,
    ORIGIN,
    COUNT,
    Column("precision", "column.precision", "key", prefix="precision"),
    Column("run_id", "column.run", "run"),
    Column("series", "column.series_id", shown=False),
    Column("system", "column.system", shown=False),
    Column("framework", "column.framework", shown=False),
    Column("source", "column.source", shown=False),
    Column("locator", "column.locator", shown=False),
    Column("licence", "column.licence", shown=False),
    Column("credit", "column.credit", shown=False),
)
"""Columns that end every table: where a row comes from, how often it was measured, under which terms it may be passed on."""


def series(table: pd.DataFrame) -> tuple[Series, ...]:
    """The series of a table in its order; the first framework of a system before others."""
    found: dict[str, Series] = {}
    for row in table.to_dict("records"):
        key = str(row["series"])
        if key not in found:
            framework = str(row["framework"]) if present(row["framework"]) else None
            found[key] = Series(key, str(row["label"]), themes.look(str(row["system"]), framework))
    variants = [one for one in found.values() if one.look.dash == themes.DASH]
    return tuple([one for one in found.values() if one not in variants] + variants)


def choice(value: str, key: str) -> Choice:
    """A choice whose words are a string."""
    return Choice(value, lambda locale: locale.say(key))


def offer(row: Mapping[str, object], locale: Locale) -> str:
    """An offer in one line: provider, terms, amount an hour; a dagger where it is another machine's."""
    terms = locale.say(f"price_kind.{row['price_kind']}")
    if present(row["term_months"]):
        terms = locale.say("figure.offer_term", kind=terms, term=locale.quantity(int(str(row["term_months"])), "months", 0))
    hourly = locale.money(float(str(row["hourly"])), str(row["currency"]))
    if row["hourly_bound"] != "eq":
        hourly = locale.say("about", n=hourly)
    mark = " †" if "other-machine" in str(row["remarks"]).split() else ""
    return locale.say("figure.offer", provider=str(row["provider"]), terms=terms, hourly=hourly) + mark


def offer_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """What must be said beside figures that rest on offers: other machines, dates."""
    rows = [row for row in table.to_dict("records") if present(row["price_id"])]
    others = dict.fromkeys(str(row["provider"]) for row in rows if "other-machine" in str(row["remarks"]).split())
    notes = ["† " + locale.say("figure.other_machine", provider=provider) for provider in others]
    if any(not present(row["price_date"]) for row in rows):
        notes.append(locale.say("figure.undated_prices"))
    notes.append(locale.say("figure.month_hours"))
    return notes


def offer_columns() -> tuple[Column, ...]:
    """Columns of an offer."""
    return (
        Column("price_id", "column.price", "price", shown=False),
        Column("provider", "column.provider"),
        Column("price_kind", "column.price_kind", "key", prefix="price_kind"),
        Column("term_months", "column.term", "number", decimals=0, shown=False),
        Column("hourly", "column.hourly", "money", unit="USD", decimals=2, ref="hourly_ref"),
        Column("currency", "column.currency", shown=False),
        Column("price_date", "column.price_date", shown=False),
        Column("price_source", "column.price_source", shown=False),
        Column("price_locator", "column.price_locator", shown=False),
        Column("remarks", "column.remarks", shown=False),
    )


def about(facts: Facts, ref: str, text: str, locale: Locale) -> str:
    """A figure's text, with "about" where it is printed so or follows from such figures."""
    return text if facts.get(ref).bound is Bound.EQ else locale.say("about", n=text)


def told(name: str, facts: Facts, ref: str, locale: Locale, write: Callable[[float], str]) -> tuple[str, str, float, str]:
    """A figure for a `Sentence`: placeholder, text, value, reference.

    Raises:
        FigureError: The figure is missing.
    """
    value = facts.get(ref).value
    if value is None:
        raise FigureError(f"a headline needs {ref}, which is {facts.get(ref).status}; choose rows that have it")
    return name, about(facts, ref, write(value), locale), value, ref
