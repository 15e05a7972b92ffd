"""The page on coverage: which accelerator has results in which workload and round, and what to
measure so that most pairs of accelerators can be compared.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from kernels.analysis import coverage
from kernels.analysis.coverage import Covered, Gap, Mark
from kernels.records import Hardwares
from site_src.model import Page
from site_src.pages import machine
from site_src.pages.compare import short
from site_src.pages.components import tables
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer, capital
from site_src.templates import html

SIGNS: Final[Mapping[Mark, str]] = {
    Mark.MEASURED: "●",
    Mark.SUBMITTED: "◆",
    Mark.IMPORTED: "■",
    Mark.PUBLISHED: "○",
    Mark.OOM: "▲",
    Mark.NOT_CONVERGED: "✕",
    Mark.DIVERGED: "✕",
    Mark.TIMEOUT: "✕",
    Mark.UNFINISHED: "✕",
    Mark.KILLED: "✕",
    Mark.FAILED: "✕",
    Mark.NOT_REPORTED: "–",
}
"""They differ in shape; why a result has no figure is said in words."""

MOST: Final = 12
"""Gaps that the page lists."""

SEEDS: Final = "0,1,2,3,4"
"""The seeds that a time to a target needs."""


@dataclass(frozen=True, slots=True)
class Square:
    """A cell of a matrix; `span` counts the empty cells it covers."""

    span: int = 1
    href: str = ""
    title: str = ""
    lines: tuple[str, ...] = ()


def coverage_page(writer: Writer) -> Page:
    """The page in one language."""
    found = writer.site.covered
    rounds = [one for one in found if one.round is not None]
    blocks = {
        "workloads": [legend(writer, found), *matrices(writer, found, _workload, _workload_head)],
        "rounds": matrices(writer, rounds, _round, lambda at, name: at.given(name)),
        "next": measure_next(writer),
    }
    return writer.prose_page("coverage", writer.text("coverage.md"), blocks)


def legend(writer: Writer, found: Iterable[Covered]) -> Markup:
    """The legend of the signs of these results."""
    seen = {one.mark for one in found}
    signs: dict[str, list[Markup]] = defaultdict(list)
    for mark in Mark:
        if mark in seen:
            signs[SIGNS[mark]].append(writer.t(mark.word))
    words = [html.spaced(sign, writer.joined("comma", *said)) for sign, said in signs.items()]
    return html.note(html.lines(html.dotted(*words), writer.t("coverage.legend")))


Column = Callable[[Covered], str]
Head = Callable[[Writer, str], Markup]


def _workload(one: Covered) -> str:
    return one.workload


def _workload_head(writer: Writer, name: str) -> Markup:
    known = name in writer.site.catalog.workloads
    return writer.workload_link(name) if known else Markup.escape(writer.workload_name(name))


def _round(one: Covered) -> str:
    return one.round or ""


def matrices(writer: Writer, found: Sequence[Covered], column: Column, head: Head) -> list[Markup]:
    """A matrix for each vendor, most results first; all but the first are folded."""
    vendors: dict[str, list[Covered]] = defaultdict(list)
    for one in found:
        known = writer.site.catalog.hardware.get(one.accelerator)
        vendors[known.vendor if known else ""].append(one)
    order = sorted(vendors, key=lambda name: (not name, -len(vendors[name]), name))
    return [
        html.details(
            _vendor(writer, name, vendors[name]),
            _matrix(writer, name, vendors[name], column, head),
            open=name == order[0],
        )
        for name in order
    ]


def _vendor(writer: Writer, name: str, found: Sequence[Covered]) -> Markup:
    vendor = name or capital(writer.t("not_stated"))
    number = len({one.accelerator for one in found})
    return writer.paren(vendor, writer.locale.number(number))


def _matrix(
    writer: Writer, vendor: str, found: Sequence[Covered], column: Column, head: Head
) -> Markup:
    """Accelerators by columns. Columns are rounds in order, or workloads, most results first."""
    by: dict[str, dict[str, list[Covered]]] = defaultdict(lambda: defaultdict(list))
    for one in found:
        by[one.accelerator][column(one)].append(one)
    counted = Counter(map(column, found))
    names = (
        sorted(counted)
        if column is _round
        else sorted(counted, key=lambda id_: (-counted[id_], id_))
    )
    rows = sorted(by, key=lambda id_: (-sum(map(len, by[id_].values())), id_))
    return writer.render(
        "blocks/coverage.html",
        label=_vendor(writer, vendor, found),
        columns=[head(writer, name) for name in names],
        rows=[
            (_name(writer, id_), list(_cells(writer, [by[id_].get(name, []) for name in names])))
            for id_ in rows
        ],
    )


def _name(writer: Writer, id_: str) -> Markup:
    if id_ in writer.site.catalog.hardware:
        return writer.link(f"accelerators/{id_}/", short(writer.site, id_))
    return writer.system_link(id_) if id_ in writer.site.machines else Markup.escape(id_)


def _cells(writer: Writer, row: Sequence[Sequence[Covered]]) -> Iterator[Square]:
    """The cells of a row; adjacent empty ones are merged."""
    empty = 0
    for found in row:
        if not found:
            empty += 1
            continue
        if empty:
            yield Square(empty)
        empty = 0
        yield _cell(writer, found)
    if empty:
        yield Square(empty)


def _cell(writer: Writer, found: Sequence[Covered]) -> Square:
    counted = Counter(one.mark for one in found)
    marks = [mark for mark in Mark if mark in counted]
    said = [
        writer.colon(writer.t(mark.word), writer.locale.number(counted[mark])) for mark in marks
    ]
    signs = Counter(SIGNS[one.mark] for one in found)
    shapes = dict.fromkeys(SIGNS[mark] for mark in marks)
    lines = [f"{sign}{writer.locale.number(signs[sign])}" for sign in shapes]
    return Square(
        href=writer.url(_place(found)),
        title=str(writer.joined("terms", *said)),
        lines=tuple(lines),
    )


def _place(found: Sequence[Covered]) -> str:
    first = found[0]
    if len(found) == 1:
        return f"results/{first.result}/"
    if len({one.system for one in found}) == 1:
        own = all(one.own for one in found)
        return f"{machine.FOLDER if own else 'systems/'}{first.system}/"
    return f"accelerators/{first.accelerator}/"


def measure_next(writer: Writer) -> list[Markup]:
    """The number of pairs that have a ratio, and the runs that would add most."""
    site = writer.site
    have, known = {run.accelerator for run in site.runs_of()} - {None}, site.catalog.workloads
    number = len(have) * (len(have) - 1) // 2
    now = len(site.compared)
    said = html.paragraph(
        writer.t(
            "coverage.now",
            n=number,
            now=writer.locale.number(now),
            pairs=writer.locale.number(number),
        )
    )
    cards = [
        id_
        for id_, one in site.catalog.hardware.items()
        if one.kind is Hardwares.GPU and id_ in have
    ]
    run = {id_ for id_, one in known.items() if one.command}
    own = coverage.reached(site.figures_of_sources)
    gaps = coverage.next_of(site.compared, own, cards, run, MOST)
    if not gaps:
        return [said]
    headings = {"pairs#": capital(writer.t("coverage.more"))}
    rows = [_gap(writer, gap) for gap in gaps]
    label = writer.t("coverage.next")
    return [said, tables.table(writer, label, rows, headings, sortable=False)]


def _gap(writer: Writer, gap: Gap) -> Cells:
    target = gap.target
    said = writer.site.catalog.workloads[target.workload].command
    command = f"python -m kernels run {said} --target {target.value:g} --seeds {SEEDS}"
    return {
        "accelerator": Entry(_name(writer, gap.accelerator), gap.accelerator),
        "workload": writer.workload_link(target.workload),
        "pairs#": tables.count(writer, gap.pairs),
        "command": html.code(html.nowrap(command)),
    }
