"""Suites: protocols as text, `suites/<name>.toml`, each in sizes from full to a smoke test.

    summary = "what it finds out"
    source = "id of the publication whose protocol it follows"    # left out where it follows none
    protocol = "what that publication did, in a sentence"

    [small]                       # or full, or smoke
    note = "for which machine, and how long it takes there"
    differs = ["what differs from the protocol, one sentence each"]
    [[small.run]]
    workload = "cnn10"            # then the flags of `kernels run` that say what is measured, with
                                  _ for -
    batch_size = [128, 256]
    seconds = 75                  # how long one such run takes on a machine of 2 cores, where it
                                  has no time budget

Each run is recorded with the names of suite and size, so that a small one is never shown as the
full one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kernels.errors import SourceError, UsageError
from kernels.harness.options import of_suite
from kernels.harness.spec import FLAGS
from kernels.tabular import Entry, document, nearest
from kernels.workloads import WORKLOADS

FOLDER: Final = Path(__file__).parents[1] / "suites"

SIZES: Final = ("full", "small", "smoke")
DEFAULT: Final = "small"


@dataclass(frozen=True, slots=True)
class Line:
    """One table of runs in a suite: a workload with its options.

    Attributes:
        given: Given values of `FLAGS`, by name.
        seconds: Time of one of its runs on a machine of 2 cores; None if unknown or set by a
            budget.
    """

    workload: str
    given: Mapping[str, Any]
    seconds: float | None

    def values(self, beside: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a value for each flag: the suite's, else the command line's, else the default."""
        defaults = {name: flag.default for name, flag in FLAGS.items()}
        return (
            defaults
            | {name: value for name, value in beside.items() if FLAGS[name].beside_a_suite}
            | dict(self.given)
        )


@dataclass(frozen=True, slots=True)
class Size:
    """A suite in one size.

    Attributes:
        note: For which machine, and how long it takes there.
        differs: Differences from the protocol.
    """

    name: str
    note: str
    differs: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """A protocol.

    Attributes:
        source: Id of the publication that it follows, if any.
        protocol: Protocol of that publication.
    """

    name: str
    summary: str
    source: str | None
    protocol: str | None
    sizes: Mapping[str, Size]

    def size(self, name: str) -> Size:
        """Returns one of the sizes.

        Raises:
            UsageError: The suite has no such size.
        """
        if name not in self.sizes:
            raise UsageError(f"--size {name}: suite {self.name} has {', '.join(self.sizes)}")
        return self.sizes[name]


def names(folder: Path = FOLDER) -> list[str]:
    """Returns the names of all suites."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load(name: str, folder: Path = FOLDER) -> Suite:
    """Reads and checks a suite.

    Raises:
        UsageError: No suite has that name.
        SourceError: An invalid key or value; names file, table and key.
    """
    if name not in names(folder):
        raise UsageError(f"--suite {name}: no such suite; {nearest(name, names(folder))}")
    path = folder / f"{name}.toml"
    whole = Entry(str(path), document(path))
    _only(whole, ("summary", "source", "protocol", *SIZES))
    source = whole.text("source") if "source" in whole.values else None
    protocol = whole.text("protocol") if source else None
    sizes = {
        each: _size(Entry(f"{path}: [{each}]", _table(whole, each)), each, source)
        for each in SIZES
        if each in whole.values
    }
    if not sizes:
        raise SourceError(f"{path}: found no size, wanted one of [{'], ['.join(SIZES)}]")
    return Suite(name, whole.text("summary"), source, protocol, sizes)


def _size(entry: Entry, name: str, source: str | None) -> Size:
    _only(entry, ("note", "differs", "run"))
    differs = entry.values.get("differs", [])
    if not isinstance(differs, list) or not all(isinstance(each, str) for each in differs):
        raise entry.error("differs", "sentences in a list")
    if source and not differs:
        wanted = f"what differs from the protocol of {source}, one sentence each"
        raise entry.error("differs", wanted)
    runs = entry.values.get("run")
    if not isinstance(runs, list) or not runs or not all(isinstance(each, dict) for each in runs):
        raise entry.error("run", f"[[{name}.run]] tables")
    place = f"{entry.place.rpartition('[')[0]}[[{name}.run]]"
    lines = (_line(Entry(f"{place} {number}", run)) for number, run in enumerate(runs, start=1))
    return Size(name, entry.text("note"), tuple(differs), tuple(lines))


def _line(entry: Entry) -> Line:
    workload = entry.text("workload")
    entry.check_listed("workload", WORKLOADS, "a workload that can be run")
    given = dict(entry.values)
    seconds = given.pop("seconds", None)
    if seconds is None:
        return Line(workload, of_suite(entry), None)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise entry.error("seconds", "a time of more than 0")
    return Line(workload, of_suite(Entry(entry.place, given)), float(seconds))


def _table(entry: Entry, name: str) -> Mapping[str, object]:
    found = entry.values[name]
    if not isinstance(found, dict):
        raise entry.error(name, f"a table [{name}]")
    return found


def _only(entry: Entry, known: tuple[str, ...]) -> None:
    for name in entry.values:
        if name not in known:
            raise SourceError(f"{entry.place}: unknown key {name!r}; {nearest(name, known)}")
