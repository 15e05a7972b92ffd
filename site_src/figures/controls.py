"""The reader's choices in a figure: controls, their choices, series; and headlines."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from site_src.figures.columns import labelled, present
from site_src.figures.theme import Look
from site_src.locales import Locale
from site_src.tables import Row

State = Mapping[str, str]


class StateNote(str):
    """A note on one state, which pages show in any.

    Attributes:
        state: The choice of each control that it is about; empty for a note only for pages.
    """

    state: State

    def __new__(cls, text: str, **state: str) -> "StateNote":
        """A text, and its state."""
        made = super().__new__(cls, text)
        made.state = state
        return made


class MarkNote(str):
    """A note on a drawn mark: always shown below the chart, while others are a click away."""


KINDS_OF_PICTURES: Final = frozenset({"dark", "page", "phone", "narrow", "card"})
"""Suffixes of other pictures' names, not allowed at the end of a preset's."""


TITLED: Final = frozenset({"workload", "comparison"})
"""Keys of controls that choose another subject: titles of pictures name the choice."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a control: `value` in addresses, `label` for the reader."""

    value: str
    label: Callable[[Locale], str]


@dataclass(frozen=True, slots=True)
class Control:
    """A choice that the reader has.

    Attributes:
        key: Its name in the query; never changes.
        choices: The first is the default, which addresses leave out.
        fields: For a channel (`value`, `category`), the column that each choice shows.
        filters: Column whose value must equal the choice for a row to be drawn; rows without a
            value are always drawn.
        every: The choice that keeps every row; empty if there is none.
    """

    key: str
    choices: tuple[Choice, ...]
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    filters: str | None = None
    every: str = ""

    def leaves_out(self, row: Row, state: State) -> bool:
        """Returns True if a row is not drawn in that state."""
        if self.filters is None or not present(row[self.filters]):
            return False
        choice = self.choice(state)
        return choice != self.every and str(row[self.filters]) != choice

    @property
    def default(self) -> str:
        """The value drawn first."""
        return self.choices[0].value

    def choice(self, state: State) -> str:
        """The state's value; the default for an unknown one, as addresses may be old."""
        value = state.get(self.key, self.default)
        return value if any(choice.value == value for choice in self.choices) else self.default

    def said(self, locale: Locale, state: State) -> str:
        """The reader's words for the state's value."""
        value = self.choice(state)
        return next(choice.label(locale) for choice in self.choices if choice.value == value)


@dataclass(frozen=True, slots=True)
class Series:
    """The meaning of one colour: `id` in addresses, `label` in every language; `year` is True for
    one that is no number, although it has digits alone.
    """

    id: str
    label: str
    look: Look
    year: bool = False

    def told(self, locale: Locale) -> str:
        """The label as a language writes it."""
        return self.label if self.year else labelled(self.label, locale)


@dataclass(frozen=True, slots=True)
class Preset:
    """A named state with pictures: `id` never changes, `state` has the differences."""

    id: str
    state: State


Shown = tuple[str, str, float, str]
"""A figure in a headline: placeholder, text in the language, machine value, reference."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A headline before it is written: a key below `figure.<key>.`, and figures or names for its
    placeholders.

    Attributes:
        figures: The figures in it.
        names: Placeholders that are not figures.
        parts: Placeholders that are strings of their own, with the number that chooses their form;
            they contain the same figures.
        then: The sentence that follows it.
    """

    key: str
    figures: tuple[Shown, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    then: "Sentence | None" = None


@dataclass(frozen=True, slots=True)
class Said:
    """The headline of a state other than the default: `state` has the differences."""

    state: State
    sentence: Callable[[Locale], Sentence]


def faults(presets: Sequence[Preset], keys: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yields what is wrong with presets, checked against `Figure.keys`."""
    known: dict[tuple[tuple[str, str], ...], str] = {}
    for preset in presets:
        if (
            not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", preset.id)
            or preset.id.rpartition("-")[2] in KINDS_OF_PICTURES
        ):
            kinds = ", ".join(sorted(KINDS_OF_PICTURES))
            yield (
                f"the preset {preset.id!r} needs an id of small letters and digits with hyphens "
                f"between that does not end in {kinds}"
            )
        for key, value in preset.state.items():
            if key not in keys:
                yield f"the preset {preset.id!r} has the key {key!r}; a state has {', '.join(keys)}"
                continue
            for one in value.split(",") if key == "hide" else [value]:
                if one not in keys[key]:
                    yield (
                        f"the preset {preset.id!r} has {key}={one}; there is {', '.join(keys[key])}"
                    )
        said = {
            key: value
            for key, value in preset.state.items()
            if key == "hide" or value != next(iter(keys.get(key, ())), None)
        }
        if preset.state.get("view") == "relative":
            said.setdefault("baseline", next(iter(keys.get("baseline", ())), ""))
        else:
            said.pop("baseline", None)
        state = tuple(sorted(said.items()))
        if not state:
            yield (
                f"the preset {preset.id!r} is what the chart shows at first; give it another "
                "state or take it away"
            )
        if state in known:
            yield (
                f"the presets {known[state]!r} and {preset.id!r} are the same state; take one away"
            )
        known[state] = preset.id
    names = [preset.id for preset in presets]
    yield from (
        f"two presets have the id {name!r}; rename one"
        for name in sorted({name for name in names if names.count(name) > 1})
    )
