import os
import re
import signal
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from site_src import build as render
from site_src import graph, links
from site_src.build import shell
from site_src.build.output import OutputError
from site_src.graph import needs_threads
from site_src.model import Asset, BuildOptions, Heading, Job, Page, Report
from tests.site_src.build import small_site
from tests.site_src.build.small_site import ARABIC, ENGLISH

LOCALES = (ENGLISH, ARABIC)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests here: the theme is rendered once."""
    return tmp_path_factory.mktemp("cache")


def site(options: BuildOptions, pages: list[Page] | None = None, *assets: Asset) -> Report:
    """Render the small site, or other pages with its navigation."""
    every = (
        pages
        if pages is not None
        else [page for locale in LOCALES for page in small_site.pages(locale.code)]
    )
    return render.render(
        small_site.jobs(every),
        {"assets": lambda: assets},
        {locale.code: small_site.nav(locale.code) for locale in LOCALES},
        LOCALES,
        options,
    )


def written(options: BuildOptions) -> dict[str, bytes]:
    """All files of a site."""
    return {
        path.relative_to(options.out).as_posix(): path.read_bytes()
        for path in options.out.rglob("*")
        if path.is_file()
    }


def text(options: BuildOptions, name: str) -> str:
    """One written file."""
    return (options.out / name).read_text(encoding="utf-8")


FORKED = pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called")
"""Another test may have loaded JAX into this process, which the forked ones do not use."""


@FORKED
@pytest.mark.parametrize("threads_run", [True, False])
def test_several_processes_write_what_one_writes(
    threads_run: bool, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte; pages that ask for threads are made in the first process where these run
    there, else in none but the others.
    """
    monkeypatch.setattr(graph, "_threaded", {os.getpid()} if threads_run else set())
    made_here: list[Page] = []
    one, two = (
        small_site.options(tmp_path / str(number), cache=cache, jobs=number) for number in (1, 2)
    )
    pages = [page for locale in LOCALES for page in small_site.pages(locale.code)]

    def threaded(page: Page) -> Page:
        needs_threads()
        made_here.append(page)
        return page

    site(one)
    report = render.render(
        [Job(page.language, page.path, partial(threaded, page)) for page in pages],
        {"assets": lambda: ()},
        {locale.code: small_site.nav(locale.code) for locale in LOCALES},
        LOCALES,
        two,
    )

    assert written(two) == written(one)
    assert len(report.written) == len(written(two)) - 1
    assert len(made_here) == len(pages) * threads_run


class UnsendableError(ValueError):
    """An error that no other process can be given, like that of a chart that Altair refuses."""

    def __reduce__(self) -> NoReturn:
        raise TypeError


@FORKED
@pytest.mark.parametrize(
    ("error", "told"),
    [(ValueError("bar"), ValueError), (UnsendableError("no bar"), render.RenderError)],
)
def test_an_error_of_another_process_is_told_in_its_words(
    error: Exception, told: type[Exception], tmp_path: Path, cache: Path
) -> None:
    """As itself, or with its name where it cannot be sent."""

    def refused() -> NoReturn:
        raise error

    nav = {locale.code: small_site.nav(locale.code) for locale in LOCALES}
    with pytest.raises(told, match=f"{error}$"):
        render.render(
            [],
            dict.fromkeys("abcdefgh", refused),
            nav,
            LOCALES,
            small_site.options(tmp_path, cache=cache, jobs=2),
        )


@FORKED
def test_a_file_of_two_parts_is_refused_whichever_process_makes_them(
    tmp_path: Path, cache: Path
) -> None:
    """Neither knows of the other, and nothing is written."""
    options = small_site.options(tmp_path, cache=cache, jobs=2)
    groups = {str(number): lambda: [Asset("twice.txt", b"")] for number in range(8)}

    with pytest.raises(OutputError, match="two parts"):
        render.render(
            [],
            groups,
            {locale.code: small_site.nav(locale.code) for locale in LOCALES},
            LOCALES,
            options,
        )
    assert not options.out.exists()


