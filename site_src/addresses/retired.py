"""Charts that were removed on purpose: the last version of each in `runs/retired/<id>/`, and all
files that its addresses promise.

What cannot be made again without the chart's data is kept: its words and its table as they were
shown (`chart.json`), its pictures without a frame (`<lang>.svg`, `<lang>-phone.svg`;
`<lang>-<preset>.svg` with one) and its downloads. All else is made from these at each build.
"""

import json
import xml.etree.ElementTree as ET
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pandas as pd

from kernels.errors import TouchstoneError
from kernels.store import RETIRED, Problem
from site_src.charts import downloads
from site_src.charts.downloads import Origins
from site_src.locales import REFERENCE, Locale

WORDS: Final = "chart.json"

CITED: Final = ("title", "url", "year", "note", "author", "howpublished")
"""Fields of a source's citation, as `Origins` has them."""

SUMMARY: Final = ("table_columns", "table_rows")
"""What is said of the table that sums a chart up: both, or none."""

_TABLES: Final = ("data.csv", "data.parquet")


class RetireError(TouchstoneError):
    """A chart cannot be retired, or is on the site though it was; names it and says what to do."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a chart said in one language on the day it was retired.

    Attributes:
        language: Its tag, as in addresses.
        credits: Who is named beside the chart, apart from the site.
        head: Headings of the table that was shown.
        numbers: Which of its columns, from 0, have figures.
        rows: Its cells, as they were written.
        meanings: Of the columns of the downloads, by name.
        presets: Label, caption and headline of each, by its id.
    """

    language: str
    title: str
    heading: str
    caption: str
    headline: str
    notes: tuple[str, ...]
    credits: tuple[str, ...]
    head: tuple[str, ...]
    numbers: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    meanings: Mapping[str, str]
    presets: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Retired:
    """A chart as it was last, which says what it said then; nothing of it can be drawn in another
    state.

    Attributes:
        id: As it was, and is for ever.
        page: Path of the page that it belonged to.
        subject: The id begins with it.
        table: Machine values, one row a mark, as downloads have them.
        day: When it was retired.
        why: The reason, as somebody wrote it.
        why_language: In which language.
        said: By language.
        files: What is kept of it, by name.
        dark: Colours of the light pictures with those of the dark ones.
        units: Of the columns of the downloads, by name.
        states: Of its presets, by their ids.
        origins_of: What is cited of the sources.
        summary: Columns and rows of `table.csv`, as `charts.downloads.table_description` has them;
            None in each where there is none.
    """

    id: str
    page: str
    subject: str
    table: pd.DataFrame
    day: date
    why: str
    why_language: str
    said: Mapping[str, Said]
    files: Mapping[str, bytes]
    dark: Mapping[str, str]
    units: Mapping[str, str]
    states: Mapping[str, Mapping[str, str]]
    origins_of: Origins
    summary: Mapping[str, Any]

    @property
    def summed(self) -> bool:
        """Whether a table summed it up."""
        return self.summary["table_rows"] is not None

    @property
    def short(self) -> str:
        """As it was."""
        return self.id.removeprefix(f"{self.subject}-")

    @property
    def runs(self) -> tuple[str, ...]:
        """As they were; some may be recorded no more."""
        return tuple(map(str, self.table["run_id"].dropna().unique()))

    @property
    def origins(self) -> tuple[str, ...]:
        """As they were."""
        return tuple(map(str, self.table["origin"].unique()))

    def words(self, locale: Locale) -> Said:
        """What it says in a language; in one that came later, the words of the reference."""
        return (
            self.said.get(locale.code) or self.said.get(REFERENCE) or next(iter(self.said.values()))
        )

    def notice(self, locale: Locale) -> str:
        """That it was removed, when and why."""
        return locale.say("retired.notice", day=self.day, reason=self.why)

    def title(self, locale: Locale) -> str:
        """As it was."""
        return self.words(locale).title

    def heading(self, locale: Locale) -> str:
        """As it was."""
        return self.words(locale).heading

    def caption(self, locale: Locale) -> str:
        """As it was."""
        return self.words(locale).caption

    def headline(self, locale: Locale) -> str:
        """As it was."""
        return self.words(locale).headline

    def remarks(self, locale: Locale) -> Sequence[str]:
        """As they were, below the notice."""
        return (self.notice(locale), *self.words(locale).notes)

    def credits(self, locale: Locale) -> list[str]:
        """As they were."""
        return list(self.words(locale).credits)


