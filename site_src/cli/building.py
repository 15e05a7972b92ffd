"""Builds the site from what was read, checks it against the records, and retires charts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kernels import store
from kernels.analysis.repetitions import OWN
from kernels.reading import Kept
from site_src import api, charts, pages
from site_src import build as render
from site_src.addresses import editions, ledger, moved, retired
from site_src.addresses.editions import Edition
from site_src.addresses.ledger import Entry, Kind
from site_src.build import output
from site_src.cli import say
from site_src.cli.drawing import Drawing
from site_src.cli.inputs import Inputs, Order
from site_src.graph import Graph, Items
from site_src.locales import Locale
from site_src.model import Asset, NavItem, Report
from site_src.outputs import feeds
from site_src.pages import edition as edition_page
from site_src.pages.components import badges
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.pages.explore import rows as explore
from site_src.pages.report import story
from site_src.pages.result import result_title
from site_src.verify import Failure
from site_src.verify import verify as verify_site


@dataclass(frozen=True, slots=True)
class Built:
    """A built site: the written files, its data, and entries that the ledger lacks."""

    report: Report
    site: Site
    added: list[Entry]

    @property
    def charts(self) -> int:
        """The number of its charts."""
        return len(self.site.figures)


def build(order: Order, inputs: Inputs) -> Built:
    """Build the site."""
    options, locales, graph = order.options, inputs.locales, inputs.evidence.graph
    say(f"drawing charts and writing pages, {len(locales)} languages")
    drawing = Drawing(inputs, options)
    site = pages.site_of(inputs.evidence, drawing.gallery, options, order.content, inputs.editions)
    added, renamed = hold(order.runs / ledger.NAME, site, inputs.retired)
    published = [*ledger.read(order.runs / ledger.NAME), *added]
    code_of = {locale.code: locale for locale in locales}
    trees: Kept[str, Mapping[str, NavItem]] = Kept()
    nav = Items(
        graph,
        "nav",
        lambda: trees.get(
            "",
            lambda: {
                code: pages.nav(inputs.evidence, one, order.content)
                for code, one in code_of.items()
            },
        ),
    )
    jobs = pages.pages(site, locales, inputs.retired)
    groups = _groups(inputs, site, drawing, published, renamed) | _editions(order, inputs, site)
    first = [*drawing.due(), *pages.first(site)]
    report = render.render(jobs, groups, nav, locales, options, graph, first)
    return Built(report, site, added)


def _editions(order: Order, inputs: Inputs, site: Site) -> dict[str, render.Group]:
    graph, base = inputs.evidence.graph, order.options.base_url

    def feed(one: Edition) -> Iterator[Asset]:
        return feeds.since(site, graph.get("published"), inputs.locales, one)

    groups: dict[str, render.Group] = {"editions": lambda: [editions.listed(inputs.editions)]}
    for one in inputs.editions:
        groups[f"edition {one.name}"] = partial(
            editions.assets, order.runs, inputs.editions, one.name, base
        )
        groups[f"front of {one.name}"] = partial(_front, one, inputs.locales)
        groups[f"feed since {one.name}"] = partial(feed, one)
    return groups


def _front(edition: Edition, locales: Sequence[Locale]) -> list[Asset]:
    return [editions.front(edition, locales)]


def freeze(order: Order, inputs: Inputs, built: Built, name: str) -> Path:
    """Keep the built site as an edition; returns its file.

    Raises:
        EditionError: The name cannot be used, or there are no charts.
    """
    site, options, codes = built.site, order.options, [one.code for one in inputs.locales]
    if not built.charts:
        raise editions.EditionError(f"edition {name}: no chart was built, so nothing can be cited")
    charts = list(site.figures)
    paths = output.written(options.out)
    files = dict(editions.taken(options.out, paths, charts, codes, options.base_url))
    of = name, options.date
    for locale in inputs.locales:
        pages_of = [*_charts(site, locale), *_reports(site, locale)]
        files |= (editions.page(of, *one, locale) for one in pages_of)
    state = edition_page.state(site, inputs.locales)
    published = inputs.evidence.graph.get("published")
    state[feeds.NEWS] = feeds.told(site, published, inputs.locales[0], options.date)
    found = Edition(name, options.date, editions.hashes(files), tuple(charts), state)
    return editions.write(order.runs, found, files)


Told = tuple[str, str, Mapping[str, object]]
"""A page of an edition: kind, path, values; as for `editions.page`."""


def _charts(site: Site, locale: Locale) -> Iterator[Told]:
    for id_, one in site.figures.items():
        words = {"id": id_, "heading": one.heading(locale), "title": one.headline(locale)}
        yield "chart", f"c/{id_}/", words


def _reports(site: Site, locale: Locale) -> Iterator[Told]:
    for id_, report in site.reports.items():
        path = f"reports/{id_}/"
        told = story(Writer(site, locale, path), report)
        titled = ((one, site.figures[one].headline(locale), said) for one, said in told["charts"])
        yield "report", path, told | {"heading": told["title"], "charts": list(titled)}


def _groups(
    inputs: Inputs,
    site: Site,
    drawing: Drawing,
    published: Sequence[ledger.Entry],
    renamed: ledger.Moved,
) -> dict[str, render.Group]:
    """All files except pages and those made from all pages."""
    locales, options, graph = inputs.locales, site.options, inputs.evidence.graph
    homes = {one.id: one.page for one in inputs.retired}

    def feed(locale: Locale) -> Iterator[Asset]:
        return feeds.assets(site, graph.get("published"), [locale], renamed[Kind.CHART], homes)

    groups: dict[str, Callable[[], Iterable[Asset]]] = {
        "charts": lambda: charts.shared(drawing.client, graph.get("client"), locales),
        **{f"chart {id_}": partial(_chart, graph, id_) for id_ in site.figures},
        **api.files(inputs.evidence, site.figures, options),
        "explored": lambda: explore.files(graph.get("explored")),
        "badges": lambda: badges.assets(site, locales),
        **{f"feed {locale.code}": partial(feed, locale) for locale in locales},
        "retired": lambda: retired.assets(inputs.retired, locales, options.base_url),
        "repeats": lambda: moved.pages("results", *_repeats(site, locales), options.base_url),
        "moved": lambda: moved.pages(
            "c", renamed[Kind.CHART], _headings(inputs, site), locales, options.base_url
        ),
    }
    graph.register("renamed", lambda: renamed)
    graph.register("published", lambda: published)

    def forwarded(group: render.Group) -> Iterable[Asset]:
        return moved.forwarded(group(), graph.get("renamed"))

    return {name: partial(forwarded, group) for name, group in groups.items()}


def _chart(graph: Graph, id_: str) -> Iterator[Asset]:
    return charts.files(graph.get("drawn", id_))


def _repeats(
    site: Site, locales: Sequence[Locale]
) -> tuple[dict[str, str], dict[str, dict[str, str]], Sequence[Locale]]:
    """Other possible ids of each result of this harness, with headings: a result has the id of its
    oldest run, and an older one may join it.
    """
    results = {
        id_: one
        for id_, one in site.results.items()
        if len(one.run_ids) > 1 and site.runs[one.run_ids[0]].origin in OWN
    }
    others = {run: id_ for id_, one in results.items() for run in one.run_ids if run != id_}
    titles = {
        id_: {
            locale.code: result_title(Writer(site, locale, "results/"), site.runs[one.run_ids[0]])
            for locale in locales
        }
        for id_, one in results.items()
    }
    return others, titles, locales


def _headings(inputs: Inputs, site: Site) -> dict[str, dict[str, str]]:
    drawn = {
        id_: {locale.code: one.heading(locale) for locale in inputs.locales}
        for id_, one in site.figures.items()
    }
    return drawn | {
        one.id: {locale.code: one.shown(locale.code)["heading"] for locale in inputs.locales}
        for one in inputs.retired
    }


def hold(
    path: Path, site: Site, removed: Sequence[retired.Retired]
) -> tuple[list[Entry], ledger.Moved]:
    """Compares the build with the ledger at `path`: returns new entries, and the targets of renamed
    ids.

    Raises:
        LedgerError: Something published is gone.
    """
    ids = {
        Kind.CHART: list(site.figures),
        Kind.PRESET: [
            f"{id_}/{name}" for id_, one in site.figures.items() for name in one.info.presets
        ],
        Kind.BADGE: badges.ids(site),
    }
    day = site.options.date
    built = [Entry(kind, id_, "", day) for kind, found in ids.items() for id_ in found]
    built += [
        Entry(Kind.CLAIM, id_, str(site.facts.judgement(id_).verdict), day)
        for id_ in (claim.claim_id for claim in site.archive.claims)
    ]
    kept = {one.id: list(one.meta["presets"]) for one in removed}
    return ledger.hold(path, built, kept)


def verify(order: Order, inputs: Inputs) -> list[Failure]:
    """Errors of the written site."""
    return verify_site(
        order.options.out,
        inputs.evidence,
        inputs.locales,
        base_url=order.options.base_url,
        published=ledger.read(order.runs / ledger.NAME),
        editions=inputs.editions,
    )


def retire(order: Order, inputs: Inputs, chart: str, why: str) -> Path:
    """Keep a chart's last version, as this build draws it; returns its folder.

    Raises:
        RetireError: It is not drawn, or was retired before.
        LedgerError: It was never published.
    """
    options = order.options
    drawing = Drawing(inputs, options)
    if chart not in drawing.gallery:
        raise retired.RetireError(
            f"{chart}: no chart of this name is drawn; bring back the data and the figure behind "
            f"it first. Ids are in {ledger.NAME}"
        )
    folder = order.runs / store.RETIRED / chart
    ledger.retire(order.runs / ledger.NAME, chart, options.date, why)
    retired.write(folder, retired.freeze(inputs.evidence.graph.get("drawn", chart), why))
    return folder
