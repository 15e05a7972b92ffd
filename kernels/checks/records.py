"""Checks of records: impossible values, missing terms, unknown keys and sources, duplicate runs."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from math import inf
from typing import Any, Final

from kernels.analysis.repetitions import OWN, configuration, suite
from kernels.analysis.warnings import WARNINGS, say
from kernels.checks import keys
from kernels.errors import Finding, Severity, a_warning, an_error
from kernels.metrics import metric_unit
from kernels.records import (
    Claim,
    Direction,
    Metric,
    Origin,
    Phase,
    Price,
    PrintedCell,
    Rate,
    Run,
    Sample,
    Status,
    Tariff,
)
from kernels.store import Archive
from kernels.store.names import place
from kernels.store.schema import Record
from kernels.units import UNITS

Said = Iterator[tuple[Severity, str]]

UNBOUNDED: Final = ("loss", "perplexity", "fid")
"""Parts of the names of quality metrics that are no fractions."""


def check(archive: Archive) -> list[Finding]:
    """Returns all findings: unreadable files first, then runs by id, then the other tables."""
    tables: tuple[tuple[Sequence[Any], Callable[[Any], Said]], ...] = (
        (archive.claims, _claim),
        (archive.prices, _price),
        (archive.tariffs, _dated),
        (archive.rates, _rate),
    )
    return [
        *(Finding(Severity.ERROR, str(each.path), each.reason) for each in archive.problems),
        *_said_of(archive, archive.runs, lambda run: chain(about(run), _misplaced(run, archive))),
        *_repeated_seeds(archive),
        *(each for records, said in tables for each in _said_of(archive, records, said)),
        *unknown_keys(archive),
        *_unknown_sources(archive),
        *_said_of(archive, archive.cells, _cell),
    ]


def _said_of(
    archive: Archive, records: Sequence[Any], said: Callable[[Any], Said]
) -> Iterator[Finding]:
    for record in records:
        yield from (Finding(kind, place(record, archive), text) for kind, text in said(record))


def _misplaced(run: Run, archive: Archive) -> Said:
    file = archive.files.get(run.run_id)
    folder = file.parts[0] if file else run.origin
    if folder in set(Origin) and folder != run.origin:
        own = (run.origin, folder) == (Origin.MEASURED, Origin.SUBMITTED)
        advice = (
            f"hand it in with `python -m kernels submit {run.run_id}`"
            if own
            else f"move it to {run.origin}/, or mend its origin"
        )
        yield an_error(f"origin is {run.origin}, and the file lies in {folder}/: {advice}")


CELL_UNITS: Final[Mapping[tuple[str, str], str]] = {
    ("power", ""): "W",
    ("monitoring", "power"): "W",
    ("monitoring", "graphics-clock"): "Hz",
    ("monitoring", "memory-clock"): "Hz",
    ("monitoring", "load"): "1",
    ("monitoring", "temperature"): "degC",
}
"""Units of figures that charts and pages compute with, by table and beginning of the column."""


def _cell(cell: PrintedCell) -> Said:
    wanted = {
        unit
        for (table, start), unit in CELL_UNITS.items()
        if table == cell.table and cell.column.startswith(start)
    }
    if cell.unit is not None and cell.unit not in UNITS:
        wanted = wanted or {"one of units.UNITS"}
    if cell.unit is None and cell.value is not None:
        yield an_error(
            f"row {cell.row!r}, column {cell.column!r} has the value {cell.value} without a unit: "
            "say it, or leave the value null"
        )
    if cell.unit is not None and wanted and cell.unit not in wanted:
        yield an_error(
            f"unit of row {cell.row!r}, column {cell.column!r} is {cell.unit!r}, wanted "
            f"{', '.join(wanted)}: convert the figure"
        )


def unknown_keys(archive: Archive) -> list[Finding]:
    """Returns an error for each key that the site has no words for, and could not be built with."""
    tables: tuple[Sequence[Record], ...] = (
        archive.runs, archive.claims, archive.sources, archive.reviews, archive.cells,
        archive.prices,
    )  # fmt: skip
    return [
        Finding(Severity.ERROR, place(record, archive, whole=True), fault)
        for records in tables
        for record in records
        for fault in keys.faults(record)
    ]


def about(run: Run) -> Iterator[tuple[Severity, str]]:
    """Yields findings about a run by itself."""
    return chain.from_iterable(each(run) for each in _ABOUT_A_RUN)


def _terms(run: Run) -> Said:
    for name in ("licence", "credit", "locator"):
        if not getattr(run, name).strip():
            yield an_error(f"{name} is empty: say it, or the figures cannot be passed on")
    for warning in run.doubts:
        if warning.code in WARNINGS:
            yield a_warning(say(warning))
        else:
            yield an_error(
                f"doubts: warning {warning.code!r} is unknown, wanted one of {', '.join(WARNINGS)}"
            )
    if run.origin in OWN and run.environment is None:
        yield a_warning(
            "no environment is recorded, wanted one for a run of this harness: run it again with "
            "`kernels run`"
        )
    if run.status is Status.OK and not (run.metrics or run.evaluations or run.steps):
        yield a_warning(
            "status is ok and there is no figure: give it one, or the status that says why there "
            "is none"
        )
    if run.wall_time_s is not None and not 0 <= run.wall_time_s < inf:
        yield an_error(
            f"wall_time_s is {run.wall_time_s}, wanted seconds, 0 or more: the clock went "
            "backwards, run it again"
        )


def _fraction(name: str) -> bool:
    # a transcript may have more wrong words than there are words
    return not any(part in name for part in UNBOUNDED) and "wer" not in name.split("_")


def _metrics(run: Run) -> Said:
    for metric in run.metrics:
        yield from _metric(metric)
    for target in run.targets:
        yield from _share(f"target {target.metric}", target.metric, target.value)
    falling = {target.metric for target in run.targets if target.direction is Direction.AT_MOST}
    for metric in run.metrics:
        quality = metric.name.removeprefix("final_")
        best = run.value(f"best_{quality}")
        rising = quality != metric.name and quality not in falling and _fraction(quality)
        if rising and metric.value is not None and best is not None and metric.value > best:
            yield an_error(
                f"{metric.name} {metric.value} is above best_{quality} {best}: one of the two is "
                "mistaken"
            )


def _share(what: str, name: str, value: float) -> Said:
    """Yields an error if a quality is no fraction."""
    if _fraction(name) and not 0 <= value <= 1:
        yield an_error(
            f"{what} is {value}, wanted a fraction from 0 to 1: divide a percentage by 100"
        )


def _metric(metric: Metric) -> Said:
    unit = metric_unit(metric.name)
    if unit is None:
        yield a_warning(
            f"metric {metric.name!r} is not in metrics.METRICS: use a name from runs/README.md, or "
            "add it there"
        )
    elif unit != metric.unit:
        yield an_error(
            f"metric {metric.name} is in {metric.unit!r}, wanted {unit!r}: convert it, or name it "
            "otherwise"
        )
    if metric.n is not None and metric.n < 1:
        yield an_error(
            f"metric {metric.key}: n is {metric.n}, wanted 1 or more, or null where it is not known"
        )
    yield from _range(metric, unit)


def _range(metric: Metric, unit: str | None) -> Said:
    numbers = [number for number in (metric.value, metric.low, metric.high) if number is not None]
    if metric.name.startswith("throughput_") and any(number <= 0 for number in numbers):
        why = "wanted more than 0: a run without throughput has a status"
        yield an_error(f"metric {metric.key} is {min(numbers)}, {why}")
    elif unit not in {None, "1"} and any(number < 0 for number in numbers):
        why = f"wanted 0 or more: look into {metric.locator or 'the source'}"
        yield an_error(f"metric {metric.key} is {min(numbers)}, {why}")
    quality = unit == "1" and metric.name.startswith(("final_", "best_")) and _fraction(metric.name)
    share = quality or metric.name == "data_wait_share"
    if share and not all(0 <= number <= 1 for number in numbers):
        why = "wanted fractions from 0 to 1: divide a percentage by 100"
        yield an_error(f"metric {metric.key} is {numbers}, {why}")
    value, low, high = metric.value, metric.low, metric.high
    if value is not None and low is not None and high is not None and not low <= value <= high:
        yield a_warning(f"metric {metric.key} is {value}, outside its own interval {low} to {high}")


def _steps(run: Run) -> Said:
    if not run.steps:
        return
    yield from _in_order("steps", "index", [step.index for step in run.steps])
    yield from _in_order("steps", "start_s", [step.start_s for step in run.steps], or_equal=True)
    yield from _not_negative("steps", run.steps, "start_s", "duration_s")
    phases = [list(Phase).index(step.phase) for step in run.steps]
    yield from _in_order("steps", "phase (compile, warmup, measure)", phases, or_equal=True)
    yield from _within_wall_time(run, "steps", [step.duration_s for step in run.steps])


def _epochs(run: Run) -> Said:
    if not run.epochs:
        return
    indices = [epoch.index for epoch in run.epochs]
    if indices[0] != (run.epoch_index_base or 0):
        yield a_warning(
            f"epochs start at {indices[0]}, wanted epoch_index_base {run.epoch_index_base}: the "
            "first ones are missing"
        )
    gaps = ((before, after) for before, after in pairwise(indices) if after != before + 1)
    for before, after in islice(gaps, 1):
        yield a_warning(
            f"epochs: {after} follows {before}, wanted {before + 1}: epochs are missing or out "
            "of order"
        )
    of_epochs = ("duration_s", "evaluation_s", "data_wait_s", "samples")
    yield from _not_negative("epochs", run.epochs, *of_epochs)
    times = [each for epoch in run.epochs for each in (epoch.duration_s, epoch.evaluation_s)]
    yield from _within_wall_time(run, "epochs", [each for each in times if each is not None])


def _evaluations(run: Run) -> Said:
    wrong = (
        each
        for reading in run.evaluations
        for each in _share(f"evaluation of {reading.metric}", reading.metric, reading.value)
    )
    yield from islice(wrong, 1)
    of_readings = ("time_s", "train_time_s", "epoch", "samples", "step")
    yield from _not_negative("evaluations", run.evaluations, *of_readings)
    times = [(each.train_time_s, each.time_s) for each in run.evaluations]
    beyond = ((part, whole) for part, whole in times if part and whole is not None and part > whole)
    for part, whole in islice(beyond, 1):
        yield an_error(
            f"evaluation: train_time_s {part} is above time_s {whole}, which includes it"
        )
    for metric in dict.fromkeys(reading.metric for reading in run.evaluations):
        readings = (each.time_s for each in run.evaluations if each.metric == metric)
        ordered = [each for each in readings if each is not None]
        yield from _in_order(f"evaluations of {metric}", "time_s", ordered, or_equal=True)


def _telemetry(run: Run) -> Said:
    by_device: dict[int, list[Sample]] = defaultdict(list)
    for sample in run.telemetry:
        by_device[sample.device].append(sample)
    for device, samples in by_device.items():
        what = f"telemetry of device {device}"
        times = [sample.time_s for sample in samples]
        yield from _in_order(what, "time_s", times, or_equal=True)
        amounts = ("power_w", "energy_j", "clock_hz", "memory_clock_hz", "memory_bytes")
        yield from _not_negative(what, samples, *amounts)
        for name in ("utilisation", "memory_utilisation"):
            values = (getattr(sample, name) for sample in samples)
            wrong = (each for each in values if each is not None and not 0 <= each <= 1)
            for value in islice(wrong, 1):
                yield an_error(f"{what}: {name} is {value}, wanted a fraction from 0 to 1")


_ABOUT_A_RUN: Final[tuple[Callable[[Run], Said], ...]] = (
    _terms,
    _metrics,
    _steps,
    _epochs,
    _evaluations,
    _telemetry,
)


def _in_order(what: str, name: str, values: Sequence[float], *, or_equal: bool = False) -> Said:
    for before, after in pairwise(values):
        if not (after > before or (after == before and or_equal)):
            yield an_error(
                f"{what}: {name} {after} follows {before}, wanted rising ones: record them in the "
                "order they happened"
            )
            return


def _not_negative(what: str, records: Sequence[object], *names: str) -> Said:
    for name in names:
        values = (getattr(record, name) for record in records)
        wrong = next((each for each in values if each is not None and not 0 <= each < inf), None)
        if wrong is not None:
            how = "went backwards" if wrong < 0 else "gave no number"
            yield an_error(
                f"{what}: {name} is {wrong}, wanted 0 or more: the clock or the counter {how}, "
                "leave it null"
            )


def _within_wall_time(run: Run, what: str, times: Sequence[float]) -> Said:
    if run.wall_time_s is None:
        return
    # A log with whole seconds rounds each end; a thousandth covers the rounding of sums.
    room = run.wall_time_s * 1.001 + 2 * (run.clock_resolution_s or 0)
    total = sum(times)
    if total > room:
        yield an_error(
            f"{what} take {total:.6g} s together, wanted at most wall_time_s "
            f"{run.wall_time_s:.6g}: they overlap, or a time is wrong"
        )


_CUT: Final = frozenset({Status.KILLED, Status.UNFINISHED, Status.TIMEOUT, Status.FAILED})
"""Statuses of runs that were cut off, and are repeated with the same seed."""


def _repeated_seeds(archive: Archive) -> Iterator[Finding]:
    """Yields runs to a quality with the same seed and configuration: they count only once."""
    first: dict[object, Run] = {}
    for run in archive.runs:
        counts = run.withdrawn is None and run.status not in _CUT
        if run.seed is None or not counts or not (run.evaluations or run.targets):
            continue
        other = first.setdefault((_configuration(run), run.seed), run)
        if other is not run:
            found = f"same seed ({run.seed}) and configuration as run {other.run_id}"
            text = f"{found}, wanted a seed of its own: the two are counted once in a spread"
            yield Finding(Severity.WARNING, place(run, archive), text)


def _configuration(run: Run) -> object:
    """Returns what duplicates share; runs of this harness record more than logs do."""
    who = (run.source, run.submitter, run.round, run.division)
    if run.origin in OWN:
        # the harness numbers what it measures again
        return who, tuple(sorted(configuration(run).items())), suite(run), run.repeat_index
    machine = (run.workload, run.system, run.accelerators, run.nodes, run.processes)
    code = (run.backend, run.framework, run.framework_version, run.implementation, run.settings)
    return (
        who,
        machine,
        code,
        (run.precision, run.data, run.global_batch_size, run.epochs_planned, run.targets),
    )


def _claim(claim: Claim) -> Said:
    if not claim.locator.strip():
        yield an_error("locator is empty: say where the source prints the figure")
    low, high = claim.printed_low, claim.printed_high
    if low is not None and high is not None and low > high:
        yield an_error(f"printed_low {low} is above printed_high {high}: exchange them")
    if claim.formula == "none" and not claim.reason:
        yield an_error(
            "formula is none and reason is empty: say why the figure cannot be recomputed"
        )


def _rate(rate: Rate) -> Said:
    if not rate.rate > 0:
        yield an_error(
            f"rate is {rate.rate}, wanted more than 0: look into {rate.source}, {rate.locator}"
        )


def _price(price: Price) -> Said:
    yield from _dated(price)
    if price.accelerators < 1:
        yield an_error(f"accelerators is {price.accelerators}, wanted 1 or more")


def _dated(price: Price | Tariff) -> Said:
    for name in ("licence", "locator"):
        if not getattr(price, name).strip():
            yield an_error(f"{name} is empty: say it, or the price cannot be passed on")
    if price.valid_from and price.valid_to and price.valid_from > price.valid_to:
        yield an_error(
            f"valid_from {price.valid_from} is after valid_to {price.valid_to}: exchange them"
        )


def _unknown_sources(archive: Archive) -> Iterator[Finding]:
    known = {source.source for source in archive.sources}
    own = [run for run in archive.runs if not (run.origin in OWN and run.source in OWN)]
    records: tuple[Sequence[Any], ...] = (
        own, archive.claims, archive.prices, archive.tariffs, archive.rates, archive.reviews,
        archive.cells, archive.recordings,
    )  # fmt: skip
    first: dict[str, Any] = {}
    for record in chain.from_iterable(records):
        first.setdefault(record.source, record)
    for source in sorted(first.keys() - known):
        text = f"source {source!r} is not among the recorded sources"
        yield Finding(
            Severity.ERROR,
            place(first[source], archive),
            f"{text}: import the source again, or mend the name",
        )
