"""A figure: one question, a table of machine values, the reader's controls, and its drawing: by
Altair for pictures and the specification, and in the browser, where `assets/chart.js` chooses rows
by the same rules as `Figure.rows`.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Final

import altair as alt
import pandas as pd
from altair.utils.schemapi import debug_mode

from kernels.reading import remembered
from site_src import tables
from site_src.figures import theme as themes
from site_src.figures.columns import Column, present
from site_src.figures.controls import (
    TITLED,
    Control,
    MarkNote,
    Preset,
    Said,
    Sentence,
    Series,
    State,
    StateNote,
    faults,
)
from site_src.figures.theme import Filling, Theme
from site_src.figures.wording import OneLanguage, Wording
from site_src.figures.written import Escape, FigureError, Mark, written
from site_src.locales import Locale
from site_src.tables import Row

WIDE: Final = 720
PHONE: Final = 360
"""Widths of pictures in px: for a page's column, and for a phone of 390 px."""

MARGIN: Final = 60
LEGEND: Final = 30
"""Heights in px of the value axis below rows of marks, and of the legend above them."""

WORDS: Final = 16
"""Height in px of a line of words above such a mark."""

MOST_NOTES: Final = 3
"""The most notes below a chart."""

REPEATED: Final = frozenset(
    {"run_id", "system", "framework", "source", "locator", "licence", "credit"}
)
"""Columns left out of the drawing of very many marks; downloads have them."""

LEGEND_LINES: Final = 3
LEGEND_LINE: Final = 18
"""Lines that fit the legend's height, and the height of each further line."""


def unchecked() -> AbstractContextManager[None]:
    """A context in which Altair does not check charts against its schema: this halves the time."""
    return debug_mode(False)


@dataclass(frozen=True, slots=True)
class Sketch:
    """The arguments of a drawing function: the rows of the state, and how to draw them.

    Attributes:
        rows: Their texts are in one language, and come only from the data.
        words: All words and what depends on them, for one language or several.
        interactive: True leaves the legend to the page, whose buttons switch series.
    """

    figure: "Figure"
    rows: Sequence[Row]
    words: Wording
    theme: Theme
    state: State
    width: int
    interactive: bool

    @property
    def narrow(self) -> bool:
        """Returns True if it is drawn for a phone."""
        return self.width < WIDE

    @property
    def log(self) -> bool:
        """Returns True if the value axis is logarithmic."""
        return self.figure.scale(self.state) == "log"

    @property
    def baseline(self) -> Series | None:
        """The series that values are relative to; None if they are absolute."""
        return self.figure.baseline(self.state)

    @property
    def ink(self) -> str:
        """The colour of text and of marks that belong to no series."""
        return themes.INK[self.theme]

    @property
    def paper(self) -> str:
        """The background of the picture."""
        return themes.BACKGROUND[self.theme]

    def say(self, key: str, /, **values: object) -> str:
        """A string."""
        return self.words.said(lambda locale: locale.say(key, **values))

    def quoted(self, key: str) -> str:
        """A string as part of an expression."""
        return self.words.said(lambda locale: repr(locale.say(key)))


Draw = Callable[[Sketch], list[alt.Chart]]


@dataclass(frozen=True)  # without slots, as below
class Digest:
    """The page's table that replaces very many marks; `table` has `series`, `status` and the
    columns that controls filter by.
    """

    table: pd.DataFrame
    columns: tuple[Column, ...]

    @remembered
    def plain(self) -> Sequence[Row]:
        """As `Figure.plain`."""
        return tables.rows(self.table)


