"""Every key that a record may hold has words in every language."""

from kernels.checks import keys
from site_src.locales import load
from tests.site_src.tongues import STRINGS


def test_keys_are_those_of_the_strings() -> None:
    """Neither has one that the other lacks: a new string is a new key, and a new key needs its
    strings, in a report's words or in those of the site.
    """
    for locale in load(STRINGS):
        found = {group: set[str]() for group in keys.known()}
        for group, _, key in (known.partition(".") for known in locale.strings):
            found.get(group, set()).add(key)

        assert found == {group: set(listed) for group, listed in keys.known().items()}
