"""Tables of pages: runs, offers, specifications, a source's printed tables. Cells are HTML with the
machine value to sort by.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final
from unicodedata import east_asian_width

from markupsafe import Markup, escape

from kernels.analysis.repetitions import OWN
from kernels.records import (
    Certainty,
    ClockScope,
    Direction,
    Metric,
    Precision,
    PrintedCell,
    Run,
    Spec,
    Status,
)
from site_src.figures import common
from site_src.pages.components import conditions, warnings
from site_src.pages.components.writer import Writer
from site_src.tables import round_label, runs_behind, unsure_batch, within
from site_src.tables import settings as tables_settings
from site_src.tables.batch import throughput_ref
from site_src.tables.quality import loose
from site_src.tables.recorded import by_submission, certainty_of_framework, setting
from site_src.templates import html

_LONG_S: Final = 120.0
"""Seconds from which a time is also given in hours and minutes."""

DENSE: Final = 6
"""Columns above which a table is set tighter, so that none is cut off without need."""

_WIDTHS: Final = ((56, "ts-w3"), (26, "ts-w2"), (12, "ts-w1"))
"""Classes of columns of text by the length of their longest line, so that a sentence does not stand
in a column of a word's width.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell: its HTML, the machine value that sorts it, and `number` or `text` where it is not
    what the other cells of its column are.
    """

    text: str
    value: object = None
    kind: str = ""


Cells = Mapping[str, Entry | str]
"""A row's cells by the names of their columns; names of columns of numbers end in `#`."""


@dataclass(frozen=True, slots=True)
class Line:
    """One row; `id` is its anchor; `head` makes its first cell the row's head, which stays in view;
    `data` is what filters go by.
    """

    cells: Cells
    id: str = ""
    head: bool = True
    data: Mapping[str, str] = field(default_factory=dict)


def table(
    writer: Writer,
    label: Markup,
    rows: Sequence[Line | Cells],
    headings: Mapping[str, Markup] | None = None,
    *,
    sortable: bool = True,
    quiet: bool = False,
    name: str = "",
    id: str = "",
) -> Markup:
    """A table, or the word that there is nothing in it.

    Args:
        writer: Of the page.
        label: Its caption.
        rows: Each with a cell for each column.
        headings: Of columns that are not called `head.<name>`.
        sortable: Whether readers can sort it.
        quiet: Whether the heading above says what it is.
        name: For its style.
        id: Its anchor; empty for none.
    """
    if not rows:
        return html.paragraph(writer.t("nothing"))
    lines = [row if isinstance(row, Line) else Line(row) for row in rows]
    kinds = {name: "number" if name.endswith("#") else "text" for name in lines[0].cells}
    cells = [[_entry(line.cells[name], kind) for name, kind in kinds.items()] for line in lines]
    columns = [
        ((headings or {}).get(name) or heading(writer, name), kind, _width(kind, column))
        for (name, kind), column in zip(kinds.items(), zip(*cells, strict=True), strict=True)
    ]
    return writer.render(
        "blocks/rows.html",
        label=label,
        columns=columns,
        rows=list(zip(lines, cells, strict=True)),
        sortable=sortable and len(lines) > 1,
        quiet=quiet,
        name=name or ("dense" if len(columns) > DENSE else ""),
        id=id,
    )


def heading(writer: Writer, column: str) -> Markup:
    """The heading of a column."""
    return writer.t(f"head.{column.removesuffix('#')}")


def _entry(cell: Entry | str, kind: str) -> Entry:
    entry = cell if isinstance(cell, Entry) else Entry(cell)
    return replace(entry, kind=entry.kind or kind)


def _width(kind: str, cells: Sequence[Entry]) -> str:
    if kind == "number":
        return ""
    lines = (
        Markup(line).striptags()  # noqa: S704 - measured, not written
        for cell in cells
        for line in re.split("<br>|<p>|<details", escape(cell.text))
    )
    longest = max(
        (sum(2 if east_asian_width(sign) in "WF" else 1 for sign in line) for line in lines),
        default=0,
    )
    return next((name for length, name in _WIDTHS if longest > length), "")


