"""Offers as pages show them."""

from dataclasses import replace

from site_src.pages.components.offers import offers
from tests.site_src.pages.conftest import Written


def test_what_is_free_has_no_price(written: Written) -> None:
    """A notebook that costs nothing is free of charge, and does not cost EUR 0; its name stands
    there once.
    """
    page = written("reports/catalyst-cost/")
    free = [price for price in page.site.prices.values() if price.price_id == "google-colab-free"]
    body = offers(page, free, page.t("nothing"), short=True).striptags()

    assert "EUR" not in body
    assert "free (up to 10 h per session)" in body.replace("\xa0", " ")
    assert "Google Colab, Google Colab" not in body


def test_an_offer_of_a_machine_without_a_page_stands_among_all_prices(written: Written) -> None:
    """Machines of imported catalogues are in no catalogue of ours."""
    site = written("").site
    price = site.prices["gcp-cloud-tpu-v2-8-on-demand-2018"]

    assert site.price_page(price) == "systems/cloud-tpu-v2-8/"
    assert (
        site.price_page(replace(price, system="google-cloud-tpu-v5e", source="gpuhunt-tpu"))
        == "prices/"
    )
