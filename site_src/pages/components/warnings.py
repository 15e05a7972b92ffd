"""Warnings about runs: each as a sentence, and the mark beside a figure whose runs have one."""

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from kernels.analysis.compare import REPEAT
from kernels.analysis.warnings import WARNINGS
from kernels.records import Run, RunWarning
from site_src.pages.components.writer import Writer
from site_src.tables.recorded import FEW_STEPS, has_warning
from site_src.templates import html


def sentence(writer: Writer, found: RunWarning) -> Markup:
    """A warning in words."""
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
    """All warnings of a run: those recorded with it, and being slower than comparable runs."""
    return [*(sentence(writer, found) for found in run.doubts), *slower(writer, [run])]


def slower(writer: Writer, runs: Iterable[Run]) -> list[Markup]:
    """The sentence on the slowest of the runs that were slower than comparable ones; empty without
    any.
    """
    known = [writer.site.slower[run.run_id] for run in runs if run.run_id in writer.site.slower]
    if not known:
        return []
    found = max(known, key=lambda each: each.share)
    value, limit = (writer.locale.percent(each, 1) for each in (found.share, REPEAT))
    return [writer.t("doubt.slow", value=value, n=found.n, limit=limit)]


def worst(found: Iterable[RunWarning]) -> RunWarning:
    """The warning furthest beyond its limit, as a ratio; one without a limit is beyond any."""
    return max(found, key=_beyond)


def _beyond(warning: RunWarning) -> tuple[float, float]:
    value, limit = warning.value or 0.0, warning.limit or 0.0
    if warning.code == FEW_STEPS:
        value, limit = limit, value  # the fewer, the worse
    return value / limit if limit else math.inf, value


def badge(writer: Writer, runs: Sequence[Run], href: str | None = None) -> Markup:
    """The mark beside a figure of which some runs have warnings, with the worst one as tooltip;
    empty without any.

    Args:
        writer: Of the page.
        runs: Behind the figure.
        href: Its link; None for the page of the first run with a warning.
    """
    warned = list(filter(has_warning, runs))
    if not warned:
        return Markup("")
    found = [warning for run in warned for warning in run.doubts if warning.code != FEW_STEPS]
    kinds, text = len({warning.code for warning in found}), writer.t("doubted.yes")
    if kinds != 1:
        text = writer.paren(text, writer.locale.number(kinds))
    href = href or writer.url(f"{writer.site.page_with(warned[0].run_id)}#care")
    return html.warning_link(href, sentence(writer, worst(found)).striptags(), text)
