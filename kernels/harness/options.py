"""Options of a run, as flags of the command line or keys of a suite, and the resulting request."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from kernels.datasets import image_folder
from kernels.harness import jobs
from kernels.harness.flags import DATA, PRECISIONS, Flag
from kernels.harness.spec import FLAGS, Request
from kernels.records import DataKind, Precision
from kernels.tabular import Entry, nearest
from kernels.workloads import WORKLOADS, Plan

FOLDERS: Final[Mapping[str, str]] = {"images": "train", "ratings": "ratings.csv"}
"""Contents by which a folder is recognised as the one that a workload of a suite needs."""


def options(parser: argparse.ArgumentParser) -> None:
    """Adds the flags to a parser."""
    for name, flag in FLAGS.items():
        how: dict[str, Any] = {"action": "store_true"}
        if flag.kinds != (bool,):
            how = {
                "action": "append" if name == "data_dir" else "store",
                "type": flag.read,
                "choices": flag.choices or None,
                "default": flag.default,
                "metavar": flag.metavar,
            }
        parser.add_argument(f"--{name.replace('_', '-')}", help=flag.help, **how)


def said(chosen: argparse.Namespace) -> dict[str, Any]:
    """Returns the options on a command line, with defaults."""
    return {name: getattr(chosen, name) for name in FLAGS}


def of_suite(entry: Entry) -> dict[str, Any]:
    """Returns the options in a table of a suite; `workload` is not among them.

    Raises:
        SourceError: An invalid key or value; names file and key.
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
                f"one that a run of a suite may have; {nearest(name, ['workload', *known])}",
                "a key of that name",
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
        raise entry.error(name, f"{wanted}{', or several in a list' if flag.many else ''}")
    if flag.choices and value not in flag.choices:
        raise entry.error(name, f"one of {', '.join(flag.choices)}")
    if bool in flag.kinds:
        return value
    try:
        return flag.read(",".join(map(str, parts)))
    except argparse.ArgumentTypeError as error:
        raise entry.error(name, str(error).partition("wanted ")[2]) from None


def request(workload: str, given: Mapping[str, Any], folder: Path | None) -> Request:
    """Returns the request from `given` (a value for each of `FLAGS`) and the workload's choices."""
    plan = jobs.narrowed(WORKLOADS[workload], given["width"])
    data = DATA[given["data"]] if given["data"] else DataKind.REAL if folder else plan.data[0]
    can_learn = plan.target is not None and data in plan.converges
    asked = {
        each.name: given[each.metadata["flag"].name or each.name]
        for each in fields(Request)
        if "flag" in each.metadata
    }
    return Request(
        **asked
        | {
            "plan": plan,
            "batch_sizes": tuple(given["batch_size"] or [plan.batch_size]),
            "seeds": tuple(given["seeds"]),
            "sizes": tuple(given["operation_size"] or ()),
            "precision": _precision(given["precision"], plan),
            "data": data,
            "measure": given["measure"] or ("convergence" if can_learn else "throughput"),
            "augmentation": given["augmentation"]
            or (plan.augmentations[0] if plan.augmentations and data is DataKind.REAL else "none"),
            "folder": None if folder is None else str(folder.absolute()),
            "images": image_folder.look(folder) if folder and plan.folder == "images" else None,
        }
    )


def _precision(asked: str, plan: Plan) -> Precision:
    """`bf16` and `fp16` are mixed precision for networks and pure for other workloads."""
    chosen = PRECISIONS[asked]
    pure = {Precision.AMP_BF16: Precision.BF16, Precision.AMP_FP16: Precision.FP16}.get(
        chosen, chosen
    )
    return pure if chosen not in plan.precisions and pure in plan.precisions else chosen


def folder_of(plan: Plan, given: Mapping[str, Any], folders_given: Sequence[Path]) -> Path | None:
    """Returns the first folder with the data that a suite's workload needs, if it needs any."""
    if not plan.folder or given["data"] != DataKind.REAL:
        return None
    return next(
        (folder for folder in folders_given if (folder / FOLDERS[plan.folder]).exists()), None
    )
