"""DAWNBench entries: training curves with time to an accuracy, and the latency of one inference.

An entry is `<name>.json`, with `<name>.tsv` beside it for training. Its fields and columns tell the
benchmark: F1 is SQuAD, top-5 is ImageNet, top-1 alone is CIFAR10; `latency` or `cost` is inference.
Folders must agree.

Rules of the benchmark (README of its repository) that entries do not repeat: training is timed to
the first row that reaches the threshold; `hours` may leave out validation and checkpoints, so the
timing scope is unknown; `costPerHour` is an on-demand price in USD of all machines together;
inference takes one image or question at a time. The threshold of SQuAD is F1 0.73 in that README
and 0.75 in the repository's tests. The tests decided which entries were accepted, and all known
ones reach 0.75, inference too; so that is the target here, and the time to 0.73 is recorded as
well.

The repository states no licence, so by default its figures are neither committed nor published.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

from kernels.analysis import results
from kernels.errors import SourceError
from kernels.importers.base import Flags, Imported, Part, source_of
from kernels.importers.dawnbench import names as facts
from kernels.importers.dawnbench.files import (
    METRICS,
    Curve,
    Row,
    curve,
    entry,
    is_entry,
    not_negative,
    number,
    quality,
)
from kernels.machine.system import slug
from kernels.records import (
    NO_LICENCE,
    Certainty,
    ClockScope,
    DataKind,
    Environment,
    Evaluation,
    Metric,
    Mode,
    Origin,
    Per,
    Precision,
    Price,
    PriceKind,
    Run,
    Setting,
    Stat,
    Status,
    Target,
)

SUMMARY: Final = (
    "DAWNBench entries: the repository, a data set's folder, or one entry (.json with its .tsv)"
)

SOURCE: Final = source_of(facts.TABLES)

ENTRIES_A_PART: Final = 64
"""Entries read at once; a folder of more is several parts."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set of the benchmark, named as its folder.

    Attributes:
        thresholds: The target, and other thresholds in the benchmark's texts.
        classes: For recognising an untrained model; None if the value of guessing is unknown.
    """

    name: str
    metric: str
    thresholds: tuple[float, ...]
    classes: int | None = None


CIFAR10: Final = Dataset("CIFAR10", "top1", (0.94,), 10)
IMAGENET: Final = Dataset("ImageNet", "top5", (0.93,), 1000)
SQUAD: Final = Dataset("SQuAD", "f1", (0.75, 0.73))
DATASETS: Final = (CIFAR10, IMAGENET, SQUAD)

WORKLOADS: Final = {(data, model): id_ for data, model, id_ in facts.TABLES["workloads"]}
"""The catalogue's workloads by data set and model; others are `dawnbench-<model>-<data set>`."""


OPTIONS: Final[Flags] = {}


def parts(path: Path, options: Mapping[str, str | None]) -> Iterator[Part]:  # noqa: ARG001 - the same for every importer
    """Yields folders of entries below a folder, or a single entry."""
    if path.suffix.lower() == ".tsv":
        path = path.with_suffix(".json")
    if not path.is_dir():
        yield _part_of_entry(path)
        return

    def hidden(file: Path) -> bool:
        return any(part.startswith(".") for part in file.relative_to(path).parts)

    found = False
    for folder in sorted({file.parent for file in path.rglob("*.json") if not hidden(file)}):
        if any(is_entry(file) for file in sorted(folder.glob("*.json"))):
            found = True
            yield from _parts(folder, folder.relative_to(path).as_posix())
    if not found:
        raise SourceError(
            f"{path}: no DAWNBench entry in it: wanted a JSON with author, framework, hardware, "
            "model and timestamp"
        )


def _part_of_entry(path: Path) -> Part:
    if not path.is_file():
        raise SourceError(
            f"{path}: no such file; wanted an entry's .json with its .tsv beside it, or a folder "
            "of them"
        )
    if not is_entry(path):
        raise SourceError(
            f"{path}: not a DAWNBench entry: wanted a JSON with author, framework, hardware, model "
            "and timestamp"
        )
    tsv = path.with_suffix(".tsv")
    return Part(path.name, (path, tsv) if tsv.is_file() else (path,))


def _parts(folder: Path, name: str) -> Iterator[Part]:
    stems = sorted({file.stem for ending in ("json", "tsv") for file in folder.glob(f"*.{ending}")})
    for start in range(0, len(stems), ENTRIES_A_PART):
        chunk = stems[start : start + ENTRIES_A_PART]
        files = [
            file
            for stem in chunk
            for file in (folder / f"{stem}.json", folder / f"{stem}.tsv")
            if file.is_file()
        ]
        yield Part(name if not start else f"{name} from {chunk[0]}", tuple(files))


