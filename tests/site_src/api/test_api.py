"""What machines read: keys as promised, null for unknown, licence and credit in every row."""

import dataclasses
import gzip
import io
import json
import math
from collections.abc import Mapping
from datetime import date
from typing import Any

import pandas as pd
import pytest

from kernels.records import Origin
from kernels.store import Archive
from kernels.store.frames import nested_frame
from kernels.store.schema import SCHEMA_VERSION
from site_src import api, csv_cells
from site_src.api.prices import cost_records
from site_src.csv_cells import to_csv
from site_src.evidence import Evidence
from site_src.model import BuildOptions
from tests.makers import catalogue, chosen, transcribed
from tests.site_src.own import own_run

PROMISED: Mapping[str, str] = {
    "runs": "run_id origin source source_locator licence workload system accelerator accelerators "
    "backend framework precision data "
    "global_batch_size batch_size_per_accelerator seed status clock_scope started_at metrics "
    "doubts page",
    "results": "result_id origin source licence credit workload system accelerator accelerators "
    "submitter round division run_ids score_minutes page",
    "claims": "id source locator printed printed_low printed_high bound unit recomputed formula "
    "inputs verdict",
    "costs": "run_id price_id provider price_kind target_metric target_value clock_scope hours "
    "amount currency "
    "run_ids workload system reached runs hours_low hours_high amount_low amount_high remarks",
    "prices": "price_id provider system kind amount currency per region valid_from valid_to source "
    "licence "
    "per_hour per_accelerator_hour hardware term_months includes",
    "systems": "system accelerator accelerators vendor host provider hardware",
    "workloads": "workload task dataset metric parameters framework_notes runnable",
    "sources": "source title url language published kind licence claims contradicted",
}


@pytest.fixture(scope="module")
def archive() -> Archive:
    """The article and a measured run."""
    found = transcribed("tpuv2-v100")
    return dataclasses.replace(found, runs=(*found.runs, own_run()))


@pytest.fixture(scope="module")
def files(archive: Archive) -> dict[str, bytes]:
    """Every file by its path; without charts, which have tests of their own."""
    known = catalogue()
    options = BuildOptions(built=date(2026, 11, 20))
    made = api.assets(Evidence(archive, known), {}, options)
    return {asset.path: asset.content for asset in made}


def records(files: Mapping[str, bytes], name: str) -> list[dict[str, Any]]:
    """The records of a JSON file."""
    found: list[dict[str, Any]] = table(files, name)["records"]
    return found


def table(files: Mapping[str, bytes], name: str) -> dict[str, Any]:
    """A JSON file, packed or not."""
    content = files[api.file_of(name)]
    packed = api.file_of(name).endswith(".gz")
    read: dict[str, Any] = json.loads(gzip.decompress(content) if packed else content)
    return read


@pytest.mark.parametrize("name", api.NAMES)
def test_every_promised_file_is_there(files: Mapping[str, bytes], name: str) -> None:
    """Each has a version and records, few or many."""
    read = table(files, name)

    assert read["schema_version"] == SCHEMA_VERSION
    assert isinstance(read["records"], list)


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_records_have_the_promised_keys(files: Mapping[str, bytes], name: str) -> None:
    """More keys may come, none may go; all records of a file have the same."""
    found = records(files, name)

    assert found
    for record in found:
        assert set(PROMISED[name].split()) <= record.keys() == found[0].keys()


def test_a_run_keeps_its_figures_and_nulls(files: Mapping[str, bytes]) -> None:
    """Figures have value, unit and n; what is unknown is null, and out of memory has no figure."""
    by_id = {record["run_id"]: record for record in records(files, "runs")}
    found = by_id["tpuv2-v100-tpu-synthetic-1024"]
    oom = by_id["tpuv2-v100-v100-mxnet-synthetic-1024"]

    assert found["metrics"]["throughput_images_per_s"]["value"] == 3186
    assert found["metrics"]["throughput_images_per_s"]["unit"] == "images/s"
    assert found["seed"] is None
    assert found["batch_size_per_accelerator"] == 256
    assert oom["status"] == "oom"
    assert oom["metrics"]["throughput_images_per_s"]["value"] is None
    assert by_id["digits-cnn-cpu-20261120"]["started_at"] == "2026-11-20T05:00:00+00:00"


