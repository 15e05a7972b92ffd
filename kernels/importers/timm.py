"""Throughput and accuracy tables of timm (PyTorch Image Models).

`benchmark-<mode>-<precision>-<layout>-pt<version>-cu<version>-<hardware>[-dynamo].csv` has a row
per model: samples a second, milliseconds of one step, batch and image size, parameters, and
operations and activations of one forward pass. Mode and hardware are in the file's name only.

Tables have about a thousand models; those of `WORKLOADS` are recorded, at the image size that all
tables share, and the others with `--models all`.

`results-imagenet.csv` and similar files have the accuracy of published weights. That is not of a
run on a system, so it becomes cells of a printed table.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from kernels import catalog
from kernels.errors import SourceError
from kernels.importers.base import (
    Flags,
    Imported,
    Part,
    accelerator,
    files,
    nothing_taken,
    place,
    source_of,
    tables_of,
)
from kernels.machine.system import slug
from kernels.records import (
    Bound,
    Certainty,
    DataKind,
    Environment,
    Metric,
    Mode,
    Origin,
    Precision,
    PrintedCell,
    Run,
    Setting,
    Software,
    Stat,
    Status,
)
from kernels.tabular import Row, Table, header_of, number, table, whole

SUMMARY: Final = (
    "tables of timm: throughput by model (conditions in the file's name), ImageNet "
    "accuracy by model"
)

_TABLES: Final = tables_of(__file__)
SOURCE: Final = source_of(_TABLES)
WORKLOADS: Final[Mapping[str, str]] = _TABLES["workloads"]
HARDWARE: Final[Mapping[str, str]] = _TABLES["hardware"]
PRECISIONS: Final = {word: Precision(named) for word, named in _TABLES["precisions"].items()}

PIXELS: Final = 224
"""Height and width of those workloads' images."""

MODES: Final[Mapping[str, Mode]] = {"train": Mode.TRAINING, "infer": Mode.INFERENCE}

