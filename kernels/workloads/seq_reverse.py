"""A small Transformer that reverses sequences: the attention network that needs no data.

Trained: the encoder and decoder of A. Vaswani et al., "Attention Is All You Need" (arXiv
1706.03762), with two layers each, 64 units, 4 heads, 128 units within, normalisation before each
part, learnt positions; 172,122 parameters, from scratch. Target: 99 % of the letters of held-out
sequences right, at the first evaluation that reaches it; one evaluation after every epoch. The
sequences are written letter by letter, each from what was written before (greedy), not from the
right letters before it. Data: 12,000 sequences of 16 letters out of 26 to train and 1,000 held out,
random, made on the device before the first step from a fixed seed; the answer is the sequence from
its end. Guessing gets 1 letter in 26. Method: our own choice, none is standard for this task: Adam,
the learning rate of L. N. Smith's one-cycle policy (arXiv 1708.07120) with its peak at 0.002 for
every batch size, 6 epochs of batches of 256. It exercises attention, normalisation and embeddings.
It says little about accelerators: the network is far too small to fill one, and it is no language
model.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import torch
from torch import nn

from kernels.backends.base import OneStep
from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.workloads.supervised import Supervised, shuffled

LETTERS: Final = 26
START: Final = LETTERS  # stands before the first letter of an answer
LENGTH: Final = 16
TRAINED: Final = 12_000
HELD_OUT: Final = 1_000
# the sequences are part of the workload; a run's own seed moves weights and order alone
DATA_SEED: Final = 0
UNITS: Final = 64
PEAK_RATE: Final = 0.002

SETTINGS: Final[Mapping[str, str]] = {
    "optimiser": "adam",
    "learning_rate_schedule": "one_cycle",
    "learning_rate_peak": str(PEAK_RATE),
    "learning_rate_rule": "none",
    "loss": "cross_entropy",
    "sequence_length": str(LENGTH),
    "data_seed": str(DATA_SEED),
}


class Reverser(nn.Module):
    """Maps sequences (n, 16) and answers so far (n, k) to scores of the next letters (n, k, 26)."""

    def __init__(self) -> None:
        super().__init__()
        part = {
            "d_model": UNITS,
            "nhead": 4,
            "dim_feedforward": 2 * UNITS,
            "dropout": 0.0,
            "batch_first": True,
            "norm_first": True,
        }
        self.letters = nn.Embedding(LETTERS + 1, UNITS)
        self.places = nn.Embedding(LENGTH, UNITS)
        encoding, decoding = nn.TransformerEncoderLayer(**part), nn.TransformerDecoderLayer(**part)  # type: ignore[arg-type]  # of the values' types
        self.encoder = nn.TransformerEncoder(
            encoding, 2, nn.LayerNorm(UNITS), enable_nested_tensor=False
        )
        self.decoder = nn.TransformerDecoder(decoding, 2, nn.LayerNorm(UNITS))
        self.scores = nn.Linear(UNITS, LETTERS)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                # layers made by copying one would start with the same weights
                nn.init.xavier_uniform_(module.weight)

    def forward(self, sequences: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
        """Scores the letter after each of the answer."""
        length = answers.shape[1]
        # later letters must be masked
        later = torch.ones(length, length, dtype=torch.bool, device=answers.device).triu(1)
        found: torch.Tensor = self.scores(
            self.decoder(self._embed(answers), self.encoder(self._embed(sequences)), tgt_mask=later)
        )
        return found

    def _embed(self, letters: torch.Tensor) -> torch.Tensor:
        embedded: torch.Tensor = self.letters(letters) + self.places.weight[: letters.shape[1]]
        return embedded


class SeqReverse(Supervised):
    """The network, its sequences on the device, and its optimiser; see the head of this file."""

    def __init__(self, backend: PyTorch, batch_size: int, epochs: int) -> None:
        if batch_size > TRAINED:
            raise MeasureError(
                f"batch size {batch_size} is larger than the {TRAINED} training sequences: choose "
                f"{TRAINED} or less"
            )
        backend.share(batch_size)
        seeded = torch.Generator().manual_seed(DATA_SEED)
        made = torch.randint(LETTERS, (TRAINED + HELD_OUT, LENGTH), generator=seeded)
        self._sequences = made[:TRAINED].to(backend.device)
        self._held = made[TRAINED:].to(backend.device)
        placed = backend.place(Reverser())
        optimiser = torch.optim.Adam(placed.parameters(), lr=PEAK_RATE)
        super().__init__(backend, placed, optimiser, TRAINED // batch_size, SETTINGS)
        self._batch_size = batch_size
        self._criterion = nn.CrossEntropyLoss()
        self._cycle = self.steps_per_epoch * epochs
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, max_lr=PEAK_RATE, total_steps=self._cycle + 1
        )
        self._taken = 0

    def steps(self) -> Iterator[OneStep]:
        """Yields one epoch of full batches in a new order."""
        self._model.train()
        for rows in shuffled(self._backend, TRAINED, self._batch_size):
            yield partial(self._step, self._sequences[rows])

    def _step(self, sequences: torch.Tensor) -> None:
        wanted = sequences.flip(1)
        answers = torch.cat((torch.full_like(wanted[:, :1], START), wanted[:, :-1]), dim=1)
        self._learn(
            lambda: self._criterion(self._model(sequences, answers).flatten(0, 1), wanted.flatten())
        )
        self._taken += 1
        # a throughput run goes on after the cycle, at its last and lowest rate
        if self._taken <= self._cycle:
            self._schedule.step()

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Returns the shares of correct letters and sequences, written letter by letter."""
        self._model.eval()
        answers = torch.full_like(self._held[:, :1], START)
        for _ in range(LENGTH):
            with self._backend.autocast():
                scores = self._model(self._held, answers)
            answers = torch.cat((answers, scores[:, -1:].argmax(dim=2)), dim=1)
        right = answers[:, 1:] == self._held.flip(1)
        return {
            "token_accuracy": float(right.double().mean()),
            "sequence_accuracy": float(right.all(dim=1).double().mean()),
        }


def training(backend: PyTorch, *, batch_size: int, epochs: int) -> SeqReverse:
    """Build model, data and optimiser on the backend's device."""
    return SeqReverse(backend, batch_size, epochs)
