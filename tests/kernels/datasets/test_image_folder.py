"""Folders of images: what is found, and what is refused by name."""

from pathlib import Path

import numpy as np
import pytest

from kernels.datasets import image_folder
from kernels.errors import MeasureError


def folder(root: Path) -> Path:
    """Two classes with a file each in both splits; looking needs no image in it."""
    for place in ("train/cat/a.jpg", "train/dog/b.JPEG", "val/cat/c.png", "val/dog/ö.jpg"):
        (root / place).parent.mkdir(parents=True)
        (root / place).write_bytes(b"x")
    (root / "train" / "cat" / ".hidden.jpg").touch()
    (root / "train" / "cat" / "notes.txt").touch()
    return root


def test_classes_are_numbered_by_name(tmp_path: Path) -> None:
    """Images below them, in the order of their names; other files are left alone."""
    found = image_folder.look(folder(tmp_path))

    assert found.classes == ("cat", "dog")
    assert [found.train.name(index) for index in range(len(found.train))] == [
        "train/cat/a.jpg",
        "train/dog/b.JPEG",
    ]
    assert found.held_out.name(1) == "val/dog/ö.jpg"
    assert found.held_out.labels.tolist() == [0, 1]
    assert not found.imagenet


def test_another_folder_has_another_hash(tmp_path: Path) -> None:
    """It follows names and sizes, and not where the folder lies."""
    one, same, other = (
        image_folder.look(folder(tmp_path / name)) for name in ("one", "same", "other")
    )
    (tmp_path / "other" / "train" / "cat" / "a.jpg").write_bytes(b"xy")

    assert one.sha256 == same.sha256 == other.sha256 != image_folder.look(tmp_path / "other").sha256


@pytest.mark.parametrize(
    ("missing", "wanted"),
    [
        ("val", r"val: No such file or directory; wanted ImageNet's layout, train/<class>/\*.jpg"),
        ("val/dog", r"class 'dog' is only in train/"),
        ("train/dog/b.JPEG", r"train/dog: no image \(.bmp, .jpeg, .jpg, .png, .webp\)"),
    ],
)
def test_what_is_not_laid_out_so_is_refused(missing: str, wanted: str, tmp_path: Path) -> None:
    """With what was found and what to do."""
    gone = folder(tmp_path) / missing
    for path in sorted([gone, *gone.rglob("*")], reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    with pytest.raises(MeasureError, match=wanted):
        image_folder.look(tmp_path)


def test_images_without_classes_are_refused(tmp_path: Path) -> None:
    """As in ImageNet's archive of held-out images; one class alone is nothing to tell apart."""
    (tmp_path / "train" / "cat").mkdir(parents=True)
    (tmp_path / "val").mkdir()
    (tmp_path / "val" / "ILSVRC2012_val_00000001.JPEG").touch()
    with pytest.raises(
        MeasureError, match="its images lie in no folder of a class: sort them into val/<class>/"
    ):
        image_folder.look(tmp_path)
    (tmp_path / "val" / "cat").mkdir()
    with pytest.raises(MeasureError, match="found 1 folders of classes, wanted two or more"):
        image_folder.look(tmp_path)


def test_imagenet_is_known_by_its_numbers() -> None:
    """A thousand classes, as many images in both; one image more is another folder."""
    classes, train, held_out = image_folder.IMAGENET

    def made(images: int) -> image_folder.ImageFolder:
        trained, held = (
            image_folder.Split(np.zeros(count, "S1"), np.zeros(count, np.int64))
            for count in (images, held_out)
        )
        return image_folder.ImageFolder(Path(), ("x",) * classes, trained, held, sha256="")

    assert made(train).imagenet
    assert not made(train + 1).imagenet
