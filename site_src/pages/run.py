"""The page of one run: everything that is recorded of it, in a small shell, with a picture of its curve or its steps."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

from kernels.checks import DOUBTS
from kernels.records import Doubt, Metric, Mode, Origin, Phase, Run, Setting, Stat, Status
from site_src.model import Page
from site_src.pages import conditions, limits, tables, telemetry
from site_src.pages.sides import container
from site_src.pages.site import Site
from site_src.pages.writer import Writer, capital
from site_src.recorded import SEEDS, seed
from site_src.slim import slim
from site_src.tables import BATCH_AS_LOGGED, BLEU, level, unsure_batch, within

WIDTH: Final = 560
HEIGHT: Final = 180
_LEFT: Final = 56
_BOTTOM: Final = 26
MOST_BODY: Final = 7_000
"""Bytes that a page's body should stay within: with its shell ten kilobytes."""

MOST_POINTS: Final = 120
"""Points of a picture; longer series show the smallest and the largest of each stretch."""

_USUAL: Final[Mapping[str, object]] = {"nodes": 1, "processes": 1, "repeat_index": 0, "submitter": None, "round": None, "division": None}
"""Fields that are shown where they are not as usual: a page of a run is small."""

_MACHINE: Final = (
    "os", "kernel", "python", "cpu_model", "physical_cores", "logical_cores", "cpu_max_hz", "memory_bytes", "cgroup_cpus",
    "cgroup_memory_bytes", "virtualised", "foreign_cores", "threads", "accelerator_name", "accelerator_count",
    "accelerator_memory_bytes", "accelerator_power_limit_w", "driver", "cuda", "cudnn", "nccl", "tf32_allowed", "cudnn_benchmark",
    "git_commit", "command",
)  # fmt: skip
"""Fields of the environment that a run's page shows; the downloads have them all."""

_OF_ACCELERATORS: Final = frozenset(
    {"accelerator_name", "accelerator_count", "accelerator_memory_bytes", "accelerator_power_limit_w", "driver", "cuda", "cudnn", "nccl"}
    | {"tf32_allowed", "cudnn_benchmark"}
)
_SHORT: Final = 12
"""Signs of a checksum or a commit that tell it from others."""

_UNITS: Final = {
    "cpu_max_hz": "Hz",
    "memory_bytes": "byte",
    "cgroup_memory_bytes": "byte",
    "accelerator_memory_bytes": "byte",
    "accelerator_power_limit_w": "W",
}
MOST_DECIMALS: Final = 9
"""Decimals of a setting that are shown: logs write learning rates with as many, and factors with all that a computer has."""

_OWN: Final = (Origin.MEASURED, Origin.SUBMITTED)


@dataclass(frozen=True, slots=True)
class Picture:
    """A small line drawing: `points` for a polyline, ends of both axes as text, and what is drawn."""

    title: Markup
    points: str
    bottom: str
    top: str
    left: str
    right: str
    across: Markup
    width: int = WIDTH
    height: int = HEIGHT


def run_page(site: Site, writer: Writer, run: Run) -> Page:
    """The page of one run in one language."""
    writer.of = f"run:{run.run_id}:"
    title = str(writer.t("run.title", workload=writer.workload_name(run.workload), system=writer.system_name(run.system)))
    label = writer.run_label(run, system=False)
    parts: dict[str, object] = {
        "title": title,
        "run": run,
        "label": label,
        "detail": writer.name("status_detail", run.status_detail) if run.status_detail else "",
        "configuration": configuration(writer, run),
        "metrics": "" if telemetry.is_alone(run) else metrics(writer, run),
        "picture": picture(writer, run),
        "software": software(writer, run),
        "environment": environment(writer, run),
        "unrecorded": unrecorded(writer, run),
        "caveats": [*(writer.t(f"caveat.{key}") for key in run.caveats), *limits.of_run(writer, run)],
        "doubts": [doubt(writer, found) for found in run.doubts],
        "terms": writer.t("run.terms", credit=writer.run_credit(run), licence=writer.name("licence", run.licence)),
        "source": tables.place(writer, run.source, run.locator),
        "charts": charts(writer, run),
        "report": site.options.report_url(writer.locale.code, run.run_id),
    }
    body = writer.render("run.html", telemetry="", **parts)
    if run.telemetry:
        room = MOST_BODY - len(slim(str(body)).encode())
        body = writer.render("run.html", telemetry=telemetry.block(writer, run, thinned, room), **parts)
    description = str(writer.t("run.description", label=label, status=writer.word("status", run.status)).striptags())
    updated = run.started_at.date() if run.started_at else None
    return writer.page("runs", title, description, body, light=True, updated=updated)


