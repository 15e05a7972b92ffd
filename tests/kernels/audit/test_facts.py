"""References to figures, and what recomputing a printed figure says of it."""

from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kernels import catalog
from kernels.audit.facts import Facts, judge
from kernels.audit.formulas import Fact
from kernels.errors import FactError, RecordError, Severity
from kernels.printed import half_unit
from kernels.records import (
    Bound,
    Certainty,
    Claim,
    Price,
    PrintedCell,
    Rate,
    Run,
    Source,
    Status,
    Verdict,
)
from tests.makers import audited, chosen

SYNTHETIC = "run:tpuv2-v100-{}-synthetic-1024:throughput_images_per_s"
REAL = "run:tpuv2-v100-{}-imagenet-1024"


@dataclass(frozen=True)
class Held:
    """An archive in memory."""

    runs: tuple[Run, ...] = ()
    claims: tuple[Claim, ...] = ()
    sources: tuple[Source, ...] = ()
    cells: tuple[PrintedCell, ...] = ()
    prices: tuple[Price, ...] = ()
    rates: tuple[Rate, ...] = ()

    def file(self, record: object) -> Path | None:
        """Every claim was read from one file."""
        return Path("published/toy-claims.parquet") if record in self.claims else None


@dataclass
class Given:
    """Facts that a test hands out, counting how often it is asked."""

    fact: Fact
    asked: list[str] = field(default_factory=list)

    def get(self, ref: str) -> Fact:
        """The one fact."""
        self.asked.append(ref)
        return self.fact


facts = partial(audited, "tpuv2-v100")


@cache
def recorded() -> Facts:
    """Those of the chosen records."""
    return Facts(chosen(), catalog.load())


def cost(
    side: str,
    price: str,
    images: str = "workload:resnet50-imagenet:train_samples",
    target: str = "0.757",
) -> float | None:
    """Cost to a target by reference."""
    run = REAL.format(side)
    ref = (
        f"cost_to_target({run}:epochs_to_target@{target}, {images}, "
        f"{run}:throughput_images_per_s, price:{price}:per_hour)"
    )
    return facts().get(ref).value


def test_the_known_verdicts_come_out() -> None:
    """476 and 256 reproduce, 374 is 372.38 and rounding, about 3 % is 4.63 % and contradicts."""
    verdicts = {
        judged.claim.claim_id.removeprefix("tpuv2-v100-"): judged
        for judged in facts().judgements("tpuv2-v100")
    }

    assert verdicts["per-price-tpu"].verdict is Verdict.REPRODUCES  # 3186 / 6.7 = 475.52
    assert verdicts["per-price-v100"].verdict is Verdict.REPRODUCES  # 3128 / 12.2 = 256.39
    reserved = verdicts["per-price-v100-reserved"]
    # 3128 / 8.4; 3128.5 / 8.35 = 374.67 meets 373.5 to 374.5
    assert reserved.verdict is Verdict.ROUNDING
    assert reserved.recomputed == pytest.approx(372.38095238095240)
    behind = verdicts["tensorflow-behind-mxnet"]
    assert behind.verdict is Verdict.CONTRADICTS  # 1 - 3128 / 3280
    assert behind.recomputed == pytest.approx(4.6341463414634146)
    # 3280 / 3186 - 1
    assert verdicts["mxnet-over-best-tpu"].recomputed == pytest.approx(2.9504080351537979)
    # 3186 / 3128 - 1
    assert verdicts["tpu-ahead-at-1024"].recomputed == pytest.approx(1.8542199488491049)
    # 7500 / 730
    assert verdicts["cirrascale-per-hour"].recomputed == pytest.approx(10.273972602739726)
    # 76.4 - 75.7, without the dust of binary fractions
    assert verdicts["accuracy-difference"].recomputed == 0.7
    assert verdicts["gpu-ahead-at-small-batches"].verdict is Verdict.NOT_CHECKABLE
    counted = {
        verdict: sum(judged.verdict is verdict for judged in verdicts.values())
        for verdict in Verdict
    }
    assert counted == {
        Verdict.REPRODUCES: 36,
        Verdict.ROUNDING: 2,
        Verdict.ESTIMATE: 0,
        Verdict.CONTRADICTS: 1,
        Verdict.NOT_CHECKABLE: 5,
    }


