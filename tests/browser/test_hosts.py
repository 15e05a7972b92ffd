"""Charts on other people's pages: frames, elements and pictures on another origin, under a strict
policy on both sides.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Frame, Page, Route

from kernels import catalog
from site_src import locales
from site_src.charts import embed, runtime, snippets
from site_src.charts import pictures as share_pictures
from site_src.charts.drawn import Options
from site_src.evidence import Evidence
from tests.browser.visitor import TARGET, THROUGHPUT, Watched, lay, serve, watch
from tests.makers import transcribed
from tests.site_src import drawing

REPOSITORY = Path(__file__).resolve().parents[2]
DATA: Final = "tpuv2-v100-data"
DARK, LIGHT = "rgb(30, 33, 41)", "rgb(255, 255, 255)"
OWN = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"
HOSTILE = """
html { font-size: 40px; }
* { display: none; font-size: 40px !important; padding: 30px !important; color: red !important; letter-spacing: 9px; direction: rtl; }
html, head ~ body, main, .place, touchstone-chart { display: block; }
svg, button, select, figure, figcaption, ul, a, picture { display: none !important; }
svg { width: 10px; fill: lime !important; }
.ts-embed, .ts-figure, .ts-legend, .ts-light { display: none !important; opacity: 0.1 !important; }
touchstone-chart { opacity: 0.2; transform: rotate(9deg); visibility: hidden; }
.place { padding: 0 !important; }
"""
PLAIN = (
    "html, body { margin: 0; } .place { max-width: 700px; } iframe { width: 100%; height: "
    "420px; border: 0; } img { max-width: 100%; }"
)
PARTS: Final = {"chart": "pushState", "frame": "postMessage", "mount": "parts.mount"}
"""What pages, frames and the element are sent, and what only that one does."""
STYLES = """element => {
  const properties = (style) => Object.fromEntries([...style].map((name) => [name, style.getPropertyValue(name)]));
  const parts = [...element.shadowRoot.querySelectorAll(".ts-embed, .ts-embed *")];
  return parts.map((part) => [`${part.localName}.${part.getAttribute("class")}`, properties(getComputedStyle(part))]);
}"""
"""Each element in a shadow root with each of its computed properties."""


@dataclass(frozen=True)
class Hosts:
    """Addresses: the site, a copy of it elsewhere, and someone else's pages, whose policy knows the
    two; the folder of those pages.
    """

    site: str
    copy: str
    host: str
    pages: Path

    def write(
        self, name: str, body: str, *scripts: str, style: str = PLAIN, encoding: str = "utf-8"
    ) -> str:
        """Put a page on the host and give its address."""
        (self.pages / f"{name}.css").write_text(style, "utf-8")
        loaded = "".join(f'<script async src="{address}"></script>' for address in scripts)
        (self.pages / f"{name}.html").write_text(
            f'<!doctype html><html lang="en"><meta charset="{encoding}"><meta name="viewport" '
            'content="width=device-width">'
            f'<title>{name}</title><link rel="stylesheet" href="{name}.css"><body><main>'
            f"{body}</main>{loaded}</body></html>",
            encoding,
        )
        return f"{self.host}{name}.html"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of three charts in three languages, as a site has them."""
    spoken = locales.load(REPOSITORY / "site_src" / "strings", ["en", "ru", "ja"])
    archive = transcribed("tpuv2-v100")
    known = catalog.load()
    wanted = [
        one
        for one in drawing.figures(Evidence(archive, known))
        if one.id in {THROUGHPUT, TARGET, DATA}
    ]
    client = runtime.build("slim", REPOSITORY / ".cache")
    options = Options(REPOSITORY / ".cache", date(2026, 11, 20), draft=True)
    made = drawing.draw(wanted, spoken, client, options)
    return lay(tmp_path_factory.mktemp("site"), drawing.assets(made, client))


