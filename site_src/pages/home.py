"""The home page: the cheapest setups of one workload with their chart, a form on costs, news, and
links to everything else.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from markupsafe import Markup

from kernels.analysis.mlperf_scores import Outcome
from kernels.analysis.repetitions import OWN
from kernels.records import Run, Status, Workload
from site_src import charts
from site_src.charts import markup, panel
from site_src.charts.parts import Leader
from site_src.costs import words
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages import picker
from site_src.pages.calculator import ANSWERS, FIRST, FOLDER
from site_src.pages.components import offers, run_details, scores, tables, warnings
from site_src.pages.components.scripts import compact
from site_src.pages.components.writer import Writer, capital
from site_src.reports.prose import plain
from site_src.templates import html

ACCELERATORS: Final = 5
FINDINGS: Final = 3
NEWEST: Final = 5
"""Items in each list of the page."""

CURRENCY: Final = "USD"
"""Currency of a budget if no setup has a cost."""


def home_page(writer: Writer) -> Page:
    """The home page in one language."""
    site, text = writer.site, writer.text("home.md")
    lead, asked = writer.html(text.lead), _asked(writer)
    first = f"{asked[0].workload}-costs" if asked else ""
    writer.face = first
    body = writer.render(
        "home.html",
        title=text.title,
        lead=lead,
        asked=asked,
        leaders=[leader(writer, one) for one in leaders(writer, first)],
        currency=_currency(writer, first),
        chart=_chart(writer, first) if first else None,
        choice=picker.choice(writer) if len(site.versus) else "",
        findings=list(islice(_findings(writer), FINDINGS)),
        accelerators=_accelerators(writer),
        newest=[_result(writer, run) for run in newest(site.archive.runs)],
        reports=_reports(writer),
    )
    page = writer.page("home", text.title, plain(str(lead)), body)
    # without a list of headings beside it, the chart fits beside the form
    return replace(page, toc=(), head=_head(writer) if first else "")


def _head(writer: Writer) -> str:
    root, client = writer.root, writer.site.client
    answers = f"{writer.url(FOLDER)}{ANSWERS}"
    return panel.head(root, client) + charts.asked_head(root, client, answers)


@dataclass(frozen=True, slots=True)
class Asked:
    """A workload that the form offers.

    Attributes:
        chart: The title of its chart of costs.
        targets: Qualities to choose from, in words, and True for the usual one.
    """

    workload: str
    name: str
    chart: str
    targets: tuple[tuple[float, str, bool], ...]

    @property
    def choices(self) -> str:
        """The targets, in the form that the page's script reads."""
        return compact(self.targets)


def _asked(writer: Writer) -> list[Asked]:
    figures, locale = writer.site.figures, writer.locale
    found = [
        Asked(one.workload, one.name, figures[id_].heading(locale), _targets(writer, one))
        for one in writer.site.catalog.workloads.values()
        if (id_ := f"{one.workload}-costs") in figures
    ]
    return sorted(found, key=lambda one: one.workload != FIRST)


def _targets(writer: Writer, workload: Workload) -> tuple[tuple[float, str, bool], ...]:
    usual, targets = writer.site.targets_of(workload.workload)
    return tuple(
        (value, words.level(workload.metric, value, writer.locale), value == usual)
        for value in targets
    )


def leaders(writer: Writer, chart: str) -> tuple[Leader, ...]:
    """The cheapest setups of a chart of costs; empty without a chart."""
    return writer.site.figures[chart].leaders(writer.locale) if chart else ()


def _currency(writer: Writer, chart: str) -> str:
    return next(
        (writer.fact(one.cost).unit for one in leaders(writer, chart)),
        CURRENCY,
    )


def leader(writer: Writer, one: Leader) -> dict[str, object]:
    """A setup with its cost, its time, and provider, terms and date of its price."""
    price = writer.site.prices[one.price]
    day = price.valid_from
    when = writer.given(day) if day else writer.t("costs.price_undated")
    return {
        "name": unbroken(one.name),
        "href": writer.url(writer.site.results.page_with(one.run)),
        "cost": offers.rounded(writer, one.cost),
        "time": _time(writer, one.time),
        "price": writer.joined(
            "comma", offers.named(writer, price), writer.word("price_kind", price.kind), when
        ),
    }


def _time(writer: Writer, ref: str) -> Markup:
    fact = writer.fact(ref)
    seconds = (fact.value or 0.0) * {"h": 3600.0, "min": 60.0}.get(fact.unit, 1.0)
    read = words.time(seconds)
    base = ref.removeprefix("in_hours(").removeprefix("in_minutes(")
    if base != ref:
        name = {"h": "in_hours", "min": "in_minutes"}.get(read.unit)
        ref = f"{name}({base}" if name else base.removesuffix(")")
    return writer.fig(ref, read.decimals, unit=True)


