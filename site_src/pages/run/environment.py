"""The environment on a run's page, in full or briefly, and what was not recorded."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from kernels.analysis.repetitions import OWN
from kernels.records import Environment, Run
from site_src.pages.components import run_details
from site_src.pages.components.text import capital
from site_src.pages.components.writer import Writer
from site_src.pages.run import surroundings
from site_src.tables import timeline
from site_src.tables.recorded import processor_name, unusual_threads
from site_src.templates import html

_OF_ACCELERATORS: Final = (
    "accelerator_name", "accelerator_count", "accelerator_memory_bytes",
    "accelerator_power_limit_w", "driver", "cuda", "cudnn", "nccl", "tf32_allowed",
    "cudnn_benchmark",
)  # fmt: skip
_MACHINE: Final = (
    "os", "kernel", "python", "cpu_model", "physical_cores", "logical_cores", "cpu_max_hz",
    "memory_bytes", "cgroup_cpus", "cgroup_memory_bytes", "virtualised", "foreign_cores",
    "threads", *_OF_ACCELERATORS, "git_commit", "command",
)  # fmt: skip
"""Fields of the environment that are shown; the downloads have all."""
_LIMITS: Final = ("cgroup_cpus", "cgroup_memory_bytes")
"""Fields that are empty if the process has no limits."""

_NAMED: Final = frozenset({"cpu_model", "physical_cores", "logical_cores", "virtualised"})
"""Fields included in the processor's name."""

_HARDWARE: Final = (
    "memory_bytes",
    "accelerator_name",
    "accelerator_memory_bytes",
    "accelerator_power_limit_w",
)
_SYSTEM: Final = ("os", "kernel", "python", "driver", "cuda", "cudnn", "nccl")
"""Fields that share a row on a run's page; bare version numbers follow their name."""

_VERSIONS: Final = frozenset({"python", "driver", "cuda", "cudnn", "nccl"})

_USUAL: Final[Mapping[str, object]] = {
    "compile_mode": "eager",
    "allocator": "tuned",
    "memory_format": "channels_last",
    "deterministic": False,
    "cudnn_benchmark": True,
}
"""Defaults of the harness; a run's page shows other values."""

_SHORT: Final = 12
"""Characters of a checksum or a commit that identify it."""

_UNITS: Final[Mapping[str, str]] = {
    "cpu_max_hz": "Hz",
    "memory_bytes": "byte",
    "cgroup_memory_bytes": "byte",
    "accelerator_memory_bytes": "byte",
    "accelerator_power_limit_w": "W",
}

_EACH: Final = frozenset({"foreign_cores", "command"})
"""Fields that differ in each run; the run's page has them."""

_Rows = list[tuple[Markup, Markup]]


def environment(writer: Writer, run: Run) -> _Rows:
    """The machine during the run, a row for each known field."""
    found = run.environment
    if found is None:
        return []
    shown = {name: _value(writer, found, name) for name in _MACHINE if _known(found, name)}
    around = surroundings.rows(writer, found)
    shown |= {name: around[name] for name in surroundings.OF_MACHINE if name in around}
    return writer.fields(shown, "environment")


def of_machine(writer: Writer, runs: Sequence[Run]) -> _Rows:
    """The machine as these runs recorded it, a row for each field; where they differ each value
    with its number of runs, newest first.
    """
    rows: dict[Markup, Counter[Markup]] = {}
    silent = {writer.field(name, "environment") for name in _EACH}
    for run in sorted(runs, key=lambda run: (str(run.started_at or ""), run.run_id), reverse=True):
        found = environment(writer, run)
        if run.framework:
            found.append((writer.field("framework"), run_details.framework(writer, run)))
        for name, value in found:
            if name not in silent:
                rows.setdefault(name, Counter())[value] += 1
    return [(name, _each(writer, found)) for name, found in rows.items()]


def _each(writer: Writer, found: Counter[Markup]) -> Markup:
    if len(found) == 1:
        return next(iter(found))
    return writer.joined(
        "terms", *(writer.paren(value, writer.t("runs.count", n=n)) for value, n in found.items())
    )


def brief(writer: Writer, run: Run, *, least: bool = False) -> _Rows:
    """The environment in fewer rows for a run's page: such pages are many and small. Environments
    from logs and articles are shown in full.

    Args:
        writer: Of the page.
        run: The run.
        least: True to leave out what has no field of its own, for want of room.
    """
    found = run.environment
    if found is None or run.origin not in OWN:
        return environment(writer, run)
    around = {} if least else surroundings.rows(writer, found)
    parts = (processor_name(found) or "", *_hardware(writer, found), around.get("cpu_caches", ""))
    system = [
        html.spaced(writer.t(f"environment.{name}"), value) if name in _VERSIONS else value
        for name in _SYSTEM
        if _known(found, name)
        for value in [_value(writer, found, name)]
    ]
    rows = [
        (writer.t("head.machine"), writer.joined("comma", *parts)),
        (writer.t("section.software"), writer.joined("comma", *system)),
    ]
    shown = {name: _value(writer, found, name) for name in _unusual(found)}
    shown |= {name: around[name] for name in surroundings.OF_RUN if name in around}
    rows += writer.fields(shown, "environment")
    return [(capital(name), value) for name, value in rows if value]


def _hardware(writer: Writer, found: Environment) -> list[Markup]:
    parts = {name: _value(writer, found, name) for name in _HARDWARE if _known(found, name)}
    if found.accelerator_name and (found.accelerator_count or 1) > 1:
        name = parts["accelerator_name"]
        parts["accelerator_name"] = html.spaced(found.accelerator_count, "×", name)
    return list(parts.values())


def _unusual(found: Environment) -> list[str]:
    left = {*_NAMED, *_HARDWARE, *_SYSTEM, "accelerator_count"}
    left |= {name for name, value in _USUAL.items() if getattr(found, name) in (None, value)}
    # load by other programs is small or has a warning, and the precision says if TF32 was used
    left |= {"foreign_cores", "tf32_allowed"}
    if unusual_threads(found) is None:
        left.add("threads")
    return [
        name
        for name in dict.fromkeys((*_USUAL, *_MACHINE))
        if name not in left and _known(found, name)
    ]


def unrecorded(writer: Writer, run: Run) -> str:
    """Names of sensors that this machine does not show, and of fields that the harness could have
    recorded and did not.
    """
    if run.environment is None or run.origin not in OWN:
        return ""  # logs and articles cannot be asked
    bare = run.environment.accelerator_name is None
    unread = timeline.unread(run)
    silent = (
        *_LIMITS,
        *(_OF_ACCELERATORS if bare else ()),
        *(["cpu_max_hz"] if "clock_hz" in unread else []),  # one word for both
    )
    keys = [f"telemetry.{name}" for name in unread]
    keys += [
        f"environment.{name}"
        for name in _MACHINE
        if getattr(run.environment, name) is None and name not in silent
    ]
    return writer.locale.join([str(writer.t(key)) for key in keys])


def _known(found: Environment, name: str) -> bool:
    value = getattr(found, name)
    return value is not None and not (name == "logical_cores" and value == found.physical_cores)


def _value(writer: Writer, found: Environment, name: str) -> Markup:
    value = getattr(found, name)
    if isinstance(value, float):
        value = round(value, 2)
    if name in {"command", "git_commit"}:
        return html.code(str(value)[: _SHORT if name == "git_commit" else None])
    return (
        writer.name("setting_side", value)
        if name in _USUAL and isinstance(value, str)
        else writer.given(value, _UNITS.get(name))
    )
