"""Charts in a real browser: they draw what Python would, in any state, under a strict policy, and
stand without it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page

from kernels import catalog
from site_src import charts, locales
from site_src.charts import pictures, runtime
from site_src.charts.drawn import Options
from site_src.evidence import Evidence
from site_src.figures import presets
from site_src.figures.base import Figure
from site_src.locales import Locale
from site_src.tables import Row
from tests.browser.visitor import lay, live, serve, styles, uncomplaining, unfold
from tests.makers import transcribed
from tests.site_src import drawing
from tests.site_src.charts import stand_ins

REPOSITORY = Path(__file__).resolve().parents[2]
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"
STATES: tuple[tuple[str, dict[str, str]], ...] = (
    ("tpuv2-v100-throughput", {}),
    ("tpuv2-v100-throughput", {"basis": "chip", "hide": "aws-p3.8xlarge-mxnet"}),
    (
        "tpuv2-v100-throughput",
        {"view": "relative", "baseline": "aws-p3.8xlarge-tensorflow", "scale": "log"},
    ),
    ("tpuv2-v100-throughput", {"basis": "chip", "scale": "log"}),
    ("tpuv2-v100-target", {"measure": "hours", "scale": "log"}),
    ("tpuv2-v100-data", {"view": "relative", "baseline": "aws-p3.8xlarge-tensorflow"}),
    ("tpuv2-v100-value", {"measure": "images"}),
    ("tpuv2-v100-target", {"target": "0.764", "measure": "hours"}),
    ("tpuv2-v100-target", {"target": "0.764", "measure": "cost", "view": "relative"}),
    ("tpuv2-v100-target", {"target": "junk", "nonsense": "1"}),
    (
        "catalyst-cost-platforms",
        {"workload": "resnet34-artists", "measure": "hourly", "scale": "log"},
    ),
    (
        "catalyst-cost-platforms",
        {"measure": "cost", "view": "relative", "baseline": "hostkey-1080ti-catalyst"},
    ),
    ("catalyst-cost-frontier", {"workload": "resnet34-artists", "scale": "linear"}),
    ("catalyst-cost-tenancy", {"scale": "log"}),
    ("catalyst-cost-tenancy", {"view": "relative", "baseline": "hostkey-1080ti-catalyst"}),
    ("catalyst-cost-cards", {"measure": "efficiency"}),
    ("catalyst-cost-cards", {"workload": "resnet34-artists", "measure": "cost_change"}),
    (
        "rtx2080ti-colab-tpu-batch",
        {"workload": "wrn28-10-cifar10", "measure": "total", "scale": "log"},
    ),
    (
        "rtx2080ti-colab-tpu-batch",
        {"measure": "epoch", "view": "relative", "baseline": "colab-tpu-v2-8-keras"},
    ),
    ("rtx2080ti-colab-tpu-startup", {"workload": "wrn28-10-cifar10", "measure": "break_even"}),
    ("rtx2080ti-colab-tpu-accuracy", {"workload": "wrn28-10-cifar10", "measure": "points"}),
    ("rtx2080ti-colab-tpu-cards", {"measure": "efficiency_steady"}),
    ("rtx2080ti-colab-tpu-monitoring", {"quantity": "load"}),
    ("rtx2080ti-colab-tpu-learning-rate", {"scale": "linear"}),
    (
        "rtx2080ti-colab-tpu-energy",
        {"workload": "wrn28-10-cifar10", "batch": "128", "power": "measured"},
    ),
    ("rtx2080ti-colab-tpu-largest-batch", {"workload": "cnn10-cifar10"}),
    ("t4-v100-mlperf-specifications", {"scale": "linear"}),
    ("t4-v100-mlperf-ratios", {}),
    ("t4-v100-mlperf-epochs", {"workload": "transformer-wmt-en-de"}),
    ("t4-v100-mlperf-epochs", {"view": "relative", "baseline": "poweredge-r740-v100-pytorch"}),
    ("t4-v100-mlperf-superlinear", {}),
    ("small", {"view": "relative", "baseline": "aws-p3.8xlarge-tensorflow"}),
)


@dataclass(frozen=True)
class Drawn:
    """Where a drawing has its marks and the words at them, and which rows have which."""

    marks: str = ".ends_marks path"
    marked: Callable[[Row], bool] = lambda row: row["value"] is not None
    words: str = ".role-mark text"
    said: Callable[[Row], bool] = lambda _: True


USUAL = Drawn()
OTHERWISE = {
    "catalyst-cost-frontier": Drawn(".points_marks path", said=lambda _: False),
    "rtx2080ti-colab-tpu-accuracy": Drawn(
        ".points_marks path", words=".reasons_marks text", said=lambda row: row["value"] is None
    ),
    "rtx2080ti-colab-tpu-largest-batch": Drawn(
        ".fitting_marks path, .largest_marks path",
        words=".figures_marks text",
        said=lambda row: row["outcome"] == "largest",
    ),
    "rtx2080ti-colab-tpu-learning-rate": Drawn(
        ".steps_marks line", words=".rates_marks text", said=lambda row: row["start"] != 0
    ),
    "t4-v100-mlperf-superlinear": Drawn(marked=lambda row: row["part"] == "speedup"),
}
"""Charts whose marks are no ends of bars, or where not every mark bears its figure."""


@pytest.fixture(scope="module")
def language() -> Locale:
    """The reference language."""
    return locales.load(REPOSITORY / "site_src" / "strings", ["en"])[0]


@pytest.fixture(scope="module")
def drawn() -> dict[str, Figure]:
    """The figures of the articles, and one whose ratios are small."""
    archive = transcribed()
    known = catalog.load()
    made = {figure.id: figure for figure in drawing.figures(Evidence(archive, known))}
    usual = made["tpuv2-v100-throughput"]
    less = usual.table["throughput"].where(
        usual.table["series"] == "aws-p3.8xlarge-tensorflow", usual.table["throughput"] / 400
    )
    return {**made, "small": replace(usual, id="small", table=usual.table.assign(throughput=less))}


@pytest.fixture(scope="module")
def folder(
    drawn: dict[str, Figure], language: Locale, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The charts' files as a site has them, pictures stood in for, with a page that holds two of
    them.
    """
    client = runtime.build("slim", REPOSITORY / ".cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "draw", stand_ins.draw)
        made = drawing.draw(
            list(drawn.values()),
            [language],
            client,
            Options(REPOSITORY / ".cache", date(2026, 11, 20)),
        )
    out = lay(tmp_path_factory.mktemp("charts"), drawing.assets(made, client))
    blocks = "".join(
        charts.block(made[f"tpuv2-v100-{name}"], language, "../../")
        for name in ("throughput", "target")
    )
    root = "../../"
    head = f"{styles(out)(root)}{charts.head(root, made['tpuv2-v100-target'].client)}"
    (out / "favicon.ico").touch()  # a browser asks for it by itself
    page = out / "en" / "page" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>x</title>{head}'
        '<body data-md-color-scheme="default">'
        f"{blocks}</body></html>",
        "utf-8",
    )
    return out


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Where a strict server has them: no inline scripts, inline styles, eval and other hosts."""
    yield from serve(folder, "", POLICY)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails the test when its console complains."""
    with uncomplaining(browser, viewport={"width": 900, "height": 900}) as made:
        yield made