def small_table(
    writer: Writer, label: Markup, headings: Sequence[Markup], rows: Sequence[Sequence[Markup]]
) -> Markup:
    """A table for the page of a run, of which there are many."""
    return writer.render("blocks/figures.html", label=label, headings=headings, rows=rows)


def count(writer: Writer, number: int) -> Entry:
    """A number of things as a cell."""
    return Entry(writer.locale.number(number), number)


def dated(writer: Writer, day: date | None) -> Entry:
    """A day as a cell."""
    return Entry(writer.given(day), day.isoformat() if day else None)


def figure(
    writer: Writer,
    ref: str,
    *,
    unit: bool = True,
    digits: int | None = None,
    sign: bool = False,
    like: float | None = None,
) -> Entry:
    """A figure as a cell; see `Writer.fig`."""
    fact = writer.fact(ref)
    value = fact.value if fact.value is not None else fact.low
    return Entry(
        writer.fig(ref, unit=unit, digits=digits, sign=sign, like=like),
        None if value is None else repr(float(value)),
        "number",
    )


def main_metric(run: Run, *starts: str, target: bool = False) -> Metric | None:
    """The first figure of a run whose name begins so, among those that belong to a target or among
    the others.
    """
    own = [metric for metric in run.metrics if (metric.target is not None) is target]
    return next(
        (metric for start in starts for metric in own if metric.name.startswith(start)), None
    )


_COLUMNS: Final = (
    ("throughput#", "throughput_", False),
    ("train_time#", "train_time_s", False),
    ("final_quality#", "final_", False),
    ("to_target#", "time_to_target_s", True),
    ("epochs_to_target#", "epochs_to_target", True),
)
"""Figures that a list of runs shows where one of them has it: heading, beginning of the figure's
name, whether it belongs to a target.
"""

_TIMED: Final = frozenset({"train_time_s", "time_to_target_s"})
"""Those of them that are another thing with another clock: it says what they include."""


class _RunList:
    """A list of runs and what its rows have in common.

    Attributes:
        figures: Those of `_COLUMNS` that one of the runs has.
        clocks: What the clocks of the runs include, by the beginning of a time's name.
    """

    def __init__(
        self, writer: Writer, found: Sequence[Run], by: str, *, filtered: bool, named: bool
    ) -> None:
        self.writer, self.by, self.filtered = writer, by, filtered
        self.figures = [
            column for column in _COLUMNS if any(_has(writer, run, *column) for run in found)
        ]
        self.clocks = {
            start: _clocks(writer, found, start, target=target)
            for _, start, target in self.figures
            if start in _TIMED
        }
        self.named = by == "system" and (named or len({run.workload for run in found}) > 1)
        counts = {run.accelerators for run in found if not conditions.bare(run)} - {None}
        self.counted = not filtered and len(counts) > 1

    def headings(self) -> dict[str, Markup]:
        """The headings of times whose clock all runs share, which say it once."""
        writer = self.writer
        return {
            name: writer.paren(heading(writer, name), next(iter(clocks)))
            for name, start, _ in self.figures
            if len(clocks := self.clocks.get(start, set())) == 1
        }

    def numbers(self, group: Sequence[Run]) -> dict[str, Entry]:
        """The batch and the figures of one run, or of the runs of a submission."""
        collapsed = group[0].run_id in self.writer.site.collapsed
        found = {"batch#": _batch(self.writer, group[0])}
        for name, start, target in self.figures:
            several_clocks = len(self.clocks.get(start, ())) > 1
            entry = _shared(self.writer, group, start, target=target, clock=several_clocks)
            found[name] = _fallen(self.writer, entry) if collapsed else entry
        return found

    def line(self, group: Sequence[Run], numbers: Mapping[str, Entry]) -> Line:
        """A row: one run, or the runs of a submission."""
        writer, run = self.writer, group[0]
        name = (
            writer.workload_name(run.workload)
            if self.by == "workload"
            else writer.system_name(run.system)
        )
        cells: dict[str, Entry | str] = {
            self.by: Entry(html.noted(_linked(writer, group, name), self.about(run)), name)
        }
        if self.filtered:
            cells["conditions"] = conditions.shown(writer, run)
        cells["data"] = html.noted(writer.word("data", run.data), writer.augmented(run))
        cells |= numbers
        cells["status"] = Entry(_ended(writer, group), str(run.status))
        found = [conditions.conditions(writer, each) for each in group] if self.filtered else []
        return Line(cells, data=conditions.data(*found) if self.filtered else {})

    def about(self, run: Run) -> Markup:
        """What stands below a run's name: workload, accelerators, framework, number format, round,
        and what is unusual.
        """
        writer, counted = self.writer, self.counted and not conditions.bare(run)
        # logs of rounds do not tell the number format; a column of "not stated" would only make
        # their rows tall
        unknown = run.round is not None and run.precision is Precision.UNKNOWN
        return html.dotted(
            writer.workload_name(run.workload) if self.named else "",
            writer.of_run(run, "accelerators", unit=True, link=False)
            if counted and run.accelerators is not None
            else "",
            framework(writer, run),
            "" if unknown else precision(writer, run),
            "" if run.round is None else round_label(run),
            *(tables_settings.unusual(run, writer.locale) if run.origin in OWN else []),
            reduced(writer, run),
        )


