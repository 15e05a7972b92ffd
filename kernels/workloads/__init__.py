"""What can be trained: one file each, and a table in `plans.toml`, readable without any
framework.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from kernels.records import DataKind, Precision, Target
from kernels.tabular import Entry, build, document


@dataclass(frozen=True, slots=True)
class Width:
    """A narrower network for a small machine: a workload of its own.

    Attributes:
        factor: Share of the full network's channels, above 0 and below 1.
        workload: As in `catalog/workloads.toml`.
        epochs: Default length of a convergence run.
        target: What is reached within them.
    """

    factor: float
    workload: str
    epochs: int
    target: float


TRAINED_IN: Final = (Precision.FP32, Precision.TF32, Precision.AMP_BF16, Precision.AMP_FP16)
"""Number formats that networks are trained in here; the pure ones are for single operations."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A workload as the command line sees it; how it trains is in its module.

    Attributes:
        name: As on the command line.
        workload: As in `catalog/workloads.toml`.
        module: Where `training` is.
        backends: What it is written for.
        data: Kinds of data that it can be fed with.
        items: What one sample is, for the name of the throughput: `images`, `samples`, `tokens`.
        batch_size: Default, samples over all accelerators.
        epochs: Default length of a convergence run.
        target: Quality that a convergence run is timed to; None where only throughput can be
            measured.
        chance: Value of the target's metric that guessing gives; a run that stays near it has
            diverged.
        train_samples: Samples of the training split; of a folder of images the training counts
            them; None where nothing is trained.
        dataset: Name in `kernels.datasets` of the set that real data come from; None where nothing
            is to be fetched.
        widths: Narrower networks that it can be run with, besides the full one.
        note: What a reader of a run must know of the default protocol.
        folder: What lies in the folder that the user names for real data: `images` in ImageNet's
            layout, or `ratings`; empty for none.
        folder_workload: As in `catalog/workloads.toml`, for a folder with other data than those of
            `workload`.
        augmentations: Ways to change training images at random, the default first.
        converges: Kinds of data from which the target can be learnt.
        precisions: What it can be run in, where that is not what networks are trained in.
        sizes: Default sizes of the operation that is timed, for workloads that have one; each makes
            a run.
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
        """The plan of the network of that width; 1 is the full one.

        Raises:
            KeyError: It comes in no such width.
        """
        if width == 1:
            return self
        narrow = {each.factor: each for each in self.widths}[width]
        target = None if self.target is None else replace(self.target, value=narrow.target)
        return replace(self, workload=narrow.workload, epochs=narrow.epochs, target=target)

    def workloads(self) -> tuple[str, ...]:
        """Ids in the catalogue of all that it can be run as."""
        return (
            self.workload,
            *(each.workload for each in self.widths),
            *([self.folder_workload] if self.folder_workload else []),
        )

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
        """What `training` takes beyond batch size and epochs: only what there is a choice of."""
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
        given = {key: tuple(map(of, said.pop(key))) for key, of in _LISTS.items() if key in said}
        target = Target(**said.pop("target")) if "target" in said else None
        given |= {"name": name, "target": target}
        found[name] = build(Plan, Entry(f"{path}: [{name}]", said), given)
    return found


WORKLOADS: Final[Mapping[str, Plan]] = _plans(Path(__file__).with_name("plans.toml"))
