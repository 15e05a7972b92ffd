"""Scores on pages: which of a system's stand for it."""

from site_src.pages.components import scores
from site_src.pages.components.writer import Writer
from tests.makers import chosen
from tests.site_src.recorded import english, make_site


def test_the_newest_round_of_a_workload_stands_for_a_system() -> None:
    """Its place in an older one may be better, by older rules."""
    writer = Writer(make_site(chosen()), english(), "systems/nvidia-dgx-1/")
    every = scores.of(writer, system="nvidia-dgx-1")

    found = scores.newest(writer, "nvidia-dgx-1")

    assert {one.round for one in every} == {"v0.5", "v0.6"}
    assert [(one.workload, one.round) for one in found] == [("resnet50-imagenet", "v0.6")]
