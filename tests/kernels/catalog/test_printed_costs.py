"""Every cost that the articles print comes out of the model, from their own times and prices."""

from functools import cache
from pathlib import Path

import pytest

from kernels import catalog
from kernels.audit.facts import Facts
from kernels.catalog import cost
from kernels.importers.article import transcribed
from kernels.store import Archive

SOURCES = Path(__file__).resolve().parents[3] / "runs" / "sources"
RESNET = "workload:resnet50-imagenet:train_samples"
TPU, V100 = "run:tpuv2-v100-tpu-{}-1024", "run:tpuv2-v100-v100-tensorflow-{}-1024"
ON_DEMAND, RESERVED = (
    "price:aws-p3.8xlarge-on-demand-2018:per_hour",
    "price:aws-p3.8xlarge-reserved-12m-2018:per_hour",
)
CLOUD_TPU = "price:gcp-cloud-tpu-v2-8-on-demand-2018:per_hour"


@cache
def facts() -> Facts:
    """The figures of the articles that print costs."""
    found = [transcribed(SOURCES / name) for name in ("tpuv2-v100", "catalyst-cost")]
    runs, cells = (
        tuple(record for each in found for record in getattr(each, table))
        for table in ("runs", "cells")
    )
    return Facts(Archive(runs=runs, cells=cells), catalog.load())


def figure(ref: str) -> float:
    """A figure by its reference."""
    value = facts().get(ref).value
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("run", "price", "images"),
    [(TPU, CLOUD_TPU, 476), (V100, ON_DEMAND, 256), (V100, RESERVED, 372)],
)
def test_images_per_second_for_a_dollar_an_hour(run: str, price: str, images: int) -> None:
    """476, 256 and 372; the article prints 374 for the last, of an unrounded price."""
    speed = f"{run.format('synthetic')}:throughput_images_per_s"

    assert round(cost.throughput_per_price(figure(speed), figure(price))) == images
    assert round(figure(f"images_per_price({speed}, {price})")) == images


@pytest.mark.parametrize(
    ("run", "target", "price", "dollars"),
    [
        (TPU, "0.757", CLOUD_TPU, 54.58),  # printed: 55
        (TPU, "0.764", CLOUD_TPU, 73.34),  # printed: 73
        (V100, "0.757", ON_DEMAND, 128.46),
        (V100, "0.757", RESERVED, 88.45),
    ],
)
def test_dollars_to_an_accuracy(run: str, target: str, price: str, dollars: float) -> None:
    """Epochs x 1 281 167 images over the throughput on real images, at the price of the hour."""
    real = run.format("imagenet")
    epochs, speed = f"{real}:epochs_to_target@{target}", f"{real}:throughput_images_per_s"
    hours = cost.hours(figure(epochs), figure(RESNET), figure(speed))

    assert round(cost.cost(hours, figure(price)), 2) == dollars
    assert round(figure(f"cost_to_target({epochs}, {RESNET}, {speed}, {price})"), 2) == dollars


@pytest.mark.parametrize(
    ("run", "price", "euros"),
    [
        ("vds-resnet101", "hostkey-1080ti-vds-resnet101", 0.47),
        ("1080ti-resnet101", "hostkey-1080ti-resnet101", 0.44),
        ("3x1080ti-resnet101", "hostkey-3x1080ti-resnet101", 0.49),
        ("k80-resnet101", "aws-p2.xlarge-resnet101", 5.61),
        ("t4-resnet101", "gcp-t4-resnet101", 4.10),  # printed: 4.50
        ("vds-resnet34", "hostkey-1080ti-vds-resnet34", 0.09),
        ("1080ti-resnet34", "hostkey-1080ti-resnet34", 0.07),
        ("k80-resnet34", "aws-p2.xlarge-resnet34", 2.14),
        ("t4-resnet34", "gcp-t4-resnet34", 2.00),
    ],
)
def test_euros_of_a_training(run: str, price: str, euros: float) -> None:
    """Seconds at the price of a second: nine rows, of which one is printed otherwise."""
    seconds, offer = figure(f"run:catalyst-cost-{run}:train_time_s"), catalog.load().prices[price]

    assert round(cost.cost(seconds / 3600, cost.per_hour(offer)), 2) == euros
    assert (
        round(
            figure(f"cost_of_time(run:catalyst-cost-{run}:train_time_s, price:{price}:per_hour)"), 2
        )
        == euros
    )


def test_three_cards_cost_more_than_one() -> None:
    """11.6 % more, for 2.92 times the speed."""
    one, three = (
        cost.exactly(
            figure(
                f"cost_of_time(run:catalyst-cost-{run}-resnet101:train_time_s, "
                f"price:hostkey-{run}-resnet101:per_hour)"
            )
        )
        for run in ("1080ti", "3x1080ti")
    )

    assert round(100 * (cost.relative(three, one).value - 1), 1) == 11.6


def test_an_hour_of_preparation_and_other_hours() -> None:
    """60 min at 0.0429 cent/s are EUR 1.54, 0.0062 0.2232 an hour, USD 7500 a month 10.27."""
    prices = catalog.load().prices
    preparation = 60 * figure("cell:catalyst-cost:preparation:installing-and-loading:longest")

    assert (
        round(cost.cost(preparation / 3600, cost.per_hour(prices["aws-p2.xlarge-resnet101"])), 2)
        == 1.54
    )
    assert cost.per_hour(prices["hostkey-1080ti-vds-resnet101"]) == pytest.approx(0.2232)
    assert round(cost.per_hour(prices["cirrascale-4xv100-month-2018"]), 2) == 10.27