@pytest.fixture(scope="module")
def hosts(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Three servers: each answer of the site and of its copy has a policy, and each of the host's
    one that names them.
    """
    pages = tmp_path_factory.mktemp("host")
    (pages / "favicon.ico").touch()
    (pages / "forger.js").write_text(
        "parent.postMessage({ touchstone: 'height', height: 2000 }, '*');", "utf-8"
    )
    (pages / "forger.html").write_text(
        '<!doctype html><title>x</title><script src="forger.js"></script>', "utf-8"
    )
    for site in serve(folder, "", OWN):
        for copy in serve(folder, "", OWN):
            two = f"{site} {copy}"
            allowed = " ".join(
                f"{kind}-src 'self' {two};" for kind in ("script", "style", "img", "frame")
            )
            policy = f"default-src 'none'; {allowed} base-uri 'none'"
            for host in serve(pages, "", policy):
                yield Hosts(site, copy, host, pages)


@pytest.fixture
def visitor(browser: Browser, hosts: Hosts) -> Iterator[Watched]:
    """A page that must not complain, nor ask anyone but the host and the site."""
    context = browser.new_context(viewport={"width": 900, "height": 900}, reduced_motion="reduce")
    watched = watch(context, hosts.host)
    watched.page.remove_listener("request", watched.request)
    ours = (hosts.site, hosts.copy, hosts.host)
    watched.page.on(
        "request",
        lambda request: None if request.url.startswith(ours) else watched.request(request),
    )
    yield watched
    context.close()
    assert not watched.wrong, "\n".join(watched.wrong)


def element(chart: str, inner: str = "", **attributes: str) -> str:
    """The element in a block of 700 pixels."""
    told = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return (
        f'<div class="place"><touchstone-chart chart="{chart}"{told}>{inner}</touchstone-chart>'
        "</div>"
    )


def frame(hosts: Hosts, chart: str, more: str = "", **asked: str) -> str:
    """A frame in the same."""
    query = "&amp;".join(f"{name}={value}" for name, value in asked.items())
    return (
        f'<div class="place"><iframe src="{hosts.site}c/{chart}/embed.html?{query}" title="x" '
        f'loading="lazy" {more}></iframe></div>'
    )


def script(site: str) -> str:
    """Address of the element's script."""
    return f"{site}{embed.ELEMENT}"


def drawn(page: Page, count: int = 1) -> None:
    """Bring the elements into view one by one, and wait until so many are interactive."""
    for place in page.locator("touchstone-chart").all():
        place.scroll_into_view_if_needed()
    page.wait_for_function(
        """count => [...document.querySelectorAll("touchstone-chart")]
          .filter((each) => each.shadowRoot?.querySelector("[data-state=interactive]")).length === count""",
        arg=count,
    )


def shadow(page: Page, what: str, number: int = 0) -> Any:
    """What an expression says of the `root` and `layer` in an element's shadow."""
    return page.evaluate(
        f"""number => {{
          const root = document.querySelectorAll("touchstone-chart")[number].shadowRoot;
          const layer = root.querySelector(".ts-embed");
          return {what};
        }}""",
        number,
    )


def inner(page: Page, number: int = 0) -> Frame:
    """What is in a frame, when its chart has drawn."""
    place = page.locator("iframe").nth(number)
    place.scroll_into_view_if_needed()
    found = place.element_handle().content_frame()
    assert found is not None
    found.wait_for_selector("[data-state=interactive]")
    return found


def test_every_way_works_on_one_strict_page(visitor: Watched, hosts: Hosts) -> None:
    """Frames, elements of two copies of the site and pictures have their languages and themes;
    nothing complains, nothing is stored.
    """
    picture = (
        f'<picture><source srcset="{hosts.site}c/{TARGET}/ru-dark.svg" '
        'media="(prefers-color-scheme: dark)">'
        f'<img src="{hosts.site}c/{TARGET}/ru.svg" alt="x" loading="lazy"></picture>'
    )
    body = "".join(
        (
            frame(hosts, THROUGHPUT, lang="ja", theme="dark"),
            frame(
                hosts,
                TARGET,
                'sandbox="allow-scripts allow-popups"',
                lang="ru",
                theme="light",
                measure="hours",
            ),
            frame(hosts, DATA, 'sandbox="allow-scripts allow-popups"', lang="JA-jp", theme="auto"),
            element(THROUGHPUT, lang="ru", theme="dark"),
            element(TARGET, lang="ja", theme="light", state="measure=hours&amp;scale=log"),
            element(DATA, lang="ru", site=hosts.copy),
            f'<p><a href="{hosts.site}ja/c/{THROUGHPUT}/"><img '
            f'src="{hosts.site}c/{THROUGHPUT}/ja.svg" alt="x"></a></p>',
            f"<p>{picture}</p>",
        )
    )
    address = hosts.write(
        "all", body, script(hosts.site), script(hosts.copy), f"{hosts.site}{embed.FRAMES}"
    )
    page = visitor.page
    page.goto(address)
    before = page.context.cookies()
    frames = [inner(page, number) for number in range(3)]
    drawn(page, 3)

    looks = (
        "[document.documentElement.lang, getComputedStyle(document.body).backgroundColor, "
        "document.querySelector('.ts-home').href]"
    )
    assert [found.evaluate(looks) for found in frames] == [
        ["ja", DARK, f"{hosts.site}ja/c/{THROUGHPUT}/"],
        ["ru", LIGHT, f"{hosts.site}ru/c/{TARGET}/?measure=hours"],
        ["ja", LIGHT, f"{hosts.site}ja/c/{DATA}/"],
    ]
    told = (
        "[layer.lang, getComputedStyle(layer).backgroundColor, root.querySelector('.ts-home').href]"
    )
    assert [shadow(page, told, number) for number in range(3)] == [
        ["ru", DARK, f"{hosts.site}ru/c/{THROUGHPUT}/"],
        ["ja", LIGHT, f"{hosts.site}ja/c/{TARGET}/?measure=hours&scale=log"],
        ["ru", LIGHT, f"{hosts.copy}ru/c/{DATA}/"],
    ]
    assert page.evaluate(
        "[...document.images].every((image) => image.complete && image.naturalWidth > 300)"
    )
    fetched = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    for site in (hosts.site, hosts.copy):  # two elements of the one and one of the other
        assert sum(name.startswith(f"{site}assets/touchstone-runtime") for name in fetched) == 1
        assert sum(name.startswith(f"{site}assets/touchstone-mount") for name in fetched) == 1
    assert page.context.cookies() == before == []
    assert page.evaluate(
        "[localStorage.length, sessionStorage.length, location.search, history.length]"
    ) == [0, 0, "", 2]
    assert frames[0].evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
    assert frames[1].evaluate("origin") == "null"


def test_a_frame_follows_its_chart(visitor: Watched, hosts: Hosts) -> None:
    """With the host's script a frame is as high as what is in it, plain or sandboxed, also when
    that changes; without it, as written.
    """
    two = frame(hosts, TARGET, lang="ru") + frame(
        hosts, TARGET, 'sandbox="allow-scripts"', lang="ru"
    )
    page = visitor.page
    page.goto(hosts.write("followed", two, f"{hosts.site}{embed.FRAMES}"))
    heights = []
    for width in (900, 420):
        page.set_viewport_size({"width": width, "height": 900})
        for number in range(2):
            body = inner(page, number)
            page.wait_for_function(
                "([number, height]) => document.querySelectorAll('iframe')[number].clientHeight "
                "=== height",
                arg=[
                    number,
                    body.evaluate("Math.ceil(document.body.getBoundingClientRect().height)"),
                ],
            )
            assert body.evaluate("document.documentElement.scrollHeight <= innerHeight")
        heights.append(page.evaluate("document.querySelector('iframe').clientHeight"))
    assert heights[0] != heights[1]

    page.goto(hosts.write("fixed", two))
    inner(page, 0)
    assert page.evaluate(
        "[...document.querySelectorAll('iframe')].map((frame) => frame.clientHeight)"
    ) == [420, 420]


def test_only_a_frame_of_the_site_is_heard(visitor: Watched, hosts: Hosts) -> None:
    """What another frame says, or the page itself, moves nothing; what a chart says is bounded."""
    forger = '<iframe src="forger.html" title="forger"></iframe>'
    page = visitor.page
    page.goto(
        hosts.write("forged", frame(hosts, DATA, lang="ja") + forger, f"{hosts.site}{embed.FRAMES}")
    )
    body = inner(page)
    page.wait_for_function("() => document.querySelector('iframe').style.height")
    page.evaluate("window.postMessage({ touchstone: 'height', height: 2500 }, '*')")
    page.frame_locator("iframe >> nth=1").locator("script").wait_for(state="attached")
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))")

    high = [
        page.evaluate("[...document.querySelectorAll('iframe')].map((frame) => frame.clientHeight)")
    ]
    body.evaluate("parent.postMessage({ touchstone: 'height', height: 1e9 }, '*')")
    page.wait_for_function("() => document.querySelector('iframe').clientHeight === 4000")

    assert high[0][0] not in {2000, 2500} and high[0][1] == 420