def runs(
    writer: Writer,
    found: Sequence[Run],
    label: Markup,
    *,
    by: str = "system",
    filtered: bool = False,
    named: bool = False,
) -> Markup:
    """Runs with their conditions and main figures, those alike but for a number in the number's
    order; a submission's are one row.

    A run whose training collapsed says so at each figure, and stands behind all others by any of
    them, in either order.

    Args:
        writer: Of the page.
        found: The runs.
        label: Caption.
        by: What the first column names: system or workload.
        filtered: Whether a form of the page leaves runs of some conditions; the conditions then
            have a column.
        named: Whether each run names its workload, even if all are of one: the page has others too.
    """
    listed = _RunList(writer, found, by, filtered=filtered, named=named)
    groups = by_submission(sorted(found, key=_natural))
    numbers = [listed.numbers(group) for group in groups]
    # a column in which no run has a figure is a sentence
    bare = (
        []
        if filtered or not groups
        else [name for name in numbers[0] if all(own[name].value is None for own in numbers)]
    )
    lines = [
        listed.line(group, {name: cell for name, cell in own.items() if name not in bare})
        for group, own in zip(groups, numbers, strict=True)
    ]
    shown = table(writer, label, lines, listed.headings())
    if not bare:
        return shown
    names = writer.joined("terms", *(heading(writer, name) for name in bare))
    return shown + html.note(writer.t("runs.without", names=names))


def withdrawn(writer: Writer, *, system: str = "", workload: str = "") -> Markup:
    """How many runs of a system or a workload no list and no count has, as they were withdrawn, and
    the way there; nothing without any.
    """
    left = sum(
        run.withdrawn is not None and system in {"", run.system} and workload in {"", run.workload}
        for run in writer.site.archive.runs
    )
    if not left:
        return Markup("")
    return html.note(writer.link("runs/#withdrawn", writer.t("runs.withdrawn_apart", n=left)))


def _has(writer: Writer, run: Run, _: str, start: str, target: bool) -> bool:
    return (
        main_metric(run, start, target=target) is not None
        or _derived(writer, run, start) is not None
    )


def _fallen(writer: Writer, entry: Entry) -> Entry:
    """A figure of a run whose training collapsed: marked, and sorted as if there were none."""
    return (
        entry
        if entry.value is None
        else replace(entry, text=html.noted(entry.text, writer.t("collapsed.yes")), value="")
    )


def _clocks(writer: Writer, found: Sequence[Run], start: str, *, target: bool) -> set[Markup]:
    """What the clocks of these runs include, of those that have the figure."""
    return {
        _clock(writer, run)
        for run in found
        if (metric := main_metric(run, start, target=target)) is not None
        and metric.value is not None
    }


def _clock(writer: Writer, run: Run) -> Markup:
    """What the times of a run include, or that nobody says."""
    return (
        writer.t("run.clock_unknown")
        if run.clock_scope is ClockScope.UNKNOWN
        else writer.word("clock_scope", run.clock_scope)
    )


