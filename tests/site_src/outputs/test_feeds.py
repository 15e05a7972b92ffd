import re
from dataclasses import replace
from datetime import date, datetime
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from kernels.records import Withdrawal
from kernels.store import Archive
from site_src.addresses import ledger
from site_src.addresses.editions import Edition
from site_src.evidence import Evidence
from site_src.outputs import feeds
from site_src.outputs.feeds import Entry
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.pages.edition import state
from tests.makers import make_price
from tests.site_src import recorded
from tests.site_src.outputs import newsworthy
from tests.site_src.outputs.newsworthy import BASE, CHART, PUBLISHED

ATOM = "{http://www.w3.org/2005/Atom}"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
ONCE = {"id", "title", "updated", "summary", "content", "subtitle", "rights", "published"}
KNOWN = ONCE | {"author", "link", "category", "entry"}


def atom_faults(text: str, code: str, base: str) -> list[str]:
    """What RFC 4287 does not allow: elements that are missing, twice or unknown, days that are
    none, ids that are no IRI or stand twice.
    """
    root = ElementTree.fromstring(text)  # noqa: S314 - our own file
    faults = (
        []
        if root.tag == f"{ATOM}feed" and root.get(XML_LANG) == code
        else [f"root is {root.tag} in {root.get(XML_LANG)}"]
    )
    entries = root.findall(f"{ATOM}entry")
    for place in (root, *entries):
        names = [child.tag.removeprefix(ATOM) for child in place]
        faults += [f"{name} is missing" for name in ("id", "title", "updated") if name not in names]
        faults += [f"{name} stands twice" for name in ONCE if names.count(name) > 1]
        faults += [
            f"{name} is unknown"
            for name in names
            if name not in KNOWN or (place is not root and name == "entry")
        ]
        faults += _place_faults(place, base)
    if root.find(f"{ATOM}author/{ATOM}name") is None:
        faults.append("nobody wrote it")
    if base and [link.get("href") for link in root.findall(f"{ATOM}link[@rel='self']")] != [
        f"{base}feed.{code}.xml"
    ]:
        faults.append("the feed does not say where it lies")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    faults += [f"id {id_} stands twice" for id_ in set(ids) if ids.count(id_) > 1]
    days = [entry.findtext(f"{ATOM}updated", "") for entry in entries]
    if days != sorted(days, reverse=True) or (days and root.findtext(f"{ATOM}updated") != days[0]):
        faults.append("the newest is not first, or the feed is not as new as it")
    return faults


def _place_faults(place: Element, base: str) -> list[str]:
    faults = []
    if not re.fullmatch(
        r"urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", place.findtext(f"{ATOM}id", "")
    ):
        faults.append(f"id {place.findtext(f'{ATOM}id')} is no name")
    when = place.findtext(f"{ATOM}updated", "")
    if not re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)", when
    ) or not datetime.fromisoformat(when):
        faults.append(f"updated {when} is no moment of RFC 3339")
    links = place.findall(f"{ATOM}link")
    if len([link for link in links if link.get("rel") == "alternate"]) != 1:
        faults.append("there is no one page beside it")
    addresses = [link.get("href", "") for link in links] + re.findall(
        r'href="([^"]*)"', place.findtext(f"{ATOM}content", "")
    )
    return faults + [
        f"the address {address} is not the site's own"
        for address in addresses
        if not address.startswith(base or "en/")
    ]


def made(base: str = BASE, **how: bool) -> str:
    """The English feed."""
    site = newsworthy.site(base, **how)
    [asset] = feeds.assets(site, PUBLISHED, [recorded.english()])
    assert asset.path == "feed.en.xml"
    return asset.content.decode()


def entries(**how: bool) -> dict[str, list[Entry]]:
    """News by kind."""
    site = newsworthy.site(**how)
    found = feeds.news(site, PUBLISHED, Writer(site, recorded.english(), ""))
    return {kind: [entry for entry in found if entry.kind == kind] for kind in feeds.KINDS}


@pytest.mark.parametrize("base", [BASE, ""])
def test_a_feed_is_valid_atom(base: str) -> None:
    """By RFC 4287, with the site's address and without it."""
    assert atom_faults(made(base), "en", base) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("T00:00:00Z", "", "is no moment"),
        ("<author>", "<writer>", "nobody wrote it"),
        ('rel="self"', 'rel="via"', "does not say where it lies"),
        (f"{BASE}en/reports", "/en/reports", "is not the site's own"),
        ("<title>New report", "<heading/><title>New report", "heading is unknown"),
    ],
)
def test_the_validation_finds_what_is_wrong(old: str, new: str, fault: str) -> None:
    """It is no test that lets everything pass."""
    text = (
        made()
        .replace(old, new)
        .replace("</author>", "</writer>" if new == "<writer>" else "</author>")
    )

    assert any(fault in found for found in atom_faults(text, "en", BASE))


