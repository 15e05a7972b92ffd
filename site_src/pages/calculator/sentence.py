"""An answer on costs in a sentence: who is first, and who is fastest or cheapest where that is
another.

`assets/cost_words.js` makes the same of the reader's own answer.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

from markupsafe import Markup, escape

from kernels.records import PriceKind
from site_src.costs import words
from site_src.costs.question import By, Excess, Row, State
from site_src.costs.words import Amount
from site_src.pages.calculator.answer import Answer, bounded, figure, read_refs, strong
from site_src.pages.components.writer import Writer

FIGURES: Final[Mapping[By, str]] = {By.COST: "cost", By.TIME: "seconds", By.ENERGY: "energy_kwh"}

LACKING: Final[Mapping[State, str]] = {
    State.DOUBTFUL_PRICE: "goal_sound",
    State.NO_PRICE: "goal_priced",
    State.NO_RATE: "goal_priced",
    State.NO_ENERGY: "goal_powered",
}
"""How the goal says, of systems that reached it and lack a figure, that the others alone are
compared: keys of `costs`.
"""


def sentence(writer: Writer, answer: Answer) -> Markup:
    """Who is first, and who is fastest or cheapest where that is another; why nobody is, where
    nothing can be ranked.
    """
    case, rows = answer.case, answer.ranked
    goal: str | Markup = words.goal(case, case.question.target, writer.locale)
    if not rows and (near := nearest(answer.rows)):
        return _missed(writer, answer, goal, near)
    if not rows:
        return writer.t(
            "costs.answer.none",
            goal=goal,
            why=writer.t(f"costs.why.{why(answer.rows, case.question.by)}"),
        )
    left = lacking(answer.rows)
    for key in dict.fromkeys(LACKING[row.state] for row in left):
        goal = writer.t(f"costs.{key}", goal=goal)
    by, best = case.question.by, rows[0]
    key = "time_cost" if by is By.TIME and best.cost else by.value
    parts = [writer.t(f"costs.answer.{key}", goal=goal, **_said(writer, answer, best))]
    shared = [row for row in rows[1:] if row.rank == best.rank and row.candidate != best.candidate]
    if shared:
        listed = Markup(  # noqa: S704 - escaped
            writer.locale.join(
                [str(strong(name)) for name in dict.fromkeys(answer.name(row) for row in shared)]
            )
        )
        parts.append(writer.t("costs.tied", systems=listed))
    if by is By.ENERGY:
        parts += (
            [writer.t("costs.energy_unlike")]
            if words.unlike([(row, case.side(row)) for row in rows])
            else []
        )
        return writer.joined("sentences", parts)
    other = By.COST if by is By.TIME else By.TIME
    known = [
        row for row in rows if getattr(row, FIGURES[other]) is not None and row.cost is not None
    ]
    fastest = best
    if known:
        least = min(known, key=lambda row: getattr(row, FIGURES[other]).value)
        fastest = least if other is By.TIME else best
        same = least.candidate == best.candidate and least.offer == best.offer
        said = {} if same else _said(writer, answer, least)
        among = _among(
            least,
            known,
            other,
            priced=bool(_faster(left, fastest)) or len(known) < len(rows),
            left=bool(left) and same,
        )
        parts.append(writer.t(f"costs.{'same' if same else 'also'}.{other}{among}", **said))
    if faster := _faster(left, fastest):
        key = "faster_doubtful" if faster.state is State.DOUBTFUL_PRICE else "faster"
        parts.append(writer.t(f"costs.{key}", **_said(writer, answer, faster)))
    return writer.joined("sentences", parts)


def nearest(rows: Sequence[Row]) -> Row | None:
    """Of the rows that break a limit the one that misses by least, as a share of the limit: its
    worst miss counts; None where none does.
    """

    def miss(row: Row) -> tuple[float, str, str]:
        worst = max(each.over / each.limit if each.limit else inf for each in row.excess)
        return worst, row.candidate.id, row.offer.id if row.offer else ""

    return min((row for row in rows if row.excess), key=miss, default=None)


def _among(least: Row, known: Sequence[Row], by: By, *, priced: bool, left: bool) -> str:
    """Among which systems a row is first, as the end of a key; where others are known by upper
    limits alone, it may not be.

    Args:
        least: That row.
        known: All that have a price.
        by: What it has the least of.
        priced: Systems without a price are faster, or not all that are ranked have one.
        left: Some are without a price.
    """
    spread = getattr(least, FIGURES[by])
    if spread.high > 0 and any(
        _may_be_less(row, spread.value, by) for row in known if row.candidate != least.candidate
    ):
        return "_at_most"
    return "_priced" if priced else "_all" if left and by is By.TIME else ""


def _may_be_less(row: Row, value: float, by: By) -> bool:
    """Whether a row's figure is an upper limit, below which nothing says that it is more than
    that.
    """
    return "at-most" in row.remarks or (
        "between" in row.remarks and getattr(row, FIGURES[by]).low < value
    )


def lacking(rows: Sequence[Row]) -> list[Row]:
    """Rows that reached the target and are not ranked for want of a price or a power, of systems of
    which no offer is ranked.
    """
    ranked = {row.candidate.id for row in words.ranked(rows)}
    return [row for row in rows if row.state in LACKING and row.candidate.id not in ranked]


def _faster(left: Sequence[Row], fastest: Row) -> Row | None:
    """The fastest of the rows that are left out, where it is faster than the fastest of the
    others.
    """
    timed = [(row.seconds.value, place, row) for place, row in enumerate(left) if row.seconds]
    return (
        min(timed)[2]
        if timed and fastest.seconds and min(timed)[0] < fastest.seconds.value
        else None
    )


def _missed(writer: Writer, answer: Answer, goal: str, near: Row) -> Markup:
    """Within which limits nothing stays, what comes nearest, and by how much it misses each that it
    breaks.
    """
    question, said = answer.case.question, _said(writer, answer, near)
    limits = {
        State.OVER_BUDGET: question.budget,
        State.TOO_LATE: question.deadline_s,
        State.OVER_ENERGY: question.energy_kwh,
    }
    asked = [
        figure(writer, _amount(state, limit, question.currency))
        for state, limit in limits.items()
        if limit is not None
    ]
    within = (
        Markup(writer.locale.join([str(one) for one in asked]))  # noqa: S704 - escaped
        if asked
        else writer.t("costs.one_session")
    )
    system = writer.paren(said["system"], said["offer"]) if said["offer"] else said["system"]

    def miss(one: Excess) -> Markup:
        told = {State.OVER_BUDGET: "cost", State.OVER_ENERGY: "energy"}.get(one.state, "time")
        more, limit = (
            figure(writer, _amount(one.state, value, question.currency))
            for value in (one.over, one.limit)
        )
        return writer.t(f"costs.miss.{one.state}", figure=said[told], over=more, limit=limit)

    misses = writer.joined("terms", [miss(one) for one in near.excess])
    return writer.t("costs.answer.missed", goal=goal, limits=within, system=system, misses=misses)


def _amount(state: State, value: float, currency: str) -> Amount:
    """A figure that a limit is about, as it is read."""
    if state is State.OVER_BUDGET:
        return words.money(value, currency)
    return words.energy(value) if state is State.OVER_ENERGY else words.time(value)


def why(rows: Sequence[Row], by: By) -> str:
    """Why nothing can be ranked: a key of `costs.why`."""
    states = {row.state for row in rows}
    if states & {State.DOUBTFUL_PRICE, State.NO_PRICE, State.NO_RATE}:
        return "no_price"
    return "energy" if by is By.ENERGY and State.NO_ENERGY in states else "reached"


def _said(writer: Writer, answer: Answer, row: Row) -> dict[str, Markup]:
    """What a sentence can say of a row."""
    currency, side = answer.case.question.currency, answer.case.side(row)
    time, money = read_refs(writer.site.facts, answer.case, side, row)
    price = side.price(row.offer.id) if row.offer else None
    name = strong(answer.name(row))
    if row.reached != row.trials:
        name = writer.paren(
            name, writer.t("costs.runs_reached", who=writer.locale.runs_of(row.reached, row.trials))
        )
    found = {"system": name, "offer": escape(words.short(price, writer.locale) if price else "")}
    timed, paid = words.time_bounds(row), words.cost_bounds(row)
    found |= (
        {"time": bounded(writer, timed, figure(writer, words.time(row.seconds.value), time))}
        if row.seconds
        else {}
    )
    if row.offer and row.offer.kind is PriceKind.FREE:
        found |= {"paid": escape(writer.locale.free(row.offer.session_limit_s))}
    elif row.cost:
        cost = bounded(writer, paid, figure(writer, words.money(row.cost.value, currency), money))
        found |= {"cost": cost, "paid": writer.t("costs.paid", cost=cost)}
    if row.energy_kwh:
        found |= {
            "energy": bounded(writer, timed, figure(writer, words.energy(row.energy_kwh.value)))
        }
        found |= {"power": writer.t(f"costs.power.{words.power(row)}")}
    return found
