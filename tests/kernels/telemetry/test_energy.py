"""Energy from the counter and from power readings, each over the measured steps alone."""

import pytest

from kernels.records import Environment, Metric, Phase, Run, Sample, Status, Step, Target
from kernels.telemetry import energy
from kernels.telemetry.readings import Watched, thinned
from kernels.telemetry.summary import joined
from tests.makers import make_run, value


def readings(
    watts: float = 100.0,
    seconds: float = 20.0,
    device: int = 0,
    *,
    counter: bool = True,
    start: float = -2.0,
) -> list[Sample]:
    """Ten readings a second of a card that draws this power all the time."""
    count = int((seconds - start) * 10) + 1
    times = [start + index / 10 for index in range(count)]
    return [
        Sample(
            time,
            device,
            watts,
            (time - start) * watts if counter else None,
            utilisation=0.5,
            throttle_mask=0,
        )
        for time in times
    ]


def watched(samples: list[Sample], **fields: object) -> Watched:
    """A sampler's readings."""
    known: dict[str, object] = {
        "machine": (),
        "hz": 10.0,
        "sources": "nvml",
        "missing": {},
        "cost": 0.002,
        "clock": "shared",
    }
    return Watched(tuple(samples), **(known | fields))  # type: ignore[arg-type]  # tests name the fields


def a_run(steps: int = 100, metrics: tuple[Metric, ...] = ()) -> Run:
    """Two seconds of warm-up, then steps of a tenth of a second."""
    timed = tuple(
        Step(index, Phase.WARMUP if index < 20 else Phase.MEASURE, index * 0.1, 0.1)
        for index in range(20 + steps)
    )
    return make_run(steps=timed, metrics=metrics, environment=Environment())


def setting(run: Run, name: str) -> str | None:
    """Of the environment."""
    assert run.environment is not None
    return next((each.value for each in run.environment.extra if each.name == name), None)


def test_energy_is_that_of_the_measured_steps() -> None:
    """Ten seconds at 100 W, by counter and by integral; nothing before and after counts."""
    run = joined(a_run(), watched(readings()))

    assert value(run, "energy_j") == pytest.approx(1000.0)
    assert value(run, "energy_integral_j") == pytest.approx(1000.0)
    assert value(run, "mean_power_w") == value(run, "peak_power_w") == pytest.approx(100.0)
    assert setting(run, "telemetry_energy_ratio") == "1.0000"
    assert setting(run, "telemetry_gap_share") == "0.00000"
    assert len(run.telemetry) == 221 and run.telemetry[0].energy_j == 0.0


def test_several_cards_are_added() -> None:
    """100 W and 300 W at the same moments."""
    run = joined(
        a_run(),
        watched(sorted(readings() + readings(300.0, device=1), key=lambda sample: sample.time_s)),
    )

    assert value(run, "energy_j") == pytest.approx(4000.0)
    assert value(run, "peak_power_w") == 400.0


def test_without_a_counter_the_integral_stands_alone() -> None:
    """Older cards: the counter's is null with a status, the integral there, nothing 0."""
    run = joined(a_run(), watched(readings(counter=False)))

    assert run.metric("energy_j") == Metric("energy_j", None, "J", status=Status.NOT_SUPPORTED)
    assert value(run, "energy_integral_j") == pytest.approx(1000.0)
    assert value(run, "mean_power_w") == pytest.approx(100.0)


def test_where_nothing_tells_of_power_there_is_no_figure_and_no_zero() -> None:
    """A virtual machine: load alone, and the reason with the run."""
    plain = [Sample(sample.time_s, 0, utilisation=0.5) for sample in readings()]
    run = joined(
        a_run(), watched(plain, sources="host", missing={"power_w": "no RAPL on this machine"})
    )

    assert run.metric("energy_j") == Metric("energy_j", None, "J", status=Status.NOT_SUPPORTED)
    assert (
        run.metric("energy_integral_j")
        is run.metric("mean_power_w")
        is run.metric("peak_power_w")
        is None
    )
    assert setting(run, "telemetry_missing_power_w") == "no RAPL on this machine"


def test_power_made_of_the_counter_checks_nothing() -> None:
    """RAPL: the integral would be the counter told twice."""
    run = joined(a_run(), watched(readings(), sources="rapl+host"))

    assert value(run, "energy_j") == pytest.approx(1000.0)
    assert run.metric("energy_integral_j") is None
    assert setting(run, "telemetry_missing_energy_integral") is not None


def test_a_gap_is_not_integrated_across() -> None:
    """Five seconds without a reading: the counter goes on, the integral does not; it is said."""
    samples = [sample for sample in readings() if not 4.0 < sample.time_s < 9.0]
    run = joined(a_run(), watched(samples))

    assert value(run, "energy_j") == pytest.approx(1000.0)
    assert value(run, "energy_integral_j") == pytest.approx(500.0)
    assert float(setting(run, "telemetry_gap_share") or 0) == pytest.approx(0.5)


def test_a_counter_that_does_not_reach_the_ends_has_no_energy() -> None:
    """Readings that begin after the first measured step, as where a driver takes long to start."""
    run = joined(a_run(), watched(readings(start=3.0)))

    energy_ = run.metric("energy_j")
    assert energy_ is not None and (energy_.value, energy_.status) == (None, Status.NOT_REPORTED)
    assert "do not reach" in (setting(run, "telemetry_missing_energy") or "")


def test_too_short_a_time_has_no_energy() -> None:
    """Half a second is five readings."""
    run = joined(a_run(steps=5), watched(readings()))

    assert run.metric("energy_j") == Metric("energy_j", None, "J", status=Status.NOT_REPORTED)
    assert (
        setting(run, "telemetry_missing_energy")
        == "the measured steps took 0.50 s, an energy needs 2 s"
    )


def test_energy_to_the_target_counts_from_the_start() -> None:
    """Warm-up and evaluations included, as the time to the target does."""
    target = Target("top1", 0.9)
    run = joined(
        a_run(metrics=(Metric("time_to_target_s", 6.0, "s", target=target),)), watched(readings())
    )

    found = run.metric("energy_to_target_j@0.9")
    assert found is not None and found.value == pytest.approx(600.0)


def test_the_machine_around_a_card_is_summed_up() -> None:
    """Its readings are not the accelerators'; its load and energy are kept as figures."""
    run = joined(a_run(), watched(readings(), machine=tuple(readings(50.0, device=-1))))

    assert setting(run, "machine_mean_load") == "0.5000"
    assert setting(run, "machine_processor_energy_j") == "500.0"
    assert {sample.device for sample in run.telemetry} == {0}


def test_long_runs_keep_evenly_spaced_readings() -> None:
    """At most so many over all accelerators, alike for each; figures are of all of them."""
    samples = [Sample(time / 10, device) for time in range(1000) for device in (0, 1)]

    kept, stride = thinned(samples, most=300)

    assert stride == 8 and len(kept) == 250
    assert {sample.time_s for sample in kept if sample.device == 0} == {
        sample.time_s for sample in kept if sample.device == 1
    }
    assert thinned(samples[:10], most=300) == (tuple(samples[:10]), 1)


def test_a_reading_between_two_is_taken_evenly() -> None:
    """The trapezoid from 100 W at 0 s to 200 W at 1 s, cut at a half."""
    samples = [Sample(0.0, 0, 100.0, 0.0), Sample(1.0, 0, 200.0, 150.0)]

    found = energy.between(samples, 0.0, 0.5, 10.0)

    assert found.integral_j == pytest.approx(62.5)
    assert found.counter_j == pytest.approx(75.0)
