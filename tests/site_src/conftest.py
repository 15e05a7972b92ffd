"""Fixtures of the tests of the site."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def chart_cache(repository: Path) -> Path:
    """The cache of compiled charts, pictures and runtimes that builds of this checkout use: what
    any test has made once, all find there.
    """
    return repository / ".cache"
