"""Facts beside an MLPerf result log: submitter, system and software.

v0.5:       `v0.5.0/<submitter>/<submission>/results/<system>/<benchmark>/result_N.txt`, facts in
            `<system>/entry.json`
v0.6 on:    `<submitter>/results/<system>/<benchmark>/result_N.txt`, facts in
            `<submitter>/systems/<system>.json`

The files are damaged in many ways (log lines in place of JSON, blanks and tabs in names, numbers as
strings), so each is read as far as possible. Contacts (`poc_name`, `poc_email`) are never read.
"""

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from kernels.importers.base import tables_of
from kernels.importers.mlperf.log import number, plain
from kernels.records import Software

_NOTHING: Final = frozenset({"", "-", "n/a", "na", "none", "todo", "tbd", "not public", "unknown"})
_LINE: Final = re.compile(r"\A\s*+(\w[\w ]*+):\s*+(\{.*\})\s*+$")
_COMMA: Final = re.compile(r",(\s*[}\]])")
_SLICE: Final = re.compile(r"tpu-?v[23]-(\d+)", re.IGNORECASE)
_RESULT: Final = re.compile(r"result[_-]?(\d+)", re.IGNORECASE)
_LAST: Final = re.compile(r"(\d+)\D*$")
_LONGEST_NUMBER: Final = 9
"""Digits from which the number in a log's name is a time or a job id."""

_TABLES: Final = tables_of(__file__)
_FRAMEWORKS: Final[Sequence[str]] = _TABLES["frameworks"]

_HOST: Final = 8
"""TPU cores of one host; v0.5 files of larger slices give each node all cores of the slice."""

_MOST: Final = 1_000_000
"""Bytes of a file of facts that are read; real ones have a few thousand."""

_LONGEST: Final = 300
"""Characters of a fact; longer ones are notes."""

_BITS: Final = 63
_PERSONAL: Final = re.compile(r"poc_|contact|e-?mail")
_LIBRARIES: Final = {
    name: re.compile(rf"{words}\b[ :=]*v?(\d[\w.]*)", re.IGNORECASE)
    for name, words in _TABLES["libraries"].items()
}


@dataclass(frozen=True, slots=True)
class SubmissionFacts:
    """Submitter, system and software, as far as stated by folder and files beside a log.

    Attributes:
        path: Path of the log below its repository, for locators.
        round: `v0.5`; None if not in the path.
        submitter: As in the submission, else the name of its folder.
        folder: Folders that distinguish the submitter's systems, joined by `-`.
        system: Name of the system in the submission.
        benchmark: Name of the log's folder.
        index: N of `result_N.txt`.
        accelerators: Chips over all nodes; `accelerator` is their name as written. For a system
            stated to have none, its processors and their name.
        framework: As written; `software` is parsed from it and its neighbours.
        scaling_factor: Factor of the mean time by the rules, from `scaling.json` beside the log;
            NaN if it cannot be read.
    """

    path: str
    round: str | None = None
    submitter: str | None = None
    submitter_folder: str | None = None
    folder: str | None = None
    system: str | None = None
    benchmark: str | None = None
    index: int | None = None
    division: str | None = None
    accelerator: str | None = None
    accelerators: int | None = None
    nodes: int | None = None
    cpu: str | None = None
    cpu_cores: int | None = None
    cpu_threads: int | None = None
    memory_bytes: int | None = None
    os: str | None = None
    framework: str | None = None
    software: tuple[Software, ...] = ()
    scaling_factor: float | None = None
    missing: tuple[str, ...] = field(default=())


