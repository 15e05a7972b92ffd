"""The dependencies of everything made, from build to build: things whose inputs have not changed
are not made again.

A node is a page, a figure of a fact, the body of a chart: anything requested by a name. While it is
made, `kernels.reading` collects its inputs: records (a run, a string, a template) and other nodes.
The graph keeps those names with the value and its digest. In the next build a node is valid if all
records that it read have the same digest, and all nodes that it read are valid, or come out the
same when made again. A change thus spreads only as far as values change.

Everything is in one SQLite file. It is valid for one state of the code: with another `state` (a
hash of code, options and versions), or if the file is damaged, everything is made again.
"""

import hashlib
import os
import pickle
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cached_property
from io import BytesIO
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar, overload
from uuid import uuid4

import numpy as np

from kernels.reading import Kept, Name, note, noting

T = TypeVar("T")

LAYOUT: Final = "2"
UNREADABLE: Final = (
    pickle.UnpicklingError,
    EOFError,
    ValueError,
    TypeError,
    AttributeError,
    ImportError,
    LookupError,
)
"""Errors on reading a pickle that is damaged or of other code."""

_DAMAGED: Final = (sqlite3.Error, zlib.error, *UNREADABLE)
_LOST: Final = "absent"
"""The digest of a missing input; not a hash."""

SHELVES: Final = 256
"""Parts into which a mapping of thousands of names is divided."""

_UNKNOWN, _SAME, _OTHER = range(3)
"""State of something that an earlier build read."""


class _Parts(dict[type, Callable[[Any], Any]]):
    """Reducers of classes for pickling a digest: for a record its fields, as its own reducer would
    run in Python.
    """

    def __missing__(self, kind: type) -> Callable[[Any], Any]:
        if issubclass(kind, type):  # classes are pickled by name
            raise KeyError(kind)
        parts = _fields(kind)
        found: Callable[[Any], Any]
        if issubclass(kind, Enum):  # by value: finding its class would take most of the time
            found = {member: (str, (member.value,)) for member in kind}.__getitem__
        elif parts is None:
            found = methodcaller("__reduce_ex__", 5)
        else:
            found = lambda record: (kind, tuple(map(_at_once, parts(record))))  # noqa: E731
        self[kind] = found
        return found


_PARTS: Final = _Parts()
_FIELDS: Final[dict[type, Callable[[Any], tuple[Any, ...]] | None]] = {}


