"""Adds the readings taken beside a run: telemetry, energy, power, and reasons for missing ones.

Facts without a column become settings with names that begin with `telemetry`:
`telemetry_missing_power_w` is why there is no power, `telemetry_sampler_cpu_share` the processor
time of the sampler as a share of one core.
"""

from collections.abc import Iterator
from dataclasses import replace

from kernels.records import Environment, Metric, Phase, Run, Sample, Setting
from kernels.telemetry import energy
from kernels.telemetry.readings import Watched, thinned


def joined(run: Run, watched: Watched) -> Run:
    """Returns the run with its readings; figures use all, `readings.MOST_SAMPLES` are kept."""
    kept, stride = thinned(watched.samples)
    window = measured_window(run)
    found: list[Metric] = []
    extra = [*_about(watched, stride)]
    if window is not None:
        start, end = window
        power = energy.between(watched.samples, start, end, watched.hz)
        supported = any(sample.energy_j is not None for sample in watched.samples)
        independent = "rapl" not in watched.sources
        found += energy.metrics(power, end - start, supported=supported, independent=independent)
        found += _to_target(run, watched, supported)
        extra += _window(watched, power, start, end, supported=supported, independent=independent)
        extra += _machine(watched, start, end)
    environment = run.environment or Environment()
    return replace(
        run,
        telemetry=tuple(_counted(kept)),
        metrics=run.metrics + tuple(found),
        environment=replace(environment, extra=environment.extra + tuple(extra)),
    )


def measured_window(run: Run) -> tuple[float, float] | None:
    """Returns the times from the start of the first measured step to the end of the last,
    evaluations between them included; None without any.
    """
    steps = [step for step in run.steps if step.phase is Phase.MEASURE]
    return (steps[0].start_s, steps[-1].start_s + steps[-1].duration_s) if steps else None


def _counted(samples: tuple[Sample, ...]) -> Iterator[Sample]:
    """Yields samples with energy counted from the first kept reading."""
    first: dict[int, float] = {}
    for sample in samples:
        if sample.energy_j is None:
            yield sample
        else:
            yield replace(
                sample, energy_j=sample.energy_j - first.setdefault(sample.device, sample.energy_j)
            )


def _to_target(run: Run, watched: Watched, supported: bool) -> Iterator[Metric]:
    for reached in run.metrics:
        if reached.name != "time_to_target_s" or reached.value is None or not supported:
            continue
        if reached.value >= energy.LEAST_WINDOW_S:
            counter = energy.between(watched.samples, 0.0, reached.value, watched.hz).counter_j
            if counter is not None:
                yield Metric("energy_to_target_j", counter, "J", n=1, target=reached.target)


def _about(watched: Watched, stride: int) -> Iterator[Setting]:
    yield Setting("telemetry", watched.sources)
    yield Setting("telemetry_hz", f"{watched.hz:g}")
    yield Setting("telemetry_clock", watched.clock)
    if stride > 1:
        yield Setting("telemetry_stride", str(stride))
    if watched.cost is not None:
        yield Setting("telemetry_sampler_cpu_share", f"{watched.cost:.5f}")
    for name, reason in watched.missing.items():
        yield Setting(f"telemetry_missing_{name}", reason)


def _window(
    watched: Watched,
    power: energy.Power,
    start: float,
    end: float,
    *,
    supported: bool,
    independent: bool,
) -> Iterator[Setting]:
    """Yields how well readings cover the measured steps, and why measurable energy is missing."""
    seconds = end - start
    if seconds <= 0:
        return
    if (supported or power.readings) and not (seconds < energy.LEAST_WINDOW_S):
        yield Setting("telemetry_gap_share", f"{_gaps(watched, start, end):.5f}")
    if (
        power.counter_j
        and power.integral_j is not None
        and independent
        and seconds >= energy.LEAST_WINDOW_S
    ):
        yield Setting("telemetry_energy_ratio", f"{power.integral_j / power.counter_j:.4f}")
    if supported and seconds < energy.LEAST_WINDOW_S:
        yield Setting(
            "telemetry_missing_energy",
            f"the measured steps took {seconds:.2f} s, an energy needs {energy.LEAST_WINDOW_S:g} s",
        )
    elif supported and power.counter_j is None:
        yield Setting(
            "telemetry_missing_energy",
            "the counter's readings do not reach from the first to the last measured step",
        )
    if supported and not independent:
        yield Setting(
            "telemetry_missing_energy_integral",
            "power is made of the counter's own readings, its integral would tell nothing new",
        )


def _gaps(watched: Watched, start: float, end: float) -> float:
    alive = energy.covered([sample.time_s for sample in watched.samples], start, end, watched.hz)
    return max(0.0, 1.0 - alive / (end - start))


def _machine(watched: Watched, start: float, end: float) -> Iterator[Setting]:
    """Yields figures of the machine around the accelerators: its readings are not kept."""
    load = energy.mean(watched.machine, lambda sample: sample.utilisation, start, end)
    if load is not None:
        yield Setting("machine_mean_load", f"{load:.4f}")
    drawn = energy.between(watched.machine, start, end, watched.hz).counter_j
    if drawn is not None and end - start >= energy.LEAST_WINDOW_S:
        yield Setting("machine_processor_energy_j", f"{drawn:.1f}")
