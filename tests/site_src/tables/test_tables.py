"""Tables hold machine values, keep what failed, and know which offers fit which run."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kernels import catalog
from kernels.records import Direction, Evaluation, Metric, Origin, Setting, Stat, Target
from site_src import tables
from site_src.evidence import Evidence
from site_src.questions.cost import value
from site_src.questions.speed import throughput
from site_src.tables import curve
from tests import makers
from tests.site_src import recorded


def test_a_cell_is_a_column_for_each_part_that_a_row_has() -> None:
    """Value and reference always, ends together, all else where a row has it."""
    cost = tables.Cell(2.5, "number:2.5", (2.0, None), bound="approx")
    table = tables.frame([{"cost": cost, "name": "a"}, {"name": "b", "cost": tables.Cell()}])

    assert tables.rows(table) == [
        {
            "cost": 2.5,
            "cost_ref": "number:2.5",
            "cost_low": 2.0,
            "cost_high": None,
            "cost_bound": "approx",
            "name": "a",
        },
        dict.fromkeys(("cost", "cost_ref", "cost_low", "cost_high", "cost_bound")) | {"name": "b"},
    ]


def test_a_cell_has_its_figure_from_its_reference() -> None:
    """A bound only where it is asked for; without a reference there is no figure."""
    facts, ref = recorded.facts(), "price:cirrascale-4xv100-month-2018:per_hour"
    asked = tables.cell(facts, ref, bound=True)

    assert (asked.value, asked.ref) == (facts.get(ref).value, ref)
    assert asked.bound == facts.get(ref).bound.value
    assert tables.cell(facts, ref).bound is None
    assert tables.cell(facts, None) == tables.Cell()


def test_rows_are_ranked_by_a_figure() -> None:
    """The greatest first, or the least; a row without the figure is left out."""
    rows: list[tables.Row] = [{"n": 1}, {"n": None}, {"n": 3}]

    assert tables.ranked(rows, "n") == [{"n": 3}, {"n": 1}]
    assert tables.ranked(rows, "n", least=True) == [{"n": 1}, {"n": 3}]


def test_systems_are_compared_at_a_batch_size_that_all_ran() -> None:
    """MXNet's faster 768 does not stand against the others' 1024."""
    runs = tables.common_batch(list(recorded.archive().runs))

    assert {
        run.global_batch_size
        for run in tables.common_batch([run for run in runs if run.source == "tpuv2-v100"])
    } <= {1024}


def test_an_offer_fits_its_own_system_and_unmeasured_machines_of_its_kind() -> None:
    """The V100 run takes AWS's two offers and Cirrascale's, the TPU run Google's alone."""
    runs = {run.run_id: run for run in recorded.archive().runs}

    def fitting(name: str) -> set[str]:
        return {
            price.price_id for price in tables.offers(runs[name], recorded.evidence(), "tpuv2-v100")
        }

    assert fitting("tpuv2-v100-v100-tensorflow-synthetic-1024") == {
        "aws-p3.8xlarge-on-demand-2018",
        "aws-p3.8xlarge-reserved-12m-2018",
        "cirrascale-4xv100-month-2018",
    }
    assert fitting("tpuv2-v100-tpu-synthetic-1024") == {"gcp-cloud-tpu-v2-8-on-demand-2018"}


def test_the_price_of_a_chip_prices_no_slice_of_four() -> None:
    """Charts take an offer as it stands; costs may take four of it."""
    evidence = recorded.evidence()
    run = next(
        each for each in recorded.archive().runs if each.accelerators == 4 and "tpu" in each.system
    )
    whole = next(one for one in tables.offers(run, evidence) if one.system == run.system)
    chip = replace(
        whole, price_id="chip", system="gcp-tpu-v2-device", hardware="tpu-v2", accelerators=1
    )
    known = catalog.load()
    known = replace(known, prices={**known.prices, "chip": chip})

    assert tables.fits(chip, run, known, {run.system})
    assert "chip" not in {
        one.price_id for one in tables.offers(run, Evidence(evidence.archive, known))
    }


def test_learning_rate_steps_are_falls_to_a_half() -> None:
    """A constant rate has no marks; a fall to a tenth after the second epoch has one."""
    steady = replace(
        recorded.MEASURED,
        epochs=tuple(replace(epoch, learning_rate=0.1) for epoch in recorded.MEASURED.epochs),
    )

    assert curve.rate_changes(steady) == []
    assert curve.rate_changes(recorded.MEASURED) == [2]


