"""The label that seeds give a workload."""

import dataclasses

import pytest

from kernels.records import Metric, Run, Status, Target
from site_src.stability import Label, stability
from tests.site_src.own import own_run

TARGET = Target("accuracy", 0.9)


def run(seed: int, epochs: float | None, **more: object) -> Run:
    """A run that reached its target after so many epochs, or did not."""
    status = Status.OK if epochs is not None else Status.NOT_CONVERGED
    metric = Metric("epochs_to_target", epochs, "epochs", target=TARGET, status=status)
    plain: dict[str, object] = {"run_id": f"run-{seed}", "seed": seed, "metrics": (metric,), "targets": (TARGET,), "settings": ()}
    return dataclasses.replace(own_run(), **{**plain, **more})  # type: ignore[arg-type]  # by name, as a test needs them


@pytest.mark.parametrize(
    ("epochs", "label"),
    [
        ((60.0, 62.0, 63.0), Label.STABLE),
        ((60.0, 62.0, 70.0), Label.UNSTABLE),
        ((3.0, 4.0, 4.0), Label.STABLE),  # one epoch is the resolution
        ((60.0, 61.0, None), Label.UNSTABLE),
        ((60.0, 61.0), Label.UNKNOWN),
        ((None, None, None), Label.UNKNOWN),
    ],
)
def test_the_label_follows_the_spread(epochs: tuple[float | None, ...], label: Label) -> None:
    """A tenth of the median or an epoch is stable, more or a seed that misses the target is not, and two seeds tell nothing."""
    assert stability(run(seed, value) for seed, value in enumerate(epochs)).label is label


def test_only_seeds_are_compared() -> None:
    """Runs of different batches are no repetitions, and of several groups the widest spread counts."""
    apart = [run(seed, epochs, global_batch_size=64 * seed) for seed, epochs in enumerate((10.0, 20.0, 30.0), 1)]
    steady = [run(seed, 60.0, global_batch_size=512) for seed in (4, 5, 6)]
    wide = [run(seed, epochs, global_batch_size=8) for seed, epochs in ((7, 4.0), (8, 9.0), (9, 9.0))]

    assert stability(apart).label is Label.UNKNOWN
    assert stability([*apart, *steady]).label is Label.STABLE
    found = stability([*steady, *wide])
    assert (found.label, found.low, found.high, len(found.runs)) == (Label.UNSTABLE, 4.0, 9.0, 3)
