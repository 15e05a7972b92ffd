"""What a report and the page of its source say of where the figures come from."""

import dataclasses
from datetime import date

import pytest
from markupsafe import Markup

from kernels.errors import RecordError
from kernels.records import DatePrecision, Source
from site_src.pages.report import about
from tests.makers import make_source
from tests.site_src.pages.conftest import Written

SOURCE = make_source("tpuv2-v100", vendors=("Google", "NVIDIA"))


def rows(page_and_source: tuple[Written, Source]) -> dict[str, str]:
    """The metadata by name, as one reads them."""
    written, source = page_and_source
    page = written("reports/any/", source)
    return {
        page.field(name).striptags(): value.striptags().replace("\xa0", " ")
        for name, value in about.metadata(page, source).items()
    }


def test_all_that_a_publisher_prints_is_shown(written: Written) -> None:
    """Both dates, number, version, laboratory, scope and code; a month without its day stays a
    month.
    """
    source = dataclasses.replace(
        SOURCE, published=date(2019, 3, 1), published_precision=DatePrecision.MONTH, modified=date(2021, 9, 24), number="000132094",
        version="3", affiliation="A laboratory", applies_to=("One", "Two"), code="https://example.org/code",
    )  # fmt: skip
    found = rows((written, source))

    assert (found["Published"], found["Last changed"]) == ("March 2019", "24 September 2021")
    assert (found["Number"], found["Version"], found["Team or laboratory"]) == (
        "000132094",
        "3",
        "A laboratory",
    )
    assert (found["Applies to"], found["Code"]) == ("One; Two", "https://example.org/code")


def test_what_is_not_printed_reads_so(written: Written) -> None:
    """Dates and code that nobody states, and code of which the source says that there is none."""
    found = rows((written, SOURCE))

    assert found["Last changed"] == found["Code"] == "not stated"
    assert (
        rows((written, dataclasses.replace(SOURCE, code="none")))["Code"]
        == "The source gives none."
    )
    assert "Number" not in found


def test_age_counts_from_the_last_change(written: Written) -> None:
    """An old source that was changed a year ago carries no notice; one that was changed long ago
    says when.
    """
    old = dataclasses.replace(SOURCE, published=date(2018, 4, 1))
    page = written("reports/any/")

    notice, later = (
        about.age_notice(page, source)
        for source in (old, dataclasses.replace(old, modified=date(2019, 1, 2)))
    )

    assert "published: 1 April" in (notice or Markup("")).striptags().replace("\xa0", " ")
    assert "last changed: 2 January" in (later or Markup("")).striptags().replace("\xa0", " ")
    assert about.age_notice(page, dataclasses.replace(old, modified=date(2026, 1, 2))) is None


@pytest.mark.parametrize(
    "fields", [{"published": date(2019, 1, 2), "modified": date(2019, 1, 1)}, {"code": "somewhere"}]
)
def test_a_source_that_contradicts_itself_is_refused(fields: dict[str, object]) -> None:
    """A change before the publication, and code at no address."""
    with pytest.raises(RecordError, match="source tpuv2-v100"):
        dataclasses.replace(SOURCE, **fields)  # type: ignore[arg-type]  # by name


def test_who_reviewed_is_said_of_each_vendor(written: Written) -> None:
    """All, some by name, or none: never left open."""
    page = written("reports/any/")
    other = dataclasses.replace(SOURCE, vendors=("Google", "Other"))
    nobody = dataclasses.replace(SOURCE, source="catalyst-cost")

    assert (
        str(about.review_summary(page, SOURCE)) == "each vendor was asked to comment on the draft"
    )
    assert "Google; not reviewed by Other" in str(about.review_summary(page, other))
    assert str(about.review_summary(page, nobody)).startswith("not reviewed")