def _chart(writer: Writer, id_: str) -> dict[str, object]:
    drawn, locale = writer.site.figures[id_], writer.locale
    picture = markup.at_once(drawn.html("picture", locale, writer.root))
    return {
        "id": id_,
        "says": drawn.html("headline", locale, writer.root),
        "title": drawn.heading(locale),
        "href": writer.url(f"c/{id_}/"),
        "picture": picture,
        "links": drawn.html("links", locale, writer.root),
    }


def _findings(writer: Writer) -> Iterator[dict[str, object]]:
    site = writer.site
    trainings = (f"{one.workload}-cost-history" for one in _asked(writer))
    for id_ in islice(filter(site.figures.__contains__, trainings), 1):
        drawn = site.figures[id_]
        yield {
            "text": drawn.html("headline", writer.locale, writer.root),
            "year": "",
            "href": writer.url(f"c/{id_}/"),
            "title": drawn.heading(writer.locale),
            "thumbnail": _thumbnail(writer, id_),
        }
    for report in sorted(site.reports.values(), key=lambda one: _year(writer, one.source))[::-1]:
        title = writer.text(report.text).title
        for finding in islice((one for one in report.findings if one.strong), 1):
            yield {
                "text": writer.finding(finding, report),
                "year": _year(writer, report.source),
                "href": writer.url(report.place(finding.figure)),
                "title": title,
                "thumbnail": _thumbnail(writer, finding.figure, *report.charts),
            }


def _thumbnail(writer: Writer, *charts_: str) -> str:
    drawn = next((id_ for id_ in charts_ if id_ in writer.site.figures), "")
    return writer.asset(charts.small(drawn, writer.locale)) if drawn else ""


def _year(writer: Writer, source: str) -> str:
    known = writer.site.sources[source]
    day = known.published or known.published_about
    return str(day.year) if day else ""


def _reports(writer: Writer) -> list[tuple[str, str, str]]:
    return [
        (*link, _year(writer, report.source))
        for report in writer.site.reports.values()
        for link in writer.report_links([report])
    ]


def _by_results(writer: Writer) -> list[str]:
    site = writer.site
    counted = {id_: sum(site.systems_of(id_).values()) for id_ in site.catalog.hardware}
    return sorted(filter(counted.get, counted), key=lambda id_: (-counted[id_], id_))


def _accelerators(writer: Writer) -> list[dict[str, object]]:
    hardware = writer.site.catalog.hardware
    hours = {id_: offers.hour_from(writer, id_) for id_ in _by_results(writer)}
    order = sorted(hours, key=lambda id_: hours[id_] is None)
    return [
        {
            "href": writer.url(f"accelerators/{id_}/"),
            "name": unbroken(hardware[id_].name),
            "note": capital(hours[id_] or writer.t(f"hardware_kind.{hardware[id_].kind}")),
        }
        for id_ in order[:ACCELERATORS]
    ]


def newest(runs: Iterable[Run]) -> list[Run]:
    """The newest run of each system, of successful runs in force, newest first."""
    dated = (
        run for run in runs if run.started_at and run.withdrawn is None and run.status is Status.OK
    )
    last: dict[str, Run] = {}
    for run in sorted(dated, key=lambda run: (f"{run.started_at:%Y-%m-%dT%H:%M:%S}", run.run_id)):
        last.pop(run.system, None)
        last[run.system] = run
    return [*reversed(last.values())][:NEWEST]


def _result(writer: Writer, run: Run) -> dict[str, object]:
    site = writer.site
    score = site.score_with(run.run_id)
    workload, system = writer.workload_name(run.workload), unbroken(writer.system_name(run.system))
    metric = run_details.main_metric(
        run, "time_to_target_s", target=True
    ) or run_details.main_metric(run, "train_time_s", "throughput_", "final_")
    figure = Markup("")
    if score and score.verdict is Outcome.SCORED:
        figure = writer.colon(tables.heading(writer, "score#"), scores.minutes(writer, score))
    elif metric:
        shown = writer.of_run(run, metric.key, unit=True)
        figure = writer.colon(capital(writer.quantity_name(metric.name)), shown)
    return {
        "href": writer.url(site.results.page_with(run.run_id)),
        "title": writer.t("run.title", workload=workload, system=system),
        "figure": html.spaced(figure, _origin(writer, run), warnings.badge(writer, [run])),
        "day": writer.given(run.started_at.date() if run.started_at else None),
    }


def _origin(writer: Writer, run: Run) -> Markup:
    return writer.badge("origin", run.origin) if run.origin in OWN else Markup("")
