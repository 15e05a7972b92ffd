"""Data for machines: `api/v1/*.json` with one record a system, claim, price, one a run in a packed
one, and `data/` with whole tables.

Keys of records never change or go; new ones may be added. Unknown values are null. Each
downloadable row has licence and credit.
"""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import date, datetime
from functools import partial
from itertools import chain
from typing import Final

from kernels.analysis.mlperf_scores import Score
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.reading import named
from kernels.records import Hardware, Metric, Run, Source, System
from kernels.store.schema import SCHEMA_VERSION
from site_src.api import tables
from site_src.api.fields import Record, fields_of
from site_src.api.prices import cost_records, price_records
from site_src.charts.parts import Chart
from site_src.evidence import Evidence
from site_src.model import Asset, BuildOptions
from site_src.tables.recorded import machine_name

NAMES: Final = (
    "charts",
    "results",
    "runs",
    "systems",
    "workloads",
    "sources",
    "claims",
    "prices",
    "costs",
    "scores",
)
"""Tables of `api/v1/`."""


def file_of(name: str) -> str:
    """Path of a table below site/; that of the runs is packed: nobody opens 46 MB in a browser."""
    return f"api/v1/{name}.json{'.gz' if name == 'runs' else ''}"


def assets(
    evidence: Evidence,
    figures: Mapping[str, Chart],
    options: BuildOptions,
) -> Iterator[Asset]:
    """All JSON files and downloads."""
    for make in files(evidence, figures, options).values():
        yield from make()


def files(
    evidence: Evidence,
    figures: Mapping[str, Chart],
    options: BuildOptions,
) -> dict[str, Callable[[], Iterator[Asset]]]:
    """Makers of the JSON files and downloads, by name."""
    graph = evidence.graph
    of_workload = partial(graph.get, "cost records")
    records: Mapping[str, Callable[[], Iterable[Record]]] = {
        "charts": lambda: (chart.record() for chart in figures.values()),
        "results": lambda: result_records(evidence),
        "systems": lambda: system_records(evidence),
        "workloads": lambda: workload_records(evidence.catalog),
        "sources": lambda: (
            source_record(source, evidence.facts) for source in evidence.archive.sources
        ),
        "claims": lambda: claim_records(evidence),
        "prices": lambda: price_records(evidence),
        "costs": lambda: chain.from_iterable(map(of_workload, evidence.catalog.workloads)),
        "scores": lambda: map(score_record, evidence.results.scores_of()),
    }
    graph.register("run records", partial(_of_part, evidence), keep=True)
    graph.register(
        "cost records", lambda id_: [*cost_records(evidence, options.date, id_)], keep=True
    )
    return {
        **{f"api {name}": partial(_listed, name, make) for name, make in records.items()},
        "api runs": partial(_runs, evidence),
        **{f"data {name}": make for name, make in tables.files(evidence, options).items()},
    }


def _listed(name: str, records: Callable[[], Iterable[Record]]) -> Iterator[Asset]:
    yield Asset(file_of(name), as_json(records()))


def _runs(evidence: Evidence) -> Iterator[Asset]:
    """The runs, joined from the parts in which tables are made."""
    parts = evidence.graph.get("names of runs of part")
    packed = (evidence.graph.get("run records", first) for first in parts)
    before, after = _enclosed("|").split(b"|")
    content = _gz(b",\n").join(packed)
    yield Asset(file_of("runs"), b"".join([_gz(before), content, _gz(after)]))


def _gz(content: bytes) -> bytes:
    """A member of a gzip file, always the same for the same content."""
    return gzip.compress(content, 6, mtime=0)


def _of_part(evidence: Evidence, first: str) -> bytes:
    known = named(evidence.archive.runs, "run_id")
    runs = [known[id_] for id_ in evidence.graph.get("runs of part", first)]
    page = evidence.results.page_with
    return _gz(_lines(run_record(run, page(run.run_id)) for run in runs).encode())


def as_json(records: Iterable[Record]) -> bytes:
    """`{"schema_version": ..., "records": [...]}`, one record a line."""
    return _enclosed(_lines(records))


def _lines(records: Iterable[Record]) -> str:
    return ",\n".join(
        json.dumps(
            record, ensure_ascii=False, allow_nan=False, default=_plain, separators=(",", ":")
        )
        for record in records
    )


def _enclosed(lines: str) -> bytes:
    return f'{{"schema_version": "{SCHEMA_VERSION}", "records": [\n{lines}\n]}}\n'.encode()


def _plain(value: object) -> object:
    if isinstance(value, datetime | date):
        return value.isoformat()
    raise TypeError(
        f"{value!r} of type {type(value).__name__} has no JSON form; give text or a number"
    )


