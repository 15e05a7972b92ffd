"""Pages against each other: languages have the same pages, and the addresses of links, resources,
styles and search exist.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from site_src.build import search as index
from site_src.verify.facts import Fault
from site_src.verify.html import Read, css


def languages(pages: Mapping[str, Read], codes: Sequence[str]) -> Iterator[Fault]:
    """Yields pages, figures and anchors that languages do not share, and wrong language
    attributes.
    """
    own: dict[str, dict[str, tuple[str, Read]]] = {code: {} for code in codes}
    for name, page in pages.items():
        if (code := language(name)) in own:
            path = name.partition("/")[2]
            own[code][path.replace(f".{code}.", "..")] = (name, page)
    first = codes[0]
    for code in codes:
        for path in sorted(own[first].keys() ^ own[code].keys()):
            lacks, has = (code, first) if path in own[first] else (first, code)
            yield f"{lacks}/{path}", f"is missing; {has} has this page"
        for path, (name, page) in sorted(own[code].items()):
            yield from ((name, fault) for fault in _unsound(page, code))
            if code != first and path in own[first]:
                found = _differs(page, own[first][path][1], code, first)
                yield from ((name, fault) for fault in found)


def language(name: str) -> str:
    """The language of a page, or of a script with a part of one, by its path."""
    return name.split(".")[-2] if name.endswith(".js") else name.partition("/")[0]


def _unsound(page: Read, code: str) -> Iterator[str]:
    if page.language != code:
        yield f"<html lang> is {page.language!r}, wanted {code!r}"
    if not page.title.strip():
        yield "has no title"
    if page.unclosed:
        yield f"tags do not match: {', '.join(page.unclosed[:5])}"
    if page.twice:
        yield f"ids stand twice: {', '.join(sorted(page.twice)[:5])}"


def _differs(page: Read, other: Read, code: str, first: str) -> Iterator[str]:
    for what, one, two in (
        ("figures", _figures(page), _figures(other)),
        ("anchors", Counter(page.ids), Counter(other.ids)),
    ):
        for extra, holder in ((one - two, code), (two - one, first)):
            if extra:
                some = "; ".join(sorted(extra)[:3])
                yield f"{what} differ from {first}: only {holder} has {some} ({len(extra)} in all)"


def _figures(page: Read) -> Counter[str]:
    return Counter(
        f"{shown.ref}{'/' if shown.end else ''}{shown.end} = {shown.value}"
        for shown in page.figures
    )


def links(pages: Mapping[str, Read], files: set[str], base_url: str = "") -> Iterator[Fault]:
    """Yields links without target, foreign resources, and absolute addresses that are not of this
    site.
    """
    for name, page in pages.items():
        for address in page.links:
            if fault := _follow(name, address, pages, files, base_url) or _folder(name, address):
                yield name, fault
        for address in page.resources:
            if fault := _foreign(address) or _follow(name, address, pages, files, base_url):
                yield name, fault
        for address in page.absolute:
            if not base_url or not address.startswith(base_url):
                own = base_url or "(no --base-url was given)"
                yield name, f"the address {address} is not below the site's own {own}"
            elif fault := _follow(name, address, pages, files, base_url):
                yield name, fault


def _foreign(address: str) -> str | None:
    parts = urlsplit(address)
    if parts.netloc or parts.scheme in {"http", "https", "ws", "wss", "ftp"}:
        return f"loads {address} from another host; every resource is the site's own"
    return None


def _follow(
    name: str, address: str, pages: Mapping[str, Read], files: set[str], base_url: str
) -> str | None:
    """The error of an address on a page; None if it leads to a file and an anchor, or to another
    site.
    """
    own = bool(base_url) and address.startswith(base_url)
    parts = urlsplit(address[len(base_url) :] if own else address)
    if parts.scheme or parts.netloc:
        known = parts.scheme in {"http", "https", "mailto", "data", "blob"}
        return None if known else f"a link with the scheme of {address[:60]!r}"
    if parts.path.startswith("/"):
        return (
            f"the link {address} begins at the host's root; wanted a relative one, which holds "
            "under any folder"
        )
    target = _target(name, parts, from_root=own)
    if target not in files:
        target, folder = posixpath.normpath(posixpath.join(target, "index.html")), target
        if target not in files:
            return f"the link {address} leads to {folder}, which is not there"
        if parts.path and not parts.path.endswith(("/", "..", ".")):
            return (
                f"the link {address} names a folder; write {parts.path}/index.html (a host would "
                "have to redirect)"
            )
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].ids:
        return f"the link {address} leads to #{anchor}, which {target} does not have"
    return None


def _target(name: str, parts: SplitResult, *, from_root: bool) -> str:
    path = unquote(parts.path)
    if from_root:
        return posixpath.normpath(path or ".")
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name


def _folder(name: str, address: str) -> str | None:
    """The error of a link to a page's folder, which from a disk opens a list of files; None for
    frames and 404.html, which need a host, and for links that scripts correct on a disk.
    """
    parts = urlsplit(address)
    hosted = name.startswith("c/") or name == "404.html"
    if parts.scheme or parts.netloc or not parts.path.endswith("/") or hosted:
        return None
    return (
        f"the link {address} names a folder, which opened from a disk is a list of files; "
        f"write {parts.path}index.html"
    )


def styles(out: Path, files: set[str]) -> Iterator[Fault]:
    """Yields addresses in stylesheets that lead to another host, or to nothing."""
    for name in sorted(name for name in files if name.endswith(".css")):
        for address in css((out / name).read_text(encoding="utf-8")):
            if fault := _foreign(address) or _follow(name, address, {}, files, ""):
                yield name, fault


def search(out: Path, pages: Mapping[str, Read], codes: Iterable[str]) -> Iterator[Fault]:
    """Yields search results without their page or anchor, and key figures that are not on their
    page.
    """
    for code in codes:
        name = f"search/{code}.js"
        try:
            listed = list(index.listed(lambda path: (out / path).read_text(encoding="utf-8"), code))
        except (OSError, ValueError, LookupError, TypeError) as error:
            yield name, f"is no search index: {error}"
            continue
        for path, figure, anchors in listed:
            page = pages.get(f"{code}/{path}index.html")
            if page is None:
                yield name, f"leads to {code}/{path}, which is not there"
                continue
            for anchor in {*anchors} - {"", *page.ids}:
                yield name, f"leads to {code}/{path}#{anchor}, which is not there"
            if figure and not _says(out / code / path / "index.html", page, figure):
                yield name, f"says {figure!r} of {code}/{path}, which has no such figure"


def _says(file: Path, page: Read, figure: str) -> bool:
    """True if a figure of the page is in the key figure; without digits, such as the reason for a
    missing score, True if the page has its words.
    """
    if not re.search(r"\d", figure):
        return figure in " ".join(unescape(file.read_text(encoding="utf-8")).split())
    shown = (" ".join(one.text.split()) for one in page.figures)
    return any(text and text in figure for text in shown)
