"""The audit: all claims on a source's page, alike ones in one row; in a report what does not
reproduce.
"""

import re

from kernels.records import Verdict
from site_src.pages.report.audit import audit, by_sentence, difference, excerpt
from site_src.pages.report.audit_inputs import told_apart
from tests.site_src.pages.conftest import Written

SOURCE = "rtx2080ti-colab-tpu"
PAGE = f"sources/{SOURCE}/"


def test_every_claim_has_its_anchor_once(written: Written) -> None:
    """Badges elsewhere lead to a claim, in a row of its own or among those alike."""
    page = written(PAGE)
    found = re.findall(r'<(?:tr|li) id="([^"]+)"', audit(page, SOURCE))

    assert sorted(found) == sorted(claim.claim_id for claim in page.site.claims[SOURCE])


def test_alike_claims_share_a_row(written: Written) -> None:
    """Four epochs of one card that the source calls ten to eleven seconds: one sentence, four
    figures told apart by their batch.
    """
    page = written(PAGE)
    body = audit(page, SOURCE)
    [row] = [row for row in body.split("<tr") if f'id="{SOURCE}-ten-to-eleven-seconds-128"' in row]

    assert row.count("ts-badge--verdict-") == 4
    assert [name in row for name in ("batch 128", "batch 256", "batch 512", "batch 1,024")] == [
        True
    ] * 4
    assert len(by_sentence(page, list(page.site.judgements.values()))) < len(page.site.judgements)


def test_a_row_names_all_its_verdicts_to_the_filter(written: Written) -> None:
    """The filter finds a row by any of them."""
    page = written(PAGE)
    offered = set(re.findall(r'<option value="(\w+)"', audit(page, SOURCE)))
    verdicts = re.findall(r'<tr[^>]* data-f-verdict="([^"]+)"', audit(page, SOURCE))

    assert len(verdicts) == audit(page, SOURCE).count("<tr") - 1
    assert {verdict for each in verdicts for verdict in each.split("|")} == offered


def test_claims_without_runs_are_told_apart_by_what_they_read(written: Written) -> None:
    """The memory of either side follows from a table's rows."""
    page = written("sources/tpuv2-v100/")
    cells = [
        [f"cell:tpuv2-v100:sides:{side}:{column}" for column in ("chips", "memory-per-chip")]
        for side in ("cloud-tpu-v2-8", "aws-p3.8xlarge")
    ]

    assert [str(name) for name in told_apart(page, cells)] == [
        "Cloud TPU v2-8",
        "4\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}V100 (AWS p3.8xlarge)",
    ]
    assert told_apart(page, cells[:1]) == [""]


def test_a_report_shows_what_does_not_reproduce(written: Written) -> None:
    """No claim that reproduces, of the estimates the farthest, and the way to all of them by
    verdict.
    """
    page = written(f"reports/{SOURCE}/")
    body = excerpt(page, SOURCE)
    shown = {page.site.judgements[id_] for id_ in re.findall(r'<(?:tr|li) id="([^"]+)"', body)}
    judged = [page.site.judgements[claim.claim_id] for claim in page.site.claims[SOURCE]]
    [estimate] = [one for one in shown if one.verdict is Verdict.ESTIMATE]

    failed = {one.verdict for one in judged} & {Verdict.CONTRADICTS, Verdict.ROUNDING}
    assert {one.verdict for one in shown} == {*failed, Verdict.ESTIMATE}
    assert difference(estimate) == max(
        difference(one) for one in judged if one.verdict is Verdict.ESTIMATE
    )
    assert f'href="../../sources/{SOURCE}/?verdict=contradicts#audit"' in body
    assert f'href="../../sources/{SOURCE}/#audit"' in body


def test_a_recomputed_figure_is_read_in_the_multiple_of_the_printed_one(written: Written) -> None:
    """1.35 GHz beside 1.35 GHz, not 1,350,000,000 Hz; an accuracy keeps the digits that it is
    printed with.
    """
    body = audit(written(PAGE), SOURCE).striptags()

    assert not re.search(r"\d,000,000(?:\s|&nbsp;|\xa0)(?:Hz|FLOP/s)", body)
    assert "TFLOP/s" in body
    assert len(re.findall(r"90\.03%", body)) >= 3
