"""The site that was built holds, figure by figure and file by file."""

from pathlib import Path

import pytest

from site_src.cli.building import verify
from site_src.cli.inputs import read
from tests.browser.sites import WHOLE, order

PAINTED = ".png, which is not there"
"""All that a draft leaves out."""


@pytest.mark.whole
@pytest.mark.parametrize("site", [WHOLE], indirect=True)
def test_the_site_says_what_is_recorded(site: Path) -> None:
    """Nothing is found but that links lead to PNG files, which it is built without."""
    wanted = order(WHOLE, site.parent)

    found = [str(failure) for failure in verify(wanted, read(wanted))]

    assert found
    assert [failure for failure in found if not failure.endswith(PAINTED)] == []