def test_costs_to_the_target_come_out() -> None:
    """64 x 1 281 167 / 2796 / 3600 x 6.7 = 54.58; 86 epochs 73.34; four V100 128.46, 88.45."""
    tpu = "gcp-cloud-tpu-v2-8-on-demand-2018"

    assert cost("tpu", tpu) == pytest.approx(54.578406612621205)
    assert cost("tpu", tpu, "cell:tpuv2-v100:dataset:training-images:count") == pytest.approx(
        55.380702591002981
    )
    assert cost("tpu", tpu, target="0.764") == pytest.approx(73.339733885709744)
    assert cost("v100-tensorflow", "aws-p3.8xlarge-on-demand-2018") == pytest.approx(
        128.46267642760597
    )
    assert cost("v100-tensorflow", "aws-p3.8xlarge-reserved-12m-2018") == pytest.approx(
        88.449711638679519
    )


@pytest.mark.parametrize(
    ("ref", "value", "unit"),
    [
        (SYNTHETIC.format("tpu"), 3186, "images/s"),
        ("run:tpuv2-v100-tpu-synthetic-1024:batch_size_per_accelerator", 256, "images"),
        ("run:tpuv2-v100-v100-mxnet-synthetic-768:throughput_images_per_s", 3280, "images/s"),
        (REAL.format("tpu") + ":final_accuracy", 0.764, "1"),
        ("price:cirrascale-4xv100-month-2018:amount", 7500, "USD/month"),
        ("price:aws-p3.8xlarge-on-demand-2018:per_accelerator_hour", 3.05, "USD/h"),
        ("system:aws-p3.8xlarge:memory_bytes", 244e9, "byte"),
        ("workload:resnet50-imagenet:train_samples", 1281167, "images"),
        ("cell:tpuv2-v100:dataset:training-images:size", 142, "GB"),
        ("spec:tpu-v2:power", 280, "W"),
        ("claim:tpuv2-v100-per-price-v100-reserved:printed", 374, "images/s per USD/h"),
        ("count:claims.contradicts@tpuv2-v100", 1, "1"),
        ("count:runs.published", 8, "1"),
        ("number:99", 99, "1"),
        (" percent_more( number:110,number:100 ) ", 10, "percent"),
    ],
)
def test_a_reference_gives_its_figure(ref: str, value: float, unit: str) -> None:
    """Each kind of reference has a value and a unit."""
    found = facts().get(ref)

    assert found.value == pytest.approx(value)
    assert found.unit == unit


def test_a_score_is_a_fact_of_each_of_its_runs() -> None:
    """The score of five imported runs, by any of them; a run of no round is told apart."""
    facts = recorded()
    run = "mlperf-v0.5-google-cloud-v2.8-resnet-tpuv2-8-tpu-resnet-3"

    assert facts.get(f"score:{run}:minutes").value == pytest.approx(301.58, abs=0.005)
    assert facts.get(f"score:{run}:minutes").unit == "min"
    with pytest.raises(FactError, match="no scored run"):
        facts.get("score:tpuv2-v100-tpu-synthetic-1024:minutes")


def test_what_a_source_does_not_publish_is_no_zero() -> None:
    """The TPU's power is missing with its reason, beside another source's 280 W."""
    found = facts().get("spec:tpu-v2:power@tpuv2-v100")

    assert (found.value, found.certainty) == (None, Certainty.NOT_PUBLISHED)


