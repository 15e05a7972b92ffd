"""Each training is one side with its offers; the first question compares something."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from kernels.catalog import Catalog
from kernels.records import Direction, Metric, Per, Price, PriceKind, Run, Status
from kernels.store import Archive
from site_src import costs
from site_src.costs import Case, first_answers, targets
from site_src.costs.question import By, Row, State
from site_src.costs.setup import Setup
from site_src.evidence import Evidence
from site_src.tables import fits
from tests.makers import transcribed
from tests.site_src import articles, recorded
from tests.site_src.logged import submission

TODAY = date(2026, 11, 20)


def case(
    *runs: Run, workload: str = "resnet50-imagenet", catalog: Catalog | None = None
) -> Case | None:
    """The workload of these runs."""
    known, archive = catalog or recorded.known(), Archive(runs=runs)
    return next(
        (one for one in costs.cases(Evidence(archive, known)) if one.workload.workload == workload),
        None,
    )


def of_article(source: str, workload: str) -> Case:
    """A workload of one article alone."""
    found = costs.cases(articles.evidence(source))
    return next(one for one in found if one.workload.workload == workload)


def answered(case_: Case) -> tuple[Row, ...]:
    """The answer to its first question, without exchange rates."""
    (rows,) = first_answers([case_], (), TODAY)
    return rows


def ranked(case_: Case, target: float | None = None) -> dict[str, float]:
    """Costs by offer, cheapest first."""
    question = replace(case_.question, target=target or case_.question.target)
    rows = answered(replace(case_, question=question))
    return {
        row.offer.id: round(row.cost.value, 2)
        for row in rows
        if row.state is State.OK and row.offer and row.cost
    }


def test_the_time_of_several_runs_refers_to_their_median() -> None:
    """Also where one of them prints its time alone, without evaluations."""
    runs = submission(2, 3, 4)
    printed = replace(runs[0], evaluations=())
    found = case(printed, *runs[1:], *submission(3, system="gcp-8xv100"))
    assert found is not None
    several = next(one for one in found.setups if len(one.runs) == len(runs))
    asked = found.question

    ref = several.time_ref(asked.target, asked.direction)

    assert ref == f"run:{runs[1].run_id}:reach_s@{asked.target:g}"
    assert {run_id for run_id, _, _ in several.time_refs} == {printed.run_id}


def chip_price(**changes: object) -> Price:
    """An imported offer of one TPU v3 chip."""
    given = {
        "price_id": "gcp-tpu-v3-chip", "provider": "Google Cloud", "offer": "TPU v3 chip",
        "system": "google-cloud-tpu-v3-chip", "accelerators": 1,
        "kind": PriceKind.ON_DEMAND, "amount": 2.2, "currency": "USD", "per": Per.HOUR, "region": "europe-west4",
        "valid_from": date(2026, 8, 19), "valid_to": None,
        "source": "gpuhunt", "locator": "row 1", "licence": "MPL-2.0", "hardware": "tpu-v3",
    }  # fmt: skip
    return Price(**given | changes)  # type: ignore[arg-type]  # fields by name


def test_the_first_article_is_ranked_as_it_prints() -> None:
    """USD 54.58 on the TPU, 88.45 to 128.46 on V100; to 76.4 % the TPU alone."""
    found = of_article("tpuv2-v100", "resnet50-imagenet")

    assert (found.question.target, found.question.by, found.question.currency, found.targets) == (
        0.757,
        By.COST,
        "USD",
        (0.757, 0.764),
    )
    assert list(ranked(found).values()) == [54.58, 88.45, 108.18, 128.46]
    assert list(ranked(found, 0.764).values()) == [73.34]


@pytest.mark.parametrize(
    ("system", "rate", "times"),
    [("aws-p3.8xlarge", 2839, [37907]), ("cloud-tpu-v2-8", 2796, [29326, 39406])],
)
def test_a_printed_time_carries_what_rounding_allows(
    system: str, rate: int, times: list[float]
) -> None:
    """2839 images/s is some seconds more or less than 10.5 h, for each target."""
    setups = of_article("tpuv2-v100", "resnet50-imagenet").setups
    (trial,) = next(
        setup for setup in setups if setup.run.system == system and setup.time_refs
    ).candidate.trials

    assert [point.seconds for point in trial.points] == pytest.approx(times, abs=0.5)
    for point in trial.points:
        assert point.low_s is not None and point.high_s is not None
        assert point.seconds - point.low_s == pytest.approx(point.seconds * 0.5 / rate, rel=0.01)
        assert point.high_s - point.seconds == pytest.approx(point.seconds * 0.5 / rate, rel=0.01)


def test_what_follows_from_an_approximate_figure_is_said() -> None:
    """The first article prints "about 2796 images per second"; the second prints seconds."""
    remarks = [
        {key for row in answered(of_article(*name)) if row.rank for key in row.remarks}
        for name in (("tpuv2-v100", "resnet50-imagenet"), ("catalyst-cost", "resnet101-artists"))
    ]

    assert ["about-time" in found for found in remarks] == [True, False]


def test_a_training_time_belongs_to_the_final_quality() -> None:
    """Three cards have no row, and say so; neither of two rates for one machine ranks."""
    found = of_article("catalyst-cost", "resnet34-artists")
    rows = answered(found)

    assert found.question.target == 0.9091
    assert [round(row.cost.value, 2) for row in rows if row.cost] == [0.07, 0.09]
    assert [(row.candidate.system, row.state) for row in rows if row.rank is None] == [
        ("aws-p2.xlarge", State.DOUBTFUL_PRICE),
        ("gcp-t4", State.DOUBTFUL_PRICE),
        ("hostkey-3x1080ti", State.NOT_STATED),
    ]


def test_what_ran_out_of_memory_is_listed_as_failed() -> None:
    """A batch of 2048 does not fit one card: the side stands among the others, without a rank."""
    rows = answered(of_article("rtx2080ti-colab-tpu", "cnn10-cifar10"))
    failed = [row for row in rows if row.state is State.FAILED]

    assert [row.candidate.id for row in failed] == ["rtx2080ti-colab-tpu-1gpu-cnn10-2048"]
    assert {row.offer.kind for row in rows if row.rank == 1 and row.offer} == {PriceKind.FREE}


def test_a_collapsed_training_gives_no_target() -> None:
    """The WRN that ended at 17.6 % is no reason to offer 17 % as a target."""
    assert min(of_article("rtx2080ti-colab-tpu", "wrn28-10-cifar10").targets) == 0.73


def test_runs_of_a_submission_are_trials_of_one_side() -> None:
    """One missed the target: three trials, and each its record points alone."""
    found = case(*submission(2, 3, None), *submission(2, 2, system="gcp-8xv100", round_="v0.6"))
    assert found is not None
    rows: dict[str, Row] = {row.candidate.system: row for row in answered(found)}

    assert [len(setup.candidate.trials) for setup in found.setups] == [3, 2]
    assert (rows["nvidia-dgx-1"].reached, rows["nvidia-dgx-1"].trials) == (2, 3)
    for trial in found.setups[0].candidate.trials:
        qualities = [point.quality for point in trial.points]
        assert qualities == sorted(set(qualities))
    assert found.question.by is By.TIME


def test_one_setup_alone_ranks_nothing() -> None:
    """Nor do two that nobody could tell apart."""
    assert case(*submission(2, 3)) is None


def test_the_meter_of_a_log_counts_up_to_the_target() -> None:
    """Energy of a run belongs to the evaluation that ended it, and to none before."""
    run, other = submission(3), submission(3, system="gcp-8xv100")
    metered = replace(run[0], metrics=(*run[0].metrics, Metric("energy_j", 7.2e6, "J")))
    found = case(metered, *other)
    assert found is not None

    points = found.setups[0].candidate.trials[0].points
    assert [point.energy_j for point in points] == [None, None, 7.2e6]


def test_a_withdrawn_run_takes_no_part() -> None:
    """The side has the other run alone."""
    first, second = submission(2, 3)
    found = case(replace(first, withdrawn="wrong"), second, *submission(3, system="gcp-8xv100"))
    assert found is not None

    assert [trial.run_id for trial in found.setups[0].candidate.trials] == [second.run_id]


def test_chips_by_the_piece_fit_any_number_of_them() -> None:
    """One TPU v3 chip fits 16, and no V100; by two chips it fits two alone."""
    known = recorded.known()
    run = replace(submission(2)[0], system="cloud-tpu-v3-32", accelerator="tpu-v3", accelerators=16)

    assert fits(chip_price(), run, known, {"cloud-tpu-v3-32"})
    assert not fits(chip_price(accelerators=2), run, known, set())
    assert not fits(chip_price(), submission(2)[0], known, set())
    assert not fits(chip_price(kind=PriceKind.OWNED, per=Per.PURCHASE), run, known, set())


def test_a_devices_price_is_none_of_a_pods_slice() -> None:
    """4 chips of TPU v3 are a device, 16 a slice; a TPU v4 comes in slices alone."""
    known = recorded.known()
    four, sixteen = (
        replace(submission(2)[0], system="cloud-tpu-v3", accelerator="tpu-v3", accelerators=n)
        for n in (4, 16)
    )
    device, pod = (chip_price(system=f"google-cloud-tpu-v3-{name}") for name in ("device", "pod"))
    small, slice_ = (
        replace(four, accelerator="tpu-v4"),
        chip_price(system="google-cloud-tpu-v4-pod", hardware="tpu-v4"),
    )

    assert [
        fits(price, run, known, set()) for price in (device, pod) for run in (four, sixteen)
    ] == [True, False, False, True]
    assert fits(slice_, small, known, set())


def test_an_offer_of_a_measured_system_is_its_own() -> None:
    """AWS's price fits AWS's machine, once it was measured, and no other four V100."""
    known, price = recorded.known(), recorded.known().prices["aws-p3.8xlarge-on-demand-2018"]
    other = replace(submission(2)[0], accelerator="v100-sxm2-16gb", accelerators=4)

    assert not fits(price, other, known, {"aws-p3.8xlarge"})
    assert fits(price, other, known, set())
    assert not fits(
        replace(price, workload="resnet34-artists"),
        replace(other, system=price.system),
        known,
        set(),
    )


def test_imported_offers_are_listed_where_nothing_else_is() -> None:
    """The cheapest on demand in force, taken as often as there are chips, as another's."""
    setup = slice_of(
        chip_price(),
        chip_price(price_id="cheap", amount=2.0, region="us-east5", valid_from=date(2025, 6, 1)),
        chip_price(price_id="spot", amount=0.7, kind=PriceKind.SPOT),
        chip_price(price_id="before", amount=1.0, valid_from=date(2025, 1, 1)),
    )

    assert setup.listed == ("cheap",)
    offer = next(offer for offer in setup.offers if offer.id == "cheap")
    assert (offer.hourly, offer.remarks) == (32.0, ("other-machine", "later-price"))
    assert {offer.id for offer in setup.offers} == {"cheap", "spot", "before"}


