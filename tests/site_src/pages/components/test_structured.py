import json
import re
from typing import Any

import pytest

from site_src.pages.components import structured
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.pages.report.source import source_page
from site_src.pages.static_pages import data_page
from tests.site_src import recorded
from tests.site_src.outputs import newsworthy
from tests.site_src.outputs.newsworthy import BASE, CHART
from tests.site_src.recorded import spoken

KNOWN = {
    "@context", "@type", "@id", "url", "inLanguage", "isAccessibleForFree", "publisher", "name", "description", "identifier", "license",
    "creditText", "isBasedOn", "citation", "dateModified", "variableMeasured", "image", "distribution", "includedInDataCatalog",
}  # fmt: skip
"""Properties of schema.org's Dataset that are used here."""


def dataset_faults(thing: dict[str, Any], base: str = BASE) -> list[str]:
    """What Google does not accept of a data set:
    https://developers.google.com/search/docs/appearance/structured-data/dataset.
    """
    faults = [f"{name} is no property of Dataset" for name in thing.keys() - KNOWN]
    if (
        thing.get("@type") != "Dataset"
        or thing.get("@context", "https://schema.org") != "https://schema.org"
    ):
        faults.append("is no Dataset of schema.org")
    if not thing.get("name") or not 50 <= len(thing.get("description", "")) <= 5000:
        faults.append(f"description has {len(thing.get('description', ''))} characters")
    places = [
        thing["url"],
        thing["@id"],
        thing["publisher"]["url"],
        *(one["contentUrl"] for one in thing["distribution"]),
    ]
    faults += [f"{place} is not absolute" for place in places if not place.startswith(base)]
    terms = re.compile(r"https://spdx.org/licenses/[\w.-]+\.html")
    faults += [
        f"{place} is no licence" for place in thing.get("license", []) if not terms.fullmatch(place)
    ]
    files = thing["distribution"]
    faults += [
        f"{one} is no download"
        for one in files
        if one["@type"] != "DataDownload" or "/" not in one["encodingFormat"]
    ]
    faults += [
        f"{one} is no quantity"
        for one in thing.get("variableMeasured", [])
        if one["@type"] != "PropertyValue" or not one["name"]
    ]
    faults += [
        f"{one} is no work"
        for one in thing.get("isBasedOn", [])
        if one["@type"] != "CreativeWork" or not one["name"]
    ]
    if "dateModified" in thing and not re.fullmatch(r"\d{4}-\d\d-\d\d", thing["dateModified"]):
        faults.append(f"dateModified {thing['dateModified']} is no day")
    return faults


def chart(id_: str = CHART, site: Site | None = None) -> dict[str, Any]:
    """The JSON-LD of a chart's own page, as it comes back from the page."""
    site = site or newsworthy.site()
    [thing] = structured.chart(Writer(site, recorded.english(), f"c/{id_}/"), site.figures[id_])
    found: dict[str, Any] = json.loads(json.dumps(thing))
    return found


@pytest.mark.parametrize("id_", sorted(recorded.drawn()))
def test_a_chart_is_a_valid_data_set(id_: str) -> None:
    """Name, description, terms and downloads as Google wants them."""
    assert dataset_faults(chart(id_)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"description": "short"}, "description has 5 characters"),
        ({"license": ["none stated"]}, "is no licence"),
        (
            {
                "distribution": [
                    {
                        "@type": "DataDownload",
                        "contentUrl": "data.csv",
                        "encodingFormat": "text/csv",
                    }
                ]
            },
            "is not absolute",
        ),
        ({"spatial": "Earth"}, "is no property"),
    ],
)
def test_the_check_finds_what_is_wrong(change: dict[str, Any], fault: str) -> None:
    """It is no test that lets everything pass."""
    assert any(fault in found for found in dataset_faults(chart() | change))


