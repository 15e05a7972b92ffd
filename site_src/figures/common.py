"""Parts that several figures share: series, columns and controls, and the words of an offer."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.reading import chosen
from kernels.records import Bound, Run
from kernels.store import Archive
from site_src import tables
from site_src.figures import theme as themes
from site_src.figures.columns import Column, present
from site_src.figures.controls import (
    Choice,
    Control,
    MarkNote,
    Preset,
    Said,
    Sentence,
    Series,
    Shown,
)
from site_src.figures.written import FigureError
from site_src.locales import Locale
from site_src.tables import BLEU, FORMATS, Row
from site_src.tables import level as quality
from site_src.tables.curve import PLAIN
from site_src.tables.recorded import Result, has_warning

SERIES = Column("label", "head.system", "series")
ORIGIN = Column("origin", "column.origin", "key", prefix="origin")
STATUS = Column("status", "column.status", "key", prefix="status")
COUNT = Column("n", "column.n", "number", decimals=0, absent="not_stated")
WORKLOAD = Column("workload_name", "column.workload")
WORKLOAD_ID = Column("workload", "column.workload_id", shown=False)
BATCH_SIZE = Column("batch", "column.global_batch_size", "number", decimals=0)
BATCH = replace(BATCH_SIZE, unit="images")
THROUGHPUT = Column(
    "throughput", "column.throughput_images_per_s", "number", unit="images/s", decimals=0
)
TIME = Column("time", "column.train_time_s", "number", unit="s", decimals=0)
CLOCK = Column("clock_scope", "column.clock_scope", "key", prefix="clock_scope", shown=False)
UNIT = Column("unit", "column.unit", shown=False)
CLAIM = Column("page", "column.claim", "link", prefix="figure.to_audit")
COLLAPSED = Column("collapsed", "column.collapsed", "key", prefix="collapsed")
WARNED = Column("doubted", "column.doubted", "key", prefix="doubted")
"""The column that marks rows whose runs have warnings."""
FEED = (
    Column("feed", "column.data", "key", prefix="feed", absent="not_stated"),
    Column(
        "augmentation", "column.augmentation", "key", prefix="augmentation", absent="not_stated"
    ),
)
"""The column of the input data, without which a throughput says little."""

PROVENANCE = (
    STATUS,
    ORIGIN,
    COUNT,
    Column("precision", "column.precision", "key", prefix="precision"),
    Column("run_id", "column.run", "run"),
    Column("series", "column.series_id", shown=False),
    Column("system", "column.system", shown=False),
    Column("framework", "column.framework", shown=False),
    Column("source", "column.source", shown=False),
    Column("locator", "column.place", shown=False),
    Column("licence", "column.licence", shown=False),
    Column("credit", "column.credit", shown=False),
)
"""Columns that end every table: where a row comes from, and its terms."""

WITHOUT_RUN = (ORIGIN, *(column for column in PROVENANCE if not column.shown))
"""The same for tables without runs: claims and specifications."""


def series(table: pd.DataFrame) -> tuple[Series, ...]:
    """The series of a table in its order; the first framework of a system before others."""
    found: dict[str, Series] = {}
    looks = themes.of_chart(dict.fromkeys(table["system"]))
    rounds: dict[str, set[str]] = defaultdict(set)
    for row in tables.rows(table):
        if present(row.get("round")):
            rounds[row["system"]].add(row["round"])
    turns = {system: themes.turns(known) for system, known in rounds.items()}
    for row in tables.rows(table):
        key = row["series"]
        if key not in found:
            framework = row["framework"] if present(row["framework"]) else None
            round_ = row["round"] if present(row.get("round")) else None
            look = themes.look(row["system"], framework, round_, looks, turns.get(row["system"]))
            found[key] = Series(key, row["label"], look)
    variants = [one for one in found.values() if one.look.dash == themes.DASH]
    return tuple([one for one in found.values() if one not in variants] + variants)


def division(name: str, locale: Locale) -> str:
    """The word for a division of a benchmark's round; an unknown one stays as it is."""
    return locale.say(f"division.{name}") if locale.has(f"division.{name}") else name


def credit_of_results(results: Iterable[Result], locale: Locale) -> str:
    """Several results in one sentence, as their terms require, without repetition."""
    unknown = locale.say("not_stated")
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for found in sorted(
        results, key=lambda found: (found.round, found.division, found.submitter, found.system)
    ):
        systems = groups.setdefault((found.round, found.division), {}).setdefault(
            found.submitter or unknown, []
        )
        systems.append(found.system or unknown)
    told = []
    for (round_, name), submitters in groups.items():
        owed = ", ".join(f"{who} ({', '.join(systems)})" for who, systems in submitters.items())
        told.append(f"{round_}, {division(name, locale) or unknown}: {owed}")
    return locale.say("figure.credit_results", results="; ".join(told))


