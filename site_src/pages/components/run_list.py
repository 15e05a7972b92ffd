"""Lists of runs with their conditions and main figures."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from markupsafe import Markup

from kernels.analysis.repetitions import OWN
from kernels.reading import where
from kernels.records import (
    ClockScope,
    Metric,
    Mode,
    Precision,
    Run,
    Status,
    locator_parts,
)
from site_src.pages.components import conditions, run_details, warnings
from site_src.pages.components.tables import Cells, Entry, figure, heading, table
from site_src.pages.components.writer import Writer
from site_src.tables import round_label, unsure_batch
from site_src.tables import settings as tables_settings
from site_src.tables.batch import throughput_ref
from site_src.tables.quality import loose
from site_src.templates import html

_COLUMNS: Final = (
    ("throughput#", "throughput_", False),
    ("train_time_s#", "train_time_s", False),
    ("final_quality#", "final_", False),
    ("to_target#", "time_to_target_s", True),
    ("epochs_to_target#", "epochs_to_target", True),
)
"""Figures that a list of runs shows if one of the runs has them: heading, prefix of the name, True
if it has a target.
"""


_TIMED: Final = frozenset({"train_time_s", "time_to_target_s"})
"""Columns whose meaning depends on the timing scope, which the heading then names."""


class _RunList:
    """A list of runs and what its rows have in common.

    Attributes:
        figures: The `_COLUMNS` that at least one run has.
        clocks: Timing scopes of the runs, by the time's name prefix.
    """

    def __init__(self, writer: Writer, found: Sequence[Run], by: str, *, named: bool) -> None:
        self.writer, self.by = writer, by
        self.figures = [
            column for column in _COLUMNS if any(_has(writer, run, *column) for run in found)
        ]
        self.clocks = {
            start: _clocks(writer, found, start, target=target)
            for _, start, target in self.figures
            if start in _TIMED
        }
        self.named = by == "system" and (named or len({run.workload for run in found}) > 1)
        self.mixed = len({run.origin for run in found}) > 1
        counts = {run.accelerators for run in found if not conditions.bare(run)} - {None}
        self.counted = len(counts) > 1

    def headings(self) -> dict[str, Markup]:
        writer = self.writer
        return {
            name: writer.paren(heading(writer, name), next(iter(clocks)))
            for name, start, _ in self.figures
            if len(clocks := self.clocks.get(start, set())) == 1
        }

    def numbers(self, group: Sequence[Run]) -> dict[str, Entry]:
        collapsed = any(run.run_id in self.writer.site.collapsed for run in group)
        found = {"batch#": batch(self.writer, group[0])}
        for name, start, target in self.figures:
            several_clocks = len(self.clocks.get(start, ())) > 1
            entry = _shared(self.writer, group, start, target=target, clock=several_clocks)
            found[name] = _fallen(self.writer, entry) if collapsed else entry
        return found

    def line(self, group: Sequence[Run], numbers: Mapping[str, Entry]) -> Cells:
        """A row of one run, or of the runs of a submission. Its name is its only link; unusual
        endings are noted below it.
        """
        writer, run = self.writer, group[0]
        name = (
            writer.workload_name(run.workload)
            if self.by == "workload"
            else writer.system_name(run.system)
        )
        below = html.lines(self.about(run), ended(writer, group, origin=self.mixed))
        return {
            self.by: Entry(html.noted(linked(writer, group, name), below), name),
            "data": html.noted(writer.word("data", run.data), writer.augmented(run)),
            **numbers,
        }

    def about(self, run: Run) -> Markup:
        writer, counted = self.writer, self.counted and not conditions.bare(run)
        # logs of rounds do not state the precision; a column of "not stated" would make tall rows
        unknown = run.round is not None and run.precision is Precision.UNKNOWN
        return html.dotted(
            writer.workload_name(run.workload) if self.named else "",
            writer.of_run(run, "accelerators", unit=True, link=False)
            if counted and run.accelerators is not None
            else "",
            run_details.framework(writer, run),
            "" if unknown else run_details.precision(writer, run),
            "" if run.round is None else round_label(run),
            *(tables_settings.unusual if run.origin in OWN else tables_settings.stated)(
                run, writer.locale
            ),
            run_details.reduced(writer, run),
        )


def runs(
    writer: Writer,
    found: Sequence[Run],
    label: Markup,
    *,
    by: str = "system",
    named: bool = False,
    each: bool = False,
    folding: bool = True,
) -> Markup:
    """Results with their conditions and main figures; names that differ in a number sort by that.
    Inference has a table of its own, as it is never ranked with training.

    Runs whose training collapsed are marked at each figure and sort last in either direction.

    Args:
        writer: Of the page.
        found: The runs.
        label: Caption.
        by: What the first column names: system or workload.
        named: True to name the workload even if it is the same for all: the page has others too.
        each: True for a row for each run, else for each result.
        folding: True to fold a long table.
    """
    inferred = [run for run in found if run.mode is Mode.INFERENCE]
    trained = [run for run in found if run.mode is Mode.TRAINING]
    shown = Markup("")
    if trained or not inferred:
        shown += _listed(_RunList(writer, trained, by, named=named), trained, label, each, folding)
    if inferred:
        label = writer.colon(label, writer.word("mode", Mode.INFERENCE))
        shown += _listed(
            _RunList(writer, inferred, by, named=named), inferred, label, each, folding
        )
    return shown


def _listed(
    listed: _RunList, found: Sequence[Run], label: Markup, each: bool, folding: bool
) -> Markup:
    writer = listed.writer
    groups = _grouped(writer, sorted(found, key=_natural), each=each)
    numbers = [listed.numbers(group) for group in groups]
    # a sentence replaces a column without figures
    bare = (
        [name for name in numbers[0] if all(own[name].value is None for own in numbers)]
        if numbers
        else []
    )
    lines = [
        listed.line(group, {name: cell for name, cell in own.items() if name not in bare})
        for group, own in zip(groups, numbers, strict=True)
    ]
    notes = []
    if not listed.mixed and lines:
        notes.append(
            writer.colon(heading(writer, "origin"), writer.word("origin", found[0].origin))
        )
    if bare:
        names = writer.joined("terms", *(heading(writer, name) for name in bare))
        notes.append(writer.t("runs.without", names=names))
    shown = table(writer, label, lines, listed.headings(), folding=folding, name="dense")
    return shown + (html.note(html.lines(*notes)) if notes else Markup(""))


def _grouped(writer: Writer, found: Sequence[Run], *, each: bool) -> list[list[Run]]:
    groups: dict[str, list[Run]] = {}
    for run in found:
        key = run.run_id if each else writer.site.results.id_with(run.run_id)
        groups.setdefault(key, []).append(run)
    return list(groups.values())


def withdrawn(writer: Writer, *, system: str = "", workload: str = "") -> Markup:
    """The number of withdrawn runs of a system or workload, which are left out everywhere, with a
    link to them; empty without any.
    """
    runs = where(writer.site.archive.runs, system=system or None, workload=workload or None)
    left = sum(run.withdrawn is not None for run in runs)
    if not left:
        return Markup("")
    return html.note(writer.link("results/#withdrawn", writer.t("runs.withdrawn_apart", n=left)))


def _has(writer: Writer, run: Run, _: str, start: str, target: bool) -> bool:
    return (
        run_details.main_metric(run, start, target=target) is not None
        or _derived(writer, run, start) is not None
    )


def _fallen(writer: Writer, entry: Entry) -> Entry:
    """A figure of a run whose training collapsed: marked, and sorted as if missing."""
    if entry.value is None:
        return entry
    return replace(entry, text=html.noted(entry.text, writer.t("collapsed.yes")), value="")


def _clocks(writer: Writer, found: Sequence[Run], start: str, *, target: bool) -> set[Markup]:
    return {
        _clock(writer, run)
        for run in found
        if (metric := run_details.main_metric(run, start, target=target)) is not None
        and metric.value is not None
    }


def _clock(writer: Writer, run: Run) -> Markup:
    return (
        writer.t("run.clock_unknown")
        if run.clock_scope is ClockScope.UNKNOWN
        else writer.word("clock_scope", run.clock_scope)
    )


def _derived(writer: Writer, run: Run, start: str) -> str | None:
    """Reference to a figure computed from another of the run's: throughput from its median epoch
    time.
    """
    return throughput_ref(run, writer.site.catalog) if start == "throughput_" else None


def folder(run: Run) -> str:
    """The folder of a submission's logs: the run's locator without its last part."""
    place = dict(locator_parts(run.locator)).get("file", "")
    return run.locator.replace(place, place.rpartition("/")[0])


def linked(writer: Writer, group: Sequence[Run], name: str) -> Markup:
    """The row's name, linked to the run or to the result of several."""
    if len(group) == 1:
        return writer.run_link(group[0].run_id, name)
    page = f"results/{writer.site.results.id_with(group[0].run_id)}/"
    return html.spaced(writer.link(page, name), html.count(writer.t("runs.count", n=len(group))))


