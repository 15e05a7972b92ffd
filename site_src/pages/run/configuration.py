"""The fields and settings of a run, in words."""

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup, escape

from kernels.analysis.repetitions import OWN
from kernels.records import Mode, Run, Setting, Status
from site_src import links as addresses
from site_src.pages.components import conditions, run_details
from site_src.pages.components.comparison import container
from site_src.pages.components.writer import Writer
from site_src.pages.run import families, telemetry, timeline
from site_src.tables import BATCH_AS_LOGGED, unsure_batch
from site_src.tables import timeline as tables_timeline
from site_src.tables.recorded import SEEDS, seed
from site_src.templates import html

_USUAL: Final[Mapping[str, object]] = {
    "nodes": 1,
    "processes": 1,
    "repeat_index": 0,
    "submitter": None,
    "round": None,
    "division": None,
}
"""Usual values, which are not shown: a page of a run is small."""

_OF_WORKLOAD: Final = frozenset(
    {
        "adam_betas",
        "data_seed",
        "judged_against",
        "learning_rate_rule",
        "loss",
        "negatives",
        "parameters",
        "pinned_memory",
    }
    | {"sequence_length", "split", "weight_decay"}
)
"""Settings that are the same in all runs of a workload of this harness, or follow from others."""

TARGET_REACHED: Final = "target-reached"
"""Status detail of a run that ended at its target."""

MOST_DECIMALS: Final = 9
"""Most decimals of a setting that are shown: logs write learning rates with that many, but factors
with all that a computer has.
"""

_PHRASES: Final[Mapping[str, str]] = {
    "sampled_films": r"(?P<films>\d+) sampled films, seed (?P<seed>\d+)",
    "stratified": r"(?P<train>\d+)/(?P<held>\d+) stratified, seed (?P<seed>\d+)",
}
"""Phrases with numbers that the harness records, and the strings for them."""


def rows(writer: Writer, run: Run, *, brief: bool = False) -> list[tuple[Markup, Markup]]:
    """Name and value of each setting; a missing one reads "not stated".

    Args:
        writer: Of the page.
        run: The run.
        brief: True to leave out settings that all runs of the workload share or the picture
            shows.
    """
    found = _fields(writer, run)
    alone = telemetry.is_alone(run)
    if run.origin in OWN or alone:
        left, unstated = _implied(writer, run, alone=alone), writer.missing("not_stated")
        found = {
            name: value for name, value in found.items() if value != unstated and name not in left
        }
    for name, usual in _USUAL.items():
        if (value := getattr(run, name)) not in (None, usual):
            worded = name == "division"
            found[name] = writer.named_or_missing(name, value) if worded else writer.given(value)
    settings = _settings(writer, run, brief=brief)
    return writer.gathered(writer.fields(found) + writer.fields(settings, "setting"))


def _fields(writer: Writer, run: Run) -> dict[str, Markup]:
    def figure(name: str) -> Markup:
        if getattr(run, name) is None:
            return writer.missing("not_stated")
        return writer.of_run(run, name, unit=name.endswith("_s"))

    implementation = writer.named_or_missing("implementation", run.implementation)
    if run.implementation_url:
        implementation = addresses.away(run.implementation_url, implementation)
    batch = figure("global_batch_size")
    if run.batch_size_per_accelerator is not None and run.accelerators != 1:
        each = figure("batch_size_per_accelerator")
        batch = writer.t("batch.global_and_each", batch=batch, each=each)
    if run.batch_recommended is False:
        batch = writer.paren(batch, writer.t("batch.not_recommended"))
    why = run.stop_reason or (TARGET_REACHED if ended_at_target(run) else None)
    augmented = None if run.augmentation is None else writer.t("on" if run.augmentation else "off")
    return {
        "mode": writer.word("mode", run.mode),
        "accelerators": figure("accelerators"),
        **_surroundings(writer, run),
        "parallelism": writer.word("parallelism", run.parallelism),
        "framework": run_details.framework(writer, run),
        "backend": writer.given(run.backend),
        "implementation": implementation,
        "container": container(writer, run),
        "precision": writer.word("precision", run.precision),
        "data": writer.word("data", run.data),
        "augmentation": writer.given(augmented),
        "global_batch_size": batch,
        "epochs_planned": figure("epochs_planned"),
        "train_samples": figure("train_samples"),
        "seed": writer.given(seed(run)),
        "clock_scope": writer.word("clock_scope", run.clock_scope),
        "stop_reason": writer.named_or_missing("stop_reason", why),
        "started_at": writer.given(run.started_at),
        "wall_time_s": figure("wall_time_s"),
    }


