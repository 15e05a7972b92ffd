"""Team, machine and software from the free texts of a DAWNBench entry, by `names.toml`.

Nothing is copied from `author` (a team, a person, or both) or read from `authorEmail`: only names
in `TEAMS` are recorded. Entries are called `<author>_<model>_<hardware>_<framework>`, so the first
word of a file's name is kept only if it belongs to a team, and the address of the code only if it
is an organisation's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

from kernels import catalog
from kernels.importers.base import tables_of
from kernels.machine.system import slug
from kernels.records import Software, System

TABLES: Final = tables_of(__file__)
TEAMS: Final[Sequence[Sequence[str]]] = TABLES["teams"]
CODE_HOLDERS: Final[Sequence[str]] = TABLES["code_holders"]
PROVIDERS: Final[Sequence[Sequence[str]]] = TABLES["providers"]
CHIPS: Final = [(chip, tuple(ids)) for chip, ids in TABLES["chips"]]
"""Accelerators by their names in `hardware`, with candidate ids."""

FILE_WORDS: Final = frozenset({"dawn"})
"""First words of file names that name neither author nor team: the benchmark itself."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A cloud machine whose provider documents its accelerators: candidate ids, the exact one
    first, and chips per machine; empty without accelerators.
    """

    provider: str
    hardware: tuple[str, ...]
    accelerators: int


INSTANCES: Final = {
    name: Instance(provider, tuple(ids), chips)
    for name, (provider, ids, chips) in TABLES["instances"].items()
}

TPU_POD: Final = 256
"""Chips of a TPU v2 pod: 64 Cloud TPUs of four."""

CLOUD_TPU: Final = 4
"""Chips of one Cloud TPU v2 (v2-8: eight cores)."""

TPU_V3_SINCE: Final = date(2018, 10, 1)
"""Google sold v3 from then on, so "Cloud TPU" alone no longer means v2."""

FRAMEWORKS: Final[Sequence[str]] = TABLES["frameworks"]
"""Names of frameworks; an entry with two has no framework, and both are listed as software."""

UPON: Final[Mapping[str, str]] = TABLES["upon"]
"""Libraries that run on one framework only."""

_SOFTWARE: Final[Mapping[str, str]] = {
    name: name for name in (*FRAMEWORKS, *TABLES["software"])
} | {"gpu driver": "driver"}
_VERSION: Final = r"v?(\d[\w.+-]{0,30})"
_NAMED: Final = "|".join(sorted(map(re.escape, _SOFTWARE), key=len, reverse=True))
_IN_TEXT: Final = re.compile(
    rf"(?<![\w-])({_NAMED})(?![\w-])(?:\s+version)?[\s:=]{{0,4}}(?:{_VERSION})?", re.IGNORECASE
)
_EMAIL: Final = re.compile(r"(?<!\S)\S[^\s@]*+@\S[^\s.]*+\.\S++")
"""A word with a mail address in it. Possessive, so that each word is scanned once."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine as described by `hardware`.

    Attributes:
        text: As written, without addresses.
        system: Id in the catalogue if provider and instance match, else made of the words.
        accelerators: Chips over all nodes; None if not stated.
        provider: Name in prices; None if not in the tables.
        offer: The instance, or the text.
        warnings: Open questions.
    """

    text: str
    system: str
    accelerator: str | None
    accelerators: int | None
    nodes: int | None
    provider: str | None
    offer: str
    warnings: tuple[str, ...]


def team_of(author: object, stem: str) -> str | None:
    """Returns the team named by an entry or by its file's first word; None for a person or a team
    not in `TEAMS`.
    """
    return _teams(author) or _teams(stem.partition("_")[0])


def _teams(text: object) -> str | None:
    rest = text.lower() if isinstance(text, str) else ""
    found: list[tuple[int, str]] = []
    for team, name in TEAMS:
        words = re.compile(rf"(?<![a-z])(?:{team})(?![a-z])")
        if hit := words.search(rest):
            found.append((hit.start(), name))
            # so "Google" is not found again in "Google Cloud TPU"
            rest = words.sub(lambda each: " " * len(each[0]), rest)
    return ", ".join(dict.fromkeys(name for _, name in sorted(found))) or None


def public_stem(stem: str) -> str:
    """Returns a file's name without suffix; `*` replaces a first word that may name a person."""
    first, line, rest = stem.partition("_")
    kept = not line or first.lower() in FILE_WORDS or _teams(first)
    return _EMAIL.sub("*", stem if kept else f"*_{rest}").replace("'", "*")


