"""Lists of runs: what each row says of a run of this harness."""

import pytest
from markupsafe import Markup

from kernels.records import ClockScope, Doubt, Metric
from site_src.pages import doubts as doubts_of
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


def test_a_doubted_run_is_marked() -> None:
    """With the number of its doubts, the worst for the pointer and the way to all of them; too few steps are told in words."""
    doubts = (Doubt("other_load", 0.1, 0.05), Doubt("unstable", 0.3, 0.05), Doubt("few_steps", 7, 20))
    doubted = a_run("doubted", doubts=doubts)

    html = tables.runs(writer(doubted), [doubted], Markup("Runs"))

    assert "to be read with care (2 doubts)" in said(html)
    assert 'href="../../runs/doubted/#care" title="The step time varies by 30.0%' in html
    for told in ((), doubts[2:]):
        run = a_run("sure", doubts=told)
        assert "read with care" not in said(tables.runs(writer(run), [run], Markup("Runs")))
    assert said(doubts_of.badge(writer(doubted), [a_run("b", doubts=doubts[:1])])) == "to be read with care"


@pytest.mark.parametrize(
    ("doubts", "code"),
    [
        ((Doubt("other_load", 0.9, 0.05), Doubt("unstable", 0.2, 0.05)), "other_load"),
        ((Doubt("other_load", 0.9, 0.05), Doubt("together", 1.0, 0.0)), "together"),
        ((Doubt("few_steps", 15, 20), Doubt("few_steps", 7, 20)), "few_steps"),
    ],
)
def test_the_worst_doubt_is_furthest_beyond_its_limit(doubts: tuple[Doubt, ...], code: str) -> None:
    """One without a limit is beyond any; of few steps the fewest are."""
    found = doubts_of.worst(doubts)

    assert (found.code, found.value) == (code, 7 if code == "few_steps" else max(d.value or 0 for d in doubts if d.code == code))


def test_times_say_what_their_clock_includes() -> None:
    """In the heading where it is the same for all; at each time where it differs; a source that does not say is named so."""
    times = (Metric("train_time_s", 90.0, "s"),)
    scopes = {"a": ClockScope.TRAIN_ONLY, "b": ClockScope.TRAIN_AND_EVAL}
    both = {name: a_run(name, None, metrics=times, clock_scope=scope) for name, scope in scopes.items()}
    unsaid = a_run("c", None, metrics=times, clock_scope=ClockScope.UNKNOWN)

    alone, mixed = (said(tables.runs(writer(*runs), runs, Markup("Runs"))) for runs in ([both["b"]], [both["a"], both["b"], unsaid]))

    assert "Training time (training and evaluation)" in alone
    assert "90 s n = 1" in alone
    assert "Training time Status" in mixed
    assert [word in mixed for word in ("training steps only", "90 s training and evaluation", "90 s clock not stated")] == [True] * 3


def test_unusual_settings_tell_rows_apart() -> None:
    """Of a run of this harness: what it sets by itself is not said."""
    usual, other = a_run("usual"), a_run("other", set_={"allocator": "default", "threads": 1})

    words = [said(tables.runs(writer(run), [run], Markup("Runs"))) for run in (usual, other)]

    assert "PyTorch 2.13.0 · FP32 synthetic data" in words[0]
    assert "PyTorch 2.13.0 · FP32 · default allocator · 1 thread synthetic data" in words[1]
