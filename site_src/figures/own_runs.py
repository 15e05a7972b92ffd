"""This harness's own runs in a chart of curves: which are compared, and what distinguishes their
series. For each system, precision and batch size the most repeated settings are drawn, of equals
the newest.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import pandas as pd

from kernels.analysis.repetitions import OWN, Setup, setups
from kernels.catalog import Catalog
from kernels.records import Run
from site_src import tables
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.columns import Column, present
from site_src.figures.controls import MarkNote, Series
from site_src.locales import Locale
from site_src.tables import Row, timeline

BATCH: Final = "bs"
"""The sign before a batch size in a series' name; a note explains it."""


def is_own(run: Run) -> bool:
    """Returns True if this harness measured the run, here or on another's machine."""
    return run.origin in OWN


def chosen(runs: Sequence[Run]) -> list[Run]:
    """Runs of others unchanged, and own runs with the most repeated settings."""
    places: dict[object, list[Setup]] = defaultdict(list)
    for setup in setups(runs):
        places[_place(setup.run)].append(setup)
    kept = [run for found in places.values() for run in max(found, key=_repeated).runs]
    kept.sort(
        key=lambda run: (
            tables.series_id(run),
            run.precision,
            run.global_batch_size or 0,
            run.run_id,
        )
    )
    return [*(run for run in runs if not is_own(run)), *kept]


def left_out(runs: Sequence[Run], kept: Sequence[Run], metrics: Sequence[str]) -> int:
    """The number of own runs in force with curves of these metrics that are not kept."""
    drawn = {run.run_id for run in kept}
    own = [run for run in runs if is_own(run) and run.withdrawn is None and run.run_id not in drawn]
    return sum(any(each.metric in metrics for each in run.evaluations) for run in own)


def _place(run: Run) -> tuple[object, ...]:
    return tables.series_id(run), run.precision, run.global_batch_size, run.accelerators


def _repeated(setup: Setup) -> tuple[int, float]:
    return len(setup.runs), timeline.age(setup)


def named(runs: Sequence[Run], catalog: Catalog) -> Mapping[str, tuple[str, str]]:
    """Series and label by run: own runs of one system with what distinguishes them."""
    groups: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for run in filter(is_own, runs):
        groups[tables.series_id(run)].add(_place(run))
    found = {}
    for run in runs:
        name, label = tables.series_id(run), tables.series_label(run, catalog)
        if is_own(run) and len(groups[name]) > 1:
            _, precisions, batches, counts = (
                set(values) for values in zip(*groups[name], strict=True)
            )
            if len(counts) > 1:  # the label begins with the number of accelerators
                name = f"{name}-{run.accelerators}x"
            if len(precisions) > 1:
                name, label = (
                    f"{name}-{tables.slug(run.precision)}",
                    f"{label} · {tables.FORMATS.get(run.precision, run.precision)}",
                )
            if len(batches) > 1:
                name, label = (
                    f"{name}-{BATCH}{run.global_batch_size}",
                    f"{label} · {BATCH} {run.global_batch_size}",
                )
        found[run.run_id] = name, label
    return found


def sign_notes(labels: Iterable[str], locale: Locale) -> list[str]:
    """The note on the sign before a batch size, if a label has it."""
    return (
        [MarkNote(locale.say("figure.batch_sign", sign=BATCH))]
        if any(f" {BATCH} " in label for label in labels)
        else []
    )


def sizes(table: pd.DataFrame) -> tuple[Column, ...]:
    """The column of the suite's size, if runs were part of a suite."""
    return (
        (Column("size", "column.suite_size", "key", prefix="suite_size"),)
        if table["size"].notna().any()
        else ()
    )


def size_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The note that some runs are of a reduced suite."""
    smaller = [
        str(size) for size in dict.fromkeys(table["size"]) if present(size) and size != "full"
    ]
    return (
        [
            locale.say(
                "figure.measured.sizes",
                sizes=locale.join([locale.say(f"suite_size.{size}") for size in smaller]),
            )
        ]
        if smaller
        else []
    )


WARNING_SIGN: Final = "‡"
"""The sign of a figure with warnings, and of the note on it."""


def remark(row: Row, said: str | None, locale: Locale) -> str | None:
    """The remark at a mark, with the warning sign if a run behind it has a warning."""
    if not present(row.get("doubted")):
        return said
    return locale.say("join.comma", first=said, second=WARNING_SIGN) if said else WARNING_SIGN


def warning_notes(found: Iterable[Setup], table: pd.DataFrame, locale: Locale) -> list[str]:
    """The note on the warning sign, and the number of runs with warnings among the setups drawn."""
    drawn = {run for name in ("run_id", "b_run") if name in table for run in table[name]}
    runs = [run for setup in found if setup.run.run_id in drawn for run in setup.runs]
    return [MarkNote(f"{WARNING_SIGN} {note}") for note in common.warning_notes(runs, locale)]


def labelled(table: pd.DataFrame, names: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """The table with these series and labels."""
    if table.empty:
        return table
    series, labels = (
        pd.Series(
            [names[str(run)][part] for run in table["run_id"]], index=table.index, dtype=object
        )
        for part in (0, 1)
    )
    return table.assign(series=series, label=labels)


def recoloured(
    series: Sequence[Series], names: Mapping[str, tuple[str, str]], runs: Sequence[Run]
) -> tuple[Series, ...]:
    """The series, with other looks for later own runs of a system."""
    own = {names[run.run_id][0] for run in runs if is_own(run)}
    seen: set[themes.Look] = set()
    found = []
    for one in series:
        free = (themes.in_turn(number) for number in range(themes.MOST_TURNS))
        look = (
            next((each for each in free if each not in seen), one.look)
            if one.id in own and one.look in seen
            else one.look
        )
        seen.add(look)
        found.append(replace(one, look=look))
    return tuple(found)
