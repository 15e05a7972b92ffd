"""MLPerf logs of every dialect: their curve, their targets, their end, and nobody's name."""

import os
import re
from pathlib import Path

import pytest

from kernels.analysis.mlperf_scores import START_MOVED, scores
from kernels.checks.records import about
from kernels.errors import Severity, SourceError
from kernels.importers import mlperf
from kernels.importers.base import Imported
from kernels.importers.mlperf.log import parse
from kernels.importers.mlperf.run import run_of
from kernels.importers.mlperf.system import SubmissionFacts, facts_of
from kernels.records import Certainty, ClockScope, Direction, Run, Status
from kernels.store import read_file, write
from tests.kernels.importers.mlperf_logs import FACTS, line, log, submission
from tests.makers import value

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


def a_run(text: bytes | str, **facts: object) -> Run:
    """The run of a log's text."""
    content = text.encode() if isinstance(text, str) else text
    return run_of(
        parse(content.splitlines(keepends=True)),
        SubmissionFacts(path="result_0.txt", index=0, **facts),  # type: ignore[arg-type]  # tests name the fields
    )


def test_v05_counts_from_zero_and_records_epochs_finished() -> None:
    """Epoch 1 of a log from 0 is the second one done; the log's number stays beside it."""
    run = a_run(V05)

    assert [(each.epoch, each.epoch_as_logged) for each in run.evaluations] == [
        (1.0, 0.0),
        (2.0, 1.0),
    ]
    assert (run.status, run.wall_time_s, run.seed, run.epoch_index_base) == (Status.OK, 151.0, 7, 0)
    assert [(each.time_s, each.train_time_s) for each in run.evaluations] == [
        (70.0, 60.0),
        (150.0, 140.0),
    ]


def test_v06_has_two_targets_in_two_shapes() -> None:
    """Boxes and masks as dictionary and list, behind a rank and a progress bar."""
    run = a_run(V06, round="v0.6")

    assert value(run, "epochs_to_target@0.377") == 1
    assert value(run, "epochs_to_target@0.339") == 2
    assert {target.certainty for target in run.targets} == {Certainty.RECONSTRUCTED}
    assert run.workload == "mask-rcnn-coco"


LAGGING = b"""
:::MLL 10.0 run_start: {"value": null, "metadata": {}}
:::MLL 11.0 block_start: {"value": null, "metadata": {"first_epoch_num": 1, "epoch_count": 1}}
:::MLL 20.0 eval_start: {"value": null, "metadata": {"epoch_num": 1}}
:::MLL 21.0 eval_accuracy: {"value": 18.0, "metadata": {"epoch_num": 1}}
:::MLL 30.0 eval_start: {"value": null, "metadata": {"epoch_num": 2}}
:::MLL 31.0 eval_accuracy: {"value": 23.0, "metadata": {"epoch_num": 1}}
:::MLL 40.0 eval_start: {"value": null, "metadata": {"epoch_num": 3}}
:::MLL 41.0 eval_accuracy: {"value": 25.5, "metadata": {"epoch_num": 2}}
:::MLL 42.0 run_stop: {"value": null, "metadata": {"status": "success"}}
"""


def test_a_number_that_lags_gives_way_to_that_of_the_start() -> None:
    """Numbered 1, 1, 2, started as 1, 2, 3: after 1, 2, 3 epochs; the numbers stay beside."""
    run = a_run(LAGGING, round="v0.6", benchmark="transformer")

    assert [(each.epoch, each.epoch_as_logged) for each in run.evaluations] == [
        (1.0, 1.0),
        (2.0, 1.0),
        (3.0, 2.0),
    ]
    assert value(run, "epochs_to_target@0.25") == 3


def test_repeated_numbers_without_other_ones_stay() -> None:
    """Where the starts repeat the number too, nothing tells better."""
    run = a_run(
        LAGGING.replace(b'"epoch_num": 3', b'"epoch_num": 2'), round="v0.6", benchmark="transformer"
    )

    assert [each.epoch for each in run.evaluations] == [1.0, 1.0, 2.0]


PARTS = b"""
:::MLL 10.0 run_start: {"value": null, "metadata": {}}
:::MLL 10.1 global_batch_size: {"value": 512, "metadata": {}}
:::MLL 10.2 seed: {"value": 1621233964.5, "metadata": {}}
:::MLL 11.0 block_start: {"value": null, "metadata": {"first_epoch_num": 1, "epoch_count": 32.75}}
:::MLL 21.0 eval_accuracy: {"value": 0.16, "metadata": {"epoch_num": 33}}
:::MLL 22.0 block_start: {"value": null, "metadata": {"first_epoch_num": 33, "epoch_count": 10.5}}
:::MLL 31.0 eval_accuracy: {"value": 0.24, "metadata": {"epoch_num": 44}}
:::MLL 42.0 run_stop: {"value": null, "metadata": {"status": "success"}}
"""


