"""What reaching a target costs and takes, in the sentence of its chart."""

import pytest

from site_src.charts import parts
from site_src.costs import words
from site_src.figures.controls import Sentence
from site_src.locales import load
from site_src.questions.cost import costs
from tests.site_src import articles
from tests.site_src.costs.test_costs import answered, of_article
from tests.site_src.tongues import STRINGS

EN = load(STRINGS, ("en",))[0]


def sentence(source: str, workload: str) -> Sentence:
    """Of an article alone."""
    case = of_article(source, workload)
    return costs.sentence(case, words.ranked(answered(case)), EN, {})


def test_upper_limits_are_called_so() -> None:
    """At most so long, so another may be faster; what is free is so for any time."""
    limits, sharp = (
        sentence("rtx2080ti-colab-tpu", "cnn10-cifar10"),
        sentence("catalyst-cost", "resnet101-artists"),
    )

    assert (limits.key, sharp.key) == ("headline.single", "headline.first")
    assert limits.then is not None and limits.then.key == "headline.at_most"
    assert sharp.then is None
    assert limits.names["cheapest_time"].replace("\xa0", " ") == "up to 16.0 min"
    assert limits.names["cheapest_paid"].replace("\xa0", " ") == "free (up to 10 h per session)"


def test_about_so_much_is_said_of_time_and_cost() -> None:
    """The first article's throughput is an approximate one."""
    told = sentence("tpuv2-v100", "resnet50-imagenet").names

    assert told["cheapest_time"].startswith("about ") and told["cheapest_paid"].startswith(
        "at about "
    )


@pytest.mark.parametrize(
    ("source", "workload", "most", "places"),
    [
        ("catalyst-cost", "resnet101-artists", 1, [0, 2]),  # both are on the frontier
        ("rtx2080ti-colab-tpu", "cnn10-cifar10", 3, [0, 1, 2]),
    ],
)
def test_a_chart_draws_the_frontier_and_the_cheapest(
    monkeypatch: pytest.MonkeyPatch, source: str, workload: str, most: int, places: list[int]
) -> None:
    """The whole frontier, however many it has; others as long as there is room."""
    monkeypatch.setattr(costs, "MOST", most)
    rows = words.ranked(answered(of_article(source, workload)))

    assert costs.foremost(rows) == [rows[place] for place in places] != rows


def test_the_cheapest_setups_are_named_once() -> None:
    """Each at its cheapest offer, with references of cost and time, the cheapest first."""
    case = of_article("tpuv2-v100", "resnet50-imagenet")
    rows = words.ranked(answered(case))
    evidence = articles.evidence("tpuv2-v100")
    found = parts.leaders(costs.figure(case, rows, evidence), EN)
    amounts = [evidence.facts.get(one.cost).value or 0.0 for one in found]

    assert len(rows) > len(found) > 1
    assert len({one.name for one in found}) == len(found)
    assert amounts == sorted(amounts)
    assert amounts[0] == min(row.cost.value for row in rows if row.cost)
    assert all(evidence.facts.get(one.time).value for one in found)


@pytest.mark.parametrize(
    ("source", "workload", "said"),
    [
        ("catalyst-cost", "resnet101-artists", "on the stepped line"),
        ("rtx2080ti-colab-tpu", "cnn10-cifar10", "Large mark: no other system"),
    ],
)
def test_a_frontier_of_one_system_is_no_line(source: str, workload: str, said: str) -> None:
    """Its mark is told, for there is no step to see."""
    case = of_article(source, workload)
    drawn = costs.figure(case, words.ranked(answered(case)), articles.evidence(source))

    assert drawn.notes is not None and said in str(drawn.notes(EN)[0])
