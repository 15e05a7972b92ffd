"""Promises: whatever was published is built, has a new name, or is retired; all at once."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from site_src.addresses import ledger
from site_src.addresses.ledger import Entry, LedgerError
from site_src.addresses.moved import Move, MovedError
from site_src.addresses.retired import Retired, RetireError
from site_src.charts.downloads import Origins
from site_src.outputs import promises
from tests.site_src.outputs import newsworthy

HERE, GONE, OLD = "tpuv2-v100-data", "tpuv2-v100-gone", "tpuv2-v100-old"
RETIRED = Retired(
    id=GONE,
    page="reports/tpuv2-v100/",
    subject="tpuv2-v100",
    table=pd.DataFrame({"run_id": ["a", None, "a"], "origin": ["published"] * 3}),
    day=date(2026, 11, 21),
    why="It was wrong.",
    why_language="en",
    said={},
    files={},
    dark={},
    units={},
    states={"log": {"scale": "log"}},
    origins_of=Origins({}, {}),
    summary={},
)


def _ledger(folder: Path, *ids: str) -> Path:
    path = folder / "ledger.csv"
    ledger.append(
        path, [Entry("preset" if "/" in id_ else "chart", id_, "", "2026-01-02") for id_ in ids]
    )
    return path


def _moved(old: str, new: str) -> Move:
    return Move("chart", old, new, "2026-11-20", "", "moved.csv:2")


@pytest.mark.parametrize(("new", "preset"), [(HERE, "relative"), (GONE, "log")])
def test_a_renamed_chart_keeps_its_presets(tmp_path: Path, new: str, preset: str) -> None:
    """Whether its new name is drawn or retired; what is built and not in the ledger yet is to be
    added, what is kept is not.
    """
    path = _ledger(tmp_path, HERE, GONE, f"{GONE}/log", OLD, f"{OLD}/{preset}")

    added, ways = promises.hold(path, newsworthy.site(), [RETIRED], [_moved(OLD, new)])

    assert ways == {"chart": {OLD: new}, "badge": {}}
    names = {entry.id for entry in added}
    assert f"{HERE}/relative" in names and "tpuv2-v100-throughput" in names
    assert not names & {HERE, GONE, OLD, f"{OLD}/{preset}", f"{GONE}/log"}
    assert {entry.kind for entry in added} == set(ledger.KINDS)


@pytest.mark.parametrize(
    ("published", "gone", "moves", "refused"),
    [
        ((GONE,), [], [], (LedgerError, f"chart {GONE} ")),
        ((OLD, f"{OLD}/lost"), [], [_moved(OLD, HERE)], (LedgerError, f"preset {OLD}/lost ")),
        ((HERE,), [replace(RETIRED, id=HERE)], [], (RetireError, "still on the site")),
        ((HERE,), [], [_moved(OLD, HERE)], (MovedError, f"chart {OLD} was never published")),
        (
            (OLD,),
            [],
            [_moved(OLD, GONE)],
            (MovedError, f"leads to {GONE}, which is not on the site"),
        ),
    ],
)
def test_what_is_lost_is_refused(
    tmp_path: Path,
    published: tuple[str, ...],
    gone: list[Retired],
    moves: list[Move],
    refused: tuple[type[Exception], str],
) -> None:
    """A chart, a preset of one that was renamed, one that is both retired and drawn, and a rename
    of or to what is nowhere.
    """
    with pytest.raises(refused[0], match=refused[1]):
        promises.hold(_ledger(tmp_path, *published), newsworthy.site(), gone, moves)


def test_a_retired_chart_knows_its_runs() -> None:
    """Each once, without what has none; its short name is its own."""
    assert (RETIRED.runs, RETIRED.origins, RETIRED.short) == (("a",), ("published",), "gone")
