"""Scores of real submissions worked out apart: from the lines of the logs, without the importer and
without the scores' own rules.

`MLPERF_ROUNDS` names a folder with whole rounds (`training_results_v0.5` and so on) to draw from in
place of the excerpts beside the checkout.
"""

import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kernels.analysis.mlperf_scores import scores
from kernels.errors import SourceError
from kernels.importers import mlperf

RESULTS = 300
"""Most results that are drawn."""

NAMES = {
    "mask": "maskrcnn", "object_detection": "maskrcnn", "translation": "transformer", "gnn": "rgat",
    "image_classification": "resnet", "resnet50": "resnet", "single_stage_detector": "ssd",
    "rnn_translator": "gnmt", "reinforcement": "minigo",
}  # fmt: skip
"""What some folders are called, and the benchmark."""

FEW = {"resnet": 5, "ssd": 5, "maskrcnn": 5, "retinanet": 5, "dlrm": 5, "gpt3": 3}
FEW |= {"llama31_405b": 3, "unet3d": 40, "ncf": 50}
"""Runs of a score by benchmark where they are not ten. Five for vision and recommendation, ten for
language, three for the largest models, fifty for NCF: the "Benchmark Results" of each round's
training_rules.adoc, and `submission_runs` of mlperf_logging's package checker.
"""

V05 = re.compile(rb":::MLPv0\.5\.0 \S+ +([\d.]+) \([^)]*\) (run_start|run_stop)\b(.*)")
V06 = re.compile(rb":::MLL ([\d.]+) (run_start|run_stop|eval_result):(.*)")
V07 = re.compile(rb':::MLLOG (\{.*"key": ?"(run_start|run_stop|eval_result)".*)')


def seconds_of(path: Path) -> float | None:
    """Time from the first start to the last stop; None without success."""
    starts: list[float] = []
    stops: list[float] = []
    won: list[float] = []
    success = None
    for raw in path.read_bytes().replace(b"\r", b"\n").split(b"\n"):
        if found := V05.search(raw) or V06.search(raw):
            time, key, rest = float(found[1]), found[2], found[3]
        elif found := V07.search(raw):
            text, key = found[1].decode(errors="replace"), found[2]
            said = json.JSONDecoder().raw_decode(text)[0]
            time = said["time_ms"] / 1000 if "time_ms" in said else float(said["time_s"])
            rest = found[1]
        else:
            continue
        if key == b"run_start":
            starts.append(time)
        elif key == b"run_stop":
            stops.append(time)
            flag = re.search(rb'(?:status|success)[\'"]: *"?\'?(\w+)', rest)
            success = success if flag is None else flag[1].lower() in {b"success", b"true"}
        elif stamp := re.search(rb'"?timestamp[\'"]: *([\d.]+)', rest):
            won.append(float(stamp[1]))
    whole = max(stops) - min(starts) if starts and stops else None
    if won and success is not False and (whole is None or abs(whole - won[0]) > 1):
        return won[0]  # MiniGo's logs go on after the model that won
    return None if success is False else whole


def minutes_of(folder: Path, files: Sequence[Path]) -> float | None:
    """The olympic mean of a folder's logs by the rules; None where they give no score."""
    old = "v0.5.0" in folder.parts
    benchmark = NAMES.get(folder.name.lower(), folder.name.lower().replace("-", "_"))
    wanted = FEW.get(benchmark, 20 if benchmark == "minigo" and old else 10)
    times = [seconds_of(path) for path in files]
    if benchmark == "ncf":
        good = [time for time in times if time is not None]
        times = list(good[:wanted])
    drop = 4 if benchmark == "unet3d" else 1
    good = sorted(time for time in times if time is not None)
    if len(times) != wanted or len(times) - len(good) > drop:
        return None
    kept = good[drop : len(times) - drop]
    factor = 1.0
    if (folder / "scaling.json").exists():
        factor = float(json.loads((folder / "scaling.json").read_text())["scaling_factor"])
    return sum(kept) / len(kept) / 60 * factor


def results(rounds: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Each folder of results and its logs, by their numbers."""
    for folder in sorted(rounds.glob("training_results_v*/**/results/*/*")):
        files = [path for path in folder.glob("result*.txt") if "raw" not in path.name]
        if files:
            yield folder, sorted(files, key=lambda path: int(re.findall(r"\d+", path.stem)[-1]))


def imported_minutes(folder: Path) -> float | None:
    """The score of a folder as the importer reads it; None without one, or where all is refused."""
    try:
        runs = [run for part in mlperf.parts(folder, {}) for run in mlperf.read(part).runs]
    except SourceError:
        return None
    (found,) = scores(runs)
    return found.score_minutes


def test_scores_are_those_of_the_logs(external: Path) -> None:
    """A sample over all rounds: to six digits, and no score where the logs give none."""
    rounds = Path(os.environ.get("MLPERF_ROUNDS", external / "mlperf-training"))
    known = list(results(rounds))
    drawn = random.Random(18).sample(known, min(RESULTS, len(known)))  # noqa: S311 - no secret

    different = {}
    for folder, files in drawn:
        wanted, found = minutes_of(folder, files), imported_minutes(folder)
        if wanted != found and (
            None in {wanted, found} or wanted != pytest.approx(found, rel=2e-6)
        ):
            different[folder.relative_to(rounds).as_posix()] = (wanted, found)
    assert len(drawn) >= min(RESULTS, 30)
    assert different == {}
