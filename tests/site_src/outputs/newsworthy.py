"""An archive with news in it, as the tests of feeds, badges and structured data take it: an
article, a run, a withdrawal.
"""

from dataclasses import replace
from datetime import date
from functools import cache

from kernels.records import Withdrawal
from site_src import pages
from site_src.addresses.ledger import Entry, Kind
from site_src.charts.drawn import DrawnFigure, Options
from site_src.evidence import Evidence
from site_src.model import BuildOptions
from site_src.pages.components.site import Site
from tests.site_src import drawing, recorded

BASE = "https://example.org/bench/"
CHART = "tpuv2-v100-throughput"
CLAIM = "tpuv2-v100-memory-total-tpu"

PUBLISHED = (
    Entry(Kind.CHART, CHART, "", date(2026, 11, 18)),
    Entry(Kind.CHART, "tpuv2-v100-target", "", date(2026, 11, 18)),
    Entry(Kind.CHART, "digits-cnn-convergence", "", date(2026, 11, 19)),
    Entry(Kind.CLAIM, CLAIM, "contradicts", date(2026, 11, 18)),
    Entry(Kind.CLAIM, CLAIM, "reproduces", date(2026, 11, 20)),
)
"""A ledger: two charts of a report, one of a workload, and a verdict that changed."""


@cache
def site(base: str = BASE, *, withdrawn: bool = False) -> Site:
    """What pages are made of, with charts that nobody drew."""
    archive = recorded.archive()
    if withdrawn:
        gone = replace(recorded.MEASURED, withdrawn="the fan had stopped")
        runs = tuple(gone if run.run_id == gone.run_id else run for run in archive.runs)
        archive = replace(
            archive,
            runs=runs,
            withdrawals=(Withdrawal(gone.run_id, "the fan had stopped", date(2026, 11, 21)),),
        )
    options = BuildOptions(date(2026, 11, 22), base_url=base)
    about = Options(options.cache, options.date, base)
    languages = (recorded.english(), recorded.foreign())
    plain = {
        figure.id: DrawnFigure(
            figure,
            languages,
            {},
            {},
            about,
            compiled={},
            sources={one.source: one for one in archive.sources},
        )
        for figure in drawing.figures(Evidence(archive, recorded.known()))
    }
    return pages.site_of(Evidence(archive, recorded.known()), plain, options)
