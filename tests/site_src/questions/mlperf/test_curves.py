"""Curves of an article's workload from the logs of others."""

from kernels import catalog
from kernels.audit.facts import Facts
from kernels.records import Origin, Run, Status
from kernels.store import Archive
from site_src.questions.mlperf import curves


def test_a_workload_that_the_catalogue_lacks_has_no_figure() -> None:
    """It is a warning of `check`, and the site is built without."""
    run = Run(
        "a-run",
        Origin.PUBLISHED,
        "a-source",
        "table 1",
        "MIT",
        "Somebody",
        "of-a-stranger",
        "a-machine",
        Status.OK,
    )
    archive, known = Archive(runs=(run,)), catalog.load()

    assert (
        curves.figure(archive, known, Facts(archive, known), "a-source", "reports/a-source/")
        is None
    )
