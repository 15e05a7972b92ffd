"""Imports a plain table of runs; `python -m kernels import csv --template` writes one to fill in.

A row is a run. The columns are fields of `records.Run`, metrics, and facts about the source;
`TEMPLATE` explains them. `mine.curve.csv` beside `mine.csv` may have the curves of its runs, a row
per reading.

Ambiguous values are refused: an error names file, line and column, what was found and what was
wanted.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, get_type_hints

from kernels import catalog
from kernels.catalog import Catalog
from kernels.errors import RecordError, SourceError
from kernels.importers.base import (
    TEMPLATE_OPTION,
    Flags,
    Imported,
    Part,
    accelerator,
    files,
    has_address,
    place,
    tables_of,
)
from kernels.importers.mlperf.rules import LOWER
from kernels.importers.run_columns import (
    LISTS,
    NOT_CELLS,
    lists,
    metric,
    metric_name,
    printed_as,
)
from kernels.machine.system import slug
from kernels.metrics import METRICS, metric_unit
from kernels.records import (
    NO_LICENCE,
    Bound,
    Environment,
    Evaluation,
    Metric,
    Origin,
    Run,
    Source,
    SourceKind,
    Status,
    check_id,
)
from kernels.tabular import (
    NUMBER,
    Entry,
    build,
    cells_of,
    check_header,
    decoded,
    nearest,
    without_comments,
)

SUMMARY: Final = "a plain table of anyone's runs, one row a run; --template writes one to fill in"

TEMPLATE: Final = Path(__file__).with_name("plain_csv_template.csv").read_text(encoding="utf-8")
"""A table to fill in; it can be imported as it is."""

LICENCES: Final = frozenset({*tables_of(__file__)["licences"], NO_LICENCE})
"""Common SPDX ids; others are taken with a warning."""

_SOURCE: Final = ("source", "title", "licence", "credit", "url", "publisher", "published")
_REQUIRED: Final = (
    "source", "title", "licence", "credit", "workload", "system", "accelerator", "accelerators",
)  # fmt: skip
# Fields that this importer makes, that have files of their own, or whose words the site must know
# beforehand.
_MADE: Final = NOT_CELLS | {
    "origin",
    "locator",
    "caveats",
    "withdrawn",
    "stop_reason",
    "backend",
}
_RUN: Final = tuple(field.name for field in fields(Run) if field.name not in {*_MADE, *LISTS})
_NUMBERS: Final = frozenset(
    name
    for cls in (Run, Evaluation)
    for name, hint in get_type_hints(cls).items()
    if hint in (int, float, int | None, float | None)
)
_CURVE: Final = (
    "run", "metric", "value", "epoch", "epoch_as_logged", "samples", "step", "time_s",
    "train_time_s",
)  # fmt: skip
_TABLES: Final = frozenset({".csv", ".tsv"})
_CURVE_END: Final = ".curve"
_DELIMITERS: Final = ",;\t"
_SEPARATED: Final = re.compile(r"\d[,'’_\s]\d")
_THOUSANDS: Final = re.compile(r"[~<>]?\d{1,3}\.\d{3}")
_LICENCE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


OPTIONS: Final[Flags] = {
    **TEMPLATE_OPTION,
}


def _is_curve(file: Path) -> bool:
    return file.stem.lower().endswith(_CURVE_END)


def parts(path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:  # noqa: ARG001 - the same for every importer
    """Yields the table, or each `.csv` and `.tsv` of a folder, with its curves."""
    found = dict(files(path))
    if path.is_dir():
        found = {name: each for name, each in found.items() if each.suffix.lower() in _TABLES}
    tables = {name: each for name, each in found.items() if not _is_curve(each)}
    for name, each in found.items():
        if name not in tables and not _of_curve(each).is_file():
            raise SourceError(
                f"{name}: found curves without their table, wanted {_of_curve(each).name} beside it"
            )
    if not tables:
        raise SourceError(
            f"{path.name}: found no table of runs, wanted CSV as `python -m kernels import csv "
            "--template` writes it"
        )
    for name, each in tables.items():
        curve = each.with_name(f"{each.stem}{_CURVE_END}{each.suffix}")
        yield Part(name, (each, curve) if curve.is_file() else (each,))


def _of_curve(path: Path) -> Path:
    return path.with_name(path.stem[: -len(_CURVE_END)] + path.suffix)


def read(part: Part) -> Imported:
    """Returns the runs of a table."""
    path = part.files[0]
    known = catalog.load()
    warnings: list[str] = []
    named = (*_RUN, *LISTS, *_SOURCE, *(name for name in METRICS if "*" not in name))
    entries = _rows(path, _is_column, named, _REQUIRED, warnings)
    if not entries:
        raise SourceError(f"{path.name}: found a header alone, wanted one row or more below it")
    source = _source(entries, warnings)
    curves = _curves(part.files[1], warnings) if len(part.files) > 1 else {}
    runs = {
        run_id: _run(
            entry, run_id, source, known=known, readings=curves.pop(run_id, ()), warnings=warnings
        )
        for run_id, entry in _by_id(entries, source)
    }
    for run_id, readings in curves.items():
        raise SourceError(
            f"{readings[0][0]}: run: found {run_id!r}, wanted a run of {path.name}; "
            f"{nearest(run_id, runs)}"
        )
    return Imported(
        source=source.source,
        runs=tuple(runs.values()),
        sources=(source,),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _by_id(entries: Iterable[Entry], source: Source) -> Iterator[tuple[str, Entry]]:
    places: dict[str, str] = {}
    for entry in entries:
        run_id = _run_id(entry, source)
        if run_id in places:
            advice = (
                "give each an id of its own"
                if "run_id" in entry.values
                else "tell them apart by run_id, seed or repeat_index"
            )
            raise SourceError(
                f"{entry.place}: run_id: found {run_id!r}, which {places[run_id]} has too; {advice}"
            )
        places[run_id] = entry.place
        yield run_id, entry


def _is_column(name: str) -> bool:
    return name in {*_RUN, *LISTS, *_SOURCE} or (
        metric_unit(metric_name(name)) is not None and not name.endswith((" at", "@"))
    )


def _rows(
    path: Path,
    allowed: Callable[[str], bool],
    names: Sequence[str],
    required: Sequence[str],
    warnings: list[str],
) -> list[Entry]:
    """Returns the rows below the header, without comments, cells checked by column."""
    text = list(without_comments(decoded(path)))
    first = next((line for line in text if line.strip()), "")
    # The separator is the one with which the header makes most sense.
    delimiter = max(_DELIMITERS, key=lambda sign: sum(map(allowed, _cells(first, sign))))
    header: list[str] = []
    found: list[Entry] = []
    for line, cells in cells_of(text, path.name, delimiter):
        # spreadsheets fill rows up
        filled = max((index for index, cell in enumerate(cells, 1) if cell), default=0)
        at = f"{path.name}:{line}"
        if not filled:
            continue
        if not header:
            header = cells[:filled]
            check_header(at, header, allowed, required, names)
            continue
        if filled > len(header) or len(cells) < len(header):
            hint = (
                "quote a cell that holds a comma, and write decimals with a point"
                if delimiter == ","
                else "one for each column"
            )
            raise SourceError(f"{at}: found {len(cells)} cells, wanted {len(header)}; {hint}")
        entry = Entry(at, {name: cell for name, cell in zip(header, cells, strict=False) if cell})
        _check_cells(entry, delimiter, warnings)
        found.append(entry)
    if not header:
        check_header(f"{path.name}:1", header, allowed, required)
    return found


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(cells_of([line], "", delimiter, strict=False), (1, []))[1]
    except SourceError:
        return []


def _check_cells(entry: Entry, delimiter: str, warnings: list[str]) -> None:
    for name, cell in entry.values.items():
        text = str(cell)
        if has_address(text) and name != "url":
            raise entry.error(name, "no mail address: name teams and organisations")
        is_metric = metric_unit(metric_name(name)) is not None
        if not is_metric and name not in _NUMBERS:
            continue
        if _SEPARATED.search(text):
            raise entry.error(
                name, "a point for decimals and no separator of thousands, as in 1234.5"
            )
        if not is_metric and name != "value" and not NUMBER.fullmatch(text):
            raise entry.error(name, "a number, as in 1024 or 1234.5")
        if delimiter != "," and _THOUSANDS.fullmatch(text):
            warnings.append(
                f"{entry.place}: {name}: {text!r} is read with a point for decimals; if it "
                "separates thousands, take it out"
            )


def _source(entries: Sequence[Entry], warnings: list[str]) -> Source:
    first = entries[0]
    for entry in entries[1:]:
        for name in _SOURCE:
            if name in entry.values and entry.values[name] != first.values.get(name):
                was = first.values.get(name)
                raise entry.error(
                    name, f"{was!r} as in the first row, or nothing: one source a file"
                )
    for name in ("source", "title", "licence", "credit"):
        first.text(name)
    try:
        check_id("source", first.text("source"))
    except RecordError as error:
        raise SourceError(f"{first.place}: {error}") from None
    if first.values["source"] in {Origin.MEASURED, Origin.SUBMITTED}:
        raise first.error("source", "another id: this one is for runs of this harness")
    if "url" in first.values and not re.fullmatch(r"https?://\S+", first.text("url")):
        raise first.error("url", "an address that begins with https://")
    check_licence(first, warnings)
    given = {"kind": SourceKind.LOGS, "language": "en", "url": first.values.get("url")}
    return build(Source, first.only({*_SOURCE} - {"url"}), given)


def check_licence(entry: Entry, warnings: list[str]) -> None:
    """Refuses a licence that is no SPDX id, and warns of an unknown one.

    Raises:
        SourceError: Names the field, what was found and what was wanted.
    """
    licence = entry.text("licence")
    if licence in LICENCES or re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", licence):
        return
    if not _LICENCE.fullmatch(licence) or licence.lower() in {each.lower() for each in LICENCES}:
        wanted = (
            f"an SPDX id such as CC-BY-4.0, or {NO_LICENCE} for none; {nearest(licence, LICENCES)}"
        )
        raise entry.error("licence", wanted)
    warnings.append(
        f"{entry.place}: licence: {licence!r} is not among those known here; see that it is an "
        f"SPDX id; {nearest(licence, LICENCES)}"
    )


def _run_id(entry: Entry, source: Source) -> str:
    """Returns the id of a run: as given, else made of its distinguishing fields, so that it does
    not depend on the row's position.
    """
    if "run_id" in entry.values:
        run_id = entry.text("run_id")
        if not run_id.startswith(f"{source.source}-"):
            raise entry.error(
                "run_id",
                f"an id that begins with the source's, as in '{source.source}-{slug(run_id) or 1}'",
            )
        return run_id
    signs = (
        ("workload", ""),
        ("system", ""),
        ("accelerators", "x"),
        ("precision", ""),
        ("global_batch_size", "b"),
        ("mode", ""),
    )
    numbered = (*signs, ("seed", "s"), ("repeat_index", "r"))
    words = [sign + str(entry.values[name]) for name, sign in numbered if name in entry.values]
    return slug("-".join((source.source, *words)))


def _run(
    entry: Entry,
    run_id: str,
    source: Source,
    *,
    known: Catalog,
    readings: Sequence[tuple[str, Evaluation]],
    warnings: list[str],
) -> Run:
    columns = [name for name in entry.values if name not in {*_RUN, *LISTS, *_SOURCE}]
    metrics = tuple(_metric(entry, name) for name in columns)
    name = entry.values.get("accelerator")
    chip = None
    if name is not None:
        chip = str(name) if name in known.hardware else accelerator(str(name), known.hardware)
    taken = {*_RUN} - {"run_id", "accelerator", "status", "started_at", *_SOURCE}
    run = build(
        Run,
        entry.only(taken),
        {
            "run_id": run_id,
            "origin": Origin.IMPORTED,
            "source": source.source,
            "locator": place(*_split(entry.place)),
            "licence": source.licence,
            "credit": source.credit,
            "status": _ended(entry, metrics, readings),
            "accelerator": chip,
            "started_at": _started_at(entry),
            **lists(entry, metrics),
            "evaluations": tuple(reading for _, reading in readings),
            "environment": Environment(accelerator_name=str(name)) if name is not None else None,
        },
    )
    warnings += [f"{entry.place}: {each}" for each in _outside_catalogue(run, name, known)]
    return run


def _ended(entry: Entry, metrics: Sequence[Metric], readings: Sequence[object]) -> Status:
    status = entry.values.get("status", Status.OK.value)
    if (
        status == Status.OK.value
        and not readings
        and not any(each.status is Status.OK for each in metrics)
    ):
        raise entry.error(
            "status",
            "a figure, a curve, or a status that says why there is none, such as oom",
            "ok, and no figure",
        )
    entry.check_listed("status", list(Status), f"one of {', '.join(Status)}")
    return Status(str(status))


def _outside_catalogue(run: Run, name: object, known: Catalog) -> Iterator[str]:
    """Yields warnings about accelerators that the catalogue lacks or describes differently; `name`
    is the table's.
    """
    if run.workload not in known.workloads:
        yield (
            f"workload {run.workload!r} is not in catalog/workloads.toml; "
            f"{nearest(run.workload, known.workloads)}"
        )
    if name is not None and run.accelerator is None:
        yield (
            f"accelerator {name!r} is not in catalog/hardware.csv and is left open; "
            f"{nearest(str(name), known.hardware)}"
        )
    there = known.systems.get(run.system)
    if there is not None and (there.hardware, there.accelerators) != (
        run.accelerator or there.hardware,
        run.accelerators or there.accelerators,
    ):
        yield (
            f"found {run.accelerators} x {name} on {run.system}, which has {there.accelerators} x "
            f"{there.hardware} in catalog/systems.csv"
        )


def _split(at: str) -> tuple[str, int]:
    name, _, line = at.rpartition(":")
    return name, int(line)


def _started_at(entry: Entry) -> datetime | None:
    if "started_at" not in entry.values:
        return None
    text = entry.text("started_at")
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise entry.error("started_at", "a time with its zone, as in 2024-05-31T12:00:00+02:00 or ...Z")


def _metric(entry: Entry, column: str) -> Metric:
    """Returns a metric; refuses a value whose size suggests a wrong unit."""
    found = metric(entry, column)
    largest = found.value if found.value is not None else found.high
    quality = _quality(found.name)
    if largest is not None and quality is not None and not 0.0 <= largest <= 1.0:
        raise entry.error(column, "a fraction from 0 to 1, or a percentage such as 76.4%")
    least = found.value if found.value is not None else found.low
    if least is not None and found.unit != "1" and least <= 0.0:
        raise entry.error(
            column, "a figure above 0; nothing where it was not measured, or a status such as oom"
        )
    if (
        found.target is not None
        and found.target.metric not in LOWER
        and not 0.0 <= found.target.value <= 1.0
    ):
        raise entry.error(
            column, "a fraction from 0 to 1, as in @0.757", f"the target {found.target.value:g}"
        )
    return found


def _quality(name: str) -> str | None:
    if not name.startswith(("final_", "best_")) or name.endswith("_epoch"):
        return None
    quality = name.partition("_")[2]
    return None if quality in LOWER or "loss" in quality else quality


def _curves(path: Path, warnings: list[str]) -> dict[str, list[tuple[str, Evaluation]]]:
    found: dict[str, list[tuple[str, Evaluation]]] = {}
    seen: dict[tuple[object, ...], str] = {}
    for entry in _rows(
        path, lambda name: name in _CURVE, _CURVE, ("run", "metric", "value"), warnings
    ):
        run_id, name = entry.text("run"), entry.text("metric")
        printed = printed_as(entry, "value", entry.text("value"))
        if printed.value is None or printed.bound is not Bound.EQ:
            raise entry.error("value", "one reading, neither a range nor about")
        if name not in LOWER and "loss" not in name and not 0.0 <= printed.value <= 1.0:
            raise entry.error("value", "a fraction from 0 to 1, or a percentage such as 76.4%")
        given: dict[str, object] = {
            "metric": name,
            "value": printed.value,
            "locator": place(*_split(entry.place)),
        }
        reading = build(Evaluation, entry, given, ignore=("run", "metric", "value"))
        for column in ("epoch", "samples", "step", "time_s", "train_time_s"):
            if (value := getattr(reading, column)) is not None and value < 0:
                raise entry.error(column, "0 or more")
        key = (run_id, name, reading.epoch, reading.samples, reading.step)
        if key in seen:
            raise SourceError(
                f"{entry.place}: found {name} of {run_id!r} at this place a second time, first in "
                f"{seen[key]}"
            )
        seen[key] = entry.place
        found.setdefault(run_id, []).append((entry.place, reading))
    for readings in found.values():
        readings.sort(
            key=lambda each: (each[1].epoch or 0.0, each[1].samples or 0, each[1].step or 0)
        )
    return found
