"""Neural collaborative filtering (NeuMF) on MovieLens-100k: which film will this person choose
next?

Trained: X. He et al., "Neural Collaborative Filtering" (arXiv 1708.05031): tables of embeddings of
users and films, once multiplied (16 factors) and once put through a perceptron (64, 64, 32, 16
units), the two joined by one linear layer: 132,801 parameters, from scratch. Target: 60 % of people
find the film that they chose last among the first ten (HR@10), at the first evaluation that reaches
it; one evaluation after every epoch. The target is our own: MLPerf's 63.5 % is for MovieLens-20M.
Data: 100,000 ratings of 1,682 films by 943 people, fetched by
`python -m kernels data fetch movielens-100k`; every rating counts as a choice, whatever its stars.
The last choice of each person is held out (the latest time; of equal times the later line). To each
choice of an epoch come four films, drawn anew, that the person did not choose: 495,285 samples.
Judged: the held-out film among 100 films that the person never chose, drawn once with a fixed seed,
so that every run is judged on the same ones; equal scores count as ahead of it. HR@10 against 100
sampled films is not HR@10 over the whole catalogue, which is far lower, and MovieLens-100k is not
MovieLens-20M: a workload of its own, never shown as MLPerf's. Method: as in the paper, but for Adam
at 0.002 for a batch of 2,048, at any batch size (the paper: 0.001 and 256). Choice of films for an
epoch takes place when its first step is taken, and is part of that step's time. The last, smaller
batch of an epoch is left out, so that all timed steps do the same work.
"""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from kernels import datasets
from kernels.backends.base import OneStep
from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.workloads.supervised import Supervised

BEST_OF: Final = 10
DRAW_SEED: Final = 0  # the films against which a choice is judged are part of the workload


@dataclass(frozen=True, slots=True)
class Method:
    """Training settings for the two sizes of MovieLens.

    Attributes:
        factors: Length of the embeddings that are multiplied.
        layers: Units of the perceptron; the first is a user's and a film's embedding one after the
            other.
        negatives: Films not chosen, for each chosen one.
        judges: Films not chosen against which the held-out one is ranked.
        rate: Adam's learning rate.
        betas: Adam's decay rates of the mean and the square of the gradients.
    """

    factors: int
    layers: tuple[int, ...]
    negatives: int
    judges: int
    rate: float
    betas: tuple[float, float] = (0.9, 0.999)

    def settings(self) -> dict[str, str]:
        """The settings as recorded."""
        return {
            "optimiser": "adam",
            "adam_betas": f"{self.betas[0]:g}, {self.betas[1]:g}",
            "learning_rate": f"{self.rate:g}",
            "learning_rate_rule": "none",
            "learning_rate_schedule": "none",
            "loss": "binary_cross_entropy",
            "negatives": str(self.negatives),
            "judged_against": f"{self.judges} sampled films, seed {DRAW_SEED}",
            "split": "last choice of each user held out",
        }


