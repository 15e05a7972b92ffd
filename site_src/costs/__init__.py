"""The trainings of a workload whose costs can be compared, the offers that fit each, and the
question that the calculator asks first.

A side is one setup on one system with all its runs, as `answers` takes them. Times
come from evaluations where a run has them, else from what its source prints: epochs to a target
times samples over throughput, or the training time to the final quality.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from math import floor
from typing import Final

from kernels.analysis.gathered import groups
from kernels.analysis.repetitions import OWN
from kernels.audit.facts import Fact, Facts
from kernels.catalog import Catalog, cost
from kernels.catalog.cost import by_time
from kernels.catalog.exchange import rate_day
from kernels.catalog.price_warnings import PriceWarning, price_warnings
from kernels.reading import distinct, named, where
from kernels.records import (
    Bound,
    Direction,
    Hardwares,
    Mode,
    Origin,
    Per,
    Price,
    PriceKind,
    Rate,
    Run,
    Source,
    Status,
    Target,
    Workload,
)
from kernels.units import SECONDS_AN_HOUR
from site_src.costs.answers import Asked, answers
from site_src.costs.question import (
    Basis,
    By,
    Candidate,
    Offer,
    Point,
    Question,
    Row,
    Trial,
    offer_of,
)
from site_src.evidence import Evidence
from site_src.graph import told_once
from site_src.tables import series_label, throughput_metric
from site_src.tables.curve import LOWER, TO_TARGET
from site_src.tables.price_history import DAY, Held, held, looks
from site_src.tables.prices import Read, by_year, hardware, years_read
from site_src.tables.submissions import comparable

Doubts = Mapping[str, Sequence[PriceWarning]]
"""Why prices cannot be right, by their ids (`catalog.price_warnings`)."""

FEW_FINALS: Final = 4
"""Final qualities, where no run names a target, that are offered as targets each; of more their
full per cents.
"""

OTHER: Final = "other-machine"

LATER: Final = timedelta(days=2 * 365)
"""How long after a run a price may be without being said to belong to another time."""

RECENT: Final = 1
"""How many years older than the newest prices one of another machine may be to be taken by itself.
"""

KNOWN: Final = timedelta(days=365)
"""How long after its source last looked a price still stands for what is asked."""

DEVICE: Final = 4
"""Chips of a TPU that is no part of a pod."""

_SOLD_APART: Final = frozenset({"tpu-v2", "tpu-v3"})
"""TPUs whose single devices have another price than slices of a pod; later ones are slices, however
small.
"""

COLLAPSED: Final = 2.0
"""How many times the quality of a training that is no target's measure the best one has: such a
training collapsed.
"""

_MEANT: Final = ("train_time_s", "final_", *TO_TARGET)
"""Beginnings of figures by which a run without any quality shows that it was to have one."""


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """An offer that is taken on each day from the first to the last."""

    first: date
    last: date
    offer: str


@told_once
@dataclass(frozen=True, slots=True)
class Side:
    """A candidate with what readers are told of it.

    Attributes:
        run: The run that stands for all.
        label: Its system, framework and round: names that no language translates.
        prices: Offers that fit it; the recorded ones of the catalogue before imported ones.
        listed: Ids of those that the first answer takes: the newest (`_newest`).
        days: Which are taken at the prices of a day, with the days from and to which they are.
        offers: The same as the answer takes them, by price.
        time_refs: References of the times that its one run's source prints, by the quality that
            they belong to.
        standing: Ids of the offers of other machines that are the cheapest on their terms today.
    """

    candidate: Candidate
    run: Run
    runs: tuple[Run, ...]
    label: str
    prices: tuple[Price, ...]
    listed: tuple[str, ...]
    days: tuple[Span, ...]
    offers: tuple[Offer, ...]
    time_refs: tuple[tuple[float, str], ...]
    standing: tuple[str, ...] = ()

    @property
    def usable(self) -> frozenset[str]:
        """Those of the listed offers whose prices are not in doubt."""
        return frozenset(self.listed) - {offer.id for offer in self.offers if offer.doubtful}

    def price(self, id_: str) -> Price | None:
        """The price of an offer."""
        return next((price for price in self.prices if price.price_id == id_), None)

    def time_ref(self, target: float, direction: Direction) -> str | None:
        """The reference of its time to a target, in seconds or hours: printed, or the median over
        its runs; None where none reached it.
        """
        sign = 1 if direction is Direction.AT_LEAST else -1
        if self.time_refs:
            found = [
                (sign * quality, ref)
                for quality, ref in self.time_refs
                if sign * quality >= sign * target
            ]
            return min(found)[1] if found else None
        times = [
            (
                next(
                    point.seconds for point in trial.points if sign * point.quality >= sign * target
                ),
                trial.run_id,
            )
            for trial in self.candidate.trials
            if any(sign * point.quality >= sign * target for point in trial.points)
        ]
        refs = [f"run:{run_id}:reach_s@{target:g}" for _, run_id in sorted(times)]
        if not refs:
            return None
        half = len(refs) // 2
        return (
            refs[half]
            if len(refs) % 2
            else f"quotient(sum({refs[half - 1]}, {refs[half]}), number:2)"
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A workload with something to rank.

    Attributes:
        targets: Qualities that a reader may ask for, as the runs name them, the easiest first.
        question: What is asked first.
    """

    workload: Workload
    sides: tuple[Side, ...]
    targets: tuple[float, ...]
    question: Question

    def side(self, row: Row) -> Side:
        """The side of an answer's row."""
        return next(side for side in self.sides if side.candidate.id == row.candidate.id)