@pytest.mark.parametrize("asked", STATES)
def test_the_browser_draws_the_rows_that_python_draws(
    asked: tuple[str, dict[str, str]],
    drawn: dict[str, Figure],
    language: Locale,
    address: str,
    page: Page,
) -> None:
    """In each state the words at the marks, their number and the axis title are those of
    `Figure.rows`.
    """
    chart, state = asked
    page.goto(f"{address}c/{chart}/embed.html?{urlencode({'lang': 'en', **state})}")
    live(page, chart)

    rows, seen, drawing = (
        drawn[chart].rows(language, state),
        OTHERWISE.get(chart, USUAL),
        page.locator(".ts-live svg"),
    )
    written = {str(row["text"]) for row in rows}

    texts = [text for text in drawing.locator(seen.words).all_text_contents() if text in written]
    assert sorted(texts) == sorted(str(row["text"]) for row in rows if seen.said(row))
    assert drawing.locator(seen.marks).count() == sum(map(seen.marked, rows))
    assert (
        drawn[chart].axis_title(language, state)
        in drawing.locator(".role-axis-title text").all_text_contents()
    )
    assert page.locator(".ts-live").get_attribute("aria-label") == _said(
        drawn[chart], drawn[chart].decides(state), language
    )


def _said(figure: Figure, chosen: dict[str, str], locale: Locale) -> str:
    """The headline of a state by what of it decides, with the words before that of another."""
    found = next(
        (text for state, text in presets.headlines(figure, locale) if state == chosen), None
    )
    for key, words in (("hide", "headline_shown"), ("view", "headline_absolute")):
        if found is None and key in chosen:
            rest = {
                name: value
                for name, value in chosen.items()
                if name not in {key, "baseline"} or (key, name) == ("hide", "baseline")
            }
            return locale.say(f"figure.{words}", headline=_said(figure, rest, locale))
    return figure.headline(locale) if found is None else found


