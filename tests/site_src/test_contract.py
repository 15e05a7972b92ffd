"""What `kernels check` passes, the build builds: records of every kind as the schema allows them,
checked, and turned into pages.

The examples are the same each time. To look for others, take `derandomize` out of `QUICK`, raise
both `max_examples` to 60 or more, and run this file with `--hypothesis-seed=1`, 2, 3...
"""

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from kernels import catalog, store
from kernels.checks import check
from kernels.errors import Finding, Severity
from kernels.records import Environment, Evaluation, Origin, PrintedCell, Run, Sample, SourceKind
from kernels.store import Archive
from kernels.store.schema import TABLES
from site_src import api, locales, pages
from site_src.build import search
from site_src.charts import downloads, markup
from site_src.cli.arguments import STRINGS
from site_src.cli.licences import without_unlicensed
from site_src.evidence import Evidence
from site_src.model import BuildOptions, Page
from site_src.outputs import feeds
from site_src.pages.components import badges
from tests.examples import tried
from tests.makers import make_run, make_source
from tests.site_src import drawing
from tests.site_src.recordable import OTHERS, archives, mistaken, transcribed

OPTIONS = BuildOptions(built=date(2026, 11, 20), base_url="https://example.org/")
ENGLISH = locales.load(STRINGS, ("en",))
CATALOG = catalog.load()


def recorded(files: dict[str, list[Any]], folder: Path) -> Archive:
    """The archive that these files make."""
    for name, records in files.items():
        store.write(folder / f"{name}.parquet", records)
    return store.read(folder)


NAMES: dict[str, Callable[[Any], str]] = {
    "runs": lambda run: f"run {run.run_id}",
    "claims": lambda claim: f"claim {claim.claim_id}",
    "prices": lambda price: f"price {price.price_id}",
    "tariffs": lambda tariff: f"tariff {tariff.tariff_id}",
    "rates": lambda rate: f"rate {rate.base}/{rate.quote} of {rate.day}",
    "cells": lambda cell: f"table {cell.table}",
    "reviews": lambda review: f"review by {review.party}",
    "recordings": lambda recording: f"recording of {recording.run_id}",
}
"""How `check` names a record of each table."""


def passed(archive: Archive) -> Archive:
    """The archive without the records that `check` names as wrong, each with its file, and whatever
    then leads nowhere.
    """
    archive = dataclasses.replace(archive, problems=())
    while wrong := [
        finding.place for finding in said(archive) if finding.severity is Severity.ERROR
    ]:
        left: dict[str, Any] = {
            table: tuple(
                one
                for one in getattr(archive, table)
                if not (_named(name(one), wrong) or _named(_keyed(table, one), wrong))
            )
            for table, name in NAMES.items()
        }
        assert all(".parquet" in place for place in wrong), wrong
        smaller = dataclasses.replace(archive, **left)
        assert smaller != archive, f"no record of these is there: {wrong}"
        archive = smaller
    return archive


def _keyed(table: str, record: Any) -> str:
    """How a finding on its keys names a record: by all that tells it from another."""
    return (
        f"{table[:-1]} {', '.join(str(getattr(record, each)) for each in TABLES[type(record)].key)}"
    )


def said(archive: Archive) -> list[Finding]:
    """What the command finds."""
    return check(archive)


def _named(name: str, places: list[str]) -> bool:
    return any(place == name or place.startswith((f"{name} (", f"{name} of ")) for place in places)


def made(archive: Archive) -> Iterator[object]:
    """Everything that a build makes of records, save what is drawn."""
    archive, _ = without_unlicensed(archive)
    evidence = Evidence(archive, CATALOG)
    site = pages.site_of(evidence, {}, OPTIONS)
    for job in pages.pages(site, ENGLISH):
        page = job.make()
        yield page
        yield search.found(page)
    yield pages.nav(evidence, ENGLISH[0])
    yield from api.assets(evidence, {}, OPTIONS)
    yield from badges.assets(site, ENGLISH)
    yield from feeds.assets(site, [], ENGLISH)
    for figure in drawing.figures(evidence):
        yield (
            figure.headline(ENGLISH[0]),
            figure.caption(ENGLISH[0]),
            figure.heading(ENGLISH[0]),
            [*figure.notes(ENGLISH[0])],
        )
        yield (
            markup.table(figure, ENGLISH[0], ""),
            markup.controls(figure, ENGLISH[0]),
            markup.legend(figure, ENGLISH[0]),
        )
        yield downloads.tables(figure)


