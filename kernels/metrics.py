"""The names that metrics may have, each with its unit and its meaning in one sentence.

`runs/README.md` prints them.
"""

import re
from collections.abc import Mapping
from typing import Final

METRICS: Final[Mapping[str, tuple[str, str]]] = {
    "throughput_images_per_s": (
        "images/s",
        "Images trained per second over all accelerators; of own runs over the time of all "
        "measured steps, waits included.",
    ),
    "throughput_samples_per_s": ("samples/s", "The same for samples that are not images."),
    "throughput_tokens_per_s": ("tokens/s", "The same for tokens."),
    "step_time_s": ("s", "Wall time of one optimiser step after warm-up."),
    "step_time_p50_s": (
        "s",
        "Percentiles of the measured steps' wall times; each is given where at least one step lies "
        "beyond it:",
    ),
    "step_time_p90_s": ("s", "from 10 steps on,"),
    "step_time_p95_s": ("s", "from 20 steps on,"),
    "step_time_p99_s": ("s", "from 100 steps on."),
    "compile_time_s": (
        "s",
        "First step less the median of the measured ones: compiling, tuning, first allocation.",
    ),
    "first_step_s": (
        "s",
        "Wall time of the first step; with the next three and `evaluation_time_s` it makes up "
        "`wall_time_s`.",
    ),
    "warmup_time_s": ("s", "Wall time of the warm-up steps after it."),
    "measured_time_s": ("s", "Wall time of the measured steps."),
    "rest_time_s": (
        "s",
        "Wall time between steps and evaluations: shuffling, reading the loss, agreeing with other "
        "processes.",
    ),
    "queued_share": (
        "1",
        "Time that the device worked on after the last step had returned, over that of the steps.",
    ),
    "first_epoch_s": ("s", "Wall time of the first epoch, compiling included."),
    "median_epoch_s": ("s", "Median wall time of the epochs after the first."),
    "train_time_s": ("s", "Wall time of the whole training; `clock_scope` says what it includes."),
    "evaluation_time_s": ("s", "Wall time of all evaluations together."),
    "latency_s": ("s", "Inference: wall time of one batch."),
    "epochs_to_target": (
        "epochs",
        "Epochs finished at the first evaluation that reached the target.",
    ),
    "time_to_target_s": ("s", "Time at that evaluation; `clock_scope` says what it includes."),
    "samples_to_target": ("samples", "Training samples seen at that evaluation."),
    "epochs_to_target_sustained": (
        "epochs",
        "Epochs finished at the first evaluation from which on the target held to the end.",
    ),
    "time_to_target_sustained_s": ("s", "Time at that evaluation."),
    "samples_to_target_sustained": ("samples", "Training samples seen at that evaluation."),
    "final_*": (
        "1",
        "Quality at the end, such as `final_accuracy`, `final_auc`; a fraction from 0 to 1 save "
        "for `final_loss`.",
    ),
    "best_*": ("1", "The best evaluation of the run, named likewise."),
    "best_*_epoch": ("epochs", "Epochs finished at the best evaluation."),
    "peak_memory_bytes": (
        "byte",
        "Most accelerator memory in use at once (on a CPU: of the process).",
    ),
    "energy_j": (
        "J",
        "Energy of the measured steps: of the accelerators by their counters; of the whole system "
        "in MLPerf's power logs.",
    ),
    "energy_integral_j": (
        "J",
        "The same by integrating power readings over time; both from the first to the last "
        "measured step.",
    ),
    "energy_to_target_j": (
        "J",
        "Energy of the accelerators from the start of the run's clock to the evaluation that "
        "reached the target.",
    ),
    "mean_power_w": ("W", "Mean power of the accelerators over the measured steps."),
    "peak_power_w": (
        "W",
        "Highest power of all accelerators together in one reading of the measured steps.",
    ),
    "monitored_energy_j": (
        "J",
        "Energy by a monitoring log: power over real time steps between its readings, not across "
        "gaps, summed.",
    ),
    "monitored_mean_power_w": (
        "W",
        "That over the time covered, summed over the accelerators of the log.",
    ),
    "monitored_peak_power_w": ("W", "Highest power reading of one accelerator in the log."),
    "monitored_mean_utilisation": (
        "1",
        "Mean utilisation over the time covered, and over the accelerators of the log.",
    ),
    "monitored_peak_temperature_c": ("degC", "Highest temperature reading of a chip in the log."),
    "monitored_peak_memory_bytes": ("byte", "Most memory in use on one accelerator in the log."),
    "monitored_time_s": ("s", "From the first to the last reading of the log."),
    "monitored_covered_s": (
        "s",
        "Of that, the time without gaps, of the accelerator that has least of it.",
    ),
    "monitored_largest_gap_s": ("s", "Longest time between two readings of one accelerator."),
    "monitored_interval_s": ("s", "Median time between two readings of one accelerator."),
    "monitored_readings": (
        "1",
        "Readings in the log; `monitored_*_of_0` and so on are of one accelerator by its number.",
    ),
    "data_wait_share": (
        "1",
        "Fraction of the training time in which the accelerators waited for data.",
    ),
    "achieved_flop_per_s": (
        "FLOP/s",
        "Floating-point operations of the model's products per second.",
    ),
    "peak_share": ("1", "That over the accelerator's nominal peak."),
    "copy_bytes_per_s": (
        "byte/s",
        "Bytes copied per second, each counted once; of a run's data, from the host or within the "
        "device.",
    ),
    "memory_bandwidth_byte_per_s": (
        "byte/s",
        "Bytes read and written per second by a copy within one memory: twice what is copied.",
    ),
    "scaling_efficiency": ("1", "Throughput of N processes over N times that of one."),
}
"""Unit and meaning by the name of a metric; `*` stands for the name of a quality metric."""


def metric_unit(name: str) -> str | None:
    """Unit that a metric of this name has; None for a name that is not in `METRICS`."""
    if name in METRICS:
        return METRICS[name][0]
    if of_one := re.fullmatch(r"(monitored_\w+?)_of_\d+", name):
        return metric_unit(of_one[1])
    if name.startswith("best_") and name.endswith("_epoch"):
        return METRICS["best_*_epoch"][0]
    if name.startswith(("final_", "best_")):
        return METRICS["final_*"][0]
    return None
