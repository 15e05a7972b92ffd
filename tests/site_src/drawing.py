"""Charts drawn at once, as no build does: all figures of an archive, and their files."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kernels.records import Source
from site_src import charts, questions
from site_src.charts import panel
from site_src.charts.drawn import DrawnFigure, Options
from site_src.charts.runtime import Runtime
from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.locales import Locale
from site_src.model import Asset


def figures(evidence: Evidence) -> list[Figure]:
    """All figures that the archive has data for, no two of one id."""
    asked = questions.asks(evidence).values()
    found = [figure for ask in asked for figure in questions.answers(ask, evidence)]
    assert max(Counter(figure.id for figure in found).values(), default=1) == 1
    return found


def draw(
    figures: Sequence[Figure],
    locales: Sequence[Locale],
    runtime: Runtime,
    options: Options,
    sources: Iterable[Source] = (),
) -> dict[str, DrawnFigure]:
    """Every figure compiled and pictured in every language, by id."""
    client = charts.paths(runtime) | panel.paths(locales)
    return {one.id: charts.drawn(one, locales, client, options, sources) for one in figures}


def assets(drawn: Mapping[str, DrawnFigure], runtime: Runtime) -> Iterator[Asset]:
    """Every file of charts, and what they share."""
    for one in drawn.values():
        yield from charts.files(one)
    for one in list(drawn.values())[:1]:
        yield from charts.shared(runtime, one.client, one.locales)
