"""What is recorded: frozen records with units in their names, checked when made.

Every enumeration of the project stands here. Each field of a stored record is described beside it,
by `described`: `store/schema.py` makes the columns in Parquet of that, and the list of columns in
`runs/README.md`. Not measured is None, never zero; why it is missing is a `Status`.
"""

import math
import re
from dataclasses import MISSING, dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeVar, dataclass_transform
from urllib.parse import urlsplit

from kernels.errors import RecordError
from kernels.units import UNITS

T = TypeVar("T")

Day = date
"""The type, where a field is called so."""

LONGEST_TEXT = 1_000
"""Letters of a text; the longest of the archive has half as many."""


def described(
    unit: str,
    meaning: str,
    *,
    default: Any = MISSING,
    longest: int = LONGEST_TEXT,
    several_lines: bool = False,
) -> Any:
    """A field of a record, with the description of its column.

    Args:
        unit: One of `units.UNITS`; `-` is none; `(unit)` and `(currency)` point to the neighbouring
            column that says it; `UTC` and `day` are points in time.
        meaning: One sentence.
        default: What the field is where it is left out.
        longest: Letters that a text may have.
        several_lines: Whether a text may have several lines, and tabs in them: what a program said,
            and why somebody did something.
    """
    metadata = {
        "unit": unit,
        "meaning": meaning,
        "longest": longest,
        "several_lines": several_lines,
    }
    return field(default=default, metadata=metadata)


@dataclass_transform(frozen_default=True, field_specifiers=(described,))
def record(cls: type[T]) -> type[T]:
    """A frozen dataclass whose fields are `described`, so that it can be stored."""
    return dataclass(frozen=True, slots=True)(cls)


class Status(StrEnum):
    """How a run ended, or why a figure is missing."""

    OK = "ok"
    OOM = "oom"
    DIVERGED = "diverged"
    NOT_CONVERGED = "not_converged"
    TIMEOUT = "timeout"
    KILLED = "killed"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    SKIPPED = "skipped"
    NOT_RUN = "not_run"
    NOT_REPORTED = "not_reported"
    NOT_SUPPORTED = "not_supported"


class Origin(StrEnum):
    """Where a run comes from; visible in every chart and table."""

    MEASURED = "measured"
    SUBMITTED = "submitted"
    IMPORTED = "imported"
    PUBLISHED = "published"


class Mode(StrEnum):
    """What the accelerator did; the two never share one ranking."""

    TRAINING = "training"
    INFERENCE = "inference"


class ClockScope(StrEnum):
    """What a run's times include."""

    TRAIN_ONLY = "train_only"
    TRAIN_AND_EVAL = "train_and_eval"
    END_TO_END = "end_to_end"
    UNKNOWN = "unknown"


class DataKind(StrEnum):
    """What the model was fed with."""

    SYNTHETIC_DEVICE = "synthetic_device"
    SYNTHETIC_HOST = "synthetic_host"
    REAL = "real"


class Precision(StrEnum):
    """Number format of the arithmetic; `mixed` where the source says no more than that."""

    FP64 = "fp64"
    FP32 = "fp32"
    TF32 = "tf32"
    FP16 = "fp16"
    BF16 = "bf16"
    AMP_FP16 = "amp_fp16"
    AMP_BF16 = "amp_bf16"
    FP8 = "fp8"
    MIXED = "mixed"
    UNKNOWN = "unknown"


class PriceKind(StrEnum):
    """On which terms an offer is made; `unknown` where its source does not say."""

    ON_DEMAND = "on_demand"
    RESERVED = "reserved"
    SPOT = "spot"
    DEDICATED_MONTH = "dedicated_month"
    OWNED = "owned"
    FREE = "free"
    UNKNOWN = "unknown"


class Per(StrEnum):
    """What an amount of money buys."""

    SECOND = "second"
    HOUR = "hour"
    MONTH = "month"
    PURCHASE = "purchase"


class Verdict(StrEnum):
    """What recomputing a printed figure says of it; the rule is in `verdicts.judge`."""

    REPRODUCES = "reproduces"
    ROUNDING = "rounding"
    ESTIMATE = "estimate"
    CONTRADICTS = "contradicts"
    NOT_CHECKABLE = "not_checkable"


class Interval(StrEnum):
    """What `low` and `high` of a metric are."""

    PRINTED = "printed"
    CI95 = "ci95"
    SEEDS = "seeds"


class Bound(StrEnum):
    """How a printed figure is to be read: as it stands, "about", "less than" or "more than"."""

    EQ = "eq"
    APPROX = "approx"
    LT = "lt"
    GT = "gt"


class Stat(StrEnum):
    """Which statistic of its samples a metric is."""

    SINGLE = "single"
    MEDIAN = "median"
    MEAN = "mean"
    MIN = "min"
    MAX = "max"
    TRIMMED_MEAN = "trimmed_mean"
    NOT_STATED = "not_stated"


