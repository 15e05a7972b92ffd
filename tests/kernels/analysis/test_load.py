"""How busy a run kept its accelerators."""

from dataclasses import replace

from kernels.analysis.load import mean_load
from kernels.records import Metric, Phase, Sample, Step
from tests.makers import make_run


def test_load_is_of_the_timed_steps_and_of_each_card_alike() -> None:
    """Two cards at 0.9 and 0.5 come to 0.7, however often each was read; warm-up does not count."""
    run = make_run(
        steps=(Step(0, Phase.WARMUP, 0.0, 5.0), Step(1, Phase.MEASURE, 5.0, 5.0)),
        telemetry=(
            Sample(1.0, 0, utilisation=0.1),
            Sample(6.0, 0, utilisation=0.9),
            Sample(7.0, 0, utilisation=0.9),
            Sample(7.0, 1, utilisation=0.5),
            Sample(8.0, 1),
            Sample(11.0, 1, utilisation=0.0),
        ),
    )

    assert mean_load(run) == 0.7


def test_a_monitoring_log_has_its_own_figure() -> None:
    """That of all its readings wins over those that are kept."""
    run = make_run(
        metrics=(Metric("monitored_mean_utilisation", 0.8, "1"),),
        telemetry=(Sample(1.0, 0, utilisation=0.1),),
    )

    assert mean_load(run) == 0.8
    assert mean_load(replace(run, metrics=())) == 0.1
    assert mean_load(make_run()) is None
