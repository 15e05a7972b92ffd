"""Lambda's deep learning benchmark: its tables of training throughput and the console logs of
single runs.

A table has one row a machine (`name_gpu`, `num_gpu`, in some `watt` and `price`) and one column a
model. Neither unit nor precision nor whether the figures are throughputs or batch sizes stands in
it: the unit follows from the model (`MODELS`), the other two from the file's name. A table of batch
sizes makes no run; it gives the runs of the throughput table beside it their batch size.

A log lies in `<machine>/<task>_<precision>/<start>.txt`; only its folders name the machine. The
last figure that the task prints counts, as in the benchmark's own scripts. A log without one is a
failed run where it says why, else an unfinished one.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kernels import catalog
from kernels.catalog import Catalog
from kernels.errors import SourceError
from kernels.importers.base import (
    Imported,
    Part,
    accelerator,
    files,
    has_address,
    lines,
    nothing_taken,
    place,
    plain,
    without_names,
)
from kernels.machine.system import slug
from kernels.records import (
    NO_LICENCE,
    DataKind,
    Environment,
    Metric,
    Origin,
    Precision,
    Run,
    Setting,
    Source,
    SourceKind,
    Stat,
    Status,
)
from kernels.tabular import Row, Table, header_of, number, table, whole

SUMMARY: Final = (
    "Lambda's deep learning benchmark: throughput tables by machine and model, and run logs"
)

SOURCE: Final = "lambda-deep-learning-benchmark"
CREDIT: Final = "Lambda, deep learning benchmark"


@dataclass(frozen=True, slots=True)
class Model:
    """What a model's column and log state.

    Attributes:
        metric: Name of the figure.
        counted: What it counts, in the source's words.
        global_batch: Whether its scripts take the batch size of all GPUs together; the others take
            that of one.
        figure: Finds the figure in a line of a log.
        workload: Id in the catalogue where it is that workload exactly; else the model's own.
    """

    metric: str
    counted: str
    figure: str
    global_batch: bool = False
    workload: str | None = None


_IMAGES: Final = "throughput_images_per_s"
_SAMPLES: Final = "throughput_samples_per_s"
_TOKENS: Final = "throughput_tokens_per_s"

MODELS: Final[Mapping[str, Model]] = {
    "resnet50": Model(
        _IMAGES,
        "images",
        r"^(?>.*?Summary:).*\btrain\.total_ips\s*:\s*{n}",
        workload="resnet50-imagenet",
    ),
    "ssd": Model(_IMAGES, "images", r"Training performance\s*=\s*{n}"),
    "maskrcnn": Model(_IMAGES, "images", r"Training perf is:\s*{n}", global_batch=True),
    # A sequence is what the model is fed with at once, as an image is.
    "bert_base_squad": Model(
        _SAMPLES, "sequences", r"(?:training throughput:|training_sequences_per_second\s*:)\s*{n}"
    ),
    "bert_large_squad": Model(
        _SAMPLES, "sequences", r"(?:training throughput:|training_sequences_per_second\s*:)\s*{n}"
    ),
    "ncf": Model(
        _SAMPLES, "pairs of user and item", r"best_train_throughput:\s*{n}", global_batch=True
    ),
    "gnmt": Model(_TOKENS, "tokens", r"Training:\s*{n}\s*Tok/s"),
    "transformerxlbase": Model(_TOKENS, "tokens", r"Training throughput:\s*{n}", global_batch=True),
    "transformerxllarge": Model(
        _TOKENS, "tokens", r"Training throughput:\s*{n}", global_batch=True
    ),
    # Not utterances: the script counts what it makes of them, so the figure cannot be divided by
    # the batch size.
    "tacotron2": Model(
        _SAMPLES,
        "frames of mel spectrograms",
        r"(?:train_items_per_sec\s*:|train_epoch_avg_items/sec:)\s*{n}",
    ),
    "waveglow": Model(
        _SAMPLES,
        "samples of audio",
        r"(?:train_items_per_sec\s*:|train_epoch_avg_items/sec:)\s*{n}",
    ),
}
"""Models by the name of their column; the scripts are NVIDIA's Deep Learning Examples, which print
these units.
"""

_UNITS: Final = {_IMAGES: "images/s", _SAMPLES: "samples/s", _TOKENS: "tokens/s"}

PRECISIONS: Final[Mapping[str, Precision]] = {
    "fp32": Precision.FP32,
    "tf32": Precision.TF32,
    "fp16": Precision.FP16,
    "amp": Precision.AMP_FP16,
    "bf16": Precision.BF16,
}
"""Precision by its word in the name of a table or of a log's folder."""

