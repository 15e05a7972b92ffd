"""Training to the end on the page of a machine: k of n, spans over seeds, parts of the clock that
make up the whole.
"""

from dataclasses import replace

from kernels.records import Run, RunWarning
from site_src.pages.machine import curves
from site_src.pages.run import families
from tests.site_src.own import watched_run
from tests.site_src.pages.machine.test_machine import writer
from tests.site_src.reading import plain


def text(make: str, *runs: Run) -> str:
    """What a block says, without markup."""
    at = writer(*runs, path="measured/cpu-test/")
    blocks = getattr(curves, make)(at, at.site.machines["cpu-test"], list(runs))
    return plain(" ".join(blocks))


SEEDS = tuple(watched_run(seed) for seed in (0, 1))
MISSED = watched_run(2, values=(0.5, 0.6, 0.7))


def test_seeds_are_counted_and_spread() -> None:
    """Two of three reached the target; final qualities go from the lowest to the highest, with
    their median.
    """
    said = text("convergence", *SEEDS, MISSED)

    assert "reached by 2 of 3 runs top-1 accuracy ≥ 75.0% 3 epochs 13.50 s trimmed mean" in said
    assert "the slowest 3 epochs 70.0% – 80.0% median 80.0%" in said


def test_parts_make_up_the_whole() -> None:
    """First step, warm-up, timed steps, evaluation and the rest add up to the wall time, each with
    its share.
    """
    run = SEEDS[0]
    values = [
        metric.value for name in families.OF_WALL_TIME if (metric := run.metric(name)) is not None
    ]
    said = text("clock", run)

    assert sum(value or 0.0 for value in values) == run.wall_time_s == 13.5
    assert "1.00 s 7.4% 3.00 s 22.2% 8.00 s 59.3% 1.50 s 11.1%" in said
    assert said.count("13.50 s") == 2


def test_which_run_a_row_shows_is_said_before_both_tables() -> None:
    """Of several runs alike; one alone was not chosen."""
    said = text("clock", *SEEDS)

    assert said.index("For repeated runs, a row shows") < said.index(
        "Where the wall time of a run goes"
    )
    assert said.index("later epochs and total training time") < said.index(
        "The estimate is the first epoch"
    )
    assert "repeated runs" not in text("clock", SEEDS[0])


def test_epochs_are_held_against_the_training() -> None:
    """First + (n - 1) median against the training without evaluation, and by how much they
    differ.
    """
    said = text("clock", SEEDS[0])

    assert "4.00 s 4.00 s 0 s 12.00 s 12.00 s 0.0%" in said


def test_a_throughput_run_that_compiled_has_a_row() -> None:
    """One whose first step took long; one that started at once has none."""
    quick = replace(watched_run(5), evaluations=(), epochs=(), targets=())
    slow = replace(
        quick,
        metrics=tuple(
            replace(m, value=60.0) if m.name == "first_step_s" else m for m in quick.metrics
        ),
    )

    assert text("clock", quick) == ""
    assert "60.0 s" in text("clock", slow)


def test_a_machine_of_no_chart_has_its_own_picture() -> None:
    """Where no chart of a workload is of this machine, its own run stands for it, with the way to
    it.
    """
    at = writer(*SEEDS, path="measured/cpu-test/")
    blocks = curves.telemetry(at, at.site.machines["cpu-test"], list(SEEDS))

    assert (
        len(blocks) == 2
        and "<svg" in blocks[0]
        and "Of their runs with readings, it has the median time" in blocks[1]
    )
    assert f"runs/{SEEDS[0].run_id}/" in blocks[0]
    assert (
        curves.telemetry(at, at.site.machines["cpu-test"], [replace(SEEDS[0], telemetry=())]) == []
    )


def test_nothing_trained_nothing_said() -> None:
    """A machine with throughput runs alone has no such sections."""
    quick = replace(watched_run(5), evaluations=(), epochs=(), targets=())

    assert text("convergence", quick) == text("telemetry", quick) == ""


