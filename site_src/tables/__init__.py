"""The tables behind figures and pages: rows of machine values. Each figure is a `Cell` with the
reference that `kernels.audit.facts.Facts` resolves to it, so that pages, charts and `--verify`
cannot disagree. None is not measured; `status` says why.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.catalog.cost import by_time, remarks
from kernels.reading import distinct, where
from kernels.records import (
    DataKind,
    Direction,
    Hardwares,
    Metric,
    Mode,
    Origin,
    Price,
    Run,
    Stat,
    Status,
    Target,
)
from kernels.store import Archive
from site_src.evidence import Evidence
from site_src.tables.recorded import machine_name

Row = dict[str, Any]
"""A row of a table: cells and words by column; in a frame, values."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure in a row. A frame has its value in the column of its name, and `<name>_ref`,
    `<name>_bound` and so on, where a row has them; its ends are `<name>_low` and `<name>_high`.

    Attributes:
        value: As recorded or computed; None if not measured.
        ref: The reference that resolves to the value.
        bound: A value of `kernels.records.Bound`: exact, about, at least or at most.
        decimals: Decimals to show; None for those of its column.
        why: Why there is no value, a key of `why` in `strings/`.
    """

    value: float | None = None
    ref: str | None = None
    ends: tuple[float | None, float | None] | None = None
    bound: str | None = None
    decimals: int | None = None
    why: str | None = None


def cell(
    facts: Facts, ref: str | None, *, bound: bool = False, decimals: int | None = None
) -> Cell:
    """The figure behind a reference, with its `bound` if asked."""
    if ref is None:
        return Cell()
    fact = facts.get(ref)
    return Cell(fact.value, ref, bound=fact.bound.value if bound else None, decimals=decimals)


def workload(run: Run, catalog: Catalog) -> Row:
    """The columns that name a run's workload."""
    return {"workload": run.workload, "workload_name": catalog.workload_name(run.workload)}


def frame(rows: Iterable[Row]) -> pd.DataFrame:
    """The rows as columns: None stays None; a cell is spread into its fields."""
    listed = list(rows)
    columns: dict[str, list[object]] = {}
    for name in dict.fromkeys(name for row in listed for name in row):
        held = [row.get(name) for row in listed]
        if not any(isinstance(one, Cell) for one in held):
            columns[name] = held
            continue
        cells = [one if isinstance(one, Cell) else Cell(one) for one in held]
        columns |= {name: [one.value for one in cells], f"{name}_ref": [one.ref for one in cells]}
        if any(one.ends for one in cells):
            ends = zip(*(one.ends or (None, None) for one in cells), strict=True)
            columns |= zip((f"{name}_low", f"{name}_high"), map(list, ends), strict=True)
        for part in ("bound", "decimals", "why"):
            told = [getattr(one, part) for one in cells]
            if any(one is not None for one in told):
                columns[f"{name}_{part}"] = told
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})


def rows(table: pd.DataFrame) -> list[Row]:
    """The rows of a frame, values by column; None if missing."""
    return [
        {str(name): None if pd.isna(value) else value for name, value in row.items()}
        for row in table.to_dict("records")
    ]


def ranked(rows: Iterable[Row], name: str, *, least: bool = False) -> list[Row]:
    """The rows that have a figure in that column, highest first, or with `least` lowest."""
    known = [row for row in rows if row[name] is not None]
    return sorted(known, key=lambda row: row[name], reverse=not least)


SYNTHETIC: Final = (DataKind.SYNTHETIC_DEVICE, DataKind.SYNTHETIC_HOST)
_FIRST_FRAMEWORKS: Final = frozenset({"tensorflow", "pytorch", "jax", "keras", "catalyst"})


COMMON: Final = (
    "series",
    "label",
    "run_id",
    "system",
    "framework",
    "precision",
    "origin",
    "status",
    "n",
    "source",
    "locator",
    "licence",
    "credit",
)
"""Columns that every table begins with."""


def slug(text: str) -> str:
    """The letters and digits of a name in lower case, for ids in addresses."""
    return "-".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