def test_the_headline_of_a_page_follows_its_chart(address: str, page: Page) -> None:
    """Another target has another headline, a hidden series one that says so, and the first comes
    back with its figures.
    """
    page.goto(f"{address}en/page/")
    live(page, "tpuv2-v100-target")
    headline = page.locator("#tpuv2-v100-target .ts-headline")
    first = headline.inner_html()

    page.select_option('#tpuv2-v100-target select[data-key="target"]', "0.764")
    assert headline.inner_text().startswith("Reaching 76.4")
    page.click('#tpuv2-v100-target button[data-series="aws-p3.8xlarge-tensorflow"]')
    assert headline.inner_text().startswith("With no series hidden: Reaching 76.4")
    page.click("#tpuv2-v100-target .ts-reset")

    assert "<data" in first and headline.inner_html() == first


def test_controls_change_chart_table_and_address(address: str, page: Page) -> None:
    """A choice redraws its chart alone, hides the table's other rows, and stands in the address
    under the chart's name; a series clicked is alone.
    """
    page.goto(f"{address}en/page/")
    for name in ("throughput", "target"):
        live(page, f"tpuv2-v100-{name}")

    page.select_option('#tpuv2-v100-target select[data-key="measure"]', "epochs")
    page.click('#tpuv2-v100-throughput button[data-series="aws-p3.8xlarge-mxnet"]')

    page.wait_for_function(
        "document.querySelector('#tpuv2-v100-target .ts-status').textContent !== ''"
    )
    others = "throughput.hide=cloud-tpu-v2-8-tensorflow,aws-p3.8xlarge-tensorflow"
    assert page.url.endswith(f"?target.measure=epochs&{others}")
    for name in ("throughput", "target"):
        unfold(page, f"tpuv2-v100-{name}")
    assert page.locator("#tpuv2-v100-target tbody tr:visible").count() == 2
    assert page.locator("#tpuv2-v100-throughput tbody tr:visible").count() == 2
    page.click("#tpuv2-v100-target .ts-reset")
    assert page.url.endswith(f"?{others}")


def test_the_way_back_leads_through_what_was_chosen(address: str, page: Page) -> None:
    """What an unprefixed key or a preset said to both charts stays with the other one, and comes
    back for both.
    """
    page.goto(f"{address}en/page/?scale=log&nonsense=1")
    for name in ("throughput", "target"):
        live(page, f"tpuv2-v100-{name}")
    scale = '#tpuv2-v100-{} select[data-key="scale"]'

    page.select_option(scale.format("target"), "linear")
    page.select_option(scale.format("throughput"), "linear")
    assert page.url.endswith("?nonsense=1")
    seen = []
    for step in (page.go_back, page.go_back, page.go_forward):
        step()
        seen.append(
            (
                page.url.partition("?")[2],
                *(
                    page.locator(scale.format(name)).input_value()
                    for name in ("throughput", "target")
                ),
            )
        )

    assert seen == [
        ("nonsense=1&throughput.scale=log", "log", "linear"),
        ("scale=log&nonsense=1", "log", "log"),
        ("nonsense=1&throughput.scale=log", "log", "linear"),
    ]


