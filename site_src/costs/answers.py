"""Ranks setups by the time, money or energy to a target: `assets/cost.js` computes the rows, here
under Node as in the browser. A time is the median of the runs that reached the target, its interval
from the fastest to the slowest. Rows share a rank if their intervals overlap. A target between two
printed ones was reached after the easier one: its interval begins there; without one the figure is
marked `at-most`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from kernels.catalog.cost import Spread
from kernels.catalog.exchange import Converted
from kernels.records import Rate
from site_src import node
from site_src.costs.question import Candidate, Excess, Offer, Question, Row, State, plain

Pairs = Sequence[tuple[Candidate, Offer | None]]
"""Candidates with an applicable offer, or None; the caller decides which offers apply."""

COST: Final = Path(__file__).resolve().parents[1] / "assets" / "cost.js"

_ANSWERS: Final = Path(__file__).with_name("answers.js")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the candidates to choose from."""

    question: Question
    pairs: Pairs


def answers(asked: Sequence[Asked], rates: Sequence[Rate], today: date) -> list[tuple[Row, ...]]:
    """Rows that answer each question, best first, then the others by `State`; a candidate has a row
    per offer. The remark `maybe` says that a limit lies within a figure's interval.

    Args:
        asked: All questions of a page or a table: Node starts once for them.
        rates: Exchange rates; without one nothing is converted.
        today: Day from which the age of prices counts.
    """
    if not asked:
        return []
    candidates: dict[int, tuple[int, Candidate]] = {}
    offers: dict[int, tuple[int, Offer]] = {}
    for one in asked:
        for candidate, offer in one.pairs:
            candidates.setdefault(id(candidate), (len(candidates), candidate))
            if offer is not None:
                offers.setdefault(id(offer), (len(offers), offer))
    given = {
        "candidates": [candidate for _, candidate in candidates.values()],
        "offers": [offer for _, offer in offers.values()],
        "rates": rates,
        "today": today,
        "asked": [
            {
                "question": one.question,
                "pairs": [
                    [candidates[id(candidate)][0], None if offer is None else offers[id(offer)][0]]
                    for candidate, offer in one.pairs
                ],
            }
            for one in asked
        ],
    }
    found = node.run((COST, _ANSWERS), plain(given))
    return [
        tuple(_row(row, one.pairs) for row in rows) for one, rows in zip(asked, found, strict=True)
    ]


def _row(found: Mapping[str, Any], pairs: Pairs) -> Row:
    candidate, offer = pairs[found["pair"]]
    converted, hourly = found["converted"], found["hourly"]
    return Row(
        candidate,
        offer,
        seconds=_spread(found["seconds"]),
        billed_s=_spread(found["billed_s"]),
        reached=found["reached"],
        trials=found["trials"],
        hourly=None if hourly is None else float(hourly),
        cost=_spread(found["cost"]),
        converted=converted
        and Converted(
            float(converted["amount"]),
            float(converted["rate"]),
            date.fromisoformat(converted["day"]),
            tuple(converted["sources"]),
        ),
        energy_kwh=_spread(found["energy_kwh"]),
        state=State(found["state"]),
        rank=found["rank"],
        frontier=found["frontier"],
        remarks=tuple(found["remarks"]),
        excess=tuple(
            Excess(State(one["state"]), float(one["limit"]), float(one["over"]))
            for one in found["excess"]
        ),
    )


def _spread(found: Mapping[str, float] | None) -> Spread | None:
    if found is None:
        return None
    return Spread(float(found["value"]), float(found["low"]), float(found["high"]))