def test_ids_and_days_are_those_of_the_facts() -> None:
    """Neither the site's address nor the day of the build changes them."""
    site = newsworthy.site()
    found = feeds.news(site, PUBLISHED, Writer(site, recorded.english(), ""))

    def marks(base: str, day: date) -> list[str]:
        text = feeds.atom(found, recorded.english(), base, day)
        return re.findall(r"<id>[^<]+</id>|<updated>[^<]+</updated>", text)

    assert marks(BASE, date(2026, 11, 22)) == marks("https://elsewhere.example/", date(2031, 1, 1))


def test_a_changed_verdict_says_what_it_was_and_is() -> None:
    """In the title; with the printed and the recomputed figure, on the day of the second row of the ledger; the
    first row is no news of its own.
    """
    [entry] = entries()["verdict"]

    assert entry.day == date(2026, 11, 20)
    assert entry.title.startswith("Verdict “reproduced” instead of “contradicted”: ")
    assert "64\u00a0GB" in entry.said[0] and entry.said[1].count("64\u00a0GB") == 2
    assert entry.path == f"sources/tpuv2-v100/#{newsworthy.CLAIM}"


def test_claims_of_a_source_are_one_entry() -> None:
    """The source's, on the day its claims were first published."""
    [entry] = entries()["source"]

    assert (entry.day, entry.key) == (date(2026, 11, 18), "sources/tpuv2-v100")
    assert len(recorded.archive().claims) > 10
    assert any(str(len(recorded.archive().claims)) in text for text in entry.said)


def told(site: Site, archive: Archive, kind: str) -> list[Entry]:
    """The news of a kind on a site that has other records."""
    again = Site(
        Evidence(archive, site.catalog),
        site.figures,
        options=site.options,
        reports=(),
        content=site.content,
    )
    news = feeds.news(again, (), Writer(again, recorded.english(), ""))
    return [entry for entry in news if entry.kind == kind]


def test_runs_made_together_are_one_entry_with_their_figures() -> None:
    """Two runs of one workload, machine and day: how many, and from the lowest to the highest."""
    site = newsworthy.site()
    other = replace(
        recorded.MEASURED,
        run_id="digits-cnn-other",
        metrics=(replace(recorded.MEASURED.metrics[1], value=4100.0),),
    )
    archive = replace(site.archive, runs=(*site.archive.runs, other))

    [entry] = told(site, archive, "runs")

    assert entry.title.endswith(": 2 runs (measured)")
    assert entry.said[0] == "throughput: 3,200\u00a0images/s – 4,100\u00a0images/s"


def test_a_withdrawn_run_is_told_with_its_reason_and_not_as_a_run() -> None:
    """On the day it was withdrawn."""
    found = entries(withdrawn=True)

    [entry] = found["withdrawn"]
    assert (entry.day, entry.said) == (date(2026, 11, 21), ("Reason: the fan had stopped",))
    assert found["runs"] == []


def test_runs_that_were_withdrawn_together_are_told_by_workload_and_system() -> None:
    """The title names both, so it must not speak of other runs with the same reason."""
    site = newsworthy.site()
    runs = {(run.workload, run.system): run for run in site.archive.runs}.values()
    gone = tuple(Withdrawal(run.run_id, "the fan had stopped", date(2026, 11, 21)) for run in runs)
    archive = replace(site.archive, withdrawals=gone)
    found = told(site, archive, "withdrawn")

    assert len(found) == len({entry.title for entry in found}) == len(runs) > 2
    assert all(
        entry.title.endswith(": 1 run (withdrawn)") and len(entry.listed) == 1 for entry in found
    )


def test_words_are_put_together_as_the_language_does() -> None:
    """Colons are not everybody's."""
    text = feeds.atom([], recorded.foreign(), BASE, date(2026, 11, 22))

    say = recorded.foreign().say
    assert (
        f"<title>{say('join.colon', what=say('ui.site_name'), text=say('ui.feed'))}</title>" in text
    )


def test_first_charts_of_a_report_are_the_report() -> None:
    """One entry with both charts, and one for the chart of a workload; a chart that the site no
    longer has is none.
    """
    report, workload = entries()["charts"][::-1]

    assert report.title.startswith("New report: ") and len(report.listed) == 2
    assert workload.title.startswith("New among the charts: ")


