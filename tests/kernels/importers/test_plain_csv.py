"""A plain table is read as written or refused with its place; nothing reads in two ways."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kernels import store
from kernels.errors import SourceError
from kernels.importers import plain_csv
from kernels.importers.base import Imported
from kernels.records import NO_LICENCE, Bound, Origin, Precision, Run, Setting, Software, Status

HEAD = "source,title,licence,credit,workload,system,accelerator,accelerators"
FACTS = "lab,A lab,CC-BY-4.0,The Lab,resnet50-imagenet,lab-v100,v100,4"
TABLE = f"{HEAD},train_time_s\n{FACTS},5\n"


def found(folder: Path, text: str, curve: str | None = None, name: str = "mine.csv") -> Imported:
    """What a table holds."""
    path = folder / name
    path.write_bytes(text.encode())
    if curve is not None:
        (folder / "mine.curve.csv").write_text(curve, encoding="utf-8")
    (part,) = plain_csv.parts(path, {})
    return plain_csv.read(part)


def one(folder: Path, columns: str, cells: str, **files: str) -> Run:
    """The run of a table of one row, with more columns."""
    (run,) = found(folder, f"{HEAD},{columns}\n{FACTS},{cells}\n", **files).runs
    return run


def test_the_template_can_be_imported_as_it_stands(tmp_path: Path) -> None:
    """Two runs, one of them out of memory, no warning, the same bytes when written twice."""
    imported = found(tmp_path, plain_csv.TEMPLATE)

    assert [(run.run_id, run.status) for run in imported.runs] == [
        ("my-lab-2024-first", Status.OK),
        ("my-lab-2024-second", Status.OOM),
    ]
    assert imported.runs[0].locator == "file 'mine.csv', line 35"
    assert (imported.warnings, imported.sources[0].licence) == ((), "CC-BY-4.0")
    store.write(tmp_path / "runs.parquet", imported.runs)
    assert store.read_file(tmp_path / "runs.parquet") == imported.runs


def test_the_template_names_every_column_that_must_be_there() -> None:
    """Its comment explains each of them."""
    assert all(f"#   {name} " in plain_csv.TEMPLATE for name in plain_csv._REQUIRED)


def test_figures_keep_what_they_say_of_themselves(tmp_path: Path) -> None:
    """Decimals, per cent, about, a range, and a word for what is missing."""
    run = one(
        tmp_path,
        "throughput_images_per_s,final_accuracy,train_time_s,step_time_s,energy_j,n",
        "2821.50,76.4%,~3.6e3,0.1..0.2,not_reported,3",
    )
    by_name = {each.name: each for each in run.metrics}

    assert by_name["throughput_images_per_s"].value == 2821.5
    assert by_name["throughput_images_per_s"].decimals == 2
    assert (by_name["final_accuracy"].value, by_name["final_accuracy"].n) == (0.764, 3)
    assert by_name["train_time_s"].bound is Bound.APPROX
    assert (by_name["step_time_s"].low, by_name["step_time_s"].high) == (0.1, 0.2)
    assert (by_name["energy_j"].value, by_name["energy_j"].status) == (None, Status.NOT_REPORTED)


def test_an_empty_cell_is_not_measured(tmp_path: Path) -> None:
    """No metric, no number: never 0."""
    run = one(tmp_path, "throughput_images_per_s,energy_j,global_batch_size", "10,,")

    assert [each.name for each in run.metrics] == ["throughput_images_per_s"]
    assert (run.global_batch_size, run.status, run.origin) == (None, Status.OK, Origin.IMPORTED)


def test_fields_of_a_run_are_columns_by_their_names(tmp_path: Path) -> None:
    """Words of enumerations, yes and no, lists, and a time that becomes UTC."""
    run = one(
        tmp_path,
        "precision,augmentation,started_at,software,settings,train_time_s",
        "bf16,no,2024-05-31T12:00:00+02:00,PyTorch 2.4.0; CUDA -,momentum=0.9,60",
    )

    assert run.precision == Precision.BF16
    assert run.augmentation is False
    assert run.started_at == datetime(2024, 5, 31, 10, tzinfo=UTC)
    assert run.software == (Software("PyTorch", "2.4.0"), Software("CUDA", None))
    assert run.settings == (Setting("momentum", "0.9"),)


def test_an_id_is_made_of_what_tells_runs_apart(tmp_path: Path) -> None:
    """A row put in above changes nothing; two runs of one id are refused with both lines."""
    table = f"{HEAD},precision,seed,train_time_s\n{FACTS},amp_fp16,1,60\n{FACTS},amp_fp16,2,61\n"

    runs = found(tmp_path, table).runs

    assert [run.run_id for run in runs] == [
        f"lab-resnet50-imagenet-lab-v100-x4-amp-fp16-s{seed}" for seed in (1, 2)
    ]
    with pytest.raises(
        SourceError, match=r"mine.csv:4: run_id: .*mine.csv:2 has too; tell them apart"
    ):
        found(tmp_path, f"{table}{FACTS},amp_fp16,1,62\n")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", "\t"),
        lambda text: "# a comment, with a comma\n\n" + text + ",,,,,,,,\n",
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", ",\n"),
    ],
    ids=[
        "mark of UTF-8",
        "CRLF",
        "semicolons",
        "tabs",
        "comments and blank rows",
        "no last newline",
        "an empty last column",
    ],
)
def test_spreadsheets_write_the_same_table_in_many_ways(tmp_path: Path, change: object) -> None:
    """The run is the same; only its line may be another."""
    text = f"{HEAD},throughput_images_per_s\n{FACTS},2821.5\n"

    (run,) = found(tmp_path, change(text)).runs  # type: ignore[operator]  # tests name what they change

    assert replace(run, locator="") == replace(found(tmp_path, text).runs[0], locator="")


def test_figures_in_thousands_of_a_table_with_semicolons_are_warned_of(tmp_path: Path) -> None:
    """1.234 may be meant as 1234 where commas are for decimals."""
    imported = found(tmp_path, f"{HEAD},train_time_s\n{FACTS},1.234\n".replace(",", ";"))

    assert imported.runs[0].metrics[0].value == 1.234
    assert "train_time_s: '1.234' is read with a point for decimals" in imported.warnings[0]


@pytest.mark.parametrize(
    ("columns", "cells", "message"),
    [
        ("train_time_s", '"3,5"', r"csv:2: train_time_s: found '3,5', wanted a point for decimals"),
        ("train_time_s", "1 234", r"found '1 234', wanted a point for decimals and no separator"),
        (
            "train_time_s,global_batch_size",
            "5,1_024",
            r"global_batch_size: found '1_024', wanted a point for decimals",
        ),
        ("train_time_s", "3,5", r"csv:2: found 10 cells, wanted 9; quote a cell that holds a com"),
        ("train_time_s", "fast", r"train_time_s: found 'fast', wanted a figure .*or a status: oom"),
        (
            "train_time_s",
            "0",
            r"train_time_s: found '0', wanted a figure above 0; nothing where it was not measured",
        ),
        ("train_time_s", "", r"status: found ok, and no figure"),
        ("train_time_s", "oom", r"status: found ok, and no figure"),
        (
            "final_accuracy",
            "76.4",
            r"final_accuracy: found '76.4', wanted a fraction from 0 to 1, or a percentage",
        ),
        ("train_time_s,seed", "5,x", r"seed: found 'x', wanted a number"),
        ("train_time_s,status", "5,fine", r"status: found 'fine', wanted one of ok"),
        ("train_time_s,precision", "5,half", r"precision: found 'half', wanted one of fp64"),
        (
            "train_time_s,run_id",
            "5,mine",
            r"run_id: found 'mine', wanted an id that begins with the source's, as in 'lab-mine'",
        ),
        ("train_time_s,started_at", "5,2024-05-31 12:00", r"started_at: .*a time with its zone"),
        ("train_time_s,submitter", "5,someone@example.org", r"submitter: .*wanted no mail address"),
        ("trian_time_s", "5", r"csv:1: unknown column 'trian_time_s'; did you mean 'train_t"),
        ("epochs_to_target@75.7,target_metric", "5,top1", r"the target 75.7, wanted a fraction"),
        ("train_time_s,train_time_s", "5,6", r"the column 'train_time_s' is there twice"),
        ("train_time_s,accelerators ", "5,6", r"the column 'accelerators' is there twice"),
        ("train_time_s,settings", "5,momentum", r"settings: found 'momentum', wanted name=value"),
        ("train_time_s,n", "5," + "9" * 5000, r"n: found '9+', wanted how many runs|a number"),
    ],
)
def test_what_could_be_read_wrongly_is_refused(
    tmp_path: Path, columns: str, cells: str, message: str
) -> None:
    """Each with what was found and what was wanted."""
    with pytest.raises(SourceError, match=message):
        one(tmp_path, columns, cells)


@pytest.mark.parametrize(
    ("licence", "message"),
    [
        ("CC BY 4.0", r"licence: found 'CC BY 4.0', wanted an SPDX id.*did you mean 'CC-BY-4.0'"),
        ("cc-by-4.0", r"did you mean 'CC-BY-4.0'"),
        ("", r"licence: found nothing, wanted a text"),
    ],
)
def test_a_licence_is_an_spdx_id(tmp_path: Path, licence: str, message: str) -> None:
    """Without one nobody may pass the figures on."""
    with pytest.raises(SourceError, match=message):
        found(tmp_path, TABLE.replace("CC-BY-4.0", licence))


def test_a_licence_that_is_not_stated_is_said_to_be_none(tmp_path: Path) -> None:
    """Its runs can be read; an id that only looks right is taken with a warning."""
    assert found(tmp_path, TABLE.replace("CC-BY-4.0", NO_LICENCE)).runs[0].licence == NO_LICENCE
    assert (
        "is not among those known here"
        in found(tmp_path, TABLE.replace("CC-BY-4.0", "Artistic-2.0")).warnings[0]
    )


def test_the_source_is_said_once(tmp_path: Path) -> None:
    """Rows below the first may leave it empty, and may not say another."""
    second = ",,,,resnet50-imagenet,lab-v100,v100,8,6"
    table = f"{TABLE}{second}\n"

    assert [run.credit for run in found(tmp_path, table).runs] == ["The Lab", "The Lab"]
    with pytest.raises(
        SourceError,
        match=r"mine.csv:3: credit: found 'Others', wanted 'The Lab' as in the first row",
    ):
        found(tmp_path, table.replace(second, second.replace(",,,,", ",,,Others,", 1)))


def test_what_the_catalogue_does_not_know_is_warned_of(tmp_path: Path) -> None:
    """An accelerator by any name becomes its id; an unknown one is open, its name kept."""
    assert found(tmp_path, TABLE.replace(",v100,", ",Tesla V100,")).runs[0].accelerator == "v100"
    unknown = found(
        tmp_path,
        TABLE.replace(",v100,", ",v1000,").replace("resnet50-imagenet", "resnet51-imagenet"),
    )
    run = unknown.runs[0]
    assert run.accelerator is None
    assert run.environment is not None
    assert run.environment.accelerator_name == "v1000"
    assert (
        "workload 'resnet51-imagenet' is not in catalog/workloads.toml; did you mean "
        "'resnet50-imagenet'" in unknown.warnings[0]
    )
    assert (
        "accelerator 'v1000' is not in catalog/hardware.csv and is left open" in unknown.warnings[1]
    )


def test_a_system_of_the_catalogue_has_what_it_has(tmp_path: Path) -> None:
    """A Cloud TPU v2-8 with eight chips is warned of."""
    imported = found(tmp_path, TABLE.replace("lab-v100,v100,4", "cloud-tpu-v2-8,tpu-v2,8"))

    assert "found 8 x tpu-v2 on cloud-tpu-v2-8, which has 4 x tpu-v2" in imported.warnings[0]


def test_curves_lie_beside_the_table(tmp_path: Path) -> None:
    """In training order, with each reading's place; a run may have a curve and nothing else."""
    run = one(
        tmp_path,
        "run_id",
        "lab-a",
        curve="run,epoch,time_s,metric,value\nlab-a,2,120.5,top1,50%\nlab-a,1,60,top1,0.25\nlab-a,1,60,loss,6.5\n",
    )

    assert [(each.metric, each.epoch, each.time_s, each.value) for each in run.evaluations] == [
        ("top1", 1.0, 60.0, 0.25),
        ("loss", 1.0, 60.0, 6.5),
        ("top1", 2.0, 120.5, 0.5),
    ]
    assert run.evaluations[0].locator == "file 'mine.curve.csv', line 3"


