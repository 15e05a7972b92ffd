"""The area under the ROC curve: by hand, and as scikit-learn computes it."""

import math

import numpy as np
import pytest

from kernels.workloads.auc import auc, one_vs_rest_auc


def test_an_area_by_hand() -> None:
    """0.9 and 0.5 against 0.5 and 0.1: three pairs of four in order, one equal counts half."""
    found = auc(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))

    assert found == (3 + 0.5) / 4


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [([0.0, 1.0], 1.0), ([1.0, 0.0], 0.0), ([0.5, 0.5], 0.5)],
    ids=["right", "reversed", "undecided"],
)
def test_the_ends_and_the_middle(scores: list[float], wanted: float) -> None:
    """One negative, one positive sample."""
    assert auc(np.array(scores), np.array([False, True])) == wanted


def test_three_classes_by_hand() -> None:
    """Two classes without a fault; of the third one of two negatives scores above: 1, 1, 1/2."""
    scores = np.array([[0.6, 0.1, 0.3], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2]])

    assert one_vs_rest_auc(scores, np.array([0, 1, 2])) == pytest.approx((1 + 1 + 0.5) / 3)


@pytest.mark.parametrize("classes", [2, 5])
def test_it_is_what_scikit_learn_computes(classes: int) -> None:
    """Also with many equal scores: probabilities in steps of a tenth."""
    metrics = pytest.importorskip("sklearn.metrics", reason="comes with the torch extra")
    random = np.random.default_rng(0)
    labels = np.concatenate([np.arange(classes), random.integers(classes, size=200)])
    parts = random.multinomial(10, np.full(classes, 1 / classes), size=len(labels)).astype(float)
    parts[np.arange(len(labels)), labels] += 2
    scores = parts / parts.sum(axis=1, keepdims=True)

    if classes == 2:  # the probability of the second class, there
        wanted = metrics.roc_auc_score(labels, scores[:, 1])
    else:
        wanted = metrics.roc_auc_score(labels, scores, multi_class="ovr", average="macro")

    assert one_vs_rest_auc(scores, labels) == pytest.approx(wanted, abs=1e-12)


def test_a_class_without_samples_has_no_area() -> None:
    """It is refused, not counted as 0 or as 1/2."""
    assert auc(np.array([0.1, 0.2]), np.array([True, True])) is None
    with pytest.raises(ValueError, match="class 0 has no sample or all"):
        one_vs_rest_auc(np.array([[0.5, 0.5], [0.4, 0.6]]), np.array([0, 0]))


def test_scores_that_are_no_numbers_have_no_area() -> None:
    """A network that diverged gives them."""
    assert math.isnan(one_vs_rest_auc(np.array([[0.5, math.nan], [0.4, 0.6]]), np.array([0, 1])))
