"""The first answers: a sentence with its figures, a table, and a reason for each system that is not
ranked.
"""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from kernels import store
from kernels.records import Price, Rate, Run, Target
from kernels.store import Archive
from site_src import costs
from site_src.charts.drawn import DrawnFigure, Options
from site_src.costs import Case, bills, cases, words
from site_src.costs.answers import Asked, answers
from site_src.costs.question import By, State
from site_src.pages import calculator
from site_src.pages.calculator import costs_page
from site_src.pages.calculator.answer import Answer, Told, told
from site_src.pages.calculator.payload import Handed, chart, payload
from site_src.pages.components.writer import Writer
from site_src.questions.cost.costs import sentence as figure_sentence
from tests.makers import make_price, transcribed
from tests.site_src import recorded
from tests.site_src.costs.test_costs import TODAY, of_article
from tests.site_src.logged import submission
from tests.site_src.reading import said
from tests.site_src.recorded import english, figures_of, make_site, spoken

RESNET = "resnet50-imagenet"


def writer(archive: Archive) -> Writer:
    """Of the English page over these records, without charts."""
    site = make_site(archive)
    return Writer(site, english(), "costs/")


@dataclass(frozen=True)
class Rated(Answer):
    """An answer with the rates that it was worked out with."""

    rates: Sequence[Rate]


def answered(case: Case, rates: Sequence[Rate] = ()) -> Rated:
    """The answer to a workload's first question."""
    (answer,) = Answer.all([case], rates, TODAY)
    return Rated(answer.case, answer.rows, rates)


def shown(at: Writer, answer: Rated) -> Told:
    """The answer in words, as the page has it."""
    (found,) = told(at, [answer], payload(at, [Handed.of(at, answer)], answer.rates, TODAY))
    return found


def sentence(at: Writer, answer: Rated) -> Markup:
    """Its sentence."""
    return shown(at, answer).sentence


def block(at: Writer, answer: Rated) -> Markup:
    """Its table, with what stands below it."""
    return shown(at, answer).table


def unranked(at: Writer, answer: Rated) -> list[str]:
    """The lines on what is not ranked."""
    return re.findall(r"<li>(.*?)</li>", shown(at, answer).unranked)


def notes(at: Writer, answer: Rated) -> list[str]:
    """The remarks below its table."""
    return re.findall(r"<li>(.*?)</li>", block(at, answer))


def break_even(at: Writer, answer: Rated) -> str:
    """At which price its first two change places."""
    return "".join(re.findall(r'<p class="ts-costs__even">(.*?)</p>', block(at, answer)))


@cache
def first(source: str, workload: str) -> tuple[Writer, Rated]:
    """The first answer on a workload of an article alone."""
    at = writer(transcribed(source))
    return at, answered(of_article(source, workload), tuple(at.site.catalog.rates.values()))


def asked(answer: Rated, **changes: Any) -> Rated:
    """The answer to its question with something changed."""
    return answered(replace(answer.case, question=replace(answer.case.question, **changes)))


def offered(case: Case, system: str | None = None, **changes: Any) -> Case:
    """It with something changed in all offers, or in those for one system."""
    return replace(
        case,
        setups=tuple(
            replace(setup, offers=tuple(replace(offer, **changes) for offer in setup.offers))
            if system in {None, setup.run.system}
            else setup
            for setup in case.setups
        ),
    )


def test_the_sentence_names_the_cheapest_and_the_fastest() -> None:
    """Of those whose prices contradict no other; the T4 is faster, and its source prints two rates
    for it.
    """
    text = said(sentence(*first("catalyst-cost", "resnet101-artists")))

    assert text == (
        "ResNet-101 (paintings), AUC ≥ 0.9835 (among the systems whose price is not in doubt): "
        "the cheapest is 1 × "
        "GTX 1080 Ti (HOSTKEY) · Catalyst, "
        "at EUR 0.44, in 1.97 h (HOSTKEY, 1 × GeForce GTX 1080 Ti, terms not stated). "
        "The fastest of the ranked systems is 3 × GTX 1080 Ti · Catalyst, in 40.5 min, at EUR 0.49. "
        "Faster, but its price contradicts another: 1 × T4 · Catalyst, in 16.7 min."
    )


