"""No bytes crash an importer: what cannot be read is refused in words."""

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.importers import FORMATS
from kernels.store import encoded
from tests.examples import tried
from tests.fuzz import layouts

VALUE = re.compile(rb'"[^"\n]*"|[^\s",:{}\[\]]+')
"""A cell, or a value of JSON: a text with its quotes, a number, a word."""


def test_every_format_is_fuzzed() -> None:
    """A new importer needs a layout and a seed here."""
    assert set(layouts.FILES) == set(layouts.SEEDS) == set(FORMATS)


@pytest.mark.parametrize("format_", sorted(layouts.FILES))
def test_the_seeds_are_read(format_: str, tmp_path: Path) -> None:
    """No search begins with a refusal; an article wants more files than a seed has."""
    found = [
        layouts.attempt(format_, seed, tmp_path / str(number))
        for number, seed in enumerate(layouts.SEEDS[format_])
    ]

    assert (
        any(imported.runs or imported.sources for each in found for imported in each)
        or format_ == "article"
    )


@st.composite
def mutated(draw: st.DrawFn, format_: str) -> bytes:
    """A seed with one of its values or any stretch replaced, repeated, or cut off."""
    seed = draw(st.sampled_from(layouts.SEEDS[format_]))
    start = draw(st.integers(0, len(seed)))
    end = draw(st.integers(start, min(len(seed), start + 40)))
    values = [match.span() for match in VALUE.finditer(seed)]
    start, end = draw(st.one_of(st.just((start, end)), st.sampled_from(values)))
    odd = [
        b"",
        seed[start:end] * 2,
        b"NaN",
        b"-1",
        b"0",
        b"1e999",
        b"null",
        b"[]",
        b'{"value": []}',
    ]
    letters = st.text("0123456789.,;e-\"'\n\t xX[]:", max_size=60).map(str.encode)
    filling = draw(st.one_of(st.binary(max_size=60), letters, st.sampled_from(odd)))
    return seed[:start] + filling + draw(st.sampled_from([seed[end:], b""]))


@pytest.mark.parametrize("format_", sorted(layouts.FILES))
@given(data=st.data())
@settings(max_examples=tried(150))
def test_no_bytes_crash_an_importer(format_: str, data: st.DataObject) -> None:
    """Neither random ones nor damaged files."""
    content = data.draw(st.one_of(mutated(format_), mutated(format_), st.binary(max_size=200)))

    with tempfile.TemporaryDirectory() as folder:
        found = layouts.attempt(format_, content, Path(folder))
    assert format_ != "csv" or all(imported.runs for imported in found)
    assert all(encoded(imported.runs) for imported in found if imported.runs)
