"""Lambda's benchmark: units by model, precision by name, 0 for none."""

from pathlib import Path

import pytest

from kernels import catalog
from kernels.errors import SourceError
from kernels.importers import lambda_labs
from kernels.importers.base import Imported
from kernels.importers.lambda_labs import machine_of
from kernels.records import NO_LICENCE, Precision, Run, Setting, Status

RATES = """name_gpu,num_gpu,watt,price,bert_base_squad,gnmt,ncf,resnet50,tacotron2
RTX 2080Ti,1.0,250.0,1928.0,88.0,41770.0,14271325.0,526.0,12321.0
2x RTX 2080Ti NVLink,2.0,500.0,3856.0,142.0,59398.0,25758426.0,0.0,25361.0
p3.8xlarge,4.0,1200.0,42656.0,578.0,208731.0,92920829.0,3293.0,52275.0
"""
SIZES = RATES.replace("526.0", "184").replace("0.0,25361.0", "368,208").replace("3293.0", "1024")
FP16 = "pytorch-train-throughput-fp16.csv"


def tables(folder: Path, **named: str) -> Imported:
    """What the tables of a folder hold; names with `_` for `-`."""
    for name, text in named.items():
        (folder / f"{name.replace('_', '-')}.csv").write_text(text, encoding="utf-8")
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


def test_a_name_without_precision_needs_the_option(tmp_path: Path) -> None:
    """Nothing in the table says it."""
    (tmp_path / "rates.csv").write_text(RATES, encoding="utf-8")
    with pytest.raises(
        SourceError, match=r"rates.csv: the name says no precision.*give --precision"
    ):
        tables(tmp_path)

    (part,) = lambda_labs.parts(tmp_path, {"precision": "bf16"})

    assert {run.precision for run in lambda_labs.read(part).runs} == {Precision.BF16}


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


def test_the_real_folder(external: Path) -> None:
    """Two tables of 53 machines and 10 models, logs beside them passed over."""
    runs = {
        run.run_id.removeprefix("lambda-pytorch-train-throughput-"): run
        for part in lambda_labs.parts(external / "throughput-lambda", {})
        for run in lambda_labs.read(part).runs
    }

    assert len(runs) == 2 * 530
    assert sum(run.status is Status.NOT_REPORTED for run in runs.values()) == 80
    v100 = runs["fp16-lambdacloud-8xv100-16gb-resnet50"]
    assert v100.metrics[0].value == 6174.0
    assert v100.global_batch_size == 2048
    assert v100.accelerators == 8
    assert v100.accelerator == "v100"
    assert runs["fp32-rtx-4090-gnmt"].metrics[0].value == 84598.0
    assert {run.licence for run in runs.values()} == {NO_LICENCE}