def code_of(url: object) -> str | None:
    """Returns the address of the code, if an organisation hosts it."""
    found = (
        re.match(r"https://github\.com/([\w.-]{1,60})/[\w./#+-]{1,300}$", url.strip())
        if isinstance(url, str)
        else None
    )
    return found[0] if found and found[1].lower() in CODE_HOLDERS else None


def public(text: str) -> str:
    """Returns a text without addresses, as one line of limited length."""
    return _EMAIL.sub("*", " ".join(text.split()))[:200]


def machine_of(hardware: str, day: date | None, device: str | None = None) -> Machine:
    """Parses the free text on hardware of an entry submitted on a day; `device` is the
    accelerator's name by its driver, if stated.
    """
    text = public(hardware)
    plain = text.lower()
    known = _catalog()
    named = [
        name for name in INSTANCES if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", plain)
    ]
    instance = named[0] if len(named) == 1 else None
    facts = INSTANCES[instance] if instance else None
    provider = (
        facts.provider
        if facts
        else next((name for pattern, name in PROVIDERS if re.search(pattern, plain)), None)
    )
    nodes = _nodes(plain, instance)
    candidates, count, warning = _accelerators(text, instance, nodes, day)
    warnings = [warning] if warning else []
    if device is not None and (
        exact := next((ids for chip, ids in CHIPS if re.search(chip, device, re.IGNORECASE)), None)
    ):
        candidates = exact if not candidates or set(exact) & set(candidates) else ()
    accelerator = next((each for each in candidates if each in known.hardware), None)
    cpu_only = facts is not None and not facts.hardware
    if accelerator is None and not cpu_only:
        why = (
            f"{candidates[0]} is not in the catalogue"
            if candidates
            else "it names none that is known here"
        )
        warnings.append(f"hardware '{text}': accelerator left open, {why}")
    if accelerator is not None and count is None:
        warnings.append(f"hardware '{text}': it does not say how many accelerators were used")
    return Machine(
        text,
        _system(text, provider, instance, nodes, known.systems),
        accelerator,
        count,
        nodes,
        provider,
        instance or text,
        tuple(warnings),
    )


def _accelerators(
    text: str, instance: str | None, nodes: int | None, day: date | None
) -> tuple[tuple[str, ...], int | None, str | None]:
    """Returns candidate ids of the accelerator, their number over all nodes, and a warning, from
    the text and the provider's documentation of the instance.
    """
    candidates, count = _chips(text, nodes)
    if tpu := _tpu(text.lower(), day):
        return ("tpu-v2",), tpu, None
    if instance is None:
        return candidates, count, None
    facts = INSTANCES[instance]
    inside = facts.accelerators * (nodes or 1) or None
    if candidates and not set(candidates) & set(facts.hardware):
        return (), None, f"hardware '{text}' names another accelerator than {instance} has"
    count = count or inside
    if inside is not None and count is not None and count > inside:
        warning = (
            f"hardware '{text}' counts {count} accelerators where {nodes} x {instance} has {inside}"
        )
        return facts.hardware, None, warning
    return facts.hardware, count, None


@cache
def _catalog() -> catalog.Catalog:
    return catalog.load()


def _system(
    text: str,
    provider: str | None,
    instance: str | None,
    nodes: int | None,
    systems: Mapping[str, System],
) -> str:
    same = [
        each.system
        for each in systems.values()
        if each.instance and (each.instance.lower(), each.provider) == (instance, provider)
    ]
    if len(same) == 1 and nodes == 1:
        return same[0]
    words = f"{provider} {instance}" if provider and instance else f"dawnbench {text}"
    return (
        slug(f"{words} {nodes}x" if instance and nodes and nodes > 1 else words)[:100].strip("-.")
        or "dawnbench"
    )


def _nodes(plain: str, instance: str | None) -> int | None:
    """Returns the number of machines: before `nodes`, `machines` or the instance's name; 1 for an
    instance without a number.
    """
    if found := re.search(r"(?<![\w.])(\d{1,5})\s+(?:nodes|machines)\b", plain):
        return int(found[1]) or None
    if instance is None:
        return None
    found = re.search(rf"(?<![\w.])(\d{{1,5}})(?:\s*+[x*])?\s+{re.escape(instance)}", plain)
    return (int(found[1]) or None) if found else 1


