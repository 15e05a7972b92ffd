"""Records which records, words and files something is made of, while it is made.

Everything is read through `Rows`, `Named`, or a call of `note`. `noting` collects the names of all
reads in a block, so that the dependencies of a page need not be declared. Values computed once for
several users (`Kept`, `remembered`) add their own reads to each user's.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")

Name = tuple[str, ...]
"""Name of a read: a kind, and which of it; a kind alone is all of it."""

_open: list[set[Name]] = []


def note(*name: str) -> None:
    """Records that this was read."""
    if _open:
        _open[-1].add(name)


def note_all(names: frozenset[Name]) -> None:
    """Records that all of these were read."""
    if _open:
        _open[-1] |= names


@contextmanager
def noting() -> Iterator[set[Name]]:
    """Collects the names of reads in the block; if it fails, an outer `noting` gets them."""
    reads: set[Name] = set()
    _open.append(reads)
    try:
        yield reads
    except BaseException:
        _open.pop()
        note_all(frozenset(reads))
        raise
    _open.pop()


def _noted(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a method of a tuple or dict to note that all of it was read."""

    def read(thing: Any, *others: Any) -> Any:
        note(*thing.name)
        return method(thing, *others)

    return read


class Rows(tuple[T, ...]):
    """Records of a kind; any access reads all of them, except by `where`, `distinct`, `named`."""

    kind = ""
    name: Name = ()
    lookup: "Index"

    @staticmethod
    def of(kind: str, rows: Iterable[T]) -> "Rows[T]":
        """Returns the rows under that name."""
        own = tuple(rows)
        named: type[Rows[T]] = type(
            "Rows", (Rows,), {"kind": kind, "name": (kind,), "lookup": Index(own)}
        )
        return named(own)

    def __reduce__(self) -> Any:
        return Rows.of, (self.kind, self.lookup.rows)


for _method in ("iter", "len", "contains", "getitem", "add", "eq", "hash"):
    setattr(Rows, f"__{_method}__", _noted(getattr(tuple, f"__{_method}__")))


class Index:
    """Records by their fields, built on demand; nothing is noted here."""

    def __init__(self, rows: tuple[Any, ...]) -> None:
        self.rows = rows
        self._groups: dict[str, dict[object, list[Any]]] = {}
        self._named: dict[str, dict[Any, Any]] = {}
        self._doors: dict[str, Named[Any, Any]] = {}

    def group(self, field: str) -> Mapping[object, list[Any]]:
        """Returns the records by the value of a field."""
        if field not in self._groups:
            found = self._groups[field] = defaultdict(list)
            for row in self.rows:
                found[getattr(row, field)].append(row)
        return self._groups[field]

    def where(self, wanted: Mapping[str, object]) -> tuple[Any, ...]:
        """Returns the records with these values."""
        if not wanted:
            return self.rows
        (field, value), *others = wanted.items()
        found = self.group(field).get(value, ())
        return tuple(row for row in found if all(getattr(row, name) == it for name, it in others))

    def named(self, field: str) -> Mapping[Any, Any]:
        """Returns the records by a field that is unique."""
        if field not in self._named:
            self._named[field] = {getattr(row, field): row for row in self.rows}
        return self._named[field]

    def door(self, kind: str, field: str) -> "Named[Any, Any]":
        """Returns `named`, noting each access."""
        if field not in self._doors:
            self._doors[field] = Named(kind, self.named(field), "by", field)
        return self._doors[field]


def where(rows: Sequence[T], **wanted: str | None) -> tuple[T, ...]:
    """Returns the records with these values, in their order; None matches all."""
    asked: dict[str, object] = {field: it for field, it in wanted.items() if it is not None}
    if not isinstance(rows, Rows):
        return Index(tuple(rows)).where(asked)
    note(rows.kind, "where", *(str(part) for pair in asked.items() for part in pair))
    return rows.lookup.where(asked)


def chosen(rows: Sequence[T], field: str, names: Collection[str]) -> list[T]:
    """Returns the records whose unique field is among these names, in their order."""
    if not isinstance(rows, Rows):
        return [row for row in rows if getattr(row, field) in names]
    for name in names:
        note(rows.kind, "by", field, name)
    return [row for name, row in rows.lookup.named(field).items() if name in names]


def distinct(rows: Sequence[Any], field: str) -> tuple[Any, ...]:
    """Returns the distinct values of a field in all records, in order of first occurrence."""
    if not isinstance(rows, Rows):
        return tuple(Index(tuple(rows)).group(field))
    note(rows.kind, "said", field)
    return tuple(rows.lookup.group(field))


def named(rows: Sequence[T], field: str) -> Mapping[str, T]:
    """Returns the records by a field that is unique."""
    if not isinstance(rows, Rows):
        return Index(tuple(rows)).named(field)
    return rows.lookup.door(rows.kind, field)


class Named(dict[K, T]):
    """Things by name: a look-up, found or not, reads one name; iterating reads all."""

    def __init__(self, kind: str, things: Mapping[K, T], *where: str) -> None:
        super().__init__(things)
        self.kind = kind
        self.name = (kind, *where)

    def __getitem__(self, name: K) -> T:
        note(*self.name, str(name))
        return super().__getitem__(name)

    def get(self, name: Any, default: Any = None) -> Any:
        """Returns an entry, as `dict.get` does."""
        note(*self.name, str(name))
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        note(*self.name, str(name))
        return super().__contains__(name)

    def __reduce__(self) -> Any:
        kind, *where = self.name
        return Named, (kind, dict(super().items()), *where)


for _method in (
    "__iter__",
    "__len__",
    "keys",
    "values",
    "items",
    "copy",
    "__eq__",
    "__or__",
    "__ror__",
):
    setattr(Named, _method, _noted(getattr(dict, _method)))


class Kept(Generic[K, T]):
    """Computed values by key, each with what it was made of."""

    def __init__(self) -> None:
        self._found: dict[K, tuple[T, frozenset[Name]]] = {}

    def get(self, key: K, make: Callable[[], T]) -> T:
        """Returns the value of a key, computed at the first call."""
        found = self._found.get(key)
        if found is None:
            with noting() as reads:
                value = make()
            found = self._found[key] = value, frozenset(reads)
        note_all(found[1])
        return found[0]


class remembered(Generic[T]):  # noqa: N801 - used as `property` is
    """A property that is computed once."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._slot = f"remembered {name}"

    @overload
    def __get__(self, thing: None, owner: type) -> "remembered[T]": ...
    @overload
    def __get__(self, thing: object, owner: type) -> T: ...
    def __get__(self, thing: object, owner: type) -> Any:
        if thing is None:
            return self
        kept = vars(thing).setdefault(self._slot, Kept())
        return kept.get("", lambda: self._make(thing))

    def __set__(self, thing: object, value: T) -> None:
        raise AttributeError("is worked out, not set")
