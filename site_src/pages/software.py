"""The page on software: time of the same accelerator over rounds and software stacks, with targets
and versions.
"""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup, escape

from site_src.model import Page
from site_src.pages.components import run_details, tables
from site_src.pages.components.tables import Cells
from site_src.pages.components.writer import Writer
from site_src.pages.seeds import chosen, findings
from site_src.reports.prose import unmarked
from site_src.tables import software
from site_src.tables.software import (
    Comparison,
    comparisons,
    days,
    effort,
    overhead,
    per_epoch,
    plain_epoch,
    samples_rate,
)
from site_src.tables.submissions import Submission, submissions
from site_src.templates import html

DECIMALS: Final = 1
"""Decimals of seconds."""


def software_page(writer: Writer) -> Page:
    """The page in one language; only its prose without two submissions on one kind of
    accelerator.
    """
    site = writer.site
    found = comparisons(submissions(site.evidence, each_round=True), site.catalog)
    blocks: dict[str, list[Markup]] = {}
    if found:
        blocks["answer"] = [
            chosen(writer, "software.chosen", [part for one in found for part in one.submissions]),
            findings(
                writer,
                [finding(writer, one, *pair) for one in found for pair in one.pairs],
            ),
        ]
        blocks["tables"] = [table(writer, one) for one in found]
    if "software-time" in site.figures:
        blocks["chart"] = [writer.chart("software-time")]
    return writer.prose_page("software", writer.text("software.md"), blocks)


def finding(writer: Writer, comparison: Comparison, old: Submission, new: Submission) -> Markup:
    """Epoch times with a submitter's oldest and newest stack on as many accelerators, and the times
    to the target.
    """
    names: dict[str, object] = {
        "comparison": comparison.name(writer.site.catalog),
        "submitter": writer.given(new.score.submitter),
    }
    names["machine"] = writer.fig(f"run:{old.id}:accelerators", unit=True, link=False)
    for age, one in (("old", old), ("new", new)):
        names |= {f"{age}_stack": stack(writer, one), f"{age}_when": when(writer, one)}
    said = [changed(writer, "software.epoch", per_epoch(old), per_epoch(new), **names)]
    if _told_apart(writer, old) and _told_apart(writer, new):
        said.append(changed(writer, "software.plain", plain_epoch(old), plain_epoch(new)))
    # below zero where an epoch of steady time was no epoch of the whole run: no time of anything
    rests = (overhead(old), overhead(new))
    if _known(writer, *rests) and all((writer.fact(one).value or 0.0) > 0 for one in rests):
        said.append(
            writer.t(
                "software.overhead",
                old=_seconds(writer, overhead(old)),
                new=_seconds(writer, overhead(new)),
            )
        )
    return writer.joined("sentences", *said, targets(writer, old, new))


def changed(writer: Writer, key: str, old: str, new: str, **names: object) -> Markup:
    """A sentence on two times and their difference in percent."""
    times = {"old": _seconds(writer, old), "new": _seconds(writer, new)}
    change = writer.fig(f"percent_more({new}, {old})", 1, unit=True, sign=True)
    return writer.t(key, change=change, **times, **names)


def _known(writer: Writer, *refs: str) -> bool:
    return all(map(writer.known, refs))


def _told_apart(writer: Writer, one: Submission) -> bool:
    """Whether the time of an epoch without evaluation is known, and is a part of that with it: a
    first epoch, often the only one without, can be slower than the later ones.
    """
    refs = (plain_epoch(one), per_epoch(one))
    if not _known(writer, *refs):
        return False
    plain, whole = (writer.fact(ref).value or 0.0 for ref in refs)
    return plain <= whole


def _seconds(writer: Writer, ref: str) -> Markup:
    return writer.fig(ref, DECIMALS, unit=True)


def targets(writer: Writer, old: Submission, new: Submission) -> Markup:
    """Scores and epochs if both had the same target; else a note that they are not compared."""
    medians = [one.ref("epochs_median") for one in (old, new)]
    epochs = dict(zip(("old_epochs", "new_epochs"), map(writer.fig, medians), strict=True))
    if [(one.metric, one.value) for one in old.targets] != [
        (one.metric, one.value) for one in new.targets
    ]:
        named = {"old_target": target_text(writer, old), "new_target": target_text(writer, new)}
        return writer.t("software.other_target", **named, **epochs)
    if not _known(writer, old.ref("minutes"), new.ref("minutes")):
        return Markup("")
    first, second = map(unmarked, epochs.values())
    return writer.t(
        "software.same_epochs" if first == second else "software.same_target",
        target=target_text(writer, old),
        old=writer.fig(old.ref("minutes"), unit=True),
        new=writer.fig(new.ref("minutes"), unit=True),
        **epochs,
    )