@dataclass(frozen=True)  # without slots: values derived from the table are cached
class Figure:
    """A chart with an address; its table never changes.

    Attributes:
        id: Words that never change.
        page: Path of the page that it belongs to, the same in each language.
        key: Its strings are below `figure.<key>.`.
        subject: Source, workload or page that it is about; the id begins with it.
        table: Machine values, one row per mark. Every table has the columns `series, run_id,
            origin, status, n, source, locator, licence, credit`; None is not measured.
        columns: The columns that readers and downloads see.
        fields: Column of each channel in the default state; `value` is compared by bars, points and
            tables, `beside` another figure of the same quantity that is marked with it.
        sentence: The headline in a language, from the data of the default state.
        sentences: The headlines of other states; a state without one gets the range of its figures.
        axis: Key of the value axis's title, by column.
        axis_by: Likewise by a control's choice, if the column stays the same.
        notes: Remarks that must accompany the chart, in a language.
        name: Two lines that name a row if marks have no axis of names.
        reason: Text of a row without a figure, if more can be said than its status.
        remark: The text in parentheses after the figure of a column at its mark; None for nothing.
        axis_names: Names for placeholders of the value axis's titles, such as a currency.
        log: True if a logarithmic axis makes sense; `relative` likewise for values over a
            baseline's.
        group: Column in which a row and its baseline must agree; None compares with one row of the
            baseline: its `reference`, or its first.
        count: True if a mark of a single run says n=1; else a remark does.
        about: Name of the workload, for pictures that stand alone.
        whose: The machine or accelerator of its figures, if another chart asks the same of another;
            else empty.
        credited: Who is credited beside the chart, in a language; the site itself always is.
        log_first: True if the default axis is logarithmic: values differ by orders of magnitude.
        shapes: True if shapes identify series; else shapes mean something else.
        dashed: True if lines have the dashes of their series, which buttons then show.
        texts: True if marks carry their figures; if not, the browser is not given them twice.
        line: Height of one `category` in px if categories lie below each other, so that the picture
            grows with them; None for `height`.
        legend: True if pictures have a legend; not needed where each mark carries its series' name.
        folded: True if the table is folded however short it is, as the page has its figures
            already.
        digest: The page's table if the figure's own has too many rows to read; the drawing then
            gets no provenance, which every row would repeat.
        presets: Named states with pictures of their own.
        place: Path of the page that has a run.
    """

    id: str
    page: str
    key: str
    subject: str
    table: pd.DataFrame
    columns: tuple[Column, ...]
    series: tuple[Series, ...]
    fields: Mapping[str, str]
    draw: Draw
    sentence: Callable[[Locale], Sentence]
    axis: Mapping[str, str]
    controls: tuple[Control, ...] = ()
    sentences: tuple[Said, ...] = ()
    axis_by: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: Callable[[Locale], list[str]] = lambda _: []
    name: Callable[[Row, Locale], tuple[str, str]] = lambda row, _: (row["label"], "")
    reason: Callable[[Row, Locale], str | None] = lambda _row, _locale: None
    remark: Callable[[Row, str, Locale], str | None] = lambda _row, _name, _locale: None
    axis_names: Mapping[str, str] = field(default_factory=dict)
    log: bool = False
    relative: bool = False
    group: str | None = None
    count: bool = True
    about: str = ""
    whose: str = ""
    credited: Callable[[Locale], list[str]] | None = None
    shapes: bool = True
    dashed: bool = True
    log_first: bool = False
    texts: bool = True
    height: int = 340
    line: int | None = None
    legend: bool = True
    digest: Digest | None = None
    folded: bool = False
    presets: tuple[Preset, ...] = ()
    place: Callable[[str], str] = "runs/{}/".format

    def __post_init__(self) -> None:
        for fault in faults(self.presets, self.keys) if self.presets else ():
            raise FigureError(f"{self.id}: {fault}")

    @property
    def keys(self) -> dict[str, list[str]]:
        """The values of each key of a state, the default first; `hide` takes any together."""
        return {
            **{
                control.key: [choice.value for choice in control.choices]
                for control in self.controls
            },
            **({"scale": list(self.scales)} if self.scales else {}),
            **(
                {
                    "view": ["absolute", "relative"],
                    "baseline": [series.id for series in self.baselines],
                }
                if self.relative
                else {}
            ),
            "hide": [series.id for series in self.series],
        }

    def row_height(self, locale: Locale) -> int | None:
        """The height of one `category` with its words; None if categories do not lie in rows."""
        return None if self.line is None else self.line + WORDS * self.further(locale)

    def further(self, locale: Locale) -> int:
        """The most lines beyond two that the words of a row have."""
        return self._in(locale).further

    @property
    def short(self) -> str:
        """Its name among the charts of one page: the id without its subject."""
        return self.id.removeprefix(f"{self.subject}-")

    @remembered
    def runs(self) -> tuple[str, ...]:
        """The ids of the runs behind it, in the table's order."""
        return tuple(dict.fromkeys(str(run) for run in self.table["run_id"] if present(run)))

    @remembered
    def origins(self) -> tuple[str, ...]:
        """The origins of its rows."""
        return tuple(dict.fromkeys(str(origin) for origin in self.table["origin"]))

    @property
    def scales(self) -> tuple[str, ...]:
        """The value axes to choose from, the default first; empty if a logarithm makes no sense."""
        return () if not self.log else ("log", "linear") if self.log_first else ("linear", "log")

    def scale(self, state: State) -> str:
        """The value axis of a state."""
        asked = state.get("scale", "")
        return asked if asked in self.scales else next(iter(self.scales), "linear")

    def choices(self, locale: Locale) -> list[tuple[str, list[tuple[str, str]]]]:
        """The reader's choices: the key of each control, and its values with their words."""
        found = [
            (control.key, [(choice.value, choice.label(locale)) for choice in control.choices])
            for control in self.controls
            if len(control.choices) > 1
        ]
        views = ("absolute", "relative") if self.relative else ()
        for key, values in (("scale", self.scales), ("view", views)):
            if values:
                found.append((key, [(one, locale.say(f"control.{key}_{one}")) for one in values]))
        if self.relative:
            bases = [(series.id, self.baseline_label(series, locale)) for series in self.baselines]
            found.append(("baseline", bases))
        return found

    @remembered
    def compared(self) -> set[str]:
        """The columns that marks can show, in any state."""
        return {self.fields["value"]} | {
            name for control in self.controls for name in control.fields.get("value", {}).values()
        }

    @remembered
    def _of_series(self) -> Mapping[str, list[Row]]:
        found = defaultdict(list)
        for row in self.plain:
            found[row["series"]].append(row)
        return found

    def filling(self, series: Series, drawn: Sequence[Row] | None = None) -> Filling:
        """The filling of a series in any state, or in the rows drawn."""
        if drawn is None:
            own, columns = self._of_series.get(series.id, []), self.compared
        else:
            own, columns = [row for row in drawn if row["series"] == series.id], {"value"}
        marked = [row for row in own if any(present(row.get(name)) for name in columns)]
        return themes.filling(row["origin"] for row in marked or own)

    def credits(self, locale: Locale) -> list[str]:
        """Who is credited beside the chart, apart from the site."""
        return (
            self.credited(locale)
            if self.credited
            else [str(name) for name in dict.fromkeys(self.table["credit"]) if present(name)]
        )

    def column(self, name: str) -> Column:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)

    def title(self, locale: Locale) -> str:
        """A title of a few words."""
        return locale.say(f"figure.{self.key}.title")

    def heading(self, locale: Locale) -> str:
        """The title of pages and links: with the workload, and the machine of its figures."""
        title = self.title(locale)
        title = (
            locale.say("figure.caption", title=title, workload=self.about) if self.about else title
        )
        return (
            locale.say("figure.heading_of", title=title, subject=self.whose)
            if self.whose
            else title
        )

    @property
    def titled(self) -> Control | None:
        """The control whose choice its pictures' titles name; None if there is one subject."""
        return next((control for control in self.controls if control.key in TITLED), None)

    def caption(self, locale: Locale, state: State | None = None) -> str:
        """The title of a picture, with the workload or comparison."""
        title = self.title(locale)
        # a picture shows one of several workloads or comparisons, so its title must name it
        workload = self.titled.said(locale, state or {}) if self.titled else self.about
        return locale.say("figure.caption", title=title, workload=workload) if workload else title

    def headline(self, locale: Locale, state: State | None = None) -> str:
        """The finding in one sentence: in the default state, or in a state of `sentences`."""
        if not state:
            return self._in(locale).headline
        found = self.sentence_in(state)
        if found is None:
            raise FigureError(
                f"{self.id}: there is no headline for {dict(state)}; add it to the figure's "
                "sentences"
            )
        return self._written(found(locale), locale, lambda text, _value, _ref: text, str)

    def sentence_in(self, state: State) -> Callable[[Locale], Sentence] | None:
        """The headline of a state; None without one."""
        chosen = self.decides(state)
        return (
            self.sentence
            if not chosen
            else next((said.sentence for said in self.sentences if said.state == chosen), None)
        )

    def decides(self, state: State) -> dict[str, str]:
        """The choices that differ from the default and decide which figures are compared."""
        of_values = filter(self.deciding, self.controls)
        chosen = {
            control.key: control.choice(state)
            for control in of_values
            if control.choice(state) != control.default
        }
        base = self.baseline(state)
        chosen |= {"view": "relative", "baseline": base.id} if base is not None else {}
        hidden = state.get("hide", "").split(",")
        hide = ",".join(series.id for series in self.series if series.id in hidden)
        return chosen | ({"hide": hide} if hide else {})

    @staticmethod
    def deciding(control: Control) -> bool:
        """Returns True if a control decides which rows or which of their figures are compared."""
        return control.filters is not None or "value" in control.fields

    def remarks(self, locale: Locale) -> Sequence[str]:
        """The note on origin marks, and all notes; those shown below the chart come first."""
        return self._in(locale).remarks

    def beside(self, locale: Locale) -> Sequence[str]:
        """The remarks below the chart: those on its marks, of which there are few."""
        remarks = self.remarks(locale)
        few = [note for note in remarks[:MOST_NOTES] if isinstance(note, MarkNote)]
        return remarks[: len(few)]

    def pictured(self, locale: Locale, state: State | None = None) -> list[str]:
        """The remarks in a picture of a state: those below the chart, and those on the state."""
        chosen = {control.key: control.choice(state or {}) for control in self.controls}
        beside = self.beside(locale)
        own = [
            note
            for note in self.remarks(locale)
            if isinstance(note, StateNote) and note.state and note.state.items() <= chosen.items()
        ]
        return [*map(str, (*own, *beside))][:MOST_NOTES]

    def _in(self, locale: Locale) -> "_InLanguage":
        """Kept with the locale itself, since a test's languages may share a code."""
        found = self._languages.get(id(locale))
        if found is None:
            found = self._languages[id(locale)] = _InLanguage(self, locale)
        return found

    @remembered
    def _languages(self) -> dict[int, "_InLanguage"]:
        return {}

    def spoken(
        self,
        locale: Locale,
        mark: Mark,
        escape: Escape = str,
    ) -> str:
        """The headline with each figure put through `mark(text, value, reference)`, everything else
        through `escape`.

        Raises:
            FigureError: The string leaves out a figure, so that sentence and data would differ.
        """
        return self._written(self._in(locale).sentence, locale, mark, escape)

    def _written(self, sentence: Sentence, locale: Locale, mark: Mark, escape: Escape) -> str:
        try:
            return written(sentence, f"figure.{self.key}", locale, mark, escape)
        except FigureError as error:
            raise FigureError(f"{self.id}: {error}") from error

    def baseline(self, state: State) -> Series | None:
        """The series that values are relative to in a state."""
        if not self.relative or state.get("view") != "relative":
            return None
        choices = self.baselines
        return next(
            (series for series in choices if series.id == state.get("baseline")),
            choices[0] if choices else None,
        )

    @remembered
    def baselines(self) -> tuple[Series, ...]:
        """Series that have a value to compare with."""
        usable = self.table[self.table[self.fields["value"]].notna()]
        return tuple(series for series in self.series if (usable["series"] == series.id).any())

    def field_of(self, channel: str, state: State) -> str:
        """The column that a channel shows in a state."""
        for control in self.controls:
            if channel in control.fields:
                return control.fields[channel][control.choice(state)]
        return self.fields[channel]

    @remembered
    def plain(self) -> Sequence[Row]:
        """Every row as in the table; None if missing."""
        return tables.rows(self.table)

    def records(self, locale: Locale) -> Sequence[Row]:
        """Every row with its texts, not to be changed; None stays None."""
        return self._in(locale).records

    @remembered
    def told(self) -> Sequence[Column]:
        """Columns shown in tooltips: no ids, links or words that all rows share, except origin."""
        return [
            column
            for column in self.columns
            if column.shown
            and column.kind not in {"run", "link"}
            and (
                column.kind != "key"
                or column.name == "origin"
                or self.table[column.name].nunique(dropna=False) > 1
            )
        ]

    def text_of(self, row: Row, name: str, locale: Locale) -> str:
        """The text at the mark of a row: its figure, or why it is missing."""
        if not present(row.get(name)):
            if present(row.get(f"{name}_why")):
                return self.column(name).write(row, locale)
            return self.reason(row, locale) or locale.say(f"status.{row['status']}")
        text = self.column(name).write(row, locale, brief=True)
        remark = self.remark(row, name, locale)
        return locale.say("join.paren", text=text, note=remark) if remark else text

    def rows(self, locale: Locale, state: State) -> list[Row]:
        """The rows drawn in a state."""
        hidden = set(state.get("hide", "").split(","))
        if hidden.issuperset(series.id for series in self.series):
            hidden = set()  # an address that hides everything is ignored
        rows = []
        for row in self.records(locale):
            if any(control.leaves_out(row, state) for control in self.controls):
                continue
            shown = dict(row)
            for channel in self.fields:
                name = self.field_of(channel, state)
                shown[channel] = row[name]
                if channel == "value":
                    shown["text"] = self.text_of(row, name, locale)
                    shown["low"], shown["high"] = row.get(f"{name}_low"), row.get(f"{name}_high")
            rows.append(shown)
        base = self.baseline(state)
        if base is not None:
            rows = [_over(row, self._reference(rows, row, base), locale) for row in rows]
        return [row for row in rows if row["series"] not in hidden]

    def _reference(self, rows: Sequence[Row], row: Row, base: Series) -> float | None:
        """The baseline's value in the row's group, or of its reference row, or its first."""
        own = [other for other in rows if other["series"] == base.id and present(other["value"])]
        if self.group is not None:
            own = [other for other in own if other[self.group] == row[self.group]]
        chosen = next((other for other in own if other.get("reference")), own[0] if own else None)
        return None if chosen is None else chosen["value"]

    def baseline_label(self, base: Series, locale: Locale) -> str:
        """The baseline's series, with the offer taken if there are several."""
        rows = [
            row
            for row in self.rows(locale, {})
            if row["series"] == base.id and present(row["value"])
        ]
        under = self.name(rows[0], locale)[1] if len(rows) > 1 else ""
        return f"{base.label} ({under})" if under not in {"", base.label} else base.label

    def axis_title(self, locale: Locale, state: State) -> str:
        """The title of the value axis, with its unit, or with the baseline's name."""
        base = self.baseline(state)
        if base is not None:
            return locale.say("axis.relative", baseline=base.label)
        for control in self.controls:
            if control.key in self.axis_by:
                return self._on_axis(
                    self.axis_by[control.key][control.choice(state)], locale, state
                )
        return self._on_axis(self.axis[self.field_of("value", state)], locale, state)

    def _on_axis(self, key: str, locale: Locale, state: State) -> str:
        title = locale.say(key, **self.axis_names)
        return locale.say("axis.log", title=title) if self.scale(state) == "log" else title

    def chart(
        self,
        locale: Locale,
        theme: Theme = "light",
        state: State | None = None,
        *,
        width: int = WIDE,
        interactive: bool = False,
        rows: Sequence[Row] | None = None,
        words: Wording | None = None,
    ) -> alt.LayerChart:
        """The chart in a state; the data are inline under the name `rows`, unless the caller hands
        rows in and puts them there. `words` may be those of several languages.
        """
        chosen, bare = state or {}, rows is not None
        rows = self.rows(locale, chosen) if rows is None else rows
        words = words or OneLanguage(locale)
        sketch = Sketch(self, rows, words, theme, chosen, width, interactive)
        drawn = self.legend and not interactive
        # on a phone the legend has a line per series, of which the usual height holds a few
        more = max(0, len(self.series) - LEGEND_LINES) if drawn and sketch.narrow else 0
        lines, each = (
            len({str(row.get("category")) for row in rows}),
            words.decided(self.row_height),
        )
        usual = self.height if each is None else each * lines + MARGIN + LEGEND * drawn
        height = usual + more * LEGEND_LINE
        described = {} if self.sentence_in(chosen) is None else chosen
        return _Layers(
            layer=list(self.draw(sketch)),
            data=alt.InlineData(values=[] if bare else list(rows), name="rows"),
            width=width,
            height=height,
            description=words.said(partial(self.headline, state=described)),
            autosize=alt.AutoSizeParams(type="fit", contains="padding"),
            config=themes.config(theme),
        )


