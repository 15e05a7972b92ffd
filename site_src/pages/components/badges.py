"""Badges: a report's finding as a small SVG for a README or a post, in each language.

The text is the string `badge.<report>.<finding>`, filled with the finding's figures. Labels beside
it give the kind of finding and, for figures taken from runs, their origin. A text too wide for a
phone has two lines.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from markupsafe import Markup

from kernels.records import Origin
from site_src.figures import fonts
from site_src.figures.text_width import width
from site_src.figures.theme import FONT
from site_src.locales import NBSP, Locale
from site_src.model import Asset
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.reports import Finding, Report
from site_src.reports.prose import unmarked
from site_src.templates import lists

HEIGHT: Final = 20
"""Height of a one-line badge, in px."""

WIDEST: Final = 360
"""Widest badge that fits on a phone, in px."""

_SIZE: Final = 11
_PAD: Final = 7
_STEP: Final = 14

INK: Final = "#ffffff"
PAPER: Final[Mapping[str, str]] = {
    "site": "#3b434d",
    "said": "#0b5394",
    "measured": "#1a6b3c",
    "published": "#57606a",
    "derived": "#5b3f99",
    "quoted": "#57606a",
    "hypothesis": "#8a4b08",
}
"""Background colours: of the site's name, the text, and each kind of finding or origin. They must
suit any page around the badge.
"""

_ASIDE: Final = re.compile(r"[ \u00a0]\([^()]*\)$")
_MAKER: Final = re.compile(
    r"^(?:NVIDIA[ \u00a0](?:GeForce[ \u00a0])?|Google[ \u00a0]|Cloud[ \u00a0]|1[ \u00a0]×[ \u00a0])"
)
_PIECE: Final = re.compile(r"[^ \u2e80-\uffef]+ *| +|[\u2e80-\uffef]")
_RUN: Final = re.compile(r"\brun:([\w.-]+)")
_JAPANESE_END: Final = re.compile(
    r"[、。：；）」][^、。：；）」]|[\u3041-\u3096][^\u3041-\u3096ー、。：；）」]"
)

_DATA: Final = re.compile(
    r'<data value="([^"]*)" data-ref="([^"]*)"(?: data-end="([^"]*)")?>(.*?)</data>'
)


@dataclass(frozen=True, slots=True)
class Badge:
    """A badge in one language.

    Attributes:
        said: Its text, figures as `<data>`.
        parts: Background and text of each part, from the first.
        sentence: The finding in full.
    """

    said: Markup
    parts: tuple[tuple[str, str], ...]
    sentence: str

    @property
    def text(self) -> str:
        """The badge's text without markup."""
        return unmarked(self.said)

    @property
    def lines(self) -> list[str]:
        """The badge's text in one line or two."""
        around = sum(_wide(text) for ground, text in self.parts if ground != "said")
        return [self.said] if around + _wide(self.text) <= WIDEST else halves(self.said)

    @property
    def widths(self) -> list[int]:
        """Widths of the parts, in px."""
        return [
            max(_wide(unmarked(line)) for line in self.lines) if ground == "said" else _wide(text)
            for ground, text in self.parts
        ]

    @property
    def width(self) -> int:
        """Width of the badge, in px."""
        return sum(self.widths)

    @property
    def height(self) -> int:
        """Height of the badge, in px."""
        return HEIGHT + _STEP * (len(self.lines) - 1)


def path(report: Report, finding: Finding, code: str) -> str:
    """The badge's file, below site/."""
    return f"badges/{report.id}/{finding.id}.{code}.svg"


def ids(site: Site) -> list[str]:
    """All badges that have an address, as `<report>/<finding>`."""
    return [
        f"{report.id}/{finding.id}"
        for report in site.reports.values()
        for finding in report.findings
    ]


def badge(writer: Writer, report: Report, finding: Finding) -> Badge:
    """The badge of a finding.

    Raises:
        GlyphError: No font at hand has one of the letters, so its width is unknown.
    """
    said = writer.finding(
        finding, report, group="badge", named=lambda found: briefly(writer, found)
    )
    words = [
        ("site", writer.locale.say("ui.site_name")),
        ("said", unmarked(said)),
        *_origin(writer, finding, said),
    ]
    fonts.check((text for _, text in words), path(report, finding, writer.locale.code))
    return Badge(said, tuple(words), unmarked(writer.finding(finding, report)))


def _origin(writer: Writer, finding: Finding, said: Markup) -> list[tuple[str, str]]:
    if finding.kind != "recorded":
        return [(finding.kind, unmarked(writer.t(f"kind.{finding.kind}")))]
    runs = {id_ for ref in _DATA.findall(said) for id_ in _RUN.findall(ref[1])}
    origins = {writer.site.runs[id_].origin for id_ in runs if id_ in writer.site.runs}
    if len(origins) != 1:
        return []
    [origin] = origins
    ground = "measured" if origin is Origin.MEASURED else "published"
    return [(ground, unmarked(writer.t(f"origin.{origin}")))]


