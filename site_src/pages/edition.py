"""The page of an edition: where its charts and tables are, and what has changed since."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup, escape

from kernels.reading import note
from kernels.records import Price
from site_src.addresses.editions import PLACE, Edition
from site_src.locales import Locale
from site_src.model import Page
from site_src.pages.components import tables
from site_src.pages.components.site import Site
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer, capital
from site_src.pages.result import result_title
from site_src.templates import html

MOST: Final = 200
"""Changes of a kind that the page lists."""


def state(site: Site, locales: Sequence[Locale]) -> dict[str, dict[str, Any]]:
    """The site's contents by kind and id, enough to list changes later."""
    return {
        "charts": {
            id_: [one.digest(locales[0]), {at.code: one.headline(at) for at in locales}]
            for id_, one in site.figures.items()
        },
        "results": {id_: _result(site, id_) for id_ in site.results},
        "prices": {id_: _price(one) for id_, one in site.prices.items()},
        "claims": {id_: str(one.verdict) for id_, one in site.judgements.items()},
    }


def _result(site: Site, id_: str) -> str:
    """A hash of a result's figures; its runs may increase or be withdrawn."""
    runs = [site.runs[run] for run in site.results[id_].run_ids]
    told = [
        (run.run_id, str(run.status), run.withdrawn, [(one.key, one.value) for one in run.metrics])
        for run in runs
    ]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:12]


def _price(one: Price) -> str:
    return f"{one.amount:g} {one.currency}"


