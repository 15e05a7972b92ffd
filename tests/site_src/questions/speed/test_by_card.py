"""Images per second by card: like is compared with like, and codes are not ranked against each
other.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from kernels import store
from kernels.records import Mode, Run
from kernels.store import Archive
from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.questions.speed import by_card
from tests.makers import RUNS
from tests.site_src import recorded

EN = recorded.english()


@cache
def runs() -> tuple[Run, ...]:
    """The tables as they are recorded."""
    return store.read_file(RUNS / "imported" / "timm-results-runs.parquet")


def evidence(found: Sequence[Run]) -> Evidence:
    """These runs alone."""
    return Evidence(Archive(tuple(found)), recorded.known())


def drawn(found: Sequence[Run], mode: Mode = Mode.INFERENCE) -> Figure:
    """The figure of a mode."""
    (figure,) = (one for one in by_card.figures(evidence(found)) if one.id == f"throughput-{mode}")
    return figure


def test_a_card_has_its_newest_version_under_each_condition() -> None:
    """By hand from the tables: ResNet-50 with FP16, without versions that have newer ones."""
    rows = drawn(runs()).rows(EN, {})

    assert [
        (row["label"], row["layout"], row["compiled"], row["version"], row["value"], row["batch"])
        for row in rows
    ] == [
        ("1 × RTX 5090", "NCHW", "inductor", "2.9.1", 12400.78, 1024),
        ("1 × RTX PRO 6000 Max-Q", "NCHW", "inductor", "2.9.1", 12188.25, 2048),
        ("1 × RTX 4090", "NCHW", "inductor", "2.9.1", 8039.05, 1024),
        ("1 × RTX PRO 6000 Max-Q", "NCHW", "eager", "2.9.1", 6459.19, 2048),
        ("1 × RTX 5090", "NCHW", "eager", "2.9.1", 6356.02, 1024),
        ("1 × RTX 4090", "NHWC", "eager", "2.4.0", 5088.39, 512),
        ("1 × RTX 4090", "NCHW", "eager", "2.9.1", 4302.84, 1024),
        ("1 × RTX 3090", "NHWC", "eager", "2.4.0", 3729.86, 1024),
        ("1 × RTX 3090", "NCHW", "eager", "2.4.0", 3219.06, 1024),
    ]


def test_training_and_inference_are_two_figures() -> None:
    """A row of one is in no other, and processors are no cards."""
    trained = drawn(runs(), Mode.TRAINING).rows(EN, {"workload": "vit-b16-imagenet"})
    inferred = drawn(runs()).plain

    assert [(row["label"], row["layout"], row["value"]) for row in trained] == [
        ("1 × RTX 3090", "NHWC", 392.99),
        ("1 × RTX 3090", "NCHW", 390.86),
    ]
    assert {row["run_id"].split("-")[1] for row in inferred} == {"infer"}
    assert not any("cpu" in row["system"] for row in inferred)


def test_the_sentence_compares_cards_under_the_same_conditions() -> None:
    """Of those that most cards share; in each state of what is drawn in it."""
    figure = drawn(runs())

    assert figure.headline(EN) == (
        "1 × RTX 5090 runs ResNet-50 at 12,401\u00a0images/s, 1.7% more than "
        "the 12,188\u00a0images/s of 1 × RTX PRO 6000 Max-Q. "
        "Conditions of both: timm · NCHW · compiled · PyTorch 2.9.1 · mixed precision (FP16)."
    )
    vit = figure.headline(EN, {"workload": "vit-b16-imagenet"})
    assert "RTX PRO 6000 Max-Q runs ViT-B/16 at 4,742" in vit
    assert "8.3% more than the 4,379" in vit and "of 1 × RTX 5090." in vit
    alone = figure.headline(EN, {"workload": "vit-b16-imagenet", "precision": "bf16"})
    assert "RTX PRO 6000 Max-Q runs ViT-B/16 at 5,059" in alone
    assert "timm · NCHW · compiled · PyTorch 2.9.1 · bfloat16" in alone


def test_codes_are_not_ranked_against_each_other() -> None:
    """They stand below, faster or not; the chart says so, and the sentence stays with one."""
    own = [run for run in runs() if run.mode is Mode.TRAINING]
    faster = [
        replace(
            run,
            run_id=f"zoo-{run.run_id}",
            implementation="zoo",
            metrics=tuple(replace(one, value=9 * (one.value or 0.0)) for one in run.metrics),
        )
        for run in own
    ]
    figure = drawn([*own, *faster], Mode.TRAINING)

    rows = figure.rows(EN, {})
    assert [row["code"] for row in rows] == ["timm", "timm", "zoo", "zoo"]
    assert [row["value"] for row in rows] == [1218.01, 826.06, 9 * 1218.01, 9 * 826.06]
    assert any("not ranked against each other" in note for note in figure.remarks(EN))
    assert not any("not ranked" in note for note in drawn(own, Mode.TRAINING).remarks(EN))


def test_without_tables_there_is_no_figure() -> None:
    """Runs of this harness make none."""
    assert by_card.figures(recorded.evidence()) == []
