"""The table of all results: which there are, what they are called, their figures."""

from collections.abc import Mapping
from typing import Any

import pytest

from site_src.pages.calculator.table import least
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.pages.explore import explore_page
from site_src.pages.explore.rows import FIGURES, WORDS, explored, prepare
from site_src.pages.explore.words import accelerator
from tests.makers import chosen
from tests.site_src.recorded import make_site, spoken

SUBMITTED = "mlperf-v3.1-xfusion-g5500v7x8xa30-resnet"


@pytest.fixture(scope="module")
def site() -> Site:
    """Of the chosen records."""
    found = make_site(chosen())
    prepare(found)
    return found


@pytest.fixture(scope="module")
def table(site: Site) -> Mapping[str, Any]:
    """As the browser has it."""
    return explored(site).data


def figure(table: Mapping[str, Any], name: str, id_: str) -> tuple[float, str]:
    """The value of a result and its reference."""
    row = table["ids"].index(id_)
    values, kinds = (column[row] for column in table["figures"][name])
    return values, table["kinds"][kinds][0].replace("{}", table["runs"][row] or id_).replace(
        "{r}", id_
    )


def test_every_result_in_force_is_a_row(site: Site, table: Mapping[str, Any]) -> None:
    """One whose runs were all withdrawn is none."""
    in_force = [
        one.id
        for one in site.results.values()
        if any(site.runs[run].withdrawn is None for run in one.run_ids)
    ]

    assert table["ids"] == in_force
    assert 0 < len(in_force) <= len(site.results)
    assert all(len(numbers) == len(in_force) for _, numbers in table["words"].values())
    assert [*table["words"]] == [*WORDS]
    assert [*table["figures"]] == [*FIGURES]


def test_every_figure_is_what_its_reference_gives(site: Site, table: Mapping[str, Any]) -> None:
    """Of the row's own run."""
    shown = [
        (name, id_)
        for name, (values, _) in table["figures"].items()
        for id_, value in zip(table["ids"], values, strict=True)
        if value is not None
    ]
    found = [figure(table, *one) for one in shown]

    assert len(found) > len(table["ids"])
    assert all(site.facts.get(ref).value == value for value, ref in found)


def test_a_submission_has_its_score_and_its_target(table: Mapping[str, Any]) -> None:
    """The time of one MLPerf submission; what it had to reach stands with it."""
    row = table["ids"].index(SUBMITTED)
    minutes, ref = figure(table, "time", SUBMITTED)
    kind = table["kinds"][table["figures"]["time"][1][row]]

    assert ref == f"score:{table['runs'][row]}:minutes"
    assert minutes == pytest.approx(58.731, abs=0.001)
    assert kind[1:] == (1.0, "top1@0.759")


def test_a_cost_is_that_of_the_page_of_the_result(site: Site, table: Mapping[str, Any]) -> None:
    """In dollars, at the offer that the page names."""
    values, kinds = table["figures"]["cost"]
    currencies = set()
    for row, id_ in enumerate(table["ids"]):
        if values[row] is None:
            continue
        bill = least(site.bills_with(id_))
        own = bill.price.currency == "USD"
        currencies.add(own)
        told = bill.row if own else bill.others["USD"]
        assert told.cost and values[row] == pytest.approx(told.cost.value)
        assert table["kinds"][kinds[row]][2] == bill.price.price_id
        assert bill.price.price_id in figure(table, "cost", id_)[1]
    assert currencies == {True, False}


def test_repetitions_of_ours_share_a_median(site: Site, table: Mapping[str, Any]) -> None:
    """Over all their runs, in seconds as recorded; they are shown in minutes."""
    several = next(
        one.id for one in site.results.values()
        if len(one.run_ids) > 1 and site.runs[one.run_ids[0]].origin == "measured"
    )  # fmt: skip
    _, ref = figure(table, "throughput", several)

    assert ref.startswith(f"alike:{several}:throughput_")


@pytest.mark.parametrize("language", ["en", "ru", "ja", "es"])
def test_lists_lead_to_workloads_and_accelerators_without_a_script(
    site: Site, language: str
) -> None:
    """Each with its number of results, those with most first."""
    body = explore_page(Writer(site, spoken(language), "explore/")).body

    assert 'href="../workloads/resnet50-imagenet/' in body
    assert 'href="../accelerators/a30/"' in body
    assert body.count("ts-explore__list") == 2


def test_an_accelerator_in_no_catalogue_has_the_name_its_machine_gives(site: Site) -> None:
    """Never its id."""
    [id_] = {
        run.accelerator
        for run in site.runs.values()
        if run.accelerator and run.accelerator not in site.catalog.hardware
    }

    assert accelerator(Writer(site, spoken("en"), "explore/"), id_) == "AMD EPYC"
