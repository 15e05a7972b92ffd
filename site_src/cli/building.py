"""Building the site from what was read, holding it against the records, and retiring a chart."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tqdm import tqdm

from kernels import store
from site_src import api, charts, pages
from site_src import build as render
from site_src.addresses import ledger, moved, retired
from site_src.addresses.ledger import Entry, Kind
from site_src.charts import panel
from site_src.charts.drawn import DrawnFigure
from site_src.charts.runtime import Runtime
from site_src.cli import say
from site_src.cli.drawing import draw
from site_src.cli.inputs import Inputs, Order, read
from site_src.figures import presets
from site_src.model import Asset, Page, Report
from site_src.outputs import feeds
from site_src.pages.components import badges
from site_src.pages.components.site import Site
from site_src.verify import Failure
from site_src.verify import verify as verify_site


@dataclass(frozen=True, slots=True)
class Built:
    """A built site: what was written, how many charts, and what the ledger does not have yet."""

    report: Report
    charts: int
    added: list[Entry]


def build(order: Order, inputs: Inputs) -> Built:
    """Build the site."""
    options, locales = order.options, inputs.locales
    say(f"drawing charts, {len(locales)} languages")
    drawn, client = draw(inputs, options, options.jobs)
    site = pages.site_of(inputs.evidence, drawn, options, order.content)
    added, renamed = hold(order.runs / ledger.NAME, site, inputs.retired)
    published = [*ledger.read(order.runs / ledger.NAME), *added]
    say("writing pages")
    nav = {locale.code: pages.nav(inputs.evidence, locale, order.content) for locale in locales}
    apart = (
        partial(_read_and_make_pages, order)
        if render.pays(len(inputs.evidence.archive.runs), len(locales), options.jobs)
        else None
    )
    with tqdm(
        _pages(order, inputs, drawn),
        desc="writing pages",
        unit=" pages",
        leave=False,
        disable=None,
    ) as made:
        assets = _assets(inputs, site, client, published, renamed)
        report = render.render(made, assets, nav, locales, options, apart=apart)
    return Built(report, len(drawn), added)


def _pages(
    order: Order, inputs: Inputs, drawn: dict[str, DrawnFigure], only: str | None = None
) -> Iterable[Page]:
    return pages.pages(
        inputs.evidence,
        inputs.locales,
        drawn,
        order.options,
        order.content,
        only=only,
        retired=inputs.retired,
    )


def _read_and_make_pages(order: Order, language: str) -> Iterable[Page]:
    """Returns the pages of one language, in a process of its own: it reads again, and finds the
    charts in the cache.
    """
    inputs = read(order)
    drawn, _ = draw(inputs, order.options, 1)
    return _pages(order, inputs, drawn, language)


def _assets(
    inputs: Inputs,
    site: Site,
    client: Runtime,
    published: Sequence[Entry],
    renamed: ledger.Moved,
) -> Iterator[Asset]:
    """Yields all files but pages and what follows from all pages together."""

    def named() -> Iterator[Asset]:
        locales, options = inputs.locales, site.options
        yield from charts.assets(site.figures, client)
        yield from panel.assets(site.figures)
        yield from api.assets(inputs.evidence, site.figures, locales, options)
        yield from badges.assets(site, locales)
        homes = {one.id: one.page for one in inputs.retired}
        yield from feeds.assets(site, published, locales, renamed[Kind.CHART], homes)
        yield from retired.assets(inputs.retired, locales, options.base_url)
        headings = _headings(inputs, site)
        yield from moved.pages(renamed[Kind.CHART], headings, locales, options.base_url)

    return moved.forwarded(named(), renamed)


def _headings(inputs: Inputs, site: Site) -> dict[str, dict[str, str]]:
    """Returns headings of charts, drawn and retired, by id and language."""
    drawn = {
        id_: {locale.code: one.figure.heading(locale) for locale in inputs.locales}
        for id_, one in site.figures.items()
    }
    return drawn | {
        one.id: {locale.code: one.shown(locale.code)["heading"] for locale in inputs.locales}
        for one in inputs.retired
    }


def hold(
    path: Path, site: Site, removed: Sequence[retired.Retired]
) -> tuple[list[Entry], ledger.Moved]:
    """Hold what is built against the ledger at `path`: what it does not have yet, and where renamed
    ids lead.

    Raises:
        LedgerError: Something that was published is gone.
    """
    ids = {
        Kind.CHART: list(site.figures),
        Kind.PRESET: list(presets.listed(one.figure for one in site.figures.values())),
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
    """Returns what is wrong with the site that was written."""
    return verify_site(
        order.options.out,
        inputs.evidence,
        inputs.locales,
        base_url=order.options.base_url,
        published=ledger.read(order.runs / ledger.NAME),
    )


def retire(order: Order, inputs: Inputs, chart: str, why: str) -> Path:
    """Keep a chart's last version, as this build draws it; returns the folder that has it.

    Raises:
        RetireError: It is not drawn, or was retired before.
        LedgerError: It was never published.
    """
    options = order.options
    drawn, _ = draw(inputs, options, options.jobs, chart)
    if chart not in drawn:
        raise retired.RetireError(
            f"{chart}: no chart of this name is drawn; bring back the data and the figure behind "
            f"it first. Ids are in {ledger.NAME}"
        )
    folder = order.runs / store.RETIRED / chart
    ledger.retire(order.runs / ledger.NAME, chart, options.date, why)
    retired.write(folder, retired.freeze(drawn[chart], why))
    return folder