def _settings(writer: Writer, run: Run, *, brief: bool) -> dict[str, Markup]:
    left = set(SEEDS)
    if brief:
        left |= _OF_WORKLOAD
        if timeline.has(run) and tables_timeline.varies(run):
            left.add("learning_rate_schedule")
    shown = {
        setting.name: setting_value(writer, setting)
        for setting in run.settings
        if setting.value != "none" and setting.name not in left
    }
    if "suite" in shown and "suite_size" in shown:
        shown["suite"] = writer.joined("comma", shown["suite"], shown.pop("suite_size"))
    if unsure_batch(run):
        shown[BATCH_AS_LOGGED] = writer.paren(shown[BATCH_AS_LOGGED], writer.t("batch.unit_varies"))
    return shown


def ended_at_target(run: Run) -> bool:
    """True if a run of a benchmark's round ended because it had reached all targets: by its rules
    it goes on until then, and no longer.
    """
    times = [metric for metric in run.metrics if metric.name == "time_to_target_s"]
    reached = {
        metric.target.metric
        for metric in times
        if metric.target is not None and metric.value is not None
    }
    return (
        run.round is not None
        and run.status is Status.OK
        and bool(run.targets)
        and reached >= {target.metric for target in run.targets}
    )


def _implied(writer: Writer, run: Run, *, alone: bool) -> set[str]:
    """Fields that the page states elsewhere: below the title, in the command, or on the workload's
    page. A log that is `alone` does not tell what was run, or whether it trained.
    """
    said = {"mode", "clock_scope"} if alone else set()
    if run.origin not in OWN:
        return said
    workload = writer.site.catalog.workloads.get(run.workload)
    said |= {"framework", "precision", "data", "augmentation", "backend", "implementation"}
    if conditions.bare(run):
        said.add("accelerators")  # the processor is not counted as an accelerator
    if run.batch_size_per_accelerator is None or run.accelerators == 1:
        said.add("global_batch_size")
    if workload is not None and workload.train_samples == run.train_samples:
        said.add("train_samples")
    if run.mode is Mode.TRAINING:
        said.add("mode")
    if run.stop_reason == "epochs_done" and run.epochs_planned is not None:
        said.add("stop_reason")
    if any(metric.name in families.OF_WALL_TIME for metric in run.metrics):
        # the row of the wall time says if evaluation is included
        said |= {families.WALL_TIME, "clock_scope"}
    return said


def _surroundings(writer: Writer, run: Run) -> dict[str, Markup]:
    machine = writer.site.machines.get(run.system)
    hardware = machine.hardware if machine else None
    if run.accelerator in writer.site.catalog.hardware:
        hardware = run.accelerator
    found, memory = {}, f"spec:{hardware}:memory"
    if run.accelerators is not None and writer.known(memory):
        ref = f"product(run:{run.run_id}:accelerators, {memory})"
        found["memory_total"] = writer.fig(ref, unit=True)
    if machine is not None and machine.catalogued:
        found["server_kind"] = writer.word("server_kind", machine.server_kind)
        found["region"] = writer.named_or_missing("region", machine.region)
    return found


def setting_value(writer: Writer, setting: Setting) -> Markup:
    """A setting in the page's language: numbers formatted, known words translated, others as
    recorded.
    """
    value = setting.value
    if re.fullmatch(r"-?\d{1,12}(\.\d{1,18})?", value):
        decimals = len(value.partition(".")[2].rstrip("0"))
        return escape(writer.locale.number(float(value), min(decimals, MOST_DECIMALS)))
    if value.startswith("DEFERRED:"):
        return writer.t("setting_value.deferred")
    if setting.name == "suite_size" and writer.locale.has(f"suite_size.{value}"):
        return writer.t(f"suite_size.{value}")
    if value in {"yes", "no"}:
        return writer.t(value)
    for phrase, form in _PHRASES.items():
        if found := re.fullmatch(form, value):
            told = {
                name: text if name == "seed" else writer.locale.number(int(text))
                for name, text in found.groupdict().items()
            }
            return writer.t(f"setting_value.{phrase}", **told)
    key = f"setting_value.{value.replace(' ', '_')}"
    return writer.t(key) if writer.locale.has(key) else html.code(value)
