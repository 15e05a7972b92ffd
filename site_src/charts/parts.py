"""The parts of a chart that pages and lists use: each is a node of the build's graph, made again if
its inputs changed. HTML has slots for the path to the site's root.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from kernels.reading import Name
from site_src import charts
from site_src.charts import downloads, markup, panel
from site_src.charts.drawn import DrawnFigure, Options
from site_src.figures import presets
from site_src.figures.base import Figure
from site_src.figures.columns import present
from site_src.figures.theme import Look
from site_src.graph import Graph
from site_src.locales import Locale
from site_src.templates.slots import put, slot


@dataclass(frozen=True, slots=True)
class Info:
    """Properties of a chart in any language: its page, runs, presets, pages of its table alone, and
    workloads shown on demand.
    """

    id: str
    page: str
    runs: tuple[str, ...]
    presets: tuple[str, ...]
    sheets: int
    workloads: tuple[str, ...]

    @classmethod
    def of(cls, figure: Figure) -> "Info":
        """The properties of a figure."""
        return cls(
            figure.id,
            figure.page,
            tuple(figure.runs),
            tuple(preset.id for preset in figure.presets),
            markup.sheets(figure),
            tuple(
                choice.value
                for control in figure.controls
                if control.key == "workload"
                for choice in control.choices[1:]
            ),
        )


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a chart in a language: `views` are its named states as query and label, `variables`
    name and unit of each column of figures.
    """

    title: str
    heading: str
    headline: str
    views: tuple[tuple[str, str], ...]
    credits: tuple[str, ...]
    licences: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]


def _words(drawn: DrawnFigure, locale: Locale) -> Words:
    figure = drawn.figure
    views = ((f"?preset={one.id}", presets.label(figure, one, locale)) for one in figure.presets)
    terms = figure.table["licence"]
    kinds = {"number", "quantity", "fraction", "money", "times"}
    columns = (column for column in figure.columns if column.shown and column.kind in kinds)
    return Words(
        figure.title(locale),
        figure.heading(locale),
        figure.headline(locale),
        tuple(views),
        tuple(figure.credits(locale)),
        () if terms.isna().any() else tuple(terms.unique()),
        tuple(
            (column.title(locale), "" if column.unit == "1" else column.unit) for column in columns
        ),
    )


@dataclass(frozen=True, slots=True)
class Leader:
    """One of the cheapest setups of a chart of costs: one of its runs, the references of its time
    and cost, and its price's id.
    """

    name: str
    run: str
    time: str
    cost: str
    price: str


LEADERS: Final = 4
"""Setups named beside a chart of costs."""


def leaders(figure: Figure, locale: Locale) -> tuple[Leader, ...]:
    """The cheapest setups, each at its cheapest offer, whose figures have references."""
    found: dict[str, Leader] = {}
    for row in figure.records(locale):
        time, cost = row["time_ref"], row["cost_ref"]
        if present(time) and present(cost):
            label, run, price = (str(row[name]) for name in ("label", "run_id", "price_id"))
            leader = Leader(label, run, str(time), str(cost), price)
            found.setdefault(str(row["series"]), leader)
    return tuple(islice(found.values(), LEADERS))


def _own_page(drawn: DrawnFigure, locale: Locale) -> str:
    return charts.own_page(drawn, locale, slot("root"))


def _block(drawn: DrawnFigure, locale: Locale) -> str:
    return charts.block(drawn, locale, slot("root"), slot("level"))


def _digest(drawn: DrawnFigure, _: Locale) -> str:
    return hashlib.sha256(drawn.tables["data.csv.gz"]).hexdigest()