def first_answers(
    cases: Iterable[Case], rates: Sequence[Rate], today: date
) -> list[tuple[Row, ...]]:
    """The answers to the first question of each workload, at the offers that are listed."""
    return answers([Asked(case.question, pairs(case.sides)) for case in cases], rates, today)


def pairs(sides: Iterable[Side]) -> list[tuple[Candidate, Offer | None]]:
    """Candidates with their listed offers, or with none."""
    found: list[tuple[Candidate, Offer | None]] = []
    for side in sides:
        listed = [offer for offer in side.offers if offer.id in side.listed]
        found += [(side.candidate, offer) for offer in listed or (None,)]
    return found


def cases(evidence: Evidence, least: int = 2, only: str | None = None) -> tuple[Case, ...]:
    """Every workload in which so many systems reached some quality in a known time, in the
    catalogue's order; or that one alone.
    """
    prepare(evidence)
    ids = evidence.catalog.workloads if only is None else [only]
    made = (evidence.graph.get("case", id_) for id_ in ids)
    return tuple(one for one in made if one is not None and len(systems(one.sides)) >= least)


def prepare(evidence: Evidence) -> None:
    """Say how each workload is made: who asks for several rests on what comes out of each."""
    evidence.graph.register("case", partial(_case, evidence))
    evidence.graph.register(
        "price doubts",
        lambda: price_warnings(
            (*evidence.catalog.prices.values(), *evidence.archive.prices), evidence.catalog.systems
        ),
    )


def _case(evidence: Evidence, id_: str) -> Case | None:
    """A workload in which some system reached a quality in a known time."""
    workload = evidence.catalog.workloads.get(id_)
    found = where(evidence.archive.runs, workload=id_)
    told = [run for run in found if run.withdrawn is None and run.mode is Mode.TRAINING]
    runs = comparable(evidence, told, each_round=True)
    if workload is None or not runs:
        return None
    return case(runs, workload, evidence, evidence.graph.get("price doubts"), least=1)


