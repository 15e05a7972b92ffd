"""`python -m kernels show`: lists runs, or shows one in full: results, warnings, environment."""

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Final

from kernels.analysis import summary
from kernels.analysis.repetitions import OWN
from kernels.analysis.warnings import WARNINGS
from kernels.analysis.warnings import say as advice
from kernels.cli.command import archive, runs_and_json, say, say_json
from kernels.errors import StoreError
from kernels.records import Bound, Environment, Interval, Metric, Run, RunWarning, Status
from kernels.store.schema import SCHEMA_VERSION

_BOUNDS: Final = {
    Bound.EQ: "",
    Bound.APPROX: "about ",
    Bound.LT: "less than ",
    Bound.GT: "more than ",
}
_INTERVALS: Final = {
    Interval.CI95: "95 % interval",
    Interval.PRINTED: "as printed",
    Interval.SEEDS: "over its runs",
}


def options(parser: ArgumentParser) -> None:
    """Adds the command's options."""
    runs_and_json(parser)
    parser.add_argument(
        "run", nargs="*", help="ids of runs, each shown in full (default: a list of all)"
    )


def main(chosen: Namespace) -> int:
    """Runs the command."""
    found = archive(chosen.runs)
    known = {run.run_id: run for run in found.runs}
    if unknown := [name for name in chosen.run if name not in known]:
        raise StoreError(
            f"{', '.join(unknown)}: no such run below {chosen.runs}; `show` without an id lists all"
        )
    runs = [known[name] for name in chosen.run] or list(found.runs)
    if chosen.json:
        # Without an id it lists all runs, briefly; a run that is given by its id is shown
        # whole.
        records = [
            record(run, found.files.get(run.run_id)) if chosen.run else summary.record(run)
            for run in runs
        ]
        say_json({"schema_version": SCHEMA_VERSION, "records": records})
        return 0
    if chosen.run:
        for run in runs:
            say("\n".join([*lines(run, found.files.get(run.run_id)), ""]))
    elif runs:
        say(summary.table([summary.row(run) for run in runs]))
    else:
        say(f"no runs below {chosen.runs}")
    for line in summary.remarks([run.run_id for run in runs], found.runs):
        say(f"  {line}")
    return 0


def lines(run: Run, file: Path | None) -> Iterator[str]:
    """Yields the lines of a run for a terminal."""
    yield run.run_id
    yield from _block(_head(run, file))
    yield f"  warnings      {len(run.doubts) or 'none'}"
    yield from (f"    {warning(each)}" for each in run.doubts)
    yield "  figures" + ("" if run.metrics else "       none")
    if run.metrics:
        made = summary.table(
            [_figure(metric) for metric in run.metrics],
            ("figure", "value", "from, to", "n", "statistic"),
        )
        yield from (f"    {line}" for line in made.splitlines())
    yield from (f"    {line}" for line in summary.copied(run))
    yield from _named("settings", {each.name: each.value for each in run.settings})
    yield from _named(
        "software", {each.name: each.version or "version not stated" for each in run.software}
    )
    yield from _named("environment", _environment(run.environment))


def _head(run: Run, file: Path | None) -> dict[str, str | None]:
    """Returns the facts that identify the run, by label; None leaves a line out."""
    own = run.origin in OWN
    detail = f": {run.status_detail}" if run.status_detail else ""
    stopped = "" if run.stop_reason in {None, run.status} else f" (stop reason: {run.stop_reason})"
    phases = Counter(step.phase.value for step in run.steps).items()
    steps = ", ".join(f"{count} {phase}" for phase, count in phases)
    wall = "" if run.wall_time_s is None else f"; {run.wall_time_s:.4g} s in all"
    counts = f"{len(run.epochs)} recorded, {len(run.evaluations)} evaluations"
    last = {reading.metric: f"{reading.value:.4g}" for reading in run.evaluations}
    quality = (f"{name} {value} at the last of its readings" for name, value in last.items())
    sensors = "none read" if own else None
    if run.telemetry:
        sensors = f"{len(run.telemetry)} readings"
    return {
        "status": f"{run.status}{detail}{stopped}",
        "withdrawn": run.withdrawn,
        "origin": run.origin.value if own else f"{run.origin}, source {run.source}",
        "place": run.locator,
        "file": None if file is None else file.as_posix(),
        "terms": f"{run.licence}; {run.credit}",
        "what": summary.group([run]) + _how(run),
        "when": None if run.started_at is None else f"{run.started_at:%Y-%m-%d %H:%M:%S} UTC",
        "clock": f"{run.clock_scope}{wall}",
        "targets": ", ".join(f"{target.metric} {target.value:g}" for target in run.targets) or None,
        "steps": f"{len(run.steps)} ({steps})" if run.steps else None,
        "epochs": counts if run.epochs or run.evaluations else None,
        "quality": ", ".join(quality) or None,
        "sensors": sensors,
        "energy": _energy(run, own=own),
        "remarks": ", ".join(run.caveats) or None,
    }


