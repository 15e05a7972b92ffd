"""Imports a published source, transcribed as reviewable text.

`runs/sources/<id>/` holds `source.toml` and, if the source has them, `runs.csv`, `claims.toml`,
`reviews.csv` and `tables/*.csv`; `runs/sources/README.md` describes their columns. Prices are in
`kernels/catalog/prices.csv`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

from kernels import catalog
from kernels.audit.facts import split
from kernels.audit.formulas import FORMULAS
from kernels.errors import FactError, SourceError
from kernels.importers.base import Flags, Imported, Part
from kernels.importers.run_columns import (
    LISTS,
    NOT_CELLS,
    lists,
    metric,
    metric_name,
    printed_as,
)
from kernels.metrics import metric_unit
from kernels.printed import SYNTAX, Printed, parse
from kernels.records import (
    Bound,
    Certainty,
    Claim,
    Origin,
    PrintedCell,
    Review,
    Run,
    Source,
    locator_parts,
)
from kernels.tabular import Entry, build, document, rows, tables

SUMMARY: Final = "a published source, transcribed as text in runs/sources/<id>"

LOCATOR_WORDS: Final = frozenset(
    {
        "title",
        "section",
        "paragraph",
        "caption",
        "table",
        "row",
        "column",
        "figure",
        "footnote",
        "page",
    }
)
"""Words allowed in a locator of an article, each with a text in `strings/` as `locator.<word>`."""

# Fields of `Run` that this importer fills, or that no publication has.
_NOT_COLUMNS: Final = NOT_CELLS | {"origin", "source", "licence", "credit"}
_RUN_COLUMNS: Final = (
    *(field.name for field in fields(Run) if field.name not in _NOT_COLUMNS),
    *LISTS,
)


OPTIONS: Final[Flags] = {}


def parts(path: Path, options: Mapping[str, str | None]) -> Iterator[Part]:  # noqa: ARG001 - the same for every importer
    """Yields the source in a folder, or those in its folders."""
    inside = sorted(each.parent for each in path.glob("*/source.toml"))
    for folder in [path] if (path / "source.toml").is_file() or not inside else inside:
        yield Part(folder.name, (folder,))


def read(part: Part) -> Imported:
    """Returns the records of a source."""
    return transcribed(part.files[0])


def transcribed(path: Path) -> Imported:
    """Returns the records of the source in a folder.

    Raises:
        SourceError: A file is invalid; names file, line, field, what was found and what was wanted.
    """
    if not (path / "source.toml").is_file():
        raise SourceError(
            f"{path}: no source.toml in it; wanted a folder as runs/sources/README.md describes it"
        )
    source = _source(path / "source.toml", path.resolve().name)
    found = Imported(
        source=source.source,
        origin=Origin.PUBLISHED,
        runs=tuple(_runs(path / "runs.csv", source)),
        claims=tuple(_claims(path / "claims.toml", source)),
        sources=(source,),
        reviews=tuple(_reviews(path / "reviews.csv", source)),
        cells=tuple(
            cell
            for table in sorted((path / "tables").glob("*.csv"))
            for cell in _cells(table, source)
        ),
    )
    _once(path / "runs.csv", [run.run_id for run in found.runs])
    _once(path / "claims.toml", [claim.claim_id for claim in found.claims])
    _once(path / "tables", [f"{cell.table}: {cell.row}, {cell.column}" for cell in found.cells])
    _dated(path / "tables", found.cells)
    return found


def _source(path: Path, folder: str) -> Source:
    source = build(Source, Entry(str(path), document(path)))
    if source.source != folder:
        raise SourceError(
            f"{path}: source: found {source.source!r}, wanted the folder's name {folder!r}"
        )
    return source


def _runs(path: Path, source: Source) -> Iterator[Run]:
    if not path.is_file():
        return
    known = catalog.load()
    for entry in rows(path, _is_run_column, ("run_id", "locator", "workload", "system", "status")):
        for name, there in (
            ("workload", known.workloads),
            ("system", known.systems),
            ("accelerator", known.hardware),
        ):
            entry.check_listed(name, there, "an id of the catalogue")
        _own_id(entry, "run_id", source)
        _located(entry)
        columns = [name for name in entry.values if name not in _RUN_COLUMNS]
        metrics = tuple(metric(entry, name) for name in columns if not name.endswith(" at"))
        yield build(
            Run,
            entry.only({*_RUN_COLUMNS} - {*LISTS}),
            {
                "origin": Origin.PUBLISHED,
                "source": source.source,
                "licence": source.licence,
                "credit": source.credit,
                **lists(entry, metrics),
            },
        )


def _is_run_column(name: str) -> bool:
    return name in _RUN_COLUMNS or metric_unit(metric_name(name)) is not None


def _claims(path: Path, source: Source) -> Iterator[Claim]:
    if not path.is_file():
        return
    for entry in tables(path, "claim"):
        _own_id(entry, "claim_id", source)
        _located(entry)
        printed = _printed_claim(entry)
        given = {
            "source": source.source,
            "printed": printed.value,
            "printed_low": printed.low,
            "printed_high": printed.high,
            "bound": printed.bound,
            "decimals": printed.decimals,
        }
        claim = build(Claim, entry, given, ignore=("printed",))
        _check_formula(entry, claim)
        yield claim


def _printed_claim(entry: Entry) -> Printed:
    text = entry.values.get("printed")
    if not isinstance(text, str):
        raise entry.error("printed", f"a text with {SYNTAX}")
    try:
        return parse(text)
    except SourceError as error:
        raise SourceError(f"{entry.place}: printed: {error}") from None


def _check_formula(entry: Entry, claim: Claim) -> None:
    if claim.formula == "none":
        if claim.reason is None or claim.inputs:
            raise entry.error("formula", "a reason why it cannot be checked, and no inputs")
        return
    entry.check_listed("formula", FORMULAS, "one of formulas.FORMULAS")
    formula = FORMULAS[claim.formula]
    if formula.inputs and len(claim.inputs) != len(formula.inputs):
        raise entry.error(
            "inputs", f"{len(formula.inputs)}: {', '.join(formula.inputs)}", str(len(claim.inputs))
        )
    try:
        for ref in claim.inputs:
            split(ref, ref)
    except FactError as error:
        raise SourceError(f"{entry.place}: inputs: {error}") from None


def _reviews(path: Path, source: Source) -> Iterator[Review]:
    if not path.is_file():
        return
    known = [field.name for field in fields(Review) if field.name != "source"]
    for entry in rows(path, known, ("party", "role", "status", "locator")):
        _located(entry)
        for name, wanted in (
            ("role", ("vendor", "independent")),
            ("status", ("asked", "answered", "no_reply", "unknown")),
        ):
            if entry.values.get(name) not in wanted:
                raise entry.error(name, f"one of {', '.join(wanted)}")
        yield build(Review, entry, {"source": source.source})


def _cells(path: Path, source: Source) -> Iterator[PrintedCell]:
    order: dict[str, int] = {}
    for entry in rows(
        path,
        ("row", "column", "text", "value", "unit", "certainty", "locator"),
        ("row", "column", "locator"),
    ):
        _located(entry)
        row = entry.text("row")
        value = entry.values.get("value")
        if value is not None and ("unit" not in entry.values or "text" in entry.values):
            raise entry.error("value", "a unit with it, and no text")
        printed = None if value is None else printed_as(entry, "value", value)
        if printed is not None and printed.value is None:
            raise entry.error("value", "one figure; a range is two cells")
        certainty = Certainty.STATED if "certainty" not in entry.values else None
        if value is None and "text" not in entry.values and certainty is Certainty.STATED:
            raise entry.error(
                "value",
                "one of them, or the certainty not_stated or not_published",
                "neither value nor text",
            )
        given: dict[str, object] = {
            "source": source.source,
            "table": path.stem,
            "row_index": order.setdefault(row, len(order)),
            "value": None if printed is None else printed.value,
            "decimals": None if printed is None else printed.decimals,
            "bound": Bound.EQ if printed is None else printed.bound,
        }
        if certainty is not None:
            given["certainty"] = certainty
        yield build(PrintedCell, entry, given, ignore=("value",))


def _own_id(entry: Entry, name: str, source: Source) -> None:
    if not entry.text(name).startswith(f"{source.source}-"):
        raise entry.error(name, f"an id that starts with {source.source!r} and a hyphen")


def _located(entry: Entry) -> None:
    """Refuses a locator that cannot be translated: each part is a word of `LOCATOR_WORDS` and a
    number or a quoted name.
    """
    for name, value in entry.values.items():
        if name != "locator" and not name.endswith(" at"):
            continue
        for word, _ in locator_parts(str(value)):
            if word not in LOCATOR_WORDS:
                raise entry.error(
                    name,
                    "parts such as 'table 1, row 3' of the words "
                    f"{', '.join(sorted(LOCATOR_WORDS))}",
                )


def _dated(path: Path, cells: Sequence[PrintedCell]) -> None:
    """Refuses a figure stated by somebody else without date and link, which may say that there is
    none.
    """
    told = {(cell.table, cell.row, cell.column) for cell in cells}
    for table, row, column in sorted(told):
        lacking = [name for name in ("dated", "link") if (table, row, name) not in told]
        if column == "stated-by" and lacking:
            raise SourceError(
                f"{path}: {table}: {row}: no {' and no '.join(lacking)} of a figure that others "
                "stated, wanted it, or the certainty not_stated"
            )


def _once(path: Path, keys: Sequence[str]) -> None:
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise SourceError(f"{path}: given twice: {', '.join(twice)}")
