"""One article at a time, as it is transcribed, and the figures that it has data for."""

from functools import cache

from kernels.audit.facts import Facts
from kernels.importers import article
from kernels.store import Archive
from site_src import questions
from site_src.figures.base import Figure
from tests.site_src.recorded import REPOSITORY, known


@cache
def archive(source: str) -> Archive:
    """The article alone."""
    found = article.transcribed(REPOSITORY / "runs" / "sources" / source)
    return Archive(
        runs=found.runs,
        claims=found.claims,
        sources=found.sources,
        cells=found.cells,
        prices=found.prices,
    )


@cache
def facts(source: str) -> Facts:
    """Facts about it."""
    return Facts(archive(source), known())


@cache
def drawn(source: str) -> dict[str, Figure]:
    """Its figures by their short names."""
    return {
        figure.short: figure
        for figure in questions.figures(archive(source), known(), facts(source))
    }
