"""Time times price is the cost, and the frontier is nobody's opinion."""

import pytest

from kernels.audit.facts import Facts
from kernels.records import PriceKind
from kernels.store import Archive
from site_src import tables
from site_src.evidence import Evidence
from site_src.questions.cost import value
from site_src.tables import platforms
from tests.makers import transcribed
from tests.site_src import recorded

SOURCE = "catalyst-cost"


def facts(archive: Archive) -> Facts:
    """Facts about an archive with the repository's catalogue."""
    return Facts(archive, recorded.known())


def rows(archive: Archive | None = None) -> dict[str, dict[str, object]]:
    """The table's rows by run, without the source's id."""
    found = archive or transcribed(SOURCE)
    table = platforms.platforms(Evidence(found, recorded.known()), SOURCE)
    return {
        str(row["run_id"]).removeprefix(f"{SOURCE}-"): {
            str(name): value for name, value in row.items()
        }
        for row in table.to_dict("records")
    }


def test_each_run_has_the_offer_of_its_own_workload() -> None:
    """The K80 costs 0.0429 cent a second in one row and 0.0545 in the other."""
    found = rows()

    assert len(found) == 10
    assert found["k80-resnet101"]["cents"] == pytest.approx(0.0429)
    assert found["k80-resnet34"]["cents"] == pytest.approx(0.0545)


def test_costs_are_seconds_times_price() -> None:
    """0.47, 5.61, and 4.10 where the source prints 4.50."""
    found = rows()

    assert round(float(str(found["vds-resnet101"]["cost"])), 6) == 0.470022
    assert round(float(str(found["k80-resnet101"]["cost"])), 5) == 5.61132
    assert round(float(str(found["t4-resnet101"]["cost"])), 6) == 4.099261
    assert [
        found[name]["verdict"] for name in ("vds-resnet101", "k80-resnet101", "t4-resnet101")
    ] == ["reproduces", "reproduces", "contradicts"]
    assert (found["t4-resnet101"]["printed"], found["t4-resnet101"]["marked"]) == (4.5, 4.5)
    assert found["k80-resnet101"]["marked"] == found["k80-resnet101"]["cost"]


def test_a_time_that_is_not_reported_has_no_cost() -> None:
    """Neither time nor offer, and on no side of the frontier."""
    row = rows()["3x1080ti-resnet34"]

    assert (row["status"], row["time"], row["cost"], row["price_id"], row["frontier"]) == (
        "not_reported",
        None,
        None,
        None,
        None,
    )


def test_the_frontier_is_what_nothing_beats() -> None:
    """Heavy: T4, three cards, one card. Light: T4 and one card."""
    on = {name for name, row in rows().items() if row["frontier"] == "yes"}

    assert on == {
        "t4-resnet101",
        "3x1080ti-resnet101",
        "1080ti-resnet101",
        "t4-resnet34",
        "1080ti-resnet34",
    }


def test_equals_do_not_beat_each_other() -> None:
    """With the VDS as fast as the machine, at the same price, both are on the frontier."""
    run = f"{SOURCE}-vds-resnet101"
    found = rows(recorded.changed(transcribed(SOURCE), run, "train_time_s", value=7092.0))

    assert found["vds-resnet101"]["frontier"] == found["1080ti-resnet101"]["frontier"] == "yes"


@pytest.mark.parametrize("source", ["tpuv2-v100", "rtx2080ti-colab-tpu", "t4-v100-mlperf"])
def test_sources_without_prices_by_time_have_no_such_tables(source: str) -> None:
    """What was bought has no price per hour, what is free no ratio per price."""
    archive = transcribed(source)

    for table in (platforms.platforms, platforms.tenancies):
        assert table(Evidence(archive, recorded.known()), source).empty
    assert (
        source == "tpuv2-v100" or value.rows_of(Evidence(archive, recorded.known()), source).empty
    )


def test_purchases_and_free_offers_price_no_run() -> None:
    """Yen for a card and nothing for a notebook stay offers on pages, and in no ratio."""
    known = recorded.known()
    archive = transcribed("rtx2080ti-colab-tpu")
    kinds = {price.kind for price in known.prices.values() if price.source == "rtx2080ti-colab-tpu"}

    assert kinds == {PriceKind.OWNED, PriceKind.FREE}
    assert not any(
        tables.offers(run, Evidence(archive, known), "rtx2080ti-colab-tpu") for run in archive.runs
    )
