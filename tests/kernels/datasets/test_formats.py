"""Files that are not what their name says are refused with what was found and wanted."""

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kernels.datasets import formats
from kernels.errors import FetchError
from tests.kernels.datasets.packages import idx


def test_idx_is_read_packed_or_not(tmp_path: Path) -> None:
    """Shape from the head, values in order."""
    values = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    (tmp_path / "plain").write_bytes(idx(values))
    (tmp_path / "packed").write_bytes(gzip.compress(idx(values)))

    assert (formats.idx(tmp_path / "plain") == values).all()
    assert (formats.idx(tmp_path / "packed") == values).all()


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"\0\0\x0d\x01\0\0\0\0", "wanted an IDX file"),
        (idx(np.zeros((2, 2)))[:-1], "3 values follow, wanted 4"),
        (b"\0\0\x08\x03\0\0", "cut short"),
        (b"\0\0\x08", "cut short"),
        (gzip.compress(idx(np.zeros(4)))[:-9], "not a whole gzip file"),
        (b"", "wanted an IDX file"),
    ],
    ids=["of floats", "cut short", "half a head", "no head", "cut gzip", "empty"],
)
def test_what_is_no_idx_is_refused(content: bytes, wanted: str, tmp_path: Path) -> None:
    """With the file's name."""
    (tmp_path / "x").write_bytes(content)

    with pytest.raises(FetchError, match=f"x: .*{wanted}"):
        formats.idx(tmp_path / "x")


def test_pictures_of_another_shape_are_refused(tmp_path: Path) -> None:
    """Grey, or rows of another length."""
    made = io.BytesIO()
    Image.new("L", (1024, 2)).save(made, "PNG")
    (tmp_path / "data_batch_1.png").write_bytes(made.getvalue())

    with pytest.raises(FetchError, match="L of 1024 pixels a row, wanted RGB of 1024"):
        formats.cifar10(tmp_path)


def test_ratings_with_other_columns_are_refused(tmp_path: Path) -> None:
    """The head of the file says which it has."""
    (tmp_path / "ml-100k.inter").write_text("user\titem\n1\t2\n")

    with pytest.raises(FetchError, match="columns are 'user"):
        formats.interactions(tmp_path)
