"""The page of a run that this harness measured: what is said once, what is left to the downloads,
and how much all of it weighs.
"""

import re
from dataclasses import dataclass, replace
from datetime import date
from itertools import cycle, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from kernels import catalog, store
from kernels.records import Environment, Metric, Run, Setting, Status, Target
from kernels.store import Archive
from site_src import build
from site_src.evidence import Evidence
from site_src.locales import load
from site_src.model import BuildOptions
from site_src.pages.components.writer import Writer
from site_src.pages.run import caveats, charts, run_page
from site_src.pages.run.configuration import ended_at_target
from tests.makers import make_archive
from tests.site_src import drawing
from tests.site_src.logged import submission
from tests.site_src.machines import a_run
from tests.site_src.own import watched_run
from tests.site_src.pages.conftest import Written
from tests.site_src.pages.run.test_telemetry import page
from tests.site_src.pages.test_pages import text as lines
from tests.site_src.recorded import make_site, page_at
from tests.site_src.tongues import STRINGS

PERCENTS = tuple(Metric(f"step_time_p{n}_s", n / 100, "s", n=200) for n in (50, 90, 95, 99))


def body(*more: Metric) -> str:
    """The page of a run with these figures too."""
    run: Run = watched_run()
    own = [metric for metric in run.metrics if metric.name not in {one.name for one in more}]
    return page(Archive(runs=(replace(run, metrics=(*own, *more)),)))


def test_a_run_leads_to_the_next_batch_that_did_not_fit(written: Written) -> None:
    """MXNet at 768 to its run at 1,024; one card to 256, not to all that are larger; others to none."""
    page = written("runs/any/")
    runs = page.site.runs
    fits, wide, other = (
        "".join(caveats(page, runs[id_]))
        for id_ in (
            "tpuv2-v100-v100-mxnet-synthetic-768",
            "rtx2080ti-colab-tpu-1gpu-wrn-128",
            "tpuv2-v100-v100-tensorflow-synthetic-1024",
        )
    )

    assert "results/tpuv2-v100-v100-mxnet-synthetic-1024/" in fits
    assert "results/rtx2080ti-colab-tpu-1gpu-wrn-256/" in wide
    assert wide.count("Out of memory") == 1
    assert "results/" not in other


def test_percentiles_share_a_row() -> None:
    """Those beyond the median, which the time per step is."""
    text = body(*PERCENTS)

    assert re.search(r"<dt>Time per step<dd>.*?<br>percentiles 90, 95 and 99: .*?; .*?; ", text)
    assert "step_time_p50_s" not in text
    assert all(f"data-ref=:step_time_p{n}_s" in text for n in (90, 95, 99))


def test_a_queue_is_shown_where_it_makes_a_doubt() -> None:
    """A device that was waited for has no such row; one that worked on has."""
    assert "queued_share" not in body(Metric("queued_share", 1e-6))
    assert "queued_share" in body(Metric("queued_share", 0.2))


def test_energy_that_no_sensor_reads_is_said_once() -> None:
    """What could not be read names the power."""
    text = body(Metric("energy_j", None, "J", status=Status.NOT_SUPPORTED))

    assert "Not recorded: power" in text
    assert "not supported" not in text
    assert "energy_j" in body(Metric("energy_j", 12.0, "J"))


def read(**fields: Any) -> str:
    """Such a run's page as one reads it."""
    return lines(page(Archive(runs=(replace(watched_run(), **fields),)))).replace("\xa0", " ")


def test_the_parts_of_the_wall_time_share_its_row() -> None:
    """Together they are all of it; the training time, which is the same, and the compilation of an
    eager run are not said again.
    """
    text = read(environment=Environment(compile_mode="eager"))

    assert (
        "Wall time | 13.50 s first step 1 s; warm-up after the first step 3 s; timed steps 8 s; evaluation "
        "time 1.500 s; between" in text
    )
    assert "Training time" not in text
    assert "Training time (training and evaluation) | 13.50 s" in read(wall_time_s=20.0)
    assert "minus median" not in text
    assert "First step minus median | 0 s" in read(environment=Environment(compile_mode="inductor"))