class Direction(StrEnum):
    """Which side of a target counts as reached."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"


class Phase(StrEnum):
    """What a step was for."""

    COMPILE = "compile"
    WARMUP = "warmup"
    MEASURE = "measure"


class SourceKind(StrEnum):
    """What kind of publication figures come from."""

    ARTICLE = "article"
    LOGS = "logs"
    OWN_RUNS = "own_runs"
    CATALOGUE = "catalogue"


class DatePrecision(StrEnum):
    """How much of a date its source prints; the rest of the day is the first of the month or of the
    year.
    """

    DAY = "day"
    MONTH = "month"
    YEAR = "year"


class Certainty(StrEnum):
    """How far a fact is what its source prints."""

    STATED = "stated"
    RECONSTRUCTED = "reconstructed"
    NOT_STATED = "not_stated"
    NOT_PUBLISHED = "not_published"


class Hardwares(StrEnum):
    """Kinds of accelerator."""

    GPU = "gpu"
    TPU = "tpu"
    CPU = "cpu"


class ServerKind(StrEnum):
    """How a machine is had."""

    CLOUD_VM = "cloud_vm"
    VDS = "vds"
    DEDICATED = "dedicated"
    OWNED = "owned"
    NOTEBOOK = "notebook"


NO_LICENCE = "LicenseRef-none-stated"
"""Licence of figures whose source states none: they can be read, and are neither committed nor
published by default.
"""

_ID = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")

LONGEST_ID = 120
"""Letters of an id: it is a folder's name in the site, and part of a file's name here."""

_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\^{|}]+", re.IGNORECASE)

LONGEST_ADDRESS = 1000


def check_id(kind: str, value: str) -> None:
    """Refuse an id that could not stand in an address: lower-case words, digits, `-` and `.`
    between them.
    """
    if not _ID.fullmatch(value):
        raise RecordError(
            f"{kind} {value[:200]!r}: an id is lower-case letters and digits joined by '-' or '.', "
            "as in 'tpuv2-v100'"
        )
    if len(value) > LONGEST_ID:
        raise RecordError(
            f"{kind} {value[:40]!r}...: found {len(value)} letters, wanted {LONGEST_ID} or fewer: "
            "shorten it"
        )


def check_address(owner: str, value: str | None) -> None:
    """Refuse what is no address of a page elsewhere: a reader who follows it must come to a page,
    and run nothing.

    Only http and https are taken. Addresses inside the site are made by the site and stand in no
    record.
    """
    if value is not None and not (
        _ADDRESS.fullmatch(value) and len(value) <= LONGEST_ADDRESS and _has_host(value)
    ):
        raise RecordError(
            f"{owner} is {value[:200]!r}, wanted an address that begins with https:// or http://, "
            "or nothing: mend it or leave it out"
        )


def _has_host(address: str) -> bool:
    """Whether an address names a host that a program can find in it, and no user before it, who
    would pass for the host.
    """
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and "@" not in parts.netloc and (parts.port or 1) > 0
    except ValueError:  # a bracket left open, a port that is no number
        return False


MOST_DECIMALS = 30
"""Decimals that a figure is printed to at most, on either side of the point: a number has 17
digits, and small ones zeros before them.
"""


def check_decimals(owner: str, value: int | None) -> None:
    """Refuse what no source prints: a figure rounded to so many places is none, or a text that
    fills the memory.
    """
    if value is not None and abs(value) > MOST_DECIMALS:
        raise RecordError(
            f"{owner}: decimals is {value}, wanted -{MOST_DECIMALS} to {MOST_DECIMALS}: count "
            "those that are printed"
        )


def check_currency(owner: str, value: str) -> None:
    """Refuse a currency that is not written as three capitals."""
    if not re.fullmatch(r"[A-Z]{3}", value):
        raise RecordError(f"{owner}: currency {value!r} is not an ISO 4217 code such as USD")


def locator_parts(locator: str) -> tuple[tuple[str, str], ...]:
    """A place in a source as pairs of a word and what it names: `table 1, row 3` is (table, 1),
    (row, 3).

    A word's translation is `locator.<word>` in `strings/`; names in a locator stand in single
    quotes and are not translated.
    """
    parts = (part.strip().partition(" ") for part in re.findall(r"(?:[^,']|'[^']*')+", locator))
    return tuple((word, value.strip().strip("'")) for word, _, value in parts if word)


def _power_of_ten(value: float | None) -> bool:
    return value is not None and value > 0.0 and math.log10(value).is_integer()


def _finite(owner: str, **values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not math.isfinite(value):
            raise RecordError(f"{owner}: {name} is {value}; record None with a status instead")


@record
class Target:
    """A quality to reach."""

    metric: str = described("-", "Quality metric that is compared, such as `top1`.")
    value: float = described("1", "Threshold; a fraction from 0 to 1 save for losses.")
    direction: Direction = described(
        "-", "Which side of the threshold counts as reached.", default=Direction.AT_LEAST
    )
    sustained: bool = described(
        "-",
        "True where every later evaluation must hold it too; false for the first hit.",
        default=False,
    )
    certainty: Certainty = described(
        "-",
        "Whether the source states the target or a table of its rules gave it.",
        default=Certainty.STATED,
    )


@record
class Metric:
    """One figure of a run."""

    name: str = described("-", "What is stated, by one of the names below.")
    value: float | None = described(
        "(unit)", "The figure; null for a printed range and for a missing figure.", default=None
    )
    unit: str = described("-", "Unit of value, low and high, one of `units.UNITS`.", default="1")
    low: float | None = described("(unit)", "Lower end of a range or interval.", default=None)
    high: float | None = described("(unit)", "Upper end of a range or interval.", default=None)
    interval: Interval | None = described(
        "-",
        "What low and high are: printed, a 95 % confidence interval, or lowest and highest over "
        "seeds.",
        default=None,
    )
    bound: Bound = described(
        "-",
        "How a printed figure is to be read: as it stands, about, less than, more than.",
        default=Bound.EQ,
    )
    n: int | None = described(
        "1", "Runs or samples behind the figure; null where the source does not say.", default=None
    )
    stat: Stat = described("-", "Which statistic of those samples it is.", default=Stat.SINGLE)
    decimals: int | None = described(
        "1", "Decimals as printed, -1 for tens; null for a measured figure.", default=None
    )
    target: Target | None = described(
        "-", "The target that the figure belongs to, such as for `epochs_to_target`.", default=None
    )
    status: Status = described("-", "`ok`, or why the figure is missing.", default=Status.OK)
    locator: str | None = described(
        "-", "Place in the source, where it is not the run's own.", default=None
    )

    def __post_init__(self) -> None:
        _finite(f"metric {self.name}", value=self.value, low=self.low, high=self.high)
        check_decimals(f"metric {self.name}", self.decimals)
        if self.unit not in UNITS:
            raise RecordError(
                f"metric {self.name}: unit {self.unit!r} is not in units.UNITS; add it there or "
                "use one of them"
            )
        if (self.low is None) != (self.high is None) or (self.low is not None) != (
            self.interval is not None
        ):
            raise RecordError(
                f"metric {self.name}: low, high and interval come together, got {self.low}, "
                f"{self.high}, {self.interval}"
            )
        if self.low is not None and self.high is not None and self.low > self.high:
            raise RecordError(f"metric {self.name}: low {self.low} is above high {self.high}")
        if self.status is Status.OK and self.value is None and self.low is None:
            raise RecordError(
                f"metric {self.name}: neither value nor range; say why with a status other than ok"
            )

    @property
    def key(self) -> str:
        """Name that is unique within a run: `epochs_to_target@0.757` where there is a target, else
        the name.
        """
        return self.name if self.target is None else f"{self.name}@{self.target.value:g}"


@record
class Step:
    """One optimiser step, timed from an idle device to an idle device."""

    index: int = described(
        "1", "Number of the step within the run, from 0, compile and warm-up steps included."
    )
    phase: Phase = described("-", "Whether the step compiled, warmed up or was measured.")
    start_s: float = described("s", "Start of the step after the run's clock started.")
    duration_s: float = described(
        "s", "Wall time of the step, from an idle device to an idle device."
    )
    epoch: int | None = described(
        "1",
        "Number of the epoch that the step belongs to, counted as the epochs are.",
        default=None,
    )
    loss: float | None = described("1", "Training loss at the step.", default=None)


@record
class Epoch:
    """One pass over the training data; `index` counts from `Run.epoch_index_base`."""

    index: int = described("1", "Number of the epoch, from `epoch_index_base`.")
    samples: int | None = described("samples", "Training samples seen in the epoch.", default=None)
    start_s: float | None = described(
        "s", "Start of the epoch after the run's clock started.", default=None
    )
    duration_s: float | None = described(
        "s", "Wall time of the epoch's training, evaluation left out.", default=None
    )
    evaluation_s: float | None = described(
        "s", "Wall time of the evaluation after the epoch.", default=None
    )
    learning_rate: float | None = described("1", "Learning rate at the epoch's end.", default=None)
    loss: float | None = described("1", "Mean training loss of the epoch.", default=None)
    data_wait_s: float | None = described(
        "s", "Time for which the accelerator waited for data.", default=None
    )


@record
class Evaluation:
    """One reading of a quality metric, somewhere along the training.

    At least one of `epoch`, `samples` and `step` says where. `epoch` counts epochs finished (1.0
    after the first), whatever base the log counted from; the log's own number is `epoch_as_logged`.
    """

    metric: str = described(
        "-",
        "Quality metric that was read: `top1`, `top5`, `auc`, `hr10`, `bleu`, `map`, `loss`, ...",
    )
    value: float = described("1", "The reading; a fraction from 0 to 1 save for losses.")
    epoch: float | None = described(
        "epochs",
        "Epochs finished when it was taken: 1.0 after the first, whatever the log counts from.",
        default=None,
    )
    epoch_as_logged: float | None = described("1", "The epoch's number in the log.", default=None)
    samples: int | None = described(
        "samples", "Training samples seen when it was taken.", default=None
    )
    step: int | None = described(
        "steps", "Optimiser steps finished when it was taken.", default=None
    )
    time_s: float | None = described(
        "s", "Time since the run's clock started, evaluations included.", default=None
    )
    train_time_s: float | None = described(
        "s", "The same without evaluations; null where the two were not told apart.", default=None
    )
    locator: str | None = described(
        "-", "Place in the source, such as the log's line.", default=None
    )

    def __post_init__(self) -> None:
        if self.epoch is None and self.samples is None and self.step is None:
            raise RecordError(
                f"evaluation of {self.metric}: one of epoch, samples and step must say where it "
                "was taken"
            )


@record
class Sample:
    """One telemetry reading of one device, `time_s` after the run's clock started."""

    time_s: float = described(
        "s",
        "Time of the reading since the run's clock started, negative before it; in a recording "
        "since its first reading.",
    )
    device: int = described("1", "Number of the accelerator on its machine, from 0.")
    power_w: float | None = described("W", "Power drawn.", default=None)
    energy_j: float | None = described(
        "J", "Energy counter of the accelerator, counted from its first reading.", default=None
    )
    temperature_c: float | None = described("degC", "Temperature of the chip.", default=None)
    memory_temperature_c: float | None = described(
        "degC", "Temperature of the memory.", default=None
    )
    clock_hz: float | None = described("Hz", "Clock of the cores.", default=None)
    memory_clock_hz: float | None = described("Hz", "Clock of the memory.", default=None)
    utilisation: float | None = described(
        "1", "Fraction of the sensor's window in which a program ran on the chip.", default=None
    )
    memory_utilisation: float | None = described(
        "1", "Fraction of the sensor's window in which memory was read or written.", default=None
    )
    fan: float | None = described("1", "Fan speed as a fraction of its highest.", default=None)
    memory_bytes: int | None = described("byte", "Memory in use.", default=None)
    throttle_mask: int | None = described(
        "1", "Reasons for a lowered clock, as the driver's bit mask.", default=None
    )