def case(
    runs: Sequence[Run],
    workload: Workload,
    evidence: Evidence,
    doubts: Doubts,
    least: int = 2,
) -> Case | None:
    """One workload; None where fewer than so many systems reached anything: one alone ranks
    nothing.
    """
    direction = _direction(runs, workload)
    sources = named(evidence.archive.sources, "source")
    shop: Shop = evidence.results.kept.get("shop", lambda: Shop(evidence))
    found = []
    for group in groups(runs):
        trials = tuple(_trial(run, workload, direction, evidence.facts) for run in group)
        if any(trial.points for trial in trials) or any(_meant(run) for run in group):
            fitting = shop.fitting(group[0])
            side = _side(group, trials, fitting, shop, sources, doubts)
            found.append(_marked(side, evidence.facts))
    if len(systems(found)) < least:
        return None
    aims = targets(runs, workload, found, direction)
    if not aims:
        return None
    return Case(workload, tuple(found), aims, first_question(runs, found, aims, direction))


class Shop:
    """All offers, by what tells whether one can be for a run.

    Attributes:
        prices: All of them.
        read: The years in which each source looked at each provider.
        looked: The last day on which it did.
    """

    def __init__(self, evidence: Evidence) -> None:
        prices = (*evidence.catalog.prices.values(), *evidence.archive.prices)
        self.catalog, self.read = evidence.catalog, years_read(prices)
        self.looked = looks(prices)
        self._cheapest: dict[object, tuple[Span, ...]] = {}
        self._measured = set(distinct(evidence.archive.runs, "system"))
        self.prices = prices
        self._known = {price.price_id: price for price in prices}
        self._by_system: dict[str, list[Price]] = defaultdict(list)
        self._by_kind: dict[str, list[Price]] = defaultdict(list)
        for price in prices:
            self._by_system[price.system].append(price)
            if kind := hardware(price, evidence.catalog):
                self._by_kind[kind].append(price)

    def fitting(self, run: Run) -> list[Price]:
        """The offers that a run can be priced with, in the order in which they are known."""
        found = {price.price_id for price in self._by_system[run.system]}
        for kind, prices in self._by_kind.items():
            if run.accelerator and self.catalog.covers(kind, run.accelerator):
                found |= {price.price_id for price in prices}
        return [
            price
            for id_, price in self._known.items()
            if id_ in found and fits(price, run, self.catalog, self._measured)
        ]

    def cheapest(
        self, prices: Sequence[Price], accelerators: int | None, doubts: Doubts
    ) -> tuple[Span, ...]:
        """The cheapest of offers on demand on each day, one for each currency."""
        offered = [
            price
            for price in prices
            if price.kind is PriceKind.ON_DEMAND and by_time(price) and price.price_id not in doubts
        ]
        key = accelerators, tuple(price.price_id for price in offered)
        if key not in self._cheapest:
            hourly = {
                price.price_id: cost.pieces(accelerators or 1, price.accelerators)
                * cost.per_hour(price)
                for price in offered
            }
            self._cheapest[key] = tuple(
                span
                for currency in sorted({price.currency for price in offered})
                for span in _least(
                    held(
                        [price for price in offered if price.currency == currency],
                        self.looked,
                        KNOWN,
                    ),
                    hourly,
                )
            )
        return self._cheapest[key]


def _least(found: Sequence[Held], hourly: Mapping[str, float]) -> Iterator[Span]:
    """Which of prices is the least, day by day."""
    begins = sorted({day for one in found for day in (one.first, one.last + DAY)})
    before: Span | None = None
    for first, end in pairwise(begins):
        there = [one.price.price_id for one in found if one.first <= first <= one.last]
        least = min(there, key=lambda id_: (hourly[id_], id_), default=None)
        if before and before.offer == least:
            before = replace(before, last=end - DAY)
            continue
        if before:
            yield before
        before = Span(first, end - DAY, least) if least else None
    if before:
        yield before


