"""The table of all results against the records: its results, their words, and each figure by its
reference.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from kernels.audit.facts import Facts
from kernels.errors import FactError
from kernels.reading import named
from kernels.records import Precision, Run
from site_src.evidence import Evidence
from site_src.pages.explore.rows import CREDITS, CREDITS_START, PATH, START
from site_src.verify.facts import Fault, close

_MOST: Final = 5

_FIELDS: Final = (
    "accelerator", "credit", "licence", "mode", "origin", "precision", "round", "source", "system",
    "workload",
)  # fmt: skip
"""Columns that repeat a field of the run."""


def results(out: Path, files: set[str], evidence: Evidence) -> Iterator[Fault]:
    """Yields differences between the table and the records."""
    if PATH not in files:
        return
    try:
        table = _read(out / PATH, START)
        table["words"] |= _read(out / CREDITS, CREDITS_START)
        found = list(islice(_wrong(table, evidence), _MOST))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        found = [f"is no table of results: {error!r}"]
    yield from ((PATH, fault) for fault in found)


def _read(path: Path, start: str) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text.removeprefix(start).removesuffix(";\n"))
    return table


def _wrong(table: Mapping[str, Any], evidence: Evidence) -> Iterator[str]:
    runs = named(evidence.archive.runs, "run_id")
    kept = {
        one.id: own
        for one in evidence.results.values()
        if (own := [id_ for id_ in one.run_ids if runs[id_].withdrawn is None])
    }
    for id_ in sorted(kept.keys() ^ set(table["ids"])):
        yield f"{id_} is only {'recorded' if id_ in kept else 'here'}"
    for row, id_ in enumerate(table["ids"]):
        run = table["runs"][row] or id_
        if run not in kept.get(id_, ()):
            yield f"{id_}: {run} is no run of it"
            continue
        yield from (f"{id_}: {fault}" for fault in _words(table["words"], row, runs[run]))
        yield from _figures(table, row, run, kept[id_], evidence.facts)


def _words(columns: Mapping[str, Any], row: int, run: Run) -> Iterator[str]:
    for name in _FIELDS:
        words, numbers = columns[name]
        said, recorded = words[numbers[row]], getattr(run, name)
        if name == "accelerator" and recorded is None:
            continue  # it has the name that the machine gives it
        wanted = "" if recorded in {None, Precision.UNKNOWN} else str(recorded)
        if said != wanted:
            yield f"{name} is {said!r}, recorded is {wanted!r}"


def _figures(
    table: Mapping[str, Any], row: int, run: str, own: Sequence[str], facts: Facts
) -> Iterator[str]:
    """Checks a row's figures; `own` are the runs of its result, one of which may have the
    figure.
    """
    result = table["ids"][row]
    kinds: Sequence[tuple[str, float, str]] = table["kinds"]
    for name, (values, numbers) in table["figures"].items():
        if values[row] is None:
            continue
        ref = kinds[numbers[row]][0]
        if not any(one in ref for one in ("{}", "{r}", *(f"run:{id_}:" for id_ in own))):
            yield f"{name}: {ref} is of no run"
            continue
        ref = ref.replace("{}", run).replace("{r}", result)
        try:
            wanted = facts.get(ref).value
        except FactError as error:
            yield str(error)
            continue
        if wanted is None or not close(values[row], wanted):
            yield f"{ref} is {values[row]!r}, the records have {wanted!r}"
