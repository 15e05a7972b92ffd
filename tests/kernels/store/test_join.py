"""Recordings and the runs they watched: joined when read, never written into its file."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kernels import store
from kernels.checks.records import check
from kernels.errors import RecordError
from kernels.records import Metric, Recording, RunWarning, Sample, SourceKind
from kernels.store import frames
from kernels.store.join import without
from tests.makers import make_run, make_source

STARTED = datetime(2026, 3, 1, 12, tzinfo=UTC)
ENERGY = Metric("monitored_energy_j", 300.0, "J")
SOURCE = make_source(
    "logs", kind=SourceKind.LOGS, title="Logs", licence="CC-BY-4.0", credit="Log Works"
)
RUN = make_run(started_at=STARTED, wall_time_s=10.0, metrics=(Metric("train_time_s", 9.0, "s"),))
LOG = Recording(
    "toy-run", "logs", "file 'gpu.csv'", "CC-BY-4.0", "Log Works", started_at=STARTED - timedelta(seconds=2.0),
    samples=(Sample(0.0, 0, power_w=100.0), Sample(3.0, 0, power_w=100.0)), metrics=(ENERGY,), doubts=(RunWarning("monitoring_gaps", 0.1, 0.0),),
)  # fmt: skip


def archive(folder: Path, *logs: Recording, **fields: Any) -> store.Archive:
    """A run with these fields and these recordings, read back."""
    store.write(folder / "measured" / "toy-run.parquet", [replace(RUN, **fields)])
    store.write(folder / "imported" / "logs-sources.parquet", [SOURCE])
    for number, log in enumerate(logs):
        store.write(folder / "imported" / f"{number}-recordings.parquet", [log])
    return store.read(folder)


def test_a_recording_is_part_of_its_run(tmp_path: Path) -> None:
    """Readings on the run's clock, figures with place, doubts; its own file stays as it was."""
    found = archive(tmp_path, LOG)

    [run] = found.runs
    assert [sample.time_s for sample in run.telemetry] == [-2.0, 1.0]
    assert run.metrics == (*RUN.metrics, replace(ENERGY, locator="file 'gpu.csv'"))
    assert [doubt.code for doubt in run.doubts] == ["monitoring_gaps"]
    assert store.read_file(tmp_path / "measured" / "toy-run.parquet") == (RUN,)
    assert (found.recordings, found.problems) == ((LOG,), ())
    assert not [finding for finding in check(found) if finding.severity == "error"]


def test_an_offset_counts_before_the_clocks(tmp_path: Path) -> None:
    """Who gives one knows better than two clocks."""
    [run] = archive(tmp_path, replace(LOG, offset_s=0.5)).runs

    assert [sample.time_s for sample in run.telemetry] == [0.5, 3.5]


@pytest.mark.parametrize(
    ("log", "fields", "words"),
    [
        ({"run_id": "no-such-run"}, {}, "records run 'no-such-run', which is not here"),
        ({}, {"telemetry": (Sample(0.0, 0),)}, "has telemetry of its own"),
        ({}, {"started_at": None}, "import the log again with --offset SECONDS"),
        (
            {"started_at": STARTED + timedelta(hours=1)},
            {},
            "lies outside it, from 3600 to 3603 s of a run that took 10 s",
        ),
        ({"started_at": STARTED - timedelta(hours=1)}, {}, "lies outside it"),
        ({"metrics": (Metric("train_time_s", 1.0, "s"),)}, {}, "has train_time_s already"),
    ],
)
def test_a_recording_that_cannot_be_joined_is_a_problem(
    log: Mapping[str, Any], fields: Mapping[str, Any], words: str, tmp_path: Path
) -> None:
    """The run is read as it is, and the recording's file is named."""
    found = archive(tmp_path, replace(LOG, **log), **fields)

    [problem] = found.problems
    assert words in problem.reason
    assert problem.path.name == "0-recordings.parquet"
    assert (found.runs, found.recordings) == ((replace(RUN, **fields),), ())


def test_two_logs_of_a_run_are_one_too_many(tmp_path: Path) -> None:
    """The first by path counts, as with any record."""
    found = archive(tmp_path, LOG, LOG)

    assert len(found.recordings) == len(found.problems) == 1
    assert "toy-run" in found.problems[0].reason


def test_a_run_without_its_recording_is_as_it_was(tmp_path: Path) -> None:
    """A log that may not be shown leaves no reading, no figure and no doubt behind."""
    found = archive(tmp_path, LOG)

    assert without(found.runs, found.recordings) == [RUN]
    assert without(found.runs, []) == list(found.runs)


def test_a_recording_says_where_in_the_run_it_lies() -> None:
    """By its clock or by an offset; a time without a zone is refused."""
    with pytest.raises(RecordError, match="neither offset_s nor started_at"):
        replace(LOG, started_at=None)
    with pytest.raises(RecordError, match="has no time zone"):
        replace(LOG, started_at=datetime(2026, 3, 1))
    with pytest.raises(RecordError, match="offset_s is inf"):
        replace(LOG, offset_s=float("inf"))


def test_downloads_give_readings_under_the_terms_of_their_log(tmp_path: Path) -> None:
    """Licence and credit of the log stand beside what it gave, those of the run beside the rest."""
    found = archive(tmp_path, LOG)

    telemetry = frames.nested_frame(found.runs, "telemetry", found.recordings)
    metrics = frames.nested_frame(found.runs, "metrics", found.recordings)

    assert set(telemetry["licence"]) == {"CC-BY-4.0"}
    assert list(zip(metrics["name"], metrics["licence"], strict=True)) == [
        ("train_time_s", "MIT"),
        ("monitored_energy_j", "CC-BY-4.0"),
    ]
