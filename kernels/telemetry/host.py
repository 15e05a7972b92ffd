"""The machine by psutil: load, clock and temperature of its processors, and used memory.

Clock and temperature are read once a second: asking for a clock costs a file for each core. A
virtual machine often shows a constant clock and no limits (lowest and highest are 0): that is no
reading.
"""

import math
from typing import Any, Final

import psutil

SOURCE: Final = "host"
SLOW_S: Final = 1.0

_CHIPS: Final = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "soc_thermal")
"""Drivers of processors' thermometers."""


class Host:
    """Processors and memory of this machine; `of` is psutil, or a fake."""

    source = SOURCE
    reads = frozenset({"utilisation", "memory_bytes", "clock_hz", "temperature_c"})

    def __init__(self, of: Any = psutil) -> None:
        self._of = of
        self.missing: dict[str, str] = {}
        self._busy: tuple[float, float] | None = self._times()
        self._next = -math.inf
        self._clock_hz()
        self._temperature()

    def read(self, now: float) -> dict[str, float]:
        """Returns load since the last reading and memory; once a second clock and temperature."""
        memory = self._of.virtual_memory()
        found: dict[str, float] = {"memory_bytes": memory.total - memory.available}
        times, self._busy = self._busy, self._times()
        if times is not None and self._busy[1] > times[1]:
            found["utilisation"] = min(
                max((self._busy[0] - times[0]) / (self._busy[1] - times[1]), 0.0), 1.0
            )
        if now >= self._next:
            self._next = now + SLOW_S
            for name, ask in (("clock_hz", self._clock_hz), ("temperature_c", self._temperature)):
                if name not in self.missing and (value := ask()) is not None:
                    found[name] = value
        return found

    def close(self) -> None:
        """Does nothing: no file stays open."""

    def _times(self) -> tuple[float, float]:
        times = self._of.cpu_times()
        # `guest` and `guest_nice` are in `user` and `nice` already.
        total = sum(
            getattr(times, name, 0.0)
            for name in ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
        )
        return total - times.idle - getattr(times, "iowait", 0.0), total

    def _clock_hz(self) -> float | None:
        try:
            found = self._of.cpu_freq()
        except (OSError, NotImplementedError, AttributeError):
            found = None
        if found is None or not found.max or not found.current:
            self.missing["clock_hz"] = (
                "the machine shows no clock that changes (no cpufreq), as is usual on a virtual one"
            )
            return None
        return float(found.current) * 1e6

    def _temperature(self) -> float | None:
        try:
            sensors = self._of.sensors_temperatures()
        except (OSError, AttributeError):  # AttributeError: macOS and Windows have no such function
            sensors = {}
        readings = [each for chip in _CHIPS for each in sensors.get(chip, ())]
        packages = [
            each for each in readings if (each.label or "").startswith(("Package", "Tctl", "Tdie"))
        ]
        values = [float(each.current) for each in packages or readings if each.current]
        if not values:
            self.missing["temperature_c"] = (
                "the machine shows no thermometer of its processor, as is usual on a virtual one"
            )
            return None
        return max(values)
