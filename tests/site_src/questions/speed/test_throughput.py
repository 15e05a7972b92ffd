"""Throughput by batch size."""

from site_src import tables
from site_src.questions.speed import throughput
from tests.site_src import recorded


def test_a_failed_run_keeps_its_row() -> None:
    """Three with a figure, one out of memory; unreported sizes have none."""
    table = throughput.rows_of(recorded.evidence(), "tpuv2-v100")

    assert list(table["status"]) == ["ok", "ok", "ok", "oom"]
    assert table["throughput"].isna().sum() == 1
    assert len(tables.not_reported(recorded.archive(), "tpuv2-v100")) == 2
