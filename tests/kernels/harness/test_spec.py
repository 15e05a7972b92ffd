"""The one description of a run: what is recorded of it is the same text in every version."""

from dataclasses import asdict, replace

from kernels.harness.spec import FLAGS, Job, job_of
from tests.kernels.own_runs import JOB


def test_a_configuration_is_written_as_in_recorded_runs() -> None:
    """So that a suite goes on where an older version stopped: what was always said comes first,
    settings follow where they are not the usual ones, and repetitions share all of it.
    """
    always = "workload=digits_cnn backend=torch batch_size=64 precision=fp32 data=real"
    training = "measure=convergence epochs=2 target=0.97"
    rare = replace(JOB, width=0.5, readers=0, compiled=True, processes=2)
    again = replace(JOB, seed=7, repeat_index=1, run_id="x", folder="y", suite="z", limit_s=1.0)

    assert JOB.configuration() == f"{always} {training} threads=2 allocator=tuned"
    assert replace(JOB, measure="throughput").configuration() == (
        f"{always} measure=throughput threads=2 allocator=tuned"
    )
    assert rare.configuration() == (
        f"{JOB.configuration()} width=0.5 readers=0 compiled=True processes=2"
    )
    assert again.configuration() == JOB.configuration()


def test_journals_of_other_versions_are_read() -> None:
    """A field that came later has its default, and one that is gone is passed over."""
    written = asdict(replace(JOB, processes=2)) | {"gone": 1}
    old = {name: value for name, value in written.items() if name != "deterministic"}

    assert job_of(old) == replace(JOB, processes=2)
    assert isinstance(job_of(written), Job)


def test_a_flag_has_the_default_of_its_field_or_its_own() -> None:
    """A run that nobody looks at has no readings; a command line asks for some."""
    assert FLAGS["memory_format"].default == JOB.memory_format
    assert FLAGS["telemetry"].default == 10.0 and JOB.telemetry_hz is None
    assert FLAGS["batch_size"].default is None and FLAGS["seeds"].default == [0]