def test_parts_of_epochs_add_up() -> None:
    """Trained 32.75 and 10.5 epochs, evaluations 33 and 44 are after 32.75 and 43.25."""
    run = a_run(PARTS, round="v0.6", benchmark="ssd")

    assert [(each.epoch, each.epoch_as_logged) for each in run.evaluations] == [
        (32.75, 33.0),
        (43.25, 44.0),
    ]
    assert value(run, "epochs_to_target@0.23") == 43.25


def test_what_is_no_seed_and_no_batch_is_a_setting() -> None:
    """A seed that is a time, and a batch that logs of the Transformer count in sentences or tokens
    and do not say which.
    """
    run = a_run(PARTS, round="v0.6", benchmark="transformer")

    assert (run.seed, run.global_batch_size) == (None, None)
    settings = {each.name: each.value for each in run.settings}
    assert (settings["seed"], settings["input_batch_size"]) == ("1621233964.5", "512")


def test_v07_events_out_of_order_and_a_loss() -> None:
    """Less is better, samples are the axis, the header's time of 0 is none."""
    run = a_run(V07, round="v5.1")

    assert [each.samples for each in run.evaluations] == [192, 384]
    assert value(run, "samples_to_target@0.925") == 384
    assert value(run, "best_loss") == 0.92
    assert (run.targets[0].direction, run.wall_time_s, run.seed) == (Direction.AT_MOST, 8.0, 12)


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
        (
            b"MLPerf: resnet [06/13/19 00:30:56], run_start\n",
            "its lines are of the form 'MLPerf: <",
        ),
        (b":::MLLOGGER {}\n:::MLPv0.5.01 x\n", "no line has"),
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


@pytest.mark.parametrize(
    ("folder", "minutes", "wanted"),
    [
        (
            TPU_V2,
            301.58,
            {
                "accelerators": 4,
                "accelerator": "tpu-v2",
                "system": "cloud-tpu-v2-8",
                "global_batch_size": 1024,
                "round": "v0.5",
                "division": "closed",
                "clock_scope": ClockScope.END_TO_END,
            },
        ),
        (
            DGX_1,
            134.56,
            {"accelerators": 8, "global_batch_size": 1664, "framework": "mxnet", "seed": 14209},
        ),
        (
            EIGHT_V100,
            137.80,
            {
                "accelerators": 8,
                "global_batch_size": 2048,
                "framework": "tensorflow",
                "framework_version": "1.12.0",
                "seed": None,
            },
        ),
        (
            "training_results_v0.6/NVIDIA/results/dgx1_ngc19.05_mxnet/resnet",
            115.22,
            {"accelerators": 8, "round": "v0.6", "seed": None},
        ),
        (
            "training_results_v0.7/DellEMC/results/C4140/resnet",
            154.04,
            {"accelerators": 4, "submitter": "Dell EMC", "seed": 12260},
        ),
        (
            "training_results_v1.0/Google/results/tpu-v4-128-TF/maskrcnn",
            15.23,
            {"accelerators": 64, "nodes": 16},
        ),
        (
            "training_results_v5.1/AMD/results/MI300X_EPYC_9575F_pytorch_llama2_70b/llama2_70b_lora",
            27.97,
            {"accelerators": 8, "seed": 17367},
        ),
    ],
)
def test_rounds_and_submitters(
    external: Path, folder: str, minutes: float, wanted: dict[str, object]
) -> None:
    """Scores recomputed by hand from run_start and run_stop, and the facts beside the logs."""
    runs = [
        mlperf.read_log(path).runs[0]
        for path in sorted((external / "mlperf-training" / folder).glob("result_*.txt"))
    ]

    first = min(runs, key=lambda run: run.repeat_index or 0)
    assert {name: getattr(first, name) for name in wanted} == wanted
    (score,) = scores(runs)
    assert score.score_minutes == pytest.approx(minutes, abs=0.005)
    if folder == TPU_V2:
        assert value(first, "epochs_to_target@0.749") == 62
        assert (first.evaluations[-1].epoch, first.evaluations[-1].epoch_as_logged) == (62, 61)


def test_every_real_log_is_read_and_stored(external: Path, tmp_path: Path) -> None:
    """All of them, with ids of their own, and they come back from Parquet as they went in."""
    found = [
        mlperf.read_log(path)
        for path in sorted((external / "mlperf-training").rglob("result_*.txt"))
    ]
    runs = tuple(run for each in found for run in each.runs)

    assert len(runs) > 300
    assert len({run.run_id for run in runs}) == len(runs)
    write(tmp_path / "runs.parquet", runs)
    assert read_file(tmp_path / "runs.parquet") == runs


