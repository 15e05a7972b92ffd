"""Flat tables for downloads."""

import io
from datetime import UTC, date, datetime
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it ships without type hints
import pytest

from kernels import store
from kernels.records import (
    Claim,
    Environment,
    Evaluation,
    Metric,
    Origin,
    Precision,
    Rate,
    RunWarning,
    Software,
    Status,
    Target,
    Tariff,
)
from kernels.store import frames
from tests.makers import make_run, make_source

SOURCE = make_source(licence="CC-BY-4.0", published=date(2018, 2, 23))
RUNS = (
    make_run(
        "toy-a",
        origin=Origin.PUBLISHED,
        precision=Precision.BF16,
        accelerators=4,
        global_batch_size=1024,
        started_at=datetime(2018, 2, 23, 1, 2, 3, 4, tzinfo=UTC),
        metrics=(
            Metric("throughput_images_per_s", 3186.0, "images/s"),
            Metric("epochs_to_target", 64.0, "epochs", target=Target("top1", 0.757)),
        ),
        evaluations=(Evaluation("top1", 0.5, epoch=1.0, locator="line 7"),),
        software=(Software("CUDA", "9.0"), Software("cuDNN", None)),
        caveats=("one-run", "old"),
        doubts=(RunWarning("unstable", 0.1, 0.05),),
        environment=Environment(os="Linux"),
    ),
    make_run(
        "toy-b",
        origin=Origin.PUBLISHED,
        locator="table 2",
        licence="CC-BY-4.0",
        credit="Others",
        status=Status.OOM,
    ),
)


def test_runs_are_one_row_each_with_their_own_terms() -> None:
    """Licence and credit stand in every row, because rows travel alone."""
    frame = frames.runs_frame(RUNS)

    assert list(frame["run_id"]) == ["toy-a", "toy-b"]
    assert list(frame["licence"]) == ["MIT", "CC-BY-4.0"]
    assert list(frame["credit"]) == ["Toy Works", "Others"]


def test_a_whole_number_stays_whole_where_another_row_has_none() -> None:
    """1024 does not become 1024.0, and a missing one is empty, not 0."""
    text = frames.runs_frame(RUNS)[
        ["run_id", "global_batch_size", "batch_size_per_accelerator"]
    ].to_csv(index=False, lineterminator="\n")

    assert text == "run_id,global_batch_size,batch_size_per_accelerator\ntoy-a,1024,256\ntoy-b,,\n"


def test_short_lists_are_text_and_the_environment_is_spread() -> None:
    """One cell holds what a reader wants in one cell."""
    row = frames.runs_frame(RUNS).iloc[0]

    assert row["software"] == "CUDA=9.0; cuDNN"
    assert row["caveats"] == "one-run; old"
    assert row["doubts"] == "unstable=0.1"
    assert row["environment_os"] == "Linux"
    assert row["precision"] == "bf16"


def test_a_figure_has_a_row_with_run_target_and_terms() -> None:
    """Metrics of all runs, one a row."""
    frame = frames.nested_frame(RUNS, "metrics")

    assert list(frame["key"]) == ["throughput_images_per_s", "epochs_to_target@0.757"]
    assert list(
        frame["target_value"].astype(object).where(frame["target_value"].notna(), None)
    ) == [None, 0.757]
    assert list(frame["licence"]) == ["MIT", "MIT"]


def test_an_evaluation_has_a_row() -> None:
    """Its own locator stands there, and the run's name."""
    frame = frames.nested_frame(RUNS, "evaluations")

    assert frame[["run_id", "metric", "value", "epoch", "locator"]].to_numpy().tolist() == [
        ["toy-a", "top1", 0.5, 1.0, "line 7"]
    ]


@pytest.mark.parametrize(
    "name", ["steps", "epochs", "telemetry", "targets", "software", "settings", "doubts"]
)
def test_a_table_without_rows_has_its_columns(name: frames.Nested) -> None:
    """An empty download still says what it would hold."""
    frame = frames.nested_frame((), name)

    assert len(frame) == 0
    assert {"run_id", "licence", "credit"} <= set(frame.columns)


def test_a_claim_goes_under_the_terms_of_its_source() -> None:
    """The record has none of its own."""
    claim = Claim(
        "toy-claim", "toy", "table 1", "cost", "USD", "none", printed=1.0, reason="a picture"
    )
    frame = frames.records_frame(Claim, [claim], [SOURCE])

    assert frame[["printed", "licence", "credit"]].to_numpy().tolist()[0] == [
        1.0,
        "CC-BY-4.0",
        "Toy Works",
    ]


def test_a_rate_keeps_its_licence_and_takes_the_credit() -> None:
    """What the record says goes before its source."""
    frame = frames.records_frame(
        Rate, [Rate("USD", "EUR", 0.8, date(2018, 2, 23), "toy", "table 1", "MIT")], [SOURCE]
    )

    assert frame[["licence", "credit"]].to_numpy().tolist()[0] == ["MIT", "Toy Works"]
    assert "2018-02-23" in frame.to_csv()
    tariff = Tariff(
        "toy-2018", "toyland", 0.31, "EUR", date(2018, 1, 1), None, "toy", "table 2", "MIT"
    )
    assert frames.records_frame(Tariff, [tariff], [SOURCE])[
        ["amount", "credit"]
    ].to_numpy().tolist() == [[0.31, "Toy Works"]]


def test_the_same_frame_makes_the_same_bytes_with_its_licence() -> None:
    """Any reader of Parquet gets the values and the metadata."""
    frame = frames.runs_frame(RUNS)
    content = frames.frame_bytes(frame, "runs", {"licence": "MIT", "date": "2026-11-20"})

    assert content == frames.frame_bytes(
        frames.runs_frame(RUNS), "runs", {"date": "2026-11-20", "licence": "MIT"}
    )
    labels = pq.read_metadata(io.BytesIO(content)).metadata
    assert labels[b"touchstone.download"] == b"runs"
    assert labels[b"touchstone.download.licence"] == b"MIT"
    found = pd.read_parquet(io.BytesIO(content))
    assert list(found.columns) == list(frame.columns)
    assert found["started_at"][0] == pd.Timestamp("2018-02-23T01:02:03.000004Z")


def test_parts_join_into_the_file_of_the_whole() -> None:
    """Bit by bit, an empty part included."""
    parts = [
        frames.frame_bytes(frames.runs_frame(own), "part", {}) for own in (RUNS[:1], (), RUNS[1:])
    ]

    whole = frames.frame_bytes(frames.runs_frame(RUNS), "runs", {"licence": "MIT"})
    assert frames.joined_bytes(parts, "runs", {"licence": "MIT"}) == whole


def test_a_download_is_not_taken_for_a_recorded_table(tmp_path: Path) -> None:
    """A file copied from the site into `runs/` is named as foreign."""
    (tmp_path / "runs.parquet").write_bytes(frames.frame_bytes(frames.runs_frame(RUNS), "runs", {}))

    archive = store.read(tmp_path)

    assert archive.runs == ()
    assert ["not recorded by Touchstone" in problem.reason for problem in archive.problems] == [
        True
    ]
