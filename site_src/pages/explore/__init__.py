"""The page with all results in one table: filtered, sorted, drawn, compared and downloaded in the
browser; without JavaScript it has lists of links by workload and by accelerator.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from markupsafe import Markup

from site_src.charts.markup import SHAPES
from site_src.charts.vega import differences, places_of, vega
from site_src.figures import theme as themes
from site_src.figures.marks import bars
from site_src.figures.theme import Look
from site_src.model import Asset, Page
from site_src.pages.components.scripts import assigned, code, versioned
from site_src.pages.components.writer import Writer
from site_src.pages.explore import rows
from site_src.pages.explore.rows import Explored
from site_src.pages.explore.words import COLUMNS, FIRST, MORE, accelerator, client_words, titles
from site_src.pages.workload_lists import FEW, results_path
from site_src.questions import explored
from site_src.templates import html

FOLDER: Final = "explore/"


def explore_page(writer: Writer) -> Page:
    """The page in one language."""
    table: Explored = writer.site.graph.get("explored")
    named = titles(writer)
    drawn = bool(len(writer.site.figures) and writer.site.client)
    scripts = _scripts(writer, table, named, drawn=drawn)
    title = writer.t("explore.title")
    body = writer.render(
        "explore.html",
        title=title,
        lead=writer.t("explore.description"),
        note=writer.joined("sentences", writer.t("explore.note"), writer.t("score.note")),
        titles=named,
        first=FIRST,
        more=MORE,
        columns=COLUMNS,
        figures=rows.FIGURES,
        coloured=[name for name in COLUMNS if name in rows.WORDS],
        drawn=drawn,
        lists=list(_lists(writer, table)),
    )
    page = writer.page("results", str(title), writer.plain("explore.description"), body)
    return replace(page, head=_head(writer, table, scripts), beside=tuple(scripts.values()))


def _head(writer: Writer, table: Explored, scripts: Mapping[str, Asset]) -> str:
    data = _data(writer, table)[rows.PATH]
    own = {name: versioned(name, asset.content) for name, asset in scripts.items()}
    style, script = html.style(own["explore.css"]), html.script(own["explore.js"])
    return f"{style}{html.script(data)}{script}"


def _data(writer: Writer, table: Explored) -> dict[str, str]:
    return {
        asset.path: versioned(f"{writer.root}{asset.path}", asset.content)
        for asset in rows.files(table)
    }


def _lists(
    writer: Writer, table: Explored
) -> Iterator[tuple[str, Markup, list[tuple[str, str, str]]]]:
    site = writer.site
    for id_, column, known, path, name in (
        ("workloads", "workload", site.catalog.workloads, _results, Writer.workload_name),
        (
            "accelerators",
            "accelerator",
            site.catalog.hardware,
            lambda id_, _: f"accelerators/{id_}/",
            accelerator,
        ),
    ):
        said, numbers = table.data["words"][column]
        counts = Counter(said[number] for number in numbers)
        found = [
            (writer.url(path(word, n)), name(writer, word), writer.locale.number(n))
            for word, n in counts.most_common()
            if word in known
        ]
        if found:
            yield id_, writer.t(f"explore.{id_}"), found


def _results(workload: str, n: int) -> str:
    return results_path(workload) if n > FEW else f"workloads/{workload}/"


def _scripts(
    writer: Writer, table: Explored, named: Mapping[str, Markup], *, drawn: bool
) -> dict[str, Asset]:
    folder = f"{writer.locale.code}/{FOLDER}"
    later = {"files.js": code("explore_files.js")}
    if drawn:
        data = assigned("touchstoneScatter", compiled_chart())
        later["chart.js"] = data + code("explore_chart.js")
    places = {name: versioned(name, content) for name, content in later.items()}
    places["credits"] = _data(writer, table)[rows.CREDITS]
    if drawn:
        client = writer.site.client
        places["charts"] = f"{writer.root}{client['chart.js']}"
        places["runtime"] = f"{writer.root}{client['runtime']}"
    own = client_words(writer, table, named) | {"later": places}
    first = assigned("touchstoneExplore", own) + code("explore.js")
    made = {"explore.js": first, "explore.css": code("explore.css"), **later}
    return {name: Asset(folder + name, content) for name, content in made.items()}


COLOURS: Final = 7
"""Words with a colour of their own, those with most results; the rest share one."""

REST: Final = Look(themes.QUIET["light"], themes.QUIET["dark"], "circle")


@cache
def compiled_chart() -> dict[str, Any]:
    """The compiled chart: its specification, its changes for kinds of axes and dark pages,
    positions of its titles, and its colours.
    """
    made = {
        (log_x, log_y): vega(explored.live(log_x=log_x, log_y=log_y).to_dict())
        for log_x, log_y in explored.SCALES
    }
    plain = made[False, False]
    return {
        "spec": plain,
        "scales": {
            f"{'x' if log_x else ''}{'y' if log_y else ''}": differences(plain, spec)
            for (log_x, log_y), spec in made.items()
        },
        "dark": differences(plain, themes.darken(plain, [])),
        "titles": {
            name: [list(path) for path in places_of(plain, text)]
            for name, text in (("x", bars.X_TITLE), ("y", bars.Y_TITLE))
        },
        "looks": [
            [look.light, look.dark, look.shape, SHAPES[look.shape]]
            for look in (*map(themes.in_turn, range(COLOURS)), REST)
        ],
    }
