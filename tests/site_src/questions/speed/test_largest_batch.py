"""The largest batch size that fits, as the article on two RTX 2080 Ti and a TPU has it."""

from kernels.records import Status
from kernels.store import Archive
from site_src.evidence import Evidence
from site_src.questions.speed import largest_batch
from tests.makers import transcribed
from tests.site_src import articles, recorded

SOURCE = "rtx2080ti-colab-tpu"
FIGURE = articles.drawn(SOURCE)["largest-batch"]
EN = recorded.english()


def largest(workload: str) -> dict[str, object]:
    """The largest size of each series."""
    return {
        str(row["series"]): row["batch"]
        for row in FIGURE.rows(EN, {"workload": workload})
        if row["outcome"] == "largest"
    }


def test_the_largest_follows_from_what_fits() -> None:
    """One card holds 1024 and 128, two hold twice as much, the TPU holds all that was tried."""
    names = ["rtx2080ti-1x-keras", "rtx2080ti-2x-keras", "colab-tpu-v2-8-keras"]

    assert [largest("cnn10-cifar10")[name] for name in names] == [1024, 2048, 2048]
    assert [largest("wrn28-10-cifar10")[name] for name in names] == [128, 256, 2048]


def test_failed_sizes_have_their_marks() -> None:
    """Sizes without memory and sizes not reported are rows without a value at their place."""
    rows = FIGURE.rows(EN, {})
    failed = [
        (row["batch"], row["outcome"])
        for row in rows
        if row["series"] != "colab-tpu-v2-8-keras" and row["value"] is None
    ]

    assert failed.count((256, "oom")) == 1 and failed.count((512, "not_reported")) == 1
    assert len(failed) == 7


def test_the_sentence_names_the_size_that_failed() -> None:
    """Of the workload on which most failed: 128 on one card, where 256 did not fit."""
    said = FIGURE.headline(EN)

    assert (
        said.startswith("WRN-28-10:")
        and "128 on 1 × RTX 2080 Ti" in said
        and "where 256 ran out of memory" in said
    )


def test_without_a_failure_there_is_no_limit_to_show() -> None:
    """A sweep in which every size fits says nothing of memory."""
    whole = transcribed(SOURCE)
    archive = Archive(
        runs=tuple(run for run in whole.runs if run.status is not Status.OOM), sources=whole.sources
    )

    assert largest_batch.figure(Evidence(archive, recorded.known()), SOURCE, "") is None