def read(part: Part) -> Imported:
    """Returns the entries of a folder; invalid ones are refused by name."""
    by_stem: dict[str, dict[str, Path]] = {}
    for file in part.files:
        by_stem.setdefault(file.stem, {})[file.suffix.lower()] = file
    runs: dict[str, Run] = {}
    prices: list[Price] = []
    warnings: list[str] = []
    refused: list[str] = []
    alone = len(by_stem) == 1
    for stem, files in sorted(by_stem.items()):
        first = next(iter(files.values())).name
        where = first if alone and part.name == first else f"{part.name}/{first}"
        try:
            if ".json" not in files:
                raise SourceError(
                    f"no {stem}.json beside it, which would say what was trained on what"
                )
            run, price, said = read_entry(files[".json"], files.get(".tsv"))
            if run.run_id in runs:
                raise SourceError(
                    f"its name makes the same id as another's ({run.run_id}): rename one of the two"
                )
        except SourceError as error:
            refused.append(f"{where}: {error}")
            continue
        runs[run.run_id] = run
        prices += [price] if price else []
        warnings += [f"{where}: {each}" for each in said]
    if not runs:
        raise SourceError("; ".join(refused) or f"{part.name}: no entry in it")
    return Imported(
        source=SOURCE.source,
        runs=tuple(run for _, run in sorted(runs.items())),
        sources=(SOURCE,),
        prices=tuple(sorted(prices, key=lambda price: price.price_id)),
        warnings=tuple(warnings),
        refused=tuple(refused),
    )


def read_entry(file: Path, tsv: Path | None) -> tuple[Run, Price | None, list[str]]:
    """Returns an entry's run, the price that it states, and warnings about guesses.

    Raises:
        SourceError: The entry is invalid; gives the reason without its name.
    """
    found = entry(file)
    inference = "latency" in found or "cost" in found
    if inference:
        rows = None
        stated = [name.lower() for name, value in found.items() if value is not None]
        dataset = _dataset([METRICS[name] for name in stated if name in METRICS])
    else:
        if tsv is None:
            raise SourceError(
                f"neither a latency in it nor {file.stem}.tsv beside it: nothing was measured"
            )
        try:
            rows = curve(tsv)
        except SourceError as error:
            raise SourceError(f"{tsv.name}: {error}") from None
        dataset = _dataset(rows.metrics)
    _held_against(file, dataset, "inference" if inference else "train")
    return _Entry(file, found, dataset, Mode.INFERENCE if inference else Mode.TRAINING).taken(rows)


def _dataset(metrics: Sequence[str]) -> Dataset:
    kinds = {"f1": SQUAD, "top5": IMAGENET}
    datasets = {
        kinds.get(metric, CIFAR10 if "top5" not in metrics else IMAGENET).name: metric
        for metric in metrics
    }
    if len(datasets) != 1:
        raise SourceError(
            f"found {', '.join(metrics) or 'no metric'}; wanted top1Accuracy, top5Accuracy or "
            "f1Score, of one data set"
        )
    return next(each for each in DATASETS if each.name in datasets)


def _held_against(file: Path, dataset: Dataset, mode: str) -> None:
    """Refuses an entry whose folders contradict its own data set or mode."""
    folders = file.resolve().parts[-3:-1]
    named = [each.name for each in DATASETS if each.name in folders]
    modes = [each for each in ("train", "inference") if each == folders[-1]]
    if (named and named != [dataset.name]) or (modes and modes != [mode]):
        raise SourceError(
            f"it lies in {'/'.join(folders)} and reads as {dataset.name}/{mode}: its columns or "
            "fields are not those of its folder"
        )