def test_a_price_that_cannot_be_right_names_what_it_was_compared_with() -> None:
    """What is not ranked for it has its hour and the other one of the same machine: 0.004087 x 3600
    and 0.002294 x 3600.
    """
    at, answer = first("catalyst-cost", "resnet101-artists")
    line = next(found for each in unranked(at, answer) if "contradicts" in (found := said(each)))

    assert (
        "1 × T4 · Catalyst (EUR 14.71/h, compared with EUR 8.26/h, "
        "Google Cloud, 1 × Tesla T4, terms not stated, quoted for training ResNet-34 (paintings))"
    ) in line
    assert "1 × K80 · Catalyst (EUR 1.54/h, compared with EUR 1.96/h, AWS, p2.xlarge" in line


def test_one_that_is_both_is_told_once() -> None:
    """The TPU is the cheapest and the fastest; what that rests on stands below."""
    at, answer = first("tpuv2-v100", RESNET)

    assert said(sentence(at, answer)).endswith("It is also the fastest.")
    assert (
        said(shown(at, answer).rests)
        == "timed: training steps only; published figures; number of runs not stated; undated price."
    )


def test_figures_have_the_references_that_give_them() -> None:
    """Time and cost of the first article follow from its facts by formulas; --verify holds them."""
    at, answer = first("tpuv2-v100", RESNET)
    shown = re.findall(
        r'<data value="([^"]+)" data-ref="([^"]+)">([^<]+)</data>', str(block(at, answer))
    )

    assert [text for _, _, text in shown] == [
        "8.15",
        "54.58",
        "10.53",
        "88.45",
        "10.53",
        "108.18",
        "10.53",
        "128.46",
        "5.18",
        "8.40",
    ]
    for value, ref, _ in shown:
        assert at.site.facts.get(ref).value == pytest.approx(float(value))


def test_a_median_over_runs_has_its_reference() -> None:
    """Of three runs the middle one's, of two the mean of both: each figure of time is that of its
    runs' evaluations.
    """
    at, answer = answer_of(
        *submission(2, 3, 5, minutes=10.0), *submission(1, 2, system="gcp-8xv100", minutes=10.0)
    )
    shown = re.findall(r'data-ref="([^"]+)">([^<]+)<', str(block(at, answer)))

    assert [text for _, text in shown] == ["15.0", "30.0"]
    assert [at.site.facts.get(ref).value for ref, _ in shown] == [15.0, 30.0]


def test_the_table_says_what_each_row_rests_on() -> None:
    """What is timed, its origin, terms and day of its price; what all share is said once, remarks
    that not all share have a number.
    """
    text = said(block(*first("tpuv2-v100", RESNET)))

    assert (
        "All rows – timed: training steps only; published figures; number of runs not stated."
        in text
        and "4 × V100 · TensorFlow1 2 Cirrascale, 4 × V100 monthly rental" in text
    )
    several = (*submission(2, 4), *submission(3, system="toy-1"))
    unlike = said(block(*answer_of(*several, by=By.TIME)))
    assert "All rows – timing scope not stated; imported figures." in unlike
    assert "1 run" in unlike and "both runs reached the target" in unlike
    assert (
        "1 The price is for another machine with the same accelerators. "
        "2 The source gives this price as approximate." in text
    )


def answer_of(
    *runs: Run, prices: tuple[Price, ...] = (), **changes: object
) -> tuple[Writer, Rated]:
    """The answer on the one workload of these runs, to its first question with something
    changed.
    """
    at = writer(Archive(runs=runs, prices=prices))
    (case,) = costs.cases(at.site.evidence)
    changed = replace(case, question=replace(case.question, **changes))  # type: ignore[arg-type]  # fields by name
    return at, answered(changed, tuple(at.site.catalog.rates.values()))


def test_a_shared_first_place_is_told_as_one() -> None:
    """Where intervals overlap no one is first: the sentence names the other, and the ranks say
    so.
    """
    at, answer = answer_of(
        *submission(2, 4, minutes=10.0), *submission(3, 3, system="gcp-8xv100", minutes=10.0)
    )

    assert "It shares first place with DGX-1" in said(sentence(at, answer))
    assert said(block(at, answer)).count("1 (shared)") == 2


