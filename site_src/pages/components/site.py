"""Data that all pages share: the recorded facts by id, and the machines they were measured on."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from kernels.analysis import coverage, sourced
from kernels.analysis.mlperf_scores import Score
from kernels.analysis.pairs import BETWEEN, Pair, Submission, grouped, pairs, submissions, system
from kernels.analysis.repetitions import OWN, Slow, setups, slow
from kernels.audit.facts import Judgement, judge
from kernels.catalog.price_warnings import PriceWarning, price_warnings
from kernels.reading import named, where
from kernels.records import (
    Claim,
    Mode,
    Origin,
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
from site_src import costs
from site_src.addresses.editions import Edition
from site_src.api import tables
from site_src.charts.parts import Gallery
from site_src.costs.bills import CURRENCIES, Bill, bills
from site_src.evidence import Evidence, Results
from site_src.graph import Items, shared
from site_src.locales import unbroken
from site_src.model import BuildOptions
from site_src.reports import Report
from site_src.tables import batch
from site_src.tables.collapsed import fallen
from site_src.tables.compare import Daily, by_day, most_results, of_systems, same_day
from site_src.tables.prices import (
    APART,
    UNKNOWN,
    Offered,
    Read,
    by_accelerator,
    hardware,
    offered,
    years_read,
)
from site_src.tables.recorded import system_names
from site_src.tables.stability import Stability, stability

P = ParamSpec("P")
R = TypeVar("R")


def of_names(make: "Callable[Concatenate[Site, P], R]") -> "Callable[Concatenate[Site, P], R]":
    """Makes a method a node of the graph, computed once for its names ("" where omitted), so that
    its readers depend on its result.
    """
    names = list(signature(make).parameters)[1:]

    @wraps(make)
    def asked(site: "Site", /, *given: P.args, **named: P.kwargs) -> R:
        values: tuple[Any, ...] = (
            *given,
            *(named.get(name) or "" for name in names[len(given) :]),
        )
        found: R = site.graph.get(make.__name__, *values)
        return found

    return asked


@dataclass(frozen=True, slots=True)
class Machine:
    """A system as its page shows it: from the catalogue, or from the environment of the runs
    measured on it.

    Attributes:
        hardware: Id of its accelerator in the catalogue; None if not there.
        accelerator: The accelerator's name.
        catalogued: False if known only from runs.
        reason: Key of the sentence that says why it is here; None where there is none.
        reconstructed: Inferred fields, which its source does not print like this.
        virtualised: True for a virtual machine, where a run recorded it.
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
"""Fields that systems of the catalogue have under the same name."""

_KEPT: Final = frozenset({"stability_of", "targets_of"})
"""Small results that take long to compute, and are kept."""