FRAMEWORKS: Final = {
    name.lower(): name for name in ("TensorFlow", "PyTorch", "JAX", "MXNet", "Keras", "Chainer")
}
"""Official spellings of frameworks; logs write them in lower case."""


FORMATS: Final = {
    "fp64": "FP64",
    "fp32": "FP32",
    "tf32": "TF32",
    "fp16": "FP16",
    "bf16": "bfloat16",
    "amp_fp16": "FP16",
    "amp_bf16": "bfloat16",
    "fp8": "FP8",
}
"""Names of precisions, untranslated; of mixed precisions the narrower format."""


def framework(run: Run) -> str | None:
    """A run's framework in its official spelling."""
    return FRAMEWORKS.get(run.framework.lower(), run.framework) if run.framework else None


def series_id(run: Run) -> str:
    """The id in addresses of what a run's colour means: system, framework, and round."""
    return "-".join(
        part for part in (run.system, slug(run.framework or ""), slug(run.round or "")) if part
    )


def series_label(run: Run, catalog: Catalog) -> str:
    """The name of a run's series, with the year of its round; untranslated."""
    system = catalog.systems.get(run.system)
    if system is not None:
        name = _short(system.name)
        # keep the place in parentheses if two measured systems would have the same name
        others = [
            _short(other.name)
            for other in catalog.systems.values()
            if other is not system and other.reason != "price-only"
        ]
        name = system.name if name in others else name
    else:
        hardware = catalog.hardware.get(run.accelerator or "")
        machine = run.environment
        name = (
            hardware.name.removeprefix(f"{hardware.vendor} ")
            if hardware is not None
            else (machine and machine_name(machine)) or run.system
        )
        name = f"{run.accelerators} × {name}" if run.accelerators and run.accelerators > 1 else name
    return " · ".join(part for part in (name, framework(run), round_label(run)) if part)


def round_label(run: Run) -> str:
    """A run's round with its year, as software ages; "" for a run outside rounds."""
    if run.round is None:
        return ""
    return f"{run.round} ({run.started_at.year})" if run.started_at is not None else run.round


def _short(name: str) -> str:
    return name.partition(" (")[0]


def runs_in_force(
    archive: Archive, keep: Callable[[Run], bool] | None = None, **wanted: str
) -> list[Run]:
    """Training runs that were not withdrawn, filtered by fields and `keep`; a system's second
    framework comes last.
    """
    runs = [
        run
        for run in where(archive.runs, **wanted)
        if run.withdrawn is None and run.mode is Mode.TRAINING and (keep is None or keep(run))
    ]
    return sorted(
        runs, key=lambda run: ((run.framework or "").lower() not in _FIRST_FRAMEWORKS, run.run_id)
    )


def throughput_metric(run: Run) -> Metric | None:
    """A run's throughput, in whatever it counts."""
    return next(
        (
            metric
            for metric in run.metrics
            if metric.name.startswith("throughput_") and metric.target is None
        ),
        None,
    )


def runs_behind(run: Run, metric: Metric | None) -> int | None:
    """The number of runs behind a figure: one for a recorded run; a publication states its own."""
    return None if metric is None else metric.n if run.origin is Origin.PUBLISHED else 1


def within(run: Run, metric: Metric) -> tuple[int, str] | None:
    """Returns how many steps, epochs or evaluations a statistic covers; None for one reading."""
    if (
        run.origin is Origin.PUBLISHED
        or metric.n is None
        or metric.n == 1
        or metric.stat is Stat.SINGLE
    ):
        return None
    if metric.name.startswith("best_"):
        return metric.n, "evaluations"
    return metric.n, "epochs" if metric.name.startswith("median_epoch") else "steps"


BATCH_AS_LOGGED: Final = "input_batch_size"
"""The setting that holds a batch size that is not global, or whose unit is unknown."""

_TOKENS_OR_SENTENCES: Final = "transformer-wmt-en-de"


