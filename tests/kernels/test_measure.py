"""Timing by a clock that is handed in: what counts, what is left out, and how a run ends."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import pytest

from kernels import measure
from kernels.backends.base import Backend, Facts, OneStep, OutOfMemory
from kernels.errors import MeasureError
from kernels.records import Direction, Epoch, Evaluation, Interval, Metric, Phase, Status, Step, Target

GOAL = Target("top1", 0.9)


class Wrist:
    """A clock that stands still until somebody works."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


class Eager:
    """A device whose queue is `late` seconds long: a step returns at once, waiting takes the time."""

    name = "eager"

    def __init__(self, clock: Wrist) -> None:
        self._clock = clock
        self.queued = 0.0

    def wait(self) -> None:
        """Let the queue run empty, if at all."""
        self._clock.now += self.queued
        self.queued = 0.0

    def peak_memory(self) -> int:
        """One byte."""
        return 1

    def facts(self) -> Facts:
        """None."""
        return Facts({}, ())

    def out_of_memory(self, error: BaseException) -> OutOfMemory | None:
        """Never."""
        del error
        return None


class Asleep(Eager):
    """The same with the wait forgotten."""

    def wait(self) -> None:
        """Let the queue run empty, if at all."""
        return


@dataclass
class Toy:
    """A training whose steps take as long as it is told; one fetch takes 0.25 s, one evaluation 10 s."""

    clock: Wrist
    device: Eager
    step_s: Callable[[int], float] = lambda _: 1.0
    quality: Callable[[int], float] = lambda epoch: 0.5 + 0.1 * epoch
    losses: Callable[[int], float] = lambda _: 1.0
    parameters: int = 1
    steps_per_epoch: int = 4
    settings: Mapping[str, str] = field(default_factory=dict)
    taken: int = 0
    epoch: int = 0

    def steps(self) -> Iterator[OneStep]:
        """One epoch."""
        self.epoch += 1
        for _ in range(self.steps_per_epoch):
            self.clock.now += 0.25
            yield self._step

    def _step(self) -> None:
        self.device.queued += self.step_s(self.taken)
        self.taken += 1

    def loss(self) -> float:
        """As told."""
        return self.losses(self.epoch)

    def learning_rate(self) -> float:
        """A tenth over the epoch."""
        return 0.1 / self.epoch if self.epoch else 0.1

    def evaluate(self) -> dict[str, float]:
        """As told, after ten seconds."""
        self.clock.now += 10
        return {"top1": self.quality(self.epoch)}


@dataclass
class Notes:
    """A recorder that remembers."""

    steps: list[Step] = field(default_factory=list)
    epochs: list[Epoch] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    measured_from: list[int] = field(default_factory=list)

    def step(self, step: Step) -> None:
        """Remember."""
        self.steps.append(step)

    def epoch(self, epoch: Epoch) -> None:
        """Remember."""
        self.epochs.append(epoch)

    def evaluation(self, evaluation: Evaluation) -> None:
        """Remember."""
        self.evaluations.append(evaluation)

    def progress(self, done: float, total: float, note: str) -> None:
        """Check that it goes forward."""
        assert 0 <= done <= total and note

    def measuring(self) -> None:
        """Remember when."""
        self.measured_from.append(len(self.steps))


def converge(epochs: int = 3, device: type[Eager] = Eager, **toy: object) -> tuple[measure.Outcome, Notes]:
    """Train the toy; `toy` sets its fields."""
    clock = Wrist()
    backend = device(clock)
    training = Toy(clock, backend, **toy)  # type: ignore[arg-type]  # tests name the fields
    notes = Notes()
    outcome = measure.convergence(training, cast(Backend, backend), clock, notes, batch_size=8, epochs=epochs, target=GOAL, chance=0.1)
    return outcome, notes


def test_a_step_takes_from_idle_to_idle_fetching_included() -> None:
    """A step of one second behind a fetch of a quarter takes 1.25 s, though the framework returned at once."""
    _, notes = converge()

    assert {step.duration_s for step in notes.steps} == {1.25}
    assert [epoch.data_wait_s for epoch in notes.epochs] == [1.0] * 3


def test_without_waiting_the_queue_is_timed_and_not_the_work() -> None:
    """An unsynchronised step takes no time: the absurd figure that waiting prevents."""
    _, notes = converge(device=Asleep)

    assert {step.duration_s for step in notes.steps} == {0.25}


def test_the_first_step_compiles_the_first_epoch_warms_up_the_rest_counts() -> None:
    """With four steps an epoch: one compiling, three warm-up, then measured ones."""
    _, notes = converge()

    assert [step.phase for step in notes.steps] == [Phase.COMPILE] + [Phase.WARMUP] * 3 + [Phase.MEASURE] * 8
    assert notes.measured_from == [4]


def test_both_clocks_are_kept() -> None:
    """Each epoch trains 5 s and evaluates 10 s: the second evaluation is at 30 s, or at 10 s without evaluating."""
    _, notes = converge()

    second = notes.evaluations[1]
    assert (second.time_s, second.train_time_s) == (30.0, 10.0)
    assert (second.epoch, second.samples, second.step) == (2.0, 64, 8)
    assert [epoch.duration_s for epoch in notes.epochs] == [5.0] * 3
    assert [epoch.evaluation_s for epoch in notes.epochs] == [10.0] * 3


def test_a_missed_target_is_not_convergence() -> None:
    """0.8 after three epochs is not 0.9; five epochs reach it and still train to the end."""
    missed, _ = converge(3)
    reached, notes = converge(5)

    assert missed.status is Status.NOT_CONVERGED and "0.9" in (missed.detail or "")
    assert reached == measure.Outcome(Status.OK, "epochs_done")
    assert len(notes.epochs) == 5


