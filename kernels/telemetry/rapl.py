"""A processor's energy counters (RAPL) as Linux shows them below /sys/class/powercap: microjoules,
wrapping around.

The packages' counters are added. Power is their increase since the last reading, so an integral of
RAPL power only repeats the counter and checks nothing. Memory (`dram`) and the whole board (`psys`)
are other domains and are left out: the accelerator is the processor. Since kernel 5.10 only root
can read the counters.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kernels.disk import text_of
from kernels.telemetry.base import Counter

SOURCE: Final = "rapl"
POWERCAP: Final = Path("/sys/class/powercap")

MOST_W: Final = 10_000.0
"""Power beyond which two readings are not comparable: a counter that was reset looks like one that
wrapped around.
"""


@dataclass(slots=True)
class _Domain:
    path: Path
    counter: Counter


class Rapl:
    """All packages of the machine."""

    source = SOURCE
    reads = frozenset({"power_w", "energy_j"})

    def __init__(self, root: Path = POWERCAP) -> None:
        self.missing: dict[str, str] = {}
        self._domains: list[_Domain] = []
        self._last: tuple[float, float] | None = None
        # `intel-rapl` is AMD's folder too; `intel-rapl-mmio` shows the same packages a second time.
        places = sorted(root.glob("intel-rapl:*")) if root.is_dir() else []
        packages = [
            place
            for place in places
            if place.name.count(":") == 1 and text_of(place / "name").startswith("package")
        ]
        if not packages:
            self._lose(
                "no RAPL on this machine: the kernel shows no processor package in powercap, as is "
                "usual on a virtual one"
            )
            return
        try:
            for place in packages:
                counter = Counter(float(_must(place / "max_energy_range_uj")) / 1e6)
                self._domains.append(_Domain(place / "energy_uj", counter))
            self._total()
        except (OSError, ValueError) as error:
            self._lose(_why(error))

    def read(self, now: float) -> dict[str, float]:
        """Returns energy since the first reading and mean power; nothing once a counter is lost."""
        if not self._domains:
            return {}
        try:
            total = self._total()
        except (OSError, ValueError) as error:
            self._lose(_why(error))
            return {}
        found = {"energy_j": total}
        if self._last is not None and now > self._last[0]:
            power = (total - self._last[1]) / (now - self._last[0])
            if power > MOST_W:
                self._lose(
                    f"a counter jumped by {total - self._last[1]:.0f} J in "
                    f"{now - self._last[0]:.2f} s: it was set back"
                )
                return {}
            found["power_w"] = power
        self._last = (now, total)
        return found

    def close(self) -> None:
        """Does nothing: no file stays open."""

    def _total(self) -> float:
        return sum(
            domain.counter.add(float(_must(domain.path)) / 1e6) or 0.0 for domain in self._domains
        )

    def _lose(self, reason: str) -> None:
        self._domains = []
        self.missing |= dict.fromkeys(self.reads, reason)


def _must(path: Path) -> str:
    return path.read_text().strip()


def _why(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return (
            "RAPL's counters may be read by root alone: sudo chmod a+r "
            "/sys/class/powercap/intel-rapl:*/energy_uj until the next start"
        )
    if isinstance(error, FileNotFoundError):
        return "RAPL's counter is gone: the kernel took its folder away"
    return (
        f"RAPL's counter cannot be read: {error.strerror if isinstance(error, OSError) else error}"
    )
