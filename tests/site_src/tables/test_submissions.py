"""Submissions: what several runs on one machine say together."""

import dataclasses
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kernels import catalog
from kernels.analysis.variation import Measure
from kernels.records import Metric, Run
from site_src.evidence import Evidence, inputs, watched
from site_src.graph import Graph
from site_src.tables import software
from site_src.tables.stability import Label
from site_src.tables.submissions import comparable, family, spread, submissions
from tests.site_src.submitted import NEW, OLD, archive, submission

KNOWN = catalog.load()


def evidence(*runs: Run) -> Evidence:
    """Of these runs and the catalogue."""
    return Evidence(archive(*runs), KNOWN)


def test_of_very_many_those_that_can_be_compared_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a benchmark on one kind of accelerator the smallest of the newest round, or of each."""
    larger = tuple(
        dataclasses.replace(
            run,
            run_id=f"large-{run.run_id}",
            accelerators=16,
            wall_time_s=(run.wall_time_s or 0.0) + 1,
            locator=run.locator.replace("result_", "large/result_"),
        )
        for run in NEW
    )
    everything = submissions(evidence(*OLD, *NEW, *larger))
    known = evidence(*OLD, *NEW, *larger)
    monkeypatch.setattr("site_src.tables.submissions.MOST", 2)

    assert [one.id for one in submissions(known)] == [NEW[0].run_id]
    assert [one.id for one in submissions(known, each_round=True)] == [OLD[0].run_id, NEW[0].run_id]
    assert len(everything) == 3


def test_beside_an_article_each_submitter_has_its_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each round, on eight accelerators or fewer; what follows the rules of all comes first."""

    def other(name: str, **fields: Any) -> list[Run]:
        return [
            dataclasses.replace(
                run,
                run_id=f"{name}-{run.run_id}",
                locator=run.locator.replace("toyco", name),
                source=run.source.replace("toyco", name),
                wall_time_s=(run.wall_time_s or 0.0) + len(name),
                **{"submitter": name, **fields},
            )
            for run in NEW
        ]

    theirs, large = other("works"), other("sky", accelerators=16)
    free = other("free", division="open", submitter="Toyco", accelerators=4)
    known = evidence(*OLD, *NEW, *theirs, *large, *free)
    monkeypatch.setattr("site_src.tables.submissions.MOST", 1)

    found = {one.id for one in submissions(known, each_round=True, each_submitter=True)}
    assert found == {OLD[0].run_id, NEW[0].run_id, theirs[0].run_id}
    assert [one.score.division for one in submissions(known)] == ["closed"]


def test_logs_that_were_submitted_again_count_once() -> None:
    """With the first submission, whatever the later one says of their software; other logs of the
    same machine are another submission.
    """
    again = [
        dataclasses.replace(
            run,
            run_id=run.run_id.replace("v0.6", "v1.0"),
            source=run.source.replace("v0.6", "v1.0"),
            round="v1.0",
            container="NGC 21.05",
        )
        for run in NEW
    ]
    others = [
        dataclasses.replace(
            run, run_id=f"{run.run_id}-later", wall_time_s=(run.wall_time_s or 0) + 1
        )
        for run in again
    ]

    known = evidence(*OLD, *again, *NEW)
    assert [one.id for one in submissions(known)] == [OLD[0].run_id, NEW[0].run_id]
    assert comparable(known, [*again, *NEW]) == NEW
    assert len(submissions(evidence(*OLD, *NEW, *others))) == 3


def test_of_logs_submitted_twice_in_a_round_those_with_an_energy_count() -> None:
    """A folder of its own may have the power of the same runs."""
    metered = [
        dataclasses.replace(
            run,
            run_id=f"power-{run.run_id}",
            locator=run.locator.replace("/box/", "/box-power/"),
            metrics=(*run.metrics, Metric("energy_j", 3.6e6)),
        )
        for run in NEW
    ]

    assert [one.id for one in submissions(evidence(*NEW, *metered))] == [metered[0].run_id]


