"""A run: workload and system, steps, readings, figures and environment."""

from datetime import date, datetime

from kernels.errors import RecordError
from kernels.records.fields import (
    Deferred,
    check_address,
    check_decimals,
    check_finite,
    check_id,
    described,
    licensed,
    record,
)
from kernels.records.terms import (
    Bound,
    Certainty,
    ClockScope,
    DataKind,
    Direction,
    Interval,
    Mode,
    Origin,
    Phase,
    Precision,
    Stat,
    Status,
)
from kernels.units import UNITS


@record
class Target:
    """A quality to reach."""

    metric: str = described("Quality metric that is compared, such as `top1`.")
    value: float = described("Threshold; a fraction from 0 to 1 save for losses.", "1")
    direction: Direction = described(
        "Which side of the threshold counts as reached.", default=Direction.AT_LEAST
    )
    sustained: bool = described(
        "True where every later evaluation must hold it too; false for the first hit.",
        default=False,
    )
    certainty: Certainty = described(
        "Whether the source states the target or a table of its rules gave it.",
        default=Certainty.STATED,
    )


@record
class Metric:
    """One figure of a run."""

    name: str = described("What is stated, by one of the names below.")
    value: float | None = described(
        "The figure; null for a printed range and for a missing figure.", "(unit)", default=None
    )
    unit: str = described("Unit of value, low and high, one of `units.UNITS`.", default="1")
    low: float | None = described("Lower end of a range or interval.", "(unit)", default=None)
    high: float | None = described("Upper end of a range or interval.", "(unit)", default=None)
    interval: Interval | None = described(
        "What low and high are: printed, a 95 % confidence interval, or lowest and highest over "
        "seeds.",
        default=None,
    )
    bound: Bound = described(
        "How a printed figure is to be read: as it stands, about, less than, more than.",
        default=Bound.EQ,
    )
    n: int | None = described(
        "Runs or samples behind the figure; null where the source does not say.", "1", default=None
    )
    stat: Stat = described("Which statistic of those samples it is.", default=Stat.SINGLE)
    decimals: int | None = described(
        "Decimals as printed, -1 for tens; null for a measured figure.", "1", default=None
    )
    target: Target | None = described(
        "The target that the figure belongs to, such as for `epochs_to_target`.", default=None
    )
    status: Status = described("`ok`, or why the figure is missing.", default=Status.OK)
    locator: str | None = described(
        "Place in the source, where it is not the run's own.", default=None
    )

    def __post_init__(self) -> None:
        check_finite(f"metric {self.name}", value=self.value, low=self.low, high=self.high)
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
        """Name that is unique within a run: with a target `epochs_to_target@0.757`."""
        return self.name if self.target is None else f"{self.name}@{self.target.value:g}"


@record
class Step:
    """One optimiser step, timed from an idle device to an idle device."""

    index: int = described(
        "Number of the step within the run, from 0, compile and warm-up steps included.", "1"
    )
    phase: Phase = described("Whether the step compiled, warmed up or was measured.")
    start_s: float = described("Start of the step after the run's clock started.", "s")
    duration_s: float = described(
        "Wall time of the step, from an idle device to an idle device.", "s"
    )
    epoch: int | None = described(
        "Number of the epoch that the step belongs to, counted as the epochs are.",
        "1",
        default=None,
    )
    loss: float | None = described("Training loss at the step.", "1", default=None)


@record
class Epoch:
    """One pass over the training data; `index` counts from `Run.epoch_index_base`."""

    index: int = described("Number of the epoch, from `epoch_index_base`.", "1")
    samples: int | None = described("Training samples seen in the epoch.", "samples", default=None)
    start_s: float | None = described(
        "Start of the epoch after the run's clock started.", "s", default=None
    )
    duration_s: float | None = described(
        "Wall time of the epoch's training, evaluation left out.", "s", default=None
    )
    evaluation_s: float | None = described(
        "Wall time of the evaluation after the epoch.", "s", default=None
    )
    learning_rate: float | None = described("Learning rate at the epoch's end.", "1", default=None)
    loss: float | None = described("Mean training loss of the epoch.", "1", default=None)
    data_wait_s: float | None = described(
        "Time for which the accelerator waited for data.", "s", default=None
    )