@record
class Software:
    """One piece of software of a run, and whether its version is what the source prints."""

    name: str = described("-", "Name of the software.")
    version: str | None = described("-", "Its version; null where none is stated.")
    certainty: Certainty = described(
        "-",
        "Whether the source prints the version or it was put together from a damaged copy.",
        default=Certainty.STATED,
    )


@record
class Setting:
    """One setting of a run that has no column of its own, such as an optimiser's momentum; value as
    text.
    """

    name: str = described("-", "Name of the setting.")
    value: str = described("-", "Its value as text.", longest=10_000, several_lines=True)


@record
class Doubt:
    """A reason to be careful with a run; the run is kept. `code` has its text and advice in
    `analysis.warnings.DOUBTS`.
    """

    code: str = described(
        "-", "Which doubt, as in `analysis.warnings.DOUBTS`, which gives its text, unit and advice."
    )
    value: float | None = described("1", "What was found, in the doubt's own unit.", default=None)
    limit: float | None = described(
        "1", "The limit that it was held against, in the same unit.", default=None
    )


@record
class Environment:
    """The machine as it was while it ran. Host names and serial numbers are hashed or absent."""

    os: str | None = described("-", "Operating system and its version.", default=None)
    kernel: str | None = described("-", "Version of the kernel.", default=None)
    python: str | None = described("-", "Version of Python.", default=None)
    cpu_model: str | None = described(
        "-", "Model of the processor as it names itself.", default=None
    )
    cpu_vendor: str | None = described("-", "Maker of the processor.", default=None)
    physical_cores: int | None = described("cores", "Cores of the machine.", default=None)
    logical_cores: int | None = described("cores", "Hardware threads of the machine.", default=None)
    cpu_max_hz: float | None = described("Hz", "Highest clock of the processor.", default=None)
    memory_bytes: int | None = described("byte", "Memory of the machine.", default=None)
    cgroup_cpus: float | None = described(
        "cores", "Processor time that the container may use; null without a limit.", default=None
    )
    cgroup_memory_bytes: int | None = described(
        "byte", "Memory that the container may use; null without a limit.", default=None
    )
    virtualised: bool | None = described("-", "Whether the machine is a virtual one.", default=None)
    numa_nodes: int | None = described("1", "Memory domains of the machine.", default=None)
    load_average_1min: float | None = described(
        "1", "Mean number of runnable tasks in the minute before the start.", default=None
    )
    foreign_cores: float | None = described(
        "cores",
        "Cores' worth of processor time that other programs used during the timed steps.",
        default=None,
    )
    threads: int | None = described(
        "1", "Threads that the framework used for arithmetic, in each process.", default=None
    )
    cpu_affinity: str | None = described(
        "-", "Processors that the run might use, such as `0-1`.", default=None
    )
    allocator: str | None = described("-", "Memory allocator and its settings.", default=None)
    accelerator_name: str | None = described(
        "-", "Name of the accelerator as its driver gives it.", default=None
    )
    accelerator_count: int | None = described(
        "chips", "Accelerators that the run could see.", default=None
    )
    accelerator_memory_bytes: int | None = described(
        "byte", "Memory of one accelerator.", default=None
    )
    accelerator_power_limit_w: float | None = described(
        "W", "Power limit of one accelerator.", default=None
    )
    driver: str | None = described("-", "Version of the accelerator's driver.", default=None)
    cuda: str | None = described(
        "-", "Version of CUDA that the framework was built with.", default=None
    )
    cudnn: str | None = described("-", "Version of cuDNN.", default=None)
    nccl: str | None = described("-", "Version of NCCL.", default=None)
    compile_mode: str | None = described(
        "-",
        "How the model was compiled, such as `inductor` or `jit`; `eager` where it ran as written.",
        default=None,
    )
    deterministic: bool | None = described(
        "-", "Whether the framework was held to deterministic algorithms.", default=None
    )
    tf32_allowed: bool | None = described(
        "-", "Whether FP32 multiplications might run in TF32.", default=None
    )
    cudnn_benchmark: bool | None = described(
        "-", "Whether cuDNN chose its algorithms by trial.", default=None
    )
    memory_format: str | None = described(
        "-", "Order of an image's dimensions in memory, such as `channels_last`.", default=None
    )
    git_commit: str | None = described(
        "-", "Commit of this repository that measured.", default=None
    )
    git_dirty: bool | None = described(
        "-", "Whether files differed from that commit.", default=None
    )
    data_sha256: str | None = described("-", "SHA-256 of the training data.", default=None)
    command: str | None = described(
        "-", "Command that repeats the run.", default=None, longest=10_000, several_lines=True
    )
    extra: tuple[Setting, ...] = described(
        "-", "Facts about the machine without a column of their own.", default=()
    )


