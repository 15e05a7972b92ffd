"""What several figures share: whom results of rounds are owed to."""

from site_src.figures.common import credit_of_results
from site_src.recorded import Result
from tests.site_src.recorded import english


def test_each_result_keeps_its_round_division_submitter_and_system() -> None:
    """Rounds and submitters are said once, and no system loses the two that it belongs to."""
    found = [
        Result("v0.6", "closed", "NVIDIA", "DGX-1 with V100"),
        Result("v0.5", "closed", "NVIDIA", "DGX-1V"),
        Result("v0.5", "closed", "Google", "tpuv2-8"),
        Result("v0.5", "closed", "Google", "8xV100"),
        Result("v0.7", "", "", ""),
    ]

    said = credit_of_results(found, english())

    assert "v0.5, closed: Google (8xV100, tpuv2-8), NVIDIA (DGX-1V); v0.6, closed: NVIDIA (DGX-1 with V100)" in said
    assert "v0.7, not stated: not stated (not stated)" in said
    assert "unverified" in said
