"""Settings compared on one machine: setups that differ in one thing alone, and how many times as fast that makes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from kernels import compare
from kernels.catalog import Catalog
from kernels.claims import Facts
from kernels.compare import Comparison
from kernels.setups import PREFIX, Setup
from site_src import tables, tables_measured
from site_src.locales import Locale
from site_src.tables import Row

_FORMATS: Final = ("fp32", "tf32", "amp_fp16", "amp_bf16")


@dataclass(frozen=True, slots=True)
class Factor:
    """One thing that is set.

    Attributes:
        parts: Parts of a setup in which two sides may differ, the first of which they must.
        values: Of the first part, in order: the earlier one is the baseline. Empty for numbers.
        settings: Whether settings without a field may differ too, as those of two frameworks do.
    """

    parts: tuple[str, ...]
    values: tuple[str, ...] = ()
    settings: bool = False


FACTORS: Final[Mapping[str, Factor]] = {
    "own": Factor(("allocator", "memory_format"), ("default", "tuned")),
    "allocator": Factor(("allocator",), ("default", "tuned")),
    "memory_format": Factor(("memory_format",), ("contiguous", "channels_last")),
    "compile": Factor(("compile_mode",), ("eager", "inductor")),
    "precision": Factor(("precision",), _FORMATS),
    "framework": Factor(("backend", "framework_version", "compile_mode", "cpu_affinity"), ("torch", "jax"), settings=True),
    "threads": Factor(("threads", "cpu_affinity")),
    "processes": Factor(("processes", "threads", "cpu_affinity")),
}
"""What is compared, in the order of the tables. `own` are all settings in which this harness's defaults differ from the framework's own."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two setups that differ in one factor alone; `b` is the baseline.

    Attributes:
        found: What their throughputs say.
    """

    factor: str
    a: Setup
    b: Setup
    found: Comparison

    @property
    def ratio(self) -> str:
        """The reference of how many times as fast A is."""
        return f"ratio({self.a.figure(self.found.metric)}, {self.b.figure(self.found.metric)})"

    @property
    def answer(self) -> str:
        """What they say, as a key of `answer` in `strings/`; `few` where a side has no interval."""
        return "few" if self.found.ratio_low is None else self.found.answer.value

    @property
    def efficiency(self) -> str | None:
        """That of the scaling efficiency, where A has several times the processes of B, and as many threads in each."""
        same = self.a.parts["threads"] == self.b.parts["threads"]
        return f"per_chip({self.ratio}, run:{self.a.run.run_id}:processes)" if self.factor == "processes" and same else None


def pairs(found: Sequence[Setup]) -> list[Pair]:
    """All pairs of setups of networks that differ in one factor alone, by factor, workload and batch."""
    timed = [setup for setup in found if tables_measured.speed(setup) and not setup.run.workload.startswith(tables_measured.OPERATIONS)]
    made = []
    for name, factor in FACTORS.items():
        for b in timed:
            made += [made_pair for a in timed if (made_pair := _pair(name, factor, a, b)) is not None]
    return made


def _pair(name: str, factor: Factor, a: Setup, b: Setup) -> Pair | None:
    differing = {part for part in a.parts.keys() | b.parts.keys() if a.parts.get(part) != b.parts.get(part)}
    if factor.settings:
        differing = {part for part in differing if not part.startswith(PREFIX) or part == f"{PREFIX}suite_size"}
    if factor.parts[0] not in differing or not differing <= set(factor.parts) or not _above(name, factor, a, b):
        return None
    metric = tables.throughput_metric(a.run)
    other = tables.throughput_metric(b.run)
    if metric is None or other is None or metric.key != other.key:
        return None
    return Pair(name, a, b, compare.judged(metric.key, metric.unit, *(compare.side(one.metrics(metric.key)) for one in (a, b))))


def _above(name: str, factor: Factor, a: Setup, b: Setup) -> bool:
    """Whether A is the one that is held against B, and not the other way round."""
    first, second = (one.parts[factor.parts[0]] for one in (a, b))
    if name == "own":  # one of the two alone is a factor of its own
        return [first, second, a.parts["memory_format"], b.parts["memory_format"]] == ["tuned", "default", "channels_last", "contiguous"]
    if factor.values:
        return first in factor.values and second in factor.values and factor.values.index(first) > factor.values.index(second)
    if not (first.isdigit() and second.isdigit() and int(first) > int(second)):
        return False
    # several processes are held against one: on as many cores, and with as many threads in each for the scaling efficiency
    return name != "processes" or second == "1"


def compared(found: Sequence[Pair], catalog: Catalog, facts: Facts) -> pd.DataFrame:
    """A row a pair; of pairs alike in all but the batch the one at the largest batch at which both sides have an interval.

    Columns beside those of `tables_measured.base`, which are A's: `factor`; `a` and `b`, what is set on each side; `ratio` with its
    interval, and the `answer`; throughputs of both, the kind of their intervals, and of
    how many runs each is; `efficiency`; `pair`, its number among the pairs.
    """
    last: dict[tuple[object, ...], tuple[int, Pair]] = {}
    for place, pair in sorted(enumerate(found), key=lambda each: (each[1].answer != "few", each[1].a.run.global_batch_size or 0)):
        last[pair.factor, *(tuple(tables_measured.settings(setup).items()) for setup in (pair.a, pair.b))] = place, pair
    rows = [_row(place, pair, catalog, facts) for place, pair in sorted(last.values(), key=lambda each: each[0])]
    return tables.frame(rows)


def _row(place: int, pair: Pair, catalog: Catalog, facts: Facts) -> Row:
    metric = tables_measured.speed(pair.a)
    row: Row = {
        **tables_measured.base(pair.a, metric, catalog, framework=False),
        "series": pair.a.run.system,
        "label": tables_measured.name([pair.a], catalog),
        "pair": place,
        "category": f"pair-{place}",
        "factor": pair.factor,
        "workload": pair.a.run.workload,
        "batch": pair.a.run.global_batch_size,
        "batch_ref": f"run:{pair.a.run.run_id}:global_batch_size",
        "ratio": pair.found.ratio,
        "ratio_ref": pair.ratio,
        "ratio_low": pair.found.ratio_low,
        "ratio_high": pair.found.ratio_high,
        "ratio_decimals": 2,
        "answer": pair.answer,
        "efficiency": tables.figure(facts, pair.efficiency) if pair.efficiency else None,
        "efficiency_ref": pair.efficiency,
        "unit": metric.unit if metric else None,
    }
    for side, setup in (("a", pair.a), ("b", pair.b)):
        ref = setup.figure(pair.found.metric)
        value = tables.figure(facts, ref)
        row |= {side: value_of(pair, setup), f"{side}_run": setup.run.run_id, f"{side}_throughput": value, f"{side}_throughput_ref": ref}
        row |= {f"{side}_throughput_decimals": tables_measured.digits(value)}
        row |= {f"{side}_{name}": setup.parts[name] for name in ("processes", "threads")}
        found = getattr(pair.found, side)
        row |= {f"{side}_n": found.n, f"{side}_interval": found.interval.value if found.interval else None}
    return row


def value_of(pair: Pair, setup: Setup) -> str:
    """What is set on one side, as a key of `setting_side` in `strings/`."""
    if pair.factor == "own":
        return "harness" if setup is pair.a else "framework"
    if pair.factor in {"threads", "processes"}:
        return f"{pair.factor}_{'more' if setup is pair.a else 'fewer'}"
    compiled = "_compiled" if pair.factor == "framework" and setup.parts["compile_mode"] == "inductor" else ""
    return setup.parts[FACTORS[pair.factor].parts[0]] + compiled


def said(pair: Pair, setup: Setup, locale: Locale) -> str:
    """One side of a pair, in words."""
    if pair.factor == "threads":
        return locale.say("setting_side.threads", n=int(setup.parts["threads"]))
    if pair.factor == "processes":
        each = locale.say("setting_side.threads", n=int(setup.parts["threads"]))
        return locale.say("setting_side.processes", n=int(setup.parts["processes"]), threads=each)
    return locale.say(f"setting_side.{value_of(pair, setup)}")


def others(pair: Pair) -> list[str]:
    """What both sides have in common, as keys of strings: number format, another framework than PyTorch, and unusual settings."""
    shared = {name: value for name, value in pair.b.parts.items() if pair.a.parts.get(name) == value}
    found = [f"setting_side.{shared['precision']}"] if shared.get("precision") in _FORMATS else []
    found += ["setting_side.jax"] if shared.get("backend") == "jax" else []
    return found + [f"setting_side.{value}" for name, value in UNUSUAL if shared.get(name) == value]


UNUSUAL: Final = (("compile_mode", "inductor"), ("allocator", "default"), ("memory_format", "contiguous"))
"""Settings that the harness does not choose by itself: they are named where they were asked for."""
