"""The page of one run: everything that is recorded of it, in a small shell, with a picture of its
curve or its steps.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

from kernels.analysis.repetitions import OWN
from kernels.records import Mode, Origin, Phase, Run, Setting, Status
from site_src import links as addresses
from site_src.minify import slim
from site_src.model import Page
from site_src.pages.components import conditions, limits, run_details, tables, warnings
from site_src.pages.components.comparison import container
from site_src.pages.components.writer import Writer
from site_src.pages.run import environment, families, figures, telemetry, timeline
from site_src.tables import BATCH_AS_LOGGED, BLEU, level, unsure_batch
from site_src.tables import timeline as tables_timeline
from site_src.tables.curve import thinned
from site_src.tables.recorded import SEEDS, seed
from site_src.templates import html

WIDTH: Final = 560
HEIGHT: Final = 180
_LEFT: Final = 56
_BOTTOM: Final = 26
MOST_BODY: Final = 6_700
"""Bytes that a page's body should stay within: with its shell ten kilobytes."""

LEAST_ROOM: Final = 1_400
"""Bytes that the picture of an own run's sensors should have; where they are not left, some
settings are not shown.
"""

MOST_POINTS: Final = 120
"""Points of a picture; longer series show the smallest and the largest of each stretch."""

_USUAL: Final[Mapping[str, object]] = {
    "nodes": 1,
    "processes": 1,
    "repeat_index": 0,
    "submitter": None,
    "round": None,
    "division": None,
}
"""Fields that are shown where they are not as usual: a page of a run is small."""

_OF_WORKLOAD: Final = frozenset(
    {
        "adam_betas",
        "data_seed",
        "judged_against",
        "learning_rate_rule",
        "loss",
        "negatives",
        "parameters",
        "pinned_memory",
    }
    | {"sequence_length", "split", "weight_decay"}
)
"""Settings that a workload of this harness has the same in each of its runs, or that follow from
others.
"""

_PHASES: Final = (
    "import",
    "build",
    "train",
    "forward",
    "backward",
    "optimizer",
    "evaluation",
    "unknown",
)
"""Where a run of this harness ran out of memory; `train` is what older runs say of a step."""

TARGET_REACHED: Final = "target-reached"
"""Why a run ended that reached what it was to reach."""

MOST_DECIMALS: Final = 9
"""Decimals of a setting that are shown: logs write learning rates with as many, and factors with
all that a computer has.
"""

_PHRASES: Final[Mapping[str, str]] = {
    "sampled_films": r"(?P<films>\d+) sampled films, seed (?P<seed>\d+)",
    "stratified": r"(?P<train>\d+)/(?P<held>\d+) stratified, seed (?P<seed>\d+)",
}
"""What the harness records as a phrase with numbers in it, and the string that says it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A small line drawing: `points` for a polyline, ends of both axes as text, and what is
    drawn.
    """

    title: Markup
    points: str
    bottom: str
    top: str
    left: str
    right: str
    across: Markup
    width: int = WIDTH
    height: int = HEIGHT


def run_page(writer: Writer, run: Run) -> Page:
    """The page of one run in one language."""
    writer.of = f"run:{run.run_id}:"
    values = _values(writer, run)
    body, room = _made(writer, values)
    if run.origin in OWN and room < (LEAST_ROOM if run.telemetry else 0):
        values["configuration"] = configuration(writer, run, brief=True)
        values["environment"] = environment.brief(writer, run, least=True)
        body, room = _made(writer, values)
    if run.telemetry:
        seen = (
            timeline.block(writer, run, room)
            if timeline.has(run)
            else telemetry.block(writer, run, room)
        )
        body = writer.render("run.html", telemetry=seen, **values)
    title = str(writer.t("run.title", **_names(writer, run)))
    label, status = writer.run_label(run, system=False), writer.word("status", run.status)
    description = writer.plain("run.description", label=label, status=status)
    updated = run.started_at.date() if run.started_at else None
    return writer.page("runs", title, description, body, light=True, updated=updated)


def _names(writer: Writer, run: Run) -> dict[str, str]:
    return {
        "workload": writer.workload_name(run.workload),
        "system": writer.system_name(run.system),
    }