def test_a_border_takes_nothing_from_the_chart(visitor: Watched, hosts: Hosts) -> None:
    """Where the page counts it as part of the frame's height, the frame is higher by it."""
    page = visitor.page
    page.goto(hosts.write("border", frame(hosts, DATA, lang="ja"), f"{hosts.site}{embed.FRAMES}"))
    body = inner(page)
    page.wait_for_function("() => document.querySelector('iframe').style.height")
    page.evaluate("""() => {
      const frame = document.querySelector("iframe");
      Object.assign(frame.style, { boxSizing: "border-box", border: "9px solid", height: "300px" });
      frame.contentWindow.postMessage({ touchstone: "tell" }, "*");
    }""")
    page.wait_for_function("() => document.querySelector('iframe').offsetHeight > 318")

    assert body.evaluate("() => document.documentElement.scrollHeight - innerHeight") <= 0


def test_a_frame_that_has_gone_elsewhere_is_not_heard(visitor: Watched, hosts: Hosts) -> None:
    """Its element still has the chart's address, but what is in it has another origin."""
    page = visitor.page
    page.goto(hosts.write("gone", frame(hosts, DATA, lang="ja"), f"{hosts.site}{embed.FRAMES}"))
    inner(page)
    page.wait_for_function("() => document.querySelector('iframe').style.height")
    page.evaluate("""() => new Promise((resolve) => {
      addEventListener("message", ({ data }) => data.height === 2000 && setTimeout(resolve));
      document.querySelector("iframe").contentWindow.location = "forger.html";
    })""")

    assert page.evaluate("document.querySelector('iframe').clientHeight") < 2000


