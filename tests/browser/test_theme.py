"""What the theme's stylesheet lost: nothing that a page has."""

import re
from pathlib import Path

import pytest

from site_src.build.theme_css import ABSENT, UNUSED
from tests.browser.visitor import TEMPLATES

CLASSES = re.compile(r'<[a-z][^<>]*? class=(?:"([^"]*)"|([^\s>"]+))')


@pytest.mark.parametrize("path", TEMPLATES)
def test_no_page_has_a_class_whose_rules_were_left_out(site: Path, path: str) -> None:
    """A part of the theme that a page begins to use must come back into its styles."""
    page = (site / "en" / path / "index.html").read_text(encoding="utf-8")
    names = {name for quoted, bare in CLASSES.findall(page) for name in (quoted or bare).split()}

    assert names
    assert not [name for name in names if name.startswith(UNUSED)]
    assert not {*re.findall(r"<([a-z]\w*)", page)} & {*ABSENT}
    assert not re.findall(r"<table(?![^<>]* class=)[^<>]*>", page)