def credit_of_rounds(
    results: Iterable[tuple[str | None, str | None, str | None]], locale: Locale
) -> str:
    """Rounds, divisions and submitters in one sentence."""
    rounds, divisions, submitters = (
        sorted({name for name in names if name}, key=str.casefold)
        for names in zip(*results, strict=True)
    )
    named = [division(name, locale) for name in divisions]
    return locale.say(
        "figure.credit_rounds",
        rounds=locale.join(rounds),
        divisions=locale.join(named),
        submitters=locale.join(submitters),
    )


def choice(value: str, key: str) -> Choice:
    """A choice whose label is a string."""
    return Choice(value, lambda locale: locale.say(key))


BASIS = Control(
    "basis",
    (choice("global", "control.basis_global"), choice("chip", "control.basis_chip")),
    fields={"value": {"global": "throughput", "chip": "throughput_per_chip"}},
)
"""The control that shows throughputs of all accelerators or of one."""


def measures(
    names: Iterable[str], words: Mapping[str, str] | None = None, **fields: Mapping[str, str]
) -> Control:
    """The control that chooses which column is drawn, called `measure.<name>` or by the key in
    `words`; further channels by `fields`.
    """
    known = tuple(names)
    return Control(
        "measure",
        tuple(choice(name, (words or {}).get(name, f"measure.{name}")) for name in known),
        fields={"value": {name: name for name in known}, **fields},
    )


def workload_control(table: pd.DataFrame, catalog: Catalog) -> Control:
    """The control of the workload, by the column `workload`; the table's first is the default."""
    found = dict.fromkeys(map(str, table["workload"]))
    return Control(
        "workload",
        tuple(Choice(one, _named(catalog.workload_name(one))) for one in found),
        filters="workload",
    )


def further_workloads(table: pd.DataFrame, name: str) -> tuple[Preset, ...]:
    """A preset for each workload after the first that has a figure in column `name`."""
    return tuple(Preset(one, {"workload": one}) for one in _further(table, name))


def by_workload(
    table: pd.DataFrame, name: str, sentence: Callable[[list[Row], Locale], Sentence]
) -> dict[str, Any]:
    """The headlines of a figure whose reader chooses the workload, for workloads with a figure in
    column `name`: `sentence` takes the rows of one.
    """
    return {
        "sentence": partial(sentence, of_first_workload(table)),
        "sentences": of_further(table, name, sentence),
    }


def of_further(
    table: pd.DataFrame, name: str, sentence: Callable[[list[Row], Locale], Sentence]
) -> tuple[Said, ...]:
    """The headline of each workload after the first that has a figure in column `name`."""
    return tuple(
        Said({"workload": one}, partial(sentence, tables.rows(table[table["workload"] == one])))
        for one in _further(table, name)
    )


def _further(table: pd.DataFrame, name: str) -> list[str]:
    found = dict.fromkeys(map(str, table[table[name].notna()]["workload"]))
    return [one for one in found if one != table["workload"].iloc[0]]


def relative(table: pd.DataFrame, name: str) -> tuple[Preset, ...]:
    """A preset of values relative to those of the second series."""
    known = series(table[table[name].notna()])
    return (
        (Preset("relative", {"view": "relative", "baseline": known[1].id}),)
        if len(known) > 1
        else ()
    )


def workloads(table: pd.DataFrame, archive: Archive) -> int:
    """The number of workloads that the runs of a table trained."""
    found = chosen(archive.runs, "run_id", set(table["run_id"]))
    return len({run.workload for run in found})


def of_first_workload(table: pd.DataFrame) -> list[Row]:
    """The rows of the workload drawn first, which the headline is about."""
    rows = tables.rows(table)
    return [row for row in rows if row["workload"] == rows[0]["workload"]]


def _named(name: str) -> Callable[[Locale], str]:
    return lambda _locale: name


def without_shared(table: pd.DataFrame, *names: str) -> pd.DataFrame:
    """The table without the framework that all rows share in the labels of these columns."""
    if (
        table.empty
        or table["framework"].nunique(dropna=False) != 1
        or not present(table["framework"].iloc[0])
    ):
        return table
    shared = f" · {table['framework'].iloc[0]}"
    return table.assign(
        **{
            name: [str(one).removesuffix(shared) if present(one) else one for one in table[name]]
            for name in names
        }
    )


