"""Every key that a record may hold has words in every language."""

from kernels.checks import keys
from site_src.locales import load
from tests.site_src.tongues import STRINGS


def test_keys_are_those_of_the_strings() -> None:
    """`kernels check` takes the keys that each language has words for, and no other: from a
    report's words or those of the site.
    """
    for locale in load(STRINGS):
        found = {group: set[str]() for group in keys.known()}
        for group, _, key in (known.partition(".") for known in locale.strings):
            found.get(group, set()).add(key)

        assert found == {group: set(listed) for group, listed in keys.known().items()}
