"""Pages that compare two accelerators or systems: which is faster, by how much, on which workload,
according to whose results.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from markupsafe import Markup

from kernels.analysis import sourced
from kernels.analysis.compare import Answer
from kernels.analysis.pairs import (
    BETWEEN,
    Basis,
    Match,
    Ratio,
    Submission,
    accelerator,
    leading,
    named,
    system,
)
from kernels.analysis.sourced import HARNESS, Beside, Figure
from kernels.records import Price
from site_src import templates
from site_src.charts import cards
from site_src.charts.cards import Bar, Card
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages.components import scores
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer, capital
from site_src.reports.prose import unmarked
from site_src.tables import compare as told
from site_src.templates import html

FOLDER: Final = "compare/"
CARD: Final = "card.png"
"""File name, in the folder of the pair's page."""

TWICE: Final = 2.0
"""A ratio that always fits the axis of a card without intervals: 1.02 is a short bar."""

FEW: Final = 2
"""Ratios from which on their range is stated."""

BESIDE: Final = 12
"""Links to other comparisons that are visible at once."""


@dataclass(frozen=True, slots=True)
class Two:
    """Two accelerators or systems that a page compares.

    Attributes:
        name: Of the pair.
        fast: The numerator of ratios: the faster one, by the leading match.
        base: The denominator.
        matches: Comparisons in all workloads that both trained.
        lead: The match that represents the pair.
        wholes: True for systems, which are compared whatever their number of accelerators.
        swapped: True if the faster one is the second in the name.
    """

    name: str
    fast: str
    base: str
    matches: Sequence[Match]
    lead: Match
    wholes: bool
    swapped: bool

    @classmethod
    def of(cls, site: Site, name: str) -> "Two":
        """The accelerators or systems of the pair of that name."""
        wholes = name in site.versus_systems
        found = site.versus_systems[name] if wholes else site.versus[name]
        lead = leading(found)
        slower = lead.told is not None and (lead.told.ratio or 1.0) < 1
        whose = system if wholes else accelerator
        one, other = whose(lead.a), whose(lead.b)
        fast, base = (other, one) if slower else (one, other)
        return cls(name, fast, base, found, lead, wholes, slower)

    def results(self, match: Match) -> tuple[Submission, Submission]:
        """The results of a match: of the faster one, and of the other."""
        return (match.b, match.a) if self.swapped else (match.a, match.b)

    def ref(self, match: Match, what: str) -> str:
        """The reference to a figure of a match."""
        return told.reference(self.fast, self.base, match.workload, what)

    @property
    def ratios(self) -> list[Match]:
        """Separable matches on the same basis as the leading one, lowest ratio first."""
        found = [one for one in self.matches if one.basis is self.lead.basis and one.separable]
        return sorted(found, key=lambda one: self.ratio(one).value)

    @property
    def ends(self) -> list[float]:
        """Ends of the intervals of all ratios."""
        found = [self.ratio(one) for one in self.matches if one.told]
        return [end for one in found for end in (one.low, one.high)]

    def ratio(self, match: Match) -> Ratio:
        """The speed of the faster one as a multiple of the other's."""
        return Ratio.of(*self.results(match))


def short(site: Site, hardware: str) -> str:
    """An accelerator's name without its maker."""
    known = site.catalog.hardware.get(hardware)
    if known is None:
        return hardware
    return unbroken(known.name.removeprefix(f"{known.vendor} "))


def called(site: Site, id_: str) -> str:
    """The name of an accelerator or a system in comparisons."""
    return short(site, id_) if id_ in site.catalog.hardware else site.machines[id_].name


def pair_page(writer: Writer, name: str) -> Page:
    """The page of two accelerators or systems in one language."""
    two = Two.of(writer.site, name)
    writer.of = f"pair:{two.fast}{BETWEEN}{two.base}:"
    prices = writer.site.same_day(*(one.accelerator for one in two.results(two.lead)))
    return _page(
        writer,
        (two.fast, two.base),
        sentence(writer, two, prices),
        prices,
        lead=[
            *_lead(writer, two),
            *([_cost(writer, two, prices)] if two.lead.told else []),
        ],
        chips=list(_chips(writer, two)),
        rows=[_row(writer, two, match) for match in two.matches],
        specifications=list(_specifications(writer, two)),
        note=scores.note(writer),
        **_of_sources(writer, writer.site.of_sources(two.fast, two.base)),
    )