def _values(writer: Writer, run: Run) -> dict[str, object]:
    """What the template shows, but for the telemetry."""
    own = run.origin in OWN
    code, licence = writer.locale.code, writer.name("licence", run.licence)
    return {
        "linked": writer.t("run.title", **linked(writer, run)),
        "run": run,
        "label": conditions_line(writer, run) if own else writer.run_label(run, system=False),
        "detail": detail(writer, run),
        "configuration": configuration(writer, run),
        "metrics": "" if telemetry.is_alone(run) else figures.metrics(writer, run),
        "metrics_heading": figures.heading(writer, run),
        "picture": None if timeline.has(run) else picture(writer, run),
        "software": software(writer, run),
        "environment": environment.brief(writer, run),
        "unrecorded": environment.unrecorded(writer, run),
        "caveats": [
            *(writer.t(f"caveat.{key}") for key in run.caveats),
            *limits.of_run(writer, run),
        ],
        "doubts": warnings.sentences(writer, run),
        "terms": writer.t("run.terms", credit=writer.run_credit(run), licence=licence),
        # the credit of an own run says what its source is
        "source": writer.locator(run.locator)
        if run.origin is Origin.MEASURED
        else tables.place(writer, run.source, run.locator),
        "charts": charts(writer, run),
        "report": writer.site.options.report_url(code, f"{code} {run.run_id}", brief=True),
    }


def charts(writer: Writer, run: Run) -> list[tuple[str, str]]:
    """The charts that show the run, with workload and publisher only where that tells them apart;
    several of its machine are one page's.
    """
    page, drawn = f"measured/{run.system}/", writer.site.figures
    shown = writer.site.charts_of(run=run.run_id)
    others = [id_ for id_ in shown if drawn[id_].figure.page != page]
    several = len(shown) - len(others) > 1
    shown = others if several else shown
    titles = [drawn[id_].figure.title(writer.locale) for id_ in shown]
    found = [
        (href, title if titles.count(title) == 1 else heading)
        for (href, heading), title in zip(writer.chart_links(shown), titles, strict=True)
    ]
    if several:
        found.append((writer.url(page), str(writer.t("run.charts_of_machine"))))
    return found


def _made(writer: Writer, values: Mapping[str, object]) -> tuple[Markup, int]:
    """The body without what its sensors show, and the bytes that are left for that."""
    body = writer.render("run.html", telemetry="", **values)
    return body, MOST_BODY - len(slim(str(body)).encode())


def detail(writer: Writer, run: Run) -> Markup:
    """Why a run ended as it did; of an own run that missed its target the badge and the figures say
    it.
    """
    missed = run.origin in OWN and run.status is Status.NOT_CONVERGED
    if not run.status_detail or missed:
        return Markup("")
    short = re.fullmatch(
        rf"phase ({'|'.join(_PHASES)})(?:, (\d{{1,18}}) bytes requested)?", run.status_detail
    )
    if short is None:
        return writer.name("status_detail", run.status_detail)
    part = writer.t(f"oom_part.{short[1]}")
    if not short[2]:
        return writer.t("run.oom", part=part)
    return writer.t("run.oom_size", part=part, size=writer.locale.bytes_(float(short[2])))


def linked(writer: Writer, run: Run) -> dict[str, Markup]:
    """Workload and system by name, each as a link to its page."""
    known = run.workload in writer.site.catalog.workloads
    return {
        "workload": writer.workload_link(run.workload)
        if known
        else escape(writer.workload_name(run.workload)),
        "system": writer.system_link(run.system),
    }


def conditions_line(writer: Writer, run: Run) -> Markup:
    """What ran under which conditions, for the line below the title of an own run's page."""
    return html.dotted(
        run_details.framework(writer, run),
        run_details.precision(writer, run),
        writer.word("data", run.data),
        writer.augmented(run),
        writer.batch(run),
    )


def configuration(writer: Writer, run: Run, *, brief: bool = False) -> list[tuple[Markup, Markup]]:
    """Name and value of each setting; a missing one reads "not stated".

    Args:
        writer: Of the page.
        run: The run.
        brief: Whether settings are left to the downloads that the workload has the same in each
            run, or that the picture shows.
    """
    rows = _fields(writer, run)
    alone = telemetry.is_alone(run)
    if run.origin in OWN or alone:
        left, unstated = _implied(writer, run, alone=alone), writer.missing("not_stated")
        rows = {
            name: value for name, value in rows.items() if value != unstated and name not in left
        }
    for name, usual in _USUAL.items():
        if (value := getattr(run, name)) not in (None, usual):
            worded = name == "division"
            rows[name] = writer.named_or_missing(name, value) if worded else writer.given(value)
    settings = _settings(writer, run, brief=brief)
    return writer.gathered(writer.fields(rows) + writer.fields(settings, "setting"))


