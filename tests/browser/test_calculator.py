"""The calculator of costs in a real browser: the first answers are those that stand there without
JavaScript, a typed price changes them, a link keeps it.
"""

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import pseudo
from tests.browser.sites import DAY, each_language, spoken
from tests.browser.visitor import Watched, ready, sideways, watch

FIRST = "resnet50-imagenet"
V100 = "aws-p3.8xlarge"
PARTS = ":is(.ts-costs__leaders, .ts-costs__answer, .ts-costs__result, .ts-costs__out)"
READ = f"""(place) => [...place.querySelectorAll("{PARTS.removeprefix(":is(").removesuffix(")")}")].map((part) => {{
  const copy = part.cloneNode(true);
  for (const folded of copy.querySelectorAll("noscript:not(:has(*))")) folded.outerHTML = folded.textContent;
  for (const own of copy.querySelectorAll(".ts-costs__own")) own.remove();
  return copy.textContent;
}}).join(" ")"""
"""The words of the leaders, the answer, its table and what is not ranked, opened or not, without the
buttons that need a script.
"""


def ask(page: Page, workload: str) -> None:
    """Choose another workload than the first, whose figures come then."""
    page.select_option("select[name=workload]", workload)
    page.wait_for_url(f"**workload={workload}*")


def more(page: Page) -> None:
    """Open the conditions that are closed at first."""
    page.locator(".ts-costs__more > summary").click()


def squeezed(text: str) -> str:
    """Without spaces: markup has its own."""
    return "".join(text.split())


def answer(page: Page) -> str:
    """The words of the answer that stands there now."""
    return str(page.locator("#calculator").evaluate(READ))


def cost(page: Page, system: str) -> list[float]:
    """The costs of a system's rows, from its machine values."""
    rows = page.locator(f'.ts-costs__result tr[data-system="{system}"]')
    return [
        float(value)
        for value in rows.locator("td.ts-num:nth-of-type(4) data").evaluate_all(
            "all => all.map((each) => each.value)"
        )
    ]


def marks(page: Page) -> list[str]:
    """Where the chart has its points and which ranks stand at them; a pointer on it draws it."""
    page.locator(".ts-costs__chart").hover()
    page.locator(".ts-costs__chart .ts-live svg").wait_for()
    points = page.locator(".ts-costs__chart .points_marks path").evaluate_all(
        "all => all.map((each) => each.getAttribute('transform'))"
    )
    return [*points, *page.locator(".ts-costs__chart .ranks_marks text").all_text_contents()]


def drawn(page: Page) -> list[str]:
    """The same once the chart has been drawn again after `change`, and stays."""
    page.locator(".ts-costs__chart").hover()
    page.locator(".ts-costs__chart .ts-live:not([data-before]) svg").wait_for()
    found = marks(page)
    page.wait_for_timeout(60)
    while found != (found := marks(page)):
        page.wait_for_timeout(60)
    return found


def change(page: Page, edit: Callable[[], object]) -> None:
    """Edit the question, and know the chart that shows the answer from the one before."""
    page.evaluate(
        "document.querySelector('.ts-costs__chart .ts-live')?.setAttribute('data-before', '')"
    )
    edit()


def own_price(page: Page, system: str, amount: str, currency: str) -> None:
    """Type a price of an hour, by the button in the system's row, and finish it."""
    for fold in page.locator(":is(.ts-costs__result, .ts-costs__out) details").all():
        fold.evaluate("each => (each.open = true)")
    page.locator(f'#calculator button[data-system="{system}"]').first.click()
    row = page.locator(f'.ts-costs__price[data-system="{system}"]')
    assert row.locator("[data-of=price]").evaluate("field => field === document.activeElement")
    row.locator("[data-of=currency]").select_option(currency)
    finish(row.locator("[data-of=price]"), amount)


def finish(field: Locator, text: str) -> None:
    """Type a text and leave the field."""
    field.fill(text)
    field.blur()


def question(page: Page) -> list[str]:
    """What the form says, field by field, with the system for prices."""
    fields = (
        "all => all.map((each) => [each.closest('[data-system]')?.dataset.system, each.name "
        "|| each.dataset.of, each.value].join(' '))"
    )
    return list(page.locator(".ts-costs__form :is(select, input)").evaluate_all(fields))


