"""Timing by a clock that is handed in: what counts, what is left out, and how a run ends."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import pytest

from kernels.analysis import results, window
from kernels.analysis.warnings import WARNINGS
from kernels.backends.base import Backend, Facts, OneStep, OutOfMemory, Ranks
from kernels.errors import MeasureError
from kernels.harness import measure
from kernels.records import Epoch, Evaluation, Phase, Status, Step, Target

GOAL = Target("top1", 0.9)


class Wrist:
    """A clock that stands still until somebody works."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


class Eager:
    """A device with a queue of `late` seconds: a step returns at once, waiting takes them."""

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
    """A training with steps as told; one fetch takes 0.25 s, one evaluation 10 s."""

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
        """As told; a number can be read once it is computed, whoever waits for it or not."""
        self.clock.now += self.device.queued
        self.device.queued = 0.0
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
    evaluated_from: list[tuple[int, int]] = field(default_factory=list)

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

    def started(self, zero: float) -> None:
        """Not looked at."""

    def evaluating(self) -> None:
        """Remember when: after how many steps and epochs."""
        self.evaluated_from.append((len(self.steps), len(self.epochs)))

    def measuring(self) -> None:
        """Remember when."""
        self.measured_from.append(len(self.steps))


def converge(
    epochs: int = 3,
    device: type[Eager] = Eager,
    ranks: Ranks = measure.ALONE,
    protocol: int = 1,
    **toy: object,
) -> tuple[measure.Outcome, Notes]:
    """Train the toy; `toy` sets its fields."""
    clock = Wrist()
    backend = device(clock)
    training = Toy(clock, backend, **toy)  # type: ignore[arg-type]  # tests name the fields
    notes = Notes()
    outcome = measure.convergence(
        training,
        cast(Backend, backend),
        clock,
        notes,
        batch_size=8,
        epochs=epochs,
        target=GOAL,
        chance=0.1,
        protocol=protocol,
        ranks=ranks,
    )
    return outcome, notes


def test_a_step_takes_from_idle_to_idle_fetching_included() -> None:
    """A fetch of 0.25 s and a step of 1 s take 1.25 s, though the framework returns at once."""
    _, notes = converge()

    assert {step.duration_s for step in notes.steps} == {1.25}
    assert [epoch.data_wait_s for epoch in notes.epochs] == [1.0] * 3


def test_without_waiting_the_queue_is_timed_and_not_the_work() -> None:
    """An unsynchronised step takes no time: the absurd figure that waiting prevents, and that what
    is left in the queue gives away.

    Each epoch's steps take 1 s, of fetching alone, and then the loss is 4 s in coming.
    """
    outcome, notes = converge(device=Asleep)
    timed, _ = throughput(lambda _: 1.0, measure.Rules(), Asleep)

    assert {step.duration_s for step in notes.steps} == {0.25}
    assert outcome.queued_share == 4.0
    assert timed.queued_share is not None and timed.queued_share > WARNINGS["unsynchronised"].limit
    assert converge()[0].queued_share == 0.0


def test_the_first_step_compiles_the_first_epoch_warms_up_the_rest_counts() -> None:
    """With four steps an epoch: one compiling, three warm-up, then measured ones."""
    _, notes = converge()

    assert [step.phase for step in notes.steps] == [Phase.COMPILE] + [Phase.WARMUP] * 3 + [
        Phase.MEASURE
    ] * 8
    assert notes.measured_from == [4]


def test_both_clocks_are_kept() -> None:
    """Epochs of 5 s, evaluations of 10 s: the second is at 30 s, or at 10 s of training."""
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

    assert missed.status is Status.NOT_CONVERGED
    assert missed.detail == "top1 did not reach 0.9 in 3 epochs"
    assert converge(1, steps_per_epoch=16)[0].detail == "top1 did not reach 0.9 in 1 epoch"
    assert reached == measure.Outcome(Status.OK, "epochs_done", queued_share=0.0)
    assert len(notes.epochs) == 5


def test_a_loss_that_is_no_number_ends_the_run_as_diverged() -> None:
    """The epoch is kept, its loss is null and not NaN."""
    outcome, notes = converge(losses=lambda epoch: math.nan if epoch == 2 else 1.0)

    assert outcome.status is Status.DIVERGED and outcome.stop_reason == "loss_not_finite"
    assert [epoch.loss for epoch in notes.epochs] == [1.0, None]


def test_a_quality_that_is_no_number_ends_the_run_as_diverged() -> None:
    """As of a network whose outputs are none: the reading is not kept, its reason is."""
    outcome, notes = converge(quality=lambda epoch: 0.5 if epoch == 1 else math.nan)

    assert (outcome.status, outcome.stop_reason) == (Status.DIVERGED, "quality_not_finite")
    assert outcome.detail == "top1 after epoch 2 of 3 is nan"
    assert len(notes.evaluations) == 1


def test_a_run_that_guesses_at_half_time_has_diverged() -> None:
    """Below twice chance after half of the epochs."""
    outcome, notes = converge(4, quality=lambda _: 0.11)

    assert outcome.status is Status.DIVERGED and outcome.stop_reason == "at_chance"
    assert len(notes.epochs) == 2


