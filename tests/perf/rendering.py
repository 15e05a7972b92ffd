"""CPU of rendering the site's pages, against a plain mkdocs-static-i18n build of the same pages.

The same bodies, without their charts, go both ways: through `site_src.build` from an empty cache,
and as Markdown files that hold the same HTML through mkdocs with the same theme,
mkdocs-static-i18n, its search and `navigation.prune`. Either is a whole process, start and imports
included.
"""

import pickle
import re
import sys
import textwrap
from dataclasses import replace
from datetime import date
from pathlib import Path

from site_src import build as render
from site_src import locales
from site_src.model import BuildOptions, NavItem, Page

HERE = Path(__file__).resolve().parents[2]
CHART = re.compile(r'<figure class="ts-figure".*?</figure>', re.DOTALL)
DAY = date(2026, 11, 20)


def collect(folder: Path, copies: int) -> Path:
    """Make every page of the site once, charts taken out, run pages `copies` times, and lay them in
    a file; its path.
    """
    import build  # noqa: PLC0415 - drawing and reading are no part of what `ours` is measured for
    from site_src import pages  # noqa: PLC0415

    options = BuildOptions(
        date=DAY, out=folder / "unused", cache=HERE / ".cache", config=HERE / "mkdocs.yml"
    )
    inputs = build.read(build.Order(HERE / "runs", None, options))
    drawn, _ = build.draw(inputs, options, 1)
    made = [
        replace(page, body=CHART.sub("", page.body), charts=(), head="", image="")
        for page in pages.pages(
            inputs.archive, inputs.catalog, inputs.facts, inputs.locales, drawn, options
        )
    ]
    for page in [page for page in made if page.shell == "light"]:
        made += [
            replace(page, path=f"{page.path[:-1]}-copy{number}/") for number in range(1, copies)
        ]
    nav = {
        locale.code: pages.nav(inputs.archive, inputs.catalog, locale) for locale in inputs.locales
    }
    path = folder / "pages.pickle"
    path.write_bytes(pickle.dumps((made, nav)))
    return path


def ours(collected: Path, out: Path, cache: Path) -> None:
    """Render the collected pages as the site does."""
    made: list[Page]
    nav: dict[str, NavItem]
    made, nav = pickle.loads(collected.read_bytes())  # noqa: S301 - written by `collect` a moment ago
    options = BuildOptions(date=DAY, out=out, cache=cache, config=HERE / "mkdocs.yml")
    render.render(made, (), nav, locales.load(HERE / "site_src" / "strings"), options)


def lay_out(collected: Path, folder: Path) -> Path:
    """Write the same pages as a mkdocs project in mkdocs-static-i18n's folder structure; the path
    of its settings.
    """
    made: list[Page]
    made, _ = pickle.loads(collected.read_bytes())  # noqa: S301 - written by `collect` a moment ago
    codes = list(dict.fromkeys(page.language for page in made))
    for page in made:
        path = folder / "docs" / page.language / page.path / "index.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\ntitle: {page.title!r}\n---\n\n<div>\n{page.body}\n</div>\n", encoding="utf-8"
        )
    languages = "".join(
        f"        - {{locale: {code}, name: {code}, build: true, default: "
        f"{str(code == codes[0]).lower()}}}\n"
        for code in codes
    )
    settings = folder / "mkdocs.yml"
    settings.write_text(
        textwrap.dedent("""\
            site_name: Touchstone
            theme:
              name: material
              font: false
              features: [navigation.prune]
            plugins:
              - search
              - i18n:
                  docs_structure: folder
                  reconfigure_material: true
                  languages:
        """).replace("          languages:", "      languages:")
        + languages,
        encoding="utf-8",
    )
    return settings


# in processes of their own: what they hold in memory must not count for the next
if __name__ == "__main__":
    if sys.argv[1] == "collect":
        lay_out(collect(Path(sys.argv[2]), int(sys.argv[3])), Path(sys.argv[2]) / "plain")
    else:
        ours(*map(Path, sys.argv[2:]))