@FORKED
def test_a_process_that_is_killed_ends_the_build_with_a_word(tmp_path: Path, cache: Path) -> None:
    """As the system does where memory runs out; nothing is written."""
    options = small_site.options(tmp_path, cache=cache, jobs=2)
    first = os.getpid()

    def killed() -> list[Asset]:
        assert os.getpid() != first
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    nav = {locale.code: small_site.nav(locale.code) for locale in LOCALES}
    with pytest.raises(render.RenderError, match="--jobs 1"):
        render.render([], dict.fromkeys("abcdefgh", killed), nav, LOCALES, options)
    assert not options.out.exists()


def test_a_page_is_written_whole_in_each_language(tmp_path: Path, cache: Path) -> None:
    """Title, body, language and direction stand in the theme's page; no slot is left."""
    options = small_site.options(tmp_path, cache=cache)

    report = site(options)

    page = text(options, "ar-XB/reports/a/index.html")
    assert report.pages == 10
    assert '<html lang="ar-XB" class="no-js">' in page
    assert '<body dir="rtl" data-md-color-scheme="default">' in page
    assert "<title>A &lt; B · Touchstone</title>" in page
    assert '<meta name="description" content="It says &quot;3186&quot;.">' in page
    assert '<h2 id="speed">Speed</h2>' in page
    assert not re.search("[\ue000\ue001]|md-search", page)
    # every word came through `say`, and escaped
    assert "ui." not in re.sub("&lt;ui[.][a-z_]+&gt;", "", page)


def test_the_pages_with_which_visits_begin_wait_for_no_file(tmp_path: Path, cache: Path) -> None:
    """Home, a report, a chart and the costs have the styles of what is in them; the whole stylesheet is
    fetched for later.
    """
    options = small_site.options(tmp_path, cache=cache)
    site(options)
    [style] = (options.out / "assets").glob("site.*.css")
    whole = style.read_text(encoding="utf-8")

    for path, first in {"": True, "reports/a/": True, "results/": False}.items():
        page = text(options, f"en/{path}index.html")
        own = re.findall("<style class=ts-first>(.*?)</style>", page, flags=re.DOTALL)
        assert len(own) == first, path
        assert all(1000 < len(style) < len(whole) and ".ts-meta" not in style for style in own)
        [link] = re.findall(rf'<link rel="(\w+)" href="[./]*assets/{style.name}">', page)
        assert link == ("prefetch" if first else "stylesheet"), path


def test_a_page_carries_the_styles_that_few_pages_need(tmp_path: Path, cache: Path) -> None:
    """Those of what it has, behind the style of all."""
    options = small_site.options(tmp_path, cache=cache)
    had = [page for locale in LOCALES for page in small_site.pages(locale.code)]
    site(
        options,
        [replace(page, body=f'{page.body}<ol class="ts-leaders">') for page in had],
    )

    for page in ("en/results/index.html", "en/index.html"):
        [style] = re.findall("<style>(.*?)</style>", text(options, page), flags=re.DOTALL)
        assert ".ts-leaders__figures{" in style and ".ts-costs" not in style, page


@pytest.mark.parametrize(("name", "parts"), shell.STYLES_OF_FEW.items())
def test_a_style_of_few_pages_says_nothing_of_others(name: str, parts: re.Pattern[str]) -> None:
    """Each rule is for something by which its pages are told."""
    code = re.sub(r"/\*.*?\*/", "", (render.ASSETS / name).read_text("utf-8"), flags=re.DOTALL)
    selectors = [found.strip() for found in re.findall(r"([^{}]+)\{", code)]

    assert [one for one in selectors if one[0] != "@" and not parts.search(one)] == []


