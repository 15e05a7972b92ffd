"""Training to the end on the page of a machine: k of n, spans over seeds, parts of the clock that make up the whole."""

import re
from dataclasses import replace

from kernels.records import Run
from site_src.pages import measured_curves
from tests.site_src.own import watched_run
from tests.site_src.pages.test_measured import writer


def text(make: str, *runs: Run) -> str:
    """What a block says, without markup."""
    at = writer(*runs, path="measured/cpu-test/")
    blocks = getattr(measured_curves, make)(at, at.site.machines["cpu-test"], list(runs))
    return re.sub(r"\s+", " ", " ".join(re.sub("<[^>]+>", " ", str(block)) for block in blocks)).replace("\xa0", " ")


SEEDS = tuple(watched_run(seed) for seed in (0, 1))
MISSED = watched_run(2, values=(0.5, 0.6, 0.7))


def test_seeds_are_counted_and_spread() -> None:
    """Two of three reached the target; final qualities go from the lowest to the highest, with their median."""
    said = text("convergence", *SEEDS, MISSED)

    assert "reached by 2 of 3 runs top-1 accuracy ≥ 75.0% 3 epochs 13.50 s 3 epochs 70.0% – 80.0% median 80.0%" in said


def test_parts_make_up_the_whole() -> None:
    """First step, warm-up, timed steps, evaluation and the rest add up to the wall time, each with its share."""
    run = SEEDS[0]
    values = [metric.value for name in measured_curves.PARTS if (metric := run.metric(name)) is not None]
    said = text("clock", run)

    assert sum(value or 0.0 for value in values) == run.wall_time_s == 13.5
    assert "1.00 s 7.4% 3.00 s 22.2% 8.00 s 59.3% 1.50 s 11.1%" in said
    assert said.count("13.50 s") == 2


def test_which_run_a_row_shows_is_said_before_both_tables() -> None:
    """Of several runs alike; one alone was not chosen."""
    said = text("clock", *SEEDS)

    assert said.index("Where several runs repeat each other") < said.index("What the wall time of a run is made of")
    assert said.index("the training that they make up") < said.index("The estimate is the first epoch")
    assert "repeat each other" not in text("clock", SEEDS[0])


def test_epochs_are_held_against_the_training() -> None:
    """First + (n - 1) median against the training without evaluation, and by how much they differ."""
    said = text("clock", SEEDS[0])

    assert "4.00 s 4.00 s 0 s 12.00 s 12.00 s 0.0%" in said


def test_a_throughput_run_that_compiled_has_a_row() -> None:
    """One whose first step took long; one that started at once has none."""
    quick = replace(watched_run(5), evaluations=(), epochs=(), targets=())
    slow = replace(quick, metrics=tuple(replace(m, value=60.0) if m.name == "first_step_s" else m for m in quick.metrics))

    assert text("clock", quick) == ""
    assert "60.0 s" in text("clock", slow)


def test_a_machine_of_no_chart_has_its_own_picture() -> None:
    """Where no chart of a workload is of this machine, its own run stands for it, with the way to it."""
    at = writer(*SEEDS, path="measured/cpu-test/")
    blocks = measured_curves.telemetry(at, at.site.machines["cpu-test"], list(SEEDS))

    assert len(blocks) == 2 and "<svg" in blocks[1]
    assert f"runs/{SEEDS[0].run_id}/" in blocks[1]
    assert measured_curves.telemetry(at, at.site.machines["cpu-test"], [replace(SEEDS[0], telemetry=())]) == []


def test_nothing_trained_nothing_said() -> None:
    """A machine with throughput runs alone has no such sections."""
    quick = replace(watched_run(5), evaluations=(), epochs=(), targets=())

    assert text("convergence", quick) == text("telemetry", quick) == ""