def _over(row: Row, reference: float | None, locale: Locale) -> Row:
    """A row relative to the baseline's value."""
    if not present(row["value"]):
        return row
    if not reference:
        none = locale.say("figure.no_baseline")
        return {**row, "value": None, "low": None, "high": None, "text": none}
    figures = ("value", "low", "high", *(["beside"] if "beside" in row else []))
    scaled = {name: row[name] / reference if present(row[name]) else None for name in figures}
    value = row["value"] / reference
    said = locale.say("figure.times", n=locale.number(value, relative_decimals(value)))
    return {**row, **scaled, "text": said}


def relative_decimals(value: float) -> int:
    """The decimals of a ratio to a baseline: three, or more to show three digits."""
    return max(3, 2 - Decimal(repr(value)).adjusted())


class _Layers(alt.LayerChart):
    """Layers as they are: Altair copies each four times, for properties that ours do not have."""

    def __init__(self, **given: Any) -> None:
        super(alt.LayerChart, self).__init__(**given)


class _InLanguage:
    """A figure in one language; each part is computed when first asked for."""

    def __init__(self, figure: Figure, locale: Locale) -> None:
        self._figure = figure
        self._locale = locale

    @remembered
    def sentence(self) -> Sentence:
        return self._figure.sentence(self._locale)

    @remembered
    def remarks(self) -> Sequence[str]:
        figure, locale = self._figure, self._locale
        named = len(figure.series) > 1 or figure.line is None  # else there is no legend
        kinds = {figure.filling(series) for series in figure.series}
        told_apart = kinds >= {"filled", "hollow"} or "both" in kinds
        signs = [MarkNote(locale.say("figure.origin_marks"))] if told_apart else []
        both = [locale.say("figure.origin_both")] if named and "both" in kinds else []
        notes = [*signs, *figure.notes(locale), *both]
        few = [note for note in notes if isinstance(note, MarkNote)][:MOST_NOTES]
        return [*few, *(note for note in notes if not any(note is one for one in few))]

    @remembered
    def headline(self) -> str:
        return self._figure.spoken(self._locale, lambda text, _value, _ref: text)

    @remembered
    def further(self) -> int:
        return max(
            ((row["name"] + row["under"]).count("\n") for row in self.records),
            default=0,
        )

    @remembered
    def records(self) -> Sequence[Row]:
        figure, locale = self._figure, self._locale
        labels = {series.id: series.label for series in figure.series}
        told = [(column, column.title(locale)) for column in figure.told]
        rows: list[Row] = []
        for record in figure.plain:
            row = dict(record)
            if figure.digest is not None:
                row = {
                    name: value
                    for name, value in row.items()
                    if name not in REPEATED and not name.endswith("_ref")
                }
            row["label"] = labels[row["series"]]
            row["name"], row["under"] = figure.name(row, locale)
            row["one"] = locale.say("n_is", n=1) if figure.count and row.get("n") == 1 else None
            row["tip"] = "\n".join(
                f"{heading}: {column.write(row, locale, unit=True)}"
                for column, heading in told
                if column.tells(row)
            )
            rows.append(row)
        return rows