def test_costs_of_all_kinds_of_sources_and_offers() -> None:
    """Logs and articles, what is rented, bought and free; each says on how many runs it rests, and
    what is to be said beside it.
    """
    found = chosen()
    known, archive = (
        catalogue(),
        Archive(runs=found.runs, sources=found.sources, prices=found.prices),
    )
    costs = list(cost_records(Evidence(archive, known), date(2026, 11, 20)))
    by_price = {(each["run_ids"][0], each["price_id"]): each for each in costs}
    log = by_price[
        "mlperf-v0.5-google-cloud-v2.8-resnet-tpuv2-8-tpu-resnet-0",
        "gcp-cloud-tpu-v2-8-on-demand-2018",
    ]
    bought = next(each for each in costs if each["price_kind"] == "owned")
    free = next(each for each in costs if each["price_kind"] == "free")

    assert {each["origin"] for each in costs} >= {"published", "imported"}
    assert (log["reached"], log["runs"], len(log["run_ids"])) == (5, 5, 5)
    assert log["hours_low"] < log["hours"] < log["hours_high"]
    assert log["amount"] == pytest.approx(log["hours"] * 6.7)
    assert bought["owned_months"] == 36
    assert "no-electricity" in bought["remarks"]
    assert (free["amount"], free["owned_months"]) == (0.0, None)
    assert "free" in free["remarks"]


def test_an_offer_says_its_terms(files: Mapping[str, bytes]) -> None:
    """All that a price depends on, and an hour of one accelerator at it; what is bought has
    none.
    """
    by_id = {record["price_id"]: record for record in records(files, "prices")}
    offer, card = by_id["aws-p3.8xlarge-reserved-12m-2018"], by_id["rtx2080ti-2x-purchase"]

    assert (offer["per_hour"], offer["per_accelerator_hour"]) == (8.4, 2.1)
    assert (offer["term_months"], offer["upfront"], offer["hardware"]) == (12, 0, "v100-sxm2-16gb")
    assert (card["per_hour"], card["per_accelerator_hour"], card["amount"]) == (None, None, 3.0e5)
    assert by_id["google-colab-free"]["session_limit_s"] == 36000
    assert by_id["gcp-t4-resnet34"]["kind"] == "unknown"


def test_a_price_that_cannot_be_right_says_why(files: Mapping[str, bytes]) -> None:
    """With the prices that contradict it; its costs are in the state that says so, and what
    contradicts nothing has an empty list.
    """
    by_id = {record["price_id"]: record for record in records(files, "prices")}
    known, archive = catalogue(), Archive(runs=chosen().runs)
    costs = cost_records(Evidence(archive, known), date(2026, 11, 20))
    states = {record["price_id"]: record["state"] for record in costs}

    assert by_id["gcp-t4-resnet34"]["doubts"] == [
        {"reason": "two-rates", "against": ["gcp-t4-resnet101"]}
    ]
    assert by_id["hostkey-1080ti-resnet34"]["doubts"] == []
    assert (states["gcp-t4-resnet34"], states["hostkey-1080ti-resnet34"]) == (
        "doubtful_price",
        "ok",
    )


def test_a_result_keeps_its_score_when_its_first_run_is_withdrawn() -> None:
    """The score is of the runs in force; the withdrawn one stays among the result's."""
    name = "mlperf-v0.5-google-cloud-v2.8-resnet-tpuv2-8-tpu-resnet"
    runs = [run for run in chosen().runs if run.run_id.startswith(f"{name}-")]
    later = [dataclasses.replace(run, repeat_index=n) for n, run in enumerate(runs, 1)]
    gone = dataclasses.replace(runs[0], run_id=f"{name}-9", repeat_index=0, withdrawn="wrong log")
    archive = Archive(runs=(gone, *later))
    options = BuildOptions(built=date(2026, 11, 20))
    made = api.assets(Evidence(archive, catalogue()), {}, options)

    [result] = records({asset.path: asset.content for asset in made}, "results")

    assert result["result_id"] == name
    assert result["run_ids"] == [gone.run_id, *(run.run_id for run in later)]
    assert result["score_minutes"] == pytest.approx(301.58, abs=0.005)
    assert result["page"] == f"results/{name}/"


