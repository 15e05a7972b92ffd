"""The transcription of the first source, and what the importer refuses."""

import re
import shutil
from pathlib import Path

import pytest

from kernels import store
from kernels.audit.facts import FORMULAS
from kernels.errors import SourceError
from kernels.importers import article
from kernels.metrics import metric_unit
from kernels.records import (
    Bound,
    Certainty,
    ClockScope,
    DataKind,
    Origin,
    Precision,
    SourceKind,
    Status,
)
from kernels.store import Archive
from tests.makers import SOURCES, transcribed

TPU = "tpuv2-v100-tpu-imagenet-1024"
GPU = "tpuv2-v100-v100-tensorflow-imagenet-1024"


@pytest.fixture(scope="module")
def found() -> Archive:
    """The first source."""
    return transcribed("tpuv2-v100")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of it that a test may spoil."""
    return Path(shutil.copytree(SOURCES / "tpuv2-v100", tmp_path / "tpuv2-v100"))


@pytest.mark.parametrize(
    "path",
    sorted(path.parent for path in SOURCES.glob("*/source.toml")),
    ids=lambda path: path.name,
)
def test_every_source_in_the_archive_is_readable(path: Path) -> None:
    """Each folder of runs/sources passes the importer."""
    assert article.transcribed(path).sources[0].source == path.name


def test_all_runs_are_there(found: Archive) -> None:
    """Three synthetic results, the failed batch, two trainings, two rows of a picture."""
    seen = {
        run.run_id.removeprefix("tpuv2-v100-"): (run.status, run.global_batch_size)
        for run in found.runs
    }

    assert seen == {
        "tpu-synthetic-1024": (Status.OK, 1024),
        "v100-tensorflow-synthetic-1024": (Status.OK, 1024),
        "v100-mxnet-synthetic-768": (Status.OK, 768),
        "v100-mxnet-synthetic-1024": (Status.OOM, 1024),
        "tpu-imagenet-1024": (Status.OK, 1024),
        "v100-tensorflow-imagenet-1024": (Status.OK, 1024),
        "tpu-synthetic-other": (Status.NOT_REPORTED, None),
        "v100-tensorflow-synthetic-other": (Status.NOT_REPORTED, None),
    }
    assert all(run.origin is Origin.PUBLISHED and run.accelerators == 4 for run in found.runs)
    assert {run.parallelism for run in found.runs} == {"synchronous_data_parallel"}


def test_the_trainings_have_all_their_figures(found: Archive) -> None:
    """Throughput, accuracies, epochs to both targets with places; the GPU misses the second."""
    runs = {run.run_id: run for run in found.runs}

    figures = {
        run_id: {metric.key: metric.value for metric in runs[run_id].metrics}
        for run_id in (TPU, GPU)
    }

    assert figures[TPU] == {
        "throughput_images_per_s": 2796,
        "final_accuracy": 0.764,
        "best_accuracy": 0.764,
        "best_accuracy_epoch": 86,
        "epochs_to_target@0.757": 64,
        "epochs_to_target@0.764": 86,
    }
    assert figures[GPU] == {
        "throughput_images_per_s": 2839,
        "final_accuracy": 0.757,
        "best_accuracy": 0.757,
        "best_accuracy_epoch": 84,
        "epochs_to_target@0.757": 84,
        "epochs_to_target@0.764": None,
    }
    unreached = runs[GPU].metric("epochs_to_target@0.764")
    assert unreached is not None
    assert unreached.status is Status.NOT_CONVERGED
    assert (runs[TPU].precision, runs[GPU].precision) == (Precision.AMP_BF16, Precision.AMP_FP16)
    assert runs[TPU].clock_scope is ClockScope.TRAIN_ONLY
    assert runs[TPU].data is DataKind.REAL


def test_every_figure_has_a_locator(found: Archive) -> None:
    """Each metric, claim, cell and review says where it stands, in every language's words."""
    locators = [metric.locator for run in found.runs for metric in run.metrics]
    locators += [run.locator for run in found.runs]
    locators += [claim.locator for claim in found.claims]
    locators += [cell.locator for cell in found.cells]
    locators += [review.locator for review in found.reviews]

    assert all(
        re.fullmatch(
            r"(?:table|section) \d, (?:paragraph|caption|row) \d(?:, column \d)?", locator or ""
        )
        for locator in locators
    )