def ended(writer: Writer, group: Sequence[Run], *, origin: bool = True) -> Markup:
    """The statuses of runs unless all succeeded, with counts where they differ; their origin if
    asked for; and any warning.
    """
    counts = Counter(run.status for run in group)
    badges = [writer.badge("status", status) for status in counts if [*counts] != [Status.OK]]
    if len(counts) > 1:
        badges = [
            html.nowrap(writer.colon(badge, writer.locale.number(number)))
            for badge, number in zip(badges, counts.values(), strict=True)
        ]
    source = [writer.badge("origin", group[0].origin)] if origin else []
    return html.spaced(*badges, *source, warnings.badge(writer, group))


def _shared(
    writer: Writer, group: Sequence[Run], start: str, *, target: bool, clock: bool
) -> Entry:
    """A figure of one run; of several the range and the number that have it; with `clock` its
    timing scope.
    """
    own = [(run, run_details.main_metric(run, start, target=target)) for run in group]
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
    readable = (run_details.readable(writer, one) for one in (metric, other))
    ends = list(dict.fromkeys(filter(None, readable)))
    notes = [
        writer.t("range_wide", low=ends[0], high=ends[1]) if len(ends) > 1 else "".join(ends),
        *_targets(writer, first, metric),
        _clock(writer, first) if clock else "",
        html.count(writer.t("runs.count", n=len(known))),
    ]
    text = run_details.span(
        writer, f"run:{first.run_id}:{metric.key}", f"run:{last.run_id}:{other.key}", link=False
    )
    return Entry(html.noted(text, html.lines(*notes)), repr(float(low)))


