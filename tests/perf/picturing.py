"""Time per picture, from an empty cache and a full one, against vl-convert alone."""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

import vl_convert

from kernels.machine.system import ROOT
from site_src import charts as share
from site_src import questions
from site_src.charts import pictures, png, vega
from site_src.charts.drawn import Options
from site_src.charts.pictures import Order
from site_src.model import BuildOptions
from tests.perf.measures import COMMANDS, DAY, estimate, interleaved, ratio

LANGUAGES: Final = ("en", "ja")
CHARTS: Final = 6


def rows(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Milliseconds by kind, and of all that a chart has in a language."""
    charts = 1 if given.tiny else CHARTS
    rounds = given.rounds or (1 if given.tiny else COMMANDS)
    orders = list(_orders(charts))
    yield f"charts in {' and '.join(LANGUAGES)}: {charts}; one process; milliseconds a picture"
    pictures.pictures(orders[0])  # the first picture of a process takes ten times as long
    yield from kinds(orders, rounds)
    yield from whole(orders, folder, rounds)


def _orders(charts: int) -> Iterator[Order]:
    """Charts evenly from the list of all; compiled, as a build finds them in its cache."""
    from site_src.cli import inputs as command  # noqa: PLC0415 - what is measured needs none of it

    options = BuildOptions(
        built=DAY, out=ROOT / "unused", cache=ROOT / ".cache", config=ROOT / "mkdocs.yml"
    )
    inputs = command.read(command.Order(ROOT / "runs", LANGUAGES, options))
    about = Options(options.cache, DAY)
    found = questions.figures(inputs.evidence)
    for figure in found[:: max(1, len(found) // charts)][:charts]:
        compiled = vega.prepare(figure, inputs.locales, options.cache)
        for locale in inputs.locales:
            yield share.order(figure, locale, compiled[locale.code], about, None)


def kinds(orders: list[Order], rounds: int) -> Iterator[str]:
    """Each kind of picture against vl-convert's own, picture by picture."""
    plain = {order.key: vega.svg(order.charts["wide"], order.locale) for order in orders}
    _, scale = pictures.PAINTED["png"]

    def svg(order: Order) -> None:
        pictures.frame(vega.svg(order.charts["wide"], order.locale), order, "light")

    def large(order: Order) -> None:
        png.png(pictures.frame(plain[order.key], order, "light"), scale)

    def card(order: Order) -> None:
        png.png(pictures.card(plain[order.key], order), 1.0)

    def plain_svg(order: Order) -> None:
        vl_convert.vega_to_svg(order.charts["wide"])

    def plain_png(order: Order) -> None:
        vl_convert.svg_to_png(plain[order.key], scale=scale)

    for name, ours, theirs in (
        ("SVG", svg, plain_svg),
        ("PNG of an SVG", large, plain_png),
        ("card of an SVG", card, plain_png),
    ):
        found = interleaved(
            rounds, ours=partial(_each, ours, orders), theirs=partial(_each, theirs, orders)
        )
        a, b = (list(chain.from_iterable(found[side])) for side in ("ours", "theirs"))
        base = theirs.__name__.removeprefix("plain_")
        yield f"{name}: {estimate(a)}; over {base} by vl-convert alone: {ratio(a, b)}"


def _each(draw: Callable[[Order], None], orders: list[Order]) -> list[float]:
    found = []
    for order in orders:
        start = time.perf_counter()
        draw(order)
        found.append(1e3 * (time.perf_counter() - start))
    return found


def whole(orders: list[Order], folder: Path, rounds: int) -> Iterator[str]:
    """All pictures of each chart: from an empty cache, and again."""
    files = len(orders) * len(pictures.names("en"))

    def timed(cache: Path) -> float:
        start = time.perf_counter()
        pictures.draw(orders, cache, 1)
        return 1e3 * (time.perf_counter() - start) / files

    caches = [folder / f"pictures{number}" for number in range(rounds)]
    cold, cached = zip(*[(timed(cache), timed(cache)) for cache in caches], strict=True)
    yield f"all {files} pictures, from an empty cache: {estimate(cold)}"
    yield (
        f"all {files} pictures, again: {estimate(cached)}; over those from an empty cache: "
        f"{ratio(cached, cold)}"
    )
