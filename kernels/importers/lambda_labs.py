"""Lambda's deep learning benchmark: its tables of training throughput.

A table has one row a machine (`name_gpu`, `num_gpu`, in some `watt` and `price`) and one column a
model. Neither unit nor precision nor whether the figures are throughputs or batch sizes stands in
it: the unit follows from the model (`MODELS`), the other two from the file's name. A table of batch
sizes makes no run; it gives the runs of the throughput table beside it their batch size.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from kernels import catalog
from kernels.catalog import Catalog
from kernels.errors import SourceError
from kernels.importers.base import (
    Flags,
    Imported,
    Part,
    accelerator,
    files,
    has_address,
    lines,
    nothing_taken,
    place,
    plain,
    source_of,
    tables_of,
)
from kernels.machine.system import slug
from kernels.records import (
    Environment,
    Metric,
    Origin,
    Precision,
    Run,
    Setting,
    Stat,
    Status,
)
from kernels.tabular import Row, Table, header_of, number, table, whole

SUMMARY: Final = "Lambda's deep learning benchmark: throughput tables by machine and model"

_TABLES: Final = tables_of(__file__)
SOURCE: Final = source_of(_TABLES)
PRECISIONS: Final = {word: Precision(named) for word, named in _TABLES["precisions"].items()}

OPTIONS: Final[Flags] = {
    "--precision": {
        "choices": sorted(PRECISIONS),
        "help": "precision, if the name of a table does not state it",
    },
}

COLUMNS: Final = ("name_gpu", "num_gpu")
"""Columns that name the machine of a row."""

_COUNT: Final = re.compile(r"(?:^|\s)(\d{1,3})\s*x\s*(?=[A-Za-z0-9])", re.IGNORECASE)
_TAIL: Final = re.compile(r"(?<!\s)\s*+(?:nvlink|trt\d?|v\d|gen\d)\b", re.IGNORECASE)
_NAMED: Final = {
    "fp16": "such tables hold tasks in automatic mixed precision as well",
    "fp32": "on cards since Ampere the libraries may have computed in TF32",
}


@dataclass(frozen=True, slots=True)
class Model:
    """What a model's column states; `lambda_labs.toml` has the models.

    Attributes:
        counted: What the figure counts, in the source's words.
        workload: Id in the catalogue where it is that workload exactly; else the model's own.
    """

    metric: str
    counted: str
    workload: str | None = None


MODELS: Final = {name: Model(**facts) for name, facts in _TABLES["models"].items()}


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine by its name: what is in it as far as the name says."""

    name: str
    card: str
    accelerator: str | None
    accelerators: int | None
    system: str


def parts(path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:
    """The tables, those of one name of throughput and batch sizes together."""
    groups: dict[str, list[tuple[str, Path]]] = {}
    for name, each in files(path):
        if set(COLUMNS) <= set(header_of(each)):
            groups.setdefault(_pair(name), []).append((name, each))
    if not groups:
        wanted = "CSV with the columns name_gpu and num_gpu"
        raise SourceError(f"{path.name}: no table of Lambda's benchmark; wanted {wanted}")
    stems = Counter(pair.rpartition("/")[2] for pair in groups)
    for pair, members in groups.items():
        # Two tables of one name, in two folders, are two sets of runs.
        within = slug(pair.rpartition("/")[0]) if stems[pair.rpartition("/")[2]] > 1 else ""
        members.sort(key=lambda member: _is_batch_sizes(member[1]))
        said = {"precision": options.get("precision"), "within": within}
        yield Part(members[0][0], tuple(each for _, each in members), said)


def _pair(name: str) -> str:
    folder, slash, stem = name.rpartition("/")
    return folder + slash + re.sub(r"(?<![a-z])(?:throughput|bs)(?![a-z])", "*", stem.lower())


def _is_batch_sizes(path: Path) -> bool:
    return "bs" in re.split(r"[^a-z]+", path.stem.lower())


def read(part: Part) -> Imported:
    """The runs of a throughput table.

    Raises:
        SourceError: No throughput table or several, no model, or no row that can be taken.
    """
    known = catalog.load()
    path = _throughput_table(part)
    precision = part.options.get("precision") or _said_precision(path)
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
    rates = [path for path in part.files if not _is_batch_sizes(path)]
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
            "it; give --precision"
        )
    return said[0]


