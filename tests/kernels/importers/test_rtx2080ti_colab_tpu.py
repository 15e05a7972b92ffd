"""Two RTX 2080 Ti against the TPU of Colab: every row, and what recomputing says."""

import re
from collections import Counter

import pytest

from kernels.audit.facts import Facts
from kernels.records import Precision, Status, Verdict
from kernels.store import Archive
from tests.makers import audited, transcribed

SOURCE = "rtx2080ti-colab-tpu"


@pytest.fixture
def found() -> Archive:
    """The source as its files have it."""
    return transcribed(SOURCE)


@pytest.fixture
def facts() -> Facts:
    """Its figures by reference."""
    return audited(SOURCE)


def test_every_batch_size_has_a_row_on_every_system(found: Archive) -> None:
    """Five sizes, three systems, two networks: 22 ended, five had no memory, three are absent."""
    assert Counter(run.status for run in found.runs) == {
        Status.OK: 22,
        Status.OOM: 5,
        Status.NOT_REPORTED: 3,
    }
    assert len({(run.system, run.workload, run.global_batch_size) for run in found.runs}) == 30
    oom = [run for run in found.runs if run.status is Status.OOM]
    assert {run.system for run in oom} == {"rtx2080ti-1x"}
    assert all(one.value is None and one.status is run.status for run in oom for one in run.metrics)


def test_each_side_computes_in_its_own_format(found: Archive) -> None:
    """FP32 on the cards, bfloat16 inside the TPU, and each run says that this is no fair match."""
    assert {(run.accelerator, run.precision) for run in found.runs} == {
        ("rtx-2080-ti", Precision.FP32),
        ("tpu-v2", Precision.AMP_BF16),
    }
    assert all("fp32-against-bfloat16" in run.caveats for run in found.runs)


def test_how_often_a_training_was_repeated_is_not_stated(found: Archive) -> None:
    """It prints one row a configuration and calls trials few; never that there was one."""
    assert {metric.n for run in found.runs for metric in run.metrics} == {None}


def test_heat_is_suspected_of_the_large_network_alone(found: Archive) -> None:
    """Of the small one the article says that the second card still has headroom."""
    assert {run.workload for run in found.runs if "heat-suspected" in run.caveats} == {
        "wrn28-10-cifar10"
    }


def test_the_collapsed_training_is_kept_and_marked(found: Archive) -> None:
    """One training on the TPU ended at an accuracy of 0.1758."""
    assert [run.run_id for run in found.runs if "collapsed-run" in run.caveats] == [
        f"{SOURCE}-tpu-wrn-2048"
    ]


@pytest.mark.parametrize(
    ("ref", "value"),
    [
        # 54.31 - 9.12, and 1 + (54.31 - 18.69) / (11.68 - 9.12)
        ("difference(tpu-cnn10-128:first_epoch_s, tpu-cnn10-128:median_epoch_s)", 45.19),
        # 50 000 / 11.68
        ("quotient(workload:cnn10-cifar10:train_samples, 1gpu-cnn10-128:median_epoch_s)", 4280.82),
        ("ratio(1gpu-cnn10-128:train_time_s, 2gpu-cnn10-128:train_time_s)", 0.82),
        ("ratio(1gpu-wrn-128:train_time_s, tpu-wrn-128:train_time_s)", 3.66),
        ("points_more(tpu-cnn10-1024:final_accuracy, 2gpu-cnn10-1024:final_accuracy)", 1.88),
        # 500 W for 15:08, 40 W for 12:31
        ("energy(power:gpu-two:specified, 2gpu-cnn10-2048:train_time_s)", 126.11),
        ("energy(power:tpu:specified, tpu-cnn10-2048:train_time_s)", 8.34),
    ],
)
def test_what_follows_from_the_figures(facts: Facts, ref: str, value: float) -> None:
    """By hand, from the printed tables."""
    runs = re.sub(r"(?<![\w:])(?=(?:[12]gpu|tpu)-)", f"run:{SOURCE}-", ref)
    whole = runs.replace("power:", f"cell:{SOURCE}:power:")

    assert facts.get(whole).value == pytest.approx(value, abs=0.005)


def test_totals_are_estimates_and_never_equalities(found: Archive, facts: Facts) -> None:
    """22 times against first + 99 x median; the widest gap is 837 s against 821.12 s."""
    totals = [
        facts.judgement(claim.claim_id)
        for claim in found.claims
        if claim.quantity == "total-from-epochs"
    ]
    gaps = {
        j.claim.claim_id: j.claim.printed - j.recomputed
        for j in totals
        if j.claim.printed is not None and j.recomputed is not None
    }

    assert len(gaps) == 22
    assert {judgement.verdict for judgement in totals} == {Verdict.ESTIMATE}
    assert max(gaps, key=lambda name: abs(gaps[name])) == f"{SOURCE}-total-tpu-cnn10-256"
    assert gaps[f"{SOURCE}-total-tpu-cnn10-256"] == pytest.approx(15.88)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("gpu-at-best-one-card", Verdict.REPRODUCES),  # 17:20
        ("gpu-at-best", Verdict.CONTRADICTS),  # 15:08 with two cards
        ("three-to-four-times-128", Verdict.REPRODUCES),  # 3.66
        ("batch-matters-more-on-tpu", Verdict.REPRODUCES),  # 1.224 against 1.129 on one card
        # twice "more than 150 000" against "300 000 or more"
        ("two-cards-price", Verdict.REPRODUCES),
        ("two-cards-price-again", Verdict.REPRODUCES),  # and against "more than 300 000"
        ("tpu-peak", Verdict.NOT_CHECKABLE),  # the number of chips follows from it
        ("no-visible-loss", Verdict.NOT_CHECKABLE),
        ("three-to-three-and-a-half-hours-2gpu-128", Verdict.CONTRADICTS),  # 3:44:47
        ("three-to-three-and-a-half-hours-2gpu-256", Verdict.CONTRADICTS),  # 3:36:33
        ("ten-to-eleven-seconds-128", Verdict.CONTRADICTS),  # 11.68 s
        ("cnn10-parameters", Verdict.REPRODUCES),
        ("wrn-parameters", Verdict.REPRODUCES),
        ("wrn-parameters-later", Verdict.CONTRADICTS),  # 36.5 and 35 million
        ("rate-at-512", Verdict.REPRODUCES),
        ("power-both-cards-high", Verdict.REPRODUCES),
        ("pytorch-against-keras", Verdict.NOT_CHECKABLE),
    ],
)
def test_sentences_against_the_tables(facts: Facts, claim: str, verdict: Verdict) -> None:
    """What the source says of its tables, and what they say."""
    assert facts.judgement(f"{SOURCE}-{claim}").verdict is verdict
