"""Whatever text a stranger hands in, each regular expression of the harness goes through it in a time that grows with its length."""

import ast
import importlib
import itertools
import pkgutil
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]  # the only place that says what an expression is made of
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import kernels
from kernels import gate
from kernels.importers import dawnbench_facts, foreign, lambda_labs, mlperf_facts, mlperf_log

METHODS = frozenset({"search", "match", "fullmatch", "sub", "findall", "finditer", "split"})
SIZES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
MOST_S = 0.3
"""Seconds of this thread's own time: at the last size a linear expression takes some ten milliseconds, a quadratic one ten seconds."""

TRIES = 3
"""A busy machine can slow a thread down once; an expression that is not linear is slow each time."""

MOST_PUMPS = 24
CATEGORIES = {
    kinds.CATEGORY_DIGIT: "0", kinds.CATEGORY_SPACE: " ", kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_NOT_DIGIT: "a", kinds.CATEGORY_NOT_SPACE: "a", kinds.CATEGORY_NOT_WORD: " ",
}  # fmt: skip

Used = tuple[str, "re.Pattern[str]", frozenset[str]]


def modules() -> Iterator[tuple[str, Path]]:
    """Each module of the harness, and its file."""
    root = Path(kernels.__file__).parent
    for found in pkgutil.walk_packages([str(root)], "kernels."):
        path = root.joinpath(*found.name.split(".")[1:])
        yield found.name, path / "__init__.py" if found.ispkg else path.with_suffix(".py")


