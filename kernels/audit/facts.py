"""The audit: figures by reference, and verdicts on recomputed printed figures.

`Facts` answers references, the one grammar for claims, templates, content and `--verify`:

    run:<run>:<metric or field>      run:tpuv2-v100-tpu-imagenet-1024:epochs_to_target@0.757
    run:<run>:steady_s               or plain_s, overhead_s: made of its evaluations and epochs
                                     (`variation.EPOCHS`)
    run:<run>:reach_s@<quality>      likewise (`variation.reach`)
    run:<run>:mean_load              of its sensors, while it was timed (`load.mean_load`)
    alike:<run>:<metric>             over the run and its repetitions (`repetitions`): of one run
                                     its own figure, of several the median
    alike:<run>:ended                how many of them were not cut off
    alike:<run>:mean_load            median of the mean loads of those that were not cut off
    alike:<run>:reached              how many of them reached all their targets
    suite:<run>:<metric>             as alike, over those repetitions that are of the run's suite
    price:<price>:amount             in the offer's currency
    price:<price>:per_hour           likewise; or per_accelerator_hour
    rate:<base>:<quote>:<day>        quote for one base, at the latest rate up to ten days before
                                     the day (`exchange.convert`)
    cell:<source>:<table>:<row>:<column>   a figure of a table that a source prints
    spec:<hardware>:<quantity>       newest published figure; with @<source> what that one says
    system:<system>:<field>
    workload:<workload>:<field>
    claim:<claim>:printed            or printed_low, printed_high, recomputed
    pair:<fast>-vs-<base>:<workload>:ratio   how many times as fast one accelerator or system
                                     trained a workload as another, with what the runs allow
                                     (`pairs`); or fast, base: the scores that are compared;
                                     number: of accelerators, where it is the same; fast_number,
                                     base_number; fast_energy, base_energy
    score:<run>:minutes              or mean_minutes, energy_j, runs, converged: of the submission
                                     to a round that the run is part of
    score:<run>:<what>_<statistic>   over its runs (`variation.STATISTICS`): epochs, samples, time,
                                     steady, plain, overhead; low, median, high, range,
                                     quartiles, variation, apart
    count:runs                       with .<origin>, with @<source>
    count:claims                     with .<verdict>, with @<source>
    count:repeated                   claims that only print a figure once more; with @<source>
    count:places                     places of claims: several platforms in one sentence are
                                     several claims in one place; with .<verdict>, with @<source>
    number:<literal>
    <formula>(<reference>, ...)      nested as deep as needed

`verdicts.judge` compares a claim with the fact that its formula gives.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from statistics import median
from typing import Final, Protocol, TypeVar

from kernels.analysis import compare, pairs, variation
from kernels.analysis.load import mean_load
from kernels.analysis.mlperf_scores import Score, scores
from kernels.analysis.repetitions import Setup, seeds, setups, suite
from kernels.audit.formulas import FORMULAS, Fact, apply
from kernels.audit.verdicts import ORDER, TOLERANCE, Judgement, Tolerance, judge
from kernels.catalog import Catalog, cost, exchange
from kernels.errors import FactError, Finding, Severity
from kernels.printed import half_unit
from kernels.reading import Kept, named, remembered, where
from kernels.records import (
    Claim,
    Metric,
    Origin,
    Per,
    Price,
    PrintedCell,
    Rate,
    Run,
    Source,
    Status,
    Verdict,
)
from kernels.store.names import Filed, place
from kernels.tabular import nearest
from kernels.units import MONEY, UNITS, exact

__all__ = ["FORMULAS", "ORDER", "TOLERANCE", "Fact", "Facts", "Judgement", "Tolerance", "judge"]

T = TypeVar("T")

DEEPEST: Final = 64
"""Most references within references."""

REPEATED: Final = ("repeated", "auc-again")
"""Quantities of claims that repeat a figure: in another place, or with another platform."""

_WHOLE: Final = frozenset(
    {
        "chips",
        "epochs",
        "steps",
        "cores",
        "classes",
        "images",
        "samples",
        "months",
        "channels",
        "layers",
        "pixels",
    }
)
"""Units of whole things: such a figure printed without decimals is exact, not rounded."""

_COUNTED: Final = "counted"
_OF_RUNS: Final = {
    "accelerators": "chips",
    "nodes": "1",
    "processes": "1",
    "global_batch_size": _COUNTED,
    "batch_size_per_accelerator": _COUNTED,
    "train_samples": _COUNTED,
    "epochs_planned": "epochs",
    "seed": "1",
    "wall_time_s": "s",
}
_OF_SYSTEMS: Final = {
    "accelerators": "chips",
    "nodes": "1",
    "cpu_cores": "cores",
    "cpu_hz": "Hz",
    "memory_bytes": "byte",
}
_OF_WORKLOADS: Final = {
    "parameters": "1",
    "train_samples": _COUNTED,
    "eval_samples": _COUNTED,
    "classes": "classes",
}
"""Units of the fields that are figures; `_COUNTED` is the unit of the workload's samples."""