def sourced_page(writer: Writer, name: str) -> Page:
    """The page of two that a single source compares."""
    site, (fast, base) = writer.site, name.split(BETWEEN)
    lead = sourced.leading(site.of_sources(fast, base))
    if lead and (lead.ratio or 1.0) < 1:
        fast, base = base, fast
    found = site.of_sources(fast, base)
    ratios = [TWICE, *(one.ratio for one in found if one.ratio)]
    names = [called(site, id_) for id_ in (fast, base)]
    title = writer.t("versus.many", names=writer.locale.join(names))
    if lead := sourced.leading(found):
        title = writer.t(
            "versus.whole.faster",
            fast=names[0],
            base=names[1],
            workload=writer.workload_name(lead.workload),
            ratio=_of_source(writer, lead)["ratio"],
            when=writer.t("versus.by_one"),
        )
    known = site.machines
    kinds = [(known[id_].hardware or "") if id_ in known else id_ for id_ in (fast, base)]
    return _page(
        writer,
        (fast, base),
        writer.kept(title),
        site.same_day(*kinds) if all(kinds) else None,
        lead=[writer.t("versus.nothing", **dict(zip("ab", names, strict=True)))],
        specifications=list(_beside(writer, *kinds)),
        **_of_sources(writer, found, ratios),
    )


def _page(
    writer: Writer,
    both: tuple[str, str],
    title: Markup,
    prices: tuple[Price, Price] | None,
    **parts: Any,
) -> Page:
    """The page of two, the faster one first; `parts` are values of its template."""
    site = writer.site
    names = [called(site, id_) for id_ in both]
    ways = [*(_way(writer, id_) for id_ in both), (writer.url(FOLDER), writer.t("versus.others"))]
    body = writer.render(
        "versus.html",
        title=title,
        of=writer.of,
        names=dict(zip(("fast", "base"), names, strict=True)),
        hours=_hours(writer, *prices) if prices else None,
        card="" if site.options.draft else CARD,
        ways=ways,
        **{"rows": (), "chips": (), "note": "", **parts},
    )
    known = site.catalog.hardware
    wholes = both[0] not in known
    whole = names if wholes else [unbroken(known[id_].name) for id_ in both]
    text = str(title.striptags())
    description = text
    if parts.get("rows"):  # else there are no times, and often no prices
        description = writer.plain("versus.description", **dict(zip("ab", whole, strict=True)))
    # search finds pairs of accelerators by their names: a thousand titles repeat the same few
    page = writer.page("compare", text, description, body, light=True, in_search=wholes)
    page = replace(page, head=head(writer))
    if site.options.draft:
        return page
    path = f"{writer.locale.code}/{writer.path}{CARD}"
    bars = tuple(_bars(writer, parts.get("rows") or parts["sources"]))
    card = Card(path, unmarked(title), bars, writer.locale.say("ui.site_name"))
    return replace(page, beside=(card,), image=path, image_alt=description)


def head(writer: Writer) -> str:
    """The `<head>` of pages of pairs: scripts to share them and to show them in a frame. Empty on a
    site without charts.
    """
    client = writer.site.client
    return str(templates.charts.compare_head(writer.root, client)) if client else ""


def _bars(writer: Writer, rows: Sequence[Mapping[str, Any]]) -> Iterator[Bar]:
    """Bars of the card."""
    for row in rows:
        if row["bar"]:
            times = writer.t("figure.times", n=row["ratio"])
            words = filter(None, (row["workload"], times, row["why"]))
            yield Bar(" · ".join(map(unmarked, words)), **row["bar"], firm=not row["why"])


def _way(writer: Writer, id_: str) -> tuple[str, str]:
    folder = "accelerators" if id_ in writer.site.catalog.hardware else "systems"
    return writer.url(f"{folder}/{id_}/"), called(writer.site, id_)


def sentence(writer: Writer, two: Two, prices: tuple[Price, Price] | None = None) -> Markup:
    """The page's main sentence: which is faster, by how much, on what, in which round."""
    lead = two.lead
    fast, base = two.results(lead)
    values: dict[str, object] = {
        "fast": called(writer.site, two.fast),
        "base": called(writer.site, two.base),
        "workload": writer.workload_name(lead.workload),
        "when": _when(writer, fast, base),
    }
    if lead.told is None:
        if lead.basis is Basis.NEAREST:
            values |= {
                "fast_time": _minutes(writer, two, lead, "fast"),
                "base_time": _minutes(writer, two, lead, "base"),
                "fast_number": writer.fig(two.ref(lead, "fast_number"), link=False),
                "base_number": writer.fig(two.ref(lead, "base_number"), link=False),
            }
        return writer.kept(writer.t(f"versus.{lead.basis}", **values))
    if not two.wholes:
        values["number"] = writer.fig(two.ref(lead, "number"))
    key = "faster" if prices is None else "faster_cost"
    if lead.told.answer is Answer.NOT_SEPARABLE:
        key = "unclear"
    elif lead.told.answer is Answer.SAME:
        key = "same"
    else:
        values["ratio"] = _ratio(writer, two, lead)
    if key == "faster_cost" and prices is not None:
        one, other = _costs(two, prices)
        values["share"] = writer.fig(f"share_percent({one}, {other})", 0)
    group = "versus.whole" if two.wholes else "versus"
    return writer.kept(writer.t(f"{group}.{key}", **values))


