"""The catalogue: hardware, systems, prices, rates and workloads as reviewable text, each figure
dated and sourced.

Each file has the fields of one record of `kernels.records`.

- `hardware.csv`: aliases are joined by '; '. On a board with several GPUs a piece is one GPU, as
  drivers and clouds count; its figures are `reconstructed` from those of the board.
- `specs.csv`: a figure of one source on one day; one that the source calls not published has no
  value and the certainty `not_published`. Quantities and their units are `QUANTITIES` below.
- `systems.csv`.
- `prices.csv`: `amount` is written as printed (`6.7`, `~7.5e3` for "about", in hundreds), so bound
  and decimals have no column. A changed price is a new row.
- `rates.csv`: the ECB's reference rates for the days of prices and sources here, and for the newest
  days.
- `electricity.csv`: empty, as no source of the archive states a tariff.
- `workloads.toml`: one `[[workload]]` per workload.

Rows are sorted by their first columns; the loader refuses unsorted rows, duplicates, and unknown
ids.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final, TypeVar

from kernels.errors import SourceError
from kernels.printed import Printed, parse
from kernels.records import Certainty, Hardware, Price, Rate, Spec, System, Tariff, Workload
from kernels.tabular import Entry, build, nearest, rows, tables

FOLDER: Final = Path(__file__).parent

QUANTITIES: Final[Mapping[str, str]] = {
    "memory": "byte",
    "memory_bandwidth": "byte/s",
    "power": "W",
    "base_clock": "Hz",
    "boost_clock": "Hz",
    "cuda_cores": "cores",
    "tensor_cores": "cores",
    "peak_fp64": "FLOP/s",
    "peak_fp32": "FLOP/s",
    "peak_tf32": "FLOP/s",
    "peak_fp16": "FLOP/s",
    "peak_tensor_fp16": "FLOP/s",
    "peak_fp8": "FLOP/s",
}
"""Unit of each quantity in `specs.csv`, of one piece of the hardware (`Hardware.per`).

`power` is the thermal design power; `peak_tensor_fp16` that of matrix units in FP16 or bfloat16
without sparsity, `peak_fp8` theirs in FP8. GeForce cards accumulate FP16 in FP16 twice as fast as
in FP32: their `peak_tensor_fp16` is the former, so that generations compare. Texts are
`spec.<quantity>` in `strings/`.
"""

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything in the catalogue by id; `rates` by base, quote and day."""

    hardware: Mapping[str, Hardware]
    specs: tuple[Spec, ...]
    systems: Mapping[str, System]
    prices: Mapping[str, Price]
    rates: Mapping[str, Rate]
    tariffs: Mapping[str, Tariff]
    workloads: Mapping[str, Workload]

    def called(self, name: str) -> str | None:
        """Returns the accelerator of a name or alias, such as a driver's; case does not matter."""
        wanted = name.lower()
        return next(
            (
                each.hardware
                for each in self.hardware.values()
                if wanted in map(str.lower, (each.name, *each.aliases))
            ),
            None,
        )

    def meant(self, words: str) -> list[str]:
        """Returns the accelerators with these words in name or alias: all H100 for "H100"."""
        found = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
        return [
            each.hardware
            for each in self.hardware.values()
            if words and any(map(found.search, (each.name, *each.aliases)))
        ]

    def workload_name(self, workload: str) -> str:
        """Returns the workload's name; its id if it is not described."""
        known = self.workloads.get(workload)
        return workload if known is None else known.name

    @staticmethod
    def covers(kind: str, accelerator: str) -> bool:
        """Returns True if a kind covers it: `a100-80gb` has no form and covers `a100-sxm4-80gb`."""
        named, words = kind.split("-"), accelerator.split("-")
        return named[0] == words[0] and set(named) <= set(words)

    def spec(self, hardware: str, quantity: str, source: str | None = None) -> Spec | None:
        """Returns the newest figure, or that it is not published; None without either."""
        said = [
            s
            for s in self.specs
            if s.hardware == hardware and s.quantity == quantity and source in (None, s.source)
        ]
        said.sort(key=lambda s: (s.value is not None, s.day is not None, s.day))
        return said[-1] if said else None


