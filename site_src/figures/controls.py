"""What a reader can choose in a figure: its controls, their choices, and its series."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from site_src.figures.columns import present
from site_src.figures.theme import Look
from site_src.locales import Locale

State = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a control: `value` stands in addresses, `label` is said to the reader."""

    value: str
    label: Callable[[Locale], str]


@dataclass(frozen=True, slots=True)
class Control:
    """What a reader can choose.

    Attributes:
        key: Its name in the query: a promise.
        choices: The first is the default, which never stands in an address.
        fields: For a channel (`value`, `category`), which column each choice shows.
        filters: Column of which only the rows equal to the choice are drawn; rows without a value there always are.
        every: The choice that leaves out no row; empty where there is none.
    """

    key: str
    choices: tuple[Choice, ...]
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    filters: str | None = None
    every: str = ""

    def leaves_out(self, row: Mapping[str, object], state: State) -> bool:
        """Whether a row is not drawn in that state."""
        if self.filters is None or not present(row[self.filters]):
            return False
        choice = self.choice(state)
        return choice != self.every and str(row[self.filters]) != choice

    @property
    def default(self) -> str:
        """What is drawn first."""
        return self.choices[0].value

    def choice(self, state: State) -> str:
        """The state's value of this control; the default for an unknown one, as addresses may be old."""
        value = state.get(self.key, self.default)
        return value if any(choice.value == value for choice in self.choices) else self.default


@dataclass(frozen=True, slots=True)
class Series:
    """What one colour stands for: `id` in addresses, `label` for readers (names of products, the same in each language)."""

    id: str
    label: str
    look: Look
