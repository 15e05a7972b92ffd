"""What every recorded column means, in one sentence each, and the names that metrics may have.

Each entry is the unit, then the meaning. A unit is one of `units.UNITS`; `-` is none; `(unit)` and
`(currency)` point to the neighbouring column that says it; `UTC` and `day` are points in time.
`store/schema.py` adds the type, `runs/README.md` prints all three.
"""

import re
from collections.abc import Mapping
from typing import Final

from kernels.records import (
    Cell,
    Claim,
    Doubt,
    Environment,
    Epoch,
    Evaluation,
    Metric,
    Price,
    Rate,
    Recording,
    Review,
    Run,
    Sample,
    Setting,
    Software,
    Source,
    Step,
    Target,
    Tariff,
    Withdrawal,
)

MEANINGS: Final[Mapping[type, Mapping[str, tuple[str, str]]]] = {
    Run: {
        "run_id": (
            "-",
            "Name of the run, unique over all files: words, and a date for measured runs; never "
            "changes.",
        ),
        "origin": (
            "-",
            "Where the run comes from: measured on this archive's machines, submitted, imported "
            "from logs, or published.",
        ),
        "source": (
            "-",
            "Id of the source that the figures come from; `measured` or `submitted` for runs of "
            "this harness.",
        ),
        "locator": ("-", "Place in the source: table, paragraph, or file and line."),
        "licence": (
            "-",
            "SPDX id or short name of the terms under which the figures may be passed on.",
        ),
        "credit": ("-", "Who is to be named beside the figures."),
        "workload": ("-", "Id of what was trained, as in `catalog/workloads.toml`."),
        "system": (
            "-",
            "Id of what trained it, as in `catalog/systems.csv`, or made from the environment for "
            "an unlisted machine.",
        ),
        "status": ("-", "How the run ended, or why it has no figures."),
        "mode": ("-", "Training or inference; the two never share a ranking."),
        "status_detail": (
            "-",
            "What happened in words, such as the phase and the bytes asked for when memory ran "
            "out.",
        ),
        "accelerator": (
            "-",
            "Id of the kind of accelerator, as in `catalog/hardware.csv`; null where the source "
            "leaves it open.",
        ),
        "accelerators": ("chips", "Accelerator chips used, over all nodes."),
        "nodes": ("1", "Machines used."),
        "processes": ("1", "Training processes over all nodes."),
        "parallelism": (
            "-",
            "How several accelerators shared the work, such as `synchronous_data_parallel`.",
        ),
        "backend": (
            "-",
            "Backend of this harness that trained: `torch` or `jax`; null for runs of others.",
        ),
        "framework": ("-", "Deep-learning framework by its usual name."),
        "framework_version": ("-", "Version of the framework as stated or as imported."),
        "implementation": ("-", "Name of the training code."),
        "implementation_url": ("-", "Where that code can be had."),
        "container": ("-", "Container image in which it ran."),
        "precision": (
            "-",
            "Number format of the arithmetic; `mixed` where the source says no more.",
        ),
        "data": ("-", "Whether real data or generated data were fed, and from where."),
        "augmentation": ("-", "Whether training data were augmented."),
        "global_batch_size": ("samples", "Samples per optimiser step over all accelerators."),
        "batch_recommended": (
            "-",
            "False where the vendor recommends another batch size; null where nothing is said.",
        ),
        "seed": ("1", "Seed of the random numbers."),
        "repeat_index": (
            "1",
            "Number of this run among repetitions of the same configuration, from 0.",
        ),
        "train_samples": ("samples", "Samples of one epoch, as far as the source states it."),
        "epochs_planned": ("epochs", "Epochs that the run was set to train."),
        "epoch_index_base": ("1", "First number that the log gives an epoch, 0 or 1."),
        "clock_scope": ("-", "What the run's times include."),
        "clock_resolution_s": ("s", "Grain of the log's clock: 1 for a log with whole seconds."),
        "started_at": ("UTC", "When the run's clock started."),
        "wall_time_s": ("s", "From start to end of the run, everything included."),
        "stop_reason": (
            "-",
            "Why the measurement ended, such as `interval_narrow`, `noise_stable`, `time_cap`, "
            "`epochs_done`.",
        ),
        "submitter": ("-", "Organisation that submitted the run to its round."),
        "round": ("-", "Round of the benchmark, such as `v0.5`."),
        "division": ("-", "Division of the benchmark, such as `closed`."),
        "withdrawn": ("-", "Why the run is hidden from comparisons; null for a run in force."),
        "metrics": ("-", "Figures of the run, one entry a figure."),
        "targets": ("-", "Qualities that the run was to reach."),
        "steps": ("-", "Timed optimiser steps, in order."),
        "epochs": ("-", "Passes over the training data, in order."),
        "evaluations": ("-", "Readings of quality metrics along the training, in order."),
        "telemetry": ("-", "Readings of the accelerators' sensors, in order of time."),
        "software": ("-", "Software that ran, with versions."),
        "settings": (
            "-",
            "Settings without a column of their own, such as an optimiser's momentum.",
        ),
        "caveats": ("-", "Keys of remarks that must stand beside the figures."),
        "doubts": ("-", "Reasons to be careful with the run."),
        "environment": ("-", "The machine as it was while it ran; null for runs of others."),
    },
    Metric: {
        "name": ("-", "What is stated, by one of the names below."),
        "value": ("(unit)", "The figure; null for a printed range and for a missing figure."),
        "unit": ("-", "Unit of value, low and high, one of `units.UNITS`."),
        "low": ("(unit)", "Lower end of a range or interval."),
        "high": ("(unit)", "Upper end of a range or interval."),
        "interval": (
            "-",
            "What low and high are: printed, a 95 % confidence interval, or lowest and highest "
            "over seeds.",
        ),
        "bound": (
            "-",
            "How a printed figure is to be read: as it stands, about, less than, more than.",
        ),
        "n": ("1", "Runs or samples behind the figure; null where the source does not say."),
        "stat": ("-", "Which statistic of those samples it is."),
        "decimals": ("1", "Decimals as printed, -1 for tens; null for a measured figure."),
        "target": ("-", "The target that the figure belongs to, such as for `epochs_to_target`."),
        "status": ("-", "`ok`, or why the figure is missing."),
        "locator": ("-", "Place in the source, where it is not the run's own."),
    },
    Target: {
        "metric": ("-", "Quality metric that is compared, such as `top1`."),
        "value": ("1", "Threshold; a fraction from 0 to 1 save for losses."),
        "direction": ("-", "Which side of the threshold counts as reached."),
        "sustained": (
            "-",
            "True where every later evaluation must hold it too; false for the first hit.",
        ),
        "certainty": ("-", "Whether the source states the target or a table of its rules gave it."),
    },
    Step: {
        "index": (
            "1",
            "Number of the step within the run, from 0, compile and warm-up steps included.",
        ),
        "phase": ("-", "Whether the step compiled, warmed up or was measured."),
        "start_s": ("s", "Start of the step after the run's clock started."),
        "duration_s": ("s", "Wall time of the step, from an idle device to an idle device."),
        "epoch": ("1", "Number of the epoch that the step belongs to, counted as the epochs are."),
        "loss": ("1", "Training loss at the step."),
    },
    Epoch: {
        "index": ("1", "Number of the epoch, from `epoch_index_base`."),
        "samples": ("samples", "Training samples seen in the epoch."),
        "start_s": ("s", "Start of the epoch after the run's clock started."),
        "duration_s": ("s", "Wall time of the epoch's training, evaluation left out."),
        "evaluation_s": ("s", "Wall time of the evaluation after the epoch."),
        "learning_rate": ("1", "Learning rate at the epoch's end."),
        "loss": ("1", "Mean training loss of the epoch."),
        "data_wait_s": ("s", "Time for which the accelerator waited for data."),
    },
    Evaluation: {
        "metric": (
            "-",
            "Quality metric that was read: `top1`, `top5`, `auc`, `hr10`, `bleu`, `map`, `loss`, "
            "...",
        ),
        "value": ("1", "The reading; a fraction from 0 to 1 save for losses."),
        "epoch": (
            "epochs",
            "Epochs finished when it was taken: 1.0 after the first, whatever the log counts from.",
        ),
        "epoch_as_logged": ("1", "The epoch's number in the log."),
        "samples": ("samples", "Training samples seen when it was taken."),
        "step": ("steps", "Optimiser steps finished when it was taken."),
        "time_s": ("s", "Time since the run's clock started, evaluations included."),
        "train_time_s": (
            "s",
            "The same without evaluations; null where the two were not told apart.",
        ),
        "locator": ("-", "Place in the source, such as the log's line."),
    },
    Sample: {
        "time_s": (
            "s",
            "Time of the reading since the run's clock started, negative before it; in a recording "
            "since its first reading.",
        ),
        "device": ("1", "Number of the accelerator on its machine, from 0."),
        "power_w": ("W", "Power drawn."),
        "energy_j": ("J", "Energy counter of the accelerator, counted from its first reading."),
        "temperature_c": ("degC", "Temperature of the chip."),
        "memory_temperature_c": ("degC", "Temperature of the memory."),
        "clock_hz": ("Hz", "Clock of the cores."),
        "memory_clock_hz": ("Hz", "Clock of the memory."),
        "utilisation": ("1", "Fraction of the sensor's window in which a program ran on the chip."),
        "memory_utilisation": (
            "1",
            "Fraction of the sensor's window in which memory was read or written.",
        ),
        "fan": ("1", "Fan speed as a fraction of its highest."),
        "memory_bytes": ("byte", "Memory in use."),
        "throttle_mask": ("1", "Reasons for a lowered clock, as the driver's bit mask."),
    },
    Software: {
        "name": ("-", "Name of the software."),
        "version": ("-", "Its version; null where none is stated."),
        "certainty": (
            "-",
            "Whether the source prints the version or it was put together from a damaged copy.",
        ),
    },
    Setting: {
        "name": ("-", "Name of the setting."),
        "value": ("-", "Its value as text."),
    },
    Doubt: {
        "code": ("-", "Which doubt, as in `checks.DOUBTS`, which gives its text, unit and advice."),
        "value": ("1", "What was found, in the doubt's own unit."),
        "limit": ("1", "The limit that it was held against, in the same unit."),
    },
    Environment: {
        "os": ("-", "Operating system and its version."),
        "kernel": ("-", "Version of the kernel."),
        "python": ("-", "Version of Python."),
        "cpu_model": ("-", "Model of the processor as it names itself."),
        "cpu_vendor": ("-", "Maker of the processor."),
        "physical_cores": ("cores", "Cores of the machine."),
        "logical_cores": ("cores", "Hardware threads of the machine."),
        "cpu_max_hz": ("Hz", "Highest clock of the processor."),
        "memory_bytes": ("byte", "Memory of the machine."),
        "cgroup_cpus": (
            "cores",
            "Processor time that the container may use; null without a limit.",
        ),
        "cgroup_memory_bytes": ("byte", "Memory that the container may use; null without a limit."),
        "virtualised": ("-", "Whether the machine is a virtual one."),
        "numa_nodes": ("1", "Memory domains of the machine."),
        "load_average_1min": ("1", "Mean number of runnable tasks in the minute before the start."),
        "foreign_cores": (
            "cores",
            "Cores' worth of processor time that other programs used during the timed steps.",
        ),
        "threads": ("1", "Threads that the framework used for arithmetic, in each process."),
        "cpu_affinity": ("-", "Processors that the run might use, such as `0-1`."),
        "allocator": ("-", "Memory allocator and its settings."),
        "accelerator_name": ("-", "Name of the accelerator as its driver gives it."),
        "accelerator_count": ("chips", "Accelerators that the run could see."),
        "accelerator_memory_bytes": ("byte", "Memory of one accelerator."),
        "accelerator_power_limit_w": ("W", "Power limit of one accelerator."),
        "driver": ("-", "Version of the accelerator's driver."),
        "cuda": ("-", "Version of CUDA that the framework was built with."),
        "cudnn": ("-", "Version of cuDNN."),
        "nccl": ("-", "Version of NCCL."),
        "compile_mode": (
            "-",
            "How the model was compiled, such as `inductor` or `jit`; `eager` where it ran as "
            "written.",
        ),
        "deterministic": ("-", "Whether the framework was held to deterministic algorithms."),
        "tf32_allowed": ("-", "Whether FP32 multiplications might run in TF32."),
        "cudnn_benchmark": ("-", "Whether cuDNN chose its algorithms by trial."),
        "memory_format": (
            "-",
            "Order of an image's dimensions in memory, such as `channels_last`.",
        ),
        "git_commit": ("-", "Commit of this repository that measured."),
        "git_dirty": ("-", "Whether files differed from that commit."),
        "data_sha256": ("-", "SHA-256 of the training data."),
        "command": ("-", "Command that repeats the run."),
        "extra": ("-", "Facts about the machine without a column of their own."),
    },
    Claim: {
        "claim_id": ("-", "Name of the claim, unique: source id and words."),
        "source": ("-", "Id of the source that prints it."),
        "locator": ("-", "Place in the source."),
        "quantity": (
            "-",
            "Key of the sentence that says what is claimed, in `strings/` as `claim.<quantity>`.",
        ),
        "unit": ("-", "Unit of the printed and of the recomputed figure, one of `units.UNITS`."),
        "formula": (
            "-",
            "Formula that recomputes the figure, by its name in `formulas.FORMULAS`; `none` where "
            "it cannot be checked.",
        ),
        "inputs": ("-", "References to the facts that the formula takes, in its order."),
        "printed": ("(unit)", "The printed figure; null where a range is printed."),
        "printed_low": ("(unit)", "Lower end of a printed range."),
        "printed_high": ("(unit)", "Upper end of a printed range."),
        "bound": (
            "-",
            "How the printed figure is to be read: as it stands, about, less than, more than.",
        ),
        "decimals": ("1", "Decimals as printed, -1 for tens."),
        "estimate": (
            "-",
            "True where the formula is an estimator that need not equal the printed figure.",
        ),
        "reason": ("-", "Why the claim cannot be checked."),
        "order": (
            "-",
            "True for an order of magnitude: the printed figure is a power of ten, judged on a "
            "logarithmic scale.",
        ),
    },
    Source: {
        "source": ("-", "Id of the source, unique."),
        "kind": ("-", "What kind of publication it is."),
        "title": ("-", "Title as published."),
        "url": ("-", "Address of the original; null where there is none."),
        "language": ("-", "Language of the text, as an ISO 639-1 code."),
        "licence": (
            "-",
            "SPDX id or short name of the terms under which its figures may be passed on.",
        ),
        "credit": ("-", "Who is to be named beside its figures."),
        "authors": ("-", "Authors as published."),
        "publisher": ("-", "Where it was published."),
        "sponsor": ("-", "For whom it was made, as far as it says."),
        "published": ("day", "Day of publication; null where the copy at hand does not print it."),
        "published_note": ("-", "What is known of an unprinted or uncertain date."),
        "accessed": ("day", "Day on which the copy was taken."),
        "translated_from": (
            "-",
            "Language of the original of a translation; null for an original.",
        ),
        "transcription_note": (
            "-",
            "What a reader must know about the copy, such as figures that were pictures.",
        ),
        "vendors": ("-", "Makers and providers whose products it compares."),
        "tags": ("-", "Subjects that it belongs to."),
        "published_precision": (
            "-",
            "How much of the day of publication the source prints; the rest is the first of the "
            "month or year.",
        ),
        "modified": (
            "day",
            "Day of the last change as the source prints it; null where it prints none.",
        ),
        "number": ("-", "Number under which the publisher keeps it."),
        "version": ("-", "Version as printed."),
        "affiliation": ("-", "Team or laboratory of the authors, as printed."),
        "disclaimers": (
            "-",
            "Keys of what must stand above the first paragraph of whatever retells the source.",
        ),
        "applies_to": ("-", "Products and versions to which it says it applies."),
        "code": (
            "-",
            "Address of the code that it gives; `none` where it gives none, null where the copy "
            "does not tell.",
        ),
        "published_about": (
            "day",
            "Middle of the time that a source without a printed date points to, put together here; "
            "null for others.",
        ),
    },
    Review: {
        "source": ("-", "Id of the source that was reviewed."),
        "party": ("-", "Who saw the draft."),
        "role": ("-", "`vendor` or `independent`."),
        "status": ("-", "`asked`, `answered`, `no_reply` or `unknown`."),
        "date": ("day", "Day of the answer; null where none is printed."),
        "comment": ("-", "What the party said, in our own words."),
        "locator": ("-", "Place in the source."),
    },
    Cell: {
        "source": ("-", "Id of the source that prints the table."),
        "table": ("-", "Key of the table."),
        "row_index": ("1", "Number of the row within the table, from 0."),
        "row": ("-", "Key or name of the row."),
        "column": ("-", "Key or name of the column."),
        "text": ("-", "The cell's text, as a key or as it is; null where the cell is a figure."),
        "value": ("(unit)", "The cell's figure; null where the cell is a text."),
        "unit": ("-", "Unit of the figure, one of `units.UNITS`."),
        "decimals": ("1", "Decimals as printed, -1 for tens."),
        "bound": ("-", "How the figure is to be read: as it stands, about, less than, more than."),
        "certainty": ("-", "How far the cell is what the source prints."),
        "locator": ("-", "Place in the source."),
    },
    Price: {
        "price_id": ("-", "Name of the offer, unique."),
        "provider": ("-", "Who offers."),
        "offer": ("-", "Name of the offer as the provider gives it."),
        "system": ("-", "Id of the system that is offered, as in `catalog/systems.csv`."),
        "accelerators": ("chips", "Accelerator chips that the amount buys."),
        "kind": ("-", "Terms of the offer."),
        "amount": ("(currency)", "What is paid per `per`; 0 for a free offer alone."),
        "currency": ("-", "ISO 4217 code."),
        "per": ("-", "What the amount buys: a second, an hour, a month, or the thing itself."),
        "region": ("-", "Region that the price holds in; null where the source names none."),
        "valid_from": (
            "day",
            "Day on which the price was seen; null where the source prints none.",
        ),
        "valid_to": ("day", "Last day on which it is known to have held."),
        "source": ("-", "Id of the source that states the price."),
        "locator": ("-", "Place in the source."),
        "licence": (
            "-",
            "SPDX id or short name of the terms under which the price may be passed on.",
        ),
        "bound": (
            "-",
            "How the printed amount is to be read: as it stands, about, less than, more than.",
        ),
        "decimals": ("1", "Decimals as printed."),
        "term_months": ("months", "Length of the commitment; null without one."),
        "upfront": ("(currency)", "What is paid before the term."),
        "includes": (
            "-",
            "What the amount covers as far as the source says: `accelerator`, `host`, `storage`, "
            "`traffic`.",
        ),
        "tax": (
            "-",
            "Whether tax is in the amount: `included`, `excluded`; null where the source does not "
            "say.",
        ),
        "granularity_s": ("s", "Time is billed in whole multiples of this."),
        "session_limit_s": ("s", "Longest session that the offer allows."),
        "preparation_s": ("s", "Time that is paid for before training starts."),
        "note": (
            "-",
            "What else a reader must know: remarks by their keys, with spaces between them.",
        ),
        "workload": (
            "-",
            "Id of the workload that the source prints this price for; null where it holds for "
            "any.",
        ),
        "hardware": (
            "-",
            "Id of the kind of accelerator, for a machine that is in no catalogue; null where the "
            "system says it.",
        ),
    },
    Tariff: {
        "tariff_id": ("-", "Name of the tariff, unique."),
        "region": ("-", "Region that it holds in."),
        "amount": ("(currency)", "Price of one kilowatt-hour."),
        "currency": ("-", "ISO 4217 code."),
        "valid_from": ("day", "First day of the time that the amount is of."),
        "valid_to": ("day", "Last day of it; null where the source gives one day alone."),
        "source": ("-", "Id of the source that states the tariff."),
        "locator": ("-", "Place in the source."),
        "licence": (
            "-",
            "SPDX id or short name of the terms under which the tariff may be passed on.",
        ),
        "note": ("-", "What else a reader must know."),
    },
    Rate: {
        "base": ("-", "ISO 4217 code of the currency of which one unit is valued."),
        "quote": ("-", "ISO 4217 code of the currency in which it is valued."),
        "rate": ("1", "Units of `quote` for one unit of `base`."),
        "day": ("day", "Day that the rate is of."),
        "source": ("-", "Id of the source that states the rate."),
        "locator": ("-", "Place in the source."),
        "licence": (
            "-",
            "SPDX id or short name of the terms under which the rate may be passed on.",
        ),
    },
    Withdrawal: {
        "run_id": ("-", "The run that no longer counts; its own file stays as it is."),
        "why": ("-", "The reason, as it stands on the run's page."),
        "day": ("day", "Day on which it was withdrawn."),
    },
    Recording: {
        "run_id": ("-", "The run that was watched; its own file stays as it is."),
        "source": ("-", "Id of the source of the log."),
        "locator": ("-", "Place in the source: the file."),
        "licence": (
            "-",
            "SPDX id or short name of the terms under which the readings may be passed on.",
        ),
        "credit": ("-", "Who is to be named beside the readings."),
        "started_at": ("UTC", "Time of the first reading; null where the log's clock has no zone."),
        "offset_s": (
            "s",
            "First reading after the run's clock started, negative before it; null where the two "
            "clocks say it.",
        ),
        "samples": ("-", "Readings in order of time; of a long log evenly spaced ones."),
        "metrics": ("-", "Figures of all readings of the log, `monitored_*`."),
        "doubts": ("-", "Reasons to be careful with them."),
    },
}
"""Unit and meaning of every field of every record that is stored, in the records' own order."""

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
"""Names that metrics may have, with their unit; `*` stands for the name of a quality metric."""


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