def test_no_single_evaluation_says_that_a_run_has_diverged() -> None:
    """Of two epochs the first is half of them, and may be a single step: the second decides."""
    learnt, _ = converge(2, quality=lambda epoch: 0.11 if epoch == 1 else 0.5)
    guessed, notes = converge(2, quality=lambda _: 0.11)

    assert (learnt.status, learnt.stop_reason) == (Status.NOT_CONVERGED, "epochs_done")
    assert (guessed.status, len(notes.epochs)) == (Status.DIVERGED, 2)


@pytest.mark.parametrize(
    ("epochs", "protocol", "status", "trained"),
    [
        (2, 12, Status.NOT_CONVERGED, 2),
        (5, 12, Status.NOT_CONVERGED, 5),
        (6, 12, Status.DIVERGED, 6),
        (12, 100, Status.DIVERGED, 10),
        (40, 100, Status.DIVERGED, 20),
    ],
)
def test_a_run_too_short_to_have_learnt_has_not_diverged(
    epochs: int, protocol: int, status: Status, trained: int
) -> None:
    """Half of its epochs and of what the workload needs, of a long protocol ten; or it says so."""
    outcome, notes = converge(epochs, protocol=protocol, quality=lambda _: 0.11)

    assert (outcome.status, len(notes.epochs)) == (status, trained)
    said = (
        "top1 did not reach 0.9 in 2 epochs; its best, 0.1100, is that of guessing, and only "
        "after 6 epochs would that be divergence"
    )
    assert epochs != 2 or outcome.detail == said


def test_the_recorder_hears_of_an_evaluation_before_it_begins() -> None:
    """With all steps of the epoch taken, and the epoch not yet told."""
    _, notes = converge()

    assert notes.evaluated_from == [(4, 0), (8, 1), (12, 2)]


def test_a_warm_up_longer_than_the_run_is_refused() -> None:
    """One epoch of four steps has nothing left after eleven."""
    with pytest.raises(MeasureError, match="leaves none of the run's 4"):
        converge(1)


def throughput(
    step_s: Callable[[int], float], rules: measure.Rules, device: type[Eager] = Eager
) -> tuple[measure.Outcome, Notes]:
    """Time the toy by these rules."""
    clock = Wrist()
    backend = device(clock)
    notes = Notes()
    return measure.throughput(
        Toy(clock, backend, step_s=step_s), cast(Backend, backend), clock, notes, rules
    ), notes


def test_measuring_ends_when_the_interval_is_narrow() -> None:
    """Steps that all take the same need no more than the fewest."""
    outcome, notes = throughput(lambda _: 0.75, measure.Rules())

    assert outcome.status == Status.OK
    assert outcome.stop_reason == "interval_narrow"
    assert outcome.queued_share == 0.0
    assert sum(step.phase is Phase.MEASURE for step in notes.steps) == 20


def test_measuring_ends_when_its_time_is_up() -> None:
    """Steps that wander for ever end at the cap, and the run says so."""
    outcome, notes = throughput(lambda taken: 1.0 + taken % 7, measure.Rules(cap_s=200))

    assert outcome.stop_reason == "time_cap"
    assert sum(step.duration_s for step in notes.steps if step.phase is Phase.MEASURE) >= 200


def test_measuring_ends_when_the_noise_has_settled() -> None:
    """Steps of 0.1 and 0.2 s by a coin never have a narrow interval."""
    outcome, notes = throughput(lambda taken: 0.1 * (1 + taken % 2), measure.Rules())
    measured = sum(step.phase is Phase.MEASURE for step in notes.steps)

    assert outcome.stop_reason == "noise_stable"
    assert measured > 64 and measured % 16 == 0


def test_a_budget_ends_warm_up_and_measuring() -> None:
    """They wander: a third of 30 s at most is warm-up; the last step is where the budget ends, which
    counts from the end of the first.
    """
    outcome, notes = throughput(lambda taken: 1.0 + taken % 7, measure.Rules().within(30))
    warm = [step for step in notes.steps if step.phase is Phase.WARMUP]
    last = notes.steps[-1]

    assert outcome.stop_reason == "time_cap"
    assert warm[-1].start_s < 10 <= warm[-1].start_s + warm[-1].duration_s
    assert last.start_s < 30 + notes.steps[0].duration_s <= last.start_s + last.duration_s


def test_a_first_step_that_searches_leaves_the_budget_for_the_others() -> None:
    """As cuDNN does on a card: 69 s for the first step, 0.25 s for each later one."""
    outcome, notes = throughput(lambda taken: 0.25 if taken else 69.0, measure.Rules().within(6))

    assert outcome.status is Status.OK
    assert [step.phase for step in notes.steps].count(Phase.MEASURE) >= 5
    assert notes.steps[-1].start_s + notes.steps[-1].duration_s <= 69 + 2 * 6