_NAMED: Final = {
    "fp16": "such tables hold tasks in automatic mixed precision as well",
    "fp32": "on cards since Ampere the libraries may have computed in TF32",
}

CARDS: Final[Mapping[str, str]] = {
    "1080ti": "GTX 1080 Ti",
    "2080ti": "RTX 2080 Ti",
    "3070": "RTX 3070",
    "3080": "RTX 3080",
    "3090": "RTX 3090",
    "4090": "RTX 4090",
    "v10016gb": "V100",  # its form factor is not said
    "v10032gb": "V100",
    "a4000": "RTX A4000",
    "a5000": "RTX A5000",
    "a6000": "RTX A6000",
}
"""Cards by the short names of machines, letters and digits alone, as the benchmark's own list of
systems explains them.
"""

HOSTS: Final = (
    "lambdacloud",
    "lambda cloud",
    "linode cloud",
    "linode",
    "delltexas",
    "dell",
    "smc",
    "1cc",
    "raidz1",
)
"""Words before a card that say whose machine it is in."""

_COUNT: Final = re.compile(r"(?:^|\s)(\d{1,3})\s*x\s*(?=[A-Za-z0-9])", re.IGNORECASE)
_TAIL: Final = re.compile(r"(?<!\s)\s*+(?:nvlink|trt\d?|v\d|gen\d)\b", re.IGNORECASE)
_TASK: Final = re.compile(
    r"(?:PyTorch_)?(?P<model>[A-Za-z]\w*?)_(?P<precision>FP32|TF32|FP16|AMP|BF16)", re.IGNORECASE
)
_FIGURE: Final = r"(?P<n>\d{1,15}(?:\.\d{1,18})?(?:e[+-]?\d{1,2})?)(?![\w.])"
_EVENT: Final = re.compile(rb"DLL \d{4}-\d\d-\d\d \d\d:\d\d:\d\d|:::NVLOGv[\d.]+ ")
_COMMAND: Final = re.compile(rb"\['(?>[^'\r\n]*?python)[^'\r\n]*+', ")
_MEMORY: Final = re.compile(
    r"\bout of memory\b|CUDA_ERROR_OUT_OF_MEMORY|CUBLAS_STATUS_ALLOC_FAILED", re.IGNORECASE
)
_ERROR: Final = re.compile(
    r"\A(?P<error>(?:\w++\.)*+\w*?(?:Error|Exception|Interrupt)\b(?::.*+)?+)\s*+$"
)
_PEEK: Final = 1 << 16
_ENDS: Final = ("DONE!", "Experiment ended")
_MOST_LOG: Final = 256_000_000
_LONGEST_LINE: Final = 1 << 20
_SUSPECT: Final = 2.0
_SIDES: Final = ("name_gpu", "num_gpu")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What names may leave open; an option overrides the name."""
    parser.add_argument(
        "--precision",
        choices=sorted(PRECISIONS),
        help="precision, where the name of a table does not say",
    )
    parser.add_argument(
        "--machine",
        metavar="NAME",
        help="machine of a log, where its folders do not say, such as 2x2080Ti",
    )


def parts(path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:
    """The tables, those of one name of throughput and batch sizes together, and each log.

    Raises:
        SourceError: Neither is there.
    """
    chosen = {name: options.get(name) for name in ("precision", "machine")}
    groups: dict[str, list[tuple[str, Path]]] = {}
    logs: list[Part] = []
    for name, each in files(path):
        if set(_SIDES) <= set(header_of(each)):
            groups.setdefault(_pair(name), []).append((name, each))
        elif _is_log(each):
            # Its folders belong to a log, whether they are below what was given or above it.
            logs.append(
                Part(name, (each,), {**chosen, "name": "/".join(each.resolve().parts[-3:])})
            )
    if not groups and not logs:
        wanted = "CSV with the columns name_gpu and num_gpu, or the console log of a run"
        raise SourceError(f"{path.name}: no table or log of Lambda's benchmark; wanted {wanted}")
    stems = Counter(pair.rpartition("/")[2] for pair in groups)
    tables: list[Part] = []
    for pair, members in groups.items():
        # Two tables of one name, in two folders, are two sets of runs.
        within = slug(pair.rpartition("/")[0]) if stems[pair.rpartition("/")[2]] > 1 else ""
        members.sort(key=lambda member: _is_batch_sizes(member[1]))
        tables.append(
            Part(members[0][0], tuple(each for _, each in members), {**chosen, "within": within})
        )
    return [*tables, *logs]


def _pair(name: str) -> str:
    """What a throughput table and its table of batch sizes have in common."""
    folder, slash, stem = name.rpartition("/")
    return folder + slash + re.sub(r"(?<![a-z])(?:throughput|bs)(?![a-z])", "*", stem.lower())


def _is_batch_sizes(path: Path) -> bool:
    return "bs" in re.split(r"[^a-z]+", path.stem.lower())


def _is_log(path: Path) -> bool:
    """Whether a file holds the console log of a run: its events, or the command that the benchmark
    prints at the end.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_PEEK)
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _PEEK))
            tail = file.read(_PEEK)
    except OSError:
        return False
    return any(_EVENT.search(text) or _COMMAND.search(text) for text in (head, tail))


