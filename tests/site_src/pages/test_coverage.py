"""The page on coverage: marks that lead to results, and the runs that are missing."""

import re
from collections.abc import Sequence
from typing import Any

from kernels.records import Metric, Origin, Run, Status, Target
from site_src.pages.coverage import coverage_page
from tests.makers import make_run
from tests.site_src.recorded import page_at


def body(runs: Sequence[Run]) -> str:
    """The page of these runs, in English."""
    return coverage_page(page_at("coverage/", *runs)).body


def on(accelerator: str, run_id: str, **fields: Any) -> Run:
    """A run on an accelerator of the catalogue, to the target of ResNet-50."""
    time = Metric("time_to_target_s", 60.0, "s", target=Target("top1", 0.759))
    usual = {"origin": Origin.PUBLISHED, "workload": "resnet50-imagenet", "metrics": (time,)}
    return make_run(run_id, accelerator=accelerator, **{**usual, **fields})


def test_a_cell_leads_to_its_results_and_counts_them() -> None:
    """One result has a page; those of one system are on that system's."""
    runs = [
        on("t4", "one"),
        on("k80", "two"),
        on("k80", "three", status=Status.OOM, metrics=()),
        on("t4", "four", workload="digits-cnn", origin=Origin.MEASURED),
    ]

    page = body(runs)

    row = re.search(
        r'<tr><th scope="row"><a href="[^"]*accelerators/t4/">T4</a></th>(.*?)</tr>', page
    )
    assert row and re.findall(r'<td><a href="../(\S+)" title="([^"]+)">([^<]+)', row[1]) == [
        ("results/one/", "published: 1", "○1"),
        ("results/four/", "measured: 1", "●1"),
    ]
    assert (
        '<a href="../systems/toy-box/" title="published: 1; out of memory: 1">○1<br>▲1</a>' in page
    )
    legend = page[page.index("ts-note") :].split("<br>")[0]
    assert [sign in legend for sign in "●◆■○▲✕–"] == [True, False, False, True, True, False, False]


def test_empty_cells_side_by_side_are_one() -> None:
    """A row with a mark in its last column alone has two cells."""
    names = ("digits-cnn", "fashion-cnn", "seq-reverse")
    runs = [on("t4", name, workload=name) for name in names] + [on("k80", "x", workload=names[2])]

    [row] = re.findall(r">Tesla K80</a></th>(.*?)</tr>", body(runs))

    assert row.count("<td") == 2 and row.endswith('<td colspan="2"></td>')


def test_the_runs_that_are_missing_have_their_command() -> None:
    """Our harness trained one of two cards: a run of the other makes the pair."""
    time = Metric("time_to_target_s", 60.0, "s", target=Target("top1", 0.97))
    ours = {"origin": Origin.MEASURED, "workload": "digits-cnn", "metrics": (time,)}
    page = body([on("t4", "one", accelerators=1, **ours), on("k80", "two")])

    assert "0 of 1 pair" in page
    command = "python -m kernels run digits_cnn --target 0.97 --seeds 0,1,2,3,4"
    [row] = re.findall(
        rf"<tr>(.*?){re.escape(command)}", page[page.index('id="next"') :], re.DOTALL
    )
    assert "Tesla K80" in row and ">1<" in row


def test_pairs_count_that_have_a_ratio() -> None:
    """Two of one article have one; a third that trained the same workload by another has none."""
    page = body(
        [
            on("t4", "one", accelerators=1),
            on("k80", "two", accelerators=1),
            on("a30", "three", accelerators=1, source="other"),
        ]
    )

    assert "1 of 3 pairs" in page


def test_how_a_run_came_to_nothing_is_told_by_its_name() -> None:
    """With one sign for all of that; the legend names those that there are."""
    page = body(
        [
            on("t4", "one", status=Status.NOT_CONVERGED, metrics=()),
            on("t4", "two", status=Status.TIMEOUT, metrics=()),
        ]
    )

    said = ("target not reached", "ran out of time")
    assert f'title="{said[0]}: 1; {said[1]}: 1">✕2<' in page
    legend = page[page.index("ts-note") :].split("<br>")[0]
    assert f"{said[0]}, {said[1]}" in legend.replace("\u00a0", " ")


def test_a_site_without_runs_has_the_page() -> None:
    """With its words alone."""
    assert "<table" not in body([])