def test_of_many_that_share_the_first_place_three_are_named() -> None:
    """And the others are counted."""
    names = [f"toy-{n}" for n in range(6)]
    runs = [run for id_ in names for run in submission(3, 3, system=id_, minutes=10.0)]
    five, six = (
        said(sentence(*answer_of(*submission(2, 4, minutes=10.0), *runs[: 2 * many])))
        for many in (4, 5)
    )

    assert "and 2 others: their intervals overlap" in six and six.count(" · set ") == 3
    assert "others" not in five and five.count(" · set ") == 4


def test_the_calculator_offers_the_currencies_of_the_cost_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And three more, which are no columns there."""
    at, answer = first("tpuv2-v100", RESNET)
    monkeypatch.setattr(bills, "CURRENCIES", ("CHF",))

    assert set(payload(at, [Handed.of(at, answer)], (), TODAY)["currencies"]) == {
        "BRL",
        "CHF",
        "MXN",
        "RUB",
        "USD",
    }


DGX_PRICE = make_price(
    "dgx-rent",
    provider="A cloud",
    offer="DGX-1",
    system="nvidia-dgx-1",
    accelerators=8,
    amount=10.0,
    valid_from=date(2018, 12, 1),
    source="a-source",
    locator="row 1",
    licence="CC0-1.0",
)


def test_who_is_faster_without_a_price_is_told() -> None:
    """The one with a price is first among those that have one, and is not called the fastest of
    all; where it is, nothing is added.
    """
    slow, quick = submission(4, 4), submission(2, 2, system="gcp-8xv100")
    at, answer = answer_of(*slow, *quick, prices=(DGX_PRICE,), by=By.COST)
    beside = said(sentence(at, answer))
    first_of_all = said(
        sentence(
            *answer_of(
                *quick, *submission(1, system="nvidia-dgx-1"), prices=(DGX_PRICE,), by=By.COST
            )
        )
    )
    by_time = said(sentence(*answer_of(*slow, *quick, prices=(DGX_PRICE,), by=By.TIME)))
    third = submission(3, system="toy-1")
    of_two = said(sentence(*answer_of(*slow, *quick, *third, prices=(DGX_PRICE,), by=By.COST)))
    near = submission(4, 4, system="gcp-8xv100", minutes=59.999)
    slightly = said(sentence(*answer_of(*slow, *near, prices=(DGX_PRICE,), by=By.COST)))

    assert "(among the compared systems with a price): the cheapest is DGX-1" in beside
    assert beside.endswith(
        "It is also the fastest of the ranked systems. Faster, but without a price here: 8 × V100 "
        "(Google Cloud) · TensorFlow · v0.5 (2018), in 2.00 h."
    )
    assert of_two.endswith(
        "8 × V100 (Google Cloud) · TensorFlow · v0.5 (2018), in 2.00 h, among others."
    )
    assert "in 4.00 h (A cloud" in slightly
    assert "Slightly faster, but without a price here: 8 × V100" in slightly
    assert slightly.endswith("in 4.00 h.")
    assert first_of_all.endswith("It is also the fastest, even among those without a price.")
    assert "The cheapest of those with a price is DGX-1" in by_time


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "free (up to 10 h per session), in up to 16.0 min"),
        ("ru", "бесплатно (сеанс до 10 ч), время до 16,0 мин"),
        ("ja", "費用は無料(1セッション10時間まで)、所要時間は最大16.0分"),
        ("es", "gratis (hasta 10 h por sesión), en no más de 16,0 min"),
    ],
)
def test_what_is_free_is_no_amount_of_nothing(language: str, words: str) -> None:
    """It is free up to its longest session, in every language, and no zero stands before or behind
    a currency.
    """
    archive = transcribed("rtx2080ti-colab-tpu")
    before = writer(archive)
    at = Writer(before.site, spoken(language), "costs/")
    found = answered(of_article("rtx2080ti-colab-tpu", "cnn10-cifar10"))
    text = said(sentence(at, found)) + said(block(at, found))
    drawn = figure_sentence(found.case, found.ranked, at.locale, {})

    assert words in re.sub(r"[\u202f\xa0]", " ", text)
    assert at.locale.free(36000.0) in at.locale.say(f"figure.costs.{drawn.key}", **drawn.names)
    assert not re.search(r"JPY ?0(?![\d.,])|(?<![\d.,])0 ?(JPY|円|¥)", text)


def test_a_session_ends_before_a_long_job() -> None:
    """A training of eleven hours is not one that ten hours of a free session reach, whatever it
    costs.
    """
    case = of_article("rtx2080ti-colab-tpu", "cnn10-cifar10")
    [setup] = [
        setup for setup in case.setups if setup.run.run_id == "rtx2080ti-colab-tpu-tpu-cnn10-128"
    ]
    [trial] = setup.candidate.trials
    long = replace(
        setup.candidate,
        trials=(
            replace(
                trial, points=(replace(trial.points[-1], seconds=39600.0, low_s=None, high_s=None),)
            ),
        ),
    )

    ((row,),) = answers([Asked(case.question, [(long, setup.offers[0])])], (), TODAY)

    assert (row.offer.session_limit_s if row.offer else None, row.state) == (
        36000,
        State.SESSION_TOO_SHORT,
    )
    assert "session-limit" in row.remarks


def test_what_is_bought_says_over_which_time() -> None:
    """Cards at more than JPY 150,000, spread over 36 months of use: no limit, as the time is an
    upper one; what is free costs no amount.
    """
    at, answer = first("rtx2080ti-colab-tpu", "cnn10-cifar10")
    text = said(block(at, answer))

    assert "Purchases are spread over 36 months, with the machine in use 100% of the time." in text
    assert "16.0 min free (up to 10 h per session)" in text and "JPY 0 " not in text
    assert "owned; more than JPY 150,000 to buy" in text and "up to 18.5 min about JPY 1.8" in text
    assert "spread over" not in said(block(*first("tpuv2-v100", RESNET)))


def test_what_was_reached_some_time_before_is_no_more_than_a_limit() -> None:
    """Whole trainings that ended beyond the target: times are up to so much, each in its place, and
    none is plainly the fastest.
    """
    at, answer = first("rtx2080ti-colab-tpu", "cnn10-cifar10")
    text = said(sentence(at, answer))
    by_time = asked(answer, by=By.TIME)

    assert "free (up to 10 h per session), in up to 16.0 min (Google Colab, TPU v2)." in text
    assert text.endswith(
        "It is also the fastest on record, but another may be faster: some times are upper limits."
    )
    assert (
        [row.rank for row in answer.ranked]
        == [row.rank for row in by_time.ranked]
        == [1, 2, 3, 4, 5]
    )
    assert "One run, or number of runs not stated" in said(block(at, answer))


def test_an_energy_says_what_it_is_made_of() -> None:
    """The TPU by its maker's rating beats the cards by theirs: figures of unlike kinds, and a rough
    order; of one kind it is not.
    """
    at, answer = first("tpuv2-v100", RESNET)
    by_energy = asked(answer, by=By.ENERGY)
    alike = answer_of(*submission(2, 4), *submission(3, 3, system="gcp-8xv100"), by=By.ENERGY)

    assert "8.15 h (rated power × time). The order is rough" in said(sentence(at, by_energy))
    assert "rough" not in said(sentence(*alike))


def test_each_reason_has_its_systems() -> None:
    """By time no price is needed; by cost both lack one; a target beyond all is missed."""
    runs = (*submission(2, 4), *submission(3, system="gcp-8xv100"))
    by_cost, too_late, beyond = (
        answer_of(*runs, **changes)
        for changes in ({"by": By.COST}, {"deadline_s": 60.0}, {"target": 0.99})
    )

    assert [said(line) for line in unranked(*by_cost)] == [
        "without a price: 8 × V100 (Google Cloud) · TensorFlow · v0.5 (2018); DGX-1 · TensorFlow · "
        "v0.5 (2018)"
    ]
    assert "has a price: enter one below" in said(sentence(*by_cost))
    assert said(unranked(*too_late)[0]).startswith("later than the deadline: ")
    assert re.match(
        r"did not reach the target: .+ \(\d+(\.\d+)?%\); .+ \(\d", said(unranked(*beyond)[0])
    )
    assert "is known to have reached this target" in said(sentence(*beyond))
    assert shown(*beyond).rests == "" and "<table" not in block(*beyond)


def test_a_long_list_of_what_is_not_ranked_is_folded() -> None:
    """More than eight names stand behind their number, as text until somebody opens them."""
    names = [f"toy-{n}" for n in range(8)]
    eight, nine = (
        shown(*answer_of(*submission(2, 4), *others, target=0.99)).unranked
        for others in (
            [run for id_ in found for run in submission(3, system=id_)]
            for found in (names[:7], names)
        )
    )

    assert "<details" not in eight and eight.count(";") == 7
    assert said(nine).startswith("Not ranked (9)")
    assert re.search(r"</summary><noscript><ul>.+</ul></noscript></details>$", nine)


@pytest.mark.parametrize(("target", "told"), [(0.749, "65.74%"), (0.6574, "65.7375%")])
def test_how_near_a_miss_came_has_two_decimals_unless_it_would_read_as_a_hit(
    target: float, told: str
) -> None:
    """The best of the runs that missed is 65.7375 %."""
    missed = submission(None, None, None)
    at, answer = answer_of(*missed, *submission(3, 3, system="gcp-8xv100"), target=target)

    line = next(each for each in map(said, unranked(at, answer)) if "did not reach" in each)
    assert f"({told})" in line


def test_an_offer_that_is_left_out_is_told_where_others_are_ranked() -> None:
    """Over a budget of 100 dollars are two of the offers of the V100, not the V100."""
    at, answer = first("tpuv2-v100", RESNET)
    limited = asked(answer, budget=100.0)
    none = asked(answer, budget=60.0)

    assert [said(line) for line in unranked(at, limited)] == [
        "over the budget: 4 × V100 · TensorFlow (AWS, p3.8xlarge, on demand); 4 × V100 · "
        "TensorFlow (Cirrascale, 4 × V100, monthly rental)"
    ]
    assert said(unranked(at, none)[0]) == "over the budget: 4 × V100 · TensorFlow"
    # the answer is of those within the limits, and says so
    both = asked(answer, budget=100.0, deadline_s=43200.0)
    assert said(sentence(at, limited)).startswith(
        "ResNet-50, top-1 accuracy ≥ 75.7%, within USD 100.00: the cheapest is "
    )
    assert said(sentence(at, both)).startswith(
        "ResNet-50, top-1 accuracy ≥ 75.7%, within USD 100.00 and 12.00 h: the cheapest is "
    )


def test_what_misses_a_limit_by_least_is_named() -> None:
    """The TPU's USD 54.58 is the nearest to a budget of 10, its 8.15 h to one hour; both misses are
    told where it misses both.
    """
    at, answer = first("tpuv2-v100", RESNET)

    def text(**limits: float) -> str:
        return said(sentence(at, asked(answer, **limits)))

    assert text(budget=10.0) == (
        "ResNet-50, top-1 accuracy ≥ 75.7%: at the prices ranked here, no system stays within USD "
        "10.00. The closest is Cloud TPU v2-8 · TensorFlow (Google Cloud, Cloud TPU v2-8, on demand): about "
        "USD 54.58, USD 44.58 over the budget."
    )
    assert text(budget=10.0, deadline_s=3600.0).endswith(
        "at the prices ranked here, no system stays within USD 10.00 and 1.00 h. The closest is "
        "Cloud TPU v2-8 · TensorFlow (Google Cloud, Cloud TPU v2-8, on demand): "
        "about USD 54.58, USD 44.58 over the budget; about 8.15 h, 7.15 h past the deadline."
    )
    assert "Nearest" not in text(budget=60.0)


def test_a_session_that_is_too_short_for_all_says_by_how_much() -> None:
    """Without a limit of the reader's own it is the offer's."""
    at, answer = first("tpuv2-v100", RESNET)
    text = said(sentence(at, answered(offered(answer.case, session_limit_s=7200.0))))

    assert "no system stays within one session of its offer. The closest is Cloud TPU v2-8" in text
    assert text.endswith("about 8.15 h, 6.15 h longer than a session (2.00 h).")


def test_a_target_between_two_printed_ones_is_behind_what_is_sharp() -> None:
    """75.9 % on the TPU lies between 8.15 h for 75.7 % and 10.95 h for 76.4 %: behind a run of two
    hours, without a price to break even.
    """
    article = transcribed("tpuv2-v100").runs
    at, answer = answer_of(
        *article,
        *submission(2, system="gcp-8xv100", target=Target("top1", 0.759)),
        target=0.759,
        by=By.TIME,
    )
    text = said(block(at, answer))

    assert [row.rank for row in answer.ranked] == [1, 2]
    assert "up to about 10.95 h 8.14–10.95" in text
    assert said(sentence(at, answer)).endswith(
        "The cheapest of those with a price is Cloud TPU v2-8 · TensorFlow, "
        "at up to about USD 73.34, in up to about 10.95 h."
    )
    assert "is not known" not in said(sentence(at, answer))


def test_how_many_runs_reached_it_is_told_with_the_winner() -> None:
    """Of three runs one: the sentence and the chart's headline say so; where all did, neither
    does.
    """
    some, every = submission(2, None, None), submission(3, 3, system="gcp-8xv100")
    at, answer = answer_of(*some, *every, prices=(DGX_PRICE,), by=By.TIME)
    text = said(sentence(at, answer))

    assert (
        "the fastest is DGX-1 · TensorFlow · v0.5 (2018) (1 of 3 runs reached the target)" in text
    )
    assert (
        words.counted("DGX-1", answer.ranked[0], at.locale)
        == "DGX-1 (1 of 3 runs reached the target)"
    )
    assert words.counted("8 × V100", answer.ranked[1], at.locale) == "8 × V100"


def test_energy_without_a_power_is_asked_for() -> None:
    """Of a kind of accelerator whose power nobody states."""
    runs = (
        *submission(2, accelerator="unheard-of"),
        *submission(3, system="gcp-8xv100", accelerator="unheard-of"),
    )

    assert "No power is known for the systems that reached the target" in said(
        sentence(*answer_of(*runs, by=By.ENERGY))
    )


def test_the_price_at_which_the_second_draws_level() -> None:
    """Four V100 need 37 907 s where the TPU needs 29 326 s at USD 6.70 an hour: USD 5.18."""
    text = said(break_even(*first("tpuv2-v100", RESNET)))

    assert (
        text
        == "At USD 5.18 an hour (5.18 to 5.19) instead of USD 8.40, 4 × V100 · TensorFlow would "
        "cost as much as Cloud TPU v2-8 · TensorFlow."
    )


def test_preparation_turns_short_jobs_round() -> None:
    """Two hours before the cheaper one can start: below some length of the job the dearer one,
    ready at once, costs less.
    """
    at, answer = first("tpuv2-v100", RESNET)
    case = offered(answer.case, "cloud-tpu-v2-8", preparation_s=7200.0)
    text = said(break_even(at, answered(case)))

    # 6.70 (7200 + t) = 8.40 (37 907 / 29 326) t
    assert text.endswith(
        "For jobs that take less than 3.22 h on Cloud TPU v2-8 · TensorFlow, 4 × V100 · TensorFlow "
        "would cost less."
    )


def test_converted_amounts_name_rate_and_day() -> None:
    """Euros of a question in dollars; without a rate nothing is shown."""
    at, answer = first("catalyst-cost", "resnet101-artists")
    rate = Rate(
        "EUR",
        "USD",
        day=date(2019, 5, 1),
        rate=1.1172,
        source="a-bank",
        locator="row 1",
        licence="CC0-1.0",
    )
    dollars = offered(
        replace(answer.case, question=replace(answer.case.question, currency="USD")),
        rate_day=date(2019, 5, 3),
    )
    with_rate = answered(dollars, (rate,))

    (line,) = [note for note in notes(at, with_rate) if "converted" in note]
    assert (
        said(line)
        == "Amounts in EUR are converted at USD 1.1172 for EUR 1, the reference rate of 1 May 2019 "
        "(a-bank)."
    )
    assert not answered(dollars).ranked


def test_the_browser_is_handed_all_figures_unrounded() -> None:
    """Times and prices go over at full precision; what is missing is left out."""
    at, answer = first("tpuv2-v100", RESNET)
    given = json.loads(json.dumps(payload(at, [Handed.of(at, answer)], (), TODAY)))
    setup = next(
        setup
        for setup in given["workloads"][0]["sides"]
        if setup["candidate"]["id"] == "tpuv2-v100-tpu-imagenet-1024"
    )

    time = answer.ranked[0].seconds
    assert time and time.low < time.value < time.high
    assert setup["candidate"]["trials"][0]["points"][0] == [
        0.757,
        time.value,
        None,
        time.low,
        time.high,
    ]
    offer = given["workloads"][0]["offers"][setup["offers"][0]]
    assert offer["hourly"] == 6.7 and "granularity_s" not in offer and "day" not in offer
    assert given["workloads"][0]["systems"]["cloud-tpu-v2-8"] == [
        "Cloud TPU v2-8",
        "../systems/cloud-tpu-v2-8/",
    ]


def test_an_archive_with_nothing_to_rank_has_the_page() -> None:
    """Its words alone, without a calculator."""
    at = writer(Archive())
    page = costs_page(at)

    assert 'id="calculator"' not in page.body and "calculator" not in page.head
    assert not page.beside
    assert "<li>None.</li>" in page.body and "over the years" not in said(page.body)


def test_charts_of_costs_over_the_years_are_a_link_away() -> None:
    """Of each workload that is ranked and has one."""
    found = transcribed("tpuv2-v100")
    figure = replace(next(iter(figures_of(found).values())), id=f"{RESNET}-cost-history")
    drawn = DrawnFigure(
        figure, (english(),), {}, defaultdict(str), Options(Path(), TODAY), compiled={}, sources={}
    )
    at = Writer(make_site(found, {figure.id: drawn}), english(), "costs/")

    assert re.search(
        rf'over the years: <a href="\.\./c/{figure.id}/">ResNet-50</a>\.', costs_page(at).body
    )


def test_each_answer_stands_without_a_script() -> None:
    """The first workload's on the page with its table, the others' in a sentence that leads to a
    page of its own.
    """
    at = writer(Archive(runs=(*transcribed("tpuv2-v100").runs, *transcribed("catalyst-cost").runs)))
    page, others = costs_page(at), ["resnet101-artists", "resnet34-artists"]
    below = page.body.partition('<ul class="ts-costs__others">')[2]

    assert page.body.count('<table class="ts-table ts-table--costs"') == 1
    assert re.findall(r'<li id="([^"]+)"><p>', below) == others == calculator.others(at.site)
    assert [re.search(rf'href="[^"]*{id_}/"', below) is not None for id_ in others] == [True, True]
    own = calculator.answer_page(Writer(at.site, at.locale, f"costs/{others[0]}/"), others[0])
    assert own.body.count('<table class="ts-table ts-table--costs"') == 1
    assert own.title == "What does training ResNet-101 (paintings) cost?"


def test_a_workload_comes_with_the_page_or_by_need() -> None:
    """The first is in the page's own script, which says where each other is."""
    at = writer(Archive(runs=(*transcribed("tpuv2-v100").runs, *transcribed("catalyst-cost").runs)))
    answers = Answer.all(cases(at.site.evidence), (), TODAY)
    first, *others = calculator.scripts_of(
        at, payload(at, [Handed.of(at, one) for one in answers], (), TODAY)
    )
    text = first.content.decode()
    given = json.loads(text.removeprefix("window.touchstoneCosts=").removesuffix(";\n"))

    assert [one["id"] for one in given["workloads"]] == [answers[0].case.workload.workload]
    assert len(others) == len(answers) - 1 > 1
    assert [asset.path.rpartition("/")[2] for asset in others] == [
        place.partition("?")[0] for place in given["others"].values()
    ]
    assert all(
        f'"id":"{id_}"' in asset.content.decode()
        for id_, asset in zip(given["others"], others, strict=True)
    )