def named(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Names on which a method of an expression is called: `_EMAIL` of `_EMAIL.sub(...)` and of `other._EMAIL.sub(...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            owner = node.func.value
            name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
            yield name, node


def used() -> list[Used]:
    """Every expression of the harness with the methods that are called on it: module-wide ones, and those written where they are used."""
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules()}
    calls: dict[str, set[str]] = {}
    found: list[Used] = []
    for module, tree in trees.items():
        for name, call in named(tree):
            assert isinstance(call.func, ast.Attribute)
            calls.setdefault(name, set()).add(call.func.attr)
            if name == "re" and isinstance(call.args[0], ast.Constant):
                given = call.args[0].value
                assert isinstance(given, str | bytes)
                pattern = re.compile(given.decode("latin-1") if isinstance(given, bytes) else given)
                found.append((f"{module}:{call.lineno}", pattern, frozenset({call.func.attr})))
    for module in trees:
        if ".backends." in module or ".workloads" in module:  # they need a framework, and have no expression of their own
            continue
        for name, value in vars(importlib.import_module(module)).items():
            if isinstance(value, re.Pattern):
                text = value.pattern.decode("latin-1") if isinstance(value.pattern, bytes) else value.pattern
                flags = value.flags & ~(re.UNICODE if isinstance(value.pattern, bytes) else 0)
                found.append((f"{module}.{name}", re.compile(text, flags), frozenset(calls.get(name, METHODS))))
    return found


def examples(tokens: Sequence[Any]) -> list[str]:
    """A text for each token in turn: what it matches in the shortest way, but once rather than not at all."""
    return [text for operator, argument in tokens for text in _example(operator, argument)]


def _example(operator: Any, argument: Any) -> list[str]:
    if operator in {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}:
        least, _, inner = argument
        return ["".join(examples(inner)) * max(1, least)]
    if operator in {kinds.SUBPATTERN, kinds.ATOMIC_GROUP, kinds.BRANCH}:
        return examples(argument if operator is kinds.ATOMIC_GROUP else argument[-1][0] if operator is kinds.BRANCH else argument[-1])
    if operator in {kinds.NOT_LITERAL, kinds.ANY}:
        return ["a"]
    return [chr(argument)] if operator is kinds.LITERAL else [_member(argument)] if operator is kinds.IN else []


def _member(options: Sequence[tuple[object, Any]]) -> str:
    excluded = options[0][0] is kinds.NEGATE
    if excluded:
        pattern = re.compile("[" + "".join(map(re.escape, filter(None, (_plain(*each) for each in options[1:])))) + "]")
        return next(letter for letter in "a0 .-=@/" if not pattern.fullmatch(letter))
    return next(filter(None, (_plain(*each) for each in options)), "a")


def _plain(operator: object, argument: Any) -> str:
    if operator is kinds.LITERAL:
        return chr(argument)
    if operator is kinds.RANGE:
        return chr(argument[0])
    return CATEGORIES.get(argument, "a")


def hostile(pattern: "re.Pattern[str]") -> Iterator[tuple[str, str, str]]:
    """Beginning, what is said again and again, and end: texts that nearly match, again and again."""
    parts = examples(list(parser.parse(pattern.pattern, pattern.flags)))
    words = ["".join(parts[start:end]) for start, end in itertools.combinations(range(len(parts) + 1), 2)]
    pumps = list(dict.fromkeys(word for word in ["a", " ", "0", *parts, *sorted(words, key=len)] if word))[:MOST_PUMPS]
    starts = list(dict.fromkeys(["", *("".join(parts[:end]) for end in range(1, min(len(parts), 6)))]))
    yield from itertools.product(starts, pumps, ("", "\0"))


def slowest(pattern: "re.Pattern[str]", methods: frozenset[str], start: str, pump: str, end: str) -> float:
    """Seconds of the largest text that was tried; the first that takes too long is the last."""
    seconds = 0.0
    for size in SIZES:
        text = start + pump * (size // len(pump)) + end
        for method in methods:
            before = time.thread_time()
            if method == "sub":
                pattern.sub("", text)
            elif method == "finditer":
                list(pattern.finditer(text))
            else:
                getattr(pattern, method)(text)
            seconds = time.thread_time() - before
            if seconds > MOST_S:
                return seconds
    return seconds


EVERY = used()
KNOWN = [
    (mlperf_facts._LINE, " ", "!"),
    (dawnbench_facts._EMAIL, "a@", ""),
    (lambda_labs._ERROR, "a.", ""),
    (lambda_labs._ERROR, "Error: ", "\n!"),
    (lambda_labs._COMMAND, "python", ""),
    (gate._PRIVATE, "a.", ""),
    (gate._PRIVATE, "a", ""),
    (foreign._ADDRESS, "a", ""),
    (mlperf_log._ADDRESS, "a", ""),
]
"""Texts that once took seconds to hours: what is said again and again, and the end."""


@pytest.mark.parametrize(("name", "pattern", "methods"), EVERY, ids=[name for name, _, _ in EVERY])
def test_every_expression_is_linear(name: str, pattern: "re.Pattern[str]", methods: frozenset[str]) -> None:
    """A text of the expression's own pieces, said again and again and broken off, takes no longer than its length allows."""
    slow = [each for each in hostile(pattern) if all(slowest(pattern, methods, *each) > MOST_S for _ in range(TRIES))]

    assert not slow, f"{name}: {pattern.pattern!r} is not linear in {slow[:3]}"


@pytest.mark.parametrize(("pattern", "pump", "end"), KNOWN)
@pytest.mark.parametrize("start", ["", "a@", "['", "Error: ", "{"])
def test_a_long_text_takes_no_longer_than_its_length_allows(pattern: "re.Pattern[Any]", start: str, pump: str, end: str) -> None:
    """A text of 200 kB, of which an expression with two ways through it would take minutes, is searched at once."""
    text = start + pump * (200_000 // len(pump)) + end

    taken: list[float] = []
    while len(taken) < TRIES and min(taken, default=MOST_S) >= MOST_S:
        before = time.thread_time()
        pattern.search(text.encode() if isinstance(pattern.pattern, bytes) else text)
        taken.append(time.thread_time() - before)

    assert min(taken) < MOST_S
