"""Wrong values planted in the table of all results are named."""

from pathlib import Path

import pytest

from site_src.evidence import Evidence
from site_src.pages.explore.rows import CREDITS, PATH, explored, files, prepare
from site_src.verify.explored import results
from tests.makers import chosen
from tests.site_src.recorded import make_site

RESULT = "mlperf-v3.1-xfusion-g5500v7x8xa30-resnet"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Evidence]:
    """The table of the chosen records."""
    site = make_site(chosen())
    prepare(site)
    out = tmp_path_factory.mktemp("site")
    (out / "data").mkdir()
    for asset in files(explored(site)):
        (out / asset.path).write_bytes(asset.content)
    return out, site.evidence


def test_what_was_made_passes(written: tuple[Path, Evidence]) -> None:
    """Nothing is planted, nothing is found; a site without the table has none to hold."""
    out, evidence = written

    assert not list(results(out, {PATH, CREDITS}, evidence))
    assert not list(results(out, set(), evidence))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (f'"{RESULT}"', '"nobody"', "nobody is only here"),
        ('"runs":["",', '"runs":["someone",', ": someone is no run of it"),
        ('"resnet50-imagenet"', '"resnet-imagenet"', "workload is 'resnet-imagenet', recorded is"),
        ('"score:{}:minutes"', '"score:{}:runs"', ":runs is "),
        ('"score:{}:minutes"', '"number:7"', "time: number:7 is of no run"),
        ('"score:{}:minutes"', '"score:{}:hours"', ":hours"),
        ("touchstoneResults={", "touchstoneResults=", "is no table of results"),
    ],
)
def test_a_planted_value_is_named(
    written: tuple[Path, Evidence], old: str, new: str, fault: str
) -> None:
    """With what is recorded instead."""
    out, evidence = written
    text = (out / PATH).read_text("utf-8")
    assert old in text
    try:
        (out / PATH).write_text(text.replace(old, new), "utf-8")
        found = list(results(out, {PATH, CREDITS}, evidence))
    finally:
        (out / PATH).write_text(text, "utf-8")

    assert any(fault in told for _, told in found), found
