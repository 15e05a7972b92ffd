"""Submission checks: the raw records of runs of this harness must add up, and each submitted run
has points for review.

A run contains its steps, epochs and readings, and its figures must follow from them. What no
arithmetic can tell (was it this code, is the machine what it is called, why is it faster than
others) is listed for each submitted run as a matter for review.
"""

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from kernels import catalog
from kernels.analysis import compare, results, stats, summary, window
from kernels.analysis.repetitions import CUT, OWN, configuration
from kernels.analysis.warnings import say, warnings_of
from kernels.catalog.peaks import nominal
from kernels.checks.records import Said
from kernels.errors import Finding, Severity, a_warning, an_error, for_review
from kernels.harness.recover import LICENCE
from kernels.machine import system
from kernels.records import Environment, Metric, Origin, Run, Status, Step
from kernels.store import Archive
from kernels.store.names import place

Known = Callable[[str], bool | None]
"""Returns True if a commit is in this repository's history; None if this checkout cannot tell."""

FIRST: Final = datetime(2010, 1, 1, tzinfo=UTC)
"""Earliest start: nothing here could have run before."""

AHEAD: Final = timedelta(days=1)
"""Most by which another machine's calendar may be ahead of ours."""

SLACK: Final = 0.01
"""Share of a time, plus `SLACK_S` seconds, by which clocks of several processes may differ."""

SLACK_S: Final = 0.001

ROUNDING: Final = 1e-6
"""Relative difference allowed between a figure and its recomputation: another machine may round the
last digits differently.
"""

FAR: Final = 1.5
"""Factor of speed, up or down, to other runs of the kind that needs an explanation."""

LEAST_STEPS: Final = 3
"""Fewest steps whose exactly equal times are no coincidence."""

_WANTED: Final = (
    "os", "python", "cpu_model", "threads", "allocator", "compile_mode", "git_commit", "command",
)  # fmt: skip

_LIMITS: Final = {
    "power_w": 5_000.0,
    "temperature_c": 150.0,
    "memory_temperature_c": 150.0,
    "clock_hz": 1e10,
    "memory_clock_hz": 1e11,
}
"""Largest plausible reading of one device, in the unit of its column."""

_PRIVATE: Final = re.compile(
    r"(?:/home/|/Users/|/root/|[A-Za-z]:\\Users\\)[^\s'\"]+|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)*\.[A-Za-z]{2,}\b"
)
"""A user's folder, or an email address. Possessive, so that each word is scanned once."""


def check(
    archive: Archive, *, now: datetime | None = None, known: Known = system.in_history
) -> list[Finding]:
    """Returns errors, warnings and points for review of the runs of this harness, by run."""
    own = [run for run in archive.runs if run.origin in OWN]
    if not own:
        return []
    catalogue = catalog.load()
    findings = []
    for run in own:
        said = [
            *_order(run),
            *_epochs(run),
            *_calendar(run, now or datetime.now(UTC)),
            *_plausible(run),
            *_private(run),
        ]
        said += [*_lengths(run)] or [*_figures(run), *_unwarned(run, nominal(run, catalogue))]
        if run.origin is Origin.SUBMITTED:
            said += [*_lacking(run), *_code(run, known), *_machine(run), *_review(run, own)]
        findings += [Finding(severity, place(run, archive), text) for severity, text in said]
    return findings + [
        Finding(Severity.ERROR, place(run, archive), text) for run, text in _copies(own)
    ]


def _figures(run: Run) -> Said:
    if not run.steps:
        return
    rates = (each.name for each in run.metrics if each.name.startswith("throughput_"))
    rate = next(rates, "throughput_samples_per_s")
    expected = results.metrics(
        items=rate.removeprefix("throughput_").removesuffix("_per_s"),
        batch_size=run.global_batch_size or 1,
        steps=run.steps,
        epochs=run.epochs,
        evaluations=run.evaluations,
        target=run.targets[0] if run.targets else None,
        ended=run.status in (Status.OK, Status.NOT_CONVERGED),
        data=run.data,
    )
    for wanted in expected:
        found = run.metric(wanted.key)
        if found is not None:
            yield from _held(found, wanted)
    wall = results.wall_time(run.steps, run.epochs, run.evaluations)
    if not _equal(run.wall_time_s, wall):
        said = f"{run.wall_time_s}, and its steps, epochs and readings end at {wall}: {_ALTERED}"
        yield an_error(f"wall_time_s is {said}")


