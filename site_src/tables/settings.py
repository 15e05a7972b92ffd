"""Settings compared on one machine: setups that differ in one factor, and their speed-up."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from kernels.analysis import compare, stats
from kernels.analysis.compare import Comparison
from kernels.analysis.repetitions import PREFIX, Setup, configuration, suite
from kernels.records import Run
from site_src import tables
from site_src.evidence import Evidence
from site_src.locales import Locale
from site_src.tables import Cell, Row, measured
from site_src.tables.recorded import unusual_threads, warned

_FORMATS: Final = ("fp32", "tf32", "amp_fp16", "amp_bf16")


@dataclass(frozen=True, slots=True)
class Factor:
    """A setting or group of settings that is varied.

    Attributes:
        parts: Parts of a setup in which the two setups may differ; in the first they must.
        values: Values of the first part, in order: the earlier one is the baseline. Empty for
            numbers.
        settings: True if settings without a field may differ too, as those of two frameworks do.
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
    "framework": Factor(
        ("backend", "framework_version", "compile_mode", "cpu_affinity"),
        ("torch", "jax"),
        settings=True,
    ),
    "threads": Factor(("threads", "cpu_affinity")),
    "processes": Factor(("processes", "threads", "cpu_affinity")),
}
"""The factors compared, in the order of the tables; `own` are the harness's own defaults."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two setups that differ in one factor, within one suite if one has both; `b` is the baseline.

    Attributes:
        found: The comparison of their throughputs.
    """

    factor: str
    a: Setup
    b: Setup
    found: Comparison

    @property
    def ratio(self) -> str:
        """The reference of the speed-up of A over B."""
        return self.ratio_of(self.a, self.b)

    def ratio_of(self, one: Setup, other: Setup) -> str:
        """The reference of the speed-up of one of the two over the other."""
        return f"ratio({one.figure(self.found.metric)}, {other.figure(self.found.metric)})"

    @property
    def answer(self) -> str:
        """The outcome, a key of `answer` in `strings/`; `few` if either has no interval."""
        return "few" if self.found.ratio_low is None else self.found.answer.value

    @property
    def repeated(self) -> bool:
        """Returns True if both were measured often enough for an interval over their runs."""
        return min(self.found.a.n, self.found.b.n) >= stats.LEAST_RUNS

    @property
    def efficiency(self) -> str | None:
        """The reference of the scaling efficiency, if A has several times the processes of B."""
        same = self.a.parts["threads"] == self.b.parts["threads"]
        return (
            f"per_chip({self.ratio}, run:{self.a.run.run_id}:processes)"
            if self.factor == "processes" and same
            else None
        )


def pairs(found: Sequence[Setup]) -> list[Pair]:
    """All pairs that differ in one factor; repeated ones first."""
    timed = [
        setup
        for setup in found
        if measured.speed(setup) and not setup.run.workload.startswith(measured.OPERATIONS)
    ]
    made = []
    for name, factor in FACTORS.items():
        groups = defaultdict(list)
        for a in timed:
            groups[_beside(factor, a)].append(a)
        of_factor = [
            pair
            for b in timed
            for a in groups[_beside(factor, b)]
            if (pair := _pair(name, factor, a, b)) is not None
        ]
        made += sorted(of_factor, key=lambda pair: (not pair.repeated, pair.answer == "few"))
    return made


def _beside(factor: Factor, setup: Setup) -> frozenset[tuple[str, str]]:
    return frozenset(
        (part, value)
        for part, value in setup.parts.items()
        if value is not None
        and part not in factor.parts
        and not (factor.settings and part.startswith(PREFIX) and part != f"{PREFIX}suite_size")
    )