def unsure_batch(run: Run) -> bool:
    """Returns True if a log's batch may count tokens or sentences, as Transformer's does."""
    logged = any(setting.name == BATCH_AS_LOGGED for setting in run.settings)
    return (
        run.round is not None
        and run.workload == _TOKENS_OR_SENTENCES
        and run.global_batch_size is None
        and logged
    )


BLEU: Final = "bleu"
"""The only quality recorded as a fraction and shown from 0 to 100, without a percent sign."""


def level(metric: str, value: float) -> float:
    """A quality as shown: BLEU from 0 to 100, all others as recorded."""
    return round(100 * value, 9) if metric == BLEU else value


def is_bleu(ref: str) -> bool:
    """Returns True if a reference is to a BLEU, which is shown from 0 to 100."""
    return ref.startswith(("run:", "alike:", "suite:")) and ref.partition("@")[0].endswith(
        f"_{BLEU}"
    )


def common(run: Run, metric: Metric | None, catalog: Catalog) -> Row:
    """The columns `COMMON` of a run; `n` counts runs."""
    return {
        "series": series_id(run),
        "label": series_label(run, catalog),
        "run_id": run.run_id,
        "system": run.system,
        "framework": framework(run),
        "round": run.round,
        "precision": run.precision.value,
        "origin": run.origin.value,
        "status": (metric.status if metric is not None else run.status).value,
        "n": runs_behind(run, metric),
        "source": run.source,
        "locator": (metric.locator if metric is not None else None) or run.locator,
        "licence": run.licence,
        "credit": run.credit,
    }


def stated(run: Run, name: str) -> Cell:
    """A field of a run as recorded."""
    return Cell(getattr(run, name), f"run:{run.run_id}:{name}")


def figure(facts: Facts, ref: str) -> float | None:
    """The value behind a reference; None if missing or a range without a value."""
    return facts.get(ref).value


def worth(facts: Facts, ref: str, of: str, most: int = 0) -> int:
    """The decimals, at most `most`, of a figure derived from the printed one `of`: from 3280,
    printed to tens, follow three digits, so 820 a chip, not 820.0.
    """
    printed, value = facts.get(of), figure(facts, ref)
    if not printed.value or not value or printed.decimals is None:
        return most
    digits = _place(printed.value) + 1 + printed.decimals
    return min(most, digits - 1 - _place(value))


def apart(value: float, targets: Iterable[Target], least: int, *, scale: int = 100) -> int:
    """The decimals, at least `least`, at which a quality stays on its side of each target: with two
    decimals 0.748983 would read as 74.90 %, which it misses. It is shown as a percentage, or at the
    `scale`.
    """
    levels = [(_REACHED[each.direction], each.value) for each in targets]
    for decimals in range(least, _MOST_DECIMALS):
        step = Decimal(1).scaleb(-decimals)
        shown = Decimal(value * scale).quantize(step, rounding=ROUND_HALF_UP)
        if all(
            reached(shown, Decimal(repr(level)) * scale) == reached(value, level)
            for reached, level in levels
        ):
            return decimals
    return _MOST_DECIMALS


_REACHED: Final[Mapping[Direction, Callable[[Any, Any], bool]]] = {
    Direction.AT_LEAST: operator.ge,
    Direction.AT_MOST: operator.le,
}


_MOST_DECIMALS: Final = 7


