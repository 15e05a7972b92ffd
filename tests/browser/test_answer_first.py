"""Where the answer of a page begins on a screen."""

import pytest

from tests.browser.sites import each_language
from tests.browser.visitor import Watched

HIGHEST = 500
"""Px from the top at which the first chart of a workload begins at the latest, at 1280 px."""


@each_language()
@pytest.mark.parametrize("workload", ["resnet50-imagenet", "cnn10-cifar10"])
def test_a_workload_begins_with_a_chart(desktop: Watched, language: str, workload: str) -> None:
    """Below title and lead stands the chart that ranks, before every section."""
    page = desktop.open(f"{language}/workloads/{workload}/")

    first = page.locator(".ts-figure").first.bounding_box()
    section = page.locator("main section > h2, article section > h2").first.bounding_box()

    assert first is not None and section is not None
    assert first["y"] <= HIGHEST
    assert first["y"] < section["y"]