def _when(writer: Writer, fast: Submission, base: Submission) -> Markup:
    if fast.score.round != base.score.round:
        return writer.t("versus.when_two", one=fast.score.round or "", other=base.score.round or "")
    if fast.year is None:
        return writer.t("versus.round", round=fast.score.round or "")
    return writer.t("versus.when", round=fast.score.round or "", year=str(fast.year))


def _minutes(writer: Writer, two: Two, match: Match, which: str) -> Markup:
    ref = two.ref(match, which)
    value = writer.fact(ref).value or 0.0
    return writer.fig(ref, _decimals(value), unit=True)


def _decimals(value: float) -> int:
    """Decimals of a time in minutes, for three digits."""
    return 0 if value >= 100 else 1 if value >= 10 else 2  # noqa: PLR2004 - as the docstring says


def _costs(two: Two, prices: tuple[Price, Price]) -> tuple[str, str]:
    one, other = (
        told.cost(two.ref(two.lead, which), two.ref(two.lead, f"{which}_number"), price)
        for which, price in zip(("fast", "base"), prices, strict=True)
    )
    return one, other


def _ratio(writer: Writer, two: Two, match: Match) -> Markup:
    return writer.fig(two.ref(match, "ratio"), _places(two.ratio(match).value))


def _places(ratio: float) -> int:
    """Decimals of a ratio: two near 1, so that 1.04 is not 1.0."""
    return 1 if ratio >= 2 else 2  # noqa: PLR2004 - two digits suffice above


def _lead(writer: Writer, two: Two) -> Iterator[Markup]:
    ratios = two.ratios
    if len(ratios) >= FEW:
        least, most = ratios[0], ratios[-1]
        yield writer.t(
            "versus.range",
            n=len(ratios),
            low=_ratio(writer, two, least),
            low_workload=writer.workload_name(least.workload),
            high=_ratio(writer, two, most),
            high_workload=writer.workload_name(most.workload),
            fast=called(writer.site, two.fast),
            base=called(writer.site, two.base),
        )
    fast, base = two.results(two.lead)
    if two.lead.told and fast.number != base.number:
        yield writer.t(
            "versus.sizes",
            fast=writer.fig(two.ref(two.lead, "fast_number"), link=False),
            base=writer.fig(two.ref(two.lead, "base_number"), link=False),
        )
    if two.lead.told and fast.round != base.round:
        yield writer.t("versus.rounds_differ")
    if two.lead.basis is Basis.NEAREST and not two.lead.told:
        yield writer.t("versus.no_number")
    if two.lead.basis is Basis.TARGET:
        yield writer.t("versus.no_target")


def _cost(writer: Writer, two: Two, prices: tuple[Price, Price] | None) -> Markup:
    if prices is None:
        return writer.t("versus.no_cost")
    one, other = _costs(two, prices)
    return writer.t(
        "versus.cost",
        providers=writer.locale.join(list(dict.fromkeys(price.provider for price in prices))),
        day=prices[0].valid_from,
        fast=called(writer.site, two.fast),
        base=called(writer.site, two.base),
        workload=writer.workload_name(two.lead.workload),
        fast_cost=writer.fig(one),
        base_cost=writer.fig(other),
    )


def _chips(writer: Writer, two: Two) -> Iterator[tuple[bool, Markup]]:
    fast, base = two.results(two.lead)
    equal = two.lead.basis is not Basis.TARGET
    yield equal, writer.t("versus.chip.target" if equal else "versus.chip.targets")
    if fast.number == base.number:
        yield (
            True,
            writer.t("versus.chip.number", number=writer.locale.quantity(fast.number, "chips", 0)),
        )
    else:
        yield False, writer.t("versus.chip.numbers", one=fast.number, other=base.number)
    for name, one, other in (
        ("round", fast.score.round, base.score.round),
        ("submitter", fast.score.submitter, base.score.submitter),
        ("framework", *_frameworks(writer, fast, base)),
    ):
        if one and other:
            key = f"versus.chip.{name}" if one == other else f"versus.chip.{name}s"
            yield one == other, writer.t(key, one=one, other=other)


