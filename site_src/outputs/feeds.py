"""News feeds for returning readers, one for each language.

New sources with their audits, runs that were made together, reports and charts, verdicts that
changed, runs that were withdrawn. An entry's id and date are those of its fact: neither the site's
address nor the day of the build changes them, nor does a chart's new name.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from types import MappingProxyType
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from markupsafe import Markup

from kernels.analysis.gathered import submission
from kernels.analysis.mlperf_scores import Score
from kernels.reading import note
from kernels.records import Origin, Run, Status
from site_src.addresses import ledger
from site_src.addresses.editions import Edition
from site_src.addresses.ledger import Kind
from site_src.locales import Locale
from site_src.model import Asset
from site_src.pages import machine
from site_src.pages.components import run_details
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer, capital
from site_src.pages.edition import MOST, Change, prices_since
from site_src.pages.report.audit import sentence_of
from site_src.reports.prose import cut, unmarked
from site_src.templates import lists

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
"""No renamed charts."""

NEWEST: Final = 100
"""Most entries of a feed; after a longer absence readers use the pages."""

NEWS: Final = "news"
"""Key of news in an edition's state."""

KINDS: Final = ("verdict", "withdrawn", "source", "charts", "runs", "prices")
"""Kinds of news; on one day, changes to what readers know come first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A news item.

    Attributes:
        key: Its subject, the same in every language; its id is made of it.
        kind: One of `KINDS`.
        day: Of the fact.
        title: Plain text.
        path: Page of the language with details.
        said: Sentences of its content, plain text; the first is the summary.
        listed: Pages and their descriptions, below the sentences.
    """

    key: str
    kind: str
    day: date
    title: str
    path: str
    said: tuple[str, ...]
    listed: tuple[tuple[str, str], ...] = ()


def assets(
    site: Site,
    published: Sequence[ledger.Entry],
    locales: Iterable[Locale],
    renamed: Mapping[str, str] = NOTHING,
    retired: Mapping[str, str] = NOTHING,
) -> Iterator[Asset]:
    """`feed.<lang>.xml` of each language.

    Args:
        site: The site.
        published: The ledger, with what this build adds to it.
        locales: The languages.
        renamed: Current ids of charts by old ones.
        retired: Pages that removed charts belonged to, by their ids: removed charts are not news,
            but news published with them keeps its id.
    """
    for locale in locales:
        found = news(site, published, Writer(site, locale, ""), renamed, retired)
        yield Asset(
            f"feed.{locale.code}.xml",
            atom(found, locale, site.options.base_url, site.options.date).encode(),
        )


def since(
    site: Site,
    published: Sequence[ledger.Entry],
    locales: Iterable[Locale],
    edition: Edition,
) -> Iterator[Asset]:
    """The feed of new results and prices since an edition, in each language; other changes are on
    the edition's page.
    """
    note("editions")
    known = edition.state.get(NEWS, {})
    for locale in locales:
        writer = Writer(site, locale, "")
        came = [one for one in news(site, published, writer) if one.day >= edition.day]
        found = [one for one in came if one.key not in known]
        found += _priced(site, edition, writer)
        found.sort(key=lambda entry: -entry.day.toordinal())
        path = f"{locale.code}/editions/{edition.name}/feed.xml"
        title = writer.plain("edition.feed", name=edition.name)
        made = atom(found, locale, site.options.base_url, edition.day, path=path, title=title)
        yield Asset(path, made.encode())


def told(
    site: Site, published: Sequence[ledger.Entry], locale: Locale, day: date
) -> dict[str, str]:
    """News of a day and later, for an edition of that day: kinds by key."""
    every = news(site, published, Writer(site, locale, ""))
    return {one.key: one.kind for one in every if one.day >= day}