CUT = [
    f"{TPU_V2}/result_1.txt",
    f"{DGX_1}/result_1.txt",
    "training_results_v0.6/Google/results/tpu-v3-32/mask/result_1.txt",
    "training_results_v0.7/DellEMC/results/C4140/resnet/result_1.txt",
    "training_results_v5.0/tinycorp/results/tinybox_green/bert/result_1.txt",
    "training_results_v5.1/AMD/results/MI300X_EPYC_9575F_pytorch_llama2_70b/llama2_70b_lora/result_1.txt",
]


@pytest.mark.parametrize("path", CUT)
def test_a_real_log_cut_at_any_line_is_unfinished_or_refused(external: Path, path: str) -> None:
    """Every thirteenth line, and each of the last twenty: never a run that seems to have ended."""
    log_ = external / "mlperf-training" / path
    facts, lines = facts_of(log_), log_.read_bytes().splitlines(keepends=True)
    stop = max(number for number, text in enumerate(lines) if b"run_stop" in text)
    for cut in {*range(0, stop, 13), *range(max(stop - 20, 0), stop + 1)}:
        try:
            run = run_of(parse(lines[:cut]), facts)
        except SourceError as error:
            assert "no run_start" in str(error) or "not an MLPerf result log" in str(error)
            continue
        assert (run.status, run.wall_time_s) == (Status.UNFINISHED, None)
    assert run_of(parse(lines[: stop + 1]), facts).status is Status.OK


def imported(root: Path) -> Imported:
    """What the one folder of logs below a folder holds."""
    [part] = mlperf.parts(root, {})
    return mlperf.read(part)


def test_a_submission_with_a_log_cut_at_any_line_has_no_wrong_score(tmp_path: Path) -> None:
    """Before its start it is refused and missing; after it, failed and counted as slowest."""
    whole = {f"result_{number}.txt": log(number + 1) for number in range(5)}
    folder = submission(tmp_path, whole)
    lines = whole["result_2.txt"].splitlines(keepends=True)
    found = []
    for cut in range(len(lines)):
        (folder / "result_2.txt").write_text("".join(lines[:cut]))
        (score,) = scores(imported(tmp_path).runs)
        found.append((score.score_minutes, score.runs, score.converged))

    # Of 1, 2, 4 and 5 minutes and a failure the mean of 2, 4 and 5.
    assert found == [(None, 4, 4)] * 4 + [(pytest.approx(11 / 3), 5, 4)] * 3


def test_logs_beside_results_are_passed_over(tmp_path: Path) -> None:
    """Raw logs in a folder below, and what is not called a result, are the same runs again."""
    named = ("result_run10", "result_run2")
    folder = submission(tmp_path, {f"{name}.txt": log(n) for n, name in enumerate(named, 1)})
    (folder / "raw_logs").mkdir()
    for other in ("raw_logs/train_run2.log", "checker.log"):
        (folder / other).write_text(log(2))

    (part,) = mlperf.parts(folder, {})

    assert [path.stem for path in part.files] == list(named)
    assert [run.repeat_index for run in mlperf.read(part).runs] == [10, 2]


def test_a_result_by_another_name_may_begin_with_anything(tmp_path: Path) -> None:
    """A cluster's own words fill the first part of some logs."""
    words = "node 7 is up\n" * 10_000
    folder = submission(tmp_path, {"result_5742-24_10.txt": words + log(4), "other.txt": words})

    assert [path.name for path in next(mlperf.parts(folder, {})).files] == ["result_5742-24_10.txt"]


def test_a_result_by_another_name_without_a_line_is_refused(tmp_path: Path) -> None:
    """A run that was never made is not passed over in silence."""
    folder = submission(tmp_path, {"result_run1.txt": log(4), "result_run2.txt": "no log\n"})

    (refused,) = mlperf.read(next(mlperf.parts(folder, {}))).refused
    assert "result_run2.txt: not an MLPerf result log" in refused


def test_a_raw_log_beside_the_result_is_passed_over(tmp_path: Path) -> None:
    """It is the same run; alone it is taken."""
    folder = submission(tmp_path, {"result_7_01.txt": log(4), "result_7_raw_01.txt": log(4)})

    assert [path.name for path in next(mlperf.parts(folder, {})).files] == ["result_7_01.txt"]
    (folder / "result_7_01.txt").unlink()
    assert [path.name for path in next(mlperf.parts(folder, {})).files] == ["result_7_raw_01.txt"]


def test_an_evaluation_before_the_clock_has_no_time() -> None:
    """That of the checkpoint from which BERT starts; its value stays."""
    first = line("eval_accuracy", -50, 0.34, epoch_num=0)
    run = a_run(first + log(2), round="v1.0")

    assert [(each.value, each.time_s) for each in run.evaluations] == [
        (0.34, None),
        (0.5, 60.0),
        (0.76, 120.0),
    ]


