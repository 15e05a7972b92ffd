"""The article on training cost: its table right to the digit, and what the audit finds in it."""

from collections import Counter
from functools import partial

import pytest

from kernels import catalog
from kernels.records import Certainty, Per, Precision, PriceKind, ServerKind, Status, Verdict
from tests.makers import audited, transcribed

SYSTEMS = {
    "vds": "hostkey-1080ti-vds",
    "1080ti": "hostkey-1080ti",
    "3x1080ti": "hostkey-3x1080ti",
    "k80": "aws-p2.xlarge",
    "t4": "gcp-t4",
}
COST = (
    "cost_of_time(run:catalyst-cost-{0}-resnet101:train_time_s, "
    "price:hostkey-{0}-resnet101:per_hour)"
)


found = partial(transcribed, "catalyst-cost")
facts = partial(audited, "catalyst-cost")


def test_nine_rows_and_the_one_that_is_not_there() -> None:
    """The light model on three cards has a status, no figure; no run more than the table."""
    by_status = Counter(run.status for run in found().runs)

    assert by_status == {Status.OK: 9, Status.NOT_REPORTED: 1}
    absent = next(run for run in found().runs if run.status is Status.NOT_REPORTED)
    assert absent.run_id == "catalyst-cost-3x1080ti-resnet34"
    assert {(metric.name, metric.value, metric.status) for metric in absent.metrics} == {
        ("train_time_s", None, Status.NOT_REPORTED),
        ("final_auc", None, Status.NOT_REPORTED),
    }
    assert {run.precision for run in found().runs} == {Precision.UNKNOWN}
    assert all(run.global_batch_size is None and run.train_samples is None for run in found().runs)


def test_one_cost_contradicts_its_row() -> None:
    """1003 s at 0.4087 cent/s on the T4 are EUR 4.10, and 4.50 is printed; eight agree."""
    verdicts = {
        j.claim.claim_id: j.verdict
        for j in facts().judgements()
        if j.claim.quantity == "cost-of-row"
    }

    assert Counter(verdicts.values()) == {Verdict.REPRODUCES: 8, Verdict.CONTRADICTS: 1}
    assert verdicts["catalyst-cost-cost-t4-resnet101"] is Verdict.CONTRADICTS
    assert facts().judgement("catalyst-cost-cost-t4-resnet101").recomputed == pytest.approx(
        4.0992610
    )


@pytest.mark.parametrize(
    ("claim", "recomputed", "verdict"),
    [
        ("slower-1080ti-t4", 7092 / 1003, Verdict.CONTRADICTS),  # 7.07, not two to three
        ("slower-3x1080ti-t4", 2430 / 1003, Verdict.REPRODUCES),
        # less time is at most a little more
        ("little-more-time-1080ti-k80-resnet101", 7092 / 13080, Verdict.REPRODUCES),
        ("little-more-time-vds-t4-resnet34", 1445 / 872, Verdict.CONTRADICTS),
        # the source's own two to three times
        ("little-more-time-against-slower", None, Verdict.CONTRADICTS),
        # 9.32
        ("order-cheaper-1080ti-t4-resnet101", 1003 * 0.4087 / (7092 * 0.0062), Verdict.REPRODUCES),
        # 8.72
        ("order-cheaper-vds-t4-resnet101", 1003 * 0.4087 / (7581 * 0.0062), Verdict.REPRODUCES),
        # 30.3, nearer to 10 than to 100
        ("order-cheaper-1080ti-k80-resnet34", 3930 * 0.0545 / (1157 * 0.0061), Verdict.REPRODUCES),
        ("card-order-cheaper", None, Verdict.NOT_CHECKABLE),  # no price of a card
        ("virtual-cheaper", None, Verdict.NOT_CHECKABLE),  # no monthly price
        ("price-again-1080ti", 0.0062, Verdict.ROUNDING),  # 0.0061 printed; both may be 0.00615
        ("price-again-t4", 0.4087, Verdict.CONTRADICTS),
        ("k80-slower-resnet34", 3930 / 1157, Verdict.REPRODUCES),
        # half of the board's 2742 GFLOP/s
        ("k80-double-precision", 1371 / 354.4, Verdict.REPRODUCES),
        ("k80-single-precision", 4063 / 11340, Verdict.REPRODUCES),
        # which models those are is not stated
        ("light-model-on-one-card", None, Verdict.NOT_CHECKABLE),
    ],
)
def test_claims_are_held_against_the_table(
    claim: str, recomputed: float | None, verdict: Verdict
) -> None:
    """What the sentences say, and what the rows give."""
    judgement = facts().judgement(f"catalyst-cost-{claim}")

    assert judgement.verdict is verdict
    assert judgement.recomputed == (None if recomputed is None else pytest.approx(recomputed))


