"""MLPerf logs of every dialect: their curve, their targets, their end, and nobody's name."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.errors import SourceError
from kernels.importers import mlperf
from kernels.importers.mlperf_facts import Facts, facts_of
from kernels.importers.mlperf_log import parse
from kernels.records import Certainty, ClockScope, Direction, Run, Status
from kernels.scores import scores
from kernels.store import read_file, write

TPU_V2 = "training_results_v0.5/v0.5.0/google/cloud_v2.8/resnet-tpuv2-8/results/tpu/resnet"
DGX_1 = "training_results_v0.5/v0.5.0/nvidia/submission/results/dgx1_ngc18.11_mxnet/resnet"
EIGHT_V100 = "training_results_v0.5/v0.5.0/google/cloud_v100x8/results/8xV100/resnet"

V05 = b"""noise before
:::MLPv0.5.0 resnet 100.5 (a.py:1) run_clear_caches
:::MLPv0.5.0 resnet 200.25 (a.py:2) run_start
:::MLPv0.5.0 resnet 201.25 (a.py:3) run_set_random_seed: 7
:::MLPv0.5.0 resnet 202.25 (a.py:4) train_epoch: 0
:::MLPv0.5.0 resnet 260.25 (a.py:5) eval_start
:::MLPv0.5.0 resnet 270.25 (a.py:6) eval_accuracy: {"epoch": 0, "value": 0.5}
:::MLPv0.5.0 resnet 271.25 (a.py:6) train_epoch: 1
:::MLPv0.5.0 resnet 350.25 (a.py:7) eval_accuracy: {"epoch": 1, "value": 0.75}
:::MLPv0.5.0 resnet 351.25 (a.py:8) run_stop: {"success": "true"}
"""

V06 = b"""0: :::MLL 0.0 submission_benchmark: {"value": "mask", "metadata": {"lineno": 0}}
:::MLL 10.5 run_start: {"value": null, "metadata": {}}
 50%|#####   | 1/2\r1: :::MLL 11.0 epoch_start: {"value": null, "metadata": {"epoch_num": 1}} trailing
:::MLL 60.0 eval_accuracy: {"value": {"accuracy": {"BBOX": 0.38, "SEGM": 0.33}}, "metadata": {"epoch_num": 1}}
:::MLL 90.0 eval_accuracy: {"value": [0.38, 0.34], "metadata": {"epoch_num": 2}}
:::MLL 91.0 run_stop: {"value": null, "metadata": {"status": "success"}}
"""

V07 = b"""\xff\xfe:::MLLOG {"time_ms": 0, "key": "submission_benchmark", "value": "llama2_70b_lora", "metadata": {}}
:::MLLOG {"key": "seed", "value": 12, "time_ms": 900, "metadata": {}}
:::MLLOG {"time_ms": 1000, "key": "run_start", "value": null}
:::MLLOG {"time_ms": 9000, "key": "run_stop", "value": null, "metadata": {"status": "success"}}
:::MLLOG {"time_ms": 8000, "key": "eval_accuracy", "value": 0.92, "metadata": {"samples_count": 384}}
:::MLLOG {"time_ms": 5000, "key": "eval_accuracy", "value": 0.94, "metadata": {"samples_count": 192}}
"""


def a_run(text: bytes, **facts: object) -> Run:
    """The run of a log's text."""
    return mlperf.run_of(parse(text.splitlines(keepends=True)), Facts(path="result_0.txt", index=0, **facts))  # type: ignore[arg-type]  # tests name the fields


def value(run: Run, key: str) -> float | None:
    """A metric's value."""
    metric = run.metric(key)
    assert metric is not None, key
    return metric.value


def test_v05_counts_from_zero_and_records_epochs_finished() -> None:
    """Epoch 1 of a log that begins with 0 is the second one done; the log's own number stays beside it."""
    run = a_run(V05)

    assert [(each.epoch, each.epoch_as_logged) for each in run.evaluations] == [(1.0, 0.0), (2.0, 1.0)]
    assert (run.status, run.wall_time_s, run.seed, run.epoch_index_base) == (Status.OK, 151.0, 7, 0)
    assert [(each.time_s, each.train_time_s) for each in run.evaluations] == [(70.0, 60.0), (150.0, 140.0)]


def test_v06_has_two_targets_in_two_shapes() -> None:
    """Boxes and masks as a dictionary and as a list, behind a rank, a progress bar and a carriage return."""
    run = a_run(V06, round="v0.6")

    assert value(run, "epochs_to_target@0.377") == 1
    assert value(run, "epochs_to_target@0.339") == 2
    assert {target.certainty for target in run.targets} == {Certainty.RECONSTRUCTED}
    assert run.workload == "mask-rcnn-coco"