def test_a_target_that_was_not_reached_is_no_figure() -> None:
    """The GPU's 76.4 % is not converged, and no cost can be made of it."""
    run = REAL.format("v100-tensorflow")

    found = facts().get(f"product({run}:epochs_to_target@0.764, number:2)")

    assert (found.value, found.status) == (None, Status.NOT_CONVERGED)


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        (
            "run:tpuv2-v100-tpu-imagenet-1025:final_accuracy",
            "did you mean 'tpuv2-v100-tpu-imagenet-1024'",
        ),
        (REAL.format("tpu") + ":final_accurracy", "did you mean 'final_accuracy'"),
        ("price:aws-p3.8xlarge-on-demand-2018:per_day", "amount, per_hour or per_accelerator_hour"),
        ("cell:tpuv2-v100:hosts:p3.8xlarge:os", "the cell holds a text"),
        ("count:claims.doubtful", "unknown kind 'doubtful'"),
        ("count:horses", "nothing to count"),
        ("number:nan", "wanted a number"),
        ("horse:1", "no reference"),
        ("ratio(number:1, (number:2)", "parenthesis"),
        ("ratio(number:1,)", "an empty input"),
        ("spec:tpu-v2:speed", "no such specification"),
    ],
)
def test_an_unknown_reference_names_the_nearest(ref: str, said: str) -> None:
    """A wrong reference is an error that helps."""
    with pytest.raises(FactError, match=said):
        facts().get(ref)


def test_a_claim_about_itself_is_a_circle() -> None:
    """A claim whose input is its own recomputed value is refused, not followed."""
    claim = Claim(
        "a-b", "a", "title", "repeated", "1", "repeats", ("claim:a-b:recomputed",), printed=1.0
    )

    with pytest.raises(FactError, match="circle"):
        Facts(Held(claims=(claim,)), catalog.load()).judgement("a-b")


@given(
    st.text(alphabet="runpicecel:()@,. ab1-", max_size=60)
    | st.integers(1, 400).map(lambda n: "repeats(" * n + "number:1" + ")" * n)
)
def test_any_reference_is_a_fact_or_an_error(ref: str) -> None:
    """No reference crashes: however deep or broken, it is a FactError or a figure."""
    try:
        facts().get(ref)
    except FactError:
        return

    assert facts().get(ref) is facts().get(ref)


PRINTED = Claim("a-b", "a", "title", "repeated", "1", "repeats", ("x",), printed=3.0, decimals=0)


def verdict_on(
    claim: Claim, value: float | None, low: float | None = None, high: float | None = None
) -> Verdict:
    """What is said of a claim whose formula gives this figure, or a range."""
    return judge(claim, Given(Fact("x", value, "1", low, high))).verdict


@pytest.mark.parametrize(
    ("bound", "recomputed", "verdict"),
    [
        (Bound.EQ, 3.49, Verdict.REPRODUCES),
        (Bound.EQ, 2.5, Verdict.REPRODUCES),
        (Bound.EQ, 3.51, Verdict.CONTRADICTS),
        (Bound.APPROX, 4.0, Verdict.REPRODUCES),
        (Bound.APPROX, 4.63, Verdict.CONTRADICTS),
        (Bound.LT, 0.1, Verdict.REPRODUCES),
        (Bound.LT, 2.99, Verdict.REPRODUCES),
        (Bound.LT, 3.0, Verdict.CONTRADICTS),
        (Bound.LT, 3.1, Verdict.CONTRADICTS),
        (Bound.GT, 3.0, Verdict.CONTRADICTS),
        (Bound.GT, 3.01, Verdict.REPRODUCES),
    ],
)
def test_the_words_around_a_figure_have_their_tolerance(
    bound: Bound, recomputed: float, verdict: Verdict
) -> None:
    """As printed: half a digit; about: a digit; less than: below; more than: above."""
    assert verdict_on(replace(PRINTED, bound=bound), recomputed) is verdict


