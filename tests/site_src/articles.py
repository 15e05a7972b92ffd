"""One article at a time, as it is transcribed, and the figures that it has data for."""

from functools import cache

from kernels.audit.facts import Facts
from site_src import questions
from site_src.evidence import Evidence
from site_src.figures.base import Figure
from tests.makers import transcribed
from tests.site_src.recorded import known


@cache
def evidence(source: str) -> Evidence:
    """Its runs beside the catalogue."""
    return Evidence(transcribed(source), known())


def facts(source: str) -> Facts:
    """Facts about it."""
    return evidence(source).facts


@cache
def drawn(source: str) -> dict[str, Figure]:
    """Its figures by their short names."""
    return {figure.short: figure for figure in questions.figures(evidence(source))}
