"""The label that seeds give a workload."""

import dataclasses
from datetime import UTC, datetime

import pytest

from kernels.records import Evaluation, Metric, Run, Status, Target
from site_src.tables.stability import Label, stability
from tests.site_src.own import own_run

TARGET = Target("accuracy", 0.9)


def run(seed: int, epochs: float | None, **more: object) -> Run:
    """A run that reached its target after so many epochs, or did not."""
    status = Status.OK if epochs is not None else Status.NOT_CONVERGED
    metric = Metric("epochs_to_target", epochs, "epochs", target=TARGET, status=status)
    plain: dict[str, object] = {
        "run_id": f"run-{seed}",
        "seed": seed,
        "metrics": (metric,),
        "targets": (TARGET,),
        "settings": (),
    }
    return dataclasses.replace(own_run(), **{**plain, **more})  # type: ignore[arg-type]  # by name, as a test needs them


@pytest.mark.parametrize(
    ("epochs", "label"),
    [
        ((60.0, 62.0, 63.0), Label.STABLE),
        ((60.0, 62.0, 70.0), Label.UNSTABLE),
        ((3.0, 4.0, 4.0), Label.COARSE),  # one evaluation apart
        ((3.0, 4.0, 5.0), Label.UNSTABLE),
        ((60.0, 61.0, None), Label.UNSTABLE),
        ((60.0, 61.0), Label.UNKNOWN),
        ((None, None, None), Label.UNKNOWN),
    ],
)
def test_the_label_follows_the_spread(epochs: tuple[float | None, ...], label: Label) -> None:
    """A tenth of the median, one evaluation, more or a miss; two seeds tell nothing."""
    assert stability(run(seed, value) for seed, value in enumerate(epochs)).label is label


def test_only_seeds_are_compared() -> None:
    """Runs of different batches are no repetitions, and of several groups the widest spread
    counts.
    """
    apart = [
        run(seed, epochs, global_batch_size=64 * seed)
        for seed, epochs in enumerate((10.0, 20.0, 30.0), 1)
    ]
    steady = [run(seed, 60.0, global_batch_size=512) for seed in (4, 5, 6)]
    wide = [
        run(seed, epochs, global_batch_size=8) for seed, epochs in ((7, 4.0), (8, 9.0), (9, 9.0))
    ]

    assert stability(apart).label is Label.UNKNOWN
    assert stability([*apart, *steady]).label is Label.STABLE
    found = stability([*steady, *wide])
    assert (found.label, found.low, found.high, len(found.runs), found.sets) == (
        Label.UNSTABLE,
        4.0,
        9.0,
        3,
        2,
    )


def test_a_seed_made_again_counts_once() -> None:
    """Three seeds and a repetition are told like three seeds, by the newer."""
    first = run(
        0,
        99.0,
        run_id="run-0-before",
        repeat_index=1,
        started_at=datetime(2026, 11, 19, tzinfo=UTC),
    )

    found = stability([run(0, 60.0), run(1, 62.0), run(2, 63.0), first])
    assert (found.label, found.high, len(found.runs)) == (Label.STABLE, 63.0, 3)


def test_a_run_that_was_cut_off_does_not_take_its_seeds_place() -> None:
    """It says nothing of the target: the older one that came to its end still counts."""
    metric = Metric("epochs_to_target", None, "epochs", target=TARGET, status=Status.UNFINISHED)
    cut = run(
        0,
        None,
        run_id="run-0-cut",
        status=Status.UNFINISHED,
        metrics=(metric,),
        started_at=datetime(9999, 1, 1, tzinfo=UTC),
    )

    found = stability([run(0, 60.0), run(1, 62.0), run(2, 63.0), cut])

    assert (found.label, len(found.runs)) == (Label.STABLE, 3)


@pytest.mark.parametrize(
    ("before", "label"), [((52.0, 56.0), Label.COARSE), ((58.0, 59.0), Label.UNSTABLE)]
)
def test_the_resolution_is_that_of_the_evaluations(before: tuple[float, ...], label: Label) -> None:
    """36 and 40 epochs are one evaluation apart, or four, by how often they are."""
    evaluated = tuple(Evaluation("accuracy", 0.9, epoch=epoch - 20) for epoch in (*before, 60.0))
    runs = [
        run(seed, epochs, evaluations=evaluated) for seed, epochs in enumerate((36.0, 36.0, 40.0))
    ]

    assert stability(runs).label is label


def test_a_log_that_breaks_off_is_no_miss() -> None:
    """A run whose log ends before its target neither reached nor missed it."""
    broken = dataclasses.replace(
        run(9, None),
        metrics=(
            Metric("epochs_to_target", None, "epochs", target=TARGET, status=Status.UNFINISHED),
        ),
    )

    found = stability([run(1, 60.0), run(2, 61.0), run(3, 60.0), broken])

    assert (found.label, found.missed, len(found.runs)) == (Label.STABLE, 0, 3)


def test_of_sets_alike_one_decides_in_any_order() -> None:
    """Of two sets of 3 and 4 epochs that whose runs come first by their ids."""
    first = [
        run(seed, epochs, global_batch_size=8) for seed, epochs in ((1, 3.0), (2, 3.0), (3, 4.0))
    ]
    second = [
        run(seed, epochs, global_batch_size=16) for seed, epochs in ((4, 3.0), (5, 3.0), (6, 4.0))
    ]

    assert {stability(runs).runs[0].run_id for runs in ([*first, *second], [*second, *first])} == {
        "run-1"
    }