def test_a_dark_page_and_logarithmic_axes_change_different_places() -> None:
    """Both can be set at once: neither replaces what the other changes within, and each axis has a
    place for its title.
    """
    made = chart()
    dark, log = ([tuple(path) for path, _ in made[name]] for name in ("dark", "log"))

    assert dark and log
    assert not [
        (one, other)
        for one in dark
        for other in log
        if one[: len(other)] == other or other[: len(one)] == one
    ]
    assert all(len(paths) == 1 for paths in made["titles"].values())


def test_the_calculator_names_a_source_of_rates_as_the_page_does() -> None:
    """Both write the bank's title in the page's language."""
    own = transcribed("rtx2080ti-colab-tpu")
    at = writer(
        replace(
            own,
            sources=(
                *own.sources,
                *store.read_file(
                    recorded.REPOSITORY / "runs" / "published" / "ecb-sources.parquet"
                ),
            ),
        )
    )
    answer = answered(of_article("rtx2080ti-colab-tpu", "cnn10-cifar10"))
    japanese = Writer(at.site, spoken("ja"), "costs/")
    names = payload(
        japanese, [Handed.of(japanese, answer)], tuple(at.site.catalog.rates.values()), TODAY
    )["rate_sources"]

    assert names == {"ecb": [str(japanese.source_name("ecb").striptags())]}
    assert names["ecb"] != [at.site.sources["ecb"].title]
