"""What is read is noted, as narrowly as it was asked for."""

import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from kernels.reading import (
    Kept,
    Name,
    Named,
    Rows,
    chosen,
    distinct,
    named,
    note,
    noting,
    remembered,
    where,
)


@dataclass(frozen=True)
class Row:
    """A record."""

    id: str
    kind: str = "a"


ROWS = Rows.of("runs", [Row("x"), Row("y", "b"), Row("z")])
WORDS = Named("string en", {"one": "One", "two": "Two"})
EACH = {("string en", "one"), ("string en", "two")}


@pytest.mark.parametrize(
    ("read", "found", "noted"),
    [
        (lambda: len(ROWS), 3, {("runs",)}),
        (lambda: [row.id for row in ROWS], ["x", "y", "z"], {("runs",)}),
        (lambda: ROWS[0].id, "x", {("runs",)}),
        (lambda: Row("x") in ROWS, True, {("runs",)}),
        (lambda: ROWS == (), False, {("runs",)}),
        (lambda: len((*ROWS, Row("w"))), 4, {("runs",)}),
        (lambda: len(where(ROWS, kind="a")), 2, {("runs", "where", "kind", "a")}),
        (lambda: where(ROWS, kind="a", id="q"), (), {("runs", "where", "kind", "a", "id", "q")}),
        (lambda: len(where(ROWS, kind=None)), 3, {("runs", "where")}),
        (lambda: distinct(ROWS, "kind"), ("a", "b"), {("runs", "said", "kind")}),
        (lambda: named(ROWS, "id")["y"].kind, "b", {("runs", "by", "id", "y")}),
        (lambda: named(ROWS, "id").get("q"), None, {("runs", "by", "id", "q")}),
        (lambda: list(named(ROWS, "id")), ["x", "y", "z"], {("runs", "by", "id")}),
        (lambda: len(chosen(ROWS, "id", ["z"])), 1, {("runs", "by", "id", "z")}),
        (lambda: WORDS["one"], "One", {("string en", "one")}),
        (lambda: "three" in WORDS, False, {("string en", "three")}),
        (lambda: len(WORDS), 2, {("string en",)}),
        (lambda: WORDS == {}, False, {("string en",)}),
        (lambda: sorted(WORDS.copy()), ["one", "two"], {("string en",), *EACH}),
        (lambda: len(json.dumps(WORDS)), 28, {("string en",)}),
        (lambda: sorted(WORDS | {"z": ""}), ["one", "two", "z"], {("string en",), *EACH}),
    ],
)
def test_what_is_read_is_noted(read: Callable[[], Any], found: Any, noted: set[Name]) -> None:
    """All of it by who goes through it, else what was asked for, found or not."""
    with noting() as reads:
        assert read() == found

    assert reads == noted


@pytest.mark.parametrize("plain", [tuple(tuple.__iter__(ROWS)), ROWS], ids=["plain", "noted"])
def test_records_are_found_alike_with_and_without_a_door(plain: tuple[Row, ...]) -> None:
    """Whoever reads need not know."""
    assert [row.id for row in where(plain, kind="a")] == ["x", "z"]
    assert distinct(plain, "kind") == ("a", "b")
    assert named(plain, "id")["y"] == Row("y", "b")
    assert chosen(plain, "id", {"y", "q"}) == [Row("y", "b")]


@pytest.mark.parametrize("thing", [ROWS, WORDS, named(ROWS, "id")], ids=["rows", "words", "by"])
def test_doors_travel(thing: Any) -> None:
    """To other processes, and note there what they would here."""
    with noting() as here:
        before = list(thing)
    with noting() as there:
        after = list(pickle.loads(pickle.dumps(thing)))  # noqa: S301 - our own

    assert (after, there) == (before, here)


def test_what_is_noted_within_is_not_noted_around() -> None:
    """Who stands around rests on what came out; unless nothing did."""
    with noting() as around:
        with noting() as within:
            note("a")
        assert (within, around) == ({("a",)}, set())
        with pytest.raises(KeyError), noting():
            note("b")
            raise KeyError
    note("nobody listens")

    assert around == {("b",)}


class Worked:
    """Something worked out."""

    times = 0

    @remembered
    def out(self) -> int:
        """Once."""
        note("a")
        self.times += 1
        return self.times


def test_what_is_kept_hands_its_reads_to_each_who_uses_it() -> None:
    """It is worked out once."""
    kept, thing = Kept[str, str](), Worked()
    for _ in range(2):
        with noting() as reads:
            assert (kept.get("it", lambda: WORDS["one"]), thing.out) == ("One", 1)
        assert reads == {("string en", "one"), ("a",)}

    with pytest.raises(AttributeError, match="worked out"):
        thing.out = 3