def charts(writer: Writer, run: Run) -> list[tuple[str, str]]:
    """The charts that show the run, named by workload and publisher only where that tells them apart: a page of a run is small."""
    found = writer.chart_links(writer.site.charts_of(run=run.run_id))
    titles = [writer.site.figures[id_].figure.title(writer.locale) for id_ in writer.site.charts_of(run=run.run_id)]
    return [(href, title if titles.count(title) == 1 else heading) for (href, heading), title in zip(found, titles, strict=True)]


def configuration(writer: Writer, run: Run) -> list[tuple[Markup, Markup]]:
    """Name and value of each setting; a missing one reads "not stated"."""
    ref = f"run:{run.run_id}"

    def linked(path: str, text: str) -> Markup:
        return Markup('<a href="{}">{}</a>').format(writer.url(path), text)

    def figure(name: str) -> Markup:
        missing = getattr(run, name) is None
        return writer.missing("not_stated") if missing else writer.fig(f"{ref}:{name}", unit=name.endswith("_s"))

    implementation = writer.name("implementation", run.implementation) if run.implementation else writer.missing("not_stated")
    if run.implementation_url:
        implementation = Markup('<a href="{}">{}</a>').format(run.implementation_url, implementation)
    batch = figure("global_batch_size")
    if run.batch_size_per_accelerator is not None and run.accelerators != 1:
        batch = writer.t("batch.global_and_each", batch=batch, each=writer.fig(f"{ref}:batch_size_per_accelerator"))
    if run.batch_recommended is False:
        batch = writer.paren(batch, writer.t("batch.not_recommended"))
    stop = writer.name("stop_reason", run.stop_reason) if run.stop_reason else writer.missing("not_stated")
    augmentation = None if run.augmentation is None else writer.t("on" if run.augmentation else "off")
    name = writer.workload_name(run.workload)
    rows: list[tuple[str, Markup]] = [
        ("workload", linked(f"workloads/{run.workload}/", name) if run.workload in writer.site.catalog.workloads else escape(name)),
        ("system", linked(f"systems/{run.system}/", writer.system_name(run.system))),
        ("mode", writer.word("mode", run.mode)),
        ("accelerators", figure("accelerators")),
        *_surroundings(writer, run),
        ("parallelism", writer.word("parallelism", run.parallelism)),
        ("framework", tables.framework(writer, run)),
        ("backend", writer.given(run.backend)),
        ("implementation", implementation),
        ("container", container(writer, run)),
        ("precision", writer.word("precision", run.precision)),
        ("data", writer.word("data", run.data)),
        ("augmentation", writer.given(augmentation)),
        ("global_batch_size", batch),
        ("epochs_planned", figure("epochs_planned")),
        ("train_samples", figure("train_samples")),
        ("seed", writer.given(seed(run))),
        ("clock_scope", writer.word("clock_scope", run.clock_scope)),
        ("stop_reason", stop),
        ("started_at", writer.given(run.started_at)),
        ("wall_time_s", figure("wall_time_s")),
    ]
    if run.origin in _OWN:  # the harness knows what there was; it leaves nothing unsaid
        bare = run.environment is not None and run.environment.accelerator_name is None  # the processor itself is no accelerator to count
        rows = [(name, value) for name, value in rows if value != writer.missing("not_stated") and not (bare and name == "accelerators")]
        rows = [(name, value) for name, value in rows if name != "mode" or run.mode is not Mode.TRAINING]
    if telemetry.is_alone(run):  # nothing was asked of the run, and whether it trained is not known
        rows = [(name, value) for name, value in rows if value != writer.missing("not_stated") and name not in {"mode", "clock_scope"}]
    given = {name: getattr(run, name) for name in _USUAL}
    worded = {"division": writer.named_or_missing("division", run.division)}
    rows += [(name, worded.get(name, writer.given(value))) for name, value in given.items() if value not in (None, _USUAL[name])]
    named = [(writer.field(name), value) for name, value in rows]
    settings = [setting for setting in run.settings if setting.value != "none" and setting.name not in SEEDS]
    shown = {setting.name: setting_value(writer, setting) for setting in settings}
    if unsure_batch(run):
        shown[BATCH_AS_LOGGED] = writer.paren(shown[BATCH_AS_LOGGED], writer.t("batch.unit_varies"))
    return writer.gathered(named + [(writer.field(name, "setting"), value) for name, value in shown.items()])


