"""CPU of rendering the site's pages, against a plain mkdocs-static-i18n build of the same pages.

The same bodies, without their charts, go both ways: through `site_src.build` from an empty cache,
and as Markdown files that hold the same HTML through mkdocs with the same theme,
mkdocs-static-i18n, its search and `navigation.prune`. Either is a whole process, start and imports
included; what collects the pages is one of its own, so that what it holds counts for neither.
"""

import argparse
import json
import pickle
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from kernels.machine.system import ROOT
from site_src import build as render
from site_src import locales
from site_src.model import BuildOptions, Job, NavItem, Page
from tests.perf.measures import DAY, against, call, cost, estimate, interleaved, module, ratio

CHART = re.compile(r'<figure class="ts-figure".*?</figure>', re.DOTALL)
ROUNDS = 3


def rows(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Costs of both, and the ratio."""
    cost(call("rendering", "collect", folder))
    mkdocs = module("mkdocs", "build", "-q", "-f", folder / "plain" / "mkdocs.yml", "-d")
    quiet = {"NO_MKDOCS_2_WARNING": "1"}
    fresh = map(folder.joinpath, map(str, count()))
    found = interleaved(
        given.rounds or ROUNDS,
        ours=lambda: cost(call("rendering", "ours", folder, next(fresh), next(fresh))),
        theirs=lambda: cost([*mkdocs, str(next(fresh))], environment=quiet),
    )
    pages = sum(1 for _ in (folder / "plain" / "docs").rglob("*.md"))
    cpu = {side: [each.cpu_s for each in taken] for side, taken in found.items()}
    for side, what in (("ours", "ours, from an empty cache"), ("theirs", "mkdocs-static-i18n")):
        wall, peak = (max(each[field] for each in found[side]) for field in (0, 2))
        yield (
            f"rendering {pages} pages, {what}: {estimate(cpu[side])} s CPU, at most {wall:.2f} s "
            f"wall, {peak / 1e6:.0f} MB"
        )
    over = ratio(cpu["ours"], cpu["theirs"])
    yield f"CPU ratio of the two, pair by pair: {against(over, 0.1)}"


def collect(place: str) -> None:
    """Make every page once, charts taken out; lay them in a file and as a mkdocs project."""
    # drawing and reading are no part of what rendering is measured for
    from site_src import pages  # noqa: PLC0415
    from site_src.cli.drawing import Drawing  # noqa: PLC0415
    from site_src.cli.inputs import Order, read  # noqa: PLC0415

    folder = Path(place)
    options = _options(folder / "unused", ROOT / ".cache")
    inputs = read(Order(ROOT / "runs", None, options))
    site = pages.site_of(inputs.evidence, Drawing(inputs, options).gallery, options)
    made = [
        replace(page, body=CHART.sub("", page.body), charts=(), head="", image="")
        for page in (job.make() for job in pages.pages(site, inputs.locales))
    ]
    nav = {locale.code: pages.nav(inputs.evidence, locale) for locale in inputs.locales}
    (folder / "pages.pickle").write_bytes(pickle.dumps((made, nav)))
    for page in made:
        path = folder / "plain" / "docs" / page.language / page.path / "index.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"---\ntitle: {page.title!r}\n---\n\n<div>\n{page.body}\n</div>\n"
        path.write_text(text, encoding="utf-8")
    codes = list(dict.fromkeys(page.language for page in made))
    languages = [
        {"locale": code, "name": code, "build": True, "default": code == codes[0]} for code in codes
    ]
    i18n = {"docs_structure": "folder", "reconfigure_material": True, "languages": languages}
    theme = {"name": "material", "font": False, "features": ["navigation.prune"]}
    settings = {"site_name": "Touchstone", "theme": theme, "plugins": ["search", {"i18n": i18n}]}
    (folder / "plain" / "mkdocs.yml").write_text(json.dumps(settings), encoding="utf-8")


def ours(place: str, out: str, cache: str) -> None:
    """Render the collected pages as the site does."""
    made: list[Page]
    nav: dict[str, NavItem]
    made, nav = pickle.loads((Path(place) / "pages.pickle").read_bytes())  # noqa: S301 - written by `collect` a moment ago
    strings = locales.load(ROOT / "site_src" / "strings")
    jobs = (Job(page.language, page.path, partial(replace, page)) for page in made)
    render.render(jobs, {}, nav, strings, _options(Path(out), Path(cache)))


def _options(out: Path, cache: Path) -> BuildOptions:
    return BuildOptions(built=DAY, out=out, cache=cache, config=ROOT / "mkdocs.yml")