def sixteen() -> list[Run]:
    """Runs on 16 chips of TPU v3."""
    runs = submission(2, 3, system="cloud-tpu-v3-32", accelerator="tpu-v3")
    return [replace(run, accelerators=16) for run in runs]


def slice_of(*prices: Price) -> Setup:
    """The side of 16 chips of TPU v3, where these prices are known."""
    archive = Archive(runs=(*sixteen(), *submission(2)), prices=prices)
    (found, *_) = costs.cases(Evidence(archive, recorded.known()))
    return next(setup for setup in found.setups if setup.run.system == "cloud-tpu-v3-32")


def listed(*prices: Price) -> tuple[set[str], Callable[[date], set[str]]]:
    """What counts by itself for them, and on a day."""
    setup = slice_of(*prices)
    return {*setup.listed}, lambda day: {
        span.offer for span in setup.days if span.first <= day <= span.last
    }


def own_price(id_: str, day: date | None, **changes: object) -> Price:
    """An offer of the measured system itself, recorded by hand."""
    given: dict[str, object] = {"system": "cloud-tpu-v3-32", "accelerators": 16} | changes
    return chip_price(price_id=id_, valid_from=day, source="by-hand", **given)


def test_the_newest_price_counts_whoever_recorded_it() -> None:
    """An index of 2026, the machine's own price of 2018, an index of 2017."""
    index, before = (
        chip_price(),
        chip_price(price_id="index-2017", valid_from=date(2017, 1, 1), source="an-index"),
    )
    ids, on = listed(own_price("hand", date(2018, 4, 1)), index, before)

    assert ids == {"gcp-tpu-v3-chip"}
    assert on(index.valid_from or date.min) == {"gcp-tpu-v3-chip"}
    assert on(date(2018, 4, 1)) == {"hand"}
    assert on(date(2017, 1, 1)) == {"index-2017"}
    assert on(date(2016, 12, 31)) == set()
    assert listed(own_price("hand", date(2018, 4, 1)), before)[0] == {"hand"}
    assert listed(own_price("newer", date(2026, 10, 1)), index)[0] == {"newer", "gcp-tpu-v3-chip"}


