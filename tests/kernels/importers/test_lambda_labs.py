"""Lambda's benchmark: units by model, precision by name, 0 for none, logs that end or fail."""

from pathlib import Path

import pytest

from kernels import catalog
from kernels.errors import SourceError
from kernels.importers import lambda_labs
from kernels.importers.base import Imported
from kernels.importers.lambda_labs.benchmark import machine_of
from kernels.records import NO_LICENCE, DataKind, Precision, Run, Setting, Status

RATES = """name_gpu,num_gpu,watt,price,bert_base_squad,gnmt,ncf,resnet50,tacotron2
RTX 2080Ti,1.0,250.0,1928.0,88.0,41770.0,14271325.0,526.0,12321.0
2x RTX 2080Ti NVLink,2.0,500.0,3856.0,142.0,59398.0,25758426.0,0.0,25361.0
p3.8xlarge,4.0,1200.0,42656.0,578.0,208731.0,92920829.0,3293.0,52275.0
"""
SIZES = RATES.replace("526.0", "184").replace("0.0,25361.0", "368,208").replace("3293.0", "1024")
FP16 = "pytorch-train-throughput-fp16.csv"

LOG = """=> creating model '('resnet50', 'classic')'
DLL 2020-06-30 05:56:42.242238 - PARAMETER data : /data/imagenet  data_backend : dali-cpu  arch : resnet50  epochs : 2  batch_size : 184  \
optimizer_batch_size : -1  fp16 : True  amp : False  world_size : 2
DLL 2020-06-30 05:56:52.737725 - Epoch: 0 Iteration: 1  train.loss : 7.07812  train.total_ips : 30.08 img/s
DLL 2020-06-30 05:58:17.681875 - Summary: train.loss : 7.21105  train.total_ips : 836.76 img/s
DLL 2020-06-30 05:58:17.681987 - Summary: lr : 0.1  train.compute_ips : 838.87 img/s train.data_time : 0.00109 s
Experiment ended
['/opt/conda/bin/python', '-u', './main.py', '--arch', 'resnet50', '--fp16', '--batch-size', '184']
DONE!
"""
FAILED = """=> creating model '('resnet50', 'classic')'
Traceback (most recent call last):
  File "./main.py", line 475, in <module>
    main(args)
RuntimeError: {error}
['/opt/conda/bin/python', '-u', './main.py', '--arch', 'resnet50', '--fp16', '--batch-size', '288']
DONE!
"""


def tables(folder: Path, **named: str) -> Imported:
    """What the tables of a folder hold; names with `_` for `-`."""
    for name, text in named.items():
        (folder / f"{name.replace('_', '-')}.csv").write_text(text, encoding="utf-8")
    (part,) = lambda_labs.parts(folder, {})
    return lambda_labs.read(part)


def log(
    folder: Path,
    text: str,
    place: str = "2x2080TiNVlink_trt/PyTorch_resnet50_FP16/30-06-2020_05-56-34.txt",
) -> Imported:
    """What a log at a place holds."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (part,) = lambda_labs.parts(folder, {})
    return lambda_labs.read(part)


def by_id(imported: Imported) -> dict[str, Run]:
    """Runs by what follows the table's name."""
    return {run.run_id.partition("-fp16-")[2]: run for run in imported.runs}


def test_the_unit_follows_from_the_model(tmp_path: Path) -> None:
    """Images, sequences, tokens, other samples; the source's word stands beside the figure."""
    runs = by_id(tables(tmp_path, pytorch_train_throughput_fp16=RATES))
    units = {
        name.removeprefix("rtx-2080ti-"): (
            run.metrics[0].name,
            run.metrics[0].value,
            run.settings[0].value,
        )
        for name, run in runs.items()
    }

    assert units["resnet50"] == ("throughput_images_per_s", 526.0, "images")
    assert units["bert-base-squad"] == ("throughput_samples_per_s", 88.0, "sequences")
    assert units["gnmt"] == ("throughput_tokens_per_s", 41770.0, "tokens")
    assert units["tacotron2"] == ("throughput_samples_per_s", 12321.0, "frames of mel spectrograms")


