"""First epochs against later ones, as the article on two RTX 2080 Ti and a TPU has them."""

import pytest

from tests.site_src import articles, recorded

FIGURE = articles.drawn("rtx2080ti-colab-tpu")["startup"]
EN = recorded.english()
ROWS = {str(row["run_id"]).removeprefix("rtx2080ti-colab-tpu-"): row for row in FIGURE.records(EN)}


@pytest.mark.parametrize(
    ("run", "column", "value"),
    [
        ("tpu-cnn10-128", "startup", 45.19),
        ("tpu-cnn10-128", "share", 45.19 / 958),
        ("tpu-cnn10-128", "break_even", 14.9140625),
        ("tpu-cnn10-256", "estimate", 821.12),
        ("tpu-cnn10-256", "difference", 821.12 - 837),
    ],
)
def test_figures_by_hand(run: str, column: str, value: float) -> None:
    """Start-up, its share, break-even with one card, and the estimate beside the printed total."""
    assert ROWS[run][column] == pytest.approx(value)


def test_the_estimate_is_never_an_equality() -> None:
    """Both and their difference are columns, and a note says that they need not agree."""
    assert {"estimate", "total", "difference"} <= {column.name for column in FIGURE.columns}
    assert EN.say("figure.startup.estimate") in FIGURE.notes(EN)


def test_a_cause_is_said_where_the_source_says_it() -> None:
    """Compilation on the TPU; on the cards not stated; nothing where the run failed."""
    assert [ROWS[f"{system}-cnn10-2048"]["cause"] for system in ("tpu", "2gpu", "1gpu")] == [
        "compilation",
        "not_stated",
        None,
    ]
    assert ROWS["tpu-cnn10-128"]["under"] == "compilation"


def test_without_a_break_even_there_is_a_reason() -> None:
    """The quickest waits for none, a slower one never catches up, one has no partner."""
    texts = {
        name: FIGURE.text_of(ROWS[name], "break_even", EN)
        for name in (
            "1gpu-cnn10-128",
            "2gpu-cnn10-128",
            "tpu-wrn-1024",
            "1gpu-cnn10-2048",
            "tpu-cnn10-128",
        )
    }

    assert list(texts.values()) == [
        "shortest first epoch",
        "never",
        "nothing to compare",
        "out of memory",
        "14.9",
    ]
    assert ROWS["tpu-cnn10-128"]["against"] == "1 × RTX 2080 Ti · FP32"


def test_a_reason_is_no_failure() -> None:
    """What has no break-even has no cross; a run without memory has."""
    rows = FIGURE.rows(EN, {"measure": "break_even"})

    assert {row["text"] for row in rows if row["value"] is None and row["why"] is None} == {
        "out of memory"
    }
    assert all(row["why"] is None for row in FIGURE.rows(EN, {}))


def test_the_median_is_marked_in_times_alone() -> None:
    """A tick at the median stands in bars of seconds per epoch, not in shares."""
    assert FIGURE.rows(EN, {})[0]["median"] == 11.68
    assert all(row["median"] is None for row in FIGURE.rows(EN, {"measure": "share"}))
