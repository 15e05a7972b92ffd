"""Records as the schema allows them, made by hypothesis: every field of every record kind, odd and
empty and extreme values included.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kernels import catalog
from kernels.analysis.repetitions import OWN
from kernels.analysis.warnings import WARNINGS
from kernels.checks import keys
from kernels.errors import RecordError
from kernels.metrics import METRICS, metric_unit
from kernels.records import (
    Claim,
    Interval,
    Origin,
    Phase,
    Price,
    PriceKind,
    PrintedCell,
    Rate,
    Recording,
    Review,
    Run,
    Source,
    SourceKind,
    Status,
    Tariff,
    Withdrawal,
)
from kernels.store.schema import TABLES, Column
from kernels.units import UNITS
from tests.makers import chosen, make_source

KNOWN: Final = catalog.load()
SOURCES: Final = ("a-source", "another-source")
RUNS: Final = ("a-source-x-1", "a-source-x-2", "another-source-x")
"""Ids begin with the source and a setting, as those of articles do, to which monitoring tables
refer.
"""

SYSTEMS: Final = ("cloud-tpu-v2-8", "hostkey-1080ti", "rtx2080ti-2x")
WORKLOADS: Final = ("digits-cnn", "cnn10-cifar10", "resnet50-imagenet")
OTHERS: Final = "of-nobody"
"""Id of a system, workload or accelerator that no catalogue has."""

TEXTS: Final = st.sampled_from(
    [
        "plain",
        "",
        " ",
        "-",
        "0",
        "none",
        "null",
        "a, b; c",
        "a \"b\" 'c'",
        "<b>&amp;</b>",
        "</script>",
        "{n} {0} {{ x }} {% y %} %s",
        "\\ ` * _ # [a](b) | c",
        "שלום, עולם",
        "試金石は標準である",
        "Длинное слово",
        "w" * 300,
        "e\u0301\U0001f600",
        "table 1, row 'a, b', column 3",
        "row",
        "'",
        "../../a/b.c",
        "a-b-c",
        "3.7",
        "1e400",
        "=1+1",
    ]
)
LARGEST: Final = 10**15

_INTEGERS: Final = st.sampled_from([0, 1, 2, 3, 64, 10**9, LARGEST])
_FLOATS: Final = st.sampled_from([0.0, 1.0, 0.5, 1e-9, 1 / 3, 2.0, 3600.0, 1e12, 1e15])
_SCALARS: Final[Mapping[type, SearchStrategy[Any]]] = {
    str: TEXTS,
    int: _INTEGERS,
    float: _FLOATS,
    bool: st.booleans(),
    date: st.sampled_from(
        [date(1970, 1, 1), date(2018, 12, 31), date(2026, 11, 20), date(9999, 12, 31)]
    ),
    datetime: st.sampled_from(
        [datetime(2012, 1, 1, tzinfo=UTC), datetime(2026, 11, 20, 12, 30, tzinfo=UTC)]
    ),
}


_FRACTIONS: Final = st.sampled_from([0.0, 0.5, 0.757, 1 / 3, 1.0])
_TIMES: Final = st.sampled_from([0.0, 1e-9, 0.25, 1.0, 3600.0])
_TERMS: Final = TEXTS.filter(lambda text: bool(text.strip()))
"""What must not be blank."""


def _known_or(group: Mapping[str, object], *more: str) -> SearchStrategy[str]:
    return st.sampled_from([*sorted(group)[:4], *more])


_BY_NAME: Final[Mapping[str, SearchStrategy[Any]]] = {
    "currency": st.sampled_from(["USD", "EUR", "JPY", "XXX", "KWD"]),
    "base": st.sampled_from(["USD", "EUR", "XXX"]),
    "quote": st.sampled_from(["JPY", "EUR"]),
    "source": st.sampled_from([*SOURCES * 6, Origin.MEASURED.value]),
    "licence": _TERMS,
    "credit": _TERMS,
    "locator": _TERMS,
    "utilisation": _FRACTIONS,
    "memory_utilisation": _FRACTIONS,
    "duration_s": _TIMES,
    "evaluation_s": _TIMES,
    "wall_time_s": st.sampled_from([3600.0 * 24, 1e9]),
}
"""Values of fields that mean the same in every record."""

_CELLS: Final = (
    "learning-rate",
    "limits",
    "monitoring",
    "open-questions",
    "power",
    "specifications",
    "statements",
)
"""Tables of which charts, pages and reports make something, or of which they want keys."""

_ROWS: Final = (
    "base-batch",
    "gpu-one",
    "power",
    "t4-chosen",
    "two-cards",
    *sorted(keys.known()["cell_row"])[:20],
)
_COLUMNS: Final = (
    "measured-low",
    "power-low",
    "rtx-2080-ti",
    "type",
    "value",
    *sorted(keys.known()["cell_column"])[:20],
)

_REFS: Final = st.sampled_from(
    [
        "number:1",
        "number:2",
        "run:a-source-x-1:wall_time_s",
        "price:a-price:per_hour",
        "cell:a-source:x:y:z",
    ]
)
_SPECIAL: Final[Mapping[str, SearchStrategy[Any]]] = {
    "Run.run_id": st.sampled_from(RUNS),
    "Run.workload": st.sampled_from([*WORKLOADS, OTHERS]),
    "Run.system": st.sampled_from([*SYSTEMS, OTHERS]),
    "Run.accelerator": _known_or(KNOWN.hardware, OTHERS),
    "Run.accelerators": st.sampled_from([1, 2, 8, 4096]),
    "Run.global_batch_size": st.sampled_from([1, 32, 100, LARGEST]),
    "Run.implementation_url": st.just("https://example.org/a?b=%22&c#d"),
    "Run.backend": st.sampled_from(["torch", "jax", "other"]),
    "Source.source": st.sampled_from(SOURCES),
    "Source.url": st.just("http://example.org/"),
    "Source.code": st.sampled_from(["https://example.org/", "none"]),
    "Claim.claim_id": st.sampled_from(["a-claim", "b-claim"]),
    "Claim.unit": st.sampled_from(["1", "s", "USD/h"]),
    "Claim.formula": st.sampled_from(
        ["none", "none", "same", "repeats", "sum", "ratio", "percent_more", "unheard_of"]
    ),
    "Claim.inputs": st.lists(
        st.sampled_from(
            ["number:1", "number:2", "run:a-run:wall_time_s", "cell:a-source:x:y:z", ""]
        ),
        max_size=3,
    ).map(tuple),
    "Claim.decimals": st.sampled_from([-5, 0, 2]),
    "Metric.name": st.sampled_from(
        [*sorted(METRICS), "final_top1", "best_auc", "final_loss", "unheard of"]
    ),
    "Metric.unit": st.just(""),  # that of its name, see `record`
    "Metric.decimals": st.sampled_from([-5, 0, 1, 12]),
    "Evaluation.value": _FRACTIONS,
    "Target.value": _FRACTIONS,
    "Evaluation.metric": st.sampled_from(["top1", "auc", "accuracy", "loss", "other"]),
    "Target.metric": st.sampled_from(["top1", "auc", "accuracy", "loss", "other"]),
    "RunWarning.code": st.sampled_from(sorted(WARNINGS)),
    "PrintedCell.table": st.sampled_from(
        [*sorted(keys.known()["table"])[:5] * 4, *_CELLS, "unheard-of"]
    ),
    "PrintedCell.row": st.sampled_from([*_ROWS, "unheard-of"]) | TEXTS,
    "PrintedCell.column": st.sampled_from([*_COLUMNS, "unheard-of"]) | TEXTS,
    "PrintedCell.text": st.sampled_from(
        [*sorted(keys.known()["cell_text"]), "2019-05", "2019-13", "unheard-of"]
    )
    | TEXTS,
    "PrintedCell.unit": st.sampled_from(sorted(UNITS)),
    "PrintedCell.decimals": st.sampled_from([-5, 0, 2]),
    "Price.price_id": st.sampled_from(["a-price", "b-price"]),
    "Price.system": st.sampled_from([*SYSTEMS, OTHERS]),
    "Price.accelerators": st.sampled_from([1, 8]),
    "Price.workload": st.sampled_from([*WORKLOADS, OTHERS]),
    "Price.hardware": _known_or(KNOWN.hardware, OTHERS),
    "Price.decimals": st.sampled_from([-2, 0, 4]),
    "Price.note": st.sampled_from(["", *sorted(keys.known()["price_note"])]),
    "Tariff.tariff_id": st.just("a-tariff"),
    "Withdrawal.run_id": st.sampled_from(RUNS),
    "Recording.run_id": st.sampled_from(RUNS),
}
"""Values of fields of which most texts or numbers are refused when the record is made."""


def values(kind: type, column: Column) -> SearchStrategy[Any]:
    """What a column of a record may hold."""
    name = f"{kind.__name__}.{column.name}"
    group = keys.groups(kind).get(column.name)
    if name in _SPECIAL:
        one = _SPECIAL[name]
    elif group is not None:
        # without its source nothing of an archive is left to build
        unheard_of = [] if kind is Source else ["unheard-of"]
        one = st.sampled_from([*sorted(keys.known()[group])[:5] * 4, *unheard_of])
    elif column.name in _BY_NAME:
        one = _BY_NAME[column.name]
    elif column.columns:
        one = record(column.kind, column.columns)
    elif issubclass(column.kind, StrEnum):
        one = st.sampled_from(list(column.kind))
    else:
        one = _SCALARS[column.kind]
    if column.many and name not in {"Claim.inputs"}:
        one = st.lists(one, max_size=2).map(tuple)
    return one if column.required else st.none() | one


@st.composite
def record(draw: DrawFn, /, kind: type, columns: tuple[Column, ...] = (), **given: Any) -> Any:
    """A record that its own rules allow; whether `kernels check` does is another matter."""
    made = {
        column.name: given[column.name] if column.name in given else draw(values(kind, column))
        for column in columns or TABLES[kind].columns
    }
    _FITTED.get(kind.__name__, _as_it_is)(made)
    return kind(**made)


def _as_it_is(made: dict[str, Any]) -> None:
    """Nothing of such a record hangs on another part of it."""


def _metric(made: dict[str, Any]) -> None:
    made["unit"] = metric_unit(made["name"]) or "1"
    ends = sorted(end for end in (made["low"], made["high"]) if end is not None)
    made["low"], made["high"] = ends if len(ends) > 1 else (None, None)
    made["interval"] = (made["interval"] or Interval.CI95) if len(ends) > 1 else None
    if made["value"] is None and len(ends) < 2 and made["status"] is Status.OK:
        made["status"] = Status.NOT_REPORTED


def _evaluation(made: dict[str, Any]) -> None:
    if made["epoch"] is made["samples"] is made["step"] is None:
        made["epoch"] = 1.0


def _run(made: dict[str, Any]) -> None:
    made["metrics"] = tuple({metric.key: metric for metric in made["metrics"]}.values())
    made["steps"] = tuple(
        dataclasses.replace(step, index=place, phase=Phase.MEASURE, start_s=float(place))
        for place, step in enumerate(made["steps"])
    )
    made["telemetry"] = tuple(sorted(made["telemetry"], key=lambda sample: sample.time_s))
    made["evaluations"] = tuple(
        dataclasses.replace(reading, time_s=float(place), train_time_s=None)
        for place, reading in enumerate(made["evaluations"])
    )
    if made["origin"] in OWN:
        made["source"] = str(made["origin"])


def _claim(made: dict[str, Any]) -> None:
    if made["printed"] is None and None in (made["printed_low"], made["printed_high"]):
        made["printed"] = 1.0
    made["order"] = made["order"] and made["printed"] in {1.0, 1e-9, 1e12, 1e15}


def _source(made: dict[str, Any]) -> None:
    if made["published"] and made["modified"]:
        made["modified"] = max(made["published"], made["modified"])


def _price(made: dict[str, Any]) -> None:
    made["amount"] = 0.0 if made["kind"] is PriceKind.FREE else made["amount"] or 1.0


def _tariff(made: dict[str, Any]) -> None:
    made["amount"] = made["amount"] or 1.0


def _withdrawal(made: dict[str, Any]) -> None:
    made["why"] = made["why"].strip() or "a reason"


def _recording(made: dict[str, Any]) -> None:
    made["offset_s"] = made["offset_s"] or 0.0


_FITTED: Final[Mapping[str, Callable[[dict[str, Any]], None]]] = {
    "Metric": _metric, "Evaluation": _evaluation, "Run": _run, "Claim": _claim, "Source": _source, "Price": _price, "Tariff": _tariff,
    "Withdrawal": _withdrawal, "Recording": _recording,
}  # fmt: skip
"""What holds between fields of a record, by its kind: each refuses anything else when it is
made.
"""


class Files(dict[str, list[Any]]):
    """Records by the name of the file that holds them; where a test fails with them, it says what
    is odd about them.
    """

    odd: str = ""

    def __repr__(self) -> str:
        return self.odd[:20_000]


@st.composite
def archives(draw: DrawFn) -> Files:
    """Records of every kind, by the name of the file that holds them; one of each source."""
    files: dict[str, list[Any]] = {}

    def several(kind: type, most: int) -> list[Any]:
        found = draw(st.lists(record(kind), max_size=most))
        key = attrgetter(*TABLES[kind].key)
        return list({key(each): each for each in found}.values())

    for source in SOURCES:
        files[f"published/{source}-sources"] = [draw(record(Source, source=source))]
    runs = several(Run, 3)
    for run in runs:
        files[f"{run.origin}/{run.run_id}"] = [run]
    for kind, most in (
        (Claim, 2),
        (Review, 1),
        (PrintedCell, 4),
        (Price, 2),
        (Rate, 1),
        (Tariff, 1),
        (Recording, 1),
    ):
        files[f"published/of-{TABLES[kind].name}"] = several(kind, most)
    files["withdrawals/of-runs"] = several(Withdrawal, 1)
    made = Files({name: records for name, records in files.items() if records})
    made.odd = str(dict(made))
    return made


ARTICLES: Final = ("tpuv2-v100", "t4-v100-mlperf", "catalyst-cost", "rtx2080ti-colab-tpu")


@cache
def transcribed(article: str) -> tuple[Any, ...]:
    """All records of an article of this repository, under the name of a source that no report tells
    of.
    """
    archive = chosen()
    tables: tuple[Sequence[Any], ...] = (
        archive.sources,
        archive.runs,
        archive.claims,
        archive.cells,
        archive.prices,
        archive.reviews,
    )
    return tuple(
        _renamed(record, article)
        for records in tables
        for record in records
        if record.source == article
    )


def _renamed(record: Any, article: str) -> Any:
    """Its ids and references begin with the other name; a `@` in a reference leads to the
    catalogue.
    """
    made: dict[str, Any] = {}
    for name in {"source", "run_id", "claim_id", "price_id"} & {
        each.name for each in dataclasses.fields(record)
    }:
        made[name] = getattr(record, name).replace(article, SOURCES[0])
    if isinstance(record, Claim):
        made["inputs"] = tuple(
            re.sub(rf"(?<!@){article}", SOURCES[0], one) for one in record.inputs
        )
    return dataclasses.replace(record, **made)


_DECISIVE: Final = (
    "system",
    "workload",
    "accelerator",
    "accelerators",
    "global_batch_size",
    "metrics",
    "evaluations",
    "status",
    "withdrawn",
)
"""Fields of a run by which pages and charts find it and set it beside others."""


@st.composite
def mistaken(draw: DrawFn) -> Files:
    """The records of an article with a few fields that say something else, by the name of the file
    that holds them.
    """
    article = draw(st.sampled_from(ARTICLES))
    records, files = [*transcribed(article)], Files()
    files.odd = article
    for _ in range(draw(st.integers(2, 6))):
        kind: Any = draw(st.sampled_from([Run, *sorted({type(one) for one in records}, key=str)]))
        place = draw(
            st.sampled_from([place for place, one in enumerate(records) if type(one) is kind])
        )
        columns = {
            column.name: column
            for column in TABLES[kind].columns
            if column.name not in TABLES[kind].key
        }
        name = draw(
            st.sampled_from(_DECISIVE)
            if kind is Run and draw(st.booleans())
            else st.sampled_from(sorted(columns))
        )
        before, after = getattr(records[place], name), draw(values(kind, columns[name]))
        everywhere = draw(st.booleans())
        key = attrgetter(*TABLES[kind].key)(records[place])
        files.odd += (
            f"\n{kind.__name__} "
            f"{key}{' and wherever it is the same' if everywhere else ''}: {name} "
            f"{before!r} is now {after!r}"
        )
        for place_, one in enumerate(records):
            if place_ == place or (
                everywhere and type(one) is kind and getattr(one, name) == before
            ):
                with suppress(RecordError):
                    records[place_] = dataclasses.replace(one, **{name: after})
    for one in records:
        files.setdefault(f"published/{SOURCES[0]}-{TABLES[type(one)].name}", []).append(one)
    for source in SOURCES[1:]:
        files[f"published/{source}-sources"] = [
            make_source(
                source, kind=SourceKind.LOGS, title="A title", licence="CC0-1.0", credit="Somebody"
            )
        ]
    return files