def test_v07_events_out_of_order_and_a_loss() -> None:
    """Less is better, samples are the axis, the header's time of 0 is none."""
    run = a_run(V07, round="v5.1")

    assert [each.samples for each in run.evaluations] == [192, 384]
    assert value(run, "samples_to_target@0.925") == 384
    assert value(run, "best_loss") == 0.92
    assert (run.targets[0].direction, run.wall_time_s, run.seed) == (Direction.AT_MOST, 8.0, 12)


def test_time_in_seconds_is_the_fourth_dialect() -> None:
    """`time_s` where others write `time_ms`."""
    text = V07.replace(b'"time_ms": 1000', b'"time_s": 1.000').replace(b'"time_ms": 9000', b'"time_s": 9.000')

    assert a_run(text, round="v5.1").wall_time_s == 8.0


def test_an_unknown_round_leaves_the_target_unknown() -> None:
    """ResNet's target changed between rounds, so a log that names neither has none."""
    text = V07.replace(b"llama2_70b_lora", b"resnet")

    assert a_run(text).targets == ()
    assert a_run(text, round="v0.7").targets[0].value == 0.759


def test_without_a_word_on_success_the_target_decides() -> None:
    """NVIDIA's MXNet logs of v0.5 end in a bare run_stop."""
    bare = V05.replace(b'run_stop: {"success": "true"}', b"run_stop")

    assert a_run(bare).status is Status.OK
    assert a_run(bare.replace(b"0.75}", b"0.74}")).status is Status.NOT_CONVERGED


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (b"MLPerf: resnet [06/13/19 00:30:56], run_start\n", "not a compliance log"),
        (b"nothing at all\n", "not an MLPerf result log"),
        (b"", "not an MLPerf result log"),
        (V05.replace(b"run_start", b"run_nothing"), "no run_start"),
        (V05 + V05.replace(b"200.25", b"900.25"), "several runs in one file"),
        (V05 + V06, "several dialects"),
    ],
)
def test_what_is_no_log_of_one_run_is_refused(text: bytes, wanted: str) -> None:
    """By name, with what was found."""
    with pytest.raises(SourceError, match=wanted):
        a_run(text)


@pytest.mark.parametrize("text", [V05, V06, V07])
def test_a_log_cut_at_any_byte_is_unfinished_or_refused(text: bytes) -> None:
    """Never a finished run, and never another error."""
    end = text.index(b"run_stop")
    for length in range(end):
        try:
            run = a_run(text[:length], round="v0.6")
        except SourceError:
            continue
        assert run.status is Status.UNFINISHED
        assert run.wall_time_s is None


@settings(deadline=None)
@given(st.binary())
def test_no_bytes_crash_the_reader(noise: bytes) -> None:
    """A refusal at worst."""
    for text in (noise, b":::MLLOG " + noise, V05 + noise, V07 + b":::MLLOG " + noise, b":::MLL 1.0 run_start: " + noise):
        try:
            a_run(text)
        except SourceError as error:
            assert str(error)


words = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["epoch", "value", "accuracy", "BBOX", "success", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
MARKS = [f"{unit}_{end}" for unit in ("run", "eval", "epoch", "block") for end in ("start", "stop")]
KEYS = [
    *MARKS,
    "eval_accuracy",
    "train_epoch",
    "seed",
    "global_batch_size",
    "input_batch_size",
    "eval_target",
    "opt_learning_rate",
    "train_samples",
]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(KEYS), words, words, words), max_size=12))
def test_no_values_crash_the_reader(events: list[tuple[str, object, object, object]]) -> None:
    """Whatever JSON stands where a number should."""
    lines = [b':::MLLOG {"time_ms": 5, "key": "run_start", "value": null}']
    for key, found, epoch, time in events:
        text = json.dumps(
            {
                "time_ms": time,
                "key": key,
                "value": found,
                "metadata": {"epoch_num": epoch, "first_epoch_num": epoch, "epoch_count": found, "status": found},
            }
        )
        lines.append(b":::MLLOG " + text.encode())
    try:
        run = a_run(b"\n".join(lines))
    except SourceError:
        return
    assert run.status in set(Status)


