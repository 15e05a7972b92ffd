"""What a run can be told: on the command line as flags, in a suite as keys of the same names, and
what a request is made of.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kernels.datasets import image_folder
from kernels.harness import jobs, worker
from kernels.machine import huge_pages
from kernels.records import DataKind, Precision
from kernels.tabular import Entry, nearest
from kernels.telemetry.process import DEFAULT_HZ
from kernels.workloads import WORKLOADS, Plan

PRECISIONS: Final = {
    each.value: each for each in Precision if each not in (Precision.MIXED, Precision.UNKNOWN)
} | {
    "bf16": Precision.AMP_BF16,
    "fp16": Precision.AMP_FP16,
}
"""Precisions on the command line; `bf16` and `fp16` mean automatic mixed precision. What a device
can do, it says itself.
"""

DATA: Final = {kind.value: kind for kind in DataKind} | {"synthetic": DataKind.SYNTHETIC_DEVICE}
"""Kinds of data on the command line; `synthetic` is made on the device."""

FOLDERS: Final[Mapping[str, str]] = {"images": "train", "ratings": "ratings.csv"}
"""What a folder must hold to be the one that a workload of a suite wants."""


def number(least: int) -> Callable[[str], int]:
    """A reader of whole numbers."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < least:  # noqa: PLR2004 - what fits 64 bits
            raise argparse.ArgumentTypeError(
                f"found {text!r}, wanted a whole number of {least} or more"
            )
        return int(text)

    return read


def numbers(least: int) -> Callable[[str], list[int]]:
    """A reader of whole numbers with commas between."""
    one = number(least)

    def read(text: str) -> list[int]:
        found = [one(part) for part in text.split(",")]
        if len(found) != len(set(found)):
            raise argparse.ArgumentTypeError(f"found {text!r}, wanted each number once")
        return found

    return read


def rate(text: str) -> float | None:
    """Readings a second, or None for none."""
    if text == "off":
        return None
    try:
        hertz = float(text)
    except ValueError:
        hertz = 0.0
    if not 0.1 <= hertz <= 1000:  # noqa: PLR2004 - sensors have nothing new to say a thousand times a second
        raise argparse.ArgumentTypeError(
            f"found {text!r}, wanted readings a second from 0.1 to 1000, or off"
        )
    return hertz


@dataclass(frozen=True, slots=True)
class Flag:
    """One thing that a run can be told.

    Attributes:
        read: From its text to its value.
        kinds: Types that it may have in a suite; none where only a command line may say it, because
            it is a matter of the machine.
        choices: All values that there are; empty where there are others.
        many: Several values make several runs.
        anywhere: It may be said on the command line beside a suite too, for those of its runs that
            leave it open.
    """

    help: str
    read: Callable[[str], Any] = str
    kinds: tuple[type, ...] = (str,)
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    many: bool = False
    anywhere: bool = False

    @property
    def beside_a_suite(self) -> bool:
        """Whether it may be said on the command line of a suite."""
        return self.anywhere or not self.kinds