def test_a_renamed_chart_is_no_news() -> None:
    """It is told on the day of its old name, under the same id, and leads to the new address."""
    site = newsworthy.site()
    writer = Writer(site, recorded.english(), "")
    before = [replace(row, id="tpuv2-v100-speed") if row.id == CHART else row for row in PUBLISHED]
    added = replace(PUBLISHED[0], first_published=date(2026, 11, 22))

    [_, told] = [
        entry
        for entry in feeds.news(site, [*before, added], writer, {"tpuv2-v100-speed": CHART})
        if entry.kind == "charts"
    ]

    assert (told.day, told.key) == (date(2026, 11, 18), "charts/tpuv2-v100-speed/2026-11-18")
    assert [path for path, _ in told.listed] == [f"c/{CHART}/", "c/tpuv2-v100-target/"]


def test_what_came_with_a_chart_keeps_its_id_when_the_chart_is_removed() -> None:
    """The report of two charts whose first one was retired is told as before, with the other one
    alone; without any left it is not told.
    """
    site = newsworthy.site()
    writer = Writer(site, recorded.english(), "")
    gone = {"tpuv2-v100-gone": "reports/tpuv2-v100/"}
    first = replace(PUBLISHED[0], id="tpuv2-v100-gone")

    def told(*rows: ledger.Entry) -> list[Entry]:
        return [
            entry for entry in feeds.news(site, rows, writer, {}, gone) if entry.kind == "charts"
        ]

    [report] = told(first, PUBLISHED[1])
    assert report.key == "charts/tpuv2-v100-gone/2026-11-18"
    assert report.title.startswith("New report: ") and [path for path, _ in report.listed] == [
        "c/tpuv2-v100-target/"
    ]
    assert told(first) == []

    [later] = told(first, replace(PUBLISHED[1], first_published=date(2026, 11, 19)))
    assert later.key == "charts/tpuv2-v100-target/2026-11-19" and not later.title.startswith(
        "New report: "
    )


def test_a_feed_has_an_end() -> None:
    """Who was away longer reads the pages."""
    [entry] = entries()["source"]
    many = [replace(entry, key=f"sources/{number}") for number in range(feeds.NEWEST + 5)]

    assert (
        feeds.atom(many, recorded.english(), BASE, date(2026, 11, 22)).count("<entry>")
        == feeds.NEWEST
    )


def test_the_feed_since_an_edition_is_of_what_came_from_its_day_on() -> None:
    """It is called so, and belongs to the page of the edition."""
    site, english = newsworthy.site(), recorded.english()
    days = sorted(
        {one.day for one in feeds.news(site, PUBLISHED, Writer(site, english, ""))}, reverse=True
    )
    edition = Edition("2026.4", days[1], {}, (), {})

    [made] = feeds.since(site, PUBLISHED, [english], edition)

    root = ElementTree.fromstring(made.content)  # noqa: S314 - our own file
    told = {one.findtext(f"{ATOM}updated", "")[:10] for one in root.findall(f"{ATOM}entry")}
    assert told == {day.isoformat() for day in days[:2]}
    assert root.findtext(f"{ATOM}title", "").endswith("New results and prices since edition 2026.4")
    [page] = [one.get("href") for one in root.findall(f"{ATOM}link[@rel='alternate']")]
    assert page == f"{BASE}{made.path.removesuffix('feed.xml')}"


def test_what_an_edition_had_on_its_day_is_no_news_since() -> None:
    """It is told once: by the state that is kept, not by the day."""
    site, english = newsworthy.site(), recorded.english()
    every = feeds.news(site, PUBLISHED, Writer(site, english, ""))
    day = every[0].day
    state = {feeds.NEWS: feeds.told(site, PUBLISHED, english, day)}

    [made] = feeds.since(site, PUBLISHED, [english], Edition("2026.4", day, {}, (), state))

    assert state[feeds.NEWS]
    assert "<entry>" not in made.content.decode()


def test_prices_that_changed_since_an_edition_are_news() -> None:
    """Of one day together; with what each was and is, and the way to it."""
    english = recorded.english()
    price, day = make_price(), date(2026, 11, 20)
    before = state(recorded.make_site(Archive(prices=(price,))), [english])
    site = recorded.make_site(Archive(prices=(replace(price, amount=2.5),)))
    edition = Edition("2026.4", day, {}, (), before)

    [made] = feeds.since(site, [], [english], edition)

    root = ElementTree.fromstring(made.content)  # noqa: S314 - our own file
    [entry] = root.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "Prices: 1 change"
    assert (
        entry.findtext(f"{ATOM}updated", "")[:10] == max(price.valid_from or day, day).isoformat()
    )
    content = entry.findtext(f"{ATOM}content", "")
    assert "1 USD → 2.5 USD" in content and "en/prices/" in content