def test_what_follows_from_a_rounded_figure_is_no_sharper() -> None:
    """3280, printed to tens, gives 820 a chip; 3186 gives 796.5."""
    table = throughput.rows_of(recorded.evidence(), "tpuv2-v100")
    money = value.rows_of(recorded.evidence(), "tpuv2-v100")

    assert list(table["throughput_per_chip_decimals"])[:3] == [0, 1, 1]
    assert next(iter(money["images_decimals"])) == -3


def test_a_miss_does_not_read_as_a_hit() -> None:
    """0.748983 against 0.749 needs three decimals of a percentage, 0.7512 two; so does an error
    rate that is just above the most that was allowed.
    """
    goal, most = Target("top1", 0.749), Target("wer", 0.058, Direction.AT_MOST)
    assert tables.apart(0.748983, [goal], 2) == 3
    assert tables.apart(0.7512, [goal], 2) == 2
    assert tables.apart(0.749, [goal], 1) == 1
    assert tables.apart(0.0580493, [most], 2) == 3
    assert tables.apart(0.058, [most], 1) == 1


def test_a_miss_in_a_curve_does_not_read_as_a_hit() -> None:
    """Neither of a percentage nor of an AUC, which is read as it is recorded, nor of an error rate;
    a loss has the decimals of its column, and more only if it would read as a hit.
    """
    read = (
        (0.748983, Target("top1", 0.749)),
        (0.802466, Target("auc", 0.8025)),
        (0.0580493, Target("wer", 0.058, Direction.AT_MOST)),
        (0.9, Target("log_perplexity", 0.8, Direction.AT_MOST)),
        (2.690049, Target("log_perplexity", 2.69, Direction.AT_MOST)),
    )
    runs = [
        makers.make_run(evaluations=(Evaluation(goal.metric, value, epoch=1.0),), targets=(goal,))
        for value, goal in read
    ]

    table = curve.curve(catalog.load(), runs, list({goal.metric: None for _, goal in read}))

    assert [*table["quality_decimals"].fillna(-1)] == [3, 5, 3, -1, 5]


@given(st.floats(0, 1), st.floats(0, 1).map(lambda goal: round(goal, 3)))
def test_a_percentage_lies_on_the_side_of_the_goal(value: float, goal: float) -> None:
    """Whatever the reading, its text compares with the goal as it does, as far as six decimals can
    tell.
    """
    decimals = tables.apart(value, [Target("top1", goal)], 1)

    assert decimals == 7 or (round(value * 100, decimals) >= round(goal * 100, 1)) == (
        value >= goal
    )


@given(st.text())
def test_slugs_can_stand_in_an_address(text: str) -> None:
    """A slug has no spaces, no capitals and nothing that a query must escape but letters."""
    made = tables.slug(text)

    assert made == tables.slug(made)
    assert not set(made) & set(" &=?#%/,.")


def test_best_values_are_of_evaluations() -> None:
    """Every fourth epoch has its best of 16 evaluations, not of 16 epochs."""
    run = recorded.archive().runs[0]
    imported = replace(run, origin=Origin.IMPORTED)

    assert tables.within(imported, Metric("best_top1", 0.76, n=16, stat=Stat.MAX)) == (
        16,
        "evaluations",
    )
    assert tables.within(imported, Metric("median_epoch_s", 9.0, "s", n=16, stat=Stat.MEDIAN)) == (
        16,
        "epochs",
    )


def test_bleu_is_read_from_0_to_100() -> None:
    """Accuracies, and the epoch of the best BLEU, stay as they are."""
    assert (tables.level("bleu", 0.218), tables.level("top1", 0.759)) == (21.8, 0.759)
    refs = ("run:a:final_bleu", "run:a:best_bleu", "run:a:best_bleu_epoch", "run:a:final_top1")
    assert [tables.is_bleu(ref) for ref in refs] == [True, True, False, False]


def test_only_transformer_has_batches_of_unknown_units() -> None:
    """NCF logs a batch of another kind."""
    run = replace(
        recorded.archive().runs[0],
        round="v0.6",
        global_batch_size=None,
        settings=(Setting("input_batch_size", "512"),),
    )

    assert [
        tables.unsure_batch(replace(run, workload=name))
        for name in ("transformer-wmt-en-de", "ncf-movielens-20m")
    ] == [True, False]