_ALTERED: Final = (
    "the file was altered, or another program wrote it; submit the one that `kernels run` wrote"
)


def _held(found: Metric, wanted: Metric) -> Said:
    if not _equal(found.value, wanted.value):
        yield an_error(
            f"metric {found.key} is {found.value}, and its own raw records make it {wanted.value}: "
            f"{_ALTERED}"
        )
    elif found.stat is not wanted.stat:
        yield an_error(
            f"metric {found.key} says that it is {found.stat} of its samples, wanted "
            f"{wanted.stat}: {_ALTERED}"
        )
    elif found.n != wanted.n and found.n is not None:
        yield an_error(
            f"metric {found.key} is of {found.n} samples, and {wanted.n} are recorded: {_ALTERED}"
        )
    elif not (_equal(found.low, wanted.low) and _equal(found.high, wanted.high)):
        ends = f"{found.low} to {found.high}, and by today's method {wanted.low} to {wanted.high}"
        yield a_warning(
            f"metric {found.key}: its interval is {ends}: it was made by other code, or altered"
        )


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=ROUNDING, abs_tol=1e-9)


def _lengths(run: Run) -> Said:
    """Yields errors for steps of zero or invalid length, from which nothing can be computed."""
    wrong = [
        step
        for step in run.steps
        if not (0 < step.duration_s < math.inf and math.isfinite(step.start_s))
    ]
    if wrong:
        text = (
            f"steps: {wrong[0].index} starts at {wrong[0].start_s} s and takes "
            f"{wrong[0].duration_s} s, of {len(wrong)} such"
        )
        yield an_error(
            f"{text}, wanted a time above 0: nothing was computed in it, or the file was altered"
        )


def _order(run: Run) -> Said:
    for before, after in pairwise(run.steps):
        if after.index > before.index + 1:
            yield a_warning(
                f"steps: {after.index} follows {before.index}: lines of its journal were lost; run "
                "it again"
            )
            break
    for before, after in pairwise(run.steps):
        end = before.start_s + before.duration_s
        if after.start_s < end - SLACK_S - SLACK * before.duration_s:
            text = (
                f"steps: {after.index} starts at {after.start_s:.6g} s, before {before.index} "
                f"ends at {end:.6g} s"
            )
            yield an_error(f"{text}: they were not taken one after another")
            break


def _epochs(run: Run) -> Said:
    by_epoch: dict[int | None, list[Step]] = defaultdict(list)
    for step in run.steps:
        by_epoch[step.epoch].append(step)
    ends: dict[float, float] = {}
    for epoch in run.epochs:
        steps = by_epoch[epoch.index]
        total = math.fsum(step.duration_s for step in steps)
        if epoch.duration_s is not None and total > epoch.duration_s * (1 + SLACK) + SLACK_S:
            text = (
                f"{epoch.index} took {epoch.duration_s:.6g} s, and its {len(steps)} steps "
                f"{total:.6g} s"
            )
            yield an_error(f"epochs: {text}: {_ALTERED}")
            break
        trained = len(steps) * (run.global_batch_size or 0)
        if steps and epoch.samples is not None and epoch.samples != trained:
            text = (
                f"{epoch.samples} samples, and its {len(steps)} steps of "
                f"{run.global_batch_size} are {trained}"
            )
            yield an_error(f"epochs: {epoch.index} has {text}: {_ALTERED}")
            break
        if epoch.start_s is not None:
            place_ = epoch.index - (run.epoch_index_base or 0) + 1.0
            ends[place_] = epoch.start_s + (epoch.duration_s or 0.0) + (epoch.evaluation_s or 0.0)
    for reading in run.evaluations:
        end = ends.get(reading.epoch or 0.0)
        if (
            end is not None
            and reading.time_s is not None
            and reading.time_s < end * (1 - ROUNDING) - SLACK_S
        ):
            text = (
                f"after epoch {reading.epoch:g} is at {reading.time_s:.6g} s, and the epoch "
                f"ends at {end:.6g} s"
            )
            yield an_error(f"evaluation of {reading.metric} {text}: {_ALTERED}")
            break


