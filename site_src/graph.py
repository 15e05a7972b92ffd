"""What was made of what, from build to build: what rests on nothing that has changed is not made
again.

A node is a page, a figure of a fact, the body of a chart: whatever is asked for by a name. While it
is made, `kernels.reading` collects what it reads: inputs (a run, a string, a template) and other
nodes. Beside its value the graph keeps those names, and a digest of the value. In the next build a
node holds where every input that it read has the digest it had, and every node holds, or comes out
the same when it is made again. A change thus spreads as far as it changes something, and no
further.

All of it lies in one SQLite file. What it says is true of one state of the code alone: with another
`state` (a hash of code, options and versions), and where the file is damaged, everything is made
again.
"""

import hashlib
import os
import pickle
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar, overload
from uuid import uuid4

from kernels.reading import Name, note, noting

T = TypeVar("T")

LAYOUT: Final = "1"
_DAMAGED: Final = (
    sqlite3.Error,
    pickle.UnpicklingError,
    zlib.error,
    EOFError,
    ValueError,
    TypeError,
)
_LOST: Final = "absent"
"""The digest of an input that is not there; no hash."""


def digest(value: object) -> str:
    """A hash of a value, the same for all equal values, whichever of their parts are one object."""
    if value is None:
        return _LOST
    buffer = BytesIO()
    pickler = pickle.Pickler(buffer, 5)
    pickler.fast = True
    pickler.dump(value)
    return _hash(buffer.getbuffer())


@dataclass(slots=True)
class Node:
    """What is known of a node: what it read, what came out, and whether that holds in this build;
    None before somebody asked.
    """

    reads: tuple[Name, ...]
    digest: str
    holds: bool | None = None


_STARTED: Final = os.getpid()


class NotHere(BaseException):
    """What is asked for cannot be done in a forked process."""


def needs_threads() -> None:
    """Say that what follows uses threads that run since the process began; a forked one would wait
    for them for ever.

    Raises:
        NotHere: This is one.
    """
    if os.getpid() != _STARTED:
        raise NotHere


Gain = tuple[Name, tuple[Name, ...], str, bytes]
"""A node that was made in another process: its name, what it read, the digest of what came out, and
that written down where later builds want it.
"""

Inputs = Mapping[str, Callable[..., str]]
"""How the digest of an input is found now, by the kind of its name; called with the rest of it."""


