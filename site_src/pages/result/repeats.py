"""The runs of a result: a row for each with its figures and differing properties, and the
properties that all share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Final, TypeGuard

from markupsafe import Markup

from kernels.analysis.repetitions import setups
from kernels.records import Metric, Run, Status, locator_parts
from site_src.pages.components import run_details, run_list, tables
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer, capital
from site_src.pages.machine import blocks
from site_src.pages.run import configuration, detail, environment, figures, software
from site_src.tables.recorded import seed
from site_src.templates import html

Rows = list[tuple[Markup, Markup]]
Columns = Mapping[Markup, Sequence[Markup]]
"""A cell for each run, by heading."""

_OF_EACH: Final = frozenset(
    {"run_id", "locator", "repeat_index", "seed", "started_at", "wall_time_s", "status"}
    | {"status_detail", "stop_reason", "metrics", "evaluations", "epochs", "steps", "telemetry"}
    | {"caveats", "doubts", "withdrawn", "clock_resolution_s"}
)
"""Fields that always differ between repetitions; those that a page shows have a column."""

_COMPARED: Final = tuple(one.name for one in fields(Run) if one.name not in _OF_EACH)

_MAKES: Final = {
    "configuration": configuration.rows,
    "software": software,
    "environment": environment.brief,
}
"""Makers of a run's rows of facts, by their heading."""


_OWN: Final = ("seed", "started_at", "wall_time_s#")
"""Columns of fields that differ between runs."""

_DASH: Final = Markup("–")


def _of(run: Run) -> str:
    return f"run:{run.run_id}:"


def numbers(writer: Writer, runs: Sequence[Run]) -> Rows:
    """Figures of repetitions by this harness: time to the target, speed and quality, each with its
    spread.
    """
    rows = []
    for setup in setups(runs)[:1]:
        ref = setup.figure
        target = run_details.main_metric(setup.run, "time_to_target_s", target=True)
        for metric in filter(_known, (target, blocks.rate(setup))):
            told = blocks.interval(writer, setup, metric.key)
            rows.append((metric, blocks.shown(writer, ref(metric.key), told)))
        final = run_details.main_metric(setup.run, "final_")
        if final is not None and _known(final):
            told = (
                run_list.span(writer, runs, "final_", target=False) if len(runs) > 1 else Markup("")
            )
            rows.append((final, html.noted(writer.fig(ref(final.key), unit=True), told)))
    return [(capital(writer.quantity_name(metric.name)), shown) for metric, shown in rows]


def _known(metric: Metric | None) -> TypeGuard[Metric]:
    return metric is not None and metric.value is not None


def own(writer: Writer, runs: Sequence[Run]) -> Markup:
    """Repetitions by this harness: each with its main figures and a link to its page."""
    return run_list.runs(writer, runs, writer.t("result.runs"), each=True)


def shared(writer: Writer, runs: Sequence[Run]) -> dict[str, Rows]:
    """Properties that all runs share, by heading."""
    return {id_: _split([make(writer, run) for run in runs])[0] for id_, make in _MAKES.items()}


def compared(writer: Writer, runs: Sequence[Run]) -> tuple[dict[str, Rows], Columns]:
    """Properties that all runs share, by heading, and a column for each in which they differ."""
    said = [{name: getattr(run, name) for name in _COMPARED} for run in runs]
    asked = runs[:1] if all(one == said[0] for one in said) else runs
    common: dict[str, Rows] = {}
    apart: dict[Markup, Sequence[Markup]] = {}
    for id_, make in _MAKES.items():
        found = []
        for run in asked:
            writer.of = _of(run)
            found.append(make(writer, run))
        common[id_], differing = _split(found)
        apart |= differing
    own = [writer.field(name.removesuffix("#")) for name in _OWN]
    common["configuration"] = [row for row in common["configuration"] if row[0] not in own]
    return common, {name: cells for name, cells in apart.items() if name not in own}