def _fields(writer: Writer, run: Run) -> dict[str, Markup]:
    """The fields of a run that each run has, with their values."""

    def figure(name: str) -> Markup:
        if getattr(run, name) is None:
            return writer.missing("not_stated")
        return writer.of_run(run, name, unit=name.endswith("_s"))

    implementation = writer.named_or_missing("implementation", run.implementation)
    if run.implementation_url:
        implementation = addresses.away(run.implementation_url, implementation)
    batch = figure("global_batch_size")
    if run.batch_size_per_accelerator is not None and run.accelerators != 1:
        each = figure("batch_size_per_accelerator")
        batch = writer.t("batch.global_and_each", batch=batch, each=each)
    if run.batch_recommended is False:
        batch = writer.paren(batch, writer.t("batch.not_recommended"))
    why = run.stop_reason or (TARGET_REACHED if ended_at_target(run) else None)
    augmented = None if run.augmentation is None else writer.t("on" if run.augmentation else "off")
    return {
        "mode": writer.word("mode", run.mode),
        "accelerators": figure("accelerators"),
        **_surroundings(writer, run),
        "parallelism": writer.word("parallelism", run.parallelism),
        "framework": run_details.framework(writer, run),
        "backend": writer.given(run.backend),
        "implementation": implementation,
        "container": container(writer, run),
        "precision": writer.word("precision", run.precision),
        "data": writer.word("data", run.data),
        "augmentation": writer.given(augmented),
        "global_batch_size": batch,
        "epochs_planned": figure("epochs_planned"),
        "train_samples": figure("train_samples"),
        "seed": writer.given(seed(run)),
        "clock_scope": writer.word("clock_scope", run.clock_scope),
        "stop_reason": writer.named_or_missing("stop_reason", why),
        "started_at": writer.given(run.started_at),
        "wall_time_s": figure("wall_time_s"),
    }


def _settings(writer: Writer, run: Run, *, brief: bool) -> dict[str, Markup]:
    """The settings of a run by name; see `configuration`."""
    left = set(SEEDS)
    if brief:
        left |= _OF_WORKLOAD
        if timeline.has(run) and tables_timeline.varies(run):
            left.add("learning_rate_schedule")
    shown = {
        setting.name: setting_value(writer, setting)
        for setting in run.settings
        if setting.value != "none" and setting.name not in left
    }
    if "suite" in shown and "suite_size" in shown:
        shown["suite"] = writer.joined("comma", shown["suite"], shown.pop("suite_size"))
    if unsure_batch(run):
        shown[BATCH_AS_LOGGED] = writer.paren(shown[BATCH_AS_LOGGED], writer.t("batch.unit_varies"))
    return shown


def ended_at_target(run: Run) -> bool:
    """Whether a run of a benchmark's round ended because it had reached every target: its rules let
    it go on until then, and no longer.
    """
    times = [metric for metric in run.metrics if metric.name == "time_to_target_s"]
    reached = {
        metric.target.metric
        for metric in times
        if metric.target is not None and metric.value is not None
    }
    return (
        run.round is not None
        and run.status is Status.OK
        and bool(run.targets)
        and reached >= {target.metric for target in run.targets}
    )


def _implied(writer: Writer, run: Run, *, alone: bool) -> set[str]:
    """What the rest of the page says: the line below the title, the command which code ran, the
    workload's page its data. Of a log that is `alone`, nothing was asked, and whether it trained is
    not known.
    """
    said = {"mode", "clock_scope"} if alone else set()
    if run.origin not in OWN:
        return said
    workload = writer.site.catalog.workloads.get(run.workload)
    said |= {"framework", "precision", "data", "augmentation", "backend", "implementation"}
    if conditions.bare(run):
        said.add("accelerators")  # the processor itself is no accelerator to count
    if run.batch_size_per_accelerator is None or run.accelerators == 1:
        said.add("global_batch_size")
    if workload is not None and workload.train_samples == run.train_samples:
        said.add("train_samples")
    if run.mode is Mode.TRAINING:
        said.add("mode")
    if run.stop_reason == "epochs_done" and run.epochs_planned is not None:
        said.add("stop_reason")
    if any(metric.name in families.OF_WALL_TIME for metric in run.metrics):
        # the row of the wall time says whether evaluation is in it
        said |= {families.WALL_TIME, "clock_scope"}
    return said


