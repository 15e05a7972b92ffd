"""Readings of the monitor: ranges, peaks, sums and limits, by card."""

import pytest

from site_src.figures.marks import rows
from site_src.questions.machine import monitoring
from tests.site_src import articles, recorded

EN = recorded.english()
SOURCE = "rtx2080ti-colab-tpu"
JOINED = "\N{NO-BREAK SPACE}"


def told(quantity: str) -> dict[str, str]:
    """What is written at each line of a quantity, by its two lines of words."""
    found = articles.drawn(SOURCE)["monitoring"].rows(EN, {"quantity": quantity})
    return {
        f"{row['label']}, {row['under']}".replace(rows.SPACED, "\n"): str(row["text"]).replace(
            JOINED, " "
        )
        for row in found
    }


def test_the_power_of_each_card_and_of_both_stands_beside_the_limit() -> None:
    """200 to 250 W and 70 to 80 W are 270 to 330 W; two cards at work are 300 to 500 W as
    printed.
    """
    power = told("power")

    assert power["GPU 1, training on 1 × RTX 2080 Ti: CNN-10"] == "200–250 W"
    assert power["GPU 2, training on 1 × RTX 2080 Ti: CNN-10"] == "70–80 W"
    assert (
        power["GPU 1 + GPU 2, training on 1 × RTX 2080 Ti: CNN-10\nsum of the parts"] == "270–330 W"
    )
    assert (
        power["GPU 1 + GPU 2, training on 2 × RTX 2080 Ti: CNN-10\nall cards together"]
        == "300–500 W"
    )
    assert power["GeForce RTX 2080 Ti, specified power"] == "250 W"


def test_a_peak_above_the_specified_power_is_marked() -> None:
    """About 300 W is a fifth above 250 W, and nothing else is above a limit."""
    table = articles.drawn(SOURCE)["monitoring"].table
    over = table[table["over"].notna()]

    assert [(row["reading"], row["workload_name"]) for row in over.to_dict("records")] == [
        ("peak", "WRN-28-10")
    ]
    assert list(over["over"]) == pytest.approx([20])


def test_clocks_are_read_in_megahertz_and_keep_their_bound() -> None:
    """Boost clock or more, base clock on the idle card, about 300 MHz when idle; 6800 MHz of
    memory.
    """
    clock = told("graphics-clock")

    assert clock["GPU 1, training on 1 × RTX 2080 Ti: CNN-10"] == "≈ 1,545 MHz"
    assert clock["GPU 2, training on 1 × RTX 2080 Ti: CNN-10"] == "1,350 MHz"
    assert clock["GeForce RTX 2080 Ti, clock when idle"] == "≈ 300 MHz"
    assert set(told("memory-clock").values()) == {"6,800 MHz"}


def test_what_is_not_stated_has_no_number() -> None:
    """The idle card's memory is allocated, but nobody says how much; its load of 0% is a
    reading.
    """
    assert told("memory")["GPU 2, training on 1 × RTX 2080 Ti: CNN-10"] == EN.say(
        "status.not_reported"
    )
    assert told("load")["GPU 2, training on 1 × RTX 2080 Ti: CNN-10"] == "0%"


def test_it_says_how_often_was_read_and_what_is_left_out() -> None:
    """A line every 5 s; the host is in no sum; memory is what was allocated."""
    notes = " ".join(articles.drawn(SOURCE)["monitoring"].notes(EN)).replace(JOINED, " ")

    assert "every 5 s" in notes and "host" in notes and "allocated" in notes


def test_a_source_without_readings_has_no_such_chart() -> None:
    """The first article has no monitor."""
    source = "tpuv2-v100"

    assert monitoring.figure(articles.evidence(source), source, "") is None
