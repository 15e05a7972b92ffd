"""What it costs to record and to read runs, against pyarrow alone on the same rows: wall and
processor seconds of each step, in processes of their own.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it ships without type hints

from kernels import store
from kernels.records import Run
from kernels.store.rows import to_arrow
from kernels.store.schema import TABLES
from tests.perf import make_archive
from tests.perf.measures import answer, call, estimate, interleaved, ratio

COUNT: Final = 1000
ROUNDS: Final = 5


def runs(count: int) -> list[Run]:
    """Runs of this harness, no two alike."""
    own = chain.from_iterable(make_archive.own())
    return list(islice(own, count))


def ours(count: int, place: str) -> dict[str, tuple[float, float]]:
    """By the store, one file a run: written whole with its checksum, read back as records."""
    made, folder = runs(count), Path(place)
    cache = folder / "cache"
    return {
        "record": _timed(lambda: _write(made, folder / "runs" / "measured")),
        "read": _timed(lambda: _all(store.read(folder / "runs").runs, made)),
        "fill": _timed(lambda: _all(store.read(folder / "runs", cache).runs, made)),
        "again": _timed(lambda: _all(store.read(folder / "runs", cache).runs, made)),
    }


def plain(count: int, place: str) -> dict[str, tuple[float, float]]:
    """By pyarrow alone: rows by `write_table`, read by `read_table` and `to_pylist`."""
    made, folder = runs(count), Path(place)
    tables = {folder / f"{run.run_id}.parquet": to_arrow(TABLES[Run], [run]) for run in made}
    return {
        "record": _timed(lambda: [pq.write_table(table, path) for path, table in tables.items()]),
        "read": _timed(
            lambda: _all([row for path in tables for row in pq.read_table(path).to_pylist()], made)
        ),
    }


def _write(made: Sequence[Run], folder: Path) -> None:
    for run in made:
        store.write(folder / f"{run.run_id}.parquet", [run])


def _all(found: Sequence[object], made: Sequence[Run]) -> None:
    if len(found) != len(made):
        raise RuntimeError(f"{len(found)} runs were read, wanted {len(made)}")


def _timed(act: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds, threads included."""
    wall, used = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - wall, time.process_time() - used


def rows(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Time of each, and the ratio to pyarrow alone, in wall and in processor time."""
    count = COUNT // 50 if given.tiny else COUNT
    sides = {side: partial(_side, side, count) for side in ("ours", "plain")}
    found = interleaved(given.rounds or (1 if given.tiny else ROUNDS), **sides)
    for name, what, base in (
        ("record", f"record {count} runs, a file each", "record"),
        ("read", f"read {count} runs", "read"),
        ("again", f"read {count} runs again, from the cache", "read"),
    ):
        for place, clock in enumerate(("wall", "CPU")):
            a = [each[name][place] for each in found["ours"]]
            b = [each[base][place] for each in found["plain"]]
            yield f"{what}, {clock} seconds: {estimate(a)}; over pyarrow alone: {ratio(a, b)}"


def _side(side: str, count: int) -> dict[str, tuple[float, float]]:
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as folder:
        found: dict[str, tuple[float, float]] = answer(call("recording", side, count, folder))
    return found