@pytest.mark.parametrize("way", ["frame", "element"])
def test_auto_follows_the_device(visitor: Watched, hosts: Hosts, way: str) -> None:
    """When the reader's device turns dark, so do ground and marks, without loading anything
    again.
    """
    page = visitor.page
    page.emulate_media(color_scheme="light")
    if way == "frame":
        page.goto(
            hosts.write(
                "auto-frame",
                frame(hosts, THROUGHPUT, 'sandbox="allow-scripts"', lang="ja", theme="auto"),
            )
        )
        place: Page | Frame = inner(page)
    else:
        page.goto(hosts.write("auto-element", element(THROUGHPUT, lang="ja"), script(hosts.site)))
        drawn(page)
        place = page
    look = """() => {
      const root = document.querySelector("touchstone-chart")?.shadowRoot ?? document;
      const layer = root.querySelector(".ts-embed");
      return [getComputedStyle(layer).backgroundColor, root.querySelector(".ends_marks path").getAttribute("stroke")];
    }"""
    light = place.evaluate(look)

    page.emulate_media(color_scheme="dark")
    place.wait_for_function(f"was => ({look})()[1] !== was", arg=light[1])

    assert [light[0], place.evaluate(look)[0]] == [LIGHT, DARK]


def test_styles_do_not_cross_the_border(visitor: Watched, hosts: Hosts) -> None:
    """Under the worst style sheet each computed property of each part is what it is on a plain
    page; the page keeps its own.
    """
    page, body = (
        visitor.page,
        element(TARGET, lang="ja", theme="light") + "<p>text</p><button>x</button>",
    )
    outside = (
        "[...document.querySelectorAll('p, button')].map((part) => "
        "JSON.stringify(Object.values(getComputedStyle(part))))"
    )
    found = []
    for name, style in {"plain": PLAIN, "hostile": f"{PLAIN}{HOSTILE}"}.items():
        page.goto(hosts.write(f"{name}-alone", body, style=style))
        alone = page.evaluate(outside)
        page.goto(hosts.write(name, body, script(hosts.site), style=style))
        drawn(page)
        assert page.evaluate(outside) == alone
        found.append(page.locator("touchstone-chart").evaluate(STYLES))

    assert len(found[0]) == len(found[1]) > 100
    for (name, plain), (_, hostile) in zip(*found, strict=True):
        assert {
            key: (value, hostile[key]) for key, value in plain.items() if hostile[key] != value
        } == {}, name
    names = page.evaluate(
        "Object.keys(window).filter((name) => name.startsWith('touchstone')).sort()"
    )
    assert names == [
        "touchstoneChartsAt",
        "touchstoneData",
        "touchstoneRuntimes",
        "touchstoneSites",
    ]


def test_attributes_may_change(visitor: Watched, hosts: Hosts) -> None:
    """Language, theme, state, chart and site are followed while the element stands; the host's
    address is left alone.
    """
    page = visitor.page
    page.goto(
        hosts.write("changed", element(TARGET, lang="ja"), script(hosts.site), script(hosts.copy))
    )
    drawn(page)

    def change(name: str, value: str, wanted: str) -> None:
        page.locator("touchstone-chart").evaluate(
            f"element => element.setAttribute({json.dumps(name)}, {json.dumps(value)})"
        )
        page.wait_for_function(f"""() => {{
          const root = document.querySelector("touchstone-chart").shadowRoot, layer = root.querySelector(".ts-embed");
          return root.querySelector("[data-state=interactive]") && ({wanted});
        }}""")

    change("state", "measure=hours", "root.querySelector('[data-key=measure]').value === 'hours'")
    change("theme", "dark", f"getComputedStyle(layer).backgroundColor === '{DARK}'")
    change(
        "lang",
        "ru",
        "layer.lang === 'ru' && root.querySelector('[data-key=measure]').value === 'hours'",
    )
    change("chart", DATA, f"root.querySelector('figure').id === '{DATA}'")
    change("site", hosts.copy, f"root.querySelector('.ts-home').href.startsWith('{hosts.copy}')")
    assert page.url == f"{hosts.host}changed.html"
    assert shadow(page, "root.querySelectorAll('.ts-live').length") == 1


