"""Everything that the site says rests on, in one object that travels as one argument."""

from dataclasses import dataclass
from functools import cached_property

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.store import Archive


@dataclass(frozen=True)  # without slots: the facts are kept
class Evidence:
    """The recorded runs, the catalogue, and every figure of both by its reference."""

    archive: Archive
    catalog: Catalog

    @cached_property
    def facts(self) -> Facts:
        """The figures; each is worked out once."""
        return Facts(self.archive, self.catalog)
