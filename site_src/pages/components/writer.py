"""One page in the making: prose with its figures, templates, charts, and the finished page."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup, escape

from kernels.records import Source
from site_src import charts, templates
from site_src.addresses.editions import Edition
from site_src.charts import panel
from site_src.locales import Locale
from site_src.minify import slim
from site_src.model import Asset, Heading, Page
from site_src.pages.components.numbers import AGED_YEARS, MOST_WORDS, Numbers
from site_src.pages.components.scripts import versioned
from site_src.pages.components.site import Site
from site_src.pages.components.text import PageError, capital
from site_src.reports import Finding, Report, prose
from site_src.reports.findings import sentence

__all__ = ["AGED_YEARS", "MOST_WORDS", "PageError", "Writer", "capital"]

_CITED: Final = re.compile(r"\bcell:([\w.-]+):")
"""Sources whose printed cells a text cites."""


def our_name(source: Source, locale: Locale, reports: Collection[str], content: Path) -> str | None:
    """A source's name in another language: the subject of its report, or a string; None if it has
    only its own title.
    """
    if source.language == locale.code:
        return None
    if source.source in reports:
        return prose.read(content / locale.code / "reports" / source.source / "details.md").title
    key = f"source_title.{source.source}"
    return locale.say(key) if locale.has(key) else None


class Writer(Numbers):
    """One page in the making: templates call its methods; it collects the charts they showed.

    Attributes:
        charts: Ids of the charts on it, in order.
        face: Id of the chart whose card represents the page; empty for the first.
    """

    def __init__(self, site: Site, locale: Locale, path: str) -> None:
        super().__init__(site, locale, path)
        self.charts: list[str] = []
        self.face = ""

    def html(self, text: str, **values: object) -> Markup:
        """Prose with its figures, links and pictures filled in."""
        try:
            filled = templates.fill_text(text, self.context() | values)
        except templates.TemplateError as error:
            raise self.error(error) from error
        return self.kept(Markup(prose.html(filled)))  # noqa: S704 - our own prose, figures escaped

    def recorded(self, text: str) -> str:
        """Prose without its paragraphs on printed but unrecorded facts: a site of one's own runs
        has no articles.
        """
        return "\n\n".join(
            part
            for part in text.split("\n\n")
            if self.site.sources.keys() >= set(_CITED.findall(part))
        )

    def text(self, name: str) -> prose.Prose:
        """A text of this language's content."""
        return prose.read(self.site.content / self.locale.code / name)

    def finding(
        self,
        finding: Finding,
        report: Report,
        group: str = "finding",
        named: Callable[[Iterable[str]], Mapping[str, Markup]] | None = None,
    ) -> Markup:
        """A finding's sentence, from the data; with another `group`, another text on it.

        Args:
            finding: The finding.
            report: Its report.
            group: Group of strings.
            named: Names to use, by reference; None for full ones.
        """
        said = sentence(finding, report, self.site.facts)
        key = f"{group}{said.key.removeprefix('finding')}"
        references = said.names.values()
        called = named(references) if named else {name: self.named(name) for name in references}
        values: dict[str, object] = {
            **{name: self.shown(shown) for name, shown in said.figures.items()},
            **{name: called[reference] for name, reference in said.names.items()},
        }
        wanted = set(re.findall(r"\{(\w+)\}", self.locale.template(key, 1)))
        return self.kept(self.t(key, **{name: values[name] for name in values.keys() & wanted}))

    def named(self, reference: str) -> Markup:
        """The name for a reference such as `system:cloud-tpu-v2-8`, a string for a key, or the name
        as it is.
        """
        kind, found, id_ = reference.partition(":")
        if not found:
            return escape(reference)
        if kind == "system":
            return escape(self.system_name(id_))
        if kind == "workload":
            return escape(self.site.catalog.workload_name(id_))
        if kind == "hardware" and id_ in self.site.catalog.hardware:
            return escape(self.site.catalog.hardware[id_].name)
        if kind == "price" and (price := self.site.prices.get(id_)):
            terms = self.word("price_kind", price.kind)
            return self.t(
                "price.named", system=self.kept(self.system_name(price.system)), terms=terms
            )
        return self.t(id_) if kind == "text" else escape(reference)

    def chart(self, id_: str, level: int = 3) -> Markup:
        """A chart with its table."""
        drawn = self.site.figures.get(id_)
        if drawn is None:
            known = ", ".join(sorted(self.site.figures)) or "none"
            raise self.error(f"no chart {id_!r}; there are {known}")
        if id_ not in self.charts:
            self.charts.append(id_)
        part = "own page" if self.path == f"c/{id_}/" else "block"
        return drawn.html(part, self.locale, self.root, level)

    def calculator(self, data: Asset) -> str:
        """Scripts of the calculator, with `data`; empty on a site without charts, whose runtime
        they need.
        """
        if not len(self.site.figures):
            return ""
        own = versioned(f"{self.root}{data.path}", data.content)
        return charts.calculator(self.root, self.site.client, own)

    def context(self) -> dict[str, object]:
        """Names that templates and prose may call."""
        return {
            "t": self.t, "fig": self.fig, "url": self.url, "asset": self.asset, "w": self,
            "site": self.site, "locale": self.locale,
            "word": self.word, "given": self.given, "badge": self.badge, "chart": self.chart,
            "rule": self.rule,
        }  # fmt: skip

    def render(self, template: str, **values: object) -> Markup:
        """A template of `templates/`, filled."""
        try:
            return templates.fill(template, self.context() | values)
        except templates.TemplateError as error:
            raise PageError(f"{error}; page {self.locale.code}/{self.path}") from error

    def sections_of(self, text: prose.Prose) -> list[dict[str, object]]:
        """The sections of a text, each with one part, for templates."""
        return [
            {"id": id_, "title": part.title, "text": self.html(part.parts[0])}
            for id_, part in text.sections.items()
        ]

    def in_edition(self, edition: Edition, path: str) -> str | None:
        """Address of a page in an edition; None where the edition lacks it."""
        own = f"{self.locale.code}/{path}index.html"
        return self.asset(f"{edition.place}{own}") if own in edition.files else None

    def report_links(self, found: Sequence[Report]) -> list[tuple[str, str]]:
        """Addresses and titles of reports."""
        return [
            (self.url(f"reports/{report.id}/"), self.text(report.text).title) for report in found
        ]

    def chart_links(self, found: Sequence[str]) -> list[tuple[str, str]]:
        """Addresses and titles of charts."""
        return [
            (self.url(f"c/{id_}/"), self.site.figures[id_].heading(self.locale)) for id_ in found
        ]

    def source_name(self, id_: str) -> Markup:
        """A source's name in this language: its title if in this language, else our name for the
        source or its report's.
        """
        source = self.site.sources.get(id_)
        if source is None:
            return self.t(f"own_runs.{id_}") if self.locale.has(f"own_runs.{id_}") else escape(id_)
        ours = our_name(source, self.locale, self.site.reports, self.site.content)
        return escape(ours) if ours else self.source_title(source)

    def sections(
        self,
        group: str,
        sections: Mapping[str, Sequence[Markup]],
        title: str = "",
        lead: str = "",
    ) -> Markup:
        """The body of a page with these sections; without a title it already has its heading."""
        shown = self.headed(group, sections)
        return self.render("plain.html", title=title, lead=lead, sections=shown)

    def headed(
        self, group: str, sections: Mapping[str, Sequence[Markup]]
    ) -> list[dict[str, object]]:
        """Sections for templates, without empty ones; a heading is `<group>.heading_<id>`, or the
        word that tables use.
        """
        found: list[dict[str, object]] = []
        for id_, blocks in sections.items():
            if any(blocks):
                key = f"{group}.heading_{id_}"
                title = self.t(key if self.locale.has(key) else f"head.{id_}")
                found.append({"id": id_, "title": title, "blocks": blocks})
        return found

    def prose_page(
        self,
        section: str,
        text: prose.Prose,
        blocks: Mapping[str, Sequence[Markup]],
        description: str | None = None,
    ) -> Page:
        """A page whose headings and words come from a text; `blocks` follow the first part of their
        section.
        """
        if lost := [id_ for id_, found in blocks.items() if found and id_ not in text.sections]:
            raise PageError(
                f"{text.path}: no section {', '.join(lost)}, wanted '## ... {{#{lost[0]}}}'"
            )
        sections = []
        for id_, part in text.sections.items():
            first, *rest = (self.html(self.recorded(piece)) for piece in part.parts)
            sections.append(
                {"id": id_, "title": part.title, "blocks": [first, *blocks.get(id_, ()), *rest]}
            )
        lead = self.html(text.lead)
        body = self.render("plain.html", title=text.title, lead=lead, sections=sections)
        return self.page(section, text.title, description or prose.plain(str(lead)), body)

    def searched(self, what: str) -> tuple[str, ...]:
        """Words that readers may type when they look for a page or a task, besides its name; often
        empty.
        """
        key = f"search.{what}"
        found = self.t(key).split(";") if self.locale.has(key) else ()
        return tuple(str(name).strip() for name in found)

    def page(
        self,
        section: str,
        title: str,
        description: str,
        body: Markup,
        *,
        light: bool = False,
        names: Iterable[str] = (),
        **more: object,
    ) -> Page:
        """The finished page; its table of contents comes from the headings."""
        face, client = self.face or next(iter(self.charts), ""), self.site.client
        return Page(
            path=self.path,
            language=self.locale.code,
            section=section,
            shell="light" if light else "full",
            title=title,
            description=description,
            body=slim(str(body)) if light else str(body),
            toc=headings(str(body)),
            charts=tuple(self.charts),
            head=charts.head(self.root, client) + panel.head(self.root, client)
            if self.charts
            else "",
            image=charts.card(face, self.locale) if face else "",
            image_alt=self.site.figures[face].headline(self.locale) if face else "",
            names=tuple(dict.fromkeys((*names, *self.searched(self.path.rstrip("/"))))),
            **more,  # type: ignore[arg-type]  # the rest of Page's fields, by name
        )


_HEADINGS: Final = re.compile(r'<h([23])\b[^>]*?\bid="([^"]+)"[^>]*>(.*?)</h\1>', re.DOTALL)


def headings(body: str) -> tuple[Heading, ...]:
    """Headings of level 2 and 3 that have an id, in order."""
    found: Sequence[tuple[str, str, str]] = _HEADINGS.findall(body)
    return tuple(
        Heading(int(level), id_, str(Markup(text).striptags()))  # noqa: S704 - read, not written
        for level, id_, text in found
    )
