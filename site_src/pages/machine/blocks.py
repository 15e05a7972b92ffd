"""Sections on a measured machine's page: speed, time to a target, settings, share of peak, and
results of others.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from markupsafe import Markup

from kernels.analysis import compare
from kernels.analysis.repetitions import Setup, setups
from kernels.records import Interval, Metric, Run
from site_src.locales import Share
from site_src.pages.components import run_details, tables, warnings
from site_src.pages.components.site import Machine
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer
from site_src.tables import batch as tables_batch
from site_src.tables import measured, throughput_metric, within
from site_src.tables import settings as tables_settings
from site_src.tables.measured import OPERATIONS, digits
from site_src.templates import html

MOVED: Final = "memory_bandwidth_byte_per_s"
"""Counts bytes read and written, so twice the bytes copied."""

RATES: Final = (measured.FLOP, MOVED, "copy_bytes_per_s")
"""Metrics for the speed of an operation."""


def chart(writer: Writer, machine: Machine, word: str) -> list[Markup]:
    """The machine's chart of that name; empty without one."""
    id_ = f"{machine.id}-{word}"
    return [writer.chart(id_)] if id_ in writer.site.figures else []


def answer(writer: Writer, _: Machine, runs: Sequence[Run]) -> list[Markup]:
    """A row for each workload and kind of data: the highest throughput with its conditions, and the
    time to the target; networks first.
    """
    groups: dict[tuple[object, ...], list[Setup]] = {}
    for setup in setups(runs):
        operation = setup.run.workload.startswith(OPERATIONS)
        groups.setdefault((operation, setup.run.workload, setup.run.data), []).append(setup)
    rows = [
        _answer(writer, groups[key])
        for key in sorted(groups, key=lambda key: (bool(key[0]), -len(groups[key]), str(key)))
    ]
    return [tables.table(writer, writer.t("measured.answer"), rows, quiet=True)]


def _answer(writer: Writer, group: Sequence[Setup]) -> Cells:
    run = group[0].run
    name, link = writer.workload_name(run.workload), writer.workload_link(run.workload)
    best = fastest(writer, group)
    return {
        "workload": Entry(html.noted(link, writer.word("data", run.data)), name),
        "fastest#": writer.missing(run.status if run.status != "ok" else "not_measured")
        if best is None
        else speed(writer, best),
        "to_target#": _target(writer, group, best),
        "conditions": conditions(writer, group[0] if best is None else best),
    }


def fastest(writer: Writer, group: Sequence[Setup]) -> Setup | None:
    """The fastest setup, preferably one whose speed has an interval; None if none was timed."""
    told = [(setup, metric) for setup in group if (metric := rate(setup)) is not None]
    facts = {setup.run.run_id: writer.fact(setup.figure(metric.key)) for setup, metric in told}
    placed = sorted(
        (fact.low is not None, fact.value or 0.0, run_id) for run_id, fact in facts.items()
    )
    return next((setup for setup, _ in told if placed and setup.run.run_id == placed[-1][2]), None)


def rate(setup: Setup) -> Metric | None:
    """A setup's speed metric."""
    for name in RATES if setup.run.workload.startswith(OPERATIONS) else ():
        if setup.metrics(name):
            return setup.run.metric(name)
    return measured.speed(setup)


def speed(writer: Writer, setup: Setup) -> Entry:
    """The speed of a setup with its interval, or with the number of steps of its median."""
    metric = rate(setup)
    if metric is None:
        return Entry(writer.missing("not_measured"))
    both = writer.t("measured.read_and_written") if metric.name == MOVED else Markup("")
    below = writer.joined("comma", both, spread(writer, setup, metric.key))
    return _placed(writer, setup.figure(metric.key), below)


def _placed(writer: Writer, ref: str, below: Markup) -> Entry:
    return tables.valued(writer, ref, shown(writer, ref, below))


def shown(writer: Writer, ref: str, below: Markup) -> Markup:
    """A figure with its unit and a note below."""
    return html.noted(writer.fig(ref, places(writer, ref), unit=True), below)


def places(writer: Writer, ref: str) -> int:
    """Decimals of a figure and the ends of its interval, in its usual multiple of the unit."""
    fact = writer.fact(ref)
    ends = (fact.value, fact.low, fact.high)
    return digits(
        *(None if end is None else writer.multiple(end, fact.unit, fact.value)[0] for end in ends)
    )


def spread(writer: Writer, setup: Setup, name: str) -> Markup:
    """The interval of a figure, marked if one of its runs has a warning."""
    return _marked(writer, interval(writer, setup, name), setup)


