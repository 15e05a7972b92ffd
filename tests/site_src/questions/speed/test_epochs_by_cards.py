"""Epochs to the target by number of accelerators."""

from dataclasses import replace

from site_src.evidence import Evidence
from site_src.tables import epochs as tables_epochs
from tests.makers import transcribed
from tests.site_src import articles, recorded

EN = recorded.english()
FIGURE = articles.drawn("t4-v100-mlperf")["epochs"]


def epochs(workload: str) -> dict[tuple[str, int], float]:
    """Epochs by accelerator and number of them, as drawn."""
    rows = FIGURE.rows(EN, {"workload": workload})
    return {
        (str(row["label"]), int(str(row["category"]))): float(str(row["value"])) for row in rows
    }


def test_each_model_has_its_epochs() -> None:
    """GNMT needs fewer with each card; Transformer needs 4 on two cards or more, whichever they
    are.
    """
    gnmt = {
        ("T4", 1): 12,
        ("T4", 2): 7,
        ("T4", 3): 5,
        ("T4", 4): 4,
        ("V100 PCIe", 1): 16,
        ("V100 PCIe", 2): 12,
        ("V100 PCIe", 3): 9,
    }
    other = dict.fromkeys(gnmt, 4) | {("T4", 1): 12, ("V100 PCIe", 1): 8}

    assert epochs("gnmt-wmt-en-de") == gnmt
    assert epochs("transformer-wmt-en-de") == other


def test_the_fourth_v100_is_a_gap() -> None:
    """The server holds three V100: the axis has a place for a fourth, and there is no row for
    it.
    """
    assert ("V100 PCIe", 4) not in epochs("gnmt-wmt-en-de")
    chart = FIGURE.chart(EN).to_dict(validate=False)
    fills = next(layer for layer in chart["layer"] if layer["name"] == "fills")

    assert fills["encoding"]["x"]["scale"]["domain"] == [1, 2, 3, 4]


def test_values_are_compared_at_the_same_number_of_cards() -> None:
    """Over the T4, one V100 needs 16/12 of the epochs and three need 9/5."""
    state = {"view": "relative", "baseline": "poweredge-r740-t4-pytorch"}
    found = {
        row["cards"]: row["value"] for row in FIGURE.rows(EN, state) if row["label"] == "V100 PCIe"
    }

    assert found == {1: 16 / 12, 2: 12 / 7, 3: 9 / 5}


def test_times_are_said_to_stand_in_a_picture() -> None:
    """No time is given, and the table says why."""
    column = FIGURE.column("time")

    assert {column.write(row, EN) for row in FIGURE.records(EN)} == {"not reported: image only"}


def test_models_in_different_code_are_not_compared() -> None:
    """Each has its implementation, the same for both accelerators: no remark."""
    assert EN.say("figure.implementations") not in FIGURE.notes(EN)


def test_one_number_of_cards_is_no_chart() -> None:
    """The first article trains on four chips alone."""
    assert tables_epochs.by_cards(recorded.evidence(), "tpuv2-v100").empty


def test_an_accelerator_outside_the_catalogue_keeps_its_id() -> None:
    """Nobody has described it, and its epochs count all the same."""
    whole = transcribed("t4-v100-mlperf")
    runs = tuple(
        replace(run, accelerator="of-nobody") if run.accelerator == "t4" else run
        for run in whole.runs
    )
    archive = replace(whole, runs=runs)

    table = tables_epochs.by_cards(Evidence(archive, recorded.known()), "t4-v100-mlperf")

    assert set(table["label"]) == {"of-nobody", "V100 PCIe"}
