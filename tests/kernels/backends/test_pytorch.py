"""PyTorch: what it can do here, and what counts as out of memory."""

import resource
import sys
from types import SimpleNamespace

import psutil
import pytest

torch = pytest.importorskip("torch", reason="measuring needs PyTorch")

from kernels.backends import pytorch
from kernels.backends.base import Options, OutOfMemory
from kernels.backends.pytorch import PyTorch, _nvml, probe
from kernels.errors import MeasureError
from kernels.records import Precision

pytestmark = pytest.mark.torch


@pytest.fixture
def backend() -> PyTorch:
    """On the CPU, with the threads that are set already: they are one setting of the process."""
    return PyTorch("cpu", Precision.FP32, torch.get_num_threads(), seed=0)


def test_the_cpu_is_always_there() -> None:
    """And cannot do TF32."""
    found = probe()

    assert found.devices[0].name == "cpu"
    assert Precision.TF32 not in found.devices[0].precisions


def test_a_format_without_arithmetic_is_found_out_by_a_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The best of three, the first left out, over FP32; four times as long is not offered."""
    lasting = {
        torch.float32: (9.0, 2.0, 1.0, 1.0),
        torch.bfloat16: (9.0, 7.0, 3.9, 5.0),
        torch.float16: (900.0, 60.0, 50.0, 70.0),
    }
    ticks = [end for times in lasting.values() for seconds in times for end in (0.0, seconds)]
    monkeypatch.setattr(pytorch, "time", SimpleNamespace(perf_counter=iter(ticks).__next__))

    (processor,) = probe().devices

    assert processor.emulated == {Precision.FP16: 50.0}
    assert processor.precisions == ("fp32", "amp_bf16", "fp64", "bf16")


def test_a_trial_takes_real_products() -> None:
    """Of both half formats, in little time."""
    found = pytorch.slower(size=32)

    assert found.keys() == {torch.bfloat16, torch.float16} and all(
        times > 0 for times in found.values()
    )


WHEEL = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"]
"""What a build for CUDA 13 has code for."""


@pytest.mark.parametrize(
    ("built", "capability", "wanted"),
    [
        (WHEEL, (3, 7), "older"),
        (WHEEL, (6, 1), "older"),
        (WHEEL, (7, 0), "older"),
        (WHEEL, (7, 5), None),
        (WHEEL, (8, 9), None),
        (WHEEL, (9, 0), None),
        (WHEEL, (10, 3), None),
        (WHEEL, (12, 1), None),
        (WHEEL, (13, 0), None),
        (["sm_90"], (13, 0), "newer"),
        (["sm_90a"], (9, 0), None),
        (["sm_100a"], (10, 3), "newer"),
        (["sm_100f"], (10, 3), None),
        ([], (3, 7), None),
    ],
)
def test_a_card_must_be_one_that_pytorch_was_built_for(
    built: list[str],
    capability: tuple[int, int],
    wanted: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Machine code runs on later cards of its generation, PTX on all later ones."""
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: built)

    why = pytorch._not_built_for(*capability)

    assert (why is None) if wanted is None else (why or "").startswith(f"is {wanted} than PyTorch")