def target_text(writer: Writer, one: Submission) -> Markup:
    """The targets of the runs, each quality metric once."""
    return writer.joined("both", *(run_details.target(writer, metric) for metric in one.hits))


def stack(writer: Writer, one: Submission) -> Markup:
    """Framework and container, or that the submission names neither."""
    named = software.stack(one.first)
    return escape(named) if named else writer.t("figure.software.unnamed")


def when(writer: Writer, one: Submission) -> Markup:
    """Round, and month or months of the runs."""
    found = days(one)
    if found is None:
        return writer.given(one.score.round)
    return writer.t(
        "software.when",
        round=one.score.round or "",
        month=_span(writer, [writer.locale.month(day) for day in found]),
    )


def _span(writer: Writer, ends: Sequence[str]) -> Markup:
    return (
        escape(ends[0])
        if len(set(ends)) == 1
        else writer.t("range_wide", low=ends[0], high=ends[-1])
    )


def table(writer: Writer, comparison: Comparison) -> Markup:
    """The stacks of a comparison by date: versions, target, score, epochs, epoch time, and its
    ratio to the oldest.
    """
    own = comparison.submissions
    label = writer.t("software.caption", comparison=comparison.name(writer.site.catalog))
    rows = [_row(writer, one, own[0]) for one in own]
    return tables.table(writer, label, rows, sortable=False)


def _row(writer: Writer, one: Submission, oldest: Submission) -> Cells:

    samples = samples_rate(one, writer.site.catalog)
    notes = [writer.t("software.rate", rate=writer.fig(samples, unit=True))] if samples else []
    if _told_apart(writer, one):
        notes.append(writer.t("software.without_evaluation", time=writer.fig(plain_epoch(one), 1)))
    epoch = html.noted(writer.fig(per_epoch(one), 1), html.lines(*notes))
    rest = writer.fig(overhead(one), 1) if _known(writer, overhead(one)) else Markup("–")
    against = f"ratio({effort(one)}, {effort(oldest)})"
    ratio = (
        writer.t("software.oldest")
        if one is oldest
        else writer.t("figure.times", n=writer.fig(against, decimals=2))
    )
    score = html.noted(writer.fig(one.ref("minutes")), writer.t("score.unverified"))
    return {
        "software": _stack(writer, one),
        "target": html.lines(*(run_details.target(writer, metric) for metric in one.hits)),
        "score_minutes#": tables.valued(writer, one.ref("minutes"), score),
        "epochs_to_target#": tables.figure(writer, one.ref("epochs_median"), unit=False),
        "epoch_seconds#": tables.valued(writer, per_epoch(one), epoch),
        "overhead#": tables.valued(writer, overhead(one), rest),
        "effort#": tables.figure(writer, effort(one), unit=False),
        "against_oldest#": tables.valued(writer, against, ratio),
        "software_versions": versions(writer, one),
    }


def _stack(writer: Writer, one: Submission) -> Markup:
    link = writer.link(f"sources/{one.score.source}/#scores", stack(writer, one))
    ran = days(one)
    day = (
        _span(writer, [writer.locale.date(each) for each in ran])
        if ran
        else writer.missing("not_stated")
    )
    who = writer.joined(
        "comma", writer.given(one.score.submitter), writer.given(one.score.round), day
    )
    machine = writer.fig(f"run:{one.id}:accelerators", unit=True, link=False)
    return html.noted(link, html.lines(who, writer.system_link(one.score.system), machine))


def versions(writer: Writer, one: Submission) -> Markup:
    """Software that the submission lists beside its framework, with versions where known."""
    named = [(writer.name("framework", piece.name), piece.version) for piece in one.first.software]
    parts: Sequence[Markup] = [
        html.spaced(name, version) if version else name for name, version in named
    ]
    return writer.joined("comma", *parts) if parts else writer.missing("not_stated")