def by_precision(table: pd.DataFrame) -> pd.DataFrame:
    """The table with each series named by its precision, if they differ, and without a shared
    framework. Unchanged if one series has several precisions, which its marks then name.
    """
    if table.empty or table["precision"].nunique() < 2:  # noqa: PLR2004 - one format needs no label
        return table
    found = {key: set(map(str, rows)) for key, rows in table.groupby("series")["precision"]}
    if any(len(formats) > 1 for formats in found.values()):
        return table
    named = {key: FORMATS[one] for key, (one,) in found.items() if one in FORMATS}
    # a shared framework tells nothing, and a phone has no room for both
    shared = (
        f" · {table['framework'].iloc[0]}" if table["framework"].nunique(dropna=False) == 1 else ""
    )
    rows = [(row["label"], named.get(row["series"], "")) for row in tables.rows(table)]
    labels = [
        label
        if not name or name in label.split(" · ")
        else f"{label.removesuffix(shared)} · {name}"
        for label, name in rows
    ]
    return table.assign(label=pd.Series(labels, index=table.index, dtype=object))


def precision_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The note that precisions differ, so that the comparison is not on equal terms."""
    formats = list(
        dict.fromkeys(FORMATS[str(one)] for one in table["precision"] if str(one) in FORMATS)
    )
    return (
        [locale.say("figure.precisions", formats=locale.join(formats))] if len(formats) > 1 else []
    )


def feed_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The note on the input data of all throughputs or times; empty if rows differ."""
    if (
        not {"feed", "augmentation"} <= set(table)
        or len(table[["feed", "augmentation"]].drop_duplicates()) != 1
    ):
        return []
    row: Row = {column.name: table[column.name].iloc[0] for column in FEED}
    said = {column.name: column.write(row, locale) for column in FEED}
    return [MarkNote(locale.say("figure.fed", **said))]


def count_notes(table: pd.DataFrame, name: str, locale: Locale) -> list[str]:
    """The note on the number of runs behind each figure of a column: one, or not stated."""
    counts = {
        None if not present(row["n"]) else row["n"]
        for row in tables.rows(table)
        if present(row[name])
    }
    return [
        locale.say(f"figure.{key}")
        for key, n in (("one_run", 1), ("count_not_stated", None))
        if counts == {n}
    ]


def oom_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The notes on the meaning of a cross, by why figures are missing."""
    found = [key for key in ("oom", "not_reported") if (table["status"] == key).any()]
    return [locale.say(f"figure.missing_{'_'.join(found)}")] if found else []


def warned(table: pd.DataFrame) -> tuple[Column, ...]:
    """`WARNED`, if a row of the table has it."""
    return (WARNED,) if table["doubted"].notna().any() else ()


def warning_notes(runs: Iterable[Run], locale: Locale) -> list[str]:
    """The note on how many runs of a chart have warnings."""
    found = list({run.run_id: run for run in runs}.values())
    n = sum(map(has_warning, found))
    if not n:
        return []
    if len(found) == 1:
        return [locale.say("figure.doubted_alone")]
    return [locale.say("figure.doubted", who=locale.runs_of(n, len(found)))]


def collapse_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The note on the runs that a dagger marks."""
    return [
        MarkNote(
            locale.say(
                "figure.collapsed",
                workload=row["workload_name"],
                series=row["label"],
                batch=locale.number(row["batch"], 0),
            )
        )
        for row in tables.rows(table)
        if present(row["collapsed"])
    ]


def of_other_machine(row: Row) -> bool:
    """Returns True if a row's offer is for another machine than the one measured."""
    return "other-machine" in (row["remarks"] or "").split()


def offer(row: Row, locale: Locale, *, below: bool = False) -> str:
    """An offer in one line, with a dagger if it is another machine's: in front if the offer is
    `below` a name, as the end of a narrow line is cut off.
    """
    terms = locale.say(f"price_kind.{row['price_kind']}")
    if present(row["term_months"]):
        terms = locale.say(
            "figure.offer_term",
            kind=terms,
            term=locale.quantity(row["term_months"], "months", 0),
        )
    hourly = locale.money(row["hourly"], row["currency"])
    if row["hourly_bound"] != "eq":
        hourly = locale.say("about", n=hourly)
    said = locale.say("figure.offer", provider=row["provider"], terms=terms, hourly=hourly)
    if not of_other_machine(row):
        return said
    return f"† {said}" if below else f"{said} †"