@each_language()
def test_the_browser_answers_as_the_build_did(
    desktop: Watched, no_javascript: Watched, language: str
) -> None:
    """For each workload sentence, table, remarks and reasons are those that stand without
    JavaScript, to the letter.
    """
    still = no_javascript.open(f"{language}/costs/")
    page = desktop.open(f"{language}/costs/?asked=again")  # else the first answer stays
    workloads = page.locator("select[name=workload] option").evaluate_all(
        "all => all.map((each) => each.value)"
    )

    assert workloads[0] == FIRST and len(workloads) > 4
    assert squeezed(answer(page)) == squeezed(answer(still))
    for workload in workloads[1:]:
        ask(page, workload)
        own = no_javascript.open(f"{language}/costs/{workload}/").locator("main")
        assert squeezed(answer(page)) == squeezed(str(own.evaluate(READ)))


def test_what_is_folded_away_comes_with_its_buttons(
    desktop: Watched, no_javascript: Watched
) -> None:
    """As text of the first page; opened, it says what stands there without JavaScript."""
    still = no_javascript.open("en/costs/")
    page = desktop.open("en/costs/")
    folds = page.locator(":is(.ts-costs__result, .ts-costs__out) details:has(> noscript)")
    count = folds.count()
    assert count

    page.locator(":is(.ts-costs__result, .ts-costs__out) summary").evaluate_all(
        "all => all.forEach((each) => each.click())"
    )
    expect(folds).to_have_count(0)
    buttons = page.locator(":is(.ts-costs__result, .ts-costs__out) .ts-costs__own")
    expect(buttons.filter(has_not_text="own price")).to_have_count(0)
    assert squeezed(answer(page)) == squeezed(answer(still))


def test_a_typed_price_changes_everything_and_the_link_keeps_it(
    desktop: Watched, browser: Browser, address: str
) -> None:
    """In Japanese EUR 1.00 an hour for the V100: sentence, rank, cost, break-even and chart change;
    in a language with decimal commas it is the same answer.
    """
    page = desktop.open("ja/costs/")
    costs, drawn = cost(page, V100), marks(page)
    even, sentence = (
        page.locator("#calculator .ts-costs__even").text_content(),
        page.locator("#calculator .ts-costs__sentence").text_content(),
    )

    own_price(page, V100, "1.00", "EUR")

    own = cost(page, V100)
    assert len(costs) == 3 and len(own) == 1
    assert own[0] < min(costs) / 5
    assert page.locator("#calculator .ts-costs__even").text_content() != even
    assert page.locator("#calculator .ts-costs__sentence").text_content() != sentence
    # at which rate of which day it was converted
    assert "EUR" in (page.locator("#calculator .ts-costs__notes").text_content() or "")
    page.wait_for_function(
        "old => document.querySelector('.points_marks path')?.getAttribute('transform') !== old",
        arg=drawn[0],
    )
    assert marks(page) != drawn
    assert page.url.endswith(f"ja/costs/?price.{V100}=1EUR")

    other = browser.new_context(viewport={"width": 1280, "height": 900})
    again = watch(other, address)
    elsewhere = again.open(page.url.removeprefix(f"{address}/").replace("ja/", "en/", 1))
    assert cost(elsewhere, V100) == own
    assert elsewhere.locator("html").get_attribute("lang") == "en"
    assert (
        elsewhere.locator(f'.ts-costs__price[data-system="{V100}"] [data-of=price]').input_value()
        == "1"
    )
    assert marks(elsewhere)[-2:] == marks(page)[-2:]
    other.close()
    assert not again.wrong


def test_the_menu_of_languages_keeps_the_question(desktop: Watched) -> None:
    """Target, ranking and a price typed in stand on the same page in Japanese."""
    page = desktop.open(f"en/costs/?target=0.764&by=time&price.{V100}=2.5USD")
    page.click(".ts-lang summary")
    page.click('.ts-lang a[hreflang="ja"]')
    page.wait_for_url("**/ja/costs/?**")
    ready(page)

    assert (
        page.input_value("select[name=target]") == "0.764"
        and page.input_value("select[name=by]") == "time"
    )
    assert page.locator(
        f'.ts-costs__price[data-system="{V100}"] [data-of=price]'
    ).input_value() in {"2.5", "2,5"}


