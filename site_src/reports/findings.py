"""Sentences made from the data: the leading entry, its margin, and checks that the sentence is
true.

No finding states by hand what is faster or cheaper: code sorts the entries, and a condition that is
no longer true stops the build.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kernels.audit.facts import Fact, Facts
from kernels.errors import FactError
from site_src.reports import Entry, Finding, Report, ReportError, Shown

_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")
_COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    " <= ": operator.le,
    " >= ": operator.ge,
    " < ": operator.lt,
    " > ": operator.gt,
    " = ": operator.eq,
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A finding's sentence: the string's key, its figures and its names by placeholder."""

    key: str
    figures: Mapping[str, Shown]
    names: Mapping[str, str]


def sentence(finding: Finding, report: Report, facts: Facts) -> Sentence:
    """The sentence of a finding, from the data.

    Raises:
        ReportError: A figure is missing, or a condition is false: the finding must be rewritten or
            withdrawn.
    """
    place = f"{report.path}: finding {finding.id!r}"
    hold(finding.conditions, place, facts)
    key = f"finding.{report.id}.{finding.id}"
    figures, names = dict(finding.values), dict(finding.names)
    if finding.ranked:
        ordered = _ordered(finding, place, facts)
        for ordinal, entry in zip(_ORDINALS, ordered, strict=False):
            names[ordinal] = entry.name
            figures[f"{ordinal}_value"] = replace(finding.show, ref=entry.ref)
        top, next_ = (_value(entry.ref, place, facts) for entry in ordered[:2])
        apart = abs(top - next_) / abs(next_) * 100 if next_ else abs(top - next_) * 100
        if apart <= finding.tie_percent:
            key += ".tie"
        if finding.gap:
            figures["gap"] = replace(
                finding.gap, ref=finding.gap.ref.format(first=ordered[0].ref, second=ordered[1].ref)
            )
    for shown in figures.values():
        _value(shown.ref, place, facts)
    return Sentence(key, figures, names)


def hold(conditions: Iterable[str], place: str, facts: Facts) -> None:
    """Checks the conditions of a sentence.

    Raises:
        ReportError: One is false; names the place and the condition.
    """
    for condition in conditions:
        try:
            holds = _holds(condition, place, facts)
        except FactError as error:
            raise ReportError(f"{place}: {condition}: {error}") from error
        if not holds:
            raise ReportError(
                f"{place}: {condition} no longer holds; change what is said in each language, or "
                "remove it"
            )


def _ordered(finding: Finding, place: str, facts: Facts) -> list[Entry]:
    if len(finding.ranked) < 2:  # noqa: PLR2004 - one entry leads nobody
        raise ReportError(f"{place}: ranked has one entry, wanted two or more")
    return sorted(
        finding.ranked,
        key=lambda entry: _value(entry.ref, place, facts),
        reverse=finding.order == "highest",
    )


def _value(ref: str, place: str, facts: Facts) -> float:
    fact: Fact = facts.get(ref)
    if fact.value is None and fact.low is None:
        raise ReportError(f"{place}: {ref} is {fact.status}; a finding needs figures")
    value = fact.value if fact.value is not None else fact.low
    assert value is not None  # noqa: S101 - one of the two, as checked above
    return value


def _holds(condition: str, place: str, facts: Facts) -> bool:
    asked, _, rest = condition.partition(" is ")
    if rest == "missing":
        return facts.get(asked.strip()).missing
    for sign, compare in _COMPARISONS.items():
        left, found, right = condition.partition(sign)
        if found:
            return compare(_value(left.strip(), place, facts), _value(right.strip(), place, facts))
    raise ReportError(
        f"{place}: condition {condition!r} has no comparison; wanted 'is missing', or one "
        f"of{','.join(_COMPARISONS)}between two"
    )
