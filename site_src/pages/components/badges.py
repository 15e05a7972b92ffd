"""Badges: a finding of a report in a line, as a small SVG for a README or a post, in each language.

What it says is `badge.<report>.<finding>` of the strings, with figures of the finding itself;
beside it stands what kind of finding it is, and of figures that were read off runs where those runs
come from. What would be too wide for a phone has two lines.
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
"""Px of a badge of one line."""

WIDEST: Final = 360
"""Px that fit on a phone."""

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
"""Grounds of the parts: of the site's name, of what is said, and of each kind of finding or origin.
Any page may be around it.
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
        said: What it says, its figures as `<data>`.
        parts: Ground and text of each part, from the first.
        sentence: The finding in full.
    """

    said: Markup
    parts: tuple[tuple[str, str], ...]
    sentence: str

    @property
    def text(self) -> str:
        """What it says, as plain text."""
        return unmarked(self.said)

    @property
    def lines(self) -> list[str]:
        """What it says, in one line or two."""
        around = sum(_wide(text) for ground, text in self.parts if ground != "said")
        return [self.said] if around + _wide(self.text) <= WIDEST else halves(self.said)

    @property
    def widths(self) -> list[int]:
        """Of each part, in px."""
        return [
            max(_wide(unmarked(line)) for line in self.lines) if ground == "said" else _wide(text)
            for ground, text in self.parts
        ]

    @property
    def width(self) -> int:
        """In px."""
        return sum(self.widths)

    @property
    def height(self) -> int:
        """In px."""
        return HEIGHT + _STEP * (len(self.lines) - 1)


def path(report: Report, finding: Finding, code: str) -> str:
    """Its file, below site/."""
    return f"badges/{report.id}/{finding.id}.{code}.svg"


def ids(site: Site) -> list[str]:
    """Every badge that has an address, as `<report>/<finding>`."""
    return [
        f"{report.id}/{finding.id}"
        for report in site.reports.values()
        for finding in report.findings
    ]


def badge(writer: Writer, report: Report, finding: Finding) -> Badge:
    """The badge of a finding.

    Raises:
        GlyphError: A letter that no font at hand has, whose width is not known.
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
    """What things are called where there is little room; in full where two would be called the
    same.
    """
    full = {reference: writer.named(reference) for reference in references}
    short = {
        reference: brief(name) if reference.startswith(("system:", "hardware:")) else name
        for reference, name in full.items()
    }
    used = Counter(short.values())
    called = {name: brief if used[brief] == 1 else full[name] for name, brief in short.items()}
    # not parted: half of a name is another number
    return {name: text.replace(" ", NBSP) for name, text in called.items()}


def brief(name: str) -> Markup:
    """A system without whose machine it is, an accelerator without its maker; one alone is not
    counted.
    """
    return Markup(_MAKER.sub("", _ASIDE.sub("", str(name))))  # noqa: S704 - a part of what was escaped


def halves(said: Markup) -> list[str]:
    """Two lines about as wide as each other, parted between words (in Japanese after signs and
    particles); a figure stays whole.
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
    """The figures as `<data>`, and the words before, between and after them, without other
    marks.
    """
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
    """The picture. Each figure in it says by `data-ref` and `data-value` what it is of."""
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
    """The badge for a README: the picture, which leads to the finding."""
    alt = re.sub(r"([\\\[\]])", r"\\\1", made.sentence)
    at = f"{base}{code}/{report.details}#finding-{finding.id}"
    return f"[![{alt}]({base}{path(report, finding, code)})]({at})"


def shown(writer: Writer, report: Report, finding: Finding) -> dict[str, object]:
    """A finding's badge as templates show it; the text that places it in a README needs the site's
    address.
    """
    made, base = badge(writer, report, finding), writer.site.options.base_url
    code = writer.locale.code
    return {
        "src": writer.asset(path(report, finding, code)),
        "alt": made.text,
        "width": made.width,
        "height": made.height,
        "markdown": markdown(made, base, code, report, finding) if base else "",
    }
