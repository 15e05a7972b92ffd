"""The whole site standing at an address, and beside it one of its charts as Altair saves it: what browsers are sent to."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import altair

from kernels.system import ROOT
from tests.perf.processes import cost
from tests.perf.serving import served

DAY: Final = "2026-11-20"
CHART: Final = "tpuv2-v100-throughput"
EMBED: Final = f"c/{CHART}/embed.html"
PAGE: Final = f"en/c/{CHART}/"
REPORT: Final = "en/reports/tpuv2-v100/"
PLAIN: Final = "altair.html"
"""The same chart by `altair.Chart.save(inline=True)`: Vega, Vega-Lite and Vega-Embed from vl-convert's bundle inside the page."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The site's folder, and its address without a `/` at the end."""

    site: Path
    address: str


def build(out: Path, *more: str) -> list[str]:
    """The command that builds the site."""
    return [sys.executable, "build.py", "--date", DAY, "--out", str(out), *more]


def chromium() -> str | None:
    """Chromium's program."""
    return shutil.which("chromium")


@contextmanager
def standing(folder: Path) -> Iterator[Standing]:
    """The site, served; built when first asked for, with the address in it that it is served at."""
    site, note = folder / "standing", folder / "standing.port"
    with served(site, int(note.read_text()) if note.is_file() else 0) as address:
        if not note.is_file():
            cost(build(site, "--base-url", address), ROOT)
            save_plain(site)
            note.write_text(address.rpartition(":")[2])
        yield Standing(site, address)


def save_plain(site: Path) -> None:
    """The chart's own specification, as a page by Altair."""
    specification = (site / "c" / CHART / "spec.en.json").read_text(encoding="utf-8")
    altair.Chart.from_json(specification).save(str(site / PLAIN), inline=True)
