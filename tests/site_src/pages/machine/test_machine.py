"""The page of a machine is made from its runs alone: what it does stands first, doubts are listed,
and what was not run has no section.
"""

import dataclasses
import re
from typing import Any

import pytest

from kernels.records import Environment, Metric, Origin, Precision, Run, RunWarning, Status
from site_src.pages import nav
from site_src.pages.components.writer import Writer
from site_src.pages.machine import measured_page, of_system, of_workload, own_page
from tests.site_src.machines import SYSTEM, a_run, computing, of_suite, seeded
from tests.site_src.reading import said
from tests.site_src.recorded import page_at


def writer(*runs: Run, path: str = f"measured/{SYSTEM}/") -> Writer:
    """Of an English page over these runs, without charts."""
    return page_at(path, *runs)


def body(*runs: Run) -> str:
    """The page of the machine of these runs."""
    at = writer(*runs)
    return own_page(at, SYSTEM).body


def section(text: str, id_: str) -> str:
    """The words of one section; empty where the page has none of that name."""
    found = re.search(rf'<section>\s*<h2 id="{id_}">(.*?)</section>', text, re.DOTALL)
    return said(found[1]) if found else ""


def test_the_answer_is_the_fastest_setup_of_each_network() -> None:
    """Of those with an interval, with that, number of runs and conditions; settings that are not
    the usual ones are named.
    """
    slow, fast = (
        a_run("a", 100.0),
        a_run("b", 250.0, 2.0, global_batch_size=256, set_={"compile_mode": "inductor"}),
    )
    few = a_run("c", 300.0, None, global_batch_size=512)

    words = section(body(slow, fast, few), "answer")

    assert (
        "CNN-10 synthetic data (on the device) 250 images/s 248 to 252 (95% confidence), 50 steps"
        in words
    )
    assert "batch 256, FP32, PyTorch 2.13.0, compiled" in words


def test_too_few_steps_have_no_interval() -> None:
    """Their number stands in its place."""
    assert "100 images/s 7 steps, no interval" in section(body(a_run("a", 100.0, None)), "answer")


def test_the_time_to_a_target_says_of_how_many_runs() -> None:
    """Two of three seeds reached it; the time is the median of those two, with their range."""
    words = section(
        body(*(seeded(seed, seconds) for seed, seconds in enumerate((10.0, None, 14.0)))), "answer"
    )

    assert (
        "12.0 s top-1 accuracy ≥ 90.0% reached by 2 of 3 runs 10.0 to 14.0 across runs, n = 2"
        in words
    )


def test_runs_that_were_cut_off_are_named_apart() -> None:
    """They say nothing of the target, as in the trimmed mean; where all were, nobody knows of
    it.
    """
    killed = [dataclasses.replace(seeded(seed, None), status=Status.KILLED) for seed in (2, 3)]
    reached = [seeded(seed, 10.0) for seed in (0, 1)]

    some, all_ = (section(body(*runs), "answer") for runs in ((*reached, *killed), killed))

    assert "reached by both runs, cut off and not counted: 2 10.0 to 10.0" in some
    assert "cut off and not counted: 2" in all_ and "reached by" not in all_


def test_a_target_that_no_run_reached_has_no_time() -> None:
    """It says so, and of how many."""
    assert "target not reached top-1 accuracy ≥ 90.0% reached by 0 of 1 run " in section(
        body(seeded(0, None)), "answer"
    )


def test_a_time_of_other_runs_than_the_fastest_has_their_conditions() -> None:
    """The target was trained to at another batch than the fastest speed is of; where it is the same
    setup, nothing is said twice.
    """
    rounds = [seeded(seed, 10.0 + seed) for seed in range(2)]
    quick = dataclasses.replace(
        rounds[0],
        run_id="quick",
        global_batch_size=512,
        metrics=a_run("m", 900.0).metrics,
        targets=(),
    )

    apart, alone = (section(body(*runs), "answer") for runs in ((*rounds, quick), rounds))

    assert (
        "reached by both runs 10.0 to 11.0 across runs, n = 2 these runs: batch 128, FP32, "
        "PyTorch 2.13.0 batch 512" in apart
    )
    assert "these runs" not in alone


def test_the_interval_of_few_runs_is_called_their_range() -> None:
    """Where it is as wide as they lie apart."""
    words = section(body(*(seeded(seed, 10.0 + seed) for seed in range(5))), "answer")

    assert "10.0 to 14.0 across runs, n = 5" in words


def test_a_figure_and_its_interval_have_as_many_decimals() -> None:
    """Three digits of a short time; one more where the ends would read the same; in the multiple in
    which the figure is read.
    """
    times = section(
        body(*(seeded(seed, seconds) for seed, seconds in enumerate((0.1798, 0.5496)))), "answer"
    )
    rate = section(body(a_run("a", 100.0, 0.5)), "answer")
    flop = section(body(computing("m", "micro-matmul", 102.4e9)), "answer")

    assert "0.365 s top-1 accuracy ≥ 90.0% reached by both runs 0.180 to 0.550 across runs" in times
    assert "100.0 images/s 99.5 to 100.5 (95% confidence)" in rate
    assert "102 GFLOP/s 102 to 102 (95% confidence)" in flop