@pytest.mark.parametrize(
    ("step_s", "status", "measured"),
    [(2.0, Status.OK, 4), (4.75, Status.OK, 2), (6.75, Status.UNFINISHED, 1)],
)
def test_a_budget_has_room_for_a_second_step_or_says_that_it_has_not(
    step_s: float, status: Status, measured: int
) -> None:
    """A second step may use the budget again, else the run is unfinished and says why."""
    outcome, notes = throughput(lambda _: step_s, measure.Rules().within(10))

    assert (outcome.status, outcome.stop_reason) == (status, "time_cap")
    assert [step.phase for step in notes.steps].count(Phase.MEASURE) == measured
    last = notes.steps[-1]
    assert last.start_s + last.duration_s <= 20 + notes.steps[0].duration_s
    assert outcome.detail == (None if status is Status.OK else window.ONE_STEP)


def test_warm_up_outlasts_what_was_fetched_ahead() -> None:
    """Twelve batches that lay ready take no time: the last ten warm-up steps are others."""
    clock = Wrist()
    backend, notes = Eager(clock), Notes()
    training = Ahead(clock, backend)
    measure.throughput(training, cast(Backend, backend), clock, notes, measure.Rules(warmup_s=0.0))
    warm = [step.duration_s for step in notes.steps if step.phase is Phase.WARMUP]

    assert warm[-10:] == [1.25] * 10 and warm.count(1.0) == 11
    assert {step.duration_s for step in notes.steps if step.phase is Phase.MEASURE} == {1.25}


@dataclass
class Ahead(Toy):
    """The same with batches that readers have fetched before the first step."""

    steps_per_epoch: int = 1000
    prefetched: int = 12

    def steps(self) -> Iterator[OneStep]:
        """Those that are ready come at once."""
        for index in range(self.steps_per_epoch):
            self.clock.now += 0.25 if index >= self.prefetched else 0.0
            yield self._step


class Slower:
    """A partner whose steps take half a second longer, and whose loss is 3."""

    def slowest(self, *values: float) -> tuple[float, ...]:
        """Its times; it started when we did."""
        return tuple(value if value <= 0 else value + 0.5 for value in values)

    def mean(self, value: float) -> float:
        """Of ours and its."""
        return (value + 3.0) / 2


def test_a_step_takes_as_long_as_in_the_slowest_process() -> None:
    """And the loss is the mean of both."""
    _, notes = converge(2, quality=lambda _: 3.0, ranks=Slower())

    assert {step.duration_s for step in notes.steps} == {1.75}
    assert [epoch.loss for epoch in notes.epochs] == [2.0, 2.0]


def test_warm_up_lasts_until_steps_are_steady() -> None:
    """Steps that get faster for thirty steps are warm-up, as long as they do."""
    _, notes = throughput(
        lambda taken: max(1.0, 4.0 - 0.1 * taken), measure.Rules(warmup_cap_s=1000)
    )

    assert sum(step.phase is Phase.WARMUP for step in notes.steps) > 30


def test_a_run_with_stalls_does_not_end_as_one_of_a_narrow_interval() -> None:
    """What ends a run is the throughput's interval; the wait of each eighth step is in it."""
    outcome, notes = throughput(lambda taken: 0.65 if taken % 8 == 7 else 0.05, measure.Rules())
    times = [step.duration_s for step in notes.steps if step.phase is Phase.MEASURE]

    assert outcome.stop_reason == "noise_stable" and len(times) > 64


def test_a_throughput_run_says_how_long_it_waited_for_data() -> None:
    """0.25 s of each step of 1.25 s; a convergence run has it by its epochs."""
    outcome, notes = throughput(lambda _: 1.0, measure.Rules(cap_s=60))
    found = results.metrics(
        items="images",
        batch_size=1,
        steps=tuple(notes.steps),
        epochs=(),
        evaluations=(),
        target=None,
        data_wait_share=outcome.data_wait_share,
    )

    assert outcome.data_wait_share == pytest.approx(0.2)
    assert [metric.value for metric in found if metric.name == "data_wait_share"] == [
        outcome.data_wait_share
    ]


def test_the_parts_of_a_run_add_up_to_its_wall_time() -> None:
    """First step, warm-up, measured, evaluations, rest are all, also with no number for a loss."""
    for losses in (lambda _: 1.0, lambda epoch: math.nan if epoch == 3 else 1.0):
        _, notes = converge(losses=losses)
        steps, epochs = tuple(notes.steps), tuple(notes.epochs)
        evaluations = tuple(notes.evaluations)
        found = {
            each.key: each.value or 0.0
            for each in results.metrics(
                items="images",
                batch_size=8,
                steps=steps,
                epochs=epochs,
                evaluations=evaluations,
                target=GOAL,
            )
        }
        parts = (
            "first_step_s",
            "warmup_time_s",
            "measured_time_s",
            "evaluation_time_s",
            "rest_time_s",
        )

        assert sum(found[name] for name in parts) == pytest.approx(
            results.wall_time(steps, epochs, evaluations)
        )
        assert found["evaluation_time_s"] == 30.0
