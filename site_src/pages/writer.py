"""What templates and prose can say: words, figures with their reference, names and links, on one page in one language."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup, escape

from kernels.claims import Fact
from kernels.errors import FactError, TouchstoneError
from kernels.records import Bound, Certainty, Run, Status, locator_parts
from site_src import prose, share
from site_src.findings import sentence
from site_src.locales import Locale
from site_src.model import Heading, Page
from site_src.pages.site import Site
from site_src.reports import Finding, Report, Shown

TEMPLATES: Final = Path(__file__).parents[1] / "templates"

_DECIMALS: Final[Mapping[str, int]] = {
    "USD": 2, "EUR": 2, "JPY": 0, "USD/h": 2, "EUR/h": 2, "h": 2, "percent": 1, "percentage_points": 1, "images/s": 0,
    "images/s per USD/h": 0, "images/s per EUR/h": 0, "images/USD": 0, "images/EUR": 0,
}  # fmt: skip
"""Decimals of computed figures by unit; a printed one keeps its own. Other units show four significant digits."""

_FRACTIONS: Final = ("_accuracy", "top1", "top5", "_auc", "_hr10")
"""Ends of names of figures that are fractions and are read as percentages."""

_PERCENT_DECIMALS: Final = 1
_DIGITS: Final = 4


class PageError(TouchstoneError):
    """A page that cannot be written; names template or text, page and language."""


@cache
def environment(*, prose_syntax: bool = False) -> jinja2.Environment:
    """The templates; in prose `{#id}` is a heading's id, so comments are written otherwise."""
    extra = {"comment_start_string": "<#--", "comment_end_string": "--#>"} if prose_syntax else {}
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        **extra,
    )


@cache
def _compiled(text: str) -> jinja2.Template:
    return environment(prose_syntax=True).from_string(text)