def _surroundings(writer: Writer, run: Run) -> dict[str, Markup]:
    """Accelerator memory in all, kind of server and region, as far as the catalogue has them."""
    machine = writer.site.machines.get(run.system)
    ref = conditions.memory_ref(writer, run)
    found = {"memory_total": writer.fig(ref, unit=True)} if ref else {}
    if machine is not None and machine.catalogued:
        found["server_kind"] = writer.word("server_kind", machine.server_kind)
        found["region"] = writer.named_or_missing("region", machine.region)
    return found


def setting_value(writer: Writer, setting: Setting) -> Markup:
    """A setting in the page's language: a number as it writes numbers, a known word; anything else
    as it was recorded.
    """
    value = setting.value
    if re.fullmatch(r"-?\d{1,12}(\.\d{1,18})?", value):
        decimals = len(value.partition(".")[2].rstrip("0"))
        return escape(writer.locale.number(float(value), min(decimals, MOST_DECIMALS)))
    if value.startswith("DEFERRED:"):
        return writer.t("setting_value.deferred")
    if setting.name == "suite_size" and writer.locale.has(f"suite_size.{value}"):
        return writer.t(f"suite_size.{value}")
    if value in {"yes", "no"}:
        return writer.t(value)
    for phrase, form in _PHRASES.items():
        if found := re.fullmatch(form, value):
            told = {
                name: text if name == "seed" else writer.locale.number(int(text))
                for name, text in found.groupdict().items()
            }
            return writer.t(f"setting_value.{phrase}", **told)
    key = f"setting_value.{value.replace(' ', '_')}"
    return writer.t(key) if writer.locale.has(key) else html.code(value)


def software(writer: Writer, run: Run) -> list[tuple[Markup, Markup]]:
    """Software with versions and how certain they are."""
    if run.origin in OWN and len(run.software) == 1:
        return []  # the framework, which the configuration names with its version
    return [
        (
            writer.name("framework", piece.name),
            writer.certain(piece.version, piece.certainty)
            if piece.version
            else writer.missing("not_stated"),
        )
        for piece in run.software
    ]


def picture(writer: Writer, run: Run) -> Picture | None:
    """The quality over the epochs; where there is none, the duration of the measured steps; None
    without either.
    """
    quality = [
        (e.epoch, e.value)
        for e in run.evaluations
        if e.epoch is not None and e.metric == run.evaluations[0].metric
    ]
    if len(quality) > 1:
        name = writer.name("metric", run.evaluations[0].metric)
        of = run.evaluations[0].metric
        quality = [(epoch, level(of, value)) for epoch, value in quality]
        fraction = of != BLEU and all(0 <= value <= 1 for _, value in quality)
        title = writer.t("run.curve", metric=name)
        return _drawn(writer, quality, title, writer.t("head.epoch"), fraction=fraction)
    steps = [
        (float(step.index), step.duration_s) for step in run.steps if step.phase is Phase.MEASURE
    ]
    if len(steps) > 1:
        return _drawn(writer, steps, writer.t("run.steps"), writer.t("head.step"), clocked=True)
    return None


def _drawn(
    writer: Writer,
    series: Sequence[tuple[float, float]],
    title: Markup,
    across: Markup,
    *,
    fraction: bool = False,
    clocked: bool = False,
) -> Picture:
    points = thinned(series, MOST_POINTS)
    (left, right), low, high = (
        (points[0][0], points[-1][0]),
        min(y for _, y in points),
        max(y for _, y in points),
    )
    wide, tall = (right - left) or 1.0, (high - low) or 1.0

    def say(value: float) -> str:
        if fraction:
            return writer.locale.percent(value, 1)
        return writer.locale.duration(value) if clocked else writer.locale.number(value, digits=3)

    def at(point: tuple[float, float]) -> str:
        x = _LEFT + (point[0] - left) / wide * (WIDTH - _LEFT - 10)
        y = 10 + (1 - (point[1] - low) / tall) * (HEIGHT - _BOTTOM - 20)
        return f"{x:.0f},{y:.0f}"

    ends = [writer.locale.number(end) for end in (left, right)]
    return Picture(title, " ".join(map(at, points)), say(low), say(high), ends[0], ends[1], across)
