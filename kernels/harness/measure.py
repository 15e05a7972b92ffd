"""Times a training step by step and returns raw steps, epochs, evaluations, and how it ended.

Backend, training and clock are arguments, so no framework is imported and tests can pass fakes. A
step is timed from an idle device to an idle device and includes fetching the batch, as any training
does. Rules of warm-up and stopping follow nvbench, `torch.utils.benchmark` and pyperf.
"""

import math
import statistics
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from kernels.analysis import stats, window
from kernels.analysis.results import hit
from kernels.backends.base import Alone, Backend, OneStep, Ranks, Training
from kernels.errors import MeasureError
from kernels.records import DataKind, Direction, Epoch, Evaluation, Phase, Status, Step, Target
from kernels.units import Seconds, counted

Clock = Callable[[], float]

Progress = Callable[[float, float, str], None]
"""Called with the amount done, the total, and a description."""


@dataclass(frozen=True, slots=True)
class Rules:
    """When a throughput run is warm, and when it ends. Times in seconds.

    Attributes:
        warmup_s: Shortest warm-up, after the first step, which may compile.
        warmup_change: Warm when the median of the last 5 steps is within this share of that of the
            5 before.
        warmup_cap_s: Longest warm-up, first step included; then measuring starts anyway.
        half_width: Enough when the half width of the throughput's interval is within this share of
            the mean.
        noise_window: Enough when the noise of more than this many steps has settled (nvbench),
        noise_stride: checked after each so many more,
        noise_change: that is, varies by no more than this share of its last value.
        budget_s: Seconds after the first step when measuring ends, with `window.LEAST` steps if
            twice the budget has room for them. The first step may compile, or try cuDNN's
            algorithms: for ResNet-50 on an H100 that took 13 to 69 s, a later step 0.1 s.
    """

    warmup_steps: int = 10
    warmup_s: float = 2.0
    warmup_change: float = 0.02
    warmup_cap_s: float = 60.0
    steps: int = stats.LEAST_STEPS
    seconds: float = 5.0
    half_width: float = 0.01
    noise_window: int = 64
    noise_stride: int = 16
    noise_change: float = 0.05
    cap_s: float = 120.0
    budget_s: float | None = None

    def within(self, budget_s: float | None) -> "Rules":
        """Returns the rules within a budget, of which warm-up may take a third."""
        if budget_s is None:
            return self
        return replace(
            self,
            warmup_s=min(self.warmup_s, budget_s / 5),
            warmup_cap_s=min(self.warmup_cap_s, budget_s / 3),
            seconds=min(self.seconds, budget_s / 2),
            cap_s=budget_s,
            budget_s=budget_s,
        )