class Writer:
    """One page in the making: templates call its methods, and it keeps which charts they showed."""

    def __init__(self, site: Site, locale: Locale, path: str) -> None:
        self.site = site
        self.locale = locale
        self.path = path
        self.charts: list[str] = []

    # Places

    @property
    def near(self) -> str:
        """The way from this page to its language's home."""
        return "../" * self.path.count("/")

    @property
    def root(self) -> str:
        """The way from this page to the site's root."""
        return f"../{self.near}"

    def url(self, path: str = "") -> str:
        """A page of the same language, such as `method/#clocks`; relative."""
        return f"{self.near}{path}" or "./"

    def asset(self, path: str) -> str:
        """A file below the site's root; relative."""
        return f"{self.root}{path}"

    # Words

    def t(self, key: str, /, **values: object) -> Markup:
        """A string with its placeholders filled; figures and links may go in. `n` chooses the plural; `shown` is what stands for it."""
        n = values.get("n")
        template = Markup(escape(self.locale.template(key, float(n) if isinstance(n, int | float) else None)))  # noqa: S704 - escaped
        if "shown" in values:
            values["n"] = values.pop("shown")
        parts = {name: value if isinstance(value, Markup) else escape(self.locale.show(value)) for name, value in values.items()}
        try:
            return template.format(**parts)
        except (KeyError, IndexError, ValueError) as error:
            raise PageError(f"{self.locale.path}: {key!r} asks for {error}; page {self.path!r} gave {sorted(parts) or 'nothing'}") from None

    def word(self, group: str, value: object) -> Markup:
        """The word for a value of an enumeration, `status.oom`; "not stated" for None."""
        return self.t("not_stated") if value is None else self.t(f"{group}.{value}")

    def name(self, group: str, value: str) -> Markup:
        """The word for a key where there is one; a name stays as it is."""
        key = f"{group}.{value}"
        return self.t(key) if self.locale.has(key) else escape(value)

    def given(self, value: object, unit: str | None = None, decimals: int | None = None) -> Markup:
        """A field of a record as text; "not stated" where it is missing, never blank."""
        if value is None or value == "":
            return self.missing("not_stated")
        if isinstance(value, int | float) and not isinstance(value, bool) and unit:
            return escape(self.locale.bytes_(int(value)) if unit == "byte" else self.locale.quantity(value, unit, decimals))
        return escape(self.locale.show(value))

    def missing(self, status: str) -> Markup:
        """Why a figure is not there, as a word."""
        key = status if self.locale.has(status) else f"status.{status}"
        return Markup('<span class="ts-status ts-status--{}">{}</span>').format(status, self.t(key))

    # Figures

    def fact(self, ref: str) -> Fact:
        """The figure of a reference, or PageError with the page that asked."""
        try:
            return self.site.facts.get(ref)
        except FactError as error:
            raise PageError(f"page {self.locale.code}/{self.path}: {error}") from None

    def fig(
        self,
        ref: str,
        decimals: int | None = None,
        *,
        unit: bool = False,
        percent: bool | None = None,
        link: bool = True,
        about: bool = True,
        sign: bool = False,
        digits: int | None = None,
    ) -> Markup:
        """A figure: `<data value= data-ref=>`, a link to where it comes from, "about" where its source says so.

        Args:
            ref: As in `kernels.claims.Facts`.
            decimals: As shown; None for those printed, or for a computed figure what its unit is shown with.
            unit: Whether its unit stands with it; money always has its currency.
            percent: Whether a fraction is read as a percentage; None for what its name says.
            link: Whether it leads to its run, price or table.
            about: Whether "about", "less than", "more than" are said.
            sign: Whether a plus sign stands before a positive figure, as differences have it.
            digits: Significant digits instead of decimals.
        """
        fact = self.fact(ref)
        if fact.value is None and (fact.low is None or fact.high is None):
            return self._linked(ref, self.missing(_why(fact)), link)
        if percent is None:
            percent = fact.unit == "1" and fact.ref.partition("@")[0].endswith(_FRACTIONS)
        if fact.value is None:
            ends = (self._data(fact, end, decimals, digits, percent, sign, bound) for end, bound in ((fact.low, "low"), (fact.high, "high")))
            low, high = ends
            text = self.t("range", low=low, high=high)
            number: float = fact.high or 0.0
        else:
            text, number = self._data(fact, fact.value, decimals, digits, percent, sign), fact.value
        scaled = digits is None and self.locale.scaled(number, fact.unit)[1] != fact.unit
        if percent or scaled or fact.unit == "percent":
            pattern = "{n}"  # the sign is part of the number's text
        elif unit or re.fullmatch("[A-Z]{3}", fact.unit):
            pattern = self.locale.pattern(number, fact.unit)
        else:
            pattern = "{n}"
        text = Markup(escape(pattern)).format(n=text)  # noqa: S704 - escaped
        if about and fact.bound is not Bound.EQ:
            text = self.t({"approx": "about", "lt": "less_than", "gt": "more_than"}[fact.bound], shown=text)
        return self._linked(ref, text, link)

    def _data(
        self, fact: Fact, value: float | None, decimals: int | None, digits: int | None, percent: bool, sign: bool, end: str = ""
    ) -> Markup:
        number = 0.0 if value is None else value
        scaled, unit = self.locale.scaled(number, fact.unit)
        if percent:
            places = decimals if decimals is not None else max(0, fact.decimals - 2) if fact.decimals is not None else _PERCENT_DECIMALS
            text = self.locale.percent(number, places)
        elif unit != fact.unit and digits is None:
            text = self.locale.quantity(scaled, unit, decimals if decimals is not None else None if scaled % 1 else 0)
        else:
            if digits is None:
                decimals = self._places(fact, decimals)
                digits = None if decimals is not None else _DIGITS
            shown = self.locale.number(number, decimals, digits)
            text = self.locale.pattern(number, "percent").replace("{n}", shown) if fact.unit == "percent" else shown
        if sign:
            text = self.locale.signed(text, number)
        mark = Markup(' data-end="{}"').format(end) if end else ""
        return Markup('<data value="{}" data-ref="{}"{}>{}</data>').format(repr(float(number)), fact.ref, mark, text)

    def _places(self, fact: Fact, decimals: int | None) -> int | None:
        if decimals is not None:
            return decimals
        if fact.decimals is not None:
            return max(0, fact.decimals)
        if fact.value is not None and float(fact.value).is_integer() and fact.unit not in _DECIMALS:
            return 0
        return _DECIMALS.get(fact.unit)

    def shown(self, shown: Shown) -> Markup:
        """A figure as a report's definition wants it."""
        return self.fig(shown.ref, shown.decimals, unit=shown.unit, percent=shown.percent or None)

    def _linked(self, ref: str, text: Markup, link: bool) -> Markup:
        place = self.origin_of(ref) if link else None
        return text if place is None else Markup('<a class="ts-figure-link" href="{}">{}</a>').format(self.url(place), text)

    def origin_of(self, ref: str) -> str | None:
        """Path of the page, with its anchor, that a figure comes from; None for a formula over several, and on that page itself."""
        kind, _, rest = ref.partition(":")
        place = None
        if "(" not in ref:
            if kind == "run":
                place = f"runs/{rest.split(':')[0]}/"
            elif kind == "price":
                price = self.site.prices.get(rest.split(":")[0])
                place = f"systems/{price.system}/#prices" if price else None
            elif kind == "spec":
                place = next((f"systems/{m.id}/#specifications" for m in self.site.machines.values() if m.hardware == rest.split(":")[0]), None)
            elif kind == "system":
                place = f"systems/{rest.split(':')[0]}/"
            elif kind == "workload":
                place = f"workloads/{rest.split(':')[0]}/"
            elif kind == "cell":
                source, table = rest.split(":")[:2]
                place = f"sources/{source}/#table-{table}"
            elif kind == "claim":
                source = next((claim.source for claim in self.site.archive.claims if claim.claim_id == rest.split(":")[0]), None)
                place = f"sources/{source}/#{rest.split(':')[0]}" if source else None
        return None if place is None or place.partition("#")[0] == self.path else place

    # Names

    def system_name(self, id_: str) -> str:
        """A system's name, the same in each language."""
        machine = self.site.machines.get(id_)
        return machine.name if machine else id_

    def workload_name(self, id_: str) -> str:
        """A workload's name."""
        workload = self.site.catalog.workloads.get(id_)
        return workload.name if workload else id_

    def source_name(self, id_: str) -> str:
        """A source's title; own runs have none."""
        source = self.site.sources.get(id_)
        return source.title if source else str(self.t(f"own_runs.{id_}")) if self.locale.has(f"own_runs.{id_}") else id_

    def run_label(self, run: Run) -> Markup:
        """What tells a run from the others on its page: system, framework, data, batch."""
        parts = [self.system_name(run.system)]
        parts += [run.framework] if run.framework else []
        parts += [str(self.word("data", run.data))] if run.data else []
        if run.global_batch_size is not None:
            parts.append(str(self.t("run.batch", batch=run.global_batch_size)))
        return escape(" · ".join(parts))

    def badge(self, kind: str, value: str) -> Markup:
        """A small label: of a status, a verdict, an origin or the kind of a finding."""
        return Markup('<span class="ts-badge ts-badge--{}-{}">{}</span>').format(kind, value, self.t(f"{kind}.{value}"))

    def locator(self, text: str) -> Markup:
        """A place in a source, "table 1, row 2", in this language; names and quoted text stay as they are."""
        parts = [self.t(f"locator.{word}", n=what) if self.locale.has(f"locator.{word}") else f"{word} {what}" for word, what in locator_parts(text)]
        return Markup(", ").join(parts)

    def quantity_name(self, metric: str) -> Markup:
        """The name of a figure of a run: `metric.final_accuracy`."""
        return self.t(f"metric.{metric}")

    # Prose

    def html(self, text: str, **values: object) -> Markup:
        """Prose with its figures, links and pictures in place."""
        try:
            filled = _compiled(text).render(self.context() | values)
        except jinja2.TemplateError as error:
            raise PageError(f"page {self.locale.code}/{self.path}: {error}, in the text that begins {text[:60]!r}") from error
        return Markup(prose.html(filled))  # noqa: S704 - our own prose; figures in it are escaped where they are made

    def text(self, name: str) -> prose.Prose:
        """A text of this language's content."""
        return _prose(self.site.content / self.locale.code / name)

    def finding(self, finding: Finding, report: Report) -> Markup:
        """A finding's sentence, from the data."""
        said = sentence(finding, report, self.site.facts)
        parts: dict[str, object] = {name: self.shown(shown) for name, shown in said.figures.items()}
        parts |= {name: self.named(name_) for name, name_ in said.names.items()}
        wanted = prose_placeholders(self.locale, said.key)
        return self.t(said.key, **{name: value for name, value in parts.items() if name in wanted})

    def named(self, reference: str) -> Markup:
        """What a reference such as `system:cloud-tpu-v2-8` is called; a key of the strings, or a name as it is."""
        kind, found, id_ = reference.partition(":")
        if found and kind == "system":
            return escape(self.system_name(id_))
        if found and kind == "workload":
            return escape(self.workload_name(id_))
        if found and kind == "text":
            return self.t(id_)
        return escape(reference)

    # Pictures and pages

    def chart(self, id_: str, level: int = 3) -> Markup:
        """A chart with its table."""
        drawn = self.site.figures.get(id_)
        if drawn is None:
            raise PageError(f"page {self.locale.code}/{self.path}: no chart {id_!r}; there are {', '.join(sorted(self.site.figures)) or 'none'}")
        if id_ not in self.charts:
            self.charts.append(id_)
        return Markup(share.block(drawn, self.locale, self.root, level, own_page=self.path == f"c/{id_}/"))  # noqa: S704 - made of escaped parts

    def context(self) -> dict[str, object]:
        """What templates and prose may call."""
        return {
            "t": self.t, "fig": self.fig, "url": self.url, "asset": self.asset, "w": self, "site": self.site, "locale": self.locale,
            "word": self.word, "given": self.given, "badge": self.badge, "chart": self.chart,
        }  # fmt: skip

    def render(self, template: str, **values: object) -> Markup:
        """A template of `templates/`, filled."""
        try:
            return Markup(environment().get_template(template).render(self.context() | values))  # noqa: S704 - templates escape
        except jinja2.TemplateSyntaxError as error:
            raise PageError(f"templates/{error.name}:{error.lineno}: {error.message}") from None
        except jinja2.TemplateError as error:
            raise PageError(f"templates/{_line_of(error, template)}: {error}; page {self.locale.code}/{self.path}") from error

    def meta(self, rows: Sequence[tuple[Markup, Markup]]) -> Markup:
        """What is known of a thing, name and value side by side."""
        items = (Markup("<div><dt>{}</dt><dd>{}</dd></div>\n").format(name, value) for name, value in rows)
        return Markup('<dl class="ts-meta">\n{}</dl>').format(Markup("").join(items))

    def links(self, found: Sequence[tuple[str, str]]) -> Markup:
        """A list of links, or the word that there are none."""
        if not found:
            return Markup("<p>{}</p>").format(self.t("nothing"))
        items = (Markup('<li><a href="{}">{}</a></li>').format(href, text) for href, text in found)
        return Markup("<ul>{}</ul>").format(Markup("").join(items))

    def report_links(self, found: Sequence[Report]) -> list[tuple[str, str]]:
        """Address and title of reports."""
        return [(self.url(f"reports/{report.id}/"), self.text(f"reports/{report.id}.md").title) for report in found]

    def chart_links(self, found: Sequence[str]) -> list[tuple[str, str]]:
        """Address and title of charts."""
        return [(self.url(f"c/{id_}/"), self.site.figures[id_].figure.title(self.locale)) for id_ in found]

    def quantity(self, value: float | None, unit: str) -> str | None:
        """A quantity in the multiple in which it is read; None for None."""
        return None if value is None else self.locale.quantity(*self.locale.scaled(value, unit), digits=3)

    def titled(self, group: str, sections: Sequence[tuple[str, Sequence[Markup]]]) -> list[dict[str, object]]:
        """Sections whose headings are `<group>.heading_<id>`, as templates take them."""
        return [{"id": id_, "title": self.t(f"{group}.heading_{id_}"), "blocks": blocks} for id_, blocks in sections]

    def prose_page(
        self, section: str, text: prose.Prose, blocks: Mapping[str, Sequence[Markup]], description: str | None = None
    ) -> Page:
        """A page whose headings and words are a text's; `blocks` stand after the first part of their section."""
        if lost := [id_ for id_, found in blocks.items() if found and id_ not in text.sections]:
            raise PageError(f"{text.path}: no section {', '.join(lost)}, wanted '## ... {{#{lost[0]}}}'")
        sections = []
        for id_, part in text.sections.items():
            first, *rest = (self.html(piece) for piece in part.parts)
            sections.append({"id": id_, "title": part.title, "blocks": [first, *blocks.get(id_, ()), *rest]})
        lead = self.html(text.lead)
        body = self.render("plain.html", title=text.title, lead=lead, sections=sections)
        return self.page(section, text.title, description or prose.plain(str(lead)), body)

    def page(self, section: str, title: str, description: str, body: Markup, *, shell: str = "full", **more: object) -> Page:
        """The finished page; its table of contents is read off the headings."""
        drawn = [self.site.figures[id_] for id_ in self.charts]
        return Page(
            path=self.path,
            language=self.locale.code,
            section=section,
            shell=shell,
            title=title,
            description=description,
            body=str(body),
            toc=headings(str(body)),
            charts=tuple(self.charts),
            head=share.head(self.root, drawn[0]) if drawn else "",
            image=share.card(drawn[0], self.locale) if drawn else "",
            **more,  # type: ignore[arg-type]  # the rest of Page's fields, by name
        )


