"""Errors, which say what was found, what was wanted, and what to do."""

from dataclasses import dataclass
from enum import StrEnum


class TouchstoneError(Exception):
    """Base of every error that a user can fix; commands print it and exit with 1."""


class RecordError(TouchstoneError):
    """A record whose fields contradict each other or the enumerations."""


class SourceError(TouchstoneError):
    """A source, log or catalogue file is invalid; names file and field."""


class StoreError(TouchstoneError):
    """A recorded file is damaged, foreign, or of an unknown version; names the file."""


class FactError(TouchstoneError):
    """A reference to a figure that is not recorded, or a formula that does not fit it."""


class MeasureError(TouchstoneError):
    """A measurement that cannot start or cannot be trusted."""


class FetchError(TouchstoneError):
    """A data set could not be fetched, or a package is not the known one."""


class Severity(StrEnum):
    """A finding that refuses the record, is odd, or is something for its reviewer."""

    ERROR = "error"
    WARNING = "warning"
    REVIEW = "review"


def an_error(text: str) -> tuple[Severity, str]:
    """Returns a finding that refuses the record."""
    return Severity.ERROR, text


def a_warning(text: str) -> tuple[Severity, str]:
    """Returns a finding that is odd."""
    return Severity.WARNING, text


def for_review(text: str) -> tuple[Severity, str]:
    """Returns a finding that the reviewer of the record must look at."""
    return Severity.REVIEW, text


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a run, claim or file: found, wanted, to do."""

    severity: Severity
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.text}"


class UsageError(TouchstoneError):
    """A flag that this harness, workload or machine cannot follow; the command exits with 2."""


class Terminated(KeyboardInterrupt):
    """This process was asked to end, by SIGTERM as from Slurm or Kubernetes."""