def test_about_a_large_figure_is_five_per_cent() -> None:
    """About 1000 is reproduced by 1050 and not by 1051."""
    claim = replace(PRINTED, printed=1000.0, bound=Bound.APPROX)

    assert verdict_on(claim, 1050.0) is Verdict.REPRODUCES
    assert verdict_on(claim, 1051.0) is Verdict.CONTRADICTS


def test_a_printed_range_is_reproduced_from_inside() -> None:
    """2.2 to 2.7 holds 2.5 and a range within it; one that overlaps meets it by rounding."""
    claim = replace(PRINTED, printed=None, printed_low=2.2, printed_high=2.7, decimals=1)

    assert verdict_on(claim, 2.5) is Verdict.REPRODUCES
    assert verdict_on(claim, None, 2.3, 2.7) is Verdict.REPRODUCES
    assert verdict_on(claim, None, 2.5, 3.0) is Verdict.ROUNDING
    assert verdict_on(claim, 3.0) is Verdict.CONTRADICTS


@pytest.mark.parametrize(
    ("recomputed", "verdict"),
    [
        (3.2, Verdict.REPRODUCES),
        (31.6, Verdict.REPRODUCES),
        (3.1, Verdict.CONTRADICTS),
        (31.7, Verdict.CONTRADICTS),
    ],
)
def test_an_order_of_magnitude_is_the_nearest_power_of_ten(
    recomputed: float, verdict: Verdict
) -> None:
    """Ten, almost or as it stands, holds from the root of ten to ten times that."""
    for bound in (Bound.EQ, Bound.APPROX):
        claim = replace(PRINTED, printed=10.0, decimals=0, bound=bound, order=True)
        assert verdict_on(claim, recomputed) is verdict


def test_what_is_no_power_of_ten_is_no_order_of_magnitude() -> None:
    """30, or a range, cannot be printed as one."""
    with pytest.raises(
        RecordError, match=r"printed 30\.0 as an order of magnitude, wanted a power of ten"
    ):
        replace(PRINTED, printed=30.0, order=True)
    with pytest.raises(RecordError, match="wanted a power of ten"):
        replace(PRINTED, printed=None, printed_low=1.0, printed_high=10.0, order=True)


@pytest.mark.parametrize("formula", ["a thousand", "difference", "one", "ratio"])
def test_a_claim_that_cannot_be_judged_is_an_error(formula: str) -> None:
    """`check` names it with its file: a formula that is none, inputs that are not there."""
    wrong, right = (
        replace(PRINTED, claim_id=name, formula=formula, inputs=("run:nobody:accelerators",))
        for name in ("wrong", "right")
    )
    right = replace(right, formula="none")

    [finding] = Facts(Held(claims=(wrong, right)), catalog.load()).check()

    assert finding.severity == Severity.ERROR
    assert finding.place == "claim wrong (published/toy-claims.parquet)"
    assert finding.text.startswith("formula and inputs: ")


def test_an_estimator_never_reproduces() -> None:
    """A figure that an estimator gives is an estimate, even where it is the printed one."""
    assert verdict_on(replace(PRINTED, estimate=True), 3.0) is Verdict.ESTIMATE


def test_a_claim_without_formula_is_not_asked_for() -> None:
    """`none` is not checkable, and no fact is looked up for it."""
    given_facts = Given(Fact("x", 3.0, "1"))

    assert (
        judge(replace(PRINTED, formula="none", inputs=()), given_facts).verdict
        is Verdict.NOT_CHECKABLE
    )
    assert given_facts.asked == []


def test_another_unit_than_printed_is_refused() -> None:
    """Per cent against a fraction is a mistake in the claim, not a contradiction."""
    with pytest.raises(FactError, match="printed in 1, recomputed in percent"):
        judge(PRINTED, Given(Fact("x", 3.0, "percent")))


