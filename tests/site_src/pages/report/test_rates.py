"""The exchange rates of a source, and the way to them."""

from markupsafe import Markup

from site_src.pages.report.about import metadata
from site_src.pages.report.source import rates_table, source_page
from tests.site_src.pages.conftest import Written
from tests.site_src.reading import plain


def test_the_rates_of_a_source_stand_by_day_as_it_gives_them(written: Written) -> None:
    """Newest first, one column a currency, each figure with its reference."""
    page = written("sources/ecb/")
    found = [rate for rate in page.site.rates if rate.source == "ecb"]
    shown = rates_table(page, found, Markup("Rates"))
    text = plain(shown)

    assert " ".join(f"{code} for EUR 1" for code in ("BRL", "JPY", "MXN", "RUB", "USD")) in text
    days = ("6.0692 175.68 21.1237 not stated 1.1172", "4.4743 123 21.5178 73.2104 1.1226")
    assert text.index(days[0]) < text.index(days[1]) < text.index("4.1979 132.64 22.3162")
    assert 'id="rate-2019-05-14"' in shown
    assert 'ref="rate:EUR:USD:2019-05-14"' in shown


def test_what_is_published_every_day_lacks_no_date(written: Written) -> None:
    """The note stands alone; of an article whose copy prints no date it stands behind that."""
    found = []
    for name in ("ecb", "tpuv2-v100"):
        page = written(f"sources/{name}/")
        found.append(plain(metadata(page, page.site.sources[name])["published"]))

    assert found[0].startswith("Every banking day")
    assert found[1].startswith("not stated : our copy gives no date")


def test_a_rate_leads_to_the_day_that_it_is_of(written: Written) -> None:
    """Of the Sunday before the middle of April 2018 there is none; both legs of dollars into yen
    are the ECB's.
    """
    page = written("reports/tpuv2-v100/")

    assert page.origin_of("rate:USD:EUR:2018-04-15") == "sources/ecb/#rate-2018-04-13"
    assert page.origin_of("rate:USD:JPY:2019-05-14") == "sources/ecb/#rate-2019-05-14"
    assert page.origin_of("rate:EUR:EUR:2019-05-14") is None


def test_a_source_without_rates_has_no_section_of_them(written: Written) -> None:
    """As most have none."""
    bodies = [
        source_page(written(f"sources/{name}/"), written("").site.sources[name]).body
        for name in ("ecb", "tpuv2-v100")
    ]

    assert ['id="rates"' in body for body in bodies] == [True, False]