def _derived(writer: Writer, run: Run, start: str) -> str | None:
    """Reference to a figure of a list that follows from another of the run's: throughput, from the
    median time of its epochs.
    """
    return throughput_ref(run, writer.site.catalog) if start == "throughput_" else None


def _linked(writer: Writer, group: Sequence[Run], name: str) -> Markup:
    """A run by its name; of a submission the name, which leads to its source, and each of its runs
    by number, folded away.
    """
    if len(group) == 1:
        return writer.run_link(group[0].run_id, name)
    links = html.spaced(
        *(
            writer.run_link(run.run_id, place if run.repeat_index is None else run.repeat_index)
            for place, run in enumerate(group, 1)
        )
    )
    inside = html.details(writer.t("runs.count", n=len(group)), links, "ts-runs")
    return writer.link(f"sources/{group[0].source}/", name) + inside


def _ended(writer: Writer, group: Sequence[Run]) -> Markup:
    """How the runs ended, each way once, with their number where several ended in more ways than
    one; their origin, and any doubt.
    """
    counts = Counter(run.status for run in group)
    badges = [writer.badge("status", status) for status in counts]
    if len(counts) > 1:
        badges = [
            html.nowrap(writer.colon(badge, writer.locale.number(number)))
            for badge, number in zip(badges, counts.values(), strict=True)
        ]
    return html.spaced(
        *badges, writer.badge("origin", group[0].origin), warnings.badge(writer, group)
    )


def _shared(
    writer: Writer, group: Sequence[Run], start: str, *, target: bool, clock: bool
) -> Entry:
    """A figure of one run; of several the lowest and the highest that one of them has, how many
    have one; with `clock` what it includes.
    """
    own = [(run, main_metric(run, start, target=target)) for run in group]
    known = [
        (metric.value, run, metric)
        for run, metric in own
        if metric is not None and metric.value is not None
    ]
    if len(group) == 1 or not known:
        ref = _derived(writer, group[0], start) if len(group) == 1 else None
        return _metric(writer, *own[0], clock=clock) if ref is None else _of_epoch(writer, ref)
    known.sort(key=lambda each: each[0])
    (low, first, metric), (_, last, other) = known[0], known[-1]
    ends = list(dict.fromkeys(filter(None, (readable(writer, metric), readable(writer, other)))))
    several = len(ends) > 1
    notes = [
        writer.t("range_wide", low=ends[0], high=ends[-1]) if several else Markup("").join(ends),
        *_targets(writer, first, metric),
        _clock(writer, first) if clock else "",
        html.count(writer.t("n_is", n=len(known))),
    ]
    text = span(writer, f"run:{first.run_id}:{metric.key}", f"run:{last.run_id}:{other.key}")
    return Entry(html.noted(text, html.lines(*notes)), repr(float(low)))


def _of_epoch(writer: Writer, ref: str) -> Entry:
    entry = figure(writer, ref)
    note = "" if entry.value is None else writer.t("runs.of_epoch")
    return replace(entry, text=html.noted(entry.text, note))


def _targets(writer: Writer, run: Run, metric: Metric) -> list[Markup]:
    if metric.target is None:
        return []
    return [goal(writer, other) for other in goals(run, metric)]


def places(writer: Writer, *refs: str) -> int | None:
    """Decimals that figures in a row share: parts of an epoch, as some logs count them, have two;
    else what each is shown with.
    """
    facts = [writer.fact(ref) for ref in refs]
    parts = any(fact.value is not None and not fact.value.is_integer() for fact in facts)
    return _EPOCH_DECIMALS if parts and {fact.unit for fact in facts} == {"epochs"} else None


_EPOCH_DECIMALS: Final = 2


def span(writer: Writer, low: str, high: str) -> Markup:
    """Two figures of one kind as a range with its unit, with as many decimals; one where they are
    the same.
    """
    decimals = places(writer, low, high)
    text = writer.fig(high, decimals, unit=True)
    if writer.fact(low).value == writer.fact(high).value:
        return writer.fig(low, decimals, unit=True)
    return writer.t("range", low=writer.fig(low, decimals), high=text)


def _natural(run: Run) -> list[tuple[int, str]]:
    """An id in parts of letters and digits, so that 128 comes before 1024."""
    return [
        (int(part), "") if part.isdigit() else (-1, part)
        for part in re.findall(r"\d+|\D+", run.run_id)
    ]


