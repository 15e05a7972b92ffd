"""Forms that leave some rows of a page, and what they are filtered by."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from kernels.records import Run
from site_src.pages.components.writer import Writer

UNSTATED: Final = "not_stated"
"""Value of a condition that nobody states; a filter offers it like any other."""

EITHER: Final = "|"
"""Stands between the values of a row that has several of one condition; `site.js` knows it."""


def bare(run: Run) -> bool:
    """Whether a run used the processor alone, which is no accelerator to count."""
    return run.environment is not None and run.environment.accelerator_name is None


def form(
    writer: Writer,
    fields: Sequence[tuple[str, Markup, Sequence[tuple[str, str]]]],
    label: str,
    reset: str,
    money: Sequence[str] = (),
) -> Markup:
    """A form that leaves some rows of what stands in `data-ts-filtered`; hidden where no JavaScript
    works it.

    Args:
        writer: Of the page.
        fields: Name, heading and options of each.
        label: Key of what the form is for.
        reset: Key of the button that shows all rows.
        money: Currencies in which amounts can be shown.
    """
    texts = {"label": writer.t(label), "reset": writer.t(reset)}
    return writer.render("blocks/filters.html", fields=fields, money=money, **texts)


def natural(value: str) -> tuple[float, str]:
    """Numbers by size, words by their letters."""
    return (float(value), "") if value.isdigit() else (0.0, value)