def test_processes_and_threads_are_named_where_they_are_unusual() -> None:
    """One thread on two cores is, a thread for each core is not; of several processes always the
    threads of each.
    """
    made = (
        a_run("a", set_={"threads": threads}, processes=processes)
        for threads, processes in ((2, 1), (1, 1), (1, 2), (2, 2))
    )
    words = [section(body(run), "answer") for run in made]

    wanted = (
        "PyTorch 2.13.0",
        "PyTorch 2.13.0, 1 thread",
        "PyTorch 2.13.0, 2 processes × 1 thread",
        "PyTorch 2.13.0, 2 processes × 2 threads",
    )
    assert all(
        f"FP32, {end} Throughput is" in found for found, end in zip(words, wanted, strict=True)
    )


def test_an_operation_is_read_in_its_own_rate() -> None:
    """A product of matrices in FLOP/s, not in samples a second."""
    assert "matmul synthetic data (on the device) 102 GFLOP/s" in section(
        body(computing("m", "micro-matmul", 102e9)), "answer"
    )


def test_a_section_without_data_is_left_out() -> None:
    """A machine with one run has no comparison, no neighbour and no doubt, and its page does not
    say so either.
    """
    text = body(a_run("a"))

    assert re.findall(r'<h2 id="([a-z]+)"', text) == ["answer", "machine", "runs"]


def test_settings_are_compared_with_an_interval() -> None:
    """How many times as fast, and what can be said of it."""
    words = section(body(a_run("a"), a_run("b", 150.0, precision=Precision.AMP_BF16)), "settings")

    assert "All comparisons, with intervals and runs (1)" in words
    assert (
        "mixed precision (bfloat16) against FP32 precision CNN-10 batch 128 1.50× 1.48–1.53 runs: "
        "1 against 1 faster" in words
    )


def test_a_comparison_of_a_small_suite_says_so() -> None:
    """With all suites that its runs are of, which single runs beside it are not."""
    bf16: dict[str, Any] = {"precision": Precision.AMP_BF16}
    suite = (
        of_suite(a_run("a"), "quick", "small"),
        of_suite(a_run("b", 150.0, **bf16), "settings", "small"),
    )

    words = section(body(*suite, a_run("c"), a_run("d", 150.0, **bf16)), "settings")

    assert "CNN-10 batch 128, suite settings and quick, small size 1.50×" in words
    assert "CNN-10 batch 128 1.50×" in words


def test_scaling_says_what_is_left_of_it() -> None:
    """Two processes are 1.5 times as fast as one with as many threads in each: three quarters."""
    one = {"threads": 1}

    words = section(
        body(a_run("a", 60.0, set_=one), a_run("b", 90.0, processes=2, set_=one)), "settings"
    )

    assert "1.50× 1.46–1.54 runs: 1 against 1 scaling efficiency 75.0% faster" in words


def test_others_stand_beside_it_with_origin_and_ratio() -> None:
    """The fastest run of each other system in the same unit; a time of epochs is made into a
    throughput; the fastest first.
    """
    elsewhere: dict[str, Any] = {
        "system": "rtx2080ti-1x",
        "origin": Origin.PUBLISHED,
        "source": "elsewhere",
        "environment": None,
    }
    timed = a_run(
        "p",
        None,
        metrics=(Metric("median_epoch_s", 100.0, "s"),),
        train_samples=50_000,
        **elsewhere,
    )

    words = section(body(a_run("a"), timed), "published")

    assert words.index("500 images/s 5.00×") < words.index("100 images/s")
    assert "published" in words


def test_what_differs_between_runs_is_said_of_the_machine() -> None:
    """Each value with its number of runs, the newest first; what all found alike stands alone, what
    is another in each run nowhere.
    """
    old, new = (
        {"kernel": kernel, "command": kernel, "foreign_cores": 0.01}
        for kernel in ("6.1.0", "6.1.9")
    )
    jax: dict[str, Any] = {"backend": "jax", "framework": "jax", "framework_version": "0.8"}

    words = section(
        body(a_run("a", set_=old), a_run("b", set_=old), a_run("c", set_=new, **jax)), "machine"
    )

    assert "Kernel6.1.9 (1 run); 6.1.0 (2 runs)" in words
    assert "FrameworkJAX 0.8 (1 run); PyTorch 2.13.0 (2 runs)" in words
    assert "ProcessorToy CPU" in words and "Toy CPU (" not in words
    assert "Command" not in words and "other programs" not in words


