"""Lists of runs: what each row says of a run of this harness."""

import re

import pytest
from markupsafe import Markup

from kernels.records import ClockScope, Metric, RunWarning
from site_src.pages.calculator import table as cost_table
from site_src.pages.components import run_list
from site_src.pages.components import warnings as doubts_of
from site_src.tables.collapsed import quality
from tests.site_src.articles import drawn
from tests.site_src.machines import a_run, of_suite
from tests.site_src.pages.conftest import Written
from tests.site_src.pages.machine.test_machine import writer
from tests.site_src.reading import plain, said


@pytest.mark.parametrize(
    ("value", "half", "wanted"),
    [
        (6.795, 0.091, "6.795 images/s 6.704 to 6.886 images/s (95% confidence)"),
        (123.456, 1.0, "123.5 images/s 122.5 to 124.5 images/s (95% confidence)"),
        (2345.6, 10.0, "2,346 images/s 2,336 to 2,356 images/s (95% confidence)"),
        (6.795, None, "6.795 images/s 1 run"),
        (123.456, None, "123 images/s 1 run"),
    ],
)
def test_a_throughput_has_the_digits_of_its_interval(
    value: float, half: float | None, wanted: str
) -> None:
    """A slow machine's images a second are no whole number; without an interval three digits are
    enough.
    """
    run = a_run("slow", value, half)
    at = writer(run)

    assert wanted in said(run_list.runs(at, [run], Markup("Runs")))
    assert wanted.partition(" images/s")[0] == said(
        at.fig("run:slow:throughput_images_per_s", link=False)
    )


def test_a_run_of_a_small_suite_is_told() -> None:
    """With suite and size; one of the full protocol, and one of no suite, need no such word."""
    small, full, alone = (
        of_suite(a_run("small"), "quick", "small"),
        of_suite(a_run("full"), "quick", "full"),
        a_run("alone"),
    )

    words = [
        said(run_list.runs(writer(run), [run], Markup("Runs"))) for run in (small, full, alone)
    ]

    assert "suite quick, small size" in words[0]
    assert not any("suite" in each for each in words[1:])


def test_a_doubted_run_is_marked() -> None:
    """With the number of its doubts, the worst for the pointer and the way to all of them; too few
    steps are told in words.
    """
    doubts = (
        RunWarning("other_load", 0.1, 0.05),
        RunWarning("unstable", 0.3, 0.05),
        RunWarning("few_steps", 7, 20),
    )
    doubted = a_run("doubted", doubts=doubts)

    html = run_list.runs(writer(doubted), [doubted], Markup("Runs"))

    assert "has warnings (2)" in said(html)
    assert 'href="../../runs/doubted/#care" title="Step time varies by 30.0%' in html
    for told in ((), doubts[2:]):
        run = a_run("sure", doubts=told)
        assert "read with care" not in said(run_list.runs(writer(run), [run], Markup("Runs")))
    one = a_run("b", doubts=doubts[:1])
    assert said(doubts_of.badge(writer(one), [one])) == "has warnings"


@pytest.mark.parametrize(
    ("doubts", "code"),
    [
        ((RunWarning("other_load", 0.9, 0.05), RunWarning("unstable", 0.2, 0.05)), "other_load"),
        ((RunWarning("other_load", 0.9, 0.05), RunWarning("together", 1.0, 0.0)), "together"),
        ((RunWarning("few_steps", 15, 20), RunWarning("few_steps", 7, 20)), "few_steps"),
    ],
)
def test_the_worst_doubt_is_furthest_beyond_its_limit(
    doubts: tuple[RunWarning, ...], code: str
) -> None:
    """One without a limit is beyond any; of few steps the fewest are."""
    found = doubts_of.worst(doubts)

    assert (found.code, found.value) == (
        code,
        7 if code == "few_steps" else max(d.value or 0 for d in doubts if d.code == code),
    )


def test_times_say_what_their_clock_includes() -> None:
    """In the heading where it is the same for all; at each time where it differs; a source that
    does not say is named so.
    """
    times = (Metric("train_time_s", 90.0, "s"),)
    scopes = {"a": ClockScope.TRAIN_ONLY, "b": ClockScope.TRAIN_AND_EVAL}
    both = {
        name: a_run(name, None, metrics=times, clock_scope=scope) for name, scope in scopes.items()
    }
    unsaid = a_run("c", None, metrics=times, clock_scope=ClockScope.UNKNOWN)

    alone, mixed = (
        said(run_list.runs(writer(*runs), runs, Markup("Runs"), each=True))
        for runs in ([both["b"]], [both["a"], both["b"], unsaid])
    )

    assert "Training time (training and evaluation)" in alone
    assert "90 s 1 run" in alone
    assert "Training time Toy CPU" in mixed
    assert [
        word in mixed
        for word in (
            "training steps only",
            "90 s training and evaluation",
            "90 s timing scope not stated",
        )
    ] == [True] * 3


