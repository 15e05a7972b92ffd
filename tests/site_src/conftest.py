"""Fixtures of the tests of the site."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def chart_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of compiled charts, pictures and runtimes for all tests: each is made once."""
    return tmp_path_factory.mktemp("charts")