FLAGS: Final[Mapping[str, Flag]] = {
    "backend": Flag(
        "framework (default: torch)", default="torch", choices=tuple(sorted(worker.BACKENDS))
    ),
    "device": Flag(
        "auto, cpu, cuda or cuda:N (default: auto, a GPU where there is one)",
        kinds=(),
        default="auto",
    ),
    "batch_size": Flag(
        "global batch size, over all accelerators; a run per value",
        numbers(1),
        (int,),
        metavar="N[,N...]",
        many=True,
    ),
    "precision": Flag(
        "bf16, fp16: mixed precision (default: fp32)",
        default="fp32",
        choices=tuple(sorted(PRECISIONS)),
    ),
    "data": Flag(
        "what to feed the model (default: what the workload has)", choices=tuple(sorted(DATA))
    ),
    "data_dir": Flag(
        "folder with the data, for workloads that have you name one; several with a suite",
        Path,
        (),
        metavar="DIR",
    ),
    "augmentation": Flag(
        "how training images are changed at random", choices=("none", "standard", "heavy")
    ),
    "width": Flag(
        "share of the network's channels, 1 or less; recorded as another workload",
        float,
        (float,),
        default=1.0,
        metavar="F",
    ),
    "readers": Flag(
        "processes that read and decode images (default: what the cores allow)", number(0), (int,)
    ),
    "operation_size": Flag(
        "matmul: rows of the matrices; copy: bytes; a run per value",
        numbers(1),
        (int,),
        metavar="N[,N...]",
        many=True,
    ),
    "measure": Flag(
        "what to find out (default: convergence, where there is a target)",
        choices=("convergence", "throughput"),
    ),
    "epochs": Flag("length of a convergence run (default: the workload's)", number(1), (int,)),
    "target": Flag(
        "quality that a convergence run is timed to (default: the workload's)", float, (float,)
    ),
    "seeds": Flag(
        "a run per seed (default: 0)",
        numbers(0),
        (int,),
        default=[0],
        metavar="N[,N...]",
        many=True,
    ),
    "threads": Flag(
        "threads of the framework (default: all cores available to this process)",
        number(1),
        (int,),
        anywhere=True,
    ),
    "affinity": Flag(
        "processors to run on, such as 0-3,8 (default: all available to this process)",
        kinds=(),
        metavar="CPUS",
    ),
    "allocator": Flag(
        "C library's memory allocator (default: tuned)",
        default="tuned",
        choices=("tuned", "default"),
    ),
    "huge_pages": Flag(
        "memory in pages of 2 MiB: as the kernel decides, asked for, or none (default: system)",
        default=huge_pages.SYSTEM,
        choices=huge_pages.CHOICES,
    ),
    "compile": Flag(
        "compile the model; the first step pays for it, with an empty cache",
        kinds=(bool,),
        default=False,
    ),
    "memory_format": Flag(
        "order of an image's dimensions in memory (default: channels_last, the faster one)",
        default="channels_last",
        choices=("channels_last", "contiguous"),
    ),
    "deterministic": Flag(
        "only algorithms that give the same result each time", kinds=(bool,), default=False
    ),
    "processes": Flag(
        "training processes that share each batch (default: 1)",
        number(1),
        (int,),
        default=1,
        anywhere=True,
    ),
    "repeats": Flag(
        "repetitions of each run; batch sizes take turns at random (default: 1)",
        number(1),
        (int,),
        default=1,
    ),
    "budget": Flag(
        "longest throughput run, from its first step on (default: 3 min)",
        number(1),
        (int,),
        metavar="SECONDS",
    ),
    "timeout": Flag(
        "end each run after this time (default: never)", number(1), (), metavar="SECONDS"
    ),
    "telemetry": Flag(
        "readings of the sensors a second (default: 10)",
        rate,
        (),
        default=DEFAULT_HZ,
        metavar="HZ|off",
    ),
}


def options(parser: argparse.ArgumentParser) -> None:
    """The flags, for a command line."""
    for name, flag in FLAGS.items():
        word = f"--{name.replace('_', '-')}"
        if flag.kinds == (bool,):
            parser.add_argument(word, action="store_true", help=flag.help)
        elif name == "data_dir":
            parser.add_argument(
                word, type=flag.read, action="append", metavar=flag.metavar, help=flag.help
            )
        else:
            choices = flag.choices or None
            parser.add_argument(
                word,
                type=flag.read,
                choices=choices,
                default=flag.default,
                metavar=flag.metavar,
                help=flag.help,
            )


def said(chosen: argparse.Namespace) -> dict[str, Any]:
    """What a command line says of them, and their defaults."""
    return {name: getattr(chosen, name) for name in FLAGS}


