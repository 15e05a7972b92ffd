"""Through whatever text each regular expression goes in a time that grows with its length."""

import ast
import importlib
import itertools
import pkgutil
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]  # the only place that says what an expression is made of
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import kernels
from kernels.audit import dimensions
from kernels.audit.formulas import FORMULAS
from kernels.checks import submissions
from kernels.importers import base
from kernels.importers.dawnbench import names as dawnbench_facts
from kernels.importers.lambda_labs import benchmark as lambda_benchmark
from kernels.importers.lambda_labs import logs as lambda_logs
from kernels.importers.mlperf import log, rules, system

METHODS = frozenset({"search", "match", "fullmatch", "sub", "findall", "finditer", "split"})
SCANS = frozenset({"search", "fullmatch", "sub"})
"""Methods that go through a text in each of the ways that there are: to the first match, to the
end, and again after each match.
"""

FIRST = "search"
LIKE_FIRST = METHODS - {FIRST, "match", "fullmatch"}
"""Methods that go the same way through a text in which it has found nothing."""

SIZES = (1_000, 5_000, 25_000)
MOST_S = 0.2
"""Seconds of this thread's own time: at the last size a linear expression takes some ten
milliseconds, a quadratic one a second or more.
"""

TRIES = 3
"""A busy machine can slow a thread down once; an expression that is not linear is slow each
time.
"""

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


FILLED: Mapping[str, Mapping[str, Iterable[object]]] = {
    "kernels.audit.dimensions": {
        "expression": {
            dimensions._expression(unit)
            for formula in FORMULAS.values()
            for unit in formula.inputs.values()
        }
    },
    "kernels.catalog": {"words": ("V100", "RTX 2080 Ti", "A100 (80GB)", " ")},
    "kernels.importers.dawnbench.names": {
        "team": [team for team, _ in dawnbench_facts.TEAMS],
        "chip": [chip for chip, _ in dawnbench_facts.CHIPS],
        "pattern": [pattern for pattern, _ in dawnbench_facts.PROVIDERS],
        "name": dawnbench_facts.INSTANCES,
        "instance": dawnbench_facts.INSTANCES,
    },
    "kernels.importers.lambda_labs.logs": {
        "model": lambda_benchmark.MODELS,
        "name": ("arch", "batch[ _]size", "batch-size"),
    },
    "kernels.importers.mlperf.system": {
        "name": system._FRAMEWORKS,
        "words": system._TABLES["libraries"].values(),
    },
    "kernels.importers.mlperf.rules": {
        "what": [what for _, what, _ in rules.SYSTEMS],
        "where": [where for _, _, where, _, _ in rules.AMBIGUOUS],
    },
    "kernels.importers.prices.gpuhunt": {"key": ("us-central1", " ")},
}
"""Local names of which a module makes expressions when it needs them, with all that they stand for;
to miss one is a `NameError`.
"""


