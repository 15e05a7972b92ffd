"""Forms that filter the rows of a page, and the values they filter by."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from kernels.records import Run
from site_src.pages.components.writer import Writer

UNSTATED: Final = "not_stated"
"""Value of a condition that nobody states; filters offer it too."""

EITHER: Final = "|"
"""Separates the values of a row that has several for one condition; `site.js` uses it too."""


def bare(run: Run) -> bool:
    """True if the run used the processor alone, which is not counted as an accelerator."""
    return run.environment is not None and run.environment.accelerator_name is None


def form(
    writer: Writer,
    fields: Sequence[tuple[str, Markup, Sequence[tuple[str, str]]]],
    label: str,
    reset: str,
    money: Sequence[str] = (),
) -> Markup:
    """A form that filters the rows in `data-ts-filtered`; hidden without JavaScript.

    Args:
        writer: Of the page.
        fields: Name, heading and options of each field.
        label: Key of the form's label.
        reset: Key of the button that shows all rows.
        money: Currencies in which amounts can be shown.
    """
    texts = {"label": writer.t(label), "reset": writer.t(reset)}
    return writer.render("blocks/filters.html", fields=fields, money=money, **texts)


def natural(value: str) -> tuple[float, str]:
    """Sorts numbers by size and words alphabetically."""
    return (float(value), "") if value.isdigit() else (0.0, value)
