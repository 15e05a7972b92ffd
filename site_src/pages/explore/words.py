"""Words of the page that explores results, in a language: titles of columns, their words, number
formats.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from markupsafe import Markup

from site_src.locales import unbroken
from site_src.pages.calculator.table import offered
from site_src.pages.compare import short
from site_src.pages.components import run_details
from site_src.pages.components.writer import Writer, capital
from site_src.pages.explore import rows
from site_src.pages.explore.rows import Explored
from site_src.tables import BLEU

FIRST: Final = ("task", "workload", "accelerator", "accelerators", "year", "round")
MORE: Final = ("system", "vendor", "mode", "precision", "framework", "origin", "source", "status")
"""Filters, those used most first."""

SHOWN: Final = ("workload", "accelerator", "accelerators", "round", "year", "time")
"""Columns after the system that are shown until a reader chooses others."""

COLUMNS: Final = (
    "workload", "accelerator", "accelerators", "year", "time", "cost", "throughput", "epochs",
    "quality", "batch", "energy", "memory", "task", "mode", "vendor", "round", "precision",
    "framework", "origin", "source", "status",
)  # fmt: skip

PICKED: Final = 6
"""Most results that are compared at a time."""

_SAID: Final = ("empty", "picked", "pick", "other", "points", "no_points")


def client_words(writer: Writer, table: Explored, named: Mapping[str, Markup]) -> dict[str, Any]:
    """All words of the script; `named` are the titles of columns."""
    locale = writer.locale
    return {
        "number": locale.d3()["number"],
        "time": locale.d3()["time"],
        "titles": {name: str(title.striptags()) for name, title in named.items()},
        "names": {
            name: _names(writer, table, name) for name in ("system", *COLUMNS) if name in rows.WORDS
        },
        "of": _of(writer, table),
        "figures": DECIMALS,
        "filters": [*FIRST, *MORE],
        "columns": COLUMNS,
        "shown": SHOWN,
        "most": PICKED,
        "several": rows.SEVERAL,
        "nothing": locale.say("join.nothing"),
        "unstated": locale.say("not_stated"),
        "said": locale.template("filter.said"),
        "log": locale.template("axis.log"),
        "copied": locale.say("costs.link_copied"),
        "copy_failed": locale.say("costs.copy_failed"),
        "failed": locale.say("ui.not_loaded"),
        "printed": locale.template("edition.cut"),
        **{name: locale.template(f"explore.{name}") for name in _SAID},
    }


DECIMALS: Final[Mapping[str, int]] = {
    "accelerators": 0, "time": 2, "throughput": 1, "epochs": 1, "quality": 2, "batch": 0,
    "energy": 2, "memory": 2, "cost": 2,
}  # fmt: skip
"""Decimals of figures; fewer where four digits suffice."""


def _names(writer: Writer, table: Explored, column: str) -> dict[str, str]:
    if column not in _SAY:
        return {}
    ends = [end for word in table.words(column) for end in word.split(rows.SEVERAL)]
    found = {word: _plain(_SAY[column](writer, word)) for word in dict.fromkeys(ends) if word}
    return {word: name for word, name in found.items() if name != word}


def _plain(said: str) -> str:
    return str(said.striptags()) if isinstance(said, Markup) else said


def accelerator(writer: Writer, id_: str) -> str:
    """An accelerator's name; if in no catalogue, as the machine with it names itself."""
    site = writer.site
    if id_ not in site.catalog.hardware:
        own = (site.machines[run.system] for run in site.runs.values() if run.accelerator == id_)
        return next((one.accelerator for one in own if one.accelerator), id_)
    return short(site, id_)


_SAY: Final[Mapping[str, Callable[[Writer, str], str]]] = {
    "system": lambda writer, word: unbroken(writer.system_name(word)),
    "workload": lambda writer, word: writer.workload_name(word),
    "task": lambda writer, word: capital(writer.name("workload_task", word)),
    "accelerator": accelerator,
    "mode": lambda writer, word: writer.word("mode", word),
    "precision": lambda writer, word: writer.word("precision", word),
    "framework": lambda writer, word: writer.name("framework", word),
    "origin": lambda writer, word: writer.word("origin", word),
    "source": lambda writer, word: writer.source_name(word),
    "status": lambda writer, word: writer.word("status", word),
}


def _of(writer: Writer, table: Explored) -> dict[str, list[str]]:
    """How figures of a unit, quality metric or target are written: text around the number and text
    below it.
    """
    found: dict[str, list[str]] = {}
    for key, (run, metric) in table.targets.items():
        known = writer.site.runs[run]
        one = known.metric(metric)
        targets = run_details.each_target(known, one) if one else []
        said = [str(run_details.target(writer, each).striptags()) for each in targets]
        found[key] = ["{n}", writer.locale.join(said)]
    prices = writer.site.prices
    for _, scale, of in table.data["kinds"]:
        if of in prices:
            found[of] = ["{n}", str(offered(writer, prices[of]).striptags())]
        elif of and of not in found:
            found[of] = _measure(writer, scale, of)
    return found


def _measure(writer: Writer, scale: float, of: str) -> list[str]:
    if "/" in of:  # a unit of speed
        return [writer.locale.pattern(2, of), ""]
    percent = scale != 1 and of != BLEU
    pattern = writer.locale.pattern(2, "percent") if percent else "{n}"
    return [pattern, str(writer.name("metric", of).striptags())]


def titles(writer: Writer) -> dict[str, Markup]:
    """Titles of columns."""
    own = {
        "accelerators": writer.t("axis.cards"),
        "time": writer.t("axis.time_to_target", unit=writer.locale.unit("min")),
        "epochs": writer.t("metric.epochs_to_target"),
        "quality": writer.t("head.final_quality"),
        "batch": writer.t("head.batch"),
        "energy": writer.t("axis.drawn"),
        "cost": writer.t("axis.cost_to_target", currency=rows.CURRENCY),
        "memory": writer.joined(
            "comma", writer.t("metric.peak_memory_bytes"), writer.locale.unit("GB")
        ),
        "mode": writer.t("field.mode"),
        "vendor": writer.t("field.vendor"),
        "year": writer.t("column.year"),
    }
    return {
        name: capital(own.get(name) or writer.t(f"head.{name}")) for name in ("system", *COLUMNS)
    }
