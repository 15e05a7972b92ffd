"""Beside a log: broken system files, cores, chips, factors, nobody's folder or address."""

import json
import math
import time
from pathlib import Path
from typing import Any

import pytest

from kernels.importers.mlperf.system import SubmissionFacts, facts_of
from tests.kernels.importers.mlperf_logs import FACTS, submission


def facts(root: Path, text: str | dict[str, Any], name: str = "result_0.txt") -> SubmissionFacts:
    """The facts of a log beside a system file of some text."""
    folder = submission(root, {name: ""})
    (folder.parents[2] / "systems" / "box.json").write_text(
        text if isinstance(text, str) else json.dumps(text)
    )
    return facts_of(folder / name)


def v05(root: Path, node: dict[str, Any], entry: dict[str, Any] | None = None) -> SubmissionFacts:
    """The facts of a log in a folder of v0.5, whose one kind of node is described so."""
    folder = root / "training_results_v0.5/v0.5.0/acme/cloud/small/results/tpu/resnet"
    folder.mkdir(parents=True)
    (folder.parent / "entry.json").write_text(
        json.dumps({"division": "closed", "nodes": [node], **(entry or {})})
    )
    (folder.parents[2] / "submission.json").write_text('{"org": "Acme Inc."}')
    return facts_of(folder / "result_3.txt")


@pytest.mark.parametrize(
    "text", [" " * 60_000 + "!", "a" * 60_000, "entry: {" + "} " * 30_000 + "x", "a " * 30_000]
)
def test_a_long_file_of_facts_takes_no_longer_than_its_length_allows(
    tmp_path: Path, text: str
) -> None:
    """60 kB of blanks are read within a second of this process's own time."""
    before = time.thread_time()

    assert facts(tmp_path, text).accelerators is None

    assert time.thread_time() - before < 1


def test_numbers_are_texts(tmp_path: Path) -> None:
    """One node of eight."""
    found = facts(tmp_path, FACTS)

    assert found.nodes == 1
    assert found.accelerators == 8
    assert found.accelerator == "NVIDIA A30"
    assert found.cpu_cores == 32
    assert found.submitter == "Acme"
    assert found.division == "closed"
    assert found.system == "box"
    assert found.round == "v2.0"
    assert found.missing == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            json.dumps({**FACTS, "number of nodes": "2", "number_of_nodes": None}).replace(
                '"number_of_nodes": null, ', ""
            ),
            16,
        ),
        (json.dumps(FACTS).replace('"number_of_nodes"', '"number_of_nodes\\t"'), 8),
        (json.dumps(FACTS).replace('"number_of_nodes"', '"\tNumber_of_Nodes "'), 8),
        (json.dumps({**FACTS, "divison": "closed"}), 8),
        (json.dumps({**FACTS, "accelerators_per_node": "NA"}), None),
        (json.dumps({**FACTS, "accelerators_per_node": "0"}), None),
        (json.dumps({**FACTS, "number_of_nodes": 4}), 32),
        ("\ufeff" + json.dumps(FACTS), 8),
        # a comma behind the last
        (json.dumps({**FACTS, "stack": {"cuda": "10.1"}}).replace('"10.1"}}', '"10.1", },\n}'), 8),
    ],
)
def test_damaged_names_and_numbers(tmp_path: Path, text: str, wanted: int | None) -> None:
    """Blanks and tabs in names, numbers as texts, "NA" and 0 for none, a byte-order mark."""
    assert facts(tmp_path, text).accelerators == wanted


@pytest.mark.parametrize(
    ("nodes", "cores", "name", "wanted"),
    [
        (64, 512, "tpuv2-512", 256),  # the cores of the whole slice, written into each of its hosts
        (2, 32, "tpuv3-32", 16),
        (2, 8, "tpuv3-8", 8),  # two of them
        (1, 8, "tpuv2-8", 4),
        (4, 8, "tpuv3-32", 16),
        (1, 8, "tpuv3-8", 4),
        ("1", "8", "V100", 8),
        (1, "NA", "V100", None),
    ],
)
def test_a_slice_of_tpus_is_not_counted_once_a_host(
    tmp_path: Path, nodes: object, cores: object, name: str, wanted: int | None
) -> None:
    """Files of v0.5 give nodes and cores a node, two on a chip, and for larger slices the cores of
    all of it; a GPU is a GPU.
    """
    assert (
        v05(
            tmp_path, {"num_nodes": nodes, "num_accelerators": cores, "accelerator": name}
        ).accelerators
        == wanted
    )


