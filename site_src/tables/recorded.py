"""Facts known only from runs: the name of a machine that is in no catalogue, and the round that
logs belong to.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kernels.catalog import Catalog
from kernels.records import Certainty, Environment, Origin, Run
from site_src.locales import unbroken

SUBMISSION_SYSTEM: Final = "submission_system"
"""Setting in `Environment.extra`: the system's name in a benchmark submission."""

CARD_NAME: Final = "accelerator_name_of_"
"""Prefix of the settings in `Environment.extra` that name the kind of each accelerator, if several.
"""

_RECONSTRUCTED_VERSIONS: Final = "versions-reconstructed"


def machine_name(environment: Environment) -> str | None:
    """The accelerators of a machine known only from runs, or its processor."""
    return environment.accelerator_name or processor_name(environment)


def processor_name(environment: Environment) -> str | None:
    """The processor with its vCPU, or cores C and threads T; None if model unknown."""
    if not environment.cpu_model:
        return None
    cores, threads = environment.physical_cores, environment.logical_cores
    if environment.virtualised and (threads or cores):
        count = f"{threads or cores} vCPU"
    elif cores:
        count = f"{cores}C/{threads}T" if threads and threads != cores else f"{cores}C"
    else:
        count = f"{threads}T" if threads else ""
    return f"{environment.cpu_model}, {count}" if count else environment.cpu_model


def unusual_threads(environment: Environment | None) -> int | None:
    """The threads of a process if they differ from the machine's cores."""
    if environment is None or environment.threads in (
        None,
        environment.physical_cores or environment.logical_cores,
    ):
        return None
    return environment.threads


def system_names(runs: Iterable[Run], catalog: Catalog) -> Mapping[str, str]:
    """The name of each system by the catalogue, a submission, its first run, or its id."""
    found = {id_: unbroken(system.name) for id_, system in catalog.systems.items()}
    for run in runs:
        if run.system not in found:
            found[run.system] = unbroken(
                submitted_name(run, catalog)
                or (run.environment and machine_name(run.environment))
                or run.system
            )
    return found


def submitted_name(run: Run, catalog: Catalog) -> str | None:
    """A submission's name of its system, with owner and accelerators: "Lenovo SR675 V3 (4 × H100
    PCIe)"; None for a run outside submissions.
    """
    own = extra(run, SUBMISSION_SYSTEM)
    if own is None or run.submitter is None:
        return None
    words = own.replace("_", " ")
    makers = re.split(r"[^\w.]+", run.submitter.casefold())
    if not any(maker and words.casefold().startswith(maker) for maker in makers):
        words = f"{run.submitter} {words}"
    hardware = catalog.hardware.get(run.accelerator or "")
    if hardware is None or run.accelerators is None:
        return words
    # without the vendor and the text in brackets
    model = hardware.name.removeprefix(f"{hardware.vendor} ").partition(" (")[0]
    said = re.search(rf"(?i)\b{run.accelerators} ?x.*{re.escape(model.split()[0])}", words)
    return words if said else f"{words} ({run.accelerators} × {model})"


@dataclass(frozen=True, slots=True)
class Result:
    """A result of a round, by the names that its terms require; "" if unknown."""

    round: str
    division: str
    submitter: str
    system: str

    def names(self, unknown: str, division: str) -> Mapping[str, str]:
        """The names by placeholder; `unknown` replaces missing ones."""
        given = {
            "round": self.round,
            "division": division,
            "submitter": self.submitter,
            "system": self.system,
        }
        return {name: value or unknown for name, value in given.items()}


def setting(run: Run, name: str) -> str | None:
    """A setting as recorded; None if the run has none of that name."""
    return next((each.value for each in run.settings if each.name == name), None)


def extra(run: Run, name: str) -> str | None:
    """A fact of the environment that has no field of its own."""
    return (
        next((each.value for each in run.environment.extra if each.name == name), None)
        if run.environment
        else None
    )


FEW_STEPS: Final = "few_steps"
"""The warning that needs no mark: words replace the interval."""


def has_warning(run: Run) -> bool:
    """Returns True if a figure of the run needs a mark."""
    return any(warning.code != FEW_STEPS for warning in run.doubts)


def warned(runs: Iterable[Run]) -> str | None:
    """The cell of a table that says if one of these runs has warnings."""
    return "yes" if any(map(has_warning, runs)) else None


def result(run: Run) -> Result | None:
    """A run's place in its round; None if it was not read from a round's logs."""
    if run.origin is not Origin.IMPORTED or run.round is None or run.submitter is None:
        return None
    system = extra(run, SUBMISSION_SYSTEM) or (
        run.environment.accelerator_name if run.environment else None
    )
    return Result(run.round, run.division or "", run.submitter, system or "")


SEEDS: Final = frozenset({"seed", "seeds"})
"""Settings that hold seeds other than a single whole number."""


def seed(run: Run) -> str | None:
    """The seed or the seeds of a log as text, without digit grouping."""
    if run.seed is not None:
        return str(run.seed)
    return next((setting.value for setting in run.settings if setting.name in SEEDS), None)


def certainty_of_container(run: Run) -> Certainty:
    """The certainty of a run's container image: as of the versions if a remark says so."""
    return Certainty.RECONSTRUCTED if _RECONSTRUCTED_VERSIONS in run.caveats else Certainty.STATED


def certainty_of_framework(run: Run) -> Certainty:
    """The certainty of the framework's version, as the list of software states."""
    own = (run.framework or "").lower()
    found = next(
        (
            piece
            for piece in run.software
            if piece.name.lower() == own and piece.version == run.framework_version
        ),
        None,
    )
    return found.certainty if found is not None else Certainty.STATED