@given(
    st.integers(-(10**6), 10**6),
    st.integers(-3, 4),
    st.floats(-20, 20),
    st.floats(0, 10),
    st.floats(0, 10),
)
def test_rounding_is_where_the_intervals_meet(
    units: int, decimals: int, off: float, below: float, above: float
) -> None:
    """Within half a unit reproduces; rounding where the interval reaches in; else contradicts."""
    half = half_unit(decimals)
    printed = units * 2 * half
    value, low, high = (
        printed + off * half,
        printed + (off - below) * half,
        printed + (off + above) * half,
    )
    edges = [abs(abs(end) - 1.0) for end in (off, off - below, off + above)]
    assume(min(edges) > 1e-3)  # the edge itself is for the rounding of binary fractions

    verdict = judge(
        replace(PRINTED, printed=printed, decimals=decimals),
        Given(Fact("x", value, "1", low, high)),
    ).verdict

    if abs(off) < 1:
        assert verdict is Verdict.REPRODUCES
    elif off - below < 1 and off + above > -1:
        assert verdict is Verdict.ROUNDING
    else:
        assert verdict is Verdict.CONTRADICTS


def test_two_accelerators_are_compared_by_reference() -> None:
    """How many times as fast one trained a workload as the other, from 88.556 and 58.731 minutes,
    with the ends that the runs allow; and the scores themselves.
    """
    facts = recorded()
    pair = "pair:a30-vs-v100:resnet50-imagenet"

    ratio = facts.get(f"{pair}:ratio")
    turned = facts.get("pair:v100-vs-a30:resnet50-imagenet:ratio")

    assert facts.get(f"{pair}:fast").value == pytest.approx(58.731, abs=5e-4)
    assert facts.get(f"{pair}:base").value == pytest.approx(88.556, abs=5e-4)
    assert facts.get(f"{pair}:number").value == 8
    assert ratio.value == pytest.approx(88.556 / 58.731, rel=1e-4)
    assert turned.value == pytest.approx(58.731 / 88.556, rel=1e-4)
    assert (ratio.low, ratio.high) == pytest.approx((88.232 / 58.744, 97.195 / 58.722), rel=1e-4)


def test_a_pair_is_of_the_same_results_in_both_orders() -> None:
    """Of two numbers that are equally near to 16, 4 and 64, one is compared, whoever is faster."""
    sizes = {"gcp-8xv100-v0.7": 64, "dell-c4140": 4, "cloud-tpu-v3-32": 16}
    runs = [
        replace(
            run,
            accelerators=sizes[run.system],
            accelerator="tpu-v3" if "tpu" in run.system else "v100",
        )
        for run in chosen().runs
        if run.system in sizes and run.round == "v0.7"
    ]
    facts = Facts(Held(tuple(runs)), catalog.load())

    one = "pair:tpu-v3-vs-v100:resnet50-imagenet"
    other = "pair:v100-vs-tpu-v3:resnet50-imagenet"

    assert facts.get(f"{one}:base").value == facts.get(f"{other}:fast").value
    assert facts.get(f"{one}:base_number").value == facts.get(f"{other}:fast_number").value == 64


@pytest.mark.parametrize(
    ("ref", "why"),
    [
        ("pair:a30-vs-v1000:resnet50-imagenet:ratio", "no accelerator or system with scores"),
        ("pair:a30-vs-v100:bert-wikipedia:ratio", "no shared workload"),
        ("pair:a30-vs-tpu-v4:resnet50-imagenet:ratio", "unknown field"),
        ("pair:a30-vs-tpu-v4:resnet50-imagenet:number", "unknown field"),
        ("pair:a30-vs-v100:resnet50-imagenet:speed", "unknown field"),
    ],
)
def test_what_two_accelerators_do_not_share_is_refused(ref: str, why: str) -> None:
    """A ratio of unequal numbers of accelerators is none."""
    with pytest.raises(FactError, match=why):
        recorded().get(ref)
