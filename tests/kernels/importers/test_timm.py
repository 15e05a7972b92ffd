"""timm's tables: what their names say, what their rows say, and what neither does."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import catalog, store
from kernels.cli.imports import keep
from kernels.errors import SourceError
from kernels.importers import timm
from kernels.importers.base import Imported
from kernels.records import Certainty, DataKind, Mode, Precision, Setting, Software, Status

RUNS = Path(__file__).resolve().parents[3] / "runs" / "imported"

NAME = "benchmark-train-amp-nhwc-pt240-cu124-rtx4090.csv"
TRAIN = """model,train_samples_per_sec,train_step_time,train_batch_size,train_img_size,param_count
resnet50,1000.0,512.0,512,224,25.56
resnet50,500.0,512.0,256,288,25.56
vit_base.a1,0.0,0.0,0,224,86.57
"""
INFER = """model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size,param_count,infer_gmacs,infer_macts
resnet50,224,4000.0,256.0,1024,25.56,4.11,11.11
"""
ACCURACY = """model,img_size,top1,top1_err,top5,top5_err,param_count,crop_pct,interpolation
eva_giant,560,89.790,10.210,98.990,1.010,"1,014.45",1.000,bicubic
eva_giant,336,89.5,10.5,98.9,1.1,"1,013.01",1.000,bicubic
"""


def found(folder: Path, text: str, name: str = NAME, **options: str | None) -> Imported:
    """What all rows of a table of a name hold."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (part,) = timm.parts(path, {"models": "all"} | options)
    return timm.read(part)


def test_the_name_says_the_conditions(tmp_path: Path) -> None:
    """Mode, precision, layout, versions and card; digits without points are reconstructed."""
    run = found(tmp_path, TRAIN).runs[0]

    assert run.run_id == "timm-train-amp-nhwc-pt240-cu124-rtx4090-resnet50-224-512"
    assert run.mode == Mode.TRAINING
    assert run.precision == Precision.AMP_FP16
    assert run.accelerator == "rtx-4090"
    assert run.accelerators == 1
    assert run.software == (
        Software("PyTorch", "2.4.0", Certainty.RECONSTRUCTED),
        Software("CUDA", "12.4", Certainty.RECONSTRUCTED),
    )
    assert run.licence == "Apache-2.0"
    assert run.credit == timm.SOURCE.credit
    assert (run.data, run.augmentation) == (DataKind.SYNTHETIC_DEVICE, False)
    assert {
        Setting("memory_layout", "nhwc"),
        Setting("image_size", "224"),
        Setting("parameters_millions", "25.56"),
    } <= set(run.settings)


@pytest.mark.parametrize(
    ("name", "precision", "version", "words"),
    [
        (
            "benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv",
            Precision.AMP_FP16,
            "1.12",
            "train-amp-nchw-pt112-cu113-rtx3090",
        ),
        (
            "benchmark-train-amp_bf16-nchw-pt291-cu130-4090-dynamo.csv",
            Precision.AMP_BF16,
            "2.9.1",
            "train-amp-bf16-nchw-pt291-cu130-dynamo-4090",
        ),
        (
            "benchmark-train-fp32-nchw-pt221-cpu-i9_10940x-dynamo.csv",
            Precision.FP32,
            "2.2.1",
            "train-fp32-nchw-pt221-cpu-dynamo-i9-10940x",
        ),
        (
            "model_benchmark_amp_nchw_rtx3090.csv",
            Precision.AMP_FP16,
            None,
            "train-amp-nchw-rtx3090",
        ),
    ],
)
def test_names_of_other_years_are_read(
    tmp_path: Path, name: str, precision: Precision, version: str | None, words: str
) -> None:
    """Of other cards, processors and compilers."""
    run = found(tmp_path, TRAIN, name).runs[0]

    assert run.precision == precision
    assert run.framework_version == version
    assert run.run_id == f"timm-{words}-resnet50-224-512"