def _fields(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """A getter of the fields of a record's class; None if it is not a record."""
    if kind not in _FIELDS:
        names = [field.name for field in fields(kind)] if is_dataclass(kind) else []
        # two or more, so that it returns a tuple
        _FIELDS[kind] = attrgetter(*names, names[0]) if names else None
    return _FIELDS[kind]


def _at_once(value: Any) -> Any:
    """A field with many records of one class, as that class and their fields: otherwise each would
    name the class.
    """
    if type(value) is tuple and len(value) > 1:
        [kind, *others] = set(map(type, value))
        if not others and (parts := _fields(kind)) is not None:
            return kind, list(map(parts, value))
    return value


def digest(value: object) -> str:
    """A hash of a value, the same for all equal values, no matter which of their parts are one
    object.
    """
    try:
        return _digest(value)
    finally:
        _WITHIN.clear()


def _digest(value: object) -> str:
    if value is None:
        return _LOST
    buffer = BytesIO()
    pickler = pickle.Pickler(buffer, 5)
    pickler.fast = True
    pickler.dispatch_table = _PARTS
    pickler.dump(value)
    return _hash(buffer.getbuffer())


_DIGESTED: Final[dict[int, tuple[object, str]]] = {}
_WITHIN: Final[dict[int, tuple[object, str]]] = {}
"""The same as `_DIGESTED`, within one digest."""


def digested_once(kind: type[T]) -> type[T]:
    """Reduces each record of a class once for all digests: for records that live as long as the
    build and occur in many values.
    """
    return _known_in(_DIGESTED, kind)


def digested_within(kind: type[T]) -> type[T]:
    """Reduces each record of a class once in a digest: for records that occur often in one
    value.
    """
    return _known_in(_WITHIN, kind)


def _known_in(known: dict[int, tuple[object, str]], kind: type[T]) -> type[T]:
    parts = _PARTS[kind]
    _FIELDS[kind] = None

    def told(record: T) -> tuple[type[str], tuple[str]]:
        if id(record) not in known:
            known[id(record)] = record, _digest(parts(record))
        return str, (known[id(record)][1],)

    _PARTS[kind] = told
    return kind


def know_digest(record: object, found: str) -> None:
    """Set the digest of a record of such a class."""
    _DIGESTED[id(record)] = record, found


def digest_of(record: object) -> str:
    """The digest of a record of such a class."""
    found: str = _PARTS[type(record)](record)[1][0]
    return found


Numbers = np.ndarray[Any, np.dtype[np.int32]]
"""Indices of names in a list."""

_NONE: Final[Numbers] = np.zeros(0, np.int32)

Known = tuple[list[Name], list[str], Numbers, Numbers]
"""Content of the file: the names of nodes and then of inputs, the digest of each, the number of
names that each node read, and their indices.
"""


@dataclass(slots=True)
class Node:
    """The state of a node: what it read, its digest, and True if valid in this build; None before
    it was checked.
    """

    reads: Numbers
    digest: str
    holds: bool | None = None


_STARTED: Final = os.getpid()
_threaded: set[int] = set()
"""Processes with running threads, for which a forked process would wait forever."""


class NotHere(BaseException):
    """A forked process cannot do this."""


def forked() -> bool:
    """True in a process that was forked to make something."""
    return os.getpid() != _STARTED


def needs_threads() -> None:
    """Call before code that starts or uses such threads.

    Raises:
        NotHere: They run in the process that this one was forked from.
    """
    if _threaded - {os.getpid()}:
        raise NotHere
    _threaded.add(os.getpid())


Gain = tuple[Name, Numbers, tuple[Name, ...], str, bytes]
"""A node made in another process: its name, the names it read, as indices if they existed when the
process began, its digest, and its pickled value if later builds want it.
"""

Inputs = Mapping[str, Callable[..., str]]
"""Functions that find the current digest of an input, by the kind of its name; called with the rest
of the name.
"""


class Graph:
    """Everything made in a build, by name.

    Args:
        inputs: The inputs.
        path: The file; None keeps nothing.
        state: A hash of dependencies of all nodes, which none notes.
    """

    def __init__(self, inputs: Inputs, path: Path | None = None, state: str = "") -> None:
        self._inputs = inputs
        self._path = path
        self._state = f"{LAYOUT} {state}"
        self._makers: dict[str, Callable[..., object]] = {}
        self._lasting: set[str] = set()
        self._alive: set[str] = set()
        self._long: set[str] = set()
        self._names: list[Name] = []
        self._numbers: dict[Name, int] = {}
        self._before: list[str] = []
        self._ends: Numbers = np.zeros(1, np.int32)
        self._reads = _NONE
        self._now: dict[Name, str] = {}
        self._nodes: dict[Name, Node] = {}
        self._values: dict[Name, Any] = {}
        self._asked: set[Name] = set()
        self._fresh: dict[Name, bytes] = {}
        self._gained: list[Name] = []
        self._shared = 0
        self._file = self._opened()

    def register(
        self,
        kind: str,
        make: Callable[..., object],
        *,
        keep: bool = False,
        alive: bool = False,
        long: bool = False,
    ) -> None:
        """Register how nodes of a kind are made.

        Args:
            kind: The first part of their names.
            make: Called with the rest of a name.
            keep: True to keep values for later builds; else only digests are kept.
            alive: True if values cannot be pickled, such as functions; each one made differs from
                the last.
            long: True to make nodes only on request, not to find out if something else would
                change, and to forget them once passed on, as they are large.
        """
        self._makers[kind] = make
        if keep:
            self._lasting.add(kind)
        if alive:
            self._alive.add(kind)
        if long:
            self._long.add(kind)

    def get(self, *name: str) -> Any:
        """The value of a node; made if not valid from an earlier build."""
        note(*name)
        self._asked.add(name)
        if name in self._values:
            return self._values[name]
        if name[0] in self._lasting and self.holds(name):
            for kept in self._kept(name):
                with suppress(*_DAMAGED):
                    found = self._values[name] = pickle.loads(zlib.decompress(kept))  # noqa: S301 - we wrote it
                    return found
        return self._make(name)

    def _kept(self, name: Name) -> Sequence[bytes]:
        """The pickled value of a node, if kept."""
        if name in self._fresh:
            return [self._fresh[name]]
        return self._asked_of_file("SELECT value FROM made WHERE name = ?", _key(name))

    def put(self, name: Name, value: object, reads: set[Name]) -> None:
        """Add a node that was made in another process, with the names it read."""
        node = self._node(name)
        if node is not None and self.holds(name):
            came_out = node.digest
        else:
            came_out = uuid4().hex if name[0] in self._alive else digest(value)
        self._values[name] = value
        self._nodes[name] = Node(self._numbered(reads), came_out, holds=True)
        self._gained.append(name)
        if name[0] in self._lasting:
            self._fresh[name] = zlib.compress(pickle.dumps(value, 5), 1)

    def again(self, *name: str) -> Any:
        """Make a node even if valid, as its files are gone."""
        return self._make(name)

    def holds(self, name: Name) -> bool:
        """True if the node would come out as in an earlier build."""
        if name not in self._nodes and self._untouched(name):
            return True
        node = self._node(name)
        if node is None:
            return False
        if node.holds is None:
            node.holds = False  # for circular requests
            with noting():
                node.holds = self._all_same(node.reads)
        return node.holds

    def _node(self, name: Name) -> Node | None:
        """The state of a node, from this build or an earlier one."""
        node = self._nodes.get(name)
        if node is None:
            number = self._numbers.get(name, self._count)
            if number < self._count:
                node = self._nodes[name] = Node(self._reads_of(number), self._before[number])
        return node

    @property
    def _count(self) -> int:
        """The number of nodes in the file, which have the first indices."""
        return len(self._ends) - 1

    def _reads_of(self, number: int) -> Numbers:
        """Indices of the names that a node of the file read."""
        return self._reads[self._ends[number] : self._ends[number + 1]]

    def _untouched(self, name: Name) -> bool:
        """True if a node of the file depends on no changed input: a quick test that most pass."""
        number = self._numbers.get(name, self._count)
        return number < self._count and bool(self._compared[number] == _SAME)

    def _all_same(self, reads: Numbers) -> bool:
        known = self._compared[reads]
        return not (known == _OTHER).any() and all(map(self._same, reads[known == _UNKNOWN]))

    @cached_property
    def _compared(self) -> Numbers:
        """Compares every input of the file with the current one. Nodes that depend on no changed
        one are the same; the others are unknown.
        """
        touched = np.zeros(len(self._before), bool)
        for number in range(self._count, len(self._before)):
            name = self._names[number]
            try:
                same = name[0] in self._inputs and self._before[number] == self._current(name)
            except (OSError, LookupError, AttributeError):  # it is gone
                same = False
            touched[number] = not same
        compared = np.where(touched, _OTHER, _SAME).astype(np.int32)
        reading = np.flatnonzero(np.diff(self._ends))
        while reading.size:
            of = np.logical_or.reduceat(touched[self._reads], self._ends[reading])
            new = reading[of & ~touched[reading]]
            touched[new] = True
            compared[new] = _UNKNOWN
            if not new.size:
                break
        return compared

    def _same(self, number: int) -> bool:
        """True if a name that an earlier build read has the same value."""
        if self._compared[number] == _UNKNOWN:
            same = self._unchanged(self._names[number], self._before[number])
            self._compared[number] = _SAME if same else _OTHER
        return bool(self._compared[number] == _SAME)

    def why(self, name: Name) -> list[Name]:
        """The changed names that a node read; empty for a valid or new one."""
        node = self._node(name)
        reads = _NONE if node is None else node.reads[node.reads < len(self._before)]
        return [self._names[number] for number in reads if not self._same(number)]

    def _unchanged(self, name: Name, before: str) -> bool:
        """True if a node comes out as before."""
        if self._node(name) is None:
            return False
        if not self.holds(name):
            if name[0] in self._long or name[0] not in self._makers:
                return False
            with suppress(Exception):
                self._make(name)
        return self._nodes[name].digest == before

    def _current(self, read: Name) -> str:
        found = self._now.get(read)
        if found is None:
            found = self._now[read] = self._inputs[read[0]](*read[1:])
        return found

    def _make(self, name: Name) -> Any:
        with noting() as reads:
            try:
                value = self._makers[name[0]](*name[1:])
            except Exception as error:  # a failure is an answer too
                told = digest((type(error).__name__, str(error)))
                self._nodes[name] = Node(self._numbered(reads), told, holds=True)
                self._gained.append(name)
                raise
        self.put(name, value, reads)
        return value

    def _numbered(self, names: Iterable[Name]) -> Numbers:
        """Indices of names; new ones get the next."""
        found = []
        for name in names:
            number = self._numbers.setdefault(name, len(self._names))
            if number == len(self._names):
                self._names.append(name)
            found.append(number)
        return np.array(found, np.int32)

    # Making in several processes

    def apart(self) -> None:
        """Continue in a forked process: `gains` returns the nodes made from here on."""
        if self._file is not None:
            self._file = _database(
                str(self._path)
            )  # a connection belongs to the process that made it
        self._gained = []
        self._shared = len(self._names)

    def gains(self) -> list[Gain]:
        """Nodes made since the last call; forgets their values."""
        found = []
        for name in dict.fromkeys(self._gained):
            node, packed = self._nodes[name], self._fresh.pop(name, b"")
            own = node.reads[node.reads >= self._shared]
            new = tuple(self._names[number] for number in own)
            found.append((name, node.reads[node.reads < self._shared], new, node.digest, packed))
            if packed or name[0] in self._long:
                self._values.pop(name, None)
        self._gained = []
        return found

    def gain(self, gains: Iterable[Gain]) -> None:
        """Add nodes made in another process."""
        for name, reads, new, came_out, packed in gains:
            self._asked.add(name)
            if name not in self._values:
                every = np.concatenate((reads, self._numbered(new)))
                self._nodes[name] = Node(every, came_out, holds=True)
                if packed:
                    self._fresh[name] = packed

    # The file

    def _opened(self) -> sqlite3.Connection | None:
        """The file, emptied if of another state or damaged."""
        if self._path is None:
            return None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(*_DAMAGED):
            file = _database(str(self._path))
            found = file.execute("SELECT value FROM made WHERE name = ''").fetchone()
            if found is not None:
                state, *known = pickle.loads(found[0])  # noqa: S301 - we wrote it
                if state == self._state:
                    self._take(*known)
                    return file
            file.close()
        self._path.unlink(missing_ok=True)
        return _database(str(self._path))

    def save(self) -> None:
        """Save valid nodes for the next build, and delete those no longer requested."""
        if self._file is None:
            return
        nodes = self._reached()
        used = {self._names[number] for number in nodes}
        keys = {*map(_key, used)}
        for name in {*self._asked_of_file("SELECT name FROM made")} - keys:
            self._asked_of_file("DELETE FROM made WHERE name = ?", name)
        for one in self._fresh.keys() & used:
            self._asked_of_file("REPLACE INTO made VALUES (?, ?)", _key(one), self._fresh[one])
        structure = pickle.dumps((self._state, *self._known(nodes)), 5)
        self._asked_of_file("REPLACE INTO made VALUES ('', ?)", structure)
        self._asked_of_file("COMMIT")

    def _asked_of_file(self, statement: str, *given: object) -> list[Any]:
        """The first column of a query of the file; the build goes on without a file that is
        damaged, locked, or on a full disk.
        """
        if self._file is None:
            return []
        try:
            return [row[0] for row in self._file.execute(statement, given)]
        except sqlite3.Error:
            with suppress(sqlite3.Error):
                self._file.close()  # rolls back what this build wrote
            self._file = None
            return []

    def _reached(self) -> Numbers:
        """Indices of the nodes that this build requested, and of those that they read."""
        made = self._numbered(self._nodes)
        node, seen = np.zeros((2, len(self._names)), bool)
        node[: self._count] = node[made] = True
        asked = self._numbered(self._asked)
        open_ = asked[node[asked]]
        while open_.size:
            seen[open_] = True
            new = np.zeros(len(self._names), bool)
            new[self._reads_by(open_)] = True
            open_ = np.flatnonzero(new & node & ~seen).astype(np.int32)
        return np.flatnonzero(seen).astype(np.int32)

    def _reads_by(self, nodes: Numbers) -> Numbers:
        """Indices of the names that these nodes read, concatenated."""
        return np.concatenate([_NONE, *(self._now_reads(number) for number in nodes)])

    def _now_reads(self, number: int) -> Numbers:
        node = self._nodes.get(self._names[number])
        return self._reads_of(number) if node is None else node.reads

    def _known(self, nodes: Numbers) -> Known:
        """These nodes and their inputs, as for the file."""
        every = self._reads_by(nodes)
        read = np.zeros(len(self._names), bool)
        read[every] = True
        read[nodes] = False
        inputs = np.flatnonzero(read)
        digests = []
        for number in nodes:
            node = self._nodes.get(self._names[number])
            digests.append(self._before[number] if node is None else node.digest)
        digests += (self._current(self._names[number]) for number in inputs)
        both = np.concatenate((nodes, inputs))
        places = np.zeros(len(self._names), np.int32)
        places[both] = range(len(both))
        lengths = [len(self._now_reads(number)) for number in nodes]
        names = [self._names[number] for number in both]
        return names, digests, np.array(lengths, np.int32), places[every]

    def _take(
        self, names: list[Name], digests: list[str], lengths: Numbers, reads: Numbers
    ) -> None:
        """Load the state of an earlier build."""
        self._names, self._before = names, digests
        self._numbers = {name: number for number, name in enumerate(names)}
        self._ends = np.concatenate(([0], np.cumsum(lengths, dtype=np.int32)))
        self._reads = reads


class _HasGraph(Protocol):
    graph: Graph


class shared(Generic[T]):  # noqa: N801 - used as `property` is
    """A property that is computed once, of an object that exists once in a build. It is a node, so
    that its readers depend on its value, not on everything it was made of.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = owner.__name__, name

    @staticmethod
    def register(thing: _HasGraph) -> None:
        """Register the properties of an object."""
        kind = type(thing)
        thing.graph.register(kind.__name__, lambda name: vars(kind)[name].make(thing))

    @overload
    def __get__(self, thing: None, owner: type) -> "shared[T]": ...
    @overload
    def __get__(self, thing: _HasGraph, owner: type) -> T: ...
    def __get__(self, thing: _HasGraph | None, owner: type) -> Any:
        return self if thing is None else thing.graph.get(*self._name)

    def __set__(self, thing: object, value: T) -> None:
        raise AttributeError("is worked out, not set")


class Items(Mapping[str, T]):
    """A mapping that is computed as a whole; a reader of an item depends only on that item.

    Args:
        graph: Its build's.
        kind: Kind of the nodes.
        make: Computes the whole; called repeatedly.
        many: True for thousands of names: they are divided into shelves, so that changes are looked
            for by shelf, not by name.
    """

    def __init__(
        self, graph: Graph, kind: str, make: Callable[[], Mapping[str, T]], *, many: bool = False
    ) -> None:
        self._graph, self._kind = graph, kind
        if many:
            shelves: Kept[str, Mapping[str, Mapping[str, T]]] = Kept()
            graph.register(
                f"shelf of {kind}",
                lambda shelf: shelves.get("", lambda: _shelved(make())).get(shelf, {}),
            )
            graph.register(kind, lambda name: graph.get(f"shelf of {kind}", _shelf(name)).get(name))
        else:
            graph.register(kind, lambda name: make().get(name))
        graph.register(f"names of {kind}", lambda: list(make()))

    def __getitem__(self, name: str) -> T:
        found: T | None = self._graph.get(self._kind, name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._graph.get(f"names of {self._kind}"))

    def __len__(self) -> int:
        return len(self._graph.get(f"names of {self._kind}"))


def _shelf(name: str) -> str:
    return str(zlib.crc32(name.encode()) % SHELVES)


def _shelved(items: Mapping[str, T]) -> Mapping[str, Mapping[str, T]]:
    found: dict[str, dict[str, T]] = defaultdict(dict)
    for name, item in items.items():
        found[_shelf(name)][name] = item
    return found


def _database(path: str) -> sqlite3.Connection:
    file = sqlite3.connect(path)
    file.execute("CREATE TABLE IF NOT EXISTS made (name TEXT PRIMARY KEY, value BLOB)")
    return file


def _key(name: Name) -> str:
    return "\x1f".join(name)


def _hash(written: bytes | memoryview) -> str:
    return hashlib.blake2b(written, digest_size=12).hexdigest()
