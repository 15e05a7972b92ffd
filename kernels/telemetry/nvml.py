"""NVIDIA's cards by NVML: clocks, load, memory, temperatures, fan, power, energy counter, reasons
for a lowered clock.

The package `nvidia-ml-py` is optional and imports without a driver; a lack of either is reported.
Quantities that a card or its driver does not support are tried once and then omitted, with the
driver's own words as the reason.

Power is the driver's: since Ampere (except GA100) a mean over a second. Energy counts from the
loading of the driver (Volta and newer), and here from the first reading.
"""

import contextlib
import importlib
from collections.abc import Callable, Sequence
from typing import Any, Final

from kernels.telemetry.base import QUANTITIES, Absent, Counter, Sampler

SOURCE: Final = "nvml"

NO_PACKAGE: Final = "the Python package nvidia-ml-py is not installed: pip install -e .[nvml]"

_HERTZ: Final = 1e6
_PERMANENT: Final = (
    "NotSupported",
    "NoPermission",
    "FunctionNotFound",
    "InvalidArgument",
    "GpuIsLost",
)
"""Errors after which a quantity is not read again; others may pass."""


class Card:
    """One card, by its NVML handle; `number` is its place on the machine."""

    source = SOURCE
    reads = frozenset(QUANTITIES)

    def __init__(self, nvml: Any, handle: Any) -> None:
        self._nvml = nvml
        self._handle = handle
        self._counter = Counter()
        self.number = int(nvml.nvmlDeviceGetIndex(handle))
        self.missing: dict[str, str] = {}
        self._askers: tuple[tuple[tuple[str, ...], Callable[[], tuple[float | None, ...]]], ...] = (
            (("power_w",), lambda: (self._ask("PowerUsage") / 1e3,)),
            (("energy_j",), self._energy),
            (
                ("temperature_c",),
                lambda: (float(self._ask("Temperature", self._known("TEMPERATURE_GPU", 0))),),
            ),
            (("memory_temperature_c",), self._memory_temperature),
            (("clock_hz",), lambda: self._clock("CLOCK_SM", 1)),
            (("memory_clock_hz",), lambda: self._clock("CLOCK_MEM", 2)),
            (("utilisation", "memory_utilisation"), self._utilisation),
            (("fan",), lambda: (self._ask("FanSpeed") / 100,)),
            (("memory_bytes",), lambda: (int(self._ask("MemoryInfo").used),)),
            (("throttle_mask",), self._throttle),
        )
        self._lost: set[str] = set()

    def read(self, now: float) -> dict[str, float]:
        """Returns the card's readings; a refused one does not affect the others."""
        del now
        found: dict[str, float] = {}
        for names, ask in self._askers:
            if names[0] in self._lost:
                continue
            try:
                values = ask()
            except (self._nvml.NVMLError, AttributeError) as error:
                known = isinstance(error, self._nvml.NVMLError)
                reason = f"NVML: {error}" if known else "this nvidia-ml-py does not know it"
                self.missing |= dict.fromkeys(names, reason)
                kind = type(error).__name__.removeprefix("NVMLError_")
                if isinstance(error, AttributeError) or kind in _PERMANENT:
                    self._lost.add(names[0])
                continue
            for name, value in zip(names, values, strict=True):
                if value is not None:
                    found[name] = value
                    self.missing.pop(name, None)
        return found

    def close(self) -> None:
        """Shuts NVML down."""
        with contextlib.suppress(self._nvml.NVMLError):
            self._nvml.nvmlShutdown()

    def _ask(self, what: str, *more: Any) -> Any:
        return getattr(self._nvml, f"nvmlDeviceGet{what}")(self._handle, *more)

    def _known(self, name: str, otherwise: int) -> Any:
        return getattr(self._nvml, f"NVML_{name}", otherwise)

    def _energy(self) -> tuple[float | None]:
        total = self._counter.add(self._ask("TotalEnergyConsumption") / 1e3)
        if total is None:
            self._lose("energy_j", "the card's counter was set back while it was read")
        return (total,)

    def _memory_temperature(self) -> tuple[float | None]:
        (value,) = self._ask("FieldValues", [self._known("FI_DEV_MEMORY_TEMP", 82)])
        if value.nvmlReturn != 0:
            raise self._nvml.NVMLError(value.nvmlReturn)
        if value.value.uiVal == 0:  # a missing sensor, on some cards
            self._lose("memory_temperature_c", "the card says 0 degrees, which is no reading")
            return (None,)
        return (float(value.value.uiVal),)

    def _lose(self, name: str, reason: str) -> None:
        self.missing[name] = reason
        self._lost.add(name)

    def _clock(self, name: str, otherwise: int) -> tuple[float]:
        return (self._ask("ClockInfo", self._known(name, otherwise)) * _HERTZ,)

    def _utilisation(self) -> tuple[float, float]:
        rates = self._ask("UtilizationRates")
        return rates.gpu / 100, rates.memory / 100

    def _throttle(self) -> tuple[float]:
        # Called "throttle reasons" by drivers until 2023 and "event reasons" since;
        # the bits are the same.
        asks = [
            ask
            for name in (
                "nvmlDeviceGetCurrentClocksEventReasons",
                "nvmlDeviceGetCurrentClocksThrottleReasons",
            )
            if (ask := getattr(self._nvml, name, None)) is not None
        ]
        for ask in asks[:-1]:
            with contextlib.suppress(self._nvml.NVMLError):
                return (int(ask(self._handle)),)
        if not asks:
            raise AttributeError("clock event reasons")
        return (int(asks[-1](self._handle)),)


def load() -> tuple[Any, str | None]:
    """Returns NVML, started, and None; or None and the reason."""
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:
        return None, NO_PACKAGE
    return begin(nvml)


def begin(nvml: Any) -> tuple[Any, str | None]:
    """Starts NVML; returns the same as `load`."""
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        kind = type(error).__name__.removeprefix("NVMLError_")
        if kind == "LibraryNotFound":
            return None, "no NVIDIA driver on this machine (NVML: library not found)"
        return None, f"NVML does not start: {error}"
    return nvml, None


def count(nvml: Any) -> int:
    """Returns the number of cards that NVML sees."""
    return int(nvml.nvmlDeviceGetCount())


def cards(chosen: Sequence[str], nvml: Any = None) -> dict[int, Sampler]:
    """Returns samplers by number of the card; chosen are `0`, `1` by NVML's count, or `GPU-...`.

    A card that cannot be opened is included, with the reason for each quantity.
    """
    reason: str | None = None
    if nvml is None:
        nvml, reason = load()
    else:
        nvml, reason = begin(nvml)
    found: dict[int, Sampler] = {}
    for name in chosen:
        free = next(number for number in range(len(chosen) + 1) if number not in found)
        if nvml is None:
            found[free] = Absent(SOURCE, reason or NO_PACKAGE)
            continue
        try:
            handle = (
                nvml.nvmlDeviceGetHandleByIndex(int(name))
                if name.isdigit()
                else nvml.nvmlDeviceGetHandleByUUID(name)
            )
            card = Card(nvml, handle)
            # NVML counts these: each card shuts down its own, and the others can still be read
            nvml.nvmlInit()
        except nvml.NVMLError as error:
            found[free] = Absent(SOURCE, f"NVML does not open the card: {error}")
            continue
        found[card.number] = card
    return found