def test_an_undated_price_counts_where_no_dated_one_is() -> None:
    """However old that is: nobody knows which of the two is newer."""
    undated = own_price("undated", None)

    assert listed(undated, own_price("dated", date(2017, 1, 1)))[0] == {"dated"}
    assert listed(undated)[0] == {"undated"}


def test_what_is_bought_or_free_is_no_older_offer_of_what_is_rented() -> None:
    """Each of the three has its newest."""
    card = own_price("card", date(2019, 5, 14), kind=PriceKind.OWNED, per=Per.PURCHASE)
    free = own_price("free", date(2019, 5, 14), kind=PriceKind.FREE, amount=0.0)
    ids, on = listed(card, free, chip_price())

    assert ids == {"card", "free", "gcp-tpu-v3-chip"}
    assert on(date(2026, 8, 19)) == {"gcp-tpu-v3-chip"}
    assert on(date(2019, 5, 14)) == {"card", "free"}


def test_the_third_article_prices_what_is_bought_beside_what_is_free() -> None:
    """Those of the day that an article prints, and undated ones where it prints none."""
    first, third = (
        of_article("tpuv2-v100", "resnet50-imagenet"),
        of_article("rtx2080ti-colab-tpu", "cnn10-cifar10"),
    )

    assert costs.first_day(first.setups) == date(2018, 4, 15)
    assert costs.first_day(third.setups) == date(2019, 5, 14)


