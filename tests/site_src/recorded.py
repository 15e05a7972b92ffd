"""What the chart tests draw: the first article as it is transcribed, and one small run as the
harness would record it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import babel

from kernels import catalog
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import (
    DataKind,
    Environment,
    Epoch,
    Evaluation,
    Metric,
    Phase,
    Precision,
    Run,
    Stat,
    Step,
)
from kernels.store import Archive
from site_src import locales
from site_src.charts.drawn import DrawnFigure
from site_src.charts.parts import hung
from site_src.cli.licences import without_unlicensed
from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.locales import Locale
from site_src.locales.strings import Text
from site_src.model import BuildOptions
from site_src.pages import CONTENT
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.reports import Report
from tests import makers
from tests.makers import chosen, make_run, transcribed
from tests.site_src import drawing

REPOSITORY = Path(__file__).resolve().parents[2]

MEASURED = make_run(
    "digits-cnn-example",
    locator="a test",
    licence="CC-BY-4.0",
    credit="Touchstone",
    system="example-cpu",
    framework="PyTorch",
    precision=Precision.FP32,
    accelerators=1,
    data=DataKind.REAL,
    global_batch_size=32,
    epochs_planned=3,
    epoch_index_base=0,
    started_at=datetime(2026, 11, 20, tzinfo=UTC),
    metrics=(
        Metric("step_time_s", 0.01, "s", n=3, stat=Stat.MEDIAN),
        Metric("throughput_images_per_s", 3200.0, "images/s", n=3, stat=Stat.MEDIAN),
        Metric("final_accuracy", 0.95, n=1),
    ),
    steps=(
        Step(0, Phase.COMPILE, 0.0, 0.5),
        Step(1, Phase.WARMUP, 0.6, 0.02),
        *(Step(index, Phase.MEASURE, 0.6 + index / 100, 0.01) for index in (2, 3, 4)),
    ),
    epochs=(Epoch(0, learning_rate=0.1), Epoch(1, learning_rate=0.1), Epoch(2, learning_rate=0.01)),
    evaluations=tuple(
        Evaluation("top1", value, epoch=float(epoch))
        for epoch, value in enumerate((0.6, 0.9, 0.95), 1)
    ),
    environment=Environment(cpu_model="Example CPU"),
)


@cache
def archive() -> Archive:
    """The article and the measured run."""
    found = transcribed("tpuv2-v100")
    runs = sorted((*found.runs, MEASURED), key=lambda run: run.run_id)
    return replace(found, runs=tuple(runs))


@cache
def known() -> Catalog:
    """The catalogue of the repository."""
    return catalog.load()


@cache
def evidence() -> Evidence:
    """Both, with their figures."""
    return Evidence(archive(), known())


def facts() -> Facts:
    """Facts about both."""
    return evidence().facts


def make_site(
    found: Archive,
    charts: Mapping[str, DrawnFigure] | None = None,
    *,
    options: BuildOptions = BuildOptions(date(2026, 11, 20)),  # noqa: B008 - frozen
    reports: Sequence[Report] = (),
) -> Site:
    """The site over an archive, with what is given of charts and reports."""
    evidence = Evidence(found, known())
    return Site(
        evidence,
        hung(evidence.graph, charts or {}),
        options=options,
        reports=reports,
        content=CONTENT,
    )


def figures_of(found: Archive) -> dict[str, Figure]:
    """Every figure of an archive by its id."""
    return {figure.id: figure for figure in drawing.figures(Evidence(found, known()))}


def page_at(path: str, *runs: Run, **records: Any) -> Writer:
    """Of the English page at a path of a site over these runs and records, without charts."""
    return Writer(make_site(Archive(runs=runs, **records)), english(), path)


@cache
def drawn() -> dict[str, Figure]:
    """Every figure of that archive."""
    return figures_of(archive())


def changed(whole: Archive, run_id: str, name: str, **fields: object) -> Archive:
    """An archive with other fields of one figure of one run."""

    def other(run: Run) -> Run:
        metrics = (
            replace(metric, **fields) if metric.name == name else metric  # type: ignore[arg-type]  # fields by name
            for metric in run.metrics
        )
        return replace(run, metrics=tuple(metrics)) if run.run_id == run_id else run

    return replace(whole, runs=tuple(map(other, whole.runs)))


def without(whole: Archive, run_id: str) -> Archive:
    """An archive in which a run is withdrawn."""
    runs = (replace(run, withdrawn="a test") if run.run_id == run_id else run for run in whole.runs)
    return replace(whole, runs=tuple(runs))


@cache
def spoken(code: str) -> Locale:
    """A language of the site."""
    return locales.load(REPOSITORY / "site_src" / "strings", [code])[0]


def english() -> Locale:
    """The reference language."""
    return spoken("en")


@cache
def foreign() -> Locale:
    """A made-up language: Spanish numbers, right to left, and a longer, accented text for each
    string.
    """
    reference = english()
    strings = {
        key: text if key.startswith("unit.") else _longer(text)
        for key, text in reference.strings.items()
    }
    return Locale("qq", "Test", "rtl", reference.path, strings, babel.Locale.parse("es"))


def _longer(text: Text) -> Text:
    return (
        f"{text} ñandú"
        if isinstance(text, str)
        else {form: f"{words} ñandú" for form, words in text.items()}
    )


@cache
def every(*, whole: bool = False) -> dict[str, Figure]:
    """Every figure of the chosen records of this repository, or of all, as the site has them."""
    found, _ = without_unlicensed(makers.whole() if whole else chosen())
    return figures_of(found)