def _pair(name: str, factor: Factor, a: Setup, b: Setup) -> Pair | None:
    first = factor.parts[0]
    if a.parts.get(first) == b.parts.get(first) or not _above(name, factor, a, b):
        return None
    metric = tables.throughput_metric(a.run)
    other = tables.throughput_metric(b.run)
    if metric is None or other is None or metric.key != other.key:
        return None
    a, b = _within_a_suite(a, b, metric.key)
    return Pair(
        name,
        a,
        b,
        compare.judged(
            metric.key, metric.unit, *(compare.estimate(one.metrics(metric.key)) for one in (a, b))
        ),
    )


def _within_a_suite(a: Setup, b: Setup, metric: str) -> tuple[Setup, Setup]:
    """Both setups as one suite measured them in turns: the suite with the most runs of the rarer
    setup; all runs if no suite has both.
    """

    def counts(pair: tuple[Setup, Setup]) -> list[int]:
        return sorted(len(setup.metrics(metric)) for setup in pair)

    names = sorted({name for run in (*a.runs, *b.runs) if (name := suite(run)) is not None})
    shared = [pair for name in names if all(counts(pair := (a.of_suite(name), b.of_suite(name))))]
    return max(shared, key=counts, default=(a, b))


def _above(name: str, factor: Factor, a: Setup, b: Setup) -> bool:
    first, second = (one.parts[factor.parts[0]] for one in (a, b))
    if name == "own":  # either of them alone is a factor of its own
        return [first, second, a.parts["memory_format"], b.parts["memory_format"]] == [
            "tuned",
            "default",
            "channels_last",
            "contiguous",
        ]
    if factor.values:
        return (
            first in factor.values
            and second in factor.values
            and factor.values.index(first) > factor.values.index(second)
        )
    if not (first.isdigit() and second.isdigit() and int(first) > int(second)):
        return False
    # several processes are compared with one: on as many cores, and, for the scaling efficiency,
    # with as many threads in each
    return name != "processes" or second == "1"


def compared(found: Sequence[Pair], evidence: Evidence) -> pd.DataFrame:
    """A row per pair; one for pairs that differ only in batch and suite.

    That is a pair with both setups repeated, else one with both intervals, at the largest batch of
    several.

    Columns beside those of `tables.measured.base`, which are A's: `factor`; `a` and `b`, the
    setting of each; `ratio` with its interval, and the `answer`; throughputs of both, the kind of
    their intervals, and of how many runs each is; `efficiency`; `pair`, its number among the pairs.
    """
    last: dict[tuple[object, ...], tuple[int, Pair]] = {}
    for place, pair in sorted(enumerate(found), key=lambda each: _rank(each[1])):
        shared = (
            {name: value for name, value in measured.settings(setup).items() if name != "size"}
            for setup in (pair.a, pair.b)
        )
        last[pair.factor, *(tuple(setup.items()) for setup in shared)] = place, pair
    rows = [
        _row(place, pair, evidence)
        for place, pair in sorted(last.values(), key=lambda each: each[0])
    ]
    return tables.frame(rows)


def _rank(pair: Pair) -> tuple[bool, bool, int]:
    return pair.repeated, pair.answer != "few", pair.a.run.global_batch_size or 0


def _row(place: int, pair: Pair, evidence: Evidence) -> Row:
    metric = measured.speed(pair.a)
    row: Row = {
        **measured.base(pair.a, metric, evidence.catalog, framework=False),
        "series": pair.a.run.system,
        "doubted": warned((*pair.a.runs, *pair.b.runs)),
        "label": measured.name([pair.a], evidence.catalog),
        "pair": place,
        "category": f"pair-{place}",
        "factor": pair.factor,
        "workload": pair.a.run.workload,
        "batch": tables.stated(pair.a.run, "global_batch_size"),
        "ratio": Cell(
            pair.found.ratio, pair.ratio, (pair.found.ratio_low, pair.found.ratio_high), decimals=2
        ),
        "answer": pair.answer,
        "efficiency": tables.cell(evidence.facts, pair.efficiency),
        "unit": metric.unit if metric else None,
    }
    for name, setup in (("a", pair.a), ("b", pair.b)):
        ref = setup.figure(pair.found.metric)
        value = tables.figure(evidence.facts, ref)
        found = getattr(pair.found, name)
        row |= {
            name: value_of(pair, setup),
            f"{name}_run": setup.run.run_id,
            f"{name}_throughput": Cell(value, ref, decimals=measured.digits(value)),
            f"{name}_processes": setup.parts["processes"],
            f"{name}_threads": setup.parts["threads"],
            f"{name}_n": found.n,
            f"{name}_interval": found.interval.value if found.interval else None,
        }
    return row


