"""Every key that a record may hold has words in every language."""

import tomllib
from pathlib import Path

import pytest

from kernels.checks import keys

STRINGS = sorted((Path(__file__).parents[2] / "site_src" / "strings").glob("*.toml"))


@pytest.mark.parametrize("path", STRINGS, ids=[path.stem for path in STRINGS])
def test_keys_are_those_of_the_strings(path: Path) -> None:
    """Neither has one that the other lacks: a new string is a new key, and a new key needs its
    strings.
    """
    strings = tomllib.loads(path.read_text(encoding="utf-8"))

    assert {group: set(strings[group]) for group in keys.known()} == {
        group: set(found) for group, found in keys.known().items()
    }
