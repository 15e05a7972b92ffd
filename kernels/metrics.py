"""Names of metrics, each with unit and meaning; `runs/README.md` prints them.

`runs/README.md` prints them.
"""

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    METRICS: Final[Mapping[str, tuple[str, str]]] = {
        row["name"]: (row["unit"], row["meaning"]) for row in csv.DictReader(_file)
    }
"""Unit and meaning by name of a metric; `*` is the name of a quality metric."""


def metric_unit(name: str) -> str | None:
    """Returns the unit of a metric; None for a name not in `METRICS`."""
    if name in METRICS:
        return METRICS[name][0]
    if of_one := re.fullmatch(r"(monitored_\w+?)_of_\d+", name):
        return metric_unit(of_one[1])
    if name.startswith("best_") and name.endswith("_epoch"):
        return METRICS["best_*_epoch"][0]
    if name.startswith(("final_", "best_")):
        return METRICS["final_*"][0]
    return None
