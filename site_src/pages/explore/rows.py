"""All results as one table for the page that explores them: recorded names by column, and figures
with their references.

One script serves all languages; words and units come from the page. Each word is stored once, and
rows have its index; so is each reference, with `{}` for a row's run and `{r}` for its result.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from kernels.analysis.repetitions import OWN
from kernels.records import Metric, Mode, Precision, PriceKind, Run
from site_src import tables
from site_src.costs.references import exact
from site_src.model import Asset
from site_src.pages.calculator import table as cost_table
from site_src.pages.components import conditions
from site_src.pages.components.run_details import each_target, main_metric
from site_src.pages.components.site import Site
from site_src.tables import BLEU
from site_src.tables.batch import throughput_ref
from site_src.tables.curve import PLAIN

PATH: Final = "data/explore.js"
START: Final = "window.touchstoneResults="

CREDITS: Final = "data/explore-credits.js"
CREDITS_START: Final = "window.touchstoneCredits="
"""Start of the script with the terms of rows: most of the text, which only downloads need."""

SEVERAL: Final = "|"
"""Separates the statuses of a result whose runs ended in several ways."""

CURRENCY: Final = "USD"
"""Currency of all costs, so that they can be sorted."""

SCALES: Final[Mapping[str, float]] = {
    "s": 1 / 60,
    "J": 1 / 3.6e6,
    "byte": 1e-9,
    "FLOP/s": 1e-12,
    "byte/s": 1e-9,
}
"""Factors to shown units: minutes, kilowatt-hours, gigabytes, TFLOP/s, GB/s."""

SHOWN: Final[Mapping[str, str]] = {"FLOP/s": "TFLOP/s", "byte/s": "GB/s"}
"""Shown units of speed by the recorded ones, where multiples are shown."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a result.

    Attributes:
        ref: Its reference.
        value: As `Facts` has it.
        scale: Factor to the shown unit.
        of: What distinguishes the column's figures: a unit of speed, a target, a quality metric.
    """

    ref: str
    value: float
    scale: float = 1.0
    of: str = ""


@dataclass(frozen=True, slots=True)
class Explored:
    """The table.

    Attributes:
        data: As written.
        credits: Columns only for downloads, as written.
        targets: The target of each time, by run and key.
    """

    data: Mapping[str, Any]
    credits: Mapping[str, Any]
    targets: Mapping[str, tuple[str, str]]

    def words(self, column: str) -> Sequence[str]:
        """The distinct words of a column."""
        found: Sequence[str] = self.data["words"][column][0]
        return found


def explored(site: Site) -> Explored:
    """The results in force."""
    found = [
        (one.id, runs)
        for one in site.results.values()
        if (runs := [run for id_ in one.run_ids if not (run := site.runs[id_]).withdrawn])
    ]
    words, credits = (
        {name: _numbered([say(site, runs) for _, runs in found]) for name, say in columns.items()}
        for columns in (WORDS, TERMS)
    )
    targets: dict[str, tuple[str, str]] = {}
    rows = [
        _figures(site, runs, targets) | _costs(site.graph.get("cost of result", id_))
        for id_, runs in found
    ]
    kinds: dict[tuple[str, float, str], int] = {}
    figures = {name: _column([row.get(name) for row in rows], found, kinds) for name in FIGURES}
    data = {
        "ids": [id_ for id_, _ in found],
        "runs": ["" if runs[0].run_id == id_ else runs[0].run_id for id_, runs in found],
        "words": words,
        "figures": figures,
        "kinds": list(kinds),
    }
    return Explored(data, credits, targets)


def prepare(site: Site) -> None:
    """Registers the nodes from which the table is made."""
    site.graph.register("explored", lambda: explored(site), keep=True)
    # each separately: recomputing all takes longer than the rest of the table
    site.graph.register("cost of result", partial(cost, site), keep=True)


def files(table: Explored) -> Iterator[Asset]:
    """The table as scripts, which also load from a file."""
    for path, start, data in (
        (PATH, START, table.data),
        (CREDITS, CREDITS_START, table.credits),
    ):
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        yield Asset(path, f"{start}{text};\n".encode())


def _numbered(said: Sequence[str]) -> list[Sequence[object]]:
    numbers = {word: number for number, word in enumerate(dict.fromkeys(said))}
    return [list(numbers), [numbers[word] for word in said]]


def _column(
    found: Sequence[Figure | None],
    rows: Sequence[tuple[str, Sequence[Run]]],
    kinds: dict[tuple[str, float, str], int],
) -> list[Sequence[object]]:
    numbers: list[int | None] = []
    for one, (id_, runs) in zip(found, rows, strict=True):
        if one is None:
            numbers.append(None)
            continue
        ref = one.ref.replace(runs[0].run_id, "{}").replace(id_, "{r}")
        kind = ref, one.scale, one.of
        numbers.append(kinds.setdefault(kind, len(kinds)))
    values = [None if one is None else _plain(one.value) for one in found]
    return [values, numbers]


def _plain(value: float) -> float:
    return int(value) if value.is_integer() else value


# Names


def vendor(site: Site, run: Run) -> str:
    """The maker of the accelerator, or of the processor of a run without one."""
    hardware = site.catalog.hardware.get(run.accelerator or "")
    if hardware is not None:
        return hardware.vendor or ""
    own = (run.environment.cpu_vendor if run.environment else None) or ""
    return MAKERS.get(own, own)


MAKERS: Final = {"AuthenticAMD": "AMD", "GenuineIntel": "Intel"}
"""Names of makers as processors report them, and as commonly written."""


def accelerator(site: Site, run: Run) -> str:
    """The accelerator's id, or its recorded name if in no catalogue."""
    if run.accelerator:
        return run.accelerator
    machine = site.machines.get(run.system)
    return (machine.accelerator or "") if machine else ""


