"""Downloadable tables, below `data/`: Parquet and CSV, each row with licence and credit.

Those of runs are long. They are made in parts, so that an added run changes one part of each: a
part of a packed CSV is a member of the gzip file.
"""

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from itertools import groupby
from typing import Any, Final, cast

import pandas as pd

from kernels.reading import Kept, named
from kernels.records import Claim, Price, PrintedCell, Rate, Review, Source, Tariff
from kernels.store.frames import (
    Nested,
    frame_bytes,
    joined_bytes,
    nested_frame,
    records_frame,
    runs_frame,
)
from site_src.api.prices import offers
from site_src.csv_cells import to_csv
from site_src.evidence import Evidence
from site_src.graph import Items
from site_src.model import Asset, BuildOptions

NESTED: Final[tuple[Nested, ...]] = (
    "metrics",
    "evaluations",
    "epochs",
    "steps",
    "telemetry",
    "software",
    "settings",
)
"""Tables with many rows for each run."""

OF_RUNS: Final = ("runs", *NESTED)
"""Tables of runs, which are made in parts; their CSV is packed, whatever its size, so that
addresses stay.
"""

_OWN: Final = ("CC0-1.0", "Touchstone")
_TERMS: Final = "columns licence and credit, row by row"


@dataclass(frozen=True, slots=True)
class Shape:
    """A table's number of rows, columns, and the licences of its rows; "" for none."""

    rows: int
    columns: tuple[str, ...]
    licences: tuple[str, ...]


def files(evidence: Evidence, options: BuildOptions) -> dict[str, Callable[[], Iterator[Asset]]]:
    """Makers of the tables, by name."""
    prepare(evidence)
    return {
        **{name: partial(_long, name, evidence, options) for name in OF_RUNS},
        **{name: partial(_short, name, evidence, options) for name in FRAMES},
    }


def prepare(evidence: Evidence) -> None:
    """Registers how tables and their shapes are made."""
    graph, kept = evidence.graph, Kept[str, Mapping[str, tuple[str, ...]]]()
    parts = Items(graph, "runs of part", lambda: kept.get("", lambda: _parts(evidence)))
    graph.register("table shape", partial(_shape, evidence, parts))
    graph.register("part", lambda name, first: _part(evidence, name, parts[first]), keep=True)
    graph.register("part shape", lambda *part: graph.get("part", *part)[2], keep=True)


def _parts(evidence: Evidence) -> Mapping[str, tuple[str, ...]]:
    """Ids of consecutive runs of one origin and round, by the first of them."""
    groups = groupby(evidence.archive.runs, lambda run: (run.origin, run.round))
    ids = (tuple(run.run_id for run in found) for _, found in groups)
    return {part[0]: part for part in ids}


def shapes(evidence: Evidence) -> dict[str, Shape]:
    """The shape of every table that is not empty, by name."""
    made = {name: evidence.graph.get("table shape", name) for name in (*OF_RUNS, *FRAMES)}
    return {name: shape for name, shape in made.items() if shape.rows}


def _shape(evidence: Evidence, parts: Mapping[str, tuple[str, ...]], name: str) -> Shape:
    if name in FRAMES:
        return _shape_of(FRAMES[name](evidence))
    found = [evidence.graph.get("part shape", name, first) for first in parts]
    return Shape(
        sum(one.rows for one in found),
        _shape_of(_frame(evidence, name, ())).columns,
        tuple(sorted({licence for one in found for licence in one.licences})),
    )


def _shape_of(frame: pd.DataFrame) -> Shape:
    terms = frame["licence"].fillna("") if "licence" in frame else [""]
    return Shape(len(frame), tuple(map(str, frame)), tuple(sorted(set(terms))))


def _frame(evidence: Evidence, name: str, ids: Sequence[str]) -> pd.DataFrame:
    known = named(evidence.archive.runs, "run_id")
    runs = [known[id_] for id_ in ids]
    if name == "runs":
        return runs_frame(runs)
    return nested_frame(runs, cast(Nested, name), evidence.archive.recordings)


def _part(evidence: Evidence, name: str, ids: Sequence[str]) -> tuple[bytes, bytes, Shape]:
    """The rows of these runs: as Parquet and as CSV, empty if there are none, and their shape."""
    frame = _frame(evidence, name, ids)
    rows = _as_csv(name, frame, header=False) if len(frame) else b""
    return frame_bytes(frame, name, {}), rows, _shape_of(frame)