def _priced(site: Site, edition: Edition, writer: Writer) -> Iterator[Entry]:
    """Prices that are new or changed since an edition, by the day on which they were seen; if
    earlier than the edition, by the edition's day.
    """
    days: defaultdict[date, list[Change]] = defaultdict(list)
    for change in prices_since(site, edition):
        if change.after is not None:
            seen = site.prices[change.id].valid_from or edition.day
            days[max(seen, edition.day)].append(change)
    name = capital(writer.t("section.prices"))
    for day, found in days.items():
        title = unmarked(writer.colon(name, writer.t("edition.count", n=len(found))))
        cut = [unmarked(writer.t("edition.cut", most=MOST))] if len(found) > MOST else []
        listed = tuple(_one_price(writer, one) for one in found[:MOST])
        key = f"prices/{edition.name}/{day}"
        yield Entry(key, "prices", day, title, "prices/", (title, *cut), listed)


def _one_price(writer: Writer, change: Change) -> tuple[str, str]:
    price = writer.site.prices[change.id]
    amounts = " → ".join(filter(None, (change.before, change.after)))
    name = writer.colon(price.provider, writer.named(f"price:{change.id}"))
    return writer.site.price_page(price), unmarked(writer.colon(name, amounts))


def news(
    site: Site,
    published: Sequence[ledger.Entry],
    writer: Writer,
    renamed: Mapping[str, str] = NOTHING,
    retired: Mapping[str, str] = NOTHING,
) -> list[Entry]:
    """All news, newest first; arguments as for `assets`."""
    found = [
        *_sources(site, published, writer),
        *_runs(site, writer),
        *_charts(site, published, writer, renamed, retired),
    ]
    found += [*_verdicts(site, published, writer), *_withdrawn(site, writer)]
    return sorted(
        found, key=lambda entry: (-entry.day.toordinal(), KINDS.index(entry.kind), entry.key)
    )


def _sources(site: Site, published: Sequence[ledger.Entry], writer: Writer) -> Iterator[Entry]:
    """Each source on the day its claims were first published, or it was read, or its newest run was
    made; sources without such a day are left out.
    """
    of = {claim.claim_id: claim.source for claim in site.archive.claims}
    audited = {
        of[row.id]: row.first_published
        for row in reversed(published)
        if row.kind is Kind.CLAIM and row.id in of
    }
    for source in site.archive.sources:
        name = source.source
        runs = site.runs_of(source=name)
        days = [run.started_at.date() for run in runs if run.started_at]
        day = audited.get(name) or source.accessed or max(days, default=source.updated)
        if day is None:
            continue
        kind, credit = writer.t(f"source_kind.{source.kind}"), writer.source_credit(source)
        said = [writer.t("news.source_about", kind=kind, credit=credit)]
        if runs:
            said.append(writer.t("runs.count", n=len(runs)))
        if claims := site.claims.get(name, ()):
            contradicted = site.contradicted(name)
            said.append(writer.t("report.audited", n=len(claims), contradicted=contradicted))
        title, key = unmarked(writer.t("news.source", title=source.title)), f"sources/{name}"
        yield Entry(key, "source", day, title, f"{key}/", tuple(map(unmarked, said)))


Together = tuple[str, ...]
"""Key of runs that were made together."""


def _runs(site: Site, writer: Writer) -> Iterator[Entry]:
    """Runs that were made together, as many of the newest as a feed has room for."""
    groups = _made_together(site)
    days = {
        key: max(run.started_at.date() for run in runs if run.started_at)
        for key, runs in groups.items()
    }
    newest = sorted(groups, key=lambda key: (-days[key].toordinal(), "/".join(key)))[:NEWEST]
    scored = {score.run_ids[0]: score for score in site.scores_of()}
    for key in newest:
        score = next((scored[run.run_id] for run in groups[key] if run.run_id in scored), None)
        yield _ran(writer, key, days[key], groups[key], score)


def _made_together(site: Site) -> dict[Together, list[Run]]:
    """One submission to a round, or one workload on one machine on one day; a publication's runs
    come with their source.
    """
    groups: dict[Together, list[Run]] = defaultdict(list)
    for run in site.runs_of():
        if run.started_at is None or run.origin is Origin.PUBLISHED:
            continue
        day = run.started_at.date().isoformat()
        alone = str(run.origin), run.source, day, run.system, run.workload
        groups[submission(run) or alone].append(run)
    return groups


