"""What `kernels check` finds."""

from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kernels.checks.records import check
from kernels.errors import Severity
from kernels.records import (
    Claim,
    Direction,
    Environment,
    Epoch,
    Evaluation,
    Interval,
    Metric,
    Origin,
    Phase,
    PriceKind,
    Rate,
    Review,
    RunWarning,
    Sample,
    Setting,
    Status,
    Step,
    Target,
    Tariff,
)
from kernels.store import Archive, Problem
from tests.makers import make_cell, make_price, make_run, make_source

SOURCE = make_source()
PRICE = make_price(kind=PriceKind.SPOT)
TARIFF = Tariff("toy-2018", "toyland", 0.31, "EUR", date(2018, 1, 1), None, "toy", "table 2", "MIT")
CLAIM = Claim("toy-claim", "toy", "table 1", "memory-total", "USD", "cost_to_target", printed=1.0)


a_run = partial(
    make_run,
    origin=Origin.PUBLISHED,
    metrics=(Metric("throughput_images_per_s", 3186.0, "images/s"),),
)
"""A published run that is in order."""


def steps(*starts_and_durations: tuple[float, float]) -> tuple[Step, ...]:
    """Measured steps."""
    return tuple(
        Step(index, Phase.MEASURE, start, duration)
        for index, (start, duration) in enumerate(starts_and_durations)
    )


def test_an_archive_in_order_has_no_findings() -> None:
    """Nothing is said where nothing is wrong."""
    rate = Rate("USD", "EUR", 0.8, date(2018, 2, 23), "toy", "table 1", "MIT")

    assert check(Archive((a_run(),), (CLAIM,), (SOURCE,), prices=(PRICE,), rates=(rate,))) == []


ERROR, WARNING = Severity.ERROR, Severity.WARNING
THROUGHPUT = "throughput_images_per_s"


@pytest.mark.parametrize(
    ("fields", "severity", "words"),
    [
        ({"licence": " "}, ERROR, "licence is empty"),
        ({"credit": ""}, ERROR, "credit is empty"),
        ({"locator": ""}, ERROR, "locator is empty"),
        ({"metrics": ()}, WARNING, "there is no figure"),
        ({"origin": Origin.MEASURED, "source": "measured"}, WARNING, "no environment"),
        ({"wall_time_s": -1.0}, ERROR, "wall_time_s is -1.0"),
        ({"wall_time_s": float("inf")}, ERROR, "wall_time_s is inf"),
        ({"wall_time_s": float("nan")}, ERROR, "wall_time_s is nan"),
        ({"steps": (Step(0, Phase.MEASURE, float("nan"), 1.0),)}, ERROR, "steps: start_s is nan"),
        ({"steps": (Step(0, Phase.MEASURE, 0.0, float("inf")),)}, ERROR, "duration_s is inf"),
        ({"evaluations": (Evaluation("loss", 1.0, epoch=float("inf")),)}, ERROR, "epoch is inf"),
        ({"doubts": (RunWarning("unstable", 0.5, 0.05),)}, WARNING, "step time varies"),
        ({"doubts": (RunWarning("moody"),)}, ERROR, "'moody' is unknown"),
        ({"metrics": (Metric(THROUGHPUT, 0.0, "images/s"),)}, ERROR, "wanted more than 0"),
        ({"metrics": (Metric(THROUGHPUT, 1.0, "samples/s"),)}, ERROR, "wanted 'images/s'"),
        ({"metrics": (Metric("step_time_s", -1.0, "s"),)}, ERROR, "wanted 0 or more"),
        ({"metrics": (Metric("final_accuracy", 76.4),)}, ERROR, "divide a percentage by 100"),
        (
            {"metrics": (Metric("final_accuracy", 0.8), Metric("best_accuracy", 0.7))},
            ERROR,
            "is above best_accuracy",
        ),
        ({"metrics": (Metric("speed", 1.0),)}, WARNING, "not in metrics.METRICS"),
        ({"metrics": (Metric("step_time_s", 1.0, "s", n=0),)}, ERROR, "n is 0"),
        (
            {
                "metrics": (
                    Metric("step_time_s", 3.0, "s", low=1.0, high=2.0, interval=Interval.CI95),
                )
            },
            WARNING,
            "outside its own interval",
        ),
        ({"targets": (Target("top1", 75.7),)}, ERROR, "target top1 is 75.7"),
        ({"steps": (*steps((0, 1)), *steps((1, 1)))}, ERROR, "index 0 follows 0"),
        ({"steps": steps((5, 1), (3, 1))}, ERROR, "start_s 3 follows 5"),
        ({"steps": steps((0, -1))}, ERROR, "duration_s is -1"),
        (
            {"steps": (Step(0, Phase.MEASURE, 0.0, 1.0), Step(1, Phase.WARMUP, 1.0, 1.0))},
            ERROR,
            "phase",
        ),
        ({"steps": steps((0, 6), (6, 6)), "wall_time_s": 10.0}, ERROR, "steps take 12 s together"),
        ({"epochs": (Epoch(0), Epoch(1), Epoch(3))}, WARNING, "3 follows 1"),
        ({"epochs": (Epoch(2),)}, WARNING, "epochs start at 2"),
        ({"epochs": (Epoch(0, duration_s=-1.0),)}, ERROR, "duration_s is -1"),
        (
            {"epochs": (Epoch(0, duration_s=6.0, evaluation_s=6.0),), "wall_time_s": 10.0},
            ERROR,
            "epochs take 12 s",
        ),
        ({"evaluations": (Evaluation("top1", 75.7, epoch=1.0),)}, ERROR, "top1 is 75.7"),
        ({"evaluations": (Evaluation("top1", 0.7, epoch=-1.0),)}, ERROR, "epoch is -1"),
        (
            {"evaluations": (Evaluation("top1", 0.7, epoch=1.0, time_s=1.0, train_time_s=2.0),)},
            ERROR,
            "which includes it",
        ),
        (
            {
                "evaluations": (
                    Evaluation("top1", 0.7, epoch=1.0, time_s=2.0),
                    Evaluation("top1", 0.7, epoch=2.0, time_s=1.0),
                )
            },
            ERROR,
            "time_s 1.0 follows 2.0",
        ),
        ({"telemetry": (Sample(0.0, 0, power_w=-5.0),)}, ERROR, "power_w is -5"),
        ({"telemetry": (Sample(0.0, 0, utilisation=97.0),)}, ERROR, "utilisation is 97"),
        ({"telemetry": (Sample(1.0, 0), Sample(0.0, 0))}, ERROR, "time_s 0.0 follows 1.0"),
        ({"source": "dreams"}, ERROR, "'dreams' is not among the recorded sources"),
    ],
)
def test_what_cannot_be_true_of_a_run_is_found(
    fields: dict[str, Any], severity: Severity, words: str
) -> None:
    """Once, with its severity, naming the run."""
    (finding,) = check(Archive(runs=(a_run(**fields),), sources=(SOURCE,)))

    assert finding.severity is severity
    assert words in finding.text
    assert "run toy-run" in str(finding)


