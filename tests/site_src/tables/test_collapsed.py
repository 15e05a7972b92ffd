"""Which runs have collapsed."""

from dataclasses import replace

from kernels.records import Metric, Run
from site_src.tables.collapsed import collapsed
from tests.site_src import recorded


def runs(*accuracies: float | None) -> list[Run]:
    """One run for each accuracy, at batch sizes 128, 256, ..."""
    example = replace(recorded.MEASURED, evaluations=(), metrics=())
    made = []
    for place, value in enumerate(accuracies):
        metrics = (Metric("final_accuracy", value),) if value is not None else ()
        made.append(
            replace(
                example,
                run_id=f"{example.run_id}-{place}",
                global_batch_size=128 * 2**place,
                metrics=metrics,
            )
        )
    return made


def fallen(*accuracies: float | None) -> list[bool]:
    """Which of these have collapsed."""
    made = runs(*accuracies)
    return [collapsed(run, made) for run in made]


def test_a_run_below_half_of_its_neighbour_has_collapsed() -> None:
    """0.1758 beside 0.7365 has collapsed; a slow decline has not."""
    assert fallen(0.8023, 0.7365, 0.1758) == [False, False, True]
    assert fallen(0.8, 0.5, 0.3, 0.2) == [False] * 4


def test_two_collapsed_neighbours_do_not_hold_each_other_up() -> None:
    """The second of two is held against the last sound one; a run without a figure is none."""
    assert fallen(0.8, 0.1, 0.1) == [False, True, True]
    assert fallen(0.8, None, 0.1) == [False, False, True]
    assert fallen(0.1) == [False]