@dataclass(frozen=True, slots=True)
class Change:
    """Something new, removed or changed."""

    id: str
    kind: str
    before: Any
    after: Any


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Changes of a kind: changed first, then new, then removed."""
    changed = [id_ for id_ in after if id_ in before and before[id_] != after[id_]]
    return [
        *(Change(id_, "changed", before[id_], after[id_]) for id_ in changed),
        *(Change(id_, "added", None, after[id_]) for id_ in after if id_ not in before),
        *(Change(id_, "gone", before[id_], None) for id_ in before if id_ not in after),
    ]


def prices_since(site: Site, edition: Edition) -> list[Change]:
    """Prices that changed since an edition; empty if it did not keep them."""
    before = edition.state.get("prices")
    now = {id_: _price(one) for id_, one in site.prices.items()}
    return [] if before is None else changes(before, now)


def edition_page(writer: Writer, edition: Edition) -> Page:
    """The page in one language."""
    note("editions")
    site = writer.site
    now = state(site, [writer.locale])
    blocks = [
        block
        for kind, tell in _TOLD.items()
        for block in _changed(writer, edition, kind, now[kind], tell)
    ]
    title = writer.t("edition.title", name=edition.name)
    feed = html.link("feed.xml", writer.t("edition.feed", name=edition.name))
    same = [] if blocks else [html.paragraph(writer.t("edition.same"))]
    sections = [
        {
            "id": "since",
            "title": writer.t("edition.since", name=edition.name),
            "blocks": [html.paragraph(feed), *same, *blocks],
        },
        {"id": "charts", "title": writer.t("llms.charts"), "blocks": [_charts(writer, edition)]},
        *_reports(writer, edition),
        {"id": "files", "title": writer.t("llms.data"), "blocks": [_files(writer, edition)]},
    ]
    lead = html.paragraph(writer.t("edition.lead", date=edition.day))
    body = writer.render("plain.html", title=title, lead=lead, sections=sections)
    description = writer.plain("edition.since", name=edition.name)
    return writer.page("data", str(title), description, body, light=True, in_search=False)


Tell = Callable[[Writer, Change], Sequence[str | Markup]]


def _chart(writer: Writer, change: Change) -> Sequence[str | Markup]:
    code = writer.locale.code
    states = (change.before, change.after)
    was, now = (state[1].get(code, "") if state else "" for state in states)
    if change.after is None:
        return escape(change.id), was, ""
    name = writer.site.figures[change.id].heading(writer.locale)
    link = writer.link(f"c/{change.id}/", name)
    return (link, "", "") if was == now else (link, was, now)


def _one_result(writer: Writer, change: Change) -> Sequence[str | Markup]:
    if change.after is None:
        return escape(change.id), "", ""
    site = writer.site
    run = site.runs[site.results[change.id].run_ids[0]]
    return writer.link(f"results/{change.id}/", result_title(writer, run)), "", ""


def _one_price(writer: Writer, change: Change) -> Sequence[str | Markup]:
    if change.after is None:
        return escape(change.id), change.before, ""
    price = writer.site.prices[change.id]
    name = writer.colon(escape(price.provider), writer.named(f"price:{change.id}"))
    return writer.link(writer.site.price_page(price), name), change.before or "", change.after


def _one_claim(writer: Writer, change: Change) -> Sequence[str | Markup]:
    verdicts = [writer.t(f"verdict.{one}") if one else "" for one in (change.before, change.after)]
    known = {claim.claim_id: claim.source for claim in writer.site.archive.claims}
    source = known.get(change.id)
    link = writer.link(f"sources/{source}/#{change.id}", change.id) if source else escape(change.id)
    return link, *verdicts


_TOLD: Final[Mapping[str, Tell]] = {
    "charts": _chart,
    "results": _one_result,
    "prices": _one_price,
    "claims": _one_claim,
}
_NAMES: Final = {
    "charts": "llms.charts",
    "results": "section.results",
    "prices": "section.prices",
    "claims": "method.verdict",
}


def _changed(
    writer: Writer, edition: Edition, kind: str, now: Mapping[str, Any], tell: Tell
) -> Iterator[Markup]:
    if kind not in edition.state:  # frozen before there was this kind
        return
    before = edition.state[kind]
    if kind == "charts":  # of today's, only those of this language are known
        code = writer.locale.code
        before = {id_: [hash_, {code: said.get(code, "")}] for id_, (hash_, said) in before.items()}
    found = changes(before, now)
    if not found:
        return
    name = capital(writer.t(_NAMES[kind]))
    headings = {
        column: writer.t(f"edition.{column}") for column in ("what", "change", "before", "after")
    }
    told = [(one, tell(writer, one)) for one in found[:MOST]]
    valued = any(was or now for _, (_, was, now) in told)
    rows = [_row(writer, one, said, valued=valued) for one, said in told]
    yield html.heading(f"since-{kind}", name)
    count = writer.t("edition.count", n=len(found), shown=len(found))
    cut = [writer.t("edition.cut", most=MOST)] if len(found) > MOST else []
    yield html.paragraph(html.dotted(count, *cut))
    yield tables.table(writer, name, rows, headings, folding=True, sortable=False)


def _row(writer: Writer, change: Change, told: Sequence[str | Markup], *, valued: bool) -> Cells:
    what, before, after = told
    none = writer.t("join.nothing")
    row: dict[str, Entry | str] = {
        "what": Entry(what, change.id),
        "change": writer.t(f"edition.{change.kind}"),
    }
    return (
        row | {"before": escape(before) or none, "after": escape(after) or none} if valued else row
    )


def _charts(writer: Writer, edition: Edition) -> Markup:
    code, known = writer.locale.code, edition.state["charts"]
    rows = [
        (place, known[id_][1].get(code) or id_)
        for id_ in edition.charts
        if (place := writer.in_edition(edition, f"c/{id_}/"))
    ]
    return writer.links(rows)


def _reports(writer: Writer, edition: Edition) -> list[dict[str, object]]:
    """The section of its reports, by their current titles, or by their ids if there is none any
    more; empty if the edition has none.
    """
    start, end = f"{writer.locale.code}/reports/", "/index.html"
    kept = [path[len(start) : -len(end)] for path in edition.files if path.startswith(start)]
    rows = [
        (place, writer.report_links([report])[0][1] if report else id_)
        for id_ in sorted(kept)
        if (place := writer.in_edition(edition, f"reports/{id_}/"))
        for report in (writer.site.reports.get(id_),)
    ]
    title = capital(writer.t("section.reports"))
    return [{"id": "reports", "title": title, "blocks": [writer.links(rows)]}] if rows else []


def _files(writer: Writer, edition: Edition) -> Markup:
    paths = sorted(path for path in edition.files if path.startswith(("api/", "data/")))
    return writer.links([(writer.asset(f"{PLACE}{edition.name}/{path}"), path) for path in paths])