def test_a_system_without_accelerators_trains_on_its_processors(tmp_path: Path) -> None:
    """Four sockets in each of two machines; without the word "N/A" nothing is made of them."""
    told = {
        **FACTS,
        "number_of_nodes": "2",
        "host_processors_per_node": "4",
        "host_processor_model_name": "Xeon 8380H",
        "accelerators_per_node": "0",
        "accelerator_model_name": "N/A",
    }
    found = facts(tmp_path / "told", told)
    silent = facts(tmp_path / "silent", {**told, "accelerator_model_name": ""})
    old = v05(tmp_path, {"num_nodes": 1, "cpu": "Xeon 8180", "accelerator": "NA"})

    assert (found.accelerator, found.accelerators, found.cpu) == ("Xeon 8380H", 8, "Xeon 8380H")
    assert (silent.accelerator, silent.accelerators) == (None, None)
    assert (old.accelerator, old.accelerators, old.nodes) == ("Xeon 8180", None, 1)


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [("division", "Closed", "closed"), ("divison", "open", "open"), ("divison", "close", "closed")],
)
def test_a_misspelt_division_is_read(tmp_path: Path, name: str, value: str, wanted: str) -> None:
    """The system's file counts: of SIAT's five logs in the open division four say closed."""
    assert facts(tmp_path, {**FACTS, "division": None, name: value}).division == wanted


def test_log_lines_in_place_of_json(tmp_path: Path) -> None:
    """NVIDIA's v0.6 files: lines cut in front, with Python dictionaries as nested text."""
    lines = (
        'division: {"value": "closed", "metadata": {}}\nnoise\n'
        "entry: {\"value\": \"{'hardware': 'DGX-1', 'framework': 'PyTorch NVIDIA Release 19.05', "
        "'libraries': \\\"{'cudnn_version': '7.6'}\\\", "
        "'nodes': \\\"{'num_nodes': '2', 'num_accelerators': '8', 'accelerator': 'V100', "
        "'sys_mem_size': '512'}\\\"}\"}\n"
    )
    found = facts(tmp_path, lines)

    assert found.division == "closed"
    assert found.system == "DGX-1"
    assert found.nodes == 2
    assert found.accelerators == 16
    assert found.accelerator == "V100"
    assert (found.memory_bytes, {each.name: each.version for each in found.software}) == (
        512_000_000_000,
        {"pytorch": None, "ngc-container": "19.05", "cudnn": "7.6"},
    )


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "null", "7", "\0\0", "[" * 100_000, "entry: {" * 50]
)
def test_a_file_without_facts_is_told(tmp_path: Path, text: str) -> None:
    """Submitter and system go by their folders then."""
    found = facts(tmp_path, text)

    assert (found.submitter, found.system, found.accelerator) == ("Acme", "box", None)
    assert found.missing == ("neither entry.json nor systems/box.json says what the system is",)


def test_the_only_file_is_taken_for_the_only_system(tmp_path: Path) -> None:
    """Alibaba's v0.7 file is named otherwise; two files, or two systems, would leave it open."""
    folder = submission(tmp_path, {"result_0.txt": ""})
    systems = folder.parents[2] / "systems"
    (systems / "box.json").rename(systems / "other.json")

    found = facts_of(folder / "result_0.txt")
    (systems / "more.json").write_text("{}")

    assert found.accelerators == 8 and "other.json, the only file of systems/" in found.missing[0]
    assert facts_of(folder / "result_0.txt").accelerators is None


def test_a_folder_of_so_many_cards_has_the_one_file_of_as_many(tmp_path: Path) -> None:
    """Alibaba's folders in v0.7 are `v100-16` and its files named otherwise; two such leave it
    open, and so does another card.
    """
    box = submission(tmp_path, {"result_0.txt": ""}).parent
    systems = box.parents[1] / "systems"
    for name, nodes, card in (("n1", 1, "V100"), ("n2", 2, "V100"), ("n2a", 2, "A100")):
        words = {**FACTS, "number_of_nodes": nodes, "accelerator_model_name": f"NVIDIA {card}-32GB"}
        (systems / f"{name}.json").write_text(json.dumps(words))
    folder = box.rename(box.with_name("v100-16"))

    found = facts_of(folder / "result_0.txt")
    box.with_name("p100-16").mkdir()
    other = facts_of(box.with_name("p100-16") / "result_0.txt")
    (systems / "n2b.json").write_text((systems / "n2.json").read_text())
    two = facts_of(folder / "result_0.txt")

    assert (found.accelerator, found.accelerators) == ("NVIDIA V100-32GB", 16)
    assert "n2.json, the only file of 16 v100, is taken" in found.missing[0]
    assert (other.accelerators, two.accelerators) == (None, None)


