"""What the browser tests share: the pages that stand for all pages, and a page that remembers what
went wrong on it.
"""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    Response,
)

from site_src import locales
from site_src.build.shell import OWN_FILES, STYLES_OF_FEW
from site_src.model import Asset
from tests.patience import PATIENCE_S

REPORT: Final = "reports/tpuv2-v100/"
DETAILS: Final = f"{REPORT}details/"
RUN: Final = "results/tpuv2-v100-tpu-synthetic-1024/"
LOGGED: Final = "results/mlperf-v0.5-google-cloud-v2.8-resnet-tpuv2-8-tpu-resnet/"
THROUGHPUT: Final = "tpuv2-v100-throughput"
TARGET: Final = "tpuv2-v100-target"
PAIR: Final = "compare/a30-vs-v100/"
TEMPLATES: Final = (
    "",
    "compare/",
    PAIR,
    "reports/",
    REPORT,
    DETAILS,
    "systems/",
    "systems/cloud-tpu-v2-8/",
    "accelerators/",
    "accelerators/v100-sxm2-16gb/",
    "workloads/resnet50-imagenet/",
    "sources/",
    "sources/tpuv2-v100/",
    "explore/",
    "results/",
    RUN,
    LOGGED,
    "costs/",
    "method/",
    "glossary/",
    "data/",
    "coverage/",
    f"c/{THROUGHPUT}/",
)
"""One page of each kind, below its language."""

READ_TEXTS: Final = r"""() => {
  const found = [];
  for (const element of document.querySelectorAll(".ts-kept")) element.replaceWith(element.textContent); // half a name
  document.documentElement.normalize();
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  const foreign = (element) => element.closest("[lang]").lang !== document.documentElement.lang;
  for (let node; (node = walker.nextNode()); ) {
    const parent = node.parentElement;
    if (!parent.closest("script, style, code, noscript, template") && !foreign(parent)) found.push(node.data);
  }
  for (const name of ["aria-label", "aria-roledescription", "title", "alt", "placeholder"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      if (!foreign(element) && !element.closest("[aria-hidden=true]")) found.push(element.getAttribute(name));
    }
  }
  return [...new Set(found.map((text) => text.trim()))];
}"""
"""The texts that a reader sees or hears, those marked as another language left out."""

_ELEMENT: Final = re.compile(r'<([a-z][\w-]*)(?:[^>]*? class="([^"]*)")?')
"""Name and classes of an element."""


def embed(language: str, chart: str = THROUGHPUT, **state: str) -> str:
    """Address below the site's root of a chart in a frame."""
    return f"c/{chart}/embed.html?" + "&".join(
        f"{key}={value}" for key, value in {"lang": language, **state}.items()
    )


def languages(site: Path) -> list[str]:
    """The languages of the built site."""
    return [path.parent.name for path in sorted(site.glob("*/index.html"))]


def every_page(site: Path) -> Iterator[str]:
    """Address below the site's root of each page of the built site."""
    yield from ("", "404.html")
    for language in languages(site):
        for path in sorted((site / language).rglob("index.html")):
            yield path.parent.relative_to(site).as_posix() + "/"


def by_turns(spoken: Sequence[str], paths: Iterable[str], below: str) -> list[str]:
    """The same pages, but those below a folder in one of some languages each, by turns: they are many, and
    alike but for their words.

    Those of `TEMPLATES` stay in each language.
    """
    paths = list(paths)
    many = sorted(
        {
            rest
            for path in paths
            if (rest := path.partition("/")[2]).startswith(below)
            and rest not in {*below, *TEMPLATES}
        }
    )
    turns = {f"{spoken[number % len(spoken)]}/{rest}" for number, rest in enumerate(many)}
    return [path for path in paths if path.partition("/")[2] not in many or path in turns]


def one_of_a_kind(site: Path, paths: Iterable[str], *below: str, each: bool) -> list[str]:
    """The same pages, but of those below some folders one for each kind, or one in `each` language:
    pages made of the same elements and classes.

    They are many, and differ in words and in how often an element stands in them. Those of
    `TEMPLATES` stay.
    """
    taken: set[tuple[str, frozenset[tuple[str, str]]]] = set()
    chosen = []
    for path in paths:
        language, _, rest = path.partition("/")
        if rest.startswith(below) and rest not in {*below, *TEMPLATES}:
            kind = (
                language if each else "",
                frozenset(_ELEMENT.findall((site / path / "index.html").read_text("utf-8"))),
            )
            if kind in taken:
                continue
            taken.add(kind)
        chosen.append(path)
    return chosen


