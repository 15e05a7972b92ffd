"""Cost against time: the points, and who is beaten by nobody."""

from itertools import pairwise

from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.questions.cost import pareto
from tests.makers import transcribed
from tests.site_src import recorded

EN = recorded.english()
SOURCE = "catalyst-cost"


def drawn() -> Figure:
    """The chart of the article."""
    archive = transcribed(SOURCE)
    made = pareto.figure(Evidence(archive, recorded.known()), SOURCE, f"reports/{SOURCE}/")
    assert made is not None
    return made


def test_the_headline_names_who_is_on_the_frontier() -> None:
    """T4, three cards and one card, from 1003 s to 7092 s; neither the VDS nor the K80."""
    said = drawn().headline(EN).replace("\N{NO-BREAK SPACE}", " ")

    assert "1 × T4, 3 × GTX 1080 Ti and 1 × GTX 1080 Ti (HOSTKEY)" in said
    assert "1,003 s, for EUR 4.10" in said and "7,092 s, for EUR 0.44" in said
    assert "VDS" not in said and "K80" not in said


def test_a_platform_without_a_mark_is_named() -> None:
    """Light: three cards have none, as their time is not reported; nobody else lacks one."""
    said = [note for note in drawn().notes(EN) if note.startswith("No mark")]

    assert said == [
        EN.say("figure.frontier.missing", workload="ResNet-34", platforms="3 × GTX 1080 Ti")
    ]


def test_the_frontier_falls_from_left_to_right() -> None:
    """Along the line each platform takes longer and costs less than the one before."""
    for workload in ("resnet101-artists", "resnet34-artists"):
        on = [row for row in drawn().rows(EN, {"workload": workload}) if row["frontier"] == "yes"]
        points = sorted((float(str(row["time"])), float(str(row["value"]))) for row in on)

        assert all(one[0] < other[0] and one[1] > other[1] for one, other in pairwise(points))


def test_axes_are_logarithmic_first_and_the_same_for_each_workload() -> None:
    """Costs go from 0.07 to 5.61; what is asked of the axes is the same whatever is shown."""
    figure = drawn()
    one, other = (
        figure.chart(EN, state={"workload": name}).to_dict(validate=False)["layer"]
        for name in ("resnet101-artists", "resnet34-artists")
    )

    assert figure.scale({}) == "log"
    assert one == other
    assert list(pareto.ticks(0.9, 15)) == [
        0.1,
        0.2,
        0.5,
        1.0,
        2.0,
        5.0,
        10.0,
        20.0,
        50.0,
        100.0,
        200.0,
        500.0,
    ]