def interval(writer: Writer, setup: Setup, name: str) -> Markup:
    """The interval of a figure, and its basis: steps of a single run, or runs."""
    found = setup.metrics(name)
    estimate = compare.estimate(found)
    counted = within(setup.run, found[0]) if estimate.n == 1 else None
    of = writer.t("n_is", n=estimate.n) if counted is None else writer.locale.quantity(*counted)
    number = html.nowrap(of)
    if estimate.low is None or estimate.high is None:
        return writer.joined("comma", number, writer.t("measured.no_interval"))
    decimals = places(writer, setup.figure(name))
    low, high = (
        writer.locale.number(writer.multiple(end, found[0].unit, estimate.value)[0], decimals)
        for end in (estimate.low, estimate.high)
    )
    values = [metric.value for metric in found if metric.value is not None]
    # the interval of a median of few runs is as wide as their range
    over_runs = estimate.interval is Interval.SEEDS or (
        estimate.n > 1 and (estimate.low, estimate.high) == (min(values), max(values))
    )
    kind = "measured.interval_runs" if over_runs else f"interval.{estimate.interval}"
    return writer.joined("comma", writer.t(kind, low=low, high=high), number)


def _marked(writer: Writer, text: Markup, *found: Setup) -> Markup:
    mark = warnings.badge(writer, [run for setup in found for run in setup.runs], "#doubts")
    return html.lines(text, mark)


def conditions(writer: Writer, setup: Setup) -> Markup:
    """Batch size, precision, framework, unusual settings, and suite and size if reduced."""
    run = setup.run
    batched = not run.workload.startswith(OPERATIONS)
    return writer.joined(
        "comma",
        writer.batch(run, link=False) if batched else "",
        writer.word("precision", run.precision),
        run_details.framework(writer, run),
        *tables_settings.unusual(run, writer.locale),
        run_details.reduced(writer, *setup.runs),
    )


def reached(writer: Writer, setup: Setup) -> Markup:
    """The number of a setup's runs that reached their target, of those that were not cut off, and
    the number of those that were.
    """
    hits, n = (writer.fig(setup.figure(name), link=False) for name in ("reached", "ended"))
    who = writer.t(
        f"runs_of.{Share.of(len(setup.reached), len(setup.ended))}",
        hits=hits,
        runs=n,
        n=len(setup.ended),
    )
    said = [writer.t("measured.reached", who=who)] if setup.ended else []
    cut = len(setup.runs) - len(setup.ended)
    return writer.joined("comma", *said, *([writer.t("measured.cut", n=cut)] if cut else []))


def _target(writer: Writer, group: Sequence[Setup], best: Setup | None) -> Entry:
    """The time to the target of the setup with most runs that have one, the number that reached it,
    and its conditions unless it is the fastest.
    """
    asked = [setup for setup in group if setup.run.targets]
    if not asked:
        return Entry("–")
    setup = max(asked, key=lambda one: (len(one.runs), str(one.run.started_at)))
    metric = next((m for m in setup.run.metrics if m.name == "time_to_target_s"), None)
    under = (
        ""
        if setup is best or best is None
        else writer.t("measured.under", conditions=conditions(writer, setup))
    )
    if metric is None:
        return Entry(
            html.noted(writer.missing(setup.run.status), html.lines(reached(writer, setup), under))
        )
    ends = (
        spread(writer, setup, metric.key)
        if len(setup.metrics(metric.key)) > 1
        else _marked(writer, Markup(""), setup)
    )
    told = (run_details.target(writer, metric), reached(writer, setup), ends, under)
    return _placed(writer, setup.figure(metric.key), html.lines(*told))


def settings(writer: Writer, machine: Machine, runs: Sequence[Run]) -> list[Markup]:
    """The chart, and all compared pairs."""
    pairs = tables_settings.pairs(setups(runs))
    if not pairs:
        return []
    label = writer.t("measured.pairs", n=len(pairs))
    table = tables.table(writer, label, [_pair(writer, pair) for pair in pairs])
    return [*chart(writer, machine, "settings"), html.details(label, table)]


def _pair(writer: Writer, pair: tables_settings.Pair) -> Cells:
    words = {name: said(writer, pair, setup) for name, setup in (("a", pair.a), ("b", pair.b))}
    what = writer.t("figure.measured_settings.pair", **words)
    about = writer.joined(
        "comma",
        writer.batch(pair.a.run, link=False),
        *tables_settings.others(pair, writer.locale),
        run_details.reduced(writer, *pair.a.runs, *pair.b.runs),
    )
    ratio = writer.t("figure.times", n=writer.fig(pair.ratio, decimals=2))
    return {
        "setting": html.noted(what, writer.t(f"setting_factor.{pair.factor}")),
        "workload": html.noted(writer.workload_name(pair.a.run.workload), about),
        "ratio#": Entry(html.noted(ratio, _pair_notes(writer, pair)), pair.found.ratio),
        "answer": writer.t(f"answer.{pair.answer}"),
    }