@dataclass(slots=True)
class _Sheet:
    """A throughput table on its way to runs.

    Attributes:
        batches: Batch sizes by machine and model.
        seen: Machines with their line.
        unknown: Cards that the catalogue does not have, with the lines of their machines.
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
        status, facts = Status.OK if rate else Status.NOT_REPORTED, MODELS[model]
        unit = facts.metric.removeprefix("throughput_").replace("_per_", "/")
        self.runs.append(
            Run(
                run_id="-".join((*self.prefix, slug(machine.name), slug(model))),
                origin=Origin.IMPORTED,
                source=SOURCE.source,
                locator=place(self.path.name, row.line),
                licence=SOURCE.licence,
                credit=SOURCE.credit,
                workload=facts.workload or f"lambda-{slug(model)}",
                system=machine.system,
                status=status,
                status_detail=None
                if rate
                else "the table has no figure: the task was not run, or failed",
                accelerator=machine.accelerator,
                accelerators=machine.accelerators,
                framework="PyTorch" if "pytorch" in self.path.stem.lower() else None,
                precision=PRECISIONS[self.precision],
                global_batch_size=self.batches.get((slug(machine.name), model)),
                metrics=(Metric(facts.metric, rate, unit, status=status, stat=Stat.NOT_STATED),),
                settings=(Setting("counted", facts.counted), *_listed(row)),
                environment=Environment(
                    accelerator_name=machine.card[:200] or None,
                    accelerator_count=machine.accelerators,
                    extra=(Setting("machine", machine.name[:200]),),
                ),
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


def machine_of(name: str, known: Catalog, stated: int | None = None) -> tuple[Machine, str | None]:
    """Returns what a machine's name says, such as `LambdaCloud 2x V100 16GB` or `p3.8xlarge`, and a
    warning; `stated` GPUs are those that a column states.
    """
    rented = [
        each
        for each in known.systems.values()
        if each.instance is not None and each.instance.lower() == name.lower()
    ]
    if len(rented) == 1:
        system = rented[0]
        machine = Machine(
            name, system.hardware, system.hardware, system.accelerators, system.system
        )
        verb = f"has {machine.accelerators} accelerators"
    else:
        machine = _named(name, known)
        verb = f"names {machine.accelerators} GPUs"
    chips = machine.accelerators
    if chips is not None and stated not in {None, chips}:
        warning = f"{name!r} {verb} and {stated} are stated; their number is left open"
        return replace(machine, accelerators=None), warning
    if chips is not None or stated is not None:
        return replace(machine, accelerators=chips if stated is None else stated), None
    if machine.accelerator is not None:
        return replace(machine, accelerators=1), None  # a card's name alone, as in `2080Ti`
    return machine, (
        f"{name!r} does not say how many accelerators there are; their number is left open"
    )


def _named(name: str, known: Catalog) -> Machine:
    words = name.replace("_", " ").replace("—", " ").strip()
    count = _COUNT.search(words)
    card = _TAIL.sub("", _COUNT.sub(" ", words)).strip()
    for host in _TABLES["hosts"]:
        if card.lower().startswith(host + " "):
            card = card[len(host) :].strip()
    chip = accelerator(card, known.hardware) or accelerator(
        _TABLES["cards"].get(plain(card), card), known.hardware
    )
    chips = int(count[1]) or None if count else None
    return Machine(name, card, chip, chips, f"lambda-{slug(name) or 'unknown'}")


def _batches(paths: Sequence[Path], known: Catalog) -> tuple[dict[tuple[str, str], int], list[str]]:
    """Batch sizes over all GPUs by machine and model; where a table gives one twice, neither is
    taken.
    """
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
                continue  # where the number of GPUs is not sure, so is the product
            for column, text in row.cells.items():
                if column in MODELS and (size := whole(text)) is not None:
                    found[name, column] = size
    return found, refused


def _listed(row: Row) -> Iterator[Setting]:
    if row.cells.get("watt"):
        # rated, of all cards together; nobody measured it
        yield Setting("listed_watt", row.cells["watt"])
    if row.cells.get("price"):
        # of card or machine, of a day that nobody states: no offer
        yield Setting("listed_price_usd_undated", row.cells["price"])
