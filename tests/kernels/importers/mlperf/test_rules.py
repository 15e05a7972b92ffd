"""The tables behind MLPerf logs: names, targets by round, and hardware that the catalogue knows."""

import pytest

from kernels.analysis.mlperf_scores import RULES
from kernels.importers.mlperf import rules
from kernels.records import Certainty
from tests.makers import catalogue, whole


@pytest.mark.parametrize(
    ("benchmark", "round_", "wanted"),
    [
        ("resnet", "v0.5", [0.749]),
        ("resnet", "v0.6", [0.759]),
        ("resnet", "v4.0", [0.759]),
        ("ssd", "v0.5", [0.212]),
        ("ssd", "v1.1", [0.23]),
        ("retinanet", "v2.1", [0.34]),
        ("maskrcnn", "v0.5", [0.377, 0.339]),
        ("gnmt", "v0.5", [0.218]),
        ("gnmt", "v0.7", [0.24]),
        ("bert", "v0.7", [0.712]),
        ("bert", "v5.0", [0.72]),
        ("minigo", "v0.6", []),
        ("minigo_19x19", "v0.7", [0.5]),
        ("flux1", "v5.0", []),
        ("flux1", "v5.1", [0.586]),
        ("stable_diffusion", "v3.1", [90.0, 0.15]),
        ("llama31_405b", "v10.0", [5.6]),
        ("resnet", None, []),
        ("ncf", None, [0.635]),
        ("something_new", "v5.1", []),
    ],
)
def test_targets_change_with_rounds(
    benchmark: str, round_: str | None, wanted: list[float]
) -> None:
    """And are unknown before a benchmark's first round, and without a round where it matters."""
    found = rules.targets(benchmark, round_)

    assert [target.value for target in found] == wanted
    assert all(target.certainty is Certainty.RECONSTRUCTED for target in found)


def test_each_benchmark_has_a_metric_a_workload_and_a_rule() -> None:
    """No table is shorter than another."""
    assert rules.METRICS.keys() == rules.WORKLOADS.keys()
    assert set(rules.WORKLOADS.values()) == RULES.keys()
    assert {rules.benchmark_of(name) for name in rules.BENCHMARKS} <= rules.WORKLOADS.keys()
    known = catalogue().workloads
    assert {name: known[id_].metric for name, id_ in rules.WORKLOADS.items()} == {
        name: metrics[0] for name, metrics in rules.METRICS.items()
    }


@pytest.mark.parametrize(
    ("name", "round_", "wanted"),
    [
        ("ssd", "v1.1", "ssd-coco"),
        ("ssd", "v2.0", "retinanet-openimages"),
        ("single_stage_detector", "v4.1", "retinanet-openimages"),
        ("ssd", None, "ssd-coco"),
        ("retinanet", "v5.0", "retinanet-openimages"),
        ("minigo", "v0.6", "minigo-9x9"),
        ("minigo", "v0.7", "minigo-19x19"),
        ("dlrm", "v2.1", "dlrm-criteo-1tb"),
        ("dlrm_dcnv2", "v3.0", "dlrm-dcnv2-criteo-4tb"),
        ("gnn", "v4.0", "rgat-igbh"),
    ],
)
def test_a_name_means_what_its_round_trained(name: str, round_: str | None, wanted: str) -> None:
    """Another model or data set under an old name is another workload."""
    assert rules.WORKLOADS[rules.benchmark_of(name, round_)] == wanted


def test_names_lead_to_hardware_and_systems_of_the_catalogue() -> None:
    """An id that the catalogue has not would be no id."""
    known = catalogue()

    assert {
        *rules.ACCELERATORS.values(),
        *(each[-1] for each in rules.AMBIGUOUS),
    } <= known.hardware.keys()
    assert {name for name in rules.ACCELERATORS if name != name.lower()} == set()


@pytest.mark.parametrize(
    ("submitter", "round_", "folder", "name", "wanted"),
    [
        ("Google", "v1.0", "tpu-v4-128-TF", "TPU", "tpu-v4"),
        ("Google", "v0.7", "tpu-v4-16-TF", "TPU", "tpu-v4"),
        ("Google", "v2.0", "tpu-v4-4096", "TPU", None),
        ("Inspur", "v0.7", "nf5488_mxnet", "NVIDIA A100", "a100-40gb"),
        ("Acme", "v1.0", "tpu-v4-128-TF", "TPU", None),
        ("google", "v0.6", "tpu-v3-32", " TPU-v3 ", "tpu-v3"),
        ("acme", None, "box", "GPU", None),
    ],
)
def test_an_ambiguous_name_counts_where_its_table_says(
    submitter: str, round_: str | None, folder: str, name: str, wanted: str | None
) -> None:
    """`TPU` is a TPU v4 with Google in v0.7 and v1.0, and nothing anywhere else."""
    assert rules.accelerator_of(submitter, round_, folder, name) == wanted


@pytest.mark.parametrize(
    ("folder", "written", "wanted"),
    [
        ("google", "Google Inc.", ("Google", "Google")),
        ("Google", None, ("Google", "Google")),
        ("DellEMC", "Dell EMC", ("Dell EMC", "Dell EMC")),
        ("AcmeCorp", "ACMECORP", ("AcmeCorp", "AcmeCorp")),
        ("AcmeCorp", "Acme Corporation", ("Acme Corporation", "AcmeCorp")),
        (None, "nvidia", ("NVIDIA", "NVIDIA")),
        (None, None, ("unknown submitter", "unknown submitter")),
    ],
)
def test_a_submitter_has_one_name(
    folder: str | None, written: str | None, wanted: tuple[str, str]
) -> None:
    """The source's depends on the folder alone, whatever each of its files writes."""
    assert rules.submitter_of(folder, written) == wanted


@pytest.mark.parametrize(
    ("folder", "wanted"),
    [
        ("dgx1_ngc19.05_mxnet", "nvidia-dgx-1"),
        ("dgx1_20.06_ngc_mxnet", "nvidia-dgx-1"),
        ("dgx1_n130_ngc19.05_mxnet", None),
        ("dgx1_multi_ngc18.11_mxnet", None),
    ],
)
def test_many_machines_are_not_one_of_them(folder: str, wanted: str | None) -> None:
    """130 DGX-1 are no DGX-1 with its eight accelerators."""
    assert rules.system_of("NVIDIA", folder) == wanted


@pytest.mark.whole
def test_submissions_on_a_system_of_the_catalogue_have_its_accelerators() -> None:
    """As many as it has; else a figure of many machines would be shown, and priced, as of one."""
    known = catalogue().systems
    apart = {
        (run.run_id, run.system)
        for run in whole().runs
        if run.round and run.system in known and run.accelerators != known[run.system].accelerators
    }

    assert apart == set()