def cheapest(
    prices: Sequence[Price], run: Run, read: Read, doubts: Doubts, days: Sequence[Span]
) -> tuple[list[Price], tuple[str, ...]]:
    """Of offers of other machines those that are the cheapest on some day, or on their terms in the
    newest year that has any, with all of the run's own and its source's; and which are those of
    the newest year.
    """
    newest: dict[tuple[PriceKind, int | None, str], str] = {}
    others = [price for price in prices if price.valid_from and not compared(price, run)]
    for choice in by_year(others, {}, read).values():
        best: dict[tuple[PriceKind, int | None, str], tuple[bool, float, str]] = {}
        for price in filter(by_time, choice):
            times = cost.pieces(run.accelerators or 1, price.accelerators)
            order = price.price_id in doubts, times * cost.per_hour(price), price.price_id
            terms = price.kind, price.term_months, price.currency
            best[terms] = min(best.get(terms, order), order)
        for terms, (_, _, id_) in best.items():
            newest.setdefault(terms, id_)
    dropped = {price.price_id for price in others} - set(newest.values())
    dropped -= {span.offer for span in days}
    return [one for one in prices if one.price_id not in dropped], tuple(sorted(newest.values()))


def systems(sides: Iterable[Side]) -> set[str]:
    """The systems of those that reached some quality in a known time."""
    return {
        side.run.system for side in sides if any(trial.points for trial in side.candidate.trials)
    }


def first_day(sides: Iterable[Side]) -> date | None:
    """The first day that has a price for any of them that reached some quality in a known time."""
    timed = (side for side in sides if any(trial.points for trial in side.candidate.trials))
    return min((span.first for side in timed for span in side.days), default=None)


def _direction(runs: Iterable[Run], workload: Workload) -> Direction:
    stated = (
        target.direction
        for run in runs
        for target in run.targets
        if target.metric == workload.metric
    )
    return next(stated, Direction.AT_MOST if workload.metric in LOWER else Direction.AT_LEAST)


def _meant(run: Run) -> bool:
    """Whether a run that has no quality in a known time was to have one: it failed, or nobody
    reports it.
    """
    return any(metric.name.startswith(_MEANT) for metric in run.metrics)


def _trial(run: Run, workload: Workload, direction: Direction, facts: Facts) -> Trial:
    sign = 1.0 if direction is Direction.AT_LEAST else -1.0
    read = [(e.value, e.time_s) for e in run.evaluations if e.metric == workload.metric]
    timed = [Point(value, time) for value, time in read if time is not None]
    told = [(quality, facts.get(ref)) for quality, ref in _told(run, workload)] if not timed else []
    scaled = [
        (quality, fact, SECONDS_AN_HOUR if fact.unit == "h" else 1.0)
        for quality, fact in told
        if fact.value is not None
    ]
    timed += [
        Point(quality, fact.value * by, None, *_ends(fact, by))
        for quality, fact, by in scaled
        if fact.value is not None
    ]
    records: list[Point] = []
    for point in sorted(timed, key=lambda point: (point.seconds, -sign * point.quality)):
        if not records or sign * point.quality > sign * records[-1].quality:
            records.append(point)
    known = [value for value, _ in read] + [
        value for metric in run.metrics if (value := _quality(metric.name, metric.value, workload))
    ]
    known += [point.quality for point in records]
    energy = run.metric("energy_j")
    if energy is not None and energy.value is not None and records and run.status is Status.OK:
        # the meter ran until the target was reached
        records[-1] = replace(records[-1], energy_j=energy.value)
    best = max(known, key=lambda value: sign * value, default=None)
    return Trial(run.run_id, tuple(records), best, run.status)


def _ends(fact: Fact, by: float) -> tuple[float | None, float | None]:
    """Returns the ends of a rounded figure, in another unit."""
    return (
        None if fact.low is None else fact.low * by,
        None if fact.high is None else fact.high * by,
    )


def _quality(name: str, value: float | None, workload: Workload) -> float | None:
    """A figure of a run if it is a quality that the run is known to have reached, in the workload's
    measure.
    """
    own = {
        f"{when}_{metric}" for when in ("best", "final") for metric in (workload.metric, "accuracy")
    }
    return value if name in own else None


