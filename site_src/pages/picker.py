"""The page to choose two accelerators or systems, and the data from which its scripts make the page
of any pair: all comparable results, words, and HTML pieces.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import combinations_with_replacement
from typing import Any, Final

from markupsafe import Markup

from kernels.analysis.compare import speed
from kernels.analysis.pairs import BETWEEN
from site_src.locales import unbroken
from site_src.model import Asset, Page
from site_src.pages.compare import FOLDER, Two, head, sentence, short, source
from site_src.pages.components import scores, scripts
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer, capital
from site_src.tables.compare import QUANTITIES, same_day
from site_src.tables.prices import per_accelerator_hour
from site_src.templates import html, versus

LISTED: Final = 24
"""Pairs that the page lists."""

_WORDS: Final = {
    **{
        name: f"versus.{name}"
        for name in (
            "faster", "faster_cost", "same", "unclear", "nearest", "target", "round", "when",
            "when_two", "rounds_differ", "no_number", "no_target", "sizes", "cost", "caption",
            "caption_times", "workload", "times", "ratio", "against", "read",
            "specifications", "measured", "energy", "hour", "nothing", "trained", "trained_none",
            "many", "many_caption", "too_many", "bridge.faster", "bridge.open", "bridge.how",
            "bridge.rough", "whole.faster", "whole.faster_cost", "whole.same", "whole.unclear",
            "whole.nearest",
            "sourced", "sourced_ratio", "seen", "by_one", "no_cost", "why.sourced",
            "why.nearest", "why.target", "why.unscored", "chip.target", "chip.targets",
            "chip.number", "chip.numbers", "chip.round", "chip.rounds", "chip.submitter",
            "chip.submitters", "chip.framework", "chip.frameworks",
        )
    },
    "quantity": "head.quantity",
    "times_as": "figure.times",
    "not_separable": "answer.not_separable",
    "comma": "join.comma",
    "range": "range",
    "missing": "join.nothing",
    "share": "chart.heading_share",
}  # fmt: skip
"""Strings that the browser joins, by their names in `assets/compare_page.js`."""


def compare_page(writer: Writer) -> Page:
    """The page to choose two: with JavaScript a form, without it lists."""
    site = writer.site
    most = list(site.versus)[:LISTED]
    script, *loaded = _scripts(writer)
    body = writer.render(
        "compare.html",
        title=writer.t("versus.title"),
        lead=writer.t("versus.lead"),
        choice=choice(writer),
        most=[
            (writer.url(f"{FOLDER}{name}/"), sentence(writer, Two.of(site, name))) for name in most
        ],
        every=[
            (writer.url(f"accelerators/{id_}/#compare"), short(site, id_)) for id_ in chosen(site)
        ],
    )
    title, description = (writer.plain(f"versus.{key}") for key in ("title", "picker_description"))
    page = writer.page("compare", title, description, body, light=True)
    return replace(
        page, head=f"{head(writer)}{html.script(_named(script))}", beside=(script, *loaded)
    )


def chosen(site: Site) -> list[str]:
    """The accelerators that are compared with another, by name."""
    found = {id_ for name in site.versus for id_ in name.split(BETWEEN)}
    return sorted(found, key=lambda id_: (short(site, id_).casefold(), id_))


def choice(writer: Writer) -> Markup:
    """The form to choose two."""
    names = [short(writer.site, id_) for id_ in writer.site.catalog.hardware]
    return writer.render("blocks/choice.html", names=sorted(names, key=str.casefold))


def _named(script: Asset) -> str:
    """The address of a file beside the page, with a hash of its content."""
    return scripts.versioned(script.path.rpartition("/")[2], script.content)


def _scripts(writer: Writer) -> list[Asset]:
    folder = f"{writer.locale.code}/{FOLDER}"
    loaded = [
        Asset(f"{folder}results.js", scripts.assigned("touchstoneResults", results(writer.site))),
        Asset(
            f"{folder}words.js",
            scripts.assigned("touchstoneWords", words(writer))
            + scripts.code("compare_pairs.js", "compare_page.js"),
        ),
    ]
    site = writer.site
    every = (*site.versus, *site.versus_systems, *site.versus_sourced)
    paired = {id_ for name in every for id_ in name.split(BETWEEN)}
    names = {
        id_: [short(site, id_), unbroken(one.name), *one.aliases]
        for id_, one in site.catalog.hardware.items()
    }
    first = {
        "names": names,
        "pages": {id_: site.versus_with(id_) for id_ in sorted(paired)},
        "files": [*map(_named, loaded)],
        **{key: writer.locale.template(f"versus.{key}") for key in ("unknown", "alike", "taken")},
        "failed": writer.locale.say("ui.not_loaded"),
    }
    picker = scripts.assigned("touchstoneCompare", first) + scripts.code("compare.js")
    return [Asset(f"{folder}picker.js", picker), *loaded]


class _Places(dict[Any, int]):
    """Index of each value in a list of distinct values."""

    def __missing__(self, value: Any) -> int:
        self[value] = found = len(self)
        return found


def results(site: Site) -> dict[str, Any]:
    """All results with a score, and the throughput of the others, for `assets/compare_pairs.js`.
    Times are minutes with seven digits.
    """
    lists = {
        name: _Places()
        for name in ("systems", "accelerators", "workloads", "rounds", "frameworks", "submitters")
    }
    targets = _Places()
    rows = [
        [
            site.results.id_with(one.run),
            lists["systems"][one.score.system],
            lists["accelerators"][one.accelerator],
            lists["workloads"][one.workload],
            targets[one.targets],
            lists["rounds"][one.score.round or ""],
            one.number,
            *(float(f"{time:.7g}") for time in (one.minutes, one.low / 60, one.high / 60)),
            one.score.converged,
            one.year,
            lists["frameworks"][one.framework or ""],
            lists["submitters"][one.score.submitter or ""],
        ]
        for one in site.scored_submissions
    ]
    others = [*_others(site, {str(row[0]) for row in rows}, lists)]
    for id_ in site.catalog.systems:  # some have only specifications and prices
        _ = lists["systems"][id_]
    names = {id_: site.machines[id_].name for id_ in lists["systems"]}
    return {"rows": rows, "others": others, "figures": [*_figures(site, lists)]} | {
        name: [*names.items()] if name == "systems" else [*found] for name, found in lists.items()
    }


def _others(
    site: Site, scored: set[str], lists: Mapping[str, _Places]
) -> Iterator[tuple[object, ...]]:
    for id_, one in site.results.items():
        runs = [run for name in one.run_ids if (run := site.runs[name]).withdrawn is None]
        if id_ in scored or not runs:
            continue
        found = speed(runs[0])
        yield (
            id_,
            lists["systems"][runs[0].system],
            site.machines[runs[0].system].hardware,
            lists["workloads"][runs[0].workload],
            *((found.value, found.unit) if found else (None, None)),
        )


def _figures(site: Site, lists: Mapping[str, _Places]) -> Iterator[list[object]]:
    """Figures compared within their source, as `kernels.analysis.sourced` has them."""
    for one in site.figures_of_sources:
        yield [
            site.results.id_with(one.run),
            lists["systems"][one.system],
            one.accelerator,
            lists["workloads"][one.workload],
            one.source,
            one.metric,
            one.terms,
            one.number,
            one.value and float(f"{one.value:.7g}"),
            one.unit,
        ]


def words(writer: Writer) -> dict[str, Any]:
    """All data that depend on the language."""
    site, locale = writer.site, writer.locale
    prices = dict(_prices(site))
    frameworks = sorted({one.framework for one in site.scored_submissions if one.framework})
    return {
        "tag": str(locale.babel).replace("_", "-"),
        "number": locale.d3()["number"],
        "text": {
            **{name: locale.template(key) for name, key in _WORDS.items()},
            "range_of": locale.strings["versus.range"],
        },
        "pieces": _pieces(),
        "note": str(scores.note(writer)),
        "units": {unit: locale.pattern(2, unit) for unit in _units(site)},
        "numbers": {
            number: locale.quantity(number, "chips", 0)
            for number in sorted(
                {one.number for one in site.scored_submissions}
                | {one.number for one in site.figures_of_sources}
            )
        },
        "sources": {
            id_: source(writer, id_)
            for id_ in sorted({one.source for one in site.figures_of_sources})
        },
        "metrics": {
            name: writer.quantity_name(name)
            for name in sorted({one.metric for one in site.figures_of_sources})
        },
        "workloads": {
            id_: writer.workload_name(id_)
            for id_ in dict.fromkeys(run.workload for run in site.runs.values())
        },
        "accelerators": {id_: short(site, id_) for id_ in site.catalog.hardware},
        "frameworks": {id_: str(writer.name("framework", id_)) for id_ in frameworks},
        "systems": {id_: one.hardware for id_, one in site.catalog.systems.items()},
        "quantities": {name: capital(writer.t(f"spec.{name}")) for name in QUANTITIES},
        "specifications": _specifications(writer),
        "energy": dict(_energies(writer)),
        "prices": {pair: [str(day), *both] for pair, (day, *both) in prices.items()},
        "days": {str(day): locale.show(day) for day in sorted({row[0] for row in prices.values()})},
    }


def _units(site: Site) -> list[str]:
    rates = {found.unit for run in site.runs.values() if run.round is None if (found := speed(run))}
    return ["min", "percent", "USD", "USD/h", *sorted(rates)]


def _specifications(writer: Writer) -> dict[str, dict[str, tuple[float, str]]]:
    found: dict[str, dict[str, tuple[float, str]]] = {}
    for id_ in writer.site.catalog.hardware:
        own = {}
        for name in QUANTITIES:
            spec = writer.site.catalog.spec(id_, name)
            if spec is not None and spec.value is not None:
                shown = writer.fig(f"spec:{id_}:{name}", unit=True, link=False)
                own[name] = (spec.value, str(shown.striptags()))
        found[id_] = own
    return found


def _energies(writer: Writer) -> Iterator[tuple[str, tuple[float | None, str]]]:
    for one in writer.site.scored_submissions:
        if one.score.energy_j is not None:
            shown = writer.fig(f"score:{one.run}:energy_j", unit=True, link=False)
            id_ = writer.site.results.id_with(one.run)
            yield id_, (one.score.energy_j, str(shown.striptags()))


def _prices(site: Site) -> Iterator[tuple[str, tuple[date, *tuple[tuple[float, str], ...]]]]:
    daily = {id_: site.daily_prices(id_) for id_ in sorted(site.catalog.hardware)}
    offered = [id_ for id_, days in daily.items() if days]
    for a, b in combinations_with_replacement(offered, 2):
        found = same_day(daily[a], daily[b])
        if found is not None and found[0].valid_from is not None:
            both = ((per_accelerator_hour(one) or 0.0, one.provider) for one in found)
            yield f"{a} {b}", (found[0].valid_from, *both)


def _pieces() -> dict[str, str]:
    """HTML pieces of the pages of pairs, with names in braces for the values."""
    names = ("{fast_name}", "{base_name}")
    bar = {name: f"{{{name}}}" for name in ("one", "end", "low", "high")}
    row = {name: f"{{{name}}}" for name in ("workload", "ratio", "fast", "base")}
    plain = row | {"workload": "{name}"}
    said = {"bar": bar, "times": "{times}", "said": "{said}"}
    found = {
        "lead": versus.lead("{text}"),
        "chips": versus.chips("{inside}"),
        "chip_same": versus.chip(True, "{text}"),
        "chip_other": versus.chip(False, "{text}"),
        "head": versus.head("{first}", "{second}", names),
        "heads": versus.heads("{first}", "{names}"),
        "heading": versus.heading("{name}"),
        "table": versus.table("{head}", "{rows}", "{caption}"),
        "table_plain": versus.table("{head}", "{rows}", plain=True),
        "table_many": versus.table("{head}", "{rows}", "{caption}", plain=True, many=True),
        "row": versus.row(names, note="{note}", **row),
        "row_plain": versus.row(names, note="{note}", **plain),
        "line": versus.line("{name}", "{cells}"),
        "cell": versus.cell("{name}", "{inside}"),
        "ratio": versus.ratio(**said),
        "ratio_unclear": versus.ratio(**said, unclear=True),
        "bare": versus.bare("{times}"),
        "reason": versus.reason("{why}"),
        "share": versus.share("{text}"),
        "ways": versus.ways("{items}"),
    }
    return {name: str(piece) for name, piece in found.items()}
