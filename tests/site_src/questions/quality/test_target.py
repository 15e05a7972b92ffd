"""Qualities that runs are timed to."""

from dataclasses import replace

from site_src.questions.quality import target
from site_src.tables import curve
from tests.site_src import recorded


def test_a_target_without_a_hit_is_not_converged_or_not_reported() -> None:
    """Short of the target is not converged; no best value at all is not reported."""
    run = next(
        run
        for run in recorded.archive().runs
        if run.run_id == "tpuv2-v100-v100-tensorflow-imagenet-1024"
    )
    level = curve.targets([run], "top1", {"epochs_to_target"})[0]

    assert target.status(run, None, replace(level, value=0.99), 0.757).value == "not_converged"
    assert target.status(run, None, level, None).value == "not_reported"
