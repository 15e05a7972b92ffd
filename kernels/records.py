"""What is recorded: frozen records with units in their names, checked when made.

Every enumeration of the project stands here. `store/schema.py` gives each record its columns in
Parquet; `runs/README.md` says what each column means. Not measured is None, never zero; why it is
missing is a `Status`.
"""

import math
import re
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from urllib.parse import urlsplit

from kernels.errors import RecordError
from kernels.units import UNITS


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


@dataclass(frozen=True, slots=True)
class Target:
    """A quality to reach.

    Attributes:
        metric: What is compared, as in `Evaluation.metric`.
        value: The threshold; fractions 0 to 1.
        direction: Which side counts.
        sustained: True where every later evaluation must hold it too; False for the first hit.
        certainty: `reconstructed` where a table of the rules gave it and the log is silent.
    """

    metric: str
    value: float
    direction: Direction = Direction.AT_LEAST
    sustained: bool = False
    certainty: Certainty = Certainty.STATED


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of a run.

    Attributes:
        name: As in the list of `runs/README.md`, for example `throughput_images_per_s`.
        value: The figure; None for a printed range and for a missing figure.
        low: Lower end of a range or interval.
        high: Upper end.
        interval: What `low` and `high` are; None without them.
        bound: "about", "less than", "more than", or as it stands.
        unit: One of `units.UNITS`.
        n: Number of runs or samples behind it; None where the source does not say.
        stat: Which statistic.
        decimals: Decimals as printed; None for a measured figure. -1 is printed to tens, -5 to
            hundred thousands.
        target: The target that it belongs to, such as for `epochs_to_target`.
        status: `ok`, or why the figure is missing.
        locator: Place in the source.
    """

    name: str
    value: float | None = None
    unit: str = "1"
    low: float | None = None
    high: float | None = None
    interval: Interval | None = None
    bound: Bound = Bound.EQ
    n: int | None = None
    stat: Stat = Stat.SINGLE
    decimals: int | None = None
    target: Target | None = None
    status: Status = Status.OK
    locator: str | None = None

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


@dataclass(frozen=True, slots=True)
class Step:
    """One optimiser step, timed from an idle device to an idle device."""

    index: int
    phase: Phase
    start_s: float
    duration_s: float
    epoch: int | None = None
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over the training data; `index` counts from `Run.epoch_index_base`."""

    index: int
    samples: int | None = None
    start_s: float | None = None
    duration_s: float | None = None
    evaluation_s: float | None = None
    learning_rate: float | None = None
    loss: float | None = None
    data_wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One reading of a quality metric, somewhere along the training.

    At least one of `epoch`, `samples` and `step` says where. `epoch` counts epochs finished (1.0
    after the first), whatever base the log counted from; the log's own number is `epoch_as_logged`.

    Attributes:
        metric: `top1`, `top5`, `auc`, `hr10`, `bleu`, `map`, `loss`, ...; fractions 0 to 1 save for
            losses.
        time_s: Seconds since the run's clock started, evaluations included.
        train_time_s: The same without evaluations; None where the two were not told apart.
    """

    metric: str
    value: float
    epoch: float | None = None
    epoch_as_logged: float | None = None
    samples: int | None = None
    step: int | None = None
    time_s: float | None = None
    train_time_s: float | None = None
    locator: str | None = None

    def __post_init__(self) -> None:
        if self.epoch is None and self.samples is None and self.step is None:
            raise RecordError(
                f"evaluation of {self.metric}: one of epoch, samples and step must say where it "
                "was taken"
            )


@dataclass(frozen=True, slots=True)
class Sample:
    """One telemetry reading of one device, `time_s` after the run's clock started."""

    time_s: float
    device: int
    power_w: float | None = None
    energy_j: float | None = None
    temperature_c: float | None = None
    memory_temperature_c: float | None = None
    clock_hz: float | None = None
    memory_clock_hz: float | None = None
    utilisation: float | None = None
    memory_utilisation: float | None = None
    fan: float | None = None
    memory_bytes: int | None = None
    throttle_mask: int | None = None


