"""The page of a workload: what ranks comes first, what it is last, and nothing is lost."""

import re
from collections.abc import Sequence

import pytest

from kernels.records import Run
from site_src.pages import workload, workload_lists
from site_src.pages.calculator import table as cost_table
from site_src.pages.components.writer import Writer
from tests.site_src.pages.conftest import Written
from tests.site_src.recorded import page_at
from tests.site_src.submitted import submission

RESNET = "resnet50-imagenet"


def at(*runs: Run) -> Writer:
    """The page of ResNet-50 where these runs alone are recorded."""
    return page_at(f"workloads/{RESNET}/", *runs)


def ids(body: str) -> Sequence[str]:
    """The sections of a page, in order."""
    return re.findall(r'<h2 id="(\w+)"', body)


def test_results_and_costs_stand_before_what_it_is(written: Written) -> None:
    """Words on why, on which data and with which code come last; sections with nothing in them (here
    charts and reports) are left out; one way back to the top.
    """
    page = written(f"workloads/{RESNET}/")
    body = workload.workload_page(page, page.site.catalog.workloads[RESNET]).body

    assert ids(body) == ["runs", "costs", "why", "data", "variants"]
    assert page.plain("nothing") not in body
    assert body.count('href="#top"') == 1


def test_many_results_have_a_page_of_their_own() -> None:
    """It has a row for each, and the workload's page says how many there are; few stand there."""
    rounds = [f"v{number}.0" for number in range(1, workload_lists.FEW + 2)]
    page = at(*(run for name in rounds for run in submission(name, 2020, [9.0] * 5, [60.0] * 5)))
    known = page.site.catalog.workloads[RESNET]
    runs = page.site.runs_of(workload=RESNET)

    [way] = workload.all_results(page, known, runs)
    few = workload.all_results(page, known, runs[: 5 * workload_lists.FEW])
    paths = dict(workload_lists.listed(page.site))

    assert f"All results ({len(rounds)})" in way and "results/" in way
    assert all("All results" not in block for block in few)
    body = paths[workload_lists.results_path(RESNET)](page).body
    for run in runs:
        assert f"results/{page.site.results.id_with(run.run_id)}/" in body


def test_all_costs_have_a_page_of_their_own(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workload's page has the cheapest of each system and says how many there are."""
    monkeypatch.setattr(cost_table, "MANY", 3)
    page = written(f"workloads/{RESNET}/")
    found = cost_table.of(page, workload=RESNET)

    shown = workload.costs(page, page.site.catalog.workloads[RESNET])
    body = workload_lists.costs_page(page, RESNET).body

    assert len(found) > cost_table.MANY and f"All costs ({len(found)})" in shown
    assert shown.count("<tr") <= 1 + workload.FASTEST
    assert body.count("<tr") == 1 + len(found)


def test_the_cheapest_of_each_setup_are_ranked_by_cost(written: Written) -> None:
    """One offer a setup of those that the calculator takes, at the target that most setups were to
    reach, in the order of what it costs.
    """
    page = written(f"workloads/{RESNET}/")
    known = page.site.catalog.workloads[RESNET]
    found = cost_table.of(page, workload=RESNET)

    best = workload.cheapest(page, known, found)

    setups = list({id(one.setup): one.setup for one in found}.values())
    amounts = [{**one.others, one.price.currency: one.row}["USD"].cost for one in best]
    values = [amount.value for amount in amounts if amount is not None]
    assert 1 < len(best) <= workload.FASTEST and len(values) == len(best)
    assert values == sorted(values)
    assert len({one.setup.candidate.id for one in best}) == len(best)
    assert len({one.case.question.target for one in best}) == 1
    goals = [{each.case.question.target for each in found if each.setup is one} for one in setups]
    usual = best[0].case.question.target
    assert all(
        sum(usual in reached for reached in goals) >= sum(other in reached for reached in goals)
        for other in set[float]().union(*goals)
    )
    for one in best:
        alike = [
            each.others.get("USD", each.row).cost
            for each in found
            if each.setup is one.setup
            and each.case.question.target == one.case.question.target
            and each.price.price_id in one.setup.listed
        ]
        assert values[best.index(one)] == min(cost.value for cost in alike if cost is not None)


def test_the_fastest_share_the_target_of_the_newest_round() -> None:
    """A faster one that had less to reach is not among them; the fastest is first."""
    epochs = [60.0] * 5
    page = at(
        *submission("v0.5", 2018, [10.0] * 5, epochs, goal=0.749),
        *submission("v0.6", 2019, [30.0] * 5, epochs, goal=0.759),
        *submission("v0.7", 2020, [20.0] * 5, epochs, goal=0.759),
    )

    [shown] = workload.fastest(page, page.site.catalog.workloads[RESNET])

    assert "The fastest to the target" in shown
    assert shown.index("v0.7") < shown.index("v0.6")
    assert "v0.5" not in shown