@record
class Run:
    """One workload, once, on one system: measured here, submitted, imported from logs, or
    published.
    """

    run_id: str = described(
        "-",
        "Name of the run, unique over all files: words, and a date for measured runs; never "
        "changes.",
    )
    origin: Origin = described(
        "-",
        "Where the run comes from: measured on this archive's machines, submitted, imported from "
        "logs, or published.",
    )
    source: str = described(
        "-",
        "Id of the source that the figures come from; `measured` or `submitted` for runs of this "
        "harness.",
    )
    locator: str = described("-", "Place in the source: table, paragraph, or file and line.")
    licence: str = described(
        "-", "SPDX id or short name of the terms under which the figures may be passed on."
    )
    credit: str = described("-", "Who is to be named beside the figures.")
    workload: str = described("-", "Id of what was trained, as in `catalog/workloads.toml`.")
    system: str = described(
        "-",
        "Id of what trained it, as in `catalog/systems.csv`, or made from the environment for an "
        "unlisted machine.",
    )
    status: Status = described("-", "How the run ended, or why it has no figures.")
    mode: Mode = described(
        "-", "Training or inference; the two never share a ranking.", default=Mode.TRAINING
    )
    status_detail: str | None = described(
        "-",
        "What happened in words, such as the phase and the bytes asked for when memory ran out.",
        default=None,
        longest=4_000,
        several_lines=True,
    )
    accelerator: str | None = described(
        "-",
        "Id of the kind of accelerator, as in `catalog/hardware.csv`; null where the source "
        "leaves it open.",
        default=None,
    )
    accelerators: int | None = described(
        "chips", "Accelerator chips used, over all nodes.", default=None
    )
    nodes: int | None = described("1", "Machines used.", default=None)
    processes: int | None = described("1", "Training processes over all nodes.", default=None)
    parallelism: str | None = described(
        "-",
        "How several accelerators shared the work, such as `synchronous_data_parallel`.",
        default=None,
    )
    backend: str | None = described(
        "-",
        "Backend of this harness that trained: `torch` or `jax`; null for runs of others.",
        default=None,
    )
    framework: str | None = described(
        "-", "Deep-learning framework by its usual name.", default=None
    )
    framework_version: str | None = described(
        "-", "Version of the framework as stated or as imported.", default=None
    )
    implementation: str | None = described("-", "Name of the training code.", default=None)
    implementation_url: str | None = described("-", "Where that code can be had.", default=None)
    container: str | None = described("-", "Container image in which it ran.", default=None)
    precision: Precision = described(
        "-",
        "Number format of the arithmetic; `mixed` where the source says no more.",
        default=Precision.UNKNOWN,
    )
    data: DataKind | None = described(
        "-", "Whether real data or generated data were fed, and from where.", default=None
    )
    augmentation: bool | None = described(
        "-", "Whether training data were augmented.", default=None
    )
    global_batch_size: int | None = described(
        "samples", "Samples per optimiser step over all accelerators.", default=None
    )
    batch_recommended: bool | None = described(
        "-",
        "False where the vendor recommends another batch size; null where nothing is said.",
        default=None,
    )
    seed: int | None = described("1", "Seed of the random numbers.", default=None)
    repeat_index: int | None = described(
        "1", "Number of this run among repetitions of the same configuration, from 0.", default=None
    )
    train_samples: int | None = described(
        "samples", "Samples of one epoch, as far as the source states it.", default=None
    )
    epochs_planned: float | None = described(
        "epochs", "Epochs that the run was set to train.", default=None
    )
    epoch_index_base: int | None = described(
        "1", "First number that the log gives an epoch, 0 or 1.", default=None
    )
    clock_scope: ClockScope = described(
        "-", "What the run's times include.", default=ClockScope.UNKNOWN
    )
    clock_resolution_s: float | None = described(
        "s", "Grain of the log's clock: 1 for a log with whole seconds.", default=None
    )
    started_at: datetime | None = described("UTC", "When the run's clock started.", default=None)
    wall_time_s: float | None = described(
        "s", "From start to end of the run, everything included.", default=None
    )
    stop_reason: str | None = described(
        "-",
        "Why the measurement ended, such as `interval_narrow`, `noise_stable`, `time_cap`, "
        "`epochs_done`.",
        default=None,
    )
    submitter: str | None = described(
        "-", "Organisation that submitted the run to its round.", default=None
    )
    round: str | None = described("-", "Round of the benchmark, such as `v0.5`.", default=None)
    division: str | None = described(
        "-", "Division of the benchmark, such as `closed`.", default=None
    )
    withdrawn: str | None = described(
        "-",
        "Why the run is hidden from comparisons; null for a run in force.",
        default=None,
        several_lines=True,
    )
    metrics: tuple[Metric, ...] = described(
        "-", "Figures of the run, one entry a figure.", default=()
    )
    targets: tuple[Target, ...] = described("-", "Qualities that the run was to reach.", default=())
    steps: tuple[Step, ...] = described("-", "Timed optimiser steps, in order.", default=())
    epochs: tuple[Epoch, ...] = described(
        "-", "Passes over the training data, in order.", default=()
    )
    evaluations: tuple[Evaluation, ...] = described(
        "-", "Readings of quality metrics along the training, in order.", default=()
    )
    telemetry: tuple[Sample, ...] = described(
        "-", "Readings of the accelerators' sensors, in order of time.", default=()
    )
    software: tuple[Software, ...] = described("-", "Software that ran, with versions.", default=())
    settings: tuple[Setting, ...] = described(
        "-", "Settings without a column of their own, such as an optimiser's momentum.", default=()
    )
    caveats: tuple[str, ...] = described(
        "-", "Keys of remarks that must stand beside the figures.", default=()
    )
    doubts: tuple[Doubt, ...] = described("-", "Reasons to be careful with the run.", default=())
    environment: Environment | None = described(
        "-", "The machine as it was while it ran; null for runs of others.", default=None
    )

    def __post_init__(self) -> None:
        check_id("run_id", self.run_id)
        for name in ("source", "workload", "system"):
            check_id(f"run {self.run_id}: {name}", getattr(self, name))
        if self.accelerator is not None:
            check_id(f"run {self.run_id}: accelerator", self.accelerator)
        check_address(f"run {self.run_id}: implementation_url", self.implementation_url)
        if self.accelerators is not None and self.accelerators < 1:
            raise RecordError(
                f"run {self.run_id}: accelerators is {self.accelerators}, wanted 1 or more, or None"
            )
        if self.global_batch_size is not None and self.global_batch_size < 1:
            raise RecordError(
                f"run {self.run_id}: global_batch_size is {self.global_batch_size}, wanted 1 or "
                "more, or None"
            )
        if self.started_at is not None and self.started_at.tzinfo is None:
            raise RecordError(
                f"run {self.run_id}: started_at {self.started_at} has no time zone; record it in "
                "UTC"
            )
        keys = [metric.key for metric in self.metrics]
        if len(keys) != len(set(keys)):
            raise RecordError(
                f"run {self.run_id}: a metric is given twice: "
                f"{sorted({k for k in keys if keys.count(k) > 1})}"
            )

    @property
    def batch_size_per_accelerator(self) -> int | None:
        """Global batch over accelerators, where it divides evenly."""
        if (
            self.global_batch_size is None
            or self.accelerators is None
            or self.global_batch_size % self.accelerators
        ):
            return None
        return self.global_batch_size // self.accelerators

    def metric(self, key: str) -> Metric | None:
        """The metric of that key (`epochs_to_target@0.757`, `throughput_images_per_s`), or None."""
        return next((metric for metric in self.metrics if metric.key == key), None)