def test_zero_is_no_figure(tmp_path: Path) -> None:
    """Not run or failed: the table does not say which, and the runs do not either."""
    imported = tables(tmp_path, pytorch_train_throughput_fp16=RATES)
    run = by_id(imported)["2x-rtx-2080ti-nvlink-resnet50"]

    assert run.status == Status.NOT_REPORTED
    assert run.metrics[0].value is None
    assert run.metrics[0].status == Status.NOT_REPORTED
    assert any("line 3: 1 figures are 0" in warning for warning in imported.warnings)


def test_machines_are_known_by_the_catalogue(tmp_path: Path) -> None:
    """A card by alias, a rented machine by instance; only ResNet-50 is in the catalogue."""
    runs = by_id(tables(tmp_path, pytorch_train_throughput_fp16=RATES))
    pair, rented = runs["2x-rtx-2080ti-nvlink-gnmt"], runs["p3.8xlarge-resnet50"]

    assert pair.accelerator == "rtx-2080-ti"
    assert pair.accelerators == 2
    assert pair.system == "lambda-2x-rtx-2080ti-nvlink"
    assert pair.workload == "lambda-gnmt"
    assert rented.accelerator == "v100-sxm2-16gb"
    assert rented.accelerators == 4
    assert rented.system == "aws-p3.8xlarge"
    assert rented.workload == "resnet50-imagenet"
    assert rented.precision == Precision.FP16
    assert rented.licence == NO_LICENCE


@pytest.mark.parametrize(
    ("name", "chip", "chips"),
    [
        ("2080Ti", "rtx-2080-ti", 1),
        ("RTX_2080_Ti", "rtx-2080-ti", 1),
        ("LambdaCloud_4x1080Ti", "gtx-1080-ti", 4),
        ("LambdaCloud 8xV100 16GB", "v100", 8),
        ("DellTexas 4x RTX 4090", "rtx-4090", 4),
        ("RTX 2080 Ti Super", None, None),
        ("2x RTX 2080", None, 2),
    ],
)
def test_a_card_is_known_by_its_whole_name_or_not_at_all(
    name: str, chip: str | None, chips: int | None
) -> None:
    """A word more or less is another card."""
    machine, _ = machine_of(name, catalog.load())

    assert (machine.accelerator, machine.accelerators) == (chip, chips)


def test_a_number_of_gpus_that_the_name_denies_is_left_open(tmp_path: Path) -> None:
    """An older table gives its pair eight."""
    imported = tables(
        tmp_path, pytorch_train_throughput_fp16=RATES.replace("NVLink,2.0", "NVLink,8.0")
    )

    assert by_id(imported)["2x-rtx-2080ti-nvlink-gnmt"].accelerators is None
    assert any("names 2 GPUs and 8 are stated" in warning for warning in imported.warnings)


def test_batch_sizes_come_from_the_table_beside(tmp_path: Path) -> None:
    """By machine and model; where no figure is, the batch that was tried stays."""
    runs = by_id(tables(tmp_path, pytorch_train_throughput_fp16=RATES, pytorch_train_bs_fp16=SIZES))

    assert [
        runs[f"{machine}-resnet50"].global_batch_size
        for machine in ("rtx-2080ti", "2x-rtx-2080ti-nvlink", "p3.8xlarge")
    ] == [184, 368, 1024]


def test_batch_sizes_alone_are_no_runs(tmp_path: Path) -> None:
    """They are not taken for throughputs."""
    with pytest.raises(
        SourceError, match="found batch sizes alone, wanted the throughput table beside it"
    ):
        tables(tmp_path, pytorch_train_bs_fp16=SIZES)


def test_watt_and_price_are_settings(tmp_path: Path) -> None:
    """Of card or machine and of no day: neither power that was measured nor an offer."""
    imported = tables(tmp_path, pytorch_train_throughput_fp16=RATES)

    assert imported.prices == ()
    assert {Setting("listed_watt", "250.0"), Setting("listed_price_usd_undated", "1928.0")} <= set(
        imported.runs[0].settings
    )
    assert [each.name for each in imported.runs[0].metrics] == ["throughput_samples_per_s"]