def _how(run: Run) -> str:
    framework = " ".join(filter(None, (run.framework, run.framework_version)))
    said = {
        "": framework or None,
        "seed ": run.seed,
        "repetition ": run.repeat_index,
        "processes ": run.processes,
        "epochs planned ": None if run.epochs_planned is None else f"{run.epochs_planned:g}",
        "augmented: ": None if run.augmentation is None else "yes" if run.augmentation else "no",
        "implementation ": run.implementation,
    }
    return "".join(f", {word}{value}" for word, value in said.items() if value is not None)


def _energy(run: Run, *, own: bool) -> str | None:
    found = [metric for metric in run.metrics if metric.name.startswith("energy")]
    if not found:
        return "not measured" if own else None
    words = ", ".join(f"{metric.name} {summary.figure(metric)}" for metric in found)
    why = run.extra.get("telemetry_missing_energy_j")
    unsupported = any(metric.status is Status.NOT_SUPPORTED for metric in found)
    return f"{words}: {why}" if why and unsupported else words


def _figure(metric: Metric) -> tuple[str, ...]:
    value = metric.status.value
    if metric.value is not None:
        value = _BOUNDS[metric.bound] + summary.amount(metric.value, metric.unit)
    spread = summary.between(metric.low, metric.high, metric.unit, metric.value)
    kind = f", {_INTERVALS[metric.interval]}" if metric.interval is not None else ""
    none = metric.value is None and metric.low is None
    n = "-" if none else "not stated" if metric.n is None else str(metric.n)
    percentile = metric.name.startswith("step_time_p")
    return (
        metric.key,
        "-" if metric.value is None and not none else value,
        spread + kind or "-",
        n,
        "percentile" if percentile else metric.stat.value.replace("_", " "),
    )


def warning(found: RunWarning) -> str:
    """Returns a warning in words, or its code if this version does not know it."""
    known = found.code in WARNINGS
    return f"{found.code}: {advice(found) if known else 'unknown to this version of the harness'}"


def _environment(known: Environment | None) -> dict[str, str]:
    if known is None:
        return {}
    told = {each.name: getattr(known, each.name) for each in fields(known) if each.name != "extra"}
    said = {name: _value_text(name, value) for name, value in told.items() if value is not None}
    return said | {each.name: each.value for each in known.extra}


def _value_text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and name.endswith("_bytes"):
        return summary.amount(value, "byte")
    if isinstance(value, (int, float)) and name.endswith("_hz"):
        return f"{value / 1e9:.4g} GHz"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _block(said: dict[str, str | None]) -> Iterator[str]:
    yield from (f"  {name:<14}{value}" for name, value in said.items() if value is not None)


def _named(title: str, said: dict[str, str]) -> Iterator[str]:
    if said:
        yield f"  {title}"
        width = max(map(len, said))
        yield from (f"    {name:<{width}}  {value}" for name, value in said.items())


def record(run: Run, file: Path | None) -> dict[str, object]:
    """Returns the run as JSON, without single steps and sensor readings."""
    apart = {"metrics", "doubts", "steps", "telemetry", "started_at", "locator"}
    names = [each.name for each in fields(run) if each.name not in apart]
    return {
        **summary.record(run),
        **{name: _plain(getattr(run, name)) for name in names},
        "doubts": [asdict(each) | {"text": warning(each)} for each in run.doubts],
        "steps": len(run.steps),
        "telemetry": len(run.telemetry),
        "file": None if file is None else file.as_posix(),
    }


def _plain(value: object) -> object:
    if isinstance(value, Environment):
        return asdict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [each if isinstance(each, str) else asdict(each) for each in value]
    return value