@record
class Claim:
    """A figure that a source prints and that follows from others, or a sentence that states one."""

    claim_id: str = described("-", "Name of the claim, unique: source id and words.")
    source: str = described("-", "Id of the source that prints it.")
    locator: str = described("-", "Place in the source.")
    quantity: str = described(
        "-", "Key of the sentence that says what is claimed, in `strings/` as `claim.<quantity>`."
    )
    unit: str = described(
        "-", "Unit of the printed and of the recomputed figure, one of `units.UNITS`."
    )
    formula: str = described(
        "-",
        "Formula that recomputes the figure, by its name in `formulas.FORMULAS`; `none` where it "
        "cannot be checked.",
    )
    inputs: tuple[str, ...] = described(
        "-",
        "References to the facts that the formula takes, in its order.",
        default=(),
        longest=4_000,
    )  # their grammar is in `audit/facts.py`
    printed: float | None = described(
        "(unit)", "The printed figure; null where a range is printed.", default=None
    )
    printed_low: float | None = described("(unit)", "Lower end of a printed range.", default=None)
    printed_high: float | None = described("(unit)", "Upper end of a printed range.", default=None)
    bound: Bound = described(
        "-",
        "How the printed figure is to be read: as it stands, about, less than, more than.",
        default=Bound.EQ,
    )  # the tolerance of each is in `verdicts.TOLERANCE`
    decimals: int = described("1", "Decimals as printed, -1 for tens.", default=0)
    estimate: bool = described(
        "-",
        "True where the formula is an estimator that need not equal the printed figure.",
        default=False,
    )
    reason: str | None = described("-", "Why the claim cannot be checked.", default=None)
    order: bool = described(
        "-",
        "True for an order of magnitude: the printed figure is a power of ten, judged on a "
        "logarithmic scale.",
        default=False,
    )  # `verdicts.ORDER`

    def __post_init__(self) -> None:
        check_id("claim_id", self.claim_id)
        check_id(f"claim {self.claim_id}: source", self.source)
        _finite(
            f"claim {self.claim_id}",
            printed=self.printed,
            printed_low=self.printed_low,
            printed_high=self.printed_high,
        )
        check_decimals(f"claim {self.claim_id}", self.decimals)
        if self.unit not in UNITS:
            raise RecordError(f"claim {self.claim_id}: unit {self.unit!r} is not in units.UNITS")
        if self.printed is None and (self.printed_low is None or self.printed_high is None):
            raise RecordError(
                f"claim {self.claim_id}: neither a printed figure nor a printed range"
            )
        if self.order and not _power_of_ten(self.printed):
            raise RecordError(
                f"claim {self.claim_id}: printed {self.printed} as an order of magnitude, wanted a "
                "power of ten"
            )