_LAYOUTS: Final = ("nchw", "nhwc")
_ACCURACIES: Final = ("top1", "top5")
_KINDS: Final = {
    "accuracy": ("model", *_ACCURACIES),
    "train": ("train_samples_per_sec",),
    "infer": ("infer_samples_per_sec",),
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions under which a table was measured.

    Attributes:
        kind: `train` or `infer`, as in the names of its columns.
        hardware: As written.
        processor: True if the hardware is a processor.
        words: Words of the file's name, in order, which distinguish the runs of tables.
        software: Versions, parsed from digits without points and therefore reconstructed.
    """

    kind: str
    precision: Precision
    hardware: str
    accelerator: str | None
    processor: bool
    layout: str | None
    compiled: bool
    software: tuple[Software, ...]
    words: tuple[str, ...]

    def cell(self, row: Row, name: str) -> str:
        """Returns the cell of a column whose name begins with the kind; empty without one."""
        return row.cells.get(f"{self.kind}_{name}", "")


OPTIONS: Final[Flags] = {
    "--models": {
        "choices": ("known", "all"),
        "default": "known",
        "help": "which rows: models that are workloads in the catalogue, or all",
    },
}


def parts(path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:
    """Yields each table with timm's columns."""
    found = [
        Part(name, (each,), {"models": options.get("models")})
        for name, each in files(path)
        if _kind(header_of(each)) is not None
    ]
    if not found:
        raise SourceError(
            f"{path.name}: no table of timm; wanted CSV with the columns model and "
            "train_samples_per_sec or infer_samples_per_sec, or model, top1 and top5"
        )
    return found


def _kind(columns: Sequence[str]) -> str | None:
    return next(
        (
            kind
            for kind, wanted in _KINDS.items()
            if "model" in columns and set(wanted) <= set(columns)
        ),
        None,
    )


def read(part: Part) -> Imported:
    """Returns the runs of a table, or the cells of an accuracy table."""
    found = table(part.files[0], part.name)
    kind = _kind(found.columns)
    if kind is None:
        raise SourceError(
            f"{part.name}:1: found the columns {', '.join(found.columns)[:200]}, wanted those of a "
            "table of timm"
        )
    if kind == "accuracy":
        return _accuracy(found, part.name)
    return _throughput(found, part, conditions_of(part.name, kind))


def _throughput(found: Table, part: Part, conditions: Conditions) -> Imported:
    warnings: list[str] = []
    if conditions.accelerator is None:
        warnings.append(
            f"{part.name}: {conditions.hardware!r} is not in catalog/hardware.csv; the accelerator "
            "is left open"
        )
    wanted = [row for row in found.rows if _is_wanted(row, part, conditions)]
    if len(wanted) < len(found.rows):
        warnings.append(
            f"{part.name}: {len(found.rows) - len(wanted)} of {len(found.rows)} rows are of models "
            "that are no workload of the catalogue; --models all records them"
        )
    runs: dict[str, tuple[Run, int]] = {}
    refused = list(found.refused)
    for row in wanted:
        try:
            run = _run(row, part.name, conditions)
        except SourceError as error:
            refused.append(str(error))
            continue
        if run.run_id in runs:
            refused.append(
                f"{part.name}:{row.line}: {row.cells['model']!r} with this image and batch size is "
                f"in line {runs[run.run_id][1]} too"
            )
            continue
        runs[run.run_id] = run, row.line
    if not runs:
        raise nothing_taken(part.name, refused or warnings)
    return Imported(
        source=SOURCE.source,
        runs=tuple(run for run, _ in runs.values()),
        sources=(SOURCE,),
        warnings=tuple(warnings),
        refused=tuple(refused),
    )


def _is_wanted(row: Row, part: Part, conditions: Conditions) -> bool:
    size = whole(conditions.cell(row, "img_size"))
    known = _workload(row.cells["model"], size) is not None
    return known or part.options.get("models") == "all"


def conditions_of(name: str, kind: str) -> Conditions:
    """Parses a file's name.

    Raises:
        SourceError: Precision or hardware is missing, or the mode differs from the columns.
    """
    words = _words(name)
    mode, precision, layout = (
        next((word for word in words if word in known), None)
        for known in (MODES, PRECISIONS, _LAYOUTS)
    )
    versions = [word for word in words if re.fullmatch(r"(?:pt|cu)\d{2,4}|cpu|dynamo", word)]
    said = {mode, precision, layout, *versions}
    hardware = "-".join(word for word in words if word not in said)
    if precision is None or not slug(hardware):
        raise SourceError(
            f"{name}: the file's name does not say all conditions, wanted "
            "benchmark-train-amp-nchw-pt240-cu124-rtx4090.csv or the like; rename it"
        )
    if mode not in {None, kind}:  # older names have no mode; the columns do
        raise SourceError(
            f"{name}: the name says {mode!r} and the columns {kind!r}; rename the file"
        )
    named = [kind, precision, layout, *versions, hardware]
    return Conditions(
        kind=kind,
        precision=PRECISIONS[precision],
        hardware=hardware,
        accelerator=accelerator(HARDWARE.get(hardware, hardware), catalog.load().hardware),
        processor="cpu" in versions,
        layout=layout,
        compiled="dynamo" in versions,
        software=tuple(_software(versions)),
        words=tuple(slug(word) for word in named if word),
    )


def _words(name: str) -> list[str]:
    stem = name.rpartition("/")[2].rpartition(".")[0] or name
    words = [
        word
        for word in stem.lower().replace("model_benchmark_", "benchmark-").split("-")
        if word and word != "benchmark"
    ]
    if words and "_" in words[0] and words[0] not in PRECISIONS:  # older names: amp_nchw_rtx3090
        words = [*words[0].split("_"), *words[1:]]
    return words


def _software(versions: Iterable[str]) -> Iterator[Software]:
    """Parses `pt240` as PyTorch 2.4.0, `pt112` as 1.12 (1.x.y does not occur), `cu124` as CUDA
    12.4.
    """
    for word in versions:
        digits = word[2:]
        if word.startswith("pt"):
            version = (
                f"{digits[0]}.{digits[1:]}"
                if digits[0] == "1" or len(digits) == 2  # noqa: PLR2004 - 2.4
                else f"{digits[0]}.{digits[1:-1]}.{digits[-1]}"
            )
            yield Software("PyTorch", version, Certainty.RECONSTRUCTED)
        elif word.startswith("cu"):
            yield Software("CUDA", f"{digits[:-1]}.{digits[-1]}", Certainty.RECONSTRUCTED)


def _run(row: Row, name: str, conditions: Conditions) -> Run:
    model, rate, batch, size = _checked(row, name, conditions)
    words = slug(model)
    sizes = [str(each) for each in (size, batch) if each is not None]
    return Run(
        run_id="-".join(("timm", *conditions.words, words, *sizes)),
        origin=Origin.IMPORTED,
        source=SOURCE.source,
        locator=place(name.rpartition("/")[2], row.line),
        licence=SOURCE.licence,
        credit=SOURCE.credit,
        workload=_workload(model, size) or f"timm-{words}",
        system=f"timm-{conditions.accelerator or slug(conditions.hardware)}",
        status=Status.OK if rate else Status.FAILED,
        mode=MODES[conditions.kind],
        status_detail=None
        if rate
        else "the table has 0 samples/s, which stands for a failed model",
        accelerator=conditions.accelerator,
        accelerators=1,  # timm's benchmark script drives one device
        framework="PyTorch",
        framework_version=next(
            (each.version for each in conditions.software if each.name == "PyTorch"), None
        ),
        implementation="timm",
        implementation_url="https://github.com/huggingface/pytorch-image-models",
        precision=conditions.precision,
        # the script draws one random batch on the device and feeds it again and again
        data=DataKind.SYNTHETIC_DEVICE,
        augmentation=False,
        global_batch_size=batch,
        metrics=tuple(_metrics(row, name, rate, conditions)),
        software=conditions.software,
        settings=tuple(_settings(row, size, conditions)),
        environment=Environment(
            accelerator_name=None if conditions.processor else conditions.hardware,
            accelerator_count=None if conditions.processor else 1,
            cpu_model=conditions.hardware if conditions.processor else None,
            compile_mode="dynamo" if conditions.compiled else None,
            memory_format=conditions.layout,
        ),
    )


def _workload(model: str, size: int | None) -> str | None:
    return WORKLOADS.get(model) if size == PIXELS else None


def _settings(row: Row, size: int | None, conditions: Conditions) -> Iterator[Setting]:
    settings = {
        "model": row.cells["model"],
        "image_size": None if size is None else str(size),
        "memory_layout": conditions.layout,
        "parameters_millions": row.cells.get("param_count"),
        "forward_gmacs": conditions.cell(row, "gmacs"),
        "forward_macts": conditions.cell(row, "macts"),
    }
    return (Setting(key, value) for key, value in settings.items() if value)


def _checked(
    row: Row, name: str, conditions: Conditions
) -> tuple[str, float, int | None, int | None]:
    at = f"{name}:{row.line}"
    of = f"{at}: {conditions.kind}_"
    model, rate_text = row.cells["model"], conditions.cell(row, "samples_per_sec")
    rate = number(rate_text)
    if not slug(model):
        raise SourceError(f"{at}: model: found {model!r}, wanted the name of a model")
    if rate is None or rate < 0:
        raise SourceError(
            f"{of}samples_per_sec: found {rate_text!r}, wanted a number, or 0 for a failed model"
        )
    sizes = {column: conditions.cell(row, column) for column in ("batch_size", "img_size")}
    for column, text in sizes.items():
        if text and whole(text) is None and (rate or text not in {"0", "0.0"}):
            raise SourceError(f"{of}{column}: found {text!r}, wanted a whole number of 1 or more")
    return model, rate, whole(sizes["batch_size"]), whole(sizes["img_size"])


def _metrics(row: Row, name: str, rate: float, conditions: Conditions) -> Iterator[Metric]:
    if not rate:
        yield Metric("throughput_images_per_s", None, "images/s", status=Status.FAILED)
        return
    yield Metric("throughput_images_per_s", rate, "images/s", stat=Stat.NOT_STATED)
    if step := conditions.cell(row, "step_time"):
        milliseconds = number(step)
        if milliseconds is None or milliseconds <= 0:
            raise SourceError(
                f"{name}:{row.line}: {conditions.kind}_step_time: found {step!r}, wanted "
                "milliseconds above 0"
            )
        seconds = float(Decimal(step) / 1000)  # in tenths as printed: 9.356 ms is 0.009356 s
        name = "step_time_s" if conditions.kind == "train" else "latency_s"
        yield Metric(name, seconds, "s", stat=Stat.NOT_STATED)


def _accuracy(found: Table, name: str) -> Imported:
    cells: list[PrintedCell] = []
    refused = list(found.refused)
    kept: dict[str, int] = {}
    for row in found.rows:
        size = row.cells.get("img_size", "")
        label = f"{row.cells['model']}, {size} px" if size else row.cells["model"]
        shares = [number(row.cells[column]) for column in _ACCURACIES]
        if not row.cells["model"] or any(
            share is None or not 0 <= share <= 100  # noqa: PLR2004 - per cent
            for share in shares
        ):
            found_cells = f"{row.cells['top1']!r} and {row.cells['top5']!r}"
            refused.append(
                f"{name}:{row.line}: top1, top5: found {found_cells} for {row.cells['model']!r}, "
                "wanted per cent from 0 to 100"
            )
        elif label in kept:
            refused.append(
                f"{name}:{row.line}: {label!r} is in line {kept[label]} too; the first is kept"
            )
        else:
            cells += [_cell(row, column, label, len(kept), name) for column in _ACCURACIES]
            kept[label] = row.line
    if not cells:
        raise nothing_taken(name, refused)
    return Imported(
        source=SOURCE.source, cells=tuple(cells), sources=(SOURCE,), refused=tuple(refused)
    )


def _cell(row: Row, column: str, label: str, index: int, name: str) -> PrintedCell:
    share = Decimal(row.cells[column])
    exponent = share.as_tuple().exponent
    file = name.rpartition("/")[2]
    return PrintedCell(
        source=SOURCE.source,
        table=slug(file.rpartition(".")[0]) or "results",
        row_index=index,
        row=label,
        column=column,
        text=None,
        value=float(share / 100),
        unit="1",
        decimals=2 - exponent if isinstance(exponent, int) else None,
        bound=Bound.EQ,
        certainty=Certainty.STATED,
        locator=place(file, row.line),
    )
