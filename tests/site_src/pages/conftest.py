"""Pages of all transcribed articles, one writer at a time."""

import dataclasses
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from kernels import catalog
from kernels.audit.facts import Facts
from kernels.importers import article
from kernels.records import Source
from kernels.store import Archive
from site_src.locales import load
from site_src.model import BuildOptions
from site_src.pages import CONTENT
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from tests.site_src.tongues import STRINGS

Written = Callable[..., Writer]


@pytest.fixture(scope="session")
def articles(repository: Path) -> Archive:
    """Every article in `runs/sources`."""
    found = [
        article.transcribed(path)
        for path in sorted((repository / "runs/sources").iterdir())
        if path.is_dir()
    ]
    return Archive(
        runs=tuple(run for each in found for run in each.runs),
        claims=tuple(claim for each in found for claim in each.claims),
        sources=tuple(source for each in found for source in each.sources),
        reviews=tuple(review for each in found for review in each.reviews),
        cells=tuple(cell for each in found for cell in each.cells),
    )


@pytest.fixture(scope="session")
def written(articles: Archive) -> Written:
    """A writer of an English page at a path; with a source, one in whose archive that source stands
    instead of its own.
    """
    [english] = load(STRINGS, ["en"])

    def at(path: str, source: Source | None = None) -> Writer:
        sources = tuple(
            source if source and source.source == each.source else each for each in articles.sources
        )
        archive = dataclasses.replace(articles, sources=sources)
        known = catalog.load()
        options = BuildOptions(date=date(2026, 11, 20))
        return Writer(
            Site(
                archive,
                known,
                Facts(archive, known),
                {},
                options=options,
                reports=[],
                content=CONTENT,
            ),
            english,
            path,
        )

    return at
