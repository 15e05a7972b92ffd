"""The definition of a report, as data: `content/reports/<id>/report.toml`. Its words are in
`words.csv` beside it; its texts are each language's `reports/<id>.md`, the story on its first page,
and `reports/<id>/details.md`.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kernels.errors import TouchstoneError

KINDS: Final = ("recorded", "derived", "quoted", "hypothesis")
"""Kinds of findings: recorded in a run, derived from facts, quoted from a source, or a guess marked
as one.
"""


class ReportError(TouchstoneError):
    """An invalid definition, or a finding that its data no longer support; names file and entry."""


@dataclass(frozen=True, slots=True)
class ComparedSystem:
    """A system of a comparison and its runs, the first of which gives its software, precision and
    settings.
    """

    system: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a section: `text`, or a kind of table or picture with its subject, as in
    `chart:tpuv2-v100-throughput`.
    """

    kind: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One section, with the id of the heading in the text.

    Attributes:
        needs: Id of a chart without which the section is left out, as its runs are from other
            sources and may not be recorded; else empty.
    """

    id: str
    blocks: tuple[Block, ...]
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure in a sentence: its reference and its format."""

    ref: str
    decimals: int | None = None
    percent: bool = False
    unit: bool = True
    like: float | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that a finding ranks: its name, and the figure that ranks it."""

    name: str
    ref: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence made from the data: `finding.<report>.<id>` in the report's words.

    Attributes:
        kind: One of `KINDS`.
        figure: Id of the chart or section that it is based on.
        values: Figures by placeholder.
        ranked: Entries that code sorts: placeholders `first`, `second`, ... are their names,
            `first_value`, ... their figures.
        show: Format of the ranked figures; its reference is empty.
        order: `highest` or `lowest` first.
        tie_percent: If the first two differ by at most this, the sentence is
            `finding.<report>.<id>.tie`.
        gap: A reference with `{first}` and `{second}` for those of the first two entries;
            placeholder `gap`.
        conditions: Must be true, such as `cost_to_target(...) < number:55` or `spec:tpu-v2:power is
            missing`; else the build stops.
        names: Names by placeholder: `system:<id>`, `workload:<id>`, `price:<id>`, `hardware:<id>`,
            `text:<key>`, or a name as it is.
        strong: True for a finding that the home page shows.
    """

    id: str
    kind: str
    figure: str
    values: Mapping[str, Shown]
    ranked: tuple[Entry, ...]
    show: Shown
    order: str
    tie_percent: float
    gap: Shown | None
    conditions: tuple[str, ...]
    names: Mapping[str, str]
    strong: bool


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its heading `head.<head>` and its cells. Words in braces are keys of
    the row.

    Attributes:
        head: Key of its heading.
        ref: Reference to a figure, or to a cell of a printed table, which may be a text.
        to: Reference to the upper end of a range that begins with `ref`; empty in rows without one.
        name: A name: `system:`, `workload:`, `hardware:`, `price:`, `run:` or `text:` with an id or
            a key.
        verdict: Id of a claim whose verdict is shown.
        field: `<run>:<field>`, a run's own word, such as its precision.
        decimals: None for those printed.
        digits: Significant digits instead.
        percent: True to show a fraction as a percentage; None to go by its name.
        unit: True to show the unit.
        sign: True for a plus sign before positive figures.
        form: `duration` for a time in hours, minutes and seconds; `either` if `ref` and `to` are
            alternatives and not a range; else empty.
    """

    head: str
    ref: str = ""
    to: str = ""
    name: str = ""
    verdict: str = ""
    field: str = ""
    decimals: int | None = None
    digits: int | None = None
    percent: bool | None = None
    unit: bool = True
    sign: bool = False
    form: str = ""


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table of figures by reference: `[[table]]` of the definition; its caption is `table.<id>`.

    Attributes:
        rows: Values of the columns' placeholders, row by row; the key `mark` names caveats of the
            strings.
    """

    id: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, str | Sequence[str]], ...]


