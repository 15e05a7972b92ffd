"""Tables that can be copied as text, and lists that filters leave a part of."""

from tests.browser.pseudo import LONGER
from tests.browser.sites import IN_UNSPOKEN
from tests.browser.visitor import DETAILS, Watched


def test_a_table_is_copied_as_text_by_keyboard(desktop: Watched) -> None:
    """The button below a table gives its rows with tabs between, as they are sorted, and says so
    aloud.
    """
    page = desktop.open(f"en/{DETAILS}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    wrap = page.locator("[data-ts-copy]").first
    button = wrap.locator("xpath=following-sibling::*[1]").locator("button")
    button.focus()
    page.keyboard.press("Enter")
    said = wrap.locator("xpath=following-sibling::*[1]").locator("[role=status]")
    said.filter(has_text="copied").wait_for()

    lines = page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n").split("\n")
    assert len(lines) == wrap.locator("tr").count()
    assert {line.count("\t") for line in lines} == {wrap.locator("thead th").count() - 1}
    assert button.evaluate("button => button === document.activeElement")


def test_only_tables_that_scroll_are_stops_of_the_keyboard(desktop: Watched) -> None:
    """On a wide screen a table that fits is none; where the same table is wider than the screen it
    can be scrolled by keyboard.
    """
    page = desktop.open(f"en/{DETAILS}")
    wrap = page.locator(".ts-table-wrap").first
    assert (
        wrap.evaluate("region => region.scrollWidth <= region.clientWidth && region.tabIndex") == -1
    )

    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function(
        "region => region.scrollWidth > region.clientWidth && region.tabIndex === 0",
        arg=wrap.element_handle(),
    )


def test_paper_has_an_article_s_tables(desktop: Watched) -> None:
    """They unfold for the while."""
    page = desktop.open("en/reports/rtx2080ti-colab-tpu/details/")
    tables = page.locator("details.ts-printed")
    assert tables.locator("table:visible").count() == 0

    page.evaluate("() => { dispatchEvent(new Event('beforeprint')); }")
    assert tables.locator("table:visible").count() == tables.count() > 0

    page.evaluate("() => { dispatchEvent(new Event('afterprint')); }")
    assert page.locator("details.ts-printed[open]").count() == 0


def test_the_audit_is_filtered_by_verdict(desktop: Watched) -> None:
    """A report's count leads to the claims of that verdict; a row with several verdicts stands
    under each of them.
    """
    page = desktop.open("en/reports/rtx2080ti-colab-tpu/details/")
    page.click(".ts-counts a[href*='verdict=contradicts']")
    page.wait_for_url("**/sources/rtx2080ti-colab-tpu/?verdict=contradicts#audit")
    rows = page.locator("[data-ts-filtered] tbody tr:visible")

    assert page.input_value("[data-ts-filters] select[name=verdict]") == "contradicts"
    assert 0 < rows.count() < page.locator("[data-ts-filtered] tbody tr").count()
    assert all(row.locator(".ts-badge--verdict-contradicts").count() for row in rows.all())
    assert any(row.locator(".ts-badge--verdict-reproduces").count() for row in rows.all())


def test_the_scheme_can_be_read_on_a_phone(phone: Watched) -> None:
    """Its steps stand below each other, within the screen."""
    page = phone.open("en/reports/catalyst-cost/details/")
    steps = page.locator(".ts-scheme li")
    boxes = [step.bounding_box() for step in steps.all()]

    assert len(boxes) == 5
    assert all(
        box is not None and box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]  # type: ignore[index]  # a phone has a size
        for box in boxes
    )
    assert [box["y"] for box in boxes if box] == sorted(box["y"] for box in boxes if box)


