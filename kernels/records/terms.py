"""Every enumeration of the project."""

from enum import StrEnum


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
    """Terms of an offer; `marketplace` is what the cheapest of many hosts asks."""

    ON_DEMAND = "on_demand"
    RESERVED = "reserved"
    SPOT = "spot"
    MARKETPLACE = "marketplace"
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
    """How much of a date its source prints; the rest is the first of the month or year."""

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
    ACCELERATOR = "accelerator"
    """A chip for neural networks that is none of these: IPU, Gaudi, Ascend."""


class ServerKind(StrEnum):
    """How a machine is had."""

    CLOUD_VM = "cloud_vm"
    VDS = "vds"
    DEDICATED = "dedicated"
    OWNED = "owned"
    NOTEBOOK = "notebook"
