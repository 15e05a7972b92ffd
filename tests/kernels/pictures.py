"""A folder of tiny photographs in ImageNet's layout, made for a test."""

from pathlib import Path

import numpy as np
from PIL import Image


def folder(
    root: Path,
    train: int = 6,
    held_out: int = 2,
    pixels: int = 32,
    classes: tuple[str, ...] = ("cat", "dog"),
) -> Path:
    """So many images a class and split, each class of another brightness."""
    noise = np.random.default_rng(0)
    for number, name in enumerate(classes):
        for split, count in (("train", train), ("val", held_out)):
            (root / split / name).mkdir(parents=True)
            for index in range(count):
                values = noise.integers(0, 100, (pixels, pixels + 8, 3)) + 150 * number
                Image.fromarray(values.astype(np.uint8)).save(root / split / name / f"{index}.jpg")
    return root