def test_samples_and_milliseconds_become_images_and_seconds(tmp_path: Path) -> None:
    """A step is a batch; of inference it is a latency."""
    trained, inferred = (
        found(tmp_path, TRAIN).runs[0],
        found(tmp_path, INFER, NAME.replace("train", "infer")).runs[0],
    )

    assert [(each.name, each.value, each.unit) for each in trained.metrics] == [
        ("throughput_images_per_s", 1000.0, "images/s"),
        ("step_time_s", 0.512, "s"),
    ]
    assert [(each.name, each.value) for each in inferred.metrics] == [
        ("throughput_images_per_s", 4000.0),
        ("latency_s", 0.256),
    ]
    assert (inferred.mode, inferred.global_batch_size) == (Mode.INFERENCE, 1024)


def test_models_at_224_pixels_are_the_catalogues_workloads(tmp_path: Path) -> None:
    """Trained or not; of another size or model it is timm's own."""
    runs = (
        *found(tmp_path, TRAIN).runs,
        *found(tmp_path, INFER, NAME.replace("train", "infer")).runs,
    )

    assert [run.workload for run in runs] == [
        "resnet50-imagenet",
        "timm-resnet50",
        "timm-vit-base.a1",
        "resnet50-imagenet",
    ]
    assert set(timm.WORKLOADS.values()) <= set(catalog.load().workloads)


def test_only_rows_of_known_workloads_are_recorded_unless_all_are_asked_for(tmp_path: Path) -> None:
    """The others are counted; a table without any is refused with the way to take them."""
    known = found(tmp_path, TRAIN, models="known")

    assert [run.run_id for run in known.runs] == [
        "timm-train-amp-nhwc-pt240-cu124-rtx4090-resnet50-224-512"
    ]
    assert "2 of 3 rows are of models that are no workload" in known.warnings[0]
    assert "--models all records them" in known.warnings[0]
    with pytest.raises(SourceError, match=r"no row can be taken; .*--models all"):
        found(tmp_path, TRAIN.replace("resnet50", "resnet51"), models="known")


ROWS = st.lists(
    st.tuples(
        st.sampled_from([*timm.WORKLOADS, "resnet18", "vit_giant"]),
        st.sampled_from([timm.PIXELS, 288]),
        st.integers(1, 10**7),  # hundredths of an image a second, thousandths of a millisecond
        st.integers(1, 10**7),
        st.integers(1, 2048),
    ),
    min_size=1,
    unique_by=lambda row: (row[0], row[1], row[4]),
)