_PER: Final = {Per.SECOND: "s", Per.HOUR: "h", Per.MONTH: "month"}


class Records(Filed, Protocol):
    """The records that `Facts` reads from an archive (`store.Archive`)."""

    @property
    def runs(self) -> Sequence[Run]: ...
    @property
    def claims(self) -> Sequence[Claim]: ...
    @property
    def sources(self) -> Sequence[Source]: ...
    @property
    def cells(self) -> Sequence[PrintedCell]: ...
    @property
    def prices(self) -> Sequence[Price]: ...
    @property
    def rates(self) -> Sequence[Rate]: ...


class Facts:
    """Every figure of an archive and a catalogue, by reference; each is computed once.

    `archive` is a `store.Archive`, or an object with the same records.
    """

    def __init__(self, archive: Records, catalog: Catalog) -> None:
        self._archive = archive
        self._catalog = catalog
        self._runs = named(archive.runs, "run_id")
        self._claims = named(archive.claims, "claim_id")
        self._known: Kept[str, Fact] = Kept()
        self._judged: Kept[str, Judgement] = Kept()
        self._open: list[str] = []
        self._kinds: Mapping[str, Callable[[str, str], Fact]] = {
            "run": self._run,
            "alike": self._repetitions,
            "suite": self._repetitions,
            "price": self._price,
            "rate": self._rate,
            "cell": self._cell,
            "spec": self._spec,
            "system": self._system,
            "workload": self._workload,
            "claim": self._claim,
            "count": self._count,
            "score": self._score,
            "pair": self._pair,
            "number": self._number,
        }

    def get(self, ref: str) -> Fact:
        """Returns the figure of a reference.

        Raises:
            FactError: Unknown reference (the error names the nearest known one), a formula that
                does not fit its inputs, or a cycle.
        """
        return self._known.get(ref, lambda: self._found(ref))

    def _found(self, ref: str) -> Fact:
        if ref in self._open or len(self._open) > DEEPEST:
            raise FactError(
                f"{ref[:200]}: goes round in a circle: {' -> '.join(self._open[-4:])[:400]}"
            )
        self._open.append(ref)
        try:
            return self._resolve(ref)
        finally:
            self._open.pop()

    def known(self, ref: str) -> bool:
        """Returns True if the reference has a figure that is not missing."""
        try:
            return not self.get(ref).missing
        except FactError:
            return False

    def judgement(self, claim_id: str) -> Judgement:
        """Returns the claim's recomputed figure and verdict; see `judge`."""
        return self._judged.get(
            claim_id, lambda: judge(_one("claim", claim_id, self._claims), self)
        )

    def judgements(self, source: str | None = None) -> tuple[Judgement, ...]:
        """Returns the judged claims, all or of one source, in the archive's order."""
        return tuple(
            self.judgement(claim.claim_id)
            for claim in self._archive.claims
            if source in (None, claim.source)
        )

    def check(self) -> list[Finding]:
        """Returns an error for each claim that cannot be judged: the site shows every claim and is
        not built while one is wrong.
        """
        found = []
        for claim in self._archive.claims:
            try:
                self.judgement(claim.claim_id)
            except FactError as error:
                found.append(
                    Finding(
                        Severity.ERROR, place(claim, self._archive), f"formula and inputs: {error}"
                    )
                )
        return found

    @remembered
    def _setups(self) -> Mapping[str, Setup]:
        return {run.run_id: setup for setup in setups(self._archive.runs) for run in setup.runs}

    @remembered
    def _imported(self) -> tuple[Run, ...]:
        """The runs from which scores are made."""
        return where(self._archive.runs, origin=Origin.IMPORTED)

    @remembered
    def _scores(self) -> Mapping[str, Score]:
        return {run: score for score in scores(self._imported) for run in score.run_ids}

    @remembered
    def _grouped(self) -> pairs.Grouped:
        runs = self._imported
        found = [*pairs.submissions(scores(runs), {run.run_id: run for run in runs})]
        return {**pairs.grouped(found, pairs.system), **pairs.grouped(found)}

    @remembered
    def _prices(self) -> Mapping[str, Price]:
        return {**named(self._archive.prices, "price_id"), **self._catalog.prices}

    @remembered
    def _cells(self) -> Mapping[str, PrintedCell]:
        return {f"{c.source}:{c.table}:{c.row}:{c.column}": c for c in self._archive.cells}

    @remembered
    def _rates(self) -> tuple[Rate, ...]:
        return (*self._archive.rates, *self._catalog.rates.values())

    def _resolve(self, ref: str) -> Fact:
        called = re.fullmatch(r"\s*([a-z_]+)\s*\((.*)\)\s*", ref, flags=re.DOTALL)
        if called:
            return apply(called[1], [self.get(part) for part in split(called[2], ref)], ref)
        kind, _, rest = ref.partition(":")
        if kind not in self._kinds:
            raise FactError(
                f"{ref[:200]!r}: no reference; wanted a formula, or <kind>:<id>:<field> with one "
                f"of {', '.join(self._kinds)}"
            )
        return self._kinds[kind](rest, ref)

    def _run(self, rest: str, ref: str) -> Fact:
        run_id, _, name = rest.partition(":")
        run = _one("run", run_id, self._runs, ref)
        metric = run.metric(name)
        if metric is not None:
            return _of_metric(metric, ref)
        fields = self._fields(run, _OF_RUNS, run.workload)
        fields["mean_load"] = mean_load(run) if name == "mean_load" else None, "1"
        made = variation.EPOCHS.get(name.removesuffix("_s")) if name.endswith("_s") else None
        if made is not None:
            fields[name] = (made(run), "s")
        wanted = re.fullmatch(r"reach_s@(\d+(?:\.\d+)?)", name)
        if wanted and run.workload in self._catalog.workloads:
            fields[name] = (
                variation.reach(
                    run, self._catalog.workloads[run.workload].metric, float(wanted[1])
                ),
                "s",
            )
        return _of_field(fields, name, ref, other=[metric.key for metric in run.metrics])

    def _repetitions(self, rest: str, ref: str) -> Fact:
        run_id, _, name = rest.partition(":")
        setup = _one("run of this harness", run_id, self._setups, ref)
        if ref.startswith("suite:") and (name_of := suite(self._runs[run_id])) is not None:
            setup = setup.of_suite(name_of)
        found = setup.metrics(name)
        if found:
            estimate = compare.estimate(found)
            return Fact(ref, estimate.value, found[0].unit, estimate.low, estimate.high)
        missing = next(
            (metric for run in setup.runs for metric in run.metrics if metric.key == name), None
        )
        if missing is not None:
            return Fact(ref, None, missing.unit, status=missing.status)
        fields: dict[str, tuple[float | None, str]] = {
            "ended": (len(setup.ended), "1"),
            "reached": (len(setup.reached), "1"),
        }
        if name == "mean_load":
            loads = [load for run in setup.ended if (load := mean_load(run)) is not None]
            fields[name] = (median(loads) if loads else None, "1")
        if (repeated := seeds(setup.runs)) is not None:
            fields |= {
                "seeds": (len(repeated.run_ids), "1"),
                "seeds_reached": (len(repeated.times), "1"),
                "seeds_mean_s": (repeated.mean_s, "s"),
            }
        return _of_field(
            fields, name, ref, other=[metric.key for run in setup.runs for metric in run.metrics]
        )

    def _price(self, rest: str, ref: str) -> Fact:
        price_id, _, name = rest.partition(":")
        price = (
            self._catalog.prices.get(price_id)
            or named(self._archive.prices, "price_id").get(price_id)
            or _one("price", price_id, self._prices, ref)
        )
        low, high = _rounded(price.amount, price.decimals, price.currency)
        if name == "amount":
            unit = (
                price.currency
                if price.per is Per.PURCHASE
                else f"{price.currency}/{_PER[price.per]}"
            )
            return Fact(
                ref, price.amount, _known_unit(unit, ref), low, high, price.decimals, price.bound
            )
        if name in {"per_hour", "per_accelerator_hour"}:
            pieces = 1 if name == "per_hour" else price.accelerators
            found = cost.hourly(price) / pieces
            scale = found / exact(price.amount) if price.amount else exact(0.0)
            if low is not None and high is not None:
                low, high = float(exact(low) * scale), float(exact(high) * scale)
            decimals = price.decimals if price.per is Per.HOUR and pieces == 1 else None
            return Fact(
                ref,
                float(found),
                _known_unit(f"{price.currency}/h", ref),
                low,
                high,
                decimals,
                price.bound,
                fraction=found,
            )
        raise FactError(
            f"{ref}: unknown field {name!r}; wanted amount, per_hour or per_accelerator_hour"
        )

    def _rate(self, rest: str, ref: str) -> Fact:
        base, _, when = rest.partition(":")
        quote, _, day = when.partition(":")
        try:
            found = exchange.convert(1.0, base, quote, date.fromisoformat(day), self._rates)
        except ValueError:
            raise FactError(
                f"{ref}: found {day!r}, wanted a day, as in rate:USD:EUR:2019-05-14"
            ) from None
        return Fact(ref, found.rate, _known_unit(f"{quote} per {base}", ref))

    def _cell(self, rest: str, ref: str) -> Fact:
        cell = _one("cell", rest, self._cells, ref)
        if cell.unit is None:
            raise FactError(f"{ref}: the cell holds a text ({cell.text!r}), wanted a figure")
        status = Status.OK if cell.value is not None else Status.NOT_REPORTED
        low, high = _rounded(cell.value, cell.decimals, cell.unit)
        return Fact(
            ref, cell.value, cell.unit, low, high, cell.decimals, cell.bound, cell.certainty, status
        )

    def _spec(self, rest: str, ref: str) -> Fact:
        hardware, _, said = rest.partition(":")
        quantity, _, source = said.partition("@")
        spec = self._catalog.spec(hardware, quantity, source or None)
        if spec is None:
            known = [f"{s.hardware}:{s.quantity}" for s in self._catalog.specs]
            raise FactError(f"{ref}: no such specification; {nearest(rest, known)}")
        status = Status.OK if spec.value is not None else Status.NOT_REPORTED
        return Fact(ref, spec.value, spec.unit, certainty=spec.certainty, status=status)

    def _system(self, rest: str, ref: str) -> Fact:
        name, _, wanted = rest.partition(":")
        system = _one("system", name, self._catalog.systems, ref)
        return _of_field(self._fields(system, _OF_SYSTEMS), wanted, ref)

    def _workload(self, rest: str, ref: str) -> Fact:
        name, _, wanted = rest.partition(":")
        workload = _one("workload", name, self._catalog.workloads, ref)
        return _of_field(self._fields(workload, _OF_WORKLOADS, name), wanted, ref)

    def _claim(self, rest: str, ref: str) -> Fact:
        claim_id, _, name = rest.partition(":")
        claim = _one("claim", claim_id, self._claims, ref)
        if name == "recomputed":
            found = self.judgement(claim_id)
            status = Status.NOT_REPORTED if found.verdict is Verdict.NOT_CHECKABLE else Status.OK
            ends = found.recomputed_low, found.recomputed_high
            return Fact(ref, found.recomputed, claim.unit, *ends, status=status)
        if name == "printed" and claim.printed is None:
            ends = claim.printed_low, claim.printed_high
            return Fact(ref, None, claim.unit, *ends, claim.decimals, claim.bound)
        fields = ("printed", "printed_low", "printed_high")
        if name not in fields:
            raise FactError(
                f"{ref}: unknown field {name!r}; wanted recomputed or one of {', '.join(fields)}"
            )
        value = getattr(claim, name)
        status = Status.NOT_REPORTED if value is None else Status.OK
        ends = _rounded(value, claim.decimals, claim.unit)
        return Fact(ref, value, claim.unit, *ends, claim.decimals, claim.bound, status=status)

    def _score(self, rest: str, ref: str) -> Fact:
        run_id, _, name = rest.partition(":")
        score = _one("scored run", run_id, self._scores, ref)
        fields: Mapping[str, tuple[float | None, str]] = {
            "minutes": (score.score_minutes, "min"),
            "runs": (score.runs, "1"),
            "converged": (score.converged, "1"),
            "mean_minutes": (score.mean_minutes, "min"),
            "energy_j": (score.energy_j, "J"),
        }
        found = variation.statistic([self._runs[run] for run in score.run_ids], name)
        return _of_field(fields if found is None else {name: found}, name, ref)

    def _pair(self, rest: str, ref: str) -> Fact:
        name, _, wanted = rest.partition(":")
        workload, _, what = wanted.partition(":")
        fast, _, base = name.partition(pairs.BETWEEN)
        own = _one("accelerator or system with scores", fast, self._grouped, ref)
        other = _one("accelerator or system with scores", base, self._grouped, ref)
        _one("shared workload", workload, dict.fromkeys(own.keys() & other.keys(), True), ref)
        # in the order of the pair: where several results are equally near, the choice depends on it
        found = pairs.match(self._grouped, min(fast, base), max(fast, base), workload)
        one, two = (found.a, found.b) if fast < base else (found.b, found.a)
        if what == "ratio" and found.told is not None:
            ratio = pairs.Ratio.of(one, two)
            return Fact(ref, ratio.value, "1", ratio.low, ratio.high)
        fields: dict[str, tuple[float | None, str]] = {
            "fast": (one.minutes, "min"),
            "base": (two.minutes, "min"),
            "fast_number": (one.number, "chips"),
            "base_number": (two.number, "chips"),
            "fast_energy": (one.score.energy_j, "J"),
            "base_energy": (two.score.energy_j, "J"),
        }
        if one.number == two.number:
            fields["number"] = (one.number, "chips")
        return _of_field(fields, what, ref, other=["ratio"])

    def _count(self, rest: str, ref: str) -> Fact:
        what, _, source = rest.partition("@")
        name, _, kind = what.partition(".")
        kinds: Mapping[str, Collection[str]] = {
            "runs": list(Origin),
            "claims": list(Verdict),
            "places": list(Verdict),
            "repeated": (),
        }
        if name not in kinds:
            raise FactError(f"{ref}: nothing to count; {nearest(name, kinds)}")
        if kind and kind not in kinds[name]:
            raise FactError(f"{ref}: unknown kind {kind!r}; {nearest(kind, kinds[name])}")
        if name == "runs":
            runs = where(self._archive.runs, source=source) if source else self._archive.runs
            return Fact(ref, float(sum(kind in ("", run.origin) for run in runs)), "1")
        judged = [each for each in self.judgements(source or None) if kind in ("", each.verdict)]
        if name == "repeated":
            judged = [each for each in judged if each.claim.quantity in REPEATED]
        places = {each.claim.locator for each in judged}
        return Fact(ref, float(len(places if name == "places" else judged)), "1")

    def _number(self, rest: str, ref: str) -> Fact:
        try:
            value = float(rest)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise FactError(f"{ref}: found {rest!r}, wanted a number such as number:99")
        return Fact(ref, value, "1")

    def _fields(
        self, record: object, units: Mapping[str, str], workload: str = ""
    ) -> dict[str, tuple[float | None, str]]:
        counted = self._counted(workload)
        return {
            name: (getattr(record, name), counted if unit == _COUNTED else unit)
            for name, unit in units.items()
        }

    def _counted(self, workload: str) -> str:
        """Returns the unit of the workload's samples: images if its throughput is in images."""
        known = self._catalog.workloads.get(workload)
        return "images" if known is not None and known.task.startswith("image") else "samples"


