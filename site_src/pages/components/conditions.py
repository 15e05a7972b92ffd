"""Under which conditions a run was made, and the filters of the list of runs by them."""

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup, escape

from kernels.records import Precision, Run
from site_src.pages.components.writer import Writer, capital
from site_src.tables import framework
from site_src.templates import html

UNSTATED: Final = "not_stated"
"""Value of a condition that nobody states; a filter offers it like any other."""

EITHER: Final = "|"
"""Stands between the values of a row that has several of one condition; `site.js` knows it."""

FILTERS: Final = (
    "chips",
    "memory",
    "precision",
    "software",
    "server",
    "region",
    "status",
    "advice",
)
"""Conditions in the order of their filters, by the names that they have in an address."""

Conditions = Mapping[str, tuple[str, Markup]]


def conditions(writer: Writer, run: Run) -> Conditions:
    """Each condition of a run: the word that stands for it in an address, and its text."""
    machine = writer.site.machines.get(run.system)
    server = machine.server_kind if machine else None
    region = machine.region if machine else None
    memory, code = total_memory(writer, run), framework(run)
    unstated = (UNSTATED, writer.t("not_stated"))
    found = {
        "chips": _chips(writer, run),
        "status": (run.status, writer.word("status", run.status)),
    }
    if memory is not None:
        found["memory"] = f"{memory / 1e9:g}GB", escape(writer.locale.bytes_(int(memory)))
    if run.precision is not Precision.UNKNOWN:
        found["precision"] = run.precision, writer.word("precision", run.precision)
    if code is not None:
        found["software"] = code, writer.name("framework", code)
    if server is not None:
        found["server"] = server, writer.word("server_kind", server)
    if region is not None:
        found["region"] = region, writer.name("region", region)
    if run.batch_recommended is not None:
        advice = "recommended" if run.batch_recommended else "not_recommended"
        answer = "yes" if run.batch_recommended else "no"
        found["advice"] = advice, writer.t(f"recommended.{answer}")
    return {name: found.get(name, unstated) for name in FILTERS}


def bare(run: Run) -> bool:
    """Whether a run used the processor alone, which is no accelerator to count."""
    return run.environment is not None and run.environment.accelerator_name is None


def _chips(writer: Writer, run: Run) -> tuple[str, Markup]:
    if bare(run):
        return "none", writer.t("filter.no_accelerator")
    if run.accelerators is None:
        return UNSTATED, writer.t("not_stated")
    return str(run.accelerators), escape(writer.locale.quantity(run.accelerators, "chips", 0))


def memory_ref(writer: Writer, run: Run) -> str | None:
    """The reference to the accelerator memory that a run had in all; None where nobody says how
    much.
    """
    machine = writer.site.machines.get(run.system)
    hardware = machine.hardware if machine else None
    if run.accelerator in writer.site.catalog.hardware:
        hardware = run.accelerator
    memory = f"spec:{hardware}:memory"
    if run.accelerators is None or hardware is None or not writer.known(memory):
        return None
    return f"product(run:{run.run_id}:accelerators, {memory})"


def total_memory(writer: Writer, run: Run) -> float | None:
    """Bytes of accelerator memory in all, by the catalogue, or as the run recorded it."""
    if ref := memory_ref(writer, run):
        return writer.site.facts.get(ref).value
    environment = run.environment
    if (
        environment is None
        or environment.accelerator_memory_bytes is None
        or run.accelerators is None
    ):
        return None
    return float(environment.accelerator_memory_bytes * run.accelerators)


def shown(writer: Writer, run: Run) -> Markup:
    """A run's conditions in a cell: accelerators and their memory, kind of server, region."""
    found = conditions(writer, run)
    known = {name: text for name, (value, text) in found.items() if value != UNSTATED}
    chips = capital(found["chips"][1])
    if found["chips"][0].isdigit():
        chips = writer.of_run(run, "accelerators", unit=True, link=False)
    ref = memory_ref(writer, run)
    memory = writer.fig(ref, unit=True) if ref else known.get("memory", "")
    rest = writer.joined("comma", known.get("server", ""), known.get("region", ""))
    return html.lines(writer.joined("comma", chips, memory), capital(rest))


def data(*found: Conditions) -> dict[str, str]:
    """Values of a row for the filters; of several runs each value that one of them has."""
    return {name: EITHER.join(dict.fromkeys(each[name][0] for each in found)) for name in found[0]}


def filters(writer: Writer, runs: Sequence[Run]) -> Markup:
    """The form that leaves the runs of some conditions; hidden where no JavaScript works it, so
    that the list stands whole.
    """
    every = [conditions(writer, run) for run in runs]
    fields = []
    for name in FILTERS:
        options = dict(found[name] for found in every)
        if len(options) > 1:
            ordered = sorted(
                options.items(), key=lambda option: (option[0] == UNSTATED, *natural(option[0]))
            )
            fields.append((name, capital(writer.t(f"filter.{name}")), ordered))
    return form(writer, fields, "filter.label", "filter.reset")


def form(
    writer: Writer,
    fields: Sequence[tuple[str, Markup, Sequence[tuple[str, str]]]],
    label: str,
    reset: str,
    money: Sequence[str] = (),
) -> Markup:
    """A form that leaves some rows of what stands in `data-ts-filtered`; hidden where no JavaScript
    works it.

    Args:
        writer: Of the page.
        fields: Name, heading and options of each.
        label: Key of what the form is for.
        reset: Key of the button that shows all rows.
        money: Currencies in which amounts can be shown.
    """
    texts = {"label": writer.t(label), "reset": writer.t(reset)}
    return writer.render("blocks/filters.html", fields=fields, money=money, **texts)


def natural(value: str) -> tuple[float, str]:
    """Numbers by size, words by their letters."""
    digits = value.removesuffix("GB")
    return (float(digits), "") if digits.replace(".", "", 1).isdigit() else (0.0, value)