def name_with_offer(row: Row, locale: Locale) -> tuple[str, str]:
    """The name of a row's series, and below it the offer behind its figure."""
    return row["label"], offer(row, locale, below=True) if present(row["price_id"]) else ""


def offer_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The notes on figures that depend on offers: other machines, dates."""
    rows = [row for row in tables.rows(table) if present(row["price_id"])]
    others = dict.fromkeys(row["provider"] for row in rows if of_other_machine(row))
    notes: list[str] = [
        MarkNote("† " + locale.say("figure.other_machine", provider=provider))
        for provider in others
    ]
    if any(not present(row["price_date"]) for row in rows):
        notes.append(locale.say("figure.undated_prices"))
    if any(row["price_per"] == "month" for row in rows):
        notes.append(locale.say("figure.month_hours"))
    return notes


def run_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The notes on what a source's times include, and on missing numbers of repetitions."""
    clock = ["clock_scope_meaning.unknown"] if (table["clock_scope"] == "unknown").all() else []
    return [
        locale.say(key)
        for key in (*clock, *(["figure.count_not_stated"] if table["n"].isna().all() else []))
    ]


def offer_columns(currency: str = "USD") -> tuple[Column, ...]:
    """Columns of an offer, with amounts in that currency."""
    return (
        Column("price_id", "column.price", "price", shown=False),
        Column("provider", "column.provider"),
        Column("price_kind", "column.terms", "key", prefix="price_kind"),
        Column("term_months", "column.term", "number", decimals=0, shown=False),
        Column("hourly", "column.per_hour", "money", unit=currency),
        Column("currency", "column.currency", shown=False),
        Column("price_date", "column.price_date", shown=False),
        Column("price_source", "column.price_source", shown=False),
        Column("price_locator", "column.price_locator", shown=False),
        Column("remarks", "column.remarks", shown=False),
    )


def times(value: float, locale: Locale, digits: int = 3) -> str:
    """A ratio: "2.81×", "2×"."""
    return locale.say("figure.times", n=locale.number(value, None, digits, strip=True))


def about(facts: Facts, ref: str, text: str, locale: Locale) -> str:
    """A figure's text, with "about" if printed so or derived from such figures."""
    return text if facts.get(ref).bound is Bound.EQ else locale.say("about", n=text)


def level(metric: str, value: float, locale: Locale) -> str:
    """A target quality as shown: a percentage, BLEU or a loss."""
    if metric == BLEU:
        return locale.number(quality(metric, value), 1)
    return locale.percent(value, 1) if value <= 1 and metric not in PLAIN else locale.number(value)


@dataclass(frozen=True, slots=True)
class Spoken:
    """Figures for a `Sentence` in a language, each by its placeholder and its reference.

    Raises:
        FigureError: The figure is missing.
    """

    facts: Facts
    locale: Locale

    def put(self, name: str, ref: str, write: Callable[[float], str]) -> Shown:
        """A figure as `write` writes it, with "about" if it is printed so."""
        value = self.facts.get(ref).value
        if value is None:
            raise FigureError(
                f"a headline needs {ref}, which is {self.facts.get(ref).status}; choose rows that "
                "have it"
            )
        return name, about(self.facts, ref, write(value), self.locale), value, ref

    def number(self, name: str, ref: str, decimals: int | None = 0) -> Shown:
        """A figure without its unit."""
        return self.put(name, ref, lambda value: self.locale.number(value, decimals))

    def quantity(
        self, name: str, ref: str, unit: str, decimals: int | None = 0, digits: int | None = None
    ) -> Shown:
        """A figure with a unit."""
        return self.put(
            name, ref, lambda value: self.locale.quantity(value, unit, decimals, digits)
        )

    def money(self, name: str, ref: str, currency: str) -> Shown:
        """An amount."""
        return self.put(name, ref, lambda value: self.locale.money(value, currency))

    def percent(self, name: str, ref: str, decimals: int = 1) -> Shown:
        """A fraction as a percentage."""
        return self.put(name, ref, lambda value: self.locale.percent(value, decimals))

    def times(self, name: str, ref: str, digits: int = 3) -> Shown:
        """A ratio."""
        return self.put(name, ref, lambda value: times(value, self.locale, digits))


def count(name: str, number: int, locale: Locale) -> Shown:
    """A count, for a `Sentence`."""
    return name, locale.number(number, 0), float(number), f"number:{number}"