def test_the_tpu_v2_curve_behind_the_first_article(external: Path) -> None:
    """62 epochs to 74.9 % on four chips; the mean of the middle three of five runs is 301.58 minutes."""
    folder = external / "mlperf-training" / TPU_V2
    runs = [mlperf.read_log(path).runs[0] for path in sorted(folder.glob("result_*.txt"))]

    first = runs[0]
    assert value(first, "epochs_to_target@0.749") == 62
    assert (first.evaluations[-1].epoch, first.evaluations[-1].epoch_as_logged) == (62, 61)
    assert (first.accelerators, first.accelerator, first.system) == (4, "tpu-v2", "cloud-tpu-v2-8")
    assert (first.global_batch_size, first.round, first.division, first.clock_scope) == (1024, "v0.5", "closed", ClockScope.END_TO_END)
    (score,) = scores(runs)
    assert score.score_minutes == pytest.approx(301.58, abs=0.005)


@pytest.mark.parametrize(
    ("folder", "minutes", "wanted"),
    [
        (DGX_1, 134.56, {"accelerators": 8, "global_batch_size": 1664, "framework": "mxnet", "seed": 14209}),
        (
            EIGHT_V100,
            137.80,
            {"accelerators": 8, "global_batch_size": 2048, "framework": "tensorflow", "framework_version": "1.12.0", "seed": None},
        ),
        ("training_results_v0.6/NVIDIA/results/dgx1_ngc19.05_mxnet/resnet", 115.22, {"accelerators": 8, "round": "v0.6", "seed": None}),
        ("training_results_v0.7/DellEMC/results/C4140/resnet", 154.04, {"accelerators": 4, "submitter": "Dell EMC", "seed": 12260}),
        ("training_results_v1.0/Google/results/tpu-v4-128-TF/maskrcnn", 15.23, {"accelerators": 64, "nodes": 16}),
        (
            "training_results_v5.1/AMD/results/MI300X_EPYC_9575F_pytorch_llama2_70b/llama2_70b_lora",
            27.97,
            {"accelerators": 8, "seed": 17367},
        ),
    ],
)
def test_rounds_and_submitters(external: Path, folder: str, minutes: float, wanted: dict[str, object]) -> None:
    """Scores recomputed by hand from run_start and run_stop, and the facts beside the logs."""
    runs = [mlperf.read_log(path).runs[0] for path in sorted((external / "mlperf-training" / folder).glob("result_*.txt"))]

    first = min(runs, key=lambda run: run.repeat_index or 0)
    assert {name: getattr(first, name) for name in wanted} == wanted
    (score,) = scores(runs)
    assert score.score_minutes == pytest.approx(minutes, abs=0.005)


def test_every_real_log_is_read_and_stored(external: Path, tmp_path: Path) -> None:
    """All of them, with ids of their own, and they come back from Parquet as they went in."""
    found = [mlperf.read_log(path) for path in sorted((external / "mlperf-training").rglob("result_*.txt"))]
    runs = tuple(run for each in found for run in each.runs)

    assert len(runs) > 300
    assert len({run.run_id for run in runs}) == len(runs)
    write(tmp_path / "runs.parquet", runs)
    assert read_file(tmp_path / "runs.parquet") == runs


def test_a_real_log_cut_at_any_line_is_unfinished_or_refused(external: Path) -> None:
    """Never a wrong score."""
    for folder in (TPU_V2, "training_results_v1.0/Google/results/tpu-v4-128-TF/resnet"):
        path = external / "mlperf-training" / folder / "result_1.txt"
        lines = path.read_bytes().splitlines(keepends=True)
        stop = max(number for number, line in enumerate(lines) if b"run_stop" in line)
        for cut in range(0, stop, 7):
            try:
                run = mlperf.run_of(parse(lines[:cut]), facts_of(path))
            except SourceError:
                continue
            assert run.status is Status.UNFINISHED


def test_no_person_is_named(external: Path) -> None:
    """NVIDIA's v0.6 files hold a contact's name and address; neither is in the run or its source."""
    found = mlperf.read_log(external / "mlperf-training/training_results_v0.6/NVIDIA/results/dgx1_ngc19.05_mxnet/resnet/result_0.txt")

    text = str(found)
    assert "@example" not in text and "Paulius" not in text and "poc_" not in text
    assert "computed from the log, unverified" in found.runs[0].credit


def test_a_log_without_a_repository_around_it_is_read(tmp_path: Path) -> None:
    """Submitter and system are unknown then, and the importer says so."""
    path = tmp_path / "log.txt"
    path.write_bytes(V05)

    found = mlperf.read_log(path)

    assert found.runs[0].status is Status.OK
    assert any("submitter and system unknown" in doubt for doubt in found.doubts)
