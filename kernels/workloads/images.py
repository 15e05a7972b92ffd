"""Images of a folder, for networks for photographs; synthetic ones are in `supervised`.

The three kinds of data show the cost of input: a step on a batch on the device waits for nothing,
one from the host for the copy, one from the folder also for reading, decoding and changing the
images. The device is idle around each timed step, so no copy overlaps with the computation before
it; reading and decoding go on in other processes.

A damaged image ends the run with its name: without it, the data would not match their hash.
"""

import io
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from kernels.backends.pytorch import PyTorch
from kernels.datasets import image_folder
from kernels.errors import MeasureError
from kernels.machine import system
from kernels.workloads.supervised import Batch

MEAN: Final = (0.485, 0.456, 0.406)
DEVIATION: Final = (0.229, 0.224, 0.225)
"""Deviations of ImageNet's red, green and blue; the usual constants for any photographs."""

MOST_READERS: Final = 16

AHEAD: Final = 2
"""Most batches that each reader has ready."""


class FolderFeed:
    """Images of a folder, decoded and cropped by other processes while the device computes."""

    def __init__(
        self,
        backend: PyTorch,
        folder: image_folder.ImageFolder,
        batch_size: int,
        *,
        augmentation: str,
        readers: int | None,
        pixels: int,
    ) -> None:
        if batch_size > len(folder.train):
            raise MeasureError(
                f"batch size {batch_size} is larger than the {len(folder.train)} training images: "
                "choose that or less"
            )
        readers = _spare_readers(backend) if readers is None else readers
        self._backend = backend
        self.classes = len(folder.classes)
        self.steps_per_epoch = len(folder.train) // batch_size
        self.settings: Mapping[str, str] = {
            "augmentation": augmentation,
            "data_readers": str(readers),
            "classes": str(self.classes),
            "held_out_samples": str(len(folder.held_out)),
            "data_sha256": folder.sha256,
            "data_sha256_of": "names_and_sizes",
        }
        seed = torch.initial_seed()
        self._order = _Order(backend, len(folder.train), batch_size)
        mean, deviation = (
            torch.tensor(each, device=backend.device).reshape(1, 3, 1, 1) * 255
            for each in (MEAN, DEVIATION)
        )
        self._mean, self._deviation = mean, deviation
        train = Pictures(folder.root, folder.train, AUGMENTATIONS[augmentation], pixels, seed)
        held_out = Pictures(folder.root, folder.held_out, middle, pixels, seed)
        every = [
            [(0, index) for index in range(start, min(start + batch_size, len(held_out)))]
            for start in range(0, len(held_out), batch_size)
        ]
        pinned = backend.device.type == "cuda"
        self.prefetched = AHEAD * readers
        self._train = _loader(train, self._order, readers, pinned=pinned)
        self._held_out = _loader(held_out, every, readers, pinned=pinned)

    def train(self, epoch: int) -> Iterator[Batch]:
        """Yields full batches in a new order; the rest is left to other epochs."""
        self._order.epoch = epoch
        return map(self._ready, self._train)

    def held_out(self) -> Iterator[Batch]:
        """Yields the centre of all held-out images."""
        return map(self._ready, self._held_out)

    def _ready(self, loaded: "_Loaded") -> Batch:
        """Copies images as bytes and normalises them on the device."""
        if loaded.damage:
            raise MeasureError(
                f"image {loaded.damage}: mend it, or remove it and so make it another data set"
            )
        # channels come last in memory, as decoded
        images = loaded.images.to(self._backend.device).permute(0, 3, 1, 2).float()
        images.sub_(self._mean).div_(self._deviation)
        return images.contiguous(memory_format=self._backend.memory_format), loaded.labels.to(
            self._backend.device
        )


def _spare_readers(backend: PyTorch) -> int:
    own = 1 if backend.device.type == "cuda" else torch.get_num_threads()
    return max(1, min(system.usable_cores() - own, MOST_READERS))


def _loader(
    pictures: "Pictures",
    batches: "_Order | list[list[tuple[int, int]]]",
    readers: int,
    *,
    pinned: bool,
) -> "DataLoader[_Picture]":
    # Not forked: a process with threads of its own and a driver in use must not be.
    return DataLoader(
        pictures,
        batch_sampler=batches,
        num_workers=readers,
        collate_fn=_together,
        pin_memory=pinned,
        multiprocessing_context="forkserver" if readers else None,
        persistent_workers=bool(readers),
        prefetch_factor=AHEAD if readers else None,
    )