def test_the_same_inputs_make_the_same_bytes(tmp_path: Path, cache: Path) -> None:
    """Two builds of one site are equal, file by file, also with the theme rendered anew."""
    one, two = small_site.options(tmp_path / "1", cache=cache), small_site.options(tmp_path / "2")

    site(one)
    site(two)

    def content(options: BuildOptions) -> dict[str, bytes]:
        return {
            path.relative_to(options.out).as_posix(): path.read_bytes()
            for path in options.out.rglob("*")
            if path.is_file()
        }

    assert content(one) == content(two)


def test_a_changed_page_is_the_only_page_written_again(tmp_path: Path, cache: Path) -> None:
    """After a change of one body that page and its language's files for the search are written."""
    options = small_site.options(tmp_path, cache=cache)
    site(options)
    pages = [page for locale in LOCALES for page in small_site.pages(locale.code)]
    pages = [
        replace(page, body=page.body + "<p>newest</p>")
        if page.file == "en/results/index.html"
        else page
        for page in pages
    ]

    report = site(options, pages)

    first, *others = report.written
    assert first == "en/results/index.html"
    assert others[0] == "search/en.js"
    assert all(path.startswith("search/en/") for path in others[1:])


def test_absolute_addresses_need_the_site_address(tmp_path: Path, cache: Path) -> None:
    """Without --base-url nothing absolute is written; with it canonical, alternates, card and
    sitemap are.
    """
    plain = small_site.options(tmp_path / "plain", cache=cache)
    known = small_site.options(
        tmp_path / "known", cache=cache, base_url="https://example.org/bench"
    )

    site(plain)
    site(known)

    page = text(known, "en/reports/a/index.html")
    assert '<link rel="canonical" href="https://example.org/bench/en/reports/a/">' in page
    assert (
        '<link rel="alternate" hreflang="ar-XB" href="https://example.org/bench/ar-XB/reports/a/">'
        in page
    )
    assert "x-default" in text(known, "en/index.html")
    places = ElementTree.fromstring(text(known, "sitemap.xml")).findall("{*}url/{*}loc")  # noqa: S314 - our own file
    assert len(places) == 10
    assert "https://" not in text(plain, "en/reports/a/index.html")
    assert not (plain.out / "sitemap.xml").exists()


def test_the_open_page_is_marked_and_its_section_alone_unfolds(tmp_path: Path, cache: Path) -> None:
    """The navigation marks the page it stands on; links are relative to it."""
    options = small_site.options(tmp_path, cache=cache)
    site(options)

    report, runs = text(options, "en/reports/a/index.html"), text(options, "en/results/index.html")

    assert re.findall(r'<a href="([^"]+)" aria-current="page">', report) == [
        "../../reports/a/index.html"
    ]
    assert re.findall(r'<a href="([^"]+)" aria-current="page">', runs) == ["../results/index.html"]
    assert 'href="../reports/a/' not in runs
    assert '<a href="../../reports/index.html" aria-current="true"' in report


def test_a_title_in_another_language_is_marked_in_the_menu(tmp_path: Path, cache: Path) -> None:
    """Fonts and voices go by it: a Russian title in an English page is no English."""
    options = small_site.options(tmp_path, cache=cache)
    pages = [page for locale in LOCALES for page in small_site.pages(locale.code)]
    tree = small_site.nav("en")
    [reports, *others] = tree.children
    named = replace(
        reports,
        children=tuple(
            replace(item, title="Сравнение", language="ru") for item in reports.children
        ),
    )
    nav = {locale.code: replace(tree, children=(named, *others)) for locale in LOCALES}

    render.render(small_site.jobs(pages), {}, nav, LOCALES, options)

    made = text(options, "en/reports/a/index.html")
    assert 'aria-current="page"><span lang="ru">Сравнение</span></a>' in made