def metric_record(metric: Metric) -> Record:
    """A figure, with interval, target and place if present; a printed range has no value."""
    ends = fields_of(metric, "low high interval target locator")
    if metric.target:
        ends["target"] = asdict(metric.target)
    return fields_of(metric, "value bound unit n stat status") | {
        name: value for name, value in ends.items() if value is not None
    }


def result_records(evidence: Evidence) -> Iterator[Record]:
    """Results with their runs, and the score of a submission; `page` is an address below each
    language's.
    """
    runs = named(evidence.archive.runs, "run_id")
    minutes = {
        run: score.score_minutes for score in evidence.results.scores_of() for run in score.run_ids
    }
    for result in evidence.results.values():
        run = runs[result.run_ids[0]]
        yield {
            "result_id": result.id,
            **fields_of(
                run,
                "origin source licence credit workload system accelerator accelerators submitter "
                "round division",
            ),
            "run_ids": list(result.run_ids),
            "score_minutes": next((minutes[id_] for id_ in result.run_ids if id_ in minutes), None),
            "page": f"results/{result.id}/",
        }


def run_record(run: Run, page: str) -> Record:
    """A run; `page` is the address of its page, below each language's."""
    return {
        **fields_of(
            run,
            "run_id origin source source_locator=locator licence credit workload system "
            "accelerator accelerators backend framework framework_version implementation "
            "precision data augmentation global_batch_size batch_size_per_accelerator "
            "batch_recommended parallelism mode seed status status_detail clock_scope started_at "
            "withdrawn caveats",
        ),
        "metrics": {metric.key: metric_record(metric) for metric in run.metrics},
        "doubts": [asdict(doubt) for doubt in run.doubts],
        "page": page,
    }


def system_records(evidence: Evidence) -> Iterator[Record]:
    """Systems of the catalogue, then those only in runs."""
    for system in evidence.catalog.systems.values():
        yield _of_catalogue(system, evidence.catalog.hardware.get(system.hardware))
    seen = set(evidence.catalog.systems)
    for run in evidence.archive.runs:
        if run.system not in seen:
            seen.add(run.system)
            yield _of_run(run)


def _of_catalogue(system: System, hardware: Hardware | None) -> Record:
    return {
        "system": system.system,
        "name": system.name,
        "accelerator": hardware.name if hardware else system.hardware,
        "accelerators": system.accelerators,
        "vendor": hardware.vendor if hardware else None,
        "host": fields_of(system, "cpu_model cpu_cores cpu_hz memory_bytes os"),
        **fields_of(
            system,
            "provider instance region server_kind hardware source source_locator=locator "
            "reconstructed",
        ),
    }


def _of_run(run: Run) -> Record:
    found = run.environment
    return {
        "system": run.system,
        "name": machine_name(found) if found else None,
        "accelerator": found.accelerator_name or found.cpu_model if found else run.accelerator,
        "accelerators": run.accelerators,
        "vendor": found.cpu_vendor if found and not found.accelerator_name else None,
        "host": fields_of(
            found, "cpu_model cpu_cores=physical_cores cpu_hz=cpu_max_hz memory_bytes os"
        )
        if found
        else None,
        **dict.fromkeys(("provider", "instance", "region", "server_kind")),
        **fields_of(run, "hardware=accelerator source source_locator=locator"),
        "reconstructed": [],
    }


def workload_records(catalog: Catalog) -> Iterator[Record]:
    """Workloads with the facts about model and data."""
    for workload in catalog.workloads.values():
        record = asdict(workload)
        record["framework_notes"] = record.pop("facts_source")
        record["references"] = list(workload.references)
        yield record


def source_record(source: Source, facts: Facts) -> Record:
    """A source, with its number of claims and of those that its own figures contradict."""
    return {
        **fields_of(
            source,
            "source title url language translated_from authors publisher affiliation published "
            "published_precision published_about modified number version applies_to code kind "
            "licence credit",
        ),
        "claims": int(facts.get(f"count:claims@{source.source}").value or 0),
        "contradicted": int(facts.get(f"count:claims.contradicts@{source.source}").value or 0),
    }


def claim_records(evidence: Evidence) -> Iterator[Record]:
    """Claims with their recomputed figures."""
    for claim in evidence.archive.claims:
        found = evidence.facts.judgement(claim.claim_id)
        yield {
            **fields_of(
                claim,
                "id=claim_id source locator printed printed_low printed_high bound unit",
            ),
            **fields_of(found, "recomputed recomputed_low recomputed_high"),
            **fields_of(claim, "formula inputs"),
            "verdict": str(found.verdict),
        }


def score_record(score: Score) -> Record:
    """A submission to a round; its score is computed here and unverified."""
    return {
        **fields_of(
            score,
            "source submitter round division system workload accelerators runs converged "
            "score_minutes verdict reason mean_minutes scaling_factor runs_wanted=wanted rule "
            "energy_j",
        ),
        "verified": False,
        "run_ids": list(score.run_ids),
    }