class Recorder(Protocol):
    """Receives findings as soon as they are there."""

    def started(self, zero: float) -> None:
        """Called when the run's clock starts, to which others' clocks are aligned."""

    def step(self, step: Step) -> None:
        """Called after a timed step."""

    def epoch(self, epoch: Epoch) -> None:
        """Called after a finished epoch."""

    def evaluation(self, evaluation: Evaluation) -> None:
        """Called after a reading of a quality metric."""

    def progress(self, done: float, total: float, note: str) -> None:
        """Called with the progress of the run."""

    def evaluating(self) -> None:
        """Called when an evaluation begins; no clock runs yet."""

    def measuring(self) -> None:
        """Called when warm-up is over; other load on the machine counts from here."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """End of a run.

    Attributes:
        queued_share: Time that the device worked after the last step had returned, over that of the
            steps; next to nothing if each step was waited for.
        data_wait_share: Share of a throughput run's time that went into fetching batches.
    """

    status: Status
    stop_reason: str
    detail: str | None = None
    queued_share: float | None = None
    data_wait_share: float | None = None


ALONE: Final = Alone()

JUDGED: Final = 10
"""Epochs after which a run must have begun to learn, however long its protocol is."""


class _Timer:
    """Times steps one after another on a clock that starts with the first.

    With several processes a step takes as long as in the slowest, and all see the same times.
    Decisions use `elapsed`, the end of the last step, so that all processes agree.
    """

    def __init__(self, backend: Backend, clock: Clock, recorder: Recorder, ranks: Ranks) -> None:
        self._backend = backend
        self._clock = clock
        self._recorder = recorder
        self._ranks = ranks
        ranks.slowest(0.0)  # the clocks of all processes start together
        self.zero = clock()
        self.taken = 0
        self.elapsed = 0.0
        recorder.started(self.zero)

    def now(self) -> Seconds:
        return Seconds(self._clock() - self.zero)

    def step(
        self, steps: Iterator[OneStep], phase: Phase, epoch: int
    ) -> tuple[Step, Seconds] | None:
        """Takes the next step; returns it and the time of its batch, or None at the end."""
        self._backend.wait()
        start = self.now()
        run = next(steps, None)
        if run is None:
            return None
        fetched = self.now()
        run()
        self._backend.wait()
        end = self.now()
        before, duration, waited, self.elapsed = self._ranks.slowest(
            -start, end - start, fetched - start, end
        )
        step = Step(self.taken, phase, -before, Seconds(duration), epoch)
        self.taken += 1
        self._recorder.step(step)
        return step, Seconds(waited)


def warmup(steps_per_epoch: int, epochs: int) -> int:
    """Returns the unmeasured steps of a convergence run: the first epoch; 11 of a single one.

    Raises:
        MeasureError: Nothing would be left to measure.
    """
    steps = steps_per_epoch if epochs > 1 else 11
    total = steps_per_epoch * epochs
    if steps >= total:
        raise MeasureError(
            f"warm-up of {steps} steps leaves none of the run's {total} to measure: use more "
            "epochs or a smaller batch"
        )
    return steps


@dataclass(slots=True)
class _Epochs:
    """The epochs of a convergence run in order; the first `warmup` steps are not measured."""

    training: Training
    backend: Backend
    recorder: Recorder
    ranks: Ranks
    timer: _Timer
    batch_size: int
    epochs: int
    warmup: int
    evaluation_s: float = 0.0
    queued: list[float] = field(default_factory=list)
    measuring: bool = False

    @property
    def samples(self) -> int:
        return self.training.steps_per_epoch * self.batch_size

    def said(self, index: int, note: str = "") -> None:
        total = self.training.steps_per_epoch * self.epochs
        self.recorder.progress(self.timer.taken, total, f"epoch {index + 1}/{self.epochs}{note}")

    def phase(self) -> Phase:
        if self.timer.taken == 0:
            return Phase.COMPILE
        if self.timer.taken < self.warmup:
            return Phase.WARMUP
        if not self.measuring:
            self.measuring = True
            self.recorder.measuring()
        return Phase.MEASURE

    def train(self, index: int) -> float:
        """Takes the steps of an epoch; returns the seconds spent on fetching batches."""
        waited = 0.0
        steps = self.training.steps()
        while True:
            taken = self.timer.step(steps, self.phase(), index)
            if taken is None:
                return waited
            waited += taken[1]
            self.said(index)

    def run(self, index: int) -> tuple[float, dict[str, float], Seconds]:
        """Trains an epoch and evaluates; returns loss, readings by metric, and the end's time."""
        start = self.timer.now()
        rate = self.training.learning_rate()
        waited = self.train(index)
        trained = self.timer.now()
        loss = self.training.loss()
        duration = trained - start
        self.queued.append((self.timer.now() - trained) / duration if duration > 0 else 0.0)
        self.recorder.evaluating()
        before = self.timer.now()
        loss = self.ranks.mean(loss)
        values = {
            metric: self.ranks.mean(value) for metric, value in self.training.evaluate().items()
        }
        self.backend.wait()
        after = self.timer.now()
        self.evaluation_s += after - before
        shown = loss if math.isfinite(loss) else None
        self.recorder.epoch(
            Epoch(index, self.samples, start, duration, after - before, rate, shown, waited)
        )
        return loss, values, after

    def read(self, index: int, values: Mapping[str, float], time_s: Seconds) -> None:
        for metric, value in values.items():
            self.recorder.evaluation(
                Evaluation(
                    metric,
                    value,
                    time_s=time_s,
                    train_time_s=Seconds(time_s - self.evaluation_s),
                    epoch=index + 1.0,
                    samples=self.samples * (index + 1),
                    step=self.timer.taken,
                )
            )

    def outcome(self, status: Status, reason: str, detail: str | None = None) -> Outcome:
        # the first reading may compile; a step without waiting shows in each
        return Outcome(status, reason, detail, min(self.queued))


