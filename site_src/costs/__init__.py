"""The setups of a workload with comparable costs, the offers that fit each, and the first question.
A `Setup` is one configuration on one system with all its runs. Times come from evaluations, else
from figures that the source prints: epochs to a target times samples over throughput, or the
training time to the final quality.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final

from kernels.analysis.gathered import groups
from kernels.analysis.mlperf_scores import START_MOVED
from kernels.analysis.repetitions import OWN
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.catalog.price_warnings import price_warnings
from kernels.reading import named, where
from kernels.records import Bound, Direction, Mode, Rate, Run, Source, Status, Workload
from kernels.units import SECONDS_AN_HOUR
from site_src.costs import shop as shops
from site_src.costs import targets
from site_src.costs.answers import Asked, answers
from site_src.costs.question import Basis, Candidate, Offer, Point, Row, Trial, sign
from site_src.costs.setup import Case, Setup
from site_src.costs.shop import OTHER, Shop, Warned
from site_src.evidence import Evidence
from site_src.tables import series_label, throughput_metric
from site_src.tables.curve import TO_TARGET, hits
from site_src.tables.submissions import comparable

__all__ = ["OTHER", "Case", "Setup", "Shop"]

_MEANT: Final = ("train_time_s", "final_", *TO_TARGET)
"""Prefixes of figures of runs that aimed at a quality but failed, or do not report it."""


def first_answers(
    cases: Iterable[Case], rates: Sequence[Rate], today: date
) -> list[tuple[Row, ...]]:
    """The answers to the first question of each workload, at the listed offers."""
    return answers([Asked(case.question, _pairs(case.setups)) for case in cases], rates, today)


def _pairs(setups: Iterable[Setup]) -> list[tuple[Candidate, Offer | None]]:
    found: list[tuple[Candidate, Offer | None]] = []
    for setup in setups:
        listed = [offer for offer in setup.offers if offer.id in setup.listed]
        found += [(setup.candidate, offer) for offer in listed or (None,)]
    return found


def cases(evidence: Evidence, least: int = 2, only: str | None = None) -> tuple[Case, ...]:
    """Workloads with `least` or more systems that reached some quality, or `only` this one."""
    prepare(evidence)
    ids = evidence.catalog.workloads if only is None else [only]
    return tuple(evidence.graph.get("case", id_) for id_ in ids if timed(evidence, id_) >= least)


def timed(evidence: Evidence, workload: str) -> int:
    """The number of systems that reached some quality of a workload in a known time."""
    found: int = evidence.graph.get("timed", workload)
    return found


def prepare(evidence: Evidence) -> None:
    """Registers how each workload is made; users of several depend on the result of each."""
    graph = evidence.graph

    def found(workload: str) -> int:
        one = graph.get("case", workload)
        return 0 if one is None else len(systems(one.setups))

    graph.register("case", partial(_case, evidence))
    graph.register("timed", found, keep=True)
    graph.register(
        "price warnings",
        lambda: price_warnings(
            (*evidence.catalog.prices.values(), *evidence.archive.prices), evidence.catalog.systems
        ),
    )


def _case(evidence: Evidence, id_: str) -> Case | None:
    workload = evidence.catalog.workloads.get(id_)
    found = where(evidence.archive.runs, workload=id_)
    told = [run for run in found if run.withdrawn is None and run.mode is Mode.TRAINING]
    runs = comparable(evidence, told, each_round=True)
    if workload is None or not runs:
        return None
    return case(runs, workload, evidence, evidence.graph.get("price warnings"), least=1)


def shop_of(evidence: Evidence) -> Shop:
    """All offers, sorted once."""
    found: Shop = evidence.results.kept.get("shop", lambda: Shop(evidence))
    return found


def case(
    runs: Sequence[Run], workload: Workload, evidence: Evidence, warned: Warned, least: int = 2
) -> Case | None:
    """One workload; None if fewer than `least` systems reached any quality. A run that took a time
    that nobody knows is no trial.
    """
    runs = [run for run in runs if START_MOVED not in run.caveats]
    direction = targets.direction(runs, workload)
    sources = named(evidence.archive.sources, "source")
    found = []
    for group in groups(runs):
        trials = tuple(_trial(run, workload, direction, evidence.facts) for run in group)
        meant = (metric.name.startswith(_MEANT) for run in group for metric in run.metrics)
        if any(trial.points for trial in trials) or any(meant):
            setup = _setup(group, trials, workload, shop_of(evidence), sources, warned)
            found.append(_marked(setup, evidence.facts))
    if len(systems(found)) < least:
        return None
    aims = targets.targets(runs, workload, found, direction)
    if not aims:
        return None
    question = targets.first_question(runs, found, aims, direction)
    return Case(workload, tuple(found), aims, question)


def systems(setups: Iterable[Setup]) -> set[str]:
    """The systems of those that reached some quality in a known time."""
    return {setup.run.system for setup in setups if setup.timed}


def first_day(setups: Iterable[Setup]) -> date | None:
    """The first day with a price for any of those that reached some quality in a known time."""
    return min((span.first for setup in setups if setup.timed for span in setup.days), default=None)


def _trial(run: Run, workload: Workload, direction: Direction, facts: Facts) -> Trial:
    by = sign(direction)
    read = [e.value for e in run.evaluations if e.metric == workload.metric]
    timed = _evaluated(run, workload)
    for quality, ref in _printed_qualities(run, workload) if not timed else ():
        fact = facts.get(ref)
        size = SECONDS_AN_HOUR if fact.unit == "h" else 1.0
        if fact.value is not None:
            low, high = (end if end is None else end * size for end in (fact.low, fact.high))
            timed.append(Point(quality, fact.value * size, None, low, high))
    records: list[Point] = []
    for point in sorted(timed, key=lambda point: (point.seconds, -by * point.quality)):
        if not records or by * point.quality > by * records[-1].quality:
            records.append(point)
    named = {
        f"{when}_{name}" for when in ("best", "final") for name in (workload.metric, "accuracy")
    }
    known = [
        *read,
        *(metric.value for metric in run.metrics if metric.name in named and metric.value),
        *(point.quality for point in records),
    ]
    energy = run.metric("energy_j")
    if energy is not None and energy.value is not None and records and run.status is Status.OK:
        # the meter ran until the target was reached
        records[-1] = replace(records[-1], energy_j=energy.value)
    best = max(known, key=lambda value: by * value, default=None)
    return Trial(run.run_id, tuple(records), best, run.status)


def _evaluated(run: Run, workload: Workload) -> list[Point]:
    """The timed evaluations of a run."""
    return [
        Point(one.value, one.time_s)
        for one in run.evaluations
        if one.metric == workload.metric and one.time_s is not None
    ]


def _printed_qualities(run: Run, workload: Workload) -> Iterator[tuple[float, str]]:
    """Yields qualities that a source prints with the times they took, and the time's reference."""
    at = f"run:{run.run_id}"
    speed = throughput_metric(run)
    for hit, target in hits(run, workload.metric):
        if hit.value is None:
            continue
        if hit.name == "time_to_target_s":
            yield target.value, f"{at}:{hit.key}"
        elif (
            hit.name == "epochs_to_target"
            and speed is not None
            and workload.train_samples
            and not _value(run, f"time_to_target_s@{target.value:g}")
        ):
            samples = f"workload:{workload.workload}:train_samples"
            yield target.value, f"hours_to_target({at}:{hit.key}, {samples}, {at}:{speed.key})"
    final = run.metric(f"final_{workload.metric}") or run.metric("final_accuracy")
    if final and final.value is not None and _value(run, "train_time_s") is not None:
        yield final.value, f"{at}:train_time_s"


