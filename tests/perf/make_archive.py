"""Archives of any size out of what is recorded here: `python -m tests.perf.make_archive N FOLDER`.

As many as are recorded are a copy. Fewer are the chosen records of `tests.makers`, and beside them
runs of this harness, one in ten as long as there are any, and submissions to MLPerf of all rounds,
drawn and whole but for the last. The same N makes the same records.
"""

import random
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints
from pyarrow import compute

from kernels import store
from tests.makers import RUNS, chosen, imported, lay, make_archive

OWN_EVERY: Final = 10
"""One in so many runs beside the chosen ones is of this harness."""


@cache
def files() -> dict[Path, frozenset[str]]:
    """The files with runs below `runs/`, and the runs of each."""
    paths = (*RUNS.glob("measured/*.parquet"), *RUNS.glob("*/*-runs.parquet"))
    return {path: store.run_ids(path) for path in sorted(paths)}


def recorded() -> int:
    """How many runs are recorded here."""
    return sum(map(len, files().values()))


def make(folder: Path, wanted: int) -> None:
    """Lay an archive of so many runs into an empty folder; ValueError where there are not as many,
    or the chosen ones are more.
    """
    if wanted == recorded():
        shutil.copytree(RUNS, folder, ignore=shutil.ignore_patterns("sources"), dirs_exist_ok=True)
        return
    have = {run.run_id for run in chosen().runs}
    if not len(have) <= wanted < recorded():
        raise ValueError(f"found {len(have)} chosen of {recorded()} runs, wanted {wanted}")
    make_archive(folder)
    own = [path for path, ids in files().items() if path.parent.name == "measured" and ids - have]
    for path in own[: (wanted - len(have)) // OWN_EVERY]:
        lay(folder / path.relative_to(RUNS), path.read_bytes())
        have |= files()[path]
    rounds = {path: ids for path, ids in files().items() if path.parent.name == "imported"}
    rest = sorted(set().union(*rounds.values()) - have)
    draw = {name: place for place, name in enumerate(sorted({_submission(id_) for id_ in rest}))}
    random.Random(wanted).shuffle(order := [*draw.values()])  # noqa: S311 - a draw, no secret
    rest.sort(key=lambda id_: order[draw[_submission(id_)]])
    have = have.union(rest[: wanted - len(have)])
    for path in rounds:
        found = imported(
            path.name.removesuffix("-runs.parquet"),
            lambda ids: compute.is_in(ids, pa.array(sorted(have))),
        )
        for name, content in found:
            lay(folder / "imported" / name, content)


def _submission(run_id: str) -> str:
    return re.sub(r"-\d+$", "", run_id)


if __name__ == "__main__":
    make(Path(sys.argv[2]), int(sys.argv[1]))