@record
class Source:
    """A publication or log set that figures come from."""

    source: str = described("-", "Id of the source, unique.")
    kind: SourceKind = described("-", "What kind of publication it is.")
    title: str = described("-", "Title as published.")
    url: str | None = described("-", "Address of the original; null where there is none.")
    language: str = described("-", "Language of the text, as an ISO 639-1 code.")
    licence: str = described(
        "-", "SPDX id or short name of the terms under which its figures may be passed on."
    )
    credit: str = described("-", "Who is to be named beside its figures.")
    authors: str | None = described("-", "Authors as published.", default=None)
    publisher: str | None = described("-", "Where it was published.", default=None)
    sponsor: str | None = described("-", "For whom it was made, as far as it says.", default=None)
    published: date | None = described(
        "day", "Day of publication; null where the copy at hand does not print it.", default=None
    )
    published_note: str | None = described(
        "-", "What is known of an unprinted or uncertain date.", default=None
    )
    accessed: date | None = described("day", "Day on which the copy was taken.", default=None)
    translated_from: str | None = described(
        "-", "Language of the original of a translation; null for an original.", default=None
    )
    transcription_note: str | None = described(
        "-",
        "What a reader must know about the copy, such as figures that were pictures.",
        default=None,
    )
    vendors: tuple[str, ...] = described(
        "-", "Makers and providers whose products it compares.", default=()
    )
    tags: tuple[str, ...] = described("-", "Subjects that it belongs to.", default=())
    published_precision: DatePrecision = described(
        "-",
        "How much of the day of publication the source prints; the rest is the first of the month"
        " or year.",
        default=DatePrecision.DAY,
    )
    modified: date | None = described(
        "day",
        "Day of the last change as the source prints it; null where it prints none.",
        default=None,
    )  # the age of its figures counts from there
    number: str | None = described("-", "Number under which the publisher keeps it.", default=None)
    version: str | None = described("-", "Version as printed.", default=None)
    affiliation: str | None = described(
        "-", "Team or laboratory of the authors, as printed.", default=None
    )
    disclaimers: tuple[str, ...] = described(
        "-",
        "Keys of what must stand above the first paragraph of whatever retells the source.",
        default=(),
    )
    applies_to: tuple[str, ...] = described(
        "-", "Products and versions to which it says it applies.", default=()
    )
    code: str | None = described(
        "-",
        "Address of the code that it gives; `none` where it gives none, null where the copy does "
        "not tell.",
        default=None,
    )
    published_about: date | None = described(
        "day",
        "Middle of the time that a source without a printed date points to, put together here; "
        "null for others.",
        default=None,
    )  # the day whose exchange rates hold for its prices

    def __post_init__(self) -> None:
        check_id("source", self.source)
        check_address(f"source {self.source}: url", self.url)
        if self.published and self.modified and self.modified < self.published:
            raise RecordError(
                f"source {self.source}: modified is {self.modified}, before it was published "
                f"({self.published})"
            )
        if self.code != "none":  # which says that the source gives none
            check_address(f"source {self.source}: code", self.code)

    @property
    def updated(self) -> date | None:
        """Day of the last change, else of publication; None where neither is printed."""
        return self.modified or self.published


