"""Reads arrays from the files of a package: IDX, PNG pictures with labels in JSON, ratings as
tab-separated text.
"""

import gzip
import json
import math
from pathlib import Path
from typing import Any, Final

import numpy as np

from kernels.errors import FetchError

Array = np.ndarray[Any, Any]

GZIP: Final = b"\x1f\x8b"


def idx(path: Path) -> Array:
    """Reads an IDX file of bytes, perhaps gzipped: 0, 0, 8, rank, sizes of 32 bits, values."""
    packed = path.read_bytes()
    try:
        content = gzip.decompress(packed) if packed.startswith(GZIP) else packed
    except (OSError, EOFError) as error:
        raise FetchError(f"{path.name}: not a whole gzip file ({error})") from error
    if content[:3] != b"\0\0\x08":
        raise FetchError(
            f"{path.name}: begins with {content[:4].hex(' ')}, wanted an IDX file of unsigned "
            "bytes: 00 00 08"
        )
    start = 4 + 4 * content[3] if len(content) > len(b"\0\0\x08") else len(content) + 1
    if len(content) < start:
        raise FetchError(f"{path.name}: ends within its head of {start} bytes; it was cut short")
    shape = tuple(int(each) for each in np.frombuffer(content[4:start], ">u4"))
    if len(content) - start != math.prod(shape):
        raise FetchError(
            f"{path.name}: {len(content) - start} values follow, wanted {math.prod(shape)} for the "
            f"shape {shape}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def idx_set(folder: Path) -> dict[str, Array]:
    """Reads the four files of MNIST, or of a set of the same layout."""
    return {
        f"{split}_{kind}": idx(folder / f"{stem}-{kind}-idx{dimensions}-ubyte")
        for split, stem in (("train", "train"), ("test", "t10k"))
        for kind, dimensions in (("images", 3), ("labels", 1))
    }


def cifar10(folder: Path) -> dict[str, Array]:
    """Reads pictures as (n, 32, 32, 3), each a row of 1,024 pixels in a PNG; labels as JSON."""
    batches = sorted(folder.glob("data_batch_*.png"))
    return {
        "train_images": np.concatenate([_rows(path) for path in batches]),
        "train_labels": _labels(folder / "train_lables.json"),
        "test_images": _rows(folder / "test_batch.png"),
        "test_labels": _labels(folder / "test_lables.json"),
    }


def _rows(path: Path) -> Array:
    # Imported here: only fetching needs it.
    from PIL import Image  # noqa: PLC0415

    with Image.open(path) as picture:
        if picture.mode != "RGB" or picture.width != 32 * 32:
            raise FetchError(
                f"{path.name}: {picture.mode} of {picture.width} pixels a row, wanted RGB of 1024"
            )
        return np.asarray(picture, dtype=np.uint8).reshape(-1, 32, 32, 3)


def _labels(path: Path) -> Array:
    return np.asarray(json.loads(path.read_text()), dtype=np.uint8)


def interactions(folder: Path) -> dict[str, Array]:
    """Reads ratings as lines of user, item, rating and time in seconds."""
    wanted = "user_id:token\titem_id:token\trating:float\ttimestamp:float"
    path = folder / "ml-100k.inter"
    with path.open(encoding="utf-8") as file:
        head = file.readline().rstrip("\n")
        if head != wanted:
            raise FetchError(f"{path.name}: its columns are {head!r}, wanted {wanted!r}")
        rows = np.loadtxt(file, dtype=np.float64, delimiter="\t", ndmin=2)
    users, items, ratings, timestamps = rows.T
    return {
        "users": users.astype(np.int32),
        "items": items.astype(np.int32),
        "ratings": ratings.astype(np.float32),
        "timestamps": timestamps.astype(np.int64),
    }
