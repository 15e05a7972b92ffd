"""Curves along cost are priced by the newest price, those of a report by its own."""

from dataclasses import replace
from datetime import date

from kernels.store import Archive
from site_src.costs.spent import spendings
from site_src.evidence import Evidence
from tests.site_src import recorded
from tests.site_src.costs.test_costs import chip_price
from tests.site_src.logged import submission


def test_a_report_keeps_its_sources_price() -> None:
    """Chips of 2026 go before the price of 2018, save in that article's own report."""
    chip = chip_price(
        system="google-cloud-tpu-v2-device",
        hardware="tpu-v2",
        amount=1.24,
        valid_from=date(2026, 8, 19),
    )
    runs = [
        replace(run, accelerators=4)
        for run in submission(4, 5, system="cloud-tpu-v2-8", accelerator="tpu-v2")
    ]
    archive, known = Archive(runs=tuple(runs), prices=(chip,)), recorded.known()

    newest, own = (
        spendings(Evidence(archive, known), source)[runs[0].run_id]
        for source in (None, "tpuv2-v100")
    )

    assert (newest.hourly, own.hourly) == (4 * 1.24, 6.7)
    assert own.price is not None and own.price.source == "tpuv2-v100"
