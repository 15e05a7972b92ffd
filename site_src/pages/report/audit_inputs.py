"""The inputs of an audit's formulas, in words, and names for claims that differ only in them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from markupsafe import Markup, escape

from kernels.audit.facts import split
from kernels.records import Run
from site_src.pages.components import tables
from site_src.pages.components.writer import Writer
from site_src.templates import html

_REFERENCE: Final = re.compile(r"\b(run|price|cell|spec|system|workload|claim):([^,()\s][^,()]*)")


def inputs(writer: Writer, refs: Sequence[str]) -> Markup:
    """The inputs of a formula, each with its name and a link to its place, lettered A, B, ... as in
    the formula's words.
    """
    return html.inputs([described(writer, ref) for ref in refs])


def described(writer: Writer, ref: str) -> Markup:
    """A figure with its description: "images/s, 4 x V100, batch 1024: 3128"; for a formula its
    words and inputs.
    """
    called = re.fullmatch(r"([a-z_]+)\((.*)\)", ref, flags=re.DOTALL)
    if called:
        return writer.colon(writer.t(f"formula.{called[1]}"), writer.fig(ref, unit=True)) + inputs(
            writer, split(called[2], ref)
        )
    kind, _, rest = ref.partition(":")
    if kind == "number":
        return writer.fig(ref)
    return writer.t(
        "audit.input", what=_what(writer, kind, rest), figure=writer.fig(ref, unit=True)
    )


def told_apart(writer: Writer, claims: Sequence[Sequence[str]]) -> list[Markup]:
    """A name for each claim, from properties of its runs or other inputs that not all claims share.

    Properties of runs are added in turn, systems, workloads, batch sizes and so on, until all
    claims differ. A single claim needs no name.
    """
    if len(claims) < 2:  # noqa: PLR2004 - nothing to distinguish
        return [Markup("") for _ in claims]
    runs = [_runs(writer, refs) for refs in claims]
    parts: list[list[str]] = [[] for _ in claims]
    if all(runs):
        for trait in _TRAITS:
            found = [_distinct(trait(writer, run) for run in each) for each in runs]
            if len(set(found)) > 1 and len({tuple(said) for said in parts}) < len(parts):
                parts = [[*said, *more] for said, more in zip(parts, found, strict=True)]
    else:
        wholes = [
            _distinct(str(_whose(writer, *found)) for found in _found(refs)) for refs in claims
        ]
        shared = set(wholes[0]).intersection(*wholes[1:])
        parts = [[name for name in whole if name not in shared] for whole in wholes]
    names = [writer.joined("comma", *(Markup(part) for part in said)) for said in parts]  # noqa: S704 - escaped where they are made
    return [name or escape(writer.locale.number(number)) for number, name in enumerate(names, 1)]


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _found(refs: Sequence[str]) -> list[tuple[str, str]]:
    return [(kind, rest.strip()) for ref in refs for kind, rest in _REFERENCE.findall(ref)]


def _runs(writer: Writer, refs: Sequence[str]) -> list[Run]:
    ids = [rest.partition(":")[0] for kind, rest in _found(refs) if kind == "run"]
    return [writer.site.runs[id_] for id_ in dict.fromkeys(ids)]


def _batch(writer: Writer, run: Run) -> str:
    size = run.global_batch_size
    return "" if size is None else str(writer.t("run.batch", batch=size))


_TRAITS: Final[tuple[Callable[[Writer, Run], str], ...]] = (
    lambda writer, run: str(escape(writer.system_name(run.system))),
    lambda writer, run: str(escape(writer.workload_name(run.workload))),
    _batch,
    lambda writer, run: (
        ""
        if run.accelerators is None
        else str(escape(writer.locale.quantity(run.accelerators, "chips", 0)))
    ),
    lambda writer, run: str(writer.name("framework", run.framework)) if run.framework else "",
    lambda writer, run: str(writer.word("data", run.data)) if run.data else "",
)
"""Properties in which runs can differ, broadest first."""


def _what(writer: Writer, kind: str, rest: str) -> Markup:
    id_, _, field = rest.partition(":")
    if kind == "claim":
        claim = writer.site.judgements[id_].claim
        page = f"sources/{claim.source}/"
        href = f"{'' if page == writer.path else writer.url(page)}#{id_}"
        return html.link(href, writer.t("audit.claim", place=writer.locator(claim.locator)))
    name = _NAMED.get(kind)
    if name is None:
        return escape(rest)
    what, whose = name(writer, id_, field)
    return writer.t("audit.of", what=what, whose=whose)


def _whose(writer: Writer, kind: str, rest: str) -> Markup:
    id_, _, field = rest.partition(":")
    name = _NAMED.get(kind)
    return name(writer, id_, field)[1] if name else _what(writer, kind, rest)


def _of_run(writer: Writer, id_: str, field: str) -> tuple[Markup, Markup]:
    run = writer.site.runs[id_]
    metric = run.metric(field)
    return writer.quantity_name(metric.name) if metric else writer.t(
        f"field.{field}"
    ), writer.run_label(run)


def _of_price(writer: Writer, id_: str, field: str) -> tuple[Markup, Markup]:
    price = writer.site.prices[id_]
    whose = writer.t(
        "price.named", system=price.provider, terms=writer.word("price_kind", price.kind)
    )
    if price.workload:  # the source prints one machine's price twice, with each workload
        whose = writer.joined("comma", whose, writer.workload_name(price.workload))
    return writer.t(f"price_field.{field}"), whose


def _of_cell(writer: Writer, _: str, field: str) -> tuple[Markup, Markup]:
    table, row, column = field.split(":")
    return writer.name("cell_column", column), tables.row_name(writer, table, row)


_NAMED: Final[Mapping[str, Callable[[Writer, str, str], tuple[Markup, Markup]]]] = {
    "run": _of_run,
    "price": _of_price,
    "cell": _of_cell,
    "spec": lambda w, id_, field: (
        w.t(f"spec.{field.partition('@')[0]}"),
        escape(w.site.catalog.hardware[id_].name),
    ),
    "system": lambda w, id_, field: (w.t(f"field.{field}"), escape(w.system_name(id_))),
    "workload": lambda w, id_, field: (w.t(f"field.{field}"), escape(w.workload_name(id_))),
}
