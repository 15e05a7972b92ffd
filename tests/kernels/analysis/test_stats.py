"""Medians, percentiles, trimmed means and intervals."""

import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.analysis import stats
from kernels.errors import MeasureError

samples = st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60)


@given(samples, st.floats(0, 100))
def test_percentiles_are_those_of_numpy(values: list[float], percent: float) -> None:
    """Definition 7 of Hyndman and Fan, within rounding."""
    assert stats.percentile(values, percent) == pytest.approx(
        float(np.percentile(values, percent)), rel=1e-9, abs=1e-3
    )


@given(samples)
def test_the_median_is_that_of_the_standard_library(values: list[float]) -> None:
    """Middle value, or mean of the two middle ones."""
    assert stats.median(values) == pytest.approx(statistics.median(values), rel=1e-12, abs=1e-9)


@given(samples, st.floats(0, 100), st.floats(0, 100))
def test_percentiles_rise_and_stay_within_the_sample(
    values: list[float], first: float, second: float
) -> None:
    """A higher percentage never has a lower value."""
    low, high = stats.percentiles(values, sorted((first, second)))

    assert min(values) <= low <= high <= max(values)


@given(st.lists(st.floats(-1e12, 1e12), min_size=3, max_size=30), st.randoms())
def test_the_trimmed_mean_does_not_depend_on_order(
    values: list[float], shuffler: random.Random
) -> None:
    """It lies between the second lowest and the second highest."""
    ordered = sorted(values)
    shuffler.shuffle(values)

    result = stats.trimmed_mean(values)

    assert result == stats.trimmed_mean(ordered)
    assert result == pytest.approx(statistics.fmean(ordered[1:-1]), rel=1e-9, abs=1e-3)


@given(st.lists(st.floats(0, 1e12), min_size=2, max_size=30))
def test_a_value_that_never_came_is_the_slowest(values: list[float]) -> None:
    """The mean is that of a run which took longer than all others."""
    assert stats.trimmed_mean(values, missed=1) == stats.trimmed_mean([*values, 2e12])


def test_more_missed_values_than_are_left_out_have_no_mean() -> None:
    """Two of five runs that did not reach the target make the result invalid, as in MLPerf."""
    with pytest.raises(
        MeasureError,
        match="a mean of 5 values of which 2 never came was asked for, wanted 1 or fewer",
    ):
        stats.trimmed_mean([1.0, 2.0, 3.0], missed=2)


def test_the_trimmed_mean_drops_fastest_and_slowest() -> None:
    """Five runs, as in MLPerf: the two ends do not count."""
    assert stats.trimmed_mean([1.0, 20.0, 21.0, 22.0, 1000.0]) == 21.0


def test_the_trimmed_mean_of_forty_drops_four_on_each_side() -> None:
    """unet3d has forty runs."""
    assert stats.trimmed_mean([0.0] * 4 + [7.0] * 32 + [1e9] * 4, drop=4) == 7.0


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [float("inf")]])
def test_no_figure_comes_out_of_nothing_or_of_nan(values: list[float]) -> None:
    """A statistic is refused where the sample has no answer."""
    for statistic in (
        stats.median,
        stats.mean,
        stats.spread,
        stats.standard_deviation,
        stats.trimmed_mean,
    ):
        with pytest.raises(MeasureError, match="wanted"):
            statistic(values)


def test_a_trimmed_mean_needs_a_rest() -> None:
    """Two runs less two leave none."""
    with pytest.raises(MeasureError, match="wanted 3 or more"):
        stats.trimmed_mean([1.0, 2.0])


def test_one_value_has_no_standard_deviation() -> None:
    """Not known is None, not 0."""
    assert stats.standard_deviation([3.0]) is None
    assert stats.standard_deviation([3.0, 3.0]) == 0.0


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_the_standard_deviation_is_that_of_the_standard_library(values: list[float]) -> None:
    """With n - 1 in the denominator."""
    assert stats.standard_deviation(values) == pytest.approx(
        statistics.stdev(values), rel=1e-6, abs=1e-6
    )