def test_back_and_forward_undo_edits(desktop: Watched) -> None:
    """One step back is one edit, however many letters it took; the answer follows each letter, the
    address the finished edit.
    """
    page = desktop.open("en/costs/")
    first = answer(page)
    page.locator("input[name=budget]").press_sequentially("100")
    budget = answer(page)
    assert not page.url.partition("?")[2]
    page.keyboard.press("Tab")
    page.select_option("select[name=by]", "time")
    page.go_back()
    page.wait_for_function("document.querySelector('select[name=by]').value === 'cost'")

    assert page.url.endswith("?budget=100") and answer(page) == budget != first
    page.go_back()
    page.wait_for_function("!location.search")
    assert answer(page) == first and page.input_value("input[name=budget]") == ""
    page.go_forward()
    page.wait_for_function("location.search === '?budget=100'")
    assert answer(page) == budget


def test_back_and_forward_go_through_every_kind_of_edit(desktop: Watched) -> None:
    """Selects, numbers, prices, powers, an own target, an opened answer and the reset: form,
    answer, chart and table come back.
    """
    page = desktop.open("en/costs/")
    row = page.locator(f'.ts-costs__price[data-system="{V100}"]')
    edits: list[Callable[[], object]] = [
        lambda: page.select_option("select[name=by]", "time"),
        lambda: page.select_option("select[name=target]", "0.749"),
        lambda: own_price(page, V100, "1.00", "EUR"),
        lambda: row.locator("[data-of=per]").select_option("purchase"),
        lambda: finish(row.locator("[data-of=power]"), "900"),
        lambda: page.select_option("select[name=currency]", "JPY"),
        lambda: finish(page.locator("input[name=deadline]"), "20"),
        lambda: page.click("button[data-do=reset]"),
        lambda: ask(page, "cnn10-cifar10"),
    ]

    def seen() -> tuple[str, list[str], str, list[str]]:
        return page.url, question(page), answer(page), drawn(page)

    more(page)
    page.locator(".ts-costs__prices > summary").click()  # whose fields stand there while it is open
    row.first.wait_for()
    shown = [seen()]
    for edit in edits:
        change(page, edit)
        shown.append(seen())
    # after the reset the address is the first one
    assert len({url for url, *_ in shown}) == len(edits)
    before = page.evaluate("history.length")
    for wanted in reversed(shown[:-1]):
        change(page, page.go_back)
        assert seen() == wanted
    for wanted in shown[1:]:
        change(page, page.go_forward)
        assert seen() == wanted
    assert page.evaluate("history.length") == before


def test_a_step_back_while_typing_leaves_nothing_behind(desktop: Watched) -> None:
    """What was typed and not finished, or is no number, is gone from field and answer, and makes no
    entry.
    """
    page = desktop.open("en/costs/")
    more(page)
    page.select_option("select[name=by]", "time")
    asked = question(page)
    page.select_option("select[name=by]", "cost")
    finish(page.locator("input[name=energy]"), "much")
    page.locator("input[name=budget]").press_sequentially("1")
    page.go_back()

    assert question(page) == asked and page.url.endswith("?by=time")
    page.locator("select[name=by]").focus()
    assert (
        question(page) == asked
        and page.url.endswith("?by=time")
        and page.locator("[aria-invalid]").count() == 0
    )


def test_a_typed_price_has_no_button_to_type_one(desktop: Watched) -> None:
    """The other rows have it, to go to their field."""
    page = desktop.open("en/costs/")
    own_price(page, V100, "1.00", "EUR")

    assert page.locator(f'.ts-costs__result tr[data-system="{V100}"] button').count() == 0
    assert page.locator(".ts-costs__result tr button").count() == 4


def test_a_typed_price_stays_when_its_field_is_folded_away(desktop: Watched) -> None:
    """Whatever is asked next."""
    page = desktop.open("en/costs/")
    own_price(page, V100, "1.00", "EUR")
    page.locator(".ts-costs__prices > summary").click()
    finish(page.locator("input[name=budget]"), "1,000")

    assert "budget=1000" in page.url and f"price.{V100}=1EUR" in page.url


def test_names_with_a_number_stay_on_one_line(desktop: Watched) -> None:
    """In sentence, table and list; on a page whose script wrote them as on one without."""
    page = desktop.open("en/costs/?by=time")
    split = """all => all.filter((each) => each.getClientRects().length > 1).length"""

    for part in ("leaders", "answer", "result", "out"):
        names = page.locator(f"#calculator .ts-costs__{part} .ts-kept")
        assert names.count() and names.evaluate_all(split) == 0
    # in each of its rows
    assert page.locator("#calculator .ts-costs__result .ts-kept", has_text="v3-32").count() > 1


