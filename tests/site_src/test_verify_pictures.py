"""What a picture may write."""

import pytest

from site_src.verify_pictures import strangers


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("≈ 3.280", None),
        ("≈ 3.28", "writes '≈ 3.28', which spec.es.json does not have"),
        ("n = 1", None),
        ("2.500", None),
        ("75,7 %", None),
        ("AWS p3.8xlarge", None),
        ("no digits at all", None),
    ],
)
def test_a_figure_comes_from_the_specification(written: str, fault: str | None) -> None:
    """A label that lost its zero is found; ticks and names pass."""
    known = {"≈ 3.280", "n = 1", "datum.value ? 'AWS p3.8xlarge' : ''"}

    found = list(strangers(f'<svg><text x="1">{written}</text></svg>', known, "spec.es.json"))

    assert found == ([] if fault is None else [fault])