def _place(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def interval(metric: Metric | None) -> tuple[float | None, float | None]:
    """The lowest and highest value of a measurement, where stated."""
    return (metric.low, metric.high) if metric is not None else (None, None)


def feed(run: Run) -> Row:
    """The input of a throughput: `feed` is synthetic or real, `augmentation` on or off."""
    return {
        "feed": None if run.data is None else "synthetic" if run.data in SYNTHETIC else "real",
        "augmentation": None if run.augmentation is None else "on" if run.augmentation else "off",
    }


def not_reported(archive: Archive, source: str) -> list[Run]:
    """The runs that the source mentions without figures."""
    return runs_in_force(archive, source=source, keep=lambda run: run.status is Status.NOT_REPORTED)


def ended(run: Run, metric: Metric | None) -> str:
    """Returns how a run ended; for one that ended well, the status of the metric."""
    if run.status is not Status.OK:
        return run.status.value
    return metric.status.value if metric else "not_reported"


def has_speed(run: Run) -> bool:
    """Returns True if the run ended well and has a throughput."""
    metric = throughput_metric(run)
    return run.status is Status.OK and metric is not None and metric.value is not None


def common_batch(runs: Sequence[Run]) -> list[Run]:
    """The runs with a throughput at the largest batch size that every system ran."""
    usable = [run for run in runs if has_speed(run)]
    sizes = [
        {run.global_batch_size for run in usable if run.system == system}
        for system in {run.system for run in usable}
    ]
    shared = set.intersection(*sizes) if sizes else set()
    largest = max((size for size in shared if size is not None), default=None)
    return [run for run in usable if run.global_batch_size == largest]


def offers(run: Run, evidence: Evidence, source: str | None = None) -> list[Price]:
    """The hourly offers of the catalogue, or of one of its sources, that fit a run as a whole: not
    those of a chip of its slice, of which it takes several.
    """
    measured = set(distinct(evidence.archive.runs, "system"))
    return [
        price
        for price in evidence.catalog.prices.values()
        if by_time(price)
        and source in (None, price.source)
        and price.accelerators in (None, run.accelerators)
        and fits(price, run, evidence.catalog, measured)
    ]


def fits(price: Price, run: Run, catalog: Catalog, measured: set[str]) -> bool:
    """Returns True if an offer can price a run: it is for the run's own system, or for a machine
    that was not `measured` and has as many accelerators of the same kind; TPU chips sold singly fit
    any number. A price printed for another workload never fits.
    """
    if price.workload not in (None, run.workload):
        return False
    if price.system is not None and price.system == run.system:
        return run.accelerators in (None, price.accelerators)
    system = catalog.systems.get(price.system) if price.system is not None else None
    kind = system.hardware if system is not None else price.hardware
    if price.system in measured or kind is None or run.accelerator is None or not by_time(price):
        return False
    known = catalog.hardware.get(kind)
    by_chip = (
        known is not None
        and known.kind is Hardwares.TPU
        and price.accelerators == 1
        and _of_slice(price, kind, run.accelerators)
    )
    return (
        catalog.covers(kind, run.accelerator)
        and run.accelerators is not None
        and (by_chip or price.accelerators == run.accelerators)
    )


def _of_slice(price: Price, kind: str, chips: int | None) -> bool:
    """Returns True if chips sold singly come in this number: as a device, or more as a pod."""
    sold = (price.system or "").rpartition("-")[2]
    whole = chips is not None and chips <= DEVICE
    return sold not in {"device", "pod"} or kind not in _SOLD_APART or whole == (sold == "device")


DEVICE: Final = 4
"""Chips of a TPU that is not part of a pod."""

_SOLD_APART: Final = frozenset({"tpu-v2", "tpu-v3"})
"""TPUs whose devices and pod slices have different prices; later TPUs come as slices only."""

NO_OFFER: Final[Row] = {
    **dict.fromkeys(("price_id", "provider", "offer", "price_kind", "price_per", "term_months")),
    **dict.fromkeys(("currency", "price_date", "price_source", "price_locator", "remarks")),
    "hourly": Cell(),
}
"""The columns of `offer_columns` in a row without an offer."""


def offer_columns(price: Price, run: Run, facts: Facts) -> Row:
    """The columns about the offer on which a figure is based."""
    return {
        "price_id": price.price_id,
        "provider": price.provider,
        "offer": price.offer,
        "price_kind": price.kind.value,
        "price_per": price.per.value,
        "term_months": price.term_months,
        "hourly": cell(facts, f"price:{price.price_id}:per_hour", bound=True),
        "currency": price.currency,
        "price_date": price.valid_from.isoformat() if price.valid_from else None,
        "price_source": price.source,
        "price_locator": price.locator,
        "remarks": " ".join(remarks(price, run)),
    }