@record
class Review:
    """Whether a party saw a source's draft."""

    source: str = described("-", "Id of the source that was reviewed.")
    party: str = described("-", "Who saw the draft.")
    role: str = described("-", "`vendor` or `independent`.")
    status: str = described("-", "`asked`, `answered`, `no_reply` or `unknown`.")
    date: Day | None = described("day", "Day of the answer; null where none is printed.")
    comment: str | None = described("-", "What the party said, in our own words.")
    locator: str = described("-", "Place in the source.")

    def __post_init__(self) -> None:
        check_id(f"review by {self.party}: source", self.source)


@record
class PrintedCell:
    """One cell of a table that a source prints and that is neither a run nor a price.

    `row` and `column` are keys with a text in `strings/` or names that stay as they are; `text`
    likewise; `value` with `unit` and `decimals` where the cell is a figure.
    """

    source: str = described("-", "Id of the source that prints the table.")
    table: str = described("-", "Key of the table.")
    row_index: int = described("1", "Number of the row within the table, from 0.")
    row: str = described("-", "Key or name of the row.")
    column: str = described("-", "Key or name of the column.")
    text: str | None = described(
        "-", "The cell's text, as a key or as it is; null where the cell is a figure."
    )
    value: float | None = described("(unit)", "The cell's figure; null where the cell is a text.")
    unit: str | None = described("-", "Unit of the figure, one of `units.UNITS`.")
    decimals: int | None = described("1", "Decimals as printed, -1 for tens.")
    bound: Bound = described(
        "-", "How the figure is to be read: as it stands, about, less than, more than."
    )
    certainty: Certainty = described("-", "How far the cell is what the source prints.")
    locator: str = described("-", "Place in the source.")

    def __post_init__(self) -> None:
        check_id(f"cell of table {self.table}: source", self.source)
        check_id(f"cell of {self.source}: table", self.table)
        where = f"cell of {self.source}, table {self.table}, row {self.row}, column {self.column}"
        _finite(where, value=self.value)
        check_decimals(where, self.decimals)


@record
class Price:
    """A dated offer."""

    price_id: str = described("-", "Name of the offer, unique.")
    provider: str = described("-", "Who offers.")
    offer: str = described("-", "Name of the offer as the provider gives it.")
    system: str = described("-", "Id of the system that is offered, as in `catalog/systems.csv`.")
    accelerators: int = described("chips", "Accelerator chips that the amount buys.")
    kind: PriceKind = described("-", "Terms of the offer.")
    amount: float = described("(currency)", "What is paid per `per`; 0 for a free offer alone.")
    currency: str = described("-", "ISO 4217 code.")
    per: Per = described(
        "-", "What the amount buys: a second, an hour, a month, or the thing itself."
    )
    region: str | None = described(
        "-", "Region that the price holds in; null where the source names none."
    )
    valid_from: date | None = described(
        "day", "Day on which the price was seen; null where the source prints none."
    )
    valid_to: date | None = described("day", "Last day on which it is known to have held.")
    source: str = described("-", "Id of the source that states the price.")
    locator: str = described("-", "Place in the source.")
    licence: str = described(
        "-", "SPDX id or short name of the terms under which the price may be passed on."
    )
    bound: Bound = described(
        "-",
        "How the printed amount is to be read: as it stands, about, less than, more than.",
        default=Bound.EQ,
    )
    decimals: int = described("1", "Decimals as printed.", default=2)
    term_months: int | None = described(
        "months", "Length of the commitment; null without one.", default=None
    )
    upfront: float | None = described("(currency)", "What is paid before the term.", default=None)
    includes: tuple[str, ...] = described(
        "-",
        "What the amount covers as far as the source says: `accelerator`, `host`, `storage`, "
        "`traffic`.",
        default=(),
    )
    tax: str | None = described(
        "-",
        "Whether tax is in the amount: `included`, `excluded`; null where the source does not say.",
        default=None,
    )
    granularity_s: int | None = described(
        "s", "Time is billed in whole multiples of this.", default=None
    )
    session_limit_s: int | None = described(
        "s", "Longest session that the offer allows.", default=None
    )
    preparation_s: int | None = described(
        "s", "Time that is paid for before training starts.", default=None
    )
    note: str | None = described(
        "-",
        "What else a reader must know: remarks by their keys, with spaces between them.",
        default=None,
    )
    workload: str | None = described(
        "-",
        "Id of the workload that the source prints this price for; null where it holds for any.",
        default=None,
    )
    hardware: str | None = described(
        "-",
        "Id of the kind of accelerator, for a machine that is in no catalogue; null where the "
        "system says it.",
        default=None,
    )

    def __post_init__(self) -> None:
        check_id("price_id", self.price_id)
        for name in ("source", "system"):
            check_id(f"price {self.price_id}: {name}", getattr(self, name))
        check_currency(f"price {self.price_id}", self.currency)
        _finite(f"price {self.price_id}", amount=self.amount)
        check_decimals(f"price {self.price_id}", self.decimals)
        if self.amount < 0 or (self.amount == 0) != (self.kind is PriceKind.FREE):
            raise RecordError(
                f"price {self.price_id}: amount {self.amount} with kind {self.kind}; 0 stands for "
                "free alone"
            )

    @property
    def notes(self) -> list[str]:
        """What else a reader must know, each by its key."""
        return (self.note or "").split()


@record
class Withdrawal:
    """That a run no longer counts, beside its file, which is never rewritten; the store puts `why`
    into `Run.withdrawn`.
    """

    run_id: str = described("-", "The run that no longer counts; its own file stays as it is.")
    why: str = described("-", "The reason, as it stands on the run's page.", several_lines=True)
    day: date = described("day", "Day on which it was withdrawn.")

    def __post_init__(self) -> None:
        check_id("run_id", self.run_id)
        if not self.why.strip():
            raise RecordError(
                f"withdrawal of {self.run_id}: no reason; readers of the run's page must learn why"
            )