@record
class Evaluation:
    """One reading of a quality metric.

    At least one of `epoch`, `samples` and `step` locates it.
    """

    metric: str = described(
        "Quality metric that was read: `top1`, `top5`, `auc`, `hr10`, `bleu`, `map`, `loss`, ..."
    )
    value: float = described("The reading; a fraction from 0 to 1 save for losses.", "1")
    epoch: float | None = described(
        "Epochs finished when it was taken: 1.0 after the first, whatever the log counts from.",
        "epochs",
        default=None,
    )
    epoch_as_logged: float | None = described("The epoch's number in the log.", "1", default=None)
    samples: int | None = described(
        "Training samples seen when it was taken.", "samples", default=None
    )
    step: int | None = described(
        "Optimiser steps finished when it was taken.", "steps", default=None
    )
    time_s: float | None = described(
        "Time since the run's clock started, evaluations included.", "s", default=None
    )
    train_time_s: float | None = described(
        "The same without evaluations; null where the two were not told apart.", "s", default=None
    )
    locator: str | None = described("Place in the source, such as the log's line.", default=None)

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
        "Time of the reading since the run's clock started, negative before it; in a recording "
        "since its first reading.",
        "s",
    )
    device: int = described("Number of the accelerator on its machine, from 0.", "1")
    power_w: float | None = described("Power drawn.", "W", default=None)
    energy_j: float | None = described(
        "Energy counter of the accelerator, counted from its first reading.", "J", default=None
    )
    temperature_c: float | None = described("Temperature of the chip.", "degC", default=None)
    memory_temperature_c: float | None = described(
        "Temperature of the memory.", "degC", default=None
    )
    clock_hz: float | None = described("Clock of the cores.", "Hz", default=None)
    memory_clock_hz: float | None = described("Clock of the memory.", "Hz", default=None)
    utilisation: float | None = described(
        "Fraction of the sensor's window in which a program ran on the chip.", "1", default=None
    )
    memory_utilisation: float | None = described(
        "Fraction of the sensor's window in which memory was read or written.", "1", default=None
    )
    fan: float | None = described("Fan speed as a fraction of its highest.", "1", default=None)
    memory_bytes: int | None = described("Memory in use.", "byte", default=None)
    throttle_mask: int | None = described(
        "Reasons for a lowered clock, as the driver's bit mask.", "1", default=None
    )


@record
class Software:
    """A piece of software of a run, and whether its version is printed by the source."""

    name: str = described("Name of the software.")
    version: str | None = described("Its version; null where none is stated.")
    certainty: Certainty = described(
        "Whether the source prints the version or it was put together from a damaged copy.",
        default=Certainty.STATED,
    )


@record
class Setting:
    """One setting of a run that has no column of its own, such as an optimiser's momentum."""

    name: str = described("Name of the setting.")
    value: str = described("Its value as text.", longest=10_000, several_lines=True)


@record
class RunWarning:
    """A reason to be careful with a run; texts are in `analysis.warnings.WARNINGS`."""

    code: str = described(
        "Which warning, as in `analysis.warnings.WARNINGS`, which gives its text, unit and advice."
    )
    value: float | None = described("What was found, in the warning's own unit.", "1", default=None)
    limit: float | None = described(
        "The limit that it was held against, in the same unit.", "1", default=None
    )