def convergence(
    training: Training,
    backend: Backend,
    clock: Clock,
    recorder: Recorder,
    *,
    batch_size: int,
    epochs: int,
    target: Target,
    chance: float | None,
    protocol: int = 1,
    ranks: Ranks = ALONE,
) -> Outcome:
    """Trains for `epochs` with an evaluation after each, unless the run diverges.

    A run has diverged if loss or quality is NaN, or if the best quality is still that of guessing
    after half of the epochs and half of the workload's `protocol` (at most `JUDGED`). The first
    step counts as compiling, the rest of the first epoch as warm-up (in a single epoch the next 10
    steps). The target does not end the run: the curve beyond it is a finding too.
    """
    unmeasured = warmup(training.steps_per_epoch, epochs)
    timer = _Timer(backend, clock, recorder, ranks)
    run = _Epochs(training, backend, recorder, ranks, timer, batch_size, epochs, unmeasured)
    reached = guessing = False
    best = -math.inf
    # never one evaluation: an epoch may be a single step
    least = max(2, math.ceil(epochs / 2), min(math.ceil(protocol / 2), JUDGED))
    for index in range(epochs):
        loss, values, after = run.run(index)
        if wrong := _not_finite(loss, values, f"epoch {index + 1} of {epochs}"):
            return run.outcome(Status.DIVERGED, *wrong)
        run.read(index, values, after)
        value = values[target.metric]
        reached = reached or hit(target, value)
        best = max(best, value)
        run.said(index, f" · {target.metric} {value:.4f}")
        guessing = (
            chance is not None
            and target.direction is Direction.AT_LEAST
            and best < min(2 * chance, target.value)
        )
        if guessing and index + 1 >= least:
            detail = (
                f"the best {target.metric} after {counted(index + 1, 'epoch')} is {best:.4f}; "
                f"guessing gives {chance}"
            )
            return run.outcome(Status.DIVERGED, "at_chance", detail)
    if reached:
        return run.outcome(Status.OK, "epochs_done")
    detail = f"{target.metric} did not reach {target.value:g} in {counted(epochs, 'epoch')}"
    if guessing:
        detail += (
            f"; its best, {best:.4f}, is that of guessing, and only after {least} epochs would "
            "that be divergence"
        )
    return run.outcome(Status.NOT_CONVERGED, "epochs_done", detail)


def _not_finite(loss: float, values: Mapping[str, float], epoch: str) -> tuple[str, str] | None:
    if not math.isfinite(loss):
        return "loss_not_finite", f"the mean loss of {epoch} is {loss}"
    for metric, value in values.items():
        if not math.isfinite(value):
            return "quality_not_finite", f"{metric} after {epoch} is {value}"
    return None


class _Stream:
    def __init__(self, training: Training, timer: _Timer) -> None:
        self._training = training
        self._timer = timer
        self._steps = training.steps()
        self._epoch = 0
        self.waited = 0.0

    def take(self, phase: Phase) -> Step:
        taken = self._timer.step(self._steps, phase, self._epoch)
        if taken is None:
            self._epoch += 1
            self._steps = self._training.steps()
            taken = self._timer.step(self._steps, phase, self._epoch)
        if taken is None:
            raise MeasureError("an epoch of this workload has no steps: choose a smaller batch")
        self.waited += taken[1]
        return taken[0]


def throughput(
    training: Training,
    backend: Backend,
    clock: Clock,
    recorder: Recorder,
    rules: Rules | None = None,
    *,
    data: DataKind | None = None,
    ranks: Ranks = ALONE,
) -> Outcome:
    """Times steps until the mean's interval is narrow, the noise has settled, or the time is up.

    Warm-up uses up prefetched batches (`Training.prefetched`): a queue filled while the model was
    compiled would look like a fast disk. A run of one timed step is unfinished.
    """
    rules = rules or Rules()
    timer = _Timer(backend, clock, recorder, ranks)
    stream = _Stream(training, timer)
    first = stream.take(Phase.COMPILE).duration_s
    warm: list[float] = []
    while not _warm(warm, first, timer.elapsed, rules, getattr(training, "prefetched", 0)):
        warm.append(stream.take(Phase.WARMUP).duration_s)
        recorder.progress(
            min(timer.elapsed, rules.warmup_s), rules.warmup_s + rules.seconds, "warm-up"
        )
    # the first reading may compile, which would look like steps without waiting
    training.loss()
    recorder.measuring()
    (began,) = ranks.slowest(timer.now())
    stream.waited = 0.0
    timed, reason = _measured(stream, timer, recorder, rules, first=first, began=began, data=data)
    spent = timer.elapsed - began
    before = timer.now()
    loss = training.loss()
    queued = (timer.now() - before) / spent if spent > 0 else 0.0
    loss = ranks.mean(loss)
    if not math.isfinite(loss):
        detail = f"the mean loss over {timer.taken} steps is {loss}"
        return Outcome(Status.DIVERGED, "loss_not_finite", detail, queued)
    if len(timed) < window.LEAST:
        return Outcome(Status.UNFINISHED, reason, window.ONE_STEP, queued)
    whole = math.fsum(step.duration_s for step in timed)
    share = stream.waited / whole if whole > 0 else None
    return Outcome(Status.OK, reason, queued_share=queued, data_wait_share=share)