@record
class Recording:
    """A monitoring log of a run that is recorded elsewhere, beside its file; the store puts
    readings and figures into the run.
    """

    run_id: str = described("-", "The run that was watched; its own file stays as it is.")
    source: str = described("-", "Id of the source of the log.")
    locator: str = described("-", "Place in the source: the file.")
    licence: str = described(
        "-", "SPDX id or short name of the terms under which the readings may be passed on."
    )
    credit: str = described("-", "Who is to be named beside the readings.")
    started_at: datetime | None = described(
        "UTC", "Time of the first reading; null where the log's clock has no zone.", default=None
    )
    offset_s: float | None = described(
        "s",
        "First reading after the run's clock started, negative before it; null where the two "
        "clocks say it.",
        default=None,
    )
    samples: tuple[Sample, ...] = described(
        "-", "Readings in order of time; of a long log evenly spaced ones.", default=()
    )
    metrics: tuple[Metric, ...] = described(
        "-", "Figures of all readings of the log, `monitored_*`.", default=()
    )
    doubts: tuple[Doubt, ...] = described("-", "Reasons to be careful with them.", default=())

    def __post_init__(self) -> None:
        check_id("run_id", self.run_id)
        check_id(f"recording of {self.run_id}: source", self.source)
        _finite(f"recording of {self.run_id}", offset_s=self.offset_s)
        if self.started_at is not None and self.started_at.tzinfo is None:
            raise RecordError(
                f"recording of {self.run_id}: started_at {self.started_at} has no time zone; "
                "record it in UTC"
            )
        if self.offset_s is None and self.started_at is None:
            raise RecordError(
                f"recording of {self.run_id}: neither offset_s nor started_at says where in the "
                "run it lies"
            )


@record
class Tariff:
    """A dated price of electricity: `amount` in the currency for one kilowatt-hour, in a region,
    with all that is on the bill.
    """

    tariff_id: str = described("-", "Name of the tariff, unique.")
    region: str = described("-", "Region that it holds in.")
    amount: float = described("(currency)", "Price of one kilowatt-hour.")
    currency: str = described("-", "ISO 4217 code.")
    valid_from: date = described("day", "First day of the time that the amount is of.")
    valid_to: date | None = described(
        "day", "Last day of it; null where the source gives one day alone."
    )
    source: str = described("-", "Id of the source that states the tariff.")
    locator: str = described("-", "Place in the source.")
    licence: str = described(
        "-", "SPDX id or short name of the terms under which the tariff may be passed on."
    )
    note: str | None = described("-", "What else a reader must know.", default=None)

    def __post_init__(self) -> None:
        check_id("tariff_id", self.tariff_id)
        check_id(f"tariff {self.tariff_id}: source", self.source)
        check_currency(f"tariff {self.tariff_id}", self.currency)
        if not (self.amount > 0 and math.isfinite(self.amount)):
            raise RecordError(
                f"tariff {self.tariff_id}: amount {self.amount}, wanted more than 0 for a "
                "kilowatt-hour"
            )


@record
class Rate:
    """What one unit of `base` was worth in `quote` on a day."""

    base: str = described("-", "ISO 4217 code of the currency of which one unit is valued.")
    quote: str = described("-", "ISO 4217 code of the currency in which it is valued.")
    rate: float = described("1", "Units of `quote` for one unit of `base`.")
    day: date = described("day", "Day that the rate is of.")
    source: str = described("-", "Id of the source that states the rate.")
    locator: str = described("-", "Place in the source.")
    licence: str = described(
        "-", "SPDX id or short name of the terms under which the rate may be passed on."
    )

    def __post_init__(self) -> None:
        check_id(f"rate {self.base}/{self.quote} of {self.day}: source", self.source)
        for currency in (self.base, self.quote):
            check_currency(f"rate {self.base}/{self.quote} of {self.day}", currency)
        _finite(f"rate {self.base}/{self.quote} of {self.day}", rate=self.rate)


@dataclass(frozen=True, slots=True)
class Spec:
    """One figure about one accelerator: a source's, on a day, or the statement that it is not
    published.
    """

    hardware: str
    quantity: str
    value: float | None
    unit: str
    certainty: Certainty
    day: date | None
    source: str
    locator: str
    licence: str


@dataclass(frozen=True, slots=True)
class Hardware:
    """An accelerator as its maker sells it; `per` says what one piece is (a chip, a board, a GPU of
    a board). Figures are `Spec` rows.
    """

    hardware: str
    name: str
    vendor: str
    kind: Hardwares
    per: str
    architecture: str | None
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class System:
    """What trains a workload: accelerators in a host, somewhere.

    Attributes:
        reason: Key: why it is listed.
        reconstructed: Names of fields that its source does not print as they stand, but that follow
            from what it does print.
    """

    system: str
    name: str
    hardware: str
    accelerators: int
    nodes: int
    server_kind: ServerKind
    provider: str | None
    instance: str | None
    region: str | None
    cpu_model: str | None
    cpu_cores: int | None
    cpu_hz: float | None
    memory_bytes: int | None
    os: str | None
    source: str
    locator: str
    reason: str | None = None
    reconstructed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workload:
    """What is trained: facts that can be read without torch. `runnable` says whether `kernels run`
    has it.
    """

    workload: str
    name: str
    task: str
    dataset: str
    metric: str
    parameters: int | None
    train_samples: int | None
    eval_samples: int | None
    classes: int | None
    input_shape: str | None
    runnable: bool
    facts_source: str
    references: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        check_id("workload", self.workload)
        for address in self.references:
            check_address(f"workload {self.workload}: references", address)