def _as_csv(name: str, frame: pd.DataFrame, *, header: bool = True) -> bytes:
    timed = frame.select_dtypes("datetimetz")
    # pandas writes fractions of seconds if one of the times has some: parts would differ
    texts = {
        str(column): [
            time if pd.isna(time) else time.isoformat(" ", "microseconds") for time in own
        ]
        for column, own in timed.items()
    }
    content = to_csv(frame.assign(**texts), header=header)
    return gzip.compress(content, mtime=0) if csv_ending(name) == "csv.gz" else content


def csv_ending(name: str) -> str:
    """The file extension of a table's CSV."""
    return "csv.gz" if name in OF_RUNS else "csv"


def _labels(options: BuildOptions) -> dict[str, str]:
    return {"built": options.date.isoformat(), "terms": _TERMS}


def _long(name: str, evidence: Evidence, options: BuildOptions) -> Iterator[Asset]:
    graph = evidence.graph
    firsts = graph.get("names of runs of part")
    found = [graph.get("part", name, first) for first in firsts]
    graph.get("table shape", name)  # the parts are in memory now
    if any(rows for _, rows, _ in found):
        whole = joined_bytes([part for part, _, _ in found], name, _labels(options))
        yield Asset(f"data/{name}.parquet", whole)
        head = _as_csv(name, _frame(evidence, name, ()))
        rows = (rows for _, rows, _ in found)
        yield Asset(f"data/{name}.{csv_ending(name)}", b"".join([head, *rows]))


def _short(name: str, evidence: Evidence, options: BuildOptions) -> Iterator[Asset]:
    frame = FRAMES[name](evidence)
    if len(frame):
        yield Asset(f"data/{name}.parquet", frame_bytes(frame, name, _labels(options)))
        yield Asset(f"data/{name}.{csv_ending(name)}", _as_csv(name, frame))


def _claims(evidence: Evidence) -> pd.DataFrame:
    claims = records_frame(Claim, evidence.archive.claims, evidence.archive.sources)
    if len(claims):
        found = [evidence.facts.judgement(claim.claim_id) for claim in evidence.archive.claims]
        place = claims.columns.get_loc("licence")
        claims.insert(place, "verdict", [str(judgement.verdict) for judgement in found])  # type: ignore[arg-type]  # one column of that name
        claims.insert(
            place,  # type: ignore[arg-type]
            "recomputed",
            pd.Series([judgement.recomputed for judgement in found], dtype="float64"),
        )
    return claims


def _of_catalog(name: str) -> Callable[[Evidence], pd.DataFrame]:
    def made(of: Evidence) -> pd.DataFrame:
        table = getattr(of.catalog, name)
        rows = table.values() if isinstance(table, Mapping) else table
        return _catalogued(rows, of.archive.sources)

    return made


FRAMES: Final[Mapping[str, Callable[[Evidence], pd.DataFrame]]] = {
    "claims": _claims,
    "printed_tables": lambda of: records_frame(PrintedCell, of.archive.cells, of.archive.sources),
    "prices": lambda of: records_frame(Price, list(offers(of).values()), of.archive.sources),
    "rates": lambda of: records_frame(
        Rate, [*of.archive.rates, *of.catalog.rates.values()], of.archive.sources
    ),
    "tariffs": lambda of: records_frame(
        Tariff, [*of.archive.tariffs, *of.catalog.tariffs.values()], of.archive.sources
    ),
    "reviews": lambda of: records_frame(Review, of.archive.reviews, of.archive.sources),
    "sources": lambda of: records_frame(Source, of.archive.sources, of.archive.sources),
    "specifications": _of_catalog("specs"),
    "systems": _of_catalog("systems"),
    "hardware": _of_catalog("hardware"),
    "workloads": _of_catalog("workloads"),
}
"""Makers of the short tables, by name."""


def _catalogued(records: Iterable[Any], sources: Sequence[Source]) -> pd.DataFrame:
    """Rows of the catalogue with licence and credit: their source's, or ours for compiled rows."""
    known = {source.source: source for source in sources}
    rows = []
    for record in records:
        row = {
            name: "; ".join(value) if isinstance(value, tuple) else value
            for name, value in asdict(record).items()
        }
        row = {
            name: str(value) if isinstance(value, StrEnum) else value for name, value in row.items()
        }
        source = known.get(row.get("source", ""))
        licence, credit = (source.licence, source.credit) if source else _OWN
        row["licence"] = row.get("licence") or licence
        row["credit"] = credit
        rows.append(row)
    return pd.DataFrame(rows).convert_dtypes()