@dataclass(frozen=True, slots=True)
class Software:
    """One piece of software of a run, and whether its version is what the source prints."""

    name: str
    version: str | None
    certainty: Certainty = Certainty.STATED


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a run that has no column of its own, such as an optimiser's momentum; value as
    text.
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to be careful with a run; the run is kept. `code` has its text and advice in
    `checks.DOUBTS`.
    """

    code: str
    value: float | None = None
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """The machine as it was while it ran. Host names and serial numbers are hashed or absent."""

    os: str | None = None
    kernel: str | None = None
    python: str | None = None
    cpu_model: str | None = None
    cpu_vendor: str | None = None
    physical_cores: int | None = None
    logical_cores: int | None = None
    cpu_max_hz: float | None = None
    memory_bytes: int | None = None
    cgroup_cpus: float | None = None
    cgroup_memory_bytes: int | None = None
    virtualised: bool | None = None
    numa_nodes: int | None = None
    load_average_1min: float | None = None
    foreign_cores: float | None = None
    threads: int | None = None
    cpu_affinity: str | None = None
    allocator: str | None = None
    accelerator_name: str | None = None
    accelerator_count: int | None = None
    accelerator_memory_bytes: int | None = None
    accelerator_power_limit_w: float | None = None
    driver: str | None = None
    cuda: str | None = None
    cudnn: str | None = None
    nccl: str | None = None
    compile_mode: str | None = None
    deterministic: bool | None = None
    tf32_allowed: bool | None = None
    cudnn_benchmark: bool | None = None
    memory_format: str | None = None
    git_commit: str | None = None
    git_dirty: bool | None = None
    data_sha256: str | None = None
    command: str | None = None
    extra: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One workload, once, on one system: measured here, submitted, imported from logs, or
    published.

    Attributes:
        run_id: Unique, words for published runs, words and date for measured ones; never changes.
        origin: Where it comes from.
        source: Id of the source, as in the sources table; own runs have `measured` or `submitted`.
        locator: Place in the source (table, paragraph, file and line).
        licence: SPDX id or a short name of the terms under which the figures may be passed on.
        credit: Who is to be named.
        workload: As in `catalog/workloads.toml`.
        system: As in `catalog/systems.csv`, or made from the environment for a machine that is not
            there.
        accelerator: As in `catalog/hardware.csv`; None where the log leaves it open.
        accelerators: Chips used, over all nodes.
        global_batch_size: Samples per optimiser step over all accelerators.
        batch_recommended: False where the vendor recommends another batch size; None where nothing
            is said.
        augmentation: Whether training data were augmented.
        parallelism: How several accelerators shared the work, such as `synchronous_data_parallel`.
        implementation: Name of the code that was run; `implementation_url`, `container` where it
            can be had.
        train_samples: Samples of one epoch, as far as the source states it.
        epoch_index_base: First number that the log gives an epoch; evaluations are kept as epochs
            finished all the same.
        clock_resolution_s: Grain of the log's clock: 1 for a log with whole seconds.
        withdrawn: Why the run is hidden from comparisons; None for a run in force.
        caveats: Keys of remarks that must stand beside the figures.
    """

    run_id: str
    origin: Origin
    source: str
    locator: str
    licence: str
    credit: str
    workload: str
    system: str
    status: Status
    mode: Mode = Mode.TRAINING
    status_detail: str | None = None
    accelerator: str | None = None
    accelerators: int | None = None
    nodes: int | None = None
    processes: int | None = None
    parallelism: str | None = None
    backend: str | None = None
    framework: str | None = None
    framework_version: str | None = None
    implementation: str | None = None
    implementation_url: str | None = None
    container: str | None = None
    precision: Precision = Precision.UNKNOWN
    data: DataKind | None = None
    augmentation: bool | None = None
    global_batch_size: int | None = None
    batch_recommended: bool | None = None
    seed: int | None = None
    repeat_index: int | None = None
    train_samples: int | None = None
    epochs_planned: float | None = None
    epoch_index_base: int | None = None
    clock_scope: ClockScope = ClockScope.UNKNOWN
    clock_resolution_s: float | None = None
    started_at: datetime | None = None
    wall_time_s: float | None = None
    stop_reason: str | None = None
    submitter: str | None = None
    round: str | None = None
    division: str | None = None
    withdrawn: str | None = None
    metrics: tuple[Metric, ...] = ()
    targets: tuple[Target, ...] = ()
    steps: tuple[Step, ...] = ()
    epochs: tuple[Epoch, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    telemetry: tuple[Sample, ...] = ()
    software: tuple[Software, ...] = ()
    settings: tuple[Setting, ...] = ()
    caveats: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    environment: Environment | None = None

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


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure that a source prints and that follows from others, or a sentence that states one.

    Attributes:
        claim_id: Unique: source id and words.
        quantity: Key of the sentence that says in the reader's language what is claimed
            (`strings/`, `claim.<quantity>`).
        printed: The printed figure in `unit`; None where a range is printed.
        bound: "about" and the like; its tolerance is in `verdicts.TOLERANCE`.
        decimals: Decimals as printed (see `Metric.decimals`).
        formula: Name in `formulas.FORMULAS`.
        inputs: References to facts (see `facts.Facts`), in the formula's order.
        estimate: True where the formula is an estimator that need not equal the printed figure.
        reason: Why it cannot be checked, where `formula` is `none`.
        order: True for an order of magnitude: `printed` is a power of ten, judged on a logarithmic
            scale (`verdicts.ORDER`).
    """

    claim_id: str
    source: str
    locator: str
    quantity: str
    unit: str
    formula: str
    inputs: tuple[str, ...] = ()
    printed: float | None = None
    printed_low: float | None = None
    printed_high: float | None = None
    bound: Bound = Bound.EQ
    decimals: int = 0
    estimate: bool = False
    reason: str | None = None
    order: bool = False

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


@dataclass(frozen=True, slots=True)
class Source:
    """A publication or log set that figures come from.

    Attributes:
        published: Day of publication; None where the copy at hand does not print it
            (`published_note` says so).
        translated_from: Language of the original of a translation; None for an original.
        sponsor: For whom it was made, as far as it says.
        transcription_note: What the reader must know about the copy: shuffled sentences, figures
            that were pictures.
        published_precision: How much of `published` the source prints.
        modified: Day of the last change as the source prints it; the age of its figures counts from
            there.
        number: The number under which its publisher keeps it.
        version: As printed.
        affiliation: Team or laboratory of the authors, as printed.
        disclaimers: Keys of what must stand above the first paragraph of whatever retells the
            source.
        applies_to: Products and versions to which it says it applies, as printed.
        code: Address of the code that it gives; `none` where it gives none, None where the copy
            does not tell.
        published_about: Middle of the time that a source without a printed date points to, put
            together here (`published_note`): the day whose exchange rates hold for its prices.
    """

    source: str
    kind: SourceKind
    title: str
    url: str | None
    language: str
    licence: str
    credit: str
    authors: str | None = None
    publisher: str | None = None
    sponsor: str | None = None
    published: date | None = None
    published_note: str | None = None
    accessed: date | None = None
    translated_from: str | None = None
    transcription_note: str | None = None
    vendors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    published_precision: DatePrecision = DatePrecision.DAY
    modified: date | None = None
    number: str | None = None
    version: str | None = None
    affiliation: str | None = None
    disclaimers: tuple[str, ...] = ()
    applies_to: tuple[str, ...] = ()
    code: str | None = None
    published_about: date | None = None

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


@dataclass(frozen=True, slots=True)
class Review:
    """Whether a party saw a source's draft: `role` is vendor or independent; `status` is asked,
    answered, no_reply or unknown.
    """

    source: str
    party: str
    role: str
    status: str
    date: date | None
    comment: str | None
    locator: str

    def __post_init__(self) -> None:
        check_id(f"review by {self.party}: source", self.source)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table that a source prints and that is neither a run nor a price.

    `row` and `column` are keys with a text in `strings/` or names that stay as they are; `text`
    likewise; `value` with `unit` and `decimals` where the cell is a figure.
    """

    source: str
    table: str
    row_index: int
    row: str
    column: str
    text: str | None
    value: float | None
    unit: str | None
    decimals: int | None
    bound: Bound
    certainty: Certainty
    locator: str

    def __post_init__(self) -> None:
        check_id(f"cell of table {self.table}: source", self.source)
        check_id(f"cell of {self.source}: table", self.table)
        where = f"cell of {self.source}, table {self.table}, row {self.row}, column {self.column}"
        _finite(where, value=self.value)
        check_decimals(where, self.decimals)


@dataclass(frozen=True, slots=True)
class Price:
    """A dated offer.

    Attributes:
        accelerators: Chips that the amount buys.
        includes: `accelerator`, `host`, `storage`, `traffic`: what the amount covers, as far as the
            source says.
        valid_from: Day on which the price was seen; None where the source prints no date.
        term_months: Length of the commitment; `upfront` what is paid before it.
        decimals: Decimals as printed.
        workload: Training that the source prints this price for; None where it holds for any.
        hardware: Kind of accelerator, as in `catalog/hardware.csv`, of a machine that is in no
            catalogue of systems; None where the system says it.
        note: Keys of `price_note` in `strings/`, with spaces between them; `notes` has them apart.
    """

    price_id: str
    provider: str
    offer: str
    system: str
    accelerators: int
    kind: PriceKind
    amount: float
    currency: str
    per: Per
    region: str | None
    valid_from: date | None
    valid_to: date | None
    source: str
    locator: str
    licence: str
    bound: Bound = Bound.EQ
    decimals: int = 2
    term_months: int | None = None
    upfront: float | None = None
    includes: tuple[str, ...] = ()
    tax: str | None = None
    granularity_s: int | None = None
    session_limit_s: int | None = None
    preparation_s: int | None = None
    note: str | None = None
    workload: str | None = None
    hardware: str | None = None

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


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """That a run no longer counts, beside its file, which is never rewritten; the store puts `why`
    into `Run.withdrawn`.
    """

    run_id: str
    why: str
    day: date

    def __post_init__(self) -> None:
        check_id("run_id", self.run_id)
        if not self.why.strip():
            raise RecordError(
                f"withdrawal of {self.run_id}: no reason; readers of the run's page must learn why"
            )


@dataclass(frozen=True, slots=True)
class Recording:
    """A monitoring log of a run that is recorded elsewhere, beside its file; the store puts
    readings and figures into the run.

    Attributes:
        run_id: The run that was watched.
        source: Id of the source of the log, as in the sources table.
        locator: Place in the source: the file's name.
        licence: SPDX id or short name of the terms of the log, which need not be those of the run.
        credit: Who is to be named beside the readings.
        started_at: Time of the first reading; None where the log's clock has no zone.
        offset_s: First reading after the run's clock started, negative before it; None where the
            two clocks say it.
        samples: Readings, `time_s` from the first one; of a long log evenly spaced ones, the
            metrics are of all.
        metrics: Figures of the log, `monitored_*`.
        doubts: Reasons to be careful with them.
    """

    run_id: str
    source: str
    locator: str
    licence: str
    credit: str
    started_at: datetime | None = None
    offset_s: float | None = None
    samples: tuple[Sample, ...] = ()
    metrics: tuple[Metric, ...] = ()
    doubts: tuple[Doubt, ...] = ()

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


@dataclass(frozen=True, slots=True)
class Tariff:
    """A dated price of electricity: `amount` in the currency for one kilowatt-hour, in a region,
    with all that is on the bill.

    Attributes:
        valid_from: First day of the time that the amount is of.
        valid_to: Last day of it; None where the source gives one day alone.
    """

    tariff_id: str
    region: str
    amount: float
    currency: str
    valid_from: date
    valid_to: date | None
    source: str
    locator: str
    licence: str
    note: str | None = None

    def __post_init__(self) -> None:
        check_id("tariff_id", self.tariff_id)
        check_id(f"tariff {self.tariff_id}: source", self.source)
        check_currency(f"tariff {self.tariff_id}", self.currency)
        if not (self.amount > 0 and math.isfinite(self.amount)):
            raise RecordError(
                f"tariff {self.tariff_id}: amount {self.amount}, wanted more than 0 for a "
                "kilowatt-hour"
            )


@dataclass(frozen=True, slots=True)
class Rate:
    """What one unit of `base` was worth in `quote` on a day."""

    base: str
    quote: str
    rate: float
    day: date
    source: str
    locator: str
    licence: str

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
