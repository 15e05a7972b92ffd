"""JAX: what it can do here, what it waits for, and what counts as out of memory."""

import importlib.util
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

jax = pytest.importorskip("jax", reason="measuring with JAX needs the extra of that name")

from kernels.analysis.warnings import say, warnings_of
from kernels.backends.base import PLAIN, OutOfMemory
from kernels.backends.jax import Jax, probe
from kernels.errors import MeasureError
from kernels.harness import measure
from kernels.records import Metric, Precision
from kernels.workloads.micro import matmul_jax
from tests.kernels.harness.test_measure import Notes
from tests.kernels.own_runs import a_run

pytestmark = pytest.mark.jax


@pytest.fixture
def backend() -> Jax:
    """On the CPU."""
    return Jax("cpu", Precision.FP32, 1, 0, PLAIN)


def test_the_cpu_is_always_there() -> None:
    """And cannot do TF32."""
    found = probe()

    assert found.devices[0].name == "cpu"
    assert Precision.TF32 not in found.devices[0].precisions
    assert found.version == jax.__version__


def test_why_there_is_no_accelerator_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plug-in knows one, or what the plug-in says; where there is one there is no reason."""
    there: list[str] = []
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name if name in there else None)

    alone = probe()
    there.append("libtpu")
    plugged = probe()
    chip = SimpleNamespace(
        platform="tpu", local_hardware_id=0, device_kind="TPU v5 lite", memory_stats=lambda: None
    )
    monkeypatch.setattr(jax, "local_devices", lambda: [chip])

    assert (
        alone.fallen
        == f"JAX {jax.__version__} is installed for the CPU alone: install jax[cuda12], "
        "jax[cuda13] or jax[tpu]"
    )
    assert (plugged.fallen or "").startswith("JAX says: ") and "tpu" in (plugged.fallen or "")
    assert probe().fallen is None


def test_waiting_is_for_the_result_that_was_handed_over(backend: Jax) -> None:
    """A slow product is there after `wait`; a workload that hands nothing over is refused."""
    with pytest.raises(MeasureError, match="nothing was waited for"):
        backend.check()
    matrix = jax.numpy.ones((1500, 1500))
    backend.wait()
    product = jax.jit(lambda each: each @ each @ each)(matrix)
    backend.watch(product)

    backend.wait()
    start = time.perf_counter()
    jax.block_until_ready(product)

    assert time.perf_counter() - start < 0.01, "nothing was left to wait for"
    backend.check()


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (
            jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 4096 bytes."),
            OutOfMemory(4096),
        ),
        (
            jax.errors.JaxRuntimeError(
                "RESOURCE_EXHAUSTED: Failed to allocate request for 2.50GiB (2684354560B)"
            ),
            OutOfMemory(2684354560),
        ),
        (MemoryError(), OutOfMemory(None)),
        (jax.errors.JaxRuntimeError("INVALID_ARGUMENT: shapes do not fit"), None),
        (ValueError("out of memory of names"), None),
    ],
)
def test_errors_of_memory_are_known(
    backend: Jax, error: BaseException, wanted: OutOfMemory | None
) -> None:
    """One type for everything, told apart by its text."""
    assert backend.out_of_memory(error) == wanted


def test_an_array_that_does_not_fit_is_out_of_memory(backend: Jax) -> None:
    """What XLA really raises, with what was asked for."""
    with pytest.raises(Exception, match="RESOURCE_EXHAUSTED") as found:
        jax.block_until_ready(jax.numpy.ones((1 << 22, 1 << 22)))

    assert backend.out_of_memory(found.value) == OutOfMemory(4 << 44)


def test_versions_and_flags_are_recorded(backend: Jax) -> None:
    """And one process alone takes part."""
    facts = backend.facts()

    assert {each.name for each in facts.software} == {"jax", "jaxlib"}
    assert facts.environment["compile_mode"] == "jit"
    assert facts.environment["memory_format"] == "channels_last"
    assert backend.ranks().slowest(1.0, 2.0) == measure.ALONE.slowest(1.0, 2.0)
    assert backend.peak_memory() > 50e6


def test_a_run_whose_steps_nobody_waits_for_is_doubted(
    backend: Jax, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The framework returns at once; what is left in the queue gives it away, with advice."""
    training = matmul_jax.training(backend, batch_size=1, epochs=1, size=1500)
    rules = measure.Rules(warmup_s=0.0, warmup_cap_s=0.0, cap_s=0.0)
    waited = measure.throughput(training, backend, time.perf_counter, Notes(), rules)
    monkeypatch.setattr(backend, "wait", lambda: None)

    outcome = measure.throughput(training, backend, time.perf_counter, Notes(), rules)
    (found,) = warnings_of(
        replace(a_run(), steps=(), metrics=(Metric("queued_share", outcome.queued_share),))
    )

    assert waited.queued_share is not None and waited.queued_share < 1, (
        "reading a number takes less than a product of that size"
    )
    assert found.code == "unsynchronised" and "the steps were not waited for" in say(found)