def _ran(
    writer: Writer, key: Together, day: date, runs: Sequence[Run], score: Score | None
) -> Entry:
    first = runs[0]
    told = [
        f
        for start in ("throughput_", "time_to_target_s", "final_")
        if (f := _span(writer, runs, start, target="target" in start))
    ]
    if score is not None and score.score_minutes is not None:
        minutes = writer.fig(f"score:{score.run_ids[0]}:minutes", unit=True, link=False)
        told.append(unmarked(writer.colon(writer.t("news.score"), minutes)))
    title = _counted(writer, first, len(runs), writer.t(f"origin.{first.origin}"))
    own = first.origin is Origin.MEASURED
    whose = f"{machine.FOLDER if own else 'systems/'}{first.system}/"
    said = (*told, unmarked(writer.t("news.by", credit=writer.run_credit(first))))
    return Entry(f"runs/{'/'.join(key)}", "runs", day, title, whose, said)


def _counted(writer: Writer, run: Run, n: int, what: Markup) -> str:
    """The number of runs of a workload on a system: "CNN on T4: 3 runs (imported)"."""
    name, system = writer.workload_name(run.workload), writer.system_name(run.system)
    counted = writer.paren(writer.t("runs.count", n=n), what)
    return unmarked(writer.colon(writer.t("run.title", workload=name, system=system), counted))


def _span(writer: Writer, runs: Sequence[Run], start: str, *, target: bool = False) -> str:
    """The range of a figure over some runs; empty if none has it, or runs of other settings have
    another one.
    """
    found = [
        (run, metric)
        for run in runs
        if run.status is Status.OK
        and (metric := run_details.main_metric(run, start, target=target))
    ]
    valued = sorted(
        ((metric.value, run.run_id, metric) for run, metric in found if metric.value is not None),
        key=lambda one: one[:2],
    )
    if not valued or len({metric.key for *_, metric in valued}) > 1:
        return ""
    ends = [
        writer.fig(f"run:{id_}:{metric.key}", unit=True, link=False)
        for _, id_, metric in (valued[0], valued[-1])
    ]
    low, high = map(unmarked, ends)
    shown = low if low == high else unmarked(writer.t("range_wide", low=low, high=high))
    return unmarked(writer.colon(writer.quantity_name(valued[0][2].name), shown))


def _charts(
    site: Site,
    published: Sequence[ledger.Entry],
    writer: Writer,
    renamed: Mapping[str, str],
    retired: Mapping[str, str],
) -> Iterator[Entry]:
    """The charts of a page that were first published on one day, under any name; with the first
    ones of a report comes the report.
    """
    seen: set[str] = set()
    pages = {id_: one.page for id_, one in site.figures.items()}
    for (page, day), ids in _together(published, {**retired, **pages}, renamed).items():
        report = site.reports.get(page.removeprefix("reports/").strip("/"))
        drawn = [site.figures[id_] for id_ in ids if id_ in site.figures]
        # its name then: readers' programs know the entry by it
        first = next(iter(ids.values()))
        new = page not in seen
        seen.add(page)
        if not drawn:
            continue
        if report and new:
            text = writer.text(report.text)
            title = writer.t("news.report", title=text.title)
            said = unmarked(writer.html(cut(text.lead)[0]))
        else:
            title = writer.t("news.charts", title=_page(site, writer, page))
            said = drawn[0].headline(writer.locale)
        locale = writer.locale
        headed = ((one, one.heading(locale), one.headline(locale)) for one in drawn)
        listed = tuple(
            (f"c/{one.id}/", name if told == said else unmarked(writer.colon(name, told)))
            for one, name, told in headed
        )
        key = f"charts/{first}/{day}"
        yield Entry(key, "charts", day, unmarked(title), page, (said,), listed)


def _together(
    published: Sequence[ledger.Entry], pages: Mapping[str, str], renamed: Mapping[str, str]
) -> dict[tuple[str, date], dict[str, str]]:
    """The charts of each page and first day: current ids, with their ids at that time."""
    groups: dict[tuple[str, date], dict[str, str]] = defaultdict(dict)
    seen: set[str] = set()
    for row in published:
        now = renamed.get(row.id, row.id)
        if row.kind is Kind.CHART and now in pages and now not in seen:
            seen.add(now)
            groups[pages[now], row.first_published][now] = row.id
    return groups


