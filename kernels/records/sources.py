"""A source, its claims, reviews of it, and cells of its tables."""

import math
from datetime import date

from kernels.errors import RecordError
from kernels.records.fields import (
    Day,
    check_address,
    check_decimals,
    check_finite,
    check_id,
    described,
    record,
)
from kernels.records.terms import Bound, Certainty, DatePrecision, SourceKind
from kernels.units import UNITS


def _power_of_ten(value: float | None) -> bool:
    return value is not None and value > 0.0 and math.log10(value).is_integer()


@record
class Claim:
    """A printed figure that follows from others, or a sentence that states one."""

    claim_id: str = described("Name of the claim, unique: source id and words.")
    source: str = described("Id of the source that prints it.")
    locator: str = described("Place in the source.")
    quantity: str = described(
        "Key of the sentence that says what is claimed, in `strings/` as `claim.<quantity>`."
    )
    unit: str = described("Unit of the printed and of the recomputed figure, one of `units.UNITS`.")
    formula: str = described(
        "Formula that recomputes the figure, by its name in `formulas.FORMULAS`; `none` where it "
        "cannot be checked."
    )
    inputs: tuple[str, ...] = described(
        "References to the facts that the formula takes, in its order.", default=(), longest=4_000
    )  # their grammar is in `audit/facts.py`
    printed: float | None = described(
        "The printed figure; null where a range is printed.", "(unit)", default=None
    )
    printed_low: float | None = described("Lower end of a printed range.", "(unit)", default=None)
    printed_high: float | None = described("Upper end of a printed range.", "(unit)", default=None)
    bound: Bound = described(
        "How the printed figure is to be read: as it stands, about, less than, more than.",
        default=Bound.EQ,
    )  # the tolerance of each is in `verdicts.TOLERANCE`
    decimals: int = described("Decimals as printed, -1 for tens.", "1", default=0)
    estimate: bool = described(
        "True where the formula is an estimator that need not equal the printed figure.",
        default=False,
    )
    reason: str | None = described("Why the claim cannot be checked.", default=None)
    order: bool = described(
        "True for an order of magnitude: the printed figure is a power of ten, judged on a "
        "logarithmic scale.",
        default=False,
    )  # `verdicts.ORDER`

    def __post_init__(self) -> None:
        check_id("claim_id", self.claim_id)
        check_id(f"claim {self.claim_id}: source", self.source)
        check_finite(
            f"claim {self.claim_id}",
            printed=self.printed,
            printed_low=self.printed_low,
            printed_high=self.printed_high,
        )
        check_decimals(f"claim {self.claim_id}", self.decimals)
        if self.unit not in UNITS:
            raise RecordError(f"claim {self.claim_id}: unit {self.unit!r} is not in units.UNITS")
        if self.printed is None and (self.printed_low is None or self.printed_high is None):
            raise RecordError(
                f"claim {self.claim_id}: neither a printed figure nor a printed range"
            )
        if self.order and not _power_of_ten(self.printed):
            raise RecordError(
                f"claim {self.claim_id}: printed {self.printed} as an order of magnitude, wanted a "
                "power of ten"
            )