def test_of_very_many_runs_of_a_submission_as_many_curves_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From the fastest to the slowest, in their order; where submissions are few, all of them."""
    minutes = (90.0, 60.0, None, 70.0, 80.0, 100.0)
    runs = submission("v0.6", 2019, minutes, (60.0,) * 6)
    known = evidence(*OLD, *runs)
    monkeypatch.setattr("site_src.tables.submissions.MOST_RUNS", 3)

    assert spread(known, runs) == runs
    monkeypatch.setattr("site_src.tables.submissions.MOST", 1)
    assert [run.wall_time_s for run in spread(known, runs)] == [3600.0, 12000.0, 4800.0]


def test_a_submission_concerns_its_own_workload_alone(tmp_path: Path) -> None:
    """What shows those of another workload holds when it joins, and what shows its own does not."""

    def shown(*runs: Run) -> Graph:
        known = watched(archive(*runs), KNOWN)
        own = Evidence(*known, Graph(inputs(Evidence(*known)), tmp_path / "graph"))
        own.graph.register("shown", lambda workload: submissions(own, workload))
        return own.graph

    bert = [dataclasses.replace(run, run_id=f"b-{run.run_id}", workload="bert") for run in NEW]
    before = shown(*OLD, *bert[:4])
    for workload in ("resnet50-imagenet", "bert"):
        before.get("shown", workload)
    before.save()
    after = shown(*OLD, *bert)

    assert after.holds(("shown", "resnet50-imagenet"))
    assert not after.holds(("shown", "bert"))


def test_a_submission_counts_who_reached_the_target() -> None:
    """Four of five runs have a time, the fastest first; a miss makes the seeds unstable."""
    [old, new] = submissions(evidence(*OLD, *NEW))

    assert (old.score.runs, [run.wall_time_s for run in old.reached], old.unfinished) == (
        5,
        [6000.0, 6600.0, 7200.0, 7800.0],
        False,
    )
    assert old.stability is not None
    assert (old.stability.label, old.stability.missed, old.range(Measure.TIME)) == (
        Label.UNSTABLE,
        1,
        1.3,
    )
    assert new.stability is not None
    assert (new.stability.label, new.progress, new.seeds) == (
        Label.UNSTABLE,
        Measure.EPOCHS,
        ["0", "1", "2", "3", "4"],
    )


@pytest.mark.parametrize(
    ("accelerator", "kind"),
    [("v100-sxm2-32gb", "v100"), ("v100", "v100"), ("tpu-v3", "tpu-v3"), (None, None)],
)
def test_variants_are_one_kind(accelerator: str | None, kind: str | None) -> None:
    """A V100 of either memory size is a V100; an accelerator that is not known is compared with
    none.
    """
    assert family(dataclasses.replace(OLD[0], accelerator=accelerator), KNOWN) == kind


def test_an_epoch_is_compared_and_not_the_way_to_another_target() -> None:
    """The minute before the first epoch is in no epoch's time."""
    records = archive(*OLD, *NEW)
    [comparison] = software.comparisons(submissions(Evidence(records, KNOWN)), KNOWN)
    table = software.software([comparison], Evidence(records, KNOWN))

    own = table[table["kind"] == "submission"]
    assert own["effort"].tolist() == pytest.approx(
        [8 * (109 + 7140 / 61) / 120, 8 * 5340 / 45 / 60]
    )
    assert table["overhead"].tolist() == pytest.approx([60.0] * len(table))
    assert (own["time"].tolist()[1], own["run_id"].tolist()) == (82.0, [None, None])
    assert [(old.score.round, new.score.round) for old, new in comparison.pairs] == [
        ("v0.5", "v0.6")
    ]


def test_of_very_many_comparisons_those_over_several_rounds_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two rounds are too few then."""
    newest = submission("v0.7", 2020, (70.0,) * 5, (60.0,) * 5)
    two, three = submissions(evidence(*OLD, *NEW)), submissions(evidence(*OLD, *NEW, *newest))
    assert len(software.comparisons(two, KNOWN)) == 1
    monkeypatch.setattr("site_src.tables.software.MOST", 0)

    assert software.comparisons(two, KNOWN) == []
    assert [one.rounds for one in software.comparisons(three, KNOWN)] == [3]


def test_one_stack_alone_is_no_comparison() -> None:
    """A submission that nobody repeated with other software is compared with nothing."""
    assert software.comparisons(submissions(evidence(*OLD)), KNOWN) == []


def test_each_run_has_its_own_day() -> None:
    """A submission's row has the range of days, a run's its own."""
    late = dataclasses.replace(NEW[4], started_at=datetime(2019, 11, 3, tzinfo=UTC))
    records = archive(*OLD, *NEW[:4], late)
    table = software.software(
        software.comparisons(submissions(Evidence(records, KNOWN)), KNOWN), Evidence(records, KNOWN)
    )

    new = table[table["round"] == "v0.6"]
    assert new["date"].tolist() == ["2019-11-01 – 2019-11-03", *["2019-11-01"] * 4, "2019-11-03"]


def test_submissions_without_evaluations_are_not_compared() -> None:
    """Where no log tells the time of an epoch there is nothing to compare."""
    bare = [dataclasses.replace(run, evaluations=()) for run in NEW]

    assert software.comparisons(submissions(evidence(*OLD, *bare)), KNOWN) == []
