"""One run: every figure with what is known of it, warnings in words, where it comes from."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kernels import __main__ as commands
from kernels import store
from kernels.cli import show
from kernels.records import (
    Bound,
    ClockScope,
    DataKind,
    Environment,
    Evaluation,
    Interval,
    Metric,
    Origin,
    Phase,
    RunWarning,
    Sample,
    Setting,
    Software,
    Stat,
    Status,
    Step,
    Target,
)
from tests.kernels.analysis.test_compare import a_run
from tests.makers import make_run

WHOLE = replace(
    a_run(
        "whole",
        status=Status.NOT_CONVERGED,
        status_detail="top1 did not reach 0.9 in 2 epochs",
        stop_reason="epochs_done",
    ),
    accelerators=1,
    accelerator="cpu-toy",
    data=DataKind.REAL,
    clock_scope=ClockScope.TRAIN_AND_EVAL,
    wall_time_s=12.0,
    seed=3,
    targets=(Target("top1", 0.9),),
    metrics=(
        Metric(
            "throughput_images_per_s",
            2000.0,
            "images/s",
            1900.0,
            2100.0,
            Interval.CI95,
            n=40,
            stat=Stat.MEDIAN,
        ),
        Metric("step_time_p95_s", 0.5, "s", n=40, stat=Stat.NOT_STATED),
        Metric("achieved_flop_per_s", 53.3e9, "FLOP/s", n=40, stat=Stat.MEDIAN),
        Metric(
            "time_to_target_s", None, "s", target=Target("top1", 0.9), status=Status.NOT_CONVERGED
        ),
        Metric("energy_j", None, "J", status=Status.NOT_SUPPORTED),
    ),
    steps=(
        Step(0, Phase.COMPILE, 0.0, 1.0, 0),
        Step(1, Phase.MEASURE, 1.0, 0.5, 0),
        Step(2, Phase.MEASURE, 1.5, 0.5, 1),
    ),
    evaluations=(Evaluation("top1", 0.5, epoch=1.0), Evaluation("top1", 0.7, epoch=2.0)),
    telemetry=(Sample(0.0, 0), Sample(1.0, 0)),
    software=(Software("torch", "9.9"),),
    settings=(Setting("momentum", "0.9"),),
    doubts=(RunWarning("other_load", 0.3, 0.05),),
    environment=Environment(
        cpu_model="Toy CPU",
        memory_bytes=16_000_000_000,
        deterministic=False,
        cpu_max_hz=2.6e9,
        extra=(
            Setting("cpu_capability", "AVX2"),
            Setting("telemetry_missing_energy_j", "no RAPL on this machine"),
        ),
    ),
)
"""A run with something in every part."""


def test_a_run_is_shown_whole() -> None:
    """Status with reason, source, place, file, warnings, why no energy, settings, machine."""
    lines = list(show.lines(WHOLE, Path("measured/whole.parquet")))

    assert lines[0] == "whole"
    for line in (
        "  status        not_converged: top1 did not reach 0.9 in 2 epochs (stop reason: "
        "epochs_done)",
        "  origin        measured",
        "  place         here",
        "  file          measured/whole.parquet",
        "  terms         MIT; Toy Works",
        "  what          toy-box, 1 x cpu-toy, digits-cnn, batch 64, fp32, real data, seed 3, "
        "processes 1",
        "  clock         train_and_eval; 12 s in all",
        "  targets       top1 0.9",
        "  steps         3 (1 compile, 2 measure)",
        "  quality       top1 0.7 at the last of its readings",
        "  sensors       2 readings",
        "  energy        energy_j not_supported: no RAPL on this machine",
        "  warnings      1",
        "    other_load: other programs used 0.3 cores during the timed steps (quiet is 0.05 or "
        "less): "
        "close them, or measure on a machine of your own",
        "    momentum  0.9",
        "    torch  9.9",
    ):
        assert line in lines
    environment = [line.split() for line in lines[lines.index("  environment") + 1 :]]
    assert environment[:4] == [
        ["cpu_model", "Toy", "CPU"],
        ["cpu_max_hz", "2.6", "GHz"],
        ["memory_bytes", "16", "GB"],
        ["deterministic", "no"],
    ]
    assert ["cpu_capability", "AVX2"] in environment


def test_every_figure_has_its_interval_number_and_statistic() -> None:
    """Percentiles and missed targets too; FLOP with a prefix."""
    lines = list(show.lines(WHOLE, None))
    start = lines.index("  figures")
    cells = [
        [cell for cell in line.split("  ") if cell.strip()] for line in lines[start + 1 : start + 7]
    ]

    assert [[cell.strip() for cell in row] for row in cells] == [
        ["figure", "value", "from, to", "n", "statistic"],
        ["throughput_images_per_s", "2000 images/s", "1900 to 2100, 95 % interval", "40", "median"],
        ["step_time_p95_s", "0.5 s", "-", "40", "percentile"],
        ["achieved_flop_per_s", "53.3 GFLOP/s", "-", "40", "median"],
        ["time_to_target_s@0.9", "not_converged", "-", "-", "single"],
        ["energy_j", "not_supported", "-", "-", "single"],
    ]


def test_a_published_run_says_what_its_source_does_not() -> None:
    """Runs not stated, a range without a value, "about" as printed, no word of sensors."""
    metrics = (
        Metric("train_time_s", None, "s", 2.2, 2.7, Interval.PRINTED, stat=Stat.NOT_STATED),
        Metric("final_accuracy", 0.76, bound=Bound.APPROX, stat=Stat.NOT_STATED),
    )
    run = make_run(
        "told",
        origin=Origin.PUBLISHED,
        source="an-article",
        licence="LicenseRef",
        credit="Them",
        metrics=metrics,
    )

    text = "\n".join(show.lines(run, None))

    assert "origin        published, source an-article" in text and "place         table 1" in text
    assert "train_time_s    -           2.2 to 2.7 s, as printed  not stated  not stated" in text
    assert "about 0.76" in text and "warnings      none" in text
    assert "sensors" not in text and "energy" not in text


def test_show_with_an_id_is_whole_and_without_one_a_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In JSON with environment and warnings in words; steps and readings are counted."""
    store.write(tmp_path / "measured" / "whole.parquet", [WHOLE])
    place = ["--runs", str(tmp_path)]

    assert commands.main(["show", *place]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("whole  not_converged  64")
    assert commands.main(["show", "whole", *place]) == 0
    assert "  file          measured/whole.parquet" in capsys.readouterr().out.splitlines()
    assert commands.main(["show", "whole", "--json", *place]) == 0
    (record,) = json.loads(capsys.readouterr().out)["records"]
    assert commands.main(["show", "--json", *place]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["records"]

    assert record["steps"] == 3
    assert record["telemetry"] == 2
    assert record["file"] == "measured/whole.parquet"
    assert record["environment"]["cpu_model"] == "Toy CPU"
    assert record["doubts"][0]["text"].startswith("other_load: other programs used 0.3 cores")
    assert [reading["value"] for reading in record["evaluations"]] == [0.5, 0.7]
    assert record["metrics"] == listed["metrics"] and "environment" not in listed
    assert listed.keys() <= record.keys()