def test_the_spread_is_a_fraction_of_the_median() -> None:
    """Quartiles 9 and 11 around 10 are a fifth."""
    assert stats.spread([8.0, 9.0, 10.0, 11.0, 12.0]) == pytest.approx(0.2)
    assert stats.spread([0.0, 0.0]) is None


@given(st.lists(st.floats(0.001, 1000), min_size=stats.LEAST_STEPS, max_size=50), st.floats(0.5, 8))
def test_the_interval_scales_with_the_sample_and_stays_within_it(
    values: list[float], factor: float
) -> None:
    """Milliseconds and seconds have the same relative interval."""
    low, high = stats.bootstrap_interval(values, resamples=50)
    wide = stats.bootstrap_interval([value * factor for value in values], resamples=50)

    assert min(values) <= low <= high <= max(values)
    assert wide == pytest.approx((low * factor, high * factor))


def test_the_same_steps_have_the_same_interval() -> None:
    """The resampling is seeded; numpy's RandomState does not change between versions."""
    values = [1 + math.sqrt(7 * step % 23) / 100 for step in range(100)]

    low, high = stats.bootstrap_interval(values, resamples=25)

    assert (round(low, 9), round(high, 9)) == (1.030973666, 1.035348264)


def test_a_constant_step_time_has_an_interval_of_no_width() -> None:
    """There is nothing to doubt."""
    low, high = stats.bootstrap_interval([0.25] * 20)

    assert (low, high) == (0.25, 0.25)
    assert stats.relative_half_width(low, high, 0.25) == 0.0


def test_steps_that_hang_together_have_a_wider_interval() -> None:
    """Slow and fast phases of five steps would look more certain drawn one by one."""
    values = [1.0 + 0.1 * (step // 5 % 2) + 0.001 * (step % 5) for step in range(100)]

    blocks = stats.relative_half_width(*stats.bootstrap_interval(values), 1.0)
    single = stats.relative_half_width(*stats.bootstrap_interval(values, block=1), 1.0)

    assert blocks is not None
    assert single is not None
    assert blocks >= single


def test_the_interval_holds_the_true_median_about_as_often_as_it_says() -> None:
    """Of 200 normal samples of 60 values it misses the median in fewer than 15 %, not in none."""
    draw = random.Random(7)  # noqa: S311 - a simulation
    missed = 0
    for _ in range(200):
        low, high = stats.bootstrap_interval([draw.gauss(10, 1) for _ in range(60)], resamples=200)
        missed += not low <= 10 <= high

    assert 0 < missed < 30


def test_the_interval_of_a_mean_holds_it_and_each_value_counts_alike() -> None:
    """A stall moves it as much at the first place as in the middle; twenty alike have no width."""
    for place in (0, 25, 49):
        values = [0.05] * place + [0.65] + [0.05] * (49 - place)
        low, high = stats.mean_interval(values)
        assert low < stats.mean(values) < high < 0.12 and low == pytest.approx(0.05)
    assert stats.mean_interval([0.5] * 20) == (0.5, 0.5)
    with pytest.raises(
        MeasureError, match="an interval of 19 values was asked for, wanted 20 or more"
    ):
        stats.mean_interval([0.5] * 19)


def test_the_interval_of_a_mean_holds_the_true_one_about_as_often_as_it_says() -> None:
    """Of 200 samples of 80 steps, one of eight stalled at random, 95 % or a few less."""
    draw = random.Random(1)  # noqa: S311 - a simulation
    held = 0
    for _ in range(200):
        low, high = stats.mean_interval([0.05 + 0.6 * (draw.random() < 1 / 8) for _ in range(80)])
        held += low <= 0.125 <= high

    assert held / 200 > 0.85


def test_too_few_values_have_no_interval() -> None:
    """Nineteen steps are refused, twenty are enough; five runs that each stand for itself."""
    with pytest.raises(MeasureError, match="wanted 20 or more"):
        stats.bootstrap_interval([1.0] * 19)
    assert stats.bootstrap_interval([1.0] * 20) == (1.0, 1.0)
    assert (
        stats.bootstrap_interval([1.0, 2.0, 3.0, 4.0, 5.0], block=1, least=stats.LEAST_RUNS)[0]
        >= 1.0
    )