def read(part: Part) -> Imported:
    """The runs of a table, or the run of a log.

    Raises:
        SourceError: A name that does not say what the content leaves open, or content that is
            neither table nor log.
    """
    known = catalog.load()
    if set(_SIDES) <= set(header_of(part.files[0])):
        return _read_tables(part, known)
    return _read_log(part, known)


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine by its name: what is in it as far as the name says."""

    name: str
    card: str
    accelerator: str | None
    accelerators: int | None
    system: str


def machine_of(name: str, known: Catalog, stated: int | None = None) -> tuple[Machine, str | None]:
    """What a machine's name says, and a doubt.

    Args:
        name: Such as `LambdaCloud 2x V100 16GB`, `2x2080TiNVlink_trt` or `p3.8xlarge`.
        known: The catalogue.
        stated: GPUs that a column or the log states.
    """
    rented = [
        each
        for each in known.systems.values()
        if each.instance is not None and each.instance.lower() == name.lower()
    ]
    if len(rented) == 1:
        chips: int | None = rented[0].accelerators
        doubt = None
        if stated not in {None, chips}:
            doubt, chips = (
                f"{name!r} has {chips} accelerators and {stated} are stated; their number is left "
                "open",
                None,
            )
        return Machine(name, rented[0].hardware, rented[0].hardware, chips, rented[0].system), doubt
    words = name.replace("_", " ").replace("—", " ").strip()
    count = _COUNT.search(words)
    card = _TAIL.sub("", _COUNT.sub(" ", words)).strip()
    for host in HOSTS:
        if card.lower().startswith(host + " "):
            card = card[len(host) :].strip()
    chip = accelerator(card, known.hardware) or accelerator(
        CARDS.get(plain(card), card), known.hardware
    )
    said = int(count[1]) if count and int(count[1]) else None
    number_of = stated if stated is not None else said
    doubt = None
    if said is not None and stated not in {None, said}:
        number_of, doubt = (
            None,
            f"{name!r} names {said} GPUs and {stated} are stated; their number is left open",
        )
    elif number_of is None and chip is not None:
        number_of = 1  # a card's name alone, as in `2080Ti`
    elif number_of is None:
        doubt = f"{name!r} does not say how many accelerators there are; their number is left open"
    return Machine(name, card, chip, number_of, f"lambda-{slug(name) or 'unknown'}"), doubt


def _read_tables(part: Part, known: Catalog) -> Imported:
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
    path = rates[0]
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
        doubts=list(_table_doubts(found, path.name, precision)),
    )
    for row in found.rows:
        sheet.take(row)
    if not sheet.runs:
        raise nothing_taken(path.name, sheet.refused)
    return Imported(
        source=SOURCE,
        runs=tuple(sheet.runs),
        sources=(_source(),),
        doubts=(*sheet.doubts, *sheet.summed_up()),
        refused=tuple(sheet.refused),
    )


def _table_doubts(found: Table, name: str, precision: str) -> Iterator[str]:
    for column in found.columns:
        if column not in MODELS and column not in {*_SIDES, "watt", "price"}:
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
        each: By model: machine without its number of GPUs, that number, the figure, the line.
    """

    path: Path
    prefix: tuple[str, ...]
    precision: str
    models: tuple[str, ...]
    batches: Mapping[tuple[str, str], int]
    known: Catalog
    refused: list[str]
    doubts: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, list[int]] = field(default_factory=dict)
    zeros: list[int] = field(default_factory=list)
    each: dict[str, list[tuple[str, int, float, int]]] = field(default_factory=dict)

    def take(self, row: Row) -> None:
        """The runs of one machine, one a model."""
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
        machine, doubt = machine_of(name, self.known, stated)
        self.doubts += [f"{at}: {doubt}"] if doubt else []
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
        elif machine.accelerators:
            base = _COUNT.sub(" ", machine.name).strip()
            self.each.setdefault(model, []).append((base, machine.accelerators, rate, row.line))
        self.runs.append(
            _run(
                machine,
                model,
                run_id="-".join((*self.prefix, slug(machine.name), slug(model))),
                locator=place(self.path.name, row.line),
                status=Status.OK if rate else Status.NOT_REPORTED,
                detail=None if rate else "the table has no figure: the task was not run, or failed",
                framework="PyTorch" if "pytorch" in self.path.stem.lower() else None,
                precision=PRECISIONS[self.precision],
                batch=self.batches.get((slug(machine.name), model)),
                metric=_metric(model, rate, Status.NOT_REPORTED),
                settings=tuple(_listed(row)),
            )
        )

    def summed_up(self) -> Iterator[str]:
        """Doubts that several rows share."""
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
        yield from _suspects(self.path.name, self.each)


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
                continue  # where the number of GPUs is in doubt, so is the product
            for column, text in row.cells.items():
                if column in MODELS and (size := whole(text)) is not None:
                    found[name, column] = size
    return found, refused