class _Entry:
    """An entry while it is turned into records."""

    def __init__(
        self, file: Path, found: Mapping[str, object], dataset: Dataset, mode: Mode
    ) -> None:
        self.found = found
        self.dataset = dataset
        self.mode = mode
        self.day = facts.day_of(found["timestamp"])
        self.notes = dict(facts.notes_of(found))
        self.machine = facts.machine_of(
            str(found["hardware"]), self.day, self.notes.get("gpuDevice")
        )
        self.team = facts.team_of(found["author"], file.stem)
        self.warnings = list(self.machine.warnings)
        if self.day is None:
            self.warnings.append("its timestamp is no day: left open")
        folder = "train" if mode is Mode.TRAINING else "inference"
        public = facts.public_stem(file.stem)
        self.kind = f"{dataset.name} {folder}"
        self.name = public
        self.place = (
            f"{dataset.name}/{folder}/{public}"
            if file.resolve().parts[-3:-1] == (dataset.name, folder)
            else public
        )
        # A name with parts that are withheld, or not allowed in an id, is marked by a fingerprint.
        mark = (
            ""
            if public == file.stem and file.stem.isascii()
            else f"-{hashlib.sha256(file.stem.encode(errors='replace')).hexdigest()[:6]}"
        )
        self.run_id = slug(f"dawnbench-{dataset.name}-{folder}-{public.replace('*', '')}{mark}")

    def taken(self, rows: Curve | None) -> tuple[Run, Price | None, list[str]]:
        run = self._common()
        run = self._inferred(run) if rows is None else self._trained(run, rows)
        return run, self._price(), self.warnings

    def _common(self) -> Run:
        text = str(self.found["framework"])
        misc = self.found.get("misc")
        prose = facts.public(misc) if isinstance(misc, str) else ""
        software = facts.software_of(text, self.notes, prose)
        framework, version = facts.framework_of(text, software)
        versions = {each.name: each.version for each in software}
        machine = self.machine
        return Run(
            run_id=self.run_id,
            origin=Origin.IMPORTED,
            source=SOURCE.source,
            locator=f"file '{self.place}.json'",
            licence=NO_LICENCE,
            credit=f"DAWNBench, {self.kind}, {self.team or f'entry {self.name}'}, "
            f"{facts.public(str(self.found['model']))}",
            workload=self._workload(),
            system=machine.system,
            status=Status.OK,
            mode=self.mode,
            accelerator=machine.accelerator,
            accelerators=machine.accelerators,
            nodes=machine.nodes,
            framework=framework,
            framework_version=version,
            implementation_url=facts.code_of(self.found.get("codeURL")),
            precision=Precision.MIXED
            if self.notes.get("mixed_precision") == "True"
            else Precision.UNKNOWN,
            data=DataKind.REAL,
            submitter=self.team,
            targets=tuple(
                Target(self.dataset.metric, each, certainty=Certainty.RECONSTRUCTED)
                for each in self.dataset.thresholds
            ),
            software=software,
            settings=tuple(self._settings()),
            environment=Environment(
                cuda=versions.get("cuda"),
                cudnn=versions.get("cudnn"),
                nccl=versions.get("nccl"),
                driver=versions.get("driver"),
                python=versions.get("python"),
                extra=(Setting("hardware_as_stated", machine.text),),
            ),
        )

    def _workload(self) -> str:
        model = re.sub(
            r"(resnet)[ -]+(\d)", r"\1\2", facts.public(str(self.found["model"])).lower()
        )
        known = WORKLOADS.get((self.dataset.name, slug(model)))
        return known or slug(f"dawnbench-{slug(model)[:60]}-{self.dataset.name}")

    def _settings(self) -> Iterator[Setting]:
        if self.day is not None:
            yield Setting("submitted", self.day.isoformat())
        for field, name in (("costPerHour", "cost_per_hour_usd"), ("cost", "cost_per_sample_usd")):
            if (printed := number(self.found.get(field))) is not None and printed > 0:
                yield Setting(name, str(self.found[field]).strip())
        seen: set[str] = set()
        for key, value in self.notes.items():
            kept = facts.TABLES["settings"].get(re.sub(r"[^a-z]", "", key.lower()))
            if (
                kept
                and kept not in seen
                and (number(value) is not None or value in {"True", "False"})
            ):
                seen.add(kept)
                yield Setting(kept, value.strip().lower())

    def _batch(self) -> int | None:
        """Returns the global batch size, if the entry states it or only one is possible."""
        misc = self.found.get("misc")
        total = (
            re.search(r"total batch size:? {0,3}(\d{1,9})\b", misc, re.ASCII)
            if isinstance(misc, str)
            else None
        )
        sizes = (
            [total[1]]
            if total
            else [each.value for each in self._settings() if each.name == "batch_size"]
        )
        text = sizes[0] if sizes else ""
        if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or not int(text):
            return None
        certain = (
            total or self.machine.accelerators == 1 or self.team in facts.TABLES["batch_global"]
        )
        return int(text) if certain else None

    def _trained(self, run: Run, rows: Curve) -> Run:
        self.warnings += rows.warnings
        first, shift, why = finished(rows.rows, self.dataset)
        if why:
            self.warnings.append(why)
        evaluations = tuple(
            Evaluation(
                metric,
                row.values[metric],
                row.epoch + shift,
                row.epoch,
                time_s=row.time_s,
                locator=f"line {row.line}",
            )
            for row in rows.rows
            for metric in rows.metrics
        )
        others = (Target(metric, 1.0) for metric in rows.metrics if metric != self.dataset.metric)
        metrics: dict[str, Metric] = {}
        for metric in (
            *_reached(run.targets, evaluations, whole=True),
            *_reached(tuple(others), evaluations, whole=False),
            Metric("train_time_s", rows.rows[-1].time_s, "s", n=1),
        ):
            metrics.setdefault(metric.key, metric)
        target = run.targets[0]
        reached = any(
            each.metric == target.metric and results.hit(target, each.value) for each in evaluations
        )
        return replace(
            run,
            status=Status.OK if reached else Status.NOT_CONVERGED,
            status_detail=None
            if reached
            else f"no evaluation reached {target.metric} {target.value:g}",
            # validation and checkpoints may or may not be in `hours`
            clock_scope=ClockScope.UNKNOWN,
            epoch_index_base=first,
            global_batch_size=self._batch(),
            evaluations=evaluations,
            metrics=tuple(metrics.values()),
        )

    def _inferred(self, run: Run) -> Run:
        """Makes an inference run: batch size 1, and the mean latency over the whole test set."""
        stated = self.found.get("latency")
        seconds = None if stated is None else float(not_negative(stated, "latency") / 1000)
        if seconds == 0:
            raise SourceError("latency: found 0 ms, wanted more")
        status = Status.NOT_REPORTED if seconds is None else Status.OK
        metrics = [Metric("latency_s", seconds, "s", stat=Stat.MEAN, status=status)]
        for field, value in self.found.items():
            if (metric := METRICS.get(field.lower())) is not None and value is not None:
                reading = quality(metric, value, field)
                metrics.append(Metric(f"final_{results.NAMES.get(metric, metric)}", reading))
                if metric == self.dataset.metric and reading < run.targets[0].value:
                    self.warnings.append(
                        f"{field} is {value}, below the {run.targets[0].value:g} that the "
                        "benchmark wants of a model"
                    )
        keys = [metric.key for metric in metrics]
        if len(set(keys)) != len(keys):
            raise SourceError(f"the same metric stands in it twice: {', '.join(keys)}")
        return replace(run, global_batch_size=1, metrics=tuple(metrics))

    def _price(self) -> Price | None:
        """Returns the offer that the entry states: on demand, as the rules require, on the day of
        submission.
        """
        stated, machine = self.found.get("costPerHour"), self.machine
        if stated is None:
            return None
        amount = number(stated)
        if amount is None or not float(amount) > 0:
            self.warnings.append(f"costPerHour is {stated!r}, wanted more than 0: no price taken")
            return None
        if machine.accelerators is None or machine.provider is None:
            chips = "how many accelerators it buys"
            what = chips if machine.accelerators is None else "the provider"
            self.warnings.append(
                f"costPerHour {stated}: kept as a setting and not as an offer, since {what} is not "
                "known"
            )
            return None
        digits = str(stated).strip().lower()
        return Price(
            price_id=f"{self.run_id}-hour",
            provider=machine.provider,
            offer=machine.offer,
            system=machine.system,
            accelerators=machine.accelerators,
            kind=PriceKind.ON_DEMAND,
            amount=float(amount),
            currency="USD",
            per=Per.HOUR,
            region=None,
            valid_from=self.day,
            valid_to=None,
            source=SOURCE.source,
            locator=f"file '{self.place}.json'",
            licence=NO_LICENCE,
            decimals=len(digits.partition(".")[2])
            if "e" not in digits
            else max(0, -int(amount.as_tuple().exponent)),
            includes=("accelerator", "host"),
        )