@record
class Source:
    """A publication or log set that figures come from."""

    source: str = described("Id of the source, unique.")
    kind: SourceKind = described("What kind of publication it is.")
    title: str = described("Title as published.")
    url: str | None = described("Address of the original; null where there is none.")
    language: str = described("Language of the text, as an ISO 639-1 code.")
    licence: str = described(
        "SPDX id or short name of the terms under which its figures may be passed on."
    )
    credit: str = described("Who is to be named beside its figures.")
    authors: str | None = described("Authors as published.", default=None)
    publisher: str | None = described("Where it was published.", default=None)
    sponsor: str | None = described("For whom it was made, as far as it says.", default=None)
    published: date | None = described(
        "Day of publication; null where the copy at hand does not print it.", "day", default=None
    )
    published_note: str | None = described(
        "What is known of an unprinted or uncertain date.", default=None
    )
    accessed: date | None = described("Day on which the copy was taken.", "day", default=None)
    translated_from: str | None = described(
        "Language of the original of a translation; null for an original.", default=None
    )
    transcription_note: str | None = described(
        "What a reader must know about the copy, such as figures that were pictures.", default=None
    )
    vendors: tuple[str, ...] = described(
        "Makers and providers whose products it compares.", default=()
    )
    tags: tuple[str, ...] = described("Subjects that it belongs to.", default=())
    published_precision: DatePrecision = described(
        "How much of the day of publication the source prints; the rest is the first of the month"
        " or year.",
        default=DatePrecision.DAY,
    )
    modified: date | None = described(
        "Day of the last change as the source prints it; null where it prints none.",
        "day",
        default=None,
    )  # the age of its figures counts from there
    number: str | None = described("Number under which the publisher keeps it.", default=None)
    version: str | None = described("Version as printed.", default=None)
    affiliation: str | None = described(
        "Team or laboratory of the authors, as printed.", default=None
    )
    disclaimers: tuple[str, ...] = described(
        "Keys of what must stand above the first paragraph of whatever retells the source.",
        default=(),
    )
    applies_to: tuple[str, ...] = described(
        "Products and versions to which it says it applies.", default=()
    )
    code: str | None = described(
        "Address of the code that it gives; `none` where it gives none, null where the copy does "
        "not tell.",
        default=None,
    )
    published_about: date | None = described(
        "Middle of the time that a source without a printed date points to, put together here; "
        "null for others.",
        "day",
        default=None,
    )  # the day whose exchange rates hold for its prices

    @property
    def cited_url(self) -> str | None:
        """Address in a citation: that of a translation's original would be another text."""
        return None if self.translated_from else self.url

    def __post_init__(self) -> None:
        check_id("source", self.source)
        check_address(f"source {self.source}: url", self.url)
        if self.published and self.modified and self.modified < self.published:
            raise RecordError(
                f"source {self.source}: modified is {self.modified}, before it was published "
                f"({self.published})"
            )
        if self.code != "none":  # "none": the source gives none
            check_address(f"source {self.source}: code", self.code)

    @property
    def updated(self) -> date | None:
        """Day of the last change, else of publication; None if neither is printed."""
        return self.modified or self.published


@record
class Review:
    """Says if a party saw a source's draft."""

    source: str = described("Id of the source that was reviewed.")
    party: str = described("Who saw the draft.")
    role: str = described("`vendor` or `independent`.")
    status: str = described("`asked`, `answered`, `no_reply` or `unknown`.")
    date: Day | None = described("Day of the answer; null where none is printed.", "day")
    comment: str | None = described("What the party said, in our own words.")
    locator: str = described("Place in the source.")

    def __post_init__(self) -> None:
        check_id(f"review by {self.party}: source", self.source)


@record
class PrintedCell:
    """A cell of a printed table that is neither a run nor a price.

    `row`, `column` and `text` are keys with a text in `strings/`, or untranslated names.
    """

    source: str = described("Id of the source that prints the table.")
    table: str = described("Key of the table.")
    row_index: int = described("Number of the row within the table, from 0.", "1")
    row: str = described("Key or name of the row.")
    column: str = described("Key or name of the column.")
    text: str | None = described(
        "The cell's text, as a key or as it is; null where the cell is a figure."
    )
    value: float | None = described("The cell's figure; null where the cell is a text.", "(unit)")
    unit: str | None = described("Unit of the figure, one of `units.UNITS`.")
    decimals: int | None = described("Decimals as printed, -1 for tens.", "1")
    bound: Bound = described(
        "How the figure is to be read: as it stands, about, less than, more than."
    )
    certainty: Certainty = described("How far the cell is what the source prints.")
    locator: str = described("Place in the source.")

    def __post_init__(self) -> None:
        check_id(f"cell of table {self.table}: source", self.source)
        check_id(f"cell of {self.source}: table", self.table)
        where = f"cell of {self.source}, table {self.table}, row {self.row}, column {self.column}"
        check_finite(where, value=self.value)
        check_decimals(where, self.decimals)