def _suspects(
    name: str, per_gpu: Mapping[str, Sequence[tuple[str, int, float, int]]]
) -> Iterator[str]:
    """Figures that cannot be: of one kind of machine, a GPU among more of them does twice what it
    does among few, or more.
    """
    for column, rows in per_gpu.items():
        least: dict[str, tuple[int, float]] = {}
        for base, chips, rate, _ in sorted(rows, key=lambda each: each[1]):
            least.setdefault(base, (chips, rate / chips))
        far = [
            line
            for base, chips, rate, line in rows
            if chips > least[base][0] and rate / chips > _SUSPECT * least[base][1]
        ]
        if far:
            yield (
                f"{name}: {lines(far)}: {column}: more than {_SUSPECT:g} times as much from each "
                "GPU as with fewer of them; not plausible"
            )


def _listed(row: Row) -> Iterator[Setting]:
    if row.cells.get("watt"):
        # rated, of all cards together; nobody measured it
        yield Setting("listed_watt", row.cells["watt"])
    if row.cells.get("price"):
        # of card or machine, of a day that nobody states: no offer
        yield Setting("listed_price_usd_undated", row.cells["price"])


def _metric(model: str, rate: float | None, missing: Status, locator: str | None = None) -> Metric:
    status = missing if rate is None else Status.OK
    name = MODELS[model].metric
    return Metric(name, rate, _UNITS[name], status=status, stat=Stat.NOT_STATED, locator=locator)


