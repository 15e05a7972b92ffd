"""The charts of a build."""

import shutil
from datetime import date
from pathlib import Path

import pytest

from site_src import questions
from site_src.cli import drawing
from site_src.cli.inputs import Order, read
from site_src.figures.written import FigureError
from site_src.model import BuildOptions
from tests.makers import RUNS


def test_two_charts_of_one_id_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chart_cache: Path
) -> None:
    """The later would stand in the place of the other."""
    measured = tmp_path / "runs" / "measured"
    measured.mkdir(parents=True)
    for file in sorted((RUNS / "measured").glob("digits-cnn-cpu-*.parquet"))[:4]:
        shutil.copy2(file, measured)
    options = BuildOptions(built=date(2026, 11, 20), out=tmp_path / "site", cache=chart_cache)
    inputs = read(Order(tmp_path / "runs", ("en",), options))
    asks = questions.asks(inputs.evidence)
    name, ask = next((name, ask) for name, ask in asks.items() if any(ask()))
    monkeypatch.setattr(questions, "asks", lambda _: {name: ask, "again": ask})

    with pytest.raises(FigureError, match="two charts have the id"):
        drawing.Drawing(inputs, options)
