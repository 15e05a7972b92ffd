"""How long did the same accelerator take, over rounds and software stacks?"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, MarkNote, Preset, Said, Sentence, Series
from site_src.figures.marks import dots
from site_src.locales import Locale
from site_src.questions.mlperf import seeds
from site_src.tables import BLEU, Row, software
from site_src.tables.software import Comparison
from site_src.tables.submissions import Submission

PAGE: Final = "software/"
SUBJECT: Final = "software"

LOOKS: Final = (
    themes.SYSTEMS["cloud-tpu-v2-8"],
    themes.SYSTEMS["aws-p3.8xlarge"],
    themes.SYSTEMS["gcp-t4"],
    themes.SYSTEMS["hostkey-1080ti-vds"],
    themes.SYSTEMS["cirrascale-4xv100"],
    themes.SYSTEMS["hostkey-1080ti"],
)
"""Looks of submitters by name: after the last one the colours begin again."""


def figures(found: Sequence[Submission], evidence: Evidence) -> list[Figure]:
    """Times of one kind of accelerator with several stacks, if there are any."""
    told = software.comparisons(found, evidence.catalog)
    return [_figure(told, evidence)] if told else []


COLUMNS: Final[tuple[Column, ...]] = (
    Column("label", "column.submitter", "series"),
    Column("stack", "column.software", absent="not_stated"),
    Column("kind", "column.row_kind", "key", prefix="row_kind"),
    Column("comparison_name", "column.comparison"),
    Column("comparison", "column.comparison_id", shown=False),
    Column("round", "column.round"),
    Column("date", "column.run_date"),
    Column("accelerators", "column.chips", "number", decimals=0),
    Column("effort", "column.epoch_effort", "number", unit="min", decimals=2),
    Column("epoch", "column.epoch_seconds", "number", unit="s", decimals=2),
    Column("overhead", "column.overhead", "number", unit="s", decimals=1),
    Column("epochs", "column.epochs_to_target", "number", unit="epochs", counted=True),
    Column("time", "column.time_to_target", "number", unit="min", decimals=2),
    *seeds.PROVENANCE,
)


def _figure(told: Sequence[Comparison], evidence: Evidence) -> Figure:
    table = software.software(told, evidence)
    known = {one.id: one for comparison in told for one in comparison.submissions}
    names = sorted(dict.fromkeys(map(str, table["label"])), key=str.casefold)
    ids = dict(zip(map(str, table["label"]), map(str, table["series"]), strict=True))

    def named(comparison: Comparison) -> Choice:
        return Choice(comparison.id, lambda _: comparison.name(evidence.catalog))

    return Figure(
        id="software-time",
        page=PAGE,
        key="software",
        subject=SUBJECT,
        table=table,
        columns=COLUMNS,
        series=tuple(
            Series(ids[name], name, LOOKS[place % len(LOOKS)]) for place, name in enumerate(names)
        ),
        fields={"value": "effort"},
        draw=lambda sketch: dots.draw(sketch, medians=True, texts=True),
        sentence=lambda locale: sentence(told[0], evidence, locale),
        sentences=tuple(
            Said({"comparison": one.id}, partial(sentence, one, evidence)) for one in told[1:]
        ),
        presets=tuple(Preset(one.id, {"comparison": one.id}) for one in told[1:]),
        axis={"effort": "axis.effort", "time": "axis.minutes_to_target"},
        controls=(
            Control("comparison", tuple(named(one) for one in told), filters="comparison"),
            common.measures(
                ("effort", "time"), {"effort": "term.epoch_effort", "time": "term.time_to_target"}
            ),
        ),
        notes=lambda locale: [
            MarkNote(locale.say("figure.software.read")),
            *(locale.say(f"figure.{key}") for key in ("unverified", "targets_differ")),
        ],
        name=lambda row, locale: words(row, known[row["category"]], locale),
        credited=lambda locale: seeds.credits(list(known.values()), locale),
        count=False,
        line=dots.LINE,
    )


def words(row: Row, one: Submission, locale: Locale) -> tuple[str, str]:
    """The stack of a submission, and its conditions below it; nothing for its runs."""
    if not present(row["head"]):
        return "", ""
    stack = row["stack"] if present(row["stack"]) else locale.say("figure.software.unnamed")
    when = locale.say("figure.software.when", round=row["round"], year=row["date"][:4])
    machine = locale.quantity(row["accelerators"], "chips", 0)
    aim = locale.say("figure.timeline.target", target=target(one, locale))
    return stack, " · ".join((when, row["label"], machine, aim))


def target(one: Submission, locale: Locale) -> str:
    """The targets of the runs: "74.9 %", "BLEU 24.0", or both if there are two."""
    said = [(each.metric, common.level(each.metric, each.value, locale)) for each in one.targets]
    return locale.join([f"BLEU {text}" if metric == BLEU else text for metric, text in said])


def sentence(comparison: Comparison, evidence: Evidence, locale: Locale) -> Sentence:
    """The time per epoch with the fastest and with the slowest stack."""
    spoken = common.Spoken(evidence.facts, locale)
    placed = sorted(
        comparison.submissions,
        key=lambda one: evidence.facts.get(software.effort(one)).value or 0.0,
    )
    figures = []
    names = {"comparison": comparison.name(evidence.catalog)}
    for end, one in (("low", placed[0]), ("high", placed[-1])):
        figures.append(spoken.quantity(end, software.effort(one), "min", 1))
        names[f"{end}_stack"] = software.stack(one.first) or locale.say("figure.software.unnamed")
        year = str(one.first.started_at.year) if one.first.started_at else ""
        names[f"{end}_round"] = locale.say(
            "figure.software.when", round=str(one.score.round), year=year
        )
    return Sentence("headline.first", tuple(figures), names)