def _run(
    machine: Machine,
    model: str,
    *,
    run_id: str,
    locator: str,
    status: Status,
    detail: str | None,
    framework: str | None,
    precision: Precision,
    batch: int | None,
    metric: Metric,
    settings: tuple[Setting, ...],
    data: DataKind | None = None,
) -> Run:
    return Run(
        run_id=run_id,
        origin=Origin.IMPORTED,
        source=SOURCE,
        locator=locator,
        licence=NO_LICENCE,
        credit=CREDIT,
        workload=MODELS[model].workload or f"lambda-{slug(model)}",
        system=machine.system,
        status=status,
        status_detail=detail,
        accelerator=machine.accelerator,
        accelerators=machine.accelerators,
        framework=framework,
        precision=precision,
        data=data,
        global_batch_size=batch,
        metrics=(metric,),
        settings=(Setting("counted", MODELS[model].counted), *settings),
        environment=Environment(
            accelerator_name=machine.card[:200] or None,
            accelerator_count=machine.accelerators,
            extra=(Setting("machine", machine.name[:200]),),
        ),
    )


@dataclass(slots=True)
class _Log:
    """What is found in a log, line by line."""

    figure: float | None = None
    figure_line: int = 0
    ended: bool = False
    trace_line: int = 0
    error: str | None = None
    memory: str | None = None
    parameters: str | None = None
    command: str | None = None

    def parameter(self, name: str) -> str | None:
        """What the run's parameters say of a name, a pattern:
        `... arch : resnet50  batch_size : 184 ...`.
        """
        match = re.search(rf"(?<!\S)(?<!eval ){name} : (\S+)", self.parameters or "")
        return match[1] if match else None

    def precision(self) -> str | None:
        """What the parameters or, where a run failed before it printed them, the command line says
        of the arithmetic.
        """
        switches = [self.parameter(name) for name in ("amp", "fp16")]
        if None not in switches:
            return next(
                (
                    name
                    for name, value in zip(("amp", "fp16"), switches, strict=True)
                    if value == "True"
                ),
                "fp32",
            )
        if self.command is not None and "'--arch'" in self.command:
            return next((name for name in ("amp", "fp16") if f"'--{name}'" in self.command), "fp32")
        return None


def _read_log(part: Part, known: Catalog) -> Imported:
    shown = "/".join((part.options.get("name") or part.name).split("/")[-3:])
    name, folder, task = _where(part, shown)
    model, said = task["model"].lower(), task["precision"].lower()
    log = _scan(part, re.compile(MODELS[model].figure.replace("{n}", _FIGURE)))
    arch = log.parameter("arch") or _option(log.command, "arch")
    if arch and model == "resnet50" and arch != model:
        raise SourceError(
            f"{part.name}: the folder says {model} and the log {arch!r}, wanted one of the two"
        )
    machine, doubt = machine_of(name, known, whole(log.parameter("world_size") or ""))
    logged = log.precision() or said
    figure = log.figure if log.ended else None
    status, detail = _status(log, figure)
    each = whole(log.parameter("batch[ _]size") or _option(log.command, "batch-size") or "")
    chips = 1 if MODELS[model].global_batch else machine.accelerators
    backend = log.parameter("data_backend")
    settings = {
        "data_backend": backend,
        "batch_size_as_logged": None if each is None else str(each),
    }
    run = _run(
        machine,
        model,
        run_id="-".join(("lambda", slug(name), slug(folder), slug(Path(shown).stem) or "log")),
        locator=place(shown),
        status=status,
        detail=detail,
        framework="PyTorch" if "pytorch" in folder.lower() else None,
        precision=PRECISIONS[logged],
        batch=each * chips if each and chips else None,
        metric=_metric(
            model, figure, status, place(shown, log.figure_line) if figure is not None else None
        ),
        settings=tuple(
            Setting(key, without_names(value)) for key, value in settings.items() if value
        ),
        data=DataKind.REAL if re.fullmatch(r"dali-[cg]pu|pytorch", backend or "") else None,
    )
    doubts = [doubt] if doubt else []
    if machine.accelerator is None:
        doubts.append(
            f"{machine.card!r} is not in catalog/hardware.csv; the accelerator is left open"
        )
    if logged != said:
        doubts.append(f"the folder says {said} and the log {logged}; the log is believed")
    doubts += _log_doubts(part.files[0], log, run)
    return Imported(
        source=SOURCE,
        runs=(run,),
        sources=(_source(),),
        doubts=tuple(f"{part.name}: {each}" for each in doubts),
    )


