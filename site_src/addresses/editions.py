"""Editions: the charts, their tables, the reports and the API of a day, at addresses that never
change.

An edition is one file, `runs/editions/<name>.tar.xz`: what it consists of (`edition.json`), and
those of its files that no earlier edition has, each under its hash. A build sets it out below
`r/<name>/`. The site's address and the edition's stand in its files as `SITE` and `OWN`. Pictures
as PNG are left out: they can be had of the SVG.
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
"""Where editions are, below site/."""

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
"""Files beside those of charts: tables, and what frames and elements load."""


class EditionError(TouchstoneError):
    """An edition cannot be made or set out; says which and what to do."""


@dataclass(frozen=True, slots=True)
class Edition:
    """What an edition consists of.

    Attributes:
        day: Of its figures.
        files: Hashes by path, below its own folder.
        charts: Ids of its charts.
        state: What was there, by kind and id, as `pages.edition.state` writes it.
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
    """Its place among editions: 2026.10 comes after 2026.9."""
    return tuple(map(int, name.split(".")))


def path_of(runs: Path, name: str) -> Path:
    """The file of an edition."""
    return runs / FOLDER / f"{name}{ENDING}"


def read(runs: Path) -> tuple[Edition, ...]:
    """All editions, the oldest first.

    Raises:
        EditionError: One is damaged, or its file is called otherwise.
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
        EditionError: It is none, is taken, or does not come after those that are there.
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
    """Yields the files of the written site that an edition has, as it keeps them.

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
    """A file as the edition keeps it: addresses of what it has itself are its own, others lead to
    the living site.
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
        text = re.sub(rf'("provider_url": ?"){OWN}"', rf'\g<1>{SITE}"', text)  # who serves it
    folder, _, rest = path.partition("/")
    if folder == "c" and "/" in rest:
        id_ = re.escape(rest.partition("/")[0])
        outward = rf"\.\./\.\./(?=(?:{languages})/)(?!(?:{languages})/c/{id_}/)"
        text = re.sub(outward, "../../../../", text)
    return text.encode()


def page(
    edition: tuple[str, date], kind: str, path: str, values: Mapping[str, object], locale: Locale
) -> tuple[str, bytes]:
    """A page of an edition: its path there, and itself.

    Args:
        edition: Its name and day.
        kind: What the page is of, by the name of its template: `chart` or `report`.
        path: The living page, below its language.
        values: What the template asks for, `title` and `heading` among them.
        locale: Its language.
    """
    name, day = edition
    given = {**values, "locale": locale, "name": name, "day": day, "current": path}
    document = opening(fill_document(f"edition_{kind}.html", given))
    return f"{locale.code}/{path}index.html", document.encode()


def write(runs: Path, edition: Edition, files: Mapping[str, bytes]) -> Path:
    """Keep an edition; `files` are all of its files. Whole or not at all.

    Raises:
        EditionError: The name cannot be had.
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
    """Files of a kind beside each other: they say much the same."""
    name = one[0].rpartition("/")[2]
    return name.rpartition(".")[2], one[0]


def hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    """Of contents, by path."""
    return {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}


def _packed(members: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz", format=tarfile.USTAR_FORMAT) as pack:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            pack.addfile(info, io.BytesIO(content))
    return made.getvalue()


# Setting it out


def assets(runs: Path, editions: Sequence[Edition], name: str, base: str) -> Iterator[Asset]:
    """The files of an edition, as the site has them.

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
    """What stands at its own address: the way to its page."""
    note("editions")
    values = {"name": edition.name, "locales": locales}
    document = fill_document("edition_front.html", values)
    return Asset(f"{edition.place}index.html", document.encode())


def listed(editions: Iterable[Edition]) -> Asset:
    """What the panel beside charts offers: editions, the newest first, and the charts of each."""
    note("editions")
    told = {one.name: one.charts for one in editions}
    newest = dict(sorted(told.items(), key=lambda one: order(one[0]), reverse=True))
    code = f"window.touchstoneEditions={json.dumps(newest)};\n"
    return Asset(f"{PLACE}editions.js", code.encode())
