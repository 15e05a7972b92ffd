"""What rests on nothing that has changed is not made again, and all else is."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.reading import Name, note
from site_src.graph import Graph, Items, digest, digested_once, shared


class Made:
    """A graph over words, with the nodes that were made in it."""

    def __init__(self, words: dict[str, str], path: Path | None, state: str = "") -> None:
        self.words = words
        self.made: list[Name] = []
        self.graph = Graph({"word": lambda name: words.get(name, "none")}, path, state)
        self.graph.register("length", self.noted("length", lambda name: len(self.word(name))))
        self.graph.register("page", self.noted("page", self.page), keep=True)

    def noted(self, kind: str, make: Callable[[str], Any]) -> Callable[[str], Any]:
        """A maker that says what it makes."""

        def made(name: str) -> Any:
            self.made.append((kind, name))
            return make(name)

        return made

    def word(self, name: str) -> str:
        """A word, noted."""
        note("word", name)
        return self.words[name]

    def page(self, name: str) -> str:
        """Rests on the length of its word alone."""
        return f"{name} has {self.graph.get('length', name)}"

    def all(self, *names: str) -> list[str]:
        """These pages, and the file for the next build."""
        found = [self.graph.get("page", name) for name in names]
        self.graph.save()
        return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a graph with the pages of two words."""
    assert Made({"a": "one", "b": "two"}, tmp_path / "graph").all("a", "b") == [
        "a has 3",
        "b has 3",
    ]
    return tmp_path / "graph"


@pytest.mark.parametrize(
    ("words", "names", "made"),
    [
        ({"a": "one", "b": "two"}, "ab", []),
        ({"a": "one", "b": "four"}, "ab", [("length", "b"), ("page", "b")]),
        ({"a": "six", "b": "two"}, "ab", [("length", "a")]),
        ({"a": "one", "b": "two", "c": "six"}, "abc", [("page", "c"), ("length", "c")]),
        ({"a": "one", "b": "eleven"}, "a", []),
    ],
    ids=["nothing", "one", "nothing that shows", "a new one", "one that nobody asks for"],
)
def test_what_changed_is_made_again_and_nothing_else(
    path: Path, words: dict[str, str], names: str, made: list[Name]
) -> None:
    """A change goes as far as it changes what comes out."""
    again = Made(words, path)

    assert again.all(*names) == [f"{name} has {len(words[name])}" for name in names]
    assert again.made == made


def test_pages_that_nobody_asks_for_any_more_are_forgotten(path: Path) -> None:
    """The file does not grow for ever."""
    Made({"a": "one"}, path).all("a")
    again = Made({"a": "one", "b": "two"}, path)
    again.all("a", "b")

    assert again.made == [("page", "b"), ("length", "b")]


def test_another_state_makes_everything_again(path: Path) -> None:
    """Code is in no node's notes."""
    again = Made({"a": "one", "b": "two"}, path, "other code")
    again.all("a", "b")

    assert len(again.made) == 4


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:2000])


def _overwritten(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("UPDATE made SET value = x'80' WHERE name = ''")


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        _overwritten,
        lambda path: path.write_bytes(b"no database"),
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
    ],
    ids=["cut", "overwritten", "no database", "empty", "gone"],
)
def test_a_damaged_file_is_made_again(path: Path, damage: Callable[[Path], None]) -> None:
    """What was made of it would be wrong, or end the build."""
    damage(path)
    again = Made({"a": "one", "b": "two"}, path)
    again.all("a", "b")

    assert len(again.made) == 4
    then = Made({"a": "one", "b": "two"}, path)
    assert then.all("a", "b") == ["a has 3", "b has 3"] and then.made == []


def test_a_damaged_value_is_made_again(path: Path) -> None:
    """That of one node alone."""
    with sqlite3.connect(path) as file:
        file.execute("UPDATE made SET value = x'80' WHERE name LIKE '%a'")
    again = Made({"a": "one", "b": "two"}, path)

    assert again.all("a", "b") == ["a has 3", "b has 3"]
    assert again.made == [("page", "a"), ("length", "a")]