def _split(told: Sequence[Rows]) -> tuple[Rows, Columns]:
    """Separates rows that are the same for all, as in the first, from those that differ."""
    by_name = [dict(rows) for rows in told]
    names = dict.fromkeys(name for rows in by_name for name in rows)
    cells = {name: [rows.get(name, _DASH) for rows in by_name] for name in names}
    differ = {
        name: found
        for name, found in cells.items()
        if len({each.striptags() for each in found}) > 1
    }
    return [(name, found[0]) for name, found in cells.items() if name not in differ], differ


def listed(writer: Writer, runs: Sequence[Run], apart: Columns) -> Markup:
    """A row for each run: number, status, figures, differing properties, log."""
    groups = [figures.by_row(run) for run in runs]
    names: dict[str, Markup] = {}
    for run, found in zip(runs, groups, strict=True):
        for key, row in found.items():
            if key not in names:
                names[key] = figures.name(writer, run, row)
    seeded = any(seed(run) is not None for run in runs)
    rows = []
    for place, run in enumerate(runs):
        writer.of = _of(run)
        found = {key: groups[place].get(key, []) for key in names}
        cells = _cells(writer, run, place, found, seeded=seeded)
        cells |= {str(name): said[place] for name, said in apart.items()}
        rows.append(Line(cells, id=run.run_id, of=_of(run)))
    rows = _with_exceptions(writer, rows)
    headings = {f"{key}#": name for key, name in names.items()}
    headings |= {str(name): name for name in apart}
    headings |= {name: writer.field(name.removesuffix("#")) for name in _OWN}
    return tables.table(writer, writer.t("result.runs"), rows, headings, name="dense")


def _with_exceptions(writer: Writer, lines: Sequence[Line]) -> list[Line]:
    """Drops the statuses where all runs ended well without remarks; else names the successes."""
    told = any(_text(line.cells["status"]) for line in lines)
    well = Entry(writer.word("status", Status.OK), str(Status.OK))
    return [
        replace(
            line,
            cells={
                name: well if name == "status" and not _text(cell) else cell
                for name, cell in line.cells.items()
                if told or name != "status"
            },
        )
        for line in lines
    ]


def _text(cell: Entry | str) -> str:
    return cell.text if isinstance(cell, Entry) else cell


def _cells(
    writer: Writer,
    run: Run,
    place: int,
    found: Mapping[str, Sequence[Metric]],
    *,
    seeded: bool,
) -> dict[str, Entry | str]:
    number = place if run.repeat_index is None else run.repeat_index
    cells: dict[str, Entry | str] = {
        "run": Entry(str(number), number),
        "status": Entry(_ended(writer, run), str(run.status)),
    }
    for key, row in found.items():
        value = row[-1].value if row else None
        shown = figures.values(writer, run, row) if row else _DASH
        cells[f"{key}#"] = Entry(shown, None if value is None else repr(float(value)))
    if seeded:
        cells["seed"] = _seeds(writer, run)
    cells["started_at"] = writer.given(run.started_at)
    cells["wall_time_s#"] = _wall_time(writer, run)
    cells["place"] = _log(run)
    return cells


SEEDS: Final = 4
"""Seeds of one run that its row lists; each of a thousand processes may log its own."""


def _seeds(writer: Writer, run: Run) -> Markup:
    words = (seed(run) or "").split()
    if len(words) <= SEEDS:
        return writer.given(seed(run))
    more = len(words) - SEEDS
    return html.lines(" ".join(words[:SEEDS]), writer.t("seeds.beside", n=more))


def _ended(writer: Writer, run: Run) -> Markup:
    badge = "" if run.status is Status.OK else writer.badge("status", run.status)
    gone = "" if run.withdrawn is None else writer.t("run.withdrawn", reason=run.withdrawn)
    return html.noted(badge, html.lines(detail(writer, run), gone))


def _wall_time(writer: Writer, run: Run) -> Entry:
    if run.wall_time_s is None:
        return Entry(writer.missing("not_stated"))
    return Entry(writer.of_run(run, "wall_time_s", unit=True), repr(run.wall_time_s))


def _log(run: Run) -> Markup:
    """The name of the run's log, without the folder, which is stated for all."""
    return html.code(dict(locator_parts(run.locator)).get("file", run.locator).rpartition("/")[2])