def test_it_works_with_the_keyboard_and_tells_what_the_pointer_is_on(
    visitor: Watched, hosts: Hosts
) -> None:
    """A series is left alone with the keyboard and the link goes there; the tooltip stands in the
    shadow and Escape takes it away.
    """
    page = visitor.page
    page.goto(hosts.write("used", element(THROUGHPUT, lang="ru"), script(hosts.site)))
    drawn(page)
    button = page.locator("touchstone-chart button[data-series]").first
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("touchstone-chart .ts-home[href*='?hide=']")

    page.wait_for_function("""() => {
      const root = document.querySelector("touchstone-chart").shadowRoot;
      return root.querySelectorAll(".ends_marks path").length === 1; // of three
    }""")
    mark = page.locator("touchstone-chart .ends_marks path").first.bounding_box()
    assert mark is not None
    page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    tooltip = page.locator("touchstone-chart .ts-tooltip")
    tooltip.wait_for()
    box = tooltip.bounding_box()
    assert box is not None and 0 < box["x"] < 900 and abs(box["y"] - mark["y"]) < 300
    page.keyboard.press("Escape")
    tooltip.wait_for(state="hidden")
    assert page.url == f"{hosts.host}used.html"


def test_an_element_that_goes_ends_its_view(visitor: Watched, hosts: Hosts) -> None:
    """Views are finalised when their elements leave the page, and an element that comes back draws
    again.
    """
    page = visitor.page
    page.goto(hosts.write("gone", element(DATA, lang="ja"), script(hosts.site)))
    drawn(page)
    page.evaluate("""() => {
      window.ended = 0;
      const [runtime] = Object.values(touchstoneRuntimes), { draw } = runtime;
      runtime.draw = async (...given) => {
        const view = await draw(...given), { finalize } = view;
        view.finalize = () => { window.ended += 1; return finalize.call(view); };
        return view;
      };
      window.kept = document.querySelector("touchstone-chart");
      window.place = kept.parentElement;
      kept.setAttribute("lang", "ru");
    }""")
    page.wait_for_function(
        "() => kept.shadowRoot.querySelector('[lang=ru] [data-state=interactive]')"
    )
    page.evaluate("kept.remove()")
    page.wait_for_function("() => ended === 1")
    page.evaluate("place.append(kept)")
    drawn(page)


def test_a_choice_in_a_frame_leaves_the_hosts_way_back_alone(
    visitor: Watched, hosts: Hosts
) -> None:
    """The link follows the choice, and the history of the page is as long as before."""
    page = visitor.page
    page.goto(hosts.write("history", frame(hosts, TARGET, 'sandbox="allow-scripts"', lang="ja")))
    body = inner(page)
    before = page.evaluate("history.length")

    body.select_option('select[data-key="measure"]', "hours")
    body.wait_for_selector(".ts-home[href*='measure=hours']")

    assert page.evaluate("history.length") == before


def _quiet(browser: Browser, *, scripts: bool = True) -> Iterator[tuple[Page, list[str]]]:
    context = browser.new_context(
        viewport={"width": 900, "height": 900}, java_script_enabled=scripts
    )
    context.set_default_timeout(15_000)
    page = context.new_page()
    said: list[str] = []
    page.on(
        "console",
        lambda message: said.append(message.text) if message.type in {"warning", "error"} else None,
    )
    yield page, said
    context.close()


