"""The page on software: what the same accelerator took over rounds and stacks, with targets and versions beside each figure."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from site_src import tables_software
from site_src.model import Page
from site_src.pages.seeds import findings
from site_src.pages.site import Site
from site_src.pages.tables import Entry, Line, goal, heads, noted
from site_src.pages.tables import table as html_table
from site_src.pages.writer import Writer
from site_src.submissions import Submission, submissions
from site_src.tables_software import Comparison, comparisons, effort, per_epoch, samples_rate


def software_page(site: Site, writer: Writer) -> Page:
    """The page in one language; without two submissions on one kind of accelerator its words alone."""
    found = comparisons(submissions(site.archive), site.catalog)
    blocks: dict[str, list[Markup]] = {}
    if found:
        blocks["answer"] = [findings(writer, [finding(writer, one, *pair) for one in found for pair in one.pairs])]
        blocks["tables"] = [table(writer, one) for one in found]
    if "software-time" in site.figures:
        blocks["chart"] = [writer.chart("software-time")]
    return writer.prose_page("software", writer.text("software.md"), blocks)


def finding(writer: Writer, comparison: Comparison, old: Submission, new: Submission) -> Markup:
    """What an epoch took with a submitter's oldest and newest stack on as many accelerators, and what the times to the target say."""
    fell = _value(writer, per_epoch(new)) <= _value(writer, per_epoch(old))
    change = f"percent_less({per_epoch(new)}, {per_epoch(old)})" if fell else f"percent_more({per_epoch(new)}, {per_epoch(old)})"
    names: dict[str, object] = {"comparison": comparison.name(writer.site.catalog), "submitter": writer.given(new.score.submitter)}
    names["machine"] = writer.t("software.machine", n=old.first.accelerators, shown=writer.fig(f"run:{old.id}:accelerators", link=False))
    for side, one in (("old", old), ("new", new)):
        names |= {side: writer.fig(per_epoch(one), unit=True), f"{side}_stack": stack(writer, one), f"{side}_when": when(writer, one)}
    said = writer.t("software.epoch" if fell else "software.epoch_more", change=writer.fig(change), **names)
    return writer.joined("sentences", (said, targets(writer, old, new)))


def _value(writer: Writer, ref: str) -> float:
    return writer.fact(ref).value or 0.0


def targets(writer: Writer, old: Submission, new: Submission) -> Markup:
    """Scores with the epochs they took where both had one target; else that they are not compared."""
    epochs = {"old_epochs": writer.fig(old.ref("epochs_median")), "new_epochs": writer.fig(new.ref("epochs_median"))}
    if [(goal.metric, goal.value) for goal in old.targets] != [(goal.metric, goal.value) for goal in new.targets]:
        goals = {"old_target": goal_text(writer, old), "new_target": goal_text(writer, new)}
        return writer.t("software.other_target", **goals, **epochs)
    minutes = {side: writer.fact(one.ref("minutes")) for side, one in (("old", old), ("new", new))}
    if minutes["old"].value is None or minutes["new"].value is None:
        return Markup("")
    rose = minutes["new"].value > minutes["old"].value
    return writer.t(
        "software.same_target_more" if rose else "software.same_target",
        target=goal_text(writer, old),
        old=writer.fig(old.ref("minutes"), unit=True),
        new=writer.fig(new.ref("minutes"), unit=True),
        **epochs,
    )


def goal_text(writer: Writer, one: Submission) -> Markup:
    """What the runs had to reach, each measure of quality once."""
    return writer.joined("comma", (goal(writer, metric) for metric in one.hits))


def stack(writer: Writer, one: Submission) -> Markup:
    """Framework and container, or that the submission names neither."""
    named = tables_software.stack(one.first)
    return escape(named) if named else writer.t("software.unnamed")


def when(writer: Writer, one: Submission) -> Markup:
    """Round and month of the runs."""
    if one.first.started_at is None:
        return writer.given(one.score.round)
    return writer.t("software.when", round=one.score.round or "", month=writer.locale.month(one.first.started_at.date()))


def table(writer: Writer, comparison: Comparison) -> Markup:
    """The stacks of one comparison by date: versions, target, score, epochs, time of an epoch, and that against the oldest."""
    own = comparison.submissions
    lines = [_line(writer, one, own[0]) for one in own]
    columns = ("stack", "target_quality", "score_minutes#", "epochs_to_target#", "epoch_minutes#", "effort#", "against_oldest#",
               "software_versions")  # fmt: skip
    return html_table(
        writer,
        writer.t("software.caption", comparison=comparison.name(writer.site.catalog)),
        heads(writer, *columns),
        lines,
        sortable=False,
    )


def _line(writer: Writer, one: Submission, oldest: Submission) -> Line:
    link = Markup('<a href="{}">{}</a>').format(writer.url(f"sources/{one.score.source}/#scores"), stack(writer, one))
    system = Markup('<a href="{}">{}</a>').format(writer.url(f"systems/{one.score.system}/"), writer.system_name(one.score.system))
    day = one.first.started_at.date() if one.first.started_at else None
    who = writer.joined("comma", (writer.given(one.score.submitter), writer.given(one.score.round), writer.given(day)))
    machine = writer.fig(f"run:{one.id}:accelerators", unit=True, link=False)
    samples = samples_rate(one, writer.site.catalog)
    each = writer.t("software.rate", rate=writer.fig(samples, unit=True)) if samples else Markup("")
    against = f"ratio({effort(one)}, {effort(oldest)})"
    ratio = writer.t("software.oldest") if one is oldest else writer.t("figure.times", n=writer.fig(against, decimals=2))
    return Line(
        [
            Entry(noted(link, Markup("<br>").join((who, system, machine)))),
            Entry(Markup("<br>").join(goal(writer, metric) for metric in one.hits)),
            Entry(noted(writer.fig(one.ref("minutes")), writer.t("score.unverified")), writer.fact(one.ref("minutes")).value, "number"),
            _number(writer, one.ref("epochs_median")),
            Entry(noted(writer.fig(per_epoch(one)), each), writer.fact(per_epoch(one)).value, "number"),
            _number(writer, effort(one)),
            Entry(ratio, writer.fact(against).value, "number"),
            Entry(versions(writer, one)),
        ]
    )


def _number(writer: Writer, ref: str) -> Entry:
    return Entry(writer.fig(ref), writer.fact(ref).value, "number")


def versions(writer: Writer, one: Submission) -> Markup:
    """The software that the submission lists beside its framework, each with its version where it has one."""
    named = [(writer.name("framework", piece.name), piece.version) for piece in one.first.software]
    parts: Sequence[Markup] = [Markup("{} {}").format(name, version) if version else name for name, version in named]
    return writer.joined("comma", parts) if parts else writer.missing("not_stated")
