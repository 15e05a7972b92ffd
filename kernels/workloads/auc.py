"""Quality of a classifier from its scores: exact, on arrays, without any framework."""

import numpy as np
from numpy.typing import NDArray


def auc(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float | None:
    """Area under the ROC curve, by ranks (Mann and Whitney), equal scores counting half. None where
    all samples (n,) are positive or none is.
    """
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if not positives or not negatives:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2  # from 1; of equal scores the mean
    return float(
        (ranks[place][positive].sum() - positives * (positives + 1) / 2) / (positives * negatives)
    )


def one_vs_rest_auc(scores: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """Mean over the classes of the area for that class against all others.

    Scores (n, classes) must be comparable between samples: probabilities. Not a number where a
    score is none; ValueError where a class has no sample.
    """
    if not np.isfinite(scores).all():
        return float("nan")
    areas = [auc(scores[:, label], labels == label) for label in range(scores.shape[1])]
    if any(area is None for area in areas):
        raise ValueError(
            f"class {areas.index(None)} has no sample or all of the {len(labels)}: the area is not "
            "defined"
        )
    return float(np.mean([area for area in areas if area is not None]))