def facts_of(path: Path) -> SubmissionFacts:
    """Reads the facts in the folders around a log, and the files beside it."""
    # for names alone: files are opened by the path itself
    parts = tuple(map(plain, path.resolve().parts))
    round_, start = _round(parts)
    facts = SubmissionFacts(path=parts[-1], round=round_, index=_index(path))
    if "results" not in parts:
        only = (
            "no folder `results` above it: of submitter and system only what the log says is known"
        )
        return replace(facts, missing=(only,))
    at = len(parts) - 1 - parts[::-1].index("results")
    # no folder above the submitter's
    start = start if round_ is not None and start < at else max(at - 1, 0)
    below = parts[at + 1 : -1]  # system and benchmark
    system = below[0] if below else None
    root = Path(*path.resolve().parts[:at])
    entry, described = _beside(path, at)
    old = round_ == "v0.5" or entry.is_file()
    above = parts[start + 1 : at] if old and round_ else parts[at - 1 : at]
    above = above[1:] if old and above and re.fullmatch(r"v[\d.]+", above[0]) else above
    submitter = above[0] if above else None
    facts = replace(
        facts, path="/".join(parts[start:]), submitter=submitter, submitter_folder=submitter
    )
    if system is None:
        return replace(facts, missing=("no system folder",))
    missing: list[str] = []
    words = _words(entry) or _words(described)
    if not words:
        missing.append(f"neither {entry.name} nor systems/{described.name} says what the system is")
        words = _only(root, described, missing) or _numbered(described, missing)
    factor = _scaling(path.parent / "scaling.json")
    if factor is not None and math.isnan(factor):
        missing.append("scaling.json beside it has no scaling_factor above 0, so there is no score")
    submission = _words(root / "submission.json")
    facts = replace(
        facts,
        submitter=_text(words, "submitter") or _text(submission, "org") or submitter,
        folder="-".join([*(each for each in above[1:] if each != "submission"), system]),
        benchmark=below[1] if len(below) > 1 else None,
        scaling_factor=factor,
        missing=tuple(missing),
    )
    return _with_system(facts, system, words)


def _index(path: Path) -> int | None:
    """Returns the number of a log's repetition: the one after `result`, else the last in its name.

    If several logs of a folder share that number, or it is a time, their place in the folder
    counts.
    """
    if (found := _RESULT.fullmatch(path.stem)) and len(found[1]) < _LONGEST_NUMBER:
        return int(found[1])
    if not _LAST.search(path.stem):
        return None
    beside = {path.stem} | {
        each.stem
        for each in path.parent.glob(f"*{path.suffix}")
        if _LAST.search(each.stem) and _before(each.stem) == _before(path.stem)
    }
    for number_ in (_RESULT, _LAST):
        named = {stem: match[1] for stem in beside if (match := number_.search(stem))}
        own = named.get(path.stem)
        if own and len(own) < _LONGEST_NUMBER and len({*map(int, named.values())}) == len(named):
            return int(own)
    return sorted(beside).index(path.stem)


def _before(stem: str) -> str:
    """Returns the text before `result` in a log's name, such as the benchmark if one folder has the
    logs of several.
    """
    found = _RESULT.search(stem)
    return stem[: found.start()] if found else ""


def _with_system(facts: SubmissionFacts, system: str, words: Mapping[str, Any]) -> SubmissionFacts:
    nodes = _nodes(words)
    alone = _alone(nodes)
    chips = _sockets(nodes) if alone else _chips(nodes)
    said = re.search(r"tpu-?v[234]-(\d+)", system.lower())
    missing = facts.missing
    if said and chips is not None and chips * 2 != int(said[1]):
        means = f"a name that means {said[1]} cores, two on each chip"
        missing = (*missing, f"{chips} chips by the system's file, and {means}")
    framework = _text(words, "framework")
    return replace(
        facts,
        system=_text(words, "system_name", "hardware") or system,
        division=_division(_text(words, "division", "divison")),
        accelerator=nodes.get("cpu") if alone else nodes.get("accelerator"),
        accelerators=chips,
        nodes=_count(nodes.get("nodes")),
        cpu=nodes.get("cpu"),
        cpu_cores=_count(nodes.get("cores")),
        cpu_threads=_count(nodes.get("threads")),
        memory_bytes=_bytes(nodes.get("memory_gb")),
        os=_text(words, "os", "operating_system"),
        framework=framework,
        software=tuple(_software(words, framework)),
        missing=missing,
    )