def precision(writer: Writer, run: Run) -> Markup:
    """The number format, or that the source does not say which."""
    if run.precision is Precision.UNKNOWN:
        return writer.t("run.precision_unknown")
    return writer.word("precision", run.precision)


def reduced(writer: Writer, *alike: Run) -> Markup:
    """Suite and size of runs of a suite made smaller, which is never shown as the full one; nothing
    for any other.
    """
    size = setting(alike[0], "suite_size")
    if size in (None, "full"):
        return Markup("")
    suites = dict.fromkeys(filter(None, (setting(run, "suite") for run in alike)))
    named = writer.t(f"suite_size.{size}")
    if suites:
        named = writer.t("measured.of_suite", suite=writer.locale.join(list(suites)), size=named)
    return html.strong(named)


def framework(writer: Writer, run: Run) -> Markup:
    """Framework and version."""
    if not run.framework:
        return writer.missing("not_stated")
    name = writer.name("framework", run.framework)
    if not run.framework_version:
        return name
    return certain(writer, html.spaced(name, run.framework_version), certainty_of_framework(run))


def certain(writer: Writer, text: str | Markup, certainty: Certainty) -> Markup:
    """A fact as text, marked where it was put together rather than read."""
    if certainty is not Certainty.RECONSTRUCTED:
        return escape(text)
    return writer.paren(text, html.small(writer.t(f"certainty.{certainty}")))


def _batch(writer: Writer, run: Run) -> Entry:
    """The global batch, below it what that is on each accelerator, and that the vendor recommends
    another where it does.
    """
    notes = []
    text = writer.missing("not_stated")
    if run.global_batch_size is not None:
        text = writer.of_run(run, "global_batch_size", link=False)
    if run.batch_size_per_accelerator is not None and run.accelerators != 1:
        each = writer.of_run(run, "batch_size_per_accelerator", link=False)
        notes.append(writer.t("batch.each", each=each))
    if run.batch_recommended is False:
        notes.append(writer.t("batch.not_recommended"))
    if unsure_batch(run):
        notes.append(writer.t("batch.unit_varies"))
    return Entry(html.noted(text, html.lines(*notes)), run.global_batch_size)


def _metric(writer: Writer, run: Run, metric: Metric | None, *, clock: bool) -> Entry:
    if metric is None:
        # only our own harness could have measured it; others had it or not, and do not say
        silent = "not_measured" if run.origin in OWN else Status.NOT_REPORTED
        return Entry(writer.missing(run.status if run.status is not Status.OK else silent))
    entry = figure(writer, f"run:{run.run_id}:{metric.key}")
    unlike = metric.name.startswith("final_") and loose(run)
    notes = [
        (interval(writer, metric) if run.origin in OWN else "") or readable(writer, metric),
        *_targets(writer, run, metric),
        _clock(writer, run) if clock and metric.value is not None else "",
        writer.t("representative.no") if unlike else "",
        samples(writer, run, metric) if metric.status is Status.OK else "",
    ]
    return replace(entry, text=html.noted(entry.text, html.lines(*notes)))


def interval(writer: Writer, metric: Metric) -> Markup:
    """The interval of a figure, in the multiple of the unit in which that is read; nothing without
    one.
    """
    if metric.value is None or metric.low is None or metric.high is None or not metric.interval:
        return Markup("")
    low, _ = writer.multiple(metric.low, metric.unit, like=metric.value)
    high, unit = writer.multiple(metric.high, metric.unit, like=metric.value)
    ends = [writer.locale.number(low, digits=4), writer.locale.quantity(high, unit, digits=4)]
    return writer.t(f"interval.{metric.interval}", low=ends[0], high=ends[1])


def readable(writer: Writer, metric: Metric) -> Markup:
    """A long time in hours and minutes, to stand beside its seconds; nothing for any other
    figure.
    """
    if metric.unit != "s" or metric.value is None or metric.value < _LONG_S:
        return Markup("")
    return escape(writer.locale.duration(metric.value))


