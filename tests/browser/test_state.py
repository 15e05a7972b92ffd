"""What a reader has chosen goes along: into the address, another language, another theme, and
back.
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Page

from kernels import catalog
from site_src import charts
from site_src.build import shell
from site_src.charts import pictures, runtime
from site_src.charts.drawn import Options
from site_src.evidence import Evidence
from site_src.figures.base import Figure
from tests.browser.visitor import lay, live, serve, styles
from tests.makers import transcribed
from tests.site_src import drawing, recorded
from tests.site_src.charts import stand_ins

REPOSITORY = Path(__file__).resolve().parents[2]
CHART = "catalyst-cost-platforms"
CHOSEN = {
    "workload": "resnet34-artists",
    "measure": "cost",
    "scale": "log",
    "view": "relative",
    "baseline": "hostkey-1080ti-catalyst",
    "hide": "hostkey-1080ti-vds-catalyst,aws-p2.xlarge-catalyst",
}
"""Five choices and the series that are taken away, none as it is at first."""

LIST = (
    '<form data-ts-filters hidden><select name="kind"><option value="">all<option '
    'value="cpu">cpu<option value="gpu">gpu</select>'
    '<select name="year"><option value="">all<option value="2018">2018</select><button '
    'type="reset">all</button>'
    '<p data-ts-said="{left} of {all}"></p></form><table data-ts-filtered><tbody><tr '
    'data-f-kind="cpu" data-f-year="2018"><td>a</td></tr>'
    '<tr data-f-kind="gpu" data-f-year="2018"><td>b</td></tr><tr data-f-kind="gpu" '
    'data-f-year="2020"><td>c</td></tr></tbody></table>'
)


FOLDS = "".join(
    f'<section data-ts-filtered><details data-ts-fold="1"><summary>{kind}</summary><noscript>'
    f'<table class="ts-sortable"><thead><tr><th data-sort="text">kind</th></tr></thead><tbody>'
    f'<tr id="{kind}" data-f-kind="{kind}"><td>{kind}</td></tr></tbody></table></noscript>'
    "</details></section>"
    for kind in ("cpu", "gpu")
)
"""A list whose parts are text until somebody opens them."""


@pytest.fixture(scope="module")
def figure() -> Figure:
    """A chart with every kind of choice."""
    archive = transcribed("catalyst-cost")
    known = catalog.load()
    return next(one for one in drawing.figures(Evidence(archive, known)) if one.id == CHART)


@pytest.fixture(scope="module")
def address(figure: Figure, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page with the chart and a list, in two languages, with the site's own script and its links
    to the other language.
    """
    languages = [recorded.english(), recorded.foreign()]
    client = runtime.build("slim", REPOSITORY / ".cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "draw", stand_ins.draw)
        made = drawing.draw(
            [figure], languages, client, Options(REPOSITORY / ".cache", date(2026, 11, 20))
        )
    out = lay(tmp_path_factory.mktemp("state"), drawing.assets(made, client))
    links = "".join(
        f'<li><a href="../../{one.code}/page/" hreflang="{one.code}">{one.code}</a></li>'
        for one in languages
    )
    tools = (
        '<button data-ts-theme hidden>theme</button><details class="ts-lang">'
        f"<summary>language</summary><ul>{links}</ul></details>"
    )
    linked = styles(out)
    for one in languages:
        script = shell.script(
            one,
            "assets/search.js",
            (REPOSITORY / "site_src" / "assets" / "site.js").read_text("utf-8"),
        )
        (out / "assets" / f"site.{one.code}.js").write_text(script, "utf-8")
        form = LIST.partition("<table")[0]
        for name, body in {
            "page": f"{LIST}{charts.block(made[CHART], one, '../../')}",
            "folds": f"{form}{FOLDS}",
        }.items():
            page = out / one.code / name / "index.html"
            page.parent.mkdir(parents=True)
            page.write_text(
                f'<!doctype html><html lang="{one.code}" dir="{one.direction}">'
                f'<meta charset="utf-8"><title>x</title>'
                f"{linked('../../')}{charts.head('../../', made[CHART].client)}<body>{tools}{body}"
                f'<script src="../../assets/site.{one.code}.js"></script></html>',
                "utf-8",
            )
    yield from serve(out, "")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a fresh browser that fails the test when its scripts do."""
    context = browser.new_context(viewport={"width": 900, "height": 900})
    made = context.new_page()
    wrong: list[str] = []
    made.on("pageerror", lambda error: wrong.append(str(error)))
    yield made
    context.close()
    assert not wrong, wrong


def _open(page: Page, address: str, language: str = "en", **state: str) -> None:
    page.goto(f"{address}{language}/page/?{urlencode(state)}")
    live(page, CHART)


def _asked(page: Page) -> dict[str, str]:
    """What the address says."""
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def _choices(page: Page) -> dict[str, str]:
    """What the controls and the legend say."""
    return dict(
        page.evaluate(
            """(id) => {
          const all = (selector) => [...document.querySelectorAll(`#${id} ${selector}`)];
          const chosen = Object.fromEntries(all(".ts-controls select").map((select) => [select.dataset.key, select.value]));
          const out = all('.ts-legend button[aria-pressed="false"]').map((button) => button.dataset.series);
          return out.length ? { ...chosen, hide: out.join(",") } : chosen;
        }""",
            CHART,
        )
    )


def _marks(page: Page) -> list[str]:
    """The ends of the bars that are drawn."""
    marks = page.locator(f"#{CHART} .ts-live .ends_marks path")
    return [
        str(one) for one in marks.evaluate_all("all => all.map((mark) => mark.getAttribute('d'))")
    ]


def _choose(page: Page, **state: str) -> None:
    for key, value in state.items():
        if key == "hide":
            for series in value.split(","):
                page.click(
                    f'#{CHART} .ts-legend button[data-series="{series}"]', modifiers=["Shift"]
                )
        else:
            page.select_option(f'#{CHART} select[data-key="{key}"]', value)


def test_every_choice_stands_in_the_address_and_goes_to_the_other_language_and_theme(
    page: Page, address: str
) -> None:
    """With five choices and two series taken away, controls, drawing and address are the same after
    either switch.
    """
    _open(page, address)
    _choose(page, **CHOSEN)
    page.wait_for_function("document.querySelectorAll('.ts-live .ends_marks path').length === 2")
    drawn = _marks(page)

    page.click("[data-ts-theme]")
    page.click("[data-ts-theme]")
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    assert _asked(page) == _choices(page) == CHOSEN

    page.click(".ts-lang summary")
    page.click('.ts-lang a[hreflang="qq"]')
    page.wait_for_url("**/qq/page/**")
    live(page, CHART)
    assert page.evaluate("document.documentElement.lang") == "qq"
    assert _asked(page) == _choices(page) == CHOSEN
    assert len(_marks(page)) == len(drawn)


def test_the_link_gives_the_same_view_in_a_fresh_browser_in_another_language(
    page: Page, address: str
) -> None:
    """Without anything remembered, and with what nobody knows left alone in the address."""
    _open(page, address, "qq", **CHOSEN, campaign="spring", scale_of_things="1")

    assert _choices(page) == CHOSEN
    assert page.locator(f"#{CHART} .ts-live .ends_marks path").count() == 2
    _choose(page, measure="hourly")
    assert _asked(page) == {
        **CHOSEN,
        "measure": "hourly",
        "campaign": "spring",
        "scale_of_things": "1",
    }


def test_back_and_forward_walk_through_the_states(page: Page, address: str) -> None:
    """Each choice is one step; the chart follows, to the first state and to the last."""
    _open(page, address)
    before = page.evaluate("history.length")
    steps: list[dict[str, Any]] = [{}]
    for key in ("workload", "measure", "scale"):
        _choose(page, **{key: CHOSEN[key]})
        steps.append({**steps[-1], key: CHOSEN[key]})
    assert page.evaluate("history.length") == before + 3

    for step in (*steps[-2::-1], *steps[1:]):
        page.go_back() if len(step) < len(_asked(page)) else page.go_forward()
        page.wait_for_function(
            "(many) => [...new URLSearchParams(location.search)].length === many", arg=len(step)
        )
        assert _asked(page) == step
        assert {key: value for key, value in _choices(page).items() if key in step} == step
    assert _choices(page)["measure"] == "cost"


def test_a_preset_is_its_state_until_something_is_chosen(
    page: Page, address: str, figure: Figure
) -> None:
    """`?preset=` draws the state of that name; a choice on top of it is written out, and the name
    is gone.
    """
    preset = next(one for one in figure.presets if one.id == "cost")
    _open(page, address, preset="cost", view="relative")
    chosen = _choices(page)
    assert {key: chosen[key] for key in preset.state} == preset.state
    assert chosen["view"] == "relative"

    _choose(page, scale="log")
    baseline = page.input_value(f'#{CHART} select[data-key="baseline"]')
    asked = _asked(page)
    assert {**asked, "baseline": baseline} == {
        **preset.state,
        "view": "relative",
        "scale": "log",
        "baseline": baseline,
    }


def test_an_unknown_preset_is_nothing_and_stays(page: Page, address: str) -> None:
    """The chart is as at first; the address keeps what another version of the site may know."""
    _open(page, address, preset="yesterday")
    assert _choices(page)["measure"] == "time"

    _choose(page, measure="cost")
    assert _asked(page) == {"preset": "yesterday", "measure": "cost"}


def test_choices_of_a_list_are_steps_too(page: Page, address: str) -> None:
    """Back and forward bring selects and rows back, the reset is a step, and looking at a page adds
    none.
    """
    _open(page, address, colour="red", year="1999")
    before, rows = (
        page.evaluate("history.length"),
        page.locator("[data-ts-filtered] tbody tr:visible"),
    )
    assert rows.count() == 3
    assert _asked(page) == {"colour": "red", "year": "1999"}

    page.select_option("select[name=kind]", "gpu")
    page.select_option("select[name=year]", "2018")
    assert rows.count() == 1
    assert _asked(page) == {"colour": "red", "kind": "gpu", "year": "2018"}
    page.go_back()
    page.wait_for_function(
        "document.querySelectorAll('[data-ts-filtered] tbody tr:not([hidden])').length === 2"
    )
    assert (page.input_value("select[name=kind]"), page.input_value("select[name=year]")) == (
        "gpu",
        "",
    )
    page.go_back()
    page.wait_for_function(
        "document.querySelectorAll('[data-ts-filtered] tbody tr:not([hidden])').length === 3"
    )
    page.go_forward()
    page.wait_for_function("document.querySelector('select[name=kind]').value === 'gpu'")
    page.click("[data-ts-filters] button")
    page.wait_for_function("!location.search.includes('kind')")
    assert rows.count() == 3
    # the reset took the place of the step that lay ahead
    assert page.evaluate("history.length") == before + 2


def test_what_is_folded_away_comes_when_it_is_opened(page: Page, address: str) -> None:
    """Its table sorts like any other; nothing else has come, and all rows are counted."""
    page.goto(f"{address}en/folds/")
    rows, said = page.locator("tbody tr"), page.locator("[data-ts-said]")
    assert (rows.count(), said.text_content()) == (0, "2 of 2")

    page.click("summary:text('gpu')")
    page.wait_for_selector("#gpu")

    assert page.locator("#gpu").is_visible()
    assert (rows.count(), said.text_content()) == (1, "2 of 2")
    assert page.locator("th button.ts-sort").count() == 1
    page.click("summary:text('gpu')")
    page.click("summary:text('gpu')")
    assert page.locator("#gpu").is_visible()


def test_a_choice_brings_what_is_folded_away(page: Page, address: str) -> None:
    """A filter asks every row; the address of one opens what it stands in."""
    page.goto(f"{address}en/folds/?kind=gpu")
    assert page.locator("tbody tr:visible").count() == 1
    assert page.locator("[data-ts-said]").text_content() == "1 of 2"
    page.click("[data-ts-filters] button")
    page.wait_for_function("!location.search")
    assert page.locator("[data-ts-said]").text_content() == "2 of 2"

    page.goto("about:blank")
    page.goto(f"{address}en/folds/#cpu")
    page.wait_for_selector("#cpu")
    assert page.locator("#cpu").is_visible()
    assert page.locator("#gpu").count() == 0
    page.evaluate("location.hash = 'gpu'")
    page.wait_for_selector("#gpu")


def test_a_list_keeps_its_choice_in_the_other_language_and_theme(page: Page, address: str) -> None:
    """What was chosen after the page was loaded is in the links to the other languages."""
    _open(page, address)
    page.select_option("select[name=kind]", "cpu")
    page.click("[data-ts-theme]")
    page.click(".ts-lang summary")
    page.click('.ts-lang a[hreflang="qq"]')
    page.wait_for_url("**/qq/page/?kind=cpu")

    assert page.input_value("select[name=kind]") == "cpu"
    assert page.locator("[data-ts-filtered] tbody tr:visible").count() == 1
