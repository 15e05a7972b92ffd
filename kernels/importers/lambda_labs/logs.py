"""Console logs of single runs of Lambda's benchmark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kernels.catalog import Catalog
from kernels.errors import SourceError
from kernels.importers.base import Imported, Part, has_address, place, without_names
from kernels.importers.lambda_labs.benchmark import (
    MODELS,
    PRECISIONS,
    SOURCE,
    Machine,
    figure_of,
    machine_of,
    run_of,
)
from kernels.machine.system import slug
from kernels.records import DataKind, Run, Setting, Status
from kernels.tabular import number, whole

_TASK: Final = re.compile(
    r"(?:PyTorch_)?(?P<model>[A-Za-z]\w*?)_(?P<precision>FP32|TF32|FP16|AMP|BF16)", re.IGNORECASE
)
_FIGURE: Final = r"(?P<n>\d{1,15}(?:\.\d{1,18})?(?:e[+-]?\d{1,2})?)(?![\w.])"
_EVENT: Final = re.compile(rb"DLL \d{4}-\d\d-\d\d \d\d:\d\d:\d\d|:::NVLOGv[\d.]+ ")
_COMMAND: Final = re.compile(rb"\['(?>[^'\r\n]*?python)[^'\r\n]*+', ")
_MEMORY: Final = re.compile(
    r"\bout of memory\b|CUDA_ERROR_OUT_OF_MEMORY|CUBLAS_STATUS_ALLOC_FAILED", re.IGNORECASE
)
_ERROR: Final = re.compile(
    r"\A(?P<error>(?:\w++\.)*+\w*?(?:Error|Exception|Interrupt)\b(?::.*+)?+)\s*+$"
)
_PEEK: Final = 1 << 16
_ENDS: Final = ("DONE!", "Experiment ended")
_MOST_LOG: Final = 256_000_000
_LONGEST_LINE: Final = 1 << 20


def is_log(path: Path) -> bool:
    """Returns True if a file is the console log of a run: it has its events, or the command that
    the benchmark prints at the end.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_PEEK)
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _PEEK))
            tail = file.read(_PEEK)
    except OSError:
        return False
    return any(_EVENT.search(text) or _COMMAND.search(text) for text in (head, tail))


@dataclass(slots=True)
class _Log:
    """Findings of a log, line by line."""

    figure: float | None = None
    figure_line: int = 0
    ended: bool = False
    trace_line: int = 0
    error: str | None = None
    memory: str | None = None
    parameters: str | None = None
    command: str | None = None

    def take(self, count: int, line: str, figure: re.Pattern[str]) -> None:
        """Takes the next line; `figure` finds the model's figure in it."""
        found = number(match["n"]) if (match := figure.search(line)) else None
        if found:
            self.figure, self.figure_line = found, count
        if self.parameters is None and (start := line.find(" - PARAMETER ")) >= 0:
            self.parameters = line[start + len(" - PARAMETER ") :][:10_000]
        if line.startswith("['"):
            self.command = line[:10_000]
        if line.startswith("Traceback (most recent call last)"):
            self.trace_line = self.trace_line or count
        elif self.trace_line and self.error is None and (error := _ERROR.match(line)):
            self.error = error["error"]
        if self.memory is None and (memory := _MEMORY.search(line)):
            self.memory = line[max(0, memory.start() - 200) : memory.end() + 200]
        self.ended = self.ended or line in _ENDS or line.startswith("['")

    def parameter(self, name: str) -> str | None:
        """Returns the parameter called `name` in `... arch : resnet50 batch_size : 184 ...`."""
        match = re.search(rf"(?<!\S)(?<!eval ){name} : (\S+)", self.parameters or "")
        return match[1] if match else None

    def option(self, name: str) -> str | None:
        match = re.search(rf"'--{name}', '([^']*)'", self.command or "")
        return match[1] if match else None

    @property
    def batch(self) -> int | None:
        return whole(self.parameter("batch[ _]size") or self.option("batch-size") or "")

    def settings(self) -> Iterator[Setting]:
        """Yields the source of the data, and the batch size as logged."""
        if backend := self.parameter("data_backend"):
            yield Setting("data_backend", without_names(backend))
        if self.batch is not None:
            yield Setting("batch_size_as_logged", str(self.batch))

    def precision(self) -> str | None:
        """Returns the precision from the parameters or, if a run failed before it printed them, the
        command line.
        """
        switches = {name: self.parameter(name) for name in ("amp", "fp16")}
        if None not in switches.values():
            return next((name for name, value in switches.items() if value == "True"), "fp32")
        if self.command is not None and "'--arch'" in self.command:
            return next((name for name in switches if f"'--{name}'" in self.command), "fp32")
        return None


