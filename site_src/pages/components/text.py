"""Texts of templates without figures: words of the language, names, places and links."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache, lru_cache, reduce
from typing import Final

from markupsafe import Markup, escape

from kernels.errors import TouchstoneError
from kernels.reading import where
from kernels.records import Certainty, DatePrecision, Origin, Run, Source, locator_parts
from site_src.figures.columns import UNKNOWN
from site_src.locales import Locale, kept, stopped, unbroken
from site_src.pages.components.site import Site
from site_src.tables.recorded import result
from site_src.templates import html

UNSTATED: Final = ("not_stated", *UNKNOWN)
"""Strings for values that a source does not state; they may differ in gender, and some languages
have one form for all.
"""


class PageError(TouchstoneError):
    """A page that cannot be written; names template or text, page and language."""


class Words:
    """The words of one page in one language.

    Attributes:
        of: Prefix of references that this page shortens to a colon, as in its `data-of`. Pages of
            runs have it, being many and small.
    """

    of: str = ""

    def __init__(self, site: Site, locale: Locale, path: str) -> None:
        self.site = site
        self.locale = locale
        self.path = path

    def error(self, why: object) -> PageError:
        """An error that names the page and the language."""
        return PageError(f"page {self.locale.code}/{self.path}: {why}")

    @property
    def copyable(self) -> bool:
        """True if readers can copy this page's tables as text, as in the details of reports."""
        return self.path.startswith("reports/") and self.path.endswith("/details/")

    @property
    def near(self) -> str:
        """Relative path from this page to its language's home."""
        return "../" * self.path.count("/")

    @property
    def root(self) -> str:
        """Relative path from this page to the site's root."""
        return f"../{self.near}"

    def url(self, path: str = "") -> str:
        """Relative address of a page of this language, such as `method/#clocks`."""
        return f"{self.near}{path}" or "./"

    def link(self, path: str, text: object) -> Markup:
        """A link to a page of this language."""
        return html.link(self.url(path), text)

    def run_link(self, run_id: str, text: object) -> Markup:
        """A link to a run's page."""
        return self.link(self.site.results.page_with(run_id), text)

    def system_link(self, id_: str) -> Markup:
        """A system's name, linked to its page."""
        return self.link(f"systems/{id_}/", self.system_name(id_))

    def workload_link(self, id_: str) -> Markup:
        """A workload's name, linked to its page."""
        return self.link(f"workloads/{id_}/", self.workload_name(id_))

    def source_link(self, source: Source) -> Markup:
        """A source's title, linked to its page."""
        return self.link(f"sources/{source.source}/", self.source_title(source))

    def asset(self, path: str) -> str:
        """Relative address of a file below the site's root."""
        return f"{self.root}{path}"

    def t(self, key: str, /, **values: object) -> Markup:
        """A string with its placeholders filled; figures and links may go in. `n` chooses the
        plural; `shown` replaces it in the text.
        """
        n = values.get("n")
        template = _escaped(
            self.locale.template(key, float(n) if isinstance(n, int | float) else None)
        )
        if "shown" in values:
            values["n"] = values.pop("shown")
        parts = {
            name: value if isinstance(value, Markup) else escape(self.locale.show(value))
            for name, value in values.items()
        }
        try:
            return Markup(stopped(template, parts).format_map(parts))  # noqa: S704 - all parts are escaped; `Markup.format` would look into each again
        except (KeyError, IndexError, ValueError) as error:
            raise PageError(
                f"{self.locale.path}: {key!r} asks for {error}; page {self.path!r} gave "
                f"{sorted(parts) or 'nothing'}"
            ) from None

    def plain(self, key: str, /, **values: object) -> str:
        """A string as plain text, for titles and descriptions."""
        return str(self.t(key, **values).striptags())

    def yes_no(self, value: object) -> Markup:
        """The word for true or false."""
        return self.t("yes" if value else "no")

    def word(self, group: str, value: object) -> Markup:
        """The word for a value of an enumeration, `status.oom`; "not stated" for None."""
        return self.t("not_stated") if value is None else self.t(f"{group}.{value}")

    def name(self, group: str, value: str) -> Markup:
        """The word for a key where there is one, else the key."""
        key = f"{group}.{value}"
        return self.t(key) if self.locale.has(key) else escape(value)

    def printed_text(self, text: str) -> Markup:
        """A text of a printed cell: its word, a month such as 2019-05 in the language's own format,
        or the text as it is.
        """
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}", text):
            return escape(unbroken(self.locale.month(date.fromisoformat(f"{text}-01"))))
        return self.name("cell_text", text)

    def named_or_missing(self, group: str, value: str | None) -> Markup:
        """The same as `name`; "not stated" without a value."""
        return self.name(group, value) if value else self.missing("not_stated")

    def given(self, value: object, unit: str | None = None) -> Markup:
        """A field of a record as text; "not stated" where it is missing, never blank."""
        if value is None or value == "":
            return self.missing("not_stated")
        if isinstance(value, int | float) and not isinstance(value, bool) and unit:
            return escape(
                self.locale.bytes_(int(value))
                if unit == "byte"
                else self.locale.quantity(value, unit)
            )
        return escape(unbroken(self.locale.show(value)))

    def joined(self, kind: str, *parts: str) -> Markup:
        """Joins parts as the language does: `join.comma`, `join.terms`; drops empty ones."""
        found = [escape(part) for part in parts if part]
        if not found:
            return Markup("")
        return reduce(lambda one, other: self.t(f"join.{kind}", first=one, second=other), found)

    def colon(self, what: str | Markup, text: str | Markup) -> Markup:
        """A name and a text, with the language's colon."""
        return self.t("join.colon", what=what, text=text)

    def paren(self, text: str | Markup, note: str | Markup) -> Markup:
        """A text with a note in the language's brackets."""
        return self.t("join.paren", text=text, note=note)

    def foreign(self, text: str | None, language: str | None) -> Markup:
        """A name, marked where its language is not the page's; "not stated" for None.

        Fonts and screen readers need the mark: a Russian title in a Japanese page is not Japanese.
        """
        if not text:
            return self.missing("not_stated")
        if language is None or language == self.locale.code:
            return escape(unbroken(text))
        return html.foreign(language, unbroken(text))

    def kept(self, text: str | Markup) -> Markup:
        """The text; names that contain a number, such as ResNet-50, do not wrap."""
        return Markup(kept(str(escape(text))))  # noqa: S704 - escaped here

    def certain(self, text: str, certainty: Certainty) -> Markup:
        """A fact, marked where it was inferred rather than read."""
        if certainty is not Certainty.RECONSTRUCTED:
            return escape(text)
        return self.paren(text, html.small(self.t(f"certainty.{certainty}")))

    def field(self, name: str, group: str = "field") -> Markup:
        """The name of a field at the head of a row, capitalised where the script has capitals;
        names from a log stay as they are.
        """
        if group != "field" and not self.locale.has(f"{group}.{name}"):
            return html.code(name)
        return capital(self.t(f"{group}.{name}"))

    def fields(
        self, rows: Mapping[str, Markup], group: str = "field"
    ) -> list[tuple[Markup, Markup]]:
        """Names and values of a thing's fields."""
        return [(self.field(name, group), value) for name, value in rows.items()]

    def missing(self, status: str) -> Markup:
        """The word for why a figure is missing."""
        key = status if self.locale.has(status) else f"status.{status}"
        if self.of and status == "not_stated":
            return self.t(key)
        return html.missing(status, self.t(key))

    def quantity(self, value: float | None, unit: str) -> str | None:
        """A quantity in its usual multiple of the unit; None for None."""
        return (
            None
            if value is None
            else self.locale.quantity(*self.locale.scaled(value, unit), digits=3)
        )

    def badge(self, kind: str, value: str) -> Markup:
        """A label: a status, a verdict, an origin or a kind of finding."""
        return html.badge(kind, value, self.t(f"{kind}.{value}"))

    def locator(self, text: str) -> Markup:
        """A place in a source, "table 1, row 2", in this language; names and quoted text stay as
        they are.
        """
        parts = [
            self.t(f"locator.{word}", n=what)
            if self.locale.has(f"locator.{word}")
            else f"{word} {what}"
            for word, what in locator_parts(text)
        ]
        return self.joined("comma", *parts)

    def quantity_name(self, metric: str) -> Markup:
        """The name of a run's figure: `metric.final_accuracy`; as recorded if an import has no word
        for it.
        """
        return self.t(f"metric.{metric}") if self.locale.has(f"metric.{metric}") else escape(metric)

    def system_name(self, id_: str) -> str:
        """A system's name, the same in each language."""
        machine = self.site.machines.get(id_)
        return machine.name if machine else id_

    def workload_name(self, id_: str) -> str:
        """A workload's name; a general word where a log states none."""
        return self.locale.workload(id_, self.site.catalog.workload_name(id_))

    def augmented(self, run: Run) -> Markup:
        """Says if the data were augmented; empty if unknown."""
        if run.augmentation is None:
            return Markup("")
        return self.t("augmented.on" if run.augmentation else "augmented.off")

    def source_title(self, source: Source) -> Markup:
        """A source's title in its language."""
        return self.foreign(source.title, source.language)

    def published(self, source: Source) -> Markup:
        """When a source was published, as precisely as it prints it."""
        if source.published is None or source.published_precision is DatePrecision.DAY:
            return self.given(source.published)
        month = source.published_precision is DatePrecision.MONTH
        return escape(
            unbroken(self.locale.month(source.published)) if month else f"{source.published.year}"
        )

    def source_credit(self, source: Source) -> Markup:
        """Credit for a source's figures; text composed by our log importer is translated."""
        run = next(iter(where(self.site.archive.runs, source=source.source)), None)
        if run and (found := result(run)):
            return self.t("run.credit_round", round=found.round, submitter=found.submitter)
        return self.foreign(source.credit, source.language)

    def run_credit(self, run: Run) -> Markup:
        """Credit for a run: the text of its record, translated where possible."""
        if run.origin is Origin.MEASURED:
            return self.t("run.credit_own")
        if found := result(run):
            return self.t(
                "run.credit_result",
                **found.names(
                    str(self.t("not_stated")), str(self.name("division", found.division))
                ),
            )
        source = self.site.sources.get(run.source)
        return self.foreign(run.credit, source.language if source else None)

    def run_label(self, run: Run, *, system: bool = True) -> Markup:
        """A run by system, framework, data and batch; the page of a run has its system in the
        title.
        """
        parts = [self.system_name(run.system)] if system else []
        parts += [str(self.name("framework", run.framework))] if run.framework else []
        parts += [str(self.word("data", run.data))] if run.data else []
        if run.accelerators is not None and len(self.site.accelerators_used(run.system)) > 1:
            # some runs use a part of the machine
            parts.append(self.locale.quantity(run.accelerators, "chips", 0))
        if run.global_batch_size is not None:
            parts.append(str(self.t("run.batch", batch=run.global_batch_size)))
        return escape(" · ".join(parts))

    def gathered(self, rows: Sequence[tuple[Markup, Markup]]) -> list[tuple[Markup, Markup]]:
        """Merges the rows that are "not stated" into one at the end, so that they do not hide the
        rest.
        """
        silent = {self.t(key) for key in UNSTATED}
        told = [(name, value) for name, value in rows if value.striptags() not in silent]
        unstated = [name for name, value in rows if value.striptags() in silent]
        if len(unstated) < 2:  # noqa: PLR2004 - one row stays a row
            return list(rows)
        return [*told, (capital(self.t("not_stated")), self.joined("comma", *map(small, unstated)))]

    def links(self, found: Sequence[tuple[str, str | Markup]]) -> Markup:
        """A list of links, or "none"."""
        return html.links(found) if found else html.paragraph(self.t("nothing"))


@cache
def _escaped(text: str) -> str:
    """A string as HTML in which `str.format` can fill text quickly; strings have no format specs in
    their braces.
    """
    return str(escape(text))


@lru_cache(maxsize=2**12)  # the same few hundred words head the rows of every page
def capital(text: Markup) -> Markup:
    """The text with its first letter capitalised; mAP and cuDNN stay as they are."""
    return text if _abbreviated(text) else Markup(text[:1].upper()) + text[1:]  # noqa: S704 - as safe as it was


def small(text: Markup) -> Markup:
    """The text with its first letter in lower case, for use inside a sentence; an abbreviation
    stays as it is.
    """
    return text if _abbreviated(text) else Markup(text[:1].lower()) + text[1:]  # noqa: S704 - as safe as it was


def _abbreviated(text: Markup) -> bool:
    return any(letter.isupper() for letter in text.partition(" ")[0][1:])
