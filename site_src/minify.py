"""Smaller HTML, styles and scripts: there are many pages of runs, and on a slow network each
kilobyte is noticeable.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from rcssmin import cssmin
from rjsmin import jsmin

_MAY_BE_LEFT_OUT: Final = re.compile(
    r"\s*</(?:dt|dd|td|th|tr|li|thead|tbody)>\s*|</p>\s*(?=<(?:p|h2|dl|ul|div|figure)\b)|\n+"
)
_TAG: Final = re.compile(r"<[a-z][^<>]*>")
_QUOTED: Final = re.compile(
    r'(?<==)"([A-Za-z0-9_.:@#/%&;?+-]*[A-Za-z0-9_:@#-])"(?=[ >])|(?<==)"([A-Za-z0-9_./-]*/)"(?= )'
)
"""A value that needs no quotes: without spaces, quotes, or a slash before the tag's end, which
would look like that of an empty element.
"""

_REFERS: Final = re.compile(r' data-(ref|of)=("[^"]*"|[^\s>]*)')
_ID: Final = re.compile(r' id="?([^\s">]*)')
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.:@#%+-]+")
_BEGINS: Final = re.compile(r"\brun:(?:[^:,()]*-(?=\d+:)|[^:,()]+:)")
"""The common prefix of references to the runs of a result: everything but the run's number."""

_AHEAD: Final = 16
"""References that are searched for a common prefix."""


def slim(body: str) -> str:
    """HTML without optional end tags and quotes: there are many pages of runs."""
    return _TAG.sub(lambda tag: _unquoted(tag[0]), _MAY_BE_LEFT_OUT.sub("", body))


@lru_cache(maxsize=2**14)  # most pages of runs share their tags
def _unquoted(tag: str) -> str:
    return _QUOTED.sub(r"\1\2", tag)


def spelled(ref: str, of: str) -> str:
    """The full reference: a leading colon, of it or of an input in it, is replaced by the preceding
    `data-of` of the page.
    """
    return _begun(ref, ":", of) if of else ref


def _begun(ref: str, old: str, new: str) -> str:
    """The reference with another prefix, of itself and of its inputs."""
    if ref.startswith(old):
        ref = new + ref[len(old) :]
    return ref.replace(f"({old}", f"({new}").replace(f", {old}", f", {new}")


def shortened(body: str) -> str:
    """HTML in which references with a common prefix leave it to a `data-of` before them."""
    marks = list(_marks(body))
    pieces, at, of = [], 0, ""
    for number, (start, end, ref, new) in enumerate(marks):
        if new:
            of = new
            continue
        said = ""
        if not of or of not in ref:
            before, of = of, _beginning(of, [one[2] for one in marks[number : number + _AHEAD]])
            said = "" if of == before else f" data-of={_quoted(of)}"
        short = _short(ref, of)
        if said or short != body[start:end].partition("=")[2].strip('"'):
            pieces += [body[at:start], said, f" data-ref={_quoted(short)}"]
            at = end
    return "".join([*pieces, body[at:]])


def _marks(body: str) -> Iterator[tuple[int, int, str, str]]:
    """Yields the place of each reference of a page, with its full form; or a prefix that is set
    there.
    """
    of = ""
    for found in _REFERS.finditer(body):
        place, value = found.start(), found[2].strip('"')
        tag = body.rfind("<", 0, place)
        if tag < body.rfind(">", 0, place):
            continue  # in a text
        if found[1] == "ref":
            yield place, found.end(), spelled(value, of), ""
            continue
        own = _ID.search(body, tag, place) if value == "#" else None
        of = value if own is None else f"run:{own[1]}:"
        yield place, place, "", of


def _beginning(of: str, ahead: Sequence[str]) -> str:
    """The best prefix for the following references: as before, or that of the first one."""
    found = _BEGINS.search(ahead[0])
    if found is None:
        return of
    own = found[0]
    gained = sum(ref.count(own) for ref in ahead) * (len(own) - 1) - len(f' data-of="{own}"')
    lost = sum(ref.count(of) for ref in ahead) * (len(of) - 1) if of else 0
    return own if gained > lost else of


def _short(ref: str, of: str) -> str:
    """The shortest reference that `spelled` expands to this one."""
    short = _begun(ref, of, ":") if of else ref
    return short if spelled(short, of) == ref else ref


def _quoted(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else f'"{value}"'


def lean(name: str, content: bytes) -> bytes:
    """Minifies a style or script of ours; other files stay as they are."""
    made = {".css": cssmin, ".js": jsmin}.get(name[name.rfind(".") :])
    return content if made is None else f"{made(content.decode())}\n".encode()