def load(folder: Path | None = None) -> Catalog:
    """Reads and checks the catalogue.

    Args:
        folder: Folder of the files; None for the project's own.

    Raises:
        SourceError: A file is invalid; names file, line and field.
    """
    folder = folder or FOLDER
    hardware = _table(folder / "hardware.csv", Hardware, lambda record: record.hardware)
    of_hardware = [("hardware", hardware)]
    systems = _table(folder / "systems.csv", System, lambda record: record.system, of_hardware)
    entries = tables(folder / "workloads.toml", "workload")
    made = [(entry, build(Workload, entry)) for entry in entries]
    workloads = _keyed(made, lambda record: record.workload)
    specs = _table(
        folder / "specs.csv",
        Spec,
        lambda record: f"{record.hardware} {record.quantity} {record.source} {record.day or ''}",
        of_hardware,
        _checked_spec,
    )
    prices = _table(
        folder / "prices.csv",
        Price,
        lambda record: record.price_id,
        [("system", systems)],
        lambda entry: _priced(entry, workloads),
    )
    rates = _table(
        folder / "rates.csv",
        Rate,
        lambda record: f"{record.base}/{record.quote}@{record.day}",
        make=_checked_rate,
    )
    tariffs = _table(folder / "electricity.csv", Tariff, lambda record: record.tariff_id)
    return Catalog(hardware, tuple(specs.values()), systems, prices, rates, tariffs, workloads)


def _table(
    path: Path,
    cls: type[R],
    key: Callable[[R], str],
    points_to: Sequence[tuple[str, Mapping[str, object]]] = (),
    make: Callable[[Entry], R] | None = None,
) -> dict[str, R]:
    """Returns the records of a CSV file by key; the file must be sorted by them."""
    known = [field.name for field in fields(cls)]  # type: ignore[arg-type] # every record is a dataclass
    made: list[tuple[Entry, R]] = []
    for entry in rows(path, known, known[:1]):
        for name, there in points_to:
            found = entry.values.get(name)
            if found not in there:
                raise entry.error(name, f"an id that is listed; {nearest(str(found), there)}")
        made.append((entry, make(entry) if make else build(cls, entry)))
    return _keyed(made, key)


def _keyed(made: Iterable[tuple[Entry, R]], key: Callable[[R], str]) -> dict[str, R]:
    found: dict[str, R] = {}
    before = ""
    for entry, record in made:
        name = key(record)
        if name in found:
            raise SourceError(
                f"{entry.place}: {name!r} is there twice; keep one, or name the second after what "
                "tells it apart"
            )
        if name < before:
            raise SourceError(
                f"{entry.place}: {name!r} stands after {before!r}; sort the file by its first "
                "columns"
            )
        found[name] = record
        before = name
    return found


def _checked_spec(entry: Entry) -> Spec:
    spec = build(Spec, entry)
    entry.check_listed("quantity", QUANTITIES, "one of catalog.QUANTITIES")
    if spec.unit != QUANTITIES[spec.quantity]:
        raise entry.error("unit", repr(QUANTITIES[spec.quantity]))
    if (spec.value is None) != (spec.certainty in (Certainty.NOT_STATED, Certainty.NOT_PUBLISHED)):
        raise entry.error(
            "value",
            f"a figure, or none with not_stated or not_published; it is {spec.certainty}",
            repr(spec.value),
        )
    return spec


def _checked_rate(entry: Entry) -> Rate:
    rate = build(Rate, entry)
    if not rate.rate > 0 or rate.base == rate.quote:
        raise entry.error(
            "rate",
            "more than 0, of two currencies",
            f"{rate.rate} {rate.quote} for one {rate.base}",
        )
    return rate


def amount_of(entry: Entry) -> Printed:
    """Returns the printed amount of a price.

    Raises:
        SourceError: No amount, or a range; names the field.
    """
    try:
        amount = parse(entry.text("amount"))
    except SourceError as error:
        raise SourceError(f"{entry.place}: amount: {error}") from None
    if amount.value is None:
        raise entry.error("amount", "one amount, not a range")
    return amount


def _priced(entry: Entry, workloads: Mapping[str, Workload]) -> Price:
    entry.check_listed("workload", workloads, "an id that is listed")
    amount = amount_of(entry)
    for name in ("bound", "decimals"):
        if name in entry.values:
            raise entry.error(name, "nothing here: the amount says it, as in ~7.5e3")
    given = {"amount": amount.value, "bound": amount.bound, "decimals": amount.decimals}
    return build(Price, entry, given, ignore=("amount",))