def _calendar(run: Run, now: datetime) -> Said:
    if run.started_at is None:
        yield a_warning(
            "started_at is not recorded: nobody can say which software and drivers there were then"
        )
    elif not FIRST <= run.started_at <= now + AHEAD:
        wanted = f"wanted {FIRST:%Y} to now ({now:%Y-%m-%d})"
        yield an_error(
            f"started_at is {run.started_at:%Y-%m-%d %H:%M}, {wanted}: set the machine's calendar, "
            "and run it again"
        )


def _plausible(run: Run) -> Said:
    for name, most in _LIMITS.items():
        high = [
            value
            for sample in run.telemetry
            if (value := getattr(sample, name)) is not None and value > most
        ]
        if high:
            yield a_warning(
                f"telemetry: {name} is {max(high):g}, wanted {most:g} or less: a sensor of that "
                "machine is wrong"
            )
    found = run.metric("peak_memory_bytes")
    there = run.environment
    if found is None or found.value is None or there is None:
        return
    room = there.accelerator_memory_bytes if there.accelerator_name else there.memory_bytes
    if room is not None and found.value > room:
        yield an_error(
            f"peak_memory_bytes is {found.value:g}, and the machine has {room}: {_ALTERED}"
        )


def _private(run: Run) -> Said:
    there = run.environment or Environment()
    texts = {
        each.name: getattr(there, each.name) for each in fields(Environment) if each.name != "extra"
    }
    texts |= {each.name: each.value for each in (*there.extra, *run.settings)} | {
        "status_detail": run.status_detail
    }
    for name, text in texts.items():
        if isinstance(text, str) and (found := _PRIVATE.search(text)):
            yield an_error(
                f"{name} holds {found[0]!r}, which names somebody's machine: do not pass it on; "
                "run it again without"
            )


def _unwarned(run: Run, peak: float | None) -> Said:
    carried = {warning.code for warning in run.doubts}
    for warning in warnings_of(run, peak):
        if warning.code not in carried:
            yield a_warning(
                f"its records give reason for a warning that it does not carry: {say(warning)}"
            )


def _copies(runs: Sequence[Run]) -> Iterator[tuple[Run, str]]:
    first: dict[str, Run] = {}
    for run in runs:
        if len(run.steps) < LEAST_STEPS:
            continue
        times = repr([step.duration_s for step in run.steps])
        other = first.setdefault(hashlib.sha256(times.encode()).hexdigest(), run)
        if other is not run:
            text = (
                f"its {len(run.steps)} steps took what those of run {other.run_id} took, to the "
                "last digit"
            )
            yield run, f"{text}: one run under two names; keep one of them"


def _lacking(run: Run) -> Said:
    """Yields what a submitted run must state and does not; for our own, we can ask ourselves."""
    if run.status is Status.UNFINISHED or (run.status in CUT and window.unmeasured(run)):
        yield an_error(
            f"it is {run.status} ({run.status_detail}), which is no measurement to hand in: run it "
            "again"
        )
    if run.status is Status.OK and not run.steps:
        yield an_error(
            f"it has no steps, from which its figures could be computed again: {_ALTERED}"
        )
    there = run.environment
    if there is None:
        yield an_error(f"it has no environment, so nobody can say what ran: {_ALTERED}")
        return
    missing = [name for name in _WANTED if getattr(there, name) is None]
    if missing or run.framework_version is None:
        names = ", ".join(
            [*missing, *(["framework_version"] if run.framework_version is None else [])]
        )
        yield a_warning(f"environment: {names} not recorded: ask whoever submitted it why")
    if run.licence != LICENCE:
        yield a_warning(
            f"licence is {run.licence}, wanted {LICENCE}: ask whoever submitted it to agree to that"
        )


