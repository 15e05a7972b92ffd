"""Two accelerators by their printed specifications: each quantity of one over the other's."""

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Spec
from kernels.store import Archive
from site_src import tables
from site_src.tables import Row
from site_src.tables import printed as tables_printed

FEWEST = 3
"""Quantities that a source must print for both accelerators; fewer are no comparison of
specifications.
"""


def specifications(archive: Archive, catalog: Catalog, facts: Facts, source: str) -> pd.DataFrame:
    """One row a quantity that a source prints for each of two accelerators; empty where it does so
    for fewer or more of them.

    Columns beside `COMMON`: `quantity` as in `catalog.QUANTITIES`, `first` and `second` in `unit`
    (both are read in the multiple of it that `like` is read in; clocks in MHz, as they are
    printed), and `ratio` of first over second, the largest first. The first accelerator is ahead in
    more quantities.
    """
    printed: dict[str, dict[str, Spec]] = {}
    for spec in catalog.specs:
        if spec.source == source:
            printed.setdefault(spec.hardware, {})[spec.quantity] = spec
    if len(printed) != 2:  # noqa: PLR2004 - a comparison has two sides
        return tables.frame([])
    one, other = printed
    shared = [quantity for quantity in printed[one] if quantity in printed[other]]
    pairs = [(printed[one][quantity].value, printed[other][quantity].value) for quantity in shared]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    if len(known) < FEWEST:
        return tables.frame([])
    ahead = sum(a > b for a, b in known) >= sum(a < b for a, b in known)
    first, second = (one, other) if ahead else (other, one)
    row = {
        **tables_printed.of_source(
            tables_printed.source_of(archive, source),
            series=f"{first}-over-{second}",
            label=f"{tables_printed.piece(catalog, first)} / "
            f"{tables_printed.piece(catalog, second)}",
            system=tables_printed.system_with(archive, catalog, source, first),
        ),
        "first_page": _page(archive, catalog, source, first),
        "first_page_label": tables_printed.piece(catalog, first),
        "second_page": _page(archive, catalog, source, second),
        "second_page_label": tables_printed.piece(catalog, second),
    }
    rows = [
        {**row, **_compared(printed[first][quantity], printed[second][quantity], facts)}
        for quantity in shared
    ]
    return tables.frame(sorted(rows, key=lambda row: float(str(row["ratio"] or 0.0)), reverse=True))


def _compared(one: Spec, other: Spec, facts: Facts) -> Row:
    refs = [f"spec:{spec.hardware}:{spec.quantity}@{spec.source}" for spec in (one, other)]
    first, second = (tables.figure(facts, ref) for ref in refs)
    ratio = f"ratio({', '.join(refs)})" if first is not None and second is not None else None
    return {
        "quantity": one.quantity,
        "locator": one.locator,
        "status": "ok" if ratio else "not_reported",
        "first": first,
        "first_ref": refs[0],
        "second": second,
        "second_ref": refs[1],
        "unit": one.unit,
        "like": None
        if one.unit == "Hz"
        else max((value for value in (first, second) if value is not None), default=None),
        "ratio": tables.figure(facts, ratio) if ratio else None,
        "ratio_ref": ratio,
    }


def _page(archive: Archive, catalog: Catalog, source: str, hardware: str) -> str:
    return (
        f"systems/{tables_printed.system_with(archive, catalog, source, hardware)}/#specifications"
    )