@dataclass(frozen=True, slots=True)
class Story:
    """The first page of a report; everything else is in the details.

    Attributes:
        table: Id of the table below the conclusion.
        charts: Ids of its charts, in order; its text has a part for each.
        conditions: Must be true for its title and its text, as for a finding; else the build stops.
    """

    table: str
    charts: tuple[str, ...]
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """One report.

    Attributes:
        id: The name of its folder, the last part of its address, and the name of its texts.
        source: Source that it reports and audits.
        systems: The systems compared; differences are relative to the first.
        workloads: The workloads trained.
        story: Its first page.
        sections: Of the details, in order.
        findings: In order.
        tables: Tables that a block `table:<id>` shows, by id.
    """

    id: str
    path: Path
    source: str
    systems: tuple[ComparedSystem, ...]
    workloads: tuple[str, ...]
    story: Story
    sections: tuple[ReportSection, ...]
    findings: tuple[Finding, ...]
    tables: Mapping[str, PrintedTable] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The file of its first page's text, below each language's folder."""
        return f"reports/{self.id}.md"

    @property
    def details_text(self) -> str:
        """The file of its details' text, below each language's folder; its title names the
        report.
        """
        return f"reports/{self.id}/details.md"

    @property
    def details(self) -> str:
        """Path of the page with its details."""
        return f"reports/{self.id}/details/"

    def place(self, id_: str) -> str:
        """Address of the chart, the section, the table or the finding of that id."""
        page = f"reports/{self.id}/" if id_ in self.story.charts else self.details
        return f"{page}#{id_}"

    @property
    def charts(self) -> tuple[str, ...]:
        """Ids of its charts, those of the first page first."""
        below = (
            block.subject
            for section in self.sections
            for block in section.blocks
            if block.kind == "chart"
        )
        return tuple(dict.fromkeys((*self.story.charts, *below)))


class _Table:
    """A table of a definition that reports missing and unknown keys, by file and place."""

    def __init__(self, values: Mapping[str, Any], place: str) -> None:
        self.values = dict(values)
        self.place = place

    # TOML is untyped; `kind` is checked
    def take(self, name: str, kind: type, default: Any = None) -> Any:
        value = self.values.pop(name, default)
        if value is None:
            raise ReportError(f"{self.place}: {name!r} is missing, wanted {kind.__name__}")
        if kind is float and isinstance(value, int):
            value = float(value)
        if not isinstance(value, kind):
            raise ReportError(f"{self.place}: {name!r} is {value!r}, wanted {kind.__name__}")
        return value

    def words(self, name: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        values = self.take(name, list, None if default is None else list(default))
        if not all(isinstance(value, str) for value in values):
            raise ReportError(f"{self.place}: {name!r} is {values!r}, wanted a list of strings")
        return tuple(values)

    def tables(self, name: str) -> "list[_Table]":
        rows = self.take(name, list, [])
        return [
            _Table(row, f"{self.place}: [[{name}]] {row.get('id', row.get('system', number))}")
            for number, row in enumerate(rows, 1)
        ]

    def end(self) -> None:
        if self.values:
            raise ReportError(
                f"{self.place}: unknown {', '.join(map(repr, self.values))}; misspelt?"
            )


def _shown(values: Mapping[str, Any] | str, place: str) -> Shown:
    if isinstance(values, str):
        return Shown(values)
    table = _Table(values, place)
    decimals, like = (table.values.pop(name, None) for name in ("decimals", "like"))
    percent, unit = (
        table.take(name, bool, default) for name, default in (("percent", False), ("unit", True))
    )
    shown = Shown(table.take("ref", str), decimals, percent, unit, like)
    table.end()
    return shown


def _finding(table: _Table) -> Finding:
    gap = table.values.pop("gap", None)
    finding = Finding(
        id=table.take("id", str),
        kind=table.take("kind", str),
        figure=table.take("figure", str),
        values={
            name: _shown(value, f"{table.place}: {name}")
            for name, value in table.take("values", dict, {}).items()
        },
        ranked=tuple(
            Entry(entry["name"], entry["ref"]) for entry in table.take("ranked", list, [])
        ),
        show=_shown({"ref": "", **table.take("show", dict, {})}, f"{table.place}: show"),
        order=table.take("order", str, "highest"),
        tie_percent=table.take("tie_percent", float, 0.0),
        gap=_shown(gap, f"{table.place}: gap") if gap is not None else None,
        conditions=table.words("conditions", ()),
        names=table.take("names", dict, {}),
        strong=table.take("strong", bool, False),
    )
    table.end()
    if finding.kind not in KINDS or finding.order not in {"highest", "lowest"}:
        raise ReportError(
            f"{table.place}: {finding.kind!r}, {finding.order!r}; wanted one of "
            f"{', '.join(KINDS)}, and highest or lowest"
        )
    return finding


_KINDS_OF_CELL: Final = ("ref", "name", "verdict", "field")


def _column(values: Any, place: str) -> Column:  # TOML is untyped
    if not isinstance(values, dict) or not isinstance(values.get("head"), str):
        raise ReportError(
            f'{place}: found {values!r}, wanted a column such as {{ head = "batch", ref = '
            f'"run:{{run}}:global_batch_size" }}'
        )
    place = f"{place}: column {values['head']!r}"
    table = _Table(values, place)
    numbers = {name: table.values.pop(name, None) for name in ("decimals", "digits", "percent")}
    if not all(value is None or isinstance(value, int) for value in numbers.values()):
        raise ReportError(
            f"{place}: decimals and digits are whole numbers, percent is true or false; found "
            f"{numbers}"
        )
    column = Column(
        **{
            name: table.take(name, str, "")
            for name in ("head", "ref", "to", "name", "verdict", "field", "form")
        },
        unit=table.take("unit", bool, True),
        sign=table.take("sign", bool, False),
        **numbers,
    )
    table.end()
    if (
        sum(bool(getattr(column, kind)) for kind in _KINDS_OF_CELL) != 1
        or column.form not in {"", "duration", "either"}
        or (column.to and not column.ref)
    ):
        raise ReportError(
            f"{place}: wanted one of {', '.join(_KINDS_OF_CELL)}; to stands with ref; form is "
            "duration, either or left out"
        )
    return column


def _printed(table: _Table) -> PrintedTable:
    id_ = table.take("id", str)
    columns = tuple(_column(values, table.place) for values in table.take("columns", list))
    rows = table.take("rows", list)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not all(
            isinstance(value, str) or (key == "mark" and isinstance(value, list))
            for key, value in row.items()
        ):
            raise ReportError(f"{table.place}: row {number} is {row!r}, wanted keys with strings")
    table.end()
    return PrintedTable(id_, columns, tuple(rows))


def read(path: Path) -> Report:
    """One definition.

    Raises:
        ReportError: Names file, entry and field.
    """
    try:
        table = _Table(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ReportError(f"{path}: not readable as TOML: {error}") from None
    systems = []
    for one in table.tables("side"):
        systems.append(ComparedSystem(one.take("system", str), one.words("runs")))
        one.end()
    sections = []
    for section in table.tables("section"):
        blocks = tuple(Block(*block.split(":", 1)) for block in section.words("blocks", ("text",)))
        sections.append(
            ReportSection(section.take("id", str), blocks, section.take("needs", str, ""))
        )
        section.end()
    told = _Table(table.take("story", dict), f"{path}: [story]")
    story = Story(told.take("table", str), told.words("charts"), told.words("conditions", ()))
    told.end()
    tables = [_printed(each) for each in table.tables("table")]
    if twice := [
        each.id
        for number, each in enumerate(tables)
        if each.id in {other.id for other in tables[:number]}
    ]:
        raise ReportError(f"{path}: [[table]] {twice[0]} stands twice")
    report = Report(
        id=path.parent.name,
        path=path,
        source=table.take("source", str),
        systems=tuple(systems),
        workloads=table.words("workloads"),
        story=story,
        sections=tuple(sections),
        findings=tuple(map(_finding, table.tables("finding"))),
        tables={each.id: each for each in tables},
    )
    table.end()
    return report


def load(folder: Path) -> tuple[Report, ...]:
    """All definitions, by id."""
    return tuple(read(path) for path in sorted(folder.glob("*/report.toml")))