def test_unusual_settings_tell_rows_apart() -> None:
    """Of a run of this harness: what it sets by itself is not said."""
    usual, other = a_run("usual"), a_run("other", set_={"allocator": "default", "threads": 1})

    words = [said(run_list.runs(writer(run), [run], Markup("Runs"))) for run in (usual, other)]

    assert "PyTorch 2.13.0 · FP32 synthetic data" in words[0]
    assert "PyTorch 2.13.0 · FP32 · default allocator · 1 thread synthetic data" in words[1]


RTX = "rtx2080ti-colab-tpu"
COLLAPSED = f"{RTX}-tpu-wrn-2048"


def rows_of(html: Markup) -> dict[str, list[str]]:
    """Cells of each row of a list of runs, by the id of the run that it links to."""
    rows = [
        (re.search(r'href="[./]*results/([^/"]+)/"', row), row)
        for row in re.findall("<tr>(.*?)</tr>", html, re.DOTALL)
    ]
    return {
        found[1]: re.findall("<t[dh].*?</t[dh]>", row, re.DOTALL) for found, row in rows if found
    }


def test_a_collapsed_training_is_marked_at_its_figures_and_sorts_last(written: Written) -> None:
    """On a list of a workload, and on that of its system: it took the least time of all and trained
    nothing.
    """
    at = written("workloads/wrn28-10-cifar10/")
    for by, runs in (
        ("system", at.site.runs_of(workload="wrn28-10-cifar10", source=RTX)),
        ("workload", at.site.runs_of(system="colab-tpu-v2-8")),
    ):
        rows = rows_of(run_list.runs(at, runs, Markup("Runs"), by=by))
        marked = {
            name: [cell for cell in cells if "training collapsed" in cell]
            for name, cells in rows.items()
        }

        assert {name for name, cells in marked.items() if cells} == {COLLAPSED}
        assert [plain(cell).split()[0] for cell in marked[COLLAPSED]] == [
            "2,445",
            "2,253",
            "17.58%",
        ]
        assert all('data-value=""' in cell for cell in marked[COLLAPSED])


def test_the_remark_on_an_accuracy_stands_next_to_it(written: Written) -> None:
    """The source loosened the settings of its WRN, not of its CNN; costs of a WRN say it in
    words.
    """
    at = written("workloads/wrn28-10-cifar10/")
    rows = rows_of(run_list.runs(at, at.site.runs_of(source=RTX), Markup("Runs")))
    loosened = {
        name for name, cells in rows.items() if any("not representative" in cell for cell in cells)
    }
    costs = {
        name: cost_table.block(at, cost_table.of(at, workload=f"{name}-cifar10"), Markup("Costs"))
        for name in ("wrn28-10", "cnn10")
    }

    assert loosened == {
        run.run_id
        for run in at.site.runs_of(source=RTX, workload="wrn28-10-cifar10")
        if quality(run) is not None
    }
    assert {name: "simplified to save time" in html for name, html in costs.items()} == {
        "wrn28-10": True,
        "cnn10": False,
    }


def test_throughput_of_an_article_is_the_same_in_its_report_and_in_lists(written: Written) -> None:
    """By hand: 50,000 images in 11.68 s are 4,281 images/s; each of the 22 rows has the figure and
    the reference of the chart.
    """
    at = written("results/")
    table = drawn(RTX)["batch"].table
    chart = {
        row["run_id"]: (row["throughput"], row["throughput_ref"])
        for row in table.to_dict("records")
        if row["throughput_ref"]
    }
    rows = rows_of(run_list.runs(at, at.site.runs_of(source=RTX), Markup("Runs")))

    listed = {
        name: (float(found[1]), found[2])
        for name, cells in rows.items()
        if (found := re.search(r'<data value="([^"]+)" data-ref="(quotient[^"]+)"', "".join(cells)))
    }

    assert len(listed) == 22
    assert listed == chart
    assert any(
        "4,281 images/s from the median epoch" in plain(cell)
        for cell in rows[f"{RTX}-1gpu-cnn10-128"]
    )


def test_a_run_that_broke_down_is_compared_with_nothing(written: Written) -> None:
    """Its time would stand beside that of runs that learned something."""
    site = written("compare/").site
    compared = {figure.run for figure in site.figures_of_sources}

    assert COLLAPSED in site.collapsed and COLLAPSED not in compared
    assert f"{RTX}-tpu-wrn-128" in compared
