"""`python -m kernels doctor`: what this machine can run, what is missing, and how to fix it."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from kernels import datasets
from kernels.backends import BACKENDS
from kernels.backends.base import Device, Probe
from kernels.cli.command import say, say_json
from kernels.datasets import fetch
from kernels.disk import free_bytes
from kernels.harness import lock, worker
from kernels.machine import system
from kernels.records import DataKind, Environment
from kernels.telemetry.sources import Source, sources
from kernels.workloads import WORKLOADS, Plan


@dataclass(frozen=True, slots=True)
class Ability:
    """One workload with one backend on one device.

    Attributes:
        precisions: Precisions that device and workload share.
        data: Kinds of data that are available here.
        lacking: Kinds of data that are not, and the command that fetches them.
    """

    workload: str
    backend: str
    device: str
    precisions: tuple[str, ...]
    data: tuple[str, ...]
    lacking: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything found on the machine.

    Attributes:
        datasets: State of each data set by name, as in `kernels data list`.
        measuring: Runs being measured on this machine now.
        free_bytes: Free space on the disk of the recorded runs.
    """

    machine: Environment
    usable_cores: int
    backends: tuple[Probe, ...]
    telemetry: tuple[Source, ...]
    datasets: dict[str, str]
    abilities: tuple[Ability, ...]
    measuring: tuple[str, ...]
    free_bytes: int | None

    @property
    def able(self) -> bool:
        """True if any backend can run."""
        return any(not found.missing for found in self.backends)


def main(chosen: Namespace) -> int:
    """Runs the command; returns 1 if no backend can run, except with `--json`."""
    report = examine(chosen.runs)
    if chosen.json:
        say_json(record(report))
        return 0
    for line in lines(report):
        say(line)
    return 0 if report.able else 1


def examine(runs: Path) -> Report:
    """Examines the machine; takes the seconds that the frameworks need to load."""
    probes = tuple(worker.probe(name) for name in BACKENDS)
    states = {
        name: fetch.state(dataset, datasets.path(name)).value
        for name, dataset in datasets.DATASETS.items()
    }
    return Report(
        machine=system.environment(),
        usable_cores=system.usable_cores(),
        backends=probes,
        telemetry=tuple(sources()),
        datasets=states,
        abilities=tuple(abilities(probes, states)),
        measuring=tuple(owner.run_id for owner in lock.owners()),
        free_bytes=free_bytes(runs),
    )


def abilities(probes: Sequence[Probe], states: dict[str, str]) -> Iterator[Ability]:
    """Yields what each workload can do with each available backend and device."""
    for plan in WORKLOADS.values():
        for found in probes:
            if found.backend not in plan.backends or found.missing:
                continue
            for device in found.devices:
                yield _ability(plan, found, device, states)


def _ability(plan: Plan, found: Probe, device: Device, states: dict[str, str]) -> Ability:
    fed = [kind.value for kind in plan.data if kind is not DataKind.REAL]
    lacking = None
    if DataKind.REAL in plan.data:
        if plan.dataset is not None and states.get(plan.dataset) != fetch.State.PRESENT.value:
            lacking = f"real data: python -m kernels data fetch {plan.dataset}"
        elif plan.folder and plan.dataset is None:
            lacking = f"real data: {plan.folder} in a folder of yours, --data-dir DIR"
        else:
            fed.append(DataKind.REAL.value)
    both = tuple(precision.value for precision in device.precisions if precision in plan.precisions)
    return Ability(plan.name, found.backend, device.name, both, tuple(fed), lacking)


def lines(report: Report) -> Iterator[str]:
    """Yields the report for a terminal."""
    for found in report.backends:
        if found.fallen:
            yield f"accelerator {found.backend} has none and measures on the CPU: {found.fallen}"
    yield from _machine(report)
    for found in report.backends:
        yield from _backend(found)
    for source in report.telemetry:
        yield from _source(source)
    for name, state in report.datasets.items():
        yield f"data        {name}: {state}" + (
            "" if state == fetch.State.PRESENT.value else f", python -m kernels data fetch {name}"
        )
    for plan in WORKLOADS.values():
        yield from _workload(plan, report)


def _machine(report: Report) -> Iterator[str]:
    machine = report.machine
    memory = "unknown" if machine.memory_bytes is None else f"{machine.memory_bytes / 1e9:.1f} GB"
    load = "unknown" if machine.load_average_1min is None else f"{machine.load_average_1min:.2f}"
    free = "unknown" if report.free_bytes is None else f"{report.free_bytes / 1e9:.1f} GB free"
    yield (
        f"processor   {machine.cpu_model or 'unknown'}, {report.usable_cores} cores to use, "
        f"memory {memory}"
    )
    yield f"load        {load} (1 min; a run wants 0)"
    yield f"disk        {free}"
    for name in report.measuring:
        more = "a second run needs --together and is marked"
        yield f"measuring   {name} is being measured now; {more}"


def _workload(plan: Plan, report: Report) -> Iterator[str]:
    can = [ability for ability in report.abilities if ability.workload == plan.name]
    if not can:
        yield f"{plan.name:<12}cannot run: none of its backends can ({', '.join(plan.backends)})"
    for ability in can:
        data = ", ".join(ability.data) or "no data yet"
        lacking = "" if ability.lacking is None else f" ({ability.lacking})"
        yield (
            f"{plan.name:<12}can run: {ability.backend} on {ability.device}, "
            f"{', '.join(ability.precisions)}; {data}{lacking}"
        )


def _backend(found: Probe) -> Iterator[str]:
    name = f"{found.backend:<12}"
    if found.missing:
        yield f"{name}cannot run: {found.missing}"
    for device in found.devices:
        what = f", {device.model}" if device.model else ""
        yield f"{name}{found.version} on {device.name}{what}: {', '.join(device.precisions)}"
        if emulated := device.emulated.items():
            slow = ", ".join(f"{each} ({n:.0f} times as long as fp32)" for each, n in emulated)
            why = "refused, as the processor has no arithmetic for it"
            yield f"{name}on {device.name} {why}: {slow}"
    for card in found.unusable:
        yield f"{name}cannot use {card}"


def _source(source: Source) -> Iterator[str]:
    what = source.source if source.device is None else f"{source.source} {source.device}"
    if source.quantities:
        yield f"sensors     {what}: {', '.join(source.quantities)}"
    reasons: dict[str, list[str]] = {}
    for name, reason in source.missing.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        lacking = ", no ".join(names) if source.quantities else "readings"
        yield f"sensors     {what}: no {lacking}: {reason}"


def record(report: Report) -> dict[str, object]:
    """Returns the report as JSON."""
    return asdict(report) | {"able": report.able}
