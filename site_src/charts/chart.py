"""What a chart is to its files: a figure that is drawn, or the last version of one that was
removed.
"""

from collections.abc import Sequence
from typing import Protocol

import pandas as pd

from site_src.locales import Locale


class Chart(Protocol):
    """Whatever has an address below `c/`; `Figure` says what each part is."""

    @property
    def id(self) -> str:
        """Words, for ever."""

    @property
    def short(self) -> str:
        """Its name among the charts of one page."""

    @property
    def page(self) -> str:
        """Path of the page that it belongs to."""

    @property
    def table(self) -> pd.DataFrame:
        """Machine values with `source`, `licence` and `credit` in each row."""

    @property
    def runs(self) -> tuple[str, ...]:
        """Ids of the runs that it rests on."""

    @property
    def origins(self) -> tuple[str, ...]:
        """Origins of its rows."""

    def title(self, locale: Locale) -> str:
        """What it shows, in a few words."""

    def heading(self, locale: Locale) -> str:
        """The title of pages and links."""

    def caption(self, locale: Locale) -> str:
        """The title of its pictures."""

    def headline(self, locale: Locale) -> str:
        """One sentence from the data."""

    def remarks(self, locale: Locale) -> Sequence[str]:
        """What must stand beside it."""

    def credits(self, locale: Locale) -> list[str]:
        """Who is to be named beside it, apart from the site."""