def test_precision_of_print_is_kept(found: Archive) -> None:
    """3280 is about and to tens, 3186 as it stands, 1.3 million to hundred thousands."""
    runs = {run.run_id: run for run in found.runs}
    cells = {(cell.table, cell.row, cell.column): cell for cell in found.cells}

    mxnet = runs["tpuv2-v100-v100-mxnet-synthetic-768"].metric("throughput_images_per_s")
    images = cells["dataset", "training-images", "count"]

    assert mxnet is not None
    assert (mxnet.value, mxnet.bound, mxnet.decimals) == (3280, Bound.APPROX, -1)
    assert (images.value, images.bound, images.decimals) == (1_300_000, Bound.EQ, -5)


def test_versions_are_marked_as_put_together(found: Archive) -> None:
    """The software of the GPU side, with its image, and every version reconstructed."""
    run = next(run for run in found.runs if run.run_id == GPU)

    assert [(software.name, software.version) for software in run.software] == [
        ("TensorFlow", "1.7.0"),
        ("CUDA", "9.0"),
        ("cuDNN", "7.1.2"),
        ("Ubuntu", "16.04"),
    ]
    assert {software.certainty for software in run.software} == {Certainty.RECONSTRUCTED}
    assert run.container == "tensorflow/tensorflow:1.7.0-gpu"


def test_the_source_says_what_its_copy_does_not(found: Archive) -> None:
    """Neither author nor date is made up; the address is that of the original; vendors and experts
    were asked.
    """
    source = found.sources[0]

    assert source.kind == SourceKind.ARTICLE
    assert source.language == "ru"
    assert source.translated_from == "en"
    assert (source.authors, source.published) == (None, None)
    assert source.url is not None and source.url.startswith("https://blog.riseml.com/comparing-")
    assert source.published_note and source.transcription_note
    assert {(review.role, review.status) for review in found.reviews} == {
        ("vendor", "asked"),
        ("independent", "asked"),
    }


def test_the_records_pass_through_files_unchanged(found: Archive, tmp_path: Path) -> None:
    """What the store writes of the source is what it reads."""
    for name in ("runs", "claims", "sources", "reviews", "cells"):
        store.write(tmp_path / f"tpuv2-v100.{name}.parquet", getattr(found, name))

    archive = store.read(tmp_path)

    assert archive.problems == ()
    assert sorted(archive.runs, key=lambda run: run.run_id) == sorted(
        found.runs, key=lambda run: run.run_id
    )
    assert archive.claims == found.claims
    assert archive.sources == found.sources
    assert archive.reviews == found.reviews
    assert archive.cells == found.cells