def test_a_chart_says_whose_figures_it_has() -> None:
    """Description is the headline sentence; the source is named with its language; units stand
    beside what was measured.
    """
    thing, title = chart(), "Сравнение Google TPUv2 и Nvidia V100 на ResNet-50"

    assert thing["description"] == recorded.drawn()[CHART].headline(recorded.english())
    assert [(work["name"], work["inLanguage"]) for work in thing["isBasedOn"]] == [(title, "ru")]
    assert {"@type": "PropertyValue", "name": "Throughput", "unitText": "images/s"} in thing[
        "variableMeasured"
    ]
    assert [one["contentUrl"] for one in thing["distribution"]] == [
        f"{BASE}c/{CHART}/table.csv",
        f"{BASE}c/{CHART}/table.parquet",
    ]


def test_terms_that_are_not_known_are_left_out() -> None:
    """Figures quoted as facts have no licence to name; nor has a table some of whose rows have
    none.
    """
    assert "license" not in chart()
    assert chart("digits-cnn-convergence")["license"] == [
        "https://spdx.org/licenses/CC-BY-4.0.html"
    ]
    assert structured.licences(["MIT", "LicenseRef-quoted-facts"]) == []
    assert structured.licences(["MIT", ""]) == []


def test_without_the_site_s_address_there_is_none() -> None:
    """Its addresses must be absolute, so nothing is said."""
    site = newsworthy.site("")
    writer = Writer(site, recorded.english(), f"c/{CHART}/")

    assert structured.chart(writer, site.figures[CHART]) == ()
    assert data_page(Writer(site, recorded.english(), "data/")).structured == ()


def source_thing(name: str, code: str = "en", base: str = BASE) -> tuple[dict[str, Any], ...]:
    """The JSON-LD of a source's page."""
    site = newsworthy.site(base)
    found = source_page(
        Writer(site, spoken(code), f"sources/{name}/"), site.sources[name]
    ).structured
    return tuple(json.loads(json.dumps(found)))


@pytest.mark.parametrize("code", ["en", "ru", "ja", "es"])
def test_the_figures_of_a_source_are_a_valid_data_set(code: str) -> None:
    """The page's description and which rows of which tables are meant, which can be had; the source
    is cited, with its terms if known.
    """
    [thing] = source_thing("tpuv2-v100", code)
    title = "Сравнение Google TPUv2 и Nvidia V100 на ResNet-50"

    assert dataset_faults(thing) == []
    assert thing["identifier"] == "tpuv2-v100" and "license" not in thing
    assert [(work["name"], work["inLanguage"]) for work in thing["isBasedOn"]] == [(title, "ru")]
    places = {one["contentUrl"].removeprefix(f"{BASE}data/") for one in thing["distribution"]}
    assert places == {
        f"{name}.{ending}"
        for name in ("claims", "runs", "prices", "printed_tables")
        for ending in ("csv.gz" if name == "runs" else "csv", "parquet")
    }
    locale = spoken(code)
    site = newsworthy.site()
    page = source_page(Writer(site, locale, "sources/tpuv2-v100/"), site.sources["tpuv2-v100"])
    tables = locale.joined("comma", ["claims", "runs", "prices", "printed_tables"])
    rows = locale.say("structured.rows", source="tpuv2-v100", tables=tables)
    assert thing["description"] == locale.joined("sentences", (page.description, rows))


def test_a_source_without_figures_on_its_page_is_no_data_set() -> None:
    """Nothing is said of data that are not there; nor without the site's address."""
    site = newsworthy.site()
    known = site.sources["tpuv2-v100"]
    page = source_page(Writer(site, recorded.english(), "sources/tpuv2-v100/"), known)

    assert structured.source(Writer(site, recorded.english(), ""), known, page, []) == ()
    assert source_thing("tpuv2-v100", base="") == ()


def test_every_published_table_is_a_valid_data_set() -> None:
    """The page of downloads is their catalogue."""
    site = newsworthy.site()

    [thing] = data_page(Writer(site, recorded.english(), "data/")).structured

    assert thing["@type"] == "DataCatalog" and thing["inLanguage"] == "en"
    assert {one["identifier"] for one in thing["dataset"]} >= {
        "runs",
        "claims",
        "sources",
        "prices",
    }
    assert [fault for one in thing["dataset"] for fault in dataset_faults(one)] == []