def _row(writer: Writer, two: Two, match: Match) -> dict[str, object]:
    fast, base = two.results(match)
    row: dict[str, object] = {
        "workload": writer.workload_link(match.workload),
        "note": _conditions(writer, fast, base),
        "fast": _result(writer, fast, _minutes(writer, two, match, "fast")),
        "base": _result(writer, base, _minutes(writer, two, match, "base")),
        "bar": None,
    }
    if match.told is None:
        return row | {"why": writer.t(f"versus.why.{match.basis}")}
    ref, places = two.ref(match, "ratio"), _places(two.ratio(match).value)
    why = "" if match.separable else writer.t("answer.not_separable")
    row |= {
        "ratio": writer.fig(ref, places),
        "said": Markup(" · ").join(filter(None, (writer.ends(ref, places), why))),
        "why": why,
        "bar": _bar(two.ratio(match), two.ends),
    }
    return row


def _result(writer: Writer, submission: Submission, text: Markup) -> Markup:
    return writer.link(f"results/{writer.site.results.id_with(submission.run)}/", text)


def _bar(found: Ratio, every: Iterable[float]) -> dict[str, int]:
    """Start and end of a bar from 1 to its ratio, and its interval, on the logarithmic axis that
    all bars of the page share; `every` are the ends of all.
    """
    ends = {"one": 1.0, "end": found.value, "low": found.low, "high": found.high}
    places = [math.log(value) for value in (*ends.values(), *every)]
    left, right = min(places), max(places)
    return {
        name: round(cards.WIDTH * (math.log(value) - left) / ((right - left) or 1.0))
        for name, value in ends.items()
    }


def _conditions(writer: Writer, fast: Submission, base: Submission) -> Markup:
    round_ = fast.score.round or ""
    if fast.score.round != base.score.round:
        round_ = writer.t("versus.against", one=round_, other=base.score.round or "")
    return writer.joined(
        "comma",
        writer.t("versus.round", round=round_),
        _numbers(writer, fast.number, base.number),
        _codes(writer, fast, base),
    )


def _codes(writer: Writer, fast: Submission, base: Submission) -> Markup:
    """Whose code it is where it differs: the frameworks, or the submitters where one is unknown."""
    one, other = _frameworks(writer, fast, base)
    if one and other:
        return writer.t("versus.against", one=one, other=other) if one != other else Markup("")
    one, other = fast.score.submitter or "", base.score.submitter or ""
    if one and other and one != other:
        return writer.t("versus.chip.submitters", one=one, other=other)
    return Markup("")


def _frameworks(writer: Writer, *both: Submission) -> list[str]:
    """Their names; empty where unknown."""
    return [str(writer.name("framework", one.framework)) if one.framework else "" for one in both]


def _numbers(writer: Writer, one: int | None, other: int | None) -> str:
    """The number of accelerators of both, or one against the other; empty if one is unknown."""
    if not one or not other:
        return ""
    shown = writer.locale.quantity(other, "chips", 0)
    return shown if one == other else str(writer.t("versus.against", one=one, other=shown))


def _of_sources(
    writer: Writer, found: Sequence[Beside], ratios: Sequence[float] = ()
) -> dict[str, object]:
    """Comparisons by single sources; a source without a common figure is only named."""
    shown = [one for one in found if one.a.value is not None or one.b.value is not None]
    named_ = dict.fromkeys(one.source for one in found if one not in shown)
    places = [writer.link(*source(writer, id_)) for id_ in named_]
    return {
        "sources": [_of_source(writer, one, ratios) for one in shown],
        "seen": writer.t("versus.seen", names=Markup(writer.locale.join(places)))  # noqa: S704 - of links
        if places
        else "",
    }


def _of_source(writer: Writer, found: Beside, ratios: Sequence[float] = ()) -> dict[str, object]:
    """A source's comparison of both in a workload, without a score; with the ratios of all rows, a
    bar for the card.
    """
    one, other = found.a, found.b
    kind = "alike" if found.source == HARNESS else "run"  # the median of repeats
    refs = [f"{kind}:{each.run}:{each.key}" for each in (one, other)]
    what = writer.quantity_name(one.metric) if one.metric == other.metric else Markup("")
    numbers = _numbers(writer, one.number, other.number)
    path, name = source(writer, found.source)
    row: dict[str, object] = {
        "workload": writer.workload_link(found.workload),
        "note": writer.joined("comma", writer.link(path, name), what, numbers),
        "fast": _result_of(writer, one, refs[0]),
        "base": _result_of(writer, other, refs[1]),
        "ratio": None,
        "bar": None,
        "why": "",
    }
    if found.ratio is None:
        return row
    ref = "ratio({}, {})".format(*(refs if one.is_rate else reversed(refs)))
    bar = _bar(Ratio(found.ratio, found.ratio, found.ratio), ratios) if ratios else None
    return row | {"ratio": writer.fig(ref, _places(found.ratio)), "bar": bar}