@pytest.mark.parametrize(("cleared", "wall"), [(7000.0, None), (60.0, 9.0)])
def test_a_start_that_was_moved_is_no_time(cleared: float, wall: float | None) -> None:
    """Caches are cleared before a run starts; more than a minute after is a start written over."""
    text = (
        line("submission_benchmark", cleared, "resnet")
        + line("cache_clear", cleared, True)
        + line("run_start", 0)
        + line("run_stop", 9, status="success")
    )

    run = a_run(text.encode())

    assert (run.wall_time_s, run.started_at is None) == (wall, wall is None)
    assert run.caveats == (() if wall else (START_MOVED,))


def test_a_run_with_a_clock_of_its_own_has_its_time() -> None:
    """NVIDIA's DLRM of v0.7 clears caches in 2020 and runs, by its times, in 1970."""
    text = line("submission_benchmark", 0, "dlrm") + line("cache_clear", 0, True)
    for key, at in (("run_start", 1_593_049_600), ("run_stop", 1_593_299_147)):
        text += f':::MLLOG {{"namespace": "", "time_ms": {at}, "key": "{key}", "metadata": {{"status": "success"}}}}\n'

    run = a_run(text.encode())

    assert (run.wall_time_s, run.started_at, run.caveats) == (249.547, None, ())


def test_durations_have_the_digits_of_the_log() -> None:
    """Between two large numbers of milliseconds lie milliseconds, and nothing behind them."""
    marks = [
        line("run_start", 0.013),
        line("epoch_start", 0.014, epoch_num=1),
        line("epoch_stop", 60.054, epoch_num=1),
        line("eval_start", 60.055),
        line("eval_accuracy", 60.1, 0.76, epoch_num=1),
        line("eval_stop", 60.1),
        line("run_stop", 209.125, status="success"),
    ]
    run = a_run("".join(marks), round="v2.0")
    [reading], [epoch] = run.evaluations, run.epochs

    assert run.wall_time_s == 209.112
    assert (reading.time_s, reading.train_time_s) == (60.087, 60.042)
    assert (epoch.start_s, epoch.duration_s) == (0.001, 60.04)


def test_a_clock_of_another_century_tells_lengths_alone(tmp_path: Path) -> None:
    """Some logs of v0.7 count from 1970: how long the run took is taken, and no date."""
    folder = submission(
        tmp_path, {"result_0.txt": log(4).replace('"time_ms": 175', '"time_ms": 1')}
    )
    [run], [warning] = imported(folder).runs, imported(folder).warnings

    assert (run.started_at, run.wall_time_s) == (None, 240.0)
    assert warning.endswith(
        "the log's times lie before 2018: how long it took is taken, not when it ran"
    )


def test_seeds_of_very_many_processes_are_cut_between_two() -> None:
    """As many as a setting holds, each whole."""
    logged = "".join(line("seed", -9, 10**12 + seed) for seed in range(1000))
    run = a_run(logged + log(2))

    (seeds,) = [each.value for each in run.settings if each.name == "seeds"]
    assert len(seeds) <= 10_000
    assert {len(seed) for seed in seeds.split()[1:]} == {13}


def test_more_wrong_words_than_words_are_recorded() -> None:
    """A word error rate begins above 1."""
    found = a_run(log(2, benchmark="rnnt", value=0.05).replace("0.5,", "10.3,").encode())

    assert [each.value for each in found.evaluations] == [10.3, 0.05]
    assert [text for severity, text in about(found) if severity is Severity.ERROR] == []


def test_a_refused_log_is_named_and_other_files_are_passed_over(tmp_path: Path) -> None:
    """What is called like a log must be one; notes, code and scaling.json are nobody's log."""
    folder = submission(
        tmp_path,
        {
            "result_0.txt": log(1),
            "result_1.txt": "nothing",
            "README.txt": "notes",
            "run.py": ":::MLLOG",
            "x.log": "",
        },
    )
    (folder / "result_2.txt").write_text("MLPerf: resnet [06/13/19 00:30:56], run_start\n" * 64)

    found = imported(tmp_path)

    assert [run.run_id for run in found.runs] == ["mlperf-v2.0-acme-box-resnet-0"]
    assert [text.partition(":")[0].rpartition("/")[2] for text in found.refused] == [
        "result_1.txt",
        "result_2.txt",
    ]
    assert "not a compliance log" in found.refused[1]


def test_several_benchmarks_in_a_system_s_folder(tmp_path: Path) -> None:
    """As Alibaba's in v0.7: a benchmark by the log's word, a system's file, scores apart."""
    logs = {f"ssd_result_{number}.txt": log(number + 1, "ssd") for number in range(5)}
    logs |= {f"resnet_result_{number}.txt": log(number + 11) for number in range(5)}
    submission(tmp_path, logs, None)

    found = imported(tmp_path)

    assert (found.source, found.name, len(found.runs)) == ("mlperf-v2.0", "", 10)
    assert found.refused == ()
    assert {score.workload: score.score_minutes for score in scores(found.runs)} == {
        "resnet50-imagenet": 13.0,
        "retinanet-openimages": 3.0,
    }
    single = next(mlperf.parts(next(tmp_path.rglob("ssd_result_3.txt")), {}))
    assert (mlperf.read(single).name, mlperf.read(single).runs[0]) == (
        found.name,
        next(run for run in found.runs if run.run_id.endswith("retinanet-3")),
    )