def briefly(writer: Writer, references: Iterable[str]) -> dict[str, Markup]:
    """Short names for `references`; in full where two would be the same."""
    full = {reference: writer.named(reference) for reference in references}
    short = {
        reference: brief(name) if reference.startswith(("system:", "hardware:")) else name
        for reference, name in full.items()
    }
    used = Counter(short.values())
    called = {name: brief if used[brief] == 1 else full[name] for name, brief in short.items()}
    # not split: half of a name is another number
    return {name: text.replace(" ", NBSP) for name, text in called.items()}


def brief(name: str) -> Markup:
    """Drops the machine's owner from a system's name, the maker from an accelerator's, and a count
    of one.
    """
    return Markup(_MAKER.sub("", _ASIDE.sub("", str(name))))  # noqa: S704 - a part of what was escaped


def halves(said: Markup) -> list[str]:
    """Splits the text into two lines of similar width, between words (in Japanese after punctuation
    and particles), never within a figure.
    """
    pieces = [
        piece
        for part in _parts(said)
        for piece in ([part] if _DATA.fullmatch(part) else _PIECE.findall(part))
    ]
    texts = [unmarked(piece) for piece in pieces]
    ends = [
        index
        for index in range(1, len(pieces))
        if texts[index - 1].endswith(" ")
        or _JAPANESE_END.fullmatch(texts[index - 1][-1] + texts[index][0])
    ]
    if not ends:
        return [said]
    end = min(
        ends,
        key=lambda index: max(
            width("".join(texts[:index]), _SIZE), width("".join(texts[index:]), _SIZE)
        ),
    )
    return ["".join(part).strip(" ") for part in (pieces[:end], pieces[end:])]


def _parts(said: str) -> Iterator[str]:
    """Yields figures as `<data>` and the text around them, without other markup."""
    start = 0
    for found in _DATA.finditer(said):
        yield from (
            part for part in (escape(unmarked(said[start : found.start()])), str(found[0])) if part
        )
        start = found.end()
    if said[start:]:
        yield escape(unmarked(said[start:]))


def assets(site: Site, locales: Iterable[Locale]) -> Iterator[Asset]:
    """A badge for each finding in each language."""
    for locale in locales:
        for report in site.reports.values():
            writer = Writer(site, locale, f"reports/{report.id}/")
            for finding in report.findings:
                yield Asset(
                    path(report, finding, locale.code),
                    svg(badge(writer, report, finding), locale).encode(),
                )


def svg(made: Badge, locale: Locale) -> str:
    """The badge as SVG. `data-ref` and `data-value` of each figure name its source."""
    parts = list(zip(made.parts, made.widths, strict=True))
    drawn, x, height = [], 0, made.height
    for (ground, text), wide in parts if locale.direction == "ltr" else parts[::-1]:
        said = ground == "said"
        lines = [(_marked(line), unmarked(line)) for line in made.lines] if said else [(text, text)]
        places = [height / 2 + 4 + _STEP * (y - (len(lines) - 1) / 2) for y in range(len(lines))]
        shown = [
            (f"{x + wide / 2:g}", f"{y:g}", _wide(plain) - 2 * _PAD, words)
            for y, (words, plain) in zip(places, lines, strict=True)
        ]
        drawn.append((PAPER[ground], x, wide, shown))
        x += wide
    return str(lists.badge(made, locale, FONT, _SIZE, INK, drawn))


def _wide(text: str) -> int:
    return round(width(text, _SIZE)) + 2 * _PAD


def _marked(said: str) -> Markup:
    out = Markup("")
    for part in _parts(said):
        found = _DATA.fullmatch(part)
        if found is None:
            out += Markup(part)  # noqa: S704 - escaped there
        else:
            value, ref, end, text = found.groups()
            out += lists.figure(value, ref, end, unmarked(text))
    return out


def markdown(made: Badge, base: str, code: str, report: Report, finding: Finding) -> str:
    """A badge for a README: the picture, linked to the finding."""
    alt = re.sub(r"([\\\[\]])", r"\\\1", made.sentence)
    at = f"{base}{code}/{report.details}#finding-{finding.id}"
    return f"[![{alt}]({base}{path(report, finding, code)})]({at})"


def shown(writer: Writer, report: Report, finding: Finding) -> dict[str, object]:
    """A finding's badge as templates show it; the README snippet needs the site's address."""
    made, base = badge(writer, report, finding), writer.site.options.base_url
    code = writer.locale.code
    return {
        "src": writer.asset(path(report, finding, code)),
        "alt": made.text,
        "width": made.width,
        "height": made.height,
        "markdown": markdown(made, base, code, report, finding) if base else "",
    }