class Site:
    """All data of pages, by id.

    Attributes:
        collapsed: Ids of the runs in force whose training collapsed: their times are not ranked.
        prices: All offers: the catalogue's, and those recorded with the runs.
        price_warnings: Warnings on prices that cannot be right.
        offers_of_kind: Offers by kind of accelerator, cheapest first.
        slower: Runs slower than comparable ones: not recorded with a run, as later runs may change
            it.
        judgements: Each claim's recomputed figure and verdict.
        ranked: Workloads with costs, which the calculator ranks; True if of several systems.
        versus: Pairs of accelerators that both trained a workload, the most comparable first.
        versus_systems: Pairs of systems that have a page, likewise.
        machines: All systems: those of the catalogue, then those only in runs.
        editions: The frozen editions, oldest first.
    """

    def __init__(
        self,
        evidence: Evidence,
        figures: Gallery,
        *,
        options: BuildOptions,
        reports: Sequence[Report],
        content: Path,
    ) -> None:
        self.evidence, self.graph = evidence, evidence.graph
        shared.register(self)
        self.archive = evidence.archive
        self.catalog = evidence.catalog
        self.facts = evidence.facts
        self.figures = figures
        self.options = options
        self.reports = {report.id: report for report in reports}
        self.content = content
        self.editions: tuple[Edition, ...] = ()
        tables.prepare(evidence)
        costs.prepare(evidence)
        made = partial(Items, evidence.graph)
        self.collapsed: Mapping[str, bool] = made(
            "collapsed", lambda: dict.fromkeys(self._fallen, True), many=True
        )
        self.prices: Mapping[str, Price] = made("offer", lambda: self._prices)
        self.price_warnings: Mapping[str, tuple[PriceWarning, ...]] = made(
            "price warning", lambda: self._warned
        )
        self.offers_of_kind: Mapping[str, Sequence[Offered]] = made(
            "offers of kind", lambda: self._offers_of_kind
        )
        self.slower: Mapping[str, Slow] = made("slower", lambda: self._slow, many=True)
        self.judgements: Mapping[str, Judgement] = made("judged", lambda: self._judged)
        self.ranked: Mapping[str, bool] = made(
            "ranked",
            lambda: {
                id_: count > 1
                for id_ in self.catalog.workloads
                if (count := costs.timed(evidence, id_))
            },
        )
        self.machines: Mapping[str, Machine] = made("machine", lambda: self._machines)
        self.versus: Mapping[str, Pair] = made("versus", lambda: self._versus, many=True)
        self.versus_systems: Mapping[str, Pair] = made(
            "versus of systems", lambda: self._versus_systems, many=True
        )
        for name, method in vars(Site).items():
            if make := getattr(method, "__wrapped__", None):
                self.graph.register(name, partial(self._named, make), keep=name in _KEPT)

    def _named(self, make: Callable[..., object], *names: str) -> object:
        return make(self, **dict(zip([*signature(make).parameters][1:], names, strict=True)))

    @property
    def client(self) -> Mapping[str, str]:
        """Paths below site/ of the files that charts load, by name."""
        return self.figures.client

    @property
    def runs(self) -> Mapping[str, Run]:
        """All runs by id, including withdrawn ones."""
        return named(self.archive.runs, "run_id")

    @property
    def measured_runs(self) -> list[str]:
        """Ids of the runs of this harness, including withdrawn ones."""
        return [run.run_id for origin in OWN for run in where(self.archive.runs, origin=origin)]

    @shared
    def _fallen(self) -> frozenset[str]:
        return fallen(self.runs_of())

    @property
    def results(self) -> Results:
        """The results of the runs, by id."""
        return self.evidence.results

    def page_with(self, run: str) -> str:
        """Path of a run's page."""
        return self.results.page_with(run).partition("#")[0]

    @property
    def sources(self) -> Mapping[str, Source]:
        """All sources by id."""
        return named(self.archive.sources, "source")

    @property
    def tables(self) -> Mapping[str, tables.Shape]:
        """The shape of every downloadable table, by name."""
        return tables.shapes(self.evidence)

    @shared
    def claims(self) -> Mapping[str, tuple[Claim, ...]]:
        """Claims by source, in the order they were transcribed."""
        return _by(self.archive.claims, "source")

    def claim(self, id_: str) -> Claim | None:
        """The claim of that id, if any."""
        return self._claims.get(id_)

    @shared
    def _claims(self) -> Mapping[str, Claim]:
        return {claim.claim_id: claim for claim in self.archive.claims}

    @shared
    def reviews(self) -> Mapping[str, tuple[Review, ...]]:
        """Reviews by source."""
        return _by(self.archive.reviews, "source")

    @shared
    def cells(self) -> Mapping[str, tuple[PrintedCell, ...]]:
        """Cells of printed tables by source."""
        return _by(self.archive.cells, "source")

    @shared
    def free_sessions(self) -> Sequence[PrintedCell]:
        """Printed rows on free sessions, a row for each provider."""
        return [cell for cell in self.archive.cells if cell.table == "free-sessions"]

    def cell(self, source: str, table: str, row: str, column: str) -> PrintedCell | None:
        """The printed cell of that place, if any."""
        return self._cells.get((source, table, row, column))

    @shared
    def _cells(self) -> Mapping[tuple[str, str, str, str], PrintedCell]:
        cells = reversed(self.archive.cells)  # the first of a place
        return {(cell.source, cell.table, cell.row, cell.column): cell for cell in cells}

    @shared
    def _prices(self) -> Mapping[str, Price]:
        return {
            price.price_id: price for price in (*self.archive.prices, *self.catalog.prices.values())
        }

    @shared
    def rates(self) -> Sequence[Rate]:
        """All exchange rates, recorded or in the catalogue."""
        return (*self.archive.rates, *self.catalog.rates.values())

    @shared
    def _warned(self) -> Mapping[str, tuple[PriceWarning, ...]]:
        return price_warnings(self._prices.values(), self.catalog.systems)

    @shared
    def _offers_of_kind(self) -> Mapping[str, Sequence[Offered]]:
        found = offered(sorted(self._prices.values(), key=lambda price: price.price_id))
        kinds = by_accelerator(found, self.catalog, self._warned)
        return {kind or UNKNOWN: offers for kind, offers in kinds}

    @shared
    def prices_read(self) -> Read:
        """The years in which each source looked at the prices of each provider."""
        return years_read(self._prices.values())

    @shared
    def prices_apart(self) -> bool:
        """True if the offers of each kind of accelerator have a page of their own."""
        return sum(map(len, self._offers_of_kind.values())) > APART

    @of_names
    def targets_of(self, workload: str) -> tuple[float | None, tuple[float, ...]]:
        """The target of a workload that the calculator shows first, and all targets."""
        found = costs.cases(self.evidence, only=workload)
        return (found[0].question.target, found[0].targets) if found else (None, ())

    @shared
    def currencies(self) -> list[str]:
        """Currencies in which amounts can be shown."""
        return sorted({*CURRENCIES, *(price.currency for price in self._prices.values())})

    @of_names
    def stability_of(self, workload: str) -> Stability:
        """Sensitivity of a workload's epochs to the seed."""
        return stability(self.runs_of(workload=workload))

    @of_names
    def bills_of(self, *, system: str = "", workload: str = "", source: str = "") -> list[Bill]:
        """The cost of reaching each quality, in every currency: of a system, a workload or a
        source.
        """
        trained = {workload}
        if not workload:
            runs = where(self.archive.runs, system=system or None, source=source or None)
            trained = {run.workload for run in runs}
        return [
            bill
            for id_ in self.catalog.workloads
            if id_ in trained
            for bill in self._bills_in(id_)
            if system in ("", bill.setup.run.system) and source in ("", bill.setup.run.source)
        ]

    @of_names
    def bills_with(self, result: str) -> list[Bill]:
        """The bills of one result."""
        runs = [self.runs[run] for run in self.results[result].run_ids]
        told = [run for run in runs if run.withdrawn is None and run.mode is Mode.TRAINING]
        workload = self.catalog.workloads.get(runs[0].workload)
        case = workload and costs.case(told, workload, self.evidence, self._warned, least=1)
        return bills([case], self.rates, self.options.date, self.currencies) if case else []

    @of_names
    def _bills_in(self, workload: str) -> list[Bill]:
        cases = costs.cases(self.evidence, least=1, only=workload)
        return bills(cases, self.rates, self.options.date, self.currencies)

    @shared
    def _slow(self) -> Mapping[str, Slow]:
        return {
            found.run_id: found for setup in setups(self.runs_of()) for found in slow(setup.runs)
        }

    @of_names
    def speeds_in(self, workload: str) -> Mapping[batch.Kind, tuple[batch.Speed, ...]]:
        """The best throughput of each system in a workload, by the properties they must share."""
        return batch.fastest(self.runs_of(workload=workload), self.catalog, self.facts)

    def price_page(self, price: Price) -> str:
        """Path of the page that lists an offer: its machine's; else that of all prices, or of its
        kind of accelerator if there are many.
        """
        if price.system in self.machines:
            return f"systems/{price.system}/"
        kind = f"{hardware(price, self.catalog) or UNKNOWN}/"
        return f"prices/{kind if self.prices_apart else ''}"

    @shared
    def specs(self) -> Mapping[str, tuple[Spec, ...]]:
        """Specifications by hardware."""
        return _by(self.catalog.specs, "hardware")

    @shared
    def _judged(self) -> Mapping[str, Judgement]:
        return {claim.claim_id: judge(claim, self.facts) for claim in self.archive.claims}

    def scores_of(
        self, *, source: str | None = None, system: str | None = None, workload: str | None = None
    ) -> list[Score]:
        """Scores of submissions by the rules of their benchmark's rounds: of a source, a system or
        a workload.
        """
        return self.results.scores_of(*filter(None, [workload]), source=source, system=system)

    def score_with(self, run: str) -> Score | None:
        """The score of the submission that a run is part of."""
        return self.results.score_with(run)

    @of_names
    def systems_of(self, hardware: str) -> Mapping[str, int]:
        """Systems with this accelerator, and the number of results of each."""
        return {
            one.id: self._results_by_system.get(one.id, 0)
            for one in self._machines.values()
            if one.hardware == hardware
        }

    @shared
    def _results_by_system(self) -> Mapping[str, int]:
        firsts = (
            next((run for id_ in one.run_ids if (run := self.runs[id_]).withdrawn is None), None)
            for one in self.results.values()
        )
        return Counter(run.system for run in firsts if run)

    @of_names
    def scores_on(self, hardware: str) -> list[Score]:
        """The scores of submissions on this accelerator."""
        return [
            one
            for one in self.results.scores_of()
            if self.runs[one.run_ids[0]].accelerator == hardware
        ]

    @shared
    def scored_submissions(self) -> Sequence[Submission]:
        """Comparable submissions."""
        runs = where(self.archive.runs, origin=Origin.IMPORTED)  # the others have no scores
        return [*submissions(self.results.scores, {run.run_id: run for run in runs})]

    @shared
    def figures_of_sources(self) -> Sequence[sourced.Figure]:
        """Figures of results without a score, which are compared within their source; without runs
        whose training broke down.
        """
        groups = (
            [self.runs[id_] for id_ in one.run_ids if id_ not in self._fallen]
            for one in self.results.values()
        )
        return [*sourced.figures(filter(None, groups))]

    @of_names
    def of_sources(self, a: str, b: str) -> list[sourced.Beside]:
        """Comparisons of two accelerators or systems by single sources, without a score."""
        return sourced.beside(self.figures_of_sources, a, b)

    @shared
    def _versus(self) -> Mapping[str, Pair]:
        found = pairs(grouped(self.scored_submissions))
        return {name: found[name] for name in most_results(found)}

    @shared
    def _versus_systems(self) -> Mapping[str, Pair]:
        found = of_systems(grouped(self.scored_submissions, system), self.catalog.systems)
        return {name: found[name] for name in most_results(found)}

    @shared
    def versus_sourced(self) -> Sequence[str]:
        """Pairs of the catalogue that have a ratio from one source only; the systems are those of
        articles.
        """
        known = self.catalog.hardware.keys() | self.catalog.systems.keys()
        found = {
            pair
            for wholes in (False, True)
            for pair in sourced.compared_pairs(self.figures_of_sources, wholes=wholes)
            if known >= set(pair)
        }
        scored = self._versus.keys() | self._versus_systems.keys()
        return sorted({BETWEEN.join(pair) for pair in found} - scored)

    @of_names
    def versus_with(self, id_: str) -> list[str]:
        """Accelerators or systems compared with this one, the most comparable first."""
        found = (*self._versus, *self._versus_systems, *self.versus_sourced)
        both = (name.split(BETWEEN) for name in found)
        return [b if a == id_ else a for a, b in both if id_ in (a, b)]

    @of_names
    def same_day(self, a: str, b: str) -> tuple[Price, Price] | None:
        """Hourly prices of two accelerators on the same day."""
        return same_day(self.daily_prices(a), self.daily_prices(b))

    @of_names
    def daily_prices(self, hardware: str) -> Daily:
        """Hourly prices of an accelerator by day, without those that cannot be right."""
        # as a whole, not by price, so that pages depend on the result
        offers, warned = self._offers_of_kind, self._warned
        kinds = [hardware, *(kind for kind in offers if self.catalog.covers(kind, hardware))]
        return by_day(
            price
            for kind in dict.fromkeys(kinds)
            for offer in offers.get(kind, ())
            for place in offer.places
            for price in place
            if price.price_id not in warned
        )

    @shared
    def covered(self) -> Sequence[coverage.Covered]:
        """Every result in force with its accelerator."""
        found = []
        for one in self.results.values():
            runs = [run for id_ in one.run_ids if (run := self.runs[id_]).withdrawn is None]
            if runs:
                first = runs[0]
                hardware = self.machines[first.system].hardware
                if first.accelerator in self.catalog.hardware:
                    hardware = first.accelerator
                of = first.workload, first.system, first.source, first.round, first.origin in OWN
                on = hardware or first.system
                found.append(coverage.Covered(one.id, coverage.mark(runs), on, *of))
        return found

    @shared
    def compared(self) -> set[tuple[str, str]]:
        """The pairs of accelerators that have a ratio on their page, in order of their ids."""
        scored = {
            (a, b)
            for name, found in self._versus.items()
            if any(match.told for match in found)
            for a, b in [name.split(BETWEEN)]
        }
        return scored | sourced.compared_pairs(self.figures_of_sources)

    def contradicted(self, source: str) -> int:
        """The number of a source's claims that its own figures contradict."""
        return sum(
            self.judgements[claim.claim_id].verdict is Verdict.CONTRADICTS
            for claim in self.claims.get(source, ())
        )

    @shared
    def _machines(self) -> Mapping[str, Machine]:
        machines = {id_: self._catalogued(id_) for id_ in self.catalog.systems}
        for run in self.archive.runs:
            if run.system not in machines:
                machines[run.system] = self._of_run(run)
        return machines

    @shared
    def _names(self) -> Mapping[str, str]:
        return system_names(self.archive.runs, self.catalog)

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

    def _of_run(self, run: Run) -> Machine:
        known = self.catalog.hardware.get(run.accelerator or "")
        machine = Machine(
            id=run.system,
            name=self._names[run.system],
            hardware=known.hardware if known else None,
            accelerator=unbroken(known.name) if known else run.accelerator,
            accelerators=run.accelerators,
            catalogued=False,
        )
        found = run.environment
        if found is None:
            return machine
        return replace(
            machine,
            accelerator=(known and machine.accelerator)
            or found.accelerator_name
            or found.cpu_model
            or machine.accelerator,
            cpu_model=found.cpu_model,
            cpu_cores=found.physical_cores,
            cpu_hz=found.cpu_max_hz,
            memory_bytes=found.memory_bytes,
            os=found.os,
            virtualised=found.virtualised,
        )

    def runs_of(
        self, *, system: str | None = None, workload: str | None = None, source: str | None = None
    ) -> list[Run]:
        """Runs in force by system, workload and source, in the archive's order."""
        asked = where(self.archive.runs, system=system, workload=workload, source=source)
        return [run for run in asked if run.withdrawn is None]

    @of_names
    def prices_of(self, *, system: str = "", source: str = "") -> list[Price]:
        """Prices of a system or from a source."""
        return [
            price
            for price in self._prices.values()
            if system in ("", price.system) and source in ("", price.source)
        ]

    def reports_of(
        self, *, system: str | None = None, workload: str | None = None, source: str | None = None
    ) -> list[Report]:
        """Reports that compare a system or a workload, or are on a source."""
        return [
            report
            for report in self.reports.values()
            if system in (None, *(one.system for one in report.systems))
            and workload in (None, *report.workloads)
            and source in (None, report.source)
        ]

    @of_names
    def measured_with(self, workload: str = "") -> list[str]:
        """Ids of the systems that this harness measured, by name: those with runs in force, of a
        workload.
        """
        runs = self.runs_of(workload=workload or None)
        found = {run.system for run in runs if run.origin in OWN}
        return sorted(found, key=lambda id_: (self.machines[id_].name, id_))

    @of_names
    def charts_of(self, field: str, name: str) -> list[str]:
        """Ids of the charts that show runs with this value of a field, `system`, `workload` or
        `run_id`.
        """
        return self._shown.get((field, name), [])

    @shared
    def _shown(self) -> Mapping[tuple[str, str], list[str]]:
        found = defaultdict(list)
        for id_, drawn in self.figures.items():
            runs = [self.runs[name] for name in drawn.runs if name in self.runs]
            for field in ("system", "workload", "run_id"):
                for name in {getattr(run, field) for run in runs}:
                    found[field, name].append(id_)
        return found

    @of_names
    def accelerators_used(self, system: str) -> frozenset[int]:
        """Numbers of accelerators of a system that its runs used, as far as known."""
        runs = where(self.archive.runs, system=system)
        return frozenset(run.accelerators for run in runs if run.accelerators is not None)


def _by(records: Sequence[R], field: str) -> dict[str, tuple[R, ...]]:
    groups: dict[str, list[R]] = defaultdict(list)
    for record in records:
        groups[getattr(record, field)].append(record)
    return {name: tuple(rows) for name, rows in groups.items()}
