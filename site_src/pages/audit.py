"""The audit of a source: each printed figure, its formula in words, its inputs, what they give, and the verdict."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from markupsafe import Markup, escape

from kernels.claims import Judgement
from kernels.records import Claim, Verdict
from kernels.references import split
from site_src.pages import tables
from site_src.pages.tables import Entry, Line
from site_src.pages.writer import Writer

FULL: Final = 12
"""Significant digits of a recomputed figure in the audit: as much as double precision keeps through a few operations."""


def counts(writer: Writer, source: str) -> Markup:
    """How many claims there are, by verdict, as a list."""
    found = Counter(str(writer.site.judgements[claim.claim_id].verdict) for claim in writer.site.claims.get(source, ()))
    items = [
        Markup("{} {}").format(
            writer.badge("verdict", verdict), writer.t("audit.claims", n=found[verdict], shown=_shown(writer, verdict, source))
        )
        for verdict in Verdict
        if found[verdict]
    ]
    return writer.render("blocks/list.html", label=writer.t("audit.intro"), items=items)


def _shown(writer: Writer, verdict: str, source: str) -> Markup:
    return writer.fig(f"count:claims.{verdict}@{source}")


def audit(writer: Writer, source: str, *, unfolded: bool = False) -> Markup:
    """All claims of a source in a table, after their counts; `unfolded` shows each formula with its inputs at once."""
    claims = writer.site.claims.get(source, ())
    lines = [_line(writer, writer.site.judgements[claim.claim_id], unfolded) for claim in claims]
    columns = tables.heads(writer, "claim", "printed#", "recomputed#")
    label = writer.t("audit.caption", source=writer.source_name(source))
    return counts(writer, source) + tables.table(writer, label, columns, lines, name="audit")


def _line(writer: Writer, judgement: Judgement, unfolded: bool) -> Line:
    claim = judgement.claim
    report = writer.site.options.report_url(f"{writer.locale.code}/{writer.path}", claim.claim_id)
    link = Markup(' · <a class="ts-report" href="{}" rel="nofollow">{}</a>').format(report, writer.t("ui.report_error")) if report else ""
    place = writer.locator(claim.locator)
    if judgement.verdict is Verdict.NOT_CHECKABLE:
        recomputed = Entry(writer.missing("not_checkable_value"), None, "number")
        words = Markup("<p>{}</p>").format(writer.t(f"claim_reason.{claim.reason}") if claim.reason else writer.t("formula.none"))
    else:
        recomputed = tables.figure(writer, f"claim:{claim.claim_id}:recomputed", digits=FULL)
        words = Markup("<details{}><summary>{}</summary>{}{}</details>").format(
            Markup(" open") if unfolded else "",
            writer.t(f"formula.{claim.formula}"),
            inputs(writer, claim.inputs),
            interval(writer, judgement),
        )
    badge = writer.badge("verdict", judgement.verdict)
    sentence = Markup('{} {} <span class="ts-note">{}{}</span>{}').format(badge, sentence_of(writer, claim), place, link, words)
    printed = tables.figure(writer, f"claim:{claim.claim_id}:printed")
    order = f"{list(Verdict).index(judgement.verdict)} {claim.claim_id}"
    return Line([Entry(sentence, order), printed, recomputed], claim.claim_id, head=False)


def sentence_of(writer: Writer, claim: Claim) -> Markup:
    """What the source states, with its printed figure; a claim among several of one quantity may have a sentence of its own."""
    own = f"claim.{claim.claim_id}"
    return writer.t(
        own if writer.locale.has(own) else f"claim.{claim.quantity}",
        printed=writer.fig(f"claim:{claim.claim_id}:printed", unit=True, link=False),
    )


def interval(writer: Writer, judgement: Judgement) -> Markup:
    """What the rounding of the inputs allows."""
    ends = [
        writer.locale.number(end, digits=6, strip=True) for end in (judgement.recomputed_low, judgement.recomputed_high) if end is not None
    ]
    return Markup('<p class="ts-note">{}</p>').format(writer.t("audit.allowed", low=ends[0], high=ends[-1])) if ends else Markup("")


def inputs(writer: Writer, refs: Sequence[str]) -> Markup:
    """What goes into a formula, each figure with its name and a link to its place; A, B, ... as in the formula's words."""
    items = Markup("").join(Markup("<li>{}</li>").format(described(writer, ref)) for ref in refs)
    return Markup('<ol type="A" class="ts-note">{}</ol>').format(items)


def described(writer: Writer, ref: str) -> Markup:
    """A figure with what it is: "images/s, 4 x V100, batch 1024: 3128"; of a formula its words and its inputs."""
    called = re.fullmatch(r"([a-z_]+)\((.*)\)", ref, flags=re.DOTALL)
    if called:
        return writer.colon(writer.t(f"formula.{called[1]}"), writer.fig(ref, unit=True)) + inputs(writer, split(called[2], ref))
    kind, _, rest = ref.partition(":")
    if kind == "number":
        return writer.fig(ref)
    return writer.t("audit.input", what=_what(writer, kind, rest), figure=writer.fig(ref, unit=True))


def _what(writer: Writer, kind: str, rest: str) -> Markup:
    """What a reference names: a field or figure, and whose."""
    id_, _, field = rest.partition(":")
    if kind == "claim":
        claim = next(claim for claim in writer.site.archive.claims if claim.claim_id == id_)
        page = f"sources/{claim.source}/"
        href = f"{'' if page == writer.path else writer.url(page)}#{id_}"
        return Markup('<a href="{}">{}</a>').format(href, writer.t("audit.claim", place=writer.locator(claim.locator)))
    name = _NAMED.get(kind)
    if name is None:
        return escape(rest)
    what, whose = name(writer, id_, field)
    return writer.t("audit.of", what=what, whose=whose)


def _of_run(writer: Writer, id_: str, field: str) -> tuple[Markup, Markup]:
    run = writer.site.runs[id_]
    metric = run.metric(field)
    return writer.quantity_name(metric.name) if metric else writer.t(f"field.{field}"), writer.run_label(run)


def _of_price(writer: Writer, id_: str, field: str) -> tuple[Markup, Markup]:
    price = writer.site.prices[id_]
    whose = writer.t("price.named", system=price.provider, terms=writer.word("price_kind", price.kind))
    if price.workload:  # the source prints one machine's price twice, with each workload
        whose = writer.joined("comma", (whose, writer.workload_name(price.workload)))
    return writer.t(f"price_field.{field}"), whose


def _of_cell(writer: Writer, _: str, field: str) -> tuple[Markup, Markup]:
    table, row, column = field.split(":")
    return writer.name("cell_column", column), tables.row_name(writer, table, row)


_NAMED: Final[Mapping[str, Callable[[Writer, str, str], tuple[Markup, Markup]]]] = {
    "run": _of_run,
    "price": _of_price,
    "cell": _of_cell,
    "spec": lambda w, id_, field: (w.t(f"spec.{field.partition('@')[0]}"), escape(w.site.catalog.hardware[id_].name)),
    "system": lambda w, id_, field: (w.t(f"field.{field}"), escape(w.system_name(id_))),
    "workload": lambda w, id_, field: (w.t(f"field.{field}"), escape(w.workload_name(id_))),
}