class _Order:
    """Batches as pairs of epoch and image number, which seed the random changes."""

    def __init__(self, backend: PyTorch, samples: int, batch_size: int) -> None:
        self._backend = backend
        self._samples = samples
        self._batch_size = batch_size
        self.epoch = 0

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        self._backend.share(self._batch_size)
        order = torch.randperm(self._samples)
        for start in range(0, self._samples - self._batch_size + 1, self._batch_size):
            rows = self._backend.mine(order[start : start + self._batch_size])
            yield [(self.epoch, index) for index in rows.tolist()]

    def __len__(self) -> int:
        return self._samples // self._batch_size


_Picture = tuple[NDArray[np.uint8] | None, int, str]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Images (n, h, w, 3) uint8, labels (n,), and the name of a damaged image."""

    images: torch.Tensor
    labels: torch.Tensor
    damage: str

    def pin_memory(self) -> "_Loaded":
        return _Loaded(self.images.pin_memory(), self.labels.pin_memory(), self.damage)


def _together(pictures: Sequence[_Picture]) -> _Loaded:
    damage = next((damage for _, _, damage in pictures if damage), "")
    whole = [image for image, _, _ in pictures if image is not None]
    images = torch.from_numpy(np.stack(whole)) if whole else torch.empty(0)
    return _Loaded(images, torch.tensor([label for _, label, _ in pictures]), damage)


class Pictures(Dataset[_Picture]):
    """Images of a split, changed at random: the same for the same seed, epoch and image."""

    def __init__(
        self, root: Path, split: image_folder.Split, cut: "Cut", pixels: int, seed: int
    ) -> None:
        self._root = root
        self._split = split
        self._cut = cut
        self._pixels = pixels
        self._seed = seed

    def __len__(self) -> int:
        return len(self._split)

    def __getitem__(self, place: tuple[int, int]) -> _Picture:
        """Returns image (h, w, 3), label, and no damage; or no image, label, and the damage."""
        epoch, index = place
        name, label = self._split.name(index), int(self._split.labels[index])
        try:
            with Image.open(io.BytesIO((self._root / name).read_bytes())) as opened:
                picture = opened.convert("RGB")
            chance = random.Random(f"{self._seed} {epoch} {index}")  # noqa: S311 - no secret
            return np.asarray(self._cut(picture, self._pixels, chance)), label, ""
        # decoders raise all kinds of errors; the file must be named
        except Exception as error:
            named = isinstance(error, OSError) and error.filename
            reason = type(error).__name__ if named else str(error).split(" <")[0]
            return None, label, f"{name} cannot be decoded ({reason})"


Cut = Callable[[Image.Image, int, random.Random], Image.Image]
"""Crops an image of any size to a square of so many pixels."""


def middle(image: Image.Image, pixels: int, chance: random.Random) -> Image.Image:  # noqa: ARG001 - nothing is left to chance
    """Scales the shorter side to 8/7 of the pixels (256 for 224) and crops the centre square."""
    scale = pixels * 256 / 224 / min(image.size)
    width, height = (round(side * scale) for side in image.size)
    left, top = (width - pixels) // 2, (height - pixels) // 2
    return image.resize((width, height), Image.Resampling.BILINEAR).crop(
        (left, top, left + pixels, top + pixels)
    )


def part(image: Image.Image, pixels: int, chance: random.Random) -> Image.Image:
    """Crops a random part of 8 to 100 %, 3:4 to 4:3, and mirrors half (arXiv 1409.4842)."""
    width, height = image.size
    for _ in range(10):
        area = width * height * chance.uniform(0.08, 1.0)
        ratio = math.exp(chance.uniform(math.log(3 / 4), math.log(4 / 3)))
        wide, high = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < wide <= width and 0 < high <= height:
            left, top = chance.randint(0, width - wide), chance.randint(0, height - high)
            break
    else:  # a very long or high image: its largest part of an allowed shape, from the middle
        wide, high = min(width, round(height * 4 / 3)), min(height, round(width * 4 / 3))
        left, top = (width - wide) // 2, (height - high) // 2
    cut = image.resize(
        (pixels, pixels), Image.Resampling.BILINEAR, box=(left, top, left + wide, top + high)
    )
    return cut.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if chance.random() < 0.5 else cut  # noqa: PLR2004 - half


AUGMENTATIONS: Final[Mapping[str, Cut]] = {"none": middle, "standard": part}
"""Crops of training images, by the name on the command line."""
