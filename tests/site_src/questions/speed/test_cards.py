"""One card against several, in both articles that have them."""

from dataclasses import replace

import pytest

from kernels.store import Archive
from site_src.evidence import Evidence
from site_src.questions.speed import cards
from tests.makers import transcribed
from tests.site_src import articles, recorded

EN = recorded.english()
CNN = articles.drawn("rtx2080ti-colab-tpu")["cards"]
CATALYST = articles.drawn("catalyst-cost")["cards"]


def test_two_articles_on_cards_are_told_apart_by_the_cards() -> None:
    """Not by who published them."""
    assert CNN.heading(EN).endswith("(NVIDIA GeForce RTX 2080 Ti)")
    assert CATALYST.heading(EN).endswith("(NVIDIA GeForce GTX 1080 Ti)")


def test_two_cards_are_slower_at_first() -> None:
    """0.82 times as fast at 128, which is marked, and 1.00 times at 1024, which is not."""
    rows = {row["batch"]: row for row in CNN.rows(EN, {})}

    assert [(rows[size]["text"], rows[size]["pace"]) for size in (128, 1024)] == [
        ("0.82×", "slower"),
        ("1.00×", "alike"),
    ]
    assert rows[128]["under"] == "batch 128; slower than one card"
    assert CNN.rows(EN, {"measure": "efficiency_steady"})[0]["text"] == "41.1%"


def test_a_missing_partner_is_named() -> None:
    """At 2048 one card ran out of memory: no speed-up, and the words say which run."""
    last = CNN.rows(EN, {})[-1]

    assert (last["value"], last["text"], last["one_status"]) == (
        None,
        "1 × RTX 2080 Ti: out of memory",
        "oom",
    )
    assert last["status"] == "ok"


def test_power_is_summed_from_its_parts() -> None:
    """270 to 330 W; with both at work 300 to 500 W; nothing where none was read."""
    table = CNN.table.set_index("run_id")
    names = ["power_one_low", "power_one_high", "power_all_low", "power_all_high"]

    assert list(table.loc["rtx2080ti-colab-tpu-2gpu-cnn10-128", names]) == [270, 330, 300, 500]
    assert table.loc["rtx2080ti-colab-tpu-2gpu-wrn-128", names].isna().all()
    assert any("270" in note and "500" in note for note in CNN.notes(EN))


def test_three_cards_by_hand() -> None:
    """7092 s and 2430 s: 2.92 times, 97.3 %, and 11.6 % dearer by the prices of their rows."""
    row = CATALYST.records(EN)[0]

    assert row["speedup"] == pytest.approx(7092 / 2430)
    assert row["efficiency"] == pytest.approx(7092 / 2430 / 3)
    assert row["cost_change"] == pytest.approx(2430 * 0.000202 / (7092 * 0.000062) - 1)
    assert all(words in CATALYST.headline(EN) for words in ("2.92 times", "97.3%", "by +11.6%"))


def test_a_virtual_server_is_no_partner() -> None:
    """Three cards of a physical machine are held against one of a physical machine."""
    assert set(CATALYST.table["one_run"]) == {
        "catalyst-cost-1080ti-resnet101",
        "catalyst-cost-1080ti-resnet34",
    }


def test_a_headline_names_no_batch_that_is_not_stated() -> None:
    """The headline speaks of the pair with the greatest speed-up alone."""
    whole = transcribed("rtx2080ti-colab-tpu")
    runs = tuple(
        replace(run, global_batch_size=None) if run.global_batch_size == 1024 else run
        for run in whole.runs
    )
    archive = replace(whole, runs=runs)

    made = cards.figure(Evidence(archive, recorded.known()), "rtx2080ti-colab-tpu", "")

    assert (
        made is not None and "1.00 times" in made.headline(EN) and "batch" not in made.headline(EN)
    )


def test_nothing_is_compared_without_a_pair() -> None:
    """Without the runs on one card there is no chart."""
    whole = transcribed("catalyst-cost")
    archive = Archive(
        runs=tuple(run for run in whole.runs if (run.accelerators or 0) > 1), sources=whole.sources
    )

    assert cards.figure(Evidence(archive, recorded.known()), "catalyst-cost", "") is None