def test_a_source_is_the_same_whichever_log_is_read(tmp_path: Path) -> None:
    """Files of one submitter write it in several ways; the source goes by the folder."""
    one = submission(tmp_path / "a", {"result_0.txt": log(1)}, facts={**FACTS, "submitter": "ACME"})
    other = submission(
        tmp_path / "b", {"result_0.txt": log(1)}, facts={**FACTS, "submitter": "Acme Inc."}
    )
    found = [mlperf.read_log(folder / "result_0.txt") for folder in (one, other)]

    assert found[0].sources == found[1].sources
    assert [each.runs[0].submitter for each in found] == ["Acme", "Acme Inc."]


def test_success_without_the_target_is_told(tmp_path: Path) -> None:
    """The log's word counts, and the importer says that its figures do not bear it out."""
    submission(
        tmp_path,
        {"result_0.txt": log(1, value=0.7), "result_1.txt": log(1, value=0.7, status="aborted")},
    )

    found = imported(tmp_path)

    assert [run.status for run in found.runs] == [Status.OK, Status.NOT_CONVERGED]
    assert any(
        "result_0.txt: the log says success, and no evaluation in it reaches top1 0.759" in warning
        for warning in found.warnings
    )


@pytest.mark.parametrize(
    ("axis", "at", "wanted"),
    [
        ("epoch_num", 0.9, (0.9, 0.9, None, None)),
        ("first_epoch_num", 4, (4.0, 4.0, None, None)),
        ("samples_count", 3_000_000, (None, None, 3_000_000, None)),
        ("epoch_num", 3_000_000, (None, None, 3_000_000, None)),
        ("step_num", 512, (None, None, None, 512)),
    ],
)
def test_axes(axis: str, at: float, wanted: tuple[float | None, ...]) -> None:
    """Epochs as logged, fractions, samples (BERT's under the name of epochs), and steps."""
    run = a_run(
        (line("run_start", 0) + line("eval_accuracy", 9, 0.5, **{axis: at})).encode(),
        benchmark="rgat",
    )

    assert [
        (each.epoch, each.epoch_as_logged, each.samples, each.step) for each in run.evaluations
    ] == [wanted]


@pytest.mark.parametrize(
    ("blocks", "labels", "wanted"),
    [
        # the epoch that comes next
        ([(1, 32), (33, 10), (43, 6)], [33, 43, 49], [32.0, 42.0, 48.0]),
        ([(1, 4), (5, 4), (9, 4)], [4, 8, 12], [4.0, 8.0, 12.0]),  # the epoch that ended
        ([(1, 1), (2, 1), (3, 1)], [1, 2, 3], [1.0, 2.0, 3.0]),
        ([(1, 1)] * 3, [0.05, 0.1, 0.15], [0.05, 0.1, 0.15]),
        # of U-Net, not samples
        ([(0, 1026), (1026, 1026), (2052, 1026)], [1025, 2051, 3077], [1026.0, 2052.0, 3078.0]),
    ],
)
def test_a_label_of_the_first_block_tells_epochs_finished(
    blocks: list[tuple[float, float]], labels: list[float], wanted: list[float]
) -> None:
    """From 1, logs write the epoch that ended or the next."""
    text = line("submission_benchmark", 0, "unet3d") + line("run_start", 0)
    for at, ((first, count), label) in enumerate(zip(blocks, labels, strict=True)):
        text += line("block_start", at, first_epoch_num=first, epoch_count=count) + line(
            "eval_accuracy", at + 0.5, 0.8, epoch_num=label
        )

    assert [each.epoch for each in a_run(text).evaluations] == wanted


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        ([1.05, 1.1, 1.95], [0.05, 0.1, 0.95]),
        ([1.5, 2.0], [0.5, 1.0]),
        ([0.05, 0.1, 1.0], [0.05, 0.1, 1.0]),
        ([1, 2, 18], [0.05, 0.1, 0.9]),  # evaluations, counted
        ([1, 2, 25], [1.0, 2.0, 25.0]),  # more than an epoch has
        ([0.05, 1.05], [0.05, 1.05]),
        ([2_097_152, 41_943_040], [None, None]),  # samples
    ],
)
def test_dlrm_trains_for_one_epoch_at_most(labels: list[float], wanted: list[float]) -> None:
    """Its logs add 1 to the fraction of it, or do not, or number the evaluations."""
    text = line("submission_benchmark", 0, "dlrm") + line("run_start", 0)
    text += line("epoch_start", 0, epoch_num=1)
    for at, label in enumerate(labels):
        text += line("eval_accuracy", at + 0.5, 0.8, epoch_num=label)

    assert [each.epoch for each in a_run(text).evaluations] == wanted


