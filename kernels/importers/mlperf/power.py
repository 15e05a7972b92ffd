"""Energy of an MLPerf run, from the power logs beside it (v5.0 on).

`<benchmark>/power/result_N/node_M.txt` has the readings of one machine during the run
`<benchmark>/result_N.txt`, and `sw_M.txt` the estimate for one switch between the machines, both as
`:::MLLOG` events with milliseconds. By the rules:

    a node    E = conversion_eff * sum(P_i * (t_i - t_(i-1))) * T / (t_stop - t_start)
    a switch  E = conversion_eff * interconnect_power_est * T

E in joule, P_i the `power_reading` in watt at t_i, t_0 = t_start = `power_measurement_start`,
t_stop = `power_measurement_stop`, T the run's time from start to stop, all in seconds; readings
after t_stop do not count, and conversion_eff is 1 where no event gives it. The meter runs a little
longer than the run, so its energy is scaled to the run's time. A run's energy is the sum over all
nodes and switches: the whole system, of which an accelerator's counter covers a part.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kernels.errors import SourceError
from kernels.importers.mlperf.log import Event, between, events_of, lines_of, number
from kernels.importers.mlperf.system import SubmissionFacts
from kernels.records import Metric, Run, Setting

FOLDER: Final = "power"

FEWEST: Final = 60
"""Readings per node that the rules require; fewer give a warning."""

MARKS: Final = ("power_measurement_start", "power_measurement_stop")
"""Events by which a power log is recognised."""

_KEYS: Final = frozenset({*MARKS, "power_reading", "conversion_eff", "interconnect_power_est"})


@dataclass(frozen=True, slots=True)
class Energy:
    """Additions to a run from its power logs; empty without logs, or if one is broken."""

    metrics: tuple[Metric, ...] = ()
    settings: tuple[Setting, ...] = ()
    warnings: tuple[str, ...] = ()


def energy_of(log: Path, facts: SubmissionFacts, run: Run) -> Energy:
    """Returns the energy of a run, from the folder named like its log."""
    folder = log.parent / FOLDER / log.stem
    nodes, switches = sorted(folder.glob("node_*.txt")), sorted(folder.glob("sw_*.txt"))
    if not nodes and not switches:
        return Energy()
    where = f"{FOLDER}/{log.stem}"
    if run.wall_time_s is None or run.started_at is None:
        return Energy(warnings=(f"{where}: the run has no time, so its power logs give no energy",))
    if not nodes:
        return Energy(warnings=(f"{where}: the energy of a switch and of no node; left out",))
    total = 0.0
    warnings: list[str] = []
    few: list[str] = []
    efficiencies: set[float] = set()
    start = run.started_at.timestamp()
    try:
        for path in nodes:
            energy, efficiency, readings = _node(path, run.wall_time_s, start)
            total += energy
            efficiencies.add(efficiency)
            if readings < FEWEST:
                few.append(f"{path.name}: {readings}")
        total += sum(_switch(path, run.wall_time_s) for path in switches)
    except SourceError as error:
        return Energy(warnings=(f"{where}: {error}; the run's energy is left out",))
    if few:
        more = f"; {len(few) - 1} more nodes have too few" if few[1:] else ""
        warnings.append(f"{where}/{few[0]} power readings, the rules want {FEWEST}{more}")
    if facts.nodes is not None and facts.nodes != len(nodes):
        warnings.append(f"{where}: power logs of {len(nodes)} nodes for a system of {facts.nodes}")
    file = f"/{nodes[0].name}" if len(nodes) == 1 and not switches else ""
    locator = f"file '{facts.path.rpartition('/')[0]}/{where}{file}'"
    settings = [Setting("conversion_eff", repr(each)) for each in efficiencies]
    return Energy(
        (Metric("energy_j", total, unit="J", locator=locator),),
        tuple(settings) if len(settings) == 1 else (),
        tuple(warnings),
    )


def node_energy(events: Iterable[Event], time_to_train_s: float) -> tuple[float, float, int]:
    """Returns the energy of a node in joule by the formula above, its conversion efficiency, and
    its number of readings.

    Raises:
        SourceError: Start, stop or every reading is missing, or a figure is invalid.
    """
    start = stop = None
    efficiency = 1.0
    readings: list[tuple[float, float]] = []
    for event in events:
        value = number(event.value)
        if event.key == "power_measurement_start":
            start = event.time_s if start is None else start
        elif event.key == "power_measurement_stop":
            stop = event.time_s if stop is None else stop
        elif event.key == "conversion_eff":
            if value is None or not 0 < value <= 1:
                raise SourceError(
                    f"line {event.line}: conversion_eff {event.value!r}; wanted a number above 0 "
                    "and up to 1"
                )
            efficiency = value
        elif event.key == "power_reading":
            if value is None or value < 0 or event.time_s is None:
                raise SourceError(
                    f"line {event.line}: power_reading {event.value!r} at {event.time_s}; wanted "
                    "watts and a time"
                )
            readings.append((event.time_s, value))
    if start is None or stop is None or stop <= start:
        raise SourceError(
            f"measurement from {start} to {stop}; wanted power_measurement_start and a later "
            "power_measurement_stop"
        )
    inside = sorted(each for each in readings if start <= each[0] <= stop)
    if not inside:
        raise SourceError("no power_reading between start and stop of the measurement")
    total, before = 0.0, start
    for time, watts in inside:
        total += watts * between(before, time)
        before = time
    return efficiency * total * time_to_train_s / between(start, stop), efficiency, len(inside)


def _node(path: Path, time_to_train_s: float, run_start: float) -> tuple[float, float, int]:
    """Returns `node_energy` of a log that must cover the time of the run."""
    found = _events(path)
    try:
        energy, efficiency, readings = node_energy(found, time_to_train_s)
    except SourceError as error:
        raise SourceError(f"{path.name}: {error}") from error
    times = [event.time_s for event in found if event.key in MARKS and event.time_s is not None]
    if max(times) < run_start or min(times) > run_start + time_to_train_s:
        raise SourceError(f"{path.name}: measured before or after the run, not during it")
    return energy, efficiency, readings


def _switch(path: Path, time_to_train_s: float) -> float:
    efficiency, estimate = 1.0, None
    for event in _events(path):
        if event.key == "conversion_eff":
            efficiency = number(event.value) or 0.0
        elif event.key == "interconnect_power_est" and estimate is None:
            estimate = number(event.value)
    if estimate is None or estimate < 0 or not 0 < efficiency <= 1:
        raise SourceError(
            f"{path.name}: power {estimate} W, efficiency {efficiency:g}; wanted "
            "interconnect_power_est in watt and one up to 1"
        )
    return efficiency * estimate * time_to_train_s


def _events(path: Path) -> list[Event]:
    try:
        with path.open("rb") as file:
            return [event for event in events_of(lines_of(file)) if event.key in _KEYS]
    except OSError as error:
        raise SourceError(f"{path.name}: cannot be read ({error.strerror})") from error