def source(writer: Writer, id_: str) -> tuple[str, Markup]:
    """A source's page and name: the report on an article, the method for this harness."""
    if id_ == HARNESS:
        return "method/", writer.t("own_runs.measured")
    folder = "reports" if id_ in writer.site.reports else "sources"
    return f"{folder}/{id_}/", writer.source_name(id_)


def _result_of(writer: Writer, one: Figure, ref: str) -> Markup:
    """A figure linked to the page of its result."""
    if one.value is None:
        text = writer.t("join.nothing")
    elif one.is_rate:
        text = writer.fig(ref, 0 if one.value >= 100 else 2, unit=True, link=False)  # noqa: PLR2004 - three digits
    else:
        text = writer.fig(f"in_minutes({ref})", _decimals(one.value / 60), unit=True, link=False)
    return writer.link(f"results/{writer.site.results.id_with(one.run)}/", text)


def _specifications(writer: Writer, two: Two) -> Iterator[dict[str, object]]:
    lead = two.lead
    workload = writer.workload_name(lead.workload)
    if lead.told and not two.wholes:  # the following is per accelerator
        yield {
            "name": writer.t("versus.measured", workload=workload),
            "fast": _minutes(writer, two, lead, "fast"),
            "base": _minutes(writer, two, lead, "base"),
            "ratio": _ratio(writer, two, lead),
        }
    fast, base = two.results(lead)
    if lead.basis is not Basis.TARGET and fast.score.energy_j and base.score.energy_j:
        label = writer.t("versus.energy", workload=workload)
        yield _specified(writer, label, *(two.ref(lead, f"{w}_energy") for w in ("fast", "base")))
    yield from _beside(writer, fast.accelerator, base.accelerator)


def _beside(writer: Writer, one: str, other: str) -> Iterator[dict[str, object]]:
    """The specifications of two accelerators; empty for systems."""
    if one == other:
        return
    for name in told.specifications(writer.site.catalog, one, other):
        refs = (f"spec:{id_}:{name}" for id_ in (one, other))
        yield _specified(writer, capital(writer.t(f"spec.{name}")), *refs)


def _specified(writer: Writer, name: Markup | str, one: str, other: str) -> dict[str, object]:
    ref = f"ratio({one}, {other})"
    return {
        "name": name,
        "fast": writer.fig(one, unit=True, link=False),
        "base": writer.fig(other, unit=True, link=False),
        "ratio": writer.fig(ref, _places(writer.fact(ref).value or 0.0)),
    }


def _hours(writer: Writer, fast: Price, base: Price) -> dict[str, object]:
    refs = [f"price:{price.price_id}:per_accelerator_hour" for price in (fast, base)]
    ref = f"ratio({refs[0]}, {refs[1]})"
    providers = dict.fromkeys((fast.provider, base.provider))
    return {
        "fast": writer.fig(refs[0], 2, unit=True),
        "base": writer.fig(refs[1], 2, unit=True),
        "ratio": writer.fig(ref, _places(writer.fact(ref).value or 0.0)),
        "note": writer.joined("comma", writer.given(fast.valid_from), *providers),
    }


def of(writer: Writer, id_: str) -> list[Markup]:
    """Comparisons of an accelerator or a system with others, and a link to choose any other."""
    found = beside(writer, id_)
    first, more = (html.links(each, "ts-vs__ways") for each in (found[:BESIDE], found[BESIDE:]))
    said = writer.t("versus.more", n=len(found) - BESIDE)
    return [
        *([first] if found else []),
        *([html.details(said, more)] if len(found) > BESIDE else []),
        html.paragraph(way(writer, id_)),
    ]


def way(writer: Writer, id_: str, other: str = "") -> Markup:
    """A link from an accelerator, a system or a result to its comparison with another."""
    second = f"&b={other}" if other else ""
    key = "versus.with_first" if other else "versus.way"
    return html.link(f"{writer.url(FOLDER)}?a={id_}{second}", writer.t(key))


def beside(writer: Writer, id_: str, most: int | None = None) -> list[tuple[str, str]]:
    """Addresses and names of the accelerators or systems compared with this one, the most
    comparable first.
    """
    return [
        (writer.url(f"{FOLDER}{named(id_, other)}/"), called(writer.site, other))
        for other in writer.site.versus_with(id_)[:most]
    ]