def test_an_unprefixed_key_speaks_to_every_chart(address: str, page: Page) -> None:
    """`scale=log` alone reaches both charts of a page."""
    page.goto(f"{address}en/page/?scale=log")
    for name in ("throughput", "target"):
        live(page, f"tpuv2-v100-{name}")
        assert page.locator(f'#tpuv2-v100-{name} select[data-key="scale"]').input_value() == "log"


def test_a_column_sorts_by_its_machine_values(address: str, page: Page) -> None:
    """Missing figures come last, and the direction is told."""
    page.goto(f"{address}en/page/")
    live(page, "tpuv2-v100-throughput")
    unfold(page, "tpuv2-v100-throughput")
    head = page.locator("#tpuv2-v100-throughput thead th").nth(3)

    head.locator("button").click()

    cells = page.locator("#tpuv2-v100-throughput tbody tr td:nth-child(4)").all_text_contents()
    assert head.get_attribute("aria-sort") == "ascending"
    assert cells[0] == "3,128" and cells[-1] == "out of memory"


def test_charts_run_from_a_folder(folder: Path, page: Page) -> None:
    """Opened from the disk, an embed draws: nothing is fetched."""
    page.goto((folder / "c" / "tpuv2-v100-target" / "embed.html").as_uri() + "?theme=dark")
    live(page, "tpuv2-v100-target")

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(30, 33, 41)"


def test_a_table_that_comes_follows_the_chart(address: str, page: Page) -> None:
    """Opened before its chart is in sight it has the rows of the address's state, and links that
    lead where they would on the chart's own page; closed and opened again it is as it was.
    """
    page.goto(f"{address}en/page/?target.measure=epochs")
    unfold(page, "tpuv2-v100-target")
    rows = page.locator("#tpuv2-v100-target tbody tr:visible")
    links = "links => links.map((link) => link.href)"

    assert rows.count() == 2
    for _ in range(2):
        page.click("#tpuv2-v100-target .ts-numbers > summary")
    assert rows.count() == 2
    found = page.locator("#tpuv2-v100-target tbody a").evaluate_all(links)
    assert found and all(link.startswith(f"{address}en/results/") for link in found)


def test_a_page_of_several_charts_has_each_chart_s_data_by_need(address: str, page: Page) -> None:
    """What is far below is fetched when one comes near, or a choice is written into an address
    that speaks to it too.
    """
    page.add_init_script(
        "document.addEventListener('readystatechange', () => "
        "{ document.querySelector('.ts-figure').style.marginBottom = '4000px'; }, { once: true })"
    )
    page.goto(f"{address}en/page/?scale=log")
    first, *rest = page.evaluate("touchstoneCharts.figures.map((figure) => figure.id)")
    live(page, first)
    before = page.evaluate("touchstoneCharts.charts.length")

    page.locator(f'#{first} select[data-key="scale"]').select_option("linear")
    page.wait_for_function("() => location.search.endsWith('.scale=log')")

    assert (before, len(rest)) == (1, 1)
    assert page.evaluate("touchstoneCharts.charts.length") == 2


def test_without_the_runtime_the_picture_stays(address: str, browser: Browser) -> None:
    """When the runtime cannot be loaded, picture and table stand and the controls stay hidden."""
    context = browser.new_context(viewport={"width": 900, "height": 900})
    page = context.new_page()
    page.route("**/touchstone-runtime.*", lambda route: route.abort())
    page.goto(f"{address}en/page/")
    page.locator("#tpuv2-v100-target").scroll_into_view_if_needed()
    page.wait_for_selector('#tpuv2-v100-target[data-state="picture"]')

    assert page.locator("#tpuv2-v100-target picture img:visible").count() == 1
    assert page.locator("#tpuv2-v100-target .ts-controls:visible").count() == 0
    context.close()
