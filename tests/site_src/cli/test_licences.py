"""What a source without a licence brings is read and not published."""

from dataclasses import replace
from datetime import date

from kernels.records import NO_LICENCE, Rate, Tariff
from kernels.store import Archive
from site_src.cli.licences import without_unlicensed
from tests.site_src.recorded import archive


def test_runs_of_unlicensed_sources_stay_out_with_all_that_belongs_to_them() -> None:
    """The source itself, its claims and its cells go too; everything else stays as it is."""
    whole: Archive = archive()
    gone = whole.sources[0].source
    marked = replace(
        whole,
        sources=tuple(
            replace(s, licence=NO_LICENCE) if s.source == gone else s for s in whole.sources
        ),
    )

    slim, count = without_unlicensed(marked)

    assert count == sum(run.source == gone for run in whole.runs) > 0
    assert {source.source for source in slim.sources} == {
        source.source for source in whole.sources
    } - {gone}
    for table in (slim.runs, slim.claims, slim.cells, slim.reviews):
        assert gone not in {record.source for record in table}
    assert set(slim.files) <= {run.run_id for run in slim.runs}


def test_an_archive_with_licences_is_left_alone() -> None:
    """Nothing is left out."""
    assert without_unlicensed(archive()) == (archive(), 0)


def test_a_run_without_a_licence_of_its_own_stays_out() -> None:
    """Whatever its source says."""
    whole = archive()
    one = replace(whole.runs[0], licence=NO_LICENCE)

    slim, count = without_unlicensed(replace(whole, runs=(one, *whole.runs[1:])))

    assert (count, slim.runs) == (1, whole.runs[1:])


def test_prices_of_electricity_and_rates_without_a_licence_stay_out() -> None:
    """Those that have one stay."""
    tariff = Tariff(
        "toy-2018", "toyland", 0.31, "EUR", date(2018, 1, 1), None, "toy", "table 2", "MIT"
    )
    rate = Rate("EUR", "USD", 1.25, date(2018, 1, 1), "toy", "table 1", "MIT")
    bare = (
        replace(tariff, tariff_id="bare", licence=NO_LICENCE),
        replace(rate, quote="JPY", licence=NO_LICENCE),
    )

    slim, _ = without_unlicensed(Archive(tariffs=(tariff, bare[0]), rates=(rate, bare[1])))

    assert (slim.tariffs, slim.rates) == ((tariff,), (rate,))
