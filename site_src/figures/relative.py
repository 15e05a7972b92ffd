"""Values over those of a baseline."""

from decimal import Decimal

from site_src.figures.columns import present
from site_src.locales import Locale
from site_src.tables import Row


def over(row: Row, reference: float | None, locale: Locale) -> Row:
    """A row relative to the baseline's value."""
    if not present(row["value"]):
        return row
    if not reference:
        none = locale.say("figure.no_baseline")
        return {**row, "value": None, "low": None, "high": None, "text": none}
    figures = ("value", "low", "high", *(["beside"] if "beside" in row else []))
    scaled = {name: row[name] / reference if present(row[name]) else None for name in figures}
    value = row["value"] / reference
    said = locale.say("figure.times", n=locale.number(value, relative_decimals(value)))
    return {**row, **scaled, "text": said}


def relative_decimals(value: float) -> int:
    """Decimals of a ratio to a baseline: three, and of a small one as many as show three digits."""
    return max(3, 2 - Decimal(repr(value)).adjusted())