SMALL: Final = Method(factors=16, layers=(64, 64, 32, 16), negatives=4, judges=100, rate=0.002)


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Users and the films that they chose.

    Attributes:
        users: (n,) Numbers of the people from 0; `items` the films likewise.
        held_out: (users,) The last choice of each.
    """

    users: NDArray[np.int64]
    items: NDArray[np.int64]
    held_out: NDArray[np.int64]
    films: int
    sha256: str


def choices(
    users: NDArray[np.int64], items: NDArray[np.int64], times: NDArray[np.int64]
) -> Choices:
    """Numbers people and films from 0 and holds out the last choice of each person.

    Raises:
        MeasureError: Someone chose only once, so nothing would be left to learn from.
    """
    sha = hashlib.sha256(
        b"".join(np.ascontiguousarray(each, "<i8").tobytes() for each in (users, items, times))
    ).hexdigest()
    films, item = np.unique(items, return_inverse=True)
    people, user = np.unique(users, return_inverse=True)
    order = np.lexsort((np.arange(len(user)), times, user))
    last = np.append(user[order][1:] != user[order][:-1], True)
    if last.sum() * 2 > len(user) or (np.bincount(user) < 2).any():  # noqa: PLR2004 - one to learn from, one to be judged by
        raise MeasureError(
            f"{len(user)} ratings by {len(people)} people: wanted two or more of each, one of "
            "which is held out"
        )
    return Choices(user[order][~last], item[order][~last], item[order][last], len(films), sha)


class NeuMF(nn.Module):
    """Maps users (n,) and films (n,) to scores (n,)."""

    def __init__(self, users: int, films: int, method: Method) -> None:
        super().__init__()
        half = method.layers[0] // 2
        self.user_factors, self.film_factors = (
            nn.Embedding(users, method.factors),
            nn.Embedding(films, method.factors),
        )
        self.user_units, self.film_units = nn.Embedding(users, half), nn.Embedding(films, half)
        layers: list[nn.Module] = []
        for inputs, outputs in zip(method.layers, method.layers[1:], strict=False):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        self.perceptron = nn.Sequential(*layers)
        self.score = nn.Linear(method.factors + method.layers[-1], 1)
        for module in self.modules():
            if isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=0.01)

    def forward(self, users: torch.Tensor, films: torch.Tensor) -> torch.Tensor:
        """Returns how likely each user is to choose each film."""
        product = self.user_factors(users) * self.film_factors(films)
        units = self.perceptron(torch.cat((self.user_units(users), self.film_units(films)), dim=-1))
        score: torch.Tensor = self.score(torch.cat((product, units), dim=-1)).squeeze(-1)
        return score


class Ncf(Supervised):
    """The network, its choices on the device, and its optimiser; see the head of this file."""

    def __init__(self, backend: PyTorch, batch_size: int, found: Choices, method: Method) -> None:
        samples = len(found.users) * (1 + method.negatives)
        if batch_size > samples:
            raise MeasureError(
                f"batch size {batch_size} is larger than the {samples} training samples: choose "
                f"{samples} or less"
            )
        if np.bincount(found.users).max() + 1 + method.judges > found.films:
            raise MeasureError(
                f"{found.films} films: too few for someone to have {method.judges} that they did "
                "not choose"
            )
        backend.share(batch_size)
        placed = backend.place(NeuMF(len(found.held_out), found.films, method))
        optimiser = torch.optim.Adam(placed.parameters(), lr=method.rate, betas=method.betas)
        settings = method.settings() | {"data_sha256": found.sha256}
        super().__init__(backend, placed, optimiser, samples // batch_size, settings)
        self._batch_size = batch_size
        self._method = method
        self._films = found.films
        self._criterion = nn.BCEWithLogitsLoss()
        self._users = torch.from_numpy(found.users).to(backend.device)
        self._items = torch.from_numpy(found.items).to(backend.device)
        everyone = torch.arange(len(found.held_out), device=backend.device)
        held_out = torch.from_numpy(found.held_out).to(backend.device)
        # One number for each pair of user and film, sorted: choices are found by
        # halving.
        self._chosen = (self._users * self._films + self._items).sort().values
        every = torch.cat((self._chosen, everyone * self._films + held_out)).sort().values
        draw = torch.Generator().manual_seed(DRAW_SEED)
        against = self._not_chosen(everyone.repeat_interleave(method.judges), every, draw)
        # (users, 1 + judges): the held-out film comes first.
        self._judged = torch.cat((held_out[:, None], against.reshape(-1, method.judges)), dim=1)

    def _not_chosen(
        self, users: torch.Tensor, chosen: torch.Tensor, draw: torch.Generator | None = None
    ) -> torch.Tensor:
        """Returns a film for each user that is not among those chosen, by repeated drawing."""
        where = self._backend.device

        def drawn(shape: torch.Size) -> torch.Tensor:
            at = where if draw is None else "cpu"
            return torch.randint(self._films, shape, generator=draw, device=at).to(where)

        films = drawn(users.shape)
        again = torch.arange(len(users), device=where)
        while len(again):
            pairs = users[again] * self._films + films[again]
            place = torch.searchsorted(chosen, pairs).clamp_(max=len(chosen) - 1)
            again = again[chosen[place] == pairs]
            films[again] = drawn(again.shape)
        return films

    def steps(self) -> Iterator[OneStep]:
        """Yields one epoch of full batches in a new order, with new films that were not chosen."""
        self._model.train()
        repeated = self._users.repeat(self._method.negatives)
        users = torch.cat((self._users, repeated))
        items = torch.cat((self._items, self._not_chosen(repeated, self._chosen)))
        order = torch.randperm(len(users), device=self._backend.device)
        for start in range(0, self.steps_per_epoch * self._batch_size, self._batch_size):
            rows = self._backend.mine(order[start : start + self._batch_size])
            yield partial(self._step, users[rows], items[rows], (rows < len(self._users)).float())

    def _step(self, users: torch.Tensor, items: torch.Tensor, wanted: torch.Tensor) -> None:
        self._learn(lambda: self._criterion(self._model(users, items), wanted))

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Returns HR@10 and NDCG@10: the share among the first ten, and its discounted gain."""
        self._model.eval()
        ahead: list[torch.Tensor] = []
        # people at a time: 138,493 of them fit no card at once
        for first in range(0, len(self._judged), 1000):
            films = self._judged[first : first + 1000]
            people = torch.arange(first, first + len(films), device=films.device)[
                :, None
            ].expand_as(films)
            with self._backend.autocast():
                scores = self._model(people.flatten(), films.flatten()).reshape(films.shape).float()
            if not scores.isfinite().all():
                # nothing is above NaN: every film would count as found
                return {"hr10": math.nan, "ndcg10": math.nan}
            ahead.append((scores[:, 1:] >= scores[:, :1]).sum(dim=1))
        places = torch.cat(ahead).double()
        found = places < BEST_OF
        gain = torch.where(found, 1 / torch.log2(places + 2), 0.0)
        return {"hr10": float(found.double().mean()), "ndcg10": float(gain.mean())}


def training(backend: PyTorch, *, batch_size: int, epochs: int) -> Ncf:  # noqa: ARG001 - every workload is built alike
    """Build model, data and optimiser on the backend's device."""
    arrays = datasets.load("movielens-100k")
    users, items, times = (
        arrays[name].astype(np.int64) for name in ("users", "items", "timestamps")
    )
    return Ncf(backend, batch_size, choices(users, items, times), SMALL)
