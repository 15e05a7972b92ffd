"""Lambda's tables of training throughput, with the batch sizes of the tables beside them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kernels.catalog import Catalog
from kernels.errors import SourceError
from kernels.importers.base import Imported, Part, has_address, lines, nothing_taken, place
from kernels.importers.lambda_labs.benchmark import (
    MODELS,
    PRECISIONS,
    SOURCE,
    Machine,
    figure_of,
    machine_of,
    run_of,
)
from kernels.machine.system import slug
from kernels.records import Run, Setting, Status
from kernels.tabular import Row, Table, number, table, whole

COLUMNS: Final = ("name_gpu", "num_gpu")
"""Columns that name the machine of a row."""

_NAMED: Final = {
    "fp16": "such tables hold tasks in automatic mixed precision as well",
    "fp32": "on cards since Ampere the libraries may have computed in TF32",
}


def is_batch_sizes(path: Path) -> bool:
    """Returns True if a table has batch sizes instead of throughput, by its name."""
    return "bs" in re.split(r"[^a-z]+", path.stem.lower())


def read_tables(part: Part, known: Catalog) -> Imported:
    """Returns the runs of a throughput table.

    Raises:
        SourceError: No throughput table or several, no model, or no valid row.
    """
    path = _throughput_table(part)
    precision = _said_precision(path)
    found = table(path, path.name)
    models = [column for column in found.columns if column in MODELS]
    if not models:
        raise SourceError(
            f"{path.name}:1: found the columns {', '.join(found.columns)[:200]}, wanted one of "
            f"{', '.join(MODELS)} or more"
        )
    batches, refused = _batches([each for each in part.files if each != path], known)
    prefix = [each for each in ("lambda", part.options.get("within"), slug(path.stem)) if each]
    sheet = _Sheet(
        path,
        tuple(prefix),
        precision,
        tuple(models),
        batches,
        known,
        refused=[*found.refused, *refused],
        warnings=list(_table_warnings(found, path.name, precision)),
    )
    for row in found.rows:
        sheet.take(row)
    if not sheet.runs:
        raise nothing_taken(path.name, sheet.refused)
    return Imported(
        source=SOURCE.source,
        runs=tuple(sheet.runs),
        sources=(SOURCE,),
        warnings=(*sheet.warnings, *sheet.summed_up()),
        refused=tuple(sheet.refused),
    )


def _throughput_table(part: Part) -> Path:
    rates = [path for path in part.files if not is_batch_sizes(path)]
    if not rates:
        raise SourceError(
            f"{part.name}: found batch sizes alone, wanted the throughput table beside it "
            "(throughput for bs in its name)"
        )
    if len(rates) > 1:
        raise SourceError(
            f"{part.name}: found {len(rates)} throughput tables of one name, wanted one"
        )
    return rates[0]


def _table_warnings(found: Table, name: str, precision: str) -> Iterator[str]:
    for column in found.columns:
        if column not in MODELS and column not in {*COLUMNS, "watt", "price"}:
            yield (
                f"{name}:1: the column {column!r} is no model that is known here; its unit is "
                "unknown and its figures are left out"
            )
    if precision in _NAMED:
        yield f"{name}: {precision} is what the file's name says; {_NAMED[precision]}"


def _said_precision(path: Path) -> str:
    said = [word for word in re.split(r"[^a-z0-9]+", path.stem.lower()) if word in PRECISIONS]
    if len(said) != 1:
        raise SourceError(
            f"{path.name}: the name says no precision, wanted one of {', '.join(PRECISIONS)} in "
            "it; rename it"
        )
    return said[0]


@dataclass(slots=True)
class _Sheet:
    """A throughput table while it is turned into runs.

    Attributes:
        batches: Batch sizes by machine and model.
        seen: Machines with their line.
        unknown: Cards not in the catalogue, with the lines of their machines.
        zeros: Lines of the cells without a figure.
    """

    path: Path
    prefix: tuple[str, ...]
    precision: str
    models: tuple[str, ...]
    batches: Mapping[tuple[str, str], int]
    known: Catalog
    refused: list[str]
    warnings: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, list[int]] = field(default_factory=dict)
    zeros: list[int] = field(default_factory=list)

    def take(self, row: Row) -> None:
        name, stated = row.cells["name_gpu"], whole(row.cells["num_gpu"])
        at = f"{self.path.name}:{row.line}"
        if not slug(name) or has_address(name) or (stated is None and row.cells["num_gpu"]):
            self.refused.append(
                f"{at}: found {name!r} with num_gpu {row.cells['num_gpu']!r}, wanted the name of a "
                "machine and a whole number"
            )
            return
        if slug(name) in self.seen:
            self.refused.append(
                f"{at}: {name!r} is in line {self.seen[slug(name)]} too; the first is kept"
            )
            return
        self.seen[slug(name)] = row.line
        machine, warning = machine_of(name, self.known, stated)
        self.warnings += [f"{at}: {warning}"] if warning else []
        if machine.accelerator is None:
            self.unknown.setdefault(machine.card, []).append(row.line)
        for model in self.models:
            text = row.cells[model]
            value = number(text)
            if text and value is None:
                self.refused.append(
                    f"{at}: {model}: found {text!r}, wanted a number, or 0 for a task that was not "
                    "run or failed"
                )
                continue
            # the scripts fill in -1 and 0
            self._add(row, machine, model, value if value is not None and value > 0 else None)

    def _add(self, row: Row, machine: Machine, model: str, rate: float | None) -> None:
        if rate is None:
            self.zeros.append(row.line)
        self.runs.append(
            run_of(
                machine,
                model,
                *_listed(row),
                pytorch="pytorch" in self.path.stem.lower(),
                run_id="-".join((*self.prefix, slug(machine.name), slug(model))),
                locator=place(self.path.name, row.line),
                status=Status.OK if rate else Status.NOT_REPORTED,
                status_detail=None
                if rate
                else "the table has no figure: the task was not run, or failed",
                precision=PRECISIONS[self.precision],
                global_batch_size=self.batches.get((slug(machine.name), model)),
                metrics=(figure_of(model, rate, Status.NOT_REPORTED),),
            )
        )

    def summed_up(self) -> Iterator[str]:
        for card, at in self.unknown.items():
            yield (
                f"{self.path.name}: {lines(at)}: {card!r} is not in catalog/hardware.csv; the "
                "accelerator is left open"
            )
        if self.zeros:
            at = sorted(set(self.zeros))
            yield (
                f"{self.path.name}: {lines(at)}: {len(self.zeros)} figures are 0 or missing: not "
                "run or failed, it is not said which"
            )


def _batches(paths: Sequence[Path], known: Catalog) -> tuple[dict[tuple[str, str], int], list[str]]:
    """Returns batch sizes over all GPUs by machine and model; duplicates are left out."""
    found: dict[tuple[str, str], int] = {}
    refused: list[str] = []
    for path in paths:
        sheet = table(path, path.name)
        refused += sheet.refused
        names = Counter(slug(row.cells["name_gpu"]) for row in sheet.rows)
        for row in sheet.rows:
            name = slug(row.cells["name_gpu"])
            if names[name] > 1:
                refused.append(
                    f"{path.name}:{row.line}: {row.cells['name_gpu']!r} is there more than once; "
                    "its batch sizes are left out"
                )
                continue
            if machine_of(row.cells["name_gpu"], known, whole(row.cells["num_gpu"]))[1]:
                continue  # without a certain number of GPUs there is no product
            for column, text in row.cells.items():
                if column in MODELS and (size := whole(text)) is not None:
                    found[name, column] = size
    return found, refused


def _listed(row: Row) -> Iterator[Setting]:
    if row.cells.get("watt"):
        # rated power of all cards, not measured
        yield Setting("listed_watt", row.cells["watt"])
    if row.cells.get("price"):
        # of a card or a machine, undated: no offer
        yield Setting("listed_price_usd_undated", row.cells["price"])
