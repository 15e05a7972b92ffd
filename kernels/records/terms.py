"""Every enumeration of the project."""

from enum import StrEnum


class Status(StrEnum):
    """End of a run, or reason for a missing figure."""

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
    """Origin of a run; visible in every chart and table."""

    MEASURED = "measured"
    SUBMITTED = "submitted"
    IMPORTED = "imported"
    PUBLISHED = "published"


class Mode(StrEnum):
    """Training or inference; the two never share a ranking."""

    TRAINING = "training"
    INFERENCE = "inference"


class ClockScope(StrEnum):
    """Timing scope of a run."""

    TRAIN_ONLY = "train_only"
    TRAIN_AND_EVAL = "train_and_eval"
    END_TO_END = "end_to_end"
    UNKNOWN = "unknown"


class DataKind(StrEnum):
    """Kind of input data."""

    SYNTHETIC_DEVICE = "synthetic_device"
    SYNTHETIC_HOST = "synthetic_host"
    REAL = "real"


class Precision(StrEnum):
    """Precision of the arithmetic; `mixed` if the source says no more."""

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
    """Terms of an offer; `marketplace` is the cheapest of many hosts."""

    ON_DEMAND = "on_demand"
    RESERVED = "reserved"
    SPOT = "spot"
    MARKETPLACE = "marketplace"
    DEDICATED_MONTH = "dedicated_month"
    OWNED = "owned"
    FREE = "free"
    UNKNOWN = "unknown"


class Per(StrEnum):
    """Unit of an offer: time or purchase."""

    SECOND = "second"
    HOUR = "hour"
    MONTH = "month"
    PURCHASE = "purchase"


class Verdict(StrEnum):
    """Result of recomputing a printed figure; the rule is in `verdicts.judge`."""

    REPRODUCES = "reproduces"
    ROUNDING = "rounding"
    ESTIMATE = "estimate"
    CONTRADICTS = "contradicts"
    NOT_CHECKABLE = "not_checkable"


class Interval(StrEnum):
    """Meaning of `low` and `high` of a metric."""

    PRINTED = "printed"
    CI95 = "ci95"
    SEEDS = "seeds"


class Bound(StrEnum):
    """Qualifier of a printed figure: none, "about", "less than" or "more than"."""

    EQ = "eq"
    APPROX = "approx"
    LT = "lt"
    GT = "gt"


class Stat(StrEnum):
    """Statistic of the samples behind a metric."""

    SINGLE = "single"
    MEDIAN = "median"
    MEAN = "mean"
    MIN = "min"
    MAX = "max"
    TRIMMED_MEAN = "trimmed_mean"
    NOT_STATED = "not_stated"


class Direction(StrEnum):
    """Direction in which a target is reached."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"


class Phase(StrEnum):
    """Purpose of a step."""

    COMPILE = "compile"
    WARMUP = "warmup"
    MEASURE = "measure"


class SourceKind(StrEnum):
    """Kind of publication of a source."""

    ARTICLE = "article"
    LOGS = "logs"
    OWN_RUNS = "own_runs"
    CATALOGUE = "catalogue"


class DatePrecision(StrEnum):
    """Printed part of a date; the rest is the first of the month or year."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"


class Certainty(StrEnum):
    """Certainty of a fact, by what its source prints."""

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
    """Another chip for neural networks: IPU, Gaudi, Ascend."""


class ServerKind(StrEnum):
    """Availability of a machine."""

    CLOUD_VM = "cloud_vm"
    VDS = "vds"
    DEDICATED = "dedicated"
    OWNED = "owned"
    NOTEBOOK = "notebook"
