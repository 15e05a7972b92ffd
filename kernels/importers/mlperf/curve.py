"""The learning curve in an MLPerf log: evaluations and epochs, in whatever unit and base."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple

from kernels.importers.mlperf import rules
from kernels.importers.mlperf.log import Event, Events, between, number, whole
from kernels.records import Epoch, Evaluation

MANY: Final = 2000
"""A log's "epoch" beyond this counts samples: few benchmarks train for so many epochs, and BERT's
logs write samples there.
"""

CLOSE_S: Final = 0.05
"""Marks this close in time are written at one moment of the program."""


def _readings(event: Event, benchmark: str) -> Iterator[tuple[str, float]]:
    value: Any = event.value
    metrics = rules.metrics_of(benchmark)
    if isinstance(value, dict) and isinstance(value.get("accuracy"), dict):
        value = value["accuracy"]
    if isinstance(value, dict) and "value" in value:
        value = value["value"]
    if isinstance(value, dict):
        pairs = [(rules.PARTS.get(str(name).upper()), inner) for name, inner in value.items()]
    elif isinstance(value, list):
        pairs = list(zip(metrics, value, strict=False)) if len(value) == len(metrics) else []
    else:
        named = rules.PARTS.get(str(event.metadata.get("metric", "")).upper())
        pairs = [(named or metrics[0], value)]
    for metric, inner in pairs:
        found = number(inner)
        if metric is not None and found is not None:
            yield metric, rules.fraction(metric, found)


def _label(event: Event) -> tuple[str, float] | None:
    value = event.value if isinstance(event.value, dict) else {}
    for axis in ("samples_count", "epoch_num", "first_epoch_num", "step_num", "step"):
        if (found := number(event.metadata.get(axis))) is not None:
            return axis, found
    found = number(value.get("epoch"))
    return None if found is None else ("epoch_num", found)


class _Reading(NamedTuple):
    """A reading of a metric; `axis` and `at` locate it in the training, as logged."""

    event: Event
    metric: str
    value: float
    axis: str = ""
    at: float = 0.0


def evaluations_of(
    events: Events, benchmark: str, start: float | None
) -> tuple[list[Evaluation], int | None]:
    """Returns all readings by time, and the number to add to a log's epoch, before it is divided by
    the evaluations of an epoch that are numbered instead, to get finished epochs; None if the axis
    counts samples.
    """
    readings = _in_order(events, benchmark)
    epochs = [each.at for each in readings if each.axis in {"epoch_num", "first_epoch_num"}]
    most = rules.MOST_EPOCHS.get(benchmark, MANY)
    shift = None if epochs and max(epochs) > most else _shift(events, epochs)
    part, parts = _of_one_epoch(benchmark, epochs)
    shift = None if shift is None else shift + part
    numbered = [(each.event, each.at) for each in readings if each.axis == "epoch_num"]
    begun, exact = _begun(events, numbered), _parts(events, numbered)
    iterations = {
        inner: whole(event.value.get("iteration"))
        for event in events.all("eval_iteration_accuracy")
        if isinstance(event.value, dict) and (inner := number(event.value.get("value"))) is not None
    }
    trained = _training_clock(events, start)
    found: list[Evaluation] = []
    for event, metric, value, axis, at in readings:
        epoch = samples = None
        if shift is not None and axis in {"epoch_num", "first_epoch_num"}:
            epoch = round((begun.get(event.line, at) + shift) / parts, 9)
        epoch = exact.get(event.line, epoch)
        if axis == "samples_count" or (axis == "epoch_num" and shift is None):
            samples = _samples(at, benchmark)
        step = (
            whole(at)
            if axis in {"step", "step_num"}
            else iterations.get(value, whole(event.metadata.get("step_num")))
        )
        if epoch is None and samples is None and step is None:
            continue
        elapsed = None if start is None or event.time_s is None else between(start, event.time_s)
        if elapsed is not None and elapsed < 0:
            elapsed = None  # the checkpoint's time, before the clock started
        found.append(
            Evaluation(
                metric=metric,
                value=value,
                epoch=epoch,
                epoch_as_logged=at if epoch is not None else None,
                samples=samples,
                step=step,
                time_s=elapsed,
                train_time_s=None if elapsed is None else trained(elapsed),
                locator=f"line {event.line}",
            )
        )
    return found, shift


def _in_order(events: Events, benchmark: str) -> list[_Reading]:
    taken: dict[tuple[object, ...], _Reading] = {}
    for event in events.all("eval_accuracy"):
        label = _label(event)
        for metric, value in _readings(event, benchmark):
            taken.setdefault(
                (metric, value, label), _Reading(event, metric, value, *(label or ("", 0.0)))
            )
    return sorted(taken.values(), key=lambda each: (each.event.time_s or 0.0, each.event.line))


def _training_clock(events: Events, start: float | None) -> Callable[[float], float | None]:
    """Returns a function from seconds since the start to training time without evaluations; it
    gives None if the log does not separate the two.
    """
    spans = _spans(events)
    sums = list(accumulate((stop - begin for begin, stop in spans), initial=0.0))

    def trained(elapsed: float) -> float | None:
        if not spans or start is None:
            return None
        return between(_within(spans, sums, start, start + elapsed), elapsed)

    return trained


def _begun(events: Events, readings: Sequence[tuple[Event, float]]) -> dict[int, float]:
    """Returns the epochs of evaluations by line, from the marks that begin them, if their own
    numbers lag behind; else nothing.

    Google's Transformer of v0.6 numbers its evaluations 1, 1, 2 and their starts 1, 2, 3, as the
    stretches of training before them.
    """
    timed = sorted(
        (event.time_s, event.line, label) for event, label in readings if event.time_s is not None
    )
    repeated = any(label == after for (_, _, label), (_, _, after) in pairwise(timed))
    if not repeated or len(timed) != len(readings):
        return {}
    starts = sorted(
        (event.time_s, label[1])
        for event in events.all("eval_start")
        if event.time_s is not None and (label := _label(event)) is not None
    )
    found = {
        line: max((label for begin, label in starts if begin <= time), default=own)
        for time, line, own in timed
    }
    marks = list(found.values())
    lagging = all(found[line] - own in (0, 1) for _, line, own in timed)
    return found if lagging and all(before < after for before, after in pairwise(marks)) else {}


def _parts(events: Events, readings: Sequence[tuple[Event, float]]) -> dict[int, float]:
    """Returns finished epochs by line, from the lengths of the training blocks, if they are
    fractions; else nothing.

    NVIDIA's SSD of v0.6 trains 32.746, 10.915 and 5.458 epochs between evaluations, and numbers
    those with the epoch begun: 33, 44, 50.
    """
    blocks = sorted(
        (event.time_s, number(event.metadata.get("epoch_count")) or 0.0)
        for event in events.all("block_start")
        if event.time_s is not None
    )
    if not any(count % 1 for _, count in blocks) or not all(count > 0 for _, count in blocks):
        return {}

    def until(time: float | None) -> float:
        return math.fsum(count for begin, count in blocks if time is not None and begin <= time)

    found = {event.line: round(until(event.time_s), 6) for event, _ in readings}
    return found if all(0 <= label - found[event.line] < 1 for event, label in readings) else {}


def _samples(count: float, benchmark: str) -> int | None:
    tokens = rules.TOKENS.get(benchmark)
    return whole(count) if tokens is None or count < rules.TOKENS_FROM else whole(count / tokens)


def _shift(events: Events, labels: Sequence[float]) -> int:
    """Returns the number to add to an evaluation's epoch to get finished epochs.

    A log that counts from 1 writes the epoch just finished (0) or, like SSD on TPUs, the next (-1).
    One that counts from 0 writes its index (1) or, like some TPU logs, the epochs done (0).
    """
    if not labels:
        return 0
    if any(label % 1 for label in labels):
        return 0  # amounts, not indices
    if 0 in labels:
        return 1
    blocks = _blocks(events)
    ends = {begin + count for begin, count in blocks.items() if count is not None}
    as_index = sum(label + 1 in ends for label in labels)
    # from 1; if from 0, it is the number of finished epochs
    as_next = sum(label in ends for label in labels)
    base = min(blocks, default=None)
    if base == 1:
        return -1 if as_next > as_index else 0
    if base != 0:
        return 0
    votes = set(_votes(events))
    return votes.pop() if len(votes) == 1 else int(as_index >= as_next)


def _of_one_epoch(benchmark: str, labels: Sequence[float]) -> tuple[int, int]:
    """Returns the number to add to the labels, and what to divide them by, of a benchmark that is
    trained for one epoch at most: DLRM's logs write 1.05 after 5 percent, or number evaluations.
    """
    evaluations = rules.EVALUATIONS_AN_EPOCH.get(benchmark)
    if evaluations is None or not labels or max(labels) <= 1:
        return 0, 1
    if any(label % 1 for label in labels):
        return (-1 if min(labels) >= 1 else 0), 1
    return 0, evaluations if max(labels) <= evaluations else 1


def _votes(events: Events) -> Iterator[int]:
    """Yields, for each evaluation, the epochs that had ended when it began minus its label; only 0
    and 1 are plausible.
    """
    stops, begins = (
        {
            number(event.metadata.get("epoch_num")): event.time_s
            for event in events.all(key)
            if event.time_s is not None
        }
        for key in ("epoch_stop", "eval_start")
    )
    ended = sorted(stops.values())
    for event in events.all("eval_accuracy") if stops else ():
        label = _label(event)
        begin = begins.get(label[1] if label else None, event.time_s)
        if label is None or begin is None:
            continue
        difference = bisect_right(ended, begin) - label[1]
        if difference in (0, 1):
            yield int(difference)


def _blocks(events: Events) -> dict[float, float | None]:
    counts: dict[float, float | None] = {}
    for event in events.all("block_start"):
        first, count = (
            number(event.metadata.get("first_epoch_num")),
            number(event.metadata.get("epoch_count")),
        )
        if first is not None:
            counts[first] = count
    if counts:
        return counts
    starts = sorted({label for label, _ in _starts(events)})
    gaps = [after - before for before, after in pairwise(starts)]
    last = 1.0 if gaps and max(gaps) == 1 else None
    return dict(zip(starts, [*gaps, last], strict=True)) if starts else {}


def _starts(events: Events, most: int = MANY) -> Iterator[tuple[float, float | None]]:
    for event in events.all("epoch_start", "train_epoch"):
        label = number(event.metadata.get("epoch_num"))
        label = number(event.value) if label is None else label
        if label is not None and label <= most:
            yield label, event.time_s


def first_label(events: Events) -> int | None:
    """Returns the first epoch number of the log, 0 or 1; None for a later one, which is no base."""
    blocks = _blocks(events)
    return int(min(blocks)) if blocks and min(blocks) in (0, 1) else None


def epochs_of(events: Events, start: float | None, benchmark: str = "") -> Iterator[Epoch]:
    """Yields epochs with start and end; none for a log with sparse marks."""
    starts: dict[int, float] = {}
    for label, time_s in _starts(events, rules.MOST_EPOCHS.get(benchmark, MANY)):
        if time_s is not None and label % 1 == 0:
            starts.setdefault(int(label), time_s)
    if start is None or not starts or max(starts) - min(starts) + 1 != len(starts):
        return
    if len(starts) > 1 and max(starts.values()) - min(starts.values()) < 1.0:
        return  # all written at the end of the run: the times mean nothing
    stops: dict[int, float] = {}
    for event in events.all("epoch_stop"):
        index = whole(event.metadata.get("epoch_num"))
        if index is not None and event.time_s is not None:
            stops[index] = max(stops.get(index, event.time_s), event.time_s)
    rates = _rates(events)
    for label, begin in sorted(starts.items()):
        end = stops.get(label)
        duration = None if end is None or end < begin else between(begin, end)
        yield Epoch(
            label,
            start_s=between(start, begin),
            duration_s=duration,
            learning_rate=rates.get(label),
        )


def _rates(events: Events) -> dict[int, float]:
    """Returns the first learning rate of each epoch, if the log has one per step."""
    rates: dict[int, float] = {}
    for event in events.all("opt_learning_rate"):
        if isinstance(event.value, dict):
            epoch, rate = whole(event.value.get("epoch")), number(event.value.get("value"))
            if epoch is not None and rate is not None:
                rates.setdefault(epoch, rate)
    return rates


def _times(events: Events, key: str) -> list[float]:
    return sorted(event.time_s for event in events.all(key) if event.time_s is not None)


def _spans(events: Events) -> list[tuple[float, float]]:
    """Returns the periods of evaluation in Unix time, merged over processes; none if training went
    on meanwhile.
    """
    begins = [
        (event.time_s, (_label(event) or ("", None))[1])
        for event in events.all("eval_start")
        if event.time_s is not None
    ]
    begins.sort(key=itemgetter(0))
    ends = _times(events, "eval_stop") or _times(events, "eval_accuracy")
    if _overlapped(events, begins):
        return []
    spans: list[tuple[float, float]] = []
    for begin, _ in begins:
        place = bisect_left(ends, begin)
        if place == len(ends):
            break
        end = ends[place]
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((begin, end))
    return spans


def _overlapped(events: Events, begins: Sequence[tuple[float, float | None]]) -> bool:
    """Returns True if an evaluation begins while a training block is open, as in loops that run on
    the accelerator.
    """
    unit = "block" if any(events.all("block_stop")) else "epoch"
    starts, stops = _times(events, f"{unit}_start"), _times(events, f"{unit}_stop")
    if stops:
        # A block's last mark may be written a moment after the evaluation's first one.
        return any(_latest(starts, begin) > _latest(stops, begin + CLOSE_S) for begin, _ in begins)
    known = sorted((label, time_s) for label, time_s in _starts(events) if time_s is not None)
    labels = [label for label, _ in known]
    # The earliest start of any later epoch, by position.
    earliest = list(accumulate((time_s for _, time_s in reversed(known)), min))[::-1]
    return any(
        at is not None
        and (place := bisect_right(labels, at)) < len(known)
        and earliest[place] <= begin
        for begin, at in begins
    )


def _latest(times: Sequence[float], until: float) -> float:
    place = bisect_right(times, until)
    return times[place - 1] if place else 0.0


def _within(
    spans: Sequence[tuple[float, float]], sums: Sequence[float], begin: float, end: float
) -> float:
    """Returns the seconds of the periods between two moments; `sums` are the cumulated lengths of
    the periods before each.
    """
    return max(0.0, _until(spans, sums, end) - _until(spans, sums, begin))


def _until(spans: Sequence[tuple[float, float]], sums: Sequence[float], moment: float) -> float:
    place = bisect_right(spans, (moment, moment)) - 1
    return 0.0 if place < 0 else sums[place] + min(moment, spans[place][1]) - spans[place][0]
