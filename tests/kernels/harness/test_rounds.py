"""An interrupted round of `--again` is known for a day, by suite and size, and nothing else passes
for one.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kernels.errors import StoreError
from kernels.harness import rounds

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)


def test_a_round_is_gone_on_with_for_a_day(tmp_path: Path) -> None:
    """Until it is over; another size of the suite has its own."""
    rounds.begin(tmp_path, "quick", "small", NOW)

    assert rounds.begun(tmp_path, "quick", "small", NOW + timedelta(hours=23)) == NOW
    assert rounds.begun(tmp_path, "quick", "small", NOW + timedelta(hours=25)) is None
    assert rounds.begun(tmp_path, "quick", "smoke", NOW) is None
    rounds.end(tmp_path, "quick", "small")
    assert rounds.begun(tmp_path, "quick", "small", NOW) is None
    rounds.end(tmp_path, "quick", "small")


@pytest.mark.parametrize(
    "written", ["", "yesterday", "2026-11-20T17:00:00", "2026-11-20T19:00:00+00:00", "\x00"]
)
def test_nonsense_is_no_round(written: str, tmp_path: Path) -> None:
    """Empty after a full disk, without a zone, or of a clock that has gone back since: the round
    begins anew.
    """
    rounds.begin(tmp_path, "quick", "small", NOW)
    (file,) = (tmp_path / "journals").iterdir()
    file.write_text(written)

    assert rounds.begun(tmp_path, "quick", "small", NOW) is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A file in its place: what to do about it."""
    (tmp_path / "runs").touch()

    with pytest.raises(
        StoreError,
        match=r"quick-small\.round: cannot be written \(.*\): make room, or choose another --runs",
    ):
        rounds.begin(tmp_path / "runs", "quick", "small", NOW)