def test_a_name_without_precision_is_refused(tmp_path: Path) -> None:
    """Nothing in the table says it."""
    (tmp_path / "rates.csv").write_text(RATES, encoding="utf-8")
    with pytest.raises(SourceError, match=r"rates.csv: the name says no precision.*rename it"):
        tables(tmp_path)


def test_rows_and_columns_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A machine twice, a figure that is none, a column of unknown unit; the rest is kept."""
    text = (
        RATES.replace("tacotron2", "llama").replace("88.0,", "fast,") + RATES.splitlines()[1] + "\n"
    )

    imported = tables(tmp_path, pytorch_train_throughput_fp16=text)

    assert len(imported.runs) == 3 * 4 - 1
    assert [each.partition(": ")[0] for each in imported.refused] == [f"{FP16}:2", f"{FP16}:5"]
    assert "bert_base_squad: found 'fast', wanted a number" in imported.refused[0]
    assert "the column 'llama' is no model that is known here" in imported.warnings[0]


def test_two_tables_of_one_name_are_two_sets_of_runs(tmp_path: Path) -> None:
    """The folder stands in their ids."""
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / FP16).write_text(RATES, encoding="utf-8")

    ids = [
        {run.run_id for run in lambda_labs.read(part).runs}
        for part in lambda_labs.parts(tmp_path, {})
    ]

    assert not ids[0] & ids[1]
    assert "lambda-new-pytorch-train-throughput-fp16-rtx-2080ti-gnmt" in ids[0]


def test_a_log_gives_the_figure_of_its_summary(tmp_path: Path) -> None:
    """Of all GPUs, with the batch of all; precision and data are the log's own."""
    (run,) = log(tmp_path, LOG).runs

    assert run.run_id == "lambda-2x2080tinvlink-trt-pytorch-resnet50-fp16-30-06-2020-05-56-34"
    assert run.status == Status.OK
    assert run.metrics[0].value == 836.76
    assert run.global_batch_size == 368
    assert run.accelerators == 2
    assert run.accelerator == "rtx-2080-ti"
    assert run.precision == Precision.FP16
    assert run.data == DataKind.REAL
    assert run.framework == "PyTorch"
    assert (
        run.metrics[0].locator
        == "file '2x2080TiNVlink_trt/PyTorch_resnet50_FP16/30-06-2020_05-56-34.txt', line 4"
    )


@pytest.mark.parametrize("kept", range(1, 8))
def test_a_log_that_breaks_off_has_no_figure(tmp_path: Path, kept: int) -> None:
    """Whatever it has printed by then; once the benchmark says that it ended, the figure counts."""
    text = "".join(LOG.splitlines(keepends=True)[:kept])
    if kept == 1:
        with pytest.raises(SourceError, match="no table or log"):
            log(tmp_path, text)
        return

    (run,) = log(tmp_path, text).runs

    assert (run.status, run.metrics[0].value) == (
        (Status.OK, 836.76) if kept > 5 else (Status.UNFINISHED, None)
    )


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (
            "CUDA out of memory. Tried to allocate 1.5 GiB",
            Status.OOM,
            "RuntimeError: CUDA out of memory. Tried to allocate 1.5 GiB",
        ),
        (
            "Directory /home/someone/imagenet/train could not be opened.",
            Status.FAILED,
            "RuntimeError: Directory .../train could not be opened.",
        ),
        ("write to someone@example.org", Status.FAILED, "RuntimeError: write to (address)"),
    ],
)
def test_a_failed_run_says_why(tmp_path: Path, error: str, status: Status, detail: str) -> None:
    """Out of memory only where the log proves it; nobody's address or folder is kept."""
    imported = log(tmp_path, FAILED.format(error=error))
    (run,) = imported.runs

    assert run.status == status
    assert run.status_detail == detail
    assert run.metrics[0].value is None
    assert run.metrics[0].status == status
    assert "someone" not in f"{run} {imported.warnings}"
    assert (run.precision, run.global_batch_size) == (Precision.FP16, 576)