def of_suite(entry: Entry) -> dict[str, Any]:
    """What a table of a suite says of them; `workload` stands beside them.

    Raises:
        SourceError: A key or value that cannot be, with file and key.
    """
    found: dict[str, Any] = {}
    for name, value in entry.values.items():
        if name == "workload":
            continue
        flag = FLAGS.get(name)
        if flag is None or not flag.kinds:
            known = [each for each, flag in FLAGS.items() if flag.kinds]
            raise entry.error(
                name,
                "a key of that name",
                f"one that a run of a suite may have; {nearest(name, ['workload', *known])}",
            )
        found[name] = _checked(entry, name, flag, value)
    return found


def _checked(entry: Entry, name: str, flag: Flag, value: object) -> object:
    parts = value if flag.many and isinstance(value, list) else [value]
    kinds = (*flag.kinds, int) if float in flag.kinds else flag.kinds
    if not parts or not all(
        isinstance(part, kinds) and (bool in kinds or not isinstance(part, bool)) for part in parts
    ):
        wanted = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}[
            flag.kinds[0]
        ]
        raise entry.error(
            name, repr(value), f"{wanted}{', or several in a list' if flag.many else ''}"
        )
    if flag.choices and value not in flag.choices:
        raise entry.error(name, repr(value), f"one of {', '.join(flag.choices)}")
    if bool in flag.kinds:
        return value
    try:
        return flag.read(",".join(map(str, parts)))
    except argparse.ArgumentTypeError as error:
        raise entry.error(name, repr(value), str(error).partition("wanted ")[2]) from None


def request(workload: str, given: Mapping[str, Any], folder: Path | None) -> jobs.Request:
    """What is asked for, the workload's own choice where nothing is said.

    Args:
        workload: Name in `WORKLOADS`.
        given: A value for each of `FLAGS`.
        folder: With the data, for workloads that have the user name one.

    Raises:
        UsageError: The workload comes in no such width.
        MeasureError: The folder is not laid out as it must be.
    """
    plan = jobs.narrowed(WORKLOADS[workload], given["width"])
    data = DATA[given["data"]] if given["data"] else DataKind.REAL if folder else plan.data[0]
    can_learn = plan.target is not None and data in plan.converges
    return jobs.Request(
        plan=plan,
        backend=given["backend"],
        device=given["device"],
        batch_sizes=tuple(given["batch_size"] or [plan.batch_size]),
        precision=_precision(given["precision"], plan),
        data=data,
        measure=given["measure"] or ("convergence" if can_learn else "throughput"),
        epochs=given["epochs"],
        target=given["target"],
        seeds=tuple(given["seeds"]),
        threads=given["threads"],
        allocator=given["allocator"],
        huge_pages=given["huge_pages"],
        limit_s=given["timeout"],
        compiled=given["compile"],
        memory_format=given["memory_format"],
        deterministic=given["deterministic"],
        affinity=given["affinity"],
        processes=given["processes"],
        repeats=given["repeats"],
        budget_s=given["budget"],
        telemetry_hz=given["telemetry"],
        augmentation=given["augmentation"]
        or (plan.augmentations[0] if plan.augmentations and data is DataKind.REAL else "none"),
        folder=folder,
        images=image_folder.look(folder) if folder and plan.folder == "images" else None,
        readers=given["readers"],
        sizes=tuple(given["operation_size"] or ()),
        width=given["width"],
    )


def _precision(asked: str, plan: Plan) -> Precision:
    """The number format; of a workload that is no network, `bf16` and `fp16` mean all of its
    numbers.
    """
    chosen = PRECISIONS[asked]
    pure = {Precision.AMP_BF16: Precision.BF16, Precision.AMP_FP16: Precision.FP16}.get(
        chosen, chosen
    )
    return pure if chosen not in plan.precisions and pure in plan.precisions else chosen


def folder_of(plan: Plan, given: Mapping[str, Any], folders_given: Sequence[Path]) -> Path | None:
    """The folder that a run of a suite takes its data from: the first that holds what its workload
    wants; None where it wants none.
    """
    if not plan.folder or given["data"] != DataKind.REAL:
        return None
    return next(
        (folder for folder in folders_given if (folder / FOLDERS[plan.folder]).exists()), None
    )
