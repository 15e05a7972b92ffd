"""What image networks are fed with: synthetic batches, a folder's, a damaged image."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="measuring needs PyTorch")

from PIL import Image

from kernels.backends.pytorch import PyTorch
from kernels.datasets import image_folder
from kernels.errors import MeasureError
from kernels.harness import journal, recover, worker
from kernels.records import DataKind, Environment, Precision, Status
from kernels.workloads.images import AUGMENTATIONS, FolderFeed, middle, part
from kernels.workloads.supervised import HOST_BATCHES, Synthetic
from tests.kernels.own_runs import JOB
from tests.kernels.pictures import folder

pytestmark = pytest.mark.torch


def backend(seed: int = 0) -> PyTorch:
    """On the CPU, with one thread."""
    return PyTorch("cpu", Precision.FP32, 1, seed)


def feed(root: Path, batch_size: int = 4, readers: int = 0, seed: int = 0) -> FolderFeed:
    """Of the images of a folder, 16 pixels each side."""
    return FolderFeed(
        backend(seed),
        image_folder.look(root),
        batch_size,
        augmentation="standard",
        readers=readers,
        pixels=16,
    )


def test_a_batch_of_the_device_stays_the_same_one() -> None:
    """No step waits for it."""
    synthetic = Synthetic(backend(), DataKind.SYNTHETIC_DEVICE, 2, pixels=8, classes=10, samples=6)
    batches = list(synthetic.train(1))

    assert len(batches) == synthetic.steps_per_epoch == 3
    assert len({batch[0].data_ptr() for batch in batches}) == 1


def test_batches_of_the_host_are_copied() -> None:
    """Each to the same place on the device, another each step, the first again after the last."""
    synthetic = Synthetic(
        backend(), DataKind.SYNTHETIC_HOST, 2, pixels=8, classes=10, samples=2 * (HOST_BATCHES + 1)
    )
    copies = [images.clone() for images, _ in synthetic.train(1)]

    assert not torch.equal(copies[0], copies[1])
    assert torch.equal(copies[0], copies[HOST_BATCHES])


def test_a_folder_gives_full_batches_to_train_and_all_to_judge_by(tmp_path: Path) -> None:
    """Twelve images make two batches of five; the four held out come in order."""
    found = feed(folder(tmp_path), batch_size=5, readers=1)
    trained = list(found.train(1))
    held = [labels for _, labels in found.held_out()]

    assert (
        [tuple(images.shape) for images, _ in trained]
        == [(5, 3, 16, 16)] * found.steps_per_epoch
        == [(5, 3, 16, 16)] * 2
    )
    assert trained[0][0].is_contiguous(memory_format=torch.channels_last)
    assert torch.cat(held).tolist() == [0, 0, 1, 1]
    assert found.settings["data_readers"] == "1"


def test_numbers_lie_about_zero_and_labels_fit(tmp_path: Path) -> None:
    """The brighter class has the larger numbers: images and labels are not mixed up."""
    images, labels = next(feed(folder(tmp_path), batch_size=12).train(1))

    assert images[labels == 0].max() < images[labels == 1].mean()
    assert -3 < images.mean() < 3


def test_the_seed_decides_order_and_change(tmp_path: Path) -> None:
    """The same seed gives the same batches; another epoch or seed others."""
    root = folder(tmp_path)

    def first(seed: int, epoch: int) -> Any:
        return next(feed(root, seed=seed).train(epoch))[0]

    assert torch.equal(first(1, 1), first(1, 1))
    assert not torch.equal(first(1, 1), first(2, 1))
    assert not torch.equal(first(1, 1), first(1, 2))


@pytest.mark.parametrize(("split", "readers"), [("train", 0), ("val", 0), ("val", 1)])
def test_a_damaged_image_is_named(split: str, readers: int, tmp_path: Path) -> None:
    """Cut in the middle, as a broken download leaves it; the folder itself is not named."""
    path = folder(tmp_path) / split / "dog" / "1.jpg"
    path.write_bytes(path.read_bytes()[:-100])
    found = feed(tmp_path, batch_size=12, readers=readers)

    with pytest.raises(
        MeasureError, match=rf"^image {split}/dog/1.jpg cannot be decoded \(image file is truncated"
    ):
        list(found.train(1) if split == "train" else found.held_out())


def test_what_is_no_image_is_named_without_its_folder(tmp_path: Path) -> None:
    """A page of a server that was saved as an image; a file that has gone meanwhile."""
    root = folder(tmp_path)
    (root / "train" / "cat" / "0.jpg").write_text("<html>")
    with pytest.raises(
        MeasureError,
        match=r"image train/cat/0.jpg cannot be decoded \(cannot identify image file\)",
    ):
        list(feed(root, batch_size=12).train(1))
    found = feed(root, batch_size=12)
    (root / "train" / "cat" / "0.jpg").unlink()
    with pytest.raises(
        MeasureError, match=r"image train/cat/0.jpg cannot be decoded \(FileNotFoundError\)"
    ):
        list(found.train(1))


def test_a_batch_larger_than_the_folder_is_refused(tmp_path: Path) -> None:
    """With the largest that can be had."""
    with pytest.raises(MeasureError, match="larger than the 12 training images"):
        feed(folder(tmp_path), batch_size=13)


@pytest.mark.parametrize("name", sorted(AUGMENTATIONS))
@pytest.mark.parametrize("size", [(100, 40), (3, 900), (16, 16)])
def test_every_cut_is_a_square(name: str, size: tuple[int, int]) -> None:
    """Of a wide image, a very long one, and one that fits."""
    assert AUGMENTATIONS[name](Image.new("RGB", size), 16, random.Random(0)).size == (16, 16)  # noqa: S311 - no secret


def test_the_middle_is_cut_from_the_centre() -> None:
    """Of a white stripe amid a wide black image a square cut leaves the stripe alone."""
    values = np.zeros((70, 210, 3), np.uint8)
    values[:, 70:140] = 255

    assert np.asarray(middle(Image.fromarray(values), 56, random.Random(0))).min() > 250  # noqa: S311 - no secret


def test_a_part_is_mirrored_half_of_the_time() -> None:
    """Of an image that is bright on the right."""
    values = np.zeros((32, 32, 3), np.uint8)
    values[:, 16:] = 255
    chance = random.Random(0)  # noqa: S311 - no secret
    cuts = [np.asarray(part(Image.fromarray(values), 16, chance)).astype(int) for _ in range(200)]
    mirrored = [
        cut[:, 0].mean() > cut[:, -1].mean()
        for cut in cuts
        if cut[:, 0].mean() != cut[:, -1].mean()
    ]

    assert 0.35 < np.mean(mirrored) < 0.65


def test_a_run_on_a_damaged_image_fails_and_says_which(tmp_path: Path) -> None:
    """Failed with the image's place in the folder; where the folder lies is not recorded."""
    root = folder(tmp_path / "pictures", train=2, held_out=1)
    (root / "train" / "dog" / "1.jpg").write_bytes(b"nothing")
    job = replace(
        JOB, run_id="resnet34-image-folder-1", workload="resnet34", batch_size=4, target=None
    )
    job = replace(
        job,
        seed=0,
        threads=1,
        measure="throughput",
        augmentation="standard",
        folder=str(root),
        readers=0,
    )
    path = journal.create(tmp_path, job, Environment())
    worker._work(path)
    run = recover.run_of(journal.read(path))

    wanted = (
        "phase train: image train/dog/1.jpg cannot be decoded (cannot identify image file): "
        "mend it, or remove it"
    )
    assert run.status is Status.FAILED
    assert (run.status_detail or "").startswith(wanted)
    assert str(tmp_path) not in repr(run)
