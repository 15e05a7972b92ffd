"""Drawing the charts of a build, in several processes where that pays."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from typing import Final

from site_src import charts, questions
from site_src.charts import runtime, vega
from site_src.charts.drawn import DrawnFigure, Options
from site_src.cli.inputs import Inputs, Order, read
from site_src.locales import Locale
from site_src.model import BuildOptions

MANY: Final = 100
"""Runs from which the charts of a language take longer than the start of a process that compiles
them.
"""


def draw(
    inputs: Inputs, options: BuildOptions, jobs: int, only: str = ""
) -> tuple[dict[str, DrawnFigure], runtime.Runtime]:
    """Draw every chart in every language, or one of them; what has been drawn before comes from the
    cache.
    """
    client = runtime.build(options.runtime, options.cache)
    found = [figure for figure in questions.figures(inputs.evidence) if only in {"", figure.id}]
    told = Options(
        options.cache,
        options.date,
        options.base_url,
        report_link=options.issues,
        jobs=jobs,
        draft=options.draft,
    )
    return charts.draw(found, inputs.locales, client, told, inputs.evidence.archive.sources), client


def compile_charts(order: Order, inputs: Inputs) -> None:
    """Compile the charts of several languages at once, where that is still to be done and pays:
    from nothing it takes half a minute each.
    """
    options = order.options
    if options.jobs == 1 or len(inputs.evidence.archive.runs) <= MANY:
        return
    due = vega.unprepared(inputs.locales, options.cache)
    if len(due) > 1:
        _compile_apart(order, due)


def _compile_apart(order: Order, due: Sequence[Locale]) -> None:
    # spawned, for a fork would inherit the threads of the Parquet reader in whatever state they are
    with ProcessPoolExecutor(min(order.options.jobs, len(due)), get_context("spawn")) as pool:
        list(pool.map(partial(_compile_language, order), [locale.code for locale in due]))


def _compile_language(order: Order, language: str) -> None:
    """Compile the charts of one language into the cache, in a process of its own."""
    inputs = read(replace(order, languages=(language,)))
    [locale] = inputs.locales
    vega.prepare_all(questions.figures(inputs.evidence), locale, order.options.cache)