@pytest.fixture
def quiet(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page that may complain, and its warnings."""
    yield from _quiet(browser)


@pytest.mark.parametrize(
    ("chart", "language", "words"),
    [("no-such-chart", "ja", "読み込めません"), ("../../en", "ru", "загрузить")],
)
def test_what_is_not_there_is_told(
    quiet: tuple[Page, list[str]], hosts: Hosts, chart: str, language: str, words: str
) -> None:
    """An unknown chart gives a message with its name and a warning; what stands in the element
    stays to be seen.
    """
    page, said = quiet
    page.goto(
        hosts.write("unknown", element(chart, "<b>own</b>", lang=language), script(hosts.site))
    )
    message = page.locator("touchstone-chart .ts-failed")
    message.wait_for()

    assert chart in message.inner_text() and words in message.inner_text()
    assert any(chart in line and language in line for line in said)
    assert page.locator("touchstone-chart b").is_visible()
    assert page.locator("touchstone-chart").bounding_box()["height"] < 150  # type: ignore[index]


def test_what_does_not_arrive_is_not_called_unknown(
    quiet: tuple[Page, list[str]], hosts: Hosts
) -> None:
    """A chart whose files are blocked: the message leaves open which it is, and the page's own
    picture stays.
    """
    page, _ = quiet
    page.route("**/data.*.js", lambda route: route.abort())
    page.goto(hosts.write("blocked", element(TARGET, "<b>own</b>"), script(hosts.site)))
    message = page.locator("touchstone-chart .ts-failed")
    message.wait_for()

    assert "or its files did not arrive" in message.inner_text()
    assert page.locator("touchstone-chart b").is_visible()


@pytest.mark.parametrize(
    ("asked", "around", "shown"),
    [("JA", "en", "ja"), ("ru-RU", "en", "ru"), ("tlh", "ja-JP", "ja"), ("tlh", "xx", "en")],
)
def test_a_language_is_read_by_its_first_part(
    quiet: tuple[Page, list[str]], hosts: Hosts, asked: str, around: str, shown: str
) -> None:
    """In any case; one that the site has not is warned of, and that of the text around or the first
    one shown.
    """
    page, said = quiet
    page.goto(
        hosts.write(
            "spoken", f'<div lang="{around}">{element(DATA, lang=asked)}</div>', script(hosts.site)
        )
    )
    drawn(page)

    assert shadow(page, "layer.lang") == shown
    assert [asked in line for line in said] == ([True] if asked == "tlh" else [])


@pytest.mark.parametrize("encoding", ["windows-1251", "shift_jis"])
def test_a_page_of_another_encoding_shows_the_same_letters(
    visitor: Watched, hosts: Hosts, encoding: str
) -> None:
    """Words, axis and numbers are those of a page in UTF-8."""
    page, found = visitor.page, []
    body = element(TARGET, lang="ru") + element(TARGET, lang="ja", state="view=relative")
    # two sites: a browser may keep a script as it has read it
    for code, site in (("utf-8", hosts.site), (encoding, hosts.copy)):
        page.goto(hosts.write(f"encoded-{code}", body, script(site), encoding=code))
        drawn(page, 2)
        found.append([shadow(page, "layer.textContent", each) for each in range(2)])

    assert page.evaluate("document.characterSet").lower() == encoding
    assert found[0] == found[1]


def test_scripts_for_hosts_are_ascii(folder: Path) -> None:
    """What others' pages load by a fixed name is read alike in any encoding."""
    loaded = [
        folder / embed.ELEMENT,
        folder / embed.FRAMES,
        *folder.glob("c/*/data.*.js"),
        *folder.glob("assets/touchstone-frame*.css"),
    ]

    assert len(loaded) == 2 + 9 + 1
    assert [path.name for path in loaded if not path.read_bytes().isascii()] == []


def test_its_own_content_stays_until_a_picture_has_come(
    quiet: tuple[Page, list[str]], hosts: Hosts
) -> None:
    """While our pictures and the runtime are on their way the page's picture shows, in the room
    that the chart will take.
    """
    page, _ = quiet
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/*-page*.svg", hold)
    page.route("**/touchstone-runtime.*", hold)
    page.goto(
        hosts.write("slow", element(TARGET, "<b>own</b>", lang="ja"), script(hosts.site)),
        wait_until="commit",  # what is held could hold back the load event
    )
    page.wait_for_selector("touchstone-chart .ts-waiting", state="attached")
    page.wait_for_function("() => window.touchstoneChartsAt")
    height = "document.querySelector('touchstone-chart').clientHeight"
    before = page.evaluate(height)
    assert (
        page.locator("touchstone-chart b").is_visible()
        and not page.locator("touchstone-chart h3").is_visible()
    )

    pictures = [route for route in held if "-page" in route.request.url]
    for route in pictures:
        route.continue_()
    page.locator("touchstone-chart h3").wait_for()

    assert not page.locator("touchstone-chart b").is_visible()
    assert page.evaluate(height) == before > 300
    for route in held:
        if route not in pictures:
            route.abort()


def test_room_is_kept_until_the_data_come(quiet: tuple[Page, list[str]], hosts: Hosts) -> None:
    """An element with nothing in it takes a chart's room from the start; one with a picture takes
    the picture's.
    """
    page, _ = quiet
    page.route("**/data.*.js", lambda _: None)
    picture = f'<img src="{hosts.site}c/{DATA}/ja.svg" alt="x" width="400" height="300">'
    page.goto(
        hosts.write("early", element(DATA) + element(DATA, picture), script(hosts.site)),
        wait_until="commit",  # data that never come could hold back the load event
    )
    page.wait_for_function("() => document.querySelectorAll('touchstone-chart')[1]?.shadowRoot")
    rooms = page.evaluate(
        "[...document.querySelectorAll('.place')].map((place) => place.clientHeight)"
    )

    assert rooms[0] == 600 and 300 <= rooms[1] < 320


def test_the_readers_choice_stays(visitor: Watched, hosts: Hosts) -> None:
    """When the element leaves and comes back, changes theme or language; a state from the page
    comes first again.
    """
    page = visitor.page
    page.goto(hosts.write("chosen", element(TARGET, lang="ja"), script(hosts.site)))
    drawn(page)
    chosen = (
        "document.querySelector('touchstone-chart').shadowRoot.querySelector('[data-state] "
        "[data-key=measure]')?.value"
    )
    place = page.locator("touchstone-chart")
    place.locator("[data-key=measure]").select_option("hours")

    page.evaluate(
        "window.kept = document.querySelector('touchstone-chart'); window.home = "
        "kept.parentElement; kept.remove()"
    )
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 50))")
    page.evaluate("kept.shadowRoot.querySelector('.ts-embed').id = 'old'; home.append(kept)")
    page.wait_for_function(f"() => !kept.shadowRoot.querySelector('#old') && {chosen} === 'hours'")
    place.evaluate("element => element.setAttribute('theme', 'dark')")
    page.wait_for_function("() => kept.shadowRoot.querySelector('[data-theme=dark]')")
    assert page.evaluate(chosen) == "hours"
    place.evaluate("element => element.setAttribute('lang', 'ru')")
    page.wait_for_function(
        f"() => kept.shadowRoot.querySelector('[lang=ru]') && {chosen} === 'hours'"
    )
    place.evaluate("element => element.setAttribute('state', 'scale=log')")
    page.wait_for_function(f"() => {chosen} !== 'hours'")