def _surroundings(writer: Writer, run: Run) -> list[tuple[str, Markup]]:
    """Accelerator memory in all, kind of server and region, as far as the catalogue has them."""
    machine = writer.site.machines.get(run.system)
    ref = conditions.memory_ref(writer, run)
    found = [("memory_total", writer.fig(ref, unit=True))] if ref else []
    if machine is None or not machine.catalogued:
        return found
    kind = writer.word("server_kind", machine.server_kind)
    return [*found, ("server_kind", kind), ("region", writer.named_or_missing("region", machine.region))]


def setting_value(writer: Writer, setting: Setting) -> Markup:
    """A setting in the page's language: a number as it writes numbers, a known word; anything else as it was recorded."""
    value = setting.value
    if re.fullmatch(r"-?\d{1,12}(\.\d{1,18})?", value):
        return escape(writer.locale.number(float(value), min(len(value.partition(".")[2].rstrip("0")), MOST_DECIMALS)))
    if value.startswith("DEFERRED:"):
        return writer.t("setting_value.deferred")
    return writer.t(f"setting_value.{value}") if writer.locale.has(f"setting_value.{value}") else Markup("<code>{}</code>").format(value)


def metrics(writer: Writer, run: Run) -> Markup:
    """Every figure of the run: value or range or why it is missing, what it is of how many, and its place."""
    placed = any(metric.locator for metric in run.metrics if not telemetry.is_monitored(metric))
    groups: dict[str, list[Metric]] = {}
    for metric in run.metrics:
        if not _said_before(run, metric) and not telemetry.is_monitored(metric):
            groups.setdefault(_row(metric), []).append(metric)
    rows = [_metric(writer, run, found, placed) for found in groups.values()]
    columns = tables.heads(writer, "metric", "value", "statistic", *(["place"] if placed else []))
    label = writer.t("run.metrics")
    return writer.render("blocks/figures.html", label=label, columns=[(heading, "text", "") for heading, _ in columns], rows=rows)


_HELD: Final = "_sustained"
_TO_TARGET: Final = re.compile(r"(?:epochs|samples|time)_to_target(_sustained)?(?:_s)?")


def _row(metric: Metric) -> str:
    """Figures that share a row: epochs, samples and time to one target; a best value and its epoch."""
    to_target = _TO_TARGET.fullmatch(metric.name)
    if metric.name.startswith("best_"):
        return metric.name.removesuffix("_epoch")
    return f"{to_target[1]}@{metric.target.value}" if to_target and metric.target else metric.key


def _unheld(name: str) -> str:
    """The figure of the first time that a target was reached, by the name of that of the time from which it held."""
    return name.replace(_HELD, "")


def _said_before(run: Run, metric: Metric) -> bool:
    """Whether a target was held from the first time that it was reached: then one row says both."""
    first = next((m for m in run.metrics if m.name == _unheld(metric.name) and m.target and metric.target), None)
    return _HELD in metric.name and metric.value is not None and first is not None and first.value == metric.value


def _held(run: Run, metric: Metric) -> bool:
    """Whether this row also says that the target was held to the end."""
    return any(_unheld(other.name) == metric.name and other is not metric and _said_before(run, other) for other in run.metrics)


def _metric(writer: Writer, run: Run, found: Sequence[Metric], placed: bool) -> tuple[Markup, ...]:
    """A row: what it is, its figures, of how many it is which statistic, and where it stands."""
    metric = found[0]
    if metric.target is None:
        name = writer.quantity_name(metric.name)
    else:
        what = writer.t("head.to_target") if len(found) > 1 else writer.quantity_name(metric.name)
        name = writer.t("run.metric_to_target", metric=what, target=tables.goal(writer, metric))
        if (len(found) > 1 and _HELD in metric.name) or _held(run, metric):
            name = writer.joined("comma", (name, writer.t("run.held")))
    shown = [_value(writer, run, metric) for metric in found if metric.status is Status.OK or len(found) == 1]
    behind = Markup("–")
    if metric.status is Status.OK:
        stat = Markup("") if metric.stat in (Stat.SINGLE, Stat.NOT_STATED) else writer.t(f"stat.{metric.stat}")
        # of how many steps or epochs it is the statistic; that this is one run, the rows that are no statistic say
        counted = within(run, metric)
        number = escape(writer.locale.quantity(*counted)) if counted else tables.samples(writer, run, metric).striptags()
        behind = writer.joined("comma", (stat, number))
    place = [writer.locator(metric.locator) if metric.locator else Markup("–")] if placed else []
    return (capital(name), Markup("<br>").join(shown), behind, *place)


