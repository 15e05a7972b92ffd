"""The page of one run: everything that is recorded of it, in a small shell, with a picture of its curve or its steps."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

from markupsafe import Markup, escape

from kernels.checks import DOUBTS
from kernels.records import Doubt, Environment, Metric, Origin, Phase, Run, Stat, Status
from site_src.model import Page
from site_src.pages import tables
from site_src.pages.sides import certain
from site_src.pages.site import Site
from site_src.pages.tables import Entry, Line
from site_src.pages.writer import Writer

WIDTH: Final = 560
HEIGHT: Final = 180
_LEFT: Final = 56
_BOTTOM: Final = 26
MOST_POINTS: Final = 120
"""Points of a picture; longer series show the smallest and the largest of each stretch."""

_SHOWN_IF_GIVEN: Final = ("nodes", "processes", "clock_resolution_s", "repeat_index", "submitter", "round", "division")
_UNITS: Final = {
    "cpu_max_hz": "Hz",
    "memory_bytes": "byte",
    "cgroup_memory_bytes": "byte",
    "accelerator_memory_bytes": "byte",
    "accelerator_power_limit_w": "W",
    "clock_resolution_s": "s",
}
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
    title = str(writer.t("run.title", workload=writer.workload_name(run.workload), system=writer.system_name(run.system)))
    label = writer.run_label(run)
    body = writer.render(
        "run.html",
        title=title,
        run=run,
        label=label,
        detail=writer.name("status_detail", run.status_detail) if run.status_detail else "",
        configuration=configuration(writer, run),
        metrics=metrics(writer, run),
        picture=picture(writer, run),
        software=software(writer, run),
        environment=environment(writer, run),
        unrecorded=unrecorded(writer, run),
        caveats=[writer.t(f"caveat.{key}") for key in run.caveats],
        doubts=[doubt(writer, found) for found in run.doubts],
        terms=writer.t("run.terms", credit=run.credit, licence=writer.name("licence", run.licence)),
        source=tables.place(writer, run.source, run.locator),
        charts=writer.chart_links(site.charts_of(run=run.run_id)),
        report=site.options.report_url(f"{writer.locale.code}/{writer.path}", run.run_id),
    )
    description = str(writer.t("run.description", label=label, status=writer.word("status", run.status)).striptags())
    updated = run.started_at.date() if run.started_at else None
    return writer.page("runs", title, description, body, light=True, updated=updated)


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
    if run.batch_size_per_accelerator is not None:
        batch = writer.t("batch.global_and_each", batch=batch, each=writer.fig(f"{ref}:batch_size_per_accelerator"))
    if run.batch_recommended is False:
        batch = Markup("{} ({})").format(batch, writer.t("batch.not_recommended"))
    stop = writer.name("stop_reason", run.stop_reason) if run.stop_reason else writer.missing("not_stated")
    augmentation = None if run.augmentation is None else writer.t("on" if run.augmentation else "off")
    rows: list[tuple[str, Markup]] = [
        ("workload", linked(f"workloads/{run.workload}/", writer.workload_name(run.workload))),
        ("system", linked(f"systems/{run.system}/", writer.system_name(run.system))),
        ("mode", writer.word("mode", run.mode)),
        ("accelerators", figure("accelerators")),
        ("parallelism", writer.word("parallelism", run.parallelism)),
        ("framework", tables.framework(writer, run)),
        ("backend", writer.given(run.backend)),
        ("implementation", implementation),
        ("container", writer.given(run.container)),
        ("precision", writer.word("precision", run.precision)),
        ("data", writer.word("data", run.data)),
        ("augmentation", writer.given(augmentation)),
        ("global_batch_size", batch),
        ("epochs_planned", figure("epochs_planned")),
        ("train_samples", figure("train_samples")),
        ("seed", writer.given(run.seed)),
        ("clock_scope", writer.word("clock_scope", run.clock_scope)),
        ("stop_reason", stop),
        ("started_at", writer.given(run.started_at)),
        ("wall_time_s", figure("wall_time_s")),
    ]
    given = {name: getattr(run, name) for name in _SHOWN_IF_GIVEN}
    rows += [(name, writer.given(value, _UNITS.get(name))) for name, value in given.items() if value is not None]
    named = [(writer.field(name), value) for name, value in rows]
    return named + [(writer.field(setting.name, "setting"), escape(setting.value)) for setting in run.settings]


def metrics(writer: Writer, run: Run) -> Markup:
    """Every figure of the run: value or range or why it is missing, what it is of how many, and its place."""
    placed = any(metric.locator for metric in run.metrics)
    lines = [_metric(writer, run, metric, placed) for metric in run.metrics]
    columns = tables.heads(writer, "metric", "value#", "statistic", *(["place"] if placed else []))
    return tables.table(writer, writer.t("run.metrics"), columns, lines, sortable=False, quiet=True)


def _metric(writer: Writer, run: Run, metric: Metric, placed: bool) -> Line:
    name = writer.quantity_name(metric.name)
    if metric.target is not None:
        target = writer.locale.percent(metric.target.value, 1) if metric.target.value <= 1 else writer.locale.number(metric.target.value)
        name = writer.t("run.metric_to_target", metric=name, target=target)
    value = tables.figure(writer, f"run:{run.run_id}:{metric.key}")
    if metric.value is not None and metric.low is not None and metric.high is not None and metric.interval:
        ends = [writer.locale.quantity(end, metric.unit, digits=4) for end in (metric.low, metric.high)]
        value = Entry(tables.noted(value.text, writer.t(f"interval.{metric.interval}", low=ends[0], high=ends[1])), value.value, "number")
    behind = Markup("–")
    if metric.status is Status.OK:
        stat = writer.t("stat.not_stated") if metric.stat is Stat.SINGLE and metric.n is None else writer.t(f"stat.{metric.stat}")
        behind = Markup("{}, {}").format(stat, tables.samples(writer, metric))
    place = [Entry(writer.locator(metric.locator) if metric.locator else Markup("–"))] if placed else []
    return Line([Entry(name), value, Entry(behind), *place])


def software(writer: Writer, run: Run) -> Markup:
    """Software with versions and how certain they are."""
    if not run.software:
        return Markup("<p>{}</p>").format(writer.missing("not_stated"))
    lines = [
        Line(
            [
                Entry(escape(piece.name)),
                Entry(certain(writer, piece.version, piece.certainty) if piece.version else writer.missing("not_stated")),
            ]
        )
        for piece in run.software
    ]
    return tables.table(writer, writer.t("run.software"), tables.heads(writer, "name", "version"), lines, sortable=False, quiet=True)


def environment(writer: Writer, run: Run) -> list[tuple[Markup, Markup]]:
    """The machine as it was, what is known of it."""
    found = run.environment
    if found is None:
        return []
    rows = []
    for field in fields(Environment):
        value = getattr(found, field.name)
        if value is None or field.name == "extra":
            continue
        text = (
            Markup("<code>{}</code>").format(value)
            if field.name in {"command", "data_sha256"}
            else writer.given(value, _UNITS.get(field.name))
        )
        rows.append((writer.field(field.name, "environment"), text))
    return rows + [(writer.field(setting.name, "environment"), escape(setting.value)) for setting in found.extra]


def unrecorded(writer: Writer, run: Run) -> str:
    """Names of what the harness could have recorded of the machine and did not."""
    if run.environment is None or run.origin not in _OWN:
        return ""  # a log or an article was never asked
    missing = [field.name for field in fields(Environment) if field.name != "extra" and getattr(run.environment, field.name) is None]
    return writer.locale.join([str(writer.t(f"environment.{name}")) for name in missing])


def doubt(writer: Writer, found: Doubt) -> tuple[Markup, Markup]:
    """A reason to be careful, and what to do about it."""
    unit = DOUBTS[found.code].unit

    def say(value: float | None) -> Markup:
        if value is None:
            return writer.t("not_stated")
        return escape(writer.locale.percent(value, 1) if unit == "1" else writer.locale.quantity(round(value, 2), unit))

    return writer.t(f"doubt.{found.code}", value=say(found.value), limit=say(found.limit)), writer.t(f"advice.{found.code}")


def picture(writer: Writer, run: Run) -> Picture | None:
    """The quality over the epochs; where there is none, the duration of the measured steps; None without either."""
    quality = [(e.epoch, e.value) for e in run.evaluations if e.epoch is not None and e.metric == run.evaluations[0].metric]
    if len(quality) > 1:
        name = writer.name("metric", run.evaluations[0].metric)
        fraction = all(0 <= value <= 1 for _, value in quality)
        title = writer.t("run.curve", metric=name)
        return _drawn(writer, quality, title, writer.t("head.epoch"), fraction=fraction)
    steps = [(float(step.index), step.duration_s) for step in run.steps if step.phase is Phase.MEASURE]
    if len(steps) > 1:
        return _drawn(writer, steps, writer.t("run.steps"), writer.t("head.step"), fraction=False)
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


def _drawn(writer: Writer, series: Sequence[tuple[float, float]], title: Markup, across: Markup, *, fraction: bool) -> Picture:
    points = thinned(series)
    (left, right), low, high = (points[0][0], points[-1][0]), min(y for _, y in points), max(y for _, y in points)
    wide, tall = (right - left) or 1.0, (high - low) or 1.0

    def say(value: float) -> str:
        return writer.locale.percent(value, 1) if fraction else writer.locale.duration(value)

    def at(point: tuple[float, float]) -> str:
        x = _LEFT + (point[0] - left) / wide * (WIDTH - _LEFT - 10)
        y = 10 + (1 - (point[1] - low) / tall) * (HEIGHT - _BOTTOM - 20)
        return f"{x:.1f},{y:.1f}"

    ends = [writer.locale.number(end) for end in (left, right)]
    return Picture(title, " ".join(map(at, points)), say(low), say(high), ends[0], ends[1], across)
