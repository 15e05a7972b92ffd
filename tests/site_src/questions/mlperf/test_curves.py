"""Curves of an article's workload from the logs of others."""

from kernels import catalog
from kernels.records import Origin
from kernels.store import Archive
from site_src.evidence import Evidence
from site_src.questions.mlperf import curves
from tests.makers import make_run


def test_a_workload_that_the_catalogue_lacks_has_no_figure() -> None:
    """It is a warning of `check`, and the site is built without."""
    run = make_run(
        "a-run",
        origin=Origin.PUBLISHED,
        source="a-source",
        credit="Somebody",
        workload="of-a-stranger",
        system="a-machine",
    )
    archive, known = Archive(runs=(run,)), catalog.load()

    assert curves.figure(Evidence(archive, known), "a-source", "reports/a-source/") is None
