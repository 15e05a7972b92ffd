"""Numbers against the records: figures on pages and badges, cells of downloads that have a
reference, and the API's records of runs, systems and workloads.
"""

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any, Final, Protocol

from kernels.audit.facts import Facts
from kernels.errors import FactError
from site_src.evidence import Evidence
from site_src.tables import BLEU, is_bleu, level
from site_src.verify.html import Shown

Fault = tuple[str, str]
"""A file below site/, and its error."""

Tables = Mapping[str, Sequence[Mapping[str, str]]]
"""The rows of CSV files, by path below site/."""

REFERENCES: Final = (
    ("claims", "claim:{claim_id}:printed", "printed"),
    ("claims", "claim:{claim_id}:recomputed", "recomputed"),
    ("claims", "claim:{id}:printed", "printed"),
    ("claims", "claim:{id}:recomputed", "recomputed"),
    ("metrics", "run:{run_id}:{key}", "value"),
    ("printed_tables", "cell:{source}:{table}:{row}:{column}", "value"),
    ("prices", "price:{price_id}:amount", "amount"),
    ("rates", "rate:{base}:{quote}:{day}", "rate"),
    ("scores", "score:{run_ids[0]}:minutes", "score_minutes"),
)
"""Tables below `data/` and `api/`, with references to the facts in their columns, made of the keys
of a row.
"""

DAMAGED: Final = (OSError, EOFError, zlib.error)
"""Errors on reading a damaged packed file."""

_ROUNDED: Final = 1e-12
"""Largest relative difference of a figure after conversion to text: `repr` loses nothing, writers
of JSON may lose the last bit.
"""

_MOST: Final = 5
"""Most faults reported of one file."""


class Reading(Protocol):
    """The part of a locale that `verify` needs."""

    @property
    def code(self) -> str:
        """Language tag."""

    def shows(self, text: str, value: float) -> bool:
        """True if the text is the value, rounded, in the language's format."""


def close(one: float, other: float) -> bool:
    """True if two numbers are equal except for rounding."""
    return one == other or math.isclose(one, other, rel_tol=_ROUNDED)


def figure(shown: Shown, facts: Facts, locale: Reading) -> Iterator[str]:
    """Yields errors of a figure: no such fact, another value, or a text that does not show the
    value.

    A figure without a reference is not a fact but a choice, such as the target of a row in a
    chart's table; only its text is checked.
    """
    try:
        value = float(shown.value)
    except ValueError:
        yield f"figure {shown.ref or shown.text}: value {shown.value!r} is no number"
        return
    if shown.ref:
        try:
            fact = facts.get(shown.ref)
        except FactError as error:
            yield f"figure {shown.text!r}: {error}"
            return
        wanted = {"low": fact.low, "high": fact.high}.get(shown.end, fact.value)
        if wanted is None or not close(value, wanted):
            yield (
                f"figure {shown.ref}{f' ({shown.end})' if shown.end else ''}: the page has "
                f"{value!r}, the records {wanted!r}"
            )
    if not locale.shows(shown.text, level(BLEU, value) if is_bleu(shown.ref) else value):
        yield (
            f"figure {shown.ref or 'without reference'}: the text {shown.text!r} is not "
            f"{value!r} as {locale.code} writes it"
        )


def cells(tables: Tables, facts: Facts) -> Iterator[Fault]:
    """Yields cells of CSV files that differ from the fact of their reference: of the column beside
    (`cost_ref` of `cost`), or of `REFERENCES`. Parquet files have the same rows.
    """
    for name, rows in tables.items():
        found = [fault for row in rows for fault in _beside(row, facts)]
        found += (
            _rows(Path(name).name.partition(".")[0], rows, facts)
            if name.startswith("data/")
            else []
        )
        yield from ((name, fault) for fault in found[:_MOST])


def _beside(row: Mapping[str, str], facts: Facts) -> Iterator[str]:
    for column, ref in row.items():
        name = column.removesuffix("_ref")
        if name != column and ref and row.get(name):
            yield from _held(ref, row[name], facts)