def calls(module: str, tree: ast.AST) -> Iterator[tuple[object, str, ast.Call]]:
    """Methods that are called on an expression: `_EMAIL.sub(...)`, `other._EMAIL.sub(...)`."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {*METHODS, "compile"}
        ):
            first, *rest = ast.unparse(node.func.value).split(".")
            known = {"re": re} if framed(module) else vars(importlib.import_module(module))
            yield (
                reduce(lambda value, name: getattr(value, name, None), rest, known.get(first)),
                node.func.attr,
                node,
            )


def made(module: str, call: ast.Call) -> Iterator["re.Pattern[str]"]:
    """What `re.search(...)` or `re.compile(...)` in a module looks for: its expressions."""
    pattern, *others = [*call.args, *(each.value for each in call.keywords)]
    flags = next(
        (each for each in others if re.match(r"re\.[A-Z]", ast.unparse(each))), ast.Constant(0)
    )
    if framed(module) and not isinstance(pattern, ast.Constant):
        return
    known = {"re": re} if framed(module) else vars(importlib.import_module(module))
    local = FILLED.get(module, {})
    names = sorted(
        {node.id for node in ast.walk(pattern) if isinstance(node, ast.Name)} & set(local)
    )
    for values in itertools.product(*(local[name] for name in names)):
        here = {**known, **dict(zip(names, values, strict=True))}
        text, flag = (eval(ast.unparse(each), here) for each in (pattern, flags))  # noqa: S307 - our own source
        yield re.compile(text.decode("latin-1") if isinstance(text, bytes) else text, flag)


def framed(module: str) -> bool:
    """Whether a module needs a framework; none of these has a table of expressions."""
    return ".backends." in module or ".workloads" in module


def held(value: object) -> Iterator["re.Pattern[str]"]:
    """The expressions that a value of a module is or, as a table, has."""
    if isinstance(value, re.Pattern):
        text = (
            value.pattern.decode("latin-1") if isinstance(value.pattern, bytes) else value.pattern
        )
        yield re.compile(
            text, value.flags & ~(re.UNICODE if isinstance(value.pattern, bytes) else 0)
        )
    elif isinstance(value, Mapping | tuple | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from held(each)


def used() -> list[Used]:
    """Every expression with the methods called on it, module-wide or where it is used."""
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules()}
    methods: dict[object, set[str]] = {}
    found: dict[tuple[str, str, int], Used] = {}
    for module, tree in trees.items():
        for owner, method, call in calls(module, tree):
            if isinstance(owner, re.Pattern):
                methods.setdefault(owner, set()).add(method)
            for pattern in made(module, call) if owner is re else ():
                own = SCANS if method == "compile" else frozenset({method})
                found[module, pattern.pattern, pattern.flags] = (
                    f"{module}:{call.lineno}",
                    pattern,
                    own,
                )
    for module in trees:
        for name, value in () if framed(module) else vars(importlib.import_module(module)).items():
            own = (
                frozenset(methods.get(value, METHODS)) if isinstance(value, re.Pattern) else METHODS
            )
            for pattern in held(value):
                found[module, pattern.pattern, pattern.flags] = (f"{module}.{name}", pattern, own)
    return list(found.values())


def examples(tokens: Sequence[Any], way: int) -> list[str]:
    """A text for each token in turn: what it matches in the shortest way, but once rather than not
    at all; letters in a row are one.

    Of alternatives it takes the one of that number, or the last.
    """
    found: list[str] = []
    before = None
    for operator, argument in tokens:
        if operator is before is kinds.LITERAL:
            found[-1] += chr(argument)
        else:
            found += (
                [chr(argument)] if operator is kinds.LITERAL else _example(operator, argument, way)
            )
        before = operator
    return found


def _example(operator: Any, argument: Any, way: int) -> list[str]:
    if operator in {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}:
        least, _, inner = argument
        return ["".join(examples(inner, way)) * max(1, least)]
    if operator is kinds.BRANCH:
        return examples(argument[1][min(way, len(argument[1]) - 1)], way)
    if operator in {kinds.SUBPATTERN, kinds.ATOMIC_GROUP}:
        return examples(argument if operator is kinds.ATOMIC_GROUP else argument[-1], way)
    if operator in {kinds.NOT_LITERAL, kinds.ANY}:
        return ["a"]
    return [_member(argument)] if operator is kinds.IN else []


def ways(tokens: Any) -> int:
    """The most alternatives that stand at one place."""
    if not isinstance(tokens, parser.SubPattern | list | tuple):
        return 1
    own = len(tokens[1][1]) if isinstance(tokens, tuple) and tokens[0] is kinds.BRANCH else 1
    return max([own, *map(ways, tokens)])


def _member(options: Sequence[tuple[object, Any]]) -> str:
    excluded = options[0][0] is kinds.NEGATE
    if excluded:
        pattern = re.compile(
            "["
            + "".join(map(re.escape, filter(None, (_plain(*each) for each in options[1:]))))
            + "]"
        )
        return next(letter for letter in "a0 .-=@/" if not pattern.fullmatch(letter))
    return next(filter(None, (_plain(*each) for each in options)), "a")


def _plain(operator: object, argument: Any) -> str:
    if operator is kinds.LITERAL:
        return chr(argument)
    if operator is kinds.RANGE:
        return chr(argument[0])
    return CATEGORIES.get(argument, "a")


def hostile(pattern: "re.Pattern[str]") -> Iterator[tuple[str, str, str]]:
    """Beginning, what is said again, and end: texts that nearly match, again and again."""
    tokens = parser.parse(pattern.pattern, pattern.flags)
    # what cannot go on without end looks at each place for so many letters at most
    if "MAXREPEAT" not in repr(tokens):
        return
    yield from dict.fromkeys(
        each for way in range(ways(tokens)) for each in _hostile(examples(tokens, way))
    )


def _hostile(parts: list[str]) -> Iterator[tuple[str, str, str]]:
    words = [
        "".join(parts[start:end]) for start, end in itertools.combinations(range(len(parts) + 1), 2)
    ]
    pumps = list(
        dict.fromkeys(word for word in ["a", " ", "0", *parts, *sorted(words, key=len)] if word)
    )[:MOST_PUMPS]
    starts = list(
        dict.fromkeys(["", *("".join(parts[:end]) for end in range(1, min(len(parts), 6)))])
    )
    yield from itertools.product(starts, pumps, ("", "\n\0"))


def slowest(
    pattern: "re.Pattern[str]", methods: frozenset[str], start: str, pump: str, end: str
) -> float:
    """Seconds of the largest text that was tried: the first that takes too long is the last, and
    so is one after which a text as long as the largest would not, were they to grow with the square
    of its length, twice over.
    """
    slowest = 0.0
    for size in SIZES:
        text = start + pump * (size // len(pump)) + end
        slowest = max(_seconds(pattern, methods, text), default=0.0)
        if slowest > MOST_S or 2 * slowest * (SIZES[-1] / size) ** 2 < MOST_S:
            break
    return slowest


def _seconds(pattern: "re.Pattern[str]", methods: frozenset[str], text: str) -> Iterator[float]:
    """Of each method, until one takes too long."""
    nothing = False
    for method in sorted(methods, key=FIRST.__eq__, reverse=True):
        if nothing and method in LIKE_FIRST:
            continue
        before = time.thread_time()
        found = getattr(pattern, method)(*("",) * (method == "sub"), text)
        if method == "finditer":
            list(found)
        yield (seconds := time.thread_time() - before)
        if seconds > MOST_S:
            return
        nothing = nothing or (method == FIRST and found is None)


KNOWN = [
    (system._LINE, " ", "!"),
    (dawnbench_facts._EMAIL, "a@", ""),
    (lambda_logs._ERROR, "a.", ""),
    (lambda_logs._ERROR, "Error: ", "\n!"),
    (lambda_logs._COMMAND, "python", ""),
    (submissions._PRIVATE, "a.", ""),
    (submissions._PRIVATE, "a", ""),
    (base._ADDRESS, "a", ""),
    (log._ADDRESS, "a", ""),
]
"""Texts that once took seconds to hours: what is said again and again, and the end."""


@pytest.mark.slow
def test_every_expression_is_linear() -> None:
    """A text of its own pieces, repeated and broken off, takes no longer than its length."""
    every = used()
    slow = [
        f"{name}: {pattern.pattern!r} is not linear in {each}"
        for name, pattern, methods in every
        for each in hostile(pattern)
        if all(slowest(pattern, methods, *each) > MOST_S for _ in range(TRIES))
    ]

    assert len(every) > 200 and slow == []


@pytest.mark.parametrize(("pattern", "pump", "end"), KNOWN)
@pytest.mark.parametrize("start", ["", "a@", "['", "Error: ", "{"])
def test_a_long_text_takes_no_longer_than_its_length_allows(
    pattern: "re.Pattern[Any]", start: str, pump: str, end: str
) -> None:
    """200 kB, minutes to an expression with two ways through it, are searched at once."""
    text = start + pump * (200_000 // len(pump)) + end

    taken: list[float] = []
    while len(taken) < TRIES and min(taken, default=MOST_S) >= MOST_S:
        before = time.thread_time()
        pattern.search(text.encode() if isinstance(pattern.pattern, bytes) else text)
        taken.append(time.thread_time() - before)

    assert min(taken) < MOST_S