def _told(run: Run, workload: Workload) -> Iterator[tuple[float, str]]:
    """Qualities that a source prints with the time that they took, and the time's reference."""
    at = f"run:{run.run_id}"
    speed = throughput_metric(run)
    for hit in run.metrics:
        if hit.target is None or hit.target.metric != workload.metric or hit.value is None:
            continue
        if hit.name == "time_to_target_s":
            yield hit.target.value, f"{at}:{hit.key}"
        elif (
            hit.name == "epochs_to_target"
            and speed is not None
            and workload.train_samples
            and not _has_time(run, hit.target.value)
        ):
            yield (
                hit.target.value,
                f"hours_to_target({at}:{hit.key}, workload:{workload.workload}:train_samples, "
                f"{at}:{speed.key})",
            )
    final = run.metric(f"final_{workload.metric}") or run.metric("final_accuracy")
    time = run.metric("train_time_s")
    if (
        final is not None
        and final.value is not None
        and time is not None
        and time.value is not None
    ):
        yield final.value, f"{at}:train_time_s"


def _has_time(run: Run, value: float) -> bool:
    found = run.metric(f"time_to_target_s@{value:g}")
    return found is not None and found.value is not None


def fits(price: Price, run: Run, catalog: Catalog, measured: set[str]) -> bool:
    """Whether a run can be priced with an offer: of its own system, or of another machine with as
    many accelerators of its kind.

    A price that its source prints for another workload is none. A price of another machine is one
    whose system nobody measured; chips that are offered by the piece fit any number of them.
    """
    if price.workload not in (None, run.workload):
        return False
    if price.system is not None and price.system == run.system:
        return run.accelerators in (None, price.accelerators)
    system = catalog.systems.get(price.system) if price.system is not None else None
    kind = system.hardware if system is not None else price.hardware
    if price.system in measured or kind is None or run.accelerator is None or not by_time(price):
        return False
    known = catalog.hardware.get(kind)
    by_chip = (
        known is not None
        and known.kind is Hardwares.TPU
        and price.accelerators == 1
        and _of_slice(price, kind, run.accelerators)
    )
    return (
        catalog.covers(kind, run.accelerator)
        and run.accelerators is not None
        and (by_chip or price.accelerators == run.accelerators)
    )


def _of_slice(price: Price, kind: str, chips: int | None) -> bool:
    """Whether chips that are sold by the piece come in such a number: those of a device, or of a
    pod, which begins beyond it.
    """
    sold = (price.system or "").rpartition("-")[2]
    whole = chips is not None and chips <= DEVICE
    return sold not in {"device", "pod"} or kind not in _SOLD_APART or whole == (sold == "device")


def _side(  # noqa: PLR0917 - what is known
    runs: tuple[Run, ...],
    trials: tuple[Trial, ...],
    prices: list[Price],
    shop: Shop,
    sources: Mapping[str, Source],
    doubts: Doubts,
) -> Side:
    catalog = shop.catalog
    run = runs[-1] if runs[0].origin in OWN else runs[0]
    workload = catalog.workloads[run.workload]
    power = _rated(run, catalog)
    basis = None if power is None else Basis.RATED
    candidate = Candidate(
        run.run_id,
        run.system,
        run.workload,
        run.accelerators or 1,
        run.clock_scope,
        trials,
        power,
        basis,
    )
    recorded = [price for price in prices if price.price_id in catalog.prices]
    every = (*recorded, *(price for price in prices if price.price_id not in catalog.prices))
    days = _days(every, run, shop, sources, doubts)
    kept, standing = cheapest(every, run, shop.read, doubts, days)
    offers = [_offer(price, run, sources, doubts) for price in kept]
    listed = _newest(every, run, offers, shop.read)
    refs = (
        tuple(_told(run, workload))
        if not any(e.metric == workload.metric and e.time_s is not None for e in run.evaluations)
        else ()
    )
    label = series_label(run, catalog)
    return Side(
        candidate, run, runs, label, tuple(kept), listed, days, tuple(offers), refs, standing
    )


