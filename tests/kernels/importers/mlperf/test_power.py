"""Energy from power logs: the formula by hand, nodes and switches, logs that give none."""

from pathlib import Path

import pytest

from kernels.errors import SourceError
from kernels.importers import mlperf
from kernels.importers.base import Imported
from kernels.records import Run
from tests.kernels.importers.mlperf_logs import line, log, submission

NODE = (
    line("power_measurement_start", -1)
    + line("conversion_eff", -1, 0.9)
    + line("power_reading", 9, 100.0)
    + line("power_reading", 19, 300.0)
    + line("power_reading", 39, 200.0)
    + line("power_measurement_stop", 79)
    + line("power_reading", 89, 9999.0)
)
"""0.9 x (100 x 10 + 300 x 10 + 200 x 20) = 7200 J in 80 s; of a minute's run that is 5400 J."""

SWITCH = line("conversion_eff", 0, 0.5) + line("interconnect_power_est", 0, 40)
"""0.5 x 40 W x 60 s = 1200 J."""


def imported(root: Path, **logs: str) -> Imported:
    """A run of one minute with power logs beside it."""
    folder = submission(root, {"result_0.txt": log(1)})
    power = folder / "power" / "result_0"
    power.mkdir(parents=True)
    for name, text in logs.items():
        (power / f"{name}.txt").write_text(text)
    [part] = mlperf.parts(root, {})
    return mlperf.read(part)


def energy(run: Run) -> float | None:
    """Joule of a run, None without."""
    metric = run.metric("energy_j")
    return None if metric is None else metric.value


def test_energy_by_hand(tmp_path: Path) -> None:
    """Efficiency x watts by seconds x the run's time / the meter's; none behind the stop."""
    found = imported(tmp_path, node_0=NODE)

    assert energy(found.runs[0]) == pytest.approx(5400)
    assert not found.refused
    metric = found.runs[0].metric("energy_j")
    assert metric is not None and (metric.unit, metric.locator) == (
        "J",
        "file 'training_results_v2.0/Acme/results/box/resnet/power/result_0/node_0.txt'",
    )


def test_nodes_and_switches_are_added(tmp_path: Path) -> None:
    """And more nodes than the system has are told."""
    found = imported(tmp_path, node_0=NODE, node_1=NODE, sw_0=SWITCH)

    assert energy(found.runs[0]) == pytest.approx(12_000)
    assert any("power logs of 2 nodes for a system of 1" in warning for warning in found.warnings)


def test_order_and_repetition_of_lines_do_not_matter(tmp_path: Path) -> None:
    """Readings count in the order of their times."""
    assert energy(
        imported(tmp_path, node_0="".join(reversed(NODE.splitlines(keepends=True)))).runs[0]
    ) == pytest.approx(5400)


@pytest.mark.parametrize(
    ("logs", "wanted"),
    [
        ({"node_0": ""}, "measurement from None to None"),
        (
            {"node_0": NODE.replace("power_measurement_stop", "power_other")},
            "and a later power_measurement_stop",
        ),
        ({"node_0": NODE.replace("power_reading", "other")}, "no power_reading between"),
        ({"node_0": NODE.replace("300.0", '"many"')}, "line 4: power_reading 'many'"),
        ({"node_0": NODE.replace("300.0", "-3")}, "line 4: power_reading -3"),
        ({"node_0": NODE.replace("0.9", "90")}, "conversion_eff 90"),
        (
            {"node_0": NODE.replace('"time_ms": 17', '"time_ms": 16')},
            "measured before or after the run",
        ),
        ({"node_0": NODE, "sw_0": "nothing"}, "sw_0.txt: power None W"),
        ({"sw_0": SWITCH}, "the energy of a switch and of no node"),
    ],
)
def test_a_broken_power_log_gives_no_energy(
    tmp_path: Path, logs: dict[str, str], wanted: str
) -> None:
    """Nor does it cost the run: it is a warning with the file's name."""
    found = imported(tmp_path, **logs)

    assert energy(found.runs[0]) is None
    assert found.runs[0].wall_time_s == 60 and not found.refused
    assert any(wanted in warning for warning in found.warnings), found.warnings


def test_few_readings_are_told(tmp_path: Path) -> None:
    """The rules want sixty of a node; of many nodes it is said once."""
    one = " ".join(imported(tmp_path / "one", node_0=NODE).warnings)
    many = " ".join(imported(tmp_path / "many", node_0=NODE, node_1=NODE, node_2=NODE).warnings)

    assert "node_0.txt: 3 power readings, the rules want 60" in one and "more nodes" not in one
    assert many.count("readings") == 1 and "; 2 more nodes have too few" in many


def test_a_power_log_is_no_run(tmp_path: Path) -> None:
    """Asked for by itself it is refused."""
    imported(tmp_path, node_0=NODE)
    path = next(tmp_path.rglob("node_0.txt"))
    [part] = mlperf.parts(path, {})

    with pytest.raises(SourceError, match="a power log, read with the run beside which it lies"):
        mlperf.read(part)


def test_the_energy_of_a_real_run(external: Path) -> None:
    """0.94 x 2,145,666 J / 222 s of the meter x 220.176 s of training = 2,000,354.5 J."""
    folder = (
        external
        / "mlperf-training/training_results_v5.0/Lenovo/results/SR780aV3-8xB200_SXM_180GB/bert"
    )

    assert energy(mlperf.read_log(folder / "result_0.txt").runs[0]) == pytest.approx(
        2_000_354.5396, abs=0.0001
    )