@pytest.mark.parametrize(
    ("task", "text", "name", "value"),
    [
        (
            "PyTorch_SSD_AMP",
            "DLL 2021-12-02 06:37:37.4 - x\nTraining performance = 1958.03 FPS\nDONE!\n",
            "throughput_images_per_s",
            1958.03,
        ),
        (
            "PyTorch_ncf_FP16",
            ":::NVLOGv0.1.0 ncf 1624722885.27 (ncf.py:356) best_train_throughput: "
            "11191042.158\nDONE!\n",
            "throughput_samples_per_s",
            11191042.158,
        ),
        (
            "PyTorch_tacotron2_FP32",
            "DLL 2020-05-28 03:32:56.7 - (6001,) train_items_per_sec : 16315.76\nDONE!\n",
            "throughput_samples_per_s",
            16315.76,
        ),
    ],
)
def test_each_task_prints_its_figure_in_its_own_way(
    tmp_path: Path, task: str, text: str, name: str, value: float
) -> None:
    """As the benchmark's scripts look for it."""
    (run,) = log(tmp_path, text, f"V100/{task}/a.txt").runs

    assert (run.metrics[0].name, run.metrics[0].value) == (name, value)


def test_a_folder_that_contradicts_its_log_is_warned_of(tmp_path: Path) -> None:
    """The log is believed."""
    imported = log(tmp_path, LOG.replace("amp : False", "amp : True"))

    assert imported.runs[0].precision is Precision.AMP_FP16
    assert "the folder says fp16 and the log amp" in imported.warnings[0]


def test_a_log_whose_folders_say_nothing_is_refused(tmp_path: Path) -> None:
    """Neither machine nor task is in it."""
    with pytest.raises(SourceError, match="the log names neither machine nor task itself"):
        log(tmp_path, LOG, "a.txt")


def test_readings_beside_a_log_are_left_to_their_own_format(tmp_path: Path) -> None:
    """They are named."""
    folder = tmp_path / "V100" / "PyTorch_resnet50_FP16"
    folder.mkdir(parents=True)
    (folder / "a_monitor.csv").write_text("56, 0 %, 0 MiB\n", encoding="utf-8")

    imported = log(
        tmp_path,
        LOG.replace("world_size : 2", "world_size : 1"),
        "V100/PyTorch_resnet50_FP16/a.txt",
    )

    assert any("a_monitor.csv beside it" in warning for warning in imported.warnings)


def test_the_real_folder(external: Path) -> None:
    """Two tables of 53 machines and 10 models, nine logs, one failed for want of data."""
    read = {
        part.name.removeprefix("pytorch/"): lambda_labs.read(part)
        for part in lambda_labs.parts(external / "throughput-lambda", {})
    }
    runs = {
        run.run_id.removeprefix("lambda-pytorch-train-throughput-"): run
        for each in read.values()
        for run in each.runs
    }
    logs = {name: each.runs[0] for name, each in read.items() if name.startswith("results/")}

    assert (len(runs), len(logs)) == (2 * 530 + 9, 9)
    assert sum(run.status is Status.NOT_REPORTED for run in runs.values()) == 80
    v100 = runs["fp16-lambdacloud-8xv100-16gb-resnet50"]
    assert v100.metrics[0].value == 6174.0
    assert v100.global_batch_size == 2048
    assert v100.accelerators == 8
    assert v100.accelerator == "v100"
    assert runs["fp32-rtx-4090-gnmt"].metrics[0].value == 84598.0
    rates = {
        name.split("/")[1]: (run.metrics[0].value, run.global_batch_size)
        for name, run in logs.items()
        if "1080Ti" not in name
    }
    assert rates == {
        "16xA4000": (1958.0355224609375, 1408),
        "2080Ti": (526.38, 184),
        "2x2080TiNVlink_trt": (836.76, 368),
        "V100": (840.21, 608),
        "p3.2xlarge": (None, None),
        "p3.8xlarge": (3245.25, 2432),
    }
    assert sorted(run.metrics[0].value or 0 for name, run in logs.items() if "1080Ti" in name) == [
        195.78,
        196.18,
        197.06,
    ]
    failed = next(run for name, run in logs.items() if "p3.2xlarge" in name)
    assert failed.status is Status.FAILED
    assert failed.status_detail is not None
    assert failed.status_detail.endswith("Directory .../train could not be opened.")
    assert {run.licence for run in runs.values()} == {NO_LICENCE}