def test_sensors_of_any_settings_are_shown() -> None:
    """Where those that were repeated most have no readings, others stand in for them."""
    bare = [replace(run, telemetry=()) for run in SEEDS]
    watched = watched_run(7, batch=256)
    at = writer(*bare, watched, path="measured/cpu-test/")

    assert f"runs/{watched.run_id}/" in str(
        curves.telemetry(at, at.site.machines["cpu-test"], [*bare, watched])
    )


def test_a_target_that_was_not_held_is_no_gap() -> None:
    """A run that ended well and lost its target again: the figure itself says that it was
    missed.
    """
    lost = watched_run(0, values=(0.5, 0.8, 0.7))

    assert lost.status == "ok"
    assert (
        "reached by 1 of 1 run top-1 accuracy ≥ 75.0% 2 epochs 9 s target not reached 70.0%"
        in text("convergence", lost)
    )


def timed(seed: int, seconds: float) -> Run:
    """A seed that reached its target after so long."""
    run = watched_run(seed)
    return replace(
        run,
        metrics=tuple(
            replace(m, value=seconds) if m.name == "time_to_target_s" else m for m in run.metrics
        ),
    )


def test_a_mean_without_fastest_and_slowest_stands_beside_the_median() -> None:
    """Of five seeds 10, 11, 12, 16 and 60 s it is that of the middle three; how it is made is said
    below.
    """
    said = text(
        "convergence",
        *(timed(seed, seconds) for seed, seconds in enumerate((10.0, 60.0, 12.0, 11.0, 16.0))),
    )

    assert (
        "10 – 60 s median 12 s trimmed mean 13 s : 5 seeds, without the fastest and the slowest"
        in said
    )
    assert "A seed that missed the target counts as the slowest" in said


def test_a_seed_that_missed_is_the_slowest_and_two_leave_no_mean() -> None:
    """10, 11, 12 and never: 11.5 s; with a second miss it is said that there is none; of two seeds
    nothing is said.
    """
    hits = [timed(seed, seconds) for seed, seconds in enumerate((10.0, 11.0, 12.0))]
    missed = [watched_run(seed, values=(0.5, 0.6, 0.7)) for seed in (8, 9)]

    assert "trimmed mean 11.50 s : 4 seeds, without the fastest and the slowest" in text(
        "convergence", *hits, missed[0]
    )
    assert "no trimmed mean: 2 of 5 seeds missed the target" in text("convergence", *hits, *missed)
    assert "trimmed mean" not in text("convergence", *SEEDS).lower()


def test_a_workload_has_the_same_table_by_machine() -> None:
    """Over all machines, each the way to its page; nothing where nothing was trained to the end."""
    at = writer(*SEEDS, path="workloads/digits-cnn/")
    [table, *_] = curves.of_workload(at, "digits-cnn")

    assert "measured/cpu-test/" in table and "reached by" in table
    assert curves.of_workload(at, "fashion-cnn") == []


def test_a_doubted_setup_leads_to_its_doubts() -> None:
    """Beside its conditions, on its own page and on that of the workload."""
    loud = replace(SEEDS[0], doubts=(RunWarning("other_load", 0.5, 0.05),))
    at = writer(loud, path="workloads/digits-cnn/")

    assert 'measured/cpu-test/#doubts"' in str(curves.of_workload(at, "digits-cnn"))
    assert "has warnings" in text("convergence", loud)


def test_rows_go_by_runs_and_batch() -> None:
    """Five seeds first, then a sweep from the smallest batch to the largest, in whatever order it
    was run.
    """
    found = curves.trained(
        [watched_run(7, batch=512), watched_run(8, batch=128), watched_run(9, batch=256), *SEEDS]
    )

    assert [setup.run.global_batch_size for setup in found] == [64, 128, 256, 512]
