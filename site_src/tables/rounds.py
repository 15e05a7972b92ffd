"""Submissions to a benchmark's rounds compared with an article that trains the same workloads:
scores, and the spread of epochs over seeds.
"""

from collections.abc import Mapping

import pandas as pd

from kernels.analysis.mlperf_scores import Outcome
from kernels.catalog import Catalog
from kernels.reading import named
from kernels.records import Run
from site_src import tables
from site_src.evidence import Evidence
from site_src.tables import Cell, Row, submissions
from site_src.tables import epochs as tables_epochs
from site_src.tables.submissions import Submission


def scores(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per submission of a workload of the article on the kinds of accelerators it compares,
    after the article's own largest run.

    Columns beside `COMMON`: `workload`, `workload_name`, `cards`, `target` and `target_second` (of
    Mask R-CNN's two) as shown, BLEU from 0 to 100, and the first one's `target_metric`, `minutes`
    (None if the article does not print its time), `epochs_low` and `epochs_high`, `batch`; `part`
    is `article` or `round`. Workloads with the most submissions first. Empty if the article trains
    only one workload, as its curves say more, or without submissions.
    """
    own = tables.runs_in_force(evidence.archive, source=source)
    workloads = {run.workload for run in own}
    kinds = {submissions.family(run, evidence.catalog) for run in own} - {None}
    found = [
        one
        for one in submissions.submissions(
            evidence, *sorted(workloads), each_round=True, each_submitter=True
        )
        if submissions.family(one.first, evidence.catalog) in kinds
        and one.score.verdict is Outcome.SCORED
    ]
    if len(workloads) < 2 or not found:  # noqa: PLR2004 - of one workload the curves are drawn
        return tables.frame([])
    rows: list[Row] = []
    for workload, group in _by_number(found):
        shared = {submissions.family(one.first, evidence.catalog) for one in group}
        printed = [
            run
            for run in own
            if run.workload == workload and submissions.family(run, evidence.catalog) in shared
        ]
        most = max(printed, key=lambda run: (run.accelerators or 0, run.run_id), default=None)
        rows += [_printed(most, evidence)] if most else []
        rows += [_scored(one, evidence) for one in group]
    return tables.frame(rows)


def _by_number(found: list[Submission]) -> list[tuple[str, list[Submission]]]:
    groups: dict[str, list[Submission]] = {}
    for one in sorted(
        found, key=lambda one: (one.first.started_at is None, str(one.first.started_at), one.id)
    ):
        groups.setdefault(one.score.workload, []).append(one)
    return sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))


def _common(run: Run, catalog: Catalog) -> Row:
    return {
        **tables.common(run, None, catalog),
        **tables.workload(run, catalog),
        "cards": tables.stated(run, "accelerators") if run.accelerators else Cell(),
        "batch": tables.stated(run, "global_batch_size") if run.global_batch_size else Cell(),
    }


def _targets(run: Run) -> Row:
    targets = [metric.target for metric in run.metrics if metric.target]
    values = list(dict.fromkeys(tables.level(target.metric, target.value) for target in targets))
    return {
        "target": values[0] if values else None,
        "target_metric": targets[0].metric if targets else None,
        "target_second": values[1] if len(values) > 1 else None,
    }


def _scored(one: Submission, evidence: Evidence) -> Row:
    return {
        **_common(one.first, evidence.catalog),
        **_targets(one.first),
        "status": "ok",
        "part": "round",
        "n": one.score.runs,
        **{
            name: tables.cell(evidence.facts, one.ref(name))
            for name in ("minutes", "epochs_low", "epochs_high")
        },
    }


def _printed(run: Run, evidence: Evidence) -> Row:
    """The article's run on the most accelerators; its time may be missing."""
    metric = next((metric for metric in run.metrics if metric.name == "time_to_target_s"), None)
    epochs = tables_epochs.to_converge(run)
    time = (
        f"in_minutes(run:{run.run_id}:{metric.key})"
        if metric is not None and metric.value is not None
        else None
    )
    told = tables.cell(evidence.facts, f"run:{run.run_id}:{epochs.key}" if epochs else None)
    return {
        **_common(run, evidence.catalog),
        **_targets(run),
        "label": tables_epochs.label(run, evidence.catalog),
        "status": (metric.status if metric is not None else run.status).value,
        "part": "article",
        "n": None,
        "minutes": tables.cell(evidence.facts, time),
        "epochs_low": told,
        "epochs_high": told,
    }


def spreads(evidence: Evidence, source: str) -> pd.DataFrame:
    """The ratio of the most to the fewest epochs: over numbers of cards in an article, and over
    seeds in submissions.

    Columns beside `COMMON`: `part` (`cards` or `seeds`), `workload`, `workload_name`, `factor`,
    `epochs_low`, `epochs_high`, `cards_low`, `cards_high`, `target`, `n` runs. Only workloads of
    which the article prints epochs on several numbers of cards of one system; its systems first,
    then the submissions, widest first. Empty without either.
    """
    table = tables_epochs.by_cards(evidence, source)
    if table.empty:
        return table
    known = named(evidence.archive.runs, "run_id")
    workloads = list(dict.fromkeys(str(name) for name in table["workload"]))
    found = submissions.submissions(evidence, *workloads)
    rows: list[Row] = []
    for workload in workloads:
        seeds = [
            one
            for one in found
            if one.score.workload == workload
            and tables.figure(evidence.facts, one.ref("epochs_range")) is not None
        ]
        if not seeds:
            continue
        own = tables.rows(table[table["workload"] == workload])
        systems = dict.fromkeys(row["system"] for row in own)
        rows.extend(
            _by_cards([row for row in own if row["system"] == system], known, evidence)
            for system in systems
        )

        def order(one: Submission) -> tuple[float, str]:
            return -(tables.figure(evidence.facts, one.ref("epochs_range")) or 0.0), one.id

        rows.extend(_by_seeds(one, evidence) for one in sorted(seeds, key=order))
    return tables.frame(rows)


def _by_cards(own: list[Row], known: Mapping[str, Run], evidence: Evidence) -> Row:
    ordered = sorted(own, key=lambda row: row["epochs"])
    least, most = ordered[0], ordered[-1]
    run, value = known[most["run_id"]], most["target_value"]
    targets = (metric.target for metric in run.metrics if metric.target)
    quality = next(target.metric for target in targets if target.value == value)
    return {
        **_common(run, evidence.catalog),
        "label": most["label"],
        "status": "ok",
        "n": None,
        "part": "cards",
        "target": tables.level(quality, value),
        "target_metric": quality,
        "factor": tables.cell(
            evidence.facts, f"ratio({most['epochs_ref']}, {least['epochs_ref']})"
        ),
        "epochs_low": Cell(least["epochs"], least["epochs_ref"]),
        "epochs_high": Cell(most["epochs"], most["epochs_ref"]),
        "cards_low": Cell(most["cards"], most["cards_ref"]),
        "cards_high": Cell(least["cards"], least["cards_ref"]),
    }


def _by_seeds(one: Submission, evidence: Evidence) -> Row:
    row = _common(one.first, evidence.catalog)
    refs = {"factor": "epochs_range", "epochs_low": "epochs_low", "epochs_high": "epochs_high"}
    return {
        **row,
        "status": "ok",
        "n": len(one.reached),
        "part": "seeds",
        "target": tables.level(one.targets[0].metric, one.targets[0].value),
        "target_metric": one.targets[0].metric,
        **{name: tables.cell(evidence.facts, one.ref(ref)) for name, ref in refs.items()},
        "cards_low": row["cards"],
        "cards_high": row["cards"],
    }