def _division(written: str | None) -> str | None:
    return None if written is None else {"close": "closed"}.get(written.lower(), written.lower())


def _round(parts: tuple[str, ...]) -> tuple[str | None, int]:
    for index, part in enumerate(parts):
        if found := re.fullmatch(r"training_results_(v\d+\.\d++).*", part):
            return found[1], index
    for index, part in enumerate(parts):
        if found := re.fullmatch(r"(v\d+\.\d+)(?:\.\d+)?", part):
            return found[1], index
    return None, len(parts)


def _beside(path: Path, at: int) -> tuple[Path, Path]:
    """Returns the two places of a system's facts: beside its results (v0.5), and with the
    submission's other systems.
    """
    parts = path.resolve().parts
    return Path(*parts[: at + 2]) / "entry.json", Path(
        *parts[:at]
    ) / "systems" / f"{parts[at + 1]}.json"


def _only(root: Path, described: Path, missing: list[str]) -> dict[str, Any]:
    """Returns the facts of the only system that a submission both describes and has results of, if
    its file and folder differ in name.
    """
    files = sorted((root / "systems").glob("*.json"))
    folders = [each for each in sorted((root / "results").glob("*")) if each.is_dir()]
    if len(files) != 1 or len(folders) != 1 or files[0] == described:
        return {}
    missing[-1] += (
        f"; {files[0].name}, the only file of {described.parent.name}/, is taken for the only "
        "system"
    )
    return _words(files[0])


def _numbered(described: Path, missing: list[str]) -> dict[str, Any]:
    """Returns the facts of the only file with the accelerators of a folder's name, `v100-1280`."""
    said = re.fullmatch(r"([a-z]+\d+)-(\d{1,6})", described.stem, re.IGNORECASE)
    if said is None:
        return {}
    found = {path.name: _words(path) for path in sorted(described.parent.glob("*.json"))}
    fits = [
        name
        for name, words in found.items()
        if _chips(nodes := _nodes(words)) == int(said[2])
        and said[1].lower() in str(nodes.get("accelerator")).lower()
    ]
    if len(fits) != 1:
        return {}
    missing[-1] += f"; {fits[0]}, the only file of {said[2]} {said[1]}, is taken"
    return found[fits[0]]


def _scaling(path: Path) -> float | None:
    if not path.exists():
        return None
    factor = number(_words(path).get("scaling_factor"))
    return factor if factor is not None and factor > 0 else math.nan