PARTS: Final[Mapping[str, Callable[[DrawnFigure, Locale], object]]] = {
    "words": _words,
    "own page": _own_page,
    "block": _block,
    "sheets": lambda drawn, locale: charts.sheets(drawn, locale, slot("root")),
    "panel": lambda drawn, locale: panel.panel(drawn, locale, slot("root")),
    "digest": _digest,
    "headline": lambda drawn, locale: markup.headline(drawn.figure, locale),
    "leaders": lambda drawn, locale: leaders(drawn.figure, locale),
    "picture": lambda drawn, locale: charts.picture(drawn, locale, slot("root")),
    "links": lambda drawn, locale: charts.links(drawn, locale, slot("root")),
    "looks": lambda drawn, _: {one.id: one.look for one in drawn.figure.series},
}
USUAL: Final = ("words", "own page", "block", "panel", "digest", "headline", "picture", "links")
"""Parts made with the files of a chart, which need its drawing."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as used by pages."""

    info: Info
    gallery: "Gallery"

    @property
    def id(self) -> str:
        """Its id."""
        return self.info.id

    @property
    def page(self) -> str:
        """Path of the page that it belongs to."""
        return self.info.page

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of the runs that it shows."""
        return self.info.runs

    @property
    def workloads(self) -> tuple[str, ...]:
        """Workloads that its address can ask for, besides the first."""
        return self.info.workloads

    @property
    def sheets(self) -> int:
        """The number of pages of its table."""
        return self.info.sheets

    @property
    def folder(self) -> str:
        """The folder of its files, below site/."""
        return f"c/{self.id}/"

    def words(self, locale: Locale) -> Words:
        """Its words."""
        found: Words = self._part("words", locale)
        return found

    def title(self, locale: Locale) -> str:
        """Its title without its subject; pages that use only the title depend on nothing else."""
        return self._said("title", locale)

    def heading(self, locale: Locale) -> str:
        """Its title with its subject, likewise."""
        return self._said("heading", locale)

    def headline(self, locale: Locale) -> str:
        """Its headline, likewise."""
        return self._said("headline", locale)

    def _said(self, what: str, locale: Locale) -> str:
        found: str = self.gallery.graph.get("chart said", self.id, what, locale.code)
        return found

    def digest(self, locale: Locale) -> str:
        """A hash of its rows as downloaded, the same in every language."""
        found: str = self._part("digest", locale)
        return found

    def leaders(self, locale: Locale) -> tuple[Leader, ...]:
        """The cheapest setups of a chart of costs."""
        found: tuple[Leader, ...] = self._part("leaders", locale)
        return found

    def looks(self, locale: Locale) -> Mapping[str, Look]:
        """Colour and shape of each series."""
        found: Mapping[str, Look] = self._part("looks", locale)
        return found

    def html(self, part: str, locale: Locale, root: str, level: int = 3) -> Markup:
        """One of `PARTS` that is HTML, on a page with that root, with a heading of that level."""
        return _rooted(self._part(part, locale), root, level=str(level))

    def sheet(self, number: int, locale: Locale, root: str) -> Markup:
        """The rows of one page of the table, counted from 1."""
        return _rooted(self._part("sheets", locale)[number - 1], root)

    def record(self) -> dict[str, Any]:
        """Its record of `api/v1/charts.json`."""
        found: dict[str, Any] = self.gallery.graph.get("chart record", self.id)
        return found

    def _part(self, part: str, locale: Locale) -> Any:
        return self.gallery.graph.get("chart", self.id, part, locale.code)


def _rooted(part: object, root: str, **slots: str) -> Markup:
    return Markup(put(str(part), {"root": root, **slots}))  # noqa: S704 - as safe as it was


class Gallery(Mapping[str, Chart]):
    """All charts by id, in order; `drawn` draws one, `client` has the paths of files they load."""

    def __init__(  # noqa: PLR0917 - all that a chart is made of
        self,
        graph: Graph,
        infos: Mapping[str, Info],
        drawn: Callable[[str], DrawnFigure],
        locales: Sequence[Locale],
        options: Options,
        client: Callable[[], Mapping[str, str]],
    ) -> None:
        self.graph, self.options, self.locales = graph, options, tuple(locales)
        self._infos = infos
        by_code = {locale.code: locale for locale in locales}
        graph.register(
            "chart", lambda id_, part, code: PARTS[part](drawn(id_), by_code[code]), keep=True
        )
        graph.register(
            "chart said",
            lambda id_, what, code: getattr(graph.get("chart", id_, "words", code), what),
        )
        graph.register(
            "chart record",
            lambda id_: downloads.record(drawn(id_).figure, locales, options.base_url),
            keep=True,
        )
        graph.register("client", client)

    def __getitem__(self, id_: str) -> Chart:
        return Chart(self._infos[id_], self)

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def with_files(self, id_: str) -> list[Name]:
        """The nodes made with the files of a chart."""
        parts = (*USUAL, *(["sheets"] if self._infos[id_].sheets else []))
        each = [("chart", id_, part, one.code) for one in self.locales for part in parts]
        return [*each, ("chart record", id_)]

    @property
    def client(self) -> Mapping[str, str]:
        """Paths below site/ of the files that charts load, by name."""
        found: Mapping[str, str] = self.graph.get("client")
        return found


def hung(graph: Graph, drawn: Mapping[str, DrawnFigure]) -> Gallery:
    """A gallery of charts already drawn."""
    infos = {id_: Info.of(one.figure) for id_, one in drawn.items()}
    one = next(iter(drawn.values()), None)
    if one is None:
        return Gallery(graph, infos, drawn.__getitem__, (), Options(Path(), date.min), dict)
    return Gallery(graph, infos, drawn.__getitem__, one.locales, one.options, lambda: one.client)
