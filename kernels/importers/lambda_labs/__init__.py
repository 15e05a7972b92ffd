"""Lambda's deep learning benchmark: tables of training throughput, and console logs of runs.

A table has a row per machine (`name_gpu`, `num_gpu`, in some `watt` and `price`) and a column per
model. The unit follows from the model (`MODELS`); the precision, and whether it has throughputs or
batch sizes, from the file's name. A table of batch sizes only completes the runs of the throughput
table beside it.

A log is `<machine>/<task>_<precision>/<start>.txt`; only its folders name the machine. The last
figure that the task prints counts, as in the benchmark's own scripts. Without one the run failed if
the log gives a reason, else it is unfinished.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from kernels import catalog
from kernels.errors import SourceError
from kernels.importers.base import Flags, Imported, Part, files
from kernels.importers.lambda_labs.logs import is_log, read_log
from kernels.importers.lambda_labs.tables import COLUMNS, is_batch_sizes, read_tables
from kernels.machine.system import slug
from kernels.tabular import header_of

SUMMARY: Final = (
    "Lambda's deep learning benchmark: throughput tables by machine and model, and run logs"
)


OPTIONS: Final[Flags] = {}


def parts(path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:  # noqa: ARG001 - the same for every importer
    """Yields the tables, throughput and batch sizes of one name together, and each log."""
    groups: dict[str, list[tuple[str, Path]]] = {}
    logs: list[Part] = []
    for name, each in files(path):
        if set(COLUMNS) <= set(header_of(each)):
            groups.setdefault(_pair(name), []).append((name, each))
        elif is_log(each):
            # A log needs its folders, whether they are below the given path or above it.
            logs.append(Part(name, (each,), {"name": "/".join(each.resolve().parts[-3:])}))
    if not groups and not logs:
        wanted = "CSV with the columns name_gpu and num_gpu, or the console log of a run"
        raise SourceError(f"{path.name}: no table or log of Lambda's benchmark; wanted {wanted}")
    stems = Counter(pair.rpartition("/")[2] for pair in groups)
    tables: list[Part] = []
    for pair, members in groups.items():
        # Tables of one name in two folders are two sets of runs.
        within = slug(pair.rpartition("/")[0]) if stems[pair.rpartition("/")[2]] > 1 else ""
        members.sort(key=lambda member: is_batch_sizes(member[1]))
        tables.append(Part(members[0][0], tuple(each for _, each in members), {"within": within}))
    return [*tables, *logs]


def _pair(name: str) -> str:
    """Returns the shared name of a throughput table and its table of batch sizes."""
    folder, slash, stem = name.rpartition("/")
    return folder + slash + re.sub(r"(?<![a-z])(?:throughput|bs)(?![a-z])", "*", stem.lower())


def read(part: Part) -> Imported:
    """Returns the runs of a table, or the run of a log."""
    known = catalog.load()
    if set(COLUMNS) <= set(header_of(part.files[0])):
        return read_tables(part, known)
    return read_log(part, known)