def test_a_round_is_scored() -> None:
    """The five imported runs of one submission give 301.58 minutes by the rules, verified by
    nobody; without such runs there are none.
    """
    runs = tuple(run for run in chosen().runs if run.origin is Origin.IMPORTED)
    known, archive = catalogue(), Archive(runs=runs)
    made = api.assets(Evidence(archive, known), {}, BuildOptions(built=date(2026, 11, 20)))
    found = records({asset.path: asset.content for asset in made}, "scores")
    [score] = [
        each
        for each in found
        if each["run_ids"][0] == "mlperf-v0.5-google-cloud-v2.8-resnet-tpuv2-8-tpu-resnet-0"
    ]

    promised = (
        "source submitter round system workload accelerators runs converged score_minutes "
        "verdict reason"
    )
    assert set(promised.split()) <= score.keys()
    assert score["score_minutes"] == pytest.approx(301.58, abs=0.005)
    assert (score["verdict"], score["runs"], score["converged"], score["verified"]) == (
        "scored",
        5,
        5,
        False,
    )
    assert len(found) == len({(each["source"], *each["run_ids"]) for each in found}) > 8, (
        "one record a submission"
    )


def test_claims_carry_their_verdicts(files: Mapping[str, bytes]) -> None:
    """The count of contradicted claims is that of the source."""
    verdicts = [record["verdict"] for record in records(files, "claims")]
    [source] = records(files, "sources")

    assert source["claims"] == len(verdicts)
    assert source["contradicted"] == verdicts.count("contradicts")


def test_every_row_carries_licence_and_credit(files: Mapping[str, bytes]) -> None:
    """Tables come as Parquet and CSV with the same rows; each row says under which terms."""
    tables = {path for path in files if path.startswith("data/")}

    assert {
        "data/runs.parquet",
        "data/metrics.csv.gz",
        "data/claims.parquet",
        "data/prices.csv",
        "data/specifications.parquet",
    } <= tables
    for path in sorted(tables):
        stem, _, ending = path.partition(".")
        if ending != "parquet":
            content = gzip.decompress(files[path]) if ending == "csv.gz" else files[path]
            rows = csv_cells.rows(io.StringIO(content.decode(), newline=""))
            twin = pd.read_parquet(io.BytesIO(files[f"{stem}.parquet"]))
            assert len(rows) == len(twin), path
            assert [*rows[0]] == [*twin], path
            for column in map(str, twin):
                for row, value in zip(rows, twin[column], strict=True):
                    assert same(row[column], value), (path, column, row[column], value)
            assert all(row["licence"] for row in rows) or path == "data/specifications.csv", path
            assert "credit" in twin, path


def same(text: str, value: Any) -> bool:
    """Whether a cell of a CSV is that value; empty is missing, never zero."""
    if not isinstance(value, str) and pd.isna(value):
        return text == ""
    if isinstance(value, float | int) and not isinstance(value, bool):
        return math.isclose(float(text), value, rel_tol=1e-12)
    if isinstance(value, pd.Timestamp):
        return bool(pd.Timestamp(text) == value)
    return text in {str(value), str(value).lower()}


def test_a_table_in_parts_is_the_table(archive: Archive, files: Mapping[str, bytes]) -> None:
    """Runs of several origins and rounds one after the other, each row once and in order."""
    content = gzip.decompress(files["data/metrics.csv.gz"])

    assert len({(run.origin, run.round) for run in archive.runs}) > 1
    assert content == to_csv(nested_frame(archive.runs, "metrics", archive.recordings))