def test_words_of_controls_are_whole(visitor: Watched, hosts: Hosts) -> None:
    """In 220 pixels no name of a control breaks inside a word: each has a line, or as many as it
    has words.
    """
    page = visitor.page
    narrow = f'<div class="narrow">{element(TARGET, lang="en", state="view=relative")}</div>'
    page.goto(
        hosts.write(
            "narrow", narrow, script(hosts.site), style=f"{PLAIN}.narrow {{ width: 220px; }}"
        )
    )
    drawn(page)
    broken = """[...root.querySelectorAll(".ts-control > span")].filter((label) => label.clientWidth || label.getClientRects().length)
      .filter((label) => label.getClientRects().length > 0 && label.offsetHeight > 1.6 * 13 * label.textContent.trim().split(" ").length)
      .map((label) => label.textContent)"""

    assert shadow(page, broken) == []
    assert shadow(page, "layer.scrollWidth <= layer.clientWidth")


def test_a_frame_answers_wordpress(visitor: Watched, hosts: Hosts) -> None:
    """With the secret of its address it tells its height as WordPress hears it, again when the host
    says that it is ready.
    """
    page = visitor.page
    (hosts.pages / "hears.js").write_text(
        "window.told = []; addEventListener('message', ({ data }) => told.push(data));", "utf-8"
    )
    placed = f'<script src="hears.js"></script>{frame(hosts, DATA, lang="ja")}'.replace(
        'lang=ja"', 'lang=ja#?secret=a1B2c3"'
    )
    page.goto(hosts.write("wordpress", placed))
    body = inner(page)
    heard = "told.filter(({ message, secret }) => message === 'height' && secret === 'a1B2c3')"
    page.wait_for_function(f"() => {heard}.length")
    high = body.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
    page.wait_for_function(f"high => {heard}.at(-1).value === high", arg=high)
    page.evaluate(
        "told.length = 0; document.querySelector('iframe').contentWindow.postMessage({ message: "
        "'ready', secret: 'a1B2c3' }, '*')"
    )
    page.wait_for_function(f"() => {heard}.length")