@pytest.mark.parametrize("axis", ["epoch_num", "samples_count"])
def test_tokens_of_gpt3_are_no_samples(axis: str) -> None:
    """GPT-3's logs count 2048 tokens a sequence; one that counts sequences is left as it is."""
    text = line("submission_benchmark", 0, "gpt3") + line("run_start", 0)
    tokens = a_run(text + line("eval_accuracy", 1, 2.75, **{axis: 50_331_648}))
    sequences = a_run(text + line("eval_accuracy", 1, 2.75, **{axis: 24_576}))

    assert [run.evaluations[0].samples for run in (tokens, sequences)] == [24_576, 24_576]


def test_minigo_takes_as_long_as_until_the_model_that_won() -> None:
    """eval_result says when the winner was made; run_stop may follow much later."""
    text = (
        line("submission_benchmark", 0, "minigo")
        + line("run_start", 0)
        + line("eval_accuracy", 1900, 0.51, epoch_num=14)
    )
    text += line("eval_result", 1900, 0.51, epoch_num=14, timestamp=746.014)
    late = a_run(text + line("run_stop", 1912, status="success"))
    right = a_run(text + line("run_stop", 746, status="success"))

    assert [(run.wall_time_s, run.evaluations[0].time_s) for run in (late, right)] == [
        (746.014, None),
        (746.0, None),
    ]


@pytest.mark.parametrize(("second", "wanted"), [(300, [300.0, 300.0]), (200, [None, None])])
def test_epochs_of_minigo_end_with_the_model_that_won(
    second: float, wanted: list[float | None]
) -> None:
    """Its logs go on training while models are evaluated; epochs that overlap have no length."""
    text = line("submission_benchmark", 0, "minigo") + line("run_start", 0)
    for epoch, (begin, end) in enumerate([(0, 300), (second, 600), (600, 900)]):
        text += line("epoch_start", begin, epoch_num=epoch) + line(
            "epoch_stop", end, epoch_num=epoch
        )
    text += line("eval_result", 1900, 0.51, epoch_num=1, timestamp=600.5)

    assert [each.duration_s for each in a_run(text).epochs] == wanted

    stopped = text.replace("eval_result", "other") + line("run_stop", 600.5, status="success")
    assert [each.duration_s for each in a_run(stopped).epochs] == wanted


def test_minigo_without_a_stop_has_converged_where_a_model_won() -> None:
    """NVIDIA's logs of v0.6 end with eval_result."""
    text = line("submission_benchmark", 0, "minigo") + line("run_start", 0)
    won = a_run(text + line("eval_result", 1900, None, timestamp=1725.869))

    assert (won.status, won.wall_time_s) == (Status.OK, 1725.869)
    assert a_run(text).status is Status.UNFINISHED


def test_warnings_of_a_folder_are_said_once(tmp_path: Path) -> None:
    """What is said of each log stands in one line; a checkpoint evaluated after the end is told."""
    late = log(1) + line("eval_accuracy", 90, 0.6, epoch_num=1)
    few = submission(tmp_path / "few", {f"result_{at}.txt": late for at in range(3)})
    many = submission(tmp_path / "many", {f"result_{at:02}.txt": late for at in range(25)})
    ((few_warning,), (many_warning,)) = (
        mlperf.read(part).warnings for folder in (few, many) for part in mlperf.parts(folder, {})
    )

    assert few_warning.endswith(
        "/resnet/result_0.txt, result_1.txt, result_2.txt: evaluations logged while the run was not on "
        "the clock: 1; they have no time"
    )
    assert "result_19.txt, 5 more: evaluations" in many_warning


def test_a_pipe_is_no_log(tmp_path: Path) -> None:
    """It has no end, and reading one would wait for ever."""
    folder = submission(tmp_path, {"result_0.txt": log(1)})
    os.mkfifo(folder / "result_1.txt")

    (part,) = mlperf.parts(folder, {})
    assert [path.name for path in part.files] == ["result_0.txt"]


def test_two_metrics_of_one_step() -> None:
    """Stable Diffusion writes FID (less is better) and CLIP (more) apart, and both count."""
    text = line("submission_benchmark", 0, "stable_diffusion") + line("run_start", 0)
    text += line("eval_accuracy", 60, 95.0, step_num=1000, metric="FID") + line(
        "eval_accuracy", 61, 0.16, step_num=1000, metric="CLIP"
    )
    text += line("eval_accuracy", 120, 88.0, step_num=2000, metric="FID") + line(
        "eval_accuracy", 121, 0.17, step_num=2000, metric="CLIP"
    )
    run = a_run(text + line("run_stop", 122), round="v4.0")

    assert [(each.metric, each.step, each.value) for each in run.evaluations][:2] == [
        ("fid", 1000, 95.0),
        ("clip", 1000, 0.16),
    ]
    assert value(run, "time_to_target_s@90") == 120.0
    assert value(run, "time_to_target_s@0.15") == 61.0
    assert run.status == Status.OK