def test_the_columns_of_a_source_are_written_down() -> None:
    """The README has each column of runs.csv that is no metric, and the others' keys."""
    readme = (SOURCES / "README.md").read_text(encoding="utf-8")
    named: set[str] = set()
    for path in SOURCES.glob("*/*.csv"):
        named |= set(path.read_text(encoding="utf-8").splitlines()[0].split(","))
    for path in [*SOURCES.glob("*/*.toml")]:
        named |= set(
            re.findall(r"^([a-z_]+) = ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        )

    absent = {
        name
        for name in named
        if f"`{name}`" not in readme
        and metric_unit(name.removesuffix(" at").partition("@")[0]) is None
    }

    assert absent == set()


def test_claims_are_many_and_name_their_formula(found: Archive) -> None:
    """Each claim has a formula that exists, or a reason why it has none."""
    assert len(found.claims) >= 18
    assert all(claim.formula in FORMULAS or claim.reason for claim in found.claims)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "source.toml",
            'source = "tpuv2-v100"',
            'source = "other"',
            "source: found 'other', wanted the folder's name 'tpuv2-v100'",
        ),
        (
            "source.toml",
            'kind = "article"',
            'kind = "blog"',
            r"source.toml: kind: found 'blog', wanted one of article",
        ),
        (
            "runs.csv",
            "cloud-tpu-v2-8",
            "cloud-tpu-v2",
            r"runs.csv:2: system: found 'cloud-tpu-v2', .* did you mean 'cloud-tpu-v2-8'",
        ),
        (
            "runs.csv",
            ",3186,",
            ',"3,186",',
            r"runs.csv:2: throughput_images_per_s: found '3,186', wanted a figure",
        ),
        (
            "runs.csv",
            "throughput_images_per_s,",
            "throughput_pictures_per_s,",
            "unknown column 'throughput_pictures_per_s'",
        ),
        ("runs.csv", "table 1, row 3, column 1", "somewhere", "wanted parts such as 'table 1, row"),
        ("runs.csv", "CUDA 9.0 reconstructed", "CUDA", "found 'CUDA', wanted a name and a version"),
        (
            "runs.csv",
            "tpuv2-v100-tpu-synthetic-1024",
            "tpu-synthetic-1024",
            "an id that starts with 'tpuv2-v100'",
        ),
        (
            "runs.csv",
            "tpuv2-v100-tpu-synthetic-other",
            "tpuv2-v100-tpu-synthetic-1024",
            "runs.csv: given twice: tpuv2-v100-tpu-s",
        ),
        (
            "claims.toml",
            'formula = "product"',
            'formula = "produkt"',
            r"\[\[claim\]\] 1: formula: .* did you mean 'product'",
        ),
        ("claims.toml", 'printed = "64"', "printed = 64", "printed: found 64, wanted a text"),
        (
            "claims.toml",
            'unit = "GB"',
            'unit = "GiB"',
            r"claim tpuv2-v100-memory-total-tpu: unit 'GiB' is not in units\.UNITS",
        ),
        ("claims.toml", 'reason = "figure-is-picture"', "", "a reason why it cannot be checked"),
        (
            "claims.toml",
            '"run:tpuv2-v100-tpu-synthetic-1024:accelerators",',
            "",
            "inputs: found 1, wanted 2: x, chips",
        ),
        ("reviews.csv", ",vendor,", ",seller,", "role: found 'seller', wanted one of vendor, ind"),
        ("tables/dataset.csv", ",1.3e6,images,", ",1.3e6,,", "a unit with it, and no text"),
        (
            "tables/dataset.csv",
            "training-images,size",
            "training-images,count",
            "given twice: dataset: training-images, count",
        ),
    ],
)
def test_bad_input_is_refused_by_place(
    folder: Path, file: str, old: str, new: str, said: str
) -> None:
    """File, line or table, field, what was found and what was wanted."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")

    with pytest.raises(SourceError, match=said):
        article.transcribed(folder)


def test_a_figure_of_others_without_a_date_is_refused(tmp_path: Path) -> None:
    """Nor without a link; that the source gives none has to be said."""
    folder = tmp_path / "catalyst-cost"
    shutil.copytree(SOURCES / "catalyst-cost", folder)
    market = folder / "tables" / "market.csv"
    whole = market.read_text(encoding="utf-8")
    market.write_text(whole.replace("instance-shares,dated", "instance-shares,day"), "utf-8")

    with pytest.raises(SourceError, match="market: instance-shares: no dated of a figure"):
        article.transcribed(folder)


def test_a_folder_without_source_is_refused(tmp_path: Path) -> None:
    """The message says what a source's folder is."""
    with pytest.raises(SourceError, match=r"no source\.toml in it"):
        article.transcribed(tmp_path)
