"""Scores on pages: which of a system's stand for it."""

from dataclasses import replace

import pytest
from markupsafe import Markup

from kernels.records import Metric, Status
from site_src.pages.components import scores
from site_src.pages.components.writer import Writer
from tests.makers import chosen
from tests.site_src.recorded import english, make_site
from tests.site_src.submitted import archive, submission


def uncounted(metric: Metric) -> Metric:
    """A figure as a log gives it that counts no epochs."""
    if metric.name != "epochs_to_target":
        return metric
    return replace(metric, value=None, status=Status.NOT_REPORTED)


def test_the_newest_round_of_a_workload_stands_for_a_system() -> None:
    """Its place in an older one may be better, by older rules."""
    writer = Writer(make_site(chosen()), english(), "systems/nvidia-dgx-1/")
    every = scores.of(writer, system="nvidia-dgx-1")

    found = scores.newest(writer, "nvidia-dgx-1")

    assert {one.round for one in every} == {"v0.5", "v0.6"}
    assert [(one.workload, one.round) for one in found] == [("resnet50-imagenet", "v0.6")]


@pytest.mark.parametrize("reached", [True, False])
def test_epochs_that_logs_do_not_count_are_no_missed_target(reached: bool) -> None:
    """Logs of language models count samples: their runs reached the target all the same."""
    runs = submission(
        "v0.5", 2018, [60.0 if reached else None] * 5, [61.0 if reached else None] * 5
    )
    if reached:
        runs = [replace(run, metrics=tuple(map(uncounted, run.metrics))) for run in runs]
    writer = Writer(make_site(archive(*runs)), english(), "systems/nvidia-dgx-1/")

    found = scores.of(writer, system="nvidia-dgx-1")
    table = str(scores.results(writer, found, Markup("results")))

    assert len(found) == 1
    assert ("not reported" in table) is reached
    assert ("target not reached" in table) is not reached
