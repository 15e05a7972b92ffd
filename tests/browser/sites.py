"""The sites that the browser is shown, each built once for all tests of a session: a small one of
chosen records in two languages, the same in two that nobody speaks, and the whole in all of its
languages.
"""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
"""Address of the small sites; the whole one has none."""

DAY: Final = date(2026, 11, 20)
SMALL: Final = "small"
UNSPOKEN: Final = "unspoken"
WHOLE: Final = "whole"
LANGUAGES: Final = {
    SMALL: ("en", "ja"),
    UNSPOKEN: tuple(pseudo.DIRECTIONS),
    WHOLE: ("en", "ru", "ja", "es"),
}
"""In the order in which each offers them."""

IN_WHOLE: Final = pytest.mark.whole
MARKS: Final[Mapping[str, Sequence[pytest.MarkDecorator]]] = {
    SMALL: [],
    UNSPOKEN: [pytest.mark.slow],
    WHOLE: [IN_WHOLE],
}
"""Of tests that want a site."""

IN_UNSPOKEN: Final = pytest.mark.parametrize(
    "site", [pytest.param(UNSPOKEN, marks=MARKS[UNSPOKEN])], indirect=True
)
BOTH: Final = pytest.mark.parametrize(
    "site", [SMALL, pytest.param(WHOLE, marks=IN_WHOLE)], indirect=True
)
"""A test of either site."""


def spoken(*cases: tuple[str, *tuple[str, ...]], names: str) -> pytest.MarkDecorator:
    """A test of cases that begin with a language: of the first site that has it."""
    sites = [next(one for one in LANGUAGES if case[0] in LANGUAGES[one]) for case in cases]
    params = [
        pytest.param(site, *case, marks=MARKS[site])
        for site, case in zip(sites, cases, strict=True)
    ]
    return pytest.mark.parametrize(f"site,{names}", params, indirect=["site"])


def each_language(*small: str) -> pytest.MarkDecorator:
    """A test of a `language`, once in each: some of small sites, the others of the whole."""
    others = [code for code in LANGUAGES[WHOLE] if code not in LANGUAGES[SMALL]]
    return spoken(*((code,) for code in (*(small or LANGUAGES[SMALL]), *others)), names="language")


def order(name: str, folder: Path) -> Order:
    """What is built below a folder, with no pictures but SVG."""
    out, config = folder / "site", REPOSITORY / "mkdocs.yml"
    base = "" if name == WHOLE else BASE
    options = BuildOptions(DAY, base_url=base, out=out, cache=CACHE, config=config, draft=True)
    if name == WHOLE:
        return Order(RUNS, None, options)
    made = Order(folder / "runs", LANGUAGES[name], options)
    if name == SMALL:
        return made
    return replace(made, strings=folder / "strings", content=folder / "content")


def make(name: str, folder: Path) -> None:
    """Build it. Pictures of small sites are stood in for, but those of one report in English."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = order(name, folder)
    if name == WHOLE:
        told = ["--draft", "--out", str(wanted.options.out), "--date", DAY.isoformat()]
        command = [sys.executable, "build.py", *told]
        ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr[-4000:]
        return
    make_archive(wanted.runs)
    if name == UNSPOKEN:
        pseudo.copy(REPOSITORY / "site_src", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "draw", partial(_drawn, pictures.draw))
        build(wanted, read(wanted))


def _drawn(
    draw: Callable[..., dict[str, bytes]], one: pictures.Order, *given: Any, **more: Any
) -> dict[str, bytes]:
    """In place of `pictures.draw`: draws some, and has stand-ins for the others."""
    if one.locale.code == "en" and one.name.startswith("tpuv2-v100-"):
        return draw(one, *given, **more)
    made = stand_ins.draw(one, *given)
    return {kind: content for kind, content in made.items() if kind not in pictures.PAINTED}