@record
class Environment:
    """The machine during the run. Host names and serial numbers are hashed or absent."""

    os: str | None = described("Operating system and its version.", default=None)
    kernel: str | None = described("Version of the kernel.", default=None)
    python: str | None = described("Version of Python.", default=None)
    cpu_model: str | None = described("Model of the processor as it names itself.", default=None)
    cpu_vendor: str | None = described("Maker of the processor.", default=None)
    physical_cores: int | None = described("Cores of the machine.", "cores", default=None)
    logical_cores: int | None = described("Hardware threads of the machine.", "cores", default=None)
    cpu_max_hz: float | None = described("Highest clock of the processor.", "Hz", default=None)
    memory_bytes: int | None = described("Memory of the machine.", "byte", default=None)
    cgroup_cpus: float | None = described(
        "Processor time that the container may use; null without a limit.", "cores", default=None
    )
    cgroup_memory_bytes: int | None = described(
        "Memory that the container may use; null without a limit.", "byte", default=None
    )
    virtualised: bool | None = described("Whether the machine is a virtual one.", default=None)
    numa_nodes: int | None = described("Memory domains of the machine.", "1", default=None)
    load_average_1min: float | None = described(
        "Mean number of runnable tasks in the minute before the start.", "1", default=None
    )
    foreign_cores: float | None = described(
        "Cores' worth of processor time that other programs used during the timed steps.",
        "cores",
        default=None,
    )
    threads: int | None = described(
        "Threads that the framework used for arithmetic, in each process.", "1", default=None
    )
    cpu_affinity: str | None = described(
        "Processors that the run might use, such as `0-1`.", default=None
    )
    allocator: str | None = described("Memory allocator and its settings.", default=None)
    accelerator_name: str | None = described(
        "Name of the accelerator as its driver gives it.", default=None
    )
    accelerator_count: int | None = described(
        "Accelerators that the run could see.", "chips", default=None
    )
    accelerator_memory_bytes: int | None = described(
        "Memory of one accelerator.", "byte", default=None
    )
    accelerator_power_limit_w: float | None = described(
        "Power limit of one accelerator.", "W", default=None
    )
    driver: str | None = described("Version of the accelerator's driver.", default=None)
    cuda: str | None = described("Version of CUDA that the framework was built with.", default=None)
    cudnn: str | None = described("Version of cuDNN.", default=None)
    nccl: str | None = described("Version of NCCL.", default=None)
    compile_mode: str | None = described(
        "How the model was compiled, such as `inductor` or `jit`; `eager` where it ran as written.",
        default=None,
    )
    deterministic: bool | None = described(
        "Whether the framework was held to deterministic algorithms.", default=None
    )
    tf32_allowed: bool | None = described(
        "Whether FP32 multiplications might run in TF32.", default=None
    )
    cudnn_benchmark: bool | None = described(
        "Whether cuDNN chose its algorithms by trial.", default=None
    )
    memory_format: str | None = described(
        "Order of an image's dimensions in memory, such as `channels_last`.", default=None
    )
    git_commit: str | None = described("Commit of this repository that measured.", default=None)
    git_dirty: bool | None = described("Whether files differed from that commit.", default=None)
    data_sha256: str | None = described("SHA-256 of the training data.", default=None)
    command: str | None = described(
        "Command that repeats the run.", default=None, longest=10_000, several_lines=True
    )
    extra: tuple[Setting, ...] = described(
        "Facts about the machine without a column of their own.", default=()
    )