def _why(fact: Fact) -> str:
    if fact.certainty in (Certainty.NOT_PUBLISHED, Certainty.NOT_STATED):
        return str(fact.certainty)
    return str(fact.status) if fact.status is not Status.OK else "not_stated"


@cache
def _prose(path: Path) -> prose.Prose:
    return prose.read(path)


def prose_placeholders(locale: Locale, key: str) -> set[str]:
    """Placeholders of a string that has no plural forms."""
    return set(re.findall(r"\{(\w+)\}", locale.template(key, 1)))


def _line_of(error: BaseException, template: str) -> str:
    place, trace = template, error.__traceback__
    while trace is not None:
        name = Path(trace.tb_frame.f_code.co_filename)
        if name.is_relative_to(TEMPLATES):
            place = f"{name.relative_to(TEMPLATES)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


_HEADINGS: Final = re.compile(r'<h([23])\b[^>]*?\bid="([^"]+)"[^>]*>(.*?)</h\1>', re.DOTALL)


def headings(body: str) -> tuple[Heading, ...]:
    """Headings of level 2 and 3 that have an id, in order."""
    found: Sequence[tuple[str, str, str]] = _HEADINGS.findall(body)
    return tuple(Heading(int(level), id_, str(Markup(text).striptags())) for level, id_, text in found)  # noqa: S704 - read, not written