def _days(
    prices: Sequence[Price],
    run: Run,
    shop: Shop,
    sources: Mapping[str, Source],
    doubts: Doubts,
) -> tuple[Span, ...]:
    """The offers that are taken at the prices of a day: all of the run's own system and of its
    source, and of all others the cheapest on demand, in each currency.

    A price without a day is one of the day of its source.
    """
    own = [price for price in prices if compared(price, run)]
    found = [Span(one.first, one.last, one.price.price_id) for one in held(own, shop.looked, KNOWN)]
    for price in own:
        day = None if price.valid_from else rate_day(price, sources)
        if day:
            found.append(Span(day, day + KNOWN, price.price_id))
    others = [price for price in prices if not compared(price, run)]
    return tuple(sorted(found)) + shop.cheapest(others, run.accelerators, doubts)


def _marked(side: Side, facts: Facts) -> Side:
    """The side with what is to be said of its times: that its source prints what they follow from
    as about so much.
    """
    about = any(facts.get(ref).bound is not Bound.EQ for _, ref in side.time_refs)
    return (
        replace(side, candidate=replace(side.candidate, remarks=("about-time",))) if about else side
    )


def compared(price: Price, run: Run) -> bool:
    """Whether an offer is of the run's own system, or one of another machine that the run's source
    compares with it.
    """
    return price.system == run.system or price.source == run.source


def _newest(
    prices: Sequence[Price], run: Run, offers: Sequence[Offer], read: Read
) -> tuple[str, ...]:
    """Ids of the offers that are taken by themselves.

    What is rented, what is bought and what is free do not replace one another; in each the newest
    year counts, whoever recorded it; of other machines one that is recent. An undated price counts
    where no dated one is there.
    """
    by_id = {offer.id: offer for offer in offers}
    recent = max((year for known in read.values() for year in known), default=0) - RECENT
    found = set[str]()
    for way in (by_time, _bought, _free):
        own = [price for price in prices if way(price)]
        dated, undated = (
            [price for price in own if (price.valid_from is not None) is known]
            for known in (True, False)
        )
        days = {price.price_id: by_id[price.price_id].rate_day for price in undated}
        timeless = [price for price in undated if days[price.price_id] is None]
        choices = [
            *(
                [price for price in choice if year >= recent or compared(price, run)]
                for year, choice in by_year(dated, days, read).items()
            ),
            *by_year(undated, days, read).values(),
            timeless,
        ]
        found |= next((taken for choice in choices if (taken := _taken(choice, run, by_id))), set())
    return tuple(sorted(found))


def _taken(prices: Iterable[Price], run: Run, offers: Mapping[str, Offer]) -> set[str]:
    """Returns, of offers of one year, all of the run's own system and its source; the cheapest
    dated one on demand, in each currency, for all others.

    It stands for a catalogue's many regions.
    """
    taken, least = set[str](), dict[str, tuple[float, str]]()
    for price in prices:
        if price.price_id not in offers:  # another is cheaper
            continue
        hourly = offers[price.price_id].hourly
        if compared(price, run):
            taken.add(price.price_id)
        elif (
            price.valid_from
            and price.kind is PriceKind.ON_DEMAND
            and hourly is not None
            and not offers[price.price_id].doubtful
        ):
            mine = hourly, price.price_id
            least[price.currency] = min(least.get(price.currency, mine), mine)
    return taken | {id_ for _, id_ in least.values()}


def _bought(price: Price) -> bool:
    return price.per is Per.PURCHASE and price.kind is not PriceKind.FREE


def _free(price: Price) -> bool:
    return price.kind is PriceKind.FREE


def _offer(price: Price, run: Run, sources: Mapping[str, Source], doubts: Doubts) -> Offer:
    source = sources.get(run.source)
    ran = (
        run.started_at.date()
        if run.started_at
        else source and (source.published or source.published_about)
    )
    said: list[str] = [doubt.reason for doubt in doubts.get(price.price_id, ())]
    said += [OTHER] if price.system != run.system else []
    said += ["form-not-named"] if _formless(price.hardware, run.accelerator) else []
    said += ["later-price"] if price.valid_from and ran and price.valid_from - ran > LATER else []
    return offer_of(
        price, accelerators=run.accelerators, rate_day=rate_day(price, sources), remarks=said
    )


