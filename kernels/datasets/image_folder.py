"""Image folders in ImageNet's layout, `train/<class>/*.jpg` and held-out `val/<class>/*.jpg`, read
without a framework.

Only names and sizes are read here. A damaged image is found when it is decoded; the run then ends
and names it, since without it the data would not match their hash.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kernels.errors import MeasureError

SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp"})

IMAGENET: Final = (1000, 1_281_167, 50_000)
"""Classes, training and held-out images of ImageNet (ILSVRC-2012)."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Images of one split, in the order of their names.

    Attributes:
        names: (n,) Paths below the folder as bytes: an array, because a million of them is sent to
            every reader.
        labels: (n,) Class number of each image.
    """

    names: NDArray[np.bytes_]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)

    def name(self, index: int) -> str:
        """Returns the path of an image below the folder."""
        return os.fsdecode(bytes(self.names[index]))


@dataclass(frozen=True, slots=True, eq=False)
class ImageFolder:
    """Contents of an image folder.

    Attributes:
        classes: Sorted names of the classes; the index is the class number.
        sha256: Over names and sizes of all images; reading the contents of ImageNet would take an
            hour.
    """

    root: Path
    classes: tuple[str, ...]
    train: Split
    held_out: Split
    sha256: str

    @property
    def imagenet(self) -> bool:
        """True if it has as many classes and images as ImageNet."""
        return (len(self.classes), len(self.train), len(self.held_out)) == IMAGENET


def look(root: Path) -> ImageFolder:
    """Finds classes and images.

    Raises:
        MeasureError: The folder has another layout; names what was found and what was wanted.
    """
    trained, held = (_classes(root, split) for split in ("train", "val"))
    if trained != held:
        only = sorted(set(trained) ^ set(held))
        place = "train" if only[0] in trained else "val"
        raise MeasureError(
            f"{root}: class {only[0]!r} is only in {place}/ (of {len(only)} such): wanted the same "
            "classes in train/ and val/"
        )
    if len(trained) < 2:  # noqa: PLR2004 - to tell apart
        raise MeasureError(
            f"{root / 'train'}: found {len(trained)} folders of classes, wanted two or more, each "
            "with its images in it"
        )
    sha = hashlib.sha256()
    train, held_out = (_split(root, split, trained, sha) for split in ("train", "val"))
    return ImageFolder(root, tuple(trained), train, held_out, sha.hexdigest())


def _classes(root: Path, split: str) -> list[str]:
    try:
        with os.scandir(root / split) as entries:
            found = list(entries)
    except OSError as error:
        raise MeasureError(
            f"{root / split}: {error.strerror}; wanted ImageNet's layout, train/<class>/*.jpg and "
            "val/<class>/*.jpg, in the folder given"
        ) from error
    classes = sorted(
        entry.name for entry in found if entry.is_dir() and not entry.name.startswith(".")
    )
    if not classes and any(Path(entry.name).suffix.lower() in SUFFIXES for entry in found):
        raise MeasureError(
            f"{root / split}: its images lie in no folder of a class: sort them into "
            f"{split}/<class>/"
        )
    return classes


def _images(root: Path, split: str, name: str) -> Iterator[tuple[str, int]]:
    with os.scandir(root / split / name) as entries:
        for entry in entries:
            if Path(entry.name).suffix.lower() in SUFFIXES and not entry.name.startswith("."):
                yield f"{split}/{name}/{entry.name}", entry.stat().st_size


def _split(root: Path, split: str, classes: list[str], sha: "hashlib._Hash") -> Split:
    names: list[bytes] = []
    labels: list[int] = []
    for label, name in enumerate(classes):
        found = sorted(_images(root, split, name))
        if not found:
            raise MeasureError(
                f"{root / split / name}: no image ({', '.join(sorted(SUFFIXES))}): fill the class, "
                "or remove it from both splits"
            )
        for path, size in found:
            sha.update(os.fsencode(path) + f" {size}\n".encode())
            names.append(os.fsencode(path))
            labels.append(label)
    return Split(np.array(names), np.array(labels, dtype=np.int64))
