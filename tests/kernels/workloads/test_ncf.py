"""NeuMF on made-up ratings: what is held out, what is drawn, learnt and refused."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="measuring needs PyTorch")

from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.records import Precision
from kernels.workloads import WORKLOADS, ncf, ncf_20m

pytestmark = pytest.mark.torch

TINY = ncf.Method(factors=4, layers=(8, 8, 4), negatives=2, judges=20, rate=0.02)


def made(people: int = 60, films: int = 80, each: int = 12) -> ncf.Choices:
    """Everyone chooses among films of their half; numbers have gaps, as real ones have."""
    random = np.random.default_rng(0)
    users = np.repeat(np.arange(people), each)
    items = np.concatenate(
        [
            random.permutation(films // 2)[:each] + (user % 2) * (films // 2)
            for user in range(people)
        ]
    )
    unseen = np.setdiff1d(np.arange(films), items)
    assert not len(unseen)
    return ncf.choices(users * 3 + 1, items * 2 + 5, np.tile(np.arange(each), people))


def trained(batch_size: int = 128) -> ncf.Ncf:
    """On the CPU, with one thread."""
    return ncf.Ncf(PyTorch("cpu", Precision.FP32, 1, seed=0), batch_size, made(), TINY)


def test_the_last_choice_is_held_out() -> None:
    """By time; of equal times the later line. People and films are numbered from 0."""
    found = ncf.choices(
        np.array([7, 7, 7, 9, 9]), np.array([10, 30, 20, 30, 10]), np.array([5, 9, 1, 4, 4])
    )

    assert found.held_out.tolist() == [2, 0]
    assert sorted(zip(found.users.tolist(), found.items.tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (1, 2),
    ]
    assert found.films == 3


def test_someone_who_chose_once_is_refused() -> None:
    """Nothing would be left to learn from."""
    with pytest.raises(MeasureError, match="wanted two or more of each"):
        ncf.choices(np.array([1, 1, 2]), np.array([1, 2, 3]), np.array([1, 2, 3]))


def test_films_to_be_judged_against_were_never_chosen() -> None:
    """Neither in training nor as the held-out choice, and they are the same for every seed."""
    found, other = trained(), ncf.Ncf(PyTorch("cpu", Precision.FP32, 1, seed=5), 128, made(), TINY)
    data = made()
    chosen = set(zip(data.users.tolist(), data.items.tolist(), strict=True)) | set(
        enumerate(data.held_out.tolist())
    )

    assert found._judged.shape == (60, 21)
    assert not [
        (user, film)
        for user, films in enumerate(found._judged[:, 1:].tolist())
        for film in films
        if (user, film) in chosen
    ]
    assert torch.equal(found._judged, other._judged)


def test_an_epoch_has_full_batches_of_choices_and_of_films_not_chosen() -> None:
    """660 choices and two films each not chosen make 15 steps of 128."""
    found = trained()

    assert len(list(found.steps())) == found.steps_per_epoch == 660 * 3 // 128


def test_it_learns_who_chooses_what() -> None:
    """A few epochs find most held-out films in the first ten of 21; guessing finds 10 of 21."""
    found = trained()
    before = found.evaluate()
    for _ in range(12):
        for step in found.steps():
            step()
    after = found.evaluate()

    assert after["hr10"] > max(before["hr10"], 0.65)
    assert 0 < after["ndcg10"] <= after["hr10"]
    assert found.loss() > 0


def test_a_constant_score_finds_nothing() -> None:
    """Equal scores count as ahead: a network that says the same of all is not rewarded."""
    found = trained()
    torch.nn.init.zeros_(found._model.get_parameter("score.weight"))

    assert found.evaluate() == {"hr10": 0.0, "ndcg10": 0.0}


def test_a_network_whose_scores_are_no_numbers_finds_nothing() -> None:
    """Nothing is above such a score; the reading is none, and the run has diverged."""
    found = trained()
    torch.nn.init.constant_(found._model.get_parameter("score.weight"), float("nan"))

    assert all(math.isnan(value) for value in found.evaluate().values())


@pytest.mark.parametrize(
    ("module", "method", "people", "films"),
    [(ncf, ncf.SMALL, 943, 1682), (ncf_20m, ncf_20m.LARGE, 138_493, 26_744)],
    ids=["100k", "20m"],
)
def test_the_heads_state_the_parameters(
    module: object, method: ncf.Method, people: int, films: int
) -> None:
    """As many as the networks have at the size of the real data."""
    with torch.device("meta"):
        network = ncf.NeuMF(people, films, method)
    stated = re.search(r"([\d,]+)\s+parameters", module.__doc__ or "")

    assert stated is not None
    assert int(stated[1].replace(",", "")) == sum(
        parameter.numel() for parameter in network.parameters()
    )


def test_the_plans_count_the_samples() -> None:
    """Each rating but the last of each person, with four films not chosen."""
    assert WORKLOADS["ncf"].train_samples == (100_000 - 943) * 5
    assert WORKLOADS["ncf_20m"].train_samples == (ncf_20m.RATINGS - 138_493) * 5
    assert WORKLOADS["ncf"].workload == "ncf-movielens-100k"


def test_the_file_of_movielens_20m_is_read_and_another_refused(tmp_path: Path) -> None:
    """By its columns and by the number of its ratings."""
    path = tmp_path / "ratings.csv"
    path.write_text("userId,movieId,rating,timestamp\n1,2,3.5,1112486027\n1,29,3.5,1112484676\n")

    users, items, times = ncf_20m.ratings(tmp_path, wanted=2)
    assert users.tolist() == [1, 1]
    assert items.tolist() == [2, 29]
    assert times.tolist() == [1112486027, 1112484676]
    with pytest.raises(
        MeasureError,
        match="2 ratings, wanted the 20000263 of MovieLens-20M; for MovieLens-100k run `ncf`",
    ):
        ncf_20m.ratings(tmp_path)
    path.write_text("user,movie\n1,2\n")
    with pytest.raises(MeasureError, match="wanted MovieLens-20M's file with the columns"):
        ncf_20m.ratings(tmp_path)
    path.unlink()
    with pytest.raises(
        MeasureError, match="No such file or directory; wanted MovieLens-20M's file"
    ):
        ncf_20m.ratings(tmp_path)
