"""Amounts and times are read in the unit and with the digits that say something."""

from dataclasses import replace

import pytest

from kernels.records import Setting
from site_src.costs import words
from site_src.costs.question import Basis
from site_src.locales import Locale, load
from tests.site_src.costs.test_costs import answered, of_article
from tests.site_src.tongues import STRINGS


@pytest.fixture(scope="module")
def english() -> Locale:
    """The reference language."""
    return load(STRINGS, ("en",))[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (54.578, "54.58"),
        (0.07, "0.07"),
        (0.004, "0.0040"),
        (0.0, "0.00"),
        (128_462.9, "128,462.90"),
    ],
)
def test_money_has_two_digits_however_small(value: float, text: str, english: Locale) -> None:
    """What is less than a cent is not shown as nothing."""
    assert words.money(value, "USD").text(english).replace("\xa0", " ") == f"USD {text}"


@pytest.mark.parametrize(
    ("value", "text"),
    [(150_000, "150,000"), (12.4, "12"), (1.763, "1.8"), (0.25, "0.25"), (0, "0")],
)
def test_few_yen_have_decimals(value: float, text: str, english: Locale) -> None:
    """A currency without decimals has them where whole figures would say nothing."""
    assert words.money(value, "JPY").text(english).replace("\xa0", " ") == f"JPY {text}"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (29325.7, "8.15 h"),
        (3600, "1.00 h"),
        (3599, "60.0 min"),
        (60, "1.0 min"),
        (59.9, "59.9 s"),
        (0.25, "0.3 s"),
        (0.02, "0.020 s"),
    ],
)
def test_a_time_is_read_in_its_unit(seconds: float, text: str, english: Locale) -> None:
    """Hours from an hour on, minutes from a minute on."""
    assert words.time(seconds).text(english).replace("\xa0", " ") == text


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("top1", 0.757, "75.7%"),
        ("top1", 0.7585, "75.85%"),
        ("auc", 0.9835, "0.9835"),
        ("bleu", 0.218, "21.8"),
        ("loss", 0.925, "0.925"),
        ("map", 0.23, "23.0%"),
    ],
)
def test_a_quality_keeps_its_digits(metric: str, value: float, text: str, english: Locale) -> None:
    """Percentages, BLEU from 0 to 100, AUC and losses as they are."""
    assert words.level(metric, value, english) == text


def test_sides_of_one_name_are_told_apart(english: Locale) -> None:
    """By what differs: the batch size of the third article's runs."""
    found = words.names(of_article("rtx2080ti-colab-tpu", "cnn10-cifar10").setups, english)

    assert len(set(found.values())) == len(found) == 15
    assert found["rtx2080ti-colab-tpu-tpu-cnn10-128"].endswith("Keras · batch 128")


def test_a_small_suite_is_told_from_a_full_training(english: Locale) -> None:
    """Their names say so, and no numbers."""
    setups = of_article("rtx2080ti-colab-tpu", "cnn10-cifar10").setups[:1]
    run = setups[0].run
    small = replace(run, settings=(*run.settings, Setting("suite_size", "small")))
    found = words.names(
        (
            setups[0],
            replace(setups[0], run=small, candidate=replace(setups[0].candidate, id="small")),
        ),
        english,
    )

    assert [name.split(" · ")[2:] for name in found.values()] == [[], ["small size"]]


def test_remarks_that_all_rows_share_have_no_number() -> None:
    """All undated and old; one needs a commitment, one is another machine's."""
    shared, numbered = words.marks(answered(of_article("tpuv2-v100", "resnet50-imagenet")))

    assert shared == ["undated", "old-price", "pro-rata", "n1", "about-time", "estimate-energy"]
    assert numbered == ["other-machine", "about", "accelerators-alone", "commitment"]


def test_a_cost_that_is_about_for_two_reasons_says_so_once() -> None:
    """By its price and by its time; "more than" stands beside it."""
    assert words.bounds(["about", "n1", "about-time", "at-least"]) == ["about", "more_than"]


def test_up_to_stands_before_about(english: Locale) -> None:
    """Whichever remark comes first; of two known targets the harder one sets the limit."""
    (key,) = words.bounds(["at-most", "about-time"])

    assert words.bounds(["about", "between"]) == [key]
    assert english.say(key, n="USD 54.58") == "up to about USD 54.58"
    assert words.bounds(["between"]) == ["up_to"]


def test_each_word_for_what_an_energy_is_made_of_can_be_said(english: Locale) -> None:
    """A meter's, or of a power that a maker rates or a reader types."""
    said = {
        key.removeprefix("costs.power.")
        for key in english.strings
        if key.startswith("costs.power.")
    }

    assert said == {"metered", *Basis}


def test_an_offer_says_that_its_price_contradicts_another() -> None:
    """In the line below it and among the offers to choose from."""
    case = of_article("catalyst-cost", "resnet101-artists")
    (english,) = load(STRINGS, ("en",))
    pairs = [pair for setup in case.setups for pair in zip(setup.prices, setup.offers, strict=True)]
    found = {offer.id: words.under(price, offer, english) for price, offer in pairs}

    assert found["gcp-t4-resnet101"].endswith("with a price that contradicts another")
    assert "contradicts" not in found["hostkey-1080ti-resnet101"]