def test_costs_are_chosen_by_terms_and_currency(desktop: Watched) -> None:
    """Other terms leave, and amounts change to the currency at a dated rate."""
    page = desktop.open(f"en/{DETAILS}")
    bills = page.locator(".ts-bills")
    every = bills.locator("tbody tr").count()

    assert "at EUR" not in bills.inner_text()
    page.select_option(".ts-bills select[name=kind]", "on_demand")
    page.select_option(".ts-bills select[name=currency]", "EUR")
    left = bills.locator("tbody tr:visible").count()

    assert 0 < left < every
    assert page.url.endswith("?kind=on_demand&currency=EUR")
    assert "44.31" in bills.inner_text()
    assert "13 April 2018" in bills.inner_text()
    assert "54.58" not in bills.inner_text()


@IN_UNSPOKEN
def test_amounts_in_a_currency_are_written_as_the_language_does(desktop: Watched) -> None:
    """A page that is opened with a choice has made it."""
    bills = desktop.open(f"{LONGER}/{DETAILS}?kind=on_demand&currency=EUR").locator(".ts-bills")

    assert "44,31" in bills.inner_text()
    assert 0 < bills.locator("tbody tr:visible").count() < bills.locator("tbody tr").count()


def test_a_column_of_amounts_sorts_by_what_is_shown(desktop: Watched) -> None:
    """After a choice of currency the amounts in it are the order, not those of the offers."""
    page = desktop.open("en/workloads/cnn10-cifar10/costs/?currency=USD")
    bills = page.locator(".ts-bills")
    bills.locator("th[data-sort=number] button").first.click()
    amounts = bills.locator("tbody tr td:nth-of-type(1) [data-ts-in]:visible > data")
    shown = amounts.evaluate_all("all => all.map((one) => Number(one.value))")

    assert len(shown) > 5
    assert shown == sorted(shown)

    page.select_option(".ts-bills select[name=currency]", "")
    bills.locator("th[data-sort=number] button").first.click()  # downwards, within each currency
    codes = bills.locator("tbody tr td:nth-of-type(1) [data-ts-in]:visible").evaluate_all(
        "all => all.map((one) => one.dataset.sort)"
    )
    assert codes == sorted(codes, reverse=True)


def test_all_prices_are_filtered_and_unfold(desktop: Watched) -> None:
    """A choice leaves the offers of a provider and opens what was folded; an offer's own address
    shows it.
    """
    page = desktop.open("en/prices/")
    rows = page.locator("[data-ts-filtered] tbody tr")
    page.select_option("[data-ts-filters] select[name=provider]", "HOSTKEY")

    assert 0 < page.locator("[data-ts-filtered] tbody tr:visible").count() < rows.count()
    assert page.url.endswith("?provider=HOSTKEY")

    page = desktop.open("en/prices/#price-hostkey-3x1080ti-resnet101")
    assert page.locator("#price-hostkey-3x1080ti-resnet101").is_visible()


def test_systems_are_chosen_by_who_makes_their_accelerators(
    desktop: Watched, no_javascript: Watched
) -> None:
    """A choice opens the folds of its accelerators and leaves no other; the names below, which are
    no systems, stay as they are. Without a script each fold has its rows.
    """
    page = desktop.open("en/systems/")
    folds = page.locator("div[data-ts-filtered] > details:visible")
    every = folds.count()
    page.select_option("select[name=vendor]", "AMD")
    rows = page.locator("div[data-ts-filtered] tbody tr:visible")

    assert page.url.endswith("?vendor=AMD")
    assert 0 < folds.count() < every and rows.count() > 0
    assert set(rows.evaluate_all("all => all.map((row) => row.dataset.fVendor)")) == {"AMD"}
    assert page.locator("section:has(> #names) details[open]").count() == 0
    page.select_option("select[name=vendor]", "")
    assert folds.count() == every and rows.count() == 0
    still = no_javascript.open("en/systems/")
    assert still.locator("[data-ts-filters]:visible, .ts-copy-table").count() == 0
    still.locator("div[data-ts-filtered] summary").first.click()
    assert still.locator("div[data-ts-filtered] tbody tr a:visible").count() > 0