def _chips(text: str, nodes: int | None) -> tuple[tuple[str, ...], int | None]:
    """Returns the accelerator in a text and its number over all nodes; nothing for two kinds."""
    rest = text
    found: list[tuple[tuple[str, ...], int]] = []
    for chip, ids in CHIPS:
        whole = re.compile(
            rf"(?<![\w.])(?:(\d{{1,4}})\s*+(?:[x*]\s*+)?)?(?:(?:nvidia|tesla|geforce)\s+){{0,3}}(?:{chip})(?!\w)(?:\s*[x*]\s*(\d{{1,4}}))?",
            re.IGNORECASE,
        )
        found += [(ids, int(hit[1] or hit[2] or 0)) for hit in whole.finditer(rest)]
        rest = whole.sub(" ", rest)
    if len({ids for ids, _ in found}) != 1 or len({count for _, count in found}) != 1:
        return (), None
    ids, count = found[0]
    if nodes is not None and re.search(
        r"\b(?:for|in|on|per)\s+(?:each\s+)?(?:node|machine)\b|\beach\b", text, re.IGNORECASE
    ):
        count *= nodes
    return ids, count or None


def _tpu(plain: str, day: date | None) -> int | None:
    """Returns the chips of a TPU v2 text; None for others, or if it may be v3."""
    if re.search(r"\btpu ?v2[- ](?:half[- ]pod|pod)\b", plain):
        if part := re.search(r"(?<![\w./])1/(\d{1,2}) of a tpu ?v2 pod", plain):
            share = int(part[1])
            return TPU_POD // share if share and TPU_POD % share == 0 else None
        return (
            TPU_POD // 2
            if "half" in plain
            else TPU_POD
            if re.fullmatch(r"(?:full )?tpu ?v2[- ]pod", plain)
            else None
        )
    if (
        re.search(r"(?<!\w)cloud tpu(?! pod)(?!\w)", plain)
        and "v3" not in plain
        and not re.search(r"\d\s*+(?:[x*]\s*+)?cloud tpu", plain)
    ):
        return CLOUD_TPU if "v2" in plain or (day is not None and day < TPU_V3_SINCE) else None
    return None


def software_of(framework: str, notes: Mapping[str, str], prose: str) -> tuple[Software, ...]:
    """Returns software with versions, each once: from `framework`, from notes by name, and from
    notes in prose.
    """
    found: dict[str, str | None] = {}
    for hit in [*_IN_TEXT.finditer(framework), *_IN_TEXT.finditer(prose)]:
        name, version = _SOFTWARE[hit[1].lower()], hit[2].rstrip(".-+") if hit[2] else None
        found[name] = found.get(name) or version
    for key, value in notes.items():
        name = _SOFTWARE.get(re.sub(r"(?<![\s_])[\s_]*+version$", "", key.strip().lower()), "")
        version = re.match(rf"\s*+(?:{_NAMED})?\s*+{_VERSION}", value, re.IGNORECASE)
        if name and version:
            found[name] = found.get(name) or version[1].rstrip(".-+")
    return tuple(Software(name, version) for name, version in sorted(found.items()))


def framework_of(framework: str, software: tuple[Software, ...]) -> tuple[str | None, str | None]:
    """Returns the one framework in the entry's `framework`, and its version if stated anywhere."""
    words = {_SOFTWARE[hit[1].lower()] for hit in _IN_TEXT.finditer(framework)}
    named = {UPON.get(word, word) for word in words} & set(FRAMEWORKS)
    if len(named) != 1:
        return None, None
    name = named.pop()
    return name, next((each.version for each in software if each.name == name), None)


def notes_of(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields texts and numbers of `misc`, nested once, by name; the entry's own fields first."""
    misc = found.get("misc")
    groups: list[Mapping[str, Any]] = [
        {name: found[name] for name in ("optimizer", "momentum", "usedBlacklist") if name in found}
    ]
    if isinstance(misc, dict):
        groups.append(misc)
        groups += [each for each in misc.values() if isinstance(each, dict)]
    seen: set[str] = set()
    for group in groups:
        for name, value in group.items():
            if isinstance(value, str | bool) and name not in seen:
                seen.add(name)
                yield str(name), str(value)


def day_of(value: object) -> date | None:
    """Returns the day of `timestamp`, even with single digits; None without one."""
    found = (
        re.fullmatch(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*", value, re.ASCII)
        if isinstance(value, str)
        else None
    )
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None