def _value(writer: Writer, run: Run, metric: Metric) -> Markup:
    value = writer.fig(f"run:{run.run_id}:{metric.key}", unit=True)
    note = tables.readable(writer, metric)
    if metric.value is not None and metric.low is not None and metric.high is not None and metric.interval:
        ends = [writer.locale.number(metric.low, digits=4), writer.locale.quantity(metric.high, metric.unit, digits=4)]
        note = writer.t(f"interval.{metric.interval}", low=ends[0], high=ends[1])
    return tables.noted(value, note)


def software(writer: Writer, run: Run) -> list[tuple[Markup, Markup]]:
    """Software with versions and how certain they are."""
    if run.origin in _OWN and len(run.software) == 1:
        return []  # the framework, which the configuration names with its version
    return [
        (
            writer.name("framework", piece.name),
            tables.certain(writer, piece.version, piece.certainty) if piece.version else writer.missing("not_stated"),
        )
        for piece in run.software
    ]


def environment(writer: Writer, run: Run) -> list[tuple[Markup, Markup]]:
    """The machine as it was, what is known of it."""
    found = run.environment
    if found is None:
        return []
    rows = []
    for name in _MACHINE:
        value = getattr(found, name)
        if value is None or (name == "logical_cores" and value == found.physical_cores):
            continue
        if isinstance(value, float):
            value = round(value, 2)
        text = Markup("<code>{}</code>").format(str(value)[: _SHORT if name == "git_commit" else None])
        rows.append(
            (writer.field(name, "environment"), text if name in {"command", "git_commit"} else writer.given(value, _UNITS.get(name)))
        )
    return rows


def unrecorded(writer: Writer, run: Run) -> str:
    """Names of what the harness could have recorded of the machine and did not."""
    if run.environment is None or run.origin not in _OWN:
        return ""  # a log or an article was never asked
    bare = run.environment.accelerator_name is None
    missing = [name for name in _MACHINE if getattr(run.environment, name) is None and not (bare and name in _OF_ACCELERATORS)]
    return writer.locale.join([str(writer.t(f"environment.{name}")) for name in missing])


def doubt(writer: Writer, found: Doubt) -> Markup:
    """A reason to be careful, and what to do about it."""
    unit = DOUBTS[found.code].unit

    def say(value: float | None) -> Markup:
        if value is None:
            return writer.t("not_stated")
        return escape(writer.locale.percent(value, 1) if unit == "1" else writer.locale.quantity(round(value, 2), unit))

    text = writer.t(f"doubt.{found.code}", value=say(found.value), limit=say(found.limit))
    return writer.joined("sentences", (text, writer.t(f"advice.{found.code}")))


def picture(writer: Writer, run: Run) -> Picture | None:
    """The quality over the epochs; where there is none, the duration of the measured steps; None without either."""
    quality = [(e.epoch, e.value) for e in run.evaluations if e.epoch is not None and e.metric == run.evaluations[0].metric]
    if len(quality) > 1:
        name = writer.name("metric", run.evaluations[0].metric)
        of = run.evaluations[0].metric
        quality = [(epoch, level(of, value)) for epoch, value in quality]
        fraction = of != BLEU and all(0 <= value <= 1 for _, value in quality)
        title = writer.t("run.curve", metric=name)
        return _drawn(writer, quality, title, writer.t("head.epoch"), fraction=fraction)
    steps = [(float(step.index), step.duration_s) for step in run.steps if step.phase is Phase.MEASURE]
    if len(steps) > 1:
        return _drawn(writer, steps, writer.t("run.steps"), writer.t("head.step"), clocked=True)
    return None


def thinned(points: Sequence[tuple[float, float]], most: int = MOST_POINTS) -> list[tuple[float, float]]:
    """At most `most` points: of each stretch the smallest and the largest, so that no outlier is lost."""
    if len(points) <= most:
        return list(points)
    stretch = -(-2 * len(points) // most)
    kept = []
    for start in range(0, len(points), stretch):
        part = points[start : start + stretch]
        ends = {min(part, key=lambda point: point[1]), max(part, key=lambda point: point[1])}
        kept += sorted(ends)
    return kept


def _drawn(
    writer: Writer, series: Sequence[tuple[float, float]], title: Markup, across: Markup, *, fraction: bool = False, clocked: bool = False
) -> Picture:
    points = thinned(series)
    (left, right), low, high = (points[0][0], points[-1][0]), min(y for _, y in points), max(y for _, y in points)
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