def test_a_card_older_than_the_build_is_named_and_not_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With what it would need; others keep their numbers; alone it is the reason for none."""
    old = SimpleNamespace(
        name="NVIDIA GeForce GTX 1080 Ti", major=6, minor=1, total_memory=11 * 2**30
    )
    cards = [old, SimpleNamespace(name="Tesla T4", major=7, minor=5, total_memory=16 * 2**30)]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(cards))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: cards[index])
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: WHEEL)

    both = probe()
    del cards[1]
    alone = probe()

    assert [device.name for device in both.devices] == ["cpu", "cuda:1"] and both.fallen is None
    (why,) = both.unusable
    assert (
        why.startswith("cuda:0, NVIDIA GeForce GTX 1080 Ti, is older than PyTorch")
        and "install a build with sm_61" in why
    )
    assert [device.name for device in alone.devices] == [
        "cpu"
    ] and alone.fallen == alone.no_accelerator == why


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (
            RuntimeError(
                "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate "
                "4096 bytes. Error code 12"
            ),
            OutOfMemory(4096),
        ),
        (
            torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has"),
            OutOfMemory(2684354560),
        ),
        (MemoryError(), OutOfMemory(None)),
        (RuntimeError("shapes do not fit"), None),
        (ValueError("out of memory of names"), None),
    ],
)
def test_each_framework_error_of_memory_is_known(
    backend: PyTorch, error: BaseException, wanted: OutOfMemory | None
) -> None:
    """Three types, with the size where the text has it; any other error is not memory."""
    assert backend.out_of_memory(error) == wanted


def test_fp32_is_fp32_everywhere(backend: PyTorch) -> None:
    """PyTorch lets convolutions use TF32; here both flags follow the precision asked for."""
    assert not torch.backends.cudnn.allow_tf32
    assert not torch.backends.cuda.matmul.allow_tf32
    assert backend.facts().environment["memory_format"] == "channels_last"


def test_bf16_is_autocast() -> None:
    """Products are in bfloat16, weights stay in FP32."""
    mixed = PyTorch("cpu", Precision.AMP_BF16, torch.get_num_threads(), seed=0)
    with mixed.autocast():
        product = torch.ones(2, 2) @ torch.ones(2, 2)

    assert product.dtype is torch.bfloat16


def test_fp16_scales_its_losses() -> None:
    """By 65,536 at first, more than FP16 holds: left out, the next by half of it and taken."""
    mixed = PyTorch("cpu", Precision.AMP_FP16, torch.get_num_threads(), seed=0)
    layer = torch.nn.Linear(2, 1, bias=False)
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.5)
    seen = [layer.weight.detach().clone()]
    for _ in range(2):
        optimiser.zero_grad()
        with mixed.autocast():
            found = layer(torch.ones(1, 2))
        mixed.learn(found.float().sum(), optimiser)
        seen.append(layer.weight.detach().clone())

    assert found.dtype is torch.float16 and mixed.facts().extra["loss_scale"] == "dynamic"
    assert torch.equal(seen[0], seen[1])
    assert torch.allclose(seen[2], seen[0] - 0.5)


def test_a_primitive_that_cannot_be_made_is_out_of_memory_at_the_limit(
    backend: PyTorch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OneDNN does not say why: a process that may hardly take more addresses ran out of it."""
    error = RuntimeError("could not create a primitive")
    taken = psutil.Process().memory_info().vms

    found = []
    for limit in (resource.RLIM_INFINITY, 2 * taken, int(1.01 * taken)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        found.append(backend.out_of_memory(error) is not None)

    assert found == [False, False, True]


def test_a_part_of_a_step_ends_with_it() -> None:
    """Outside of a step, and in an evaluation, no part is under way."""
    plain = PyTorch("cpu", Precision.FP32, torch.get_num_threads(), seed=0)
    layer = torch.nn.Linear(2, 1)
    parts = []

    def look() -> None:
        found = plain.out_of_memory(MemoryError())
        parts.append(None if found is None else found.part)

    with torch.no_grad(), plain.autocast():
        look()
    with plain.autocast():
        look()
        loss = layer(torch.ones(1, 2)).sum()
    plain.learn(loss, torch.optim.SGD(layer.parameters(), lr=0.5))
    look()

    assert parts == ["unknown", "forward", "unknown"]


def test_peak_memory_of_the_cpu_is_the_process(backend: PyTorch) -> None:
    """In bytes: PyTorch alone takes more than 50 MB."""
    assert backend.peak_memory() > 50e6
    assert backend.facts().extra["peak_memory_of"] == "process_resident"


def test_a_layout_is_set_and_recorded() -> None:
    """Contiguous is PyTorch's own; a model is placed in it."""
    plain = PyTorch(
        "cpu",
        Precision.FP32,
        torch.get_num_threads(),
        seed=0,
        options=Options(memory_format="contiguous"),
    )
    (weight, _) = plain.place(torch.nn.Conv2d(3, 4, 3)).parameters()

    assert plain.facts().environment["memory_format"] == "contiguous"
    assert weight.is_contiguous() and not weight.is_contiguous(memory_format=torch.channels_last)


def test_a_model_is_compiled_where_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A workload that hands none over is refused, and so is a compiler that did nothing."""
    from torch._dynamo.utils import counters  # noqa: PLC0415 - seconds that no other test needs

    asked: list[dict[str, object]] = []

    def compiler(model: object, **options: object) -> object:
        asked.append(options)
        return model

    monkeypatch.setattr(torch, "compile", compiler)
    compiled = PyTorch(
        "cpu", Precision.FP32, torch.get_num_threads(), seed=0, options=Options(compiled=True)
    )

    with pytest.raises(MeasureError, match="no model to compile"):
        compiled.check()
    compiled.place(torch.nn.Linear(2, 2))
    with pytest.raises(MeasureError, match="compiled nothing"):
        compiled.check()
    monkeypatch.setitem(counters["stats"], "unique_graphs", 1)
    compiled.check()

    assert asked == [{"dynamic": False}]
    assert compiled.facts().environment["compile_mode"] == "inductor"


def test_a_workload_that_does_not_share_its_batches_is_refused(
    backend: PyTorch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of two takes every other row; one that trained the whole would count it twice."""
    assert backend.mine(torch.arange(4)).tolist() == [0, 1, 2, 3]
    monkeypatch.setattr(backend, "_options", Options(processes=2))
    monkeypatch.setattr(backend, "_shared", False)

    with pytest.raises(MeasureError, match="does not share its batches"):
        backend.check()
    assert backend.share(64) == 32
    assert backend.mine(torch.arange(4)).tolist() == [0, 2]


def test_a_missing_driver_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """In PyTorch's own words where it looked for one; else what it was built for."""

    def look() -> None:
        raise RuntimeError(
            "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU."
        )

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "init", look)
    monkeypatch.setattr(torch.version, "cuda", "12.9")
    assert probe().no_accelerator == "PyTorch says: Found no NVIDIA driver on your system"
    monkeypatch.setattr(torch.version, "cuda", None)
    assert "built without CUDA" in (probe().no_accelerator or "")


