"""A site of a few pages in two languages, for the tests of what renders, searches and verifies."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path

from site_src.model import BuildOptions, Heading, Job, NavItem, Page

WORDS = {
    "ui.site_name": "Touchstone",
    "ui.search_none": "Nothing for {query}",
    "ui.search_count": "Results: {count}",
    "ui.built": "Built {date}",
}


@dataclass(frozen=True)
class Tongue:
    """A made-up locale: each word is its key in brackets, so that a word that is missing or not
    escaped shows.
    """

    code: str = "en"
    name: str = "English"
    direction: str = "ltr"
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)

    def say(self, key: str, /, **values: object) -> str:
        """The word in question, or its key where the test has none."""
        return self.words.get(key, f"<{key}>").format(**values)

    def join(self, items: Sequence[str]) -> str:
        """An enumeration."""
        return " and ".join(items)

    def shows(self, text: str, value: float) -> bool:
        """As English writes numbers."""
        return float(text.replace(",", "")) == value


ENGLISH = Tongue()
ARABIC = Tongue("ar-XB", "العربية", "rtl")


def nav(code: str) -> NavItem:
    """Two sections, one with a page below it."""
    reports = NavItem(
        "reports", "reports/", f"Reports {code}", (NavItem("reports", "reports/a/", "A < B"),)
    )
    return NavItem("home", "", "Touchstone", (reports, NavItem("results", "results/", "Results")))


def pages(code: str) -> Iterator[Page]:
    """A home page, a report with a figure, and a run."""
    yield Page(
        "",
        code,
        "home",
        "full",
        "Home",
        "What this is.",
        '<h1>Home</h1><p><a href="reports/a/#speed">speed</a></p>',
    )
    yield Page(
        "reports/",
        code,
        "reports",
        "full",
        "Reports",
        "All reports.",
        '<h1>Reports</h1><p><a href="a/">A</a></p>',
    )
    figure = '<data value="3186.0" data-ref="number:3186">3,186</data>'
    body = (
        f'<h1>A &lt; B</h1><h2 id="speed">Speed</h2><p>{figure} images/s</p><h3 id="more">More</h3>'
        "<p>text</p>"
        '<h2 id="cost">Cost</h2><p>low</p>'
        "<table><tbody><tr><td>1</td></tr></tbody></table><pre><code>run</code></pre>"
    )
    toc = (Heading(2, "speed", "Speed"), Heading(3, "more", "More"), Heading(2, "cost", "Cost"))
    yield Page(
        "reports/a/",
        code,
        "reports",
        "full",
        "A < B",
        'It says "3186".',
        body,
        toc,
        updated=date(2018, 4, 30),
    )
    yield Page(
        "results/",
        code,
        "results",
        "full",
        "Results",
        "All results.",
        '<h1>Results</h1><a href="../runs/one/">one</a>',
    )
    yield Page(
        "runs/one/",
        code,
        "results",
        "light",
        "Run one",
        "It was run.",
        "<h1>Run one</h1>",
        updated=date(2026, 11, 2),
    )


def jobs(made: Iterable[Page]) -> list[Job]:
    """Pages that are made already, as a build takes them."""
    return [Job(page.language, page.path, partial(_same, page)) for page in made]


def _same(page: Page) -> Page:
    return page


def options(folder: Path, **more: object) -> BuildOptions:
    """A build into a test's folder."""
    config = Path(__file__).resolve().parents[3] / "mkdocs.yml"
    plain: dict[str, object] = {
        "built": date(2026, 11, 20),
        "out": folder / "site",
        "cache": folder / "cache",
        "config": config,
    }
    return BuildOptions(**{**plain, **more})  # type: ignore[arg-type]  # by name, as a test needs them
