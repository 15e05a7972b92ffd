"""What all pages share: the recorded facts by id, and the machines they were measured on."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

import pandas as pd

from kernels.analysis.mlperf_scores import Score, scores
from kernels.analysis.repetitions import Slow, setups, slow
from kernels.audit.facts import Judgement, judge
from kernels.catalog.price_warnings import PriceWarning, price_warnings
from kernels.records import (
    Claim,
    Price,
    PrintedCell,
    Rate,
    Review,
    Run,
    Source,
    Spec,
    System,
    Verdict,
)
from site_src import api, costs
from site_src.charts.drawn import DrawnFigure
from site_src.costs import Case
from site_src.costs.bills import CURRENCIES, Bill, bills
from site_src.evidence import Evidence
from site_src.locales import unbroken
from site_src.model import BuildOptions
from site_src.reports import Report
from site_src.tables.collapsed import fallen
from site_src.tables.recorded import system_names

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Machine:
    """A system as its page shows it: from the catalogue, or from the environment of the runs
    measured on it.

    Attributes:
        hardware: Id of its accelerator in the catalogue; None where it has none there.
        accelerator: The accelerator's name.
        catalogued: False for one that only runs tell of.
        reason: Key of the sentence that says why it is here; None where there is none.
        reconstructed: Fields that its source does not print as they stand, as in the catalogue.
        virtualised: Whether it is a virtual machine, where a run recorded it.
    """

    id: str
    name: str
    hardware: str | None
    accelerator: str | None
    accelerators: int | None
    catalogued: bool
    server_kind: str | None = None
    provider: str | None = None
    instance: str | None = None
    region: str | None = None
    cpu_model: str | None = None
    cpu_cores: int | None = None
    cpu_hz: float | None = None
    memory_bytes: int | None = None
    os: str | None = None
    source: str | None = None
    locator: str | None = None
    reason: str | None = None
    reconstructed: tuple[str, ...] = ()
    virtualised: bool | None = None


_OF_CATALOG: Final = (
    {field.name for field in fields(Machine)} & {field.name for field in fields(System)}
) - {"name"}
"""Fields that a system of the catalogue has under the same name."""


class Site:
    """Everything that pages are made of, by id."""

    def __init__(
        self,
        evidence: Evidence,
        figures: Mapping[str, DrawnFigure],
        *,
        options: BuildOptions,
        reports: Sequence[Report],
        content: Path,
    ) -> None:
        self.evidence = evidence
        self.archive = evidence.archive
        self.catalog = evidence.catalog
        self.facts = evidence.facts
        self.figures = figures
        self.options = options
        self.reports = {report.id: report for report in reports}
        self.content = content

    @cached_property
    def runs(self) -> Mapping[str, Run]:
        """All runs by id, withdrawn ones too."""
        return {run.run_id: run for run in self.archive.runs}

    @cached_property
    def collapsed(self) -> frozenset[str]:
        """Ids of the runs in force whose training collapsed: their times win nothing."""
        return fallen(run for run in self.archive.runs if run.withdrawn is None)

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        """All sources by id."""
        return {source.source: source for source in self.archive.sources}

    @cached_property
    def frames(self) -> Mapping[str, pd.DataFrame]:
        """Every table that can be downloaded, by name."""
        return api.frames(self.evidence)

    @cached_property
    def claims(self) -> Mapping[str, tuple[Claim, ...]]:
        """Claims by source, in the order they were transcribed."""
        return _by(self.archive.claims, "source")

    def claim(self, id_: str) -> Claim | None:
        """The claim of that id; None where there is none."""
        return self._claims.get(id_)

    @cached_property
    def _claims(self) -> Mapping[str, Claim]:
        return {claim.claim_id: claim for claim in self.archive.claims}

    @cached_property
    def reviews(self) -> Mapping[str, tuple[Review, ...]]:
        """Reviews by source."""
        return _by(self.archive.reviews, "source")

    @cached_property
    def cells(self) -> Mapping[str, tuple[PrintedCell, ...]]:
        """Cells of printed tables by source."""
        return _by(self.archive.cells, "source")

    def cell(self, source: str, table: str, row: str, column: str) -> PrintedCell | None:
        """The printed cell of that place; None where there is none."""
        return self._cells.get((source, table, row, column))

    @cached_property
    def _cells(self) -> Mapping[tuple[str, str, str, str], PrintedCell]:
        cells = reversed(self.archive.cells)  # the first of a place
        return {(cell.source, cell.table, cell.row, cell.column): cell for cell in cells}

    @cached_property
    def prices(self) -> Mapping[str, Price]:
        """All offers by id: the catalogue's, and those that were recorded with the runs."""
        return {
            price.price_id: price for price in (*self.archive.prices, *self.catalog.prices.values())
        }

    @cached_property
    def rates(self) -> Sequence[Rate]:
        """All exchange rates, recorded or in the catalogue."""
        return (*self.archive.rates, *self.catalog.rates.values())

    @cached_property
    def price_warnings(self) -> Mapping[str, tuple[PriceWarning, ...]]:
        """Why prices cannot be right, by id."""
        return price_warnings(self.prices.values(), self.catalog.systems)

    @cached_property
    def cost_cases(self) -> Sequence[Case]:
        """Every workload in which some setup reached a quality in a known time, with the offers
        that fit.
        """
        return costs.cases(self.evidence, least=1)

    @cached_property
    def currencies(self) -> list[str]:
        """Currencies in which amounts can be shown."""
        return sorted({*CURRENCIES, *(price.currency for price in self.prices.values())})

    @cached_property
    def bills(self) -> Sequence[Bill]:
        """The cost of reaching each quality, in every currency."""
        return bills(self.cost_cases, self.rates, self.options.date, self.currencies)

    @cached_property
    def slower(self) -> Mapping[str, Slow]:
        """Runs that were slower than the runs alike, by id: kept with none of them, as a later run
        may show it.
        """
        return {
            found.run_id: found for setup in setups(self.runs_of()) for found in slow(setup.runs)
        }

    def price_page(self, price: Price) -> str:
        """Path of the page that lists an offer: its machine's, or that of all prices where the
        machine has none.
        """
        return f"systems/{price.system}/" if price.system in self.machines else "prices/"

    @cached_property
    def specs(self) -> Mapping[str, tuple[Spec, ...]]:
        """Specifications by hardware."""
        return _by(self.catalog.specs, "hardware")

    @cached_property
    def judgements(self) -> Mapping[str, Judgement]:
        """Each claim's recomputed figure and verdict."""
        return {claim.claim_id: judge(claim, self.facts) for claim in self.archive.claims}

    @cached_property
    def scores(self) -> Sequence[Score]:
        """Scores of the imported runs, by the rules of their benchmark's rounds."""
        return scores(self.archive.runs)

    def contradicted(self, source: str) -> int:
        """How many claims of a source its own figures contradict."""
        return sum(
            self.judgements[claim.claim_id].verdict is Verdict.CONTRADICTS
            for claim in self.claims.get(source, ())
        )

    @cached_property
    def machines(self) -> Mapping[str, Machine]:
        """All systems by id: those of the catalogue, then those that only runs name."""
        machines = {id_: self._catalogued(id_) for id_ in self.catalog.systems}
        for run in self.archive.runs:
            if run.system not in machines:
                machines[run.system] = _measured(run, self._names[run.system])
        return machines

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """Names of all systems."""
        return system_names(self.archive.runs, self.catalog.systems)

    def _catalogued(self, id_: str) -> Machine:
        system = self.catalog.systems[id_]
        hardware = self.catalog.hardware.get(system.hardware)
        return Machine(
            id=id_,
            name=self._names[id_],
            accelerator=unbroken(hardware.name) if hardware else system.hardware,
            catalogued=True,
            **{name: getattr(system, name) for name in _OF_CATALOG},
        )

    def runs_of(
        self, *, system: str | None = None, workload: str | None = None, source: str | None = None
    ) -> list[Run]:
        """Runs in force, newest knowledge last: by system, workload and source."""
        return [
            run
            for run in self.archive.runs
            if run.withdrawn is None
            and system in (None, run.system)
            and workload in (None, run.workload)
            and source in (None, run.source)
        ]

    def prices_of(self, *, system: str | None = None, source: str | None = None) -> list[Price]:
        """Prices of a system or from a source."""
        return [
            price
            for price in self.prices.values()
            if system in (None, price.system) and source in (None, price.source)
        ]

    def reports_of(
        self, *, system: str | None = None, workload: str | None = None, source: str | None = None
    ) -> list[Report]:
        """Reports that compare a system, a workload, or retell a source."""
        return [
            report
            for report in self.reports.values()
            if system in (None, *(side.system for side in report.sides))
            and workload in (None, *report.workloads)
            and source in (None, report.source)
        ]

    def charts_of(
        self, *, system: str | None = None, workload: str | None = None, run: str | None = None
    ) -> list[str]:
        """Ids of the charts that show runs of a system or of a workload, or that run."""
        return [
            id_
            for id_, (systems, workloads, runs) in self._shown.items()
            if runs
            and system in (None, *systems)
            and workload in (None, *workloads)
            and run in (None, *runs)
        ]

    @cached_property
    def _shown(self) -> Mapping[str, tuple[frozenset[str], frozenset[str], frozenset[str]]]:
        """Systems, workloads and ids of the runs that each chart shows."""
        shown = {}
        for id_, drawn in self.figures.items():
            runs = [self.runs[name] for name in drawn.figure.runs if name in self.runs]
            shown[id_] = (
                frozenset(run.system for run in runs),
                frozenset(run.workload for run in runs),
                frozenset(run.run_id for run in runs),
            )
        return shown

    @cached_property
    def accelerators_used(self) -> Mapping[str, frozenset[int]]:
        """How many accelerators of each system its runs used, as far as they say."""
        used: dict[str, set[int]] = defaultdict(set)
        for run in self.archive.runs:
            if run.accelerators is not None:
                used[run.system].add(run.accelerators)
        return {system: frozenset(counts) for system, counts in used.items()}


def _measured(run: Run, name: str) -> Machine:
    environment = run.environment
    if environment is None:
        return Machine(
            run.system, name, run.accelerator, run.accelerator, run.accelerators, catalogued=False
        )
    return Machine(
        id=run.system,
        name=name,
        hardware=None,
        accelerator=environment.accelerator_name or environment.cpu_model,
        accelerators=run.accelerators,
        catalogued=False,
        cpu_model=environment.cpu_model,
        cpu_cores=environment.physical_cores,
        cpu_hz=environment.cpu_max_hz,
        memory_bytes=environment.memory_bytes,
        os=environment.os,
        virtualised=environment.virtualised,
    )


def _by(records: Sequence[R], field: str) -> dict[str, tuple[R, ...]]:
    groups: dict[str, list[R]] = defaultdict(list)
    for record in records:
        groups[getattr(record, field)].append(record)
    return {name: tuple(rows) for name, rows in groups.items()}