def value_of(pair: Pair, setup: Setup) -> str:
    """The setting of one setup of the pair, as a key of `setting_side` in `strings/`."""
    if pair.factor == "own":
        return "harness" if setup is pair.a else "framework"
    if pair.factor in {"threads", "processes"}:
        return f"{pair.factor}_{'more' if setup is pair.a else 'fewer'}"
    compiled = (
        "_compiled"
        if pair.factor == "framework" and setup.parts["compile_mode"] == "inductor"
        else ""
    )
    return setup.parts[FACTORS[pair.factor].parts[0]] + compiled


def said(pair: Pair, setup: Setup, locale: Locale) -> str:
    """The setting of one setup of the pair, in words."""
    if pair.factor == "threads":
        return locale.say("setting_side.threads", n=int(setup.parts["threads"]))
    if pair.factor == "processes":
        each = locale.say("setting_side.threads", n=int(setup.parts["threads"]))
        return locale.say("setting_side.processes", n=int(setup.parts["processes"]), threads=each)
    return locale.say(f"setting_side.{value_of(pair, setup)}")


def at_once(run: Run, locale: Locale) -> str:
    """The number of processes of a run and their threads, if either is unusual."""
    several = run.processes if run.processes is not None and run.processes > 1 else None
    threads = (
        run.environment.threads if run.environment and several else unusual_threads(run.environment)
    )
    each = locale.say("setting_side.threads", n=threads) if threads else ""
    if several:
        return (
            locale.say("setting_side.processes", n=several, threads=each)
            if each
            else locale.say("measured.processes", n=several)
        )
    return each


def unusual(run: Run, locale: Locale) -> list[str]:
    """A run's settings that differ from the harness's defaults, in words."""
    told = configuration(run)
    found = [
        locale.say(f"setting_side.{value}") for name, value in UNUSUAL if told.get(name) == value
    ]
    return [*found, *filter(None, (at_once(run, locale),))]


LAYOUTS: Final = ("nchw", "nhwc")
"""Memory layouts by their names in the tables of others."""


def stated(run: Run, locale: Locale) -> list[str]:
    """The memory layout and compilation that the source of a run states, in words."""
    layout = layout_of(run)
    compiled = [locale.say("setting_side.inductor")] if is_compiled(run) else []
    return [*([layout] if layout else []), *compiled]


def layout_of(run: Run) -> str | None:
    """The memory layout that a table of others states, by its usual name."""
    name = run.environment.memory_format if run.environment else None
    return name.upper() if name is not None and name in LAYOUTS else None


def is_compiled(run: Run) -> bool:
    """Returns True if a table of others says that a compiler fused the network's operations."""
    return run.environment is not None and run.environment.compile_mode == "dynamo"


def others(pair: Pair, locale: Locale) -> list[str]:
    """The settings that both have in common, in words."""
    shared = {
        name: value for name, value in pair.b.parts.items() if pair.a.parts.get(name) == value
    }
    found = [shared["precision"]] if shared.get("precision") in _FORMATS else []
    found += ["jax"] if shared.get("backend") == "jax" else []
    settings = unusual(pair.b.run, locale)
    return [
        *(locale.say(f"setting_side.{value}") for value in found),
        *(word for word in unusual(pair.a.run, locale) if word in settings),
    ]


UNUSUAL: Final = (
    ("compile_mode", "inductor"),
    ("allocator", "default"),
    ("memory_format", "contiguous"),
)
"""Settings that are named only where they were asked for."""
