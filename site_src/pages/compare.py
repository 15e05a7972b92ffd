"""The pages of two accelerators: which is how much faster, on what, by whose results; and the page
on which two are chosen.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from markupsafe import Markup

from kernels.analysis.compare import Answer
from kernels.analysis.pairs import BETWEEN, Basis, Match, Ratio, Side, leading, named
from kernels.records import Price
from site_src.locales import unbroken
from site_src.minify import lean
from site_src.model import Asset, Page
from site_src.pages.components import scores
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer, capital
from site_src.tables import compare as told
from site_src.templates import html

FOLDER: Final = "compare/"
SCRIPT: Final = Path(__file__).parents[1] / "assets" / "compare.js"

FEW: Final = 2
"""Ratios from which their range is told."""

LISTED: Final = 24
"""Pairs that the page of the choice lists."""

BESIDE: Final = 12
"""Accelerators that the page of one leads to at once."""

WIDTH: Final = 200
"""Of a bar, in its own units."""


@dataclass(frozen=True, slots=True)
class Two:
    """Two accelerators on their page.

    Attributes:
        name: Of the pair.
        fast: The one that is set in relation: the faster, by the result that speaks for the pair.
        base: The one that is 1.
        matches: All that both trained.
        lead: The match that speaks for them.
    """

    name: str
    fast: str
    base: str
    matches: Sequence[Match]
    lead: Match

    @classmethod
    def of(cls, site: Site, name: str) -> "Two":
        """The two of a pair."""
        found = site.versus[name]
        lead = leading(found)
        slower = lead.told is not None and (lead.told.ratio or 1.0) < 1
        one, other = lead.a.accelerator, lead.b.accelerator
        fast, base = (other, one) if slower else (one, other)
        return cls(name, fast, base, found, lead)

    def sides(self, match: Match) -> tuple[Side, Side]:
        """The results of a match: of the faster accelerator, and of the other."""
        a, b = match.a, match.b
        return (a, b) if a.accelerator == self.fast else (b, a)

    @property
    def ratios(self) -> list[Match]:
        """What compares as well as the result of the title and can be told apart, the least
        first.
        """
        found = [one for one in self.matches if one.basis is self.lead.basis and one.separable]
        return sorted(found, key=lambda one: self.ratio(one).value)

    def ratio(self, match: Match) -> Ratio:
        """How many times as fast the faster one is."""
        return Ratio.of(*self.sides(match))


def short(site: Site, hardware: str) -> str:
    """An accelerator's name without its maker's."""
    known = site.catalog.hardware.get(hardware)
    if known is None:
        return hardware
    return unbroken(known.name.removeprefix(f"{known.vendor} "))


def pair_page(writer: Writer, name: str) -> Page:
    """The page of two accelerators in one language."""
    two = Two.of(writer.site, name)
    writer.of = f"pair:{two.fast}{BETWEEN}{two.base}:"
    prices = writer.site.same_day(two.fast, two.base)
    title = sentence(writer, two, prices)
    names = {"fast": short(writer.site, two.fast), "base": short(writer.site, two.base)}
    body = writer.render(
        "versus.html",
        title=title,
        of=writer.of,
        lead=[
            *_lead(writer, two),
            *([_cost(writer, two, prices)] if prices and two.lead.told else []),
        ],
        chips=list(_chips(writer, two)),
        names=names,
        rows=[_row(writer, two, match) for match in two.matches],
        drawn=any(match.told for match in two.matches),
        specifications=list(_specifications(writer, two)),
        hours=_hours(writer, *prices) if prices else None,
        note=scores.note(writer),
        ways=[
            *(
                (writer.url(f"accelerators/{id_}/"), short(writer.site, id_))
                for id_ in (two.fast, two.base)
            ),
            (writer.url(FOLDER), writer.t("versus.others")),
        ],
    )
    whole = (unbroken(writer.site.catalog.hardware[id_].name) for id_ in (two.fast, two.base))
    description = writer.plain("versus.description", **dict(zip("ab", whole, strict=True)))
    text = str(title.striptags())
    # the search finds what is compared, and the choice of two: a thousand titles name the same few
    return writer.page("compare", text, description, body, light=True, in_search=False)


def sentence(writer: Writer, two: Two, prices: tuple[Price, Price] | None = None) -> Markup:
    """What the page says: which is how much faster, on what, in which round."""
    lead = two.lead
    fast, base = two.sides(lead)
    values: dict[str, object] = {
        "fast": short(writer.site, two.fast),
        "base": short(writer.site, two.base),
        "workload": writer.workload_name(lead.workload),
        "when": _when(writer, fast, base),
    }
    if lead.told is None:
        if lead.basis is Basis.NEAREST:
            values |= {
                "fast_time": _minutes(writer, fast, base, "fast"),
                "base_time": _minutes(writer, fast, base, "base"),
                "fast_number": _number(writer, fast),
                "base_number": _number(writer, base),
            }
        return writer.kept(writer.t(f"versus.{lead.basis}", **values))
    values["number"] = writer.fig(told.reference(fast, base, "number"))
    if lead.told.answer is Answer.NOT_SEPARABLE:
        return writer.kept(writer.t("versus.unclear", **values))
    if lead.told.answer is Answer.SAME:
        return writer.kept(writer.t("versus.same", **values))
    values["ratio"] = _ratio(writer, fast, base)
    if prices is None:
        return writer.kept(writer.t("versus.faster", **values))
    one, other = _costs(two, prices)
    values["share"] = writer.fig(f"share_percent({one}, {other})", 0)
    return writer.kept(writer.t("versus.faster_cost", **values))


def _when(writer: Writer, fast: Side, base: Side) -> Markup:
    """The round of both with its year, or the round of each."""
    if fast.score.round != base.score.round:
        return writer.t("versus.when_two", one=fast.score.round or "", other=base.score.round or "")
    return writer.t("versus.when", round=fast.score.round or "", year=str(fast.year or ""))


def _number(writer: Writer, side: Side) -> Markup:
    return writer.fig(f"run:{side.run}:accelerators", link=False)


def _minutes(writer: Writer, fast: Side, base: Side, which: str) -> Markup:
    """The score of one of two results, with as many decimals as its size asks for."""
    ref = told.reference(fast, base, which)
    value = writer.fact(ref).value or 0.0
    places = 0 if value >= 100 else 1 if value >= 10 else 2  # noqa: PLR2004 - three digits
    return writer.fig(ref, places, unit=True)


def _costs(two: Two, prices: tuple[Price, Price]) -> tuple[str, str]:
    """The references of what the training of the title costs on both."""
    sides = two.sides(two.lead)
    return told.cost(*sides, "fast", prices[0]), told.cost(*sides, "base", prices[1])


def _ratio(writer: Writer, fast: Side, base: Side) -> Markup:
    return writer.fig(told.reference(fast, base, "ratio"), _places(Ratio.of(fast, base).value))


def _places(ratio: float) -> int:
    """Decimals of a ratio: near 1 two, so that 1.04 is not 1.0."""
    return 1 if ratio >= 2 else 2  # noqa: PLR2004 - two digits after that say enough


def _lead(writer: Writer, two: Two) -> Iterator[Markup]:
    """What stands below the title: how far the ratios go, or why there is none."""
    ratios = two.ratios
    if len(ratios) >= FEW:
        least, most = ratios[0], ratios[-1]
        yield writer.t(
            "versus.range",
            n=len(ratios),
            low=_ratio(writer, *two.sides(least)),
            low_workload=writer.workload_name(least.workload),
            high=_ratio(writer, *two.sides(most)),
            high_workload=writer.workload_name(most.workload),
            base=short(writer.site, two.base),
        )
    if two.lead.basis is Basis.NUMBER:
        yield writer.t("versus.rounds_differ")
    if two.lead.basis is Basis.NEAREST:
        yield writer.t("versus.no_number")
    if two.lead.basis is Basis.TARGET:
        yield writer.t("versus.no_target")


def _cost(writer: Writer, two: Two, prices: tuple[Price, Price]) -> Markup:
    """What the training of the title costs on both at prices of one day."""
    one, other = _costs(two, prices)
    return writer.t(
        "versus.cost",
        day=prices[0].valid_from,
        fast=short(writer.site, two.fast),
        base=short(writer.site, two.base),
        workload=writer.workload_name(two.lead.workload),
        fast_cost=writer.fig(one),
        base_cost=writer.fig(other),
    )


def _chips(writer: Writer, two: Two) -> Iterator[tuple[bool, Markup]]:
    """Conditions of the results in the title, and whether they match."""
    fast, base = two.sides(two.lead)
    equal = two.lead.basis is not Basis.TARGET
    yield equal, writer.t("versus.chip.target" if equal else "versus.chip.targets")
    if fast.number == base.number:
        yield (
            True,
            writer.t("versus.chip.number", number=writer.locale.quantity(fast.number, "chips", 0)),
        )
    else:
        yield False, writer.t("versus.chip.numbers", one=fast.number, other=base.number)
    names = [
        str(writer.name("framework", side.framework)) if side.framework else None
        for side in (fast, base)
    ]
    for name, one, other in (
        ("round", fast.score.round, base.score.round),
        ("submitter", fast.score.submitter, base.score.submitter),
        ("framework", *names),
    ):
        if one and other:
            key = f"versus.chip.{name}" if one == other else f"versus.chip.{name}s"
            yield one == other, writer.t(key, one=one, other=other)


def _row(writer: Writer, two: Two, match: Match) -> dict[str, object]:
    """A workload as the template takes it."""
    fast, base = two.sides(match)
    row: dict[str, object] = {
        "workload": writer.workload_link(match.workload),
        "note": _conditions(writer, fast, base),
        "fast": _result(writer, fast, _minutes(writer, fast, base, "fast")),
        "base": _result(writer, base, _minutes(writer, fast, base, "base")),
        "bar": None,
    }
    if match.told is None:
        return row | {"why": writer.t(f"versus.why.{match.basis}")}
    ref, places = told.reference(fast, base, "ratio"), _places(two.ratio(match).value)
    row |= {
        "ratio": writer.fig(ref, places),
        "between": writer.ends(ref, places),
        "why": "" if match.separable else writer.t("answer.not_separable"),
        "bar": _bar(two, match),
    }
    return row


def _result(writer: Writer, side: Side, text: Markup) -> Markup:
    """A time that leads to the page of its result."""
    return writer.link(f"results/{writer.site.results.id_with(side.run)}/", text)


def _bar(two: Two, match: Match) -> dict[str, int]:
    """Where a bar begins and ends, at 1 and at its ratio, and its interval, on the logarithmic axis
    that all bars of the page share.
    """
    every = [two.ratio(one) for one in two.matches if one.told]
    left = math.log(min(1.0, *(one.low for one in every)))
    right = math.log(max(1.0, *(one.high for one in every)))
    found = two.ratio(match)
    ends = {"one": 1.0, "end": found.value, "low": found.low, "high": found.high}
    return {
        name: round(WIDTH * (math.log(value) - left) / ((right - left) or 1.0))
        for name, value in ends.items()
    }


def _conditions(writer: Writer, fast: Side, base: Side) -> Markup:
    """Round and number of accelerators of both, once where they are the same."""
    number = writer.locale.quantity(fast.number, "chips", 0)
    if fast.number != base.number:
        number = writer.t(
            "versus.against", one=fast.number, other=writer.locale.quantity(base.number, "chips", 0)
        )
    round_ = fast.score.round or ""
    if fast.score.round != base.score.round:
        round_ = writer.t("versus.against", one=round_, other=base.score.round or "")
    return writer.joined("comma", writer.t("versus.round", round=round_), str(number))


def _specifications(writer: Writer, two: Two) -> Iterator[dict[str, object]]:
    """The ratio of the title, and those of what is specified."""
    fast, base = two.sides(two.lead)
    if two.lead.told:
        yield {
            "name": writer.t("versus.measured", workload=writer.workload_name(two.lead.workload)),
            "fast": _minutes(writer, fast, base, "fast"),
            "base": _minutes(writer, fast, base, "base"),
            "ratio": _ratio(writer, fast, base),
        }
    for name in told.specifications(writer.site.catalog, two.fast, two.base):
        one, other = f"spec:{two.fast}:{name}", f"spec:{two.base}:{name}"
        ref = f"ratio({one}, {other})"
        yield {
            "name": capital(writer.t(f"spec.{name}")),
            "fast": writer.fig(one, unit=True, link=False),
            "base": writer.fig(other, unit=True, link=False),
            "ratio": writer.fig(ref, _places(writer.fact(ref).value or 0.0)),
        }


def _hours(writer: Writer, fast: Price, base: Price) -> dict[str, object]:
    """The prices that costs are of, and their ratio."""
    refs = [f"price:{price.price_id}:per_accelerator_hour" for price in (fast, base)]
    ref = f"ratio({refs[0]}, {refs[1]})"
    providers = dict.fromkeys((fast.provider, base.provider))
    return {
        "fast": writer.fig(refs[0], 2, unit=True),
        "base": writer.fig(refs[1], 2, unit=True),
        "ratio": writer.fig(ref, _places(writer.fact(ref).value or 0.0)),
        "note": writer.joined("comma", writer.given(fast.valid_from), *providers),
    }


def compare_page(writer: Writer) -> Page:
    """The page on which two are chosen: with JavaScript it leads on, without it its lists do."""
    site = writer.site
    most = list(site.versus)[:LISTED]
    script = _script(writer)
    body = writer.render(
        "compare.html",
        title=writer.t("versus.title"),
        lead=writer.t("versus.lead"),
        choice=choice(writer),
        most=[
            (writer.url(f"{FOLDER}{name}/"), sentence(writer, Two.of(site, name))) for name in most
        ],
        every=[
            (writer.url(f"accelerators/{id_}/#compare"), short(site, id_)) for id_ in chosen(site)
        ],
    )
    page = writer.page(
        "compare", writer.plain("versus.title"), writer.plain("versus.picker_description"), body
    )
    version = hashlib.sha256(script.content).hexdigest()[:10]
    return replace(page, head=str(html.script(f"picker.js?{version}")), beside=(script,))


def chosen(site: Site) -> list[str]:
    """The accelerators that have a page beside another, by name."""
    found = {id_ for name in site.versus for id_ in name.split(BETWEEN)}
    return sorted(found, key=lambda id_: (short(site, id_).casefold(), id_))


def choice(writer: Writer) -> Markup:
    """The form in which two are named."""
    names = [short(writer.site, id_) for id_ in writer.site.catalog.hardware]
    return writer.render("blocks/choice.html", names=sorted(names, key=str.casefold))


def beside(writer: Writer, hardware: str, most: int | None = None) -> list[tuple[str, str]]:
    """Address and name of the accelerators that have a page beside this one, those that compare
    best first.
    """
    return [
        (writer.url(f"{FOLDER}{named(hardware, other)}/"), short(writer.site, other))
        for other in writer.site.versus_with(hardware)[:most]
    ]


def _script(writer: Writer) -> Asset:
    """What finds the page of two that are named: all names, and which of them share a workload."""
    site = writer.site
    trained: dict[str, set[str]] = {}
    for name, matches in site.versus.items():
        for id_ in name.split(BETWEEN):
            trained.setdefault(id_, set()).update(match.workload for match in matches)
    data = {
        "names": {
            id_: [short(site, id_), unbroken(one.name), *one.aliases]
            for id_, one in site.catalog.hardware.items()
        },
        "pages": {id_: site.versus_with(id_) for id_ in trained},
        "trained": {
            id_: writer.locale.join(sorted(map(writer.workload_name, found)))
            for id_, found in trained.items()
        },
        "words": {
            key: writer.locale.template(f"versus.{key}", None)
            for key in ("unknown", "alike", "nothing", "trained", "trained_none")
        },
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    code = lean(SCRIPT.name, SCRIPT.read_bytes()).decode()
    path = f"{writer.locale.code}/{FOLDER}picker.js"
    return Asset(path, f"window.touchstoneCompare={text};\n{code}".encode())
