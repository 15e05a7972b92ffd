"""Reasons to be careful with runs: each as a sentence, and the mark beside a figure
behind which a run is doubted.
"""

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from kernels.analysis.compare import REPEAT
from kernels.analysis.warnings import WARNINGS
from kernels.records import Doubt, Run
from site_src.pages.components.writer import Writer
from site_src.tables.recorded import FEW_STEPS, has_warning
from site_src.templates import html


def sentence(writer: Writer, found: Doubt) -> Markup:
    """A reason to be careful."""
    unit = WARNINGS[found.code].unit

    def say(value: float | None) -> Markup:
        if value is None:
            return writer.t("not_stated")
        return escape(
            writer.locale.percent(value, 1)
            if unit == "1"
            else writer.locale.quantity(round(value, 2), unit)
        )

    return writer.t(f"doubt.{found.code}", value=say(found.value), limit=say(found.limit))


def sentences(writer: Writer, run: Run) -> list[Markup]:
    """All reasons to be careful with a run: those that are kept with it, and that it was slower
    than the runs alike.
    """
    return [*(sentence(writer, found) for found in run.doubts), *slower(writer, [run])]


def slower(writer: Writer, runs: Iterable[Run]) -> list[Markup]:
    """That some of these runs were slower than the others of their kind: the same sentence, of the
    slowest; nothing where none was.
    """
    known = [writer.site.slower[run.run_id] for run in runs if run.run_id in writer.site.slower]
    if not known:
        return []
    found = max(known, key=lambda each: each.share)
    value, limit = (writer.locale.percent(each, 1) for each in (found.share, REPEAT))
    return [writer.t("doubt.slow", value=value, n=found.n, limit=limit)]


def worst(found: Iterable[Doubt]) -> Doubt:
    """The doubt that lies furthest beyond its limit, as many times as that; one that has no limit
    is beyond any.
    """
    return max(found, key=_beyond)


def _beyond(doubt: Doubt) -> tuple[float, float]:
    value, limit = doubt.value or 0.0, doubt.limit or 0.0
    if doubt.code == FEW_STEPS:
        value, limit = limit, value  # the fewer, the worse
    return value / limit if limit else math.inf, value


def badge(writer: Writer, runs: Sequence[Run], href: str | None = None) -> Markup:
    """The mark of a figure behind which some of these runs are doubted, with the worst doubt for
    the pointer; nothing where none is.

    Args:
        writer: Of the page.
        runs: Behind the figure.
        href: Where it leads; None for the page of the first doubted run.
    """
    doubted = list(filter(has_warning, runs))
    if not doubted:
        return Markup("")
    found = [doubt for run in doubted for doubt in run.doubts if doubt.code != FEW_STEPS]
    kinds, text = len({doubt.code for doubt in found}), writer.t("doubted.yes")
    if kinds != 1:
        text = writer.paren(text, writer.locale.number(kinds))
    href = href or writer.url(f"{writer.site.page_with(doubted[0].run_id)}#care")
    return html.warning_link(href, sentence(writer, worst(found)).striptags(), text)
