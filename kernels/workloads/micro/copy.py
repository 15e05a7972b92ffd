"""Copy: how many bytes a second move within a device's memory, and from the host's memory to the
device.

Done: n bytes from one place to another, n from --operation-size. With `--data synthetic` both lie
in the device's memory: each byte is read once and written once, so the memory moves twice what is
copied, and that is the neighbour of its nominal bandwidth. With `--data synthetic_host` they come
from the host's memory (pinned: the device fetches them itself): the way that training data take,
the neighbour of what PCI Express or NVLink to the host is sold with. On the CPU there is only the
first. Counted: `copy_bytes_per_s` counts each byte once, `memory_bandwidth_byte_per_s` the reading
and the writing. A step does as many copies as the batch size says. No target; the bytes are random.
Method: the framework's own copy. A size that fits a cache measures the cache: take several times as
much.
"""

import torch

from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.records import DataKind, Precision
from kernels.workloads.micro.repeated import Repeated


def training(
    backend: PyTorch,
    *,
    batch_size: int,
    epochs: int,  # noqa: ARG001 - every workload is built alike
    data: DataKind,
    size: int,
) -> Repeated:
    """Allocates both places; on the host, in memory that the device can read at full speed."""
    host = data is DataKind.SYNTHETIC_HOST
    if host and backend.device.type == "cpu":
        raise MeasureError(
            "--data synthetic_host: the CPU's memory is the host's own, so there is no way to "
            "measure; use --data synthetic"
        )
    if backend.precision is not Precision.FP32:
        raise MeasureError(f"precision {backend.precision}: bytes have none; leave --precision out")
    source = torch.randint(
        256, (size,), dtype=torch.uint8, device="cpu" if host else backend.device
    )
    if host:
        source = source.pin_memory()
    target = torch.empty(size, dtype=torch.uint8, device=backend.device)
    rates = {"copy_bytes_per_s": float(size)}
    if not host:
        rates["memory_bandwidth_byte_per_s"] = 2.0 * size
    settings = {
        "operation": "host_to_device_copy" if host else "device_copy",
        "operation_size": str(size),
    }
    return Repeated(
        lambda: target.copy_(source, non_blocking=True),
        batch_size,
        rates,
        settings | {"pinned_memory": "yes" if host else "no"},
    )