@given(rows=ROWS)
def test_every_known_row_is_recorded_as_it_is_printed(
    rows: list[tuple[str, int, int, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """And no other; asked for, the others come with it. Recorded once more, no byte changes."""
    folder = tmp_path_factory.mktemp("tables")
    head = TRAIN.partition("\n")[0]
    lines = [f"{m},{r / 100:.2f},{s / 1000:.3f},{b},{p},1.0" for m, p, r, s, b in rows]
    text = "\n".join((head, *lines, ""))
    known = [row for row in rows if row[0] in timm.WORKLOADS and row[1] == timm.PIXELS]

    every = found(folder, text)

    assert len(every.runs) == len(rows)
    if not known:
        with pytest.raises(SourceError, match="no row can be taken"):
            found(folder, text, models="known")
        return
    taken = found(folder, text, models="known")
    assert [run for run in every.runs if run.workload in timm.WORKLOADS.values()] == [*taken.runs]
    assert [
        (run.workload, run.global_batch_size, *(metric.value for metric in run.metrics))
        for run in taken.runs
    ] == [(timm.WORKLOADS[m], b, r / 100, s / 1e6) for m, _, r, s, b in known]
    written = [each.path for each in keep(taken, folder)]
    before = [path.read_bytes() for path in written]
    assert {str(each.change) for each in keep(taken, folder)} == {"unchanged"}
    assert [path.read_bytes() for path in written] == before


def test_a_card_is_one_system_whichever_name_its_files_have(tmp_path: Path) -> None:
    """Of the catalogue, as each of its accelerators; an unknown one keeps its name."""
    names = ("rtx4090", "4090", "pro6000maxq", "rtx0000")
    runs = [found(tmp_path, TRAIN, NAME.replace("rtx4090", name)).runs[0] for name in names]

    assert [run.system for run in runs] == [
        "timm-rtx-4090",
        "timm-rtx-4090",
        "timm-rtx-pro-6000-maxq",
        "timm-rtx0000",
    ]
    assert {run.system for run in runs[:3]} <= set(catalog.load().systems)


def test_a_processor_is_no_accelerator(tmp_path: Path) -> None:
    """It stands as the machine's processor, and is known by its name."""
    name = "benchmark-infer-fp32-nchw-pt240-cpu-i9_10940x-dynamo.csv"
    run = found(tmp_path, INFER, name).runs[0]

    assert run.environment is not None
    assert (run.environment.accelerator_name, run.environment.cpu_model) == (None, "i9_10940x")
    assert run.accelerator == "cpu-intel-core-i9-10940x"
    assert run.system in catalog.load().systems


def test_zero_is_a_failed_model(tmp_path: Path) -> None:
    """No figure of 0 is recorded."""
    run = found(tmp_path, TRAIN).runs[2]

    assert (run.status, run.global_batch_size) == (Status.FAILED, None)
    assert [(each.value, each.status) for each in run.metrics] == [(None, Status.FAILED)]


def test_a_name_that_says_too_little_is_refused(tmp_path: Path) -> None:
    """With one that says all; a table that says its mode in its columns alone is taken."""
    wanted = r"mine.csv: the file's name does not say all conditions, wanted .*rename it"
    with pytest.raises(SourceError, match=wanted):
        found(tmp_path, TRAIN, "mine.csv")

    run = found(tmp_path, TRAIN, "benchmark-bf16-rtx4090.csv").runs[0]

    assert (run.precision, run.accelerator, run.mode) == (Precision.BF16, "rtx-4090", Mode.TRAINING)


def test_a_name_that_contradicts_the_columns_is_refused(tmp_path: Path) -> None:
    """Training is not inference."""
    with pytest.raises(SourceError, match="says 'infer' and the columns 'train'"):
        found(tmp_path, TRAIN, NAME.replace("train", "infer"))


def test_an_unknown_card_is_left_open(tmp_path: Path) -> None:
    """Its name stays in the record."""
    imported = found(tmp_path, TRAIN, NAME.replace("rtx4090", "rtx0000"))

    assert imported.runs[0].accelerator is None
    assert imported.runs[0].environment is not None
    assert imported.runs[0].environment.accelerator_name == "rtx0000"
    assert "'rtx0000' is not in catalog/hardware.csv" in imported.warnings[0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("resnet18,fast,1,2,224,1", "found 'fast', wanted a number"),
        ("resnet18,-5,1,2,224,1", "found '-5', wanted a number"),
        ("resnet18,5,x,2,224,1", "train_step_time: found 'x', wanted milliseconds"),
        ("resnet18,5,1,2.5,224,1", "train_batch_size: found '2.5', wanted a whole number"),
        ("resnet50,1000.0,512.0,512,224,25.56", "is in line 2 too"),
        (",5,1,2,224,1", "model: found '', wanted the name"),
        ("resnet18,5,1,2", "found 4 cells, wanted 6"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_and_the_others_kept(
    tmp_path: Path, row: str, message: str
) -> None:
    """With its line."""
    imported = found(tmp_path, f"{TRAIN}{row}\n")

    assert len(imported.runs) == 3
    assert imported.refused[0].startswith(f"{NAME}:5: ")
    assert message in imported.refused[0]


def test_accuracies_are_of_weights_and_no_runs(tmp_path: Path) -> None:
    """Cells by model and image size, fractions with the decimals of their percentages."""
    imported = found(tmp_path, ACCURACY, "results-imagenet.csv")

    assert imported.runs == ()
    assert [(each.row, each.column, each.value, each.decimals) for each in imported.cells[:2]] == [
        ("eva_giant, 560 px", "top1", 0.8979, 5),
        ("eva_giant, 560 px", "top5", 0.9899, 5),
    ]
    assert imported.cells[0].locator == "file 'results-imagenet.csv', line 2"
    store.write(tmp_path / "cells.parquet", imported.cells)
    assert store.read_file(tmp_path / "cells.parquet") == imported.cells


def test_a_folder_without_a_table_is_refused(tmp_path: Path) -> None:
    """By what would have been wanted."""
    (tmp_path / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")

    with pytest.raises(SourceError, match="no table of timm; wanted CSV with the columns model"):
        timm.parts(tmp_path, {})


def test_the_real_tables(external: Path) -> None:
    """Every row of them, and figures looked up by eye."""
    parts = timm.parts(external / "throughput-timm", {"models": "all"})
    read = {part.name.rpartition("/")[2]: timm.read(part) for part in parts}
    counts = {
        name: (len(each.runs), len(each.cells), len(each.refused)) for name, each in read.items()
    }
    runs = {run.run_id: run for each in read.values() for run in each.runs}

    assert counts == {
        "benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv": (1443, 0, 0),
        "benchmark-infer-amp-nchw-pt240-cu124-rtx4090.csv": (1444, 0, 0),
        "benchmark-train-amp-nhwc-pt112-cu113-rtx3090.csv": (834, 0, 0),
        "results-imagenet.csv": (0, 3112, 0),
    }
    assert len(runs) == 1443 + 1444 + 834
    trained = runs["timm-train-amp-nhwc-pt112-cu113-rtx3090-resnet50-224-512"]
    assert trained.workload == "resnet50-imagenet"
    assert [each.value for each in trained.metrics] == [1218.01, 0.419528]
    inferred = runs["timm-infer-amp-nchw-pt240-cu124-rtx4090-resnet50-224-1024"]
    assert inferred.accelerator == "rtx-4090"
    assert [each.value for each in inferred.metrics] == [4217.6, 0.242763]
    cells = {(each.row, each.column): each.value for each in read["results-imagenet.csv"].cells}
    assert cells["resnet50.a1_in1k, 288 px", "top1"] == 0.8124


RECORDED = (
    # run without timm- and its sizes, images a second, seconds of a step, batch
    ("train-amp-nchw-pt112-cu113-rtx3090-vit-base-patch16-224", 390.86, 0.490391, 192),
    ("train-amp-nhwc-pt112-cu113-rtx3090-efficientnet-b0", 1751.72, 0.291183, 512),
    ("infer-amp-nchw-pt113-cu117-rtx3090-resnet50", 3025.4, 0.338455, 1024),
    ("infer-amp-nhwc-pt240-cu124-rtx4090-convnext-base", 2096.16, 0.244241, 512),
    ("infer-amp-nchw-pt291-cu130-dynamo-5090-resnet50", 12400.78, 0.082556, 1024),
    ("infer-amp-nchw-pt291-cu130-pro6000maxq-vit-base-patch16-224", 4189.64, 0.488777, 2048),
    (
        "infer-bf16-nchw-pt291-cu130-dynamo-pro6000maxq-mobilenetv3-large-100",
        32569.93,
        0.06285,
        2048,
    ),
    (
        "infer-amp-bf16-nchw-pt291-cu130-dynamo-pro6000maxq-swin-base-patch4-window7-224",
        3046.6,
        0.672161,
        2048,
    ),
    ("infer-fp32-nchw-pt240-cpu-dynamo-i7-12700h-resnet50", 30.48, 0.03278, 1),
    ("infer-fp32-nchw-pt221-cpu-dynamo-i9-10940x-convnext-base", 22.56, 0.044224, 1),
)
"""Rows looked up by hand in the published tables."""


def test_recorded_figures_are_those_of_the_tables() -> None:
    """130 of 22 tables, all of known workloads and accelerators; ten were looked up by hand."""
    runs = {run.run_id: run for run in store.read_file(RUNS / "timm-results-runs.parquet")}

    assert len(runs) == 130
    assert {run.workload for run in runs.values()} == set(timm.WORKLOADS.values())
    assert None not in {run.accelerator for run in runs.values()}
    assert len({run.locator.partition(",")[0] for run in runs.values()}) == 22
    for name, rate, seconds, batch in RECORDED:
        run = runs[f"timm-{name}-224-{batch}"]
        assert [metric.value for metric in run.metrics] == [rate, seconds]
        assert run.global_batch_size == batch
