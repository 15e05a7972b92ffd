"""CNN-10 on CIFAR-10 in JAX: network, method and data of `cnn10.py` and `cifar10.py`, where the
choices are explained.

The layers and the distribution of initial weights are the same; the numbers drawn differ, so the
curves of one seed differ, and those of many do not. Written in plain JAX: the update is two lines,
without a library. Images have their channels last, as XLA prefers on CPUs.
"""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from kernels import datasets
from kernels.backends.base import OneStep
from kernels.backends.jax import Jax
from kernels.errors import MeasureError
from kernels.records import DataKind

CHANNELS: Final = (64, 128, 256)
REPEATS: Final = 3
CLASSES: Final = 10
PIXELS: Final = 32
TRAIN: Final = 50_000
BASE_RATE: Final = 0.1
BASE_BATCH: Final = 128
MOMENTUM: Final = 0.9
MEAN: Final = (0.49139968, 0.48215841, 0.44653091)
DEVIATION: Final = (0.24703223, 0.24348513, 0.26158784)
HELD_BATCH: Final = 500
STATISTICS_MOMENTUM: Final = 0.1
EPSILON: Final = 1e-5


def initial(key: Any, width: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns weights as in PyTorch (uniform within 1 / sqrt(inputs)), and running statistics."""
    weights: dict[str, Any] = {}
    statistics: dict[str, Any] = {}
    inputs = 3
    for block, full in enumerate(CHANNELS):
        channels = round(full * width)
        for index in range(REPEATS):
            key, drawn = jax.random.split(key)
            bound = 1 / math.sqrt(9 * inputs)
            weights[f"{block}{index}"] = {
                "kernel": jax.random.uniform(
                    drawn, (3, 3, inputs, channels), minval=-bound, maxval=bound
                ),
                "scale": jnp.ones(channels),
                "shift": jnp.zeros(channels),
            }
            statistics[f"{block}{index}"] = {
                "mean": jnp.zeros(channels),
                "variance": jnp.ones(channels),
            }
            inputs = channels
    kernel, bias = jax.random.split(key)
    bound = 1 / math.sqrt(inputs)
    weights["head"] = {
        "kernel": jax.random.uniform(kernel, (inputs, CLASSES), minval=-bound, maxval=bound),
        "bias": jax.random.uniform(bias, (CLASSES,), minval=-bound, maxval=bound),
    }
    return weights, statistics


def flop(width: float) -> float:
    """Returns the operations to train one picture, counted as in `operations.training_flop`."""
    products = []
    inputs = 3
    for block, full in enumerate(CHANNELS):
        channels = round(full * width)
        for _ in range(REPEATS):
            products.append((PIXELS >> block) ** 2 * 9 * inputs * channels)
            inputs = channels
    return 2.0 * (3 * (sum(products) + inputs * CLASSES) - products[0])


def scores(
    weights: Any, statistics: Any, images: Any, dtype: Any, *, train: bool
) -> tuple[Any, Any]:
    """Maps (n, 32, 32, 3) to (n, 10) scores; returns the new running statistics too."""
    seen: dict[str, Any] = {}
    for block in range(len(CHANNELS)):
        if block:
            count, size, _, channels = images.shape
            images = images.reshape(count, size // 2, 2, size // 2, 2, channels).mean((2, 4))
        for index in range(REPEATS):
            name = f"{block}{index}"
            layer = weights[name]
            sums = lax.conv_general_dilated(
                images.astype(dtype),
                layer["kernel"].astype(dtype),
                (1, 1),
                "SAME",
                dimension_numbers=("NHWC", "HWIO", "NHWC"),
            ).astype(jnp.float32)
            if train:
                mean, variance = sums.mean((0, 1, 2)), sums.var((0, 1, 2))
                count = sums.size // sums.shape[-1]
                found = {"mean": mean, "variance": variance * count / (count - 1)}
                seen[name] = jax.tree.map(
                    lambda old, new: old + STATISTICS_MOMENTUM * (new - old),
                    statistics[name],
                    found,
                )
            else:
                mean, variance = statistics[name]["mean"], statistics[name]["variance"]
            images = jax.nn.relu(
                (sums - mean) * (layer["scale"] * lax.rsqrt(variance + EPSILON)) + layer["shift"]
            )
    pooled = images.mean((1, 2)).astype(dtype)
    head = weights["head"]
    return (pooled @ head["kernel"].astype(dtype)).astype(jnp.float32) + head[
        "bias"
    ], seen if train else statistics


def _loss(weights: Any, statistics: Any, images: Any, labels: Any, dtype: Any) -> tuple[Any, Any]:
    found, seen = scores(weights, statistics, images, dtype, train=True)
    return -jnp.take_along_axis(jax.nn.log_softmax(found), labels[:, None], axis=1).mean(), seen


def _update(state: Any, images: Any, labels: Any, rate: Any, *, dtype: Any) -> Any:
    """Gradient descent with momentum; the sum of losses stays on the device."""
    weights, statistics, velocity, total = state
    (loss, seen), slopes = jax.value_and_grad(_loss, has_aux=True)(
        weights, statistics, images, labels, dtype
    )
    velocity = jax.tree.map(lambda old, slope: MOMENTUM * old + slope, velocity, slopes)
    weights = jax.tree.map(lambda old, moved: old - rate * moved, weights, velocity)
    return weights, seen, velocity, total + loss


def _numbers(images: Any) -> Any:
    """Converts bytes to numbers of mean 0 and deviation 1 by channel."""
    return (images.astype(jnp.float32) / 255 - jnp.asarray(MEAN)) / jnp.asarray(DEVIATION)


def _right(weights: Any, statistics: Any, images: Any, labels: Any, *, dtype: Any) -> Any:
    found, _ = scores(weights, statistics, _numbers(images), dtype, train=False)
    return (found.argmax(axis=1) == labels).sum()


class Cnn10:
    """The network, its data on the device, and its state between steps."""

    def __init__(
        self, backend: Jax, *, batch_size: int, epochs: int, data: DataKind, width: float
    ) -> None:
        self._backend = backend
        self._batch_size = batch_size
        self._epochs = epochs
        self._data = data
        self._order = np.random.RandomState(backend.seed)
        self.settings: Mapping[str, str] = {
            "optimiser": "sgd_momentum",
            "momentum": str(MOMENTUM),
            "weight_decay": "0",
            "learning_rate": f"{BASE_RATE * batch_size / BASE_BATCH:g}",
            "learning_rate_rule": "proportional_to_batch",
            "learning_rate_schedule": "tenth_at_two_epochs",
            "width": f"{width:g}",
            "augmentation": "none",
            "loss": "cross_entropy",
        }
        key, images_key, labels_key = jax.random.split(jax.random.key(backend.seed), 3)
        if data is DataKind.REAL:
            self._load()
        else:
            self._images = jax.random.normal(images_key, (batch_size, PIXELS, PIXELS, 3))
            self._labels = jax.random.randint(labels_key, (batch_size,), 0, CLASSES)
            if data is DataKind.SYNTHETIC_HOST:
                self._images, self._labels = np.asarray(self._images), np.asarray(self._labels)
        self.steps_per_epoch = TRAIN // batch_size
        self.rates: Mapping[str, float] = {"achieved_flop_per_s": flop(width)}
        weights, statistics = initial(key, width)
        self.parameters = sum(each.size for each in jax.tree.leaves(weights))
        self._state: Any = (
            weights,
            statistics,
            jax.tree.map(jnp.zeros_like, weights),
            jnp.zeros(()),
        )
        self._taken = 0
        self._loss_steps = 0
        self._update: Any = jax.jit(partial(_update, dtype=backend.dtype), donate_argnums=0)
        self._fetch: Any = jax.jit(
            lambda images, labels, rows: (_numbers(images[rows]), labels[rows])
        )
        self._right: Any = jax.jit(partial(_right, dtype=backend.dtype))

    def _load(self) -> None:
        arrays = datasets.load("cifar10")
        self.settings = {**self.settings, "data_sha256": datasets.DATASETS["cifar10"].sha256}
        self._images, self._held = (
            jnp.asarray(arrays[f"{part}_images"].reshape(-1, PIXELS, PIXELS, 3))
            for part in ("train", "test")
        )
        self._labels, self._held_labels = (
            jnp.asarray(arrays[f"{part}_labels"].astype(np.int32)) for part in ("train", "test")
        )

    def steps(self) -> Iterator[OneStep]:
        """Yields one epoch of full batches; real images in a new order."""
        order = self._order.permutation(TRAIN) if self._data is DataKind.REAL else None
        for start in range(0, self.steps_per_epoch * self._batch_size, self._batch_size):
            if order is not None:
                images, labels = self._fetch(
                    self._images, self._labels, order[start : start + self._batch_size]
                )
            elif self._data is DataKind.SYNTHETIC_HOST:
                images, labels = jax.block_until_ready(
                    jax.device_put((self._images, self._labels), self._backend.device)
                )
            else:
                images, labels = self._images, self._labels
            yield partial(self._step, images, labels)

    def _step(self, images: Any, labels: Any) -> None:
        self._state = self._update(self._state, images, labels, np.float32(self.learning_rate()))
        self._backend.watch(self._state)
        self._taken += 1
        self._loss_steps += 1

    def loss(self) -> float:
        """Returns the mean training loss per step since the last call."""
        *rest, total = self._state
        mean = float(total) / max(self._loss_steps, 1)
        self._state = (*rest, jnp.zeros(()))
        self._backend.watch(self._state)
        self._loss_steps = 0
        return mean

    def learning_rate(self) -> float:
        """Returns the rate by `cifar10.factor`."""
        done = min(self._taken // self.steps_per_epoch, self._epochs - 1)
        drops = (2 * done >= self._epochs) + (5 * done >= 4 * self._epochs)
        return float(BASE_RATE * self._batch_size / BASE_BATCH * 0.1**drops)

    def evaluate(self) -> dict[str, float]:
        """Returns the share of the held-out pictures that are classified correctly."""
        if self._data is not DataKind.REAL:
            return {}
        weights, statistics, _, _ = self._state
        starts = range(0, len(self._held), HELD_BATCH)
        parts = [
            self._right(
                weights,
                statistics,
                self._held[start : start + HELD_BATCH],
                self._held_labels[start : start + HELD_BATCH],
            )
            for start in starts
        ]
        return {"top1": sum(map(int, parts)) / len(self._held)}


def training(
    backend: Jax, *, batch_size: int, epochs: int, data: DataKind, width: float, augmentation: str
) -> Cnn10:
    """Build network, data and state on the backend's device."""
    if augmentation != "none":
        raise MeasureError(
            f"--augmentation {augmentation}: in JAX this workload trains on pictures as they are; "
            "leave it out or use torch"
        )
    return Cnn10(backend, batch_size=batch_size, epochs=epochs, data=data, width=width)