def _code(run: Run, known: Known) -> Said:
    there = run.environment
    if there is None or there.git_commit is None:
        return
    commit, again = there.git_commit[:12], "ask for a run of the code as it was released"
    if there.git_dirty:
        yield a_warning(
            f"code: files differed from commit {commit}, and nobody can say how: {again}"
        )
    match known(there.git_commit):
        case False:
            yield a_warning(f"code: commit {commit} is none of this repository's history: {again}")
        case None:
            yield for_review(
                f"code: whether commit {commit} is in the history cannot be said here: look in a "
                "full clone"
            )


def _machine(run: Run) -> Said:
    """Yields warnings if system and accelerator are not called what their driver calls them."""
    there = run.environment
    if there is None:
        return
    on_card = there.accelerator_name is not None
    name = (
        system.gpu_id(there.accelerator_name or "")
        if on_card
        else system.cpu_id(there.cpu_model, there.cpu_vendor)
    )
    if not run.system.startswith(name):
        model = there.accelerator_name if on_card else there.cpu_model
        yield a_warning(
            f"system is {run.system}, and its environment names {model}, which makes {name}: "
            f"{_ALTERED}"
        )


def _review(run: Run, own: Sequence[Run]) -> Said:
    speed = compare.speed(run)
    figures = [
        each
        for each in run.metrics
        if each is speed or each.name == "time_to_target_s" or each.name.startswith("final_")
    ]
    said = ", ".join(f"{metric.name} {summary.figure(metric)}" for metric in figures) or "no figure"
    where = f"{run.workload}, batch {run.global_batch_size}, {run.precision}, {run.system}"
    yield for_review(
        f"claims {said} ({where}; {run.status}, {len(run.steps)} steps; credit: {run.credit})"
    )
    if run.status is not Status.OK:
        yield for_review(
            f"ended as {run.status}: {run.status_detail}: is that what its page should say of this "
            "machine?"
        )
    if run.doubts:
        yield for_review(
            f"carries the warnings {', '.join(each.code for each in run.doubts)}: ask whether a "
            "quiet run can be had"
        )
    if not run.telemetry:
        yield for_review(
            "no sensors were read, so nothing says whether the clock was lowered or others were at "
            "work"
        )
    yield from _speed(run, own)
    if run.targets and not any(
        _seedless(other) == _seedless(run) for other in own if other is not run
    ):
        yield for_review(f"one seed ({run.seed}) alone: a time to a target wants five")


def _speed(run: Run, own: Sequence[Run]) -> Said:
    others = [
        other
        for other in own
        if other is not run and _kind(other) == _kind(run) and other.status is Status.OK
    ]
    rates = [rate for other in others if (rate := _rate(other)) is not None]
    mine = _rate(run)
    if mine is not None and rates:
        share = mine / stats.median(rates)
        if not 1 / FAR <= share <= FAR:
            text = (
                f"its throughput is {share:.2g} times the median of {len(rates)} other runs of "
                "the kind"
            )
            yield a_warning(
                f"{text} ({', '.join(sorted(other.run_id for other in others)[:3])}): compare "
                "their environments"
            )
    elif mine is not None:
        yield for_review(
            "no other run of this workload, batch and precision on this accelerator: nothing here "
            "to hold it against"
        )


def _kind(run: Run) -> tuple[object, ...]:
    return (
        run.workload,
        run.accelerator,
        run.accelerators,
        run.global_batch_size,
        run.precision,
        run.data,
    )


def _seedless(run: Run) -> object:
    return tuple(sorted(configuration(run).items()))


def _rate(run: Run) -> float | None:
    return next(
        (metric.value for metric in run.metrics if metric.name.startswith("throughput_")), None
    )