@pytest.mark.parametrize("clip", [0.16, 0.1])
def test_what_is_evaluated_when_the_run_has_ended_was_reached_by_then(clip: float) -> None:
    """Stable Diffusion's checkpoints are evaluated after training: the last target that counts was
    reached when the run stopped; when the one before it was, nobody knows.
    """
    text = line("submission_benchmark", 0, "stable_diffusion") + line("run_start", 0)
    text += line("run_stop", 100, status="success")
    for at, samples, fid, own in ((300, 1000, 95.0, clip), (600, 2000, 88.0, 0.17)):
        text += line("eval_accuracy", at, fid, samples_count=samples, metric="FID")
        text += line("eval_accuracy", at + 1, own, samples_count=samples, metric="CLIP")
    run = a_run(text, round="v4.1")

    assert {each.time_s for each in run.evaluations} == {None}
    assert value(run, "time_to_target_s@90") == 100.0
    assert value(run, "time_to_target_s@0.15") == (None if clip == 0.16 else 100.0)
    assert value(run, "samples_to_target@0.15") == (1000 if clip == 0.16 else 2000)


def offline(*checkpoints: tuple[int, float, float]) -> Run:
    """Stable Diffusion of 100 s, whose checkpoints (samples, FID, CLIP) are evaluated after it."""
    text = line("submission_benchmark", 0, "stable_diffusion") + line("run_start", 0)
    text += line("run_stop", 100, status="success")
    for at, (samples, fid, clip) in enumerate(checkpoints, 3):
        text += line("eval_accuracy", 100 * at, fid, samples_count=samples, metric="FID")
        text += line("eval_accuracy", 100 * at + 1, clip, samples_count=samples, metric="CLIP")
    return a_run(text, round="v4.1")


def test_checkpoints_are_in_the_order_of_training() -> None:
    """Whichever is evaluated first: the final one has seen most, the first hit least."""
    run = offline((3000, 82.0, 0.17), (1000, 112.0, 0.1), (2000, 88.0, 0.16))

    assert [each.samples for each in run.evaluations] == [1000, 1000, 2000, 2000, 3000, 3000]
    assert value(run, "final_fid") == 82.0
    assert value(run, "samples_to_target@90") == 2000


def test_the_last_target_is_reached_by_the_checkpoint_that_reaches_both() -> None:
    """One passes FID and the next CLIP alone: the run ends with the one that passes both."""
    run = offline((1000, 88.0, 0.1), (2000, 91.0, 0.16), (3000, 87.0, 0.17))

    assert value(run, "samples_to_target@90") == 1000
    assert value(run, "time_to_target_s@90") is None
    assert value(run, "samples_to_target@0.15") == 3000
    assert value(run, "time_to_target_s@0.15") == 100.0


@pytest.mark.parametrize(("epoch", "time"), [(3, 90.0), (2, None), (1, None)])
def test_a_log_that_trains_on_after_the_end_keeps_its_times(epoch: int, time: float | None) -> None:
    """SSD on TPUs and single logs of BERT do; one that comes back to a checkpoint does not."""
    run = a_run(log(1) + line("eval_accuracy", 90, 0.77, epoch_num=epoch), round="v2.0")

    assert [each.time_s for each in run.evaluations if each.value == 0.77] == [time]
    assert value(run, "time_to_target_s@0.759") == 60.0


def test_a_target_reached_at_an_unknown_time_is_not_reached_at_the_end() -> None:
    """Only what was evaluated after the run counts for its end, not a mark without a time."""
    text = log(1).replace(f'"time_ms": {int((1.75e9 + 60) * 1000)}, "event', '"event', 1)
    run = a_run(text, round="v2.0")

    assert run.wall_time_s == 60.0
    assert [each.time_s for each in run.evaluations] == [None, 30.0]
    assert value(run, "time_to_target_s@0.759") is None


def test_two_targets_are_reached_together_or_not_at_all() -> None:
    """Box and mask once each, never together, no word of the log: it did not converge."""
    text = V06.replace(b"[0.38, 0.34]", b"[0.37, 0.34]").replace(
        b', "metadata": {"status": "success"}', b""
    )
    run = a_run(text, round="v0.6")

    assert run.status == Status.NOT_CONVERGED
    assert run.status_detail == "no evaluation reached box_ap 0.377 and mask_ap 0.339"
    assert a_run(text.replace(b"[0.37, 0.34]", b"[0.38, 0.34]"), round="v0.6").status is Status.OK


