"""The page of a result: each run with its figures, what they share said once, and the score."""

import re
from dataclasses import replace

import pytest

from kernels.records import Metric, Run, Setting, Status, Target
from site_src.pages.components.writer import Writer
from site_src.pages.result import result_page
from tests.makers import make_source
from tests.site_src.machines import a_run as measured
from tests.site_src.pages.test_submissions import RUNS
from tests.site_src.recorded import page_at, spoken

NAME = "mlperf-v0.5-toyco-box-resnet"
SOURCE = make_source("mlperf-v0.5-toyco", licence="Apache-2.0", credit="Toyco")


def page(*runs: Run, id_: str = NAME) -> str:
    """The page's body, with closing tags left out."""
    at = page_at(f"results/{id_}/", *runs, sources=(SOURCE,))
    return result_page(at, at.site.results[id_]).body


def test_each_run_is_a_row_with_an_anchor_and_its_log() -> None:
    """In the order of the logs; the folder is said once, below."""
    body = page(*reversed(RUNS))

    assert re.findall(r"<tr id=(\S+) data-of=#>", body) == [run.run_id for run in RUNS]
    assert re.findall(r"<code>(result_\d.txt)</code>", body) == [
        f"result_{n}.txt" for n in range(5)
    ]
    assert body.count("results/box/resnet") == 1


def test_the_score_stands_first() -> None:
    """As on the source's page, marked as ours."""
    body = page(*RUNS)

    assert body.index("126.00") < body.index("<tr id=")
    assert "unverified" in body


def test_an_auc_that_missed_its_target_does_not_read_as_one_that_reached_it() -> None:
    """It has as many digits as that takes, beside others of four decimals."""
    read = zip(RUNS, (0.80281, 0.80264, 0.80273, 0.80251, 0.802466), strict=True)
    runs = [
        replace(run, targets=(Target("auc", 0.8025),), metrics=(Metric("final_auc", value),))
        for run, value in read
    ]

    shown = re.findall(r">(0\.80\d+)</data>", page(*runs))

    assert {"0.8028", "0.8026", "0.8027", "0.80247"} <= {*shown}


def test_the_description_counts_the_ends_of_runs_that_ended_differently() -> None:
    """Otherwise it names the one; in the brackets of the language."""
    finished = [replace(run, status=Status.OK) for run in RUNS]
    path = f"results/{NAME}/"
    one, two = (page_at(path, *runs, sources=(SOURCE,)) for runs in (finished, RUNS))
    ends = [
        result_page(at, at.site.results[NAME]).description
        for at in (one, two, Writer(two.site, spoken("ja"), path))
    ]

    assert ends[0].endswith(": finished.")
    assert ends[1].endswith(": finished (4) and target not reached (1).")
    assert "(4)" in ends[2] and " (4)" not in ends[2]


def test_what_differs_is_a_column_and_what_does_not_is_said_once() -> None:
    """A learning rate that one run has otherwise stands in the rows, not among what all share."""
    other = replace(RUNS[1], settings=(*RUNS[1].settings, Setting("opt_base_learning_rate", "7.5")))
    same, apart = page(*RUNS), page(RUNS[0], other, *RUNS[2:])

    assert "7.5" not in same
    rows, _, shared = apart.partition("id=configuration")
    assert "7.5" in rows and "7.5" not in shared
    assert shared.count("Global batch size") == same.partition("id=configuration")[2].count(
        "Global batch size"
    )


def test_of_very_many_seeds_of_a_run_the_first_are_shown() -> None:
    """A submission on a thousand chips logs one for each; the others are counted."""
    logged = " ".join(map(str, range(70_001, 71_001)))
    many = [replace(run, seed=None, settings=(Setting("seeds", logged),)) for run in RUNS]

    body = page(*many)

    assert body.count("70001 70002 70003 70004<br>and 996 more") == len(many)
    assert "70005" not in body


def test_a_withdrawn_run_keeps_its_row_and_says_why() -> None:
    """Figures of the others are not those of a withdrawn one."""
    gone = replace(RUNS[0], withdrawn="wrong log")

    body = page(gone, *RUNS[1:])

    assert body.count("wrong log") == 1
    assert f"<tr id={gone.run_id}" in body


@pytest.mark.parametrize("n", [1, 3])
def test_repetitions_lead_to_the_page_of_each(n: int) -> None:
    """Of this harness; before them stands what all of them reached, and how far they spread."""
    runs = [measured(f"r{at}", 100.0 + at) for at in range(n)]

    first, _, listed = page(*runs, id_="r0").partition("<h2 id=runs>")

    assert all(f"runs/r{at}/" in listed for at in range(n))
    assert "<dt>Throughput" in first and "data-ref=alike:r" in first
    assert ("across runs" in first and "3 runs" in first) == (n > 1)


def test_logs_that_were_submitted_before_lead_to_their_first_round() -> None:
    """A result of other logs says nothing of the kind."""
    late = make_source("mlperf-v1.0-toyco", licence="Apache-2.0", credit="Toyco")
    name = NAME.replace("v0.5", "v1.0")

    def told(add: float) -> str:
        later = [
            replace(
                run,
                run_id=run.run_id.replace("v0.5", "v1.0"),
                source=late.source,
                locator=run.locator.replace("v0.5", "v1.0"),
                round="v1.0",
                wall_time_s=(run.wall_time_s or 0.0) + add,
            )
            for run in RUNS
        ]
        at = page_at(f"results/{name}/", *RUNS, *later, sources=(SOURCE, late))
        return result_page(at, at.site.results[name]).body

    assert re.search(rf"submitted to round <a href=\S*/{NAME}/\S*>v0.5</a>", told(0.0))
    twice = [
        replace(run, run_id=f"{run.run_id}-b", locator=run.locator.replace("/box/", "/b/"))
        for run in RUNS
    ]
    same = page_at(f"results/{NAME}/", *RUNS, *twice, sources=(SOURCE,))
    both = [result_page(same, one).body for one in same.site.results.values()]
    assert len(both) == 2
    assert "had already been submitted" not in "".join((told(1.0), page(*RUNS), *both))