def _rows(table: str, rows: Sequence[Mapping[str, Any]], facts: Facts) -> Iterator[str]:
    for named, template, column in REFERENCES:
        for row in rows:
            key = template.partition("{")[2].partition("}")[0].partition("[")[0]
            if named == table and key in row and row.get(column) != "":
                yield from _held(template.format_map(row), row.get(column), facts)


def _held(ref: str, shown: object, facts: Facts) -> Iterator[str]:
    try:
        wanted = facts.get(ref).value
    except FactError as error:
        yield str(error)
        return
    try:
        same = shown in {None, ""} if wanted is None else close(float(str(shown)), wanted)
    except ValueError:
        same = False
    if not same:
        yield f"{ref} is {shown!r}, the records have {wanted!r}"


def api(out: Path, evidence: Evidence) -> Iterator[Fault]:
    """Yields differences between JSON tables and records, and unreadable tables."""
    known: Mapping[str, tuple[str, Mapping[str, object]]] = {
        "runs": ("run_id", {run.run_id: run for run in evidence.archive.runs}),
        # machines outside the catalogue have runs
        "systems": (
            "system",
            {
                **dict.fromkeys(run.system for run in evidence.archive.runs),
                **evidence.catalog.systems,
            },
        ),
        "workloads": ("workload", evidence.catalog.workloads),
    }
    for path in sorted((out / "api").rglob("*.json*")):
        name, kind = path.relative_to(out).as_posix(), path.name.partition(".")[0]
        content = path.read_bytes()
        try:
            text = gzip.decompress(content) if path.suffix == ".gz" else content
            table = json.loads(text, parse_constant=_no_constant)
            records = table["records"]
            major, _, minor = table["schema_version"].partition(".")
        except (ValueError, KeyError, TypeError, AttributeError, *DAMAGED) as error:
            yield name, f"is no table of the API: {error}"
            continue
        if not (major.isdecimal() and minor.isdecimal()):
            yield name, f"schema_version is {major}.{minor}, wanted <major>.<minor>"
        found = [*_rows(kind, records, evidence.facts)]
        if kind in known:
            found += _recorded(records, *known[kind])
        yield from ((name, fault) for fault in found[:_MOST])


def _recorded(
    records: Sequence[Mapping[str, Any]], key: str, known: Mapping[str, object]
) -> Iterator[str]:
    given = {str(record.get(key)): record for record in records}
    what = key.removesuffix("_id")
    for name in sorted(given.keys() ^ known.keys()):
        yield f"{what} {name} is only {'in the API' if name in given else 'recorded'}"
    for name in sorted(given.keys() & known.keys()):
        record, one = given[name], known[name]
        metrics = {metric.key: metric for metric in getattr(one, "metrics", ())}
        shown = record.get("metrics") or {}
        faults = [
            f"metric {metric} is only {'in the API' if metric in shown else 'recorded'}"
            for metric in sorted(shown.keys() ^ metrics.keys())
        ]
        faults += _unlike(record, one)
        for metric in sorted(shown.keys() & metrics.keys()):
            faults += (
                f"metric {metric}: {fault}" for fault in _unlike(shown[metric], metrics[metric])
            )
        yield from (f"{what} {name}: {fault}" for fault in faults)


def _unlike(record: Mapping[str, object], one: object) -> Iterator[str]:
    for name, shown in record.items():
        wanted = getattr(one, name, shown)
        wanted = wanted.value if isinstance(wanted, Enum) else wanted
        wanted = wanted.isoformat() if isinstance(wanted, date) else wanted
        if isinstance(wanted, bool | str | None):
            same = shown is wanted or shown == wanted
        elif isinstance(wanted, int | float):
            same = isinstance(shown, int | float) and close(shown, wanted)
        else:
            continue
        if not same:
            yield f"{name} is {shown!r}, recorded is {wanted!r}"


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")