def _page(site: Site, writer: Writer, path: str) -> str:
    section, _, id_ = path.strip("/").partition("/")
    if not id_:
        return str(writer.t(f"section.{section}"))
    if section == "reports" and id_ in site.reports:
        return writer.text(site.reports[id_].text).title
    return writer.workload_name(id_) if section == "workloads" else writer.system_name(id_)


def _verdicts(site: Site, published: Sequence[ledger.Entry], writer: Writer) -> Iterator[Entry]:
    """Claims with a changed verdict: the ledger has another row for them. Figures are current, so
    only the last change has them.
    """
    rows: dict[str, list[ledger.Entry]] = defaultdict(list)
    for row in published:
        if row.kind is Kind.CLAIM:
            rows[row.id].append(row)
    for claim in site.archive.claims:
        told = rows[claim.claim_id]
        for number, (old, row) in enumerate(pairwise(told), 1):
            was, now = (
                unmarked(writer.t(f"verdict.{verdict}")) for verdict in (old.verdict, row.verdict)
            )
            said = [unmarked(sentence_of(writer, claim))]
            if row is told[-1]:
                figures = (
                    (name, writer.fig(f"claim:{row.id}:{name}", unit=True, link=False))
                    for name in ("printed", "recomputed")
                )
                told_ = (writer.colon(writer.t(f"head.{name}"), text) for name, text in figures)
                said.append(unmarked(writer.joined("terms", *told_)))
            source = site.sources[claim.source].title
            title = unmarked(writer.t("news.verdict", before=was, after=now, title=source))
            key, place = f"claims/{row.id}/{number}", f"sources/{claim.source}/#{row.id}"
            yield Entry(key, "verdict", row.first_published, title, place, tuple(said))


def _withdrawn(site: Site, writer: Writer) -> Iterator[Entry]:
    """Runs of one workload on one system that were withdrawn on one day for one reason, which is
    recorded in English.
    """
    groups: dict[tuple[date, str, str, str], list[str]] = defaultdict(list)
    for one in site.archive.withdrawals:
        if run := site.runs.get(one.run_id):
            groups[one.day, one.why, run.workload, run.system].append(one.run_id)
    for (day, why, *_), ids in groups.items():
        title = _counted(writer, site.runs[ids[0]], len(ids), writer.t("withdrawn"))
        listed = tuple((site.results.page_with(id_), id_) for id_ in ids)
        said = (unmarked(writer.t("news.why", reason=why)),)
        yield Entry(f"withdrawn/{ids[0]}", "withdrawn", day, title, listed[0][0], said, listed)


def atom(
    entries: Sequence[Entry],
    locale: Locale,
    base: str,
    day: date,
    *,
    path: str = "",
    title: str = "",
) -> str:
    """An Atom feed (RFC 4287). Without the site's address its links are relative to the feed; `day`
    is the date of an empty one. `path` and `title` are for a feed beside that of the site.
    """
    code, site = locale.code, locale.say("ui.site_name")
    path = path or f"feed.{code}.xml"
    home = base or "../" * path.count("/")
    return str(
        lists.feed(
            code,
            _urn(code, path.rpartition("/")[0] or "feed"),
            locale.say("join.colon", what=site, text=title or locale.say("ui.feed")),
            max((entry.day for entry in entries), default=day),
            site,
            base and base + path,
            f"{home}{path.rpartition('/')[0] or code}/",
            [_entry(entry, code, f"{home}{code}/") for entry in entries[:NEWEST]],
        )
    )


def _entry(entry: Entry, code: str, home: str) -> Markup:
    content = lists.news(entry.said, [(home + path, text) for path, text in entry.listed])
    # a feed has HTML as text
    return lists.entry(entry, _urn(code, entry.key), code, home + entry.path, str(content))


def _urn(code: str, key: str) -> str:
    """An id that stays the same wherever the site is served."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'touchstone:{code}/{key}')}"
