"""A virtual server against the physical machine: the difference comes from the two times."""

from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.questions.cost import tenancy
from tests.makers import transcribed
from tests.site_src import recorded

EN = recorded.english()
SOURCE = "catalyst-cost"


def drawn(seconds: float = 7581.0) -> Figure:
    """The chart of the article, with this time of the heavy model on the virtual server."""
    run = f"{SOURCE}-vds-resnet101"
    found = recorded.changed(transcribed(SOURCE), run, "train_time_s", value=seconds)
    made = tenancy.figure(Evidence(found, recorded.known()), SOURCE, f"reports/{SOURCE}/")
    assert made is not None
    return made


def test_the_headline_has_both_differences() -> None:
    """6.9 % longer for the heavy model, 24.9 % for the light one."""
    said = drawn().headline(EN)

    assert "6.9% longer" in said and "ResNet-101" in said
    assert "24.9% longer" in said and "ResNet-34" in said


def test_a_faster_virtual_server_is_not_called_longer() -> None:
    """At 7000 s it takes 1.3 % less: the sentence gives both differences with their signs."""
    said = drawn(7000.0).headline(EN)

    assert "longer" not in said
    assert "\N{MINUS SIGN}1.3%" in said and "+24.9%" in said


def test_the_difference_stands_at_the_virtual_server_alone() -> None:
    """Four rows: 7,581 (+6.9 %), 7,092, 1,445 (+24.9 %), 1,157."""
    assert [row["text"] for row in drawn().rows(EN, {})] == [
        "7,581 (+6.9%)",
        "7,092",
        "1,445 (+24.9%)",
        "1,157",
    ]


def test_relative_times_are_those_of_the_same_workload() -> None:
    """Over the physical machine the virtual one has 1.069 and 1.249."""
    figure = drawn()
    state = {"view": "relative", "baseline": figure.series[1].id}

    assert [round(float(str(row["value"])), 3) for row in figure.rows(EN, state)] == [
        1.069,
        1,
        1.249,
        1,
    ]
