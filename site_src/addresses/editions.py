"""Editions: the charts, their tables, the reports and the API of a day, at addresses that never
change.

An edition is one file, `runs/editions/<name>.tar.xz`: its description (`edition.json`), and its
files that no earlier edition has, each under its hash. A build unpacks it below `r/<name>/`. In its
files `SITE` and `OWN` represent the addresses of the site and of the edition. PNG pictures are left
out: they can be made from the SVG.
"""

import hashlib
import io
import json
import lzma
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from kernels import disk
from kernels.errors import TouchstoneError
from kernels.reading import note
from kernels.store import lock
from site_src.links import opening
from site_src.locales import Locale
from site_src.model import Asset
from site_src.templates import fill_document

FOLDER: Final = "editions"
ENDING: Final = ".tar.xz"
PLACE: Final = "r/"
"""Folder of editions, below site/."""

NAME: Final = re.compile(r"(20\d\d)\.([1-9]\d?)")
"""A year and a number within it."""

SITE: Final = "https://site.invalid/"
OWN: Final = "https://edition.invalid/"
_HEAD: Final = "edition.json"
_TEXTS: Final = (".svg", ".json", ".bib", ".js", ".html", ".csv", ".css", ".txt")
_SHARED: Final = re.compile(
    r"api/v1/[^/]+\.json(\.gz)?|data/[^/]+\.parquet|c/touchstone-[^/]+"
    r"|assets/touchstone-(frame|mount|runtime|favicon)\.[^/]+"
)
"""Files besides those of charts: tables, and what frames and elements load."""


class EditionError(TouchstoneError):
    """An edition cannot be made or unpacked; says which and what to do."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The description of an edition.

    Attributes:
        day: Of its figures.
        files: Hashes by path, below its own folder.
        charts: Ids of its charts.
        state: The site's contents, by kind and id, as `pages.edition.state` writes it.
    """

    name: str
    day: date
    files: Mapping[str, str]
    charts: tuple[str, ...]
    state: Mapping[str, Mapping[str, Any]]

    @property
    def place(self) -> str:
        """Its folder below site/."""
        return f"{PLACE}{self.name}/"


def order(name: str) -> tuple[int, ...]:
    """Sort key of an edition: 2026.10 comes after 2026.9."""
    return tuple(map(int, name.split(".")))


def path_of(runs: Path, name: str) -> Path:
    """The file of an edition."""
    return runs / FOLDER / f"{name}{ENDING}"


def read(runs: Path) -> tuple[Edition, ...]:
    """All editions, the oldest first.

    Raises:
        EditionError: One is damaged, or its file has another name.
    """
    found = [_head(path) for path in (runs / FOLDER).glob(f"*{ENDING}")]
    return tuple(sorted(found, key=lambda one: order(one.name)))


def _head(path: Path) -> Edition:
    try:
        with tarfile.open(path, "r|xz") as pack:
            first = pack.next()
            told = json.load(pack.extractfile(first)) if first else {}  # type: ignore[arg-type]  # a file
        day, name = date.fromisoformat(told["day"]), told["name"]
        found = Edition(name, day, told["files"], tuple(told["charts"]), told["state"])
    except (OSError, EOFError, lzma.LZMAError, tarfile.TarError, ValueError, LookupError) as error:
        raise _damaged(path, str(error)) from None
    if path.name != f"{found.name}{ENDING}" or not NAME.fullmatch(found.name):
        raise _damaged(path, f"holds the edition {found.name!r}")
    return found


def _damaged(path: Path, why: str) -> EditionError:
    return EditionError(
        f"{path}: is no whole edition ({why}). Its addresses are promises: take the file from the "
        "history"
    )


def hold_name(runs: Path, name: str) -> None:
    """Refuse a name that an edition cannot have.

    Raises:
        EditionError: It is malformed, taken, or not after the existing ones.
    """
    if not NAME.fullmatch(name):
        raise EditionError(f"edition {name!r}: wanted a year and a number, such as 2026.4")
    names = [one.name for one in read(runs)]
    if name in names:
        raise EditionError(
            f"edition {name}: is in {path_of(runs, name)}, and an edition never changes; give the "
            "next one another name"
        )
    if names and order(name) < order(names[-1]):
        raise EditionError(f"edition {name}: comes before {names[-1]}, the last one; name it later")


# Making one


def taken(
    out: Path, paths: Iterable[str], charts: Sequence[str], codes: Sequence[str], base: str
) -> Iterator[tuple[str, bytes]]:
    """Yields the files of the written site that an edition keeps, converted.

    Args:
        out: The site.
        paths: Of all its files.
        charts: Ids of its charts.
        codes: Its languages.
        base: Address of its root; empty for none.
    """
    ids = set(charts)
    for path in paths:
        parts = path.split("/")
        of_chart = parts[0] == "c" and parts[1] in ids and not path.endswith(".png")
        if of_chart or _SHARED.fullmatch(path):
            content = (out / path).read_bytes()
            yield path, _kept(path, content, codes, base)


