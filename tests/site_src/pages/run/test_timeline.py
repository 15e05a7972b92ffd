"""The small picture of a run on its own clock, on its page and on that of its machine."""

import re
from dataclasses import replace
from typing import Any

import pytest

from kernels.records import Metric, Run, Sample
from kernels.store import Archive
from tests.site_src.own import watched_run
from tests.site_src.pages.run.test_telemetry import page


def body(**fields: Any) -> str:
    """The page of such a run."""
    return page(Archive(runs=(replace(watched_run(), **fields),)))


def heights(text: str) -> list[list[float]]:
    """Heights of the points of each line."""
    return [
        [float(point.partition(",")[2]) for point in line.split()]
        for line in re.findall(r'<polyline points="([^"]+)"', text)
    ]


def test_the_curve_shares_its_axis_with_the_sensors() -> None:
    """One picture for curve, rate, load and memory, from the start of the clock to its end; the
    curve by epoch gives way to it.
    """
    text = body()

    assert [len(lines) for lines in heights(text)][:2] == [3, 4]
    assert len(heights(text)) == 4
    assert re.findall(r"<text x=554 y=\d+>([^<]+)", text) == [
        "top-1 accuracy",
        "learning rate",
        "load",
        "memory in use on the machine",
        "13.5\xa0s",
    ]
    assert "by epoch" not in text
    assert "Not recorded: power, kernel" in text


def test_lines_mark_epochs_and_drops() -> None:
    """Two ends of epochs are drawn plainly; at the second of three the rate falls, and its line is
    dashed.
    """
    text = body()

    assert "ends of epochs, dashed where the learning rate falls by half or more." in text
    plain, dashed = (
        re.findall(r'<path stroke-width=\S+ d="(\S[^"]*)"', text),
        re.findall(r'<path stroke-dasharray="4 3" d="([^"]*)"', text),
    )
    assert [path.count("M") for path in (*plain, *dashed)] == [2, 1]
    assert dashed[0].startswith("M393 20V")


@pytest.mark.parametrize("rates", [(0.1, 0.1, 0.1), (0.1, 0.09, 0.08), (None, None, None)])
def test_without_a_drop_nothing_is_said_of_one(rates: tuple[float | None, ...]) -> None:
    """A rate that holds, falls by little or was not recorded has no dashed line."""
    run = watched_run()
    text = body(
        epochs=tuple(
            replace(epoch, learning_rate=rate)
            for epoch, rate in zip(run.epochs, rates, strict=True)
        )
    )

    assert "ends of epochs" in text and "stroke-dasharray" not in text


def test_a_run_without_evaluations_shows_its_steps() -> None:
    """The time of each step but the first, which compiles, above the sensors."""
    text = body(evaluations=(), epochs=(), targets=())

    assert "Time per step, load and memory in use on the machine over" in text
    assert "ends of epochs" not in text


def test_a_page_with_many_readings_stays_small() -> None:
    """A hundred epochs and ten thousand readings of five sensors on a page that is full already."""
    many = tuple(
        Sample(
            n / 100,
            0,
            power_w=300.0 + n % 50,
            utilisation=0.9,
            memory_bytes=10**9 + n,
            clock_hz=1e9,
            temperature_c=60.0,
        )
        for n in range(1350)
    )
    crowded = watched_run(values=(*[0.5] * 99, 0.8), rates=tuple(0.1 / (1 + n) for n in range(100)))
    full = (*crowded.metrics, *(Metric(f"final_top1_{n}", 0.5, "1") for n in range(20)))

    room = len(page(Archive(runs=(replace(crowded, metrics=full, telemetry=()),))).encode())
    assert (
        len(page(Archive(runs=(replace(crowded, metrics=full, telemetry=many),))).encode()) - room
        < 2_600
    )


def test_a_load_of_one_value_is_drawn() -> None:
    """A sensor that never changes has a straight line, not a division by nothing."""
    run: Run = watched_run()
    still = tuple(Sample(n / 10, 0, temperature_c=40.0, power_w=0.0) for n in range(100))

    lines = heights(body(telemetry=still))
    assert len(lines) == 4 and all(len(set(line)) == 1 for line in lines[2:])
    assert run.telemetry != still