def _measured(
    stream: _Stream,
    timer: _Timer,
    recorder: Recorder,
    rules: Rules,
    *,
    first: float,
    began: float,
    data: DataKind | None,
) -> tuple[list[Step], str]:
    """Times steps until there are enough; returns them and the reason to stop."""
    timed: list[Step] = []
    noise = _Noise(rules)
    whole = rules.warmup_s + rules.seconds
    while True:
        timed.append(stream.take(Phase.MEASURE))
        noise.add(timed[-1].duration_s)
        spent = timer.elapsed - began
        recorder.progress(rules.warmup_s + min(spent, rules.seconds), whole, f"{len(timed)} steps")
        enough = len(timed) >= rules.steps and spent >= rules.seconds
        # The interval costs as much as many steps: it is computed after each tenth more of them.
        if enough and len(timed) % _stride(len(timed)) == 0 and _narrow(timed, rules, data):
            return timed, "interval_narrow"
        if enough and noise.settled():
            return timed, "noise_stable"
        if spent >= rules.cap_s or _used_up(timer.elapsed - first, timed, rules):
            return timed, "time_cap"


class _Noise:
    """Noise of the steps (deviation over mean) until it settles, as nvbench's `stdrel`."""

    LAST: Final = 512
    """Readings that are considered, as in nvbench."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0
        self._trail: deque[float] = deque(maxlen=self.LAST)

    def add(self, value: float) -> None:
        self._count += 1
        away = value - self._mean
        self._mean += away / self._count
        self._squares += away * (value - self._mean)
        if self._count >= stats.BLOCK and self._mean > 0:
            self._trail.append(math.sqrt(self._squares / (self._count - 1)) / self._mean)

    def settled(self) -> bool:
        """Returns True if the trail stays around its last value; checked every `noise_stride`
        steps.
        """
        if len(self._trail) <= self._rules.noise_window or self._count % self._rules.noise_stride:
            return False
        last = self._trail[-1]
        around = math.sqrt(
            math.fsum((each - last) ** 2 for each in self._trail) / (len(self._trail) - 1)
        )
        return around < self._rules.noise_change * last


def _stride(taken: int) -> int:
    """Returns a power of two, a sixteenth to an eighth of `taken`."""
    return int(2 ** max(taken.bit_length() - 4, 0))


def _warm(times: list[float], first: float, now: float, rules: Rules, ready: int) -> bool:
    """Returns True if steps have settled, after the `ready` batches, or their time is up."""
    least = first + rules.warmup_s
    cap = max(rules.warmup_cap_s, least)
    if now >= (cap if rules.budget_s is None else min(cap, first + rules.budget_s / 2)):
        return True
    if len(times) < max(rules.warmup_steps, 10) + ready or now < least:
        return False
    last, before = statistics.median(times[-5:]), statistics.median(times[-10:-5])
    return abs(last - before) <= rules.warmup_change * before


def _used_up(elapsed: float, timed: list[Step], rules: Rules) -> bool:
    """Returns True if the budget is used up; a second step may use as much again."""
    if rules.budget_s is None or elapsed < rules.budget_s:
        return False
    return len(timed) >= window.LEAST or elapsed + timed[-1].duration_s > 2 * rules.budget_s


def _narrow(timed: list[Step], rules: Rules, data: DataKind | None) -> bool:
    width = window.half_width(window.periods(timed, data=data))
    return width is not None and width <= rules.half_width
