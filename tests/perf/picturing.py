"""Time per picture, from an empty cache and from a full one, against vl-convert alone on the same
specifications.
"""

import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import vl_convert

from kernels.machine.system import ROOT
from site_src import charts as share
from site_src import questions
from site_src.charts import pictures, vega
from site_src.charts.drawn import Options
from site_src.charts.pictures import Order
from site_src.model import BuildOptions
from tests.perf.ratios import estimate, interleaved, ratio

LANGUAGES: Final = ("en", "ja")
CHARTS: Final = 6
DAY: Final = date(2026, 11, 20)


def rows(
    folder: Path, rounds: int, charts: int = CHARTS, languages: tuple[str, ...] = LANGUAGES
) -> Iterator[str]:
    """Milliseconds by kind, and of all that a chart has in a language."""
    orders = list(_orders(charts, languages))
    yield f"charts in {' and '.join(languages)}: {charts}; one process; milliseconds a picture"
    _first(orders[0])
    yield from kinds(orders, rounds)
    yield from whole(orders, folder, rounds)


def _orders(charts: int, languages: tuple[str, ...]) -> Iterator[Order]:
    """Of charts evenly from the list of all; compiled already, as a build finds them in its
    cache.
    """
    import build  # noqa: PLC0415 - the command's own way to the charts; what is measured needs none of it

    options = BuildOptions(
        date=DAY, out=ROOT / "unused", cache=ROOT / ".cache", config=ROOT / "mkdocs.yml"
    )
    inputs = build.read(build.Order(ROOT / "runs", languages, options))
    about = Options(options.cache, DAY)
    found = questions.figures(inputs.archive, inputs.catalog, inputs.facts)
    for figure in found[:: max(1, len(found) // charts)][:charts]:
        for locale in inputs.locales:
            yield share._order(
                figure, locale, vega.prepare(figure, locale, options.cache), about, None
            )


def _wide(order: Order) -> dict[str, Any]:
    """Its specification."""
    chart = order.charts["wide"]
    assert isinstance(chart, dict)  # text only where a chart is drawn no more
    return chart


def _first(order: Order) -> None:
    """The first picture of a process takes ten times as long."""
    pictures.pictures(order)


def kinds(orders: list[Order], rounds: int) -> Iterator[str]:
    """Each kind of picture against vl-convert's own, picture by picture."""
    plain = {order.key: vega.svg(_wide(order), order.locale) for order in orders}

    def svg(order: Order) -> None:
        pictures.frame(vega.svg(_wide(order), order.locale), order, "light")

    def png(order: Order) -> None:
        vega.png(pictures.frame(plain[order.key], order, "light"), pictures.PNG_SCALE)

    def card(order: Order) -> None:
        vega.png(pictures.card(plain[order.key], order), 1.0)

    def plain_svg(order: Order) -> None:
        vl_convert.vega_to_svg(_wide(order))

    def plain_png(order: Order) -> None:
        vl_convert.svg_to_png(plain[order.key], scale=pictures.PNG_SCALE)

    for name, ours, theirs in (
        ("SVG", svg, plain_svg),
        ("PNG of an SVG", png, plain_png),
        ("card of an SVG", card, plain_png),
    ):
        found = interleaved(
            rounds, ours=partial(_each, ours, orders), theirs=partial(_each, theirs, orders)
        )
        a, b = (list(chain.from_iterable(found[side])) for side in ("ours", "theirs"))
        yield (
            f"{name}: {estimate(a)}; over {theirs.__name__.removeprefix('plain_')} by "
            "vl-convert "
            f"alone: {ratio(a, b)}"
        )


def _each(draw: Callable[[Order], None], orders: list[Order]) -> list[float]:
    found = []
    for order in orders:
        start = time.perf_counter()
        draw(order)
        found.append(1e3 * (time.perf_counter() - start))
    return found


def whole(orders: list[Order], folder: Path, rounds: int) -> Iterator[str]:
    """All pictures of each chart: from an empty cache, and again."""
    number = iter(range(1000))
    files = len(orders) * len(pictures.names("en"))

    def timed(cache: Path) -> float:
        start = time.perf_counter()
        pictures.draw(orders, cache, 1)
        return 1e3 * (time.perf_counter() - start) / files

    pairs = [
        (timed(cache), timed(cache))
        for cache in (folder / f"pictures{next(number)}" for _ in range(rounds))
    ]
    cold, cached = ([pair[side] for pair in pairs] for side in (0, 1))
    yield f"all {files} pictures, from an empty cache: {estimate(cold)}"
    yield (
        f"all {files} pictures, again: {estimate(cached)}; over those from an empty cache: "
        f"{ratio(cached, cold)}"
    )