def split(inputs: str, ref: str) -> list[str]:
    """Splits a formula's inputs at the commas outside inner parentheses.

    Raises:
        FactError: Unbalanced parentheses, or an empty input.
    """
    parts = [""]
    depth = 0
    for sign in inputs:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    if depth:
        raise FactError(f"{ref[:200]}: a parenthesis without its partner")
    parts = [part.strip() for part in parts]
    if not all(parts):
        raise FactError(f"{ref[:200]}: an empty input")
    return parts


def _one(kind: str, name: str, known: Mapping[str, T], ref: str = "") -> T:
    if name not in known:
        raise FactError(
            f"{ref[:200] or name[:200]}: no {kind} {name[:200]!r}; {nearest(name[:200], known)}"
        )
    return known[name]


def _known_unit(unit: str, ref: str) -> str:
    if unit not in UNITS and not MONEY.fullmatch(unit):
        raise FactError(
            f"{ref}: unit {unit!r} is not in units.UNITS; add it there and to strings/*.toml"
        )
    return unit


def _rounded(
    value: float | None, decimals: int | None, unit: str
) -> tuple[float | None, float | None]:
    """Returns the interval that a printed figure's rounding leaves open; none for an exact one: not
    printed, or a count of whole things.
    """
    if value is None or decimals is None or (unit in _WHOLE and decimals >= 0):
        return None, None
    half = half_unit(decimals)
    return value - half, value + half


def _of_metric(metric: Metric, ref: str) -> Fact:
    low, high = metric.low, metric.high
    if low is None:
        low, high = _rounded(metric.value, metric.decimals, metric.unit)
    return Fact(
        ref,
        metric.value,
        metric.unit,
        low,
        high,
        metric.decimals,
        metric.bound,
        status=metric.status,
    )


def _of_field(
    fields: Mapping[str, tuple[float | None, str]], name: str, ref: str, other: Iterable[str] = ()
) -> Fact:
    if name not in fields:
        raise FactError(
            f"{ref[:200]}: unknown field {name[:200]!r}; {nearest(name[:200], [*fields, *other])}"
        )
    value, unit = fields[name]
    return Fact(
        ref,
        None if value is None else float(value),
        unit,
        status=Status.NOT_REPORTED if value is None else Status.OK,
    )
