"""A run such as the harness records."""

from datetime import UTC, datetime

from kernels.records import (
    ClockScope,
    DataKind,
    Doubt,
    Environment,
    Evaluation,
    Metric,
    Origin,
    Phase,
    Precision,
    Run,
    Software,
    Stat,
    Status,
    Step,
)


def own_run() -> Run:
    """A run such as the harness records: steps, evaluations, environment, a doubt."""
    return Run(
        run_id="digits-cnn-cpu-20261120",
        origin=Origin.MEASURED,
        source="measured",
        locator="file 'runs/measured/digits-cnn-cpu-20261120.parquet'",
        licence="CC0-1.0",
        credit="Touchstone, own measurement",
        workload="digits-cnn",
        system="cpu-test",
        status=Status.OK,
        accelerators=1,
        backend="torch",
        framework="pytorch",
        framework_version="2.13.0",
        precision=Precision.FP32,
        data=DataKind.REAL,
        augmentation=False,
        global_batch_size=64,
        clock_scope=ClockScope.TRAIN_AND_EVAL,
        started_at=datetime(2026, 11, 20, 5, 0, tzinfo=UTC),
        metrics=(Metric("throughput_images_per_s", 4_800.0, "images/s", n=22, stat=Stat.MEDIAN), Metric("final_top1", 0.975, n=1)),
        steps=tuple(Step(index, Phase.MEASURE, index * 0.01, 0.01 + index * 1e-5) for index in range(22)),
        evaluations=tuple(Evaluation("top1", 0.5 + index * 0.04, epoch=float(index + 1)) for index in range(12)),
        software=(Software("torch", "2.13.0"),),
        doubts=(Doubt("unstable", 0.07, 0.05), Doubt("few_steps", 22.0, 100.0)),
        environment=Environment(
            os="Debian 12", cpu_model="Test CPU", physical_cores=2, memory_bytes=8_000_000_000, command="python -m kernels"
        ),
    )