@pytest.mark.parametrize(
    "fields",
    [
        {
            "evaluations": (
                Evaluation("loss", 9.5, epoch=1.0),
                Evaluation("log_perplexity", 2.7, epoch=1.0),
            )
        },
        {"metrics": (Metric("final_loss", 2.0), Metric("best_loss", 1.0))},
        {
            "metrics": (Metric("final_wer", 0.2), Metric("best_wer", 0.1)),
            "targets": (Target("wer", 0.1, Direction.AT_MOST),),
        },
        {
            "metrics": (Metric("throughput_images_per_s", None, "images/s", status=Status.OOM),),
            "status": Status.OOM,
        },
        {"epochs": (Epoch(1), Epoch(2)), "epoch_index_base": 1},
        {"steps": steps((0, 5), (5, 5)), "wall_time_s": 9.0, "clock_resolution_s": 1.0},
        {"telemetry": (Sample(-1.0, 0, temperature_c=-5.0), Sample(-2.0, 1, utilisation=1.0))},
        {
            "evaluations": (
                Evaluation("top1", 0.7, epoch=1.0, time_s=2.0),
                Evaluation("top5", 0.7, epoch=1.0, time_s=1.0),
            )
        },
        {"origin": Origin.MEASURED, "source": "measured", "environment": Environment()},
    ],
)
def test_what_is_in_order_is_not_found(fields: dict[str, Any]) -> None:
    """Losses above 1, out of memory, epochs from 1, whole seconds, readings before the start."""
    assert check(Archive(runs=(a_run(**fields),), sources=(SOURCE,))) == []


def test_two_runs_with_one_seed_count_as_one() -> None:
    """Configuration and all; another seed or system, or no training to a quality, is not."""
    reading = (Evaluation("top1", 0.7, epoch=1.0),)
    runs = (
        a_run("toy-a", seed=1, evaluations=reading),
        a_run("toy-b", seed=1, evaluations=reading),
        a_run("toy-c", seed=2, evaluations=reading),
        a_run("toy-d", seed=1, evaluations=reading, system="other-box"),
        a_run("toy-e", seed=1),
        a_run("toy-f", seed=1),
        a_run("toy-g", seed=1, evaluations=reading, withdrawn="a mistake"),
        a_run("toy-h", seed=1, evaluations=reading, status=Status.KILLED),
    )

    (finding,) = check(Archive(runs=runs, sources=(SOURCE,)))

    assert (finding.severity, finding.place) == (WARNING, "run toy-b")
    assert "same seed (1) and configuration as run toy-a" in finding.text