@record
class Run(Deferred):
    """One workload, once, on one system."""

    run_id: str = described(
        "Name of the run, unique over all files: words, and a date for measured runs; never "
        "changes."
    )
    origin: Origin = described(
        "Where the run comes from: measured on this archive's machines, submitted, imported from "
        "logs, or published."
    )
    source: str = described(
        "Id of the source that the figures come from; `measured` or `submitted` for runs of this "
        "harness."
    )
    locator: str = described("Place in the source: table, paragraph, or file and line.")
    licence: str = licensed("figures")
    credit: str = described("Who is to be named beside the figures.")
    workload: str = described("Id of what was trained, as in `catalog/workloads.toml`.")
    system: str = described(
        "Id of what trained it, as in `catalog/systems.csv`, or made from the environment for an "
        "unlisted machine."
    )
    status: Status = described("How the run ended, or why it has no figures.")
    mode: Mode = described(
        "Training or inference; the two never share a ranking.", default=Mode.TRAINING
    )
    status_detail: str | None = described(
        "What happened in words, such as the phase and the bytes asked for when memory ran out.",
        default=None,
        longest=4_000,
        several_lines=True,
    )
    accelerator: str | None = described(
        "Id of the kind of accelerator, as in `catalog/hardware.csv`; null where the source "
        "leaves it open.",
        default=None,
    )
    accelerators: int | None = described(
        "Accelerator chips used, over all nodes.", "chips", default=None
    )
    nodes: int | None = described("Machines used.", "1", default=None)
    processes: int | None = described("Training processes over all nodes.", "1", default=None)
    parallelism: str | None = described(
        "How several accelerators shared the work, such as `synchronous_data_parallel`.",
        default=None,
    )
    backend: str | None = described(
        "Backend of this harness that trained: `torch` or `jax`; null for runs of others.",
        default=None,
    )
    framework: str | None = described("Deep-learning framework by its usual name.", default=None)
    framework_version: str | None = described(
        "Version of the framework as stated or as imported.", default=None
    )
    implementation: str | None = described("Name of the training code.", default=None)
    implementation_url: str | None = described("Where that code can be had.", default=None)
    container: str | None = described("Container image in which it ran.", default=None)
    precision: Precision = described(
        "Number format of the arithmetic; `mixed` where the source says no more.",
        default=Precision.UNKNOWN,
    )
    data: DataKind | None = described(
        "Whether real data or generated data were fed, and from where.", default=None
    )
    augmentation: bool | None = described("Whether training data were augmented.", default=None)
    global_batch_size: int | None = described(
        "Samples per optimiser step over all accelerators.", "samples", default=None
    )
    batch_recommended: bool | None = described(
        "False where the vendor recommends another batch size; null where nothing is said.",
        default=None,
    )
    seed: int | None = described("Seed of the random numbers.", "1", default=None)
    repeat_index: int | None = described(
        "Number of this run among repetitions of the same configuration, from 0.", "1", default=None
    )
    train_samples: int | None = described(
        "Samples of one epoch, as far as the source states it.", "samples", default=None
    )
    epochs_planned: float | None = described(
        "Epochs that the run was set to train.", "epochs", default=None
    )
    epoch_index_base: int | None = described(
        "First number that the log gives an epoch, 0 or 1.", "1", default=None
    )
    clock_scope: ClockScope = described("What the run's times include.", default=ClockScope.UNKNOWN)
    clock_resolution_s: float | None = described(
        "Grain of the log's clock: 1 for a log with whole seconds.", "s", default=None
    )
    started_at: datetime | None = described("When the run's clock started.", "UTC", default=None)
    wall_time_s: float | None = described(
        "From start to end of the run, everything included.", "s", default=None
    )
    stop_reason: str | None = described(
        "Why the measurement ended, such as `interval_narrow`, `noise_stable`, `time_cap`, "
        "`epochs_done`.",
        default=None,
    )
    submitter: str | None = described(
        "Organisation that submitted the run to its round.", default=None
    )
    round: str | None = described("Round of the benchmark, such as `v0.5`.", default=None)
    division: str | None = described("Division of the benchmark, such as `closed`.", default=None)
    withdrawn: str | None = described(
        "Why the run is hidden from comparisons; null for a run in force.",
        default=None,
        several_lines=True,
    )
    metrics: tuple[Metric, ...] = described("Figures of the run, one entry a figure.", default=())
    targets: tuple[Target, ...] = described("Qualities that the run was to reach.", default=())
    steps: tuple[Step, ...] = described("Timed optimiser steps, in order.", default=())
    epochs: tuple[Epoch, ...] = described("Passes over the training data, in order.", default=())
    evaluations: tuple[Evaluation, ...] = described(
        "Readings of quality metrics along the training, in order.", default=()
    )
    telemetry: tuple[Sample, ...] = described(
        "Readings of the accelerators' sensors, in order of time.", default=()
    )
    software: tuple[Software, ...] = described("Software that ran, with versions.", default=())
    settings: tuple[Setting, ...] = described(
        "Settings without a column of their own, such as an optimiser's momentum.", default=()
    )
    caveats: tuple[str, ...] = described(
        "Keys of remarks that must stand beside the figures.", default=()
    )
    doubts: tuple[RunWarning, ...] = described("Reasons to be careful with the run.", default=())
    environment: Environment | None = described(
        "The machine as it was while it ran; null for runs of others.", default=None
    )

    def __post_init__(self) -> None:
        check_id("run_id", self.run_id)
        at = f"run {self.run_id}: "
        for name in ("source", "workload", "system"):
            check_id(at + name, getattr(self, name))
        if self.accelerator is not None:
            check_id(f"{at}accelerator", self.accelerator)
        check_address(f"{at}implementation_url", self.implementation_url)
        for name in ("accelerators", "global_batch_size"):
            count = getattr(self, name)
            if count is not None and count < 1:
                raise RecordError(f"{at}{name} is {count}, wanted 1 or more, or None")
        if self.started_at is not None and self.started_at.tzinfo is None:
            raise RecordError(
                f"{at}started_at {self.started_at} has no time zone; record it in UTC"
            )
        keys = [metric.key for metric in self.metrics]
        if repeated := sorted({key for key in keys if keys.count(key) > 1}):
            raise RecordError(f"{at}a metric is given twice: {repeated}")

    @property
    def batch_size_per_accelerator(self) -> int | None:
        """Global batch over accelerators, if it divides evenly."""
        if (
            self.global_batch_size is None
            or self.accelerators is None
            or self.global_batch_size % self.accelerators
        ):
            return None
        return self.global_batch_size // self.accelerators

    @property
    def extra(self) -> dict[str, str]:
        """Facts of its machine without a column, by name."""
        known = () if self.environment is None else self.environment.extra
        return {each.name: each.value for each in known}

    def setting(self, name: str) -> str | None:
        """Returns the setting of that name, or None."""
        return next((each.value for each in self.settings if each.name == name), None)

    def value(self, key: str) -> float | None:
        """Returns the value of a metric; None without the metric or a value."""
        found = self.metric(key)
        return None if found is None else found.value

    def metric(self, key: str) -> Metric | None:
        """Returns the metric of a key, such as `epochs_to_target@0.757`, or None."""
        return next((metric for metric in self.metrics if metric.key == key), None)


