"""What can go wrong, and how it is said: what was found, what was wanted, what to do."""

from dataclasses import dataclass
from enum import StrEnum


class TouchstoneError(Exception):
    """Base of every error that a user can mend; the commands print it and exit with 1."""


class RecordError(TouchstoneError):
    """A record whose fields contradict each other or the enumerations."""


class SourceError(TouchstoneError):
    """A source, log or catalogue file that cannot be taken as it is; names file and field."""


class StoreError(TouchstoneError):
    """A recorded file that is damaged, foreign, or of an unknown version; names the file."""


class FactError(TouchstoneError):
    """A reference to a figure that is not recorded, or a formula that cannot take it."""


class MeasureError(TouchstoneError):
    """A measurement that cannot start or cannot be trusted."""


class FetchError(TouchstoneError):
    """A data set that could not be fetched, or a package that is not the one we know."""


class Severity(StrEnum):
    """Whether a finding refuses the record, is odd, or is something for its reviewer."""

    ERROR = "error"
    WARNING = "warning"
    REVIEW = "review"


def an_error(text: str) -> tuple[Severity, str]:
    """Returns what refuses the record."""
    return Severity.ERROR, text


def a_warning(text: str) -> tuple[Severity, str]:
    """Returns what is odd."""
    return Severity.WARNING, text


def for_review(text: str) -> tuple[Severity, str]:
    """Returns what whoever takes the record must look at."""
    return Severity.REVIEW, text


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a run, claim or file: found, wanted, to do."""

    severity: Severity
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.text}"


class UsageError(TouchstoneError):
    """A flag that this harness, workload or machine cannot follow; the command exits with 2."""


class Terminated(KeyboardInterrupt):
    """Somebody asked this process to end, as Slurm and Kubernetes do with SIGTERM."""
