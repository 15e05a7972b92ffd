"""The page of an edition: its own addresses, and what has changed since."""

from dataclasses import replace
from datetime import date

import pytest

from kernels.records import Price, Run
from kernels.store import Archive
from site_src.addresses.editions import Edition
from site_src.pages import edition
from site_src.pages.components.site import Site
from site_src.pages.edition import Change, changes, edition_page, state
from site_src.pages.static_pages import data_page
from tests.makers import make_price, make_run
from tests.site_src.recorded import english, make_site, page_at

RUN, PRICE = make_run(), make_price()


def frozen(site: Site) -> Edition:
    """An edition of a site."""
    files = {"api/v1/runs.json.gz": "0" * 64}
    return Edition("2026.4", date(2026, 11, 20), files, (), state(site, [english()]))


def page(
    edition: Edition, *, runs: tuple[Run, ...] = (RUN,), prices: tuple[Price, ...] = (PRICE,)
) -> str:
    """Its page on a site of these records."""
    return edition_page(page_at("editions/2026.4/", *runs, prices=prices), edition).body


def test_what_changed_comes_before_what_is_new_and_what_is_gone() -> None:
    """What is the same is no change."""
    assert changes({"a": 1, "b": 1, "c": 1}, {"d": 1, "b": 2, "a": 1}) == [
        Change("b", "changed", 1, 2),
        Change("d", "added", None, 1),
        Change("c", "gone", 1, None),
    ]


def test_the_page_lists_a_price_and_a_run_that_changed() -> None:
    """With what the price was; without a change it says so."""
    edition = frozen(make_site(Archive(runs=(RUN,), prices=(PRICE,))))

    same = page(edition)
    changed = page(
        edition,
        runs=(replace(RUN, withdrawn="wrong clock"), make_run("toy-other")),
        prices=(replace(PRICE, amount=2.5),),
    )

    assert "Nothing has changed since." in same and "since-prices" not in same
    assert "../../../r/2026.4/api/v1/runs.json.gz" in same
    prices = changed[changed.index("since-prices") :]
    assert "1 USD" in prices and "2.5 USD" in prices and "1 change<" in prices
    results = changed[changed.index("since-results") : changed.index("since-prices")]
    assert (
        "2 changes" in results and "results/toy-run/" in results and "results/toy-other/" in results
    )


def test_the_page_of_data_leads_to_editions_the_newest_first() -> None:
    """Without any it says what one is."""
    writer = page_at("data/")
    edition = frozen(site := writer.site)
    before = data_page(writer).body
    site.editions = (edition, replace(edition, name="2026.5"))

    body = data_page(writer).body

    assert 'id="editions"' in before and "editions/2026.4/" not in before
    assert body.index("editions/2026.5/") < body.index("editions/2026.4/")


def test_a_long_list_of_changes_says_where_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """With how many there are in all."""
    monkeypatch.setattr(edition, "MOST", 1)

    body = page(frozen(make_site(Archive())), runs=(RUN, make_run("toy-other", system="other-box")))

    results = body[body.index("since-results") : body.index("since-prices")]
    assert "2 changes" in results and "the first 1 are listed" in results
    assert results.count("<tr") == 2  # its head and one change
    assert "are listed" not in body[body.index("since-prices") :]


def test_an_edition_from_before_there_was_a_kind_says_nothing_of_it() -> None:
    """What it did not keep is neither new nor changed."""
    old = frozen(make_site(Archive(runs=(RUN,))))
    old = replace(old, state={kind: of for kind, of in old.state.items() if kind != "prices"})

    assert "since-prices" not in page(old)


def test_the_feed_of_an_edition_says_what_is_in_it() -> None:
    """New results and prices, and not all that has changed."""
    body = page(frozen(make_site(Archive())))

    assert "feed.xml>New results and prices since edition 2026.4</a>" in body.replace('"', "")


def test_a_report_that_is_gone_is_still_listed_in_its_edition() -> None:
    """By its id, since nothing else of it is known."""
    kept = replace(
        frozen(make_site(Archive(runs=(RUN,)))), files={"en/reports/gone/index.html": "0" * 64}
    )

    assert "r/2026.4/en/reports/gone/index.html>gone</a>" in page(kept)