@pytest.mark.parametrize(
    ("link", "opened"),
    [
        ('<a href="../costs/">', '<a href="../costs/index.html">'),
        (
            '<a class="x" href="../costs/?workload=a&amp;budget=9#b" rel="y">',
            'costs/index.html?workload=a&amp;budget=9#b" rel="y">',
        ),
        ('<a\nhref="a/#b">', '<a\nhref="a/index.html#b">'),
        ("<a href=../runs/a/ lang=en>", "<a href=../runs/a/index.html lang=en>"),
        ("<a href=../runs/a/>", "<a href=../runs/a/index.html>"),
    ],
)
def test_a_link_to_a_page_opens_it_from_a_disk(link: str, opened: str) -> None:
    """It names the page's file, whatever is asked of it, in quotes or without."""
    assert opened in links.opening(link)


@pytest.mark.parametrize(
    "link",
    [
        '<a href="https://example.org/bench/">', '<a href="mailto:a@example.org/">', '<a href="#a/">', '<a href="?way=a/">', '<a href="">',
        '<a href="../data/runs.csv.gz">', '<link rel="canonical" '
                                       'href="https://example.org/a/">', '<link rel="x" href="a/">',
        "&lt;a href=&quot;a/&quot;&gt;",
    ],
)  # fmt: skip
def test_other_addresses_stay(link: str) -> None:
    """Those of other sites, of places on the page, of files, and what search engines are told."""
    assert links.opening(link) == link


def test_the_switch_leads_to_the_same_page(tmp_path: Path, cache: Path) -> None:
    """Each page offers every language, its own marked."""
    options = small_site.options(tmp_path, cache=cache)
    site(options)

    for name in ("en/reports/a/index.html", "en/runs/one/index.html"):
        offered = re.findall(
            r'<a href="?([^" ]+)"? hreflang="?([^" ]+)"? lang[^>]*?( aria-current=true)?>',
            text(options, name),
        )
        path = name.removeprefix("en/")
        assert offered == [
            (f"../../../en/{path}", "en", " aria-current=true"),
            (f"../../../ar-XB/{path}", "ar-XB", ""),
        ]


def test_a_run_page_is_small_and_without_the_theme(tmp_path: Path, cache: Path) -> None:
    """A light page has own small styles and stays far below 10 KB around its body."""
    options = small_site.options(tmp_path, cache=cache)
    site(options)

    page = text(options, "en/runs/one/index.html")

    styles = re.compile(r"assets/(\w+)\.\w+\.css")
    assert styles.findall(text(options, "en/index.html")) == ["site"]
    assert styles.findall(page) == ["light"]
    assert len(page.encode()) < 7000


def test_a_language_without_a_page_stops_the_build(tmp_path: Path, cache: Path) -> None:
    """A page that one language lacks is named; nothing is written."""
    options = small_site.options(tmp_path, cache=cache)
    pages = [
        page
        for locale in LOCALES
        for page in small_site.pages(locale.code)
        if page.file != "ar-XB/runs/one/index.html"
    ]

    with pytest.raises(
        render.RenderError,
        match="language ar-XB lacks 1 pages that en has, the first is 'runs/one/'",
    ):
        site(options, pages)

    assert not options.out.exists()


def test_what_scrolls_sideways_can_be_reached_by_keyboard() -> None:
    """Tables of Markdown and code get a place in the tab order; templates' own tables have
    theirs.
    """
    body = (
        '<table>\n<tr><td>1</td></tr></table><table class="ts-table"></table><pre><code '
        'class="x">1</code></pre>'
    )

    mended = shell.focusable(body, ENGLISH)

    assert mended == (
        '<div class="ts-table-wrap" tabindex="0" role="region" '
        'aria-label="&lt;ui.table_scroll&gt;">'
        '<table class="ts-table">\n<tr><td>1</td></tr></table></div><table class="ts-table">'
        "</table>"
        '<pre><code tabindex="0" class="x">1</code></pre>'
    )