def _formless(kind: str | None, accelerator: str | None) -> bool:
    """Whether the offer says less of an accelerator than the run: A100, and not its form."""
    return None not in (kind, accelerator) and kind != accelerator


def _rated(run: Run, catalog: Catalog) -> float | None:
    """Watts of the accelerators as their maker states them; None where they are not known."""
    spec = catalog.spec(run.accelerator, "power") if run.accelerator else None
    if spec is None or spec.value is None or run.accelerators is None:
        return None
    return spec.value * run.accelerators


def targets(
    runs: Iterable[Run], workload: Workload, sides: Sequence[Side], direction: Direction
) -> tuple[float, ...]:
    """The qualities that runs were to reach and that one of them reached, the easiest first;
    without any, those that they ended at.
    """
    named = {
        target.value for run in runs for target in run.targets if target.metric == workload.metric
    }
    named |= {
        metric.target.value
        for run in runs
        for metric in run.metrics
        if metric.name in TO_TARGET
        and metric.target is not None
        and metric.target.metric == workload.metric
        and metric.value is not None
    }
    reached = [
        trial.best
        for side in sides
        for trial in side.candidate.trials
        if trial.points and trial.best is not None
    ]
    worth = max(reached, default=0.0) / COLLAPSED if direction is Direction.AT_LEAST else 0.0
    finals = {
        point.quality
        for side in sides
        for trial in side.candidate.trials
        for point in trial.points[-1:]
    }
    usable = {
        value
        for value in named
        if any(
            best >= value if direction is Direction.AT_LEAST else best <= value for best in reached
        )
    }
    if not usable:
        usable = (
            finals
            if len(finals) <= FEW_FINALS
            else {floor(100 * value) / 100 for value in finals if value >= worth}
        )
    return tuple(sorted(usable, reverse=direction is Direction.AT_MOST))


def _aims(side: Side) -> Iterator[Target]:
    """The targets of its runs, those of what their source prints among them."""
    for run in side.runs:
        yield from run.targets
        yield from (
            metric.target
            for metric in run.metrics
            if metric.name in TO_TARGET and metric.target is not None
        )


def first_question(
    runs: Sequence[Run], sides: Sequence[Side], aims: Sequence[float], direction: Direction
) -> Question:
    """Returns the question that is asked first: the cost, where anything has a price, of the
    hardest target that most systems with a price were to reach and reached.

    A target that a publication prints comes before others, the easiest first: its own conclusions
    are about that one.
    """
    printed = {
        metric.target.value
        for run in runs
        if run.origin is Origin.PUBLISHED
        for metric in run.metrics
        if metric.name in TO_TARGET and metric.target is not None and metric.value is not None
    }

    def reached(target: float) -> list[Side]:
        sign = 1.0 if direction is Direction.AT_LEAST else -1.0
        ends = {
            side.candidate.id: [
                sign * trial.points[-1].quality for trial in side.candidate.trials if trial.points
            ]
            for side in sides
        }
        return [
            side for side in sides if any(end >= sign * target for end in ends[side.candidate.id])
        ]

    def priced(found: Iterable[Side]) -> set[str]:
        return {side.run.system for side in found if side.usable}

    def weight(target: float) -> tuple[bool, int, int, int]:
        found = reached(target)
        compared = target in printed and len(priced(found)) > 1
        meant = [side for side in found if any(target == one.value for one in _aims(side))]
        return (
            compared,
            len(priced(meant or found)),
            len({side.run.system for side in meant or found}),
            -aims.index(target) if compared else aims.index(target),
        )

    target = max(aims, key=weight)
    found = [
        price for side in reached(target) for price in side.prices if price.price_id in side.usable
    ]
    currencies = Counter(price.currency for price in found)
    currency = max(sorted(currencies), key=lambda name: currencies[name]) if currencies else "USD"
    return Question(target, direction, By.COST if found else By.TIME, currency)