def _kept(path: str, content: bytes, codes: Sequence[str], base: str) -> bytes:
    """A file converted for the edition: addresses within the edition are its own, others lead to
    the current site.
    """
    if not path.endswith(_TEXTS):
        return content
    text, languages = content.decode(), "|".join(codes)
    if base:
        live = re.compile(rf"(?:{languages})/(?!c/)|.*\.png$")
        text = re.sub(
            rf"{re.escape(base)}([^\s\"'<>\\()]*)",
            lambda found: (SITE if live.match(found[1]) else OWN) + found[1],
            text,
        )
        text = re.sub(rf'("provider_url": ?"){OWN}"', rf'\g<1>{SITE}"', text)  # the host
    folder, _, rest = path.partition("/")
    if folder == "c" and "/" in rest:
        id_ = re.escape(rest.partition("/")[0])
        outward = rf"\.\./\.\./(?=(?:{languages})/)(?!(?:{languages})/c/{id_}/)"
        text = re.sub(outward, "../../../../", text)
    return text.encode()


def page(
    edition: tuple[str, date], kind: str, path: str, values: Mapping[str, object], locale: Locale
) -> tuple[str, bytes]:
    """A page of an edition: its path there, and its content.

    Args:
        edition: Its name and day.
        kind: The name of its template: `chart` or `report`.
        path: The current page, below its language.
        values: Values of the template, `title` and `heading` among them.
        locale: Its language.
    """
    name, day = edition
    given = {**values, "locale": locale, "name": name, "day": day, "current": path}
    document = opening(fill_document(f"edition_{kind}.html", given))
    return f"{locale.code}/{path}index.html", document.encode()


def write(runs: Path, edition: Edition, files: Mapping[str, bytes]) -> Path:
    """Keep an edition with all of its files, whole or not at all.

    Raises:
        EditionError: The name cannot be used.
        StoreError: Another build holds the folder for too long, or it cannot be written to.
    """
    path = path_of(runs, edition.name)
    with lock.writing(runs, path):
        hold_name(runs, edition.name)
        known = {hash_ for one in read(runs) for hash_ in one.files.values()}
        new = {
            edition.files[name]: content
            for name, content in sorted(files.items(), key=_by_kind)
            if edition.files[name] not in known
        }
        head = {
            "name": edition.name,
            "day": edition.day.isoformat(),
            "charts": edition.charts,
            "files": edition.files,
            "state": edition.state,
        }
        told = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
        with disk.named(path):
            path.parent.mkdir(exist_ok=True)
            disk.put(path, _packed({_HEAD: told, **new}))
    return path


def _by_kind(one: tuple[str, bytes]) -> tuple[str, str]:
    """Sorts similar files together, for better compression."""
    name = one[0].rpartition("/")[2]
    return name.rpartition(".")[2], one[0]


def hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    """Hashes of contents, by path."""
    return {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}


def _packed(members: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz", format=tarfile.USTAR_FORMAT) as pack:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            pack.addfile(info, io.BytesIO(content))
    return made.getvalue()


# Unpacking it


def assets(runs: Path, editions: Sequence[Edition], name: str, base: str) -> Iterator[Asset]:
    """The files of an edition, for the site.

    Raises:
        EditionError: A file is missing or damaged.
    """
    note("editions")
    edition = next(one for one in editions if one.name == name)
    wanted: dict[str, list[str]] = {}
    for path, hash_ in edition.files.items():
        wanted.setdefault(hash_, []).append(path)
    for one in reversed([other for other in editions if order(other.name) <= order(name)]):
        for hash_, content in _objects(path_of(runs, one.name), wanted):
            for path in wanted.pop(hash_):
                yield Asset(f"{edition.place}{path}", _set_out(path, content, edition, base))
    if wanted:
        [path, *_] = next(iter(wanted.values()))
        raise _damaged(path_of(runs, name), f"{path} is in none of the earlier editions either")


def _objects(path: Path, wanted: Mapping[str, object]) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(path, "r|xz") as pack:
            for member in pack:
                if member.name in wanted:
                    content = pack.extractfile(member).read()  # type: ignore[union-attr]  # a file
                    if hashlib.sha256(content).hexdigest() != member.name:
                        raise _damaged(path, f"{member.name} has another hash")
                    yield member.name, content
    except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as error:
        raise _damaged(path, str(error)) from None


def _set_out(path: str, content: bytes, edition: Edition, base: str) -> bytes:
    if not path.endswith(_TEXTS):
        return content
    own = f"{base}{edition.place}" if base else ""
    return content.replace(OWN.encode(), own.encode()).replace(SITE.encode(), base.encode())


def front(edition: Edition, locales: Sequence[Locale]) -> Asset:
    """A page at the edition's own address, with a link to its page."""
    note("editions")
    values = {"name": edition.name, "locales": locales}
    document = fill_document("edition_front.html", values)
    return Asset(f"{edition.place}index.html", document.encode())


def listed(editions: Iterable[Edition]) -> Asset:
    """The list of editions for the panel beside charts, newest first, with the charts of each."""
    note("editions")
    told = {one.name: one.charts for one in editions}
    newest = dict(sorted(told.items(), key=lambda one: order(one[0]), reverse=True))
    code = f"window.touchstoneEditions={json.dumps(newest)};\n"
    return Asset(f"{PLACE}editions.js", code.encode())