@pytest.mark.parametrize(
    ("ref", "value"),
    [
        # 60 min at 0.0429 cent/s, 0.0062 cent/s by the hour
        (
            "cost_of_minutes(cell:catalyst-cost:preparation:installing-and-loading:longest, "
            "price:aws-p2.xlarge-resnet101:per_hour)",
            1.5444,
        ),
        ("price:hostkey-1080ti-resnet101:per_hour", 0.2232),
        (
            "ratio(run:catalyst-cost-1080ti-resnet101:train_time_s, "
            "run:catalyst-cost-3x1080ti-resnet101:train_time_s)",
            2.9185185,
        ),
        (
            "percent_more(run:catalyst-cost-vds-resnet101:train_time_s, "
            "run:catalyst-cost-1080ti-resnet101:train_time_s)",
            6.8950931,
        ),
        (
            "percent_more(run:catalyst-cost-vds-resnet34:train_time_s, "
            "run:catalyst-cost-1080ti-resnet34:train_time_s)",
            24.8919620,
        ),
        # EUR 0.49 against 0.44, for 2.92 times the speed
        (f"percent_more({COST.format('3x1080ti')}, {COST.format('1080ti')})", 11.6341903),
    ],
)
def test_what_the_page_derives(ref: str, value: float) -> None:
    """Preparation, hourly price, three cards against one, VDS against machine, by hand."""
    assert facts().get(ref).value == pytest.approx(value, rel=1e-7)


def test_the_machines_carry_their_conditions() -> None:
    """Kind of server and region are fields; a processor named twice is recorded once."""
    systems = catalog.load().systems

    assert {systems[id_].server_kind for id_ in SYSTEMS.values()} == {
        ServerKind.VDS,
        ServerKind.DEDICATED,
        ServerKind.CLOUD_VM,
    }
    assert [systems[id_].region for id_ in SYSTEMS.values()] == ["netherlands"] * 3 + [
        "frankfurt"
    ] * 2
    assert all(systems[id_].reason for id_ in SYSTEMS.values())
    hostkey = [run for run in found().runs if run.system.startswith("hostkey")]
    assert hostkey and all("two-processors-named" in run.caveats for run in hostkey)
    assert {cell.text for cell in found().cells if cell.table == "processor-named"} == {
        "Xeon E3",
        "Xeon E5-2637 v4",
    }


def test_what_was_not_used_is_not_rated() -> None:
    """Four services in both tables; HOSTKEY's has no rating; what is not told is not stated."""
    rated = {
        cell.row: cell.text
        for cell in found().cells
        if (cell.table, cell.column) == ("web-interfaces", "rating")
    }
    supplied = [cell for cell in found().cells if cell.table == "software-supplied"]

    assert rated == {
        "AWS": "worst",
        "Google Cloud": "average",
        "Google Colab": None,
        "HOSTKEY": "not-rated",
    }
    assert len({cell.row for cell in supplied}) == 4
    assert all((cell.text is None) == (cell.certainty is Certainty.NOT_STATED) for cell in supplied)
    assert found().reviews == ()  # the source names no review


def test_pairs_of_one_sentence_stand_in_one_place() -> None:
    """Eleven claims contradict in five places; seven find another platform's AUC."""
    values = {
        ref: facts().get(f"count:{ref}@catalyst-cost").value
        for ref in ("claims.contradicts", "places.contradicts", "repeated")
    }

    assert values == {"claims.contradicts": 11, "places.contradicts": 5, "repeated": 7}


def test_terms_that_the_source_does_not_name_are_unknown() -> None:
    """The terms of a price by the second are unknown; Colab is free."""
    prices = [price for price in catalog.load().prices.values() if price.source == "catalyst-cost"]

    by_second = [price for price in prices if price.per is Per.SECOND]
    # printed in cents with four decimals
    assert {(price.kind, price.currency, price.decimals) for price in by_second} == {
        (PriceKind.UNKNOWN, "EUR", 6)
    }
    assert {price.kind for price in prices if price.per is not Per.SECOND} == {PriceKind.FREE}
