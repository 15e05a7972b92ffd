"""Settings of processor and operating system that affect speed, as far as Linux shows them."""

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kernels.disk import text_of

FILES: Final[Mapping[str, str]] = {
    "cpu_governor": "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "cpu_clock_driver": "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
    "cpu_boost": "sys/devices/system/cpu/cpufreq/boost",
    "cpu_no_turbo": "sys/devices/system/cpu/intel_pstate/no_turbo",
    "cpu_smt_active": "sys/devices/system/cpu/smt/active",
    "cpu_isolated": "sys/devices/system/cpu/isolated",
    "numa_balancing": "proc/sys/kernel/numa_balancing",
    "address_randomisation": "proc/sys/kernel/randomize_va_space",
    "clock_source": "sys/devices/system/clocksource/clocksource0/current_clocksource",
}
"""File of each setting, below the root; the values are the kernel's own words."""


def settings(root: Path = Path("/")) -> dict[str, str]:
    """Returns the settings by name, and the C library."""
    found = {name: text for name, place in FILES.items() if (text := text_of(root / place))}
    library = " ".join(filter(None, platform.libc_ver()))
    return found | ({"c_library": library} if library else {})