@record
class Withdrawal:
    """Withdraws a run; the store puts `why` into `Run.withdrawn`."""

    run_id: str = described("The run that no longer counts; its own file stays as it is.")
    why: str = described("The reason, as it stands on the run's page.", several_lines=True)
    day: date = described("Day on which it was withdrawn.", "day")

    def __post_init__(self) -> None:
        check_id("run_id", self.run_id)
        if not self.why.strip():
            raise RecordError(
                f"withdrawal of {self.run_id}: no reason; readers of the run's page must learn why"
            )


@record
class Recording:
    """A monitoring log of a run recorded elsewhere; the store joins it to the run."""

    run_id: str = described("The run that was watched; its own file stays as it is.")
    source: str = described("Id of the source of the log.")
    locator: str = described("Place in the source: the file.")
    licence: str = licensed("readings")
    credit: str = described("Who is to be named beside the readings.")
    started_at: datetime | None = described(
        "Time of the first reading; null where the log's clock has no zone.", "UTC", default=None
    )
    offset_s: float | None = described(
        "First reading after the run's clock started, negative before it; null where the two "
        "clocks say it.",
        "s",
        default=None,
    )
    samples: tuple[Sample, ...] = described(
        "Readings in order of time; of a long log evenly spaced ones.", default=()
    )
    metrics: tuple[Metric, ...] = described(
        "Figures of all readings of the log, `monitored_*`.", default=()
    )
    doubts: tuple[RunWarning, ...] = described("Reasons to be careful with them.", default=())

    def __post_init__(self) -> None:
        check_id("run_id", self.run_id)
        check_id(f"recording of {self.run_id}: source", self.source)
        check_finite(f"recording of {self.run_id}", offset_s=self.offset_s)
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