def test_a_loss_that_is_no_number_ends_the_run_as_diverged() -> None:
    """The epoch is kept, its loss is null and not NaN."""
    outcome, notes = converge(losses=lambda epoch: math.nan if epoch == 2 else 1.0)

    assert outcome.status is Status.DIVERGED and outcome.stop_reason == "loss_not_finite"
    assert [epoch.loss for epoch in notes.epochs] == [1.0, None]


def test_a_run_that_guesses_at_half_time_has_diverged() -> None:
    """Below twice chance after half of the epochs."""
    outcome, notes = converge(4, quality=lambda _: 0.11)

    assert outcome.status is Status.DIVERGED and outcome.stop_reason == "at_chance"
    assert len(notes.epochs) == 2


def test_a_warm_up_longer_than_the_run_is_refused() -> None:
    """One epoch of four steps has nothing left after eleven."""
    with pytest.raises(MeasureError, match="leaves none of the run's 4"):
        converge(1)


def throughput(step_s: Callable[[int], float], rules: measure.Rules) -> tuple[measure.Outcome, Notes]:
    """Time the toy by these rules."""
    clock = Wrist()
    backend = Eager(clock)
    notes = Notes()
    return measure.throughput(Toy(clock, backend, step_s=step_s), cast(Backend, backend), clock, notes, rules), notes


def test_measuring_ends_when_the_interval_is_narrow() -> None:
    """Steps that all take the same need no more than the fewest."""
    outcome, notes = throughput(lambda _: 0.75, measure.Rules())

    assert outcome == measure.Outcome(Status.OK, "interval_narrow")
    assert sum(step.phase is Phase.MEASURE for step in notes.steps) == 20


def test_measuring_ends_when_its_time_is_up() -> None:
    """Steps that wander for ever end at the cap, and the run says so."""
    outcome, notes = throughput(lambda taken: 1.0 + taken % 7, measure.Rules(cap_s=200))

    assert outcome.stop_reason == "time_cap"
    assert sum(step.duration_s for step in notes.steps if step.phase is Phase.MEASURE) >= 200


def test_warm_up_lasts_until_steps_are_steady() -> None:
    """Steps that get faster for thirty steps are warm-up, as long as they do."""
    _, notes = throughput(lambda taken: max(1.0, 4.0 - 0.1 * taken), measure.Rules(warmup_cap_s=1000))

    assert sum(step.phase is Phase.WARMUP for step in notes.steps) > 30


def metrics(
    steps: tuple[Step, ...] = (), evaluations: tuple[Evaluation, ...] = (), missed: Status = Status.NOT_CONVERGED
) -> dict[str, Metric]:
    """Figures by key."""
    found = measure.metrics(
        items="images", batch_size=10, steps=steps, epochs=(), evaluations=evaluations, target=GOAL, missed=missed, peak_memory_bytes=7
    )
    return {metric.key: metric for metric in found}


def measured(*seconds: float) -> tuple[Step, ...]:
    """Measured steps of these lengths."""
    return tuple(Step(index, Phase.MEASURE, float(index), each) for index, each in enumerate(seconds))


def test_throughput_is_batch_over_median_step() -> None:
    """Batch 10 in a median of 0.5 s is 20 images/s; three steps have no interval, n says so."""
    found = metrics(measured(0.5, 0.4, 9.0))["throughput_images_per_s"]

    assert (found.value, found.low, found.interval, found.n) == (20.0, None, None, 3)


def test_twenty_steps_have_an_interval_around_the_median() -> None:
    """The interval of the throughput is that of the step time turned over."""
    found = metrics(measured(*(0.5 + 0.01 * (index % 5) for index in range(20))))
    step, rate = found["step_time_s"], found["throughput_images_per_s"]

    assert step.interval is Interval.CI95 and step.low is not None and step.high is not None
    assert (rate.low, rate.high) == (10 / step.high, 10 / step.low)


def readings(*values: float) -> tuple[Evaluation, ...]:
    """Evaluations after each epoch of 100 samples and 10 s."""
    return tuple(Evaluation("top1", value, epoch=index, samples=100 * index, time_s=10.0 * index) for index, value in enumerate(values, 1))


def test_first_hit_and_sustained_hit_are_two_figures() -> None:
    """0.91, 0.85, 0.95: reached after one epoch, held from the third on."""
    found = metrics(evaluations=readings(0.91, 0.85, 0.95))

    assert found["epochs_to_target@0.9"].value == 1
    assert found["epochs_to_target_sustained@0.9"].value == 3
    assert (found["final_accuracy"].value, found["best_accuracy_epoch"].value) == (0.95, 3)


def test_a_missed_target_is_null_with_its_status() -> None:
    """Not converged where the run was complete, unfinished where it was cut off; never 0."""
    for status in (Status.NOT_CONVERGED, Status.UNFINISHED):
        found = metrics(evaluations=readings(0.5, 0.6), missed=status)["time_to_target_s@0.9"]
        assert (found.value, found.status) == (None, status)


def test_less_is_better_for_a_loss() -> None:
    """The best loss is the smallest, and a target is reached from above."""
    goal = Target("loss", 0.925, Direction.AT_MOST)
    found = {
        each.name: each
        for each in measure.quality(
            goal, [Evaluation("loss", value, samples=n) for n, value in enumerate((0.94, 0.92, 0.93))], Status.NOT_CONVERGED
        )
    }

    assert found["best_loss"].value == 0.92
    assert found["samples_to_target"].value == 1
    assert found["samples_to_target_sustained"].status is Status.NOT_CONVERGED
