"""A report's source: who measured, published and paid, its dates, and who reviewed the draft."""

from datetime import date

from markupsafe import Markup

from kernels.reading import note
from kernels.records import Source, SourceKind
from site_src import links
from site_src.pages.components.writer import AGED_YEARS, Writer
from site_src.templates import html


def byline(writer: Writer, source: Source) -> Markup:
    """A line below a report: the source and, as far as known, who measured, published and paid, and
    when.
    """
    known: dict[str, Markup] = {}
    if source.authors:
        known["measured"] = writer.foreign(source.authors, source.language)
        if source.affiliation:
            known["measured"] = writer.paren(known["measured"], affiliation(writer, source))
    if source.publisher:
        known["published"] = writer.foreign(source.publisher, source.language)
        if source.published:
            day = html.time(source.published, writer.published(source))
            known["published"] = writer.paren(known["published"], day)
    if source.sponsor:
        known["sponsored"] = writer.foreign(source.sponsor, source.language)
    said = (writer.colon(writer.t(f"report.{name}"), value) for name, value in known.items())
    return html.dotted(writer.source_link(source), *said, writer.t("report.retold"))


def affiliation(writer: Writer, source: Source) -> Markup:
    """The authors' institute, in the page's language if it has a name there."""
    key = f"affiliation.{source.source}"
    return (
        writer.t(key)
        if writer.locale.has(key)
        else writer.foreign(source.affiliation, source.language)
    )


def disclaimers(writer: Writer, source: Source) -> list[Markup]:
    """Remarks of authors, publisher or this archive above the first paragraph."""
    return [writer.t(f"disclaimer.{key}") for key in source.disclaimers]


def age_notice(writer: Writer, source: Source) -> Markup | None:
    """Says that the figures are old, by the rule of the method page, or that their age is unknown;
    else None.
    """
    if source.updated is None:
        return writer.t("report.undated")
    if _years(source.updated, writer.site.options.date) < AGED_YEARS:
        return None
    days = {"published": source.published, "modified": source.modified}
    dates = (
        writer.colon(
            writer.t(f"field.{name}"),
            html.time(day, writer.published(source) if name == "published" else writer.given(day)),
        )
        for name, day in days.items()
        if day
    )
    return writer.t("report.aged", dates=writer.joined("terms", *dates))


def _years(since: date, until: date) -> int:
    return until.year - since.year - ((until.month, until.day) < (since.month, since.day))


def metadata(writer: Writer, source: Source) -> dict[str, Markup]:
    """Source, language, authors, both dates, number and version, scope and code, by field; "not
    stated" if missing.
    """
    rows = {
        "source": writer.source_link(source),
        "original": links.away(source.url) if source.url else writer.missing("not_stated"),
        "language": _language(writer, source),
        "authors": writer.foreign(source.authors, source.language),
        "affiliation": affiliation(writer, source),
        "publisher": writer.foreign(source.publisher, source.language),
        "published": _published(writer, source),
        "modified": writer.given(source.modified),
    }
    for name, value in (("number", source.number), ("version_printed", source.version)):
        if value:
            rows[name] = writer.given(value)
    rows["code"] = code(writer, source)
    if source.applies_to:
        names = (writer.foreign(name, source.language) for name in source.applies_to)
        rows["applies_to"] = writer.joined("terms", *names)
    if source.vendors:
        rows["review"] = review_summary(writer, source)
    note("editions")
    versions = [
        html.link(place, writer.t("edition.title", name=edition.name))
        for edition in reversed(writer.site.editions)
        if (place := writer.in_edition(edition, f"reports/{source.source}/"))
    ]
    if versions:
        rows["earlier"] = html.dotted(*versions)
    return rows


def _language(writer: Writer, source: Source) -> Markup:
    language = writer.t(f"language.{source.language}")
    if not source.translated_from:
        return language
    original = writer.t(f"language.{source.translated_from}")
    return writer.t("source.translated", language=language, original=original)


def _published(writer: Writer, source: Source) -> Markup:
    published = writer.published(source)
    if source.published is not None or not source.published_note:
        return published
    note = writer.t(f"source_note.{source.published_note}")
    # a source that is published repeatedly says so and lacks no date; an article without one does
    again = source.kind in {SourceKind.LOGS, SourceKind.CATALOGUE}
    return note if again else writer.colon(published, note)


def code(writer: Writer, source: Source) -> Markup:
    """The address of the source's code, or that it gives none."""
    if source.code is None:
        return writer.missing("not_stated")
    return writer.t("source.no_code") if source.code == "none" else links.away(source.code)


def review_summary(writer: Writer, source: Source) -> Markup:
    """Says which vendors reviewed the draft: all, none ("not reviewed"), or some by name."""
    seen = {
        review.party
        for review in writer.site.reviews.get(source.source, ())
        if review.role == "vendor"
    }
    if source.vendors and seen.issuperset(source.vendors):
        return writer.t("review.all_asked")
    asked = [vendor for vendor in source.vendors if vendor in seen]
    if not asked:
        return writer.t("review.not_reviewed")
    others = [vendor for vendor in source.vendors if vendor not in seen]
    return writer.t(
        "review.some_asked", names=writer.locale.join(asked), others=writer.locale.join(others)
    )
