"""HTML, styles and scripts with less in them that says nothing: pages of runs are many, and on a
slow network each kilobyte is seen.
"""

import re
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
"""A value that needs no quotes: no space, no quote, and no stroke before the tag's end, which would
read like that of an empty element.
"""


def slim(body: str) -> str:
    """HTML without the end tags and the quotes that it may leave out: there are many pages of
    runs.
    """
    return _TAG.sub(lambda tag: _unquoted(tag[0]), _MAY_BE_LEFT_OUT.sub("", body))


@lru_cache(maxsize=2**14)  # pages of runs have mostly the same tags
def _unquoted(tag: str) -> str:
    return _QUOTED.sub(r"\1\2", tag)


def lean(name: str, content: bytes) -> bytes:
    """A style or script of ours as it is published; any other file as it is."""
    made = {".css": cssmin, ".js": jsmin}.get(name[name.rfind(".") :])
    return content if made is None else f"{made(content.decode())}\n".encode()