def span(writer: Writer, runs: Sequence[Run], start: str, *, target: bool) -> Markup:
    """A figure's range over several runs, with their number."""
    return Markup(_shared(writer, runs, start, target=target, clock=False).text)  # noqa: S704 - HTML


def _of_epoch(writer: Writer, ref: str) -> Entry:
    entry = figure(writer, ref, link=False)
    note = "" if entry.value is None else writer.t("runs.of_epoch")
    return replace(entry, text=html.noted(entry.text, note))


def _targets(writer: Writer, run: Run, metric: Metric) -> list[Markup]:
    if metric.target is None:
        return []
    return [run_details.target(writer, other) for other in run_details.each_target(run, metric)]


def _natural(run: Run) -> list[tuple[int, str]]:
    """The id as parts of letters and digits, so that 128 sorts before 1024."""
    return [
        (int(part), "") if part.isdigit() else (-1, part)
        for part in re.findall(r"\d+|\D+", run.run_id)
    ]


def batch(writer: Writer, run: Run) -> Entry:
    """The global batch size; below it the size per accelerator, and a note if the vendor recommends
    another.
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
        # only our own harness would have recorded it
        silent = "not_measured" if run.origin in OWN else Status.NOT_REPORTED
        return Entry(writer.missing(run.status if run.status is not Status.OK else silent))
    entry = figure(writer, f"run:{run.run_id}:{metric.key}", link=False)
    unlike = metric.name.startswith("final_") and loose(run)
    notes = [
        (run_details.interval(writer, metric) if run.origin in OWN else "")
        or run_details.readable(writer, metric),
        *_targets(writer, run, metric),
        _clock(writer, run) if clock and metric.value is not None else "",
        writer.t("representative.no") if unlike else "",
        run_details.samples(writer, run, metric) if metric.status is Status.OK else "",
    ]
    return replace(entry, text=html.noted(entry.text, html.lines(*notes)))