def task(site: Site, run: Run) -> str:
    """The task of the workload, from the catalogue."""
    workload = site.catalog.workloads.get(run.workload)
    return (workload.task or "") if workload else ""


def year(site: Site, run: Run) -> str:
    """The year of the run, else of its publication."""
    if run.started_at is not None:
        return str(run.started_at.year)
    source = site.sources.get(run.source)
    return str(source.published.year) if source and source.published else ""


def status(_: Site, runs: Sequence[Run]) -> str:
    """The statuses of the runs, each once."""
    return SEVERAL.join(sorted({str(run.status) for run in runs}))


def _first(say: Callable[[Site, Run], object]) -> Callable[[Site, Sequence[Run]], str]:
    def of(site: Site, runs: Sequence[Run]) -> str:
        return str(say(site, runs[0]) or "")

    return of


WORDS: Final[Mapping[str, Callable[[Site, Sequence[Run]], str]]] = {
    "system": _first(lambda _, run: run.system),
    "workload": _first(lambda _, run: run.workload),
    "task": _first(task),
    "mode": _first(lambda _, run: run.mode),
    "accelerator": _first(accelerator),
    "vendor": _first(vendor),
    "year": _first(year),
    "round": _first(lambda _, run: run.round),
    "precision": _first(lambda _, run: "" if run.precision is Precision.UNKNOWN else run.precision),
    "framework": _first(lambda _, run: tables.framework(run)),
    "origin": _first(lambda _, run: run.origin),
    "source": _first(lambda _, run: run.source),
    "status": status,
}
"""A column's value for the runs of a result; empty if unknown."""

TERMS: Final[Mapping[str, Callable[[Site, Sequence[Run]], str]]] = {
    "licence": _first(lambda _, run: run.licence),
    "credit": _first(lambda _, run: run.credit),
}


# Figures


def _figures(
    site: Site, runs: Sequence[Run], targets: dict[str, tuple[str, str]]
) -> dict[str, Figure]:
    first = runs[0]
    refs = {
        "accelerators": None if conditions.bare(first) else f"run:{first.run_id}:accelerators",
        "time": _time(site, runs),
        "throughput": _throughput(site, runs),
        "epochs": _epochs(site, runs),
        "quality": _quality(runs),
        "batch": f"run:{first.run_id}:global_batch_size",
        "energy": _energy(site, runs),
        "memory": _over(runs, "peak_memory_bytes"),
    }
    made = {name: _figure(site, name, ref) for name, ref in refs.items() if ref}
    return {
        name: Figure(one.ref, one.value, one.scale, _of(name, runs, targets) or one.of)
        for name, one in made.items()
        if one is not None
    }