def test_the_report_link_names_page_and_figure() -> None:
    """The tracker's address carries both, percent-encoded."""
    options = small_site.options(Path(), issues="https://example.org/new?t={figure}&b={page}")

    assert (
        options.report_url("ru/reports/a/", "a-speed")
        == "https://example.org/new?t=a-speed&b=ru%2Freports%2Fa%2F"
    )
    assert small_site.options(Path()).report_url("x/") == ""


class Outline(HTMLParser):
    """Text of the article and links of the table of contents, of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.article: list[str] = []
        self.contents: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._href = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter article or contents."""
        given = dict(attrs)
        if tag in {"article", "nav"}:
            self._open.append(
                "toc"
                if "md-nav--secondary" in (given.get("class") or "") or self._open[-1:] == ["toc"]
                else tag
            )
        if tag == "a" and self._open[-1:] == ["toc"]:
            self._href = given.get("href") or ""

    def handle_endtag(self, tag: str) -> None:
        """Leave it."""
        if tag in {"article", "nav"}:
            self._open.pop()
        if tag == "a":
            self._href = ""

    def handle_data(self, data: str) -> None:
        """Keep text by where it stands."""
        if data.strip() and self._open[-1:] == ["article"]:
            self.article.append(data.strip())
        if data.strip() and self._href and self._open[-1:] == ["toc"]:
            self.contents.append((self._href, data.strip()))


def test_a_filled_page_reads_as_one_that_the_theme_rendered(tmp_path: Path, cache: Path) -> None:
    """Article and table of contents are those of a plain mkdocs build of the same Markdown with the
    stock theme.
    """
    (tmp_path / "docs").mkdir()
    markdown = "# A < B\n\n## Speed\n\n3,186 images/s\n\n### More\n\ntext\n\n## Cost\n\nlow\n"
    (tmp_path / "docs" / "index.md").write_text(markdown, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Touchstone\ntheme: {name: material, font: false}\nplugins: []\n",
        encoding="utf-8",
    )
    config: Any = load_config(str(tmp_path / "mkdocs.yml"))
    build(config)
    options = small_site.options(tmp_path / "ours", cache=cache)
    toc = (Heading(2, "speed", "Speed"), Heading(3, "more", "More"), Heading(2, "cost", "Cost"))
    body = (
        '<h1>A &lt; B</h1>\n<h2 id="speed">Speed</h2>\n<p>3,186 images/s</p>\n<h3 '
        'id="more">More</h3>\n<p>text</p>\n'
        '<h2 id="cost">Cost</h2>\n<p>low</p>'
    )
    site(
        options,
        [Page("", locale.code, "home", "full", "A < B", "", body, toc) for locale in LOCALES],
    )

    ours, plain = (
        Outline(text(options, "en/index.html")),
        Outline((tmp_path / "site" / "index.html").read_text(encoding="utf-8")),
    )

    assert ours.article == [part for part in plain.article if part != "¶"]
    # the stock theme writes it once more into the drawer
    assert ours.contents * 2 == plain.contents


def test_a_theme_that_changed_is_named() -> None:
    """When the theme's page no longer has what we mend, the build says so and does not write
    half-right pages.
    """
    with pytest.raises(render.RenderError, match=r"adapt render\._mend"):
        render._mend("<html><body></body></html>")


def test_chooser_and_404_are_well_formed(tmp_path: Path, cache: Path) -> None:
    """Both offer every language."""
    options = small_site.options(tmp_path, cache=cache)
    site(options)

    chooser, missing = text(options, "index.html"), text(options, "404.html")

    assert re.findall(r'<a href="([^"]+)"', chooser) == ["en/index.html", "ar-XB/index.html"]
    assert re.findall(r'data-home="([^"]+)"', missing) == ["en/", "ar-XB/"]
    # it is served at any depth: nothing to load
    assert not re.search(r'(?:src|href)="(?!en/|ar-XB/|data:)', missing)