def test_a_last_reading_that_is_the_best_is_said_once() -> None:
    """Its row has the epoch; another best value has a line of its own."""
    better = tuple(
        Metric("final_accuracy", 0.7) if metric.name == "final_accuracy" else metric
        for metric in watched_run().metrics
    )

    assert "Final accuracy | 80.0% epoch 3, maximum, 3 evaluations\n" in read()
    assert "Final accuracy | 70.0% best accuracy 80.0% epoch 3, maximum, 3 evaluations\n" in read(
        metrics=better
    )


def test_a_run_of_a_round_ended_at_its_target() -> None:
    """Its rules let it go on until then: a log that reached the target says why it ended, and one
    that did not says nothing.
    """
    reached, missed = submission(4, None)

    assert ended_at_target(reached) and not ended_at_target(missed)
    assert "Stop reason<dd>the target was reached" in page(Archive(runs=(reached,)))
    assert "the target was reached" not in page(Archive(runs=(missed,)))
    assert not ended_at_target(replace(reached, round=None)) and not ended_at_target(
        replace(reached, targets=())
    )


def test_a_target_that_was_missed_is_said_once() -> None:
    """Neither blank nor repeated for the time from which on it would have held; one that was held
    is said once, too.
    """
    missed = watched_run(target=Target("top1", 0.9))

    assert ", and held to the end | 3 epochs; 13.50 s\n" in read()
    assert "To the target (top-1 accuracy ≥ 90.0%) | target not reached\n" in lines(
        page(Archive(runs=(missed,)))
    ).replace("\xa0", " ")


def test_settings_are_shown_where_they_are_unusual() -> None:
    """What the harness sets by itself is left to the downloads; of a full page also what a workload
    has the same in each of its runs.
    """
    usual = Environment(compile_mode="eager", allocator="tuned", memory_format="channels_last")
    settings = (
        Setting("learning_rate", "0.1"),
        Setting("loss", "cross_entropy"),
        Setting("suite", "quick"),
        Setting("suite_size", "small"),
    )
    text = read(environment=usual, settings=settings)

    assert "Compilation mode" not in text
    assert "Compilation mode | compiled" in read(
        environment=replace(usual, compile_mode="inductor")
    )
    assert "Learning rate | 0.1\n" in text
    assert "Suite | quick, small size" in text
    assert "Loss function | cross-entropy" in text
    full = (*watched_run().metrics, *(Metric(f"read_{n}", n / 100) for n in range(60)))
    assert "Loss function" not in read(settings=settings, metrics=full)


def test_a_run_slower_than_the_runs_alike_says_so() -> None:
    """In its own doubts, whatever is kept with it; those alike do not."""
    runs = [a_run(f"r{n}", value) for n, value in enumerate((100.0, 101.0, 80.0))]

    slow, usual = (
        lines(run_page(page_at(f"runs/{run.run_id}/", *runs), run).body) for run in runs[2:0:-1]
    )

    assert "The steps took 25.0% longer than the median of 3 identical runs" in slow.replace(
        "\xa0", " "
    )
    assert "identical runs" not in usual and "Warnings" not in usual


