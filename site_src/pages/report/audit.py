"""The audit of a source: each printed figure, its formula in words, inputs, result and verdict.

The page of a source has all of it; a report has the counts and the figures that do not reproduce.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from markupsafe import Markup

from kernels.audit.facts import Judgement
from kernels.records import Claim, Verdict
from site_src.pages.components import conditions, tables
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer, capital
from site_src.pages.report.audit_inputs import inputs, told_apart
from site_src.templates import html

FEWEST: Final = 3
"""Fewest significant digits of a recomputed figure in the audit; else it has one more than
printed.
"""

FAILED: Final = (Verdict.CONTRADICTS, Verdict.ROUNDING)
"""Verdicts for figures that do not reproduce, worst first."""

SameSentence = Sequence[Judgement]
"""Claims of one sentence: same place and printed figure, recomputed from different inputs."""


def counts(writer: Writer, source: str) -> Markup:
    """The number of claims by verdict in one line, linked to those claims on the source's page."""
    found = Counter(judgement.verdict for judgement in _judged(writer, source))
    page = f"sources/{source}/"
    items = []
    for verdict in Verdict:
        if found[verdict]:
            said = writer.fig(f"count:claims.{verdict}@{source}")
            where = f"?verdict={verdict}#audit"
            href = where if writer.path == page else writer.url(page + where)
            link = html.verdict_link(href, writer.badge("verdict", verdict))
            items.append(html.spaced(link, said))
    return html.paragraph(writer.t("audit.intro")) + html.list(items, "ts-counts")


def audit(writer: Writer, source: str) -> Markup:
    """All claims of a source after their counts, each formula with its inputs; the form above
    filters by verdict.
    """
    grouped = by_sentence(writer, _judged(writer, source))
    lines = [_line(writer, group, unfolded=True) for group in grouped]
    found = {judgement.verdict for group in grouped for judgement in group}
    options = [
        (str(verdict), writer.t(f"verdict.{verdict}")) for verdict in Verdict if verdict in found
    ]
    form = Markup("")
    if len(options) > 1:
        fields = [("verdict", capital(writer.t("filter.verdict")), options)]
        form = conditions.form(writer, fields, "audit.filter", "audit.filter_reset")
    listed = tables.table(writer, writer.t("head.audit"), lines, folding=True, name="audit")
    return counts(writer, source) + form + html.filtered(listed)


def excerpt(writer: Writer, source: str) -> Markup:
    """For a report: the counts, the claims that do not reproduce, the estimate that is furthest
    off, and a link to all claims.
    """
    judged = _judged(writer, source)
    failed = [one for verdict in FAILED for one in judged if one.verdict is verdict]
    estimates = [one for one in judged if one.verdict is Verdict.ESTIMATE]
    groups = by_sentence(writer, failed)
    said = Markup("")
    if estimates:
        groups.append([max(estimates, key=difference)])
        shown = writer.fig(f"count:claims.{Verdict.ESTIMATE}@{source}")
        said = html.paragraph(writer.t("audit.estimates", n=shown))
    table = html.paragraph(writer.t("audit.all_reproduce"))
    if groups:
        label = writer.t("audit.excerpt", source=writer.source_name(source))
        lines = [_line(writer, group, unfolded=False) for group in groups]
        table = tables.table(writer, label, lines, name="audit")
    every = writer.t("audit.all", n=writer.fig(f"count:claims@{source}"))
    link = html.paragraph(writer.link(f"sources/{source}/#audit", every))
    return counts(writer, source) + table + said + link


def difference(judgement: Judgement) -> float:
    """The relative difference of a recomputed figure from the printed one."""
    claim, found = judgement.claim, judgement.recomputed
    ends = [
        end for end in (claim.printed, claim.printed_low, claim.printed_high) if end is not None
    ]
    if found is None or not ends:
        return 0.0
    nearest = min(max(found, min(ends)), max(ends))
    return abs(found - nearest) / abs(nearest) if nearest else abs(found - nearest)


def by_sentence(writer: Writer, judged: Sequence[Judgement]) -> list[SameSentence]:
    """Groups claims with the same sentence, place and printed figure, in the order of the first."""
    groups: dict[tuple[object, ...], list[Judgement]] = {}
    for one in judged:
        claim = one.claim
        printed = claim.printed, claim.printed_low, claim.printed_high, claim.bound, claim.unit
        key = (claim.locator, _sentence(writer, claim), *printed, claim.decimals)
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _judged(writer: Writer, source: str) -> list[Judgement]:
    return [writer.site.judgements[claim.claim_id] for claim in writer.site.claims.get(source, ())]