def test_doubts_are_gathered() -> None:
    """Each kind once, at its worst, with the number of runs."""
    doubted = [
        a_run(f"d{n}", doubts=(RunWarning("other_load", load, 0.05),))
        for n, load in enumerate((0.4, 0.9))
    ]

    text = body(*doubted)

    assert "Runs with warnings: 2." in said(text)
    words = section(text, "doubts")
    assert (
        "Background load during the timed steps: 0.9 cores (quiet: 0.05 cores or less). 2" in words
    )


def test_too_few_steps_are_no_reason_for_care() -> None:
    """Words stand in place of the interval; what is counted at the top is what bears a mark, and
    the list says both.
    """
    doubted, few = (
        a_run("a", doubts=(RunWarning("other_load", 0.4, 0.05),)),
        a_run("b", 150.0, None, doubts=(RunWarning("few_steps", 1, 20),)),
    )

    text = body(doubted, few)

    assert "Runs with warnings: 1." in said(text)
    assert "Timing covers only 1 step; an interval needs 20 steps." in section(text, "doubts")
    assert "warnings" not in said(body(few)).partition("Warnings")[0]


def test_a_run_slower_than_the_runs_alike_is_listed() -> None:
    """By how much, and of how many: of several the slowest; no run has it among its own
    doubts.
    """
    runs = [a_run(f"r{n}", value) for n, value in enumerate((100.0, 101.0, 99.0, 80.0, 50.0))]

    words = section(body(*runs), "doubts")

    wanted = (
        "The steps took 98.0% longer than the median of 5 identical runs, this one included; up to "
        "13.0% is usual."
    )
    assert f"{wanted} 2 runs" in words
    assert section(body(*runs[:3]), "doubts") == ""


def test_a_doubted_figure_is_marked() -> None:
    """In the first table and beside a comparison of which it is a side; others are not, and too few
    steps are told in words.
    """
    sure, doubted = (
        a_run("a"),
        a_run(
            "b", 150.0, precision=Precision.AMP_BF16, doubts=(RunWarning("other_load", 0.4, 0.05),)
        ),
    )

    marked, plain = (
        body(sure, dataclasses.replace(doubted, doubts=told))
        for told in (doubted.doubts, (RunWarning("few_steps", 7, 20),))
    )

    assert all("has warnings" in section(marked, id_) for id_ in ("answer", "settings"))
    assert not any("read with care" in section(plain, id_) for id_ in ("answer", "settings"))


def test_the_lead_counts_runs_and_doubts() -> None:
    """With its day and its doubt; several have theirs."""
    doubted: dict[str, Any] = {"doubts": (RunWarning("other_load", 0.4, 0.05),)}

    one, two = (said(body(*(a_run(name, **doubted) for name in names))) for names in ("a", "ab"))

    for n, words in ((1, one), (2, two)):
        assert (
            f"Runs with this project’s harness: {n}; workloads: 1. Measured on 20 November 2026. "
            f"Runs with warnings: {n}." in words
        )


def test_every_run_has_its_command_and_the_size_of_its_suite() -> None:
    """A small one is never shown as the full one."""
    text = body(of_suite(a_run("a"), "quick", "small"), a_run("b", None, status=Status.OOM))

    assert "quick small size measured python -m kernels run cnn10" in section(text, "runs")
    assert "no suite out of memory" in section(text, "runs")
    assert "suite quick, small size" in section(text, "answer")


def test_strangers_machines_have_pages_and_published_systems_have_none() -> None:
    """By who ran the harness, not by who owns the archive; the list and the navigation lead to
    them.
    """
    submitted = a_run(
        "s",
        system="gpu-there-1x",
        origin=Origin.SUBMITTED,
        environment=Environment(accelerator_name="Toy GPU"),
    )
    published = a_run("p", system="elsewhere", origin=Origin.PUBLISHED, environment=None)
    at = writer(a_run("a"), submitted, published, path="measured/")

    listed = measured_page(at).body

    assert at.site.measured_with() == [SYSTEM, "gpu-there-1x"]
    assert 'href="../measured/gpu-there-1x/">Toy GPU</a>' in listed
    tree = nav(at.site.evidence, at.locale)
    assert [
        item.path
        for item in next(item for item in tree.children if item.section == "measured").children
    ] == [f"measured/{SYSTEM}/", "measured/gpu-there-1x/"]


@pytest.mark.parametrize(("system", "links"), [(SYSTEM, 1), ("elsewhere", 0)])
def test_systems_and_workloads_lead_there(system: str, links: int) -> None:
    """Where something was measured, and nowhere else."""
    at = writer(a_run("a"), path=f"systems/{system}/")

    assert of_system(at, system).count(f'href="../../measured/{SYSTEM}/"') == links
    assert (
        of_workload(at, at.site.catalog.workloads["cnn10-cifar10"]).count(
            f'href="../../measured/{SYSTEM}/"'
        )
        == 1
    )
    assert of_workload(at, at.site.catalog.workloads["gnmt-wmt-en-de"]) == ""
