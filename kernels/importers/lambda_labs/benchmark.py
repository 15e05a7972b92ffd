"""Shared by tables and logs of Lambda's benchmark: models, names of machines, runs."""

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from kernels.catalog import Catalog
from kernels.importers.base import accelerator, plain, source_of, tables_of
from kernels.machine.system import slug
from kernels.records import (
    Environment,
    Metric,
    Origin,
    Precision,
    Run,
    Setting,
    Stat,
    Status,
)

_TABLES: Final = tables_of(__file__)
SOURCE: Final = source_of(_TABLES)
PRECISIONS: Final = {word: Precision(named) for word, named in _TABLES["precisions"].items()}


@dataclass(frozen=True, slots=True)
class Model:
    """Properties of a model's column and log; from `benchmark.toml`.

    Attributes:
        counted: Unit of the figure, in the source's words.
        figure: Finds the figure in a line of a log.
        global_batch: True if its scripts take the batch size of all GPUs together, else of one.
        workload: Id in the catalogue if it is exactly that workload, else the model's own.
    """

    metric: str
    counted: str
    figure: str
    global_batch: bool = False
    workload: str | None = None


MODELS: Final = {name: Model(**facts) for name, facts in _TABLES["models"].items()}

COUNT: Final = re.compile(r"(?:^|\s)(\d{1,3})\s*x\s*(?=[A-Za-z0-9])", re.IGNORECASE)
_TAIL: Final = re.compile(r"(?<!\s)\s*+(?:nvlink|trt\d?|v\d|gen\d)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, as far as its name describes it."""

    name: str
    card: str
    accelerator: str | None
    accelerators: int | None
    system: str


def machine_of(name: str, known: Catalog, stated: int | None = None) -> tuple[Machine, str | None]:
    """Parses a machine's name, such as `LambdaCloud 2x V100 16GB` or `p3.8xlarge`; returns it with
    a warning. `stated` is the number of GPUs in a column or the log.
    """
    rented = [
        each
        for each in known.systems.values()
        if each.instance is not None and each.instance.lower() == name.lower()
    ]
    if len(rented) == 1:
        system = rented[0]
        machine = Machine(
            name, system.hardware, system.hardware, system.accelerators, system.system
        )
        verb = f"has {machine.accelerators} accelerators"
    else:
        machine = _named(name, known)
        verb = f"names {machine.accelerators} GPUs"
    chips = machine.accelerators
    if chips is not None and stated not in {None, chips}:
        warning = f"{name!r} {verb} and {stated} are stated; their number is left open"
        return replace(machine, accelerators=None), warning
    if chips is not None or stated is not None:
        return replace(machine, accelerators=chips if stated is None else stated), None
    if machine.accelerator is not None:
        return replace(machine, accelerators=1), None  # only the name of a card, as in `2080Ti`
    return machine, (
        f"{name!r} does not say how many accelerators there are; their number is left open"
    )


def _named(name: str, known: Catalog) -> Machine:
    words = name.replace("_", " ").replace("—", " ").strip()
    count = COUNT.search(words)
    card = _TAIL.sub("", COUNT.sub(" ", words)).strip()
    for host in _TABLES["hosts"]:
        if card.lower().startswith(host + " "):
            card = card[len(host) :].strip()
    chip = accelerator(card, known.hardware) or accelerator(
        _TABLES["cards"].get(plain(card), card), known.hardware
    )
    chips = int(count[1]) or None if count else None
    return Machine(name, card, chip, chips, f"lambda-{slug(name) or 'unknown'}")


def figure_of(
    model: str, rate: float | None, missing: Status, locator: str | None = None
) -> Metric:
    """Returns the figure of a model, or why it is missing."""
    name = MODELS[model].metric
    unit = name.removeprefix("throughput_").replace("_per_", "/")
    status = missing if rate is None else Status.OK
    return Metric(name, rate, unit, status=status, stat=Stat.NOT_STATED, locator=locator)


def run_of(machine: Machine, model: str, *settings: Setting, pytorch: bool, **fields: Any) -> Run:
    """Returns a run of a model on a machine."""
    return Run(
        origin=Origin.IMPORTED,
        source=SOURCE.source,
        licence=SOURCE.licence,
        credit=SOURCE.credit,
        workload=MODELS[model].workload or f"lambda-{slug(model)}",
        system=machine.system,
        accelerator=machine.accelerator,
        accelerators=machine.accelerators,
        framework="PyTorch" if pytorch else None,
        settings=(Setting("counted", MODELS[model].counted), *settings),
        environment=Environment(
            accelerator_name=machine.card[:200] or None,
            accelerator_count=machine.accelerators,
            extra=(Setting("machine", machine.name[:200]),),
        ),
        **fields,
    )