def _line(writer: Writer, group: SameSentence, *, unfolded: bool) -> Line:
    first, several = group[0], len(group) > 1
    id_ = first.claim.claim_id
    apart = told_apart(writer, [one.claim.inputs for one in group])
    worked = Markup("").join(
        _worked(writer, one, name, unfolded=unfolded)
        for one, name in zip(group, apart, strict=True)
    )
    place = html.dotted(writer.locator(first.claim.locator), _report(writer, first.claim))
    claim = html.spaced(
        "" if several else writer.badge("verdict", first.verdict),
        sentence_of(writer, first.claim),
        html.small(place) + worked,
    )
    recomputed = _recomputed(writer, first)
    if several:
        each = [
            (one.claim.claim_id, _named(writer, one, name))
            for one, name in zip(group, apart, strict=True)
        ]
        recomputed = replace(recomputed, text=html.anchored_list(each))
    verdicts = sorted({one.verdict for one in group}, key=list(Verdict).index)
    return Line(
        {
            "claim": Entry(claim, f"{list(Verdict).index(verdicts[0])} {id_}"),
            "printed#": tables.figure(writer, f"claim:{id_}:printed"),
            "recomputed#": recomputed,
        },
        "" if several else id_,
        head=False,
        data={"verdict": conditions.EITHER.join(verdicts)} if unfolded else {},
    )


def _named(writer: Writer, judgement: Judgement, name: Markup) -> Markup:
    badge = writer.badge("verdict", judgement.verdict)
    return html.spaced(html.small(name), _recomputed(writer, judgement).text, badge)


def _report(writer: Writer, claim: Claim) -> Markup:
    address = writer.site.options.report_url(f"{writer.locale.code}/{writer.path}", claim.claim_id)
    if not address:
        return Markup("")
    return html.report_error(address, writer.t("ui.report_error"))


def _recomputed(writer: Writer, judgement: Judgement) -> Entry:
    if judgement.verdict is Verdict.NOT_CHECKABLE:
        return Entry(writer.missing("not_checkable_value"))
    ref = f"claim:{judgement.claim.claim_id}:recomputed"
    return tables.figure(writer, ref, digits=_digits(judgement), like=_printed(judgement.claim))


def _digits(judgement: Judgement) -> int:
    """Significant digits up to one decimal more than printed."""
    found = judgement.recomputed if judgement.recomputed is not None else judgement.recomputed_high
    whole = math.floor(math.log10(abs(found))) + 1 if found else 0
    return max(FEWEST, whole + judgement.claim.decimals + 1)


def _printed(claim: Claim) -> float | None:
    return claim.printed if claim.printed is not None else claim.printed_high


def _worked(writer: Writer, judgement: Judgement, name: Markup, *, unfolded: bool) -> Markup:
    claim = judgement.claim
    if judgement.verdict is Verdict.NOT_CHECKABLE:
        return html.paragraph(
            writer.t(f"claim_reason.{claim.reason}") if claim.reason else writer.t("formula.none")
        )
    words = writer.t(f"formula.{claim.formula}")
    return html.details(
        writer.colon(name, words) if name else words,
        inputs(writer, claim.inputs) + interval(writer, judgement),
        open=unfolded,
    )


def _sentence(writer: Writer, claim: Claim) -> str:
    own = f"claim.{claim.claim_id}"
    return own if writer.locale.has(own) else f"claim.{claim.quantity}"


def sentence_of(writer: Writer, claim: Claim) -> Markup:
    """A source's statement with its printed figure; a claim among several of one quantity may have
    a sentence of its own.
    """
    return writer.t(
        _sentence(writer, claim),
        printed=writer.fig(f"claim:{claim.claim_id}:printed", unit=True, link=False),
    )


def interval(writer: Writer, judgement: Judgement) -> Markup:
    """The interval that the rounding of the inputs allows, in the multiple of the unit that the
    printed figure has.
    """
    claim, texts = judgement.claim, []
    for end in (judgement.recomputed_low, judgement.recomputed_high):
        if end is not None:
            number, unit = writer.multiple(end, claim.unit, _printed(claim))
            text = writer.locale.number(number, digits=6, strip=True)
            pattern = "{n}" if unit == claim.unit else writer.locale.pattern(number, unit)
            texts.append(pattern.replace("{n}", text))
    if not texts:
        return Markup("")
    return html.note(writer.t("audit.allowed", low=texts[0], high=texts[-1]))
