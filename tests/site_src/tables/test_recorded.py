"""Machines and rounds have names that tell what they are."""

from dataclasses import replace

import pytest

from kernels import catalog
from kernels.records import Certainty, Environment, Origin, Setting, Software
from site_src.tables import recorded
from tests.site_src.own import own_run


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        (
            Environment(cpu_model="AMD EPYC", physical_cores=2, logical_cores=2, virtualised=True),
            "AMD EPYC, 2 vCPU",
        ),
        (
            Environment(cpu_model="AMD Ryzen 9 5950X", physical_cores=16, logical_cores=32),
            "AMD Ryzen 9 5950X, 16C/32T",
        ),
        (Environment(cpu_model="Test CPU", physical_cores=2), "Test CPU, 2C"),
        (Environment(cpu_model="Test CPU"), "Test CPU"),
        (Environment(cpu_model="AMD EPYC", accelerator_name="NVIDIA H200"), "NVIDIA H200"),
        (Environment(), None),
    ],
)
def test_a_machine_is_called_by_what_it_is(environment: Environment, name: str | None) -> None:
    """Cores stand beside a processor, vCPU in a virtual machine; an accelerator needs none."""
    assert recorded.machine_name(environment) == name


def test_a_result_names_what_its_round_wants_named() -> None:
    """Round, division, submitter and system; a run of our own is of no round."""
    environment = Environment(extra=(Setting(recorded.SUBMISSION_SYSTEM, "tpuv2-8"),))
    run = replace(
        own_run(),
        origin=Origin.IMPORTED,
        round="v0.5",
        submitter="Google Inc.",
        environment=environment,
    )
    found = recorded.result(run)

    assert found is not None
    assert found.names("not stated", "") == {
        "round": "v0.5",
        "division": "not stated",
        "submitter": "Google Inc.",
        "system": "tpuv2-8",
    }
    assert recorded.result(own_run()) is None


def test_what_was_put_together_says_so() -> None:
    """A framework's version is as certain as the software's, an image as the remark about
    versions.
    """
    run = replace(
        own_run(),
        software=(Software("PyTorch", "2.13.0", Certainty.RECONSTRUCTED),),
        caveats=("versions-reconstructed",),
    )

    assert recorded.certainty_of_framework(run) is Certainty.RECONSTRUCTED
    assert recorded.certainty_of_container(run) is Certainty.RECONSTRUCTED
    assert recorded.certainty_of_framework(own_run()) is Certainty.STATED


def test_systems_are_called_by_the_catalogue_first() -> None:
    """Then as their first run found them, then by their ids; a multiple and a unit stay on one
    line.
    """
    every = catalog.load()
    known = every.systems
    runs = [replace(own_run(), system=system, environment=found) for system, found in (
        (next(iter(known)), Environment(accelerator_name="Toy")),
        ("there", Environment(accelerator_name="Toy GPU 16 GB")),
        ("there", Environment(accelerator_name="Later")),
        ("bare", None),
    )]  # fmt: skip

    found = recorded.system_names(runs, every)

    assert found[next(iter(known))] != "Toy"
    assert (found["there"], found["bare"]) == ("Toy GPU 16\xa0GB", "bare")


@pytest.mark.parametrize(
    ("submitter", "own", "accelerators", "name"),
    [
        ("Lenovo", "SR670_V3", 4, "Lenovo SR670 V3 (4 × H100 PCIe)"),
        ("NVIDIA+Toys", "toys_h100", 16, "toys h100 (16 × H100 PCIe)"),
        ("Lenovo", "SR670 with 4x H100 80GB", 4, "Lenovo SR670 with 4x H100 80GB"),
        ("Lenovo", "SR670 (8x H100)", 16, "Lenovo SR670 (8x H100) (16 × H100 PCIe)"),
        ("Lenovo", "SR670", None, "Lenovo SR670"),
        (None, "SR670", 4, None),
    ],
)
def test_a_submission_s_system_is_called_by_owner_and_accelerators(
    submitter: str | None, own: str, accelerators: int | None, name: str | None
) -> None:
    """As many as ran, where its own name does not say so."""
    run = replace(
        own_run(),
        submitter=submitter,
        accelerator="h100-pcie",
        accelerators=accelerators,
        environment=Environment(extra=(Setting(recorded.SUBMISSION_SYSTEM, own),)),
    )

    assert recorded.submitted_name(run, catalog.load()) == name


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        (Environment(threads=2, physical_cores=2, logical_cores=4), None),
        (Environment(threads=4, physical_cores=2, logical_cores=4), 4),
        (Environment(threads=1, logical_cores=2), 1),
        (Environment(physical_cores=2), None),
        (None, None),
    ],
)
def test_threads_are_unusual_that_are_not_as_many_as_the_cores(
    environment: Environment | None, threads: int | None
) -> None:
    """Of the machine's cores, not of those that it can run at once."""
    assert recorded.unusual_threads(environment) == threads