def _pair_notes(writer: Writer, pair: tables_settings.Pair) -> Markup:
    found, ends = pair.found, []
    if found.ratio_low is not None and found.ratio_high is not None:
        low, high = (writer.locale.number(end, 2) for end in (found.ratio_low, found.ratio_high))
        if low != high:
            ends.append(writer.t("range", low=low, high=high))
    ends.append(writer.t("measured.sides", a=found.a.n, b=found.b.n))
    if pair.efficiency:
        share = writer.fig(pair.efficiency, percent=True)
        ends.append(writer.t("measured.efficiency", share=share))
    return _marked(writer, html.lines(*ends), pair.a, pair.b)


def said(writer: Writer, pair: tables_settings.Pair, setup: Setup) -> Markup:
    """A setup of a pair, linked to its run."""
    return writer.run_link(setup.run.run_id, tables_settings.said(pair, setup, writer.locale))


def published(writer: Writer, machine: Machine, runs: Sequence[Run]) -> list[Markup]:
    """For each network that others ran too: this machine's fastest result and theirs, with origin
    and source.
    """
    workloads = dict.fromkeys(run.workload for run in runs)
    return [
        _published(writer, workload, rows)
        for workload in workloads
        if not workload.startswith(OPERATIONS)
        and (rows := _ranked(writer, machine, workload, setups(runs)))
    ]


def _published(writer: Writer, workload: str, rows: Sequence[Cells]) -> Markup:
    name = writer.workload_name(workload)
    label = writer.t("measured.published", name=name)
    table = html.details(label, tables.table(writer, label, rows, quiet=True, name="dense"))
    more = writer.t("measured.whole_workload", name=name)
    return table + html.paragraph(writer.link(f"workloads/{workload}/", more))


def _ranked(writer: Writer, machine: Machine, workload: str, found: Sequence[Setup]) -> list[Cells]:
    own = [each for each in found if each.run.workload == workload and measured.speed(each)]
    best = fastest(writer, own)
    metric = None if best is None else measured.speed(best)
    if best is None or metric is None:
        return []
    ref = best.figure(metric.key)
    others = list(_others(writer, machine, workload, metric))
    rows = [
        (writer.fact(ref).value or 0.0, _own(writer, best, ref)),
        *((value, _other(writer, run, key, ref)) for value, run, key in others),
    ]
    return [cells for _, cells in sorted(rows, key=lambda row: -row[0])] if others else []


def _others(
    writer: Writer, machine: Machine, workload: str, metric: Metric
) -> Iterator[tuple[float, Run, str]]:
    best: dict[tuple[str, str | None, str], tuple[float, Run, str]] = {}
    for run in writer.site.runs_of(workload=workload):
        ref = _throughput(writer, run)
        if run.system == machine.id or ref is None:
            continue
        fact = writer.fact(ref)
        if fact.value is None or fact.unit != metric.unit:
            continue
        key = run.system, run.framework, run.source
        if key not in best or fact.value > best[key][0]:
            best[key] = fact.value, run, ref
    yield from best.values()


def _throughput(writer: Writer, run: Run) -> str | None:
    """Reference to a run's throughput: its own, else its samples over the median epoch time."""
    metric = throughput_metric(run)
    if metric is not None:
        return f"run:{run.run_id}:{metric.key}"
    return tables_batch.throughput_ref(run, writer.site.catalog)


def _own(writer: Writer, setup: Setup, ref: str) -> Cells:
    name = html.strong(writer.system_name(setup.run.system))
    about = (conditions(writer, setup), writer.word("data", setup.run.data))
    return {
        "system": html.noted(name, writer.badge("origin", setup.run.origin)),
        "throughput#": _placed(writer, ref, spread(writer, setup, ref.split(":", 2)[2])),
        "against_this#": Entry(writer.t("measured.this_machine"), 1.0),
        "conditions": writer.joined("comma", *about),
        "source": writer.source_name(setup.run.source),
    }


def _other(writer: Writer, run: Run, ref: str, own: str) -> Cells:
    value, against = writer.fact(ref).value, f"ratio({ref}, {own})"
    about = (
        writer.batch(run, link=False),
        writer.word("precision", run.precision),
        run_details.framework(writer, run),
        writer.word("data", run.data),
    )
    figure = writer.fig(ref, digits(value), unit=True, link=False)
    ratio = writer.t("figure.times", n=writer.fig(against, digits=3))
    return {
        "system": html.noted(writer.system_link(run.system), writer.badge("origin", run.origin)),
        "throughput#": Entry(writer.run_link(run.run_id, figure), value),
        "against_this#": tables.valued(writer, against, ratio),
        "conditions": writer.joined("comma", *about),
        "source": tables.place(writer, run.source, run.locator),
    }