def test_a_build_does_not_need_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk or a lock leave a site that is whole, and a file that is made again."""

    class Full:
        """A database that nobody can write into."""

        def execute(self, *_: Any) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        executemany = close = execute

    again = Made({"a": "eleven"}, path)
    monkeypatch.setattr(again.graph, "_file", Full())

    assert again.all("a") == ["a has 6"]
    assert Made({"a": "one"}, path).all("a") == ["a has 3"]


def test_what_cannot_be_made_is_an_answer_too(tmp_path: Path) -> None:
    """It raises again while it is so, and is made again when it is not."""
    with pytest.raises(KeyError):
        Made({}, tmp_path / "graph").graph.get("page", "a")
    first = Made({"a": "one"}, tmp_path / "graph")
    first.graph.register("safe", lambda: first.graph.get("page", "b") if "b" in first.words else "")

    assert first.all("a") == ["a has 3"]


def test_something_left_behind_can_be_made_again(path: Path) -> None:
    """Though it holds."""
    again = Made({"a": "one", "b": "two"}, path)

    assert again.graph.holds(("page", "a"))
    assert again.graph.again("page", "a") == "a has 3"
    assert again.made == [("page", "a"), ("length", "a")]


def test_a_stale_node_says_why(path: Path) -> None:
    """What it read that has changed; nothing where it holds."""
    again = Made({"a": "four", "b": "two"}, path)

    assert again.graph.why(("page", "a")) == [("length", "a")]
    assert again.graph.why(("page", "b")) == again.graph.why(("page", "new")) == []


def test_what_holds_needs_nobody_who_could_make_it(path: Path) -> None:
    """Who asks early in a build is told what is so."""
    words = {"a": "one", "b": "two"}
    early = Graph({"word": words.__getitem__}, path)

    assert early.holds(("page", "a"))


def test_equal_values_are_one_whichever_of_their_parts_are_one_object(tmp_path: Path) -> None:
    """Records that were read from another file share other texts."""
    made: list[str] = []

    def built(pair: tuple[str, str], word: str) -> None:
        graph = Graph({"word": lambda: word}, tmp_path / "graph")

        def noted() -> tuple[str, str]:
            note("word")
            return pair

        def page() -> tuple[str, str]:
            made.append("page")
            found: tuple[str, str] = graph.get("pair")
            return found

        graph.register("pair", noted)
        graph.register("page", page, keep=True)
        assert graph.get("page") == ("a word", "a word")
        graph.save()

    text = "a word"
    built((text, text), "one")
    built((text, "a " + "word".lower()), "another")

    assert made == ["page"]


@dataclass(frozen=True, slots=True)
class Words:
    """A record with one field."""

    words: object


@digested_once
@dataclass(frozen=True, slots=True)
class Shared:
    """A record of which many values have one."""

    words: tuple[str, ...]


def test_many_records_of_a_class_are_told_by_their_content() -> None:
    """As a field that holds several, one, or those of several classes."""
    several = [Words((Words(name), Words(other))) for name in "ab" for other in "ab"]
    others = [Words(Words("a")), Words((Words("a"),)), Words((Words("a"), "a")), Words(("a", "b"))]

    assert len({digest(value) for value in (*several, *others)}) == len(several) + len(others)
    assert digest(Words((Words("a"), Words("b")))) == digest(several[1])


def test_a_record_that_is_told_once_is_told_by_its_content() -> None:
    """Whichever object it is, and in whichever value."""
    one = Shared(("a", "b"))

    assert digest([one, one]) == digest([one, Shared(("a", "b"))])
    assert digest([one, one]) != digest([one, Shared(("a", "c"))])
    assert digest(one) != digest(one.words)


class Book:
    """A thing of which a build has one."""

    def __init__(self, made: Made) -> None:
        self.graph, self._word = made.graph, made.word
        shared.register(self)

    @shared
    def longest(self) -> int:
        """Letters of its longer word."""
        return max(len(self._word("a")), len(self._word("b")))


@pytest.mark.parametrize(("word", "made"), [("four", []), ("eleven", [("page", "p")])])
def test_a_shared_property_that_comes_out_the_same_changes_nothing(
    tmp_path: Path, word: str, made: list[Name]
) -> None:
    """Of the words "one" and "three" the second is the longer."""
    for first in ("one", word):
        again = Made({"a": first, "b": "three"}, tmp_path / "graph")
        book = Book(again)
        again.graph.register("page", again.noted("page", lambda _: str(book.longest)), keep=True)  # noqa: B023 - called in this turn
        assert again.all("p") == [str(max(len(first), 5))]
    assert again.made == made


@pytest.mark.parametrize("many", [False, True])
def test_of_a_mapping_each_item_is_a_node(tmp_path: Path, *, many: bool) -> None:
    """Who looks one up does not rest on the others."""
    made: list[str] = []

    def built(words: dict[str, str]) -> Graph:
        graph = Graph({"words": lambda: repr(words)}, tmp_path / "graph")

        def items() -> dict[str, str]:
            note("words")
            return words

        found = Items(graph, "item", items, many=many)

        def page(name: str) -> str:
            made.append(name)
            return str(found.get(name, "none"))

        graph.register("page", page, keep=True)
        assert [graph.get("page", name) for name in "abc"] == [
            words.get(name, "none") for name in "abc"
        ]
        assert list(found) == list(words) and len(found) == len(words)
        with pytest.raises(KeyError):
            found["d"]
        graph.save()
        return graph

    built({"a": "one", "b": "two"})
    built({"a": "one", "b": "six", "c": "three"})

    assert made == [*"abc", *"bc"]


SMALL = st.integers(0, 3)


@given(
    st.lists(st.tuples(st.sets(SMALL), st.sets(st.integers(0, 6)), SMALL), min_size=1, max_size=6),
    st.lists(st.dictionaries(SMALL, st.integers(0, 2)), min_size=1, max_size=4),
)
def test_from_build_to_build_it_comes_out_as_from_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    shape: list[tuple[set[int], set[int], int]],
    builds: list[dict[int, int]],
) -> None:
    """Whatever rests on what, and whatever changes: nodes read inputs and earlier nodes, and most
    of what they read is not seen in what comes out.
    """
    path = tmp_path_factory.mktemp("graphs") / "graph"

    def made(values: dict[int, int], path: Path | None) -> list[int]:
        graph = Graph({"value": lambda name: str(values.get(int(name)))}, path)

        def node(name: str) -> int:
            inputs, earlier, parts = shape[int(name)]
            total = 0
            for each in sorted(inputs):
                note("value", str(each))
                total += values.get(each, 0)
            for each in sorted(earlier):
                total += graph.get("node", str(each)) if each < int(name) else 0
            return total % (parts + 1)

        graph.register("node", node, keep=True)
        found = [graph.get("node", str(number)) for number in reversed(range(len(shape)))]
        graph.save()
        return found

    for values in builds:
        assert made(values, path) == made(values, None)
