"""Records refuse what cannot be true, and say what was wanted."""

from collections.abc import Callable
from datetime import date, datetime

import pytest

from kernels.errors import RecordError
from kernels.records import Bound, Claim, Evaluation, Interval, Metric, Rate, Status, Target
from tests.makers import make_cell, make_price, make_run


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Metric("step_time_s"), "neither value nor range"),
        (lambda: Metric("step_time_s", 1.0, "furlongs"), "furlongs"),
        (lambda: Metric("step_time_s", float("nan"), "s"), "nan"),
        (lambda: Metric("step_time_s", float("inf"), "s"), "inf"),
        (lambda: Metric("step_time_s", 1.0, "s", low=0.5), "come together"),
        (lambda: Metric("step_time_s", 1.0, "s", low=0.5, high=2.0), "come together"),
        (lambda: Metric("step_time_s", None, "s", 2.0, 1.0, Interval.PRINTED), "above high"),
        (lambda: Evaluation("top1", 0.5), "say where"),
        (lambda: make_run(run_id="Toy Run"), "lower-case"),
        (lambda: make_run(run_id="../toy"), "lower-case"),
        (lambda: make_run(system=""), "lower-case"),
        (lambda: make_run(accelerators=0), "1 or more"),
        (lambda: make_run(global_batch_size=0), "1 or more"),
        (lambda: make_run(started_at=datetime(2026, 11, 20)), "no time zone"),
        (lambda: make_run(metrics=(Metric("best_auc", 0.5), Metric("best_auc", 1))), "given twice"),
        (lambda: Claim("toy", "toy", "here", "cost", "furlongs", "none", printed=1.0), "furlongs"),
        (
            lambda: Claim("toy-claim", "toy", "here", "cost", "USD", "none", printed_low=1.0),
            "neither a printed figure",
        ),
        (lambda: make_price(currency="dollars"), "ISO 4217"),
        (lambda: make_price(amount=-1.0), "free alone"),
        (lambda: make_price(amount=0.0), "free alone"),
    ],
)
def test_a_record_that_cannot_be_true_is_refused(make: Callable[[], object], words: str) -> None:
    """Each refusal says what was wrong in words that a reader can act on."""
    with pytest.raises(RecordError, match=words):
        make()


def test_a_missing_figure_has_a_status_and_no_value() -> None:
    """Not measured is None and says why; it is never 0."""
    metric = Metric("throughput_images_per_s", None, "images/s", status=Status.OOM)

    assert metric.value is None
    assert metric.status is Status.OOM


def test_a_printed_range_needs_no_value() -> None:
    """A range such as 2.2 to 2.7 seconds is not its middle."""
    metric = Metric(
        "train_time_s", None, "s", low=2.2, high=2.7, interval=Interval.PRINTED, bound=Bound.APPROX
    )

    assert (metric.low, metric.value, metric.high) == (2.2, None, 2.7)


def test_one_metric_may_stand_for_several_targets() -> None:
    """The target is part of a metric's key, so epochs to 75.7 % and to 76.4 % are two figures."""
    first, second = (
        Metric("epochs_to_target", epochs, "epochs", target=Target("top1", value))
        for epochs, value in ((64, 0.757), (86, 0.764))
    )

    run = make_run(metrics=(first, second))

    assert run.metric("epochs_to_target@0.757") is first
    assert run.metric("epochs_to_target@0.764") is second
    assert run.metric("epochs_to_target") is None


@pytest.mark.parametrize(
    ("batch", "chips", "each"),
    [(1024, 4, 256), (1000, 3, None), (None, 4, None), (1024, None, None)],
)
def test_the_batch_of_one_chip_is_whole_or_unknown(
    batch: int | None, chips: int | None, each: int | None
) -> None:
    """A batch that does not divide evenly has no size per accelerator."""
    assert make_run(global_batch_size=batch, accelerators=chips).batch_size_per_accelerator == each


MAKERS: list[Callable[..., object]] = [
    lambda **fields: Metric(
        "top1", fields.get("figure", 0.5), "1", decimals=fields.get("decimals")
    ),
    lambda **fields: Claim(
        "a-b",
        "a",
        "x",
        "y",
        "1",
        "none",
        (),
        fields.get("figure", 1.0),
        decimals=fields.get("decimals", 0),
    ),
    lambda **fields: make_cell(
        value=fields.get("figure", 1.0), unit="1", decimals=fields.get("decimals")
    ),
    lambda **fields: make_price(
        amount=fields.get("figure", 1.0), decimals=fields.get("decimals", 2)
    ),
]


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"decimals": 400}, "decimals is 400"),
        ({"decimals": -31}, "decimals is -31"),
        ({"figure": float("nan")}, "nan"),
    ],
)
def test_a_printed_figure_is_one(
    made: Callable[..., object], fields: dict[str, float], said: str
) -> None:
    """A number with as many decimals as a source can print; as many as thirty are taken."""
    made(decimals=30)
    made(decimals=-30)

    with pytest.raises(RecordError, match=said):
        made(**fields)


def test_a_rate_is_a_number() -> None:
    """An exchange rate without end would make every amount so."""
    with pytest.raises(RecordError, match="rate is inf"):
        Rate("EUR", "USD", float("inf"), date(2026, 1, 1), "a", "table 1", "MIT")