class Quiet(SimpleHTTPRequestHandler):
    """Files, each answer with a Content-Security-Policy where there is one."""

    def __init__(self, *given: Any, policy: str, **more: Any) -> None:
        self._policy = policy
        super().__init__(*given, **more)

    def end_headers(self) -> None:
        """Add the policy."""
        if self._policy:
            self.send_header("Content-Security-Policy", self._policy)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: pytest shows what matters."""


def serve(
    folder: Path, below: str = "", policy: str = "", handler: type[Quiet] = Quiet
) -> Iterator[str]:
    """Serve a folder for as long as a fixture lives; the address of the site in it. Each answer has
    that Content-Security-Policy.
    """
    files = partial(handler, directory=str(folder), policy=policy)
    with ThreadingHTTPServer(("127.0.0.1", 0), files) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/{below}"
        finally:
            server.shutdown()


def styles(folder: Path) -> Callable[[str], str]:
    """Lay the site's own styles into a folder; what a page so far from its root has of them."""
    of = Path(locales.__file__).parents[1] / "assets"
    texts = [(of / part).read_text("utf-8") for part in (*OWN_FILES["site.css"], *STYLES_OF_FEW)]
    (folder / "assets").mkdir(exist_ok=True)
    (folder / "assets" / "site.css").write_text("".join(texts), "utf-8")
    return lambda root: f'<link rel="stylesheet" href="{root}assets/site.css">'


def lay(folder: Path, assets: Iterable[Asset]) -> Path:
    """Write the files of a site, and the one that a browser asks for by itself."""
    for asset in assets:
        path = folder / asset.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(asset.content)
    (folder / "favicon.ico").touch()
    return folder


@dataclass
class Watched:
    """A page and what went wrong on it."""

    page: Page
    address: str
    scripts: bool = True
    wrong: list[str] = field(default_factory=list)

    def note(self, what: str) -> None:
        """Keep what went wrong, and where."""
        self.wrong.append(f"{self.page.url.removeprefix(self.address)}: {what}")

    def console(self, message: ConsoleMessage) -> None:
        """Keep errors and warnings of the console."""
        if message.type in {"error", "warning"}:
            self.note(f"console {message.type}: {message.text}")

    def request(self, request: Request) -> None:
        """Keep requests to another host."""
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.note(f"foreign request: {request.url}")

    def response(self, response: Response) -> None:
        """Keep failed responses."""
        if response.status >= 400:
            self.note(f"{response.status}: {response.url}")

    def open(self, path: str) -> Page:
        """Go to a path below the site's root; scripts that the page names have run when this
        returns.
        """
        self.page.goto(f"{self.address}/{path}")
        return ready(self.page) if self.scripts else self.page


def ready(page: Page) -> Page:
    """Wait until the form of costs, if the page has one, says what its address asks for: it does
    that in tasks of its own after the page has come, and takes no words before.
    """
    page.locator(".ts-costs__form[inert]").wait_for(state="detached")
    return page


def watch(context: BrowserContext, address: str, scripts: bool = True) -> Watched:
    """Open a page in that context and note what goes wrong on it."""
    # a chart takes half a second on a machine that is not busy
    context.set_default_timeout(PATIENCE_S * 1000 / 5)
    watched = Watched(context.new_page(), address, scripts)
    watched.page.on("console", watched.console)
    watched.page.on("request", watched.request)
    watched.page.on("response", watched.response)
    watched.page.on("pageerror", lambda error: watched.note(f"page error: {error}"))
    return watched


@contextmanager
def uncomplaining(browser: Browser, **context: Any) -> Iterator[Page]:
    """A page that fails the test when its console complains."""
    held = browser.new_context(**context)
    page = held.new_page()
    wrong: list[str] = []
    page.on(
        "console",
        lambda said: wrong.append(said.text) if said.type in {"error", "warning"} else None,
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    held.close()
    assert not wrong, wrong


def live(page: Page, chart: str) -> None:
    """Bring a chart into view, reach for it, and wait until it is interactive."""
    drawn(page.locator(f"#{chart}"))


def say(language: str, key: str, **values: str) -> str:
    """What the site says in a language."""
    (locale,) = locales.load(Path(locales.__file__).parents[1] / "strings", [language])
    return locale.say(key, **values)


def drawn(figure: Locator) -> Locator:
    """The marks of a chart that somebody reaches for; on wide windows it needs none to do that."""
    picture = figure.locator(".ts-picture")
    picture.scroll_into_view_if_needed()
    picture.locator("img[tabindex], .ts-live").first.wait_for(state="attached")
    picture.dispatch_event("focusin")
    marks = picture.locator(".ts-live svg")
    marks.wait_for()
    return marks


def unfold(page: Page, chart: str) -> None:
    """Open the table below a chart and wait until it is there."""
    page.click(f"#{chart} .ts-numbers:not([open]) > summary")
    page.wait_for_selector(f"#{chart} thead")


def sideways(page: Page) -> int:
    """Pixels by which the page is wider than its window: 0 for a page that scrolls down alone."""
    return int(
        page.evaluate(
            "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - "
            "document.documentElement.clientWidth"
        )
    )