def _words(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            text = file.read(_MOST).decode("utf-8-sig", errors="replace")
    except OSError:
        return {}
    try:
        found = _json(text)
    except (ValueError, RecursionError):
        found = dict(_lines(text))
    if not isinstance(found, dict):
        return {}
    words = {str(name).strip().lower().replace(" ", "_"): value for name, value in found.items()}
    if isinstance(words.get("entry"), dict):
        words = {
            **words,
            **{str(name).strip().lower(): value for name, value in words.pop("entry").items()},
        }
    return {name: value for name, value in words.items() if not _PERSONAL.search(name)}


def _json(text: str) -> Any:
    """Parses JSON, also with a trailing comma, as some files were written by hand."""
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return json.loads(_COMMA.sub(r"\1", text), strict=False)


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    """Yields pairs from NVIDIA's v0.6 files: lines of the log with their beginning cut off, `entry:
    {"value": "{'os': ...}", ...}`.
    """
    for line in text.splitlines():
        if not (found := _LINE.match(line)):
            continue
        try:
            value = _literal(json.loads(found[2], strict=False).get("value"))
        except (ValueError, RecursionError, AttributeError):
            continue
        yield found[1], value


def _literal(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in "{[":
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return value
    if isinstance(value, dict):
        return {str(name): _literal(inner) for name, inner in value.items()}
    return None if isinstance(value, int) and value.bit_length() > _BITS else value


def _text(words: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = words.get(name)
        if isinstance(value, (str, int)) and str(value).strip().lower() not in _NOTHING:
            return plain(str(value))[:_LONGEST] or None
    return None


def _count(value: Any) -> int | None:
    found = re.match(r"\s*(\d{1,9})(?:\.0*)?\s*$", str(value))
    return int(found[1]) or None if found else None


def _nodes(words: Mapping[str, Any]) -> dict[str, Any]:
    """Returns nodes, accelerators per node and names, by the same keys for both kinds of file."""
    nodes = words.get("nodes")
    if isinstance(nodes, list):
        many = (node for node in nodes if isinstance(node, dict) and _text(node, "accelerator"))
        nodes = next(many, next((node for node in nodes if isinstance(node, dict)), None))
    old = isinstance(nodes, dict)
    source, names = (nodes, _TABLES["old"]) if isinstance(nodes, dict) else (words, _TABLES["new"])
    found: dict[str, Any] = {name: source.get(key) for name, key in names.items()}
    return found | {
        "cores_not_chips": old,
        "accelerator": _text(source, names["none"]),
        "cpu": _text(source, names["cpu"]),
        "sockets": words.get("host_processors_per_node"),
    }


def _alone(nodes: Mapping[str, Any]) -> bool:
    return str(nodes["none"]).strip().lower() in {"na", "n/a"} and nodes.get("cpu") is not None


def _sockets(nodes: Mapping[str, Any]) -> int | None:
    count, each = _count(nodes.get("nodes")), _count(nodes.get("sockets"))
    return None if count is None or each is None else count * each


def _bytes(gigabytes: Any) -> int | None:
    """Returns the host memory in v0.5 files: a number of GB, sometimes as text or "NA"."""
    size = number(gigabytes)
    return int(size * 1e9) if size is not None and size > 0 else None


def _chips(nodes: Mapping[str, Any]) -> int | None:
    """Returns the accelerators over all nodes. v0.5 files count the cores of a TPU, two on each
    chip; later ones count chips.

    `tpuv2-512` with 64 nodes of 512 is one slice of 512 cores and 64 hosts.
    """
    count, each = _count(nodes.get("nodes")), _count(nodes.get("each"))
    if count is None or each is None:
        return None
    total = count * each
    if nodes["cores_not_chips"] and "tpu" in str(nodes.get("accelerator")).lower():
        named = _SLICE.search(str(nodes.get("accelerator")))
        if named and each > _HOST and each == int(named[1][:9]):
            total = each
        return total // 2 if total % 2 == 0 else None
    return total


def _software(words: Mapping[str, Any], framework: str | None) -> Iterator[Software]:
    if framework is not None:
        # the number there is the container's
        container = re.search(r"\b(?:NGC|Release)\b", framework)
        for name in _FRAMEWORKS:
            if found := re.search(
                rf"\b{_TABLES['short'].get(name, name)}(?:[ -]?v?(\d[\w.]*)|\b)",
                framework,
                re.IGNORECASE,
            ):
                yield Software(name, None if container else found[1])
        if found := re.search(r"\b(?:NGC|Release)\b\D*(\d\d\.\d\d)", framework):
            yield Software("ngc-container", found[1])
    places = ("libraries", "other_software_stack", "runtime", "framework", "accelerator_driver")
    texts = " ; ".join(_flat(words.get(name)) for name in places)
    for name, pattern in _LIBRARIES.items():
        if found := pattern.search(texts):
            yield Software(name, found[1].rstrip("."))


def _flat(value: Any, levels: int = 5) -> str:
    if isinstance(value, dict) and levels:
        return " ; ".join(f"{name} {_flat(inner, levels - 1)}" for name, inner in value.items())
    if isinstance(value, list) and levels:
        return " ; ".join(_flat(inner, levels - 1) for inner in value)
    return str(value) if isinstance(value, (str, int, float)) else ""
