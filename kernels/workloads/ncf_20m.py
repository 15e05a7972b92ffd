"""Neural collaborative filtering (NeuMF) on MovieLens-20M, as in MLPerf Training v0.5, for whoever
has the file `ratings.csv`.

Trained: the network of `ncf.py` at the size of MLPerf v0.5: 64 factors, a perceptron of 256, 256,
128, 64 units: 31,832,577 parameters. Target: HR@10 of 63.5 %, at the first evaluation that reaches
it; one evaluation after every epoch. Data: 20,000,263 ratings of 26,744 films by 138,493 people (F.
M. Harper and J. A. Konstan, GroupLens), from `--data-dir DIR`, the folder with `ratings.csv`; no
package registry has it. Another number of ratings is refused: it would be another workload. Four
films not chosen come to each choice; judged among 999 of them, as in the v0.5 logs
(`preproc_hp_num_eval: 999`). MLPerf draws films to be judged against with replacement, so does
this; equal scores count as ahead. Method: `ncf.py`; Adam's rate and memory (0.0045; 0.25 and 0.5)
are those of NVIDIA's v0.5 submission for one DGX-1, at its batch of 1,048,576.
"""

from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.workloads.ncf import Method, Ncf, choices

LARGE: Final = Method(
    factors=64, layers=(256, 256, 128, 64), negatives=4, judges=999, rate=0.0045, betas=(0.25, 0.5)
)
RATINGS: Final = 20_000_263


def ratings(
    folder: Path, wanted: int = RATINGS
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Returns users, films and times of `ratings.csv`.

    Raises:
        MeasureError: The file is missing, or not that of MovieLens-20M.
    """
    path = folder / "ratings.csv"
    columns = {"userId": np.int64, "movieId": np.int64, "timestamp": np.int64}
    try:
        table = pd.read_csv(path, usecols=list(columns), dtype=columns)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error).splitlines()[0]
        raise MeasureError(
            f"{path}: {reason}; wanted MovieLens-20M's file with the columns userId, movieId, "
            "rating, timestamp"
        ) from error
    if len(table) != wanted:
        raise MeasureError(
            f"{path}: {len(table)} ratings, wanted the {wanted} of MovieLens-20M; for "
            "MovieLens-100k run `ncf`"
        )
    users, items, times = (table[name].to_numpy() for name in columns)
    return users, items, times


def training(backend: PyTorch, *, batch_size: int, epochs: int, folder: str | None = None) -> Ncf:  # noqa: ARG001 - every workload is built alike
    """Build model, data and optimiser on the backend's device."""
    if folder is None:
        raise MeasureError(
            "MovieLens-20M is in no package registry: give the folder of its ratings.csv with "
            "--data-dir DIR"
        )
    return Ncf(backend, batch_size, choices(*ratings(Path(folder))), LARGE)