class Graph:
    """Everything made in a build, by name.

    Args:
        inputs: The inputs.
        path: The file; None keeps nothing.
        state: What all nodes rest on and none notes.
    """

    def __init__(self, inputs: Inputs, path: Path | None = None, state: str = "") -> None:
        self._inputs = inputs
        self._path = path
        self._state = f"{LAYOUT} {state}"
        self._makers: dict[str, Callable[..., object]] = {}
        self._lasting: set[str] = set()
        self._alive: set[str] = set()
        self._long: set[str] = set()
        self._before: dict[Name, str] = {}
        self._digests: dict[Name, str] = {}
        self._now: dict[Name, str] = {}
        self._nodes: dict[Name, Node] = {}
        self._values: dict[Name, Any] = {}
        self._asked: set[Name] = set()
        self._compared: dict[Name, bool] = {}
        self._fresh: dict[Name, bytes] = {}
        self._gained: list[Name] = []
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
        """Say how nodes of a kind are made.

        Args:
            kind: The first part of their names.
            make: Called with the rest of a name.
            keep: Whether values are wanted in later builds; without, their digests alone are kept.
            alive: Whether values are none that can be written down, such as functions; made again,
                each is another.
            long: Whether it is made only when it is asked for, not to find out whether something
                else would come out.
        """
        self._makers[kind] = make
        if keep:
            self._lasting.add(kind)
        if alive:
            self._alive.add(kind)
        if long:
            self._long.add(kind)

    def get(self, *name: str) -> Any:
        """The value of a node; made, where it does not hold from an earlier build."""
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
        """Returns the value of a node as it is written down, if it is."""
        if name in self._fresh:
            return [self._fresh[name]]
        return self._asked_of_file("SELECT value FROM made WHERE name = ?", _key(name))

    def put(self, name: Name, value: object, reads: set[Name]) -> None:
        """Take a node that was made elsewhere, with what it read."""
        written = b"" if name[0] in self._alive else pickle.dumps(value, 5)
        if self.holds(name):
            came_out = self._nodes[name].digest
        else:
            came_out = _hash(written) if written else uuid4().hex
        self._values[name] = value
        self._nodes[name] = Node(tuple(reads), came_out, holds=True)
        self._gained.append(name)
        if name[0] in self._lasting:
            self._fresh[name] = zlib.compress(written, 1)

    def again(self, *name: str) -> Any:
        """Make a node whatever is known of it, for what it left behind is gone."""
        return self._make(name)

    def holds(self, name: Name) -> bool:
        """Whether what came out in an earlier build is what would come out now."""
        node = self._nodes.get(name)
        if node is None:
            return False
        if node.holds is None:
            node.holds = False  # for whoever asks in a circle
            with noting():
                node.holds = all(map(self._same, node.reads))
        return node.holds

    def _same(self, read: Name) -> bool:
        known = self._compared.get(read)
        if known is None:
            known = self._compared[read] = self._unchanged(read)
        return known

    def why(self, name: Name) -> list[Name]:
        """What a node read that has changed; nothing for one that holds or is new."""
        node = self._nodes.get(name)
        return [] if node is None else [read for read in node.reads if not self._same(read)]

    def _unchanged(self, read: Name) -> bool:
        kind = read[0]
        if kind in self._inputs:
            return self._before.get(read) == self._current(read)
        node = self._nodes.get(read)
        if node is None or kind not in self._makers:
            return False
        if not self.holds(read):
            if kind in self._long:
                return False
            with suppress(Exception):
                self._make(read)
        return self._nodes[read].digest == self._digests.get(read)

    def _current(self, read: Name) -> str:
        found = self._now.get(read)
        if found is None:
            found = self._now[read] = self._inputs[read[0]](*read[1:])
        return found

    def _make(self, name: Name) -> Any:
        with noting() as reads:
            try:
                value = self._makers[name[0]](*name[1:])
            except Exception as error:  # that it cannot be made is an answer too
                told = digest((type(error).__name__, str(error)))
                self._nodes[name] = Node(tuple(reads), told, holds=True)
                self._gained.append(name)
                raise
        self.put(name, value, reads)
        return value

    # Making in several processes

    def apart(self) -> None:
        """Go on in a forked process: what is made from here on is handed back by `gains`."""
        if self._file is not None:
            self._file = _database(
                str(self._path)
            )  # a connection belongs to the process that made it
        self._gained = []

    def gains(self) -> list[Gain]:
        """Returns what was made since it was last asked, and forgets the values."""
        found = [
            (name, self._nodes[name].reads, self._nodes[name].digest, self._fresh.pop(name, b""))
            for name in dict.fromkeys(self._gained)
        ]
        for name, *_, packed in found:
            if packed:
                del self._values[name]
        self._gained = []
        return found

    def gain(self, gains: Iterable[Gain]) -> None:
        """Take what another process made."""
        for name, reads, came_out, packed in gains:
            self._asked.add(name)
            if name not in self._values:
                self._nodes[name] = Node(reads, came_out, holds=True)
                if packed:
                    self._fresh[name] = packed

    # The file

    def _opened(self) -> sqlite3.Connection | None:
        """Returns the file, emptied where it is of another state or damaged."""
        if self._path is None:
            return None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(*_DAMAGED):
            file = _database(str(self._path))
            found = file.execute("SELECT value FROM made WHERE name = ''").fetchone()
            if found is not None:
                state, self._before, nodes = pickle.loads(found[0])  # noqa: S301 - we wrote it
                if state == self._state:
                    self._nodes = {name: Node(*known) for name, known in nodes.items()}
                    self._digests = {name: node.digest for name, node in self._nodes.items()}
                    return file
            file.close()
        self._path.unlink(missing_ok=True)
        return _database(str(self._path))

    def save(self) -> None:
        """Keep what holds now for the next build, and forget what nobody asks for any more."""
        if self._file is None:
            return
        used = self._reached()
        nodes = {name: (node.reads, node.digest) for name, node in used.items()}
        inputs = {read for node in used.values() for read in node.reads} - used.keys()
        before = {read: self._current(read) for read in inputs}
        known = {_key(name) for name in used}
        for name in {*self._asked_of_file("SELECT name FROM made")} - known:
            self._asked_of_file("DELETE FROM made WHERE name = ?", name)
        for one in self._fresh.keys() & used.keys():
            self._asked_of_file("REPLACE INTO made VALUES (?, ?)", _key(one), self._fresh[one])
        structure = pickle.dumps((self._state, before, nodes), 5)
        self._asked_of_file("REPLACE INTO made VALUES ('', ?)", structure)
        self._asked_of_file("COMMIT")

    def _asked_of_file(self, statement: str, *given: object) -> list[Any]:
        """Returns the first column of what the file says; a build goes on without it where it is
        damaged, locked, or on a full disk.
        """
        if self._file is None:
            return []
        try:
            return [row[0] for row in self._file.execute(statement, given)]
        except sqlite3.Error:
            with suppress(sqlite3.Error):
                self._file.close()  # what this build wrote is rolled back
            self._file = None
            return []

    def _reached(self) -> dict[Name, Node]:
        """Returns the nodes that this build asked for, and those that they read."""
        found: dict[Name, Node] = {}
        open_ = list(self._asked)
        while open_:
            name = open_.pop()
            node = self._nodes.get(name)
            if name not in found and node is not None:
                found[name] = node
                open_ += node.reads
        return found


class _HasGraph(Protocol):
    graph: Graph


class shared(Generic[T]):  # noqa: N801 - used as `property` is
    """A property that is worked out once, of a thing of which a build has one: a node, so that who
    reads it rests on it and not on all that it was made of.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = owner.__name__, name

    @staticmethod
    def register(thing: _HasGraph) -> None:
        """Make the properties of a thing."""
        kind = type(thing)
        thing.graph.register(kind.__name__, lambda name: vars(kind)[name].make(thing), alive=True)

    @overload
    def __get__(self, thing: None, owner: type) -> "shared[T]": ...
    @overload
    def __get__(self, thing: _HasGraph, owner: type) -> T: ...
    def __get__(self, thing: _HasGraph | None, owner: type) -> Any:
        return self if thing is None else thing.graph.get(*self._name)

    def __set__(self, thing: object, value: T) -> None:
        raise AttributeError("is worked out, not set")


class Items(Mapping[str, T]):
    """A mapping that is worked out in one piece; whoever looks something up in it rests on what is
    found there, not on the rest.

    Args:
        graph: Its build's.
        kind: What the nodes are called.
        make: Works all of it out; called again and again.
    """

    def __init__(self, graph: Graph, kind: str, make: Callable[[], Mapping[str, T]]) -> None:
        self._graph, self._kind, self._make = graph, kind, make
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


def _database(path: str) -> sqlite3.Connection:
    file = sqlite3.connect(path)
    file.execute("CREATE TABLE IF NOT EXISTS made (name TEXT PRIMARY KEY, value BLOB)")
    return file


def _key(name: Name) -> str:
    return "\x1f".join(name)


def _hash(written: bytes | memoryview) -> str:
    return hashlib.blake2b(written, digest_size=12).hexdigest()