def test_apples_gpu_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner must not be told to install a build with CUDA."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)

    assert "Apple's GPU (MPS) is not measured" in (probe().no_accelerator or "")


def test_modes_of_a_card_are_recorded_and_its_number_is_hashed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the driver refuses, or an older package does not know, is left out."""

    class RefusedError(Exception):
        """What the driver refuses with."""

    def refuse(_: object) -> None:
        raise RefusedError

    driver = SimpleNamespace(
        NVMLError=RefusedError,
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: None,
        nvmlDeviceGetHandleByUUID=lambda uuid: uuid,
        nvmlSystemGetDriverVersion=lambda: "580.1",
        nvmlDeviceGetEnforcedPowerLimit=lambda _: 700_000,
        nvmlDeviceGetEccMode=lambda _: [1, 0],
        nvmlDeviceGetMaxClockInfo=lambda _, kind: 1980 if kind == 1 else 0,
        nvmlDeviceGetMigMode=refuse,
    )
    monkeypatch.setitem(sys.modules, "pynvml", driver)

    columns, extra = _nvml("GPU-1234")

    assert columns == {"driver": "580.1", "accelerator_power_limit_w": 700.0}
    number = extra.pop("accelerator_id")
    assert extra == {"accelerator_ecc": "1", "accelerator_clock_max_mhz": "1980"}
    assert len(number) == 12 and number not in "GPU-1234"