def test_what_is_measured_again_is_no_second_seed() -> None:
    """Suites name their repetitions; by hand a seed given twice passes for another one."""
    told: dict[str, Any] = {
        "origin": Origin.MEASURED,
        "source": "measured",
        "environment": Environment(),
    }
    told |= {"seed": 0, "repeat_index": 0, "evaluations": (Evaluation("top1", 0.7, epoch=1.0),)}
    quick, other = (
        (Setting("suite", name), Setting("suite_size", "small")) for name in ("quick", "settings")
    )
    runs = (
        a_run("first", settings=quick, **told),
        a_run("again", settings=quick, **told | {"repeat_index": 1}),
        a_run("other", settings=other, **told),
        a_run("by-hand", **told),
        a_run("by-hand-too", **told),
    )

    (finding,) = check(Archive(runs=runs, sources=(SOURCE,)))

    assert finding.place == "run by-hand-too"
    assert "configuration as run by-hand," in finding.text


def test_a_file_in_the_wrong_folder_is_found() -> None:
    """None is passed off as another."""
    runs = (a_run(),)

    (finding,) = check(
        Archive(runs=runs, sources=(SOURCE,), files={"toy-run": Path("measured/a.parquet")})
    )

    assert finding.severity is ERROR
    assert "lies in measured/" in finding.text
    assert (
        check(Archive(runs=runs, sources=(SOURCE,), files={"toy-run": Path("published/a.parquet")}))
        == []
    )


def test_an_unreadable_file_is_an_error() -> None:
    """What the store could not read, the check does not pass."""
    (finding,) = check(Archive(problems=(Problem(Path("runs/a.parquet"), "is empty"),)))

    assert str(finding) == "error: runs/a.parquet: is empty"


@pytest.mark.parametrize(
    ("archive", "words"),
    [
        (Archive(claims=(replace(CLAIM, locator=""),)), "locator is empty"),
        (
            Archive(claims=(replace(CLAIM, printed=None, printed_low=2.0, printed_high=1.0),)),
            "above printed_high",
        ),
        (Archive(claims=(replace(CLAIM, formula="none"),)), "say why"),
        (Archive(claims=(replace(CLAIM, source="dreams"),)), "claim toy-claim: source 'dreams'"),
        (Archive(prices=(replace(PRICE, licence=""),)), "licence is empty"),
        (Archive(prices=(replace(PRICE, accelerators=0),)), "accelerators is 0"),
        (
            Archive(
                prices=(replace(PRICE, valid_from=date(2019, 1, 1), valid_to=date(2018, 1, 1)),)
            ),
            "is after valid_to",
        ),
        (Archive(prices=(replace(PRICE, source="dreams"),)), "price toy-hour: source 'dreams'"),
        (Archive(tariffs=(replace(TARIFF, valid_to=date(2017, 1, 1)),)), "is after valid_to"),
        (Archive(tariffs=(replace(TARIFF, source="dreams"),)), "tariff toy-2018: source 'dreams'"),
        (
            Archive(rates=(Rate("USD", "EUR", 0.0, date(2018, 2, 23), "toy", "table 1", "MIT"),)),
            "rate is 0.0",
        ),
        (
            Archive(reviews=(Review("dreams", "Toy Works", "vendor", "asked", None, None, "end"),)),
            "review by Toy Works: source 'dreams'",
        ),
        (Archive(cells=(make_cell(source="dreams"),)), "table hosts: source 'dreams'"),
    ],
)
def test_what_cannot_be_true_of_the_other_tables_is_found(archive: Archive, words: str) -> None:
    """Claims, prices, rates, reviews and cells have their checks."""
    (finding,) = check(replace(archive, sources=(SOURCE,)))

    assert finding.severity is ERROR
    assert words in str(finding)


def test_only_own_runs_are_their_own_source() -> None:
    """`measured` is no source of a price or of another's run."""
    [finding] = check(Archive(prices=(replace(PRICE, source="measured"),)))
    assert finding.place == "price toy-hour" and "'measured' is not among" in finding.text

    [finding] = check(Archive(runs=(a_run(source="measured"),)))
    assert finding.place == "run toy-run"


@pytest.mark.parametrize(
    ("table", "column", "unit", "wanted"),
    [
        ("power", "specified", "USD", "'USD', wanted W"),
        ("monitoring", "load-low", "W", "wanted 1"),
        ("readings", "A", "parsec", "units.UNITS"),
        ("readings", "A", None, "without a unit"),
    ],
)
def test_a_cell_has_the_unit_that_is_computed_with(
    table: str, column: str, unit: str | None, wanted: str
) -> None:
    """Energies follow from power, shares from loads: another unit is named with its place."""
    cell = make_cell(table, row="A row", column=column, value=1.0, unit=unit, decimals=0)

    [finding] = check(Archive(sources=(SOURCE,), cells=(cell,)))
    assert (
        finding.place == f"table {table}" and "'A row'" in finding.text and wanted in finding.text
    )