def _costs(found: tuple[str, float, str] | None) -> dict[str, Figure]:
    return {} if found is None else {"cost": Figure(found[0], found[1], of=found[2])}


def cost(site: Site, result: str) -> tuple[str, float, str] | None:
    """The cost of reaching the target at the offer that the result's page names: formula, amount
    and offer. None if free, or without a formula.
    """
    bills = site.bills_with(result)
    bill = cost_table.least(bills) if bills else None
    if bill is None or bill.price.kind is PriceKind.FREE:
        return None
    row = bill.row if bill.price.currency == CURRENCY else bill.others.get(CURRENCY)
    if row is None or row.cost is None:
        return None
    _, own = cost_table.bill_refs(site.facts, bill)
    ref = cost_table.turned_ref(own, row, CURRENCY)
    known = ref and exact(site.facts, ref, row.cost.value)
    amount = site.facts.get(known).value if known else None
    return (known, amount, bill.price.price_id) if known and amount is not None else None


FIGURES: Final = (
    "accelerators",
    "time",
    "throughput",
    "epochs",
    "quality",
    "batch",
    "energy",
    "memory",
    "cost",
)


def _figure(site: Site, name: str, ref: str) -> Figure | None:
    fact = site.facts.get(ref)
    if fact.value is None:
        return None
    if name == "throughput":
        unit = SHOWN.get(fact.unit, fact.unit)
        return Figure(ref, fact.value, SCALES.get(fact.unit, 1.0), unit)
    if name == "quality":
        metric = ref.rpartition("final_")[2]
        plain = fact.value > 1 or (metric in PLAIN and metric != BLEU)
        return Figure(ref, fact.value, 1.0 if plain else 100.0, metric)
    return Figure(ref, fact.value, SCALES.get(fact.unit, 1.0))


def _of(name: str, runs: Sequence[Run], targets: dict[str, tuple[str, str]]) -> str:
    if name not in {"time", "epochs"}:
        return ""
    for run in runs:
        for start in ("time_to_target_s", "epochs_to_target"):
            metric = main_metric(run, start, target=True)
            if metric is not None:
                asked = [one.target for one in each_target(run, metric)]
                key = " ".join(f"{one.metric}@{one.value:g}" for one in asked if one)
                targets.setdefault(key, (run.run_id, metric.key))
                return key
    return ""


def _metric(run: Run, start: str, *, target: bool = False) -> Metric | None:
    metric = main_metric(run, start, target=target)
    return metric if metric is not None and metric.value is not None else None


def _over(runs: Sequence[Run], start: str, *, target: bool = False) -> str | None:
    """Reference to a figure of one run, or over repetitions by this harness; None for the runs of a
    submission, which have a score.
    """
    first = runs[0]
    if len(runs) > 1 and first.origin not in OWN:
        return None
    for run in runs:
        metric = _metric(run, start, target=target)
        if metric is not None:
            kind = "alike" if first.origin in OWN else "run"
            return f"{kind}:{first.run_id}:{metric.key}"
    return None


def _scored(site: Site, runs: Sequence[Run]) -> str | None:
    score = site.score_with(runs[0].run_id) if runs[0].round else None
    return f"score:{runs[0].run_id}:" if score else None


def _time(site: Site, runs: Sequence[Run]) -> str | None:
    score = _scored(site, runs)
    return f"{score}minutes" if score else _over(runs, "time_to_target_s", target=True)


def _epochs(site: Site, runs: Sequence[Run]) -> str | None:
    score = _scored(site, runs)
    if score is None:
        return _over(runs, "epochs_to_target", target=True)
    counted = any(_metric(run, "epochs_to_target", target=True) for run in runs)
    return f"{score}epochs_median" if counted else None


def _energy(site: Site, runs: Sequence[Run]) -> str | None:
    score = _scored(site, runs)
    return f"{score}energy_j" if score else _over(runs, "energy_j")


def _throughput(site: Site, runs: Sequence[Run]) -> str | None:
    ref = _over(runs, "throughput_")
    return ref or (throughput_ref(runs[0], site.catalog) if len(runs) == 1 else None)


def _quality(runs: Sequence[Run]) -> str | None:
    return None if runs[0].mode is Mode.INFERENCE else _over(runs, "final_")