def test_limits_leave_out_and_say_why(desktop: Watched) -> None:
    """A budget of 100 dollars leaves the dearer offers out; 10 dollars and three minutes leave
    nothing, and the nearest is named.
    """
    page = desktop.open("en/costs/?budget=100")
    expect(page.locator("#calculator .ts-costs__result tbody tr")).to_have_count(5)
    assert "over the budget" in (page.locator("#calculator .ts-costs__out").text_content() or "")

    page.fill("input[name=budget]", "10")
    page.fill("input[name=deadline]", "0.05")
    sentence = " ".join(
        (page.locator("#calculator .ts-costs__sentence").text_content() or "").split()
    )

    assert page.locator("#calculator .ts-costs__result tbody tr").count() == 0
    assert (
        "at the prices ranked here, no system stays within USD 10.00 and 3.0 min. The closest is TPU v4-128 · TensorFlow · "
        "v1.0 (2021) (Google Cloud, " in sentence
    )
    assert sentence.endswith(
        "USD 13.44, USD 3.44 over the budget; 3.9 min, 54.9 s past the deadline."
    )
    assert page.locator("#calculator .ts-costs__chart:visible").count() == 0


def test_a_system_without_a_price_takes_the_readers(desktop: Watched) -> None:
    """The DGX-1 is not ranked for want of a price until one is typed: bought for 149,000 dollars,
    with electricity.
    """
    page = desktop.open("en/costs/")
    assert cost(page, "nvidia-dgx-1") == []

    own_price(page, "nvidia-dgx-1", "149,000", "USD")
    page.locator('.ts-costs__price[data-system="nvidia-dgx-1"] [data-of=per]').select_option(
        "purchase"
    )
    (alone,) = cost(page, "nvidia-dgx-1")
    page.locator(".ts-costs__owned summary").click()
    page.fill("input[name=tariff]", "0.30")
    (lit,) = cost(page, "nvidia-dgx-1")
    finish(page.locator("input[name=utilisation]"), "50")
    (idle,) = cost(page, "nvidia-dgx-1")

    assert lit > alone and idle - lit == pytest.approx(alone)
    assert page.url.endswith("?tariff=0.3&utilisation=0.5&price.nvidia-dgx-1=149000USD/purchase")


def test_preparation_is_paid_for(desktop: Watched) -> None:
    """An hour before the training costs the price of an hour, and is told."""
    page = desktop.open("en/costs/")
    (before,) = cost(page, "cloud-tpu-v2-8")
    more(page)
    page.locator(".ts-costs__owned summary").click()
    page.fill("input[name=preparation]", "60")

    assert cost(page, "cloud-tpu-v2-8") == [pytest.approx(before + 4.95)]
    assert "preparation" in (page.locator("#calculator .ts-costs__notes").text_content() or "")


def test_prices_of_a_day_can_be_asked_for(desktop: Watched) -> None:
    """The newest count by themselves; at those of a day of 2018 the TPU v3 has none, and sentence
    and address name the day.
    """
    page = desktop.open("en/costs/")
    newest = answer(page)
    assert len(cost(page, "cloud-tpu-v3-32")) == 2 and len(cost(page, "cloud-tpu-v2-8")) == 1
    more(page)
    day = page.locator("input[name=prices]")
    bounds = [day.get_attribute(name) for name in ("min", "max")]
    assert bounds == ["2018-04-15", DAY.isoformat()]
    finish(day, "2018-06-01")

    assert cost(page, "cloud-tpu-v3-32") == []
    assert cost(page, "cloud-tpu-v2-8") == [pytest.approx(54.58, abs=0.005)]
    assert "at the prices of 1 June 2018" in (
        page.locator("#calculator .ts-costs__sentence").text_content() or ""
    )
    assert page.url.endswith("?prices=2018-06-01")
    again = desktop.open("en/costs/?prices=2018-06-01")
    again.wait_for_function("document.querySelector('input[name=prices]')?.value === '2018-06-01'")
    assert answer(again) != newest
    finish(again.locator("input[name=prices]"), "")
    assert answer(again) == newest and "prices" not in again.url


COUNTING: Final = """window.changes = 0;
document.addEventListener("readystatechange", () => document.readyState === "interactive" &&
  new MutationObserver((changed) => { changes += changed.length; })
    .observe(document.querySelector("#calculator form"), { childList: true, subtree: true }));"""
"""Counts how often the form is made anew by scripts, from when all of the page is there."""


