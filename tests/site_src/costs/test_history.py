"""What training has cost: the least of each day, a line a year."""

import dataclasses
from datetime import date

from kernels import catalog
from kernels.store import Archive
from site_src import costs, tables
from site_src.costs import Shop, history
from site_src.evidence import Evidence
from site_src.questions.cost import cost_history
from tests.site_src import recorded
from tests.site_src.logged import submission
from tests.site_src.tables.test_price_history import HOUR, later

EN = recorded.english()


def test_training_costs_what_the_cheapest_hour_of_the_day_asks() -> None:
    """Of systems known by then, at machines with as many accelerators; a line a year."""
    ran = submission(2)[0].started_at
    assert ran is not None
    first = ran.date().replace(year=2022, day=1)
    rent = dataclasses.replace(
        HOUR, hardware="v100", amount=24.0, accelerators=submission(2)[0].accelerators or 8,
        valid_from=first,
    )  # fmt: skip
    prices = (
        rent,
        later(rent, date(2023, 7, 1), 12.0),
        later(rent, date(2024, 7, 1), 18.0),
        later(rent, date(2024, 7, 2), 1.0, offer="one", accelerators=1),
    )
    evidence = Evidence(
        Archive(runs=(*submission(2), *submission(3, system="gcp-8xv100")), prices=prices),
        catalog.load(),
    )
    (case, *_) = costs.cases(evidence, least=1)

    rows = tables.rows(history.trainings(evidence, case, Shop(evidence), {}))

    assert [(row["day"], row["hourly"], row["series"]) for row in rows] == [
        (first.isoformat(), 24.0, "2022"),
        ("2022-12-31", 24.0, "2022"),
        ("2023-01-01", 24.0, "2023"),
        ("2023-07-01", 12.0, "2023"),
        ("2023-12-31", 12.0, "2023"),
        ("2024-01-01", 12.0, "2024"),
        ("2024-07-01", 18.0, "2024"),
        ("2024-07-02", 18.0, "2024"),
    ]
    figure = cost_history.figure(case, evidence)
    assert figure is not None
    assert [one.told(EN) for one in figure.series] == ["2022", "2023", "2024"]
    told = figure.headline(EN).replace("\N{NO-BREAK SPACE}", " ")
    assert "cost USD 48.00 on 1 November 2022 (" in told and "USD 36.00 on 2 July 2024 (" in told
    assert (
        "The chart begins in 2022: no continuous price records of these systems go further back. "
        "On the page of costs, under “More”, you can ask for the prices of any day from 1 November 2022 on."
        in figure.notes(EN)
    )