def _value(run: Run, name: str) -> float | None:
    metric = run.metric(name)
    return metric.value if metric else None


def _setup(  # noqa: PLR0917 - what is known
    runs: tuple[Run, ...],
    trials: tuple[Trial, ...],
    workload: Workload,
    shop: Shop,
    sources: Mapping[str, Source],
    warned: Warned,
) -> Setup:
    catalog = shop.catalog
    run = runs[-1] if runs[0].origin in OWN else runs[0]
    power = _rated(run, catalog)
    candidate = Candidate(
        run.run_id,
        run.system,
        run.workload,
        run.accelerators or 1,
        run.clock_scope,
        trials,
        power,
        None if power is None else Basis.RATED,
    )
    fitting = shop.fitting(runs[0])
    every = sorted(fitting, key=lambda price: price.price_id not in catalog.prices)
    days = shops.days(every, run, shop, sources, warned)
    kept, standing = shops.cheapest(every, run, shop.read, warned, days)
    offers = shops.offers(kept, run, sources, warned)
    return Setup(
        candidate,
        run,
        runs,
        series_label(run, catalog),
        tuple(kept),
        shops.newest(every, run, offers, shop.read),
        days,
        tuple(offers),
        tuple(
            (one.run_id, *printed)
            for one in runs
            if not _evaluated(one, workload)
            for printed in _printed_qualities(one, workload)
        ),
        standing,
    )


def _marked(setup: Setup, facts: Facts) -> Setup:
    """The setup, marked if its source prints approximate times."""
    about = any(facts.get(ref).bound is not Bound.EQ for _, _, ref in setup.time_refs)
    return (
        replace(setup, candidate=replace(setup.candidate, remarks=("about-time",)))
        if about
        else setup
    )


def _rated(run: Run, catalog: Catalog) -> float | None:
    """The rated power of the accelerators in W."""
    spec = catalog.spec(run.accelerator, "power") if run.accelerator else None
    if spec is None or spec.value is None or run.accelerators is None:
        return None
    return spec.value * run.accelerators