def test_bleu_in_hundredths_is_a_fraction() -> None:
    """24.1 and 0.241 are one figure, in readings and in targets."""
    for figure, target in ((24.1, 24.0), (0.241, 0.24)):
        text = (
            line("submission_benchmark", 0, "gnmt")
            + line("eval_target", 0, target)
            + line("run_start", 0)
        )
        run = a_run(text + line("eval_accuracy", 9, figure, epoch_num=1))

        assert run.evaluations[0].value == pytest.approx(0.241)
        assert run.targets[0].value == pytest.approx(0.24)
        assert run.targets[0].certainty is Certainty.STATED


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        ({"submitter_folder": "nvidia", "accelerators": 8, "accelerator": "V100"}, 1664),
        ({"submitter_folder": "google", "accelerators": 4, "accelerator": "tpuv2-8"}, 208),
        ({"submitter_folder": "acme", "accelerators": 8, "accelerator": "V100"}, None),
    ],
)
def test_a_batch_of_v05_is_a_card_s_or_the_system_s(
    facts: dict[str, object], wanted: int | None
) -> None:
    """208 for each of eight with NVIDIA, of all with Google, of nobody knows whom else."""
    text = V05.replace(
        b"run_start", b"run_start\n:::MLPv0.5.0 resnet 200.3 (a.py:2) input_batch_size: 208"
    )

    assert a_run(text, **facts).global_batch_size == wanted


def test_steps_and_epochs_tell_whose_batch_it_is() -> None:
    """3750 steps in 32 epochs of 117,266 images are 1024 a step: 128 for each of eight cores."""
    text = (
        b":::MLPv0.5.0 ssd 10 (a.py:1) input_batch_size: 128\n:::MLPv0.5.0 ssd 11 (a.py:1) "
        b"run_start\n"
        b':::MLPv0.5.0 ssd 90 (a.py:1) eval_iteration_accuracy: {"iteration": 3750, "value": '
        b"0.21}\n"
        b':::MLPv0.5.0 ssd 90 (a.py:1) eval_accuracy: {"epoch": 32, "value": 0.21}\n'
    )

    assert (
        a_run(
            text, submitter_folder="acme", accelerators=4, accelerator="tpuv2-8"
        ).global_batch_size
        == 1024
    )
    assert (
        a_run(text, submitter_folder="acme", accelerators=4, accelerator="V100").global_batch_size
        is None
    )


def test_a_log_needs_no_event_type_and_no_metadata() -> None:
    """Key, time and value are enough; seeds of processes are all told, a time is none."""
    text = b"".join(
        f':::MLLOG {{"key": "{key}", "time_ms": {time}, "value": {value_}}}\n'.encode()
        for key, time, value_ in [
            ("run_start", 1000, "null"),
            ("seed", 0, "4"),
            ("seed", 0, "5"),
            ("seed", 0, "1621233483.66"),
            ("run_stop", 2000, "null"),
        ]
    )
    run = a_run(text, benchmark="resnet", round="v0.7")

    assert (run.wall_time_s, run.seed, run.status) == (1.0, None, Status.NOT_CONVERGED)
    assert [each.value for each in run.settings if each.name == "seeds"] == ["4 5"]


def test_no_person_is_named(external: Path, tmp_path: Path) -> None:
    """No address in any text, no contact of NVIDIA's v0.6 files; credits say what figures are."""
    root = external / "mlperf-training"
    known = [mlperf.read(part) for part in mlperf.parts(root, {})]

    for found in known:
        text = str((found.runs, found.sources, found.warnings))
        assert not re.search(r"\w@\w+\.\w", text)
        assert "Paulius" not in text and "poc_" not in text and str(root.parent) not in text
        assert all(
            run.licence == "Apache-2.0"
            and "computed from the log, unverified by MLCommons" in run.credit
            for run in found.runs
        )
    named = {run.accelerator for found in known for run in found.runs if run.round != "v6.0"}
    assert (
        None not in named
        and {
            "tpu-v2",
            "tpu-v3",
            "tpu-v4",
            "v100-sxm2-16gb",
            "a30",
            "rtx-4090",
            "mi300x",
            "b200",
            "gb200",
        }
        <= named
    )
    submission(
        tmp_path,
        {"result_0.txt": line("opt_name", 0, "by a@example.org") + log(1)},
        facts={**FACTS, "poc_email": "b@example.org"},
    )
    assert "example" not in str(imported(tmp_path))


def test_a_log_without_a_repository_around_it_is_read(tmp_path: Path) -> None:
    """Submitter and system are unknown then, and the importer says so."""
    v05, v07 = tmp_path / "v05.txt", tmp_path / "v07.txt"
    v05.write_bytes(V05)
    v07.write_bytes(V07)

    old, new = mlperf.read_log(v05), mlperf.read_log(v07)

    assert old.runs[0].status is Status.OK
    assert any(
        "of submitter and system only what the log says is known" in warning
        for warning in old.warnings
    )
    # a dialect of one round
    assert [
        any("names the round" in warning for warning in found.warnings) for found in (old, new)
    ] == [False, True]
