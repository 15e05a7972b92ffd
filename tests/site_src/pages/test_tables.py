"""Lists of runs: what each row says of a run of this harness."""

import pytest
from markupsafe import Markup

from site_src.pages import tables
from tests.site_src.machines import a_run, of_suite
from tests.site_src.pages.test_measured import said, writer


@pytest.mark.parametrize(
    ("value", "half", "wanted"),
    [
        (6.795, 0.091, "6.795 images/s 6.704 to 6.886 images/s (95% confidence)"),
        (123.456, 1.0, "123.5 images/s 122.5 to 124.5 images/s (95% confidence)"),
        (2345.6, 10.0, "2,346 images/s 2,336 to 2,356 images/s (95% confidence)"),
        (6.795, None, "6.795 images/s n = 1"),
        (123.456, None, "123 images/s n = 1"),
    ],
)
def test_a_throughput_has_the_digits_of_its_interval(value: float, half: float | None, wanted: str) -> None:
    """A slow machine's images a second are no whole number; without an interval three digits are enough."""
    run = a_run("slow", value, half)
    at = writer(run)

    assert wanted in said(tables.runs(at, [run], Markup("Runs")))
    assert wanted.partition(" images/s")[0] == said(at.fig("run:slow:throughput_images_per_s", link=False))


def test_a_run_of_a_small_suite_is_told() -> None:
    """With suite and size; one of the full protocol, and one of no suite, need no such word."""
    small, full, alone = of_suite(a_run("small"), "quick", "small"), of_suite(a_run("full"), "quick", "full"), a_run("alone")

    words = [said(tables.runs(writer(run), [run], Markup("Runs"))) for run in (small, full, alone)]

    assert "suite quick, small size" in words[0]
    assert not any("suite" in each for each in words[1:])
