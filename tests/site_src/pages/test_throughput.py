"""The page on single cards, and the ways to its charts."""

from collections import defaultdict

import pytest

from kernels import store
from kernels.store import Archive
from site_src.charts.parts import Info
from site_src.pages import workload
from site_src.pages.components.writer import Writer
from site_src.pages.throughput import throughput_page
from site_src.questions.speed import by_card
from tests.makers import RUNS
from tests.site_src.pages.test_pages import Chart, Gallery
from tests.site_src.recorded import english, make_site, page_at

TABLES = Archive(runs=store.read_file(RUNS / "imported" / "timm-results-runs.parquet"))


@pytest.fixture(scope="module")
def at() -> Writer:
    """A page of a site whose charts nobody drew."""
    site = make_site(TABLES)
    infos = map(Info.of, by_card.figures(site.evidence))
    drawn = Gallery(
        {info.id: Chart(info.id, info.page, info.runs, workloads=info.workloads) for info in infos}
    )
    drawn.client = defaultdict(str)
    site.figures = drawn  # type: ignore[assignment]  # as far as pages need it
    return Writer(site, english(), "throughput/")


def test_the_page_has_a_chart_of_training_and_one_of_inference(at: Writer) -> None:
    """Each in its section; without tables the page is its words."""
    body = throughput_page(at).body

    assert body.index('id="training"') < body.index("throughput-training")
    assert body.index("throughput-training") < body.index('id="inference"')
    assert body.index('id="inference"') < body.index("throughput-inference")
    assert "ts-figure" not in throughput_page(page_at("throughput/")).body


def test_a_workloads_page_opens_a_chart_at_that_workload(at: Writer) -> None:
    """The one that is drawn first needs no choice."""
    known = at.site.catalog.workloads
    page = Writer(at.site, at.locale, "workloads/vit-b16-imagenet/")

    [links] = workload.charts(page, known["vit-b16-imagenet"])
    [first] = workload.charts(page, known["resnet50-imagenet"])

    assert "c/throughput-inference/?workload=vit-b16-imagenet" in links
    assert "c/throughput-training/?workload=vit-b16-imagenet" in links
    assert "?workload" not in first