def _reached(
    targets: Sequence[Target], evaluations: Sequence[Evaluation], *, whole: bool
) -> Iterator[Metric]:
    """Yields the final and best values of the targets' metrics and, if `whole`, when the targets
    were reached. From when on they held depends on where the file ends.
    """
    for target in targets:
        readings = [each for each in evaluations if each.metric == target.metric]
        for metric in results.quality(target, readings, Status.NOT_CONVERGED):
            if metric.name.startswith(("final_", "best_")) or (
                whole and "sustained" not in metric.name and not metric.name.startswith("samples_")
            ):
                yield metric


def finished(rows: Sequence[Row], dataset: Dataset) -> tuple[int | None, int, str | None]:
    """Returns the first epoch number of a file, the number to add to get finished epochs, and a
    warning if that was guessed.

    From 1, or with fractions, numbers count finished epochs. From 0, the first row is of the first
    epoch or of an untrained model: the latter if its accuracy is that of guessing, or if it took
    less than half as long as later rows.
    """
    labels = [row.epoch for row in rows]
    if any(label % 1 for label in labels):
        return None, 0, None
    if labels[0] != 0:
        return (1 if labels[0] == 1 else None), 0, None
    gaps = [
        (after.time_s - before.time_s) / (after.epoch - before.epoch)
        for before, after in pairwise(rows)
        if after.epoch > before.epoch
    ]
    chance = 1 / dataset.classes if dataset.classes else 0.0
    guessing = "top1" in rows[0].values and rows[0].values["top1"] <= 1.2 * chance
    if guessing or (gaps and rows[0].time_s < median(gaps) / 2):
        return (
            1,
            0,
            "epochs count from 0, taken as the model before training: its reading is a guess, or "
            "its time too short",
        )
    return (
        0,
        1,
        "epochs count from 0, taken as the first epoch: its time and its reading are those of one",
    )
