"""Workloads: one file each, and a table in `plans.toml`, readable without a framework."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from kernels.records import DataKind, Precision, Target
from kernels.tabular import Entry, build, document


@dataclass(frozen=True, slots=True)
class Width:
    """A narrower network for a small machine: a separate workload.

    Attributes:
        factor: Share of the full network's channels, above 0 and below 1.
        target: Target within the `epochs`.
    """

    factor: float
    workload: str
    epochs: int
    target: float


TRAINED_IN: Final = (Precision.FP32, Precision.TF32, Precision.AMP_BF16, Precision.AMP_FP16)
"""Precisions of network training here; pure ones are for single operations."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A workload's properties for the command line; its module has the training.

    Attributes:
        name: Name on the command line.
        workload: Id in `catalog/workloads.toml`.
        module: Module with `training`.
        items: Word for samples in the throughput's name: `images`, `samples`, `tokens`.
        batch_size: Default, over all accelerators; `epochs` of a convergence run.
        target: None if only throughput can be measured.
        chance: The target's metric by guessing; a run that stays near it has diverged.
        train_samples: None without training; a folder's images are counted instead.
        dataset: Name in `kernels.datasets`; None if nothing is fetched.
        note: Note on the default protocol, for readers.
        folder: Contents of the user's folder, `images` (in ImageNet's layout) or `ratings`.
        folder_workload: As `workload`, for a folder with other data.
        augmentations: Random changes of training images, the default first.
        converges: Kinds of data from which the target can be learnt.
        sizes: Default sizes of the timed operation; each makes a run.
    """

    name: str
    workload: str
    module: str
    summary: str
    backends: tuple[str, ...]
    data: tuple[DataKind, ...]
    items: str
    batch_size: int
    epochs: int
    target: Target | None
    chance: float | None
    train_samples: int | None
    dataset: str | None = None
    widths: tuple[Width, ...] = ()
    note: str = ""
    folder: str = ""
    folder_workload: str | None = None
    augmentations: tuple[str, ...] = ()
    converges: tuple[DataKind, ...] = (DataKind.REAL,)
    precisions: tuple[Precision, ...] = TRAINED_IN
    sizes: tuple[int, ...] = ()

    def at(self, width: float) -> "Plan":
        """Returns the plan at a width; 1 is the full network.

        Raises:
            KeyError: The workload has no such width.
        """
        if width == 1:
            return self
        narrow = {each.factor: each for each in self.widths}[width]
        target = None if self.target is None else replace(self.target, value=narrow.target)
        return replace(self, workload=narrow.workload, epochs=narrow.epochs, target=target)

    def workloads(self) -> tuple[str, ...]:
        """Ids in the catalogue that it can be run as."""
        narrow = (each.workload for each in self.widths)
        return tuple(filter(None, (self.workload, *narrow, self.folder_workload)))

    def options(
        self,
        data: DataKind,
        width: float,
        augmentation: str,
        *,
        folder: str | None = None,
        readers: int | None = None,
        size: int | None = None,
    ) -> dict[str, object]:
        """Returns the arguments of `training` besides batch size and epochs, where they vary."""
        chosen: dict[str, object] = {"data": data} if len(self.data) > 1 else {}
        chosen |= {"width": width} if self.widths else {}
        chosen |= {"augmentation": augmentation} if self.augmentations else {}
        chosen |= {"folder": folder} if self.folder else {}
        chosen |= {"readers": readers} if self.folder == "images" else {}
        return chosen | ({"size": size} if self.sizes else {})


_LISTS: Final[Mapping[str, Callable[[Any], object]]] = {
    "data": DataKind,
    "converges": DataKind,
    "precisions": Precision,
    "sizes": int,
    "widths": lambda said: Width(**said),
}


def _plans(path: Path) -> dict[str, Plan]:
    found = {}
    for name, table in document(path).items():
        said = dict(cast("Mapping[str, Any]", table))
        given: dict[str, object] = {"name": name, "target": None}
        given |= {key: tuple(map(of, said.pop(key))) for key, of in _LISTS.items() if key in said}
        if "target" in said:
            given["target"] = Target(**said.pop("target"))
        found[name] = build(Plan, Entry(f"{path}: [{name}]", said), given)
    return found


WORKLOADS: Final[Mapping[str, Plan]] = _plans(Path(__file__).with_name("plans.toml"))
