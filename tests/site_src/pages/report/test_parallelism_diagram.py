"""The diagram in numbered steps."""

import re
from pathlib import Path

import pytest

from site_src import reports
from site_src.pages import PageError
from site_src.pages.report.blocks import STEPS, scheme
from tests.site_src.recorded import page_at

REPORT = reports.Report("any", Path("any.toml"), "any", (), (), reports.Story("", (), ()), (), ())


def drawn(subject: str) -> str:
    """The scheme in English."""
    return str(scheme(page_at("reports/any/"), REPORT, subject))


def test_each_step_has_a_drawing_and_words() -> None:
    """Five items of an ordered list; the drawings say nothing that the words do not, so readers of
    the page aloud do not hear them.
    """
    body = drawn("data-parallel")

    assert (
        len(re.findall(r'<li><svg [^>]*aria-hidden="true"', body))
        == len(re.findall("</svg><p>[A-Z]", body))
        == len(STEPS)
    )
    assert body.count("<ol>") == 1
    assert body.count('id="scheme-data-parallel-head"') == 1


def test_a_scheme_without_words_is_named() -> None:
    """The error says which string is missing."""
    with pytest.raises(
        PageError, match=r"scheme 'none', and .*en\.toml has no 'scheme\.none\.title'"
    ):
        drawn("none")
