"""A shaky run is kept and marked, with advice."""

import dataclasses
from itertools import accumulate
from typing import Any

import pytest

from kernels import catalog
from kernels.analysis.warnings import (
    LOWERED,
    SLOWED,
    THROTTLED,
    WARNINGS,
    say,
    throttle_shares,
    warnings_of,
)
from kernels.catalog.peaks import nominal
from kernels.errors import RecordError
from kernels.records import (
    Environment,
    Metric,
    Phase,
    Precision,
    Run,
    RunWarning,
    Sample,
    Setting,
    Status,
    Step,
)
from tests.makers import make_run


def a_run(times: list[float] | None = None, **fields: Any) -> Run:
    """A run with measured steps of these lengths, one after another."""
    starts = accumulate(times or [], initial=0.0)
    steps = tuple(
        Step(index, Phase.MEASURE, start, time)
        for index, (start, time) in enumerate(zip(starts, times or [], strict=False))
    )
    return make_run(**{"steps": steps, **fields})


def masked(*readings: tuple[float, int]) -> tuple[Sample, ...]:
    """Readings at these times of what slowed the card."""
    return tuple(Sample(time, 0, throttle_mask=mask) for time, mask in readings)


def energies(counter: float | None, integral: float) -> tuple[Metric, ...]:
    """Joules by the card's counter, where it has one, and by its power."""
    status = Status.NOT_SUPPORTED if counter is None else Status.OK
    return (
        Metric("energy_j", counter, "J", status=status),
        Metric("energy_integral_j", integral, "J"),
    )


def noted(name: str, value: str) -> Environment:
    """What stands beside the columns of the machine."""
    return Environment(extra=(Setting(name, value),))


@pytest.mark.parametrize(
    ("run", "codes"),
    [
        (a_run([0.1] * 40), []),
        (a_run([0.1, 0.2] * 20), ["unstable"]),
        (a_run([0.12] * 10 + [0.1] * 40), ["warmup_short"]),
        (a_run([0.1] * 36 + [0.2] * 4), ["uneven"]),
        (a_run([0.1] * 37 + [0.15] * 3), []),
        (a_run([0.1] * 9 + [0.9]), ["few_steps"]),
        (a_run(metrics=(Metric("data_wait_share", 0.58),)), ["data_wait"]),
        (a_run(metrics=(Metric("data_wait_share", 0.05),)), []),
        (a_run([0.1] * 19), ["few_steps"]),
        (a_run(environment=Environment(foreign_cores=0.94)), ["other_load"]),
        (a_run(environment=Environment(foreign_cores=0.01)), []),
        (a_run(telemetry=masked((0, 0x04), (1, 0x01))), []),
        (a_run(telemetry=masked((0, 0x24), (1, 0x01))), ["throttled"]),
        (a_run([0.1] * 40, telemetry=masked((-1, 0x40), (1, 0x01))), []),
        (a_run([0.1] * 40, telemetry=masked((1, 0x40), (99, 0x01))), ["throttled"]),
        (a_run(telemetry=masked(*((each / 10, 0x40 * (each == 7)) for each in range(100)))), []),
        (a_run(metrics=energies(100.0, 88.0)), ["energy_disagree"]),
        (a_run(metrics=energies(100.0, 91.0)), []),
        (a_run(metrics=energies(None, 91.0)), []),
        (a_run(environment=noted("telemetry_sampler_cpu_share", "0.02")), ["sampler_cost"]),
        (a_run(environment=noted("telemetry_sampler_cpu_share", "0.004")), []),
        (a_run(environment=noted("telemetry_gap_share", "0.25")), ["monitoring_gaps"]),
        (a_run(environment=noted("telemetry_gap_share", "0.00000")), []),
        (a_run(environment=noted("together_with", "toy-2 toy-3")), ["together"]),
        (a_run(metrics=(Metric("queued_share", 4.0),)), ["unsynchronised"]),
        (a_run(metrics=(Metric("queued_share", 0.001),)), []),
        (a_run(metrics=(Metric("peak_share", 1.03),)), ["over_peak"]),
        (a_run(metrics=(Metric("peak_share", None, status=Status.NOT_REPORTED),)), []),
        (a_run(), []),
    ],
)
def test_each_doubt_has_its_reason(run: Run, codes: list[str]) -> None:
    """Found in the run's own records, and absent where nothing speaks for it."""
    assert [doubt.code for doubt in warnings_of(run)] == codes


def test_more_than_the_makers_peak_is_doubted() -> None:
    """An H200 in FP32 by what the catalogue has of it; an unknown card or format is not judged."""
    fast = a_run(
        metrics=(Metric("achieved_flop_per_s", 80e12, "FLOP/s"),),
        accelerator="h200-sxm",
        precision=Precision.FP32,
    )
    catalogue = catalog.load()

    (doubt,) = warnings_of(fast, nominal(fast, catalogue))
    two = dataclasses.replace(fast, accelerators=2)

    assert doubt.code == "over_peak" and doubt.value == pytest.approx(80 / 66.91)
    assert not warnings_of(two, nominal(two, catalogue))
    assert nominal(dataclasses.replace(fast, precision=Precision.FP64), catalogue) is None
    assert nominal(dataclasses.replace(fast, accelerator="cpu-toy"), catalogue) is None


def test_a_doubt_keeps_what_was_found_and_the_limit() -> None:
    """So that a later limit does not change what was said then."""
    (doubt,) = warnings_of(a_run(environment=Environment(foreign_cores=0.94)))

    assert (doubt.value, doubt.limit) == (0.94, WARNINGS["other_load"].limit)


def test_warm_up_and_compile_steps_do_not_count() -> None:
    """Only measured steps are held to be steady."""
    slow = tuple(Step(index, Phase.WARMUP, float(index), 9.0) for index in range(30))
    run = a_run([0.1] * 30)

    assert warnings_of(dataclasses.replace(run, steps=slow + run.steps)) == ()


def test_a_doubt_reads_as_a_sentence_with_advice() -> None:
    """What was found, what is in order, what to do."""
    assert say(RunWarning("unstable", 0.123, 0.05)) == (
        "step time varies by 12.3% from its lower to its upper quartile (steady is 5.0% or less): "
        "close other programs, fix the clocks, or measure longer"
    )
    assert say(RunWarning("few_steps", 7)).startswith(
        "too few steps were timed: 7 (an interval needs 20)"
    )


@pytest.mark.parametrize("code", list(WARNINGS))
def test_every_doubt_can_be_said(code: str) -> None:
    """With a value, and without."""
    for doubt in (RunWarning(code, 0.5, 0.1), RunWarning(code)):
        text = say(doubt)
        assert "{" not in text
        assert "None" not in text


def test_an_unknown_doubt_is_refused_by_name() -> None:
    """A code from a newer version, or a slip of the pen."""
    with pytest.raises(RecordError, match="'moody' is unknown, wanted one of unstable"):
        say(RunWarning("moody"))


def test_each_reason_has_its_share() -> None:
    """Heat has two bits; idleness (0x01) and a clock that somebody set (0x02) lower nothing."""
    assert throttle_shares([0x01, 0x04, 0x24, 0x42]) == {"power_cap": 0.5, "heat": 0.5}
    assert throttle_shares([0x01, 0x02, 0x00]) == throttle_shares([]) == {}


def test_what_makes_a_doubt_is_a_reason() -> None:
    """All of it is named; the card's own power limit is a reason and no doubt."""
    named = 0
    for bits in THROTTLED.values():
        named |= bits

    assert named == LOWERED
    assert LOWERED & ~SLOWED == 0x04 | 0x10
