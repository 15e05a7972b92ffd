"""Importers: one format, one module with `read(path) -> Imported`; a new one is a module and a line in `FORMATS`."""

from collections.abc import Mapping
from typing import Final

from kernels.importers import article, mlperf
from kernels.importers.base import Imported, Importer

__all__ = ["FORMATS", "Imported", "Importer"]

FORMATS: Final[Mapping[str, Importer]] = {
    "article": article,
    "mlperf": mlperf,
}
"""Formats of `python -m kernels import FORMAT PATH`."""
