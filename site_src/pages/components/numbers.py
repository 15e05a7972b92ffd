"""Figures in pages: each has its machine value, its reference, the number format of the language
and a link to its source.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from markupsafe import Markup, escape

from kernels.audit.facts import Fact
from kernels.catalog import exchange
from kernels.errors import FactError
from kernels.records import Bound, Certainty, Run, Status
from kernels.units import HOURS_A_MONTH, SECONDS_AN_HOUR
from site_src.pages.components.text import Words
from site_src.reports import Shown
from site_src.reports.prose import unmarked
from site_src.tables import BLEU, apart, is_bleu, level, stability
from site_src.tables.curve import LOWER, PLAIN, PLAIN_DECIMALS
from site_src.templates import html

_DECIMALS: Final[Mapping[str, int]] = {
    "USD": 2, "EUR": 2, "JPY": 0, "USD/h": 2, "EUR/h": 2, "JPY/h": 0, "h": 2, "percent": 1,
    "percentage_points": 1, "min": 2, "images/s": 0,
    "images/s per USD/h": 0, "images/s per EUR/h": 0, "images/USD": 0, "images/EUR": 0,
    "USD per EUR": 4, "EUR per USD": 4, "JPY per EUR": 2, "JPY per USD": 2, "EUR per JPY": 6,
    "USD per JPY": 6,
}  # fmt: skip
"""Decimals of computed figures by unit; printed figures keep their own. Other units show four
significant digits.
"""

_FRACTIONS: Final = (
    "_accuracy",
    "top1",
    "top5",
    "_hr10",
    "_map",
    "_box_ap",
    "_mask_ap",
    "_f1",
    "_wer",
    "_win_rate",
    "data_wait_share",
    "peak_share",
    "_utilisation",
)
"""Endings of the names of fractions that are shown as percentages."""

_PLAIN: Final = tuple(f"_{metric}" for metric in sorted(PLAIN - LOWER))
"""Endings of the names of fractions that are shown as recorded."""

_LOAD: Final = "load"
"""Part of the names of accelerator loads, in cells and in claims that are not ratios of loads; also
shown as percentages.
"""

MOST_WORDS: Final = 100
"""Most words in a report's summary."""

AGED_YEARS: Final = 2
"""Age in years at the build's date from which figures carry a notice."""

RULES: Final[Mapping[str, float]] = {
    "summary_words": MOST_WORDS,
    "aged_years": AGED_YEARS,
    "month_hours": HOURS_A_MONTH,
    "seconds_an_hour": SECONDS_AN_HOUR,
    "confidence": 0.95,
    "stability_seeds": stability.SEEDS,
    "stability_spread": stability.SPREAD,
}
"""Figures that both texts and code use, by their name in `rule("...")`."""

_SHARES: Final = frozenset({"confidence", "stability_spread"})
"""Rules shown as percentages."""

_RUN: Final = re.compile(r"\brun:([^:,()\s]+):")
_PERCENT_DECIMALS: Final = 1
_BLEU_DECIMALS: Final = 2
_DIGITS: Final = 4
_LEAST_DIGITS: Final = 3
_MEASURED: Final = ("run:", "alike:", "suite:")
"""Prefixes of references to figures of runs, which keep decimals where whole numbers would be too
coarse.
"""


@dataclass(frozen=True, slots=True)
class Style:
    """The format of a figure: decimals or significant digits, percentage, plus sign, or hours,
    minutes and seconds.

    `like` is a figure whose multiple of the unit is used, whatever its digits.
    """

    decimals: int | None
    digits: int | None
    percent: bool
    sign: bool
    clock: bool = False
    like: float | None = None