def read_log(part: Part, known: Catalog) -> Imported:
    """Returns the run of a log.

    Raises:
        SourceError: Its folders do not name machine and task, or the log names another model.
    """
    shown = "/".join((part.options.get("name") or part.name).split("/")[-3:])
    name, folder, task = _where(part, shown)
    model, said = task["model"].lower(), task["precision"].lower()
    log = _scan(part, re.compile(MODELS[model].figure.replace("{n}", _FIGURE)))
    arch = log.parameter("arch") or log.option("arch")
    if arch and model == "resnet50" and arch != model:
        raise SourceError(
            f"{part.name}: the folder says {model} and the log {arch!r}, wanted one of the two"
        )
    machine, warning = machine_of(name, known, whole(log.parameter("world_size") or ""))
    warnings = [warning] if warning else []
    if machine.accelerator is None:
        warnings.append(
            f"{machine.card!r} is not in catalog/hardware.csv; the accelerator is left open"
        )
    logged = log.precision() or said
    if logged != said:
        warnings.append(f"the folder says {said} and the log {logged}; the log is believed")
    run = run_of(
        machine,
        model,
        *log.settings(),
        pytorch="pytorch" in folder.lower(),
        run_id="-".join(("lambda", slug(name), slug(folder), slug(Path(shown).stem) or "log")),
        precision=PRECISIONS[logged],
        global_batch_size=_batch_size(log, model, machine),
        **_outcome(log, model, shown),
    )
    warnings += _log_warnings(part.files[0], log, run)
    return Imported(
        source=SOURCE.source,
        runs=(run,),
        sources=(SOURCE,),
        warnings=tuple(f"{part.name}: {each}" for each in warnings),
    )


def _batch_size(log: _Log, model: str, machine: Machine) -> int | None:
    chips = 1 if MODELS[model].global_batch else machine.accelerators
    return log.batch * chips if log.batch and chips else None


def _outcome(log: _Log, model: str, shown: str) -> dict[str, object]:
    figure = log.figure if log.ended else None
    status, detail = _status(log, figure)
    at = place(shown, log.figure_line) if figure is not None else None
    return {
        "locator": place(shown),
        "status": status,
        "status_detail": detail,
        "metrics": (figure_of(model, figure, status, at),),
        "data": DataKind.REAL
        if re.fullmatch(r"dali-[cg]pu|pytorch", log.parameter("data_backend") or "")
        else None,
    }


def _log_warnings(path: Path, log: _Log, run: Run) -> Iterator[str]:
    if run.status is not Status.OK:
        yield f"no figure: {run.status_detail}"
    elif log.trace_line:
        yield f"line {log.trace_line} is an error; the figure of line {log.figure_line} is kept"
    beside = path.with_name(f"{path.stem}_monitor.csv")
    if beside.is_file():
        yield (
            f"{beside.name} beside it has readings without header, time or GPU; the telemetry "
            "format reads such files"
        )


def _where(part: Part, shown: str) -> tuple[str, str, re.Match[str]]:
    folders = shown.split("/")[:-1]
    task = _TASK.fullmatch(folders[-1]) if folders else None
    name = folders[-2] if len(folders) > 1 else ""
    if task is None or not slug(name) or has_address(name):
        raise SourceError(
            f"{part.name}: the log names neither machine nor task itself, wanted folders such as "
            "2x2080Ti/PyTorch_resnet50_FP16/"
        )
    if task["model"].lower() not in MODELS:
        raise SourceError(
            f"{part.name}: the folder names the task {task['model']!r}, wanted one of "
            f"{', '.join(MODELS)}"
        )
    return name, folders[-1], task


def _scan(part: Part, figure: re.Pattern[str]) -> _Log:
    path = part.files[0]
    if path.stat().st_size > _MOST_LOG:
        raise SourceError(
            f"{part.name}: found {path.stat().st_size} bytes, wanted a console log of {_MOST_LOG} "
            "bytes or less"
        )
    log = _Log()
    with path.open("rb") as file:
        count = 0
        while raw := file.readline(_LONGEST_LINE):
            count += raw.endswith(b"\n") or len(raw) < _LONGEST_LINE
            log.take(count, raw.decode("utf-8", errors="replace").strip(), figure)
    return log


def _status(log: _Log, figure: float | None) -> tuple[Status, str | None]:
    if figure is not None:
        return Status.OK, None
    if log.memory is not None:
        return Status.OOM, without_names(log.memory)[:400]
    if log.trace_line:
        return Status.FAILED, without_names(
            log.error or f"the log has a traceback in line {log.trace_line}"
        )[:400]
    if log.ended:
        return Status.FAILED, "the log ends without a figure and without an error"
    return Status.UNFINISHED, "the log breaks off before its end"