@pytest.mark.parametrize(
    ("patterns", "least"),
    [
        (("measured/digits-cnn-*", "measured/*-h100-*"), 30),
        pytest.param(("measured/*",), 150, marks=pytest.mark.whole),
    ],
)
def test_the_pages_of_own_runs_are_light(
    repository: Path, tmp_path: Path, patterns: tuple[str, ...], least: int
) -> None:
    """Those that are recorded, with the ways to the charts that show them; one on a card has more
    sensors to draw. Some in Russian, whose letters take two bytes, and by turns in another language,
    all in each.
    """
    archive, known = store.read(make_archive(tmp_path, *patterns)), catalog.load()
    locales = {locale.code: locale for locale in load(STRINGS)}
    drawn: dict[str, Any] = {
        each.id: SimpleNamespace(figure=each, locales=[*locales.values()], options=None, client={})
        for each in drawing.figures(Evidence(archive, known))
    }
    options = BuildOptions(
        built=date(2026, 11, 20), issues=build.settings(repository / "mkdocs.yml")["issues"]
    )
    site = make_site(archive, drawn, options=options)
    turns = cycle({code, "ru"} for code in locales) if least < 100 else repeat(set(locales))
    bodies = {
        f"{code}/{run.run_id}": run_page(
            Writer(site, locales[code], f"runs/{run.run_id}/"), run
        ).body
        for run, codes in zip(archive.runs, turns, strict=False)
        for code in codes
    }

    assert len(archive.runs) > least
    assert {
        name: size
        for name, body in bodies.items()
        if (size := len(body.encode())) >= (9_700 if "-h100-" in name else 7_200)
    } == {}
    assert not any(
        "<polyline" not in body
        for name, body in bodies.items()
        if "-s0-b" in name and "-micro-" not in name
    )


def test_charts_of_the_machine_are_known_by_their_page() -> None:
    """Several of its own page are one link; one whose id only begins like the machine's stands for
    itself.
    """
    run = watched_run()
    pages = {
        f"{run.system}-batch": "measured",
        f"{run.system}-peak": "measured",
        f"{run.system}-elsewhere-x": "workloads",
    }
    english = load(STRINGS, ("en",))
    drawn: dict[str, Any] = {
        id_: SimpleNamespace(
            figure=Shown(id_, f"{page}/{run.system}/", (run.run_id,)),
            locales=english,
            options=None,
            client={},
        )
        for id_, page in pages.items()
    }
    records = Archive(runs=(run,))
    site = make_site(records, drawn)

    found = charts(Writer(site, english[0], f"runs/{run.run_id}/"), run)

    assert [href for href, _ in found] == [
        f"../../c/{run.system}-elsewhere-x/",
        f"../../measured/{run.system}/",
    ]


@dataclass(frozen=True)
class Shown:
    """A figure as far as links need it."""

    id: str
    page: str
    runs: tuple[str, ...]

    def title(self, _: object) -> str:
        """As of a figure."""
        return self.id

    heading = headline = question = title
    presets = columns = plain = controls = ()
    digest = None
    table = pd.DataFrame({"licence": []})

    def credits(self, _: object) -> list[str]:
        """As of a figure."""
        return []


def test_the_peak_memory_says_whose_it_is() -> None:
    """That of the process or of the tensors, as the sensors read another; a run that does not tell
    has the plain word.
    """
    metrics = (Metric("peak_memory_bytes", 1e9, "byte"),)
    told = {
        name: Environment(extra=(Setting("peak_memory_of", name),))
        for name in ("process_resident", "device_allocated")
    }

    assert "Peak memory of the training process | 1 GB" in read(
        metrics=metrics, environment=told["process_resident"]
    )
    assert "Peak tensor memory on the accelerator | 1 GB" in read(
        metrics=metrics, environment=told["device_allocated"]
    )
    assert "Peak memory | 1 GB" in read(metrics=metrics)


def test_where_memory_ran_out_is_said_in_words() -> None:
    """The part of the step and the size that was asked for, as the harness records them; what a
    stranger writes stays as it is.
    """

    def said(detail: str) -> str:
        return read(status=Status.OOM, status_detail=detail)

    assert "Memory ran out in the forward pass of a step: 1.61 GB were requested." in said(
        "phase forward, 1610612736 bytes requested"
    )
    assert "Memory ran out during evaluation." in said("phase evaluation")
    assert "phase of the moon" in said("phase of the moon")