QUICK = settings(
    max_examples=tried(12),
    derandomize=True,  # a build should not fail over a mistake that nobody made today
    # records of hundreds of fields shrink for minutes
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@QUICK
@given(archives())
def test_what_check_passes_the_build_builds(files: dict[str, list[Any]]) -> None:
    """Either `check` names the record, or every page, list, search entry, file of the API and feed
    can be made of it.
    """
    with tempfile.TemporaryDirectory() as folder:
        archive = passed(recorded(files, Path(folder)))

    assert all(map(bool, made(archive)))


@settings(QUICK, max_examples=tried(6))
@given(mistaken())
def test_an_article_with_mistakes_is_refused_or_built(files: dict[str, list[Any]]) -> None:
    """The same of whole articles, with charts and an audit, in which some fields say something
    else.
    """
    with tempfile.TemporaryDirectory() as folder:
        archive = passed(recorded(files, Path(folder)))

    assert all(map(bool, made(archive)))


def test_a_machine_outside_the_catalogue_stands_beside_printed_readings(tmp_path: Path) -> None:
    """An article with monitoring tables has charts and pages, though its runs are on a system that
    nobody has described.
    """
    records = transcribed("rtx2080ti-colab-tpu")
    strange = [dataclasses.replace(run, system=OTHERS) for run in records if isinstance(run, Run)]
    files: dict[str, list[Any]] = {
        "runs": strange,
        "rest": [one for one in records if isinstance(one, PrintedCell)],
        "sources": [records[0]],
    }

    archive = recorded({f"published/{name}": found for name, found in files.items()}, tmp_path)

    assert not [finding for finding in check(archive) if finding.severity is Severity.ERROR]
    assert all(map(bool, made(archive)))


def test_epochs_of_an_unknown_workload_make_no_throughput(tmp_path: Path) -> None:
    """Nobody says how many samples an epoch of it has: the run is listed with the time of its
    epochs alone.
    """
    run = next(
        one
        for one in transcribed("rtx2080ti-colab-tpu")
        if isinstance(one, Run) and one.metric("median_epoch_s") is not None
    )
    strange = dataclasses.replace(run, workload=OTHERS, train_samples=None)
    source = make_source(run.source, kind=SourceKind.LOGS, title="A title", credit="Somebody")

    archive = recorded({"published/a": [strange], "published/b": [source]}, tmp_path)

    assert not [finding for finding in check(archive) if finding.severity is Severity.ERROR]
    assert all(map(bool, made(archive)))


def test_a_metric_without_a_word_stays_as_it_is(tmp_path: Path) -> None:
    """A log may evaluate by what nobody has put into words: the run's page and charts call it what
    the log does.
    """
    readings = tuple(
        Evaluation("grokking", value, epoch=value, time_s=value) for value in (0.25, 0.5)
    )
    run = make_run(
        "a-run",
        origin=Origin.IMPORTED,
        source="a-source",
        locator="a.log",
        credit="Somebody",
        system="a-machine",
        evaluations=readings,
    )
    watched = tuple(Sample(time, 0, power_w=time) for time in (0.0, 1.0, 2.0))
    run = dataclasses.replace(
        run, telemetry=watched, wall_time_s=3.0, origin=Origin.SUBMITTED, environment=Environment()
    )
    source = make_source("a-source", kind=SourceKind.LOGS, title="A title", credit="Somebody")

    archive = recorded({"submitted/a": [run], "published/a": [source]}, tmp_path)

    assert any(
        "grokking" in thing.body
        for thing in made(archive)
        if isinstance(thing, Page) and thing.path == "runs/a-run/"
    )
