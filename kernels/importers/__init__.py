"""Importers: one format per module, as in `base.Importer`; to add one, write the module and a line
in `FORMATS`.
"""

from collections.abc import Mapping
from typing import Final

from kernels.importers import (
    article,
    dawnbench,
    lambda_labs,
    mlperf,
    plain_csv,
    prices,
    telemetry,
    timm,
)
from kernels.importers.base import Imported, Importer, Part, Refused

__all__ = ["FORMATS", "Imported", "Importer", "Part", "Refused"]

FORMATS: Final[Mapping[str, Importer]] = {
    "article": article,
    "csv": plain_csv,
    "dawnbench": dawnbench,
    "lambda": lambda_labs,
    "mlperf": mlperf,
    "prices": prices,
    "telemetry": telemetry,
    "timm": timm,
}
"""Formats of `python -m kernels import FORMAT PATH`."""