@pytest.mark.parametrize(
    ("curve", "message"),
    [
        (
            "run,epoch,metric,value\nlab-b,1,top1,0.5\n",
            r"mine.curve.csv:2: run: found 'lab-b', wanted a run of mine.csv; did you mean 'lab-a'",
        ),
        ("run,epoch,metric,value\nlab-a,1,top1,50\n", r"value: found '50', wanted a fraction"),
        ("run,metric,value\nlab-a,top1,0.5\n", r"one of epoch, samples and step must say where"),
        (
            "run,epoch,metric,value\nlab-a,1,top1,0.5\nlab-a,1,top1,0.6\n",
            r"a second time, first in mine.curve.csv:2",
        ),
        ("run,epoch,metric,value\nlab-a,-1,top1,0.5\n", r"epoch: found '-1', wanted 0 or more"),
        ("run,epoch,metric,value\nlab-a,1,top1,~0.5\n", r"wanted one reading"),
        ("run,epcoh,metric,value\nlab-a,1,top1,0.5\n", r"unknown column 'epcoh'; did you mean"),
    ],
)
def test_a_reading_that_fits_nowhere_is_refused(tmp_path: Path, curve: str, message: str) -> None:
    """Curves are checked as tables are."""
    with pytest.raises(SourceError, match=message):
        one(tmp_path, "run_id,train_time_s", "lab-a,5", curve=curve)


def test_a_folder_is_all_its_tables(tmp_path: Path) -> None:
    """Each with its curves; curves without their table, and folders without one, are refused."""
    with pytest.raises(SourceError, match="found no table of runs"):
        list(plain_csv.parts(tmp_path, {}))
    for name in ("a.csv", "a.curve.csv", "b.tsv", "notes.txt"):
        (tmp_path / name).touch()

    assert [(part.name, len(part.files)) for part in plain_csv.parts(tmp_path, {})] == [
        ("a.csv", 2),
        ("b.tsv", 1),
    ]
    (tmp_path / "c.curve.csv").touch()
    with pytest.raises(
        SourceError, match=r"c.curve.csv: found curves without their table, wanted c.csv"
    ):
        list(plain_csv.parts(tmp_path, {}))