def test_the_first_question_comes_with_the_page(desktop: Watched, no_javascript: Watched) -> None:
    """The script leaves a form as it came, that says what is asked already."""
    desktop.page.add_init_script(COUNTING)
    ask = """form => [...form.querySelectorAll("label:not([hidden]) > :is(select, input)")].map((field) =>
      [field.name, field.value, field.parentElement.textContent])"""
    came, stands = (
        visitor.open("en/costs/").locator("#calculator form").evaluate(ask)
        for visitor in (no_javascript, desktop)
    )

    assert came == stands
    assert desktop.page.evaluate("changes") == 0
    assert ["target", "0.757"] in [field[:2] for field in came]


def test_prices_that_nobody_has_are_the_newest(desktop: Watched) -> None:
    """What is no day, days without a price here, and names that every object has."""
    newest = answer(desktop.open("en/costs/"))

    for old in ("imported", "2018", "2011-01-01", "2999-01-01", "constructor"):
        assert answer(desktop.open(f"en/costs/?prices={old}")) == newest, old


def test_an_own_target_and_wrong_numbers(desktop: Watched) -> None:
    """A target that no list has can be typed; what is no number is told, and leaves the answer as
    it was.
    """
    page = desktop.open("en/costs/")
    page.select_option("select[name=target]", "own")
    finish(page.locator("input[name=own_target]"), "75.0")
    assert page.url.endswith("?target=0.75")
    assert "75.0%" in (page.locator("#calculator .ts-costs__sentence").text_content() or "")

    before = answer(page)
    page.fill("input[name=budget]", "much")
    assert "much" in (page.locator(".ts-costs__form [role=status]").text_content() or "")
    assert page.locator("input[name=budget][aria-invalid]").count() == 1 and answer(page) == before


def test_nonsense_in_the_address_is_ignored(desktop: Watched) -> None:
    """Unknown workloads, currencies and amounts ask for nothing."""
    plain = answer(desktop.open("en/costs/"))
    page = desktop.open(
        f"en/costs/?workload=no&by=luck&currency=XXX&budget=-1&pue=0&utilisation=7&price.{V100}=cheap&offer.{V100}=none-such&colour=red"
    )

    assert answer(page) == plain


HOSTILE = (
    "by=constructor",
    "by=toString",
    "currency=constructor",
    "workload=__proto__",
    "budget=1e308",
    "tariff=Infinity",
    "preparation=1e300",
    f"price.{V100}={'9' * 400}USD",
    f"power.{V100}=1e308",
    "months=1e-320",
    "target=1e308",
    "price.__proto__=1USD",
    "workload=%3Cimg%20src=x%20onerror=alert(1)%3E",
    f"price.{V100}=1%3Cb%3E",
    "&".join(f"k{place}=v" for place in range(30)),
)


def test_hostile_addresses_ask_for_nothing(desktop: Watched) -> None:
    """Names that every object has, figures beyond all measure, markup and keys nobody knows: the
    first answer stands, nothing breaks.
    """
    plain = answer(desktop.open("en/costs/"))

    for asked in HOSTILE:
        page = desktop.open(f"en/costs/?{asked}")
        assert answer(page) == plain, asked
        assert page.locator("#calculator form:visible").count() == 1, asked


def test_a_price_however_small_or_large_comes_back_from_its_link(desktop: Watched) -> None:
    """A ten-millionth of a dollar is written with a power of ten, and read again; what is beyond
    all measure is told.
    """
    page = desktop.open("en/costs/")
    own_price(page, V100, "0.0000001", "USD")
    (small,) = cost(page, V100)
    again = cost(desktop.open(f"en/costs/?{page.url.partition('?')[2]}"), V100)
    page.locator(f'.ts-costs__price[data-system="{V100}"] [data-of=price]').fill("1e300")

    assert again == [small] and 0 < small < 1e-5
    assert "1e300" in (page.locator(".ts-costs__form [role=status]").text_content() or "")
    assert (
        page.locator(f'.ts-costs__price[data-system="{V100}"] [data-of=price]').get_attribute(
            "aria-invalid"
        )
        == "true"
    )


@spoken(
    ("ja", "１００．５"),
    ("ja", "100.5"),
    ("ru", "100,5"),
    ("es", "100,5"),
    ("es", "100.5"),
    (pseudo.LONGER, "100,5"),
    names="language,typed",
)
def test_numbers_are_read_as_people_type_them(desktop: Watched, language: str, typed: str) -> None:
    """Full-width digits, decimal commas and decimal points."""
    page = desktop.open(f"{language}/costs/")
    finish(page.locator("input[name=budget]"), typed)

    assert page.url.endswith("?budget=100.5")