class Numbers(Words):
    """The figures of one page in one language."""

    def fact(self, ref: str) -> Fact:
        """The figure with this reference.

        Raises:
            PageError: There is none; names the page.
        """
        try:
            return self.site.facts.get(ref)
        except FactError as error:
            raise self.error(error) from None

    def known(self, ref: str) -> bool:
        """True if there is such a figure and it is not missing."""
        return self.site.facts.known(ref)

    def fig(
        self,
        ref: str,
        decimals: int | None = None,
        *,
        unit: bool = False,
        percent: bool | None = None,
        link: bool = True,
        sign: bool = False,
        digits: int | None = None,
        clock: bool = False,
        like: float | None = None,
    ) -> Markup:
        """A figure: `<data value= data-ref=>` with a link to its source, and "about" where the
        source of the figure or of an input says so.

        Args:
            ref: As in `kernels.audit.facts.Facts`.
            decimals: None for those printed, or for a computed figure those of its unit.
            unit: True to show the unit; money always has its currency.
            percent: True to show a fraction as a percentage; None to go by its name.
            link: True to link to its run, price or table.
            sign: True for a plus sign before positive figures, as for differences.
            digits: Significant digits instead of decimals.
            clock: True to write a time as hours, minutes and seconds.
            like: A figure whose multiple of the unit is used: 1.3501 GHz beside 1.35 GHz.
        """
        fact = self.fact(ref)
        if clock and fact.unit != "s":
            raise self.error(
                f"{ref} is in {fact.unit!r}; hours, minutes and seconds are made of 's'"
            )
        if fact.missing:
            return self._linked(ref, self.missing(_why(fact)), link)
        if percent is None:
            percent = fact.unit == "1" and self._is_fraction(ref)
        style = Style(decimals, digits, percent, sign, clock, like)
        unit = unit or re.fullmatch("[A-Z]{3}", fact.unit) is not None
        text = self._in_unit(fact, style) if unit else self._bare(fact, style)
        claimed = ref.startswith("claim:")
        return self._linked(ref, self._marked(ref, self.bounded(text, fact.bound, claimed)), link)

    def ends(self, ref: str, decimals: int) -> Markup:
        """The range of a figure that has an interval; empty if its ends read alike."""
        fact, style = self.fact(ref), Style(decimals, None, percent=False, sign=False)
        low = self._data(fact, fact.low or 0.0, style, "low")
        high = self._data(fact, fact.high or 0.0, style, "high")
        alike = low.striptags() == high.striptags()
        return Markup() if alike else self.t("range", low=low, high=high)

    def bounded(self, text: Markup, bound: Bound, claimed: bool = False) -> Markup:
        """A figure, with "about" where its source says so. A claim of less excludes the
        figure itself; a specification "up to" a figure, another use of the same sign, does not.
        """
        less = "under" if claimed else "less_than"
        words = {Bound.APPROX: "about", Bound.LT: less, Bound.GT: "more_than"}
        return text if bound is Bound.EQ else self.t(words[bound], shown=text)

    def _in_unit(self, fact: Fact, style: Style) -> Markup:
        text = self._bare(fact, style)
        if fact.unit == "epochs" and fact.ref.endswith("_epoch"):
            return self.t("ordinal_epoch", n=text)  # an ordinal, not a count
        if self._has_unit(fact, (fact.high or 0.0) if fact.value is None else fact.value, style):
            return text
        pattern = self.locale.pattern(self.locale.governing(unmarked(text)), fact.unit)
        return escape(pattern).format(n=text)

    def _bare(self, fact: Fact, style: Style) -> Markup:
        """The figure without its link, or its range, which does not break at the dash."""
        if fact.value is not None:
            return self._data(fact, fact.value, style)
        low = self._data(fact, fact.low or 0.0, style, "low")
        high = self._data(fact, fact.high or 0.0, style, "high")
        return html.nowrap(self.t("range", low=low, high=high))

    def _has_unit(self, fact: Fact, number: float, style: Style) -> bool:
        multiple = self.locale.scaled(number if style.like is None else style.like, fact.unit)[1]
        scaled = style.digits is None or style.like is not None
        return (
            style.percent
            or style.clock
            or fact.unit == "percent"
            or (scaled and multiple != fact.unit)
        )

    def _marked(self, ref: str, text: Markup) -> Markup:
        """A figure, marked where one of its runs was withdrawn; the page of that run says so at the
        top.
        """
        behind = (self.site.runs.get(name) for name in _RUN.findall(ref))
        if not any(
            run is not None
            and run.withdrawn is not None
            and self.path != self.site.page_with(run.run_id)
            for run in behind
        ):
            return text
        return html.withdrawn(self.paren(text, self.t("withdrawn")))

    def _is_fraction(self, ref: str) -> bool:
        """True if a pure number is shown as a percentage: accuracies and claims about them."""
        kind, _, rest = ref.partition(":")
        if kind == "claim":
            claim = self.site.claim(rest.partition(":")[0])
            if claim is None or claim.formula not in {"none", "repeats"}:
                return False
            return _LOAD in claim.quantity.split("-") or (
                claim.formula == "repeats" and self._is_fraction(claim.inputs[0])
            )
        if kind == "cell" and rest.rpartition(":")[2].startswith(_LOAD):
            return True
        return "(" not in ref and ref.partition("@")[0].endswith(_FRACTIONS)

    def _data(self, fact: Fact, number: float, style: Style, end: str = "") -> Markup:
        text = self._written(fact, number, style)
        if style.sign:
            text = self.locale.signed(text, number)
        ref = fact.ref[len(self.of) - 1 :] if self.of and fact.ref.startswith(self.of) else fact.ref
        value = repr(float(number)).removesuffix(".0")
        return html.data(value, ref, text, end)

    def _written(self, fact: Fact, number: float, style: Style) -> str:
        if style.clock:
            return self.locale.clock(number)
        if is_bleu(fact.ref):
            least = max(_BLEU_DECIMALS, self._percent_places(fact, number))
            places = least if style.decimals is None else style.decimals
            return self.locale.number(level(BLEU, number), places)
        if style.percent:
            return self._percentage(fact, number, style)
        scaled, unit = self.multiple(number, fact.unit, style.like)
        decimals, digits = style.decimals, style.digits
        multiple = unit != fact.unit and (digits is None or style.like is not None)
        if multiple:
            if digits is None and decimals is None and scaled % 1 == 0:
                decimals = 0
        else:
            scaled, unit = number, "percent" if fact.unit == "percent" else "1"
            decimals = self._places(fact, decimals) if digits is None else decimals
        if digits is None and decimals is None:
            digits = _DIGITS
        strip = multiple or (digits is not None and (digits > _DIGITS or style.like is not None))
        shown = self.locale.number(scaled, decimals, digits, strip=strip)
        return self.locale.pattern(scaled, unit).replace("{n}", shown)

    def _percentage(self, fact: Fact, number: float, style: Style) -> str:
        if style.digits is not None:
            shown = self.locale.number(number * 100, None, style.digits, strip=True)
            return self.locale.pattern(number, "percent").replace("{n}", shown)
        decimals = style.decimals
        return self.locale.percent(
            number, self._percent_places(fact, number) if decimals is None else decimals
        )

    def multiple(self, number: float, unit: str, like: float | None = None) -> tuple[float, str]:
        """A quantity in its usual multiple of the unit, or in that of the quantity `like`."""
        read, name = self.locale.scaled(number if like is None else like, unit)
        if like is None or name == unit:
            return (read, name) if like is None else (number, unit)
        return number / round(like / read), name

    def _percent_places(self, fact: Fact, number: float) -> int:
        """Decimals as printed; for our own runs enough that a missed target does not look met."""
        if fact.decimals is not None:
            return max(0, fact.decimals - 2)
        return self._apart(fact, number, _PERCENT_DECIMALS)

    def _apart(self, fact: Fact, number: float, least: int, *, scale: int = 100) -> int:
        """Decimals that show a run's own reading as below or above its targets."""
        run = self.site.runs.get(fact.ref.split(":")[1]) if fact.ref.startswith("run:") else None
        return apart(number, run.targets if run else (), least, scale=scale)

    def _places(self, fact: Fact, decimals: int | None) -> int | None:
        if decimals is not None:
            return decimals
        if fact.decimals is not None:
            return max(0, fact.decimals)
        if fact.unit == "samples" or (
            fact.value is not None and float(fact.value).is_integer() and fact.unit not in _DECIMALS
        ):
            return 0
        if fact.value is not None and fact.ref.startswith("run:") and fact.ref.endswith(_PLAIN):
            return self._apart(fact, fact.value, PLAIN_DECIMALS, scale=1)
        decimals = _DECIMALS.get(fact.unit)
        if decimals == 0 and fact.value is not None and fact.ref.startswith(_MEASURED):
            finer = fact.low is not None or abs(fact.value) < 10 ** (_LEAST_DIGITS - 1)
            # with as many digits as the ends of its interval
            return None if finer else decimals
        return decimals

    def of_run(self, run: Run, name: str, **style: Any) -> Markup:
        """A figure of a run; see `fig`."""
        return self.fig(f"run:{run.run_id}:{name}", **style)

    def batch(self, run: Run, *, link: bool = True) -> Markup:
        """A run's batch size, "batch 128"; empty if unknown."""
        if run.global_batch_size is None:
            return Markup("")
        return self.t("run.batch", batch=self.of_run(run, "global_batch_size", link=link))

    def rule(self, name: str) -> Markup:
        """A figure of `RULES`."""
        return self.fig(f"number:{RULES[name]:g}", percent=name in _SHARES or None, decimals=0)

    def shown(self, shown: Shown) -> Markup:
        """A figure as a report's definition specifies."""
        return self.fig(
            shown.ref,
            shown.decimals,
            unit=shown.unit,
            percent=shown.percent or None,
            like=shown.like,
        )

    def _linked(self, ref: str, text: Markup, link: bool) -> Markup:
        place = self.origin_of(ref) if link else None
        return text if place is None else html.figure_link(self.url(place), text)

    def origin_of(self, ref: str) -> str | None:
        """Path, with anchor, of the page that a figure comes from; None for a formula of several,
        and on that page.
        """
        kind, _, rest = ref.partition(":")
        id_, _, field = rest.partition(":")
        find = _ORIGINS.get(kind) if "(" not in ref else None
        place = find(self, id_, field) if find else None
        return None if place is None or place.partition("#")[0] == self.path else place

    def _price_place(self, id_: str, _: str) -> str | None:
        price = self.site.prices.get(id_)
        if price is None:
            return None
        page = self.site.price_page(price)
        listed = f"#price-{id_}" if page == "prices/" else "#offers"
        return f"{page}{listed if page.startswith('prices/') else '#prices'}"

    def _rate_place(self, base: str, field: str) -> str | None:
        quote, _, day = field.partition(":")
        found = exchange.convert(1.0, base, quote, date.fromisoformat(day), self.site.rates)
        return f"sources/{found.sources[0]}/#rate-{found.day}" if found.sources else None

    def _spec_place(self, id_: str, _: str) -> str | None:
        return f"accelerators/{id_}/#specifications"

    def _score_place(self, id_: str, _: str) -> str | None:
        score = self.site.score_with(id_)
        return f"results/{self.site.results.id_with(id_)}/" if score else None

    def _claim_place(self, id_: str, _: str) -> str | None:
        claim = self.site.claim(id_)
        return f"sources/{claim.source}/#{id_}" if claim else None


_ORIGINS: Final[Mapping[str, Callable[[Numbers, str, str], str | None]]] = {
    "run": lambda at, id_, __: at.site.results.page_with(id_),
    "alike": lambda at, id_, __: at.site.results.page_with(id_),
    "suite": lambda at, id_, __: at.site.results.page_with(id_),
    "system": lambda _, id_, __: f"systems/{id_}/",
    "workload": lambda _, id_, __: f"workloads/{id_}/",
    "cell": lambda _, id_, field: f"sources/{id_}/#table-{field.partition(':')[0]}",
    "price": Numbers._price_place,
    "rate": Numbers._rate_place,
    "spec": Numbers._spec_place,
    "claim": Numbers._claim_place,
    "score": Numbers._score_place,
}


def _why(fact: Fact) -> str:
    if fact.certainty in (Certainty.NOT_PUBLISHED, Certainty.NOT_STATED):
        return str(fact.certainty)
    if fact.ref.startswith(("system:", "workload:")):
        return "not_stated"  # from the catalogue, not from runs
    return str(fact.status) if fact.status is not Status.OK else "not_stated"