def goals(run: Run, metric: Metric) -> list[Metric]:
    """The run's figures of that name, one for each measure of quality: a target may ask for two at
    once, such as boxes and masks.
    """
    found = {metric.target.metric: metric} if metric.target else {}
    for other in run.metrics:
        if other.name == metric.name and other.target is not None:
            found.setdefault(other.target.metric, other)
    return list(found.values())


def goal(writer: Writer, metric: Metric) -> Markup:
    """What a figure's target asks for: the measure of quality and its threshold, "BLEU ≥ 21.8"."""
    assert metric.target is not None  # noqa: S101 - asked by those who saw one
    sign = "≥" if metric.target.direction is Direction.AT_LEAST else "≤"
    kept = html.nowrap(f"{sign} {target_of(writer, metric)}")
    return html.spaced(writer.name("metric", metric.target.metric), kept)


def target_of(writer: Writer, metric: Metric) -> str:
    """A target's threshold, fractions as percentages; BLEU as its rules have it, from 0 to 100 and
    no percentage; a loss as it is.
    """
    assert metric.target is not None  # noqa: S101 - asked by those who saw one
    return common.level(metric.target.metric, metric.target.value, writer.locale)


def samples(writer: Writer, run: Run, metric: Metric) -> Markup:
    """How many runs stand behind a figure, and of how many steps of one run it is the median: "n =
    1; 242 steps", never "1, 2 340".
    """
    number = runs_behind(run, metric)
    counted = within(run, metric)
    return html.count(
        writer.joined(
            "counts",
            writer.t("n_not_stated") if number is None else writer.t("n_is", n=number),
            writer.locale.quantity(*counted) if counted else "",
        )
    )


def place(writer: Writer, source: str, locator: str, *, short: bool = False) -> Markup:
    """A link to the source's page by its own title, and where in it; `short` where the page says
    which source it is.
    """
    known = writer.site.sources.get(source)
    where = writer.locator(locator) if locator else Markup("")
    if known is None:
        return html.noted(writer.source_name(source), where)
    if short and locator:
        return writer.link(f"sources/{source}/", where)
    return html.noted(writer.source_link(known), where)


def specifications(writer: Writer, found: Sequence[Spec], label: Markup) -> Markup:
    """Specifications, each with its source and day; what is not published says so."""
    return table(writer, label, [_specification(writer, spec) for spec in found])


def _specification(writer: Writer, spec: Spec) -> Cells:
    shown = figure(writer, f"spec:{spec.hardware}:{spec.quantity}@{spec.source}")
    return {
        "quantity": writer.t(f"spec.{spec.quantity}"),
        "value#": replace(shown, text=certain(writer, shown.text, spec.certainty)),
        "date": dated(writer, spec.day),
        "source": place(writer, spec.source, spec.locator),
    }


def printed_cell(writer: Writer, cell: PrintedCell) -> Entry:
    """A cell of a printed table: its figure or its text, marked where it was put together; why it
    is missing.
    """
    if cell.value is not None and cell.unit is not None:
        # the head of a column that counts cards says what is counted
        entry = figure(writer, cell_ref(cell), unit=cell.unit != "chips")
        return replace(entry, text=certain(writer, entry.text, cell.certainty))
    if cell.text is None:
        unknown = str(cell.certainty)
        return Entry(writer.missing(unknown if unknown.startswith("not_") else "not_stated"))
    return Entry(certain(writer, writer.printed_text(cell.text), cell.certainty))


def cell_ref(cell: PrintedCell) -> str:
    """The reference to the figure of a printed cell."""
    return f"cell:{cell.source}:{cell.table}:{cell.row}:{cell.column}"


def row_name(writer: Writer, table_name: str, row: str) -> Markup:
    """The head of a printed table's row: a word, a system, a piece of hardware or code, or a name
    as it is.
    """
    if row in writer.site.machines:
        return escape(writer.system_name(row))
    if row in writer.site.catalog.hardware:
        return escape(writer.site.catalog.hardware[row].name)
    groups = {
        "implementations": "implementation",
        "statements": "statement",
        "open-questions": "open_question",
    }
    return writer.name(groups.get(table_name, "cell_row"), row)


def column_name(writer: Writer, column: str) -> Markup:
    """The head of a printed table's column."""
    return writer.name("cell_column", column)