def test_v05_folders_tell_submissions_apart(tmp_path: Path) -> None:
    """Two folders stand between the submitter and its results."""
    found = v05(tmp_path, {"num_nodes": 1, "num_accelerators": 8, "accelerator": "tpuv2-8"})

    assert found.submitter_folder == "acme"
    assert found.submitter == "Acme Inc."
    assert found.folder == "cloud-small-tpu"
    assert found.benchmark == "resnet"
    assert found.index == 3


def test_later_rounds_count_chips_and_a_name_that_disagrees_is_told(tmp_path: Path) -> None:
    """`tpu-v3-32` has 32 cores on 16 chips, however they are spread over nodes."""
    names = {"number_of_nodes": "2", "accelerators_per_node": "8", "accelerator_model_name": "v3"}
    for each, warnings in (("8", 0), ("16", 1)):
        folder = tmp_path / each / "training_results_v0.7/Acme/results/tpu-v3-32-TF2.0/resnet"
        folder.mkdir(parents=True)
        systems = folder.parents[2] / "systems"
        systems.mkdir()
        (systems / "tpu-v3-32-TF2.0.json").write_text(
            json.dumps({**names, "accelerators_per_node": each})
        )

        found = facts_of(folder / "result_0.txt")

        assert (found.accelerators, len(found.missing)) == (2 * int(each), warnings)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"scaling_factor": 1.0034}', 1.0034),
        ('{"scaling_factor": "1.5"}', 1.5),
        ("{}", math.nan),
        ("x", math.nan),
    ],
)
def test_the_scaling_factor(tmp_path: Path, text: str, wanted: float) -> None:
    """Of the benchmark's folder; a file without a usable one is no factor of 1."""
    folder = submission(tmp_path, {"result_0.txt": ""})
    assert facts_of(folder / "result_0.txt").scaling_factor is None

    (folder / "scaling.json").write_text(text)
    found = facts_of(folder / "result_0.txt")

    assert found.scaling_factor == pytest.approx(wanted, nan_ok=True)
    assert bool(found.missing) == math.isnan(wanted)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("result_0.txt", 0),
        ("result_12.txt", 12),
        ("resnet50_result_3.log", 3),
        ("run7.log", 7),
        ("v2_run_11_final", 11),
        ("log.txt", None),
    ],
)
def test_the_number_of_a_log(tmp_path: Path, name: str, wanted: int | None) -> None:
    """The one behind "result", else the last in its name."""
    assert facts(tmp_path, FACTS, name).index == wanted


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["result_4953-2405092314_01", "result_4953-2405092314_02"], [1, 2]),
        (["result_4953-2405_01", "result_4953-2405_02", "result_5028-2405_01"], [0, 1, 2]),
        (["result_1_1n4r_1592751389", "result_2_1n4r_1592758721"], [1, 2]),
        (["1592751389", "1592758721"], [0, 1]),
    ],
)
def test_the_number_of_a_log_among_others(
    tmp_path: Path, names: list[str], wanted: list[int]
) -> None:
    """No number of a job, no time, and no two the same."""
    folder = submission(tmp_path, {f"{name}.txt": "" for name in names})

    assert [facts_of(folder / f"{name}.txt").index for name in names] == wanted


def test_a_log_without_a_benchmark_s_folder(tmp_path: Path) -> None:
    """Alibaba's v0.7 results lie in the system's own."""
    folder = submission(tmp_path, {"result_0.txt": ""}, None)

    assert facts_of(folder / "result_0.txt").system == "box"
    assert facts_of(folder / "result_0.txt").benchmark is None


def test_no_folder_of_the_machine_and_no_contact_is_told(tmp_path: Path) -> None:
    """A log's place begins with its round or submitter; contacts and addresses are out."""
    found = facts(
        tmp_path,
        {
            **FACTS,
            "poc_email": "x@example.org",
            "poc_name": "Jo Doe",
            "operating_system": "Linux by jo@example.org",
        },
    )
    loose = tmp_path / "home" / "jo" / "Acme" / "results" / "box" / "resnet"
    loose.mkdir(parents=True)

    assert found.path == "training_results_v2.0/Acme/results/box/resnet/result_0.txt"
    assert "example" not in str(found) and "Doe" not in str(found)
    assert facts_of(loose / "result_0.txt").path == "Acme/results/box/resnet/result_0.txt"
    assert facts_of(tmp_path / "home" / "jo" / "log_1.txt").path == "log_1.txt"