def test_everything_is_reached_by_keyboard(desktop: Watched) -> None:
    """Tab leads from the workload to the target and on; a choice by keys changes the answer."""
    page = desktop.open("en/costs/")
    before = answer(page)
    page.focus("select[name=workload]")
    for name in ("target", "budget", "deadline", "by"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == name
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    visited = []
    for _ in range(8):  # a date has a stop for each of its parts
        page.keyboard.press("Tab")
        visited.append(page.evaluate("document.activeElement.name"))
    assert list(dict.fromkeys(visited))[:3] == ["currency", "prices", "energy"]
    assert answer(page) != before


@each_language()
def test_on_a_phone_it_does_not_scroll_sideways(phone: Watched, language: str) -> None:
    """Neither at first nor with all panels open; question and winner are on the first screen."""
    winner = phone.open(f"{language}/costs/").locator(".ts-leaders > li").first.bounding_box()
    page = phone.open(f"{language}/costs/?by=energy&price.{V100}=1EUR")
    for panel in page.locator("#calculator form details").all():
        panel.evaluate("each => (each.open = true)")

    assert sideways(page) == 0
    assert winner and winner["y"] + winner["height"] <= 844


@pytest.mark.parametrize(("path", "least"), [("costs/", 1), ("prices/", 5)])
def test_without_javascript_nothing_is_idle(no_javascript: Watched, path: str, least: int) -> None:
    """No control that needs a script, and every folded table unfolds."""
    page = no_javascript.open(f"en/{path}")
    main = page.locator("main")

    assert main.locator(":is(select, input, button, form):visible").count() == 0
    while (folds := main.locator("details:not([open]) > summary:visible")).count():
        folds.first.click()
    assert main.locator("table").count() == main.locator("table:visible").count() >= least


def test_without_javascript_the_form_is_hidden(no_javascript: Watched) -> None:
    """The answers stand, each with its table; a line says what is missing."""
    page = no_javascript.open("en/costs/")

    assert page.locator(".ts-costs__form:visible").count() == 0
    assert page.locator("#calculator .ts-table--costs:visible").count() == 1
    assert (
        "Without JavaScript, this is the answer for ResNet-50"
        in page.locator("#calculator").inner_text()
    )
    picture = page.locator(".ts-costs__chart picture img:visible")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_every_answer_is_laid_out_by_the_one_style(desktop: Watched) -> None:
    """The first page waits for no stylesheet, and that of a workload's first answer, for which it
    fetches one, has its leaders beside the sentence, as the calculator has.
    """
    page = desktop.open("en/costs/")
    other = page.locator("select[name=workload] option").nth(1).get_attribute("value")
    for path, files in (("en/costs/", 0), (f"en/costs/{other}/", 1)):
        page = desktop.open(path)
        leaders = page.locator(".ts-costs__leaders").first.bounding_box()
        sentence = page.locator(".ts-costs__sentence").first.bounding_box()

        assert page.request.get(page.url).text().count('rel="stylesheet"') == files, path
        assert leaders and sentence, path
        assert leaders["x"] + leaders["width"] <= sentence["x"], path


OVERPRINTED = """() => {
  const boxes = [...document.querySelectorAll(".ts-costs__chart .ranks_marks text")]
    .filter((each) => each.textContent).map((each) => each.getBoundingClientRect());
  return boxes.filter((one, at) => boxes.slice(at + 1).some((other) => one.left < other.right
    && other.left < one.right && one.top + 2 < other.bottom && other.top + 2 < one.bottom)).length;
}"""


def test_ranks_in_the_chart_do_not_overprint(desktop: Watched) -> None:
    """Where points lie close together, one of them has its number; on a phone too."""
    for workload, width in (("wrn28-10-cifar10", 1280), ("cnn10-cifar10", 1280), (FIRST, 360)):
        desktop.page.set_viewport_size({"width": width, "height": 900})
        page = desktop.open(f"en/costs/?workload={workload}")
        found = marks(page)
        numbers = [one for one in found if one.isdecimal()]

        assert page.evaluate(OVERPRINTED) == 0
        assert "1" in numbers and 1 < len(numbers) <= len(found) - len(numbers)