def _log_doubts(path: Path, log: _Log, run: Run) -> Iterator[str]:
    """What is to be known of a log's figure, and of the file of readings beside it."""
    if run.status is not Status.OK:
        yield f"no figure: {run.status_detail}"
    elif log.trace_line:
        yield f"line {log.trace_line} is an error; the figure of line {log.figure_line} is kept"
    beside = path.with_name(f"{path.stem}_monitor.csv")
    if beside.is_file():
        yield (
            f"{beside.name} beside it has readings without header, time or GPU; the telemetry "
            "format reads such files"
        )


def _where(part: Part, shown: str) -> tuple[str, str, re.Match[str]]:
    """Machine and folder of a log, and the task that the folder names.

    Raises:
        SourceError: The folders do not say them.
    """
    folders = shown.split("/")[:-1]
    task = _TASK.fullmatch(folders[-1]) if folders else None
    name = part.options.get("machine") or (folders[-2] if len(folders) > 1 else "")
    if task is None or not slug(name) or has_address(name):
        raise SourceError(
            f"{part.name}: the log names neither machine nor task itself, wanted folders such as "
            "2x2080Ti/PyTorch_resnet50_FP16/" + ("; give --machine" if task is not None else "")
        )
    if task["model"].lower() not in MODELS:
        raise SourceError(
            f"{part.name}: the folder names the task {task['model']!r}, wanted one of "
            f"{', '.join(MODELS)}"
        )
    return name, folders[-1], task


def _scan(part: Part, figure: re.Pattern[str]) -> _Log:
    """Go through a log once.

    Raises:
        SourceError: Too large.
    """
    path = part.files[0]
    if path.stat().st_size > _MOST_LOG:
        raise SourceError(
            f"{part.name}: found {path.stat().st_size} bytes, wanted a console log of {_MOST_LOG} "
            "bytes or less"
        )
    log = _Log()
    with path.open("rb") as file:
        count = 0
        while raw := file.readline(_LONGEST_LINE):
            count += raw.endswith(b"\n") or len(raw) < _LONGEST_LINE
            line = raw.decode("utf-8", errors="replace").strip()
            found = number(match["n"]) if (match := figure.search(line)) else None
            if found:
                log.figure, log.figure_line = found, count
            if log.parameters is None and (start := line.find(" - PARAMETER ")) >= 0:
                log.parameters = line[start + len(" - PARAMETER ") :][:10_000]
            if line.startswith("['"):
                log.command = line[:10_000]
            if line.startswith("Traceback (most recent call last)"):
                log.trace_line = log.trace_line or count
            elif log.trace_line and log.error is None and (error := _ERROR.match(line)):
                log.error = error["error"]
            if log.memory is None and (memory := _MEMORY.search(line)):
                log.memory = line[max(0, memory.start() - 200) : memory.end() + 200]
            log.ended = log.ended or line in _ENDS or line.startswith("['")
    return log


def _status(log: _Log, figure: float | None) -> tuple[Status, str | None]:
    if figure is not None:
        return Status.OK, None
    if log.memory is not None:
        return Status.OOM, without_names(log.memory)[:400]
    if log.trace_line:
        return Status.FAILED, without_names(
            log.error or f"the log has a traceback in line {log.trace_line}"
        )[:400]
    if log.ended:
        return Status.FAILED, "the log ends without a figure and without an error"
    return Status.UNFINISHED, "the log breaks off before its end"


def _option(command: str | None, name: str) -> str | None:
    match = re.search(rf"'--{name}', '([^']*)'", command or "")
    return match[1] if match else None


def _source() -> Source:
    return Source(
        source=SOURCE,
        kind=SourceKind.LOGS,
        title="Lambda deep learning benchmark",
        url="https://github.com/lambdal/deeplearning-benchmark",
        language="en",
        licence=NO_LICENCE,
        credit=CREDIT,
        publisher="Lambda",
        code="https://github.com/lambdal/deeplearning-benchmark",
    )
