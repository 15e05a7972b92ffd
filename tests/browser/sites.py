"""The sites that the browser is shown, each built once for all tests of a session: a small one of
chosen records, in two languages and two that nobody speaks, and the whole in all of its languages.
"""

import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from site_src.charts import pictures
from site_src.cli.building import build
from site_src.cli.inputs import Order, read
from site_src.model import BuildOptions
from tests.browser import pseudo
from tests.makers import RUNS, make_archive
from tests.site_src.charts import stand_ins

REPOSITORY: Final = RUNS.parent
CACHE: Final = REPOSITORY / ".cache"
BASE: Final = "https://example.org/bench/"
"""Address of the small site; the whole one has none."""

DAY: Final = date(2026, 11, 20)
SMALL: Final = "small"
WHOLE: Final = "whole"
LANGUAGES: Final = {SMALL: ("en", "ja", *pseudo.DIRECTIONS), WHOLE: ("en", "ru", "ja", "es")}
"""In the order in which each offers them."""

IN_WHOLE: Final = pytest.mark.whole
BOTH: Final = pytest.mark.parametrize(
    "site", [SMALL, pytest.param(WHOLE, marks=IN_WHOLE)], indirect=True
)
"""A test of either site."""


def spoken(*cases: tuple[str, *tuple[str, ...]], names: str) -> pytest.MarkDecorator:
    """A test of cases that begin with a language: of the small site where that has it, else of the
    whole.
    """
    params = [
        (SMALL, *case)
        if case[0] in LANGUAGES[SMALL]
        else pytest.param(WHOLE, *case, marks=IN_WHOLE)
        for case in cases
    ]
    return pytest.mark.parametrize(f"site,{names}", params, indirect=["site"])


def each_language(*small: str) -> pytest.MarkDecorator:
    """A test of a `language`, once in each: some of the small site, the others of the whole."""
    others = [code for code in LANGUAGES[WHOLE] if code not in LANGUAGES[SMALL]]
    return spoken(*((code,) for code in (*(small or pseudo.KEPT), *others)), names="language")


def order(name: str, folder: Path) -> Order:
    """What is built below a folder, with no pictures but SVG."""
    out, config, small = folder / "site", REPOSITORY / "mkdocs.yml", name == SMALL
    base = BASE if small else ""
    options = BuildOptions(DAY, base_url=base, out=out, cache=CACHE, config=config, draft=True)
    if not small:
        return Order(RUNS, None, options)
    strings, content = folder / "strings", folder / "content"
    return Order(folder / "runs", LANGUAGES[SMALL], options, strings, content)


def make(name: str, folder: Path) -> None:
    """Build it. Pictures of the small site are stood in for but in its first language."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = order(name, folder)
    if name == WHOLE:
        told = ["--draft", "--out", str(wanted.options.out), "--date", DAY.isoformat()]
        command = [sys.executable, "build.py", *told]
        ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr[-4000:]
        return
    make_archive(wanted.runs)
    pseudo.copy(REPOSITORY / "site_src", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "draw", partial(_drawn_in, LANGUAGES[SMALL][0], pictures.draw))
        build(wanted, read(wanted))


def _drawn_in(
    language: str,
    draw: Callable[..., list[dict[str, bytes]]],
    orders: Sequence[pictures.Order],
    *given: Any,
    **more: Any,
) -> list[dict[str, bytes]]:
    """In place of `pictures.draw`: draws in one language, and has stand-ins for the others."""
    real = [one for one in orders if one.locale.code == language]
    drawn = iter(draw(real, *given, **more))
    kinds = pictures.PAINTED
    others = (
        {kind: made for kind, made in each.items() if kind not in kinds}
        for each in stand_ins.draw(orders, *given)
    )
    return [next(drawn if one.locale.code == language else others) for one in orders]