@pytest.mark.parametrize("width", [390, 700])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_frame_without_scripts_shows_the_whole_picture(
    browser: Browser, hosts: Hosts, width: int, scheme: Literal["light", "dark"]
) -> None:
    """On a phone the phone's, with title, notes and credit; nothing is cut, in the colours of the
    device.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 900}, java_script_enabled=False, color_scheme=scheme
    )
    page = context.new_page()
    page.goto(f"{hosts.site}c/{TARGET}/embed.html?lang=en")
    picture = page.locator("noscript img")
    box = picture.bounding_box()
    shown = picture.evaluate("image => image.currentSrc.split('/').at(-1)")

    dark = scheme == "dark"
    assert shown == (
        ("en-phone.svg#dark" if dark else "en-phone.svg")
        if width == 390
        else ("en-dark.svg" if dark else "en.svg")
    )
    assert (
        box is not None
        and box["x"] >= 0
        and box["x"] + box["width"] <= width
        and box["height"] > 200
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert [page.locator(f"noscript {part}").is_visible() for part in ("h1", "figcaption")] == [
        width == 390
    ] * 2
    context.close()


@pytest.mark.parametrize("width", [360, 700])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_in_a_post_is_the_one_for_the_screen(
    browser: Browser, hosts: Hosts, folder: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    """As narrow and as dark as the device, in its own proportions and within the page; the
    element's too, before it is known.
    """
    kinds = {"svg": "svg", "both": "svg-dark", "narrow": "narrow"}
    files = {name: share_pictures.names("ja")[kind] for name, kind in kinds.items()}
    files["narrow_both"] = f"{files['narrow']}#{share_pictures.DARK}"
    (wide, high), (narrow, tall) = (
        share_pictures.size((folder / "c" / TARGET / files[name]).read_bytes())
        for name in ("svg", "narrow")
    )
    sizes = {"width": wide, "picture_height": high, "narrow_width": narrow, "narrow_height": tall}
    told = {
        "page": hosts.site,
        "title": "x",
        "base": hosts.site,
        "id": TARGET,
        "lang": "ja",
        "theme": "",
        "query": "",
    }
    values = {name: f"{hosts.site}c/{TARGET}/{file}" for name, file in files.items()} | {
        name: str(size) for name, size in sizes.items()
    }
    context = browser.new_context(
        viewport={"width": width, "height": 900}, java_script_enabled=False, color_scheme=scheme
    )
    page = context.new_page()
    on_phone, dark = width < 480, "_both" if scheme == "dark" else ""

    for way in ("picture", "element"):
        post = snippets.fill(snippets.FORMATS[way], values | told)
        page.set_content(f'<meta name="viewport" content="width=device-width">{post}')
        picture = page.locator("img")
        box = picture.bounding_box()
        shown = picture.evaluate("image => image.currentSrc.split('/').at(-1)")
        assert shown == files[f"narrow{dark}" if on_phone else "both" if dark else "svg"]
        assert box is not None and 300 < box["width"] <= width
        assert box["height"] / box["width"] == pytest.approx(
            tall / narrow if on_phone else high / wide, rel=0.01
        )
    context.close()


def test_without_the_runtime_picture_and_link_stay(
    quiet: tuple[Page, list[str]], hosts: Hosts
) -> None:
    """When the runtime cannot be had, the element shows the picture with its sentence, and the
    link.
    """
    page, said = quiet
    page.route("**/touchstone-runtime.*", lambda route: route.abort())
    page.goto(hosts.write("bare", element(TARGET, lang="ja"), script(hosts.site)))
    page.wait_for_selector("touchstone-chart [data-state=picture]")

    assert len(shadow(page, "root.querySelector('.ts-light img').alt")) > 20
    assert (
        page.locator("touchstone-chart img:visible").count()
        == page.locator("touchstone-chart a.ts-home:visible").count()
        == 1
    )
    assert any("runtime" in line for line in said)


@pytest.mark.parametrize("scripts", [False, True])
def test_before_the_element_is_known_its_own_content_shows(
    browser: Browser, hosts: Hosts, scripts: bool
) -> None:
    """Without JavaScript, or while the script has not come, the picture in the element is there;
    once drawn it is hidden.
    """
    fallback = (
        f'<a href="{hosts.site}ja/c/{TARGET}/"><img src="{hosts.site}c/{TARGET}/ja.svg" '
        'alt="x"></a>'
    )
    address = hosts.write("fallback", element(TARGET, fallback, lang="ja"), script(hosts.site))
    for page, _ in _quiet(browser, scripts=scripts):
        page.goto(address)
        own = page.locator("touchstone-chart > a > img")
        if scripts:
            drawn(page)
            assert not own.is_visible()
        else:
            assert own.is_visible()


def test_a_frame_from_a_folder_draws(quiet: tuple[Page, list[str]], folder: Path) -> None:
    """The frame's own policy holds from file:// too, where nothing has an origin; so does the
    element.
    """
    page, said = quiet
    page.goto((folder / "c" / DATA / "embed.html").as_uri() + "?lang=ru")
    page.wait_for_selector("[data-state=interactive]")
    local = folder / "page.html"
    placed = (
        f'<touchstone-chart chart="{DATA}"></touchstone-chart><script src="{embed.ELEMENT}">'
        "</script>"
    )
    local.write_text(f"<!doctype html><title>x</title>{placed}", "utf-8")
    page.goto(local.as_uri())
    drawn(page)
    assert said == []


def test_scripts_for_hosts_are_small(folder: Path) -> None:
    """That for frames is below 1 KB in gzip, that of the element below 4 KB."""
    assert len(gzip.compress((folder / embed.FRAMES).read_bytes(), 9)) < 1000
    assert len(gzip.compress((folder / embed.ELEMENT).read_bytes(), 9)) < 4000


def test_pages_frames_and_elements_load_their_own_part(folder: Path) -> None:
    """What only one of them does no other is sent; what a frame has for all charts, runtime aside,
    is below 7.3 KB in gzip.
    """
    sent = {
        kind: next((folder / "assets").glob(f"touchstone-{kind}.*.js")).read_text("utf-8")
        for kind in PARTS
    }
    style = next((folder / "assets").glob("touchstone-frame.*.css")).read_bytes()

    assert {
        word: [kind for kind, code in sent.items() if word in code] for word in PARTS.values()
    } == {word: [kind] for kind, word in PARTS.items()}
    assert len(gzip.compress(sent["frame"].encode(), 9)) + len(gzip.compress(style, 9)) < 7300
