"""The whole site standing at an address, and beside it one of its charts as Altair saves it: what
browsers are sent to.
"""

import atexit
import shutil
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import altair

from kernels.machine.system import ROOT
from tests.perf.processes import cost
from tests.perf.serving import served

DAY: Final = "2026-11-20"
CHART: Final = "tpuv2-v100-throughput"
EMBED: Final = f"c/{CHART}/embed.html"
PAGE: Final = f"en/c/{CHART}/"
REPORT: Final = "en/reports/tpuv2-v100/"
PLAIN: Final = "altair.html"
"""The same chart by `altair.Chart.save(inline=True)`: Vega, Vega-Lite and Vega-Embed from
vl-convert's bundle inside the page.
"""


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


_SERVED: Final = ExitStack()
atexit.register(_SERVED.close)


@cache
def standing(folder: Path) -> Standing:
    """The site, served until the process ends, since its own address stands in it; built when first
    asked for.
    """
    site = folder / "standing"
    address = _SERVED.enter_context(served(site))
    cost(build(site, "--base-url", address), ROOT)
    save_plain(site)
    return Standing(site, address)


def save_plain(site: Path) -> None:
    """The chart's own specification, as a page by Altair."""
    specification = (site / "c" / CHART / "spec.en.json").read_text(encoding="utf-8")
    altair.Chart.from_json(specification).save(str(site / PLAIN), inline=True)