def read(runs: Path) -> tuple[list[Retired], list[Problem]]:
    """The retired charts below a folder of runs, by id; a damaged one is a problem, and the others
    are read.
    """
    found, problems = [], []
    folder = runs / RETIRED
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.startswith("."):
            problems.append(
                Problem(
                    path,
                    "is half-written: the command that wrote it was stopped; remove it and retire "
                    "the chart again",
                )
            )
            continue
        try:
            found.append(_read(path))
        except _DamageError as damage:
            problems.append(Problem(damage.path, f"{damage}; take the folder from the repository"))
    return found, problems


class _DamageError(Exception):
    """A file of a retired chart that cannot be used, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.path = path


def hold(found: Sequence["Retired"], live: Collection[str]) -> None:
    """Hold the retired charts against those of the site.

    Raises:
        RetireError: A chart is retired and still drawn.
    """
    if both := [one.id for one in found if one.id in live]:
        raise RetireError(
            f"{', '.join(both)}: retired, and still on the site; remove the figure or the data "
            f"behind it, or its folder in runs/{RETIRED}/"
        )


def _read(folder: Path) -> Retired:
    files = {}
    try:
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    except OSError as error:
        raise _DamageError(folder, f"cannot be read ({error})") from None
    path = folder / WORDS
    if WORDS not in files:
        raise _DamageError(path, "is missing: it has the words of the retired chart")
    try:
        kept = json.loads(files.pop(WORDS))
        said = {code: _said(code, words) for code, words in kept["languages"].items()}
        table = _frame(
            folder,
            files,
            _TABLES if kept.get("table_rows") is None else (*_TABLES, *downloads.TABLE),
        )
        chart = Retired(
            id=kept["id"],
            page=kept["page"],
            subject=kept["subject"],
            table=table,
            day=date.fromisoformat(kept["day"]),
            why=kept["why"],
            why_language=kept["why_language"],
            said=said,
            files=files,
            dark=kept["dark"],
            units=kept["units"],
            states=kept["presets"],
            origins_of=Origins(*(_cited(kept["sources"], name) for name in CITED)),
            summary=_summary(kept),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _DamageError(
            path, f"is no description of a retired chart ({type(error).__name__}: {error})"
        ) from None
    if chart.id != folder.name or not said:
        raise _DamageError(
            path,
            f"is of the chart {chart.id!r} in {len(said)} languages; the folder's name is its id, "
            "and it has one or more",
        )
    _whole(folder, chart)
    return chart


def _summary(kept: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: kept.get(name) for name in SUMMARY}
    if len({value is None for value in found.values()}) > 1:
        raise ValueError(f"wanted both or none of {' and '.join(SUMMARY)}")
    for column in found["table_columns"] or ():
        if not (
            column.keys() >= {"name", "unit", "meaning"}
            and column["meaning"].keys() >= kept["languages"].keys()
        ):
            told = json.dumps(column, ensure_ascii=False)
            raise ValueError(
                f"table_columns: {told} wants a name, a unit and a meaning in each of "
                f"{', '.join(kept['languages'])}"
            )
    return found


def _said(code: str, words: Mapping[str, Any]) -> Said:
    lists = {name: tuple(words[name]) for name in ("notes", "credits", "head", "numbers")}
    return Said(code, **{**words, **lists, "rows": tuple(map(tuple, words["rows"]))})


def _cited(sources: Mapping[str, Mapping[str, str | None]], name: str) -> dict[str, str]:
    return {id_: value for id_, fields in sources.items() if (value := fields.get(name))}


def _frame(folder: Path, files: Mapping[str, bytes], wanted: Sequence[str]) -> pd.DataFrame:
    for name in wanted:
        if name not in files:
            raise _DamageError(folder / name, "is missing: it is a download of the retired chart")
    try:
        return pd.read_parquet(BytesIO(files["data.parquet"])).rename(
            columns={"series_label": "label"}
        )
    except (ValueError, OSError) as error:
        raise _DamageError(folder / "data.parquet", f"is no Parquet file ({error})") from None


def _whole(folder: Path, chart: Retired) -> None:
    """Every language has its pictures and its specification, and they can be read."""
    stems = ["", "-phone", *(f"-{name}" for name in chart.states)]
    wanted = [
        name
        for code in chart.said
        for name in (*(f"{code}{stem}.svg" for stem in stems), f"spec.{code}.json")
    ]
    for name in wanted:
        if name not in chart.files:
            raise _DamageError(folder / name, "is missing")
        try:
            if name.endswith(".svg"):
                ET.fromstring(chart.files[name])  # noqa: S314 - of our own repository; it declares no entities
            else:
                json.loads(chart.files[name])
        except (ET.ParseError, ValueError) as error:
            raise _DamageError(
                folder / name, f"is no {'SVG' if name.endswith('.svg') else 'JSON'} ({error})"
            ) from None
