"""A setup with comparable costs: its runs, and the offers that fit it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from kernels.records import Direction, Price, Run, Workload
from site_src.costs.question import Candidate, Offer, Question, Row, sign
from site_src.graph import digested_within
from site_src.tables.curve import median_ref


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """An offer with the first and the last day on which it is taken."""

    first: date
    last: date
    offer: str


@digested_within
@dataclass(frozen=True, slots=True)
class Setup:
    """A candidate with its words and prices.

    Attributes:
        run: The run that represents all.
        label: Its system, framework and round, untranslated.
        prices: Offers that fit it; the recorded ones of the catalogue before imported ones.
        listed: Ids of the offers in the first answer (`shop.newest`).
        days: The offers taken at the prices of a day.
        offers: The prices as the answer takes them.
        time_refs: References of the times that a source prints, by run and quality; none of runs
            whose evaluations are timed.
        standing: Ids of other machines' offers that are the cheapest on their terms today.
    """

    candidate: Candidate
    run: Run
    runs: tuple[Run, ...]
    label: str
    prices: tuple[Price, ...]
    listed: tuple[str, ...]
    days: tuple[Span, ...]
    offers: tuple[Offer, ...]
    time_refs: tuple[tuple[str, float, str], ...]
    standing: tuple[str, ...] = ()

    @property
    def timed(self) -> bool:
        """Returns True if it reached some quality in a known time."""
        return any(trial.points for trial in self.candidate.trials)

    @property
    def usable(self) -> frozenset[str]:
        """The listed offers whose prices can be right."""
        return frozenset(self.listed) - {offer.id for offer in self.offers if offer.doubtful}

    def ends(self, direction: Direction) -> list[float]:
        """The best timed quality of each run, signed so that more is better."""
        trials = self.candidate.trials
        return [sign(direction) * trial.points[-1].quality for trial in trials if trial.points]

    def price(self, id_: str) -> Price | None:
        """The price of an offer."""
        return next((price for price in self.prices if price.price_id == id_), None)

    def time_ref(self, target: float, direction: Direction) -> str | None:
        """The reference of its time to a target: the median over the runs that reached it."""
        least = sign(direction) * target
        times = []
        for trial in self.candidate.trials:
            reached = (p.seconds for p in trial.points if sign(direction) * p.quality >= least)
            seconds = next(reached, None)
            if seconds is not None:
                times.append((seconds, self._reached_ref(trial.run_id, target, direction)))
        refs = [ref for _, ref in sorted(times)]
        return median_ref(refs) if refs else None

    def _reached_ref(self, run_id: str, target: float, direction: Direction) -> str:
        by = sign(direction)
        printed = [
            (by * quality, ref)
            for of, quality, ref in self.time_refs
            if of == run_id and by * quality >= by * target
        ]
        return min(printed)[1] if printed else f"run:{run_id}:reach_s@{target:g}"


@dataclass(frozen=True, slots=True)
class Case:
    """A workload with setups to rank.

    Attributes:
        targets: Qualities that a reader may ask for, as the runs name them, easiest first.
        question: The first question.
    """

    workload: Workload
    setups: tuple[Setup, ...]
    targets: tuple[float, ...]
    question: Question

    def setup(self, row: Row) -> Setup:
        """The setup of an answer's row."""
        return next(setup for setup in self.setups if setup.candidate.id == row.candidate.id)


def reaching(setups: Sequence[Setup], target: float, direction: Direction) -> list[Setup]:
    """The setups of which a run reached the target in a known time."""
    least = sign(direction) * target
    return [setup for setup in setups if any(end >= least for end in setup.ends(direction))]
