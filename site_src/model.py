"""A site as values: pages, assets and the navigation; only `render` turns them into files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote

from kernels.reading import Name, note

SECTIONS: Final = (
    "home",
    "compare",
    "reports",
    "systems",
    "accelerators",
    "workloads",
    "measured",
    "seeds",
    "software",
    "throughput",
    "coverage",
    "costs",
    "prices",
    "sources",
    "results",
    "method",
    "glossary",
    "data",
    "charts",
)
"""Sections of the site; the home page's path is empty, charts are below `c/`, the others below a
folder of their name.
"""

MENU: Final = ("compare", "costs", "systems", "workloads", "reports", "method")
"""Sections in the menu of each page, in order; others are linked from the home page, related pages
and the footer.
"""

SHELLS: Final = ("full", "light")

RUNTIMES: Final = ("slim", "full")
"""The charts' JavaScript: bundled from npm packages, or the larger bundle of vl-convert."""

MARKER: Final = ".touchstone"
"""The file below a site's folder that lists what a build wrote there, with hashes."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page, for its table of contents and its search entries; `id` is its anchor."""

    level: int
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page in one language.

    Attributes:
        path: Same in each language, empty or ending in `/`: `reports/tpuv2-v100/` is written to
            `<lang>/reports/tpuv2-v100/index.html`.
        section: One of `SECTIONS`.
        shell: `full` for the theme's page, `light` for the small page of a run or a result.
        title: Plain text for the tab, search and feeds. The body has its own `<h1>`.
        description: One plain sentence for search engines and cards.
        body: HTML of the article, `<h1>` first. Links are relative to the page.
        toc: Headings from level 2 on, in order.
        charts: Ids of the charts on it.
        head: More HTML for `<head>`: styles and scripts. Relative to the page.
        noindex: True keeps search engines off it.
        in_search: False keeps it out of the site's own search.
        names: Other names of its subject, for that search.
        figure: Its key figure for that search, as HTML with references; empty for none.
        results: Number of its results: of two pages that match a query equally well, the one with
            more comes first.
        image: Path below site/ of the picture for cards (`c/<chart-id>/<lang>-card.png`); empty for
            none.
        image_alt: Alternative text of that picture.
        updated: Day of the newest fact on it, for the sitemap; None where there is none.
        structured: schema.org data for JSON-LD; its addresses are absolute, so it is empty without
            the site's own.
        oembed: Path below site/ of its oEmbed answer; empty for none.
        beside: Files that only this page loads.
    """

    path: str
    language: str
    section: str
    shell: str
    title: str
    description: str
    body: str
    toc: tuple[Heading, ...] = ()
    charts: tuple[str, ...] = ()
    head: str = ""
    noindex: bool = False
    in_search: bool = True
    names: tuple[str, ...] = ()
    figure: str = ""
    results: int = 0
    image: str = ""
    image_alt: str = ""
    updated: date | None = None
    structured: tuple[Mapping[str, Any], ...] = ()
    oembed: str = ""
    beside: tuple["File", ...] = ()

    def __post_init__(self) -> None:
        if self.section not in SECTIONS:
            raise ValueError(
                f"page {self.language}/{self.path}: section {self.section!r} is none of "
                f"{', '.join(SECTIONS)}"
            )
        if self.shell not in SHELLS:
            raise ValueError(
                f"page {self.language}/{self.path}: shell {self.shell!r} is none of "
                f"{', '.join(SHELLS)}"
            )
        if self.path and (
            not self.path.endswith("/") or self.path.startswith("/") or ".." in self.path
        ):
            raise ValueError(
                f"page {self.language}/{self.path}: a path is empty or ends in '/', and stays "
                "below its language"
            )

    @property
    def file(self) -> str:
        """Path below site/, such as `en/reports/index.html`."""
        return page_file(self.language, self.path)

    @property
    def root(self) -> str:
        """Relative path from the page to the site's root: `../` for a home page, `../../` for
        `en/reports/`.
        """
        return "../" * (1 + self.path.count("/"))


@dataclass(frozen=True, slots=True)
class Job:
    """A page to be made.

    Attributes:
        beside: Names of nodes to make in the same process, as they share many inputs.
        last: True to make it after the others, since it uses many of them.
    """

    language: str
    path: str
    make: Callable[[], Page]
    beside: tuple[Name, ...] = ()
    last: bool = False

    @property
    def file(self) -> str:
        """Path below site/."""
        return page_file(self.language, self.path)


def page_file(language: str, path: str) -> str:
    """Path below site/ of a page, such as `en/reports/index.html`."""
    return f"{language}/{path}index.html"


class File(Protocol):
    """A file of the site other than a page; `path` is below site/."""

    @property
    def path(self) -> str:
        """Path below site/."""

    @property
    def content(self) -> bytes:
        """Its bytes."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the site other than a page; `path` is below site/."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class NavItem:
    """A node of the navigation. The root is the home page; its children are the sections, and
    theirs the curated pages.

    Attributes:
        language: Of its title, if not the page's.
    """

    section: str
    path: str
    title: str
    children: tuple["NavItem", ...] = ()
    language: str | None = None


class Words(Protocol):
    """The part of a locale that rendering needs; `site_src.locales.Locale` has it."""

    @property
    def code(self) -> str:
        """Language tag, such as `ja`."""

    @property
    def name(self) -> str:
        """The language's own name."""

    @property
    def direction(self) -> str:
        """`ltr` or `rtl`."""

    def say(self, key: str, /, **values: object) -> str:
        """The string of that key, with its placeholders filled."""

    def join(self, items: Sequence[str]) -> str:
        """An enumeration."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Options of a build.

    Attributes:
        built: The build's date; an input, so that the same inputs make the same bytes.
        base_url: Address of the site's root with a `/` at the end, or empty: without it nothing
            absolute is written.
        out: Folder to write.
        cache: Folder for what can be made again.
        config: The theme's settings, `mkdocs.yml`.
        issues: Address of the tracker with `{page}` and `{figure}` in it, from `extra.issues` of
            the settings; empty for none.
        runtime: `slim` or `full`, the charts' JavaScript.
        jobs: Processes.
        incremental: False writes every file anew.
        draft: True to leave out PNG files: for previews, not for publishing.
    """

    built: date
    base_url: str = ""
    out: Path = Path("site")
    cache: Path = Path(".cache")
    config: Path = Path("mkdocs.yml")
    issues: str = ""
    runtime: str = "slim"
    jobs: int = 1
    incremental: bool = True
    draft: bool = False

    @property
    def date(self) -> date:
        """The build's date."""
        note("date")
        return self.built

    def __post_init__(self) -> None:
        if self.base_url and not self.base_url.endswith("/"):
            object.__setattr__(self, "base_url", self.base_url + "/")

    def report_url(self, page: str, figure: str = "", *, brief: bool = False) -> str:
        """Address for reporting an error, with the page (`ru/reports/tpuv2-v100/`) and the figure's
        id; empty without a tracker.

        With `brief` the report has a title only, without a text to begin with.
        """
        address = self.issues.partition("&")[0] if brief else self.issues
        return address.format(page=quote(page, safe=""), figure=quote(figure, safe=""))


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a build: counts, and the paths below site/ that are new, changed or gone."""

    pages: int
    languages: tuple[str, ...]
    assets: int
    written: tuple[str, ...] = field(default=())
    removed: tuple[str, ...] = field(default=())
