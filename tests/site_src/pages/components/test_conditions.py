"""Conditions of runs, and the filters by them."""

import re

from site_src.pages.components import conditions
from tests.site_src.own import own_run
from tests.site_src.pages.conftest import Written


def test_a_run_says_under_which_conditions_it_was_made(written: Written) -> None:
    """Chips, memory, precision, software, kind of server and region by the words that stand in an
    address.
    """
    page = written("runs/")
    tpu, vds = (
        page.site.runs[id_]
        for id_ in ("tpuv2-v100-tpu-imagenet-1024", "catalyst-cost-vds-resnet101")
    )

    found = conditions.data(conditions.conditions(page, tpu))
    assert (found["chips"], found["memory"], found["precision"], found["server"]) == (
        "4",
        "64GB",
        "amp_bf16",
        "cloud_vm",
    )
    assert found["region"] == conditions.UNSTATED
    found = conditions.data(conditions.conditions(page, vds))
    assert (found["chips"], found["memory"], found["precision"], found["server"]) == (
        "1",
        "11GB",
        conditions.UNSTATED,
        "vds",
    )
    assert found["region"] == "netherlands"


def test_a_processor_alone_is_no_accelerator(written: Written) -> None:
    """A run on a CPU is found as such and not under one accelerator."""
    found = conditions.conditions(written("runs/"), own_run())

    assert found["chips"][0] == "none"


def test_filters_offer_what_runs_have(written: Written) -> None:
    """Numbers in their order, what nobody states last, and nothing where all runs are alike."""
    page = written("runs/")
    body = str(conditions.filters(page, page.site.runs_of()))
    chips = re.findall(r'name="chips".*?</select>', body)[0]
    one = str(conditions.filters(page, page.site.runs_of()[:1]))

    values = re.findall(r'value="([^"]*)"', chips)
    assert values[0] == ""
    numbers = [int(value) for value in values if value.isdigit()]
    assert numbers == sorted(numbers)
    assert values[-1] == conditions.UNSTATED
    assert "<select" not in one
    assert "data-ts-filters hidden" in body


def test_a_framework_has_one_spelling(written: Written) -> None:
    """Logs write it in lower case, articles as it is called; the filter offers it once."""
    page = written("runs/")
    form = str(conditions.filters(page, page.site.runs_of()))
    offered = re.findall(r'value="([^"]+)"', re.findall(r'name="software".*?</select>', form)[0])

    assert "TensorFlow" in offered
    assert len({name.lower() for name in offered}) == len(offered)
