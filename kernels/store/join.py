"""Joins recordings to the runs that they watched: a run's own file is never rewritten, so its
monitoring log is a file beside it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kernels.records import Recording, Run


def attached(
    runs: Sequence[Run], recordings: Iterable[Recording]
) -> tuple[list[Run], dict[str, str]]:
    """Returns the runs with their recordings, and why others could not be joined, by run id."""
    by_id = {run.run_id: run for run in runs}
    refused: dict[str, str] = {}
    for recording in recordings:
        name = recording.run_id
        run = by_id.get(name)
        start = None if run is None else offset_s(run, recording)
        if reason := _unfit(run, recording, start):
            refused[name] = f"records run {name!r}, {reason}"
        elif run is not None and start is not None:
            by_id[name] = joined(run, recording, start)
    return [by_id[run.run_id] for run in runs], refused


def offset_s(run: Run, recording: Recording) -> float | None:
    """Returns seconds from the start of the run's clock to the first reading; None if unknown."""
    if recording.offset_s is not None:
        return recording.offset_s
    if run.started_at is None or recording.started_at is None:
        return None
    return (recording.started_at - run.started_at).total_seconds()


def _unfit(run: Run | None, recording: Recording, start: float | None) -> str | None:
    if run is None:
        return "which is not here: bring its file back, or delete this one"
    if run.telemetry:
        return "which has telemetry of its own: delete this file"
    if start is None:
        return "of which no time of start is known: import the log again with --offset SECONDS"
    last = start + max((sample.time_s for sample in recording.samples), default=0.0)
    if run.wall_time_s is not None and (start > run.wall_time_s or last < 0):
        where = f"from {start:.6g} to {last:.6g} s of a run that took {run.wall_time_s:.6g} s"
        return (
            f"and lies outside it, {where}: import the log again with the right --zone or --offset"
        )
    clash = {metric.key for metric in run.metrics} & {metric.key for metric in recording.metrics}
    return f"which has {min(clash)} already: delete this file" if clash else None


def joined(run: Run, recording: Recording, start: float) -> Run:
    """Returns the run with the readings on its own clock, beginning at `start` seconds."""
    telemetry = tuple(replace(sample, time_s=sample.time_s + start) for sample in recording.samples)
    metrics = tuple(
        replace(metric, locator=metric.locator or recording.locator) for metric in recording.metrics
    )
    return replace(
        run,
        telemetry=telemetry,
        metrics=(*run.metrics, *metrics),
        doubts=(*run.doubts, *recording.doubts),
    )


def without(runs: Iterable[Run], recordings: Iterable[Recording]) -> list[Run]:
    """Returns the runs as in their own files, without these recordings."""
    gone = {recording.run_id: recording for recording in recordings}
    return [_bare(run, gone[run.run_id]) if run.run_id in gone else run for run in runs]


def _bare(run: Run, recording: Recording) -> Run:
    names = {metric.key for metric in recording.metrics}
    metrics = tuple(metric for metric in run.metrics if metric.key not in names)
    doubts = run.doubts[: len(run.doubts) - len(recording.doubts)]  # `joined` appended them
    return replace(run, telemetry=(), metrics=metrics, doubts=doubts)
