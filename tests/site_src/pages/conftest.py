"""Pages of all transcribed articles, one writer at a time."""

import dataclasses
from collections.abc import Callable

import pytest

from kernels.records import Source
from kernels.store import Archive
from site_src.pages.components.writer import Writer
from tests.makers import transcribed
from tests.site_src.recorded import english, make_site

Written = Callable[..., Writer]


@pytest.fixture(scope="session")
def articles() -> Archive:
    """Every article in `runs/sources`."""
    return transcribed()


@pytest.fixture(scope="session")
def written(articles: Archive) -> Written:
    """A writer of an English page at a path; with a source, one in whose archive that source stands
    instead of its own.
    """

    def at(path: str, source: Source | None = None) -> Writer:
        sources = tuple(
            source if source and source.source == each.source else each for each in articles.sources
        )
        archive = dataclasses.replace(articles, sources=sources)
        return Writer(make_site(archive), english(), path)

    return at