def test_an_old_price_of_another_machine_counts_for_its_time_alone() -> None:
    """Else it would win for no reason but its age."""
    old = chip_price(price_id="old", valid_from=date(2023, 5, 1), provider="Gone")
    newer = own_price("own", date(2026, 8, 19), system="cloud-tpu-v2-8", hardware="tpu-v2")

    found, on = listed(old, newer)

    assert found == set()
    assert on(date(2023, 5, 1)) == on(date(2024, 4, 30)) == {"old"}
    assert on(date(2024, 5, 1)) == set()
    assert listed(old)[0] == {"old"}


def test_of_other_machines_the_cheapest_of_the_day_is_taken() -> None:
    """From the day on which another becomes cheaper; spot and doubtful ones are none."""
    dear = chip_price(price_id="dear", valid_from=date(2025, 1, 1), provider="One", amount=2.0)
    cheap = chip_price(price_id="cheap", valid_from=date(2025, 6, 1), provider="Two", amount=1.0)
    spot = chip_price(price_id="spot", valid_from=date(2025, 1, 1), kind=PriceKind.SPOT, amount=0.5)

    _, on = listed(dear, cheap, spot)

    assert on(date(2025, 5, 31)) == {"dear"}
    assert on(date(2025, 6, 1)) == on(date(2026, 5, 31)) == {"cheap"}


def test_a_price_of_the_runs_own_time_is_not_a_later_one() -> None:
    """One of eight years after the run says so, as does one that covers chips alone."""
    ran = sixteen()[0].started_at
    assert ran is not None
    setup = slice_of(
        chip_price(valid_from=ran.date() + timedelta(days=365)),
        chip_price(price_id="later", includes=("accelerator",), kind=PriceKind.SPOT),
    )

    assert {offer.id: offer.remarks for offer in setup.offers} == {
        "gcp-tpu-v3-chip": ("other-machine",),
        "later": ("other-machine", "later-price", "accelerators-alone"),
    }


def test_the_first_answer_takes_no_other_machines_price_that_its_source_does_not_compare() -> None:
    """Cirrascale's is the first article's own comparison, and none for Dell's V100."""
    article = transcribed("tpuv2-v100").runs
    dell = [
        replace(
            run, system="dell-c4140", accelerator="v100-sxm2-32gb", accelerators=4, status=Status.OK
        )
        for run in submission(2)
    ]
    found = case(*article, *dell)
    assert found is not None
    listed = {
        setup.run.system: setup.listed
        for setup in found.setups
        if setup.time_refs or setup.run.system == "dell-c4140"
    }

    assert "cirrascale-4xv100-month-2018" in listed["aws-p3.8xlarge"]
    assert listed["dell-c4140"] == ()
    dells = next(setup for setup in found.setups if setup.run.system == "dell-c4140")
    assert [price.price_id for price in dells.prices] == ["cirrascale-4xv100-month-2018"]


def test_one_machine_is_not_ranked_against_itself() -> None:
    """Two frameworks on it are one system, which has its costs; a second system makes it a
    question.
    """
    own, known = (
        (*submission(2), *submission(3, framework="mxnet", round_="v0.6")),
        recorded.known(),
    )
    archive = Archive(runs=own)

    assert case(*own) is None
    assert len(costs.cases(Evidence(archive, known), least=1)[0].setups) == 2
    assert case(*own, *submission(2, system="gcp-8xv100")) is not None


def test_a_loss_is_reached_from_above() -> None:
    """Where less is better, targets come from the highest down, and the first point is the
    highest.
    """
    found = submission(2, workload="llama2-70b-lora-scrolls")
    assert (
        targets.direction(found, recorded.known().workloads["llama2-70b-lora-scrolls"])
        is Direction.AT_MOST
    )


def test_targets_that_nobody_reached_give_way_to_what_was() -> None:
    """Two setups that both missed their target still reached something, which can be asked for."""
    found = case(*submission(None), *submission(None, system="gcp-8xv100"))
    assert found is not None

    assert len(found.targets) == 1 and found.targets[0] < 0.749
